"""Puzzles that come with the package: positions with exactly one winning move.

`load` reads the set, or a file that `bura puzzle make` has written (docs/puzzles.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from bura.errors import Fault, InputError

__all__ = ["Puzzle", "PuzzleSet", "WrongMove", "load"]

FORMAT = 1
Kind = Literal["clairvoyant", "seat"]


@dataclass(frozen=True, slots=True)
class WrongMove:
    """A move that does not win.

    Attributes:
        move: the move.
        value: what it is worth to the seat that makes it: -1 the hand is lost, 0 nobody wins.
        line: best play of both sides after it, to the end of the hand.
        world: for a puzzle from one seat, a complete position that fits what the seat has seen,
            and in which `line` is played; else `None`.
    """

    move: str
    value: int
    line: tuple[str, ...]
    world: str | None = None


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with exactly one winning move.

    Attributes:
        id: its name in its file, such as `c017`.
        kind: `clairvoyant`, all cards are known; or `seat`, only what one seat has seen, and the
            solution wins against every deal that fits and every defence.
        rules: the rule set.
        position: the position line.
        seat: who is to move and win.
        title: what to do, by language (`en`, `ru`, `ka`); it does not give the solution away.
        rating: how hard it is, some 900 to 2000.
        stars: the same in steps, 1 to 5.
        themes: what the solution is about, the main theme first: keys of `PuzzleSet.themes`.
        traps: wrong moves that look more natural than the solution.
        depth: moves of `line`.
        solution: the winning move.
        line: best play of both sides from the position on, the solution first; for `seat` in one
            of the deals that fit.
        wrong: every other legal move, with why it does not win.
        worlds: for `seat`, how many deals fit; else `None`.
    """

    id: str
    kind: Kind
    rules: str
    position: str
    seat: int
    title: Mapping[str, str]
    rating: int
    stars: int
    themes: tuple[str, ...]
    traps: tuple[str, ...]
    depth: int
    solution: str
    line: tuple[str, ...]
    wrong: tuple[WrongMove, ...]
    worlds: int | None = None

    @property
    def moves(self) -> tuple[str, ...]:
        """Every legal move, in no telling order."""
        return tuple(sorted([self.solution, *(each.move for each in self.wrong)]))


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """A file of puzzles.

    Attributes:
        puzzles: in the order of the file.
        themes: what each theme is called, by language.
        text: the file as it is, line by line a puzzle.
    """

    puzzles: tuple[Puzzle, ...]
    themes: Mapping[str, Mapping[str, str]]
    text: str


def load(path: str | Path | None = None) -> PuzzleSet:
    """Reads a file of puzzles; `None` for those that come with the package.

    Raises:
        InputError: that is no file of puzzles, or of another format.
        OSError: it can't be read.
    """
    if path is None:
        return _own()
    return _read(Path(path).read_text(encoding="utf-8"), str(path))


@cache
def _own() -> PuzzleSet:
    text = files("bura").joinpath("puzzles.json").read_text(encoding="utf-8")
    return _read(text, "puzzles.json")


def _read(text: str, name: str) -> PuzzleSet:
    remedy = "give a file that `bura puzzle make` has written"
    try:
        told = json.loads(text)
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise TypeError(f"no format {FORMAT} in it")
        return PuzzleSet(tuple(map(_puzzle, told["puzzles"])), told["themes"], text)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            [Fault("file", name, f"not a file of puzzles ({error})", remedy)]
        ) from None


def _puzzle(told: dict[str, Any]) -> Puzzle:
    return Puzzle(
        id=told["id"],
        kind=told["kind"],
        rules=told["rules"],
        position=told["position"],
        seat=told["seat"],
        title=told["title"],
        rating=told["rating"],
        stars=told["stars"],
        themes=tuple(told["themes"]),
        traps=tuple(told["traps"]),
        depth=told["depth"],
        solution=told["solution"],
        line=tuple(told["line"]),
        wrong=tuple(
            WrongMove(each["move"], each["value"], tuple(each["line"]), each.get("world"))
            for each in told["wrong"]
        ),
        worlds=told.get("worlds"),
    )
