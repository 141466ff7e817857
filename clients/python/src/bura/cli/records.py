"""Hand records in, answers out: the hands of a file, one after the other."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bura.cli.lines import ANSWERED, FAILED, UNUSABLE, complain
from bura.errors import BuraError, Fault, InputError, Unavailable

__all__ = ["Hand", "answer_hands", "hands_of"]


@dataclass(frozen=True, slots=True)
class Hand:
    """The text of one hand; `line` is where it begins in its file, from 1."""

    text: str
    number: int
    line: int


def hands_of(lines: Iterable[bytes]) -> Iterator[Hand]:
    """The hands of a file: one begins at a tag behind moves, or at a second Rules tag.

    What is wrong within a hand is for the service to say.
    """
    chunk: list[str] = []
    moves = ruled = False
    number = first = 0
    for line_number, raw in enumerate(lines, 1):
        # A byte that is no text spoils its own hand only.
        line = raw.decode("utf-8-sig" if line_number == 1 else "utf-8", errors="replace").rstrip()
        if line.startswith("["):
            rules = line.startswith("[Rules")
            if moves or (rules and ruled):
                number += 1
                yield Hand("\n".join(chunk), number, first)
                chunk, moves, ruled = [], False, False
            ruled = ruled or rules
        elif line:
            moves = True
        if line or chunk:
            first = first if chunk else line_number
            chunk.append(line)
    if chunk:
        yield Hand("\n".join(chunk), number + 1, first)


def answer_hands(record: str, ask: Callable[[str], Any], show: Callable[[Any, Hand], None]) -> int:
    """Asks for every hand of a file, `-` for standard input, and shows the answers in order.

    Returns:
        The exit status.
    """
    if record == "-":
        return _answer(sys.stdin.buffer, "standard input", ask, show)
    try:
        with Path(record).open("rb") as file:
            return _answer(file, record, ask, show)
    except OSError as error:
        fault = Fault("RECORD", record, error.strerror or "can't be read", "name a file, or -")
        complain(InputError([fault]))
        return UNUSABLE


def _answer(
    lines: Iterable[bytes],
    name: str,
    ask: Callable[[str], Any],
    show: Callable[[Any, Hand], None],
) -> int:
    status, hand = ANSWERED, None
    for hand in hands_of(lines):
        try:
            answer = ask(hand.text)
        except Unavailable as error:
            complain(error, f"no answer for hand {hand.number}")
            return FAILED
        except BuraError as error:
            status = FAILED
            complain(_in_file(error, hand), f"hand {hand.number}, line {hand.line}")
        else:
            show(answer, hand)
            sys.stdout.flush()
    if hand is None:
        complain(InputError([Fault("RECORD", name, "no hand in it", "see docs/records.md")]))
        return UNUSABLE
    return status


def _in_file(error: BuraError, hand: Hand) -> BuraError:
    """The error with the lines of the file in place of those of the hand."""
    if not isinstance(error, InputError):
        return error

    def moved(match: re.Match[str]) -> str:
        return f"line {int(match[1]) + hand.line - 1}"

    return InputError(
        replace(fault, field=re.sub(r"\bline (\d+)", moved, fault.field, count=1))
        for fault in error.faults
    )
