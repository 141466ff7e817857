"""A client of the Bura service: what to play, whether to claim, and who wins.

    >>> import bura
    >>> with bura.connect("localhost:50051") as client:
    ...     advice = client.recommend("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    >>> advice.move
    'Th'

`connect` makes a `Client`; its methods give the frozen results of `bura.results` and raise the
errors of `bura.errors`. `bura.aio.connect` is the same for asyncio. The messages of the wire are
in `bura.v1`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bura.client import Client, connect
from bura.errors import (
    BuraError,
    Fault,
    InputError,
    Overloaded,
    ServerError,
    Timeout,
    Unavailable,
    Unsupported,
)
from bura.results import (
    CallValue,
    ClaimDecision,
    ClaimEstimate,
    Equilibrium,
    EquilibriumMove,
    HandReview,
    MoveAdvice,
    MoveValue,
    Perft,
    Pile,
    PlayedPosition,
    PointsWays,
    Position,
    RaiseAdvice,
    RaiseOption,
    Recommendation,
    RecordCheck,
    Replay,
    ReplayedMove,
    ReviewedMove,
    RuleSet,
    SeatValue,
    Solution,
    Table,
)

if TYPE_CHECKING:
    from bura import aio
    from bura.aio import AsyncClient

__all__ = [
    "AsyncClient",
    "BuraError",
    "CallValue",
    "ClaimDecision",
    "ClaimEstimate",
    "Client",
    "Equilibrium",
    "EquilibriumMove",
    "Fault",
    "HandReview",
    "InputError",
    "MoveAdvice",
    "MoveValue",
    "Overloaded",
    "Perft",
    "Pile",
    "PlayedPosition",
    "PointsWays",
    "Position",
    "RaiseAdvice",
    "RaiseOption",
    "Recommendation",
    "RecordCheck",
    "Replay",
    "ReplayedMove",
    "ReviewedMove",
    "RuleSet",
    "SeatValue",
    "ServerError",
    "Solution",
    "Table",
    "Timeout",
    "Unavailable",
    "Unsupported",
    "aio",
    "connect",
]


def __getattr__(name: str) -> object:
    # Importing asyncio takes longer than all the rest: it waits until somebody asks for it.
    if name not in ("aio", "AsyncClient"):
        raise AttributeError(f"module 'bura' has no attribute {name!r}")
    # Not `from bura import aio`, which would ask here again.
    module = import_module("bura.aio")
    return module if name == "aio" else module.AsyncClient
