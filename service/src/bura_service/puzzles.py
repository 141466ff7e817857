"""`bura puzzle make`: finds positions with exactly one winning move, and says why the others fail.

Hands are played by a policy that mostly does what looks natural, and every position on the way is
looked at. Two kinds are kept:

* `clairvoyant`: all cards are known; one move wins the hand with best play of both, no other does.
* `seat`: only what one seat has seen is known; one move wins against every deal that fits it and
  every defence, by one way of playing on that never needs a card the seat has not seen
  (best defence: the other may know all). Every other move loses or draws in a deal that fits,
  even for somebody who knows it.

docs/puzzles.md describes the file that comes out of it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from bura_core import (
    InputError,
    Move,
    Position,
    PositionText,
    RuleSet,
    Solver,
    View,
    beat_odds,
    estimate_claim,
    worlds,
)
from bura_core._rules import beats, not_for_two
from bura_service.languages import LANGUAGES, add_option, preferred, say

FORMAT: Final = 1

RULES: Final = (
    "georgian3", "georgian3[deck=36]", "georgian5", "georgian5[hand=4]", "classic",
    "classic_shown", "classic[deck=32,discards=shown]", "five", "burkozel", "georgian3[target=51]",
    "perebor", "no_trump",
)  # fmt: skip
"""Those of which the reference that the tests verify puzzles by knows values, too."""
SEAT_RULES: Final = (
    "georgian5", "georgian5[hand=4]", "five[discards=shown]", "burkozel[discards=shown]",
    "georgian3[target=51]", "five", "burkozel", "georgian5[discards=closed]",
)  # fmt: skip
"""Where few deals look alike to a seat, since few cards lie face down."""

THEMES: Final = {
    "claim": ("Know when to claim", "Вовремя вскрыться", "ვარის დრო"),
    "no_claim": ("Do not claim yet", "Не спешить вскрываться", "ვარი ჯერ ადრეა"),
    "give_ten": ("Give up the ten", "Отдать десятку", "ათიანის დათმობა"),
    "give_ace": ("Give up the ace", "Отдать туза", "ტუზის დათმობა"),
    "let_go": ("Let the trick go", "Отдать взятку", "წაღების დათმობა"),
    "hold_trump": ("Hold back the trump", "Придержать козырь", "კოზირის შენახვა"),
    "lead_three": ("Lead three or more", "Зайти тройкой и больше", "სამით ან მეტით ჩამოსვლა"),
    "lead_two": ("Lead two", "Зайти парой", "წყვილით ჩამოსვლა"),
    "spend_trump": ("Spend the trump", "Не жалеть козыря", "კოზირის დახარჯვა"),
    "lead_low": ("A quiet lead", "Тихий заход", "წყნარი ჩამოსვლა"),
    "right_cards": ("The right cards", "Нужные карты", "საჭირო კარტები"),
}
"""What a solution is about, in `LANGUAGES`; the first that fits is the main theme."""

_TITLES: Final = {
    "lead": ("you lead, and win", "ваш заход, и победа", "თქვენი ჩამოსვლაა, მოიგეთ"),
    "answer": ("you answer, and win", "ваш ответ, и победа", "თქვენი პასუხია, მოიგეთ"),
}
"""What to do, in `LANGUAGES`: whether the seat is to lead or to answer."""

_POINTS: Final = (0, 0, 0, 0, 2, 3, 4, 10, 11)
_MOST_NODES: Final = 1_500
_MOST_WORLDS: Final = 130
_MOST_STEPS: Final = 12_000
_MOST_TALON: Final = {"clairvoyant": 10, "seat": 2}
KINDS: Final = ("clairvoyant", "seat")
_CHOICE: Final = {"clairvoyant": 3, "seat": 1}
"""Of so many puzzles the one whose theme is rarest is taken, of these the hardest."""
_MOST_HANDS: Final = 400
"""Rules that hold no puzzle in so many hands are given up."""
_MOST_HANDS_OF_A_THEME: Final = 1_500
"""The same where only some themes are wanted."""


class TooLarge(Exception):
    """A search for a certain win has taken more steps than it may."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A move that does not win, and how that is shown.

    Attributes:
        move: the move.
        value: what it is worth to the seat that makes it, -1 or 0; of a `seat` puzzle in `world`.
        line: best play after it, to the end of the hand, in `world` if there is one.
        world: a complete position that fits what the seat has seen, in which the move fails.
    """

    move: str
    value: int
    line: tuple[str, ...]
    world: str | None = None


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle; see docs/puzzles.md for the fields."""

    kind: str
    position: str
    seat: int
    solution: str
    line: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    themes: tuple[str, ...]
    traps: tuple[str, ...]
    depth: int
    rating: int
    worlds: int | None = None

    @property
    def stars(self) -> int:
        """The rating in five steps."""
        return 1 + sum(self.rating >= bound for bound in (1100, 1350, 1600, 1850))

    def as_json(self, name: str) -> dict[str, Any]:
        """The puzzle as it stands in a file, under this name."""
        rules = self.position.split()[0]
        told: dict[str, Any] = {
            "id": name,
            "kind": self.kind,
            "rules": rules,
            "position": self.position,
            "seat": self.seat,
            "title": titles(self.position),
            "rating": self.rating,
            "stars": self.stars,
            "themes": list(self.themes),
            "traps": list(self.traps),
            "depth": self.depth,
            "solution": self.solution,
            "line": list(self.line),
            "wrong": [],
        }
        if self.worlds is not None:
            told["worlds"] = self.worlds
        for each in self.wrong:
            fail: dict[str, Any] = {
                "move": each.move, "value": each.value, "line": list(each.line),
            }  # fmt: skip
            if each.world is not None:
                fail["world"] = each.world
            told["wrong"].append(fail)
        return told


def titles(position: str) -> dict[str, str]:
    """What a puzzle asks for, by language; it gives nothing away."""
    fields = position.split()
    said = _TITLES["lead" if fields[6] == "-" else "answer"]
    return {
        language: f"{fields[0]}: {text}" for language, text in zip(LANGUAGES, said, strict=True)
    }


# ---------------------------------------------------------------- what looks natural


def _over(position: Position) -> bool:
    return position.result is not None


def points_of(cards: int) -> int:
    """Card points of a set of cards."""
    return sum(_POINTS[card % 9] for card in range(36) if cards >> card & 1)


def natural(view: View, moves: Sequence[Move]) -> list[Move]:
    """The moves in the order in which they look natural to a player at the table.

    He claims if his pile may count. He leads what cannot be beaten, with many points, or else
    few points and no trump. He answers by beating, with few trumps, or else gives up few points
    and no trump.
    """
    text = view.text
    leads = not text.table
    trumps = 0 if view.trump is None else 511 << 9 * view.trump

    def appeal(move: Move) -> tuple[float, int]:
        if move.kind == "claim":
            # Nobody claims with a pile that cannot count enough.
            return (200.0 if estimate_claim(view).chance > 0 else -200.0), 0
        points = points_of(move.cards)
        spent = (move.cards & trumps).bit_count()
        if leads and move.kind == "play":
            beaten = float(beat_odds(view, move.cards))
            return (1 - beaten) * (60 + 2 * points) - beaten * (2 * points + 8 * spent), 0
        if _takes(view, move):
            return 50 + points - 8 * spent, 0
        return -2.0 * points - 8 * spent, 0

    order = {move: number for number, move in enumerate(moves)}
    return sorted(moves, key=lambda move: (appeal(move), -order[move]), reverse=True)


def _takes(view: View, move: Move) -> bool:
    """Whether an answer takes the trick."""
    if not view.text.table or move.kind != "play":
        return False
    led = sum(1 << card for card in view.text.table[0].cards)
    return beats(view.rules, view.trump, led, move.cards)


# ---------------------------------------------------------------- certain wins


@dataclass(slots=True)
class BestDefence:
    """Whether a seat can win for certain, by what it sees, against every deal and defence.

    The deals that look alike to the seat are played together: it makes the same move in all,
    the other seat may do in each whatever it likes, knowing all, and deals part when the seat
    sees a difference. That is a search of and/or over sets of deals.

    Attributes:
        seat: who is to win.
        steps: moves made in the search.
    """

    seat: int
    steps: int = field(default=0)

    def wins(self, deals: list[Position]) -> bool:
        """Whether some way of playing on wins in all the deals, which look alike."""
        if deals[0].turn != self.seat:
            return self._all_win(
                [self._made(deal, move) for deal in deals for move in self._options(deal)]
            )
        return any(self.wins_with(deals, move) for move in self._common(deals))

    def wins_with(self, deals: list[Position], move: Move) -> bool:
        """Whether this move does, with what is best after it."""
        return self._all_win([self._made(deal, move) for deal in deals])

    def _common(self, deals: list[Position]) -> list[Move]:
        legal = [deal.legal_moves() for deal in deals]
        return [move for move in legal[0] if all(move in others for others in legal[1:])]

    def _options(self, deal: Position) -> list[Move]:
        return deal.legal_moves() + [call for seat, call in deal.calls() if seat != self.seat]

    def _made(self, deal: Position, move: Move) -> Position:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise TooLarge
        after = deal.copy()
        after.play(move)
        return after

    def _all_win(self, deals: list[Position]) -> bool:
        alike: dict[str, dict[str, Position]] = {}
        for deal in deals:
            if deal.result is not None:
                if deal.result.winner != self.seat:
                    return False
                continue
            # The other may call before this seat leads: whatever it would do is among its moves.
            if deal.turn == self.seat and not deal.table:
                for caller, call in deal.calls():
                    if caller != self.seat and not self._all_win([self._made(deal, call)]):
                        return False
            seen = str(View.of(deal.text(), self.seat))
            alike.setdefault(seen, {})[str(deal)] = deal
        return all(self.wins(list(group.values())) for group in alike.values())


# ---------------------------------------------------------------- finding


class Maker:
    """Finds puzzles of some rules; equal seeds find equal puzzles."""

    def __init__(self, rules: RuleSet, kind: str, seed: int) -> None:
        self.rules = rules
        self.kind = kind
        self._rng = random.Random(f"puzzle {kind} {rules} {seed}")
        self._solver = Solver(table_mb=4)

    def hand(self) -> Iterator[Puzzle]:
        """The puzzles of one random hand; at most one of a trick."""
        position = Position(PositionText.dealt(self.rules, self._rng))
        found_at = -1
        tricks = 0
        while position.result is None:
            if self._would_claim(position):
                if self.kind == "seat" and not self._plain(position):
                    puzzle = self.look(position)
                    if puzzle is not None:
                        yield puzzle
                return
            if len(position.talon) <= _MOST_TALON[self.kind] and found_at != tricks:
                puzzle = self.look(position)
                if puzzle is not None:
                    found_at = tricks
                    yield puzzle
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            if not moves:
                return
            move = self._rng.choice(moves)
            if self._rng.random() < 0.6:
                if len(position.talon) <= _MOST_TALON[self.kind] + 4:
                    move = natural(View.of(position.text(), position.turn), moves)[0]
                elif position.table:
                    # Until it gets interesting a plain rule has to do, for it is quick.
                    move = next((each for each in moves if each.kind == "play"), move)
            tricks += bool(position.table)
            position.play(move)

    def several(self, seen: set[str], wanted: Collection[str] = ()) -> list[Puzzle]:
        """The next few puzzles whose positions are not among those seen; none if they are rare.

        Only those that have one of the themes wanted, if any is named.
        """
        found: list[Puzzle] = []
        for _ in range(_MOST_HANDS_OF_A_THEME if wanted else _MOST_HANDS):
            found += [
                puzzle
                for puzzle in self.hand()
                if puzzle.position not in seen and (not wanted or set(puzzle.themes) & set(wanted))
            ]
            if len(found) >= _CHOICE[self.kind]:
                break
        return found

    def _would_claim(self, position: Position) -> bool:
        """Whether the seat that may claim would, by what it knows: then the hand is over."""
        seat = position.claim_seat
        if seat is None:
            return False
        if self.kind == "seat":
            return estimate_claim(View.of(position.text(), seat)).verdict == "sure"
        counted = position.points[seat] + position.handicap[seat]
        return self.rules.target <= counted <= (self.rules.claim_ceiling or counted)

    def _plain(self, position: Position) -> bool:
        """Whether a sure claim is seen at once: what lies open in the pile is enough."""
        seat = position.claim_seat
        view = View.of(position.text(), position.turn if seat is None else seat)
        return estimate_claim(view).shown >= self.rules.target

    def look(self, position: Position) -> Puzzle | None:
        """The puzzle that a position is, if it is one."""
        if position.calls() or len(position.legal_moves()) < 3:
            return None
        if self.kind == "seat":
            return self._seat(position)
        return self._clairvoyant(position)

    def _clairvoyant(self, position: Position) -> Puzzle | None:
        answer = self._solver.solve(position, max_nodes=_MOST_NODES)
        if answer.value != 1 or not answer.exact or len(answer.best) != 1 or answer.calls:
            return None
        [best] = answer.best
        if best.kind in ("claim", "pass") or len(answer.line) < 4:
            return None
        wrong = []
        for each in answer.moves:
            if each.move == best:
                continue
            line = self._line(position, each.move)
            if line is None or each.value is None:
                return None
            wrong.append(Wrong(str(each.move), each.value, line))
        view = View.of(position.text(), position.turn)
        return self._puzzle(view, str(position), best, tuple(map(str, answer.line)), wrong, None)

    def _line(self, position: Position, move: Move) -> tuple[str, ...] | None:
        """Best play after a move, to the end of the hand."""
        after = position.copy()
        after.play(move)
        if _over(after):
            return ()
        answer = self._solver.solve(after, moves=False, max_nodes=_MOST_NODES)
        if answer.value is None:
            return None
        line = tuple(map(str, answer.line))
        for each in line:
            after.play(each)
        return line if _over(after) else None

    def _seat(self, position: Position) -> Puzzle | None:
        seat = position.turn
        told = self._solver.solve(position, line=False, max_nodes=_MOST_NODES)
        winning = [each.move for each in told.moves if each.value == 1]
        if not winning or len(winning) == len(told.moves) or told.calls:
            return None
        view = View.of(position.text(), seat)
        if not 3 <= view.world_count <= _MOST_WORLDS:
            return None
        deals = list(worlds(view, _MOST_WORLDS))
        if any(deal.result is not None or deal.calls() for deal in deals):
            return None
        fails: dict[Move, Wrong] = {}
        moves = position.legal_moves()
        sure = set(winning)
        for deal in deals:
            if deal.legal_moves() != moves:
                return None
            answer = self._solver.solve(deal, line=False, max_nodes=_MOST_NODES)
            for each in answer.moves:
                if each.value is None:
                    return None
                if each.value < 1:
                    sure.discard(each.move)
                    if each.move not in fails:
                        line = self._line(deal, each.move)
                        if line is not None:
                            fails[each.move] = Wrong(str(each.move), each.value, line, str(deal))
            if not sure:
                return None
        if len(sure) != 1 or len(fails) != len(moves) - 1:
            return None
        [best] = sure
        try:
            if not BestDefence(seat).wins_with(deals, best):
                return None
        except TooLarge:
            return None
        line = self._line(position, best)
        if line is None or (best.kind != "claim" and len(line) < 3):
            return None
        wrong = [fails[move] for move in moves if move != best]
        return self._puzzle(view, str(view), best, (str(best), *line), wrong, len(deals))

    def _puzzle(
        self,
        view: View,
        position: str,
        best: Move,
        line: tuple[str, ...],
        wrong: list[Wrong],
        alike: int | None,
    ) -> Puzzle | None:
        moves = [best, *(next(m for m in _legal(view, wrong) if str(m) == w.move) for w in wrong)]
        ranked = natural(view, sorted(moves, key=str))
        rank = ranked.index(best)
        # What a pile counts is no riddle where all cards are known.
        traps = tuple(
            str(move) for move in ranked[:rank] if alike is not None or move.kind != "claim"
        )
        depth = len(line)
        if not traps and depth < 6 and alike is None:
            return None  # seen at once
        rating = (
            700
            + 180 * min(len(traps), 4)
            + 30 * min(depth, 12)
            + 15 * min(len(moves), 12)
            + 20 * min(max(len(each.line) for each in wrong), 10)
            + (150 if alike is not None else 0)
        )
        return Puzzle(
            kind=self.kind,
            position=position,
            seat=view.seat,
            solution=str(best),
            line=line,
            wrong=tuple(wrong),
            themes=themes(
                view,
                best,
                [m for m in moves if m != best and (alike is not None or m.kind != "claim")],
            ),
            traps=traps,
            depth=depth,
            rating=rating,
            worlds=alike,
        )


def _legal(view: View, wrong: Sequence[Wrong]) -> list[Move]:
    from bura_core import parse_move

    return [parse_move(each.move) for each in wrong]


def themes(view: View, best: Move, others: Sequence[Move]) -> tuple[str, ...]:
    """What a solution is about, the main theme first."""
    trumps = 0 if view.trump is None else 511 << 9 * view.trump
    tens = sum(1 << suit * 9 + 7 for suit in range(4))
    aces = tens << 1
    leads = not view.text.table
    answers = not leads and best.kind in ("play", "discard")
    given = (answers and not _takes(view, best)) or (
        leads and best.kind == "play" and beat_odds(view, best.cards) > 0
    )
    plain = [move for move in others if move.kind in ("play", "discard")]
    spares = [move for move in plain if move.cards.bit_count() == best.cards.bit_count()]
    found = []
    if best.kind == "claim":
        found.append("claim")
    elif any(move.kind == "claim" for move in others) and estimate_claim(view).chance > 0:
        found.append("no_claim")
    if given and best.cards & tens and any(not move.cards & tens for move in spares):
        found.append("give_ten")
    if given and best.cards & aces and any(not move.cards & aces for move in spares):
        found.append("give_ace")
    if answers and not _takes(view, best) and any(_takes(view, move) for move in others):
        found.append("let_go")
    uses = [move for move in plain if move.cards & trumps]
    if best.kind != "claim" and uses and not best.cards & trumps and view.hand & trumps:
        found.append("hold_trump")
    if leads and best.cards.bit_count() >= 3:
        found.append("lead_three")
    if leads and best.cards.bit_count() == 2:
        found.append("lead_two")
    if best.cards & trumps and any(not move.cards & trumps for move in spares):
        found.append("spend_trump")
    if leads and best.kind == "play" and best.cards and not points_of(best.cards):
        found.append("lead_low")
    if _takes(view, best) or not found:
        found.append("right_cards")
    return tuple(sorted(set(found), key=list(THEMES).index))


def find(
    kinds: dict[str, int],
    rules: Sequence[str] | None,
    seed: int,
    *,
    wanted: Sequence[str] = (),
    known: Iterable[str] = (),
) -> Iterator[Puzzle]:
    """So many puzzles of each kind, spread over the rules and over themes.

    Each rule set in turn gives one of the next few that it finds: of a theme that there are least
    of as yet. Rules that hold no puzzle of a kind in many hands are left out for it.

    Args:
        kinds: how many of each kind.
        rules: of these; None for those of the kind.
        seed: equal seeds find equal puzzles.
        wanted: only with one of these themes; empty for any.
        known: positions that are not to be found again.
    """
    for kind, number in kinds.items():
        so_far: dict[str, int] = {}
        names = rules or (SEAT_RULES if kind == "seat" else RULES)
        makers = [Maker(RuleSet.parse(name), kind, seed) for name in names]
        seen = set(known)
        made = 0

        def main_theme(puzzle: Puzzle) -> str:
            return next(each for each in puzzle.themes if not wanted or each in wanted)

        while made < number and makers:
            for maker in list(makers):
                if made >= number:
                    break
                found = maker.several(seen, wanted)
                if not found:
                    makers.remove(maker)
                    continue
                best = min(found, key=lambda p: (so_far.get(main_theme(p), 0), -p.rating))
                seen.add(best.position)
                so_far[main_theme(best)] = so_far.get(main_theme(best), 0) + 1
                made += 1
                yield best


def page(puzzles: Sequence[Puzzle], older: Sequence[dict[str, Any]] = ()) -> str:
    """The file: JSON, one puzzle a line, easiest first within a kind.

    Those of an older file stand first and keep their names, for people link to them.
    """
    ordered = sorted(puzzles, key=lambda each: (each.kind, each.rating, each.position))
    taken = {kind: sum(each["kind"] == kind for each in older) for kind in KINDS}
    numbers = {kind: count(1 + number) for kind, number in taken.items()}
    told = [{**each, "title": titles(each["position"])} for each in older]
    told += [each.as_json(f"{each.kind[0]}{next(numbers[each.kind]):03}") for each in ordered]
    lines = [json.dumps(each, ensure_ascii=False) for each in told]
    named = {name: dict(zip(LANGUAGES, said, strict=True)) for name, said in THEMES.items()}
    head = f'{{"format": {FORMAT},\n"themes": {json.dumps(named, ensure_ascii=False)},\n'
    return head + '"puzzles": [\n' + ",\n".join(lines) + "\n]}\n"


def read_page(path: Path) -> list[dict[str, Any]]:
    """The puzzles of a file that `page` made.

    Raises:
        OSError: it can't be read.
        ValueError: it is no such file.
    """
    told = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ValueError(f"no format {FORMAT} in it")
    puzzles = told.get("puzzles")
    if not isinstance(puzzles, list) or not all(
        isinstance(each, dict) and {"position", "kind"} <= set(each) and each["kind"] in KINDS
        for each in puzzles
    ):
        raise ValueError("no puzzles in it")
    return puzzles


# ---------------------------------------------------------------- the command


def _whole(least: int, most: int) -> Any:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def main(argv: Sequence[str] | None = None) -> int:
    """`bura puzzle make`: 0 when the puzzles are written, 1 if fewer were found, 2 if unusable."""
    parser = argparse.ArgumentParser(
        prog="bura puzzle make",
        description="Find positions with exactly one winning move. Equal seeds, equal puzzles.",
    )
    parser.add_argument(
        "--clairvoyant", type=_whole(0, 100_000), default=10, metavar="N",
        help="so many in which all cards are known [10]",
    )  # fmt: skip
    parser.add_argument(
        "--seat", type=_whole(0, 100_000), default=0, metavar="N",
        help="so many from what one seat has seen [0]; slower",
    )  # fmt: skip
    parser.add_argument(
        "--rules", action="append", metavar="RULES",
        help="a rule set, may be repeated [most presets]",
    )  # fmt: skip
    parser.add_argument(
        "--theme", action="append", metavar="THEME", choices=list(THEMES), default=[],
        help="only of this theme, may be repeated [any]: " + ", ".join(THEMES),
    )  # fmt: skip
    parser.add_argument(
        "--with", dest="older", metavar="FILE", type=Path,
        help="the puzzles of that file, too: they stand first and keep their names",
    )  # fmt: skip
    parser.add_argument("--seed", type=_whole(0, 2**62), default=0, metavar="S", help="[0]")
    parser.add_argument("--out", metavar="FILE", help="write there, not on standard output")
    add_option(parser)
    try:
        chosen = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else 2
    try:
        language = preferred(chosen.lang)
    except ValueError as error:
        print(f"bura puzzle make: {error}", file=sys.stderr)
        return 2
    try:
        for name in chosen.rules or ():
            gap = not_for_two(RuleSet.parse(name))
            if gap is not None:
                print(f"bura puzzle make: {name}: {gap} cannot be solved yet", file=sys.stderr)
                return 2
    except InputError as error:
        for problem in str(error).splitlines():
            print(f"bura puzzle make: {problem}", file=sys.stderr)
        return 2
    older: list[dict[str, Any]] = []
    if chosen.older is not None:
        try:
            older = read_page(chosen.older)
        except (OSError, ValueError) as error:
            print(f"bura puzzle make: --with {chosen.older}: {error}", file=sys.stderr)
            return 2
    wanted = {"clairvoyant": chosen.clairvoyant, "seat": chosen.seat}
    puzzles = []
    for puzzle in find(
        wanted,
        chosen.rules,
        chosen.seed,
        wanted=chosen.theme,
        known=[each["position"] for each in older],
    ):
        puzzles.append(puzzle)
        if sys.stderr.isatty():
            so_far = say(
                language, "make_progress", found=len(puzzles), wanted=sum(wanted.values())
            )
            print(f"\r{so_far}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    text = page(puzzles, older)
    if chosen.out is None:
        sys.stdout.write(text)
    else:
        try:
            Path(chosen.out).write_text(text, encoding="utf-8")
        except OSError as error:
            reason = error.strerror or error
            print(f"bura puzzle make: cannot write {chosen.out}: {reason}", file=sys.stderr)
            return 2
    if len(puzzles) < sum(wanted.values()):
        few = say(language, "make_few", found=len(puzzles))
        print(f"bura puzzle make: {few}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
