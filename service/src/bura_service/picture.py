"""Positions as pictures: the one module that writes SVG.

A picture needs nothing beside it: suits are drawn as shapes, for fonts that lack them show boxes,
and texts name fonts that every system has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from bura_core import PositionText
from bura_core.notation import Pile

__all__ = ["SPOKEN", "Picture", "picture_of"]

SPOKEN = ("en", "ru", "ka")

_WORDS = {
    "en": {
        "seat": "Seat {seat}",
        "act": "to act",
        "talon": "Talon: {count}",
        "trump": "Trumps",
        "no_trump": "No trumps",
        "pile": "Pile: {points}",
        "between": "{least} to {most}",
        "claim": "may claim",
        "stake": "Stake: {stake}",
        "table": "Cards on the table",
        "title": "A position of Bura",
    },
    "ru": {
        "seat": "Игрок {seat}",
        "act": "ходит",
        "talon": "Колода: {count}",
        "trump": "Козыри",
        "no_trump": "Без козырей",
        "pile": "Взятки: {points}",
        "between": "от {least} до {most}",
        "claim": "может вскрыться",
        "stake": "Ставка: {stake}",
        "table": "Карты на столе",
        "title": "Позиция в буре",
    },
    "ka": {
        "seat": "მოთამაშე {seat}",
        "act": "სვლა მისია",
        "talon": "დასტა: {count}",
        "trump": "კოზირი",
        "no_trump": "უკოზიროდ",
        "pile": "წაღებული: {points}",
        "between": "{least}-დან {most}-მდე",
        "claim": "შეუძლია ვარის თქმა",
        "stake": "ფსონი: {stake}",
        "table": "კარტი მაგიდაზე",
        "title": "ბურას პოზიცია",
    },
}
_RANKS = {
    "en": ("6", "7", "8", "9", "J", "Q", "K", "10", "A"),
    "ru": ("6", "7", "8", "9", "В", "Д", "К", "10", "Т"),
    "ka": ("6", "7", "8", "9", "J", "Q", "K", "10", "A"),
}

# Each suit in a square of 100 by 100.
_SHAPES = (
    "M50 4C60 24 94 42 94 66 94 84 70 92 56 76 57 86 60 92 66 97H34C40 92 43 86 44 76"
    " 30 92 6 84 6 66 6 42 40 24 50 4Z",
    "M50 95C30 70 5 54 5 30 5 12 18 5 29 5 39 5 47 11 50 22 53 11 61 5 71 5 82 5 95 12 95 30"
    " 95 54 70 70 50 95Z",
    "M50 3C62 22 74 37 89 50 74 63 62 78 50 97 38 78 26 63 11 50 26 37 38 22 50 3Z",
    "M50 4A21 21 0 0 1 66 39 21 21 0 1 1 55 70C56 84 60 92 67 97H33C40 92 44 84 45 70"
    "A21 21 0 1 1 34 39 21 21 0 0 1 50 4Z",
)
_FONT = "'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"

_WIDTH = 560
_EDGE = 20
_CARD = (56, 80)
_SMALL = (28, 40)
_GAP = 8


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG document and its size in pixels."""

    svg: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _Colours:
    table: str
    text: str
    faint: str
    card: str
    edge: str
    back: str
    red: str
    black: str


_LIGHT = _Colours(
    "#f4f1e8", "#1d2a22", "#55635a", "#ffffff", "#8a9690", "#4a6fa5", "#b3202c", "#15201a"
)
_DARK = _Colours(
    "#16211b", "#eef3ee", "#a9b8ae", "#f5f2e9", "#0b120e", "#3d5a86", "#b3202c", "#15201a"
)


@dataclass(slots=True)
class _Canvas:
    colours: _Colours
    ranks: Sequence[str]
    parts: list[str] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: int = 15,
        faint: bool = False,
        bold: bool = False,
    ) -> None:
        colour = self.colours.faint if faint else self.colours.text
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{weight}>'
            f"{escape(text)}</text>"
        )

    def suit(self, x: float, y: float, size: float, suit: int, *, on_table: bool = False) -> None:
        colour = self.colours.red if suit in (1, 2) else self.colours.black
        if on_table and suit not in (1, 2):
            colour = self.colours.text
        self.parts.append(
            f'<path transform="translate({x:g} {y:g}) scale({size / 100:g})"'
            f' fill="{colour}" d="{_SHAPES[suit]}"/>'
        )

    def card(
        self, x: float, y: float, card: int | None, *, small: bool = False, closed: bool = False
    ) -> None:
        """A card; a back where it is not known, a face with a grey edge where it lies closed."""
        width, height = _SMALL if small else _CARD
        fill = self.colours.back if card is None else self.colours.card
        dash = ' stroke-dasharray="4 3" stroke-width="2"' if closed and card is not None else ""
        opacity = ' opacity="0.75"' if closed and card is not None else ""
        self.parts.append(
            f'<g{opacity}><rect x="{x:g}" y="{y:g}" width="{width}" height="{height}"'
            f' rx="{4 if small else 7}" fill="{fill}" stroke="{self.colours.edge}"{dash}/>'
        )
        if card is None:
            inset = 4 if small else 7
            self.parts.append(
                f'<rect x="{x + inset:g}" y="{y + inset:g}" width="{width - 2 * inset}"'
                f' height="{height - 2 * inset}" rx="3" fill="none" stroke="#ffffff"'
                ' stroke-opacity="0.55" stroke-width="1.5"/></g>'
            )
            return
        suit, rank = divmod(card, 9)
        colour = self.colours.red if suit in (1, 2) else self.colours.black
        size = 14 if small else 24
        at = (x + width / 2, y + (16 if small else 28))
        self.parts.append(
            f'<text x="{at[0]:g}" y="{at[1]:g}" font-size="{size}" font-weight="bold"'
            f' text-anchor="middle" fill="{colour}">{self.ranks[rank]}</text>'
        )
        mark = 14 if small else 30
        self.suit(x + (width - mark) / 2, y + height - mark - (5 if small else 12), mark, suit)
        self.parts.append("</g>")

    def row(self, x: float, y: float, cards: Iterable[int | None], room: float) -> None:
        """Cards beside each other, closer where they would not fit."""
        listed = list(cards)
        step: float = _CARD[0] + _GAP
        if len(listed) > 1:
            step = min(step, (room - _CARD[0]) / (len(listed) - 1))
        for number, card in enumerate(listed):
            self.card(x + number * step, y, card)


def picture_of(
    text: PositionText,
    points: Sequence[tuple[int, int]],
    *,
    bottom: int,
    dark: bool,
    language: str,
) -> Picture:
    """The table as it stands.

    Args:
        text: the position; unknown cards are drawn as backs.
        points: the least and the most that each pile counts, by seat.
        bottom: the seat whose hand lies at the bottom.
        dark: light on dark.
        language: of the words, one of SPOKEN.
    """
    words = _WORDS[language]
    colours = _DARK if dark else _LIGHT
    canvas = _Canvas(colours, _RANKS[language])
    seats = [(bottom + step) % text.rules.players for step in range(1, text.rules.players + 1)]
    y = float(_EDGE)
    for seat in seats[:-1]:
        y = _seat(canvas, text, points, seat, y, words)
    y = _middle(canvas, text, y, words)
    y = _seat(canvas, text, points, bottom, y, words)
    height = int(y)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_WIDTH} {height}" role="img" font-family="{_FONT}">'
        f"<title>{escape(words['title'])}</title><desc>{escape(str(text))}</desc>"
        f'<rect width="{_WIDTH}" height="{height}" rx="12" fill="{colours.table}"/>'
    )
    return Picture(head + "".join(canvas.parts) + "</svg>\n", _WIDTH, height)


def _seat(
    canvas: _Canvas,
    text: PositionText,
    points: Sequence[tuple[int, int]],
    seat: int,
    y: float,
    words: dict[str, str],
) -> float:
    """A seat's name, hand and pile; gives where the next thing begins."""
    name = words["seat"].format(seat=seat)
    if seat == text.turn:
        name += f" · {words['act']}"
    if seat == text.claim:
        name += f" · {words['claim']}"
    canvas.text(_EDGE, y + 14, name, bold=True)
    least, most = points[seat]
    count = str(least) if least == most else words["between"].format(least=least, most=most)
    pile_x = 300
    y += 24
    canvas.text(pile_x, y + 10, words["pile"].format(points=count), faint=True)
    canvas.row(_EDGE, y, text.hands[seat], pile_x - 2 * _EDGE)
    _pile(canvas, text.piles[seat], pile_x, y + 16)
    return y + _CARD[1] + 20


def _pile(canvas: _Canvas, pile: Pile, x: float, y: float) -> None:
    """Small cards in at most two rows."""
    items = pile.items
    if not items:
        return
    room = _WIDTH - _EDGE - x
    rows = (
        [items]
        if len(items) <= 10
        else [items[: (len(items) + 1) // 2], items[(len(items) + 1) // 2 :]]
    )
    for number, row in enumerate(rows):
        step = min(_SMALL[0] - 4, (room - _SMALL[0]) / max(1, len(row) - 1))
        for place, item in enumerate(row):
            canvas.card(
                x + place * step, y + number * 42, item.card, small=True, closed=item.closed
            )


def _middle(canvas: _Canvas, text: PositionText, y: float, words: dict[str, str]) -> float:
    """The running trick, the talon and the trumps."""
    canvas.parts.append(
        f'<line x1="{_EDGE}" x2="{_WIDTH - _EDGE}" y1="{y:g}" y2="{y:g}"'
        f' stroke="{canvas.colours.faint}" stroke-opacity="0.4"/>'
    )
    y += 14
    x = float(_EDGE)
    top = y
    if text.trump is None:
        canvas.text(x, y + 14, words["no_trump"], faint=True)
    else:
        canvas.text(x, y + 14, words["trump"], faint=True)
        canvas.suit(x, y + 26, 40, text.trump, on_table=True)
    if text.stake != 1:
        canvas.text(x, y + 92, words["stake"].format(stake=text.stake), faint=True)
    talon_x = 110.0
    canvas.text(talon_x, y + 14, words["talon"].format(count=len(text.talon)), faint=True)
    if text.talon:
        known = text.talon[-1]
        if known is not None and text.trump is not None and len(text.talon) > 1:
            canvas.card(talon_x + 34, y + 24, known)
            canvas.card(talon_x, y + 24, None)
        else:
            canvas.card(talon_x, y + 24, known)
    plays_x = 240.0
    if not text.table:
        return y + 24 + _CARD[1] + 24
    room = _WIDTH - _EDGE - plays_x
    for play in text.table:
        name = words["seat"].format(seat=play.seat)
        canvas.text(plays_x, y + 14, name, faint=True)
        cards: tuple[int | None, ...] = (*play.cards, *(None,) * play.unknown)
        step = min(_CARD[0] + _GAP, (room - _CARD[0]) / max(1, len(cards) - 1))
        for number, card in enumerate(cards):
            canvas.card(plays_x + number * step, y + 24, card, closed=play.closed)
        y += 24 + _CARD[1] + 10
    return max(y, top + 24 + _CARD[1] + 10) + 14
