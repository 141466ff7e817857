"""Hand records as messages: the protobuf JSON of `HandRecord` is the same record."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf import json_format

import make_records
from bura.v1 import record_pb2
from bura_core.record import Event, HandRecord, parse_record, read_records, record_hand
from bura_service.convert import record_message, record_of_message


def through_json(record: HandRecord) -> HandRecord:
    message = record_message(record)
    text = json_format.MessageToJson(message, preserving_proto_field_name=True)
    again = json_format.Parse(text, record_pb2.HandRecord())
    assert again == message
    return record_of_message(again)


@pytest.mark.parametrize("preset", make_records.PRESETS)
def test_golden_hands_go_through_json_and_back(preset: str) -> None:
    path = make_records.FOLDER / f"{preset}.txt"
    with path.open(encoding="utf-8") as file:
        for record in read_records(file):
            assert through_json(record) == record
            for seat in range(record.rules.players):
                seen = record.as_seen_by(seat)
                assert through_json(seen) == seen


def test_everything_a_record_may_hold_goes_through_json() -> None:
    path = make_records.FOLDER / "bura1.txt"
    with path.open(encoding="utf-8") as file:
        record = next(each for each in read_records(file) if each.rules.players == 4)
    assert any(event.kind == "count" for trick in record.tricks for event in trick)
    full = replace(
        record,
        dealer=3,
        players=("A", "Б", "C", "D"),
        date="2026-11-30",
        handicap=(0, 0, 7, 0),
        comments=("before", "the deal"),
        tags=(("Event", "a \"quoted\" \\ word"), ("Note", "x")),
        tricks=(
            (*record.tricks[0], Event("comment", text="ремарка"), Event("foul", 1, text="looked")),
        ),
        undrawn=None,
        winner=None,
        reason="foul",
        points=None,
    )  # fmt: skip
    assert parse_record(str(full)) == full
    assert through_json(full) == full


def test_a_hand_from_the_middle_goes_through_json() -> None:
    line = "georgian3 h QhAcKd/KsThTc KhQsQdQcJdJcKcTsAhJh As(Js)/TdAd 1 - score=3:5/7"
    record = record_hand(line, ["Tc", "Ac", "claim"])
    for one in (record, *map(record.as_seen_by, (0, 1))):
        assert record_message(one).position == str(one.start)
        assert through_json(one) == one
