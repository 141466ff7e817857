"""Solved endings a second in messages of 1,000, and the processor time of each.

    python benchmarks/load/batch.py [--seconds N] [--workers N]

The processor time, of service and client apart, says what a machine does that has nothing else to
do; the rate, what this one did just now.
"""

import argparse
import itertools
import threading
import time

import grpc
from common import Service, endings, service

from bura.v1 import solver_pb2, solver_pb2_grpc


def measure(running: Service, value_only: bool, seconds: float, callers: int) -> str:
    """Endings a second, and processor time of each; every answer is looked at."""
    lines = endings(5_000)
    messages = [
        solver_pb2.SolvePositionsRequest(positions=lines[at : at + 1000], value_only=value_only)
        for at in range(0, len(lines), 1000)
    ]
    take = itertools.cycle(messages)
    lock = threading.Lock()
    solved = 0
    end = time.perf_counter() + seconds

    def call() -> None:
        nonlocal solved
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(running.target, options) as channel:
            stub = solver_pb2_grpc.SolverServiceStub(channel)
            while time.perf_counter() < end:
                with lock:
                    message = next(take)
                response = stub.SolvePositions(message, timeout=60)
                assert all(result.HasField("solution") for result in response.results)
                with lock:
                    solved += len(response.results)

    service_time, own_time = running.processor_seconds(), time.process_time()
    begin = time.perf_counter()
    threads = [threading.Thread(target=call) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = solved / (time.perf_counter() - begin)
    service_time = running.processor_seconds() - service_time
    own_time = time.process_time() - own_time
    return (
        f"{rate:9,.0f} endings a second; processor time of an ending:"
        f" service {1e6 * service_time / solved:.1f} us, client {1e6 * own_time / solved:.1f} us"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=1, help="processes of the service")
    arguments = parser.parse_args()
    flags = ("--workers", str(arguments.workers), "--max-wait", "1000")
    with service(*flags) as running:
        for value_only in (True, False):
            found = measure(running, value_only, arguments.seconds, 3)
            print(f"{'values' if value_only else 'all moves':10} {found}", flush=True)


if __name__ == "__main__":
    main()
