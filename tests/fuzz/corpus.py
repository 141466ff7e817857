"""The stored corpora: one entry a line, as a JSON string, so that odd characters are seen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "corpus"


def stored(target: str) -> list[str]:
    """The entries of a target."""
    lines = (FOLDER / f"{target}.txt").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def store(target: str, entries: Iterable[str]) -> None:
    """Write a target's entries, each once, in order."""
    lines = sorted({json.dumps(entry, ensure_ascii=True) for entry in entries})
    (FOLDER / f"{target}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def decoded(data: bytes) -> str:
    """Bytes of a fuzzer as a text; those that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")
