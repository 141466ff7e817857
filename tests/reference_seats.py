"""The rules for any table, in plain Python: two to six seats, pairs, and every switch.

The second oracle beside ``reference``, which knows two players and values their positions
fast.  Here nothing is fast: a hand is an immutable tuple of tuples, beating is tried out card
by card, a value is found by playing everything out.  Nothing is shared with ``bura_core``.

``load`` a position line, ask for ``moves``, ``calls`` and ``result``, ``apply`` a move (with the
seat, where another than the one on turn makes it), count with ``perft``; ``zero_sum``,
``guaranteed`` and ``expected`` play small positions out with all cards known, for the outcome;
``points_guaranteed`` and ``points_expected`` do for the points of a ``bare`` hand.  ``deal`` makes
the line of a random deal, ``facts`` what both the core and this page say of a position.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import comb, factorial

from reference import (
    ACES,
    NAMES,
    NUMBER,
    RANK_MASK,
    SUIT_MASK,
    SUITS,
    VALUE,
    card_list,
    cards_mask,
    cards_text,
    deck_mask,
    set_points,
    subsets,
)

# --- rule sets -----------------------------------------------------------------------------

_DEFAULTS = (
    "players=2 pairs=no deck=36 hand=3 target=31 claim_ceiling=none discards=closed "
    "claim_window=until_lead unclaimed=no_winner trumps=yes spades_immune=no bura=on_sight "
    "two_buras=played_out bura_counts=1 three_aces=none three_aces_trump=no four_aces=none "
    "little_moskva=none molodka=none aces_against_bura=precedence "
    "precedence=bura>three_aces>little_moskva>molodka stop_window=before_lead "
    "redeal_on_dealt_combo=no lead_sizes=any rank_leads=no refill_from=winner "
    "short_talon=set_aside compensation=0 raises=none scoring=pot match_to=0 "
    "leave_at_target=no extra_card=none open_hands=none closed_challenge=no foul=lose "
    "next_deal=rotate six_for=no_trick"
)
_GEORGIAN = "unclaimed=most_points bura=on_lead raises=ladder scoring=points_match "
_CLASSIC = "three_aces=lead molodka=lead redeal_on_dealt_combo=yes "
_BURKOZEL = (
    "hand=4 target=61 unclaimed=threshold short_talon=draw_out "
    "precedence=bura>four_aces>molodka>three_aces scoring=burkozel_12 "
)
PRESETS = {
    "georgian3": _GEORGIAN + "deck=20",
    "georgian5": _GEORGIAN + "hand=5 target=61 discards=shown",
    "georgian5_pairs": _GEORGIAN + "players=4 pairs=yes hand=5 target=61 discards=shown",
    "classic": _CLASSIC,
    "classic_shown": _CLASSIC + "discards=shown scoring=robber",
    "casino": "claim_window=before_draw three_aces=lead molodka=lead "
    "aces_against_bura=played_out refill_from=leader",
    "moskva": "two_buras=higher bura_counts=2 three_aces=win little_moskva=sixes molodka=lead "
    "precedence=three_aces>bura>little_moskva>molodka redeal_on_dealt_combo=yes "
    "scoring=robber",
    "dave": _CLASSIC + "raises=dave",
    "five": "hand=5 target=61 spades_immune=yes unclaimed=threshold scoring=robber",
    "burkozel": _BURKOZEL + "three_aces=lead four_aces=lead molodka=lead",
    "burkozel_kommersant": _BURKOZEL
    + "claim_window=end_of_deck four_aces=win lead_sizes=one_or_three",
    "bura1": "three_aces=lead three_aces_trump=yes leave_at_target=yes scoring=robber",
    "bura2": "three_aces=lead three_aces_trump=yes scoring=balls_12",
    "perebor": _CLASSIC + "claim_ceiling=50 scoring=robber",
    "no_trump": "trumps=no bura=none molodka=lead compensation=30 scoring=robber",
    "three_vs_four": "extra_card=1 open_hands=1 scoring=robber",
}


@cache
def rules_of(text: str) -> Rules:
    name, _, switches = text.partition("[")
    values = {}
    said = f"{_DEFAULTS} {PRESETS[name]} " + switches.rstrip("]").replace(",", " ")
    for item in said.split():
        key, _, value = item.partition("=")
        values[key] = value
    return Rules(text, values)


class Rules:
    """A rule set: its switches as text in ``values``, a few of them as numbers."""

    def __init__(self, text: str, values: dict[str, str]) -> None:
        self.text = text
        self.values = values
        self.players = int(values["players"])
        self.deck = int(values["deck"])
        self.pairs = values["pairs"] == "yes"
        self.two_sides = self.players == 2 or self.pairs
        extra = values["extra_card"]
        self.sizes = [int(values["hand"]) + (extra == str(s)) for s in range(self.players)]
        self.target = int(values["target"])
        self.closed = values["discards"] == "closed"
        self.leaving = values["leave_at_target"] == "yes" and not self.two_sides

    def __getitem__(self, key: str) -> str:
        return self.values[key]


# --- a hand --------------------------------------------------------------------------------

Laid = tuple[int, int, bool]  # seat, cards, face down
Over = tuple[int | None, str, tuple[int, ...], tuple[int, ...]]  # winner, reason, losers, order


@dataclass(frozen=True)
class Hand:
    rules: Rules
    trump: int
    hands: tuple[int, ...]
    talon: tuple[int, ...]
    piles: tuple[tuple[tuple[int, int | None], ...], ...]  # (card, who discarded it, -1: open)
    sums: tuple[int, ...]  # points that lie in piles of which no cards are told
    turn: int
    table: tuple[Laid, ...]
    claim: int  # -1: nobody
    handicap: tuple[int, ...]
    left: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    led: int = -1  # who led the trick just won, before the draw
    stopped: int = -1
    held: int = 0
    trick: int = 0
    aside: bool = False
    calls_over: bool = False
    deciding: bool = False  # the seat on turn only says claim or pass
    stake: int = 1
    raiser: int = -1
    over: Over | None = None

    @property
    def playing(self) -> list[int]:
        return [s for s in range(self.rules.players) if s not in self.left + self.lost]

    def points(self, seat: int) -> int:
        return self.sums[seat] + sum(VALUE[card] for card, _ in self.piles[seat])

    def count(self, seat: int) -> int:
        seats = [seat, (seat + 2) % 4] if self.rules.pairs else [seat]
        return sum(self.points(s) + self.handicap[s] for s in seats)


def beats(hand: Hand, winning: int, reply: int) -> bool:
    return _covers(hand, card_list(winning), card_list(reply))


def _covers(hand: Hand, low: list[int], high: list[int]) -> bool:
    if len(low) != len(high):
        return False
    if not low:
        return True
    for at, card in enumerate(high):
        same = card // 9 == low[0] // 9
        able = card > low[0] if same else card // 9 == hand.trump
        if not same and low[0] // 9 == 0 and hand.rules["spades_immune"] == "yes":
            able = False
        if able and _covers(hand, low[1:], high[:at] + high[at + 1 :]):
            return True
    return False


def shows(hand: Hand, seat: int, name: str, cards: int) -> list[int]:
    """The sets among ``cards`` of a seat that make a combination the rules have a use for."""
    rules = hand.rules
    if rules[name] == "none":
        return []
    whole = cards.bit_count() == rules.sizes[seat]
    if name == "bura":
        return [cards] if whole and hand.trump >= 0 and not cards & ~SUIT_MASK[hand.trump] else []
    if name == "molodka":
        plain = [mask for suit, mask in enumerate(SUIT_MASK) if suit != hand.trump]
        return [cards] if whole and any(not cards & ~mask for mask in plain) else []
    if name == "four_aces":
        return [ACES] if cards & ACES == ACES else []
    rank = {"three_aces": "A", "sixes": "6", "tens": "T"}[
        name if name == "three_aces" else rules[name]
    ]
    trump_needed = rules["three_aces_trump"] == "yes" if rank == "A" else rank == "6"
    return [
        three
        for three in subsets(cards & RANK_MASK[rank], 3)
        if not trump_needed or any(card // 9 == hand.trump for card in card_list(three))
    ]


def highest(hand: Hand, seat: int, cards: int) -> int:
    """The place of a seat's best combination in the order of precedence; none: beyond the last."""
    order = hand.rules["precedence"].split(">")
    for place, name in enumerate(order):
        if shows(hand, seat, name, cards):
            return place
    return len(order)


# --- lines ---------------------------------------------------------------------------------


def _cards(text: str) -> tuple[int, ...]:
    text = "" if text == "-" else text
    return tuple(NUMBER[text[at : at + 2]] for at in range(0, len(text), 2))


def _pile(text: str, seat: int, players: int) -> tuple[tuple[int, int | None], ...]:
    items: list[tuple[int, int | None]] = []
    rest = "" if text == "-" else text
    while rest:
        if rest[0] != "(":
            items.append((NUMBER[rest[:2]], -1))
            rest = rest[2:]
            continue
        inside, _, rest = rest[1:].partition(")")
        by: int | None = 1 - seat if players == 2 else None
        if inside[1] == ":":
            by, inside = int(inside[0]), inside[2:]
        items += [(card, by) for card in _cards(inside)]
    return tuple(items)


def load(line: str) -> Hand:
    """The hand of a line with all cards known."""
    name, trump, hands, talon, piles, turn, table, *options = line.split()
    rules = rules_of(name)
    said = dict(option.split("=") for option in options)
    piles_text = piles.split("/")
    laid: list[Laid] = []
    for play in [] if table == "-" else table.split(","):
        who, _, named = play.partition(":")
        laid.append((int(who), cards_mask(named.strip("()")), named.startswith("(")))

    def seats(key: str) -> tuple[int, ...]:
        return tuple(map(int, said[key].split(","))) if key in said else ()

    start = Hand(
        rules=rules,
        trump=-1 if trump == "-" else SUITS.index(trump),
        hands=tuple(sum(1 << card for card in _cards(text)) for text in hands.split("/")),
        talon=_cards(talon),
        piles=tuple(
            () if text.isdigit() else _pile(text, seat, rules.players)
            for seat, text in enumerate(piles_text)
        ),
        sums=tuple(int(text) if text.isdigit() else 0 for text in piles_text),
        turn=int(turn),
        table=tuple(laid),
        claim=int(said.get("claim", -1)),
        handicap=(0,) * rules.players,
        left=seats("left"),
        lost=seats("lost"),
        stopped=int(said.get("stopped", -1)),
        held=cards_mask(said.get("held", "")),
        trick=cards_mask(said.get("trick", "")),
        stake=int(said.get("stake", 1)),
        raiser=int(said.get("raiser", -1)),
    )
    if "handicap" in said:
        start = replace(start, handicap=tuple(map(int, said["handicap"].split("/"))))
    elif rules["compensation"] != "0" and _untouched(start):
        extra = int(rules["compensation"])
        behind = [s for s in range(rules.players) if s != start.turn]
        if rules.pairs:
            behind = [(start.turn + 1) % 4]
        given = tuple(extra if s in behind else 0 for s in range(rules.players))
        start = replace(start, handicap=given)
    undrawn = start.claim >= 0 and rules["claim_window"] == "before_draw"
    if start.talon and not undrawn and rules["short_talon"] == "set_aside":
        whole = list(start.hands)
        for seat, cards, _ in laid:
            whole[seat] |= cards
        short = [s for s in start.playing if whole[s].bit_count() < rules.sizes[s]]
        start = replace(start, aside=bool(short))
    if not laid:
        if len(start.playing) < 2:
            return _one_left(start)
        if undrawn:
            return replace(start, deciding=True, led=int(said.get("led", turn)))
        return _trick(start)
    over = len(laid) > 1 or start.stopped >= 0 or rules["stop_window"] == "before_lead"
    start = replace(start, calls_over=over)
    seat, cards, _ = laid[0]
    if _wins_led(start, seat, cards, start.hands[seat] | cards) and len(laid) == 1:
        return replace(start, over=(seat, "bura", (), start.left))
    return _look(start) or start


def _untouched(hand: Hand) -> bool:
    full = sum(hand.rules.sizes)
    return len(hand.talon) == hand.rules.deck - full and not any(hand.piles) and not any(hand.sums)


# --- the course of a hand ------------------------------------------------------------------


def _finish(hand: Hand, winner: int | None, reason: str, loser: int | None = None) -> Hand:
    rules = hand.rules
    losers: tuple[int, ...] = ()
    if loser is not None:
        losers = (loser,)
    elif rules.leaving and winner is None:
        losers = hand.lost
    elif rules.leaving and hand.left + hand.lost:
        losers = tuple(s for s in range(rules.players) if s != winner and s not in hand.left)
    return replace(hand, over=(winner, reason, losers, hand.left), claim=-1)


def _against(hand: Hand, seat: int, reason: str) -> Hand:
    """``seat`` loses; where two sides play the other wins."""
    if hand.rules.two_sides:
        return _finish(hand, (seat + 1) % 2, reason)
    return _finish(hand, None, reason, seat)


def _unclaimed(hand: Hand) -> Hand:
    rules = hand.rules
    if hand.left:
        return _finish(hand, hand.left[0], "claim")
    if rules["unclaimed"] == "no_winner":
        return _finish(hand, None, "no_winner")
    seats = [0, 1] if rules.two_sides else hand.playing
    counts = {seat: hand.count(seat) for seat in seats}
    if rules["unclaimed"] == "threshold":
        best = [seat for seat in seats if counts[seat] >= rules.target]
    else:
        best = [seat for seat in seats if counts[seat] == max(counts.values())]
    return _finish(hand, best[0], "points") if len(best) == 1 else _finish(hand, None, "draw")


def _one_left(hand: Hand) -> Hand:
    if hand.left:
        return _finish(hand, hand.left[0], "claim")
    return _finish(hand, hand.playing[0], "false_claim")


def _from(hand: Hand, seat: int) -> list[int]:
    return [(seat + step) % hand.rules.players for step in range(hand.rules.players)]


def _look(hand: Hand) -> Hand | None:
    """The hand ended by a combination that wins on sight, or None."""
    rules = hand.rules
    laid = [seat for seat, _, _ in hand.table]
    order = [s for s in _from(hand, hand.turn) if s not in laid and s in hand.playing]
    for name in rules["precedence"].split(">"):
        if rules[name] not in ("on_sight", "win"):
            continue
        holders = [s for s in order if shows(hand, s, name, hand.hands[s])]
        if not holders:
            continue
        if name != "bura":
            return _finish(hand, holders[0], "three_aces")
        played_out = rules["aces_against_bura"] == "played_out"
        rivals = [
            s
            for s in order
            if s in holders
            or (played_out and rules.sizes[s] == 3 and shows(hand, s, "three_aces", hand.hands[s]))
        ]
        if len(rivals) > 1 and not played_out and rules["two_buras"] == "void":
            return _finish(hand, None, "void")
        best = rivals[0]
        for seat in rivals[1:]:
            mine, his = _shown(hand, seat), _shown(hand, best)
            if rules["two_buras"] == "higher" and not played_out:
                down = [sorted(card_list(cards), reverse=True) for cards in (mine, his)]
                better = down[0] > down[1]
            else:
                better = beats(hand, his, mine)
            best = seat if better else best
        return _finish(hand, best, "bura" if best in holders else "three_aces")
    return None


def _shown(hand: Hand, seat: int) -> int:
    return hand.hands[seat]


def _trick(hand: Hand) -> Hand:
    """The start of a trick, ``turn`` being the leader."""
    hand = replace(hand, table=(), calls_over=False, stopped=-1, held=0, deciding=False, led=-1)
    ended = _look(hand)
    if ended is not None:
        return replace(hand, deciding=True) if hand.claim == hand.turn else ended
    if not hand.hands[hand.turn]:
        if hand.claim == hand.turn:
            return replace(hand, deciding=True)
        for seat in _from(hand, hand.turn):
            if hand.hands[seat]:
                return replace(hand, turn=seat)
        return _unclaimed(hand)
    return hand


def _draw(hand: Hand, first: int) -> Hand:
    rules = hand.rules
    hands, talon = list(hand.hands), list(hand.talon)
    aside = hand.aside
    while talon and not aside:
        short = [
            s
            for s in _from(hand, first)
            if s in hand.playing and hands[s].bit_count() < rules.sizes[s]
        ]
        if not short:
            break
        if len(short) > len(talon) and rules["short_talon"] == "set_aside":
            aside = True
            break
        for seat in short[: len(talon)]:
            hands[seat] |= 1 << talon.pop(0)
    claim = hand.claim
    if rules["claim_window"] == "end_of_deck" and talon and not aside:
        claim = -1
    return _trick(replace(hand, hands=tuple(hands), talon=tuple(talon), aside=aside, claim=claim))


def _taken(hand: Hand) -> Hand:
    """All have answered."""
    leader, best = hand.table[0][0], hand.table[0]
    cards = down = 0
    added: list[tuple[int, int | None]] = []
    for play in hand.table:
        seat, laid, closed = play
        cards |= laid
        if closed:
            down |= laid
        elif play != hand.table[0] and beats(hand, best[1], laid):
            best = play
        added += [(card, seat if closed else -1) for card in card_list(laid)]
    winner = best[0]
    piles = list(hand.piles)
    piles[winner] += tuple(added)
    trick = cards if down and hand.rules["closed_challenge"] == "yes" else 0
    hand = replace(
        hand, piles=tuple(piles), turn=winner, claim=winner, table=(), trick=trick, stopped=-1
    )
    first = leader if hand.rules["refill_from"] == "leader" else winner
    if hand.rules["claim_window"] == "before_draw":
        return replace(hand, deciding=True, led=first, calls_over=False)
    return _draw(hand, first)


def _wins_led(hand: Hand, seat: int, cards: int, whole: int) -> bool:
    return (
        hand.rules["bura"] == "on_lead"
        and cards == whole
        and bool(shows(hand, seat, "bura", whole))
    )


def _lead(hand: Hand, seat: int, cards: int) -> Hand:
    whole = hand.hands[seat]
    hands = list(hand.hands)
    hands[seat] &= ~cards
    wins = _wins_led(hand, seat, cards, whole)
    over = hand.stopped >= 0 or hand.rules["stop_window"] == "before_lead"
    hand = replace(
        hand,
        hands=tuple(hands),
        table=((seat, cards, False),),
        claim=-1,
        trick=0,
        calls_over=over,
    )
    if wins:
        return _finish(replace(hand, turn=(seat + 1) % hand.rules.players), seat, "bura")
    return _next(hand)


def _next(hand: Hand) -> Hand:
    """The next seat answers, or the trick is complete."""
    laid = [seat for seat, _, _ in hand.table]
    for seat in _from(hand, hand.table[-1][0])[1:]:
        if seat not in laid and hand.hands[seat]:
            return replace(hand, turn=seat)
    return _taken(hand)


def result(hand: Hand) -> Over | None:
    return hand.over


def may_claim(hand: Hand) -> bool:
    if hand.deciding:
        return True
    if hand.rules["claim_window"] == "own_turn":
        seats = [hand.turn, hand.turn ^ 2] if hand.rules.pairs else [hand.turn]
        return any(hand.piles[s] or hand.sums[s] for s in seats)
    return not hand.table and hand.claim == hand.turn


def _leads(hand: Hand, seat: int) -> set[int]:
    rules = hand.rules
    mine = hand.hands[seat]
    sets = set()
    for size in range(1, mine.bit_count() + 1):
        if rules["lead_sizes"] == "one_or_three" and size not in (1, 3):
            continue
        for suit in SUIT_MASK:
            sets.update(subsets(mine & suit, size))
        if rules["rank_leads"] == "yes" and size in (2, 3):
            for rank in RANK_MASK.values():
                sets.update(subsets(mine & rank, size))
    for name in ("three_aces", "four_aces", "little_moskva"):
        sets.update(shows(hand, seat, name, mine))
    room = _room(hand, seat, hand.hands)
    return {cards for cards in sets if cards.bit_count() <= room}


def _room(hand: Hand, seat: int, hands: tuple[int, ...]) -> int:
    others = [h.bit_count() for s, h in enumerate(hands) if s != seat and h]
    return min(others, default=99)


def _best(hand: Hand) -> int:
    best = hand.table[0][1]
    for _, cards, closed in hand.table[1:]:
        if not closed and beats(hand, best, cards):
            best = cards
    return best


def moves(hand: Hand) -> list[str]:
    """The moves of the seat on turn, raises apart."""
    if hand.over is not None:
        return []
    found = ["claim"] if may_claim(hand) else []
    if hand.deciding:
        return [*found, "pass"]
    if not hand.table:
        return found + [cards_text(cards) for cards in _leads(hand, hand.turn)]
    size = hand.table[0][1].bit_count()
    best = _best(hand)
    for cards in subsets(hand.hands[hand.turn], size):
        if hand.held and hand.turn == hand.stopped:
            small, large = sorted((hand.held, cards), key=int.bit_count)
            if small & ~large:
                continue
        text = cards_text(cards)
        if not hand.rules.closed:
            found.append(text)
            continue
        found.append(f"({text})")
        if beats(hand, best, cards):
            found.append(text)
    return found


def calls(hand: Hand) -> list[tuple[int, str]]:
    """What other seats may call: out-of-turn leads and challenges."""
    rules = hand.rules
    if hand.over is not None:
        return []
    found: list[tuple[int, str]] = []
    late = rules["stop_window"] != "before_lead"
    if not hand.calls_over and not hand.deciding and bool(hand.table) == late:
        leader = hand.table[0][0] if hand.table else hand.turn
        hands = list(hand.hands)
        if hand.table:
            hands[leader] |= hand.table[0][1]
        bar = highest(hand, leader, hands[leader])
        for seat in _from(hand, leader)[1:]:
            room = _room(hand, seat, tuple(hands))
            sets: set[int] = set()
            for name in rules["precedence"].split(">")[:bar]:
                if rules[name] == "lead" or (name == "little_moskva" and rules[name] != "none"):
                    sets.update(shows(hand, seat, name, hands[seat]))
            found += [
                (seat, "stop:" + cards_text(cards))
                for cards in sets
                if cards.bit_count() <= min(room, hands[seat].bit_count())
            ]
    if hand.trick and not hand.table:
        down = {
            by for pile in hand.piles for card, by in pile if hand.trick >> card & 1 and by != -1
        }
        for seat in hand.playing:
            if seat in down:
                found.append((seat, "challenge" if rules.players == 2 else f"challenge:{seat}"))
    return found


def raises(hand: Hand) -> bool:
    """Whether the seat on turn may raise (there is no open offer here)."""
    rules = hand.rules
    if hand.over is not None or hand.deciding or not rules.two_sides:
        return False
    if hand.raiser >= 0 and hand.raiser % 2 == hand.turn % 2:
        return False
    return rules["raises"] == "dave" or (rules["raises"] == "ladder" and hand.stake < 6)


def apply(hand: Hand, move: str, seat: int | None = None) -> Hand:
    """The hand after a move; ``seat`` makes it if it is a call."""
    turn = hand.turn
    if move == "claim":
        return _claimed(hand)
    if move == "pass":
        first = hand.led if hand.led >= 0 else turn
        before = replace(hand, claim=-1, deciding=False)
        # After the draw only what was put off is looked at again.
        return _draw(before, first) if hand.led >= 0 else _trick(before)
    if move.startswith("challenge"):
        assert seat is not None
        trumps = sum(card // 9 == hand.trump for card in card_list(hand.trick))
        if trumps >= hand.rules.sizes[seat]:
            return _finish(hand, seat, "challenge")
        return _against(hand, seat, "false_challenge")
    if move.startswith("stop:"):
        assert seat is not None
        cards = cards_mask(move[5:])
        if hand.table:
            leader, lead, _ = hand.table[0]
            hands = list(hand.hands)
            hands[leader] |= lead
            stays = hand.rules["stop_window"] == "after_lead_stays"
            hand = replace(
                hand, hands=tuple(hands), table=(), stopped=leader, held=lead if stays else 0
            )
        return _lead(replace(hand, turn=seat), seat, cards)
    cards = cards_mask(move.strip("()"))
    if not hand.table:
        return _lead(hand, turn, cards)
    hands = list(hand.hands)
    hands[turn] &= ~cards
    hand = replace(
        hand,
        hands=tuple(hands),
        table=(*hand.table, (turn, cards, move.startswith("("))),
        calls_over=True,
        held=0 if turn == hand.stopped else hand.held,
    )
    return _next(hand)


def _claimed(hand: Hand) -> Hand:
    rules, turn = hand.rules, hand.turn
    ceiling = rules["claim_ceiling"]
    good = hand.count(turn) >= rules.target
    good = good and (ceiling == "none" or hand.count(turn) <= int(ceiling))
    if not rules.leaving:
        return _finish(hand, turn, "claim") if good else _against(hand, turn, "false_claim")
    piles, hands = list(hand.piles), list(hand.hands)
    sums = list(hand.sums)
    if hand.sums[turn]:
        sums[turn] += set_points(hands[turn])
    else:
        piles[turn] += tuple((card, -1) for card in card_list(hands[turn]))
    hands[turn] = 0
    first = hand.led
    undrawn = hand.deciding and rules["claim_window"] == "before_draw"
    hand = replace(
        hand,
        piles=tuple(piles),
        hands=tuple(hands),
        sums=tuple(sums),
        left=(*hand.left, turn) if good else hand.left,
        lost=hand.lost if good else tuple(sorted((*hand.lost, turn))),
        claim=-1,
        trick=0,
        deciding=False,
        calls_over=True,
        held=0 if turn == hand.stopped else hand.held,
    )
    if len(hand.playing) < 2:
        return _one_left(hand)
    if hand.table:
        laid = [seat for seat, _, _ in hand.table]
        for seat in _from(hand, turn)[1:]:
            if seat not in laid and hand.hands[seat]:
                return replace(hand, turn=seat)
        return _taken(hand)
    return _draw(hand, first) if undrawn else _trick(hand)


def foul(hand: Hand, seat: int) -> Hand:
    """The table reports a foul of ``seat``."""
    if hand.rules["foul"] == "match_pot":
        return _finish(hand, None, "foul", seat)
    return _against(hand, seat, "foul")


def perft(hand: Hand, depth: int) -> int:
    if depth == 0:
        return 1
    every: list[tuple[str, int | None]] = [(move, None) for move in moves(hand)]
    every += [(call, seat) for seat, call in calls(hand)]
    if depth == 1:
        return len(every)
    return sum(perft(apply(hand, move, seat), depth - 1) for move, seat in every)


# --- values by playing everything out ------------------------------------------------------


def canonical(hand: Hand, listed: list[str]) -> list[str]:
    """Moves in one order: ``claim``, ``pass``, open sets, face-down sets.

    Sets by size, and of one size by their cards as numbers, lowest first (spades before
    hearts, diamonds, clubs; six before ace).
    """

    def key(move: str) -> tuple[int, int, list[int]]:
        if move in ("claim", "pass"):
            return (0, 0 if move == "claim" else 1, [])
        cards = sorted(card_list(cards_mask(move.strip("()"))))
        return (2 if move.startswith("(") else 1, len(cards), cards)

    return sorted(listed, key=key)


def _worth(hand: Hand, seat: int) -> int:
    """What a finished hand is to a seat: 1 won, -1 lost, 0 neither."""
    assert hand.over is not None
    winner, _, losers, order = hand.over
    if seat in order:
        return 1
    if hand.rules.two_sides:
        return 0 if winner is None else 1 if winner % 2 == seat % 2 else -1
    if seat in losers:
        return -1
    return 0 if winner is None else 1 if winner == seat else -1


def _forced(hand: Hand) -> tuple[str, int | None] | None:
    """Who has the count when he may claim claims, always; who has not passes.

    In between the first seat after the one on turn that rightly challenges a closed trick does.
    """
    if "claim" in moves(hand) and _holds(hand):
        return "claim", None
    if not hand.table:
        order = _from(hand, hand.turn)[1:]
        seats = [seat for seat, call in calls(hand) if call.startswith("challenge")]
        for seat in sorted(seats, key=order.index):
            after = apply(hand, f"challenge:{seat}", seat)
            if after.over is not None and after.over[1] == "challenge":
                return f"challenge:{seat}", seat
    return ("pass", None) if hand.deciding else None


def _holds(hand: Hand) -> bool:
    after = apply(hand, "claim")
    won = after.over is not None and after.over[1] == "claim" and after.over[0] == hand.turn
    return won or hand.turn in after.left


def _plays(hand: Hand) -> list[str]:
    """The moves that are chosen among where nothing is forced, in canonical order."""
    return canonical(hand, [move for move in moves(hand) if move != "claim"])


def stops(hand: Hand) -> list[tuple[int, str]]:
    """Out-of-turn leads: the highest combination first, then from the leader on, then by number.

    With two players there is one caller, and the order does not matter.
    """
    found = [(seat, call) for seat, call in calls(hand) if call.startswith("stop:")]
    order = _from(hand, hand.table[0][0] if hand.table else hand.turn)
    names = hand.rules["precedence"].split(">")

    def rank(item: tuple[int, str]) -> tuple[int, int, int]:
        seat, call = item
        cards = cards_mask(call[5:])
        as_called = [
            place
            for place, name in enumerate(names)
            if name != "bura" and (name == "little_moskva" or hand.rules[name] == "lead")
            if cards in shows(hand, seat, name, cards)
        ]
        return min(as_called), order.index(seat), cards

    return sorted(found, key=rank)


@lru_cache(maxsize=100_000)
def guaranteed(hand: Hand, seat: int) -> int:
    """The least that ``seat`` (its pair) can make sure of against all others together.

    At the start of a trick (or after the lead, by the stop window) out-of-turn leads count: who
    may call first decides first, and calls if it serves his side better than what follows.
    """
    if hand.over is not None:
        return _worth(hand, seat)
    forced = _forced(hand)
    if forced is not None:
        return guaranteed(apply(hand, *forced), seat)
    friends = {seat, seat ^ 2} if hand.rules.pairs else {seat}
    values = [guaranteed(apply(hand, move), seat) for move in _plays(hand)]
    best = max(values) if hand.turn in friends else min(values)
    for caller, call in reversed(stops(hand)):
        value = guaranteed(apply(hand, call, caller), seat)
        best = max(best, value) if caller in friends else min(best, value)
    return best


def zero_sum(hand: Hand) -> int:
    """The outcome for the side of the seat on turn: two players, or pairs."""
    return guaranteed(hand, hand.turn)


@lru_cache(maxsize=100_000)
def expected(hand: Hand) -> tuple[int, ...]:
    """What every seat gets when each plays for himself: one number a seat.

    A seat chooses the move that is best for it; of equal ones the first in ``canonical``
    order.  Who may call first decides first, and calls only if that is worth more to him than
    what follows if he is silent.
    """
    if hand.over is not None:
        return tuple(_worth(hand, seat) for seat in range(hand.rules.players))
    forced = _forced(hand)
    if forced is not None:
        return expected(apply(hand, *forced))
    best: tuple[int, ...] | None = None
    for move in _plays(hand):
        found = expected(apply(hand, move))
        if best is None or found[hand.turn] > best[hand.turn]:
            best = found
    assert best is not None
    for caller, call in reversed(stops(hand)):
        found = expected(apply(hand, call, caller))
        if found[caller] > best[caller]:
            best = found
    return best


def sure(hand: Hand, seat: int) -> bool:
    """Whether ``seat`` knows from what it has seen that its claim holds."""
    rules = hand.rules
    side = [seat, seat ^ 2] if rules.pairs else [seat]
    shown = rules["open_hands"]
    unseen = [
        card
        for other, cards in enumerate(hand.hands)
        if other != seat and shown != "all" and str(other) not in shown.split("+")
        for card in card_list(cards)
    ]
    unseen += hand.talon[: len(hand.talon) - (hand.trump >= 0)]
    unseen += [card for pile in hand.piles for card, by in pile if by not in (-1, seat)]
    unseen += [
        card
        for who, cards, down in hand.table
        if down and who != seat
        for card in card_list(cards)
    ]
    closed = [card for s in side for card, by in hand.piles[s] if by not in (-1, seat)]
    values = sorted(VALUE[card] for card in unseen)
    known = hand.count(seat) - sum(VALUE[card] for card in closed)
    low = known + sum(values[: len(closed)])
    high = known + sum(values[len(values) - len(closed) :])
    ceiling = rules["claim_ceiling"]
    return low >= rules.target and (ceiling == "none" or high <= int(ceiling))


def _forced_by_sight(hand: Hand) -> tuple[str, int | None] | None:
    """`_forced` where claims and challenges are made on what was seen alone."""
    if "claim" in moves(hand) and sure(hand, hand.turn):
        return "claim", None
    if not hand.table:
        order = _from(hand, hand.turn)[1:]
        seats = [seat for seat, call in calls(hand) if call.startswith("challenge")]
        for seat in sorted(seats, key=order.index):
            hidden = {card for pile in hand.piles for card, by in pile if by not in (-1, seat)}
            trumps = [
                card
                for card in card_list(hand.trick)
                if card // 9 == hand.trump and card not in hidden
            ]
            if len(trumps) >= hand.rules.sizes[seat]:
                return f"challenge:{seat}", seat
    return ("pass", None) if hand.deciding else None


@lru_cache(maxsize=100_000)
def guaranteed_by_sight(hand: Hand, seat: int) -> int:
    """`guaranteed` where everybody claims when he knows it holds, and only then."""
    if hand.over is not None:
        return _worth(hand, seat)
    forced = _forced_by_sight(hand)
    if forced is not None:
        return guaranteed_by_sight(apply(hand, *forced), seat)
    friends = {seat, seat ^ 2} if hand.rules.pairs else {seat}
    values = [guaranteed_by_sight(apply(hand, move), seat) for move in _plays(hand)]
    best = max(values) if hand.turn in friends else min(values)
    for caller, call in reversed(stops(hand)):
        value = guaranteed_by_sight(apply(hand, call, caller), seat)
        best = max(best, value) if caller in friends else min(best, value)
    return best


def every_move(hand: Hand) -> list[tuple[str, int]]:
    """Each move of the seat on turn, and each call, with the seat that makes it."""
    mine = [(move, hand.turn) for move in canonical(hand, moves(hand))]
    return mine + [(call, seat) for seat, call in calls(hand)]


# --- points --------------------------------------------------------------------------------

_NOTHING_BUT_CARDS = {
    **dict.fromkeys(("bura", "three_aces", "four_aces", "little_moskva", "molodka"), "none"),
    "target": "999",
    "closed_challenge": "no",
    "claim_ceiling": "none",
}


def bare(hand: Hand) -> Hand:
    """The same hand, played for the points of the piles alone: no claims, no combinations."""
    rules = Rules(hand.rules.text, {**hand.rules.values, **_NOTHING_BUT_CARDS})
    hand = replace(
        hand,
        rules=rules,
        handicap=(0,) * rules.players,
        trick=0,
        over=None,
        stopped=-1 if not hand.table else hand.stopped,
    )
    if hand.deciding:
        return apply(hand, "pass")
    return hand if hand.table else _trick(hand)


def difference(hand: Hand, seat: int) -> int:
    """Own points (a pair's) less all others'."""
    friends = {seat, seat ^ 2} if hand.rules.pairs else {seat}
    return sum(
        hand.points(s) if s in friends else -hand.points(s) for s in range(hand.rules.players)
    )


@lru_cache(maxsize=100_000)
def points_guaranteed(hand: Hand, seat: int) -> int:
    """The difference in points that ``seat`` can make sure of in a ``bare`` hand."""
    if hand.over is not None:
        return difference(hand, seat)
    if hand.deciding:
        return points_guaranteed(apply(hand, "pass"), seat)
    friends = {seat, seat ^ 2} if hand.rules.pairs else {seat}
    values = [points_guaranteed(apply(hand, move), seat) for move in _plays(hand)]
    return max(values) if hand.turn in friends else min(values)


@lru_cache(maxsize=100_000)
def points_expected(hand: Hand) -> tuple[int, ...]:
    """The differences in points of a ``bare`` hand in which each plays for himself."""
    if hand.over is not None:
        return tuple(difference(hand, seat) for seat in range(hand.rules.players))
    if hand.deciding:
        return points_expected(apply(hand, "pass"))
    best: tuple[int, ...] | None = None
    for move in _plays(hand):
        found = points_expected(apply(hand, move))
        if best is None or found[hand.turn] > best[hand.turn]:
            best = found
    assert best is not None
    return best


# --- random deals --------------------------------------------------------------------------


def deal(rng: random.Random, text: str, *, plant: float = 0.0) -> str:
    """The line of a random deal; with the chance ``plant`` one suit fills some hands."""
    rules = rules_of(text)
    cards = card_list(deck_mask(rules.deck))
    rng.shuffle(cards)
    if rng.random() < plant:
        # Combinations gather in front, where the hands are dealt from.
        by_suit = rng.random() < 0.5
        front = sorted(
            cards[:18],
            key=lambda card: (card // 9 if by_suit else -(card % 9), rng.random()),
        )
        cards[: len(front)] = front
    trump = "-" if rules["trumps"] == "no" else NAMES[cards[-1]][1]
    hands = []
    at = 0
    for size in rules.sizes:
        hands.append("".join(NAMES[card] for card in cards[at : at + size]))
        at += size
    talon = "".join(NAMES[card] for card in cards[at:]) or "-"
    piles = "/".join("-" for _ in hands)
    return f"{text} {trump} {'/'.join(hands)} {talon} {piles} {rng.randrange(rules.players)} -"


def facts(hand: Hand) -> dict[str, object]:
    """What is to be the same in the core."""
    return {
        "hands": hand.hands,
        "talon": hand.talon,
        "points": tuple(hand.points(seat) for seat in range(hand.rules.players)),
        "result": hand.over,
        "turn": None if hand.over else hand.turn,
        "moves": sorted(moves(hand)),
        "calls": sorted(calls(hand)),
        "claim": hand.claim if hand.over is None and hand.claim >= 0 else None,
        "table": None if hand.over else [(seat, cards, down) for seat, cards, down in hand.table],
        "raises": raises(hand),
    }


# --- what a seat has seen ------------------------------------------------------------------


def hidden_places(line: str, seat: int) -> tuple[int, int]:
    """Of a complete line: how many cards ``seat`` cannot place, and how many worlds there are.

    It has seen its own hand, open hands, all face-up cards, the turned trump and what it has
    itself discarded face down.
    """
    hand = load(line)
    rules = hand.rules
    shown = rules["open_hands"]
    open_seats = (
        range(rules.players)
        if shown == "all"
        else [int(s) for s in shown.split("+") if s != "none"]
    )
    sizes = [
        cards.bit_count()
        for s, cards in enumerate(hand.hands)
        if s != seat and s not in open_seats
    ]
    face_up = (-1, seat, *open_seats)  # what is laid from an open hand everybody has seen
    sizes += [sum(by not in face_up for _, by in pile) for pile in hand.piles]
    sizes += [cards.bit_count() for who, cards, down in hand.table if down and who not in face_up]
    talon = len(hand.talon) - (1 if hand.talon and rules["trumps"] == "yes" else 0)
    total = left = sum(sizes) + talon
    ways = 1
    for size in sizes:
        ways *= comb(left, size)
        left -= size
    return total, ways * factorial(talon)
