"""What a method may know of the call it answers, whatever transport brought it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Call", "Notes"]

# A deadline of centuries is how some clients spell "none".
_NEVER = 1e9


@dataclass(slots=True)
class Notes:
    """What the log and the metrics will tell of a call, as far as it has come.

    Attributes:
        facts: of the question and its answer: rule set, phase, worlds, nodes ...; never cards.
        position: what was asked about; only logged where told so.
        queue_seconds: spent waiting for a thread; None where none was needed.
        compute_seconds: spent on a thread.
    """

    facts: dict[str, str | int] = field(default_factory=dict)
    position: str | None = None
    queue_seconds: float | None = None
    compute_seconds: float | None = None


class Call:
    """A call under way.

    Attributes:
        notes: for the log.
        client: the name of the token it came with; None without tokens.
    """

    __slots__ = ("_time_remaining", "client", "notes")

    def __init__(self, time_remaining: Callable[[], float | None]) -> None:
        self._time_remaining = time_remaining
        self.notes = Notes()
        self.client: str | None = None

    def time_remaining(self) -> float | None:
        """Seconds until the deadline of the call, 0 once it has passed; None where it has none."""
        seconds = self._time_remaining()
        if seconds is None or not math.isfinite(seconds) or seconds > _NEVER:
            return None
        return max(0.0, seconds)
