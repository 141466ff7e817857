from typing import Self, final

from bura_core._sampler import Worlds
from bura_core.notation import Move

@final
class SeatSolver:
    def __new__(cls, table_mb: int) -> Self: ...

def seat_moves_of(worlds: Worlds) -> tuple[Move, ...]: ...
