"""Makes tests/data/perft_tables.txt: `python tests/make_perft.py`.

Every preset at every number of seats it can be played with, and in pairs: a deal, a position
in the middle of a hand and an ending, brought about by random play. The sequences are counted by
the reference; the core is not asked.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import reference_seats as ref
from bura_core import PRESETS, InputError, Position, RuleSet

STORED = Path(__file__).resolve().parent / "data" / "perft_tables.txt"

MOST = 5_000
"""No deeper than the first count above this."""

HEADER = """\
# Perft at every number of seats and in pairs, counted by tests/reference_seats.py and written by
# tests/make_perft.py. As perft.txt:
#
#   position line ; depth=count depth=count ...
#
# Of each rule set a deal, a position in the middle of a hand, and an ending.
"""


def tables() -> Iterator[str]:
    """Every preset at every table it can be played at."""
    for name, rules in PRESETS.items():
        for players in range(2, 7):
            for pairs in ("no", "yes"):
                if rules.pairs and (players, pairs) != (4, "yes"):
                    continue
                wanted = f"{name}[players={players},pairs={pairs}]"
                try:
                    # The shortest spelling; what is the preset's own is left out.
                    yield str(RuleSet.parse(wanted))
                except InputError:
                    continue


def played(rng: random.Random, rules: str, talon: int) -> str:
    """A position at the start of a trick with few cards in the talon, by random play."""
    while True:
        position = Position.from_text(ref.deal(rng, rules))
        latest = position.copy()
        while position.result is None:
            if not position.table:
                latest = position.copy()
                if len(position.talon) <= talon:
                    break
            # Nobody claims unless there is nothing else to do.
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            position.play(rng.choice(moves or position.legal_moves()))
        # What is set aside of a talon that does not go round is never drawn.
        if len(latest.talon) <= talon + latest.rules.players:
            return str(latest)


def counts(hand: ref.Hand) -> str:
    """`1=3 2=9 ...`, until there are many or none."""
    found = []
    for depth in range(1, 9):
        number = ref.perft(hand, depth)
        found.append(f"{depth}={number}")
        if number * 12 > MOST:
            break
    return " ".join(found)


def lines() -> Iterator[str]:
    """The file, line by line."""
    yield from HEADER.splitlines()
    for rules in tables():
        rng = random.Random(f"perft {rules}")
        yield ""
        for line in (
            ref.deal(rng, rules, plant=1.0),
            played(rng, rules, 6),
            played(rng, rules, 0),
        ):
            yield f"{line} ; {counts(ref.load(line))}"


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    STORED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
