"""Whole matches by random play: every preset at every table, every scoring, kept in two books.

The second book is kept here, by hand from the rules of RULES §7, and shares nothing with
`bura_core.match`.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

import make_records
from bura_core import PRESETS, IllegalMoveError, InputError, Move, Position, RuleSet
from bura_core.match import (
    HandOutcome,
    MatchState,
    dealt_combination,
    replay_match,
    settle_hand,
    unclaimed,
)
from bura_core.record import HandRecord, read_records, record_hand, write_record
from scale import scaled
from test_seats import PAIRED, SEATED

SCORINGS = [
    f"{table}scoring={scoring},match_to={to},raises={raises}]"
    for table in ("classic[", "classic[players=3,", "classic[players=4,pairs=yes,")
    for scoring, to in (("points_match", 7), ("robber", 11), ("penalty_12", 12),
                        ("balls_12", 12), ("burkozel_12", 12), ("pot", 0))
    for raises in ("none", "dave", "ladder")
]  # fmt: skip
MOST_HANDS = 40


class Book:
    """Who stands how, in a second hand."""

    def __init__(self, rules: RuleSet, dealer: int, ante: int) -> None:
        self.rules, self.ante = rules, ante
        self.sides = 2 if rules.pairs else rules.players
        self.score = [0] * self.sides
        self.dealer = dealer
        self.purses = [0] * rules.players
        self.pot = 0
        self.bare_hand_played = False
        if rules.scoring == "pot":
            self.all_pay()

    def all_pay(self) -> None:
        for seat in range(self.rules.players):
            self.purses[seat] -= self.ante
            self.pot += self.ante

    def side(self, seat: int) -> int:
        return seat % self.sides

    def is_bare(self) -> bool:
        """Whether the coming hand is the first with a side one point short."""
        return (
            self.rules.scoring == "points_match"
            and not self.bare_hand_played
            and max(self.score) >= self.rules.match_to - 1
        )

    def write(self, position: Position, tricks: list[int]) -> None:
        rules, result = self.rules, position.result
        assert result is not None
        if result.reason == "void":
            return
        bare = self.is_bare()
        offender = result.losers[0] if result.reason == "false_claim" and result.losers else None
        if result.reason == "false_claim" and result.winner is not None and self.sides == 2:
            offender = 1 - self.side(result.winner)
        winners = [] if result.winner is None else [self.side(result.winner)]
        if not winners and offender is not None and result.reason == "false_claim":
            winners = [s for s in range(self.sides) if s != offender]
        taken = [0] * self.sides
        points = [0] * self.sides
        for seat in range(rules.players):
            taken[self.side(seat)] += tricks[seat]
            points[self.side(seat)] += position.points[seat]
        if rules.scoring == "pot":
            self.write_pot(result.reason, winners, offender, result.stake)
        elif rules.scoring == "balls_12":
            for side in range(self.sides):
                held = points[side]
                balls = 6 if held == 0 else 4 if held < 31 else 2 if held < 60 else 0
                self.score[side] += balls * result.stake
        elif rules.scoring == "penalty_12":
            out = [self.side(seat) for seat in result.order]
            for side in range(self.sides):
                if winners and side not in winners and side not in out:
                    self.score[side] += 2 * result.stake
        else:
            for side in winners:
                others = [s for s in range(self.sides) if s not in winners]
                worth = 1
                if rules.scoring == "burkozel_12":
                    worth = 2
                    if all(points[s] < 31 for s in others):
                        worth = 4
                    if not any(taken[s] for s in others):
                        worth = 6
                elif result.reason == "bura":
                    worth = rules.bura_counts
                self.score[side] += worth * result.stake
        self.bare_hand_played = self.bare_hand_played or bare
        self.pass_the_deal(result.reason, result.winner, offender)

    def write_pot(self, reason: str, winners: list[int], offender: int | None, stake: int) -> None:
        players = self.rules.players
        each = self.pot // players * (stake - 1)
        for seat in range(players):
            self.purses[seat] -= each
            self.pot += each
        if reason == "false_claim":
            assert offender is not None
            # In pairs the claimant pays alone; the caller says who he was.
            self.purses[self.claimant] -= self.pot
            self.pot *= 2
            return
        if winners:
            takers = [seat for seat in range(players) if self.side(seat) == winners[0]]
            for seat in takers:
                self.purses[seat] += self.pot // len(takers)
            self.pot = 0
        self.all_pay()

    claimant = 0

    def pass_the_deal(self, reason: str, winner: int | None, offender: int | None) -> None:
        rules = self.rules
        if rules.scoring == "pot" and reason == "false_claim":
            self.dealer = self.claimant
        elif reason == "no_winner" or (rules.scoring == "pot" and winner is None):
            pass
        elif rules.next_deal == "rotate":
            self.dealer = (self.dealer + 1) % rules.players
        elif winner is not None:
            self.dealer = winner
        elif reason != "draw" and offender is not None:
            self.dealer = offender

    def over(self) -> bool:
        rules, best = self.rules, sorted(self.score)
        if rules.scoring == "pot":
            return False
        if rules.scoring in ("penalty_12", "balls_12"):
            return best[-1] >= rules.match_to
        ahead = best[-1] - best[-2]
        return best[-1] >= rules.match_to and ahead >= (2 if rules.scoring == "robber" else 1)


def hand(rng: random.Random, match: MatchState) -> tuple[Position, list[int], int]:
    """A hand of the match, played to its end: position, tricks by seat, who claimed last."""
    rules = match.rules
    while True:
        line = make_records.deal(rng, str(rules)).split()
        line[5] = str(match.leader)
        position = Position.from_text(" ".join(line))
        name = dealt_combination(rules, position.trump, position.hands)
        if name is None:
            break
        assert match.after(HandOutcome(None, "redeal")) == match  # and nothing has happened
    tricks = [0] * rules.players
    claimant = 0
    claims = rng.random() < 0.8
    while position.result is None:
        while True:
            move = make_records.choose(rng, position, claims=claims)
            if move.kind != "raise" or match.raises_allowed:
                break
        if move.kind == "claim":
            claimant = position.turn
        before = [len(pile.items) for pile in position.text().piles]
        out = position.out
        position.play(move)
        after = [len(pile.items) for pile in position.text().piles]
        for seat in range(rules.players):
            # Whoever leaves lays his hand on his pile, which is no trick.
            if after[seat] > before[seat] and (seat in out or seat not in position.out):
                tricks[seat] += 1
    return position, tricks, claimant


@pytest.mark.parametrize("rules", [*SEATED, *PAIRED, *SCORINGS])
def test_a_match_by_random_play_is_kept_alike_in_two_books(rules: str) -> None:
    rng = random.Random(rules)
    rule_set = RuleSet.parse(rules)
    ante = rng.randrange(1, 500)
    match = MatchState.start(rule_set, dealer=rng.randrange(rule_set.players), ante=ante)
    book = Book(rule_set, match.dealer, ante)
    ends: Counter[str] = Counter()
    for _ in range(scaled(MOST_HANDS)):
        assert match.is_no_raise_hand is book.is_bare()
        position, tricks, book.claimant = hand(rng, match)
        outcome = HandOutcome.of(position, tricks)
        if outcome.reason == "false_claim":
            outcome = HandOutcome(
                outcome.winner, outcome.reason, outcome.stake, outcome.points, outcome.tricks,
                book.claimant, left=outcome.left,
            )  # fmt: skip
        ends[outcome.reason] += 1
        match = match.after(outcome)
        book.write(position, tricks)
        assert list(match.score) == book.score
        assert match.dealer == book.dealer
        assert list(match.money) == book.purses
        assert match.pot == book.pot
        assert sum(match.money) + match.pot == 0  # to the cent
        assert match.finished is book.over()
        if match.finished:
            break
    if rule_set.scoring == "pot":
        stopped = match.stop()
        assert (sum(stopped.money), stopped.pot) == (0, 0)
    assert ends


def recorded(rules: str, seed: int = 0) -> tuple[list[HandRecord], list[MatchState]]:
    """A match by random play: the record of each hand, and the match after it."""
    rng = random.Random(f"{rules} {seed}")
    match = MatchState.start(RuleSet.parse(rules), dealer=rng.randrange(2))
    records, states = [], []
    while not match.finished and len(records) < 12:
        line = make_records.deal(rng, rules).split()
        line[5] = str(match.leader)
        position = Position.from_text(" ".join(line))
        told = {"dealer": match.dealer, "score": match.score_of(0)}
        if dealt_combination(match.rules, position.trump, position.hands) is not None:
            records.append(record_hand(" ".join(line), [], reason="redeal", **told))
            states.append(match)
            continue
        moves: list[Move | str] = []
        while position.result is None:
            move = make_records.choose(rng, position)
            if move.kind == "raise" and not match.raises_allowed:
                continue
            if rng.random() < 0.005:
                moves.append(f"{rng.randrange(match.rules.players)}!looked")
                position.report_foul(int(str(moves[-1])[0]))
                break
            moves.append(move)
            position.play(move)
        record = record_hand(" ".join(line), moves, **told)
        outcome = HandOutcome.of(position)
        last = record.moves[-1].seat if record.moves else None
        if outcome.reason in ("false_claim", "false_challenge"):
            outcome = replace(outcome, false_claim_by=last)
        if outcome.reason == "foul":
            seat, _, kind = str(moves[-1]).partition("!")
            outcome = replace(outcome, fouls=((int(seat), kind),))
        match = match.after(outcome)
        records.append(record)
        states.append(match)
    return records, states


MATCHES = ["georgian3[match_to=3]", "georgian5_pairs[match_to=3]", "classic", "casino[players=4]",
           "bura1[players=3]", "bura2", "burkozel", "moskva", "dave[players=4,pairs=yes]",
           "classic[closed_challenge=yes,foul=match_pot]"]  # fmt: skip


@pytest.mark.parametrize("rules", MATCHES)
def test_a_match_is_replayed_from_its_records(rules: str) -> None:
    records, states = recorded(rules)
    file = io.StringIO()
    for record in records:
        write_record(file, record)
    file.seek(0)
    seen = list(replay_match(read_records(file)))
    assert [record for record, _ in seen] == records
    assert [match for _, match in seen] == states
    # As one seat saw it: the same match, where the piles need not be counted out.
    if RuleSet.parse(rules).scoring not in ("balls_12", "burkozel_12"):
        own = [record.as_seen_by(1) for record in records]
        assert [match.score for _, match in replay_match(own)] == [m.score for m in states]
        assert [match.money for _, match in replay_match(own)] == [m.money for m in states]


def test_the_first_hand_that_does_not_follow_is_named() -> None:
    records, _ = recorded("georgian3[match_to=3]", 4)
    assert len(records) > 2

    def told(number: int, **changes: Any) -> str:
        changed = [*records]
        changed[number] = replace(records[number], **changes)
        with pytest.raises(InputError) as caught:
            list(replay_match(changed))
        return str(caught.value)

    dealer = records[1].dealer
    assert dealer is not None
    assert told(1, dealer=1 - dealer) == (
        f"hand 2, Dealer '{1 - dealer}': seat {dealer} deals; write {dealer}"
    )
    assert "hand 3, Score '9:9/3': it stands" in told(2, score=(9, 9, 3))
    assert "hand 2, Lead" in told(1, lead=1 - records[1].lead)
    assert "hand 2, Rules 'georgian5'" in told(1, rules=RuleSet.parse("georgian5"))
    assert "hand 1, Result" in told(0, reason="draw", winner=None, points=None)
    with pytest.raises(IllegalMoveError, match=f"hand {len(records) + 1}, Score .*is over"):
        list(replay_match([*records, records[0]]))
    with pytest.raises(InputError, match=r"hand 1, Position .*a match is made of whole hands"):
        list(replay_match([record_hand("georgian3 h Th/Ks - 31/20 0 -", ["Th"])]))


def test_a_raise_in_the_hand_without_raises_is_named() -> None:
    line = make_records.deal(random.Random(2), "georgian3[match_to=1]")
    record = record_hand(line, ["raise", "fold"])
    with pytest.raises(IllegalMoveError, match=r"hand 1, trick 1 .*played without raises"):
        list(replay_match([record]))


def test_scorings_that_look_at_piles_want_them_told() -> None:
    records, _ = recorded("bura2")
    with pytest.raises(InputError, match=r"hand 1, Points .*looks at all piles"):
        list(replay_match([record.as_seen_by(0) for record in records if record.moves]))


@pytest.mark.parametrize("name", PRESETS)
def test_sixty_to_sixty_costs_nobody_anything(name: str) -> None:
    """S1: a draw; S0a, S4: nobody wins; five cards and burkozel: a draw; Bura-2: 0 and 0."""
    rules = PRESETS[name]
    points = (60, 60) if rules.players == 2 else (30, 40, 30, 20)
    result = unclaimed(rules, points)
    assert result.winner is None
    assert result.reason == ("no_winner" if rules.unclaimed == "no_winner" else "draw")
    pot = 200 if rules.scoring == "pot" else None
    pays = settle_hand(
        rules, winner=None, points=points, tricks=(3,) * rules.players, reason=result.reason,
        pot=pot,
    )  # fmt: skip
    assert set(pays) == {0}
