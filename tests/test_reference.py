"""The oracle itself: disputed hands, counts done by hand, and slower ways to the same answer."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

import reference as ref

# --- disputed hands from public play, by their ids ------------------------------------------

BEATS = [
    ("beat-01", "classic", "h", "AsTs", "KsQh", False),
    ("beat-02", "classic", "h", "AsTs", "JhQh", True),
    ("beat-03", "classic", "d", "Qs7s", "9dJs", True),
    ("beat-04", "classic", "d", "9dJs", "Kd8d", True),
    ("beat-05", "classic", "d", "9dJs", "8d9s", False),
    ("beat-06", "classic", "h", "KsQs", "AsJs", False),
    ("beat-07", "classic", "h", "KsQs", "6hAs", True),
    ("beat-08", "classic", "h", "KsQs", "TsJs", False),
    ("beat-09", "classic", "c", "7sJs", "Qs9s", True),
    ("beat-10", "classic", "h", "As6s", "7s6h", True),
    ("beat-11", "classic", "s", "Kh", "Th", True),
    ("beat-12", "classic", "s", "As", "6s", False),
    ("beat-13", "classic", "c", "QsJs", "Tc6s", False),
    ("beat-14", "five", "h", "9s", "Ah", False),
    ("beat-14 without the switch", "georgian5", "h", "9s", "Ah", True),
    ("a spade trump beats in five", "five", "s", "Ah", "6s", True),
    ("a higher spade beats in five", "five", "h", "9s", "Ts", True),
]


@pytest.mark.parametrize(
    ("rules", "trump", "lead", "reply", "beaten"),
    [b[1:] for b in BEATS],
    ids=[b[0] for b in BEATS],
)
def test_beating(rules: str, trump: str, lead: str, reply: str, beaten: bool) -> None:
    assert ref.beats(rules, trump, lead, reply) is beaten


def test_deal_01_refill_one_card_at_a_time() -> None:
    state = ref.load("classic_shown s 6h7h9c/6s7s9d 8d8c 0/0 0 -")
    state = ref.apply(ref.apply(state, "6h7h"), "6s7s")
    assert [ref.cards_text(hand) for hand in state.hands] == ["9c8c", "9d8d"]
    assert state.turn == 1


def test_play_01_worked_hand() -> None:
    state = ref.load("georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh 0/0 0 -")
    for move in ("As", "(Js)", "Td", "Ad", "Tc", "Ac", "claim"):
        assert move in ref.moves(state)
        state = ref.apply(state, move)
    assert state.points == (34, 21)
    assert ref.result(state) == (0, "claim")


def test_value_01_ten_of_trumps_wins_whatever_comes() -> None:
    rng = random.Random(1)
    talon = [name for name in ref.NAMES if name[0] in "TKQJA"]
    for name in ("Qh", "Ac", "Kd", "Ks", "Th", "Tc", "As", "Js", "Td", "Ad", "Jh"):
        talon.remove(name)
    only = 0
    for _ in range(40):
        rng.shuffle(talon)
        state = ref.load(f"georgian3 h QhAcKd/KsThTc {''.join(talon)}Jh 13/21 1 -")
        values = ref.move_values(state)
        assert ref.value(state) == values["Th"] == 1
        only += values["Tc"] == -1
    assert only > 0


def test_claim_01_29_shown_and_one_closed() -> None:
    found = ref.claim_distribution("georgian3 h x3/x3 x9 AsTcKdKsx1/- 0 -", 0)
    assert min(found) == 31
    assert sum(found.values()) == 1


def test_claim_02_every_jack_seen() -> None:
    found = ref.claim_distribution("georgian3 h x3/x3 x6 AsTdQdJcJhx1/JsJd 0 -", 0)
    assert min(found) == 31


@pytest.mark.parametrize(
    ("id_", "line", "ends"),
    [
        ("settle-01", "georgian3 h -/- - 31/89 0 -", (1, "points")),
        ("settle-02", "classic h -/- - 31/89 0 -", (None, "no_winner")),
        ("settle-03", "georgian3 h -/- - 60/60 0 -", (None, "draw")),
        ("threshold", "five h -/- - 59/61 0 -", (1, "points")),
        ("threshold not reached", "five h -/- - 60/60 0 -", (None, "draw")),
        ("handicap counts", "no_trump[unclaimed=most_points] - -/- - 50/70 0 - handicap=30/0",
         (0, "points")),
    ],
)  # fmt: skip
def test_unclaimed(id_: str, line: str, ends: tuple[int | None, str]) -> None:
    assert ref.result(ref.load(line)) == ends


def test_combo_01_bura_led_wins() -> None:
    state = ref.load("georgian3[deck=36] s 6s7s8s/KsTsAs 9h9d 0/0 0 -")
    assert ref.result(state) is None
    assert ref.result(ref.apply(state, "8s7s6s")) == (0, "bura")
    assert ref.value(state) == 1


def test_combo_02_two_buras_played_out() -> None:
    for line, winner in (
        ("classic s 6s7s8s/KsTsAs 9h9d 0/0 0 -", 1),
        ("classic s 6s7s8s/KsTsAs 9h9d 0/0 1 -", 1),
        ("classic s 6sKsAs/7s8sTs 9h9d 0/0 1 -", 1),
        ("classic s 6sKsAs/7s8sTs 9h9d 0/0 0 -", 0),
        ("classic[two_buras=higher] s 6sKsAs/7s8sTs 9h9d 0/0 1 -", 0),
        ("classic[two_buras=void] s 6sKsAs/7s8sTs 9h9d 0/0 1 -", None),
    ):
        shown = ref.result(ref.load(line))
        assert shown is not None
        assert shown[0] == winner


def test_combo_03_molodka_gives_the_lead() -> None:
    state = ref.load("classic h As6sKs/7d8dTh 9h9d 0/0 1 -")
    assert ref.result(state) is None
    assert ref.calls(state) == [(0, "stop:AsKs6s")]
    after = ref.apply(state, "stop:AsKs6s")
    assert (after.turn, ref.text(after).split()[-1]) == (1, "0:AsKs6s")


def test_combo_04_three_aces_above_bura() -> None:
    rules = "classic[three_aces=win,precedence=three_aces>bura>little_moskva>molodka]"
    state = ref.load(f"{rules} d AsAhAc/KdTd7d 9h9d 0/0 1 -")
    assert ref.result(state) == (0, "three_aces")


def test_combo_05_three_aces_against_bura_played_out() -> None:
    rules = "classic[aces_against_bura=played_out]"
    assert ref.result(ref.load(f"{rules} d AsAhAc/KdTd7d 9h9d 0/0 0 -")) == (1, "bura")
    # The ace of trumps leads with two others: the trumps of the other don't cover it.
    assert ref.result(ref.load(f"{rules} d AsAhAd/KdTd7d 9h9d 0/0 0 -")) == (0, "three_aces")


def test_odds_01_and_02() -> None:
    assert ref.beat_odds("georgian3 h AsTdQh/x3 x13Jh -/- 0 -", "As") == Fraction(274, 560)
    second = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
    assert 1 - ref.beat_odds(second, "Th") == Fraction(165, 220)


# --- moves and calls ------------------------------------------------------------------------


def test_a_closed_discard_may_hide_a_set_that_beats() -> None:
    shown = ref.load("classic_shown h 7d8d/QhTs6c - 50/20 1 0:9s")
    assert sorted(ref.moves(shown)) == ["6c", "Qh", "Ts"]
    closed = ref.load("classic h 7d8d/QhTs6c - 50/20 1 0:9s")
    assert sorted(ref.moves(closed)) == ["(6c)", "(Qh)", "(Ts)", "Qh", "Ts"]
    assert ref.apply(closed, "(Qh)").points == (53, 20)
    assert ref.apply(closed, "Qh").points == (50, 23)


def test_leads_are_of_one_suit_or_three_aces() -> None:
    line = "{} h AsAdAc/7s8sTh 9h9d 0/0 0 -"
    assert sorted(ref.moves(ref.load(line.format("classic")))) == ["Ac", "Ad", "As", "AsAdAc"]
    assert "AsAdAc" not in ref.moves(ref.load(line.format("georgian3[deck=36]")))
    trump = line.format("classic[three_aces_trump=yes]")
    assert "AsAdAc" not in ref.moves(ref.load(trump))
    assert "AsAdAc" in ref.moves(ref.load(trump.replace(" h ", " d ")))
    ranks = ref.load("classic[rank_leads=yes] h 7s7d9c/8s8dTh 9h9d 0/0 0 -")
    assert "7s7d" in ref.moves(ranks)


def test_calls_yield_to_an_equal_or_higher_combination() -> None:
    molodka = "classic h 7s8s9s/{} 9h9d 0/0 0 -"
    assert ref.calls(ref.load(molodka.format("7d8dTd"))) == []
    assert ref.calls(ref.load(molodka.format("AdAcAs"))) == [(1, "stop:AsAdAc")]
    assert ref.calls(ref.load("classic h AdAcAs/7s8s9s 9h9d 0/0 0 -")) == []
    four = ref.load("burkozel h 7s8s9sTs/AsAhAdAc 9h9d 0/0 0 -")
    assert ref.calls(four) == [(1, "stop:AsAhAdAc")]
    three = ref.load("burkozel h 7s8s9hTs/AsAhAdAc 9d9c 0/0 0 -")
    assert len(ref.calls(three)) == 5


def test_three_aces_beside_a_fourth_card_need_room() -> None:
    assert ref.calls(ref.load("burkozel h 7s8s9h/AsAhAd - 0/0 0 -")) == [(1, "stop:AsAhAd")]
    assert ref.calls(ref.load("burkozel h 7s8s/AsAh - 0/0 0 -")) == []


def test_perft_by_hand() -> None:
    last = ref.load("georgian3 h As/Ks - 0/0 0 -")
    # As, then (Ks), then claim or pass.
    assert [ref.perft(last, depth) for depth in range(5)] == [1, 1, 1, 2, 0]
    taken = ref.load("georgian3 h As/Qh - 0/0 0 -")
    assert [ref.perft(taken, depth) for depth in range(5)] == [1, 1, 2, 4, 0]
    called = ref.load("classic h AsAhAd/7s8s9c - 0/0 1 -")
    # 7s, 8s, 7s8s, 9c and the call; six answers to 7s: As, Ah, (As), (Ah), (Ad) are five.
    assert ref.perft(called, 1) == 5
    by_move = {
        move: ref.perft(ref.apply(called, move), 1)
        for move in ["7s", "8s", "8s7s", "9c", "stop:AsAhAd"]
    }
    assert by_move == {"7s": 5, "8s": 5, "8s7s": 4, "9c": 4, "stop:AsAhAd": 1}
    assert ref.perft(called, 2) == sum(by_move.values())


# --- claims ---------------------------------------------------------------------------------


def test_claims_at_the_root_only_where_the_line_says_so() -> None:
    line = "classic s 6h/7d - 40/10 0 -"
    assert ref.value(ref.load(line)) == 1  # wins the trick (or not) but the other can't
    lost = "classic s 6h/7h - 40/28 0 -"
    assert ref.move_values(ref.load(lost)) == {"6h": 0}
    assert ref.move_values(ref.load(lost + " claim=0")) == {"claim": 1, "6h": 0}
    assert ref.value(ref.load(lost + " claim=0")) == 1


def test_false_claim_and_ceiling() -> None:
    for piles, ends in (
        ("30/0", (1, "false_claim")),
        ("31/0", (0, "claim")),
        ("50/0", (0, "claim")),
        ("51/0", (1, "false_claim")),
    ):
        state = ref.load(f"perebor s 6h/7d - {piles} 0 - claim=0")
        assert ref.result(ref.apply(state, "claim")) == ends


def test_claim_right_is_used_or_lost_after_the_last_trick() -> None:
    state = ref.load("classic s -/- - 40/80 0 - claim=0")
    assert ref.moves(state) == ["claim", "pass"]
    assert ref.move_values(state) == {"claim": 1, "pass": 0}
    assert ref.result(ref.apply(state, "pass")) == (None, "no_winner")


def test_a_claim_comes_before_a_bura_just_drawn() -> None:
    won = ref.load("classic h 7sAd8c/ThKhQh 9h9d 20/20 0 - claim=0")
    assert ref.moves(won) == ["claim", "pass"]
    assert ref.calls(won) == []
    assert ref.move_values(won) == {"claim": -1, "pass": -1}
    assert ref.value(ref.load("classic h 7sAd8c/ThKhQh 9h9d 31/20 0 - claim=0")) == 1
    assert ref.result(ref.apply(won, "pass")) == (1, "bura")
    assert ref.result(ref.load("classic h 7sAd8c/ThKhQh 9h9d 20/20 0 -")) == (1, "bura")
    # The ace makes 31 at least, while the other draws his third trump.
    drawn = ref.load("classic h AhAc7d/ThKhTs 8cQh 17/20 0 -")
    assert ref.move_values(drawn)["Ah"] == 1
    assert ref.move_values(drawn)["Ac"] == -1


def test_compensation_of_an_untouched_deal() -> None:
    rest = [name for name in ref.NAMES if name not in ("As", "Ks", "Qs", "Ah", "Kh", "Qd")]
    line = f"no_trump - AsKsQs/AhKhQd {''.join(rest)} -/- 0 -"
    assert ref.load(line).handicap == (0, 30)
    assert ref.load(line + " handicap=0/0").handicap == (0, 0)
    assert ref.load(line.replace("-/- 0", "-/- 1")).handicap == (30, 0)
    assert ref.load(line.replace("-/-", "11/0")).handicap == (0, 0)


# --- slower ways to the same answer ---------------------------------------------------------


def test_matching_with_dropped_starts_equals_all_permutations() -> None:
    rng = random.Random(2)
    for rules in ("classic", "five", "no_trump"):
        for _ in range(3000):
            trump = -1 if rules == "no_trump" else rng.randrange(4)
            table = ref.table_of(ref.rules_of(rules), trump)
            size = rng.choice((1, 2, 2, 3, 3, 4))
            cards = rng.sample(range(rng.choice((18, 36))), 2 * size)
            low, high = cards[:size], cards[size:]
            masks = [sum(1 << card for card in half) for half in (low, high)]
            assert table.beats(low, high) == ref.set_beats(table.immune, trump, *masks)


def sure(state: ref.State, seat: int) -> bool:
    """Whether a claim holds however the cards lie that the seat has not seen."""
    talon = state.talon[:-1] if state.trump >= 0 else state.talon
    down = state.hidden[seat]
    unseen = [*ref.card_list(state.hands[1 - seat] | down), *talon]
    shown = state.count(seat) - ref.set_points(down)
    ceiling = state.rules.claim_ceiling
    return all(
        state.rules.target
        <= shown + sum(ref.VALUE[card] for card in cards)
        <= (240 if ceiling is None else ceiling)
        for cards in combinations(unseen, down.bit_count())
    )


def naive(state: ref.State, honest: bool) -> int:
    """The outcome for seat 0, every line being played out through the text interface."""
    if state.over is not None:
        winner, _ = state.over
        return 0 if winner is None else 1 - 2 * winner
    sign = 1 - 2 * state.turn
    if state.claim == state.turn:
        if sure(state, state.turn) if honest else good(state, state.turn):
            return sign
        return naive(
            ref.apply(state, "pass") if not any(state.hands) else _unclaimed(state), honest
        )
    values = [sign * naive(ref.apply(state, move), honest) for move in ref.moves(state)]
    called = [sign * naive(ref.apply(state, call), honest) for _, call in ref.calls(state)]
    return sign * min([max(values), *called])


def _unclaimed(state: ref.State) -> ref.State:
    return state._replace(claim=-1)


def good(state: ref.State, seat: int) -> bool:
    ceiling = state.rules.claim_ceiling
    count = state.count(seat)
    return count >= state.rules.target and (ceiling is None or count <= ceiling)


def naive_points(state: ref.State) -> int:
    """The final difference for seat 0 in a rule set without combinations, claims left out."""
    if not any(state.hands):
        return state.points[0] - state.points[1]
    pick = max if state.turn == 0 else min
    state = state._replace(claim=-1)
    return pick(naive_points(ref.apply(state, move)) for move in ref.moves(state))


SMALL = [
    # rule set, talon, hand, positions
    ("georgian3", 0, 3, 40),
    ("classic", 0, 3, 40),
    ("classic_shown", 0, 3, 40),
    ("perebor", 0, 3, 40),
    ("no_trump", 0, 3, 40),
    ("burkozel", 0, 3, 40),
    ("five", 0, 3, 40),
    ("georgian5", 0, 3, 40),
    ("georgian3[hand=2,bura=on_sight,molodka=lead]", 4, 2, 30),
    ("classic[hand=2,refill_from=leader]", 4, 2, 30),
    ("classic[hand=1]", 6, 1, 12),
    ("perebor[hand=2,target=25,claim_ceiling=32]", 4, 2, 30),
    ("no_trump[hand=2]", 4, 2, 30),
    ("classic_shown[deck=20]", 2, 3, 8),
    ("georgian5[hand=3,target=50]", 2, 3, 8),
]
SMALL_IDS = [case[0] for case in SMALL]


@pytest.mark.parametrize(("rules", "talon", "hand", "number"), SMALL, ids=SMALL_IDS)
@pytest.mark.parametrize("honest", [False, True], ids=["clairvoyant", "honest"])
def test_outcome_equals_playing_everything_out(
    rules: str, talon: int, hand: int, number: int, honest: bool
) -> None:
    rng = random.Random(3)
    for _ in range(number):
        line = ref.random_honest_position(rng, rules, talon, hand)
        state = ref.load(line)
        mover = 1 - 2 * state.turn
        passed = "pass" in ref.moves(state)
        plain = mover * naive(ref.apply(state, "pass") if passed else _unclaimed(state), honest)
        claimed = state.claim == state.turn and (
            sure(state, state.turn) if honest else good(state, state.turn)
        )
        expected = 1 if claimed and state.over is None else plain
        assert (ref.honest_value(state) if honest else ref.value(state)) == expected, line
        by_move = ref.honest_move_values(state) if honest else ref.move_values(state)
        assert sorted(by_move) == sorted(ref.moves(state))
        for move, got in by_move.items():
            assert got == mover * naive(ref.apply(state, move), honest), (line, move)
        for call, got in ref.call_values(state).items():
            if not honest:
                assert got == mover * naive(ref.apply(state, call), honest), (line, call)


PLAIN = [
    ("georgian3[bura=none]", 0, 3, 10),
    ("georgian3[bura=none]", 2, 3, 8),
    ("georgian5[bura=none,hand=2]", 6, 2, 10),
    ("five[bura=none,hand=2]", 4, 2, 10),
    ("classic[bura=none,three_aces=none,molodka=none,refill_from=leader,hand=2]", 4, 2, 10),
]


@pytest.mark.parametrize(("rules", "talon", "hand", "number"), PLAIN)
def test_points_equal_playing_everything_out(
    rules: str, talon: int, hand: int, number: int
) -> None:
    rng = random.Random(4)
    for _ in range(number):
        line = ref.random_position(rng, rules, talon, hand)
        state = ref.load(line)
        mover = 1 - 2 * state.turn
        by_move = ref.move_values(state, "points")
        assert sorted(by_move) == sorted(move for move in ref.moves(state) if move != "claim")
        for move, got in by_move.items():
            assert got == mover * naive_points(ref.apply(state, move)), (line, move)
        assert ref.value(state, "points") == max(by_move.values())


def test_points_know_no_combinations() -> None:
    bura = ref.load("classic s 6s7s8s/AhTdKc 9h9d 0/0 0 -")
    assert ref.value(bura) == 1
    plain = ref.load(
        "classic[bura=none,three_aces=none,molodka=none] s 6s7s8s/AhTdKc 9h9d 0/0 0 -"
    )
    assert ref.move_values(bura, "points") == ref.move_values(plain, "points")


def test_shown_discards_leave_nothing_to_be_unsure_of() -> None:
    rng = random.Random(5)
    for rules, hand in (("georgian5", 4), ("classic_shown", 3)):
        for _ in range(20):
            state = ref.load(ref.random_honest_position(rng, rules, 0, hand))
            assert ref.honest_move_values(state) == ref.move_values(state)


# --- hidden cards ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -", 220 * 362880),
        ("georgian3 h AsTdQh/x3 x13Jh -/- 0 -", 560 * 6227020800),
        ("georgian3 h AsTdQh/KhQdJh - AdAcThTcKdKsx2/KcQsQcx3 0 -", 10),
        ("georgian3 h AsTdQh/x3 - AdAcThTcKdKsx2/KcQsQc(Js)(Ts)(Ah) 0 -", 10),
    ],
)
def test_world_count(line: str, count: int) -> None:
    assert ref.world_count(line) == count


@pytest.mark.parametrize(
    "line",
    [
        "georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -",
        "georgian3 h AsTd/Khx1 x1Jh AdAcThTcKdKsx2/KcQsQc(Js)Ts(Ah) 1 -",
        "georgian3 h AsTd/x3 - AdAcThTcKdx1/KcQsQcJsTsAhJhKs 1 0:Qd",
    ],
)
def test_worlds_are_complete_and_different(line: str) -> None:
    deck = ref.deck_mask(20)
    found = list(ref.worlds(line))
    assert len(found) == len(set(found)) == ref.world_count(line)
    for world in found:
        raw = ref.parse(world)
        cards = [card for hand in raw.hands for card in hand]
        cards += raw.talon
        cards += [card for pile in raw.piles for card, _ in pile]
        known = [card for card in cards if card is not None]
        lead = raw.lead[1] if raw.lead else 0
        assert len(known) == len(cards) == len(set(known))
        assert sum(1 << card for card in known) | lead == deck
        ref.load(world)


def test_views_hide_what_the_seat_has_not_seen() -> None:
    line = "georgian3 h QhAcKd/KsThTc KhQsQdQcJdJcKcTsAhJh As(Js)/Td(Ad) 1 - claim=1"
    assert ref.view(line, 0) == "georgian3 h QhAcKd/x3 x9Jh Asx1/Td(Ad) 1 - claim=1"
    assert ref.view(line, 1) == "georgian3 h x3/KsThTc x9Jh As(Js)/Tdx1 1 - claim=1"


def test_distributions_and_odds_equal_counting_worlds() -> None:
    line = "georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -"
    every = [ref.load(world) for world in ref.worlds(line)]
    counted: dict[int, Fraction] = {}
    for state in every:
        share = counted.get(state.points[0], Fraction(0))
        counted[state.points[0]] = share + Fraction(1, len(every))
    assert ref.claim_distribution(line, 0) == counted
    beaten = 0
    for state in every:
        after = ref.apply(state, "Td")
        beaten += any(not move.startswith("(") for move in ref.moves(after))
    assert ref.beat_odds(line, "Td") == Fraction(beaten, len(every))


# --- random positions -----------------------------------------------------------------------


def test_random_positions_are_possible_and_varied() -> None:
    rng = random.Random(6)
    seen: dict[str, int] = {}
    for rules in ref.PRESET_NAMES:
        full = ref.rules_of(rules).hand
        for talon, hand in [(0, size) for size in range(1, full + 1)] + [(2, full), (6, full)]:
            for _ in range(40):
                line = ref.random_honest_position(rng, rules, talon, hand)
                raw = ref.parse(line)
                sizes = [len(cards) for cards in raw.hands]
                led = raw.lead[1].bit_count() if raw.lead else 0
                if raw.lead:
                    sizes[raw.lead[0]] += led
                assert sizes == [hand, hand]
                assert len(raw.talon) == talon
                assert all(len(pile) % 2 == 0 for pile in raw.piles)
                state = ref.load(line)
                placed = state.hands[0] | state.hands[1] | state.lead
                for cards in (raw.talon, *(tuple(card for card, _ in pile) for pile in raw.piles)):
                    for card in cards:
                        assert card is not None
                        assert not placed >> card & 1
                        placed |= 1 << card
                assert placed == ref.deck_mask(state.rules.deck)
                for what, found in (
                    ("led", bool(state.lead)),
                    ("claim", state.claim >= 0),
                    ("over", state.over is not None),
                    ("calls", bool(ref.calls(state))),
                    ("handicap", state.handicap != (0, 0)),
                    ("sure claim", state.claim >= 0 and good(state, state.claim)),
                ):
                    seen[what] = seen.get(what, 0) + found
                bare = ref.random_position(rng, rules, talon, hand)
                assert ref.text(ref.load(bare)) == bare
    assert min(seen.values()) > 10, seen
