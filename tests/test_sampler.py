"""Worlds: the right ones, each equally likely, none twice, every card in one place."""

from __future__ import annotations

import random
from fractions import Fraction
from math import sqrt

import pytest

import reference as ref
from bura_core import (
    InputError,
    Position,
    UnsupportedError,
    View,
    beat_odds,
    parse_position,
    worlds,
)
from bura_core._solver import moves_of
from hidden import RULES, seen_by


def small_views(number: int, seed: object, most: int) -> list[tuple[str, View]]:
    """Lines with unknown cards and few worlds, for the oracle, and the views they are."""
    rng = random.Random(f"views {seed}")
    found = []
    while len(found) < number:
        rules = RULES[len(found) % len(RULES)]
        full = ref.rules_of(rules).hand
        talon = rng.choice((0, 0, 0, 2))
        line = ref.random_honest_position(rng, rules, talon, rng.randint(1, full))
        seat = rng.randrange(2)
        hidden = seen_by(line, seat)
        if 1 < ref.world_count(hidden) <= most:
            found.append((hidden, View.of(parse_position(line), seat)))
    return found


def far_from(counts: list[int], expected: float, spread: float) -> float:
    """By how many of its standard deviations chi-square is larger than its mean."""
    freedom = len(counts) - 1
    square = sum((count - expected) ** 2 for count in counts) / spread * freedom / len(counts)
    return (square - freedom) / sqrt(2 * freedom)


# --- all worlds --------------------------------------------------------------------------------


def test_few_worlds_are_all_of_them() -> None:
    for line, view in small_views(150, "all", 3000):
        found = worlds(view, 3000)
        assert found.exhaustive
        assert len(found) == found.total == view.world_count == ref.world_count(line)
        expected = sorted(str(Position.from_text(world)) for world in ref.worlds(line))
        assert sorted(map(str, found)) == expected, line


def test_worlds_begin_as_their_lines_do() -> None:
    """Not only the cards: whose turn it is, what is legal, whether the hand is over."""
    over = 0
    for _, view in small_views(60, "begin", 400):
        for world in worlds(view, 400):
            again = Position.from_text(str(world))
            assert world == again
            assert world.result == again.result
            assert world.legal_moves() == again.legal_moves()
            assert world.calls() == again.calls()
            assert world.points == again.points
            assert (world.turn, world.leader) == (again.turn, again.leader)
            over += world.result is not None
    assert over > 0  # some hands hold a bura that the view does not know of


def test_one_world_where_nothing_is_hidden() -> None:
    rest = ref.cards_text(ref.deck_mask(36) & ~ref.cards_mask("AsKs"))
    found = worlds(View.from_text(f"georgian5 h As/Ks - {rest}/- 0 -"))
    assert len(found) == found.total == 1
    assert found.exhaustive


# --- samples -----------------------------------------------------------------------------------


def test_samples_are_different_worlds_of_the_view() -> None:
    for line, view in small_views(60, "samples", 3000):
        every = set(map(str, worlds(view, 3000)))
        for limit in {1, max(1, len(every) // 3), len(every) - 1}:
            found = worlds(view, limit, seed=5)
            assert not found.exhaustive
            assert len(found) == limit
            texts = list(map(str, found))
            assert len(set(texts)) == limit, line
            assert set(texts) <= every, line


@pytest.mark.parametrize("rules", RULES)
def test_every_card_is_placed_exactly_once(rules: str) -> None:
    rng = random.Random(f"cards {rules}")
    deck = ref.deck_mask(ref.rules_of(rules).deck)
    full = ref.rules_of(rules).hand
    for talon in (0, 2, 6):
        line = ref.random_honest_position(rng, rules, talon, full)
        for seat in (0, 1):
            view = View.of(parse_position(line), seat)
            for world in worlds(view, 300, seed=talon):
                text = world.text()
                placed = [card for hand in text.hands for card in hand]
                placed += text.talon
                placed += [item.card for pile in text.piles for item in pile.items]
                placed += [card for play in text.table for card in play.cards]
                known = {card for card in placed if card is not None}
                assert len(placed) == len(known) == deck.bit_count()
                assert sum(1 << card for card in known) == deck
                assert sum(world.points) == sum(
                    ref.VALUE[item.card]
                    for pile in text.piles
                    for item in pile.items
                    if item.card is not None
                )
                # To the seat, each looks like the view.
                again = View.of(text, seat)
                assert (again.unseen, again.places) == (view.unseen, view.places)
                assert again.hand == view.hand
                assert again.text.talon == view.text.talon


def test_same_seed_same_worlds() -> None:
    view = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    first = list(map(str, worlds(view, 200, seed=1)))
    assert list(map(str, worlds(view, 200, seed=1))) == first
    assert list(map(str, worlds(view, 200, seed=2))) != first
    # A smaller sample is the beginning of a larger one.
    assert list(map(str, worlds(view, 50, seed=1))) == first[:50]
    assert list(map(str, worlds(view, 200))) == list(map(str, worlds(view, 200, seed=0)))


def test_more_worlds_than_any_word_counts() -> None:
    """C(30, 5) * 25! and more: far over 2**64."""
    for line in (
        "georgian5 h AsTsKsQsJs/x5 x25Jh -/- 0 -",
        "no_trump - As9c8c/x3 x30 -/- 0 -",
        "classic[hand=1,three_aces=none] h As/x1 x33Jh -/- 0 -",
        "no_trump[hand=2] - As9c/x2 x32 -/- 0 -",
    ):
        view = View.from_text(line)
        found = worlds(view, 2000, seed=3)
        assert found.total == ref.world_count(line)
        texts = list(map(str, found))
        assert len(set(texts)) == 2000
        # Every unseen card is about equally often the first of the talon.
        unseen = ref.card_list(view.unseen)
        firsts = [world.talon[0] for world in found]
        counts = [firsts.count(card) for card in unseen]
        expected = 2000 / len(unseen)
        assert sum(counts) == 2000
        assert abs(far_from(counts, expected, expected)) < 5, line


def test_worlds_that_cannot_be_numbered_are_refused() -> None:
    """35! is over 2**128, and the only deal of two players that has so many."""
    view = View.from_text("no_trump[hand=1] - As/x1 x34 -/- 0 -")
    assert view.world_count > 1 << 128
    with pytest.raises(UnsupportedError, match=r"2\*\*128"):
        worlds(view, 10)


# --- frequencies -------------------------------------------------------------------------------


def test_each_world_is_equally_likely_in_a_sample() -> None:
    """Drawn without replacement, a world is in a sample of k out of n with chance k / n."""
    for line, limit, seeds in (
        ("georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -", 2, 3000),
        ("georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -", 1, 3000),
        ("georgian3 h x3/KsThTc - QdJsAsTdKdJc/QcAcTsAdQsJdx2 1 -", 3, 3000),
        ("georgian3 h x3/KsThTc x1Jh AsTdKdKcJsJd/QcAcTsAdx2 1 -", 25, 800),
    ):
        view = View.from_text(line)
        every = {str(world): 0 for world in worlds(view, 10_000)}
        n = len(every)
        assert n == view.world_count > limit
        for seed in range(seeds):
            for world in worlds(view, limit, seed=seed):
                every[str(world)] += 1
        share = limit / n
        counts = list(every.values())
        far = far_from(counts, seeds * share, seeds * share * (1 - share))
        assert abs(far) < 5, (line, limit, far)


def test_pairs_of_worlds_are_equally_likely() -> None:
    """Not only single worlds: which two come together is chance too."""
    view = View.from_text("georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -")
    counts: dict[frozenset[str], int] = {}
    seeds = 6000
    for seed in range(seeds):
        pair = frozenset(map(str, worlds(view, 2, seed=seed)))
        counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 15
    chance = 1 / 15
    far = far_from(list(counts.values()), seeds * chance, seeds * chance * (1 - chance))
    assert abs(far) < 5, far


def test_hands_are_as_likely_as_by_counting() -> None:
    view = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    number = 22_000
    counts: dict[int, int] = {}
    for world in worlds(view, number, seed=9):
        counts[world.hands[0]] = counts.get(world.hands[0], 0) + 1
    assert len(counts) == 220
    far = far_from(list(counts.values()), number / 220, number / 220)
    assert abs(far) < 5, far
    # And the odds that follow from them.
    ace = ref.cards_mask("Ah")
    with_ace = sum(count for hand, count in counts.items() if hand & ace) / number
    expected = 55 / 220
    assert abs(with_ace - expected) < 5 * sqrt(expected * (1 - expected) / number)


# --- the sequence ------------------------------------------------------------------------------


def test_worlds_are_a_sequence() -> None:
    view = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    found = worlds(view, 10, seed=4)
    texts = list(map(str, found))
    assert [str(found[i]) for i in range(10)] == texts
    assert str(found[-1]) == texts[-1]
    assert list(map(str, found[2:5])) == texts[2:5]
    assert found.view is view
    for index in (10, -11):
        with pytest.raises(IndexError):
            found[index]
    # Each look makes a new position: playing one out spoils nothing.
    world = found[0]
    world.play(world.legal_moves()[0])
    assert str(found[0]) == texts[0]


def test_bad_arguments() -> None:
    view = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    with pytest.raises(InputError) as caught:
        worlds(view, 0, seed=-1)
    assert [fault.field for fault in caught.value.faults] == ["limit", "seed"]
    for limit in (True, 1.0, 10_000_001):
        with pytest.raises(InputError, match="limit"):
            worlds(view, limit)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seed"):
        worlds(view, 1, seed=1 << 64)
    with pytest.raises(TypeError):
        worlds("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")  # type: ignore[arg-type]


# --- odds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_beat_odds_are_the_references(rules: str) -> None:
    rng = random.Random(f"odds {rules}")
    full = ref.rules_of(rules).hand
    checked = 0
    while checked < 12:
        talon = rng.choice((0, 2, 4))
        line = ref.random_honest_position(rng, rules, talon, rng.randint(1, full))
        state = ref.load(line)
        if state.lead:
            continue
        checked += 1
        seat = state.turn
        hidden = seen_by(line, seat)
        view = View.of(parse_position(line), seat)
        leads = [lead for lead, _ in state.table.leads(state.hands[seat])]
        for lead in rng.sample(leads, min(5, len(leads))):
            expected = ref.beat_odds(hidden, ref.cards_text(lead))
            assert beat_odds(view, lead) == expected, (hidden, ref.cards_text(lead))


def test_beat_odds_equal_counting_worlds() -> None:
    line = "georgian3 h AsTd/x2 - AdAcThTcKdKsx2/KcQsQc(Js)TsAhJhQd 0 -"
    view = View.from_text(line)
    for lead in ("As", "Td"):
        beaten = []
        for world in worlds(view, 100):
            world.play(lead)
            beaten.append(any(move.kind == "play" for move in world.legal_moves()))
        assert beat_odds(view, ref.cards_mask(lead)) == Fraction(sum(beaten), len(beaten))


def test_beat_odds_of_a_known_hand_are_certain() -> None:
    view = View.from_text("georgian3 h QhAcKd/KsThTc x9Jh As(Js)/TdAd 1 -")
    assert beat_odds(view, ref.cards_mask("Th")) == 0
    assert beat_odds(view, ref.cards_mask("Tc")) == 1


def test_beat_odds_refuse_what_cannot_be_led() -> None:
    view = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    for cards in (0, ref.cards_mask("As"), ref.cards_mask("KsAs")):
        with pytest.raises(InputError, match="not in the hand"):
            beat_odds(view, cards)
    short = View.from_text("georgian3 h KdTd/x1 - AdAcThTcKsx2Js/KcQsQcAhTsAsJhQd 0 1:Qh")
    with pytest.raises(InputError, match="more cards than the other hand holds"):
        beat_odds(short, ref.cards_mask("KdTd"))


def test_who_has_played_his_last_card_may_claim_or_let_it_go() -> None:
    line = "georgian3 d -/- - TsKsQsAdTdKdQdTcKcQc(JsAhThKhJhJd)/AsAcJcx1 1 - claim=1"
    sample = worlds(View.from_text(line))
    assert [str(move) for move in moves_of(sample)] == ["claim", "pass"]
    assert [str(move) for move in sample[0].legal_moves()] == ["claim", "pass"]
