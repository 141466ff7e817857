"""Between the messages of bura.v1 and the core's objects; the only module that knows both.

A request is read whole: everything that is wrong with it is found before anything is refused.
Faults of a position line keep the core's names of its parts, below the request's field
(`position.talon`).
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.rpc import status_pb2

from bura.v1 import advisor_pb2, record_pb2, rules_pb2, search_pb2, solver_pb2, table_pb2
from bura_core import (
    PRESETS,
    ClaimEstimate,
    Fault,
    InputError,
    Move,
    MoveAdvice,
    MoveValue,
    Position,
    PositionText,
    Recommendation,
    RuleSet,
    SeatValue,
    UnsupportedError,
    View,
    estimate_claim,
    format_cards,
    parse_position,
)
from bura_core.claiming import ClaimAdvice
from bura_core.equilibrium import MAX_DEALS, Ending, Unsolved
from bura_core.record import (
    MAX_RECORD,
    Event,
    HandRecord,
    parse_record,
    record_of,
    result_text,
    tags_of,
)
from bura_core.review import MoveReview, Review
from bura_core.rule_sets import SUPPORTED
from bura_service.descriptions import LANGUAGES, describe
from bura_service.guard import item_failure
from bura_service.picture import SPOKEN, Picture
from bura_service.searches import (
    OBJECTIVES,
    Advice,
    AdviceQuestion,
    BatchQuestion,
    CheckAnswer,
    CheckQuestion,
    ClaimAnswer,
    ClaimQuestion,
    Limits,
    Objective,
    PerftAnswer,
    PerftQuestion,
    RaiseAnswer,
    RaiseQuestion,
    RefineQuestion,
    ReplayQuestion,
    ReviewQuestion,
    SolveAnswer,
    SolveQuestion,
    canonical,
)
from bura_service.tables import MAX_MOVES, Description, MoveMade, ReplayAnswer

T = TypeVar("T")

# The longest sensible line, every card and switch written out, has some 700 characters.
_MAX_LINE = 4000
_MAX_POSITIONS = 1000
_MAX_DEPTH = 72
_DEFAULT_WORLDS = 2600
_PLAYED_OUT_WORLDS = 1000
_REPORT_INTERVAL = 0.2
# A world more costs memory as well as time, and 100,000 put the sampling error of a value,
# at most 0.003, far below the bias of the method.
_MAX_WORLDS = 100_000
# Endings of more joint deals take minutes.
_MAX_DEALS = 100_000
# What is played less often is left over from the search, and no part of the strategy.
_PLAYED = 0.01
_MAX_INT64 = 2**63 - 1
_MAX_UINT32 = 2**32 - 1
_MAX_SECONDS = 315_576_000_000  # what google.protobuf.Duration allows
# A larger budget is as good as none, and the core takes no such numbers.
_ENDLESS_NODES = 2**60
_ENDLESS_SECONDS = 1e8
_SUITS = "shdc"


class _Reader:
    """Reads the parts of one request, and keeps what is wrong with them for the end."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._errors: list[InputError] = []
        self._unsupported: UnsupportedError | None = None

    def refuse(self, field: str, value: object, problem: str, remedy: str) -> None:
        """Notes a fault of a plain field."""
        self._faults.append(Fault(field, str(value), problem, remedy))

    def core(self, read: Callable[[], T]) -> T | None:
        """What `read` makes of the position line, or None where the core refuses it."""
        try:
            return read()
        except InputError as error:
            self._errors.append(error)
            self._faults += map(_below_position, error.faults)
        except UnsupportedError as error:
            self._unsupported = error
        return None

    def part(self, field: str, read: Callable[[], T]) -> T | None:
        """What `read` makes of a part of the request, its faults below `field`."""
        try:
            return read()
        except InputError as error:
            self._errors.append(error)
            self._faults += [_below(field, fault) for fault in error.faults]
        except UnsupportedError as error:
            self._unsupported = error
        return None

    def finish(self) -> None:
        """Raises what was found, if anything, all at once."""
        if self._faults:
            only_core = len(self._errors) == 1 and len(self._errors[0].faults) == len(self._faults)
            # A kind of its own is kept only if it is the whole story.
            kind = type(self._errors[0]) if only_core else InputError
            raise kind(self._faults)
        if self._unsupported is not None:
            raise self._unsupported

    def line(self, text: str) -> str | None:
        """A position line of bearable length, or None."""
        fault = _line_fault(text)
        if fault is not None:
            self._faults.append(fault)
            return None
        return text

    def position(self, text: str) -> tuple[str, Position] | None:
        """The position written in `text`, all cards known: its canonical line, and to play on."""
        line = self.line(text)
        if line is None:
            return None
        return self.core(lambda: (canonical(line), Position.from_text(line)))

    def view(self, text: str, seat: int | None) -> View | None:
        """What one seat sees of the position written in `text`."""
        line = self.line(text)
        written = None if line is None else self.core(lambda: parse_position(line))
        players = 2 if written is None else written.rules.players
        if seat is not None and not 0 <= seat < players:
            seats = "0 or 1" if players == 2 else f"0 to {players - 1}"
            self.refuse("seat", seat, "is no seat", f"use {seats}, or leave it out")
            # The line's own faults are of interest all the same.
            if written is not None:
                self.core(lambda: View.from_text(written))
            return None
        return None if written is None else self.core(lambda: View.from_text(written, seat))

    def rules(self, text: str) -> RuleSet | None:
        """The rule set written in `text`, or None where it is refused."""
        try:
            return RuleSet.parse(text)
        except InputError as error:
            self._faults += [
                dataclasses.replace(
                    fault, field="rules" if fault.field == "rules" else f"rules.{fault.field}"
                )
                for fault in error.faults
            ]
        return None

    def language(self, code: str) -> str:
        """The language of texts; English where none is named."""
        if code and code not in LANGUAGES:
            self.refuse(
                "language_code", code, "is no language of these texts", f"use {_either(LANGUAGES)}"
            )
        return code or LANGUAGES[0]

    def limits(self, message: search_pb2.SearchLimits) -> Limits:
        """Checked bounds of a search."""
        nodes = None
        if message.HasField("max_nodes"):
            nodes = self.number("limits.max_nodes", message.max_nodes, 1, _MAX_INT64)
            nodes = min(nodes, _ENDLESS_NODES)
        seconds = None
        if message.HasField("max_time"):
            seconds = self.seconds(message.max_time, "limits.max_time")
        return Limits(nodes, seconds)

    def seconds(self, duration: Duration, field: str) -> float | None:
        """A time in seconds, more than zero."""
        valid = abs(duration.nanos) < 10**9 and abs(duration.seconds) <= _MAX_SECONDS
        seconds = duration.seconds + duration.nanos / 1e9
        if valid and duration.seconds * duration.nanos >= 0 and seconds > 0:
            return min(seconds, _ENDLESS_SECONDS)
        self.refuse(
            field,
            f"{duration.seconds}s {duration.nanos}ns",
            "is no time budget",
            "use a duration longer than zero, or leave it out for the default",
        )
        return None

    def number(self, field: str, value: int, least: int, most: int) -> int:
        """A whole number within its range."""
        if not least <= value <= most:
            self.refuse(field, value, "out of range", f"use {least} to {most}")
        return value

    def objective(self, value: int) -> Objective:
        """What to play for; outcome where nothing is said."""
        for name in OBJECTIVES:
            if value == _OBJECTIVES[name]:
                return name
        if value != solver_pb2.OBJECTIVE_UNSPECIFIED:
            names = [solver_pb2.Objective.Name(number) for number in _OBJECTIVES.values()]
            self.refuse("objective", value, "is no objective", "use " + _either(names))
        return "outcome"


def _line_fault(text: str) -> Fault | None:
    """What is wrong with a position line before the core looks at it."""
    if not text or text.isspace():
        remedy = "write rules trump hands talon piles turn table"
        return Fault("position", text, "is empty", remedy)
    if len(text) > _MAX_LINE:
        problem = f"has {len(text)} characters, more than {_MAX_LINE}"
        return Fault("position", text, problem, "send one position on one line")
    return None


def _either(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


@contextmanager
def position_faults() -> Iterator[None]:
    """Gives the faults that the core finds in a position only later the field they belong to."""
    try:
        yield
    except InputError as error:
        raise type(error)(map(_below_position, error.faults)) from error


@contextmanager
def stream_faults() -> Iterator[None]:
    """The same for the question of a stream."""
    try:
        with position_faults():
            yield
    except InputError as error:
        raise type(error)([_below("question", fault) for fault in error.faults]) from error


def _below(field: str, fault: Fault) -> Fault:
    return dataclasses.replace(fault, field=f"{field}.{fault.field}")


def _below_position(fault: Fault) -> Fault:
    if fault.field == "seat":  # a field of the request, though the core speaks of it
        return fault
    name = fault.field if fault.field == "position" else f"position.{fault.field}"
    return dataclasses.replace(fault, field=name)


# ---------------------------------------------------------------------------- requests


def solve_question(request: solver_pb2.SolvePositionRequest) -> SolveQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    reader = _Reader()
    position = reader.position(request.position)
    objective = reader.objective(request.objective)
    limits = reader.limits(request.limits)
    reader.finish()
    assert position is not None
    moves = not request.value_only
    return SolveQuestion(limits, *position, objective, moves, wants_line=moves)


def batch_question(
    request: solver_pb2.SolvePositionsRequest, most: int = _MAX_POSITIONS
) -> BatchQuestion[solver_pb2.SolvePositionsResponse]:
    """The questions in a request; raises InputError with everything wrong with all of them.

    The positions are yet to be read: that is part of the job, for it takes as long as the
    solving of easy ones.
    """
    reader = _Reader()
    count = len(request.positions)
    if not 1 <= count <= most:
        reader.refuse("positions", count, "is not the number of positions", f"send 1 to {most}")
    objective = reader.objective(request.objective)
    limits = reader.limits(request.limits)
    reader.finish()
    moves = not request.value_only
    return BatchQuestion(
        limits,
        request.positions,
        objective,
        moves,
        moves and request.want_line,
        _line_refusal,
        _batch_response,
    )


def _line_refusal(text: str) -> InputError | None:
    fault = _line_fault(text)
    return None if fault is None else InputError([fault])


def perft_question(request: solver_pb2.PerftRequest) -> PerftQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    reader = _Reader()
    position = reader.position(request.position)
    depth = reader.number("depth", request.depth, 0, _MAX_DEPTH)
    limits = reader.limits(request.limits)
    reader.finish()
    assert position is not None
    return PerftQuestion(limits, *position, depth, request.divide)


def advice_question(
    request: advisor_pb2.RecommendMoveRequest, worlds: int = _DEFAULT_WORLDS
) -> AdviceQuestion:
    """The question in a request; raises InputError with everything wrong with it.

    `worlds` is what is meant where max_worlds is not set.
    """
    reader = _Reader()
    view = reader.view(request.position, request.seat if request.HasField("seat") else None)
    if request.HasField("max_worlds"):
        worlds = reader.number("max_worlds", request.max_worlds, 1, _MAX_WORLDS)
    seed = reader.number("seed", request.seed, 0, _MAX_INT64)
    deals = MAX_DEALS
    if request.HasField("max_deals"):
        deals = reader.number("max_deals", request.max_deals, 0, _MAX_DEALS)
    limits = reader.limits(request.limits)
    reader.finish()
    assert view is not None
    return AdviceQuestion(limits, view, worlds, seed, deals)


def refine_question(request: advisor_pb2.RecommendMoveStreamRequest) -> RefineQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    reader = _Reader()
    question = reader.part("question", lambda: advice_question(request.question, _MAX_WORLDS))
    interval: float | None = _REPORT_INTERVAL
    if request.HasField("report_interval"):
        interval = reader.seconds(request.report_interval, "report_interval")
    reader.finish()
    assert question is not None
    assert interval is not None
    asked = question.limits, question.view, question.max_worlds, question.seed
    return RefineQuestion(*asked, question.max_deals, interval)


def claim_question(request: advisor_pb2.EstimateClaimRequest) -> ClaimQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    reader = _Reader()
    view = reader.view(request.position, request.seat if request.HasField("seat") else None)
    worlds = 0
    if request.HasField("max_worlds"):
        worlds = reader.number("max_worlds", request.max_worlds, 1, _MAX_WORLDS)
    seed = reader.number("seed", request.seed, 0, _MAX_INT64)
    limits = reader.limits(request.limits)
    reader.finish()
    assert view is not None
    return ClaimQuestion(limits, view, worlds, seed)


def raise_question(request: advisor_pb2.AdviseRaiseRequest) -> RaiseQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    reader = _Reader()
    view = reader.view(request.position, request.seat if request.HasField("seat") else None)
    worlds = _PLAYED_OUT_WORLDS
    if request.HasField("max_worlds"):
        worlds = reader.number("max_worlds", request.max_worlds, 1, _MAX_WORLDS)
    seed = reader.number("seed", request.seed, 0, _MAX_INT64)
    limits = reader.limits(request.limits)
    reader.finish()
    assert view is not None
    return RaiseQuestion(limits, view, worlds, seed, request.no_raise_hand_played)


# --------------------------------------------------------------------------- responses

_STOP_REASONS: dict[str | None, search_pb2.StopReason.ValueType] = {
    None: search_pb2.STOP_REASON_COMPLETED,
    "nodes": search_pb2.STOP_REASON_NODES,
    "time": search_pb2.STOP_REASON_TIME,
    "stop": search_pb2.STOP_REASON_STOPPED,
}
_OBJECTIVES: dict[str, solver_pb2.Objective.ValueType] = {
    "outcome": solver_pb2.OBJECTIVE_OUTCOME,
    "points": solver_pb2.OBJECTIVE_POINTS,
    "score": solver_pb2.OBJECTIVE_SCORE,
}
_METHODS: dict[str, advisor_pb2.Method.ValueType] = {
    "enumerated": advisor_pb2.METHOD_ENUMERATED,
    "sampled": advisor_pb2.METHOD_SAMPLED,
    "equilibrium": advisor_pb2.METHOD_EQUILIBRIUM,
    "played out": advisor_pb2.METHOD_PLAYED_OUT,
}
_VERDICTS: dict[str, advisor_pb2.Verdict.ValueType] = {
    "sure": advisor_pb2.VERDICT_SURE,
    "open": advisor_pb2.VERDICT_OPEN,
    "impossible": advisor_pb2.VERDICT_IMPOSSIBLE,
}


def _exactness(exact: bool) -> search_pb2.Exactness.ValueType:
    return search_pb2.EXACTNESS_EXACT if exact else search_pb2.EXACTNESS_BOUNDED


def _microseconds(search_us: float) -> float:
    """A time to a tenth of a microsecond: finer no clock is, and in JSON it is shorter."""
    return round(search_us, 1)


# Moves are few, and the same come again and again.
_told = lru_cache(maxsize=1 << 15)(str)


def _texts(moves: Iterable[Move]) -> list[str]:
    return [_told(move) for move in moves]


def solve_response(answer: SolveAnswer) -> solver_pb2.SolvePositionResponse:
    """The message of a solution."""
    response = solver_pb2.SolvePositionResponse()
    _fill_solution(response, answer)
    return response


def _fill_solution(response: solver_pb2.SolvePositionResponse, answer: SolveAnswer) -> None:
    """Field by field: half the time of making messages for other messages to copy."""
    solution = answer.solution
    lower, upper = solution.lower, solution.upper
    response.position = answer.text
    response.objective = _OBJECTIVES[solution.objective]
    response.exactness = _exactness(lower == upper)
    if answer.outcome is not None:
        response.outcome = answer.outcome
    if solution.objective == "points" and lower == upper:
        response.points = lower
    if solution.objective == "score" and lower == upper:
        response.score = lower
    response.lower = lower
    response.upper = upper
    add = response.moves.add
    for value in solution.moves:
        _fill_move(add(), value)
    for call in solution.calls:
        _fill_call(response.calls.add(), call)
    for sure, alone in zip(solution.guaranteed, solution.expected, strict=True):
        _fill_seat(response.seats.add(), sure, alone)
    if solution.best:
        response.best.extend(_texts(solution.best))
    if solution.line:
        response.line.extend(_texts(solution.line))
    response.nodes = min(answer.nodes, _MAX_UINT32)
    response.search_us = _microseconds(answer.search_us)
    response.stopped = _STOP_REASONS[solution.stopped]


def _fill_move(message: solver_pb2.MoveValue, value: MoveValue) -> None:
    lower, upper = value.lower, value.upper
    message.move = _told(value.move)
    if lower == upper:
        message.value = lower
    message.lower = lower
    message.upper = upper
    if value.expected is not None:
        message.expected = value.expected


def _fill_call(message: solver_pb2.CallValue, call: MoveValue) -> None:
    message.seat = call.seat or 0
    message.move = str(call.move)
    if call.value is not None:
        message.value = call.value
    message.lower = call.lower
    message.upper = call.upper


def _fill_seat(message: solver_pb2.SeatValue, sure: SeatValue, alone: SeatValue) -> None:
    message.seat = sure.seat
    if sure.value is not None:
        message.guaranteed = sure.value
    message.guaranteed_lower = sure.lower
    message.guaranteed_upper = sure.upper
    if alone.value is not None:
        message.expected = alone.value
    message.expected_lower = alone.lower
    message.expected_upper = alone.upper


def _batch_response(
    results: Iterable[SolveAnswer | Exception],
) -> solver_pb2.SolvePositionsResponse:
    """The message of many results."""
    response = solver_pb2.SolvePositionsResponse()
    add = response.results.add
    for result in results:
        if isinstance(result, SolveAnswer):
            _fill_solution(add().solution, result)
        else:
            add().error.CopyFrom(_item_status(result))
    return response


def _item_status(error: Exception) -> status_pb2.Status:
    if isinstance(error, InputError):
        error = type(error)(map(_below_position, error.faults))
    return item_failure("/bura.v1.SolverService/SolvePositions", error).details


def perft_response(answer: PerftAnswer) -> solver_pb2.PerftResponse:
    """The message of a count."""
    return solver_pb2.PerftResponse(
        position=answer.text,
        depth=answer.depth,
        exactness=_exactness(answer.stopped is None),
        nodes=answer.nodes,
        divide=(
            solver_pb2.PerftMove(move=move, nodes=nodes) for move, nodes in answer.divide.items()
        ),
        search_us=_microseconds(answer.search_us),
        stopped=_STOP_REASONS[answer.stopped],
    )


def advice_response(view: View, answer: Advice) -> advisor_pb2.RecommendMoveResponse:
    """The message of a recommendation."""
    advice = answer.average
    unsolved = answer.ending if isinstance(answer.ending, Unsolved) else None
    ending = answer.ending if isinstance(answer.ending, Ending) else None
    claim = claim_response(view, ClaimAnswer(advice.pile))
    return advisor_pb2.RecommendMoveResponse(
        position=str(view.text),
        table=_table_facts(view),
        moves=map(_move_advice, advice.moves if ending is None else _in_order(ending, advice)),
        best=_best(advice) if ending is None else _likeliest(ending),
        claim=claim,
        method=_METHODS[advice.method if ending is None else ending.method],
        worlds=advice.worlds,
        total_worlds=str(advice.total_worlds),
        nodes=min(advice.nodes, _MAX_UINT32),
        search_us=_microseconds(advice.search_us),
        stopped=_STOP_REASONS[answer.stopped],
        horizon=advice.horizon,
        equilibrium=None if ending is None else _equilibrium(ending),
        no_equilibrium="" if unsolved is None else unsolved.reason,
    )


def _likeliest(ending: Ending) -> list[str]:
    """The likeliest move of a mixed strategy, then the others that it plays."""
    return _texts(
        move.move for i, move in enumerate(ending.moves) if i == 0 or move.probability >= _PLAYED
    )


def _in_order(ending: Ending, advice: Recommendation) -> list[MoveAdvice]:
    """The averages in the order of the mixed strategy, which takes the lead."""
    place = {move: at for at, move in enumerate(_likeliest(ending))}
    # The others stay in the order of their averages.
    return sorted(advice.moves, key=lambda each: place.get(str(each.move), len(place)))


def _equilibrium(ending: Ending) -> advisor_pb2.Equilibrium:
    return advisor_pb2.Equilibrium(
        value=ending.value,
        ending_value=ending.ending_value,
        lower=ending.lower,
        upper=ending.upper,
        gap=ending.gap,
        moves=(
            advisor_pb2.EquilibriumMove(
                move=str(move.move),
                probability=move.probability,
                value=move.value,
                always=move.always,
            )
            for move in ending.moves
        ),
        joint_deals=ending.joint_deals,
        infosets=ending.infosets,
        iterations=ending.iterations,
        memory=ending.memory,
        search_us=_microseconds(ending.search_us),
        stopped=_STOP_REASONS[ending.stopped],
        raises=ending.raises,
        prior=ending.prior,
    )


def refined_response(
    view: View, advice: Advice, final: bool
) -> advisor_pb2.RecommendMoveStreamResponse:
    """The message of one of the answers of a stream."""
    return advisor_pb2.RecommendMoveStreamResponse(
        recommendation=advice_response(view, advice), final=final
    )


def _best(advice: Recommendation) -> list[str]:
    """The recommended move, then those that are worth as much."""
    top = advice.moves[0].value
    return _texts(move.move for move in advice.moves if move.value == top)


def _move_advice(advice: MoveAdvice) -> advisor_pb2.MoveAdvice:
    beaten = advice.beaten
    return advisor_pb2.MoveAdvice(
        move=str(advice.move),
        value=advice.value,
        standard_error=advice.standard_error,
        win=advice.win,
        draw=advice.draw,
        loss=advice.loss,
        worlds=advice.worlds,
        unsettled=advice.unsettled,
        beaten=None if beaten is None else _chance(beaten.numerator, beaten.denominator),
    )


def _chance(numerator: int, denominator: int) -> advisor_pb2.Chance:
    return advisor_pb2.Chance(
        numerator=str(numerator), denominator=str(denominator), value=numerator / denominator
    )


def _table_facts(view: View) -> advisor_pb2.TableFacts:
    text, rules = view.text, view.rules
    estimates = [estimate_claim(view, seat) for seat in range(rules.players)]
    return advisor_pb2.TableFacts(
        rules=str(rules),
        trump="-" if view.trump is None else _SUITS[view.trump],
        seat=view.seat,
        turn=text.turn,
        hand=format_cards([card for card in text.hands[view.seat] if card is not None]),
        unseen=format_cards(view.unseen),
        talon_cards=len(text.talon),
        target=rules.target,
        claim_ceiling=rules.claim_ceiling,
        piles=map(_pile_facts, estimates),
        may_claim=estimates[view.seat].allowed,
    )


def _pile_facts(estimate: ClaimEstimate) -> advisor_pb2.PileFacts:
    return advisor_pb2.PileFacts(
        shown=estimate.shown,
        closed=estimate.closed,
        minimum=estimate.minimum,
        maximum=estimate.maximum,
    )


def claim_response(view: View, answer: ClaimAnswer) -> advisor_pb2.EstimateClaimResponse:
    """The message of an estimate, and of the decision where there is one."""
    estimate, advice = answer.estimate, answer.advice
    message = advisor_pb2.EstimateClaimResponse(
        position=str(view.text),
        seat=estimate.seat,
        shown=estimate.shown,
        closed=estimate.closed,
        minimum=estimate.minimum,
        maximum=estimate.maximum,
        target=estimate.target,
        ceiling=estimate.ceiling,
        verdict=_VERDICTS[estimate.verdict],
        chance=_chance(estimate.chance.numerator, estimate.chance.denominator),
        distribution=(
            advisor_pb2.PointsWays(
                points=points, ways=str(ways), probability=ways / estimate.total_ways
            )
            for points, ways in estimate.ways
        ),
        total_ways=str(estimate.total_ways),
        allowed=estimate.allowed,
    )
    if advice is not None:
        message.decision.CopyFrom(_claim_decision(advice))
        message.stopped = _STOP_REASONS[answer.stopped]
    return message


def _claim_decision(advice: ClaimAdvice) -> advisor_pb2.ClaimDecision:
    return advisor_pb2.ClaimDecision(
        claim=advice.claim,
        claim_value=advice.claim_value,
        play_value=advice.play_value,
        standard_error=advice.standard_error,
        play=str(advice.play),
        own_later=advice.own_later,
        other_first=advice.other_first,
        worlds=advice.worlds,
        method=_METHODS[advice.method],
    )


_UNITS: dict[str, advisor_pb2.RaiseUnit.ValueType] = {
    "match": advisor_pb2.RAISE_UNIT_MATCH,
    "stakes": advisor_pb2.RAISE_UNIT_STAKES,
}


def raise_response(view: View, answer: RaiseAnswer) -> advisor_pb2.AdviseRaiseResponse:
    """The message of advice on a raise."""
    advice = answer.advice
    return advisor_pb2.AdviseRaiseResponse(
        position=str(view.text),
        seat=advice.seat,
        options=(
            advisor_pb2.RaiseOption(
                move=str(option.move),
                value=option.value,
                standard_error=option.standard_error,
                win=option.win,
                draw=option.draw,
            )
            for option in advice.options
        ),
        best=str(advice.best),
        unit=_UNITS[advice.unit],
        stake=advice.stake,
        offered=advice.offered,
        chance=answer.chance,
        chance_before=answer.chance_before,
        accepts=advice.accepts,
        least=advice.least,
        play="" if advice.play is None else str(advice.play),
        worlds=advice.worlds,
        method=_METHODS[advice.method],
        stopped=_STOP_REASONS[answer.stopped],
        search_us=_microseconds(answer.search_us),
    )


def rule_sets_question(request: rules_pb2.ListRuleSetsRequest) -> str:
    """The language of a request; raises InputError where there is no such."""
    reader = _Reader()
    language = reader.language(request.language_code)
    reader.finish()
    return language


@lru_cache(maxsize=len(LANGUAGES))
def rule_sets_response(language: str) -> rules_pb2.ListRuleSetsResponse:
    """The message with every preset this build plays."""
    return rules_pb2.ListRuleSetsResponse(
        rule_sets=(
            _rule_set(rules, language) for name, rules in PRESETS.items() if name in SUPPORTED
        )
    )


def rule_set_response(request: rules_pb2.GetRuleSetRequest) -> rules_pb2.GetRuleSetResponse:
    """The message of one rule set; raises InputError with everything wrong with the request."""
    reader = _Reader()
    language = reader.language(request.language_code)
    rules = reader.rules(request.rules)
    reader.finish()
    assert rules is not None
    return rules_pb2.GetRuleSetResponse(rule_set=_rule_set(rules, language))


def _rule_set(rules: RuleSet, language: str) -> rules_pb2.RuleSet:
    told = describe(rules, language)
    return rules_pb2.RuleSet(
        name=rules.name,
        text=str(rules),
        source=rules.source,
        description=told.brief,
        switches=rules.switches(),
        paragraphs=(
            rules_pb2.RuleParagraph(title=each.title, text=each.text) for each in told.paragraphs
        ),
        changes=(
            rules_pb2.RuleChange(switch=each.switch, usual=each.usual, value=each.value)
            for each in told.changes
        ),
    )


# Ends of a search that the same question would come to again.
_REPEATABLE = (search_pb2.STOP_REASON_COMPLETED, search_pb2.STOP_REASON_NODES)


def to_keep(response: Any) -> tuple[type, bytes] | None:
    """A response as it may be given to an equal question: its class and bytes, marked as such.

    None where the clock had a part in it.
    """
    if response.stopped not in _REPEATABLE:
        return None
    kept = type(response)()
    kept.CopyFrom(response)
    kept.cached = True
    return type(response), kept.SerializeToString()


def say_lowered(response: Any, limits: Limits) -> None:
    """Writes into a response that a budget was lowered to these limits."""
    response.capped_to.SetInParent()
    if limits.max_nodes is not None:
        response.capped_to.max_nodes = limits.max_nodes
    if limits.max_seconds is not None:
        response.capped_to.max_seconds = limits.max_seconds


def check_position(
    request: rules_pb2.CheckPositionRequest,
) -> rules_pb2.CheckPositionResponse:
    """The message of a checked position line: a matter of microseconds."""
    reader = _Reader()
    response = rules_pb2.CheckPositionResponse()
    try:
        line = reader.line(request.position)
        reader.finish()
        assert line is not None
        written = parse_position(line)
        response.position = str(written)
        response.all_known = not _has_unknown(written)
        if response.all_known:
            position = Position(written, check=False)
            if position.result is None:
                response.moves.extend(_texts(position.legal_moves()))
    except InputError as error:
        response.Clear()
        response.faults.extend(map(_fault_message, error.faults))
    response.valid = not response.faults
    return response


def _has_unknown(written: PositionText) -> bool:
    """Whether a card is unknown; in piles of bare points the cards do not matter."""
    cards = [*written.talon, *(card for hand in written.hands for card in hand)]
    cards += [item.card for pile in written.piles for item in pile.items]
    return None in cards


def _fault_message(fault: Fault) -> record_pb2.RecordFault:
    return record_pb2.RecordFault(
        field=fault.field, value=fault.value, problem=fault.problem, remedy=fault.remedy
    )


# ---------------------------------------------------------------------------- records

# The tags of a record, and the fields of its message that hold them as they stand.
_PLAIN_TAGS = {
    "Rules": "rules",
    "Position": "position",
    "Trump": "trump",
    "TurnUp": "turn_up",
    "Seat": "seat",
    "Date": "date",
    "Score": "score",
    "Handicap": "handicap",
    "Result": "result",
    "Points": "points",
}
_SIGNS = {"move": ":", "drawn": "+", "shown": "=", "foul": "!", "counted": "#"}
_FIELDS_OF_KIND = {
    "draw": "drawn",
    "show": "shown",
    "foul": "foul",
    "count": "counted",
    "comment": "comment",
}


def record_message(record: HandRecord) -> record_pb2.HandRecord:
    """The message of a record."""
    tags = tags_of(record)
    message = record_pb2.HandRecord(
        hands=tags["Hands"].split("/") if "Hands" in tags else (),
        lead=None if record.start is not None else record.lead,
        undrawn=tags.get("Undrawn"),
        dealer=record.dealer,
        players=record.players,
        comments=record.comments,
        tags=(record_pb2.RecordTag(name=name, value=value) for name, value in record.tags),
    )
    for tag, name in _PLAIN_TAGS.items():
        setattr(message, name, tags.get(tag, ""))
    for trick in record.tricks:
        events = message.tricks.add().events
        for event in trick:
            field, text = _event_field(event)
            events.add(seat=event.seat, **{field: text})
    return message


def _event_field(event: Event) -> tuple[str, str]:
    """The field of a RecordEvent, and its text."""
    field = _FIELDS_OF_KIND.get(event.kind, "move")
    return field, event.text if field == "comment" else str(event)[2:]


def record_of_message(message: record_pb2.HandRecord) -> HandRecord:
    """The record of a message; raises InputError with everything wrong with it."""
    tags = {
        tag: getattr(message, field)
        for tag, field in _PLAIN_TAGS.items()
        if getattr(message, field)
    }
    if message.hands:
        tags["Hands"] = "/".join(message.hands)
    for tag, name in (("Lead", "lead"), ("Dealer", "dealer"), ("Undrawn", "undrawn")):
        if message.HasField(name):  # type: ignore[arg-type]  # each is optional
            tags[tag] = str(getattr(message, name))
    if message.players:
        tags["Players"] = "/".join(message.players)
    faults = [
        Fault(tag.name, tag.value, "a tag with a field of its own, or given twice", "give it once")
        for number, tag in enumerate(message.tags)
        if tag.name in (*tags, "Lead", "Dealer", "Undrawn", "Players", "Hands", *_PLAIN_TAGS)
        or tag.name in {other.name for other in message.tags[:number]}
    ]
    if faults:
        raise InputError(faults)
    tags |= {tag.name: tag.value for tag in message.tags}
    tricks = [[_event_text(event) for event in trick.events] for trick in message.tricks]
    return record_of(tags, tricks, comments=message.comments)


def _event_text(event: record_pb2.RecordEvent) -> str:
    field = event.WhichOneof("event")
    if field is None:
        return ""
    text: str = getattr(event, field)
    if field == "comment":
        return f"{{{text}}}"
    return f"{event.seat if event.HasField('seat') else '?'}{_SIGNS[field]}{text}"


def _reading(
    request: rules_pb2.CheckRecordRequest
    | solver_pb2.ReviewHandRequest
    | table_pb2.ReplayRecordRequest,
) -> Callable[[], HandRecord]:
    """What makes the record of a request."""
    source = request.WhichOneof("source")
    if source == "text":
        return lambda: parse_record(request.text)
    size = request.record.ByteSize()
    if source == "record" and size <= MAX_RECORD:
        return lambda: record_of_message(request.record)

    def refused() -> HandRecord:
        if source is None:
            raise InputError(Fault("record", "", "is missing", "set text or record"))
        raise InputError(
            Fault("record", f"{size} bytes", f"is larger than {MAX_RECORD}", "send one hand")
        )

    return refused


def check_question(request: rules_pb2.CheckRecordRequest) -> CheckQuestion:
    """The question in a request; raises InputError where there is no record in it."""
    read = _reading(request)
    if request.WhichOneof("source") is None:
        read()
    return CheckQuestion(Limits(None, None), read)


def check_response(answer: CheckAnswer) -> rules_pb2.CheckRecordResponse:
    """The message of a checked record."""
    record = answer.record
    return rules_pb2.CheckRecordResponse(
        valid=not answer.faults,
        faults=map(_fault_message, answer.faults),
        record=None if record is None else record_message(record),
        text="" if record is None else str(record),
        moves=None if record is None else len(record.moves),
    )


@contextmanager
def record_faults() -> Iterator[None]:
    """Gives faults of a record the field of the request they belong to."""
    try:
        yield
    except InputError as error:
        raise type(error)(map(_below_record, error.faults)) from error


def _below_record(fault: Fault) -> Fault:
    field = fault.field if fault.field == "record" else f"record.{fault.field}"
    return dataclasses.replace(fault, field=field)


def review_question(request: solver_pb2.ReviewHandRequest) -> ReviewQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    reader = _Reader()
    limits = reader.limits(request.limits)
    record = None
    faults: list[Fault] = []
    try:
        with record_faults():
            record = _reading(request)()
    except InputError as error:
        faults += error.faults
    for fault in faults:
        reader.refuse(fault.field, fault.value, fault.problem, fault.remedy)
    reader.finish()
    assert record is not None
    return ReviewQuestion(limits, record, points=not request.outcome_only)


def review_response(answer: Review) -> solver_pb2.ReviewHandResponse:
    """The message of a reviewed hand."""
    return solver_pb2.ReviewHandResponse(
        text=str(answer.record),
        moves=map(_reviewed_move, answer.moves),
        result=result_text(answer.record),
        exactness=_exactness(all(move.value is not None for move in answer.moves)),
        nodes=min(answer.nodes, _MAX_UINT32),
        search_us=_microseconds(answer.search_us),
        stopped=_STOP_REASONS[answer.stopped],
        unreached=answer.unreached,
    )


def _reviewed_move(move: MoveReview) -> solver_pb2.ReviewedMove:
    points = move.points
    best = move.best_lower if move.best_lower == move.best_upper else None
    return solver_pb2.ReviewedMove(
        trick=move.trick,
        seat=move.seat,
        move=str(move.move),
        position=move.position,
        value=move.value,
        lower=move.lower,
        upper=move.upper,
        best_value=best,
        cost=move.cost,
        cost_lower=move.cost_lower,
        cost_upper=move.cost_upper,
        best=_texts(move.best),
        forced=move.forced,
        points_cost=None if points is None else points.value,
        points_cost_lower=None if points is None else points.lower,
        points_cost_upper=None if points is None else points.upper,
    )


# ----------------------------------------------------------------------------- tables

_UNKNOWN = "x"
_THEMES = (table_pb2.THEME_UNSPECIFIED, table_pb2.THEME_LIGHT, table_pb2.THEME_DARK)


@dataclasses.dataclass(frozen=True, slots=True)
class TableQuestion:
    """A position to take apart or to draw: as a line, with moves to make and whose eyes."""

    line: str
    moves: Sequence[str]
    seat: int | None


def table_question(
    request: table_pb2.DescribePositionRequest | table_pb2.DrawPositionRequest,
) -> TableQuestion:
    """The question in a request; raises InputError with everything wrong with its form."""
    reader = _Reader()
    source = request.WhichOneof("source")
    line = request.position if source == "position" else _line_of(request.table)
    if source is None:
        reader.refuse("position", "", "is missing", "set position or table")
    elif len(line) > _MAX_LINE:
        reader.refuse(
            "position", "", f"has {len(line)} characters, more than {_MAX_LINE}", "send one"
        )
    if len(request.moves) > MAX_MOVES:
        reader.refuse(
            "moves", len(request.moves), "is not the number of moves", f"send up to {MAX_MOVES}"
        )
    reader.finish()
    return TableQuestion(line, request.moves, request.seat if request.HasField("seat") else None)


def _line_of(table: table_pb2.TablePosition) -> str:
    """The line that the parts make, for the parser to judge: nothing is checked here."""

    def card(text: str) -> str:
        # Whatever is in a part stays in its part of the line.
        return f"{_UNKNOWN}1" if text == _UNKNOWN else "".join(text.split()).replace("/", "?")

    def cards(texts: Iterable[str]) -> str:
        return "".join(map(card, texts)) or "-"

    def pile_card(each: table_pb2.PileCard) -> str:
        text = card(each.card)
        if not each.closed or each.card == _UNKNOWN:
            return text
        return f"({each.by}:{text})" if each.HasField("by") else f"({text})"

    def pile(each: table_pb2.TablePile) -> str:
        points = str(each.points) if each.HasField("points") else ""
        return points + "".join(map(pile_card, each.cards)) or "-"

    def play(each: table_pb2.TablePlay) -> str:
        laid = cards(each.cards)
        closed = each.closed and not laid.startswith(_UNKNOWN)
        return f"{each.seat}:({laid})" if closed else f"{each.seat}:{laid}"

    def word(text: str) -> str:
        return "".join(text.split())

    return " ".join(
        (
            word(table.rules) or "-",
            word(table.trump) or "-",
            "/".join(cards(hand.cards) for hand in table.hands) or "-",
            cards(table.talon.cards),
            "/".join(map(pile, table.piles)) or "-",
            str(table.turn),
            ",".join(map(play, table.plays)) or "-",
            *(f"{word(key)}={word(value)}" for key, value in sorted(table.options.items())),
        )
    )


def table_response(answer: Description) -> table_pb2.DescribePositionResponse:
    """The message of a position taken apart."""
    response = table_pb2.DescribePositionResponse(
        position=answer.line,
        faults=map(_fault_message, answer.faults),
        rules=None if answer.rules is None else _table_rules(answer.rules),
    )
    if answer.text is None:
        return response
    result = answer.result
    response.MergeFrom(
        table_pb2.DescribePositionResponse(
            table=_table(answer.text),
            known=not answer.text.has_unknown,
            actor=answer.actor,
            moves=(
                table_pb2.TableMove(
                    seat=seat, move=str(move), kind=move.kind, cards=_cards(move.cards)
                )
                for seat, move in answer.moves
            ),
            piles=(
                advisor_pb2.PileFacts(
                    shown=pile.shown,
                    closed=pile.closed,
                    minimum=pile.minimum,
                    maximum=pile.maximum,
                )
                for pile in answer.piles
            ),
            unseen=_cards(answer.unseen),
            result=None
            if result is None
            else table_pb2.TableResult(
                winner=result.winner, reason=result.reason, stake=result.stake
            ),
            steps=map(_step, answer.steps),
            record=answer.record,
        )
    )
    return response


def _cards(cards: int | Iterable[int | None]) -> list[str]:
    """Cards one by one: of a mask, suit by suit and high to low, or in the order given."""
    if isinstance(cards, int):
        text = format_cards(cards)
        return [] if text == "-" else [text[at : at + 2] for at in range(0, len(text), 2)]
    return [_UNKNOWN if card is None else format_cards((card,)) for card in cards]


def _table(text: PositionText) -> table_pb2.TablePosition:
    return table_pb2.TablePosition(
        rules=str(text.rules),
        trump="-" if text.trump is None else _SUITS[text.trump],
        hands=(table_pb2.CardList(cards=_cards(hand)) for hand in text.hands),
        talon=table_pb2.CardList(cards=_cards(text.talon)),
        piles=(
            table_pb2.TablePile(
                points=pile.points,
                cards=(
                    table_pb2.PileCard(
                        card=_cards((item.card,))[0], closed=item.closed, by=item.by
                    )
                    for item in pile.items
                ),
            )
            for pile in text.piles
        ),
        turn=text.turn,
        plays=(
            table_pb2.TablePlay(
                seat=play.seat,
                cards=_cards((*play.cards, *(None,) * play.unknown)),
                closed=play.closed,
            )
            for play in text.table
        ),
        # The printer is the one who knows how they are written.
        options=dict(option.split("=", 1) for option in str(text).split()[7:]),
    )


def _table_rules(rules: RuleSet) -> table_pb2.TableRules:
    lowest = 9 - rules.deck // 4
    deck = sum(1 << suit * 9 + rank for suit in range(4) for rank in range(lowest, 9))
    return table_pb2.TableRules(
        text=str(rules),
        deck=_cards(deck),
        players=rules.players,
        hand_sizes=rules.hand_sizes,
        target=rules.target,
        claim_ceiling=rules.claim_ceiling,
        closed_discards=rules.discards == "closed",
        trumps=rules.trumps,
        open_seats=rules.open_seats,
        pairs=rules.pairs,
    )


def _step(step: MoveMade) -> table_pb2.TableStep:
    return table_pb2.TableStep(
        trick=step.trick, seat=step.seat, move=step.move, position=step.position
    )


def replay_question(request: table_pb2.ReplayRecordRequest) -> ReplayQuestion:
    """The question in a request; raises InputError with everything wrong with it."""
    with record_faults():
        record = _reading(request)()
    seat = None
    if request.HasField("seat"):
        seat = request.seat
        if not 0 <= seat < record.rules.players:
            use = f"use 0 to {record.rules.players - 1}, or leave it out"
            raise InputError(Fault("seat", str(seat), "is no seat", use))
    return ReplayQuestion(Limits(None, None), record, seat)


def replay_response(answer: ReplayAnswer) -> table_pb2.ReplayRecordResponse:
    """The message of a replayed record."""
    record = answer.record
    return table_pb2.ReplayRecordResponse(
        text=str(record),
        steps=map(_step, answer.steps),
        position=answer.last,
        result=result_text(record),
        players=record.players,
        comments=_comments(record),
    )


def _comments(record: HandRecord) -> list[str]:
    """The comments before each move, and after the last."""
    said: list[list[str]] = [list(record.comments)]
    for trick in record.tricks:
        for event in trick:
            if event.kind == "comment":
                said[-1].append(event.text)
            elif event.is_move:
                said.append([])
    # A comment stands behind the move it speaks of, but for those before the first one.
    return [" ".join(comments) for comments in said]


def picture_question(
    request: table_pb2.DrawPositionRequest,
) -> tuple[TableQuestion, bool, str]:
    """The question in a request, whether it is to be dark, and its language."""
    reader = _Reader()
    if request.theme not in _THEMES:
        reader.refuse("theme", request.theme, "is no theme", "use THEME_LIGHT or THEME_DARK")
    language = request.language or SPOKEN[0]
    if language not in SPOKEN:
        reader.refuse("language", language, "is not spoken here", f"use {', '.join(SPOKEN)}")
    reader.finish()
    return table_question(request), request.theme == table_pb2.THEME_DARK, language


def picture_response(picture: Picture) -> table_pb2.DrawPositionResponse:
    """The message of a picture."""
    return table_pb2.DrawPositionResponse(
        svg=picture.svg, width=picture.width, height=picture.height
    )
