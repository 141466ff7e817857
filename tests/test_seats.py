"""Two to six seats, pairs, every preset and switch: `Position` against `reference_seats`."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

import reference as two
import reference_seats as ref
from bura_core import (
    PRESETS,
    IllegalMoveError,
    InputError,
    Position,
    PositionText,
    RuleSet,
    Solver,
    UnsupportedError,
    View,
    beat_odds,
    parse_position,
    worlds,
)
from reference import card_list, cards_mask, cards_text, deck_mask, set_points
from scale import scaled


def fits(name: str) -> bool:
    try:
        RuleSet.parse(name)
    except InputError:
        return False
    return True


SEATED = [
    f"{name}[players={players}]" if players != PRESETS[name].players else name
    for name in PRESETS
    for players in ((4,) if PRESETS[name].pairs else range(2, 7))
    if fits(f"{name}[players={players}]")
]
PAIRED = [
    f"{name}[players=4,pairs=yes]" for name in PRESETS if fits(f"{name}[players=4,pairs=yes]")
]
SWITCHED = [
    "bura1[players=5,deck=32]",
    "bura1[players=4,claim_window=own_turn]",
    "bura1[players=3,claim_window=before_draw,refill_from=leader]",
    "bura1[players=3,target=11]",
    "bura1[players=6,target=11,claim_window=before_draw]",
    "bura1[players=5,hand=4,target=15]",
    "classic[players=5]",
    "classic[players=5,deck=32,hand=4]",
    "classic[players=4,short_talon=draw_out,deck=32,hand=5,target=20]",
    "classic[players=3,two_buras=higher]",
    "classic[players=3,two_buras=void]",
    "classic[players=4,pairs=yes,claim_window=own_turn]",
    "classic[players=3,stop_window=after_lead_returned]",
    "classic[players=3,stop_window=after_lead_stays]",
    "classic[stop_window=after_lead_returned]",
    "classic[stop_window=after_lead_stays]",
    "burkozel[players=4,stop_window=after_lead_stays]",
    "burkozel[players=3,deck=32]",
    "burkozel_kommersant[players=5,deck=32]",
    "moskva[players=4,little_moskva=tens,stop_window=after_lead_returned]",
    "classic[closed_challenge=yes]",
    "classic[players=3,closed_challenge=yes]",
    "casino[players=3,closed_challenge=yes]",
    "classic[players=4,foul=match_pot]",
    "five[players=3,unclaimed=most_points]",
    "burkozel[players=3,unclaimed=most_points,target=25]",
    "three_vs_four[short_talon=draw_out]",
    "classic[extra_card=0,bura=on_lead]",
    "classic[players=3,extra_card=2]",
    "classic[players=3,rank_leads=yes]",
    "no_trump[players=4,pairs=yes,unclaimed=most_points]",
]
EVERY = SEATED + PAIRED + SWITCHED


def facts(position: Position) -> dict[str, object]:
    result = position.result
    over = result and (result.winner, result.reason, result.losers, result.order)
    calls = [(seat, str(call)) for seat, call in position.calls()]
    moves = [str(move) for move in position.legal_moves()]
    assert len(set(moves)) == len(moves)
    assert len(set(calls)) == len(calls)
    return {
        "hands": position.hands,
        "talon": position.talon,
        "points": position.points,
        "result": over,
        "turn": None if over else position.turn,
        "moves": sorted(moves),
        "calls": sorted(calls),
        "claim": position.claim_seat,
        "table": None
        if over
        else [
            (play.seat, sum(1 << card for card in play.cards), play.closed)
            for play in position.table
        ],
        "raises": any(move.kind == "raise" for move in position.raises()),
    }


def everywhere(position: Position, deck: int) -> None:
    """Each card in one place, and 120 points in all."""
    text = position.text()
    places = [card for hand in text.hands for card in hand]
    places += text.talon
    places += [item.card for pile in text.piles for item in pile.items]
    places += [card for play in text.table for card in play.cards]
    assert sorted(card for card in places if card is not None) == sorted(card_list(deck))
    loose = [card for hand in text.hands for card in hand]
    loose += [*text.talon, *[card for play in text.table for card in play.cards]]
    assert sum(position.points) + set_points(sum(1 << c for c in loose if c is not None)) == 120


def some_move(rng: random.Random, hand: ref.Hand, claims: float) -> tuple[str, int | None]:
    calls = ref.calls(hand)
    if calls and rng.random() < 0.4:
        seat, call = rng.choice(calls)
        return call, seat
    moves = ref.moves(hand)
    if "claim" in moves and (len(moves) == 1 or rng.random() < claims):
        return "claim", None
    return rng.choice([move for move in moves if move != "claim"]), None


@pytest.mark.parametrize("rules", EVERY)
def test_random_hands_go_as_in_the_reference(rules: str) -> None:
    rng = random.Random(rules)
    deck = deck_mask(RuleSet.parse(rules).deck)
    for number in range(scaled(30)):
        line = ref.deal(rng, rules, plant=0.5)
        position, hand = Position.from_text(line), ref.load(line)
        texts: list[str] = []
        claims = rng.choice((0, 0.1, 0.3))
        while True:
            told = str(position)
            assert facts(position) == ref.facts(hand), (line, told)
            everywhere(position, deck)
            if hand.over is not None:
                break
            # Its text is the whole of a position: for the core and for the reference.
            again = Position.from_text(told)
            assert facts(again) == facts(position), told
            assert str(again) == told
            assert ref.facts(ref.load(told)) == ref.facts(hand), told
            if number < 2 and len(texts) % 5 == 0 and len(ref.moves(hand)) < 40:
                assert position.perft(2) == ref.perft(hand, 2), told
            texts.append(told)
            move, seat = some_move(rng, hand, claims)
            position.play(move)
            hand = ref.apply(hand, move, seat)
        while texts:
            position.undo()
            assert str(position) == texts.pop()


# --- views and worlds --------------------------------------------------------------------------

CLOSED_RULES = [
    "classic[players=3]",
    "casino[players=4]",
    "burkozel[players=3]",
    "bura2[players=4,pairs=yes]",
    "bura1[players=5]",
    "georgian5_pairs",
    "three_vs_four",
    "five[players=6,hand=3]",
    "classic[open_hands=all]",
    "classic[players=3,open_hands=0+2]",
]


def played_on(rng: random.Random, rules: str) -> str:
    """A line somewhere in a random hand."""
    position = Position.from_text(ref.deal(rng, rules))
    lines = [str(position)]
    while position.result is None:
        moves = [move for move in position.legal_moves() if move.kind != "claim"]
        position.play(rng.choice(moves))
        if position.result is None:
            lines.append(str(position))
    return rng.choice(lines)


def all_cards(text: PositionText) -> list[int | None]:
    cards = [card for hand in text.hands for card in hand]
    cards += text.talon
    cards += [item.card for pile in text.piles for item in pile.items]
    cards += [card for play in text.table for card in play.cards]
    return cards


@pytest.mark.parametrize("rules", [*CLOSED_RULES, *SEATED, *PAIRED])
def test_a_view_hides_what_the_seat_has_not_seen(rules: str) -> None:
    rng = random.Random(f"view {rules}")
    for _ in range(scaled(25 if rules in CLOSED_RULES else 3)):
        line = played_on(rng, rules)
        whole = parse_position(line)
        for seat in range(whole.rules.players):
            view = View.of(whole, seat)
            hidden, ways = ref.hidden_places(line, seat)
            assert view.unseen.bit_count() == hidden, (line, seat)
            assert view.world_count == ways, (line, seat)
            assert str(parse_position(str(view))) == str(view)
            if view.text.has_unknown:
                assert View.from_text(str(view), seat) == view
            # Own cards and own discards stay.
            assert view.text.hands[seat] == whole.hands[seat]
            for pile, seen in zip(whole.piles, view.text.piles, strict=True):
                for item, shown in zip(pile.items, seen.items, strict=True):
                    by = item.by
                    if whole.rules.players == 2:
                        by = 0 if pile is whole.piles[1] else 1
                    # Whoever has an open hand is seen by all to lay what he lays.
                    known = by == seat or by in whole.rules.open_seats
                    assert (shown.card is None) is (item.closed and not known), (line, seat)


@pytest.mark.parametrize("rules", CLOSED_RULES)
def test_worlds_place_every_card_once_and_leave_what_was_seen(rules: str) -> None:
    rng = random.Random(f"worlds {rules}")
    for _ in range(scaled(12)):
        line = played_on(rng, rules)
        whole = parse_position(line)
        deck = sorted(card_list(deck_mask(whole.rules.deck)))
        for seat in range(whole.rules.players):
            view = View.of(whole, seat)
            try:
                found = worlds(view, 30, seed=3)
            except UnsupportedError:
                assert view.world_count >= 1 << 128
                continue
            lines = set()
            for world in found:
                lines.add(str(world))
                text = world.text()
                assert sorted(c for c in all_cards(text) if c is not None) == deck
                again = Position.from_text(str(world))
                assert again.result == world.result
                assert again.turn == world.turn
                assert again.legal_moves() == world.legal_moves()
                for mine, his in zip(view.text.hands, text.hands, strict=True):
                    assert set(mine) - {None} <= set(his)
                    assert len(mine) == len(his)
                for old, new in zip(view.text.piles, text.piles, strict=True):
                    assert {i.card for i in old.items} - {None} <= {i.card for i in new.items}
                    assert len(old.items) == len(new.items)
                if view.text.talon and whole.rules.trumps:
                    assert text.talon[-1] == whole.talon[-1]
                # Played on, it keeps all its cards.
                while world.result is None:
                    world.play(rng.choice(world.legal_moves()))
                assert sorted(c for c in all_cards(world.text()) if c is not None) == deck
            assert len(lines) == len(found) == min(30, view.world_count)


def test_few_worlds_of_three_hands_are_all_of_them() -> None:
    line = "classic[players=3] h As6s/Ks7s/x2 - TsQs9s(1:8s)Js6hAhThKh/Jh8h7h(0:QhAd)x7/x12 0 -"
    with pytest.raises(InputError):
        parse_position(line)  # three cards too few
    view = View.from_text(
        "classic[players=3] h As/x1/x1 -"
        " 6s7s8s9sTsJsQsKs6h7h8h9hThJhQhKhAh6d/7d8d9dTdJdQdKdAd6c(7c)x2/8cJcQc 0 -"
    )
    assert view.seat == 0
    assert view.world_count == 4 * 3
    found = worlds(view)
    assert found.exhaustive
    assert len({str(world) for world in found}) == 12


def test_who_discarded_has_to_be_told_for_a_view() -> None:
    """A complete line of three players says who knows a face-down card, or has no views."""
    line = (
        "classic[players=3] h As/9c/Ac -"
        " 6s7s8s9sTsJsQsKs6h7h8h9hThJhQhKhAh6d/7d8d9dTdJdQdKdAd6c(7c)(2:TcKc)/8cJcQc 0 -"
    )
    with pytest.raises(InputError, match="who discarded these cards face down is not told"):
        View.from_text(line, 0)
    told = line.replace("(7c)", "(0:7c)")
    assert str(View.from_text(told, 0)).split()[4].split("/")[1].endswith("6c(0:7c)x2")
    assert str(View.from_text(told, 2)).split()[4].split("/")[1].endswith("6cx1(2:TcKc)")
    assert str(View.from_text(told, 1)).split()[4].split("/")[1].endswith("6cx3")
    with pytest.raises(InputError, match="another seat discarded these face down"):
        View.from_text(told.replace("/9c/", "/x1/").replace("TcKc", "TcKc"), 0)


def test_a_discard_on_the_table_is_hidden_from_the_others() -> None:
    talon = "8cTcJcQcKcAhAd6h9hThJhQhKh7d8d9dTdQdKd6c7c9cAc7s8s9sJs"
    position = parse_position(f"classic[players=3] h AsTs/KsQs/7h8hJd {talon} -/-/- 2 0:6s,1:(6d)")
    assert str(View.of(position, 2)).split()[6] == "0:6s,1:x1"
    assert str(View.of(position, 1)).split()[6] == "0:6s,1:(6d)"
    seen = View.of(position, 2)
    assert {world.text().table[1].cards for world in worlds(seen, 300)} > {(18,), (35,)}


def test_beat_odds_of_one_of_several_hands() -> None:
    view = View.from_text("classic[players=3] h AsTd7c/x3/x3 x26Jh -/-/- 0 -")
    with pytest.raises(InputError, match="not the seat of another player"):
        beat_odds(view, cards_mask("As"))
    # Only the eight hearts that are not turned up beat the ace; 32 cards are unseen.
    chance = 1 - Fraction(comb(24, 3), comb(32, 3))
    assert beat_odds(view, cards_mask("As"), 1) == chance
    assert beat_odds(view, cards_mask("As"), 2) == chance


# --- values of the oracle ----------------------------------------------------------------------


def small_hand(rng: random.Random, rules: str, cards: int, talon: int = 0) -> ref.Hand | None:
    """A position late in a random hand, at the start of a trick and with nothing decided."""
    hand = ref.load(ref.deal(rng, rules))
    while hand.over is None:
        left = sum(h.bit_count() for h in hand.hands)
        if left <= cards and len(hand.talon) <= talon and not hand.table and not hand.deciding:
            return hand
        move = rng.choice([m for m in ref.moves(hand) if m != "claim"])
        hand = ref.apply(hand, move)
    return None


@pytest.mark.parametrize("rules", ["georgian3", "classic", "perebor", "five[hand=3]"])
def test_two_oracles_value_alike(rules: str) -> None:
    rng = random.Random(f"values {rules}")
    found = 0
    while found < scaled(20):
        hand = small_hand(rng, rules, 6)
        if hand is None:
            continue
        found += 1
        sums = [hand.points(seat) for seat in (0, 1)]
        line = " ".join(
            (
                rules,
                "shdc"[hand.trump],
                "/".join(cards_text(cards) for cards in hand.hands),
                "-",
                f"{sums[0]}/{sums[1]}",
                f"{hand.turn} -" + (f" claim={hand.claim}" if hand.claim >= 0 else ""),
            )
        )
        assert ref.zero_sum(hand) == two.value(two.load(line)), line


@pytest.mark.parametrize("rules", ["classic[players=3]", "bura1[players=3]", "bura2[players=3]"])
def test_single_players_are_sure_of_no_more_than_they_can_expect(rules: str) -> None:
    rng = random.Random(f"sure {rules}")
    found = 0
    while found < scaled(12):
        hand = small_hand(rng, rules, 6)
        if hand is None:
            continue
        found += 1
        gets = ref.expected(hand)
        for seat in range(3):
            assert -1 <= ref.guaranteed(hand, seat) <= gets[seat] <= 1


def test_partners_are_sure_of_what_the_others_cannot_prevent() -> None:
    rng = random.Random("pairs")
    found = 0
    while found < scaled(8):
        hand = small_hand(rng, "georgian5_pairs[hand=2,target=31]", 8)
        if hand is None:
            continue
        found += 1
        assert ref.guaranteed(hand, 0) == ref.guaranteed(hand, 2) == -ref.guaranteed(hand, 1)


@pytest.mark.parametrize(
    "rules",
    [
        "casino",
        "casino[discards=shown]",
        "casino[three_aces=win]",
        "moskva",
        "moskva[two_buras=void]",
        "dave",
        "bura1",
        "bura2",
        "burkozel_kommersant",
        "classic[claim_window=own_turn]",
        "perebor[claim_window=before_draw]",
    ],
)
def test_the_solver_values_two_players_as_this_oracle(rules: str) -> None:
    """Claim windows, raises' rules and combinations that the faster oracle does not know."""
    rng = random.Random(f"solver {rules}")
    solver = Solver(table_mb=1)
    found = 0
    while found < scaled(25):
        position = Position.from_text(ref.deal(rng, rules, plant=0.3))
        most = rng.choice((4, 4, 6))
        while position.result is None and (
            position.talon or sum(hand.bit_count() for hand in position.hands) > most
        ):
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            position.play(rng.choice(moves))
        if position.result is not None:
            continue
        found += 1
        line = str(position)
        assert solver.solve(line, line=False).value == ref.zero_sum(ref.load(line)), line


def test_oracle_values_do_not_depend_on_names() -> None:
    """Turned round the table, a position is worth the same to whoever sits there then."""
    hand = ref.load("classic[players=3] h AsKh/Ks7h/Qs8h - 20/20/20 0 -")
    turned = ref.load("classic[players=3] h Qs8h/AsKh/Ks7h - 20/20/20 1 -")
    one, other = ref.expected(hand), ref.expected(turned)
    assert other == (one[2], one[0], one[1])
    sure = [ref.guaranteed(hand, seat) for seat in range(3)]
    assert [ref.guaranteed(turned, (seat + 1) % 3) for seat in range(3)] == sure


# --- by hand -----------------------------------------------------------------------------------


def test_a_third_player_has_to_beat_what_the_second_has_laid() -> None:
    """The example of source S4: mixed suits beat, and are beaten card by card in turn."""
    line = "classic[players=3] d Qs7s6c/9dJs7c/{} - 0/0/0 0 -"
    for third, taken in (("Kd8d8c", 2), ("8d9s8c", 1)):
        position = Position.from_text(line.format(third))
        position.play("Qs7s")
        position.play("9dJs")
        moves = {str(move) for move in position.legal_moves()}
        assert (taken == 2) is ("Kd8d" in moves)
        assert not any(move[0] != "(" for move in moves) or taken == 2
        position.play("Kd8d" if taken == 2 else "(9s8d)")
        assert position.leader == position.turn == taken
        assert position.claim_seat == taken


def test_calls_come_highest_first_and_nearest_to_the_leader_among_equals() -> None:
    line = "classic[players=4] h 6s7c8d/KcQcJc/AsAcAd/KdQdJd 9d9c9s8s 0/0/0/0 0 -"
    assert [(seat, str(call)) for seat, call in Position.from_text(line).calls()] == [
        (2, "stop:AsAdAc"),
        (1, "stop:KcQcJc"),
        (3, "stop:KdQdJd"),
    ]


def test_partners_may_answer_and_lead_for_each_other_only_in_turn() -> None:
    position = Position.from_text("georgian5_pairs h As/Ks/Ts/6s - 11/10/30/20 0 -")
    position.play("As")
    assert position.turn == 1
    position.play("Ks")
    assert position.turn == 2
    assert [str(move) for move in position.legal_moves()] == ["Ts"]


def test_pairs_count_together() -> None:
    line = "georgian5_pairs h As/Ks/Qs/6s - 11/10/32/20 0 -"
    position = Position.from_text(line)
    for move in ("As", "Ks", "Qs", "6s"):
        position.play(move)
    assert position.points == (29, 10, 32, 20)
    position.play("claim")  # 29 and the partner's 32
    assert position.result is not None
    assert (position.result.winner, position.result.reason) == (0, "claim")


def test_a_raise_is_answered_by_the_other_pair() -> None:
    position = Position.from_text("georgian5_pairs h As/Ks/Qs/6s - 11/10/32/20 2 -")
    position.play("raise")
    assert position.turn == 3
    position.play("raise")
    assert position.turn == 0
    again = Position.from_text(str(position))
    assert again == position
    position.play("accept")
    assert (position.turn, position.stake) == (2, 3)
    assert [str(move) for move in position.raises()] == ["raise"]


@pytest.mark.parametrize(
    "rules",
    [
        "georgian5_pairs",
        "dave[players=4,pairs=yes]",
        "dave[stop_window=after_lead_stays]",
        "dave[stop_window=after_lead_returned,closed_challenge=yes]",
        "casino[players=4,pairs=yes,raises=ladder]",
    ],
)
def test_raises_at_any_time_are_in_the_text_of_a_position(rules: str) -> None:
    rng = random.Random(f"raises {rules}")
    offers = 0
    for _ in range(scaled(40)):
        position = Position.from_text(ref.deal(rng, rules, plant=0.7))
        while position.result is None:
            again = Position.from_text(str(position))
            assert str(again) == str(position)
            assert again.legal_moves() == position.legal_moves()
            assert again.calls() == position.calls()
            assert again.raises() == position.raises()
            moves = [move for move in position.legal_moves() if move.kind != "claim"]
            moves = [call for _, call in position.calls() if call.kind == "stop"] or moves
            raises = [move for move in position.raises() if move.kind != "fold"]
            if raises and (not moves or rng.random() < 0.3):
                moves = raises
                offers += 1
            position.play(rng.choice(moves))
    assert offers > scaled(40)


def test_single_players_do_not_raise() -> None:
    position = Position.from_text("dave[players=3] h As/Ks/Qs - 11/0/0 0 -")
    assert position.raises() == []
    with pytest.raises(IllegalMoveError, match="raises are for two sides"):
        position.play("raise")


def test_a_false_claim_among_three_leaves_nobody_the_winner() -> None:
    position = Position.from_text("classic[players=3] h As/Ks/Qs - 11/0/0 0 - claim=0")
    position.play("claim")
    result = position.result
    assert result is not None
    assert (result.winner, result.reason, result.losers) == (None, "false_claim", (0,))


def test_who_reaches_the_target_leaves_and_the_rest_play_on() -> None:
    line = "bura1[players=3] h As6s/Ks7s/Ah8s - 20/20/9 0 -"
    position = Position.from_text(line)
    for move in ("As", "(Ks)", "(8s)"):
        position.play(move)
    position.play("claim")
    assert position.result is None
    assert position.out == (0,)
    assert position.hands == (0, cards_mask("7s"), cards_mask("Ah"))
    assert position.turn == 1  # the next seat that plays on leads
    assert str(position).endswith("left=0")
    position.play("7s")
    position.play("Ah")
    position.play("claim")  # 20 and 9 are 20: false
    assert position.points == (35, 20, 20)
    result = position.result
    assert result is not None
    assert (result.winner, result.losers, result.order) == (0, (1, 2), (0,))


def test_fouls() -> None:
    for rules, winner, losers in (
        ("classic", 1, ()),
        ("classic[foul=match_pot]", None, (0,)),
        ("classic[players=3]", None, (0,)),
        ("classic[players=4,pairs=yes]", 1, ()),
    ):
        position = Position.from_text(ref.deal(random.Random(7), rules))
        told = str(position)
        position.report_foul(0)
        result = position.result
        assert result is not None
        assert (result.winner, result.reason, result.losers) == (winner, "foul", losers)
        with pytest.raises(IllegalMoveError, match="the hand is over"):
            position.report_foul(1)
        position.undo()
        assert str(position) == told
        for seat in (-1, 4, True, "0"):
            with pytest.raises(InputError, match="no such seat"):
                position.report_foul(seat)  # type: ignore[arg-type]


def challenged(switches: str, hands: str) -> str:
    """A line of these hands, all other cards lying open in the first pile."""
    rest = deck_mask(36) & ~cards_mask(hands.replace("/", ""))
    piles = "/".join([cards_text(rest)] + ["-"] * hands.count("/"))
    return f"classic[{switches}closed_challenge=yes] h {hands} - {piles} 0 -"


def test_the_loser_of_a_closed_trick_says_that_it_holds_a_bura() -> None:
    # On sight the three trumps win before they can be discarded.
    position = Position.from_text(challenged("", "AsKsTs/7h8h9h"))
    assert position.result is not None
    position = Position.from_text(challenged("bura=none,", "AsKsTs/7h8h9h"))
    position.play("AsKsTs")
    position.play("(7h8h9h)")
    assert [(seat, str(call)) for seat, call in position.calls()] == [(1, "challenge")]
    assert "trick=AsTsKs9h8h7h" in str(position)
    again = Position.from_text(str(position))
    assert again == position
    assert again.calls() == position.calls()
    again = pickle.loads(pickle.dumps(position))
    position.play("challenge")
    assert position.result is not None
    assert (position.result.winner, position.result.reason) == (1, "challenge")
    again.play("pass")
    assert again.result is not None
    assert again.result.reason == "no_winner"


def test_a_false_challenge_loses() -> None:
    line = challenged("players=3,bura=none,", "AsKsTs/7h8h9d/6h7s8s")
    for seat, challenge in ((1, "challenge:1"), (2, "challenge:2")):
        position = Position.from_text(line)
        position.play("AsKsTs")
        position.play("(7h8h9d)")
        position.play("(6h7s8s)")
        assert [str(call) for _, call in position.calls()] == ["challenge:1", "challenge:2"]
        position.play(challenge)
        # Three trumps lie in it, whoever discarded them.
        assert position.result is not None
        assert (position.result.winner, position.result.reason) == (seat, "challenge")
    position = Position.from_text(challenged("players=3,bura=none,", "AsKsTs/7h8h9d/6d7s8s"))
    for move in ("AsKsTs", "(7h8h9d)", "(6d7s8s)", "challenge:2"):
        position.play(move)
    assert position.result is not None
    assert (position.result.winner, position.result.losers) == (None, (2,))


def test_points_do_not_tell_what_a_trick_held() -> None:
    position = Position.from_text("classic[closed_challenge=yes] h As/Ks - 20/20 0 -")
    position.play("As")
    position.play("(Ks)")
    assert position.calls() == []


STOPPED = "classic[stop_window={}] h AsKs7c/QdJd9d 6s7s 20/20 0 -"


def test_a_lead_called_off_goes_back_to_the_hand() -> None:
    position = Position.from_text(STOPPED.format("after_lead_returned"))
    assert position.calls() == []  # not before the lead
    position.play("7c")
    assert [(seat, str(call)) for seat, call in position.calls()] == [(1, "stop:QdJd9d")]
    position.play("stop:QdJd9d")
    assert position.hands[0] == cards_mask("AsKs7c")
    assert position.turn == 0
    assert position.calls() == []
    assert str(position).endswith("0 1:QdJd9d stopped=1") is False
    assert str(position).endswith("0 1:QdJd9d stopped=0")


def test_a_lead_called_off_has_to_be_part_of_the_answer() -> None:
    line = "burkozel[stop_window=after_lead_stays] h AsTsKs7c/AhAdAc9d 6s7s 20/20 0 -"
    position = Position.from_text(line)
    position.play("AsTs")
    position.play("stop:AhAdAc")
    assert "held=AsTs" in str(position)
    assert {str(move) for move in position.legal_moves()} == {"(AsTsKs)", "(AsTs7c)"}
    with pytest.raises(IllegalMoveError, match="AsTs, has to be part of the answer"):
        position.play("(AsKs7c)")


def test_a_lead_of_more_cards_than_the_call_gives_the_whole_answer() -> None:
    rules = "stop_window=after_lead_stays,precedence=bura>four_aces>three_aces>molodka"
    line = f"burkozel[{rules}] h AsTsKs7s/AhAdAc9d 6s7d 20/20 0 -"
    position = Position.from_text(line)
    position.play("AsTsKs7s")
    position.play("stop:AhAdAc")
    assert {str(move) for move in position.legal_moves()} == {
        "(AsTsKs)", "(AsTs7s)", "(AsKs7s)", "(TsKs7s)",
    }  # fmt: skip


def test_short_talon_is_set_aside_or_drawn_out() -> None:
    """Five players, 36 cards: one card stays in the end (S4), or one draws it (burkozel)."""
    for switch, drawn in (("set_aside", 0), ("draw_out", 1)):
        line = ref.deal(random.Random(1), f"classic[players=5,bura=none,short_talon={switch}]")
        position = Position.from_text(line)
        while len(position.talon) > 1:
            position.play(next(m for m in position.legal_moves() if m.kind != "claim"))
        before = position.talon
        while position.result is None and position.talon == before and any(position.hands):
            position.play(next(m for m in position.legal_moves() if m.kind != "claim"))
        assert len(position.talon) == 1 - drawn


def test_the_last_card_of_an_uneven_hand_is_played_alone() -> None:
    position = Position.from_text("three_vs_four h As/Ks7c - 20/20 1 -")
    position.play("7c")
    position.play("(As)")
    assert (position.turn, position.points) == (1, (20, 31))
    position.play("Ks")  # nobody is left to answer
    assert position.points == (20, 35)
    assert position.result is None
    position.play("claim")
    assert position.result is not None
    assert position.result.winner == 1


# --- perft -------------------------------------------------------------------------------------


def golden() -> list[tuple[str, dict[int, int]]]:
    found = []
    page = (Path(__file__).parent / "data" / "perft_seats.txt").read_text("utf-8")
    for line in page.splitlines():
        if line and not line.startswith("#"):
            position, _, counts = line.partition(" ; ")
            pairs = (pair.split("=") for pair in counts.split())
            found.append((position, {int(depth): int(count) for depth, count in pairs}))
    return found


def test_perft_counts() -> None:
    lines = golden()
    assert len(lines) > 100
    for line, counts in lines:
        position = Position.from_text(line)
        hand = ref.load(line)
        for depth, count in counts.items():
            assert position.perft(depth) == count, (line, depth)
            if count <= 1500:
                assert ref.perft(hand, depth) == count, (line, depth)
        # The shares of the first moves make the whole.
        assert sum(position.divide(2).values()) == counts[2], line
        assert str(position) == line
