"""Whether to raise, and how to answer a raise, from what a player has seen.

What a raise is worth depends on what the *other* does, who decides from his own cards. So nothing
here averages raises that would be right if all cards were known:

* A raise is weighed world by world by the chance that the other accepts *from what he sees in that
  world* (the policy model of inference.py); where he accepts, the hand is played at the higher
  stake, for what the best move wins in that world.
* Who answers a raise counts only the hands that would have raised: worlds are weighted by the
  chance of the raise in them, before the chance to win is taken.

Values are chances to win the match where there is one (`match_equity`), else stakes. Who is raised
again, and raises of later tricks, are not foreseen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt

from bura_core._inference import chances
from bura_core._sampler import Worlds, worlds
from bura_core._solver import Solver, Stop
from bura_core.advice import Recommendation, _steps, drawn
from bura_core.errors import Fault, InputError
from bura_core.inference import infer, policy_weights
from bura_core.match import match_equity
from bura_core.notation import Move
from bura_core.rule_sets import RuleSet
from bura_core.view import View

__all__ = ["RaiseAdvice", "RaiseOption", "advise_raise"]

_NOISE = 0.02
"""The share of raises and answers that is taken for anything at all."""
_FAITHFUL = 0.9
"""The least chance with which who has raised accepts to be raised again."""
_NODES = 2_000_000


@dataclass(frozen=True, slots=True)
class RaiseOption:
    """One way to deal with a raise and what it promises.

    * ``move``: ``raise``, ``accept``, ``fold``, or the best card play without a raise.
    * ``value``: the chance to win the match, 0 to 1, or stakes won, by `RaiseAdvice.unit`.
    * ``standard_error`` of that as an estimate over all worlds.
    """

    move: Move
    value: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class RaiseAdvice:
    """What to do about raising.

    * ``options``, best first; ``best`` is the first one's move.
    * ``unit``: ``match`` (values are chances to win the match) or ``stakes``.
    * ``stake`` in force, ``offered``: what the raise in question raises it to.
    * ``chance``: the chance to win the hand, a draw counting half: before a raise of one's own, or
      after the other's raise. ``unmoved``: the same without what the other's raise tells.
    * ``accepts``: the chance that the other accepts (None where no raise is weighed), and
      ``chance_accepted``: the chance to win where he does.
    * ``least``: the least chance with which accepting is no worse than folding, None unless asked.
    * ``play``: what to play without a raise, None where a raise has to be answered.
    * ``worlds`` looked at, ``method``: ``enumerated`` or ``sampled``.
    """

    seat: int
    options: tuple[RaiseOption, ...]
    unit: str
    stake: int
    offered: int
    chance: float
    unmoved: float
    accepts: float | None
    chance_accepted: float | None
    least: float | None
    play: Move | None
    recommendation: Recommendation | None
    worlds: int
    method: str

    @property
    def best(self) -> Move:
        """What to do."""
        return self.options[0].move


def advise_raise(
    view: View,
    *,
    score: tuple[int, int] | None = None,
    no_raise_hand_played: bool = False,
    max_worlds: int = 1000,
    seed: int = 0,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    max_error: float = 0.02,
    confidence: float | None = 0.99,
    inference: bool = True,
    threads: int = 1,
    stop: Stop | None = None,
    solvers: list[Solver] | None = None,
) -> RaiseAdvice:
    """Whether the view's seat should raise, or how it should answer the raise that is offered.

    ``score`` is the match so far, the seat's own points first; left out, it is that of the view's
    line. In a ``points_match`` values are chances to win the match, computed with
    ``no_raise_hand_played``; elsewhere, or without a score, stakes. The other arguments are those
    of `recommend`. Raises InputError where the seat can neither raise nor has a raise to answer,
    and for arguments out of range.
    """
    text, rules, seat = view.text, view.rules, view.seat
    if rules.raises == "none" or rules.players != 2:
        raise InputError(
            Fault("rules", str(rules), "nobody raises at this table", "use rules with raises")
        )
    if score is None and text.score is not None:
        score = text.score[:2]
    worth, unit = _worth(rules, score, no_raise_hand_played)
    options = (max_nodes, max_seconds, max_error, confidence, inference, threads, stop, solvers)
    if text.offer is not None:
        if text.raiser == seat:
            raise InputError(
                Fault("offer", str(text.offer), "it is the other's to answer", "ask for his view")
            )
        return _answer(
            view, worth, unit, max_worlds, seed, max_seconds, inference, stop, solvers, max_nodes
        )
    offered = _next(rules, text.stake)
    if text.turn != seat or text.raiser == seat or offered is None:
        raise InputError(
            Fault(
                "turn",
                str(text.turn),
                f"seat {seat} cannot raise here",
                "a seat raises on its own turn, never twice in a row, up to the highest stake",
            )
        )
    *_, (tally, advice) = _steps(view, max_worlds, seed, *options, only_last=True)
    best = advice.best
    number = tally.moves.index(best)
    outcomes = tally.outcomes_of(number)
    if best.kind == "claim":
        # He would raise first and then claim.
        outcomes = [None if each is None else 2 * tally.claim_chance - 1 for each in outcomes]
    theirs = [-(each or 0.0) for each in outcomes]
    accepting = _chances(tally.sample, 1 - seat, "accept", theirs)
    again = _chances(tally.sample, 1 - seat, "again", theirs)
    higher = _next(rules, offered) if rules.raises == "ladder" else None
    plain: list[tuple[float, float]] = []  # (weight, value) of not raising
    taken: list[tuple[float, float]] = []  # of a raise that is at most accepted
    folded: list[tuple[float, float]] = []  # of what another raise adds, if it is given up
    matched: list[tuple[float, float]] = []  # the same, if it is accepted
    accepted = won = weights = 0.0
    for index, outcome in enumerate(outcomes):
        if outcome is None:
            continue
        weight, accepts = tally.weight_of(index), accepting[index]
        more = accepts * again[index] if higher is not None else 0.0
        plain.append((weight, worth(outcome, text.stake)))
        taken.append(
            (
                weight,
                (1 - accepts) * worth(1.0, text.stake)
                + (accepts - more) * worth(outcome, offered),
            )
        )
        folded.append((weight, more * worth(-1.0, offered)))
        matched.append((weight, more * worth(outcome, higher or offered)))
        accepted += weight * accepts
        won += weight * accepts * (outcome + 1) / 2
        weights += weight
    if not plain:
        plain = taken = folded = matched = [(1.0, worth(0.0, text.stake))]
    # Raised again, he sees no cards more: he gives up in all of these worlds or in none.
    answered = max(folded, matched, key=lambda each: _mean(each)[0])
    raised = [(weight, a + b) for (weight, a), (_, b) in zip(taken, answered, strict=True)]
    found = [
        RaiseOption(best, *_mean(plain)),
        RaiseOption(Move("raise"), *_mean(raised)),
    ]
    found.sort(key=lambda option: -option.value)
    return RaiseAdvice(
        seat=seat,
        options=tuple(found),
        unit=unit,
        stake=text.stake,
        offered=offered,
        chance=(advice.moves[0].value + 1) / 2,
        unmoved=(advice.moves[0].value + 1) / 2,
        accepts=accepted / weights if weights else None,
        chance_accepted=won / accepted if accepted else None,
        least=None,
        play=best,
        recommendation=advice,
        worlds=advice.worlds,
        method=advice.method,
    )


def _answer(
    view: View,
    worth: Callable[[float, int], float],
    unit: str,
    max_worlds: int,
    seed: int,
    max_seconds: float | None,
    inference: bool,
    stop: Stop | None,
    solvers: list[Solver] | None,
    max_nodes: int | None,
) -> RaiseAdvice:
    """How to answer a raise of the other."""
    text, rules, seat = view.text, view.rules, view.seat
    offered, raiser = text.offer, text.raiser
    assert offered is not None
    assert raiser is not None
    # What was offered does not change who wins the hand.
    plain = replace(view, text=replace(text, offer=None, raiser=None, stake=1))
    sample = worlds(plain, max_worlds, seed)
    # The raise that is to be answered is weighed below, with what the raiser senses.
    before_it = list(view.history)
    raises = 0
    while before_it and before_it[-1].kind == "raise":
        raises += before_it.pop().seat == raiser
    opened = not view.history or view.history[len(before_it)].seat == raiser
    plain = replace(plain, history=tuple(before_it))
    inferred = infer(plain, sample, seed=seed) if inference else None
    weights = list(inferred.weights) if inferred is not None else [1.0] * len(sample)
    chosen: list[tuple[int, float]] = [(i, weights[i]) for i in range(len(sample))]
    if not sample.exhaustive and inferred is not None:
        chosen = [(i, 1.0) for i in drawn(weights, len(sample), seed)]
        sample = sample.chosen([i for i, _ in chosen])
    solver = solvers[0] if solvers else Solver(table_mb=4)
    values = _values(plain, sample, solver, max_seconds, stop, max_nodes)
    theirs = [-value for value in values]
    first = _chances(sample, raiser, "raise", theirs)
    again = _chances(sample, raiser, "again", theirs)
    accepting = _chances(sample, raiser, "accept", theirs)
    higher = _next(rules, offered) if rules.raises == "ladder" else None
    totals: dict[str, list[tuple[float, float]]] = {"accept": [], "fold": [], "raise": []}
    won = weighed = before = counted = accepted = 0.0
    for index, value in enumerate(values):
        weight = chosen[index][1]
        before += weight * (value + 1) / 2
        counted += weight
        # How likely he raises with such cards; of raises on and on the first one tells.
        if opened:
            weight *= first[index]
        if raises > opened:
            weight *= again[index]
        totals["accept"].append((weight, worth(value, offered)))
        totals["fold"].append((weight, worth(-1.0, text.stake)))
        won += weight * (value + 1) / 2
        weighed += weight
        if higher is not None:
            # Who has raised hardly folds.
            accepts = max(accepting[index], _FAITHFUL)
            accepted += weight * accepts
            totals["raise"].append(
                (weight, accepts * worth(value, higher) + (1 - accepts) * worth(1.0, offered))
            )
    found = [RaiseOption(Move(kind), *_mean(each)) for kind, each in totals.items() if each]
    found.sort(key=lambda option: -option.value)
    lost, gained, fold = worth(-1.0, offered), worth(1.0, offered), worth(-1.0, text.stake)
    return RaiseAdvice(
        seat=seat,
        options=tuple(found) or (RaiseOption(Move("accept"), 0.0, 1.0),),
        unit=unit,
        stake=text.stake,
        offered=offered,
        chance=won / weighed if weighed else 0.5,
        unmoved=before / counted if counted else 0.5,
        accepts=accepted / weighed if weighed and higher is not None else None,
        chance_accepted=None,
        least=(fold - lost) / (gained - lost) if gained > lost else 0.0,
        play=None,
        recommendation=None,
        worlds=len(values),
        method="enumerated" if sample.exhaustive and len(values) == len(sample) else "sampled",
    )


def _values(
    view: View,
    sample: Worlds,
    solver: Solver,
    max_seconds: float | None,
    stop: Stop | None,
    max_nodes: int | None,
) -> list[float]:
    """What the seat gets in some worlds, whoever is on turn there; fewer of them at a limit."""
    each = max(1, (_NODES if max_nodes is None else max_nodes) // len(sample))
    begin = time.perf_counter()
    values: list[float] = []
    for world in sample:
        if world.result is not None:
            winner = world.result.winner
            values.append(0.0 if winner is None else 1.0 if winner == view.seat else -1.0)
        else:
            found = solver.solve(
                world, moves=False, line=False, max_nodes=4 * each, seen_claims=True, stop=stop
            )
            middle = (found.lower + found.upper) / 2
            values.append(middle if world.turn == view.seat else -middle)
        if max_seconds is not None and time.perf_counter() - begin >= max_seconds:
            break
        if stop is not None and stop.is_set:
            break
    return values


def _next(rules: RuleSet, stake: int) -> int | None:
    """What the next raise offers, or None at the top."""
    if rules.raises == "ladder":
        return stake + 1 if stake < 6 else None
    return 2 * stake if 2 * stake <= 1024 else None


def _worth(
    rules: RuleSet, score: tuple[int, int] | None, no_raise_hand_played: bool
) -> tuple[Callable[[float, int], float], str]:
    """What an outcome, -1 to 1, is worth at a stake, and in which unit."""
    if rules.scoring != "points_match" or score is None:
        return (lambda outcome, stake: outcome * stake), "stakes"
    own, other = score

    def equity(mine: int, theirs: int) -> float:
        to = rules.match_to
        return float(
            match_equity(
                rules, min(mine, to), min(theirs, to), no_raise_hand_played=no_raise_hand_played
            )
        )

    cached: dict[int, tuple[float, float, float]] = {}

    def worth(outcome: float, stake: int) -> float:
        if stake not in cached:
            cached[stake] = (
                equity(own, other + stake),
                equity(own, other),
                equity(own + stake, other),
            )
        lost, even, won = cached[stake]
        return even + outcome * (won - even if outcome > 0 else even - lost)

    return worth, "match"


def _chances(sample: Worlds, seat: int, kind: str, outcomes: list[float]) -> list[float]:
    """How likely a seat does something from what it sees, world by world."""
    return chances(sample, seat, kind, outcomes, policy_weights(sample.view.rules), _NOISE)


def _mean(values: list[tuple[float, float]]) -> tuple[float, float]:
    weights = sum(weight for weight, _ in values)
    mean = sum(weight * value for weight, value in values) / weights
    spread = sum((weight * (value - mean)) ** 2 for weight, value in values)
    return mean, sqrt(spread) / weights
