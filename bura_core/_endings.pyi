from pathlib import Path
from typing import final

from bura_core.rule_sets import RuleSet

@final
class Endings:
    @property
    def key(self) -> tuple[object, ...]: ...
    @property
    def complete(self) -> bool: ...

def cache_folder() -> Path | None: ...
def build_endings(
    rules: RuleSet, *, threads: int = 2, folder: str | Path | None = None
) -> list[Path]: ...
