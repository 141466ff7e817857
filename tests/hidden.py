"""What tests of hidden cards share: lines, views of them, and deals that look alike."""

from __future__ import annotations

import random
import re

import reference as ref

RULES = (
    *ref.PRESET_NAMES,
    "georgian3[deck=36]",
    "classic[deck=32,discards=shown]",
    "no_trump[hand=4,deck=32]",
)


def some_line(rng: random.Random, rules: str) -> str:
    """A position with all cards known, piles card by card, hands as full as they can be."""
    full = ref.rules_of(rules).hand
    return ref.random_honest_position(rng, rules, rng.choice((0, 0, 2, 4, 6)), full)


def for_reference(line: str) -> str:
    """The line with ``x38h`` (three unknown cards, then 8h) as ``x3(8h)``: the oracle takes all
    digits after x for the number. Brackets mean nothing in a talon.
    """
    return re.sub(r"(x\d+?)([6-9][shdc])", r"\1(\2)", line)


def seen_by(line: str, seat: int) -> str:
    """The oracle's view of a line, in a form that it can read again."""
    return for_reference(ref.view(line, seat))


def hidden_shuffled(rng: random.Random, line: str, seat: int) -> str:
    """The same deal as ``seat`` sees it: the cards it cannot place are dealt anew."""
    raw = ref.parse(line)
    fields = line.split()
    last = 1 if raw.talon and raw.trump >= 0 else 0
    drawn_first = raw.talon[: len(raw.talon) - last]
    hidden = [*raw.hands[1 - seat], *drawn_first]
    hidden += [card for card, closed in raw.piles[seat] if closed]
    rng.shuffle(hidden)
    names = iter([ref.NAMES[card] for card in hidden if card is not None])
    hands = fields[2].split("/")
    if raw.hands[1 - seat]:
        hands[1 - seat] = "".join(next(names) for _ in raw.hands[1 - seat])
    talon = [next(names) for _ in drawn_first]
    talon += [ref.NAMES[card] for card in raw.talon[len(drawn_first) :] if card is not None]
    piles = fields[4].split("/")
    if raw.piles[seat]:
        piles[seat] = "".join(
            f"({next(names)})" if closed else ref.NAMES[card]
            for card, closed in raw.piles[seat]
            if card is not None
        )
    assert next(names, None) is None
    fields[2:5] = "/".join(hands), "".join(talon) or "-", "/".join(piles)
    return " ".join(fields)
