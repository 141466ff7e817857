"""The fuzzers' corpora, replayed: everything they ever found goes through once more."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent / "fuzz"))

import corpus
import run as fuzzer
from targets import TARGETS

from bura_core import InputError, Position
from scale import REDUCED

ENTRIES = [(target, entry) for target in TARGETS for entry in corpus.stored(target)]


@pytest.mark.parametrize("target", TARGETS)
def test_the_corpus_goes_through(target: str) -> None:
    entries = corpus.stored(target)
    assert len(entries) >= 30
    for entry in entries[:: 3 if REDUCED else 1]:
        TARGETS[target](entry)


@pytest.mark.parametrize("target", TARGETS)
def test_mutations_of_the_corpus_go_through(target: str) -> None:
    rng = random.Random(target)
    entries = corpus.stored(target)
    for _ in range(10 if REDUCED else 150):
        TARGETS[target](fuzzer.mutated(rng.choice(entries), rng))


def test_some_mutations_are_still_positions() -> None:
    rng = random.Random(1)
    entries = [entry for entry in corpus.stored("boundary") if ";" in entry]
    legal = 0
    for _ in range(100):
        line, _, _ = fuzzer.mutated(rng.choice(entries), rng).partition(";")
        try:
            Position.from_text(line)
            legal += 1
        except InputError:
            pass
    assert legal >= 10


def test_the_corpora_are_small_and_read_back(tmp_path: Path) -> None:
    for target in TARGETS:
        path = corpus.FOLDER / f"{target}.txt"
        assert path.stat().st_size < 200_000
        entries = corpus.stored(target)
        text = path.read_text(encoding="utf-8")
        corpus.FOLDER, folder = tmp_path, corpus.FOLDER
        try:
            corpus.store(target, entries)
            assert (tmp_path / f"{target}.txt").read_text(encoding="utf-8") == text
        finally:
            corpus.FOLDER = folder


def test_the_fuzzers_start_as_make_starts_them() -> None:
    root = Path(__file__).parent.parent
    line = re.search(r"/python (.*tests/fuzz/run\.py) notation", (root / "Makefile").read_text())
    assert line is not None
    done = subprocess.run(
        [sys.executable, *line[1].split(), "--help"], cwd=root, capture_output=True, text=True
    )
    assert (done.returncode, "notation" in done.stdout) == (0, True), done.stderr
