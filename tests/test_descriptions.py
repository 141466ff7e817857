"""Rule sets in words: every value of every switch is told, in both languages, and nothing else."""

from __future__ import annotations

import random
import re

import pytest

from bura_core import PRESETS, InputError, RuleSet
from bura_core.rule_sets import COMBINATIONS
from bura_service.descriptions import LANGUAGES, Description, _Teller, describe
from bura_service.rule_words import SOURCES, SWITCHES, TEXTS, TITLES

# For every switch: rules in which it makes a difference, its values, and in each language what
# is told of each. What is told is a part of the text, as a pattern.
THREE = "casino[players=3,"
CASES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "players": (
        "casino[",
        {
            "2": ("Two play against", "Играют двое"),
            "3": ("Three play, each for", "Играют трое, каждый"),
            "4": ("Four play, each for", "Играют четверо, каждый"),
            "5": ("Five play", "Играют пятеро"),
            "6": ("Six play", "Играют шестеро"),
        },
    ),
    "pairs": (
        "casino[players=4,",
        {"yes": ("Four play in pairs", "пара на пару"), "no": ("each for himself", "за себя")},
    ),
    "deck": (
        "georgian3[",
        {
            "36": ("36 cards, from the six .*K Q J 9 8 7 6;", "36 карт, от шестёрки"),
            "32": ("32 cards, from the seven .*K Q J 9 8 7;", "32 карты, от семёрки"),
            "20": ("20 cards, from the jack .*K Q J;", "20 карт, от валета"),
        },
    ),
    "hand": (
        "georgian5[",
        {
            "1": ("dealt one card", "по 1 карте"),
            "2": ("dealt two cards", "по 2 карты"),
            "3": ("dealt three cards", "по 3 карты"),
            "4": ("dealt four cards", "по 4 карты"),
            "5": ("dealt five cards", "по 5 карт"),
            "6": ("dealt six cards", "по 6 карт"),
        },
    ),
    "target": (
        "classic[",
        {str(n): (f"with {n} points or more", f"набрал {n} и больше") for n in range(1, 121)},
    ),
    "claim_ceiling": (
        "classic[",
        {
            "none": ("31 points or more he wins", "31 и больше"),
            **{str(n): (f"with 31 to {n} points", f"от 31 до {n} ") for n in range(31, 121)},
        },
    ),
    "discards": (
        "classic[",
        {
            "closed": ("laid face down, have no strength", "кладут взакрытую"),
            "shown": ("laid face up", "кладут в открытую"),
        },
    ),
    "claim_window": (
        "classic[",
        {
            "before_draw": ("before cards are drawn", "«вар»\\) до добора"),
            "until_lead": ("from then until he leads", "«вар»\\), пока не зашёл"),
            "own_turn": ("whenever it is his turn", "в любой свой ход"),
            "end_of_deck": ("Once the talon is out", "Когда колода кончилась"),
        },
    ),
    "unclaimed": (
        "classic[",
        {
            "most_points": ("most points win", "больше очков; поровну — ничья"),
            "no_winner": ("claimed, nobody wins", "не вскрылся, не выиграл никто"),
            "threshold": ("whoever has 31 points all the same", "у кого 31 и больше, иначе"),
        },
    ),
    "trumps": (
        "classic[bura=none,",
        {
            "yes": ("makes its suit trumps", "её масть — козырь"),
            "no": ("there are no trumps", "Козыри не открываются"),
        },
    ),
    "spades_immune": (
        "five[",
        {
            "yes": ("but a spade by a higher spade only", "пику бьёт лишь старшая пика"),
            "no": ("or by any trump if it is none\\.", "и любой козырь\\."),
        },
    ),
    "bura": (
        "classic[",
        {
            "none": ("has no right of its own", "особых прав не даёт"),
            "on_sight": ("wins the hand as soon as it is held", "сразу выигрывает сдачу"),
            "on_lead": ("when its holder has the lead", "заходит всей рукой в свой ход"),
        },
    ),
    "two_buras": (
        "classic[",
        {
            "higher": ("the one with the higher trump wins", "старше козырь"),
            "played_out": ("Two buras are played out", "Две буры разыгрываются"),
            "void": ("Two buras make the hand void", "При двух бурах сдача не считается"),
        },
    ),
    "bura_counts": (
        "moskva[",
        {
            "1": ("counts as one hand", "за одну выигранную сдачу"),
            "2": ("counts as two hands", "за две выигранные сдачи"),
        },
    ),
    "three_aces": (
        "classic[",
        {
            "none": ("Three aces are no combination", "Три туза — не комбинация"),
            "lead": (
                "Three aces \\(Moskva\\) of any suits may be led out of turn",
                "Тремя тузами \\(«Москва»\\) любых мастей можно зайти вне очереди",
            ),
            "win": ("Three aces .* win the hand", "Три туза .* сразу выигрывают сдачу"),
        },
    ),
    "three_aces_trump": (
        "classic[",
        {"yes": ("one of them a trump", "один козырный"), "no": ("of any suits", "любых мастей")},
    ),
    "four_aces": (
        "burkozel[",
        {
            "none": ("Four aces are no combination", "Четыре туза — не комбинация"),
            "lead": ("Four aces .* may be led", "Четырьмя тузами .* можно зайти вне очереди"),
            "win": ("Four aces .* win the hand", "Четыре туза .* сразу выигрывают"),
        },
    ),
    "little_moskva": (
        "classic[",
        {
            "none": ("Little Moskva is not played", "«Малая Москва» не в счёт"),
            "sixes": ("three sixes with the six of trumps", "тремя шестёрками с козырной"),
            "tens": ("Little Moskva, three tens", "тремя десятками"),
        },
    ),
    "molodka": (
        "classic[",
        {
            "none": ("Molodka .* is an ordinary lead", "Малютка .* — обычный заход"),
            "lead": ("Molodka .* may be led out of turn", "Молодкой .* можно зайти вне очереди"),
        },
    ),
    "aces_against_bura": (
        "casino[",
        {
            "precedence": ("Between a bura and three aces the order", "решает старшинство"),
            "played_out": ("Three aces against a bura are played out", "туза против буры разыгр"),
        },
    ),
    "precedence": (
        "burkozel[little_moskva=tens,",
        {
            "bura>four_aces>molodka>three_aces>little_moskva": (
                "bura, four aces, molodka, three aces, little Moskva",
                "бура, четыре конца, молодка, три туза, малая Москва",
            ),
            "little_moskva>molodka>three_aces>four_aces>bura": (
                "little Moskva, molodka, three aces, four aces, bura",
                "малая Москва, молодка, три туза, четыре конца, бура",
            ),
        },
    ),
    "stop_window": (
        "classic[",
        {
            "before_lead": ("after the draw and before the lead", "после добора и до захода"),
            "after_lead_returned": ("which goes back to its hand", "заход возвращается на руку"),
            "after_lead_stays": ("have to be part of its leader's answer", "войти в ответ"),
        },
    ),
    "redeal_on_dealt_combo": (
        "classic[",
        {
            "yes": ("the deal is void and the same dealer", "сдающий пересдаёт"),
            "no": ("counts like any other", "считается как всякая другая"),
        },
    ),
    "lead_sizes": (
        "burkozel[",
        {
            "any": ("plays one or more cards of one suit", "одной или несколькими картами"),
            "one_or_three": ("plays one card, or three of one suit", "одной картой или тремя"),
        },
    ),
    "rank_leads": (
        "classic[",
        {
            "yes": ("Two or three cards of one rank may be led", "картами одного значения"),
            "no": ("Trick The leader plays one or more [^.]*\\. The other", "Взятка [^.]*\\. Дру"),
        },
    ),
    "refill_from": (
        "classic[",
        {
            "winner": ("the winner of the trick first", "начиная с взявшего взятку"),
            "leader": ("the leader of the trick first", "начиная с того, кто заходил"),
        },
    ),
    "short_talon": (
        "classic[players=5,",
        {
            "set_aside": ("nobody draws any more", "никто больше не добирает"),
            "draw_out": ("drawn to its last card", "Колоду добирают до последней"),
        },
    ),
    "compensation": (
        "no_trump[",
        {
            "0": ("Nothing makes up", "Компенсации за чужой первый ход нет"),
            "1": ("1 point count", "получает 1 очко компенсации"),
            **{str(n): (f" {n} points count", f"получает {n} оч") for n in range(2, 31)},
        },
    ),
    "raises": (
        "classic[",
        {
            "none": ("The stake is not raised", "Ставку не повышают"),
            "dave": ("may say «даве» and offer to double", "может сказать «даве»"),
            "ladder": ("davi 2, se 3, chari 4, panji 5, shashi 6", "дави 2, се 3, чари 4"),
        },
    ),
    "scoring": (
        "bura2[",
        {
            "points_match": ("worth its stake; the match goes to 12", "партия до 12"),
            "robber": ("the match goes to 12 with a lead of two", "роббер до 12, с перевесом"),
            "penalty_12": ("2 penalty points; 12 of them lose", "12 штрафных проигрывают"),
            "balls_12": ("6 for none, 4 under 31, 2 under 60", "12 баллов проигрывают"),
            "burkozel_12": ("2 points, 4 if no opponent has 31", "пишут 2 очка, 4 — если"),
            "pot": ("the winner of the hand takes it", "банк берёт выигравший"),
        },
    ),
    "match_to": (
        "georgian3[",
        {str(n): (f"the match goes to {n}\\.", f"партия до {n}\\.") for n in range(1, 1000)},
    ),
    "leave_at_target": (
        "bura1[players=3,",
        {
            "yes": ("leaves the hand and the rest play on", "Набравший выходит из паса"),
            "no": ("31 points or more he wins the hand", "31 и больше — выиграл сдачу"),
        },
    ),
    "extra_card": (
        "classic[players=6,",
        {
            "none": ("dealt three cards\\. The next card", "по 3 карты\\. Следующую"),
            **{
                str(n): (f"Seat {n} has one card more", f"У игрока {n} на одну карту больше")
                for n in range(6)
            },
        },
    ),
    "open_hands": (
        "classic[players=3,",
        {
            "none": ("seen by their holders alone", "видит только их хозяин"),
            "all": ("All hands lie open", "«открытые на открытые»"),
            "0": ("The hand of seat 0 lies open", "Игрок 0 играет открытыми"),
            "0+2": ("The hands of seats 0 and 2 lie open", "Игроки 0 и 2 играют открытыми"),
        },
    ),
    "closed_challenge": (
        "classic[",
        {
            "yes": ("may say, before the next lead, that it holds a bura", "что в ней бура"),
            "no": ("the winner of the trick first\\. Claims", "с взявшего взятку\\. Вскрытие"),
        },
    ),
    "foul": (
        "classic[",
        {
            "lose": ("looking at closed cards lose the hand", "закрытые карты проигрывают"),
            "match_pot": ("matches the pot, and nobody wins", "доставляют кон, и сдачу"),
        },
    ),
    "next_deal": (
        "classic[",
        {
            "rotate": ("The deal goes round", "Сдают по очереди"),
            "winner": ("The winner of a hand deals", "Следующую сдаёт выигравший"),
        },
    ),
    "six_for": (
        "burkozel[",
        {
            "no_trick": ("6 if no opponent has taken a trick", "не взял ни взятки"),
            "no_points": ("6 if no opponent has taken a point", "не взял ни очка"),
        },
    ),
}  # fmt: skip


def text_of(told: Description, *, without: tuple[str, ...] = ("changes",)) -> str:
    titles = {TITLES[language][key] for language in LANGUAGES for key in without}
    return " ".join(f"{p.title} {p.text}" for p in told.paragraphs if p.title not in titles)


def with_switch(base: str, switch: str, value: str) -> RuleSet:
    extra = ",match_to=0" if (switch, value) == ("scoring", "pot") else ""
    return RuleSet.parse(f"{base}{switch}={value}{extra}]")


def test_no_switch_lacks_a_sentence() -> None:
    switches = PRESETS["classic"].switches()
    assert set(CASES) == set(switches)
    for language in LANGUAGES:
        assert set(SWITCHES[language]) == set(switches)
        assert set(SOURCES[language]) == set(PRESETS)
        assert set(TEXTS[language]) == set(TEXTS["en"])
        assert list(TITLES[language]) == list(TITLES["en"])
        for key, text in TEXTS[language].items():
            fields = set(re.findall(r"\{(\w+)\}", text))
            assert fields == set(re.findall(r"\{(\w+)\}", TEXTS["en"][key])), key


def values_of(switch: str) -> list[str]:
    """Every value of a switch, found out by the rule sets themselves."""
    if switch == "precedence":
        return []  # an order: two of them are told above
    try:
        RuleSet.parse(f"classic[{switch}=?]")
    except InputError as error:
        remedy = next(fault.remedy for fault in error.faults if fault.field == switch)
    if switch == "open_hands":
        return ["none", "all"]
    bounds = re.search(r"from (\d+) to (\d+)", remedy)
    words = ["none"] if "none or" in remedy else []
    if bounds:
        return words + [str(n) for n in range(int(bounds[1]), int(bounds[2]) + 1)]
    return re.split(r", | or ", remedy.removeprefix("use "))


@pytest.mark.parametrize("switch", CASES)
def test_every_value_of_every_switch_is_told_in_every_language(switch: str) -> None:
    base, values = CASES[switch]
    for value in values_of(switch):
        if value not in values:
            # What cannot be told beside these rules, they refuse: a ceiling under the target.
            with pytest.raises(InputError):
                with_switch(base, switch, value)
    for at, language in enumerate(LANGUAGES):
        texts = {}
        for value, said in values.items():
            told = describe(with_switch(base, switch, value), language)
            text = text_of(told)
            # In Georgian it is enough that each value is told in words of its own.
            if language != "ka":
                assert re.search(said[at], text), (value, said[at], text)
            texts[value] = text
        # And each value changes the text.
        assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_switch_that_is_told_of_changes_the_text_of_random_rules(language: str) -> None:
    """Whatever two rule sets are told in the same words, they are to be the same game."""
    rng = random.Random(language)
    idle = {
        # Without these conditions a switch makes no difference, and is not spoken of.
        "two_buras": lambda r: r.bura == "on_sight" and 2 * r.hand <= r.deck // 4,
        "bura_counts": lambda r: (
            r.bura != "none" and r.scoring in ("points_match", "robber")
        ),
        "three_aces_trump": lambda r: r.three_aces != "none",
        "aces_against_bura": lambda r: (
            r.bura == "on_sight" and r.three_aces != "none" and 3 in r.hand_sizes
        ),
        "precedence": lambda r: False,
        "stop_window": lambda r: any(
            getattr(r, name) not in ("none", "win")
            for name in COMBINATIONS if name != "bura"
        ),
        "redeal_on_dealt_combo": lambda r: any(
            getattr(r, name) != "none" for name in COMBINATIONS
        ),
        "short_talon": lambda r: r.players > 2 or r.extra_card is not None,
        "leave_at_target": lambda r: r.sides > 2,
        "six_for": lambda r: r.scoring == "burkozel_12",
        "match_to": lambda r: r.scoring != "pot",
    }  # fmt: skip
    made = 0
    while made < 300:
        name = rng.choice(list(PRESETS))
        switch = rng.choice(list(CASES))
        value = rng.choice(list(CASES[switch][1]))
        players = rng.choice(("", "players=3", "players=4", "players=4,pairs=yes"))
        base = f"{name}[{players}]" if players else name
        try:
            before = RuleSet.parse(base)
            after = before.replace(**{switch: value})
        except InputError:
            continue
        if before == after or not idle.get(switch, lambda r: True)(before):
            continue
        if not idle.get(switch, lambda r: True)(after):
            continue
        made += 1
        texts = [text_of(describe(each, language)) for each in (before, after)]
        assert texts[0] != texts[1], (base, switch, value)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_told_with_their_source(name: str, language: str) -> None:
    rules = PRESETS[name]
    told = describe(rules, language)
    assert told.changes == ()
    titles = [paragraph.title for paragraph in told.paragraphs]
    assert titles == [title for key, title in TITLES[language].items() if key != "changes"]
    source = told.paragraphs[0].text
    for text in re.findall(r"S\d[a-e]?", rules.source):
        assert text in source, source
    whole = text_of(told)
    assert "{" not in whole
    assert not re.search(r"\s\s|\.\.| [.,;]", whole)
    for paragraph in told.paragraphs:
        for sentence in re.split(r"(?<=\.) ", paragraph.text):
            # Georgian has no capitals.
            begins = sentence[0].isalpha() if language == "ka" else sentence[0].isupper()
            assert begins or sentence[0].isdigit() or sentence[0] == "«", sentence
            assert not re.search("[Ა-Ჿ]", sentence), sentence
            assert sentence.endswith(".")
    letters = re.findall(r"[A-Za-z]{2,}", whole)
    if language != "en":
        assert letters == []
    assert 50 < len(told.brief) < 200


def test_what_was_changed_is_said() -> None:
    rules = RuleSet.parse("classic[target=41,discards=shown]")
    for language, said in (
        ("en", "Changed against classic: points to claim with (target) from 31 to 41; discards"
               " (discards) from closed to shown."),
        ("ru", "Отличия от classic: очки для вскрытия (target): вместо 31 — 41; снос (discards):"
               " вместо closed — shown."),
    ):  # fmt: skip
        told = describe(rules, language)
        assert told.paragraphs[1].text == said
        assert [(each.switch, each.usual, each.value) for each in told.changes] == [
            ("target", "31", "41"), ("discards", "closed", "shown"),
        ]  # fmt: skip


def test_words_of_players_are_used_where_they_have_some() -> None:
    everything = " ".join(text_of(describe(PRESETS[name], "ru")) for name in PRESETS)
    for word in ("вскрываюсь", "вар", "взакрытую", "даве",
                 "дави 2, се 3, чари 4, панджи 5, шаши 6", "молодк", "письмо", "малютка",
                 "Москва", "Малой Москвой", "четыре конца", "Стоп!",
                 "перебор", "подъём", "роббер", "кон", "банк", "добор", "снос"):  # fmt: skip
        assert word in everything, word


def test_every_sentence_is_told_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()
    say = _Teller.say

    def noted(self: _Teller, key: str, **parts: object) -> str:
        used.add(key)
        return say(self, key, **parts)

    monkeypatch.setattr(_Teller, "say", noted)
    for switch, (base, values) in CASES.items():
        for value in list(values)[:6]:
            describe(with_switch(base, switch, value))
    for rules in ("bura2[players=4,pairs=yes]", "no_trump[players=4,pairs=yes]",
                  "dave[players=3]", "georgian3[players=3]", "georgian3",
                  "bura1[players=3,claim_ceiling=50]", "no_trump[molodka=none]",
                  "classic[rank_leads=yes,lead_sizes=one_or_three]"):  # fmt: skip
        describe(RuleSet.parse(rules))
    assert used == set(TEXTS["en"])
