"""A recorded workload: the questions of whole hands, replayed with every answer checked.

    python benchmarks/workload.py [replay options]     replay workload.txt
    python benchmarks/workload.py --write              record it anew

The recording plays hands of every two-player preset, both seats by the project's own advice,
and notes down each question that a helpful app would ask on the way: what to play (and whether
to call out of turn), how a claim stands, and, near the end, what the solver says with all cards
known. Budgets are worlds and nodes, never time, so the answers are the same on every machine.
They change when the advice or the search does; then record the workload anew and say so in the
commit. The replay asks the core itself and a service (embedded, or `--server HOST:PORT`) the
same questions, compares every answer, and prints the rate and the latencies.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from make_suite import deal

from bura_core import Move, Position, RuleSet, Solver, View, estimate_claim, recommend
from bura_core.equilibrium import Ending, try_ending
from bura_core.notation import Pile

STORED = Path(__file__).resolve().with_name("workload.txt")

MAX_WORLDS = 32
HINT_NODES = 100_000
SOLVE_NODES = 100_000
SOLVE_TALON = 8
"""With so many cards left in the talon or fewer, the solver is asked, too."""

HANDS = {
    "georgian3": 16,
    "georgian3[deck=36]": 12,
    "georgian5": 8,
    "georgian5[hand=4]": 8,
    "classic": 12,
    "classic_shown": 10,
    "casino": 10,
    "moskva": 10,
    "dave": 6,
    "five": 8,
    "burkozel": 10,
    "burkozel_kommersant": 10,
    "bura1": 8,
    "bura2": 8,
    "perebor": 10,
    "no_trump": 10,
}
"""Hands of each rule set."""

HEADER = """\
# Questions of whole hands with their answers, written by benchmarks/workload.py --write; one a
# line: call, seat, position, answer. Answers: of `hint` the best move, its value, worlds looked
# at, nodes, and a hash over all moves and their values; where the ending was solved the move
# stands behind that, as the likeliest of the equilibrium, with the value of the ending, joint
# deals and decisions. Of `claim` the verdict and the chance. Of `solve` the value, nodes, and a
# hash over all moves and their values.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in the words of the file."""

    call: str
    seat: int
    position: str

    def __str__(self) -> str:
        return f"{self.call} {self.seat} | {self.position}"


class Server(Protocol):
    """Whoever answers: each method as in `bura.Client`, with the budgets of the workload."""

    def hint(self, position: str, seat: int) -> Any:
        """A recommendation."""

    def claim(self, position: str, seat: int) -> Any:
        """How a claim stands."""

    def solve(self, position: str, seat: int) -> Any:
        """The solution of a position with all cards known."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A recommendation of the core, in the words of the client."""

    moves: Sequence[Any]
    worlds: int
    nodes: int
    equilibrium: Ending | None

    @property
    def best(self) -> Move:
        """The move to play: raises are left out here."""
        known = {each.move for each in self.moves}
        if self.equilibrium is not None:
            for each in self.equilibrium.moves:
                if each.move in known:
                    return each.move
        move: Move = self.moves[0].move
        return move


class Core:
    """The core itself, on one solver."""

    def __init__(self) -> None:
        self._solver = Solver()

    def hint(self, position: str, seat: int) -> Any:
        """`bura_core.recommend`, and the ending where that is small."""
        view = View.from_text(position, seat)
        ending = try_ending(view, max_nodes=HINT_NODES)
        average = recommend(
            view, max_worlds=MAX_WORLDS, max_nodes=HINT_NODES, solvers=[self._solver]
        )
        solved = ending if isinstance(ending, Ending) else None
        return Hint(average.moves, average.worlds, average.nodes, solved)

    def claim(self, position: str, seat: int) -> Any:
        """`bura_core.estimate_claim`."""
        return estimate_claim(View.from_text(position, seat))

    def solve(self, position: str, seat: int) -> Any:
        """`Solver.solve` with every move and a line."""
        del seat
        return self._solver.solve(position, max_nodes=SOLVE_NODES)


class Service:
    """A service, by way of the client."""

    def __init__(self, target: str | None) -> None:
        import bura

        self._client = bura.connect(target)
        self._client.rule_sets()  # connects, so that this is not timed

    def hint(self, position: str, seat: int) -> Any:
        """RecommendMove."""
        return self._client.recommend(
            position, seat=seat, max_worlds=MAX_WORLDS, max_nodes=HINT_NODES
        )

    def claim(self, position: str, seat: int) -> Any:
        """EstimateClaim."""
        return self._client.estimate_claim(position, seat=seat)

    def solve(self, position: str, seat: int) -> Any:
        """SolvePosition."""
        del seat
        return self._client.solve(position, max_nodes=SOLVE_NODES)

    def close(self) -> None:
        """End the connection."""
        self._client.close()


def ask(server: Server, question: Question) -> Any:
    """The answer to a question, as the server gives it."""
    call: Callable[[str, int], Any] = getattr(server, question.call)
    return call(question.position, question.seat)


def digest(question: Question, answer: Any) -> str:
    """What matters of an answer, the same whoever gave it."""
    if question.call == "claim":
        chance = answer.chance
        return f"{answer.verdict} {chance.numerator}/{chance.denominator}"
    if question.call == "solve":
        moves = sorted(f"{each.move}={each.lower}..{each.upper}" for each in answer.moves)
        return f"{answer.lower}..{answer.upper} {answer.nodes} {_hash(moves)}"
    # Values are rounded: sums of floating-point numbers may differ in their last digits.
    moves = sorted(f"{each.move}={each.value + 0.0:.3f}" for each in answer.moves)
    # The first of the highest value: with an equilibrium the moves are in its order.
    best = max(answer.moves, key=lambda each: each.value)
    text = f"{best.value:+.3f} {answer.worlds} {answer.nodes} {_hash(moves)}"
    ending = answer.equilibrium
    if ending is None:
        return f"{best.move} {text}"
    solved = f"{ending.ending_value + 0.0:+.2f} {ending.joint_deals} {ending.infosets}"
    return f"{text} {ending.moves[0].move} {solved}"


def _hash(words: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]


# ---------------------------------------------------------------- recording


def hand(rules: str, number: int) -> Iterator[tuple[Question, str]]:
    """The questions of one hand and their answers, in the order they come up."""
    rng = random.Random(f"workload {rules} {number}")
    start = deal(RuleSet.parse(rules), rng)
    # Piles card by card: it matters who has seen which.
    at = Position(replace(start, piles=(Pile((), None), Pile((), None))))
    core = Core()

    def asked(call: str, seat: int, position: str) -> tuple[Question, str, Any]:
        question = Question(call, seat, position)
        answer = ask(core, question)
        return question, digest(question, answer), answer

    passed = ""
    while at.result is None:
        # Who holds a combination may call it before the other leads.
        caller = next((seat for seat, _ in at.calls()), None)
        seat = at.turn if caller is None or passed == str(at) else caller
        view = str(View.of(at.text(), seat))
        if at.claim_seat == seat:
            yield asked("claim", seat, view)[:2]
        question, answer, advice = asked("hint", seat, view)
        yield question, answer
        if len(at.talon) <= SOLVE_TALON and not at.table:
            yield asked("solve", seat, str(at))[:2]
        if seat != at.turn and advice.best.kind == "pass":
            passed = str(at)
            continue
        if seat == at.turn and advice.best not in at.legal_moves():
            # The other shows what wins on sight, which the seat could not know: no lead comes.
            at.play("pass")
        else:
            at.play(advice.best)


def recorded() -> Iterator[str]:
    """The file, line by line."""
    yield from HEADER.splitlines()
    for rules, hands in HANDS.items():
        for number in range(hands):
            yield f"# {rules} {number}"
            for question, answer in hand(rules, number):
                yield f"{question} | {answer}"


def read(text: str) -> list[tuple[Question, str]]:
    """The questions of a file and the answers they had."""
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            asked, position, answer = line.split(" | ")
            call, seat = asked.split()
            found.append((Question(call, int(seat), position), answer))
    return found


# ---------------------------------------------------------------- replaying


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of a replay.

    Attributes:
        wrong: question, stored answer and answer now, of those that differ.
        seconds: time of each call, by call.
        wall: seconds in all.
    """

    wrong: list[tuple[Question, str, str]]
    seconds: dict[str, list[float]]
    wall: float


def replay(server: Server, asked: Sequence[tuple[Question, str]], threads: int = 1) -> Replay:
    """Asks everything again, on so many threads at once, and compares the answers."""

    def once(item: tuple[Question, str]) -> tuple[str, float]:
        started = time.perf_counter()
        answer = ask(server, item[0])
        return digest(item[0], answer), time.perf_counter() - started

    started = time.perf_counter()
    if threads == 1:
        answers = [once(item) for item in asked]
    else:
        with ThreadPoolExecutor(threads) as pool:
            answers = list(pool.map(once, asked))
    wall = time.perf_counter() - started
    wrong = []
    seconds: dict[str, list[float]] = {}
    for (question, stored), (now, took) in zip(asked, answers, strict=True):
        seconds.setdefault(question.call, []).append(took)
        if now != stored:
            wrong.append((question, stored, now))
    return Replay(wrong, seconds, wall)


def show(name: str, done: Replay) -> None:
    """Rate and latencies of a replay, and the answers that differ."""
    calls = sum(map(len, done.seconds.values()))
    right = "all answers as recorded" if not done.wrong else f"{len(done.wrong)} ANSWERS DIFFER"
    print(
        f"\n{name}: {calls:,} calls in {done.wall:.1f} s, {calls / done.wall:,.0f} a second, "
        f"{right}"
    )
    columns = ("calls", "median", "90 %", "99 %", "longest")
    print(f"{'milliseconds':12}" + "".join(f"{column:>10}" for column in columns))
    for call, seconds in done.seconds.items():
        ordered = sorted(seconds)
        ranks = (ordered[min(len(ordered) - 1, len(ordered) * q // 100)] for q in (90, 99))
        times = (statistics.median(ordered), *ranks, ordered[-1])
        print(f"{call:12}{len(ordered):>10,}" + "".join(f"{1e3 * t:>10.2f}" for t in times))
    for question, stored, now in done.wrong[:10]:
        print(f"\n{question}\n  recorded  {stored}\n  now       {now}")
    if len(done.wrong) > 10:
        print(f"\n... and {len(done.wrong) - 10} more")
    sys.stdout.flush()


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help=f"record {STORED.name} anew")
    parser.add_argument(
        "--over", choices=["both", "core", "service"], default="both", help="whom to ask"
    )
    parser.add_argument("--server", metavar="HOST:PORT", help="a service, instead of an embedded")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="calls to the service at a time"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth call")
    return parser.parse_args()


def main() -> int:
    """Record, or replay; 1 if any answer differs."""
    chosen = arguments()
    if chosen.write:
        text = "\n".join(recorded()) + "\n"
        STORED.write_text(text, encoding="utf-8")
        print(f"{len(read(text)):,} calls recorded, {len(text.encode()) / 1024:,.0f} KiB")
        return 0
    asked = read(STORED.read_text(encoding="utf-8"))[:: chosen.every]
    wrong = 0
    if chosen.over != "service":
        done = replay(Core(), asked)
        show("core", done)
        wrong += len(done.wrong)
    if chosen.over != "core":
        service = Service(chosen.server)
        done = replay(service, asked, chosen.threads)
        service.close()
        show(f"service, {chosen.threads} at a time", done)
        wrong += len(done.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
