"""Random small endings of any two-player rule set, built rather than played.

The cards that are hidden from somebody are chosen first: both hands, a few discards laid face
down, perhaps the last of the talon. All others lie openly in the piles.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from bura_core import InputError, Position, View
from bura_core.equilibrium import joint_deals
from reference import card_list, deck_mask
from reference_seats import NAMES, Rules, rules_of


def endings(
    seed: int,
    text: str,
    *,
    least: int = 2,
    most: int = 60,
    cards: tuple[int, ...] = (1, 2, 3),
    talon: tuple[int, ...] = (0,),
    down: tuple[int, ...] = (0, 0, 1, 2),
    table: float = 0.3,
) -> Iterator[tuple[View, str]]:
    """Endings of ``least`` to ``most`` joint deals, without end.

    Each is the view of the seat to act, and the line with all cards known. ``cards`` is how many
    cards the smaller hand holds, ``talon`` how many are left to draw; ``down`` how many each
    may have laid face down; ``table`` is how often the other has led.
    """
    rng = random.Random(f"{seed} {text}")
    rules = rules_of(text)
    for _ in range(20_000):
        line = _line(rng, text, rules, rng.choice(cards), rng.choice(talon), table, down)
        try:
            view = View.of(Position.from_text(line).text(), int(line.split()[5]))
            position = Position.from_text(line)
        except InputError:
            continue
        if position.result is None and least <= joint_deals(view) <= most:
            yield view, line
    raise AssertionError(f"no such endings of {text}")


def _line(
    rng: random.Random,
    text: str,
    rules: Rules,
    size: int,
    left: int,
    table: float,
    down: tuple[int, ...],
) -> str:
    deck = card_list(deck_mask(rules.deck))
    rng.shuffle(deck)
    if rng.random() < 0.3:
        # Combinations gather in front.
        front = sorted(deck[:14], key=lambda card: (card // 9, rng.random()))
        deck[:14] = front
    extra = rules["extra_card"]
    sizes = list(rules.sizes) if left else [size + (extra == str(seat)) for seat in (0, 1)]
    # With a card too many in one hand the last of the talon is never drawn.
    left += sum(sizes) % 2
    names = [NAMES[card] for card in deck]
    hands = [names[: sizes[0]], names[sizes[0] : sum(sizes)]]
    rest = names[sum(sizes) :]
    stock, rest = rest[:left], rest[left:]
    trump = "-" if rules["trumps"] == "no" else rng.choice("shdc")
    if stock and trump != "-":
        trump = stock[-1][1]
    turn = rng.randrange(2)
    laid_down = [rng.choice(down) if rules.closed else 0 for _ in (0, 1)]
    # Each closed card lies in the pile with one that was led to it.
    share = 2 * rng.randrange(len(rest) // 2 + 1)
    if rng.random() < 0.6:
        share = max(0, len(rest) // 4 * 2 + 2 * rng.randrange(-2, 3))
    piles = [rest[:share], rest[share:]]
    written = []
    for seat in (0, 1):
        hidden = laid_down[1 - seat] if 2 * laid_down[1 - seat] <= len(piles[seat]) else 0
        pile = piles[seat]
        inside = "".join(pile[:hidden])
        written.append("".join(pile[hidden:]) + (f"({inside})" if hidden else "") or "-")
    laid, claim = "-", ""
    if rng.random() < table:
        leader = 1 - turn
        lead = [card for card in hands[leader] if card[1] == hands[leader][0][1]]
        lead = lead[: rng.randrange(len(lead)) + 1][: sizes[turn]]
        hands[leader] = [card for card in hands[leader] if card not in lead]
        laid = f"{leader}:{''.join(lead)}"
    elif written[turn] != "-" and rng.random() < 0.7:
        claim = f" claim={turn}"
    held = "/".join("".join(hand) or "-" for hand in hands)
    stake = ""
    if rules["raises"] != "none" and rng.random() < 0.3:
        raiser = rng.randrange(2)
        stake = f" stake=2 raiser={raiser}"
        if rng.random() < 0.3:
            stake = f" raiser={1 - turn} offer=2"
    return (
        f"{text} {trump} {held} {''.join(stock) or '-'} {'/'.join(written)} {turn} {laid}"
        f"{claim}{stake}"
    )
