"""Makes the positions that `bura bench` solves: python benchmarks/make_suite.py [--write]

Without `--write` the suite is printed, with it the file that comes with the client is written
anew. Every position follows from its row below and a seed alone, never from the solver, so the
same suite comes out whatever the search is like. Random legal play brings a deal to the phase
that the row asks for; nobody has the target before the last trick, and who has it then may
have let his right to claim pass. The seeds of rows with whole deals and long talons were
chosen so that they take a tenth of a second to half a second.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bura_core import Move, Position, PositionText, RuleSet
from bura_core.notation import Pile

SUITE = Path(__file__).resolve().parent.parent / "clients/python/src/bura/bench_suite.txt"

HEADER = """\
# The positions that `bura bench` solves, written by benchmarks/make_suite.py: every preset of two
# players, pairs, three to six players and odd hands, and every phase of a hand, at the lead and
# in answer to one. One position a line; `outcome`, `points` or `score` before it is the objective
# (outcome where nothing is said). What counts
# as the same work is the sum of nodes and the answers together, so a change to this file
# changes the signature (docs/benchmarks.md).
"""


@dataclass(frozen=True)
class Row:
    """Some positions of one kind.

    Attributes:
        rules: the rule set.
        talon: cards left in the talon; None for a whole deal.
        seeds: one position for each.
        hand: cards in each hand before the trick begins; None for full hands.
        answer: whether the lead lies on the table.
        claim: whether the seat to act has just won a trick and may claim: "good" if its pile
            counts, "bad" if not, "" if there is no such right.
        objective: what the position is solved for.
    """

    rules: str
    talon: int | None
    seeds: tuple[int, ...]
    hand: int | None = None
    answer: bool = False
    claim: str = ""
    objective: str = "outcome"

    @property
    def phase(self) -> str:
        """What the row's positions have in common, in words."""
        words = {None: "whole deal", 0: "talon out"}.get(self.talon, f"{self.talon} cards left")
        if self.hand is not None:
            words = f"{self.hand} cards in hand"
        if self.answer:
            words += ", in answer to a lead"
        if self.claim:
            words += f", with the right to a {self.claim} claim"
        return words


ROWS = (
    Row("georgian3", None, (1, 3)),
    Row("georgian3", 8, (0,)),
    Row("georgian3", 8, (1,), claim="good"),
    Row("georgian3", 8, (0,), claim="bad"),
    Row("georgian3", 6, (0,), answer=True),
    Row("georgian3", 0, (0,)),
    Row("georgian3", None, (2,), objective="points"),
    Row("georgian3[deck=36]", None, (2, 5)),
    Row("georgian3[deck=36]", 18, (0,), answer=True),
    Row("georgian3[deck=36]", None, (2, 3), objective="points"),
    Row("georgian5", 22, (5, 8, 9, 11)),
    Row("georgian5", 18, (0, 9)),
    Row("georgian5", 10, (3,)),
    Row("georgian5", 12, (1,), answer=True),
    Row("georgian5", 12, (2,), claim="bad"),
    Row("georgian5", 0, (2,)),
    Row("georgian5", 0, (0,), hand=3),
    Row("georgian5", 14, (0, 1), objective="points"),
    Row("georgian5[hand=4]", None, (0, 5, 8, 10)),
    Row("georgian5[hand=4]", 20, (0,), objective="points"),
    Row("classic", None, (2,)),
    Row("classic", 12, (4,)),
    Row("classic", 20, (1,), answer=True),
    Row("classic", 12, (0,), claim="good"),
    Row("classic", 12, (0,), claim="bad"),
    Row("classic", 0, (0,)),
    Row("classic", None, (1,), objective="points"),
    Row("classic[deck=32,discards=shown]", None, (2,)),
    Row("classic_shown", None, (4,)),
    Row("classic_shown", 12, (4,), answer=True),
    Row("classic_shown", 0, (0,)),
    Row("classic_shown", None, (2,), objective="points"),
    Row("burkozel", None, (3, 4, 5, 6)),
    Row("burkozel", 14, (3,), answer=True),
    Row("burkozel", 14, (0,), claim="bad"),
    Row("burkozel", 0, (0,)),
    Row("burkozel", 0, (0,), hand=3),
    Row("burkozel", 20, (1,), objective="points"),
    Row("five", 20, (3, 4, 6)),
    Row("five", 6, (3,)),
    Row("five", 12, (1,), answer=True),
    Row("five", 12, (1,), claim="bad"),
    Row("five", 0, (2,)),
    Row("five", 0, (1,), hand=3),
    Row("five", 14, (2,), objective="points"),
    Row("perebor", None, (2, 6)),
    Row("perebor", 12, (2,), claim="good"),
    Row("perebor", 12, (3,), claim="bad"),
    Row("perebor", 20, (3,), answer=True),
    Row("perebor", 0, (0,)),
    Row("perebor[hand=4,target=41,claim_ceiling=60]", None, (2,)),
    Row("no_trump", None, (2,)),
    Row("no_trump", 12, (1,)),
    Row("no_trump", 20, (0,), answer=True),
    Row("no_trump", 0, (0,)),
    Row("no_trump", None, (1,), objective="points"),
    Row("casino", None, (1, 2)),
    Row("casino", 20, (0,), answer=True),
    Row("casino", 12, (0,), hand=2, claim="good"),
    Row("casino", 12, (0,), hand=2, claim="bad"),
    Row("casino", 0, (0,), hand=2, claim="good"),
    Row("casino", 18, (0,), objective="points"),
    Row("moskva", None, (3, 4, 5, 6)),
    Row("moskva", 20, (0,), answer=True),
    Row("moskva", 12, (1,), claim="bad"),
    Row("moskva", 0, (0,)),
    Row("moskva", 18, (0,), objective="points"),
    Row("dave", None, (3, 4)),
    Row("dave", 14, (0,), answer=True),
    Row("dave", 0, (0,)),
    Row("dave", 18, (0,), objective="points"),
    Row("burkozel_kommersant", 20, (0, 1)),
    Row("burkozel_kommersant", 12, (0,), answer=True),
    Row("burkozel_kommersant", 0, (0,), claim="good"),
    Row("burkozel_kommersant", 0, (0,)),
    Row("burkozel_kommersant", 0, (0,), hand=3),
    Row("burkozel_kommersant", 12, (0,), objective="points"),
    Row("bura1", None, (1, 2)),
    Row("bura1", 20, (0,), answer=True),
    Row("bura1", 0, (0,)),
    Row("bura1", 18, (0,), objective="points"),
    Row("bura2", None, (1,)),
    Row("bura2", 14, (0,), answer=True),
    Row("bura2", 12, (0,), claim="good"),
    Row("bura2", 0, (0,)),
    Row("bura2", 18, (0,), objective="points"),
    Row("three_vs_four", None, (0, 2)),
    Row("three_vs_four", 15, (0,), answer=True),
    Row("three_vs_four", 1, (0, 1)),
    Row("three_vs_four", 7, (2,), objective="points"),
    Row("georgian5_pairs", None, (2,)),
    Row("georgian5_pairs", 8, (2,)),
    Row("georgian5_pairs", 4, (0,)),
    Row("georgian5_pairs", 4, (1, 2), answer=True),
    Row("georgian5_pairs", 0, (0,)),
    Row("georgian5_pairs", 0, (0,), hand=3),
    Row("georgian5_pairs", 0, (2,), objective="points"),
    Row("classic[players=4,pairs=yes]", None, (0, 1)),
    Row("classic[players=4,pairs=yes]", 8, (1,), answer=True),
    Row("classic[players=3]", 6, (0,), answer=True),
    Row("classic[players=3]", 3, (0, 2)),
    Row("classic[players=3]", 0, (1,)),
    Row("burkozel[players=3]", 0, (0, 1), hand=3),
    Row("bura1[players=4]", 0, (0, 1)),
    Row("bura2[players=3]", 0, (1, 2)),
    Row("bura2[players=3]", 0, (0,), objective="points"),
    Row("perebor[players=4]", 0, (0, 1), hand=2),
    Row("casino[players=5]", 6, (0, 1), hand=2, claim="bad"),
    Row("classic[players=6]", 0, (0, 2), hand=2),
    Row("georgian3", None, (1,), objective="score"),
    Row("moskva", None, (4, 5), objective="score"),
    Row("moskva", 12, (1,), objective="score"),
    Row("burkozel", 8, (0, 1), objective="score"),
    Row("bura2", 12, (2,), objective="score"),
)


def position(row: Row, seed: int) -> PositionText:
    """The row's position for a seed: the first that fits of one deal after another."""
    rng = random.Random(f"{row.rules} {row.phase} {seed}")
    rules = RuleSet.parse(row.rules)
    while True:
        text: PositionText | None = deal(rules, rng)
        assert text is not None
        if row.talon is not None:
            # Under rules with a compensation few hands would live until the talon is out.
            text = played(Position(replace(text, handicap=(0, 0))), row, rng)
        if text is not None:
            return text


def deal(rules: RuleSet, rng: random.Random) -> PositionText:
    """A whole deal, its empty piles written as bare points."""
    text = PositionText.dealt(rules, rng)
    return replace(text, piles=tuple(Pile((), 0) for _ in text.hands))


def played(at: Position, row: Row, rng: random.Random) -> PositionText | None:
    """Random play up to the phase of a row; None if the hand does not get there."""
    sizes = at.rules.hand_sizes if row.hand is None else (row.hand,) * at.rules.players
    while at.result is None:
        counts = [points + more for points, more in zip(at.points, at.handicap, strict=True)]
        if at.rules.pairs:
            counts = [counts[seat] + counts[seat ^ 2] for seat in range(4)]
        count = -1 if at.claim_seat is None else counts[at.claim_seat]
        good = at.rules.target <= count <= (at.rules.claim_ceiling or count)
        if (
            not at.table
            and len(at.talon) == row.talon
            and (tuple(cards.bit_count() for cards in at.hands) == sizes)
        ):
            right = "" if not row.claim or at.claim_seat is None else "good" if good else "bad"
            if right != row.claim or (max(counts) >= at.rules.target and not good):
                return None
            if row.answer:
                at.play(rng.choice(leads(at)))
            return shortened(at.text(), row) if at.legal_moves() else None
        if max(counts) >= at.rules.target:
            return None
        moves = leads(at)
        # With small cards thrown away more hands live until the talon is out.
        at.play(min(rng.sample(moves, min(2, len(moves))), key=lambda move: worth(at, move)))
    return None


def leads(at: Position) -> list[Move]:
    """The legal moves but for claims."""
    return [move for move in at.legal_moves() if move.kind not in ("claim", "pass")] or (
        at.legal_moves()[-1:]
    )


def worth(at: Position, move: Move) -> int:
    """Points of the cards a move plays."""
    return sum((0, 0, 0, 0, 2, 3, 4, 10, 11)[c % 9] for c in range(36) if move.cards >> c & 1)


def shortened(text: PositionText, row: Row) -> PositionText:
    """The text with bare points for piles, and a right to claim only where it is asked for."""
    points = Position(text).points
    return replace(
        text,
        piles=tuple(Pile((), points) for points in points),
        claim=text.claim if row.claim else None,
    )


def lines() -> Iterator[str]:
    """The suite, line by line."""
    yield from HEADER.splitlines()
    rules = ""
    for row in ROWS:
        if row.rules != rules:
            rules = row.rules
            yield f"\n# {rules}"
        yield f"# {row.phase}"
        objective = "" if row.objective == "outcome" else f"{row.objective} "
        for seed in row.seeds:
            yield f"{objective}{position(row, seed)}"


def main() -> int:
    """Print the suite or write it to its place."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help=f"write {SUITE.name}")
    text = "\n".join(lines()) + "\n"
    if parser.parse_args().write:
        SUITE.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
