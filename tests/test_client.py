"""The Python client: against a service that plays a part, and against the real one."""

import dataclasses
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

import bura
import fake_service
from bura import _batches, _calls
from bura._words import duration, large, percent, signed
from bura.v1 import advisor_pb2, solver_pb2
from bura_core import PRESETS
from fake_service import POSITION, SEEN, FakeService


@pytest.fixture
def fake() -> Iterator[FakeService]:
    with fake_service.fake_service() as fake:
        yield fake


@pytest.fixture
def client(fake: FakeService) -> Iterator[bura.Client]:
    with bura.connect(fake.target) as client:
        yield client


@pytest.fixture(scope="module")
def real() -> Iterator[bura.Client]:
    """The service itself, inside this process."""
    with bura.connect() as client:
        yield client


# What comes back.


def test_a_solution_has_every_field(client: bura.Client, fake: FakeService) -> None:
    solution = client.solve(POSITION)
    assert solution == bura.Solution(
        position=POSITION,
        objective="outcome",
        outcome=1,
        points=None,
        lower=1,
        upper=1,
        moves=(bura.MoveValue("Ks", 1, 1, 1), bura.MoveValue("KsQs", 0, 0, 0)),
        best=("Ks",),
        line=("Ks", "(Td)"),
        nodes=48,
        search_us=12.5,
        stopped="completed",
    )
    assert solution.exact
    assert solution.value == 1
    assert fake.requests[0].ListFields()[0][1] == POSITION


def test_points_are_apart_from_the_outcome(client: bura.Client) -> None:
    solution = client.solve(POSITION, objective="points", value_only=True)
    assert (solution.outcome, solution.points, solution.value) == (1, 21, 21)
    assert solution.moves == ()


def test_a_score_is_apart_from_the_outcome(client: bura.Client) -> None:
    solution = client.solve(POSITION, objective="score", value_only=True)
    assert (solution.outcome, solution.points, solution.score, solution.value) == (1, None, 2, 2)
    assert str(solution).startswith("score +2")


def test_a_search_cut_short_has_bounds_and_no_value(client: bura.Client) -> None:
    solution = client.solve(POSITION, max_nodes=5)
    assert (solution.value, solution.lower, solution.upper) == (None, -1, 1)
    assert not solution.exact
    assert solution.stopped == "nodes"
    assert "between -1 and +1" in str(solution)


def test_a_recommendation_has_every_field(client: bura.Client) -> None:
    advice = client.recommend(SEEN, seat=1, max_worlds=7, seed=3, time_limit=2.5)
    assert advice.move == "Th"
    assert advice.method == "sampled"
    assert (advice.worlds, advice.total_worlds) == (1000, 79_833_600)
    assert [each.move for each in advice.moves] == ["Th", "Tc", "claim"]
    assert advice.moves[0].beaten == Fraction(1, 4)
    assert advice.moves[2].beaten is None
    assert advice.table.piles[1] == bura.Pile(21, 0, 21, 21)
    assert advice.table.claim_ceiling is None
    assert advice.claim is not None
    assert advice.claim.chance == Fraction(1, 3)


def test_arguments_reach_the_service(client: bura.Client, fake: FakeService) -> None:
    client.recommend(SEEN, seat=0, max_worlds=7, seed=3, max_nodes=11, time_limit=2.5)
    client.estimate_claim(SEEN, seat=1)
    client.perft(POSITION, 3, True)
    client.solve(POSITION)
    advice, claim, perft, solve = fake.requests
    assert isinstance(advice, advisor_pb2.RecommendMoveRequest)
    assert (advice.seat, advice.max_worlds, advice.seed) == (0, 7, 3)
    assert advice.HasField("seat")
    assert advice.limits.max_nodes == 11
    assert advice.limits.max_time.ToMilliseconds() == 2500
    assert isinstance(claim, advisor_pb2.EstimateClaimRequest)
    assert claim.seat == 1
    assert isinstance(perft, solver_pb2.PerftRequest)
    assert (perft.depth, perft.divide) == (3, True)
    assert isinstance(solve, solver_pb2.SolvePositionRequest)
    assert not solve.HasField("limits")


def test_a_claim_perft_and_rule_sets(client: bura.Client) -> None:
    claim = client.estimate_claim(SEEN)
    assert (claim.seat, claim.minimum, claim.maximum, claim.verdict) == (1, 23, 32, "open")
    assert [each.ways for each in claim.distribution] == [2, 1]
    perft = client.perft(POSITION, 2, divide=True)
    assert (perft.nodes, perft.depth, perft.exact) == (14, 2, True)
    assert perft.divide == {"Ks": 5, "KsQs": 2}
    names = {each.name: each for each in client.rule_sets()}
    assert names["classic"].switches == {"deck": "20", "hand": "3"}
    changed = client.rule_set("classic[deck=20]")
    assert changed.paragraphs == (("Deal", "Two play classic."),)
    assert changed.changes == {"deck": ("36", "20")}
    assert str(changed) == "classic[deck=20] (S1): The game classic."
    assert client.rule_sets("ru")[0].description == "Игра georgian3."


def test_results_are_frozen_and_read_well(client: bura.Client) -> None:
    results: list[Any] = [
        client.solve(POSITION),
        client.recommend(SEEN),
        client.recommend(SEEN).table,
        client.estimate_claim(SEEN),
        client.perft(POSITION, 2, divide=True),
        client.rule_sets()[0],
    ]
    for result in results:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, dataclasses.fields(result)[0].name, "")
        text = str(result)
        assert text
        assert all(len(line) <= 99 for line in text.splitlines())
        assert "Fraction" not in text
        assert type(result).__name__ not in text
    assert str(results[0]).splitlines()[0] == (
        "outcome +1 (win for the seat to act); best Ks; 48 nodes in 12 µs"
    )
    assert str(results[3]) == (
        "seat 1 holds 23 to 32 points, 31 needed: open, the claim holds 1/3 (33.3%)"
    )


# What goes wrong.


def test_every_fault_of_the_input_is_told(client: bura.Client) -> None:
    with pytest.raises(bura.InputError) as caught:
        client.solve("bad line")
    assert caught.value.faults == (
        bura.Fault("position.talon", "Xx", "no such card", "write Jh"),
        bura.Fault("time_limit", "-1", "not more than zero", "give seconds"),
    )
    assert str(caught.value).splitlines() == [
        "position.talon 'Xx': no such card; write Jh",
        "time_limit '-1': not more than zero; give seconds",
    ]
    assert isinstance(caught.value, ValueError)


def test_a_fault_without_details_keeps_its_text(client: bura.Client) -> None:
    with pytest.raises(bura.InputError, match=r"^cards are unknown$"):
        client.solve("hidden x")


def test_what_the_service_can_not_do(client: bura.Client) -> None:
    with pytest.raises(bura.Unsupported, match="three players are too many"):
        client.solve("unsupported x")


def test_a_busy_service_says_when_to_come_back(client: bura.Client) -> None:
    with pytest.raises(bura.Overloaded, match="the queue is full") as caught:
        client.solve("busy x")
    assert caught.value.retry_after == pytest.approx(0.02)


def test_a_fault_of_the_service(client: bura.Client) -> None:
    with pytest.raises(bura.ServerError, match="internal error"):
        client.solve("broken x")


def test_a_service_that_leaves(client: bura.Client, fake: FakeService) -> None:
    with pytest.raises(bura.Unavailable, match="shutting down"):
        client.solve("gone x")
    assert fake.asked["gone x"] > 1  # it was asked again first: another may have taken over


def test_no_service_at_that_address() -> None:
    with bura.connect("127.0.0.1:1") as client, pytest.raises(bura.Unavailable) as caught:
        client.rule_sets()
    assert str(caught.value) == "no service answers at 127.0.0.1:1: Connection refused"


def test_a_call_takes_no_longer_than_allowed(fake: FakeService) -> None:
    began = time.monotonic()
    with bura.connect(fake.target, timeout=0.2) as client, pytest.raises(bura.Timeout) as caught:
        client.solve("slow x")
    assert time.monotonic() - began < 5
    assert isinstance(caught.value, TimeoutError)


def test_closing_ends_a_call_that_waits(fake: FakeService) -> None:
    client = bura.connect(fake.target)
    failures: list[Exception] = []

    def ask() -> None:
        try:
            client.solve("slow x")
        except bura.BuraError as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while not fake.asked:
        time.sleep(0.01)
    client.close()
    thread.join(10)
    assert [type(failure) for failure in failures] == [bura.Unavailable]
    with pytest.raises(bura.Unavailable):
        client.solve(POSITION)


@pytest.mark.parametrize("target", ["", "localhost", "localhost:", "localhost:99999", ":1", "a:b"])
def test_what_is_no_address(target: str) -> None:
    with pytest.raises(bura.InputError, match="HOST:PORT") as caught:
        bura.connect(target)
    assert [fault.field for fault in caught.value.faults] == ["target"]


def test_all_faults_of_a_connection_at_once() -> None:
    with pytest.raises(bura.InputError) as caught:
        bura.connect("nowhere", timeout=-1)
    assert [fault.field for fault in caught.value.faults] == ["target", "timeout"]


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (lambda client: client.solve(POSITION, max_nodes=2**70), "max_nodes"),
        (lambda client: client.solve(POSITION, time_limit=0), "time_limit"),
        (lambda client: client.solve(POSITION, time_limit=float("nan")), "time_limit"),
        (lambda client: client.solve(POSITION, objective="glory"), "objective"),
        (lambda client: client.solve("half a letter \ud800"), "position"),
        (lambda client: client.recommend(SEEN, seat=2**40), "seat"),
    ],
)
def test_what_can_not_be_sent(
    client: bura.Client, ask: Callable[[bura.Client], object], field: str
) -> None:
    with pytest.raises(bura.InputError) as caught:
        ask(client)
    assert [fault.field for fault in caught.value.faults] == [field]


def test_without_a_service_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bura._calls.entry_points", lambda **_: ())
    with pytest.raises(bura.Unavailable, match="pip install bura-service"):
        bura.connect()


def test_an_installed_service_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def load(self) -> Callable[[], object]:
            raise ImportError("no module named bura_core")

    monkeypatch.setattr("bura._calls.entry_points", lambda **_: (Broken(),))
    with pytest.raises(bura.Unavailable, match="no module named bura_core"):
        bura.connect()


# Many at once.


def test_many_positions_keep_their_order(client: bura.Client, fake: FakeService) -> None:
    positions = [f"{POSITION} {number}" for number in range(200)]
    answers = list(client.solve_many(positions, value_only=True, threads=4))
    assert all(isinstance(answer, bura.Solution) for answer in answers)
    assert [
        answer.position for answer in answers if isinstance(answer, bura.Solution)
    ] == positions
    assert 1 < fake.most_running <= 4


def test_easy_positions_share_a_message(client: bura.Client, fake: FakeService) -> None:
    positions = [f"{POSITION} {number}" for number in range(3000)]
    answers = list(client.solve_many(positions))
    assert [
        answer.position for answer in answers if isinstance(answer, bura.Solution)
    ] == positions
    sizes = [
        len(request.positions)
        for request in fake.requests
        if isinstance(request, solver_pb2.SolvePositionsRequest)
    ]
    assert sum(sizes) == 3000
    assert sizes[0] == 1
    assert 100 < max(sizes) <= _calls.MOST_POSITIONS


def test_arguments_of_a_batch_reach_the_service(client: bura.Client, fake: FakeService) -> None:
    list(client.solve_many([POSITION], objective="points", value_only=True, time_limit=2))
    list(client.solve_many([POSITION], line=True, max_nodes=7))
    first, second = fake.requests
    assert isinstance(first, solver_pb2.SolvePositionsRequest)
    assert (first.objective, first.value_only) == (solver_pb2.OBJECTIVE_POINTS, True)
    assert (first.limits.max_time.seconds, first.want_line) == (2, False)
    assert isinstance(second, solver_pb2.SolvePositionsRequest)
    assert (second.limits.max_nodes, second.want_line) == (7, True)


def test_a_batch_brings_the_line_only_if_asked_for(client: bura.Client) -> None:
    for line in (False, True):
        [answer] = client.solve_many([POSITION], line=line)
        assert isinstance(answer, bura.Solution)
        assert answer.line == (("Ks", "(Td)") if line else ())


def grouped(target: str, positions: list[str], timeout: float | None = None) -> list[type]:
    """What becomes of positions that travel in one message."""
    calls = _calls.Calls(target, timeout)
    try:
        return [type(answer) for answer in calls.solve_each(positions)]
    finally:
        calls.close()


def test_one_bad_position_spoils_no_other(client: bura.Client, fake: FakeService) -> None:
    positions = [POSITION, "bad x", "broken x", "unsupported x", "half \ud800", POSITION]
    kinds = [
        bura.Solution,
        bura.InputError,
        bura.ServerError,
        bura.Unsupported,
        bura.InputError,
        bura.Solution,
    ]
    answers = list(client.solve_many(positions))
    assert [type(answer) for answer in answers] == kinds
    assert isinstance(answers[1], bura.InputError)
    assert [fault.field for fault in answers[1].faults] == ["position.talon", "time_limit"]
    assert isinstance(answers[4], bura.InputError)
    assert [fault.field for fault in answers[4].faults] == ["position"]
    together = [
        solver_pb2.SolvePositionResponse if kind is bura.Solution else kind for kind in kinds
    ]
    assert grouped(fake.target, positions) == together


def test_a_message_out_of_time_is_asked_again_one_by_one(fake: FakeService) -> None:
    solved = solver_pb2.SolvePositionResponse
    kinds = grouped(fake.target, [POSITION, "slow x", POSITION], timeout=0.5)
    assert kinds == [solved, bura.Timeout, solved]


def test_what_a_message_did_not_reach_is_asked_again(fake: FakeService) -> None:
    positions = [POSITION, "late x", POSITION, "late y", "bad z"]
    solved = solver_pb2.SolvePositionResponse
    assert grouped(fake.target, positions) == [*[solved] * 4, bura.InputError]
    assert [
        len(request.positions)
        for request in fake.requests
        if isinstance(request, solver_pb2.SolvePositionsRequest)
    ] == [5, 4, 2]


def test_a_busy_service_is_too_busy_for_the_whole_message(fake: FakeService) -> None:
    assert grouped(fake.target, [POSITION, "busy x"]) == [bura.Overloaded] * 2
    assert fake.asked["busy x"] < 10


def test_a_busy_service_is_asked_again(client: bura.Client, fake: FakeService) -> None:
    [answer] = client.solve_many(["crowded x"])
    assert isinstance(answer, bura.Solution)
    assert fake.asked["crowded x"] == 3


def test_a_service_that_stays_busy_is_given_up(client: bura.Client) -> None:
    first, second = client.solve_many(["busy x", POSITION])
    assert isinstance(first, bura.Overloaded)
    assert isinstance(second, bura.Solution)


def test_nobody_is_asked_on_when_nobody_answers(client: bura.Client, fake: FakeService) -> None:
    answers = client.solve_many([POSITION, "gone x", *[POSITION] * 50])
    assert isinstance(next(answers), bura.Solution)
    with pytest.raises(bura.Unavailable):
        list(answers)
    assert fake.asked[POSITION] < 50


def test_only_a_little_is_read_ahead() -> None:
    read = 0

    def questions() -> Iterator[int]:
        nonlocal read
        for number in range(100_000):
            read = number
            yield number

    answers = _batches.in_order(questions(), list, threads=2, most=10)
    assert [next(answers) for _ in range(10)] == list(range(10))
    time.sleep(0.05)
    assert read < 500
    answers.close()  # type: ignore[attr-defined]  # a generator


def test_easy_questions_travel_together_and_hard_ones_alone() -> None:
    sizes: list[int] = []

    def easy(few: list[int]) -> Sequence[int]:
        sizes.append(len(few))
        time.sleep(0.001)
        return few

    assert list(_batches.in_order(range(3000), easy, most=500)) == list(range(3000))
    assert sizes[0] == 1
    assert max(sizes) == 500

    def hard(few: list[int]) -> Sequence[int]:
        sizes.append(len(few))
        time.sleep(0.06)
        return few

    sizes.clear()
    assert list(_batches.in_order(range(5), hard, most=500)) == list(range(5))
    assert sizes == [1] * 5


def test_a_question_does_not_wait_for_the_next() -> None:
    asked = threading.Event()

    def questions() -> Iterator[int]:
        yield 1
        assert asked.wait(10)
        yield 2

    def ask(few: list[int]) -> Sequence[int]:
        asked.set()
        return few

    assert list(_batches.in_order(questions(), ask, most=100)) == [1, 2]


def test_a_source_that_fails_fails_after_its_last_answer() -> None:
    def questions() -> Iterator[int]:
        yield 1
        raise OSError("the disk is gone")

    answers = _batches.in_order(questions(), list)
    assert next(answers) == 1
    with pytest.raises(OSError, match="the disk is gone"):
        next(answers)


# Words and imports.


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (1, "100%"),
        (Fraction(1, 3), "33.3%"),
        (Fraction(1, 10**6), "<0.1%"),
        (1 - 1e-9, ">99.9%"),
    ],
)
def test_percent_rounds_nothing_to_certainty(share: float | Fraction, text: str) -> None:
    assert percent(share) == text


def test_numbers_for_people() -> None:
    assert [signed(value) for value in (-0.001, 0.0, 0.456, -1)] == [
        "0.00",
        "0.00",
        "+0.46",
        "-1.00",
    ]
    assert [duration(us) for us in (0, 12.5, 999.4, 1000, 54_321, 999_999, 31e6)] == [
        "0 µs", "12 µs", "999 µs", "1.00 ms", "54.3 ms", "1000 ms", "31.0 s",
    ]  # fmt: skip
    assert large(79_833_600) == "79,833,600"
    assert large(3 * 10**30) == "about 3.0e+30"


def test_importing_the_client_loads_nothing_heavy() -> None:
    code = (
        "import sys, bura; "
        "heavy = {'grpc', 'google', 'typer', 'rich', 'bura_core', 'bura_service'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The service itself.


def test_the_service_solves(real: bura.Client) -> None:
    solution = real.solve(POSITION)
    assert solution.exact
    assert {each.move: each.value for each in solution.moves} == {"Ks": 1, "Th": 1, "Tc": -1}
    assert solution.best == ("Ks", "Th")
    assert real.solve(POSITION, value_only=True).outcome == solution.outcome


def test_the_hand_of_the_georgian_text(real: bura.Client) -> None:
    advice = real.recommend(SEEN)
    assert (advice.method, advice.stopped) == ("sampled", "completed")
    assert {each.move for each in advice.moves} == {"Ks", "Th", "Tc"}
    ten = next(each for each in advice.moves if each.move == "Th")
    assert ten.beaten == 1 - Fraction(165, 220)
    assert advice.move == "Th"
    claim = real.estimate_claim(SEEN)
    assert (claim.minimum, claim.maximum, claim.verdict) == (21, 21, "impossible")
    assert claim.chance == 0


def test_the_service_counts_sequences(real: bura.Client) -> None:
    perft = real.perft(POSITION, 1, divide=True)
    assert (perft.nodes, dict(perft.divide)) == (3, {"Ks": 1, "Th": 1, "Tc": 1})
    assert real.perft(POSITION, 0).nodes == 1


def test_the_service_names_every_fault(real: bura.Client) -> None:
    with pytest.raises(bura.InputError) as caught:
        real.solve(POSITION.replace(" h ", " q ").replace(" 1 -", " 7 -"))
    fields = [fault.field for fault in caught.value.faults]
    assert fields == ["position.trump", "position.turn"]
    assert all(fault.remedy for fault in caught.value.faults)


def test_the_service_says_that_cards_are_unknown(real: bura.Client) -> None:
    with pytest.raises(bura.InputError):
        real.solve(SEEN)


def test_the_service_knows_sixteen_rule_sets(real: bura.Client) -> None:
    assert [each.name for each in real.rule_sets()] == list(PRESETS)
    changed = real.rule_set("dave[deck=32]", "ru")
    assert changed.changes == {"deck": ("36", "32")}
    assert "«даве»" in dict(changed.paragraphs)["Ставка"]
    with pytest.raises(bura.InputError) as caught:
        real.rule_set("classic[hand=9,claim_ceiling=30,trmps=no]", "xx")
    assert {fault.field for fault in caught.value.faults} == {
        "language_code", "rules", "rules.hand", "rules.claim_ceiling",
    }  # fmt: skip


def test_the_service_answers_a_batch_as_it_answers_each(real: bura.Client) -> None:
    positions = [POSITION, "nonsense", POSITION.replace(" 1 -", " 0 -")] * 20
    answers = list(real.solve_many(positions, threads=2))
    for position, answer in zip(positions, answers, strict=True):
        if position == "nonsense":
            assert isinstance(answer, bura.InputError)
        else:
            assert isinstance(answer, bura.Solution)
            alone = real.solve(position)
            assert (answer.outcome, answer.moves) == (alone.outcome, alone.moves)
            # The line is found by some more search.
            assert (answer.line, answer.nodes <= alone.nodes) == ((), True)
    for answer in real.solve_many(positions[::3], line=True):
        assert isinstance(answer, bura.Solution)
        alone = real.solve(POSITION)
        assert (answer.line, answer.nodes) == (alone.line, alone.nodes)


def test_claims_are_decided_and_raises_advised(real: bura.Client) -> None:
    line = "georgian3 h AsTdQh/x3 x5Jh TcKcx2/AdQdx2 0 - claim=0"
    assert real.estimate_claim(line).decision is None
    decision = real.estimate_claim(line, max_worlds=60).decision
    assert decision is not None
    assert not decision.claim
    assert decision.play_value > decision.claim_value
    assert str(decision).startswith(f"Play on, with {decision.play}: ")
    advice = real.advise_raise(
        "georgian3 h KcJdQs/x3 x13Jh -/- 1 - raiser=1 offer=2 score=3:5/7", max_worlds=60
    )
    assert {each.move for each in advice.options} == {"accept", "fold", "raise"}
    assert (advice.unit, advice.stake, advice.offered, advice.play) == ("match", 1, 2, None)
    assert advice.best == advice.options[0].move
    assert "accepting needs" in str(advice)
    first = real.advise_raise("georgian3 h x3/AhKsTs x13Jh -/- 1 -", max_worlds=60)
    assert (first.unit, first.least) == ("stakes", None)
    assert first.play is not None
    assert first.accepts is not None
