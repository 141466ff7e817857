"""Whether to raise, and how to answer a raise, from what a player has seen.

What a raise is worth depends on what the *other* does, who decides from his own cards, and on what
both do afterwards. So nothing here averages raises that would be right if all cards were known.
Hands are played out instead (_playouts.pyx): in worlds drawn by their likelihood, both seats lead,
answer, claim, raise, accept and give up by the policy model, each from what it has seen. A raise
offered by the other is part of what worlds are weighted by, so that who answers it counts on the
hands that would have raised.

Play-outs make mistakes that the players do not make, which helps whoever is behind. Solutions of
the same worlds with all cards known make none at all, which helps whoever is ahead. What comes of
hands of the arena lies halfway (docs/strength.md), so an option is worth the mean of both.

Values are chances to win the match where there is one (`match_equity`), else stakes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan, sqrt

from bura_core._playouts import play_outs
from bura_core._rules import not_for_two
from bura_core._sampler import Worlds
from bura_core._solver import Solver, Stop, limit_faults, moves_of
from bura_core.advice import estimate_claim, weighed
from bura_core.errors import Fault, InputError
from bura_core.inference import infer_from_raise, own_weights, play_weights
from bura_core.match import match_equity
from bura_core.notation import Move
from bura_core.rule_sets import RuleSet
from bura_core.view import View

__all__ = ["RaiseAdvice", "RaiseOption", "advise_raise"]

_ROUND = 16
"""Worlds that are looked at between two looks at the clock."""
_FIRST_LOOK = 32
"""Worlds before the worst options are dropped for the first time; then twice as many."""
_WORSE_BY = 3.0
"""Standard errors by which an option has to be worse to be dropped."""
_SOLVED = 0.5
"""What solutions count beside play-outs: these favour who is behind, those who is ahead, by
about as much (docs/strength.md)."""
_NODES_A_WORLD = 2000
_CHANCE_WORLDS = 500
_GIVEN_UP, _HOW = 2 + 16, 3 + 16
"""How a hand ends that was won because the other gave up to a raise, and the mask for that."""
_SHARP = 1.5
"""How much more surely the policy's likeliest cards are played than the model says."""


@dataclass(frozen=True, slots=True)
class RaiseOption:
    """One thing to do and what it promises.

    * ``move``: ``raise``, ``accept``, ``fold``, or a play without a raise.
    * ``value``: the chance to win the match, 0 to 1, or stakes won, by `RaiseAdvice.unit`.
    * ``standard_error`` of that as an estimate over all worlds.
    * ``win``, ``draw``: shares of the hands that are won and drawn, 0 to 1, folds included.
    """

    move: Move
    value: float
    standard_error: float
    win: float
    draw: float


@dataclass(frozen=True, slots=True)
class RaiseAdvice:
    """What to do about raising.

    * ``options``, best first; ``best`` is the first one's move.
    * ``unit``: ``match`` (values are chances to win the match) or ``stakes``.
    * ``stake`` in force, ``offered``: what the raise in question raises it to; None where the seat
      is on turn but cannot raise.
    * ``accepts``: the chance that the other does not give up to a raise at once (None where none
      is weighed).
    * ``least``: the least chance with which accepting is no worse than folding, None unless asked.
    * ``play``: what to do without a raise, None where a raise has to be answered.
    * ``worlds`` looked at, ``effective``: the effective number of them after inference, None where
      all count alike. ``method``: ``played out``.
    """

    seat: int
    options: tuple[RaiseOption, ...]
    unit: str
    stake: int
    offered: int | None
    accepts: float | None
    least: float | None
    play: Move | None
    worlds: int
    effective: float | None
    chances: Callable[..., float] = field(repr=False, compare=False)
    method: str = "played out"

    @property
    def chance(self) -> float:
        """The chance to win the hand if nobody raised any more, a draw counting half.

        Of who has to answer a raise: after that raise.
        """
        return self.chances(before=False)

    @property
    def unmoved(self) -> float:
        """The same without what the other's last raise tells."""
        return self.chances(before=True)

    @property
    def best(self) -> Move:
        """What to do."""
        return self.options[0].move


@dataclass(frozen=True, slots=True)
class Worth:
    """What a hand is worth to a seat that wins, loses or draws it, by the number of the stake.

    Numbers count from 1: the stakes 1 to 6 of the ladder, 1, 2, 4 ... of dave. ``unit`` is
    ``match`` or ``stakes``.
    """

    rules: RuleSet
    won: tuple[float, ...]
    lost: tuple[float, ...]
    drawn: float
    unit: str

    @classmethod
    def of(
        cls, rules: RuleSet, score: tuple[int, int] | None, no_raise_hand_played: bool = False
    ) -> Worth:
        """In a match that stands at ``score``, own points first; without one, in stakes."""
        stakes: tuple[int, ...] = (0, 1)
        if rules.raises == "ladder":
            stakes = (0, 1, 2, 3, 4, 5, 6)
        elif rules.raises == "dave":
            stakes = (0, *(2**i for i in range(11)))
        if rules.scoring != "points_match" or score is None:
            return cls(
                rules,
                tuple(float(stake) for stake in stakes),
                tuple(-float(stake) for stake in stakes),
                0.0,
                "stakes",
            )
        own, other = score

        def equity(mine: int, theirs: int) -> float:
            to = rules.match_to
            played = no_raise_hand_played
            return float(
                match_equity(rules, min(mine, to), min(theirs, to), no_raise_hand_played=played)
            )

        return cls(
            rules,
            tuple(equity(own + stake, other) for stake in stakes),
            tuple(equity(own, other + stake) for stake in stakes),
            equity(own, other),
            "match",
        )

    def at(self, stake: int) -> int:
        """The number of a stake."""
        return stake if self.rules.raises == "ladder" else stake.bit_length()

    def of_outcome(self, outcome: float, stake: int) -> float:
        """Of an outcome, -1 to 1, at a stake; nan for nan."""
        number = self.at(stake)
        end = self.won[number] if outcome > 0 else self.lost[number]
        return self.drawn + abs(outcome) * (end - self.drawn)

    def mean(self, chance: float, stake: int) -> float:
        """Of a hand that is won with a chance and else lost."""
        number = self.at(stake)
        return chance * self.won[number] + (1 - chance) * self.lost[number]


class Played:
    """Play-outs of some options in the worlds of a sample, as many as there is time for."""

    def __init__(
        self,
        view: View,
        sample: Worlds,
        weights: Sequence[float] | None,
        worth: Worth,
        options: Sequence[tuple[str, int]],
        *,
        raises: bool,
        raiser: int,
        stake: int,
        offered: int,
        seed: int,
        own: Sequence[float] | None = None,
        other: Sequence[float] | None = None,
        sharp: float = _SHARP,
    ) -> None:
        self.options = list(options)
        self.live = list(range(len(options)))
        self._sample, self._weights = sample, weights
        self._given = {
            "own": own_weights(view.rules) if own is None else own,
            "other": play_weights(view.rules) if other is None else other,
            "won": worth.won,
            "lost": worth.lost,
            "drawn": worth.drawn,
            "raises": raises,
            "raiser": raiser,
            "stake": stake,
            "offered": offered,
            "sharp": sharp,
        }
        self._seed = seed
        self._worth, self._stake = worth, stake
        self._scale = (worth.won[worth.at(stake)] - worth.lost[worth.at(stake)]) / 2
        self._turn = view.text.turn == view.seat
        self._offered = offered or next_stake(view.rules, stake) or stake
        self._higher = next_stake(view.rules, self._offered) or self._offered
        self.solved: list[list[float]] = [[] for _ in options]
        self.rows: list[list[float]] = [[] for _ in options]
        self.ends: list[list[int]] = [[] for _ in options]
        self.counts: list[float] = []
        self.worlds = 0

    def run(
        self,
        most: int,
        *,
        solver: Solver,
        deadline: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
        stop: Stop | None = None,
        max_error: float = 0.02,
    ) -> None:
        """Look at ``most`` worlds; the clock, ``stop`` or a clear answer ends it early.

        Options that are clearly worse are dropped on the way. An answer is clear when one is left
        and its standard error is at most ``max_error`` of half of what can be won or lost.
        """
        look = _FIRST_LOOK
        size = len(self._sample)
        while self.worlds < most:
            began = clock()
            first = self.worlds % size
            last = min(size, first + _ROUND, first + most - self.worlds)
            # Over all worlds again, with other luck.
            seed = self._seed + 0x51ED27 * (self.worlds // size)
            some = [self.options[i] for i in self.live]
            values, ends = play_outs(self._sample, some, first, last, seed=seed, **self._given)  # type: ignore[arg-type]
            for column, i in enumerate(self.live):
                self.rows[i] += values[column :: len(some)]
                self.ends[i] += ends[column :: len(some)]
            for i, row in self._solved(solver, first, last).items():
                self.solved[i] += row
            self.counts += (
                [1.0] * (last - first) if self._weights is None else self._weights[first:last]
            )
            self.worlds += last - first
            now = clock()
            # As many worlds again would take as long again.
            late = deadline is not None and now + 0.5 * (now - began) >= deadline
            if late or (stop is not None and stop.is_set):
                break
            if self.worlds >= look:
                look *= 2
                best = max(self.live, key=lambda i: self.mean(i)[0])
                self.live = [i for i in self.live if i == best or not self._clearly_worse(i, best)]
                if len(self.live) == 1 and self.mean(self.live[0])[1] <= max_error * self._scale:
                    break

    def _solved(self, solver: Solver, first: int, last: int) -> dict[int, list[float]]:
        """What the options are worth in some worlds if cards are played as if all were known.

        Nobody claims on cards he has not seen, and nobody raises but as the option says. Whether
        the other gives up to a raise is what he did in the play-out of that world.
        """
        moves = moves_of(self._sample) if self._turn else ()
        places = {(move.kind, move.cards): number for number, move in enumerate(moves)}
        kinds = {self.options[i] for i in self.live}
        asked = [places[each] for each in kinds if each in places]
        if self._turn and not self._given["offered"]:
            if not kinds <= places.keys():
                # What is played after a raise is the best of what could be played before it.
                asked = [n for n, move in enumerate(moves) if move.kind != "claim"]
            low, high, _, _, _ = solver.judge(
                self._sample, first, last, node_limit=_NODES_A_WORLD, moves=asked
            )
            width = len(moves)
            columns = {
                n: [
                    (a + b) / 2 - 1 if a < 8 else nan
                    for a, b in zip(low[n::width], high[n::width], strict=True)
                ]
                for n in asked
            }
        else:
            columns = {-1: [self._solve(solver, w) for w in range(first, last)]}
        worth, stake, offered = self._worth, self._stake, self._offered
        result = {}
        for i in self.live:
            option = self.options[i]
            if option in places and places[option] in columns:
                result[i] = [worth.of_outcome(each, stake) for each in columns[places[option]]]
                continue
            best = max(columns, key=lambda n: sum(each for each in columns[n] if not isnan(each)))
            at = {"accept": offered, "raise": offered, "again": self._higher, "on": stake}
            folded = {"raise": stake, "again": offered}.get(option[0], 0)
            ends = self.ends[i][first - last :]
            result[i] = [
                worth.of_outcome(1.0, folded)
                if folded and end == _GIVEN_UP
                else worth.of_outcome(each, at.get(option[0], stake))
                for each, end in zip(columns[best], ends, strict=True)
            ]
        return result

    def _solve(self, solver: Solver, number: int) -> float:
        """The outcome of a world for the seat, whoever is on turn there."""
        world = self._sample[number]
        if world.result is not None:
            return nan
        found = solver.solve(
            world, moves=False, line=False, max_nodes=_NODES_A_WORLD, seen_claims=True
        )
        middle = (found.lower + found.upper) / 2
        return middle if world.turn == self._sample.view.seat else -middle

    def _clearly_worse(self, option: int, best: int) -> bool:
        difference = [b - a for a, b in zip(self._both(option), self._both(best), strict=False)]
        mean, error = self._spread(difference)
        return mean > _WORSE_BY * error > 0

    def _both(self, option: int) -> list[float]:
        """World by world the mean of play-out and solution, where there are both."""
        return [
            b if isnan(a) else a if isnan(b) else (1 - _SOLVED) * a + _SOLVED * b
            for a, b in zip(self.rows[option], self.solved[option], strict=True)
        ]

    def _spread(self, values: Sequence[float]) -> tuple[float, float]:
        total = mean = 0.0
        known = [
            (value, weight)
            for value, weight in zip(values, self.counts, strict=False)
            if not isnan(value)
        ]
        total = sum(weight for _, weight in known)
        if not total:
            return 0.0, 1.0
        mean = sum(value * weight for value, weight in known) / total
        square = sum((weight * (value - mean)) ** 2 for value, weight in known)
        return mean, sqrt(square) / total + 1e-12

    def mean(self, option: int) -> tuple[float, float]:
        """The worth of an option and its standard error."""
        return self._spread(self._both(option))

    def share(self, option: int, end: int, mask: int) -> float:
        """The share of play-outs of an option that ended in a certain way."""
        total = good = 0.0
        for value, weight in zip(self.ends[option], self.counts, strict=False):
            if value != 255:
                total += weight
                good += weight * (value & mask == end)
        return good / total if total else 0.0

    def order(self) -> list[int]:
        """Options, best first; those that were dropped behind the others."""
        return sorted(
            range(len(self.options)),
            key=lambda i: (i not in self.live, -len(self.rows[i]), -self.mean(i)[0]),
        )


def advise_raise(
    view: View,
    *,
    score: tuple[int, int] | None = None,
    no_raise_hand_played: bool = False,
    max_worlds: int = 1000,
    seed: int = 0,
    max_seconds: float | None = None,
    max_error: float = 0.02,
    inference: bool = True,
    stop: Stop | None = None,
    solver: Solver | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> RaiseAdvice:
    """Whether the view's seat should raise, or how it should answer the raise that is offered.

    ``score`` is the match so far, the seat's own points first; left out, it is that of the view's
    line. In a ``points_match`` values are chances to win the match, computed with
    ``no_raise_hand_played``; elsewhere, or without a score, stakes. ``max_worlds`` (1 to 10
    million), ``max_seconds`` (by ``clock``) and ``stop`` bound the work, which also ends when the
    best option is clear and its standard error is at most ``max_error`` (of half of what the stake
    wins or loses); ``solver`` may lend its table. Without time limit and stop, the same arguments
    give the same answer. Raises InputError where the seat is neither on turn nor has a raise to
    answer, where nobody raises, and for arguments out of range.
    """
    begin = clock()
    text, rules, seat = view.text, view.rules, view.seat
    other = 1 - seat
    faults = limit_faults(None, max_seconds, 1, stop)
    if rules.raises == "none" or not_for_two(rules) is not None:
        faults.append(
            Fault("rules", str(rules), "nobody raises at this table", "use rules with raises")
        )
    elif text.offer is not None and text.raiser == seat:
        faults.append(
            Fault("offer", str(text.offer), "it is the other's to answer", "ask for his view")
        )
    elif text.offer is None and text.turn != seat:
        faults.append(
            Fault(
                "turn",
                str(text.turn),
                f"seat {seat} is not on turn and has no raise to answer",
                f"ask in a position in which seat {seat} is to act",
            )
        )
    if rules.scoring != "points_match":
        score = None
    if score is not None and not all(0 <= each < rules.match_to for each in score):
        faults.append(
            Fault(
                "score",
                ":".join(map(str, score)),
                "not a score of a match that goes on",
                f"use 0 to {rules.match_to - 1} for each side",
            )
        )
    if faults:
        raise InputError(faults)
    if score is None and text.score is not None and rules.scoring == "points_match":
        score = text.score[seat], text.score[other]
    worth = Worth.of(rules, score, no_raise_hand_played)
    deadline = None if max_seconds is None else begin + max_seconds
    solver = solver or Solver(table_mb=4)
    answering = text.offer is not None
    offered = text.offer
    if offered is None and text.raiser != seat:
        offered = next_stake(rules, text.stake)
    # What was offered does not change the cards.
    plain = replace(view, text=replace(text, offer=None, raiser=None, stake=1))
    sample, inferred = weighed(plain, max_worlds, seed, inference)
    weights = inferred.weights if inferred is not None and sample.total == len(sample) else None
    if answering and inference and not view.history:
        # The line tells no more of the play than that he has raised.
        inferred = infer_from_raise(plain, sample, other, text.stake)
        weights = None if inferred is None else inferred.weights
    higher = next_stake(rules, offered) if offered and rules.raises == "ladder" else None
    moves: list[Move] = []
    asked: list[tuple[str, int]] = []
    if answering:
        moves, asked = [Move("accept")], [("accept", 0)]
        if higher is not None:
            moves.append(Move("raise"))
            asked.append(("again", 0))
    else:
        moves = [move for move in moves_of(sample) if move.kind != "claim"]
        if offered is not None and any(move.kind in ("play", "discard") for move in moves):
            moves.append(Move("raise"))
        asked = [(move.kind, move.cards) for move in moves]
    played = Played(
        plain,
        sample,
        weights,
        worth,
        asked,
        raises=True,
        raiser=-1 if text.raiser is None else text.raiser,
        stake=text.stake,
        offered=text.offer or 0,
        seed=seed,
    )
    played.run(
        max_worlds, solver=solver, deadline=deadline, clock=clock, stop=stop, max_error=max_error
    )
    found = [
        RaiseOption(moves[i], *played.mean(i), played.share(i, 2, 3), played.share(i, 1, 3))
        for i in played.order()
    ]
    if answering:
        found.append(RaiseOption(Move("fold"), worth.lost[worth.at(text.stake)], 0.0, 0.0, 0.0))
    elif text.claim == seat:
        claim = estimate_claim(view)
        chance = float(claim.chance)
        if inferred is not None and claim.verdict == "open":
            chance = inferred.chance(claim.target, claim.ceiling)
        found.append(RaiseOption(Move("claim"), worth.mean(chance, text.stake), 0.0, chance, 0.0))
    # What was dropped as clearly worse than the best of the others stays behind that one.
    first = max((found[0], *found[len(moves) :]), key=lambda option: option.value)
    found.sort(key=lambda option: (option is not first, -option.value))
    if offered is None:
        lost = gained = fold = 0.0
    else:
        lost, gained = worth.lost[worth.at(offered)], worth.won[worth.at(offered)]
        fold = worth.lost[worth.at(text.stake)]
    raised = next((i for i, move in enumerate(moves) if move.kind == "raise"), None)
    return RaiseAdvice(
        seat=seat,
        options=tuple(found),
        unit=worth.unit,
        stake=text.stake,
        offered=offered,
        accepts=None if raised is None else 1 - played.share(raised, _GIVEN_UP, _HOW),
        least=(fold - lost) / (gained - lost) if answering and gained > lost else None,
        play=None
        if answering
        else next(option.move for option in found if option.move.kind != "raise"),
        worlds=played.worlds,
        effective=None if inferred is None else inferred.effective,
        chances=_Chances(view, plain, max_worlds, seed, inference, solver, found[0]),
    )


@dataclass(frozen=True, slots=True)
class _Chances:
    """The chance to win the hand as it stands, counted when it is asked for."""

    view: View
    plain: View
    max_worlds: int
    seed: int
    inference: bool
    solver: Solver
    best: RaiseOption

    def __call__(self, *, before: bool) -> float:
        """If nobody raised any more; ``before``: without what the last raises tell."""
        view = self.plain
        if before:
            history = list(view.history)
            while history and history[-1].kind == "raise":
                history.pop()
            view = replace(view, history=tuple(history))
        most = min(self.max_worlds, _CHANCE_WORLDS)
        sample, inferred = weighed(view, most, self.seed, self.inference)
        weights = None
        if inferred is not None and sample.total == len(sample):
            weights = inferred.weights
        offer = self.view.text.offer
        if offer is not None and self.inference and not before and not view.history:
            inferred = infer_from_raise(view, sample, 1 - view.seat, self.view.text.stake)
            weights = None if inferred is None else inferred.weights
        even = Worth(view.rules, (1.0,) * 12, (0.0,) * 12, 0.5, "stakes")
        played = Played(
            view, sample, weights, even, [("on", 0)], raises=False, raiser=-1, stake=1, offered=0,
            seed=self.seed,
        )  # fmt: skip
        played.run(most, solver=self.solver)
        return played.mean(0)[0]


def next_stake(rules: RuleSet, stake: int) -> int | None:
    """What the next raise offers, or None at the top."""
    if rules.raises == "ladder":
        return stake + 1 if stake < 6 else None
    return 2 * stake if 2 * stake <= 1024 else None
