"""The work of the benchmark suite, kept in one place: python benchmarks/signature.py [--write]

Solves the suite with `bura bench` and prints its signature and the nodes of each rule set.
`--write` stores them in signature.txt, where tests/test_bench.py compares them; without it the
exit status is 1 where they differ from what is stored.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

STORED = Path(__file__).resolve().with_name("signature.txt")

HEADER = """\
# The work of `bura bench`: nodes and answers, and the nodes by rule set. Equal on every machine.
# A change to the search changes it on purpose or not at all: `python benchmarks/signature.py
# --write` stores the new one (docs/benchmarks.md).
"""


def measured() -> str:
    """The signature of this tree's search, as it is stored."""
    command = [sys.executable, "-m", "bura", "bench", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"bura bench failed:\n{done.stderr}")
    report = json.loads(done.stdout)
    lines = [f"{group['name']}: {group['nodes']}" for group in report["groups"]]
    return "\n".join([f"signature: {report['nodes']} {report['signature']}", *lines]) + "\n"


def stored() -> str:
    """The signature that is kept, without its comments."""
    text = STORED.read_text(encoding="utf-8")
    return "".join(line for line in text.splitlines(True) if not line.startswith("#"))


def main() -> int:
    """Print the signature; store it, or say whether it is the stored one."""
    parser = argparse.ArgumentParser(description="the work of the benchmark suite")
    parser.add_argument("--write", action="store_true", help=f"store it in {STORED.name}")
    write = parser.parse_args().write
    now = measured()
    sys.stdout.write(now)
    if write:
        STORED.write_text(HEADER + now, encoding="utf-8")
        return 0
    if now == stored():
        return 0
    print(f"differs from {STORED.name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
