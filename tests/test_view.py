"""What a seat has seen, and what it cannot place: `View` against the oracle's."""

from __future__ import annotations

import random
from math import comb, factorial

import pytest

import reference as ref
from bura_core import InputError, PositionText, View, parse_position
from hidden import RULES, hidden_shuffled, seen_by, some_line


def shape(text: PositionText) -> tuple[object, ...]:
    """A line without the order its sets were written in."""
    return (
        text.rules,
        text.trump,
        tuple((frozenset(hand), hand.count(None)) for hand in text.hands),
        text.talon,
        tuple(
            (
                frozenset(
                    (item.card, item.closed) for item in pile.items if item.card is not None
                ),
                sum(item.card is None for item in pile.items),
                pile.points,
            )
            for pile in text.piles
        ),
        text.turn,
        [(play.seat, frozenset(play.cards), play.closed) for play in text.table],
        text.claim,
        text.handicap,
    )


@pytest.mark.parametrize("rules", RULES)
def test_a_view_hides_what_the_seat_has_not_seen_and_nothing_else(rules: str) -> None:
    rng = random.Random(f"view {rules}")
    for _ in range(60):
        line = some_line(rng, rules)
        for seat in (0, 1):
            view = View.of(parse_position(line), seat)
            expected = ref.view(line, seat)
            assert shape(view.text) == shape(parse_position(expected)), (line, seat)
            assert view.seat == seat
            assert view.rules == parse_position(line).rules
            assert View.from_text(line, seat).text == view.text
            # The view's own line is a view again, of the same seat.
            assert View.from_text(str(view), seat) == view
            assert View.from_text(expected, seat).unseen == view.unseen


@pytest.mark.parametrize("rules", RULES)
def test_unseen_cards_are_those_that_are_not_written(rules: str) -> None:
    rng = random.Random(f"unseen {rules}")
    for _ in range(60):
        line = some_line(rng, rules)
        state = ref.load(line)
        for seat in (0, 1):
            view = View.of(parse_position(line), seat)
            hidden = state.hands[1 - seat] | state.hidden[seat]
            talon = state.talon[:-1] if state.trump >= 0 else state.talon
            for card in talon:
                hidden |= 1 << card
            assert view.unseen == hidden, (line, seat)
            assert view.hand == state.hands[seat]
            hands, piles, talon_places = view.places
            assert sum(hands) + sum(piles) + talon_places == hidden.bit_count()
            assert hands[seat] == 0
            assert piles[1 - seat] == 0
            assert view.world_count == ref.world_count(seen_by(line, seat)), (line, seat)


def test_the_number_of_worlds_is_exact_however_large() -> None:
    view = View.from_text("georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -")
    assert view.world_count == comb(12, 3) * factorial(9)
    first = View.from_text("georgian5 h AsTsKsQsJs/x5 x25Jh -/- 0 -")
    assert first.world_count == comb(30, 5) * factorial(25)
    assert View.from_text("no_trump - As9c8c/x3 x30 -/- 0 -").world_count == (
        comb(33, 3) * factorial(30)
    )
    # Nothing is hidden: one world.
    assert View.from_text("georgian5 h As/Ks - {} 0 -".format(
        ref.cards_text(ref.deck_mask(36) & ~ref.cards_mask("AsKs")) + "/-"
    )).world_count == 1  # fmt: skip


def test_whose_eyes() -> None:
    line = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd {} -"
    # The seat whose hand is known whole, whoever is to act.
    assert View.from_text(line.format(1)).seat == 1
    assert View.from_text(line.format(0)).seat == 1
    # Both are known: the seat to act.
    both = "georgian3 h QhAcKd/KsThTc x9Jh As(Js)/TdAd {} -"
    assert View.from_text(both.format(1)).seat == 1
    with pytest.raises(
        InputError, match=r"piles\[0\] '\(Js\)': face-down cards in a player's own"
    ):
        View.from_text(both.format(0))
    for seat in (-1, 2, True):
        with pytest.raises(InputError, match="no such seat"):
            View.from_text(line.format(1), seat)
    with pytest.raises(InputError, match=r"hands\[0\] 'x3': the player whose view it is"):
        View.from_text(line.format(1), 0)


def test_what_a_seat_cannot_have_seen_is_refused_all_at_once() -> None:
    line = "georgian3 h x3/KsThTc KhQsQdQcJdJcKcTsAhJh As(Js)/Td(Ad) 1 -"
    with pytest.raises(InputError) as caught:
        View.from_text(line)
    assert [fault.field for fault in caught.value.faults] == ["talon", "piles[1]"]
    # Without trumps nothing is turned up: even the last card is unknown to all.
    with pytest.raises(InputError, match="talon 'As'"):
        View.from_text("no_trump - Ts9c8c/x3 x29As -/- 0 -")


def test_the_turned_trump_stays_known() -> None:
    line = "classic h 7s8d9c/AsKsQs {}Jh -/- 0 -".format(
        ref.cards_text(ref.deck_mask(36) & ~ref.cards_mask("7s8d9cAsKsQsJh"))
    )
    for seat in (0, 1):
        view = View.of(parse_position(line), seat)
        assert str(view).split()[3] == "x29Jh"
        assert not view.unseen & ref.cards_mask("Jh")


def test_ones_own_closed_discards_in_the_others_pile_stay_known() -> None:
    line = "georgian3 h QhAcKd/KsThTc KhQsQdQcJdJcKcTsAhJh As(Js)/Td(Ad) 1 -"
    first, second = (View.of(parse_position(line), seat) for seat in (0, 1))
    assert str(first).split()[4] == "Asx1/Td(Ad)"
    assert str(second).split()[4] == "As(Js)/Tdx1"
    assert first.unseen & ref.cards_mask("JsAd") == ref.cards_mask("Js")
    assert second.unseen & ref.cards_mask("JsAd") == ref.cards_mask("Ad")


def test_bare_points_do_not_tell_what_is_unseen() -> None:
    line = "classic h 7s8d9c/AsKsQs 9h9d 31/20 0 -"
    with pytest.raises(InputError) as caught:
        View.of(parse_position(line), 0)
    assert [fault.field for fault in caught.value.faults] == ["piles[0]", "piles[1]"]


@pytest.mark.parametrize("rules", RULES)
def test_a_view_knows_nothing_of_what_is_hidden(rules: str) -> None:
    rng = random.Random(f"leak {rules}")
    for _ in range(60):
        line = some_line(rng, rules)
        for seat in (0, 1):
            view = View.of(parse_position(line), seat)
            other = View.of(parse_position(hidden_shuffled(rng, line, seat)), seat)
            assert other.text == view.text, (line, seat)
            assert other == view
            assert (other.unseen, other.places) == (view.unseen, view.places)
