"""What a method may know of the call it answers, whatever transport brought it."""

import math
from typing import Protocol

__all__ = ["Call", "time_remaining"]


class Call(Protocol):
    """A call under way. grpc's own context is one; the browser's port has another."""

    def time_remaining(self) -> float | None:
        """Seconds until the deadline of the call; None, or a number beyond reason, for none."""


def time_remaining(call: Call) -> float | None:
    """Seconds until the deadline of the call, None where it has none."""
    seconds = call.time_remaining()
    # A deadline of centuries is how some clients spell "none".
    return None if seconds is None or not math.isfinite(seconds) or seconds > 1e9 else seconds
