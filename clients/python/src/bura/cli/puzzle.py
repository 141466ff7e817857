"""`bura puzzle`: poses puzzles in the terminal, lists them, and has new ones made."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Final, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bura.cli.drawing import SUITS, Cards, Pen, Seen
from bura.cli.frame import SETTINGS, Lang, command_of, console
from bura.cli.lines import UNUSABLE, complain
from bura.cli.show import print_trimmed
from bura.cli.words import Words, preferred
from bura.errors import Fault, InputError
from bura.puzzles import Puzzle, PuzzleSet, WrongMove, load

__all__ = ["app"]

app = typer.Typer(
    help="Positions with exactly one winning move: try them, list them, make new ones.",
    **SETTINGS,
)
_command = command_of(app)


class Kind(StrEnum):
    """What is known."""

    CLAIRVOYANT = "clairvoyant"
    SEAT = "seat"


_COMMANDS: Final[Mapping[str, str]] = {
    word: command
    for command, words in {
        "help": "help ? помощь დახმარება",
        "moves": "moves list ходы სვლები",
        "hint": "hint подсказка მინიშნება",
        "solution": "solution solve решение ამოხსნა",
        "skip": "skip next дальше შემდეგი",
        "quit": "quit exit q выход გასვლა",
        "claim": "claim var вар вскрываюсь вскрыться ვარი",
        "pass": "pass пас პასი",
    }.items()
    for word in words.split()
}

_CARD = re.compile(r"(10|[6-9tjqkaткдв])([shdc♠♥♦♣пчбтк])", re.IGNORECASE)
# The Cyrillic letters: Т is the ace.
_RANKS = {"10": "T", "т": "A", "к": "K", "д": "Q", "в": "J"}
_SYMBOLS = dict(zip("♠♥♦♣пчбтк", "shdcshdcc", strict=True))

File = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="Puzzles of your own, made by `puzzle make`."),
]
Theme = Annotated[
    str | None, typer.Option("--theme", metavar="THEME", help="Only of this theme, see list.")
]
OfKind = Annotated[Kind | None, typer.Option("--kind", help="Only of this kind.")]
Stars = Annotated[
    int | None, typer.Option("--stars", metavar="N", min=1, max=5, help="Only as hard as this.")
]
OfRules = Annotated[
    str | None, typer.Option("--rules", metavar="RULES", help="Only of this rule set or preset.")
]


def _chosen(
    found: PuzzleSet, theme: str | None, kind: Kind | None, stars: int | None, rules: str | None
) -> list[Puzzle]:
    if theme is not None and theme not in found.themes:
        remedy = "choose " + ", ".join(found.themes)
        raise InputError([Fault("--theme", theme, "no such theme", remedy)])
    return [
        each
        for each in found.puzzles
        if (theme is None or theme in each.themes)
        and (kind is None or kind == each.kind)
        and (stars is None or stars == each.stars)
        and (rules is None or rules in (each.rules, each.rules.partition("[")[0]))
    ]


def _load(path: Path | None) -> PuzzleSet:
    try:
        return load(path)
    except OSError as error:
        fault = Fault("--file", str(path), str(error.strerror or error), "name a file of puzzles")
        raise InputError([fault]) from None


@_command("try")
def try_(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", show_default=False, help="These ones.")
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="So many.")] = 5,
    kind: OfKind = None,
    stars: Stars = None,
    theme: Theme = None,
    rules: OfRules = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", min=0, help="The same choice again.")
    ] = None,
    file: File = None,
    lang: Lang = None,
) -> None:
    """Poses puzzles; type the winning move. A wrong one is refuted, and you may try again.

    Examples:
      bura puzzle try
      bura puzzle try --stars 1 --count 3 --lang ru
      bura puzzle try c017 s003
    """
    found = _load(file)
    if ids:
        by_id = {each.id: each for each in found.puzzles}
        faults = [
            Fault("ID", name, "no such puzzle", "`bura puzzle list` shows their names")
            for name in ids
            if name not in by_id
        ]
        if faults:
            raise InputError(faults)
        posed = [by_id[name] for name in ids]
    else:
        fitting = _chosen(found, theme, kind, stars, rules)
        if not fitting:
            raise InputError(
                [Fault("puzzles", "none", Words(preferred(lang))("no_puzzle"), "try without it")]
            )
        rng = random.SystemRandom() if seed is None else random.Random(seed)
        posed = sorted(rng.sample(fitting, min(count, len(fitting))), key=lambda each: each.rating)
    _Session(found, Words(preferred(lang)), console()).run(posed)


@_command("list")
def list_(
    kind: OfKind = None,
    stars: Stars = None,
    theme: Theme = None,
    rules: OfRules = None,
    file: File = None,
    lang: Lang = None,
    json: Annotated[
        bool, typer.Option("--json", help="The puzzles themselves, a JSON object a line.")
    ] = False,
) -> None:
    """Which puzzles there are. Their themes, which say much, only with --theme.

    Examples:
      bura puzzle list --stars 5
      bura puzzle list --theme hold_trump --json
    """
    found = _load(file)
    fitting = _chosen(found, theme, kind, stars, rules)
    if json:
        wanted = {each.id for each in fitting}
        for line in found.text.splitlines():
            match = re.match(r'\{"id": "([^"]+)"', line)
            if match and match[1] in wanted:
                sys.stdout.write(line.rstrip(",") + "\n")
        return
    words, out = Words(preferred(lang)), console()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for name in ("id", "stars", "rating", "kind", "preset"):
        side: Literal["right", "left"] = "right" if name == "rating" else "left"
        table.add_column(words(f"h_{name}"), justify=side, no_wrap=True)
    for each in sorted(fitting, key=lambda each: (each.kind, each.rating)):
        row = each.id, "*" * each.stars, str(each.rating), words(each.kind), each.rules
        table.add_row(*row)
    print_trimmed(out, table)
    themes = ", ".join(
        f"{name} ({_in(said, words.language)})" for name, said in found.themes.items()
    )
    out.print()
    listed = words("listed", puzzles=words.counted(len(fitting), "puzzle"), themes=themes)
    print_trimmed(out, listed)


@app.command(
    "make",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    help="Find new ones, as a file: needs bura-service, see `bura puzzle make --help`.",
)
def make(context: typer.Context) -> None:
    """Hands over to the package that finds them."""
    installed = {entry.name: entry for entry in entry_points(group="bura.puzzles")}
    if "make" not in installed:
        complain("`bura puzzle make` is not installed here: `pip install bura-service` brings it")
        raise typer.Exit(UNUSABLE)
    raise typer.Exit(installed["make"].load()(context.args) or 0)


class _Session:
    """Poses puzzles to a person, one after the other."""

    def __init__(self, found: PuzzleSet, words: Words, console: Console) -> None:
        self._found = found
        self._words = words
        self._console = console
        self._pen = Pen(console, words)

    def run(self, posed: Sequence[Puzzle]) -> None:
        first = later = done = 0
        for number, puzzle in enumerate(posed):
            if number:
                self._console.print()
            done += 1
            tries = self._pose(puzzle)
            if tries is None:
                break
            first += tries == 1
            later += tries > 1
        self._console.print()
        self._console.print(self._words("solved", first=first, all=done, later=later))

    def _pose(self, puzzle: Puzzle) -> int | None:
        """The number of tries until it was solved; 0 if it was given up, None to leave."""
        self._show(puzzle)
        tries = 0
        prompt = self._words("ask")
        while True:
            typed = self._read(prompt)
            if typed is None:
                return None
            command = _COMMANDS.get(typed.casefold(), "")
            if command == "quit":
                return None
            if command == "skip":
                return 0
            if command == "solution":
                self._explain(puzzle)
                return 0
            if command == "help" or not typed:
                self._console.print(self._words("help"))
            elif command == "moves":
                self._console.print(Text("  ").join(map(self._pen.move, puzzle.moves)))
            elif command == "hint":
                self._themes(puzzle)
            else:
                move = legal(puzzle, command or typed)
                if move is None:
                    self._console.print(self._words("unknown", typed=typed))
                    continue
                tries += 1
                if move == puzzle.solution:
                    self._console.print(Text(self._words("yes"), style="green"))
                    self._explain(puzzle)
                    return tries
                self._refute(next(each for each in puzzle.wrong if each.move == move))
                prompt = self._words("again")

    def _read(self, prompt: str) -> str | None:
        self._console.print(prompt, end="")
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            self._console.print(line.rstrip("\n"))
        return line.strip() if line else None

    def _show(self, puzzle: Puzzle) -> None:
        stars = "*" * puzzle.stars
        title = _in(puzzle.title, self._words.language)
        self._console.print(Text.assemble((puzzle.id, "bold"), f" {stars}  {title}"))
        self._console.print(self._words(f"kind_{puzzle.kind}", worlds=puzzle.worlds))
        self._table(puzzle.position, puzzle.seat)

    def _table(self, position: str, seat: int) -> None:
        pen, words = self._pen, self._words
        seen = Seen.read(position)
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        trump = Text(words("no_trump"))
        if seen.trump in SUITS:
            trump = Text(SUITS[seen.trump] if pen.symbols else seen.trump)
        grid.add_row(words("h_trumps"), trump)
        grid.add_row(words("other_hand"), self._cards(seen.hands[1 - seat]))
        grid.add_row(words("talon"), self._cards(seen.talon))
        for _, cards in seen.table:
            grid.add_row(words("on_table"), self._cards(cards))
        grid.add_row(words("own_hand"), self._cards(seen.hands[seat]))
        grid.add_row(words("own_pile"), self._cards(seen.piles[seat]))
        grid.add_row(words("other_pile"), self._cards(seen.piles[1 - seat]))
        for name, value in seen.options.items():
            if name == "claim" and value == str(seat):
                grid.add_row("", words("you_may_claim"))
            elif name != "claim":
                grid.add_row(words.get(name, name), value)
        self._console.print(grid)

    def _cards(self, cards: Cards) -> Text:
        if cards.points is not None:
            return Text(self._words.counted(cards.points, "point"))
        if not cards.count:
            return Text(self._words("none"))
        known = Cards(cards.known)
        parts = [self._pen.cards(known)] if cards.known else []
        if cards.unknown:
            parts.append(Text(self._words.counted(cards.unknown, "unknown")))
        return Text(" + ").join(parts)

    def _line(self, moves: Sequence[str]) -> Text:
        return Text(", ").join(map(self._pen.move, moves))

    def _themes(self, puzzle: Puzzle) -> None:
        said = [self._found.themes[name] for name in puzzle.themes]
        names = ", ".join(_in(each, self._words.language) for each in said)
        self._console.print(self._words("theme", themes=names))

    def _explain(self, puzzle: Puzzle) -> None:
        self._themes(puzzle)
        self._console.print(Text.assemble(self._words("line"), self._line(puzzle.line)))

    def _refute(self, wrong: WrongMove) -> None:
        words = self._words
        said = words("puzzle_loses") if wrong.value < 0 else words("puzzle_draws")
        line = self._line(wrong.line) if wrong.line else Text(words("at_once"))
        self._console.print(
            Text.assemble(self._pen.move(wrong.move), (said, "red"), words("after"), line)
        )
        if wrong.world is not None:
            self._console.print(words("world"))
            seen = Seen.read(wrong.world)
            self._table(wrong.world, seen.turn)


def legal(puzzle: Puzzle, typed: str) -> str | None:
    """The legal move of a puzzle that somebody has typed; None if it is none.

    Cards may come in any order, and without brackets if they can only be laid face down.
    """
    words = {move for move in puzzle.moves if not _CARD.search(move)}
    if typed.casefold() in words:
        return typed.casefold()
    cards = frozenset(_read_cards(typed))
    left = _CARD.sub("", typed)
    if not cards or left.strip(" ,()"):
        return None
    fitting = [move for move in puzzle.moves if frozenset(_read_cards(move)) == cards]
    closed = [move for move in fitting if move.startswith("(")]
    open_ones = [move for move in fitting if not move.startswith("(")]
    if "(" in typed:
        return closed[0] if closed else None
    return next(iter(open_ones or closed), None)


def _read_cards(text: str) -> Iterator[str]:
    for rank, suit in _CARD.findall(text):
        rank, suit = rank.lower(), suit.lower()
        yield _RANKS.get(rank, rank.upper()) + _SYMBOLS.get(suit, suit)


def _in(said: Mapping[str, str], language: str) -> str:
    """A text of a file in a language, or in English where the file lacks it."""
    return said.get(language, said["en"])
