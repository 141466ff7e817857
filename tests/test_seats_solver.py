"""Values of hands beyond two single players' usual game, against `reference_seats`.

Pairs and two players under unusual rules are zero-sum; three to six single players have what
each is sure of and what each gets where everybody plays for himself.
"""

from __future__ import annotations

import random
import threading

import pytest

import reference_seats as ref
from bura_core import MoveValue, Position, SeatValue, Solution, Solver, Stop, solve_many
from scale import scaled
from test_seats import PAIRED, SEATED, fits


def cards_left(position: Position) -> int:
    table = sum(len(play.cards) for play in position.table)
    return sum(hand.bit_count() for hand in position.hands) + len(position.talon) + table


def late(rng: random.Random, rules: str, most: int, plant: float = 0.5) -> Position:
    """A position in a random hand that goes on, with at most so many cards to play.

    With all talons but the last cards given away beforehand, so that hands can be full.
    """
    while True:
        fields = ref.deal(rng, rules, plant=plant).split(" ")
        parsed = ref.rules_of(rules)
        keep = most - sum(parsed.sizes)
        talon = fields[3] if fields[3] != "-" else ""
        gone = 0
        if keep < len(talon) // 2:
            # Whole tricks: of as many cards as there are seats.
            step = parsed.players
            gone = -(-(len(talon) // 2 - max(0, keep)) // step) * step
            gone = min(gone, len(talon) // 2 // step * step)
        if gone and rng.random() < 0.7:
            piles = ["" for _ in range(parsed.players)]
            for first in range(0, gone, parsed.players):
                trick = talon[2 * first : 2 * (first + parsed.players)]
                winner = rng.randrange(parsed.players)
                piles[winner] += trick
            fields[3] = talon[2 * gone :] or "-"
            fields[4] = "/".join(pile or "-" for pile in piles)
        try:
            position = Position.from_text(" ".join(fields))
        except ValueError:
            continue
        if rng.random() < 0.7:
            position = Position.from_text(str(position))
        while position.result is None:
            if cards_left(position) <= most and rng.random() < 0.6:
                break
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            calls = [call for _, call in position.calls() if call.kind == "stop"]
            if calls and rng.random() < 0.3:
                position.play(rng.choice(calls))
            elif moves:
                position.play(rng.choice(moves))
            else:
                break
        if position.result is None and cards_left(position) <= most:
            return position


def compare(solver: Solver, line: str) -> None:
    """Every value of a position is the oracle's."""
    hand = ref.load(line)
    found = solver.solve(line)
    assert found.exact, line
    assert found.value == ref.guaranteed(hand, hand.turn), line
    singles = not hand.rules.two_sides
    moves = {str(value.move): value for value in found.moves}
    calls = {(value.seat, str(value.move)): value for value in found.calls}
    told = ref.every_move(hand)
    assert len(moves) + len(calls) == len(told), line
    top = max(value.lower for value in found.moves)
    for move, seat in told:
        after = ref.apply(hand, move, seat)
        is_call = (seat, move) in calls
        value = calls[seat, move] if is_call else moves[move]
        assert value.value == ref.guaranteed(after, seat), (line, move)
        assert value.seat == seat
        if singles and not is_call:
            assert value.expected == ref.expected(after)[seat], (line, move)
        if not is_call:
            assert (value.move in found.best) == (value.value == top), line
    if not singles:
        assert found.guaranteed == found.expected == ()
        return
    alone = ref.expected(hand)
    for seat in range(hand.rules.players):
        assert found.guaranteed[seat].value == ref.guaranteed(hand, seat), (line, seat)
        assert found.expected[seat].value == alone[seat], (line, seat)


def compare_points(solver: Solver, line: str) -> None:
    hand = ref.bare(ref.load(line))
    found = solver.solve(line, "points")
    assert found.exact, line
    assert found.value == ref.points_guaranteed(hand, hand.turn), line
    alone = ref.points_expected(hand) if not hand.rules.two_sides else ()
    for value in found.moves:
        after = ref.apply(hand, str(value.move))
        assert value.value == ref.points_guaranteed(after, hand.turn), (line, str(value.move))
        if alone:
            assert value.expected == ref.points_expected(after)[hand.turn], line
    for seat in range(hand.rules.players if alone else 0):
        assert found.guaranteed[seat].value == ref.points_guaranteed(hand, seat), (line, seat)
        assert found.expected[seat].value == alone[seat], (line, seat)


ODD = [
    "three_vs_four",
    "three_vs_four[short_talon=draw_out]",
    "three_vs_four[hand=1,target=11]",
    "classic[extra_card=0,bura=on_lead]",
    "classic[stop_window=after_lead_returned]",
    "classic[stop_window=after_lead_stays]",
    "classic[hand=2,three_aces=none,stop_window=after_lead_returned]",
    "classic[hand=2,three_aces=none,stop_window=after_lead_stays]",
    "classic[hand=2,three_aces=none,stop_window=after_lead_stays,claim_window=own_turn]",
    "moskva[little_moskva=tens,stop_window=after_lead_returned]",
    "burkozel[hand=3,four_aces=none,stop_window=after_lead_stays]",
    "classic[closed_challenge=yes]",
    "classic[hand=2,three_aces=none,closed_challenge=yes]",
    "casino[hand=2,three_aces=none,closed_challenge=yes]",
    "perebor[hand=2,three_aces=none,closed_challenge=yes,claim_window=own_turn]",
]
"""Rule sets for two players of which each has a switch that is made for no other search."""

PAIRS = [
    *[name for name in SEATED if name == "georgian5_pairs"],
    *PAIRED,
    "georgian5_pairs[hand=2,target=31]",
    "georgian5_pairs[hand=2,target=31,bura=on_sight]",
    "georgian5_pairs[hand=2,unclaimed=threshold,target=70]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none,stop_window=after_lead_returned]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none,stop_window=after_lead_stays]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none,closed_challenge=yes]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none,claim_window=own_turn]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none,two_buras=void]",
    "classic[players=4,pairs=yes,hand=2,three_aces=none,discards=shown,two_buras=higher]",
    "perebor[players=4,pairs=yes,hand=2,three_aces=none]",
    "no_trump[players=4,pairs=yes,unclaimed=most_points,hand=2]",
    "burkozel[players=4,pairs=yes,hand=2,three_aces=none,four_aces=none,target=31]",
]

SINGLES = [
    *[name for name in SEATED if "players=" in name and "players=2" not in name],
    "classic[players=3,hand=2,three_aces=none]",
    "classic[players=3,hand=2,three_aces=none,stop_window=after_lead_returned]",
    "classic[players=3,hand=2,three_aces=none,stop_window=after_lead_stays]",
    "classic[players=3,hand=2,three_aces=none,closed_challenge=yes]",
    "casino[players=3,hand=2,three_aces=none,closed_challenge=yes]",
    "bura1[players=3,hand=2,three_aces=none,target=11]",
    "bura1[players=3,hand=2,three_aces=none,target=11,claim_window=own_turn]",
    "bura1[players=4,hand=1,three_aces=none,target=11,claim_window=before_draw]",
    "perebor[players=3,hand=2,three_aces=none]",
    "perebor[players=3,hand=2,three_aces=none,claim_window=own_turn]",
    "five[players=3,hand=2,target=31]",
    "burkozel[players=3,hand=2,three_aces=none,four_aces=none,unclaimed=most_points,target=25]",
    "burkozel_kommersant[players=3,hand=2,four_aces=none,target=31]",
    "classic[players=3,extra_card=2,hand=1,three_aces=none]",
    "classic[players=3,rank_leads=yes,hand=2,three_aces=none]",
    "no_trump[players=3,hand=2]",
]


def size_for(rules: str) -> int:
    """How many cards the slow oracle can play out in a moment."""
    players = ref.rules_of(rules).players
    shown = not ref.rules_of(rules).closed
    return {2: 7, 3: 7, 4: 7, 5: 6, 6: 7}[players] + (1 if shown else 0)


@pytest.mark.parametrize("rules", [name for name in ODD + PAIRS if fits(name)])
def test_zero_sum_values_are_the_oracles(rules: str) -> None:
    rng = random.Random(f"zero {rules}")
    solver = Solver(table_mb=1)
    for i in range(scaled(20)):
        position = late(rng, rules, size_for(rules) - 2 * (i % 2))
        compare(solver, str(position))
        if i % 4 == 0:
            compare_points(solver, str(position))


@pytest.mark.parametrize("rules", [name for name in SINGLES if fits(name)])
def test_values_of_single_players_are_the_oracles(rules: str) -> None:
    rng = random.Random(f"singles {rules}")
    solver = Solver(table_mb=1)
    for i in range(scaled(20)):
        position = late(rng, rules, size_for(rules) - 2 * (i % 2))
        compare(solver, str(position))
        if i % 4 == 0:
            compare_points(solver, str(position))


# --- claims on what was seen -------------------------------------------------------------------

CLOSED = [
    name
    for name in ODD + PAIRS + SINGLES
    if fits(name) and ref.rules_of(name).closed and "leave" not in name
]


@pytest.mark.parametrize("rules", CLOSED[::2])
def test_seen_claims_are_the_oracles(rules: str) -> None:
    rng = random.Random(f"seen {rules}")
    solver = Solver(table_mb=1)
    for _ in range(scaled(12)):
        line = str(late(rng, rules, size_for(rules) - 1))
        hand = ref.load(line)
        found = solver.solve(line, seen_claims=True, line=False)
        assert found.value == ref.guaranteed_by_sight(hand, hand.turn), line
        for value in found.moves:
            after = ref.apply(hand, str(value.move))
            assert value.value == ref.guaranteed_by_sight(after, hand.turn), (line, value.move)


# --- limits, tables, threads -------------------------------------------------------------------

SOME = [
    "georgian5_pairs",
    "three_vs_four",
    "classic[players=4,pairs=yes]",
    "classic[players=3]",
    "bura1[players=4]",
    "burkozel[players=3]",
]


Bounds = Solution | MoveValue | SeatValue


def some_lines(seed: str, number: int, most: int = 14) -> list[str]:
    rng = random.Random(seed)
    return [
        str(late(rng, rules, most - 2 * (ref.rules_of(rules).players > 2)))
        for rules in SOME
        for _ in range(scaled(number))
    ]


@pytest.mark.parametrize("objective", ["outcome", "points"])
def test_bounds_of_a_search_cut_short_hold(objective: str) -> None:
    whole, short = Solver(table_mb=4), Solver(table_mb=1)
    cut = 0
    for line in some_lines(f"bounds {objective}", 6):
        truth = whole.solve(line, objective, line=False)
        exact = {value.move: value for value in truth.moves}
        assert truth.exact
        for nodes in (1, 5, 25, 125):
            found = short.solve(line, objective, max_nodes=nodes, line=False)
            assert found.nodes <= nodes
            cut += not found.exact
            assert (found.stopped is None) or found.stopped == "nodes"
            assert found.exact or found.stopped == "nodes"
            pairs: list[tuple[Bounds, Bounds]] = [(found, truth)]
            pairs += [(value, exact[value.move]) for value in found.moves]
            pairs += zip(found.guaranteed, truth.guaranteed, strict=True)
            pairs += zip(found.expected, truth.expected, strict=True)
            for bounds, value in pairs:
                assert value.value is not None
                assert bounds.lower <= value.value <= bounds.upper, (line, nodes)
        # And what was left in the table does no harm.
        again = short.solve(line, objective, line=False)
        assert told(again) == told(truth), line
    assert cut > scaled(20)


def told(solution: Solution) -> tuple[object, ...]:
    """All of an answer but what the clock says."""
    return (
        solution.value,
        solution.moves,
        solution.calls,
        solution.best,
        solution.line,
        solution.guaranteed,
        solution.expected,
    )


@pytest.mark.parametrize("objective", ["outcome", "points"])
def test_equal_answers_cold_and_warm_with_any_table_and_any_threads(objective: str) -> None:
    lines = some_lines(f"equal {objective}", 4)
    warm, large = Solver(table_mb=1), Solver(table_mb=16)
    first = [warm.solve(line, objective) for line in lines]
    for line, one in zip(lines, first, strict=True):
        again = warm.solve(line, objective)
        other = large.solve(line, objective)
        cold = Solver(table_mb=1).solve(line, objective)
        assert told(one) == told(again) == told(other) == told(cold), line
        assert one.nodes == again.nodes == cold.nodes, line
    for threads in (1, 2):
        many = solve_many(lines, objective, line=True, threads=threads, table_mb=1)
        for one, found in zip(first, many, strict=True):
            assert isinstance(found, Solution)
            assert told(found) == told(one)
            assert found.nodes == one.nodes


def test_the_value_alone_is_the_value_with_moves() -> None:
    solver = Solver(table_mb=1)
    for line in some_lines("alone", 6):
        whole, alone = solver.solve(line), solver.solve(line, moves=False, line=False)
        assert alone.moves == ()
        assert alone.value == whole.value, line
        assert alone.guaranteed == whole.guaranteed
        assert alone.expected == whole.expected


def test_lines_are_legal_end_the_hand_and_keep_the_value() -> None:
    solver = Solver(table_mb=1)
    ended = 0
    for line in some_lines("lines", 8):
        found = solver.solve(line)
        position = Position.from_text(line)
        seat = position.turn
        for move in found.line:
            assert position.result is None, line
            position.play(move)
        assert position.result is not None, line
        ended += 1
        hand = ref.load(line)
        for move in found.line:
            caller = next((s for s, c in ref.calls(hand) if c == str(move)), None)
            hand = ref.apply(hand, str(move), caller)
        if found.expected:
            assert [value.value for value in found.expected] == list(ref.expected(hand)), line
        else:
            assert found.value == ref.guaranteed(hand, seat), line
    assert ended


def test_stop_ends_a_search_of_many_seats_from_another_thread() -> None:
    stop = Stop()
    deal = ref.deal(random.Random(5), "classic[players=6]")
    threading.Timer(0.05, stop.set).start()
    found = Solver(table_mb=1).solve(deal, stop=stop)
    assert found.stopped == "stop"
    assert Solver(table_mb=1).solve(deal, max_seconds=0.02).stopped == "time"


def test_whole_deals_of_pairs_are_solved() -> None:
    """A deal from the first card on, and deals of which one round more has been drawn."""
    solver = Solver(table_mb=16)
    rng = random.Random(11)
    for _ in range(scaled(3)):
        position = late(rng, "georgian5_pairs", 28)
        found = solver.solve(position, moves=False, line=False)
        assert found.value in (-1, 0, 1), str(position)
