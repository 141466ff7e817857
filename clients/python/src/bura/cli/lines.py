"""Positions in, answers out: one from the arguments, or one a line from standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from bura._batches import messages_in_order
from bura.errors import BuraError, InputError, Unavailable

__all__ = ["ANSWERED", "FAILED", "UNUSABLE", "Line", "answer_lines", "complain"]

ANSWERED, FAILED, UNUSABLE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Line:
    """A position as it was given; `number` counts the lines of standard input from 1."""

    text: str
    number: int | None = None


def answer_lines(
    position: str,
    ask: Callable[[list[str]], Sequence[Message | BuraError]],
    show: Callable[[Any, Line], None],
    *,
    threads: int,
    most: int,
) -> int:
    """Asks for every position and shows the answers in order.

    Args:
        position: the position, or `-` for those on standard input.
        ask: answers some positions.
        show: shows one answer.
        threads: how many calls of `ask` may be under way at once.
        most: how many positions one of them may take.

    Returns:
        The exit status.
    """
    if position != "-":
        return _answer_argument(position, ask, show)

    def ask_lines(lines: list[Line]) -> list[tuple[Line, Message | BuraError]]:
        return list(zip(lines, ask([line.text for line in lines]), strict=True))

    status, last = ANSWERED, 0
    try:
        for answers in messages_in_order(_read_lines(), ask_lines, threads=threads, most=most):
            for line, answer in answers:
                last = line.number or last
                if isinstance(answer, BuraError):
                    status = FAILED
                    complain(answer, f"line {line.number}")
                else:
                    show(answer, line)
            sys.stdout.flush()
    except Unavailable as error:
        complain(error, f"no answer after line {last}" if last else None)
        return FAILED
    return status


def _answer_argument(
    position: str,
    ask: Callable[[list[str]], Sequence[Message | BuraError]],
    show: Callable[[Any, Line], None],
) -> int:
    try:
        [answer] = ask([position])
    except Unavailable as error:
        answer = error
    if isinstance(answer, BuraError):
        complain(answer)
        return UNUSABLE if isinstance(answer, InputError) else FAILED
    show(answer, Line(position))
    return ANSWERED


def _read_lines() -> Iterator[Line]:
    """The positions on standard input; empty lines and comments are none."""
    for number, raw in enumerate(sys.stdin.buffer, 1):
        # A byte that is no text spoils its own line only.
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace").strip()
        if text and not text.startswith("#"):
            yield Line(text, number)


def complain(error: BuraError | str, place: str | None = None) -> None:
    """Says on standard error what went wrong, and where; one fault a line."""
    where = f"bura: {place}: " if place else "bura: "
    reasons = (
        [_without_request_names(str(fault)) for fault in error.faults]
        if isinstance(error, InputError)
        else str(error).splitlines()
    )
    sys.stdout.flush()
    for reason in reasons:
        print(f"{where}{reason}", file=sys.stderr)


def _without_request_names(fault: str) -> str:
    """`position.talon ...` is a fault of the talon to somebody who wrote a position."""
    return fault.removeprefix("position.").removeprefix("record.")
