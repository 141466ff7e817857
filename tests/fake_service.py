"""A service that knows no Bura: it answers from what the position line says about itself.

With it the client is tested for what it does with answers and failures, apart from any search.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NoReturn

import grpc
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
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

# Positions that have an answer; the first word of any other says what goes wrong:
# bad, hidden, unsupported, busy (always), crowded (twice), slow, broken, gone; late: the time
# of a message is over before it, if others come first.
POSITION = "georgian3 h QhAcKd/KsThTc TsQsAhKhQdJdKcQcJcJh As(Js)/TdAd 1 -"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"


class FakeService:
    """The three services, and what they were asked."""

    def __init__(self) -> None:
        self.target = ""
        self.requests: list[Message] = []
        self.asked: Counter[str] = Counter()
        self.running = 0
        self.most_running = 0
        self.lock = threading.Lock()

    def admit(self, request: Message, position: str, context: grpc.ServicerContext) -> None:
        """Notes the request, and fails it if its position says so."""
        self.note(request)
        status = self.failure(position, context)
        if status is not None:
            fail(context, status)

    def note(self, request: Message) -> None:
        with self.lock:
            self.requests.append(request)

    def failure(self, position: str, context: grpc.ServicerContext) -> status_pb2.Status | None:
        """What goes wrong with a position, if anything."""
        with self.lock:
            self.asked[position] += 1
        match position.split()[0]:
            case "bad":
                return failed(
                    code_pb2.INVALID_ARGUMENT,
                    "position.talon 'Xx': no such card; write Jh",
                    error_details_pb2.BadRequest(
                        field_violations=[
                            error_details_pb2.BadRequest.FieldViolation(
                                field="position.talon",
                                description="'Xx': no such card; write Jh",
                            ),
                            error_details_pb2.BadRequest.FieldViolation(
                                field="limits.max_time",
                                description="'-1': not more than zero; give seconds",
                            ),
                        ]
                    ),
                )
            case "hidden":
                return failed(code_pb2.INVALID_ARGUMENT, "cards are unknown")
            case "unsupported":
                return failed(code_pb2.UNIMPLEMENTED, "three players are too many")
            case "busy":
                return busy()
            case "crowded" if self.asked[position] <= 2:
                return busy()
            case "slow":
                while context.is_active():
                    time.sleep(0.01)
            case "broken":
                return failed(code_pb2.INTERNAL, "internal error of the service")
            case "gone":
                return failed(code_pb2.UNAVAILABLE, "the service is shutting down")
            case _:
                pass
        return None

    @contextmanager
    def work(self) -> Iterator[None]:
        """Counts the calls that run side by side."""
        with self.lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
        time.sleep(0.002)
        try:
            yield
        finally:
            with self.lock:
                self.running -= 1


def busy() -> status_pb2.Status:
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromMilliseconds(20)
    return failed(code_pb2.RESOURCE_EXHAUSTED, "the queue is full", retry)


def failed(code: int, message: str, *details: Message) -> status_pb2.Status:
    status = status_pb2.Status(code=code, message=message)
    for detail in details:
        status.details.add().Pack(detail)
    return status


def fail(context: grpc.ServicerContext, status: status_pb2.Status) -> NoReturn:
    context.abort_with_status(rpc_status.to_status(status))


# What befalls a whole call, whichever of its positions brings it about.
WHOLE = (code_pb2.RESOURCE_EXHAUSTED, code_pb2.UNAVAILABLE)


class Solver(solver_pb2_grpc.SolverServiceServicer):
    def __init__(self, fake: FakeService) -> None:
        self.fake = fake

    def SolvePosition(  # noqa: N802
        self, request: solver_pb2.SolvePositionRequest, context: grpc.ServicerContext
    ) -> solver_pb2.SolvePositionResponse:
        self.fake.admit(request, request.position, context)
        with self.fake.work():
            return solved(request)

    def SolvePositions(  # noqa: N802
        self, request: solver_pb2.SolvePositionsRequest, context: grpc.ServicerContext
    ) -> solver_pb2.SolvePositionsResponse:
        self.fake.note(request)
        answer = solver_pb2.SolvePositionsResponse()
        late = False
        with self.fake.work():
            for position in request.positions:
                late = late or (position.startswith("late") and len(answer.results) > 0)
                if late:
                    answer.results.add(error=busy())
                    continue
                status = self.fake.failure(position, context)
                if status is None:
                    solution = solved(one_of(request, position))
                    if not request.want_line:
                        solution.ClearField("line")
                    answer.results.add(solution=solution)
                elif status.code in WHOLE:
                    fail(context, status)
                else:
                    answer.results.add(error=status)
        return answer

    def Perft(  # noqa: N802
        self, request: solver_pb2.PerftRequest, context: grpc.ServicerContext
    ) -> solver_pb2.PerftResponse:
        self.fake.admit(request, request.position, context)
        answer = solver_pb2.PerftResponse(
            position=request.position,
            depth=request.depth,
            exactness=search_pb2.EXACTNESS_EXACT,
            nodes=7 * request.depth,
            search_us=3.0,
            stopped=search_pb2.STOP_REASON_COMPLETED,
        )
        if request.divide:
            answer.divide.add(move="Ks", nodes=5)
            answer.divide.add(move="KsQs", nodes=2)
        return answer


def one_of(
    request: solver_pb2.SolvePositionsRequest, position: str
) -> solver_pb2.SolvePositionRequest:
    return solver_pb2.SolvePositionRequest(
        position=position,
        objective=request.objective,
        value_only=request.value_only,
        limits=request.limits,
    )


def solved(request: solver_pb2.SolvePositionRequest) -> solver_pb2.SolvePositionResponse:
    points = request.objective == solver_pb2.OBJECTIVE_POINTS
    score = request.objective == solver_pb2.OBJECTIVE_SCORE
    answer = solver_pb2.SolvePositionResponse(
        position=request.position,
        objective=request.objective or solver_pb2.OBJECTIVE_OUTCOME,
        exactness=search_pb2.EXACTNESS_EXACT,
        outcome=1,
        nodes=48,
        search_us=12.5,
        stopped=search_pb2.STOP_REASON_COMPLETED,
    )
    if request.limits.max_nodes:
        answer.ClearField("outcome")
        answer.exactness = search_pb2.EXACTNESS_BOUNDED
        answer.lower, answer.upper = -1, 1
        answer.stopped = search_pb2.STOP_REASON_NODES
        return answer
    value = 21 if points else 2 if score else 1
    answer.lower = answer.upper = value
    if points:
        answer.points = value
    if score:
        answer.score = value
    if not request.value_only:
        answer.moves.add(move="Ks", value=value, lower=value, upper=value)
        answer.moves.add(move="KsQs", value=0, lower=0, upper=0)
        answer.best.append("Ks")
        answer.line.extend(["Ks", "(Td)"])
    return answer


class Advisor(advisor_pb2_grpc.AdvisorServiceServicer):
    def __init__(self, fake: FakeService) -> None:
        self.fake = fake

    def RecommendMove(  # noqa: N802
        self, request: advisor_pb2.RecommendMoveRequest, context: grpc.ServicerContext
    ) -> advisor_pb2.RecommendMoveResponse:
        self.fake.admit(request, request.position, context)
        return recommended(request.position)

    def EstimateClaim(  # noqa: N802
        self, request: advisor_pb2.EstimateClaimRequest, context: grpc.ServicerContext
    ) -> advisor_pb2.EstimateClaimResponse:
        self.fake.admit(request, request.position, context)
        return estimated(request.position)


def chance(numerator: int, denominator: int) -> advisor_pb2.Chance:
    return advisor_pb2.Chance(
        numerator=str(numerator), denominator=str(denominator), value=numerator / denominator
    )


def recommended(position: str) -> advisor_pb2.RecommendMoveResponse:
    answer = advisor_pb2.RecommendMoveResponse(
        position=position,
        table=advisor_pb2.TableFacts(
            rules="georgian3",
            trump="h",
            seat=1,
            turn=1,
            hand="KsThTc",
            unseen="AhKh",
            talon_cards=10,
            target=31,
            may_claim=True,
            piles=[
                advisor_pb2.PileFacts(shown=13, closed=0, minimum=13, maximum=13),
                advisor_pb2.PileFacts(shown=21, closed=0, minimum=21, maximum=21),
            ],
        ),
        best=["Th"],
        claim=estimated(position),
        method=advisor_pb2.METHOD_SAMPLED,
        worlds=1000,
        total_worlds="79833600",
        nodes=20_000,
        search_us=5400.0,
        stopped=search_pb2.STOP_REASON_COMPLETED,
    )
    answer.moves.add(
        move="Th", value=0.5, standard_error=0.01, win=0.75, draw=0.0, loss=0.25,
        worlds=1000, beaten=chance(1, 4),
    )  # fmt: skip
    answer.moves.add(
        move="Tc", value=0.49, standard_error=0.01, win=0.745, draw=0.0, loss=0.255,
        worlds=1000, beaten=chance(3, 4),
    )  # fmt: skip
    answer.moves.add(
        move="claim", value=-1.0, standard_error=0.0, win=0.0, draw=0.0, loss=1.0, worlds=1000
    )
    return answer


def estimated(position: str) -> advisor_pb2.EstimateClaimResponse:
    return advisor_pb2.EstimateClaimResponse(
        position=position,
        seat=1,
        shown=21,
        closed=1,
        minimum=23,
        maximum=32,
        target=31,
        verdict=advisor_pb2.VERDICT_OPEN,
        chance=chance(1, 3),
        distribution=[
            advisor_pb2.PointsWays(points=23, ways="2", probability=2 / 3),
            advisor_pb2.PointsWays(points=32, ways="1", probability=1 / 3),
        ],
        total_ways="3",
        allowed=True,
    )


class Rules(rules_pb2_grpc.RulesServiceServicer):
    def ListRuleSets(  # noqa: N802
        self, request: rules_pb2.ListRuleSetsRequest, context: grpc.ServicerContext
    ) -> rules_pb2.ListRuleSetsResponse:
        del context
        return rules_pb2.ListRuleSetsResponse(
            rule_sets=[
                self._told(name, name, request.language_code) for name in ("georgian3", "classic")
            ]
        )

    def GetRuleSet(  # noqa: N802
        self, request: rules_pb2.GetRuleSetRequest, context: grpc.ServicerContext
    ) -> rules_pb2.GetRuleSetResponse:
        name, bracket, _ = request.rules.partition("[")
        if name == "clasic":
            problem = "'clasic': there is no such preset; did you mean classic?"
            violation = error_details_pb2.BadRequest.FieldViolation(
                field="rules", description=problem
            )
            details = error_details_pb2.BadRequest(field_violations=[violation])
            fail(context, failed(code_pb2.INVALID_ARGUMENT, f"rules {problem}", details))
        told = self._told(name, request.rules, request.language_code)
        told.paragraphs.add(title="Deal", text=f"Two play {name}.")
        if bracket:
            told.changes.add(switch="deck", usual="36", value="20")
        return rules_pb2.GetRuleSetResponse(rule_set=told)

    @staticmethod
    def _told(name: str, text: str, language: str) -> rules_pb2.RuleSet:
        return rules_pb2.RuleSet(
            name=name,
            text=text,
            source="S1",
            description=f"The game {name}." if language == "en" else f"Игра {name}.",
            switches={"deck": "20", "hand": "3"},
        )


@contextmanager
def fake_service(workers: int = 16) -> Iterator[FakeService]:
    """A running fake service."""
    fake = FakeService()
    server = grpc.server(ThreadPoolExecutor(workers))
    solver_pb2_grpc.add_SolverServiceServicer_to_server(Solver(fake), server)
    advisor_pb2_grpc.add_AdvisorServiceServicer_to_server(Advisor(fake), server)
    rules_pb2_grpc.add_RulesServiceServicer_to_server(Rules(), server)
    fake.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield fake
    finally:
        server.stop(None).wait()
