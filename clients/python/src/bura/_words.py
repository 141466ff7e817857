"""Numbers as a person reads them, for the text of results and for the command line."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["duration", "large", "percent", "plural", "signed", "thousands"]


def percent(share: float | Fraction) -> str:
    """A share from 0 to 1 in percent; 0% and 100% are said only of what is exactly that."""
    if share in (0, 1):
        return f"{int(share)}00%" if share else "0%"
    text = f"{float(share):.1%}"
    return {"0.0%": "<0.1%", "100.0%": ">99.9%"}.get(text, text)


def signed(value: float) -> str:
    """A value from -1 to +1 with its sign and two decimals."""
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text


def thousands(number: int) -> str:
    """A whole number with its thousands apart."""
    return f"{number:,}"


def large(number: int) -> str:
    """A whole number, rounded once it is too long to read (it may have dozens of digits)."""
    return thousands(number) if number < 10**9 else f"about {number:.1e}"


def duration(microseconds: float) -> str:
    """A time in the unit that suits it, to about three digits."""
    for unit, size in (("s", 1_000_000), ("ms", 1000)):
        if microseconds >= size:
            amount = microseconds / size
            return f"{amount:.{2 if amount < 10 else 1 if amount < 100 else 0}f} {unit}"
    return f"{microseconds:.0f} µs"


def plural(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{thousands(number)} {noun}" if number == 1 else f"{thousands(number)} {noun}s"
