"""The notations: what is read, what is written, and what every refusal says."""

import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bura_core._rules import Position
from bura_core.errors import Fault, InputError
from bura_core.notation import (
    MAX_LINE,
    Move,
    Pile,
    PileItem,
    Play,
    PositionText,
    check_position,
    format_cards,
    parse_card,
    parse_cards,
    parse_move,
    parse_position,
    parse_zone,
)
from bura_core.rule_sets import RuleSet

ALL_BUT = "6s7s8s9sTsJsQsKs6h7h8h9hThJhQhKhAh6d/7d8d9dTdJdQdKdAd6c(0:7c)(2:TcKc)/8cJcQc"

# Of three seats and more, and of what only some rule sets know.
MORE_SEATS = [
    "georgian5_pairs h x5/AsTdQhKsJs/x5/x5 x15Jh -/-/-/- 1 - stake=2 raiser=2 score=3:5/7",
    f"classic[players=3] h As/9c/Ac - {ALL_BUT} 0 -",
    f"classic[players=3] h As/x1/x1 - {ALL_BUT.replace('(2:TcKc)', 'x2')} 0 - claim=0",
    "classic[players=3] h x2/x2/7h8hJd x26Ah -/-/- 2 0:6s,1:x1",
    "classic[players=4] h -/-/-/Js - 11/10/30/20 3 0:As,1:(Ks),2:(Qs)",
    "bura1[players=3] h -/7s/Ah - 35/20/20 1 - left=0",
    "bura1[players=5] h -/-/-/Ah/9s - 35/20/10/11/0 3 1:7s left=0 lost=2",
    "bura1[players=4,target=11] h -/7s/-/Ah - 35/20/20/11 1 - left=2,0",
    "casino[players=3] h As/Ks/8d - 0/30/20 1 - claim=1 led=0",
    "classic[stop_window=after_lead_returned] h AsKs7c/- 6s7s 20/20 0 1:QdJd9d stopped=0",
    "burkozel[stop_window=after_lead_stays] h AsTsKs7c/9d 6s7s 20/20 0 1:AhAdAc"
    " stopped=0 held=AsTs",
    "three_vs_four h AsTdQh/KsJsAd9c x28Jh -/- 1 -",
    "no_trump[players=3] - x3/AsTdQh/x3 x27 -/-/- 1 - handicap=30/0/30",
    "burkozel[players=5] h 9s/Ts/Js/Qs8c/Ks7c - 0/0/30/20/10 3 -",
]

# Canonical lines.
DEAL = "georgian3 h AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAhJh 0/0 0 -"
VIEW = "georgian3 h x3/KsThTc x9Jh As(Js)/TdAd 1 -"
TABLE = "five d Ah9d6c/KhQhJsTd7c 9c8cTh7d 31/20 1 0:TsAs"
OPEN = "classic_shown s 6h7h9c/6s7s9d 8d8c 40/28 0 - claim=0"
UNTOUCHED = "no_trump - AsTdQh/KsJsAd x30 -/- 0 -"
LINES = [
    DEAL,
    VIEW,
    TABLE,
    OPEN,
    "georgian3 h AsTdQh/x3 x13Jh -/- 0 -",
    f"{DEAL} stake=2 raiser=1 score=3:5/7",
    "georgian3 s -/- - AsTsKsQsJsAhThKh/QhJhAdTdKdQdJdAcTcKcQcJc 1 - claim=1",
    "georgian3[deck=36,hand=4] s x36h/x4 x28 -/- 0 -",
    f"{UNTOUCHED} handicap=0/30",
    f"{UNTOUCHED} handicap=0/0",
    f"{UNTOUCHED} handicap=5/0",
    "georgian3 h AsTdQh/KsJsAd JdJcKcTsAhJh 0/0 0 - handicap=0/10",
    "perebor h AsAhAc/KdQd9s 6d6c 0/0 1 - score=11:12/11",
    "burkozel h Kd/KsQd9sTd 6d6c 0/0 1 0:AsAhAc",
    "classic[claim_window=before_draw] h As/Kd 6d6c 0/0 0 - claim=0",
    "dave h x3/x3 x30 -/- 0 - stake=1024",
    f"{DEAL} stake=6",
    *MORE_SEATS,
]


def faults_of(parse: Callable[[str], Any], text: str) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        parse(text)
    for fault in caught.value.faults:
        assert fault.problem
        assert fault.remedy
        assert len(str(fault).splitlines()) == 1
    return caught.value.faults


# ---- cards ------------------------------------------------------------------------------

ALL = [suit * 9 + rank for suit in range(4) for rank in range(9)]
NAMES = [rank + suit for suit in "shdc" for rank in "6789JQKTA"]


def test_cards_are_numbered_by_suit_and_rank() -> None:
    assert [parse_card(name) for name in NAMES] == ALL
    assert [format_cards([card]) for card in ALL] == NAMES
    assert parse_card("6s") == 0
    assert parse_card("As") == 8
    assert parse_card("6h") == 9
    assert parse_card("Th") == 16
    assert parse_card("Ac") == 35


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("10h", "Th"),
        ("T♥", "Th"),
        ("10♥", "Th"),
        ("10ч", "Th"),
        ("T♥\ufe0f", "Th"),
        ("T♥\ufe0e", "Th"),
        ("Тч", "Ah"),  # the Cyrillic Т is the ace
        ("Т♥", "Ah"),
        ("10б", "Td"),
        ("Кп", "Ks"),
        ("Дт", "Qc"),
        ("Дк", "Qc"),
        ("Вк", "Jc"),
        ("Кк", "Kc"),
        ("Тт", "Ac"),
        ("9ч", "9h"),
        ("6♠", "6s"),
        ("7♦", "7d"),
        ("A♣", "Ac"),
    ],
)
def test_other_spellings_are_read(text: str, canonical: str) -> None:
    assert format_cards([parse_card(text)]) == canonical


def test_spellings_may_change_within_a_list() -> None:
    cards = parse_cards("As10hТчQ♦\ufe0fДт6c10c")
    assert format_cards(cards) == "AsThAhQdQc6cTc"


def test_a_set_is_written_suit_by_suit_and_high_to_low() -> None:
    mask = sum(1 << parse_card(name) for name in ["6c", "Ks", "Ts", "As", "9d", "Jh"])
    assert format_cards(mask) == "AsTsKsJh9d6c"
    assert format_cards(0) == "-"
    assert format_cards((1 << 36) - 1) == "".join(
        rank + suit for suit in "shdc" for rank in "ATKQJ9876"
    )


def test_a_sequence_is_written_in_its_own_order() -> None:
    assert format_cards(parse_cards("6cKsTs")) == "6cKsTs"
    assert format_cards([None, None, 0, None]) == "x26sx1"
    assert format_cards([]) == "-"
    assert parse_cards("-") == ()


@given(st.integers(0, (1 << 36) - 1))
def test_a_set_reads_back(mask: int) -> None:
    assert sum(1 << card for card in parse_cards(format_cards(mask))) == mask


@given(st.lists(st.sampled_from(ALL), unique=True))
def test_a_list_reads_back_in_order(cards: list[int]) -> None:
    assert parse_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize("cards", [-1, 1 << 36, [36], [-1], [0, 99]])
def test_what_is_no_card_is_not_written(cards: Any) -> None:
    with pytest.raises(InputError):
        format_cards(cards)


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        # The Latin T is the ten, the Cyrillic Т the ace: both readings are named.
        ("Тh", "Тh", ["Latin and Cyrillic", "write Th or Тч (Ah)"]),
        ("Tч", "Tч", ["Latin and Cyrillic", "write Th or Тч (Ah)"]),
        ("Tт", "Tт", ["write Tc or Тт (Ac)"]),
        ("Tс", "Tс", ["write Tc or Тт (Ac)"]),  # the Cyrillic es is no suit
        ("Тс", "Тс", ["write Tc or Тт (Ac)"]),
        ("Кh", "Кh", ["write Kh or Кч (Kh)"]),
        ("Kч", "Kч", ["write Kh or Кч (Kh)"]),
        ("Дh", "Дh", ["write Дч (Qh)"]),
        ("Aб", "Aб", ["write Ad"]),
        ("Аd", "Аd", ["write Ad"]),  # a Cyrillic А
        ("А♦", "А♦", ["write Ad"]),
        ("10с", "10с", ["write Tc or 10т (Tc)"]),
        ("as", "as", ["capitals", "write As"]),
        ("AS", "AS", ["capitals", "write As"]),
        ("10H", "10H", ["capitals", "write Th"]),
        ("тч", "тч", ["capitals", "write Ah"]),
        ("hA", "hA", ["suit stands first", "write Ah"]),
        ("♥A", "♥A", ["suit stands first", "write Ah"]),
        ("5h", "5h", ["no deck has this rank"]),
        ("A", "A", ["suit is missing"]),
        ("10", "10", ["suit is missing"]),
        ("1h", "1h", ["not a card"]),
        ("Ax", "Ax", ["not a card"]),
        ("x", "x", ["how many unknown cards", "as in x3"]),
        ("х3", "х3", ["the letter is Cyrillic", "Latin x"]),
        ("T♡", "T♡", ["not a card"]),
        ("x1", "x1", ["unknown cards"]),
        ("-", "-", ["stands alone"]),
        ("", "", ["empty", "as in Th"]),
        ("  ", "  ", ["empty"]),
        ("AsTs", "AsTs", ["2 cards", "write one"]),
        ("A\u200bs", "\u200b", ["U+200B", "zero width space", "leave it out"]),
        ("A" * (MAX_LINE + 1), "A" * (MAX_LINE + 1), [f"longer than {MAX_LINE}"]),
    ],
)
def test_what_is_no_card_is_refused(text: str, value: str, words: list[str]) -> None:
    (fault,) = faults_of(parse_card, text)
    assert (fault.field, fault.value) == ("card", value)
    for word in words:
        assert word in str(fault)


def test_every_fault_of_a_list_is_told() -> None:
    faults = faults_of(parse_cards, "AsТhKsas5dAs,x3Tч")
    assert [fault.value for fault in faults] == ["Тh", "as", "5d", ",", "x3", "Tч", "As"]


# ---- moves ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "cards"),
    [
        ("TsJs", "play", "TsJs"),
        ("(7s8d)", "discard", "7s8d"),
        ("stop:KdQdJd", "stop", "KdQdJd"),
        ("claim", "claim", "-"),
        ("raise", "raise", "-"),
        ("accept", "accept", "-"),
        ("fold", "fold", "-"),
        ("pass", "pass", "-"),
    ],
)
def test_moves(text: str, kind: str, cards: str) -> None:
    move = parse_move(text)
    assert move.kind == kind
    assert move.cards == sum(1 << card for card in parse_cards(cards))
    assert str(move) == text


def test_the_order_of_a_moves_cards_does_not_matter() -> None:
    assert parse_move("JsTs") == parse_move("10sВп") == Move("play", 1 << 4 | 1 << 7)
    assert str(parse_move("stop:JdQdKd")) == "stop:KdQdJd"


@given(st.sampled_from(["play", "discard", "stop"]), st.integers(1, (1 << 36) - 1))
def test_a_move_reads_back(kind: str, cards: int) -> None:
    move = Move(kind, cards)
    assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cliam", ["did you mean claim?"]),
        ("Claim", ["did you mean claim?"]),
        ("claim ", ["did you mean claim?"]),
        ("stop", ["did you mean stop:KdQdJd?"]),
        ("stop KdQdJd", ["did you mean stop:KdQdJd?"]),
        ("Stop:KdQdJd", ["did you mean stop:KdQdJd?"]),
        ("stop:", ["no cards are named"]),
        ("()", ["no cards are named"]),
        ("-", ["no cards are named"]),
        ("", ["empty", "stop:KdQdJd"]),
        ("(7s8d", ["not closed"]),
        ("7s8d)", ["bracket out of place"]),
        ("((7s))", ["bracket out of place"]),
        ("7s(8d)", ["bracket out of place"]),
        ("7s 8d", ["without separators"]),
        ("x2", ["unknown cards"]),
        ("AsAs", ["given twice"]),
        ("Тh", ["Th or Тч (Ah)"]),
        ("stop:claim", ["not a card"]),
        ("1:As", ["not a card"]),
        ("hello", ["not a card"]),
    ],
)
def test_what_is_no_move_is_refused(text: str, words: list[str]) -> None:
    faults = faults_of(parse_move, text)
    assert {fault.field for fault in faults} == {"move"}
    for word in words:
        assert any(word in str(fault) for fault in faults), list(map(str, faults))


# ---- positions: reading and writing -----------------------------------------------------


@pytest.mark.parametrize("line", LINES)
def test_a_canonical_line_is_written_as_it_was_read(line: str) -> None:
    assert str(parse_position(line)) == line


def test_the_parts_of_a_line() -> None:
    position = parse_position(VIEW + " stake=2 raiser=0 score=3:5/7 claim=1 handicap=4/0")
    assert position == PositionText(
        rules=RuleSet.parse("georgian3"),
        trump=1,
        hands=((None, None, None), parse_cards("KsThTc")),
        talon=(None,) * 9 + (parse_card("Jh"),),
        piles=(
            Pile((PileItem(parse_card("As"), False), PileItem(parse_card("Js"), True)), None),
            Pile((PileItem(parse_card("Td"), False), PileItem(parse_card("Ad"), False)), None),
        ),
        turn=1,
        table=(),
        stake=2,
        raiser=0,
        score=(3, 5, 7),
        claim=1,
        handicap=(4, 0),
    )
    assert position.has_unknown
    table = parse_position(TABLE)
    assert table.table == (Play(0, parse_cards("TsAs"), False),)
    assert [pile.points for pile in table.piles] == [31, 20]
    assert not table.has_unknown


def test_unknown_cards_are_found_wherever_they_lie() -> None:
    known = parse_position(DEAL)
    assert not known.has_unknown
    assert replace(known, hands=((None,) * 3, known.hands[1])).has_unknown
    assert replace(known, talon=(*known.talon[:-1], None)).has_unknown
    assert replace(known, piles=(Pile((), 0), Pile((PileItem(None, True),), None))).has_unknown


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        (DEAL.replace(" h ", " ♥ "), DEAL),
        (DEAL.replace(" h ", " ♥\ufe0f "), DEAL),
        (DEAL.replace(" h ", " ч "), DEAL),
        (DEAL.replace("AsTdQh", "Тп10бДч"), DEAL),
        (f"  {DEAL.replace(' ', '   ')} \r\n", DEAL),
        (VIEW.replace("x3/", "x1x2/"), VIEW),
        (VIEW + " stake=1 handicap=0/0", VIEW),
        (VIEW + " score=3:5/7 raiser=0 stake=2", VIEW + " stake=2 raiser=0 score=3:5/7"),
        (
            "georgian3 h x3/KsThTc x7Jh AsTs(Js)(Jd)/TdAd 1 -",
            "georgian3 h x3/KsThTc x7Jh AsTs(JsJd)/TdAd 1 -",
        ),
        ("georgian3[hand=3,deck=20] h x3/KsThTc x9Jh As(Js)/TdAd 1 -", VIEW),
        # The seat that does not lead first gets the compensation, unless told otherwise.
        (UNTOUCHED, f"{UNTOUCHED} handicap=0/30"),
        (
            "no_trump[compensation=7] - AsTdQh/KsJsAd x30 -/- 1 -",
            "no_trump[compensation=7] - AsTdQh/KsJsAd x30 -/- 1 - handicap=7/0",
        ),
    ],
)
def test_other_spellings_of_a_line(line: str, canonical: str) -> None:
    assert str(parse_position(line)) == canonical


def test_compensation_is_given_on_an_untouched_deal_only() -> None:
    assert parse_position(UNTOUCHED).handicap == (0, 30)
    later = "no_trump - AsTdQh/KsJsAd x28 6c7c/- 0 -"
    assert parse_position(later).handicap == (0, 0)
    answer = "no_trump - TdQh/KsJsAd x30 -/- 1 0:As"
    assert parse_position(answer).handicap == (0, 0)
    assert parse_position(DEAL).handicap == (0, 0)


def test_a_number_of_unknown_cards_ends_where_a_card_begins() -> None:
    line = "classic h {}/x3 x30 -/- 0 -"
    assert parse_position(line.format("x26h")).hands[0] == (None, None, parse_card("6h"))
    assert parse_position(line.format("x210h")).hands[0] == (None, None, parse_card("Th"))
    assert parse_position(line.format("6hx2")).hands[0] == (parse_card("6h"), None, None)
    talon = parse_position("classic h AsTdQh/x3 x286h7h -/- 0 -").talon
    assert talon == (None,) * 28 + parse_cards("6h7h")
    talon = parse_position("classic h AsTdQh/x3 x2810h7h -/- 0 -").talon
    assert talon == (None,) * 28 + parse_cards("Th7h")


# Rule sets that the positions below are drawn under.
RULES = [
    "georgian3",
    "georgian3[deck=36]",
    "georgian5",
    "georgian5[hand=4]",
    "classic",
    "classic[deck=32,discards=shown]",
    "classic_shown",
    "five",
    "burkozel",
    "perebor",
    "no_trump",
    "dave",
    "georgian3[hand=6,raises=none]",
]


@st.composite
def positions(draw: st.DrawFn) -> PositionText:
    """A position as play can leave it."""
    rules = RuleSet.parse(draw(st.sampled_from(RULES)))
    low = {36: 0, 32: 1, 20: 4}[rules.deck]
    deck = [suit * 9 + rank for suit in range(4) for rank in range(low, 9)]
    draw(st.randoms(use_true_random=False)).shuffle(deck)
    turn = draw(st.integers(0, 1))
    talon_size = 2 * draw(st.integers(0, rules.deck // 2 - rules.hand))
    size = rules.hand if talon_size else draw(st.integers(0, rules.hand))
    hands = [deck[:size], deck[size : 2 * size]]
    talon = deck[2 * size : 2 * size + talon_size]
    taken = deck[2 * size + talon_size :]
    cut = 2 * draw(st.integers(0, len(taken) // 2))
    pile_cards = [taken[:cut], taken[cut:]]

    table: tuple[Play, ...] = ()
    if size and draw(st.booleans()):
        # A lead of one suit that the other seat is to answer.
        leader = 1 - turn
        suit = [card for card in hands[leader] if card // 9 == hands[leader][0] // 9]
        lead = tuple(suit[: draw(st.integers(1, len(suit)))])
        hands[leader] = [card for card in hands[leader] if card not in lead]
        table = (Play(leader, lead, False),)

    kind = draw(st.sampled_from(["known", "bare", "view"]))
    flags = st.lists(st.booleans(), min_size=36, max_size=36)

    def seen(cards: list[int]) -> tuple[int | None, ...]:
        if kind != "view":
            return tuple(cards)
        return tuple(
            None if unseen else card for card, unseen in zip(cards, draw(flags), strict=False)
        )

    piles = []
    for cards in pile_cards:
        if kind == "bare":
            values = [0, 0, 0, 0, 2, 3, 4, 10, 11]
            piles.append(Pile((), sum(values[card % 9] for card in cards)))
            continue
        closed = 0
        items = []
        for card, flag, unseen in zip(cards, draw(flags), draw(flags), strict=False):
            down = flag and rules.discards == "closed" and 2 * closed + 2 <= len(cards)
            closed += down
            items.append(PileItem(None if down and unseen and kind == "view" else card, down))
        piles.append(Pile(tuple(items), None))

    position = PositionText(
        rules=rules,
        trump=draw(st.integers(0, 3)) if rules.trumps else None,
        hands=(seen(hands[0]), seen(hands[1])),
        talon=seen(talon),
        piles=tuple(piles),
        turn=turn,
        table=table,
        handicap=(draw(st.sampled_from([0, 0, 7])), draw(st.sampled_from([0, 0, 30]))),
    )
    if rules.raises != "none" and draw(st.booleans()):
        position = replace(position, stake=draw(st.sampled_from([2, 4])))
        position = replace(position, raiser=draw(st.sampled_from([None, 0, 1])))
    if rules.scoring != "pot" and draw(st.booleans()):
        position = replace(position, score=(draw(st.integers(0, 6)), draw(st.integers(0, 6)), 7))
    if not table and pile_cards[turn] and draw(st.booleans()):
        position = replace(position, claim=turn)
    return position


@given(positions())
def test_a_position_reads_back(position: PositionText) -> None:
    assert check_position(position) == []
    line = str(position)
    assert parse_position(line) == position
    assert str(parse_position(line)) == line


# ---- positions: refusals ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # empty, long, unprintable
        ("", ["position: empty"]),
        ("   \n", ["position: empty"]),
        ("x" * (MAX_LINE + 1), ["position: longer than 2000"]),
        (DEAL.replace(" h", "\th"), ["position: U+0009"]),
        (DEAL.replace(" h ", "\nh\n"), ["position: U+000A"]),
        (DEAL + "\x00", ["position: U+0000"]),
        (DEAL.replace(" h", "\u00a0h"), ["position: U+00A0, no-break space"]),
        ("\ufeff" + DEAL, ["position: U+FEFF"]),
        ("\u200b", ["position: U+200B"]),
        (DEAL.replace("AsTd", "As\ud800Td"), ["position: U+D800"]),
        # too few and too many fields
        ("georgian3", ["position: 1 of its 7 fields"]),
        (DEAL.rpartition(" ")[0], ["position: 6 of its 7 fields"]),
        ("georgian9 q", ["rules: no such preset", "trump: not a suit", "position: 2 of its"]),
        (
            "georgian3 h AsTdQh/KsJsAd stake=0x foo=1",
            ["position: 3 of its 7", "stake: not a value", "position: no such option"],
        ),
        (DEAL + " -", ["position: one field too many"]),
        (DEAL + " claim", ["position: one field too many"]),
        # rules and trump
        (DEAL.replace("georgian3", "georgian4"), ["rules: did you mean georgian"]),
        (DEAL.replace("georgian3", "georgian3[hand=9]"), ["rules.hand: from 1 to 6"]),
        (
            DEAL.replace("georgian3", "georgian3[players=3]"),
            ["hands: 2 hands for 3 players", "piles: 2 piles for 3 players"],
        ),
        (DEAL.replace(" h ", " x "), ["trump: not a suit"]),
        (DEAL.replace(" h ", " H "), ["trump: not a suit"]),
        (DEAL.replace(" h ", " с "), ["trump: Cyrillic"]),
        (DEAL.replace(" h ", " - "), ["trump: these rules have trumps"]),
        (UNTOUCHED.replace(" - A", " h A"), ["trump: have no trumps"]),
        # cards
        (DEAL.replace("AsTd", "АsTd"), ["hands[0]: write As"]),
        (DEAL.replace("Jh 0", "Jс 0"), ["talon: write Jc"]),
        (DEAL.replace("Ac", "Ах"), ["talon: not a card"]),
        (DEAL.replace("AsTd", "6sTd"), ["hands[0]: not in the deck of 20; its lowest rank is J"]),
        (
            DEAL.replace("georgian3", "georgian3[deck=32]").replace("AsTd", "6sTd"),
            ["hands[0]: its lowest rank is 7"],
        ),
        (DEAL.replace("AsTd", "KsTd"), ["hands[1]: already in hands[0]"]),
        (DEAL.replace("AsTd", "TdTd"), ["hands[0]: already here"]),
        (DEAL.replace("AcTh", "AsTh"), ["talon: already in hands[0]"]),
        (VIEW.replace("(Js)", "(Ks)"), ["piles[0]: already in hands[1]"]),
        (TABLE.replace("0:TsAs", "0:Ts7c"), ["table[0]: already in hands[1]", "table[0]: suit"]),
        (DEAL.replace("AsTdQh", "AsxQh"), ["hands[0]: not said"]),
        (DEAL.replace("AsTdQh", "Asx0Qh"), ["hands[0]: not said"]),
        (DEAL.replace("AsTdQh", "х3"), ["hands[0]: Latin x"]),
        (DEAL.replace("AsTdQh", "x37"), ["hands[0]: more cards than a deck"]),
        (DEAL.replace("AsTdQh", "x" + "9" * 99), ["hands[0]: more cards than a deck"]),
        (DEAL.replace("AsTdQh", "As-Qh"), ["hands[0]: stands alone"]),
        (DEAL.replace("AsTdQh", "As(Td)Qh"), ["hands[0]: bracket", "hands[0]: bracket"]),
        # seats
        (DEAL.replace("AsTdQh/", ""), ["hands: 1 hand for 2 players"]),
        (DEAL.replace("AsTdQh", "As/Td/Qh"), ["hands: 4 hands for 2 players"]),
        (DEAL.replace("0/0", "0"), ["piles: 1 pile for 2 players"]),
        (DEAL.replace("0/0", "0/0/0"), ["piles: 3 piles for 2 players"]),
        (VIEW.replace("TdAd", ""), ["piles[1]: write '-' for none"]),
        (VIEW.replace("x3/", "/"), ["hands[0]: write '-' for none"]),
        (DEAL.replace(" 0 -", " 2 -"), ["turn: no such seat"]),
        (DEAL.replace(" 0 -", " -1 -"), ["turn: not a seat"]),
        (DEAL.replace(" 0 -", " ١ -"), ["turn: not a seat"]),
        (DEAL.replace(" 0 -", " first -"), ["turn: not a seat"]),
        # sizes
        (VIEW.replace("x9Jh", "x8Jh"), ["talon: 9 cards", "piles: 1 card of the deck of 20"]),
        (VIEW.replace("x3/", "x2/").replace("x9", "x10"), ["hands[0]: 2 cards", "talon: even"]),
        (VIEW.replace("x3/", "x4/").replace("x9", "x8"), ["hands[0]: 4 cards", "talon: even"]),
        ("georgian3 h Th/KsTc - 60/30 1 -", ["hands: 1 and 2 cards"]),
        (
            "georgian3 h ThKhQhAh/KsTcTdJd - 0/0 1 -",
            ["hands[0]: holds 3 at most", "hands[1]: holds 3 at most"],
        ),
        (
            "georgian3 h ThKh/KsTc Jd 0/0 1 -",
            ["hands[0]: filled to 3", "hands[1]: filled to 3", "talon: 1 card"],
        ),
        ("georgian3 h x3/KsThTc x15Jh -/- 1 -", ["position: leave out 2"]),
        (
            "classic[claim_window=before_draw] h AsKsQs/AdKdQd 6d6c 0/0 0 - claim=0",
            ["hands[0]: 2 at most before the draw", "hands[1]: 2 at most before the draw"],
        ),
        # piles
        (DEAL.replace("0/0", "00/0"), ["piles[0]: leading zeros"]),
        (DEAL.replace("0/0", "1/0"), ["piles[0]: have 0 points in all"]),
        (DEAL.replace("0/0", "٣/0"), ["piles[0]: not a number of points"]),
        (TABLE.replace("31/20", "200/20"), ["piles[0]: points in all"]),
        (TABLE.replace("31/20", "1/20"), ["piles[0]: no set of the cards"]),
        (TABLE.replace("31/20", "1/58"), ["piles[0]: no set of", "piles[1]: no set of"]),
        (TABLE.replace("31/20", "31/29"), ["piles: have 59 points in all"]),
        (VIEW.replace("As(Js)/TdAd", "13/21"), ["piles[0]: list the pile", "piles[1]: list the"]),
        (VIEW.replace("As(Js)", "13"), ["piles[0]: list the pile's cards"]),
        (VIEW.replace("As(Js)", "As()Js"), ["piles[0]: no card in the brackets"]),
        (VIEW.replace("As(Js)", "As(Js"), ["piles[0]: bracket"]),
        (VIEW.replace("As(Js)", "As((Js))"), ["piles[0]: bracket", "piles[0]: bracket"]),
        (VIEW.replace("As(Js)", "As(x1)"), ["piles[0]: unknown cards"]),
        (VIEW.replace("As(Js)", "(AsJs)"), ["piles[0]: 2 of 2 cards face down"]),
        (VIEW.replace("As(Js)", "x2"), ["piles[0]: 2 of 2 cards face down"]),
        (VIEW.replace("x9", "x10").replace("As(Js)", "As"), ["talon: even", "piles[0]: 1 card"]),
        (VIEW.replace("As(Js)", "AsJsKhQh"), ["piles: 2 cards more"]),
        (VIEW.replace("As(Js)", "-"), ["piles: 2 cards of the deck of 20 are nowhere"]),
        (
            OPEN.replace("40/28", "-/-").replace(" claim=0", ""),
            ["piles: add AsTsKsQsJs9s8sAh"],
        ),
        (VIEW.replace("georgian3", "georgian3[discards=shown]"), ["piles[0]: are shown"]),
        (
            VIEW.replace("georgian3", "georgian3[discards=shown]").replace("(Js)", "x1"),
            ["piles[0]: are shown"],
        ),
        # the table
        (TABLE.replace("0:TsAs", "TsAs"), ["table[0]: write seat:cards"]),
        (TABLE.replace("0:TsAs", "0:"), ["table[0]: no cards are named"]),
        (TABLE.replace("0:TsAs", "0:()"), ["table[0]: no cards are named"]),
        (TABLE.replace("0:TsAs", "0:x2"), ["table[0]: unknown cards"]),
        (TABLE.replace("0:TsAs", "0:(TsAs)"), ["table[0]: never face down"]),
        (TABLE.replace("0:TsAs", "0:Ts,As"), ["table[1]: write seat:cards"]),
        (TABLE.replace("0:TsAs", "0:TsAc"), ["table[0]: lead cards of one suit"]),
        (TABLE.replace("0:TsAs", "2:TsAs"), ["table[0]: no such seat", "hands[0]: 3 cards"]),
        (TABLE.replace("1 0:TsAs", "0 0:TsAs"), ["turn: the seat to answer is 1"]),
        (TABLE.replace("1 0:TsAs", "q 0:TsAc"), ["turn: not a seat", "table[0]: one suit"]),
        (TABLE.replace("0:TsAs", "0:Ts"), ["hands[0]: 4 cards"]),
        ("classic h -/KdTd9d - 40/20 1 0:AsAhKs", ["table[0]: one suit, or three aces"]),
        ("bura1 h -/KdTd9d - 40/20 1 0:AsAdAc", ["table[0]: three aces with the trump ace"]),
        ("burkozel h As/KdTd9d7d - 9/0 1 0:KsKhKc", ["table[0]: three aces, or four aces"]),
        ("burkozel_kommersant h 8s9s/9d8d7d6d - 9/0 1 0:7s6s", ["table[0]: one or three cards"]),
        (
            "georgian3 h -/KsJs - 40/20 1 0:AdKdQd",
            ["hands: 3 and 2 cards", "table[0]: more than the other hand holds"],
        ),
        (
            TABLE.replace("0:TsAs", "0:TsAs,1:KcQc").replace("KhQhJsTd7c", "JsTd7c"),
            ["table[1]: write 1:(KcQc) for a discard", "table: the trick is complete"],
        ),
        (
            # Spades are beaten by spades only in `five`.
            TABLE.replace("0:TsAs", "0:TsAs,1:8d6d").replace("KhQhJsTd7c", "JsTd7c"),
            ["table[1]: has to beat the lead", "table: the trick is complete"],
        ),
        (
            TABLE.replace("five", "georgian5[discards=closed]")
            .replace("0:TsAs", "0:TsAs,1:8d6d")
            .replace("KhQhJsTd7c", "JsTd7c"),
            ["table: the trick is complete"],
        ),
        (
            TABLE.replace("0:TsAs", "0:TsAs,1:(Kc)").replace("KhQhJsTd7c", "QhJsTd7c"),
            ["table[1]: 1 card against a lead of 2", "table: the trick is complete"],
        ),
        (
            TABLE.replace("0:TsAs", "0:TsAs,0:(Kc)").replace("Ah9d6c", "9d6c"),
            ["table[1]: seat 1 plays next", "table[1]: 1 card against", "table: complete"],
        ),
        (
            TABLE.replace("five", "georgian5")
            .replace("0:TsAs", "0:TsAs,1:(KcQc)")
            .replace("KhQhJsTd7c", "JsTd7c"),
            ["table[1]: discards are shown", "table: the trick is complete"],
        ),
        # options
        (DEAL + " stack=2", ["position: did you mean stake?"]),
        (DEAL + " [stake=2", ["position: did you mean stake?"]),
        (DEAL + " =", ["position: no such option"]),
        (DEAL + " score=1:2/7 score=1:2/7", ["score: given twice"]),
        (DEAL + " stake=7", ["stake: 1 to 6"]),
        (DEAL + " stake=0", ["stake: 1 to 6"]),
        (DEAL + " stake=", ["stake: not a value"]),
        (DEAL + " stake=-2", ["stake: not a value"]),
        (DEAL + " stake=x raiser=1", ["stake: not a value"]),
        (TABLE + " stake=2", ["stake: no raises"]),
        ("dave h x3/x3 x30 -/- 0 - stake=6", ["stake: doubles"]),
        ("dave h x3/x3 x30 -/- 0 - stake=2048", ["stake: doubles"]),
        (DEAL + " raiser=0", ["raiser: nobody has raised"]),
        (DEAL + " stake=2 raiser=2", ["raiser: no such seat"]),
        (DEAL + " stake=2 raiser=me", ["raiser: not a seat"]),
        (DEAL + " score=3-5/7", ["score: own:other/to"]),
        (DEAL + " score=3:5", ["score: own:other/to"]),
        (DEAL + " score=7:5/7", ["score: match is over"]),
        (DEAL + " score=3:9/7", ["score: match is over"]),
        (OPEN + " score=13:11/11", ["score: match is over"]),
        ("classic h x3/x3 x30 -/- 0 - score=1:2/7", ["score: keeps no score"]),
        (DEAL + " handicap=5", ["handicap: two numbers"]),
        (DEAL + " handicap=0/121", ["handicap: 0 to 120"]),
        (DEAL + " handicap=0/x", ["handicap: by seat"]),
        (OPEN.replace("claim=0", "claim=1"), ["claim: only the seat on turn"]),
        (OPEN.replace("claim=0", "claim=2"), ["claim: no such seat"]),
        (OPEN.replace("claim=0", "claim=yes"), ["claim: not a seat"]),
        (TABLE + " claim=1", ["claim: right to claim is over"]),
        (DEAL + " claim=0", ["claim: not won a trick"]),
        ("georgian3 h AsTdQh/x3 x11Jh -/KsKd 0 - claim=0", ["claim: not won a trick"]),
    ],
)
def test_refusals(line: str, expected: list[str]) -> None:
    faults = faults_of(parse_position, line)
    assert len(faults) == len(expected), list(map(str, faults))
    for fault, wanted in zip(faults, expected, strict=True):
        field, _, words = wanted.partition(": ")
        assert fault.field == field
        assert words in str(fault)


def test_every_fault_of_a_line_at_once() -> None:
    line = "georgian3 q AsTdQh/KsJsAd AcThTcKdKhQsQdQcJdJcKcTsAs7h 0/0 5 - foo=1 stake=9"
    faults = faults_of(parse_position, line)
    assert [(fault.field, fault.value) for fault in faults] == [
        ("trump", "q"),
        ("position", "foo=1"),
        ("turn", "5"),
        ("stake", "9"),
        ("talon", "As"),
        ("talon", "7h"),
    ]


def test_bad_rules_do_not_hide_what_needs_no_rules() -> None:
    line = "clasic h AsAsQh/Ks7-Ad AcThTc -/- 3 0:АsKd bar=2"
    faults = faults_of(parse_position, line)
    assert [(fault.field, fault.value) for fault in faults] == [
        ("rules", "clasic"),
        ("hands[1]", "7-"),
        ("table[0]", "Аs"),
        ("position", "bar=2"),
        ("turn", "3"),
        ("hands[0]", "As"),
    ]


@pytest.mark.parametrize("seed", range(12))
def test_bare_piles_are_two_disjoint_sets_of_what_lies_nowhere_else(seed: int) -> None:
    # Tried against every way to deal the missing cards to the first pile, the second, neither.
    values = {"J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
    deck = [rank + suit for suit in "shdc" for rank in values]
    random.Random(seed).shuffle(deck)
    rest = deck[16:]
    line = "georgian3 h {}/{} {} {{}}/{{}} 0 -".format(
        "".join(deck[:3]), "".join(deck[3:6]), "".join(deck[6:16])
    )
    possible = set()
    for where in itertools.product(range(3), repeat=len(rest)):
        sums = [0, 0, 0]
        for card, place in zip(rest, where, strict=True):
            sums[place] += values[card[0]]
        possible.add((sums[0], sums[1]))
    for two in itertools.product(range(46), repeat=2):
        told: set[str] = set()
        try:
            parse_position(line.format(*two))
        except InputError as error:
            told = {fault.field for fault in error.faults}
        alone = {
            f"piles[{seat}]"
            for seat in (0, 1)
            if all(pair[seat] != two[seat] for pair in possible)
        }
        assert told == (set() if two in possible else alone or {"piles"})


def test_one_bare_pile_is_a_sum_of_what_the_other_leaves() -> None:
    line = "georgian3 h ThKh/KsTc - {}/AsJsTdAd 1 -"
    assert parse_position(line.format(11)).piles[0].points == 11
    for points in (1, 59):  # 58 points are left
        (fault,) = faults_of(parse_position, line.format(points))
        assert fault.field == "piles[0]"
    assert parse_position(line.format(58)).piles[0].points == 58


THREE = "classic[players=3] h AsTs9s/KsQs/7h8hJd x26Ah -/-/- 2 0:6s,1:(6d)"
LEFT = "bura1[players=4,target=11] h -/7s/-/Ah - 35/20/20/11 1 - left=2,0"
STAYS = "burkozel[stop_window=after_lead_stays] h AsTsKs7c/9d 6s7s 20/20 0 1:AhAdAc {}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            THREE,
            ["hands[0]: 4 cards", "position: more cards"],
        ),
        (THREE.replace("AsTs9s", "AsTs").replace("2 0:", "1 0:"), ["turn: seat to answer is 2"]),
        (
            THREE.replace("AsTs9s", "AsTs").replace(",1:", ",2:"),
            ["hands[1]", "hands[2]", "table[1]"],
        ),
        (
            THREE.replace("AsTs9s", "AsTs").replace("1:(6d)", "1:6d"),
            ["table[1]: has to beat the lead"],
        ),
        (
            "classic[players=4] h -/-/-/Js - 11/10/30/20 3 0:As,1:7h,2:6h",
            ["table[2]: has to beat what seat 1 has laid"],
        ),
        ("classic[players=3] h -/-/- - 40/40/40 0 0:As,1:7h,2:8h", ["table: complete", "piles"]),
        ("classic[players=3] h AsKs/7s/8s - 30/30/9 0 -", ["hands: 2, 1, 1 cards"]),
        (
            "classic[players=3] h Ks/7s8s/9sTs - 30/30/9 1 0:AsQs",
            ["hands: 3, 2, 2 cards"],
        ),
        (
            "burkozel[players=3] h -/7s/9sTs - 30/30/9 1 0:AsQs",
            ["table[0]: more than another hand holds"],
        ),
        ("classic[players=3] h x3/x3/x3 x25Ah -/-/- 0 -", ["talon", "piles"]),
        ("classic[players=3] h x3/x3/x3 x23Ah -/-/x3 0 -", ["piles[2]: face down"]),
        ("classic[players=3] h x3/x3/x3 x23Ah -/-/(2:6s7s)8s 0 -", ["piles[2]: not discarded"]),
        ("classic[players=3] h x3/x3/x3 x23Ah -/-/(5:6s)7s8s 0 -", ["piles[2]: seats are 0 to 2"]),
        ("georgian3 h x3/KsThTc x9Jh As(1:Js)/TdAd 1 -", ["piles[0]: goes without saying"]),
        ("classic[players=3] h x3/x3/x3 x23Ah -/-/(1:)7s8s 0 -", ["piles[2]: no card in"]),
        ("classic[players=6] h -/-/-/-/-/- - 59/59/1/0/0/0 0 -", ["piles[2]: makes this sum"]),
        ("classic[players=6] h -/-/-/-/-/- - 59/59/0/0/0/2 0 -", []),
        ("classic[players=6] h -/-/-/-/-/- - 40/40/36/0/0/4 0 -", []),
        ("classic[players=6] h -/-/-/-/-/- - 2/2/2/2/2/0 0 -", ["piles: no 6 sets of"]),
        ("classic[players=3] h -/-/- - 1/0/0 0 -", ["piles[0]: makes this sum"]),
        (LEFT.replace("left=2,0", "left=2"), ["hands: 0, 1, 1 cards"]),
        (LEFT.replace("left=2,0", "left=2,2"), ["hands", "left: twice"]),
        (LEFT.replace("left=2,0", "left=2,1"), ["hands", "hands[1]: out of the hand", "turn"]),
        (LEFT.replace("left=2,0", "left=2,0 lost=3"), ["hands[3]: out of the hand"]),
        (LEFT.replace("left=2,0", "left=x"), ["left: not a list of seats"]),
        (LEFT.replace("left=2,0", "lost=2,0"), ["lost: not ascending"]),
        (LEFT.replace("bura1", "bura2"), ["hands", "left: nobody leaves"]),
        ("bura1 h As/Ks - 20/20 0 - left=0", ["left: nobody leaves"]),
        (f"{OPEN} led=1", ["led: it matters only where"]),
        ("casino[players=3] h As/Ks/8d - 0/30/20 1 - claim=1 led=1", ["led: without saying"]),
        (STAYS.format("stopped=1 held=As"), ["stopped: has the lead", "held"]),
        (STAYS.format("held=As"), ["held: no lead was called off"]),
        (STAYS.format("stopped=0 held=9d"), ["held: not cards of hands[0]"]),
        (STAYS.format("stopped=0 held=Ax"), ["held"]),
        (STAYS.format("").replace("after_lead_stays", "before_lead") + "stopped=0", ["stopped"]),
        ("classic h As/Ks - 20/20 0 - trick=6s", ["trick: know no challenge"]),
        ("classic[closed_challenge=yes] h As/Ks - 20/20 0 - trick=6s", ["trick: piles[0]"]),
        ("classic[players=3] h As/Ks/8d - 0/30/20 1 - handicap=0/30", ["handicap: e.g. 0/0/30"]),
        ("classic[players=3] h As/Ks/8d - 0/30/20 3 - claim=4", ["turn", "claim"]),
    ],
)
def test_refusals_at_larger_tables(line: str, expected: list[str]) -> None:
    if not expected:
        assert str(parse_position(line)) == line
        return
    faults = faults_of(parse_position, line)
    told = [told.partition(": ") for told in expected]
    assert {fault.field for fault in faults} == {field for field, _, _ in told}
    for field, _, words in told:
        assert any(fault.field == field and words in str(fault) for fault in faults), words


@pytest.mark.parametrize("text", ["challenge", "challenge:0", "challenge:5"])
def test_challenges_read_back(text: str) -> None:
    assert str(parse_move(text)) == text
    assert parse_move(text).kind == "challenge"


@pytest.mark.parametrize("text", ["challenge:6", "challenge:", "chalenge", "challenge:12"])
def test_bad_challenges_are_refused(text: str) -> None:
    assert faults_of(parse_move, text)


@given(st.sampled_from(MORE_SEATS), st.data())
def test_a_spoilt_line_of_more_seats_is_read_or_refused(line: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line)))
    width = data.draw(st.integers(0, 3))
    new = data.draw(st.text("AKTQJ6shdcx0123/:,()-= ", max_size=4))
    spoilt = line[:at] + new + line[at + width :]
    try:
        position = parse_position(spoilt)
    except InputError:
        return
    assert parse_position(str(position)) == position
    assert check_position(position) == []
    if not position.has_unknown:
        # What is read can be played: its moves are those of its own text.
        again = Position.from_text(spoilt)
        assert again.legal_moves() == Position.from_text(str(again)).legal_moves()
        assert again.calls() == Position.from_text(str(again)).calls()


@given(st.sampled_from(MORE_SEATS), st.sampled_from([*MORE_SEATS, *LINES]), st.data())
def test_crossed_lines_of_more_seats_are_read_or_refused(
    one: str, two: str, data: st.DataObject
) -> None:
    first, second = one.split(), two.split()
    fields = [data.draw(st.sampled_from(pair)) for pair in zip(first[:7], second[:7], strict=True)]
    line = " ".join([*fields, *data.draw(st.sampled_from([first[7:], second[7:]]))])
    try:
        position = parse_position(line)
    except InputError:
        return
    assert parse_position(str(position)) == position


# ---- any text ---------------------------------------------------------------------------

ALPHABET = "georian3classifvehdAKQJT9876x0123/()-:,=[ ]ТКДВпчбт♥\ufe0f\n\u200b\ud800éсх"


def reads_or_refuses(parse: Callable[[str], Any], text: str) -> None:
    """Whatever the text: an InputError of whole faults, or a value that reads back."""
    try:
        value = parse(text)
    except InputError as error:
        faults = error.faults
    else:
        if isinstance(value, int):
            written = format_cards([value])
        else:
            written = format_cards(value) if isinstance(value, tuple) else str(value)
        assert parse(written) == value
        return
    assert faults
    for fault in faults:
        assert fault.field
        assert fault.problem
        assert fault.remedy
        assert len(str(fault).splitlines()) == 1


@pytest.mark.parametrize("parse", [parse_card, parse_cards, parse_move, parse_position])
@given(text=st.text(max_size=80) | st.text(ALPHABET, max_size=80))
@example(text="x1" * 1000)
@example(text="x" * 2000)
@example(text="x" + "1" * 1999)
@example(text="(" * 2000)
def test_any_text_is_read_or_refused(parse: Callable[[str], Any], text: str) -> None:
    reads_or_refuses(parse, text)


@given(
    st.lists(st.text(ALPHABET, min_size=1, max_size=12), min_size=5, max_size=9),
    st.sampled_from(["georgian3", "classic[discards=shown]", "five", "no_trump"]),
)
def test_any_fields_are_read_or_refused(fields: list[str], rules: str) -> None:
    reads_or_refuses(parse_position, " ".join([rules, "h", *fields]))


@given(positions(), st.data())
def test_a_spoilt_line_is_read_or_refused(position: PositionText, data: st.DataObject) -> None:
    line = str(position)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(line)))
        cut = data.draw(st.integers(0, 3))
        line = line[:at] + data.draw(st.text(ALPHABET, max_size=3)) + line[at + cut :]
    reads_or_refuses(parse_position, line)


@given(st.data(), positions(), positions())
def test_crossed_lines_are_read_or_refused(
    data: st.DataObject, first: PositionText, second: PositionText
) -> None:
    fields = zip(str(first).split()[:7], str(second).split()[:7], strict=True)
    reads_or_refuses(parse_position, " ".join(data.draw(st.sampled_from(two)) for two in fields))


# ---- positions made by hand -------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({}, []),
        ({"turn": 7}, ["turn"]),
        ({"trump": None}, ["trump"]),
        ({"trump": 4}, ["trump"]),
        ({"hands": ((None,) * 3, (0, 1, 99))}, ["hands[1]"]),
        ({"hands": ((None,) * 3,)}, ["hands"]),
        ({"piles": (Pile((), 5), Pile((PileItem(0, False),) * 2, 5))}, ["piles[1]"]),
        ({"piles": (Pile((PileItem(None, False),) * 2, None), Pile((), None))}, ["piles[0]"]),
        ({"table": (Play(1, (), False),)}, ["turn", "table[0]"]),
        ({"claim": 5}, ["claim"]),
        ({"stake": 2, "raiser": -1}, ["raiser"]),
        ({"score": (1, 2, 0)}, ["score"]),
        ({"score": (-1, 2, 7)}, ["score"]),
        ({"stake": -1}, ["stake"]),
        ({"handicap": (0, 0, 0)}, ["handicap"]),
        ({"handicap": (-1, 0)}, ["handicap"]),
        ({"rules": RuleSet.parse("georgian3[players=3]")}, ["hands", "piles"]),
        ({"left": (0,)}, ["left"]),
        ({"lost": (0, 7)}, ["lost", "lost"]),
        ({"led": 1}, ["led"]),
        ({"stopped": 0}, ["stopped"]),
        ({"held": (0,)}, ["held"]),
        ({"trick": (0,)}, ["trick"]),
    ],
)
def test_a_position_made_by_hand_is_checked(changed: dict[str, Any], fields: list[str]) -> None:
    faults = check_position(replace(parse_position(VIEW), **changed))
    assert sorted(fault.field for fault in faults) == sorted(fields)


@pytest.mark.parametrize("points", [(121, 0), (-1, 0), (0, 99999)])
def test_points_of_a_pile_made_by_hand_are_checked(points: tuple[int, int]) -> None:
    piles = (Pile((), points[0]), Pile((), points[1]))
    faults = check_position(replace(parse_position(TABLE), piles=piles))
    assert [fault.field for fault in faults] == [f"piles[{0 if points[0] else 1}]"]


# ---- the page on notations --------------------------------------------------------------

PAGE = (Path(__file__).parents[1] / "docs" / "notations.md").read_text(encoding="utf-8")


def examples() -> list[tuple[str, str, list[str]]]:
    """Function, argument and the fault lines of every refusal the page shows."""
    found = []
    for block in PAGE.split("```")[1::2]:
        call, _, rest = block.strip().partition("\n")
        if call.startswith(">>> "):
            name, _, argument = call[4:].partition("(")
            assert rest.startswith("InputError:\n")
            found.append((name, argument[1:-2], rest.splitlines()[1:]))
    assert len(found) >= 5
    return found


@pytest.mark.parametrize(("name", "argument", "lines"), examples())
def test_the_page_shows_the_errors_as_they_are(name: str, argument: str, lines: list[str]) -> None:
    parse: Callable[[str], Any] = {
        "parse_position": parse_position,
        "parse_move": parse_move,
        "RuleSet.parse": RuleSet.parse,
    }[name]
    with pytest.raises(InputError) as caught:
        parse(argument)
    assert str(caught.value).splitlines() == lines


def test_the_positions_of_the_page_are_canonical() -> None:
    (block,) = (b for b in PAGE.split("```")[1::2] if b.strip().startswith("georgian3"))
    lines = block.split("\n")[1:-1]
    assert len(lines) == 4
    for line in lines:
        assert str(parse_position(line)) == line


def test_the_positions_of_larger_tables_on_the_page_are_canonical() -> None:
    (block,) = (b for b in PAGE.split("```")[1::2] if b.strip().startswith("georgian5_pairs"))
    lines = block.split("\n")[1:-1]
    assert len(lines) == 6
    for line in lines:
        assert str(parse_position(line)) == line


def test_cards_of_which_some_are_unknown() -> None:
    assert parse_zone("Ksx2") == (6, None, None)
    assert parse_zone("x36h") == (None, None, None, 9)
    assert parse_zone("-") == ()
    for text in ("", "x", "x0", "x37", "Kz", "Ks/Th"):
        with pytest.raises(InputError):
            parse_zone(text)
