"""What a call costs beside its search: against the health check alone, against an echo at 16.

    python benchmarks/load/overhead.py [--seconds N]

Prints the round trips of one client (health check, a solved ending from the cache, endings not
seen before) and the rates of 16 callers (an echo on the same server settings, endings), with the
processor time that the server took for a call. All in short turns, for a busy machine is now more
and now less so.
"""

import argparse
import asyncio
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc.aio
from common import Service, endings, milliseconds, service
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bura.v1 import solver_pb2, solver_pb2_grpc

# Turns of each kind with 16 callers.
TURNS = 9

ECHO = """
import asyncio, grpc.aio
class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        async def echo(request, context): return request
        return grpc.unary_unary_rpc_method_handler(echo)
async def main():
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((Echo(),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()
asyncio.run(main())
"""


async def alone(calls: dict[str, Callable[[], Awaitable[Any]]], seconds: float) -> None:
    """One after the other, in turns, so that a busy machine is as busy for each."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            for _ in range(20):
                begin = time.perf_counter()
                await call()
                times[name].append(time.perf_counter() - begin)
    base = statistics.median(next(iter(times.values())))
    for name, values in times.items():
        ratio = statistics.median(values) / base
        print(f"  {name:32} {milliseconds(values)}, {ratio:.2f} times the health check")


async def rate(call: Callable[[], Awaitable[Any]], seconds: float, callers: int) -> float:
    """Calls a second of so many callers."""
    done = 0
    end = time.perf_counter() + seconds

    async def caller() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await call()
            done += 1

    begin = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return done / (time.perf_counter() - begin)


async def measure(running: Service, echo: Service, seconds: float) -> None:
    async with (
        grpc.aio.insecure_channel(running.target) as channel,
        grpc.aio.insecure_channel(echo.target) as e,
    ):
        solver = solver_pb2_grpc.SolverServiceStub(channel)
        health: Any = health_pb2_grpc.HealthStub(channel)
        request = [solver_pb2.SolvePositionRequest(position=line) for line in endings(5_000)]
        fresh = itertools.cycle(request)
        echoed: Any = e.unary_unary("/echo/Echo")
        data = request[0].SerializeToString()

        async def solve_same() -> None:
            await solver.SolvePosition(request[0])

        async def solve_fresh() -> None:
            await solver.SolvePosition(next(fresh))

        async def check() -> None:
            await health.Check(health_pb2.HealthCheckRequest())

        async def echo_call() -> None:
            await echoed(data)

        for call in (solve_same, solve_fresh, check, echo_call):
            for _ in range(100):
                await call()
        print("one client:")
        await alone(
            {
                "health check": check,
                "ending, from the cache": solve_same,
                "new endings": solve_fresh,
            },
            seconds,
        )
        print("16 callers:")
        rates: dict[str, list[float]] = {}
        taken: dict[str, list[float]] = {}
        kinds: dict[str, tuple[Service, Callable[[], Awaitable[Any]]]] = {
            "echo": (echo, echo_call),
            "ending, from the cache": (running, solve_same),
            "new endings": (running, solve_fresh),
        }
        turn = max(0.3, seconds / 3 / TURNS)
        for _ in range(TURNS):
            for name, (server, ask) in kinds.items():
                before = server.processor_seconds()
                found = await rate(ask, turn, 16)
                rates.setdefault(name, []).append(found)
                spent = server.processor_seconds() - before
                taken.setdefault(name, []).append(1e6 * spent / (found * turn))
        base = statistics.median(rates["echo"])
        for name, values in rates.items():
            middle = statistics.median(values)
            processor = statistics.median(taken[name])
            print(
                f"  {name:32} {middle:,.0f} a second, {middle / base:.0%} of the echo;"
                f" {processor:.0f} us of the server's processor"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each part")
    arguments = parser.parse_args()
    echo = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True)
    try:
        assert echo.stdout is not None
        port = int(echo.stdout.readline())
        with service() as running:
            echoing = Service(echo, f"127.0.0.1:{port}")
            asyncio.run(measure(running, echoing, arguments.seconds))
    finally:
        echo.kill()
        echo.wait()


if __name__ == "__main__":
    main()
