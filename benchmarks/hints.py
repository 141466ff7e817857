"""How long hints take and how exact they are: printed, never asserted.

    python benchmarks/hints.py [--positions N] [--seconds S] [--nodes N] [RULES ...]

Hints are asked for in the middle of hands, with a budget of nodes each, on one core. What is
printed is the share of them whose best move has a standard error of at most 0.02 stake within
the time, and how far ahead worlds were searched. Times are those of the processor, so that
others who use the machine do not count. The positions follow
from a seed: hands dealt at random and played at random for a few tricks, until the seat to act
has a choice and cards lie face down or in the talon.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter

from bura_core import Position, PositionText, Solver, View, recommend
from bura_core.notation import Pile
from bura_core.rule_sets import PRESETS, RuleSet

ERROR = 0.02
"""The standard error a hint is to have, in stakes."""


def deal(rules: RuleSet, rng: random.Random) -> PositionText:
    """A shuffled deck, two hands and the turned trump under the talon."""
    low = 9 - rules.deck // 4
    deck = [suit * 9 + rank for suit in range(4) for rank in range(low, 9)]
    rng.shuffle(deck)
    hands = tuple(tuple(deck.pop() for _ in range(size)) for size in rules.hand_sizes)
    return PositionText(
        rules=rules,
        trump=deck[-1] // 9 if rules.trumps else None,
        hands=hands,
        talon=tuple(deck),
        piles=tuple(Pile((), None) for _ in hands),
        turn=0,
        table=(),
        handicap=(0,) * rules.players,
    )


def middles(rules: RuleSet, count: int, seed: int = 0) -> list[View]:
    """Views in the middle of hands, one a hand."""
    rng = random.Random(f"{rules} {seed}")
    views: list[View] = []
    while len(views) < count:
        position = Position(deal(rules, rng))
        for _ in range(rng.randint(2, 7)):
            moves = [m for m in position.legal_moves() if m.kind in ("play", "discard")]
            if not moves:
                break
            position.play(rng.choice(moves))
        if position.result is not None or len(position.legal_moves()) < 2:
            continue
        view = View.of(position.text(), position.turn)
        if view.world_count > 1:
            views.append(view)
    return views


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rules", nargs="*", default=["georgian3", "classic"])
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--nodes", type=int, default=120_000)
    args = parser.parse_args()
    print(
        f"Hints within {1e3 * args.seconds:.0f} ms on one core, {args.positions} positions each."
    )
    for name in args.rules:
        solver = Solver(table_mb=8)
        times, errors, worlds = [], [], []
        horizons: Counter[str] = Counter()
        clear = enumerated = good = nodes = 0
        for view in middles(PRESETS[name], args.positions):
            begin = time.process_time()
            advice = recommend(view, max_nodes=args.nodes, solvers=[solver])
            took = time.process_time() - begin
            times.append(1e3 * took)
            errors.append(advice.moves[0].standard_error)
            worlds.append(advice.worlds)
            horizons["end" if advice.horizon is None else str(advice.horizon)] += 1
            clear += advice.clear
            nodes += advice.nodes
            enumerated += advice.exhaustive
            good += errors[-1] <= ERROR + 1e-9 and took <= args.seconds
        times.sort()
        errors.sort()
        middle, last = len(times) // 2, 99 * len(times) // 100
        print(
            f"\n{name}: {100 * good / len(times):.1f} % with an error of at most {ERROR} in time"
            f"\n  time    median {times[middle]:.1f} ms, 99 % {times[last]:.1f}, "
            f"worst {times[-1]:.1f}"
            f"\n  error   median {errors[middle]:.3f}, 99 % {errors[last]:.3f}, "
            f"worst {errors[-1]:.3f}"
            f"\n  worlds  mean {sum(worlds) / len(worlds):.0f}, all of them in {enumerated}"
            f"\n  nodes   {1e3 * nodes / sum(times):,.0f} a second"
            f"\n  best    clear at 99 % in {clear}"
            f"\n  ahead   {', '.join(f'{k}: {n}' for k, n in horizons.most_common())}"
        )


if __name__ == "__main__":
    main()
