"""The files of deploy/, checked by the tools they are for; a real Envoy before two services."""

import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml

from bura.v1 import solver_pb2, solver_pb2_grpc
from bura_service.settings import load

ENDING = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def deploy(repository: Path) -> Path:
    return repository / "deploy"


@pytest.mark.parametrize("name", ["bura.yaml", "envoy.yaml"])
def test_manifests_are_what_kubernetes_takes(deploy: Path, name: str) -> None:
    command = [BIN / "kubernetes-validate", "--strict", deploy / "kubernetes" / name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pods_run_without_rights_and_are_given_time_to_stop(deploy: Path) -> None:
    for path in (deploy / "kubernetes").glob("*.yaml"):
        for document in yaml.safe_load_all(path.read_text()):
            if document["kind"] != "Deployment":
                continue
            pod = document["spec"]["template"]["spec"]
            assert pod["securityContext"]["runAsNonRoot"]
            for container in pod["containers"]:
                rights = container["securityContext"]
                assert rights["readOnlyRootFilesystem"]
                assert rights["capabilities"]["drop"] == ["ALL"]
                assert not rights["allowPrivilegeEscalation"]
                assert {"readinessProbe", "livenessProbe"} <= container.keys()
            if document["metadata"]["name"] == "bura":
                config = load(pod["containers"][0]["args"]).config
                stopping = config.drain_delay + config.drain_time
                assert stopping < pod["terminationGracePeriodSeconds"]


def test_the_unit_is_what_systemd_takes(deploy: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze here")
    unit = tmp_path / "bura.service"
    text = (deploy / "bura.service").read_text()
    unit.write_text(text.replace("/opt/bura/bin/python", sys.executable))
    done = subprocess.run(
        [analyze, "verify", unit], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(
        [analyze, "security", "--offline=true", unit],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    found = re.search(r"exposure level for bura.service: ([\d.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) < 2


def test_the_container_file_names_options_that_are_there(
    deploy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (deploy / "Containerfile").read_text()
    options = dict(re.findall(r"(BURA_[A-Z_]+)=(\S+)", text))
    options.pop("BURA_PORTABLE")
    for name, value in options.items():
        monkeypatch.setenv(name, value)
    config = load([]).config
    assert (config.host, config.web_port, config.metrics_port) == ("0.0.0.0", 8080, 9464)
    assert "\nUSER 10001:10001\n" in text


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Behind:
    """Two services, and an Envoy of deploy/envoy.yaml before them."""

    def __init__(self, deploy: Path, folder: Path) -> None:
        self.services: list[subprocess.Popen[str]] = []
        ports, web_ports, self.metrics = [], [], []
        for _ in range(2):
            flags = ("--port", "0", "--web-port", "0", "--metrics-port", "0")
            process = subprocess.Popen(
                [sys.executable, "-m", "bura_service", *flags, "--log-level", "error"],
                stderr=subprocess.PIPE,
                text=True,
            )
            self.services.append(process)
            assert process.stderr is not None
            lines = [process.stderr.readline() for _ in range(3)]
            found = [re.search(r":(\d+)(?:/metrics)?$", line.strip()) for line in lines]
            port, web, metrics = (int(each[1]) for each in found if each)
            ports.append(port)
            web_ports.append(web)
            self.metrics.append(metrics)
        self.port, admin = free_port(), free_port()
        settings: Any = yaml.safe_load((deploy / "envoy.yaml").read_text())
        settings["admin"]["address"]["socket_address"]["port_value"] = admin
        resources = settings["static_resources"]
        listener = resources["listeners"][0]["address"]["socket_address"]
        listener |= {"address": "127.0.0.1", "port_value": self.port}
        for cluster, targets in zip(resources["clusters"], (ports, web_ports), strict=True):
            cluster["type"] = "STATIC"
            del cluster["load_assignment"]["endpoints"][0]["lb_endpoints"]
            cluster.pop("dns_refresh_rate", None)
            cluster["load_assignment"]["endpoints"][0]["lb_endpoints"] = [
                {
                    "endpoint": {
                        "address": {
                            "socket_address": {"address": "127.0.0.1", "port_value": target}
                        }
                    }
                }
                for target in targets
            ]
        file = folder / "envoy.yaml"
        file.write_text(json.dumps(settings))
        self.envoy = subprocess.Popen(
            [BIN / "envoy", "-c", file, "--log-level", "error", "--concurrency", "1"],
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 30
        while b"healthy" not in self.get(admin, "/clusters").replace(b"failed", b""):
            assert time.monotonic() < end, "Envoy does not start"
            assert self.envoy.poll() is None, "Envoy has ended"
            time.sleep(0.1)

    def get(self, port: int, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        except OSError:
            return b""
        finally:
            connection.close()

    def answered(self) -> list[int]:
        """Calls that each service has answered."""
        counts = []
        for port in self.metrics:
            text = self.get(port, "/metrics").decode()
            found = re.findall(r'^bura_calls_total\{code="OK"[^}]*\} ([\d.]+)', text, re.MULTILINE)
            counts.append(round(sum(map(float, found))))
        return counts

    def close(self) -> None:
        for process in (self.envoy, *self.services):
            process.kill()
            process.wait()
        for service in self.services:
            assert service.stderr is not None
            service.stderr.close()


@pytest.fixture(scope="module")
def behind(deploy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    if not (BIN / "envoy").exists():
        pytest.skip("there is no Envoy for this machine")
    started = Behind(deploy, tmp_path_factory.mktemp("envoy"))
    yield started
    started.close()


def test_envoy_spreads_the_calls_of_one_connection(behind: Behind) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{behind.port}") as channel:
        stub = solver_pb2_grpc.SolverServiceStub(channel)
        request = solver_pb2.SolvePositionRequest(position=ENDING)
        for _ in range(40):
            stub.SolvePosition(request, timeout=10, wait_for_ready=True)
        before = behind.answered()
        assert sum(before) >= 40
        assert min(before) >= 5
        # A refusal comes through with its details.
        with pytest.raises(grpc.RpcError) as caught:
            stub.SolvePosition(solver_pb2.SolvePositionRequest(position="x"), timeout=10)
        error: Any = caught.value
        assert "grpc-status-details-bin" in dict(error.trailing_metadata())


def test_browsers_reach_the_service_through_envoy(behind: Behind) -> None:
    path = "/bura.v1.SolverService/SolvePosition"
    data = solver_pb2.SolvePositionRequest(position=ENDING).SerializeToString()
    framed = b"\0" + len(data).to_bytes(4, "big") + data
    as_json = json.dumps({"position": ENDING}).encode()
    for kind, body, protocol in (
        ("application/grpc-web+proto", framed, {"x-grpc-web": "1"}),
        ("application/proto", data, {"connect-protocol-version": "1"}),
        ("application/json", as_json, {}),
    ):
        connection = http.client.HTTPConnection("127.0.0.1", behind.port, timeout=10)
        headers = {"content-type": kind, "origin": "https://play.example", **protocol}
        connection.request("POST", path, body=body, headers=headers)
        response = connection.getresponse()
        assert response.status == 200, kind
        assert response.headers["access-control-allow-origin"] == "https://play.example"
        answer = response.read()
        assert ENDING.encode() in answer, kind
        connection.close()


def test_no_call_is_lost_when_one_service_goes(behind: Behind) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{behind.port}") as channel:
        stub = solver_pb2_grpc.SolverServiceStub(channel)
        request = solver_pb2.SolvePositionRequest(position=ENDING)
        for number in range(60):
            if number == 20:
                behind.services[0].send_signal(signal.SIGTERM)
            stub.SolvePosition(request, timeout=10)
            time.sleep(0.01)
