"""What sampling loses against equilibrium: a fixed suite of 100 small endings.

    python benchmarks/ending_losses.py [--suite FILE] [--every N]
    python benchmarks/ending_losses.py --write

Each ending is solved over all joint deals that both players hold possible. Then the seat to act
decides once by a rule that knows no equilibrium, with *every* hand it may hold, and goes on as in
equilibrium. Printed, in stakes and averaged over all hands as likely as they are:

* loss: the value of the ending less what that is worth against the other's equilibrium strategy,
  who does not know of the rule;
* exploited: the same against another who does know, and answers as well as he can (a best
  response in the whole tree). At most the certified gap of either is search error.

The rules: `sampling`, the mean over worlds with all cards known, claims included, which is the
usual program; `advice`, what `recommend` says, where nobody claims on cards he has not seen. Both
raise if their chance to win is three quarters or more, where raises are considered.

The suite is of random play (who can beat does so nine times in ten), two cards or more in each
hand; half of it may raise, and endings whose winner is certain are left out. `--write` makes it
anew (ending_suite.txt). Nothing is asserted.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from make_suite import deal

from bura_core import (
    Move,
    Position,
    RuleSet,
    Solution,
    Solver,
    View,
    recommend,
    solve_many,
    worlds,
)
from bura_core._equilibrium import PublicEnding
from bura_core.equilibrium import EndingTooLarge, ending_of, joint_deals, solve_ending
from bura_core.errors import InputError
from bura_core.notation import Pile

STORED = Path(__file__).resolve().with_name("ending_suite.txt")
HEADER = """\
# Small endings as the seat to act has seen them, written by benchmarks/ending_losses.py --write:
# 50 of rules with raises, then 50 of rules without.
"""
WITH_RAISES = {"georgian3": 20, "georgian3[deck=36]": 15, "dave": 15}
WITHOUT = {"classic": 14, "casino": 12, "moskva": 12, "burkozel": 12}
LEAST, MOST = 30, 5000
FEWEST = 2
"""Cards in each hand."""
BEATS = 0.9
MAX_SIZE = 1_000_000
GAP = 5e-4
RAISE_FROM = 0.75
PLAYED = 0.01
"""What equilibrium plays less often is a mistake of the rule that plays it."""


def endings(rules: str) -> Iterator[View]:
    """Undecided endings of random play, without end."""
    rng = random.Random(f"endings {rules}")
    while True:
        start = deal(RuleSet.parse(rules), rng)
        at = Position(replace(start, piles=(Pile((), None), Pile((), None))))
        while at.result is None:
            moves = [move for move in at.legal_moves() if move.kind != "claim"]
            cards = at.hands[at.turn].bit_count()
            if not at.talon and not at.table and cards >= FEWEST and moves[0].kind == "play":
                view = View.of(at.text(), at.turn)
                if LEAST <= joint_deals(view) <= MOST and undecided(view):
                    yield view
                    break
            # Who can beat does so as a rule, or too much would lie face down.
            beating = [move for move in moves if move.kind == "play"]
            at.play(rng.choice(beating if beating and rng.random() < BEATS else moves))


def undecided(view: View) -> bool:
    """Whether the ending is small enough, and its winner is not certain."""
    try:
        found = solve_ending(view, max_raises=0, max_size=MAX_SIZE // 3, always=False)
        ending_of(view, max_raises=min(1, raises_of(view)), max_size=MAX_SIZE)
    except (EndingTooLarge, InputError):
        return False
    return abs(found.ending_value) < 0.98 * view.text.stake


def raises_of(view: View) -> int:
    """Further raises that are considered: one where there are any."""
    return 0 if view.rules.raises == "none" else 1


def with_hand(view: View, hand: int, down: int) -> View:
    """The same public situation with other cards of the seat's own, in hand and face down."""
    text, seat = view.text, view.seat
    cards = iter(_cards(down))
    piles = list(text.piles)
    piles[1 - seat] = replace(
        piles[1 - seat],
        items=tuple(
            replace(item, card=next(cards)) if item.closed else item
            for item in piles[1 - seat].items
        ),
    )
    hands = list(text.hands)
    hands[seat] = tuple(_cards(hand))
    return View(replace(text, hands=tuple(hands), piles=tuple(piles)), seat)


def _cards(mask: int) -> list[int]:
    return [card for card in range(36) if mask >> card & 1]


def sampling(view: View, solver: Solver) -> dict[Move, float]:
    """Means of values with all cards known."""
    totals: dict[Move, float] = {}
    # Written out, a world no longer knows who has seen which card.
    known = [Position(world.text()) for world in worlds(view, 1000, 0)]
    for found in solve_many(known, solvers=[solver]):
        assert isinstance(found, Solution)
        for each in found.moves:
            totals[each.move] = totals.get(each.move, 0.0) + each.value
    # Of equal moves the one with fewer points comes first, as with the arena's player.
    order = sorted(totals, key=lambda move: (points_of(move.cards), move.cards))
    return {move: totals[move] / len(known) for move in order}


def points_of(cards: int) -> int:
    """Card points."""
    return sum((0, 0, 0, 0, 2, 3, 4, 10, 11)[card % 9] for card in _cards(cards))


def advice(view: View, solver: Solver) -> dict[Move, float]:
    """What `recommend` says."""
    found = recommend(view, max_worlds=1000, seed=0, confidence=None, solvers=[solver])
    return {each.move: each.value for each in found.moves}


RULES = {"sampling": sampling, "advice": advice}
Choices = dict[tuple[str, int, int], tuple[Move, float]]
"""What rule decides with which hand, known already: the move and the chance to win with it."""


@dataclass
class Loss:
    """What a rule loses in one ending."""

    value: float
    loss: float
    exploited: float
    raised: float
    raised_right: float
    wrong: float
    gap: float


def losses(view: View, raises: int, choices: Choices) -> dict[str, Loss]:
    """The losses of each rule, with so many raises considered."""
    game = ending_of(view, max_raises=raises, max_size=4 * MAX_SIZE)
    game.improve(gap=GAP, max_iterations=20_000, max_seconds=None, stop=None)
    seat, sign = view.seat, 1 if view.seat == 0 else -1
    value = game.settle(seat)
    sure = min(sign * game.lower, sign * game.upper)
    size = view.hand.bit_count()
    hands = {
        (hand, down)
        for _, _, player, _, sets in game.nodes()
        if player == seat
        for hand, down, _ in sets
        if hand.bit_count() == size and game.chance_of(seat, hand, down) > 0
    }
    solver = Solver(table_mb=4)
    found = {}
    for name, rule in RULES.items():
        total = Loss(value, 0.0, 0.0, 0.0, 0.0, 0.0, abs(game.upper - game.lower))
        fixed: list[tuple[int, float]] = []
        for hand, down in sorted(hands):
            chance = game.chance_of(seat, hand, down)
            if (name, hand, down) not in choices:
                values = rule(with_hand(view, hand, down), solver)
                # The first of the highest, for each has an order among equals.
                best = max(values, key=values.__getitem__)
                choices[name, hand, down] = best, (values[best] + 1) / 2
            choice, win = choices[name, hand, down]
            may = choice.kind in ("play", "discard") and win >= RAISE_FROM
            steps = game.steps(seat, hand, down)
            edges, worth, played, raised = _always(game, seat, (hand, down), steps, choice, may)
            if edges is None:
                continue
            fixed += edges
            here = game.slot_value(seat, steps[0][1], hand, down)
            total.loss += here - worth
            total.wrong += chance * (played < PLAYED)
            total.raised += chance * raised[0]
            total.raised_right += chance * raised[1]
        total.exploited = sure - game.guarantee(seat, fixed)
        found[name] = total
    return found


def _always(
    game: PublicEnding,
    seat: int,
    cards: tuple[int, int],
    steps: list[tuple[str, int]],
    choice: Move,
    may_raise: bool,
) -> tuple[list[tuple[int, float]] | None, float, float, tuple[float, float]]:
    """Edges of a hand that makes one choice always; its worth, how often it is right, raises."""
    fixed: list[tuple[int, float]] = []
    reach, waited, worth = 1.0, 0.0, 0.0
    right = 0.0
    for at, (_, number) in enumerate(steps):
        moves = game.policy(seat, number, *cards)
        raising = next((p for move, p, _, _ in moves if move.kind == "raise"), 0.0)
        right += reach * raising
        wanted = next((each for each in moves if each[0] == choice), None)
        bid = next((each for each in moves if each[0].kind == "raise"), None)
        if may_raise and bid is not None:
            wanted = bid
        on = next((each for each in moves if each[0].kind == "on"), None)
        taken = wanted or on
        if taken is None:
            return None, 0.0, 0.0, (0.0, 0.0)
        fixed += [(edge, float(edge == taken[3])) for *_, edge in moves]
        here = game.slot_value(seat, steps[0][1], *cards) if at == 0 else waited
        mean = sum(p * v for _, p, v, _ in moves)
        worth = here - mean + taken[2]
        if wanted is not None or at + 1 == len(steps):
            return fixed, worth, reach * taken[1], (float(taken is bid), right)
        reach *= taken[1]
        waited = worth
    return fixed, worth, reach, (0.0, right)


def write() -> None:
    """Make the suite anew."""
    lines = []
    for group in (WITH_RAISES, WITHOUT):
        for rules, number in group.items():
            source = endings(rules)
            lines += [str(next(source)) for _ in range(number)]
            print(rules, number, flush=True)
    STORED.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


def show(name: str, rows: list[Loss]) -> None:
    """One line of the table."""
    count = len(rows)

    def mean(values: list[float]) -> str:
        error = statistics.stdev(values) / count**0.5 if count > 1 else 0.0
        return f"{statistics.fmean(values):.4f} ± {error:.4f}"

    print(
        f"{name:<28} {count:4d}  {mean([row.loss for row in rows]):>17}  "
        f"{mean([row.exploited for row in rows]):>17}  "
        f"{statistics.fmean(row.wrong for row in rows):6.1%}  "
        f"{statistics.fmean(row.raised for row in rows):6.1%}  "
        f"{statistics.fmean(row.raised_right for row in rows):6.1%}"
    )


def main() -> None:
    """Print the table, or write the suite."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="make the suite anew")
    parser.add_argument("--suite", type=Path, default=STORED)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth ending")
    chosen = parser.parse_args()
    if chosen.write:
        write()
        return
    rows: dict[tuple[str, str], list[Loss]] = {}
    lines = [line for line in chosen.suite.read_text("utf-8").splitlines() if line[0] != "#"]
    for line in lines[:: chosen.every]:
        view = View.from_text(line)
        kind = "rules with raises" if view.rules.raises != "none" else "rules without raises"
        choices: Choices = {}
        for raises in range(raises_of(view) + 1):
            what = f"{kind}, {'a raise' if raises else 'none considered'}"
            what = kind if view.rules.raises == "none" else what
            for name, loss in losses(view, raises, choices).items():
                rows.setdefault((what, name), []).append(loss)
    print("stakes a decision, ± standard error over endings; shares of hands")
    print(f"{'rule':<28} {'n':>4}  {'loss':>17}  {'exploited':>17}   wrong  raises   right")
    for (what, name), each in sorted(rows.items()):
        show(f"{name}: {what}"[:60], each)


if __name__ == "__main__":
    main()
