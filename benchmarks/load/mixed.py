"""Endings, hints and large solves together, at twice what the service can do.

    python benchmarks/load/mixed.py [--seconds N] [--load FACTOR] [--workers N]

First the capacity: calls a second with as many callers as cores. Then calls come at random
moments, whatever becomes of those before, FACTOR times as many. Accepted calls have to keep
their deadline in 99 %, the others are refused at once, memory does not grow, no other error.
Before all that the time of endings beside two large solves that never cease, and alone.
"""

import argparse
import asyncio
import contextlib
import itertools
import os
import random
import time
from collections import Counter, defaultdict
from typing import Any

import grpc.aio
from common import ENDLESS, SEEN, Service, endings, milliseconds, service

from bura.v1 import advisor_pb2, advisor_pb2_grpc, search_pb2, solver_pb2, solver_pb2_grpc
from bura_core import Solver

DEADLINE = 2.0
LARGE_SECONDS = 0.2
KINDS: tuple[tuple[str, float], ...] = (("ending", 0.8), ("hint", 0.15), ("large", 0.05))


class Asker:
    """Asks questions of each kind; the service keeps no answers, so that each is worked out."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._solver = solver_pb2_grpc.SolverServiceStub(channel)
        self._advisor = advisor_pb2_grpc.AdvisorServiceStub(channel)
        self._endings = itertools.cycle(endings(5_000))
        self._count = itertools.count(1)
        # As many nodes as this machine visits just now in the time of a large search.
        trial = Solver().solve(ENDLESS, moves=False, line=False, max_seconds=LARGE_SECONDS)
        self._large = max(20_000, trial.nodes)

    async def ask(self, kind: str) -> None:
        """One call; its answer is of no interest here."""
        call: Any
        if kind == "ending":
            request: Any = solver_pb2.SolvePositionRequest(position=next(self._endings))
            call = self._solver.SolvePosition
        elif kind == "hint":
            request = advisor_pb2.RecommendMoveRequest(
                position=SEEN, max_worlds=300, seed=next(self._count)
            )
            call = self._advisor.RecommendMove
        else:
            limits = search_pb2.SearchLimits(max_nodes=self._large + next(self._count))
            request = solver_pb2.SolvePositionRequest(position=ENDLESS, limits=limits)
            call = self._solver.SolvePosition
        await call(request, timeout=DEADLINE)


def any_kind(generator: random.Random) -> str:
    names, weights = zip(*KINDS, strict=True)
    return str(generator.choices(names, weights)[0])


async def capacity(asker: Asker, seconds: float) -> float:
    """Calls of the mixture a second, as many at once as cores."""
    generator = random.Random(1)
    done = 0
    end = time.perf_counter() + seconds

    async def caller() -> None:
        nonlocal done
        while time.perf_counter() < end:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await asker.ask(any_kind(generator))
                done += 1

    begin = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(os.cpu_count() or 1)))
    return done / (time.perf_counter() - begin)


async def overload(asker: Asker, running: Service, rate: float, seconds: float) -> None:
    generator = random.Random(2)
    codes: Counter[tuple[str, str]] = Counter()
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    memory = [running.memory_mb()]

    async def one(kind: str) -> None:
        begin = time.perf_counter()
        code = "OK"
        try:
            await asker.ask(kind)
        except grpc.aio.AioRpcError as error:
            code = error.code().name
        codes[kind, code] += 1
        times[kind, code].append(time.perf_counter() - begin)

    begin = time.perf_counter()
    due = begin
    tasks = set()
    while due < begin + seconds:
        due += generator.expovariate(rate)
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        task = asyncio.ensure_future(one(any_kind(generator)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        if len(memory) <= (time.perf_counter() - begin) / seconds * 10:
            memory.append(running.memory_mb())
    await asyncio.gather(*tasks)
    memory.append(running.memory_mb())
    for kind, _ in KINDS:
        for code in sorted({code for each, code in codes if each == kind}):
            line = f"  {kind:8} {code:20} {codes[kind, code]:7,}"
            print(f"{line}  {milliseconds(times[kind, code])}")
    late = sum(count for (_, code), count in codes.items() if code == "DEADLINE_EXCEEDED")
    fine = sum(count for (_, code), count in codes.items() if code == "OK")
    other = sum(codes.values()) - late - fine
    other -= sum(count for (_, code), count in codes.items() if code == "RESOURCE_EXHAUSTED")
    print(f"  accepted calls in time: {fine / max(1, fine + late):.2%}; other errors: {other}")
    print("  memory in MiB:", " ".join(f"{each:.0f}" for each in memory))


async def beside(asker: Asker, seconds: float) -> None:
    """Endings while two large solves run all the time, and, in turns, while nothing else does."""
    turns = 4
    alone: list[float] = []
    together: list[float] = []

    async def large(end: float) -> None:
        while time.perf_counter() < end:
            with contextlib.suppress(grpc.aio.AioRpcError):  # its deadline, on a busy machine
                await asker.ask("large")

    async def small(end: float, times: list[float]) -> None:
        while time.perf_counter() < end:
            begin = time.perf_counter()
            await asker.ask("ending")
            times.append(time.perf_counter() - begin)
            await asyncio.sleep(0.01)

    for _ in range(turns):
        await small(time.perf_counter() + seconds / turns / 2, alone)
        end = time.perf_counter() + seconds / turns / 2
        await asyncio.gather(large(end), large(end), small(end, together))
    print(f"endings alone: {milliseconds(alone)}")
    print(f"endings beside two large solves: {milliseconds(together)}")


async def measure(running: Service, seconds: float, load: float) -> None:
    async with grpc.aio.insecure_channel(running.target) as channel:
        asker = Asker(channel)
        await capacity(asker, 1)
        await beside(asker, max(3.0, seconds / 6))
        most = await capacity(asker, max(3.0, seconds / 6))
        print(f"capacity: {most:,.0f} calls a second")
        print(f"{load:g} times as many for {seconds:g} s:")
        await overload(asker, running, load * most, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--load", type=float, default=2.0)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    with service("--workers", str(arguments.workers), "--cache-mb", "0") as running:
        asyncio.run(measure(running, arguments.seconds, arguments.load))


if __name__ == "__main__":
    main()
