"""What questions are expected to cost: a rule of thumb for each kind, corrected by experience."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from bura_core import RuleSet

__all__ = [
    "SMALL",
    "TINY",
    "Costs",
    "Work",
    "nodes_at_a_table",
    "nodes_to_settle",
    "nodes_to_solve",
    "seconds_of",
]

SMALL = 0.004
"""Seconds up to which a search is a small one."""

TINY = 300
"""Positions up to which a search is over before another thread would have begun it."""

# Nodes that one thread visits in a second, at least.
_NODES_A_SECOND = 2e6
_NODES_OF_SEATS_A_SECOND = 5e5

# No search is expected to visit more than ten to this many.
_MOST_MAGNITUDE = 15.0

# Decimal places by which a search grows with each card of the talon, by cards in a hand; measured
# over random deals from the talon's end to its beginning.
_GROWTH = {1: 0.03, 2: 0.05, 3: 0.065, 4: 0.15, 5: 0.21}
_GROWTH_BEYOND = 0.3
_NODES_OF_ENDING = 100

# How much the newest case counts, and how many kinds are remembered.
_WEIGHT = 0.1
_MOST_KINDS = 10_000


@dataclass(frozen=True, slots=True)
class Work:
    """How much a question asks for.

    Attributes:
        kind: what it costs as much as; anything hashable.
        prior: seconds of a thread for each unit, before there is experience.
        units: how many.
        most: seconds it can take at most, by its own limits.
    """

    kind: Hashable
    prior: float
    units: int = 1
    most: float | None = None


def nodes_to_solve(hand: int, talon: int) -> float:
    """Nodes of a whole search from so many cards in a hand and in the talon: the magnitude."""
    growth = _GROWTH.get(hand, _GROWTH_BEYOND)
    return float(_NODES_OF_ENDING * 10 ** (growth * talon))


def nodes_to_settle(deals: int, hand: int, raises: bool) -> float:
    """Nodes that an equilibrium over so many joint deals costs, by cards in a hand: the magnitude.

    With raises the tree is larger: each comes up at every turn.
    """
    return float(4 ** min(hand, 6) * deals * (8 if raises else 1))


def nodes_at_a_table(rules: RuleSet, hand: int, talon: int) -> float:
    """The same for more than two seats, all moves' values included.

    Between what random hands played on to their ends cost, where much is decided, and hands whose
    piles are empty, which cost ten times as much.
    """
    cards = hand * rules.players
    if rules.pairs:
        magnitude = 0.17 * cards - 1.0 + 0.25 * talon
    else:
        magnitude = 0.26 * cards - 0.6 + (0.08 * rules.players - 0.08) * talon
    return float(10 ** min(max(magnitude, 0.0), _MOST_MAGNITUDE))


def seconds_of(nodes: float, players: int = 2) -> float:
    """How long a search of so many nodes takes, about."""
    return nodes / (_NODES_A_SECOND if players == 2 else _NODES_OF_SEATS_A_SECOND)


class Costs:
    """Expected seconds and positions by kind of work, learned from what searches have taken."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[float, float | None]] = OrderedDict()

    def estimate(self, work: Work) -> float:
        """Seconds of a thread that `work` is expected to take."""
        seconds, _ = self._known.get(work.kind, (work.prior, None))
        seconds *= work.units
        return seconds if work.most is None else min(seconds, work.most)

    def is_tiny(self, work: Work) -> bool:
        """Whether searches of this kind have mostly visited far fewer than TINY positions."""
        _, nodes = self._known.get(work.kind, (0.0, None))
        return nodes is not None and nodes <= TINY / 2

    def learn(self, work: Work, seconds: float, nodes: int | None = None) -> None:
        """Takes into account that `work` took so long, and visited so many positions."""
        known, visited = self._known.get(work.kind, (work.prior, None))
        known += _WEIGHT * (seconds / work.units - known)
        if nodes is not None:
            # Positions are no guess to begin with: the first count is as good as any.
            visited = nodes if visited is None else visited + _WEIGHT * (nodes - visited)
        self._known[work.kind] = known, visited
        self._known.move_to_end(work.kind)
        if len(self._known) > _MOST_KINDS:
            self._known.popitem(last=False)
