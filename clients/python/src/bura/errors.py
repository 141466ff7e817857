"""What can go wrong when a service is asked, split by what the caller can do about it.

Every error of this package is a `BuraError`. Which one it is says what helps:

* `InputError`: mend the input; `faults` names every field that is wrong.
* `Unsupported`: the question is well-formed, but this service does not answer it.
* `Unavailable`: nobody answers there; start a service, or look at the address.
* `Timeout`: it took too long; ask for less, or allow more time.
* `Overloaded`: the service is busy; come again after `retry_after` seconds.
* `ServerError`: the service failed; a fault to report, not one of the input.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "BuraError",
    "Fault",
    "InputError",
    "Overloaded",
    "ServerError",
    "Timeout",
    "Unavailable",
    "Unsupported",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an input.

    Attributes:
        field: which part of the input, e.g. `hands` or `table`; empty if the service named none.
        value: what stood there, as it was written.
        problem: what is wrong with it.
        remedy: what to write instead; empty if nothing can be suggested.
    """

    field: str
    value: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.field} {self.value!r}" if self.value else self.field
        text = f"{place}: {self.problem}" if place else self.problem
        return f"{text}; {self.remedy}" if self.remedy else text


class BuraError(Exception):
    """Any failure of a question to a service; catch this to catch them all."""


class InputError(BuraError, ValueError):
    """The input can't be answered as it is; `faults` holds everything that is wrong with it.

    The text is one fault a line.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class Unsupported(BuraError):
    """A well-formed question that this service does not answer (yet, or as it was started)."""


class Unavailable(BuraError):
    """No service could be reached, or the connection was lost before the answer."""


class Timeout(BuraError, TimeoutError):
    """No answer within the time that was allowed for the call."""


class Overloaded(BuraError):
    """The service is busy and took the question back unanswered.

    `retry_after` is the number of seconds after which it expects to be free, or `None` if it
    did not say.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ServerError(BuraError):
    """The service failed at answering a question that it should have answered."""
