"""How long the service takes to start, and a search to stop when nobody wants it any more.

    PYTHONPATH=benchmarks/load python tools/life.py [--rounds N]

It looks inside the service, which nothing in benchmarks/ may.

The start is that of a process of its own: from its beginning to its first answer, and the
processor time it took. The stop is measured in this process, where the end of a search can be
seen: from the cancellation, the deadline, or the moment a client's process is killed, to the
search's return. Whoever cancels runs beside it; who is killed is a process of its own.
"""

import argparse
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

import grpc
from common import ENDLESS, endings, milliseconds, service

from bura.v1 import solver_pb2, solver_pb2_grpc
from bura_service import embedded, searches

ENDED: list[float] = []
BEGUN = threading.Semaphore(0)
OVER = threading.Semaphore(0)
LOST = """
import sys, grpc
from bura.v1 import solver_pb2, solver_pb2_grpc
with grpc.insecure_channel(sys.argv[1]) as channel:
    request = solver_pb2.SolvePositionRequest(position=sys.argv[2])
    solver_pb2_grpc.SolverServiceStub(channel).SolvePosition(request, timeout=60)
"""


def start(rounds: int) -> None:
    """Starts it so often."""
    line = endings(1)[0]
    walls, processor = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        with service() as running, grpc.insecure_channel(running.target) as channel:
            request = solver_pb2.SolvePositionRequest(position=line)
            solver_pb2_grpc.SolverServiceStub(channel).SolvePosition(request, timeout=30)
            walls.append(time.perf_counter() - begin)
            processor.append(running.processor_seconds())
    print(
        f"start to first answer: {statistics.median(walls):.2f} s,"
        f" {statistics.median(processor):.2f} s of processor"
    )


def watched(question: searches.SolveQuestion, desk: Any) -> Any:
    """A search that tells when it begins and ends."""
    BEGUN.release()
    try:
        return WHOLE(question, desk)
    finally:
        ENDED.append(time.perf_counter())
        OVER.release()


WHOLE = searches.SolveQuestion.answer


def stops(rounds: int) -> None:
    """Lets so many searches begin, and gives up each in every way."""
    solving: Any = searches.SolveQuestion
    solving.answer = watched
    taken: dict[str, list[float]] = {"cancelled": [], "deadline": [], "client killed": []}
    with embedded.start() as server, grpc.insecure_channel(server.target) as channel:
        stub: Any = solver_pb2_grpc.SolverServiceStub(channel)
        request = solver_pb2.SolvePositionRequest(position=ENDLESS)
        for _ in range(rounds):
            call = stub.SolvePosition.future(request, timeout=60)
            BEGUN.acquire()
            time.sleep(0.05)
            moment = time.perf_counter()
            call.cancel()
            OVER.acquire()
            taken["cancelled"].append(ENDED[-1] - moment)

            moment = time.perf_counter() + 0.1
            call = stub.SolvePosition.future(request, timeout=0.1)
            BEGUN.acquire()
            OVER.acquire()
            taken["deadline"].append(ENDED[-1] - moment)

            client = subprocess.Popen([sys.executable, "-c", LOST, server.target, ENDLESS])
            BEGUN.acquire()
            time.sleep(0.05)
            moment = time.perf_counter()
            client.kill()
            OVER.acquire()
            client.wait()
            taken["client killed"].append(ENDED[-1] - moment)
    for what, times in taken.items():
        print(f"search stopped, {what}: {milliseconds(times)}")


def main() -> None:
    """Runs both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    start(max(1, arguments.rounds // 4))
    stops(arguments.rounds)


if __name__ == "__main__":
    main()
