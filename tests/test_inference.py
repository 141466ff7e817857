"""Worlds weighted by what the other seat did, and what a raise is worth."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import exp, log

import pytest

from bura_core import (
    InputError,
    Move,
    Position,
    View,
    estimate_claim,
    parse_move,
    recommend,
    worlds,
)
from bura_core.claiming import advise_claim
from bura_core.inference import infer, witness_of
from bura_core.match import match_equity
from bura_core.notation import Pile, PositionText
from bura_core.raising import advise_raise
from bura_core.record import record_hand, view_of
from bura_core.rule_sets import PRESETS, RuleSet
from bura_core.view import Act
from bura_service.arena import Contest, play_hand
from scale import scaled

PLAYED = ("georgian3",)


def deal(rules: RuleSet, rng: random.Random) -> PositionText:
    low = 9 - rules.deck // 4
    deck = [suit * 9 + rank for suit in range(4) for rank in range(low, 9)]
    rng.shuffle(deck)
    hands = tuple(tuple(deck.pop() for _ in range(size)) for size in rules.hand_sizes)
    return PositionText(
        rules=rules,
        trump=deck[-1] // 9 if rules.trumps else None,
        hands=hands,
        talon=tuple(deck),
        piles=tuple(Pile((), None) for _ in hands),
        turn=0,
        table=(),
        handicap=(0,) * rules.players,
    )


def careful(position: Position, rng: random.Random) -> Move:
    """Gives away little and beats what is worth it: a player the model knows something of."""
    moves = [m for m in position.legal_moves() if m.kind in ("play", "discard")]
    if not moves or rng.random() < 0.1:
        return rng.choice(position.legal_moves())
    points = (0, 0, 0, 0, 2, 3, 4, 10, 11) * 4

    def cost(move: Move) -> tuple[int, int]:
        value = sum(points[card] for card in range(36) if move.cards >> card & 1)
        trump = position.trump
        trumps = 0 if trump is None else (move.cards >> 9 * trump & 511).bit_count()
        if position.table and move.kind == "play":
            value -= 12
        return value + 5 * trumps, move.cards

    return min(moves, key=cost)


def played(name: str, seed: int, moves: int) -> tuple[Position, list[Act]]:
    """A hand after some moves, and what was done."""
    rng = random.Random(f"{name} {seed}")
    position = Position(deal(PRESETS[name], rng))
    acts: list[Act] = []
    for _ in range(moves):
        if position.result is not None:
            break
        move = careful(position, rng)
        if move.kind == "claim":
            break
        acts.append(Act(position.turn, move.kind, move.cards, move.cards.bit_count()))
        position.play(move)
    return position, acts


def views(name: str, count: int) -> list[tuple[View, Position]]:
    found = []
    for seed in range(20 * count):
        position, acts = played(name, seed, 2 + seed % 7)
        if position.result is None and acts and len(found) < count:
            view = View.of(position.text(), position.turn).after(acts)
            if view.world_count > 1:
                found.append((view, position))
    assert len(found) == count
    return found


# --- inference ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYED)
def test_weights_are_positive_with_mean_one_and_repeat(name: str) -> None:
    for view, _ in views(name, 6):
        sample = worlds(view, 80, 1)
        found = infer(view, sample)
        assert found is not None
        assert len(found.weights) == len(found.counts) == len(sample)
        assert all(weight > 0 for weight in found.weights)
        assert sum(found.weights) == pytest.approx(len(sample))
        assert 1 <= found.effective <= len(sample) + 1e-6
        assert infer(view, sample) == found
        counts = tuple(w.points[view.seat] + w.handicap[view.seat] for w in sample)
        assert found.counts == counts


def test_without_a_history_or_under_full_noise_all_worlds_count_alike() -> None:
    for view, _ in views("georgian3", 5):
        sample = worlds(view, 50, 1)
        assert infer(replace(view, history=()), sample) is None
        noisy = infer(view, sample, noise=1.0)
        assert noisy is not None
        assert noisy.effective == pytest.approx(len(sample))
        off = recommend(view, max_worlds=100, inference=False)
        bare = recommend(replace(view, history=()), max_worlds=100)
        assert replace(off, search_us=0.0) == replace(bare, search_us=0.0)
        assert off.effective is None
        assert recommend(view, max_worlds=100, inference=True).effective is not None


def test_inference_makes_the_true_world_likelier() -> None:
    """Hands between the project's players that were not fitted to: the gain is above its error."""
    gains = []
    for number in range(scaled(24)):
        contest = Contest("georgian3", ("sampling", "ismcts"), 0.002, 991)
        hand = play_hand(contest, number, bool(number % 2))
        position = Position.from_text(hand.start)
        acts: list[Act] = []
        for text in hand.moves:
            move, seat = parse_move(text), position.turn
            if position.text().offer is None and len(acts) > 1:
                view = View.of(position.text(), seat).after(acts)
                witness = witness_of(view, None, 0.1)
                if witness is not None and view.world_count > 1:
                    known = worlds(View(position.text(), seat, view.history), 1)
                    (true,), _ = witness.log_weights(known, 0, 1, 1, 16)
                    sample = worlds(view, 100, 3)
                    logs, _ = witness.log_weights(sample, 0, len(sample), 2, 4)
                    top = max(logs)
                    gains.append(true - top - log(sum(exp(x - top) for x in logs) / len(logs)))
            position.play(move)
            acts.append(Act(seat, move.kind, move.cards, move.cards.bit_count()))
    gain = sum(gains) / len(gains)
    error = (sum((each - gain) ** 2 for each in gains)) ** 0.5 / len(gains)
    print(f"true world likelier by {gain:.3f} nats +- {error:.3f}, {len(gains)} views")
    if len(gains) >= 60:
        assert gain > 2 * error


@pytest.mark.parametrize("name", PLAYED)
def test_what_is_inferred_does_not_know_what_is_hidden(name: str) -> None:
    """The unseen cards dealt anew, in the true position: nothing that is told changes."""
    rng = random.Random(f"inference leak {name}")
    for view, position in views(name, scaled(10)):
        # Any world of the view is such a deal; its history is the same to the seat.
        other = worlds(replace(view, history=()), 1, rng.getrandbits(40))[0]
        if other.result is not None:
            continue
        again = View.of(other.text(), view.seat).after(view.history)
        first = recommend(view, max_worlds=40, max_nodes=4000, seed=5, inference=True)
        second = recommend(again, max_worlds=40, max_nodes=4000, seed=5, inference=True)
        assert replace(first, search_us=0.0) == replace(second, search_us=0.0), str(position)
        assert all(act.cards == 0 for act in view.history
                   if act.kind == "discard" and act.seat != view.seat)  # fmt: skip


def test_a_record_gives_the_history_as_the_seat_saw_it() -> None:
    position, acts = played("georgian3", 4, 6)
    rng = random.Random("georgian3 4")
    start = deal(PRESETS["georgian3"], rng)
    moves = [Move(act.kind, act.cards) for act in acts]
    record = record_hand(start, moves)
    for seat in (0, 1):
        assert view_of(record, seat).history == (
            View.of(position.text(), seat).after(acts).history
        )


def test_a_held_turn_up_is_in_that_hand_in_every_world() -> None:
    view = View.from_text("georgian3 h KhJcAc/x3 x3Jh AsKsQsJs/KdJd(ThKc)AhQh 0 -", 0)
    card = view.unseen.bit_length() - 1
    held = view.holding(1, card)
    assert all(world.hands[1] >> card & 1 for world in worlds(held, 50))
    assert held.world_count < view.world_count
    with pytest.raises(InputError, match="cannot be among the unseen cards"):
        held.holding(1, card)


# --- raises ------------------------------------------------------------------------------------

BEFORE = "georgian3 h x3/AhKsTs x13Jh -/- 1 -"


def test_a_raise_is_weighed_against_the_best_play() -> None:
    advice = advise_raise(View.from_text(BEFORE), score=(0, 0), max_worlds=300)
    kinds = {option.move.kind for option in advice.options}
    assert kinds == {"raise", "play"}
    assert advice.method == "played out"
    assert advice.unit == "match"
    assert (advice.stake, advice.offered) == (1, 2)
    assert all(0 <= option.value <= 1 for option in advice.options)
    assert advice.options[0].value >= advice.options[1].value
    assert advice.play == next(o.move for o in advice.options if o.move.kind == "play")
    # Nobody holds more trumps: who has all three of these wins more often than not.
    assert advice.chance > 0.5
    assert advice.accepts is not None
    assert 0 < advice.accepts < 1
    stakes = advise_raise(View.from_text("dave h x3/AhKsTs x29Jh -/- 1 -"), max_worlds=40)
    assert stakes.unit == "stakes"


def test_the_answer_to_a_raise_takes_the_raise_into_account() -> None:
    view = View.from_text("georgian3 h KcJdQs/x3 x13Jh -/- 1 - raiser=1 offer=2")
    advice = advise_raise(view, score=(0, 0), max_worlds=300)
    assert {str(option.move) for option in advice.options} == {"accept", "fold", "raise"}
    # He raises more often with hands that win.
    assert advice.chance < advice.unmoved
    fold = next(option for option in advice.options if option.move.kind == "fold")
    rules = PRESETS["georgian3"]
    assert fold.value == pytest.approx(float(match_equity(rules, 0, 1)))
    assert fold.standard_error < 1e-9
    assert advice.least == pytest.approx(
        float(
            (match_equity(rules, 0, 1) - match_equity(rules, 0, 2))
            / (match_equity(rules, 2, 0) - match_equity(rules, 0, 2))
        )
    )
    assert Fraction(0) < advice.least < 1


def test_nothing_to_raise_is_said() -> None:
    for line, seat in (
        ("classic h x3/AhKsTs x29Jh -/- 1 -", 1),
        (BEFORE, 0),
        ("georgian3 h x3/AhKsTs x13Jh -/- 1 - raiser=1 offer=2", 1),
    ):
        with pytest.raises(InputError):
            advise_raise(View.from_text(line, seat))


def test_who_has_raised_last_is_told_what_to_play() -> None:
    advice = advise_raise(View.from_text(BEFORE + " stake=2 raiser=1"), max_worlds=40)
    assert advice.offered is None
    assert {option.move.kind for option in advice.options} == {"play"}


def test_raise_advice_does_not_know_what_is_hidden() -> None:
    rng = random.Random("raise leak")
    for offer in ("", " raiser=1 offer=2"):
        for _ in range(scaled(6)):
            start = deal(PRESETS["georgian3"], rng)
            told = []
            for _ in range(2):
                hidden = [*start.hands[1], *start.talon[:-1]]
                rng.shuffle(hidden)
                start = replace(
                    start,
                    hands=(start.hands[0], tuple(hidden[:3])),
                    talon=(*hidden[3:], start.talon[-1]),
                    turn=1 if offer else 0,
                )
                view = View.from_text(str(start) + offer, 0)
                advice = advise_raise(view, score=(3, 5), max_worlds=30)
                told.append((advice, advice.chance, advice.unmoved))
            assert told[0] == told[1]


CLAIMS = "georgian3 h AsTdQh/x3 x5Jh TcKcx2/AdQdx2 0 - claim=0"


def test_a_claim_is_weighed_against_playing_on() -> None:
    advice = advise_claim(View.from_text(CLAIMS), max_worlds=400)
    assert advice.chance == pytest.approx(1 / 11)
    assert advice.claim_value == pytest.approx(2 / 11 - 1)
    assert advice.estimate == estimate_claim(View.from_text(CLAIMS))
    # One in eleven, with two trumps in hand: he plays on.
    assert not advice.claim
    assert advice.play_value > advice.claim_value
    assert advice.own_later is not None
    assert advice.other_first is not None
    assert advice.own_later + advice.other_first <= 1 + 1e-9
    assert advice.method == "played out"


@pytest.mark.parametrize(
    ("line", "claims"),
    [
        # 35 points of what he has seen.
        ("georgian3 h KsTdQh/x3 x5Jh TcAcTsKc/AdQdx2 0 - claim=0", True),
        # 9 points and one card: it cannot hold.
        ("georgian3 h AsThQh/x3 x5Jh KcQcJcx1/AdTdx2 0 - claim=0", False),
        ("classic h AsThQh/x3 x21Jh KcQcJcx1/AdTdx2 0 - claim=0", False),
        # Four seats: 42 of 61.
        ("georgian5_pairs h AsTdQhKh9h/x5/x5/x5 x11Jh AhThTcAc/-/-/- 0 - claim=0", False),
    ],
)
def test_sure_claims_are_made_and_impossible_ones_not(line: str, claims: bool) -> None:
    advice = advise_claim(View.from_text(line), max_worlds=40)
    assert advice.claim is claims
    assert advice.claim_value == (1 if claims else -1)
    assert -1 <= advice.play_value <= 1


def test_where_no_claim_may_come_is_said() -> None:
    with pytest.raises(InputError, match="may not claim"):
        advise_claim(View.from_text(BEFORE))


def test_claim_advice_does_not_know_what_is_hidden() -> None:
    rng = random.Random("claim leak")
    found = 0
    while found < scaled(8):
        position = Position(deal(PRESETS["georgian3"], rng))
        acts: list[Act] = []
        while position.result is None:
            legal = position.legal_moves()
            if any(move.kind == "claim" for move in legal) and position.talon:
                break
            move = careful(position, rng)
            acts.append(Act(position.turn, move.kind, move.cards, move.cards.bit_count()))
            position.play(move)
        if position.result is not None:
            continue
        found += 1
        text, seat = position.text(), position.turn
        view = View.of(text, seat).after(acts)
        # The same view of another deal: hidden cards are dealt anew.
        others = worlds(View.of(text, seat), 5, rng.getrandbits(20))
        told = [
            advise_claim(View.of(world.text(), seat).after(acts), max_worlds=40)
            for world in (others[0], others[-1])
        ]
        assert told[0] == told[1] == advise_claim(view, max_worlds=40)
