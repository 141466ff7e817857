"""Answers as a person reads them: the whole picture of one, or a line for each of many."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import hypot

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from bura._words import duration, large, percent, plural, signed, thousands
from bura.cli.drawing import Pen, Seen
from bura.results import (
    OUTCOMES,
    CallValue,
    ClaimEstimate,
    Equilibrium,
    HandReview,
    MoveAdvice,
    Perft,
    Pile,
    PlayedPosition,
    PointsWays,
    Recommendation,
    ReviewedMove,
    RuleSet,
    Solution,
)

__all__ = ["Show", "print_trimmed"]

# A move is called a clear blunder when it costs at least this much of the stake, and the
# difference is at least so many standard errors.
BLUNDER, SURE_ERRORS = 0.3, 3
# Two moves are too close to tell apart when they differ by less than so many standard errors.
CLOSE_ERRORS = 2
# The most rows of a distribution before counts are put together, and the length of its bars.
MOST_ROWS, BAR = 20, 30
# What stands for letters and signs that a console cannot show: Cyrillic is transliterated.
_LETTERS = {
    ord(one): other
    for one, other in (
        {"±": "+-", "–": "-", "—": "-", "µ": "u", "«": '"', "»": '"', "♠": "s", "♥": "h"}
        | {"♦": "d", "♣": "c", "ё": "yo", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh"}
        | {"щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya"}
        | dict(zip("абвгдезийклмнопрстуф", "abvgdeziyklmnoprstuf", strict=True))
    ).items()
}
_LETTERS |= {
    ord(chr(one).upper()): other.capitalize() for one, other in _LETTERS.items() if one > 0x400
}
# The switches that an overview of the rule sets shows.
_OVERVIEW = ("deck", "hand", "target", "discards", "bura", "unclaimed")


def print_trimmed(console: Console, what: RenderableType) -> None:
    """Prints without the blanks that fill up each line, which are in the way in a pipe."""
    with console.capture() as capture:
        console.print(what)
    for line in capture.get().splitlines():
        console.file.write(line.rstrip() + "\n")


class Show:
    """Puts answers on a console."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.pen = Pen(console)
        # A console without the symbols gets plain letters for the rest as well.
        self.plain: Callable[[str], str] = str if self.pen.symbols else _ascii

    def _print(self, *parts: RenderableType | None) -> None:
        """Prints the parts one below the other; an empty string is an empty line."""
        print_trimmed(self.console, Group(*(part for part in parts if part is not None)))

    def _text(self, text: str, style: str = "") -> Text:
        return Text(self.plain(text), style=style)

    # One answer, the whole picture.

    def hint(self, answer: Recommendation) -> None:
        """The table, every move with its value, and what to do."""
        seen = Seen.read(answer.position)
        table = answer.table
        piles = [_contents(pile) for pile in table.piles]
        self._print(
            self.pen.heading(seen, table.seat),
            "",
            self.pen.table(seen, table.seat, piles),
            "",
            self._claim_right(answer),
            "",
        )
        if not answer.moves:
            self._print(self._text("There is nothing to play."))
            return
        mixed = answer.equilibrium
        self._print(
            *(() if mixed is None else (self._policy(mixed), "", self._why(mixed), "")),
            self._text("Averages over worlds, to compare:", "dim") if mixed is not None else None,
            self._advice_table(answer),
            "",
            self._advice(answer, seen) if mixed is None else None,
            self._text("A card in brackets is laid face down.", "dim")
            if any(each.move.startswith("(") for each in answer.moves)
            else None,
            self._text(_caveat(answer), "dim") if answer.total_worlds > 1 else None,
            # That a hand is no small ending yet goes without saying.
            self._text(f"Not solved as an ending: {answer.no_equilibrium}.", "dim")
            if answer.no_equilibrium and "joint deals" not in answer.no_equilibrium
            else None,
        )

    def played(self, answer: PlayedPosition, seat: int | None) -> None:
        """The table, and what may be done."""
        seen = Seen.read(answer.position)
        # The one whose hand alone is told: these are his eyes.
        told = [each for each, hand in enumerate(seen.hands) if not hand.unknown]
        eyes = seat if seat is not None or len(told) != 1 else told[0]
        piles = [_points(least, most) for least, most in answer.points]
        self._print(self.pen.heading(seen, eyes), "", self.pen.table(seen, eyes, piles), "")
        if answer.reason:
            who = "Nobody wins" if answer.winner is None else f"Seat {answer.winner} wins"
            self._print(self._text(f"The hand is over. {who}: {answer.reason}."))
            return
        moves = [self.pen.move(move) for _, move in answer.moves]
        if moves:
            before = f"Seat {answer.actor} may play: "
            self._print(self._join(before, moves, ", "))

    def claim(self, answer: ClaimEstimate) -> None:
        """The pile, its counts and the chance that a claim holds."""
        need = f"{answer.target} points are needed"
        if answer.ceiling is not None:
            need += f", and at most {answer.ceiling}"
        self._print(
            self._text(f"Pile of seat {answer.seat}: {_pile(answer)}; {need}."),
            *(("", self._distribution(answer), "") if answer.closed else ()),
            self._text(_holds(answer), "bold"),
            None
            if answer.allowed
            else self._text("But there is no right to claim in this very position."),
        )

    def solution(self, answer: Solution) -> None:
        """The table, the value of the position and of each move."""
        seen = Seen.read(answer.position)
        grid = Table.grid(padding=(0, 3))
        for move in answer.moves:
            best = move.move in answer.best
            worth = self._value(answer, move.value, move.lower, move.upper)
            if move.expected is not None:
                worth += f", {self._value(answer, move.expected, 0, 0)} if all play for themselves"
            grid.add_row(self.pen.move(move.move), self._text(worth), "best" if best else "")
        value = self._value(answer, answer.value, answer.lower, answer.upper)
        if answer.seats:
            value += " against all others together"
        best_play = "Best play for oneself: " if answer.seats else "Best play: "
        self._print(
            self.pen.heading(seen, None),
            "",
            self.pen.table(seen, None),
            "",
            self._text(f"Seat {seen.turn}, to act: {value}.", "bold"),
            *(("", grid, "") if answer.moves else ()),
            *(
                self._text(f"Seat {call.seat} may call {call.move}: {self._call(answer, call)}.")
                for call in answer.calls
            ),
            self._text(
                "Another seat may call first, which the values of the moves leave out."
                if answer.seats or len(answer.calls) > 1
                else "The other seat may call an out-of-turn lead first, which the values of the "
                "moves leave out."
            )
            if _called_away(answer)
            else None,
            *(("", self._seats(answer), "") if answer.seats else ()),
            self._join(best_play, [self.pen.move(move) for move in answer.line], ", ")
            if answer.line
            else None,
            self._text(_work(answer.nodes, answer.search_us, answer.stopped), "dim"),
        )

    def review(self, answer: HandReview) -> None:
        """A hand trick by trick, with what each move cost and what would have been better."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        points = any(each.points_upper is not None for each in answer.moves)
        for title in ("trick", "seat", "move", "outcome", *(["points"] if points else []), ""):
            table.add_column(title, justify="right" if title in ("trick", "points") else "left")
        trick = 0
        for each in answer.moves:
            number = f"{each.trick}." if each.trick != trick else ""
            trick = each.trick
            table.add_row(
                number,
                str(each.seat),
                self.pen.move(each.move),
                self._text(_outcome(each)),
                *([self._text(_points_cost(each))] if points else []),
                self._remark(each),
            )
        heading = Text()
        if answer.moves:
            seen = Seen.read(answer.moves[0].position)
            heading = Text.assemble(
                Text(seen.rules, style="bold"), ", ", self.pen.trump(seen.trump)
            )
        costly = len(answer.costly)
        unproved = sum(each.cost is None for each in answer.moves)
        said = f"{plural(costly, 'move')} cost the hand or a draw." if costly else "No move"
        if not costly:
            said += " certainly gave anything away." if unproved else " gave anything away."
        if unproved:
            said += f" Of {plural(unproved, 'move')} it is not proved what they cost."
        self._print(
            Text.assemble(heading, f"; result {answer.result}"),
            "",
            table,
            "",
            self._text(said, "bold"),
            self._text(_work(answer.nodes, answer.search_us, answer.stopped), "dim"),
        )

    def _remark(self, each: ReviewedMove) -> Text:
        """What is to be said of a move."""
        if each.cost_lower:
            lost = "loses" if each.upper == -1 else "gives up a win"
            best = self._few(each.best, "; better ", most=4)
            return Text.assemble(Text(lost, style="bold red"), best)
        if each.forced:
            return Text("forced", style="dim")
        return Text() if each.cost == 0 else Text("not proved", style="dim")

    def perft(self, answer: Perft) -> None:
        """The count, and its shares."""
        grid = Table.grid(padding=(0, 3))
        grid.add_column()
        grid.add_column(justify="right")
        for move, nodes in answer.divide.items():
            grid.add_row(move, thousands(nodes))
        self._print(
            grid if answer.divide else None,
            self._text(_count(answer), "bold"),
            self._text(f"in {duration(answer.search_us)}", "dim"),
        )

    def rule_sets(self, answers: Sequence[RuleSet]) -> None:
        """All rule sets, a line for each with the switches that tell them apart."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("name", style="bold", no_wrap=True)
        for title in _OVERVIEW:
            table.add_column(title, justify="right" if title in ("deck", "hand") else "left")
        table.add_column("after", overflow="fold")
        for each in answers:
            row = [each.switches.get(switch, "") for switch in _OVERVIEW]
            ceiling = each.switches.get("claim_ceiling", "none")
            if ceiling != "none":
                row[_OVERVIEW.index("target")] += self.plain(f"–{ceiling}")
            sources = re.findall(r"S[0-9][a-e]?", each.source)
            table.add_row(each.text, *row, " ".join(sources))
        self._print(
            table,
            "",
            self._text(
                "`bura rules NAME` tells one in words, with every switch (--lang ru: in Russian)."
            ),
        )

    def rule_set(self, answer: RuleSet) -> None:
        """One rule set as a player reads it, and all its switches."""
        told = Table.grid(padding=(0, 2, 1, 0))
        told.add_column(style="bold", no_wrap=True)
        told.add_column(overflow="fold")
        for title, text in answer.paragraphs:
            told.add_row(self.plain(title), self.plain(text))
        grid = Table.grid(padding=(0, 2))
        for switch in sorted(answer.switches):
            style = "bold" if switch in answer.changes else ""
            grid.add_row(switch, answer.switches[switch], style=style)
        self._print(
            self._text(f"{answer.text} ({answer.source})", "bold"),
            self._text(answer.description),
            "",
            *((told, "") if answer.paragraphs else ()),
            grid,
        )

    # One of many answers, a line for each.

    def hint_line(self, answer: Recommendation) -> Text:
        """The recommended move."""
        if not answer.moves or answer.move is None:
            return self._text("nothing to play")
        if answer.equilibrium is not None:
            played = [each for each in answer.equilibrium.moves if each.probability >= _PLAYED]
            parts = [
                Text.assemble(self.pen.move(each.move), f" {percent(each.probability)}")
                for each in played
            ]
            worth = signed(answer.equilibrium.value)
            return Text.assemble(Text(", ").join(parts), self._text(f"  {worth} in equilibrium"))
        first = answer.moves[0]
        return Text.assemble(
            self.pen.move(answer.move), self._text(f"  {self._mean(first)}, over {_of(answer)}")
        )

    def claim_line(self, answer: ClaimEstimate) -> Text:
        """The verdict."""
        return self._text(f"{_pile(answer)}, {answer.target} needed. {_holds(answer)}")

    def solution_line(self, answer: Solution) -> Text:
        """The value and the best moves."""
        value = self._value(answer, answer.value, answer.lower, answer.upper)
        moves = self._join("  ", [self.pen.move(move) for move in answer.best], ", ")
        work = self._text(f"  {_work(answer.nodes, answer.search_us, answer.stopped)}", "dim")
        return Text.assemble(self._text(value), moves, work)

    def perft_line(self, answer: Perft) -> Text:
        """The count, with its shares if they were asked for."""
        shares = "".join(f"\n  {move} {nodes}" for move, nodes in answer.divide.items())
        return self._text(_count(answer) + shares)

    # Their parts.

    def _claim_right(self, answer: Recommendation) -> Text:
        table = answer.table
        need = f"A claim needs {table.target} points"
        if table.claim_ceiling is not None:
            need += f", {table.claim_ceiling} at most"
        if answer.claim is not None and not answer.claim.allowed:
            chance = f"{answer.claim.chance} ({percent(answer.claim.chance)})"
            return self._text(
                f"{need}; you have no right to claim just now. As your pile stands, a claim "
                f"would hold with a chance of {chance}."
            )
        if answer.claim is None:
            return self._text(f"{need}; you have no right to claim just now.")
        return self._text(f"{need}, and you may claim now. {_holds(answer.claim)}")

    def _advice_table(self, answer: Recommendation) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("move")
        table.add_column("value", no_wrap=True)
        shares = ["win", "draw", "loss"]
        if any(each.unsettled for each in answer.moves):
            shares.append("unsettled")
        for name in shares:
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("beaten", justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        blunders = {each.move for each in _blunders(answer)}
        for each in answer.moves:
            remark = Text()
            if each.move == answer.move:
                remark = Text("recommended", style="bold green")
            elif each.move in answer.best:
                remark = Text("as good", style="green")
            elif each.move in blunders:
                remark = Text("blunder", style="bold red")
            table.add_row(
                self.pen.move(each.move),
                self._text(self._mean(each)),
                *(percent(getattr(each, name)) for name in shares),
                percent(each.beaten) if each.beaten is not None else "",
                remark,
            )
        return table

    def _policy(self, mixed: Equilibrium) -> Table:
        """How often each move is to be made."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("move")
        for name in ("how often", "value", "if always"):
            table.add_column(name, justify="right", no_wrap=True)
        for each in mixed.moves:
            table.add_row(
                self.pen.move(each.move),
                percent(each.probability),
                signed(each.value),
                "" if each.always is None else signed(each.always),
            )
        return table

    def _why(self, mixed: Equilibrium) -> Text:
        """What the mixed strategy means, and what not mixing would cost."""
        played = [each for each in mixed.moves if each.probability >= _PLAYED]
        first = mixed.moves[0]
        told = (
            f"In equilibrium over the {thousands(mixed.joint_deals)} deals that you both hold "
            f"possible this hand is worth {signed(mixed.value)} of a stake"
        )
        if mixed.raises is not None:
            told += f" (no more than {plural(mixed.raises, 'further raise')} considered)"
        if len(played) < 2:
            said = self.plain(f"{told}. Always ")
            return Text.assemble(
                said, self.pen.move(first.move), ": nothing is gained by mixing here."
            )
        free = [
            each
            for each in played
            if each.always is not None and each.always > mixed.value - _AS_GOOD
        ]
        if free:
            text = self._join(
                self.plain(f"{told}. Always "), [self.pen.move(each.move) for each in free], " or "
            )
            text.append(": as good as any mixture, whatever the other makes of it.")
            return text
        parts = [
            Text.assemble(self.pen.move(each.move), f" {percent(each.probability)} of the time")
            for each in played
        ]
        text = self._join(self.plain(f"{told}. Play "), parts, ", ")
        text.append(
            ", at random. Against an opponent who plays right each of these is worth the same; "
            "but if you always did one of them with such a hand, he could tell your hand by it."
        )
        for each in played:
            if each.always is not None:
                text.append(" Always ")
                text.append_text(self.pen.move(each.move))
                text.append(f" would be worth {signed(each.always)}.")
        return text

    def _advice(self, answer: Recommendation, seen: Seen) -> Text:
        first = answer.moves[0]
        leads = not seen.table
        said = self.pen.sentence(first.move, leads)
        said.stylize("bold")
        said.append(f": it wins in {percent(first.win)} of {_of(answer)}.")
        if first.beaten is not None:
            said.append(f" {_beaten(first.beaten)}")
        equal = [each.move for each in answer.moves[1:] if each.move in answer.best]
        close = [
            each.move
            for each in answer.moves[1:]
            if each.move not in answer.best and _errors_apart(first, each) < CLOSE_ERRORS
        ]
        blunders = [each.move for each in _blunders(answer)]
        said.append(self._few(equal, " Just as good: "))
        said.append(self._few(close, " Too close to tell apart: "))
        said.append(self._few(blunders, " Clear blunders: "))
        return said

    def _few(self, moves: Sequence[str], before: str, most: int = 6) -> Text:
        if not moves:
            return Text()
        drawn = self._join(before, [self.pen.move(move) for move in moves[:most]], ", ")
        more = f" and {len(moves) - most} more" if len(moves) > most else ""
        return Text.assemble(drawn, more, ".")

    def _distribution(self, answer: ClaimEstimate) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("points", justify="right")
        table.add_column("ways", justify="right")
        table.add_column("chance", justify="right")
        table.add_column("")
        rows = _rows(answer)
        widest = max((share for _, _, share in rows), default=1.0)
        for points, ways, share in rows:
            holds = points[0].points >= answer.target and (
                answer.ceiling is None or points[-1].points <= answer.ceiling
            )
            bar = ("█" if self.pen.symbols else "#") * round(BAR * share / widest)
            first, last = points[0].points, points[-1].points
            table.add_row(
                str(first) if first == last else self.plain(f"{first}–{last}"),
                large(ways),
                percent(share),
                Text(bar, style="green" if holds else "red"),
            )
        return table

    def _value(self, answer: Solution, value: int | None, lower: int, upper: int) -> str:
        if value is None:
            return f"between {lower:+d} and {upper:+d}"
        if answer.objective == "points":
            return f"{value:+d} points" if value else "0 points"
        if answer.objective == "score":
            return f"score {value:+d}" if value else "score 0"
        return f"{OUTCOMES[value]} ({value:+d})" if value else f"{OUTCOMES[value]} (0)"

    def _call(self, answer: Solution, call: CallValue) -> str:
        return self._value(answer, call.value, call.lower, call.upper)

    def _seats(self, answer: Solution) -> Table:
        """What each of several single players is sure of, and gets playing for himself."""
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for title in ("seat", "against all others", "all play for themselves"):
            table.add_column(title)
        for each in answer.seats:
            sure = self._value(
                answer, each.guaranteed, each.guaranteed_lower, each.guaranteed_upper
            )
            alone = self._value(answer, each.expected, each.expected_lower, each.expected_upper)
            table.add_row(str(each.seat), self._text(sure), self._text(alone))
        return table

    def _mean(self, advice: MoveAdvice) -> str:
        if not advice.standard_error:
            return signed(advice.value)
        return self.plain(f"{signed(advice.value)} ± {advice.standard_error:.2f}")

    @staticmethod
    def _join(before: str, parts: Iterable[Text], between: str) -> Text:
        joined = Text(between).join(parts)
        return Text.assemble(before, joined) if joined else Text()


def _points(least: int, most: int) -> str:
    return plural(least, "point") if least == most else f"{least} to {most} points"


def _ascii(text: str) -> str:
    return text.translate(_LETTERS).encode("ascii", "replace").decode("ascii")


def _outcome(each: ReviewedMove) -> str:
    if each.value is None:
        return f"{each.lower:+d} to {each.upper:+d}"
    return OUTCOMES[each.value]


def _points_cost(each: ReviewedMove) -> str:
    """What a move cost in points; nothing is said where it cost none."""
    if each.points_lower is None or each.points_upper is None or each.points_upper == 0:
        return ""
    if each.points_lower == each.points_upper:
        return f"-{each.points_upper}"
    return f"-{each.points_lower}..{each.points_upper}"


def _called_away(answer: Solution) -> bool:
    """Whether the other seat's call makes the position worth less than the best move."""
    best = answer.moves[0].value if answer.moves else None
    return best is not None and answer.value is not None and answer.value < best


def _errors_apart(better: MoveAdvice, worse: MoveAdvice) -> float:
    error = hypot(better.standard_error, worse.standard_error)
    return (better.value - worse.value) / error if error else float("inf")


_AS_GOOD = 0.005
"""Of a stake: what the gap of the solution leaves open counts for nothing."""

_PLAYED = 0.01
"""What is played less often than this is no part of a mixed strategy."""


def _blunders(answer: Recommendation) -> list[MoveAdvice]:
    first = answer.moves[0]
    return [
        each
        for each in answer.moves[1:]
        if first.value - each.value >= BLUNDER and _errors_apart(first, each) >= SURE_ERRORS
    ]


def _of(answer: Recommendation) -> str:
    """The worlds behind the values."""
    fit = "that fit what you have seen"
    if answer.worlds == answer.total_worlds:
        if answer.worlds == 1:
            return "the only world that fits what you have seen"
        return f"the {thousands(answer.worlds)} worlds {fit}"
    cut = "" if answer.stopped == "completed" else f", cut short by the bound on {answer.stopped}"
    return f"{plural(answer.worlds, 'world')} out of {large(answer.total_worlds)} {fit}{cut}"


def _caveat(answer: Recommendation) -> str:
    """What the values leave out."""
    known = (
        "In each of those worlds the cards are played as if all were known, which flatters "
        "moves that leave a guess open."
    )
    if answer.horizon is None:
        return known
    ahead = (
        f"{plural(answer.horizon, 'card')} of the talon ahead"
        if answer.horizon
        else "to the end of this trick"
    )
    return (
        f"{known} Searched {ahead}, with a rule of thumb beyond, whose mistakes no standard "
        "error covers."
    )


def _beaten(chance: Fraction) -> str:
    """Whether the other hand holds what beats a lead."""
    if chance == 0:
        return "The other hand can't beat it."
    if chance == 1:
        return "The other hand can beat it for certain."
    return f"The other hand can beat it with a chance of {chance} ({percent(chance)})."


def _contents(pile: Pile) -> str:
    """What a pile holds, said beside its cards."""
    if pile.minimum == pile.maximum:
        return plural(pile.minimum, "point")
    return f"{pile.minimum} to {pile.maximum} points, {pile.shown} of them seen"


def _pile(answer: ClaimEstimate) -> str:
    if not answer.closed:
        return plural(answer.shown, "point")
    sure = f"{answer.minimum} to {answer.maximum} points for certain"
    return f"{plural(answer.shown, 'point')} and {plural(answer.closed, 'face-down card')}, {sure}"


def _holds(answer: ClaimEstimate) -> str:
    if answer.verdict == "sure":
        return "The claim is sure to hold."
    if answer.verdict == "impossible":
        return "The claim can't hold."
    return (
        f"The claim is open: it holds with a chance of {answer.chance} ({percent(answer.chance)})."
    )


def _rows(answer: ClaimEstimate) -> list[tuple[list[PointsWays], int, float]]:
    """The counts of a pile, put together where there are too many; never across the target."""
    width = next(
        width for width in (1, 2, 5, 10, 20) if len(answer.distribution) <= MOST_ROWS * width
    )
    rows: dict[tuple[bool, bool, int], list[PointsWays]] = {}
    for each in answer.distribution:
        over = answer.ceiling is not None and each.points > answer.ceiling
        step = (each.points - answer.target) // width
        rows.setdefault((each.points >= answer.target, over, step), []).append(each)
    return [
        (points, sum(each.ways for each in points), sum(each.probability for each in points))
        for points in rows.values()
    ]


def _count(answer: Perft) -> str:
    more = "" if answer.exact else "more than "
    return f"{more}{thousands(answer.nodes)} sequences of {plural(answer.depth, 'move')}"


def _work(nodes: int, search_us: float, stopped: str) -> str:
    work = f"{plural(nodes, 'node')} in {duration(search_us)}"
    return work if stopped == "completed" else f"{work}, cut short by the bound on {stopped}"
