"""The players of `bura arena`. Each is shown a `View` of its seat and public things only.

* `random`: any move, each as likely; claims and raises by the toss of a coin where not absurd.
* `greedy`: the strategy sections of the sources: keep trumps to catch a bura, count the points of
  both sides, break up the other's two trumps by leading two or three cards of a suit.
* `sampling`: the usual program. It solves sampled worlds with all cards known, claims included,
  and takes the best mean.
* `ismcts`: single-observer information-set Monte Carlo tree search.
* `advisor`: what `bura hint` says, with what can be inferred from the other's play; `uniform` is
  the same without inference.
* `advisor+endings`, `sampling+endings`: the same players, but small endings are played by their
  equilibrium, moves drawn at random from the mixed strategy.

All from `sampling` on think for equally long, the time for endings apart: that has a budget of its
own, counted in nodes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from bura_core import (
    Move,
    Position,
    Solution,
    Solver,
    View,
    beat_odds,
    estimate_claim,
    solve_many,
    worlds,
)
from bura_core._ismcts import ismcts
from bura_core._rules import beats, not_for_two
from bura_core._solver import moves_of
from bura_core.advice import refine
from bura_core.equilibrium import Ending, try_ending
from bura_core.notation import format_cards
from bura_core.raising import RaiseAdvice, advise_raise
from bura_service.play_machine import Stakes

__all__ = ["PLAYERS", "Player", "make_player"]

_POINTS = (0, 0, 0, 0, 2, 3, 4, 10, 11) * 4
RAISE_FROM = 0.75
"""The chance from which `sampling` and `ismcts` raise; they accept at break-even."""


_NODES_A_WORLD = 100
"""What the advisor allows each world where nobody raises: worlds that are cut short after a few
cards of the talon are worth much less than fewer worlds to the end (docs/strength.md)."""


_ENDING_NODES = 1_000_000
"""What an ending may cost: half a second of a core at most."""


class Player(Protocol):
    """Decides for one seat, from its view."""

    def choose(self, view: View, options: Sequence[Move], stakes: Stakes) -> Move:
        """One of the options; or `raise`, if the stakes allow it."""

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """`accept`, `fold` or `raise`, to a raise of the other."""


def _points(cards: int) -> int:
    return sum(_POINTS[card] for card in range(36) if cards >> card & 1)


def _trumps(view: View, cards: int) -> int:
    return 0 if view.trump is None else (cards >> 9 * view.trump & 511).bit_count()


def _may_raise(stakes: Stakes, move: Move) -> bool:
    return (
        stakes.allowed
        and move.kind in ("play", "discard")
        and not stakes.wins_the_match(stakes.stake)
    )


class RandomPlayer:
    """Plays anything."""

    def __init__(self, seed: int, seconds: float) -> None:
        self._rng = random.Random(seed)

    def choose(self, view: View, options: Sequence[Move], stakes: Stakes) -> Move:
        """A random option; a claim only if it is likely to hold."""
        if any(move.kind == "claim" for move in options):
            if estimate_claim(view).chance > 0.5:
                return Move("claim")
            options = [move for move in options if move.kind != "claim"]
        move = self._rng.choice(list(options))
        return Move("raise") if _may_raise(stakes, move) and self._rng.random() < 0.1 else move

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """A coin is tossed."""
        return Move(self._rng.choice(("accept", "fold")))


class GreedyPlayer:
    """The sources' advice as rules of thumb."""

    def __init__(self, seed: int, seconds: float) -> None:
        pass

    def choose(self, view: View, options: Sequence[Move], stakes: Stakes) -> Move:
        """The option that scores highest."""
        calls = [move for move in options if move.kind == "stop"]
        if calls:
            return calls[0]
        if any(move.kind == "claim" for move in options):
            if estimate_claim(view).chance >= 0.8:
                return Move("claim")
            options = [move for move in options if move.kind != "claim"]
        score = self._lead if not view.text.table else self._answer
        best = max(options, key=lambda move: (score(view, move), -move.cards))
        if _may_raise(stakes, best) and self._strength(view) >= 4:
            return Move("raise")
        return best

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """Accepts with anything to hope for."""
        return Move("accept" if self._strength(view) >= 1 else "fold")

    def _strength(self, view: View) -> float:
        trumps = _trumps(view, view.hand)
        seen = estimate_claim(view).shown
        other = estimate_claim(view, 1 - view.seat).shown
        return trumps + (seen - other) / (view.rules.target / 3)

    def _lead(self, view: View, move: Move) -> float:
        if move.kind != "play":
            return 0.0
        cards, points = move.cards, _points(move.cards)
        if cards == view.hand and cards.bit_count() == _trumps(view, cards) == view.rules.hand:
            return 1000.0
        beaten = float(beat_odds(view, cards))
        several = cards.bit_count() - 1
        keep = 0 if not view.text.talon else 4
        return points * (1 - 2 * beaten) + 5 * several * (1 - beaten) - keep * _trumps(view, cards)

    def _answer(self, view: View, move: Move) -> float:
        lead = sum(1 << card for card in view.text.table[0].cards)
        gain, points = _points(lead), _points(move.cards)
        trumps = _trumps(view, move.cards)
        if move.kind == "play" and beats(view.rules, view.trump, lead, move.cards):
            return gain + points - 4 * trumps * bool(view.text.talon) - 1
        return -gain - points - 5 * trumps


class _Thinker:
    """What the players have in common that raise by their chance to win."""

    def __init__(self, seed: int, seconds: float) -> None:
        self._seed = seed
        self._seconds = seconds
        self._solver = Solver(table_mb=4)

    def best(self, view: View, options: Sequence[Move]) -> tuple[Move, float]:
        """The best of the options and the chance to win with it, 0 to 1."""
        raise NotImplementedError

    def choose(self, view: View, options: Sequence[Move], stakes: Stakes) -> Move:
        """The best move, or a raise with a good chance."""
        if len(options) == 1 and not stakes.allowed:
            return options[0]
        move, chance = self.best(view, options)
        if _may_raise(stakes, move) and chance >= RAISE_FROM:
            return Move("raise")
        return move

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """Accepts from break-even on, as if nothing were known from the raise."""
        chance = self.chance(view)
        if can_raise and chance >= RAISE_FROM and not stakes.wins_the_match(offered):
            return Move("raise")
        return Move("accept" if chance >= stakes.least_chance(offered) else "fold")

    def chance(self, view: View) -> float:
        """The chance to win of a seat that has been offered a raise: it may not be on turn."""
        view = _without_offer(view)
        deadline = time.thread_time() + self._seconds
        total = count = 0.0
        sample = worlds(view, 400, self._seed)
        for first in range(0, len(sample), 16):
            for world, found in zip(
                sample[first : first + 16], self._values(sample[first : first + 16]), strict=True
            ):
                total += found if world.turn == view.seat else -found
                count += 1
            if time.thread_time() >= deadline:
                break
        return (total / count + 1) / 2

    def _values(self, positions: Sequence[Position]) -> list[float]:
        found = solve_many(positions, moves=False, max_nodes=2000, solvers=[self._solver])
        return [
            (each.lower + each.upper) / 2 if isinstance(each, Solution) else 0.0 for each in found
        ]


def _without_offer(view: View) -> View:
    """What was offered does not change the cards; the turn goes back to who was interrupted."""
    text = view.text
    if text.offer is None:
        return view
    return replace(view, text=replace(text, offer=None, raiser=None, stake=1))


class SamplingPlayer(_Thinker):
    """Averages over worlds with all cards known."""

    def best(self, view: View, options: Sequence[Move]) -> tuple[Move, float]:
        """The move with the best mean of clairvoyant values."""
        deadline = time.thread_time() + self._seconds
        totals: dict[Move, float] = {}
        count = 0
        sample = worlds(view, 1000, self._seed)
        if sample[0].turn != view.seat:
            return _call(view)
        for first in range(0, len(sample), 8):
            found = solve_many(sample[first : first + 8], max_nodes=4000, solvers=[self._solver])
            for solution in found:
                moves = getattr(solution, "moves", ())
                count += bool(moves)
                for value in moves:
                    middle = (value.lower + value.upper) / 2
                    totals[value.move] = totals.get(value.move, 0.0) + middle
            if time.thread_time() >= deadline and count:
                break
        # In some worlds the other has a combination to show, and there are other moves.
        known = [move for move in options if move in totals]
        if not known:
            return options[0], 0.5
        move = max(known, key=lambda each: (totals[each], -_points(each.cards), -each.cards))
        return move, (totals[move] / count + 1) / 2


class IsmctsPlayer(_Thinker):
    """Searches one tree over all worlds."""

    def best(self, view: View, options: Sequence[Move]) -> tuple[Move, float]:
        """The move that was tried most often."""
        sample = worlds(view, 20_000, self._seed)
        if view.text.turn != view.seat:
            return _call(view)
        found = ismcts(sample, seconds=self._seconds, seed=self._seed)
        known = [entry for entry in found if entry[0] in options]
        if not known:
            return options[0], 0.5
        move, _, mean = known[0]
        return move, (mean + 1) / 2


def _call(view: View) -> tuple[Move, float]:
    """Out of turn: the combination that can be called."""
    return moves_of(worlds(view, 1))[0], 0.5


class AdvisorPlayer:
    """Does what the advice says, raises included."""

    def __init__(self, seed: int, seconds: float, *, inference: bool = True) -> None:
        self._seed = seed
        self._seconds = seconds
        self._solver = Solver(table_mb=4)
        self._inference = inference

    def choose(self, view: View, options: Sequence[Move], stakes: Stakes) -> Move:
        """The recommended move, or a raise where it is worth more."""
        if len(options) == 1 and not stakes.allowed:
            return options[0]
        on_turn = view.text.turn == view.seat
        if view.rules.raises != "none" and on_turn and not_for_two(view.rules) is None:
            known = [each.move for each in self._raise(view).options]
            if not stakes.allowed:
                known = [move for move in known if move.kind != "raise"]
            return next(
                (move for move in known if move in options or move.kind == "raise"), options[0]
            )
        began = time.thread_time()
        ranked: list[Move] = []
        for advice in refine(
            view,
            seed=self._seed,
            max_worlds=max(40, int(80_000 * self._seconds)),
            max_nodes=_NODES_A_WORLD * max(40, int(80_000 * self._seconds)),
            max_error=0.02,
            solvers=[self._solver],
            inference=self._inference,
        ):
            ranked = [each.move for each in advice.moves]
            if time.thread_time() - began >= 0.6 * self._seconds:
                break  # the next step would take as long again
        return next((move for move in ranked if move in options), options[0])

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """What is worth most after the raise."""
        known = [each.move for each in self._raise(view).options]
        return next(move for move in known if can_raise or move.kind != "raise")

    def _raise(self, view: View) -> RaiseAdvice:
        # The arena counts stakes, not matches, so that is what is played for.
        return advise_raise(
            replace(view, text=replace(view.text, score=None)),
            max_worlds=max(40, int(80_000 * self._seconds)),
            max_seconds=0.95 * self._seconds,
            max_error=1e9,
            seed=self._seed,
            inference=self._inference,
            solver=self._solver,
            clock=time.thread_time,
        )


def _uniform(seed: int, seconds: float) -> Player:
    return AdvisorPlayer(seed, seconds, inference=False)


class EndingsPlayer:
    """Another player, whose small endings are played in equilibrium."""

    def __init__(self, other: Player, seed: int, *, inference: bool = False) -> None:
        self._other = other
        self._prior: Literal["inferred"] | None = "inferred" if inference else None
        self._rng = random.Random(seed)

    def choose(self, view: View, options: Sequence[Move], stakes: Stakes) -> Move:
        """A move of the mixed strategy, or what the other player does elsewhere."""
        allowed = list(options)
        if stakes.allowed and not stakes.wins_the_match(stakes.stake):
            allowed.append(Move("raise"))
        move = self._drawn(view, allowed) if len(allowed) > 1 else options[0]
        return self._other.choose(view, options, stakes) if move is None else move

    def answer(self, view: View, offered: int, can_raise: bool, stakes: Stakes) -> Move:
        """The same, to a raise."""
        allowed = [Move("accept"), Move("fold")]
        if can_raise:
            allowed.append(Move("raise"))
        move = self._drawn(view, allowed)
        return self._other.answer(view, offered, can_raise, stakes) if move is None else move

    def _drawn(self, view: View, allowed: Sequence[Move]) -> Move | None:
        """A move at random, as often as equilibrium makes it; None where there is none."""
        ending = try_ending(view, max_nodes=_ENDING_NODES, prior=self._prior)
        if not isinstance(ending, Ending):
            return None
        moves = [each for each in ending.moves if each.move in allowed]
        weights = [each.probability for each in moves]
        if sum(weights) <= 0:
            return None
        return self._rng.choices(moves, weights)[0].move


def _with_endings(name: str) -> Callable[[int, float], Player]:
    def make(seed: int, seconds: float) -> Player:
        return EndingsPlayer(PLAYERS[name](seed, seconds), seed, inference=name == "advisor")

    return make


PLAYERS: dict[str, Callable[[int, float], Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "sampling": SamplingPlayer,
    "ismcts": IsmctsPlayer,
    "advisor": AdvisorPlayer,
    "uniform": _uniform,
    "advisor+endings": _with_endings("advisor"),
    "sampling+endings": _with_endings("sampling"),
}


def make_player(name: str, seed: int, seconds: float) -> Player:
    """A player by its name; raises KeyError for one that there is not."""
    return PLAYERS[name](seed, seconds)


def describe(move: Move) -> str:
    """A move for the lines of the arena."""
    return str(move) if move.kind != "play" else format_cards(move.cards)
