"""The examples of the README and of the pages for developers are run, and say what they say.

In a page, blocks of ```python run one after the other in one module; a line `# text` after a
print is what it prints. Blocks of ```console hold commands behind `$ ` and what they write.
Times and numbers of nodes are not compared. `localhost:50051` is a service started here.
Blocks of ```sh are not run, but the commands and files in them have to exist.
"""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool, json_format, message_factory

from bura.v1 import advisor_pb2, table_pb2  # noqa: F401 - for the pool of descriptors
from bura_service import embedded

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "CHANGELOG.md",
    "docs/api.md",
    "docs/architecture.md",
    "docs/benchmarks.md",
    "docs/common-mistakes.md",
    "docs/matches.md",
    "docs/puzzles.md",
    "docs/testing.md",
    "clients/python/README.md",
]
ADDRESS = "localhost:50051"
PROGRAMS = {"git", "make", "pip", "pytest", "python"}

VARYING = [
    (re.compile(r"\b\d[\d,.]* ?(?:µs|us|ms|s)\b"), "TIME"),
    (re.compile(r'"search_us": [\d.]+'), '"search_us": TIME'),
    (re.compile(r'"nodes": \d+'), '"nodes": N'),
    (re.compile(r"\b\d[\d,]* nodes?\b"), "N nodes"),
]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language, without their fences."""
    return re.findall(rf"^```{language}\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def expected(block: str) -> str:
    """What the comments of a Python block say that it prints."""
    lines = []
    for line in block.splitlines():
        if line.startswith("# "):
            lines.append(line.removeprefix("# "))
        elif match := re.search(r"print\(.*\)  # (.*)$", line):
            lines.append(match[1])
    return "\n".join(lines)


def commands(block: str) -> Iterator[tuple[str, str]]:
    """(command, what it writes) of a console block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def pages_with(language: str) -> list[str]:
    return [page for page in PAGES if blocks(page, language)]


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The address of a service."""
    with embedded.start() as server:
        yield server.target


def test_there_are_examples() -> None:
    assert {"README.md", "docs/api.md", "docs/architecture.md"} <= set(pages_with("python"))
    assert {"README.md", "docs/api.md"} <= set(pages_with("console"))


@pytest.mark.parametrize("page", pages_with("python"))
def test_python(page: str, service: str) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    for number, block in enumerate(blocks(page, "python"), 1):
        source = block.replace(ADDRESS, service)
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            exec(compile(source, f"{page}, Python block {number}", "exec"), names)
        if "# " in block:
            assert steady(written.getvalue()) == steady(expected(block)), block


@pytest.mark.parametrize("page", pages_with("console"))
def test_console(page: str, service: str, tmp_path: Path) -> None:
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"}
    }
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    variables["PYTHONUTF8"] = "1"
    for block in blocks(page, "console"):
        for command, output in commands(block):
            done = subprocess.run(
                ["bash", "-c", command.replace(ADDRESS, service)],
                cwd=tmp_path,
                env=variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
            assert steady(done.stdout) == steady(output), command


@pytest.mark.parametrize("page", pages_with("grpcurl"))
def test_calls_as_json(page: str, service: str) -> None:
    calls = re.findall(
        r"^```grpcurl\n(.*?)^```\n+^```json\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL
    )
    assert len(calls) == len(blocks(page, "grpcurl"))
    with grpc.insecure_channel(service) as channel:
        for command, printed in calls:
            _, _, _, data, address, method = shlex.split(command)
            assert address == ADDRESS
            name, _, call = method.rpartition("/")
            described = descriptor_pool.Default().FindServiceByName(name).methods_by_name[call]
            kinds = map(
                message_factory.GetMessageClass, (described.input_type, described.output_type)
            )
            asked, answered = kinds
            request = json_format.Parse(data, asked())
            response = channel.unary_unary(
                f"/{method}", asked.SerializeToString, answered.FromString
            )(request, timeout=60)
            written = json_format.MessageToDict(response)
            shown = json.loads(printed)
            assert {key: written.get(key) for key in shown} == shown


@pytest.mark.parametrize("page", pages_with("sh"))
def test_commands_that_are_not_run_exist(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    for line in "".join(blocks(page, "sh")).splitlines():
        words = line.partition("#")[0].split()
        program = Path(words[0]).name
        if program == "make":
            named = [word for word in words[1:] if not word.startswith((".", "-"))]
            assert set(named) <= targets, line
        elif program == "bura":
            assert words[1] in {
                "bench",
                "hint",
                "claim",
                "solve",
                "rules",
                "perft",
                "puzzle",
                "serve",
                "show",
            }, line
        else:
            assert program in PROGRAMS, line
        for word in words[1:]:
            if word.endswith((".py", ".txt")) and not word.startswith("../"):
                assert (ROOT / word).is_file(), line


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", read(page)):
        if "://" not in target:
            path, _, _ = target.partition("#")
            assert ((ROOT / page).parent / path).exists(), target


@pytest.mark.parametrize("page", PAGES)
def test_files_and_tests_that_are_named_exist(page: str) -> None:
    text = read(page)
    for path in re.findall(r"`((?:\w+/)+[\w.-]+\.(?:py|pyx|pxd|txt|md))(?:::\w+)?`", text):
        assert (ROOT / path).is_file(), path
    files = [*ROOT.glob("tests/test_*.py"), *ROOT.glob("benchmarks/test_*.py")]
    tests = "".join(path.read_text("utf-8") for path in files)
    for name in re.findall(r"`(?:[\w/]+\.py::)?(test_\w+)[\[`]", text):
        assert f"def {name}(" in tests or (ROOT / "tests" / f"{name}.py").is_file(), name


@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_too_long(page: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if not line.startswith("|")]
    assert [line for line in lines if len(line) > 99] == []
