"""Which worlds are likelier, given what the other seat did.

Before any inference all worlds of a view are equally likely. But he did not beat, he led this card
and not that one, he let his right to claim go, he raised: each says something of his cards. Every
world is weighted by the likelihood of all that under a policy model (_inference.pyx): a
multinomial logit over his leads and answers, logits for claims, raises and accepted raises. The
weights of the model were fitted to hands between the project's own players, by
benchmarks/fit_inference.py. A noise floor of `NOISE` is mixed in: anybody may play anything.

The history comes with the view; without one, and where more than two seats play, hands differ in
size or lie open, all worlds stay equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

from bura_core._inference import NUMBER_OF_WEIGHTS, Witness, raise_chances
from bura_core._rules import beats
from bura_core._sampler import Worlds
from bura_core.policy_weights import WEIGHTS
from bura_core.rule_sets import RuleSet
from bura_core.view import View

__all__ = ["NOISE", "Inference", "infer", "policy_weights"]

NOISE = 0.1
"""The share of actions that the model takes for anything at all."""
_NEAREST = "georgian3"
"""Whose policy plays hands out under rules that none was fitted to."""
_DRAWS = 2
"""Ways a world in which the other may have drawn and laid his cards that are tried."""
(_BEAT, _DISCARD, _LETS_GO, _RAISE, _NO_RAISE, _ACCEPT) = (1, 2, 3, 5, 6, 7)  # as in _inference


@dataclass(frozen=True, slots=True)
class Inference:
    """Weights of a sample's worlds.

    * ``weights``: one a world, not negative, their mean 1.
    * ``effective``: the effective number of worlds, (sum of weights)^2 / (sum of squares): 1 to
      the number of worlds. Small where what was seen is hard to explain.
    * ``counts``: what the seat's own pile counts in each world, handicap included.
    """

    weights: tuple[float, ...]
    effective: float
    counts: tuple[int, ...]

    def chance(self, target: int, ceiling: int | None) -> float:
        """The chance that the pile counts at least the target, and no more than the ceiling."""
        good = sum(
            weight
            for weight, count in zip(self.weights, self.counts, strict=True)
            if count >= target and (ceiling is None or count <= ceiling)
        )
        return good / sum(self.weights)


def policy_weights(rules: RuleSet) -> Sequence[float]:
    """The weights of the policy model for a rule set: of the nearest one it was fitted to."""
    return _weights(_fitted(rules))


def own_weights(rules: RuleSet) -> Sequence[float]:
    """The same of the advice's own policy: how who is advised is taken to play on."""
    name = _fitted(rules)
    name = name if name in WEIGHTS else _NEAREST
    return _weights(f"{name} advised" if f"{name} advised" in WEIGHTS else name)


def play_weights(rules: RuleSet) -> Sequence[float]:
    """Weights to play hands out by: where none were fitted, those of the three-card game."""
    name = _fitted(rules)
    return _weights(name if name in WEIGHTS else _NEAREST)


@lru_cache(maxsize=16)
def _weights(name: str) -> tuple[float, ...]:
    """The choices' weights and, after them, those of the net for the chance to win."""
    strength = WEIGHTS.get(name.split()[0] + " strength", ())
    every = (*WEIGHTS.get(name, ()), *strength)
    return every if len(every) == NUMBER_OF_WEIGHTS else (0.0,) * NUMBER_OF_WEIGHTS


def _fitted(rules: RuleSet) -> str:
    if rules.hand >= 5:
        return "georgian5"
    if rules.hand == 4:
        return "burkozel"
    return "georgian3" if rules.deck == 20 else "classic"


def infer(
    view: View,
    sample: Worlds,
    *,
    noise: float = NOISE,
    weights: Sequence[float] | None = None,
    seed: int = 0,
) -> Inference | None:
    """The weights of a sample of the view's worlds; None where there is nothing to infer from.

    ``noise`` is 0 to 1; ``weights`` are those of the policy model, its own if left out. The same
    arguments give the same answer.
    """
    witness = witness_of(view, weights, noise)
    if witness is None:
        return None
    return _of(*witness.log_weights(sample, 0, len(sample), seed, _DRAWS))


def infer_from_raise(view: View, sample: Worlds, raiser: int, stake: int) -> Inference | None:
    """What a raise of ``stake`` tells alone, where nothing is known of the play before it."""
    model = policy_weights(view.rules)
    if not any(model):
        return None
    logs = [log(chance) for chance in raise_chances(sample, raiser, stake, model, NOISE)]
    return _of(logs, [world.points[view.seat] + world.handicap[view.seat] for world in sample])


def _of(logs: Sequence[float], counts: Sequence[int]) -> Inference:
    """From the logarithms of likelihoods."""
    top = max(logs)
    raw = [exp(value - top) for value in logs]
    total = sum(raw)
    scale = len(raw) / total
    return Inference(
        tuple([value * scale for value in raw]),
        total * total / sum(value * value for value in raw),
        tuple(counts),
    )


def witness_of(view: View, weights: Sequence[float] | None, noise: float) -> Witness | None:
    """What has been seen of the other seat; None where there is nothing to infer from."""
    tricks = _tricks(view)
    if tricks is None:
        return None
    low = 9 - view.rules.deck // 4
    deck = sum(1 << suit * 9 + rank for suit in range(4) for rank in range(low, 9))
    return Witness(
        view.seat,
        deck,
        _turn_up(view),
        tricks,
        policy_weights(view.rules) if weights is None else weights,
        noise,
    )


def _turn_up(view: View) -> int:
    """The turned trump, where the other's hand is known to hold it."""
    mask = 0
    for card in view.text.hands[1 - view.seat]:
        if card is not None:
            mask |= 1 << card
    return mask if mask.bit_count() == 1 else 0


def _tricks(view: View) -> list[tuple[object, ...]] | None:
    """The history trick by trick, as `Witness` takes it."""
    rules, text, other = view.rules, view.text, 1 - view.seat
    if (
        not view.history
        or rules.players != 2
        or len(set(rules.hand_sizes)) != 1
        or rules.open_seats
        or rules.rank_leads
        or not any(policy_weights(rules))
    ):
        return None
    talon = rules.deck - sum(rules.hand_sizes)
    may_raise = rules.raises != "none" and (
        text.score is None or max(text.score[:2]) < text.score[2] - 1
    )
    stake_top = 6 if rules.raises == "ladder" else 1024
    turn_up = _turn_up(view)
    tricks: list[tuple[object, ...]] = []
    fresh = {
        "leader": -1, "size": 0, "lead": 0, "answer": 0, "answered": 0, "drawn": 0, "claim": 0,
        "first": 0, "second": 0, "replied": 0, "talon": talon, "stake": 1, "turn_up": 0,
    }  # fmt: skip
    now = dict(fresh)
    last_winner = raiser = -1
    stake, offered = 1, 0

    def close() -> None:
        tricks.append(tuple(now.values()))

    for act in view.history:
        kind, seat = act.kind, act.seat
        if kind == "raise":
            if offered:
                stake = offered
                if seat == other:
                    now.update(replied=_ACCEPT, stake=offered)
            elif seat == other:
                now.update(first=_RAISE, stake=stake)
            raiser = seat
            offered = stake + 1 if rules.raises == "ladder" else 2 * stake
        elif kind == "accept":
            if seat == other:
                now.update(replied=_ACCEPT, stake=offered)
            stake, offered = offered, 0
        elif kind in ("play", "stop", "discard"):
            silent = (
                may_raise
                and seat == other
                and raiser != other
                and stake < stake_top
                and not now["first"]
                and kind != "stop"
            )
            if kind == "stop" or not now["lead"]:
                # A lead that is called off goes back to the hand.
                now.update(leader=seat, lead=act.cards, size=act.size)
                if seat == other and last_winner == other and kind == "play":
                    now["claim"] = _LETS_GO
                if silent:
                    now.update(first=_NO_RAISE, stake=stake)
                continue
            if silent:
                now.update(first=_NO_RAISE, stake=stake)
            beaten = kind == "play" and beats(rules, view.trump, now["lead"], act.cards)
            now.update(answered=_BEAT if beaten else _DISCARD, answer=act.cards)
            last_winner = seat if beaten else now["leader"]
            drawn = min(now["size"], talon // 2)
            talon -= 2 * drawn
            first = now["leader"] if rules.refill_from == "leader" else last_winner
            now.update(drawn=drawn, turn_up=bool(drawn and not talon and turn_up
                                                 and first == view.seat))  # fmt: skip
            close()
            now = {**fresh, "talon": talon}
    if now["lead"] or now["first"] or now["replied"]:
        if now["leader"] < 0:
            now["leader"] = text.turn
        close()
    return tricks
