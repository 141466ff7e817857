"""The errors of the core, split by what the caller can do about them.

``InputError`` and its kinds mean that the caller can mend what he gave; each carries
*every* fault of the input, and each fault names the field, the value and the remedy.
``UnsupportedError`` means that the input is fine and this build cannot do it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "BuraError",
    "Fault",
    "HiddenCardsError",
    "IllegalMoveError",
    "InputError",
    "UnsupportedError",
]

_MAX_SHOWN = 80


def _shown(value: str) -> str:
    """``value`` quoted for a message: one line, printable, and not too long."""
    if len(value) > _MAX_SHOWN:
        value = value[: _MAX_SHOWN - 3] + "..."
    # repr escapes control characters, lone surrogates and the like; a message must never
    # itself break the line (one fault a line) or the terminal.
    text = repr(value)
    return f"'{text[1:-1]}'"


@dataclass(frozen=True)
class Fault:
    """One thing wrong with an input.

    ``field`` is the part of the input (``talon``, ``hands[1]``, ``rules.deck``), ``value``
    what was found there, ``problem`` what is wrong with it, ``remedy`` what would be right.
    """

    field: str
    value: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.field} {_shown(self.value)}: {self.problem}; {self.remedy}"


class BuraError(Exception):
    """The base of every error this package raises on purpose."""


class InputError(BuraError, ValueError):
    """The caller's input is wrong and he can mend it.

    ``faults`` holds everything found wrong, in the order of the input; the text is one fault
    a line. There is always at least one.
    """

    faults: tuple[Fault, ...]

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        if not self.faults:
            raise TypeError("an InputError needs at least one fault")
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would rebuild the error from its text; batches send errors between
        # processes, and the faults must survive that.
        return (type(self), (self.faults,))


class IllegalMoveError(InputError):
    """The move is well written but not legal in this position."""


class HiddenCardsError(InputError):
    """A clairvoyant call got a position with unknown cards."""


class UnsupportedError(BuraError):
    """The request is well formed, but this build cannot serve it."""
