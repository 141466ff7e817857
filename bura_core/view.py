"""`View`: what one player has seen of a hand, and the exact odds that follow from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, factorial

from bura_core.errors import Fault, InputError
from bura_core.notation import (
    Pile,
    PileItem,
    Play,
    PositionText,
    format_cards,
    parse_position,
)
from bura_core.rule_sets import RuleSet

__all__ = ["Act", "View"]


@dataclass(frozen=True, slots=True)
class Act:
    """Something a seat did, as another (or the same) seat saw it.

    ``kind`` is that of a `Move`; ``cards`` a mask of those that were seen, ``size`` how many it
    were. Of another seat's closed discard only the size is seen.
    """

    seat: int
    kind: str
    cards: int = 0
    size: int = 0


@dataclass(frozen=True)
class View:
    """A position as ``seat`` sees it: unknown cards are unknown, and stay so.

    ``text`` is a position line in which every card the seat cannot place is an ``x``: `from_text`
    reads one, `of` makes one from a position with all cards known. ``history`` is what was done
    in the hand before, first to last, as the seat saw it: claims made or let go, raises made
    and answered, leads and answers. A line does not tell; a record does (`record.view_of`).
    """

    text: PositionText
    seat: int
    history: tuple[Act, ...] = ()

    def after(self, acts: Iterable[Act]) -> View:
        """The view with a history of what all seats did; what its seat did not see is left out.

        Closed discards of other seats lose their cards.
        """
        seen = [
            replace(act, cards=0) if act.kind == "discard" and act.seat != self.seat else act
            for act in acts
        ]
        return replace(self, history=tuple(seen))

    @classmethod
    def from_text(cls, line: str | PositionText, seat: int | None = None) -> View:
        """The view written as ``line``; ``seat`` is whose eyes it is seen with.

        Left out, it is the one seat whose hand is known whole and does not lie open, or the
        seat to act where several are. A line that names every card tells more than any player
        knows: of that only what the seat has seen is taken (`of`). Raises InputError with every
        fault of the line, where the seat's own hand is not known whole, where a card is named
        that it cannot have seen (of the talon but the turned trump, or what another has
        discarded face down), and where a hand that lies open is not named.
        """
        text = line if isinstance(line, PositionText) else parse_position(line)
        known = [i for i, hand in enumerate(text.hands) if None not in hand]
        if seat is None:
            seat = known[0] if len(known) == 1 else text.turn
            # A hand that lies open, or has no cards, is known to everybody.
            own = [i for i in known if text.hands[i] and i not in text.rules.open_seats]
            if len(own) == 1 and text.has_unknown:
                seat = own[0]
        if type(seat) is not int or not 0 <= seat < text.rules.players:
            raise InputError(
                Fault("seat", str(seat), "no such seat", f"use 0 to {text.rules.players - 1}")
            )
        if not text.has_unknown:
            return cls.of(text, seat)
        faults: list[Fault] = []
        if seat not in known:
            faults.append(
                Fault(
                    f"hands[{seat}]",
                    f"x{text.hands[seat].count(None)}",
                    "the player whose view it is knows his own hand",
                    "name its cards, or give the view of a seat whose hand is known",
                )
            )
        faults += _peeked(text, seat)
        if faults:
            raise InputError(faults)
        return cls(text, seat)

    @classmethod
    def of(cls, text: PositionText, seat: int) -> View:
        """What ``seat`` sees of a position with all cards known.

        Hidden are the other hands but those that lie open (and the cards of a lead called off
        that have to be part of the answer), the talon but the turned trump at its
        bottom, and what others have discarded face down, unless their hands lie open: then
        everybody has seen what they laid. With two players that is the cards face down in the
        seat's own pile. With more the line has to say who discarded a card, as
        in ``(2:Js)``. Raises InputError where it does not, and where a pile is a bare number
        and cards are hidden: the unseen cards could then not be told from those played.
        """
        several = text.rules.players > 2

        def seen(pile: int, item: PileItem) -> PileItem:
            by = _discarder(text, pile, item)
            if item.closed and (pile == seat or by is not None) and by not in face_up:
                return _UNSEEN
            return item

        face_up = (seat, *text.rules.open_seats)

        def held_back(owner: int, hand: tuple[int | None, ...]) -> tuple[int | None, ...]:
            # A lead called off that has to be part of the answer was seen by all.
            known = text.held if owner == text.stopped else ()
            return (*known, *(None,) * (len(hand) - len(known)))

        if several:
            faults = [
                Fault(
                    f"piles[{i}]",
                    f"({format_cards(untold)})",
                    "who discarded these cards face down is not told",
                    f"write who, as in ({0 if i else 1}:{format_cards(untold[:1])})",
                )
                for i, pile in enumerate(text.piles)
                if i != seat and (untold := _untold(pile.items))
            ]
            if faults:
                raise InputError(faults)
        hidden_talon = len(text.talon) - _turn_up(text)
        placed = sum(map(len, text.hands)) + len(text.talon)
        if placed == text.rules.deck:
            # A fresh deal: a pile written as 0 is an empty one.
            text = replace(text, piles=tuple(Pile((), None) for _ in text.piles))
        masked = replace(
            text,
            hands=tuple(
                hand if i in face_up else held_back(i, hand) for i, hand in enumerate(text.hands)
            ),
            talon=(None,) * hidden_talon + text.talon[hidden_talon:],
            piles=tuple(
                replace(pile, items=tuple(seen(i, item) for item in pile.items))
                for i, pile in enumerate(text.piles)
            ),
            table=tuple(
                Play(play.seat, (), True, len(play.cards))
                if several and play.closed and play.seat not in face_up
                else play
                for play in text.table
            ),
            # What a challenge rests on only the discarders know.
            trick=(),
        )
        if masked.has_unknown:
            faults = [
                Fault(
                    f"piles[{i}]",
                    str(pile.points),
                    "points do not tell which cards are unseen",
                    "list the pile's cards, as in As(Js)x2, or '-' for none",
                )
                for i, pile in enumerate(text.piles)
                if pile.points is not None
            ]
            if faults:
                raise InputError(faults)
        return cls(masked, seat)

    def holding(self, seat: int, card: int) -> View:
        """The view with a card that ``seat`` is known to hold, such as a turned trump it drew.

        Raises InputError if the card cannot be among the unseen ones of that hand.
        """
        hands = list(self.text.hands)
        if not self.unseen >> card & 1 or None not in hands[seat]:
            raise InputError(
                Fault(
                    f"hands[{seat}]",
                    format_cards([card]),
                    "it cannot be among the unseen cards of this hand",
                    "name a card that nobody has seen played",
                )
            )
        hand = hands[seat]
        hands[seat] = (card, *[each for each in hand if each is not None],
                       *(None,) * (hand.count(None) - 1))  # fmt: skip
        text = replace(self.text, hands=tuple(hands))
        # The last card goes without saying, and a line without an unknown card tells too much.
        return replace(self, text=text) if text.has_unknown else self

    @property
    def rules(self) -> RuleSet:
        """The rule set of the hand."""
        return self.text.rules

    @property
    def trump(self) -> int | None:
        """The trump suit 0..3 (s h d c), or None."""
        return self.text.trump

    @property
    def hand(self) -> int:
        """The seat's own hand, as a mask."""
        return _mask(self.text.hands[self.seat])

    @cached_property
    def unseen(self) -> int:
        """The cards the seat cannot place, as a mask: each fills one of the unknown places."""
        low = 9 - self.rules.deck // 4
        deck = sum(1 << suit * 9 + rank for suit in range(4) for rank in range(low, 9))
        for zone in (*self.text.hands, self.text.talon):
            deck &= ~_mask(zone)
        for play in self.text.table:
            deck &= ~_mask(play.cards)
        for pile in self.text.piles:
            deck &= ~_mask(tuple(item.card for item in pile.items))
        return deck

    @cached_property
    def table_places(self) -> tuple[int, ...]:
        """How many unknown cards each seat has laid face down in the running trick."""
        laid = [0] * self.rules.players
        for play in self.text.table:
            laid[play.seat] = play.unknown
        return tuple(laid)

    @cached_property
    def places(self) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """How many cards are unknown: in each hand, face down in each pile, in the talon."""
        return (
            tuple(hand.count(None) for hand in self.text.hands),
            tuple(sum(item.card is None for item in pile.items) for pile in self.text.piles),
            self.text.talon.count(None),
        )

    @cached_property
    def world_count(self) -> int:
        """How many complete deals look alike to this seat: an exact whole number, 1 and up.

        Worlds differ in who holds what, what lies where face down, and the talon's order.
        """
        hands, piles, talon = self.places
        left = self.unseen.bit_count()
        count = factorial(talon)
        for places in (*hands, *piles, *self.table_places):
            count *= comb(left, places)
            left -= places
        return count

    def __str__(self) -> str:
        return str(self.text)


def _mask(cards: tuple[int | None, ...]) -> int:
    mask = 0
    for card in cards:
        if card is not None:
            mask |= 1 << card
    return mask


_UNSEEN = PileItem(None, True)


def _discarder(text: PositionText, pile: int, item: PileItem) -> int | None:
    """Who discarded a face-down card; with two players that goes without saying."""
    if item.closed and text.rules.players == 2:
        return 1 - pile
    return item.by


def _untold(items: tuple[PileItem, ...]) -> list[int]:
    """The known face-down cards of a pile of which nobody says who discarded them."""
    return [
        item.card for item in items if item.closed and item.by is None and item.card is not None
    ]


def _turn_up(text: PositionText) -> int:
    """How many cards of the talon everybody has seen: the turned trump, while it lies there."""
    return 1 if text.talon and text.rules.trumps else 0


def _peeked(text: PositionText, seat: int) -> list[Fault]:
    """Cards named in the line that the seat has no way of knowing."""
    faults = []
    drawn_first = text.talon[: len(text.talon) - _turn_up(text)]
    named = [card for card in drawn_first if card is not None]
    if named:
        faults.append(
            Fault(
                "talon",
                format_cards(named),
                "nobody has seen the talon but the turned trump, its last card",
                f"write x{len(drawn_first)} for the others, or name every card of the line",
            )
        )
    # Who takes a trick has not discarded in it.
    open_seats = text.rules.open_seats
    names = [
        item.card
        for item in text.piles[seat].items
        if item.closed and item.card is not None and _discarder(text, seat, item) not in open_seats
    ]
    if names:
        whose = "the other's" if text.rules.players == 2 else "others'"
        faults.append(
            Fault(
                f"piles[{seat}]",
                f"({format_cards(names)})",
                f"face-down cards in a player's own pile are {whose} discards, unseen by him",
                f"write x{len(names)} in their place",
            )
        )
    for i, pile in enumerate(text.piles):
        others = [
            item.card
            for item in pile.items
            if item.by not in (None, seat, *open_seats) and item.card is not None and i != seat
        ]
        if others:
            faults.append(
                Fault(
                    f"piles[{i}]",
                    format_cards(others),
                    "another seat discarded these face down",
                    f"write x{len(others)} in their place",
                )
            )
    if text.rules.players > 2:
        faults += [
            Fault(
                f"table[{number}]",
                f"{play.seat}:({format_cards(play.cards)})",
                "another seat discarded these face down",
                f"write {play.seat}:x{len(play.cards)}",
            )
            for number, play in enumerate(text.table)
            if play.closed and play.cards and play.seat not in (seat, *open_seats)
        ]
    faults += [
        Fault(
            f"hands[{i}]",
            f"x{text.hands[i].count(None)}",
            "this hand lies open",
            "name its cards",
        )
        for i in open_seats
        if i != seat and None in text.hands[i]
    ]
    return faults
