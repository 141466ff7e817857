"""The value of a small ending with hidden cards by a linear program, from plain Python rules.

The oracle of ``bura_core.equilibrium``: every joint deal is played out move by move with
``reference_seats``, information sets are keys made of what a player has seen, and the game goes
into sequence form (Koller, Megiddo and von Stengel, 1996) for SciPy's HiGHS.  Nothing here is
shared with ``bura_core``.

``value`` takes the line of an ending with all cards known, of which only what both players have
seen is used, and gives what the ending is worth to seat 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import NamedTuple

import reference_seats as rules_of_play
from reference import card_list, cards_mask, cards_text, subsets
from reference_seats import Hand

LADDER_TOP, DAVE_TOP = 6, 1024
Key = tuple[object, ...]


class Offer(NamedTuple):
    stake: int
    by: int
    first: int  # whose turn the first of these offers interrupted


class Spot(NamedTuple):
    """A decision: who, what he may do, what is public when he does it, and what follows.

    An action is (what the other sees, what it is).
    """

    seat: int
    actions: list[tuple[Key, Callable[[], object]]]
    private: Key


def joint_deals(line: str) -> Iterator[str]:
    """Every complete line that both players together hold possible."""
    name, trump, hands, talon, piles, *rest = line.split()
    rules = rules_of_play.rules_of(name)
    shown = rules["open_hands"]
    open_seats = {0, 1} if shown == "all" else {int(s) for s in shown.split("+") if s != "none"}
    held = [cards_mask("" if hand == "-" else hand) for hand in hands.split("/")]
    fixed = [held[seat] if seat in open_seats else 0 for seat in (0, 1)]
    laid = [[], []]  # texts of what lies openly in the piles
    down = [0, 0]
    for seat, pile in enumerate(piles.split("/")):
        text = "" if pile == "-" else pile
        while text:
            if text[0] == "(":
                inside, _, text = text[1:].partition(")")
                down[seat] |= cards_mask(inside)
            else:
                laid[seat].append(text[:2])
                text = text[2:]
    drawn = [talon[at : at + 2] for at in range(0, len(talon), 2)] if talon != "-" else []
    bottom = drawn.pop() if drawn and trump != "-" else ""
    pool = (held[0] & ~fixed[0]) | (held[1] & ~fixed[1]) | down[0] | down[1]
    pool |= cards_mask("".join(drawn))
    sizes = [(held[seat] & ~fixed[seat]).bit_count() for seat in (0, 1)]
    for first in subsets(pool, sizes[0]):
        for second in subsets(pool & ~first, sizes[1]):
            left = pool & ~first & ~second
            for below in subsets(left, down[0].bit_count()):
                for under in subsets(left & ~below, down[1].bit_count()):
                    cards = card_list(left & ~below & ~under)
                    for order in permutations(cards):
                        stock = "".join(cards_text(1 << card) for card in order) + bottom
                        written = [
                            "".join(laid[seat]) + (f"({cards_text(hidden)})" if hidden else "")
                            for seat, hidden in ((0, below), (1, under))
                        ]
                        yield " ".join(
                            (
                                name,
                                trump,
                                "/".join(
                                    cards_text(new | fixed[seat]) or "-"
                                    for seat, new in ((0, first), (1, second))
                                ),
                                stock or "-",
                                "/".join(text or "-" for text in written),
                                *rest,
                            )
                        )


@dataclass
class Tree:
    """Walks all joint deals and collects the sequence form."""

    pay: Callable[[int, int | None, str], float]
    raises: int = 99
    sets: list[dict[Key, tuple[int, list[int]]]] = field(default_factory=lambda: [{}, {}])
    parent: list[list[int]] = field(default_factory=lambda: [[], []])  # set -> sequence
    sequences: list[int] = field(default_factory=lambda: [1, 1])  # number 0 is the empty one
    payoff: dict[tuple[int, int], float] = field(default_factory=dict)
    nodes: int = 0

    def add(self, deal: str, weight: float, caller: int | None) -> bool:
        hand = rules_of_play.load(deal)
        said = dict(option.split("=") for option in deal.split()[7:])
        if hand.over is not None:
            return False
        offer = None
        turn = hand.turn
        if "offer" in said:
            offer = Offer(int(said["offer"]), hand.raiser, turn)
        self.open = hand.rules["open_hands"]
        self.bids = 0
        if caller is not None and hand.deciding:
            return False
        known = [self._start(hand, seat) for seat in (0, 1)]
        if caller is not None:
            self._call(hand, (), known, (0, 0), weight, 0)
        elif offer is not None:
            self._offered(hand, offer, (), known, (0, 0), weight, 0)
        else:
            self._go(hand, (), known, (0, 0), weight, 0)
        return True

    @staticmethod
    def _start(hand: Hand, seat: int) -> Key:
        down = sorted(card for card, by in hand.piles[1 - seat] if by == seat)
        return (hand.hands[seat], tuple(down))

    def _open(self, seat: int) -> bool:
        return self.open == "all" or str(seat) in self.open.split("+")

    # --- the course of the game ---------------------------------------------------------

    def _end(self, hand: Hand, at: tuple[int, int], weight: float) -> None:
        assert hand.over is not None
        self._pay(self.pay(hand.stake, hand.over[0], hand.over[1]), at, weight)

    def _pay(self, amount: float, at: tuple[int, int], weight: float) -> None:
        self.payoff[at] = self.payoff.get(at, 0.0) + weight * amount

    def _choose(
        self,
        seat: int,
        public: Key,
        known: list[Key],
        at: tuple[int, int],
        actions: list[tuple[str, Callable[[tuple[int, int]], None]]],
    ) -> None:
        """One decision: its information set, and every action with the sequence it adds."""
        self.nodes += 1
        key = (public, known[seat])
        found = self.sets[seat].get(key)
        if found is None:
            first = self.sequences[seat]
            self.sequences[seat] += len(actions)
            found = len(self.parent[seat]), list(range(first, first + len(actions)))
            self.sets[seat][key] = found
            self.parent[seat].append(at[seat])
        number, numbers = found
        assert self.parent[seat][number] == at[seat], "perfect recall"
        assert len(numbers) == len(actions)
        for sequence, (_, follow) in zip(numbers, actions, strict=True):
            follow((sequence, at[1]) if seat == 0 else (at[0], sequence))

    def _drawn(self, before: Hand, after: Hand, known: list[Key], spent: list[int]) -> list[Key]:
        """What each has seen after a move: the cards he has drawn are his to know."""
        new = list(known)
        for seat in (0, 1):
            got = after.hands[seat] & ~(before.hands[seat] & ~spent[seat])
            if got:
                new[seat] = (*new[seat], got)
        return new

    def _seen_draws(self, before: Hand, after: Hand, spent: list[int]) -> Key:
        """Cards drawn to an open hand."""
        return tuple(
            after.hands[seat] & ~(before.hands[seat] & ~spent[seat]) if self._open(seat) else 0
            for seat in (0, 1)
        )

    def _go(
        self, hand: Hand, public: Key, known: list[Key], at: tuple[int, int], w: float, bids: int
    ) -> None:
        """The seat on turn is to act, and no offer is open."""
        seat = hand.turn
        if hand.over is not None:
            self._end(hand, at, w)
            return
        if hand.table:
            self._answer(hand, public, known, at, w, bids)
            return
        only_claim = hand.deciding and (not hand.hands[seat] or hand.led >= 0)
        if only_claim:
            passed = rules_of_play.apply(hand, "pass")

            def go_on(at: tuple[int, int]) -> None:
                now = self._drawn(hand, passed, known, [0, 0])
                seen = self._seen_draws(hand, passed, [0, 0])
                self._go(passed, (*public, "pass", seen), now, at, w, bids)

            self._choose(
                seat,
                (*public, "?pass"),
                known,
                at,
                [
                    ("claim", lambda at: self._end(rules_of_play.apply(hand, "claim"), at, w)),
                    ("pass", go_on),
                ],
            )
            return
        if rules_of_play.may_claim(hand) and hand.rules["claim_window"] != "own_turn":
            # Whoever may claim decides before anything is shown.
            self._choose(
                seat,
                (*public, "?claim"),
                known,
                at,
                [
                    ("claim", lambda at: self._end(rules_of_play.apply(hand, "claim"), at, w)),
                    ("on", lambda at: self._shown(hand, public, known, at, w, bids)),
                ],
            )
            return
        self._menu(hand, public, known, at, w, bids)

    def _shown(
        self, hand: Hand, public: Key, known: list[Key], at: tuple[int, int], w: float, bids: int
    ) -> None:
        if hand.deciding:
            self._end(rules_of_play.apply(hand, "pass"), at, w)
        else:
            self._menu(hand, (*public, "on"), known, at, w, bids, claim=False)

    def _stake_after(self, hand: Hand, stake: int) -> int:
        if hand.rules["raises"] == "dave":
            return stake * 2 if stake * 2 <= DAVE_TOP else 0
        if hand.rules["raises"] == "ladder":
            return stake + 1 if stake < LADDER_TOP else 0
        return 0

    def _may_raise(self, hand: Hand, bids: int) -> bool:
        return (
            bids < self.raises
            and rules_of_play.raises(hand)
            and self._stake_after(hand, hand.stake) != 0
        )

    def _raise(
        self, hand: Hand, public: Key, known: list[Key], w: float, bids: int
    ) -> Callable[[tuple[int, int]], None]:
        seat = hand.turn
        offer = Offer(self._stake_after(hand, hand.stake), seat, seat)
        return lambda at: self._offered(hand, offer, (*public, "raise"), known, at, w, bids + 1)

    def _offered(
        self,
        hand: Hand,
        offer: Offer,
        public: Key,
        known: list[Key],
        at: tuple[int, int],
        w: float,
        bids: int,
    ) -> None:
        seat = 1 - offer.by

        def accept(at: tuple[int, int]) -> None:
            agreed = replace(hand, stake=offer.stake, raiser=offer.by)
            self._agreed(agreed, (*public, "accept"), known, at, w, bids)

        def fold(at: tuple[int, int]) -> None:
            self._pay(self.pay(hand.stake, offer.by, "fold"), at, w)

        actions = [("accept", accept), ("fold", fold)]
        higher = self._stake_after(hand, offer.stake)
        if hand.rules["raises"] == "ladder" and higher and bids < self.raises:
            again = Offer(higher, seat, offer.first)
            actions.append(
                (
                    "raise",
                    lambda at: self._offered(
                        replace(hand, stake=offer.stake),
                        again,
                        (*public, "raise"),
                        known,
                        at,
                        w,
                        bids + 1,
                    ),
                )
            )
        self._choose(seat, (*public, "?offer"), known, at, actions)

    def _agreed(
        self, hand: Hand, public: Key, known: list[Key], at: tuple[int, int], w: float, bids: int
    ) -> None:
        if hand.table:
            self._answer(hand, public, known, at, w, bids)
        else:
            self._menu(hand, public, known, at, w, bids)

    def _menu(
        self,
        hand: Hand,
        public: Key,
        known: list[Key],
        at: tuple[int, int],
        w: float,
        bids: int,
        claim: bool = True,
    ) -> None:
        """Claim, raise, or go on to lead."""
        seat = hand.turn
        actions: list[tuple[str, Callable[[tuple[int, int]], None]]] = []
        if claim and rules_of_play.may_claim(hand):
            actions.append(
                ("claim", lambda at: self._end(rules_of_play.apply(hand, "claim"), at, w))
            )
        if self._may_raise(hand, bids):
            actions.append(("raise", self._raise(hand, public, known, w, bids)))
        actions.append(("on", lambda at: self._call(hand, (*public, "lead"), known, at, w, bids)))
        self._choose(seat, (*public, "?menu"), known, at, actions)

    def _tries(self, hand: Hand, seat: int) -> list[int]:
        """What a seat may call as far as its own hand tells."""
        own = hand.hands[seat]
        room = min(h.bit_count() for h in hand.hands)
        found: set[int] = set()
        for name in hand.rules["precedence"].split(">"):
            if hand.rules[name] == "lead" or (
                name == "little_moskva" and hand.rules[name] != "none"
            ):
                found.update(rules_of_play.shows(hand, seat, name, own))
        return sorted(cards for cards in found if cards.bit_count() <= room)

    def _call(
        self, hand: Hand, public: Key, known: list[Key], at: tuple[int, int], w: float, bids: int
    ) -> None:
        """The other seat may call a combination before the lead."""
        caller = 1 - hand.turn
        tries = self._tries(hand, caller)

        def lead(at: tuple[int, int], public: Key) -> None:
            self._lead(hand, public, known, at, w, bids)

        if not tries:
            lead(at, (*public, "no call"))
            return
        legal = {text for _, text in rules_of_play.calls(hand) if text.startswith("stop:")}

        def call(cards: int) -> Callable[[tuple[int, int]], None]:
            text = "stop:" + cards_text(cards)

            def follow(at: tuple[int, int]) -> None:
                if text in legal:
                    after = rules_of_play.apply(hand, text, caller)
                    self._go(after, (*public, text), known, at, w, bids)
                else:
                    lead(at, (*public, text, "void"))

            return follow

        actions = [("no call", lambda at: lead(at, (*public, "no call")))]
        actions += [(cards_text(cards), call(cards)) for cards in tries]
        self._choose(caller, (*public, "?call"), known, at, actions)

    def _lead(
        self, hand: Hand, public: Key, known: list[Key], at: tuple[int, int], w: float, bids: int
    ) -> None:
        seat = hand.turn
        sets = [move for move in rules_of_play.moves(hand) if move != "claim"]

        def play(move: str) -> Callable[[tuple[int, int]], None]:
            def follow(at: tuple[int, int]) -> None:
                after = rules_of_play.apply(hand, move)
                spent = [0, 0]
                spent[seat] = cards_mask(move)
                now = self._drawn(hand, after, known, spent)
                seen = self._seen_draws(hand, after, spent)
                self._go(after, (*public, move, seen), now, at, w, bids)

            return follow

        self._choose(
            seat, (*public, "?lead"), known, at, [(move, play(move)) for move in sorted(sets)]
        )

    def _answer(
        self, hand: Hand, public: Key, known: list[Key], at: tuple[int, int], w: float, bids: int
    ) -> None:
        seat = hand.turn
        actions: list[tuple[str, Callable[[tuple[int, int]], None]]] = []

        def play(move: str) -> Callable[[tuple[int, int]], None]:
            def follow(at: tuple[int, int]) -> None:
                after = rules_of_play.apply(hand, move)
                cards = cards_mask(move.strip("()"))
                spent = [0, 0]
                spent[seat] = cards
                closed = move.startswith("(")
                now = list(known)
                if closed:
                    now[seat] = (*now[seat], "down", cards)
                now = self._drawn(hand, after, now, spent)
                seen: object = move
                if closed and not self._open(seat):
                    seen = ("down", cards.bit_count())
                draws = self._seen_draws(hand, after, spent)
                self._go(after, (*public, seen, draws), now, at, w, bids)

            return follow

        for move in sorted(rules_of_play.moves(hand)):
            if move == "claim":
                actions.append(
                    ("claim", lambda at: self._end(rules_of_play.apply(hand, "claim"), at, w))
                )
            else:
                actions.append((move, play(move)))
        if self._may_raise(hand, bids):
            actions.append(("raise", self._raise(hand, public, known, w, bids)))
        self._choose(seat, (*public, "?answer"), known, at, actions)

    # --- the linear program -------------------------------------------------------------

    def solve(self) -> float:
        """The value to seat 0: the larger of what it can be sure of."""
        import numpy as np
        from scipy.optimize import linprog
        from scipy.sparse import coo_array

        n, m = self.sequences
        # Maximize the worth of the other's empty sequence: variables are the plan of seat 0,
        # then what each set of seat 1 is worth, then the whole.
        sets = len(self.parent[1])
        worth = n + sets
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []

        def put(row: int, column: int, value: float) -> None:
            rows.append(row)
            columns.append(column)
            values.append(value)

        put(0, worth, 1.0)
        for number, (at, own) in enumerate(self._sets_of(1)):
            for sequence in own:
                put(sequence, n + number, 1.0)
            put(at, n + number, -1.0)
        for (mine, his), amount in self.payoff.items():
            put(his, mine, -amount)
        upper = coo_array((values, (rows, columns)), shape=(m, worth + 1)).tocsr()
        rows, columns, values = [], [], []
        put(0, 0, 1.0)
        for number, (at, own) in enumerate(self._sets_of(0)):
            put(number + 1, at, -1.0)
            for sequence in own:
                put(number + 1, sequence, 1.0)
        equal = coo_array(
            (values, (rows, columns)), shape=(len(self.parent[0]) + 1, worth + 1)
        ).tocsr()
        right = np.zeros(len(self.parent[0]) + 1)
        right[0] = 1.0
        cost = np.zeros(worth + 1)
        cost[worth] = -1.0
        bounds = [(0, None)] * n + [(None, None)] * (sets + 1)
        found = linprog(
            cost, A_ub=upper, b_ub=np.zeros(m), A_eq=equal, b_eq=right, bounds=bounds,
            method="highs",
        )  # fmt: skip
        assert found.status == 0, found.message
        return -float(found.fun)

    def _sets_of(self, seat: int) -> list[tuple[int, list[int]]]:
        return [(self.parent[seat][number], own) for number, own in self.sets[seat].values()]


def stakes(line: str) -> Callable[[int, int | None, str], float]:
    counts = int(rules_of_play.rules_of(line.split()[0])["bura_counts"])

    def pay(stake: int, winner: int | None, reason: str) -> float:
        size = stake * (counts if reason == "bura" else 1)
        return 0.0 if winner is None else float(size if winner == 0 else -size)

    return pay


def value(
    line: str,
    *,
    caller: int | None = None,
    raises: int = 99,
    weight: Callable[[str], float] | None = None,
    pay: Callable[[int, int | None, str], float] | None = None,
) -> tuple[float, Tree]:
    """What the public ending of a line is worth to seat 0, and its tree.

    ``caller`` is a seat that is asked for a call before the other leads; ``raises`` how many
    more raises there are; ``weight`` weighs the joint deals.
    """
    tree = Tree(pay or stakes(line), raises)
    total = 0.0
    for deal in joint_deals(line):
        chance = 1.0 if weight is None else weight(deal)
        if chance and tree.add(deal, chance, caller):
            total += chance
    tree.payoff = {at: amount / total for at, amount in tree.payoff.items()}
    return tree.solve(), tree
