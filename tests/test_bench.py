"""The benchmark suite: its work is the one that is stored, and its positions follow from seeds."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"
SUITE = ROOT / "clients" / "python" / "src" / "bura" / "bench_suite.txt"


def load(name: str) -> ModuleType:
    """A script of benchmarks/ as a module."""
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
    presets = {"georgian3", "georgian5", "classic", "classic_shown"}
    presets |= {"burkozel", "five", "perebor", "no_trump"}
    for preset in presets:
        of_preset = [row for row in rows if row.rules == preset]
        assert {row.answer for row in of_preset} == {False, True}, preset
        assert {row.objective for row in of_preset} >= {"outcome"}, preset
        assert any(row.talon == 0 for row in of_preset), preset
        assert any(row.talon != 0 for row in of_preset), preset
    assert {row.claim for row in rows} == {"", "good", "bad"}
    assert {row.hand for row in rows} == {None, 3}
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
