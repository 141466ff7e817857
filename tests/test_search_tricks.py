"""Every trick of the search, where it is right and where a rule forbids it.

A trick is something the search does not look at because it knows better: an entry of its table
that serves other scores, cards that stand for each other, a lead that nobody can interrupt. Each
is right under some rules only; `Solver.prepare` and `SeatSolver.prepare` say beside each which.
Here a solver is made to leave a trick out where it is right (same answers, more nodes, so it is
used and worth it), and to use it where it is wrong (a wrong answer, so the rule is needed). Where
a trick has no switch, two positions that would share an entry have different values. What is
true is said by `reference` and `reference_seats`, which know no tricks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import reference as ref
import reference_seats as ref_seats
from bura_core import Solver


def truth(line: str) -> int:
    """The value by plain rules, whatever they are."""
    try:
        return ref.value(ref.load(line))
    except (KeyError, NotImplementedError):  # a preset or a switch that it does not know
        hand = ref_seats.load(line)
        return ref_seats.guaranteed(hand, hand.turn)


def forced(*, on: Sequence[str] = (), off: Sequence[str] = ()) -> Solver:
    solver = Solver(table_mb=1)
    solver._force(on=on, off=off)
    return solver


def value(solver: Solver, line: str) -> int:
    solution = solver.solve(line, moves=False, line=False)
    assert solution.value is not None, line
    return solution.value


# --- where a trick is right: the same answers for fewer nodes ----------------------------------

RIGHT = [
    # trick, rules, talon, cards in hand, positions, at least so many times the nodes without it
    ("thresholds", "georgian3[deck=36]", 6, 3, 60, 1.1),
    ("thresholds", "classic", 4, 3, 60, 1.1),
    ("fixed_total", "georgian5", 0, 5, 60, 3.0),
    ("no_draws", "georgian3[deck=36]", 6, 3, 60, 1.2),
    ("merge", "georgian5", 2, 5, 60, 1.02),
    ("merge", "five", 0, 5, 60, 1.02),
    ("needs", "georgian5", 0, 5, 60, 1.01),
    ("keep_high", "five", 0, 5, 60, 1.02),
    ("runs", "georgian3[deck=36]", 6, 3, 120, 1.01),
]


@pytest.mark.parametrize(
    ("trick", "rules", "talon", "hand", "number", "more"),
    RIGHT,
    ids=[f"{case[0]} {case[1]}" for case in RIGHT],
)
def test_a_trick_saves_nodes_and_changes_no_answer(
    trick: str, rules: str, talon: int, hand: int, number: int, more: float
) -> None:
    rng = random.Random(f"right {rules}")
    usual, without = Solver(table_mb=1), forced(off=[trick])
    nodes = [0, 0]
    for _ in range(number):
        line = ref.random_position(rng, rules, talon, hand)
        right = truth(line)
        for i, solver in enumerate((usual, without)):
            solution = solver.solve(line, moves=False, line=False)
            assert solution.value == right, line
            nodes[i] += solution.nodes
    assert nodes[1] >= more * nodes[0], nodes


# --- where a rule forbids it: the answer would be wrong ----------------------------------------

AT_THE_END = "classic[hand=2,three_aces=none,molodka=none,target=50,claim_window=end_of_deck]"
PAIRS = "players=4,pairs=yes,hand=2,three_aces=none"
WRONG = [
    # More points than the ceiling lose, so an entry says nothing of another score.
    ("thresholds", "perebor c AdTdQc/TsAhTh KsAcAsJs 8/29 1 -"),
    ("thresholds", "perebor[target=50,claim_ceiling=60] h 7sJhQs/8sTdAc ThTs 28/46 1 -"),
    (
        "thresholds",
        f"perebor[{PAIRS},target=50,claim_ceiling=60] s KcKh/8s6h/8d6d/AhTc - 40/27/2/22 2 -",
    ),
    # Both can reach 31, so it matters who is first, not who has more in the end.
    ("fixed_total", "georgian3 c AsTsTc/QsAhTh - 65/0 1 -"),
    # Nobody wins without a claim.
    ("fixed_total", "classic[target=61] c Ah8h7h/KsKd7d JsTdQs8c 0/86 1 -"),
    (
        "fixed_total",
        "classic[players=4,pairs=yes,hand=2,three_aces=none,molodka=none,target=61] "
        "c JsJc/QhTc/JdQs/7hKc - 32/22/38/2 2 -",
    ),
    # The handicap makes 150 of 120 points: both can reach 61 of them.
    (
        "fixed_total",
        "no_trump[target=61,unclaimed=most_points,compensation=30] "
        "- TsQhAd/Ah8sQc 8hQd 45/34 1 - handicap=30/0",
    ),
    # Neither may reach 61 of what is left: a win and "no loss" are two questions,
    ("no_draws", "classic[target=61] h Jd6c8c/8hQhQc 9sTc 58/44 0 -"),
    ("needs", "classic[target=61] h Jd6c8c/8hQhQc 9sTc 58/44 0 -"),
    (
        "no_draws",
        "classic[players=4,pairs=yes,hand=2,three_aces=none,molodka=none,target=61] "
        "c KcTd/Jd9c/QhJs/Qs8s - 5/26/46/19 0 -",
    ),
    # and a count that is reached wins nothing as long as there is a talon.
    ("needs", f"{AT_THE_END} h AdTh/Qd6s 8sQhKcJh 22/65 1 -"),
    ("no_draws", f"{AT_THE_END} d KcAd/8h7s 7d8cQcQd 17/82 1 -"),
    # Two nines are a lead, and an eight beside them is not a nine.
    ("merge", "classic[rank_leads=yes,target=60] s 9s8s9h/QcTc6s 6dJc 46/59 0 -"),
    # Three sixes may be called, so a six is kept and the seven given away.
    ("merge", "classic[little_moskva=sixes,target=60] s 6s7s6h/KhQdTd Ad6dTs9c 30/52 1 -"),
    # The same in the search of whole states.
    (
        "merge",
        "classic[stop_window=after_lead_returned,rank_leads=yes,target=60] "
        "s 9s8s9h/Kh8hJd QcAh 48/52 0 -",
    ),
    # Laid open, the lower card beats: whoever must not take the trick gives the higher one.
    ("keep_high", "georgian5 d Ts7sTdQdJc/AsKsJs8s6s - 35/43 0 -"),
    ("keep_high", "classic_shown[target=60] d Ah8hKc/7hJhQc 9cJd 45/53 0 -"),
    # The run is broken by an out-of-turn lead, by aces, by a bura on sight.
    ("runs", "no_trump[target=60] - Ks7cJd/Ts9hQc 7dTdAsAd 29/40 1 -"),
    ("runs", "classic d TsThTd/AsAcTc KhKcAhAd 6/22 0 -"),
    ("runs", "classic[three_aces=none,molodka=none,target=60] d 6d9h9d/AdThJc TdJdQcKc 33/45 1 -"),
    # A bura, or three aces, win before the points are counted.
    ("sum_alone", "georgian5[hand=2] h 6c8c/ThTs AhQh9h9c 26/60 0 -"),
    ("sum_alone", "georgian5[hand=3,three_aces=win] d QdJdKc/As6s8h QcQhAdKd 19/60 0 -"),
    ("sum_alone", "georgian5_pairs[hand=2] s 7cJc/AdKs/6dKd/7dAh Qs9d6cJh 34/3/43/3 3 -"),
]


@pytest.mark.parametrize(("trick", "line"), WRONG, ids=[f"{t} {p.split()[0]}" for t, p in WRONG])
def test_a_trick_that_a_rule_forbids_would_be_wrong(trick: str, line: str) -> None:
    right = truth(line)
    assert value(Solver(table_mb=1), line) == right
    assert value(forced(on=[trick]), line) != right


# --- tricks without a switch: what would share an entry has different values -------------------


def test_wins_and_draws_share_their_entries_where_only_the_sum_counts() -> None:
    """One point less and no loss is the same question as a win; so it is with every score."""
    rng = random.Random("shared kinds")
    compared = 0
    while compared < 60:
        fields = ref.random_position(rng, "georgian5[bura=none]", 0, 4).split(" ")
        points = [int(pile) for pile in fields[4].split("/")]
        turn = int(fields[5])
        if max(points) >= 60 or points[1 - turn] == 0:
            continue
        points[turn] += 1
        points[1 - turn] -= 1
        more = " ".join([*fields[:4], f"{points[0]}/{points[1]}", *fields[5:]])
        assert (truth(more) == 1) == (truth(" ".join(fields)) >= 0), more
        assert value(Solver(table_mb=1), more) == truth(more), more
        compared += 1


def random_deal(rng: random.Random, hands: int, size: int, talon: int) -> tuple[str, str, int]:
    """Hands, a talon and what all other cards are worth."""
    deck = ref.card_list(ref.deck_mask(36))
    rng.shuffle(deck)
    names = [ref.NAMES[card] for card in deck]
    dealt = ["".join(names[size * i : size * (i + 1)]) for i in range(hands)]
    used = hands * size + talon
    rest = sum(ref.VALUE[card] for card in deck[used:])
    return "/".join(dealt), "".join(names[hands * size : used]) or "-", rest


def test_a_handicap_shifts_one_side() -> None:
    """The same piles are worth more to one side, and thresholds are of what they count."""
    rng = random.Random("handicap")
    solver = Solver(table_mb=1)
    differ = 0
    for _ in range(60):
        hands, talon, rest = random_deal(rng, 2, 3, 2)
        own = rng.randrange(rest // 3, rest // 2)
        if rest - own >= 60:
            continue
        line = f"no_trump[target=60] - {hands} {talon} {own}/{rest - own} 0 -"
        values = []
        for shifted in ("", " handicap=15/0", " handicap=0/15"):
            values.append(value(solver, line + shifted))
            assert values[-1] == truth(line + shifted), line + shifted
        differ += values[0] != values[1] or values[0] != values[2]
    assert differ > 5


def test_a_claim_at_ones_own_turn_comes_before_an_answer() -> None:
    """An unbeatable ten is enough for the leader, unless the other may claim to answer it."""
    for window, right in (("until_lead", 1), ("own_turn", -1)):
        line = (
            f"classic[three_aces=none,molodka=none,target=50,claim_window={window}] "
            "s Ts7c6c/8h6d9c - 49/61 0 -"
        )
        hand = ref_seats.load(line)
        assert ref_seats.guaranteed(hand, 0) == right
        assert value(Solver(table_mb=1), line) == right


def test_only_cards_of_no_points_stand_for_each_other() -> None:
    """A hand with the jack in the queen's place is worth another number of points."""
    rng = random.Random("low and high")
    solver = Solver(table_mb=1)
    differ = {"98": 0, "QJ": 0}
    for _ in range(30):
        hands, _, _ = random_deal(rng, 2, 4, 0)
        for pair, count in differ.items():
            upper, lower = (f"{rank}c" for rank in pair)
            if any(card in hands for card in (upper, lower, "6s")):
                continue
            seats = hands.split("/")
            values = []
            for card in (upper, lower):
                fields = f"{seats[0]}{card}/{seats[1]}6s", "-", "0/0", "0", "-"
                line = "georgian5[bura=none] h " + " ".join(fields)
                right = ref.value(ref.load(line), "points")
                assert solver.solve(line, "points", line=False).value == right, line
                values.append(right)
            differ[pair] = count + (len(set(values)) > 1)
    assert differ["98"] == 0
    assert differ["QJ"] > 5


def test_two_immune_suits_are_no_two_side_suits() -> None:
    """The tables of endings sort the side suits. Here that changes who wins, so there is none."""
    line, sorted_otherwise = (
        "five h TsKhJd/AhQh6d - 51/39 0 -",
        "five h TcKhJd/AhQh6d - 51/39 0 -",
    )
    assert truth(line) == 1
    assert truth(sorted_otherwise) == -1
    for each in (line, sorted_otherwise):
        assert value(Solver(table_mb=1), each) == truth(each)


@pytest.mark.parametrize(
    ("rules", "looked_up"),
    [
        ("georgian3[deck=36]", True),
        ("georgian5", True),
        ("five", False),                       # an immune suit
        ("perebor[claim_ceiling=60]", False),  # a ceiling
        ("classic[target=61]", False),         # a race that can end without a winner
    ],
)  # fmt: skip
def test_endings_are_looked_up_only_where_they_do_not_depend_on_more(
    rules: str, looked_up: bool
) -> None:
    rng = random.Random(f"endings {rules}")
    searched = Solver(table_mb=1, endings=False)
    usual = Solver(table_mb=1)
    nodes = [0, 0]
    for _ in range(40):
        line = ref.random_position(rng, rules, 0, 3)
        if line.split(" ")[1] == "s":
            continue  # trumps are not immune
        for i, solver in enumerate((usual, searched)):
            solution = solver.solve(line, moves=False, line=False)
            assert solution.value == truth(line), line
            nodes[i] += solution.nodes
    assert (nodes[0] < nodes[1]) == looked_up, nodes
    assert looked_up or nodes[0] == nodes[1], nodes


def test_face_down_cards_are_part_of_the_key_where_claims_go_by_what_was_seen() -> None:
    """Hands and seen counts are equal, the face-down cards are not, and so are the values."""
    line = (
        "classic c TsThJh/AsQsAc Ah8c KhQc7h6cQdJs({})(9h)6s6d8sJc7c7d/"
        "KdQh({})(Td)6hJd9d8d9cKc9sAdTc7s 0 -"
    )
    solver = Solver(table_mb=1)
    found = []
    for closed in (("8h", "Ks"), ("Ks", "8h")):
        each = line.format(*closed)
        found.append(ref.honest_value(ref.load(each)))
        assert solver.solve(each, seen_claims=True, line=False).value == found[-1]
    assert found == [-1, 1]


def test_face_down_cards_are_left_out_where_all_are_shown() -> None:
    """Then the search by what was seen is the plain one, node for node."""
    rng = random.Random("shown")
    solver = Solver(table_mb=1)
    for _ in range(40):
        line = ref.random_honest_position(rng, "classic_shown", 4, 3)
        plain = solver.solve(line, line=False)
        seen = solver.solve(line, line=False, seen_claims=True)
        assert (seen.value, seen.nodes) == (plain.value, plain.nodes), line
        assert seen.value == ref.honest_value(ref.load(line)), line


def test_single_players_have_no_thresholds() -> None:
    """Each of three may claim, so it matters how the others share their points."""
    rules = "classic[players=3,hand=2,three_aces=none,molodka=none,target=50]"
    rng = random.Random("three")
    solver = Solver(table_mb=1)
    differ = 0
    while differ < 3:
        hands, _, rest = random_deal(rng, 3, 2, 0)
        own = rng.randrange(30, 45)
        half = (rest - own) // 2
        if rest - own - 49 < 0 or half >= 50:
            continue
        values = []
        for others in ((49, rest - own - 49), (half, rest - own - half)):
            line = f"{rules} s {hands} - {own}/{others[0]}/{others[1]} 0 -"
            values.append(value(solver, line))
            assert values[-1] == truth(line), line
        differ += values[0] != values[1]
