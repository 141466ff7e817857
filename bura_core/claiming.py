"""Whether to claim now or to play on.

Claiming is worth what its chance says: won or lost on the spot. Playing on is worth what the hand
comes to if nobody ever claims on cards he has not seen: in worlds drawn by their likelihood both
seats go on from what they have seen (raising.py tells how), each claims as soon as his own points
are sure or likely enough, and so the other may get there first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from bura_core._rules import not_for_two
from bura_core._solver import Solver, Stop, limit_faults, moves_of
from bura_core.advice import ClaimEstimate, estimate_claim, recommend, weighed
from bura_core.errors import Fault, InputError
from bura_core.notation import Move
from bura_core.raising import Played, Worth
from bura_core.view import View

__all__ = ["ClaimAdvice", "advise_claim"]

_BY_CLAIM = 4
_LOST, _WON, _HOW = 0 + _BY_CLAIM, 2 + _BY_CLAIM, 3 + _BY_CLAIM


@dataclass(frozen=True, slots=True)
class ClaimAdvice:
    """Claiming now against playing on, at the stake in force (values are -1 to 1 of it).

    * ``estimate``: how the claim stands before any assumption about play.
    * ``chance``: that it holds, with what can be inferred from the other's play (exact without a
      history); ``claim_value`` is twice that less 1.
    * ``play``: the best move without a claim, ``play_value`` what it is worth and
      ``standard_error`` the error of that.
    * ``own_later``: the chance that the seat's own later claim wins the hand, ``other_first``:
      that the other's does; None where hands are not played out (more than two seats).
    * ``claim``: whether to claim: it may hold, and is worth at least as much as playing on.
    * ``worlds`` looked at, ``effective``: their effective number after inference, None where all
      count alike. ``method``: ``played out``, or ``sampled`` and ``enumerated`` as in
      `Recommendation`.
    """

    estimate: ClaimEstimate
    chance: float
    claim_value: float
    play: Move
    play_value: float
    standard_error: float
    own_later: float | None
    other_first: float | None
    claim: bool
    worlds: int
    effective: float | None
    method: str


def advise_claim(
    view: View,
    *,
    max_worlds: int = 1000,
    seed: int = 0,
    max_seconds: float | None = None,
    inference: bool = True,
    stop: Stop | None = None,
    solver: Solver | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> ClaimAdvice:
    """Whether the view's seat should claim now.

    ``max_worlds`` (1 to 10 million), ``max_seconds`` (by ``clock``) and ``stop`` bound the work;
    ``solver`` may lend its table. Without time limit and stop, the same arguments give the same
    answer. Raises InputError where the seat may not claim now, and for arguments out of range.
    """
    begin = clock()
    estimate = estimate_claim(view)
    faults = limit_faults(None, max_seconds, 1, stop)
    if not estimate.allowed or view.text.offer is not None:
        faults.append(
            Fault(
                "claim",
                "-" if view.text.claim is None else str(view.text.claim),
                f"seat {view.seat} may not claim here",
                f"ask where it has just won a trick, as told by claim={view.seat}",
            )
        )
    if faults:
        raise InputError(faults)
    solver = solver or Solver(table_mb=4)
    if not_for_two(view.rules) is not None:
        return _from_worlds(view, estimate, max_worlds, seed, max_seconds, stop, solver)
    sample, inferred = weighed(view, max_worlds, seed, inference)
    chance = float(estimate.chance)
    if inferred is not None and estimate.verdict == "open":
        chance = inferred.chance(estimate.target, estimate.ceiling)
    moves = [move for move in moves_of(sample) if move.kind != "claim"]
    # The stake in force is what is played for: 1 of it.
    played = Played(
        replace(view, text=replace(view.text, raiser=None, stake=1)),
        sample,
        inferred.weights if inferred is not None and sample.total == len(sample) else None,
        Worth.of(view.rules, None),
        [(move.kind, move.cards) for move in moves],
        raises=False,
        raiser=-1,
        stake=1,
        offered=0,
        seed=seed,
    )
    played.run(
        max_worlds,
        solver=solver,
        deadline=None if max_seconds is None else begin + max_seconds,
        clock=clock,
        stop=stop,
    )
    best = played.order()[0]
    value, error = played.mean(best)
    return ClaimAdvice(
        estimate=estimate,
        chance=chance,
        claim_value=2 * chance - 1,
        play=moves[best],
        play_value=value,
        standard_error=error,
        own_later=played.share(best, _WON, _HOW),
        other_first=played.share(best, _LOST, _HOW),
        claim=chance > 0 and 2 * chance - 1 >= value,
        worlds=played.worlds,
        effective=None if inferred is None else inferred.effective,
        method="played out",
    )


def _from_worlds(
    view: View,
    estimate: ClaimEstimate,
    max_worlds: int,
    seed: int,
    max_seconds: float | None,
    stop: Stop | None,
    solver: Solver,
) -> ClaimAdvice:
    """Where hands are not played out: the mean over worlds in which claims are honest."""
    advice = recommend(
        view,
        max_worlds=max_worlds,
        seed=seed,
        max_seconds=max_seconds,
        stop=stop,
        solvers=[solver],
    )
    best = next(each for each in advice.moves if each.move.kind != "claim")
    chance = float(estimate.chance)
    return ClaimAdvice(
        estimate=estimate,
        chance=chance,
        claim_value=2 * chance - 1,
        play=best.move,
        play_value=best.value,
        standard_error=best.standard_error,
        own_later=None,
        other_first=None,
        claim=chance > 0 and 2 * chance - 1 >= best.value,
        worlds=advice.worlds,
        effective=None,
        method=advice.method,
    )
