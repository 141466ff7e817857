"""The service's messages, turned into results: the only module that knows both."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from bura.errors import Fault, InputError
from bura.results import (
    CallValue,
    ClaimDecision,
    ClaimEstimate,
    Equilibrium,
    EquilibriumMove,
    HandReview,
    Method,
    MoveAdvice,
    MoveValue,
    Objective,
    Perft,
    Pile,
    PlayedPosition,
    PointsWays,
    RaiseAdvice,
    RaiseOption,
    Recommendation,
    RecordCheck,
    Replay,
    ReplayedMove,
    ReviewedMove,
    RuleSet,
    SeatValue,
    Solution,
    StopReason,
    Table,
    Verdict,
)
from bura.v1 import advisor_pb2, rules_pb2, search_pb2, solver_pb2, table_pb2

__all__ = [
    "claim_estimate",
    "hand_review",
    "perft",
    "played_position",
    "raise_advice",
    "recommendation",
    "record_check",
    "replay",
    "rule_set",
    "solution",
]

_OBJECTIVES: dict[int, Objective] = {
    solver_pb2.OBJECTIVE_OUTCOME: "outcome",
    solver_pb2.OBJECTIVE_POINTS: "points",
    solver_pb2.OBJECTIVE_SCORE: "score",
}
_STOPPED: dict[int, StopReason] = {
    search_pb2.STOP_REASON_NODES: "nodes",
    search_pb2.STOP_REASON_TIME: "time",
    search_pb2.STOP_REASON_STOPPED: "stopped",
}
_VERDICTS: dict[int, Verdict] = {
    advisor_pb2.VERDICT_SURE: "sure",
    advisor_pb2.VERDICT_IMPOSSIBLE: "impossible",
}
_METHODS: dict[int, Method] = {
    advisor_pb2.METHOD_ENUMERATED: "enumerated",
    advisor_pb2.METHOD_EQUILIBRIUM: "equilibrium",
    advisor_pb2.METHOD_PLAYED_OUT: "played out",
}


def solution(message: solver_pb2.SolvePositionResponse) -> Solution:
    """A solved position."""
    return Solution(
        position=message.position,
        objective=_OBJECTIVES.get(message.objective, "outcome"),
        outcome=message.outcome if message.HasField("outcome") else None,
        points=message.points if message.HasField("points") else None,
        score=message.score if message.HasField("score") else None,
        lower=message.lower,
        upper=message.upper,
        moves=tuple(
            MoveValue(
                move=each.move,
                value=each.value if each.HasField("value") else None,
                lower=each.lower,
                upper=each.upper,
                expected=each.expected if each.HasField("expected") else None,
            )
            for each in message.moves
        ),
        best=tuple(message.best),
        line=tuple(message.line),
        nodes=message.nodes,
        search_us=message.search_us,
        stopped=_STOPPED.get(message.stopped, "completed"),
        calls=tuple(
            CallValue(
                seat=each.seat,
                move=each.move,
                value=each.value if each.HasField("value") else None,
                lower=each.lower,
                upper=each.upper,
            )
            for each in message.calls
        ),
        seats=tuple(
            SeatValue(
                seat=each.seat,
                guaranteed=each.guaranteed if each.HasField("guaranteed") else None,
                guaranteed_lower=each.guaranteed_lower,
                guaranteed_upper=each.guaranteed_upper,
                expected=each.expected if each.HasField("expected") else None,
                expected_lower=each.expected_lower,
                expected_upper=each.expected_upper,
            )
            for each in message.seats
        ),
    )


def perft(message: solver_pb2.PerftResponse) -> Perft:
    """A count of move sequences."""
    return Perft(
        position=message.position,
        depth=message.depth,
        nodes=int(message.nodes),
        exact=message.exactness != search_pb2.EXACTNESS_BOUNDED,
        divide=MappingProxyType({each.move: int(each.nodes) for each in message.divide}),
        search_us=message.search_us,
        stopped=_STOPPED.get(message.stopped, "completed"),
    )


def _claim_decision(message: advisor_pb2.ClaimDecision) -> ClaimDecision:
    return ClaimDecision(
        claim=message.claim,
        claim_value=message.claim_value,
        play_value=message.play_value,
        standard_error=message.standard_error,
        play=message.play,
        own_later=message.own_later if message.HasField("own_later") else None,
        other_first=message.other_first if message.HasField("other_first") else None,
        worlds=message.worlds,
        method=_METHODS.get(message.method, "sampled"),
    )


def raise_advice(message: advisor_pb2.AdviseRaiseResponse) -> RaiseAdvice:
    """What to do about a raise."""
    return RaiseAdvice(
        position=message.position,
        seat=message.seat,
        options=tuple(
            RaiseOption(each.move, each.value, each.standard_error, each.win, each.draw)
            for each in message.options
        ),
        best=message.best,
        unit="match" if message.unit == advisor_pb2.RAISE_UNIT_MATCH else "stakes",
        stake=message.stake,
        offered=message.offered if message.HasField("offered") else None,
        chance=message.chance,
        chance_before=message.chance_before,
        accepts=message.accepts if message.HasField("accepts") else None,
        least=message.least if message.HasField("least") else None,
        play=message.play or None,
        worlds=message.worlds,
        method=_METHODS.get(message.method, "sampled"),
        search_us=message.search_us,
        stopped=_STOPPED.get(message.stopped, "completed"),
    )


def claim_estimate(message: advisor_pb2.EstimateClaimResponse) -> ClaimEstimate:
    """What is known about a claim."""
    return ClaimEstimate(
        position=message.position,
        seat=message.seat,
        shown=message.shown,
        closed=message.closed,
        minimum=message.minimum,
        maximum=message.maximum,
        target=message.target,
        ceiling=message.ceiling if message.HasField("ceiling") else None,
        verdict=_VERDICTS.get(message.verdict, "open"),
        chance=_fraction(message.chance),
        distribution=tuple(
            PointsWays(points=each.points, ways=int(each.ways), probability=each.probability)
            for each in message.distribution
        ),
        total_ways=int(message.total_ways or 0),
        allowed=message.allowed,
        decision=(_claim_decision(message.decision) if message.HasField("decision") else None),
    )


def recommendation(
    message: advisor_pb2.RecommendMoveResponse, final: bool = True
) -> Recommendation:
    """The moves under hidden cards, with their values."""
    return Recommendation(
        position=message.position,
        table=_table(message.table),
        moves=tuple(
            MoveAdvice(
                move=each.move,
                value=each.value,
                standard_error=each.standard_error,
                win=each.win,
                draw=each.draw,
                loss=each.loss,
                worlds=each.worlds,
                beaten=_fraction(each.beaten) if each.HasField("beaten") else None,
                unsettled=each.unsettled,
            )
            for each in message.moves
        ),
        best=tuple(message.best),
        claim=claim_estimate(message.claim) if message.HasField("claim") else None,
        method=_METHODS.get(message.method, "sampled"),
        worlds=message.worlds,
        total_worlds=int(message.total_worlds or 0),
        nodes=message.nodes,
        search_us=message.search_us,
        stopped=_STOPPED.get(message.stopped, "completed"),
        horizon=message.horizon if message.HasField("horizon") else None,
        equilibrium=(
            _equilibrium(message.equilibrium) if message.HasField("equilibrium") else None
        ),
        no_equilibrium=message.no_equilibrium,
        final=final,
    )


def _equilibrium(message: advisor_pb2.Equilibrium) -> Equilibrium:
    return Equilibrium(
        value=message.value,
        ending_value=message.ending_value,
        lower=message.lower,
        upper=message.upper,
        moves=tuple(
            EquilibriumMove(
                move=each.move,
                probability=each.probability,
                value=each.value,
                always=each.always if each.HasField("always") else None,
            )
            for each in message.moves
        ),
        joint_deals=message.joint_deals,
        infosets=message.infosets,
        iterations=message.iterations,
        memory=int(message.memory),
        search_us=message.search_us,
        stopped=_STOPPED.get(message.stopped, "completed"),
        raises=message.raises if message.HasField("raises") else None,
        prior=message.prior,
    )


def record_check(message: rules_pb2.CheckRecordResponse) -> RecordCheck:
    """What is wrong with a record."""
    return RecordCheck(
        faults=tuple(
            Fault(each.field, each.value, each.problem, each.remedy) for each in message.faults
        ),
        text=message.text or None,
        moves=message.moves if message.HasField("moves") else None,
    )


def hand_review(message: solver_pb2.ReviewHandResponse) -> HandReview:
    """A reviewed hand."""
    return HandReview(
        text=message.text,
        moves=tuple(map(_reviewed_move, message.moves)),
        result=message.result,
        nodes=message.nodes,
        search_us=message.search_us,
        stopped=_STOPPED.get(message.stopped, "completed"),
        unreached=message.unreached,
    )


def _reviewed_move(each: solver_pb2.ReviewedMove) -> ReviewedMove:
    points = each.HasField("points_cost_lower")
    return ReviewedMove(
        trick=each.trick,
        seat=each.seat,
        move=each.move,
        position=each.position,
        value=each.value if each.HasField("value") else None,
        lower=each.lower,
        upper=each.upper,
        best_value=each.best_value if each.HasField("best_value") else None,
        cost_lower=each.cost_lower,
        cost_upper=each.cost_upper,
        best=tuple(each.best),
        forced=each.forced,
        points_lower=each.points_cost_lower if points else None,
        points_upper=each.points_cost_upper if points else None,
    )


def rule_set(message: rules_pb2.RuleSet) -> RuleSet:
    """A rule set in words."""
    return RuleSet(
        name=message.name,
        text=message.text,
        source=message.source,
        description=message.description,
        switches=MappingProxyType(dict(message.switches)),
        paragraphs=tuple((each.title, each.text) for each in message.paragraphs),
        changes=MappingProxyType(
            {each.switch: (each.usual, each.value) for each in message.changes}
        ),
    )


def _table(message: advisor_pb2.TableFacts) -> Table:
    return Table(
        rules=message.rules,
        trump=message.trump,
        seat=message.seat,
        turn=message.turn,
        hand=message.hand,
        unseen=message.unseen,
        talon_cards=message.talon_cards,
        target=message.target,
        claim_ceiling=message.claim_ceiling if message.HasField("claim_ceiling") else None,
        piles=tuple(
            Pile(
                shown=each.shown,
                closed=each.closed,
                minimum=each.minimum,
                maximum=each.maximum,
            )
            for each in message.piles
        ),
        may_claim=message.may_claim,
    )


def _fraction(message: advisor_pb2.Chance) -> Fraction:
    return Fraction(int(message.numerator or 0), int(message.denominator or 1))


def played_position(message: table_pb2.DescribePositionResponse) -> PlayedPosition:
    """The position of a message; raises InputError with what is wrong with it."""
    if message.faults:
        raise InputError(
            [Fault(each.field, each.value, each.problem, each.remedy) for each in message.faults]
        )
    result = message.result if message.HasField("result") else None
    return PlayedPosition(
        position=message.position,
        actor=message.actor if message.HasField("actor") else None,
        moves=tuple((each.seat, each.move) for each in message.moves),
        points=tuple((each.minimum, each.maximum) for each in message.piles),
        winner=result.winner if result is not None and result.HasField("winner") else None,
        reason="" if result is None else result.reason,
        record=message.record,
    )


def replay(message: table_pb2.ReplayRecordResponse) -> Replay:
    """The replayed hand of a message."""
    return Replay(
        record=message.text,
        moves=tuple(
            ReplayedMove(
                trick=each.trick if each.HasField("trick") else None,
                seat=each.seat,
                move=each.move,
                position=each.position,
            )
            for each in message.steps
        ),
        position=message.position,
        result=message.result,
    )
