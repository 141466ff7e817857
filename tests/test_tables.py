"""Positions taken apart, moves played, hands replayed and drawn, over the wire."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from bura.v1 import table_pb2, table_pb2_grpc
from bura_core import IllegalMoveError, Position, View, parse_position
from bura_core.record import HandRecord, read_records, view_of
from bura_service import picture, tables
from bura_service.config import Config
from bura_service.embedded import start

DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"
ENDING = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
LINES = [
    DEAL,
    ENDING,
    SEEN,
    "georgian3 h x3/KsTcJc x5Jh As(Jd)AcQd/ThKdx1Td 1 - claim=1",
    "georgian5_pairs h x5/AsTdQhKsJs/x5/x5 x15Jh -/-/-/- 1 -",
    "classic[players=4] h -/-/-/Js - 11/10/30/20 3 0:As,1:(Ks),2:(Qs)",
    "classic[players=3] h x2/x2/7h8hJd x26Ah -/-/- 2 0:6s,1:x1",
    "bura1[players=4,target=11] h -/7s/-/Ah - 35/20/20/11 1 - left=2,0",
    "three_vs_four h AsTdQh/KsJsAd9c x28Jh -/- 1 -",
    "burkozel[stop_window=after_lead_stays] h AsTsKs7c/9d 6s7s 20/20 0 1:AhAdAc"
    " stopped=0 held=AsTs",
    "georgian3 d AsAh/x3 x9Ad TsTdx2/- 1 0:Qd raiser=1 offer=2",
]
RECORDS = Path(__file__).resolve().parent / "data" / "records"


@pytest.fixture(scope="module")
def stub() -> Iterator[table_pb2_grpc.TableServiceStub]:
    with start(Config(workers=1)) as server, grpc.insecure_channel(server.target) as channel:
        yield table_pb2_grpc.TableServiceStub(channel)


def ask(stub: Any, line: str = "", **fields: Any) -> table_pb2.DescribePositionResponse:
    source = {"position": line} if line else {}
    answer: table_pb2.DescribePositionResponse = stub.DescribePosition(
        table_pb2.DescribePositionRequest(**source, **fields), timeout=30
    )
    return answer


def two_handed(count: int = 3) -> list[HandRecord]:
    found = []
    for path in sorted(RECORDS.glob("*.txt")):
        with path.open(encoding="utf-8") as file:
            for number, record in enumerate(read_records(file)):
                if number < count and record.rules.players == 2:
                    found.append(record)
    return found


@pytest.mark.parametrize("line", LINES)
def test_a_line_comes_back_from_its_parts(stub: Any, line: str) -> None:
    told = ask(stub, line)
    assert list(told.faults) == []
    assert told.position == str(parse_position(line))
    again = ask(stub, table=told.table)
    assert again.position == told.position
    assert again.table == told.table
    assert told.known == (not parse_position(line).has_unknown)


def test_moves_are_those_of_the_rules_and_lead_where_they_lead(stub: Any) -> None:
    moves = ["As", "(Js)", "Td", "Ad"]
    position = Position.from_text(DEAL)
    for made in range(len(moves) + 1):
        told = ask(stub, DEAL, moves=moves[:made])
        legal = [*position.legal_moves(), *position.raises()]
        assert [move.move for move in told.moves] == list(map(str, legal))
        assert {move.seat for move in told.moves} == {position.turn} == {told.actor}
        assert [step.move for step in told.steps] == moves[:made]
        assert told.position == (str(position) if made else DEAL)
        if made < len(moves):
            position.play(moves[made])
    assert [step.trick for step in told.steps] == [1, 1, 2, 2]
    assert "2. 0:Td 1:Ad" in told.record


def test_a_finished_hand_tells_its_result(stub: Any) -> None:
    told = ask(stub, DEAL, moves=["As", "(Js)", "Td", "Ad", "Tc", "Ac", "claim"])
    assert (told.result.winner, told.result.reason, told.result.stake) == (0, "claim", 1)
    assert not told.HasField("actor")
    assert list(told.moves) == []
    assert [pile.minimum for pile in told.piles] == [34, 21]


def test_through_a_seats_eyes_the_answer_is_its_view(stub: Any) -> None:
    for moves in ([], ["As"], ["As", "(Js)"]):
        for seat in (0, 1):
            told = ask(stub, DEAL, moves=moves, seat=seat)
            whole = ask(stub, DEAL, moves=moves)
            assert told.position == str(View.of(parse_position(whole.position), seat))
            # Nothing is told to act with that this seat does not hold.
            assert {move.seat for move in told.moves} <= {seat}
            assert (told.actor == seat) == bool(told.moves)


def test_what_a_player_may_do_does_not_depend_on_what_he_has_not_seen() -> None:
    for record in two_handed(2):
        replay = record.replay()
        for at, step in enumerate(replay.steps):
            view = view_of(record, step.seat, at)
            told = tables.describe(str(view))
            assert not told.faults
            own = {str(move) for seat, move in told.moves if seat == step.seat}
            if step.position is None or told.actor != step.seat:
                continue
            legal = {str(m) for m in (*step.position.legal_moves(), *step.position.raises())}
            # A raise is refused in the first hand at match point, which a score tells.
            assert own - {"raise"} == legal - {"raise"}


def test_every_fault_is_named_and_rules_are_told_all_the_same(stub: Any) -> None:
    told = ask(stub, "georgian3 h AsTd/Kh - 0/0 5 -")
    assert {fault.field for fault in told.faults} == {"turn", "hands"}
    assert told.rules.players == 2
    assert not told.HasField("table")
    assert len(told.rules.deck) == 20
    told = ask(stub, "nonsense")
    assert told.faults
    assert not told.HasField("rules")


def test_an_illegal_move_is_named_by_its_number(stub: Any) -> None:
    told = ask(stub, DEAL, moves=["As", "Kh"])
    assert [fault.field for fault in told.faults] == ["moves[1]"]
    assert "Kh" in told.faults[0].value
    told = ask(stub, SEEN, moves=["Ks"])
    assert [fault.field for fault in told.faults] == ["moves"]
    told = ask(stub, DEAL, seat=7)
    assert [fault.field for fault in told.faults] == ["seat"]


@pytest.mark.parametrize(
    "table",
    [
        table_pb2.TablePosition(),
        table_pb2.TablePosition(rules="georgian3 h", trump=" ", turn=-1),
        table_pb2.TablePosition(
            rules="georgian3",
            trump="h",
            hands=[table_pb2.CardList(cards=["As/Td", "x", "??"]), table_pb2.CardList()],
            talon=table_pb2.CardList(cards=["x"] * 500),
            piles=[table_pb2.TablePile(points=-3), table_pb2.TablePile()],
            plays=[table_pb2.TablePlay(seat=9, cards=["Ks"], closed=True)],
            options={"claim": "1 0 0", "a b": "="},
        ),
    ],
)
def test_parts_that_are_nonsense_are_faults_and_no_failure(stub: Any, table: Any) -> None:
    assert ask(stub, table=table).faults


def test_a_request_without_a_position_is_refused(stub: Any) -> None:
    for request, field in (
        ({}, "position"),
        ({"position": "x" * 5000}, "position"),
        ({"position": DEAL, "moves": ["As"] * 501}, "moves"),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            stub.DescribePosition(table_pb2.DescribePositionRequest(**request), timeout=30)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert field in caught.value.details()


def test_a_record_is_replayed_as_everybody_and_as_each_seat_saw_it(stub: Any) -> None:
    for record in two_handed(1):
        steps = record.replay().steps
        for seat in (None, 0, 1):
            eyes = {} if seat is None else {"seat": seat}
            told = stub.ReplayRecord(
                table_pb2.ReplayRecordRequest(text=str(record), **eyes), timeout=30
            )
            assert [step.move for step in told.steps] == [str(step.event)[2:] for step in steps]
            assert [step.trick for step in told.steps] == [step.trick for step in steps]
            assert len(told.comments) == len(steps) + 1
            for at, step in enumerate(told.steps):
                if seat is not None:
                    assert step.position == str(view_of(record, seat, at))
                elif record.undrawn is not None:
                    assert step.position == str(steps[at].position)
        seen = record.as_seen_by(1)
        told = stub.ReplayRecord(table_pb2.ReplayRecordRequest(text=str(seen)), timeout=30)
        assert [step.position for step in told.steps] == [
            str(view_of(seen, 1, at)) for at in range(len(steps))
        ]


def test_cards_that_a_record_does_not_tell_stay_unknown(stub: Any) -> None:
    record = next(each for each in two_handed() if each.undrawn)
    lines = [line for line in str(record).splitlines() if not line.startswith("[Undrawn")]
    told = stub.ReplayRecord(table_pb2.ReplayRecordRequest(text="\n".join(lines)), timeout=30)
    assert "x" in told.steps[0].position.split()[3]
    assert "x" in told.position.split()[3]
    assert not tables.describe(told.position).faults


def test_faults_of_a_record_and_its_seat_are_refused(stub: Any) -> None:
    for fields, field in (
        ({}, "record"),
        ({"text": "[Rules"}, "record"),
        ({"text": str(two_handed(1)[0]), "seat": 5}, "seat"),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            stub.ReplayRecord(table_pb2.ReplayRecordRequest(**fields), timeout=30)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert field in caught.value.details()


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("language", picture.SPOKEN)
def test_every_position_has_a_picture(stub: Any, line: str, language: str) -> None:
    drawn = stub.DrawPosition(
        table_pb2.DrawPositionRequest(position=line, language=language), timeout=30
    )
    root = ElementTree.fromstring(drawn.svg)
    assert root.attrib["width"] == str(drawn.width)
    assert root.attrib["height"] == str(drawn.height)
    numbers = [float(each.attrib["x"]) for each in root.iter() if "x" in each.attrib]
    assert min(numbers) >= 0
    assert max(numbers) < drawn.width
    dark = table_pb2.DrawPositionRequest(position=line, theme=table_pb2.THEME_DARK)
    assert stub.DrawPosition(dark, timeout=30).svg != drawn.svg


def test_a_picture_of_what_cannot_be_or_in_no_language_is_refused(stub: Any) -> None:
    for fields, field in (
        ({"position": "georgian3 h AsTd/Kh - 0/0 5 -"}, "turn"),
        ({"position": DEAL, "language": "xx"}, "language"),
        ({"position": DEAL, "theme": 7}, "theme"),
        ({}, "position"),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            stub.DrawPosition(table_pb2.DrawPositionRequest(**fields), timeout=30)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert field in caught.value.details()


def test_a_move_out_of_place_keeps_its_kind_of_error() -> None:
    with pytest.raises(IllegalMoveError):
        tables._made(Position.from_text(DEAL), 0, "Kh")
