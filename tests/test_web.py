"""The browser's port over real sockets: Connect, gRPC-Web, CORS and the files of the page."""

import base64
import contextlib
import gzip
import http.client
import json
import logging
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from bura.v1 import advisor_pb2, rules_pb2, solver_pb2, solver_pb2_grpc
from bura_service import convert
from bura_service.__main__ import main
from bura_service.config import Config
from bura_service.embedded import start

ENDING = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
ENDLESS = (
    "perebor[hand=6] d AsQs9sThKh8d/KsJs7sQhTdJc TsAh9h6hAdKd9d7dAcTc9c7c8s6sJh7hQd6d"
    "KcQc8c6c8hJd 0/0 0 -"
)
SOLVE = "/bura.v1.SolverService/SolvePosition"
PROMPTLY = 5.0
ORIGIN = "https://play.example"


class Browser:
    """What a page can do: HTTP on one port; beside it grpc, to compare."""

    def __init__(self, target: str, port: int) -> None:
        self.port = port
        self.channel = grpc.insecure_channel(target)
        self.solver = solver_pb2_grpc.SolverServiceStub(self.channel)
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30)

    def connect(self, path: str, message: Any, **headers: str) -> httpx.Response:
        """A unary call as a page's fetch would make it."""
        return self.http.post(path, json=message, headers=headers)

    def grpc_web(self, path: str, message: Message, **headers: str) -> "WebAnswer":
        """A call in the framing of gRPC-Web."""
        data = message.SerializeToString()
        headers = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1", **headers}
        response = self.http.post(path, content=frame(data), headers=headers)
        return WebAnswer(response)


class WebAnswer:
    """The frames of an answer in gRPC-Web, and its trailers."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.messages: list[bytes] = []
        self.trailers = {key.lower(): value for key, value in response.headers.items()}
        data = response.content
        while data:
            flags, length = struct.unpack(">BI", data[:5])
            part, data = data[5 : 5 + length], data[5 + length :]
            if flags & 0x80:
                lines = part.decode().split("\r\n")
                self.trailers |= dict(line.split(": ", 1) for line in lines if line)
            else:
                self.messages.append(part)

    @property
    def status(self) -> status_pb2.Status:
        """The rich status of a failure."""
        text = self.trailers["grpc-status-details-bin"]
        return status_pb2.Status.FromString(base64.b64decode(text + "=" * (-len(text) % 4)))


def frame(data: bytes) -> bytes:
    return struct.pack(">BI", 0, len(data)) + data


@contextlib.contextmanager
def browsing(**settings: Any) -> Iterator[Browser]:
    usual = {"search_threads": 1, "web_port": 0, "cache_mb": 0}
    with start(Config(**{**usual, **settings})) as embedded:
        assert embedded.web_port is not None
        browser = Browser(embedded.target, embedded.web_port)
        with browser.channel, browser.http:
            yield browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    files = tmp_path_factory.mktemp("page")
    (files.parent / "secret.txt").write_text("not for the page")
    (files / "index.html").write_text("<h1>Bura</h1>")
    (files / "assets").mkdir()
    (files / "assets" / "main.js").write_text("1")
    with browsing(web_files=files, cors_origins=(ORIGIN,)) as browser:
        yield browser


def details(entries: list[dict[str, str]]) -> dict[str, Message]:
    """The details of a Connect error, by their type."""
    kinds = {
        "google.rpc.BadRequest": error_details_pb2.BadRequest,
        "google.rpc.ErrorInfo": error_details_pb2.ErrorInfo,
        "google.rpc.RetryInfo": error_details_pb2.RetryInfo,
    }
    found: dict[str, Message] = {}
    for entry in entries:
        data = base64.b64decode(entry["value"] + "===")
        found[entry["type"]] = kinds[entry["type"]].FromString(data)
    return found


def timeless(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "searchUs"}


# ---------------------------------------------------------------- the same answers


def test_connect_answers_as_grpc_does(browser: Browser) -> None:
    request = solver_pb2.SolvePositionRequest(position=ENDING)
    expected = json_format.MessageToDict(browser.solver.SolvePosition(request))
    response = browser.connect(SOLVE, {"position": ENDING})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert timeless(response.json()) == timeless(expected)


def test_connect_takes_binary_messages_and_compressed_ones(browser: Browser) -> None:
    request = solver_pb2.SolvePositionRequest(position=ENDING)
    headers = {"content-type": "application/proto"}
    response = browser.http.post(SOLVE, content=request.SerializeToString(), headers=headers)
    assert response.headers["content-encoding"] == "gzip"
    answer = solver_pb2.SolvePositionResponse.FromString(response.content)
    answer.ClearField("search_us")
    expected = browser.solver.SolvePosition(request)
    expected.ClearField("search_us")
    assert answer == expected


def test_grpc_web_answers_as_grpc_does(browser: Browser) -> None:
    request = advisor_pb2.RecommendMoveRequest(position=SEEN, max_worlds=20)
    answer = browser.grpc_web("/bura.v1.AdvisorService/RecommendMove", request)
    assert answer.trailers["grpc-status"] == "0"
    [message] = answer.messages
    assert advisor_pb2.RecommendMoveResponse.FromString(message).worlds == 20


def test_every_method_is_there(browser: Browser) -> None:
    for file in (advisor_pb2, rules_pb2, solver_pb2):
        for service in file.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                if method.server_streaming:
                    continue
                path = f"/{service.full_name}/{method.name}"
                response = browser.connect(path, {})
                if method.name == "ListRuleSets":
                    assert len(response.json()["ruleSets"]) > 5
                elif method.name == "CheckPosition":
                    assert response.json()["faults"][0]["field"] == "position"
                else:
                    assert response.status_code == 400, path
                    assert response.json()["code"] == "invalid_argument"


def test_a_client_of_another_make_is_answered(browser: Browser, repository: Path) -> None:
    # buf's own client, which knows the .proto files and nothing of this service.
    for protocol in ("connect", "grpcweb"):
        command = [
            *(Path(sys.executable).parent / "buf", "curl", "--protocol", protocol),
            *("--schema", repository / "proto", "-d", json.dumps({"position": ENDING})),
            f"http://127.0.0.1:{browser.port}{SOLVE}",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["position"] == ENDING


# ---------------------------------------------------------------- the same refusals


def test_faults_come_all_at_once_with_their_fields(browser: Browser) -> None:
    message = {"position": ENDING.replace("TsAs", "TsTs"), "objective": 77}
    response = browser.connect(SOLVE, message | {"limits": {"maxNodes": "-1"}})
    assert response.status_code == 400
    error = response.json()
    assert error["code"] == "invalid_argument"
    found: Any = details(error["details"])
    assert found["google.rpc.ErrorInfo"].reason == "INVALID_INPUT"
    fields = {each.field for each in found["google.rpc.BadRequest"].field_violations}
    assert fields == {"position.table[0]", "objective", "limits.max_nodes"}


def test_details_reach_grpc_web_and_are_those_of_grpc(browser: Browser) -> None:
    request = solver_pb2.SolvePositionRequest(position=SEEN)
    answer = browser.grpc_web(SOLVE, request)
    with pytest.raises(grpc.RpcError) as caught:
        browser.solver.SolvePosition(request)
    error: Any = caught.value
    assert answer.trailers["grpc-status"] == str(error.code().value[0])
    expected = dict(error.trailing_metadata())["grpc-status-details-bin"]
    assert answer.status == status_pb2.Status.FromString(expected)


def test_json_that_is_none_is_explained(browser: Browser) -> None:
    headers = {"content-type": "application/json"}
    for body in (
        b'{"postion": 5}',
        b'{"position": 5',
        b'{"position": 5}',
        b'"position"',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"limits": {"maxNodes": 99999999999999999999}}',
        b'{"objective": "OBJECTIVE_CHEAT", "position": "' + ENDING.encode() + b'"}',
    ):
        response = browser.http.post(SOLVE, content=body, headers=headers)
        assert response.status_code == 400, body[:40]
        error = response.json()
        assert error["code"] == "invalid_argument"
        [info] = details(error["details"]).values()
        assert getattr(info, "reason", "") == "UNREADABLE"
    answer = browser.connect(SOLVE, {"postion": ENDING}).json()
    assert 'no field named "postion"' in answer["message"]


def test_bytes_that_are_no_message_are_refused(browser: Browser) -> None:
    headers = {"content-type": "application/grpc-web+proto"}
    for body in (b"", b"\0", frame(b"\xff" * 40), frame(b"")[:3], b"\x07\0\0\0\0"):
        answer = WebAnswer(browser.http.post(SOLVE, content=body, headers=headers))
        assert answer.trailers["grpc-status"] != "0"
        assert answer.messages == []
    assert browser.connect(SOLVE, {"position": ENDING}).status_code == 200


def test_a_message_too_large_is_refused(browser: Browser) -> None:
    response = browser.connect(SOLVE, {"position": "x" * 5_000_000})
    assert response.json()["code"] == "resource_exhausted"
    # So is one that is small only while it is compressed.
    body = gzip.compress(b'{"position": "' + b"x" * 5_000_000 + b'"}')
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    response = browser.http.post(SOLVE, content=body, headers=headers)
    assert response.json()["code"] == "resource_exhausted"


def test_a_bug_tells_nothing_to_the_client(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: Message) -> None:
        raise ZeroDivisionError("the hand is AsTsKs")

    monkeypatch.setattr(convert, "solve_question", broken)
    with caplog.at_level(logging.INFO, "bura_service"):
        response = browser.connect(SOLVE, {"position": ENDING})
    assert response.status_code == 500
    assert response.json()["code"] == "internal"
    assert "AsTsKs" not in response.text + caplog.text
    assert "error=ZeroDivisionError at=" in caplog.text


def test_what_is_odd_about_the_http_is_refused_and_harms_nobody(browser: Browser) -> None:
    json_type = {"content-type": "application/json"}
    assert browser.http.get(SOLVE).status_code == 405
    assert browser.connect("/bura.v1.SolverService/Cheat", {}).status_code == 404
    assert browser.http.post(SOLVE, content=b"{}").status_code == 415
    for headers in (
        {"connect-timeout-ms": "soon"},
        {"connect-timeout-ms": "99999999999"},
        {"connect-protocol-version": "7"},
        {"content-encoding": "cheat"},
    ):
        response = browser.http.post(SOLVE, content=b"{}", headers=json_type | headers)
        assert 400 <= response.status_code < 502, headers
        assert details(response.json()["details"])["google.rpc.ErrorInfo"].domain == "bura"
    raw = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=10)
    raw.request("POST", SOLVE, body=b"{}", headers=json_type | {"x-odd": "\xff\xfe"})
    assert raw.getresponse().status == 400
    raw.close()
    for data in (b"\0" * 1000, b"POST / HTTP/1.1\r\ncontent-length: -5\r\n\r\n", b"GET"):
        with socket.create_connection(("127.0.0.1", browser.port), timeout=5) as connection:
            connection.sendall(data)
    assert browser.connect(SOLVE, {"position": ENDING}).status_code == 200


STREAM = "/bura.v1.AdvisorService/RecommendMoveStream"
REFUSED: tuple[tuple[str, str, dict[str, str], bytes, str], ...] = (
    (SOLVE, "json", {}, b'{"position":', "UNREADABLE"),
    (SOLVE, "json", {}, b'{"cheat": 1}', "UNREADABLE"),
    (SOLVE, "proto", {}, b"\xff\xff", "UNREADABLE"),
    (SOLVE, "json", {"connect-timeout-ms": "soon"}, b"{}", "UNREADABLE"),
    (SOLVE, "json", {"connect-protocol-version": "7"}, b"{}", "UNREADABLE"),
    (SOLVE, "json", {"content-encoding": "gzip"}, b"{}", "UNREADABLE"),
    (SOLVE, "json", {"content-encoding": "cheat"}, b"{}", "UNSUPPORTED"),
    (SOLVE, "json", {}, b" " * (5 << 20), "TOO_LARGE"),
    (STREAM, "connect+json", {}, b"cheat", "UNREADABLE"),
)


@pytest.mark.parametrize(
    ("path", "kind", "headers", "body", "reason"), REFUSED, ids=range(len(REFUSED))
)
def test_what_comes_to_no_method_is_refused_with_a_reason_too_and_logged(
    browser: Browser,
    caplog: pytest.LogCaptureFixture,
    path: str,
    kind: str,
    headers: dict[str, str],
    body: bytes,
    reason: str,
) -> None:
    with caplog.at_level(logging.INFO, "bura_service"):
        response = browser.http.post(
            path, content=body, headers={"content-type": f"application/{kind}", **headers}
        )
    text = response.text if path == SOLVE else response.text[5:]  # the envelope's head
    answer = json.loads(text)
    found = details((answer if path == SOLVE else answer["error"])["details"])
    info = found["google.rpc.ErrorInfo"]
    assert isinstance(info, error_details_pb2.ErrorInfo)
    assert (info.domain, info.reason) == ("bura", reason)
    assert caplog.text.count("event=call ") == 1
    assert f"reason={reason}" in caplog.text


# ---------------------------------------------------------------- time


def answered_promptly(browser: Browser) -> bool:
    started = time.monotonic()
    assert browser.connect(SOLVE, {"position": ENDING}).status_code == 200
    return time.monotonic() - started < PROMPTLY


def test_a_deadline_stops_the_search(browser: Browser) -> None:
    started = time.monotonic()
    headers = {"connect-timeout-ms": "200"}
    response = browser.connect(SOLVE, {"position": ENDLESS}, **headers)
    assert response.json()["code"] == "deadline_exceeded"
    request = solver_pb2.SolvePositionRequest(position=ENDLESS)
    answer = browser.grpc_web(SOLVE, request, **{"grpc-timeout": "200m"})
    assert answer.trailers["grpc-status"] == str(grpc.StatusCode.DEADLINE_EXCEEDED.value[0])
    assert time.monotonic() - started < PROMPTLY
    assert answered_promptly(browser)


def test_a_client_that_goes_away_stops_his_search(browser: Browser) -> None:
    body = json.dumps({"position": ENDLESS}).encode()
    head = (
        f"POST {SOLVE} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", browser.port), timeout=5) as connection:
        connection.sendall(head.encode() + body)
        time.sleep(0.2)
    assert answered_promptly(browser)


# ---------------------------------------------------------------- pages


def test_a_page_elsewhere_may_ask_where_it_is_told(browser: Browser) -> None:
    ask = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,connect-protocol-version,x-grpc-web",
    }
    response = browser.http.options(SOLVE, headers=ask | {"origin": ORIGIN})
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert "POST" in response.headers["access-control-allow-methods"]
    response = browser.connect(SOLVE, {"position": ENDING}, origin=ORIGIN)
    assert response.headers["access-control-allow-origin"] == ORIGIN
    exposed = response.headers["access-control-expose-headers"].lower()
    assert {"grpc-status", "grpc-message"} <= set(re.split(r",\s*", exposed))


def test_any_other_page_may_not(browser: Browser) -> None:
    ask = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    response = browser.http.options(SOLVE, headers=ask)
    assert "access-control-allow-origin" not in response.headers
    with browsing() as closed:
        response = closed.http.options(SOLVE, headers=ask)
        assert "access-control-allow-origin" not in response.headers


def test_files_of_the_page(browser: Browser) -> None:
    start_page = browser.http.get("/")
    assert start_page.text == "<h1>Bura</h1>"
    assert start_page.headers["content-type"].startswith("text/html")
    assert start_page.headers["cache-control"] == "no-cache"
    assert "default-src 'self'" in start_page.headers["content-security-policy"]
    assert browser.http.get("/assets/main.js").text == "1"
    assert browser.http.get("/nothing").status_code == 404
    assert browser.http.post("/").status_code == 405


def test_nothing_but_the_files_of_the_page(browser: Browser) -> None:
    for path in (
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "//etc/passwd",
    ):
        raw = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=10)
        raw.request("GET", path)
        response = raw.getresponse()
        assert response.status == 404
        assert b"not for the page" not in response.read()
        raw.close()


def test_without_a_page_there_is_help(tmp_path: Path) -> None:
    with browsing(web_files=tmp_path) as empty:
        response = empty.http.get("/")
        assert response.status_code == 404
        assert "--web-files" in response.text
        assert empty.http.get("/healthz").text == "serving\n"


# ---------------------------------------------------------------- the process


def test_the_process_opens_both_ports(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bura_service", "--port", "0", "--web", "127.0.0.1:0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        assert process.stderr.readline().startswith("listening on 127.0.0.1:")
        line = process.stderr.readline()
        found = re.fullmatch(r"listening for browsers on (http://127\.0\.0\.1:\d+)\n", line)
        assert found, line
        with httpx.Client(trust_env=False) as http:
            assert http.post(found[1] + SOLVE, json={"position": ENDING}).status_code == 200
            process.terminate()  # with the connection still open
            _, log = process.communicate(timeout=10)
        assert process.returncode == 0
        assert "Traceback" not in log
        assert "code=OK" in log
    finally:
        process.kill()
        process.communicate()


def test_a_port_for_browsers_that_is_taken_is_said_so(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["--port", "0", "--web-port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1:{port} (--web-port)" in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--web", "8080"],
        ["--web", "localhost:99999"],
        ["--web-port", "-1"],
        ["--web-files", "/nothing/here"],
        ["--cors-origin", "play.example"],
        ["--cors-origin", "https://play.example/path"],
    ],
)
def test_unusable_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert arguments[0] in capsys.readouterr().err


# ---------------------------------------------------------------- streams


REFINE = "/bura.v1.AdvisorService/RecommendMoveStream"


def test_a_stream_over_connect(browser: Browser) -> None:
    message = {"question": {"position": SEEN, "maxWorlds": 500}, "reportInterval": "0.001s"}
    headers = {"content-type": "application/connect+json"}
    body = frame(json.dumps(message).encode())
    answer = WebAnswer(browser.http.post(REFINE, content=body, headers=headers))
    *answers, end = [json.loads(each) for each in answer.messages]
    assert end == {}
    assert [bool(each["final"]) for each in answers] == [False] * (len(answers) - 1) + [True]
    assert answers[-1]["recommendation"]["worlds"] == 500


def test_a_stream_over_grpc_web(browser: Browser) -> None:
    request = advisor_pb2.RecommendMoveStreamRequest(
        question=advisor_pb2.RecommendMoveRequest(position=SEEN)
    )
    answer = browser.grpc_web(REFINE, request, **{"grpc-timeout": "2S"})
    answers = [advisor_pb2.RecommendMoveStreamResponse.FromString(m) for m in answer.messages]
    assert [each.final for each in answers] == [False] * (len(answers) - 1) + [True]
    assert answer.trailers["grpc-status"] == "0"
    request.question.position = "nonsense"
    answer = browser.grpc_web(REFINE, request)
    assert answer.messages == []
    assert answer.trailers["grpc-status"] == str(grpc.StatusCode.INVALID_ARGUMENT.value[0])
    assert details_of(answer.status) >= {"google.rpc.BadRequest", "google.rpc.ErrorInfo"}


def details_of(status: status_pb2.Status) -> set[str]:
    return {detail.type_url.rpartition("/")[2] for detail in status.details}
