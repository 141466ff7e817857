"""Cards, moves and the table, drawn for a person.

What is drawn is the position line of an answer, which the service has checked and written in its
canonical spelling. So reading it here needs no checks: whatever is not understood is shown as it
stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bura.cli.words import Language, Words

__all__ = ["SUITS", "Cards", "Pen", "Seen"]

SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
# What players call a rank on the card itself, where it is not the letter of the notation.
_RANKS = {
    Language.EN: {"T": "10"},
    Language.RU: {"T": "10", "A": "Т", "K": "К", "Q": "Д", "J": "В"},
    Language.KA: {"T": "10"},
}
_RED = "hd"
_CARD = re.compile(r"([6-9TJQKA])([shdc])")
_TOKEN = re.compile(r"\((?P<closed>[^)]*)\)|x(?P<unknown>\d+)|(?P<card>[6-9TJQKA][shdc])")


@dataclass(frozen=True, slots=True)
class Cards:
    """Some cards of a position line.

    Attributes:
        known: the cards that the line names, in its order, and whether each lies face down.
        unknown: how many more there are.
        points: a pile of which the line says only its points.
    """

    known: tuple[tuple[str, bool], ...] = ()
    unknown: int = 0
    points: int | None = None

    @classmethod
    def read(cls, text: str) -> Cards:
        """Reads `AsTd`, `x3`, `As(Js)x2`, `21` or `-`."""
        if text.isdecimal():
            return cls(points=int(text))
        known: list[tuple[str, bool]] = []
        unknown = 0
        for token in _TOKEN.finditer(text):
            if token["unknown"]:
                unknown += int(token["unknown"])
            elif token["card"]:
                known.append((token["card"], False))
            else:
                inner = cls.read(token["closed"])
                known += [(card, True) for card, _ in inner.known]
                unknown += inner.unknown
        return cls(tuple(known), unknown)

    @property
    def count(self) -> int:
        """How many cards there are; 0 for a pile of bare points."""
        return len(self.known) + self.unknown


@dataclass(frozen=True, slots=True)
class Seen:
    """A position line, taken apart."""

    rules: str
    trump: str
    hands: tuple[Cards, ...]
    talon: Cards
    turn_up: str | None
    piles: tuple[Cards, ...]
    turn: int
    table: tuple[tuple[int, Cards], ...]
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, line: str) -> Seen:
        """Takes a canonical position line apart."""
        rules, trump, hands, talon, piles, turn, table, *options = line.split()
        plays = [] if table == "-" else [play.partition(":") for play in table.split(",")]
        last = re.search(r"([6-9TJQKA][shdc])$", talon)
        return cls(
            rules=rules,
            trump=trump,
            hands=tuple(map(Cards.read, hands.split("/"))),
            talon=Cards.read(talon),
            turn_up=last[0] if last else None,
            piles=tuple(map(Cards.read, piles.split("/"))),
            turn=int(turn),
            table=tuple((int(seat), Cards.read(cards)) for seat, _, cards in plays),
            options=dict(option.partition("=")[::2] for option in options),
        )


class Pen:
    """Draws in colour, or not, in suit symbols or in letters, as the console can show it."""

    def __init__(self, console: Console, words: Words | None = None) -> None:
        self.console = console
        self.words = words or Words()
        try:
            "♠♥♦♣±█–µ".encode(console.encoding)
            self.symbols = True
        except (UnicodeEncodeError, LookupError):
            self.symbols = False

    def card(self, card: str) -> Text:
        """One card, such as 10♥."""
        rank, suit = card[0], card[1]
        if not self.symbols:
            return Text(card)
        rank = _RANKS[self.words.language].get(rank, rank)
        return Text(rank + SUITS[suit], style="red" if suit in _RED else "")

    def cards(self, cards: Cards, unknown: str = "unknown") -> Text:
        """Some cards, those face down in brackets; `unknown` is the noun for the others."""
        parts = []
        for card, closed in cards.known:
            parts.append(Text.assemble("(", self.card(card), ")") if closed else self.card(card))
        if cards.unknown:
            counted = self.words.counted(cards.unknown, unknown)
            parts.append(Text(("+ " if parts else "") + counted))
        return Text(" ").join(parts) if parts else Text(self.words("none"))

    def move(self, move: str) -> Text:
        """A move as a table column shows it."""
        if move.startswith("stop:"):
            return Text.assemble(f"{self.words('stop')}: ", self.cards(Cards.read(move[5:])))
        if not _CARD.search(move):
            kind, colon, seat = move.partition(":")
            return Text(self.words.get(kind, kind) + colon + seat)
        if move.startswith("("):
            bare = Cards(tuple((card, False) for card, _ in Cards.read(move).known))
            return Text.assemble("(", self.cards(bare), ")")
        return self.cards(Cards.read(move))

    def sentence(self, move: str, leads: bool) -> Text:
        """What to do, beginning a sentence."""
        if move.startswith("stop:"):
            return self.filled("do_stop", "cards", self.cards(Cards.read(move[5:])))
        if not _CARD.search(move):
            return Text(self.words.get(f"do_{move}", move.capitalize()))
        if move.startswith("("):
            bare = Cards(tuple((card, False) for card, _ in Cards.read(move).known))
            return self.filled("do_lay", "cards", self.cards(bare))
        return self.filled("do_lead" if leads else "do_answer", "cards", self.move(move))

    def filled(self, key: str, field: str, drawn: Text, **parts: object) -> Text:
        """A text with something drawn in one of its fields."""
        before, _, after = self.words(key, **{field: "\0"}, **parts).partition("\0")
        return Text.assemble(before, drawn, after)

    def trump(self, trump: str) -> Text:
        """The trump suit."""
        if trump not in SUITS:
            return Text(self.words("no_trump"))
        name = self.words(f"suit_{trump}")
        if not self.symbols:
            return Text(self.words("trumps_are", suit=name))
        style = "red" if trump in _RED else ""
        drawn = Text.assemble(Text(SUITS[trump], style=style), f" {name}")
        return self.filled("trumps_are", "suit", drawn)

    def heading(self, seen: Seen, seat: int | None) -> Text:
        """The rules, the trumps and whose turn it is."""
        does = "answer" if seen.table else "lead"
        you = self.words("you_are", seat=seat) if seat is not None else ""
        turn = self.words(f"your_{does}")
        if seat != seen.turn:
            turn = self.words("seat_is", seat=seen.turn, act=self.words(f"to_{does}"))
        return Text.assemble(
            Text(seen.rules, style="bold"), ", ", self.trump(seen.trump), "; ", you, turn
        )

    def table(self, seen: Seen, seat: int | None, piles: list[str] | None = None) -> Table:
        """The table as it stands: hands, talon, the cards of this trick, piles.

        Args:
            seen: the position.
            seat: whose eyes; `None` where all is known.
            piles: what to say of each pile.
        """
        words = self.words
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for each, hand in enumerate(seen.hands):
            you = words("you") if each == seat else ""
            grid.add_row(words("hand_of", seat=each) + you, self.cards(hand, "card"))
        grid.add_row(words("talon"), self._talon(seen, show_all=seat is None))
        for each, cards in seen.table:
            grid.add_row(words("played", seat=each), self.cards(cards, "closed"))
        for each, cards in enumerate(seen.piles):
            you = words("you") if each == seat else ""
            said = piles[each] if piles else ""
            grid.add_row(words("pile_of", seat=each) + you, self._pile(cards, said))
        for name, value in seen.options.items():
            if name != "claim":
                grid.add_row(words.get(name, name), value)
            elif seat is None:
                grid.add_row(words("may_claim"), words("seat_n", seat=value))
        return grid

    def _talon(self, seen: Seen, show_all: bool) -> Text:
        if not seen.talon.count:
            return Text(self.words("empty"))
        count = self.words.counted(seen.talon.count, "card")
        if show_all and not seen.talon.unknown:
            return Text.assemble(f"{count}: ", self.cards(seen.talon))
        if seen.turn_up is None:
            return Text(count)
        return self.filled("at_bottom", "card", self.card(seen.turn_up), count=count)

    def _pile(self, cards: Cards, said: str) -> Text:
        if cards.points is not None:
            return Text(said or self.words.counted(cards.points, "point"))
        if not cards.count:
            return Text(self.words("empty"))
        drawn = self.cards(cards, "closed")
        return Text.assemble(drawn, ": ", said) if said else drawn
