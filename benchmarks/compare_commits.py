"""Two commits against each other, in instructions counted and in time, position by position.

    python benchmarks/compare_commits.py BEFORE [AFTER] [options]

Each commit is checked out and compiled in a folder of its own (build/compare/, kept for the next
time) and solves the same positions: the suite of this tree, cut off at so many nodes each, or
`--suite FILE`. AFTER may be left out: then it is this working tree as it is, compiled anew.

**Instructions** hardly differ between two runs of one build, so a difference of half a percent
says something even on a busy machine. They are counted by `perf stat` where the processor's
counters may be read, else by valgrind's callgrind, fifty times slower; what starting Python and
reading the positions takes is counted apart and subtracted. Callgrind leaves its profiles in
build/compare/ for `callgrind_annotate`. **Times** are taken in turns, before and after, each row
the least of the rounds, so that what else the machine does hits both. **Nodes** and
**answers** are compared, too: fewer nodes at the same cost each is a better search, the same
nodes at a lower cost a faster one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS = ROOT / "build" / "compare"
SUITE = ROOT / "clients/python/src/bura/bench_suite.txt"

# Runs in the interpreter of a build, so it uses what every commit's core has had.
DRIVER = """
import json, sys
from bura_core import Solver
lines, nodes, repeat = json.load(sys.stdin)
solver = Solver()
found = []
for objective, position in lines:
    least = None
    try:
        for _ in range(repeat):
            answer = solver.solve(position, objective, line=False, max_nodes=nodes)
            least = answer.search_us if least is None else min(least, answer.search_us)
    except Exception as error:  # rules or an objective that this commit does not know
        found.append([0, 0, str(error), "refused"])
        continue
    moves = sorted(f"{each.move}={each.lower}..{each.upper}" for each in answer.moves)
    found.append([answer.nodes, least, f"{answer.lower}..{answer.upper} {' '.join(moves)}",
                  answer.stopped])
json.dump(found, sys.stdout)
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One commit's figures for one position."""

    nodes: int
    microseconds: float
    answer: str
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Build:
    """A commit that is compiled.

    Attributes:
        name: what the user called it.
        commit: its short hash.
        folder: where its bura_core is.
    """

    name: str
    commit: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """In which Python finds this core first, and no tables of endings of another."""
        return {
            **os.environ, "PYTHONPATH": str(self.folder), "BURA_CACHE": "", "PYTHONHASHSEED": "0",
            # Or the folder that the command is run in would come first.
            "PYTHONSAFEPATH": "1",
        }  # fmt: skip


def run(*command: str | Path, **options: object) -> str:
    """Standard output of a command that has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr or done.stdout}")
    return str(done.stdout)


def built(revision: str | None, portable: bool) -> Build:
    """A commit, or the working tree where None, compiled in its own folder."""
    kind = "portable" if portable else "native"
    if revision is None:
        name, commit, source = "working tree", "working-tree", ROOT
        folder = BUILDS / f"working-tree-{kind}"
        shutil.rmtree(folder, ignore_errors=True)
    else:
        commit = run(
            "git", "-C", ROOT, "rev-parse", "--short=12", f"{revision}^{{commit}}"
        ).strip()
        name, folder = revision, BUILDS / f"{commit}-{kind}"
        source = folder
    if not (folder / "built").exists():
        print(f"Compiling {name} ({commit}, {kind}) ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = "bura_core", "setup.py", "pyproject.toml", "README.md", "LICENSE"
        if revision is None:
            for each in names:
                path = source / each
                if path.is_dir():
                    shutil.copytree(path, folder / each, ignore=shutil.ignore_patterns("*.so"))
                else:
                    shutil.copy2(path, folder / each)
        else:
            archive = subprocess.run(
                ["git", "-C", ROOT, "archive", commit, *names], capture_output=True, check=True
            ).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        environment = {**os.environ, "BURA_PORTABLE": "1" if portable else ""}
        run(
            sys.executable, "setup.py", "-q", "build_ext", "--inplace", cwd=folder, env=environment
        )
        (folder / "built").touch()
    return Build(name, commit, folder)


def solved(build: Build, lines: Sequence[list[str]], nodes: int, repeat: int) -> list[Measured]:
    """The figures of a run over all positions."""
    text = json.dumps([lines, nodes, repeat])
    out = run(sys.executable, "-c", DRIVER, input=text, env=build.environment)
    return [Measured(*each) for each in json.loads(out)]


def counter() -> str | None:
    """What counts instructions here: perf, callgrind or nothing."""
    if shutil.which("perf"):
        done = subprocess.run(
            ["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True
        )
        if re.search(r"^\d+,", done.stderr, re.MULTILINE):
            return "perf"
    return "callgrind" if shutil.which("valgrind") else None


def instructions(
    build: Build, lines: Sequence[list[str]], nodes: int, tool: str, group: str
) -> int:
    """Instructions of the searches alone, the start of Python and of the solver subtracted."""
    return _counted(build, lines, nodes, tool, group) - _overhead(build, tool)


@cache
def _overhead(build: Build, tool: str) -> int:
    return _counted(build, [], 1, tool, "empty")


def _counted(build: Build, lines: Sequence[list[str]], nodes: int, tool: str, group: str) -> int:
    text = json.dumps([lines, nodes, 1])
    if tool == "perf":
        command = ["perf", "stat", "-x,", "-e", "instructions:u"]
    else:
        profile = BUILDS / f"callgrind.{build.commit}.{group}.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"]
    done = subprocess.run(
        [*command, sys.executable, "-c", DRIVER],
        input=text,
        env=build.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    pattern = r"^(\d+),+instructions" if tool == "perf" else r"Collected : (\d+)"
    found = re.search(pattern, done.stderr.replace(",,", ","), re.MULTILINE)
    if done.returncode or found is None:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return int(found[1])


def suite(path: Path) -> dict[str, list[list[str]]]:
    """The positions by rule set: objective and line of each."""
    groups: dict[str, list[list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        first, _, rest = line.partition(" ")
        objective, position = (
            (first, rest) if first in ("outcome", "points", "score") else ("outcome", line)
        )
        name = position.split()[0].split("[")[0]
        groups.setdefault(name, []).append([objective, position])
    return groups


def arguments(command: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", help="a commit, such as HEAD~1")
    parser.add_argument("after", nargs="?", help="another; the working tree if left out")
    parser.add_argument("--suite", type=Path, default=SUITE, help="other positions, one a line")
    parser.add_argument(
        "--nodes", type=int, default=20_000, help="most nodes of a position (default 20000)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="runs of each in turn (default 5)")
    parser.add_argument(
        "--instructions", choices=["auto", "perf", "callgrind", "none"], default="auto"
    )
    return parser.parse_args(command)


def main(command: Sequence[str] | None = None) -> int:
    """Compare; 1 if answers differ."""
    chosen = arguments(command)
    tool = counter() if chosen.instructions == "auto" else chosen.instructions
    if tool == "none":
        tool = None
    # Valgrind does not know the newest instructions that this machine's own code may use.
    builds = [built(each, tool == "callgrind") for each in (chosen.before, chosen.after)]
    groups = suite(chosen.suite)
    print(
        f"before: {builds[0].name} ({builds[0].commit}), after: {builds[1].name} "
        f"({builds[1].commit}); at most {chosen.nodes:,} nodes a position; instructions by "
        f"{tool or 'nobody: neither perf nor valgrind is here'}\n"
    )
    lines = [line for group in groups.values() for line in group]
    rounds: list[list[list[Measured]]] = [[], []]
    for _ in range(chosen.rounds):
        for side, build in enumerate(builds):
            rounds[side].append(solved(build, lines, chosen.nodes, 3))
    best = [
        [min(tries, key=lambda each: each.microseconds) for tries in zip(*side, strict=True)]
        for side in rounds
    ]
    heads = ("nodes", "time", "time/node", "instr.", "instr./node")
    print(f"{'after / before':22}" + "".join(f"{head:>13}" for head in heads))
    differ = []
    sums = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    at = 0
    for name, group in groups.items():
        part = slice(at, at + len(group))
        at += len(group)
        figures = []
        for side, build in enumerate(builds):
            nodes = sum(each.nodes for each in best[side][part])
            micro = sum(each.microseconds for each in best[side][part])
            count = instructions(build, group, chosen.nodes, tool, name) if tool else 0
            figures.append((float(nodes), micro, float(count)))
            sums[side] = [x + y for x, y in zip(sums[side], figures[-1], strict=True)]
        show(name, *figures)
        for line, before, after in zip(group, best[0][part], best[1][part], strict=True):
            if before.answer != after.answer and not (before.stopped or after.stopped):
                differ.append((" ".join(line), before.answer, after.answer))
    show("total", tuple(sums[0]), tuple(sums[1]))
    print(
        "\nBelow 1.000 is better. Time is the least of "
        f"{chosen.rounds} rounds, by turns; on a busy machine look at the instructions."
    )
    for line, old, new in differ:
        print(f"\nANSWERS DIFFER: {line}\n  before {old}\n  after  {new}")
    return 1 if differ else 0


def show(name: str, before: Sequence[float], after: Sequence[float]) -> None:
    """A row of ratios."""
    (nodes, micro, count), (new_nodes, new_micro, new_count) = before, after
    ratios = (
        ratio(new_nodes, nodes),
        ratio(new_micro, micro),
        ratio(new_micro * nodes, micro * new_nodes),
        ratio(new_count, count),
        ratio(new_count * nodes, count * new_nodes),
    )
    print(f"{name:22}" + "".join(f"{each:>13}" for each in ratios), flush=True)


def ratio(new: float, old: float) -> str:
    """Three places, or a dash where there is nothing to divide by."""
    return f"{new / old:.3f}" if old > 0 and new > 0 else "-"


if __name__ == "__main__":
    sys.exit(main())
