"""The benchmarks: the suite's work is the one that is stored, the workload's answers are too."""

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bura_core
from bura_core import PRESETS, RuleSet
from bura_core._rules import not_for_two
from scale import scaled

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"
SUITE = ROOT / "clients" / "python" / "src" / "bura" / "bench_suite.txt"


def load(name: str) -> ModuleType:
    """A script of benchmarks/ as a module, with those it imports from there."""
    if str(BENCHMARKS) not in sys.path:
        sys.path.append(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BENCHMARKS / script, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def test_the_work_of_the_suite_is_the_stored_one() -> None:
    signature = load("signature")
    assert signature.measured() == signature.stored(), (
        "The search does other work than is stored. If that is meant, run "
        "`python benchmarks/signature.py --write` and say why in the commit "
        "(docs/benchmarks.md); if not, the search has changed unawares."
    )


def test_the_suite_follows_from_its_seeds() -> None:
    done = run("make_suite.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == SUITE.read_text(encoding="utf-8")


def test_the_suite_has_every_preset_and_phase_and_no_position_twice() -> None:
    rows = load("make_suite").ROWS
    for preset in PRESETS:
        of_preset = [row for row in rows if row.rules == preset]
        assert {row.answer for row in of_preset} == {False, True}, preset
        assert any(row.objective == "outcome" for row in of_preset), preset
        # With three cards against four one card of the talon is set aside.
        assert any(row.talon in (0, 1) for row in of_preset), preset
        assert any(row.talon not in (0, 1) for row in of_preset), preset
    assert {row.claim for row in rows} == {"", "good", "bad"}
    assert {row.objective for row in rows} == {"outcome", "points", "score"}
    assert {RuleSet.parse(row.rules).players for row in rows} == {2, 3, 4, 5, 6}
    assert {row.hand for row in rows} == {None, 2, 3}
    text = SUITE.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(set(lines)) == sum(len(row.seeds) for row in rows)


def test_the_comparison_finds_equal_and_different_answers(tmp_path: Path) -> None:
    # A program that knows the answers, asks nobody, and is wrong where it is told to be.
    program = tmp_path / "program"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "from bura_core import Solver\n"
        "if sys.argv[1:2] == ['deals']:\n"
        "    for _ in range(int(sys.argv[3])):\n"
        "        print('georgian3 h Th/Ks - 31/20 0 -')\n"
        "else:\n"
        "    for line in sys.stdin:\n"
        "        value = Solver().solve(line).value\n"
        "        print(-value if 'wrong' in sys.argv[0] else value, 5, 2.5)\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    counts = ["--counts", "3", "0", "0", "0", "0", "0"]
    done = run("compare_baseline.py", str(program), *counts)
    assert (done.returncode, done.stderr) == (0, "")
    assert "georgian3 whole: 3 positions, all answers equal" in done.stdout
    assert "filled as they are used" in done.stdout
    wrong = program.rename(tmp_path / "wrong")
    done = run("compare_baseline.py", str(wrong), *counts, "--endings", "off")
    assert done.returncode == 1
    assert "3 of 3 answers differ" in done.stdout


# --- the recorded workload ---------------------------------------------------------------------


def test_the_workload_is_of_whole_hands_of_every_preset_and_small() -> None:
    workload = load("workload")
    text = workload.STORED.read_text(encoding="utf-8")
    asked = workload.read(text)
    calls = [question.call for question, _ in asked]
    assert calls.count("hint") >= 2000
    assert {"hint", "claim", "solve"} == set(calls)
    assert len(text.encode()) < 1 << 20
    played = {question.position.split()[0].split("[")[0] for question, _ in asked}
    assert played >= {name for name, rules in PRESETS.items() if not not_for_two(rules)}
    hands = [f"# {rules} {n}" for rules, count in workload.HANDS.items() for n in range(count)]
    begun = [line for line in text.splitlines() if line.startswith("# ")]
    assert begun == [*workload.HEADER.splitlines(), *hands]


def test_a_part_of_the_workload_has_the_answers_it_had() -> None:
    workload = load("workload")
    asked = workload.read(workload.STORED.read_text(encoding="utf-8"))
    part = asked[:: len(asked) // scaled(220)]
    service = workload.Service(None)
    try:
        for server in (workload.Core(), service):
            done = workload.replay(server, part, threads=1 if server is not service else 2)
            assert not done.wrong, (
                "Advice or search answers otherwise than is recorded. If that is meant, run "
                "`python benchmarks/workload.py --write` and say why in the commit "
                "(docs/benchmarks.md)."
            )
    finally:
        service.close()


def test_a_hand_recorded_anew_is_the_recorded_one() -> None:
    workload = load("workload")
    text = workload.STORED.read_text(encoding="utf-8")
    for rules in ("georgian3", "moskva"):
        lines = [f"{question} | {answer}" for question, answer in workload.hand(rules, 1)]
        assert "\n".join([f"# {rules} 1", *lines, f"# {rules} 2"]) in text


def test_an_answer_that_changed_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    workload = load("workload")
    asked = workload.read(workload.STORED.read_text(encoding="utf-8"))
    (question, answer), *others = [item for item in asked if item[0].call == "claim"][:3]
    done = workload.replay(workload.Core(), [(question, answer + "0"), *others])
    assert done.wrong == [(question, answer + "0", answer)]
    workload.show("core", done)
    shown = capsys.readouterr().out
    assert "1 ANSWERS DIFFER" in shown
    assert f"recorded  {answer}0" in shown


def test_perft_divides_every_preset_at_the_command(repository: Path) -> None:
    page = (repository / "tests" / "data" / "perft_tables.txt").read_text(encoding="utf-8")
    rows = [line.split(" ; ") for line in page.splitlines() if line[:1] not in ("", "#")]
    done = subprocess.run(
        [sys.executable, "-m", "bura", "perft", "-", "--depth", "2", "--divide", "--json"],
        input="".join(f"{line}\n" for line, _ in rows),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for (_, counts), answer in zip(rows, answers, strict=True):
        wanted = dict(pair.split("=") for pair in counts.split())
        assert answer["nodes"] == int(wanted["2"])
        assert sum(each["nodes"] for each in answer["divide"]) == answer["nodes"]
        assert len(answer["divide"]) == int(wanted["1"])


def test_the_comparison_with_the_reference_and_a_bridge_solver_that_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "endplay.py").write_text("raise ImportError('no endplay here')", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "compare.py", "--scale", "0.01"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Another program: left out" in done.stdout
    assert done.stdout.count("x\n") == len(load("compare").REFERENCE_ROWS)
    assert "left out: no endplay here; `pip install 'bura-core[bench]'` brings it" in done.stdout


# --- two commits against each other ------------------------------------------------------------

SOME_LINES = [
    "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh 0/0 0 -",
    "points georgian3 h QhAcKd/KsThTc - 13/21 1 -",
    "classic[target=61] c Ah8h7h/KsKd7d JsTdQs8c 0/86 1 -",
    "no_such_rules h As/Ks - 0/0 0 -",
]
"""The last is what an older commit does not know."""


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, list[str]]:
    """The script, with this core in place of both commits, and a command line for it."""
    compare = load("compare_commits")
    suite = tmp_path / "suite.txt"
    suite.write_text("# a comment\n\n" + "\n".join(SOME_LINES) + "\n")
    # Wherever the tests have found it, for it may be another build than the tree's own.
    folder = Path(bura_core.__file__).parent.parent
    monkeypatch.setattr(
        compare,
        "built",
        lambda revision, portable: compare.Build(revision or "working tree", "abc", folder),
    )
    return compare, ["HEAD~1", "--suite", str(suite), "--rounds", "2", "--nodes", "500"]


def test_two_commits_are_compared_by_rule_set(
    commits: tuple[ModuleType, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    compare, command = commits
    assert compare.main([*command, "--instructions", "none"]) == 0
    out = capsys.readouterr().out
    assert "before: HEAD~1 (abc), after: working tree (abc); at most 500 nodes" in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    for name in ("georgian3", "classic", "total"):
        nodes, _, _, instructions, _ = rows[name]
        assert (nodes, instructions) == ("1.000", "-"), name
    assert rows["no_such_rules"][0] == "-"
    assert "DIFFER" not in out


def test_an_answer_that_a_commit_changed_is_told(
    commits: tuple[ModuleType, list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compare, command = commits
    honest = compare.solved

    def solved(build: Any, *rest: Any) -> Any:
        found = honest(build, *rest)
        if build.name == "HEAD~1":
            found[0] = replace(found[0], answer="another")
        return found

    monkeypatch.setattr(compare, "solved", solved)
    assert compare.main([*command, "--instructions", "none"]) == 1
    out = capsys.readouterr().out
    assert f"ANSWERS DIFFER: outcome {SOME_LINES[0]}" in out
    assert out.count("DIFFER") == 1


@pytest.mark.parametrize(
    ("tool", "report"),
    [
        ("perf", "$n,,instructions:u,1000,100.00,,"),
        ("valgrind", "==7== Collected : $n"),
    ],
)
def test_instructions_are_those_of_the_searches_alone(
    tool: str,
    report: str,
    commits: tuple[ModuleType, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A counter that counts the letters of the question: those of an empty one are taken off."""
    compare, _ = commits
    program = tmp_path / tool
    program.write_text(f'#!/bin/sh\nn=$(wc -c)\necho "{report}" >&2\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    build = compare.built(None, False)
    lines = compare.suite(Path(commits[1][2]))["georgian3"]
    assert lines == [["outcome", SOME_LINES[0]], SOME_LINES[1].split(" ", 1)]
    name = "callgrind" if tool == "valgrind" else tool
    counted = compare.instructions(build, lines, 500, name, "group")
    assert counted == len(json.dumps([lines, 500, 1])) - len(json.dumps([[], 1, 1]))
    if tool == "perf":
        assert compare.counter() == "perf"


# --- whole deals -------------------------------------------------------------------------------


def test_whole_deals_are_solved_with_a_value_for_every_move(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole_deals = load("whole_deals")
    assert whole_deals.main(["georgian3", "moskva", "--deals", "3", "--moves"]) == 0
    rows = capsys.readouterr().out.splitlines()[3:]
    assert [row.split()[:4] for row in rows] == [
        ["georgian3", "3", "of", "3"],
        ["moskva", "3", "of", "3"],
    ]
    first, again, other = (
        whole_deals.deal(RuleSet.parse("moskva"), number) for number in (1, 1, 2)
    )
    assert str(first) == str(again) != str(other)
    assert len(first.talon) == 30
    assert {str(rules) for rules in whole_deals.two_sided()} >= {"five", "georgian5_pairs"}


def test_a_whole_deal_that_takes_too_long_is_not_solved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole_deals = load("whole_deals")
    assert whole_deals.main(["georgian5", "--deals", "1", "--seconds", "0.001"]) == 1
    assert " 0 of 1 " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        whole_deals.main(["classic[players=3]"])
    assert "single players, not two sides" in capsys.readouterr().err


def test_what_is_measured_is_the_commits_own_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one in the folder that the command is run in."""
    compare = load("compare_commits")
    (tmp_path / "bura_core").mkdir()
    (tmp_path / "bura_core" / "__init__.py").write_text(
        "class Answer:\n"
        "    nodes, search_us, moves, lower, upper, stopped = 7, 1.0, (), 0, 0, None\n"
        "class Solver:\n"
        "    def solve(self, *args, **options):\n"
        "        return Answer\n"
    )
    monkeypatch.chdir(Path(__file__).parent.parent)
    found = compare.solved(
        compare.Build("old", "abc", tmp_path), [["outcome", SOME_LINES[0]]], 10, 1
    )
    assert [each.nodes for each in found] == [7]
