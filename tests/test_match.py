"""Settling hands and keeping matches: every scoring of RULES §7, and what is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference as ref
from bura_core import InputError, Position, RuleSet, format_cards, parse_cards
from bura_core.match import (
    FOULS,
    HandOutcome,
    MatchState,
    break_even,
    dealt_combination,
    equity_table,
    match_equity,
    settle_hand,
    unclaimed,
)

GEORGIAN = RuleSet.parse("georgian3")
ROBBER = RuleSet.parse("classic_shown")
MOSKVA = RuleSet.parse("moskva")
BURKOZEL = RuleSet.parse("burkozel")
BALLS = RuleSet.parse("bura2")
PENALTY = RuleSet.parse("classic[scoring=penalty_12,match_to=12]")


@pytest.mark.parametrize(
    ("rules", "winner", "points", "tricks", "more", "pays"),
    [
        (GEORGIAN, 0, (34, 21), (4, 3), {"reason": "claim"}, (1, 0)),
        (GEORGIAN, 1, (34, 21), (4, 3), {"reason": "fold", "stake": 1}, (0, 1)),
        (GEORGIAN, 1, (30, 21), (4, 3), {"reason": "false_claim", "stake": 6}, (0, 6)),
        (GEORGIAN, 1, (0, 0), (0, 0), {"reason": "bura", "stake": 2}, (0, 2)),
        (GEORGIAN, None, (60, 60), (5, 5), {"reason": "draw", "stake": 4}, (0, 0)),
        (ROBBER, 0, (31, 0), (3, 0), {"reason": "claim"}, (1, 0)),
        (ROBBER, 0, (0, 0), (0, 0), {"reason": "bura"}, (1, 0)),
        (ROBBER, None, (70, 50), (9, 9), {"reason": "no_winner"}, (0, 0)),
        (MOSKVA, 1, (10, 0), (1, 0), {"reason": "bura"}, (0, 2)),
        (MOSKVA, 1, (10, 0), (1, 0), {"reason": "three_aces"}, (0, 1)),
        (MOSKVA, 1, (10, 40), (1, 4), {"reason": "claim"}, (0, 1)),
        (BURKOZEL, 0, (89, 31), (7, 2), {}, (2, 0)),
        (BURKOZEL, 0, (90, 30), (7, 2), {}, (4, 0)),
        (BURKOZEL, 0, (120, 0), (8, 1), {}, (4, 0)),
        (BURKOZEL, 0, (120, 0), (9, 0), {}, (6, 0)),
        (BURKOZEL, 1, (61, 59), (5, 4), {"reason": "bura"}, (0, 2)),
        (BURKOZEL, None, (60, 60), (5, 4), {"reason": "draw"}, (0, 0)),
        (PENALTY, 0, (31, 20), (3, 2), {"reason": "claim"}, (0, 2)),
        (PENALTY, 1, (31, 20), (3, 2), {"reason": "bura"}, (2, 0)),
        (PENALTY, None, (60, 60), (5, 5), {"reason": "no_winner"}, (0, 0)),
        (BALLS, 0, (120, 0), (9, 9), {}, (0, 6)),
        (BALLS, 0, (90, 30), (9, 9), {}, (0, 4)),
        (BALLS, 0, (89, 31), (9, 9), {}, (0, 2)),
        (BALLS, 0, (61, 59), (9, 9), {}, (0, 2)),
        (BALLS, None, (60, 60), (9, 9), {"reason": "no_winner"}, (0, 0)),
        (BALLS, None, (25, 0), (2, 0), {"reason": "void"}, (0, 0)),
    ],
)
def test_pays(
    rules: RuleSet,
    winner: int | None,
    points: tuple[int, int],
    tricks: tuple[int, int],
    more: dict[str, object],
    pays: tuple[int, int],
) -> None:
    assert settle_hand(rules, winner=winner, points=points, tricks=tricks, **more) == pays  # type: ignore[arg-type]
    # The seats are alike.
    other = None if winner is None else 1 - winner
    turned = settle_hand(rules, winner=other, points=points[::-1], tricks=tricks[::-1], **more)  # type: ignore[arg-type]
    assert turned == pays[::-1]


def test_a_dave_stake_multiplies_every_scoring() -> None:
    hand = {"winner": 0, "points": (90, 20), "tricks": (5, 4), "stake": 4, "reason": "claim"}
    for switches, pays in (
        ("scoring=robber,match_to=11", (4, 0)),
        ("scoring=points_match,match_to=7", (4, 0)),
        ("scoring=burkozel_12,match_to=12", (16, 0)),
        ("scoring=penalty_12,match_to=12", (0, 8)),
        ("scoring=balls_12,match_to=12", (0, 16)),
    ):
        rules = RuleSet.parse(f"dave[{switches}]")
        assert settle_hand(rules, **hand) == pays, switches  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "points", "winner", "reason"),
    [
        ("georgian3", (31, 89), 1, "points"),
        ("georgian3", (60, 60), None, "draw"),
        ("georgian5", (61, 59), 0, "points"),
        ("classic", (31, 89), None, "no_winner"),
        ("five", (61, 59), 0, "points"),
        ("five", (60, 60), None, "draw"),
        ("burkozel", (59, 61), 1, "points"),
        ("burkozel_kommersant", (59, 61), 1, "points"),
        ("five[target=50]", (50, 70), None, "draw"),
        ("five[target=80]", (50, 70), None, "draw"),
    ],
)
def test_unclaimed(rules: str, points: tuple[int, int], winner: int | None, reason: str) -> None:
    result = unclaimed(RuleSet.parse(rules), points)
    assert (result.winner, result.reason) == (winner, reason)


def test_unclaimed_counts_the_handicap() -> None:
    rules = RuleSet.parse("no_trump[unclaimed=most_points]")
    assert unclaimed(rules, (50, 70)).winner == 1
    assert unclaimed(rules, (50, 70), handicap=(30, 0)).winner == 0
    assert unclaimed(rules, (50, 70), handicap=(20, 0)).reason == "draw"


def test_hands_played_out_are_settled_as_their_positions_end() -> None:
    rng = random.Random(1)
    unclaimed_hands = 0
    for _ in range(300):
        name = rng.choice(ref.PRESET_NAMES)
        rules = RuleSet.parse(name)
        position = Position.from_text(
            ref.random_honest_position(rng, name, 2 if rng.random() < 0.2 else 0, rules.hand)
        )
        while position.result is None:
            moves = [m for m in position.legal_moves() if m.kind != "claim"]
            position.play(rng.choice(moves))
        if position.result.reason not in ("points", "draw", "no_winner"):
            continue
        unclaimed_hands += 1
        again = unclaimed(rules, position.points, handicap=position.handicap)
        assert again == position.result
    assert unclaimed_hands > 100


def test_everything_that_cannot_be_is_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        settle_hand(ROBBER, winner=2, points=(100, 21), tricks=(19, 0), stake=2, reason="luck")
    assert [fault.field for fault in caught.value.faults] == [
        "points",
        "tricks",
        "points[1]",
        "winner",
        "reason",
        "stake",
    ]
    for winner, reason in ((None, "points"), (0, "draw"), (1, "no_winner"), (None, "bura")):
        with pytest.raises(InputError, match="does not go together"):
            settle_hand(ROBBER, winner=winner, points=(0, 0), tricks=(0, 0), reason=reason)
    for points, tricks in (
        ((1,), (1, 1)),
        ((1, 2, 3), (1, 1)),
        ((-1, 0), (1, 1)),
        ((1, 121), (1, 1)),
    ):
        with pytest.raises(InputError, match="points"):
            settle_hand(ROBBER, winner=0, points=points, tricks=tricks)
    with pytest.raises(
        InputError, match=r"points '60/61': the piles of a hand played out make 121"
    ):
        unclaimed(ROBBER, (60, 61))
    with pytest.raises(InputError, match="handicap"):
        unclaimed(ROBBER, (60, 60), handicap=(0, 0, 0))


# --- more than two players ---------------------------------------------------------------------

PAIRS = RuleSet.parse("georgian5[players=4,pairs=yes]")
THREE = "classic_shown[players=3]"


def pays(rules: str | RuleSet, winner: int | None = None, reason: str = "", **more: Any) -> Any:
    """What a hand pays, the parts that do not matter left out."""
    rule_set = RuleSet.parse(rules) if isinstance(rules, str) else rules
    hand = {"points": (), "tricks": (), **more}
    return settle_hand(
        rule_set,
        winner=winner,
        reason=reason or ("claim" if winner is not None else "draw"),
        **hand,
    )


def test_three_single_players() -> None:
    assert pays(THREE, 2) == (0, 0, 1)
    # Everybody else wins what the offender loses.
    assert pays(THREE, reason="false_claim", false_claim_by=1) == (1, 0, 1)
    assert pays(THREE, reason="foul", fouls=[(0, "double_draw")]) == (0, 1, 1)
    penalty = "classic_shown[players=3,scoring=penalty_12,match_to=12]"
    assert pays(penalty, 2) == (2, 2, 0)
    assert pays(penalty, reason="false_claim", false_claim_by=1) == (0, 2, 0)
    balls = "bura2[players=3]"
    assert pays(balls, 0, points=(60, 31, 29), tricks=(4, 4, 4)) == (0, 2, 4)
    assert pays(balls, 0, points=(120, 0, 0), tricks=(8, 1, 0)) == (0, 6, 6)
    # Burkozel: the best of the others counts.
    burkozel = "burkozel[players=3]"
    assert pays(burkozel, 0, points=(61, 31, 28), tricks=(3, 2, 2)) == (2, 0, 0)
    assert pays(burkozel, 0, points=(62, 30, 28), tricks=(3, 2, 2)) == (4, 0, 0)
    assert pays(burkozel, 0, points=(120, 0, 0), tricks=(8, 1, 0)) == (4, 0, 0)
    assert pays(burkozel, 0, points=(120, 0, 0), tricks=(9, 0, 0)) == (6, 0, 0)


def test_six_for_no_points_is_a_choice() -> None:
    hand = {"points": (120, 0), "tricks": (8, 1)}
    assert pays(BURKOZEL, 0, **hand) == (4, 0)
    assert pays("burkozel[six_for=no_points]", 0, **hand) == (6, 0)


def test_partners_are_paid_alike_and_count_together() -> None:
    assert pays(PAIRS, 3, stake=4) == (0, 4, 0, 4)
    balls = "bura2[players=4,pairs=yes]"
    # 25 + 35 = 60 and 30 + 30 = 60: common points, nobody pays.
    assert pays(balls, None, "no_winner", points=(25, 30, 35, 30), tricks=(2, 2, 2, 2)) == (0,) * 4
    assert pays(balls, 0, points=(0, 30, 61, 29), tricks=(0, 2, 4, 2)) == (0, 2, 0, 2)
    assert pays(balls, 0, points=(120, 0, 0, 0), tricks=(9, 0, 0, 0)) == (0, 6, 0, 6)
    burkozel = "burkozel[players=4,pairs=yes]"
    assert pays(burkozel, 0, points=(90, 0, 0, 30), tricks=(7, 0, 0, 1)) == (4, 0, 4, 0)
    assert pays(burkozel, 0, points=(90, 1, 0, 29), tricks=(7, 1, 0, 1)) == (4, 0, 4, 0)
    assert pays(burkozel, 0, points=(89, 2, 0, 29), tricks=(7, 1, 0, 1)) == (2, 0, 2, 0)


@pytest.mark.parametrize(
    ("rules", "points", "winner", "reason"),
    [
        ("georgian5[players=3]", (50, 40, 30), 0, "points"),
        ("georgian5[players=3]", (50, 50, 20), None, "draw"),
        ("georgian5[players=3]", (50, 40, 20), 0, "points"),  # a rest was set aside
        ("classic[players=3]", (120, 0, 0), None, "no_winner"),
        ("five[players=3]", (61, 59, 0), 0, "points"),
        ("five[players=3]", (60, 60, 0), None, "draw"),
        ("georgian5[players=4,pairs=yes]", (30, 60, 29, 1), 1, "points"),
        ("georgian5[players=4,pairs=yes]", (30, 60, 30, 0), None, "draw"),
    ],
)
def test_unclaimed_by_many(
    rules: str, points: tuple[int, ...], winner: int | None, reason: str
) -> None:
    result = unclaimed(RuleSet.parse(rules), points)
    assert (result.winner, result.reason) == (winner, reason)


def test_who_leaves_at_the_target_has_not_lost() -> None:
    hand: dict[str, Any] = {"winner": 1, "reason": "claim", "left": (1, 2)}
    match = MatchState.start(RuleSet.parse("bura1[players=4]"))
    assert match.after(HandOutcome(**hand)).score == (0, 1, 0, 0)
    penalty = RuleSet.parse("bura1[players=4,scoring=penalty_12,match_to=12]")
    assert MatchState.start(penalty).after(HandOutcome(**hand)).score == (2, 0, 0, 2)
    with pytest.raises(InputError) as caught:
        match.after(HandOutcome(2, "claim", left=(1, 1, 7)))
    assert [fault.field for fault in caught.value.faults] == ["left[2]", "left", "winner"]
    with pytest.raises(InputError, match="nobody leaves"):
        MatchState.start(ROBBER).after(HandOutcome(0, "claim", left=(0,)))


# --- a first deal that is void -----------------------------------------------------------------


def masks(*hands: str) -> tuple[int, ...]:
    return tuple(sum(1 << card for card in parse_cards(hand)) for hand in hands)


@pytest.mark.parametrize(
    ("rules", "trump", "hands", "combination"),
    [
        ("classic", 0, ("6s7s8s", "6h7d8c"), "bura"),
        ("classic", 0, ("6h7d8c", "6d9dKd"), "molodka"),
        ("classic", 0, ("6d9dKd", "AsAhAd"), "three_aces"),
        ("classic", 0, ("6h7d8c", "6s7s8h"), None),
        ("classic", 0, ("6h6d6s", "7s7h7d"), None),  # no little Moskva there
        ("classic[redeal_on_dealt_combo=no]", 0, ("6s7s8s", "AsAhAd"), None),
        ("classic[molodka=none]", 0, ("6h7d8c", "6d9dKd"), None),
        ("classic[bura=none]", 0, ("6s7s8s", "6h7d8c"), None),
        ("moskva", 0, ("6h6d6s", "7s7h7d"), "little_moskva"),
        ("moskva", 0, ("6h6d6c", "7s7h7d"), None),
        ("moskva[little_moskva=tens]", 0, ("ThTdTc", "7s7h7d"), "little_moskva"),
        ("moskva", 0, ("6s7s8s", "AhAdAc"), "three_aces"),
        ("classic[three_aces_trump=yes]", 0, ("AhAdAc", "6h7d8c"), None),
        ("classic[three_aces_trump=yes]", 0, ("AhAdAs", "6h7d8c"), "three_aces"),
        ("burkozel[redeal_on_dealt_combo=yes]", 0, ("AhAdAc9d", "6h7d8c9c"), "three_aces"),
        ("burkozel[redeal_on_dealt_combo=yes]", 0, ("AhAdAcAs", "6h7h8h9h"), "four_aces"),
        ("no_trump[redeal_on_dealt_combo=yes]", None, ("6s7s8s", "6h7d8c"), "molodka"),
        ("classic[players=3]", 0, ("6h7d8c", "6s7s8h", "TdJdQd"), "molodka"),
    ],
)
def test_first_deals_with_a_combination(
    rules: str, trump: int | None, hands: tuple[str, ...], combination: str | None
) -> None:
    assert dealt_combination(RuleSet.parse(rules), trump, masks(*hands)) == combination


def test_what_is_no_first_deal() -> None:
    with pytest.raises(InputError) as caught:
        dealt_combination(RuleSet.parse("classic"), None, masks("6s7s", "6h7h8h9h", "AsAhAd"))
    assert [fault.field for fault in caught.value.faults] == [
        "hands[0]",
        "hands[1]",
        "hands",
        "trump",
    ]


# --- matches -----------------------------------------------------------------------------------


def play(match: MatchState, *hands: HandOutcome) -> MatchState:
    for hand in hands:
        match = match.after(hand)
    return match


def won(seat: int, stake: int = 1, reason: str = "claim") -> HandOutcome:
    return HandOutcome(seat, reason, stake)


DRAW = HandOutcome(None, "draw", points=(60, 60), tricks=(5, 5))
VOID = HandOutcome(None, "void")


def test_a_match_of_points() -> None:
    match = MatchState.start(GEORGIAN)
    assert (match.score, match.dealer, match.leader, match.hand_number) == ((0, 0), 0, 1, 1)
    assert match.raises_allowed
    match = play(match, won(0, 6))
    assert (match.score, match.dealer, match.hand_number) == ((6, 0), 1, 2)
    assert match.score_of(1) == (0, 6, 7)
    # The first hand in which a side is one point short is played without raises, the next with.
    assert match.is_no_raise_hand
    assert not match.raises_allowed
    for hand in (won(1, 2), won(1, reason="fold")):
        with pytest.raises(InputError, match="one point short is played without raises"):
            match.after(hand)
    match = play(match, won(1))
    assert match.score == (6, 1)
    assert match.raises_allowed
    match = play(match, won(1, 5))
    assert match.score == (6, 6)
    assert match.raises_allowed  # the first such hand only
    match = play(match, won(1, 6))
    assert (match.score, match.finished, match.winner, match.losers) == ((6, 12), True, 1, (0,))
    assert not match.raises_allowed
    with pytest.raises(InputError, match="the match is over"):
        match.after(won(0))


@pytest.mark.parametrize("to", [1, 3, 7, 11])
def test_matches_to_1_3_7_and_11(to: int) -> None:
    match = MatchState.start(RuleSet.parse(f"georgian5[match_to={to}]"), dealer=1)
    assert match.raises_allowed == (to > 1)
    for hand in range(to):
        assert not match.finished
        assert match.raises_allowed == (hand != to - 1)
        match = match.after(won(1))
    assert match.finished
    assert match.winner == 1
    assert match.hand_number == to + 1


def test_a_drawn_hand_without_raises_counts_as_played_a_void_one_does_not() -> None:
    match = play(MatchState.start(GEORGIAN), won(0, 6))
    assert match.after(VOID) == match
    assert match.after(DRAW).raises_allowed
    assert match.after(DRAW).score == (6, 0)


def test_a_robber_needs_a_lead_of_two() -> None:
    small = RuleSet.parse("classic_shown[match_to=11]")
    match = play(MatchState.start(small), *[won(0)] * 10, *[won(1)] * 10)
    for seat, score in ((0, (11, 10)), (1, (11, 11)), (1, (11, 12)), (0, (12, 12)), (0, (13, 12))):
        match = match.after(won(seat))
        assert (match.score, match.finished) == (score, False)
    match = match.after(won(0))
    assert (match.score, match.winner) == ((14, 12), 0)
    match = play(MatchState.start(ROBBER), *[won(1)] * 20)
    assert not match.finished
    assert match.after(won(1)).winner == 1
    # A bura counts two hands by switch: from 10:10 it is 12:10 at once.
    match = play(MatchState.start(MOSKVA), *[won(0), won(1)] * 10, won(0, reason="bura"))
    assert (match.score, match.winner) == ((12, 10), 0)
    match = play(MatchState.start(MOSKVA), *[won(0)] * 9, won(0, reason="bura"))
    assert (match.score, match.winner) == ((11, 0), 0)


def test_twelve_penalties_lose() -> None:
    match = play(MatchState.start(PENALTY), *[won(0)] * 5, *[won(1)] * 5)
    assert (match.score, match.finished) == ((10, 10), False)
    match = match.after(won(0))
    assert (match.score, match.winner, match.losers) == ((10, 12), 0, (1,))
    three = RuleSet.parse("classic_shown[players=3,scoring=penalty_12,match_to=12]")
    match = play(MatchState.start(three), *[won(0), won(1)] * 3)
    assert (match.score, match.winner, match.losers) == ((6, 6, 12), None, (2,))


def test_twelve_balls_lose() -> None:
    def hand(mine: int, his: int) -> HandOutcome:
        return HandOutcome(0, "claim", points=(mine, his), tricks=(1, 1))

    match = play(MatchState.start(BALLS), hand(31, 0), hand(31, 30))
    assert (match.score, match.finished) == ((4, 10), False)
    match = match.after(hand(60, 60))
    assert (match.score, match.finished) == ((4, 10), False)
    assert match.after(hand(89, 31)).losers == (1,)
    # Both at once: who has more has lost; equal, both have.
    late = replace(match, score=(10, 10))
    assert late.after(hand(31, 30)).winner == 0
    assert late.after(hand(31, 30)).losers == (1,)
    both = late.after(hand(35, 31))
    assert (both.finished, both.winner, both.losers) == (True, None, (0, 1))


def test_burkozel_to_12() -> None:
    few = HandOutcome(1, "points", points=(30, 90), tricks=(2, 7))
    match = play(MatchState.start(BURKOZEL), few, few)
    assert (match.score, match.finished) == ((0, 8), False)
    assert match.after(few).winner == 1
    none = HandOutcome(1, "points", points=(0, 120), tricks=(1, 8))
    by_points = MatchState.start(BURKOZEL.replace(six_for="no_points"))
    assert by_points.after(none).score == (0, 6)
    assert MatchState.start(BURKOZEL).after(none).score == (0, 4)


def test_pairs_in_a_match() -> None:
    match = play(MatchState.start(PAIRS), won(2, 3), won(3))
    assert (match.score, match.dealer, match.leader) == ((3, 1), 2, 3)
    assert match.score_of(3) == (1, 3, 7)
    assert match.after(won(0, 4)).winner == 0
    assert match.after(won(0, 4)).losers == (1,)


def test_who_deals_next() -> None:
    rotates, winner = ROBBER.replace(next_deal="rotate"), ROBBER.replace(next_deal="winner")
    assert [play(MatchState.start(rotates), won(seat)).dealer for seat in (0, 1)] == [1, 1]
    assert [play(MatchState.start(winner), won(seat)).dealer for seat in (0, 1)] == [0, 1]
    assert play(MatchState.start(GEORGIAN.replace(next_deal="rotate")), DRAW).dealer == 1
    assert play(MatchState.start(GEORGIAN.replace(next_deal="winner")), DRAW).dealer == 0
    # S4: if nobody won the same player deals again.
    for rules in (rotates, winner):
        assert play(MatchState.start(rules, dealer=1), HandOutcome(None, "no_winner")).dealer == 1
        assert play(MatchState.start(rules, dealer=1), VOID).dealer == 1
    three = RuleSet.parse("classic_shown[players=3,next_deal=winner]")
    false = HandOutcome(None, "false_claim", false_claim_by=1)
    assert play(MatchState.start(three), false).dealer == 1


# --- the pot -----------------------------------------------------------------------------------

CLASSIC = RuleSet.parse("classic[next_deal=winner]")
FALSE = HandOutcome(None, "false_claim", false_claim_by=1)


def test_the_pot() -> None:
    match = MatchState.start(CLASSIC, ante=500)
    assert (match.pot, match.money) == (1000, (-500, -500))
    # Nobody: all ante again, the same player deals.
    match = match.after(HandOutcome(None, "no_winner"))
    assert (match.pot, match.money, match.dealer) == (2000, (-1000, -1000), 0)
    # A false claim matches the pot, and deals; nobody antes for the next hand.
    match = match.after(HandOutcome(0, "false_claim"))
    assert (match.pot, match.money, match.dealer) == (4000, (-1000, -3000), 1)
    # The winner takes it, and all ante for the next.
    match = match.after(won(0))
    assert (match.pot, match.money, match.dealer) == (1000, (2500, -3500), 0)
    assert match.after(VOID) == match
    end = match.stop()
    assert (end.pot, end.money, end.winner, end.losers) == (0, (3000, -3000), 0, (1,))
    assert end.finished
    for over in (end, MatchState.start(GEORGIAN)):
        with pytest.raises(InputError, match="only a running game for the pot"):
            over.stop()


def test_the_illustrated_hand_of_three() -> None:
    """S0a: three ante 5 chips; 25 points are claimed, and the claimant adds 15."""
    match = MatchState.start(RuleSet.parse("classic[players=3,claim_window=before_draw]"), ante=5)
    assert match.pot == 15
    match = match.after(FALSE)
    assert (match.pot, match.money, match.dealer) == (30, (-5, -20, -5), 1)
    assert match.after(won(2)).money == (-10, -25, 20)


def test_raises_double_the_pot() -> None:
    dave = RuleSet.parse("dave")
    match = MatchState.start(dave, ante=3)
    assert match.after(won(1, 4)).money == (-12 - 3, 12 - 3)
    # A false claim matches what has become of the pot.
    match = match.after(HandOutcome(0, "false_claim", 2))
    assert (match.pot, match.money) == (24, (-6, -18))


def test_fouls() -> None:
    lost = MatchState.start(CLASSIC)
    assert lost.after(HandOutcome(0, "foul", fouls=((1, "double_draw"),))).money == (0, -200)
    match = MatchState.start(CLASSIC.replace(foul="match_pot"))
    ended = match.after(HandOutcome(None, "foul", fouls=((1, "looked"),)))
    assert (ended.pot, ended.money, ended.dealer) == (400, (-100, -300), 1)
    # He pays and stays in the game: the hand goes on, and he may win it.
    stayed = match.after(HandOutcome(1, "claim", fouls=((1, "out_of_turn_draw"),)))
    assert stayed.money == (-200, 0)
    three = MatchState.start(RuleSet.parse("classic[players=3]"))
    assert three.after(HandOutcome(0, "claim", fouls=((1, "double_draw"),))).money == (
        100,
        -200,
        -200,
    )
    points = MatchState.start(GEORGIAN)
    assert points.after(HandOutcome(0, "foul", 3, fouls=((1, "double_draw"),))).score == (3, 0)


def test_challenges_of_a_closed_trick() -> None:
    """S0c: who says that the closed trick holds a bura wins if it does, and loses if not."""
    assert pays(GEORGIAN, 1, "challenge", stake=2) == (0, 2)
    assert pays(GEORGIAN, 0, "false_challenge") == (1, 0)
    assert pays(THREE, None, "false_challenge", false_claim_by=2) == (1, 1, 0)
    # For the pot the hand is lost, the pot not matched.
    match = MatchState.start(CLASSIC).after(HandOutcome(0, "false_challenge"))
    assert (match.money, match.pot) == ((0, -200), 200)


def test_a_foul_of_three_that_ends_the_hand_leaves_the_pot() -> None:
    match = MatchState.start(RuleSet.parse("classic[players=3]"))
    match = match.after(HandOutcome(None, "foul", fouls=((1, "looked"),)))
    assert (match.pot, match.money) == (600, (-200,) * 3)


def test_a_hand_for_the_pot() -> None:
    assert pays(CLASSIC, 0, pot=400) == (400, 0)
    assert pays(CLASSIC, 0, "false_claim", pot=400) == (0, -400)
    assert pays(CLASSIC, None, "no_winner", pot=400) == (0, 0)
    assert pays("dave", 0, stake=2, pot=400) == (600, -200)
    assert pays("classic[players=4,pairs=yes]", 1, pot=400) == (0, 200, 0, 200)
    for pot in (None, -2, 3, 2.0):
        with pytest.raises(InputError, match="pot"):
            pays(CLASSIC, 0, pot=pot)
    with pytest.raises(InputError, match="knows no pot"):
        pays(GEORGIAN, 0, pot=100)


@st.composite
def pot_games(draw: st.DrawFn) -> tuple[RuleSet, int, list[HandOutcome]]:
    """A game for the pot with any number of players, and hands of every kind."""
    players = draw(st.integers(2, 6))
    pairs = players == 4 and draw(st.booleans())
    raises = draw(st.sampled_from(("none", "dave", "ladder")))
    rules = RuleSet.parse("classic").replace(
        players=players,
        pairs=pairs,
        raises=raises,
        foul=draw(st.sampled_from(("lose", "match_pot"))),
        next_deal=draw(st.sampled_from(("rotate", "winner"))),
    )
    ante = draw(st.integers(1, 10_000))
    number = 2 if pairs else players
    seat = st.integers(0, players - 1)
    stakes = {"none": [1], "dave": [1, 2, 8], "ladder": [1, 3, 6]}[raises]
    hands = []
    for _ in range(draw(st.integers(0, 12))):
        reason = draw(st.sampled_from(("claim", "bura", "draw", "no_winner", "void", "false_claim",
                                       "foul")))  # fmt: skip
        stake = draw(st.sampled_from(stakes))
        one = draw(seat)
        other = (one + 1) % players
        if reason == "false_claim":
            winner = other if number == 2 else None
            hands.append(HandOutcome(winner, reason, stake, false_claim_by=one))
        elif reason == "foul":
            fouls = ((one, draw(st.sampled_from(FOULS))),)
            winner = None if rules.foul == "match_pot" else other
            hands.append(HandOutcome(winner, reason, stake, fouls=fouls))
        else:
            winner = one if reason in ("claim", "bura") else None
            hands.append(HandOutcome(winner, reason, stake))
    return rules, ante, hands


@given(pot_games())
def test_money_adds_up_to_the_cent(game: tuple[RuleSet, int, list[HandOutcome]]) -> None:
    rules, ante, hands = game
    match = MatchState.start(rules, ante=ante)
    for hand in hands:
        before, match = match, match.after(hand)
        assert sum(match.money) + match.pot == 0
        assert match.pot >= rules.players * ante
        assert all(type(cents) is int for cents in match.money)
        if hand.winner is not None and hand.reason in ("claim", "bura"):
            assert match.pot == rules.players * ante
            gain = match.money[hand.winner] - before.money[hand.winner] + ante
            assert gain > 0
        assert 0 <= match.dealer < rules.players
    end = match.stop()
    assert sum(end.money) == 0
    assert end.pot == 0


@given(st.data())
def test_matches_end_and_scores_never_fall(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["georgian3", "classic_shown", "moskva", "burkozel", "bura2",
                                      "classic[scoring=penalty_12,match_to=12]"]))  # fmt: skip
    players = data.draw(st.integers(2, 4))
    rules = RuleSet.parse(name).replace(players=players)
    match = MatchState.start(rules)
    for _ in range(400):
        winner = data.draw(st.integers(0, players - 1)) if match.hand_number < 40 else 0
        rest = [0] * players
        rest[winner] = 80
        rest[(winner + 1) % players] = 40
        tricks = tuple(int(points > 0) for points in rest)
        after = match.after(HandOutcome(winner, "claim", points=tuple(rest), tricks=tricks))
        assert all(new >= old for new, old in zip(after.score, match.score, strict=True))
        match = after
        if match.finished:
            break
    assert match.finished
    assert match.winner not in match.losers


# --- what a match cannot be --------------------------------------------------------------------


def fields_at_fault(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [fault.field for fault in error.value.faults]


def test_everything_wrong_with_an_outcome_at_once() -> None:
    match = MatchState.start(CLASSIC)
    with pytest.raises(InputError) as caught:
        match.after(
            HandOutcome(
                5,
                "luck",
                stake=0,
                points=(1, 2, 3),
                false_claim_by=9,
                fouls=((7, "sneezed"),),
                left=(0,),
            )
        )
    assert fields_at_fault(caught) == [
        "points", "winner", "reason", "stake", "false_claim_by", "fouls[0]", "fouls[0]", "reason",
        "left", "winner",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "hand", "message"),
    [
        ("georgian3", HandOutcome(0, "claim", 7), "not a stake of these rules"),
        ("dave", HandOutcome(0, "claim", 3), "not a stake of these rules"),
        ("classic", HandOutcome(0, "claim", 2), "these rules know no raises"),
        ("classic", HandOutcome(0, "fold"), "these rules know no raises"),
        ("classic", HandOutcome(0, "false_claim", false_claim_by=0), "loses the hand"),
        ("classic", HandOutcome(0, "claim", false_claim_by=1), "the hand ended by claim"),
        ("classic", HandOutcome(0, "foul"), "name who committed it"),
        ("classic", HandOutcome(0, "claim", fouls=((1, "double_draw"),)), "a foul ends the hand"),
        ("georgian3", HandOutcome(0, "foul", fouls=((0, "double_draw"),)), "loses the hand"),
        (
            "classic",
            HandOutcome(None, "foul", fouls=((0, "double_draw"),)),
            "does not go together",
        ),
        ("classic[players=3]", HandOutcome(None, "false_claim"), "name the claimant"),
        ("classic", HandOutcome(None, "claim"), "does not go together"),
        ("classic", HandOutcome(1, "draw"), "does not go together"),
        ("burkozel", HandOutcome(1, "points"), "not one number for each"),
        ("bura2", HandOutcome(1, "claim"), "not one number for each"),
    ],
)
def test_outcomes_that_cannot_be(rules: str, hand: HandOutcome, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MatchState.start(RuleSet.parse(rules)).after(hand)


def test_fouls_match_pots_only() -> None:
    with pytest.raises(InputError, match="foul 'match_pot': there is no pot to match"):
        GEORGIAN.replace(foul="match_pot")


def test_states_that_cannot_be() -> None:
    with pytest.raises(InputError) as caught:
        MatchState(GEORGIAN, score=(1,), dealer=2, hand_number=0, pot=2, money=(1, 1))
    assert fields_at_fault(caught) == ["score", "dealer", "hand_number", "pot", "money"]
    with pytest.raises(InputError, match="what is won and paid and the pot make 0"):
        MatchState(CLASSIC, score=(0, 0), pot=200, money=(-100, 0))
    with pytest.raises(InputError, match="whole cents, 1 to"):
        MatchState.start(CLASSIC, ante=0)


def test_an_outcome_of_a_played_hand() -> None:
    position = Position.from_text("georgian3 h QhAcKd/KsThTc - 13/21 1 - claim=1")
    with pytest.raises(InputError, match="the hand is not over"):
        HandOutcome.of(position)
    position.play("claim")
    outcome = HandOutcome.of(position, (1, 1))
    assert outcome == HandOutcome(0, "false_claim", 1, (13, 21), (1, 1), false_claim_by=1)
    assert MatchState.start(GEORGIAN).after(outcome).score == (1, 0)


@pytest.mark.parametrize(
    "rules",
    ["georgian5_pairs", "casino[players=4]", "classic_shown[players=3]", "bura1[players=3]",
     "bura1[players=5,scoring=penalty_12,match_to=12]", "bura2[players=4,pairs=yes]",
     "burkozel[players=3]", "moskva[players=6]", "dave[players=4,pairs=yes]", "georgian3",
     "classic[closed_challenge=yes]", "classic[foul=match_pot]"],
)  # fmt: skip
def test_hands_of_the_engine_settle(rules: str) -> None:
    """Whatever the engine ends a hand with, a match takes, with any number of players."""
    rng = random.Random(rules)
    rule_set = RuleSet.parse(rules)
    match = MatchState.start(rule_set)
    ends = set()
    for _ in range(60):
        lowest = 9 - rule_set.deck // 4
        deck = [suit * 9 + rank for suit in range(4) for rank in range(lowest, 9)]
        rng.shuffle(deck)
        hands = [
            format_cards([deck.pop() for _ in range(rule_set.hand)])
            for _ in range(rule_set.players)
        ]
        piles = "/".join("-" * rule_set.players)
        trump = "shdc"[deck[-1] // 9]
        position = Position.from_text(
            f"{rules} {trump} {'/'.join(hands)} {format_cards(deck)} {piles} {match.leader} -"
        )
        tricks = [0] * rule_set.players
        while position.result is None:
            moves = position.legal_moves() + [call for _, call in position.calls()]
            plain = [m for m in moves if m.kind not in ("claim", "challenge")]
            if position.raises() and (not moves or rng.random() < 0.1) and match.raises_allowed:
                moves = plain = position.raises()
            before = [len(pile.items) for pile in position.text().piles]
            if moves and rng.random() < 0.01:
                position.report_foul(rng.randrange(rule_set.players))
            else:
                position.play(rng.choice(moves if rng.random() < 0.2 else plain or moves))
            after = [len(pile.items) for pile in position.text().piles]
            for seat in range(rule_set.players):
                tricks[seat] += after[seat] > before[seat]
        outcome = HandOutcome.of(position, tricks)
        ends.add(outcome.reason)
        if match.finished:
            match = MatchState.start(rule_set, dealer=match.dealer)
        match = match.after(outcome)
        assert sum(match.money) + match.pot == 0
    assert len(ends) > 2, ends


# --- match equity ------------------------------------------------------------------------------

LADDER = {stake: Fraction(1, 6) for stake in range(1, 7)}


def test_equity_of_short_matches_by_hand() -> None:
    one = RuleSet.parse("georgian3[match_to=1]")
    assert match_equity(one, 0, 0) == Fraction(1, 2)
    assert match_equity(one, 0, 0, win=Fraction(2, 3)) == Fraction(2, 3)
    three = RuleSet.parse("georgian3[match_to=3]")
    # At 2:0 the other needs three in a row; with stakes of 3 one hand after that without raises.
    assert match_equity(three, 2, 0) == Fraction(7, 8)
    threes = {3: Fraction(1)}
    assert match_equity(three, 2, 0, stakes=threes) == Fraction(3, 4)
    assert match_equity(three, 2, 0, stakes=threes, no_raise_hand_played=True) == Fraction(1, 2)
    # A draw in that hand has used it up: (1 - d)/2 + (1 - d)/2 * 1/2 + d * 1/2.
    d = Fraction(1, 5)
    drawn = match_equity(three, 2, 0, stakes=threes, win=Fraction(2, 5), draw=d)
    assert drawn == Fraction(2, 5) + Fraction(2, 5) / 2 + d / 2
    assert match_equity(three, 3, 0) == 1
    assert match_equity(three, 2, 5) == 0


@pytest.mark.parametrize("to", [1, 3, 7, 11])
@pytest.mark.parametrize(
    "stakes", [{1: Fraction(1)}, LADDER, {1: Fraction(1, 2), 2: Fraction(1, 2)}]
)
@pytest.mark.parametrize("played", [False, True])
def test_equity_is_monotone_and_even(to: int, stakes: dict[int, Fraction], played: bool) -> None:
    rules = RuleSet.parse(f"georgian5[match_to={to}]")
    for win, draw in ((Fraction(1, 2), Fraction(0)), (Fraction(2, 5), Fraction(1, 5)),
                      (Fraction(1, 3), Fraction(0))):  # fmt: skip
        table = equity_table(rules, win=win, draw=draw, stakes=stakes, no_raise_hand_played=played)
        assert len(table) == to
        for own in range(to):
            for other in range(to):
                here = table[own][other]
                assert 0 < here < 1
                if own + 1 < to:
                    assert table[own + 1][other] > here
                    assert table[other][own + 1] < table[other][own]
                if win != Fraction(1, 3):
                    assert here + table[other][own] == 1


def test_equity_is_what_matches_do() -> None:
    """Every way a short match can go, by `MatchState` itself."""
    rules = RuleSet.parse("georgian3[match_to=4]")
    stakes = {1: Fraction(1, 2), 3: Fraction(1, 2)}

    def chance(match: MatchState) -> Fraction:
        if match.finished:
            return Fraction(match.winner == 0)
        sizes = stakes if match.raises_allowed else {1: Fraction(1)}
        return sum(
            (
                share
                / 2
                * (chance(match.after(won(0, stake))) + chance(match.after(won(1, stake))))
                for stake, share in sizes.items()
            ),
            Fraction(0),
        )

    start = MatchState.start(rules)
    for own, other in ((0, 0), (1, 0), (2, 1), (3, 0), (3, 3), (0, 3)):
        for played in (False, True):
            state = replace(start, score=(own, other), no_raise_hand_played=played)
            equity = match_equity(rules, own, other, stakes=stakes, no_raise_hand_played=played)
            assert chance(state) == equity


def test_break_even_of_the_ladder() -> None:
    """25, 16.7, 12.5, 10 and 8.3 %: a ladder that grows by one is easier to take as it climbs."""
    dave = RuleSet.parse("dave")
    steps = [break_even(dave, 0, 0, stake, stake + 1) for stake in range(1, 6)]
    assert steps == [
        Fraction(1, 4),
        Fraction(1, 6),
        Fraction(1, 8),
        Fraction(1, 10),
        Fraction(1, 12),
    ]
    # In a long match at an even score it is nearly that; close to the end it is not.
    long = RuleSet.parse("georgian3[match_to=99]")
    assert abs(break_even(long, 0, 0, 1, 2) - Fraction(1, 4)) < Fraction(1, 100)
    # At 0:0 to 3 a fold at 1 leaves 0:1, a stake of 2 leaves 0:2 or 2:0.
    three = RuleSet.parse("georgian3[match_to=3]")
    fold, lost, won_ = (match_equity(three, *score) for score in ((0, 1), (0, 2), (2, 0)))
    assert break_even(three, 0, 0, 1, 2) == (fold - lost) / (won_ - lost) == Fraction(1, 4)
    # Who loses the match by folding takes anything.
    assert break_even(GEORGIAN, 0, 6, 1, 2, no_raise_hand_played=True) == 0


def test_what_has_no_equity() -> None:
    with pytest.raises(InputError) as caught:
        match_equity(
            RuleSet.parse("classic[players=3]"), -1, 0, win=Fraction(3, 2), stakes={0: Fraction(1)}
        )
    assert fields_at_fault(caught) == ["rules", "rules", "win", "own"]
    with pytest.raises(InputError) as caught:
        match_equity(GEORGIAN, 7, 7, win=Fraction(1, 2))
    assert fields_at_fault(caught) == ["own"]
    with pytest.raises(InputError) as caught:
        equity_table(GEORGIAN, win=Fraction(2, 3), draw=Fraction(1, 2), stakes={0: Fraction(1)})
    assert fields_at_fault(caught) == ["draw", "stakes"]
    for stake, offered in ((0, 1), (2, 2), (2, 1)):
        with pytest.raises(InputError):
            break_even(GEORGIAN, 0, 0, stake, offered)
