"""Advice from what a player has seen: how his claim stands, and what to play.

`estimate_claim` counts; `recommend` averages over worlds that look alike to the player. In
that average cards are played as if all were known (double dummy), which is nearly right for
card play, but *nobody claims on cards he has not seen*: a player claims when what he has seen
makes it sure. What is left of the known bias of such averages (each world is played by
someone who knows it, "strategy fusion": Frank and Basin, 1998) is not corrected.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, sqrt

from bura_core._sampler import Worlds, beat_odds, worlds
from bura_core._solver import Solver, Stop, limit_faults, moves_of
from bura_core.errors import Fault, InputError
from bura_core.notation import Move
from bura_core.view import View

__all__ = ["ClaimEstimate", "MoveAdvice", "Recommendation", "estimate_claim", "recommend"]

_POINTS = (0, 0, 0, 0, 2, 3, 4, 10, 11) * 4
_CHUNK = 32
"""Worlds a worker takes at a time; limits are looked at in between as well as inside."""
_NODES_IN_ALL = 20_000_000
"""The default budget: a few seconds on one core, far more than a small hand needs."""
_HORIZONS = (None, 12, 10, 8, 6, 4, 2)
"""How many cards of the talon ahead a world is searched; None: to the end of the hand."""


@dataclass(frozen=True, slots=True)
class ClaimEstimate:
    """How a claim of ``seat`` stands, counted exactly, before any assumption about play.

    In pairs the partner's pile counts with it.

    * ``shown``: points of the pile that the player of the view has seen, handicap included.
    * ``closed``: face-down cards in it that he has not seen.
    * ``minimum``, ``maximum``: what the pile is certain to count, at least and at most.
    * ``ways``: (count, in how many ways the closed cards make it), by rising count;
      ``total_ways`` their sum, all equally likely.
    * ``chance``: exact chance that the claim wins under the target (and ceiling).
    * ``verdict``: ``sure``, ``impossible`` or ``open``.
    * ``allowed``: whether the seat may claim in this very position.
    """

    seat: int
    shown: int
    closed: int
    minimum: int
    maximum: int
    ways: tuple[tuple[int, int], ...]
    total_ways: int
    chance: Fraction
    verdict: str
    target: int
    ceiling: int | None
    allowed: bool


@dataclass(frozen=True, slots=True)
class MoveAdvice:
    """What a move is worth to the player who asks, from what he has seen.

    * ``value``: mean outcome of the hand, -1 to 1 (of the stake in force); of a claim exact.
    * ``standard_error``: of that mean as an estimate over all worlds; 0 where all were
      searched to the end.
    * ``win``, ``draw``, ``loss``: shares of the worlds, 0 to 1. They sum to 1 less
      ``unsettled``, the share in which a limit left the outcome open (counted as 0 in
      ``value``).
    * ``worlds``: how many worlds this is taken over.
    * ``beaten``: for a lead, the exact chance that the other hand can beat it; else None.
    """

    move: Move
    value: float
    standard_error: float
    win: float
    draw: float
    loss: float
    unsettled: float
    worlds: int
    beaten: Fraction | None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, and why.

    * ``moves``: every move of the seat, best first; ties go to the move that gives away
      fewer points, then to fewer trumps, then to the canonical order. ``best`` is the first.
    * ``worlds`` of ``total_worlds`` were looked at; ``method`` is ``enumerated`` if that is
      all of them, else ``sampled``.
    * ``horizon``: None if worlds were searched to the end of the hand, else how many cards
      of the talon ahead, with a rule of thumb beyond (``value`` is then an estimate whose
      standard error does not cover that rule's mistakes).
    * ``claim``: how a claim stands, where the seat may claim; ``pile`` the same in any case.
    * ``nodes`` searched, ``search_us`` microseconds in all, ``stopped``: None, or the limit
      that ended it early (nodes, time, stop) with fewer worlds.
    """

    seat: int
    moves: tuple[MoveAdvice, ...]
    worlds: int
    total_worlds: int
    method: str
    horizon: int | None
    claim: ClaimEstimate | None
    pile: ClaimEstimate
    nodes: int
    search_us: float
    stopped: str | None

    @property
    def best(self) -> Move:
        """The recommended move."""
        return self.moves[0].move

    @property
    def exhaustive(self) -> bool:
        """Whether every world was looked at."""
        return self.method == "enumerated"


def estimate_claim(view: View, seat: int | None = None) -> ClaimEstimate:
    """How a claim of ``seat`` (the view's own, if left out) stands in the eyes of the view.

    Raises InputError for a seat that is not there, and where the pile is a bare number of
    points of a hand whose cards are not all known.
    """
    text, rules = view.text, view.rules
    seat = view.seat if seat is None else seat
    if type(seat) is not int or not 0 <= seat < rules.players:
        raise InputError(Fault("seat", str(seat), "no such seat", f"use 0 to {rules.players - 1}"))
    shown = closed = 0
    for each in _side(view, seat):
        pile = text.piles[each]
        known = [item.card for item in pile.items if item.card is not None]
        closed += len(pile.items) - len(known)
        shown += text.handicap[each]
        shown += sum(_POINTS[card] for card in known) if pile.points is None else pile.points
    sums = _subset_sums(_value_counts(view.unseen), closed)
    ways = tuple((shown + points, count) for points, count in sums)
    total = comb(view.unseen.bit_count(), closed)
    ceiling = rules.claim_ceiling
    good = sum(
        count
        for points, count in ways
        if points >= rules.target and (ceiling is None or points <= ceiling)
    )
    return ClaimEstimate(
        seat=seat,
        shown=shown,
        closed=closed,
        minimum=ways[0][0],
        maximum=ways[-1][0],
        ways=ways,
        total_ways=total,
        chance=Fraction(good, total),
        verdict="sure" if good == total else "open" if good else "impossible",
        target=rules.target,
        ceiling=ceiling,
        allowed=_may_claim(view, seat),
    )


def _side(view: View, seat: int) -> list[int]:
    """The seats whose piles count together: the seat, and in pairs its partner opposite."""
    players = view.rules.players
    return [
        each
        for each in range(players)
        if each == seat or (view.rules.pairs and each % 2 == seat % 2)
    ]


def _may_claim(view: View, seat: int) -> bool:
    text = view.text
    if view.rules.claim_window == "own_turn":
        piles = [text.piles[each] for each in _side(view, seat)]
        return text.turn == seat and any(pile.items or pile.points for pile in piles)
    if view.rules.claim_window == "end_of_deck" and text.talon:
        return False
    return text.claim == seat


def _value_counts(cards: int) -> tuple[tuple[int, int], ...]:
    """(points, number of these cards worth them), for every value there is."""
    counts: dict[int, int] = {}
    for card in range(36):
        if cards >> card & 1:
            counts[_POINTS[card]] = counts.get(_POINTS[card], 0) + 1
    return tuple(sorted(counts.items()))


@lru_cache(maxsize=256)
def _subset_sums(counts: tuple[tuple[int, int], ...], size: int) -> tuple[tuple[int, int], ...]:
    """(sum, in how many ways) over all sets of ``size`` cards, by rising sum."""
    table = {(0, 0): 1}  # (cards taken, sum) -> ways
    for points, number in counts:
        grown: dict[tuple[int, int], int] = {}
        for (taken, total), ways in table.items():
            for more in range(min(number, size - taken) + 1):
                key = taken + more, total + more * points
                grown[key] = grown.get(key, 0) + ways * comb(number, more)
        table = grown
    return tuple(sorted((total, ways) for (taken, total), ways in table.items() if taken == size))


def recommend(
    view: View,
    *,
    max_worlds: int = 1000,
    seed: int = 0,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    threads: int = 1,
    stop: Stop | None = None,
    solvers: list[Solver] | None = None,
) -> Recommendation:
    """What the view's seat should do, averaged over the worlds it cannot tell apart.

    At most ``max_worlds`` worlds (1 to 10 million) are searched, all if there are no more,
    else samples drawn with ``seed``. ``max_nodes`` bounds the whole search (default 20
    million): where worlds are too large for their share, each is searched only some cards
    of the talon ahead. ``max_seconds`` and ``stop`` end it early with the worlds done until
    then. The answer depends on the view, max_worlds, seed and max_nodes alone, not on
    ``threads`` (1 to 64), unless time or ``stop`` ended it. ``solvers`` may lend solvers with
    their tables, one a thread.

    Raises InputError if it is not the seat's turn and it has no combination to call, if the
    hand is over, or for arguments out of range.
    """
    begin = time.perf_counter()
    faults = limit_faults(max_nodes, max_seconds, threads, stop)
    if faults:
        raise InputError(faults)
    sample = worlds(view, max_worlds, seed)
    moves = moves_of(sample)
    if not moves:
        raise InputError(
            Fault(
                "turn",
                str(view.text.turn),
                f"seat {view.seat} has nothing to decide here",
                f"ask for a position in which seat {view.seat} is to act",
            )
        )
    solvers = solvers or [Solver(table_mb=4) for _ in range(threads)]
    deadline = None if max_seconds is None else begin + max_seconds
    each = max(1, (_NODES_IN_ALL if max_nodes is None else max_nodes) // len(sample))
    horizon, probed = _find_horizon(sample, solvers[0], each, deadline, stop)
    lower, upper, nodes, guessed, stopped = _judge(
        sample, solvers[:threads], 4 * each, horizon, deadline, stop
    )
    claim = estimate_claim(view)
    done = len(lower) // len(moves)
    complete = sample.exhaustive and done == len(sample)
    # The share of all worlds that is yet to be seen scales the error of a mean.
    advice = _average(view, moves, lower, upper, claim, 0 if complete else 1 - done / sample.total)
    if done and not any(move.worlds for move in advice):
        raise InputError(
            Fault(
                "position",
                str(view),
                "the hand is over: a combination that wins on sight is held",
                "ask for a position in which the hand goes on",
            )
        )
    return Recommendation(
        seat=view.seat,
        moves=advice,
        worlds=done,
        total_worlds=sample.total,
        method="enumerated" if complete else "sampled",
        horizon=horizon if guessed else None,
        claim=claim if claim.allowed else None,
        pile=claim,
        nodes=nodes + probed,
        search_us=1e6 * (time.perf_counter() - begin),
        stopped=stopped,
    )


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(1e-6, deadline - time.perf_counter())


def _find_horizon(
    sample: Worlds, solver: Solver, each: int, deadline: float | None, stop: Stop | None
) -> tuple[int | None, int]:
    """The farthest horizon at which the first few worlds fit their share of nodes."""
    nodes = 0
    few = min(4, len(sample))
    for horizon in _HORIZONS:
        lower, upper, more, _, stopped = solver.judge(
            sample,
            0,
            few,
            node_limit=each,
            horizon=horizon,
            max_seconds=_left(deadline),
            stop=stop,
        )
        nodes += more
        if lower == upper or stopped:
            return horizon, nodes
    return _HORIZONS[-1], nodes


def _judge(
    sample: Worlds,
    solvers: list[Solver],
    node_limit: int,
    horizon: int | None,
    deadline: float | None,
    stop: Stop | None,
) -> tuple[bytes, bytes, int, bool, str | None]:
    """`Solver.judge` over all worlds, a chunk at a time, put together in order."""

    def chunk(solver: Solver, first: int) -> tuple[bytes, bytes, int, bool, str | None]:
        return solver.judge(
            sample,
            first,
            min(first + _CHUNK, len(sample)),
            node_limit=node_limit,
            horizon=horizon,
            max_seconds=_left(deadline),
            stop=stop,
        )

    starts = range(0, len(sample), _CHUNK)
    if len(solvers) == 1:
        parts = []
        for first in starts:
            parts.append(chunk(solvers[0], first))
            if parts[-1][4]:
                break
    else:
        free = list(solvers)  # list.pop and append are atomic: each thread borrows one

        def borrowed(first: int) -> tuple[bytes, bytes, int, bool, str | None]:
            solver = free.pop()
            try:
                return chunk(solver, first)
            finally:
                free.append(solver)

        with ThreadPoolExecutor(len(solvers)) as pool:
            parts = list(pool.map(borrowed, starts))
    ended = next((i for i, part in enumerate(parts) if part[4]), len(parts) - 1)
    parts = parts[: ended + 1]
    return (
        b"".join(part[0] for part in parts),
        b"".join(part[1] for part in parts),
        sum(part[2] for part in parts),
        any(part[3] for part in parts),
        parts[-1][4],
    )


def _average(
    view: View,
    moves: tuple[Move, ...],
    lower: bytes,
    upper: bytes,
    claim: ClaimEstimate,
    unseen_share: float,
) -> tuple[MoveAdvice, ...]:
    """Each move over all worlds, best first."""
    advice = []
    width = len(moves)
    leads = view.text.turn == view.seat and not view.text.table
    for i, move in enumerate(moves):
        # (lower, upper), each one more than the value; 9 stands for a world in which the hand
        # would be over.
        seen = Counter(zip(lower[i::width], upper[i::width], strict=True))
        seen.pop((9, 9), None)
        n = seen.total()
        if move.kind == "claim":
            chance = float(claim.chance)
            advice.append(
                MoveAdvice(move, 2 * chance - 1, 0.0, chance, 0.0, 1 - chance, 0.0, n, None)
            )
            continue
        if not n:
            advice.append(MoveAdvice(move, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0, None))
            continue
        wins, draws, losses = (seen[value, value] for value in (2, 1, 0))
        # An outcome left open counts as the middle of its bounds.
        middles = [((low + high) / 2 - 1, times) for (low, high), times in seen.items()]
        mean = sum(middle * times for middle, times in middles) / n
        spread = sum((middle - mean) ** 2 * times for middle, times in middles)
        error = sqrt(spread / (n - 1) / n * unseen_share) if n > 1 else 1.0 * (unseen_share > 0)
        advice.append(
            MoveAdvice(
                move,
                mean,
                error,
                wins / n,
                draws / n,
                losses / n,
                (n - wins - draws - losses) / n,
                n,
                beat_odds(view, move.cards) if leads and move.kind == "play" else None,
            )
        )
    advice.sort(key=lambda a: (-a.value, *_cost(a.move, view.trump)))
    return tuple(advice)


def _cost(move: Move, trump: int | None) -> tuple[int, int, int]:
    """What a move gives out of the hand: points, trumps, and an order of last resort."""
    points = sum(_POINTS[card] for card in range(36) if move.cards >> card & 1)
    trumps = 0 if trump is None else (move.cards >> 9 * trump & 511).bit_count()
    return points, trumps, move.cards
