"""Answers as a person reads them: the whole picture of one, or a line for each of many."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import hypot

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from bura._words import duration, percent, signed, thousands
from bura.cli.drawing import Pen, Seen
from bura.cli.words import Language, Words
from bura.results import (
    CallValue,
    ClaimDecision,
    ClaimEstimate,
    Equilibrium,
    HandReview,
    MoveAdvice,
    Perft,
    Pile,
    PlayedPosition,
    PointsWays,
    RaiseAdvice,
    RaiseOption,
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
        | dict(zip("აბგდევზთიკლმნოპჟრსტუფქ", "abgdevztiklmnopjrstupk", strict=True))
        | {"ღ": "gh", "ყ": "q", "შ": "sh", "ჩ": "ch", "ც": "ts", "ძ": "dz", "წ": "ts", "ჭ": "ch"}
        | {"ხ": "kh", "ჯ": "j", "ჰ": "h", "„": '"', "“": '"'}
    ).items()
}
_LETTERS |= {
    ord(chr(one).upper()): other.capitalize()
    for one, other in _LETTERS.items()
    if 0x400 < one < 0x500
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

    def __init__(self, console: Console, words: Words | None = None) -> None:
        self.console = console
        self.words = words or Words()
        self.pen = Pen(console, self.words)
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
        piles = [self._contents(pile) for pile in table.piles]
        self._print(
            self.pen.heading(seen, table.seat),
            "",
            self.pen.table(seen, table.seat, piles),
            "",
            self._claim_right(answer),
            "",
        )
        if not answer.moves:
            self._print(self._text(self.words("nothing")))
            return
        mixed = answer.equilibrium
        self._print(
            *(() if mixed is None else (self._policy(mixed), "", self._why(mixed), "")),
            self._text(self.words("averages"), "dim") if mixed is not None else None,
            self._advice_table(answer),
            "",
            self._advice(answer, seen) if mixed is None else None,
            self._text(self.words("bracket"), "dim")
            if any(each.move.startswith("(") for each in answer.moves)
            else None,
            self._text(self._caveat(answer), "dim") if answer.total_worlds > 1 else None,
            # That a hand is no small ending yet goes without saying.
            self._text(self.words("not_solved", why=answer.no_equilibrium), "dim")
            if answer.no_equilibrium and "joint deals" not in answer.no_equilibrium
            else None,
        )

    def played(self, answer: PlayedPosition, seat: int | None) -> None:
        """The table, and what may be done."""
        seen = Seen.read(answer.position)
        # The one whose hand alone is told: these are his eyes.
        told = [each for each, hand in enumerate(seen.hands) if not hand.unknown]
        eyes = seat if seat is not None or len(told) != 1 else told[0]
        piles = [self._points(least, most) for least, most in answer.points]
        self._print(self.pen.heading(seen, eyes), "", self.pen.table(seen, eyes, piles), "")
        if answer.reason:
            who = "over_nobody" if answer.winner is None else "over_seat"
            reason = self._reason(answer.reason)
            self._print(self._text(self.words(who, seat=answer.winner, reason=reason)))
            return
        moves = [self.pen.move(move) for _, move in answer.moves]
        if moves:
            before = self.words("may_play", seat=answer.actor)
            self._print(self._join(before, moves, ", "))

    def claim(self, answer: ClaimEstimate) -> None:
        """The pile, its counts and the chance that a claim holds."""
        words = self.words
        need = words("needed", points=words.counted(answer.target, "point"))
        if answer.ceiling is not None:
            need += words("and_at_most", ceiling=answer.ceiling)
        self._print(
            self._text(words("pile", seat=answer.seat, pile=self._pile(answer), need=need)),
            *(("", self._distribution(answer), "") if answer.closed else ()),
            self._text(self._holds(answer), "bold"),
            None if answer.allowed else self._text(words("no_right_here")),
            None if answer.decision is None else self._text(self._decided(answer.decision)),
        )

    def _decided(self, decision: ClaimDecision) -> str:
        words = self.words
        text = words("d_claim") if decision.claim else words("d_play_on", move=decision.play)
        text += words(
            "d_values",
            claim=signed(decision.claim_value),
            play=signed(decision.play_value),
            error=f"{decision.standard_error:.3f}",
        )
        if decision.own_later is not None and decision.other_first is not None:
            text += words(
                "d_first",
                own=percent(decision.own_later),
                other=percent(decision.other_first),
            )
        return text

    def raising(self, answer: RaiseAdvice) -> None:
        """What to do about the stake, with every option."""
        words = self.words
        stake = words("r_stake", stake=answer.stake)
        if answer.offered is not None:
            stake += words("r_offered", offered=answer.offered)
        best = words("r_best", seat=answer.seat, move=answer.best, stake=stake)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(words("r_option"))
        table.add_column(words("r_match" if answer.unit == "match" else "r_stakes"))
        table.add_column(words("r_won"))
        for option in answer.options:
            table.add_row(option.move, _raise_worth(answer, option), percent(option.win))
        chance = words("r_chance", chance=percent(answer.chance))
        if answer.least is not None:
            before = percent(answer.chance_before)
            chance += words("r_answer", before=before, least=percent(answer.least))
        elif answer.accepts is not None:
            chance += words("r_stays", accepts=percent(answer.accepts))
        self._print(self._text(best, "bold"), "", table, "", self._text(chance))

    def raising_line(self, answer: RaiseAdvice) -> Text:
        """What to do about the stake."""
        unit = self.words("r_match" if answer.unit == "match" else "r_stakes")
        return self._text(f"{answer.best}  {unit} {_raise_worth(answer, answer.options[0])}")

    def solution(self, answer: Solution) -> None:
        """The table, the value of the position and of each move."""
        words = self.words
        seen = Seen.read(answer.position)
        grid = Table.grid(padding=(0, 3))
        for move in answer.moves:
            best = move.move in answer.best
            worth = self._value(answer, move.value, move.lower, move.upper)
            if move.expected is not None:
                alone = self._value(answer, move.expected, 0, 0)
                worth += words("for_themselves", value=alone)
            tag = self._text(words("best") if best else "")
            grid.add_row(self.pen.move(move.move), self._text(worth), tag)
        value = self._value(answer, answer.value, answer.lower, answer.upper)
        if answer.seats:
            value += words("against_all")
        best_play = words("best_play_own" if answer.seats else "best_play")
        self._print(
            self.pen.heading(seen, None),
            "",
            self.pen.table(seen, None),
            "",
            self._text(words("to_act", seat=seen.turn, value=value), "bold"),
            *(("", grid, "") if answer.moves else ()),
            *(
                self.pen.filled(
                    "may_call",
                    "move",
                    Text(call.move),
                    seat=call.seat,
                    value=self._call(answer, call),
                )
                for call in answer.calls
            ),
            self._text(
                words("call_any" if answer.seats or len(answer.calls) > 1 else "call_other")
            )
            if _called_away(answer)
            else None,
            *(("", self._seats(answer), "") if answer.seats else ()),
            self._join(best_play, [self.pen.move(move) for move in answer.line], ", ")
            if answer.line
            else None,
            self._text(self._work(answer.nodes, answer.search_us, answer.stopped), "dim"),
        )

    def review(self, answer: HandReview) -> None:
        """A hand trick by trick, with what each move cost and what would have been better."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        points = any(each.points_upper is not None for each in answer.moves)
        for name in ("trick", "seat", "move", "outcome", *(["points"] if points else []), ""):
            title = self.plain(self.words(f"h_{name}")) if name else ""
            table.add_column(title, justify="right" if name in ("trick", "points") else "left")
        trick = 0
        for each in answer.moves:
            number = f"{each.trick}." if each.trick != trick else ""
            trick = each.trick
            table.add_row(
                number,
                str(each.seat),
                self.pen.move(each.move),
                self._text(self._outcome(each)),
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
        words = self.words
        if costly:
            key = "costly_one" if costly == 1 else "costly"
            said = words(key, moves=words.counted(costly, "move"))
        else:
            said = words("costless_sure" if unproved else "costless")
        if unproved:
            said += words("unproved", moves=words.counted(unproved, "move"))
        result = self._text(words("result", result=self._result(answer.result)))
        self._print(
            Text.assemble(heading, result),
            "",
            table,
            "",
            self._text(said, "bold"),
            self._text(self._work(answer.nodes, answer.search_us, answer.stopped), "dim"),
        )

    def _remark(self, each: ReviewedMove) -> Text:
        """What is to be said of a move."""
        if each.cost_lower:
            lost = self.words("loses" if each.upper == -1 else "gives_up")
            best = self._few(each.best, "better", most=4)
            return Text.assemble(self._text(lost, "bold red"), best)
        if each.forced:
            return self._text(self.words("forced"), "dim")
        return Text() if each.cost == 0 else self._text(self.words("not_proved"), "dim")

    def perft(self, answer: Perft) -> None:
        """The count, and its shares."""
        grid = Table.grid(padding=(0, 3))
        grid.add_column()
        grid.add_column(justify="right")
        for move, nodes in answer.divide.items():
            grid.add_row(self.plain(self.words.get(move, move)), thousands(nodes))
        self._print(
            grid if answer.divide else None,
            self._text(self._count(answer), "bold"),
            self._text(self.words("in_time", time=duration(answer.search_us)), "dim"),
        )

    def rule_sets(self, answers: Sequence[RuleSet]) -> None:
        """All rule sets, a line for each with the switches that tell them apart."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(self.plain(self.words("h_name")), style="bold", no_wrap=True)
        for title in _OVERVIEW:
            table.add_column(title, justify="right" if title in ("deck", "hand") else "left")
        table.add_column(self.plain(self.words("h_after")), overflow="fold")
        for each in answers:
            row = [each.switches.get(switch, "") for switch in _OVERVIEW]
            ceiling = each.switches.get("claim_ceiling", "none")
            if ceiling != "none":
                row[_OVERVIEW.index("target")] += self.plain(f"–{ceiling}")
            table.add_row(each.text, *row, " ".join(_sources(each)))
        self._print(
            table,
            "",
            self._text(self.words("tell_rules")),
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
            self._text(f"{answer.text} ({self._source(answer)})", "bold"),
            self._text(answer.description),
            "",
            *((told, "") if answer.paragraphs else ()),
            grid,
        )

    def _source(self, answer: RuleSet) -> str:
        """What a rule set follows: words are told in English alone, the names of texts in all."""
        if self.words.language is Language.EN:
            return answer.source
        return ", ".join(_sources(answer)) or answer.source

    # One of many answers, a line for each.

    def hint_line(self, answer: Recommendation) -> Text:
        """The recommended move."""
        if not answer.moves or answer.move is None:
            return self._text(self.words("nothing_line"))
        if answer.equilibrium is not None:
            played = [each for each in answer.equilibrium.moves if each.probability >= _PLAYED]
            parts = [
                Text.assemble(self.pen.move(each.move), f" {percent(each.probability)}")
                for each in played
            ]
            worth = signed(answer.equilibrium.value)
            return Text.assemble(
                Text(", ").join(parts), self._text(self.words("equilibrium_line", value=worth))
            )
        first = answer.moves[0]
        return Text.assemble(
            self.pen.move(answer.move),
            self._text(self.words("over", value=self._mean(first), worlds=self._of(answer))),
        )

    def so_far(self, answer: Recommendation) -> str:
        """The best move of a hint that is not done yet, without colours."""
        if answer.move is None:
            return self.plain(self.words("nothing_line"))
        move = self.pen.move(answer.move).plain
        return self.plain(self.words("so_far", move=move, worlds=self._of(answer)))

    def claim_line(self, answer: ClaimEstimate) -> Text:
        """The verdict."""
        said = self.words(
            "claim_line",
            pile=self._pile(answer),
            target=answer.target,
            holds=self._holds(answer),
        )
        return self._text(said)

    def solution_line(self, answer: Solution) -> Text:
        """The value and the best moves."""
        value = self._value(answer, answer.value, answer.lower, answer.upper)
        moves = self._join("  ", [self.pen.move(move) for move in answer.best], ", ")
        work = self._text(f"  {self._work(answer.nodes, answer.search_us, answer.stopped)}", "dim")
        return Text.assemble(self._text(value), moves, work)

    def perft_line(self, answer: Perft) -> Text:
        """The count, with its shares if they were asked for."""
        shares = "".join(
            f"\n  {self.words.get(move, move)} {nodes}" for move, nodes in answer.divide.items()
        )
        return self._text(self._count(answer) + shares)

    # Their parts.

    def _claim_right(self, answer: Recommendation) -> Text:
        words, table = self.words, answer.table
        need = words("claim_needs", points=words.counted(table.target, "point"))
        if table.claim_ceiling is not None:
            need += words("at_most", ceiling=table.claim_ceiling)
        if answer.claim is None:
            return self._text(words("no_right", need=need))
        if not answer.claim.allowed:
            chance = f"{answer.claim.chance} ({percent(answer.claim.chance)})"
            return self._text(words("no_right_chance", need=need, chance=chance))
        return self._text(words("right", need=need, holds=self._holds(answer.claim)))

    def _advice_table(self, answer: Recommendation) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(self._title("move"))
        table.add_column(self._title("value"), no_wrap=True)
        shares = ["win", "draw", "loss"]
        if any(each.unsettled for each in answer.moves):
            shares.append("unsettled")
        for name in (*shares, "beaten"):
            table.add_column(self._title(name), justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        blunders = {each.move for each in _blunders(answer)}
        for each in answer.moves:
            remark = Text()
            if each.move == answer.move:
                remark = self._text(self.words("recommended"), "bold green")
            elif each.move in answer.best:
                remark = self._text(self.words("as_good"), "green")
            elif each.move in blunders:
                remark = self._text(self.words("blunder"), "bold red")
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
        table.add_column(self._title("move"))
        for name in ("often", "value", "always"):
            table.add_column(self._title(name), justify="right", no_wrap=True)
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
        words = self.words
        played = [each for each in mixed.moves if each.probability >= _PLAYED]
        told = words("worth", deals=thousands(mixed.joint_deals), value=signed(mixed.value))
        if mixed.raises is not None:
            told += words("few_raises", raises=words.counted(mixed.raises, "raise"))
        always = self.plain(words("always", told=told))
        if len(played) < 2:
            first = self.pen.move(mixed.moves[0].move)
            return Text.assemble(always, first, self.plain(words("pure")))
        free = [
            each
            for each in played
            if each.always is not None and each.always > mixed.value - _AS_GOOD
        ]
        if free:
            text = self._join(always, [self.pen.move(each.move) for each in free], words("or"))
            text.append(self.plain(words("free")))
            return text
        parts = [
            Text.assemble(
                self.pen.move(each.move),
                self.plain(words("of_the_time", share=percent(each.probability))),
            )
            for each in played
        ]
        text = self._join(self.plain(words("play", told=told)), parts, ", ")
        text.append(self.plain(words("mix")))
        for each in played:
            if each.always is not None:
                text.append(self.plain(words("cost_before")))
                text.append_text(self.pen.move(each.move))
                text.append(self.plain(words("cost", value=signed(each.always))))
        return text

    def _advice(self, answer: Recommendation, seen: Seen) -> Text:
        first = answer.moves[0]
        leads = not seen.table
        said = self.pen.sentence(first.move, leads)
        said.stylize("bold")
        wins = self.words("wins_in", share=percent(first.win), worlds=self._of(answer))
        said.append(self.plain(wins))
        if first.beaten is not None:
            said.append(self.plain(f" {self._beaten(first.beaten)}"))
        equal = [each.move for each in answer.moves[1:] if each.move in answer.best]
        close = [
            each.move
            for each in answer.moves[1:]
            if each.move not in answer.best and _errors_apart(first, each) < CLOSE_ERRORS
        ]
        blunders = [each.move for each in _blunders(answer)]
        said.append(self._few(equal, "equal"))
        said.append(self._few(close, "close"))
        said.append(self._few(blunders, "blunders"))
        return said

    def _title(self, name: str) -> str:
        """The heading of a column."""
        return self.plain(self.words(f"h_{name}"))

    def _few(self, moves: Sequence[str], before: str, most: int = 6) -> Text:
        if not moves:
            return Text()
        moves_drawn = [self.pen.move(move) for move in moves[:most]]
        drawn = self._join(self.plain(self.words(before)), moves_drawn, ", ")
        more = self.words("and_more", count=len(moves) - most) if len(moves) > most else ""
        return Text.assemble(drawn, self.plain(more), ".")

    def _distribution(self, answer: ClaimEstimate) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for name in ("points", "ways", "chance"):
            table.add_column(self._title(name), justify="right")
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
                self.plain(self.words.large(ways)),
                percent(share),
                Text(bar, style="green" if holds else "red"),
            )
        return table

    def _value(self, answer: Solution, value: int | None, lower: int, upper: int) -> str:
        if value is None:
            return self.words("between", lower=f"{lower:+d}", upper=f"{upper:+d}")
        if answer.objective == "points":
            # The sign is that of a difference; the noun follows the number.
            sign = "+" if value > 0 else ""
            return sign + self.words.counted(value, "point") if value else self._points(0, 0)
        sign = f"{value:+d}" if value else "0"
        if answer.objective == "score":
            return self.words("score_of", value=sign)
        return f"{self.words(_OUTCOMES[value])} ({sign})"

    def _call(self, answer: Solution, call: CallValue) -> str:
        return self._value(answer, call.value, call.lower, call.upper)

    def _seats(self, answer: Solution) -> Table:
        """What each of several single players is sure of, and gets playing for himself."""
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for name in ("seat", "against", "own"):
            table.add_column(self._title(name))
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

    def _points(self, least: int, most: int) -> str:
        if least == most:
            return self.words.counted(least, "point")
        return self.words("points_between", least=least, most=most)

    def _outcome(self, each: ReviewedMove) -> str:
        if each.value is None:
            return self.words("range", lower=f"{each.lower:+d}", upper=f"{each.upper:+d}")
        return self.words(_OUTCOMES[each.value])

    def _reason(self, reason: str) -> str:
        """How a hand ended; the service may know ways that are newer than this."""
        return self.words.get(f"reason_{reason}", reason)

    def _result(self, result: str) -> str:
        """The result of a record, such as `0 claim`."""
        who, _, reason = result.partition(" ")
        if not reason:
            return result
        key = "result_nobody" if who == "-" else "result_seat"
        return self.words(key, seat=who, reason=self._reason(reason))

    def _of(self, answer: Recommendation) -> str:
        """The worlds behind the values."""
        words = self.words
        if answer.worlds == answer.total_worlds:
            key = "only_world" if answer.worlds == 1 else "all_worlds"
            return words(key, count=thousands(answer.worlds))
        said = words(
            "some_worlds",
            worlds=words.counted(answer.worlds, "world"),
            total=words.large(answer.total_worlds),
        )
        return self._cut(said, answer.stopped)

    def _cut(self, said: str, stopped: str) -> str:
        if stopped == "completed":
            return said
        bound = self.words({"nodes": "nodes", "time": "time"}.get(stopped, "stop_asked"))
        return self.words("cut", said=said, bound=bound)

    def _work(self, nodes: int, search_us: float, stopped: str) -> str:
        counted = self.words.counted(nodes, "node")
        return self._cut(self.words("work", nodes=counted, time=duration(search_us)), stopped)

    def _caveat(self, answer: Recommendation) -> str:
        """What the values leave out."""
        words = self.words
        known = words("caveat")
        if answer.horizon is None:
            return known
        ahead = words("this_trick")
        if answer.horizon:
            ahead = words("ahead", cards=words.counted(answer.horizon, "card"))
        return words("caveat_ahead", known=known, ahead=ahead)

    def _beaten(self, chance: Fraction) -> str:
        """Whether the other hand holds what beats a lead."""
        if chance in (0, 1):
            return self.words("beaten_sure" if chance else "beaten_never")
        return self.words("beaten", chance=f"{chance} ({percent(chance)})")

    def _contents(self, pile: Pile) -> str:
        """What a pile holds, said beside its cards."""
        if pile.minimum == pile.maximum:
            return self.words.counted(pile.minimum, "point")
        return self.words("seen_of", least=pile.minimum, most=pile.maximum, shown=pile.shown)

    def _pile(self, answer: ClaimEstimate) -> str:
        words = self.words
        shown = words.counted(answer.shown, "point")
        if not answer.closed:
            return shown
        closed = words.counted(answer.closed, "closed")
        return words(
            "pile_closed", shown=shown, closed=closed, least=answer.minimum, most=answer.maximum
        )

    def _holds(self, answer: ClaimEstimate) -> str:
        return self.words(answer.verdict, chance=f"{answer.chance} ({percent(answer.chance)})")

    def _count(self, answer: Perft) -> str:
        moves = self.words.counted(answer.depth, "move")
        count = thousands(answer.nodes)
        if not answer.exact:
            count = self.words("more_than", count=count)
        return self.words("sequences", count=count, moves=moves)

    @staticmethod
    def _join(before: str, parts: Iterable[Text], between: str) -> Text:
        joined = Text(between).join(parts)
        return Text.assemble(before, joined) if joined else Text()


def _sources(rules: RuleSet) -> list[str]:
    """The source texts that a rule set follows, such as `S0c`."""
    return re.findall(r"S[0-9][a-e]?", rules.source)


def _ascii(text: str) -> str:
    return text.translate(_LETTERS).encode("ascii", "replace").decode("ascii")


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


_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}

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


def _raise_worth(answer: RaiseAdvice, option: RaiseOption) -> str:
    if answer.unit == "match":
        return f"{percent(option.value)} ±{percent(option.standard_error)}"
    return f"{signed(option.value)} ±{option.standard_error:.2f}"
