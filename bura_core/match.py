"""Settling one hand of two players as data: who wins it unclaimed, and what it pays.

`unclaimed` asks the rule engine who wins a hand that was played out and never claimed
(RULES §3, §4); `settle_hand` turns the end of a hand into what is written down for each seat
under the rule set's ``scoring`` (RULES §7). Whole matches are not kept here.
"""

from __future__ import annotations

from collections.abc import Sequence

from bura_core._rules import Position, Result
from bura_core.errors import Fault, InputError, UnsupportedError
from bura_core.notation import Pile, PositionText
from bura_core.rule_sets import RuleSet

__all__ = ["settle_hand", "unclaimed"]

_ALL = 120
"""The points of every deck (RULES §1)."""
_REASONS = (
    "claim", "false_claim", "bura", "three_aces", "points", "draw", "no_winner", "void", "fold",
)  # fmt: skip
_WITHOUT_WINNER = ("draw", "no_winner", "void")


def unclaimed(
    rules: RuleSet, points: Sequence[int], *, handicap: Sequence[int] = (0, 0)
) -> Result:
    """Who wins a hand of two players that was played out without a claim (RULES §3, §4).

    ``points`` are the piles by seat, 120 in all; ``handicap`` counts beside them. The
    ``reason`` of the result is ``points``, ``draw`` or ``no_winner``, by the switch
    ``unclaimed``. Raises InputError for counts that cannot be, UnsupportedError for rule
    sets that are not played yet.
    """
    _check_two(rules)
    faults = _pair_faults("points", points) + _pair_faults("handicap", handicap)
    if not faults and sum(points) != _ALL:
        faults.append(
            Fault(
                "points",
                "/".join(map(str, points)),
                f"the piles of a hand played out make {sum(points)}",
                f"they make {_ALL} together",
            )
        )
    if faults:
        raise InputError(faults)
    played_out = Position(
        PositionText(
            rules=rules,
            trump=0 if rules.trumps else None,
            hands=((), ()),
            talon=(),
            piles=tuple(Pile((), pile) for pile in points),
            turn=0,
            table=(),
            handicap=tuple(handicap),
        )
    )
    result = played_out.result
    assert result is not None  # no cards and no claim are left
    return result


def settle_hand(
    rules: RuleSet,
    *,
    winner: int | None,
    points: Sequence[int],
    tricks: Sequence[int],
    stake: int = 1,
    reason: str = "points",
) -> tuple[int, ...]:
    """What a finished hand of two players pays, by seat (RULES §7).

    ``winner`` is the seat that won, or None; ``reason`` and ``stake`` are those of the hand's
    `Result`. ``points`` and ``tricks`` are the piles as they are when the hand ends.

    * ``points_match`` (S1): the stake to the winner.
    * ``robber`` (S0b, S4): the stake to the winner, times ``bura_counts`` if a bura won (S0d).
    * ``burkozel_12`` (S4): 2 to the winner, 4 if the other has under 31, 6 if he has no trick;
      a trick without points is a trick.
    * ``penalty_12`` (S0b, S4): 2 to the loser, for these are penalties.
    * ``balls_12`` (S2 Bura-2, S0c): penalties to each by his own points, whoever won: none 6,
      under 31 4, 31 and more 2, 60 and more 0.

    All are multiplied by the stake; without a winner nothing is paid, but for ``balls_12``.
    Raises InputError with everything that cannot be at once, UnsupportedError for more than
    two players and for ``pot``, which pays in money.
    """
    _check_two(rules)
    if rules.scoring == "pot":
        raise UnsupportedError(f"{rules}: scoring=pot pays in money and is not settled here yet")
    faults = _pair_faults("points", points) + _pair_faults("tricks", tricks)
    if not faults:
        faults += _pile_faults(rules, points, tricks)
    if winner is not None and (type(winner) is not int or winner not in (0, 1)):
        faults.append(
            Fault("winner", str(winner), "no such seat", "use 0, 1 or None for no winner")
        )
    if reason not in _REASONS:
        faults.append(
            Fault("reason", str(reason), "no such end of a hand", f"use {', '.join(_REASONS)}")
        )
    elif (winner is None) != (reason in _WITHOUT_WINNER):
        somebody = "nobody" if winner is None else f"seat {winner}"
        faults.append(
            Fault(
                "reason",
                reason,
                f"does not go together with {somebody} winning",
                f"without a winner it is {', '.join(_WITHOUT_WINNER)}, with one another",
            )
        )
    if type(stake) is not int or stake < 1 or (rules.raises == "none" and stake != 1):
        faults.append(
            Fault(
                "stake",
                str(stake),
                "these rules know no raises" if rules.raises == "none" else "not a stake",
                "use 1" if rules.raises == "none" else "use 1 or more",
            )
        )
    if faults:
        raise InputError(faults)
    if rules.scoring == "balls_12":
        return tuple(stake * _balls(count) for count in points)
    pays = [0, 0]
    if winner is None:
        return tuple(pays)
    loser = 1 - winner
    if rules.scoring == "penalty_12":
        pays[loser] = 2
    elif rules.scoring == "burkozel_12":
        pays[winner] = 6 if not tricks[loser] else 4 if points[loser] < 31 else 2
    elif rules.scoring == "robber" and reason == "bura":
        pays[winner] = rules.bura_counts
    else:
        pays[winner] = 1
    return tuple(stake * pay for pay in pays)


def _balls(points: int) -> int:
    """Penalties of Bura-2; exactly 60 costs nothing, so 60:60 costs nobody anything."""
    if points == 0:
        return 6
    return 4 if points < 31 else 2 if points < 60 else 0


def _check_two(rules: RuleSet) -> None:
    if rules.players != 2:
        raise UnsupportedError(f"{rules}: hands of {rules.players} players are not settled yet")


def _pair_faults(field: str, numbers: Sequence[int]) -> list[Fault]:
    if len(numbers) == 2 and all(type(n) is int and 0 <= n <= _ALL for n in numbers):
        return []
    return [
        Fault(
            field,
            "/".join(map(str, numbers)),
            "not one number for each of two seats",
            f"use two whole numbers, 0 to {_ALL}",
        )
    ]


def _pile_faults(rules: RuleSet, points: Sequence[int], tricks: Sequence[int]) -> list[Fault]:
    """Piles that no hand of these rules can leave."""
    faults = []
    if sum(points) > _ALL:
        faults.append(
            Fault(
                "points",
                "/".join(map(str, points)),
                f"the piles make {sum(points)}",
                f"the deck has {_ALL} points",
            )
        )
    if sum(tricks) > rules.deck // 2:
        faults.append(
            Fault(
                "tricks",
                "/".join(map(str, tricks)),
                f"{sum(tricks)} tricks",
                f"a deck of {rules.deck} has {rules.deck // 2} of two players at most",
            )
        )
    faults += [
        Fault(f"points[{seat}]", str(points[seat]), "points without a trick", "use 0")
        for seat in (0, 1)
        if points[seat] and not tricks[seat]
    ]
    return faults
