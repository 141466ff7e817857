"""The page in a browser, and what people do with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect

WEB = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Service:
    """A running service: its address for gRPC, and that of its page."""

    target: str
    page: str


class Table:
    """The page in a browser, and what people do with it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    def open(self, screen: str = "table", language: str = "en", **params: object) -> None:
        """Goes to a state by its address, as somebody does to whom it was sent."""
        query = "&".join(f"{name}={quote(str(value))}" for name, value in params.items())
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/?lang={language}#/{screen}?{query}")

    def turn_to(self, screen: str = "table", **params: object) -> None:
        """Goes to a state without loading the page anew, as its links do."""
        query = "&".join(f"{name}={quote(str(value))}" for name, value in params.items())
        self.page.evaluate("(hash) => { location.hash = hash }", f"#/{screen}?{query}")
        self.page.locator("main :is(h2, .table, .faults)").first.wait_for()

    @property
    def hash(self) -> str:
        return str(self.page.evaluate("location.hash"))

    @property
    def moves(self) -> list[str]:
        """The moves of the list, from above."""
        rows = self.page.locator("table.moves tbody tr")
        return [row.get_attribute("data-move") or "" for row in rows.all()]

    def wait_for_values(self) -> None:
        """Until nothing is searched any more."""
        self.page.locator("table.moves tbody tr").first.wait_for()
        expect(self.page.locator(".side-column table.moves + [role=status]")).not_to_contain_text(
            "…"
        )

    def hand(self, seat: int) -> list[str]:
        """The cards that a seat's hand shows."""
        cards = self.page.locator(f".seat[data-seat='{seat}'] .hand [data-card]")
        return [card.get_attribute("data-card") or "" for card in cards.all()]

    def choose(self, seat: int, *cards: str) -> None:
        for card in cards:
            self.page.locator(f".seat[data-seat='{seat}'] .hand [data-card='{card}']").click()

    def play(self, move: str) -> None:
        """Clicks a move of the list."""
        self.page.locator(f"table.moves tr[data-move='{move}'] button").click()
