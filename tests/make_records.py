"""Makes the golden hand records in tests/data/records: `python tests/make_records.py`.

At least ten hands for each preset, at each number of players that is usual with it, played to the
end by a simple policy with fixed seeds: a player mostly beats where he can, calls an out-of-turn
lead every other time, now and then raises, and claims mostly when his pile counts, sometimes when
it does not; in three hands of ten nobody claims. The comment after each trick holds what was true
then, for tests/test_record.py to compare:

    {hands talon piles turn table options | legal moves + calls | points | how a claim would
    settle the hand, or - | view of 0 | view of 1 ...}

The position and the views are without their first two fields, and the views without the talon.
The comment before the first trick holds the legal moves of the deal.
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
TABLES = {
    "georgian3": ("georgian3",),
    "georgian5": ("georgian5",),
    "georgian5_pairs": ("georgian5_pairs",),
    "classic": ("classic", "classic[players=3]"),
    "classic_shown": ("classic_shown", "classic_shown[players=3]"),
    "casino": ("casino", *(f"casino[players={n}]" for n in (3, 4, 5, 6))),
    "moskva": ("moskva", "moskva[players=3]"),
    "dave": ("dave",),
    "five": ("five", "five[players=3]"),
    "burkozel": ("burkozel", "burkozel[players=3]", "burkozel[players=4]"),
    "burkozel_kommersant": ("burkozel_kommersant", "burkozel_kommersant[players=3]"),
    "bura1": ("bura1", "bura1[players=3]", "bura1[players=4]"),
    "bura2": ("bura2", "bura2[players=3]", "bura2[players=4,pairs=yes]"),
    "perebor": ("perebor",),
    "no_trump": ("no_trump", "no_trump[players=3]"),
    "three_vs_four": ("three_vs_four", "three_vs_four[extra_card=0,open_hands=0]"),
}
"""Preset -> the rule sets of its golden hands."""
PRESETS = tuple(TABLES)
HANDS = 10
"""Hands of each rule set."""


def deal(rng: random.Random, rules_text: str) -> str:
    """The line of a random deal."""
    rules = RuleSet.parse(rules_text)
    cards = [s * 9 + r for s in range(4) for r in range(9 - rules.deck // 4, 9)]
    rng.shuffle(cards)
    hands, at = [], 0
    for size in rules.hand_sizes:
        hands.append(format_cards(cards[at : at + size]))
        at += size
    talon = cards[at:]
    last = (talon or cards)[-1]
    trump = "shdc"[last // 9] if rules.trumps else "-"
    piles = "/".join("-" * rules.players)
    leader = rng.randrange(rules.players)
    return f"{rules} {trump} {'/'.join(hands)} {format_cards(talon)} {piles} {leader} -"


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
        turn = position.turn
        side = (turn, (turn + 2) % 4) if rules.pairs else (turn,)
        count = sum(position.points[seat] + position.handicap[seat] for seat in side)
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
    """How the hand would end, or go on, by a claim now; - where there is no right to one."""
    moves = position.legal_moves()
    if not moves or moves[0].kind != "claim":
        return "-"
    turn = position.turn
    position.play(moves[0])
    result = position.result
    left = turn in position.text().left
    position.undo()
    if result is None:
        return f"{turn} leaves" if left else f"{turn} is out"
    losers = "".join(f" -{seat}" for seat in result.losers)
    return f"{'-' if result.winner is None else result.winner} {result.reason}{losers}"


def snapshot(record: HandRecord, position: Position, made: int) -> str:
    """What is true after so many moves."""
    fields = [
        str(position).split(" ", 2)[2],
        f"{len(position.legal_moves())}+{len(position.calls())}",
        "/".join(map(str, position.points)),
        claimed(position),
    ]
    for seat in range(record.rules.players):
        _, _, hands, _, piles, *_ = str(view_of(record, seat, made)).split()
        fields.append(f"{hands} {piles}")
    return " | ".join(fields)


def with_snapshots(record: HandRecord) -> HandRecord:
    """The record with a comment after each trick but the last."""
    position = Position.from_text(start_of(record))
    tricks = []
    made = 0
    listed = [str(move) for move in position.legal_moves()]
    listed += [f"{seat}:{move}" for seat, move in position.calls()]
    for trick in record.tricks:
        for event in trick:
            if event.move is not None:
                position.play(event.move)
                made += 1
        if position.result is None:
            trick = (*trick, Event("comment", text=snapshot(record, position, made)))
        tricks.append(trick)
    comments = (" ".join(listed),) if listed else ()
    return replace(record, tricks=tuple(tricks), comments=comments)


def start_of(record: HandRecord) -> str:
    """The line of the deal of a record of all seats."""
    talon: list[int | None] = []
    for trick in record.tricks:
        draws = [event.cards for event in trick if event.kind == "draw"]
        for number in range(max(map(len, draws), default=0)):
            talon += [cards[number] for cards in draws if number < len(cards)]
    talon += record.undrawn or ()
    trump = "-" if record.trump is None else "shdc"[record.trump]
    hands = "/".join(map(format_cards, record.hands))
    piles = "/".join("-" * record.rules.players)
    return f"{record.rules} {trump} {hands} {format_cards(talon)} {piles} {record.lead} -"


def hands(preset: str) -> Iterator[HandRecord]:
    """The golden hands of a preset."""
    for rules in TABLES[preset]:
        for number in range(HANDS):
            rng = random.Random(f"{rules} {number}")
            line = deal(rng, rules)
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
