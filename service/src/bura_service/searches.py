"""The questions a client may ask, most as jobs for a worker thread. Knows no protobuf."""

import itertools
import math
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar

from bura_core import (
    ClaimEstimate,
    Move,
    Position,
    Recommendation,
    RuleSet,
    Solution,
    View,
    estimate_claim,
    parse_position,
    recommend,
    solve_many,
)
from bura_core._rules import plainly_canonical
from bura_core.advice import refine
from bura_core.claiming import ClaimAdvice, advise_claim
from bura_core.equilibrium import ADVICE_NODES, Ending, Unsolved, joint_deals, try_ending
from bura_core.errors import Fault, InputError
from bura_core.raising import RaiseAdvice, advise_raise
from bura_core.record import HandRecord
from bura_core.review import MAX_NODES, Review, review
from bura_service.costs import (
    Work,
    nodes_at_a_table,
    nodes_to_settle,
    nodes_to_solve,
    seconds_of,
)
from bura_service.pool import Desk
from bura_service.status import NotReachedError, ShuttingDownError
from bura_service.tables import ReplayAnswer
from bura_service.tables import replay as replay_record

T = TypeVar("T")
V = TypeVar("V", int, float)
Objective: TypeAlias = Literal["outcome", "points", "score"]
OBJECTIVES: tuple[Objective, ...] = ("outcome", "points", "score")
Taste: TypeAlias = Solution | Exception | None
"""What a short search found, or raised; None where that is not known."""

# From this many moves to go, a count runs in the compiled core in one piece. It can't be
# stopped there, so the piece has to be small: some 2 ms in the widest positions.
_PIECE_DEPTH = 3

# What a taste of a search may visit: more than small ones do, and over in some milliseconds.
_TASTE_NODES = 10_000

# So many positions of a batch are handed to the core at once, at most; and for so long, in
# seconds, if it is to be as many the next time.
_MOST_AT_ONCE = 64
_QUICK = 0.01

# Before there is experience: seconds to read, solve and answer one position of a batch, to solve
# the position of one move of a hand, and to check a record.
_EACH_OF_BATCH = 0.00005
_EACH_OF_REVIEW = 0.05
_CHECK = 0.002

# The same for a world that is played out and solved with every option of a seat.
_EACH_PLAYED_OUT = 0.0001

# Play-outs stop where as many again would be late, so a share of the time may be left.
_NEARLY = 0.5

# What `recommend` visits at most where nothing is said.
_ADVICE_NODES = 20_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one search: positions, and seconds inside it. None is no bound."""

    max_nodes: int | None
    max_seconds: float | None


@dataclass(frozen=True, slots=True)
class _Search:
    """What questions have in common; see `asking.Question` for what it is for."""

    limits: Limits

    @property
    def key(self) -> Hashable:
        """What equal questions have in common, their time limit aside; None: none are equal."""
        return None

    @property
    def facts(self) -> dict[str, str | int]:
        """For the log; never cards."""
        return {}

    @property
    def line(self) -> str | None:
        """The position it is about, if it is about one."""
        return None

    def within(self, seconds: float) -> Self:
        """The same within so many seconds, if it has no bound of its own."""
        if self.limits.max_seconds is not None:
            return self
        return replace(self, limits=Limits(self.limits.max_nodes, seconds))

    def capped(self, nodes: int, seconds: float) -> Self:
        """The same with limits of at most so many nodes and seconds, where it has any."""
        own = self.limits
        if (own.max_nodes or 0) <= nodes and (own.max_seconds or 0.0) <= seconds:
            return self
        capped = Limits(_least(own.max_nodes, nodes), _least(own.max_seconds, seconds))
        return replace(self, limits=capped)

    def taste(self, nodes: int = _TASTE_NODES) -> Self | None:
        """The same cut so short that it is small in any case; None where that is of no use.

        `nodes` are what it may visit then.
        """
        del nodes
        return None

    def tasted(self, answer: Any) -> bool:
        """Whether the answer to a taste is as good as the whole."""
        del answer
        return False

    def _work(self, kind: Hashable, prior: float, units: int = 1, players: int = 2) -> Work:
        """Work within the limits."""
        most = self.limits.max_seconds
        if self.limits.max_nodes is not None:
            within = seconds_of(self.limits.max_nodes, players)
            most = within if most is None else min(most, within)
        return Work(kind, prior, units, most)


def _least(limit: V | None, bound: V) -> V | None:
    """A limit, but no more than the bound; None, no limit, stays."""
    return None if limit is None else min(limit, bound)


def _facts(rules: RuleSet, *, talon: bool, begun: bool) -> dict[str, str | int]:
    """The rule set, and how far the hand has come: whether cards are left to draw, and taken."""
    phase = "ending" if not talon else "talon" if begun else "deal"
    return {"rules": str(rules), "phase": phase}


def _view_facts(view: View) -> dict[str, str | int]:
    """The same of what a seat sees."""
    text = view.text
    begun = any(pile.items or pile.points for pile in text.piles)
    return _facts(text.rules, talon=bool(text.talon), begun=begun)


def canonical(line: str) -> str:
    """A position's canonical line; raises what is wrong with it."""
    return line if plainly_canonical(line) else str(parse_position(line))


@dataclass(frozen=True, slots=True)
class _AboutPosition(_Search):
    """What questions about one position have in common, all its cards known.

    Attributes:
        text: the position as its canonical line.
        position: the same, to play on.
    """

    text: str
    position: Position

    @property
    def facts(self) -> dict[str, str | int]:
        """The rules and the phase."""
        return self._about

    @property
    def _about(self) -> dict[str, str | int]:
        position = self.position
        return _facts(position.rules, talon=bool(position.talon), begun=any(position.tricks))

    @property
    def line(self) -> str | None:
        """The position."""
        return self.text

    @property
    def _size(self) -> tuple[int, int]:
        """Cards in the largest hand, and in the talon."""
        return max(map(int.bit_count, self.position.hands)), len(self.position.talon)


@dataclass(frozen=True, slots=True)
class SolveQuestion(_AboutPosition):
    """What is the value of a position, and of each of its moves?"""

    objective: Objective
    moves: bool
    wants_line: bool

    @property
    def key(self) -> Hashable:
        """The position as its canonical line, and what is asked about it."""
        asked = (self.objective, self.moves, self.wants_line)
        return ("solve", self.text, *asked, self.limits.max_nodes)

    @property
    def work(self) -> Work:
        """As positions of the same rules, size and objective."""
        hand, talon = self._size
        kind = ("solve", str(self.position.rules), hand, talon, self.objective, self.moves)
        rules = self.position.rules
        if rules.players > 2:
            nodes = nodes_at_a_table(rules, hand, talon)
        else:
            nodes = nodes_to_solve(hand, talon) * (hand if self.moves else 1)
        return self._work(kind, seconds_of(nodes, rules.players), players=rules.players)

    def taste(self, nodes: int = _TASTE_NODES) -> Self | None:
        """The same with few nodes, unless it has no more anyway."""
        if self.limits.max_nodes is not None and self.limits.max_nodes <= nodes:
            return None
        return replace(self, limits=Limits(nodes, self.limits.max_seconds))

    def tasted(self, answer: Any) -> bool:
        """Whether it came to an end of its own, or to that of its time."""
        return answer.solution.stopped != "nodes" and (
            answer.outcome is not None or answer.solution.stopped is not None
        )

    def answer(self, desk: Desk) -> "SolveAnswer":
        """Solves it; under another objective for the outcome too, with what is left."""
        main = desk.solver.solve(
            self.position,
            self.objective,
            moves=self.moves,
            line=self.wants_line,
            max_nodes=self.limits.max_nodes,
            max_seconds=self.limits.max_seconds,
            stop=desk.stop,
        )
        return _with_outcome(self.text, self.position, main, self.limits, desk)


@dataclass(frozen=True, slots=True)
class SolveAnswer:
    """A solution; with the outcome, where it is known; nodes and time include finding that.

    `text` is the position as its canonical line.
    """

    text: str
    solution: Solution
    outcome: int | None
    nodes: int
    search_us: float


def _with_outcome(
    text: str, position: Position | str, main: Solution, limits: Limits, desk: Desk
) -> SolveAnswer:
    """A solution, and under another objective the outcome, with what was left of `limits`."""
    if main.objective == "outcome":
        return SolveAnswer(text, main, main.value, main.nodes, main.search_us)
    left = _left_after(main, limits)
    if left is None:
        return SolveAnswer(text, main, None, main.nodes, main.search_us)
    outcome = desk.solver.solve(
        position,
        "outcome",
        moves=False,
        line=False,
        max_nodes=left.max_nodes,
        max_seconds=left.max_seconds,
        stop=desk.stop,
    )
    nodes = main.nodes + outcome.nodes
    return SolveAnswer(text, main, outcome.value, nodes, main.search_us + outcome.search_us)


def _left_after(search: Solution, limits: Limits) -> Limits | None:
    """What `search` left of `limits`, or None for nothing."""
    if search.stopped is not None:
        return None
    nodes, seconds = limits.max_nodes, limits.max_seconds
    if nodes is not None:
        nodes -= search.nodes
    if seconds is not None:
        seconds -= search.search_us / 1e6
    if (nodes is not None and nodes < 1) or (seconds is not None and seconds <= 0):
        return None
    return Limits(nodes, seconds)


@dataclass(frozen=True, slots=True)
class BatchQuestion(_Search, Generic[T]):
    """What are the values of many positions? One job for them all.

    The core takes many of them at once, each cut short; those that are not done by then get a
    search of their own. So easy ones cost little, and a hard one holds up no more than itself.

    Attributes:
        lines: the positions.
        objective: what is played for in each of them.
        moves: whether the values of their moves are asked for.
        wants_line: whether lines of best play are.
        refusal: tells what is wrong with a line that the core need not look at.
        write: makes a message of answers and errors, one for each line.
        max_seconds: time after which no more searches begin; None for no bound. Those that
            have begun go on within their own limits, so every answer is what it would be alone.
    """

    lines: Sequence[str]
    objective: Objective
    moves: bool
    wants_line: bool
    refusal: Callable[[str], Exception | None]
    write: Callable[[list[SolveAnswer | Exception]], T]
    max_seconds: float | None = None

    @property
    def work(self) -> Work:
        """So many positions, each as those of other batches of its kind."""
        kind = ("batch", self.objective, self.moves, self.wants_line)
        work = self._work(kind, _EACH_OF_BATCH, len(self.lines))
        return replace(work, most=self.max_seconds)

    @property
    def facts(self) -> dict[str, str | int]:
        """How many there are."""
        return {"positions": len(self.lines)}

    def within(self, seconds: float) -> Self:
        """The same with so many seconds for each search, unless bounded, and for them all."""
        own = seconds if self.limits.max_seconds is None else self.limits.max_seconds
        limits = Limits(self.limits.max_nodes, own)
        return replace(self, limits=limits, max_seconds=max(seconds, own))

    def answer(self, desk: Desk) -> T:
        """The message; made here, too, for a large one takes its time."""
        return self.write(self._results(desk))

    def _results(self, desk: Desk) -> list[SolveAnswer | Exception]:
        end = math.inf if self.max_seconds is None else time.monotonic() + self.max_seconds
        lines = list(self.lines)
        results: list[SolveAnswer | Exception] = []
        size = 1
        while len(results) < len(lines):
            began = time.monotonic()
            some = lines[len(results) : len(results) + size]
            tastes = self._tastes(some, desk) if not results or began < end else [None]
            for line, taste in zip(some, tastes, strict=False):
                # One position at least is reached, or asking again would be of no use.
                over = results and (desk.stop.is_set or time.monotonic() >= end)
                if over and not self._done(taste):
                    late = ShuttingDownError() if desk.stop.is_set else NotReachedError()
                    return results + [late] * (len(lines) - len(results))
                results.append(self._result(line, taste, desk))
            size = min(2 * size, _MOST_AT_ONCE) if time.monotonic() - began < _QUICK else 1
        return results

    def _tastes(self, lines: list[str], desk: Desk) -> list[Taste]:
        """What a short search of each line finds, or what is wrong with it."""
        refusals = list(map(self.refusal, lines))
        fine = [line for line, refusal in zip(lines, refusals, strict=True) if refusal is None]
        most = self.limits.max_nodes
        tastes: Iterator[Taste]
        try:
            found = solve_many(
                fine,
                self.objective,
                moves=self.moves,
                line=self.wants_line,
                max_nodes=_TASTE_NODES if most is None else min(most, _TASTE_NODES),
                max_seconds=self.limits.max_seconds,
                stop=desk.stop,
                solvers=[desk.solver],
            )
        except Exception:  # noqa: BLE001 - one failure must not take the others along
            tastes = itertools.repeat(None)
        else:
            tastes = iter(found)
        return [next(tastes) if refusal is None else refusal for refusal in refusals]

    def _done(self, taste: Taste) -> bool:
        """Whether there is nothing left to search."""
        if not isinstance(taste, Solution):
            return taste is not None
        if taste.stopped == "nodes":
            return self.limits.max_nodes is not None and self.limits.max_nodes <= _TASTE_NODES
        return taste.stopped != "stop"

    def _result(self, line: str, taste: Taste, desk: Desk) -> SolveAnswer | Exception:
        if isinstance(taste, Exception):
            return taste
        try:
            if taste is None or not self._done(taste):
                taste = desk.solver.solve(
                    line,
                    self.objective,
                    moves=self.moves,
                    line=self.wants_line,
                    max_nodes=self.limits.max_nodes,
                    max_seconds=self.limits.max_seconds,
                    stop=desk.stop,
                )
            return _with_outcome(canonical(line), line, taste, self.limits, desk)
        except Exception as error:  # noqa: BLE001 - nor here
            return error


@dataclass(frozen=True, slots=True)
class PerftQuestion(_AboutPosition):
    """How many move sequences of a given length are there?"""

    depth: int
    divide: bool

    @property
    def key(self) -> Hashable:
        """The position as its canonical line, and what is asked about it."""
        return ("perft", self.text, self.depth, self.divide, self.limits.max_nodes)

    @property
    def work(self) -> Work:
        """As counts of the same rules, depth and size."""
        kind = ("perft", str(self.position.rules), self.depth, *self._size)
        return self._work(kind, 1e-6 * 6 ** min(self.depth, 20))

    @property
    def facts(self) -> dict[str, str | int]:
        """The rules, the phase and the depth."""
        return {**self._about, "depth": self.depth}

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

    text: str
    depth: int
    nodes: int
    divide: dict[str, int]
    search_us: float
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Advice:
    """What a player is advised: the average over worlds, and the equilibrium of a small ending.

    Attributes:
        average: the average.
        ending: the equilibrium, or why there is none; None if none was asked for.
    """

    average: Recommendation
    ending: Ending | Unsolved | None

    @property
    def nodes(self) -> int:
        """Positions the average has visited."""
        return self.average.nodes

    @property
    def worlds(self) -> int:
        """Worlds it was taken over."""
        return self.average.worlds

    @property
    def stopped(self) -> str | None:
        """Why it ended, or None; a clock that ended either had a part in it."""
        clock = self.ending.stopped if self.ending is not None else None
        return clock if clock in ("time", "stop") else self.average.stopped


@dataclass(frozen=True, slots=True)
class AdviceQuestion(_Search):
    """What should the player do who has seen this?"""

    view: View
    max_worlds: int
    seed: int
    max_deals: int

    @property
    def key(self) -> Hashable:
        """What the seat sees as its canonical line, and what is asked about it."""
        # Without a bound of nodes, that of time decides how far each world is searched.
        asked = (self.max_worlds, self.seed, self.max_deals, self.limits)
        return ("advice", str(self.view.text), self.view.seat, *asked)

    @property
    def work(self) -> Work:
        """As hints of the same rules, size and magnitude of worlds."""
        text = self.view.text
        hand, talon = max(map(len, text.hands)), len(text.talon)
        deals = self._deals
        sizes = (hand, talon, self.max_worlds.bit_length(), deals.bit_length())
        rules = self.view.rules
        if rules.players > 2:
            each = nodes_at_a_table(rules, hand, talon)
        else:
            each = nodes_to_solve(hand, talon)
        nodes = min(self.max_worlds * each, _ADVICE_NODES)
        raises = rules.raises != "none"
        nodes += min(nodes_to_settle(deals, hand, raises), self._ending_nodes)
        seconds = seconds_of(nodes, rules.players)
        work = self._work(("advice", str(rules), *sizes), seconds, players=rules.players)
        if deals and self.limits.max_nodes is not None and work.most is not None:
            # The ending has a budget of nodes of its own, of the same size.
            work = replace(work, most=_least(self.limits.max_seconds, 2 * work.most))
        return work

    @property
    def _deals(self) -> int:
        """The joint deals of its ending, 0 if they are too many to be solved."""
        if not self.max_deals or self.view.rules.players != 2:
            return 0
        deals = joint_deals(self.view)
        return deals if deals <= self.max_deals else 0

    @property
    def _ending_nodes(self) -> int:
        """What it may cost to solve it."""
        nodes = self.limits.max_nodes
        return ADVICE_NODES if nodes is None else nodes

    @property
    def facts(self) -> dict[str, str | int]:
        """The rules and the phase."""
        return _view_facts(self.view)

    @property
    def line(self) -> str | None:
        """What the seat sees."""
        return str(self.view.text)

    def answer(self, desk: Desk) -> Advice:
        """Solves the public ending if it is small, and the worlds, or a sample of them."""
        begin = time.perf_counter()
        ending = self._settle(desk)
        average = recommend(
            self.view,
            max_worlds=self.max_worlds,
            seed=self.seed,
            max_nodes=self.limits.max_nodes,
            max_seconds=self._left_since(begin),
            stop=desk.stop,
            solvers=[desk.solver],  # one, for the workers share the cores already
        )
        return Advice(average, ending)

    def _settle(self, desk: Desk) -> Ending | Unsolved | None:
        """The ending, solved within half of the time, or why not; None if it was not asked for."""
        if not self.max_deals:
            return None
        seconds = self.limits.max_seconds
        return try_ending(
            self.view,
            max_deals=self.max_deals,
            max_nodes=self._ending_nodes,
            # Enough must be left for the average over worlds, should this fail.
            max_seconds=None if seconds is None else seconds / 2,
            stop=desk.stop,
        )

    def _left_since(self, begin: float) -> float | None:
        """Seconds that are left of the limit, a little in any case."""
        seconds = self.limits.max_seconds
        return None if seconds is None else max(1e-3, seconds - (time.perf_counter() - begin))


@dataclass(frozen=True, slots=True)
class RefineQuestion(AdviceQuestion):
    """The same, with answers on the way that lie `interval` seconds apart, at least."""

    interval: float

    @property
    def key(self) -> Hashable:
        """None: each stream has its own pace."""
        return None

    def ending(self, seconds: float) -> Self:
        """The same ending after so many seconds at the latest."""
        own = self.limits.max_seconds
        seconds = seconds if own is None else min(own, seconds)
        return replace(self, limits=Limits(self.limits.max_nodes, seconds))

    def cut_short(self, answer: Advice) -> Advice:
        """An answer that has to be the last one, since the time is over."""
        return replace(answer, average=replace(answer.average, stopped="time"))

    def answers(self, desk: Desk) -> Iterator[Advice]:
        """Answers over more and more worlds, until all are looked at or a limit is reached.

        A small ending is solved before the first, and is the same in all. No move is dropped, and
        none found clear early: when it is enough the client decides.
        """
        begin = time.perf_counter()
        ending = self._settle(desk)
        for average in refine(
            self.view,
            max_worlds=self.max_worlds,
            seed=self.seed,
            max_nodes=self.limits.max_nodes,
            max_seconds=self._left_since(begin),
            confidence=None,
            stop=desk.stop,
            solvers=[desk.solver],
        ):
            yield Advice(average, ending)


@dataclass(frozen=True, slots=True)
class _PlayedOut(_Search):
    """A question that is answered by playing out hands."""

    view: View
    max_worlds: int
    seed: int

    @property
    def work(self) -> Work:
        """As others under the same rules that ask for as many worlds."""
        kind = (type(self).__name__, str(self.view.rules), self.max_worlds.bit_length())
        return self._work(kind, _EACH_PLAYED_OUT * self.max_worlds)

    @property
    def facts(self) -> dict[str, str | int]:
        """The rules and the phase."""
        return _view_facts(self.view)

    @property
    def line(self) -> str | None:
        """What the seat sees."""
        return str(self.view.text)

    @property
    def key(self) -> Hashable:
        """What the seat sees as its canonical line, and what is asked about it."""
        view = str(self.view.text), self.view.seat
        return (type(self).__name__, *view, self.max_worlds, self.seed, self.limits)


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """How a claim stands, and whether to make it where that was asked; why it ended."""

    estimate: ClaimEstimate
    advice: ClaimAdvice | None = None
    stopped: str | None = None
    worlds: int = 0


@dataclass(frozen=True, slots=True)
class ClaimQuestion(_PlayedOut):
    """Would a claim hold, and is it to be made?

    With no worlds it is counted, not searched: a matter of microseconds, on any thread.
    """

    def counted(self) -> ClaimAnswer:
        """How a claim of the view's seat stands."""
        return ClaimAnswer(estimate_claim(self.view))

    def answer(self, desk: Desk) -> ClaimAnswer:
        """The same, and whether to claim."""
        answer = self.counted()
        if not answer.estimate.allowed or self.view.text.offer is not None:
            return answer
        late = _Late(self.limits.max_seconds)
        advice = advise_claim(
            self.view,
            max_worlds=self.max_worlds,
            seed=self.seed,
            max_seconds=self.limits.max_seconds,
            stop=desk.stop,
            solver=desk.solver,
        )
        return ClaimAnswer(answer.estimate, advice, late.reason(desk), advice.worlds)


@dataclass(frozen=True, slots=True)
class RaiseAnswer:
    """Whether to raise, with the chances told; how long it took and why it ended."""

    advice: RaiseAdvice
    chance: float
    chance_before: float
    search_us: float
    stopped: str | None

    @property
    def worlds(self) -> int:
        """Worlds looked at."""
        return self.advice.worlds


@dataclass(frozen=True, slots=True)
class RaiseQuestion(_PlayedOut):
    """Should the player raise, or accept a raise?"""

    no_raise_hand_played: bool

    @property
    def key(self) -> Hashable:
        """That of the others, and whether the hand without raises is over."""
        view = str(self.view.text), self.view.seat
        asked = self.max_worlds, self.seed, self.limits, self.no_raise_hand_played
        return ("raise", *view, *asked)

    def answer(self, desk: Desk) -> RaiseAnswer:
        """Plays out worlds with every option."""
        begin = time.perf_counter()
        late = _Late(self.limits.max_seconds)
        advice = advise_raise(
            self.view,
            no_raise_hand_played=self.no_raise_hand_played,
            max_worlds=self.max_worlds,
            seed=self.seed,
            max_seconds=self.limits.max_seconds,
            stop=desk.stop,
            solver=desk.solver,
        )
        stopped = late.reason(desk)
        return RaiseAnswer(
            advice, advice.chance, advice.unmoved, 1e6 * (time.perf_counter() - begin), stopped
        )


class _Late:
    """Tells afterwards whether play-outs were cut short: by the clock, or told to stop."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.perf_counter() + _NEARLY * seconds

    def reason(self, desk: Desk) -> str | None:
        """Why they ended; None if they had nothing left to do."""
        if desk.stop.is_set:
            return "stop"
        return "time" if self._end is not None and time.perf_counter() >= self._end else None


@dataclass(frozen=True, slots=True)
class ReviewQuestion(_Search):
    """What did each move of a finished hand cost?"""

    record: HandRecord
    points: bool
    total_seconds: float | None = None

    @property
    def key(self) -> Hashable:
        """The record as canonical text, and what is asked about it."""
        return ("review", str(self.record), self.points, self.limits.max_nodes)

    @property
    def work(self) -> Work:
        """So many moves, each as those of other hands of the same rules."""
        kind = ("review", str(self.record.rules), self.points)
        work = self._work(kind, _EACH_OF_REVIEW, max(1, len(self.record.moves)))
        return replace(work, most=self.total_seconds)

    @property
    def facts(self) -> dict[str, str | int]:
        """The rules and the number of moves."""
        return {"rules": str(self.record.rules), "moves": len(self.record.moves)}

    def within(self, seconds: float) -> Self:
        """The same with so many seconds for each move, unless bounded, and for them all."""
        own = seconds if self.limits.max_seconds is None else self.limits.max_seconds
        limits = Limits(self.limits.max_nodes, own)
        return replace(self, limits=limits, total_seconds=max(seconds, own))

    def answer(self, desk: Desk) -> Review:
        """Solves the position of every move."""
        nodes = self.limits.max_nodes
        return review(
            self.record,
            points=self.points,
            max_nodes=MAX_NODES if nodes is None else nodes,
            max_seconds=self.limits.max_seconds,
            total_seconds=self.total_seconds,
            solver=desk.solver,
            stop=desk.stop,
        )


@dataclass(frozen=True, slots=True)
class CheckQuestion(_Search):
    """Was a hand played by the rules?

    Attributes:
        read: makes the record, or raises what is wrong with it.
    """

    read: Callable[[], HandRecord]

    @property
    def work(self) -> Work:
        """A matter of milliseconds."""
        return self._work("check", _CHECK)

    def answer(self, desk: Desk) -> "CheckAnswer":
        """Reads and replays it."""
        del desk
        record = None
        try:
            record = self.read()
            record.replay()
        except InputError as error:
            return CheckAnswer(record, error.faults)
        return CheckAnswer(record, ())


@dataclass(frozen=True, slots=True)
class ReplayQuestion(_Search):
    """Where did the moves of a hand happen?

    Attributes:
        record: the hand.
        seat: whose eyes; None for all that the record tells.
    """

    record: HandRecord
    seat: int | None

    @property
    def work(self) -> Work:
        """A matter of milliseconds."""
        return self._work("replay", _CHECK)

    def answer(self, desk: Desk) -> ReplayAnswer:
        """Replays it."""
        del desk
        return replay_record(self.record, self.seat)


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """A record, if it could be read, and what is wrong with it."""

    record: HandRecord | None
    faults: tuple[Fault, ...]
