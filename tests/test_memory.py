"""How much memory a solver takes, and that a search takes none beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bura_core import Solver

MEBIBYTE = 1 << 20

# In a process of its own: what one solver adds to what the process holds, in bytes. The limits of
# nodes are large enough that a search that allocates a few bytes a node would be noticed.
MEASURE = """
    import json, os
    from bura_core import Position, Solver, solve_many

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    two = Position.from_text(
        "georgian5 h Kh7cTd9s6h/Qd9cJd8sTs AhJsThQc9h8hKc6c7hKd8cJhAdAs8d7s6d9dAcKsTcQh7d6sJcQs"
        " 0/0 0 -"
    )
    pairs = Position.from_text(
        "georgian5_pairs h Kh7cTd9s6h/Qd9cJd8sTs/AhJsThQc9h/8hKc6c7hKd "
        "8cJhAdAs8d7s6d9dAcKsTcQh7d6sJcQs 0/0/0/0 0 -"
    )
    found = {"before": resident()}
    solver = Solver()
    for name, position in (("two", two), ("pairs", pairs)):
        nodes = 0
        for _ in range(2):
            nodes += solver.solve(position, "points", max_nodes=150_000).nodes
            found.setdefault(name, resident())
        found[f"{name} again"] = resident()
        found[f"{name} nodes"] = nodes
    found["said"] = solver.memory
    print(json.dumps(found))
"""


@pytest.mark.slow  # not under the sanitizers, which take memory of their own
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_a_solver_takes_what_it_says_and_a_search_nothing_beside() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MEASURE)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "BURA_CACHE": ""},
    )
    found = json.loads(done.stdout)
    taken = found["pairs again"] - found["before"]
    # Endings that are looked up are shared by all solvers, at most 16 MiB a rule set.
    assert taken <= found["said"] + 24 * MEBIBYTE, found
    assert taken <= 64 * 10**6, found
    for name in ("two", "pairs"):
        assert found[f"{name} nodes"] > 100_000, found
        # A byte a node would be a tenth of a mebibyte and more.
        assert found[f"{name} again"] - found[name] <= MEBIBYTE, found


@pytest.mark.parametrize("table_mb", [1, 4, 16, 32])
def test_the_memory_of_a_solver_is_bounded_by_its_option(table_mb: int) -> None:
    solver = Solver(table_mb=table_mb)
    assert table_mb * MEBIBYTE <= solver.memory <= (table_mb + 1) * MEBIBYTE
    solver.solve("georgian5_pairs h As/Ks/Qs/Js - 0/0/0/0 0 -")
    # A second table of the same size for what more than two play.
    assert 2 * table_mb * MEBIBYTE <= solver.memory <= (2 * table_mb + 1) * MEBIBYTE
    before = solver.memory
    solver.clear()
    assert solver.memory == before


def test_a_solver_takes_less_than_64_megabytes_by_default() -> None:
    solver = Solver()
    solver.solve("georgian5_pairs h As/Ks/Qs/Js - 0/0/0/0 0 -")
    assert solver.memory < 64 * 10**6
