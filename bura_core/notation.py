"""The text notations of cards, moves and positions: the only parser and printer.

Whatever a caller types ends in a value or in an ``InputError`` that lists every fault of the
text, each with its field, its value and the remedy. ``docs/notations.md`` describes the
notations; everything printed here reads back to an equal value.

Cards are numbers 0 to 35, suit * 9 + rank, with the suits s h d c as 0 to 3 and the ranks
6 7 8 9 J Q K T A, low to high, as 0 to 8. A set of cards is a mask of 36 bits.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from bura_core.errors import Fault, InputError
from bura_core.rule_sets import RuleSet

__all__ = [
    "MAX_LINE",
    "Move",
    "Pile",
    "PileItem",
    "Play",
    "PositionText",
    "check_position",
    "format_cards",
    "parse_card",
    "parse_cards",
    "parse_move",
    "parse_position",
    "parse_zone",
]

MAX_LINE: Final = 2000
"""The longest text, in characters, that is read at all; a full position needs about 150."""

_RANKS: Final = "6789JQKTA"
_SUITS: Final = "shdc"
_SYMBOLS: Final = "♠♥♦♣"
_POINTS: Final = (0, 0, 0, 0, 2, 3, 4, 10, 11)
_VALUES: Final = _POINTS[4:]
_DECK: Final = (1 << 36) - 1

# The Russian letters. The suit of clubs has two (трефы, крести).
_RU_RANKS: Final = {"6": 0, "7": 1, "8": 2, "9": 3, "В": 4, "Д": 5, "К": 6, "Т": 8}
_RU_SUITS: Final = {"п": 0, "ч": 1, "б": 2, "т": 3, "к": 3}
_RU_RANK_NAMES: Final = ("6", "7", "8", "9", "В", "Д", "К", "10", "Т")
_RU_SUIT_NAMES: Final = "пчбт"

_SUIT_OF: Final[dict[str, int]] = {
    **{ch: suit for suit, ch in enumerate(_SUITS)},
    **{ch: suit for suit, ch in enumerate(_SYMBOLS)},
    **_RU_SUITS,
}
_TEXT: Final = tuple(rank + suit for suit in _SUITS for rank in _RANKS)
_POINTS_OF: Final = _POINTS * 4


def _spellings() -> tuple[dict[str, int], dict[str, int]]:
    """Every card of two characters, and the tens of three."""
    pairs: dict[str, int] = {}
    for rank, ch in enumerate(_RANKS):
        for suit in range(4):
            pairs[ch + _SUITS[suit]] = pairs[ch + _SYMBOLS[suit]] = suit * 9 + rank
    for ch, rank in _RU_RANKS.items():
        for suit_ch, suit in _RU_SUITS.items():
            pairs[ch + suit_ch] = suit * 9 + rank
        for suit in range(4):
            pairs[ch + _SYMBOLS[suit]] = suit * 9 + rank
    tens = {"10" + ch: suit * 9 + 7 for ch, suit in _SUIT_OF.items()}
    return pairs, tens


_PAIRS, _TENS = _spellings()

# One suit's nine bits -> its cards, high to low: printing a set is four look-ups.
_SUIT_TEXT: Final = tuple(
    tuple(
        "".join(_RANKS[rank] + suit for rank in range(8, -1, -1) if bits >> rank & 1)
        for bits in range(512)
    )
    for suit in _SUITS
)

_SUIT_CLASS: Final = "[" + "".join(_SUIT_OF) + "]"
# x3 is three unknown cards. Its digits end where a card begins: x36h is x3 and 6h.
_UNKNOWN: Final = re.compile(
    rf"x([1-9][0-9]*?)(?=(?:10|[6-9]){_SUIT_CLASS}|(?![0-9])(?!{_SUIT_CLASS}))"
)
_VARIANT: Final = re.compile(f"([{_SYMBOLS}])[\ufe0e\ufe0f]")
_BRACKETS: Final = re.compile(r"\(([^()]*)\)")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,3}")
_SCORE: Final = re.compile(r"(0|[1-9][0-9]{0,2}):(0|[1-9][0-9]{0,2})/([1-9][0-9]{0,2})")

_FIELDS: Final = ("rules", "trump", "hands", "talon", "piles", "turn", "table")
_OPTIONS: Final = (
    "stake", "raiser", "offer", "score", "claim", "handicap",
    "left", "lost", "led", "stopped", "held", "trick",
)  # fmt: skip
_WORDS: Final = ("claim", "raise", "accept", "fold", "pass", "challenge")
_CHALLENGE: Final = re.compile(r"challenge:([0-5])")
_BY: Final = re.compile(r"([0-9]):")

_FORMS: Final = {
    "card": "write a card, as in Th",
    "cards": "write cards, as in TsJs, or '-' for none",
    "move": "write a move, as in TsJs, (7s8d), stop:KdQdJd or claim",
    "position": f"write {' '.join(_FIELDS)}, with '-' for what is empty",
}
_CARD_FORM: Final = "write rank A T K Q J 9 8 7 6, then suit s h d c, as in Th"


# ---- values -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PileItem:
    """One card of a pile: ``closed`` if it lies face down.

    ``card`` 0 to 35, or None for a face-down card that the writer of the line does not know.
    ``by``: the seat that discarded it face down, where three seats and more play and it is
    told; None otherwise.
    """

    card: int | None
    closed: bool
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Pile:
    """The cards a seat has taken, in ``items``; or only their ``points``, 0 to 120."""

    items: tuple[PileItem, ...]
    points: int | None


@dataclass(frozen=True, slots=True)
class Play:
    """What ``seat`` has laid in the running trick; ``closed``: a face-down discard.

    ``unknown``: how many face-down cards these are, where the writer does not know them; there
    are then no ``cards``.
    """

    seat: int
    cards: tuple[int, ...]
    closed: bool
    unknown: int = 0

    @property
    def size(self) -> int:
        """How many cards are laid."""
        return len(self.cards) + self.unknown


@dataclass(frozen=True, slots=True)
class Move:
    """One move: its kind and, for the first three kinds, the mask of its cards.

    ``kind`` is ``play`` (a lead, a beating set, and every reply where discards are shown),
    ``discard`` (a closed discard), ``stop`` (the call of an out-of-turn lead), ``claim``,
    ``raise``, ``accept``, ``fold``, ``pass`` or ``challenge`` (of a closed trick). ``seat`` is
    who challenges, where more than two seats play. ``str`` gives the notation.
    """

    kind: str
    cards: int = 0
    seat: int | None = None

    def __str__(self) -> str:
        if self.kind == "play":
            return format_cards(self.cards)
        if self.kind == "discard":
            return f"({format_cards(self.cards)})"
        if self.kind == "stop":
            return f"stop:{format_cards(self.cards)}"
        if self.seat is not None:
            return f"{self.kind}:{self.seat}"
        return self.kind


@dataclass(frozen=True, slots=True)
class PositionText:
    """A position as its line says it, card order included; ``str`` gives the line.

    ``trump`` is a suit 0 to 3 (s h d c), None without trumps. ``hands``, ``piles`` and
    ``handicap`` (points that count for a seat beside its pile) go by seat. ``hands`` and
    ``talon`` hold None for each unknown card. ``talon`` is in drawing order. ``turn`` is the
    seat to act, ``claim`` the seat that has just won a trick and may claim now. ``stake``
    and ``raiser`` are the stake in force and the seat that raised last. ``offer`` is a stake
    that ``raiser`` has offered and the other has yet to answer; ``turn`` is then the seat
    whose turn the raise interrupted. ``score`` is
    ``(own, other, to)``: the match so far and what it is played to.

    ``left`` are the seats that left the hand with the target, in this order, ``lost`` those that
    lost it, ascending (``leave_at_target``). ``led``: the seat that led the trick just won,
    where it draws first and has not drawn yet. ``stopped``: the seat whose lead in this trick
    was called off, ``held``: its cards, which have to be part of its answer. ``trick``: the
    cards of a closed trick that may still be challenged.

    A value made by hand may be impossible; ``check_position`` tells.
    """

    rules: RuleSet
    trump: int | None
    hands: tuple[tuple[int | None, ...], ...]
    talon: tuple[int | None, ...]
    piles: tuple[Pile, ...]
    turn: int
    table: tuple[Play, ...]
    stake: int = 1
    raiser: int | None = None
    offer: int | None = None
    score: tuple[int, int, int] | None = None
    claim: int | None = None
    handicap: tuple[int, ...] = (0, 0)
    left: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    led: int | None = None
    stopped: int | None = None
    held: tuple[int, ...] = ()
    trick: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.handicap == (0, 0) and self.rules.players > 2:
            object.__setattr__(self, "handicap", (0,) * self.rules.players)

    @classmethod
    def dealt(cls, rules: RuleSet, rng: random.Random) -> PositionText:
        """A random deal, seat 0 to lead; the turned trump lies at the bottom of the talon."""
        low = 9 - rules.deck // 4
        cards = [suit * 9 + rank for suit in range(4) for rank in range(low, 9)]
        rng.shuffle(cards)
        hands = []
        for size in rules.hand_sizes:
            hands.append(tuple(sorted(cards[:size])))
            del cards[:size]
        return cls(
            rules=rules,
            trump=cards[-1] // 9 if rules.trumps else None,
            hands=tuple(hands),
            talon=tuple(cards),
            piles=tuple(Pile((), None) for _ in hands),
            turn=0,
            table=(),
            handicap=rules.handicaps(0),
        )

    @property
    def out(self) -> tuple[int, ...]:
        """The seats that are out of the hand."""
        return self.left + self.lost

    @property
    def full_hands(self) -> tuple[int, ...]:
        """The sizes of the hands as they were when the trick began, by seat."""
        sizes = [len(hand) for hand in self.hands]
        for play in self.table:
            if 0 <= play.seat < len(sizes):
                sizes[play.seat] += play.size
        return tuple(sizes)

    @property
    def undrawn(self) -> bool:
        """Whether a claim comes before the draw: hands are still short of the trick just won."""
        return (
            self.claim is not None and self.rules.claim_window == "before_draw" and not self.table
        )

    @property
    def talon_aside(self) -> bool:
        """Whether what is left of the talon is set aside: too little for all, nobody draws."""
        return (
            bool(self.talon)
            and not self.undrawn
            and any(
                size < full
                for seat, (size, full) in enumerate(
                    zip(self.full_hands, self.rules.hand_sizes, strict=False)
                )
                if seat not in self.out
            )
        )

    @property
    def has_unknown(self) -> bool:
        """Whether some card of a hand, the talon or a pile is unknown."""
        return (
            None in self.talon
            or any(None in hand for hand in self.hands)
            or any(item.card is None for pile in self.piles for item in pile.items)
            or any(play.unknown for play in self.table)
        )

    def __str__(self) -> str:
        parts = [
            str(self.rules),
            "-" if self.trump is None else _SUITS[self.trump],
            "/".join(map(_listed, self.hands)),
            _listed(self.talon),
            "/".join(map(_pile_text, self.piles)),
            str(self.turn),
            ",".join(map(_play_text, self.table)) or "-",
        ]
        if self.stake != 1:
            parts.append(f"stake={self.stake}")
        if self.raiser is not None:
            parts.append(f"raiser={self.raiser}")
        if self.offer is not None:
            parts.append(f"offer={self.offer}")
        if self.score is not None:
            parts.append("score={}:{}/{}".format(*self.score))
        if self.claim is not None:
            parts.append(f"claim={self.claim}")
        # A first deal with compensation has a handicap unless the line says otherwise, so
        # there a handicap of nothing has to be said.
        if any(self.handicap) or (self.rules.compensation and _untouched(self)):
            parts.append("handicap=" + "/".join(map(str, self.handicap)))
        for key in ("left", "lost"):
            seats = getattr(self, key)
            if seats:
                parts.append(f"{key}=" + ",".join(map(str, seats)))
        for key in ("led", "stopped"):
            seat = getattr(self, key)
            if seat is not None:
                parts.append(f"{key}={seat}")
        for key in ("held", "trick"):
            cards = getattr(self, key)
            if cards:
                parts.append(f"{key}={_listed(cards)}")
        return " ".join(parts)


# ---- printing ---------------------------------------------------------------------------


def format_cards(cards: int | Sequence[int | None]) -> str:
    """The cards as text: a mask in canonical order, a sequence in its own.

    Canonical order is suits s h d c, high to low within a suit. None in a sequence is an
    unknown card; nothing is ``-``. Raises InputError if a number is no card (0 to 35) or a
    mask has more than 36 bits.
    """
    if isinstance(cards, int):
        if not 0 <= cards <= _DECK:
            raise InputError(
                Fault("cards", str(cards), "not a set of cards", "use a mask of 36 bits")
            )
        spades, hearts, diamonds, clubs = _SUIT_TEXT
        text = spades[cards & 511] + hearts[cards >> 9 & 511]
        return text + diamonds[cards >> 18 & 511] + clubs[cards >> 27] or "-"
    faults = [
        Fault("cards", str(card), "not a card", "use numbers 0 to 35")
        for card in cards
        if card is not None and not 0 <= card < 36
    ]
    if faults:
        raise InputError(faults)
    return _listed(cards)


def _listed(cards: Sequence[int | None]) -> str:
    if None not in cards:
        return "".join([_TEXT[card] for card in cards if card is not None]) or "-"
    parts: list[str] = []
    run = 0
    for card in cards:
        if card is None:
            run += 1
            continue
        if run:
            parts.append(f"x{run}")
            run = 0
        parts.append(_TEXT[card])
    if run:
        parts.append(f"x{run}")
    return "".join(parts)


def _pile_text(pile: Pile) -> str:
    if pile.points is not None:
        return str(pile.points)
    parts: list[str] = []
    run: list[int | None] = []
    kind: object = None  # of the run: open, unknown, or closed and by whom

    def write() -> None:
        if not run:
            return
        if isinstance(kind, tuple):
            by = "" if kind[1] is None else f"{kind[1]}:"
            parts.append(f"({by}{_listed(run)})")
        else:
            parts.append(_listed(run))

    for item in pile.items:
        this = "unknown" if item.card is None else ("closed", item.by) if item.closed else "open"
        if run and this != kind:
            write()
            run = []
        kind = this
        run.append(item.card)
    write()
    return "".join(parts) or "-"


def _play_text(play: Play) -> str:
    if play.unknown:
        return f"{play.seat}:x{play.unknown}"
    cards = _listed(play.cards)
    return f"{play.seat}:({cards})" if play.closed else f"{play.seat}:{cards}"


# ---- reading cards ----------------------------------------------------------------------


def parse_card(text: str) -> int:
    """The card written as ``text``, 0 to 35.

    Raises InputError if it is no card, or more than one.
    """
    faults: list[Fault] = []
    text = _entry(text, "card", faults)
    cards = _scan(text, "card", faults, unknown=False)
    if not faults and len(cards) != 1:
        faults.append(Fault("card", text, _count(len(cards)), "write one"))
    if faults or cards[0] is None:
        raise InputError(faults)
    return cards[0]


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards written as ``text``, in its order; ``-`` is none.

    Raises InputError with every fault: what is no card, and each card given twice.
    """
    faults: list[Fault] = []
    text = _entry(text, "cards", faults)
    cards = () if text == "-" else _known(_scan(text, "cards", faults, unknown=False))
    faults += _repeated("cards", cards)
    if faults:
        raise InputError(faults)
    return cards


def parse_zone(text: str) -> tuple[int | None, ...]:
    """Cards of which some may be unknown, such as ``KsTh`` or ``x9Jh``; ``-`` for none.

    An unknown card is None. Raises InputError with every fault at once.
    """
    faults: list[Fault] = []
    cards = _read_cards(_entry(text, "cards", faults), "cards", faults)
    if faults:
        raise InputError(faults)
    return cards


def parse_move(text: str) -> Move:
    """The move written as ``text``; whether it is legal is for a position to say.

    Raises InputError with every fault: what is no card, each card given twice, a word that
    is no move (with the nearest ones).
    """
    if text in _WORDS:
        return Move(text)
    challenge = _CHALLENGE.fullmatch(text)
    if challenge:
        return Move("challenge", seat=int(challenge[1]))
    faults: list[Fault] = []
    text = _entry(text, "move", faults)
    kind, body = "play", text
    if text.startswith("stop:"):
        kind, body = "stop", text[5:]
    elif text.startswith("("):
        kind, body = "discard", text[1:]
        if body.endswith(")"):
            body = body[:-1]
        else:
            faults.append(
                Fault("move", text, "the bracket is not closed", "write (7s8d) for a discard")
            )
    if body == text and not _begins(text, 0):
        word = re.split("[: ]", text.strip(), maxsplit=1)[0][:20].lower()
        near = get_close_matches(word, [*_WORDS, "stop"], n=1)
        if near:
            meant = "stop:KdQdJd" if near[0] == "stop" else near[0]
            faults.append(Fault("move", text, "no such move", f"did you mean {meant}?"))
            raise InputError(faults)
    if not body or body == "-":
        faults.append(Fault("move", text, "no cards are named", "write the cards, as in TsJs"))
        raise InputError(faults)
    cards = _known(_scan(body, "move", faults, unknown=False))
    faults += _repeated("move", cards)
    if faults:
        raise InputError(faults)
    return Move(kind, _mask(cards))


def _entry(text: str, field: str, faults: list[Fault]) -> str:
    """``text`` ready to be read: its length and characters checked, symbols made plain.

    Raises InputError where reading on would make no sense.
    """
    if len(text) > MAX_LINE:
        raise InputError(
            Fault(field, text, f"longer than {MAX_LINE} characters", "write one at a time")
        )
    if not text or text.isspace():
        raise InputError(Fault(field, text, "empty", _FORMS[field]))
    if text.isascii() and text.isprintable():
        return text
    # What cannot be seen is named by number and reported once each; the rest is read on.
    unseen = dict.fromkeys(ch for ch in text if ch != " " and _unseen(ch))
    for ch in unseen:
        name = unicodedata.name(ch, "an unprintable character").lower()
        faults.append(
            Fault(field, ch, f"U+{ord(ch):04X}, {name}, has no place here", "leave it out")
        )
        text = text.replace(ch, " " if ch.isspace() else "")
    if not text.strip():
        raise InputError(faults)
    return _VARIANT.sub(r"\1", text)


def _unseen(ch: str) -> bool:
    return unicodedata.category(ch)[0] in "CZ"


def _scan(text: str, field: str, faults: list[Fault], *, unknown: bool) -> list[int | None]:
    """The cards of ``text``; what is none is a fault, and reading goes on after it."""
    cards: list[int | None] = []
    pairs = _PAIRS
    i, end = 0, len(text)
    while i < end:
        card = pairs.get(text[i : i + 2])
        if card is not None:
            cards.append(card)
            i += 2
            continue
        card = _TENS.get(text[i : i + 3])
        if card is not None:
            cards.append(card)
            i += 3
            continue
        count = _UNKNOWN.match(text, i)
        if count is not None:
            _scan_unknown(count, field, faults, cards, unknown=unknown)
            i = count.end()
            continue
        fault, i = _no_card(text, i, field)
        faults.append(fault)
    return cards


def _begins(text: str, i: int) -> bool:
    """Whether a card, or a number of unknown ones, begins at ``i``."""
    return (
        text[i : i + 2] in _PAIRS
        or text[i : i + 3] in _TENS
        or _UNKNOWN.match(text, i) is not None
    )


def _scan_unknown(
    count: re.Match[str],
    field: str,
    faults: list[Fault],
    cards: list[int | None],
    *,
    unknown: bool,
) -> None:
    if not unknown:
        faults.append(Fault(field, count[0], "unknown cards", "name the cards here"))
    elif len(count[1]) > 2 or int(count[1]) > 36:
        faults.append(Fault(field, count[0], "more cards than a deck", "write x36 at most"))
    else:
        cards += [None] * int(count[1])


def _no_card(text: str, i: int, field: str) -> tuple[Fault, int]:
    """What is wrong at ``i``, where no card begins, and where reading may go on."""
    first, second = text[i], text[i + 1 : i + 2]
    recased = first.upper() + second.lower()
    mixed = _mixed(text, i)
    stop = i + 2
    if mixed:
        width, problem, remedy = mixed
        stop = i + width
    elif recased in _PAIRS:
        problem = "capitals and small letters are mixed up"
        remedy = f"write {_TEXT[_PAIRS[recased]]}"
    elif text[i : i + 3].lower() in _TENS:
        problem = "capitals and small letters are mixed up"
        remedy = f"write {_TEXT[_TENS[text[i : i + 3].lower()]]}"
        stop = i + 3
    elif first in _SUIT_OF and second.upper() + first in _PAIRS:
        problem = "the suit stands first"
        remedy = f"write {_TEXT[_PAIRS[second.upper() + first]]}, the rank first"
    elif first in "2345" and second in _SUIT_OF:
        problem, remedy = "no deck has this rank", "the ranks are A T K Q J 9 8 7 6"
    else:
        stop = i + 1
        while stop < len(text) and not _begins(text, stop) and not _mixed(text, stop):
            stop += 1
        problem, remedy = _no_card_at_all(text[i:stop], last=stop == len(text))
    return Fault(field, text[i:stop], problem, remedy), stop


def _no_card_at_all(part: str, *, last: bool) -> tuple[str, str]:
    first = part[0]
    if first in "()":
        return "a bracket out of place", "brackets are for face-down cards, as in (Js)"
    if first == "-":
        return "'-' among cards", "'-' stands alone, for none"
    if first in " ,;.|+&":
        return "a separator", "write cards without separators, as in AsTd"
    if first in "xX":
        return "how many unknown cards is not said", "write the small x and a number, as in x3"
    if first in "хХ":
        return "the letter is Cyrillic", "write the Latin x and how many, as in x3"
    if last and part in "A K Q J T В Д К Т 6 7 8 9 10":
        return "the suit is missing", _CARD_FORM
    return "not a card", _CARD_FORM


# What a letter looks like in the other script. The Latin letter of a rank and the Russian
# letter that looks the same need not be the same rank.
_AS_LATIN: Final = {"Т": "T", "К": "K", "А": "A"}
_AS_RUSSIAN: Final = {"T": "Т", "K": "К", "B": "В"}


def _mixed(text: str, i: int) -> tuple[int, str, str] | None:
    """Of a card whose letters are of two scripts: its length, the problem and both readings."""
    width = 2 if text.startswith("10", i) else 1
    rank, suit_ch = text[i : i + width], text[i + width : i + width + 1]
    # The Cyrillic es is no suit in Russian, but looks like the Latin c.
    suit = 3 if suit_ch == "с" else _SUIT_OF.get(suit_ch)
    if suit is None or suit_ch in _SYMBOLS and rank != "А":
        return None
    latin = {"10": "T"}.get(rank, _AS_LATIN.get(rank, rank))
    russian = _AS_RUSSIAN.get(rank, rank)
    readings: list[str] = []
    if latin in _RANKS:
        readings.append(latin + _SUITS[suit])
    if russian in _RU_RANKS or russian == "10":
        number = 7 if russian == "10" else _RU_RANKS[russian]
        ours = _TEXT[suit * 9 + number]
        theirs = _RU_RANK_NAMES[number] + _RU_SUIT_NAMES[suit]
        readings.append(f"{theirs} ({ours})")
    if not readings:
        return None
    problem = "Latin and Cyrillic letters in one card"
    if rank in ("T", "Т"):
        problem += ": the Latin T is the ten, the Cyrillic Т the ace"
    return width + 1, problem, "write " + " or ".join(readings)


def _count(number: int) -> str:
    return f"{number} card" if number == 1 else f"{number} cards"


def _known(cards: Iterable[int | None]) -> tuple[int, ...]:
    return tuple([card for card in cards if card is not None])


def _mask(cards: Iterable[int]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _repeated(field: str, cards: Sequence[int]) -> list[Fault]:
    if len(set(cards)) == len(cards):
        return []
    return [
        Fault(field, _TEXT[card], "the card is given twice", "give it once")
        for card in dict.fromkeys(cards)
        if cards.count(card) > 1
    ]


# ---- reading positions ------------------------------------------------------------------


def parse_position(line: str) -> PositionText:
    """The position of ``line``, fully checked against its rules.

    A line break at the end and repeated spaces are let pass. Raises InputError with every
    fault of the line at once.
    """
    faults: list[Fault] = []
    line = _entry(line.rstrip("\r\n"), "position", faults)
    tokens = line.split()
    count = 1
    while count < len(tokens) and count < 7 and "=" not in tokens[count]:
        count += 1
    if count < 7:
        _too_few(tokens, count, faults)
        raise InputError(faults)

    broken: set[str] = set()  # fields that could not be read
    rules = _read_rules(tokens[0], faults)
    if rules is None:
        broken.add("rules")
        rules = _ANY_RULES
    before = len(faults)
    trump = _read_trump(tokens[1], faults)
    if len(faults) > before:
        broken.add("trump")

    before = len(faults)
    hands = tuple(
        [
            _read_cards(text, f"hands[{seat}]", faults)
            for seat, text in enumerate(tokens[2].split("/"))
        ]
    )
    if len(faults) > before:
        broken.add("hands")
    before = len(faults)
    talon = _read_cards(tokens[3], "talon", faults)
    if len(faults) > before:
        broken.add("talon")
    before = len(faults)
    piles = tuple(
        [
            _read_pile(text, f"piles[{seat}]", faults)
            for seat, text in enumerate(tokens[4].split("/"))
        ]
    )
    if len(faults) > before:
        broken.add("piles")
    turn = _read_seat(tokens[5], "turn", faults)
    if turn is None:
        broken.add("turn")
        turn = 0
    before = len(faults)
    table = () if tokens[6] == "-" else _read_table(tokens[6], faults)
    if len(faults) > before:
        broken.add("table")

    position = PositionText(rules, trump, hands, talon, piles, turn, table)
    if len(tokens) > 7:
        position = _read_options(position, tokens[7:], faults, broken)
    if rules.compensation and " handicap=" not in line and _untouched(position):
        position = replace(position, handicap=rules.handicaps(turn))
    faults += _check(position, broken)
    if faults:
        raise InputError(faults)
    return position


_ANY_RULES: Final = RuleSet.parse("classic")


def _too_few(tokens: list[str], count: int, faults: list[Fault]) -> None:
    """A line of too few fields: only its first two and its options are surely what they seem."""
    _read_rules(tokens[0], faults)
    if count > 1:
        _read_trump(tokens[1], faults)
    faults.append(
        Fault(
            "position",
            " ".join(tokens),
            f"{count} of its 7 fields",
            _FORMS["position"],
        )
    )
    blank = PositionText(_ANY_RULES, None, (), (), (), 0, ())
    _read_options(blank, tokens[count:], faults, set())


def _read_rules(text: str, faults: list[Fault]) -> RuleSet | None:
    try:
        return RuleSet.parse(text)
    except InputError as error:
        faults += [
            fault if fault.field == "rules" else replace(fault, field=f"rules.{fault.field}")
            for fault in error.faults
        ]
        return None


def _read_trump(text: str, faults: list[Fault]) -> int | None:
    if text == "-":
        return None
    suit = _SUIT_OF.get(text)
    if suit is None:
        remedy = "write s, h, d or c, or '-' where there are no trumps"
        if text == "с":
            remedy = "the letter is Cyrillic: write the Latin c, or т in Russian"
        faults.append(Fault("trump", text, "not a suit", remedy))
    return suit


def _read_cards(text: str, field: str, faults: list[Fault]) -> tuple[int | None, ...]:
    if text == "-":
        return ()
    if not text:
        faults.append(Fault(field, text, "nothing between the strokes", "write '-' for none"))
    return tuple(_scan(text, field, faults, unknown=True))


_OPEN: Final = tuple(PileItem(card, closed=False) for card in range(36))
_CLOSED: Final = tuple(PileItem(card, closed=True) for card in range(36))
_UNSEEN: Final = PileItem(None, closed=True)


def _read_pile(text: str, field: str, faults: list[Fault]) -> Pile:
    if text == "-":
        return Pile((), None)
    if text.isdigit():
        if _NUMBER.fullmatch(text):
            return Pile((), int(text))
        faults.append(
            Fault(field, text, "not a number of points", "write 0 to 120, without leading zeros")
        )
        return Pile((), None)
    if not text:
        faults.append(Fault(field, text, "nothing between the strokes", "write '-' for none"))
    items: list[PileItem] = []
    for number, part in enumerate(_BRACKETS.split(text)):
        if number % 2 == 0:
            cards = _scan(part, field, faults, unknown=True)
            items += [_UNSEEN if card is None else _OPEN[card] for card in cards]
        elif part:
            by = _BY.match(part)
            if by:
                part = part[by.end() :]
                if not part:
                    faults.append(Fault(field, f"({by[0]})", "no card in the brackets", "name it"))
            cards = _scan(part, field, faults, unknown=False)
            if by:
                items += [PileItem(card, True, int(by[1])) for card in _known(cards)]
            else:
                items += [_CLOSED[card] for card in cards if card is not None]
        else:
            faults.append(Fault(field, "()", "no card in the brackets", "leave them out"))
    return Pile(tuple(items), None)


def _read_seat(text: str, field: str, faults: list[Fault]) -> int | None:
    if len(text) == 1 and text in "0123456789":
        return int(text)
    faults.append(Fault(field, text, "not a seat", "write 0 or 1, with more players up to 5"))
    return None


def _read_table(text: str, faults: list[Fault]) -> tuple[Play, ...]:
    plays: list[Play] = []
    for number, part in enumerate(text.split(",")):
        field = f"table[{number}]"
        seat_text, colon, cards_text = part.partition(":")
        if not colon:
            faults.append(
                Fault(field, part, "not a play", "write seat:cards, as in 0:TsAs, or '-'")
            )
            continue
        seat = _read_seat(seat_text, field, faults)
        closed = cards_text.startswith("(") and cards_text.endswith(")")
        if closed:
            cards_text = cards_text[1:-1]
        if not cards_text or cards_text == "-":
            faults.append(Fault(field, part, "no cards are named", "write the cards laid"))
            continue
        # What is led is face up, so only an answer may be unknown.
        scanned = _scan(cards_text, field, faults, unknown=number > 0 and not closed)
        cards = _known(scanned)
        unknown = len(scanned) - len(cards)
        if unknown and cards:
            faults.append(
                Fault(
                    field,
                    part,
                    "known and unknown cards in one play",
                    "a face-down discard is known whole or not at all: write (7s8d) or x2",
                )
            )
            continue
        if seat is not None:
            plays.append(Play(seat, cards, closed or unknown > 0, unknown))
    return tuple(plays)


def _read_options(
    position: PositionText, tokens: list[str], faults: list[Fault], broken: set[str]
) -> PositionText:
    values: dict[str, object] = {}
    for token in tokens:
        key, equals, text = token.partition("=")
        if not equals:
            faults.append(
                Fault("position", token, "one field too many", "after the table write key=value")
            )
        elif key not in _OPTIONS:
            near = get_close_matches(key[:20].lower(), _OPTIONS, n=1)
            remedy = f"did you mean {near[0]}? " if near else ""
            remedy += "known: " + ", ".join(_OPTIONS)
            faults.append(Fault("position", token, "no such option", remedy))
        elif key in values:
            faults.append(Fault(key, text, "the option is given twice", "give it once"))
        else:
            values[key] = _read_option(key, text, faults)
            if values[key] is None:
                broken.add(key)
    read = {key: value for key, value in values.items() if value is not None}
    return replace(position, **read)  # type: ignore[arg-type]  # each of its field's type


def _read_option(key: str, text: str, faults: list[Fault]) -> object:
    """The value of the option; None after a fault."""
    if key in ("raiser", "claim", "led", "stopped"):
        return _read_seat(text, key, faults)
    if key in ("held", "trick"):
        before = len(faults)
        cards = _known(_scan(text, key, faults, unknown=False))
        return cards if len(faults) == before else None
    if key in ("left", "lost"):
        seats = text.split(",")
        if all(len(seat) == 1 and seat in "0123456789" for seat in seats):
            return tuple(map(int, seats))
        faults.append(
            Fault(key, text, "not a list of seats", f"write seats with commas, as in {key}=2,0")
        )
        return None
    if key in ("stake", "offer"):
        if _NUMBER.fullmatch(text):
            return int(text)
        remedy = f"write a whole number, as in {key}=2"
    elif key == "score":
        match = _SCORE.fullmatch(text)
        if match:
            return int(match[1]), int(match[2]), int(match[3])
        remedy = "write own:other/to, as in score=3:5/7"
    else:
        parts = text.split("/")
        if all(_NUMBER.fullmatch(part) for part in parts):
            return tuple(map(int, parts))
        remedy = "write points by seat, as in handicap=0/30"
    faults.append(Fault(key, text, "not a value of this option", remedy))
    return None


def _untouched(p: PositionText) -> bool:
    """Whether nothing has been played yet: all hands and the talon full, no pile."""
    rules = p.rules
    return (
        len(p.talon) == rules.deck - sum(rules.hand_sizes)
        and tuple(len(hand) for hand in p.hands) == rules.hand_sizes
        and all(not pile.items and not pile.points for pile in p.piles)
    )


# ---- checking positions -----------------------------------------------------------------


def check_position(position: PositionText) -> list[Fault]:
    """Every reason why ``position`` cannot be; empty if it can.

    The rule set itself is always possible.
    """
    wrong = [
        Fault(field, str(card), "not a card", "use numbers 0 to 35")
        for field, cards in _zones(position)
        for card in cards
        if card is not None and not 0 <= card < 36
    ]
    if position.trump is not None and not 0 <= position.trump < 4:
        wrong.append(Fault("trump", str(position.trump), "not a suit", "use 0 to 3 or None"))
    for seat, pile in enumerate(position.piles):
        if pile.points is not None and pile.items:
            wrong.append(
                Fault(
                    f"piles[{seat}]",
                    str(pile.points),
                    "cards and points at once",
                    "give the cards or the points",
                )
            )
        if any(item.card is None and not item.closed for item in pile.items):
            wrong.append(
                Fault(f"piles[{seat}]", "x1", "an unknown card that lies open", "make it closed")
            )
    # These have no notation, so nothing that quotes them can be said of the rest.
    return wrong or _check(position, set())


_DECK_OF: Final = {
    size: sum(((1 << 9) - 1 >> low << low) << 9 * suit for suit in range(4))
    for size, low in ((36, 0), (32, 1), (20, 4))
}


def _check(p: PositionText, broken: set[str]) -> list[Fault]:
    """Every reason why ``p`` cannot be, the fields in ``broken`` taken as unknown."""
    faults: list[Fault] = []
    rules = p.rules
    ruled = "rules" not in broken
    if "trump" not in broken:
        _check_trump(p, faults, ruled=ruled)

    shaped = True  # as many hands and piles as players
    for field, parts in (("hands", p.hands), ("piles", p.piles)):
        if ruled and len(parts) != rules.players:
            shaped = False
            text = "/".join(
                map(_listed, p.hands) if field == "hands" else map(_pile_text, p.piles)
            )
            one_or_more = f"1 {field[:-1]}" if len(parts) == 1 else f"{len(parts)} {field}"
            wanted = "two" if rules.players == 2 else str(rules.players)
            faults.append(
                Fault(
                    field,
                    text,
                    f"{one_or_more} for {rules.players} players",
                    f"write {wanted}, '/' between",
                )
            )
    _check_seats(p, broken, faults, ruled=ruled)
    _check_options(p, broken, faults, ruled=ruled)

    zones = _zones(p)
    distinct = _check_cards(p, zones, faults, ruled=ruled)
    if not ruled or not shaped:
        return faults
    if broken.isdisjoint(("hands", "talon", "table", "left", "lost")):
        _check_sizes(p, faults)
    if "table" not in broken:
        _check_table(p, broken, faults)
    if "piles" not in broken:
        _check_faces(p, faults)
        if not broken & {"left", "lost", "led", "stopped", "held", "trick", "table"}:
            _check_states(p, faults)
        if distinct and broken.isdisjoint(("hands", "talon", "table")):
            _check_piles(p, zones, faults)
    return faults


def _check_trump(p: PositionText, faults: list[Fault], *, ruled: bool) -> None:
    if not ruled:
        return
    if p.trump is None and p.rules.trumps:
        faults.append(Fault("trump", "-", "these rules have trumps", "name a suit: s, h, d or c"))
    elif p.trump is not None and not p.rules.trumps:
        faults.append(Fault("trump", _SUITS[p.trump], "these rules have no trumps", "write '-'"))


def _seats_named(players: int) -> str:
    return "the seats are 0 and 1" if players == 2 else f"the seats are 0 to {players - 1}"


def _check_seats(p: PositionText, broken: set[str], faults: list[Fault], *, ruled: bool) -> None:
    players = p.rules.players
    if not ruled:
        players = len(p.hands) if 2 <= len(p.hands) <= 6 else 6
    seats: list[tuple[str, int | None]] = []
    if "turn" not in broken:
        seats.append(("turn", p.turn))
    seats += [(f"table[{number}]", play.seat) for number, play in enumerate(p.table)]
    seats += [("raiser", p.raiser), ("claim", p.claim), ("led", p.led), ("stopped", p.stopped)]
    seats += [("left", seat) for seat in p.left] + [("lost", seat) for seat in p.lost]
    seats += [
        (f"piles[{seat}]", by)
        for seat, pile in enumerate(p.piles)
        for by in dict.fromkeys(item.by for item in pile.items)
    ]
    faults += [
        Fault(field, str(seat), "there is no such seat", _seats_named(players))
        for field, seat in seats
        if seat is not None and not 0 <= seat < players
    ]


def _check_options(p: PositionText, broken: set[str], faults: list[Fault], *, ruled: bool) -> None:
    if ruled and "stake" not in broken:
        _check_stake(p, faults)
    if p.offer is not None:
        _check_offer(p, p.offer, broken, faults, ruled=ruled)
    elif p.raiser is not None and p.stake == 1 and not broken & {"stake", "offer"}:
        faults.append(
            Fault("raiser", str(p.raiser), "the stake is 1: nobody has raised", "leave it out")
        )
    if p.score is not None:
        _check_score(p, p.score, faults, ruled=ruled)
    if p.claim is not None and 0 <= p.claim < p.rules.players:
        _check_claim(p, p.claim, broken, faults)
    if any(p.handicap) or len(p.handicap) != p.rules.players:
        text = "/".join(map(str, p.handicap))
        if ruled and len(p.handicap) != p.rules.players:
            need = "two players need two numbers"
            if p.rules.players != 2:
                need = f"{p.rules.players} players need as many numbers"
            example = "/".join(["0"] * (p.rules.players - 1) + ["30"])
            faults.append(Fault("handicap", text, need, f"write e.g. {example}"))
        if not all(0 <= points <= 120 for points in p.handicap):
            faults.append(
                Fault("handicap", text, "points out of range", "write 0 to 120 for each seat")
            )


def _check_stake(p: PositionText, faults: list[Fault]) -> None:
    stake, raises = p.stake, p.rules.raises
    if raises == "none":
        fine = stake == 1
        problem, remedy = "these rules have no raises", "leave it out: the stake is 1"
    elif raises == "ladder":
        fine = 1 <= stake <= 6
        problem, remedy = "not a step of the ladder", "write 1 to 6"
    else:
        fine = 1 <= stake <= 1024 and stake.bit_count() == 1
        problem, remedy = "each raise doubles the stake", "write 1, 2, 4, 8 and so on to 1024"
    if not fine:
        faults.append(Fault("stake", str(stake), problem, remedy))


def _check_offer(
    p: PositionText, offer: int, broken: set[str], faults: list[Fault], *, ruled: bool
) -> None:
    if p.raiser is None and "raiser" not in broken:
        faults.append(
            Fault("offer", str(offer), "nobody raised to it", "name the raiser, as in raiser=0")
        )
    if not ruled or "stake" in broken:
        return
    raises = p.rules.raises
    right = {"ladder": p.stake + 1, "dave": 2 * p.stake}.get(raises)
    top = {"ladder": 6, "dave": 1024}.get(raises, 0)
    if right is None:
        faults.append(Fault("offer", str(offer), "these rules have no raises", "leave it out"))
    elif right > top:
        faults.append(
            Fault("offer", str(offer), f"the stake of {p.stake} goes no higher", "leave it out")
        )
    elif offer != right:
        faults.append(
            Fault("offer", str(offer), f"not the step above {p.stake}", f"write {right}")
        )


def _check_score(
    p: PositionText, score: tuple[int, int, int], faults: list[Fault], *, ruled: bool
) -> None:
    own, other, to = score
    text = f"{own}:{other}/{to}"
    if min(own, other) < 0 or to < 1:
        faults.append(Fault("score", text, "numbers out of range", "write e.g. score=3:5/7"))
    elif ruled and p.rules.scoring == "pot":
        faults.append(Fault("score", text, "a game for the pot keeps no score", "leave it out"))
    elif max(own, other) >= to and not (
        # A robber is won with a lead of two only.
        ruled and p.rules.scoring == "robber" and abs(own - other) < 2
    ):
        faults.append(
            Fault("score", text, "this match is over", "give a score that still is played on")
        )


def _check_claim(p: PositionText, claim: int, broken: set[str], faults: list[Fault]) -> None:
    if "turn" not in broken and claim != p.turn:
        faults.append(
            Fault(
                "claim",
                str(claim),
                "only the seat on turn, which has just won a trick, may claim",
                f"write claim={p.turn} or leave it out",
            )
        )
    if p.table:
        faults.append(
            Fault(
                "claim",
                str(claim),
                "cards are on the table: the right to claim is over",
                "leave it out",
            )
        )
    if "piles" in broken or claim >= len(p.piles):
        return
    pile = p.piles[claim]
    empty = pile.points is None and not pile.items
    if empty or ("rules" not in broken and "talon" not in broken and _untouched(p)):
        faults.append(
            Fault("claim", str(claim), "this seat has not won a trick yet", "leave it out")
        )


_Zone = tuple[str, tuple[int | None, ...]]


def _zones(p: PositionText) -> list[_Zone]:
    """Every place where cards lie, by the name of its field."""
    zones: list[_Zone] = [(f"hands[{seat}]", hand) for seat, hand in enumerate(p.hands)]
    zones.append(("talon", p.talon))
    for seat, pile in enumerate(p.piles):
        if pile.items:
            zones.append((f"piles[{seat}]", tuple([item.card for item in pile.items])))
    for number, play in enumerate(p.table):
        zones.append((f"table[{number}]", play.cards))
    return zones


def _check_cards(p: PositionText, zones: list[_Zone], faults: list[Fault], *, ruled: bool) -> bool:
    """Whether every known card is of the deck and in one place only."""
    deck = _DECK_OF[p.rules.deck] if ruled else _DECK
    seen = total = 0
    for _, cards in zones:
        for card in cards:
            if card is not None:
                seen |= 1 << card
                total += 1
    if seen.bit_count() == total and not seen & ~deck:
        return True
    where: dict[int, str] = {}
    for field, cards in zones:
        for card in _known(cards):
            if card in where:
                place = "here" if where[card] == field else f"in {where[card]}"
                faults.append(
                    Fault(
                        field,
                        _TEXT[card],
                        f"the card is already {place}",
                        "each card is in one place only",
                    )
                )
            elif not deck >> card & 1:
                lowest = _RANKS[36 // 4 - p.rules.deck // 4]
                faults.append(
                    Fault(
                        field,
                        _TEXT[card],
                        f"not in the deck of {p.rules.deck}",
                        f"its lowest rank is {lowest}; for others change the deck in the rules",
                    )
                )
            where.setdefault(card, field)
    return False


def _check_sizes(p: PositionText, faults: list[Fault]) -> None:
    """The hands must be as full as the talon and the table let them be."""
    rules = p.rules
    full = p.full_hands
    # Where nobody leaves a hand, that is said of the option and not of the hands.
    out = set(p.out) if rules.leave_at_target and rules.sides > 2 else set()
    faults += [
        Fault(
            f"hands[{seat}]",
            _listed(p.hands[seat]),
            "this seat is out of the hand",
            "its cards lie in its pile: write '-'",
        )
        for seat in sorted(out)
        if seat < len(full) and full[seat]
    ]
    playing = [seat for seat in range(rules.players) if seat not in out]
    laid = ", the cards on the table counted in" if p.table else ""
    # Where a claim comes before the draw, the hands are still short of the trick just played.
    undrawn = p.undrawn
    # Too little for one more card each is set aside, and hands shrink beside it; where seats
    # have left since, even what would now suffice.
    odd = rules.extra_card is not None or rules.deck % rules.players > 0
    aside = bool(out) or (odd and len(p.talon) < len(playing))
    aside = aside and rules.short_talon == "set_aside" and p.talon_aside
    if p.talon and not undrawn and not aside:
        faults += [
            Fault(
                f"hands[{seat}]",
                _listed(p.hands[seat]),
                f"{_count(full[seat])}{laid}, while the talon is not empty",
                f"every hand is then filled to {rules.hand_sizes[seat]}",
            )
            for seat in playing
            if full[seat] != rules.hand_sizes[seat]
        ]
    else:
        most = [size - 1 if undrawn else size for size in rules.hand_sizes]
        faults += [
            Fault(
                f"hands[{seat}]",
                _listed(p.hands[seat]),
                f"{_count(full[seat])}{laid}",
                f"a hand holds {most[seat]} at most" + (" before the draw" if undrawn else ""),
            )
            for seat in playing
            if full[seat] > most[seat]
        ]
        # A card more than the others is played alone at the end.
        even = [full[seat] - (full[seat] > 0 and seat == rules.extra_card) for seat in playing]
        uneven = rules.short_talon == "draw_out" and (
            rules.players > 2 or rules.extra_card is not None
        )
        if even and max(even) - min(even) > uneven:
            if rules.players == 2:
                problem = f"{full[0]} and {_count(full[1])}{laid}"
                remedy = "both hands are equally large at the start of a trick"
                if rules.extra_card is not None:
                    remedy = f"seat {rules.extra_card} holds one card more than the other"
            else:
                problem = f"{', '.join(str(full[seat]) for seat in playing)} cards{laid}"
                remedy = "hands are equally large at the start of a trick"
                if uneven:
                    remedy = "hands differ by one card at most at the start of a trick"
            text = "/".join(map(_listed, p.hands))
            faults.append(Fault("hands", text, problem, remedy))
    if out or rules.extra_card is not None:
        return
    if rules.players == 2:
        if len(p.talon) % 2:
            faults.append(
                Fault(
                    "talon",
                    _listed(p.talon),
                    _count(len(p.talon)),
                    "two players draw from an even talon to the last card",
                )
            )
        return
    left = rules.deck % rules.players
    if len(p.talon) % rules.players != left and (p.talon or rules.short_talon == "set_aside"):
        rest = f"and {_count(left)} stay in the end" if left else "to the last card"
        faults.append(
            Fault(
                "talon",
                _listed(p.talon),
                _count(len(p.talon)),
                f"{rules.players} players draw from it a card each at a time, {rest}",
            )
        )


def _check_table(p: PositionText, broken: set[str], faults: list[Fault]) -> None:
    """The plays must be what the rules let the seats do, and the next seat be on turn."""
    if not p.table:
        return
    rules = p.rules
    lead = p.table[0]
    faults += [
        Fault(f"table[{number}]", _play_text(play), "no cards are laid", "name the cards")
        for number, play in enumerate(p.table)
        if not play.size
    ]
    if lead.closed:
        faults.append(
            Fault(
                "table[0]", _play_text(lead), "a lead is never face down", "leave out the brackets"
            )
        )
    if any(not 0 <= play.seat < rules.players for play in p.table):
        if 0 <= lead.seat < rules.players and "hands" not in broken and not lead.closed:
            _check_lead(p, lead, broken, faults)
        return
    if "hands" not in broken and not lead.closed:
        _check_lead(p, lead, broken, faults)
    full = p.full_hands
    # Who holds no cards is passed over; everybody else answers in turn.
    order = [(lead.seat + step) % rules.players for step in range(rules.players)]
    if "hands" not in broken:
        order = [seat for seat in order if full[seat] or seat == lead.seat]
    best = lead
    for number, play in enumerate(p.table[1:], start=1):
        expected = order[number % len(order)]
        if play.seat != expected:
            faults.append(
                Fault(
                    f"table[{number}]",
                    _play_text(play),
                    "not this seat's turn to play",
                    f"seat {expected} plays next",
                )
            )
        best = _check_reply(p, lead, best, play, f"table[{number}]", broken, faults)
    if len(p.table) >= len(order) and len(p.table) > 1:
        faults.append(
            Fault(
                "table",
                ",".join(map(_play_text, p.table)),
                "the trick is complete",
                "put its cards in the winner's pile, refill the hands and write '-'",
            )
        )
    elif "turn" not in broken and 0 <= p.turn < rules.players and len(p.table) < len(order):
        following = order[len(p.table)]
        if p.turn == lead.seat:
            faults.append(
                Fault(
                    "turn",
                    str(p.turn),
                    "this seat has led the cards on the table",
                    f"the seat to answer is {following}",
                )
            )
        elif p.turn != following:
            faults.append(
                Fault(
                    "turn",
                    str(p.turn),
                    "another seat answers next",
                    f"the seat to answer is {following}",
                )
            )


def _playable(p: PositionText, cards: tuple[int, ...], broken: set[str]) -> bool:
    """Whether the rules can be asked about ``cards`` at all."""
    mask = _mask(cards)
    return (
        "trump" not in broken
        and (p.trump is not None) == p.rules.trumps
        and 0 < len(cards) == mask.bit_count() <= max(p.rules.hand_sizes)
        and not mask & ~_DECK_OF[p.rules.deck]
    )


def _check_lead(p: PositionText, lead: Play, broken: set[str], faults: list[Fault]) -> None:
    # The rules are compiled, and they import this module.
    from bura_core._rules import legal_lead

    rules = p.rules
    others = [
        size
        for seat, size in enumerate(p.full_hands)
        if seat != lead.seat and (size or rules.players == 2)
    ]
    if (rules.players > 2 or len(p.table) == 1) and others and len(lead.cards) > min(others):
        whose = "the other" if rules.players == 2 else "another"
        faults.append(
            Fault(
                "table[0]",
                _play_text(lead),
                f"{_count(len(lead.cards))}, more than {whose} hand holds",
                f"lead {min(others)} at most",
            )
        )
    mask = _mask(lead.cards)
    hand = mask | _mask(_known(p.hands[lead.seat]))
    if (
        _playable(p, lead.cards, broken)
        and hand.bit_count() <= rules.hand_sizes[lead.seat]
        and not legal_lead(rules, p.trump, mask, hand)
    ):
        ways = "lead cards of one suit"
        if rules.lead_sizes == "one_or_three":
            ways = "lead one or three cards of one suit"
        if rules.three_aces != "none":
            ways += ", or three aces"
            ways += " with the trump ace" if rules.three_aces_trump else ""
        if rules.four_aces != "none":
            ways += ", or four aces"
        if rules.little_moskva != "none":
            ways += f", or three {rules.little_moskva}"
        if rules.rank_leads:
            ways += ", or two or three of one rank"
        faults.append(Fault("table[0]", _play_text(lead), "not a legal lead", ways))


def _check_reply(
    p: PositionText,
    lead: Play,
    best: Play,
    reply: Play,
    field: str,
    broken: set[str],
    faults: list[Fault],
) -> Play:
    """Checks an answer; returns what is the best play then."""
    from bura_core._rules import beats

    text = _play_text(reply)
    if reply.size != lead.size:
        faults.append(
            Fault(
                field,
                text,
                f"{_count(reply.size)} against a lead of {lead.size}",
                "a reply has as many cards as the lead",
            )
        )
    if reply.unknown and p.rules.players == 2:
        faults.append(
            Fault(field, text, "who is to answer it has to know it", "name the cards laid")
        )
    if p.rules.discards == "shown" and reply.closed:
        faults.append(
            Fault(field, text, "discards are shown in these rules", "leave out the brackets")
        )
    if (
        reply.closed
        or not _playable(p, best.cards, broken)
        or not _playable(p, reply.cards, broken)
    ):
        return best
    if beats(p.rules, p.trump, _mask(best.cards), _mask(reply.cards)):
        return reply
    if p.rules.discards == "closed":
        whom = "the lead" if best is lead else f"what seat {best.seat} has laid"
        faults.append(
            Fault(
                field,
                text,
                f"an open reply has to beat {whom}, and this does not",
                f"write {reply.seat}:({_listed(reply.cards)}) for a discard",
            )
        )
    return best


def _check_states(p: PositionText, faults: list[Fault]) -> None:
    """What the options say of the hand so far must fit the rules and the rest of the line."""
    rules = p.rules
    out = p.out
    seats = range(rules.players)
    if out and not (rules.leave_at_target and rules.sides > 2):
        faults.append(
            Fault(
                "left" if p.left else "lost",
                ",".join(map(str, out)),
                "nobody leaves a hand in these rules",
                "leave it out, or play leave_at_target=yes with three or more single players",
            )
        )
    elif len(set(out)) != len(out):
        faults.append(
            Fault(
                "left" if p.left else "lost",
                ",".join(map(str, out)),
                "a seat is out twice",
                "name each seat once, in left or in lost",
            )
        )
    else:
        if p.lost != tuple(sorted(p.lost)):
            faults.append(
                Fault("lost", ",".join(map(str, p.lost)), "not ascending", "sort the seats")
            )
        named = [("turn", p.turn), ("claim", p.claim)]
        named += [(f"table[{number}]", play.seat) for number, play in enumerate(p.table)]
        playing = rules.players - len(out)
        faults += [
            Fault(field, str(seat), "this seat is out of the hand", "name a seat that plays on")
            for field, seat in named
            if seat in out and (playing > 1 or field != "turn")
        ]
    if p.led is not None and p.led in seats:
        if not p.undrawn or rules.refill_from != "leader":
            faults.append(
                Fault(
                    "led",
                    str(p.led),
                    "it matters only where the leader draws first and has not drawn yet",
                    "leave it out",
                )
            )
        elif p.led == p.turn:
            faults.append(Fault("led", str(p.led), "that goes without saying", "leave it out"))
    _check_stopped(p, faults)
    _check_trick(p, faults)


def _check_stopped(p: PositionText, faults: list[Fault]) -> None:
    rules = p.rules
    if p.stopped is not None and 0 <= p.stopped < rules.players:
        text = str(p.stopped)
        if rules.stop_window == "before_lead":
            faults.append(
                Fault("stopped", text, "calls come before the lead in these rules", "leave it out")
            )
        elif not p.table:
            faults.append(Fault("stopped", text, "no cards are on the table", "leave it out"))
        elif p.table[0].seat == p.stopped:
            faults.append(
                Fault("stopped", text, "this seat has the lead", "name the seat it was taken from")
            )
    if not p.held:
        return
    text = _listed(p.held)
    answered = any(play.seat == p.stopped for play in p.table)
    if p.stopped is None or answered or rules.stop_window != "after_lead_stays":
        faults.append(
            Fault(
                "held",
                text,
                "no lead was called off that must be part of an answer to come",
                "leave it out, or name the seat, as in stopped=0",
            )
        )
    elif 0 <= p.stopped < len(p.hands):
        hand = p.hands[p.stopped]
        lacking = [card for card in p.held if card not in hand]
        if len(set(p.held)) != len(p.held) or len(lacking) > hand.count(None):
            faults.append(
                Fault(
                    "held",
                    text,
                    f"not cards of hands[{p.stopped}]",
                    "name cards of the hand, each once",
                )
            )


def _check_trick(p: PositionText, faults: list[Fault]) -> None:
    if not p.trick:
        return
    text = _listed(p.trick)
    known = {
        item.card: item.closed
        for seat, pile in enumerate(p.piles)
        if seat == p.turn
        for item in pile.items
    }
    if not p.rules.closed_challenge:
        faults.append(
            Fault("trick", text, "these rules know no challenge of a trick", "leave it out")
        )
    elif p.table:
        faults.append(
            Fault("trick", text, "cards are on the table: it is too late for it", "leave it out")
        )
    elif len(set(p.trick)) != len(p.trick) or not all(card in known for card in p.trick):
        faults.append(
            Fault(
                "trick",
                text,
                f"not cards of piles[{p.turn}]",
                "name the cards of the trick just taken, each once",
            )
        )
    elif not any(known[card] for card in p.trick):
        faults.append(Fault("trick", text, "no card of it lies face down", "leave it out"))


def _check_faces(p: PositionText, faults: list[Fault]) -> None:
    """What lies in each pile, and how, must be what tricks can leave."""
    players = p.rules.players
    # Who leaves lays his hand on his pile; a card more, or a skipped seat, makes odd tricks.
    whole = not p.out and p.rules.extra_card is None
    whole = whole and (players == 2 or p.rules.short_talon == "set_aside")
    for seat, pile in enumerate(p.piles):
        items = pile.items
        if not items:
            continue
        field = f"piles[{seat}]"
        closed = 0
        told = []
        for item in items:
            closed += item.closed
            if item.by is not None:
                told.append(item.by)
        if whole and len(items) % players:
            faults.append(
                Fault(
                    field,
                    _pile_text(pile),
                    _count(len(items)),
                    "a trick of two players is an even number of cards"
                    if players == 2
                    else f"a trick of {players} players is {players} cards or a multiple of it",
                )
            )
        if told and players == 2:
            faults.append(
                Fault(
                    field,
                    _pile_text(pile),
                    "with two players it goes without saying who discarded a card",
                    "write (Js)",
                )
            )
        elif seat in told:
            faults.append(
                Fault(
                    field,
                    _pile_text(pile),
                    "who takes a trick has not discarded in it",
                    "name another seat in the brackets, or none",
                )
            )
        if not closed:
            continue
        if p.rules.discards == "shown":
            faults.append(
                Fault(
                    field,
                    _pile_text(pile),
                    "face-down cards, and discards are shown in these rules",
                    "name every card, without brackets",
                )
            )
        elif players * closed > (players - 1) * len(items):
            share = "half a pile" if players == 2 else f"{players - 1} of {players}"
            faults.append(
                Fault(
                    field,
                    _pile_text(pile),
                    f"{closed} of {len(items)} cards face down",
                    f"the cards led are open, so {share} at most is face down",
                )
            )


def _check_piles(p: PositionText, zones: list[_Zone], faults: list[Fault]) -> None:
    """The piles must hold what lies nowhere else."""
    rules = p.rules
    seen = unknown = placed = 0
    for field, cards in zones:
        for card in cards:
            if card is None:
                unknown += 1
            else:
                seen |= 1 << card
        if not field.startswith("piles"):
            placed += len(cards)
    # Face-down cards of the running trick that the writer does not know.
    unknown += sum(play.unknown for play in p.table)
    placed += sum(play.unknown for play in p.table)
    rest = rules.deck - placed
    if rest < 0:
        faults.append(
            Fault(
                "position",
                _count(placed),
                f"more cards in hands, talon and table than the deck of {rules.deck}",
                f"leave out {-rest}",
            )
        )
        return
    bare = [seat for seat, pile in enumerate(p.piles) if pile.points is not None]
    if not bare:
        _check_whole(p, seen, unknown, rest, faults)
    elif unknown:
        faults += [
            Fault(
                f"piles[{seat}]",
                str(p.piles[seat].points),
                "points do not tell which cards are unseen, and unknown cards lie elsewhere",
                "list the pile's cards, as in As(Js)x2, or '-' for none",
            )
            for seat in bare
        ]
    else:
        _check_points(p, _DECK_OF[rules.deck] & ~seen, bare, faults)


def _check_whole(p: PositionText, seen: int, unknown: int, rest: int, faults: list[Fault]) -> None:
    """Every card of the deck must be somewhere."""
    taken = sum(len(pile.items) for pile in p.piles)
    if taken == rest:
        return
    text = "/".join(map(_pile_text, p.piles))
    if taken > rest:
        problem = f"{_count(taken - rest)} more than the deck of {p.rules.deck} has"
        remedy = f"the piles hold {_count(rest)} together"
    else:
        verb = "is" if rest - taken == 1 else "are"
        problem = f"{_count(rest - taken)} of the deck of {p.rules.deck} {verb} nowhere"
        if unknown:
            remedy = f"list {_count(rest)} in the piles, unknown ones as x2"
        else:
            missing = format_cards(_DECK_OF[p.rules.deck] & ~seen)
            remedy = f"add {missing}, or give the piles as points, as in 31/20"
    faults.append(Fault("piles", text, problem, remedy))


def _check_points(p: PositionText, pool: int, bare: list[int], faults: list[Fault]) -> None:
    """Bare points must be sums of disjoint sets of the cards of ``pool``."""
    ranks = [0] * 9
    for suit in range(4):
        bits = pool >> 9 * suit & 511
        for rank in range(4, 9):
            ranks[rank] += bits >> rank & 1
    counts = tuple(ranks[4:])
    points = [pile.points or 0 for pile in p.piles]
    if possible_points(counts, *points):
        return
    most = sum(count * value for count, value in zip(counts, _POINTS[4:], strict=True))
    alone = [seat for seat in bare if not possible_points(counts, points[seat], 0)]
    lying = "the cards that lie nowhere else"
    faults += [
        Fault(
            f"piles[{seat}]",
            str(points[seat]),
            f"{lying} have {most} points in all"
            if points[seat] > most
            else f"no set of {lying} makes this sum",
            "give the points of the cards in the pile, or list them",
        )
        for seat in alone
    ]
    if not alone:
        some = "two" if len(points) == 2 else str(len(points))
        faults.append(
            Fault(
                "piles",
                "/".join(map(str, points)),
                f"{lying} have {most} points in all"
                if sum(points) > most
                else f"no {some} sets of {lying} make these sums at once",
                "give the points of the cards in each pile, or list them",
            )
        )


def possible_points(counts: tuple[int, ...], *points: int) -> bool:
    """Whether disjoint sets of so many J, Q, K, T and A have these sums."""
    if not all(0 <= sum_ <= 120 for sum_ in points):
        return False
    if len(points) == 2:
        return _sums(counts) >> 128 * points[0] + points[1] & 1 == 1
    # Zeros need no cards, and the order of the piles does not matter.
    return _disjoint(counts, tuple(sorted((sum_ for sum_ in points if sum_), reverse=True)))


@lru_cache(maxsize=4096)
def _disjoint(counts: tuple[int, ...], points: tuple[int, ...]) -> bool:
    """Whether disjoint sets of these J, Q, K, T and A have these sums."""
    if sum(points) > sum(count * value for count, value in zip(counts, _VALUES, strict=True)):
        return False
    if not points:
        return True
    if len(points) <= 2:
        second = points[1] if len(points) == 2 else 0
        return _sums(counts) >> 128 * points[0] + second & 1 == 1
    return any(_disjoint(left, points[1:]) for left in _without(counts, points[0]))


def _without(counts: tuple[int, ...], points: int) -> Iterator[tuple[int, ...]]:
    """What is left of the cards after taking a set of this sum, in every way."""
    if not counts:
        if points == 0:
            yield ()
        return
    *others, count = counts
    value = _VALUES[len(counts) - 1]
    for taken in range(min(count, points // value) + 1):
        for left in _without(tuple(others), points - taken * value):
            yield (*left, count - taken)


def sums_of_two(counts: tuple[int, ...]) -> bytes:
    """What `possible_points` says of two piles, whatever they have, for many questions.

    Bit 128 * a + b, counted from the lowest of the first byte: the piles may have a and b points.
    """
    return _sums(counts).to_bytes(16 * 121, "little")


@lru_cache(maxsize=1024)
def _sums(counts: tuple[int, ...]) -> int:
    """Bit 128 * a + b: two disjoint sets of these J, Q, K, T and A have a and b points."""
    sums = 1
    for count, value in zip(counts, _POINTS[4:], strict=True):
        for _ in range(count):
            sums |= sums << value | sums << 128 * value
    return sums
