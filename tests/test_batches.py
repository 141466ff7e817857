"""What batches rely on: lines read at once, limits of each position, equal work on threads."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import reference as ref
from bura_core import BuraError, InputError, Position, Solver, Stop, parse_position, solve_many
from bura_core._rules import plainly_canonical
from scale import scaled

RULES = ("georgian3", "georgian5", "classic", "five", "no_trump", "georgian3[deck=36]")
LETTERS = "6789JQKTAshdc/- 0123x()=:,"


def told(read: Callable[[str], Position], line: str) -> tuple[object, ...]:
    """What a line is read as, or the error it raises."""
    try:
        p = read(line)
    except BuraError as error:
        return type(error), str(error)
    return str(p), p.rules, p.turn, p.points, p.score, p.tricks, p.legal_moves()


def with_care(line: str) -> Position:
    return Position(parse_position(line))


def spoiled(rng: random.Random, line: str) -> str:
    letters = list(line)
    for _ in range(rng.choice((1, 1, 2))):
        i = rng.randrange(len(letters))
        letters[i : i + rng.randrange(2)] = rng.choice(("", *LETTERS))
    return "".join(letters)


@pytest.mark.parametrize("rules", RULES)
def test_a_line_read_at_once_is_read_as_with_care(rules: str) -> None:
    rng = random.Random(rules)
    full = ref.rules_of(rules).hand
    for _ in range(scaled(100)):
        talon = rng.choice((0, 2, 6))
        hand = full if talon else rng.randint(1, full)
        line = ref.random_position(rng, rules, talon, hand)
        for variant in (line, line + "\n", *(spoiled(rng, line) for _ in range(5))):
            assert told(Position.from_text, variant) == told(with_care, variant), variant
            if plainly_canonical(variant):
                assert str(parse_position(variant)) == variant


@pytest.mark.parametrize("rules", RULES)
def test_a_line_read_at_once_is_solved_as_one_read_with_care(rules: str) -> None:
    """With the same work, so that both searches have seen the same rules in force."""
    rng = random.Random(rules)
    full = ref.rules_of(rules).hand
    solver = Solver()
    for _ in range(scaled(40)):
        line = ref.random_position(rng, rules, 2, full)
        at_once, careful = solver.solve(Position.from_text(line)), solver.solve(with_care(line))
        assert at_once.moves == careful.moves, line
        assert at_once.nodes == careful.nodes, line


def test_plain_lines_are_known_to_be_canonical() -> None:
    line = "five h QhAcKd/KsThTc - 13/21 1 -"
    assert plainly_canonical(line)
    assert plainly_canonical(line.replace("five", "georgian3[deck=36]"))
    rules = line.replace("five", "five[hand=5]")
    for other in (f"{line}\n", f" {line}", f"{line} stake=1", f"{line} stake=2", rules):
        assert not plainly_canonical(other), other


LINES = (
    "georgian3 h QhAcKd/KsThTc - 13/21 1 -",
    "georgian3 h QhAcKd/KsThTc - 13/21 2 -",
    "georgian5 h AsKs9d8c7c/QhJs9s8d7d AhTh8h7hQsTs6s6d6c9c 0/0 0 -",
)


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_and_errors_are_each_positions_own(threads: int) -> None:
    answers = solve_many(LINES * 40, threads=threads, max_nodes=20)
    assert len(answers) == 3 * 40
    for i in range(0, len(answers), 3):
        small, wrong, large = answers[i : i + 3]
        assert not isinstance(small, BuraError)
        assert small.exact
        assert isinstance(wrong, BuraError)
        assert not isinstance(large, BuraError)
        assert large.stopped == "nodes"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_flag_ends_every_search_of_a_batch(threads: int) -> None:
    stop = Stop()
    stop.set()
    answers = solve_many(LINES[:1] * 80, threads=threads, stop=stop)
    assert {None if isinstance(a, BuraError) else a.stopped for a in answers} == {"stop"}


def test_one_solver_does_not_mix_up_tables_of_endings() -> None:
    """Under one rule set the suit of trumps may decide whether endings can be looked up."""
    lines = [
        f"five[discards=shown] {trump} {hands} - 0/0 0 -"
        for hands in ("9sJhKd/8sThQd", "Qs6d9c/JsAd8c")
        for trump in "shsd"
    ]
    together = solve_many(lines)
    for line, answer in zip(lines, together, strict=True):
        (alone,) = solve_many([line])
        assert not isinstance(answer, BuraError), answer
        assert not isinstance(alone, BuraError)
        assert answer.value == alone.value, line
        assert answer.moves == alone.moves, line
        assert answer.nodes == alone.nodes, line


@pytest.mark.parametrize("tail", ["\0", "\0 stake=2", "\udc00", "\u0660", " \ud83c"])
def test_what_is_no_plain_text_is_read_with_care(tail: str) -> None:
    line = "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
    assert Position.from_text(f"{line}\n").turn == 1
    with pytest.raises(InputError):
        Position.from_text(line + tail)
