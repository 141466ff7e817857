"""`Position`: the compiled rules against the oracle move by move, and what is refused."""

from __future__ import annotations

import pickle
import random

import pytest

import reference as ref
from bura_core import (
    PRESETS,
    HiddenCardsError,
    IllegalMoveError,
    InputError,
    Position,
    Result,
    RuleSet,
    parse_move,
)
from bura_core._rules import beats, legal_lead

# --- beating -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["classic", "five", "no_trump"])
def test_beating_is_a_perfect_matching(rules: str) -> None:
    """Sorting and the subset walk against every order of the reply."""
    rule_set = RuleSet.parse(rules)
    rng = random.Random(rules)
    beaten = 0
    for _ in range(12_000):
        trump = None if rules == "no_trump" else rng.randrange(4)
        size = rng.choice((1, 1, 2, 2, 3, 3, 4, 5))
        # Few suits, mostly one on the table, so that many replies beat.
        pool = rng.sample(range(4), rng.choice((1, 2, 2, 3, 4)))
        cards = [suit * 9 + rank for suit in pool for rank in range(9)]
        if len(cards) < 2 * size:
            continue
        rng.shuffle(cards)
        if rng.random() < 0.6:
            low = [card for card in cards if card // 9 == pool[0]][:size]
            cards = low + [card for card in cards if card not in low]
        lead = sum(1 << card for card in cards[:size])
        reply = sum(1 << card for card in cards[size : 2 * size])
        expected = ref.set_beats(rules == "five", -1 if trump is None else trump, lead, reply)
        assert beats(rule_set, trump, lead, reply) is expected, (
            rules,
            trump,
            ref.cards_text(lead),
            ref.cards_text(reply),
        )
        beaten += expected
    assert beaten > 1000


def test_sets_of_different_size_never_beat() -> None:
    classic = RuleSet.parse("classic")
    lead, reply = ref.cards_mask("6s"), ref.cards_mask("AsTs")
    assert not beats(classic, 1, lead, reply)
    assert not beats(classic, 1, reply, lead)
    assert not beats(classic, 1, 0, 0)


def test_six_cards_against_six() -> None:
    classic = RuleSet.parse("classic[hand=6]")
    rng = random.Random(6)
    for _ in range(150):
        cards = rng.sample(range(18), 12)
        lead = sum(1 << card for card in cards[:6])
        reply = sum(1 << card for card in cards[6:])
        assert beats(classic, 0, lead, reply) is ref.set_beats(False, 0, lead, reply)


def test_worked_examples_of_the_sources() -> None:
    georgian, classic = RuleSet.parse("georgian3"), RuleSet.parse("classic")
    mask = ref.cards_mask
    # S1: king of spades and queen of hearts against ace and ten of spades, hearts trumps.
    assert not beats(georgian, 1, mask("AsTs"), mask("KsQh"))
    assert beats(georgian, 1, mask("AsTs"), mask("JhQh"))
    # S4: three players, diamonds trumps.
    assert beats(classic, 2, mask("Qs7s"), mask("9dJs"))
    assert beats(classic, 2, mask("9dJs"), mask("Kd8d"))


def test_worked_hand_of_the_georgian_table() -> None:
    """S1's hand of five tricks, with what each step is told to bring."""
    position = Position.from_text("georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -")
    for move, turn, points, hands in (
        ("As", 1, (0, 0), None),
        ("(Js)", 0, (13, 0), ("QhTdAc", "KsThAd")),
        ("Td", 1, (13, 0), None),
        ("Ad", 1, (13, 21), ("QhKdAc", "KsThTc")),
        ("Tc", 0, (13, 21), None),
        ("Ac", 0, (34, 21), None),
    ):
        position.play(move)
        assert position.turn == turn, move
        assert position.points == points, move
        if hands:
            assert position.hands == tuple(map(ref.cards_mask, hands)), move
    assert position.claim_seat == 0
    position.play("claim")
    assert position.result == Result(0, "claim", 1)


# --- whole hands beside the oracle -------------------------------------------------------------

SWITCHED = [
    "georgian3[deck=36]",
    "georgian5[hand=4]",
    "classic[deck=32,discards=shown]",
    "classic[refill_from=leader]",
    "classic[two_buras=higher]",
    "classic[two_buras=void]",
    "classic[three_aces=win]",
    "classic[three_aces=win,precedence=three_aces>bura>little_moskva>molodka]",
    "classic[aces_against_bura=played_out]",
    "classic[three_aces=win,aces_against_bura=played_out]",
    "classic[three_aces_trump=yes]",
    "classic[little_moskva=sixes]",
    "classic[little_moskva=tens]",
    "classic[rank_leads=yes]",
    "classic[rank_leads=yes,lead_sizes=one_or_three]",
    "classic[bura=on_lead]",
    "burkozel[four_aces=win]",
    "burkozel[lead_sizes=one_or_three,four_aces=win,three_aces=none,molodka=none]",
    "five[claim_ceiling=90,unclaimed=most_points]",
    "classic[hand=6]",
    "georgian5[hand=1,target=31]",
]
EVERY = [*ref.PRESET_NAMES, *SWITCHED]


def same(position: Position, state: ref.State) -> None:
    """Everything the two show of a position is the same."""
    line = str(position)
    assert position.hands == state.hands, line
    assert position.talon == state.talon, line
    assert position.points == state.points, line
    assert position.handicap == state.handicap, line
    assert position.trump == (None if state.trump < 0 else state.trump), line
    found = position.result
    if state.over is not None:
        assert found is not None, line
        assert (found.winner, found.reason, found.stake) == (*state.over, 1), line
        assert position.legal_moves() == []
        assert position.calls() == []
        return
    assert found is None, line
    assert position.turn == state.turn, line
    assert position.claim_seat == (None if state.claim < 0 else state.claim), line
    assert position.leader == (1 - state.turn if state.lead else state.turn), line
    laid = sum(1 << card for play in position.table for card in play.cards)
    assert laid == state.lead, line
    moves = [str(move) for move in position.legal_moves()]
    assert len(set(moves)) == len(moves), line
    assert set(moves) == set(ref.moves(state)), line
    calls = [(seat, str(call)) for seat, call in position.calls()]
    assert len(set(calls)) == len(calls), line
    assert set(calls) == set(ref.calls(state)), line


def deal(rng: random.Random, rules: str) -> str:
    """A hand from the first lead on."""
    known = ref.rules_of(rules)
    cards = ref.card_list(ref.deck_mask(known.deck))
    rng.shuffle(cards)
    names = [ref.NAMES[card] for card in cards]
    n = known.hand
    trump = "-" if known.trumps == "no" else names[-1][1]
    hands = "".join(names[:n]) + "/" + "".join(names[n : 2 * n])
    return f"{rules} {trump} {hands} {''.join(names[2 * n :])} -/- {rng.randrange(2)} -"


@pytest.mark.parametrize("rules", EVERY)
def test_random_hands_go_as_in_the_reference(rules: str) -> None:
    rng = random.Random(rules)
    full = ref.rules_of(rules).hand
    kinds: set[str] = set()
    reasons: set[str] = set()
    for i in range(160):
        if i % 4 == 0:
            line = deal(rng, rules)
        else:
            talon = rng.choice((0, 0, 2, 4, 6))
            line = ref.random_honest_position(rng, rules, talon, rng.choice((full, full, 1)))
        position, state = Position.from_text(line), ref.load(line)
        texts = []
        same(position, state)
        # Some hands are played to the last card, others are claimed as soon as may be.
        claims = rng.choice((0, 0.1, 1))
        while state.over is None:
            texts.append(str(position))
            moves = ref.moves(state)
            calls = [call for _, call in ref.calls(state)]
            move = rng.choice(moves)
            if "claim" in moves and rng.random() >= claims:
                move = rng.choice([m for m in moves if m != "claim"])
            if calls and rng.random() < 0.5:
                move = rng.choice(calls)
            kinds.add(parse_move(move).kind)
            position.play(move)
            state = ref.apply(state, move)
            same(position, state)
        reasons.add(state.over[1])
        while texts:
            position.undo()
            assert str(position) == texts.pop()
        with pytest.raises(IndexError):
            position.undo()
    assert {"claim", "play"} <= kinds
    assert "claim" in reasons
    if ref.rules_of(rules).closed:
        assert "discard" in kinds


@pytest.mark.parametrize("rules", EVERY)
def test_no_card_and_no_point_is_lost(rules: str) -> None:
    """From the deal to the end: each card in one place, and 120 points in all."""
    rng = random.Random(f"cards {rules}")
    deck = ref.deck_mask(ref.rules_of(rules).deck)
    for _ in range(40):
        position = Position.from_text(deal(rng, rules))
        while True:
            text = position.text()
            places = [card for hand in text.hands for card in hand]
            places += text.talon
            places += [item.card for pile in text.piles for item in pile.items]
            places += [card for play in text.table for card in play.cards]
            known = [card for card in places if card is not None]
            assert len(known) == len(places) == deck.bit_count()
            assert sum(1 << card for card in known) == deck
            loose = sum(1 << card for card in known) & ~sum(
                1 << item.card
                for pile in text.piles
                for item in pile.items  # type: ignore[operator]
            )
            assert sum(position.points) + ref.set_points(loose) == 120
            if position.result is not None:
                break
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            moves += [call for _, call in position.calls()]
            position.play(rng.choice(moves))


@pytest.mark.parametrize("rules", ref.PRESET_NAMES)
def test_the_text_of_a_position_is_the_position(rules: str) -> None:
    rng = random.Random(f"text {rules}")
    for _ in range(40):
        position = Position.from_text(deal(rng, rules))
        while position.result is None:
            again = Position.from_text(str(position))
            assert again == position
            assert hash(again) == hash(position)
            assert str(again) == str(position)
            assert again.legal_moves() == position.legal_moves()
            assert again.calls() == position.calls()
            assert again.raises() == position.raises()
            assert again.points == position.points
            assert again.turn == position.turn
            assert Position(position.text()) == position
            assert pickle.loads(pickle.dumps(position)) == position
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            position.play(rng.choice(moves))


def test_a_copy_goes_its_own_way() -> None:
    position = Position.from_text("classic h 7s8s9s/7d8dTh 9h9d 0/0 0 -")
    position.play("7s")
    copy = position.copy()
    assert copy == position
    copy.play("(7d)")
    assert copy != position
    assert position.turn == 1
    copy.undo()
    assert copy == position
    with pytest.raises(IndexError):
        copy.undo()
    position.undo()
    assert copy != position
    assert position != "classic h 7s8s9s/7d8dTh 9h9d 0/0 0 -"


def test_many_moves_and_their_way_back() -> None:
    """Longer than any block of states kept at once."""
    position = Position.from_text(
        "georgian5[hand=1,bura=none] h 6s/7s {} -/- 0 -".format(
            "".join(n for n in ref.NAMES if n not in ("6s", "7s", "6h")) + "6h"
        )
    )
    start = str(position)
    moves = 0
    while position.result is None:
        position.play(next(move for move in position.legal_moves() if move.kind != "claim"))
        moves += 1
    assert moves >= 36
    for _ in range(moves):
        position.undo()
    assert str(position) == start


@pytest.mark.parametrize("rules", EVERY)
def test_legal_leads_are_the_references(rules: str) -> None:
    rng = random.Random(f"leads {rules}")
    rule_set, known = RuleSet.parse(rules), ref.rules_of(rules)
    for _ in range(60):
        trump = None if known.trumps == "no" else rng.randrange(4)
        deck = ref.card_list(ref.deck_mask(known.deck))
        aces = [card for card in deck if card % 9 in (0, 7, 8)]
        cards = rng.sample(aces if rng.random() < 0.3 else deck, known.hand)
        hand = sum(1 << card for card in cards)
        table = ref.table_of(known, -1 if trump is None else trump)
        legal = {lead for lead, _ in table.leads(hand)}
        for size in range(1, known.hand + 1):
            for lead in ref.subsets(hand, size):
                assert legal_lead(rule_set, trump, lead, hand) is (lead in legal), (
                    ref.cards_text(hand),
                    ref.cards_text(lead),
                )


def test_presets_of_the_reference_are_those_of_the_core() -> None:
    for name in ref.PRESET_NAMES:
        rules, known = PRESETS[name], ref.rules_of(name)
        for field in ref.Rules.__dataclass_fields__:
            expected = getattr(known, field)
            value = getattr(rules, field)
            if isinstance(value, bool):
                value = "yes" if value else "no"
            if isinstance(value, tuple):
                value = ">".join(value)
            assert value == expected, (name, field)


# --- combinations ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "winner", "reason"),
    [
        ("classic h ThKhQh/7sAd8c 9h9d 0/0 1 -", 0, "bura"),
        ("classic h 7s8s/ThKhQh 9h9d 0/0 1 0:9s", 1, "bura"),
        ("classic s 6s7s8s/KsTsAs 9h9d 0/0 0 -", 1, "bura"),
        ("classic s 6sKsAs/7s8sTs 9h9d 0/0 0 -", 0, "bura"),
        ("classic s 6sKsAs/7s8sTs 9h9d 0/0 1 -", 1, "bura"),
        ("classic[two_buras=higher] s 6sKsAs/7s8sTs 9h9d 0/0 1 -", 0, "bura"),
        ("classic[two_buras=void] s 6sKsAs/7s8sTs 9h9d 0/0 1 -", None, "void"),
        ("classic[three_aces=win] d AsAhAc/7s8s9d 9h9c 0/0 1 -", 0, "three_aces"),
        ("classic[three_aces=win] d AsAhAc/KdTd7d 9h9d 0/0 1 -", 1, "bura"),
        ("burkozel[four_aces=win] d AsAhAdAc/7s8s9s9h 9d9c 0/0 1 -", 0, "three_aces"),
        ("five d AdTdKdQd7d/7s8s9s9hTs 9d9c 0/0 1 -", 0, "bura"),
    ],
)
def test_shown_at_once(line: str, winner: int | None, reason: str) -> None:
    position = Position.from_text(line)
    assert position.result == Result(winner, reason, 1)
    assert position.legal_moves() == position.calls() == position.raises() == []
    assert position.perft(1) == 0
    assert position.perft(0) == 1


def test_a_bura_led_wins_and_one_held_does_not() -> None:
    position = Position.from_text("georgian3[deck=36] s 6s7s8s/KsTsAs 9h9d 0/0 0 -")
    assert position.result is None
    position.play("7s6s")
    assert position.result is None
    position.undo()
    position.play("6s8s7s")
    assert position.result == Result(0, "bura", 1)
    # As a line: the bura lies on the table.
    assert Position.from_text("georgian3[deck=36] s -/KsTsAs 9h9d 0/0 1 0:8s7s6s").result


def test_a_claim_comes_before_a_hand_just_drawn() -> None:
    position = Position.from_text("classic h 7sAd8c/ThKhQh 9h9d 20/20 0 - claim=0")
    assert [str(move) for move in position.legal_moves()] == ["claim", "pass"]
    assert position.calls() == []
    position.play("pass")
    assert position.result == Result(1, "bura", 1)
    position.undo()
    position.play("claim")
    assert position.result == Result(1, "false_claim", 1)


def test_no_call_on_a_call() -> None:
    position = Position.from_text("classic h 7s8s9s/AdAcAs 9h9d 0/0 0 -")
    assert [(seat, str(call)) for seat, call in position.calls()] == [(1, "stop:AsAdAc")]
    position.play("stop:AcAdAs")
    assert (position.leader, position.turn) == (1, 0)
    assert position.calls() == []
    assert all(move.cards.bit_count() == 3 for move in position.legal_moves())


# --- claims ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "piles", "result"),
    [
        ("classic", "31/20", Result(0, "claim", 1)),
        ("classic", "30/20", Result(1, "false_claim", 1)),
        ("perebor", "50/20", Result(0, "claim", 1)),
        ("perebor", "51/20", Result(1, "false_claim", 1)),
        ("five", "61/20", Result(0, "claim", 1)),
        ("five", "60/20", Result(1, "false_claim", 1)),
    ],
)
def test_claim(rules: str, piles: str, result: Result) -> None:
    position = Position.from_text(f"{rules} s 6h/7d - {piles} 0 - claim=0")
    position.play("claim")
    assert position.result == result


def test_the_right_to_claim_ends_with_the_lead_and_comes_back_with_a_trick() -> None:
    position = Position.from_text("classic s 6h8s/7d9d - 40/20 0 - claim=0")
    assert "claim" in map(str, position.legal_moves())
    position.play("8s")
    assert position.claim_seat is None
    position.play("(7d)")
    assert position.claim_seat == 0
    position.play("6h")
    position.play("(9d)")
    assert [str(move) for move in position.legal_moves()] == ["claim", "pass"]
    position.play("pass")
    assert position.result == Result(None, "no_winner", 1)


def test_own_turn_window() -> None:
    """S4: whenever it is his turn, to lead or to answer, once he has a trick."""
    line = "classic[claim_window=own_turn] s 6h8s/7d9d - 40/{} 0 -"
    position = Position.from_text(line.format(20))
    assert "claim" in map(str, position.legal_moves())
    position.play("8s")
    assert "claim" in map(str, position.legal_moves())
    position.play("claim")
    assert position.result == Result(0, "false_claim", 1)
    position = Position.from_text(line.format(0))
    position.play("8s")
    assert "claim" not in map(str, position.legal_moves())


def test_before_draw_window() -> None:
    """S0a: the trick's winner claims, or draws and has no right any more."""
    position = Position.from_text(
        "classic[claim_window=before_draw] h 7sAd8c/9cKcQc 9h9d 20/20 0 -"
    )
    position.play("Ad")
    position.play("(9c)")
    assert [str(move) for move in position.legal_moves()] == ["claim", "pass"]
    assert position.talon == tuple(ref.NUMBER[name] for name in ("9h", "9d"))
    assert position.calls() == []
    assert Position.from_text(str(position)) == position
    position.play("pass")
    assert position.hands == (ref.cards_mask("7s8c9h"), ref.cards_mask("KcQc9d"))
    assert position.turn == 0
    assert "claim" not in map(str, position.legal_moves())
    position.undo()
    position.play("claim")
    assert position.result == Result(0, "claim", 1)


def test_before_draw_window_with_the_leader_drawing_first() -> None:
    rules = "classic[claim_window=before_draw,refill_from=leader]"
    position = Position.from_text(f"{rules} h 7s6d8c/9cKcAd 9h9d 0/0 0 -")
    for move in ("6d", "Ad", "pass"):
        position.play(move)
    # Seat 1 has won the trick, seat 0 led it and draws first.
    assert position.hands == (ref.cards_mask("7s8c9h"), ref.cards_mask("9cKc9d"))
    assert position.turn == 1


def test_end_of_deck_window() -> None:
    rules = "classic[claim_window=end_of_deck]"
    position = Position.from_text(f"{rules} h 7sAd8c/9cKcQc 9h9d6h6c 40/20 0 -")
    for move in ("Ad", "(9c)"):
        position.play(move)
    assert position.claim_seat is None
    with pytest.raises(IllegalMoveError, match="only when the talon is out"):
        position.play("claim")
    for move in ("9h", "(Qc)"):
        position.play(move)
    assert position.talon == ()
    position.play("claim")
    assert position.result == Result(0, "claim", 1)


# --- raises ------------------------------------------------------------------------------------

LADDER = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"
DAVE = "dave h AsTd7h/KsJsAd 6s6d 0/0 0 -"


def says(position: Position) -> list[str]:
    return [str(move) for move in position.raises()]


def test_a_raise_is_answered_before_play_goes_on() -> None:
    position = Position.from_text(LADDER)
    assert says(position) == ["raise"]
    position.play("raise")
    assert position.turn == 1
    assert position.legal_moves() == []
    assert position.calls() == []
    assert says(position) == ["accept", "fold", "raise"]
    position.play("accept")
    assert (position.turn, position.stake) == (0, 2)
    assert says(position) == []
    assert position.legal_moves()
    position.play("As")
    # The other side may raise on its turn, to answer.
    assert says(position) == ["raise"]
    position.play("raise")
    position.play("accept")
    assert (position.turn, position.stake) == (1, 3)
    position.play("(Js)")
    assert says(position) == ["raise"]


def test_a_refused_raise_pays_the_stake_before_it() -> None:
    position = Position.from_text(LADDER)
    for moves, result in (
        (["raise", "fold"], Result(0, "fold", 1)),
        (["raise", "raise", "fold"], Result(1, "fold", 2)),
        (["raise", "raise", "raise", "fold"], Result(0, "fold", 3)),
        (["raise", "accept", "As", "raise", "fold"], Result(1, "fold", 2)),
    ):
        for move in moves:
            position.play(move)
        assert position.result == result, moves
        for _ in moves:
            position.undo()
    assert str(position) == str(Position.from_text(LADDER))


def test_the_ladder_ends_at_six() -> None:
    """S1: davi, se, chari, panji, shashi; each side in turn."""
    position = Position.from_text(LADDER)
    for stake in range(1, 6):
        assert "raise" in says(position)
        position.play("raise")
        assert position.stake == stake
        assert position.turn == stake % 2
    assert says(position) == ["accept", "fold"]
    with pytest.raises(IllegalMoveError, match="answer a raise to 6"):
        position.play("raise")
    position.play("accept")
    assert position.stake == 6
    assert says(position) == []
    position.play("As")
    assert says(position) == []
    with pytest.raises(IllegalMoveError, match="cannot be raised now"):
        position.play("raise")


def test_one_side_never_raises_twice_in_a_row() -> None:
    position = Position.from_text(LADDER)
    for move in ("raise", "accept", "As", "(Js)"):
        position.play(move)
    assert position.turn == 0
    assert says(position) == []
    with pytest.raises(IllegalMoveError, match="seat 0 raised last, and one side never raises"):
        position.play("raise")
    position.play("Td")
    assert says(position) == ["raise"]
    # From a line it is the same.
    raised = Position.from_text(LADDER + " stake=2 raiser=0")
    assert says(raised) == []
    assert says(Position.from_text(LADDER + " stake=2 raiser=1")) == ["raise"]


def test_a_raise_leaves_the_right_to_claim() -> None:
    position = Position.from_text(
        "georgian3 h QhAcKd/KsThTc KhQsQdQcJdJcKcTsAhJh 13/21 0 - claim=0"
    )
    position.play("raise")
    position.play("accept")
    assert (position.turn, position.claim_seat) == (0, 0)
    position.play("claim")
    assert position.result == Result(1, "false_claim", 2)


@pytest.mark.parametrize(
    ("rules", "stake"), [("georgian3", 2), ("dave", 2), ("georgian3[claim_window=own_turn]", 2)]
)
def test_claims_and_raises_in_one_window(rules: str, stake: int) -> None:
    """Decided (docs/rules.md): either may come first, but nobody claims while a raise is open."""
    talon = "JcJh"
    line = f"{rules} h QhAcKd/KsThTc {talon} 13/31 1 - claim=1"
    position = Position.from_text(line)
    assert "claim" in map(str, position.legal_moves())
    assert [str(move) for move in position.raises()] == ["raise"]
    position.play("raise")
    for _ in range(2 if position.raises()[-1].kind == "raise" else 1):
        assert position.legal_moves() == []
        with pytest.raises(IllegalMoveError, match="has to answer a raise"):
            position.play("claim")
        if position.raises()[-1].kind == "raise":
            position.play("raise")
    # What he has is worth nothing until it is claimed: a refused raise pays the old stake.
    folding = position.copy()
    folding.play("fold")
    assert folding.result is not None
    assert folding.result.reason == "fold"
    position.play("accept")
    assert (position.turn, position.claim_seat) == (1, 1)
    position.play("claim")
    assert position.result is not None
    assert position.result.winner == 1
    assert position.result.stake >= stake


def test_there_is_no_raise_where_there_is_nothing_to_play() -> None:
    line = "dave[claim_window=before_draw] h 7s8c/KcQc 9h9d 20/20 0 - claim=0"
    position = Position.from_text(line)
    assert [str(move) for move in position.legal_moves()] == ["claim", "pass"]
    assert position.raises() == []
    shown = Position.from_text("dave h 7sAd8c/ThKhQh 9h9d 20/20 0 - claim=0")
    assert [str(move) for move in shown.legal_moves()] == ["claim", "pass"]
    assert shown.raises() == []


def test_dave_doubles() -> None:
    position = Position.from_text(DAVE)
    assert says(position) == ["raise"]
    position.play("raise")
    # The other plays on at double or gives the hand up: no raise in answer.
    assert says(position) == ["accept", "fold"]
    position.play("accept")
    assert position.stake == 2
    position.play("As")
    position.play("raise")
    position.play("accept")
    assert position.stake == 4
    position.play("(Js)")
    position.play("raise")
    position.play("fold")
    assert position.result == Result(0, "fold", 4)


@pytest.mark.parametrize("line", [DAVE, LADDER])
@pytest.mark.parametrize("before", [[], ["As"], ["As", "(Js)"]])
def test_an_open_raise_is_in_the_text_of_a_position(line: str, before: list[str]) -> None:
    position = Position.from_text(line)
    for move in before:
        position.play(move)
    for _ in range(3 if line == LADDER else 1):
        position.play("raise")
        for again in (
            Position.from_text(str(position)),
            Position(position.text()),
            position.copy(),
            pickle.loads(pickle.dumps(position)),
        ):
            assert again == position
            assert (again.turn, again.stake) == (position.turn, position.stake)
            assert again.legal_moves() == []
            assert says(again) == says(position)
            for answer in ("accept", "fold"):
                again.play(answer)
                position.play(answer)
                assert str(again) == str(position)
                assert again.result == position.result
                assert again.turn == position.turn
                assert again.legal_moves() == position.legal_moves()
                again.undo()
                position.undo()


def test_a_dave_stake_as_high_as_the_notation_goes() -> None:
    position = Position.from_text(DAVE + " stake=512 raiser=1")
    assert position.stake == 512
    for move in ("As", "(Js)"):
        position.play(move)
    assert str(Position.from_text(str(position))) == str(position)


@pytest.mark.parametrize("line", [DAVE, LADDER])
def test_raises_are_not_counted_as_moves(line: str) -> None:
    position = Position.from_text(line)
    before = position.perft(2)
    assert not set(position.legal_moves()) & set(position.raises())
    position.play("raise")
    position.play("accept")
    assert position.perft(2) == before


# --- what is refused, and why ------------------------------------------------------------------

OPEN = "classic h 7sAd8c/9cKcQc 9h9d 20/20 0 -"
ANSWER = "classic h 7s8c/9cKcAd 9h6d 20/20 1 0:Qd"


@pytest.mark.parametrize(
    ("line", "move", "why"),
    [
        ("classic h -/- - 31/20 0 -", "As", "the hand is over"),
        ("classic h -/- - 31/20 0 -", "claim", "the hand is over"),
        (OPEN, "Ks", "seat 0 does not hold Ks; it holds 7sAd8c"),
        (OPEN, "7s8c", "these cards may not be led together"),
        (OPEN, "(7s)", "a lead is never face down; write it without brackets"),
        (OPEN, "claim", "seat 0 has no right to claim now"),
        (OPEN, "pass", "there is nothing to pass"),
        (OPEN, "raise", "these rules know no raises"),
        (OPEN, "accept", "there is no raise to answer"),
        (OPEN, "fold", "there is no raise to answer"),
        (OPEN, "stop:Ad7s8c", "nobody may lead these cards out of turn now"),
        (ANSWER, "9c", "9c does not beat Qd; discard it face down: (9c)"),
        (ANSWER, "AdKc", "the lead has 1 card(s), the answer 2; play equally many cards"),
        (ANSWER, "(AdKc)", "the lead has 1 card(s), the answer 2"),
        (ANSWER, "Td", "seat 1 does not hold Td"),
        (ANSWER, "(8c)", "seat 1 does not hold 8c; it holds AdKc9c"),
        (ANSWER, "claim", "seat 1 has no right to claim now"),
        (ANSWER.replace("classic", "classic_shown"), "(9c)", "discards lie face up"),
        ("classic h 7sAd8c/ThKhQh 9h9d 20/20 0 - claim=0", "Ad", "seat 0 may only claim or pass"),
        ("classic[claim_window=end_of_deck] h 7sAd8c/9cKcQc 9h9d 20/20 0 -", "claim",
         "a claim may come only when the talon is out"),
        ("georgian3 h AsTdQh/KsJsAd AcJh 0/0 0 - stake=6 raiser=1", "raise",
         "the stake cannot be raised now"),
        ("georgian3 h AsTdQh/KsJsAd AcJh 0/0 0 - stake=3 raiser=0", "raise",
         "seat 0 raised last"),
        ("classic[rank_leads=yes] h 7s7d9c/8s8dTh 9h9d 0/0 0 -", "7s9c", "led together"),
        ("burkozel[lead_sizes=one_or_three] h 7s8s9c6c/8h8dThTd 9h9d 0/0 0 -", "7s8s",
         "led together"),
        ("classic[three_aces_trump=yes] h AsAdAc/8s8dTh 9h9d 0/0 0 -", "AsAdAc", "led together"),
    ],
)  # fmt: skip
def test_illegal_moves_say_why(line: str, move: str, why: str) -> None:
    position = Position.from_text(line)
    before = str(position)
    with pytest.raises(IllegalMoveError) as caught:
        position.play(move)
    assert why in str(caught.value)
    (fault,) = caught.value.faults
    assert (fault.field, fault.value) == ("move", str(parse_move(move)))
    assert fault.problem
    assert fault.remedy
    assert str(position) == before
    with pytest.raises(IndexError):
        position.undo()


def test_an_illegal_move_names_the_legal_ones() -> None:
    with pytest.raises(IllegalMoveError, match=r"legal: 7s, Ad, 8c, stop:KcQc9c$"):
        Position.from_text(OPEN).play("pass")


def test_a_pending_raise_has_to_be_answered_first() -> None:
    position = Position.from_text(LADDER)
    position.play("raise")
    for move in ("Ks", "claim", "pass"):
        with pytest.raises(IllegalMoveError, match="seat 1 has to answer a raise to 2 first"):
            position.play(move)


def test_badly_written_moves_and_lines() -> None:
    position = Position.from_text(OPEN)
    for text in ("", "7", "7x", "(7s", "hello", "7s7s"):
        with pytest.raises(InputError):
            position.play(text)
    with pytest.raises(InputError):
        Position.from_text("classic h")


def test_unknown_cards_are_named_by_their_places() -> None:
    with pytest.raises(HiddenCardsError) as caught:
        Position.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    assert [fault.field for fault in caught.value.faults] == ["hands[0]", "talon"]
    with pytest.raises(HiddenCardsError) as caught:
        Position.from_text("georgian3 h AsTd/KhQd - AdAcThTcKdKsx2/KcQsQcx1TsAhJhQh 0 -")
    assert [fault.field for fault in caught.value.faults] == ["piles[0]", "piles[1]"]


# --- perft's arguments -------------------------------------------------------------------------


def test_perft_refuses_depths_that_cannot_be() -> None:
    position = Position.from_text(OPEN)
    with pytest.raises(ValueError, match="depth -1"):
        position.perft(-1)
    with pytest.raises(ValueError, match="depth 0"):
        position.divide(0)
