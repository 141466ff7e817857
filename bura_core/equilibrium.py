"""Small endings with hidden cards, solved: what is right when nobody sees more than he has seen.

`solve_ending` builds the *public* ending of a view, every joint deal that is possible given what
both players have seen, with claims, raises, answers to them and out-of-turn leads as moves, and
finds an equilibrium of it. Its value is certified by best responses to either side's strategy.
docs/equilibrium.md tells what is taken to be public, and what is assumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, exp, factorial
from typing import Final, Literal

from bura_core._equilibrium import PublicEnding, stakes_from
from bura_core._rules import not_for_two
from bura_core._sampler import worlds
from bura_core._solver import Stop, limit_faults
from bura_core.errors import Fault, InputError, UnsupportedError
from bura_core.inference import NOISE, witness_of
from bura_core.notation import Move, PositionText
from bura_core.rule_sets import RuleSet
from bura_core.view import Act, View

__all__ = [
    "ADVICE_NODES",
    "MAX_DEALS",
    "Ending",
    "EndingMove",
    "EndingTooLarge",
    "Pay",
    "Unsolved",
    "ending_of",
    "inferred_prior",
    "joint_deals",
    "solve_ending",
    "stake_pay",
    "try_ending",
]

MAX_DEALS: Final = 5000
"""Joint deals that an ending may have, unless said otherwise."""
MAX_SIZE: Final = 12_000_000
"""Edges and terminal entries of a tree, unless said otherwise: about 0.6 gigabytes."""
WORST_GAP: Final = 0.05
"""The largest gap, in stakes, at which `try_ending` still gives an answer."""
GAP: Final = 1e-3
"""The gap at which the search stops, in stakes, unless said otherwise."""
VISITS: Final = 100
"""Visits of an edge or terminal entry that count as a node: as much work as one of a solver."""
BUILT: Final = 10
"""Visits that an edge or terminal entry counts as when it is built."""
ADVICE_NODES: Final = 4_000_000
"""The budget of `try_ending`, unless said otherwise: some two seconds of one core."""
_ADVICE_SIZE = 4_000_000
"""Edges and terminal entries of a tree in `try_ending` at most: some 200 megabytes."""
_DRAWS = 64
"""Ways in which a seat may have drawn and laid its cards that are tried for each state."""
_QUICK = 400_000
"""Up to this size a tree with all raises is tried at once: some hundredths of a second."""
_ROUNDS = 50
"""Iterations that a budget has to allow for, or the tree is too large for it."""

Pay = Callable[[int, "int | None", str], float]
"""What a finished hand is worth to seat 0: of (stake, winner or None, reason)."""
Prior = Callable[[tuple[int, int], tuple[int, int]], float]
"""Weight of a joint deal: of (hands by seat, cards laid face down by seat), all masks."""
Ranges = tuple[Callable[[int, int], float], Callable[[int, int], float]]
"""Weight of what each seat holds, whose product counts: of (hand, cards laid face down)."""


class EndingTooLarge(UnsupportedError):
    """The public ending has more joint deals, or a larger tree, than was allowed.

    ``stopped`` is ``time`` where a clock or a `Stop` had the last word, else None.
    """

    def __init__(self, message: str, stopped: str | None = None) -> None:
        super().__init__(message)
        self.stopped = stopped


@dataclass(frozen=True, slots=True)
class Unsolved:
    """Why `try_ending` has no equilibrium.

    * ``reason``: in words.
    * ``stopped``: ``time`` or ``stop`` where there might be one next time, else None.
    """

    reason: str
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class EndingMove:
    """A move of the hand asked about, in equilibrium.

    * ``probability``: how often to make it, 0 to 1.
    * ``value``: what it is worth with this hand against the other's equilibrium strategy, the
      rest being played on in equilibrium; in stakes (or what `pay` says), to the player asked.
    * ``always``: what this hand is worth on average if it *always* makes this move and the
      other knows that and does his best against it; None where it was not asked for. What it is
      below the hand's value is the price of not mixing. Where plain suits look alike, it is
      meant of all hands that differ by them alone, and of moves alike as often as each other.
    """

    move: Move
    probability: float
    value: float
    always: float | None


@dataclass(frozen=True, slots=True)
class Ending:
    """A solved public ending, as one player asks about it.

    * ``value``: of this hand, to the player asked: in stakes of the hand as it began (or in
      what `pay` says), by his strategy against the other's.
    * ``ending_value``, ``lower``, ``upper``: the value of the whole public ending to him,
      averaged over all hands he may hold in the eyes of both, and bounds of it proved by two
      best responses. ``gap`` is ``upper - lower``: neither can gain more than that by any
      other strategy against the one given.
    * ``moves``: the mixed strategy of this hand, likeliest first.
    * ``chance``: how likely this hand was, in the eyes of both.
    * ``joint_deals``, ``infosets``, ``iterations``, ``memory`` (bytes), ``search_us``.
    * ``symmetries``: how many exchanges of plain suits leave the ending as it is, the one that
      changes nothing included. What they turn into one another was solved once.
    * ``raises``: how many more raises were considered; None if all that the rules allow.
    * ``prior``: ``uniform``, ``inferred`` (from what both did before) or ``weighted`` (as given).
    * ``stopped``: None, or what ended the search before the gap: ``nodes``, ``iterations``,
      ``time``, ``stop``.
    """

    seat: int
    value: float
    ending_value: float
    lower: float
    upper: float
    moves: tuple[EndingMove, ...]
    chance: float
    joint_deals: int
    infosets: int
    symmetries: int
    iterations: int
    memory: int
    search_us: float
    raises: int | None
    prior: str
    stopped: str | None

    @property
    def gap(self) -> float:
        """What the two strategies can be exploited by, together; in the unit of the value."""
        return self.upper - self.lower

    @property
    def best(self) -> Move:
        """The likeliest move."""
        return self.moves[0].move

    @property
    def method(self) -> str:
        """``equilibrium``."""
        return "equilibrium"


def stake_pay(rules: RuleSet) -> Pay:
    """The usual worth of a hand: the stake won or lost, doubled for a bura where that pays two."""

    def pay(stake: int, winner: int | None, reason: str) -> float:
        if winner is None:
            return 0.0
        size = stake * (rules.bura_counts if reason == "bura" else 1)
        return float(size if winner == 0 else -size)

    return pay


@dataclass(frozen=True, slots=True)
class _Places:
    """What is hidden from somebody: cards of the pool in each hand, and face down of each seat."""

    hands: tuple[int, int]
    downs: tuple[int, int]
    pool: int
    known: tuple[int, int]
    talon: int

    @property
    def joint(self) -> int:
        """How many joint deals there are, orders of the talon included."""
        left, count = self.pool.bit_count(), factorial(self.talon)
        for places in (*self.hands, *self.downs):
            count *= comb(left, places)
            left -= places
        return count


def _mask(cards: tuple[int | None, ...]) -> int:
    return sum(1 << card for card in cards if card is not None)


def _places(view: View, shown: int) -> _Places:
    text, seat = view.text, view.seat
    known = [0, 0]
    for each in (0, 1):
        # Of the other's hand whatever the line names is public: it has been seen.
        if each != seat or each in text.rules.open_seats:
            known[each] = _mask(text.hands[each])
    known[seat] |= shown
    hands = tuple(len(text.hands[each]) - known[each].bit_count() for each in (0, 1))
    # A card face down in one pile was discarded by the other seat.
    laid = [[item for item in text.piles[1 - each].items if item.closed] for each in (0, 1)]
    own = sum(1 << item.card for item in laid[seat] if item.card is not None)
    return _Places(
        hands=(hands[0], hands[1]),
        downs=(len(laid[0]), len(laid[1])),
        pool=(view.unseen | view.hand | own) & ~(known[0] | known[1]),
        known=(known[0], known[1]),
        talon=len(text.talon) - (1 if text.talon and text.rules.trumps else 0),
    )


def joint_deals(view: View, shown: int = 0) -> int:
    """How many joint deals both players together hold possible; exact, 1 and up.

    Deals differ in both hands, in who has laid what face down, and in the talon's order.
    ``shown`` are cards of the own hand that the other has seen there, as a mask.
    """
    return _places(view, shown).joint


def _refuse(view: View) -> None:
    rules = view.rules
    if rules.extra_card is not None and rules.players == 2:
        rules = rules.replace(extra_card=None, open_hands="none")
    gap = not_for_two(rules)
    if gap is not None:
        raise UnsupportedError(f"endings of {gap} are not solved")


def solve_ending(
    view: View,
    *,
    gap: float = GAP,
    max_deals: int = MAX_DEALS,
    max_size: int = MAX_SIZE,
    max_raises: int | None = None,
    max_nodes: int | None = None,
    max_iterations: int | None = None,
    max_seconds: float | None = None,
    stop: Stop | None = None,
    prior: Prior | Ranges | Literal["inferred"] | None = None,
    pay: Pay | None = None,
    shown: int = 0,
    always: bool = True,
    reduce: bool = True,
) -> Ending:
    """An equilibrium of the public ending that ``view`` is a part of, and what it says to do.

    Stops when the certified gap is at most ``gap`` (in stakes, more than 0), or at one of the
    limits. An ending of more than ``max_deals`` joint deals, or whose tree would have more than
    ``max_size`` edges and terminal entries, is refused (EndingTooLarge). Where a tree with all
    raises is too large, fewer of them are considered, as the answer says; ``max_raises`` asks
    for that many at most.

    ``prior`` weighs the joint deals: a function of a whole one, or a pair of functions, one a
    seat, of (hand, cards laid face down), whose product counts; ``inferred`` for
    `inferred_prior`, as far as there is anything to infer from; left out, all are equally
    likely. ``pay`` says what a finished hand is worth to seat 0 (default `stake_pay`).
    ``shown`` are cards of the own hand that the other knows to be there, such as a turned
    trump that was drawn. ``always`` asks for `EndingMove.always`. ``reduce=False`` keeps moves
    that cannot be better than others, and apart what suits that look alike turn into one
    another; it changes no value.

    Raises InputError where the seat has nothing to decide, and for arguments out of range;
    UnsupportedError for rules of more than two players, of calls after the lead and of
    challenged tricks.
    """
    begin = time.perf_counter()
    faults = limit_faults(max_nodes, max_seconds, 1, stop)
    if max_iterations is not None and (type(max_iterations) is not int or max_iterations < 1):
        faults.append(
            Fault("max_iterations", str(max_iterations), "not a limit", "use 1 or more, or None")
        )
    if not gap > 0:
        faults.append(Fault("gap", str(gap), "not a gap", "use a number of stakes above 0"))
    for name, given in (("max_deals", max_deals), ("max_size", max_size)):
        if type(given) is not int or given < 1:
            faults.append(Fault(name, str(given), "not a limit", "use a whole number, 1 or more"))
    if max_raises is not None and (type(max_raises) is not int or max_raises < 0):
        faults.append(
            Fault("max_raises", str(max_raises), "not a number of raises", "use 0 or more")
        )
    if shown & ~view.hand:
        faults.append(
            Fault("shown", str(shown), "not cards of the hand", "name cards that the seat holds")
        )
    if faults:
        raise InputError(faults)
    _refuse(view)
    places = _places(view, shown)
    if places.pool.bit_count() != sum(places.hands) + sum(places.downs) + places.talon:
        raise UnsupportedError(
            "the cards of the piles are not told, so it is not known which cards are unseen"
        )
    if places.joint > max_deals:
        raise EndingTooLarge(
            f"{places.joint} joint deals are possible here, and at most {max_deals} were allowed"
        )
    told = "uniform" if prior is None else "weighted"
    if isinstance(prior, str):
        if prior != "inferred":
            raise InputError(
                Fault("prior", prior, "no such prior", "use inferred, functions, or None")
            )
        prior = inferred_prior(view, shown)
        told = "uniform" if prior is None else "inferred"
    visits = None if max_nodes is None else VISITS * max_nodes
    if visits is not None:
        max_size = min(max_size, max(1, visits // (BUILT + _ROUNDS)))
    game, raises = _build(
        view, places, max_size, max_raises, max_seconds, stop, prior, pay, reduce
    )
    by_nodes = False
    if visits is not None:
        rounds = max(1, min(visits // max(1, game.size) - BUILT, 1 << 30))
        by_nodes = max_iterations is None or rounds < max_iterations
        max_iterations = rounds if by_nodes else max_iterations
    left = None if max_seconds is None else max(1e-6, max_seconds - (time.perf_counter() - begin))
    own = _own(view)
    chance = game.chance_of(view.seat, *own)
    steps = game.steps(view.seat, *own)
    if not steps:
        raise InputError(
            Fault(
                "turn",
                str(view.text.turn),
                f"seat {view.seat} has nothing to decide here",
                f"ask for a position in which seat {view.seat} is to act",
            )
        )
    if chance <= 0:
        raise InputError(
            Fault("prior", str(view), "this hand has no weight", "give it a weight above 0")
        )
    stopped = game.improve(gap=gap, max_iterations=max_iterations, max_seconds=left, stop=stop)
    if stopped == "iterations" and by_nodes:
        stopped = "nodes"
    sign = 1 if view.seat == 0 else -1
    bounds = sorted((sign * game.lower, sign * game.upper))
    ending_value = game.settle(view.seat)
    value, moves = _moves(game, view.seat, own, steps, chance, bounds[0] if always else None)
    return Ending(
        seat=view.seat,
        value=value,
        ending_value=ending_value,
        lower=bounds[0],
        upper=bounds[1],
        moves=moves,
        chance=chance,
        joint_deals=game.joint,
        infosets=game.infosets,
        symmetries=game.symmetries,
        iterations=game.iterations,
        memory=game.memory,
        search_us=1e6 * (time.perf_counter() - begin),
        raises=raises,
        prior=told,
        stopped=stopped,
    )


def inferred_prior(view: View, shown: int = 0) -> Ranges | None:
    """What each seat may hold, weighted by how well that explains what it did in the hand.

    Of both seats, for the other draws the same conclusions about the player asked; so it rests
    on what both have seen alone: what a closed discard was is not used, not even his own. The
    policy model and its noise are those of `infer`. None where there is nothing to infer from.
    ``shown`` as in `solve_ending`.
    """
    places = _places(view, shown)
    acts = tuple(
        replace(act, cards=0) if act.kind == "discard" and act.seat not in view.rules.open_seats
        else act
        for act in view.history
    )  # fmt: skip
    first, second = _range(view, 0, acts, places), _range(view, 1, acts, places)
    if first is None or second is None:
        return None
    return (lambda hand, down: first[hand, down], lambda hand, down: second[hand, down])


def _range(
    view: View, seat: int, acts: tuple[Act, ...], places: _Places
) -> dict[tuple[int, int], float] | None:
    """The weight of each private state of a seat, the likeliest 1."""
    logs: dict[tuple[int, int], float] = {}
    missing = set(_states(places, seat))
    for hand, down in _states(places, 1 - seat):
        if not missing:
            break
        eyes = View(_as_seen(view, places, 1 - seat, hand, down), 1 - seat, acts)
        witness = witness_of(eyes, None, NOISE)
        if witness is None:
            return None
        sample = worlds(eyes, MAX_DEALS * factorial(places.talon))
        new: dict[tuple[int, int], int] = {}
        for at, world in enumerate(sample):
            laid = world.text().piles[1 - seat].items
            state = world.hands[seat], _mask(tuple(item.card for item in laid if item.closed))
            if state in missing:
                new.setdefault(state, at)
        if not new:
            continue
        missing -= new.keys()
        chosen = sample.chosen(list(new.values()))
        weights, _ = witness.log_weights(chosen, 0, len(chosen), 0, _DRAWS)
        logs.update(zip(new, weights, strict=True))
    top = max(logs.values(), default=0.0)
    # What fits no deal has no weight to have.
    return {
        state: exp(logs[state] - top) if state in logs else 0.0 for state in _states(places, seat)
    }


def _states(places: _Places, seat: int) -> Iterator[tuple[int, int]]:
    """All that a seat may hold in hand and have laid face down, in the eyes of both."""
    pool = [card for card in range(36) if places.pool >> card & 1]
    for hand in combinations(pool, places.hands[seat]):
        rest = [card for card in pool if card not in hand]
        held = _mask(hand) | places.known[seat]
        for down in combinations(rest, places.downs[seat]):
            yield held, _mask(down)


def _as_seen(view: View, places: _Places, seat: int, hand: int, down: int) -> PositionText:
    """The line of the public situation as a seat sees it that holds these cards."""
    text, other = view.text, 1 - seat
    laid = iter([card for card in range(36) if down >> card & 1])
    known = [card for card in range(36) if places.known[other] >> card & 1]
    hands: list[tuple[int | None, ...]] = [(), ()]
    hands[seat] = tuple(card for card in range(36) if hand >> card & 1)
    hands[other] = (*known, *(None,) * places.hands[other])
    piles = list(text.piles)
    for each in (0, 1):
        piles[each] = replace(
            text.piles[each],
            items=tuple(
                replace(item, card=next(laid) if each == other else None) if item.closed else item
                for item in text.piles[each].items
            ),
        )
    return replace(text, hands=tuple(hands), piles=tuple(piles))


def ending_of(
    view: View, *, max_raises: int | None = None, max_size: int = MAX_SIZE, reduce: bool = False
) -> PublicEnding:
    """The tree itself, for tools that walk it: all decisions of both, no strategy yet.

    Raises as `solve_ending` does.
    """
    _refuse(view)
    places = _places(view, 0)
    return _build(view, places, max_size, max_raises, None, None, None, None, reduce)[0]


def try_ending(
    view: View,
    *,
    max_deals: int = MAX_DEALS,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    stop: Stop | None = None,
    prior: Literal["inferred"] | None = None,
    worst_gap: float = WORST_GAP,
) -> Ending | Unsolved:
    """`solve_ending` if the ending is small enough, else why not.

    For advice that falls back to an average over worlds: an ending that is too large, rules that
    are not covered, bare piles, and a budget that ended before the gap was ``worst_gap`` or less
    are no errors here, nor is anything else that `solve_ending` refuses. Where the budget has no
    room for all raises fewer are considered. Without ``max_nodes`` the budget is `ADVICE_NODES`;
    so an answer that no clock has cut short is always the same.
    """
    try:
        ending = solve_ending(
            view,
            max_deals=max_deals,
            max_size=_ADVICE_SIZE,
            max_nodes=ADVICE_NODES if max_nodes is None else max_nodes,
            max_seconds=max_seconds,
            stop=stop,
            prior=prior,
        )
    except EndingTooLarge as error:
        return Unsolved(str(error), error.stopped)
    except (InputError, UnsupportedError) as error:
        # What is wrong with the question itself the average will say too.
        return Unsolved(str(error))
    if ending.gap > worst_gap:
        over = "budget of nodes" if ending.stopped == "nodes" else "time"
        return Unsolved(
            f"the {over} was over at a gap of {ending.gap:.2g} of a stake, "
            f"and {worst_gap:.2g} is the most that is advised on",
            None if ending.stopped == "nodes" else ending.stopped,
        )
    return ending


def _own(view: View) -> tuple[int, int]:
    laid = view.text.piles[1 - view.seat].items
    down = sum(1 << item.card for item in laid if item.closed and item.card is not None)
    return view.hand, down


def _build(
    view: View,
    places: _Places,
    max_size: int,
    max_raises: int | None,
    max_seconds: float | None,
    stop: Stop | None,
    prior: object,
    pay: Pay | None,
    reduce: bool,
) -> tuple[PublicEnding, int | None]:
    """The tree with as many raises as fit."""
    all_raises = len(stakes_from(view, 99)) - 1 - (view.text.offer is not None)
    wanted = all_raises if max_raises is None else min(max_raises, all_raises)
    given = ("product", prior) if isinstance(prior, tuple) else ("joint", prior)

    def built(number: int, size: int = max_size) -> PublicEnding:
        return PublicEnding(
            view,
            known=places.known,
            places=(places.hands, places.downs, places.pool),
            stakes=stakes_from(view, number),
            pay=pay or stake_pay(view.rules),
            prior=None if prior is None else given,
            prune=reduce and pay is None and view.rules.bura_counts == 1,
            symmetries=reduce,
            size=size,
            max_seconds=max_seconds,
            stop=stop,
        )

    number = wanted
    game = built(number, min(max_size, _QUICK))
    if game.failed == "size" and game.pairs:
        # From none upwards, for each more makes the tree a good deal larger, and all at once
        # where there is room: little is built in vain.
        number, game = 0, built(0)
        before, all_at_once = 0, True
        while game.failed is None and number < wanted:
            if number and 2 * game.size - before > max_size:
                break
            # A whole ladder of five raises is some 35 times as large as none, and 12 as one.
            room = 30 if number == 0 else 10
            all_at_once = all_at_once and room * game.size <= max_size
            more = built(wanted if all_at_once else number + 1)
            if more.failed is None:
                before = game.size
                number, game = wanted if all_at_once else number + 1, more
            elif all_at_once:
                all_at_once = False
            else:
                break
    if game.failed is None:
        return game, None if number == all_raises else number
    if game.pairs == 0:
        raise InputError(
            Fault(
                "position",
                str(view),
                "the hand is over: a combination that wins on sight is held",
                "ask for a position in which the hand goes on",
            )
        )
    if game.failed == "memory":
        raise MemoryError
    if game.failed == "size":
        raise EndingTooLarge(f"the tree of this ending has more than {max_size} edges")
    raise EndingTooLarge("the time was over before the tree of this ending was built", "time")


def _moves(
    game: PublicEnding,
    seat: int,
    own: tuple[int, int],
    steps: list[tuple[str, int]],
    chance: float,
    sure: float | None,
) -> tuple[float, tuple[EndingMove, ...]]:
    """The value of the hand, and its moves over one decision or several in a row."""
    found = []
    reach, base = 1.0, 0.0
    whole = game.slot_value(seat, steps[0][1], *own)
    hand_value = whole / chance
    # All hands alike would then always make such a move.
    every = chance * game.alike(seat, *own)
    waits: list[tuple[int, float]] = []  # edges that lead to the later decisions
    for at, (_, number) in enumerate(steps):
        choices = game.policy(seat, number, *own)
        mean = sum(probability * value for _, probability, value, _ in choices)
        here = whole if at == 0 else base
        waited, after = 0.0, waits
        for move, probability, value, edge in choices:
            last = at + 1 == len(steps)
            if move.kind == "on" and not last:
                waited = probability
                # What the hand is worth if it waits here and plays on as it should.
                base = here - mean + value
                after = [*waits, *((e, float(e == edge)) for *_, e in choices)]
                continue
            worth = (here - mean + value) / chance
            fixed = [*waits, *((e, float(e == edge)) for *_, e in choices)]
            kept = None
            if sure is not None:
                kept = hand_value + (game.guarantee(seat, fixed) - sure) / every
            if move.kind == "on":
                move = Move("pass", 0)
            found.append(EndingMove(move, reach * probability, worth, kept))
        if at + 1 < len(steps):
            reach *= waited
            waits = after
    found.sort(key=lambda each: (-each.probability, -each.value, str(each.move)))
    return hand_value, tuple(found)
