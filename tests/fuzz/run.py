"""Fuzzes the core: python tests/fuzz/run.py TARGET [--seconds N] [--keep]

TARGET is `notation` (everything that is read as text) or `boundary` (positions that are played,
counted, solved and advised on, with any arguments). The fuzzer is libFuzzer by way of `atheris`,
which the extra `fuzz` installs; it is led by the coverage of the Python modules, and half of its
inputs come of mutations that know what a card is. Put the debug build first on PYTHONPATH and
the compiled modules run with assertions and bounds checks; `make fuzz` does both.

What fails is left in build/fuzz/TARGET/ as a file and printed; mend it, and put its text into the
corpus with `--keep`, which also takes over the inputs that reached something new.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

from corpus import decoded, store, stored

WORK = Path(__file__).resolve().parent.parent.parent / "build" / "fuzz"
MOST_KEPT = 150
LONGEST_KEPT = 500


def mutated(text: str, rng: random.Random) -> str:
    """Another text that may still be legal: cards change places, rules change."""
    cards = [match.span() for match in re.finditer(r"[6-9TJQKA][shdc]", text)]
    for _ in range(rng.randrange(1, 4)):
        how = rng.randrange(4)
        if how < 2 and len(cards) > 1:
            (a, b), (c, d) = sorted(rng.sample(cards, 2))
            text = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
        elif how == 2:
            from bura_core import PRESETS

            name = rng.choice(list(PRESETS))
            text = re.sub(r"\b(?:" + "|".join(PRESETS) + r")\b", name, text, count=1)
        else:
            words = text.split(" ")
            at = rng.randrange(len(words))
            words[at] = rng.choice(("-", "0", "1", "x3", "-/-", "30/31", "claim=0", "0:As", ""))
            text = " ".join(words)
        cards = [match.span() for match in re.finditer(r"[6-9TJQKA][shdc]", text)]
    return text


def fuzz(target: str, arguments: list[str]) -> None:
    """Hands over to libFuzzer, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["bura_core"]):
        from targets import TARGETS
    one = TARGETS[target]

    def mutator(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return mutated(decoded(data), rng).encode("utf-8", "surrogateescape")[:most]

    atheris.Setup(arguments, lambda data: one(decoded(data)), custom_mutator=mutator)
    atheris.Fuzz()


def main() -> int:
    """Fuzz in a process of its own, then look at what it left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=["notation", "boundary"])
    parser.add_argument("--seconds", type=int, default=60, help="how long (default 60)")
    parser.add_argument("--keep", action="store_true", help="take new inputs into the corpus")
    parser.add_argument("--inside", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside is not None:
        fuzz(chosen.target, [sys.argv[0], *chosen.inside])
        return 0
    try:
        import atheris  # noqa: F401
    except ImportError as error:
        raise SystemExit(f"{error}; `pip install 'bura-core[fuzz]'` brings it") from None
    folder = WORK / chosen.target
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    for number, entry in enumerate(stored(chosen.target)):
        data = entry.encode("utf-8", "surrogateescape")
        (inputs / f"stored-{number}").write_bytes(data)
    command = [sys.executable, __file__, chosen.target, "--inside", str(inputs)]
    command += [
        f"-artifact_prefix={folder}/",
        "-max_len=1500",
        "-timeout=20",
        "-rss_limit_mb=2048",
    ]
    command += [f"-max_total_time={chosen.seconds}", "-print_final_stats=1"]
    done = subprocess.run(command, check=False)
    if chosen.keep:
        keep(chosen.target, folder, inputs)
    failed = sorted(path for path in folder.iterdir() if path.is_file())
    for path in failed:
        print(f"{path}: {decoded(path.read_bytes())!r}")
    return 1 if done.returncode or failed else 0


def keep(target: str, folder: Path, inputs: Path) -> None:
    """Takes into the corpus what has failed, and the shortest inputs that reached something new.

    libFuzzer leaves only such inputs in the folder, each as short as it could make it.
    """
    new = [path for path in inputs.iterdir() if not path.name.startswith("stored-")]
    texts = sorted(
        {decoded(path.read_bytes()) for path in new}, key=lambda text: (len(text), text)
    )
    short = [text for text in texts if len(text) <= LONGEST_KEPT]
    # Evenly from short to long.
    chosen = short[:: max(1, -(-len(short) // MOST_KEPT))]
    failed = [decoded(path.read_bytes()) for path in folder.iterdir() if path.is_file()]
    store(target, [*stored(target), *chosen, *failed])


if __name__ == "__main__":
    sys.exit(main())
