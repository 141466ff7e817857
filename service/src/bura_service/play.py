"""`bura play`: a match in the terminal against the adviser.

The cards are kept here, in the process that plays, and what is printed comes from the person's
`View` alone until a hand is over. So a prompt, a list of moves or an error never tells more than
the person has seen; above all no message of the rule engine is passed on, for its remedies list
what the other could do.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from bura_core import (
    InputError,
    Move,
    Position,
    PositionText,
    RuleSet,
    UnsupportedError,
    View,
    estimate_claim,
    parse_move,
    worlds,
)
from bura_core._solver import moves_of
from bura_core.match import HandOutcome, MatchState, dealt_combination
from bura_core.notation import Pile, Play
from bura_core.record import record_hand, write_record
from bura_core.view import Act
from bura_service.languages import add_option, preferred
from bura_service.play_machine import Machine, Stakes, legal_in_some_world
from bura_service.play_words import COMMANDS, SCRIPTS, WORDS

YOU, MACHINE = 0, 1
WIDTH = 80
_ANSWERED, _UNUSABLE, _INTERRUPTED = 0, 2, 130
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_JOINT = "\x1f"
"""Stands for a blank at which a line is not broken."""
_RANKS = {"en": ("6", "7", "8", "9", "J", "Q", "K", "10", "A"),
          "ru": ("6", "7", "8", "9", "В", "Д", "К", "10", "Т"),
          "ka": ("6", "7", "8", "9", "J", "Q", "K", "10", "A")}  # fmt: skip
_LETTERS = {"en": "shdc", "ru": "пчбт", "ka": "shdc"}
_SYMBOLS = "♠♥♦♣"
_SUITS = ("spades", "hearts", "diamonds", "clubs")
# Letters of either case; whether both are of one script is for the parser to say.
_CARD = re.compile(r"(10|[6-9akqjtткдв])([shdcпчбтк♠♥♦♣])", re.IGNORECASE)
_CARDS = re.compile(f"({_CARD.pattern})+", re.IGNORECASE)
_LOOKED_AT = 30
"""In how many worlds is looked for what may be done, under rules that cannot be solved."""
_DEALS = 1000
"""How many deals are tried before rules count as unplayable."""
_MOST_HANDICAP = 60
_TOP_STAKE = {"ladder": 6, "dave": 1024}


class Ended(Exception):
    """The person leaves, or the input has ended."""


class Screen:
    """Writes for a person: his language, 80 columns, suit symbols and colour where they show.

    Args:
        out: where to.
        language: `en`, `ru` or `ka`.
        colour: whether red suits are red.
    """

    def __init__(self, out: TextIO, language: str, colour: bool) -> None:
        self._out = out
        self.language = language
        self.words = WORDS[language]
        self._colour = colour
        try:
            _SYMBOLS.encode(out.encoding or "ascii")
            self._suits: Sequence[str] = _SYMBOLS
        except UnicodeEncodeError:
            self._suits = _LETTERS[language]

    def card(self, card: int) -> str:
        """One card, such as 10♥."""
        text = _RANKS[self.language][card % 9] + self._suits[card // 9]
        red = self._colour and card // 9 in (1, 2)
        return f"{_RED}{text}{_PLAIN}" if red else text

    def cards(self, cards: int | Iterable[int], between: str = _JOINT) -> str:
        """Some cards: a mask in canonical order, or a sequence in its own."""
        listed = _cards_of(cards) if isinstance(cards, int) else cards
        return between.join(map(self.card, listed)) or self.words["none"]

    def suit(self, suit: int) -> str:
        """A suit by its sign and name."""
        return f"{self._suits[suit]}{_JOINT}{self.words[_SUITS[suit]]}"

    def move(self, move: Move) -> str:
        """A move as it may be typed, with the cards as they are shown."""
        cards = self.cards(move.cards) if move.cards else ""
        if move.kind == "discard":
            return f"({cards})"
        if move.kind == "stop":
            return f"stop:{cards}"
        return cards or self.word(move.kind)

    def word(self, kind: str) -> str:
        """What the person types for a move without cards."""
        script = SCRIPTS[self.language]
        return next(word for word, meant in COMMANDS.items() if meant == kind and script(word[0]))

    def say(self, key: str, **parts: object) -> None:
        """Writes a sentence."""
        self.line(self.words[key].format(**parts))

    def line(self, text: str = "", indent: int = 0) -> None:
        """Writes a text, broken at blanks and after commas to fit the width."""
        for paragraph in text.split("\n"):
            words = re.findall(r" *[^ ,]*,|,* *[^ ,]+", paragraph)
            row, used = "", 0
            for word in words:
                length = len(_ANSI.sub("", word))
                if row and used + length > WIDTH:
                    self._put(row)
                    word = " " * indent + word.lstrip(" ")
                    length = len(_ANSI.sub("", word))
                    row, used = "", 0
                row += word
                used += length
            self._put(row)

    def _put(self, row: str) -> None:
        self._out.write(row.replace(_JOINT, " ") + "\n")

    def prompt(self, text: str) -> None:
        """Writes what asks for input; the line stays open."""
        self._out.write(text.replace(_JOINT, " ") + "> ")
        self._out.flush()


def _cards_of(mask: int) -> list[int]:
    """The cards of a mask, suit by suit and high to low."""
    return [c for suit in range(4) for c in range(9 * suit + 8, 9 * suit - 1, -1) if mask >> c & 1]


def deal(rules: RuleSet, leader: int, rng: random.Random) -> PositionText:
    """A shuffled deck dealt card by card, the leader first; the turned trump lies last."""
    low = 9 - rules.deck // 4
    deck = [suit * 9 + rank for suit in range(4) for rank in range(low, 9)]
    rng.shuffle(deck)
    hands: list[list[int]] = [[] for _ in range(rules.players)]
    sizes = rules.hand_sizes
    for number in range(max(sizes)):
        for seat in ((leader + i) % rules.players for i in range(rules.players)):
            if number < sizes[seat]:
                hands[seat].append(deck.pop())
    talon = deck[::-1]
    return PositionText(
        rules=rules,
        trump=talon[0] // 9 if rules.trumps else None,
        hands=tuple(map(tuple, hands)),
        talon=(*talon[1:], talon[0]),
        piles=tuple(Pile((), None) for _ in hands),
        turn=leader,
        table=(),
        handicap=rules.handicaps(leader),
    )


class Hand:
    """One hand under way, and the moves made in it."""

    def __init__(self, start: PositionText, match: MatchState) -> None:
        self.start = start
        self.position = Position(start)
        self.match = match
        self.moves: list[Move] = []
        self.tricks = [0, 0]
        self.acts: list[Act] = []
        self._drawn_at: int | None = None  # acts before the talon was drawn out
        self._tricks_before: list[list[int]] = []

    def view(self, seat: int) -> View:
        """What a seat has seen, what was done before and who holds the turned trump included."""
        text = self.position.text()
        view = View.of(text, seat).after(self.acts)
        turn_up = self.start.talon[-1] if self.start.talon else None
        if text.talon or not self.start.rules.trumps or turn_up is None:
            return view
        other = 1 - seat
        # Its holder may lay it face down: from his first discard on nobody knows.
        drawn = self._drawn_at
        hidden = drawn is None or any(
            act.kind == "discard" and act.seat == other for act in self.acts[drawn:]
        )
        return view if hidden or turn_up not in text.hands[other] else view.holding(other, turn_up)

    def options(self, seat: int) -> list[Move]:
        """What a seat may do as far as it knows: its moves, or its calls and `pass`.

        From its view alone. It may be wrong in two ways, as at the table: a call is void if the
        leader holds as high a combination, and a lead comes to nothing if the other shows a
        bura before it.
        """
        position = self.position
        if position.turn == seat:
            answers = position.raises()
            if any(move.kind == "accept" for move in answers):
                return answers
        try:
            moves = list(moves_of(worlds(self.view(seat), 1)))
        except UnsupportedError:
            moves = legal_in_some_world(worlds(self.view(seat), _LOOKED_AT), seat)
        # A claim cannot be taken back: it is not to be what a careless 1 means.
        moves.sort(key=lambda move: move.cards == 0)
        if position.turn == seat and self._may_raise(seat, moves):
            moves.append(Move("raise"))
        return moves

    def _may_raise(self, seat: int, moves: list[Move]) -> bool:
        rules = self.position.rules
        return (
            self.match.raises_allowed
            and any(move.kind in ("play", "discard") for move in moves)
            and self.position.text().raiser != seat
            and self.position.stake < _TOP_STAKE[rules.raises]
        )

    def stakes(self, seat: int) -> Stakes:
        """What is public about a raise, from a seat's side."""
        match = self.match
        own, other, _ = match.score_of(seat) or (0, 0, 0)
        return Stakes(
            rules=match.rules,
            allowed=Move("raise") in self.options(seat),
            own=own,
            other=other,
            stake=self.position.stake,
            # Once this hand is over, so is the one without raises, if it is that.
            no_raise_hand_played=match.no_raise_hand_played or match.is_no_raise_hand,
        )

    def may_challenge(self, seat: int) -> bool:
        """Whether a seat may say that the closed trick it has just lost holds a bura."""
        return (seat, Move("challenge")) in self.position.calls()

    def challenge_holds(self, seat: int) -> bool:
        """Whether that trick holds one: of two players the loser has seen all its cards."""
        trumps = [c for c in self.position.text().trick if c // 9 == self.position.trump]
        return len(trumps) >= self.position.rules.hand_sizes[seat]

    def make(self, move: Move) -> Move:
        """Makes a move of the seat to act, or a call; returns what became of it."""
        position = self.position
        legal = position.legal_moves()
        shown_first = legal and all(other.kind in ("claim", "pass") for other in legal)
        if shown_first and move.kind in ("play", "discard", "raise"):
            # The other has a bura to show: whoever does not claim now has let it pass.
            move = Move("pass")
        before = self.piles()
        who = position.turn
        if move.kind in ("stop", "challenge"):
            who = next((seat for seat, call in position.calls() if call == move), who)
        position.play(move)
        self.moves.append(move)
        self.acts.append(Act(who, move.kind, move.cards, move.cards.bit_count()))
        if self._drawn_at is None and not position.talon:
            self._drawn_at = len(self.acts)
        self._tricks_before.append(list(self.tricks))
        for seat, (old, new) in enumerate(zip(before, self.piles(), strict=True)):
            self.tricks[seat] += new > old
        return move

    def piles(self) -> list[int]:
        """How many cards lie in each pile."""
        return [len(pile.items) for pile in self.position.text().piles]

    def undo(self) -> None:
        """Takes the last move back."""
        self.position.undo()
        self.moves.pop()
        self.acts.pop()
        if self._drawn_at is not None and (self.position.talon or self._drawn_at > len(self.acts)):
            self._drawn_at = None
        self.tricks = self._tricks_before.pop()


class Game:
    """A match between the person, seat 0, and the machine, seat 1.

    Args:
        match: the state it begins with.
        machine: who plays against him, and gives the hints.
        screen: where to write.
        read: gives the next line of input, or None at its end.
        seed: of the deals.
        count: whether the seen points of the own pile are shown.
        confirm: whether each move is asked to be confirmed.
        hands: the most hands that are played; None: to the end of the match.
        record: where each hand's record is written, or None.
        handicap: points that count beside the piles in every hand, his and the machine's.
    """

    def __init__(
        self,
        match: MatchState,
        machine: Machine,
        screen: Screen,
        read: Callable[[], str | None],
        *,
        seed: int,
        count: bool = False,
        confirm: bool = False,
        hands: int | None = None,
        record: TextIO | None = None,
        handicap: tuple[int, int] = (0, 0),
    ) -> None:
        self.match = match
        self.machine = machine
        self.screen = screen
        self._read = read
        self._rng = random.Random(seed)
        self._count = count
        self._confirm = confirm
        self._hands = hands
        self._record = record
        self._handicap = handicap
        self._undoable = False
        self._asked_at = -1
        self.hand: Hand

    # ------------------------------------------------------------ the match

    def run(self) -> None:
        """Plays until the match is over, the hands are played or the person leaves."""
        say, rules = self.screen.say, self.match.rules
        say("title", rules=rules)
        if rules.scoring == "pot":
            say("no_match")
        elif rules.scoring in ("penalty_12", "balls_12"):
            say("penalties_to", to=rules.match_to)
        else:
            say("match_to", to=rules.match_to)
        played = 0
        try:
            while not self.match.finished and played != self._hands:
                self._play_hand()
                played += 1
        except Ended as ended:
            say("eof" if ended.args else "stopped")
        if rules.scoring == "pot":
            self.match = self.match.stop()
            own, other = map(_money, self.match.money)
            say("final", own=own, other=other)
        elif self.match.finished:
            winner = self.match.winner
            say(
                "match_nobody" if winner is None else ("match_you", "match_machine")[winner],
            )
            say("final", own=self.match.score[YOU], other=self.match.score[MACHINE])
        else:
            self._say_score()

    def _say_score(self) -> None:
        match = self.match
        if match.rules.scoring == "pot":
            own, other = map(_money, match.money)
            self.screen.say("money", pot=_money(match.pot), own=own, other=other)
        else:
            self.screen.say("score", own=match.score[YOU], other=match.score[MACHINE])

    def _play_hand(self) -> None:
        screen, match = self.screen, self.match
        screen.line()
        screen.say("hand", number=match.hand_number)
        self._say_score()
        screen.say("deals_you" if match.dealer == YOU else "deals_machine")
        if match.is_no_raise_hand and match.rules.raises != "none":
            screen.say("no_raises")
        if any(self._handicap):
            screen.say("handicap", own=self._handicap[YOU], other=self._handicap[MACHINE])
        while True:
            start = deal(match.rules, match.leader, self._rng)
            if any(self._handicap):
                both = zip(start.handicap, self._handicap, strict=True)
                start = replace(start, handicap=tuple(have + more for have, more in both))
            name = _void(start)
            if name is None:
                break
            screen.say("redeal", name=screen.words[name])
            match = match.after(HandOutcome(None, "redeal"))
        self.hand = hand = Hand(start, match)
        self._undoable = False
        self._asked_at = -1
        self._show_table()
        while hand.position.result is None:
            if hand.position.turn == YOU:
                self._your_turn()
            else:
                self._machine_turn()
        self._settle()

    def _settle(self) -> None:
        hand, screen = self.hand, self.screen
        position = hand.position
        self._reveal()
        outcome = HandOutcome.of(position, hand.tricks)
        why = screen.words[outcome.reason]
        who = "nobody_wins"
        if outcome.winner is not None:
            who = ("you_win", "machine_wins")[outcome.winner]
        screen.say(who, why=why)
        before, self.match = self.match, self.match.after(outcome)
        if before.rules.scoring != "pot":
            own, other = (
                new - old for new, old in zip(self.match.score, before.score, strict=True)
            )
            screen.say("paid", own=own, other=other)
        if self._record is not None:
            score = before.score_of(YOU)
            record = record_hand(
                hand.start,
                hand.moves,
                dealer=before.dealer,
                players=("you", "machine"),
                score=score,
            )
            write_record(self._record, record)
            self._record.flush()

    def _reveal(self) -> None:
        """All cards of a hand that is over."""
        screen, words = self.screen, self.screen.words
        text, points = self.hand.position.text(), self.hand.position.points
        screen.say("reveal")
        names = ("you", "machine")
        for seat, name in enumerate(names):
            hand = [card for card in text.hands[seat] if card is not None]
            screen.line(f"  {words[f'hand_of_{name}']}: {screen.cards(hand, ' ')}", 4)
        for seat, name in enumerate(names):
            more = self.hand.position.handicap[seat]
            count = f"{points[seat]} + {more}" if more else str(points[seat])
            label = words[f"pile_of_{name}"].format(points=count)
            shown = []
            for item in text.piles[seat].items:
                assert item.card is not None
                card = screen.card(item.card)
                shown.append(f"({card})" if item.closed else card)
            screen.line(f"  {label}: {' '.join(shown) or words['none']}", 4)
        if self.hand.position.talon:
            screen.line(f"  {words['rest']}: {screen.cards(self.hand.position.talon, ' ')}", 4)

    # ------------------------------------------------------------ what the person sees

    def _show_table(self) -> None:
        screen, words = self.screen, self.screen.words
        text = self.hand.position.text()
        if text.trump is None:
            top = words["no_trump"]
        else:
            top = words["trump"].format(trump=screen.suit(text.trump))
            if text.talon and text.talon[-1] is not None:
                top += words["turn_up"].format(card=screen.card(text.talon[-1]))
        top += "; " + words["talon"].format(count=len(text.talon))
        if text.rules.raises != "none":
            top += "; " + words["stake"].format(stake=text.stake)
        screen.line(top + ".")
        for play in text.table:  # of two players only the lead lies there, and it is open
            screen.line(f"{words['led']}: {screen.cards(play.cards)}", 2)
        if MACHINE in text.rules.open_seats:
            open_hand = [card for card in text.hands[MACHINE] if card is not None]
            screen.line(f"{words['open_hand']}: {screen.cards(open_hand)}", 2)
        hand = [card for card in text.hands[YOU] if card is not None]
        screen.line(f"{words['your_hand']}: {screen.cards(hand)}", 2)
        if self._count:
            pile = estimate_claim(self.hand.view(YOU))
            screen.say("count", shown=pile.shown, closed=pile.closed)

    def _show_moves(self, options: list[Move]) -> None:
        numbered = [f"{i}{_JOINT}{self.screen.move(m)}" for i, m in enumerate(options, 1)]
        self.screen.line("  " + "   ".join(numbered), 2)

    def _machine_challenges(self) -> bool:
        """Whether the machine challenges the closed trick it has just lost (S0c).

        Whoever won the trick claims first; what he does else comes too late.
        """
        hand = self.hand
        if not hand.may_challenge(MACHINE) or not hand.challenge_holds(MACHINE):
            return False
        self._undoable = False
        self.screen.say("machine_challenges")
        hand.make(Move("challenge"))
        return True

    def _you_challenge(self) -> bool:
        """Whether the person challenges the closed trick he has just lost."""
        hand = self.hand
        if not hand.may_challenge(YOU) or self._asked_at == len(hand.moves):
            return False
        self._asked_at = len(hand.moves)
        if len(hand.position.text().trick) < hand.position.rules.hand_sizes[YOU]:
            return False  # too few cards for a bura
        move = self._ask("to_challenge", [Move("challenge"), Move("pass")])
        if move is None or move.kind != "challenge":
            return False
        hand.make(move)
        return True

    # ------------------------------------------------------------ the person's turn

    def _your_turn(self) -> None:
        hand = self.hand
        options = hand.options(YOU)
        kinds = {move.kind for move in options}
        if "accept" in kinds:
            key = "to_raise" if "raise" in kinds else "to_take"
        elif kinds <= {"claim", "pass"}:
            key = "to_claim"
        else:
            key = "to_answer" if hand.position.table else "to_lead"
        # Decided before the lead is known, so that it cannot depend on it.
        stop = self._machine_calls() if key == "to_lead" else None
        if key in ("to_answer", "to_lead", "to_claim") and hand.moves:
            self._show_table()
        move = self._ask(key, options)
        if move is None:
            return
        goes_on = key in ("to_lead", "to_claim") and move.kind in ("play", "pass")
        if goes_on and self._machine_challenges():
            return
        if stop is not None and move.kind == "play":
            self._undoable = False
            hand.make(stop)
            self.screen.say("machine_stop", cards=self.screen.cards(stop.cards))
            self.screen.say("lead_back")
            return
        if move.kind == "stop" and move not in self._calls(YOU):
            self.screen.say("no_call")
            return
        talon = len(hand.position.talon)
        self._make(YOU, move)
        position = hand.position
        self._undoable = (
            position.result is None and position.turn == YOU and len(position.talon) == talon
        )

    def _ask(self, key: str, options: list[Move]) -> Move | None:
        """The move the person types; None if he took his last one back."""
        screen = self.screen
        self._show_moves(options)
        while True:
            screen.prompt(screen.words[key])
            text = self._line()
            command = COMMANDS.get(text.lower(), "")
            if not text:
                continue
            if command == "quit":
                raise Ended
            if command == "help":
                screen.line(screen.words["help"])
            elif command == "moves":
                self._show_moves(options)
            elif command == "table":
                self._show_table()
            elif command == "hint":
                self._hint(options)
            elif command == "undo":
                if self._undoable:
                    self._undoable = False
                    self.hand.undo()
                    screen.say("undone")
                    return None
                screen.say("no_undo")
            else:
                move = self._understood(text, command, options)
                if move is not None and self._confirmed(move):
                    return move

    def _line(self) -> str:
        line = self._read()
        if line is None:
            self.screen.line()
            raise Ended("eof")
        return line.strip()

    def _confirmed(self, move: Move) -> bool:
        if not self._confirm:
            return True
        while True:
            self.screen.prompt(self.screen.words["confirm"].format(move=self.screen.move(move)))
            command = COMMANDS.get(text.lower(), "?") if (text := self._line()) else ""
            if command == "quit":
                raise Ended
            if command == "undo":
                self.screen.say("undone")
                return False
            if not command:
                return True

    def _understood(self, text: str, command: str, options: list[Move]) -> Move | None:
        """The option that a text means; None after saying what is wrong with it."""
        screen = self.screen
        if text.isascii() and text.isdigit():
            if len(text) < 5 and 1 <= int(text) <= len(options):
                return options[int(text) - 1]
            screen.say("bad_number", number=text[:8], most=len(options))
            return None
        try:
            move = Move(command) if command else parse_move(_plain(text))
        except InputError as error:
            shown = "".join(c if c.isprintable() else "?" for c in text[:40])
            screen.say("bad_move", text=shown)
            if screen.language == "en":
                screen.line(f"  {error.faults[0].problem}; {error.faults[0].remedy}", 2)
            return None
        if move in options:
            return move
        self._say_why_not(move, options)
        return None

    def _say_why_not(self, move: Move, options: list[Move]) -> None:
        """Why a move is none of the options, from what the person knows."""
        screen, position = self.screen, self.hand.position
        playing = any(option.kind in ("play", "discard") for option in options)
        if move.kind not in ("play", "discard") or not playing:
            possible = ", ".join(map(screen.move, options[:8])) + ", ..." * (len(options) > 8)
            screen.say("not_now", move=screen.move(move), moves=possible)
            return
        cards = screen.cards(move.cards)
        missing = move.cards & ~position.hands[YOU]
        if missing:
            screen.say("not_yours", cards=screen.cards(missing))
        elif Move("play", move.cards) in options:
            screen.say("no_brackets", cards=cards)
        elif Move("discard", move.cards) in options:
            screen.say("not_beating", cards=cards)
        elif position.table and move.cards.bit_count() == len(position.table[0].cards):
            # All other cards may be given up; the lead called off has to be among them.
            screen.say("held_back", cards=screen.cards(position.text().held))
        elif position.table:
            screen.say("wrong_count", count=len(position.table[0].cards))
        else:
            screen.say("not_together", cards=cards)

    def _hint(self, options: list[Move]) -> None:
        screen, hand = self.screen, self.hand
        view = hand.view(YOU)
        if Move("challenge") in options:
            # Whoever lost the trick has seen all its cards.
            holds = hand.challenge_holds(YOU)
            screen.say("hint_plain", move=screen.word("challenge" if holds else "pass"))
            return
        if any(move.kind == "accept" for move in options):
            best = self.machine.answer(
                view, hand.position.text().offer or 0, Move("raise") in options, hand.stakes(YOU)
            )
            ranked = [(best, self.machine.chance(view))]
        else:
            ranked = self.machine.ranked(view, options)
        (best, chance), *others = ranked[:4]
        screen.say("hint_is", move=screen.move(best), chance=_percent(chance))
        if others:
            listed = [f"{screen.move(move)}{_JOINT}({_percent(value)})" for move, value in others]
            screen.say("hint_others", moves=", ".join(listed))
        if Move("claim") in options:
            claim = estimate_claim(view)
            screen.say("hint_claim", chance=_percent(float(claim.chance)))

    # ------------------------------------------------------------ the machine's turn

    def _calls(self, caller: int) -> list[Move]:
        """What a seat may call now."""
        return [move for seat, move in self.hand.position.calls() if seat == caller]

    def _machine_calls(self) -> Move | None:
        """The call with which the machine stops the person's lead, or None."""
        calls = [move for move in self._calls(MACHINE) if move.kind == "stop"]
        if not calls:
            return None
        options = self.hand.options(MACHINE)
        best, _ = self.machine.best(self.hand.view(MACHINE), options)
        return best if best in calls else None

    def _machine_turn(self) -> None:
        hand, screen = self.hand, self.screen
        position = hand.position
        options = hand.options(MACHINE)
        view, stakes = hand.view(MACHINE), hand.stakes(MACHINE)
        if any(move.kind == "accept" for move in options):
            offered = position.text().offer or 0
            move = self.machine.answer(view, offered, Move("raise") in options, stakes)
        else:
            plain = [option for option in options if option.kind != "raise"]
            move = self.machine.choose(view, plain, stakes)
            if move.kind == "stop" and move not in self._calls(MACHINE):
                # It cannot know that the person holds as much.
                plain = [option for option in plain if option.kind != "stop"]
                move = self.machine.choose(view, plain, stakes)
        self._undoable = False
        if not position.table and move.kind in ("play", "pass") and self._you_challenge():
            return
        if move.kind == "play" and not position.table and self._you_call():
            return
        self._make(MACHINE, move)
        if move.kind == "raise":
            screen.say("machine_raises", stake=position.text().offer)

    def _you_call(self) -> bool:
        """Whether the person calls a combination and leads in the machine's place."""
        hand = self.hand
        if hand.position.turn != MACHINE:
            return False
        options = hand.options(YOU)
        if not any(move.kind == "stop" for move in options):
            return False
        if hand.moves:
            self._show_table()
        move = self._ask("to_call", options)
        if move is None or move.kind != "stop":
            return False
        if move not in self._calls(YOU):
            self.screen.say("no_call")
            return False
        hand.make(move)
        return True

    # ------------------------------------------------------------ what happens, told

    def _make(self, seat: int, move: Move) -> None:
        """Makes a move and tells what the person sees of it."""
        hand, screen = self.hand, self.screen
        position = hand.position
        table, talon, piles = position.table, position.talon, hand.piles()
        mine = position.hands[YOU]
        move = hand.make(move)
        taker = next((s for s, n in enumerate(hand.piles()) if n > piles[s]), None)
        if seat == MACHINE:
            self._tell(move, table, taker)
        if taker is not None:
            screen.say("you_take" if taker == YOU else "machine_takes")
        drawn = position.hands[YOU] & ~mine
        if move.kind == "stop":
            drawn = 0  # a lead called off has come back
        if drawn:
            screen.say("you_draw", cards=screen.cards(drawn))
        if talon and not position.talon and position.trump is not None:
            last = talon[-1]
            if position.hands[MACHINE] >> last & 1:
                screen.say("machine_draws", card=screen.card(last))

    def _tell(self, move: Move, table: tuple[Play, ...], taker: int | None) -> None:
        screen, rules = self.screen, self.hand.position.rules
        answers = bool(table)
        cards = screen.cards(move.cards) if move.cards else ""
        if move.kind == "stop":
            screen.say("machine_stop", cards=cards)
            stays = rules.stop_window == "after_lead_stays"
            screen.say("lead_stays" if stays else "lead_back")
        elif move.kind == "discard" and MACHINE in rules.open_seats:
            screen.say("lays_open", cards=cards)
        elif move.kind == "discard":
            number = move.cards.bit_count()
            count = screen.words["card1" if number == 1 else "cards"].format(count=number)
            screen.say("lays", count=count)
        elif move.kind == "play":
            key = "leads" if not answers else "beats" if taker == MACHINE else "discards"
            screen.say(key, cards=cards)
        elif move.kind == "accept":
            screen.say("machine_accepts", stake=self.hand.position.stake)
        elif move.kind in ("claim", "fold"):
            screen.say({"claim": "machine_claims", "fold": "machine_folds"}[move.kind])


def _void(start: PositionText) -> str | None:
    """The combination for which a deal is dealt again."""
    hands = [sum(1 << card for card in hand if card is not None) for hand in start.hands]
    return dealt_combination(start.rules, start.trump, hands)


def _plain(text: str) -> str:
    """A typed move in the notation's spelling: no blanks, ranks in capitals, suits not."""
    joined = "".join(text.split())
    call, colon, cards = joined.rpartition(":")
    if call.lower() in ("stop", "стоп"):
        call = "stop"
    bare = cards.strip("()")
    if _CARDS.fullmatch(bare):
        spelled = _CARD.sub(lambda card: card[1].upper() + card[2].lower(), bare)
        cards = cards.replace(bare, spelled)
    return call + colon + cards


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}{_JOINT}%"


def _money(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"


def _whole(least: int, most: int) -> Callable[[str], int]:
    """An argument type: a whole number within bounds."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and least <= int(text[:19]) <= most:
            return int(text[:19])
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")

    return read


def _points(text: str) -> tuple[int, int]:
    """An argument type: points for each of two."""
    match = re.fullmatch(r"(\d{1,2})/(\d{1,2})", text, re.ASCII)
    if match is None or max(int(match[1]), int(match[2])) > _MOST_HANDICAP:
        raise argparse.ArgumentTypeError(f"{text!r} is not points, 0 to 60 each, such as 10/0")
    return int(match[1]), int(match[2])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bura play",
        description="Play a match of two against the adviser. It sees only what its seat sees.",
        epilog="Examples: bura play; bura play classic --hands 3; bura play 'georgian5[hand=4]'",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("rules", nargs="?", default="georgian3", metavar="RULES", help="rule set [georgian3]")
    add_option(parser)
    add("--seed", type=_whole(0, 2**63 - 1), help="the same seed deals the same cards")
    add("--count", action="store_true", help="show the points you have seen in your pile")
    add(
        "--confirm",
        action=argparse.BooleanOptionalAction,
        help="ask before a move is played, so that a slip can be taken back [in a terminal]",
    )
    add("--hands", type=_whole(1, 10**6), metavar="N", help="stop after so many hands")
    add("--ante", type=_whole(1, 10**9), default=100, metavar="CENTS", help="ante to a pot [100]")
    add(
        "--worlds",
        type=_whole(1, 10**6),
        default=200,
        metavar="N",
        help="most deals the machine looks at for a move [200]",
    )
    add(
        "--max-nodes",
        type=_whole(1, 10**12),
        default=2_000_000,
        metavar="N",
        help="most positions it visits for a move [2000000]",
    )
    add("--record", metavar="FILE", help="write the record of every hand there")
    add(
        "--handicap",
        type=_points,
        default=(0, 0),
        metavar="YOU/MACHINE",
        help="points that count beside your pile and the machine's [0/0]",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Plays a match on standard input and output.

    Args:
        argv: the arguments after the command's name; None for those of this process.

    Returns:
        0 when the match or the input is over or the person leaves, 2 if the arguments can't be
        used, 130 after an interrupt.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else _UNUSABLE
    try:
        rules = RuleSet.parse(arguments.rules)
        _check_playable(rules)
    except (InputError, UnsupportedError) as error:
        for problem in str(error).splitlines():
            print(f"bura play: {problem}", file=sys.stderr)
        return _UNUSABLE
    try:
        language = preferred(arguments.lang)
    except ValueError as error:
        print(f"bura play: {error}", file=sys.stderr)
        return _UNUSABLE
    seed = random.SystemRandom().getrandbits(62) if arguments.seed is None else arguments.seed
    rng = random.Random(seed)
    record = None
    if arguments.record:
        try:
            record = Path(arguments.record).open("a", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            reason = error.strerror or error
            print(f"bura play: cannot write {arguments.record}: {reason}", file=sys.stderr)
            return _UNUSABLE
    out = sys.stdout
    colour = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    game = Game(
        MatchState.start(rules, dealer=rng.randrange(2), ante=arguments.ante),
        Machine(arguments.worlds, arguments.max_nodes, seed=rng.getrandbits(31)),
        Screen(out, language, colour),
        _next_line,
        seed=rng.getrandbits(62),
        count=arguments.count,
        confirm=sys.stdin.isatty() if arguments.confirm is None else arguments.confirm,
        hands=arguments.hands,
        record=record,
        handicap=arguments.handicap,
    )
    try:
        game.run()
    except KeyboardInterrupt:
        out.write("\n")
        return _INTERRUPTED
    finally:
        if record is not None:
            record.close()
    return _ANSWERED


def _check_playable(rules: RuleSet) -> None:
    """Raises UnsupportedError for rules that engine or adviser do not play, before any hand."""
    if rules.players != 2:
        raise UnsupportedError(f"{rules}: matches of {rules.players} players are not played")
    rng = random.Random(0)
    for _ in range(_DEALS):
        start = deal(rules, YOU, rng)
        position = Position(start)
        # A bura in the deal leaves nothing to decide.
        if position.result is None and _void(start) is None:
            break
    else:
        raise UnsupportedError(
            f"{rules}: none of {_DEALS:,} deals could be played; a combination is in all of them"
        )
    Hand(start, MatchState.start(rules)).options(YOU)


def _next_line() -> str | None:
    """The next line of standard input; None at its end."""
    return sys.stdin.readline() or None
