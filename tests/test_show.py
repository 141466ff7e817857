"""`bura show`: a position as text, SVG and PNG."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from bura.cli import app as commands
from bura_service import embedded

DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with embedded.start() as server:
        yield server.target


def show(server: str, *arguments: str) -> int:
    return commands.run(["show", "--server", server, *arguments])


def test_a_position_is_shown_as_text(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(server, SEEN) == 0
    out = capsys.readouterr().out
    assert "you are seat 1, to lead" in out
    assert "21 points" in out
    assert "Seat 1 may play: K♠, 10♥, 10♣, raise" in out
    assert max(map(len, out.splitlines())) <= 80


def test_moves_are_played_first_and_one_seat_sees_its_part(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show(server, "--moves", "As, (Js)", "--seat", "0", DEAL) == 0
    out = capsys.readouterr().out
    assert re.search(r"hand of seat 1\s+3 cards", out)
    assert "11 to 22 points" in out or re.search(r"\d+ to \d+ points", out)
    assert show(server, "--moves", "As,(Js),Td,Ad,Tc,Ac,claim", DEAL) == 0
    assert "The hand is over. Seat 0 wins: claim." in capsys.readouterr().out


def test_pictures_are_written(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    svg, png = tmp_path / "hand.svg", tmp_path / "hand.png"
    assert show(server, "--svg", str(svg), "--png", str(png), "--lang", "ka", "--dark", DEAL) == 0
    assert capsys.readouterr().out == ""
    root = ElementTree.fromstring(svg.read_text("utf-8"))
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(data[16:20], "big") == 2 * int(root.attrib["width"])
    assert int.from_bytes(data[20:24], "big") == 2 * int(root.attrib["height"])
    assert show(server, "--svg", "-", SEEN) == 0


def test_json_is_the_message_of_the_service(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show(server, "--json", SEEN) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["position"] == SEEN
    assert told["table"]["hands"][1]["cards"] == ["Ks", "Th", "Tc"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "there is no such preset"),
        (["--moves", "Kh", DEAL], "moves[0]"),
        (["--seat", "5", DEAL], "seat"),
        (["--svg", "/nowhere/at/all.svg", DEAL], "No such file or directory"),
    ],
)
def test_what_cannot_be_shown_is_said(
    server: str, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert show(server, *arguments) == 2
    done = capsys.readouterr()
    assert said in done.err
    assert done.out == ""


def test_without_the_library_for_png_it_says_what_to_install(
    server: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert show(server, "--png", str(tmp_path / "x.png"), DEAL) == 1
    assert "pip install 'bura-client[png]'" in capsys.readouterr().err
