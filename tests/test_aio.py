"""The asyncio client: the same answers and errors as the synchronous one, and what is its own."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator

import pytest

import bura
from bura.aio import AsyncClient
from bura_core import View, recommend

DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh -/- 0 -"
ENDING = "georgian3 h QhAcKd/KsThTc - 13/21 1 -"
SEEN = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
PARTS = bura.Position(
    rules="georgian3",
    trump="h",
    hands=("x3", "KsThTc"),
    talon="x9Jh",
    piles=("As(Js)", "TdAd"),
    turn=1,
)
MOVES = ("As", "(Js)", "Td", "Ad", "Tc", "Ac", "claim")
HARD = "georgian5 h x5/KsThTcAdQd x25Jh -/- 1 -"
ENDLESS = (
    "perebor[hand=6] d AsQs9sThKh8d/KsJs7sQhTdJc TsAh9h6hAdKd9d7dAcTc9c7c8s6sJh7hQd6d"
    "KcQc8c6c8hJd 0/0 0 -"
)


@pytest.fixture(scope="module")
def client() -> Iterator[bura.Client]:
    with bura.connect() as client:
        yield client


def test_both_clients_have_the_same_methods() -> None:
    def public(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}

    assert public(AsyncClient) == public(bura.Client)


def test_the_same_answers_as_the_synchronous_client(client: bura.Client) -> None:
    record = client.play(DEAL, MOVES).record

    async def ask() -> list[object]:
        async with bura.aio.connect(client.target) as other:
            return [
                (await other.recommend(PARTS, max_worlds=20)).moves,
                await other.estimate_claim(SEEN),
                (await other.solve(ENDING)).moves,
                (await other.perft(ENDING, 2, True)).divide,
                [move.cost for move in (await other.review(record)).moves],
                await other.check_record(record),
                await other.replay(record, 1),
                await other.play(ENDING, ["Ks"]),
                await other.draw(ENDING, dark=True, language="ka"),
                await other.rule_sets(),
                await other.rule_set("classic[deck=32]", "ru"),
            ]

    assert asyncio.run(ask()) == [
        client.recommend(SEEN, max_worlds=20).moves,
        client.estimate_claim(PARTS),
        client.solve(ENDING).moves,
        client.perft(ENDING, 2, True).divide,
        [move.cost for move in client.review(record).moves],
        client.check_record(record),
        client.replay(record, 1),
        client.play(ENDING, ["Ks"]),
        client.draw(ENDING, dark=True, language="ka"),
        client.rule_sets(),
        client.rule_set("classic[deck=32]", "ru"),
    ]


def test_the_embedded_service_is_the_default_here_too(client: bura.Client) -> None:
    async def ask() -> bura.Solution:
        async with bura.aio.connect() as other:
            assert other.target != client.target
            return await other.solve(ENDING)

    assert asyncio.run(ask()).moves == client.solve(ENDING).moves


def test_errors_are_those_of_the_synchronous_client(client: bura.Client) -> None:
    async def ask() -> None:
        async with bura.aio.connect(client.target) as other:
            with pytest.raises(bura.InputError) as caught:
                await other.solve("georgian3 h Qh/KsTh - 13/21 5 -")
            assert len(caught.value.faults) > 1
            with pytest.raises(bura.InputError):
                await other.solve(ENDING, objective="tricks")
            with pytest.raises(bura.InputError):
                await other.play(ENDING, ["Kh"])
        with pytest.raises(bura.Unavailable):
            await other.solve(ENDING)
        async with bura.aio.connect("localhost:1", retries=0) as nobody:
            with pytest.raises(bura.Unavailable):
                await nobody.solve(ENDING)

    asyncio.run(ask())


def test_calls_run_side_by_side_and_batches_keep_their_order(client: bura.Client) -> None:
    lines = [ENDING, "nonsense", SEEN, ENDING] * 5

    async def questions() -> AsyncIterator[str]:
        for line in lines:
            await asyncio.sleep(0)
            yield line

    async def ask() -> tuple[list[str], list[str], list[object]]:
        async with bura.aio.connect(client.target) as other:
            plain = [type(a).__name__ async for a in other.solve_many(lines, threads=2)]
            streamed = [type(a).__name__ async for a in other.solve_many(questions())]
            together = await asyncio.gather(*(other.solve(ENDING) for _ in range(8)))
            return plain, streamed, [answer.outcome for answer in together]

    plain, streamed, outcomes = asyncio.run(ask())
    assert plain == streamed == ["Solution", "InputError", "InputError", "Solution"] * 5
    assert outcomes == [1] * 8


def test_a_batch_that_is_left_early_ends(client: bura.Client) -> None:
    def endless() -> Iterator[str]:
        while True:
            yield ENDING

    async def ask() -> int:
        async with bura.aio.connect(client.target) as other:
            count = 0
            answers = other.solve_many(endless())
            async for _ in answers:
                count += 1
                if count == 3:
                    break
            await answers.aclose()  # type: ignore[attr-defined]
            return count

    assert asyncio.run(asyncio.wait_for(ask(), 60)) == 3


def test_cancelling_the_task_cancels_the_search(client: bura.Client) -> None:
    async def ask() -> float:
        async with bura.aio.connect(client.target) as other:
            task = asyncio.create_task(other.solve(ENDLESS))
            await asyncio.sleep(0.3)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # The worker is free again.
            await other.solve(ENDING)
            return time.monotonic() - began

    assert asyncio.run(ask()) < 20


def free(client: bura.Client) -> bool:
    """Whether a search begins and ends at once: those before it are over."""
    began = time.monotonic()
    client.recommend(HARD, max_nodes=20_000, seed=time.monotonic_ns() % 10**9)
    return time.monotonic() - began < 10


def test_hints_refine_to_a_last_one_that_is_the_cores(client: bura.Client) -> None:
    hints = list(client.recommend_stream(PARTS, max_worlds=3000, seed=5, interval=0.001))
    assert [hint.final for hint in hints] == [False] * (len(hints) - 1) + [True]
    assert len(hints) > 1
    worlds = [hint.worlds for hint in hints]
    assert worlds == sorted(worlds)
    assert worlds[-1] == 3000
    core = recommend(View.from_text(SEEN), max_worlds=3000, seed=5, confidence=None)
    assert [(each.move, each.value) for each in hints[-1].moves] == [
        (str(each.move), each.value) for each in core.moves
    ]

    async def ask() -> list[bura.Recommendation]:
        async with bura.aio.connect(client.target) as other:
            return [hint async for hint in other.recommend_stream(PARTS, max_worlds=3000, seed=5)]

    assert asyncio.run(ask())[-1].moves == hints[-1].moves


def test_leaving_the_hints_stops_the_search(client: bura.Client) -> None:
    for hint in client.recommend_stream(HARD, max_worlds=100_000, time_limit=60):
        assert not hint.final
        break
    assert free(client)
    hints = client.recommend_stream(HARD, max_worlds=100_000, time_limit=60)
    assert not next(hints).final
    hints.close()
    assert list(hints) == []

    async def ask() -> None:
        async with bura.aio.connect(client.target) as other:
            async for hint in other.recommend_stream(HARD, max_worlds=100_000, time_limit=60):
                assert not hint.final
                break
            hints = other.recommend_stream(HARD, time_limit=60, interval=60)
            assert not (await anext(hints)).final
            task = asyncio.create_task(anext(hints))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(ask())
    assert free(client)


def test_hints_are_asked_for_when_they_are_wanted_and_refused_as_any_other(
    client: bura.Client,
) -> None:
    with pytest.raises(bura.InputError) as caught:
        client.recommend_stream(SEEN, interval=0)
    assert [fault.field for fault in caught.value.faults] == ["interval"]
    hints = client.recommend_stream("georgian3 h Th/x1 - 0/0 5 -", seed=-1, max_worlds=0)
    with pytest.raises(bura.InputError) as caught:
        next(hints)
    fields = {fault.field for fault in caught.value.faults}
    assert {"position.turn", "seed", "max_worlds"} <= fields

    async def ask() -> None:
        async with bura.aio.connect(client.target) as other:
            with pytest.raises(bura.InputError):
                await anext(other.recommend_stream("x"))
        with pytest.raises(bura.Unavailable):
            await anext(other.recommend_stream(SEEN))

    asyncio.run(ask())


def test_a_position_by_its_parts_is_its_line() -> None:
    assert str(PARTS) == SEEN
    whole = bura.Position(
        rules="five",
        trump="d",
        hands=("Ah9d6c", "KhQhJsTd7c"),
        talon="9c8cTh7d",
        piles=("31", "20"),
        turn=1,
        table=((0, "TsAs"),),
        options={"stake": 1},
    )
    assert str(whole) == "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs stake=1"


def test_a_hint_from_a_record(client: bura.Client) -> None:
    record = client.play(DEAL, MOVES).record
    replay = client.replay(record, seat=1)
    assert [move.move for move in replay.moves] == list(MOVES)
    assert "1. 1:(Js)" in str(replay)
    at = replay.moves[4]
    assert (at.seat, at.move) == (1, "Tc")
    advice = client.recommend(at.position, max_worlds=50)
    assert {move.move for move in advice.moves} >= {"Ks", "Th", "Tc"}


def test_a_played_position_reads_well(client: bura.Client) -> None:
    assert str(client.play(ENDING)).endswith("seat 1 may play Ks, Th, Tc, raise")
    over = client.play(DEAL, MOVES)
    assert (over.winner, over.reason, over.actor) == (0, "claim", None)
    assert str(over).endswith("the hand is over: seat 0 wins (claim)")
    seen = client.play(DEAL, ["As"], seat=1)
    assert seen.position.split()[2] == "x2/KsJsAd"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"token": "a\nb"}, "token"),
        ({"token": ""}, "token"),
        ({"token": "ключ"}, "token"),
        ({"retries": 9}, "retries"),
        ({"retries": -1}, "retries"),
        ({"timeout": 0}, "timeout"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(options: dict[str, object], field: str) -> None:
    for connect in (bura.connect, bura.aio.connect):
        with pytest.raises(bura.InputError) as caught:
            connect("localhost:1", **options)  # type: ignore[operator]
        assert [fault.field for fault in caught.value.faults] == [field]


def test_importing_the_client_is_quick_and_brings_neither_grpc_nor_asyncio() -> None:
    code = (
        "import time; began = time.process_time(); import bura;"
        "took = time.process_time() - began;"
        "import sys; heavy = {'grpc', 'asyncio', 'google.protobuf'};"
        "print(heavy & {*sys.modules});"
        "sys.exit(took >= 0.3)"
    )
    # Time of the processor, so that a busy machine does not matter; the best of a few.
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "set()", done.stderr
        if done.returncode == 0:
            return
    pytest.fail("import bura takes 0.3 seconds and more")


def test_the_module_is_there_once_it_is_asked_for() -> None:
    code = "import bura; print(bura.aio.AsyncClient is bura.AsyncClient); bura.nothing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "True"
    assert "AttributeError: module 'bura' has no attribute 'nothing'" in done.stderr
