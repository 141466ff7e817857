from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import final

from bura_core._rules import Position
from bura_core._sampler import Worlds
from bura_core.errors import BuraError, Fault
from bura_core.notation import Move

OBJECTIVES: tuple[str, ...]

@dataclass(frozen=True, slots=True)
class MoveValue:
    move: Move
    lower: int
    upper: int
    seat: int | None = None
    expected: int | None = None
    @property
    def value(self) -> int | None: ...

@dataclass(frozen=True, slots=True)
class SeatValue:
    seat: int
    lower: int
    upper: int
    @property
    def value(self) -> int | None: ...

@dataclass(frozen=True, slots=True)
class Solution:
    objective: str
    lower: int
    upper: int
    moves: tuple[MoveValue, ...]
    calls: tuple[MoveValue, ...]
    best: tuple[Move, ...]
    line: tuple[Move, ...]
    nodes: int
    search_us: float
    stopped: str | None
    guaranteed: tuple[SeatValue, ...] = ()
    expected: tuple[SeatValue, ...] = ()
    @property
    def value(self) -> int | None: ...
    @property
    def exact(self) -> bool: ...

@final
class Stop:
    def set(self) -> None: ...
    def clear(self) -> None: ...
    @property
    def is_set(self) -> bool: ...

@final
class Solver:
    def __new__(cls, table_mb: int = 16, endings: bool = True) -> Solver: ...
    @property
    def memory(self) -> int: ...
    def clear(self) -> None: ...
    def solve(
        self,
        position: Position | str,
        objective: str = "outcome",
        *,
        moves: bool = True,
        line: bool = True,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        stop: Stop | None = None,
        seen_claims: bool = False,
    ) -> Solution: ...
    def judge(
        self,
        worlds: Worlds,
        first: int,
        last: int,
        *,
        node_limit: int,
        horizon: int | None = None,
        max_seconds: float | None = None,
        stop: Stop | None = None,
        moves: Container[int] | None = None,
    ) -> tuple[bytes, bytes, int, bool, str | None]: ...

def limit_faults(
    max_nodes: object, max_seconds: object, threads: object, stop: object
) -> list[Fault]: ...
def moves_of(worlds: Worlds) -> tuple[Move, ...]: ...
def solve_many(
    positions: Iterable[Position | str],
    objective: str = "outcome",
    *,
    moves: bool = True,
    line: bool = False,
    threads: int = 1,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    stop: Stop | None = None,
    table_mb: int = 16,
    solvers: list[Solver] | None = None,
) -> list[Solution | BuraError]: ...
