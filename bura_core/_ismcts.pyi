from bura_core._sampler import Worlds
from bura_core.notation import Move

def ismcts(
    worlds: Worlds,
    *,
    iterations: int = ...,
    seconds: float | None = None,
    exploration: float = 0.7,
    seed: int = 0,
) -> list[tuple[Move, int, float]]: ...
