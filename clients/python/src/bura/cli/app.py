"""The commands and their options."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.message import Message
from rich.text import Text

from bura import _calls, _convert
from bura._batches import in_order
from bura._calls import Calls, NotInstalled, each
from bura.cli import bench as benchmark
from bura.cli.files import pixels, write_picture
from bura.cli.frame import SETTINGS, AsJson, Lang, command_of, console
from bura.cli.lines import ANSWERED, FAILED, UNUSABLE, Line, answer_lines, complain
from bura.cli.protojson import as_json
from bura.cli.puzzle import app as puzzle_app
from bura.cli.records import Hand, answer_hands
from bura.cli.show import Show
from bura.cli.waiting import Waiting
from bura.cli.words import Language, Words, preferred
from bura.errors import BuraError, Fault, InputError, ServerError
from bura.v1 import solver_pb2

__all__ = ["run"]

app = typer.Typer(
    name="bura",
    help="The card game Bura: what to play, whether to claim, and who wins.",
    epilog="Each command's --help has examples. Without --server the service that is installed "
    "here answers. What is said is in English, Russian or Georgian: --lang, BURA_LANG, or the "
    "locale. Exit status: 0 answered, 1 some lines failed, 2 unusable arguments.",
    add_completion=True,
    **SETTINGS,
)
_command = command_of(app)


class Objective(StrEnum):
    """What a position is solved for."""

    OUTCOME = "outcome"
    POINTS = "points"
    SCORE = "score"


Position = Annotated[
    str,
    typer.Argument(
        metavar="POSITION",
        help="A position line in quotes, or - for one a line on standard input.",
        show_default=False,
    ),
]
Server = Annotated[
    str | None,
    typer.Option("--server", metavar="HOST:PORT", help="The service to ask."),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="Most time for one call.", min=0.001),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads", "-j", metavar="N", min=1, max=256, help="Calls under way at once, for -."
    ),
]
Seat = Annotated[
    int | None,
    typer.Option(
        "--seat",
        metavar="N",
        help="Whose eyes, from 0; else the seat whose hand is known.",
        show_default=False,
    ),
]
MaxNodes = Annotated[
    int | None, typer.Option("--max-nodes", metavar="N", help="Most positions to visit.", min=1)
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="Most time inside one search.", min=0.000001
    ),
]


def run(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit status."""
    try:
        app(list(arguments), prog_name="bura", standalone_mode=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED
    except NotInstalled as error:
        complain(
            f"{error}".replace(
                "name one by its HOST:PORT", "ask one elsewhere with --server HOST:PORT"
            )
        )
        return UNUSABLE
    except InputError as error:
        complain(error)
        return UNUSABLE
    except BuraError as error:
        complain(error)
        return FAILED
    return ANSWERED


_DECISION_WORLDS = 1000
"""Worlds in which `bura claim --decide` plays on."""


@app.callback(invoke_without_command=True)
def options(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.")
    ] = False,
) -> None:
    """The card game Bura: what to play, whether to claim, and who wins."""
    if show_version:
        typer.echo(f"bura {version('bura-client')}")
        raise typer.Exit


@dataclass(frozen=True, slots=True)
class _Shown:
    """How the answers of one command look."""

    convert: Callable[[Any], Any]
    whole: Callable[[Show, Any], None]
    line: Callable[[Show, Any], Text]
    drop: tuple[str, ...] = ()


def _answer(
    position: str,
    ask: Callable[[Calls, list[str]], Sequence[Message | BuraError]],
    shown: _Shown,
    *,
    server: str | None,
    timeout: float | None,
    threads: int,
    json: bool,
    lang: Language | None,
    most: int = 1,
) -> None:
    """Answers a command about positions, and ends it."""
    show = _show(lang)

    def put(message: Message, line: Line) -> None:
        waiting.step()
        with waiting.hidden():
            if json:
                sys.stdout.write(as_json(message, drop=shown.drop) + "\n")
            elif line.number is None:
                shown.whole(show, shown.convert(message))
            else:
                answer = shown.line(show, shown.convert(message))
                show.console.print(Text.assemble(f"{line.number}: ", answer), soft_wrap=True)
            if sys.stdout.isatty():
                sys.stdout.flush()

    with _connected(server, timeout) as calls, Waiting(show.words("searching")) as waiting:
        status = answer_lines(position, partial(ask, calls), put, threads=threads, most=most)
    raise typer.Exit(status)


def _show(lang: Language | None) -> Show:
    return Show(console(), Words(preferred(lang)))


@contextmanager
def _connected(server: str | None, timeout: float | None) -> Iterator[Calls]:
    try:
        calls = Calls(server, timeout)
    except InputError as error:
        # In the words of the command line.
        raise InputError(
            Fault("--server", fault.value, fault.problem, fault.remedy)
            if fault.field == "target"
            else fault
            for fault in error.faults
        ) from None
    try:
        yield calls
    finally:
        calls.close()


@_command(no_args_is_help=True)
def hint(
    position: Position,
    seat: Seat = None,
    max_worlds: Annotated[
        int | None,
        typer.Option(
            "--max-worlds", metavar="N", min=1, help="Most worlds to solve; 2600 if not said."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Of the sample of worlds.")
    ] = None,
    max_nodes: MaxNodes = None,
    time_limit: TimeLimit = None,
    max_deals: Annotated[
        int | None,
        typer.Option(
            "--max-deals",
            metavar="N",
            min=0,
            max=100_000,
            help="Solve endings of at most so many joint deals to an equilibrium: how often to "
            "make which move. 0 for never; if not said, 5000.",
        ),
    ] = None,
    refine: Annotated[
        bool,
        typer.Option(
            "--refine",
            help="Think on until --time-limit or Ctrl-C; a terminal shows the best move so far.",
        ),
    ] = False,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """What to play, from what one player has seen.

    Shows the table, and for every legal move its value (-1 to +1 of the stake) with its standard
    error, how often the hand is won, drawn and lost, and the chance that the other hand can
    beat it.

    Write x3 for three cards the player has not seen; (Js) in a pile is a card that lies face down
    there and that he knows, x2 are two that he does not know.

    Examples:
      bura hint "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
      bura hint --json --max-worlds 100 "classic h x3/As9sQd x29Jh -/- 1 -"
      bura hint --time-limit 2 - < positions.txt
      bura hint --refine --time-limit 1 "georgian5 h x5/KsThTcAdQd x25Jh -/- 1 -"
      bura hint --lang ka "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
    """
    if refine:
        options = {
            "seat": seat,
            "max_worlds": max_worlds,
            "seed": seed,
            "max_nodes": max_nodes,
            "time_limit": time_limit,
        }
        faults = [
            Fault("--refine", name, "not together with it", "leave one of them out")
            for name, given in (("-", position == "-"), ("--max-deals", max_deals))
            if given
        ]
        if faults:
            raise InputError(faults)
        _refine(position, options, server=server, timeout=timeout, json=json, lang=lang)
        return

    def ask(calls: Calls, positions: list[str]) -> Sequence[Message | BuraError]:
        return each(
            positions,
            partial(
                calls.recommend,
                seat=seat,
                max_worlds=max_worlds,
                seed=seed,
                max_nodes=max_nodes,
                time_limit=time_limit,
                max_deals=max_deals,
            ),
        )

    shown = _Shown(_convert.recommendation, Show.hint, Show.hint_line)
    _answer(
        position, ask, shown, server=server, timeout=timeout, threads=threads, json=json, lang=lang
    )


def _refine(
    position: str,
    options: dict[str, Any],
    *,
    server: str | None,
    timeout: float | None,
    json: bool,
    lang: Language | None,
) -> None:
    """A hint that gets better until its time is over, or whoever waits for it has enough."""
    show = _show(lang)
    latest = None
    with (
        _connected(server, timeout) as calls,
        Waiting(show.words("searching")) as waiting,
        closing(calls.recommend_stream(position, **options)) as stream,
    ):
        try:
            for answer in stream:
                latest = answer.recommendation
                waiting.say(show.so_far(_convert.recommendation(latest)))
        except KeyboardInterrupt:
            if latest is None:
                raise
    if latest is None:
        raise ServerError("the service ended its answer before it began")
    if json:
        typer.echo(as_json(latest))
    else:
        show.hint(_convert.recommendation(latest))


@_command(name="raise", no_args_is_help=True)
def raise_(
    position: Position,
    seat: Seat = None,
    no_raise_hand_played: Annotated[
        bool,
        typer.Option(
            "--no-raise-hand-played", help="The hand of the match without raises is over."
        ),
    ] = False,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Whether to raise the stake, and whether to accept a raise, raise again or give up.

    With a score in the position, values are chances to win the match, else stakes.

    Examples:
      bura raise "georgian3 h x3/AhKsTs x13Jh -/- 1 -"
      bura raise "georgian3 h KcJdQs/x3 x13Jh -/- 1 - raiser=1 offer=2 score=3:5/7"
    """

    def ask(calls: Calls, positions: list[str]) -> Sequence[Message | BuraError]:
        call = partial(
            calls.advise_raise, seat=seat, no_raise_hand_played=no_raise_hand_played or None
        )
        return each(positions, call)

    shown = _Shown(_convert.raise_advice, Show.raising, Show.raising_line)
    _answer(
        position, ask, shown, server=server, timeout=timeout, threads=threads, json=json, lang=lang
    )


@_command(no_args_is_help=True)
def claim(
    position: Position,
    seat: Seat = None,
    decide: Annotated[
        bool, typer.Option("--decide", help="Weigh claiming against playing on.")
    ] = False,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """What a pile holds for certain, and the chance that a claim holds.

    The chance is exact, each deal of the unseen cards equally likely, whatever the other player's
    play may tell.

    Examples:
      bura claim "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
      bura claim "georgian3 h AsTdQh/x3 x5Jh TcKcx2/AdQdx2 0 - claim=0"
      bura claim --decide "georgian3 h AsTdQh/x3 x5Jh TcKcx2/AdQdx2 0 - claim=0"
      bura claim --json --seat 1 "georgian3 h x3/KsThTc x7Jh As(Js)/TdAdx2 1 -"
    """

    def ask(calls: Calls, positions: list[str]) -> Sequence[Message | BuraError]:
        worlds = _DECISION_WORLDS if decide else None
        return each(positions, partial(calls.estimate_claim, seat=seat, max_worlds=worlds))

    shown = _Shown(_convert.claim_estimate, Show.claim, Show.claim_line)
    _answer(
        position, ask, shown, server=server, timeout=timeout, threads=threads, json=json, lang=lang
    )


@_command(no_args_is_help=True)
def solve(
    position: Position,
    objective: Annotated[
        Objective,
        typer.Option(
            "--objective", help="Win the hand, take the most points, or win the most of the match."
        ),
    ] = Objective.OUTCOME,
    value_only: Annotated[
        bool,
        typer.Option("--value-only", help="Leave out the moves; much faster."),
    ] = False,
    line: Annotated[
        bool, typer.Option("--line", help="Show best play for the positions of -, too; slower.")
    ] = False,
    max_nodes: MaxNodes = None,
    time_limit: TimeLimit = None,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Who wins with best play, all cards known, and with which moves.

    Values are for the seat to act: win (+1), no winner (0), loss (-1); or with
    --objective points the difference of the piles at the end, own less the other's; or with
    --objective score what the hand counts in the match, at its stake.

    Examples:
      bura solve "georgian3 h QhAcKd/KsThTc TsQsAhKhQdJdKcQcJcJh As(Js)/TdAd 1 -"
      bura solve --objective points "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
      bura solve --json --value-only --threads 2 - < positions.txt
    """

    def ask(calls: Calls, positions: list[str]) -> Sequence[Message | BuraError]:
        return calls.solve_each(
            positions,
            objective=objective.value,
            value_only=value_only,
            line=line,
            max_nodes=max_nodes,
            time_limit=time_limit,
        )

    line = line or position != "-"
    drop = ("moves", "best", "line") if value_only else () if line else ("line",)
    shown = _Shown(_convert.solution, Show.solution, Show.solution_line, drop)
    _answer(
        position,
        ask,
        shown,
        server=server,
        timeout=timeout,
        threads=threads,
        json=json,
        lang=lang,
        most=_calls.MOST_POSITIONS,
    )


@_command(no_args_is_help=True)
def show(
    position: Annotated[
        str,
        typer.Argument(metavar="POSITION", help="A position line in quotes.", show_default=False),
    ],
    moves: Annotated[
        str,
        typer.Option("--moves", metavar="MOVES", help="Play these first, commas between."),
    ] = "",
    seat: Annotated[
        int | None,
        typer.Option("--seat", metavar="N", help="Show what this seat sees.", show_default=False),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Write a picture; - is standard output."),
    ] = None,
    png: Annotated[
        Path | None,
        typer.Option("--png", metavar="FILE", help="Write it as pixels; needs bura-client[png]."),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Pictures light on dark.")] = False,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    json: AsJson = False,
) -> None:
    """A position as text or as a picture, after some moves if you like.

    Examples:
      bura show "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
      bura show --moves "Ks,(Kd)" "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
      bura show --svg hand.svg --seat 1 "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
      bura show --png hand.png --dark --lang ka "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
    """
    made = [move.strip() for move in moves.split(",") if move.strip()]
    with _connected(server, timeout) as calls:
        if svg is not None or png is not None:
            drawn = calls.draw(position, made, seat=seat, dark=dark, language=preferred(lang)).svg
            if svg is not None:
                write_picture(svg, drawn.encode())
            if png is not None:
                write_picture(png, pixels(drawn))
            return
        message = calls.describe(position, made, seat=seat)
    told = _convert.played_position(message)
    if json:
        typer.echo(as_json(message))
    else:
        _show(lang).played(told, seat)


@_command(no_args_is_help=True)
def perft(
    position: Position,
    depth: Annotated[
        int,
        typer.Option("--depth", "-d", metavar="N", min=0, help="Moves in a sequence, 0 to 72."),
    ],
    divide: Annotated[bool, typer.Option("--divide", help="Count by first move, too.")] = False,
    max_nodes: MaxNodes = None,
    time_limit: TimeLimit = None,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Count the move sequences of one length: the check of a rule engine.

    Examples:
      bura perft "georgian3 h QhAcKd/KsThTc - 31/47 1 -" --depth 4
      bura perft "georgian3 h QhAcKd/KsThTc - 31/47 1 -" --depth 2 --divide
    """

    def ask(calls: Calls, positions: list[str]) -> Sequence[Message | BuraError]:
        return each(
            positions,
            lambda line: calls.perft(
                line, depth, divide=divide, max_nodes=max_nodes, time_limit=time_limit
            ),
        )

    drop = () if divide else ("divide",)
    shown = _Shown(_convert.perft, Show.perft, Show.perft_line, drop)
    _answer(
        position, ask, shown, server=server, timeout=timeout, threads=threads, json=json, lang=lang
    )


@_command(no_args_is_help=True)
def review(
    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD",
            help="A file of hand records, or - for standard input.",
            show_default=False,
        ),
    ],
    outcome_only: Annotated[
        bool, typer.Option("--outcome-only", help="Leave out the cost in points; faster.")
    ] = False,
    max_nodes: MaxNodes = None,
    time_limit: TimeLimit = None,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    json: AsJson = False,
) -> None:
    """What each move of a finished hand cost, all cards known.

    A move that costs something gave away a won hand, or a drawn one, against best play of both
    sides. That is hindsight: it may have been right for a player who could not see the cards.
    Bounds hold for each move; without --max-nodes it is 2 million positions.

    The record is of all seats, with the cards that nobody drew.

    Examples:
      bura review hand.bura
      bura review --json --outcome-only - < match.bura
    """
    show = _show(lang)

    def put(message: solver_pb2.ReviewHandResponse, hand: Hand) -> None:
        with waiting.hidden():
            if json:
                sys.stdout.write(as_json(message) + "\n")
                return
            if hand.number > 1:
                show.console.print()
            show.review(_convert.hand_review(message))

    with _connected(server, timeout) as calls, Waiting(show.words("searching")) as waiting:
        ask = partial(
            calls.review, outcome_only=outcome_only, max_nodes=max_nodes, time_limit=time_limit
        )
        status = answer_hands(record, ask, put)
    raise typer.Exit(status)


@_command()
def rules(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[RULES]",
            help="Tell this one in words: a preset, or a preset with switches changed.",
            show_default=False,
        ),
    ] = None,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    json: AsJson = False,
) -> None:
    """The rule sets that have names, or one of them as a player reads it.

    Examples:
      bura rules
      bura rules georgian3
      bura rules --lang ru 'classic[deck=32,discards=shown]'
      bura rules --json
    """
    with _connected(server, timeout) as calls:
        if name is None:
            messages = list(calls.rule_sets(preferred(lang)).rule_sets)
        else:
            messages = [calls.rule_set(name, preferred(lang)).rule_set]
    show = _show(lang)
    if json:
        for message in messages:
            typer.echo(as_json(message))
    elif name is None:
        show.rule_sets([_convert.rule_set(message) for message in messages])
    else:
        show.rule_set(_convert.rule_set(messages[0]))


@_command()
def bench(
    suite: Annotated[
        Path | None,
        typer.Option(
            "--suite",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Other positions: one a line, `points`, `score` or `outcome` before it.",
        ),
    ] = None,
    lang: Lang = None,
    server: Server = None,
    timeout: Timeout = None,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Solve a fixed suite of positions: how much work, how long.

    The signature is the sum of the nodes and a hash over every answer and its nodes. It is the
    same on every machine and changes when the search does.

    Examples:
      bura bench
      bura bench --json --threads 2
      bura bench --server localhost:50051
    """
    show = _show(lang)
    text = benchmark.suite_text() if suite is None else suite.read_text(encoding="utf-8")
    lines = benchmark.read_suite(text)

    with _connected(server, timeout) as calls:
        calls.rule_sets()  # connects, so that this is not timed

        def ask(few: list[benchmark.SuiteLine]) -> list[Any]:
            return each(few, lambda line: calls.solve(line.position, objective=line.objective))

        started = time.perf_counter()
        answers = []
        with Waiting(show.words("searching"), total=len(lines)) as waiting:
            for answer in in_order(lines, ask, threads=threads):
                answers.append(answer)
                waiting.step()
    failed = False
    for line, answer in zip(lines, answers, strict=True):
        if isinstance(answer, BuraError):
            complain(answer, f"line {line.number} of the suite")
            failed = True
    if failed:
        raise typer.Exit(FAILED)
    report = benchmark.report(lines, map(_convert.solution, answers), started)
    if json:
        typer.echo(report.as_json())
    else:
        benchmark.show(show.console, report, show.words)


app.add_typer(puzzle_app, name="puzzle")


def _add_installed_commands() -> None:
    """Commands that other packages bring, each a function from arguments to exit status."""
    installed = {entry.name: entry for entry in entry_points(group="bura.commands")}
    known = {command.name or "" for command in app.registered_commands}
    for name in sorted({"serve", *installed} - known):
        app.command(
            name,
            help="Answer these questions for others, as a service."
            if name == "serve"
            else f"A command of {_package(installed[name])}.",
            add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )(installed_command(name, installed.get(name)))


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def installed_command(name: str, entry: EntryPoint | None) -> Callable[[typer.Context], None]:
    def command(context: typer.Context) -> None:
        if entry is None:
            complain(f"`bura {name}` is not installed here: `pip install bura-service` brings it")
            raise typer.Exit(UNUSABLE)
        raise typer.Exit(entry.load()(context.args) or 0)

    return command


_add_installed_commands()
