"""The service over real sockets, asked by real gRPC clients."""

import contextlib
import dataclasses
import itertools
import logging
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Self

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from bura.v1 import (
    advisor_pb2,
    advisor_pb2_grpc,
    rules_pb2,
    rules_pb2_grpc,
    search_pb2,
    solver_pb2,
    solver_pb2_grpc,
)
from bura_core import (
    PRESETS,
    Fault,
    InputError,
    Position,
    RuleSet,
    Solver,
    UnsupportedError,
    View,
    estimate_claim,
    parse_position,
    recommend,
)
from bura_core.claiming import advise_claim
from bura_core.equilibrium import solve_ending
from bura_core.raising import advise_raise
from bura_core.rule_sets import SUPPORTED
from bura_service import asking, convert, searches, server
from bura_service.__main__ import main
from bura_service.cache import AnswerCache
from bura_service.config import Config
from bura_service.costs import Costs
from bura_service.embedded import start
from bura_service.rule_words import TITLES
from bura_service.status import failure_of

SERVICES = (
    "bura.v1.AdvisorService",
    "bura.v1.RulesService",
    "bura.v1.SolverService",
    "bura.v1.TableService",
)
PROMPTLY = 5.0  # seconds: what "at once" may take on a busy machine; else it takes minutes

DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh 0/0 0 -"
ENDING = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
CLAIMABLE = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 - claim=1"

# Five cards each and all the talon, with a ceiling, so that no bound on points helps: the
# search takes minutes, whatever it is that stops it.
ENDLESS = (
    "perebor[hand=6] d AsQs9sThKh8d/KsJs7sQhTdJc TsAh9h6hAdKd9d7dAcTc9c7c8s6sJh7hQd6d"
    "KcQc8c6c8hJd 0/0 0 -"
)


COUNT = itertools.count()

# Three cards each and no talon.
LAST_THREE = [
    "classic d JcKd7h/Qs8c6c - 33/78 0 -",
    "perebor h 7c6sJd/6cKcAd - 27/76 1 -",
    "georgian3[deck=36] c Ks8dJh/9hTh9s - 48/56 0 -",
]
FORMS: list[dict[str, Any]] = [
    {},
    {"objective": solver_pb2.OBJECTIVE_POINTS},
    {"value_only": True},
    {"objective": solver_pb2.OBJECTIVE_POINTS, "value_only": True},
    {"limits": search_pb2.SearchLimits(max_nodes=20)},
]


class Client:
    """The stubs of every service on one channel."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.channel = grpc.insecure_channel(target)
        self.solver = solver_pb2_grpc.SolverServiceStub(self.channel)
        self.advisor = advisor_pb2_grpc.AdvisorServiceStub(self.channel)
        self.rules = rules_pb2_grpc.RulesServiceStub(self.channel)
        # Their type stubs know none of the methods.
        self.health: Any = health_pb2_grpc.HealthStub(self.channel)
        self.reflection: Any = reflection_pb2_grpc.ServerReflectionStub(self.channel)

    def raw(self, method: str, data: bytes) -> object:
        call: Any = self.channel.unary_unary
        return call(f"/bura.v1.SolverService/{method}")(data, timeout=10)

    def solve(self, position: str, **fields: Any) -> solver_pb2.SolvePositionResponse:
        request = solver_pb2.SolvePositionRequest(position=position, **fields)
        return self.solver.SolvePosition(request, timeout=30)

    def solve_all(self, *positions: str, **fields: Any) -> list[solver_pb2.SolvePositionsResult]:
        request = solver_pb2.SolvePositionsRequest(positions=positions, **fields)
        return list(self.solver.SolvePositions(request, timeout=30).results)

    def solve_all_later(self, *positions: str, timeout: float | None = 60.0) -> Any:
        request = solver_pb2.SolvePositionsRequest(positions=positions)
        return self.solver.SolvePositions.future(request, timeout=timeout)

    def solve_later(self, position: str = ENDLESS, timeout: float | None = 60.0) -> Any:
        # Each is a question of its own, or they would share one search.
        limits = search_pb2.SearchLimits(max_nodes=10**9 + next(COUNT))
        request = solver_pb2.SolvePositionRequest(position=position, limits=limits)
        return self.solver.SolvePosition.future(request, timeout=timeout)


@contextlib.contextmanager
def serving(**settings: Any) -> Iterator[Client]:
    usual = {"search_threads": 1, "cache_mb": 0, "max_wait": 1e6}
    with start(Config(**{**usual, **settings})) as embedded:
        client = Client(embedded.target)
        with client.channel:
            yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving(max_queue=4) as client:
        yield client


def code_of(call: Callable[[], object]) -> grpc.StatusCode:
    """How a call ends."""
    try:
        call()
    except grpc.RpcError as error:
        failed: Any = error  # grpc raises what is both an error and a call
        code: grpc.StatusCode = failed.code()
        return code
    return grpc.StatusCode.OK


def details(error: Any, kind: type[Message]) -> list[Any]:
    """The details of one kind that a failed call carries."""
    status = rpc_status.from_call(error)
    assert status is not None
    found = []
    for detail in status.details:
        message = kind()
        if detail.Unpack(message):
            found.append(message)
    return found


def refused(call: Callable[[], object], code: grpc.StatusCode, reason: str) -> Any:
    """The error of a call that has to fail in this way."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error: Any = caught.value
    assert error.code() is code, error.details()
    (info,) = details(error, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain) == (reason, "bura")
    return error


def faults(call: Callable[[], object], reason: str = "INVALID_INPUT") -> dict[str, str]:
    """The violations, field to description, of a call that has to be refused for its input."""
    error = refused(call, grpc.StatusCode.INVALID_ARGUMENT, reason)
    (request,) = details(error, error_details_pb2.BadRequest)
    return {violation.field: violation.description for violation in request.field_violations}


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "that never came"
        time.sleep(0.005)


def is_full(client: Client) -> bool:
    """Whether the service refuses a large search: all its places are taken."""
    limits = search_pb2.SearchLimits(max_nodes=100_000 + next(COUNT))
    code = code_of(lambda: client.solve(ENDLESS, limits=limits))
    assert code in (grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED)
    return code is grpc.StatusCode.RESOURCE_EXHAUSTED


def answered_promptly(client: Client) -> bool:
    """Whether a small search and a large one, which needs a thread to be free, are answered."""
    started = time.monotonic()
    client.solve(ENDING)
    client.solve(ENDLESS, limits=search_pb2.SearchLimits(max_nodes=100_000))
    return time.monotonic() - started < PROMPTLY


# ---------------------------------------------------------------- what is answered


@pytest.mark.parametrize("line", [DEAL, ENDING])
def test_solve_answers_as_the_core(client: Client, line: str) -> None:
    expected = Solver().solve(line)
    response = client.solve(line)
    assert response.position == line
    assert response.objective == solver_pb2.OBJECTIVE_OUTCOME
    assert response.exactness == search_pb2.EXACTNESS_EXACT
    assert response.outcome == response.lower == response.upper == expected.value
    assert not response.HasField("points")
    assert [(m.move, m.value) for m in response.moves] == [
        (str(m.move), m.value) for m in expected.moves
    ]
    assert list(response.best) == [str(move) for move in expected.best]
    assert list(response.line) == [str(move) for move in expected.line]
    assert response.nodes > 0
    assert response.search_us > 0
    assert response.stopped == search_pb2.STOP_REASON_COMPLETED


def test_a_position_comes_back_in_its_canonical_spelling(client: Client) -> None:
    spelled = ENDING.replace("9d6c", "9♦6c").replace("Th", "10h")
    assert client.solve(spelled).position == ENDING


def test_moves_come_best_first_and_best_are_all_of_the_highest_value(client: Client) -> None:
    response = client.solve(ENDING, objective=solver_pb2.OBJECTIVE_POINTS)
    values = [move.value for move in response.moves]
    assert values == sorted(values, reverse=True)
    assert list(response.best) == [m.move for m in response.moves if m.value == values[0]]


def test_points_bring_the_outcome_too(client: Client) -> None:
    response = client.solve(ENDING, objective=solver_pb2.OBJECTIVE_POINTS)
    assert response.objective == solver_pb2.OBJECTIVE_POINTS
    assert response.points == Solver().solve(ENDING, "points").value
    assert response.lower == response.upper == response.points
    assert response.outcome == Solver().solve(ENDING).value


DOUBLED = "moskva[target=50] h 9hKcTh/TdQc9s QhKdTs6c7cJs 29/45 0 -"
"""A win now counts 1, a bura that is to be drawn 2."""


def test_scores_bring_the_outcome_too(client: Client) -> None:
    for line, score in ((DOUBLED, 2), (f"{ENDING} stake=1", None)):
        response = client.solve(line, objective=solver_pb2.OBJECTIVE_SCORE)
        truth = Solver().solve(line, "score")
        assert response.objective == solver_pb2.OBJECTIVE_SCORE
        assert response.score == response.lower == response.upper == truth.value
        assert score in (None, response.score)
        assert response.outcome == Solver().solve(line).value
        assert [move.value for move in response.moves] == [move.value for move in truth.moves]
        assert not response.HasField("points")


def test_a_score_of_three_players_is_refused(client: Client) -> None:
    refused(
        lambda: client.solve(
            "classic[players=3] h 6s/7s/8s - 0/0/0 0 -", objective=solver_pb2.OBJECTIVE_SCORE
        ),
        grpc.StatusCode.UNIMPLEMENTED,
        "UNSUPPORTED",
    )


def test_value_only_leaves_the_moves_out(client: Client) -> None:
    response = client.solve(ENDING, value_only=True)
    assert response.outcome == Solver().solve(ENDING).value
    assert (list(response.moves), list(response.best), list(response.line)) == ([], [], [])


def test_a_search_cut_by_its_nodes_is_an_answer(client: Client) -> None:
    response = client.solve(ENDLESS, limits=search_pb2.SearchLimits(max_nodes=2000))
    assert response.exactness == search_pb2.EXACTNESS_BOUNDED
    assert response.stopped == search_pb2.STOP_REASON_NODES
    assert response.lower < response.upper
    assert not response.HasField("outcome")


def test_a_search_cut_by_its_time_is_an_answer(client: Client) -> None:
    limits = search_pb2.SearchLimits()
    limits.max_time.FromMilliseconds(50)
    started = time.monotonic()
    response = client.solve(ENDLESS, limits=limits)
    assert time.monotonic() - started < PROMPTLY
    assert response.exactness == search_pb2.EXACTNESS_BOUNDED
    assert response.stopped == search_pb2.STOP_REASON_TIME


def test_a_call_without_deadline_gets_the_default_limit() -> None:
    with serving(default_time_limit=0.1) as client:
        started = time.monotonic()
        response = client.solve_later(timeout=None).result()
        assert time.monotonic() - started < PROMPTLY
        assert response.stopped == search_pb2.STOP_REASON_TIME


# ---------------------------------------------------------------- many at once


def timeless(response: solver_pb2.SolvePositionResponse) -> solver_pb2.SolvePositionResponse:
    """An answer without what is different each time."""
    response.ClearField("search_us")
    return response


@pytest.mark.parametrize("fields", FORMS, ids=range(len(FORMS)))
def test_many_positions_are_answered_as_each_alone(client: Client, fields: dict[str, Any]) -> None:
    lines = [DEAL, ENDING, *LAST_THREE, ENDING]
    results = client.solve_all(*lines, want_line=True, **fields)
    assert len(results) == len(lines)
    for line, result in zip(lines, results, strict=True):
        assert result.WhichOneof("result") == "solution"
        assert timeless(result.solution) == timeless(client.solve(line, **fields))


def test_the_line_is_left_out_unless_asked_for(client: Client) -> None:
    [with_line] = client.solve_all(ENDING, want_line=True)
    [without] = client.solve_all(ENDING)
    assert with_line.solution.line
    assert not without.solution.line
    assert without.solution.moves == with_line.solution.moves


def test_nodes_depend_on_nothing_but_the_position() -> None:
    lines = [*LAST_THREE, ENDING]
    with serving(search_threads=2, max_queue=100) as client:

        def work(*lines: str) -> list[tuple[str, int]]:
            return [
                (result.solution.position, result.solution.nodes)
                for result in client.solve_all(*lines)
            ]

        expected = sorted(work(line)[0] for line in lines)
        assert sorted(work(*lines)) == sorted(work(*reversed(lines))) == expected
        calls = [client.solve_all_later(*lines) for _ in range(20)]
        for call in calls:
            found = [(r.solution.position, r.solution.nodes) for r in call.result().results]
            assert sorted(found) == expected


def test_what_is_wrong_with_one_position_is_its_own_result(client: Client) -> None:
    wrong = ["nonsense", "", SEEN, ENDING.replace(" 1 ", " 7 "), "x" * 4001, DEAL.upper()]
    results = client.solve_all(ENDING, *wrong, DEAL)
    assert results[0].solution.position == ENDING
    assert results[-1].solution.position == DEAL
    for line, result in zip(wrong, results[1:-1], strict=True):
        with pytest.raises(grpc.RpcError) as caught:
            client.solve(line)
        error: Any = caught.value
        assert result.error == rpc_status.from_call(error)
        assert result.error.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]


def test_what_is_wrong_with_all_positions_is_told_once(client: Client) -> None:
    limits = search_pb2.SearchLimits(max_nodes=0)
    found = faults(lambda: client.solve_all(objective=77, limits=limits))
    assert found.keys() == {"positions", "objective", "limits.max_nodes"}
    assert found["positions"] == "'0': is not the number of positions; send 1 to 1000"
    assert faults(lambda: client.solve_all(*["x"] * 1001)).keys() == {"positions"}
    assert len(client.solve_all(*["x"] * 1000)) == 1000


def test_a_bug_in_one_position_leaves_the_others(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def solve_many(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("the hand is AsTsKs")

    def canonical(line: str) -> str:
        if line == DEAL:
            raise ZeroDivisionError("the hand is AsTsKs")
        return str(parse_position(line))

    # Whose fault a failure of all is is not known, so each is searched again by itself.
    monkeypatch.setattr(searches, "solve_many", solve_many)
    monkeypatch.setattr(searches, "canonical", canonical)
    with caplog.at_level(logging.INFO, "bura_service"):
        first, second, third = client.solve_all(ENDING, DEAL, ENDING)
    assert timeless(first.solution) == timeless(third.solution)
    assert second.error.code == grpc.StatusCode.INTERNAL.value[0]
    assert "AsTsKs" not in str(second)
    assert "AsTsKs" not in caplog.text
    assert "code=INTERNAL reason=INTERNAL_ERROR error=ZeroDivisionError at=" in caplog.text
    assert "rpc=/bura.v1.SolverService/SolvePositions code=OK" in caplog.text


def test_a_deadline_or_a_cancellation_stops_the_whole_message(client: Client) -> None:
    started = time.monotonic()
    error = client.solve_all_later(ENDING, *[ENDLESS] * 500, timeout=0.2).exception()
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert answered_promptly(client)
    call = client.solve_all_later(*[ENDLESS] * 500)
    time.sleep(0.2)
    assert call.cancel()
    assert answered_promptly(client)
    assert time.monotonic() - started < 2 * PROMPTLY


@pytest.mark.parametrize("handed_over", [False, True])
def test_the_event_loop_answers_tiny_questions_itself_and_hands_over_others(
    client: Client, monkeypatch: pytest.MonkeyPatch, handed_over: bool
) -> None:
    lines = (ENDING, *LAST_THREE)
    usual = [timeless(client.solve(line)) for line in lines]
    threads = []
    on_a_thread = asking.Searches._on_a_thread

    def noting(*arguments: Any) -> Any:
        threads.append(arguments)
        return on_a_thread(*arguments)

    monkeypatch.setattr(Costs, "is_tiny", lambda *_: True)
    monkeypatch.setattr(asking, "TINY", 1 if handed_over else 10**6)
    monkeypatch.setattr(asking.Searches, "_on_a_thread", noting)
    assert [timeless(client.solve(line)) for line in lines] == usual
    assert bool(threads) is handed_over


def test_limits_hold_for_each_position(client: Client) -> None:
    limits = search_pb2.SearchLimits()
    limits.max_time.FromMilliseconds(20)
    for result in client.solve_all(*[ENDLESS] * 3, limits=limits):
        assert result.solution.stopped == search_pb2.STOP_REASON_TIME
    limits = search_pb2.SearchLimits(max_nodes=2000)
    first, second = client.solve_all(*[ENDLESS] * 2, limits=limits)
    assert timeless(first.solution) == timeless(second.solution)
    assert first.solution.stopped == search_pb2.STOP_REASON_NODES


@pytest.mark.parametrize("objective", [1, 2])
def test_hard_positions_among_easy_ones_are_answered_as_alone(
    client: Client, objective: solver_pb2.Objective.ValueType
) -> None:
    limits = search_pb2.SearchLimits(max_nodes=15_000)
    positions = [ENDING] * 40
    positions[1::7] = [ENDLESS] * 6
    asked: dict[str, Any] = {"limits": limits, "objective": objective}
    results = client.solve_all(*positions, want_line=True, **asked)
    alone = {line: timeless(client.solve(line, **asked)) for line in (ENDING, ENDLESS)}
    assert alone[ENDLESS].nodes >= 15_000
    for line, result in zip(positions, results, strict=True):
        assert timeless(result.solution) == alone[line]


def test_a_message_without_deadline_has_the_default_limit() -> None:
    with serving(default_time_limit=0.1) as client:
        started = time.monotonic()
        call = client.solve_all_later(ENDING, ENDLESS, ENDLESS, ENDING, timeout=None)
        first, second, *others = call.result().results
        assert time.monotonic() - started < PROMPTLY
        assert first.solution.stopped == search_pb2.STOP_REASON_COMPLETED
        assert second.solution.stopped == search_pb2.STOP_REASON_TIME
        for result in others:
            assert result.error.code == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            assert result.error.details[0].Unpack(info)
            assert info.reason == "NOT_REACHED"
            assert result.error.details[1].Unpack(retry)
            assert retry.retry_delay.ToMilliseconds() == 0


def test_a_shutdown_ends_a_message_with_what_there_is() -> None:
    embedded = start(Config(search_threads=1))
    client = Client(embedded.target)
    with client.channel:
        call = client.solve_all_later(ENDING, ENDLESS, *[ENDING] * 100)
        time.sleep(0.2)
        embedded.close()
        first, second, *_, last = call.result().results
        assert first.solution.stopped == search_pb2.STOP_REASON_COMPLETED
        assert second.solution.stopped == search_pb2.STOP_REASON_STOPPED
        assert last.error.code == grpc.StatusCode.UNAVAILABLE.value[0]


def test_times_are_told_to_a_tenth_of_a_microsecond(client: Client) -> None:
    count = solver_pb2.PerftRequest(position=ENDING, depth=3)
    advice = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=5)
    for response in (
        client.solve(ENDING),
        client.solver.Perft(count),
        client.advisor.RecommendMove(advice),
    ):
        assert response.search_us > 0
        assert response.search_us == round(response.search_us, 1)


# ---------------------------------------------------------------- other questions


@pytest.mark.parametrize("depth", [0, 1, 2, 5, 6])
def test_perft_counts_as_the_core(client: Client, depth: int) -> None:
    request = solver_pb2.PerftRequest(position=ENDING, depth=depth, divide=True)
    response = client.solver.Perft(request)
    position = Position.from_text(ENDING)
    assert response.nodes == position.perft(depth)
    divided = position.divide(depth) if depth else {}
    assert {move.move: move.nodes for move in response.divide} == divided
    assert response.exactness == search_pb2.EXACTNESS_EXACT


def test_perft_past_the_end_counts_nothing(client: Client) -> None:
    late = "five d Ah9d/KhQh - 31/20 1 -"
    response = client.solver.Perft(solver_pb2.PerftRequest(position=late, depth=72))
    assert response.nodes == 0
    assert response.HasField("nodes")


def test_perft_is_cut_by_its_limits(client: Client) -> None:
    limits = search_pb2.SearchLimits(max_nodes=1000)
    request = solver_pb2.PerftRequest(position=ENDLESS, depth=12, limits=limits)
    response = client.solver.Perft(request)
    assert response.exactness == search_pb2.EXACTNESS_BOUNDED
    assert response.stopped == search_pb2.STOP_REASON_NODES
    limits = search_pb2.SearchLimits()
    limits.max_time.FromMilliseconds(50)
    request = solver_pb2.PerftRequest(position=ENDLESS, depth=12, limits=limits)
    started = time.monotonic()
    assert client.solver.Perft(request).stopped == search_pb2.STOP_REASON_TIME
    assert time.monotonic() - started < PROMPTLY


MAY_CLAIM = "georgian3 h AsTdQh/x3 x5Jh TcKcx2/AdQdx2 0 - claim=0"
OFFERED = "georgian3 h KcJdQs/x3 x13Jh -/- 1 - raiser=1 offer=2 score=3:5/7"


def test_a_claim_is_decided_as_the_core_does(client: Client) -> None:
    request = advisor_pb2.EstimateClaimRequest(position=MAY_CLAIM, max_worlds=60, seed=3)
    response = client.advisor.EstimateClaim(request)
    expected = advise_claim(View.from_text(MAY_CLAIM), max_worlds=60, seed=3)
    decision = response.decision
    assert (decision.claim, decision.play) == (expected.claim, str(expected.play))
    assert decision.claim_value == pytest.approx(expected.claim_value)
    assert decision.play_value == pytest.approx(expected.play_value)
    assert decision.other_first == pytest.approx(expected.other_first)
    assert decision.method == advisor_pb2.METHOD_PLAYED_OUT
    assert response.stopped == search_pb2.STOP_REASON_COMPLETED
    assert client.advisor.EstimateClaim(request).decision == decision
    # Counted alone, and where there is no right to claim, nothing is decided.
    counted = advisor_pb2.EstimateClaimRequest(position=MAY_CLAIM)
    assert not client.advisor.EstimateClaim(counted).HasField("decision")
    without = advisor_pb2.EstimateClaimRequest(position=SEEN, max_worlds=60)
    assert not client.advisor.EstimateClaim(without).HasField("decision")


def test_raises_are_advised_as_the_core_does(client: Client) -> None:
    request = advisor_pb2.AdviseRaiseRequest(position=OFFERED, max_worlds=60, seed=3)
    response = client.advisor.AdviseRaise(request)
    expected = advise_raise(View.from_text(OFFERED), max_worlds=60, seed=3)
    told = [(each.move, pytest.approx(each.value)) for each in response.options]
    assert told == [(str(each.move), each.value) for each in expected.options]
    assert response.best == str(expected.best)
    assert response.unit == advisor_pb2.RAISE_UNIT_MATCH
    assert (response.stake, response.offered, response.play) == (1, 2, "")
    assert response.chance == pytest.approx(expected.chance)
    assert response.chance_before == pytest.approx(expected.unmoved)
    assert response.least == pytest.approx(expected.least)
    assert client.advisor.AdviseRaise(request).options == response.options


def test_advice_on_raises_names_what_is_wrong(client: Client) -> None:
    for line, field in (
        ("classic h x3/AhKsTs x29Jh -/- 1 -", "position.rules"),
        ("georgian3 h x3/AhKsTs x13Jh -/- 0 -", "position.turn"),
    ):
        request = advisor_pb2.AdviseRaiseRequest(position=line, seat=1)
        assert faults(partial(client.advisor.AdviseRaise, request)).keys() == {field}
    request = advisor_pb2.AdviseRaiseRequest(position=OFFERED, max_worlds=0)
    assert faults(partial(client.advisor.AdviseRaise, request)).keys() == {"max_worlds"}


def test_recommend_answers_as_the_core(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=40, seed=7)
    response = client.advisor.RecommendMove(request)
    expected = recommend(View.from_text(SEEN), max_worlds=40, seed=7)
    assert [(m.move, m.value, m.win, m.draw, m.loss, m.worlds) for m in response.moves] == [
        (str(m.move), m.value, m.win, m.draw, m.loss, m.worlds) for m in expected.moves
    ]
    assert response.best[0] == str(expected.best)
    assert response.method == advisor_pb2.METHOD_SAMPLED
    assert response.worlds == expected.worlds == 40
    assert int(response.total_worlds) == expected.total_worlds
    for move, value in zip(response.moves, expected.moves, strict=True):
        assert move.win + move.draw + move.loss + move.unsettled == pytest.approx(1)
        assert move.HasField("beaten") == (value.beaten is not None)
        if value.beaten is not None:
            chance = move.beaten
            assert Fraction(int(chance.numerator), int(chance.denominator)) == value.beaten
            assert chance.value == float(value.beaten)


def test_recommend_tells_the_facts_of_the_table(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=4)
    table = client.advisor.RecommendMove(request).table
    assert (table.rules, table.trump, table.seat, table.turn) == ("georgian3", "h", 1, 1)
    assert table.hand == "KsThTc"
    # Nothing that lies openly, and not the own hand; the jack of spades lies face down in the
    # other seat's pile, but whoever wrote the line knows it.
    assert table.unseen == "TsQsAhKhQhKdQdJdAcKcQcJc"
    assert (table.talon_cards, table.target, table.may_claim) == (10, 31, False)
    assert not table.HasField("claim_ceiling")
    assert [(p.shown, p.closed, p.minimum, p.maximum) for p in table.piles] == [
        (13, 0, 13, 13),
        (21, 0, 21, 21),
    ]


def test_recommend_estimates_the_claim_where_there_may_be_one(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=4)
    assert not client.advisor.RecommendMove(request).claim.allowed
    request.position = CLAIMABLE
    response = client.advisor.RecommendMove(request)
    assert response.table.may_claim
    assert response.claim.allowed
    estimate = advisor_pb2.EstimateClaimRequest(position=CLAIMABLE)
    assert response.claim == client.advisor.EstimateClaim(estimate)
    assert "claim" in {move.move for move in response.moves}


def test_the_same_seed_has_the_same_answer(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=20, seed=3)
    first, second = (client.advisor.RecommendMove(request) for _ in range(2))
    assert [(m.move, m.value) for m in first.moves] == [(m.move, m.value) for m in second.moves]


def test_claim_answers_as_the_core(client: Client) -> None:
    line = "georgian3 h x3/KsThTc x7Jh As(Js)/TdAdx2 1 - claim=1"
    response = client.advisor.EstimateClaim(advisor_pb2.EstimateClaimRequest(position=line))
    expected = estimate_claim(View.from_text(line))
    assert (response.seat, response.shown, response.closed) == (1, 21, 2)
    assert (response.minimum, response.maximum) == (expected.minimum, expected.maximum)
    chance = response.chance
    assert Fraction(int(chance.numerator), int(chance.denominator)) == expected.chance
    assert [(way.points, int(way.ways)) for way in response.distribution] == list(expected.ways)
    assert int(response.total_ways) == expected.total_ways
    assert sum(way.probability for way in response.distribution) == pytest.approx(1)
    verdicts = {
        "sure": advisor_pb2.VERDICT_SURE,
        "open": advisor_pb2.VERDICT_OPEN,
        "impossible": advisor_pb2.VERDICT_IMPOSSIBLE,
    }
    assert response.verdict == verdicts[expected.verdict]


def test_rule_sets(client: Client) -> None:
    response = client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
    assert [rules.name for rules in response.rule_sets] == [p for p in PRESETS if p in SUPPORTED]
    for rules in response.rule_sets:
        preset = PRESETS[rules.name]
        assert (rules.text, rules.source) == (str(preset), preset.source)
        # The switches are the whole rule set, in the spelling of a position line.
        switches = ",".join(f"{key}={value}" for key, value in rules.switches.items())
        assert RuleSet.parse(f"{rules.name}[{switches}]") == preset
        assert len(rules.switches) == len(dataclasses.fields(preset)) - 2  # name, cached text
        assert re.fullmatch(r"[A-Z][^\n]{50,200}\.", rules.description)
        assert [each.title for each in rules.paragraphs] == [
            title for key, title in TITLES["en"].items() if key != "changes"
        ]
        assert not rules.changes
    russian = client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest(language_code="ru"))
    for rules in russian.rule_sets:
        assert rules.paragraphs[0].title == "Источник"
    told = faults(
        lambda: client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest(language_code="RU"))
    )
    assert told == {"language_code": "'RU': is no language of these texts; use en, ru or ka"}


def test_a_rule_set_with_switches_is_told_and_an_impossible_one_refused(client: Client) -> None:
    text = "classic[deck=32,discards=shown]"
    response = client.rules.GetRuleSet(rules_pb2.GetRuleSetRequest(rules=text))
    assert response.rule_set.text == text
    assert [(each.switch, each.usual, each.value) for each in response.rule_set.changes] == [
        ("deck", "36", "32"), ("discards", "closed", "shown"),
    ]  # fmt: skip
    assert response.rule_set.paragraphs[1].text == (
        "Changed against classic: cards of the deck (deck) from 36 to 32; discards (discards)"
        " from closed to shown."
    )
    for rules, fields in (
        ("", {"rules"}),
        ("clasic[hand=9]", {"rules", "rules.hand"}),
        ("georgian3[players=5,pairs=yes,hand=6,claim_ceiling=30,trumps=no,match_to=0,foul=match_pot]",
         {"rules.pairs", "rules.hand", "rules.claim_ceiling", "rules.bura", "rules.match_to",
          "rules.foul"}),
        ("x" * 5000, {"rules"}),
    ):  # fmt: skip
        request = rules_pb2.GetRuleSetRequest(rules=rules, language_code="fr")
        assert faults(partial(client.rules.GetRuleSet, request)).keys() == {
            "language_code", *fields
        }  # fmt: skip


# ---------------------------------------------------------------- what is refused


def test_all_faults_of_a_request_come_at_once(client: Client) -> None:
    limits = search_pb2.SearchLimits(max_nodes=-5)
    limits.max_time.seconds = -1
    found = faults(
        lambda: client.solve("nonsense q AsAs/Kx - 0/0 9 -", objective=77, limits=limits)
    )
    assert {"limits.max_nodes", "limits.max_time", "objective"} < found.keys()
    assert len([field for field in found if field.startswith("position.")]) >= 3
    assert found["limits.max_nodes"].startswith("'-5': ")
    assert found["objective"].startswith("'77': ")
    assert all("; " in description for description in found.values())


def test_all_faults_of_advice_come_at_once(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(
        position="georgian3 h x3/KsThZz x9Jh As(Js)/TdAd 1 -", seat=7, max_worlds=0, seed=-1
    )
    found = faults(lambda: client.advisor.RecommendMove(request))
    assert {"seat", "max_worlds", "seed"} < found.keys()
    assert any(field.startswith("position.hands") for field in found)


def test_faults_that_only_the_search_finds_name_their_field(client: Client) -> None:
    # Seat 0 has nothing to decide: it is seat 1's turn.
    waiting = SEEN.replace("x3/KsThTc", "AcTsKd/x3").replace("As(Js)/TdAd", "Asx1/TdAd")
    request = advisor_pb2.RecommendMoveRequest(position=waiting, seat=0)
    assert faults(lambda: client.advisor.RecommendMove(request)).keys() == {"position.turn"}


def test_no_more_faults_are_told_than_anybody_reads() -> None:
    for count, told in ((50, 50), (51, 51), (52, 51), (5000, 51)):
        failure = failure_of(InputError([Fault("f", str(n), "odd", "mend") for n in range(count)]))
        request = error_details_pb2.BadRequest()
        assert failure.details.details[1].Unpack(request)
        assert len(request.field_violations) == told
        last = request.field_violations[-1].description
        more = count - 50
        assert last == (
            f"and {more} more fault{'s' * (more > 1)}" if more > 0 else "'49': odd; mend"
        )


def test_perft_depth_has_a_range(client: Client) -> None:
    for depth in (-1, 73, 2**31 - 1):
        request = solver_pb2.PerftRequest(position=ENDING, depth=depth)
        assert faults(partial(client.solver.Perft, request)).keys() == {"depth"}


def test_an_empty_request_names_the_field(client: Client) -> None:
    assert faults(lambda: client.solve("")).keys() == {"position"}
    claim = advisor_pb2.EstimateClaimRequest()
    assert faults(lambda: client.advisor.EstimateClaim(claim)).keys() == {"position"}


def test_hidden_cards_are_a_kind_of_their_own(client: Client) -> None:
    found = faults(lambda: client.solve(SEEN), reason="HIDDEN_CARDS")
    assert {"position.hands[0]", "position.talon"} <= found.keys()


def test_what_this_build_cannot_do_is_unimplemented(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(request: Message) -> None:
        raise UnsupportedError("three players are not solved yet")

    monkeypatch.setattr(convert, "solve_question", unsupported)
    error = refused(lambda: client.solve(DEAL), grpc.StatusCode.UNIMPLEMENTED, "UNSUPPORTED")
    assert "three players" in str(error)


def test_a_bug_tells_nothing_to_the_client(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: Message) -> None:
        raise ZeroDivisionError("the hand is AsTsKs")

    monkeypatch.setattr(convert, "solve_question", broken)
    with caplog.at_level(logging.INFO, "bura_service"):
        error = refused(lambda: client.solve(DEAL), grpc.StatusCode.INTERNAL, "INTERNAL_ERROR")
    assert error.details() == "internal error of the service; it has been logged"
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "error=ZeroDivisionError at=test_service.py:" in record.getMessage()
    assert "AsTsKs" not in caplog.text


def test_a_search_that_runs_off_its_end_is_an_error_and_no_hang(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StopIteration  # a future would carry none, and its call would wait for ever

    monkeypatch.setattr(searches.SolveQuestion, "answer", broken)
    error = refused(lambda: client.solve(DEAL), grpc.StatusCode.INTERNAL, "INTERNAL_ERROR")
    assert error.details() == "internal error of the service; it has been logged"


def test_the_log_has_one_line_a_call_and_no_cards(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "bura_service"):
        client.solve(ENDING)
        faults(lambda: client.solve(ENDING.replace("TsAs", "TsTs")))
        # A line is written when the answer is on its way: one of a call before may come, too.
        wait_until(lambda: "code=INVALID_ARGUMENT" in caplog.text)
    first, second = [record.getMessage() for record in caplog.records][-2:]
    assert re.fullmatch(
        r"event=call rpc=/bura.v1.SolverService/SolvePosition code=OK ms=[0-9.]+ rules=five"
        # What takes no time waits for no thread.
        r" phase=talon nodes=\d+( queue_ms=[0-9.]+)? compute_ms=[0-9.]+",
        first,
    )
    assert "code=INVALID_ARGUMENT" in second
    assert "fields=position.table" in second
    assert "Ts" not in caplog.text


GARBAGE = [
    "\0",
    ENDING.replace("five", "five\0"),
    ENDING + "\0",
    ENDING + "\n" + ENDING,
    "x" * 50_000,
    "five d " + "As" * 1500 + " - 0/0 0 -",
    "five d x99999999999999999999/x3 x9 0/0 0 -",
    "five d x3/x3 x999999999 0/0 0 -",
    "five d -/- - 99999999999999999999999999/0 0 -",
    "five d -/- - -1/0 0 -",
    "five[hand=99999999999999999999] d -/- - 0/0 0 -",
    "five[" + "hand=5," * 500 + "] d -/- - 0/0 0 -",
    "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs stake=" + "9" * 3000,
    "\N{FULLWIDTH DIGIT ONE}" * 100,
    "\N{RIGHT-TO-LEFT OVERRIDE}" + ENDING,
    "[" * 3000,
    "(" * 3000,
    "/" * 3000,
    " " * 3000,
    "five d " + ",".join("0:As" for _ in range(600)),
]


@pytest.mark.parametrize("line", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_refused_and_harms_nobody(client: Client, line: str) -> None:
    seen = advisor_pb2.RecommendMoveRequest(position=line)
    claim = advisor_pb2.EstimateClaimRequest(position=line)
    count = solver_pb2.PerftRequest(position=line, depth=3)
    calls: tuple[Callable[[], object], ...] = (
        lambda: client.solve(line),
        lambda: client.solver.Perft(count, timeout=10),
        lambda: client.advisor.RecommendMove(seen, timeout=10),
        lambda: client.advisor.EstimateClaim(claim, timeout=10),
    )
    for call in calls:
        started = time.monotonic()
        assert code_of(call) is grpc.StatusCode.INVALID_ARGUMENT
        assert time.monotonic() - started < PROMPTLY
    assert answered_promptly(client)


def test_mangled_lines_never_break_the_service(client: Client) -> None:
    generator = random.Random(20)
    letters = "AKQJT9876shdcx()/-:,=[]10 \0\x7fТКДВпчбт♠♥♦♣\ufe0f"
    allowed = {
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNIMPLEMENTED,
    }
    limits = search_pb2.SearchLimits(max_nodes=1000)
    for line in (DEAL, ENDING, SEEN, CLAIMABLE):
        for _ in range(60):
            text = list(line)
            for _ in range(generator.randint(1, 4)):
                place = generator.randrange(len(text))
                text[place : place + generator.randint(0, 2)] = generator.choice(letters)
            mangled = "".join(text)
            seen = advisor_pb2.RecommendMoveRequest(position=mangled, max_worlds=2, limits=limits)
            claim = advisor_pb2.EstimateClaimRequest(position=mangled)
            codes = {
                code_of(partial(client.solve, mangled, limits=limits)),
                code_of(partial(client.advisor.RecommendMove, seen, timeout=10)),
                code_of(partial(client.advisor.EstimateClaim, claim, timeout=10)),
            }
            assert codes <= allowed, mangled


@pytest.mark.parametrize(
    "fields",
    [
        {"seconds": 0, "nanos": 0},
        {"seconds": -(2**63), "nanos": 0},
        {"seconds": 2**63 - 1, "nanos": 0},
        {"seconds": 1, "nanos": -1},
        {"seconds": 1, "nanos": 2**31 - 1},
    ],
)
def test_impossible_time_budgets_are_refused(client: Client, fields: dict[str, int]) -> None:
    limits = search_pb2.SearchLimits()
    limits.max_time.seconds, limits.max_time.nanos = fields["seconds"], fields["nanos"]
    assert faults(lambda: client.solve(ENDING, limits=limits)).keys() == {"limits.max_time"}


def test_the_largest_budgets_are_no_trouble(client: Client) -> None:
    limits = search_pb2.SearchLimits(max_nodes=2**63 - 1)
    limits.max_time.seconds = 315_576_000_000
    assert client.solve(ENDING, limits=limits).exactness == search_pb2.EXACTNESS_EXACT


@pytest.mark.parametrize("data", [b"\xff" * 40, b"\x0a\x05As", b"\x0a\x02\xff\xfe"])
def test_bytes_that_are_no_message_are_refused(client: Client, data: bytes) -> None:
    refused(
        lambda: client.raw("SolvePosition", data), grpc.StatusCode.INVALID_ARGUMENT, "UNREADABLE"
    )
    assert answered_promptly(client)


def test_a_message_too_large_is_refused(client: Client) -> None:
    assert code_of(lambda: client.solve("x" * 5 * 10**6)) is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert answered_promptly(client)


def test_an_unknown_method_is_unimplemented(client: Client) -> None:
    assert code_of(lambda: client.raw("Cheat", b"")) is grpc.StatusCode.UNIMPLEMENTED


# ---------------------------------------------------------------- cancelling, waiting


def test_cancelling_stops_the_search(client: Client) -> None:
    call = client.solve_later()
    time.sleep(0.2)
    assert call.cancel()
    assert answered_promptly(client)


def test_a_deadline_stops_the_search(client: Client) -> None:
    started = time.monotonic()
    error = client.solve_later(timeout=0.2).exception()
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - started < PROMPTLY
    assert answered_promptly(client)


def test_cancelling_stops_counting_and_advice(client: Client) -> None:
    count = solver_pb2.PerftRequest(position=ENDLESS, depth=20)
    call: Any = client.solver.Perft.future(count)
    time.sleep(0.2)
    assert call.cancel()
    assert answered_promptly(client)
    seen = f"perebor[hand=6] d {ENDLESS.split()[2].split('/')[0]}/x6 x23Jd -/- 0 -"
    advice: Any = client.advisor.RecommendMove.future(
        advisor_pb2.RecommendMoveRequest(position=seen, max_worlds=5000)
    )
    time.sleep(0.03)  # it takes a tenth of a second and more
    assert advice.cancel()
    assert answered_promptly(client)


def test_a_client_that_is_killed_stops_his_search() -> None:
    with serving(max_queue=0) as client:
        target = client.target
        script = (
            "import grpc, sys\n"
            "from bura.v1 import solver_pb2, solver_pb2_grpc\n"
            f"stub = solver_pb2_grpc.SolverServiceStub(grpc.insecure_channel({target!r}))\n"
            "while True:\n"  # for it may meet a call of is_full
            "    try:\n"
            f"        stub.SolvePosition(solver_pb2.SolvePositionRequest(position={ENDLESS!r}))\n"
            "    except grpc.RpcError:\n"
            "        pass\n"
        )
        process = subprocess.Popen([sys.executable, "-c", script])
        wait_until(lambda: is_full(client))
        process.kill()
        process.wait()
        started = time.monotonic()
        wait_until(lambda: not is_full(client))
        assert time.monotonic() - started < PROMPTLY


def test_beyond_the_queue_calls_are_refused_at_once() -> None:
    with serving(max_queue=1) as client:
        # One runs and one waits; which one is refused is chance.
        started = time.monotonic()
        calls = [client.solve_later(timeout=None) for _ in range(3)]
        wait_until(lambda: any(call.done() for call in calls))
        assert time.monotonic() - started < PROMPTLY
        (call,) = (call for call in calls if call.done())
        error = refused(call.result, grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
        (info,) = details(error, error_details_pb2.RetryInfo)
        assert info.retry_delay.ToMilliseconds() > 0
        # The one that waits is dropped without ever having run, the other stops.
        calls.remove(call)
        assert all(call.cancel() for call in calls)
        wait_until(lambda: not is_full(client))


def test_fast_calls_do_not_wait_for_searches(client: Client) -> None:
    call = client.solve_later()
    try:
        time.sleep(0.1)
        started = time.monotonic()
        for _ in range(20):
            client.rules.ListRuleSets(rules_pb2.ListRuleSetsRequest())
            client.advisor.EstimateClaim(advisor_pb2.EstimateClaimRequest(position=SEEN))
        assert time.monotonic() - started < PROMPTLY
    finally:
        call.cancel()


def test_many_clients_at_once_get_their_own_answers() -> None:
    lines = [DEAL, ENDING]
    expected = {line: Solver().solve(line).value for line in lines}
    with serving(search_threads=2, max_queue=1000) as client:
        calls = [(line, client.solve_later(line)) for line in lines * 50]
        assert all(call.result().outcome == expected[line] for line, call in calls)


# ---------------------------------------------------------------- health, reflection, shutdown


def test_health(client: Client) -> None:
    for name in ("", *SERVICES):
        answer = client.health.Check(health_pb2.HealthCheckRequest(service=name))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    unknown = health_pb2.HealthCheckRequest(service="bura.v1.Nothing")
    assert code_of(lambda: client.health.Check(unknown)) is grpc.StatusCode.NOT_FOUND


def test_reflection(client: Client) -> None:
    requests = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICES[0]),
    ]
    services, file = client.reflection.ServerReflectionInfo(iter(requests))
    names = {service.name for service in services.list_services_response.service}
    assert {*SERVICES, "grpc.health.v1.Health"} <= names
    assert file.file_descriptor_response.file_descriptor_proto


def test_services_named_for_health_are_those_that_are_served() -> None:
    assert server.SERVICES == SERVICES


def test_an_embedded_service_leaves_nothing_behind() -> None:
    before = set(threading.enumerate())
    embedded = start()
    path = Path(embedded.target.removeprefix("unix:"))
    assert path.is_socket()
    assert path.parent.stat().st_mode & 0o077 == 0
    embedded.close()
    embedded.close()
    assert not path.parent.exists()
    left = set(threading.enumerate()) - before
    assert [thread.name for thread in left if thread.name.startswith("bura-")] == []


def test_closing_an_embedded_service_stops_its_searches() -> None:
    embedded = start(Config(search_threads=1))
    client = Client(embedded.target)
    with client.channel:
        call = client.solve_later()
        time.sleep(0.2)
        started = time.monotonic()
        embedded.close()
        assert time.monotonic() - started < PROMPTLY
        assert call.result().stopped == search_pb2.STOP_REASON_STOPPED


def test_a_temporary_directory_with_a_long_name_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with start() as embedded:
        assert embedded.target.startswith("127.0.0.1:")
        client = Client(embedded.target)
        with client.channel:
            assert answered_promptly(client)
    assert list(deep.iterdir()) == []


class Process:
    """A service in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "bura_service",
                "--port",
                "0",
                "--search-threads",
                "1",
                *arguments,
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.fullmatch(r"listening on (127\.0\.0\.1:[1-9]\d*)\n", line)
        assert found, line
        self.target = found[1]

    def finish(self, *signals: signal.Signals) -> tuple[int, str]:
        """Exit status and log, after these signals."""
        for number in signals:
            self.process.send_signal(number)
        _, log = self.process.communicate(timeout=20)
        return self.process.returncode, log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service(number: signal.Signals) -> None:
    with Process() as process:
        client = Client(process.target)
        with client.channel:
            assert client.solve(ENDING).exactness == search_pb2.EXACTNESS_EXACT
            status, log = process.finish(number)
    assert status == 0
    assert "rpc=/bura.v1.SolverService/SolvePosition code=OK" in log
    assert "Traceback" not in log


def test_shutdown_says_so_first_and_lets_running_searches_answer() -> None:
    with Process("--drain-time", "1.5") as process:
        client = Client(process.target)
        with client.channel:
            seen = client.health.Watch(health_pb2.HealthCheckRequest())
            assert next(seen).status == health_pb2.HealthCheckResponse.SERVING
            call = client.solve_later()
            time.sleep(0.2)
            started = time.monotonic()
            process.process.send_signal(signal.SIGTERM)
            assert next(seen).status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert time.monotonic() - started < 1
            response = call.result()
            assert response.stopped == search_pb2.STOP_REASON_STOPPED
            assert time.monotonic() - started > 1.4
            status, log = process.finish()
    assert status == 0
    assert "Traceback" not in log


def test_an_open_watch_does_not_hold_up_the_shutdown() -> None:
    with Process("--drain-time", "15") as process:
        client = Client(process.target)
        with client.channel:
            seen = client.health.Watch(health_pb2.HealthCheckRequest())
            assert next(seen).status == health_pb2.HealthCheckResponse.SERVING
            started = time.monotonic()
            assert process.finish(signal.SIGTERM)[0] == 0
            assert time.monotonic() - started < 5


def test_a_second_signal_does_not_wait() -> None:
    with Process("--drain-time", "15") as process:
        client = Client(process.target)
        with client.channel:
            call = client.solve_later()
            time.sleep(0.2)
            started = time.monotonic()
            process.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            assert process.finish(signal.SIGTERM)[0] == 0
            assert time.monotonic() - started < 5
            assert call.result().stopped == search_pb2.STOP_REASON_STOPPED


def test_bytes_that_are_no_http_harm_nobody() -> None:
    with Process() as process:
        host, port = process.target.split(":")
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 1000, random.Random(1).randbytes(1000)):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(data)
        client = Client(process.target)
        with client.channel:
            assert answered_promptly(client)


def test_a_port_that_is_taken_is_said_so(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["--port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "65536"],
        ["--port", "-1"],
        ["--workers", "0"],
        ["--workers", "two"],
        ["--search-threads", "0"],
        ["--max-queue", "-1"],
        ["--default-time-limit", "0"],
        ["--default-time-limit", "nan"],
        ["--drain-time", "-1"],
        ["--log-level", "loud"],
        ["--nonsense"],
    ],
)
def test_unusable_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert arguments[0] in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "--default-time-limit" in capsys.readouterr().out


# ---------------------------------------------------------------- refining


def refined(client: Client, timeout: float | None = 10, **fields: Any) -> list[Any]:
    """All answers of a stream."""
    interval = fields.pop("interval", None)
    request = advisor_pb2.RecommendMoveStreamRequest(
        question=advisor_pb2.RecommendMoveRequest(position=SEEN, **fields)
    )
    if interval is not None:
        request.report_interval.FromMicroseconds(round(1e6 * interval))
    return list(client.advisor.RecommendMoveStream(request, timeout=timeout))


def test_a_stream_refines_and_ends_with_exactly_one_final_answer(client: Client) -> None:
    answers = refined(client, max_worlds=2000, interval=0.001)
    assert [answer.final for answer in answers] == [False] * (len(answers) - 1) + [True]
    worlds = [answer.recommendation.worlds for answer in answers]
    assert worlds == sorted(worlds)
    assert worlds[-1] == 2000
    for answer in answers:
        assert answer.recommendation.position == SEEN
        assert answer.recommendation.moves


def test_the_last_answer_of_a_stream_is_that_of_the_core(client: Client) -> None:
    *_, last = refined(client, max_worlds=100, seed=5)
    expected = recommend(View.from_text(SEEN), max_worlds=100, seed=5, confidence=None)
    assert [(m.move, m.value, m.worlds) for m in last.recommendation.moves] == [
        (str(m.move), m.value, 100) for m in expected.moves
    ]


def test_a_stream_ends_before_its_deadline(client: Client) -> None:
    answers = refined(client, timeout=3.0)
    assert answers[-1].final
    assert answers[-1].recommendation.stopped == search_pb2.STOP_REASON_TIME
    # About five a second, unless asked for otherwise.
    assert len(answers) <= 17


def test_a_stream_of_few_worlds_ends_by_itself(client: Client) -> None:
    few = "georgian3 h x1/Ks - As(Js)TdAdThTcAcKdKhQs/QdQcJdJcKcTsAhJh 1 -"
    request = advisor_pb2.RecommendMoveStreamRequest(
        question=advisor_pb2.RecommendMoveRequest(position=few, max_deals=0)
    )
    *_, last = client.advisor.RecommendMoveStream(request, timeout=10)
    assert last.final
    assert last.recommendation.method == advisor_pb2.METHOD_ENUMERATED


def test_a_content_client_stops_the_stream(client: Client) -> None:
    request = advisor_pb2.RecommendMoveStreamRequest(
        question=advisor_pb2.RecommendMoveRequest(position=SEEN)
    )
    call: Any = client.advisor.RecommendMoveStream(request, timeout=60)
    assert next(call).recommendation.worlds > 0
    call.cancel()
    assert answered_promptly(client)


def test_faults_of_a_stream_name_their_fields(client: Client) -> None:
    def wrong() -> None:
        refined(client, seed=-1, interval=-1, seat=7)

    found = faults(wrong)
    assert found.keys() == {"question.seat", "question.seed", "report_interval"}
    waiting = SEEN.replace("x3/KsThTc", "AcTsKd/x3").replace("As(Js)/TdAd", "Asx1/TdAd")
    request = advisor_pb2.RecommendMoveStreamRequest(
        question=advisor_pb2.RecommendMoveRequest(position=waiting, seat=0)
    )
    found = faults(lambda: list(client.advisor.RecommendMoveStream(request, timeout=10)))
    assert found.keys() == {"question.position.turn"}


# ---------------------------------------------------------------- equal questions, large budgets


def test_equal_questions_in_flight_share_one_search() -> None:
    with serving(max_queue=0, search_threads=1) as client:
        request = solver_pb2.SolvePositionRequest(position=ENDLESS)
        request.limits.max_nodes = 1_000_000
        # The queue is so short that two searches would not fit.
        calls: list[Any] = [client.solver.SolvePosition.future(request) for _ in range(5)]
        answers = [timeless(call.result()) for call in calls]
        assert all(answer == answers[0] for answer in answers)
        # One that leaves takes nothing from the others.
        calls = [client.solver.SolvePosition.future(request) for _ in range(3)]
        time.sleep(0.1)
        calls[0].cancel()
        assert timeless(calls[1].result()) == answers[0] == timeless(calls[2].result())


def test_answers_to_equal_questions_are_kept_and_say_so() -> None:
    with serving(cache_mb=1) as client:
        first = client.solve(ENDING)
        again = client.solve(ENDING)
        spelled = client.solve(ENDING.replace("Th", "10h"))
        assert not first.HasField("cached")
        assert again.cached
        assert again.search_us == first.search_us
        assert again == spelled
        again.ClearField("cached")
        assert again == first
        assert not client.solve(ENDING, value_only=True).cached
        hint = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=20)
        assert not client.advisor.RecommendMove(hint).cached
        assert client.advisor.RecommendMove(hint).cached


def test_what_the_clock_has_cut_short_is_not_kept() -> None:
    with serving(cache_mb=1) as client:
        limits = search_pb2.SearchLimits()
        limits.max_time.FromMilliseconds(20)
        for _ in range(2):
            response = client.solve(ENDLESS, limits=limits)
            assert response.stopped == search_pb2.STOP_REASON_TIME
            assert not response.cached


def test_the_cache_holds_no_more_than_it_may() -> None:
    cache = AnswerCache(100_000)
    for number in range(2000):
        request = ("m", f"{number}".encode() * 30)
        assert cache.asked(request) is None
        assert cache.get(number, request) is None
        cache.put(number, request, (bytes, b"x" * (number % 500)))
        assert cache.size <= 100_000
        assert cache.asked(request) == (bytes, b"x" * (number % 500))
    assert 10 < len(cache) < 200
    cache.put("large", ("m", b""), (bytes, b"x" * 50_000))
    assert cache.get("large", ("m", b"")) is None


def test_a_budget_too_large_is_lowered_and_says_so() -> None:
    with serving(max_node_limit=5000, max_time_limit=40.0) as client:
        limits = search_pb2.SearchLimits(max_nodes=10**9)
        limits.max_time.seconds = 3
        response = client.solve(ENDLESS, limits=limits)
        assert response.stopped == search_pb2.STOP_REASON_NODES
        assert (response.capped_to.max_nodes, response.capped_to.max_seconds) == (5000, 3)
        limits = search_pb2.SearchLimits(max_nodes=5000)
        assert not client.solve(ENDLESS, limits=limits).HasField("capped_to")
        limits.max_time.seconds = 41
        [result] = client.solve_all(ENDING, limits=limits)
        assert result.solution.exactness == search_pb2.EXACTNESS_EXACT
        hint = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=4)
        hint.limits.max_nodes = 6000
        assert client.advisor.RecommendMove(hint).capped_to.max_nodes == 5000


def test_small_searches_do_not_wait_for_large_ones() -> None:
    with serving(search_threads=1, max_queue=10) as client:
        calls = [client.solve_later() for _ in range(3)]
        time.sleep(0.1)
        started = time.monotonic()
        for _ in range(20):
            client.solve(ENDING)
        assert time.monotonic() - started < PROMPTLY
        for call in calls:
            call.cancel()


def test_work_that_could_not_be_done_in_time_is_refused_at_once() -> None:
    with serving(search_threads=1, max_queue=10, max_wait=5.0) as client:
        running = client.solve_later(timeout=30)
        time.sleep(0.1)
        started = time.monotonic()
        call = client.solve_later(timeout=30)
        error = refused(call.result, grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
        assert time.monotonic() - started < PROMPTLY
        (info,) = details(error, error_details_pb2.RetryInfo)
        assert 0.1 <= info.retry_delay.ToMilliseconds() / 1000 <= 30
        running.cancel()


# ---------------------------------------------------------------- checking positions


def test_a_position_is_checked(client: Client) -> None:
    def check(line: str) -> rules_pb2.CheckPositionResponse:
        return client.rules.CheckPosition(rules_pb2.CheckPositionRequest(position=line))

    good = check(ENDING.replace("Th", "10h"))
    assert good.valid
    assert good.position == ENDING
    assert good.all_known
    assert list(good.moves) == [str(move) for move in Position.from_text(ENDING).legal_moves()]
    seen = check(SEEN)
    assert seen.valid
    assert not seen.all_known
    assert list(seen.moves) == []
    for line in (*GARBAGE, "", ENDING.replace("TsAs", "TsTs")):
        bad = check(line)
        assert not bad.valid
        assert bad.faults
        assert all(fault.field and fault.problem for fault in bad.faults)


# Small endings, solved.

SMALL_ENDING = "georgian3[raises=none] h x2/JsKs - AsTsThKhQhAhQdAc/QsJhTdKdJdQcx2 1 - claim=1"


def test_a_small_ending_is_solved_unless_asked_not_to(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SMALL_ENDING)
    answer = client.advisor.RecommendMove(request)
    assert answer.method == advisor_pb2.METHOD_EQUILIBRIUM
    ending = answer.equilibrium
    expected = solve_ending(View.from_text(SMALL_ENDING))
    assert ending.joint_deals == expected.joint_deals == 90
    assert ending.lower <= ending.ending_value <= ending.upper
    assert ending.gap <= 1e-3
    assert ending.value == pytest.approx(expected.value, abs=2e-3)
    assert sum(move.probability for move in ending.moves) == pytest.approx(1)
    # Whoever holds the turn of all that is to come need not claim on cards he has not seen.
    assert {move.move: move.probability < 0.01 for move in ending.moves}["claim"]
    # It takes the lead: what is played comes first, likeliest first, and then the others.
    assert answer.best == [move.move for move in ending.moves if move.probability >= 0.01]
    order = [move.move for move in answer.moves]
    assert order[: len(answer.best)] == answer.best
    assert set(order) == {move.move for move in ending.moves}
    plain = client.advisor.RecommendMove(
        advisor_pb2.RecommendMoveRequest(position=SMALL_ENDING, max_deals=0)
    )
    assert plain.method == advisor_pb2.METHOD_ENUMERATED
    assert not plain.no_equilibrium
    assert not plain.HasField("equilibrium")
    assert {move.move: move.value for move in plain.moves} == {
        move.move: move.value for move in answer.moves
    }


def test_an_ending_beyond_the_limit_is_averaged_and_says_so(client: Client) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SMALL_ENDING, max_deals=89)
    answer = client.advisor.RecommendMove(request)
    assert answer.method == advisor_pb2.METHOD_ENUMERATED
    assert "joint deals" in answer.no_equilibrium


def test_an_ending_beyond_the_budget_is_averaged_and_says_so(client: Client) -> None:
    line = (
        "classic c Js9s8c/x3 - KsAhKhJh7h6hTdKd9d7d6dTcQcJc9c7c/Qs8s7s6sQh8hQdJd8dAcKc6c(Ts9h) 0 -"
    )
    limits = search_pb2.SearchLimits(max_nodes=200)
    request = advisor_pb2.RecommendMoveRequest(position=line, limits=limits)
    answer = client.advisor.RecommendMove(request)
    assert answer.method != advisor_pb2.METHOD_EQUILIBRIUM
    assert "edges" in answer.no_equilibrium or "budget" in answer.no_equilibrium
    # No clock has a part in it, so equal questions have equal answers.
    again = client.advisor.RecommendMove(request)
    assert again.no_equilibrium == answer.no_equilibrium


def test_equal_questions_about_an_ending_have_equal_answers(client: Client) -> None:
    line = "georgian3 h AsJdQc/x3 - KsAhThKhKdKc/TsJhTdTc(QsAdQdJc) 0 - claim=0"
    request = advisor_pb2.RecommendMoveRequest(
        position=line, limits=search_pb2.SearchLimits(max_nodes=100_000)
    )
    answers = [client.advisor.RecommendMove(request) for _ in range(2)]
    for answer in answers:
        assert answer.HasField("equilibrium")
        answer.ClearField("search_us")
        answer.equilibrium.ClearField("search_us")
    assert answers[0] == answers[1]


def test_a_stream_about_an_ending_has_the_equilibrium_in_every_answer(client: Client) -> None:
    question = advisor_pb2.RecommendMoveRequest(position=SMALL_ENDING)
    stream = client.advisor.RecommendMoveStream(
        advisor_pb2.RecommendMoveStreamRequest(question=question)
    )
    answers = list(stream)
    assert answers[-1].final
    for answer in answers:
        assert answer.recommendation.method == advisor_pb2.METHOD_EQUILIBRIUM
        assert answer.recommendation.equilibrium.joint_deals == 90
