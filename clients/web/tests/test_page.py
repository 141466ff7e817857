"""The page by clicks, in a real Chromium, against a real service."""

from __future__ import annotations

import base64
import io
import json
import re
import time
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import WEB, Service, Table
from playwright.sync_api import Page, expect

import bura

DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"
ENDING = "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
CLAIM = "georgian3 h x3/KsTcJc x5Jh As(Jd)AcQd/ThKdx1Td 1 - claim=1"
PAIRS = "georgian5_pairs h x5/AsTdQhKsJs/x5/x5 x15Jh -/-/-/- 1 -"
THREE = "bura2[players=3] h As7d/Kd9d/QhAd - 27/20/23 0 -"
MIXED = "georgian3 d JhQd/x2 - TsKsQsx1/AsJsAhKhQhKdJdAcTcKcQc(Ad) 0 - stake=2 raiser=1"
RECORD = """\
[Rules "georgian3"]
[Trump "h"]
[TurnUp "Jh"]
[Seat "all"]
[Players "Nino/Gia"]
[Lead "0"]
[Hands "AsQhTd/KsJsAd"]
[Undrawn "QdQcJdJcKcTsAhJh"]
[Result "0 claim"]
[Points "34/21"]

1. 0:As 1:(Js) 0+Ac 1+Th
2. 0:Td 1:Ad 1+Tc 0+Kd {the ace of trumps would have cost more}
3. 1:Tc 0:Ac 0+Kh 1+Qs
4. 0:claim
"""


def packed(text: str) -> str:
    """A text as it stands in an address."""
    squeezer = zlib.compressobj(wbits=-15)
    data = squeezer.compress(text.encode()) + squeezer.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


SCREENS: dict[str, dict[str, object]] = {
    "welcome": {"screen": "table"},
    "ending": {"screen": "table", "p": ENDING},
    "seen": {"screen": "table", "p": SEEN},
    "played": {"screen": "table", "p": DEAL, "m": "As,(Js),Td"},
    "pairs": {"screen": "table", "p": PAIRS},
    "three": {"screen": "table", "p": THREE},
    "mixed": {"screen": "table", "p": MIXED},
    "faulty": {"screen": "table", "p": "georgian3 h AsTd/Kh - 0/0 5 -"},
    "setup": {"screen": "setup", "p": SEEN},
    "review": {"screen": "review"},
    "reviewed": {"screen": "review", "r": packed(RECORD)},
    "puzzles": {"screen": "puzzles"},
    "puzzle": {"screen": "puzzles", "id": "c001"},
    "seen puzzle": {"screen": "puzzles", "id": "s001"},
}


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[bura.Client]:
    with bura.connect(service.target) as client:
        yield client


def paste(table: Table, text: str) -> None:
    table.page.locator("#paste").fill(text)
    table.page.get_by_role("button", name="Open").click()


# ------------------------------------------------------------------------- the table


def test_a_pasted_line_shows_every_move_with_its_value(table: Table, client: bura.Client) -> None:
    table.open()
    paste(table, f"  {ENDING}\n")
    table.wait_for_values()
    solved = client.solve(ENDING)
    shown = {
        row.get_attribute("data-move"): row.get_attribute("data-value")
        for row in table.page.locator("table.moves tbody tr").all()
    }
    assert {move: value for move, value in shown.items() if value is not None} == {
        each.move: str(each.value) for each in solved.moves
    }
    # The stakes may be raised, too; that has no value here.
    assert set(shown) - {each.move for each in solved.moves} == {"raise"}
    best = table.page.locator("table.moves tr.is-best").all()
    assert sorted(row.get_attribute("data-move") or "" for row in best) == sorted(solved.best)
    assert table.hand(0) == ["Qh", "Ac", "Kd"]
    expect(table.page.locator("table.moves tr[data-move='Ks']")).to_contain_text("wins")


def test_moves_are_played_and_walked_back_and_each_state_has_its_address(table: Table) -> None:
    table.open(p=DEAL)
    table.wait_for_values()
    table.play("As")
    table.play("(Js)")
    page = table.page
    expect(page.locator(".ply")).to_have_text("2/2")
    assert table.hand(0) == ["Qh", "Td", "Ac"]
    expect(page.locator(".history li")).to_have_count(2)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator(".ply")).to_have_text("1/2")
    expect(page.locator(".trick [data-card='As']")).to_be_visible()
    address = page.url
    page.keyboard.press("Home")
    expect(page.locator(".ply")).to_have_text("0/2")
    page.keyboard.press("End")
    expect(page.locator(".ply")).to_have_text("2/2")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".ply")).to_have_text("1/2")
    assert page.url == address
    # Whoever is sent the address sees the same.
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".ply")).to_have_text("1/2")
    expect(page.locator(".trick [data-card='As']")).to_be_visible()
    # Another move from there is another hand.
    table.wait_for_values()
    table.play("(Ks)")
    expect(page.locator(".ply")).to_have_text("2/2")
    assert "m=As%2C%28Ks%29" in table.hash
    page.go_back()
    expect(page.locator(".ply")).to_have_text("1/2")


def test_cards_are_chosen_by_clicks_and_a_hand_ends_by_a_claim(table: Table) -> None:
    table.open(p=DEAL)
    page = table.page
    table.choose(0, "As")
    page.get_by_role("button", name="Lead A").click()
    table.choose(1, "Js")
    page.get_by_role("button", name="Discard").click()
    expect(page.locator(".ply")).to_have_text("2/2")
    for move in ("Td", "Ad", "Tc", "Ac"):
        table.play(move)
        expect(page.locator(".history li:last-child")).to_contain_text(
            "10" if "T" in move else "A"
        )
    page.locator(".actions").get_by_role("button", name="Claim").click()
    expect(page.locator(".result")).to_contain_text("Seat 0 wins, by a claim")
    expect(page.locator(".result")).to_contain_text("34 : 21")
    assert table.moves == []


def test_two_cards_chosen_that_are_no_move_cannot_be_played(table: Table) -> None:
    table.open(p=DEAL)
    table.choose(0, "As", "Td")
    expect(table.page.locator(".actions button.main")).to_be_disabled()
    table.choose(0, "Td")
    expect(table.page.locator(".actions button.main")).to_be_enabled()


def test_a_hint_with_hidden_cards_is_the_services(table: Table, client: bura.Client) -> None:
    table.open(p=SEEN)
    table.wait_for_values()
    advice = client.recommend(SEEN)
    expect(table.page.locator("[data-hint]")).to_have_attribute("data-hint", advice.move)
    for each in advice.moves:
        row = table.page.locator(f"table.moves tr[data-move='{each.move}']")
        expect(row).to_contain_text(f"{100 * each.win:.1f} %")
    assert table.hand(0) == ["x", "x", "x"]
    assert table.moves[0] == advice.move


def test_the_chance_of_a_claim_is_shown(table: Table, client: bura.Client) -> None:
    table.open(p=CLAIM)
    table.wait_for_values()
    chance = float(client.estimate_claim(CLAIM).chance)
    expect(table.page.locator("[data-claim]")).to_contain_text(f"{100 * chance:.1f} %")
    expect(table.page.locator("table.moves tr[data-move='claim']")).to_be_visible()


def test_three_seats_have_both_values_of_each_move_and_of_each_seat(
    table: Table, client: bura.Client
) -> None:
    table.open(p=THREE)
    table.wait_for_values()
    solved = client.solve(THREE)
    page = table.page
    for each in solved.moves:
        row = page.locator(f"table.moves tr[data-move='{each.move}']")
        expect(row).to_have_attribute("data-value", str(each.value))
        expect(row.locator("[data-expected]")).to_have_attribute(
            "data-expected", str(each.expected)
        )
    words = {1: "wins", 0: "draw", -1: "loses"}
    for seat in solved.seats:
        cells = page.locator(f"[data-seat-value='{seat.seat}'] td")
        expect(cells.nth(0)).to_contain_text(words[seat.guaranteed])
        expect(cells.nth(1)).to_contain_text(words[seat.expected])


def test_a_mixed_strategy_is_shown_with_why_and_what_always_costs(
    table: Table, client: bura.Client
) -> None:
    table.open(p=MIXED)
    table.wait_for_values()
    found = client.recommend(MIXED, max_deals=5000).equilibrium
    assert found is not None
    policy = table.page.locator(".policy")
    for each in found.moves:
        row = policy.locator(f"[data-policy='{each.move}']")
        expect(row).to_contain_text(f"{100 * each.probability:.1f} %")
        expect(row.locator("td").last).to_contain_text(f"{each.always:.2f}".replace("-", "−"))
    expect(policy).to_contain_text("he could tell your hand by it")
    expect(policy).to_contain_text("Always Q♦")


def test_a_hint_refines_while_it_is_looked_at_and_can_be_stopped(table: Table) -> None:
    page = table.page
    table.open(p="georgian5 h x5/KsThTcAdQd x25Jh -/- 1 -")
    page.locator("[data-hint]").wait_for()
    page.get_by_role("button", name="Think longer").click()
    told = page.locator("[data-refined]")
    told.wait_for()
    first = int(told.get_attribute("data-refined") or 0)
    wait_until(lambda: int(told.get_attribute("data-refined") or 0) > first)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(told).to_contain_text("deals looked at.")
    last = told.get_attribute("data-refined")
    page.wait_for_timeout(600)
    assert told.get_attribute("data-refined") == last
    # It may go on, and another position is another question.
    expect(page.get_by_role("button", name="Think longer")).to_be_visible()
    table.turn_to(p=SEEN)
    table.wait_for_values()
    expect(told).to_have_count(0)


def test_what_was_seen_is_played_on_in_a_deal_that_fits(table: Table) -> None:
    table.open(p=SEEN)
    page = table.page
    page.get_by_role("button", name="Play on in a possible deal").click()
    expect(page.locator(".eyes select")).to_have_value("1")
    assert table.hand(1) == ["Ks", "Th", "Tc"]
    assert table.hand(0) == ["x", "x", "x"]
    table.wait_for_values()
    table.play("Th")
    page.get_by_role("button", name="Let seat 0 play").click()
    expect(page.locator(".ply")).to_have_text("2/2")


def test_through_one_seats_eyes_nothing_hidden_is_on_the_page(table: Table) -> None:
    table.open(p=DEAL, m="As,(Js)", s=0)
    table.wait_for_values()
    html = table.page.content()
    assert table.hand(1) == ["x", "x", "x"]
    # The discard, the other hand and the talon but its turned trump.
    for card in ("Js", "Ks", "Th", "Ad", "Tc", "Kd", "Kh", "Qs"):
        assert f'data-card="{card}"' not in html
    assert 'data-card="Jh"' in html
    # With the other to act there is nothing to see but that it is to act.
    table.play("Td")
    expect(table.page.get_by_text("its cards are hidden")).to_be_visible()
    assert table.moves == []
    table.page.get_by_role("button", name="Let seat 1 play").click()
    expect(table.page.locator(".ply")).to_have_text("4/4")


def test_keys_play_moves_and_change_eyes(table: Table) -> None:
    table.open(p=ENDING)
    table.wait_for_values()
    first = table.moves[0]
    table.page.keyboard.press("1")
    expect(table.page.locator(".ply")).to_have_text("1/1")
    assert f"m={first}" in table.hash
    table.open(p=DEAL)
    table.wait_for_values()
    table.page.keyboard.press("e")
    expect(table.page.locator(".eyes select")).to_have_value("0")
    table.page.keyboard.press("?")
    expect(table.page.get_by_role("dialog")).to_be_visible()
    table.page.keyboard.press("Escape")
    expect(table.page.get_by_role("dialog")).to_be_hidden()


def test_everything_can_be_done_with_the_keyboard_alone(table: Table) -> None:
    table.open(p=DEAL)
    page = table.page
    table.wait_for_values()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".seat[data-seat='0'] .hand [data-card='As']")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[data-card='As']").first).to_have_attribute("aria-pressed", "true")
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Lead A")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".ply")).to_have_text("1/1")


def test_more_than_two_seats_have_a_table_too(table: Table) -> None:
    table.open(p=PAIRS)
    expect(table.page.locator(".seat")).to_have_count(4)
    assert table.hand(1) == ["As", "Td", "Qh", "Ks", "Js"]
    expect(table.page.locator("table.moves tr[data-move='AsKsJs']")).to_be_visible()


def test_a_faulty_line_names_every_fault_and_can_be_mended(table: Table) -> None:
    table.open()
    paste(table, "georgian3 h AsTd/Kh - 0/0 5 -")
    faults = table.page.locator(".faults")
    expect(faults).to_contain_text("turn")
    expect(faults).to_contain_text("hands")
    table.page.get_by_role("link", name="Edit").click()
    expect(table.page.get_by_role("heading", name="Set up a position")).to_be_visible()


def test_a_new_deal_is_whole_and_playable(table: Table) -> None:
    table.open()
    page = table.page
    page.get_by_label("Rules").fill("classic")
    page.get_by_label("Rules").press("Tab")
    page.get_by_role("button", name="Deal at random").click()
    expect(page.locator(".rules")).to_contain_text("classic")
    assert len(table.hand(0)) == 3
    assert re.search(r"p=classic\+[shdc]\+", table.hash)
    table.open()
    page.get_by_label("Rules").fill("clasic")
    page.get_by_label("Rules").press("Tab")
    page.get_by_role("button", name="Deal at random").click()
    expect(page.locator(".faults")).to_contain_text("clasic")


# ------------------------------------------------------------------------- setting up


def put(table: Table, place: str, *cards: str) -> None:
    table.page.locator(f"[data-place='{place}'] > button").click()
    for card in cards:
        table.page.locator(f".deck-grid [data-card='{card}']").click()


def test_a_position_is_set_up_by_clicks(table: Table) -> None:
    table.open("setup")
    page = table.page
    put(table, "hand1", "Ks", "Th", "Tc")
    put(table, "pile0", "As")
    put(table, "closed0", "Js")
    put(table, "pile1", "Td", "Ad")
    put(table, "talon0", "Jh")
    page.get_by_role("button", name="Hide the rest").click()
    page.get_by_label("To act").select_option("1")
    expect(page.get_by_text("The position is possible.")).to_be_visible()
    expect(page.locator("p > .line")).to_have_text(SEEN)
    page.get_by_role("link", name="To the table", exact=True).click()
    table.wait_for_values()
    expect(page.locator("[data-hint]")).to_have_attribute("data-hint", "Th")


def test_what_cannot_be_is_said_while_setting_up_and_has_an_address(table: Table) -> None:
    table.open("setup")
    page = table.page
    put(table, "hand0", "As", "Ad")
    put(table, "hand1", "Ks")
    put(table, "table0", "Qs")
    put(table, "tableClosed1", "Qd")
    expect(page.locator(".faults")).to_contain_text("table")
    expect(page.get_by_role("button", name="To the table", exact=True)).to_be_disabled()
    expect(page.locator("p > .line")).to_contain_text("1:(Qd)")
    page.wait_for_url(re.compile("t="))
    page.wait_for_timeout(1000)  # the address follows the last card
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("[data-place='hand0'] [data-card]")).to_have_count(2)
    expect(page.locator("[data-place='tableClosed1'] [data-card='Qd']")).to_be_visible()
    # A card that is clicked at its own place is taken away, from another place it moves.
    put(table, "hand1", "As")
    expect(page.locator("[data-place='hand1'] [data-card]")).to_have_count(2)
    put(table, "hand1", "As")
    expect(page.locator("[data-place='hand1'] [data-card]")).to_have_count(1)
    expect(page.locator("[data-place='hand0'] [data-card]")).to_have_count(1)


def test_other_rules_have_their_own_deck_and_seats(table: Table) -> None:
    table.open("setup")
    page = table.page
    expect(page.locator(".deck-grid [data-card]")).to_have_count(20)
    page.get_by_label("Rules").fill("classic[players=3]")
    page.get_by_label("Rules").press("Tab")
    expect(page.locator(".deck-grid [data-card]")).to_have_count(36)
    expect(page.locator("[data-place='hand2']")).to_be_visible()
    page.get_by_role("button", name="Deal at random").click()
    expect(page.get_by_text("The position is possible.")).to_be_visible()
    expect(page.locator("[data-place='hand2'] [data-card]")).to_have_count(3)


def test_options_of_a_line_are_kept_and_changed(table: Table) -> None:
    table.open("setup", p="georgian3 h QhAcKd/KsThTc - 13/21 1 - stake=2 raiser=0")
    field = table.page.get_by_label("Further options")
    expect(field).to_have_value("raiser=0 stake=2")
    field.fill("stake=3 raiser=1 score=3:5/7")
    field.press("Tab")
    expect(table.page.locator("p > .line")).to_contain_text("stake=3 raiser=1 score=3:5/7")
    expect(field).to_have_value("raiser=1 score=3:5/7 stake=3")
    field.fill("stake=99")
    field.press("Tab")
    expect(table.page.locator(".faults")).to_contain_text("stake")


# ------------------------------------------------------------------------- reviewing


def test_a_pasted_record_is_reviewed_with_costly_moves_marked(
    table: Table, client: bura.Client
) -> None:
    table.open()
    paste(table, RECORD)
    page = table.page
    expect(page.get_by_text("2 moves cost the hand or a draw.")).to_be_visible()
    review = client.review(RECORD)
    costly = [number for number, move in enumerate(review.moves) if move.cost]
    marked = [
        number
        for number, item in enumerate(page.locator(".review li").all())
        if item.get_attribute("data-cost")
    ]
    assert marked == costly
    expect(page.locator(".review li").nth(costly[0])).to_contain_text("better: 10♦")
    words = page.locator(".curve svg").get_attribute("aria-label") or ""
    assert words.endswith(
        "seat 0 wins, seat 1 wins, seat 1 wins, seat 1 wins, seat 1 wins,"
        " seat 0 wins, seat 0 wins, seat 0 wins"
    )
    expect(page.locator(".costly-dot")).to_have_count(2)
    page.keyboard.press("Home")
    expect(page.locator(".ply")).to_have_text("0/7")
    expect(page.locator(".seat[data-seat='0'] .hand [data-card='As']")).to_be_visible()
    assert table.hand(0) == ["As", "Qh", "Td"]
    page.get_by_role("button", name="Next costly move").click()
    expect(page.locator(".ply")).to_have_text("4/7")
    expect(page.locator("blockquote")).to_have_text("the ace of trumps would have cost more")
    # The state is in the address.
    page.reload()
    expect(page.locator(".ply")).to_have_text("4/7")
    page.get_by_role("link", name="Explore at the table").click()
    table.wait_for_values()
    expect(page.locator("table.moves tr[data-move='Ks']")).to_contain_text("wins")


def test_the_record_of_one_seat_shows_its_chances_and_nothing_else(table: Table) -> None:
    seen = RECORD.replace('"all"', '"1"').replace("AsQhTd/", "x3/").replace('"34/21"', '"34/x"')
    seen = re.sub(r"\[Undrawn.*\n", "", seen)
    seen = re.sub(r"0\+\w\w", "0+x1", seen)
    table.open()
    paste(table, seen)
    page = table.page
    expect(page.get_by_text("This is what seat 1 saw.")).to_be_visible()
    expect(page.locator(".review li").nth(1)).to_contain_text("%")
    expect(page.locator(".review li").nth(0)).not_to_contain_text("%")
    page.keyboard.press("Home")
    assert table.hand(0) == ["x", "x", "x"]


def test_a_faulty_record_names_its_faults(table: Table) -> None:
    table.open()
    paste(table, RECORD.replace("0:Td", "0:Kh").replace("0 claim", "0 clam"))
    expect(table.page.locator(".faults")).to_contain_text("did you mean claim?")
    paste_again = RECORD.replace("2. 0:Td", "2. 0:Kh")
    table.open()
    paste(table, paste_again)
    expect(table.page.locator(".faults")).to_contain_text("trick 2")


def test_a_record_is_read_from_a_file(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "hand.bura"
    file.write_text(RECORD)
    table.open("review")
    table.page.locator("input[type=file]").set_input_files(file)
    expect(table.page.locator("#record")).to_have_value(RECORD)
    table.page.get_by_role("button", name="Review").click()
    expect(table.page.get_by_text("2 moves cost the hand or a draw.")).to_be_visible()


# ------------------------------------------------------------------------- taking away


def wait_until(fulfilled: Callable[[], bool]) -> None:
    for _ in range(100):
        if fulfilled():
            return
        time.sleep(0.05)
    raise AssertionError("has not come about")


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_positions_are_copied_as_line_address_record_and_pictures(
    table: Table, client: bura.Client
) -> None:
    table.open(p=DEAL, m="As,(Js)")
    page = table.page
    page.get_by_text("Copy and save").click()
    status = page.locator(".share [role=status]")
    page.get_by_role("button", name="Copy line").click()
    expect(status).to_have_text("Copied.")
    line = clipboard(page)
    assert line.startswith("georgian3 h QhTdAc/KsThAd ")
    assert client.solve(line).position == line
    page.get_by_role("button", name="Copy address").click()
    wait_until(lambda: clipboard(page) == page.url)
    page.get_by_role("button", name="Copy record").click()
    wait_until(lambda: clipboard(page).startswith("["))
    assert client.check_record(clipboard(page)).valid
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SVG").click()
    svg = Path(download.value.path()).read_text("utf-8")
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert line in svg
    with page.expect_download() as download:
        page.get_by_role("button", name="Save PNG").click()
    png = Path(download.value.path()).read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    width = int.from_bytes(png[16:20], "big")
    assert width == 2 * int(root.attrib["width"])
    assert len(io.BytesIO(png).getvalue()) > 5000
    page.get_by_role("button", name="Copy picture").click()
    expect(status).to_have_text("Copied.")


def test_a_picture_through_one_seats_eyes_shows_no_hidden_card(table: Table) -> None:
    table.open(p=DEAL, m="As,(Js)", s=0)
    page = table.page
    page.get_by_text("Copy and save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SVG").click()
    description = re.search("<desc>(.*)</desc>", Path(download.value.path()).read_text("utf-8"))
    assert description is not None
    assert description[1].startswith("georgian3 h QhTdAc/x3 x11Jh Asx1/- 0 -")


# ------------------------------------------------------------- languages, sizes, colours


@pytest.mark.parametrize("language", ["en", "ru", "ka"])
def test_the_language_is_chosen_and_kept(table: Table, language: str) -> None:
    words = {"en": "Moves", "ru": "Ходы", "ka": "სვლები"}
    page = table.page
    page.goto(f"{table.address}/#/table")
    page.locator("#language").select_option(language)
    page.goto("about:blank")
    page.goto(f"{table.address}/#/table?p={ENDING.replace(' ', '+')}")
    expect(page.locator("#moves-head")).to_have_text(words[language])
    assert page.evaluate("document.documentElement.lang") == language


@pytest.mark.parametrize("language", ["en", "ru", "ka"])
def test_each_language_fits_a_phone_and_leaves_nothing_in_english(
    table: Table, language: str
) -> None:
    letters = {"en": ".", "ru": "[А-Яа-я]", "ka": "[ა-ჰ]"}[language]
    page = table.page
    page.set_viewport_size({"width": 360, "height": 740})
    table.open(language=language)
    for name, params in SCREENS.items():
        table.turn_to(**params)  # type: ignore[arg-type]
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        texts = page.evaluate(
            """() => [...document.querySelectorAll(
                'button, a, h1, h2, h3, label, th, summary, .quiet, .count')]
                .map((each) => each.textContent.trim())"""
        )
        # Faults are the service's words.
        english = [
            text
            for text in texts
            if re.search("[A-Za-z]{4,}", text) and not re.search(letters, text)
        ]
        assert set(english) <= {"English"}, name


def test_colours_follow_the_system_or_the_choice(table: Table) -> None:
    page = table.page
    table.open(p=ENDING)

    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    def brightness(colour: str) -> float:
        return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3

    page.emulate_media(color_scheme="light")
    light = background()
    page.emulate_media(color_scheme="dark")
    assert brightness(background()) < 60 < 200 < brightness(light)
    page.locator("#theme").select_option("light")
    expect(page.locator("body")).to_have_css("background-color", light)
    page.reload()
    expect(page.locator("body")).to_have_css("background-color", light)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_that_axe_can_find(table: Table, scheme: str) -> None:
    axe = (WEB / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
    table.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    table.open()
    table.page.evaluate(axe)
    for name, params in SCREENS.items():
        table.turn_to(**params)  # type: ignore[arg-type]
        if params["screen"] == "table" and name not in ("welcome", "faulty"):
            table.wait_for_values()
        if name == "reviewed":
            table.page.locator(".curve").wait_for()
        found = table.page.evaluate("axe.run().then((result) => result.violations)")
        broken = [
            (each["id"], node["html"][:120], node["failureSummary"][:300])
            for each in found
            for node in each["nodes"]
        ]
        assert broken == [], (name, scheme)


# ------------------------------------------------------------------------- puzzles


def test_a_puzzle_is_tried_refuted_and_solved(table: Table) -> None:
    file = json.loads((WEB.parent / "python/src/bura/puzzles.json").read_text("utf-8"))
    page = table.page
    table.open("puzzles")
    expect(page.locator(".puzzle-list li")).to_have_count(len(file["puzzles"]))
    for kind in ("clairvoyant", "seat"):
        puzzle = next(
            each
            for each in file["puzzles"]
            if each["kind"] == kind and re.fullmatch(r"(\w\w)+", each["solution"])
        )
        table.turn_to("puzzles", id=puzzle["id"])
        wrong = next(
            each for each in puzzle["wrong"] if re.fullmatch(r"\(?(\w\w)+\)?", each["move"])
        )
        for move, verdict in ((wrong["move"], "does not do it"), (puzzle["solution"], "Right!")):
            bare = move.strip("()")
            table.choose(puzzle["seat"], *re.findall("..", bare))
            name = "Discard" if move != bare else re.compile("Lead|Beat|Play")
            page.locator(".actions").get_by_role("button", name=name).first.click()
            expect(page.locator(".side-column [role=status]")).to_contain_text(verdict)
    expect(page.locator(".rules")).to_contain_text(file["themes"][puzzle["themes"][0]]["en"])
    page.reload()
    expect(page.locator(".rules .tag")).to_contain_text("solved")
    # What an unsolved one is about is not told, for it would tell the move.
    other = next(each for each in file["puzzles"] if each["themes"] == ["spend_trump"])
    table.turn_to("puzzles", id=other["id"])
    expect(page.locator(".rules")).to_contain_text(other["title"]["en"])
    expect(page.locator(".rules")).not_to_contain_text("Spend the trump")
    page.get_by_role("button", name="Show the solution").click()
    expect(page.locator(".rules")).to_contain_text("Spend the trump")
    expect(page.locator(".side-column")).to_contain_text("Best play from there:")


# ------------------------------------------------------------------------- trouble


def test_a_service_that_does_not_answer_is_said_and_asked_again(table: Table) -> None:
    page = table.page
    page.route("**/bura.v1.*/**", lambda route: route.abort())
    table.open(p=ENDING)
    expect(page.get_by_text("The service does not answer.")).to_be_visible()
    page.unroute("**/bura.v1.*/**")
    page.get_by_role("button", name="Try again").click()
    table.wait_for_values()
    assert table.hand(0) == ["Qh", "Ac", "Kd"]


@pytest.mark.parametrize(
    "address",
    [
        "#/nowhere",
        "#/table?p=%00%ff",
        "#/table?p=x&m=,,,&n=99999&s=7",
        "#/review?r=!!!",
        "#/setup?t=@",
    ],
)
def test_a_damaged_address_breaks_nothing(table: Table, address: str) -> None:
    table.page.goto("about:blank")
    table.page.goto(f"{table.address}/?lang=en{address}")
    expect(table.page.locator("main :is(h2, form, .faults)").first).to_be_visible()


def test_the_page_asks_nobody_but_its_service(table: Table) -> None:
    asked: list[str] = []
    table.page.on("request", lambda request: asked.append(request.url))
    table.open(p=DEAL, m="As")
    table.wait_for_values()
    assert asked
    assert [url for url in asked if not url.startswith((table.address, "about:"))] == []
