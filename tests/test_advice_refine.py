"""Advice that gets better with time: `refine`, and when it stops by itself."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

import reference as ref
from bura_core import InputError, Recommendation, Solver, Stop, View, parse_position, recommend
from bura_core.advice import refine
from hidden import RULES, hidden_shuffled, some_line
from scale import scaled

MID = "classic h x3/AhTs9d x23Jh Ks(9s)/6d7cTdx1 1 -"
S1 = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"


def without_work(advice: Recommendation) -> Recommendation:
    return replace(advice, search_us=0.0, nodes=0)


def test_answers_on_the_way_end_with_the_one_of_recommend() -> None:
    for line in (S1, MID):
        view = View.from_text(line)
        options = {"max_worlds": 700, "max_nodes": 200_000, "seed": 3, "confidence": None}
        steps = list(refine(view, **options))  # type: ignore[arg-type]
        assert [step.worlds for step in steps] == [32, 64, 128, 256, 512, 700]
        assert without_work(steps[-1]) == without_work(recommend(view, **options))  # type: ignore[arg-type]
        assert all(len({move.worlds for move in step.moves}) == 1 for step in steps)
        assert all(a.nodes <= b.nodes for a, b in pairwise(steps))
        assert all({m.move for m in step.moves} == {m.move for m in steps[0].moves}
                   for step in steps)  # fmt: skip
        errors = [step.moves[0].standard_error for step in steps]
        assert errors[-1] < errors[0]


def test_it_may_be_left_at_any_time() -> None:
    for number, step in enumerate(refine(View.from_text(S1), max_worlds=100_000, max_error=1e-6)):
        assert step.worlds
        if number == 3:
            break


def test_it_stops_when_the_best_move_is_clear_and_sharp() -> None:
    view = View.from_text(S1)
    advice = recommend(view, max_worlds=5000, max_error=0.06)
    assert str(advice.best) == "Th"
    assert advice.clear
    assert advice.confidence == 0.99
    assert advice.stopped is None
    assert advice.worlds < 1000
    assert advice.method == "sampled"
    # Dropped moves have fewer worlds of their own, and stand behind those that were not.
    counts = [move.worlds for move in advice.moves]
    assert counts[0] == advice.worlds
    assert counts == sorted(counts, reverse=True)
    # Without a confidence every move is valued in all worlds.
    full = recommend(view, max_worlds=500, confidence=None)
    assert {move.worlds for move in full.moves} == {500}
    assert full.confidence is None
    assert not full.clear


def test_one_move_is_clear_and_few_worlds_are_all_looked_at() -> None:
    few = recommend(
        View.from_text("georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -"),
        max_error=1.0,
    )
    assert few.exhaustive
    assert few.clear
    assert {move.worlds for move in few.moves} == {few.worlds}


def test_a_clear_move_is_the_best_one_as_often_as_said() -> None:
    """Against the mean over all worlds; a looser confidence would show in this many."""
    rng = random.Random("clear")
    clear = wrong = 0
    solver = Solver(table_mb=1)
    while clear < scaled(60):
        line = ref.random_honest_position(rng, "georgian3", rng.choice((2, 4)), 3)
        state = ref.load(line)
        if state.over is not None:
            continue
        view = View.of(parse_position(line), state.turn)
        if not 1500 <= view.world_count <= 8000:
            continue
        part = recommend(view, max_worlds=1000, max_error=1.0, seed=clear, solvers=[solver])
        if part.clear and part.worlds < 1000:
            clear += 1
            every = recommend(view, max_worlds=8000, solvers=[solver])
            values = {move.move: move.value for move in every.moves}
            wrong += values[part.best] < max(values.values()) - 1e-9
    assert wrong <= 2


@pytest.mark.parametrize("line", [S1, MID])
def test_threads_change_nothing_where_it_stops_early(line: str) -> None:
    view = View.from_text(line)
    alone = recommend(view, max_worlds=900, max_nodes=300_000)
    together = recommend(view, max_worlds=900, max_nodes=300_000, threads=3)
    assert without_work(alone) == without_work(together)


@pytest.mark.parametrize("seconds", [1e-6, 1e-3, 0.02])
def test_an_answer_in_any_time_can_be_used(seconds: float) -> None:
    for line in (S1, MID, "georgian5 h x5/AhTh9d8d7c x25Jh -/- 1 -"):
        view = View.from_text(line)
        advice = recommend(view, max_seconds=seconds)
        every = {move.move for move in recommend(view, max_worlds=1, max_nodes=10).moves}
        assert {move.move for move in advice.moves} == every
        assert advice.best in every


def test_ties_go_to_points_in_hand_then_to_trumps() -> None:
    stop = Stop()
    stop.set()
    # Nothing was searched: all moves are equal, and what a trick brings at once decides.
    beat = View.from_text("georgian3 h x2/KsAdTc x9Jh As(Js)/TdKc 1 0:Kd")
    answer = recommend(beat, stop=stop)
    assert str(answer.best) == "Ad"
    lead = recommend(View.from_text(S1), stop=stop)
    # The ten of trumps is the lead least likely to be beaten of those with points.
    assert str(lead.best) == "Th"


def test_bad_arguments_of_refine_are_named() -> None:
    with pytest.raises(InputError) as caught:
        next(iter(refine(View.from_text(S1), confidence=1.0, max_error=0, max_nodes=0)))
    assert [fault.field for fault in caught.value.faults] == [
        "max_nodes",
        "confidence",
        "max_error",
    ]


@pytest.mark.parametrize("rules", RULES)
def test_what_is_refined_does_not_know_what_is_hidden(rules: str) -> None:
    rng = random.Random(f"refine leak {rules}")
    advised = 0
    for _ in range(scaled(12)):
        line = some_line(rng, rules)
        for seat in (0, 1):
            told = []
            for deal in (line, hidden_shuffled(rng, line, seat)):
                try:
                    steps = refine(View.from_text(deal, seat), max_worlds=130, max_nodes=40_000)
                    told.append([replace(step, search_us=0.0) for step in steps])
                    advised += 1
                except InputError as error:
                    told.append([str(error)])  # type: ignore[list-item]
            assert told[0] == told[1], (line, seat)
    assert advised
