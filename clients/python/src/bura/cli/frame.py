"""What all commands share: their look, their options, and how they become commands."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import typer
from rich.console import Console

from bura.cli.words import Language

__all__ = ["SETTINGS", "WIDTH", "AsJson", "Lang", "command_of", "console"]

WIDTH = 80

_Decorator = Callable[[Callable[..., None]], Callable[..., None]]

SETTINGS: Final[dict[str, Any]] = {
    "no_args_is_help": True,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
}
"""Of an application of typer."""

Lang = Annotated[
    Language | None,
    typer.Option(
        "--lang",
        envvar="BURA_LANG",
        help="The language of what is said; else that of the locale.",
        show_default=False,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line: the service's answer.")
]


def console() -> Console:
    """Standard output, no wider than WIDTH."""
    # Whoever wants no colours wants no other escape sequences either, not even for bold.
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    made = Console(highlight=False, markup=False, emoji=False, color_system=system)
    made.width = min(made.width, WIDTH)
    return made


def command_of(app: typer.Typer) -> Callable[..., _Decorator]:
    """What makes a function a command of an application.

    Its docstring is the help, with the examples line by line.
    """

    def command(name: str | None = None, **settings: Any) -> _Decorator:
        def register(function: Callable[..., None]) -> Callable[..., None]:
            text = (inspect.getdoc(function) or "").replace("\nExamples:", "\n\b\nExamples:")
            return app.command(name, help=text, **settings)(function)

        return register

    return command
