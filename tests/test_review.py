"""Reviews of finished hands: against the reference, cut short, and over the service, by the client
and the command."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import bura
import make_records
import reference as ref
from bura import BuraError
from bura.cli.app import run
from bura.cli.records import hands_of
from bura.v1 import record_pb2, rules_pb2, rules_pb2_grpc, search_pb2, solver_pb2, solver_pb2_grpc
from bura_core import HiddenCardsError, InputError, Position, Solver, Stop
from bura_core.record import HandRecord, parse_record, read_records, record_hand
from bura_core.review import Review, review
from bura_service import convert, embedded

WORKED = """\
[Rules "georgian3"]
[Trump "h"]
[TurnUp "Jh"]
[Seat "all"]
[Lead "0"]
[Hands "AsQhTd/KsJsAd"]
[Undrawn "QdQcJdJcKcTsAhJh"]
[Result "0 claim"]
[Points "34/21"]

1. 0:As 1:(Js) 0+Ac 1+Th
2. 0:Td 1:Ad 1+Tc 0+Kd
3. 1:Tc 0:Ac 0+Kh 1+Qs
4. 0:claim
"""


def golden(preset: str, number: int = make_records.HANDS) -> list[HandRecord]:
    with (make_records.FOLDER / f"{preset}.txt").open(encoding="utf-8") as file:
        return list(read_records(file))[:number]


# ---- the review itself ------------------------------------------------------------------


def test_the_worked_hand() -> None:
    answer = review(parse_record(WORKED))
    assert [(m.trick, m.seat, str(m.move), m.value, m.cost) for m in answer.moves] == [
        (1, 0, "As", -1, 2),
        (1, 1, "(Js)", 1, 0),
        (2, 0, "Td", -1, 0),
        (2, 1, "Ad", 1, 0),
        (3, 1, "Tc", -1, 2),
        (3, 0, "Ac", 1, 0),
        (4, 0, "claim", 1, 0),
    ]
    first = answer.costly[0]
    assert [str(move) for move in first.best] == ["Td"]
    assert first.points is not None
    assert first.points.value == 56
    assert first.position.startswith("georgian3 h AsQhTd/KsJsAd ")
    assert answer.result is not None
    assert (answer.result.winner, answer.stopped, answer.unreached) == (0, None, 0)


@pytest.mark.parametrize("preset", ["georgian3", "no_trump", "classic", "perebor", "burkozel"])
def test_costs_are_the_references(preset: str) -> None:
    compared = 0
    for record in golden(preset):
        for move in review(record, points=True).moves:
            line = move.position
            talon = line.split()[3]
            most = 4 if preset == "burkozel" else 12  # letters: the reference is slow
            if "offer=" in line or str(move.move).startswith("stop") or len(talon) > most:
                continue
            if any(option in line for option in ("stake=", "raiser=")):
                continue
            state = ref.load(line)
            values = ref.move_values(state)
            best = max(values.values())
            assert move.value == values[str(move.move)]
            assert move.cost == best - values[str(move.move)]
            assert {str(m) for m in move.best} == {m for m, v in values.items() if v == best}
            if move.points is not None and move.points.value is not None:
                points = ref.move_values(state, "points")
                most = max(points.values())
                assert move.points.value == most - points[str(move.move)]
            compared += 1
    assert compared > 20


def test_a_call_is_compared_with_letting_the_leader_lead() -> None:
    called = 0
    rng = random.Random(3)
    while called < 8:
        line = make_records.deal(rng, "classic[deck=20]")
        moves = make_records.play(rng, line)
        if not any(move.kind == "stop" for move in moves):
            continue
        answer = review(record_hand(line, moves), points=False)
        for move in answer.moves:
            if move.move.kind == "stop":
                called += 1
                position = Position.from_text(move.position)
                solution = Solver().solve(position)
                own = next(v.value for v in solution.calls if v.move == move.move)
                led = max(v.value for v in solution.moves if v.value is not None)
                assert own is not None
                assert move.seat == 1 - position.turn
                assert move.value == own
                assert move.cost is not None
                assert move.cost >= max(0, -led - own)


def test_a_review_cut_short_gives_bounds_that_hold() -> None:
    record = golden("classic", 1)[0]
    whole = review(record)
    for nodes in (1, 10, 100, 1000):
        short = review(record, max_nodes=nodes, max_points_nodes=nodes)
        for ours, true in zip(short.moves, whole.moves, strict=True):
            assert true.value is not None
            assert true.cost is not None
            assert ours.lower <= true.value <= ours.upper
            assert ours.cost_lower <= true.cost <= ours.cost_upper
            if ours.points is not None and true.points is not None:
                assert ours.points.lower <= true.points.upper
                assert true.points.lower <= ours.points.upper
    assert review(record, max_nodes=1).stopped == "nodes"
    stop = Stop()
    stop.set()
    for nothing in (review(record, stop=stop), review(record, total_seconds=1e-9)):
        assert nothing.unreached == len(nothing.moves)
        assert {(m.lower, m.upper, m.cost) for m in nothing.moves} == {(-1, 1, None)}
        assert nothing.costly == ()


def test_limits_and_hidden_cards_are_refused() -> None:
    record = parse_record(WORKED)
    with pytest.raises(InputError) as caught:
        review(record, max_nodes=0, total_seconds=-1.0)
    assert [fault.field for fault in caught.value.faults] == ["max_nodes", "total_seconds"]
    with pytest.raises(HiddenCardsError, match="one seat has not seen every card"):
        review(record.as_seen_by(0))
    with pytest.raises(HiddenCardsError, match="list them in drawing order"):
        review(replace(record, undrawn=None))


def test_all_golden_hands_can_be_reviewed_within_bounds() -> None:
    for preset in make_records.PRESETS:
        for record in golden(preset, 2):
            answer = review(record, max_nodes=2000, max_points_nodes=500)
            stakes = ("raise", "accept", "fold")
            assert len(answer.moves) == sum(m.kind not in stakes for m in record.moves)
            last = answer.moves[-1]
            if record.reason == "claim":
                assert last.value == 1


# ---- over the service -------------------------------------------------------------------


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with embedded.start() as server:
        yield server.target


@pytest.fixture(scope="module")
def channel(target: str) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(target) as channel:
        yield channel


def test_messages_and_records_go_both_ways() -> None:
    for preset in make_records.PRESETS:
        for record in golden(preset, 4):
            for seen in (record, record.as_seen_by(0), record.as_seen_by(1)):
                message = convert.record_message(seen)
                assert convert.record_of_message(message) == seen
                text = json_format.MessageToJson(message)
                read = json_format.Parse(text, record_pb2.HandRecord())
                assert convert.record_of_message(read) == seen


def test_faults_of_a_message_come_at_once() -> None:
    message = convert.record_message(parse_record(WORKED))
    message.trump = "x"
    message.result = "0 clam"
    message.tricks[0].events[0].move = "Az"
    message.tricks[1].events.add(seat=1)
    message.tricks[1].events.add(move="As")
    with pytest.raises(InputError) as caught:
        convert.record_of_message(message)
    fields = [fault.field for fault in caught.value.faults]
    assert fields == ["Trump", "Result", "trick 1", "trick 2", "trick 2"]
    message.tags.add(name="Seat", value="1")
    with pytest.raises(InputError, match="a tag with a field of its own"):
        convert.record_of_message(message)
    with pytest.raises(InputError, match="'Rules': the tag is missing"):
        convert.record_of_message(record_pb2.HandRecord())


def test_a_record_is_checked(channel: grpc.Channel) -> None:
    stub = rules_pb2_grpc.RulesServiceStub(channel)
    good = stub.CheckRecord(rules_pb2.CheckRecordRequest(text=WORKED))
    assert (good.valid, len(good.faults), good.moves, good.text) == (True, 0, 7, WORKED)
    again = stub.CheckRecord(rules_pb2.CheckRecordRequest(record=good.record))
    assert again == good
    unread = stub.CheckRecord(rules_pb2.CheckRecordRequest(text=WORKED.replace("0:As", "0:Az")))
    assert (unread.valid, unread.text, unread.HasField("record")) == (False, "", False)
    assert [fault.field for fault in unread.faults] == ["line 11, column 4"]
    text = WORKED.replace("0:Td", "0:Kh")
    illegal = stub.CheckRecord(rules_pb2.CheckRecordRequest(text=text))
    assert (illegal.valid, illegal.text) == (False, text)
    assert [(f.field, f.value) for f in illegal.faults] == [("trick 2", "0:Kh")]
    large = record_pb2.HandRecord(rules="georgian3", comments=["x" * 90] * 2000)
    (fault,) = stub.CheckRecord(rules_pb2.CheckRecordRequest(record=large)).faults
    assert (fault.field, fault.problem) == ("record", "is larger than 100000")
    with pytest.raises(grpc.RpcError) as caught:
        stub.CheckRecord(rules_pb2.CheckRecordRequest())
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_a_hand_is_reviewed(channel: grpc.Channel) -> None:
    stub = solver_pb2_grpc.SolverServiceStub(channel)
    answer = stub.ReviewHand(solver_pb2.ReviewHandRequest(text=WORKED))
    _same(answer, review(parse_record(WORKED)))
    message = convert.record_message(parse_record(WORKED))
    again = stub.ReviewHand(solver_pb2.ReviewHandRequest(record=message, outcome_only=True))
    assert [m.cost for m in again.moves] == [2, 0, 0, 0, 2, 0, 0]
    assert not any(m.HasField("points_cost_lower") for m in again.moves)
    limits = search_pb2.SearchLimits(max_nodes=1)
    short = stub.ReviewHand(solver_pb2.ReviewHandRequest(text=WORKED, limits=limits))
    assert short.exactness == search_pb2.EXACTNESS_BOUNDED
    assert short.stopped == search_pb2.STOP_REASON_NODES
    assert any(not m.HasField("cost") and m.cost_upper == 2 for m in short.moves)


def _same(answer: solver_pb2.ReviewHandResponse, own: Review) -> None:
    assert answer.text == str(own.record)
    assert answer.result == "0 claim"
    assert answer.exactness == search_pb2.EXACTNESS_EXACT
    assert answer.stopped == search_pb2.STOP_REASON_COMPLETED
    assert answer.nodes == own.nodes
    for told, move in zip(answer.moves, own.moves, strict=True):
        assert (told.trick, told.seat, told.move) == (move.trick, move.seat, str(move.move))
        assert (told.value, told.cost, told.position) == (move.value, move.cost, move.position)
        assert list(told.best) == [str(best) for best in move.best]
        if move.points is not None:
            assert told.points_cost == move.points.value


@pytest.mark.parametrize(
    ("text", "reason", "fields"),
    [
        (WORKED.replace("0:As", "0:Az").replace('"h"', '"x"'), "INVALID_INPUT",
         ["limits.max_nodes", "record.line 2, tag Trump", "record.line 11, column 4"]),
        (WORKED.replace("0:Td", "0:Kh"), "ILLEGAL_MOVE", ["record.trick 2"]),
        (WORKED.replace('[Undrawn "QdQcJdJcKcTsAhJh"]\n', ""), "HIDDEN_CARDS",
         ["record.Undrawn"]),
        ("", "INVALID_INPUT", ["record"]),
    ],
)  # fmt: skip
def test_a_bad_record_fails_the_review(
    channel: grpc.Channel, text: str, reason: str, fields: list[str]
) -> None:
    stub = solver_pb2_grpc.SolverServiceStub(channel)
    nodes = 0 if fields[0].startswith("limits") else 5
    request = solver_pb2.ReviewHandRequest(
        text=text, limits=search_pb2.SearchLimits(max_nodes=nodes)
    )
    with pytest.raises(grpc.RpcError) as caught:
        stub.ReviewHand(request)
    status = rpc_status.from_call(caught.value)  # type: ignore[arg-type]
    assert status is not None
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    status.details[0].Unpack(info)
    status.details[1].Unpack(bad)
    assert info.reason == reason
    assert [violation.field for violation in bad.field_violations] == fields


# ---- the client and the command ---------------------------------------------------------


def test_the_client_reviews_and_checks(target: str) -> None:
    with bura.connect(target) as client:
        answer = client.review(WORKED)
        assert [move.move for move in answer.costly] == ["As", "Tc"]
        assert answer.costly[0].cost == 2
        assert answer.costly[0].points_cost == 56
        assert "1. 0:As -1, at the cost of 2: better Td" in str(answer)
        assert client.review(WORKED, outcome_only=True).moves[0].points_cost is None
        check = client.check_record(WORKED)
        assert check.valid
        assert str(check) == "a good record of 7 moves"
        check = client.check_record(WORKED.replace("0:Td", "0:Kh"))
        assert [fault.field for fault in check.faults] == ["trick 2"]
        with pytest.raises(bura.InputError) as caught:
            client.review(WORKED.replace("0:As", "0:Az"))
        assert [fault.field for fault in caught.value.faults] == ["record.line 11, column 4"]
        assert isinstance(caught.value, BuraError)


def test_the_command_shows_a_hand(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hand.bura"
    file.write_text(WORKED, encoding="utf-8")
    assert run(["review", str(file), "--server", target]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("georgian3, trumps are")
    assert lines[2].split() == ["trick", "seat", "move", "outcome", "points"]
    assert "loses; better" in lines[3]
    assert "2 moves cost the hand or a draw." in lines
    assert run(["review", "--json", "--outcome-only", str(file), "--server", target]) == 0
    message = json.loads(capsys.readouterr().out)
    assert [move["cost"] for move in message["moves"]] == [2, 0, 0, 0, 2, 0, 0]


def test_the_command_goes_on_after_a_bad_hand(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.bura"
    bad = WORKED.replace("0:As", "0:Az")
    file.write_text(f"\n{WORKED}\n{bad}\n{WORKED}", encoding="utf-8")
    assert run(["review", "--json", str(file), "--server", target]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert err.startswith("bura: hand 2, line 17: line 27, column 4 '0:Az': not a card;")
    assert run(["review", str(tmp_path / "none"), "--server", target]) == 2
    assert "No such file or directory; name a file, or -" in capsys.readouterr().err
    file.write_text("\n", encoding="utf-8")
    assert run(["review", str(file), "--server", target]) == 2
    assert "no hand in it" in capsys.readouterr().err


def test_the_examples_of_the_help_work(
    target: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "hand.bura").write_text(WORKED, encoding="utf-8")
    (tmp_path / "match.bura").write_text(f"{WORKED}\n{WORKED}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["review", "--help"]) == 0
    _, _, after = capsys.readouterr().out.partition("Examples:\n")
    lines = [line.strip() for line in after.partition("\n\n")[0].splitlines()]
    assert len(lines) == 2
    for line in lines:
        words, _, file = line.removeprefix("bura ").partition(" < ")
        stdin = io.BytesIO(Path(file).read_bytes() if file else b"")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stdin))
        assert run([*words.split(), "--server", target]) == 0
        assert capsys.readouterr().out


def test_the_client_divides_a_file_as_the_core_does() -> None:
    text = "".join(
        (make_records.FOLDER / f"{preset}.txt").read_text(encoding="utf-8")
        for preset in make_records.PRESETS
    )
    lines = [f"{line}\n".encode() for line in text.splitlines()]
    hands = list(hands_of(lines))
    records = list(read_records(text.splitlines()))
    assert [str(parse_record(hand.text)) for hand in hands] == list(map(str, records))
    assert [hand.number for hand in hands] == list(range(1, len(records) + 1))
    assert all(text.splitlines()[hand.line - 1].startswith("[Rules") for hand in hands)
