"""Every command in every language: whole, within 80 columns, without unwanted colours."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bura.cli import app as commands
from bura.cli.words import TEXTS, Language, Words, preferred
from bura.puzzles import load
from bura_service import embedded, puzzles
from bura_service.languages import TEXTS as SERVICE_TEXTS

SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
WON = "georgian3 h x3/KsTcJc x5Jh As(Jd)AcQd/ThKdx1Td 1 - claim=1"
ALL = "georgian3 h QhAcKd/KsThTc - 13/21 1 - stake=2 raiser=0"
DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"
THREE = "bura2[players=3] h As7d/Kd9d/QhAd - 27/20/23 0 -"
MIXED = "georgian3 d JhQd/x2 - TsKsQsx1/AsJsAhKhQhKdJdAcTcKcQc(Ad) 0 - stake=2 raiser=1"
CALLED = "classic h AsAhAd/x3 x29Jh -/- 1 -"
FAR = "georgian5 h x5/KsThTcAdQd x25Jh -/- 1 -"
RECORD = """\
[Rules "georgian3"]
[Trump "h"]
[TurnUp "Jh"]
[Seat "all"]
[Lead "0"]
[Hands "AsQhTd/KsJsAd"]
[Undrawn "QdQcJdJcKcTsAhJh"]
[Result "0 claim"]

1. 0:As 1:(Js) 0+Ac 1+Th
2. 0:Td 1:Ad 1+Tc 0+Kd
3. 1:Tc 0:Ac 0+Kh 1+Qs
4. 0:claim
"""
# Each with what is typed into it.
RUNS: list[tuple[list[str], str]] = [
    (["hint", SEEN], ""),
    (["hint", WON], ""),
    (["hint", "--max-deals", "5000", MIXED], ""),
    (["hint", "--max-deals", "5000", SEEN], ""),
    (["hint", "--max-nodes", "3000", FAR], ""),
    (["hint", "--refine", "--max-worlds", "200", SEEN], ""),
    (["hint", "-"], f"{SEEN}\n{WON}\n"),
    (["claim", WON], ""),
    (["claim", SEEN], ""),
    (["claim", "-"], f"{WON}\n{SEEN}\n"),
    (["solve", ALL], ""),
    (["solve", "--objective", "points", ALL], ""),
    (["solve", "--objective", "score", ALL], ""),
    (["solve", "--max-nodes", "1", DEAL], ""),
    (["solve", THREE], ""),
    (["solve", "-"], f"{ALL}\n{DEAL}\n"),
    (["show", SEEN], ""),
    (["show", "--moves", "As,(Js)", "--seat", "0", DEAL], ""),
    (["show", "--moves", "As,(Js),Td,Ad,Tc,Ac,claim", DEAL], ""),
    (["perft", "--depth", "2", "--divide", ALL], ""),
    (["perft", "--depth", "3", "--max-nodes", "5", DEAL], ""),
    (["review", "-"], RECORD),
    (["review", "--max-nodes", "1", "-"], RECORD),
    (["rules"], ""),
    (["rules", "classic[deck=32,discards=shown]"], ""),
    (["rules", "georgian5_pairs"], ""),
    (["puzzle", "list", "--stars", "5"], ""),
    (["puzzle", "try", "c017", "s003"], "help\nmoves\nhint\nclaim\nnonsense\nsolution\nskip\n"),
    (["play", "--seed", "3"], "hint\nmoves\ntable\nhelp\n1\nquit\n"),
]
# What is not said but written: notation, and words that are typed.
WRITTEN = re.compile(
    r"`[^`]*`|--\w+|[a-z_0-9]+\[[^\]]*\]|\b(bura[12]?|Enter|stop|count|nonsense)\b|stop:\w+"
    r"|\b(georgian[35](_pairs)?|classic(_shown)?|casino|moskva|dave|five|burkozel(_kommersant)?"
    r"|perebor|no_trump|three_vs_four)\b|\([a-z_]+\)|\b([6-9TJQKA][shdc])+\b|µs|\bms\b"
)
THEMES = re.compile(rf"\b({'|'.join(load().themes)})\b")
SWITCHES = re.compile(r"^[a-z_]+ +\S+$", re.MULTILINE)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with embedded.start() as server:
        yield server.target


Run = Callable[..., str]


@pytest.fixture
def run(server: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(arguments: list[str], typed: str = "", *, language: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        asks = [] if arguments[0] in ("puzzle", "play") else ["--server", server]
        spoken = ["--lang", language] if language else []
        head = 2 if arguments[0] == "puzzle" else 1
        assert commands.run([*arguments[:head], *spoken, *asks, *arguments[head:]]) == 0
        written = capsys.readouterr()
        assert written.err == ""
        return written.out

    return run


def left_over(out: str, arguments: list[str], language: str) -> list[str]:
    """The words of another language in what was said."""
    if arguments[0] == "rules":
        out = SWITCHES.sub("", out)
        if len(arguments) == 1:  # the overview is a table of switches and their values
            out = out.partition("\n\n")[2]
        out = re.sub(r"\b(closed|shown)\b", "", out)  # values of a switch
    if arguments[0] == "puzzle":
        # What is typed is repeated where no terminal shows it.
        out = THEMES.sub("", re.sub(r"(?<=: )(help|moves|hint|claim|solution|skip)\n", "", out))
    out = WRITTEN.sub("", out)
    if language == "ka":
        # Sources are named as they are called, and cards as in the notation.
        out = re.sub(r"«[^»]*»|Тп", "", out)
        return re.findall("[A-Za-zА-Яа-яё]{3,}", out)
    return re.findall("[A-Za-zა-ჿ]{3,}", out)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    ("arguments", "typed"), RUNS, ids=[" ".join(words)[:40] for words, _ in RUNS]
)
def test_every_command_speaks_each_language_within_80_columns(
    run: Run, arguments: list[str], typed: str, language: Language
) -> None:
    out = run(arguments, typed, language=language)
    assert out.strip()
    assert "\x1b" not in out
    if typed and arguments[0] in ("hint", "claim", "solve"):
        # A line for each of many, however long.
        assert out.count("\n") == typed.count("\n")
    else:
        # What is typed would end the line of a prompt, and is not repeated here.
        assert max(map(len, re.split(r"\n|> ", out))) <= 80
    assert (
        out == "\n".join(line.rstrip() for line in out.split("\n")) or "> " in out or ": " in out
    )
    if language is not Language.EN:
        assert left_over(out, arguments, language) == []


@pytest.mark.parametrize("language", list(Language))
def test_a_benchmark_is_reported_in_each_language(
    run: Run, tmp_path: Path, language: Language
) -> None:
    suite = tmp_path / "suite.txt"
    suite.write_text(f"{ALL}\npoints {ALL}\nscore {ALL}\n")
    out = run(["bench", "--suite", str(suite)], language=language)
    assert max(map(len, out.splitlines())) <= 80
    if language is not Language.EN:
        told = re.sub(r"\b[0-9a-f]{12}\b", "", out)
        assert left_over(told, ["bench"], language) == []


def test_json_and_notation_are_the_same_in_each_language(run: Run) -> None:
    for arguments in (["solve", "--json", ALL], ["claim", "--json", WON], ["rules", "--json"]):
        outs = [run(arguments, language=language) for language in Language]
        if arguments[0] == "rules":  # texts in it are for people
            outs = [re.sub(r'"(description|paragraphs)": .*', "", out) for out in outs]
        outs = [re.sub(r'"search_us": [\d.e-]+|"cached": true, ', "", out) for out in outs]
        assert len(set(outs)) == 1


def test_the_language_is_chosen_by_option_variable_or_locale(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BURA_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert "to lead" in run(["show", SEEN])
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    assert "ваш заход" in run(["show", SEEN])
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert preferred(None) is Language.EN
    monkeypatch.setenv("BURA_LANG", "ka")
    assert "თქვენი ჩამოსვლა" in run(["show", SEEN])
    assert "ваш заход" in run(["show", SEEN], language="ru")
    monkeypatch.setenv("BURA_LANG", "fr")
    assert commands.run(["show", SEEN]) == 2


# Commands that the service's package brings.


@pytest.fixture
def no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BURA_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


ARENA = ["arena", "greedy", "random", "--seed", "4", "--deals", "2", "--quiet"]


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "greedy against random"), ("ru", "greedy против random"), ("ka", "greedy – random")],
)
def test_an_arena_tells_its_result_in_each_language(
    no_language: None, capsys: pytest.CaptureFixture[str], language: str, said: str
) -> None:
    assert commands.run([*ARENA, "--lang", language]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "georgian3" in out
    told = re.sub(r"\b(greedy|random|georgian3)\b", "", out)
    others = {"en": "[А-Яа-яა-ჿ]", "ru": "[A-Za-zა-ჿ]", "ka": "[A-Za-zА-Яа-я]"}
    assert not re.search(others[language], told)


def test_the_hands_of_an_arena_are_the_same_in_each_language(
    no_language: None, capsys: pytest.CaptureFixture[str]
) -> None:
    outs = []
    for language in Language:
        assert commands.run([*ARENA[:-1], "--lang", language]) == 0
        outs.append(re.sub(r'"ms": [^\]]*', "", capsys.readouterr().out))
    assert outs[0].count("\n") == 4
    assert len(set(outs)) == 1


@pytest.mark.parametrize("language", ["ru", "ka"])
def test_a_maker_of_puzzles_tells_that_there_are_few_in_each_language(
    no_language: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    language: str,
) -> None:
    monkeypatch.setattr(puzzles, "find", lambda *_, **__: iter(()))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert commands.run(["puzzle", "make", "--seed", "1", "--lang", language]) == 1
    written = capsys.readouterr()
    assert SERVICE_TEXTS[language]["make_few"].format(found=0) in written.err
    assert '"format": 1' in written.out
    assert "were found" not in written.err
    monkeypatch.setenv("BURA_LANG", language)
    assert commands.run(["puzzle", "make", "--seed", "1"]) == 1
    assert capsys.readouterr().err == written.err


@pytest.mark.parametrize("arguments", [ARENA, ["puzzle", "make"]])
def test_a_language_that_is_none_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    assert commands.run([*arguments, "--lang", "fr"]) == 2
    assert "--lang" in capsys.readouterr().err
    monkeypatch.setenv("BURA_LANG", "fr")
    assert commands.run(arguments) == 2
    assert "BURA_LANG 'fr': no language" in capsys.readouterr().err


def served(
    arguments: list[str], variables: dict[str, str], stderr: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "bura", "serve", "--port", "0", *arguments],
        stdin=subprocess.DEVNULL, stderr=stderr, env={**os.environ, **variables},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--lang", "ru"], {}, "сервис отвечает на 127.0.0.1:"),
        # What is no terminal is read by programs, which wait for these words.
        ([], {"BURA_LANG": "ru", "LC_ALL": "ka_GE.UTF-8"}, "listening on 127.0.0.1:"),
    ],
)
def test_a_service_says_where_it_answers_in_the_language_that_is_asked_for(
    arguments: list[str], variables: dict[str, str], said: str
) -> None:
    with served(arguments, variables, subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline().decode().startswith(said)
        finally:
            process.kill()


def test_a_service_speaks_the_language_of_a_person_in_a_terminal(no_language: None) -> None:
    leader, follower = pty.openpty()
    with served([], {"BURA_LANG": "ka"}, follower) as process:
        os.close(follower)
        try:
            assert os.read(leader, 4096).decode().startswith("სერვისი პასუხობს: 127.0.0.1:")
        finally:
            process.kill()
            os.close(leader)


# The words.


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_the_words_of_the_service_are_the_same_in_each_language(repository: Path) -> None:
    assert set(SERVICE_TEXTS) == set(Language)
    folder = repository / "service/src/bura_service"
    code = "\n".join(
        path.read_text("utf-8") for path in folder.glob("*.py") if path.name != "languages.py"
    )
    for language, texts in SERVICE_TEXTS.items():
        assert set(texts) == set(SERVICE_TEXTS["en"])
        for key, text in texts.items():
            assert fields(text) == fields(SERVICE_TEXTS["en"][key]), (language, key)
            assert f'"{key}"' in code


def test_the_words_are_the_same_in_each_language() -> None:
    for language, texts in TEXTS.items():
        assert set(texts) == set(TEXTS[Language.EN])
        for key, text in texts.items():
            assert text.strip() or text == ""
            # What the service says in English is left out in other languages.
            assert fields(TEXTS[Language.EN][key]) - {"why"} == fields(text) - {"why"}, key
            if language is Language.KA:
                assert not re.search("[А-Яа-яё]", text), key


def test_every_word_is_said_somewhere(repository: Path) -> None:
    folder = repository / "clients/python/src/bura/cli"
    code = "\n".join(
        path.read_text("utf-8").replace("'", '"')
        for path in folder.glob("*.py")
        if path.name != "words.py"
    )
    made = ("for_", "suit_", "do_", "reason_", "h_", "kind_", "your_", "to_")
    unused = {
        key for key in TEXTS[Language.EN] if f'"{key}"' not in code and not key.startswith(made)
    }
    # Moves without cards and names of a position's options are looked up by their own name.
    assert unused <= {
        "pass", "raise", "accept", "fold", "challenge", "stake", "raiser", "offer", "score",
        "handicap", "left", "lost", "led", "stopped", "held", "impossible", "open", "claim",
        "trick", "loss", "clairvoyant", "seat", "sure", "about",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1 ход"), (2, "2 хода"), (5, "5 ходов"), (11, "11 ходов"), (21, "21 ход"),
     (-1, "-1 ход"), (112, "112 ходов"), (1004, "1,004 хода")],
)  # fmt: skip
def test_russian_nouns_follow_their_numbers(number: int, said: str) -> None:
    assert Words(Language.RU).counted(number, "move") == said


# Progress, in a terminal alone.


def in_terminal(*arguments: str, until: str = "", keys: bytes = b"") -> tuple[int, str, str]:
    """Exit status, output and what a terminal shows on standard error, of a process of its own.

    Once the terminal shows `until`, it types `keys`.
    """
    leader, follower = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bura", *arguments],
        stdin=follower, stdout=subprocess.PIPE, stderr=follower, env=variables,
        start_new_session=True,
    )  # fmt: skip
    os.close(follower)
    shown = b""
    ends = time.monotonic() + 60
    try:
        while time.monotonic() < ends:
            ready, _, _ = select.select([leader], [], [], 0.05)
            if ready:
                try:
                    data = os.read(leader, 4096)
                except OSError:
                    data = b""
                if not data:
                    break
                shown += data
            if keys and until.encode() in shown:
                os.killpg(process.pid, 2) if keys == b"\x03" else os.write(leader, keys)
                keys = b""
        assert process.stdout is not None
        out = process.stdout.read()
        return process.wait(10), out.decode(), shown.decode(errors="replace")
    finally:
        process.kill()
        process.stdout.close() if process.stdout is not None else None
        os.close(leader)


def test_what_takes_long_shows_its_progress_and_leaves_nothing_of_it(server: str) -> None:
    status, out, shown = in_terminal(
        "hint", "--server", server, "--refine", "--time-limit", "60", FAR,
        until="worlds out of", keys=b"\x03",
    )  # fmt: skip
    # Whoever has enough gets what is known by then.
    assert (status, "Lead 10" in out) == (0, True)
    assert "worlds out of" in shown
    assert "\x1b" not in out
    assert shown.rstrip().endswith(("\x1b[2K", "\x1b[?25h"))


def test_what_is_quick_shows_none(server: str) -> None:
    status, out, shown = in_terminal("solve", "--server", server, ALL)
    assert (status, "win (+1)" in out, shown) == (0, True, "")


def test_a_refined_hint_takes_one_position_and_no_joint_deals(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["-"], ["--max-deals", "10", SEEN]):
        assert commands.run(["hint", "--server", server, "--refine", *arguments]) == 2
        assert "--refine" in capsys.readouterr().err
