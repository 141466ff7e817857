"""The rules of Bura a second time, in plain Python: the oracle the compiled core is tested by.

Nothing here is shared with ``bura_core``: not a line, not a table, not an idea where another
idea would do.  Beating is tried out permutation by permutation instead of being sorted,
positions are immutable tuples instead of do/undo structs, the search keeps one exact entry
for every score instead of thresholds.  Everything goes in and comes out as text, so the two
can be compared without a common type:

``load`` a position line, ask for ``moves``, ``calls`` and ``result``, ``apply`` a move,
count with ``perft``; ``value`` and ``move_values`` play it out with all cards known;
``honest_value`` and ``honest_move_values`` do so with claims made only on what has been seen;
``worlds``, ``world_count``, ``claim_distribution`` and ``beat_odds`` take lines with unknown
cards.  ``random_position`` and ``random_honest_position`` make lines to compare on.

Input is taken to be well formed: two players, claims after the refill until the lead, calls
before the lead.  What else a rule set may switch on raises ``NotImplementedError``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, factorial
from typing import NamedTuple

# --- cards ---------------------------------------------------------------------------------

SUITS = "shdc"
RANKS = "6789JQKTA"
CARD_POINTS = dict(zip(RANKS, (0, 0, 0, 0, 2, 3, 4, 10, 11), strict=True))

NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
NUMBER = {name: card for card, name in enumerate(NAMES)}
VALUE = tuple(CARD_POINTS[name[0]] for name in NAMES)
SUIT_MASK = tuple(511 << 9 * suit for suit in range(4))
RANK_MASK = {rank: sum(1 << NUMBER[rank + suit] for suit in SUITS) for rank in RANKS}
ACES = RANK_MASK["A"]
LOWEST = {36: "6", 32: "7", 20: "J"}

# Printing order: spades, hearts, diamonds, clubs, each from the ace down.
_PRINTED = tuple(sorted(range(36), key=lambda card: (card // 9, -(card % 9))))
# Point sums of nine-bit suit holdings.
_SUIT_SUM = tuple(sum(VALUE[rank] for rank in range(9) if low >> rank & 1) for low in range(512))


def deck_mask(size: int) -> int:
    """All cards of the deck of 36, 32 or 20."""
    lowest = RANKS.index(LOWEST[size])
    return sum(1 << card for card in range(36) if card % 9 >= lowest)


def card_list(mask: int) -> list[int]:
    """The cards of a set in printing order."""
    return [card for card in _PRINTED if mask >> card & 1]


def cards_text(mask: int) -> str:
    return "".join(NAMES[card] for card in card_list(mask))


def cards_mask(text: str) -> int:
    mask = 0
    for at in range(0, len(text), 2):
        mask |= 1 << NUMBER[text[at : at + 2]]
    return mask


def set_points(mask: int) -> int:
    return (
        _SUIT_SUM[mask & 511]
        + _SUIT_SUM[mask >> 9 & 511]
        + _SUIT_SUM[mask >> 18 & 511]
        + _SUIT_SUM[mask >> 27]
    )


def subsets(mask: int, size: int) -> list[int]:
    """All subsets of ``size`` cards."""
    bits = [1 << card for card in card_list(mask)]
    return [sum(chosen) for chosen in combinations(bits, size)]


# --- rule sets -----------------------------------------------------------------------------

_PRESETS = {
    "georgian3": "deck=20 hand=3 target=31 discards=closed unclaimed=most_points bura=on_lead",
    "georgian5": "deck=36 hand=5 target=61 discards=shown unclaimed=most_points bura=on_lead",
    "classic": "bura=on_sight three_aces=lead molodka=lead",
    "classic_shown": "discards=shown bura=on_sight three_aces=lead molodka=lead",
    "perebor": "claim_ceiling=50 bura=on_sight three_aces=lead molodka=lead",
    "five": "hand=5 target=61 unclaimed=threshold spades_immune=yes bura=on_sight",
    "burkozel": "hand=4 target=61 unclaimed=threshold bura=on_sight four_aces=lead "
    "molodka=lead three_aces=lead precedence=bura>four_aces>molodka>three_aces",
    "no_trump": "trumps=no molodka=lead compensation=30",
}
PRESET_NAMES = tuple(_PRESETS)


@dataclass(frozen=True, eq=False)
class Rules:
    """A rule set; one object for each combination of switches, so identity is equality."""

    deck: int = 36
    hand: int = 3
    target: int = 31
    claim_ceiling: int | None = None
    discards: str = "closed"
    unclaimed: str = "no_winner"
    trumps: str = "yes"
    spades_immune: str = "no"
    bura: str = "none"
    two_buras: str = "played_out"
    three_aces: str = "none"
    three_aces_trump: str = "no"
    four_aces: str = "none"
    little_moskva: str = "none"
    molodka: str = "none"
    aces_against_bura: str = "precedence"
    precedence: str = "bura>three_aces>little_moskva>molodka"
    lead_sizes: str = "any"
    rank_leads: str = "no"
    refill_from: str = "winner"
    compensation: int = 0

    @property
    def closed(self) -> bool:
        return self.discards == "closed"


# Switches that change nothing in one hand of two players whose claims come until the lead.
_IGNORED = frozenset(
    (
        "bura_counts",
        "redeal_on_dealt_combo",
        "short_talon",
        "raises",
        "scoring",
        "match_to",
        "leave_at_target",
    )
)
# Switches of which this file knows only one setting.
_FIXED = {
    "players": "2",
    "pairs": "no",
    "claim_window": "until_lead",
    "stop_window": "before_lead",
}
_RULES: dict[tuple[object, ...], Rules] = {}
_RULES_BY_TEXT: dict[str, Rules] = {}


def rules_of(text: str) -> Rules:
    """The rule set of ``preset`` or ``preset[switch=value,...]``."""
    known = _RULES_BY_TEXT.get(text)
    if known is not None:
        return known
    name, _, switches = text.partition("[")
    fields: dict[str, int | str | None] = {}
    for item in _PRESETS[name].split() + [s for s in switches.rstrip("]").split(",") if s]:
        key, _, value = item.partition("=")
        key = key.strip()
        value = value.strip()
        if key in _IGNORED:
            continue
        if key in _FIXED:
            if value != _FIXED[key]:
                raise NotImplementedError(f"{key}={value}")
            continue
        if key not in Rules.__dataclass_fields__:
            raise KeyError(key)
        if value.isdigit():
            fields[key] = int(value)
        else:
            fields[key] = None if key == "claim_ceiling" and value == "none" else value
    rules = Rules(**fields)  # type: ignore[arg-type]
    every = tuple(getattr(rules, field) for field in Rules.__dataclass_fields__)
    rules = _RULES.setdefault(every, rules)
    _RULES_BY_TEXT[text] = rules
    return rules


# --- beating -------------------------------------------------------------------------------


def card_beats(immune: bool, trump: int, below: int, above: int) -> bool:
    """Whether one card covers another (RULES 2.3): higher in suit, or a trump on a plain card."""
    if below // 9 == above // 9:
        return above % 9 > below % 9
    if immune and below // 9 == 0:
        return False
    return above // 9 == trump


def set_beats(immune: bool, trump: int, winning: int, reply: int) -> bool:
    """Whether some way of laying the reply covers every winning card: all of them are tried."""
    below = card_list(winning)
    above = card_list(reply)
    if len(below) != len(above):
        return False
    return any(
        all(card_beats(immune, trump, low, high) for low, high in zip(below, order, strict=True))
        for order in permutations(above)
    )


def beats(rules: str, trump: str, winning: str, reply: str) -> bool:
    """``beats("classic", "h", "AsTs", "KsQh")``; trump ``-`` where there is none."""
    immune = rules_of(rules).spades_immune == "yes"
    return set_beats(immune, _trump_number(trump), cards_mask(winning), cards_mask(reply))


def _trump_number(text: str) -> int:
    return -1 if text == "-" else SUITS.index(text)


# --- what a rule set and a trump suit allow ------------------------------------------------

Sized = tuple[int, int]  # a set of cards and its points
_CACHE_LIMIT = 200_000


class Table:
    """What may be led, called and answered under one rule set and one trump suit.

    Answers are kept, for the searches ask the same thing over and over.
    """

    def __init__(self, rules: Rules, trump: int) -> None:
        self.rules = rules
        self.trump = trump
        self.immune = rules.spades_immune == "yes"
        self.has_sight = (
            rules.bura == "on_sight" or rules.three_aces == "win" or rules.four_aces == "win"
        )
        self.has_calls = "lead" in (rules.three_aces, rules.four_aces, rules.molodka) or (
            rules.little_moskva != "none"
        )
        self._covers = [
            [set_beats(self.immune, trump, 1 << low, 1 << high) for high in range(36)]
            for low in range(36)
        ]
        self._plain: dict[int, tuple[Sized, ...]] = {}
        self._leads: dict[int, tuple[Sized, ...]] = {}
        self._replies: dict[tuple[int, int], tuple[tuple[Sized, ...], tuple[Sized, ...]]] = {}
        self._calls: dict[tuple[int, int], tuple[Sized, ...]] = {}
        self._sights: dict[tuple[int, int], tuple[int | None, str] | None] = {}

    def beats(self, winning: list[int], reply: list[int]) -> bool:
        """As ``set_beats``: every order of the reply is tried, wrong starts being dropped."""
        if not winning:
            return True
        covers = self._covers[winning[0]]
        return any(
            covers[card] and self.beats(winning[1:], reply[:at] + reply[at + 1 :])
            for at, card in enumerate(reply)
        )

    # Combinations -----------------------------------------------------------------------

    def is_bura(self, hand: int) -> bool:
        """A full hand of trumps."""
        if self.trump < 0 or hand.bit_count() != self.rules.hand:
            return False
        return not hand & ~SUIT_MASK[self.trump]

    def is_molodka(self, hand: int) -> bool:
        """A full hand of one plain suit."""
        if hand.bit_count() != self.rules.hand:
            return False
        return any(
            suit != self.trump and not hand & ~SUIT_MASK[suit] for suit in range(len(SUITS))
        )

    def three_aces(self, hand: int) -> list[int]:
        found = subsets(hand & ACES, 3)
        if self.rules.three_aces_trump == "yes":
            found = [aces for aces in found if self.trump >= 0 and aces & SUIT_MASK[self.trump]]
        return found

    def little_moskva(self, hand: int) -> list[int]:
        """Three sixes with the six of trumps among them, or, by the other switch, three tens."""
        if self.rules.little_moskva == "tens":
            return subsets(hand & RANK_MASK["T"], 3)
        found = subsets(hand & RANK_MASK["6"], 3)
        return [sixes for sixes in found if self.trump >= 0 and sixes & SUIT_MASK[self.trump]]

    def combination(self, name: str, hand: int) -> list[int]:
        """The sets of this hand that make the named combination, if the rule set has it."""
        if getattr(self.rules, name) == "none":
            return []
        if name == "bura":
            return [hand] if self.is_bura(hand) else []
        if name == "molodka":
            return [hand] if self.is_molodka(hand) else []
        if name == "three_aces":
            return self.three_aces(hand)
        if name == "four_aces":
            return [ACES] if hand & ACES == ACES else []
        return self.little_moskva(hand)

    def order(self) -> list[str]:
        """The combinations, highest first."""
        named = self.rules.precedence.split(">")
        every = ("bura", "four_aces", "three_aces", "little_moskva", "molodka")
        return named + [name for name in every if name not in named]

    def sight(self, leader: int, other: int) -> tuple[int | None, str] | None:
        """Who wins by showing a combination at the start of a trick: 0 leader, 1 other.

        The winner is None where two buras void the hand; the whole is None where nobody has
        anything to show.  The reason is "three_aces" for four aces too.
        """
        if not self.has_sight:
            return None
        key = (leader, other)
        try:
            return self._sights[key]
        except KeyError:
            pass
        if len(self._sights) > _CACHE_LIMIT:
            self._sights.clear()
        found = self._sights[key] = self._sight(leader, other)
        return found

    def _sight(self, leader: int, other: int) -> tuple[int | None, str] | None:
        rules = self.rules
        hands = (leader, other)
        buras = [seat for seat in (0, 1) if self.is_bura(hands[seat])]
        if rules.bura != "on_sight":
            buras = []
        if len(buras) == 2:
            if rules.two_buras == "void":
                return None, "void"
            if rules.two_buras == "higher":
                return (0 if _ranks_down(leader) > _ranks_down(other) else 1), "bura"
            return self._play_off(leader, other), "bura"
        played_out = rules.aces_against_bura == "played_out" and rules.hand == 3
        if buras and played_out and self.combination("three_aces", hands[1 - buras[0]]):
            winner = self._play_off(leader, other)
            return winner, "bura" if winner in buras else "three_aces"
        for name in self.order():
            switch = getattr(rules, name)
            if switch not in ("on_sight", "win"):
                continue
            for seat in (0, 1):
                if self.combination(name, hands[seat]):
                    return seat, "bura" if name == "bura" else "three_aces"
        return None

    def _play_off(self, leader: int, other: int) -> int:
        return 1 if self.beats(card_list(leader), card_list(other)) else 0

    # Leads, calls, answers --------------------------------------------------------------

    def _fits(self, size: int) -> bool:
        return self.rules.lead_sizes == "any" or size in (1, 3)

    def plain_leads(self, hand: int) -> tuple[Sized, ...]:
        """Leads that are no combination: cards of one suit, by switch two or three of a rank."""
        found = self._plain.get(hand)
        if found is None:
            if len(self._plain) > _CACHE_LIMIT:
                self._plain.clear()
            sets = set()
            for suit in SUIT_MASK:
                for size in range(1, (hand & suit).bit_count() + 1):
                    if self._fits(size):
                        sets.update(subsets(hand & suit, size))
            if self.rules.rank_leads == "yes":
                for rank in RANK_MASK.values():
                    for size in (2, 3):
                        if self._fits(size):
                            sets.update(subsets(hand & rank, size))
            found = self._plain[hand] = _by_points(sets)
        return found

    def leads(self, hand: int) -> tuple[Sized, ...]:
        """Every set this hand may lead, other hands being as large."""
        found = self._leads.get(hand)
        if found is None:
            if len(self._leads) > _CACHE_LIMIT:
                self._leads.clear()
            sets = {cards for cards, _ in self.plain_leads(hand)}
            for name in ("three_aces", "four_aces", "little_moskva"):
                sets.update(self.combination(name, hand))
            found = self._leads[hand] = _by_points(sets)
        return found

    def calls(self, leader: int, other: int) -> tuple[Sized, ...]:
        """What the other may lead out of turn, the leader holding nothing as high."""
        if not self.has_calls:
            return ()
        key = (leader, other)
        found = self._calls.get(key)
        if found is None:
            if len(self._calls) > _CACHE_LIMIT:
                self._calls.clear()
            sets: set[int] = set()
            for name in self.order():
                if self.combination(name, leader):
                    break
                switch = getattr(self.rules, name)
                if switch == "lead" or name == "little_moskva":
                    sets.update(self.combination(name, other))
            room = leader.bit_count()
            found = self._calls[key] = _by_points(c for c in sets if c.bit_count() <= room)
        return found

    def replies(self, lead: int, hand: int) -> tuple[tuple[Sized, ...], tuple[Sized, ...]]:
        """The sets that take this lead, and those that may be discarded on it.

        Discards that are closed may be any cards; among cards laid face up a set that beats
        does beat (RULES 3).
        """
        key = (lead, hand)
        found = self._replies.get(key)
        if found is None:
            if len(self._replies) > _CACHE_LIMIT:
                self._replies.clear()
            winning = card_list(lead)
            every = subsets(hand, len(winning))
            taking = [cards for cards in every if self.beats(winning, card_list(cards))]
            dropped = every if self.rules.closed else set(every).difference(taking)
            found = self._replies[key] = _by_points(taking), _by_points(dropped)[::-1]
        return found

    def ends_hand(self, hand: int, lead: int) -> bool:
        """Whether this lead is a bura that wins when led (S1)."""
        return self.rules.bura == "on_lead" and lead == hand and self.is_bura(hand)


def _by_points(sets: Iterable[int]) -> tuple[Sized, ...]:
    """Richest first; the order decides nothing but how soon a search may stop."""
    sized = [(cards, set_points(cards)) for cards in sets]
    sized.sort(key=lambda item: (-item[1], item[0]))
    return tuple(sized)


def _ranks_down(hand: int) -> list[int]:
    return sorted((card % 9 for card in card_list(hand)), reverse=True)


_TABLES: dict[tuple[Rules, int], Table] = {}


def table_of(rules: Rules, trump: int) -> Table:
    key = (rules, trump)
    table = _TABLES.get(key)
    if table is None:
        table = _TABLES[key] = Table(rules, trump)
    return table


# --- positions -----------------------------------------------------------------------------


class State(NamedTuple):
    """A position with all cards known."""

    name: str  # the rule set as it was written
    rules: Rules
    trump: int  # 0..3 in SUITS, -1 without trumps
    hands: tuple[int, int]
    talon: tuple[int, ...]
    points: tuple[int, int]  # of the piles alone
    turn: int
    lead: int  # the cards on the table, 0 at the start of a trick
    claim: int  # who may claim now, -1 nobody
    handicap: tuple[int, int]
    hidden: tuple[int, int]  # cards of pile i that seat i has not seen
    over: tuple[int | None, str] | None

    @property
    def table(self) -> Table:
        return table_of(self.rules, self.trump)

    def count(self, seat: int) -> int:
        """What a claim would count."""
        return self.points[seat] + self.handicap[seat]


class Line(NamedTuple):
    """A position line taken apart; None stands for an unknown card."""

    name: str
    trump: int
    hands: tuple[tuple[int | None, ...], ...]
    talon: tuple[int | None, ...]
    piles: tuple[tuple[tuple[int | None, bool], ...], ...]  # (card, face down)
    sums: tuple[int | None, ...]  # piles written as bare numbers
    turn: int
    lead: tuple[int, int] | None  # seat and cards
    claim: int
    handicap: tuple[int, int] | None
    options: tuple[str, ...]  # the key=value fields as written


def _items(text: str) -> Iterator[tuple[int | None, bool]]:
    at = 0
    closed = False
    while at < len(text):
        if text[at] in "()":
            closed = text[at] == "("
            at += 1
        elif text[at] == "x":
            end = at + 1
            while end < len(text) and text[end].isdigit():
                end += 1
            if end < len(text) and text[end] in "shdc":
                end -= 1  # x38h: the last digit is the rank of the next card
            for _ in range(int(text[at + 1 : end])):
                yield None, True
            at = end
        else:
            yield NUMBER[text[at : at + 2]], closed
            at += 2


def parse(line: str) -> Line:
    name, trump, hands, talon, piles, turn, table, *options = line.split()

    def cards(text: str) -> tuple[int | None, ...]:
        return tuple(card for card, _ in _items("" if text == "-" else text))

    sums: list[int | None] = []
    items: list[tuple[tuple[int | None, bool], ...]] = []
    for pile in piles.split("/"):
        bare = pile.isdigit()
        sums.append(int(pile) if bare else None)
        items.append(() if bare or pile == "-" else tuple(_items(pile)))
    lead = None
    if table != "-":
        seat, _, led = table.partition(":")
        lead = int(seat), cards_mask(led)
    claim = -1
    handicap = None
    for option in options:
        key, _, value = option.partition("=")
        if key == "claim":
            claim = int(value)
        elif key == "handicap":
            own, _, other = value.partition("/")
            handicap = int(own), int(other)
    return Line(
        name,
        _trump_number(trump),
        tuple(cards(hand) for hand in hands.split("/")),
        cards(talon),
        tuple(items),
        tuple(sums),
        int(turn),
        lead,
        claim,
        handicap,
        tuple(options),
    )


def _known(cards: Iterable[int | None]) -> tuple[int, ...]:
    known = []
    for card in cards:
        if card is None:
            raise ValueError("a card is unknown")
        known.append(card)
    return tuple(known)


def load(line: str) -> State:
    """The position of a line with all cards known."""
    raw = parse(line)
    rules = rules_of(raw.name)
    hands = [sum(1 << card for card in _known(hand)) for hand in raw.hands]
    points = []
    hidden = []
    for bare, items in zip(raw.sums, raw.piles, strict=True):
        pile = _known(card for card, _ in items)
        points.append(sum(VALUE[card] for card in pile) if bare is None else bare)
        down = sum(1 << card for card, closed in items if closed and card is not None)
        hidden.append(down)
    talon = _known(raw.talon)
    handicap = raw.handicap
    if handicap is None:
        handicap = (0, 0)
        untouched = (
            len(talon) == rules.deck - 2 * rules.hand
            and raw.lead is None
            and not any(points)
            and not any(raw.piles)
        )
        if untouched:
            handicap = (0, rules.compensation) if raw.turn == 0 else (rules.compensation, 0)
    lead = 0 if raw.lead is None else raw.lead[1]
    state = State(
        raw.name,
        rules,
        raw.trump,
        (hands[0], hands[1]),
        talon,
        (points[0], points[1]),
        raw.turn,
        lead,
        raw.claim,
        handicap,
        (hidden[0], hidden[1]),
        None,
    )
    if not lead:
        return _trick_start(state)
    leader = 1 - raw.turn
    if state.table.ends_hand(hands[leader] | lead, lead):
        return state._replace(over=(leader, "bura"))
    # Who is still to answer may hold a combination that wins as soon as it is seen.
    shown = state.table.sight(0, hands[raw.turn])
    return state if shown is None else state._replace(over=(raw.turn, shown[1]))


def text(state: State) -> str:
    """The line of a position, piles as bare numbers."""
    options = "" if state.claim < 0 else f" claim={state.claim}"
    if state.handicap != (0, 0):
        options += f" handicap={state.handicap[0]}/{state.handicap[1]}"
    return " ".join(
        (
            state.name,
            "-" if state.trump < 0 else SUITS[state.trump],
            "/".join(cards_text(hand) or "-" for hand in state.hands),
            "".join(NAMES[card] for card in state.talon) or "-",
            f"{state.points[0]}/{state.points[1]}",
            str(state.turn),
            (f"{1 - state.turn}:{cards_text(state.lead)}" if state.lead else "-") + options,
        )
    )


def _unclaimed(rules: Rules, counts: Sequence[int]) -> tuple[int | None, str]:
    """How a hand ends that was played out and never claimed."""
    if rules.unclaimed == "no_winner":
        return None, "no_winner"
    if rules.unclaimed == "threshold":
        # Both can have reached a low target; then neither is ahead of the other.
        reached = [seat for seat in (0, 1) if counts[seat] >= rules.target]
        return (reached[0], "points") if len(reached) == 1 else (None, "draw")
    if counts[0] == counts[1]:
        return None, "draw"
    return (0 if counts[0] > counts[1] else 1), "points"


def _good(rules: Rules, count: int) -> bool:
    """Whether a claim on this count holds."""
    ceiling = rules.claim_ceiling
    return count >= rules.target and (ceiling is None or count <= ceiling)


def _trick_start(state: State) -> State:
    """End the hand where the cards of a starting trick end it, unless a claim may come first."""
    if state.claim >= 0:
        return state if any(state.hands) else state._replace(turn=state.claim)
    return _shown(state)


def _shown(state: State) -> State:
    """The start of a trick when nobody claims: all is played, or a combination ends the hand."""
    if not any(state.hands):
        return state._replace(over=_unclaimed(state.rules, (state.count(0), state.count(1))))
    leader = state.turn
    shown = state.table.sight(state.hands[leader], state.hands[1 - leader])
    if shown is None:
        return state
    winner, reason = shown
    return state._replace(over=(None if winner is None else leader ^ winner, reason))


def _only_claim_or_pass(state: State) -> bool:
    """Whether a trick starts that is no trick any more: only the claim is to be decided."""
    return not state.lead and state.over is None and _shown(state).over is not None


def result(state: State) -> tuple[int | None, str] | None:
    """None while the hand goes on, else the winning seat (None: nobody) and the reason."""
    return state.over


def moves(state: State) -> list[str]:
    """The moves of the seat to act."""
    if state.over is not None:
        return []
    hand = state.hands[state.turn]
    if state.lead:
        taking, dropped = state.table.replies(state.lead, hand)
        down = "({})" if state.rules.closed else "{}"
        return [cards_text(cards) for cards, _ in taking] + [
            down.format(cards_text(cards)) for cards, _ in dropped
        ]
    listed = ["claim"] if state.claim == state.turn else []
    if _only_claim_or_pass(state):
        return [*listed, "pass"]
    return listed + [cards_text(cards) for cards, _ in state.table.leads(hand)]


def calls(state: State) -> list[tuple[int, str]]:
    """The out-of-turn leads that may be called now, with the seat that may call them."""
    if state.over is not None or state.lead or _only_claim_or_pass(state):
        return []
    other = 1 - state.turn
    found = state.table.calls(state.hands[state.turn], state.hands[other])
    return [(other, "stop:" + cards_text(cards)) for cards, _ in found]


def apply(state: State, move: str) -> State:
    """The position after a move of ``moves`` or a call of ``calls``."""
    turn = state.turn
    if move == "claim":
        good = _good(state.rules, state.count(turn))
        return state._replace(over=(turn, "claim") if good else (1 - turn, "false_claim"))
    if move == "pass":
        return _shown(state._replace(claim=-1))
    if not state.lead:
        leader = turn
        if move.startswith("stop:"):
            leader = 1 - turn
            move = move[len("stop:") :]
        led = cards_mask(move)
        hand = state.hands[leader]
        after = state._replace(
            hands=_with(state.hands, leader, hand & ~led), turn=1 - leader, lead=led, claim=-1
        )
        if leader == turn and state.table.ends_hand(hand, led):
            return after._replace(over=(leader, "bura"))
        return after
    closed = move.startswith("(")
    reply = cards_mask(move.strip("()"))
    leader = 1 - turn
    winner = turn if _takes(state, move) else leader
    hands = list(_with(state.hands, turn, state.hands[turn] & ~reply))
    first = winner if state.rules.refill_from == "winner" else leader
    size = min(state.lead.bit_count(), len(state.talon) // 2)
    for drawn in range(2 * size):
        hands[first ^ drawn & 1] |= 1 << state.talon[drawn]
    gain = set_points(state.lead) + set_points(reply)
    hidden = state.hidden
    if closed:
        hidden = _with(hidden, winner, hidden[winner] | reply)
    return _trick_start(
        state._replace(
            hands=(hands[0], hands[1]),
            talon=state.talon[2 * size :],
            points=_with(state.points, winner, state.points[winner] + gain),
            turn=winner,
            lead=0,
            claim=winner,
            hidden=hidden,
        )
    )


def _with(pair: tuple[int, int], seat: int, new: int) -> tuple[int, int]:
    return (new, pair[1]) if seat == 0 else (pair[0], new)


def perft(state: State, depth: int) -> int:
    """How many sequences of exactly ``depth`` moves and calls there are."""
    if depth == 0:
        return 1
    every = moves(state) + [call for _, call in calls(state)]
    if depth == 1:
        return len(every)
    return sum(perft(apply(state, move), depth - 1) for move in every)


# --- best play, all cards known ------------------------------------------------------------


class _Draws:
    """What the two seats draw from a talon, the first to draw and the second."""

    def __init__(self, talon: Sequence[int]) -> None:
        self._talon = tuple(talon)
        self._kept: dict[tuple[int, int], tuple[int, int, int]] = {}

    def __call__(self, at: int, size: int) -> tuple[int, int, int]:
        """The two sets drawn after a trick of ``size`` cards each, and where the talon is then."""
        key = (at, size)
        drawn = self._kept.get(key)
        if drawn is None:
            each = min(size, (len(self._talon) - at) // 2)
            end = at + 2 * each
            first = sum(1 << card for card in self._talon[at:end:2])
            second = sum(1 << card for card in self._talon[at + 1 : end : 2])
            drawn = self._kept[key] = (first, second, end)
        return drawn


Side = tuple[int, int, int]  # hand, count with the handicap, cards of his pile he has not seen


class _Outcome:
    """Win, draw or loss with best play, alpha-beta over exact scores.

    All methods look through the eyes of ``me``, the seat that leads or has led; which seat
    that is matters no more, for counts include the handicap.  ``at`` tells how much of the
    talon is drawn.

    Clairvoyant, a seat claims as soon as its count is good.  ``honest``, it claims as soon as
    what it has seen makes the claim sure: it has seen its own cards and all cards played
    openly, but not the other hand, not the talon (save the turn-up, as long as that lies
    under it) and not what was discarded face down into its own pile.
    """

    def __init__(self, state: State, *, honest: bool = False) -> None:
        self.rules = state.rules
        self.allowed = state.table
        self.draws = _Draws(state.talon)
        self.honest = honest
        self.tracked = honest and state.rules.closed
        # Without trumps no card is turned up (S4), so the last one is as unknown as the rest.
        hidden_talon = state.talon[:-1] if state.trump >= 0 else state.talon
        self.unseen_talon = [
            sum(1 << card for card in hidden_talon[at:]) for at in range(len(state.talon) + 1)
        ]
        self.seen: dict[tuple[Side, Side, int], tuple[int, int]] = {}
        down = state.hidden if honest else (0, 0)
        self.sides: list[Side] = [
            (state.hands[seat], state.count(seat), down[seat]) for seat in (0, 1)
        ]

    def claims(self, me: Side, him: Side, at: int) -> bool:
        """Whether ``me``, having just won a trick, claims."""
        _, count, down = me
        if not self.honest or not down:
            return _good(self.rules, count)
        pool = card_list(him[0] | self.unseen_talon[at] | down)
        worth = sorted(VALUE[card] for card in pool)
        size = down.bit_count()
        shown = count - set_points(down)
        fewest = shown + sum(worth[:size])
        most = shown + sum(worth[-size:])
        return _good(self.rules, fewest) and _good(self.rules, most)

    def won(self, me: Side, him: Side, at: int, alpha: int, beta: int) -> int:
        """Just after a trick that ``me`` has won, hands refilled."""
        if self.claims(me, him, at):
            return 1
        if self.allowed.has_sight:
            shown = self.allowed.sight(me[0], him[0])
            if shown is not None:
                return _for_leader(shown[0])
        if not me[0]:
            return _for_leader(_unclaimed(self.rules, (me[1], him[1]))[0])
        key = (me, him, at)
        low, high = self.seen.get(key, (-1, 1))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        found = self.start(me, him, at, alpha, beta)
        if found <= alpha:
            high = found
        elif found >= beta:
            low = found
        else:
            low = high = found
        self.seen[key] = (low, high)
        return found

    def start(self, me: Side, him: Side, at: int, alpha: int, beta: int) -> int:
        """The start of a trick once nobody has claimed: ``him`` may call, else ``me`` leads."""
        called = 1
        for cards, _ in self.allowed.calls(me[0], him[0]):
            got = -self.led(him, me, at, cards, -min(beta, called), -alpha)
            called = min(called, got)
            if called <= alpha:
                return called
        beta = min(beta, called)
        best = -1
        for cards, _ in self.allowed.leads(me[0]):
            best = max(best, self.led(me, him, at, cards, max(alpha, best), beta))
            if best >= beta:
                break
        return min(best, called)

    def led(self, me: Side, him: Side, at: int, cards: int, alpha: int, beta: int) -> int:
        """``me`` leads ``cards``, still in his hand."""
        if self.allowed.ends_hand(me[0], cards):
            return 1
        me = (me[0] & ~cards, me[1], me[2])
        best = 1
        taking, dropped = self.allowed.replies(cards, him[0])
        for reply, _ in taking:
            got = self.answered(me, him, at, cards, reply, True, alpha, min(beta, best))
            best = min(best, got)
            if best <= alpha:
                return best
        for reply, _ in dropped:
            got = self.answered(me, him, at, cards, reply, False, alpha, min(beta, best))
            best = min(best, got)
            if best <= alpha:
                return best
        return best

    def answered(
        self,
        me: Side,
        him: Side,
        at: int,
        lead: int,
        reply: int,
        take: bool,
        alpha: int,
        beta: int,
    ) -> int:
        """``him`` answers the ``lead``, no longer in the hand of ``me``."""
        gain = set_points(lead) + set_points(reply)
        own, count, down = me
        his, his_count, his_down = him
        his &= ~reply
        first, second, then = self.draws(at, lead.bit_count())
        if take:
            if self.rules.refill_from == "leader":
                first, second = second, first
            him = (his | first, his_count + gain, his_down)
            return -self.won(him, (own | second, count, down), then, -beta, -alpha)
        if self.tracked:
            down |= reply
        me = (own | first, count + gain, down)
        return self.won(me, (his | second, his_count, his_down), then, alpha, beta)


class _Points:
    """The difference still to be won with best play to the last card, nobody claiming.

    Values are the points to come of the leading hand, ``mine``, minus those of the other's,
    whatever lies in the piles.
    """

    def __init__(self, state: State) -> None:
        self.allowed = state.table
        self.draws = _Draws(state.talon)
        self.from_leader = state.rules.refill_from == "leader"
        self.seen: dict[tuple[int, int, int], tuple[int, int]] = {}

    def start(self, mine: int, his: int, at: int, alpha: int, beta: int) -> int:
        if not mine:
            return 0
        key = (mine, his, at)
        low, high = self.seen.get(key, (-120, 120))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        best = -120
        for cards, _ in self.allowed.plain_leads(mine):
            best = max(best, self.led(mine, his, at, cards, max(alpha, best), beta))
            if best >= beta:
                break
        if best <= alpha:
            high = best
        elif best >= beta:
            low = best
        else:
            low = high = best
        self.seen[key] = (low, high)
        return best

    def led(self, mine: int, his: int, at: int, cards: int, alpha: int, beta: int) -> int:
        mine &= ~cards
        best = 120
        taking, dropped = self.allowed.replies(cards, his)
        for reply, _ in taking:
            got = self.answered(mine, his, at, cards, reply, True, alpha, min(beta, best))
            best = min(best, got)
            if best <= alpha:
                return best
        for reply, _ in dropped:
            got = self.answered(mine, his, at, cards, reply, False, alpha, min(beta, best))
            best = min(best, got)
            if best <= alpha:
                return best
        return best

    def answered(
        self,
        mine: int,
        his: int,
        at: int,
        lead: int,
        reply: int,
        take: bool,
        alpha: int,
        beta: int,
    ) -> int:
        gain = set_points(lead) + set_points(reply)
        his &= ~reply
        first, second, then = self.draws(at, lead.bit_count())
        if take:
            if self.from_leader:
                first, second = second, first
            return -gain - self.start(
                his | first, mine | second, then, -beta - gain, -alpha - gain
            )
        return gain + self.start(mine | first, his | second, then, alpha - gain, beta - gain)


def _for_leader(winner: int | None) -> int:
    return 0 if winner is None else 1 - 2 * winner


def _for_turn(state: State) -> int:
    """A finished hand as an outcome for the seat to act."""
    assert state.over is not None
    winner, _ = state.over
    return 0 if winner is None else 1 if winner == state.turn else -1


def move_values(state: State, objective: str = "outcome") -> dict[str, int]:
    """The value of every move for the seat to act, best play following.

    ``outcome`` is 1, 0 or -1; ``points`` the own final pile minus the other's, without claims
    and combinations (their moves are not listed then).
    """
    if objective == "points":
        return _points_moves(state)
    return _outcome_moves(state, _Outcome(state))


def value(state: State, objective: str = "outcome") -> int:
    """The value for the seat to act; at the start of a trick it includes the other's calls."""
    if objective == "points":
        ahead = state.points[state.turn] - state.points[1 - state.turn]
        return max(_points_moves(state).values(), default=ahead)
    if state.over is not None:
        return _for_turn(state)
    search = _Outcome(state)
    found = _outcome_moves(state, search)
    # The claim comes before the calls, so no call can take it away.
    claim = found.pop("claim", -1)
    return max(claim, min([max(found.values()), *_call_values(state, search).values()]))


def call_values(state: State) -> dict[str, int]:
    """The outcome of every call of the other, for the seat to act (not the caller)."""
    return _call_values(state, _Outcome(state))


def honest_move_values(state: State) -> dict[str, int]:
    """The outcome of every move for the seat to act when later claims are made only if sure.

    Both seats play as if they saw all; only in claiming they rely on what they have seen
    (``_Outcome``).  A move ``claim`` is valued by what the pile really holds.
    """
    return _outcome_moves(state, _Outcome(state, honest=True))


def honest_value(state: State) -> int:
    """The outcome for the seat to act when both claim only if sure.

    With ``claim=`` the seat claims if it is sure; otherwise that move counts for nothing.
    """
    if state.over is not None:
        return _for_turn(state)
    search = _Outcome(state, honest=True)
    me = state.turn
    if state.claim == me and search.claims(search.sides[me], search.sides[1 - me], 0):
        return 1
    found = _outcome_moves(state, search)
    found.pop("claim", None)
    return min([max(found.values()), *_call_values(state, search).values()])


def _outcome_moves(state: State, search: _Outcome) -> dict[str, int]:
    me, him = search.sides[state.turn], search.sides[1 - state.turn]
    found: dict[str, int] = {}
    for move in moves(state):
        if move in ("claim", "pass"):
            found[move] = _for_turn(apply(state, move))
        elif state.lead:
            take = _takes(state, move)
            reply = cards_mask(move.strip("()"))
            found[move] = -search.answered(him, me, 0, state.lead, reply, take, -1, 1)
        else:
            found[move] = search.led(me, him, 0, cards_mask(move), -1, 1)
    return found


def _call_values(state: State, search: _Outcome) -> dict[str, int]:
    me, him = search.sides[state.turn], search.sides[1 - state.turn]
    return {
        call: -search.led(him, me, 0, cards_mask(call[len("stop:") :]), -1, 1)
        for _, call in calls(state)
    }


def _points_moves(state: State) -> dict[str, int]:
    search = _Points(state)
    me = state.turn
    mine, his = state.hands[me], state.hands[1 - me]
    ahead = state.points[me] - state.points[1 - me]
    found: dict[str, int] = {}
    if state.lead:
        # What a combination would settle at once is played on here.
        for move in moves(state._replace(over=None)):
            reply = cards_mask(move.strip("()"))
            got = search.answered(his, mine, 0, state.lead, reply, _takes(state, move), -120, 120)
            found[move] = ahead - got
        return found
    for cards, _ in search.allowed.plain_leads(mine):
        found[cards_text(cards)] = ahead + search.led(mine, his, 0, cards, -120, 120)
    return found


def _takes(state: State, reply: str) -> bool:
    """Whether an answer, as written, takes the trick."""
    closed = reply.startswith("(")
    return not closed and state.table.beats(card_list(state.lead), card_list(cards_mask(reply)))


# --- hidden cards --------------------------------------------------------------------------


def _unseen(raw: Line) -> int:
    """The cards of the deck that a line does not place."""
    placed = 0 if raw.lead is None else raw.lead[1]
    every = [*raw.hands, raw.talon, *(tuple(card for card, _ in pile) for pile in raw.piles)]
    for cards in every:
        for card in cards:
            if card is not None:
                placed |= 1 << card
    return deck_mask(rules_of(raw.name).deck) & ~placed


def _unknown_in_pile(raw: Line, seat: int) -> int:
    return sum(card is None for card, _ in raw.piles[seat])


def world_count(line: str) -> int:
    """How many worlds a line leaves open: hands and face-down cards as sets, talon in order."""
    raw = parse(line)
    left = _unseen(raw).bit_count()
    ways = 1
    sets = [hand.count(None) for hand in raw.hands]
    sets += [_unknown_in_pile(raw, seat) for seat in (0, 1)]
    for size in sets:
        ways *= comb(left, size)
        left -= size
    return ways * factorial(raw.talon.count(None)) * comb(left, raw.talon.count(None))


def worlds(line: str) -> Iterator[str]:
    """Every complete line a line with unknown cards may stand for, each exactly once.

    Filled-in pile cards are bracketed: they lie face down and their owner has not seen them.
    """
    raw = parse(line)
    fields = line.split()

    def filled(known: Iterable[int | None], new: int) -> str:
        return cards_text(new | sum(1 << card for card in known if card is not None)) or "-"

    def piles(downs: Sequence[int]) -> str:
        written = []
        for seat, down in enumerate(downs):
            if raw.sums[seat] is not None:
                written.append(str(raw.sums[seat]))
                continue
            items = [item for item in raw.piles[seat] if item[0] is not None]
            items += [(card, True) for card in card_list(down)]
            written.append(_pile_text(items))
        return "/".join(written)

    sizes = [hand.count(None) for hand in raw.hands]
    sizes += [_unknown_in_pile(raw, seat) for seat in (0, 1)]
    for sets, rest in _dealt(_unseen(raw), sizes):
        hands = "/".join(
            filled(known, new) for known, new in zip(raw.hands, sets[:2], strict=True)
        )
        for order in permutations(card_list(rest), raw.talon.count(None)):
            drawn = iter(order)
            talon = [next(drawn) if card is None else card for card in raw.talon]
            yield " ".join(
                (
                    *fields[:2],
                    hands,
                    "".join(NAMES[card] for card in talon) or "-",
                    piles(sets[2:]),
                    *fields[5:],
                )
            )


def _pile_text(items: Iterable[tuple[int | None, bool]]) -> str:
    named = ((NAMES[card], closed) for card, closed in items if card is not None)
    return "".join(f"({name})" if closed else name for name, closed in named) or "-"


def _dealt(cards: int, sizes: Sequence[int]) -> Iterator[tuple[list[int], int]]:
    """Every way of dealing sets of these sizes, with what is left over."""
    if not sizes:
        yield [], cards
        return
    for first in subsets(cards, sizes[0]):
        for others, rest in _dealt(cards & ~first, sizes[1:]):
            yield [first, *others], rest


def claim_distribution(line: str, seat: int) -> dict[int, Fraction]:
    """What a claim of ``seat`` would count (pile and handicap), with the chance of each sum.

    Every way the cards unknown to the writer of the line may lie is as likely as any other.
    """
    raw = parse(line)
    shown = sum(VALUE[card] for card, _ in raw.piles[seat] if card is not None)
    shown += raw.sums[seat] or 0
    shown += 0 if raw.handicap is None else raw.handicap[seat]
    size = _unknown_in_pile(raw, seat)
    ways = {(0, 0): 1}  # (cards taken, their points) -> number of sets
    for card in card_list(_unseen(raw)):
        more = dict(ways)
        for (taken, points), number in ways.items():
            key = (taken + 1, points + VALUE[card])
            more[key] = more.get(key, 0) + number
        ways = more
    total = sum(number for (taken, _), number in ways.items() if taken == size)
    return {
        shown + points: Fraction(number, total)
        for (taken, points), number in sorted(ways.items())
        if taken == size
    }


def beat_odds(line: str, cards: str) -> Fraction:
    """The chance that the other hand can beat a lead of ``cards``.

    The other hand is the one with unknown cards; where both are known, that of the seat not
    to act.
    """
    raw = parse(line)
    unknown = [seat for seat in (0, 1) if None in raw.hands[seat]]
    other = unknown[0] if unknown else 1 - raw.turn
    table = table_of(rules_of(raw.name), raw.trump)
    known = sum(1 << card for card in raw.hands[other] if card is not None)
    fills = subsets(_unseen(raw), raw.hands[other].count(None))
    lead = cards_mask(cards)
    beaten = 0
    for fill in fills:
        replies = subsets(known | fill, lead.bit_count())
        beaten += any(table.beats(card_list(lead), card_list(reply)) for reply in replies)
    return Fraction(beaten, len(fills))


def view(line: str, seat: int) -> str:
    """What ``seat`` knows of a complete line: the other hand, the talon but for the turn-up and
    the bracketed cards of its own pile become unknown."""
    raw = parse(line)
    fields = line.split()
    hands = fields[2].split("/")
    size = len(raw.hands[1 - seat])
    hands[1 - seat] = f"x{size}" if size else "-"
    if raw.talon:
        shown = 1 if raw.trump >= 0 else 0
        down = len(raw.talon) - shown
        fields[3] = (f"x{down}" if down else "") + (NAMES[raw.talon[-1] or 0] if shown else "")
    piles = fields[4].split("/")
    down = sum(closed for _, closed in raw.piles[seat])
    if down:
        seen = [item for item in raw.piles[seat] if not item[1]]
        piles[seat] = (_pile_text(seen) if seen else "") + f"x{down}"
    return " ".join((*fields[:2], "/".join(hands), fields[3], "/".join(piles), *fields[5:]))


# --- random positions ----------------------------------------------------------------------


class _Drawn(NamedTuple):
    """What the random lines have in common."""

    rules: Rules
    trump: int
    hands: list[int]
    talon: list[int]
    tricks: list[tuple[int, list[int], bool]]  # winner, cards, whether half was discarded
    handicap: tuple[int, int]


def random_position(rng: random.Random, rules_text: str, talon_left: int, hand_size: int) -> str:
    """A line such as a game might bring, piles as bare numbers, all cards known.

    Two hands of ``hand_size`` cards and ``talon_left`` (even) to draw; while there is a talon
    hands are full, whatever ``hand_size`` says.  The played cards went to the piles trick by
    trick, if possible so that neither has the target (one in fifteen may).  Some hands hold
    a combination, some lines have ``claim=`` or the lead already on the table, and without
    trumps some have a handicap.
    """
    drawn = _draw(rng, rules_text, talon_left, hand_size)
    sums = [0, 0]
    for winner, cards, _ in drawn.tricks:
        sums[winner] += sum(VALUE[card] for card in cards)
    return _finished(rng, rules_text, drawn, f"{sums[0]}/{sums[1]}")


def random_honest_position(
    rng: random.Random, rules_text: str, talon_left: int, hand_size: int
) -> str:
    """As ``random_position``, but piles card by card, what their owner has not seen bracketed."""
    drawn = _draw(rng, rules_text, talon_left, hand_size)
    piles: list[list[tuple[int | None, bool]]] = [[], []]
    for winner, cards, discarded in drawn.tricks:
        half = len(cards) // 2
        for at, card in enumerate(cards):
            piles[winner].append((card, discarded and at >= half))
    return _finished(rng, rules_text, drawn, "/".join(map(_pile_text, piles)))


def _draw(rng: random.Random, rules_text: str, talon_left: int, hand_size: int) -> _Drawn:
    rules = rules_of(rules_text)
    if talon_left:
        hand_size = rules.hand
    trump = -1 if rules.trumps == "no" else rng.randrange(4)
    handicap = (0, 0)
    if rules.compensation and rng.random() < 0.5:
        handicap = rng.choice(((0, rules.compensation), (rules.compensation, 0)))
    deck = card_list(deck_mask(rules.deck))
    rng.shuffle(deck)
    in_play = 2 * hand_size + talon_left
    left, played = deck[:in_play], deck[in_play:]
    # The richest cards come back into play until the piles can both stay under the target.
    room = 2 * (rules.target - 1) - sum(handicap) - rng.randrange(8)
    if rng.random() < 0.5:
        room = rng.randrange(room // 3, room)  # far from the target, so that more is to be played
    careless = rng.random() < 1 / 15
    for _ in range(60):
        if careless or not left or sum(VALUE[card] for card in played) <= room:
            break
        rich = rng.choice([at for at, card in enumerate(played) if VALUE[card]])
        poor = min(rng.sample(range(in_play), min(2, in_play)), key=lambda at: VALUE[left[at]])
        if VALUE[left[poor]] < VALUE[played[rich]]:
            left[poor], played[rich] = played[rich], left[poor]
    hands = [left[:hand_size], left[hand_size : 2 * hand_size]]
    talon = left[2 * hand_size :]
    if hand_size == rules.hand and rng.random() < 0.2:
        _plant(rng, rules, trump, hands, talon, played)
    if talon and trump >= 0 and rng.random() < 0.9:
        # The turn-up is a trump; where none is to be had, the position is a reduced one.
        for cards in (talon, hands[0], hands[1], played):
            found = [at for at, card in enumerate(cards) if card // 9 == trump]
            if found and rng.random() < 0.8:
                at = rng.choice(found)
                talon[-1], cards[at] = cards[at], talon[-1]
                break
    rng.shuffle(played)
    tricks = _tricks(rng, rules, played, handicap, careless)
    return _Drawn(
        rules, trump, [sum(1 << card for card in hand) for hand in hands], talon, tricks, handicap
    )


def _plant(
    rng: random.Random,
    rules: Rules,
    trump: int,
    hands: list[list[int]],
    talon: list[int],
    played: list[int],
) -> None:
    """Exchange cards so that a hand holds a combination, or both do."""
    for seat in rng.choice(((0,), (1,), (0, 1))):
        kind = rng.choice(("bura", "molodka", "molodka", "three_aces", "four_aces"))
        suit = trump if kind == "bura" and trump >= 0 else rng.randrange(4)
        others = [hands[1 - seat], talon, played]
        if kind in ("bura", "molodka"):
            wanted = [card for card in range(36) if card // 9 == suit]
            size = rules.hand
        else:
            wanted = [card for card in range(36) if ACES >> card & 1]
            size = 3 if kind == "three_aces" else 4
        if seat == 1:
            others = others[1:]  # what the first hand got stays there
        hand = hands[seat]
        at = 0
        for card in rng.sample(wanted, len(wanted)):
            if at >= min(size, len(hand)):
                break
            if card in hand:
                place = hand.index(card)
                hand[at], hand[place] = hand[place], hand[at]
                at += 1
                continue
            for cards in others:
                if card in cards:
                    place = cards.index(card)
                    cards[place], hand[at] = hand[at], cards[place]
                    at += 1
                    break


def _tricks(
    rng: random.Random,
    rules: Rules,
    played: list[int],
    handicap: tuple[int, int],
    careless: bool,
) -> list[tuple[int, list[int], bool]]:
    best: list[tuple[int, list[int], bool]] = []
    for _ in range(1 if careless else 40):
        tricks: list[tuple[int, list[int], bool]] = []
        sums = list(handicap)
        lucky = rng.random()
        at = 0
        while at < len(played):
            size = min(rng.choice((1, 1, 1, 2, 2, rules.hand)), (len(played) - at) // 2)
            cards = played[at : at + 2 * size]
            winner = int(rng.random() < 0.25 + lucky / 2)
            worth = sum(VALUE[card] for card in cards)
            if not careless and sums[winner] + worth >= rules.target:
                winner = 1 - winner
            sums[winner] += worth
            tricks.append((winner, cards, rules.closed and rng.random() < 0.6))
            at += 2 * size
        best = tricks
        if max(sums) < rules.target:
            break
    return best


def _finished(rng: random.Random, rules_text: str, drawn: _Drawn, piles: str) -> str:
    turn = rng.randrange(2)
    hands = list(drawn.hands)
    options = ""
    table = "-"
    lines = _line(rules_text, drawn, hands, piles, turn, table)
    leads = [move for move in moves(load(lines)) if move != "claim"]
    if leads and rng.random() < 0.3:
        led = rng.choice(leads)
        if not _ends(drawn, hands[turn], led):
            hands[turn] &= ~cards_mask(led)
            table = f"{turn}:{led}"
            turn = 1 - turn
    elif drawn.tricks and rng.random() < 0.3 and any(who == turn for who, _, _ in drawn.tricks):
        options += f" claim={turn}"
    if drawn.handicap != (0, 0):
        options += f" handicap={drawn.handicap[0]}/{drawn.handicap[1]}"
    return _line(rules_text, drawn, hands, piles, turn, table) + options


def _ends(drawn: _Drawn, hand: int, led: str) -> bool:
    return table_of(drawn.rules, drawn.trump).ends_hand(hand, cards_mask(led))


def _line(
    rules_text: str, drawn: _Drawn, hands: Sequence[int], piles: str, turn: int, table: str
) -> str:
    return " ".join(
        (
            rules_text,
            "-" if drawn.trump < 0 else SUITS[drawn.trump],
            "/".join(cards_text(hand) or "-" for hand in hands),
            "".join(NAMES[card] for card in drawn.talon) or "-",
            piles,
            str(turn),
            table,
        )
    )
