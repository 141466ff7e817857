"""The services, one short method for each RPC, and how they are put together into a server."""

from __future__ import annotations  # the generic types of grpc exist only in its stubs

import asyncio
import math
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from bura.v1 import (
    advisor_pb2,
    advisor_pb2_grpc,
    rules_pb2,
    rules_pb2_grpc,
    solver_pb2,
    solver_pb2_grpc,
)
from bura_service import convert
from bura_service.config import Config
from bura_service.guard import Guard
from bura_service.pool import Desk, SearchPool

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

SERVICES = tuple(
    file.DESCRIPTOR.services_by_name[name].full_name
    for file, name in (
        (advisor_pb2, "AdvisorService"),
        (rules_pb2, "RulesService"),
        (solver_pb2, "SolverService"),
    )
)

# A thousand position lines of a few hundred bytes, with room for how others spell them.
_MAX_REQUEST_BYTES = 4 << 20

# How long a search that was told to stop may take to do so, and how long the last answers to
# be sent, in seconds.
_LAST_WORDS = 1.0
_SENDING = 0.2


class Question(Protocol[T_co]):
    """A question of bura_service.searches."""

    def within(self, seconds: float) -> Self:
        """The same within so many seconds, if it has no bound of its own."""

    def answer(self, desk: Desk) -> T_co:
        """The answer, worked out on the calling thread."""


class Searches:
    """Asks questions on the pool, within the limits of the call and of the service."""

    def __init__(self, pool: SearchPool, default_time_limit: float) -> None:
        self._pool = pool
        self._default_time_limit = default_time_limit

    async def ask(self, question: Question[T], context: Context) -> T:
        """The answer to `question`."""
        remaining = time_remaining(context)
        if remaining is None:
            question = question.within(self._default_time_limit)
        return await self._pool.run(question.answer, expires=remaining)


def time_remaining(context: Context) -> float | None:
    """Seconds until the deadline of the call, None where it has none."""
    seconds: float | None = context.time_remaining()
    # A deadline of centuries is how some clients spell "none".
    return None if seconds is None or not math.isfinite(seconds) or seconds > 1e9 else seconds


class SolverService(solver_pb2_grpc.SolverServiceServicer):
    """bura.v1.SolverService."""

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def SolvePosition(  # noqa: N802 - the name in the .proto
        self, request: solver_pb2.SolvePositionRequest, context: Context
    ) -> solver_pb2.SolvePositionResponse:
        """The value of a position and of its moves."""
        question = convert.solve_question(request)
        return convert.solve_response(await self._searches.ask(question, context))

    async def SolvePositions(  # noqa: N802
        self, request: solver_pb2.SolvePositionsRequest, context: Context
    ) -> solver_pb2.SolvePositionsResponse:
        """The values of many positions, and what is wrong with some."""
        question = convert.batch_question(request)
        return convert.batch_response(await self._searches.ask(question, context))

    async def Perft(  # noqa: N802
        self, request: solver_pb2.PerftRequest, context: Context
    ) -> solver_pb2.PerftResponse:
        """The number of move sequences."""
        question = convert.perft_question(request)
        return convert.perft_response(await self._searches.ask(question, context))

    async def ReviewHand(  # noqa: N802
        self, request: solver_pb2.ReviewHandRequest, context: Context
    ) -> solver_pb2.ReviewHandResponse:
        """What each move of a hand cost."""
        question = convert.review_question(request)
        with convert.record_faults():
            return convert.review_response(await self._searches.ask(question, context))


class AdvisorService(advisor_pb2_grpc.AdvisorServiceServicer):
    """bura.v1.AdvisorService."""

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def RecommendMove(  # noqa: N802
        self, request: advisor_pb2.RecommendMoveRequest, context: Context
    ) -> advisor_pb2.RecommendMoveResponse:
        """Every move with its value, from what one player has seen."""
        question = convert.advice_question(request)
        with convert.position_faults():
            advice = await self._searches.ask(question, context)
        return convert.advice_response(question.view, advice)

    async def EstimateClaim(  # noqa: N802
        self, request: advisor_pb2.EstimateClaimRequest, context: Context
    ) -> advisor_pb2.EstimateClaimResponse:
        """The chance that a claim holds: counted, not searched, so it need not wait."""
        question = convert.claim_question(request)
        with convert.position_faults():
            return convert.claim_response(question.view, question.answer())


class RulesService(rules_pb2_grpc.RulesServiceServicer):
    """bura.v1.RulesService."""

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def ListRuleSets(  # noqa: N802
        self, request: rules_pb2.ListRuleSetsRequest, context: Context
    ) -> rules_pb2.ListRuleSetsResponse:
        """The presets this build plays."""
        return convert.rule_sets_response(convert.rule_sets_question(request))

    async def GetRuleSet(  # noqa: N802
        self, request: rules_pb2.GetRuleSetRequest, context: Context
    ) -> rules_pb2.GetRuleSetResponse:
        """One rule set in words."""
        return convert.rule_set_response(request)

    async def CheckRecord(  # noqa: N802
        self, request: rules_pb2.CheckRecordRequest, context: Context
    ) -> rules_pb2.CheckRecordResponse:
        """What is wrong with a hand record, if anything."""
        question = convert.check_question(request)
        return convert.check_response(await self._searches.ask(question, context))


class Server:
    """A running service on one address. Made by `start`, within the event loop that runs it."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._pool = SearchPool(config.workers, config.max_queue)
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(
            interceptors=[Guard()],
            options=[
                ("grpc.max_receive_message_length", _MAX_REQUEST_BYTES),
                # Or a second service on the same port would start without a word, and each
                # of the two get some of the calls.
                ("grpc.so_reuseport", 0),
            ],
        )

    @classmethod
    async def start(cls, address: str, config: Config) -> tuple[Self, int]:
        """Starts a service on `address` (`HOST:PORT` or `unix:PATH`); also gives its port.

        Raises RuntimeError where nothing can listen there.
        """
        self = cls(config)
        searches = Searches(self._pool, config.default_time_limit)
        server = self._server
        solver_pb2_grpc.add_SolverServiceServicer_to_server(SolverService(searches), server)
        advisor_pb2_grpc.add_AdvisorServiceServicer_to_server(AdvisorService(searches), server)
        rules_pb2_grpc.add_RulesServiceServicer_to_server(RulesService(searches), server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection(
            (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )
        try:
            port = server.add_insecure_port(address)
            await server.start()
        except BaseException:
            self._pool.close()
            raise
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return self, port

    async def stop(self, drain_time: float | None = None) -> None:
        """Stops: first by health, then for new calls, then, after drain_time, for the rest.

        Searches that are still running then answer with what they have.
        """
        await self._health.enter_graceful_shutdown()
        if drain_time is None:
            drain_time = self._config.drain_time
        stopping = asyncio.ensure_future(self._server.stop(drain_time + _LAST_WORDS))
        await self._idle(drain_time)
        self._pool.stop_searches()
        await self._idle(_LAST_WORDS)
        # What is left to do now is to send. An open Health.Watch would hold up the server for
        # the whole of its grace.
        await asyncio.wait((stopping,), timeout=_SENDING)
        await self._server.stop(None)
        await stopping
        await asyncio.to_thread(self._pool.close)

    async def _idle(self, seconds: float) -> None:
        """Returns when no search is left, or after so many seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while self._pool.busy and loop.time() < end:
            await asyncio.sleep(0.01)

    async def wait(self) -> None:
        """Returns when the server has stopped."""
        await self._server.wait_for_termination()
