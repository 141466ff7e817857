"""Bura (бура, ბურა): rules, exact solver and honest advice, compiled.

A position line (docs/notations.md) goes in, values come out::

    from bura_core import Solver, View, recommend
    Solver().solve("georgian3 h QhAcKd/KsThTc - 13/21 1 -").best
    recommend(View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")).best

`Solver` knows every card (clairvoyant); `View`, `worlds`, `estimate_claim` and `recommend`
know what one player has seen. Bad input raises `InputError` with every fault at once.
"""

from bura_core._rules import Position, Result
from bura_core._sampler import Worlds, beat_odds, worlds
from bura_core._solver import MoveValue, SeatValue, Solution, Solver, Stop, solve_many
from bura_core.advice import (
    ClaimEstimate,
    MoveAdvice,
    Recommendation,
    estimate_claim,
    recommend,
)
from bura_core.errors import (
    BuraError,
    Fault,
    HiddenCardsError,
    IllegalMoveError,
    InputError,
    UnsupportedError,
)
from bura_core.notation import (
    Move,
    PositionText,
    format_cards,
    parse_cards,
    parse_move,
    parse_position,
)
from bura_core.record import HandRecord, parse_record, read_records
from bura_core.review import review
from bura_core.rule_sets import PRESETS, RuleSet
from bura_core.view import View

__version__ = "0.1.0"

__all__ = [
    "PRESETS",
    "BuraError",
    "ClaimEstimate",
    "Fault",
    "HandRecord",
    "HiddenCardsError",
    "IllegalMoveError",
    "InputError",
    "Move",
    "MoveAdvice",
    "MoveValue",
    "Position",
    "PositionText",
    "Recommendation",
    "Result",
    "RuleSet",
    "SeatValue",
    "Solution",
    "Solver",
    "Stop",
    "UnsupportedError",
    "View",
    "Worlds",
    "beat_odds",
    "estimate_claim",
    "format_cards",
    "parse_cards",
    "parse_move",
    "parse_position",
    "parse_record",
    "read_records",
    "recommend",
    "review",
    "solve_many",
    "worlds",
]
