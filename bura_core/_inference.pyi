from collections.abc import Iterable, Sequence
from typing import Final, final

from bura_core._rules import Position
from bura_core._sampler import Worlds

NUMBER_OF_FEATURES: Final[int]
NUMBER_OF_WEIGHTS: Final[int]

@final
class Witness:
    def __init__(
        self,
        seat: int,
        deck: int,
        turn_up: int,
        tricks: Sequence[Iterable[object]],
        weights: Sequence[float],
        noise: float,
    ) -> None: ...
    def log_weights(
        self, sample: Worlds, first: int, last: int, seed: int, draws: int = 1
    ) -> tuple[list[float], list[int]]: ...

@final
class Decisions:
    def __len__(self) -> int: ...
    def add(
        self,
        position: Position,
        kind: str,
        cards: int,
        seat: int | None = None,
    ) -> None: ...
    def log_likelihood(
        self, weights: Sequence[float], noise: float = 0.0
    ) -> tuple[float, list[float]]: ...

def strength_inputs_of(position: Position, seat: int) -> list[float]: ...
def raise_chances(
    sample: Worlds, seat: int, stake: int, weights: Sequence[float], noise: float
) -> list[float]: ...
