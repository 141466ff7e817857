"""`bura play`: scripted sessions, nothing hidden in what is printed, and the machine's honesty."""

from __future__ import annotations

import io
import os
import pty
import random
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import hidden
from bura_core import (
    PRESETS,
    InputError,
    Move,
    Position,
    RuleSet,
    UnsupportedError,
    View,
    format_cards,
    parse_cards,
    parse_move,
)
from bura_core.match import MatchState, replay_match
from bura_core.record import read_records
from bura_service import play
from bura_service.languages import LANGUAGES
from bura_service.play import MACHINE, YOU, Game, Hand, Screen, deal
from bura_service.play_machine import Machine, Stakes
from bura_service.play_words import COMMANDS, WORDS

ANSI = re.compile(r"\x1b\[[0-9;]*m")
SHOWN = re.compile(r"(?<![0-9A-Za-zА-я])(10|[6-9JQKATВДТК])([♠♥♦♣])")
QUICK: dict[str, Any] = {"max_worlds": 3, "max_nodes": 3000}


def playable() -> list[str]:
    """The presets of two players that this build plays."""
    names = []
    for name, rules in PRESETS.items():
        try:
            play._check_playable(rules)
        except UnsupportedError:
            continue
        names.append(name)
    return names


class Output(io.StringIO):
    """Standard output that looks at every line when it is written."""

    encoding = "utf-8"

    def __init__(self, look: Callable[[str], None] = lambda text: None) -> None:
        super().__init__()
        self._look = look

    def write(self, text: str) -> int:
        self._look(text)
        return super().write(text)


class Session:
    """A game whose person is a function from (hand, options) to a line of input.

    Every line is looked at when it is written: a card in it has to be one that the person
    has seen by then, or the hand has to be over.
    """

    def __init__(
        self,
        rules: str,
        person: Callable[[Game, list[Move]], str | None],
        seed: int = 1,
        *,
        language: str = "en",
        ante: int = 100,
        **settings: Any,
    ) -> None:
        self.out = Output(self._look)
        self.own = 0
        self.shown = 0
        self._options: list[Move] = []
        rng = random.Random(seed)
        rule_set = RuleSet.parse(rules)
        start = MatchState.start(rule_set, dealer=rng.randrange(2), ante=ante)
        screen = Screen(self.out, language, False)
        show_moves = Game._show_moves

        def listed(game: Game, options: list[Move]) -> None:
            self._options = options
            show_moves(game, options)

        self.game = Game(
            start,
            Machine(**QUICK, seed=seed),
            screen,
            lambda: self._typed(person(self.game, self._options)),
            seed=rng.getrandbits(60),
            **settings,
        )
        self.game._show_moves = listed.__get__(self.game)  # type: ignore[method-assign]

    def _typed(self, line: str | None) -> str | None:
        """What a person types he may be told back."""
        with suppress(InputError):
            self.own |= parse_move(play._plain(line or "")).cards
        return line

    def _look(self, text: str) -> None:
        hand = getattr(self.game, "hand", None)
        if hand is None or hand.position.result is not None:
            self.own = 0
            return
        self.own |= hand.position.hands[YOU]
        view = hand.view(YOU)
        seen = ~view.unseen | self.own
        if view.trump is not None and hand.start.talon:
            turn_up = hand.start.talon[-1]
            assert turn_up is not None
            seen |= 1 << turn_up
        for rank, suit in SHOWN.findall(text.replace("\x1f", " ")):
            name = {"10": "T", "В": "J", "Д": "Q", "К": "K", "Т": "A"}.get(rank, rank)
            [card] = parse_cards(name + "shdc"["♠♥♦♣".index(suit)])
            self.shown += 1
            assert seen >> card & 1, f"{name}{suit} was not seen: {text!r}"

    def run(self) -> str:
        self.game.run()
        text = self.out.getvalue()
        for line in text.splitlines():
            # Prompts stay open: what follows them begins a new line on a terminal.
            assert max(map(len, line.split("> "))) <= play.WIDTH, line
        return text


def first(game: Game, options: list[Move]) -> str:
    return "1"


def some(seed: int) -> Callable[[Game, list[Move]], str]:
    """A person who does anything that he may, asks for hints, and mistypes."""
    rng = random.Random(seed)

    def person(game: Game, options: list[Move]) -> str:
        if rng.random() < 0.1:
            return rng.choice(["hint", "table", "moves", "undo", "As", "0", "x", "(6s)", "accept"])
        # Claims end hands early: most are let pass.
        plays = [i for i, move in enumerate(options, 1) if move.kind != "claim"]
        return str(rng.choice(plays or [1]) if rng.random() < 0.9 else len(options))

    return person


def lines_of(*lines: str) -> Callable[[Game, list[Move]], str | None]:
    """A person who types these lines and then ends the input."""
    rest = iter(lines)
    return lambda game, options: next(rest, None)


# --- whole sessions ----------------------------------------------------------------------------

SWITCHED = ["georgian3[match_to=1]", "georgian3[deck=36]", "classic[discards=shown]",
            "georgian5[hand=4]", "classic[claim_window=before_draw,refill_from=leader,"
            "aces_against_bura=played_out]", "georgian3[claim_window=own_turn]",
            "no_trump[raises=ladder]", "classic[open_hands=all]", "classic[open_hands=1]",
            "moskva[bura=on_lead]", "three_vs_four[extra_card=0,open_hands=0]",
            "classic[stop_window=after_lead_returned]", "classic[stop_window=after_lead_stays]",
            "classic[closed_challenge=yes]", "burkozel[stop_window=after_lead_stays,raises=dave]",
            "classic[extra_card=0,closed_challenge=yes,raises=ladder]"]  # fmt: skip


@pytest.mark.parametrize("rules", [*playable(), *SWITCHED])
@pytest.mark.parametrize("language", LANGUAGES)
def test_always_the_first_move_plays_to_the_end(rules: str, language: str) -> None:
    session = Session(rules, first, language=language, hands=2, count=True)
    text = session.run()
    match = session.game.match
    assert match.hand_number > 2 or match.finished
    assert session.shown > 10
    words = WORDS[language]
    assert words["hand"].format(number=1) in text
    assert words["reveal"] in text


@pytest.mark.parametrize("rules", [*playable(), *SWITCHED[-6:]])
def test_anything_a_person_may_do_tells_nothing_hidden(rules: str) -> None:
    for seed in range(2):
        session = Session(rules, some(seed), seed, hands=3, count=True)
        session.run()
        assert session.game.match.hand_number > 3 or session.game.match.finished


def test_every_preset_of_two_players_is_playable() -> None:
    assert playable() == [name for name, rules in PRESETS.items() if rules.players == 2]


@pytest.mark.parametrize("rules", playable())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_of_two_players_is_played_to_the_end_of_its_match(
    rules: str, language: str, tmp_path: Path
) -> None:
    """A person who does anything he may; what he is shown is watched, and each hand recorded."""
    pot = PRESETS[rules].scoring == "pot"
    with (tmp_path / "match.txt").open("w", encoding="utf-8") as record:
        session = Session(
            rules, some(9), 9, language=language, hands=5 if pot else None, record=record
        )
        session.game.machine = Machine(max_worlds=1, max_nodes=300)
        text = session.run()
    match = session.game.match
    assert match.finished
    words = WORDS[language]
    if not pot:
        assert words["match_you" if match.winner == YOU else "match_machine"] in text
    with (tmp_path / "match.txt").open(encoding="utf-8") as read:
        played = list(replay_match(read_records(read)))
    final = played[-1][1].stop() if pot else played[-1][1]
    assert (final.score, final.money) == (match.score, match.money)


def test_a_card_that_was_not_seen_is_noticed() -> None:
    """The watch itself: a session that shows the machine's hand fails."""

    def peeks(game: Game, options: list[Move]) -> str:
        game.screen.line(game.screen.cards(game.hand.position.hands[MACHINE]))
        return "quit"

    for rules in ("georgian3", "georgian5"):
        with pytest.raises(AssertionError, match="was not seen"):
            Session(rules, peeks).run()


def test_a_match_is_played_to_its_end() -> None:
    session = Session("georgian3[match_to=3]", first, 5)
    text = session.run()
    match = session.game.match
    assert match.finished
    assert max(match.score) >= 3
    assert ("You win the match." in text) == (match.winner == YOU)
    assert "this hand is played without raises" in text


def test_a_pot_game_says_how_the_money_stands() -> None:
    session = Session("classic", first, 3, hands=3, ante=250)
    text = session.run()
    assert "Pot: 5.00. You stand at -2.50, the machine at -2.50 (antes included)." in text
    match = session.game.match
    assert sum(match.money) == 0
    assert match.pot == 0
    assert re.search(r"In the end: you -?\d+\.\d\d, the machine -?\d+\.\d\d\.", text)


def test_the_same_seed_is_the_same_game() -> None:
    runs = [Session("classic_shown", some(4), 4, hands=2).run() for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0] != Session("classic_shown", some(4), 5, hands=2).run()


def test_records_of_hands_replay(tmp_path: Path) -> None:
    for rules in ("georgian3", "classic_shown", "dave"):
        file = tmp_path / f"{rules}.txt"
        with file.open("w", encoding="utf-8") as record:
            session = Session(rules, some(7), 7, hands=3, record=record)
            session.run()
        with file.open(encoding="utf-8") as read:
            records = list(read_records(read))
        assert len(records) == 3
        for hand in records:
            assert not isinstance(hand, Exception), hand
            assert hand.rules == RuleSet.parse(rules)
            assert hand.players == ("you", "machine")
            assert hand.lead == 1 - (hand.dealer or 0)
            replayed = hand.replay().result
            assert replayed is not None
            assert (replayed.winner, replayed.reason) == (hand.winner, hand.reason)


# --- what a person types -----------------------------------------------------------------------


class Given(Session):
    """A session that begins with a given deal."""

    def __init__(self, line: str, *lines: str, **settings: Any) -> None:
        self._text = Position.from_text(line).text()
        super().__init__(str(self._text.rules), lines_of(*lines), hands=1, **settings)
        self._patch = pytest.MonkeyPatch()

    def run(self) -> str:
        leader = self._text.turn
        object.__setattr__(self.game.match, "dealer", 1 - leader)
        with self._patch.context() as patch:
            patch.setattr(play, "deal", lambda rules, leader, rng: self._text)
            return super().run()


TALON = "AcThTcKdKhQsQdQcJdJcKcTsAhJh"
DEAL = f"georgian3 h AsTdQh/KsJsAd {TALON} -/- 0 -"
ANSWERING = f"georgian3 h KsJsAd/AsTdQh {TALON} -/- 1 -"


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("Ks", "You do not hold K♠."),
        ("AsTd", "These cards cannot be led together: A♠ 10♦."),
        ("(As)", "Nothing is laid face down here: write A♠ without brackets."),
        ("9", "There is no move number 9: use 1 to 4."),
        ("claim", "Not possible now: claim. Possible: A♠, Q♥, 10♦, raise."),
        ("fold", "Not possible now: fold. Possible: A♠, Q♥, 10♦, raise."),
        ("stop:AsTdQh", "Not possible now: stop:A♠ Q♥ 10♦. Possible: A♠, Q♥, 10♦, raise."),
        ("spade ace", "Not understood: spade ace."),
        ("Тs", "Not understood: Тs."),  # a Cyrillic letter and a Latin one
        ("As\x1b[2J", "Not understood: As?[2J."),
        ("undo", "There is nothing to take back"),
    ],
)
def test_typing_errors_say_what_is_wrong(typed: str, answers: str) -> None:
    text = Given(DEAL, typed).run()
    assert answers in text.replace("\n", " ")
    assert "\x1b" not in text
    assert "The input has ended" in text


@pytest.mark.parametrize("typed", ["As", "as", "A♠", "Тп", "тп", " As ", "1"])
def test_spellings_of_a_move(typed: str) -> None:
    session = Given(DEAL, typed)
    session.run()
    assert str(session.game.hand.moves[0]) == "As"


def test_russian_session() -> None:
    text = Given(DEAL, "помощь", "Кп", "вар", "ходы", "стол", "выход", language="ru").run()
    for said in ("У вас нет К♠.", "Сейчас нельзя: вар.", "Ваш заход> ", "Т♠",
                 "На этом вы закончили.", "Козыри: ♥ черви, под колодой В♥"):  # fmt: skip
        assert said in text
    # Not a word of the other language, but what is typed in Latin letters, and names of rules.
    words = set(re.findall(r"[A-Za-z]{3,}", text))
    assert words <= {"georgian", "stop", "count", "Enter"}


def test_georgian_session() -> None:
    typed = ("დახმარება", "Ks", "ვარი", "სვლები", "მაგიდა", "გასვლა")
    text = Given(DEAL, *typed, language="ka").run()
    for said in ("თქვენ არ გაქვთ K♠.", "ახლა არ შეიძლება: ვარი.", "თქვენი ჩამოსვლა> ", "A♠",
                 "აქ დაასრულეთ.", "კოზირი: ♥ გული, დასტის ქვეშ J♥"):  # fmt: skip
        assert said in text
    prose = re.sub(r"\b([AKQJT6-9][shdc])+\b", "", text)
    assert set(re.findall(r"[A-Za-z]{3,}", prose)) <= {"georgian", "stop", "count", "Enter"}
    assert not re.search("[А-Яа-я]", text.replace("Тп", ""))


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "ru_RU.UTF-8", "BURA_LANG": "ka"}, "ka"),
    ],
)
def test_the_language_is_that_of_the_environment(
    variables: dict[str, str],
    language: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("BURA_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert play.main(["--seed", "1"]) == 0
    assert WORDS[language]["eof"] in capsys.readouterr().out
    monkeypatch.setenv("BURA_LANG", "fr")
    assert play.main(["--seed", "1"]) == 2
    assert "BURA_LANG 'fr'" in capsys.readouterr().err


def test_a_hint() -> None:
    text = Given(DEAL, "hint", "raise", "hint", "quit").run()
    assert re.search(r"Best: [^,]+, chance to win the hand \d+ %\.\nThen: .+ \(\d+ %\)", text)


def test_answers_and_discards() -> None:
    """The machine leads; a set that does not beat has to go in brackets."""

    def person(game: Game, options: list[Move]) -> str | None:
        lead = game.hand.position.table
        if lead and len(game.hand.moves) == 1:
            asked.append([str(move) for move in options])
            return next(lines, None)
        return None

    asked: list[list[str]] = []
    lines = iter(["KsJs", "quit"])
    session = Given(ANSWERING)
    session.game._read = lambda: person(session.game, session._options)
    text = session.run()
    [lead] = session.game.hand.position.table
    assert lead.seat == MACHINE
    assert len(asked) >= 1
    if len(lead.cards) == 1:
        assert "Answer with as many cards as were led: 1." in text
    assert "(K♠)" in text


def test_undo_before_the_other_has_acted() -> None:
    """With --confirm a slip is taken back before it is played."""
    session = Given(DEAL, "Td", "undo", "As", "", confirm=True)
    text = session.run()
    assert "10♦: Enter plays it, `undo` takes it back> Taken back." in text
    assert str(session.game.hand.moves[0]) == "As"


def test_undo_of_a_move_after_which_one_is_still_to_act() -> None:
    """The talon is out and the person has won the trick: nobody has acted, nothing was drawn."""
    hands = "AsKsQs", "9s8h7d"
    rest = [c for c in range(36) if c not in parse_cards("".join(hands))]
    piles = format_cards(rest[:14]), format_cards(rest[14:])
    line = f"georgian3[deck=36] c {'/'.join(hands)} - {'/'.join(piles)} 1 -"
    session = Given(line, "As", "undo", "Ks", "undo", "undo", "quit")

    class Nine(Machine):
        def choose(self, view: View, options: list[Move], stakes: Stakes) -> Move:
            return parse_move("9s")

    session.game.machine = Nine()
    text = session.run()
    assert text.count("Taken back.") == 2
    assert text.count("There is nothing to take back") == 1
    assert [str(move) for move in session.game.hand.moves] == ["9s"]
    assert session.game.hand.tricks == [0, 0]


def test_the_words_are_complete() -> None:
    assert set(WORDS) == set(LANGUAGES)
    keys = {language: set(words) for language, words in WORDS.items()}
    assert keys["en"] == keys["ru"] == keys["ka"]
    blanks = re.compile(r"\{(\w+)\}")
    for key in keys["en"]:
        each = [set(blanks.findall(words[key])) for words in WORDS.values()]
        assert each[0] == each[1] == each[2], key
    for words in WORDS.values():
        assert all(len(line) <= 80 for line in words["help"].splitlines())
    assert set(COMMANDS.values()) >= {"hint", "help", "quit", "undo", "claim", "raise", "pass"}


def test_lines_are_broken_at_80_columns() -> None:
    out = Output()
    screen = Screen(out, "en", True)
    everything = (1 << 36) - 1
    screen.line(screen.cards(everything, " "), 4)
    rows = [ANSI.sub("", row) for row in out.getvalue().splitlines()]
    assert max(map(len, rows)) <= 80
    assert len(rows) == 2
    assert rows[1].startswith("    ")
    assert len(" ".join(rows).split()) == 36


def test_a_terminal_without_suit_symbols_gets_letters() -> None:
    ascii_out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert Screen(ascii_out, "en", False).cards(parse_cards("AsTh")) == "As\x1f10h"


# --- the machine -------------------------------------------------------------------------------


def test_the_machine_does_not_know_what_is_hidden() -> None:
    """The hidden cards dealt anew: it chooses the same, raises and answers included."""
    rng = random.Random(11)
    machine = Machine(**QUICK)
    compared = 0
    while compared < 60:
        rules = rng.choice(hidden.RULES)
        line = hidden.some_line(rng, rules)
        position = Position.from_text(line)
        seat = rng.randrange(2)
        if position.result is not None:
            continue
        choices = []
        stakes = Stakes(position.rules, False, 0, 0, 1, False)
        for deal_ in (line, *(hidden.hidden_shuffled(rng, line, seat) for _ in range(2))):
            other = Position.from_text(deal_)
            if other.result is not None:
                continue
            view = View.of(other.text(), seat)
            hand = Hand.__new__(Hand)
            hand.position, hand.match = other, MatchState.start(position.rules)
            hand.start, hand.acts, hand._drawn_at = other.text(), [], None
            options = hand.options(seat)
            if not options:
                continue
            choices.append((options, machine.choose(view, options, stakes), machine.chance(view)))
        if len(choices) < 2:
            continue
        assert all(choice == choices[0] for choice in choices), line
        compared += 1


class Knows(Machine):
    """A machine with a chance given."""

    def __init__(self, chance: float) -> None:
        super().__init__()
        self.given = chance

    def best(self, view: View, options: list[Move]) -> tuple[Move, float]:
        return options[0], self.given

    def chance(self, view: View) -> float:
        return self.given


def stakes_at(own: int, other: int, stake: int = 1, rules: str = "georgian3") -> Stakes:
    return Stakes(RuleSet.parse(rules), True, own, other, stake, False)


VIEW = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")


@pytest.mark.parametrize(
    ("chance", "kind", "stakes", "raises"),
    [
        (0.75, "play", stakes_at(0, 0), True),
        (0.74, "play", stakes_at(0, 0), False),
        (0.99, "claim", stakes_at(0, 0), False),
        (0.99, "play", stakes_at(4, 0, 3), False),  # 7 points already
        (0.99, "play", stakes_at(3, 0, 3), True),
        (0.99, "play", stakes_at(6, 6, 3, "dave"), True),
    ],
)
def test_when_the_machine_raises(chance: float, kind: str, stakes: Stakes, raises: bool) -> None:
    options = [Move(kind, 1 if kind == "play" else 0)]
    assert (Knows(chance).choose(VIEW, options, stakes).kind == "raise") is raises
    forbidden = Stakes(stakes.rules, False, stakes.own, stakes.other, stakes.stake, False)
    assert Knows(chance).choose(VIEW, options, forbidden) == options[0]


@pytest.mark.parametrize(
    ("chance", "offered", "can_raise", "stakes", "answer"),
    [
        (0.29, 2, True, stakes_at(0, 0, rules="dave"), "fold"),
        (0.31, 2, True, stakes_at(0, 0, rules="dave"), "accept"),
        (0.14, 5, True, stakes_at(0, 0, 4, rules="dave[raises=ladder]"), "fold"),
        (0.16, 5, True, stakes_at(0, 0, 4, rules="dave[raises=ladder]"), "accept"),
        (0.90, 2, True, stakes_at(0, 0), "raise"),
        (0.90, 2, False, stakes_at(0, 0), "accept"),
        (0.90, 2, True, stakes_at(5, 0), "accept"),  # 7 points already
        (0.01, 2, True, stakes_at(0, 6), "accept"),  # a fold loses the match
        (0.05, 2, True, stakes_at(0, 0), "fold"),
    ],
)
def test_how_the_machine_answers_raises(
    chance: float, offered: int, can_raise: bool, stakes: Stakes, answer: str
) -> None:
    assert Knows(chance).answer(VIEW, offered, can_raise, stakes) == Move(answer)


# --- calls, raises and voids at the table ------------------------------------------------------

OPEN = "classic[redeal_on_dealt_combo=no]"


def with_rest(rules: str, trump: str, hands: str, turn: int, last: str) -> str:
    """A deal with these hands, and the rest of the deck in order before the turn-up."""
    placed = parse_cards(hands.replace("/", "") + last)
    rest = format_cards([card for card in range(36) if card not in placed])
    return f"{rules} {trump} {hands} {rest}{last} -/- {turn} -"


class Calls(Knows):
    """A machine that calls whatever it can."""

    def best(self, view: View, options: list[Move]) -> tuple[Move, float]:
        return max(options, key=lambda move: move.kind == "stop"), 0.5


def test_the_machine_calls_out_of_turn() -> None:
    session = Given(with_rest(OPEN, "h", "As7d8c/6sKsTs", 0, "9h"), "As", "quit")
    session.game.machine = Calls(0.5)
    text = session.run()
    assert "The machine calls stop and leads 10♠ K♠ 6♠." in text
    assert "Your lead goes back to your hand." in text
    assert [str(move) for move in session.game.hand.moves] == ["stop:TsKs6s"]
    assert session.game.hand.position.turn == YOU


def test_the_person_calls_out_of_turn() -> None:
    deal_ = with_rest(OPEN, "h", "6sKsTs/As7d8c", 1, "9h")
    for typed in ("stop:6sKsTs", "1", "стоп: 6п Кп 10п"):
        session = Given(deal_, typed, "quit")
        text = session.run()
        assert "You may call out of turn, or pass> " in text
        assert [str(m) for m in session.game.hand.moves[:1]] == ["stop:TsKs6s"]
        assert session.game.hand.position.leader == YOU
    session = Given(deal_, "pass", "quit")
    session.run()
    assert session.game.hand.position.leader == MACHINE


def test_a_handicap_counts_beside_the_pile(tmp_path: Path) -> None:
    path = tmp_path / "hand.txt"
    with path.open("w", encoding="utf-8") as record:
        session = Session("classic[open_hands=0]", first, 2, hands=1, record=record,
                          handicap=(30, 5))  # fmt: skip
        text = session.run()
    assert "Beside the piles count: 30 for you, 5 for the machine." in text
    assert session.game.hand.position.handicap == (30, 5)
    with path.open(encoding="utf-8") as read:
        [played] = read_records(read)
    assert played.handicap == (30, 5)
    assert played.replay().result is not None


CHALLENGE = "classic[closed_challenge=yes,bura=none,redeal_on_dealt_combo=no]"


@pytest.mark.parametrize(
    ("hands", "typed", "said", "won"),
    [
        ("7h8h9h/AsKsTs", ["(7h8h9h)", "hint", "challenge"], "the trick holds a bura", True),
        ("7h8h9d/AsKsTs", ["(7h8h9d)", "hint", "challenge"], "the trick holds no bura", False),
        ("7h8h9h/AsKsTs", ["(7h8h9h)", "pass", "quit"], "You stop here.", None),
    ],
)
def test_the_person_challenges_a_closed_trick(
    hands: str, typed: list[str], said: str, won: bool | None
) -> None:
    session = Given(with_rest(CHALLENGE, "h", hands, 1, "Jh"), *typed)

    class LeadsAll(Machine):
        def choose(self, view: View, options: list[Move], stakes: Stakes) -> Move:
            return max(options, key=lambda move: move.cards.bit_count())

    session.game.machine = LeadsAll()
    text = session.run()
    assert "challenge (it holds a bura) or pass> " in text
    assert said in text
    if "hint" in typed:
        assert f"Best: {'challenge' if won else 'pass'}.\n" in text
    if won is not None:
        assert ("You win the hand" in text) is won


def test_the_machine_challenges_when_it_is_sure() -> None:
    session = Given(with_rest(CHALLENGE, "h", "AsKsTs/7h8h9h", 0, "Jh"), "AsKsTs", "1")

    class GivesUpAll(Machine):
        def choose(self, view: View, options: list[Move], stakes: Stakes) -> Move:
            return parse_move("(7h8h9h)")

    session.game.machine = GivesUpAll()
    text = session.run()
    assert "The machine says that the trick you have taken holds a bura." in text
    assert "The machine wins the hand: the trick holds a bura." in text


def test_the_machine_calls_after_the_lead() -> None:
    rules = "classic[redeal_on_dealt_combo=no,stop_window=after_lead_stays]"
    session = Given(with_rest(rules, "h", "As7d8c/6sKsTs", 0, "9h"), "As", "quit")
    session.game.machine = Calls(0.5)
    text = session.run()
    assert "The machine calls stop and leads 10♠ K♠ 6♠." in text
    assert "Your lead goes back to your hand, and has to be part of your answer." in text.replace(
        "\n", " "
    )
    assert "You draw" not in text
    assert all("A♠" in row for row in text.splitlines() if row.startswith("  1 "))


def test_an_answer_without_the_lead_called_off_is_refused_with_the_reason() -> None:
    rules = "burkozel[redeal_on_dealt_combo=no,stop_window=after_lead_stays]"
    line = with_rest(rules, "h", "AsTsKs7c/AhAdAc9d", 0, "6h")
    session = Given(line, "AsTs", "(AsKs7c)", "(AsTs)", "quit")
    session.game.machine = Calls(0.5)
    text = session.run().replace("\n", " ")
    assert "Your lead that was called off has to be part of the answer: A♠ 10♠." in text
    assert "Answer with as many cards as were led: 3." in text


def test_the_person_calls_after_the_lead() -> None:
    rules = "classic[redeal_on_dealt_combo=no,stop_window=after_lead_returned]"
    session = Given(with_rest(rules, "h", "6sKsTs/As7d8c", 1, "9h"), "stop:6sKsTs", "quit")
    session.game.machine = Calls(0.5)
    session.run()
    assert [move.kind for move in session.game.hand.moves[:2]] == ["play", "stop"]
    # Against a combination as high a call is void, and the person is told so only now.
    session = Given(with_rest(rules, "h", "6sKsTs/AdQd7d", 1, "9h"), "stop:6sKsTs", "quit")

    class LeadsSeven(Machine):
        def choose(self, view: View, options: list[Move], stakes: Stakes) -> Move:
            return parse_move("7d")

    session.game.machine = LeadsSeven()
    assert "holds a combination as high or higher" in session.run().replace("\n", " ")
    assert [str(move) for move in session.game.hand.moves] == ["7d"]


def test_a_call_against_a_combination_as_high_is_void() -> None:
    """The person is asked all the same: not to be asked would tell him of it."""
    session = Given(with_rest(OPEN, "h", "6sKsTs/AdQd7d", 1, "9h"), "1", "quit")
    text = session.run()
    assert "The machine holds a combination as high or higher: the lead stays with it." in text
    assert session.game.hand.moves[0].kind == "play"
    assert session.game.hand.position.leader == MACHINE


def test_a_combination_in_the_first_deal_is_dealt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = [
        with_rest("classic", "h", hands, 0, "9h") for hands in ("6sKsTs/As7d8c", "6sKsTd/As7d8c")
    ]
    given = [Position.from_text(line).text() for line in deals]
    monkeypatch.setattr(play, "deal", lambda rules, leader, rng: given.pop(0))
    session = Session("classic", lines_of("quit"))
    text = session.run()
    assert "A combination in the first deal (molodka): the hand is dealt again." in text
    assert "Your hand: K♠ 6♠ 10♦" in text.replace("10♦ K♠ 6♠", "K♠ 6♠ 10♦")
    assert session.game.match.hand_number == 1
    assert not given


@pytest.mark.parametrize(
    ("chance", "typed", "moves", "score"),
    [
        (0.1, ["raise", "quit"], ["raise", "fold"], (1, 0)),
        (0.6, ["raise", "quit"], ["raise", "accept"], (0, 0)),
        (0.9, ["raise", "fold"], ["raise", "raise", "fold"], (0, 2)),
        (0.9, ["raise", "raise", "quit"], ["raise", "raise", "raise", "raise"], (0, 0)),
        (0.9, ["raise", "accept", "quit"], ["raise", "raise", "accept"], (0, 0)),
    ],
)
def test_raises_at_the_table(
    chance: float, typed: list[str], moves: list[str], score: tuple[int, int]
) -> None:
    session = Given(DEAL, *typed)
    session.game.machine = Knows(chance)
    text = session.run()
    assert [str(move) for move in session.game.hand.moves] == moves
    assert session.game.match.score == score
    if moves[-1] == "accept" and len(moves) == 3:
        assert "The machine raises the stake to 3." in text


def test_a_refused_raise_of_the_machine_pays_the_stake_before_it() -> None:
    session = Given(ANSWERING, "fold")
    session.game.machine = Knows(0.8)
    text = session.run()
    assert "The machine raises the stake to 2." in text
    assert "Accept, fold or raise> " in text
    assert session.game.match.score == (0, 1)


def test_the_hand_without_raises_offers_none() -> None:
    session = Given(DEAL, "raise", "moves", "quit")
    object.__setattr__(session.game.match, "score", (6, 4))
    text = session.run()
    assert "this hand is played without raises" in text
    assert "Not possible now: raise. Possible: A♠, Q♥, 10♦." in text


def test_a_bura_that_the_other_has_drawn_is_not_told_by_the_list_of_moves() -> None:
    """The winner of the trick may claim first; whatever else he does, the bura ends the hand."""
    rest = [c for c in range(36) if c not in parse_cards("Ad7d8cKhQh6s9h9sTh")]
    talon = f"9sTh{format_cards(rest)}9h"
    line = f"{OPEN} h Ad7d8c/KhQh6s {talon} -/- 0 -"

    class GivesUpSix(Machine):
        def choose(self, view: View, options: list[Move], stakes: Stakes) -> Move:
            return parse_move("(6s)")

    session = Given(line, "Ad", "moves", "7d")
    session.game.machine = GivesUpSix()
    text = session.run()
    listed = [row for row in text.splitlines() if "   4 claim" in row]
    assert len(listed) == 2
    assert all("7♦" in row and "pass" not in row for row in listed)
    assert "The machine wins the hand: bura." in text


def test_a_chance_is_the_mean_over_worlds() -> None:
    machine = Machine(max_worlds=400)
    # The talon is out and every card is known: seat 1 takes a trick and claims.
    piles = "AsJs/TsQsAhKhJhAdTdQdJdKcQcJc"
    line = f"georgian3 h QhAcKd/KsThTc - {piles} 1 -"
    assert machine.chance(View.from_text(line, 1)) == 1.0
    assert machine.chance(View.from_text(line, 0)) == 0.0
    assert 0.5 < machine.chance(VIEW) < 0.95


# --- the command -------------------------------------------------------------------------------


def process(
    *arguments: str, typed: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bura", "play", *arguments],
        input=typed,
        env={**os.environ, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_the_command_through_pipes(tmp_path: Path) -> None:
    record = tmp_path / "hands.txt"
    done = process("georgian3[match_to=1]", "--seed", "3", "--worlds", "20", "--record",
                   str(record), typed="1\n" * 200, PYTHONIOENCODING="utf-8")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "win the match." in done.stdout or "wins the match." in done.stdout
    assert "\x1b" not in done.stdout
    assert record.read_text("utf-8").startswith("[Rules ")
    again = process("georgian3[match_to=1]", "--seed", "3", "--worlds", "20", typed="1\n" * 200,
                    PYTHONIOENCODING="utf-8")  # fmt: skip
    assert again.stdout == done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["classik"], "there is no such preset; did you mean classic"),
        (["classic[players=3]"], "matches of 3 players are not played"),
        (["classic[hand=9,target=0]"], "target '0'"),
        (["classic[hand=1,three_aces=none]"], "a combination is in all of them"),
        (["--hands", "0"], "'0' is not a whole number from 1"),
        (["--lang", "fr"], "invalid choice: 'fr'"),
        (["--handicap", "10"], "'10' is not points, 0 to 60 each, such as 10/0"),
        (["--handicap", "61/0"], "'61/0' is not points"),
        (["--record", "/nowhere/at/all"], "cannot write /nowhere/at/all: No such file"),
    ],
)
def test_arguments_that_cannot_be_used(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play.main(arguments) == 2
    written = capsys.readouterr()
    assert message in written.err
    assert written.out == ""


@pytest.fixture
def terminal() -> Iterator[Callable[..., tuple[Callable[[str], str], Callable[[str], None]]]]:
    """Starts the command on a terminal: (wait for a text, type a line)."""
    running: list[tuple[subprocess.Popen[bytes], int]] = []

    def start(*arguments: str, **variables: str) -> Any:
        ours, theirs = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        child = subprocess.Popen(
            [sys.executable, "-m", "bura", "play", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **variables},
        )
        os.close(theirs)
        running.append((child, ours))

        def until(text: str) -> str:
            seen, end = b"", time.monotonic() + 60
            while text not in seen.decode(errors="ignore"):
                ready, _, _ = select.select([ours], [], [], max(0.0, end - time.monotonic()))
                assert ready, f"no {text!r} in {seen.decode(errors='ignore')!r}"
                try:
                    seen += os.read(ours, 4096)
                except OSError:
                    break
            return seen.decode(errors="ignore")

        return until, lambda line: os.write(ours, f"{line}\n".encode())

    yield start
    for child, ours in running:
        child.kill()
        child.wait()
        os.close(ours)


def test_a_slip_on_a_terminal(terminal: Any) -> None:
    # With this seed the machine deals, and the person leads.
    until, type_line = terminal("--seed", "2", "--worlds", "5")
    screen = until("> ")
    assert "\x1b[31m" in screen  # red suits are red
    type_line("1")
    assert "Enter plays it" in until("back> ")
    type_line("undo")
    assert "Taken back." in until("> ")
    type_line("quit")
    assert "You stop here." in until("Score: ")


@pytest.mark.parametrize(
    "rules",
    ["georgian3[match_to=1]", "three_vs_four[match_to=1]", "classic[closed_challenge=yes]"],
)
def test_a_whole_match_on_a_terminal(rules: str, terminal: Any, tmp_path: Path) -> None:
    record = tmp_path / "match.txt"
    until, type_line = terminal(
        rules, "--seed", "2", "--worlds", "2", "--hands", "2", "--no-confirm", "--record",
        str(record), NO_COLOR="1",
    )  # fmt: skip
    screen, prompts = until("> "), 0
    while screen.endswith("> "):
        prompts += 1
        assert prompts < 300
        type_line("1")
        screen = until("> ")  # or the end
    assert prompts > 3
    assert "In the end: you" in screen or "Score: you" in screen
    with record.open(encoding="utf-8") as read:
        assert len(list(read_records(read))) >= 1


def test_no_colour_where_it_is_not_wanted(terminal: Any) -> None:
    until, type_line = terminal("--seed", "2", "--worlds", "5", NO_COLOR="1")
    assert "\x1b" not in until("> ")
    type_line("quit")
    until("stop here")


def test_deals_are_whole_decks() -> None:
    rng = random.Random(0)
    for name in playable():
        rules = PRESETS[name]
        for leader in (0, 1):
            text = deal(rules, leader, rng)
            cards = [c for zone in (*text.hands, text.talon) for c in zone]
            assert len(set(cards)) == len(cards) == rules.deck
            assert text.handicap[leader] == 0
            assert text.handicap[1 - leader] == rules.compensation
            if rules.trumps:
                last = text.talon[-1]
                assert last is not None
                assert text.trump == last // 9
            assert Position.from_text(str(Position(text))) == Position(text)
