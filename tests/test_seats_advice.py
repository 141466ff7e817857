"""Advice, reviews, the service and the command for pairs, many seats and odd switches."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

import bura
import reference_seats as ref
from bura.cli import app as commands
from bura_core import (
    InputError,
    Position,
    PositionText,
    Solver,
    View,
    parse_position,
    recommend,
    worlds,
)
from scale import scaled
from test_seats_solver import late

MANY = [
    "georgian5_pairs",
    "classic[players=4,pairs=yes]",
    "classic[players=3]",
    "classic[players=3,hand=2,three_aces=none]",
    "casino[players=4]",
    "bura1[players=3]",
    "bura1[players=5]",
    "burkozel[players=3]",
    "five[players=6,hand=3]",
    "three_vs_four",
    "classic[stop_window=after_lead_stays]",
    "classic[stop_window=after_lead_returned]",
    "classic[players=3,stop_window=after_lead_returned,hand=2,three_aces=none]",
    "classic[closed_challenge=yes]",
    "perebor[players=3]",
]


def shuffled(rng: random.Random, text: PositionText, seat: int) -> PositionText:
    """The same deal as ``seat`` sees it, with all that it has not seen dealt anew."""
    seen = View.of(text, seat).text
    unseen = [card for card in range(36) if View.of(text, seat).unseen >> card & 1]
    rng.shuffle(unseen)

    def dealt(cards: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return tuple(unseen.pop() if card is None else card for card in cards)

    hands = tuple(dealt(cards) for cards in seen.hands)
    talon = dealt(seen.talon)
    piles = tuple(
        replace(
            pile,
            items=tuple(
                replace(item, card=unseen.pop()) if masked.card is None else item
                for item, masked in zip(pile.items, hidden.items, strict=True)
            ),
        )
        for pile, hidden in zip(text.piles, seen.piles, strict=True)
    )
    table = tuple(
        replace(play, cards=tuple(unseen.pop() for _ in play.cards)) if masked.unknown else play
        for play, masked in zip(text.table, seen.table, strict=True)
    )
    assert not unseen
    return replace(text, hands=hands, talon=talon, piles=piles, table=table, trick=())


@pytest.mark.parametrize("rules", MANY)
def test_advice_knows_nothing_of_what_is_hidden(rules: str) -> None:
    rng = random.Random(f"hidden {rules}")
    found = 0
    while found < scaled(4):
        position = late(rng, rules, rng.choice((8, 16, 36)))
        text = position.text()
        seat = position.turn
        if position.result is not None:
            continue
        advice = recommend(View.of(text, seat), max_worlds=24, max_nodes=4000, seed=3)
        other = shuffled(rng, text, seat)
        again = recommend(View.of(other, seat), max_worlds=24, max_nodes=4000, seed=3)
        assert advice.moves == again.moves, (str(text), str(other))
        assert advice.nodes == again.nodes
        found += 1


@pytest.mark.parametrize("rules", MANY)
def test_means_are_those_of_all_worlds(rules: str) -> None:
    """Each move's mean is the mean of its honest values over every world."""
    rng = random.Random(f"means {rules}")
    found = tries = 0
    solver = Solver(table_mb=1)
    while found < scaled(3) and tries < 400:
        tries += 1
        position = late(rng, rules, 6)
        view = View.of(position.text(), position.turn)
        if view.world_count > 60:
            continue
        everything = worlds(view, 60)
        try:
            advice = recommend(view, max_worlds=60)
        except ValueError:
            assert all(world.result is not None for world in everything)
            continue
        found += 1
        for move in advice.moves:
            if move.move.kind in ("claim", "stop"):
                continue
            values = []
            for world in everything:
                if world.result is not None:
                    continue
                told = {
                    value.move: value.value
                    for value in solver.solve(world, seen_claims=True, line=False).moves
                }
                instead = next((m for m in told if m.kind == "pass"), None)
                values.append(told.get(move.move, told.get(instead) if instead else None))
            assert move.worlds == len(values)
            assert None not in values
            mean = sum(value or 0 for value in values) / len(values)
            assert move.value == pytest.approx(mean), (str(view), str(move.move))
    assert found or rules in ("five[players=6,hand=3]", "bura1[players=5]")


def test_whole_deals_are_advised_on_within_a_budget() -> None:
    rng = random.Random(8)
    for rules in ("georgian5_pairs", "classic[players=6]", "bura1[players=4]", "three_vs_four"):
        line = ref.deal(rng, rules)
        position = Position.from_text(line)
        if position.result is not None:
            continue
        view = View.of(parse_position(line), position.turn)
        advice = recommend(view, max_worlds=16, max_nodes=8000)
        assert advice.horizon is not None
        assert advice.moves
        assert all(move.unsettled <= 0.5 for move in advice.moves)
        again = recommend(view, max_worlds=16, max_nodes=8000, threads=2)
        assert again.moves == advice.moves


CALLED = (
    "classic[players=3] h 7s8s9c/AsAdAc/6s6d6c KsKdKcQsQdQcJsJdJcTsTdTc9s9d8c8d7c7dAhThKhQhJh9h"
    "8h7h6h -/-/- 0 -"
)


def test_out_of_turn_calls_are_weighed_by_any_seat() -> None:
    for line, seat, moves in (
        (CALLED, 1, {"stop:AsAdAc", "pass"}),
        (CALLED, 0, {"7s", "8s", "8s7s", "9c"}),
        (CALLED.replace("players=3", "players=3,stop_window=after_lead_returned"), 1, None),
    ):
        view = View.of(parse_position(line), seat)
        if moves is None:
            # Before the lead there is nothing to call yet.
            with pytest.raises(InputError):
                recommend(view, max_worlds=8)
            continue
        advice = recommend(view, max_worlds=8, max_nodes=400)
        assert {str(move.move) for move in advice.moves} == moves
    led = CALLED.replace("players=3", "players=3,stop_window=after_lead_returned")
    led = led.replace("7s8s9c/", "8s9c/").replace(" 0 -", " 1 0:7s")
    advice = recommend(View.of(parse_position(led), 1), max_worlds=8, max_nodes=400)
    assert "stop:AsAdAc" in {str(move.move) for move in advice.moves}


# --- the service and the command ---------------------------------------------------------------

LINES = [
    "georgian5_pairs h As/Ks/Qs/6s - 11/10/32/20 0 -",
    "classic[players=3] h As/Ks/Qs - 11/0/0 0 -",
    "bura2[players=3] h As7d/Kd9d/QhAd - 27/20/23 0 -",
    "bura1[players=4] h As/Ks/Qs/6s - 11/10/32/20 0 -",
    "three_vs_four h As/Ks7c - 20/20 1 -",
    "classic[stop_window=after_lead_stays] h As/Ks - 20/20 1 -",
    "classic[closed_challenge=yes] h As/Ks - 20/20 1 -",
]


@pytest.fixture(scope="module")
def client() -> Iterator[bura.Client]:
    with bura.connect() as client:
        yield client


def test_the_service_solves_every_kind(client: bura.Client) -> None:
    solver = Solver(table_mb=1)
    answers = list(client.solve_many(LINES))
    for line, batch in zip(LINES, answers, strict=True):
        for objective in ("outcome", "points"):
            mine = solver.solve(line, objective)
            told = client.solve(line, objective=objective)
            assert told.value == mine.value, line
            assert [(m.move, m.value, m.expected) for m in told.moves] == [
                (str(m.move), m.value, m.expected) for m in mine.moves
            ]
            assert [(c.seat, c.move, c.value) for c in told.calls] == [
                (c.seat, str(c.move), c.value) for c in mine.calls
            ]
            assert [(s.guaranteed, s.expected) for s in told.seats] == [
                (sure.value, alone.value)
                for sure, alone in zip(mine.guaranteed, mine.expected, strict=True)
            ]
            assert told.line == tuple(str(move) for move in mine.line)
            if objective == "outcome":
                assert isinstance(batch, bura.Solution)
                assert batch.seats == told.seats
                assert batch.moves == told.moves


def test_the_service_advises_and_counts_for_every_kind(client: bura.Client) -> None:
    rng = random.Random(4)
    for rules in MANY:
        position = late(rng, rules, 10)
        line = str(View.of(position.text(), position.turn))
        seat = position.turn
        advice = client.recommend(line, seat=seat, max_worlds=16, max_nodes=2000)
        mine = recommend(
            View.from_text(line, seat), max_worlds=16, max_nodes=2000, confidence=None
        )
        assert {move.move for move in advice.moves} == {str(move.move) for move in mine.moves}
        assert client.estimate_claim(line, seat=seat).total_ways >= 1
        assert client.perft(str(position), 2).nodes == position.perft(2)


def test_bounds_of_the_service_hold_where_a_search_is_cut_short(client: bura.Client) -> None:
    line = ref.deal(random.Random(6), "classic[players=4]")
    told = client.solve(line, max_nodes=20)
    assert told.stopped == "nodes"
    assert told.value is None
    assert told.lower < told.upper
    assert any(each.expected is None for each in told.seats)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert commands.run(arguments) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_command_answers_for_every_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for line in LINES:
        told = json.loads(run(capsys, "solve", "--json", line))
        found = Solver(table_mb=1).solve(line)
        assert told["outcome"] == found.value
        assert [move.get("expected") for move in told["moves"]] == [
            move.expected for move in found.moves
        ]
        seats = told.get("seats", [])
        assert [each["guaranteed"] for each in seats] == [v.value for v in found.guaranteed]
        assert [each["expected"] for each in seats] == [v.value for v in found.expected]
        said = run(capsys, "solve", line)
        assert ("all play for themselves" in said) == bool(found.expected)
        assert "Best play" in said
        assert json.loads(run(capsys, "perft", "--json", "--depth", "2", line))["nodes"] >= 1
    rng = random.Random(5)
    for rules in ("georgian5_pairs", "bura1[players=3]", "three_vs_four"):
        position = late(rng, rules, 10)
        line = str(View.of(position.text(), position.turn))
        seat = ("--seat", str(position.turn))
        assert json.loads(run(capsys, "hint", "--json", *seat, "--max-nodes", "2000", line))[
            "moves"
        ]
        assert run(capsys, "hint", *seat, "--max-nodes", "2000", line)
        assert run(capsys, "claim", *seat, line)
