"""The command `bura`: its output, its exit status, its help, and the examples in it."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, cast

import pytest
import typer
from google.protobuf import json_format
from google.protobuf.message import Message

import fake_service
from bura.cli import app as commands
from bura.cli import bench
from bura.cli.drawing import Cards, Seen
from bura.cli.protojson import as_json
from bura.v1 import rules_pb2, solver_pb2
from fake_service import POSITION, SEEN, FakeService

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it wrote."""

    status: int
    out: str
    err: str

    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Bura = Callable[..., Done]


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeService]:
    with fake_service.fake_service() as fake:
        yield fake


@pytest.fixture
def bura(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bura:
    """Runs a command in this process."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TERM", "BURA_LANG", "LC_ALL", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: str | bytes = b"") -> Done:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        status = commands.run(arguments)
        written = capsys.readouterr()
        return Done(status, written.out, written.err)

    return run


@pytest.fixture
def ask(bura: Bura, fake: FakeService) -> Bura:
    """Runs a command that asks the fake service."""

    def run(command: str, *arguments: str, stdin: str | bytes = b"") -> Done:
        return bura(command, "--server", fake.target, *arguments, stdin=stdin)

    return run


def process(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process of its own."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in {"FORCE_COLOR", "NO_COLOR", "COLUMNS", "PYTHONIOENCODING"}
    }
    variables.update(settings.pop("variables", {}))
    return subprocess.run(
        [sys.executable, "-m", "bura", *arguments],
        env=variables,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **settings,
    )


class Running:
    """A command in a process of its own, under way."""

    def __init__(self, arguments: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "bura", *arguments]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self.stdin, self.stdout, self.stderr = (cast("IO[bytes]", stream) for stream in streams)
        # A test that would wait for ever fails instead.
        self._watch = threading.Timer(60, self._process.kill)
        self._watch.start()

    def write(self, text: str) -> None:
        self.stdin.write(text.encode())
        self.stdin.flush()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def wait(self) -> int:
        return self._process.wait()

    def close(self) -> None:
        self._watch.cancel()
        self._process.kill()
        for stream in (self.stdout, self.stderr):
            stream.close()
        with suppress(BrokenPipeError):
            self.stdin.close()
        self._process.wait()


@contextmanager
def running(*arguments: str) -> Iterator[Running]:
    process = Running(arguments)
    try:
        yield process
    finally:
        process.close()


# For programs: JSON.


def test_solve_in_json_has_the_documented_fields(ask: Bura) -> None:
    done = ask("solve", "--json", POSITION)
    assert done.status == 0
    assert done.out.count("\n") == 1
    [answer] = done.json()
    assert answer["position"] == POSITION
    assert answer["outcome"] == 1
    assert answer["moves"][0] == {"move": "Ks", "value": 1, "lower": 1, "upper": 1}
    assert answer["best"] == ["Ks"]
    assert answer["nodes"] == 48
    assert answer["search_us"] == 12.5
    assert "points" not in answer


def test_points_come_when_asked_for(ask: Bura) -> None:
    [answer] = ask("solve", "--json", "--objective", "points", POSITION).json()
    assert (answer["outcome"], answer["points"]) == (1, 21)


def test_a_score_comes_when_asked_for(ask: Bura) -> None:
    [answer] = ask("solve", "--json", "--objective", "score", POSITION).json()
    assert (answer["outcome"], answer["score"]) == (1, 2)
    assert "score +2" in ask("solve", "--objective", "score", POSITION).out


def test_value_only_leaves_out_the_moves(ask: Bura, fake: FakeService) -> None:
    [answer] = ask("solve", "--json", "--value-only", POSITION).json()
    assert answer["outcome"] == 1
    assert not {"moves", "best", "line"} & set(answer)
    assert fake.requests[-1].value_only  # type: ignore[attr-defined]


def test_many_lines_have_best_play_only_if_asked_for(ask: Bura) -> None:
    [alone] = ask("solve", "--json", POSITION).json()
    [many] = ask("solve", "--json", "-", stdin=POSITION).json()
    [asked] = ask("solve", "--json", "--line", "-", stdin=POSITION).json()
    assert alone == asked
    assert asked["line"] == ["Ks", "(Td)"]
    assert {**many, "line": ["Ks", "(Td)"]} == alone


ANSWERS: list[Message] = [
    solver_pb2.SolvePositionResponse(),
    fake_service.solved(solver_pb2.SolvePositionRequest(position='"Ж\n\\ ♥\x7f\u2028')),
    solver_pb2.SolvePositionResponse(outcome=0, search_us=1e-7, stopped=99),  # type: ignore[arg-type]
    solver_pb2.PerftResponse(nodes=1e300, search_us=float("inf")),
    fake_service.recommended(SEEN),
    fake_service.estimated(SEEN),
    rules_pb2.ListRuleSetsResponse(
        rule_sets=[rules_pb2.RuleSet(name="a", switches={"deck": '3"6', "Ж": ""})]
    ),
]


@pytest.mark.parametrize("message", ANSWERS, ids=lambda message: message.DESCRIPTOR.name)
def test_json_is_that_of_protobuf(message: Message) -> None:
    expected = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    text = as_json(message)
    assert json.loads(text) == expected
    assert json_format.Parse(text, type(message)()) == message
    assert "\n" not in text
    for name in expected:
        less = json.loads(as_json(message, drop=(name,)))
        assert less == {key: value for key, value in expected.items() if key != name}


def test_the_other_commands_in_json(ask: Bura) -> None:
    [hint] = ask("hint", "--json", SEEN).json()
    assert hint["moves"][0]["beaten"] == {"numerator": "1", "denominator": "4", "value": 0.25}
    assert hint["total_worlds"] == "79833600"
    assert hint["claim"]["verdict"] == "VERDICT_OPEN"
    [claim] = ask("claim", "--json", SEEN).json()
    assert claim["distribution"][1] == {"points": 32, "ways": "1", "probability": 1 / 3}
    [perft] = ask("perft", "--json", POSITION, "--depth", "2").json()
    assert (perft["nodes"], perft["depth"]) == (14, 2)
    assert "divide" not in perft
    [perft] = ask("perft", "--json", POSITION, "--depth", "2", "--divide").json()
    assert perft["divide"][1] == {"move": "KsQs", "nodes": 2}
    rules = ask("rules", "--json").json()
    assert [each["name"] for each in rules] == ["georgian3", "classic"]
    assert rules[0]["switches"] == {"deck": "20", "hand": "3"}
    assert [each["name"] for each in ask("rules", "classic", "--json").json()] == ["classic"]


# For people.


def test_a_hint_shows_the_table_the_moves_and_what_to_do(ask: Bura) -> None:
    done = ask("hint", SEEN)
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "georgian3, trumps are ♥ hearts; you are seat 1, to lead\n"
        "\n"
        "hand of seat 0        3 cards\n"
        "hand of seat 1 (you)  K♠ 10♥ 10♣\n"
        "talon                 10 cards, at the bottom J♥\n"
        "pile of seat 0        A♠ (J♠): 13 points\n"
        "pile of seat 1 (you)  10♦ A♦: 21 points\n"
        "\n"
        "A claim needs 31 points, and you may claim now. The claim is open: it holds with\n"
        "a chance of 1/3 (33.3%).\n"
        "\n"
        "move   value           win  draw   loss  beaten\n"
        "10♥    +0.50 ± 0.01  75.0%    0%  25.0%   25.0%  recommended\n"
        "10♣    +0.49 ± 0.01  74.5%    0%  25.5%   75.0%\n"
        "claim  -1.00            0%    0%   100%          blunder\n"
        "\n"
        "Lead 10♥: it wins in 75.0% of 1,000 worlds out of 79,833,600 that fit what you\n"
        "have seen. The other hand can beat it with a chance of 1/4 (25.0%). Too close to\n"
        "tell apart: 10♣. Clear blunders: claim.\n"
        "In each of those worlds the cards are played as if all were known, which\n"
        "flatters moves that leave a guess open.\n"
    )


def test_a_claim_shows_the_counts_and_the_chance(ask: Bura) -> None:
    done = ask("claim", SEEN)
    assert done.out.splitlines() == [
        "Pile of seat 1: 21 points and 1 face-down card, 23 to 32 points for certain; 31",
        "points are needed.",
        "",
        "points  ways  chance",
        "    23     2   66.7%  " + "█" * 30,
        "    32     1   33.3%  " + "█" * 15,
        "",
        "The claim is open: it holds with a chance of 1/3 (33.3%).",
    ]


def test_a_solution_shows_every_move(ask: Bura) -> None:
    lines = ask("solve", POSITION).out.splitlines()
    assert lines[0] == "georgian3, trumps are ♥ hearts; seat 1 is to lead"
    assert "talon           10 cards: 10♠ Q♠ A♥ K♥ Q♦ J♦ K♣ Q♣ J♣ J♥" in lines
    assert "Seat 1, to act: win (+1)." in lines
    assert "K♠ Q♠   no winner (0)" in lines
    assert "Best play: K♠, (10♦)" in lines
    assert lines[-1] == "48 nodes in 12 µs"


def test_a_search_cut_short_says_so(ask: Bura) -> None:
    out = ask("solve", "--max-nodes", "5", POSITION).out
    assert "between -1 and +1" in out
    assert "cut short by the bound on nodes" in out


def test_nothing_is_wider_than_80_columns(ask: Bura, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = "x5/" + "AhKhQhJh9h " + "x3Th " + "AsTsKsQsJs9s8s7s6sAdTdKdQdJd9d8d7d6d/AcTcKcQcx2"
    for command, position in [("hint", SEEN), ("hint", f"five h {wide} 1 -"), ("solve", POSITION)]:
        assert max(map(len, ask(command, position).out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_red_suits_are_red_where_colours_are_wanted(
    ask: Bura, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool
) -> None:
    plain = ask("hint", SEEN).out
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TERM", "xterm")
    done = ask("hint", SEEN)
    assert ("\x1b[31m10♥\x1b[0m" in done.out) == coloured
    assert ("\x1b[31m" in done.out) == coloured
    assert "\x1b[31m10♣" not in done.out
    assert [line.rstrip() for line in ANSI.sub("", done.out).splitlines()] == plain.splitlines()


def test_letters_where_the_terminal_has_no_suit_symbols(fake: FakeService) -> None:
    for command, position in [("hint", SEEN), ("claim", SEEN), ("solve", POSITION)]:
        done = process(
            command, "--server", fake.target, position, variables={"PYTHONIOENCODING": "ascii"}
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.isascii()
        assert command != "hint" or "Ks Th Tc" in done.stdout


def test_rules_by_name(ask: Bura) -> None:
    done = ask("rules", "classic[deck=20]")
    assert done.out.splitlines() == [
        "classic[deck=20] (S1)",
        "The game classic.",
        "",
        "Deal  Two play classic.",
        "",
        "deck  20",
        "hand  3",
    ]
    assert "Игра classic." in ask("rules", "classic", "--lang", "ru").out
    assert ask("rules", "classic", "--lang", "fr").status == 2
    done = ask("rules", "clasic")
    assert done.status == 2
    assert done.err == ("bura: rules 'clasic': there is no such preset; did you mean classic?\n")


# Many lines.


def test_lines_are_answered_in_order_and_faults_named(ask: Bura) -> None:
    stdin = f"# two of four\n{POSITION}\nbad line\n\n{POSITION} 2\nunsupported x\n"
    done = ask("solve", "--json", "-", stdin=stdin)
    assert done.status == 1
    assert [answer["position"] for answer in done.json()] == [POSITION, f"{POSITION} 2"]
    assert done.err.splitlines() == [
        "bura: line 3: talon 'Xx': no such card; write Jh",
        "bura: line 3: time_limit '-1': not more than zero; give seconds",
        "bura: line 6: three players are too many",
    ]


@pytest.mark.parametrize("command", ["hint", "claim", "solve", "perft"])
def test_every_command_takes_many_lines(ask: Bura, command: str) -> None:
    stdin = "".join(f"{SEEN} {number}\n" for number in range(60))
    more = ["--depth", "1"] if command == "perft" else []
    done = ask(command, "--json", "--threads", "4", *more, "-", stdin=stdin)
    assert (done.status, done.err) == (0, "")
    assert [answer["position"] for answer in done.json()] == stdin.splitlines()
    done = ask(command, "--threads", "4", *more, "-", stdin=stdin)
    assert [line.split(": ")[0] for line in done.out.splitlines()] == [
        str(number) for number in range(1, 61)
    ]


def test_one_thread_asks_one_at_a_time_and_more_ask_more(bura: Bura) -> None:
    stdin = "".join(f"{POSITION} {number}\n" for number in range(100))
    for threads, most in (("1", 1), ("4", 4)):
        with fake_service.fake_service() as fake:
            done = bura("hint", "--json", "-j", threads, "--server", fake.target, "-", stdin=stdin)
            assert len(done.out.splitlines()) == 100
            bura("solve", "--json", "-j", threads, "--server", fake.target, "-", stdin=stdin)
            assert (fake.most_running > 1) == (most > 1)
            assert fake.most_running <= most


def test_a_line_is_answered_before_the_next_is_written(fake: FakeService) -> None:
    with running("solve", "--json", "--server", fake.target, "-") as process:
        for number in range(3):
            process.write(f"{POSITION} {number}\n")
            assert json.loads(process.stdout.readline())["position"] == f"{POSITION} {number}"
        process.stdin.close()
        assert process.wait() == 0


def test_a_reader_that_leaves_ends_the_command_quietly(fake: FakeService) -> None:
    # The answers are more than a pipe holds, the questions are less.
    with running("solve", "--json", "--server", fake.target, "-") as process:
        process.write(f"{POSITION}\n" * 500)
        process.stdin.close()
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_a_line_that_is_no_text_spoils_no_other(ask: Bura) -> None:
    stdin = b"\xef\xbb\xbf" + POSITION.encode() + b"\r\nbad \xff\xfe\n" + POSITION.encode()
    done = ask("solve", "--json", "-", stdin=stdin)
    assert done.status == 1
    assert [answer["position"] for answer in done.json()] == [POSITION, POSITION]
    assert "line 2: " in done.err


def test_no_lines_no_answers(ask: Bura) -> None:
    assert ask("solve", "--json", "-") == Done(0, "", "")


def test_nothing_is_asked_after_the_service_is_gone(ask: Bura) -> None:
    done = ask("solve", "--json", "-", stdin=f"{POSITION}\ngone x\n" + f"{POSITION}\n" * 100)
    assert done.status == 1
    assert len(done.out.splitlines()) == 1
    assert done.err.startswith("bura: no answer after line 1: no service answers at ")
    assert done.err.count("\n") == 1


# Exit status.


def test_a_position_that_can_not_be_read_is_an_unusable_argument(ask: Bura) -> None:
    done = ask("hint", "bad line")
    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines()[0] == "bura: talon 'Xx': no such card; write Jh"


def test_a_position_that_is_not_answered(ask: Bura) -> None:
    done = ask("solve", "broken x")
    assert done.status == 1
    assert "internal error" in done.err
    done = ask("solve", "--timeout", "0.1", "slow x")
    assert done.status == 1
    assert done.err == "bura: no answer in the time allowed; allow more, or bound the search\n"


def test_no_service_there(bura: Bura) -> None:
    done = bura("solve", "--server", "127.0.0.1:1", POSITION)
    assert done.status == 1
    assert done.err == "bura: no service answers at 127.0.0.1:1: Connection refused\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["solve", "--objective", "glory", POSITION], "glory"),
        (["solve", "--wrong", POSITION], "--wrong"),
        (["solve", "--threads", "0", "-"], "--threads"),
        (["solve", "--max-nodes", "0", POSITION], "--max-nodes"),
        (["solve", "--server", "nowhere", POSITION], "write HOST:PORT"),
        (["solve", POSITION, POSITION], "unexpected"),
        (["solve", "--timeout", "soon", POSITION], "--timeout"),
        (["perft", POSITION], "--depth"),
        (["bench", "--suite", "/no/such/file"], "/no/such/file"),
        (["nonsense"], "nonsense"),
    ],
)
def test_unusable_arguments(bura: Bura, arguments: list[str], reason: str) -> None:
    done = bura(*arguments)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", [[], ["solve"], ["hint"], ["claim"]])
def test_no_arguments_bring_help(bura: Bura, command: list[str]) -> None:
    done = bura(*command)
    assert done.status == 2
    assert "Usage: bura" in done.out + done.err


def test_without_a_service_the_error_says_what_to_do(
    bura: Bura, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bura._calls.entry_points", lambda **_: ())
    done = bura("solve", POSITION)
    assert done.status == 2
    assert "--server HOST:PORT" in done.err
    assert "pip install bura-service" in done.err


def test_the_version(bura: Bura) -> None:
    assert bura("--version").out.startswith("bura 0.")


# Commands that other packages bring.


def test_an_installed_command_gets_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    def serve(arguments: list[str]) -> int:
        print("got", *arguments)
        return 3

    entry = SimpleNamespace(load=lambda: serve)
    context = SimpleNamespace(args=["--port", "1", "--help"])
    with pytest.raises(typer.Exit) as ended:
        commands.installed_command("serve", cast("Any", entry))(cast("Any", context))
    assert ended.value.exit_code == 3
    assert capsys.readouterr().out == "got --port 1 --help\n"


def test_a_command_that_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    context = SimpleNamespace(args=[])
    with pytest.raises(typer.Exit) as ended:
        commands.installed_command("serve", None)(cast("Any", context))
    assert ended.value.exit_code == 2
    assert "pip install bura-service" in capsys.readouterr().err


def test_a_shell_completes_commands_and_installs_that(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(*arguments: str, **variables: str) -> str:
        done = subprocess.run(
            [Path(sys.executable).with_name("bura"), *arguments],
            env={**os.environ, "HOME": str(tmp_path), **variables},
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        return done.stdout

    shown = run("--show-completion", "bash")
    assert "complete -o default -F _bura_completion bura" in shown
    run("--install-completion", "bash")
    assert (tmp_path / ".bash_completions/bura.sh").read_text().strip() == shown.strip()
    assert "bura.sh" in (tmp_path / ".bashrc").read_text()
    # What the shell asks then.
    asked = {"_BURA_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    assert run(COMP_WORDS="bura so", **asked).split() == ["solve"]
    assert run(COMP_WORDS="bura a", **asked).split() == ["arena"]


def test_a_service_that_serve_started_answers(bura: Bura) -> None:
    with running("serve", "--port", "0") as service:
        target = service.stderr.readline().decode().split()[-1]
        [answer] = bura("solve", "--json", "--server", target, POSITION).json()
        assert answer["best"] == ["Ks", "Th"]
        [advice] = bura("hint", "--json", "--server", target, SEEN).json()
        assert advice["best"] == ["Th"]
        service.interrupt()
        assert service.wait() == 0


# The table, drawn.


def test_cards_of_a_line() -> None:
    assert Cards.read("-") == Cards()
    assert Cards.read("21") == Cards(points=21)
    assert Cards.read("x3") == Cards(unknown=3)
    assert Cards.read("As(JsTd)x2") == Cards((("As", False), ("Js", True), ("Td", True)), 2)
    assert Cards.read("x9Jh").count == 10


def test_a_line_taken_apart() -> None:
    seen = Seen.read("five d Ah9d6c/x3 x5Th 31/x2 1 0:TsAs,1:(x2) claim=0 handicap=0/30")
    assert [hand.count for hand in seen.hands] == [3, 3]
    assert seen.turn_up == "Th"
    assert [seat for seat, _ in seen.table] == [0, 1]
    assert seen.table[1][1].unknown == 2
    assert seen.options == {"claim": "0", "handicap": "0/30"}


# The benchmark.


def test_the_suite_is_large_and_wide_enough() -> None:
    lines = bench.read_suite(bench.suite_text())
    assert len(lines) >= 50
    presets = {line.position.split("[")[0].split()[0] for line in lines}
    assert len(presets) >= 8
    assert {line.objective for line in lines} == {"outcome", "points", "score"}


def test_a_benchmark_adds_up(ask: Bura, tmp_path: Path) -> None:
    suite = tmp_path / "suite.txt"
    suite.write_text(f"# two\n{POSITION}\n\npoints {POSITION}\n")
    [report] = ask("bench", "--json", "--suite", str(suite)).json()
    assert (report["positions"], report["nodes"], report["search_us"]) == (2, 96, 25.0)
    [again] = ask("bench", "--json", "--threads", "2", "--suite", str(suite)).json()
    assert again["signature"] == report["signature"]
    suite.write_text(f"{POSITION}\n{POSITION}\n")
    [other] = ask("bench", "--json", "--suite", str(suite)).json()
    assert other["signature"] != report["signature"]
    out = ask("bench", "--suite", str(suite)).out
    assert re.search(r"^total +2 +96 ", out, re.MULTILINE)
    assert re.search(rf"^signature +96 {other['signature']}$", out, re.MULTILINE)


def test_a_benchmark_with_a_bad_line(ask: Bura, tmp_path: Path) -> None:
    suite = tmp_path / "suite.txt"
    suite.write_text(f"{POSITION}\nbad x\n")
    done = ask("bench", "--suite", str(suite))
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("bura: line 2 of the suite: talon")
    suite.write_text("# nothing\n")
    assert ask("bench", "--suite", str(suite)).status == 2


# The service itself, and the examples of the help.


def examples(text: str) -> list[str]:
    """The commands in the help of a command."""
    _, _, after = text.partition("Examples:\n")
    block, _, _ = after.partition("\n\n")
    return [line.strip() for line in block.splitlines()]


@pytest.mark.parametrize("command", ["hint", "claim", "solve", "perft", "rules", "bench"])
def test_the_examples_of_the_help_work(bura: Bura, command: str) -> None:
    lines = examples(bura(command, "--help").out)
    assert lines
    for line in lines:
        assert line.startswith(f"bura {command}"), line
        words, stdin = shlex.split(line.removeprefix("bura ")), ""
        if words[-2:] == ["<", "positions.txt"]:
            words, stdin = words[:-2], f"{SEEN if command == 'hint' else POSITION}\n"
        if "--server" in words:  # nobody listens there
            del words[words.index("--server") : words.index("--server") + 2]
        done = bura(*words, stdin=stdin)
        assert (done.status, done.err) == (0, ""), line
        assert done.out, line


def test_the_service_answers_through_the_command(bura: Bura) -> None:
    [answer] = bura("solve", "--json", POSITION).json()
    assert answer["position"] == POSITION
    assert answer["outcome"] == 1
    assert {each["move"]: each["value"] for each in answer["moves"]} == {
        "Ks": 1,
        "Th": 1,
        "Tc": -1,
    }
    assert answer["best"] == ["Ks", "Th"]
    done = bura("hint", SEEN)
    assert "Lead 10♥" in done.out
    assert "25.0%" in done.out
    [claim] = bura("claim", "--json", SEEN).json()
    assert claim["verdict"] == "VERDICT_IMPOSSIBLE"
    assert "burkozel" in bura("rules").out
    done = bura("solve", SEEN)
    assert done.status == 2
    assert done.err


def test_the_benchmark_is_the_same_work_every_time(bura: Bura) -> None:
    [first] = bura("bench", "--json").json()
    [second] = bura("bench", "--json", "--threads", "2").json()
    assert first["positions"] >= 50
    assert (first["nodes"], first["signature"]) == (second["nodes"], second["signature"])
