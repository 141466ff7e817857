"""Times of small endings with hidden cards, by processor time of one thread.

    python benchmarks/equilibrium.py [--gap STAKES]

Solves the fixed endings of endings.txt (three cards each, by number of joint deals, without
raises, with one more and with all that the rules allow) to a certified gap, the tree included, and
prints how long each took, its size and the memory. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from bura_core import View
from bura_core.equilibrium import joint_deals, solve_ending

ENDINGS = Path(__file__).with_name("endings.txt")
ALL = 99
"""More raises than any rules allow."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gap", type=float, default=1e-3, help="stakes (default 0.001)")
    gap = parser.parse_args().gap
    rows: dict[tuple[int, int], list[tuple[float, float, int, int]]] = {}
    for line in ENDINGS.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        view = View.from_text(line)
        for number in (0,) if view.rules.raises == "none" else (0, 1, ALL):
            begin = time.process_time()
            most = None if number == ALL else number
            found = solve_ending(view, gap=gap, max_raises=most, always=False)
            spent = time.process_time() - begin
            rows.setdefault((joint_deals(view), number), []).append(
                (spent, found.memory / 1e6, found.iterations, found.infosets)
            )
    print(f"to a gap of {gap:g} of a stake; seconds of one core, median and worst")
    print("deals  raises  endings  median   worst  memory MB  iterations  infosets")
    for (deals, number), each in sorted(rows.items()):
        times, memory, iterations, infosets = zip(*each, strict=True)
        raises = "all" if number == ALL else number
        print(
            f"{deals:5d}  {raises:>6}  {len(each):7d}  {statistics.median(times):6.3f}  "
            f"{max(times):6.3f}  {max(memory):9.1f}  {max(iterations):10d}  {max(infosets):8d}"
        )


if __name__ == "__main__":
    main()
