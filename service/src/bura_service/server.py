"""The services, one short method for each RPC, and how they are put together into a server."""

from __future__ import annotations  # the generic types of grpc exist only in its stubs

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self, TypeAlias

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
    table_pb2,
    table_pb2_grpc,
)
from bura_service import convert, tables
from bura_service.access import Access
from bura_service.asking import Searches
from bura_service.config import Config
from bura_service.guard import Guard, Watch
from bura_service.tls import Tls

if TYPE_CHECKING:
    from google.protobuf.descriptor import ServiceDescriptor

    from bura_service.metrics import Metrics
    from bura_service.web import WebServer

Context: TypeAlias = Any
"""A bura_service.calls.Call; the generated base classes want grpc's own."""

SERVICES = (
    "bura.v1.AdvisorService",
    "bura.v1.RulesService",
    "bura.v1.SolverService",
    "bura.v1.TableService",
)

# How long a search that was told to stop may take to do so, and how long the last answers to
# be sent, in seconds.
_LAST_WORDS = 1.0
_SENDING = 3.0

# How often the measures of what there is to do are taken, in seconds.
_MEASURE_EVERY = 1.0


class SolverService(solver_pb2_grpc.SolverServiceServicer):
    """bura.v1.SolverService."""

    def __init__(self, searches: Searches, max_positions: int) -> None:
        self._searches = searches
        self._max_positions = max_positions

    async def SolvePosition(  # noqa: N802 - the name in the .proto
        self, request: solver_pb2.SolvePositionRequest, context: Context
    ) -> solver_pb2.SolvePositionResponse:
        """The value of a position and of its moves."""
        return await self._searches.answer(
            request,
            context,
            convert.solve_question,
            lambda _, found: convert.solve_response(found),
        )

    async def SolvePositions(  # noqa: N802
        self, request: solver_pb2.SolvePositionsRequest, context: Context
    ) -> solver_pb2.SolvePositionsResponse:
        """The values of many positions, and what is wrong with some."""
        return await self._searches.answer(
            request,
            context,
            lambda _: convert.batch_question(request, self._max_positions),
            lambda _, response: response,
            keep=False,
        )

    async def Perft(  # noqa: N802
        self, request: solver_pb2.PerftRequest, context: Context
    ) -> solver_pb2.PerftResponse:
        """The number of move sequences."""
        return await self._searches.answer(
            request,
            context,
            convert.perft_question,
            lambda _, found: convert.perft_response(found),
        )

    async def ReviewHand(  # noqa: N802
        self, request: solver_pb2.ReviewHandRequest, context: Context
    ) -> solver_pb2.ReviewHandResponse:
        """What each move of a hand cost."""
        return await self._searches.answer(
            request,
            context,
            convert.review_question,
            lambda _, answer: convert.review_response(answer),
            convert.record_faults,
        )


class AdvisorService(advisor_pb2_grpc.AdvisorServiceServicer):
    """bura.v1.AdvisorService."""

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def RecommendMove(  # noqa: N802
        self, request: advisor_pb2.RecommendMoveRequest, context: Context
    ) -> advisor_pb2.RecommendMoveResponse:
        """Every move with its value, from what one player has seen."""
        return await self._searches.answer(
            request,
            context,
            convert.advice_question,
            lambda question, advice: convert.advice_response(question.view, advice),
            convert.position_faults,
        )

    async def RecommendMoveStream(  # noqa: N802
        self, request: advisor_pb2.RecommendMoveStreamRequest, context: Context
    ) -> AsyncIterator[advisor_pb2.RecommendMoveStreamResponse]:
        """The same, refined until the time is over or all worlds are looked at."""
        answers = self._searches.stream(
            request,
            context,
            convert.refine_question,
            lambda question, advice, final: convert.refined_response(question.view, advice, final),
            convert.stream_faults,
        )
        async with contextlib.aclosing(answers):
            async for answer in answers:
                yield answer

    async def EstimateClaim(  # noqa: N802
        self, request: advisor_pb2.EstimateClaimRequest, context: Context
    ) -> advisor_pb2.EstimateClaimResponse:
        """The chance that a claim holds; whether to make it, where that is asked."""
        if not request.HasField("max_worlds"):
            # Counted, not searched, so it need not wait.
            question = convert.claim_question(request)
            with convert.position_faults():
                return convert.claim_response(question.view, question.counted())
        return await self._searches.answer(
            request,
            context,
            convert.claim_question,
            lambda question, answer: convert.claim_response(question.view, answer),
            convert.position_faults,
        )

    async def AdviseRaise(  # noqa: N802
        self, request: advisor_pb2.AdviseRaiseRequest, context: Context
    ) -> advisor_pb2.AdviseRaiseResponse:
        """Whether to raise, and how to answer a raise."""
        return await self._searches.answer(
            request,
            context,
            convert.raise_question,
            lambda question, answer: convert.raise_response(question.view, answer),
            convert.position_faults,
        )


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

    async def CheckPosition(  # noqa: N802
        self, request: rules_pb2.CheckPositionRequest, context: Context
    ) -> rules_pb2.CheckPositionResponse:
        """What is wrong with a position line, if anything."""
        return convert.check_position(request)

    async def CheckRecord(  # noqa: N802
        self, request: rules_pb2.CheckRecordRequest, context: Context
    ) -> rules_pb2.CheckRecordResponse:
        """What is wrong with a hand record, if anything."""
        question = convert.check_question(request)
        return convert.check_response(await self._searches.ask(question, context))


class TableService(table_pb2_grpc.TableServiceServicer):
    """bura.v1.TableService."""

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def DescribePosition(  # noqa: N802
        self, request: table_pb2.DescribePositionRequest, context: Context
    ) -> table_pb2.DescribePositionResponse:
        """A position taken apart: a matter of a millisecond, so it need not wait."""
        asked = convert.table_question(request)
        return convert.table_response(tables.describe(asked.line, asked.moves, asked.seat))

    async def ReplayRecord(  # noqa: N802
        self, request: table_pb2.ReplayRecordRequest, context: Context
    ) -> table_pb2.ReplayRecordResponse:
        """Where each move of a hand was made."""
        question = convert.replay_question(request)
        with convert.record_faults():
            return convert.replay_response(await self._searches.ask(question, context))

    async def DrawPosition(  # noqa: N802
        self, request: table_pb2.DrawPositionRequest, context: Context
    ) -> table_pb2.DrawPositionResponse:
        """A picture."""
        asked, dark, language = convert.picture_question(request)
        with convert.position_faults():
            drawn = tables.draw(asked.line, asked.moves, asked.seat, dark=dark, language=language)
        return convert.picture_response(drawn)


class Server:
    """A running service on one address. Made by `start`, within the event loop that runs it.

    Attributes:
        web_port: the port for browsers; None if there is none.
        metrics_port: the port of metrics; None if there is none.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._tls = Tls.of(config)
        self._metrics: Metrics | None = None
        if config.metrics_port is not None:
            from bura_service.metrics import Metrics  # most services need none of it

            self._metrics = Metrics()
        access = None if config.tokens is None else Access(config.tokens)
        self._watch = Watch(access, self._metrics, config.log_positions)
        self._searches = Searches(config)
        self._health = health.aio.HealthServicer()
        self._ready = False
        self._measuring: asyncio.Future[None] | None = None
        self._metrics_server: Any = None
        self._web: WebServer | None = None
        self.web_port: int | None = None
        self.metrics_port: int | None = None
        self._server = grpc.aio.server(
            interceptors=[*_tracing(config), Guard(self._watch)],
            options=_channel_options(config),
        )
        self._advisor = AdvisorService(self._searches)
        self._rules = RulesService(self._searches)
        self._solver = SolverService(self._searches, config.max_positions)
        self._table = TableService(self._searches)

    @classmethod
    async def start(cls, address: str, config: Config) -> tuple[Self, int]:
        """Starts a service on `address` (`HOST:PORT` or `unix:PATH`); also gives its port.

        Raises:
            RuntimeError: nothing can listen there.
            OSError: nor on the port for browsers or that of metrics.
            TlsError, TokenFileError: those files can't be used.
        """
        self = cls(config)
        server = self._server
        advisor_pb2_grpc.add_AdvisorServiceServicer_to_server(self._advisor, server)
        rules_pb2_grpc.add_RulesServiceServicer_to_server(self._rules, server)
        solver_pb2_grpc.add_SolverServiceServicer_to_server(self._solver, server)
        table_pb2_grpc.add_TableServiceServicer_to_server(self._table, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        if config.reflection:
            reflection.enable_server_reflection(
                (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server
            )
        try:
            await self._open_web()
            self._open_metrics()
            if self._tls is None:
                port = server.add_insecure_port(address)
            else:
                port = server.add_secure_port(address, self._tls.server_credentials())
                self._tls.watch()
            await server.start()
        except BaseException:
            await self._close_others(0)
            self._searches.pool.close()
            raise
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self._ready = True
        return self, port

    async def _open_web(self) -> None:
        config = self._config
        address = web_address(config)
        if address is None:
            return
        from bura_service.web import WebServer, application  # most services need none of it

        app = application(
            self._services(),
            self._watch,
            files=config.web_files,
            origins=config.cors_origins,
            max_request_bytes=config.max_message_bytes,
            ready=lambda: self._ready,
        )
        if config.traces:
            from bura_service import traces

            app = traces.traced(app)
        tls = None if self._tls is None else self._tls.context
        self._web, self.web_port = await WebServer.start(
            app, *address, tls=tls, reuse=config.workers > 1
        )

    def _open_metrics(self) -> None:
        if self._metrics is None:
            return
        if self._config.workers == 1:  # else their parent serves those of all
            from bura_service import metrics

            port = self._config.metrics_port or 0
            self._metrics_server, self.metrics_port = metrics.serve(
                self._metrics, self._config.metrics_host, port
            )
        self._measuring = asyncio.ensure_future(self._measure(self._metrics))

    async def _measure(self, metrics: Metrics) -> None:
        while True:
            metrics.load(self._searches.pool, self._searches.cache.size)
            await asyncio.sleep(_MEASURE_EVERY)

    async def _close_others(self, seconds: float) -> None:
        """Closes all but the port of grpc and the pool."""
        if self._web is not None:
            await self._web.stop(seconds)
        if self._tls is not None:
            self._tls.close()
        if self._measuring is not None:
            self._measuring.cancel()
        if self._metrics_server is not None:
            await asyncio.to_thread(self._metrics_server.shutdown)
            self._metrics_server.server_close()
            self._metrics_server = None

    def _services(self) -> list[tuple[ServiceDescriptor, object]]:
        """Each service's descriptor, and what answers its methods."""
        return [
            (advisor_pb2.DESCRIPTOR.services_by_name["AdvisorService"], self._advisor),
            (rules_pb2.DESCRIPTOR.services_by_name["RulesService"], self._rules),
            (solver_pb2.DESCRIPTOR.services_by_name["SolverService"], self._solver),
            (table_pb2.DESCRIPTOR.services_by_name["TableService"], self._table),
        ]

    async def stop(self, drain_time: float | None = None) -> None:
        """Stops: first by health, then for new calls, then, after drain_time, for the rest.

        Searches that are still running then answer with what they have.
        """
        self._ready = False
        await self._health.enter_graceful_shutdown()
        if drain_time is None:
            drain_time = self._config.drain_time
            await asyncio.sleep(self._config.drain_delay)
        stopping = [asyncio.ensure_future(self._server.stop(drain_time + _LAST_WORDS))]
        if self._web is not None:
            stopping.append(asyncio.ensure_future(self._web.stop(drain_time + _LAST_WORDS)))
        await self._idle(drain_time)
        self._searches.pool.stop_searches()
        await self._idle(_LAST_WORDS)
        # What is left to do now is to send. An open Health.Watch would hold up the server for
        # the whole of its grace.
        await asyncio.wait(stopping, timeout=_SENDING)
        await self._server.stop(None)
        await self._close_others(0)
        await asyncio.gather(*stopping)
        await asyncio.to_thread(self._searches.pool.close)

    async def _idle(self, seconds: float) -> None:
        """Returns when no call is left, or after so many seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while (self._watch.open_calls or self._searches.pool.busy) and loop.time() < end:
            await asyncio.sleep(0.01)

    async def wait(self) -> None:
        """Returns when the server has stopped."""
        await self._server.wait_for_termination()


def web_address(config: Config) -> tuple[str, int] | None:
    """Host and port for browsers; None for no such port."""
    if config.web is not None:
        host, _, port = config.web.rpartition(":")
        return host, int(port)
    return None if config.web_port is None else (config.host, config.web_port)


def _channel_options(config: Config) -> list[tuple[str, int]]:
    options = [
        ("grpc.max_receive_message_length", config.max_message_bytes),
        # Or a second service on the same port would start without a word, and each of the
        # two get some of the calls.
        ("grpc.so_reuseport", int(config.workers > 1)),
    ]
    if config.max_connection_age is not None:
        options += [
            ("grpc.max_connection_age_ms", round(1000 * config.max_connection_age)),
            # A call that runs when the connection is to end is given its time.
            ("grpc.max_connection_age_grace_ms", round(1000 * config.max_time_limit)),
        ]
    return options


def _tracing(config: Config) -> list[grpc.aio.ServerInterceptor]:
    if not config.traces:
        return []
    from bura_service import traces  # an extra

    return [traces.interceptor()]
