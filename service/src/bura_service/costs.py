"""What questions are expected to cost: a rule of thumb for each kind, corrected by experience."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["SMALL", "Costs", "Work", "nodes_to_solve", "seconds_of"]

SMALL = 0.004
"""Seconds up to which a search is a small one."""

# Nodes that one thread visits in a second, at least.
_NODES_A_SECOND = 2e6

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


def seconds_of(nodes: float) -> float:
    """How long a search of so many nodes takes, about."""
    return nodes / _NODES_A_SECOND


class Costs:
    """Expected seconds by kind of work, learned from what searches have taken."""

    def __init__(self) -> None:
        self._seconds: OrderedDict[Hashable, float] = OrderedDict()

    def estimate(self, work: Work) -> float:
        """Seconds of a thread that `work` is expected to take."""
        seconds = work.units * self._seconds.get(work.kind, work.prior)
        return seconds if work.most is None else min(seconds, work.most)

    def learn(self, work: Work, seconds: float) -> None:
        """Takes into account that `work` took so long."""
        each = seconds / work.units
        known = self._seconds.get(work.kind, work.prior)
        self._seconds[work.kind] = known + _WEIGHT * (each - known)
        self._seconds.move_to_end(work.kind)
        if len(self._seconds) > _MOST_KINDS:
            self._seconds.popitem(last=False)
