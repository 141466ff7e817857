"""What is handed out: built from a copy, installed into empty environments, used elsewhere."""

import os
import shutil
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"

# Tests of the core that need no more than the reference beside them.
CORE_TESTS = ["conftest.py", "reference.py", "scale.py", "test_errors.py", "test_rules_core.py"]

# Run by an interpreter that has the core and nothing else, far from the source tree.
USE_THE_CORE = """
    import sys
    from pathlib import Path

    import bura_core

    assert Path(bura_core.__file__).is_relative_to(sys.prefix), bura_core.__file__
    known = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
    solution = bura_core.Solver().solve(known)
    assert solution.exact and solution.value in (-1, 0, 1), solution
    assert str(bura_core.parse_position(known)) == known
    seen = bura_core.View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    advice = bura_core.recommend(seen, max_worlds=20)
    assert advice.worlds == 20, advice
    foreign = {"grpc", "google", "numpy", "bura", "bura_service"} & set(sys.modules)
    assert not foreign, foreign
    print(advice.best)
"""

USE_THE_CLIENT = """
    import sys
    import time
    from pathlib import Path

    started = time.perf_counter()
    import bura

    print(f"import bura: {time.perf_counter() - started:.2f} s")
    assert Path(bura.__file__).is_relative_to(sys.prefix), bura.__file__
    # The command line's libraries cost more than the client: only the command loads them.
    foreign = {"bura_core", "bura_service", "numpy", "typer", "rich"} & set(sys.modules)
    assert not foreign, foreign
"""


def run(command: Sequence[str | Path], cwd: Path, **variables: str) -> str:
    """Standard output of a command; the test fails with all it wrote if it fails."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "BURA_", "LD_PRELOAD", "VIRTUAL_ENV", "COV_"))
    }
    done = subprocess.run(
        command,
        cwd=cwd,
        env=inherited | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        shown = " ".join(map(str, command))
        pytest.fail(f"{shown}\nexit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def copy_of(sources: Sequence[Path], target: Path) -> Path:
    """The files of a distribution as a clone has them, nothing built among them."""
    built = shutil.ignore_patterns("*.so", "*.c", "*.egg-info", "__pycache__", "build", "dist")
    target.mkdir(parents=True)
    for source in sources:
        if source.is_dir():
            shutil.copytree(source, target / source.name, ignore=built)
        elif source.is_file():
            shutil.copy2(source, target)
    return target


def build(project: Path, *kinds: str) -> Path:
    """Builds with the installed, pinned builders; returns the folder of what came out.

    The compiler takes a third of its time: how fast the core is does not matter here.
    """
    run([sys.executable, "-m", "build", "--no-isolation", *kinds], project, BURA_QUICK="1")
    return project / "dist"


def environment(folder: Path) -> Path:
    """A new, empty virtual environment's interpreter."""
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder.parent)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def install(python: Path, *requirements: str | Path, **variables: str) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    wheels_only = ["--only-binary", ":all:", "--constraint", CONSTRAINTS]
    run([*pip, "install", *wheels_only, *requirements], python.parent, **variables)


def only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def sources(*suffixes: str) -> set[str]:
    """The core's own files with these suffixes, as they are named in an archive."""
    found = (path for path in (ROOT / "bura_core").iterdir() if path.suffix in suffixes)
    return {f"bura_core/{path.name}" for path in found}


def check_sdist(archive: Path) -> None:
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert sources(".py", ".pyx", ".pxd", ".pyi") <= names
    assert {"LICENSE", "pyproject.toml", "setup.py", "bura_core/py.typed"} <= names
    assert [name for name in names if name.endswith((".c", ".so", ".pyc"))] == []
    others = ("service/", "clients/", "tests/", "proto/", "benchmarks/", "docs/")
    assert [name for name in names if name.startswith(others)] == []


def check_wheel(archive: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        names = set(wheel.namelist())
    assert sources(".py", ".pxd", ".pyi") | {"bura_core/py.typed"} <= names
    compiled = {name.partition(".")[0] for name in names if name.endswith((".so", ".pyd"))}
    assert compiled == {name.removesuffix(".pyx") for name in sources(".pyx")}
    assert [name for name in names if name.endswith((".c", ".pyx"))] == []
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"bura_core"}


# One test a distribution: a build takes half a minute, and workers share no fixtures.


@pytest.mark.slow
def test_core_from_sdist_to_wheel_to_use_elsewhere(tmp_path: Path) -> None:
    names = ["pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", "README.md", "bura_core"]
    dist = build(copy_of([ROOT / name for name in names], tmp_path / "source"))
    check_sdist(only(dist, "*.tar.gz"))
    check_wheel(only(dist, "*.whl"))  # which was built from the sdist

    python = environment(tmp_path / "venv")
    install(python, "--no-index", "--no-deps", only(dist, "*.whl"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run([python, "-I", "-c", textwrap.dedent(USE_THE_CORE)], elsewhere).strip()

    install(python, "pytest", "hypothesis")
    for name in CORE_TESTS:
        shutil.copy2(ROOT / "tests" / name, elsewhere)
    run([python, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], elsewhere)


@pytest.mark.slow
def test_client_without_compiler_core_or_service(tmp_path: Path) -> None:
    source = copy_of(list((ROOT / "clients" / "python").iterdir()), tmp_path / "source")
    wheel = only(build(source, "--wheel"), "*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")

    python = environment(tmp_path / "venv")
    install(python, wheel, CC="/bin/false", CXX="/bin/false")
    print(run([python, "-I", "-c", textwrap.dedent(USE_THE_CLIENT)], tmp_path))
    command = python.parent / "bura"
    assert "hint" in run([command, "--help"], tmp_path)

    question = [command, "solve", "georgian3 h AsTdQh/KsJsAd - 40/50 0 -"]
    done = subprocess.run(question, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "bura-service" in done.stderr
