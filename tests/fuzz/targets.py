"""What the fuzzers throw at the core, and what has to be true of every answer.

Each target takes one text, whatever it is, and returns quietly or fails an assertion. It is the
same function that `tests/test_fuzz.py` replays the stored corpora through.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bura_core import (
    BuraError,
    InputError,
    Position,
    PositionText,
    RuleSet,
    Solver,
    UnsupportedError,
    View,
    estimate_claim,
    parse_cards,
    parse_move,
    parse_position,
    parse_record,
    recommend,
    solve_many,
)
from bura_core.notation import format_cards, parse_card

MOST_NODES = 2_000
MOST_MOVES = 80
SOLVER = Solver(table_mb=1)


def faults_are_told(error: InputError) -> None:
    """Every fault names a field, says what is wrong and what would be right."""
    assert error.faults
    for fault in error.faults:
        assert fault.field, fault
        assert fault.problem, fault
        assert fault.remedy, fault
        assert len(str(fault)) < 5_000


# --- the notations -------------------------------------------------------------------------


def notation(text: str) -> None:
    """The first letter says what the rest is to be read as."""
    kind, rest = text[:1], text[2:]
    reader = READERS.get(kind, read_position)
    try:
        reader(rest)
    except InputError as error:
        faults_are_told(error)


def read_position(text: str) -> None:
    """A line is refused, or printed and read again to the same."""
    read = parse_position(text)
    again = parse_position(str(read))
    assert again == read, (text, str(read))
    assert str(again) == str(read)
    if not read.has_unknown:
        position = Position(read)
        assert str(Position.from_text(str(position))) == str(position)
    for seat in range(read.rules.players):
        try:
            view = View(read, seat)
        except InputError as error:
            faults_are_told(error)
            continue
        assert view.world_count >= 1
        assert str(parse_position(str(view))) == str(view)


def read_move(text: str) -> None:
    """A move."""
    move = parse_move(text)
    assert parse_move(str(move)) == move, text


def read_cards(text: str) -> None:
    """Some cards, and one."""
    cards = parse_cards(text)
    assert parse_cards(format_cards(cards)) == cards, text
    if len(cards) == 1:
        assert parse_card(format_cards(cards)) == cards[0]


def read_rules(text: str) -> None:
    """A rule set."""
    rules = RuleSet.parse(text)
    assert RuleSet.parse(str(rules)) == rules, text
    assert str(RuleSet.parse(str(rules))) == str(rules)


def read_record(text: str) -> None:
    """A hand record; what it holds need not be playable."""
    record = parse_record(text)
    assert parse_record(str(record)) == record, text
    try:
        record.replay()
    except InputError as error:
        faults_are_told(error)


READERS: dict[str, Callable[[str], None]] = {
    "p": read_position,
    "m": read_move,
    "c": read_cards,
    "s": read_rules,
    "r": read_record,
}


# --- the boundary of the compiled modules --------------------------------------------------


def boundary(text: str) -> None:
    """`position; arguments as JSON; moves`: plays, undoes, counts, solves, advises."""
    line, _, rest = text.partition(";")
    told, _, played = rest.partition(";")
    try:
        position = Position.from_text(line)
    except InputError as error:
        faults_are_told(error)
        return
    before = str(position)
    made = 0
    for word in played.split()[:MOST_MOVES]:
        try:
            position.play(word)
            made += 1
        except InputError as error:
            faults_are_told(error)
    consistent(position)
    solved(position, arguments(told))
    advised(position)
    for _ in range(made):
        position.undo()
    assert str(position) == before


def arguments(text: str) -> dict[str, Any]:
    """Keyword arguments of `Solver.solve`, as odd as they come."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    names = {"objective", "moves", "line", "max_nodes", "max_seconds", "seen_claims", "stop"}
    return {k: v for k, v in read.items() if k in names} if isinstance(read, dict) else {}


def consistent(position: Position) -> None:
    """Counts agree with lists, and every legal move can be made and taken back."""
    now = str(position)
    moves = [str(move) for move in position.legal_moves()]
    calls = [str(call) for _, call in position.calls()]
    assert position.perft(1) == len(moves) + len(calls)
    assert list(position.divide(1)) == moves + calls
    for move in moves + calls:
        position.play(move)
        if position.result is None:
            parse_position(str(position))
        position.undo()
        assert str(position) == now
    for seat in range(position.rules.players):
        assert 0 <= position.points[seat] <= 120


def solved(position: Position, told: dict[str, Any]) -> None:
    """Bounds that can be, for the legal moves; the same from a batch."""
    bounded = {**told, "max_nodes": told.get("max_nodes", MOST_NODES)}
    if isinstance(bounded["max_nodes"], int) and bounded["max_nodes"] > MOST_NODES:
        bounded["max_nodes"] = MOST_NODES
    try:
        answer = SOLVER.solve(position, **bounded)
    except InputError as error:
        faults_are_told(error)
        return
    except UnsupportedError:
        return
    widest = 1 if answer.objective == "outcome" else 240
    assert -widest <= answer.lower <= answer.upper <= widest
    if answer.moves:
        if answer.objective == "outcome":
            legal = sorted(str(move) for move in position.legal_moves())
            assert sorted(str(each.move) for each in answer.moves) == legal
        for each in answer.moves:
            assert -widest <= each.lower <= each.upper <= widest
    for move in answer.line:
        assert str(move)
    if set(bounded) <= {"objective", "max_nodes"} and "objective" not in told:
        [batched] = solve_many([position], max_nodes=bounded["max_nodes"], solvers=[SOLVER])
        assert not isinstance(batched, BuraError)
        assert (batched.lower, batched.upper) == (answer.lower, answer.upper) or answer.stopped


def advised(position: Position) -> None:
    """Advice for every seat that has something to decide, from what it has seen."""
    text: PositionText = position.text()
    for seat in range(position.rules.players):
        try:
            view = View.of(text, seat)
            estimate = estimate_claim(view)
            assert 0 <= estimate.chance <= 1
            advice = recommend(view, max_worlds=4, max_nodes=MOST_NODES, solvers=[SOLVER])
        except InputError as error:
            faults_are_told(error)
            continue
        except UnsupportedError:
            continue
        for each in advice.moves:
            assert -1 <= each.value <= 1
            whole = each.win + each.draw + each.loss + each.unsettled
            assert abs(whole - 1) < 1e-9, (each, advice)


TARGETS: dict[str, Callable[[str], None]] = {"notation": notation, "boundary": boundary}
