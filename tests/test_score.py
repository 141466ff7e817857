"""The score: what a hand counts in the match, won less lost, with best play of both sides.

The oracle is a plain minimax over `reference_seats`, with the payments of the scorings written
down here a second time, from the rules.
"""

from __future__ import annotations

import random
from functools import lru_cache

import pytest

import reference_seats as ref
from bura_core import InputError, Position, Solution, Solver, UnsupportedError, solve_many
from bura_core.match import HandOutcome, hand_score, score_table, settle_hand
from bura_core.rule_sets import PRESETS, RuleSet
from scale import scaled
from test_seats_solver import late, size_for


def paid(hand: ref.Hand, stake: int) -> int:
    """What a finished hand counts for the side of seat 0 (RULES 7)."""
    assert hand.over is not None
    winner, reason, _, _ = hand.over
    rules = hand.rules
    players = range(rules.players)
    points = [sum(hand.points(seat) for seat in players if seat % 2 == side) for side in (0, 1)]
    tricks = [any(hand.piles[seat] for seat in players if seat % 2 == side) for side in (0, 1)]
    if reason == "void":
        return 0
    if rules["scoring"] == "balls_12":
        balls = [6 if p == 0 else 4 if p < 31 else 2 if p < 60 else 0 for p in points]
        return stake * (balls[1] - balls[0])
    if winner is None:
        return 0
    loser = 1 - winner % 2
    each = 1
    if rules["scoring"] == "burkozel_12":
        nothing = points if rules["six_for"] == "no_points" else tricks
        each = 6 if not nothing[loser] else 4 if points[loser] < 31 else 2
    elif rules["scoring"] == "penalty_12":
        each = 2
    elif rules["scoring"] in ("robber", "points_match") and reason == "bura":
        each = int(rules["bura_counts"])
    return stake * (each if loser == 1 else -each)


@lru_cache(maxsize=200_000)
def score(hand: ref.Hand, seat: int) -> int:
    """As `ref.guaranteed`, in what the hand counts."""
    if hand.over is not None:
        return paid(hand, 1) * (1 if seat % 2 == 0 else -1)
    forced = ref._forced(hand)
    if forced is not None:
        return score(ref.apply(hand, *forced), seat)
    values = [score(ref.apply(hand, move), seat) for move in ref._plays(hand)]
    best = max(values) if hand.turn % 2 == seat % 2 else min(values)
    for caller, call in reversed(ref.stops(hand)):
        value = score(ref.apply(hand, call, caller), seat)
        best = max(best, value) if caller % 2 == seat % 2 else min(best, value)
    return best


COUNTED = [
    "moskva",
    "moskva[hand=2,three_aces=none,little_moskva=none,molodka=none,target=50]",
    "moskva[bura=on_lead,three_aces=none,target=41]",
    "classic_shown[bura_counts=2]",
    "five[hand=3,bura_counts=2,unclaimed=threshold]",
    "georgian5[hand=3,bura_counts=2,target=50]",
    "burkozel",
    "burkozel[hand=2,three_aces=none,four_aces=none,six_for=no_points]",
    "burkozel_kommersant[hand=3,four_aces=none]",
    "bura2",
    "bura2[hand=2,three_aces=none,unclaimed=most_points]",
    "classic[scoring=penalty_12,match_to=12]",
    "classic[hand=2,three_aces=none,stop_window=after_lead_stays,scoring=robber,match_to=21,"
    "bura_counts=2]",
    "georgian3",
    "perebor[bura_counts=2,hand=2,three_aces=none,molodka=none]",
    "bura2[players=4,pairs=yes,hand=2,three_aces=none]",
    "georgian5_pairs[hand=2,bura_counts=2,bura=on_sight]",
]


@pytest.mark.parametrize("rules", COUNTED)
def test_scores_are_the_oracles(rules: str) -> None:
    rng = random.Random(f"score {rules}")
    solver = Solver(table_mb=1)
    for i in range(scaled(16)):
        line = str(late(rng, rules, size_for(rules) - 2 * (i % 2), plant=0.8))
        hand = ref.load(line)
        found = solver.solve(line, "score")
        assert found.exact, line
        assert (found.objective, found.value) == ("score", score(hand, hand.turn)), line
        told = {(value.seat, str(value.move)): value.value for value in found.moves + found.calls}
        for move, seat in ref.every_move(hand):
            seats = (None, seat)
            value = next(told[s, move] for s in seats if (s, move) in told)
            assert value == score(ref.apply(hand, move, seat), seat), (line, move)
        top = max(value.lower for value in found.moves)
        assert {value.move for value in found.moves if value.value == top} == set(found.best)
        # Best play, move by move, ends in what was promised.
        for made in found.line:
            caller = next((s for s, c in ref.calls(hand) if c == str(made)), None)
            hand = ref.apply(hand, str(made), caller)
        assert hand.over is not None, line
        first = Position.from_text(line).turn
        assert paid(hand, 1) * (1 if first % 2 == 0 else -1) == found.value, line


DOUBLED = "moskva[hand=2,three_aces=none,little_moskva=none,molodka=none,target=50{}]"


def test_a_bura_that_counts_double_is_worth_a_detour() -> None:
    """Somewhere the move that wins at once is not the best, since a bura is to be drawn."""
    rng = random.Random("detour")
    rules = DOUBLED.format("")
    solver = Solver(table_mb=1)
    values = set()
    detours = 0
    for _ in range(300):
        line = str(late(rng, rules, 8, plant=0.6))
        wins = solver.solve(line, line=False)
        counts = solver.solve(line, "score", line=False)
        assert wins.value is not None
        assert counts.value is not None
        # Whoever wins, wins 1 or 2.
        assert (counts.value > 0) - (counts.value < 0) == wins.value, line
        values.add(counts.value)
        detours += wins.value == 1 and set(counts.best) < set(wins.best)
    assert values >= {-2, -1, 1, 2}
    assert detours > 0


def test_the_stake_multiplies_and_plain_hands_are_outcomes() -> None:
    """Where all hands count alike the search is that for the outcome, node for node."""
    rng = random.Random("stake")
    solver = Solver(table_mb=1)
    for _ in range(30):
        line = str(late(rng, "georgian3", 8))
        wins = solver.solve(line)
        for stake in (1, 3):
            found = solver.solve(f"{line} stake={stake} raiser=0" if stake > 1 else line, "score")
            assert (found.lower, found.upper) == (stake * wins.lower, stake * wins.upper)
            assert [value.lower for value in found.moves] == [
                stake * value.lower for value in wins.moves
            ]
            assert (found.best, found.line, found.nodes) == (wins.best, wins.line, wins.nodes)
    line = "dave[bura_counts=2,scoring=robber,match_to=11] h AsKh/ThAh 9d8d 20/21 0 -"
    line = line.replace("AsKh/ThAh", "AsKh9h/ThAh8h")
    once = solver.solve(line, "score", line=False)
    twice = solver.solve(f"{line} stake=4 raiser=1", "score", line=False)
    assert once.value is not None
    assert twice.value == 4 * once.value


def test_bounds_of_a_score_cut_short_hold() -> None:
    rng = random.Random("bounds")
    solver, short = Solver(table_mb=1), Solver(table_mb=1)
    cut = 0
    for rules in ("moskva", "burkozel", "bura2"):
        for _ in range(scaled(6)):
            line = str(late(rng, rules, 12))
            truth = solver.solve(line, "score", line=False)
            exact = {value.move: value.value for value in truth.moves}
            for nodes in (1, 5, 25):
                found = short.solve(line, "score", max_nodes=nodes, line=False)
                cut += not found.exact
                assert found.lower <= (truth.value or 0) <= found.upper, line
                for value in found.moves:
                    assert value.lower <= (exact[value.move] or 0) <= value.upper, line
    assert cut


def test_scores_come_in_batches_on_any_number_of_threads() -> None:
    rng = random.Random("batch")
    lines = [
        str(late(rng, rules, 8)) for rules in ("moskva", "georgian3", "burkozel") for _ in range(9)
    ]
    lines.insert(
        4, "classic[players=3,hand=1,three_aces=none,molodka=none] h 6s/7s/8s - 0/0/0 0 -"
    )
    one, two = (solve_many(lines, "score", threads=threads, table_mb=1) for threads in (1, 2))
    alone = Solver(table_mb=1)
    for line, first, second in zip(lines, one, two, strict=True):
        if "players=3" in line:
            assert isinstance(first, UnsupportedError)
            continue
        assert isinstance(first, Solution)
        assert isinstance(second, Solution)
        plain = alone.solve(line, "score", line=False)
        for each in (first, second):
            assert (each.value, each.moves, each.nodes) == (plain.value, plain.moves, plain.nodes)


def test_scores_of_single_players_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="one of two sides wins of the other"):
        Solver(table_mb=1).solve("classic[players=3] h 6s/7s/8s - 0/0/0 0 -", "score")
    with pytest.raises(InputError, match="use outcome, points or score"):
        Solver(table_mb=1).solve("georgian3 h As/Ks - 0/0 0 -", "scores")


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_the_table_is_what_matches_are_paid_by(name: str) -> None:
    """`settle_hand` checks its outcomes and pays by seat; the table has what it pays."""
    rules = PRESETS[name]
    if rules.sides != 2:
        pytest.skip("single players")
    table, by_points = score_table(rules)
    rng = random.Random(name)
    for _ in range(60):
        winner = rng.choice((0, 1, None))
        reason = rng.choice(("bura", "claim")) if winner is not None else "draw"
        own = rng.randrange(121)
        points = (own, rng.choice((0, 120 - own)))
        tricks = tuple(int(pile > 0 or rng.random() < 0.5) for pile in points)
        more = (0,) * (rules.players - 2)
        if rules.scoring == "pot":
            pays = settle_hand(
                rules, winner=winner, points=points, tricks=tricks, reason=reason, pot=2
            )
            right = pays[0] // 2 if winner == 0 else -(pays[1] // 2)
        else:
            pays = settle_hand(
                rules, winner=winner, points=points + more, tricks=tricks + more, reason=reason
            )
            right = pays[0] - pays[1]
            if rules.scoring in ("penalty_12", "balls_12"):
                right = -right
        at = (2 if winner is None else winner) * 2 + (reason == "bura")
        if by_points:
            at = ((at * 4 + tricks[0] * 2 + tricks[1]) * 121 + points[0]) * 121 + points[1]
        found = table[at] - 256 * (table[at] > 127)
        assert found == right, (winner, reason, points, tricks)


def test_a_score_counts_for_seat_0() -> None:
    rules = RuleSet.parse("moskva")
    assert hand_score(rules, HandOutcome(1, "bura")) == -2
    assert hand_score(rules, HandOutcome(0, "claim", stake=3)) == 3
    assert hand_score(rules, HandOutcome(None, "no_winner")) == 0
