"""`bura bench`: a fixed suite of positions, its work counted and timed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import groupby
from operator import itemgetter

from rich.console import Console
from rich.table import Table

from bura._words import duration, thousands
from bura.cli.show import print_trimmed
from bura.cli.words import Words
from bura.errors import Fault, InputError
from bura.results import Objective, Solution

__all__ = ["BenchReport", "Group", "SuiteLine", "read_suite", "report", "show", "suite_text"]

_OBJECTIVES: tuple[Objective, ...] = ("outcome", "points", "score")


@dataclass(frozen=True, slots=True)
class SuiteLine:
    """One position of a suite and its objective."""

    number: int
    objective: Objective
    position: str

    @property
    def group(self) -> str:
        """What the report adds up: the preset, and whether it is played for points."""
        preset = self.position.split("[")[0].split()[0]
        return preset if self.objective == "outcome" else f"{preset}, {self.objective}"


@dataclass(frozen=True, slots=True)
class Group:
    """The sums of some positions: nodes, and microseconds inside the search."""

    name: str
    positions: int
    nodes: int
    search_us: float


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What a run came to.

    Attributes:
        positions: positions solved.
        nodes: positions visited in all of them together.
        signature: short hash over each position's answer and nodes: equal work has equal
            signatures, on any machine.
        search_us: time inside the searches, in microseconds.
        wall_us: time from the first question to the last answer, in microseconds.
        groups: the same by rule set.
    """

    positions: int
    nodes: int
    signature: str
    search_us: float
    wall_us: float
    groups: tuple[Group, ...]

    @property
    def positions_per_second(self) -> float:
        """Answers a second, the way to the service and back included."""
        return 1e6 * self.positions / self.wall_us if self.wall_us else 0.0

    def as_json(self) -> str:
        """All of it on one line."""
        fields = asdict(self)
        fields["positions_per_second"] = self.positions_per_second
        return json.dumps(fields)


def suite_text() -> str:
    """The suite that comes with the package."""
    return files("bura").joinpath("bench_suite.txt").read_text(encoding="utf-8")


def read_suite(text: str) -> list[SuiteLine]:
    """Reads a suite: a position a line, its objective before it, `#` begins a comment.

    Raises:
        InputError: there is no position in it.
    """
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        first, _, rest = line.partition(" ")
        objective = next((each for each in _OBJECTIVES if each == first), None)
        lines.append(
            SuiteLine(number, objective or "outcome", rest.strip() if objective else line)
        )
    if not lines:
        raise InputError([Fault("suite", "", "no position in it", "give one position a line")])
    return lines


def report(suite: list[SuiteLine], answers: Iterable[Solution], started: float) -> BenchReport:
    """Adds up the answers to `suite`, which come in its order.

    `started` is the value of `time.perf_counter` before the first question.
    """
    solved = list(zip(suite, answers, strict=True))
    wall_us = 1e6 * (time.perf_counter() - started)
    signature = hashlib.sha256()
    for line, answer in solved:
        moves = " ".join(f"{each.move}={each.value}" for each in sorted(answer.moves, key=str))
        signature.update(
            f"{answer.position} {line.objective} {answer.value} {moves} {answer.nodes}\n".encode()
        )
    return BenchReport(
        positions=len(solved),
        nodes=sum(answer.nodes for _, answer in solved),
        signature=signature.hexdigest()[:12],
        search_us=sum(answer.search_us for _, answer in solved),
        wall_us=wall_us,
        groups=tuple(_groups(solved)),
    )


def _groups(solved: list[tuple[SuiteLine, Solution]]) -> Iterator[Group]:
    named = sorted(((line.group, answer) for line, answer in solved), key=itemgetter(0))
    for name, pairs in groupby(named, key=itemgetter(0)):
        answers = [answer for _, answer in pairs]
        yield Group(
            name,
            len(answers),
            sum(answer.nodes for answer in answers),
            sum(answer.search_us for answer in answers),
        )


def show(console: Console, answer: BenchReport, words: Words | None = None) -> None:
    """The report as a table, with the signature below it."""
    words = words or Words()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column(words("h_rules"), no_wrap=True)
    for name in ("positions", "nodes", "search", "rate"):
        table.add_column(words(f"h_{name}"), justify="right", no_wrap=True)
    total = Group(words("total"), answer.positions, answer.nodes, answer.search_us)
    for each in (*answer.groups, total):
        preset, comma, objective = each.name.partition(", ")
        table.add_row(
            f"{preset}, {words(f'for_{objective}')}" if comma else each.name,
            thousands(each.positions),
            thousands(each.nodes),
            duration(each.search_us),
            thousands(round(1e6 * each.nodes / each.search_us)) if each.search_us else "",
            style="bold" if each is total else "",
        )
    print_trimmed(console, table)
    wide = max(len(words(key)) for key in ("signature", "answered"))
    console.print(f"\n{words('signature'):{wide}}  {answer.nodes} {answer.signature}")
    rate = words("rate", rate=f"{answer.positions_per_second:,.0f}", time=duration(answer.wall_us))
    console.print(f"{words('answered'):{wide}}  {rate}")
