"""The solver against a plain program on the same positions, in one run and on one thread.

    python benchmarks/compare_baseline.py PROGRAM [options]

PROGRAM is a compiled solver of georgian3, georgian5 and these with [deck=N] or [hand=N], which
is not part of this project: `PROGRAM deals RULES COUNT SEED [LEFT]` prints positions, and
from positions on standard input it prints for each `value nodes microseconds`. Both are given all
positions of a row at once (the core through `solve_many`), solve for the value alone and time each
search alone, so reading the line is left out; `asked/s` is what comes of it from outside, lines
in and answers out (PROGRAM's start included). All answers have to be equal. Below stands what the
values of every move cost the core, in times of the value alone.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

ROWS = (
    # name, rules, cards left in the talon (None: a whole deal), positions
    ("georgian3 whole", "georgian3", None, 200),
    ("georgian3[deck=36] whole", "georgian3[deck=36]", None, 200),
    ("georgian5[hand=4] whole", "georgian5[hand=4]", None, 200),
    ("georgian5 talon out", "georgian5", 0, 1000),
    ("georgian5 10 left", "georgian5", 10, 300),
    ("georgian5 whole", "georgian5", None, 30),
)


@dataclass(frozen=True)
class Answers:
    """What one program said to the positions of a row.

    Attributes:
        values: for the seat to act.
        nodes: positions visited, one number for each position.
        search_us: microseconds inside each search.
        seconds: from the first line in to the last answer out.
    """

    values: list[int]
    nodes: list[int]
    search_us: list[float]
    seconds: float

    @property
    def figures(self) -> tuple[float, float, float]:
        """Median, 99 % quantile (nearest rank) and mean of the time in the search."""
        ordered = sorted(self.search_us)
        rank = min(len(ordered) - 1, len(ordered) * 99 // 100)
        return statistics.median(ordered), ordered[rank], statistics.fmean(ordered)


def ask_program(program: str, lines: Sequence[str]) -> Answers:
    """The plain program's answers."""
    started = time.perf_counter()
    text = run(program, stdin="\n".join(lines) + "\n")
    seconds = time.perf_counter() - started
    fields = [line.split() for line in text.splitlines()]
    return Answers(
        [int(value) for value, _, _ in fields],
        [int(nodes) for _, nodes, _ in fields],
        [float(search_us) for _, _, search_us in fields],
        seconds,
    )


def ask_core(lines: Sequence[str], table_mb: int, endings: bool, moves: bool = False) -> Answers:
    """The core's answers to one batch of all positions, on one thread.

    With `moves` every move is valued, too.
    """
    from bura_core import BuraError, Solver, solve_many  # late: where it looks for tables is set

    solver = Solver(table_mb, endings)
    started = time.perf_counter()
    solutions = []
    for answer in solve_many(lines, moves=moves, line=False, solvers=[solver]):
        if isinstance(answer, BuraError):
            raise SystemExit(str(answer))
        solutions.append(answer)
    seconds = time.perf_counter() - started
    values = []
    for line, solution in zip(lines, solutions, strict=True):
        if solution.value is None:
            raise SystemExit(f"no value for {line}")
        values.append(solution.value)
    return Answers(
        values,
        [solution.nodes for solution in solutions],
        [solution.search_us for solution in solutions],
        seconds,
    )


def run(program: str, *arguments: str, stdin: str = "") -> str:
    """What the program writes on standard output."""
    done = subprocess.run(
        [program, *arguments], input=stdin, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{program} {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout


def show(name: str, core: Answers, plain: Answers) -> None:
    """One row: times in microseconds, how many times as long the program took, rates."""
    print(f"\n{name}: {len(core.values)} positions, all answers equal")
    print(f"{'':10}{'median':>14}{'99 %':>14}{'mean':>14}{'mean nodes':>14}{'asked/s':>12}")
    for who, answers in (("core", core), ("program", plain)):
        times = "".join(f"{microseconds:>14,.1f}" for microseconds in answers.figures)
        rate = len(answers.values) / answers.seconds
        shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2f}"
        print(f"{who:10}{times}{statistics.fmean(answers.nodes):>14,.0f}{shown:>12}")
    pairs = zip(plain.figures, core.figures, strict=True)
    ratios = "".join(f"{slow / max(fast, 1e-3):>13,.1f}x" for slow, fast in pairs)
    node_ratio = statistics.fmean(plain.nodes) / max(statistics.fmean(core.nodes), 1e-3)
    print(f"{'ratio':10}{ratios}{node_ratio:>13,.1f}x", flush=True)


def show_moves(alone: Answers, every: Answers) -> None:
    """How many times as long as the value alone the values of every move take."""
    ratios = [
        slow / max(fast, 1e-3) for slow, fast in zip(every.search_us, alone.search_us, strict=True)
    ]
    medians = every.figures[0] / max(alone.figures[0], 1e-3)
    print(
        f"every move: {statistics.median(ratios):.1f} times the value alone (median of the "
        f"positions), {medians:.1f} times its median, {sum(every.search_us):,.0f} µs for all "
        f"against {sum(alone.search_us):,.0f}",
        flush=True,
    )


def arguments(command: Sequence[str] | None) -> argparse.Namespace:
    """The command line, or what stands in its place."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="path of the plain program")
    parser.add_argument(
        "--counts",
        type=int,
        nargs=len(ROWS),
        default=[count for *_, count in ROWS],
        metavar="N",
        help="positions of each row, 0 leaves it out (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the deals (default 1)")
    parser.add_argument(
        "--table-mb", type=int, default=16, help="the core's table in MiB (default 16)"
    )
    parser.add_argument(
        "--endings",
        choices=["used", "complete", "off"],
        default="used",
        help="tables of endings: filled as they are used, from empty (default); built before "
        "the run, in a folder of their own; or none",
    )
    return parser.parse_args(command)


def main(command: Sequence[str] | None = None) -> int:
    """Compare; 1 if any answer differs. ``command`` stands for the command line's arguments."""
    chosen = arguments(command)
    with tempfile.TemporaryDirectory() as folder:
        # Tables that an earlier build left in the user's cache shall not count unsaid.
        os.environ["BURA_CACHE"] = folder if chosen.endings == "complete" else ""
        return compare(chosen)


def compare(chosen: argparse.Namespace) -> int:
    """Every row, one after the other."""
    from bura_core import RuleSet
    from bura_core._endings import build_endings

    rows = [
        (name, rules, left, count)
        for (name, rules, left, _), count in zip(ROWS, chosen.counts, strict=True)
        if count > 0
    ]
    if chosen.endings == "complete":
        started = time.perf_counter()
        for rules in dict.fromkeys(rules for _, rules, _, _ in rows):
            build_endings(RuleSet.parse(rules), threads=1)
        print(f"Endings: complete, built in {time.perf_counter() - started:.1f} s.")
    else:
        words = {"used": "filled as they are used, empty at the start", "off": "not looked up"}
        print(f"Endings: {words[chosen.endings]}.")
    print(f"One thread; the core's table has {chosen.table_mb} MiB. Times in microseconds.")
    wrong = 0
    for name, rules, left, count in rows:
        deal = [rules, str(count), str(chosen.seed), *([] if left is None else [str(left)])]
        lines = run(chosen.program, "deals", *deal).splitlines()
        core = ask_core(lines, chosen.table_mb, chosen.endings != "off")
        plain = ask_program(chosen.program, lines)
        if len(plain.values) != len(lines):
            raise SystemExit(f"{len(plain.values)} answers to {len(lines)} positions")
        differ = [
            f"{line}: core {ours}, program {theirs}"
            for line, ours, theirs in zip(lines, core.values, plain.values, strict=True)
            if ours != theirs
        ]
        wrong += len(differ)
        if differ:
            print(f"\n{name}: {len(differ)} of {len(lines)} answers differ", *differ, sep="\n")
        else:
            show(name, core, plain)
            show_moves(core, ask_core(lines, chosen.table_mb, chosen.endings != "off", moves=True))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
