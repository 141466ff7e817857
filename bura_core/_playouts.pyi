from array import array
from collections.abc import Sequence

from bura_core._sampler import Worlds

def play_outs(
    sample: Worlds,
    options: Sequence[tuple[str, int]],
    first: int,
    last: int,
    *,
    own: Sequence[float],
    other: Sequence[float],
    won: Sequence[float],
    lost: Sequence[float],
    drawn: float,
    raises: bool,
    raiser: int = -1,
    stake: int = 1,
    offered: int = 0,
    sharp: float = 1.0,
    seed: int = 0,
) -> tuple[array[float], bytes]: ...
