"""`review`: what each move of a finished hand cost, with all cards known (clairvoyant).

Every position of the recorded hand is solved as it stood, and each move compared with the best
one. That is hindsight: a move that costs something may have been right for a player who could
not see the other cards.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bura_core._rules import Position, Result
from bura_core._solver import MoveValue, Solution, Solver, Stop
from bura_core.errors import Fault, HiddenCardsError, InputError
from bura_core.notation import Move
from bura_core.record import HandRecord, Step, known_position

__all__ = ["MoveReview", "PointsCost", "Review", "review"]

MAX_NODES: Final = 2_000_000
"""Positions that the search of one move visits at most, unless said otherwise."""

POINTS_NODES: Final = 200_000
"""The same for the second figure, the difference in points."""

# Moves that the solver gives no value: they are about the stake.
_STAKE: Final = ("raise", "accept", "fold")


@dataclass(frozen=True, slots=True)
class PointsCost:
    """What a move cost in card points, played to the last card without claims: 0 to 240.

    The true figure lies from ``lower`` to ``upper``; they meet unless the search was cut short.
    """

    lower: int
    upper: int

    @property
    def value(self) -> int | None:
        """The figure, if it is proved."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True, slots=True)
class MoveReview:
    """One move of the hand and what it was worth to the seat that made it.

    Attributes:
        trick: number of the trick, from 1.
        seat: who made the move.
        move: the move.
        position: the position it was made in, as a line.
        lower: the outcome after it is at least this: -1 lost, 0 neither, +1 won.
        upper: the outcome after it is at most this.
        best_lower: the best outcome any move had is at least this.
        best_upper: the best outcome any move had is at most this.
        best: the moves of the highest proved value; empty if that is not known, and where
            the move was about the stake. A call is best if it is worth more than what
            would have been led at it.
        forced: there was no other move.
        points: what it cost in points; None where that is not said: for a claim, a call, or
            with the points left out.
        nodes: positions visited for it, under both figures.
        stopped: why the search ended early: ``nodes``, ``time`` or ``stop``; None if it did not.
    """

    trick: int
    seat: int
    move: Move
    position: str
    lower: int
    upper: int
    best_lower: int
    best_upper: int
    best: tuple[Move, ...]
    forced: bool
    points: PointsCost | None
    nodes: int
    stopped: str | None

    @property
    def value(self) -> int | None:
        """The outcome after the move, if it is proved."""
        return self.lower if self.lower == self.upper else None

    @property
    def cost_lower(self) -> int:
        """The move cost at least this much of the outcome, 0 to 2."""
        return max(0, self.best_lower - self.upper)

    @property
    def cost_upper(self) -> int:
        """The move cost at most this much of the outcome, 0 to 2."""
        return 0 if self.forced else max(0, self.best_upper - self.lower)

    @property
    def cost(self) -> int | None:
        """What the move cost: 2 turned a won hand into a lost one; None if not proved."""
        return self.cost_lower if self.cost_lower == self.cost_upper else None


@dataclass(frozen=True, slots=True)
class Review:
    """A hand with the cost of each of its moves; raises and answers to them are left out.

    ``result`` is how the hand ended. ``nodes`` and ``search_us`` are summed over all searches;
    ``stopped`` is the first reason for which one ended early, or None. ``unreached`` moves at
    the end of ``moves`` were not looked at, since the time was over: their bounds are -1 and 1.
    """

    record: HandRecord
    moves: tuple[MoveReview, ...]
    result: Result | None
    nodes: int
    search_us: float
    stopped: str | None
    unreached: int

    @property
    def costly(self) -> tuple[MoveReview, ...]:
        """The moves that certainly cost something of the outcome."""
        return tuple([move for move in self.moves if move.cost_lower > 0])


def review(
    record: HandRecord,
    *,
    points: bool = True,
    max_nodes: int | None = MAX_NODES,
    max_points_nodes: int | None = POINTS_NODES,
    max_seconds: float | None = None,
    total_seconds: float | None = None,
    solver: Solver | None = None,
    stop: Stop | None = None,
) -> Review:
    """What each move of a hand cost against best play of all, all cards known.

    Of three and more single players a move is worth what the seat is sure of against all others
    together.

    The record must be of all seats, with the undrawn cards: the talon's order decides.
    ``max_nodes`` and ``max_seconds`` bound the search of each move, ``total_seconds`` all of
    them together; a search that is cut short leaves bounds that hold. ``points`` adds the cost
    in card points, within ``max_points_nodes`` a move.

    Raises HiddenCardsError where a card is unknown, InputError and IllegalMoveError for a
    record that cannot be.
    """
    _check_limits(
        max_nodes=max_nodes,
        max_points_nodes=max_points_nodes,
        max_seconds=max_seconds,
        total_seconds=total_seconds,
    )
    if record.has_unknown:
        raise HiddenCardsError(_hidden(record))
    replay = record.replay()
    solver = solver or Solver()
    started = time.monotonic()
    moves: list[MoveReview] = []
    nodes, search_us, stopped, unreached = 0, 0.0, None, 0
    for step in replay.steps:
        position = known_position(step)
        move = step.event.move
        assert move is not None
        if move.kind in _STAKE:
            continue
        seconds = max_seconds
        if total_seconds is not None:
            left = total_seconds - (time.monotonic() - started)
            seconds = left if seconds is None else min(seconds, left)
        if (seconds is not None and seconds <= 0) or (stop is not None and stop.is_set):
            unreached += 1
            reason = "stop" if stop is not None and stop.is_set else "time"
            moves.append(_unreached(step, move, position, reason))
            stopped = stopped or reason
            continue
        main = solver.solve(
            position, line=False, max_nodes=max_nodes, max_seconds=seconds, stop=stop
        )
        second = None
        if points and move.kind in ("play", "discard") and main.stopped != "stop":
            second = solver.solve(
                position,
                "points",
                line=False,
                max_nodes=max_points_nodes,
                max_seconds=seconds,
                stop=stop,
            )
        done = _reviewed(step, move, position, main, second)
        moves.append(done)
        nodes += done.nodes
        search_us += main.search_us + (second.search_us if second is not None else 0.0)
        stopped = stopped or done.stopped
    return Review(record, tuple(moves), replay.result, nodes, search_us, stopped, unreached)


def _check_limits(**limits: float | None) -> None:
    faults = [
        Fault(name, str(value), "not a limit", "use a number over 0, or None for no limit")
        for name, value in limits.items()
        if value is not None and not value > 0
    ]
    if faults:
        raise InputError(faults)


def _hidden(record: HandRecord) -> list[Fault]:
    if record.seat is not None:
        return [
            Fault(
                "Seat",
                str(record.seat),
                "one seat has not seen every card",
                "give the record of all seats",
            )
        ]
    return [
        Fault(
            "Undrawn",
            "",
            "the cards that were not drawn are unknown, and they decide",
            "list them in drawing order, the turned trump last",
        )
    ]


def _unreached(step: Step, move: Move, position: Position, reason: str) -> MoveReview:
    return MoveReview(
        step.trick, step.seat, move, str(position), -1, 1, -1, 1, (), False, None, 0, reason
    )


def _of(values: Sequence[MoveValue], move: Move) -> MoveValue:
    """The value of a move, which is one of those that were valued."""
    for value in values:
        if value.move == move:
            return value
    # Not StopIteration, as of next(): a future would not take it, and wait for ever.
    raise RuntimeError(f"{move} was played, and the solver has no value for it")


def _bounds(values: Sequence[MoveValue], move: Move) -> tuple[int, int, int, int]:
    """Bounds of a move, and of the best of all."""
    own = _of(values, move)
    return (
        own.lower,
        own.upper,
        max(value.lower for value in values),
        max(value.upper for value in values),
    )


def _reviewed(
    step: Step, move: Move, position: Position, main: Solution, second: Solution | None
) -> MoveReview:
    values = list(main.moves)
    if move.kind in ("stop", "challenge"):
        # The other choice of the caller is silence, after which the position has its value.
        calls = [value for value in main.calls if value.seat == step.seat]
        own = _of(calls, move)
        lower, upper = own.lower, own.upper
        silent = _worth(main, position, step.seat)
        best_lower = max(silent[0], *(value.lower for value in calls))
        best_upper = max(silent[1], *(value.upper for value in calls))
        best = tuple([value.move for value in calls if value.lower == value.upper == best_upper])
        forced = False
    else:
        lower, upper, best_lower, best_upper = _bounds(values, move)
        best = tuple([value.move for value in values if value.lower == value.upper == best_upper])
        forced = len(values) == 1
    cost = None
    nodes, stopped = main.nodes, main.stopped
    if second is not None:
        nodes += second.nodes
        if any(value.move == move for value in second.moves):
            low, high, best_low, best_high = _bounds(second.moves, move)
            others = len(second.moves) > 1
            cost = PointsCost(max(0, best_low - high), max(0, best_high - low) if others else 0)
    return MoveReview(
        trick=step.trick,
        seat=step.seat,
        move=move,
        position=str(position),
        lower=lower,
        upper=upper,
        best_lower=best_lower,
        best_upper=best_upper,
        best=best,
        forced=forced,
        points=cost,
        nodes=nodes,
        stopped=stopped,
    )


def _worth(main: Solution, position: Position, seat: int) -> tuple[int, int]:
    """Bounds of what a position is worth to a seat that need not be the one on turn."""
    if main.guaranteed:
        return main.guaranteed[seat].lower, main.guaranteed[seat].upper
    if (seat - position.turn) % 2 == 0:
        return main.lower, main.upper
    return -main.upper, -main.lower
