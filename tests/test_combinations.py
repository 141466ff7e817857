"""Combinations and odd switches in positions made by hand, each with the text that asks for it.

S0a to S4 are the sources that docs/rules.md names. What the engine says of a position is also what
the reference says of it.
"""

from __future__ import annotations

import pytest

import reference_seats as ref
from bura_core import IllegalMoveError, Position, RuleSet
from bura_core._rules import beats
from reference import cards_mask
from test_seats import facts


def at(line: str) -> Position:
    """The position of a line; engine and reference agree on all that can be seen of it."""
    position = Position.from_text(line)
    assert facts(position) == ref.facts(ref.load(line)), line
    return position


def ended(line: str) -> tuple[int | None, str] | None:
    result = at(line).result
    return None if result is None else (result.winner, result.reason)


def calls(line: str) -> list[str]:
    return [f"{seat}:{call}" for seat, call in at(line).calls()]


def leads(line: str) -> set[str]:
    return {str(move) for move in at(line).legal_moves()} - {"claim"}


# --- on sight, on lead, at one's own turn ------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "who"),
    [
        ("classic", (0, "bura")),  # S4: the hand is over in its holder's favour
        ("moskva", (0, "bura")),  # S0b: whatever his points
        ("georgian3[deck=36]", None),  # S1: only if he leads it
        ("no_trump", None),  # S4: there are no trumps, and so no bura
    ],
)
def test_a_bura_of_who_is_not_on_turn(rules: str, who: tuple[int, str] | None) -> None:
    trump = "-" if rules == "no_trump" else "h"
    assert ended(f"{rules} {trump} ThKhQh/7sAd8c 9h9d 0/0 1 -") == who


def test_a_bura_on_lead_wins_for_any_of_three_when_his_turn_comes() -> None:
    """S1, with three: it is worth nothing until its holder leads the whole hand."""
    position = at("georgian3[players=3,deck=36] h AsKd9c/7hKhQh/7s8d8c 9h9d6h 0/0/0 0 -")
    for move in ("9c", "(7h)", "(8c)"):
        position.play(move)
    assert position.result is None
    position = at("georgian3[players=3,deck=36] h AsKd9c/7hKhQh/7s8d8c 9h9d6h 0/0/0 1 -")
    position.play("KhQh7h")
    assert position.result is not None
    assert (position.result.winner, position.result.reason) == (1, "bura")


def test_a_hand_that_has_shrunk_is_no_bura_and_no_molodka() -> None:
    """RULES: bura and molodka need a full hand, three aces count at any time."""
    assert ended("classic h ThKh/7sAd - 40/20 1 -") is None
    assert calls("classic h ThAd/7s8s - 40/20 0 -") == []
    assert calls("burkozel h 6s7d8c/AsAdAc - 40/20 0 -") == ["1:stop:AsAdAc"]


# --- two at once -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "turn", "who"),
    [
        ("classic", 0, (0, "bura")),  # S4: played out by the usual rules of the lead
        ("classic", 1, (1, "bura")),
        ("casino", 0, (0, "bura")),  # S0a: the eldest hand leads
        ("moskva", 0, (0, "bura")),  # S0b: the cards of higher worth
        ("moskva", 1, (0, "bura")),
        ("moskva[two_buras=void]", 0, (None, "void")),  # S0b: or all cards are thrown in
    ],
)
def test_two_buras(rules: str, turn: int, who: tuple[int | None, str]) -> None:
    assert ended(f"{rules} s 6sKsAs/7s8sTs 9h9d 0/0 {turn} -") == who


@pytest.mark.parametrize(
    ("turn", "winner"),
    # From the player on turn on, each has to beat the best so far: 8 9 Q beats 6 7 J, and
    # neither beats or is beaten by K T 6 but in turn.
    [(0, 2), (1, 2), (2, 2)],
)
def test_three_buras_are_played_out_in_turn(turn: int, winner: int) -> None:
    line = "casino[players=3] s 6s7sJs/8s9sQs/KsTsAs 9h9d6d 0/0/0 {} -"
    assert ended(line.format(turn)) == (winner, "bura")


def test_who_leads_a_bura_keeps_it_against_one_that_does_not_beat_it_card_by_card() -> None:
    line = "casino[players=3] s 6sTsAs/7s8sKs/9sJsQs 9h9d6d 0/0/0 {} -"
    assert [ended(line.format(turn)) for turn in range(3)] == [
        (0, "bura"), (1, "bura"), (2, "bura"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "who"),
    [
        # S0a: "whoever has the lead leads, the other has to beat all".
        ("casino d AsAhAc/KdTd7d 9h9c 0/0 0 -", (1, "bura")),
        ("casino d AsAhAc/KdTd7d 9h9c 0/0 1 -", (1, "bura")),
        (
            "casino d AsAhAd/KdTd7d 9h9c 0/0 0 -",
            (0, "three_aces"),
        ),  # nothing beats the ace of trumps
        ("casino d AsAhAd/KdTd7d 9h9c 0/0 1 -", (1, "bura")),
        # By precedence the bura is above, whoever leads.
        ("classic d AsAhAd/KdTd7d 9h9c 0/0 0 -", (1, "bura")),
        # S0b: Moskva wins even against a bura.
        ("moskva d AsAhAd/KdTd7d 9h9c 0/0 1 -", (0, "three_aces")),
    ],
)
def test_three_aces_against_a_bura(line: str, who: tuple[int, str]) -> None:
    assert ended(line) == who


# --- out-of-turn leads and their order ---------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "called"),
    [
        # S4: bura, three aces, molodka, in this order.
        ("classic h 6s7s8s/AsAdAc 9h9d 0/0 0 -", ["1:stop:AsAdAc"]),
        ("classic h AsAdAc/6s7s8s 9h9d 0/0 0 -", []),
        # S4, S0a: between equals the one whose turn it is keeps it.
        ("classic h 6s7s8s/6c7c8c 9h9d 0/0 0 -", []),
        ("classic h 6s7s8d/6c7c8c 9h9d 0/0 0 -", ["1:stop:8c7c6c"]),
        # S0e: four aces, molodka, three aces.
        ("burkozel h AsAdAc9h/6s7s8s9s 9d9c 0/0 0 -", ["1:stop:9s8s7s6s"]),
        ("burkozel h 6s7s8s9s/AsAdAc9h 9d9c 0/0 0 -", []),
        ("burkozel h 6s7s8s9s/AsAdAcAh 9d9c 0/0 0 -", ["1:stop:AsAhAdAc"]),
        ("burkozel h 6s7s8d9s/AsAdAc9h 9d9c 0/0 0 -", ["1:stop:AsAdAc"]),
        # S0b: little Moskva holds against molodka, and is three sixes with that of trumps.
        ("moskva h 7s8s9s/6s6h6d 9h9d 0/0 0 -", ["1:stop:6s6h6d"]),
        ("moskva h 7s8s9d/6s6c6d 9h9c 0/0 0 -", []),
        ("moskva[little_moskva=tens] h 7s8s9s/TsTcTd 9h9d 0/0 0 -", ["1:stop:TsTdTc"]),
        ("moskva h 6s6h6d/7s8s9s 9h9d 0/0 0 -", []),
        # S2: one of the three aces has to be a trump.
        ("bura1 h 7s8s9d/AsAdAc 9h9c 0/0 0 -", []),
        ("bura1 h 7s8s9d/AsAhAc 9h9c 0/0 0 -", ["1:stop:AsAhAc"]),
        # S1: no right beyond the ordinary lead.
        ("georgian3 h AsTdQh/KdQdJd TsKs 0/0 0 -", []),
        # S1: at some tables it may be led out of turn, but not against a bura.
        ("georgian3[molodka=lead] h AsTdQh/KdQdJd TsKs 0/0 0 -", ["1:stop:KdQdJd"]),
        ("georgian3[molodka=lead] h AhThQh/KdQdJd TsKs 0/0 0 -", []),
    ],
)
def test_who_may_lead_out_of_turn(line: str, called: list[str]) -> None:
    assert calls(line) == called


def test_an_order_of_ones_own() -> None:
    rules = "moskva[three_aces=lead,precedence=bura>molodka>little_moskva>three_aces]"
    assert calls(f"{rules} h AsAdAc/7s8s9s 9h9d 0/0 0 -") == ["1:stop:9s8s7s"]
    assert calls(f"{rules} h 6s6h6d/7s8s9s 9h9d 0/0 0 -") == ["1:stop:9s8s7s"]
    assert calls(f"{rules} h 7s8s9s/AsAdAc 9h9d 0/0 0 -") == []


def test_a_call_gives_the_lead_and_not_the_hand() -> None:
    """S0b: molodka may, but need not, be called; whoever is stopped answers it."""
    position = at("classic h ThKh8d/6s7s8s 9h9d 0/0 0 -")
    position.play("stop:6s7s8s")
    assert (position.leader, position.turn) == (1, 0)
    assert "ThKh8d" not in {str(move) for move in position.legal_moves()}
    position = at("classic h ThKh9h/6s7s8s 9c9d 20/20 0 - claim=0")
    assert [str(move) for move in position.legal_moves()] == ["claim", "pass"]


@pytest.mark.parametrize("window", ["after_lead_returned", "after_lead_stays"])
def test_a_call_during_the_lead_of_the_other(window: str) -> None:
    """S0d: «Стоп!» is called during the other's lead."""
    position = at(f"moskva[stop_window={window}] h ThKs8d/6s7s8s 9h9d 0/0 0 -")
    assert position.calls() == []
    position.play("Ks")
    assert [str(call) for _, call in position.calls()] == ["stop:8s7s6s"]
    position.play("stop:6s7s8s")
    told = str(position)
    assert facts(position) == ref.facts(ref.load(told))
    assert ("held=Ks" in told) is (window == "after_lead_stays")
    assert position.hands[0] == cards_mask("ThKs8d")


# --- leads of one rank, of aces, and the matching they need ------------------------------------


@pytest.mark.parametrize(
    ("trump", "lead", "reply", "good"),
    [
        # S0c: two or three cards of one rank. Each has to be covered by another card.
        (1, "JsJd", "QdAs", True),  # not in the order in which they are given
        (1, "JsJd", "AsKs", False),  # two spades cover one jack
        (1, "JsJd", "Ks6h", True),
        (1, "JsJd", "Kd6h", True),
        (1, "JsJdJc", "QsQdQc", True),
        (1, "JsJdJc", "QsAd6h", True),
        (1, "JsJdJc", "QsAs6h", False),  # one trump, and two jacks left
        (1, "JsJhJc", "AsAcQh", True),
        (1, "JsJhJc", "AsAcAd", False),  # the jack of trumps is beaten by trumps alone
        (1, "JsJhJc", "6h7hQh", True),  # the queen on the jack of trumps
        (1, "JsJhJc", "6h7h8h", False),
        # S0a, S4: three aces are led as a combination; only trumps beat plain aces.
        (1, "AsAdAc", "6h7h8h", True),
        (1, "AsAdAc", "6h7hKs", False),
        (1, "AsAhAc", "KhThQh", False),
        (None, "AsAdAc", "KsKdKc", False),
    ],
)
def test_matching(trump: int | None, lead: str, reply: str, good: bool) -> None:
    rules = RuleSet.parse("classic" if trump is not None else "no_trump")
    assert beats(rules, trump, cards_mask(lead), cards_mask(reply)) is good
    named = f"classic[rank_leads=yes] {'shdc'[trump]}" if trump is not None else "no_trump -"
    hand = ref.load(f"{named} {'6s' * 0}-/- - 0/0 0 -")
    assert ref.beats(hand, cards_mask(lead), cards_mask(reply)) is good


def test_leads_of_one_rank() -> None:
    line = "classic[{}] h JsJdJc/7d8c9c 9h9d 0/0 0 -"
    assert leads(line.format("discards=closed")) == {"Js", "Jd", "Jc"}
    assert leads(line.format("rank_leads=yes")) == {
        "Js", "Jd", "Jc", "JsJd", "JsJc", "JdJc", "JsJdJc",
    }  # fmt: skip
    # S4, burkozel: one card or three.
    assert leads(line.format("rank_leads=yes,lead_sizes=one_or_three")) == {
        "Js", "Jd", "Jc", "JsJdJc",
    }  # fmt: skip


def test_aces_of_several_suits_are_led_only_as_a_combination() -> None:
    line = "{} h AsAdAc/7d8c9c 9h9d 0/0 0 -"
    assert "AsAdAc" in leads(line.format("classic"))
    assert "AsAdAc" not in leads(line.format("georgian3[deck=36]"))
    assert "AsAd" not in leads(line.format("classic"))


def test_burkozel_of_kommersant_leads_one_card_or_three() -> None:
    line = "burkozel_kommersant h 6s7s8s9d/TsKsQsJs 9h9c 0/0 0 -"
    assert leads(line) == {"6s", "7s", "8s", "9d", "8s7s6s"}


def test_nobody_leads_more_than_any_other_holds() -> None:
    """S4: of four open cards only three may be led against three closed ones."""
    line = "three_vs_four h 7dKdQd/6s7s8s9s {} -/- 1 -"
    rest = "9h9d9cTs6d6c7c8cTcJcQcKcAc8dTdJdAdJsQsKsAs6h7h8hThJhQhKhAh"
    assert max(len(lead) for lead in leads(line.format(rest))) == 6
    assert "9s8s7s6s" not in leads(line.format(rest))


def test_four_trumps_are_the_bura_of_the_one_with_four_cards() -> None:
    assert ended("three_vs_four h 7dKdQd/6h7h8h9s 9d9cJs 0/0 0 -") is None
    assert ended("three_vs_four h 7dKdQd/6h7h8h9h 9d9cJs 0/0 0 -") == (1, "bura")
    assert ended("three_vs_four h KhQhJh/6s7h8h9h 9d9cJs 0/0 1 -") == (0, "bura")


# --- spades immune, no trumps, handicaps -------------------------------------------------------


def test_a_spade_is_beaten_by_a_higher_spade_alone() -> None:
    """S0b, the five-card note; decided: spades as trumps beat the other suits as trumps do."""
    five = RuleSet.parse("five")

    def beaten(trump: int, lead: str, reply: str) -> bool:
        return beats(five, trump, cards_mask(lead), cards_mask(reply))

    assert not beaten(1, "9s", "Ah")
    assert beaten(1, "9s", "Ts")
    assert beaten(1, "9d", "6h")
    assert not beaten(1, "9s8s", "Ts6h")
    assert beaten(0, "9d", "6s")
    assert not beaten(0, "9s", "8s")
    position = at("five h 9s/Ah - 40/20 0 -")
    position.play("9s")
    assert [str(move) for move in position.legal_moves()] == ["(Ah)"]


def test_compensation_is_counted_with_the_pile() -> None:
    """S4: up to 30 points to the one who does not lead first."""
    line = "no_trump - 6h/7d - 10/2 1 - claim=1 handicap=0/29"
    position = at(line)
    position.play("claim")
    assert position.result is not None
    assert (position.result.winner, position.result.reason) == (1, "claim")
    position = at(line.replace("10/2", "10/0"))
    position.play("claim")
    assert position.result is not None
    assert position.result.reason == "false_claim"


@pytest.mark.parametrize(("points", "winner"), [("21/20", 0), ("20/20", 1)])
def test_a_handicap_for_an_open_hand(points: str, winner: int) -> None:
    """S0c, S4: whoever plays with an open hand is given some points by the other."""
    position = at(f"classic[open_hands=0] h 6h/7d - {points} 0 - claim=0 handicap=10/0")
    position.play("claim")
    assert position.result is not None
    assert position.result.winner == winner


def test_under_a_ceiling_the_handicap_counts_too() -> None:
    """S0c, «с перебором»: 31 to 50."""
    for points, winner in ((20, 1), (21, 0), (40, 0), (41, 1)):
        position = at(f"perebor h 6h/7d - {points}/20 0 - claim=0 handicap=10/0")
        position.play("claim")
        assert position.result is not None
        assert position.result.winner == winner, points


# --- what the table reports --------------------------------------------------------------------


def test_how_a_claim_was_counted_may_be_told() -> None:
    """Where the cards face down are only stand-ins for cards that nobody here has seen."""
    line = "classic h 6h/7d - {}/20 0 - claim=0"
    for points, counted, reason in (
        (31, None, "claim"), (31, False, "false_claim"), (20, True, "claim"),
    ):  # fmt: skip
        position = at(line.format(points))
        position.play("claim", counted)
        assert position.result is not None
        assert position.result.reason == reason
    position = at("bura1[players=3] h As6s/Ks7s/Ah8s - 35/20/9 0 - claim=0")
    position.play("claim", counted=False)
    assert (position.result, position.out, position.text().lost) == (None, (0,), (0,))


def test_how_a_challenge_was_settled_may_be_told() -> None:
    rest = "6c7c8c9cTcJcQcKcAc6d7d8d9dTdJdQdKdAd6s7s8s9sJsQs6hThJhQhKhAh"
    line = f"classic[bura=none,closed_challenge=yes] h AsKsTs/7h8h9h - {rest}/- 0 -"
    for counted, reason in ((None, "challenge"), (False, "false_challenge"), (True, "challenge")):
        position = at(line)
        position.play("AsKsTs")
        position.play("(7h8h9h)")
        position.play("challenge", counted)
        assert position.result is not None
        assert position.result.reason == reason


def test_tricks_are_counted() -> None:
    position = at("classic[players=3] d Qs7s6c/9dJs6h/Kd8d9s 6d7c8c 0/0/0 0 -")
    for move in ("Qs7s", "9dJs", "Kd8d"):
        position.play(move)
    assert position.tricks == (0, 0, 1)
    position.undo()
    assert position.tricks == (0, 0, 0)


# --- the two worked examples of S1, and S4's of three players ----------------------------------


def test_the_king_does_not_beat_the_ten() -> None:
    """S1: K♠ Q♥ against A♠ 10♠, hearts trumps: one of two is beaten, and 21 points are gone."""
    position = at("georgian3 h AsTs/KsQh - 40/20 0 -")
    position.play("AsTs")
    assert [str(move) for move in position.legal_moves()] == ["(KsQh)"]
    with pytest.raises(IllegalMoveError, match="does not beat"):
        position.play("KsQh")
    position.play("(KsQh)")
    assert position.points == (40 + 21 + 7, 20)


def test_two_trumps_would_have_taken_them() -> None:
    position = at("georgian3 h AsTs/JhQh - 40/20 0 -")
    position.play("AsTs")
    position.play("JhQh")
    assert position.points == (40, 20 + 21 + 5)


def test_the_hand_of_five_steps_ends_34_to_21_with_a_claim() -> None:
    """S1's hand, and after its third trick the claim holds by what he has seen alone."""
    position = at("georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -")
    for move in ("As", "(Js)", "Td", "Ad", "Tc", "Ac"):
        position.play(move)
    assert facts(position) == ref.facts(ref.load(str(position)))
    assert position.points == (34, 21)
    position.play("claim")
    assert position.result is not None
    assert (position.result.winner, position.result.reason) == (0, "claim")


def test_a_third_player_beats_what_the_second_has_laid() -> None:
    """S4: Q♠ 7♠ led, 9♦ J♠ beats it with diamonds trumps, and K♦ 8♦ beats that."""
    line = "classic[players=3] d Qs7s6c/9dJs6h/Kd8d9s 6d7c8c 0/0/0 0 -"
    position = at(line)
    position.play("Qs7s")
    position.play("9dJs")
    laid = {str(move) for move in position.legal_moves()}
    assert "Kd8d" in laid
    assert "8d9s" not in laid
    position.play("Kd8d")
    assert (position.leader, position.claim_seat) == (2, 2)
    # He may as well keep the king of trumps and give the trick to the second.
    position.undo()
    position.play("(9s8d)")
    assert position.leader == 1
