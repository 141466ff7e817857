"""Advice: exact counts of claims, means over worlds, and nothing a player has not seen."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

import reference as ref
from bura_core import (
    ClaimEstimate,
    InputError,
    Position,
    Recommendation,
    Solver,
    Stop,
    View,
    estimate_claim,
    parse_position,
    recommend,
    worlds,
)
from hidden import RULES, hidden_shuffled, seen_by, some_line

HANG = 20.0
"""Seconds: far more than anything here takes."""
S1 = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
DEAL = "georgian5 h AsTd7h8c6c/x5 x25Jh -/- 0 -"


def without_time(advice: Recommendation) -> Recommendation:
    return replace(advice, search_us=0.0)


# --- claims ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*RULES, "perebor[target=20,claim_ceiling=40]"])
def test_claim_counts_are_the_references(rules: str) -> None:
    rng = random.Random(f"claim {rules}")
    known = ref.rules_of(rules)
    verdicts = set()
    for _ in range(60):
        line = some_line(rng, rules)
        for seat in (0, 1):
            view = View.of(parse_position(line), seat)
            for other in (seat, 1 - seat):
                estimate = estimate_claim(view, other)
                expected = ref.claim_distribution(seen_by(line, seat), other)
                total = estimate.total_ways
                assert {
                    count: Fraction(ways, total) for count, ways in estimate.ways
                } == expected, (line, seat, other)
                assert sum(ways for _, ways in estimate.ways) == total
                assert (estimate.minimum, estimate.maximum) == (min(expected), max(expected))
                good = sum(share for count, share in expected.items() if ref._good(known, count))
                assert estimate.chance == good
                assert estimate.verdict == (
                    "sure" if good == 1 else "impossible" if good == 0 else "open"
                )
                assert (estimate.target, estimate.ceiling) == (known.target, known.claim_ceiling)
                assert estimate.seat == other
                verdicts.add(estimate.verdict)
            assert estimate_claim(view) == estimate_claim(view, seat)
            # Nobody is told whether the truth is good: but it is one of the ways.
            true = ref.load(line).count(seat)
            assert true in [count for count, _ in estimate_claim(view).ways]
            allowed = ref.load(line).claim == seat
            assert estimate_claim(view).allowed is allowed
    assert {"sure", "impossible"} <= verdicts


def test_claim_of_a_pile_given_as_points() -> None:
    view = View.from_text("georgian5 h -/- - 61/40 0 - claim=0")
    estimate = estimate_claim(view)
    assert (estimate.shown, estimate.closed, estimate.verdict) == (61, 0, "sure")
    assert estimate_claim(view, 1).verdict == "impossible"


def test_claim_counts_the_handicap() -> None:
    line = "no_trump - As9c8c/x3 x26 6sTs/6h7h 0 - handicap={}"
    assert estimate_claim(View.from_text(line.format("20/0"))).minimum == 30
    assert estimate_claim(View.from_text(line.format("21/0"))).verdict == "sure"
    assert estimate_claim(View.from_text(line.format("0/21")), 1).minimum == 21


def test_claim_of_a_seat_that_is_not_there() -> None:
    for seat in (-1, 2, True):
        with pytest.raises(InputError, match="no such seat"):
            estimate_claim(View.from_text(S1), seat)


def test_whether_a_claim_may_come_now() -> None:
    for line, allowed in (
        ("classic s 6h7d/x2 - {} 0 - claim=0", True),
        ("classic s 6h7d/x2 - {} 0 -", False),
        ("classic[claim_window=own_turn] s 6h7d/x2 - {} 0 -", True),
        ("classic[claim_window=end_of_deck] s 6h7d/x2 - {} 0 - claim=0", True),
    ):
        rest = ref.cards_text(ref.deck_mask(36) & ~ref.cards_mask("6h7dAsKs"))
        pile = f"{rest[:32]}/{rest[32:]}"
        view = View.from_text(line.format(pile))
        assert estimate_claim(view).allowed is allowed, line
        advice = recommend(view)
        assert (advice.claim is not None) is allowed
        assert ("claim" in [str(move.move) for move in advice.moves]) is allowed


# --- means over worlds -------------------------------------------------------------------------


def small_lines(
    rules: str, number: int, most: int, *, out_of_turn: bool = False
) -> Iterator[tuple[str, int]]:
    """Complete lines and a seat whose view has 2 to `most` worlds.

    Any seat, on turn or not; or one out of turn, with something to call in the true deal.
    """
    rng = random.Random(f"means {rules} {out_of_turn}")
    full = ref.rules_of(rules).hand
    found = 0
    while found < number:
        talon = rng.choice((0, 0, 2, 4))
        least = full if out_of_turn else max(1, full - 2)
        line = ref.random_honest_position(rng, rules, talon, rng.randint(least, full))
        seat = rng.randrange(2)
        if out_of_turn:
            state = ref.load(line)
            seat = 1 - state.turn
            if not ref.calls(state):
                continue
        if 1 < ref.world_count(seen_by(line, seat)) <= most:
            found += 1
            yield line, seat


def honest(state: ref.State, seat: int) -> dict[str, int]:
    """What each move of `seat`, on turn or with a combination to call, is worth in one world."""
    search = ref._Outcome(state, honest=True)
    me, him = search.sides[state.turn], search.sides[1 - state.turn]
    by_move = ref._outcome_moves(state, search)
    if seat == state.turn:
        return by_move
    # The leader claims if he knows that it holds, and leads what is best for him else.
    if state.claim == state.turn and search.claims(me, him, 0):
        left_to_him = 1
    else:
        left_to_him = max(value for move, value in by_move.items() if move != "claim")
    calls = ref._call_values(state, search)
    return {"pass": -left_to_him} | {call: -value for call, value in calls.items()}


def check_means(line: str, seat: int) -> Recommendation | None:
    """Compare with the oracle over all worlds; None where the seat has nothing to decide."""
    view = View.of(parse_position(line), seat)
    states = [ref.load(world) for world in ref.worlds(seen_by(line, seat))]
    states = [state for state in states if state.over is None]
    try:
        advice = recommend(view)
    except InputError:
        advice = None
    if advice is None:
        assert view.text.turn != seat or not states, line
        return None
    assert states, line
    assert advice.exhaustive
    assert advice.method == "enumerated"
    assert advice.worlds == advice.total_worlds == view.world_count
    values = [honest(state, seat) for state in states]
    estimate = estimate_claim(view)
    for move in advice.moves:
        if move.move.kind == "claim":
            assert move.value == pytest.approx(float(2 * estimate.chance - 1)), line
            assert move.standard_error == 0
            assert move.win == pytest.approx(float(estimate.chance))
            continue
        # Where the other shows a winning hand, all that is left is to let it come; where
        # the leader holds as high a combination, a call is void.
        got = [by_move.get(str(move.move), by_move.get("pass")) for by_move in values]
        known = [value for value in got if value is not None]
        assert len(known) == len(got) == move.worlds, (line, seat, str(move.move))
        mean = sum(known) / len(known)
        assert move.value == pytest.approx(mean, abs=1e-9), (line, seat, str(move.move))
        assert move.standard_error == 0, (line, seat, str(move.move))
        assert move.unsettled == 0
        shares = [known.count(value) / len(known) for value in (1, 0, -1)]
        assert [move.win, move.draw, move.loss] == pytest.approx(shares)
    assert advice.best == advice.moves[0].move
    best_first = [move.value for move in advice.moves]
    assert best_first == sorted(best_first, reverse=True)
    return advice


@pytest.mark.parametrize("rules", [*ref.PRESET_NAMES, "classic[refill_from=leader]"])
def test_means_are_those_of_all_worlds(rules: str) -> None:
    """As many values as worlds, each from the oracle; the claim is counted, not averaged."""
    most = 40 if ref.rules_of(rules).hand == 5 else 120
    found = [check_means(line, seat) for line, seat in small_lines(rules, 30, most)]
    advised = [advice for advice in found if advice]
    assert len(advised) >= 10
    assert {"play"} <= {move.move.kind for advice in advised for move in advice.moves}


@pytest.mark.parametrize("rules", ["classic", "classic_shown", "burkozel", "no_trump"])
def test_means_out_of_turn(rules: str) -> None:
    """A call is worth what the lead is; to pass, what the leader makes of it."""
    for line, seat in small_lines(rules, 25, 120, out_of_turn=True):
        advice = check_means(line, seat)
        assert advice is not None, line
        assert {"stop", "pass"} == {move.move.kind for move in advice.moves}


@pytest.mark.parametrize("rules", ["classic", "georgian3", "burkozel", "five", "perebor"])
def test_samples_come_near_the_mean_of_all_worlds(rules: str) -> None:
    rng = random.Random(f"near {rules}")
    compared = 0
    while compared < 12:
        full = ref.rules_of(rules).hand
        line = ref.random_honest_position(rng, rules, rng.choice((0, 2, 4)), full)
        state = ref.load(line)
        view = View.of(parse_position(line), state.turn)
        if not 600 <= view.world_count <= 6000 or state.over is not None:
            continue
        compared += 1
        every = recommend(view, max_worlds=6000)
        part = recommend(view, max_worlds=200, seed=compared, confidence=None)
        assert every.exhaustive
        assert (part.method, part.worlds) == ("sampled", 200)
        assert part.total_worlds == every.worlds
        means = {move.move: move.value for move in every.moves}
        assert set(means) == {move.move for move in part.moves}
        for move in part.moves:
            # A chance of one in 40 and less may not have come up at all.
            near = 5 * move.standard_error + 0.05
            assert abs(move.value - means[move.move]) <= near, (line, str(move.move))


def test_standard_errors_are_of_the_right_size() -> None:
    """Over many seeds, means scatter as their standard errors say (without replacement)."""
    view = View.from_text("georgian3 h x3/KsThTc x3Jh AsTdKdKc/QcAcTsAdx2 1 -")
    total = view.world_count
    assert total > 1000
    mean = {move.move: move.value for move in recommend(view, max_worlds=total).moves}
    off: dict[object, list[float]] = {}
    for limit in (50, total // 2):
        off.clear()
        for seed in range(80):
            for move in recommend(view, max_worlds=limit, seed=seed, confidence=None).moves:
                if move.standard_error:
                    away = (move.value - mean[move.move]) / move.standard_error
                    off.setdefault(move.move, []).append(away)
        assert off
        for aways in off.values():
            if len(aways) < 60:
                continue  # nearly certain: the error of a rare event is itself uncertain
            spread = sum(away * away for away in aways) / len(aways)
            assert 0.5 < spread < 2, (limit, spread)


def test_a_claim_is_worth_twice_its_chance_less_one() -> None:
    line = "georgian3 h AdTcKc/x3 x5Ah {} 0 - claim=0"
    for piles, verdict in (
        ("AsTdQdJcJhx1/JsJd", "sure"),
        ("AsTdQdJcJhx1/KsKd", "open"),
        ("AsQhJdJcJhx1/KsKd", "open"),
        ("QsQhJdJcJhx1/KsKd", "impossible"),
    ):
        view = View.from_text(line.format(piles))
        estimate = estimate_claim(view)
        assert estimate.verdict == verdict
        advice = recommend(view, max_worlds=50)
        claim = next(move for move in advice.moves if move.move.kind == "claim")
        assert claim.value == float(2 * estimate.chance - 1)
        assert claim.standard_error == 0
        assert claim.win + claim.loss == 1
        assert claim.beaten is None
        assert isinstance(advice.claim, ClaimEstimate)
        assert advice.claim == advice.pile == estimate
        if verdict == "sure":
            assert str(advice.best) == "claim"


def test_leads_say_how_likely_they_are_beaten() -> None:
    advice = recommend(View.from_text(S1), max_worlds=50)
    beaten = {str(move.move): move.beaten for move in advice.moves}
    assert beaten["Th"] == Fraction(55, 220)
    assert all(beaten[card] is not None for card in ("Ks", "Tc"))
    answer = recommend(
        View.from_text("georgian3 h x2/KsThTc x9Jh As(Js)/TdAd 1 0:Kd"), max_worlds=5
    )
    assert all(move.beaten is None for move in answer.moves)


# --- out of turn -------------------------------------------------------------------------------


def test_a_seat_out_of_turn_with_a_molodka_calls_or_passes() -> None:
    view = View.from_text("classic h AsKs6s/x3 x29Jh -/- 1 -")
    assert view.seat == 0
    advice = recommend(view, max_worlds=60)
    assert {str(move.move) for move in advice.moves} == {"stop:AsKs6s", "pass"}
    assert all(move.beaten is None for move in advice.moves)
    assert advice.claim is None
    # Not with cards on the table: the lead is settled.
    led = View.from_text("burkozel h x4/AsAdAc x27Jh -/- 0 1:7c", 1)
    with pytest.raises(InputError, match="seat 1 has nothing to decide here"):
        recommend(led)


def test_combinations_of_a_seat_out_of_turn() -> None:
    for line, moves in (
        ("classic h AsAdAc/x3 x29Jh -/- 1 -", {"stop:AsAdAc", "pass"}),
        ("burkozel h AsAdAcTc/x4 x27Jh -/- 1 -", {"stop:AsAdAc", "pass"}),
        ("burkozel h AsAhAdAc/x4 x27Jh -/- 1 -", None),
        ("no_trump - AsKs6s/x3 x30 -/- 1 -", {"stop:AsKs6s", "pass"}),
    ):
        advice = recommend(View.from_text(line), max_worlds=10)
        found = {str(move.move) for move in advice.moves}
        if moves is None:
            assert {"stop:AsAhAdAc", "stop:AsAhAd", "pass"} <= found
        else:
            assert found == moves


@pytest.mark.parametrize(
    "line",
    [
        "georgian3 h AsTdQh/x3 x13Jh -/- 1 -",
        "classic h AsKs6h/x3 x29Jh -/- 1 -",
        "classic h ThKhQh/x3 x29Jh -/- 1 -",
        "classic h ThKhQh/x3 x29Jh -/- 0 -",
        "georgian5 h -/- - {}/- 0 -",
    ],
)
def test_a_seat_with_nothing_to_decide(line: str) -> None:
    """Not on turn without a combination, or the hand is over: a bura on sight, all played."""
    line = line.format(ref.cards_text(ref.deck_mask(36)))
    with pytest.raises(InputError):
        recommend(View.from_text(line, 0))


# --- limits ------------------------------------------------------------------------------------


def check_shares(advice: Recommendation) -> None:
    for move in advice.moves:
        assert -1 <= move.value <= 1
        assert move.standard_error >= 0
        shares = (move.win, move.draw, move.loss, move.unsettled)
        assert all(0 <= share <= 1 for share in shares)
        assert sum(shares) == pytest.approx(1)
        assert move.value == pytest.approx(move.win - move.loss, abs=move.unsettled + 1e-9)


@pytest.mark.parametrize("most", [1, 10, 1000, 100_000])
def test_any_budget_gives_an_answer(most: int) -> None:
    for line in (
        S1,
        DEAL,
        "five h AsTd7h8c6c/x5 x25Jh -/- 0 -",
        "classic h AsKs6s/x3 x29Jh -/- 1 -",
    ):
        advice = recommend(View.from_text(line), max_worlds=20, max_nodes=most)
        position = worlds(View.from_text(line), 1)[0]
        if position.turn == advice.seat:
            assert {m.move for m in advice.moves} == set(position.legal_moves())
        assert advice.best in [move.move for move in advice.moves]
        assert advice.worlds == 20
        check_shares(advice)
        assert advice == replace(
            recommend(View.from_text(line), max_worlds=20, max_nodes=most),
            search_us=advice.search_us,
        )


def test_a_small_budget_is_told() -> None:
    """Five cards from the deal on cannot be searched to the end in a thousand nodes."""
    advice = recommend(View.from_text(DEAL), max_worlds=20, max_nodes=20_000)
    assert advice.horizon is not None
    assert advice.stopped is None
    whole = recommend(View.from_text(S1), max_worlds=20)
    assert whole.horizon is None
    assert all(move.unsettled == 0 for move in whole.moves)


def test_a_stop_set_before_gives_an_answer_without_worlds() -> None:
    stop = Stop()
    stop.set()
    advice = recommend(View.from_text(S1), stop=stop)
    assert advice.stopped == "stop"
    assert advice.worlds == 0
    assert {str(move.move) for move in advice.moves} == {"Ks", "Th", "Tc"}
    check_shares(advice)
    stop.clear()
    assert recommend(View.from_text(S1), max_worlds=10, stop=stop).stopped is None


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_and_time_end_it_with_the_worlds_done(threads: int) -> None:
    view = View.from_text(DEAL)
    stop = Stop()
    timer = threading.Timer(0.1, stop.set)
    begin = time.perf_counter()
    timer.start()
    advice = recommend(view, max_worlds=100_000, max_nodes=1 << 40, stop=stop, threads=threads)
    took = time.perf_counter() - begin
    timer.join()
    print(f"stopped after {1e3 * took:.0f} ms, set at 100 ms, with {advice.worlds} worlds")
    assert took < HANG
    assert advice.stopped == "stop"
    assert advice.worlds < 100_000
    assert advice.method == "sampled"
    check_shares(advice)
    begin = time.perf_counter()
    advice = recommend(
        view, max_worlds=100_000, max_nodes=1 << 40, max_seconds=0.1, threads=threads
    )
    took = time.perf_counter() - begin
    print(f"a limit of 100 ms took {1e3 * took:.0f} ms, {advice.worlds} worlds")
    assert took < HANG
    assert advice.stopped == "time"
    check_shares(advice)


def test_bad_arguments_are_named_all_at_once() -> None:
    view = View.from_text(S1)
    with pytest.raises(InputError) as caught:
        recommend(view, max_nodes=0, max_seconds=0, threads=65, stop="now")  # type: ignore[arg-type]
    assert [fault.field for fault in caught.value.faults] == [
        "max_nodes",
        "max_seconds",
        "threads",
        "stop",
    ]
    with pytest.raises(InputError) as caught:
        recommend(view, max_worlds=0, seed=-1)
    assert len(caught.value.faults) == 2
    for threads in (0, True, 1.5):
        with pytest.raises(InputError, match="threads"):
            recommend(view, threads=threads)  # type: ignore[arg-type]


# --- threads, seeds, and what is hidden --------------------------------------------------------


@pytest.mark.parametrize("line", [S1, DEAL, "classic h AsKs6s/x3 x29Jh -/- 1 -"])
def test_threads_do_not_matter(line: str) -> None:
    view = View.from_text(line)
    alone = recommend(view, max_worlds=150, max_nodes=100_000, threads=1)
    for threads in (2, 3):
        together = recommend(view, max_worlds=150, max_nodes=100_000, threads=threads)
        assert replace(together, search_us=0.0, nodes=0) == replace(alone, search_us=0.0, nodes=0)


def test_seeds_matter_only_to_samples() -> None:
    view = View.from_text(S1)
    first = without_time(recommend(view, max_worlds=100, seed=1))
    assert without_time(recommend(view, max_worlds=100, seed=1)) == first
    assert without_time(recommend(view, max_worlds=100, seed=2)) != first
    few = View.from_text("georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -")
    assert without_time(recommend(few, seed=1)) == without_time(recommend(few, seed=2))


def test_lent_solvers_change_nothing() -> None:
    view = View.from_text(S1)
    solver = Solver(table_mb=1)
    solver.solve("georgian3 h QhAcKd/KsThTc KhQsQdQcJdJcKcTsAhJh 13/21 1 -")
    own = recommend(view, max_worlds=100)
    lent = recommend(view, max_worlds=100, solvers=[solver])
    assert lent.moves == own.moves


@pytest.mark.parametrize("rules", RULES)
def test_advice_knows_nothing_of_what_is_hidden(rules: str) -> None:
    """The cards a seat cannot place are dealt anew: not a digit of what it is told changes."""
    rng = random.Random(f"advice leak {rules}")
    advised = 0
    for _ in range(40):
        line = some_line(rng, rules)
        for seat in (0, 1):
            told: list[object] = []
            for deal in (line, hidden_shuffled(rng, line, seat)):
                view = View.from_text(deal, seat)
                assert estimate_claim(view, 1 - seat).closed == 0
                told.append(estimate_claim(view))
                told.append(list(map(str, worlds(view, 5, seed=1))))
                try:
                    advice = recommend(view, max_worlds=6, max_nodes=3000)
                    told.append(without_time(advice))
                    advised += 1
                except InputError as error:
                    told.append(str(error))
            assert told[:3] == told[3:], (line, seat)
    assert advised > 40


def test_a_true_deal_and_its_view_get_the_same_advice() -> None:
    true = "georgian3 h QhAcKd/KsThTc KhQsQdQcJdJcKcTsAhJh As(Js)/TdAd 1 -"
    assert without_time(recommend(View.from_text(true, 1), max_worlds=100)) == without_time(
        recommend(View.from_text(S1), max_worlds=100)
    )
    assert Position.from_text(true).turn == 1
