"""Hand records: a hand as everybody, or as one seat, saw it; as text, checked and replayed.

The text is in the spirit of PGN (docs/records.md): tags, then numbered tricks. `parse_record`
reads one hand and `read_records` a file of any length, `str` of a `HandRecord` is its canonical
text, and either way back gives an equal value. `HandRecord.replay` plays it through the rule
engine, `HandRecord.as_seen_by` leaves what one seat has seen, `view_of` is that seat's `View`
in the middle of the hand, and `record_hand` writes down a hand that is being played.
"""

from __future__ import annotations

import random
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, TextIO, TypeVar

from bura_core._rules import Position, Result
from bura_core.errors import Fault, HiddenCardsError, IllegalMoveError, InputError
from bura_core.notation import (
    Move,
    Pile,
    PileItem,
    Play,
    PositionText,
    check_position,
    format_cards,
    parse_card,
    parse_move,
    parse_position,
    parse_zone,
)
from bura_core.rule_sets import RuleSet
from bura_core.view import Act, View

__all__ = [
    "FOULS",
    "MAX_RECORD",
    "REASONS",
    "Event",
    "HandRecord",
    "Replay",
    "Step",
    "check_record",
    "parse_event",
    "parse_record",
    "read_records",
    "record_hand",
    "record_of",
    "result_text",
    "tags_of",
    "view_of",
    "write_record",
]

MAX_RECORD: Final = 100_000
"""The longest text of one hand, in characters, that is read at all; most need under 1000."""

FOULS: Final = ("out_of_turn_draw", "double_draw", "looked")
"""Fouls that a table reports (RULES §7): a card drawn out of turn, two drawn at once, closed
cards looked at."""

REASONS: Final = (
    "claim", "false_claim", "bura", "three_aces", "points", "draw", "no_winner", "void", "fold",
    "challenge", "false_challenge", "foul", "redeal",
)  # fmt: skip
"""How a recorded hand may have ended: as in `Result`, and by a foul or a redealt deal."""

_ON_SIGHT: Final = ("bura", "three_aces", "void")
_COUNTED: Final = frozenset(("points", "draw"))
_WITHOUT_WINNER: Final = ("draw", "no_winner", "void", "redeal")
_SUITS: Final = "shdc"
_POINTS: Final = (0, 0, 0, 0, 2, 3, 4, 10, 11)
_MOST_FAULTS: Final = 50
_MOST_COMMENT: Final = 2000
# How often cards that one seat did not see are dealt anew before a record is given up on.
_TRIES: Final = 200

_TAGS: Final = (
    "Rules", "Position", "Trump", "TurnUp", "Seat", "Players", "Date", "Dealer", "Lead", "Score",
    "Handicap", "Hands", "Undrawn", "Result", "Points",
)  # fmt: skip
_OF_THE_DEAL: Final = ("Trump", "TurnUp", "Lead", "Score", "Handicap", "Hands", "Undrawn")
"""Tags that say how a hand begins: a Position tag says it in their place."""
_TAG: Final = re.compile(r'\[([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\.)*)"\]')
_TAG_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_]{0,39}")
_TOKEN: Final = re.compile(
    r"\{(?P<comment>[^{}]*)\}|(?P<number>[1-9][0-9]*)\."
    r"|(?P<seat>[0-9])(?P<sign>[:+=!#])(?P<body>[^\s{}]+)|(?P<end>-(?=\s|$))|(?P<space>\s+)"
)
_JUNK: Final = re.compile(r"[^\s{}]+|[{}]")
_UNSEEN_DISCARD: Final = re.compile(r"\(x([1-9][0-9]?)\)")
_SCORE: Final = re.compile(r"(0|[1-9][0-9]{0,2}):(0|[1-9][0-9]{0,2})/([1-9][0-9]{0,2})")
_DATE: Final = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,2}")
_DECK_OF: Final = {
    size: frozenset(suit * 9 + rank for suit in range(4) for rank in range(low, 9))
    for size, low in ((36, 0), (32, 1), (20, 4))
}


# ---- values -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a trick, or a comment on it.

    ``kind`` is that of a `Move` (``play``, ``discard``, ``stop``, ``claim``, ``raise``,
    ``accept``, ``fold``, ``pass``, ``challenge``), or ``draw``, ``show`` (cards turned up to be
    seen by all), ``count`` (``text`` is the points of a pile that was counted while the hand
    went on), ``foul`` (``text`` is one of `FOULS`) or ``comment`` (``text``, with no seat).
    ``cards`` are 0 to 35, or None for a card the recorder has not seen: of a draw in drawing
    order, else sorted, suits s h d c and high to low within each. ``str`` gives the notation.
    """

    kind: str
    seat: int | None = None
    cards: tuple[int | None, ...] = ()
    text: str = ""

    def __post_init__(self) -> None:
        cards = self.cards
        if len(cards) > 1 and self.kind != "draw":
            known = sorted([c for c in cards if c is not None], key=_order)
            ordered = (*known, *(None,) * (len(cards) - len(known)))
            if ordered != cards:
                object.__setattr__(self, "cards", ordered)
        if self.kind == "comment":
            object.__setattr__(self, "text", " ".join(self.text.split()))

    @property
    def is_move(self) -> bool:
        """Whether it is a move of a seat: no draw, show, count, foul or comment."""
        return self.kind not in ("draw", "show", "count", "foul", "comment")

    @property
    def move(self) -> Move | None:
        """The move; None for what is no move, or a discard of unseen cards."""
        if not self.is_move or None in self.cards:
            return None
        return Move(
            self.kind, _mask(self.cards), int(self.text) if self.text.isdecimal() else None
        )

    def __str__(self) -> str:
        kind, cards = self.kind, self.cards
        if kind == "play":
            return f"{self.seat}:{format_cards(cards)}"
        if kind == "draw":
            return f"{self.seat}+{format_cards(cards)}"
        if kind == "discard":
            return f"{self.seat}:({format_cards(cards)})"
        if kind == "comment":
            return f"{{{self.text}}}"
        if kind == "stop":
            return f"{self.seat}:stop:{format_cards(cards)}"
        if kind == "show":
            return f"{self.seat}={format_cards(cards)}"
        if kind == "foul":
            return f"{self.seat}!{self.text}"
        if kind == "count":
            return f"{self.seat}#{self.text}"
        return f"{self.seat}:{kind}:{self.text}" if self.text else f"{self.seat}:{kind}"


@dataclass(frozen=True)
class HandRecord:
    """One hand, from the deal on: the tags, and what happened trick by trick.

    Seats count from 0, clockwise. Cards are 0 to 35, None where the recorder did not see one.

    Attributes:
        rules: the rule set.
        trump: the trump suit 0..3 (s h d c), or None without trumps.
        turn_up: the turned trump card, the last of the talon; None without one.
        seat: who recorded it, knowing his own cards; None: all cards of all seats are known.
        hands: the hands as dealt, by seat.
        lead: the seat that leads first.
        tricks: the events, trick by trick.
        undrawn: what is left of the talon, in drawing order; None where nobody looked.
        dealer: the seat that dealt, or None.
        players: names by seat, or none.
        date: as in 2026-11-30, or None.
        score: the match before the hand: of seat (or pair) 0, of 1, and what it is played to.
        handicap: points by seat that count beside the pile; None: those of the rules.
        winner: the seat that won the hand, or None.
        reason: how it ended, one of `REASONS`; empty while it goes on.
        points: the piles by seat as counted at the end, None for each that was not; or None.
        comments: comments before the first trick.
        tags: further tags and their values, in their order.
        start: the position that the record begins with, if that is not the deal; ``rules``,
            ``trump``, ``turn_up``, ``hands``, ``lead``, ``handicap`` and ``score`` are then its.
    """

    rules: RuleSet
    trump: int | None
    turn_up: int | None
    seat: int | None
    hands: tuple[tuple[int | None, ...], ...]
    lead: int
    tricks: tuple[tuple[Event, ...], ...] = ()
    undrawn: tuple[int | None, ...] | None = None
    dealer: int | None = None
    players: tuple[str, ...] = ()
    date: str | None = None
    score: tuple[int, int, int] | None = None
    handicap: tuple[int, ...] | None = None
    winner: int | None = None
    reason: str = ""
    points: tuple[int | None, ...] | None = None
    comments: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    start: PositionText | None = None

    def __post_init__(self) -> None:
        comments = tuple([" ".join(text.split()) for text in self.comments])
        if comments != self.comments:
            object.__setattr__(self, "comments", comments)

    @property
    def moves(self) -> tuple[Event, ...]:
        """All moves in their order, without draws, shows, fouls and comments."""
        return tuple([event for trick in self.tricks for event in trick if event.is_move])

    @property
    def has_unknown(self) -> bool:
        """Whether some card of the hand, undrawn ones included, is unknown."""
        left = _talon_size(self) - _drawn(self)
        undrawn = self.undrawn
        if self.start is not None:
            return self.start.has_unknown or self._unknown_in_play
        if undrawn is None:
            undrawn = (None,) * (left if left > 1 or self.turn_up is None else 0)
        return None in undrawn or self._unknown_in_play

    @property
    def _unknown_in_play(self) -> bool:
        if self.start is not None and self.start.has_unknown:
            return True
        return any(None in hand for hand in self.hands) or any(
            None in event.cards for trick in self.tricks for event in trick
        )

    def __str__(self) -> str:
        lines = [f'[{name} "{_escaped(value)}"]' for name, value in _tag_values(self)]
        lines.append("")
        lines += [f"{{{text}}}" for text in self.comments]
        lines += [
            f"{number}. {' '.join(map(str, trick))}"
            for number, trick in enumerate(self.tricks, start=1)
        ]
        if not self.tricks:
            lines.append("-")
        return "\n".join(lines) + "\n"

    def as_seen_by(self, seat: int) -> HandRecord:
        """The record as ``seat`` could have written it: nothing in it that he did not see.

        Hidden are the other hands but those that lie open, what the others drew (but the turned
        trump) and laid face down, the undrawn cards, and piles that were not counted at the
        table. Comments go too:
        whoever wrote them may have known more. Raises InputError for a seat that is not there,
        or where the record is another seat's.
        """
        players = len(self.hands)
        if type(seat) is not int or not 0 <= seat < players:
            raise InputError(Fault("seat", str(seat), "no such seat", f"use 0 to {players - 1}"))
        if self.seat not in (None, seat):
            raise InputError(
                Fault(
                    "seat",
                    str(seat),
                    f"the record is what seat {self.seat} has seen",
                    f"use {self.seat}, or a record of all seats",
                )
            )

        face_up = (seat, *self.rules.open_seats)

        def seen(event: Event) -> Event:
            if event.seat in face_up or event.kind not in ("draw", "discard"):
                return event
            hidden = [c if event.kind == "draw" and c == turn_up else None for c in event.cards]
            return replace(event, cards=tuple(hidden))

        # A turned trump that nobody can point at is as hidden as the rest.
        turn_up = self.turn_up if self.turn_up is not None else -1
        start = self.start
        hands = tuple(
            [hand if i in face_up else (None,) * len(hand) for i, hand in enumerate(self.hands)]
        )
        if start is not None and start.trick and self.seat is None:
            raise InputError(
                Fault(
                    "Position",
                    format_cards(start.trick),
                    "the trick before may still be challenged, and no seat has seen all of it",
                    "begin the record before that trick",
                )
            )
        if start is not None:
            start = View.from_text(start, seat).text if self.seat is None else start
            hands = start.hands
        return replace(
            self,
            seat=seat,
            start=start,
            hands=hands,
            tricks=tuple(
                [
                    tuple([seen(event) for event in trick if event.kind != "comment"])
                    for trick in self.tricks
                ]
            ),
            undrawn=None,
            points=_counted(self),
            comments=(),
        )

    def replay(self) -> Replay:
        """Plays the hand through the rule engine and checks every event.

        In a record of one seat everything is checked that follows from what it knows: unseen
        cards are dealt so that they fit. Raises InputError with every fault of the record as
        such (`check_record`), IllegalMoveError for the first event that is not legal where it
        stands (its ``field`` is the trick, as in ``trick 3``), or if the hand did not end as
        the record says (``Result``, ``Points``); UnsupportedError for rules that are not played.
        """
        faults = check_record(self)
        if faults:
            raise InputError(faults)
        run = _replayed(self)
        assert run.position is not None
        points: tuple[int, ...] | None = run.position.points
        if self._unknown_in_play:
            told = self.points or (None,)
            points = None if None in told else tuple([p or 0 for p in told])
        return Replay(self, tuple(run.steps), run.result, run.position.tricks, points)


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a replayed hand: number of its trick, from 1, seat, event, and, where all
    cards in play are known, the position it was made in.
    """

    trick: int
    seat: int
    event: Event
    position: Position | None


@dataclass(frozen=True, slots=True)
class Replay:
    """A record that was played through without a fault.

    ``result`` is how the hand ended, None if it goes on or was dealt again. What unseen cards
    decide, such as a claim in one seat's record, is taken from the record. ``tricks`` are the
    tricks taken by seat, ``points`` the piles at the end as far as they are known, else None.
    """

    record: HandRecord
    steps: tuple[Step, ...]
    result: Result | None
    tricks: tuple[int, ...] = ()
    points: tuple[int, ...] | None = None


def _order(card: int) -> tuple[int, int]:
    return card // 9, -card


def _mask(cards: Iterable[int | None]) -> int:
    mask = 0
    for card in cards:
        if card is not None:
            mask |= 1 << card
    return mask


def _talon_size(record: HandRecord) -> int:
    if record.start is not None:
        return len(record.start.talon)
    return record.rules.deck - sum(map(len, record.hands))


def _drawn(record: HandRecord) -> int:
    return sum(
        [len(event.cards) for trick in record.tricks for event in trick if event.kind == "draw"]
    )


def _counted(record: HandRecord) -> tuple[int | None, ...] | None:
    """The piles that everybody saw counted."""
    if record.points is None or record.reason in ("points", "draw", "no_winner"):
        return record.points
    claimants = {event.seat for trick in record.tricks for event in trick if event.kind == "claim"}
    counted = tuple([p if i in claimants else None for i, p in enumerate(record.points)])
    return None if all(points is None for points in counted) else counted


# ---- printing ---------------------------------------------------------------------------


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _tag_values(record: HandRecord) -> Iterator[tuple[str, str]]:
    """The tags in canonical order; what has its usual value is left out."""
    yield "Rules", str(record.rules)
    if record.start is not None:
        yield "Position", str(record.start)
        yield from _tags_of_any(record)
        return
    yield "Trump", "-" if record.trump is None else _SUITS[record.trump]
    if record.turn_up is not None:
        yield "TurnUp", format_cards((record.turn_up,))
    yield from _tags_of_any(record)


def _tags_of_any(record: HandRecord) -> Iterator[tuple[str, str]]:
    """The tags that do not say how the hand begins, and, of one from the deal, those that do."""
    from_deal = record.start is None
    yield "Seat", "all" if record.seat is None else str(record.seat)
    if record.players:
        yield "Players", "/".join(record.players)
    if record.date is not None:
        yield "Date", record.date
    if record.dealer is not None:
        yield "Dealer", str(record.dealer)
    if from_deal:
        yield "Lead", str(record.lead)
        if record.score is not None:
            yield "Score", "{}:{}/{}".format(*record.score)
        if record.handicap is not None:
            yield "Handicap", "/".join(map(str, record.handicap))
        yield "Hands", "/".join(map(format_cards, record.hands))
        if record.undrawn is not None:
            yield "Undrawn", format_cards(record.undrawn)
    yield "Result", result_text(record)
    if record.points is not None:
        yield "Points", "/".join(["x" if p is None else str(p) for p in record.points])
    yield from record.tags


def tags_of(record: HandRecord) -> dict[str, str]:
    """The tags of the record's canonical text, in their order."""
    return dict(_tag_values(record))


def result_text(record: HandRecord) -> str:
    """The value of the tag Result: ``0 claim``, ``- draw``, or ``*`` while the hand goes on."""
    if not record.reason:
        return "*"
    return f"{'-' if record.winner is None else record.winner} {record.reason}"


def write_record(file: TextIO, record: HandRecord) -> None:
    """Writes the canonical text and an empty line: record after record makes a file."""
    file.write(f"{record}\n")


# ---- reading ----------------------------------------------------------------------------


def parse_record(text: str) -> HandRecord:
    """The hand written as ``text``.

    Raises InputError with every fault of the text at once, each with its line and column; also
    where there is no hand in it, or more than one. Whether the moves are legal is for `replay`.
    """
    if len(text) > MAX_RECORD:
        raise InputError(
            Fault(
                "record",
                text[:60],
                f"longer than {MAX_RECORD} characters",
                "read several hands with read_records",
            )
        )
    lines = list(enumerate(text.splitlines(), start=1))
    chunks = list(_chunks(iter(lines)))
    if not chunks:
        raise InputError(
            Fault("record", text, "no hand in it", 'begin with a tag, as in [Rules "georgian3"]')
        )
    if len(chunks) > 1:
        raise InputError(
            Fault(
                f"line {chunks[1][0][0]}",
                chunks[1][0][1],
                "a second hand begins here",
                "give one hand at a time, or read them with read_records",
            )
        )
    return _Reader(chunks[0]).read()


def read_records(
    file: Iterable[str], *, on_error: Callable[[InputError], None] | None = None
) -> Iterator[HandRecord]:
    """The hands of a text file (or of any lines), one at a time, however many there are.

    Raises InputError at the first hand that has faults, each with its line in the file; with
    ``on_error`` it is called instead, and reading goes on with the next hand.
    """
    for chunk in _chunks(enumerate(file, start=1)):
        try:
            record = _Reader(chunk).read()
        except InputError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield record


_Lines = list[tuple[int, str]]


def _chunks(lines: Iterator[tuple[int, str]]) -> Iterator[_Lines]:
    """The lines hand by hand: one begins at a tag behind moves, or at a second Rules tag."""
    chunk: _Lines = []
    moves = ruled = False
    size = 0
    for number, line in lines:
        line = line.rstrip()
        if number == 1:
            line = line.removeprefix("\ufeff")
        if line.startswith("["):
            rules = line.startswith("[Rules")
            if moves or (rules and ruled):
                yield chunk
                chunk, moves, ruled, size = [], False, False, 0
            ruled = ruled or rules
        elif line:
            moves = True
        elif not chunk:
            continue
        size += len(line) + 1
        # One character more than may be, and the reader refuses it; the rest of a text that
        # is no record at all need not be kept.
        if size <= MAX_RECORD or not chunk or len(chunk[-1][1]) <= MAX_RECORD:
            chunk.append((number, line if size <= MAX_RECORD else "x" * (MAX_RECORD + 1)))
    if any(line for _, line in chunk):
        yield chunk


_T = TypeVar("_T")


class _Reader:
    """Reads one hand, and keeps what is wrong with it for the end."""

    def __init__(self, lines: _Lines) -> None:
        self.lines = lines
        self.faults: list[tuple[int, int, Fault]] = []
        self.tag_lines: dict[str, int] = {}
        self.text = ""
        self.starts: list[int] = []
        self.numbers: list[int] = []
        self.places: dict[tuple[int, int], int] = {}

    def read(self) -> HandRecord:
        first = self.lines[0][0]
        if any(len(line) > MAX_RECORD for _, line in self.lines):
            raise InputError(
                Fault(
                    f"line {first}",
                    self.lines[0][1][:60],
                    f"the hand is longer than {MAX_RECORD} characters",
                    "begin each hand with its Rules tag",
                )
            )
        tags: dict[str, str] = {}
        moves: _Lines = []
        for number, line in self.lines:
            if line.startswith("[") and not moves:
                self.read_tag(number, line, tags)
            elif line or moves:
                moves.append((number, line))
        self.numbers = [number for number, _ in moves]
        at = 0
        for _, line in moves:
            self.starts.append(at)
            at += len(line) + 1
        self.text = "\n".join([line for _, line in moves])
        comments, tricks = self.read_moves()
        return self.finish(self.assemble(tags, comments, tricks, first))

    def finish(self, record: HandRecord | None) -> HandRecord:
        """The record, if nothing is wrong with it; else raises everything that is."""
        if record is not None and not self.faults:
            for place, fault in _check(record):
                self.locate(place, fault)
        if self.faults or record is None:
            self.faults.sort(key=lambda item: item[:2])
            faults = [fault for _, _, fault in self.faults]
            if len(faults) > _MOST_FAULTS:
                more = len(faults) - _MOST_FAULTS
                faults = faults[:_MOST_FAULTS]
                faults.append(
                    Fault("record", "...", f"and {more} more faults", "mend the first ones first")
                )
            raise InputError(faults)
        return record

    # -- where a fault is

    def fault(self, line: int, column: int, value: str, problem: str, remedy: str) -> None:
        where = f"line {line}, column {column}"
        self.faults.append((line, column, Fault(where, value, problem, remedy)))

    def fault_at(self, offset: int, value: str, problem: str, remedy: str) -> None:
        index = bisect_right(self.starts, offset) - 1
        self.fault(self.numbers[index], offset - self.starts[index] + 1, value, problem, remedy)

    def tag_fault(self, tag: str, value: str, problem: str, remedy: str) -> None:
        line = self.tag_lines.get(tag, self.lines[0][0])
        where = f"line {line}, tag {tag}"
        self.faults.append((line, 0, Fault(where, value, problem, remedy)))

    def locate(self, place: _Place, fault: Fault) -> None:
        """A fault that was found in the finished record."""
        if isinstance(place, str):
            self.tag_fault(place, fault.value, fault.problem, fault.remedy)
        else:
            offset = self.places.get(place, 0)
            index = bisect_right(self.starts, offset) - 1
            line, column = self.numbers[index], offset - self.starts[index] + 1
            where = f"line {line}, column {column} (trick {place[0] + 1})"
            self.faults.append((line, column, replace(fault, field=where)))

    # -- tags

    def read_tag(self, number: int, line: str, tags: dict[str, str]) -> None:
        match = _TAG.fullmatch(line)
        if match is None:
            self.fault(number, 1, line, "not a tag", 'write a name and a value: [Trump "h"]')
            return
        name, value = match[1], re.sub(r"\\(.)", r"\1", match[2])
        if name in tags:
            self.fault(number, 1, line, "the tag is given twice", "give it once")
            return
        if name not in _TAGS:
            near = get_close_matches(name, _TAGS, n=1, cutoff=0.75)
            if near:
                self.fault(number, 1, line, "no such tag", f"did you mean {near[0]}?")
                return
        tags[name] = value
        self.tag_lines[name] = number

    def assemble(
        self,
        tags: dict[str, str],
        comments: tuple[str, ...],
        tricks: tuple[tuple[Event, ...], ...],
        first: int,
    ) -> HandRecord | None:
        """The record; None if something it cannot be without is missing or wrong."""
        needed = {
            "Rules": "georgian3",
            "Seat": "all",
            "Hands": "AsTdQh/x3",
        }
        before = len(self.faults)
        if "Position" in tags:
            return self.assemble_from_position(tags, comments, tricks, first)
        for name, example in needed.items():
            if name not in tags:
                self.fault(
                    first, 1, name, "the tag is missing", f'add a line [{name} "{example}"]'
                )
        rules = self.value(tags, "Rules", self.read_rules)
        turn_up = self.value(tags, "TurnUp", parse_card)
        trump = self.value(tags, "Trump", _read_suit)
        if "Trump" not in tags and turn_up is not None:
            trump = turn_up // 9
        elif "Trump" not in tags and rules is not None and rules.trumps and "TurnUp" not in tags:
            self.fault(first, 1, "Trump", "the tag is missing", 'add a line [Trump "h"]')
        seat = self.value(tags, "Seat", lambda text: -1 if text == "all" else _read_seat(text))
        dealer = self.value(tags, "Dealer", _read_seat)
        lead = self.value(tags, "Lead", _read_seat)
        if "Lead" not in tags:
            if dealer is not None and rules is not None:
                lead = (dealer + 1) % rules.players
            elif "Dealer" not in tags:
                self.fault(first, 1, "Lead", "the tag is missing", 'add a line [Lead "0"]')
        hands = self.value(
            tags, "Hands", lambda text: tuple([parse_zone(t) for t in text.split("/")])
        )
        undrawn = self.value(tags, "Undrawn", parse_zone)
        players = self.value(tags, "Players", lambda text: tuple(text.split("/")))
        date = self.value(tags, "Date", str)
        score = self.value(tags, "Score", _read_score)
        handicap = self.value(tags, "Handicap", _read_numbers)
        result = self.value(tags, "Result", _read_result)
        points = self.value(tags, "Points", _read_points)
        if rules is None or seat is None or hands is None or len(self.faults) > before:
            return None
        return HandRecord(
            rules=rules,
            trump=trump,
            turn_up=turn_up,
            seat=None if seat < 0 else seat,
            hands=hands,
            lead=lead or 0,
            tricks=tricks,
            undrawn=undrawn,
            dealer=dealer,
            players=players or (),
            date=date,
            score=score,
            handicap=handicap,
            winner=None if result is None else result[0],
            reason="" if result is None else result[1],
            points=points,
            comments=comments,
            tags=tuple([(name, value) for name, value in tags.items() if name not in _TAGS]),
        )

    def assemble_from_position(
        self,
        tags: dict[str, str],
        comments: tuple[str, ...],
        tricks: tuple[tuple[Event, ...], ...],
        first: int,
    ) -> HandRecord | None:
        """The record of a hand that begins with a position."""
        before = len(self.faults)
        if "Seat" not in tags:
            self.fault(first, 1, "Seat", "the tag is missing", 'add a line [Seat "all"]')
        for name in _OF_THE_DEAL:
            if name in tags:
                self.tag_fault(name, tags[name], "the Position tag says that", "leave it out")
        start = self.value(tags, "Position", parse_position)
        rules = self.value(tags, "Rules", self.read_rules)
        seat = self.value(tags, "Seat", lambda text: -1 if text == "all" else _read_seat(text))
        dealer = self.value(tags, "Dealer", _read_seat)
        players = self.value(tags, "Players", lambda text: tuple(text.split("/")))
        date = self.value(tags, "Date", str)
        result = self.value(tags, "Result", _read_result)
        points = self.value(tags, "Points", _read_points)
        if start is not None and rules is not None and rules != start.rules:
            self.tag_fault("Rules", str(rules), f"the Position tag has {start.rules}", "as there")
        if start is None or seat is None or len(self.faults) > before:
            return None
        return replace(
            _begun(start, None if seat < 0 else seat),
            tricks=tricks,
            dealer=dealer,
            players=players or (),
            date=date,
            winner=None if result is None else result[0],
            reason="" if result is None else result[1],
            points=points,
            comments=comments,
            tags=tuple([(name, value) for name, value in tags.items() if name not in _TAGS]),
        )

    def read_rules(self, text: str) -> RuleSet:
        rules = _RULES.get(text)
        if rules is None:
            rules = RuleSet.parse(text)
            if len(_RULES) < 1000:
                _RULES[text] = rules
        return rules

    def value(self, tags: dict[str, str], name: str, read: Callable[[str], _T]) -> _T | None:
        text = tags.get(name)
        if text is None:
            return None
        try:
            return read(text)
        except InputError as error:
            for fault in error.faults:
                self.tag_fault(name, fault.value, fault.problem, fault.remedy)
            return None

    # -- tricks

    def read_moves(self) -> tuple[tuple[str, ...], tuple[tuple[Event, ...], ...]]:
        comments: list[str] = []
        tricks: list[tuple[Event, ...]] = []
        trick: list[Event] | None = None
        text = self.text
        places = self.places
        at, end = 0, len(text)
        match_token = _TOKEN.match
        while at < end:
            match = match_token(text, at)
            if match is None:
                at = self.read_junk(at)
                continue
            start, at = at, match.end()
            kind = match.lastgroup
            if kind == "space":
                continue
            if kind == "body":
                event = self.read_event(match)
                if trick is None:
                    self.fault_at(
                        start, match[0], "stands before the first trick", "begin it with 1."
                    )
                    trick = []
                if event is not None:
                    places[len(tricks), len(trick)] = start
                    trick.append(event)
            elif kind == "number":
                if trick is not None:
                    tricks.append(tuple(trick))
                number = int(match[0][:-1]) if len(match[0]) < 5 else 0
                if number != len(tricks) + 1:
                    self.fault_at(
                        start,
                        match[0],
                        "tricks are numbered one after the other",
                        f"write {len(tricks) + 1}.",
                    )
                trick = []
            elif kind == "comment":
                comment = " ".join(match["comment"].split())
                if self.comment_is_good(start, comment):
                    if trick is None:
                        comments.append(comment)
                    else:
                        places[len(tricks), len(trick)] = start
                        trick.append(Event("comment", text=comment))
            elif trick is not None:
                self.fault_at(start, "-", "stands for a hand without tricks", "leave it out")
        if trick is not None:
            tricks.append(tuple(trick))
        return tuple(comments), tuple(tricks)

    def read_junk(self, at: int) -> int:
        """Reports what is no event at all, and gives where to read on."""
        match = _JUNK.match(self.text, at)
        assert match is not None  # whatever is no blank
        part = match[0]
        if part == "{":
            problem, remedy = "the comment is not closed", "close it with }"
        elif part == "}":
            problem, remedy = "no comment is open", "leave it out, or open the comment with {"
        elif part.startswith("["):
            problem, remedy = "a tag among the moves", "tags come before the first trick"
        elif re.match(r"[0-9]{2,}[:+=!#]", part):
            problem, remedy = "no such seat", "seats are 0 to 5, as in 1:(7s8d)"
        elif re.match(r"[0-9][:+=!#]$", part):
            problem, remedy = "nothing follows the seat", "write 0:TsJs, 0+Ac or 0:claim"
        else:
            problem = "not an event"
            remedy = "write seat:move, as in 0:TsJs or 1:claim, or seat+cards for a draw"
        self.fault_at(at, part, problem, remedy)
        return match.end() if part != "{" else len(self.text)

    def comment_is_good(self, at: int, comment: str) -> bool:
        problem = _comment_problem(comment)
        if problem is not None:
            self.fault_at(at, comment, *problem)
        return problem is None and bool(comment)

    def read_event(self, match: re.Match[str]) -> Event | None:
        seat, sign, body = int(match["seat"]), match["sign"], match["body"]
        try:
            return _event(seat, sign, body)
        except InputError as error:
            for fault in error.faults:
                value = match[0] if fault.value == body else fault.value
                self.fault_at(match.start(), value, fault.problem, fault.remedy)
            return None


_RULES: dict[str, RuleSet] = {}


def _begun(start: PositionText, seat: int | None) -> HandRecord:
    """A record without a move that begins with a position."""
    turned = start.talon[-1] if start.talon and start.rules.trumps else None
    return HandRecord(
        rules=start.rules,
        trump=start.trump,
        turn_up=turned,
        seat=seat,
        hands=start.hands,
        lead=start.table[0].seat if start.table else start.turn,
        score=start.score,
        handicap=start.handicap if any(start.handicap) else None,
        start=start,
    )


@lru_cache(maxsize=8192)  # the same few moves come again and again
def _event(seat: int, sign: str, body: str) -> Event:
    """The event written as seat, sign and body; raises InputError."""
    if sign == ":":
        if body.startswith("(x"):
            unseen = _UNSEEN_DISCARD.fullmatch(body)
            if unseen is None:
                raise InputError(
                    Fault("move", body, "not a discard of unseen cards", "write it as in (x2)")
                )
            return Event("discard", seat, (None,) * int(unseen[1]))
        move = parse_move(body)
        named = "" if move.seat is None else str(move.seat)
        return Event(move.kind, seat, _cards_of(move.cards), named)
    if sign == "!":
        if body not in FOULS:
            near = get_close_matches(body[:40], FOULS, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"write one of {', '.join(FOULS)}"
            raise InputError(Fault("foul", body, "no such foul", remedy))
        return Event("foul", seat, text=body)
    if sign == "#":
        if not _NUMBER.fullmatch(body) or int(body) > 120:
            raise InputError(
                Fault("count", body, "not the points of a pile", "write 0 to 120, as in 0#34")
            )
        return Event("count", seat, text=body)
    cards = parse_zone(body)
    if not cards:
        raise InputError(
            Fault("cards", body, "no cards are named", "leave the event out, or write x1")
        )
    return Event("draw" if sign == "+" else "show", seat, cards)


def parse_event(text: str) -> Event:
    """The event written as ``text``, such as ``0:TsJs`` or ``1+x1``; raises InputError."""
    match = _TOKEN.fullmatch(text)
    if match is not None and match["body"] is not None:
        return _event(int(match["seat"]), match["sign"], match["body"])
    if match is not None and match["comment"] is not None:
        return Event("comment", text=match["comment"])
    raise InputError(
        Fault("event", text, "not an event", "write seat:move, as in 0:TsJs, or seat+cards")
    )


def _cards_of(mask: int) -> tuple[int, ...]:
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return tuple(cards)


def _read_suit(text: str) -> int | None:
    if text == "-":
        return None
    if len(text) == 1 and text in _SUITS:
        return _SUITS.index(text)
    raise InputError(
        Fault("trump", text, "not a suit", "write s, h, d or c, or '-' without trumps")
    )


def _read_seat(text: str) -> int:
    if len(text) == 1 and text in "012345":
        return int(text)
    raise InputError(Fault("seat", text, "not a seat", "write 0 to 5"))


def _read_score(text: str) -> tuple[int, int, int]:
    match = _SCORE.fullmatch(text)
    if match is None:
        raise InputError(
            Fault("score", text, "not a score", "write seat 0 : seat 1 / played to, as in 3:5/7")
        )
    return int(match[1]), int(match[2]), int(match[3])


def _read_numbers(text: str) -> tuple[int, ...]:
    parts = text.split("/")
    if not all(_NUMBER.fullmatch(part) for part in parts):
        raise InputError(Fault("handicap", text, "not points by seat", "write them as in 0/30"))
    return tuple(map(int, parts))


def _read_points(text: str) -> tuple[int | None, ...]:
    parts = text.split("/")
    if not all(part == "x" or _NUMBER.fullmatch(part) for part in parts):
        raise InputError(
            Fault("points", text, "not points by seat", "write them as in 34/21, x for unknown")
        )
    return tuple([None if part == "x" else int(part) for part in parts])


def _read_result(text: str) -> tuple[int | None, str]:
    if text == "*":
        return None, ""
    winner, _, reason = text.partition(" ")
    if reason in REASONS and (winner == "-" or (len(winner) == 1 and winner in "012345")):
        return (None if winner == "-" else int(winner)), reason
    near = get_close_matches(reason[:40], REASONS, n=1)
    remedy = "write winner and reason, as in '0 claim' or '- draw', or '*' for unfinished"
    if near and near[0] != reason:
        remedy = f"did you mean {near[0]}?"
    raise InputError(Fault("result", text, "not a result", remedy))


def _comment_problem(comment: str) -> tuple[str, str] | None:
    if len(comment) > _MOST_COMMENT:
        return f"longer than {_MOST_COMMENT} characters", "make it several comments"
    if "{" in comment or "}" in comment:
        return "a comment within a comment", "leave the inner braces out"
    for ch in comment:
        if ch != " " and unicodedata.category(ch)[0] in "CZ":
            return f"U+{ord(ch):04X} has no place in a comment", "leave it out"
    return None


class _Parts(_Reader):
    """Puts a record together from parts that have no lines."""

    def __init__(self) -> None:
        super().__init__([(0, "")])

    def fault(self, line: int, column: int, value: str, problem: str, remedy: str) -> None:
        where = f"trick {line}" if line else "record"
        self.faults.append((line, column, Fault(where, value, problem, remedy)))

    def tag_fault(self, tag: str, value: str, problem: str, remedy: str) -> None:
        self.faults.append((0, 0, Fault(tag, value, problem, remedy)))

    def locate(self, place: _Place, fault: Fault) -> None:
        if isinstance(place, str):
            self.tag_fault(place, fault.value, fault.problem, fault.remedy)
        else:
            self.fault(place[0] + 1, place[1] + 1, fault.value, fault.problem, fault.remedy)

    def event(self, trick: int, number: int, text: str) -> Event | None:
        try:
            return parse_event(text)
        except InputError as error:
            for fault in error.faults:
                value = text if text.endswith(fault.value) else fault.value
                self.fault(trick, number, value, fault.problem, fault.remedy)
            return None


def record_of(
    tags: Mapping[str, str],
    tricks: Iterable[Iterable[str]],
    *,
    comments: Iterable[str] = (),
) -> HandRecord:
    """The record of these tags and, trick by trick, events in their notation.

    The same as the text that they make, but for the faults: the field of one is its tag or its
    trick, or ``record``. Raises InputError with all of them.
    """
    parts = _Parts()
    read = [
        [parts.event(t, e, text) for e, text in enumerate(trick, start=1)]
        for t, trick in enumerate(tricks, start=1)
    ]
    told = {}
    for name, value in tags.items():
        near = [] if name in _TAGS else get_close_matches(name, _TAGS, n=1, cutoff=0.75)
        if near:
            parts.tag_fault(name, value, "no such tag", f"did you mean {near[0]}?")
        else:
            told[name] = value
    events = tuple([tuple([event for event in trick if event is not None]) for trick in read])
    return parts.finish(parts.assemble(told, tuple(comments), events, 0))


# ---- checking ---------------------------------------------------------------------------

_Place = str | tuple[int, int]
"""Where a fault of a record is: a tag, or (trick, event), both from 0."""


def check_record(record: HandRecord) -> list[Fault]:
    """Everything about a record that cannot be, whatever its moves; empty if all is well.

    Checked are the tags, that each card is of the deck and in one place only, and that the
    recorder knows what he must. The ``field`` of a fault is the tag or the trick. Whether the
    moves are legal is for `HandRecord.replay`.
    """
    return [
        replace(fault, field=place if isinstance(place, str) else f"trick {place[0] + 1}")
        for place, fault in _check(record)
    ]


def _check(record: HandRecord) -> list[tuple[_Place, Fault]]:
    found: list[tuple[_Place, Fault]] = []
    rules = record.rules
    players = rules.players

    def add(place: _Place, value: object, problem: str, remedy: str) -> None:
        found.append((place, Fault(str(place), str(value), problem, remedy)))

    def cards(zone: Sequence[int | None]) -> bool:
        return all(c is None or (type(c) is int and 0 <= c < 36) for c in zone)

    if not (
        all(cards(hand) for hand in record.hands)
        and cards(record.undrawn or ())
        and cards((record.turn_up,))
        and all(cards(event.cards) for trick in record.tricks for event in trick)
    ):
        # What has no notation cannot be quoted.
        add("Hands", "?", "a number that is no card", "use 0 to 35, or None")
        return found
    if len(record.hands) != players:
        hands = "/".join(map(format_cards, record.hands))
        add("Hands", hands, f"{len(record.hands)} hands", f"{players} play by these rules")
        return found
    for tag, seat in (("Seat", record.seat), ("Dealer", record.dealer), ("Lead", record.lead)):
        if seat is not None and not 0 <= seat < players:
            add(tag, seat, "no such seat", f"use 0 to {players - 1}")
    for tag, values in (
        ("Players", record.players),
        ("Handicap", record.handicap or ()),
        ("Points", record.points or ()),
    ):
        if values and len(values) != players:
            text = "/".join(["x" if v is None else str(v) for v in values])
            add(tag, text, f"{len(values)} of them", f"give one for each of {players} seats")
    for name in record.players:
        if not name.strip() or "/" in name or not name.isprintable():
            add("Players", name, "not a name", "use printable text without strokes, or '?'")
    for name, value in record.tags:
        if name in _TAGS or not _TAG_NAME.fullmatch(name):
            add(name, value, "not a name for a further tag", "use a word such as Event")
        if not value.isprintable() or len(value) > _MOST_COMMENT:
            add(name, value, "a value that cannot be written", "use printable text")
    if record.date is not None and not _DATE.fullmatch(record.date):
        add("Date", record.date, "not a date", "write year-month-day, as in 2026-11-30")
    for text in record.comments:
        problem = _comment_problem(text)
        if problem or not text:
            add("Rules", text, *(problem or ("an empty comment", "leave it out")))
    if record.start is None:
        _check_trump(record, add)
    else:
        _check_start(record, add)
    _check_result(record, add)
    _check_events(record, add)
    _check_cards(record, add)
    return found


_Add = Callable[[_Place, object, str, str], None]


def _check_trump(record: HandRecord, add: _Add) -> None:
    trump, turn_up = record.trump, record.turn_up
    if (trump is not None) != record.rules.trumps:
        text = "-" if trump is None else _SUITS[trump]
        problem = "these rules have trumps" if trump is None else "these rules have no trumps"
        add("Trump", text, problem, "write its suit" if trump is None else "write '-'")
    elif turn_up is not None and turn_up // 9 != trump and trump is not None:
        add(
            "TurnUp",
            format_cards((turn_up,)),
            f"not of the trump suit {_SUITS[trump]}",
            "the turned card makes the trump",
        )
    if turn_up is not None and not record.rules.trumps:
        add("TurnUp", format_cards((turn_up,)), "these rules have no trumps", "leave it out")
    if turn_up is None and trump is not None and _talon_size(record) > 0:
        last = record.undrawn[-1] if record.undrawn else None
        if last is None or not record.undrawn:
            add("TurnUp", "", "the turned trump is missing", 'add a line [TurnUp "Jh"]')


def _check_start(record: HandRecord, add: _Add) -> None:
    """Of a record that begins with a position: it is one, and the rest agrees with it."""
    start = record.start
    assert start is not None
    line = str(start)
    for fault in check_position(start):
        add("Position", fault.value, fault.problem, fault.remedy)
    if start.has_unknown and record.seat is None:
        add("Position", line, "a record of all seats knows every card", "name them all")
    for owner, pile in enumerate(start.piles):
        if any(item.card is None for item in pile.items) and not _hiders(
            start, owner, record.seat
        ):
            add("Position", line, "what is laid from an open hand everybody sees", "name it")
    same = _begun(start, record.seat)
    fields_ = ("rules", "trump", "turn_up", "hands", "lead", "score", "handicap")
    if any(getattr(record, name) != getattr(same, name) for name in fields_) or record.undrawn:
        add("Position", line, "not what the other fields of the record say", "make them agree")


def _check_result(record: HandRecord, add: _Add) -> None:
    winner, reason = record.winner, record.reason
    text = result_text(record)
    if reason and reason not in REASONS:
        add("Result", text, "no such end of a hand", f"use {', '.join(REASONS)}")
    elif winner is not None and not 0 <= winner < record.rules.players:
        add("Result", text, "no such seat", f"use 0 to {record.rules.players - 1}, or -")
    elif reason in _WITHOUT_WINNER or not reason:
        if winner is not None:
            add("Result", text, "nobody wins such a hand", f"write - {reason or '*'}")
    elif (
        winner is None
        and record.rules.players == 2
        and not (reason == "foul" and record.rules.foul == "match_pot")
    ):
        add("Result", text, "somebody won such a hand", f"write its seat: 0 {reason}")
    for points in record.points or ():
        if points is not None and not 0 <= points <= 120:
            add("Points", points, "not the points of a pile", "write 0 to 120, or x")


def _check_events(record: HandRecord, add: _Add) -> None:
    players, all_known = record.rules.players, record.seat is None
    for t, trick in enumerate(record.tricks):
        if not trick:
            add("Rules" if not t else (t - 1, 0), f"{t + 1}.", "an empty trick", "leave it out")
        for e, event in enumerate(trick):
            kind = event.kind
            if kind == "comment":
                problem = _comment_problem(event.text)
                if problem or not event.text:
                    add((t, e), event.text, *(problem or ("an empty comment", "leave it out")))
                continue
            if event.seat is None or not 0 <= event.seat < players:
                add((t, e), event, "no such seat", f"seats are 0 to {players - 1}")
                continue
            if kind == "foul" and event.text not in FOULS:
                add((t, e), event, "no such foul", f"write one of {', '.join(FOULS)}")
            if kind in ("play", "discard", "stop", "draw", "show") and not event.cards:
                add((t, e), kind, "no cards are named", "name the cards")
            if None not in event.cards:
                continue
            if kind not in ("draw", "discard"):
                add((t, e), event, "the cards lay open", "name them")
            elif all_known:
                add((t, e), event, "a record of all seats knows every card", "name the cards")
            elif event.seat == record.seat:
                add((t, e), event, "whoever records the hand knows these cards", "name them")
            elif event.seat in record.rules.open_seats:
                add((t, e), event, "this seat plays with an open hand", "name the cards")


def _check_cards(record: HandRecord, add: _Add) -> None:
    """Each card is of the deck, comes from one place, and is laid once."""
    deck = _DECK_OF[record.rules.deck]
    where: dict[int, str] = {}

    def come(place: _Place, name: str, cards: Iterable[int | None]) -> None:
        for card in cards:
            if card is None:
                continue
            if card not in deck:
                text = format_cards((card,))
                add(place, text, f"not in the deck of {record.rules.deck}", "see the Rules tag")
            elif card in where:
                text = format_cards((card,))
                add(place, text, f"the card is already {where[card]}", "each comes once")
            else:
                where[card] = name

    start = record.start
    told = start is not None and None not in start.talon  # draws name the talon's cards again
    if start is not None:
        for seat, pile in enumerate(start.piles):
            come("Position", f"in the pile of seat {seat}", [item.card for item in pile.items])
        for play in start.table:
            come("Position", f"on the table, of seat {play.seat}", play.cards)
    for seat, hand in enumerate(record.hands):
        come("Hands", f"in the first hand of seat {seat}", hand)
        if None in hand and record.seat in (None, seat):
            whose = "all seats" if record.seat is None else f"seat {seat}"
            add(
                "Hands",
                format_cards(hand),
                f"a record of {whose} knows this hand",
                "name its cards, or say in the Seat tag whose record it is",
            )
        elif None in hand and seat in record.rules.open_seats:
            add(
                "Hands", format_cards(hand), f"the hand of seat {seat} lies open", "name its cards"
            )
    size = _talon_size(record)
    if size < 0:
        hands = "/".join(map(format_cards, record.hands))
        add("Hands", hands, "more cards than the deck has", f"the deck has {record.rules.deck}")
        return
    drawn = 0
    turn_up = record.turn_up
    laid: dict[int, int] = {}
    for t, trick in enumerate(record.tricks):
        for e, event in enumerate(trick):
            if event.kind == "draw":
                drawn += len(event.cards)
                if drawn > size:
                    add((t, e), event, "more cards drawn than the talon has", f"it has {size}")
                    return
                if not told:
                    come((t, e), f"drawn in trick {t + 1}", event.cards)
                if turn_up is not None and turn_up in event.cards:
                    later = [len(o.cards) for o in trick[e + 1 :] if o.kind == "draw"]
                    own = len(event.cards)
                    # Each takes one card at a time: whoever comes later has drawn fewer.
                    before = [len(o.cards) for o in trick[:e] if o.kind == "draw"]
                    under = event.cards[-1] == turn_up and max([0, *later]) < own
                    if drawn + sum(later) != size or not under or max([0, *before]) > own:
                        text = format_cards((turn_up,))
                        add((t, e), event, f"{text} lies under the talon", "it is drawn last")
            elif event.kind in ("play", "discard"):
                for card in event.cards:
                    if card is None:
                        continue
                    if card not in deck:
                        come((t, e), "", (card,))
                    elif card in laid and not _returned(record, laid[card], t):
                        text = format_cards((card,))
                        add((t, e), event, f"{text} was laid in trick {laid[card] + 1}", "once")
                    laid[card] = t
    left = size - drawn
    if record.undrawn is not None:
        come("Undrawn", "undrawn", record.undrawn)
        if len(record.undrawn) != left:
            add(
                "Undrawn",
                format_cards(record.undrawn),
                f"{len(record.undrawn)} cards",
                f"{left} of the talon's {size} are left",
            )
        elif turn_up is not None and left and record.undrawn[-1] not in (turn_up, None):
            add("Undrawn", format_cards(record.undrawn), "the turn-up is not at its end", "it is")
    elif turn_up is not None and left and turn_up in where and not told:
        add("TurnUp", format_cards((turn_up,)), f"the card is {where[turn_up]}", "it is undrawn")
    if not left and turn_up is not None and size:
        last = next(
            event
            for trick in reversed(record.tricks)
            for event in reversed(trick)
            if event.kind == "draw"
        )
        group = [turn_up in event.cards for trick in record.tricks for event in trick]
        if not any(group):
            add(
                "TurnUp",
                format_cards((turn_up,)),
                "the talon is drawn, and nobody drew the turned trump",
                f"name it in {last}",
            )


def _returned(record: HandRecord, trick: int, now: int) -> bool:
    """Whether cards laid in this trick may be laid again: a call put them back."""
    return trick == now and any(event.kind == "stop" for event in record.tricks[trick])


# ---- replaying --------------------------------------------------------------------------


class _Wrong(Exception):
    """The first event that cannot be, or, behind all of them, a tag about the end.

    ``soft`` if other unseen cards might make it right.
    """

    def __init__(
        self, at: int, problem: str, remedy: str, *, soft: bool = False, tag: str = "Result"
    ) -> None:
        super().__init__(problem)
        self.at, self.problem, self.remedy = at, problem, remedy
        self.soft, self.tag = soft, tag


@dataclass
class _Run:
    """A record played to some point."""

    steps: list[Step] = field(default_factory=list)
    position: Position | None = None  # at that point, the unseen cards dealt somehow
    result: Result | None = None
    known: dict[int, set[int]] = field(default_factory=dict)  # seen by all, in whose hand
    points: tuple[int, ...] = ()  # the piles before the last claim


_Flat = list[tuple[int, Event]]


def _flat(record: HandRecord) -> _Flat:
    return [(t, event) for t, trick in enumerate(record.tricks) for event in trick]


def _replayed(record: HandRecord, moves: int | None = None) -> _Run:
    """Plays a record that is right as such; only so many moves if ``moves`` is given.

    Raises IllegalMoveError.
    """
    flat = _flat(record)
    tries = _TRIES if record._unknown_in_play else 1
    worst: _Wrong | None = None
    for number in range(tries):
        try:
            return _play(record, flat, number, moves)
        except _Wrong as wrong:
            if worst is None or wrong.at > worst.at or not wrong.soft:
                worst = wrong
            if not wrong.soft:
                break
    assert worst is not None
    raise _refusal(record, flat, worst)


def _refusal(record: HandRecord, flat: _Flat, wrong: _Wrong) -> IllegalMoveError:
    problem = wrong.problem
    if wrong.soft:
        problem += " (in no deal of the unseen cards that was tried)"
    if wrong.at < len(flat):
        trick, event = flat[wrong.at]
        return IllegalMoveError(Fault(f"trick {trick + 1}", str(event), problem, wrong.remedy))
    value = tags_of(record).get(wrong.tag, "")
    return IllegalMoveError(Fault(wrong.tag, value, problem, wrong.remedy))


@dataclass
class _Deal:
    hands: list[list[int]]
    talon: list[int]
    cards: list[tuple[int, ...]]  # of each event
    piles: list[list[int]]  # of a record that begins with a position, and its table
    table: list[list[int]]
    written: tuple[tuple[int | None, ...], ...]  # the hands as the record has them


def _deal(record: HandRecord, flat: _Flat, number: int) -> _Deal:
    """All cards of the hand, those nobody saw dealt at random (``number`` 0: harmlessly)."""
    rng = random.Random(number)
    start = record.start
    hands = [[[card] for card in hand] for hand in record.hands]
    held = [list(hand) for hand in hands]  # slots in hand now
    piles: list[list[list[int | None]]] = []
    table: list[list[list[int | None]]] = []
    groups: list[list[list[int | None]]] = []  # of cards drawn one after the other
    slots_of: list[list[list[int | None]]] = []  # of each event
    led: list[tuple[int, list[list[int | None]]]] = []
    trick, drawing = 0, False
    talon_order: list[list[int | None]] = []
    if start is not None:
        piles = [[[item.card] for item in pile.items] for pile in start.piles]
        laid_in = [(*play.cards, *(None,) * play.unknown) for play in start.table]
        table = [[[card] for card in cards] for cards in laid_in]
        led = [(play.seat, laid) for play, laid in zip(start.table, table, strict=True)]

    def close_groups() -> None:
        longest = max(map(len, groups), default=0)
        for i in range(longest):
            talon_order.extend(group[i] for group in groups if len(group) > i)
        groups.clear()

    for at, (t, event) in enumerate(flat):
        slots: list[list[int | None]] = []
        kind, seat = event.kind, event.seat
        if t != trick:
            trick, led = t, []
        if kind != "comment" and drawing and kind != "draw":
            close_groups()
            drawing = False
        if seat is not None and kind == "draw":
            drawing = True
            slots = [[card] for card in event.cards]
            groups.append(slots)
            held[seat] = held[seat] + slots
        elif seat is not None and event.cards:
            if kind == "stop":
                for who, back in led:
                    held[who] = held[who] + back
                led = []
            hand = held[seat]
            for card in event.cards:
                later = _laid_later(flat, at, seat) if card is None else frozenset()
                slots.append(_slot(hand, slots, card, number, rng, at, seat, later))
            if kind != "show":
                held[seat] = [slot for slot in hand if not any(slot is s for s in slots)]
                led.append((seat, slots))
        slots_of.append(slots)
    close_groups()
    size = _talon_size(record)
    left = size - len(talon_order)
    rest: list[list[int | None]] = [[card] for card in record.undrawn or (None,) * left]
    if rest and record.turn_up is not None:
        rest[-1][0] = record.turn_up
    talon_order += rest
    if start is not None:
        for slot, true in zip(talon_order, start.talon, strict=True):
            if true is not None and slot[0] not in (None, true):
                at = next(i for i, slots in enumerate(slots_of) if any(s is slot for s in slots))
                named = format_cards((true,))
                raise _Wrong(at, f"{named} is drawn there by the Position tag", f"write {named}")
            slot[0] = slot[0] if true is None else true
    everything = [slot for zone in (*hands, *piles, *table) for slot in zone] + talon_order
    placed = {slot[0] for slot in everything}
    pool = [card for card in _DECK_OF[record.rules.deck] if card not in placed]
    if number == 0:  # no trumps and no aces first, so that nobody holds anything to show
        pool.sort(key=lambda card: (card // 9 == record.trump, card % 9, card))
    else:
        rng.shuffle(pool)
        if number % 2:
            pool.sort(key=lambda card: card // 9 == record.trump)
    pool.reverse()
    for slot in everything:
        if slot[0] is None:
            slot[0] = pool.pop()
    return _Deal(
        [[slot[0] for slot in hand if slot[0] is not None] for hand in hands],
        [slot[0] for slot in talon_order if slot[0] is not None],
        [tuple([slot[0] for slot in slots if slot[0] is not None]) for slots in slots_of],
        [[slot[0] for slot in pile if slot[0] is not None] for pile in piles],
        [[slot[0] for slot in laid if slot[0] is not None] for laid in table],
        record.hands,
    )


def _laid_later(flat: _Flat, at: int, seat: int) -> frozenset[int]:
    return frozenset(
        card
        for _, event in flat[at + 1 :]
        if event.seat == seat and event.kind in ("play", "discard", "stop", "show")
        for card in event.cards
        if card is not None
    )


def _slot(
    hand: list[list[int | None]],
    taken: list[list[int | None]],
    card: int | None,
    number: int,
    rng: random.Random,
    at: int,
    seat: int,
    later: frozenset[int],
) -> list[int | None]:
    """The place in a hand that a card laid from it came from; ``later`` are known cards that
    the seat lays afterwards, if this one is unknown.
    """
    free = []
    for slot in hand:
        if slot[0] is None or slot[0] == card:
            if any(slot is other for other in taken):
                continue
            if slot[0] is not None:
                return slot
            free.append(slot)
    if card is None:
        # A known card of the hand may be what was laid, if it is never seen again. It must be
        # if the unknown ones are all needed for what is seen later.
        left = [slot for slot in hand if not any(slot is other for other in taken)]
        idle = [slot for slot in left if slot[0] is not None and slot[0] not in later]
        if idle:
            held_later = {slot[0] for slot in left}
            if len(free) <= len(later - held_later) or (number and rng.random() < 0.3):
                free = idle
    if not free:
        text = format_cards((card,))
        held = [slot[0] for slot in hand if slot[0] is not None]
        if card is None:
            raise _Wrong(at, f"seat {seat} holds fewer cards", "name as many as were laid")
        known = f"it holds {format_cards(_mask(held))}"
        raise _Wrong(at, f"seat {seat} does not hold {text}", known)
    slot = free[-1] if number == 0 else rng.choice(free)
    if card is not None:
        slot[0] = card
    return slot


def _start(record: HandRecord, deal: _Deal) -> PositionText:
    if record.start is not None:
        return _continued(record.start, record.seat, deal)
    handicap = record.handicap
    if handicap is None:
        handicap = record.rules.handicaps(record.lead)
    return PositionText(
        rules=record.rules,
        trump=record.trump,
        hands=tuple(map(tuple, deal.hands)),
        talon=tuple(deal.talon),
        piles=(Pile((), None),) * record.rules.players,
        turn=record.lead,
        table=(),
        score=record.score,
        handicap=handicap,
    )


def _hiders(start: PositionText, owner: int, seat: int | None) -> list[int]:
    """Who may have laid a card face down into a pile that ``seat`` has not seen."""
    seen = (owner, seat, *start.rules.open_seats)
    return [who for who in range(start.rules.players) if who not in seen]


def _continued(start: PositionText, seat: int | None, deal: _Deal) -> PositionText:
    """The position a record begins with, its unknown cards dealt."""

    def pile(owner: int, told: Pile) -> Pile:
        if told.points is not None:
            return told
        others = _hiders(start, owner, seat)
        items = []
        for item, card in zip(told.items, deal.piles[owner], strict=True):
            by = item.by
            if item.card is None and start.rules.players > 2:
                by = others[0]  # somebody else has discarded it, and it stays unseen
            items.append(PileItem(card, item.closed, by))
        return Pile(tuple(items), None)

    return replace(
        start,
        hands=tuple(map(tuple, deal.hands)),
        talon=tuple(deal.talon),
        piles=tuple([pile(owner, told) for owner, told in enumerate(start.piles)]),
        table=tuple(
            [
                Play(play.seat, tuple(cards), play.closed)
                for play, cards in zip(start.table, deal.table, strict=True)
            ]
        ),
    )


_TAG_OF_FIELD: Final = {
    "trump": "Trump", "talon": "Undrawn", "turn": "Lead", "score": "Score", "handicap": "Handicap",
}  # fmt: skip


def _play(record: HandRecord, flat: _Flat, number: int, moves: int | None) -> _Run:
    deal = _deal(record, flat, number)
    start = _start(record, deal)
    if number == 0:
        faults = check_position(start)
        if faults:
            raise InputError(
                [
                    replace(
                        fault,
                        field="Position"
                        if record.start is not None
                        else "Hands"
                        if fault.field.startswith("hands")
                        else _TAG_OF_FIELD.get(fault.field, fault.field),
                    )
                    for fault in faults
                ]
            )
    position = Position(start, check=False)
    run = _Run(position=position)
    # What a seat's own line says of other hands it has seen, such as a turned trump drawn.
    begun = record.start is not None and record.start.has_unknown
    run.known = {
        i: {card for card in hand if card is not None and begun and i != record.seat}
        for i, hand in enumerate(record.hands)
    }
    unsure = record._unknown_in_play
    pending: dict[int, list[int]] = {}
    completed = int(record.start is not None and record.start.undrawn)
    made = 0
    foul: int | None = None
    leaver: int | None = None
    for at, (t, event) in enumerate(flat):
        kind, who = event.kind, event.seat
        if kind == "comment" or who is None:
            continue
        if foul is not None:
            raise _Wrong(at, "a foul has ended the hand", "leave out what came after it")
        if kind == "count":
            _check_count(at, event, position, run, made, unsure)
            continue
        if kind == "show":
            _check_show(at, who, deal.cards[at], position)
            run.known[who] |= set(deal.cards[at])
            if who == leaver:
                leaver = None
            continue
        if leaver is not None:
            raise _Wrong(
                at,
                f"seat {leaver} has left the hand, and lays its cards face up",
                f"write them behind its claim, as in {leaver}=KhQh",
            )
        if kind == "draw":
            _check_draw(at, event, who, deal.cards[at], pending)
            if record.turn_up is not None and record.turn_up in deal.cards[at]:
                run.known[who].add(record.turn_up)
            continue
        if pending and kind != "foul":
            raise _missing_draw(at, pending)
        if kind == "foul":
            foul = who
            continue
        _check_turn(at, position, event, unsure)
        if moves is not None and made == moves:
            return run
        table_laid = bool(position.table)
        if t != completed - _waiting(position):
            raise _Wrong(
                at,
                f"{completed} tricks are complete before this {'move' if table_laid else 'lead'}",
                f"it belongs into trick {completed + 1 - _waiting(position)}",
            )
        move = Move(
            kind, _mask(deal.cards[at]), int(event.text) if event.text.isdecimal() else None
        )
        run.steps.append(Step(t + 1, who, event, None if unsure else position.copy()))
        talon, table, held = position.talon, position.table, position.hands
        run.points = position.points
        counted = _settled(at, record, flat, position, event) if unsure else None
        _make(at, position, move, counted, exact=not unsure)
        made += 1
        _follow(run, event, who, table)
        completed += _completes(kind, table, position)
        if who in position.out and held[who] and None in deal.written[who]:
            leaver = who
        drawn = set(talon[: len(talon) - len(position.talon)])
        if drawn:
            pending = _draws(position, talon, drawn)
    if moves is not None:
        if made < moves:
            raise _Wrong(len(flat), "the record has fewer moves", f"it has {made}")
        if pending and position.result is None:
            raise _missing_draw(len(flat) - 1, pending)
        result = position.result
        ended = result is not None and result.reason in _ON_SIGHT
        if ended and unsure and record.reason not in _ON_SIGHT:
            raise _Wrong(len(flat), "an unseen hand would have ended it", "", soft=True)
        return run
    if pending and foul is None and record.reason not in ("", "foul"):
        raise _missing_draw(len(flat) - 1, pending)
    run.result = _check_end(record, position, foul, unsure, made)
    return run


def _waiting(position: Position) -> bool:
    """Whether a claim comes before the draw: it still belongs to the trick just won."""
    return (
        position.rules.claim_window == "before_draw"
        and position.claim_seat is not None
        and position.result is None
    )


def _completes(kind: str, table: tuple[Play, ...], position: Position) -> bool:
    """Whether a move of this kind, made with this table, has completed a trick."""
    if kind in ("play", "discard"):
        return not position.table
    # Who leaves the hand in the middle of a trick may have been the last to answer.
    return kind == "claim" and bool(table) and not position.table


def _check_count(
    at: int, event: Event, position: Position, run: _Run, made: int, unsure: bool
) -> None:
    who = event.seat
    assert who is not None
    last = run.steps[-1] if run.steps else None
    if last is None or last.event.kind != "claim" or last.seat != who:
        raise _Wrong(at, f"seat {who} has not claimed", "a pile is counted behind its claim")
    if not unsure and int(event.text) != run.points[who]:
        raise _Wrong(at, f"the pile holds {run.points[who]}", f"write {who}#{run.points[who]}")


def _check_show(at: int, who: int, cards: tuple[int, ...], position: Position) -> None:
    hidden = _mask(cards) & ~position.hands[who]
    for play in position.table:
        if play.seat == who:
            hidden &= ~_mask(play.cards)
    if hidden and who in position.out:  # its hand lies on its pile
        hidden &= ~_mask([item.card for item in position.text().piles[who].items])
    if hidden:
        raise _Wrong(at, f"seat {who} does not hold {format_cards(hidden)}", "show what it holds")


def _settled(
    at: int, record: HandRecord, flat: _Flat, position: Position, event: Event
) -> bool | None:
    """How a claim or a challenge was settled, where not every card is known; else None."""
    if event.seat != position.turn and event.kind == "claim":
        return None  # it is refused anyway
    if event.kind == "claim":
        return _claim_holds(at, record, flat, position)
    if event.kind != "challenge" or event.seat is None:
        return None
    named = {card for _, other in flat for card in other.cards}
    trick = position.text().trick
    trumps = [card for card in trick if card // 9 == position.trump]
    known = sum([card in named for card in trumps])
    unknown = sum([card not in named for card in trick])
    need = record.rules.hand_sizes[event.seat]
    if known >= need or known + unknown < need:
        return known >= need
    return record.reason == "challenge"


def _make(at: int, position: Position, move: Move, counted: bool | None, *, exact: bool) -> None:
    try:
        position.play(move, counted)
    except IllegalMoveError as error:
        fault = error.faults[0]
        if exact:
            raise _Wrong(at, fault.problem, fault.remedy) from None
        kinds = {legal.kind for legal in position.legal_moves()}
        soft = move.kind == "stop" or (bool(kinds) and kinds <= {"claim", "pass"})
        raise _Wrong(at, fault.problem, "write what was played", soft=soft) from None


def _check_turn(at: int, position: Position, event: Event, unsure: bool) -> None:
    result = position.result
    if result is not None:
        winner = "nobody wins" if result.winner is None else f"seat {result.winner} wins"
        raise _Wrong(
            at,
            f"the hand is over: {winner} ({result.reason})",
            "leave out what came after it",
            soft=unsure and result.reason in _ON_SIGHT,
        )
    if event.kind == "stop":
        if (event.seat, event.move) not in position.calls() and unsure is False:
            raise _Wrong(
                at, f"seat {event.seat} may not lead these cards out of turn now", "leave it out"
            )
    elif event.kind == "challenge":
        if (event.seat, event.move) not in position.calls():
            raise _Wrong(at, f"seat {event.seat} has no closed trick to challenge", "leave it out")
    elif event.seat != position.turn:
        raise _Wrong(at, f"it is the turn of seat {position.turn}", "write whose move it is")


def _check_draw(
    at: int, event: Event, who: int, cards: tuple[int, ...], pending: dict[int, list[int]]
) -> None:
    due = pending.get(who)
    if due is None:
        raise _Wrong(at, f"seat {who} draws nothing here", "draws follow the trick they fill up")
    if len(due) != len(cards):
        raise _Wrong(at, f"seat {who} draws {len(due)} here", "name as many")
    if next(iter(pending)) != who:
        raise _Wrong(at, f"seat {next(iter(pending))} draws before", "keep the drawing order")
    assert due == list(cards)  # the talon was put together from the draws
    del pending[who]


def _missing_draw(at: int, pending: dict[int, list[int]]) -> _Wrong:
    seat, cards = next(iter(pending.items()))
    return _Wrong(
        at,
        f"seat {seat} has not drawn its {len(cards)} yet",
        f"write what it draws, as in {seat}+x{len(cards)}, behind the trick",
    )


def _draws(position: Position, talon: tuple[int, ...], drawn: set[int]) -> dict[int, list[int]]:
    """Who has drawn what, first comes first."""
    found: dict[int, list[int]] = {}
    hands = list(position.hands)
    for play in position.table:  # a hand that ended with cards on the table
        hands[play.seat] |= _mask(play.cards)
    for card in talon[: len(drawn)]:
        for seat, hand in enumerate(hands):
            if hand >> card & 1:
                found.setdefault(seat, []).append(card)
    return found


def _follow(run: _Run, event: Event, who: int, table: tuple[Play, ...]) -> None:
    """Keeps track of which cards of a hand all have seen."""
    kind = event.kind
    if kind == "play":
        run.known[who] -= {card for card in event.cards if card is not None}
    elif kind == "stop":
        for play in table:  # the led cards go back, seen by all
            run.known[play.seat] |= set(play.cards)
        run.known[who] -= {card for card in event.cards if card is not None}
    elif kind == "discard":
        run.known[who] = set()  # whatever was known of the hand may lie among them


def _check_end(
    record: HandRecord,
    position: Position,
    foul: int | None,
    unsure: bool,
    made: int,
) -> Result | None:
    """How the hand ended; raises _Wrong where the record says otherwise."""
    at = len(_flat(record))  # behind every event
    if foul is not None and position.result is None:
        position.report_foul(foul)
    result = position.result

    def wrong(problem: str, right: str, *, soft: bool = False) -> _Wrong:
        return _Wrong(at, problem, f'write [Result "{right}"]', soft=soft)

    if record.reason == "foul" and foul is None:
        raise wrong("no foul is recorded", "*")
    if record.reason == "redeal":
        if made or not record.rules.redeal_on_dealt_combo:
            raise wrong("only a dealt combination voids a deal, where the rules say so", "*")
        return None
    if result is None:
        if not record.reason:
            return None
        if unsure and record.reason in _ON_SIGHT:
            return Result(record.winner, record.reason, position.stake)
        raise wrong("the hand is not over", "*")
    right = f"{'-' if result.winner is None else result.winner} {result.reason}"
    if (record.winner, record.reason) != (result.winner, result.reason):
        if unsure and record.rules.players > 2 and {result.reason, record.reason} <= _COUNTED:
            # Cards that lie face down, unseen, decide it.
            return replace(result, winner=record.winner, reason=record.reason)
        soft = unsure and result.reason in _ON_SIGHT
        if foul is not None:
            raise wrong(f"seat {foul} has ended the hand by a foul: '{right}'", right)
        raise wrong(f"the hand ended as '{right}'", right, soft=soft)
    if record.points is not None and not unsure and tuple(position.points) != record.points:
        for given, counted in zip(record.points, position.points, strict=True):
            if given is not None and given != counted:
                text = "/".join(map(str, position.points))
                raise _Wrong(
                    at, f"the piles hold {text}", f'write [Points "{text}"]', tag="Points"
                )
    return result


def _claim_holds(at: int, record: HandRecord, flat: _Flat, position: Position) -> bool:
    """Whether the claim of the seat on turn holds, of whose pile perhaps not all is known.

    What the known cards leave open is as the record says.
    """
    rules, claimant = record.rules, position.turn
    partners = [s for s in range(rules.players) if s % 2 == claimant % 2]
    side = partners if rules.pairs else [claimant]
    low, high = _pile_bounds(record, position, side)
    leaving = rules.leave_at_target and rules.sides > 2
    counts = [event.text for _, event in flat[at + 1 : at + 3] if event.kind == "count"]
    total = None
    if counts:
        total = int(counts[0])
    elif record.points is not None and not leaving:
        told = [record.points[seat] for seat in side]
        if None not in told:
            total = sum([points or 0 for points in told])
    if total is not None:
        total += sum([position.handicap[seat] for seat in side])
        if not low <= total <= high:
            raise _Wrong(
                at,
                f"seat {claimant} is said to have claimed with {total}, and its pile and handicap "
                f"count {low} to {high}",
                "write what was counted",
            )
        low = high = total
    ceiling = high if rules.claim_ceiling is None else rules.claim_ceiling
    if rules.target <= low and high <= ceiling:
        return True
    if high < rules.target or low > ceiling:
        return False
    if leaving or record.reason not in ("claim", "false_claim"):
        raise _Wrong(
            at,
            f"what the pile of seat {claimant} was counted with is missing",
            f"write it behind the claim, as in {claimant}#34"
            if leaving
            else f'write [Result "{claimant} claim"] or who else has won',
        )
    return record.reason == "claim"


def _pile_bounds(record: HandRecord, position: Position, side: list[int]) -> tuple[int, int]:
    """Least and most points of a side's piles and handicap, by the cards that the record names."""
    events = [event for trick in record.tricks for event in trick]
    laid_down = {card for event in events if event.kind == "discard" for card in event.cards}
    # Seen by all before it may have been laid face down.
    shown = {card for event in events if event.kind == "show" for card in event.cards}
    shown.add(record.turn_up)
    named = {card for hand in record.hands for card in hand}
    named |= {card for event in events for card in event.cards}
    if record.start is not None:
        lying = [item for pile in record.start.piles for item in pile.items]
        laid_down |= {item.card for item in lying if item.closed}
        named |= {item.card for item in lying}
        named |= {card for play in record.start.table for card in play.cards}
        laid_down |= {card for play in record.start.table for card in play.cards}
    low = sum([position.handicap[seat] for seat in side])
    unknown = 0
    piles = position.text().piles
    for seat in side:
        for item in piles[seat].items:
            if item.card is not None and (not item.closed or item.card in laid_down):
                low += _POINTS[item.card % 9]
            else:
                unknown += 1
    pool = sorted(
        _POINTS[card % 9]
        for card in _DECK_OF[record.rules.deck]
        if card not in named or card in shown
    )
    return low + sum(pool[:unknown]), low + sum(pool[len(pool) - unknown :] if unknown else ())


# ---- views ------------------------------------------------------------------------------


def view_of(record: HandRecord, seat: int, at: int | None = None) -> View:
    """What ``seat`` has seen before move number ``at`` of the hand, moves counted from 0.

    Left out, ``at`` is the last moment at which the hand still went on: after the last move,
    or before the move that ended it. The seat knows its own hand and discards, all that lay
    open, and who holds the turned trump, until its holder discards face down: from then on it
    may lie among those cards. Its ``history`` is what all seats did, as the seat saw it.

    Raises InputError for faults of the record or a seat or move that is not there,
    IllegalMoveError if the hand cannot have been played so.
    """
    faults = check_record(record)
    if faults:
        raise InputError(faults)
    record.as_seen_by(seat)  # refuses a seat that is not there, or another's record
    count = len(record.moves)
    if at is not None and (type(at) is not int or not 0 <= at <= count):
        raise InputError(
            Fault("at", str(at), "no such move", f"the record has {count}: use 0 to {count}")
        )
    # The true cards fit what the seat saw, and every one of them is masked below.
    moment = count if at is None else at
    run = _replayed(record, moment)
    assert run.position is not None
    if run.position.result is not None:
        if at is not None:
            raise InputError(
                Fault("at", str(at), "the hand is over by then", f"use 0 to {count - 1}")
            )
        moment = count - 1
        run = _replayed(record, moment)
    acts = [
        Act(event.seat or 0, event.kind, _mask(event.cards), len(event.cards))
        for event in record.as_seen_by(seat).moves[:moment]
    ]
    return _masked(run, seat).after(acts)


def _masked(run: _Run, seat: int) -> View:
    """What the seat has seen: as of any position, and what it knows of hands besides."""
    assert run.position is not None
    view = View.of(run.position.text(), seat)

    def hand(who: int, cards: tuple[int | None, ...]) -> tuple[int | None, ...]:
        if who == seat or None not in cards:
            return cards
        assert run.position is not None
        known = [card for card in _cards_of(run.position.hands[who]) if card in run.known[who]]
        return (*known, *(None,) * (len(cards) - len(known)))

    def pile(seen: Pile) -> Pile:
        # In one order, whoever has discarded what.
        known = [item for item in seen.items if item.card is not None]
        unseen = [item for item in seen.items if item.card is None]
        return Pile((*known, *unseen), seen.points)

    hands = tuple([hand(who, cards) for who, cards in enumerate(view.text.hands)])
    piles = tuple(map(pile, view.text.piles))
    view = View(replace(view.text, piles=piles), seat)
    text = replace(view.text, hands=hands)
    # A view in which everything is known reads like a line that tells too much: the last card
    # goes without saying.
    return View(text, seat) if text.has_unknown else view


# ---- writing down -----------------------------------------------------------------------


def record_hand(
    start: PositionText | str, moves: Iterable[Move | Event | str], **tags: object
) -> HandRecord:
    """The record of all seats of a hand played from a deal, or from the middle of a hand.

    ``start`` is the deal or the position, all cards known; ``moves`` are made one after the
    other; the last may be a foul that the table reports, such as ``0!looked``. ``tags`` set
    further fields of the record (``date``, ``players``, ``dealer``, ``tags``). A move that is out
    of turn can only be the call of an out-of-turn lead, or a challenge. Raises InputError if the
    start or a move is wrong, IllegalMoveError if one is not legal.
    """
    position = Position.from_text(start) if isinstance(start, str) else Position(start)
    text = position.text()
    rules = text.rules
    dealt = sum(map(len, text.hands)) + len(text.talon) == rules.deck
    begun = None if dealt and _plain_deal(text) else text
    fixed = {"rules", "trump", "hands", "tricks", "seat", "start"}
    known = {f.name for f in fields(HandRecord)} - fixed
    if tags.keys() - known:
        name = min(tags.keys() - known)
        raise InputError(Fault("tags", name, "no such field", f"use {', '.join(sorted(known))}"))
    tricks: list[list[Event]] = []
    completed = int(text.undrawn)

    def note(number: int, event: Event) -> None:
        while len(tricks) <= number:
            tricks.append([])
        tricks[number].append(event)

    leaving = rules.leave_at_target and rules.sides > 2
    foul = False
    for given in moves:
        if isinstance(given, str) and "!" in given:
            given = parse_event(given)
        if isinstance(given, Event):
            if given.kind != "foul" or given.seat is None:
                raise InputError(
                    Fault("moves", str(given), "not a move or a foul", "write 0!looked")
                )
            position.report_foul(given.seat)
            note(completed - _waiting(position), given)
            foul = True
            continue
        move = parse_move(given) if isinstance(given, str) else given
        who = position.turn
        if move.kind in ("stop", "challenge"):
            who = next((seat for seat, call in position.calls() if call == move), who)
        table, talon, points = position.table, position.talon, position.points
        held, number = position.hands[who], completed - _waiting(position)
        position.play(move)
        named = "" if move.seat is None else str(move.seat)
        note(number, Event(move.kind, who, _cards_of(move.cards), named))
        if leaving and move.kind == "claim":
            note(number, Event("count", who, text=str(points[who])))
            if held:
                note(number, Event("show", who, _cards_of(held)))
        drawn = set(talon[: len(talon) - len(position.talon)])
        completed += _completes(move.kind, table, position)
        if drawn:
            for seat, cards in _draws(position, talon, drawn).items():
                note(completed - 1, Event("draw", seat, tuple(cards)))
    result = position.result
    for shown in [] if foul else _shown_at_end(position):
        note(completed - _waiting(position), shown)
    record = HandRecord(
        rules=rules,
        trump=text.trump,
        turn_up=text.talon[-1] if text.talon and rules.trumps else None,
        seat=None,
        hands=text.hands,
        lead=text.turn,
        undrawn=position.talon or None,
        score=text.score,
        handicap=None if text.handicap == rules.handicaps(text.turn) else text.handicap,
    )
    if begun is not None:
        record = _begun(begun, None)
    record = replace(
        record,
        tricks=tuple(map(tuple, tricks)),
        winner=None if result is None else result.winner,
        reason="" if result is None else result.reason,
        points=tuple(position.points) if result is not None else None,
    )
    if tags.get("reason") == "redeal":
        tags = {"winner": None, "points": None, **tags}
    return replace(record, **tags)  # type: ignore[arg-type]  # names checked above


def _plain_deal(text: PositionText) -> bool:
    """Whether nothing has happened yet, stakes included."""
    return text.stake == 1 and text.raiser is None and text.claim is None


def _shown_at_end(position: Position) -> list[Event]:
    """The hands that were turned up because a combination wins on sight."""
    result, rules = position.result, position.rules
    if result is None or result.reason not in _ON_SIGHT or position.table:
        return []
    shown = []
    for seat, hand in enumerate(position.hands):
        cards = _cards_of(hand)
        trumps = len(cards) == rules.hand and all(c // 9 == position.trump for c in cards)
        if seat == result.winner or trumps:
            shown.append(Event("show", seat, cards))
    return shown


def known_position(step: Step) -> Position:
    """The position of a step; raises HiddenCardsError where cards in play are unknown."""
    if step.position is None:
        raise HiddenCardsError(
            Fault(
                "Seat",
                str(step.seat),
                "a record of one seat, with unknown cards",
                "give the record of all seats",
            )
        )
    return step.position
