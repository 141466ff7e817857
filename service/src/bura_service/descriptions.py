"""Rule sets as a player would read them, made from the switches alone.

So no text can contradict the rules that are played. A switch that makes no difference beside the
others, such as the order of combinations where there is only one, is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bura_core import PRESETS, RuleSet
from bura_service.languages import LANGUAGES
from bura_service.rule_words import SOURCES, SWITCHES, TEXTS, TITLES

__all__ = ["LANGUAGES", "Change", "Description", "Paragraph", "describe"]

_LOWEST = {
    "en": {36: "six", 32: "seven", 20: "jack"},
    "ru": {36: "шестёрки", 32: "семёрки", 20: "валета"},
    "ka": {36: "ექვსიანი", 32: "შვიდიანი", 20: "ვალეტი"},
}
_RANKS = {
    "en": "A 10 K Q J 9 8 7 6".split(),
    "ru": "Т 10 К Д В 9 8 7 6".split(),
    "ka": "A 10 K Q J 9 8 7 6".split(),
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_TOGETHER = {
    "ru": {2: "двое", 3: "трое", 4: "четверо", 5: "пятеро", 6: "шестеро"},
    "ka": {2: "ორი", 3: "სამი", 4: "ოთხი", 5: "ხუთი", 6: "ექვსი"},
}
_AND = {"en": "and", "ru": "и", "ka": "და"}
_CALLED = ("three_aces", "four_aces", "little_moskva", "molodka")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences with a title."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A switch that is not as in the preset: its name, the preset's value, and its own."""

    switch: str
    usual: str
    value: str


@dataclass(frozen=True, slots=True)
class Description:
    """A rule set in words: one sentence, everything, and what is not as in its preset."""

    brief: str
    paragraphs: tuple[Paragraph, ...]
    changes: tuple[Change, ...]


def describe(rules: RuleSet, language: str = "en") -> Description:
    """The rule set in one of `LANGUAGES`."""
    changes = _changes(rules)
    teller = _Teller(rules, language)
    told = {
        "source": teller.source(),
        "changes": teller.changed(changes),
        "cards": teller.cards(),
        "deal": teller.deal(),
        "trick": teller.trick(),
        "claims": teller.claims(),
        "combinations": teller.combinations(),
        "raises": teller.raises(),
        "match": teller.match(),
    }
    paragraphs = []
    for key, title in TITLES[language].items():
        text = " ".join(f"{sentence}." for sentence in told[key])
        if text:
            paragraphs.append(Paragraph(title, text))
    return Description(f"{teller.brief()}.", tuple(paragraphs), changes)


def _changes(rules: RuleSet) -> tuple[Change, ...]:
    usual = PRESETS[rules.name].switches()
    return tuple(
        Change(switch, usual[switch], value)
        for switch, value in rules.switches().items()
        if value != usual[switch]
    )


class _Teller:
    """Finds the sentences for one rule set in one language."""

    def __init__(self, rules: RuleSet, language: str) -> None:
        self.rules = rules
        self.language = language

    def say(self, key: str, **parts: object) -> str:
        return TEXTS[self.language][key].format(**parts)

    def counted(self, number: int, english: str, few: str, many: str, one: str, ka: str) -> str:
        """A number with its noun: 1 карта, 2 карты, 5 карт."""
        if self.language == "ka":
            return f"{number} {ka}"
        if self.language == "en":
            return f"{number} {english}" + "s" * (number != 1)
        tens, units = number % 100, number % 10
        if units == 1 and tens != 11:
            return f"{number} {one}"
        if units in (2, 3, 4) and tens not in (12, 13, 14):
            return f"{number} {few}"
        return f"{number} {many}"

    def points(self, number: int) -> str:
        return self.counted(number, "point", "очка", "очков", "очко", "ქულა")

    def cards_of(self, number: int, one: str) -> str:
        """A number of cards; `one` is the form of a single one in Russian."""
        return self.counted(number, "card", "карты", "карт", one, "კარტი")

    def players(self) -> str:
        number = self.rules.players
        return _NUMBERS[number] if self.language == "en" else _TOGETHER[self.language][number]

    def hand(self) -> str:
        """How many cards each gets; after «по» one card is «карте»."""
        hand = self.rules.hand
        if self.language == "en":
            return f"{_NUMBERS[hand]} card{'s' * (hand != 1)}"
        return self.cards_of(hand, "карте")

    # ---- the paragraphs, sentence by sentence

    def brief(self) -> str:
        rules = self.rules
        players = self.players()
        if rules.pairs:
            players += {"en": " players in pairs", "ru": " пара на пару", "ka": ", წყვილებად"}[
                self.language
            ]
        elif self.language != "ru":
            players += {"en": " players", "ka": " მოთამაშე"}[self.language]
        return self.say(
            "brief",
            # Georgian has no capitals at the beginning of a sentence.
            players=players if self.language == "ka" else players[:1].upper() + players[1:],
            cards=self.hand(),
            deck=rules.deck if self.language == "en" else self.cards_of(rules.deck, "карту"),
            trumps="" if rules.trumps else self.say("brief_no_trumps"),
            target=self.points(rules.target)
            if rules.claim_ceiling is None
            else f"{rules.target}–{self.points(rules.claim_ceiling)}",
            discards=self.say(f"brief_{rules.discards}"),
        )

    def source(self) -> Iterator[str]:
        yield SOURCES[self.language][self.rules.name]

    def changed(self, changes: tuple[Change, ...]) -> Iterator[str]:
        if changes:
            words = SWITCHES[self.language]
            listed = "; ".join(
                self.say(
                    "change",
                    words=words[change.switch],
                    switch=change.switch,
                    before=change.usual,
                    after=change.value,
                )
                for change in changes
            )
            yield self.say("changed", preset=self.rules.name, changes=listed)

    def cards(self) -> Iterator[str]:
        deck = self.rules.deck
        yield self.say(
            "deck",
            deck=deck if self.language == "en" else self.cards_of(deck, "карта"),
            lowest=_LOWEST[self.language][deck],
        )
        yield self.say("ranks", ranks=" ".join(_RANKS[self.language][: deck // 4]))
        yield self.say("worth", rest=self.say("worth_rest") if deck > 20 else "")

    def deal(self) -> Iterator[str]:
        rules, say = self.rules, self.say
        if rules.pairs:
            yield say("in_pairs")
        elif rules.players == 2:
            yield say("single2")
        else:
            players = self.players()
            yield say("single", players=players if self.language != "en" else players.capitalize())
        yield say("hand", cards=self.hand())
        if rules.extra_card is not None:
            yield say("extra_card", seat=rules.extra_card)
        yield say("trumps_yes" if rules.trumps else "trumps_no")
        if rules.compensation:
            key = "compensation_pairs" if rules.pairs else "compensation"
            yield say(key, points=self.points(rules.compensation))
        elif not rules.trumps:
            yield say("compensation_no")
        if rules.open_hands in ("none", "all"):
            yield say(f"open_{rules.open_hands}")
        else:
            seats = rules.open_seats
            key = "open_seat" if len(seats) == 1 else "open_seats"
            yield say(key, seats=_listed(list(map(str, seats)), _AND[self.language]))
        if self.counting():
            yield say("redeal_yes" if rules.redeal_on_dealt_combo else "redeal_no")

    def trick(self) -> Iterator[str]:
        rules, say = self.rules, self.say
        yield say(f"lead_{rules.lead_sizes}")
        if rules.rank_leads:
            yield say("rank_leads" if rules.lead_sizes == "any" else "rank_leads_three")
        yield say("answer2" if rules.players == 2 else "answer")
        if not rules.trumps:
            yield say("beat_plain")
        else:
            yield say("beat_spades" if rules.spades_immune else "beat_trumps")
        yield say("no_duty")
        yield say(f"discards_{rules.discards}")
        yield say("take")
        yield say(f"refill_{rules.refill_from}")
        if rules.players > 2 or rules.extra_card is not None:
            yield say(f"short_{rules.short_talon}")
        if rules.closed_challenge:
            yield say("challenge")

    def claims(self) -> Iterator[str]:
        rules, say = self.rules, self.say
        leaving = rules.leave_at_target and rules.sides > 2
        yield say(f"window_{rules.claim_window}")
        key = "target" + "_leave" * leaving + "_ceiling" * (rules.claim_ceiling is not None)
        yield say(key, target=rules.target, ceiling=rules.claim_ceiling)
        if leaving:
            yield say("leave")
        yield say("no_looking")
        yield say(f"unclaimed_{rules.unclaimed}", target=rules.target)

    def counting(self) -> list[str]:
        """The combinations that the rules have a use for, highest first."""
        rules = self.rules
        return [name for name in rules.precedence if getattr(rules, name) != "none"]

    def combinations(self) -> Iterator[str]:
        rules, say = self.rules, self.say
        counting = self.counting()
        if not counting:
            yield say("no_combinations")
        if rules.trumps:
            yield say(f"bura_{rules.bura}")
        # Two of them can meet only where they win on sight and the trumps suffice for both.
        if rules.bura == "on_sight" and 2 * rules.hand <= rules.deck // 4:
            yield say(f"two_{rules.two_buras}")
        if rules.bura == "on_sight" and rules.three_aces != "none" and 3 in rules.hand_sizes:
            yield say(f"aces_{rules.aces_against_bura}")
        if rules.bura != "none" and rules.scoring in ("points_match", "robber"):
            yield say(f"bura_counts_{rules.bura_counts}")
        aces = say("aces_trump_yes" if rules.three_aces_trump else "aces_trump_no")
        yield say(f"three_aces_{rules.three_aces}", trump=aces)
        yield say(f"four_aces_{rules.four_aces}")
        yield say(f"little_{rules.little_moskva}")
        yield say(f"molodka_{rules.molodka}")
        if len(counting) > 1:
            yield say("precedence", order=", ".join(map(say, counting)))
        if any(getattr(rules, name) not in ("none", "win") for name in _CALLED):
            yield say(f"stop_{rules.stop_window}")
            yield say("stop_bar")

    def raises(self) -> Iterator[str]:
        rules, say = self.rules, self.say
        if rules.raises == "none":
            yield say("raises_none")
        elif rules.sides > 2:
            yield say(f"raises_single_{rules.raises}")
        else:
            yield say(f"raises_{rules.raises}")
            yield say("alternate")
            if rules.scoring == "points_match":
                yield say("match_point")

    def match(self) -> Iterator[str]:
        rules, say = self.rules, self.say
        pairs = rules.pairs and rules.scoring == "balls_12"
        key = rules.scoring + "_pairs" * pairs
        yield say(key, to=rules.match_to, six=say(f"six_{rules.six_for}"))
        yield say(f"foul_{rules.foul}")
        yield say(f"next_{rules.next_deal}")


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
