"""How fast the solver is beside others: python benchmarks/compare.py [--program PROGRAM]

One command, three comparisons, one thread each:

* **Another program** for the same game, the one that compare_baseline.py describes, on the same
  positions. Left out without `--program`.
* **The reference** in plain Python (tests/reference.py), on the same endings and small deals. It
  is written for being read; what it is for is that all answers agree.
* **A bridge solver**: DDS by Bo Haglund and Soren Hein, by way of the package `endplay` (the extra
  `bench` installs it). It is another game, so its numbers are no contest but a yardstick of scale:
  what a well-tuned double-dummy solver takes for as many cards.

All answers that can be compared are, and the exit status is 1 if any differ.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import compare_baseline
from make_suite import Row, position

from bura_core import Position, Solver

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

REFERENCE_ROWS = (
    # name, kind of position, positions
    ("georgian3, 3 cards a hand", Row("georgian3", 0, (), hand=3), 200),
    ("georgian5, 3 cards a hand", Row("georgian5", 0, (), hand=3), 200),
    ("georgian5, 4 cards a hand", Row("georgian5", 0, (), hand=4), 100),
    ("georgian5, 5 cards a hand", Row("georgian5", 0, (), hand=5), 30),
    ("classic, talon out", Row("classic", 0, ()), 200),
    ("georgian3, whole deal", Row("georgian3", None, ()), 30),
)

BRIDGE_ROWS = (
    # cards a bridge hand, what of Bura is as large, kind of position
    (3, "georgian5, 3 cards a hand", Row("georgian5", 0, (), hand=3)),
    (4, "georgian5, 4 cards a hand", Row("georgian5", 0, (), hand=4)),
    (5, "georgian5, 5 cards a hand", Row("georgian5", 0, (), hand=5)),
    (3, "georgian5, 12 cards in all", Row("georgian5", 2, ())),
    (4, "georgian5, 16 cards in all", Row("georgian5", 6, ())),
    (5, "georgian5, 20 cards in all", Row("georgian5", 10, ())),
)
BRIDGE_DEALS = 200


def timed(ask: Callable[[Any], Any], items: Sequence[Any]) -> tuple[list[Any], list[float]]:
    """The answers, and microseconds of each call as Python sees it."""
    answers = []
    took = []
    for item in items:
        started = time.perf_counter()
        answers.append(ask(item))
        took.append(1e6 * (time.perf_counter() - started))
    return answers, took


def quantiles(microseconds: Sequence[float]) -> tuple[float, float]:
    """Median and 99 % quantile (nearest rank)."""
    ordered = sorted(microseconds)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


def table(first: str, second: str) -> None:
    """The head of a table of two solvers."""
    print(
        f"{'microseconds a call':28}{first + ' median':>16}{'99 %':>12}"
        f"{second + ' median':>20}{'99 %':>14}{'ratio':>10}"
    )


def row(name: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    """A row of it; the ratio is of the medians."""
    our_median, our_tail = quantiles(ours)
    median, tail = quantiles(theirs)
    print(
        f"{name:28}{our_median:>16,.1f}{our_tail:>12,.1f}{median:>20,.1f}{tail:>14,.1f}"
        f"{median / our_median:>9,.0f}x",
        flush=True,
    )


def positions(kind: Row, count: int) -> list[str]:
    """So many positions of a kind, by seed."""
    return [str(position(kind, seed)) for seed in range(count)]


def with_reference(scale: float) -> int:
    """The reference's part; returns how many answers differ."""
    import reference

    print("\nThe reference, from a position that is read to its value")
    table("core", "reference")
    solver = Solver()
    wrong = 0
    for name, kind, count in REFERENCE_ROWS:
        lines = positions(kind, max(3, round(scale * count)))
        read = [Position.from_text(line) for line in lines]
        ours, core_us = timed(lambda at: solver.solve(at, moves=False, line=False).value, read)
        states = [reference.load(line) for line in lines]
        theirs, reference_us = timed(reference.value, states)
        for line, own, other in zip(lines, ours, theirs, strict=True):
            if own != other:
                wrong += 1
                print(f"{line}: core {own}, reference {other}")
        row(name, core_us, reference_us)
    return wrong


def bridge_deal(rng: random.Random, cards: int) -> Any:
    """A bridge ending of so many cards a hand, dealt from all 52, as endplay has it."""
    from endplay.types import Deal, Denom, Player

    deck = [(suit, rank) for suit in range(4) for rank in "23456789TJQKA"]
    rng.shuffle(deck)
    hands = []
    for seat in range(4):
        held = deck[seat * cards : (seat + 1) * cards]
        hands.append(".".join("".join(r for s, r in held if s == suit) for suit in range(4)))
    return Deal(
        "N:" + " ".join(hands), first=Player(rng.randrange(4)), trump=Denom(rng.randrange(4))
    )


def with_bridge(scale: float) -> None:
    """The bridge solver's part; there is nothing to compare but time."""
    print("\nA bridge solver (DDS by way of endplay), the value of each move")
    try:
        from endplay.dds import solve_board
    except ImportError as error:
        print(f"left out: {error}; `pip install 'bura-core[bench]'` brings it")
        return
    count = max(3, round(scale * BRIDGE_DEALS))
    table("core", "DDS")
    for cards, name, kind in BRIDGE_ROWS:
        rng = random.Random(f"bridge {cards}")
        deals = [bridge_deal(rng, cards) for _ in range(count)]
        solver = Solver()
        read = [Position.from_text(line) for line in positions(kind, count)]
        _, core_us = timed(lambda at, s=solver: s.solve(at, line=False), read)
        _, bridge_us = timed(lambda deal: list(solve_board(deal)), deals)
        row(f"{name}", core_us, bridge_us)
    print(
        "Rows of n cards a hand have 2n cards in Bura and 4n in bridge; rows of n cards in all "
        "have as many\nin both, in Bura the talon with them."
    )


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", help="path of another solver, see compare_baseline.py")
    parser.add_argument(
        "--scale", type=float, default=1.0, metavar="X", help="take X times as many positions"
    )
    return parser.parse_args()


def main() -> int:
    """Compare; 1 if any answer differs."""
    chosen = arguments()
    # Tables that an earlier build left in the user's cache shall not count unsaid.
    os.environ["BURA_CACHE"] = ""
    wrong = 0
    if chosen.program is None:
        print("Another program: left out, none was named (--program)")
    else:
        counts = [max(1, round(chosen.scale * count)) for *_, count in compare_baseline.ROWS]
        command = [chosen.program, "--counts", *map(str, counts)]
        wrong += compare_baseline.main(command)
    wrong += with_reference(chosen.scale)
    with_bridge(chosen.scale)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
