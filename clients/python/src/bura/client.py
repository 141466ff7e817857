"""The client: `connect` to a service, or to one embedded in this process, and ask it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bura._batches import in_order
from bura.errors import BuraError
from bura.results import (
    ClaimEstimate,
    HandReview,
    Objective,
    Perft,
    PlayedPosition,
    Position,
    RaiseAdvice,
    Recommendation,
    RecordCheck,
    Replay,
    RuleSet,
    Solution,
)

if TYPE_CHECKING:
    import grpc

    from bura._calls import Calls

__all__ = ["Client", "connect"]


def connect(
    target: str | None = None,
    *,
    timeout: float | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    token: str | None = None,
    retries: int = 3,
) -> Client:
    """Connects to a service.

    Args:
        target: its address, `HOST:PORT`. `None` starts a service inside this process, which
            ends when the client is closed; the package `bura-service` brings it.
        timeout: most seconds that one call may take, waiting for a free worker included.
            `None` leaves it to the service, which ends each search after a time of its own
            and answers with what is proved by then.
        credentials: for a service behind TLS, such as `grpc.ssl_channel_credentials()`; `None`
            for a plain connection.
        token: sent with each call as `authorization: Bearer ...`.
        retries: how often a call is made again that nobody answered, 0 to 4.

    Returns:
        A client. Close it after use: it is a context manager.

    Raises:
        InputError: that is no address, or the timeout, token or retries can't be used.
        Unavailable: there is no `target`, and no service is installed. That a service can't be
            reached shows at the first question.

    Example:
        >>> with bura.connect("localhost:50051") as client:
        ...     print(client.solve("georgian3 h AhQhJs/TdKdQd - 31/40 0 -"))
    """
    # Importing grpc takes longer than all the rest: it waits until somebody connects.
    from bura._calls import Calls

    return Client(Calls(target, timeout, credentials, token, retries))


class Client:
    """A connection to a service; made by `connect`. Any number of threads may ask at once.

    A position is a `Position`, or one line of text: rules, trump, hands, talon, piles, turn and
    table, then options, such as `georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -`. Seats are 0 and 1.

    Every method raises `InputError` for a position or an argument that can't be answered,
    `Unavailable`, `Timeout`, `Overloaded` or `ServerError` for a service that does not answer,
    and `Unsupported` for what it can't do.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<bura.Client of {self.target}>"

    @property
    def target(self) -> str:
        """The address that is asked."""
        return self._calls.target

    def close(self) -> None:
        """Ends the connection, and with it the embedded service if there is one."""
        self._calls.close()

    def recommend(
        self,
        position: str | Position,
        *,
        seat: int | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        max_deals: int | None = None,
    ) -> Recommendation:
        """What to play, from what one player has seen.

        Args:
            position: as that player has seen it, `x3` for three cards he does not know.
            seat: whose eyes; `None` for the seat whose hand is wholly known.
            max_worlds: most worlds to solve, at least 1: all of them if there are no more,
                else a random sample without repeats; `None` for 2600.
            seed: of the sample, 0 or more; the same seed gives the same answer.
            max_nodes: most positions to visit, over all worlds together; `None` for 20 million.
                Where worlds are too large for their share, each is searched only some cards of
                the talon ahead (see `Recommendation.horizon`).
            time_limit: most seconds inside the search. When this or `max_nodes` comes first,
                the answer is over the worlds solved by then.
            max_deals: solve endings of at most so many joint deals to an equilibrium, 0 to
                100000, 0 for never (see `Recommendation.equilibrium`); `None` for 5000.
        """
        from bura import _convert

        return _convert.recommendation(
            self._calls.recommend(
                str(position),
                seat=seat,
                max_worlds=max_worlds,
                seed=seed,
                max_nodes=max_nodes,
                time_limit=time_limit,
                max_deals=max_deals,
            )
        )

    def recommend_stream(
        self,
        position: str | Position,
        *,
        seat: int | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        max_deals: int | None = None,
        interval: float | None = None,
    ) -> Generator[Recommendation, None, None]:
        """What to play, at once and then better and better: `recommend` while it thinks.

        Nothing is asked before the first answer is wanted. To stop reading ends the search: leave
        the loop, or `close()` what is returned. Without any bound it goes on until the service's
        own limit of time, or `timeout`, shortly before which the last answer comes.

        Args:
            position: see `recommend`, as `seat`, `seed`, `max_nodes` and `time_limit`.
            seat: see `recommend`.
            max_worlds: most worlds to solve, at least 1; `None` for 100,000. It does not end early
                when the best move is clear.
            seed: see `recommend`.
            max_nodes: see `recommend`.
            time_limit: see `recommend`.
            max_deals: see `recommend`; a small ending is solved before the first answer, and is
                the same in all.
            interval: least seconds between two answers; `None` for 0.2.

        Yields:
            One `Recommendation` after another over more and more worlds; the last one has `final`
            set.

        Example:
            >>> for hint in client.recommend_stream(line):
            ...     print(hint.move, hint.worlds)
            ...     if hint.worlds > 1000:
            ...         break
        """
        from bura import _convert

        stream = self._calls.recommend_stream(
            str(position),
            seat=seat,
            max_worlds=max_worlds,
            seed=seed,
            max_nodes=max_nodes,
            time_limit=time_limit,
            max_deals=max_deals,
            interval=interval,
        )

        def hints() -> Generator[Recommendation, None, None]:
            with closing(stream):
                for answer in stream:
                    yield _convert.recommendation(answer.recommendation, answer.final)

        return hints()

    def estimate_claim(
        self,
        position: str | Position,
        *,
        seat: int | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> ClaimEstimate:
        """The exact chance that a claim would hold, and what is certain about the pile.

        Args:
            position: as one player has seen it.
            seat: whose pile and whose eyes; `None` for the seat whose hand is wholly known.
                He need not have the right to claim just now.
            max_worlds: to weigh claiming against playing on (`ClaimEstimate.decision`), in at most
                so many worlds, 1 to 10,000,000; `None` counts the chance and nothing else.
            seed: of these worlds, 0 or more.
            time_limit: seconds for the decision, more than zero.
        """
        from bura import _convert

        return _convert.claim_estimate(
            self._calls.estimate_claim(
                str(position), seat=seat, max_worlds=max_worlds, seed=seed, time_limit=time_limit
            )
        )

    def advise_raise(
        self,
        position: str | Position,
        *,
        seat: int | None = None,
        no_raise_hand_played: bool = False,
        max_worlds: int | None = None,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> RaiseAdvice:
        """Whether to raise the stake, and whether to accept a raise, to raise again or give up.

        Args:
            position: as one player has seen it; an open raise as in `raiser=1 offer=2`, the match
                as in `score=3:5/7`. Without a score stakes are what counts.
            seat: who is advised; `None` for the seat whose hand is wholly known.
            no_raise_hand_played: whether the hand of the match without raises is over.
            max_worlds: most worlds to play out, 1 to 10,000,000; `None` for 1000.
            seed: of the worlds, 0 or more.
            time_limit: seconds for all of it, more than zero.
        """
        from bura import _convert

        return _convert.raise_advice(
            self._calls.advise_raise(
                str(position),
                seat=seat,
                no_raise_hand_played=no_raise_hand_played or None,
                max_worlds=max_worlds,
                seed=seed,
                time_limit=time_limit,
            )
        )

    def solve(
        self,
        position: str | Position,
        *,
        objective: Objective = "outcome",
        value_only: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> Solution:
        """The value of a position and of each move, with best play of both sides.

        Args:
            position: with all cards known, the order of the talon included.
            objective: `outcome` for winning the hand, `points` for the difference of the piles
                when it is played to the last card, `score` for what the hand counts in the match
                at its stake (of two sides only).
            value_only: solve for the value alone, without the moves: much faster.
            max_nodes: most positions to visit.
            time_limit: most seconds inside the search. When this or `max_nodes` comes first,
                the answer holds the bounds proved by then.
        """
        from bura import _convert

        return _convert.solution(
            self._calls.solve(
                str(position),
                objective=objective,
                value_only=value_only,
                max_nodes=max_nodes,
                time_limit=time_limit,
            )
        )

    def solve_many(
        self,
        positions: Iterable[str | Position],
        *,
        objective: Objective = "outcome",
        value_only: bool = False,
        line: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        threads: int = 1,
    ) -> Iterator[Solution | BuraError]:
        """Solves many positions; the answers come one by one, in the order of the positions.

        Easy positions travel together, up to a thousand in one call, hard ones alone. Reads only
        a little ahead, so `positions` may be a file of any length. A busy service is asked again
        after a while.

        Args:
            positions: see `solve`, as the other arguments; bounds hold for each alone.
            objective: see `solve`.
            value_only: see `solve`.
            line: give a line of best play for each, too; else `Solution.line` is empty. It takes
                longer, and more nodes.
            max_nodes: see `solve`.
            time_limit: see `solve`.
            threads: how many calls may be under way at once, at least 1.

        Yields:
            For each position its solution, or the error that `solve` would have raised.

        Raises:
            Unavailable: nobody answers any more; the positions from here on are not solved.
        """
        from bura import _calls, _convert

        ask = partial(
            self._calls.solve_each,
            objective=objective,
            value_only=value_only,
            line=line,
            max_nodes=max_nodes,
            time_limit=time_limit,
        )
        for answer in in_order(
            map(str, positions), ask, threads=threads, most=_calls.MOST_POSITIONS
        ):
            yield answer if isinstance(answer, BuraError) else _convert.solution(answer)

    def perft(
        self,
        position: str | Position,
        depth: int,
        divide: bool = False,
        *,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> Perft:
        """Counts the move sequences of exactly `depth` moves: the check of a rule engine.

        Args:
            position: with all cards known.
            depth: moves in a sequence, 0 to 72.
            divide: count by first move, too.
            max_nodes: most sequences to count.
            time_limit: most seconds to count. When this or `max_nodes` comes first, the answer
                is a lower bound.
        """
        from bura import _convert

        return _convert.perft(
            self._calls.perft(
                str(position), depth, divide=divide, max_nodes=max_nodes, time_limit=time_limit
            )
        )

    def review(
        self,
        record: str,
        *,
        outcome_only: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> HandReview:
        """What each move of a finished hand cost, with all cards known.

        Args:
            record: the hand's record, of all seats and with the undrawn cards.
            outcome_only: leave out the cost in points: faster.
            max_nodes: most positions to visit for one move; `None` for 2 million.
            time_limit: most seconds inside the search of one move. Where a bound comes first,
                the answer holds what was proved by then.
        """
        from bura import _convert

        return _convert.hand_review(
            self._calls.review(
                record, outcome_only=outcome_only, max_nodes=max_nodes, time_limit=time_limit
            )
        )

    def check_record(self, record: str) -> RecordCheck:
        """Everything wrong with a hand record, or the first move that is not legal.

        Args:
            record: its text, of all seats or of one.
        """
        from bura import _convert

        return _convert.record_check(self._calls.check_record(record))

    def replay(self, record: str, seat: int | None = None) -> Replay:
        """The position before each move of a hand record: what a hint is asked about.

        Args:
            record: its text, of all seats or of one.
            seat: whose eyes; `None` for everything that the record tells, which in the record
                of one seat is what this seat has seen.
        """
        from bura import _convert

        return _convert.replay(self._calls.replay(record, seat=seat))

    def play(
        self, position: str | Position, moves: Iterable[str] = (), *, seat: int | None = None
    ) -> PlayedPosition:
        """A position after some moves, with what is legal then.

        Args:
            position: with all cards known, if there are moves to make.
            moves: made one after the other, such as `("Ks", "(7s8d)", "claim")`.
            seat: whose eyes the answer is seen with; `None` for all that the position tells.
        """
        from bura import _convert

        return _convert.played_position(
            self._calls.describe(str(position), tuple(moves), seat=seat)
        )

    def draw(
        self,
        position: str | Position,
        moves: Iterable[str] = (),
        *,
        seat: int | None = None,
        dark: bool = False,
        language: str = "en",
    ) -> str:
        """A picture of a position: an SVG document.

        Args:
            position: see `play`, as `moves` and `seat`; that seat's hand lies at the bottom.
            moves: see `play`.
            seat: see `play`.
            dark: light on dark.
            language: of its words, `en`, `ru` or `ka`.
        """
        return self._calls.draw(
            str(position), tuple(moves), seat=seat, dark=dark, language=language
        ).svg

    def rule_sets(self, language: str = "en") -> tuple[RuleSet, ...]:
        """The rule sets that the service knows by name.

        Args:
            language: of the texts, `en`, `ru` or `ka`.
        """
        from bura import _convert

        return tuple(map(_convert.rule_set, self._calls.rule_sets(language).rule_sets))

    def rule_set(self, rules: str, language: str = "en") -> RuleSet:
        """One rule set in words.

        Args:
            rules: a preset, such as `classic`, or a preset with switches changed, such as
                `classic[deck=32,discards=shown]`. An impossible one is an `InputError` with
                every reason at once.
            language: of the texts, `en`, `ru` or `ka`.
        """
        from bura import _convert

        return _convert.rule_set(self._calls.rule_set(rules, language).rule_set)
