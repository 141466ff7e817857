"""Everything that can go wrong with a connection, for a while; then all has to be as before.

    python benchmarks/load/soak.py [--minutes N]

Two processes on one port, both ports open. Callers cancel, let deadlines pass, drop connections
in the middle of a call, send bytes that are no HTTP/2, no message, or too many; and now and then
a worker is killed. Well-formed requests are asked all the while, with the client's retry policy:
they are answered, refused for the load, or, around a killing, UNAVAILABLE. Threads, files and
memory are printed as it goes on.
"""

import argparse
import json
import os
import random
import signal
import socket
import threading
import time
import urllib.request
from collections import Counter
from typing import Any

import grpc
from common import ENDLESS, SEEN, Service, endings, service

from bura.v1 import advisor_pb2, advisor_pb2_grpc, search_pb2, solver_pb2, solver_pb2_grpc

SOLVE = "/bura.v1.SolverService/SolvePosition"
ALLOWED = {
    grpc.StatusCode.OK,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
}


# As `bura-client` has it, and quick to connect again.
PATIENT: list[tuple[str, Any]] = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    (
        "grpc.service_config",
        json.dumps(
            {
                "methodConfig": [
                    {
                        "name": [{}],
                        "retryPolicy": {
                            "maxAttempts": 4,
                            "initialBackoff": "0.1s",
                            "maxBackoff": "1s",
                            "backoffMultiplier": 2,
                            "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
                        },
                    }
                ]
            }
        ),
    ),
]


class Soak:
    """The callers, and what became of their calls."""

    def __init__(self, running: Service, seed: int) -> None:
        self.running = running
        self.random = random.Random(seed)
        self.lines = endings(5000, seed=seed)
        self.stop = threading.Event()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def channel(self, *options: tuple[str, Any]) -> grpc.Channel:
        own = ("grpc.use_local_subchannel_pool", 1)
        return grpc.insecure_channel(self.running.target, [own, *options])

    def note(self, what: str, code: grpc.StatusCode, *also: grpc.StatusCode) -> None:
        self.counts[f"{what} {code.name}"] += 1
        if code not in ALLOWED and code not in also:
            self.wrong.append(f"{what}: {code.name}")

    def well_formed(self, rounds: int | None = None) -> None:
        """Questions as an app asks them."""
        while not self.stop.is_set() and rounds != 0:
            with self.channel(*PATIENT) as channel:
                solver = solver_pb2_grpc.SolverServiceStub(channel)
                advisor = advisor_pb2_grpc.AdvisorServiceStub(channel)
                for _ in range(50):
                    line = self.random.choice(self.lines)
                    request = solver_pb2.SolvePositionRequest(position=line)
                    self.call("ending", lambda r=request: solver.SolvePosition(r, timeout=10))
                    hint = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=50)
                    self.call("hint", lambda h=hint: advisor.RecommendMove(h, timeout=10))
                    if self.stop.is_set():
                        break
                    time.sleep(0.02)
            rounds = None if rounds is None else rounds - 1

    def call(self, what: str, call: Any, *also: grpc.StatusCode) -> None:
        try:
            call()
            self.note(what, grpc.StatusCode.OK)
        except grpc.RpcError as error:
            failed: Any = error
            self.note(what, failed.code(), *also)

    def impatient(self) -> None:
        """Cancels, deadlines, streams left half read, connections dropped."""
        while not self.stop.is_set():
            channel = self.channel()
            solver = solver_pb2_grpc.SolverServiceStub(channel)
            advisor = advisor_pb2_grpc.AdvisorServiceStub(channel)
            limits = search_pb2.SearchLimits(max_nodes=10**9 + self.random.randrange(10**6))
            request = solver_pb2.SolvePositionRequest(position=ENDLESS, limits=limits)
            choice = self.random.randrange(4)
            if choice == 0:
                call: Any = solver.SolvePosition.future(request, timeout=30)
                time.sleep(self.random.uniform(0, 0.2))
                call.cancel()
                self.counts["cancelled"] += 1
            elif choice == 1:
                timeout = self.random.uniform(0.01, 0.3)
                self.call("short", lambda: solver.SolvePosition(request, timeout=timeout))
            elif choice == 2:
                stream: Any = advisor.RecommendMoveStream(
                    advisor_pb2.RecommendMoveStreamRequest(
                        question=advisor_pb2.RecommendMoveRequest(position=SEEN)
                    ),
                    timeout=30,
                )
                self.call("stream", lambda: next(stream))
                stream.cancel()
            else:
                solver.SolvePosition.future(request, timeout=30)
                time.sleep(self.random.uniform(0, 0.1))  # and goes without a word
                self.counts["dropped"] += 1
            channel.close()

    def garbage(self) -> None:
        """Bytes that are none of what they should be, on both ports."""
        too_large = b"x" * (5 << 20)
        unreadable = (grpc.StatusCode.INVALID_ARGUMENT,)
        while not self.stop.is_set():
            choice = self.random.randrange(5)
            if choice == 0:
                for address in (self.running.target, (self.running.web or "").partition("//")[2]):
                    self.raw(address, self.random.randbytes(self.random.randrange(2000)))
            elif choice == 1:
                self.raw(
                    self.running.target, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + os.urandom(200)
                )
            elif choice == 2:
                with self.channel() as channel:
                    call: Any = channel.unary_unary(SOLVE)
                    data = self.random.randbytes(100)
                    self.call("unreadable", lambda: call(data, timeout=10), *unreadable)
            elif choice == 3:
                with self.channel() as channel:
                    call = channel.unary_unary(SOLVE)
                    self.call("too large", lambda: call(too_large, timeout=10))
            else:
                self.half_sent()
            time.sleep(0.02)

    def raw(self, address: str, data: bytes) -> None:
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=2) as connection:
                connection.settimeout(0.1)
                connection.sendall(data)
                connection.recv(1000)
        except OSError:
            pass
        self.counts["raw"] += 1

    def half_sent(self) -> None:
        """A request over HTTP whose sender goes away in the middle."""
        body = json.dumps({"position": ENDLESS}).encode()
        head = f"POST {SOLVE} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        whole = f"{head}content-length: {len(body)}\r\n\r\n".encode() + body
        sent = whole if self.random.random() < 0.5 else whole[:-10]
        self.raw((self.running.web or "").partition("//")[2], sent)

    def killer(self, every: float) -> None:
        """Kills a worker now and then."""
        while not self.stop.wait(every):
            workers = self.running.pids()[1:]
            if len(workers) > 1:
                os.kill(self.random.choice(workers), signal.SIGKILL)
                self.counts["killed"] += 1


def everything_answers(soak: Soak) -> None:
    """After all that: every well-formed request is answered."""
    before = soak.counts["ending OK"]
    soak.stop.clear()
    soak.well_formed(rounds=4)
    assert soak.counts["ending OK"] - before == 200, soak.counts
    request = urllib.request.Request(
        f"{soak.running.web}{SOLVE}",
        json.dumps({"position": soak.lines[0]}).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        assert response.status == 200


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seconds = 60 * arguments.minutes
    with service("--workers", "2", "--web-port", "0") as running:
        soak = Soak(running, arguments.seed)
        soak.well_formed(rounds=2)
        kill_every = max(5.0, seconds / 12)
        callers = [soak.well_formed, soak.well_formed, soak.impatient, soak.garbage]
        threads = [threading.Thread(target=each, daemon=True) for each in callers]
        threads.append(threading.Thread(target=soak.killer, args=(kill_every,), daemon=True))
        for thread in threads:
            thread.start()
        begin = time.monotonic()
        print("seconds  memory MiB  threads  files")
        while (gone := time.monotonic() - begin) < seconds:
            print(
                f"{gone:7.0f}  {running.memory_mb():10.0f}  {running.threads():7}"
                f"  {running.files():5}",
                flush=True,
            )
            time.sleep(min(seconds / 15, seconds - gone + 0.01))
        soak.stop.set()
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive(), "a call hangs"
        time.sleep(3)  # a worker killed last is back, and connections are gone
        everything_answers(soak)
        print(f"    end  {running.memory_mb():10.0f}  {running.threads():7}  {running.files():5}")
        for what, count in sorted(soak.counts.items()):
            print(f"{what:32} {count:,}")
        assert soak.wrong == [], soak.wrong[:20]
        print("every well-formed request was answered")


if __name__ == "__main__":
    main()
