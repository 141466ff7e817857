"""Rule sets: the presets, their text, and every reason why one is refused."""

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bura_core.errors import InputError
from bura_core.rule_sets import COMBINATIONS, PRESETS, SUPPORTED, RuleSet

# The table of presets in the project's rules, column by column:
# deck, hand, target, ceiling, discards, claim window, bura, unclaimed, raises, scoring, to.
TABLE = {
    "georgian3": "20 3 31 - closed until_lead on_lead most_points ladder points_match 7",
    "georgian5": "36 5 61 - shown until_lead on_lead most_points ladder points_match 7",
    "georgian5_pairs": "36 5 61 - shown until_lead on_lead most_points ladder points_match 7",
    "classic": "36 3 31 - closed until_lead on_sight no_winner none pot 0",
    "casino": "36 3 31 - closed before_draw on_sight no_winner none pot 0",
    "three_vs_four": "36 3 31 - closed until_lead on_sight no_winner none robber 11",
    "classic_shown": "36 3 31 - shown until_lead on_sight no_winner none robber 21",
    "moskva": "36 3 31 - closed until_lead on_sight no_winner none robber 11",
    "dave": "36 3 31 - closed until_lead on_sight no_winner dave pot 0",
    "five": "36 5 61 - closed until_lead on_sight threshold none robber 11",
    "burkozel": "36 4 61 - closed until_lead on_sight threshold none burkozel_12 12",
    "burkozel_kommersant": "36 4 61 - closed end_of_deck on_sight threshold none burkozel_12 12",
    "bura1": "36 3 31 - closed until_lead on_sight no_winner none robber 11",
    "bura2": "36 3 31 - closed until_lead on_sight no_winner none balls_12 12",
    "perebor": "36 3 31 50 closed until_lead on_sight no_winner none robber 11",
    "no_trump": "36 3 31 - closed until_lead none no_winner none robber 11",
}
# three_aces, three_aces_trump, four_aces, little_moskva, molodka, highest first
COMBOS = {
    "georgian3": "none no none none none",
    "georgian5": "none no none none none",
    "georgian5_pairs": "none no none none none",
    "classic": "lead no none none lead",
    "casino": "lead no none none lead",
    "three_vs_four": "none no none none none",
    "classic_shown": "lead no none none lead",
    "moskva": "win no none sixes lead",
    "dave": "lead no none none lead",
    "five": "none no none none none",
    "burkozel": "lead no lead none lead",
    "burkozel_kommersant": "none no win none none",
    "bura1": "lead yes none none none",
    "bura2": "lead yes none none none",
    "perebor": "lead no none none lead",
    "no_trump": "none no none none lead",
}


def plain(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if type(value) is bool else str(value)


@pytest.mark.parametrize("name", TABLE)
def test_a_preset_has_the_values_of_the_rules_table(name: str) -> None:
    rules = PRESETS[name]
    ceiling = "-" if rules.claim_ceiling is None else str(rules.claim_ceiling)
    columns = [rules.deck, rules.hand, rules.target, ceiling, rules.discards, rules.claim_window]
    columns += [rules.bura, rules.unclaimed, rules.raises, rules.scoring, rules.match_to]
    assert " ".join(map(str, columns)) == TABLE[name]
    combos = [rules.three_aces, rules.three_aces_trump, rules.four_aces, rules.little_moskva]
    assert " ".join(map(plain, [*combos, rules.molodka])) == COMBOS[name]
    assert rules.players == (4 if name == "georgian5_pairs" else 2)
    assert rules.source.startswith("S")


def test_what_only_one_preset_has() -> None:
    def those(key: str, value: object) -> set[str]:
        return {name for name, rules in PRESETS.items() if getattr(rules, key) == value}

    assert set(PRESETS) == set(TABLE)
    assert those("spades_immune", True) == {"five"}
    assert those("trumps", False) == {"no_trump"}
    assert those("compensation", 30) == {"no_trump"}
    assert those("lead_sizes", "one_or_three") == {"burkozel_kommersant"}
    assert those("short_talon", "draw_out") == {"burkozel", "burkozel_kommersant"}
    assert those("bura_counts", 2) == {"moskva"}
    assert those("two_buras", "higher") == {"moskva"}
    assert those("leave_at_target", True) == {"bura1"}
    assert those("redeal_on_dealt_combo", True) == {
        "classic",
        "classic_shown",
        "moskva",
        "dave",
        "perebor",
    }
    assert PRESETS["moskva"].precedence == ("three_aces", "bura", "little_moskva", "molodka")
    assert PRESETS["burkozel"].precedence == ("bura", "four_aces", "molodka", "three_aces")
    assert PRESETS["classic"].precedence == ("bura", "three_aces", "little_moskva", "molodka")
    assert those("pairs", True) == {"georgian5_pairs"}
    assert those("refill_from", "leader") == {"casino"}
    assert those("aces_against_bura", "played_out") == {"casino"}
    assert those("extra_card", 1) == those("open_hands", "1") == {"three_vs_four"}
    assert set(PRESETS) == SUPPORTED


def test_hand_sizes_open_hands_and_sides() -> None:
    uneven = PRESETS["three_vs_four"]
    assert (uneven.hand_sizes, uneven.open_seats, uneven.sides) == ((3, 4), (1,), 2)
    four = RuleSet.parse("classic[players=4,open_hands=0+2]")
    assert (four.hand_sizes, four.open_seats, four.sides) == ((3,) * 4, (0, 2), 4)
    assert PRESETS["georgian5_pairs"].sides == 2
    assert RuleSet.parse("classic[players=3,open_hands=all]").open_seats == (0, 1, 2)
    assert PRESETS["classic"].open_seats == ()


def test_the_presets_are_read_only() -> None:
    with pytest.raises(TypeError):
        PRESETS["mine"] = PRESETS["classic"]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        PRESETS["classic"].hand = 4  # type: ignore[misc]


# ---- text -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLE)
def test_a_preset_is_written_by_its_name(name: str) -> None:
    assert str(PRESETS[name]) == name
    assert RuleSet.parse(name) == PRESETS[name]


@pytest.mark.parametrize(
    "text",
    [
        "georgian3[deck=36]",
        "georgian5[hand=4]",
        "classic[deck=32,discards=shown]",
        "classic[target=41,claim_ceiling=50]",
        "classic[target=41,claim_ceiling=41]",
        "perebor[claim_ceiling=none]",
        "five[spades_immune=no]",
        "burkozel[precedence=four_aces>bura>molodka>three_aces]",
        "classic[players=4,pairs=yes]",
        "no_trump[molodka=none,compensation=0]",
        "georgian3[match_to=11]",
    ],
)
def test_canonical_text_is_written_as_it_was_read(text: str) -> None:
    assert str(RuleSet.parse(text)) == text


def test_switches_are_written_in_field_order_and_only_where_they_differ() -> None:
    rules = RuleSet.parse("classic[discards=shown,hand=3,target=41,raises=none]")
    assert str(rules) == "classic[target=41,discards=shown]"
    assert rules == RuleSet.parse("classic[target=41,discards=shown]")
    assert hash(rules) == hash(RuleSet.parse("classic[target=41,discards=shown]"))
    assert rules != PRESETS["classic"]
    assert rules != "classic[target=41,discards=shown]"


def test_the_values_read() -> None:
    rules = RuleSet.parse(
        "perebor[claim_ceiling=none,trumps=no,bura=none,precedence=molodka>bura"
        ">three_aces,deck=20]"
    )
    assert rules.claim_ceiling is None
    assert rules.trumps is False
    assert rules.precedence == ("molodka", "bura", "three_aces")
    assert rules.deck == 20


def test_who_gets_the_compensation() -> None:
    """S4: who does not lead first; in pairs one of both partners, for they count together."""
    assert RuleSet.parse("no_trump").handicaps(0) == (0, 30)
    assert RuleSet.parse("no_trump[players=3]").handicaps(1) == (30, 0, 30)
    assert RuleSet.parse("no_trump[players=4,pairs=yes]").handicaps(3) == (30, 0, 0, 0)
    assert RuleSet.parse("classic").handicaps(1) == (0, 0)


def test_a_rule_set_survives_pickling() -> None:
    rules = RuleSet.parse("classic[target=41]")
    assert pickle.loads(pickle.dumps(rules)) == rules


CHOICES: dict[str, list[Any]] = {
    "players": [2, 3, 4, 6],
    "pairs": [False, True],
    "deck": [36, 32, 20],
    "hand": [1, 2, 3, 4, 5, 6],
    "target": [1, 31, 61, 120],
    "claim_ceiling": [None, 50, 120],
    "discards": ["closed", "shown"],
    "claim_window": ["before_draw", "until_lead", "own_turn", "end_of_deck"],
    "unclaimed": ["most_points", "no_winner", "threshold"],
    "trumps": [True, False],
    "spades_immune": [False, True],
    "bura": ["none", "on_sight", "on_lead"],
    "two_buras": ["higher", "played_out", "void"],
    "bura_counts": [1, 2],
    "three_aces": ["none", "lead", "win"],
    "three_aces_trump": [False, True],
    "four_aces": ["none", "lead", "win"],
    "little_moskva": ["none", "sixes", "tens"],
    "molodka": ["none", "lead"],
    "aces_against_bura": ["precedence", "played_out"],
    "precedence": [COMBINATIONS, COMBINATIONS[::-1], ("bura",), ("bura", "three_aces")],
    "stop_window": ["before_lead", "after_lead_returned", "after_lead_stays"],
    "redeal_on_dealt_combo": [False, True],
    "lead_sizes": ["any", "one_or_three"],
    "rank_leads": [False, True],
    "refill_from": ["winner", "leader"],
    "short_talon": ["set_aside", "draw_out"],
    "compensation": [0, 1, 30],
    "raises": ["none", "dave", "ladder"],
    "scoring": ["points_match", "robber", "penalty_12", "balls_12", "burkozel_12", "pot"],
    "match_to": [0, 1, 7, 21],
    "leave_at_target": [False, True],
    "extra_card": [None, 0, 1, 3],
    "open_hands": ["none", "all", "0", "1", "0+1", "2+3"],
    "closed_challenge": [False, True],
    "foul": ["lose", "match_pot"],
    "next_deal": ["rotate", "winner"],
    "six_for": ["no_trick", "no_points"],
}
switches = st.fixed_dictionaries(
    {}, optional={key: st.sampled_from(values) for key, values in CHOICES.items()}
)


def test_every_field_is_tried() -> None:
    # Field order is the order of the text; `name` comes first, the hidden text last.
    fields = [f.name for f in dataclasses.fields(RuleSet) if f.init]
    assert fields == ["name", *CHOICES]


@given(name=st.sampled_from(sorted(TABLE)), changed=switches)
def test_text_reads_back_to_the_same_rules(name: str, changed: dict[str, Any]) -> None:
    try:
        rules = PRESETS[name].replace(**changed)
    except InputError:
        return
    for key, value in changed.items():
        assert getattr(rules, key) == value
    back = RuleSet.parse(str(rules))
    assert back == rules
    assert dataclasses.astuple(back) == dataclasses.astuple(rules)
    body = str(rules)[len(name) + 1 : -1]
    named = [item.partition("=")[0] for item in body.split(",")] if body else []
    differ = [k for k in CHOICES if getattr(rules, k) != getattr(PRESETS[name], k)]
    assert named == differ


# ---- refusals ---------------------------------------------------------------------------


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        RuleSet.parse(text)
    assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
    return [f"{fault.field}: {fault}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no preset is named", "georgian3"]),
        ("clasic", ["no such preset", "did you mean classic"]),
        ("Georgian3", ["did you mean georgian3"]),
        ("classic ", ["no such preset", "did you mean classic"]),
        ("classic[extra_card=2]", ["seats 0 to 1", "none or 0 to 1"]),
        ("classic[extra_card=6]", ["not a value", "none or a whole number from 0 to 5"]),
        ("classic[hand=6,extra_card=1]", ["7 cards are more than a hand holds"]),
        ("classic[players=4,hand=5,extra_card=0,deck=20]", ["one of them a card larger"]),
        ("classic[open_hands=2]", ["seats 0 to 1"]),
        ("classic[open_hands=1+0]", ["rising order"]),
        ("classic[players=3,open_hands=0+0]", ["rising order"]),
        ("classic_shown[closed_challenge=yes]", ["no trick is closed"]),
        ("no_trump[closed_challenge=yes]", ["a bura is a hand of trumps"]),
        ("classic[]", ["brackets are empty"]),
        ("classic[target=41", ["not closed"]),
        ("classic[target=41]x", ["follows the closing bracket"]),
        ("classic[target=41]]", ["follows the closing bracket"]),
        ("classic[target]", ["write switch=value"]),
        ("classic[targt=41]", ["no switch 'targt'", "did you mean target"]),
        ("classic[zzz=41]", ["no switch 'zzz'", "known: players, pairs, deck"]),
        ("classic[name=five]", ["no switch 'name'"]),
        ("classic[_text=five]", ["no switch '_text'"]),
        ("classic[target=41,target=41]", ["given twice"]),
        ("classic[target=]", ["from 1 to 120"]),
        ("classic[target=041]", ["from 1 to 120"]),
        ("classic[target=121]", ["target '121'", "from 1 to 120"]),
        ("classic[target=0]", ["from 1 to 120"]),
        ("classic[target=4١]", ["from 1 to 120"]),
        ("classic[deck=35]", ["deck '35'", "36, 32 or 20"]),
        ("classic[hand=7]", ["hand '7'", "from 1 to 6"]),
        ("classic[players=1]", ["from 2 to 6"]),
        ("classic[claim_ceiling=no]", ["none or a whole number from 1 to 120"]),
        ("classic[trumps=none]", ["trumps 'none'", "yes or no"]),
        ("classic[discards=open]", ["discards 'open'", "closed or shown"]),
        ("no_trump[compensation=31]", ["from 0 to 30"]),
        ("classic[precedence=]", ["highest first"]),
        ("classic[precedence=bura>bura>three_aces>molodka]", ["bura is named twice"]),
        ("classic[precedence=bura>moskva>three_aces>molodka]", ["no combination 'moskva'"]),
        ("classic[precedence=bura>three_aces]", ["molodka is played but has no place"]),
        ("classic[deck=20,players=6,hand=4]", ["are 25 cards, the deck has 20", "hand=3"]),
        ("classic[claim_ceiling=30]", ["under the target of 31"]),
        ("classic[compensation=1]", ["without trumps"]),
        ("classic[pairs=yes]", ["pairs need four players"]),
        ("classic[players=3,pairs=yes]", ["pairs need four players"]),
        ("no_trump[spades_immune=yes]", ["no trumps to be immune to"]),
        ("classic[trumps=no]", ["bura is a hand of trumps", "bura=none"]),
        ("bura1[trumps=no,bura=none]", ["one of the aces must be a trump"]),
        ("no_trump[little_moskva=sixes]", ["must be a trump"]),
        ("moskva[deck=32]", ["no sixes", "little_moskva=tens"]),
        ("burkozel[hand=3]", ["a hand of 3 never holds 4 cards"]),
        ("bura1[hand=2]", ["a hand of 2 never holds 3 cards"]),
        ("classic[match_to=3]", ["has no end"]),
        ("perebor[match_to=0]", ["needs an end"]),
    ],
)
def test_one_reason(text: str, words: list[str]) -> None:
    faults = refused(text)
    assert len(faults) == 1
    for word in words:
        assert word in faults[0]


def test_the_deck_holds_every_hand_and_the_turn_up() -> None:
    # 4 * 5 = 20 fits a deck of 20 only if no trump is turned up.
    refused("georgian3[players=4,hand=5]")
    RuleSet.parse("georgian3[players=4,hand=5,trumps=no,bura=none]")
    RuleSet.parse("georgian3[players=3,hand=6]")


def test_what_needs_no_trump_is_played_without() -> None:
    RuleSet.parse("no_trump[little_moskva=tens]")
    RuleSet.parse("no_trump[three_aces=lead]")
    RuleSet.parse("moskva[little_moskva=tens,deck=20]")


def test_every_reason_at_once() -> None:
    faults = refused(
        "five[hand=9,target=90,claim_ceiling=50,trumps=no,foo=1,compensation=5,"
        "pairs=yes,deck=32,deck=20,raises=maybe,four_aces=win]"
    )
    fields = [fault.partition(":")[0] for fault in faults]
    assert sorted(fields) == sorted(
        "hand claim_ceiling spades_immune bura rules pairs deck raises precedence".split()
    )


def test_a_bad_preset_does_not_hide_bad_switches() -> None:
    faults = refused("clasic[foo=1,deck=35")
    assert [fault.partition(":")[0] for fault in faults] == ["rules", "rules", "rules", "deck"]


@given(st.text(max_size=60) | st.text("clasi[]=,>traeghn315", max_size=60))
def test_any_text_gives_rules_or_an_input_error(text: str) -> None:
    try:
        rules = RuleSet.parse(text)
    except InputError as error:
        for fault in error.faults:
            assert fault.problem
            assert fault.remedy
            assert len(str(fault).splitlines()) == 1
    else:
        assert RuleSet.parse(str(rules)) == rules


def test_overlong_text_is_refused_unread() -> None:
    assert "longer than 1000" in refused("classic[" + "target=1," * 1000)[0]


# ---- replace ----------------------------------------------------------------------------


def test_replace_takes_values_and_their_text() -> None:
    classic = PRESETS["classic"]
    assert classic.replace(target=41, discards="shown") == RuleSet.parse(
        "classic[target=41,discards=shown]"
    )
    assert classic.replace(target="41", redeal_on_dealt_combo="no") == RuleSet.parse(
        "classic[target=41,redeal_on_dealt_combo=no]"
    )
    assert PRESETS["perebor"].replace(claim_ceiling=None).claim_ceiling is None
    assert classic.replace() == classic


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"foo": 1}, "rules"),
        ({"name": "five"}, "rules"),
        ({"target": 200}, "target"),
        ({"target": True}, "target"),
        ({"target": 31.0}, "target"),
        ({"trumps": 1}, "trumps"),
        ({"precedence": ["bura", "three_aces", "molodka"]}, "precedence"),
        ({"discards": None}, "discards"),
        ({"claim_ceiling": "fifty"}, "claim_ceiling"),
    ],
)
def test_replace_refuses_what_is_no_value(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        PRESETS["classic"].replace(**changed)
    assert [fault.field for fault in caught.value.faults] == [field]


def test_a_rule_set_made_by_hand_is_checked_too() -> None:
    with pytest.raises(InputError, match="no such preset"):
        RuleSet("mine")
    with pytest.raises(InputError, match="under the target"):
        RuleSet("classic", target=41, claim_ceiling=40)


def test_the_page_on_notations_lists_every_switch_with_its_words() -> None:
    page = (Path(__file__).parents[1] / "docs" / "notations.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for key, values in CHOICES.items():
        (row,) = (r for r in rows if f"`{key}`" in r.split("|")[1] and "=" not in r.split("|")[1])
        if key in ("precedence", "open_hands"):
            continue
        for value in values:
            if isinstance(value, (str, bool)):
                assert f"`{plain(value)}`" in row
    for name in PRESETS:
        assert f"`{name}`" in page
