"""In which language a command speaks, and what all but `bura play` say to a person.

Help, faults of arguments, logs, JSON and notation are the same in every language.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse

LANGUAGES: Final = ("en", "ru", "ka")

_EN: Final[Mapping[str, str]] = {
    "arena_none": "{first} against {second}: no pair of hands was played",
    "arena": "{first} against {second}, {rules}, {hands} hands of {deals} deals, {limit} ms a "
    "move (took {took} and {other_took}): {mean} a hand, 95 % from {low} to {high}; won {won} % "
    "of decided hands",
    "make_progress": "{found} of {wanted}",
    "make_few": "only {found} were found",
    "serve": "listening on {address}",
    "serve_web": "listening for browsers on {address}",
    "serve_metrics": "metrics on {address}",
}
_RU: Final[Mapping[str, str]] = {
    "arena_none": "{first} против {second}: ни одной пары сдач не сыграно",
    "arena": "{first} против {second}, {rules}, сдач {hands} (раскладов {deals}), {limit} мс на "
    "ход (ушло {took} и {other_took}): {mean} за сдачу, 95 % от {low} до {high}; выиграно {won} % "
    "сдач, у которых есть победитель",
    "make_progress": "{found} из {wanted}",
    "make_few": "найдено только {found}",
    "serve": "сервис отвечает на {address}",
    "serve_web": "для браузеров — {address}",
    "serve_metrics": "метрики — {address}",
}
_KA: Final[Mapping[str, str]] = {
    "arena_none": "{first} – {second}: ხელების არც ერთი წყვილი არ გათამაშებულა",
    "arena": "{first} – {second}, {rules}, ხელი: {hands}, დარიგება: {deals}, სვლაზე {limit} მწმ "
    "(დაიხარჯა {took} და {other_took}): ხელზე {mean}, 95 % {low}-დან {high}-მდე; მოგებულია "
    "გამარჯვებულიანი ხელების {won} %",
    "make_progress": "{found} / {wanted}",
    "make_few": "ნაპოვნია მხოლოდ {found}",
    "serve": "სერვისი პასუხობს: {address}",
    "serve_web": "ბრაუზერებისთვის: {address}",
    "serve_metrics": "მეტრიკა: {address}",
}
TEXTS: Final[Mapping[str, Mapping[str, str]]] = {"en": _EN, "ru": _RU, "ka": _KA}
"""Language -> key -> what is said; the same keys and fields in each."""


def add_option(parser: argparse.ArgumentParser) -> None:
    """Gives a command `--lang`; see `preferred`."""
    parser.add_argument(
        "--lang", choices=LANGUAGES, help="language [BURA_LANG, or that of the locale]"
    )


def preferred(chosen: str | None) -> str:
    """The language that was chosen, or else that of BURA_LANG or of the locale, or English.

    Raises:
        ValueError: if BURA_LANG is needed and none of `LANGUAGES`.
    """
    if chosen:
        return chosen
    if named := os.environ.get("BURA_LANG"):
        if named not in LANGUAGES:
            raise ValueError(f"BURA_LANG '{named}': no language of this game; use en, ru or ka")
        return named
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if code := os.environ.get(name, "")[:2].lower():
            return code if code in LANGUAGES else LANGUAGES[0]
    return LANGUAGES[0]


def say(language: str, key: str, **parts: object) -> str:
    """A text of `TEXTS` with its fields filled in."""
    return TEXTS[language][key].format(**parts)
