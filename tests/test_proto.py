"""The wire contract: its conventions, its JSON, and that the committed stubs are up to date."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor
from google.protobuf.message import Message

from bura.v1 import advisor_pb2, record_pb2, rules_pb2, search_pb2, solver_pb2, table_pb2

FILES: tuple[FileDescriptor, ...] = tuple(
    module.DESCRIPTOR
    for module in (advisor_pb2, record_pb2, rules_pb2, search_pb2, solver_pb2, table_pb2)
)
SERVICES = {
    "AdvisorService": {"RecommendMove", "RecommendMoveStream", "EstimateClaim", "AdviseRaise"},
    "RulesService": {"ListRuleSets", "GetRuleSet", "CheckPosition", "CheckRecord"},
    "SolverService": {"SolvePosition", "SolvePositions", "Perft", "ReviewHand"},
    "TableService": {"DescribePosition", "ReplayRecord", "DrawPosition"},
}


def messages() -> list[Descriptor]:
    return [message for file in FILES for message in file.message_types_by_name.values()]


def test_services() -> None:
    found = {
        name: {method.name for method in service.methods}
        for file in FILES
        for name, service in file.services_by_name.items()
    }
    assert found == SERVICES


def test_files_lie_where_their_python_package_says() -> None:
    for file in FILES:
        assert file.package == "bura.v1"
        assert re.fullmatch(r"bura/v1/[a-z]+\.proto", file.name)


def test_each_call_has_messages_of_its_own_name() -> None:
    for file in FILES:
        for service in file.services_by_name.values():
            for method in service.methods:
                assert method.input_type.name == f"{method.name}Request"
                assert method.output_type.name == f"{method.name}Response"


def test_enums_start_unspecified_and_prefix_their_values() -> None:
    enums = [enum for file in FILES for enum in file.enum_types_by_name.values()]
    assert enums
    for enum in enums:
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper() + "_"
        assert enum.values_by_number[0].name == f"{prefix}UNSPECIFIED"
        assert all(value.name.startswith(prefix) for value in enum.values)


def test_every_field_value_and_call_is_explained(repository: Path) -> None:
    field = r"(optional |repeated )?[\w.<>, ]+ \w+ = \d+;"
    declaration = re.compile(rf"\s*(rpc |{field}|[A-Z_0-9]+ = )")
    for path in sorted((repository / "proto/bura/v1").glob("*.proto")):
        previous = ""
        for line in path.read_text().splitlines():
            if declaration.match(line) and "syntax" not in line and "_UNSPECIFIED" not in line:
                assert previous.lstrip().startswith("//"), f"{path.name}: {line}"
            previous = line


def test_numbers_of_responses_are_numbers_in_json() -> None:
    # Protobuf JSON writes 64-bit integers as strings.
    wide = {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
    }
    fields = [field for message in responses() for field in message.fields]
    assert fields
    assert [field.full_name for field in fields if field.type in wide] == []


def test_numbers_of_responses_know_whether_they_are_set() -> None:
    # Or a value of 0 would not be printed at all.
    for message in responses():
        for field in message.fields:
            if field.cpp_type in (
                FieldDescriptor.CPPTYPE_INT32,
                FieldDescriptor.CPPTYPE_UINT32,
                FieldDescriptor.CPPTYPE_DOUBLE,
                FieldDescriptor.CPPTYPE_BOOL,
            ):
                assert field.has_presence or field.is_repeated, field.full_name


def responses() -> Iterator[Descriptor]:
    """Every message of ours that occurs in an answer."""
    waiting = [message for message in messages() if message.name.endswith("Response")]
    seen: set[str] = set()
    while waiting:
        message = waiting.pop()
        if message.full_name not in seen and message.full_name.startswith("bura."):
            seen.add(message.full_name)
            yield message
            waiting += [field.message_type for field in message.fields if field.message_type]


def printed(message: Message) -> object:
    return json.loads(json_format.MessageToJson(message, preserving_proto_field_name=True))


def test_a_drawn_position_prints_its_zeros() -> None:
    response = solver_pb2.SolvePositionResponse(
        position="p",
        outcome=0,
        points=0,
        moves=[solver_pb2.MoveValue(move="As", value=0)],
        best=["As"],
        nodes=22,
        search_us=1.5,
    )
    assert printed(response) == {
        "position": "p",
        "outcome": 0,
        "points": 0,
        "moves": [{"move": "As", "value": 0}],
        "best": ["As"],
        "nodes": 22,
        "search_us": 1.5,
    }
    assert '"nodes": 22,' in json_format.MessageToJson(response)


def test_what_is_not_known_is_not_printed() -> None:
    response = solver_pb2.SolvePositionResponse(position="p", lower=-1, upper=1)
    assert printed(response) == {"position": "p", "lower": -1, "upper": 1}


def buf(repository: Path, *arguments: str) -> tuple[int, str]:
    """Exit status and output of buf on the contract."""
    command = [Path(sys.executable).parent / "buf", *arguments]
    done = subprocess.run(
        command, cwd=repository / "proto", capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_contract_follows_the_conventions_of_the_field(repository: Path) -> None:
    assert buf(repository, "lint") == (0, "")


def breaking(repository: Path, proto: Path, scratch: Path) -> tuple[int, str]:
    """What buf says of the contract in a folder, against what was promised."""
    image = str(scratch / "contract.binpb")
    status, text = buf(repository, "build", str(proto), "--output", image)
    assert status == 0, text
    return buf(repository, "breaking", image, "--against", "image.binpb")


def test_the_contract_breaks_nothing_that_was_promised(repository: Path, tmp_path: Path) -> None:
    assert breaking(repository, repository / "proto", tmp_path) == (0, "")


def test_a_broken_promise_is_seen(repository: Path, tmp_path: Path) -> None:
    broken = tmp_path / "proto"
    shutil.copytree(repository / "proto", broken, ignore=shutil.ignore_patterns(".tools"))
    search = broken / "bura" / "v1" / "search.proto"
    search.write_text(search.read_text().replace("max_nodes = 1;", "most_nodes = 1;"))
    status, text = breaking(repository, broken, tmp_path)
    assert status == 100
    assert "max_nodes" in text


def test_committed_stubs_are_those_of_the_proto_files(repository: Path) -> None:
    check = subprocess.run(
        [sys.executable, repository / "proto/generate.py", "--check"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if check.returncode == 2:
        pytest.skip("the pinned generators could not be installed here")
    assert (check.returncode, check.stderr) == (0, "")
