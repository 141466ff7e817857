"""Makes the golden hand records in tests/data/records: `python tests/make_records.py`.

Ten hands for each preset of two players, played to the end by a simple policy with fixed seeds:
a player mostly beats where he can, calls an out-of-turn lead every other time, now and then
raises, and claims mostly when his pile counts, sometimes when it does not; in three hands of ten
nobody claims. The comment after each trick holds what was true then, for tests/test_record.py
to compare:

    {hands talon piles turn table options | legal moves + calls | points | how a claim would
    settle the hand, or - | view of 0 | view of 1}

The position and the views are without their first two fields, and the views without the talon.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bura_core import Move, Position, RuleSet, format_cards
from bura_core.record import Event, HandRecord, record_hand, view_of, write_record

FOLDER = Path(__file__).resolve().parent / "data" / "records"
PRESETS = (
    "georgian3",
    "georgian5",
    "classic",
    "classic_shown",
    "five",
    "burkozel",
    "perebor",
    "no_trump",
)
HANDS = 10


def deal(rng: random.Random, rules_text: str) -> str:
    """The line of a random deal of two players."""
    rules = RuleSet.parse(rules_text)
    cards = [s * 9 + r for s in range(4) for r in range(9 - rules.deck // 4, 9)]
    rng.shuffle(cards)
    first, second = cards[: rules.hand], cards[rules.hand : 2 * rules.hand]
    talon = cards[2 * rules.hand :]
    trump = "shdc"[talon[-1] // 9] if rules.trumps else "-"
    hands = f"{format_cards(first)}/{format_cards(second)}"
    return f"{rules} {trump} {hands} {format_cards(talon)} -/- {rng.randrange(2)} -"


def choose(rng: random.Random, position: Position, *, claims: bool = True) -> Move:
    """A move of the policy; without ``claims`` it makes none."""
    rules = position.rules
    moves = position.legal_moves()
    raises = position.raises()
    if raises and (not moves or rng.random() < 0.04):
        return rng.choice(raises)
    calls = [move for _, move in position.calls()]
    if calls and rng.random() < 0.5:
        return rng.choice(calls)
    if moves[0].kind == "claim":
        count = position.points[position.turn] + position.handicap[position.turn]
        ceiling = rules.claim_ceiling
        good = count >= rules.target and (ceiling is None or count <= ceiling)
        if claims and rng.random() < (0.6 if good else 0.02):
            return moves[0]
        moves = moves[1:]
    beating = [move for move in moves if position.table and move.kind == "play"]
    if beating and rng.random() < 0.6:
        return rng.choice(beating)
    return rng.choice(moves)


def play(rng: random.Random, line: str, *, claims: bool = True) -> list[Move]:
    """A whole hand of the policy."""
    position = Position.from_text(line)
    moves = []
    while position.result is None:
        moves.append(choose(rng, position, claims=claims))
        position.play(moves[-1])
    return moves


def claimed(position: Position) -> str:
    """How the hand would end by a claim now: winner and reason, or - where there is no right."""
    moves = position.legal_moves()
    if not moves or moves[0].kind != "claim":
        return "-"
    position.play(moves[0])
    result = position.result
    position.undo()
    assert result is not None
    return f"{result.winner} {result.reason}"


def snapshot(record: HandRecord, position: Position, made: int) -> str:
    """What is true after so many moves."""
    fields = [
        str(position).split(" ", 2)[2],
        f"{len(position.legal_moves())}+{len(position.calls())}",
        "/".join(map(str, position.points)),
        claimed(position),
    ]
    for seat in (0, 1):
        _, _, hands, _, piles, *_ = str(view_of(record, seat, made)).split()
        fields.append(f"{hands} {piles}")
    return " | ".join(fields)


def with_snapshots(record: HandRecord) -> HandRecord:
    """The record with a comment after each trick but the last."""
    position = Position.from_text(start_of(record))
    tricks = []
    made = 0
    for trick in record.tricks:
        for event in trick:
            if event.move is not None:
                position.play(event.move)
                made += 1
        if position.result is None:
            trick = (*trick, Event("comment", text=snapshot(record, position, made)))
        tricks.append(trick)
    return replace(record, tricks=tuple(tricks))


def start_of(record: HandRecord) -> str:
    """The line of the deal of a record of all seats of two players."""
    talon: list[int | None] = []
    for trick in record.tricks:
        draws = [event.cards for event in trick if event.kind == "draw"]
        if draws:
            talon += [card for pair in zip(*draws, strict=True) for card in pair]
    talon += record.undrawn or ()
    trump = "-" if record.trump is None else "shdc"[record.trump]
    hands = "/".join(map(format_cards, record.hands))
    return f"{record.rules} {trump} {hands} {format_cards(talon)} -/- {record.lead} -"


def hands(preset: str) -> Iterator[HandRecord]:
    """The golden hands of a preset."""
    for number in range(HANDS):
        rng = random.Random(f"{preset} {number}")
        line = deal(rng, preset)
        yield with_snapshots(
            record_hand(line, play(rng, line, claims=number % 3 > 0 or not number))
        )


def main() -> int:
    """Writes the files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for preset in PRESETS:
        with (FOLDER / f"{preset}.txt").open("w", encoding="utf-8") as file:
            for record in hands(preset):
                write_record(file, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
