"""Advice from what a player has seen: how his claim stands, and what to play.

`estimate_claim` counts; `recommend` averages over worlds that look alike to the player. In
that average cards are played as if all were known (double dummy), which is nearly right for
card play, but *nobody claims on cards he has not seen*: a player claims when what he has seen
makes it sure. What is left of the known bias of such averages (each world is played by
someone who knows it, "strategy fusion": Frank and Basin, 1998) is not corrected.

The average is taken over more and more worlds. All moves are valued in the same worlds, so what
is compared is the mean of their differences, world by world (`refine`).
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, sqrt
from statistics import NormalDist

from bura_core._rules import beats, not_for_two
from bura_core._sampler import Worlds, beat_odds, worlds
from bura_core._solver import Solver, Stop, limit_faults, moves_of
from bura_core.errors import Fault, InputError
from bura_core.inference import Inference, infer
from bura_core.notation import Move
from bura_core.view import View

__all__ = [
    "ClaimEstimate",
    "MoveAdvice",
    "Recommendation",
    "estimate_claim",
    "recommend",
    "refine",
]

_POINTS = (0, 0, 0, 0, 2, 3, 4, 10, 11) * 4
_CHUNK = 32
"""Worlds a worker takes at a time; limits are looked at in between as well as inside."""
_FIRST_LOOK = 64
"""Worlds before moves are compared for the first time; then whenever there are twice as many."""
_MOST_AT_A_TIME = 512
"""Worlds between two answers of `refine` at most."""
_ROUGHLY = 3
"""Clearly worse moves are valued until their error is so many times the one allowed."""
_NODES_IN_ALL = 20_000_000
"""The default budget: a few seconds on one core, far more than a small hand needs."""
_NODES_A_SECOND = 1_200_000
"""What a time limit without a node limit is taken for, to choose the horizon by."""
_PROBED = 8
"""Worlds a horizon is tried in."""
_HORIZONS = (None, 12, 10, 8, 6, 4, 2)
"""How many cards of the talon ahead a world is searched; None: to the end of the hand."""
_NODES_OF_SEVERAL = 400_000
"""The default budget of hands beyond two players' usual game, whose nodes are larger."""
_NODES_OF_SEVERAL_A_SECOND = 80_000
_HORIZONS_OF_SEVERAL = (None, 16, 12, 8, 4, 0)
"""Their horizons; 0: no farther than the trick under way, also where the talon is out."""


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
    * ``beaten``: for a lead of two players, the exact chance that the other hand can beat it;
      else None.
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

    * ``moves``: every move of the seat, best first. Ties in value go to the move that loses in
      fewer worlds, then to the one that is best in more of them, then to the one with more
      points in hand after the trick (`_in_hand`), then to fewer trumps given away, then to the
      canonical order. ``best`` is the first.
    * ``worlds`` of ``total_worlds`` were looked at; ``method`` is ``enumerated`` if that is
      all of them, else ``sampled``. Moves that were clearly worse were dropped on the way and
      have fewer worlds of their own.
    * ``clear``: whether every other move has been found worse than the best at the stated
      ``confidence`` (None: not looked for), or all worlds were searched to the end.
    * ``horizon``: None if worlds were searched to the end of the hand, else how many cards
      of the talon ahead, with a rule of thumb beyond (``value`` is then an estimate whose
      standard error does not cover that rule's mistakes); 0: no farther than this trick.
    * ``effective``: the effective number of worlds after inference (`Inference`), of those
      weighed; None where all count alike. ``claim_chance``: of a claim, under inference.
    * ``claim``: how a claim stands before any inference, where the seat may claim; ``pile`` the
      same in any case.
    * ``nodes`` searched, ``search_us`` microseconds in all, ``stopped``: None, or the limit
      that ended it early (nodes, time, stop) with fewer worlds.
    """

    seat: int
    moves: tuple[MoveAdvice, ...]
    worlds: int
    total_worlds: int
    method: str
    clear: bool
    confidence: float | None
    horizon: int | None
    effective: float | None
    claim_chance: float
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
    max_worlds: int = 2600,
    seed: int = 0,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    max_error: float = 0.02,
    confidence: float | None = 0.99,
    inference: bool = False,
    threads: int = 1,
    stop: Stop | None = None,
    solvers: list[Solver] | None = None,
) -> Recommendation:
    """What the view's seat should do, averaged over the worlds it cannot tell apart.

    At most ``max_worlds`` worlds (1 to 10 million) are searched, all if there are no more,
    else samples drawn with ``seed``. A sample ends early when the best move is clear: every
    other is worse at the ``confidence`` (0.5 to less than 1), and the best move's standard error
    is at most ``max_error`` (stakes, more than 0). None for ``confidence`` looks at all
    ``max_worlds``, with every move.

    Pairs are valued as a side, one of several single players by what he can be sure of against
    all others together.

    ``max_nodes`` bounds the whole search (default 20 million, or what fits ``max_seconds``; of
    hands beyond two players' usual game 400,000, for their nodes are larger):
    where worlds are too large for their share, each is searched only some cards of the talon
    ahead. With ``inference`` worlds are weighted by what the other seat did, where the view has a
    history (inference.py). ``max_seconds`` and ``stop`` end it with the worlds done until then.
    The answer depends on the view and on what is asked, not on ``threads`` (1 to 64), unless the
    clock or ``stop`` ended it. ``solvers`` may lend solvers with their tables, one a thread.

    Raises InputError if it is not the seat's turn and it has no combination to call, if the
    hand is over, or for arguments out of range.
    """
    *_, answer = refine(
        view,
        max_worlds=max_worlds,
        seed=seed,
        max_nodes=max_nodes,
        max_seconds=max_seconds,
        max_error=max_error,
        confidence=confidence,
        inference=inference,
        threads=threads,
        stop=stop,
        solvers=solvers,
        only_last=True,
    )
    return answer


def refine(
    view: View,
    *,
    max_worlds: int = 2600,
    seed: int = 0,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    max_error: float = 0.02,
    confidence: float | None = 0.99,
    inference: bool = False,
    threads: int = 1,
    stop: Stop | None = None,
    solvers: list[Solver] | None = None,
    only_last: bool = False,
) -> Iterator[Recommendation]:
    """The answers of `recommend` on its way, each over more worlds; the last one is its answer.

    The first comes after 32 worlds, the others whenever there are twice as many, and at least
    every 512. Arguments are those of `recommend`, and are checked when the first answer is
    asked for; ``only_last`` leaves out all but the last.

    When to stop is a sequential test on paired worlds. After 64 worlds, and whenever they have
    doubled, the best move is compared with each of the others by the mean of their differences
    world by world. A move is clearly worse when that mean is above z of its standard errors, where
    z is the one-sided normal quantile for an error of (1 - confidence) / (looks * rivals): looks
    are all comparisons up to ``max_worlds``, so peeking is paid for in full (Bonferroni). Once its
    own standard error is three times ``max_error`` or less, it is valued no longer. The
    variance counts one difference of +1 and one of -1 stake beside those seen, so that a few
    worlds that agree are no proof. Few worlds are enumerated and never cut short.
    """
    steps = _steps(
        view,
        max_worlds,
        seed,
        max_nodes,
        max_seconds,
        max_error,
        confidence,
        inference,
        threads,
        stop,
        solvers,
        only_last,
    )
    for _, answer in steps:
        yield answer


def _steps(
    view: View,
    max_worlds: int,
    seed: int,
    max_nodes: int | None,
    max_seconds: float | None,
    max_error: float,
    confidence: float | None,
    inference: bool,
    threads: int,
    stop: Stop | None,
    solvers: list[Solver] | None,
    only_last: bool,
) -> Iterator[tuple[_Tally, Recommendation]]:
    """`refine`, with the values world by world."""
    begin = time.perf_counter()
    faults = limit_faults(max_nodes, max_seconds, threads, stop)
    if confidence is not None and not _between(confidence, 0.5, 1):
        faults.append(
            Fault(
                "confidence",
                str(confidence),
                "not a confidence",
                "use 0.5 to less than 1, or leave it out",
            )
        )
    if not _between(max_error, 1e-9, 1e9):
        faults.append(
            Fault("max_error", str(max_error), "not a standard error", "use stakes, more than 0")
        )
    if faults:
        raise InputError(faults)
    sample = worlds(view, max_worlds, seed)
    moves = moves_of(sample)
    inferred = None
    if inference and moves:
        sample, inferred = weighed(view, max_worlds, seed, inference)
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
    if max_nodes is None:
        several = not_for_two(view.rules) is not None
        max_nodes = _NODES_OF_SEVERAL if several else _NODES_IN_ALL
        if max_seconds is not None:
            rate = _NODES_OF_SEVERAL_A_SECOND if several else _NODES_A_SECOND
            max_nodes = max(1, min(max_nodes, int(max_seconds * threads * rate)))
    each = max(1, max_nodes // len(sample))
    horizon, nodes = _find_horizon(sample, solvers[0], each, deadline, stop)
    claim = estimate_claim(view)
    tally = _Tally(view, moves, sample, claim, max_error, confidence, inferred)
    guessed = False
    stopped = None
    with ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as pool:
        while not stopped and not tally.done():
            first, last = tally.next_batch()
            lower, upper, more, reached, stopped = _judge(
                sample,
                solvers[:threads],
                pool,
                (first, last),
                tally.live,
                4 * each,
                horizon,
                deadline,
                stop,
            )
            nodes += more
            guessed = guessed or reached
            tally.add(lower, upper)
            ended = stopped is not None or tally.done()
            if ended or not only_last:
                yield (
                    tally,
                    tally.answer(
                        horizon=horizon if guessed else None,
                        nodes=nodes,
                        search_us=1e6 * (time.perf_counter() - begin),
                        stopped=stopped,
                    ),
                )


def weighed(
    view: View, max_worlds: int, seed: int, inference: bool
) -> tuple[Worlds, Inference | None]:
    """Worlds drawn by their likelihood, or all worlds, with what was inferred of them.

    Of a sample, twice as many worlds are weighed and ``max_worlds`` of them drawn by their weights
    (sampling importance resampling, Rubin 1987), so that no search is spent on worlds that hardly
    count. All worlds, where they are few, are kept with their weights. Without ``inference``, or
    where there is nothing to infer from, all worlds count alike.
    """
    sample = worlds(view, max_worlds, seed)
    if not inference or not view.history:
        return sample, None
    if not sample.exhaustive:
        sample = worlds(view, min(2 * max_worlds, 10_000_000), seed)
    inferred = infer(view, sample, seed=seed)
    if inferred is None:
        return worlds(view, max_worlds, seed), None
    if sample.exhaustive and len(sample) <= max_worlds:
        return sample, inferred
    return sample.chosen(drawn(inferred.weights, max_worlds, seed)), inferred


def drawn(weights: Sequence[float], size: int, seed: int) -> list[int]:
    """``size`` indices drawn by their weights (systematic resampling), in random order."""
    rng = random.Random(seed)
    step = sum(weights) / size
    at = rng.random() * step
    total = 0.0
    chosen: list[int] = []
    for index, weight in enumerate(weights):
        total += weight
        while at < total and len(chosen) < size:
            chosen.append(index)
            at += step
    while len(chosen) < size:
        chosen.append(len(weights) - 1)
    rng.shuffle(chosen)
    return chosen


class _Tally:
    """Values of moves in the worlds looked at so far, and what follows from them."""

    def __init__(
        self,
        view: View,
        moves: tuple[Move, ...],
        sample: Worlds,
        claim: ClaimEstimate,
        max_error: float,
        confidence: float | None,
        inferred: Inference | None,
    ) -> None:
        self.view = view
        self.moves = moves
        self.sample = sample
        self.claim = claim
        self.inferred = inferred
        # All worlds, weighted; a sample was drawn by its weights, and counts each world once.
        self._weights: tuple[float, ...] | None = None
        if (
            inferred is not None
            and len(inferred.weights) == len(sample)
            and (sample.total == len(sample))
        ):
            self._weights = inferred.weights
        self.max_error = max_error
        self.confidence = confidence
        self.live = list(range(len(moves)))
        """Numbers of the moves that are still valued."""
        self.clear = False
        self._dropped: dict[int, int] = {}  # move -> when, the first one dropped last in order
        self._lower = bytearray()
        self._upper = bytearray()
        self._worlds = 0
        self._looked = 0
        leads = view.text.turn == view.seat and not view.text.table
        leads = leads and view.rules.players == 2
        self._beaten = [
            beat_odds(view, move.cards) if leads and move.kind == "play" else None
            for move in moves
        ]
        size = len(sample)
        self._cautious = confidence is not None and not sample.exhaustive and len(moves) > 1
        looks = max(1, (size // _FIRST_LOOK).bit_length())
        self._z = (
            NormalDist().inv_cdf(1 - (1 - confidence) / (looks * (len(moves) - 1)))
            if confidence is not None and len(moves) > 1
            else 0.0
        )

    def next_batch(self) -> tuple[int, int]:
        """Which worlds to search next: as many again, but not too many at a time."""
        first = self._worlds
        last = max(_CHUNK, min(2 * first, first + _MOST_AT_A_TIME))
        look = _FIRST_LOOK
        while look <= first:
            look *= 2
        return first, min(last, look, len(self.sample))

    def done(self) -> bool:
        """Whether there is nothing left to find out."""
        return self._worlds == len(self.sample) or (self._cautious and self.clear and self._sharp)

    @property
    def _sharp(self) -> bool:
        best = self._ranked()[0]
        return self._value(best)[1] <= self.max_error

    def add(self, lower: bytes, upper: bytes) -> None:
        """Take the values of further worlds."""
        self._lower += lower
        self._upper += upper
        self._worlds = len(self._lower) // len(self.moves)
        look = _FIRST_LOOK
        while 2 * look <= self._worlds:
            look *= 2
        if self._cautious and self._worlds >= look > self._looked:
            self._looked = look
            self._compare()

    def _counted(self, *moves: int) -> Mapping[tuple[int, ...], float]:
        """How often some moves have which bounds together, by weight where worlds have one."""
        width = len(self.moves)
        columns = [
            column[number::width] for number in moves for column in (self._lower, self._upper)
        ]
        rows = zip(*columns, strict=True)
        if self._weights is None:
            return dict(Counter(rows))
        counted: dict[tuple[int, ...], float] = {}
        for row, weight in zip(rows, self._weights, strict=False):
            counted[row] = counted.get(row, 0.0) + weight
        return counted

    def _outcomes(self, move: int) -> dict[float, float]:
        """The outcomes of a move and how often they came, worlds without one left out."""
        outcomes: dict[float, float] = {}
        for (low, high), times in self._counted(move).items():
            if low < 8:
                middle = (low + high) / 2 - 1
                outcomes[middle] = outcomes.get(middle, 0.0) + times
        return outcomes

    def _spread(self, outcomes: Mapping[float, float]) -> tuple[float, float]:
        """Mean, and its standard error with one outcome of +1 and -1 more than were seen."""
        n = sum(outcomes.values())
        if not n:
            return 0.0, 1.0
        mean = sum(value * times for value, times in outcomes.items()) / n
        square = sum((value - mean) ** 2 * times for value, times in outcomes.items()) + 2
        return mean, sqrt(square / (n + 1) / n * self._unseen_share)

    @property
    def _unseen_share(self) -> float:
        """The share of all worlds that is yet to be seen: it scales the error of a mean."""
        if self.sample.exhaustive and self._worlds == len(self.sample):
            return 0
        if self.inferred is not None:
            # Drawn by weights from a sample that is worth so many worlds itself.
            return 1 + self._worlds / self.inferred.effective
        return 1 - self._worlds / self.sample.total

    def _value(self, move: int) -> tuple[float, float]:
        """Mean and cautious standard error of a move; a claim's chance is exact."""
        if self.moves[move].kind == "claim":
            return 2 * self.claim_chance - 1, 2 * self._claim_error
        return self._spread(self._outcomes(move))

    @cached_property
    def claim_chance(self) -> float:
        """The chance that a claim holds: exact, or under inference."""
        if self.inferred is None or self.claim.verdict != "open":
            return float(self.claim.chance)
        return self.inferred.chance(self.claim.target, self.claim.ceiling)

    @property
    def _claim_error(self) -> float:
        if self.inferred is None or self._weights or self.claim.verdict != "open":
            return 0.0
        chance = self.claim_chance
        return sqrt(chance * (1 - chance) / self.inferred.effective)

    def _compare(self) -> None:
        """Drop moves that are clearly worse than the best."""
        best = max(self.live, key=lambda move: self._value(move)[0])
        left = [best]
        clear = True
        for move in self.live:
            if move == best:
                continue
            mean, error = self._difference(best, move)
            worse = mean > self._z * error
            if worse and self._value(move)[1] <= _ROUGHLY * self.max_error:
                self._dropped[move] = self._looked
            else:
                left.append(move)
            clear = clear and worse
        self.live = sorted(left)
        self.clear = clear

    def _difference(self, best: int, move: int) -> tuple[float, float]:
        """By how much a move is better than another, world by world, and the error of that."""
        if "claim" in (self.moves[best].kind, self.moves[move].kind):
            (mine, my_error), (theirs, their_error) = self._value(best), self._value(move)
            return mine - theirs, max(my_error, their_error)
        differences: dict[float, float] = {}
        for (low, high, other_low, other_high), times in self._counted(best, move).items():
            if low < 8:
                difference = (low + high - other_low - other_high) / 2
                differences[difference] = differences.get(difference, 0.0) + times
        return self._spread(differences)

    def _ranked(self) -> list[int]:
        """Moves, best first: those that were dropped last of all, the earliest at the end."""
        values = {move: self._value(move)[0] for move in self.live}
        tied: dict[tuple[float, float], list[int]] = {}
        losses = {}
        for move in self.live:
            losses[move] = self._outcomes(move).get(-1.0, 0.0)
            tied.setdefault((values[move], losses[move]), []).append(move)
        often = dict.fromkeys(self.live, 0)
        for group in tied.values():
            if len(group) > 1:
                often.update(self._times_best(group))
        kept = sorted(
            self.live,
            key=lambda move: (-values[move], losses[move], -often[move], *self._cost(move)),
        )
        dropped = sorted(
            self._dropped,
            key=lambda move: (
                -self._dropped[move],
                -self._value(move)[0],
                *self._cost(move),
            ),
        )
        return kept + dropped

    def _times_best(self, group: list[int]) -> dict[int, int]:
        """For some moves, in how many worlds no move is better."""
        width = len(self.moves)
        count = dict.fromkeys(group, 0)
        for first in range(0, len(self._lower), width):
            row = {
                move: self._lower[first + move] + self._upper[first + move] for move in self.live
            }
            top = max(row.values())
            for move in group:
                count[move] += row[move] == top
        return count

    def _cost(self, move: int) -> tuple[float, int, int]:
        """What a move leaves to be wished for: points in hand, trumps, the canonical order."""
        cards, trump = self.moves[move].cards, self.view.trump
        trumps = 0 if trump is None else (cards >> 9 * trump & 511).bit_count()
        return -self._in_hand(move), trumps, cards

    def _in_hand(self, number: int) -> float:
        """Points of the running trick that the move brings in, less those it gives away.

        A lead brings its own points unless it is beaten, which takes the exact chance that
        the other hand can; an answer that beats brings all that lies there.
        """
        move = self.moves[number]
        points = sum(_POINTS[card] for card in range(36) if move.cards >> card & 1)
        chance = self._beaten[number]
        if chance is not None:
            return points * float(1 - 2 * chance)
        if move.kind in ("stop", "claim", "pass"):
            return 0.0
        table = self.view.text.table
        if not table:
            return 0.0
        lying = sum(_POINTS[card] for play in table for card in play.cards)
        best = 0
        for play in table:
            cards = _mask(play.cards)
            if not best or (
                not play.closed and beats(self.view.rules, self.view.trump, best, cards)
            ):
                best = cards
        taken = move.kind == "play" and beats(self.view.rules, self.view.trump, best, move.cards)
        return float(lying + points) * (1 if taken else -1)

    def answer(
        self, *, horizon: int | None, nodes: int, search_us: float, stopped: str | None
    ) -> Recommendation:
        """What is known by now."""
        advice = tuple(self._advice(move) for move in self._ranked())
        if self._worlds and not any(move.worlds for move in advice):
            raise InputError(
                Fault(
                    "position",
                    str(self.view),
                    "the hand is over: a combination that wins on sight is held",
                    "ask for a position in which the hand goes on",
                )
            )
        complete = not self._unseen_share
        return Recommendation(
            seat=self.view.seat,
            moves=advice,
            worlds=self._worlds,
            total_worlds=self.sample.total,
            method="enumerated" if complete else "sampled",
            clear=len(advice) == 1
            or self.clear
            or (complete and horizon is None and not any(move.unsettled for move in advice)),
            confidence=self.confidence,
            horizon=horizon,
            effective=None if self.inferred is None else self.inferred.effective,
            claim_chance=self.claim_chance,
            claim=self.claim if self.claim.allowed else None,
            pile=self.claim,
            nodes=nodes,
            search_us=search_us,
            stopped=stopped,
        )

    def _advice(self, number: int) -> MoveAdvice:
        move = self.moves[number]
        pairs = {pair: n for pair, n in self._counted(number).items() if pair[0] < 8}
        n = sum(pairs.values())
        worlds = int(n)
        if self._weights is not None:
            worlds = sum(value < 8 for value in self._lower[number :: len(self.moves)])
        if move.kind == "claim":
            chance, error = self.claim_chance, 2 * self._claim_error
            return MoveAdvice(
                move, 2 * chance - 1, error, chance, 0.0, 1 - chance, 0.0, worlds, None
            )
        beaten = self._beaten[number]
        if not n:
            return MoveAdvice(move, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0, beaten)
        wins, draws, losses = (pairs.get((value, value), 0.0) for value in (2, 1, 0))
        # An outcome left open counts as the middle of its bounds.
        middles = [((low + high) / 2 - 1, times) for (low, high), times in pairs.items()]
        mean = sum(middle * times for middle, times in middles) / n
        spread = sum((middle - mean) ** 2 * times for middle, times in middles)
        share = self._unseen_share
        if share and self.inferred is None:
            share = 1 - n / self.sample.total
        error = sqrt(spread / (n - 1) / n * share) if n > 1 else 1.0 * (share > 0)
        return MoveAdvice(
            move,
            mean,
            error,
            wins / n,
            draws / n,
            losses / n,
            max(0.0, (n - wins - draws - losses) / n),
            worlds,
            beaten,
        )

    def outcomes_of(self, number: int) -> list[float | None]:
        """The outcome of a move world by world, None where it has none."""
        width = len(self.moves)
        return [
            (low + high) / 2 - 1 if low < 8 else None
            for low, high in zip(
                self._lower[number::width], self._upper[number::width], strict=True
            )
        ]

    def weight_of(self, world: int) -> float:
        """What a world counts."""
        return 1.0 if self._weights is None else self._weights[world]


def _mask(cards: tuple[int, ...]) -> int:
    return sum(1 << card for card in cards)


def _between(value: object, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and low <= value < high


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(1e-6, deadline - time.perf_counter())


def _find_horizon(
    sample: Worlds, solver: Solver, each: int, deadline: float | None, stop: Stop | None
) -> tuple[int | None, int]:
    """The farthest horizon at which the first few worlds fit their share of nodes."""
    nodes = 0
    few = min(_PROBED, len(sample))
    horizons = _HORIZONS if not_for_two(sample.view.rules) is None else _HORIZONS_OF_SEVERAL
    for horizon in horizons:
        lower, upper, more, _, stopped = solver.judge(
            sample,
            0,
            few,
            node_limit=4 * each,
            horizon=horizon,
            max_seconds=_left(deadline),
            stop=stop,
        )
        nodes += more
        if (lower == upper and more <= few * each) or stopped:
            return horizon, nodes
    return horizons[-1], nodes


def _judge(
    sample: Worlds,
    solvers: list[Solver],
    pool: ThreadPoolExecutor | None,
    between: tuple[int, int],
    moves: list[int],
    node_limit: int,
    horizon: int | None,
    deadline: float | None,
    stop: Stop | None,
) -> tuple[bytes, bytes, int, bool, str | None]:
    """`Solver.judge` over some worlds, a chunk at a time, put together in order."""

    def chunk(solver: Solver, first: int) -> tuple[bytes, bytes, int, bool, str | None]:
        return solver.judge(
            sample,
            first,
            min(first + _CHUNK, between[1]),
            node_limit=node_limit,
            horizon=horizon,
            max_seconds=_left(deadline),
            stop=stop,
            moves=moves,
        )

    starts = range(*between, _CHUNK)
    if pool is None:
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
