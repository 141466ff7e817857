"""A client of the Bura service: what to play, whether to claim, and who wins.

    >>> import bura
    >>> with bura.connect("localhost:50051") as client:
    ...     advice = client.recommend("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    >>> advice.move
    'Th'

`connect` makes a `Client`; its methods give the frozen results of `bura.results` and raise the
errors of `bura.errors`. The messages of the wire are in `bura.v1`.
"""

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
    ClaimEstimate,
    HandReview,
    MoveAdvice,
    MoveValue,
    Perft,
    Pile,
    PointsWays,
    Recommendation,
    RecordCheck,
    ReviewedMove,
    RuleSet,
    Solution,
    Table,
)

__all__ = [
    "BuraError",
    "ClaimEstimate",
    "Client",
    "Fault",
    "HandReview",
    "InputError",
    "MoveAdvice",
    "MoveValue",
    "Overloaded",
    "Perft",
    "Pile",
    "PointsWays",
    "Recommendation",
    "RecordCheck",
    "ReviewedMove",
    "RuleSet",
    "ServerError",
    "Solution",
    "Table",
    "Timeout",
    "Unavailable",
    "Unsupported",
    "connect",
]
