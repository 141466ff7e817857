"""Calls of a service: plain values in, the service's messages out, failures as our errors."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from importlib.metadata import entry_points
from typing import Any, Generic, Protocol, TypeVar, cast

import grpc
from google.protobuf.message import Message

from bura import _status
from bura.errors import (
    BuraError,
    Fault,
    InputError,
    Overloaded,
    ServerError,
    Unavailable,
)
from bura.v1 import (
    advisor_pb2,
    advisor_pb2_grpc,
    rules_pb2,
    rules_pb2_grpc,
    search_pb2,
    solver_pb2,
    solver_pb2_grpc,
    table_pb2,
    table_pb2_grpc,
)

__all__ = ["MOST_POSITIONS", "Calls", "NotInstalled", "Stream", "each", "patiently"]

M = TypeVar("M", bound=Message)
Q = TypeVar("Q")
A = TypeVar("A")

# How many positions one message may bring.
MOST_POSITIONS = 1000

# How often a question of a batch is asked again when the service is busy.
_TRIES = 8
_MAX_ANSWER_BYTES = 64 << 20
# Most tries that grpc makes of one call.
_MOST_RETRIES = 4


def _service_config(retries: int) -> str:
    """Every question may be asked again: nothing changes by asking.

    CANCELLED, too, where the client has not cancelled: a server of grpc that begins to stop
    resets what arrives before the client knows of it (its core does, and no setting of the
    server's has a say in it). What a client cancels itself is never tried again.
    """
    policy = {
        "maxAttempts": retries + 1,
        "initialBackoff": "0.1s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
    }
    method: dict[str, Any] = {"name": [{}]}
    if retries:
        method["retryPolicy"] = policy
    return json.dumps({"methodConfig": [method]})


_OBJECTIVES: dict[str, solver_pb2.Objective.ValueType] = {
    "outcome": solver_pb2.OBJECTIVE_OUTCOME,
    "points": solver_pb2.OBJECTIVE_POINTS,
    "score": solver_pb2.OBJECTIVE_SCORE,
}


class NotInstalled(Unavailable):
    """There is no service in this environment, and none was named."""

    def __init__(self) -> None:
        super().__init__(
            "no service is installed here: name one by its HOST:PORT, "
            "or install one with `pip install bura-service`"
        )


class EmbeddedServer(Protocol):
    """A service that runs in this process."""

    @property
    def target(self) -> str:
        """Its address."""

    def close(self) -> None:
        """Ends it."""


class Calls:
    """An open connection, and the service behind it if it is an embedded one."""

    def __init__(
        self,
        target: str | None,
        timeout: float | None,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        retries: int = 3,
    ) -> None:
        """Opens it; see `bura.connect` for what the arguments mean."""
        faults = [
            *_target_faults(target),
            *_timeout_faults(timeout),
            *_token_faults(token),
            *_retries_faults(retries),
        ]
        if faults:
            raise InputError(faults)
        self._server = _start_embedded() if target is None else None
        self.target = cast("str", target) if self._server is None else self._server.target
        self._timeout = timeout
        self._metadata = None if token is None else (("authorization", f"Bearer {token}"),)
        self._local = threading.local()
        options: list[tuple[str, Any]] = [
            ("grpc.service_config", _service_config(retries)),
            ("grpc.enable_retries", int(retries > 0)),
            ("grpc.max_receive_message_length", _MAX_ANSWER_BYTES),
        ]
        if self._server is not None:  # a proxy of the environment is not for this process
            options.append(("grpc.enable_http_proxy", 0))
        self._channel = (
            grpc.insecure_channel(self.target, options)
            if credentials is None
            else grpc.secure_channel(self.target, credentials, options)
        )
        self._advisor = advisor_pb2_grpc.AdvisorServiceStub(self._channel)
        self._rules = rules_pb2_grpc.RulesServiceStub(self._channel)
        self._solver = solver_pb2_grpc.SolverServiceStub(self._channel)
        self._table = table_pb2_grpc.TableServiceStub(self._channel)

    def close(self) -> None:
        """Ends the connection, and the embedded service; calls under way are given up."""
        self._channel.close()
        if self._server is not None:
            self._server.close()

    def recommend(
        self,
        position: str,
        *,
        seat: int | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        max_deals: int | None = None,
    ) -> advisor_pb2.RecommendMoveResponse:
        """The moves under hidden cards, with their values."""
        request = _recommendation(
            position, seat, max_worlds, seed, max_deals, _limits(max_nodes, time_limit)
        )
        return self._ask(self._advisor.RecommendMove, request)

    def recommend_stream(
        self,
        position: str,
        *,
        seat: int | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        max_deals: int | None = None,
        interval: float | None = None,
    ) -> Stream[advisor_pb2.RecommendMoveStreamResponse]:
        """The same, better and better; nothing is asked before the first answer is wanted."""
        question = _recommendation(
            position, seat, max_worlds, seed, max_deals, _limits(max_nodes, time_limit)
        )
        request = advisor_pb2.RecommendMoveStreamRequest(question=question)
        if interval is not None:
            request.report_interval.FromNanoseconds(_nanoseconds(interval, "interval"))

        def begin() -> Any:
            return self._advisor.RecommendMoveStream(
                request, timeout=self._timeout, metadata=self._metadata
            )

        return Stream(begin, self._failures)

    def estimate_claim(
        self,
        position: str,
        *,
        seat: int | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> advisor_pb2.EstimateClaimResponse:
        """What is known about a claim, and whether to make it."""
        request = _request(
            advisor_pb2.EstimateClaimRequest,
            position=position,
            seat=seat,
            max_worlds=max_worlds,
            seed=seed,
            limits=_limits(None, time_limit),
        )
        return self._ask(self._advisor.EstimateClaim, request)

    def advise_raise(
        self,
        position: str,
        *,
        seat: int | None = None,
        no_raise_hand_played: bool | None = None,
        max_worlds: int | None = None,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> advisor_pb2.AdviseRaiseResponse:
        """Whether to raise, and how to answer a raise."""
        request = _request(
            advisor_pb2.AdviseRaiseRequest,
            position=position,
            seat=seat,
            no_raise_hand_played=no_raise_hand_played,
            max_worlds=max_worlds,
            seed=seed,
            limits=_limits(None, time_limit),
        )
        return self._ask(self._advisor.AdviseRaise, request)

    def solve(
        self,
        position: str,
        *,
        objective: str = "outcome",
        value_only: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> solver_pb2.SolvePositionResponse:
        """The value of a position with all cards known."""
        request = _request(
            solver_pb2.SolvePositionRequest,
            position=position,
            objective=_objective(objective),
            value_only=value_only,
            limits=_limits(max_nodes, time_limit),
        )
        return self._ask(self._solver.SolvePosition, request)

    def solve_each(
        self,
        positions: Sequence[str],
        *,
        objective: str = "outcome",
        value_only: bool = False,
        line: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> list[solver_pb2.SolvePositionResponse | BuraError]:
        """`solve` for up to MOST_POSITIONS at once, failures in their places; see `patiently`.

        A line of best play comes only if asked for by `line`.
        """

        def ask(few: Sequence[str]) -> solver_pb2.SolvePositionsResponse:
            request = _request(
                solver_pb2.SolvePositionsRequest,
                objective=_objective(objective),
                value_only=value_only,
                limits=_limits(max_nodes, time_limit),
                want_line=line,
            )
            try:
                request.positions.extend(few)
            except ValueError:
                raise InputError([_unsendable("position", few[0])]) from None
            return self._ask(self._solver.SolvePositions, request)

        answers: list[solver_pb2.SolvePositionResponse | BuraError] = []
        while len(answers) < len(positions):
            answers += self._next_answers(positions[len(answers) :], ask)
        return answers

    def _next_answers(
        self,
        positions: Sequence[str],
        ask: Callable[[Sequence[str]], solver_pb2.SolvePositionsResponse],
    ) -> Sequence[solver_pb2.SolvePositionResponse | BuraError]:
        """The answers to these positions, or to the first of them: one at least."""
        message = patiently(partial(ask, positions))
        if isinstance(message, BuraError):
            if len(positions) == 1 or isinstance(message, Overloaded):
                return [message] * len(positions)
            # What one of them brought about is not the fate of the others: each goes alone.
            return [self._next_answers([position], ask)[0] for position in positions]
        if len(message.results) != len(positions):
            return [ServerError(f"the service at {self.target} left out answers")] * len(positions)
        answers: list[solver_pb2.SolvePositionResponse | BuraError] = []
        for result in message.results:
            if result.HasField("solution"):
                answers.append(result.solution)
                continue
            error = _status.from_status(result.error, self.target)
            if answers and isinstance(error, Overloaded | Unavailable):
                break  # the time of the message, or of the service, was over before this one
            if isinstance(error, Unavailable):
                raise error
            answers.append(error)
        return answers

    def perft(
        self,
        position: str,
        depth: int,
        *,
        divide: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> solver_pb2.PerftResponse:
        """The number of move sequences of one length."""
        request = _request(
            solver_pb2.PerftRequest,
            position=position,
            depth=depth,
            divide=divide,
            limits=_limits(max_nodes, time_limit),
        )
        return self._ask(self._solver.Perft, request)

    def review(
        self,
        record: str,
        *,
        outcome_only: bool = False,
        max_nodes: int | None = None,
        time_limit: float | None = None,
    ) -> solver_pb2.ReviewHandResponse:
        """What each move of a finished hand cost."""
        request = _request(
            solver_pb2.ReviewHandRequest,
            text=record,
            limits=_limits(max_nodes, time_limit),
            outcome_only=outcome_only,
        )
        return self._ask(self._solver.ReviewHand, request)

    def check_record(self, record: str) -> rules_pb2.CheckRecordResponse:
        """What is wrong with a hand record, if anything."""
        request = _request(rules_pb2.CheckRecordRequest, text=record)
        return self._ask(self._rules.CheckRecord, request)

    def rule_sets(self, language: str = "") -> rules_pb2.ListRuleSetsResponse:
        """The rule sets that the service knows by name."""
        request = _request(rules_pb2.ListRuleSetsRequest, language_code=language)
        return self._ask(self._rules.ListRuleSets, request)

    def rule_set(self, rules: str, language: str = "") -> rules_pb2.GetRuleSetResponse:
        """One rule set in words."""
        request = _request(rules_pb2.GetRuleSetRequest, rules=rules, language_code=language)
        return self._ask(self._rules.GetRuleSet, request)

    def replay(self, record: str, *, seat: int | None = None) -> table_pb2.ReplayRecordResponse:
        """The position before each move of a record."""
        request = _request(table_pb2.ReplayRecordRequest, text=record, seat=seat)
        return self._ask(self._table.ReplayRecord, request)

    def describe(
        self, position: str, moves: Sequence[str] = (), *, seat: int | None = None
    ) -> table_pb2.DescribePositionResponse:
        """A position after some moves, taken apart."""
        request = _request(table_pb2.DescribePositionRequest, position=position, seat=seat)
        _extend(request.moves, moves, "moves")
        return self._ask(self._table.DescribePosition, request)

    def draw(
        self,
        position: str,
        moves: Sequence[str] = (),
        *,
        seat: int | None = None,
        dark: bool = False,
        language: str = "en",
    ) -> table_pb2.DrawPositionResponse:
        """A picture of a position after some moves."""
        request = _request(
            table_pb2.DrawPositionRequest,
            position=position,
            seat=seat,
            theme=table_pb2.THEME_DARK if dark else table_pb2.THEME_LIGHT,
            language=language,
        )
        _extend(request.moves, moves, "moves")
        return self._ask(self._table.DrawPosition, request)

    def _ask(self, method: Callable[..., A], request: Message) -> A:
        if getattr(self._local, "awaited", False):
            # A promise of the answer in its place, for `answer_of` to wait for.
            begin = cast("Any", method).future
            with self._failures():
                return cast("A", begin(request, timeout=self._timeout, metadata=self._metadata))
        with self._failures():
            return method(request, timeout=self._timeout, metadata=self._metadata)

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Within it, the calls of this thread give a promise of their answer, at once."""
        self._local.awaited = True
        try:
            yield
        finally:
            self._local.awaited = False

    async def answer_of(self, call: A) -> A:
        """The answer to a call that was begun within `awaited`; ends it if it is cancelled."""
        promise: Any = call
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def wake(_: object) -> None:
            # The loop may be gone by then, when nobody waits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(over.set)

        promise.add_done_callback(wake)
        try:
            await over.wait()
        except asyncio.CancelledError:
            promise.cancel()
            raise
        with self._failures():
            try:
                return cast("A", promise.result())
            except grpc.FutureCancelledError:
                raise Unavailable("the connection was closed before the answer") from None

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            raise _status.from_call(error, self.target) from None
        except ValueError as error:  # what grpc says of a closed channel
            raise Unavailable(f"the connection to {self.target} is closed: {error}") from None


class Stream(Generic[M]):
    """The answers of one call as they come; to close it ends the call, and so the search."""

    def __init__(
        self, begin: Callable[[], Any], failures: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._begin = begin
        self._failures = failures
        self._call: Any = None
        self._closed = False

    def __iter__(self) -> Iterator[M]:
        return self

    def __next__(self) -> M:
        if self._closed:
            raise StopIteration
        try:
            with self._failures():
                if self._call is None:
                    self._call = self._begin()
                    if self._closed:  # while it began
                        self._call.cancel()
                return cast("M", next(self._call))
        except BuraError:
            # Whoever has closed it, from another thread perhaps, wants to hear no more.
            if self._closed:
                raise StopIteration from None
            raise

    def close(self) -> None:
        """Ends the call."""
        self._closed = True
        if self._call is not None:
            self._call.cancel()


def each(questions: Iterable[Q], ask: Callable[[Q], A]) -> list[A | BuraError]:
    """What `ask` answers to each question, or its failure; see `patiently`."""
    return [patiently(partial(ask, question)) for question in questions]


def patiently(ask: Callable[[], A]) -> A | BuraError:
    """What `ask` answers, or its failure; comes again for a while when the service is busy.

    Raises:
        Unavailable: nobody answers, so there is no use in asking on.
    """
    for tries in range(_TRIES):
        try:
            return ask()
        except Unavailable:
            raise
        except Overloaded as error:
            if tries == _TRIES - 1:
                return error
            pause = error.retry_after
        except BuraError as error:
            return error
        time.sleep(0.05 * 2**tries if pause is None else pause)
    raise AssertionError("the last try returns")


def _start_embedded() -> EmbeddedServer:
    for entry in entry_points(group="bura.embedded", name="server"):
        try:
            return cast("EmbeddedServer", entry.load()())
        except (ImportError, RuntimeError) as error:
            raise Unavailable(f"the installed service does not start: {error}") from error
    raise NotInstalled


def _target_faults(target: str | None) -> list[Fault]:
    if target is None or target.startswith(("unix:", "unix-abstract:")):
        return []
    host, _, port = target.rpartition(":")
    if host and port.isascii() and port.isdecimal() and 0 < int(port) < 65536:
        return []
    remedy = "write HOST:PORT, such as localhost:50051"
    return [Fault("target", target, "not the address of a service", remedy)]


def _timeout_faults(timeout: float | None) -> list[Fault]:
    if timeout is None or timeout > 0:
        return []
    return [Fault("timeout", str(timeout), "not more than zero", "give seconds, such as 10")]


def _token_faults(token: str | None) -> list[Fault]:
    # What a header can't carry would be an error of grpc's that names nothing.
    if token is None or (token.isascii() and token.isprintable() and token.strip() == token != ""):
        return []
    return [Fault("token", "...", "not a token", "give printable ASCII without blanks around it")]


def _retries_faults(retries: int) -> list[Fault]:
    if type(retries) is int and 0 <= retries <= _MOST_RETRIES:
        return []
    remedy = f"give a whole number from 0 to {_MOST_RETRIES}"
    return [Fault("retries", str(retries), "not a number of retries", remedy)]


def _extend(texts: Any, values: Iterable[str], name: str) -> None:
    for number, value in enumerate(values):
        try:
            texts.append(value)
        except (TypeError, ValueError):
            raise InputError([_unsendable(f"{name}[{number}]", value)]) from None


def _objective(objective: str) -> solver_pb2.Objective.ValueType:
    try:
        return _OBJECTIVES[objective]
    except KeyError:
        remedy = "choose outcome, points or score"
        raise InputError(
            [Fault("objective", str(objective), "not an objective", remedy)]
        ) from None


def _limits(max_nodes: int | None, time_limit: float | None) -> search_pb2.SearchLimits | None:
    if max_nodes is None and time_limit is None:
        return None
    limits = _request(search_pb2.SearchLimits, max_nodes=max_nodes)
    if time_limit is not None:
        limits.max_time.FromNanoseconds(_nanoseconds(time_limit, "time_limit"))
    return limits


def _recommendation(
    position: str,
    seat: int | None,
    max_worlds: int | None,
    seed: int | None,
    max_deals: int | None,
    limits: search_pb2.SearchLimits | None,
) -> advisor_pb2.RecommendMoveRequest:
    """What is asked for a recommendation, once or as it gets better."""
    return _request(
        advisor_pb2.RecommendMoveRequest,
        position=position,
        seat=seat,
        max_worlds=max_worlds,
        seed=seed,
        max_deals=max_deals,
        limits=limits,
    )


def _nanoseconds(seconds: float, name: str) -> int:
    if not 0 < seconds <= 1e9:
        remedy = "give seconds, more than zero"
        raise InputError([Fault(name, str(seconds), "not a time", remedy)])
    return math.ceil(seconds * 1e9)


def _request(kind: type[M], **fields: Any) -> M:
    """A request with these fields, but for those that are `None`."""
    request, faults = kind(), []
    for name, value in fields.items():
        if value is None:
            continue
        try:
            if isinstance(value, Message):
                getattr(request, name).CopyFrom(value)
            else:
                setattr(request, name, value)
        except ValueError:  # too large a number, or half a character
            faults.append(_unsendable(name, value))
    if faults:
        raise InputError(faults)
    return request


def _unsendable(name: str, value: object) -> Fault:
    remedy = "give a smaller number or plain text"
    return Fault(name, ascii(value)[:80], "can't be sent", remedy)
