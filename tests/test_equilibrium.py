"""Small endings with hidden cards: values against a linear program over plain Python rules."""

import itertools
import math
from dataclasses import replace

import pytest

from bura_core import (
    InputError,
    Position,
    RuleSet,
    Stop,
    UnsupportedError,
    View,
    parse_move,
    worlds,
)
from bura_core._equilibrium import PublicEnding
from bura_core.equilibrium import (
    Ending,
    EndingTooLarge,
    Unsolved,
    inferred_prior,
    joint_deals,
    solve_ending,
    try_ending,
)
from bura_core.inference import witness_of
from bura_core.record import record_hand, view_of
from ending_oracle import Tree, value
from endings import endings
from scale import scaled

SMALL = {"cards": (1, 2), "most": 20}
DRAWING = {"cards": (2,), "talon": (2,), "most": 30, "table": 1.0}
WHOLE = {"cards": (3,), "most": 10, "table": 1.0}
# Every preset of two players; then the rare rules and whole hands, in fewer endings.
SUITE = [
    *(
        (text, 13, SMALL)
        for text in (
            "georgian3 georgian5 classic classic_shown casino moskva dave five burkozel "
            "burkozel_kommersant bura1 bura2 perebor no_trump three_vs_four"
        ).split()
    ),
    ("classic[claim_window=own_turn]", 6, SMALL),
    ("classic[rank_leads=yes]", 4, SMALL),
    ("georgian3[hand=2,raises=none]", 1, DRAWING),
    ("no_trump[hand=2]", 1, DRAWING),
    ("three_vs_four[hand=2]", 1, DRAWING),
    ("classic[hand=2,three_aces=none]", 1, DRAWING),
    ("casino[hand=2,three_aces=none]", 1, DRAWING),
    ("classic", 2, WHOLE),
    ("moskva", 1, WHOLE),
]


def worth(found: Ending) -> float:
    """To seat 0."""
    return found.ending_value if found.seat == 0 else -found.ending_value


@pytest.mark.parametrize(("text", "number", "shape"), SUITE, ids=[text for text, *_ in SUITE])
def test_values_are_those_of_a_linear_program(
    text: str, number: int, shape: dict[str, object]
) -> None:
    number = scaled(number)
    for view, line in itertools.islice(endings(7, text, **shape), number):  # type: ignore[arg-type]
        expected, _ = value(line, raises=1)
        for reduce in (True, False):
            found = solve_ending(
                view, gap=2e-7, max_iterations=50_000, max_raises=1, always=False, reduce=reduce
            )
            assert worth(found) == pytest.approx(expected, abs=1e-6), line
            assert found.lower - 1e-9 <= found.ending_value <= found.upper + 1e-9


def test_the_suite_has_two_hundred_endings() -> None:
    assert sum(number for _, number, _ in SUITE) >= 200


@pytest.mark.parametrize(
    "text",
    ["georgian3", "classic[rank_leads=yes]", "no_trump", "bura1", "casino"],
)
def test_exchanges_of_suits_shrink_the_game_and_change_no_value(text: str) -> None:
    hands = {"cards": (2, 3), "most": 60}
    drawing = {"cards": (2,), "talon": (2,), "least": 10, "most": 100}
    for shape, number in ((hands, 4), (drawing, 1)):
        checked = 0
        for view, line in endings(5, text, **shape):  # type: ignore[arg-type]
            found = solve_ending(view, gap=1e-4, max_raises=0, always=False)
            if found.symmetries == 1:
                continue
            whole = solve_ending(view, gap=1e-4, max_raises=0, always=False, reduce=False)
            assert found.ending_value == pytest.approx(whole.ending_value, abs=2e-4), line
            assert (whole.symmetries, whole.joint_deals) == (1, found.joint_deals)
            assert found.infosets < whole.infosets, line
            checked += 1
            if checked == number:
                break


# Of diamonds and clubs the jack and the ten are left.
ALIKE = "georgian5[deck=20,raises=none] h x2/{} - AsTsKsQsJsAdKdQd/AhThKhQhJhAcKcQc 1 -"


def _exchanged(text: str, suits: str) -> str:
    return text.translate(str.maketrans("dc", suits))


def test_hands_alike_have_one_strategy() -> None:
    one, other = (
        solve_ending(View.from_text(ALIKE.format(hand)), gap=1e-5) for hand in ("JdTc", "JcTd")
    )
    assert one.symmetries == 2
    assert other.value == pytest.approx(one.value, abs=1e-9)
    moves = {_exchanged(str(move.move), "cd"): move for move in one.moves}
    assert sorted(moves) == sorted(str(move.move) for move in other.moves)
    for move in other.moves:
        same = moves[str(move.move)]
        assert move.probability == pytest.approx(same.probability, abs=1e-9)
        assert (move.value, move.always) == pytest.approx((same.value, same.always), abs=1e-9)


def test_moves_alike_of_one_hand_are_made_equally_often() -> None:
    found = solve_ending(View.from_text(ALIKE.format("JdJc")), gap=1e-5)
    chance = {str(move.move): move.probability for move in found.moves}
    assert found.symmetries == 2
    assert sum(chance.values()) == pytest.approx(1)
    assert chance["Jd"] == chance["Jc"]


def test_equal_cards_of_one_suit_are_not_alike() -> None:
    # Nobody's points tell the nine from the eight, but one beats the other: a hand with the
    # nine is worth more. So an exchange of the two would change values.
    line = "classic[raises=none] h x2/{} - {}KsQsAsTsJsThKhQhAh/QcJhQdKdKcAdAc{} 1 -"
    piles = "6s7s8s9s7h", "8h9h6h6d7dJdTdTcJc6c7c"
    values = [
        solve_ending(View.from_text(line.format(hand, *piles)), gap=1e-6).value
        for hand in ("9d8c", "8d8c")
    ]
    assert values[0] > values[1] + 0.01


def test_all_raises_of_the_ladder_are_those_of_the_linear_program() -> None:
    shape = {"cards": (1,), "most": 12, "table": 0.5}
    for view, line in itertools.islice(endings(3, "georgian3", **shape), 3):  # type: ignore[arg-type]
        expected, _ = value(line)
        found = solve_ending(view, gap=2e-7, max_iterations=50_000)
        assert found.raises is None
        assert worth(found) == pytest.approx(expected, abs=1e-6)


def test_weights_of_joint_deals_are_those_of_the_linear_program() -> None:
    points = (0, 0, 0, 0, 2, 3, 4, 10, 11) * 4

    def heavy(cards: int) -> float:
        return 1.0 + sum(points[card] for card in range(36) if cards >> card & 1)

    for view, line in itertools.islice(endings(11, "georgian3[raises=none]", **SMALL), 4):  # type: ignore[arg-type]

        def weight(deal: str) -> float:
            start = Tree._start  # hand and face-down cards of a seat
            from reference_seats import load

            hand = load(deal)
            hands = [start(hand, seat)[0] for seat in (0, 1)]
            return heavy(hands[0]) * heavy(hands[1])  # type: ignore[arg-type]

        expected, _ = value(line, weight=weight)
        whole = solve_ending(
            view, gap=2e-7, prior=lambda hands, downs: heavy(hands[0]) * heavy(hands[1])
        )
        product = solve_ending(
            view, gap=2e-7, prior=(lambda hand, down: heavy(hand), lambda hand, down: heavy(hand))
        )
        for found in (whole, product):
            assert worth(found) == pytest.approx(expected, abs=1e-6)
            assert found.prior == "weighted"
        assert product.value == pytest.approx(whole.value, abs=1e-5)


def one(text: str, seed: int = 1, **shape: object) -> tuple[View, str]:
    return next(endings(seed, text, **{**SMALL, **shape}))  # type: ignore[arg-type]


def test_the_answer_depends_on_the_view_alone() -> None:
    """However the hidden cards really lie: the line that names them all tells no more."""
    from ending_oracle import joint_deals as deals

    for text in ("georgian3", "classic", "casino"):
        view, line = one(text, cards=(2,), most=30, least=6)
        first = solve_ending(view, max_raises=1)
        same = 0
        for other in deals(line):
            position = Position.from_text(other)
            if position.result is not None or View.of(position.text(), view.seat) != view:
                continue
            found = solve_ending(View.of(position.text(), view.seat), max_raises=1)
            assert replace(found, search_us=0) == replace(first, search_us=0)
            same += 1
        assert same >= 1


def test_probabilities_sum_to_one_and_moves_played_are_worth_the_hand() -> None:
    for text in ("georgian3", "georgian5", "dave", "classic", "casino"):
        for view, _ in itertools.islice(endings(5, text, **SMALL), 5):  # type: ignore[arg-type]
            found = solve_ending(view, gap=1e-6, max_raises=1)
            assert sum(move.probability for move in found.moves) == pytest.approx(1)
            mean = sum(move.probability * move.value for move in found.moves)
            assert mean == pytest.approx(found.value, abs=1e-9)
            for move in found.moves:
                assert move.always is not None
                # Never mixing cannot be worth more, up to what the gap leaves open.
                assert move.always <= found.value + 1e-5 / found.chance


def test_what_is_too_large_is_refused_with_its_size() -> None:
    view, _ = one("georgian3", most=60, least=12)
    with pytest.raises(EndingTooLarge, match="joint deals are possible"):
        solve_ending(view, max_deals=joint_deals(view) - 1)
    with pytest.raises(EndingTooLarge, match="more than 10 edges"):
        solve_ending(view, max_size=10)


def test_raises_are_left_out_where_the_tree_would_be_too_large() -> None:
    view, _ = one("georgian3", cards=(2,), table=0.0, seed=4)
    full = PublicEndingSize.of(view, None)
    less = solve_ending(view, max_size=full // 2)
    assert less.raises is not None


class PublicEndingSize:
    @staticmethod
    def of(view: View, raises: int | None) -> int:
        low = 1
        while True:
            try:
                found = solve_ending(view, max_size=low, max_iterations=1, always=False)
            except EndingTooLarge:
                low *= 2
                continue
            if found.raises == raises:
                return low
            low *= 2


def test_limits_end_the_search_with_bounds_that_hold() -> None:
    view, line = one("georgian3", cards=(2,), least=6)
    expected, _ = value(line, raises=1)
    for limits in ({"max_iterations": 3}, {"max_seconds": 1e-4}):
        try:
            found = solve_ending(view, gap=1e-12, max_raises=1, **limits)  # type: ignore[arg-type]
        except EndingTooLarge:
            assert "max_seconds" in limits  # a slow machine has not even built the tree by then
            continue
        assert found.stopped in ("iterations", "time")
        low, high = sorted(
            (found.lower, found.upper) if found.seat == 0 else (-found.lower, -found.upper)
        )
        assert low - 1e-9 <= expected <= high + 1e-9


def test_a_stop_set_before_says_so() -> None:
    view, _ = one("georgian3")
    stop = Stop()
    stop.set()
    with pytest.raises(EndingTooLarge, match="the time was over"):
        solve_ending(view, stop=stop)


def test_bad_arguments_come_all_at_once() -> None:
    view, _ = one("georgian3")
    with pytest.raises(InputError) as caught:
        solve_ending(view, gap=0, max_deals=0, max_size=-1, max_raises=-1, shown=1 << 35)
    assert {fault.field for fault in caught.value.faults} >= {
        "gap", "max_deals", "max_size", "max_raises",
    }  # fmt: skip


def test_rules_that_are_not_solved_are_refused() -> None:
    rules = RuleSet.parse("classic[stop_window=after_lead_stays]")
    view, _ = one("classic")
    odd = View(replace(view.text, rules=rules), view.seat)
    with pytest.raises(UnsupportedError, match="stop_window"):
        solve_ending(odd)


def test_an_open_offer_is_answered() -> None:
    for view, line in endings(2, "georgian3", **SMALL):  # type: ignore[arg-type]
        if view.text.offer is None:
            continue
        seat = 1 - (view.text.raiser or 0)

        asked = View.of(Position.from_text(line).text(), seat)
        found = solve_ending(asked)
        assert {move.move.kind for move in found.moves} >= {"accept", "fold"}
        return


def test_sizes_are_told() -> None:
    view, _ = one("georgian3")
    found = solve_ending(view)
    assert found.memory > 0
    assert found.infosets > 0
    assert found.joint_deals <= joint_deals(view)
    assert found.method == "equilibrium"
    assert isinstance(PublicEnding, type)


# Hands of the greedy player against itself, up to a small ending.
PLAYED = [
    (
        "georgian3 s JsJcKd/QdAcQs KcAdKhTsJdThJhKsAhTcTdQhQcAs -/- 1 -",
        "Ac Js KcJc (QsQd) KdJd TsAd AhThJh",
        0,
    ),
    (
        "georgian3 s TdKdQh/JcAsQc QdAcTsQsAdJsKhKcJhThTcJdAhKs -/- 1 -",
        "As (Qh) QcJc (TdKd) AdQd QsJs KhJh TsTh",
        1,
    ),
]


def played(start: str, moves: str, seat: int) -> View:
    record = record_hand(start, [parse_move(move) for move in moves.split()])
    return view_of(record, seat)


@pytest.mark.parametrize(("start", "moves", "seat"), PLAYED)
def test_what_each_did_says_what_he_may_hold(start: str, moves: str, seat: int) -> None:
    view = played(start, moves, seat)
    found = solve_ending(view, prior="inferred", always=False)
    assert found.prior == "inferred"
    assert solve_ending(view, always=False).prior == "uniform"
    ranges = inferred_prior(view)
    assert ranges is not None
    # In the worlds of the player asked it is the likelihood of what the other did, as advice has
    # it; both are means over ways to have drawn the cards, so they are nearly equal.
    witness = witness_of(view, None, 0.1)
    assert witness is not None
    sample = worlds(view, 400)
    logs, _ = witness.log_weights(sample, 0, len(sample), 0, 400)
    ratios = []
    for world, log in zip(sample, logs, strict=True):
        laid = world.text().piles[seat].items
        down = sum(1 << item.card for item in laid if item.closed and item.card is not None)
        ratios.append(ranges[1 - seat](world.hands[1 - seat], down) / math.exp(log))
    assert max(ratios) < 2 * min(ratios)
    assert max(logs) > min(logs) + 2  # which is much less than what it tells apart


def test_what_is_inferred_for_both_depends_on_what_both_have_seen() -> None:
    """Whatever the seats hold and have laid face down: the other player would infer the same."""
    view = played(*PLAYED[1])
    ranges = inferred_prior(view)
    assert ranges is not None
    other = 1 - view.seat
    # The turned trump, which he is known to hold.
    shown = sum(1 << card for card in view.text.hands[other] if card is not None)
    for world in itertools.islice(worlds(view, 400), 0, 400, 37):
        eyes = View.of(world.text(), other).after(view.history)
        again = inferred_prior(eyes, shown)
        assert again is not None
        for seat in (0, 1):
            laid = world.text().piles[1 - seat].items
            down = sum(1 << item.card for item in laid if item.closed and item.card is not None)
            assert again[seat](world.hands[seat], down) == ranges[seat](world.hands[seat], down)


def test_without_a_history_all_deals_are_equally_likely() -> None:
    view = played(*PLAYED[1])
    bare = replace(view, history=())
    assert inferred_prior(bare) is None
    found = solve_ending(bare, prior="inferred", always=False)
    assert found.prior == "uniform"
    assert found.value == solve_ending(view, always=False).value
    with pytest.raises(InputError, match="no such prior"):
        solve_ending(view, prior="guessed")  # type: ignore[arg-type]


def test_a_budget_of_nodes_is_kept_whatever_the_clock_says() -> None:
    view, _ = one("georgian3", cards=(2,), least=6)
    whole = solve_ending(view, always=False)
    assert whole.stopped is None
    few = [solve_ending(view, gap=1e-9, max_nodes=4000, always=False) for _ in (0, 1)]
    assert few[0].stopped == "nodes"
    assert replace(few[0], search_us=0) == replace(few[1], search_us=0)
    refused = try_ending(view, max_nodes=2)
    assert isinstance(refused, Unsolved)
    assert "edges" in refused.reason
    assert refused.stopped is None
    late = try_ending(view, max_seconds=1e-7)
    assert isinstance(late, Unsolved)
    assert late.stopped == "time"
    assert isinstance(try_ending(view, prior="inferred"), Ending)
