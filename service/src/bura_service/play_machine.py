"""The machine's side of `bura play`: what it does, from its own view of the hand alone.

Cards are played by `bura_core.recommend`, or, under rules whose worlds cannot be solved, by
playing them out by a rule of thumb. Raises follow one simple rule each (docs/matches.md):
they are decided by the mean over worlds that look alike to the machine, never world by world.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from bura_core import (
    InputError,
    Move,
    Position,
    RuleSet,
    Solver,
    UnsupportedError,
    View,
    Worlds,
    recommend,
    worlds,
)
from bura_core.match import break_even

RAISE_FROM = Fraction(3, 4)
"""The least chance to win the hand with which it offers a raise."""
RERAISE_FROM = Fraction(17, 20)
"""The same for raising what the other has offered."""
MARGIN = Fraction(1, 20)
"""What the chance has to exceed break-even by: who raises has seen his cards."""
_ANSWER_WORLDS = 100
_PLAYED_OUT = 40
"""The most worlds that are played out for a move."""
_POINTS = (0, 0, 0, 0, 2, 3, 4, 10, 11)


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a raise is about: all of it public.

    Attributes:
        rules: the rule set.
        allowed: whether raises are allowed in this hand.
        own: points of the match of who decides, other: of the other side; 0:0 without a match.
        stake: in force now.
        no_raise_hand_played: whether that hand of the match is over.
    """

    rules: RuleSet
    allowed: bool
    own: int
    other: int
    stake: int
    no_raise_hand_played: bool

    @property
    def score(self) -> tuple[int, int] | None:
        """The match so far, own points first; None where it is not played to points."""
        return (self.own, self.other) if self.rules.scoring == "points_match" else None

    def wins_the_match(self, stake: int) -> bool:
        """Whether winning this hand at the stake would end the match: more is worth nothing."""
        return self.rules.scoring == "points_match" and self.own + stake >= self.rules.match_to

    def least_chance(self, offered: int) -> Fraction:
        """The least chance to win the hand with which a raise is better taken than refused."""
        if self.rules.scoring != "points_match":
            return break_even(self.rules, 0, 0, self.stake, offered)
        return break_even(
            self.rules,
            self.own,
            self.other,
            self.stake,
            offered,
            no_raise_hand_played=self.no_raise_hand_played,
        )


@dataclass(slots=True)
class Machine:
    """Decides for one seat; it is shown a `View` of that seat and public things only.

    Attributes:
        max_worlds: most worlds it looks at for a move.
        max_nodes: most positions it visits for a move.
        seed: of the sampling of worlds; equal views get equal answers.
    """

    max_worlds: int = 200
    max_nodes: int = 2_000_000
    seed: int = 0
    solver: Solver = field(default_factory=lambda: Solver(table_mb=8))

    def choose(self, view: View, options: list[Move], stakes: Stakes) -> Move:
        """What the view's seat does when it is to act or may call.

        `options` are the moves and calls the seat has by what it knows, raise apart.
        """
        best, chance = self.best(view, options)
        may = stakes.allowed and best.kind in ("play", "discard")
        if may and chance >= RAISE_FROM and not stakes.wins_the_match(stakes.stake):
            return Move("raise")
        return best

    def best(self, view: View, options: list[Move]) -> tuple[Move, float]:
        """The best of the options and the chance to win the hand with it."""
        return self.ranked(view, options)[0]

    def ranked(self, view: View, options: list[Move]) -> list[tuple[Move, float]]:
        """The options with the chance to win the hand with each, best first; raise apart."""
        if len(options) == 1 and options[0].kind not in ("play", "discard"):
            return [(options[0], 0.0)]
        try:
            advice = recommend(
                view,
                max_worlds=self.max_worlds,
                max_nodes=self.max_nodes,
                seed=self.seed,
                solvers=[self.solver],
            )
        except (UnsupportedError, InputError):
            # Or, of a few worlds only: in each the other has a bura to show, and nothing is left.
            sample = worlds(view, min(self.max_worlds, _PLAYED_OUT), self.seed)
            return _played_out(sample, view.seat, options, self.seed)
        # A draw is worth half a win.
        values = [(move.move, (move.value + 1) / 2) for move in advice.moves]
        return [value for value in values if value[0] in options] or values

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """`accept`, `fold` or `raise` to the other's raise; draws count as half a win."""
        chance = self.chance(view)
        if can_raise and chance >= RERAISE_FROM and not stakes.wins_the_match(offered):
            return Move("raise")
        least = stakes.least_chance(offered)
        # Where a fold loses as much as the hand can, there is nothing to be careful about.
        return Move("accept" if least <= 0 or chance >= least + MARGIN else "fold")

    def chance(self, view: View) -> float:
        """The chance to win the hand as it stands: the mean over worlds, claims as seen.

        Worlds that are too large for their share of nodes count as even.
        """
        # What was offered does not change who wins.
        text = replace(view.text, offer=None, raiser=None, stake=1)
        sample = worlds(View(text, view.seat), min(self.max_worlds, _ANSWER_WORLDS), self.seed)
        share = max(1, self.max_nodes // len(sample))
        total = Fraction(0)
        for world in sample:
            total += self._value(world, view.seat, share)
        return float((total / len(sample) + 1) / 2)

    def _value(self, world: Position, seat: int, nodes: int) -> Fraction:
        if world.result is not None:
            return Fraction(_worth(world, seat))
        try:
            found = self.solver.solve(
                world, moves=False, line=False, max_nodes=nodes, seen_claims=True
            )
        except UnsupportedError:
            return Fraction(_to_the_end(world, seat, random.Random(self.seed)))
        mean = Fraction(found.lower + found.upper, 2)
        return mean if world.turn == seat else -mean


# ---- where worlds cannot be solved: a rule of thumb


def legal_in_some_world(sample: Iterable[Position], seat: int) -> list[Move]:
    """What a seat may do, by its own view: its moves, or its calls and `pass`.

    A call counts that holds in one of the worlds, and moves as they are in the world in which
    there are most of them, for in one where the other has a bura to show there are none.
    """
    moves: list[Move] = []
    calls: list[Move] = []
    turn = False
    for world in sample:
        turn = turn or world.turn == seat
        if world.result is None and world.turn == seat:
            own = world.legal_moves()
            if len(own) > len(moves) or not moves:
                moves = own
        for who, call in world.calls():
            if who == seat and call.kind == "stop" and call not in calls:
                calls.append(call)
    if turn:
        return moves + calls
    return [*calls, Move("pass")] if calls else []


def _played_out(
    sample: Worlds, seat: int, options: list[Move], seed: int
) -> list[tuple[Move, float]]:
    """The options with the share of worlds that are won when all play on by the rule of thumb."""
    values = []
    for option in options:
        total = 0
        for number, world in enumerate(sample):
            rng = random.Random(f"{seed} {number}")
            after = world.copy()
            legal = [*after.legal_moves(), *(call for who, call in after.calls() if who == seat)]
            if option in legal:
                after.play(option)
            elif option.kind != "pass":
                continue  # in this world it is void: no better, no worse
            total += _to_the_end(after, seat, rng)
        values.append((option, (total / len(sample) + 1) / 2))
    return sorted(values, key=lambda value: -value[1])  # stable: the first of equals stays first


def _to_the_end(position: Position, seat: int, rng: random.Random) -> int:
    """1, 0 or -1 for a seat when all play by the rule of thumb from here."""
    position = position.copy()
    while position.result is None:
        position.play(_rule_of_thumb(position, rng))
    return _worth(position, seat)


def _worth(position: Position, seat: int) -> int:
    result = position.result
    assert result is not None
    return 0 if result.winner is None else 1 if result.winner == seat else -1


def _rule_of_thumb(position: Position, rng: random.Random) -> Move:
    """Claim what counts, beat as cheaply as can be, else give up as little; lead anything."""
    moves = position.legal_moves()
    if not moves:  # an open raise
        return Move("accept")
    if moves[0].kind == "claim":
        rules, turn = position.rules, position.turn
        count = position.points[turn] + position.handicap[turn]
        if count >= rules.target and count <= (rules.claim_ceiling or count):
            return moves[0]
        moves = moves[1:]
    if moves[0].kind == "pass":
        return moves[0]
    if not position.table:
        return rng.choice(moves)
    trump = position.trump

    def price(move: Move) -> tuple[int, int, int]:
        cards = [card for card in range(36) if move.cards >> card & 1]
        points = sum(_POINTS[card % 9] for card in cards)
        trumps = sum(card // 9 == trump for card in cards)
        beats = move.kind == "play" and position.rules.discards == "closed"
        # Points of a beating set come back with the trick.
        return (0 if beats else 1, trumps if beats else points, sum(card % 9 for card in cards))

    return min(moves, key=price)
