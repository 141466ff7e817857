"""Settling hands, keeping matches and valuing match scores (RULES §4, §5, §6, §7).

* `unclaimed`: who wins a hand that was played out and never claimed.
* `settle_hand`: what one finished hand pays, by seat.
* `hand_score`: what a hand of two sides counts in the match, won less lost.
* `MatchState`: a whole match as data; `MatchState.after` takes the `HandOutcome` of a hand
  and gives the match after it: score, dealer, pot, money, whether raises are allowed.
* `replay_match`: a match from its hand records, each hand and the score between them checked.
* `dealt_combination`: whether a first deal holds a combination and is void for it.
* `match_equity`, `equity_table`, `break_even`: exact chances to win a ``points_match``.

Two to six players, single or in pairs. Nothing here plays cards: an outcome says how a hand
ended, and everything that a table reports (fouls, who claimed falsely) is part of it. What
the sources leave open and how it is decided stands in docs/matches.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from bura_core._rules import Position, Result
from bura_core.errors import Fault, IllegalMoveError, InputError, UnsupportedError
from bura_core.record import HandRecord
from bura_core.rule_sets import RuleSet

__all__ = [
    "FOULS",
    "HandOutcome",
    "MatchState",
    "break_even",
    "dealt_combination",
    "equity_table",
    "hand_score",
    "match_equity",
    "replay_match",
    "score_table",
    "settle_hand",
    "unclaimed",
]

_ALL: Final = 120
"""The points of every deck (RULES §1)."""
_BY_OFFENCE: Final = ("false_claim", "false_challenge", "foul")
"""Lost by the offender: with two sides the other wins, with more all the others do."""
_FALSE: Final = ("false_claim", "false_challenge")
_VOID: Final = ("void", "redeal")
"""Hands that do not count: two buras that cancel out, or a combination in the first deal."""
_WITHOUT_WINNER: Final = ("draw", "no_winner", *_VOID)
_REASONS: Final = (
    "claim", "false_claim", "bura", "three_aces", "four_aces", "points", "draw", "no_winner",
    "void", "redeal", "fold", "foul", "challenge", "false_challenge",
)  # fmt: skip
FOULS: Final = ("out_of_turn_draw", "double_draw", "looked")
"""What the table reports (RULES §7), spelled as in records: чужой подъём, двойной подъём, a look
at closed cards."""
_PENALTIES: Final = ("penalty_12", "balls_12")
"""Scorings in which points are penalties, and who reaches the end has lost."""
_BY_POINTS: Final = ("balls_12", "burkozel_12")
"""Scorings that look at what the piles hold when the hand ends."""
_NONE: Final = 1 << 62
"""A lower bound for nothing: above every score."""


def _side(rules: RuleSet, seat: int) -> int:
    """The side a seat plays for; partners sit opposite, so seats alternate (S1)."""
    return seat % 2 if rules.pairs else seat


def _by_side(rules: RuleSet, by_seat: Sequence[int]) -> list[int]:
    total = [0] * rules.sides
    for seat, number in enumerate(by_seat):
        total[_side(rules, seat)] += number
    return total


# ------------------------------------------------------------------------------ one hand


def unclaimed(
    rules: RuleSet, points: Sequence[int], *, handicap: Sequence[int] | None = None
) -> Result:
    """Who wins a hand that was played out without a claim (RULES §3, §4).

    ``points`` are the piles by seat: 120 in all with two players, less where a talon that
    could not serve everybody was set aside. ``handicap`` counts beside them. Partners' piles
    count together. The ``reason`` of the result is ``points``, ``draw`` or ``no_winner``, by
    the switch ``unclaimed``; the winner of a pair is the partner with the lower seat. Raises
    InputError for counts that cannot be.
    """
    handicap = (0,) * rules.players if handicap is None else handicap
    faults = _count_faults(rules, "points", points) + _count_faults(rules, "handicap", handicap)
    if not faults and (sum(points) > _ALL or (rules.players == 2 and sum(points) != _ALL)):
        faults.append(
            Fault(
                "points",
                _joined(points),
                f"the piles of a hand played out make {sum(points)}",
                f"they make {_ALL} together",
            )
        )
    if faults:
        raise InputError(faults)
    if rules.unclaimed == "no_winner":
        return Result(None, "no_winner")
    counts = [
        pile + more
        for pile, more in zip(_by_side(rules, points), _by_side(rules, handicap), strict=True)
    ]
    least = max(counts) if rules.unclaimed == "most_points" else rules.target
    there = [side for side, count in enumerate(counts) if count >= least]
    # Two at the top, or two that have the target: nobody has won it.
    return Result(there[0], "points") if len(there) == 1 else Result(None, "draw")


@dataclass(frozen=True, slots=True)
class HandOutcome:
    """How a hand ended, as the table reports it.

    * ``winner``: the seat that won (in pairs either partner), or None.
    * ``reason``: ``claim``, ``challenge``, ``bura``, ``three_aces``, ``four_aces``, ``points``
      or ``fold`` with a winner; ``draw``, ``no_winner``, ``void`` or ``redeal`` (a combination
      in the first deal) without one; ``false_claim``, ``false_challenge`` or ``foul`` where its
      offender has lost the hand.
    * ``stake``: the stake in force, 1 and up; of a fold the one before the refused raise.
    * ``points``, ``tricks``: the piles by seat when the hand ended, without handicap; may be
      left out where the scoring does not look at them.
    * ``false_claim_by``: who claimed or challenged falsely. With two sides it follows from
      the winner.
    * ``fouls``: (seat, kind) with a kind of `FOULS`, in the order in which they happened.
    * ``left``: with ``leave_at_target`` the seats that reached the target, in order; the
      first of them is the winner, unless a bura, a challenge or a foul ended the hand.

    It is checked against the rules of the match in `settle_hand` and `MatchState.after`.
    """

    winner: int | None
    reason: str
    stake: int = 1
    points: tuple[int, ...] = ()
    tricks: tuple[int, ...] = ()
    false_claim_by: int | None = None
    fouls: tuple[tuple[int, str], ...] = ()
    left: tuple[int, ...] = ()

    @classmethod
    def of(cls, position: Position, tricks: Sequence[int] | None = None) -> HandOutcome:
        """The outcome of a hand that was played to its end.

        ``tricks`` are those taken by seat; left out, those that the position has counted, which
        is right where it was played from the deal.

        A reported foul comes as a card drawn out of turn, for the engine does not know which
        it was. Raises InputError if the hand is not over.
        """
        result = position.result
        if result is None:
            raise InputError(
                Fault("position", str(position), "the hand is not over", "play it to its end")
            )
        offender = None
        if result.losers:
            offender = result.losers[0]
        elif result.winner is not None and position.rules.sides == 2:
            # Of the other side; in pairs either partner stands for it.
            offender = (result.winner + 1) % position.rules.players
        return cls(
            winner=result.winner,
            reason=result.reason,
            stake=result.stake,
            points=position.points,
            tricks=position.tricks if tricks is None else tuple(tricks),
            false_claim_by=offender if result.reason in _FALSE else None,
            fouls=((offender, FOULS[0]),)
            if result.reason == "foul" and offender is not None
            else (),
            left=result.order,
        )


def settle_hand(
    rules: RuleSet,
    *,
    winner: int | None,
    points: Sequence[int],
    tricks: Sequence[int],
    stake: int = 1,
    reason: str = "points",
    false_claim_by: int | None = None,
    fouls: Sequence[tuple[int, str]] = (),
    pot: int | None = None,
) -> tuple[int, ...]:
    """What a finished hand pays, by seat (RULES §7); partners are paid alike.

    ``winner`` is the seat that won, or None; ``reason`` and ``stake`` are those of the hand's
    `Result`. ``points`` and ``tricks`` are the piles as they are when the hand ends; the rest
    is as in `HandOutcome`, and who commits a foul loses the hand.

    * ``points_match`` (S1) and ``robber`` (S0b, S4): the stake to the winner, times
      ``bura_counts`` if a bura won (S0d).
    * ``burkozel_12`` (S4): 2 to the winner, 4 if every other side has under 31, 6 if none
      has a trick; a trick without points is a trick, unless ``six_for`` is no_points (S0c).
    * ``penalty_12`` (S0b, S4): 2 to every loser, for these are penalties.
    * ``balls_12`` (S2 Bura-2, S0c): penalties to each side by its own points, whoever won:
      none 6, under 31 4, 31 and more 2, 60 and more 0. A void hand is not counted.
    * ``pot`` (S0a, S4): cents of the ``pot`` as it lies there, in all and before doubling:
      the winner's gain beyond what he has put in to double it, the losers' share of that,
      and what a false claimant pays to match it.

    All but the pot are multiplied by the stake; without a winner nothing is paid, but for
    ``balls_12`` and false claims. Raises InputError with everything that cannot be at once.
    """
    outcome = HandOutcome(
        winner=winner,
        reason=reason,
        stake=stake,
        points=tuple(points),
        tricks=tuple(tricks),
        false_claim_by=false_claim_by,
        fouls=tuple(fouls),
    )
    faults = _outcome_faults(rules, outcome)
    if rules.scoring == "pot":
        if type(pot) is not int or pot < 0 or pot % rules.players:
            faults.append(
                Fault(
                    "pot",
                    str(pot),
                    "not the money of equal antes",
                    f"give the cents that lie in the pot, a multiple of {rules.players}",
                )
            )
    elif pot is not None:
        faults.append(
            Fault("pot", str(pot), f"scoring={rules.scoring} knows no pot", "leave it out")
        )
    if faults:
        raise InputError(faults)
    if rules.scoring == "pot":
        assert pot is not None
        return _settle_pot(rules, outcome, pot)[0]
    pays = _pays(rules, outcome)
    return tuple(pays[_side(rules, seat)] for seat in range(rules.players))


def _pays(rules: RuleSet, outcome: HandOutcome) -> tuple[int, ...]:
    """What a checked outcome pays, by side, in every scoring but ``pot``."""
    number = rules.sides
    if outcome.reason in _VOID:
        return (0,) * number
    points, tricks = outcome.points, outcome.tricks
    if rules.scoring == "balls_12":
        return tuple(outcome.stake * _balls(count) for count in _by_side(rules, points))
    winners = _winning_sides(rules, outcome)
    losers = [side for side in range(number) if side not in winners]
    pays = [0] * number
    if not winners:
        return tuple(pays)
    if rules.scoring == "penalty_12":
        out = {_side(rules, seat) for seat in outcome.left}
        for side in losers:
            if side not in out:
                pays[side] = 2
    else:
        each = 1
        if rules.scoring == "burkozel_12":
            taken = _by_side(rules, points if rules.six_for == "no_points" else tricks)
            count = _by_side(rules, points)
            if not any(taken[side] for side in losers):
                each = 6
            else:
                each = 4 if all(count[side] < 31 for side in losers) else 2
        elif outcome.reason == "bura":
            each = rules.bura_counts
        for side in winners:
            pays[side] = each
    return tuple(outcome.stake * pay for pay in pays)


def hand_score(rules: RuleSet, outcome: HandOutcome) -> int:
    """What a hand of two sides counts for seat 0's, in points of the match.

    Own points less the other's, penalties against who gets them; of a game for the pot, the
    stake. The outcome is not checked. Raises UnsupportedError for three and more sides.
    """
    if rules.sides != 2:
        raise UnsupportedError(
            "a score is what one of two sides wins of the other; of three and more single players"
            " ask for the outcome or the points"
        )
    if rules.scoring == "pot":
        winners = _winning_sides(rules, outcome)
        return outcome.stake * ((0 in winners) - (1 in winners))
    own, other = _pays(rules, outcome)
    return other - own if rules.scoring in _PENALTIES else own - other


@lru_cache(maxsize=64)
def score_table(rules: RuleSet) -> tuple[bytes, bool]:
    """`hand_score` at a stake of 1 of everything that can end a hand, as signed bytes.

    By how it ended (won by side 0, by side 1, without a winner, void) and whether a bura won.
    If the second result is True, then also by whether side 0, and side 1, has taken a trick,
    and by the points of either, 0 to 120. It is what the solver looks up.
    """
    by_points = rules.scoring in _BY_POINTS
    size = _ALL + 1
    table = bytearray(8 * (4 * size * size if by_points else 1))
    for at in range(8):
        ending, bura = divmod(at, 2)
        winner = ending if ending < 2 else None
        reason = ("bura" if bura else "claim", "no_winner", "void")[max(0, ending - 1)]
        if not by_points:
            table[at] = hand_score(rules, HandOutcome(winner, reason)) & 255
            continue
        for own in range(size):
            for other in range(size - own):
                points = (own, other) + (0,) * (rules.players - 2)
                for took in range(4):
                    tricks = (took >> 1, took & 1) + (0,) * (rules.players - 2)
                    if (own and not tricks[0]) or (other and not tricks[1]):
                        continue
                    outcome = HandOutcome(winner, reason, points=points, tricks=tricks)
                    place = ((at * 4 + took) * size + own) * size + other
                    table[place] = hand_score(rules, outcome) & 255
    return bytes(table), by_points


def _winning_sides(rules: RuleSet, outcome: HandOutcome) -> list[int]:
    if outcome.winner is not None:
        return [_side(rules, outcome.winner)]
    offender = _offender(outcome)
    if outcome.reason not in _BY_OFFENCE or offender is None:
        return []
    return [side for side in range(rules.sides) if side != _side(rules, offender)]


def _offender(outcome: HandOutcome) -> int | None:
    """The seat that lost the hand by a false claim or a foul, as far as it is told."""
    if outcome.reason in _FALSE:
        return outcome.false_claim_by
    return outcome.fouls[-1][0] if outcome.reason == "foul" and outcome.fouls else None


def _balls(points: int) -> int:
    """Penalties of Bura-2; exactly 60 costs nothing, so 60:60 costs nobody anything."""
    if points == 0:
        return 6
    return 4 if points < 31 else 2 if points < 60 else 0


def _settle_pot(rules: RuleSet, outcome: HandOutcome, pot: int) -> tuple[tuple[int, ...], int]:
    """(what each player gains or pays, what is left in the pot) in cents.

    Both together are the pot before: no cent is made or lost. The pot is a multiple of the
    number of players, since antes are equal and it is only ever doubled; so every share is
    in whole cents.
    """
    players = rules.players
    gains = [0] * players
    if outcome.reason in _VOID:
        return tuple(gains), pot
    # An accepted raise doubles what is played for: everybody puts in his share of it (S4).
    share = (outcome.stake - 1) * (pot // players)
    for seat in range(players):
        gains[seat] -= share
    pot += share * players
    if rules.foul == "match_pot":
        for seat, _ in outcome.fouls:
            gains[seat] -= pot
            pot *= 2
    if outcome.reason == "false_claim":
        claimant = _false_claimant(rules, outcome)
        assert claimant is not None
        gains[claimant] -= pot
        return tuple(gains), 2 * pot
    if outcome.winner is None or (outcome.reason == "foul" and rules.foul == "match_pot"):
        return tuple(gains), pot
    winning = [
        seat for seat in range(players) if _side(rules, seat) == _side(rules, outcome.winner)
    ]
    for seat in winning:
        gains[seat] += pot // len(winning)
    return tuple(gains), 0


def _false_claimant(rules: RuleSet, outcome: HandOutcome) -> int | None:
    if outcome.reason != "false_claim":
        return None
    if outcome.false_claim_by is None and rules.players == 2 and outcome.winner is not None:
        return 1 - outcome.winner
    return outcome.false_claim_by


def dealt_combination(rules: RuleSet, trump: int | None, hands: Sequence[int]) -> str | None:
    """The combination in a first deal that voids it, or None (``redeal_on_dealt_combo``).

    ``hands`` are masks by seat, ``trump`` a suit 0..3 (s h d c) or None. A combination is one
    that the rule set has a use for; the highest is named. "If one of the combinations came up
    right with the deal, the hand is dealt again without any consequences" (S4; S0b, S0c).
    Always None where the switch is off. A hand that is no full deal raises InputError.
    """
    faults = [
        Fault(
            f"hands[{seat}]",
            str(hand.bit_count() if type(hand) is int and hand >= 0 else hand),
            "not the cards of a first deal",
            f"give a mask of {size} cards",
        )
        for seat, (hand, size) in enumerate(zip(hands, rules.hand_sizes, strict=False))
        if type(hand) is not int or not 0 <= hand < 1 << 36 or hand.bit_count() != size
    ]
    if len(hands) != rules.players:
        faults.append(
            Fault("hands", str(len(hands)), "not every player's hand", f"give {rules.players}")
        )
    if (trump is None) == rules.trumps or (trump is not None and trump not in range(4)):
        faults.append(
            Fault(
                "trump",
                str(trump),
                "not the trump of these rules",
                "use 0 to 3 for s, h, d, c" if rules.trumps else "use None: there are no trumps",
            )
        )
    if faults:
        raise InputError(faults)
    if not rules.redeal_on_dealt_combo:
        return None
    for name in rules.precedence:
        if getattr(rules, name) != "none" and any(
            _holds(rules, trump, hand, name) for hand in hands
        ):
            return name
    return None


def _holds(rules: RuleSet, trump: int | None, hand: int, name: str) -> bool:
    trumps = 0 if trump is None else 511 << 9 * trump

    def of_rank(rank: int) -> int:
        return hand & sum(1 << 9 * suit + rank for suit in range(4))

    if name == "bura":
        return hand & ~trumps == 0
    if name == "molodka":
        return any(hand & ~(511 << 9 * suit) == 0 for suit in range(4) if suit != trump)
    if name == "four_aces":
        return of_rank(8).bit_count() == 4
    if name == "three_aces":
        aces = of_rank(8)
        return aces.bit_count() >= 3 and (not rules.three_aces_trump or bool(aces & trumps))
    if rules.little_moskva == "sixes":
        return of_rank(0).bit_count() >= 3 and bool(of_rank(0) & trumps)
    return of_rank(7).bit_count() >= 3  # three tens need no trump among them


# ------------------------------------------------------------------------------ matches


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match between two hands: who stands how, who deals, what is played for.

    Immutable; `start` makes the first, `after` the next. Sides are seats, or 0 for seats 0
    and 2 and 1 for seats 1 and 3 in pairs.

    * ``ante``: cents each player puts into the pot before a hand, 1 and up.
    * ``score``: by side: points, hands won, or penalties, by the scoring; 0 in ``pot``.
    * ``dealer``: who deals the coming hand; `leader` leads first, left of him.
    * ``hand_number``: of the coming hand, from 1; a void hand is not counted.
    * ``pot``: cents in the pot, the antes for the coming hand included.
    * ``money``: cents by player, won less paid, antes included; with the pot they make 0.
    * ``no_raise_hand_played``: whether the hand without raises has been played.
    * ``finished``; ``winner``: the side that won the match, None while it goes on and where
      nobody did; ``losers``: the sides that have lost it.

    Raises InputError with everything that cannot be at once.
    """

    rules: RuleSet
    ante: int = 100
    score: tuple[int, ...] = ()
    dealer: int = 0
    hand_number: int = 1
    pot: int = 0
    money: tuple[int, ...] = ()
    no_raise_hand_played: bool = False
    finished: bool = False
    winner: int | None = None
    losers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        rules = self.rules
        faults = []
        if type(self.ante) is not int or not 1 <= self.ante <= 10**12:
            faults.append(
                Fault("ante", str(self.ante), "not an ante", "use whole cents, 1 to 10^12")
            )
        if len(self.score) != rules.sides or not _whole(self.score, 0):
            faults.append(
                Fault(
                    "score",
                    _joined(self.score),
                    f"not one number for each of {rules.sides} sides",
                    "use whole numbers, 0 and up",
                )
            )
        if type(self.dealer) is not int or not 0 <= self.dealer < rules.players:
            faults.append(_no_seat("dealer", self.dealer, rules))
        if type(self.hand_number) is not int or self.hand_number < 1:
            faults.append(
                Fault("hand_number", str(self.hand_number), "not the number of a hand", "use 1 up")
            )
        if type(self.pot) is not int or self.pot < 0 or self.pot % rules.players:
            faults.append(
                Fault(
                    "pot",
                    str(self.pot),
                    "not the money of equal antes",
                    f"use cents, a multiple of {rules.players}",
                )
            )
        elif self.pot and rules.scoring != "pot":
            faults.append(
                Fault("pot", str(self.pot), f"scoring={rules.scoring} knows no pot", "use 0")
            )
        if len(self.money) != rules.players or not _whole(self.money, -_NONE):
            faults.append(
                Fault(
                    "money",
                    _joined(self.money),
                    f"not one sum for each of {rules.players} players",
                    "use whole cents",
                )
            )
        elif type(self.pot) is int and sum(self.money) + self.pot:
            faults.append(
                Fault(
                    "money",
                    _joined(self.money),
                    f"with the pot of {self.pot} it makes {sum(self.money) + self.pot}",
                    "what is won and paid and the pot make 0",
                )
            )
        if faults:
            raise InputError(faults)

    @classmethod
    def start(cls, rules: RuleSet, *, dealer: int = 0, ante: int = 100) -> MatchState:
        """A match of ``rules`` before its first hand, which ``dealer`` (a seat) deals.

        In ``pot`` scoring everybody has paid his ``ante``, in cents, 1 to 10^12. Raises
        InputError for that and for a seat that is not there.
        """
        state = cls(
            rules,
            ante,
            score=(0,) * rules.sides,
            dealer=dealer,
            money=(0,) * rules.players,
        )
        return state._all_ante() if rules.scoring == "pot" else state

    @property
    def leader(self) -> int:
        """The seat that leads first in the coming hand: left of the dealer (RULES §7)."""
        return (self.dealer + 1) % self.rules.players

    @property
    def is_no_raise_hand(self) -> bool:
        """Whether the coming hand is the first in which a side is one point short (S1)."""
        rules = self.rules
        return (
            rules.scoring == "points_match"
            and not self.finished
            and not self.no_raise_hand_played
            and max(self.score) >= rules.match_to - 1
        )

    @property
    def raises_allowed(self) -> bool:
        """Whether the stake of the coming hand may be raised."""
        return self.rules.raises != "none" and not self.finished and not self.is_no_raise_hand

    def score_of(self, seat: int) -> tuple[int, int, int] | None:
        """(own, other, to) of a seat, as a position line's ``score=`` wants it.

        None where there is no such thing: more than two sides, a game for the pot.
        """
        if len(self.score) != 2 or self.rules.scoring == "pot":
            return None
        own = _side(self.rules, seat)
        return self.score[own], self.score[1 - own], self.rules.match_to

    def after(self, outcome: HandOutcome) -> MatchState:
        """The match after the coming hand ended with ``outcome``.

        Raises InputError with everything that cannot be at once: a match that is over, an
        outcome that the rules do not know or that contradicts itself, a raised stake where
        raises are not allowed.
        """
        rules = self.rules
        faults = []
        if self.finished:
            faults.append(
                Fault(
                    "match",
                    ":".join(map(str, self.score)),
                    "the match is over",
                    "start another one",
                )
            )
        faults += _outcome_faults(rules, outcome)
        if (
            type(outcome.stake) is int
            and (outcome.stake > 1 or outcome.reason == "fold")
            and self.is_no_raise_hand
        ):
            faults.append(
                Fault(
                    "stake",
                    str(outcome.stake),
                    "the first hand in which a side is one point short is played without raises",
                    "use 1 and another end than fold",
                )
            )
        if faults:
            raise InputError(faults)
        if outcome.reason in _VOID:
            return self  # nothing has happened: the same dealer deals again
        number = self.hand_number + 1
        dealer = self._next_dealer(outcome)
        if rules.scoring == "pot":
            gains, pot = _settle_pot(rules, outcome, self.pot)
            state = replace(
                self,
                dealer=dealer,
                hand_number=number,
                pot=pot,
                money=tuple(have + more for have, more in zip(self.money, gains, strict=True)),
            )
            # Who matches the pot has paid for the next hand; else everybody antes anew.
            return state if self._pot_was_matched(outcome) else state._all_ante()
        pays = _pays(rules, outcome)
        score = tuple(have + more for have, more in zip(self.score, pays, strict=True))
        finished, winner, losers = _verdict(rules, score)
        return replace(
            self,
            score=score,
            dealer=dealer,
            hand_number=number,
            no_raise_hand_played=self.no_raise_hand_played or self.is_no_raise_hand,
            finished=finished,
            winner=winner,
            losers=losers,
        )

    def stop(self) -> MatchState:
        """The end of a game for the pot, which is played as long as the players like.

        What lies in the pot is shared equally, to the cent. The winner is the side that has
        won most, if one has. Raises InputError in other scorings, and if it is over already.
        """
        rules = self.rules
        if rules.scoring != "pot" or self.finished:
            raise InputError(
                Fault(
                    "match",
                    f"scoring={rules.scoring}",
                    "it is over" if self.finished else f"it goes to {rules.match_to}",
                    "only a running game for the pot can be stopped",
                )
            )
        money = tuple(have + self.pot // rules.players for have in self.money)
        won = _by_side(rules, money)
        best = [side for side, sum_ in enumerate(won) if sum_ == max(won)]
        return replace(
            self,
            money=money,
            pot=0,
            finished=True,
            winner=best[0] if len(best) == 1 else None,
            losers=tuple(side for side, sum_ in enumerate(won) if sum_ < 0),
        )

    def _all_ante(self) -> MatchState:
        ante = self.ante
        return replace(
            self,
            money=tuple(have - ante for have in self.money),
            pot=self.pot + ante * self.rules.players,
        )

    def _pot_was_matched(self, outcome: HandOutcome) -> bool:
        return outcome.reason == "false_claim" or (
            outcome.reason == "foul" and self.rules.foul == "match_pot"
        )

    def _next_dealer(self, outcome: HandOutcome) -> int:
        rules = self.rules
        if rules.scoring == "pot" and self._pot_was_matched(outcome):
            # "Who has matched the pot becomes the dealer" (S0a).
            matcher = _false_claimant(rules, outcome)
            return outcome.fouls[-1][0] if matcher is None else matcher
        if outcome.reason == "no_winner" or (rules.scoring == "pot" and outcome.winner is None):
            return self.dealer  # S4: the same player deals
        rotated = self.leader
        if rules.next_deal == "rotate":
            return rotated
        if outcome.winner is not None:
            return outcome.winner
        if outcome.reason == "draw":
            return self.dealer  # nobody has won the deal from him
        offender = _offender(outcome)
        return rotated if offender is None else offender


def replay_match(
    records: Iterable[HandRecord], *, ante: int = 100
) -> Iterator[tuple[HandRecord, MatchState]]:
    """Plays a match from its records: each, and the match after it, one at a time.

    Every hand is replayed; the dealer, who leads, the score told in a record and whether the
    stake may be raised have to be what the hands before have made them. The first record begins
    the match, at the score it tells (else 0); its dealer is the one it names, else the seat
    before the one that leads. The last hand may be unfinished. ``ante``: cents, in a game for
    the pot. Constant memory: nothing of a hand is kept.

    Raises IllegalMoveError for the first record that does not follow, its ``field`` the hand and
    the tag or trick, as in ``hand 3, Dealer``; InputError, likewise, for a record that is wrong
    as such, that begins in the middle of a hand, or whose scoring needs piles it does not tell.
    """
    match: MatchState | None = None
    for number, record in enumerate(records, start=1):
        if match is None:
            match = _first_of(record, ante)

        def wrong(tag: str, value: object, problem: str, right: object) -> IllegalMoveError:
            where = f"hand {number}, {tag}"  # noqa: B023  # raised at once
            return IllegalMoveError(Fault(where, str(value), problem, f"write {right}"))

        if record.start is not None:
            raise InputError(
                Fault(
                    f"hand {number}, Position",
                    str(record.start),
                    "a match is made of whole hands",
                    "give records that begin with the deal",
                )
            )
        if match.finished:
            over = ":".join(map(str, match.score))
            raise wrong("Score", over, "the match is over", "the next hand into another file")
        if record.rules != match.rules:
            raise wrong("Rules", record.rules, "not the rules of the match", match.rules)
        if record.dealer is not None and record.dealer != match.dealer:
            raise wrong("Dealer", record.dealer, f"seat {match.dealer} deals", match.dealer)
        if record.lead != match.leader:
            raise wrong("Lead", record.lead, f"seat {match.leader} leads first", match.leader)
        score = match.score_of(0)
        if record.score is not None and record.score != score:
            right = "none" if score is None else "{}:{}/{}".format(*score)
            raise wrong("Score", "{}:{}/{}".format(*record.score), f"it stands {right}", right)
        try:
            match = _after_record(match, record)
        except InputError as error:
            kind = type(error)
            raise kind(
                [replace(fault, field=f"hand {number}, {fault.field}") for fault in error.faults]
            ) from None
        yield record, match


def _first_of(record: HandRecord, ante: int) -> MatchState:
    """The match that begins with a record."""
    rules = record.rules
    dealer = (record.lead - 1) % rules.players if record.dealer is None else record.dealer
    match = MatchState.start(rules, dealer=dealer, ante=ante)
    if record.score is None or match.score_of(0) is None:
        return match
    own, other, _ = record.score
    return replace(match, score=(own, other))


def _after_record(match: MatchState, record: HandRecord) -> MatchState:
    replay = record.replay()
    if any(step.event.kind == "raise" for step in replay.steps) and not match.raises_allowed:
        at = next(step for step in replay.steps if step.event.kind == "raise")
        raise IllegalMoveError(
            Fault(
                f"trick {at.trick}",
                str(at.event),
                "the first hand in which a side is one point short is played without raises",
                "leave it out",
            )
        )
    if record.reason == "redeal":
        return match.after(HandOutcome(None, "redeal"))
    result = replay.result
    if result is None:
        return match  # it goes on
    events = [event for trick in record.tricks for event in trick]
    claims = [event.seat for event in events if event.kind in ("claim", "challenge")]
    fouls = [(event.seat, event.text) for event in events if event.kind == "foul"]
    points = replay.points
    if points is None and match.rules.scoring in ("balls_12", "burkozel_12"):
        raise InputError(
            Fault(
                "Points",
                "",
                f"scoring={match.rules.scoring} looks at all piles, and they are not told",
                "give the record of all seats, or the piles in its Points tag",
            )
        )
    outcome = HandOutcome(
        winner=result.winner,
        reason=result.reason,
        stake=result.stake,
        points=points or (),
        tricks=replay.tricks if points is not None else (),
        false_claim_by=claims[-1] if result.reason in _FALSE else None,
        fouls=tuple([(seat, kind) for seat, kind in fouls if seat is not None]),
        left=result.order,
    )
    return match.after(outcome)


def _verdict(rules: RuleSet, score: tuple[int, ...]) -> tuple[bool, int | None, tuple[int, ...]]:
    """(finished, winning side, losing sides) of a match at ``score``."""
    everybody = range(len(score))
    if rules.scoring in _PENALTIES:
        beyond = [side for side in everybody if score[side] >= rules.match_to]
        if not beyond:
            return False, None, ()
        fewest = [side for side in everybody if score[side] == min(score)]
        winner = fewest[0] if len(fewest) == 1 else None
        return True, winner, tuple(side for side in beyond if side != winner)
    best = max(everybody, key=lambda side: score[side])
    lead = score[best] - max(score[side] for side in everybody if side != best)
    need = 2 if rules.scoring == "robber" else 1
    if score[best] < rules.match_to or lead < need:
        return False, None, ()
    return True, best, tuple(side for side in everybody if side != best)


# ------------------------------------------------------------------------------ match equity

_ONE: Final[Mapping[int, Fraction]] = MappingProxyType({1: Fraction(1)})


def match_equity(
    rules: RuleSet,
    own: int,
    other: int,
    *,
    no_raise_hand_played: bool = False,
    win: Fraction = Fraction(1, 2),
    draw: Fraction = Fraction(0),
    stakes: Mapping[int, Fraction] = _ONE,
) -> Fraction:
    """The chance to win a ``points_match`` at ``own`` : ``other``, exact, 0 to 1.

    The model: every hand is won with chance ``win``, drawn with chance ``draw``, else lost,
    independently; its stake is drawn from ``stakes`` (stake -> chance, independent of who
    wins; by default always 1). The first hand in which a side is one point short has stake 1,
    since it is played without raises (S1); ``no_raise_hand_played`` says whether it has been
    played before this score. A score at or above ``rules.match_to`` is a match won.

    Computed by dynamic programming over scores, in fractions. It rises with ``own`` and falls
    with ``other``; with ``win`` 1/2 and no draws it is 1/2 at equal scores.

    Raises InputError with every fault at once: scores both at the end or below 0, chances
    outside 0..1 or adding to more or less than 1, another scoring, more than two sides.
    """
    faults = _equity_faults(rules, win, draw, stakes)
    for name, number in (("own", own), ("other", other)):
        if type(number) is not int or number < 0:
            faults.append(Fault(name, str(number), "not a score", "use 0 or more"))
    if not faults and min(own, other) >= rules.match_to:
        faults.append(
            Fault(
                "own",
                f"{own}:{other}",
                f"both sides have won the match to {rules.match_to}",
                f"at most one side can be at {rules.match_to}",
            )
        )
    if faults:
        raise InputError(faults)
    to = rules.match_to
    if own >= to or other >= to:
        return Fraction(own >= to)
    chances = tuple(sorted((stake, Fraction(chance)) for stake, chance in stakes.items()))
    table = _equities(to, Fraction(win), Fraction(draw), chances)
    return table[bool(no_raise_hand_played)][own][other]


def equity_table(
    rules: RuleSet,
    *,
    no_raise_hand_played: bool = False,
    win: Fraction = Fraction(1, 2),
    draw: Fraction = Fraction(0),
    stakes: Mapping[int, Fraction] = _ONE,
) -> tuple[tuple[Fraction, ...], ...]:
    """`match_equity` of every score: row ``own``, column ``other``, both 0 to match_to - 1."""
    faults = _equity_faults(rules, win, draw, stakes)
    if faults:
        raise InputError(faults)
    chances = tuple(sorted((stake, Fraction(chance)) for stake, chance in stakes.items()))
    table = _equities(rules.match_to, Fraction(win), Fraction(draw), chances)
    return table[bool(no_raise_hand_played)]


def break_even(
    rules: RuleSet, own: int, other: int, stake: int, offered: int, **model: object
) -> Fraction:
    """The least chance to win the hand with which taking a raise is no worse than folding.

    ``own`` : ``other`` is the score of who has to answer; a fold loses ``stake``, the hand
    played on wins or loses ``offered`` (both 1 and up, offered the larger), without draws and
    without further raises. In a ``points_match`` of two sides it is match equity that counts,
    with the ``model`` of `match_equity` (its keyword arguments; the present hand counts as one
    that may be raised); everywhere else the stakes themselves, so that the ladder's steps need
    25, 16.7, 12.5, 10 and 8.3 %. Raises InputError with every fault at once.
    """
    faults = []
    if type(stake) is not int or stake < 1:
        faults.append(Fault("stake", str(stake), "not a stake", "use 1 or more"))
    elif type(offered) is not int or offered <= stake:
        faults.append(
            Fault("offered", str(offered), "not a raise", f"use more than the stake of {stake}")
        )
    if faults:
        raise InputError(faults)
    if rules.scoring != "points_match" or rules.sides != 2:
        return Fraction(offered - stake, 2 * offered)

    def value(mine: int, theirs: int) -> Fraction:
        return match_equity(rules, mine, theirs, **model)  # type: ignore[arg-type]

    fold = value(own, other + stake)
    lost, won = value(own, other + offered), value(own + offered, other)
    if won == lost:  # a model in which one side never wins a hand
        return Fraction(fold > lost)
    return (fold - lost) / (won - lost)


def _equity_faults(
    rules: RuleSet, win: Fraction, draw: Fraction, stakes: Mapping[int, Fraction]
) -> list[Fault]:
    faults = []
    if rules.scoring != "points_match":
        faults.append(
            Fault(
                "rules",
                str(rules),
                f"scoring={rules.scoring} has no table of match equity",
                "use scoring=points_match",
            )
        )
    if rules.sides != 2:
        faults.append(
            Fault("rules", str(rules), f"{rules.sides} sides", "use two players or pairs")
        )
    chances: list[tuple[str, object]] = [("win", win), ("draw", draw)]
    chances += [(f"stakes[{stake}]", chance) for stake, chance in stakes.items()]
    wrong = False
    for name, chance in chances:
        if not isinstance(chance, int | Fraction) or not 0 <= chance <= 1:
            wrong = True
            faults.append(Fault(name, str(chance), "not a chance", "use a fraction from 0 to 1"))
    if wrong:
        return faults
    if draw == 1 or win + draw > 1:
        faults.append(
            Fault("draw", str(draw), "hands would never be lost or won", "win + draw is 1 at most")
        )
    if any(type(stake) is not int or stake < 1 for stake in stakes) or sum(stakes.values()) != 1:
        faults.append(
            Fault(
                "stakes",
                ", ".join(f"{stake}: {chance}" for stake, chance in stakes.items()),
                "not the chances of stakes",
                "use stakes of 1 and up whose chances make 1",
            )
        )
    return faults


@lru_cache(maxsize=64)
def _equities(
    to: int, win: Fraction, draw: Fraction, stakes: tuple[tuple[int, Fraction], ...]
) -> tuple[tuple[tuple[Fraction, ...], ...], tuple[tuple[Fraction, ...], ...]]:
    """Equity by score, before and after the hand without raises has been played."""
    lose = 1 - win - draw
    before: list[list[Fraction]] = [[Fraction(0)] * to for _ in range(to)]
    after: list[list[Fraction]] = [[Fraction(0)] * to for _ in range(to)]

    def at(table: list[list[Fraction]], own: int, other: int) -> Fraction:
        if own >= to or other >= to:
            return Fraction(own >= to)
        return table[own][other]

    def step(
        table: list[list[Fraction]], own: int, other: int, sizes: tuple[tuple[int, Fraction], ...]
    ) -> Fraction:
        """A hand that is won or lost, by chance of either."""
        return sum(
            (
                chance * (win * at(table, own + size, other) + lose * at(table, own, other + size))
                for size, chance in sizes
            ),
            Fraction(0),
        )

    # A hand that is not drawn adds to the sum of both scores: from high sums to low ones.
    for total in range(2 * to - 2, -1, -1):
        for own in range(max(0, total - to + 1), min(to - 1, total) + 1):
            other = total - own
            # A draw leaves the score as it is, so it only ever delays.
            after[own][other] = step(after, own, other, stakes) / (1 - draw)
            if max(own, other) == to - 1:
                # Drawn, the hand without raises has been played all the same.
                one = step(after, own, other, ((1, Fraction(1)),))
                before[own][other] = one + draw * after[own][other]
            else:
                before[own][other] = step(before, own, other, stakes) / (1 - draw)
    return tuple(map(tuple, before)), tuple(map(tuple, after))


# ------------------------------------------------------------------------------ checks


def _joined(numbers: Sequence[object]) -> str:
    return "/".join(map(str, numbers))


def _whole(numbers: Sequence[object], least: int) -> bool:
    return all(type(number) is int and number >= least for number in numbers)


def _no_seat(name: str, seat: object, rules: RuleSet) -> Fault:
    return Fault(name, str(seat), "no such seat", f"use 0 to {rules.players - 1}")


def _is_seat(seat: object, rules: RuleSet) -> bool:
    return type(seat) is int and 0 <= seat < rules.players


def _count_faults(rules: RuleSet, name: str, numbers: Sequence[int]) -> list[Fault]:
    if len(numbers) == rules.players and all(type(n) is int and 0 <= n <= _ALL for n in numbers):
        return []
    players = "two" if rules.players == 2 else str(rules.players)
    return [
        Fault(
            name,
            _joined(numbers),
            f"not one number for each of {players} seats",
            f"use {players} whole numbers, 0 to {_ALL}",
        )
    ]


def _pile_faults(rules: RuleSet, points: Sequence[int], tricks: Sequence[int]) -> list[Fault]:
    """Piles that no hand of these rules can leave."""
    faults = []
    if sum(points) > _ALL:
        faults.append(
            Fault(
                "points",
                _joined(points),
                f"the piles make {sum(points)}",
                f"the deck has {_ALL} points",
            )
        )
    if not tricks:
        return faults
    # Hands may be uneven with three and more, so fewer than all may play to a trick.
    most = rules.deck // 2
    if sum(tricks) > most:
        faults.append(
            Fault(
                "tricks",
                _joined(tricks),
                f"{sum(tricks)} tricks",
                f"a deck of {rules.deck} has {most} at most",
            )
        )
    faults += [
        Fault(f"points[{seat}]", str(points[seat]), "points without a trick", "use 0")
        for seat in range(rules.players)
        if points and points[seat] and not tricks[seat]
    ]
    return faults


def _stake_fault(rules: RuleSet, stake: object) -> list[Fault]:
    if type(stake) is int and stake >= 1:
        if rules.raises == "ladder" and stake <= 6:
            return []
        if rules.raises == "dave" and stake & (stake - 1) == 0:
            return []
        if stake == 1:
            return []
    if rules.raises == "none":
        return [Fault("stake", str(stake), "these rules know no raises", "use 1")]
    allowed = "1 to 6" if rules.raises == "ladder" else "1, 2, 4, 8 ..."
    return [Fault("stake", str(stake), "not a stake of these rules", f"use {allowed}")]


def _outcome_faults(rules: RuleSet, outcome: HandOutcome) -> list[Fault]:
    """Everything about an outcome that cannot be under these rules."""
    points, tricks = outcome.points, outcome.tricks
    faults: list[Fault] = []
    void = outcome.reason in _VOID
    needs_points = rules.scoring in _BY_POINTS and not void
    if points or needs_points:
        faults += _count_faults(rules, "points", points)
    if tricks or (rules.scoring == "burkozel_12" and not void):
        faults += _count_faults(rules, "tricks", tricks)
    if not faults:
        faults += _pile_faults(rules, points, tricks)
    winner = outcome.winner
    if winner is not None and not _is_seat(winner, rules):
        faults.append(
            Fault(
                "winner",
                str(winner),
                "no such seat",
                f"use 0 to {rules.players - 1}, or None for no winner",
            )
        )
    faults += _reason_faults(rules, outcome)
    faults += _stake_fault(rules, outcome.stake)
    faults += _offence_faults(rules, outcome)
    faults += _left_faults(rules, outcome)
    return faults


def _reason_faults(rules: RuleSet, outcome: HandOutcome) -> list[Fault]:
    winner, reason = outcome.winner, outcome.reason
    if reason not in _REASONS:
        return [
            Fault("reason", str(reason), "no such end of a hand", f"use {', '.join(_REASONS)}")
        ]
    faults = []
    # With two sides the other has won; with more of them the offender alone is named.
    # A foul that is paid into the pot ends the hand without a winner.
    alone = (reason in _BY_OFFENCE and rules.sides > 2) or (
        reason == "foul" and rules.foul == "match_pot"
    )
    if not alone and (winner is None) != (reason in _WITHOUT_WINNER):
        somebody = "nobody" if winner is None else f"seat {winner}"
        faults.append(
            Fault(
                "reason",
                reason,
                f"does not go together with {somebody} winning",
                f"without a winner it is {', '.join(_WITHOUT_WINNER)}, with one another",
            )
        )
    if reason == "foul" and rules.foul == "match_pot" and winner is not None:
        faults.append(
            Fault(
                "winner",
                str(winner),
                "a foul that matches the pot wins the hand for nobody",
                "use None",
            )
        )
    if reason == "fold" and rules.raises == "none":
        faults.append(
            Fault("reason", reason, "these rules know no raises", "name another end of the hand")
        )
    return faults


def _offence_faults(rules: RuleSet, outcome: HandOutcome) -> list[Fault]:
    faults = []
    claimant, winner = outcome.false_claim_by, outcome.winner
    if claimant is not None:
        if not _is_seat(claimant, rules):
            faults.append(_no_seat("false_claim_by", claimant, rules))
        elif outcome.reason not in _FALSE:
            faults.append(
                Fault(
                    "false_claim_by",
                    str(claimant),
                    f"the hand ended by {outcome.reason}",
                    "use reason=false_claim or false_challenge, or None",
                )
            )
        elif _is_seat(winner, rules) and _same_side(rules, claimant, winner):
            faults.append(
                Fault(
                    "false_claim_by",
                    str(claimant),
                    "who claims falsely loses the hand",
                    "name another winner",
                )
            )
    elif outcome.reason in _FALSE and (
        rules.sides > 2 or (rules.pairs and rules.scoring == "pot")
    ):
        faults.append(
            Fault("false_claim_by", "None", "nobody has claimed falsely", "name the claimant")
        )
    kinds = ", ".join(FOULS)
    lost = rules.foul == "lose"
    for i, (seat, kind) in enumerate(outcome.fouls):
        name = f"fouls[{i}]"
        if not _is_seat(seat, rules):
            faults.append(_no_seat(name, seat, rules))
        elif lost and _is_seat(winner, rules) and _same_side(rules, seat, winner):
            faults.append(
                Fault(
                    name,
                    str(seat),
                    "who commits a foul loses the hand",
                    "name another winner, or use foul=match_pot",
                )
            )
        if kind not in FOULS:
            faults.append(Fault(name, str(kind), "no such foul", f"use {kinds}"))
    if outcome.reason == "foul" and not outcome.fouls:
        faults.append(Fault("fouls", "none", "the hand ended by a foul", "name who committed it"))
    if outcome.fouls and lost and rules.sides == 2 and outcome.reason != "foul":
        faults.append(
            Fault(
                "reason",
                str(outcome.reason),
                "a foul ends the hand of two sides",
                "use reason=foul, or the switch foul=match_pot",
            )
        )
    return faults


def _left_faults(rules: RuleSet, outcome: HandOutcome) -> list[Fault]:
    left = outcome.left
    if not left:
        return []
    faults = [
        _no_seat(f"left[{i}]", s, rules) for i, s in enumerate(left) if not _is_seat(s, rules)
    ]
    if not rules.leave_at_target or rules.players == 2:
        faults.append(
            Fault(
                "left",
                _joined(left),
                "nobody leaves a hand under these rules",
                "use leave_at_target=yes and three players at least, or leave it out",
            )
        )
    if len(set(left)) != len(left):
        faults.append(Fault("left", _joined(left), "a seat leaves twice", "name each once"))
    # A bura, a challenge or a foul may still end the hand for somebody else.
    ends = ("bura", "three_aces", "four_aces", "challenge", *_BY_OFFENCE, *_VOID)
    if outcome.winner != left[0] and outcome.reason not in ends:
        faults.append(
            Fault("winner", str(outcome.winner), "not the first that left", f"use {left[0]}")
        )
    return faults


def _same_side(rules: RuleSet, seat: int, other: int | None) -> bool:
    return other is not None and _side(rules, seat) == _side(rules, other)
