"""How long things take, for `make bench`: timings are printed, never asserted.

One benchmark for each kind of question, from a position with nothing to decide to a hint in
the middle of a hand. Searches start from a fresh generation of the table every time, so no
round profits from the one before; tables of endings are shared and fill with the first round.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import pytest
from make_suite import Row, position

from bura_core import Position, Solver, View, beat_odds, estimate_claim, recommend, solve_many
from bura_core import worlds as worlds_of
from bura_core._endings import build_endings
from bura_core.record import HandRecord, read_records, view_of
from bura_core.rule_sets import PRESETS
from bura_core.view import Act

RECORDS = Path(__file__).resolve().parent.parent / "tests/data/records"


class Benchmark(Protocol):
    """What pytest-benchmark's fixture is used for here."""

    extra_info: dict[str, Any]

    def __call__(self, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Time many calls."""

    def pedantic(self, function: Any, *, rounds: int, warmup_rounds: int = 0) -> Any:
        """Time so many calls."""


ONE_CARD = "georgian3 h Th/Ks - 31/20 0 -"
THREE_CARDS = "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
MID_GEORGIAN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
MID_CLASSIC = "classic h x3/AhTs9d x23Jh Ks(9s)/6d7cTdx1 1 -"
CLAIM = "classic h x3/AhTs9d x17Jh Ks(9s)Qs8s/6d7cTdx1AcJdQcx1 1 - claim=1"

# Seeds of deals as the suite makes them, none of them unusually hard.
DEAL_20 = str(position(Row("georgian3", None, ()), 1))
DEALS_36 = [str(position(Row("georgian3[deck=36]", None, ()), seed)) for seed in range(20)]
FIVE_OUT = str(position(Row("georgian5", 0, ()), 2))
FIVE_TEN = [str(position(Row("georgian5", 10, ()), seed)) for seed in range(20)]
BATCH = [str(position(Row("georgian5", 0, ()), seed)) for seed in range(200)]


@pytest.fixture
def solver() -> Solver:
    """A solver with a table of the default size."""
    return Solver()


def each(solver: Solver, positions: list[Position]) -> None:
    """The values of many positions, one after the other."""
    for at in positions:
        solver.solve(at, moves=False, line=False)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(ONE_CARD, id="one card: nothing to decide"),
        pytest.param(THREE_CARDS, id="three cards"),
        pytest.param(FIVE_OUT, id="five cards, talon out"),
        pytest.param(DEAL_20, id="whole deal of 20 cards"),
    ],
)
@pytest.mark.parametrize("what", ["value", "moves"])
def test_solve(benchmark: Benchmark, solver: Solver, line: str, what: str) -> None:
    """Small positions: what a call costs, the value alone and every move."""
    at = Position.from_text(line)
    wanted = what == "moves"
    benchmark(solver.solve, at, moves=wanted, line=wanted)


@pytest.mark.parametrize("line", [ONE_CARD, THREE_CARDS, FIVE_OUT], ids=["1", "3", "5"])
def test_cost_of_a_call(benchmark: Benchmark, solver: Solver, line: str) -> None:
    """What a call costs over the search itself, in microseconds: the mean of many calls."""
    at = Position.from_text(line)
    calls = 10_000
    over: list[float] = []

    def ask() -> None:
        searching = 0.0
        started = perf_counter()
        for _ in range(calls):
            searching += solver.solve(at, moves=False, line=False).search_us
        over.append((1e6 * (perf_counter() - started) - searching) / calls)

    benchmark.pedantic(ask, rounds=5, warmup_rounds=1)
    benchmark.extra_info["over_the_search_us"] = round(min(over), 2)
    print(f"{min(over):.2f} µs over the search")


def test_solve_from_text(benchmark: Benchmark, solver: Solver) -> None:
    """The same with reading and checking the line."""
    benchmark(solver.solve, THREE_CARDS, moves=False, line=False)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(DEALS_36, id="20 whole deals of georgian3[deck=36]"),
        pytest.param(FIVE_TEN, id="20 times georgian5, 10 cards left"),
    ],
)
def test_solve_several(benchmark: Benchmark, solver: Solver, lines: list[str]) -> None:
    """Positions of very different size: the sum of a fixed set."""
    positions = [Position.from_text(line) for line in lines]
    benchmark(each, solver, positions)


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(benchmark: Benchmark, threads: int) -> None:
    """200 five-card endings with `solve_many`, from text."""
    answers = benchmark(solve_many, BATCH, moves=False, threads=threads, table_mb=1)
    assert len(answers) == len(BATCH)


@pytest.mark.parametrize("endings", [True, False], ids=["looked up", "searched"])
def test_five_cards_with_endings(benchmark: Benchmark, endings: bool) -> None:
    """100 five-card endings, the last three cards looked up or searched."""
    solver = Solver(endings=endings)
    positions = [
        Position.from_text(str(position(Row("georgian5", 0, ()), seed))) for seed in range(100)
    ]
    benchmark(each, solver, positions)


def test_build_endings(benchmark: Benchmark, tmp_path: Path) -> None:
    """All endings of a deck of 20; a deck of 36 has 49 times as many."""

    def build() -> None:
        for path in build_endings(PRESETS["georgian3"], folder=tmp_path):
            path.unlink()

    benchmark.pedantic(build, rounds=1)


@pytest.mark.parametrize("rules", ["georgian3", "classic", "georgian5_pairs"])
def test_view_of_a_record(benchmark: Benchmark, rules: str) -> None:
    """What a seat has seen of a whole hand, up to its last move, from the record of all seats."""
    with (RECORDS / f"{rules}.txt").open(encoding="utf-8") as file:
        record = next(iter(read_records(file)))
    assert isinstance(record, HandRecord)
    view = benchmark(view_of, record, 0)
    assert view.history


@pytest.mark.parametrize("line", [MID_GEORGIAN, MID_CLASSIC], ids=["georgian3", "classic"])
def test_view_from_text(benchmark: Benchmark, line: str) -> None:
    """What a seat has seen, from a line."""
    benchmark(View.from_text, line)


def test_view_after(benchmark: Benchmark) -> None:
    """The same view with a history of eight acts."""
    view = View.from_text(MID_GEORGIAN)
    acts = [Act(i % 2, "play" if i % 3 else "discard", 1 << i, 1) for i in range(8)]
    assert len(benchmark(view.after, acts).history) == len(acts)


@pytest.mark.parametrize("number", [10, 1000])
def test_sampling_worlds(benchmark: Benchmark, number: int) -> None:
    """Worlds of the very first move of a hand of 36 cards, where there are most of them."""
    view = View.from_text(str(View.of(position(Row("classic", None, ()), 1), 0)))
    drawn = benchmark(lambda: len(list(worlds_of(view, number, seed=1))))
    assert drawn == number


@pytest.mark.parametrize("line", [MID_GEORGIAN, MID_CLASSIC], ids=["georgian3", "classic"])
def test_a_thousand_worlds(benchmark: Benchmark, line: str) -> None:
    """From a view to a thousand positions in Python."""
    view = View.from_text(line)
    assert len(benchmark(lambda: list(worlds_of(view, 1000)))) == 1000


def test_claim(benchmark: Benchmark) -> None:
    """How a claim stands, two closed cards in the pile."""
    benchmark(estimate_claim, View.from_text(CLAIM))


def test_beat_odds(benchmark: Benchmark) -> None:
    """The chance that a lead is beaten."""
    view = View.from_text(MID_CLASSIC)
    benchmark(beat_odds, view, view.hand & 1 << 17)


@pytest.mark.parametrize("line", [MID_GEORGIAN, MID_CLASSIC], ids=["georgian3", "classic"])
@pytest.mark.parametrize("threads", [1, 2])
def test_recommend(benchmark: Benchmark, line: str, threads: int) -> None:
    """A hint in the middle of a hand, a thousand worlds."""
    view = View.from_text(line)
    advice = benchmark(recommend, view, threads=threads)
    benchmark.extra_info["worlds"] = advice.worlds
    benchmark.extra_info["nodes"] = advice.nodes
