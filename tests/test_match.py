"""Settling one hand: every scoring of RULES §7, and what is refused."""

from __future__ import annotations

import random

import pytest

import reference as ref
from bura_core import InputError, Position, RuleSet, UnsupportedError
from bura_core.match import settle_hand, unclaimed

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
        (BALLS, None, (25, 0), (2, 0), {"reason": "void"}, (4, 6)),
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


def test_what_is_not_settled_here() -> None:
    with pytest.raises(UnsupportedError, match="pot"):
        settle_hand(RuleSet.parse("classic"), winner=0, points=(31, 0), tricks=(2, 0))
    three = RuleSet.parse("classic_shown[players=3]")
    with pytest.raises(UnsupportedError, match="3 players"):
        settle_hand(three, winner=0, points=(31, 0), tricks=(2, 0))
    with pytest.raises(UnsupportedError, match="3 players"):
        unclaimed(three, (31, 89))
