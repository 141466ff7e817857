"""How many random positions a test takes: all, or few where each run is slow.

`BURA_TESTS=reduced` is for builds with sanitizers, in which the core is many times slower.
"""

import os

REDUCED = os.environ.get("BURA_TESTS") == "reduced"


def scaled(number: int) -> int:
    """`number`, or a twentieth of it (one at least) in a reduced run."""
    return max(1, number // 20) if REDUCED else number
