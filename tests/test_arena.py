"""`bura arena`: players against each other over paired deals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bura_core import Position, parse_move
from bura_service.arena import Contest, main, play_hand, read_lines, standing
from bura_service.arena_players import PLAYERS


@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_every_player_plays_hands_to_their_end(name: str) -> None:
    for rules in ("georgian3", "classic", "burkozel"):
        contest = Contest(rules, (name, "greedy"), 0.001, 3)
        for swapped in (False, True):
            hand = play_hand(contest, 1, swapped)
            position = Position.from_text(hand.start)
            for move in hand.moves:
                position.play(parse_move(move))
            assert position.result is not None
            assert position.result.reason == hand.reason
            winner = position.result.winner
            assert hand.winner == (None if winner is None else winner ^ swapped)
            assert hand.stake == position.result.stake


def test_a_deal_is_the_same_from_both_sides() -> None:
    contest = Contest("georgian3", ("greedy", "greedy"), 0.001, 8)
    first, second = (play_hand(contest, 5, swapped) for swapped in (False, True))
    assert first.start == second.start
    # Equal players: the pair is even.
    assert first.moves == second.moves
    assert first.score == -second.score


def test_lines_are_kept_and_a_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "hands.jsonl"
    command = ["greedy", "random", "--seed", "4", "--out", str(out)]
    assert main([*command, "--deals", "3"]) == 0
    lines = out.read_text().splitlines()
    assert len(lines) == 6
    assert capsys.readouterr().out.splitlines() == lines
    assert all(json.loads(line)["rules"] == "georgian3" for line in lines)
    # Killed in the middle of a line.
    out.write_text("\n".join(lines[:4]) + "\n" + lines[4][:40])
    assert main([*command, "--deals", "5", "--quiet"]) == 0
    again = out.read_text().splitlines()
    strip = [{**json.loads(line), "ms": 0} for line in again]
    assert len(again) == 10
    assert strip[:4] == [{**json.loads(line), "ms": 0} for line in lines[:4]]
    assert [json.loads(line)["deal"] for line in again] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    told = capsys.readouterr().out
    assert "greedy against random, georgian3, 10 hands of 5 deals" in told
    contest = Contest("georgian3", ("greedy", "random"), 0.005, 4)
    result = standing(read_lines(out, contest))
    assert result.pairs == 5
    assert result.interval[0] <= result.mean <= result.interval[1]
    # Another contest does not go into the same file.
    assert main(["greedy", "greedy", "--out", str(out)]) == 2
    assert "is of another contest" in capsys.readouterr().err


def test_bad_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", "nobody"]) == 2
    assert main(["greedy", "random", "--rules", "georgian9"]) == 2
    assert main(["greedy", "random", "--rules", "bura1[players=3]"]) == 2
    assert main(["greedy", "random", "--ms", "0"]) == 2
    assert capsys.readouterr().err


def test_greedy_beats_random() -> None:
    contest = Contest("georgian3[raises=none]", ("greedy", "random"), 0.001, 2)
    hands = [play_hand(contest, number, swapped) for number in range(40) for swapped in (0, 1)]
    assert standing(hands).won > 0.55


def test_endings_are_played_as_often_as_equilibrium_says() -> None:
    from collections import Counter

    from bura_core import Move, RuleSet, View
    from bura_core.equilibrium import solve_ending
    from bura_service.arena_players import make_player
    from bura_service.play_machine import Stakes

    view = View.from_text(
        "georgian3[raises=none] h x2/JsKs - AsTsThKhQhAhQdAc/QsJhTdKdJdQcx2 1 - claim=1"
    )
    likely = {each.move: each.probability for each in solve_ending(view).moves}
    stakes = Stakes(RuleSet.parse("georgian3[raises=none]"), False, 0, 0, 1, False)
    options = [Move("claim"), *(move for move in likely if move.kind == "play")]
    player = make_player("sampling+endings", 3, 0.001)
    drawn = Counter(player.choose(view, options, stakes) for _ in range(120))
    for move, probability in likely.items():
        assert abs(drawn[move] / 120 - probability) < 0.15
    # What is left out is not drawn.
    options = options[:2]
    assert {player.choose(view, options, stakes) for _ in range(5)} <= set(options)
