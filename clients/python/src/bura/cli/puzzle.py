"""`bura puzzle`: poses puzzles in the terminal, lists them, and has new ones made."""

from __future__ import annotations

import inspect
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bura.cli.drawing import Cards, Pen, Seen
from bura.cli.lines import UNUSABLE, complain
from bura.errors import Fault, InputError
from bura.puzzles import Puzzle, PuzzleSet, WrongMove, load

__all__ = ["app"]

WIDTH = 80

app = typer.Typer(
    help="Positions with exactly one winning move: try them, list them, make new ones.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
)


class Language(StrEnum):
    """The language of what is said."""

    EN = "en"
    RU = "ru"


class Kind(StrEnum):
    """What is known."""

    CLAIRVOYANT = "clairvoyant"
    SEAT = "seat"


_COMMANDS: Final[Mapping[str, str]] = {
    word: command
    for command, words in {
        "help": "help ? помощь",
        "moves": "moves list ходы",
        "hint": "hint подсказка",
        "solution": "solution solve решение",
        "skip": "skip next дальше",
        "quit": "quit exit q выход",
        "claim": "claim var вар вскрываюсь",
        "pass": "pass пас",
    }.items()
    for word in words.split()
}

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "clairvoyant": "All cards are known, to both.",
        "seat": "You know what you have seen: your move has to win whatever the rest is "
        "({worlds} deals fit).",
        "own": "your hand", "other": "other hand", "talon": "talon", "table": "on the table",
        "own_pile": "your pile", "other_pile": "other pile", "none": "none",
        "card": "unknown card", "points": "points", "to": "target",
        "trump": "trumps", "no_trump": "no trumps", "claim": "you may claim",
        "ask": "Your move (or help): ", "again": "Try again: ",
        "help": "A move is its cards, as in KsTh; in brackets to lay them face down; or claim. "
        "Commands: moves, hint, solution, skip, quit.",
        "unknown": "{typed}: no legal move here; `moves` lists them.",
        "right": "Right.", "theme": "Theme: {themes}.", "line": "Best play: ",
        "loses": " loses", "draws": " does not win",
        "after": " after ", "world": "if the cards lie so:", "at_once": "at once",
        "solved": "{first} of {all} solved at the first try, {later} later.",
        "nothing": "no puzzle is like that; leave out an option",
    },
    "ru": {
        "clairvoyant": "Все карты известны обоим.",
        "seat": "Известно только то, что вы видели: ход должен выигрывать при любом раскладе "
        "(подходит раскладов: {worlds}).",
        "own": "ваши карты", "other": "карты соперника", "talon": "колода", "table": "на столе",
        "own_pile": "ваши взятки", "other_pile": "взятки соперника", "none": "нет",
        "card": "неизв.", "points": "очков", "to": "нужно",
        "trump": "козыри", "no_trump": "без козырей", "claim": "можно вскрыться",
        "ask": "Ваш ход (или помощь): ", "again": "Ещё раз: ",
        "help": "Ход — это карты, например KsTh; в скобках — в закрытую; или claim (вскрыться). "
        "Команды: ходы, подсказка, решение, дальше, выход.",
        "unknown": "{typed}: такого хода здесь нет; `ходы` покажет все.",
        "right": "Верно.", "theme": "Тема: {themes}.", "line": "Лучшая игра: ",
        "loses": " проигрывает", "draws": " не выигрывает",
        "after": ": ", "world": "при таком раскладе:", "at_once": "сразу",
        "solved": "Решено с первого раза: {first} из {all}, потом ещё {later}.",
        "nothing": "таких задач нет; уберите какое-нибудь условие",
    },
}  # fmt: skip

_CARD = re.compile(r"(10|[6-9tjqka])([shdc♠♥♦♣])", re.IGNORECASE)
_SYMBOLS = dict(zip("♠♥♦♣", "shdc", strict=True))

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
Lang = Annotated[Language, typer.Option("--lang", help="The language of what is said.")]


def _console() -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDTH)
    return console


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


def _command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function a command; its docstring is the help, the examples line by line."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        text = inspect.getdoc(function) or ""
        return app.command(name, help=text.replace("\nExamples:", "\n\b\nExamples:"))(function)

    return register


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
    lang: Lang = Language.EN,
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
            raise InputError([Fault("puzzles", "none", _WORDS[lang]["nothing"], "try without it")])
        rng = random.SystemRandom() if seed is None else random.Random(seed)
        posed = sorted(rng.sample(fitting, min(count, len(fitting))), key=lambda each: each.rating)
    _Session(found, lang.value, _console()).run(posed)


@_command("list")
def list_(
    kind: OfKind = None,
    stars: Stars = None,
    theme: Theme = None,
    rules: OfRules = None,
    file: File = None,
    lang: Lang = Language.EN,
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
    console = _console()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for name in ("id", "stars", "rating", "kind", "rules"):
        table.add_column(name, justify="right" if name == "rating" else "left", no_wrap=True)
    for each in fitting:
        table.add_row(each.id, "*" * each.stars, str(each.rating), each.kind, each.rules)
    console.print(table)
    themes = ", ".join(f"{name} ({said[lang]})" for name, said in found.themes.items())
    console.print(f"\n{len(fitting)} puzzles. Themes: {themes}")


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

    def __init__(self, found: PuzzleSet, language: str, console: Console) -> None:
        self._found = found
        self._language = language
        self._words = _WORDS[language]
        self._console = console
        self._pen = Pen(console)

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
        self._console.print(self._words["solved"].format(first=first, all=done, later=later))

    def _pose(self, puzzle: Puzzle) -> int | None:
        """The number of tries until it was solved; 0 if it was given up, None to leave."""
        self._show(puzzle)
        tries = 0
        prompt = self._words["ask"]
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
                self._console.print(self._words["help"])
            elif command == "moves":
                self._console.print(Text("  ").join(map(self._pen.move, puzzle.moves)))
            elif command == "hint":
                self._themes(puzzle)
            else:
                move = legal(puzzle, command or typed)
                if move is None:
                    self._console.print(self._words["unknown"].format(typed=typed))
                    continue
                tries += 1
                if move == puzzle.solution:
                    self._console.print(Text(self._words["right"], style="green"))
                    self._explain(puzzle)
                    return tries
                self._refute(next(each for each in puzzle.wrong if each.move == move))
                prompt = self._words["again"]

    def _read(self, prompt: str) -> str | None:
        self._console.print(prompt, end="")
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            self._console.print(line.rstrip("\n"))
        return line.strip() if line else None

    def _show(self, puzzle: Puzzle) -> None:
        stars = "*" * puzzle.stars
        title = puzzle.title.get(self._language, puzzle.title["en"])
        self._console.print(Text.assemble((puzzle.id, "bold"), f" {stars}  {title}"))
        self._console.print(self._words[puzzle.kind].format(worlds=puzzle.worlds))
        self._table(puzzle.position, puzzle.seat)

    def _table(self, position: str, seat: int) -> None:
        pen, words = self._pen, self._words
        seen = Seen.read(position)
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        trump = Text(words["no_trump"])
        if seen.trump != "-":
            suit = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}[seen.trump]
            trump = Text(suit if pen.symbols else seen.trump)
        grid.add_row(words["trump"], trump)
        grid.add_row(words["other"], self._cards(seen.hands[1 - seat]))
        grid.add_row(words["talon"], self._cards(seen.talon))
        for _, cards in seen.table:
            grid.add_row(words["table"], self._cards(cards))
        grid.add_row(words["own"], self._cards(seen.hands[seat]))
        grid.add_row(words["own_pile"], self._cards(seen.piles[seat]))
        grid.add_row(words["other_pile"], self._cards(seen.piles[1 - seat]))
        for name, value in seen.options.items():
            if name == "claim" and value == str(seat):
                grid.add_row("", words["claim"])
            elif name != "claim":
                grid.add_row(name, value)
        self._console.print(grid)

    def _cards(self, cards: Cards) -> Text:
        if cards.points is not None:
            return Text(f"{cards.points} {self._words['points']}")
        if not cards.count:
            return Text(self._words["none"])
        known = Cards(cards.known)
        parts = [self._pen.cards(known)] if cards.known else []
        if cards.unknown:
            parts.append(Text(f"{cards.unknown} x {self._words['card']}"))
        return Text(" + ").join(parts)

    def _line(self, moves: Sequence[str]) -> Text:
        return Text(", ").join(map(self._pen.move, moves))

    def _themes(self, puzzle: Puzzle) -> None:
        said = [self._found.themes[name] for name in puzzle.themes]
        names = ", ".join(each.get(self._language, each["en"]) for each in said)
        self._console.print(self._words["theme"].format(themes=names))

    def _explain(self, puzzle: Puzzle) -> None:
        self._themes(puzzle)
        self._console.print(Text.assemble(self._words["line"], self._line(puzzle.line)))

    def _refute(self, wrong: WrongMove) -> None:
        words = self._words
        said = words["loses"] if wrong.value < 0 else words["draws"]
        line = self._line(wrong.line) if wrong.line else Text(words["at_once"])
        self._console.print(
            Text.assemble(self._pen.move(wrong.move), (said, "red"), words["after"], line)
        )
        if wrong.world is not None:
            self._console.print(words["world"])
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
        yield ("T" if rank == "10" else rank.upper()) + _SYMBOLS.get(suit, suit.lower())
