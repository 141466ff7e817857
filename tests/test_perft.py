"""Perft: numbers of move sequences, golden in `data/perft*.txt`, confirmed by the oracles."""

from __future__ import annotations

from pathlib import Path

import pytest

import make_perft
import reference as ref
import reference_seats as seats
from bura_core import PRESETS, Position
from bura_core.notation import parse_position

Golden = tuple[str, dict[int, int]]


def golden(name: str) -> list[Golden]:
    found = []
    for line in (Path(__file__).parent / "data" / name).read_text("utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        position, _, counts = line.partition(" ; ")
        pairs = (pair.split("=") for pair in counts.split())
        found.append((position, {int(depth): int(count) for depth, count in pairs}))
    return found


GOLDEN = golden("perft.txt")
SEATED = golden("perft_tables.txt")
IDS = [f"{position.split()[0]} {at}" for at, (position, _) in enumerate(GOLDEN)]
each = pytest.mark.parametrize(("line", "counts"), GOLDEN, ids=IDS)

SEATED_IDS = [f"{position.split()[0]} {at}" for at, (position, _) in enumerate(SEATED)]
each_seated = pytest.mark.parametrize(("line", "counts"), SEATED, ids=SEATED_IDS)

ORACLE = 4000
"""Up to this many sequences the oracle counts them too."""
SEATS_ORACLE = 250
"""The same for the slower oracle of many seats, which counted all of them once."""


def test_three_deals_of_every_preset() -> None:
    for name in ref.PRESET_NAMES:
        deals = [line for line, _ in GOLDEN if line.startswith(f"{name} ") and " -/- " in line]
        assert len(deals) >= 3, name
    assert all(set(range(1, 5)) <= set(counts) for _, counts in GOLDEN)


@each
def test_counts(line: str, counts: dict[int, int]) -> None:
    position = Position.from_text(line)
    for depth, count in counts.items():
        assert position.perft(depth) == count, (line, depth)
    assert position.perft(0) == 1
    assert str(position) == str(Position.from_text(line))  # counting moves nothing


@each
def test_the_reference_counts_the_same(line: str, counts: dict[int, int]) -> None:
    state = ref.load(line)
    small = {depth: count for depth, count in counts.items() if count <= ORACLE}
    assert {1, 2} <= set(small)
    for depth, count in small.items():
        assert ref.perft(state, depth) == count, (line, depth)


@each
def test_divide_adds_up(line: str, counts: dict[int, int]) -> None:
    position = Position.from_text(line)
    moves = [str(move) for move in position.legal_moves()]
    moves += [str(call) for _, call in position.calls()]
    state = ref.load(line)
    for depth in range(1, 5):
        by_move = position.divide(depth)
        assert list(by_move) == moves
        assert sum(by_move.values()) == counts[depth], (line, depth)
        if counts[depth] <= ORACLE:
            for move, count in by_move.items():
                assert count == ref.perft(ref.apply(state, move), depth - 1), (line, move)


def test_every_preset_at_every_table() -> None:
    assert {line.split()[0] for line, _ in SEATED} == set(make_perft.tables())
    seen = [parse_position(line).rules for line, _ in SEATED]
    assert {rules.name for rules in seen} == set(PRESETS)
    assert {rules.players for rules in seen} == {2, 3, 4, 5, 6}
    assert {rules.pairs for rules in seen} == {True, False}


@each_seated
def test_counts_at_every_table(line: str, counts: dict[int, int]) -> None:
    position = Position.from_text(line)
    for depth, count in counts.items():
        assert position.perft(depth) == count, (line, depth)
    assert str(position) == str(Position.from_text(line))


@each_seated
def test_the_reference_of_many_seats_divides_the_same(line: str, counts: dict[int, int]) -> None:
    position = Position.from_text(line)
    hand = seats.load(line)
    moves: list[tuple[str, int | None]] = [(str(move), None) for move in position.legal_moves()]
    moves += [(str(call), seat) for seat, call in position.calls()]
    for depth, count in counts.items():
        by_move = position.divide(depth)
        assert list(by_move) == [move for move, _ in moves]
        assert sum(by_move.values()) == count
        if count <= SEATS_ORACLE:
            for move, seat in moves:
                after = seats.apply(hand, move, seat)
                assert by_move[move] == seats.perft(after, depth - 1), (line, move)
