"""Are whole deals solved, from the first card, with a value for every move?

    python benchmarks/whole_deals.py [RULES ...] [--deals 20] [--seconds 60] [--moves]

Deals hands at random, of every preset for two players and of pairs where no rule sets are named,
and solves each for its outcome: for the value of the deal, or with `--moves` for that of every
move. A search that takes longer than `--seconds` of the processor's time on one thread ends with
bounds and counts as not solved. Prints for each rule set how many deals were solved, and
of all deals the median, the 90th percentile and the longest, in processor time, and the mean of
nodes. What was not solved counts with the time at which it was stopped. Where the rules say so, a
combination in the first deal is dealt again.

Deals follow from their number alone, so `--first 20` adds others to a run of the first twenty.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bura_core import Position, PositionText, Solver
from bura_core.errors import InputError
from bura_core.match import dealt_combination
from bura_core.rule_sets import PRESETS, RuleSet


@dataclass(frozen=True, slots=True)
class Solved:
    """What became of a deal: whether its value (and moves') is exact, and at what cost."""

    exact: bool
    seconds: float
    nodes: int


def deal(rules: RuleSet, number: int) -> Position:
    """The deal of this number, always the same; of two sides."""
    rng = random.Random(f"whole deal {rules} {number}")
    while True:
        position = Position(PositionText.dealt(rules, rng))
        if dealt_combination(rules, position.trump, position.hands) is None:
            return position


def solved(solver: Solver, position: Position, moves: bool, seconds: float) -> Solved:
    """Solve a deal within so much processor time, or as little as that allows.

    A solver's own limit is by the clock, which goes on while others have the processor. So
    it is asked for more time as long as the processor's is not used up.
    """
    limit = seconds
    while True:
        begun = time.process_time()
        found = solver.solve(position, moves=moves, line=False, max_seconds=limit)
        spent = time.process_time() - begun
        if found.exact or spent >= 0.95 * seconds:
            return Solved(found.exact, spent, found.nodes)
        limit *= max(1.5, seconds / max(spent, 0.01))


def two_sided() -> list[RuleSet]:
    """Every preset for two players, and pairs."""
    return [rules for rules in PRESETS.values() if rules.sides == 2]


def row(name: str, found: Sequence[Solved]) -> str:
    """A line of the report."""
    times = sorted(each.seconds for each in found)
    cut = [f"{shown(times[round(0.9 * (len(times) - 1))])}", shown(times[-1])]
    nodes = sum(each.nodes for each in found) // len(found)
    exact = sum(each.exact for each in found)
    return (
        f"{name:30} {f'{exact} of {len(found)}':>12} {shown(statistics.median(times)):>10}"
        f" {cut[0]:>10} {cut[1]:>10} {nodes:>14,}"
    )


def shown(seconds: float) -> str:
    """A time in the unit that fits it."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def arguments(command: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rules", nargs="*", help="rule sets of two sides (default: all presets)")
    parser.add_argument("--deals", type=int, default=20, help="deals of each (default 20)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (default 0)")
    parser.add_argument(
        "--seconds", type=float, default=60, help="processor time for a deal (default 60)"
    )
    parser.add_argument("--moves", action="store_true", help="a value for every move, too")
    parser.add_argument("--table-mb", type=int, default=16, help="the table (default 16 MiB)")
    chosen = parser.parse_args(command)
    try:
        chosen.rules = [RuleSet.parse(name) for name in chosen.rules] or two_sided()
    except InputError as error:
        parser.error(str(error))
    for rules in chosen.rules:
        if rules.sides != 2:
            parser.error(f"{rules}: single players, not two sides")
    if chosen.deals < 1 or chosen.seconds <= 0:
        parser.error("there has to be a deal, and time for it")
    return chosen


def main(command: Sequence[str] | None = None) -> int:
    """Print the report; 1 if a deal was not solved."""
    chosen = arguments(command)
    solver = Solver(chosen.table_mb)
    what = "the value and every move" if chosen.moves else "the value"
    print(
        f"Whole deals, {what}, one thread, tables of {chosen.table_mb} MiB; at most "
        f"{chosen.seconds:g} s of processor time each\n"
    )
    print(f"{'rules':30} {'solved':>12} {'median':>10} {'90 %':>10} {'longest':>10} {'nodes':>14}")
    everything = True
    for rules in chosen.rules:
        found = [
            solved(solver, deal(rules, number), chosen.moves, chosen.seconds)
            for number in range(chosen.first, chosen.first + chosen.deals)
        ]
        everything = everything and all(each.exact for each in found)
        print(row(str(rules), found), flush=True)
    return 0 if everything else 1


if __name__ == "__main__":
    sys.exit(main())
