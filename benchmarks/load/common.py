"""What the load tools share: a service in a process of its own, positions, figures."""

import contextlib
import os
import random
import re
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from bura_core import InputError, parse_position

# A search that takes minutes, and is cut to any length by its nodes.
ENDLESS = (
    "perebor[hand=6] d AsQs9sThKh8d/KsJs7sQhTdJc TsAh9h6hAdKd9d7dAcTc9c7c8s6sJh7hQd6d"
    "KcQc8c6c8hJd 0/0 0 -"
)
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
_DECK = [rank + suit for suit in "shdc" for rank in "AKTQJ9876"]
_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}


class Service:
    """A running service; its processes can be looked at."""

    def __init__(
        self, process: subprocess.Popen[str], target: str, web: str | None = None
    ) -> None:
        self.process = process
        self.target = target
        self.web = web

    def pids(self) -> list[int]:
        """The process and those it has started."""
        return [self.process.pid, *_children(self.process.pid)]

    def memory_mb(self) -> float:
        """Resident memory of all of them."""
        pages = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def processor_seconds(self) -> float:
        """Processor time of all of them so far."""
        ticks = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += int(stat[11]) + int(stat[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def threads(self) -> int:
        """Threads of all of them."""
        return sum(_count(pid, "task") for pid in self.pids())

    def files(self) -> int:
        """Open files of all of them."""
        return sum(_count(pid, "fd") for pid in self.pids())


def _count(pid: int, what: str) -> int:
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/{what}").iterdir()))
    return 0


def _children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                command = (stat.parent / "cmdline").read_bytes()
                if b"spawn_main" in command:
                    found.append(int(stat.parent.name))
    return found


@contextlib.contextmanager
def service(*flags: str) -> Iterator[Service]:
    """A service on a free port of the loopback address, stopped at the end."""
    command = [sys.executable, "-m", "bura_service", "--port", "0", "--log-level", "error", *flags]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    web = None
    try:
        target = _expect(process.stderr.readline(), r"listening on (\S+)")
        if "--web-port" in flags:
            web = _expect(process.stderr.readline(), r"browsers on (\S+)")
        log = process.stderr
        threading.Thread(target=lambda: sys.stderr.writelines(log), daemon=True).start()
        yield Service(process, target, web)
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _expect(line: str, pattern: str) -> str:
    found = re.search(pattern, line)
    if not found:
        raise SystemExit(f"the service did not start: {line}")
    return found[1]


def endings(count: int, hand: int = 5, seed: int = 0) -> list[str]:
    """Different random positions of `five` with the talon out and so many cards in each hand."""
    generator = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        cards = generator.sample(_DECK, 2 * hand)
        left = 120 - sum(_POINTS.get(card[0], 0) for card in cards)
        first = generator.randint(max(0, left - 60), min(60, left))
        hands = "".join(cards[:hand]) + "/" + "".join(cards[hand:])
        trump, turn = generator.choice("shdc"), generator.randint(0, 1)
        line = f"five {trump} {hands} - {first}/{left - first} {turn} -"
        with contextlib.suppress(InputError):
            found[str(parse_position(line))] = None
    return list(found)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share lies; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def milliseconds(values: Sequence[float]) -> str:
    """Median, 99th percentile and worst of times in seconds."""
    if not values:
        return "none"
    middle, worst = statistics.median(values), max(values)
    late = quantile(values, 0.99)
    return f"median {1e3 * middle:.2f} ms, 99 % {1e3 * late:.2f} ms, worst {1e3 * worst:.2f} ms"
