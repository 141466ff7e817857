"""Positions taken apart, moves played, hands replayed: rules and no search. Knows no protobuf."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bura_core import (
    BuraError,
    ClaimEstimate,
    Move,
    Position,
    PositionText,
    Result,
    RuleSet,
    View,
    estimate_claim,
    parse_move,
    parse_position,
    worlds,
)
from bura_core.errors import Fault, InputError, UnsupportedError
from bura_core.notation import Pile
from bura_core.record import HandRecord, record_hand, view_of
from bura_service.picture import Picture, picture_of

# Of how many worlds the one is taken that tells what is legal.
_WORLDS = 20

# No hand is longer: each trick takes a card of everybody, and raises are few.
MAX_MOVES = 500


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move of a hand, and the position it was made in; `trick` from 1, None if not known."""

    trick: int | None
    seat: int
    move: str
    position: str


@dataclass(frozen=True, slots=True)
class PilePoints:
    """What a pile counts, handicap included; `closed` cards in it are not known."""

    shown: int
    closed: int
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Description:
    """A position taken apart.

    Attributes:
        line: the position, or what was given in its place.
        faults: what is wrong; without them `text` is set.
        rules: the rule set, if it could be read.
        actor: the seat to act, None when the hand is over.
        moves: what may be done, by whom.
        unseen: the cards that lie nowhere by name, as a mask.
    """

    line: str
    faults: tuple[Fault, ...] = ()
    rules: RuleSet | None = None
    text: PositionText | None = None
    actor: int | None = None
    moves: tuple[tuple[int, Move], ...] = ()
    piles: tuple[PilePoints, ...] = ()
    unseen: int = 0
    result: Result | None = None
    steps: tuple[MoveMade, ...] = ()
    record: str = ""


def describe(line: str, moves: Sequence[str] = (), seat: int | None = None) -> Description:
    """The position written in `line`, after `moves`, as `seat` sees it or as it is told."""
    try:
        written = parse_position(line)
    except InputError as error:
        return Description(line, error.faults, _rules_of(line))
    rules = written.rules
    faults = []
    if seat is not None and not 0 <= seat < rules.players:
        use = f"use 0 to {rules.players - 1}, or leave it out"
        faults.append(Fault("seat", str(seat), "is no seat", use))
    if moves and written.has_unknown:
        faults.append(
            Fault(
                "moves",
                moves[0],
                "cards are unknown, so nobody can tell what the moves lead to",
                "name every card of the position",
            )
        )
    if faults:
        return Description(str(written), tuple(faults), rules)
    try:
        return _described(written, moves, seat)
    except InputError as error:
        return Description(str(written), error.faults, rules)
    except UnsupportedError as error:
        fault = Fault("rules", str(rules), str(error), "choose other rules")
        return Description(str(written), (fault,), rules)


def draw(
    line: str, moves: Sequence[str], seat: int | None, *, dark: bool, language: str
) -> Picture:
    """The picture of a position, as `describe` tells it; raises InputError for its faults."""
    told = describe(line, moves, seat)
    if told.faults:
        raise InputError(told.faults)
    assert told.text is not None
    bottom = seat if seat is not None else (told.actor or 0)
    points = [(pile.minimum, pile.maximum) for pile in told.piles]
    return picture_of(told.text, points, bottom=bottom, dark=dark, language=language)


def _described(written: PositionText, moves: Sequence[str], seat: int | None) -> Description:
    if sum(map(len, (*written.hands, written.talon))) == written.rules.deck:
        # A whole deal: a pile written as 0 is an empty one, and is to tell its cards later.
        start = replace(written, piles=tuple(Pile((), None) for _ in written.piles))
    else:
        start = written
    position = None if written.has_unknown else Position(start, check=False)
    steps: list[MoveMade] = []
    record = ""
    if position is not None:
        steps = [_made(position, number, move) for number, move in enumerate(moves)]
        steps, record = _recorded(start, steps)
    text = position.text() if position is not None and moves else written
    view = None
    if seat is not None and not (written.has_unknown and seat == _owner(written)):
        view = View.from_text(text, seat)
    elif written.has_unknown:
        view = _view(text, seat)
    shown = text if view is None else view.text
    played = position
    if played is None and view is not None:
        played = _world(view)
    result = None if position is None else position.result
    actor = None
    if result is None:
        actor = shown.turn if played is None else played.turn
    return Description(
        line=str(shown),
        rules=shown.rules,
        text=shown,
        actor=actor,
        moves=() if played is None or result is not None else _moves(played, shown),
        piles=_piles(shown, view),
        unseen=View(shown, 0).unseen,
        result=result,
        steps=tuple(steps),
        record=record,
    )


def _rules_of(line: str) -> RuleSet | None:
    """The rules of a line with faults, if they at least can be read."""
    try:
        return RuleSet.parse(line.split()[0])
    except (IndexError, BuraError):
        return None


def _owner(text: PositionText) -> int | None:
    try:
        return View.from_text(text).seat
    except InputError:
        return None


def _view(text: PositionText, seat: int | None) -> View | None:
    """What is seen of a line with unknown cards; None where it is nobody's view."""
    try:
        return View.from_text(text, seat)
    except InputError:
        return None


def _world(view: View) -> Position | None:
    """A world of a view. What may be done with known cards is the same in nearly all of them:
    but for those in which somebody else holds a combination that ends the hand.
    """
    text = view.text
    try:
        if text.offer is None:
            return _liveliest(worlds(view, _WORLDS))
        # There is no advice on an open offer, but the cards lie as they would without.
        calm = View(replace(text, offer=None, raiser=None, stake=1), view.seat)
        world = _liveliest(worlds(calm, _WORLDS)).text()
        stakes = replace(world, offer=text.offer, raiser=text.raiser, stake=text.stake)
        return Position(stakes, check=False)
    except UnsupportedError:
        return None


def _liveliest(few: Iterable[Position]) -> Position:
    return max(few, key=lambda world: len(world.legal_moves()))


def _made(position: Position, number: int, text: str) -> MoveMade:
    """Makes a move; raises InputError with the number of one that can't be made."""
    before = str(position)
    try:
        move = parse_move(text)
        who = seat_of(position, move)
        position.play(move)
    except InputError as error:
        field = f"moves[{number}]"
        raise type(error)(replace(fault, field=field) for fault in error.faults) from None
    return MoveMade(None, who, str(move), before)


def seat_of(position: Position, move: Move) -> int:
    """Whose move it is: the seat on turn's, but for calls."""
    if move.kind in ("stop", "challenge"):
        return next((seat for seat, call in position.calls() if call == move), position.turn)
    return position.turn


def _recorded(start: PositionText, steps: list[MoveMade]) -> tuple[list[MoveMade], str]:
    """The moves with the numbers of their tricks, and the record, if all began with a deal."""
    try:
        record = record_hand(start, [step.move for step in steps])
        text = str(record)
    except InputError:
        return steps, ""
    numbers = [
        number
        for number, trick in enumerate(record.tricks, start=1)
        for event in trick
        if event.is_move
    ]
    return [replace(step, trick=n) for step, n in zip(steps, numbers, strict=True)], text


def _moves(position: Position, shown: PositionText) -> tuple[tuple[int, Move], ...]:
    """What may be done by seats whose cards are told."""
    told = [seat for seat, hand in enumerate(shown.hands) if None not in hand]
    turn = position.turn
    found = []
    if turn in told:
        found += [(turn, move) for move in (*position.legal_moves(), *position.raises())]
    return (*found, *(call for call in position.calls() if call[0] in told))


def _piles(text: PositionText, view: View | None) -> tuple[PilePoints, ...]:
    if view is not None:
        estimates = [estimate_claim(view, seat) for seat in range(text.rules.players)]
        return tuple(map(_estimated, estimates))
    found = []
    for pile, extra in zip(text.piles, text.handicap, strict=True):
        points = _points(pile) + extra
        found.append(PilePoints(points, 0, points, points))
    return tuple(found)


def _estimated(estimate: ClaimEstimate) -> PilePoints:
    return PilePoints(estimate.shown, estimate.closed, estimate.minimum, estimate.maximum)


_POINTS = (0, 0, 0, 0, 2, 3, 4, 10, 11)


def _points(pile: Pile) -> int:
    if pile.points is not None:
        return pile.points
    return sum(_POINTS[item.card % 9] for item in pile.items if item.card is not None)


def replay(record: HandRecord, seat: int | None) -> ReplayAnswer:
    """Where the moves of a hand were made, as `seat` saw it, or as the record tells it."""
    replayed = record.replay()
    moves = [(step.trick, step.seat, str(step.event)[2:]) for step in replayed.steps]
    eyes = record.seat if seat is None else seat
    if eyes is not None:
        lines = [str(view_of(record, eyes, at)) for at in range(len(moves))]
        last = str(view_of(record, eyes))
    else:
        positions = [step.position for step in replayed.steps]
        lines = [_told(record, position) for position in positions if position is not None]
        last = _last(record, positions, [move for _, _, move in moves])
    steps = [MoveMade(*move, line) for move, line in zip(moves, lines, strict=True)]
    return ReplayAnswer(record, tuple(steps), last)


def _told(record: HandRecord, position: Position) -> str:
    """A position with the cards that the record does not tell left open."""
    text = position.text()
    if record.undrawn is None:
        told = {record.turn_up}
        for trick in record.tricks:
            for event in trick:
                told.update(event.cards)
        talon = tuple(card if card in told else None for card in text.talon)
        text = replace(text, talon=talon)
    return str(text)


def _last(
    record: HandRecord,
    positions: Sequence[Position | None],
    moves: Sequence[str],
) -> str:
    before = positions[-1] if positions else None
    if before is None:
        return str(_untouched(record))
    after = before.copy()
    after.play(moves[-1])
    return _told(record, before if after.result is not None else after)


def _untouched(record: HandRecord) -> PositionText:
    """The deal of a record without moves: what both seats' eyes together tell of it."""
    text = view_of(record, 0).text
    hands = tuple(view_of(record, seat).text.hands[seat] for seat in range(record.rules.players))
    return replace(text, hands=hands, talon=(record.undrawn or text.talon))


@dataclass(frozen=True, slots=True)
class ReplayAnswer:
    """The moves of a hand with their positions, and the last position of it that went on."""

    record: HandRecord
    steps: tuple[MoveMade, ...]
    last: str


__all__ = [
    "MAX_MOVES",
    "Description",
    "MoveMade",
    "PilePoints",
    "ReplayAnswer",
    "describe",
    "draw",
    "replay",
    "seat_of",
]
