"""The questions a client may ask, most as jobs for a worker thread. Knows no protobuf."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bura_core import (
    ClaimEstimate,
    Move,
    Position,
    PositionText,
    Recommendation,
    Solution,
    View,
    estimate_claim,
    recommend,
)
from bura_service.pool import Desk

# From this many moves to go, a count runs in the compiled core in one piece. It can't be
# stopped there, so the piece has to be small: some 20 ms in the widest positions.
_PIECE_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one search: positions, and seconds inside it. None is no bound."""

    max_nodes: int | None
    max_seconds: float | None


@dataclass(frozen=True, slots=True)
class SolveQuestion:
    """What is the value of a position, and of each of its moves?"""

    text: PositionText
    position: Position
    objective: Literal["outcome", "points"]
    value_only: bool
    limits: Limits

    def answer(self, desk: Desk) -> "SolveAnswer":
        """Solves it; under the points objective for the outcome too, with what is left."""
        moves = not self.value_only
        main = desk.solver.solve(
            self.position,
            self.objective,
            moves=moves,
            line=moves,
            max_nodes=self.limits.max_nodes,
            max_seconds=self.limits.max_seconds,
            stop=desk.stop,
        )
        if self.objective == "outcome":
            return SolveAnswer(self.text, main, main.value, main.nodes, main.search_us)
        left = self._left_after(main)
        if left is None:
            return SolveAnswer(self.text, main, None, main.nodes, main.search_us)
        outcome = desk.solver.solve(
            self.position,
            "outcome",
            moves=False,
            line=False,
            max_nodes=left.max_nodes,
            max_seconds=left.max_seconds,
            stop=desk.stop,
        )
        return SolveAnswer(
            self.text,
            main,
            outcome.value,
            main.nodes + outcome.nodes,
            main.search_us + outcome.search_us,
        )

    def _left_after(self, search: Solution) -> Limits | None:
        """What `search` left of the limits, or None for nothing."""
        if search.stopped is not None:
            return None
        nodes, seconds = self.limits.max_nodes, self.limits.max_seconds
        if nodes is not None:
            nodes -= search.nodes
        if seconds is not None:
            seconds -= search.search_us / 1e6
        if (nodes is not None and nodes < 1) or (seconds is not None and seconds <= 0):
            return None
        return Limits(nodes, seconds)


@dataclass(frozen=True, slots=True)
class SolveAnswer:
    """A solution; with the outcome, where it is known; nodes and time include finding that."""

    text: PositionText
    solution: Solution
    outcome: int | None
    nodes: int
    search_us: float


@dataclass(frozen=True, slots=True)
class PerftQuestion:
    """How many move sequences of a given length are there?"""

    text: PositionText
    position: Position
    depth: int
    divide: bool
    limits: Limits

    def answer(self, desk: Desk) -> "PerftAnswer":
        """Counts them, in pieces, so that it can be stopped between them."""
        started = time.perf_counter()
        position = self.position.copy()
        total, stopped = 0, None
        shares: dict[str, int] = {}
        for first, count in _pieces(position, self.depth):
            total += count
            if first is not None:
                shares[first] = shares.get(first, 0) + count
            if desk.stop.is_set:
                stopped = "stop"
            elif self.limits.max_nodes is not None and total > self.limits.max_nodes:
                stopped = "nodes"
            elif (
                self.limits.max_seconds is not None
                and time.perf_counter() - started > self.limits.max_seconds
            ):
                stopped = "time"
            if stopped is not None:
                break
        search_us = 1e6 * (time.perf_counter() - started)
        return PerftAnswer(
            self.text, self.depth, total, shares if self.divide else {}, search_us, stopped
        )


def _pieces(position: Position, depth: int) -> Iterator[tuple[str | None, int]]:
    """Parts of perft(depth), each with the first move of its sequences (None for depth 0).

    The position changes while the iterator runs, and is as before when it has run out.
    """
    if depth == 0:
        yield None, position.perft(0)
        return
    for move in _moves(position):
        position.play(move)
        first = str(move)
        if depth - 1 <= _PIECE_DEPTH:
            yield first, position.perft(depth - 1)
        else:
            empty = True
            for _, count in _pieces(position, depth - 1):
                empty = False
                yield first, count
            if empty:  # the hand is over: the move has a share, of no sequences
                yield first, 0
        position.undo()


def _moves(position: Position) -> list[Move]:
    if position.result is not None:
        return []
    return [*position.legal_moves(), *(call for _, call in position.calls())]


@dataclass(frozen=True, slots=True)
class PerftAnswer:
    """A count; stopped is "nodes", "time" or "stop" where it is only a lower bound."""

    text: PositionText
    depth: int
    nodes: int
    divide: dict[str, int]
    search_us: float
    stopped: str | None


@dataclass(frozen=True, slots=True)
class AdviceQuestion:
    """What should the player do who has seen this?"""

    view: View
    max_worlds: int
    seed: int
    limits: Limits

    def answer(self, desk: Desk) -> Recommendation:
        """Solves the worlds he can't tell apart, or a sample of them."""
        return recommend(
            self.view,
            max_worlds=self.max_worlds,
            seed=self.seed,
            max_nodes=self.limits.max_nodes,
            max_seconds=self.limits.max_seconds,
            stop=desk.stop,
            solvers=[desk.solver],  # one, for the workers share the cores already
        )


@dataclass(frozen=True, slots=True)
class ClaimQuestion:
    """Would a claim hold? Counted, not searched: a matter of microseconds, on any thread."""

    view: View

    def answer(self) -> ClaimEstimate:
        """How a claim of the view's seat stands."""
        return estimate_claim(self.view)
