"""The puzzles that come with the client, verified by the reference; making and posing them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import bura
import reference as ref
from bura import puzzles
from bura.cli import app
from bura.puzzles import Puzzle, load
from bura_core import (
    PRESETS,
    InputError,
    Position,
    RuleSet,
    Solver,
    View,
    parse_move,
    worlds,
)
from bura_core.notation import parse_position
from bura_service import puzzles as making
from hidden import for_reference

SET = load()
CLAIRVOYANT = [each for each in SET.puzzles if each.kind == "clairvoyant"]
SEAT = [each for each in SET.puzzles if each.kind == "seat"]


def outcome(state: ref.State, seat: int) -> int:
    """A position's value for a seat."""
    value = ref.value(state)
    turn = state.turn
    return value if turn == seat else -value


def played(state: ref.State, moves: tuple[str, ...]) -> ref.State:
    for move in moves:
        options = ref.moves(state) + [call for _, call in ref.calls(state)]
        [found] = [each for each in options if same(each, move)]
        state = ref.apply(state, found)
    return state


def same(one: str, other: str) -> bool:
    """Whether two spellings are the same move: cards may come in any order."""
    if one[:1] != other[:1] and "(" in (one[:1], other[:1]):
        return False
    if one.startswith("stop:") != other.startswith("stop:"):
        return False
    one, other = one.removeprefix("stop:").strip("()"), other.removeprefix("stop:").strip("()")
    if one in ("claim", "pass") or other in ("claim", "pass"):
        return one == other
    return ref.cards_mask(one) == ref.cards_mask(other)


# --- the set -----------------------------------------------------------------------------------


def test_there_are_four_hundred_of_both_kinds_all_themes_and_every_difficulty() -> None:
    assert len(SET.puzzles) >= 400
    assert len(SEAT) >= 150
    assert len({each.position for each in SET.puzzles}) == len(SET.puzzles)
    assert len({each.id for each in SET.puzzles}) == len(SET.puzzles)
    assert set(SET.themes) == set(making.THEMES)
    for said in (*SET.themes.values(), *(each.title for each in SET.puzzles)):
        assert set(said) == {"en", "ru", "ka"}
        assert all(said.values())
    themes = Counter(theme for each in SET.puzzles for theme in each.themes)
    for theme in making.THEMES:
        assert themes[theme] >= 12, theme
    stars = Counter(each.stars for each in SET.puzzles)
    assert min(stars[number] for number in range(1, 6)) >= 30


def test_the_page_poses_the_same_puzzles(repository: Path) -> None:
    own = repository / "clients/python/src/bura/puzzles.json"
    page = repository / "service/src/bura_service/web/puzzles.json"
    assert page.read_bytes() == own.read_bytes()


def test_what_the_page_on_puzzles_counts_is_so(repository: Path) -> None:
    text = (repository / "docs/puzzles.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    counts = {
        theme: tuple(sum(theme in each.themes for each in some) for some in (CLAIRVOYANT, SEAT))
        for theme in making.THEMES
    }
    assert {theme: (int(one), int(other)) for theme, one, other in told} == counts
    assert f"{len(SET.puzzles)} come with the client" in text
    assert len({each.rules for each in SET.puzzles}) >= 8


@pytest.mark.parametrize("puzzle", SET.puzzles, ids=lambda each: each.id)
def test_a_puzzle_is_whole(puzzle: Puzzle) -> None:
    text = parse_position(puzzle.position)
    assert str(text) == puzzle.position
    assert (text.turn, str(text.rules)) == (puzzle.seat, puzzle.rules)
    assert text.has_unknown == (puzzle.kind == "seat")
    assert puzzle.solution == puzzle.line[0]
    assert puzzle.depth == len(puzzle.line)
    assert puzzle.solution not in {each.move for each in puzzle.wrong}
    assert set(puzzle.traps) <= {each.move for each in puzzle.wrong}
    for wrong in puzzle.wrong:
        assert (wrong.world is None) == (puzzle.kind == "clairvoyant")
        # The refutation is legal to its end, and ends as it says.
        position = Position.from_text(wrong.world or puzzle.position)
        for move in (wrong.move, *wrong.line):
            position.play(move)
        assert position.result is not None
        winner = position.result.winner
        assert (0 if winner is None else 1 if winner == puzzle.seat else -1) == wrong.value < 1
    if puzzle.kind == "clairvoyant":
        position = Position.from_text(puzzle.position)
        assert sorted(map(str, position.legal_moves())) == sorted(puzzle.moves)
        for move in puzzle.line:
            position.play(move)
        assert position.result is not None
        assert position.result.winner == puzzle.seat


@pytest.mark.parametrize("puzzle", CLAIRVOYANT, ids=lambda each: each.id)
def test_the_reference_finds_one_winning_move_and_refutes_the_others(puzzle: Puzzle) -> None:
    state = ref.load(puzzle.position)
    values = ref.move_values(state)
    assert len(values) == len(puzzle.moves)
    for wrong in puzzle.wrong:
        [value] = [value for move, value in values.items() if same(move, wrong.move)]
        assert value == wrong.value
        over = ref.result(played(state, (wrong.move, *wrong.line)))
        assert over is not None
        assert (0 if over[0] is None else 1 if over[0] == puzzle.seat else -1) == value
    assert [move for move, value in values.items() if value == 1 and same(move, puzzle.solution)]
    assert Counter(values.values())[1] == 1
    assert not ref.calls(state)
    over = ref.result(played(state, puzzle.line))
    assert over is not None
    assert over[0] == puzzle.seat


# --- from one seat: the reference's own search over sets of deals --------------------------------


def sure(deals: list[ref.State], seat: int, move: str) -> bool:
    """Whether a seat that makes this move in all the deals can win in all, seeing what it sees.

    Deals stay together while nothing that the seat sees tells them apart; the other seat may do
    in each whatever it likes.
    """
    return all_win([("", ref.apply(deal, move)) for deal in deals], seat)


def seen(deal: ref.State, seat: int) -> str:
    """What a seat sees of a position, beside what was seen before."""
    last = deal.talon[-1:] if deal.trump >= 0 else ()
    return f"{deal.hands[seat]} {deal.turn} {deal.lead} {deal.claim} {len(deal.talon)} {last}"


def all_win(after: list[tuple[str, ref.State]], seat: int) -> bool:
    alike: dict[str, list[ref.State]] = {}
    for told, deal in after:
        over = ref.result(deal)
        if over is not None:
            if over[0] != seat:
                return False
            continue
        alike.setdefault(f"{told} {seen(deal, seat)}", []).append(deal)
    return all(wins(list(dict.fromkeys(group)), seat) for group in alike.values())


def wins(deals: list[ref.State], seat: int) -> bool:
    if deals[0].turn != seat:
        after = []
        for deal in deals:
            for move in ref.moves(deal):
                told = f"({ref.cards_mask(move.strip('()')).bit_count()})" if "(" in move else move
                after.append((told, ref.apply(deal, move)))
            after += [
                (call, ref.apply(deal, call)) for who, call in ref.calls(deal) if who != seat
            ]
        return all_win(after, seat)
    for deal in deals:
        for who, call in ref.calls(deal):
            if who != seat and not all_win([(call, ref.apply(deal, call))], seat):
                return False
    common = [
        move for move in ref.moves(deals[0]) if all(move in ref.moves(deal) for deal in deals[1:])
    ]
    return any(sure(deals, seat, move) for move in common)


@pytest.mark.parametrize("puzzle", SEAT, ids=lambda each: each.id)
def test_the_reference_wins_for_certain_with_the_solution_alone(puzzle: Puzzle) -> None:
    deals = [ref.load(line) for line in ref.worlds(for_reference(puzzle.position))]
    assert len(deals) == puzzle.worlds
    moves = ref.moves(deals[0])
    [solution] = [move for move in moves if same(move, puzzle.solution)]
    assert sure(deals, puzzle.seat, solution)
    assert len(moves) == len(puzzle.moves)
    for wrong in puzzle.wrong:
        assert wrong.world is not None
        world = ref.load(wrong.world)
        assert world in deals
        [move] = [each for each in moves if same(each, wrong.move)]
        assert -outcome(ref.apply(world, move), 1 - puzzle.seat) == wrong.value


# --- making ------------------------------------------------------------------------------------


def made(*arguments: str, tmp_path: Path) -> puzzles.PuzzleSet:
    path = tmp_path / "made.json"
    assert app.run(["puzzle", "make", *arguments, "--out", str(path)]) == 0
    return load(path)


def test_equal_seeds_make_equal_puzzles(tmp_path: Path) -> None:
    arguments = ("--clairvoyant", "2", "--rules", "georgian3", "--rules", "georgian5[hand=4]")
    first = made(*arguments, "--seed", "7", tmp_path=tmp_path)
    assert len(first.puzzles) == 2
    assert made(*arguments, "--seed", "7", tmp_path=tmp_path) == first
    assert made(*arguments, "--seed", "8", tmp_path=tmp_path).puzzles != first.puzzles


def test_puzzles_of_a_theme_are_added_to_an_older_file_that_keeps_its_names(
    tmp_path: Path,
) -> None:
    few = ("--clairvoyant", "2", "--rules", "georgian3[target=51]")
    made(*few, tmp_path=tmp_path)
    older = (tmp_path / "made.json").rename(tmp_path / "older.json")
    more = made(*few, "--with", str(older), "--theme", "give_ten", tmp_path=tmp_path)
    assert [each.id for each in more.puzzles] == ["c001", "c002", "c003", "c004"]
    assert more.puzzles[:2] == load(older).puzzles
    assert all("give_ten" in each.themes for each in more.puzzles[2:])
    assert len({each.position for each in more.puzzles}) == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--theme", "chess"], "invalid choice"),
        (["--with", "/nonexistent.json"], "--with"),
        (["--with", "pyproject.toml"], "--with"),
        (["--clairvoyant", "-1"], "no whole number"),
        (["--rules", "nosuch"], "nosuch"),
        (["--rules", "georgian5_pairs"], "cannot be solved yet"),
        (["--out", "/nonexistent/x.json", "--clairvoyant", "0"], "cannot write"),
        (["--what"], "unrecognized"),
    ],
)
def test_what_cannot_be_made_is_refused(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.run(["puzzle", "make", *arguments]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("georgian3[target=51] c x2/QsKdTc - ThJhTdQdKcJc(TsJsQhJd)/AhAdAcx1 1 0:Kh", "Tc"),
        (
            "georgian3[target=51] s KsThQh/x3 - AsJdAcTcx2/JsJhKdQdKc(TsAdJc) 0 - claim=0",
            "Ks",
        ),
    ],
)
def test_a_move_that_wins_every_deal_for_who_knows_it_need_not_win_for_certain(
    line: str, move: str
) -> None:
    view = View.from_text(line)
    deals = list(worlds(view))
    for deal in deals:
        values = {str(each.move): each.value for each in Solver().solve(deal).moves}
        assert values[move] == 1
    assert not making.BestDefence(view.seat).wins_with(deals, parse_move(move))
    states = [ref.load(text) for text in ref.worlds(for_reference(line))]
    assert len(states) == len(deals)
    assert not sure(states, view.seat, move)


# --- posing ------------------------------------------------------------------------------------


def pose(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    *arguments: str,
) -> str:
    monkeypatch.setattr("sys.stdin", Typed(typed))
    assert app.run(["puzzle", "try", *arguments]) == 0
    return capsys.readouterr().out


class Typed:
    """Standard input with these lines."""

    def __init__(self, text: str) -> None:
        self._lines: Iterator[str] = iter(text.splitlines(keepends=True))

    def readline(self) -> str:
        return next(self._lines, "")

    def isatty(self) -> bool:
        return False


def test_a_wrong_move_is_refuted_and_the_right_one_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    puzzle = next(each for each in CLAIRVOYANT if each.traps and each.solution.startswith("("))
    typed = f"moves\nhint\nnonsense\n{puzzle.traps[0]}\n{puzzle.solution.lower()}\n"
    out = pose(monkeypatch, capsys, typed, puzzle.id)
    assert puzzle.title["en"] in out
    assert "nonsense: no legal move here" in out
    assert "loses after" in out or "does not win after" in out
    assert "Right." in out
    assert SET.themes[puzzle.themes[0]]["en"] in out
    assert "0 of 1 solved at the first try, 1 later." in out
    assert max(map(len, out.splitlines())) <= 80


def test_puzzles_are_posed_in_russian_and_chosen_by_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--lang", "ru", "--seed", "3", "--count", "2", "--kind", "seat")
    out = pose(monkeypatch, capsys, "решение\nвыход\n", *arguments)
    assert "подходит раскладов" in out
    assert "Лучшая игра" in out
    assert "Решено с первого раза: 0 из 2" in out
    assert pose(monkeypatch, capsys, "решение\nвыход\n", *arguments) == out
    assert pose(monkeypatch, capsys, "", *arguments).count("Ваш ход") == 1


def test_moves_may_be_typed_as_players_write_them() -> None:
    from bura.cli.puzzle import legal

    puzzle = next(each for each in CLAIRVOYANT if "(" in each.solution and len(each.solution) > 4)
    cards = puzzle.solution.strip("()")
    turned = cards[2:] + cards[:2]
    assert legal(puzzle, puzzle.solution) == puzzle.solution
    assert legal(puzzle, f"({turned.lower()})") == puzzle.solution
    if not any(move == cards for move in puzzle.moves):
        assert legal(puzzle, turned.replace("T", "10")) == puzzle.solution
    for odd in ("", "(", "AsAs7h8h9h", "claim!", "x2", "Qz"):
        assert legal(puzzle, odd) is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["try", "c9999"], "no such puzzle"),
        (["try", "--theme", "chess"], "no such theme"),
        (["try", "--rules", "nosuch"], "no puzzle is like that"),
        (["list", "--file", "/nonexistent.json"], "--file"),
        (["list", "--stars", "6"], "--stars"),
    ],
)
def test_what_cannot_be_posed_is_refused(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.run(["puzzle", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_the_list_is_a_table_or_the_puzzles_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["puzzle", "list", "--theme", "give_ten"]) == 0
    shown = capsys.readouterr().out
    assert app.run(["puzzle", "list", "--theme", "give_ten", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told
    assert all("give_ten" in each["themes"] and each["id"] in shown for each in told)
    assert f"{len(told)} puzzles." in shown


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', '{"format": 1}', "{" * 50])
def test_a_file_that_holds_no_puzzles_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(bura.InputError) as error:
        load(path)
    assert "file" in str(error.value)


def test_every_rule_set_that_puzzles_are_made_of_is_right() -> None:
    for name in (*making.RULES, *making.SEAT_RULES):
        RuleSet.parse(name)
    with pytest.raises(InputError):
        RuleSet.parse("nosuch")
    assert {name.partition("[")[0] for name in making.RULES} <= set(PRESETS)
