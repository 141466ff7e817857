"""Rule sets: every switch of the game as data, the presets, and why a rule set is refused.

A rule set is written as a preset's name, or as a preset with switches changed::

    georgian3
    classic[discards=shown,target=41]

``RuleSet.parse`` reads that text and ``str`` writes it: the preset, then only the switches
that differ from it, in the order of the fields of ``RuleSet``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal

from bura_core.errors import Fault, InputError

__all__ = ["COMBINATIONS", "PRESETS", "SUPPORTED", "RuleSet"]

COMBINATIONS: Final = ("bura", "three_aces", "four_aces", "little_moskva", "molodka")
"""The combinations a precedence list may name."""

_MAX_TEXT = 1000


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet:
    """One complete set of rules, checked: an impossible one cannot be made.

    Every switch is a field; its spelling in text is the field's name, its value the word or
    number below (``yes`` and ``no`` for booleans, ``none`` for a missing ceiling).

    * ``name``: the preset it derives from, which fixes what is not said in the text.
    * ``players`` 2-6; ``pairs``: four players, partners opposite.
    * ``deck``: 36 (6 to A), 32 (7 to A) or 20 (J to A) cards; ``hand`` 1-6 cards.
    * ``target`` 1-120 points that a claim needs; ``claim_ceiling``: points above which a
      claim loses too (``None``: no ceiling).
    * ``discards``: ``closed`` (face down until the hand is settled) or ``shown``.
    * ``claim_window``: when a claim may come. ``unclaimed``: who wins when nobody claimed.
    * ``trumps``; ``spades_immune``: a spade is beaten by a higher spade only.
    * ``bura``, ``two_buras``, ``bura_counts`` (hands it pays, 1 or 2), ``three_aces``,
      ``three_aces_trump`` (one of them must be trump), ``four_aces``, ``little_moskva``,
      ``molodka``, ``aces_against_bura``, ``precedence`` (highest first), ``stop_window``,
      ``redeal_on_dealt_combo``: the combinations.
    * ``lead_sizes``, ``rank_leads``: what may be led.
    * ``refill_from``, ``short_talon``: how hands are filled.
    * ``compensation`` 0-30 points to the player who does not lead first, without trumps.
    * ``raises``, ``scoring``, ``match_to`` (hands or points of a match; 0: no end, as in
      ``pot``), ``leave_at_target`` (of three and more single players, who claims rightly leaves
      the hand and the rest play on): stakes and matches.
    * ``extra_card``: the seat that holds one card more than ``hand``, or ``None``;
      ``open_hands``: whose hands lie face up, ``none``, ``all``, or seats joined by ``+``.
    * ``closed_challenge``: who discarded face down in a trick may say that it holds a bura.
    * ``foul``: its offender loses the hand, or matches the pot and nobody wins.
    * ``next_deal``: who deals the next hand, the seat to the left or the hand's winner.
    * ``six_for``: what makes a won hand of ``burkozel_12`` count 6.

    Raises InputError with every reason at once if the switches contradict each other or a
    value is out of range.
    """

    name: str
    players: int = 2
    pairs: bool = False
    deck: int = 36
    hand: int = 3
    target: int = 31
    claim_ceiling: int | None = None
    discards: Literal["closed", "shown"] = "closed"
    claim_window: Literal["before_draw", "until_lead", "own_turn", "end_of_deck"] = "until_lead"
    unclaimed: Literal["most_points", "no_winner", "threshold"] = "no_winner"
    trumps: bool = True
    spades_immune: bool = False
    bura: Literal["none", "on_sight", "on_lead"] = "on_sight"
    two_buras: Literal["higher", "played_out", "void"] = "played_out"
    bura_counts: int = 1
    three_aces: Literal["none", "lead", "win"] = "none"
    three_aces_trump: bool = False
    four_aces: Literal["none", "lead", "win"] = "none"
    little_moskva: Literal["none", "sixes", "tens"] = "none"
    molodka: Literal["none", "lead"] = "none"
    aces_against_bura: Literal["precedence", "played_out"] = "precedence"
    precedence: tuple[str, ...] = ("bura", "three_aces", "little_moskva", "molodka")
    stop_window: Literal["before_lead", "after_lead_returned", "after_lead_stays"] = "before_lead"
    redeal_on_dealt_combo: bool = False
    lead_sizes: Literal["any", "one_or_three"] = "any"
    rank_leads: bool = False
    refill_from: Literal["winner", "leader"] = "winner"
    short_talon: Literal["set_aside", "draw_out"] = "set_aside"
    compensation: int = 0
    raises: Literal["none", "dave", "ladder"] = "none"
    scoring: Literal["points_match", "robber", "penalty_12", "balls_12", "burkozel_12", "pot"] = (
        "pot"
    )
    match_to: int = 0
    leave_at_target: bool = False
    extra_card: int | None = None
    open_hands: str = "none"
    closed_challenge: bool = False
    foul: Literal["lose", "match_pot"] = "lose"
    next_deal: Literal["rotate", "winner"] = "rotate"
    six_for: Literal["no_trick", "no_points"] = "no_trick"
    # The canonical text, made once: equality, hashing and printing are then as cheap as a
    # string's, and a rule set is a key in every cache.
    _text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        faults = _faults(self)
        if faults:
            raise InputError(faults)
        object.__setattr__(self, "_text", _canonical(self))

    @classmethod
    def parse(cls, text: str) -> RuleSet:
        """The rule set written as ``text``; equal texts give the same object.

        Raises InputError with every reason at once: an unknown preset or switch (with the
        nearest names), a bad value (with the allowed ones), a switch given twice, and every
        contradiction between the switches.
        """
        return _parse(text)

    def replace(self, **switches: object) -> RuleSet:
        """The same rules with ``switches`` changed, checked anew.

        A value is the field's own (``trumps=False``, ``claim_ceiling=None``) or its text
        (``trumps="no"``). Raises InputError with every reason at once.
        """
        faults: list[Fault] = []
        values = {f: getattr(self, f) for f in _FIELDS}
        for key, value in switches.items():
            if key == "name" or key not in _SPECS:
                faults.append(_unknown_switch(key, _plain(value)))
            elif isinstance(value, str):
                values[key] = _read(key, value, faults)
            else:
                values[key] = value
        return _checked(values, faults)

    def switches(self) -> dict[str, str]:
        """Every switch with its value as it is written in text, in the order of the fields."""
        return {key: _plain(getattr(self, key)) for key in _FIELDS[1:]}

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat is dealt, by seat."""
        return tuple(self.hand + (seat == self.extra_card) for seat in range(self.players))

    @property
    def open_seats(self) -> tuple[int, ...]:
        """The seats whose hands lie face up, ascending."""
        if self.open_hands == "none":
            return ()
        if self.open_hands == "all":
            return tuple(range(self.players))
        return tuple(int(seat) for seat in self.open_hands.split("+"))

    def handicaps(self, leader: int) -> tuple[int, ...]:
        """The points that count beside the piles, by seat, in a deal that ``leader`` leads.

        The ``compensation`` of everybody else; in pairs once, of the seat after the leader.
        """
        behind = [seat for seat in range(self.players) if seat != leader]
        if self.pairs:
            behind = [(leader + 1) % self.players]
        return tuple(self.compensation if seat in behind else 0 for seat in range(self.players))

    @property
    def sides(self) -> int:
        """How many sides play against each other: 2 in pairs, else one for each player."""
        return 2 if self.pairs else self.players

    @property
    def source(self) -> str:
        """The source text of the preset it derives from, e.g. ``S1 three-card``.

        S0a to S0e, S1, S2 and S4 are the texts the rules page of this project lists.
        """
        return _SOURCES[self.name]

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, RuleSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)


# What a switch may be: a tuple of words, "bool", (lowest, highest) of a whole number, ...
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "discards": ("closed", "shown"),
    "claim_window": ("before_draw", "until_lead", "own_turn", "end_of_deck"),
    "unclaimed": ("most_points", "no_winner", "threshold"),
    "bura": ("none", "on_sight", "on_lead"),
    "two_buras": ("higher", "played_out", "void"),
    "three_aces": ("none", "lead", "win"),
    "four_aces": ("none", "lead", "win"),
    "little_moskva": ("none", "sixes", "tens"),
    "molodka": ("none", "lead"),
    "aces_against_bura": ("precedence", "played_out"),
    "stop_window": ("before_lead", "after_lead_returned", "after_lead_stays"),
    "lead_sizes": ("any", "one_or_three"),
    "refill_from": ("winner", "leader"),
    "short_talon": ("set_aside", "draw_out"),
    "raises": ("none", "dave", "ladder"),
    "scoring": ("points_match", "robber", "penalty_12", "balls_12", "burkozel_12", "pot"),
    "foul": ("lose", "match_pot"),
    "next_deal": ("rotate", "winner"),
    "six_for": ("no_trick", "no_points"),
}
_FLAGS: Final = (
    "pairs",
    "trumps",
    "spades_immune",
    "three_aces_trump",
    "redeal_on_dealt_combo",
    "rank_leads",
    "leave_at_target",
    "closed_challenge",
)
_NUMBERS: Final[Mapping[str, range | tuple[int, ...]]] = {
    "players": range(2, 7),
    "deck": (36, 32, 20),
    "hand": range(1, 7),
    "target": range(1, 121),
    "bura_counts": (1, 2),
    "compensation": range(31),
    "match_to": range(1000),
}
_CEILING: Final = range(1, 121)
_OR_NONE: Final[Mapping[str, range]] = {"claim_ceiling": _CEILING, "extra_card": range(6)}
"""Numbers that may also be ``none``."""
_OPEN_HANDS: Final = re.compile(r"none|all|[0-5](\+[0-5])*")

_UNREAD: Final = object()
"""Stands for a value that could not be read and is already reported."""

_FIELDS: Final = tuple(f.name for f in fields(RuleSet) if f.init)
_SPECS: Final = frozenset(_FIELDS) - {"name"}
_SOURCES: Final[Mapping[str, str]] = {
    "georgian3": "S1 three-card",
    "georgian5": "S1 five-card",
    "georgian5_pairs": "S1 five-card in pairs",
    "classic": "S4 closed",
    "classic_shown": "S4 base text",
    "casino": "S0a",
    "moskva": "S0b, S0d",
    "dave": "S4 dave",
    "five": "S0b five-card note",
    "burkozel": "S0e",
    "burkozel_kommersant": "S4 burkozel",
    "bura1": "S2 Bura-1",
    "bura2": "S2 Bura-2",
    "perebor": "S0c perebor",
    "no_trump": "S4 without trumps",
    "three_vs_four": "S0c, S4 three closed against four open",
}


def _listed(allowed: range | tuple[object, ...]) -> str:
    if isinstance(allowed, range):
        return f"a whole number from {allowed[0]} to {allowed[-1]}"
    words = [str(a) for a in allowed]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _allowed(key: str) -> str:
    if key in _WORDS:
        return _listed(_WORDS[key])
    if key in _FLAGS:
        return "yes or no"
    if key in _OR_NONE:
        return "none or " + _listed(_OR_NONE[key])
    if key == "open_hands":
        return "none, all, or seats in rising order joined by '+', as in 0+2"
    if key == "precedence":
        return "combinations joined by '>', highest first: " + ", ".join(COMBINATIONS)
    return _listed(_NUMBERS[key])


def _nearest(word: str, known: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(word[:60].lower(), list(known), n=3, cutoff=0.6)


def _unknown_switch(key: str, value: str) -> Fault:
    near = _nearest(key, _FIELDS[1:])
    remedy = (
        f"did you mean {_listed(tuple(near))}?" if near else "known: " + ", ".join(_FIELDS[1:])
    )
    return Fault("rules", f"{key}={value}", f"there is no switch {key[:60]!r}", remedy)


def _unknown_preset(name: str, field_name: str = "rules") -> Fault:
    near = _nearest(name, _SOURCES)
    hint = f"did you mean {_listed(tuple(near))}? " if near else ""
    return Fault(
        field_name,
        name,
        "there is no such preset" if name else "no preset is named",
        hint + "presets: " + ", ".join(_SOURCES),
    )


def _plain(value: object) -> str:
    """A field's value as it is written in text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ">".join(map(str, value))
    return str(value)


def _bad(key: str, value: str) -> Fault:
    return Fault(key, value, "not a value of this switch", "use " + _allowed(key))


def _read(key: str, text: str, faults: list[Fault]) -> object:
    """The value of switch ``key`` written as ``text``; ``_UNREAD`` after a fault."""
    if key in _WORDS:
        if text in _WORDS[key]:
            return text
    elif key in _FLAGS:
        if text in ("yes", "no"):
            return text == "yes"
    elif key == "precedence":
        if text:
            return tuple(text.split(">"))
    elif key == "open_hands":
        if _is(key, text):
            return text
    elif key in _OR_NONE and text == "none":
        return None
    elif re.fullmatch(r"0|[1-9][0-9]{0,3}", text) and _is(key, int(text)):
        return int(text)
    faults.append(_bad(key, text))
    return _UNREAD


def _is(key: str, value: object) -> bool:
    """Whether ``value`` is of the switch's type and range."""
    if key in _WORDS:
        return isinstance(value, str) and value in _WORDS[key]
    if key in _FLAGS:
        return isinstance(value, bool)
    if key == "precedence":
        return isinstance(value, tuple) and all(isinstance(word, str) for word in value)
    if key in _OR_NONE:
        return value is None or (type(value) is int and value in _OR_NONE[key])
    if key == "open_hands":
        if not isinstance(value, str) or not _OPEN_HANDS.fullmatch(value):
            return False
        seats = [] if value in ("none", "all") else value.split("+")
        return seats == sorted(set(seats))
    return type(value) is int and value in _NUMBERS[key]


def _faults(r: RuleSet) -> list[Fault]:
    """Every reason why ``r`` is impossible, values first, then what contradicts what."""
    faults: list[Fault] = []
    if r.name not in _SOURCES:
        faults.append(_unknown_preset(str(r.name), "name"))
    bad = {key for key in _FIELDS[1:] if not _is(key, getattr(r, key))}
    faults += [
        _bad(key, _plain(getattr(r, key)))
        for key in _FIELDS[1:]
        if key in bad and getattr(r, key) is not _UNREAD
    ]

    def fine(*keys: str) -> bool:
        return bad.isdisjoint(keys)

    def refuse(key: str, problem: str, remedy: str) -> None:
        faults.append(Fault(key, _plain(getattr(r, key)), problem, remedy))

    if fine("players", "pairs") and r.pairs and r.players != 4:
        refuse("pairs", f"pairs need four players, not {r.players}", "use players=4 or pairs=no")
    if fine("players", "extra_card") and r.extra_card is not None and r.extra_card >= r.players:
        refuse(
            "extra_card",
            f"{r.players} players have the seats 0 to {r.players - 1}",
            f"use none or 0 to {r.players - 1}",
        )
    if fine("players", "open_hands") and any(seat >= r.players for seat in r.open_seats):
        refuse(
            "open_hands",
            f"{r.players} players have the seats 0 to {r.players - 1}",
            "use none, all or seats of these",
        )
    extra = fine("extra_card") and r.extra_card is not None
    if fine("hand") and extra and r.hand == _NUMBERS["hand"][-1]:
        refuse(
            "extra_card", f"{r.hand + 1} cards are more than a hand holds", "use hand=5 at most"
        )
    if fine("players", "deck", "hand", "trumps"):
        need = r.players * r.hand + r.trumps + extra
        if need > r.deck:
            turn_up = " and the turn-up" if r.trumps else ""
            most = (r.deck - r.trumps - extra) // r.players
            one_more = " (one of them a card larger)" if extra else ""
            refuse(
                "hand",
                f"{r.players} hands of {r.hand}{one_more}{turn_up} are {need} cards,"
                f" the deck has {r.deck}",
                f"use a larger deck, fewer players or hand={most} at most",
            )
    ceiling = r.claim_ceiling
    if fine("target", "claim_ceiling") and ceiling is not None and ceiling < r.target:
        refuse(
            "claim_ceiling",
            f"the ceiling is under the target of {r.target}: no claim could win",
            f"use claim_ceiling=none or at least {r.target}",
        )
    if fine("trumps") and not r.trumps:
        if fine("spades_immune") and r.spades_immune:
            refuse("spades_immune", "there are no trumps to be immune to", "use spades_immune=no")
        if fine("bura") and r.bura != "none":
            refuse("bura", "a bura is a hand of trumps, and there are none", "use bura=none")
        aces = fine("three_aces", "three_aces_trump") and r.three_aces != "none"
        if aces and r.three_aces_trump:
            refuse(
                "three_aces_trump",
                "one of the aces must be a trump, and there are none",
                "use three_aces_trump=no or three_aces=none",
            )
        if fine("little_moskva") and r.little_moskva == "sixes":
            refuse(
                "little_moskva",
                "one of the three sixes must be a trump, and there are none",
                "use little_moskva=none",
            )
    if fine("trumps", "compensation") and r.trumps and r.compensation:
        refuse(
            "compensation",
            "points of compensation belong to the game without trumps",
            "use compensation=0 or trumps=no",
        )
    if fine("closed_challenge") and r.closed_challenge:
        if fine("discards") and r.discards == "shown":
            refuse(
                "closed_challenge",
                "no trick is closed where discards are shown",
                "use discards=closed or closed_challenge=no",
            )
        if fine("trumps") and not r.trumps:
            refuse(
                "closed_challenge",
                "a bura is a hand of trumps, and there are none",
                "use closed_challenge=no",
            )
    if fine("little_moskva", "deck") and r.little_moskva == "sixes" and r.deck != 36:
        refuse(
            "little_moskva",
            f"a deck of {r.deck} has no sixes",
            "use deck=36, little_moskva=tens or none",
        )
    for key, size in (("three_aces", 3), ("four_aces", 4), ("little_moskva", 3)):
        if fine(key, "hand") and getattr(r, key) != "none" and r.hand < size:
            refuse(
                key,
                f"a hand of {r.hand} never holds {size} cards",
                f"use {key}=none or hand={size} at least",
            )
    if fine("precedence"):
        _check_precedence(r, fine, refuse)
    if fine("scoring", "match_to"):
        if r.scoring == "pot" and r.match_to:
            refuse("match_to", "a game for the pot has no end", "use match_to=0")
        if r.scoring != "pot" and not r.match_to:
            refuse("match_to", f"a {r.scoring} match needs an end", "use match_to=1 or more")
    if fine("scoring", "foul") and r.foul == "match_pot" and r.scoring != "pot":
        refuse("foul", f"there is no pot to match with scoring={r.scoring}", "use foul=lose")
    return faults


def _check_precedence(
    r: RuleSet, fine: Callable[..., bool], refuse: Callable[[str, str, str], None]
) -> None:
    known = set(COMBINATIONS)
    unknown = [word for word in r.precedence if word not in known]
    twice = [word for word in COMBINATIONS if r.precedence.count(word) > 1]
    on = [key for key in COMBINATIONS if fine(key) and getattr(r, key) != "none"]
    missing = [key for key in on if key not in r.precedence]
    if unknown:
        refuse(
            "precedence",
            "there is no combination " + _listed(tuple(repr(word[:60]) for word in unknown)),
            "use " + _listed(COMBINATIONS),
        )
    if twice:
        refuse("precedence", _listed(tuple(twice)) + " is named twice", "name each once")
    if missing:
        full = [word for word in dict.fromkeys(r.precedence) if word in known]
        full += missing
        refuse(
            "precedence",
            _listed(tuple(missing)) + " is played but has no place in the order",
            "use e.g. precedence=" + ">".join(full),
        )


def _canonical(r: RuleSet) -> str:
    preset = _PRESETS.get(r.name)
    if preset is None:  # the preset itself is being made
        return r.name
    changed = [
        f"{key}={_plain(value)}"
        for key in _FIELDS[1:]
        if (value := getattr(r, key)) != getattr(preset, key)
    ]
    return f"{r.name}[{','.join(changed)}]" if changed else r.name


def _checked(values: Mapping[str, Any], faults: list[Fault]) -> RuleSet:
    """The rule set of ``values``; raises the faults found before together with its own."""
    try:
        rule_set = RuleSet(**values)
    except InputError as error:
        raise InputError([*faults, *error.faults]) from None
    if faults:
        raise InputError(faults)
    return rule_set


@lru_cache(maxsize=512)
def _parse(text: str) -> RuleSet:
    if len(text) > _MAX_TEXT:
        raise InputError(
            Fault("rules", text, f"longer than {_MAX_TEXT} characters", "write a shorter rule set")
        )
    name, bracket, rest = text.partition("[")
    faults: list[Fault] = []
    preset = _PRESETS.get(name)
    if preset is None:
        faults.append(_unknown_preset(name))
        preset = _PRESETS["classic"]  # to find what else is wrong
    values = {key: getattr(preset, key) for key in _FIELDS}
    if bracket:
        _read_switches(text, rest, values, faults)
    if preset.name != name:
        # Contradictions with a preset that was only guessed would mislead.
        raise InputError(faults)
    return _checked(values, faults)


def _read_switches(text: str, rest: str, values: dict[str, Any], faults: list[Fault]) -> None:
    body, closing, after = rest.partition("]")
    if not closing:
        faults.append(
            Fault(
                "rules",
                text,
                "the bracket is not closed",
                "write preset[switch=value,...] without spaces",
            )
        )
    if after:
        faults.append(
            Fault("rules", text, f"{after[:60]!r} follows the closing bracket", "leave it out")
        )
    if not body:
        faults.append(
            Fault("rules", text, "the brackets are empty", "leave them out or name a switch")
        )
        return
    seen: set[str] = set()
    for item in body.split(","):
        key, equals, value = item.partition("=")
        if not equals:
            near = _nearest(key, _FIELDS[1:])
            hint = f" (did you mean {_listed(tuple(near))}?)" if near else ""
            faults.append(
                Fault("rules", item, "not a switch with a value", "write switch=value" + hint)
            )
        elif key not in _SPECS:
            faults.append(_unknown_switch(key, value))
        elif key in seen:
            faults.append(Fault(key, value, "the switch is given twice", "give it once"))
        else:
            seen.add(key)
            values[key] = _read(key, value, faults)


_PRESETS: dict[str, RuleSet] = {}


def _preset(name: str, **switches: Any) -> None:
    _PRESETS[name] = RuleSet(name, **switches)


_LADDER: Final[Mapping[str, Any]] = {
    "raises": "ladder",
    "scoring": "points_match",
    "match_to": 7,
    "bura": "on_lead",
    "unclaimed": "most_points",
}
_CLASSIC: Final[Mapping[str, Any]] = {
    "three_aces": "lead",
    "molodka": "lead",
    "redeal_on_dealt_combo": True,
}
# S0b and S4 let the winner of a hand deal the next one; elsewhere the deal goes round.
_WINNER: Final[Mapping[str, Any]] = {"next_deal": "winner"}
_ROBBER_11: Final[Mapping[str, Any]] = {"scoring": "robber", "match_to": 11}

_preset("georgian3", deck=20, **_LADDER)
_preset("georgian5", hand=5, target=61, discards="shown", **_LADDER)
_preset(
    "georgian5_pairs",
    players=4,
    pairs=True,
    hand=5,
    target=61,
    discards="shown",
    **_LADDER,
)
_preset("classic", **_CLASSIC, **_WINNER)
_preset("classic_shown", discards="shown", scoring="robber", match_to=21, **_CLASSIC, **_WINNER)
_preset(
    "casino",
    claim_window="before_draw",
    three_aces="lead",
    molodka="lead",
    aces_against_bura="played_out",
    refill_from="leader",
)
_preset(
    "moskva",
    two_buras="higher",
    bura_counts=2,
    three_aces="win",
    little_moskva="sixes",
    molodka="lead",
    precedence=("three_aces", "bura", "little_moskva", "molodka"),
    redeal_on_dealt_combo=True,
    **_ROBBER_11,
    **_WINNER,
)
_preset("dave", raises="dave", **_CLASSIC, **_WINNER)
_preset(
    "five",
    hand=5,
    target=61,
    spades_immune=True,
    unclaimed="threshold",
    **_ROBBER_11,
    **_WINNER,
)
_preset(
    "burkozel",
    hand=4,
    target=61,
    unclaimed="threshold",
    three_aces="lead",
    four_aces="lead",
    molodka="lead",
    precedence=("bura", "four_aces", "molodka", "three_aces"),
    short_talon="draw_out",
    scoring="burkozel_12",
    match_to=12,
)
_preset(
    "burkozel_kommersant",
    hand=4,
    target=61,
    claim_window="end_of_deck",
    unclaimed="threshold",
    four_aces="win",
    precedence=("bura", "four_aces", "molodka", "three_aces"),
    lead_sizes="one_or_three",
    short_talon="draw_out",
    scoring="burkozel_12",
    match_to=12,
    **_WINNER,
)
# S2 names no scoring for Bura-1 and lets its players leave only from three on.
_preset("bura1", three_aces="lead", three_aces_trump=True, leave_at_target=True, **_ROBBER_11)
_preset("bura2", three_aces="lead", three_aces_trump=True, scoring="balls_12", match_to=12)
_preset("perebor", claim_ceiling=50, **_CLASSIC, **_ROBBER_11)
_preset(
    "no_trump",
    trumps=False,
    bura="none",
    molodka="lead",
    compensation=30,
    **_ROBBER_11,
    **_WINNER,
)
_preset("three_vs_four", extra_card=1, open_hands="1", **_ROBBER_11)

PRESETS: Final[Mapping[str, RuleSet]] = MappingProxyType(_PRESETS)
"""The presets by name, each under the rules of the source text in its ``source``."""

SUPPORTED: Final = frozenset(_PRESETS)
"""The presets that this build plays, with any switches: all of them."""
