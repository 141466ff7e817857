"""Fits the policy model of bura_core/inference.py to hands of the arena, and measures it.

    python benchmarks/fit_inference.py HANDS.jsonl [--write NAME] [--check VIEWS]

`HANDS.jsonl` is what `bura arena --out` writes. Even deals are fitted to, odd ones are held out.
The fit is maximum likelihood with a weak pull to 0 (ridge), by Adam on the exact gradient.
`--check` then tells on held-out hands by how much inference improves on equally likely worlds:
the log-loss of the true world and of claims, and how well stated chances of claims are
calibrated. `--write NAME` stores the weights in bura_core/policy_weights.py.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bura_core import Position, View, estimate_claim, parse_move, worlds
from bura_core._inference import (
    NUMBER_OF_FEATURES,
    NUMBER_OF_WEIGHTS,
    Decisions,
    strength_inputs_of,
)
from bura_core._playouts import play_outs
from bura_core.inference import infer, play_weights, witness_of
from bura_core.policy_weights import WEIGHTS as STORED
from bura_core.view import Act

WEIGHTS = dict(STORED)
_PLAYED = 16
"""Play-outs of a position to learn the chance to win from."""
TARGET = Path(__file__).resolve().parent.parent / "bura_core" / "policy_weights.py"


def hands(path: str) -> Iterator[dict[str, Any]]:
    """The hands of a file of the arena."""
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def steps(hand: dict[str, Any]) -> Iterator[tuple[Position, int, Any, list[Act]]]:
    """Each move of a hand: the position before it, who makes it, the move, the acts before it."""
    position = Position.from_text(hand["start"])
    acts: list[Act] = []
    for text in hand["moves"]:
        move = parse_move(text)
        who = position.turn
        if move.kind == "stop":
            who = next((seat for seat, call in position.calls() if call == move), who)
        yield position, who, move, acts
        position.play(move)
        acts.append(Act(who, move.kind, move.cards, move.cards.bit_count()))


def decisions(path: str, parity: int, of: str | None, but: str | None) -> Decisions:
    """All decisions of the even (0) or odd (1) deals: of one player, or of all but one."""
    found = Decisions()
    for hand in hands(path):
        if hand["deal"] % 2 != parity:
            continue
        for position, who, move, _ in steps(hand):
            name = hand["players"][who ^ hand["swapped"]]
            if (of and name != of) or name == but:
                continue
            legal = position.legal_moves()
            may_claim = any(each.kind == "claim" for each in legal)
            if move.kind in ("claim", "play", "discard") and may_claim:
                found.add(position, "claim" if move.kind == "claim" else "no claim", 0)
            may_raise = any(each.kind == "raise" for each in position.raises())
            if may_raise and position.text().offer is None:
                done = "raise" if move.kind == "raise" else "no raise"
                found.add(position, done, 0)
            if position.text().offer is not None:
                done = "fold" if move.kind == "fold" else "accept"
                found.add(position, done, 0)
                if move.kind != "fold" and may_raise:
                    done = "again" if move.kind == "raise" else "not again"
                    found.add(position, done, 0)
            if move.kind in ("play", "discard", "stop"):
                found.add(position, move.kind, move.cards, who)
    return found


def fit_strength(path: str, name: str, most: int) -> tuple[float, ...]:
    """The net that estimates the chance to win: cross-entropy, by Adam on random batches.

    Its examples are all positions of the hands, seen from both seats; what it is to say is how
    often the hand is won from there if the true deal is played out without raises.
    """
    import numpy as np

    rows: list[list[float]] = []
    won: list[float] = []
    for hand in hands(path):
        for position, _, _, _ in steps(hand):
            text = replace(position.text(), offer=None, raiser=None, stake=1)
            plain = Position(text)
            for seat in (0, 1):
                sample = worlds(View(text, seat), 1)
                total = 0.0
                for seed in range(_PLAYED):
                    values, _ = play_outs(
                        sample, [("on", 0)], 0, 1, own=play_weights(position.rules),
                        other=play_weights(position.rules), won=[0, 1], lost=[0, 0],
                        drawn=0.5, raises=False, seed=seed,
                    )  # fmt: skip
                    total += values[0]
                if total == total:
                    rows.append(strength_inputs_of(plain, seat))
                    won.append(total / _PLAYED)
        if len(rows) >= most:
            break
    x, y = np.array(rows), np.array(won)
    rng = np.random.default_rng(0)
    held = rng.random(len(y)) < 0.1
    inputs = x.shape[1]
    hidden = (NUMBER_OF_WEIGHTS - NUMBER_OF_FEATURES - 1) // (inputs + 2)
    shapes = [(hidden, inputs), (hidden,), (hidden,), ()]
    weights = [rng.normal(0, 0.3, shapes[0]), np.zeros(hidden), rng.normal(0, 0.3, hidden),
               np.array(0.0)]  # fmt: skip
    first = [np.zeros(shape) for shape in shapes]
    second = [np.zeros(shape) for shape in shapes]
    rounds = 6000
    train = np.flatnonzero(~held)
    for step in range(1, rounds + 1):
        some = rng.choice(train, 512)
        inner = x[some] @ weights[0].T + weights[1]
        layer = np.maximum(inner, 0)
        chance = 1 / (1 + np.exp(-(layer @ weights[2] + weights[3])))
        error = (chance - y[some]) / len(some)
        back = error[:, None] * weights[2] * (inner > 0)
        slopes = [back.T @ x[some], back.sum(0), layer.T @ error, error.sum()]
        rate = 0.004 * (1 - step / (rounds + 1))
        for i, slope in enumerate(slopes):
            slope = slope + 1e-5 * weights[i]
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope * slope
            weights[i] = weights[i] - rate * first[i] / (1 - 0.9**step) / (
                np.sqrt(second[i] / (1 - 0.999**step)) + 1e-9
            )
    chance = 1 / (1 + np.exp(-(np.maximum(x @ weights[0].T + weights[1], 0) @ weights[2]
                               + weights[3])))  # fmt: skip
    for label, some in (("fitted", ~held), ("held out", held)):
        part, p = y[some], np.clip(chance[some], 1e-4, 1 - 1e-4)
        loss = -(part * np.log(p) + (1 - part) * np.log(1 - p)).mean()
        flat = -(part.mean() * np.log(part.mean()) + (1 - part.mean()) * np.log(1 - part.mean()))
        spread = np.sqrt(((p - part) ** 2).mean())
        print(f"strength, {label}: {some.sum()} positions, {loss:.4f} nats, {flat:.4f} for the "
              f"mean alone; off by {spread:.3f} (root mean square)")  # fmt: skip
    flat_weights = np.concatenate(
        [np.concatenate([weights[0], weights[1][:, None]], 1).ravel(), weights[2], [weights[3]]]
    )
    return tuple(round(float(weight), 3) for weight in flat_weights)


def fit(
    found: Decisions, strength: Sequence[float], rounds: int = 120, ridge: float = 1e-4
) -> list[float]:
    """Maximum likelihood by Adam (Kingma and Ba, 2015)."""
    weights = [0.0] * NUMBER_OF_FEATURES
    first, second = list(weights), list(weights)
    for step in range(1, rounds + 1):
        _, gradient = found.log_likelihood([*weights, *strength])
        rate = 0.15 * (1 - step / (rounds + 1)) + 0.005
        for i, slope in enumerate(gradient):
            slope = slope / len(found) - ridge * weights[i]
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.99 * second[i] + 0.01 * slope * slope
            change = first[i] / (1 - 0.9**step) / (math.sqrt(second[i] / (1 - 0.99**step)) + 1e-9)
            weights[i] += rate * change
    return weights


def check(path: str, weights: Sequence[float], most: int, noise: float) -> None:
    """Print how inference does on the odd deals."""
    rng = random.Random(0)
    gains, claim_losses, uniform_losses, effective = [], [], [], []
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    flat: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for hand in hands(path):
        if hand["deal"] % 2 != 1:
            continue
        for position, who, _, acts in steps(hand):
            if position.text().offer is not None or len(acts) < 2:
                continue
            view = View.of(position.text(), who).after(acts)
            if view.world_count < 2 or position.turn != who:
                continue
            sample = worlds(view, 200, rng.getrandbits(30))
            found = infer(view, sample, weights=weights, noise=noise)
            true = infer_true(view, position, weights, noise)
            if found is None or true is None:
                continue
            # Among the true world and the sampled ones, which was the true one?
            effective.append(found.effective / len(sample))
            gains.append(true - log_mean(view, sample, weights, noise))
            estimate = estimate_claim(view)
            if estimate.verdict == "open":
                chance = found.chance(estimate.target, estimate.ceiling)
                held = position.points[who] + position.handicap[who] >= estimate.target
                claim_losses.append(loss(chance, held, len(sample)))
                uniform_losses.append(loss(float(estimate.chance), held, 10**9))
                bins[min(9, int(10 * chance))].append((chance, held))
                flat[min(9, int(10 * estimate.chance))].append((float(estimate.chance), held))
        if len(gains) >= most:
            break
    mean = sum(gains) / len(gains)
    error = math.sqrt(sum((gain - mean) ** 2 for gain in gains)) / len(gains)
    print(f"true world: log-loss less by {mean:.3f} +- {error:.3f} nats than if all were equal,")
    print(f"  {len(gains)} views; effective worlds {100 * sum(effective) / len(effective):.0f} %")
    if claim_losses:
        print(
            f"claims: log-loss {sum(claim_losses) / len(claim_losses):.4f} against "
            f"{sum(uniform_losses) / len(uniform_losses):.4f} uniform, {len(claim_losses)} open"
        )
    print("chance stated       realised   (n)      before inference")
    for number in range(10):
        print(f"{number / 10:.1f}-{(number + 1) / 10:.1f}   {told(bins[number])}   "
              f"{told(flat[number])}")  # fmt: skip


def told(entries: list[tuple[float, bool]]) -> str:
    """Stated and realised frequency."""
    if not entries:
        return "      -       -      0"
    n = len(entries)
    return f"{sum(e[0] for e in entries) / n:7.3f} {sum(e[1] for e in entries) / n:7.3f} {n:6d}"


def loss(chance: float, held: bool, n: int) -> float:
    """Log-loss; a frequency of n samples is kept off 0 and 1 (Laplace)."""
    chance = (chance * n + 0.5) / (n + 1)
    return -math.log(chance if held else 1 - chance)


def infer_true(
    view: View, position: Position, weights: Sequence[float], noise: float
) -> float | None:
    """The log-likelihood of the history in the true world."""
    witness = witness_of(view, weights, noise)
    if witness is None:
        return None
    full = position.text()
    # The true world, as the only one of a view in which all is known.
    known = View(full, view.seat, view.history)
    logs, _ = witness.log_weights(worlds(known, 1), 0, 1, 1, 16)
    return logs[0]


def log_mean(view: View, sample: Any, weights: Sequence[float], noise: float) -> float:
    """The logarithm of the mean likelihood of a sample's worlds."""
    witness = witness_of(view, weights, noise)
    assert witness is not None
    logs, _ = witness.log_weights(sample, 0, len(sample), 2, 2)
    top = max(logs)
    return top + math.log(sum(math.exp(value - top) for value in logs) / len(logs))


def write(name: str, weights: Sequence[float]) -> None:
    """Store the weights."""
    WEIGHTS[name] = tuple(round(weight, 4) for weight in weights)
    lines = [
        '"""The weights of the policy model, as benchmarks/fit_inference.py found them."""',
        "# fmt: off",
        "# ruff: noqa: E501",
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "from typing import Final",
        "",
        '__all__ = ["WEIGHTS"]',
        "",
        "WEIGHTS: Final[Mapping[str, tuple[float, ...]]] = {",
    ]
    for key, values in sorted(WEIGHTS.items()):
        lines.append(f'    "{key}": (')
        for first in range(0, len(values), 10):
            row = ", ".join(f"{value:g}" for value in values[first : first + 10])
            lines.append(f"        {row},")
        lines.append("    ),")
    lines.append("}")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Fit, check, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("hands")
    parser.add_argument("--write", metavar="NAME")
    parser.add_argument("--check", type=int, metavar="VIEWS", default=0)
    parser.add_argument("--fitted", metavar="NAME", help="check stored weights, fit nothing")
    parser.add_argument("--strength", type=int, metavar="N",
                        help="fit the chance to win anew, to N positions")  # fmt: skip
    parser.add_argument("--of", metavar="PLAYER", help="fit to this player's decisions alone")
    parser.add_argument("--but", metavar="PLAYER", help="leave this player's decisions out")
    parser.add_argument("--noise", type=float, default=0.1)
    args = parser.parse_args()
    if args.fitted:
        weights: Sequence[float] = [*WEIGHTS[args.fitted],
                                    *WEIGHTS[args.fitted.split()[0] + " strength"]]  # fmt: skip
    else:
        base = (args.write or "georgian3").split()[0]
        strength: Sequence[float] = WEIGHTS.get(base + " strength", ())
        if args.strength or not strength:
            strength = fit_strength(args.hands, base, args.strength or 60_000)
            write(base + " strength", strength)
        train = decisions(args.hands, 0, args.of, args.but)
        before, _ = train.log_likelihood([0.0] * NUMBER_OF_WEIGHTS)
        found = fit(train, strength)
        weights = [*found, *strength]
        after, _ = train.log_likelihood(weights)
        test = decisions(args.hands, 1, args.of, args.but)
        held, _ = test.log_likelihood(weights)
        even, _ = test.log_likelihood([0.0] * NUMBER_OF_WEIGHTS)
        print(f"fitted to {len(train)} decisions: {-after / len(train):.4f} nats a decision, "
              f"{-before / len(train):.4f} if all were equally likely")  # fmt: skip
        print(f"held out  {len(test)} decisions: {-held / len(test):.4f}, "
              f"{-even / len(test):.4f}")  # fmt: skip
        if args.write:
            write(args.write, found)
    if args.check:
        check(args.hands, weights, args.check, args.noise)


if __name__ == "__main__":
    main()
