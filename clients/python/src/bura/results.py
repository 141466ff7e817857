"""What a service answers: frozen results with their units, ranges and perspective.

Cards, moves and positions are in the project's text notation: a card is rank and suit (`Th` is
the ten of hearts), a lead or a beating set is its cards (`TsJs`), a discard laid face down is in
brackets (`(7s8d)`), an out-of-turn call is `stop:KdQdJd`, and `claim` and `pass` are words.
`str()` of each result is plain text for a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from bura._words import duration, large, percent, plural, signed, thousands
from bura.errors import Fault

__all__ = [
    "CallValue",
    "ClaimDecision",
    "ClaimEstimate",
    "HandReview",
    "Method",
    "MoveAdvice",
    "MoveValue",
    "Objective",
    "Perft",
    "Pile",
    "PlayedPosition",
    "PointsWays",
    "Position",
    "RaiseAdvice",
    "RaiseOption",
    "Recommendation",
    "RecordCheck",
    "Replay",
    "ReplayedMove",
    "ReviewedMove",
    "RuleSet",
    "SeatValue",
    "Solution",
    "StopReason",
    "Table",
    "Verdict",
]

Objective = Literal["outcome", "points", "score"]
Method = Literal["enumerated", "sampled", "equilibrium", "played out"]
Verdict = Literal["sure", "open", "impossible"]
StopReason = Literal["completed", "nodes", "time", "stopped"]

OUTCOMES = {1: "win", 0: "no winner", -1: "loss"}


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move and what it is worth with best play, all cards known.

    Attributes:
        move: the move.
        value: its value for the seat that makes it, in the unit of the solution's objective;
            `None` if the search was cut short before the proof.
        lower: the value is at least this.
        upper: the value is at most this.
        expected: among three and more single players, what the seat gets after the move where
            everybody plays for himself (`value` is what it is sure of against all others
            together); `None` if that is not known.
    """

    move: str
    value: int | None
    lower: int
    upper: int
    expected: int | None = None

    def __str__(self) -> str:
        return f"{self.move} {_between(self.value, self.lower, self.upper)}"


@dataclass(frozen=True, slots=True)
class CallValue:
    """An out-of-turn lead or a challenge that a seat may call, and what it is worth to it.

    Attributes:
        seat: who may call.
        move: the call.
        value: its value for that seat; `None` if the search was cut short before the proof.
        lower: the value is at least this.
        upper: the value is at most this.
    """

    seat: int
    move: str
    value: int | None
    lower: int
    upper: int

    def __str__(self) -> str:
        return f"{self.seat}:{self.move} {_between(self.value, self.lower, self.upper)}"


@dataclass(frozen=True, slots=True)
class SeatValue:
    """What a position is worth to one of three and more single players.

    Attributes:
        seat: the seat.
        guaranteed: what it is sure of against all others together; `None` if not proved.
        guaranteed_lower: it is sure of at least this.
        guaranteed_upper: it is sure of at most this.
        expected: what it gets where everybody plays for himself; `None` if not proved.
        expected_lower: it gets at least this.
        expected_upper: it gets at most this.
    """

    seat: int
    guaranteed: int | None
    guaranteed_lower: int
    guaranteed_upper: int
    expected: int | None
    expected_lower: int
    expected_upper: int

    def __str__(self) -> str:
        sure = _between(self.guaranteed, self.guaranteed_lower, self.guaranteed_upper)
        alone = _between(self.expected, self.expected_lower, self.expected_upper)
        return f"{self.seat}: guaranteed {sure}, expected {alone}"


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a position with all cards known to all players ("clairvoyant").

    Two players and pairs play a zero-sum game; among three and more single players values are
    what the seat to act is sure of against all others together, and `seats` tells more.

    Attributes:
        position: the position in its canonical spelling.
        objective: what `value`, `lower`, `upper`, `moves`, `best` and `line` are about:
            `outcome`, `points` or `score`.
        outcome: +1 win, -1 loss, 0 neither, for the seat to act; under every objective.
            `None` if the search was cut short before the proof.
        points: own final pile (a pair's) less all others', -120 to 120 card points, for the seat
            to act, as if there were no claims and no combinations; only under the objective
            `points`.
        score: what the hand counts in the match at its stake, for the seat to act: won less
            lost; only under the objective `score`.
        lower: the value is at least this, for the seat to act.
        upper: the value is at most this, for the seat to act.
        moves: every legal move with its value, best first; empty if only the value was asked
            for. At the start of a trick the position's value includes the other seats' right to
            call an out-of-turn lead, the moves' values do not, so it may be lower than the best.
        best: all the moves of the highest value.
        line: a line of best play of both sides, as far as the search proved it.
        nodes: positions visited; stays at 4294967295 when there were more.
        search_us: time inside the search, in microseconds.
        stopped: why the search ended: `completed`, at its bound of `nodes` or `time`, or
            `stopped` because the service shut down.
        calls: what other seats may call now, valued for the seat that calls.
        seats: among three and more single players, the values of every seat; else empty. Then
            `line` is the line in which everybody plays for himself.
    """

    position: str
    objective: Objective
    outcome: int | None
    points: int | None
    lower: int
    upper: int
    moves: tuple[MoveValue, ...]
    best: tuple[str, ...]
    line: tuple[str, ...]
    nodes: int
    search_us: float
    stopped: StopReason
    calls: tuple[CallValue, ...] = ()
    seats: tuple[SeatValue, ...] = ()
    score: int | None = None

    @property
    def value(self) -> int | None:
        """`outcome`, `points` or `score`, whichever is asked for; `None` if not proved."""
        if self.objective == "points":
            return self.points
        return self.score if self.objective == "score" else self.outcome

    @property
    def exact(self) -> bool:
        """Whether the value is proved."""
        return self.value is not None

    def __str__(self) -> str:
        first = f"{self.objective} {_between(self.value, self.lower, self.upper)}"
        if self.objective == "outcome" and self.outcome is not None:
            first += f" ({OUTCOMES[self.outcome]} for the seat to act)"
        parts = [first]
        if self.best:
            parts.append("best " + " ".join(self.best))
        work = f"{thousands(self.nodes)} nodes in {duration(self.search_us)}"
        if self.stopped != "completed":
            work += f", cut short ({self.stopped})"
        parts.append(work)
        lines = ["; ".join(parts)]
        lines += [f"  {move}" for move in self.moves]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Perft:
    """How many move sequences of one length there are.

    Attributes:
        position: the position in its canonical spelling.
        depth: moves in a sequence.
        nodes: sequences of exactly that length; a finished hand has no moves, and the calls of
            an out-of-turn lead are moves.
        exact: whether that is all of them: a count that was cut short is only a lower bound.
        divide: sequences by first move, in the order of the legal moves; empty unless asked for.
        search_us: time spent counting, in microseconds.
        stopped: why the count ended, as in `Solution`.
    """

    position: str
    depth: int
    nodes: int
    exact: bool
    divide: Mapping[str, int]
    search_us: float
    stopped: StopReason

    def __str__(self) -> str:
        lines = [f"  {move} {thousands(nodes)}" for move, nodes in self.divide.items()]
        more = "" if self.exact else "more than "
        return "\n".join(
            [*lines, f"{more}{thousands(self.nodes)} sequences of {self.depth} moves"]
        )


@dataclass(frozen=True, slots=True)
class PointsWays:
    """One count that a pile may come to.

    Attributes:
        points: what the whole pile counts, handicap included.
        ways: ways in which the face-down cards give them.
        probability: their share of all ways, 0 to 1.
    """

    points: int
    ways: int
    probability: float


@dataclass(frozen=True, slots=True)
class ClaimDecision:
    """Claiming now against playing on, in which nobody claims on cards he has not seen.

    Attributes:
        claim: whether to claim: it may hold, and is worth at least as much as playing on.
        claim_value: what claiming is worth, -1 to 1 of the stake in force.
        play_value: what playing on is worth; standard_error: the error of that.
        play: the move to play on with.
        own_later: the chance to win by a later claim, 0 to 1; `None` where it is not told.
        other_first: the chance that the other claims first and wins, or `None` likewise.
        worlds: worlds looked at.
        method: how playing on was valued.
    """

    claim: bool
    claim_value: float
    play_value: float
    standard_error: float
    play: str
    own_later: float | None
    other_first: float | None
    worlds: int
    method: Method

    def __str__(self) -> str:
        what = "Claim" if self.claim else f"Play on, with {self.play}"
        text = (
            f"{what}: a claim is worth {signed(self.claim_value)}, playing on "
            f"{signed(self.play_value)} (±{self.standard_error:.3f}) of the stake."
        )
        if self.own_later is not None and self.other_first is not None:
            text += (
                f" A later claim wins {percent(self.own_later)}, the other gets there first in "
                f"{percent(self.other_first)}."
            )
        return text


@dataclass(frozen=True, slots=True)
class RaiseOption:
    """Something a seat may do about the stake, and what it promises.

    Attributes:
        move: `raise`, `accept`, `fold`, `claim` or a play.
        value: what it is worth, in the unit of the advice.
        standard_error: of that value.
        win: share of the hands that are won, those the other gives up included, 0 to 1.
        draw: share of the hands that nobody wins.
    """

    move: str
    value: float
    standard_error: float
    win: float
    draw: float


@dataclass(frozen=True, slots=True)
class RaiseAdvice:
    """Whether to raise, or how to answer a raise.

    Attributes:
        position: the position in its canonical spelling.
        seat: who is advised.
        options: everything he may do, best first.
        best: what to do.
        unit: `match`: values are chances to win the match, 0 to 1; `stakes`: stakes won.
        stake: the stake in force.
        offered: what the raise in question raises it to; `None` where the seat cannot raise.
        chance: the chance to win the hand if nobody raised any more, a draw counting half; of an
            answer, after the other's raise.
        chance_before: the same without what his raise tells.
        accepts: the chance that the other does not give up to the raise, or `None`.
        least: the least chance with which accepting is no worse than giving up, or `None`.
        play: what to do without a raise; `None` where a raise has to be answered.
        worlds: worlds looked at.
        method: how the values were found.
        search_us: time it took, in microseconds.
        stopped: why it ended.
    """

    position: str
    seat: int
    options: tuple[RaiseOption, ...]
    best: str
    unit: Literal["match", "stakes"]
    stake: int
    offered: int | None
    chance: float
    chance_before: float
    accepts: float | None
    least: float | None
    play: str | None
    worlds: int
    method: Method
    search_us: float
    stopped: StopReason

    def __str__(self) -> str:
        unit = "chance to win the match" if self.unit == "match" else "stakes"
        lines = [f"Seat {self.seat}: {self.best}. Stake {self.stake}"]
        if self.offered is not None:
            lines[0] += f", {self.offered} after the raise"
        lines[0] += "."
        for option in self.options:
            worth = percent(option.value) if self.unit == "match" else signed(option.value)
            lines.append(f"  {option.move:10} {worth:>8} {unit}, hand won {percent(option.win)}")
        text = f"Chance to win the hand: {percent(self.chance)}"
        if self.least is not None:
            text += (
                f" after the raise, {percent(self.chance_before)} before; accepting needs "
                f"{percent(self.least)}"
            )
        elif self.accepts is not None:
            text += f"; the other stays in with {percent(self.accepts)}"
        lines.append(text + ".")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ClaimEstimate:
    """What is known about a claim: exact, and before any assumption about how anybody plays.

    Attributes:
        position: the position in its canonical spelling.
        seat: whose pile it is, and whose eyes.
        shown: points of the cards in the pile that the seat knows, and of its handicap.
        closed: face-down cards in the pile that it does not know.
        minimum: fewest points the pile can count, handicap included, as in all that follow.
        maximum: most points the pile can count.
        target: points that a claim needs.
        ceiling: points above which a claim loses too; `None` without such a rule.
        verdict: `sure` if the claim holds in every world, `impossible` if in none, else `open`.
        chance: the share of the worlds in which it holds, an exact fraction, 0 to 1.
        distribution: the counts the pile may come to, fewest points first.
        total_ways: the sum of their ways.
        allowed: whether the seat may claim in this very position.
        decision: whether to claim, where that was asked for (`max_worlds`) and the seat may.
    """

    position: str
    seat: int
    shown: int
    closed: int
    minimum: int
    maximum: int
    target: int
    ceiling: int | None
    verdict: Verdict
    chance: Fraction
    distribution: tuple[PointsWays, ...]
    total_ways: int
    allowed: bool
    decision: ClaimDecision | None = None

    def __str__(self) -> str:
        pile = f"{self.minimum} to {self.maximum} points"
        if self.minimum == self.maximum:
            pile = f"{self.minimum} points"
        need = f"{self.target} needed"
        if self.ceiling is not None:
            need += f", {self.ceiling} at most"
        chance = f"{self.chance} ({percent(self.chance)})"
        return f"seat {self.seat} holds {pile}, {need}: {self.verdict}, the claim holds {chance}"


@dataclass(frozen=True, slots=True)
class Pile:
    """A pile as one seat sees it, points of a handicap included.

    Attributes:
        shown: points of the cards the seat knows.
        closed: face-down cards it does not know.
        minimum: fewest points the whole pile can count.
        maximum: most points the whole pile can count.
    """

    shown: int
    closed: int
    minimum: int
    maximum: int

    def __str__(self) -> str:
        if not self.closed:
            return f"{self.shown} points"
        cards = "card" if self.closed == 1 else "cards"
        return (
            f"{self.shown} points and {self.closed} face-down {cards}: "
            f"{self.minimum} to {self.maximum}"
        )


@dataclass(frozen=True, slots=True)
class Table:
    """What a seat knows without any search.

    Attributes:
        rules: the rule set in its canonical spelling.
        trump: the trump suit, `s`, `h`, `d` or `c`; `-` without trumps.
        seat: whose eyes these are.
        turn: the seat to act.
        hand: the seat's own cards.
        unseen: cards it has not seen: in other hands, face down in piles or in the talon.
        talon_cards: cards left in the talon.
        target: card points that a claim needs.
        claim_ceiling: card points above which a claim loses too; `None` without such a rule.
        piles: what lies in the piles, by seat.
        may_claim: whether the seat may claim now.
    """

    rules: str
    trump: str
    seat: int
    turn: int
    hand: str
    unseen: str
    talon_cards: int
    target: int
    claim_ceiling: int | None
    piles: tuple[Pile, ...]
    may_claim: bool

    def __str__(self) -> str:
        trump = "no trumps" if self.trump == "-" else f"trump {self.trump}"
        lines = [
            f"{self.rules}, {trump}, seat {self.seat} looks, seat {self.turn} to act",
            f"hand {self.hand}, {self.talon_cards} cards in the talon",
        ]
        lines += [f"pile {seat}: {pile}" for seat, pile in enumerate(self.piles)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class MoveAdvice:
    """A move and what it promises under hidden cards, from the side of the seat that makes it.

    Attributes:
        move: the move.
        value: mean outcome over the worlds, -1 to +1 of the stake in force; exact for a claim.
        standard_error: standard error of `value`, as an estimate over all worlds; 0 when every
            world was solved.
        win: share of the worlds in which the hand is won, 0 to 1.
        draw: share of the worlds in which nobody wins, 0 to 1.
        loss: share of the worlds in which the hand is lost, 0 to 1.
        worlds: worlds this move was valued in.
        beaten: for a lead of two players, the exact chance that the other hand can beat it,
            each world equally likely; `None` for other moves.
        unsettled: share of the worlds in which a limit left the outcome open, 0 to 1, which
            `value` counts as the middle of what it may be; makes 1 with win, draw and loss.
    """

    move: str
    value: float
    standard_error: float
    win: float
    draw: float
    loss: float
    worlds: int
    beaten: Fraction | None
    unsettled: float

    def __str__(self) -> str:
        text = (
            f"{self.move} {signed(self.value)} ± {self.standard_error:.2f} "
            f"(win {percent(self.win)}, draw {percent(self.draw)}, loss {percent(self.loss)})"
        )
        if self.beaten is not None:
            text += f", beaten {self.beaten} ({percent(self.beaten)})"
        return text


@dataclass(frozen=True, slots=True)
class EquilibriumMove:
    """A move of a mixed strategy, from the side of the seat that makes it.

    Attributes:
        move: the move; also `raise`, `accept`, `fold`, and `pass` for letting a call go.
        probability: how often to make it, 0 to 1.
        value: what it is worth against the other's equilibrium strategy, in stakes.
        always: what the hand is worth if it always makes this move and the other, knowing that,
            plays against it as well as he can; `None` if that was not asked for.
    """

    move: str
    probability: float
    value: float
    always: float | None

    def __str__(self) -> str:
        text = f"{self.move} {percent(self.probability)} {signed(self.value)}"
        return text if self.always is None else f"{text}, always {signed(self.always)}"


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """What is right where nobody sees more than he has seen: a solved small ending.

    Attributes:
        value: what this hand is worth, in stakes of the hand as it began.
        ending_value: what the ending is worth, averaged over the hands the seat may hold for all
            the other knows.
        lower: proved lower bound of `ending_value`.
        upper: proved upper bound of it.
        moves: the mixed strategy of this hand, likeliest move first.
        joint_deals: deals that both players together hold possible.
        infosets: decisions in the tree.
        iterations: iterations of the solver.
        memory: bytes it took.
        search_us: time it took, in microseconds.
        stopped: why it ended, as in `Solution`.
        raises: how many more raises were considered; `None` if all that the rules allow.
        prior: of the joint deals, `uniform` or `inferred` from what both did before.
    """

    value: float
    ending_value: float
    lower: float
    upper: float
    moves: tuple[EquilibriumMove, ...]
    joint_deals: int
    infosets: int
    iterations: int
    memory: int
    search_us: float
    stopped: StopReason
    raises: int | None
    prior: str

    @property
    def gap(self) -> float:
        """What the strategies of both can lose at most, together."""
        return self.upper - self.lower

    def __str__(self) -> str:
        lines = [
            f"equilibrium over {thousands(self.joint_deals)} joint deals, gap {self.gap:.4f}: "
            f"this hand {signed(self.value)}"
        ]
        lines += [f"  {move}" for move in self.moves]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A value with its error for each legal move, from what one player has seen.

    The values average clairvoyant play over the worlds the player can't tell apart, only that
    nobody claims on cards he has not seen; and so have the known bias of such averages: in each
    world the cards are played as if all were known.

    Attributes:
        position: the position in its canonical spelling.
        table: what the seat knows without any search.
        moves: every legal move of the seat, best first: by its average, or in an `equilibrium` by
            how often it is to be made.
        best: the recommended move, then those that are as good.
        claim: what is known about a claim; its `allowed` says whether it may come now.
        method: `enumerated` if every possible world was solved, `sampled` if a random sample,
            `equilibrium` if the small ending was solved: then `best` are the moves of its mixed
            strategy, likeliest first, perhaps `raise` among them, and the values in `moves` are
            averages over worlds, to compare.
        worlds: worlds solved.
        total_worlds: worlds there are.
        nodes: positions visited over all worlds; stays at 4294967295 when there were more.
        search_us: time inside the search, in microseconds.
        stopped: why the search ended, as in `Solution`; when a bound came first, the values are
            over the worlds solved by then.
        horizon: how many cards of the talon ahead the worlds were searched, with a rule of
            thumb beyond, whose mistakes no standard error covers; 0 for no farther than the
            trick under way, `None` for the whole hand.
        equilibrium: the solved ending, or `None`.
        no_equilibrium: why there is none, unless `max_deals` was 0; or empty.
        final: False for the answers of a stream that better ones follow.
    """

    position: str
    table: Table
    moves: tuple[MoveAdvice, ...]
    best: tuple[str, ...]
    claim: ClaimEstimate | None
    method: Method
    worlds: int
    total_worlds: int
    nodes: int
    search_us: float
    stopped: StopReason
    horizon: int | None
    equilibrium: Equilibrium | None = None
    no_equilibrium: str = ""
    final: bool = True

    @property
    def move(self) -> str | None:
        """The recommended move; `None` if there is none, because the hand is over."""
        return self.best[0] if self.best else None

    def __str__(self) -> str:
        worlds = f"all {thousands(self.worlds)} worlds"
        if self.worlds != self.total_worlds:
            worlds = f"{thousands(self.worlds)} of {large(self.total_worlds)} worlds"
        lines = [f"{self.move or 'nothing'} is recommended, over {worlds} ({self.method})"]
        lines += [f"  {move}" for move in self.moves]
        if self.equilibrium is not None:
            lines.append(f"  {self.equilibrium}")
        if self.claim is not None and self.claim.allowed:
            lines.append(f"  {self.claim}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """Whether a hand record is right.

    Attributes:
        faults: everything wrong with its text, tags and cards; or, if there is nothing, the first
            event that is not legal where it stands. Empty for a good record.
        text: the record in its canonical spelling; `None` if it could not be read.
        moves: how many moves it has; `None` if it could not be read.
    """

    faults: tuple[Fault, ...]
    text: str | None
    moves: int | None

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.faults

    def __str__(self) -> str:
        if self.faults:
            return "\n".join(map(str, self.faults))
        return f"a good record of {plural(self.moves or 0, 'move')}"


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """One move of a finished hand, against best play with all cards known.

    Attributes:
        trick: number of the trick, from 1.
        seat: who made it.
        move: the move.
        position: the position it was made in, all cards known.
        value: the outcome after it for that seat, +1 win, -1 loss, 0 neither; `None` if the
            search was cut short before the proof.
        lower: the outcome is at least this.
        upper: the outcome is at most this.
        best_value: the outcome after the best move; `None` if not proved.
        cost_lower: it cost at least this much of the outcome, 0 to 2.
        cost_upper: it cost at most this much.
        best: the moves of the highest value; empty if that is not proved.
        forced: whether it was the only one.
        points_lower: it cost at least so many card points, 0 to 240, played to the last card as
            if there were no claims and no combinations; `None` if not asked for.
        points_upper: it cost at most so many points.
    """

    trick: int
    seat: int
    move: str
    position: str
    value: int | None
    lower: int
    upper: int
    best_value: int | None
    cost_lower: int
    cost_upper: int
    best: tuple[str, ...]
    forced: bool
    points_lower: int | None
    points_upper: int | None

    @property
    def cost(self) -> int | None:
        """What it cost of the outcome: 2 turned a win into a loss; `None` if not proved."""
        return self.cost_lower if self.cost_lower == self.cost_upper else None

    @property
    def points_cost(self) -> int | None:
        """What it cost in card points; `None` if not proved or not asked for."""
        return self.points_lower if self.points_lower == self.points_upper else None

    def __str__(self) -> str:
        text = f"{self.trick}. {self.seat}:{self.move} "
        text += _between(self.value, self.lower, self.upper)
        if self.cost_lower:
            text += f", at the cost of {self.cost_lower}"
            if self.best:
                text += f": better {' '.join(self.best)}"
        return text


@dataclass(frozen=True, slots=True)
class HandReview:
    """What each move of a finished hand cost, with all cards known ("clairvoyant").

    That is hindsight: a move may have been right for a player who could not see the cards.

    Attributes:
        text: the record in its canonical spelling.
        moves: its moves, but for raises and the answers to them.
        result: how the hand ended, such as `0 claim`; `*` while it goes on.
        nodes: positions visited; stays at 4294967295 when there were more.
        search_us: time inside the searches, in microseconds.
        stopped: why the first search that was cut short ended; `completed` if none was.
        unreached: moves at the end that were not looked at, since the time was over.
    """

    text: str
    moves: tuple[ReviewedMove, ...]
    result: str
    nodes: int
    search_us: float
    stopped: StopReason
    unreached: int

    @property
    def costly(self) -> tuple[ReviewedMove, ...]:
        """The moves that certainly cost something of the outcome."""
        return tuple(move for move in self.moves if move.cost_lower > 0)

    def __str__(self) -> str:
        work = f"{thousands(self.nodes)} nodes in {duration(self.search_us)}"
        if self.stopped != "completed":
            work += f", cut short ({self.stopped})"
        first = f"{plural(len(self.costly), 'costly move')} of {len(self.moves)}; {work}"
        return "\n".join([first, *(f"  {move}" for move in self.costly)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A position by its parts; `str` gives its line, which every call takes as well.

    The parts are spelled as in the line, and judged by the service.

    Example:
        >>> position = Position(
        ...     rules="georgian3",
        ...     trump="h",
        ...     hands=("x3", "KsThTc"),
        ...     talon="x9Jh",
        ...     piles=("As(Js)", "TdAd"),
        ...     turn=1,
        ... )
        >>> str(position)
        'georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -'

    Attributes:
        rules: a preset, or one with switches changed, such as `classic[deck=32]`.
        trump: `s`, `h`, `d` or `c`; `-` without trumps.
        hands: by seat, `x3` for three unknown cards.
        talon: in drawing order, the bottom last.
        piles: by seat; `(Js)` lies face down, `x2` are two face-down cards unknown.
        turn: the seat to act.
        table: the plays of the running trick as (seat, cards), the lead first; `(7s)` is a
            card laid face down.
        options: such as `{"claim": 1, "stake": 2}`.
    """

    rules: str
    trump: str
    hands: tuple[str, ...]
    piles: tuple[str, ...]
    talon: str = "-"
    turn: int = 0
    table: tuple[tuple[int, str], ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [
            self.rules,
            self.trump,
            "/".join(hand or "-" for hand in self.hands),
            self.talon or "-",
            "/".join(pile or "-" for pile in self.piles),
            str(self.turn),
            ",".join(f"{seat}:{cards}" for seat, cards in self.table) or "-",
        ]
        return " ".join([*parts, *(f"{name}={value}" for name, value in self.options.items())])


@dataclass(frozen=True, slots=True)
class PlayedPosition:
    """A position, and what may be done in it.

    Attributes:
        position: its line.
        actor: the seat to act; `None` when the hand is over.
        moves: what may be done, as (seat, move): calls out of turn come last.
        points: the least and the most that each pile can count, by seat.
        winner: who has won; `None` if nobody has, or the hand goes on.
        reason: how the hand has ended, such as `claim`; empty while it goes on.
        record: the hand from its deal as a record; empty if it did not begin with one.
    """

    position: str
    actor: int | None
    moves: tuple[tuple[int, str], ...]
    points: tuple[tuple[int, int], ...]
    winner: int | None
    reason: str
    record: str

    def __str__(self) -> str:
        if self.reason:
            who = "nobody wins" if self.winner is None else f"seat {self.winner} wins"
            return f"{self.position}\nthe hand is over: {who} ({self.reason})"
        moves = ", ".join(move for _, move in self.moves)
        return f"{self.position}\nseat {self.actor} may play {moves or 'nothing that is known'}"


@dataclass(frozen=True, slots=True)
class ReplayedMove:
    """A move of a hand, and the position it was made in.

    Attributes:
        trick: number of its trick, from 1.
        seat: whose move it was.
        move: the move.
        position: the position's line, as it was seen.
    """

    trick: int | None
    seat: int
    move: str
    position: str

    def __str__(self) -> str:
        return f"{self.trick}. {self.seat}:{self.move}"


@dataclass(frozen=True, slots=True)
class Replay:
    """The moves of a hand, with the positions they were made in.

    Attributes:
        record: the hand's record in its canonical spelling.
        moves: its moves, in order.
        position: the last position; once the hand is over, the one before the move that
            ended it.
        result: how it ended, such as `0 claim`; `*` while it goes on.
    """

    record: str
    moves: tuple[ReplayedMove, ...]
    position: str
    result: str

    def __str__(self) -> str:
        return " ".join([*map(str, self.moves), self.result])


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A rule set in words: a preset, or a preset with switches changed.

    Attributes:
        name: the preset's name, such as `georgian3`.
        text: the spelling that a position line takes.
        source: which source text it follows, such as `S1`.
        description: one sentence for a player.
        switches: every switch with its value, as a position line spells them.
        paragraphs: the whole rules for a player, as (title, text).
        changes: the switches that are not as in the preset: (the preset's value, its own).
    """

    name: str
    text: str
    source: str
    description: str
    switches: Mapping[str, str]
    paragraphs: tuple[tuple[str, str], ...]
    changes: Mapping[str, tuple[str, str]]

    def __str__(self) -> str:
        return f"{self.text} ({self.source}): {self.description}"


def _between(value: int | None, lower: int, upper: int) -> str:
    if value is not None:
        return f"{value:+d}" if value else "0"
    return f"between {lower:+d} and {upper:+d}"
