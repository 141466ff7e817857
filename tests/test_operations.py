"""Running the service: options, TLS, tokens, workers, logs, metrics, traces, restarts."""

import asyncio
import contextlib
import hashlib
import http.server
import json
import os
import random
import re
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

import grpc
import httpx
import pytest
import trustme
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from bura.v1 import solver_pb2, solver_pb2_grpc
from bura_core import RuleSet, Solver
from bura_service import access
from bura_service.__main__ import main
from bura_service.config import Config
from bura_service.costs import TINY, Costs, Work, nodes_at_a_table, nodes_to_solve
from bura_service.pool import Desk, SearchPool
from bura_service.settings import UnusableError, describe, load
from bura_service.status import OverloadedError

ENDING = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
SOLVE = "/bura.v1.SolverService/SolvePosition"
TOKEN = "a-token-of-some-length"
RETRIES = {
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


class Process:
    """A service in a process of its own, with the ports it has named."""

    def __init__(self, *arguments: str, port: int = 0, **environment: str) -> None:
        command = [sys.executable, "-m", "bura_service", "--port", str(port), *arguments]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=os.environ | environment
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.target = self.wait_for(r"listening on (\S+)")

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern: str) -> str:
        """What a line of the log says in the pattern's group."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for line in list(self.lines):
                if found := re.search(pattern, line):
                    return found[1] if found.groups() else found[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError("\n".join(self.lines))

    def finish(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        status = self.process.wait(timeout=20)
        self._reader.join()
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()


def solve(channel: grpc.Channel, timeout: float = 10, **more: Any) -> Any:
    stub = solver_pb2_grpc.SolverServiceStub(channel)
    request = solver_pb2.SolvePositionRequest(position=ENDING)
    return stub.SolvePosition(request, timeout=timeout, **more)


def failing(call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    """Code and reason of a call that has to fail."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error: Any = caught.value
    info = error_details_pb2.ErrorInfo()
    status = rpc_status.from_call(error)
    if status is not None:
        assert status.details[0].Unpack(info)
    return error.code(), info.reason


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < end, "that never came"
        time.sleep(0.02)


# ---------------------------------------------------------------- options


def test_flags_go_before_the_environment_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bura.toml"
    file.write_text('port = 1\nmax_queue = 2\ndrain_time = 3.5\ncors_origins = ["https://a.b"]\n')
    monkeypatch.setenv("BURA_MAX_QUEUE", "20")
    monkeypatch.setenv("BURA_DRAIN_TIME", "30")
    config, printing, _ = load(["--config", str(file), "--drain-time", "300", "--no-reflection"])
    assert not printing
    assert (config.port, config.max_queue, config.drain_time) == (1, 20, 300)
    assert config.cors_origins == ("https://a.b",)
    assert not config.reflection
    assert config.default_time_limit == Config().default_time_limit
    monkeypatch.setenv("BURA_CORS_ORIGINS", "https://c.d, https://e.f")
    monkeypatch.setenv("BURA_CONFIG", str(file))
    assert load([])[0].cors_origins == ("https://c.d", "https://e.f")
    assert load([])[0].port == 1


def test_what_is_printed_can_be_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--port", "7", "--cors-origin", "https://a.b", "--log-positions"]
    assert main([*arguments, "--print-config"]) == 0
    printed = capsys.readouterr().out
    file = tmp_path / "bura.toml"
    file.write_text(printed)
    assert load(["--config", str(file)])[0] == load(arguments)[0]
    assert "# Beware: whoever reads the log sees players' cards" in printed
    for name in Config.__dataclass_fields__:
        assert re.search(rf"^#? ?{name} =", printed, re.MULTILINE)


def test_everything_wrong_with_the_options_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bura.toml"
    file.write_text("port = 99999\nnonsense = 1\n")
    monkeypatch.setenv("BURA_MAX_QUEUE", "many")
    with pytest.raises(UnusableError) as caught:
        load(["--config", str(file), "--workers", "0"])
    told = str(caught.value)
    for expected in ("--workers '0': ", "BURA_MAX_QUEUE", f"{file}: port", "nonsense: no such"):
        assert expected in told
    file.write_text("port = \n")
    with pytest.raises(UnusableError, match="not TOML"):
        load(["--config", str(file)])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--tls-key", "/nothing"],
        ["--tokens", "/nothing/here"],
        ["--web", "host"],
        ["--web", "a:1", "--web-port", "2"],
        ["--max-time-limit", "1"],
        ["--config", "/nothing/here"],
        ["--max-wait", "inf"],
    ],
)
def test_contradictions_are_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert arguments[0] in capsys.readouterr().err


def test_every_option_is_described() -> None:
    text = describe(Config())
    assert text.count("\n\n") == len(Config.__dataclass_fields__) - 1


# ---------------------------------------------------------------- what work costs


def test_costs_are_learned_by_kind() -> None:
    costs = Costs()
    work = Work("kind", prior=1.0, units=2)
    assert costs.estimate(work) == 2.0
    for _ in range(100):
        costs.learn(work, 0.2)
    assert costs.estimate(work) == pytest.approx(0.2, rel=0.01)
    assert costs.estimate(Work("kind", 1.0, 2, most=0.05)) == 0.05
    assert costs.estimate(Work("other", 1.0)) == 1.0


def test_what_is_tiny_is_known_by_experience() -> None:
    costs = Costs()
    work = Work("kind", 1e-6)
    costs.learn(work, 1e-6)
    assert not costs.is_tiny(work)  # nothing was counted
    costs.learn(work, 1e-6, 10)
    assert costs.is_tiny(work)
    for _ in range(20):
        costs.learn(work, 1e-6, TINY)
    assert not costs.is_tiny(work)


def test_more_cards_cost_more() -> None:
    for hand in range(1, 7):
        costs = [nodes_to_solve(hand, talon) for talon in range(0, 30, 5)]
        assert costs == sorted(set(costs))


@pytest.mark.parametrize("text", ["classic[players=3]", "classic[players=6]", "georgian5_pairs"])
def test_what_is_expected_of_larger_tables_is_of_the_magnitude_of_a_search(text: str) -> None:
    rules = RuleSet.parse(text)
    cards = [f"{rank}{suit}" for suit in "shdc" for rank in "AKQJT9876"]
    generator, solver = random.Random(1), Solver()
    piles = "/".join(["0"] * rules.players)
    visited = []
    for _ in range(7):
        generator.shuffle(cards)
        hands = "/".join("".join(cards[3 * seat : 3 * seat + 3]) for seat in range(rules.players))
        line = f"{text} h {hands} - {piles} 0 -"
        visited.append(solver.solve(line, line=False, max_nodes=20_000).nodes)
    nodes = statistics.median(visited)
    expected = nodes_at_a_table(rules, 3, 0)
    assert nodes / 30 <= expected <= 30 * nodes
    more = [nodes_at_a_table(rules, 3, talon) for talon in range(0, 18, 6)]
    assert more == sorted(set(more))


def test_what_may_be_late_is_refused_by_how_late_jobs_were() -> None:
    """A job is expected to be in time; but so were those before, which took five times as long."""

    def job(seconds: float) -> Callable[[Desk], None]:
        return lambda _: time.sleep(seconds)

    async def admitted(learning: bool) -> bool:
        pool = SearchPool(1, max_queue=10, max_wait=100)
        try:
            for _ in range(20 if learning else 0):
                await pool.run(job(0.1), cost=0.02)
            first = asyncio.ensure_future(pool.run(job(0.1), cost=0.5))
            await asyncio.sleep(0.01)
            try:
                await pool.run(job(0), cost=0.1, expires=1.0)
            except OverloadedError:
                return False
            finally:
                await first
            return True
        finally:
            pool.close()

    assert asyncio.run(admitted(learning=False))
    assert not asyncio.run(admitted(learning=True))


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a nice of their own on Linux")
def test_large_searches_step_back_for_small_ones() -> None:
    usual = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    async def nice(lane: Literal["small", "large"], large_nice: int) -> int:
        pool = SearchPool(1, max_queue=1, max_wait=1, large_nice=large_nice)
        try:
            return await pool.run(
                lambda _: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), lane=lane
            )
        finally:
            pool.close()

    assert asyncio.run(nice("large", 15)) == min(19, usual + 15)
    assert asyncio.run(nice("large", 0)) == usual
    assert asyncio.run(nice("small", 15)) == usual


# ---------------------------------------------------------------- TLS and tokens


class Certificates:
    """An authority, a server's certificate and a client's, as files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = trustme.CA()
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(self.ca)
        self.certificate, self.key = folder / "server.pem", folder / "server.key"
        self.renew()

    def renew(self) -> None:
        issued = self.authority.issue_cert("127.0.0.1", "localhost")
        self.certificate.write_bytes(b"".join(p.bytes() for p in issued.cert_chain_pems))
        self.key.write_bytes(issued.private_key_pem.bytes())

    def flags(self) -> list[str]:
        return ["--tls-certificate", str(self.certificate), "--tls-key", str(self.key)]

    def channel(self, target: str, client: bool = False) -> grpc.Channel:
        pair: tuple[bytes | None, bytes | None] = (None, None)
        if client:
            issued = self.authority.issue_cert("client@bura.example")
            pair = (issued.private_key_pem.bytes(), issued.cert_chain_pems[0].bytes())
        credentials = grpc.ssl_channel_credentials(self.ca.read_bytes(), *pair)
        return grpc.secure_channel(target, credentials)


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


def test_both_ports_speak_tls_and_take_new_certificates(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Process(*certificates.flags(), "--web-port", "0") as process:
        web = process.wait_for(r"browsers on (https://\S+)")
        with certificates.channel(process.target) as channel:
            assert solve(channel).position == ENDING

        def ask() -> int:
            verify: Any = certificates.ca.read_text()
            context = ssl.create_default_context(cadata=verify)
            with httpx.Client(verify=context, trust_env=False) as http:
                return http.post(web + SOLVE, json={"position": ENDING}).status_code

        assert ask() == 200
        # Another authority altogether: who knows only the old one is not to be fooled.
        certificates.authority = trustme.CA()
        certificates.authority.cert_pem.write_to_path(certificates.ca)
        certificates.renew()
        process.wait_for("event=certificates_read")
        with certificates.channel(process.target) as channel:
            assert solve(channel).position == ENDING
        assert ask() == 200
        # What can't be used changes nothing.
        certificates.key.write_text("nonsense")
        process.wait_for("event=certificates_not_read")
        with certificates.channel(process.target) as channel:
            assert solve(channel).position == ENDING
        assert process.finish() == 0
        assert not any("PRIVATE KEY" in line for line in process.lines)


def test_mutual_tls_lets_nobody_in_without_a_certificate(certificates: Certificates) -> None:
    flags = [*certificates.flags(), "--tls-client-ca", str(certificates.ca)]
    with Process(*flags) as process:
        with certificates.channel(process.target, client=True) as channel:
            assert solve(channel).position == ENDING
        with certificates.channel(process.target) as channel:
            assert failing(lambda: solve(channel))[0] is grpc.StatusCode.UNAVAILABLE


def test_certificates_that_cannot_be_used_are_said_so(
    certificates: Certificates, capfd: pytest.CaptureFixture[str]
) -> None:
    certificates.key.write_text("nonsense")
    assert main(["--port", "0", *certificates.flags()]) == 2
    assert str(certificates.key) in capfd.readouterr().err


def write_tokens(path: Path, **tables: dict[str, object]) -> None:
    lines = []
    for name, table in tables.items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    path.write_text("\n".join(lines) + "\n")


def bearing(token: str) -> dict[str, Any]:
    return {"metadata": (("authorization", f"Bearer {token}"),)}


def test_a_call_has_to_bring_a_token(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    digest = hashlib.sha256(b"another-token-of-length").hexdigest()
    write_tokens(file, app={"token": TOKEN}, site={"sha256": digest})
    with Process("--tokens", str(file), "--web-port", "0") as process:
        web = process.wait_for(r"browsers on (http://\S+)")
        with grpc.insecure_channel(process.target) as channel:
            wrong: list[dict[str, Any]] = [
                {},
                bearing("wrong"),
                bearing(""),
                bearing(digest),
                {"metadata": (("authorization", TOKEN),)},
                {"metadata": (("authorization", f"Basic {TOKEN}"),)},
            ]
            for more in wrong:
                code, reason = failing(lambda more=more: solve(channel, **more))  # type: ignore[misc]
                assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
            for token in (TOKEN, "another-token-of-length"):
                assert solve(channel, **bearing(token)).position == ENDING
            # Whoever looks after the service needs none.
            health: Any = health_pb2_grpc.HealthStub(channel)
            assert health.Check(health_pb2.HealthCheckRequest()).status == 1
            with httpx.Client(base_url=web, trust_env=False) as http:
                assert http.post(SOLVE, json={"position": ENDING}).status_code == 401
                headers = {"authorization": f"bearer {TOKEN}"}
                answer = http.post(SOLVE, json={"position": ENDING}, headers=headers)
                assert answer.status_code == 200
            # A token taken out of the file is of no more use.
            write_tokens(file, site={"sha256": digest})
            time.sleep(2.1)
            assert failing(lambda: solve(channel, **bearing(TOKEN)))[1] == "UNAUTHENTICATED"
            assert solve(channel, **bearing("another-token-of-length")).position == ENDING
        assert process.finish() == 0
        log = "\n".join(process.lines)
        assert "client=app" in log
        assert TOKEN not in log
        assert digest not in log


def test_a_token_has_limits_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    other = TOKEN + "-2"
    write_tokens(
        file,
        slow={"token": TOKEN, "calls_per_second": 0.01},
        free={"token": other, "calls_at_once": 1},
    )
    clients = access.Access(file)
    first = clients.admit(f"Bearer {TOKEN}")
    first.end()
    with pytest.raises(access.RateLimitedError) as caught:
        clients.admit(f"Bearer {TOKEN}")
    assert 90 < caught.value.retry_after <= 100
    second = clients.admit(f"Bearer {other}")
    with pytest.raises(access.RateLimitedError):
        clients.admit(f"Bearer {other}")
    second.end()
    clients.admit(f"Bearer {other}").end()


def test_everything_wrong_with_a_file_of_tokens_is_told(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    tables: dict[str, dict[str, object]] = {
        "short": {"token": "secret"},
        "both": {"token": TOKEN, "sha256": "0" * 64},
        "digest": {"sha256": "xyz"},
        "rate": {"token": TOKEN + "3", "calls_per_second": -1},
        "odd": {"token": TOKEN + "4", "nonsense": 1},
    }
    write_tokens(file, **tables)
    with pytest.raises(access.TokenFileError) as caught:
        access.read_tokens(file)
    told = str(caught.value)
    assert len(told.splitlines()) == len(tables)
    assert "secret" not in told
    assert TOKEN not in told
    file.write_text("")
    with pytest.raises(access.TokenFileError, match="no tokens"):
        access.read_tokens(file)
    file.write_text(f"{TOKEN}")
    with pytest.raises(access.TokenFileError, match="not TOML") as caught:
        access.read_tokens(file)
    assert TOKEN not in str(caught.value)


def test_nobody_is_told_what_can_be_asked_where_reflection_is_off() -> None:
    with Process("--no-reflection") as process, grpc.insecure_channel(process.target) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        assert failing(lambda: list(stub.ServerReflectionInfo(iter([request]))))[0] is (
            grpc.StatusCode.UNIMPLEMENTED
        )


# ---------------------------------------------------------------- sight


def test_the_log_in_json_and_the_metrics(tmp_path: Path) -> None:
    with Process("--log-format", "json", "--metrics-port", "0") as process:
        metrics = process.wait_for(r"metrics on (\S+)")
        with grpc.insecure_channel(process.target) as channel:
            for _ in range(3):
                solve(channel)
        text = httpx.get(metrics, trust_env=False).text
        assert 'bura_calls_total{code="OK",method="SolverService/SolvePosition"} 3.0' in text
        assert "bura_cached_calls_total 2.0" in text
        for name in (
            "bura_call_seconds_bucket",
            "bura_queue_seconds_count 1.0",
            "bura_compute_seconds_count 1.0",
            "bura_nodes_total",
            'bura_running_searches{lane="large"}',
            'bura_backlog_seconds{lane="small"}',
            "bura_cache_bytes",
            "process_resident_memory_bytes",
        ):
            assert name in text, name
        assert process.finish() == 0
        calls = [json.loads(line) for line in process.lines if line.startswith("{")]
        calls = [call for call in calls if call["event"] == "call"]
        assert [call["code"] for call in calls] == ["OK"] * 3
        first, second, _ = calls
        assert {"rpc", "ms", "rules", "phase", "nodes", "queue_ms", "compute_ms"} < first.keys()
        assert second["cached"] == 1
        assert "Th" not in "".join(process.lines)


def test_positions_are_logged_where_told_so() -> None:
    with Process("--log-positions") as process:
        with grpc.insecure_channel(process.target) as channel:
            solve(channel)
        assert process.finish() == 0
        assert f'position="{ENDING}"' in "\n".join(process.lines)


def test_traces_are_sent_and_hold_no_cards() -> None:
    bodies: list[bytes] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    collector = http.server.HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=collector.serve_forever, daemon=True)
    thread.start()
    try:
        endpoint = f"http://127.0.0.1:{collector.server_port}"
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
            "NO_PROXY": "127.0.0.1",
        }
        with Process("--traces", "--web-port", "0", **environment) as process:
            web = process.wait_for(r"browsers on (http://\S+)")
            with grpc.insecure_channel(process.target) as channel:
                solve(channel)
            assert httpx.post(web + SOLVE, json={"position": ENDING}, trust_env=False).is_success
            assert process.finish() == 0
    finally:
        collector.shutdown()
        collector.server_close()
    sent = b"".join(bodies)
    assert b"bura-service" in sent
    assert sent.count(b"SolverService/SolvePosition") >= 2
    assert b"Ah9d6c" not in sent


# ---------------------------------------------------------------- several processes, restarts


def test_workers_share_a_port_and_one_that_is_killed_is_replaced() -> None:
    arguments = ["--workers", "2", "--web-port", "0", "--metrics-port", "0"]
    with Process(*arguments) as process:
        web = process.wait_for(r"browsers on (http://\S+)")
        metrics = process.wait_for(r"metrics on (\S+)")

        def answered() -> None:
            for _ in range(4):
                with grpc.insecure_channel(process.target, [("grpc.x", os.urandom(4).hex())]) as c:
                    assert solve(c).position == ENDING
            answer = httpx.post(web + SOLVE, json={"position": ENDING}, trust_env=False)
            assert answer.status_code == 200

        answered()
        workers = children(process.process.pid)
        assert len(workers) >= 2
        os.kill(workers[0], signal.SIGKILL)
        process.wait_for("event=worker_ended")
        wait_until(lambda: len(children(process.process.pid)) == len(workers))
        answered()
        text = httpx.get(metrics, trust_env=False).text
        assert 'bura_calls_total{code="OK"' in text
        assert process.finish() == 0
        assert "Traceback" not in "\n".join(process.lines)


def children(pid: int) -> list[int]:
    """The workers of a process: its children that run this service."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            stat = path.read_text()
            parent = int(stat.rpartition(")")[2].split()[1])
            command = (path.parent / "cmdline").read_bytes()
            if parent == pid and b"spawn_main" in command:
                found.append(int(path.parent.name))
    return found


def test_workers_end_with_their_parent() -> None:
    with Process("--workers", "2") as process:
        workers = children(process.process.pid)
        process.process.kill()
        wait_until(lambda: not any(Path(f"/proc/{each}/cmdline").exists() for each in workers))


def test_a_port_of_somebody_else_is_not_shared(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["--workers", "2", "--port", str(port)]) == 2
    assert "cannot listen" in capfd.readouterr().err


def test_a_rolling_restart_loses_no_request() -> None:
    """Two services behind one name, each replaced in turn while clients go on asking."""
    with Process("--drain-time", "5") as first, Process("--drain-time", "5") as second:
        services = [first, second]
        ports = [int(each.target.rpartition(":")[2]) for each in services]
        addresses = ",".join(each.target for each in services)
        options = [
            (
                "grpc.service_config",
                json.dumps({**RETRIES, "loadBalancingConfig": [{"round_robin": {}}]}),
            ),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 300),
        ]
        answered = 0
        failures: list[str] = []
        stop = threading.Event()

        def ask() -> None:
            nonlocal answered
            while not stop.is_set():
                try:
                    solve(channel, timeout=10)
                    answered += 1
                except grpc.RpcError as error:
                    failures.append(str(error))

        channel = grpc.insecure_channel(f"ipv4:{addresses}", options)
        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for number, port in enumerate(ports):
                services[number].wait_for("event=call")
                assert services[number].finish() == 0
                services[number] = Process("--drain-time", "5", port=port)
                # The next one goes when the clients are seen to have found this one.
                services[number].wait_for("event=call")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            channel.close()
            for each in services:
                each.__exit__()
        assert failures == []
        assert answered > 20


def test_health_turns_before_calls_are_refused() -> None:
    with Process("--drain-delay", "2.5", "--web-port", "0") as process:
        web = process.wait_for(r"browsers on (http://\S+)")
        with grpc.insecure_channel(process.target) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            names = ("", "bura.v1.SolverService", "bura.v1.AdvisorService")
            for name in names:
                assert health.Check(health_pb2.HealthCheckRequest(service=name)).status == 1
            process.process.send_signal(signal.SIGTERM)
            wait_until(lambda: health.Check(health_pb2.HealthCheckRequest()).status == 2)
            for name in names:
                assert health.Check(health_pb2.HealthCheckRequest(service=name)).status == 2
            assert httpx.get(web + "/healthz", trust_env=False).status_code == 503
            assert solve(channel).position == ENDING  # still taken
        assert process.process.wait(timeout=20) == 0
