"""The services, one short method for each RPC, and how they are put together into a server."""

from __future__ import annotations  # the generic types of grpc exist only in its stubs

import asyncio
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

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
from bura_service.calls import Call, time_remaining
from bura_service.config import Config
from bura_service.guard import Guard
from bura_service.pool import Desk, SearchPool

if TYPE_CHECKING:
    from google.protobuf.descriptor import ServiceDescriptor

    from bura_service.web import WebServer

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

SERVICES = ("bura.v1.AdvisorService", "bura.v1.RulesService", "bura.v1.SolverService")

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

    async def ask(self, question: Question[T], context: Call) -> T:
        """The answer to `question`."""
        remaining = time_remaining(context)
        if remaining is None:
            question = question.within(self._default_time_limit)
        return await self._pool.run(question.answer, expires=remaining)


class SolverService(solver_pb2_grpc.SolverServiceServicer):
    """bura.v1.SolverService."""

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def SolvePosition(  # noqa: N802 - the name in the .proto
        self, request: solver_pb2.SolvePositionRequest, context: Call
    ) -> solver_pb2.SolvePositionResponse:
        """The value of a position and of its moves."""
        question = convert.solve_question(request)
        return convert.solve_response(await self._searches.ask(question, context))

    async def SolvePositions(  # noqa: N802
        self, request: solver_pb2.SolvePositionsRequest, context: Call
    ) -> solver_pb2.SolvePositionsResponse:
        """The values of many positions, and what is wrong with some."""
        question = convert.batch_question(request)
        return convert.batch_response(await self._searches.ask(question, context))

    async def Perft(  # noqa: N802
        self, request: solver_pb2.PerftRequest, context: Call
    ) -> solver_pb2.PerftResponse:
        """The number of move sequences."""
        question = convert.perft_question(request)
        return convert.perft_response(await self._searches.ask(question, context))

    async def ReviewHand(  # noqa: N802
        self, request: solver_pb2.ReviewHandRequest, context: Call
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
        self, request: advisor_pb2.RecommendMoveRequest, context: Call
    ) -> advisor_pb2.RecommendMoveResponse:
        """Every move with its value, from what one player has seen."""
        question = convert.advice_question(request)
        with convert.position_faults():
            advice = await self._searches.ask(question, context)
        return convert.advice_response(question.view, advice)

    async def EstimateClaim(  # noqa: N802
        self, request: advisor_pb2.EstimateClaimRequest, context: Call
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
        self, request: rules_pb2.ListRuleSetsRequest, context: Call
    ) -> rules_pb2.ListRuleSetsResponse:
        """The presets this build plays."""
        return convert.rule_sets_response(convert.rule_sets_question(request))

    async def GetRuleSet(  # noqa: N802
        self, request: rules_pb2.GetRuleSetRequest, context: Call
    ) -> rules_pb2.GetRuleSetResponse:
        """One rule set in words."""
        return convert.rule_set_response(request)

    async def CheckRecord(  # noqa: N802
        self, request: rules_pb2.CheckRecordRequest, context: Call
    ) -> rules_pb2.CheckRecordResponse:
        """What is wrong with a hand record, if anything."""
        question = convert.check_question(request)
        return convert.check_response(await self._searches.ask(question, context))


class Server:
    """A running service on one address. Made by `start`, within the event loop that runs it.

    Attributes:
        web_port: the port for browsers; None if there is none.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._pool = SearchPool(config.workers, config.max_queue)
        self._health = health.aio.HealthServicer()
        self._ready = False
        self._web: WebServer | None = None
        self.web_port: int | None = None
        self._server = grpc.aio.server(
            interceptors=[Guard()],
            options=[
                ("grpc.max_receive_message_length", _MAX_REQUEST_BYTES),
                # Or a second service on the same port would start without a word, and each
                # of the two get some of the calls.
                ("grpc.so_reuseport", 0),
            ],
        )
        searches = Searches(self._pool, config.default_time_limit)
        self._advisor = AdvisorService(searches)
        self._rules = RulesService(searches)
        self._solver = SolverService(searches)

    @classmethod
    async def start(cls, address: str, config: Config) -> tuple[Self, int]:
        """Starts a service on `address` (`HOST:PORT` or `unix:PATH`); also gives its port.

        Raises RuntimeError where nothing can listen there, OSError for the port for browsers.
        """
        self = cls(config)
        server = self._server
        advisor_pb2_grpc.add_AdvisorServiceServicer_to_server(self._advisor, server)
        rules_pb2_grpc.add_RulesServiceServicer_to_server(self._rules, server)
        solver_pb2_grpc.add_SolverServiceServicer_to_server(self._solver, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection(
            (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )
        try:
            if config.web_port is not None:
                await self._open_web(config.web_host, config.web_port)
            port = server.add_insecure_port(address)
            await server.start()
        except BaseException:
            if self._web is not None:
                await self._web.stop(0)
            self._pool.close()
            raise
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self._ready = True
        return self, port

    async def _open_web(self, host: str, port: int) -> None:
        from bura_service.web import WebServer, application  # most services need none of it

        app = application(
            self._services(),
            files=self._config.web_files,
            origins=self._config.cors_origins,
            max_request_bytes=_MAX_REQUEST_BYTES,
            ready=lambda: self._ready,
        )
        self._web, self.web_port = await WebServer.start(app, host, port)

    def _services(self) -> list[tuple[ServiceDescriptor, object]]:
        """Each service's descriptor, and what answers its methods."""
        return [
            (advisor_pb2.DESCRIPTOR.services_by_name["AdvisorService"], self._advisor),
            (rules_pb2.DESCRIPTOR.services_by_name["RulesService"], self._rules),
            (solver_pb2.DESCRIPTOR.services_by_name["SolverService"], self._solver),
        ]

    async def stop(self, drain_time: float | None = None) -> None:
        """Stops: first by health, then for new calls, then, after drain_time, for the rest.

        Searches that are still running then answer with what they have.
        """
        self._ready = False
        await self._health.enter_graceful_shutdown()
        if drain_time is None:
            drain_time = self._config.drain_time
        stopping = [asyncio.ensure_future(self._server.stop(drain_time + _LAST_WORDS))]
        if self._web is not None:
            stopping.append(asyncio.ensure_future(self._web.stop(drain_time + _LAST_WORDS)))
        await self._idle(drain_time)
        self._pool.stop_searches()
        await self._idle(_LAST_WORDS)
        # What is left to do now is to send. An open Health.Watch would hold up the server for
        # the whole of its grace.
        await asyncio.wait(stopping, timeout=_SENDING)
        await self._server.stop(None)
        if self._web is not None:
            await self._web.stop(0)
        await asyncio.gather(*stopping)
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
