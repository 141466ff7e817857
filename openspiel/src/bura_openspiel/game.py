"""The game, its states and its observer."""

from __future__ import annotations

import random
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
import pyspiel

from bura_core import Move, Position, RuleSet, View, format_cards, parse_position
from bura_core.equilibrium import stake_pay

WORDS: Final = ("claim", "pass", "on", "raise", "accept", "fold")
_KINDS: Final = ("play", "discard", "stop")
_FIRST_WORD: Final = 64 * len(_KINDS)
_CARDS: Final = 36
_TOP: Final = {"ladder": 6, "dave": 1024, "none": 1}

_TYPE = pyspiel.GameType(
    short_name="python_bura",
    long_name="Python Bura",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification={"rules": "georgian3", "position": "", "view": -1, "max_raises": 2},
)


def _cards(mask: int) -> list[int]:
    return [card for card in range(_CARDS) if mask >> card & 1]


def move_of(hand: int, action: int) -> tuple[str, int]:
    """(kind, cards) of an action of a player with this hand."""
    if action >= _FIRST_WORD:
        return WORDS[action - _FIRST_WORD], 0
    held = _cards(hand)
    mask = action % 64
    return _KINDS[action // 64], sum(1 << card for i, card in enumerate(held) if mask >> i & 1)


def action_of(hand: int, kind: str, cards: int) -> int:
    """The action that makes a move with this hand."""
    if kind in WORDS:
        return _FIRST_WORD + WORDS.index(kind)
    held = _cards(hand)
    return 64 * _KINDS.index(kind) + sum(
        1 << i for i, card in enumerate(held) if cards >> card & 1
    )


class BuraGame(pyspiel.Game):
    """One hand of Bura, or a small ending of one."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        self._shared: _Shared | None = None
        self.raises = int(params.get("max_raises", 2))
        self.caller = int(params.get("view", -1))
        line = str(params.get("position", "")).replace("~", " ")
        self.start = parse_position(line) if line else None
        self.rules = (
            RuleSet.parse(str(params.get("rules", "georgian3")))
            if self.start is None
            else self.start.rules
        )
        if self.rules.players != 2 or self.rules.stop_window != "before_lead":
            raise ValueError(
                f"rules {self.rules}: two players with calls before the lead are needed"
            )
        top = 1.0
        stake = 1 if self.start is None else (self.start.offer or self.start.stake)
        for _ in range(self.raises):
            stake = {"ladder": stake + 1, "dave": 2 * stake, "none": stake}[self.rules.raises]
        stake = min(stake, max(_TOP[self.rules.raises], 1 if self.start is None else stake))
        top = float(stake * self.rules.bura_counts)
        super().__init__(
            _TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=_FIRST_WORD + len(WORDS),
                max_chance_outcomes=_CARDS + 1 if self.start is None else 100_000,
                num_players=2,
                min_utility=-top,
                max_utility=top,
                utility_sum=0.0,
                max_game_length=400,
            ),
            params,
        )

    def shared(self) -> _Shared:
        """What all states have in common; made once."""
        if self._shared is None:
            self._shared = _Shared(self)
        return self._shared

    def new_initial_state(self) -> BuraState:
        """A state before anything is dealt."""
        return BuraState(self)

    def make_py_observer(self, iig_obs_type: object = None, params: object = None) -> BuraObserver:
        """An observer of what a player sees."""
        return BuraObserver(params)


class _Shared:
    """What copies of a state have in common."""

    def __init__(self, game: BuraGame) -> None:
        self.rules = game.rules
        self.raises = game.raises
        self.caller = game.caller
        self.deals = None if game.start is None else joint_lines(game.start, game.caller)

    def __deepcopy__(self, memo: object) -> _Shared:
        return self


class _Held:
    """A position that is copied as it is, its stake and offers included."""

    def __init__(self, position: Position) -> None:
        self.position = position

    def __deepcopy__(self, memo: object) -> _Held:
        return _Held(self.position.copy())


class BuraState(pyspiel.State):
    """A hand in play."""

    def __init__(self, game: BuraGame) -> None:
        super().__init__(game)
        self.shared = game.shared()
        self.dealt: list[int] = []
        self.held: _Held | None = None
        self.stage = "deal"
        self.claim_ok = True
        self.bids = 0
        self.public: list[str] = []
        self.private: list[list[str]] = [[], []]
        self.root: list[str] = []
        self.over: tuple[int, int | None, str] | None = None

    @property
    def position(self) -> Position | None:
        """The position on the table, or None before the deal."""
        return None if self.held is None else self.held.position

    @property
    def rules(self) -> RuleSet:
        """The rules of the hand."""
        return self.shared.rules

    @property
    def deals(self) -> list[str] | None:
        """The lines that chance picks from, or None where a hand is dealt."""
        return self.shared.deals

    # --- what OpenSpiel asks ------------------------------------------------------------

    def current_player(self) -> int:
        """Who acts."""
        if self.over is not None:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.stage == "call":
            return 1 - self.position.turn
        return self.position.turn

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.over is not None

    def returns(self) -> list[float]:
        """Stakes won and lost."""
        if self.over is None:
            return [0.0, 0.0]
        worth = stake_pay(self.rules)(*self.over)
        return [worth, -worth]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards that may come next, or the joint deals of an ending."""
        if self.deals is not None:
            return [(i, 1 / len(self.deals)) for i in range(len(self.deals))]
        left = [card for card in self._deck() if card not in self.dealt]
        return [(card, 1 / len(left)) for card in left]

    def _deck(self) -> list[int]:
        low = 9 - self.rules.deck // 4
        return [9 * suit + rank for suit in range(4) for rank in range(low, 9)]

    def _legal_actions(self, player: int) -> list[int]:
        hand = self._hand(player)
        return sorted({action_of(hand, kind, cards) for kind, cards in self._options(player)})

    def _hand(self, player: int) -> int:
        assert self.position is not None
        return int(self.position.hands[player])

    def _options(self, player: int) -> list[tuple[str, int]]:
        position = self.position
        assert position is not None
        legal = [(move.kind, move.cards) for move in position.legal_moves()]
        if self.stage == "claim":
            return [("claim", 0), ("on", 0)]
        if self.stage == "pass":
            return [("claim", 0), ("pass", 0)]
        if self.stage == "offer":
            return [(m.kind, 0) for m in position.raises() if m.kind != "raise" or self._may_bid()]
        if self.stage == "call":
            return [("on", 0), *(("stop", cards) for cards in self._tries(player))]
        bid = [("raise", 0)] if self._may_bid() and Move("raise", 0) in position.raises() else []
        if self.stage == "menu":
            claim = [each for each in legal if each[0] == "claim" and self.claim_ok]
            return [*claim, *bid, ("on", 0)]
        if self.stage == "lead":
            return [each for each in legal if each[0] == "play"]
        return [*legal, *bid]

    def _may_bid(self) -> bool:
        return self.bids < self.shared.raises

    def _tries(self, player: int) -> list[int]:
        """What a player may call as far as his own hand tells."""
        from bura_core import worlds
        from bura_core._solver import moves_of

        assert self.position is not None
        if self.rules.extra_card is not None:
            return []
        view = View.of(self.position.text(), player)
        room = min(hand.bit_count() for hand in self.position.hands)
        return [
            move.cards
            for move in moves_of(worlds(view, 1))
            if move.kind == "stop" and move.cards.bit_count() <= room
        ]

    def _apply_action(self, action: int) -> None:
        if self.position is None:
            self._deal(action)
            return
        player = self.current_player()
        hand = self._hand(player)
        kind, cards = move_of(hand, action)
        before = self.position.hands
        open_hand = player in self.rules.open_seats
        if kind == "discard" and not open_hand:
            self.public.append(f"{player}:x{cards.bit_count()}")
            self.private[player].append(f"({format_cards(cards)})")
        else:
            self.public.append(f"{player}:{kind}{format_cards(cards) if cards else ''}")
        self._make(player, kind, cards)
        if self.over is None and self.position is not None:
            for seat in (0, 1):
                spent = cards if seat == player and kind in ("play", "discard", "stop") else 0
                drawn = self.position.hands[seat] & ~(before[seat] & ~spent)
                if drawn and seat in self.rules.open_seats:
                    self.public.append(f"{seat}+{format_cards(drawn)}")
                elif drawn:
                    self.private[seat].append(f"+{format_cards(drawn)}")

    def _action_to_string(self, player: int, action: int) -> str:
        if player == int(pyspiel.PlayerId.CHANCE):
            return f"deal {action}" if self.deals is not None else format_cards([action])
        kind, cards = move_of(self._hand(player), action)
        text = format_cards(cards) if cards else ""
        return {"play": text, "discard": f"({text})", "stop": f"stop:{text}"}.get(kind, kind)

    def information_state_string(self, player: int | None = None) -> str:
        """All a player has seen: his cards, and what was public."""
        player = self.current_player() if player is None or player < 0 else player
        if self.position is None:
            return f"{player} deal"
        return f"{player} {self.root[player]} {' '.join(self.private[player])} | " + (
            " ".join(self.public) + f" ?{self.stage}"
        )

    def observation_string(self, player: int | None = None) -> str:
        """What a player sees now: the view of the position."""
        player = self.current_player() if player is None or player < 0 else player
        if self.position is None:
            return f"{player} deal"
        return f"{player} {self.stage} {View.of(self.position.text(), player)}"

    def __str__(self) -> str:
        if self.position is None:
            return "deal " + format_cards(self.dealt)
        return f"{self.position} {self.stage} {' '.join(self.public)}"

    # --- the course of the hand ---------------------------------------------------------

    def _deal(self, action: int) -> None:
        if self.deals is not None:
            self._begin(self.deals[action])
            return
        self.dealt.append(action)
        if len(self.dealt) < self.rules.deck:
            return
        sizes = self.rules.hand_sizes
        hands = self.dealt[: sizes[0]], self.dealt[sizes[0] : sum(sizes)]
        talon = self.dealt[sum(sizes) :]
        trump = "shdc"[talon[-1] // 9] if talon and self.rules.trumps else "-"
        text = "/".join(format_cards(hand) for hand in hands)
        stock = format_cards(talon) or "-"
        self._begin(f"{self.rules} {trump} {text} {stock} -/- 0 -")

    def _begin(self, line: str) -> None:
        position = Position.from_text(line)
        self.held = _Held(position)
        self.root = [str(View.of(position.text(), seat)) for seat in (0, 1)]
        self.claim_ok = True
        text = position.text()
        if text.offer is not None:
            self.stage = "offer"
        elif text.table:
            self.stage = "answer"
        elif self.shared.caller not in (-1, position.turn) and not self._ends():
            self._after_menu()
        else:
            self._trick()

    def _ends(self) -> bool:
        assert self.position is not None
        result = self.position.result
        if result is not None:
            self.over = (result.stake, result.winner, result.reason)
        return result is not None

    def _trick(self) -> None:
        """Where a trick, or the end of one, stands."""
        position = self.position
        assert position is not None
        self.claim_ok = True
        if self._ends():
            return
        if position.table:
            self.stage = "answer"
            return
        kinds = {move.kind for move in position.legal_moves()}
        if kinds == {"claim", "pass"}:
            undrawn = self.rules.claim_window == "before_draw"
            # Only a shown combination leaves a hand with nothing but a claim after the draw.
            played = not position.hands[position.turn]
            self.stage = "pass" if undrawn or played else "claim"
        elif "claim" in kinds and self.rules.claim_window != "own_turn":
            self.stage = "claim"
        else:
            self.stage = "menu"

    def _after_menu(self) -> None:
        assert self.position is not None
        self.stage = "call" if self._tries(1 - self.position.turn) else "lead"
        self.public.append("to lead")

    def _make(self, player: int, kind: str, cards: int) -> None:
        position = self.position
        assert position is not None
        if kind == "on" and self.stage == "claim":
            if {move.kind for move in position.legal_moves()} == {"claim", "pass"}:
                position.play(Move("pass", 0))
                self._ends()
                return
            self.stage, self.claim_ok = "menu", False
        elif kind == "on" and self.stage == "menu":
            self._after_menu()
        elif kind == "on":
            self.stage = "lead"
        elif kind == "raise":
            position.play(Move("raise", 0))
            self.bids += 1
            self.stage = "offer"
        elif kind == "accept":
            position.play(Move("accept", 0))
            self.claim_ok = True
            self.stage = "answer" if position.table else "menu"
        elif kind == "stop":
            move = Move("stop", cards)
            if move in [call for _, call in position.calls()]:
                position.play(move)
                self._trick()
            else:
                self.public.append("void")
                self.stage = "lead"
        else:
            position.play(Move(kind, cards))
            self._trick()


class BuraObserver:
    """What a player sees, as a vector: where each card is, the score, the stake, the stage."""

    def __init__(self, params: object) -> None:
        self.tensor = np.zeros(5 * _CARDS + 6, np.float32)
        self.dict = {
            "cards": self.tensor[: 5 * _CARDS].reshape(5, _CARDS),
            "facts": self.tensor[5 * _CARDS :],
        }

    def set_from(self, state: BuraState, player: int) -> None:
        """Fills the vector: own hand, own pile, other pile, table, own discards; then facts."""
        self.tensor.fill(0)
        if state.position is None:
            return
        cards, facts = self.dict["cards"], self.dict["facts"]
        text = View.of(state.position.text(), player).text
        for card in text.hands[player]:
            if card is not None:
                cards[0, card] = 1
        for seat in (0, 1):
            for item in text.piles[seat].items:
                if item.card is not None:
                    cards[4 if item.closed else 1 + (seat != player), item.card] = 1
        for play in text.table:
            for card in play.cards:
                cards[3, card] = 1
        facts[0] = text.turn == player
        facts[1] = len(text.talon) / _CARDS
        facts[2] = state.position.stake / 6
        facts[3] = sum(len(pile.items) for pile in text.piles) / _CARDS
        facts[4] = text.claim == player
        facts[5] = text.offer is not None

    def string_from(self, state: BuraState, player: int) -> str:
        """The same in words."""
        return state.observation_string(player)


def joint_lines(text: Any, caller: int) -> list[str]:
    """The lines of all joint deals of a public ending in which the hand goes on."""
    rules = text.rules
    hands = [sum(1 << card for card in hand) for hand in text.hands]
    fixed = [hands[seat] if seat in rules.open_seats else 0 for seat in (0, 1)]
    closed = [[item.card for item in text.piles[1 - seat].items if item.closed] for seat in (0, 1)]
    end = len(text.talon) - (1 if text.talon and rules.trumps else 0)
    pool = [card for seat in (0, 1) for card in _cards(hands[seat] & ~fixed[seat])]
    pool += [card for cards in closed for card in cards] + list(text.talon[:end])
    sizes = [(hands[seat] & ~fixed[seat]).bit_count() for seat in (0, 1)]
    sizes += [len(cards) for cards in closed] + [1] * end
    count, left = 1, len(pool)
    for size in sizes:
        count *= comb(left, size)
        left -= size
    if count > 20_000:
        raise ValueError(f"position: {count} joint deals are too many, 20000 are the most")
    from dataclasses import replace

    found = []

    def fill(at: int, rest: tuple[int, ...], chosen: tuple[tuple[int, ...], ...]) -> None:
        if at == len(sizes):
            own = [
                tuple(sorted((*chosen[seat], *_cards(fixed[seat])), key=lambda c: (c // 9, -c)))
                for seat in (0, 1)
            ]
            piles = []
            for seat in (0, 1):
                new = iter(chosen[3 - seat])
                items = tuple(
                    replace(item, card=next(new)) if item.closed else item
                    for item in text.piles[seat].items
                )
                piles.append(replace(text.piles[seat], items=items))
            talon = tuple(card for cards in chosen[4:] for card in cards) + text.talon[end:]
            line = replace(text, hands=tuple(own), piles=tuple(piles), talon=talon)
            position = Position(line, check=False)
            shown_first = caller >= 0 and {m.kind for m in position.legal_moves()} == {
                "claim", "pass",
            }  # fmt: skip
            if position.result is None and not shown_first:
                found.append(str(line))
            return
        for cards in combinations(rest, sizes[at]):
            fill(at + 1, tuple(c for c in rest if c not in cards), (*chosen, cards))

    fill(0, tuple(pool), ())
    return found


def play_at_random(game: BuraGame, seed: int) -> BuraState:
    """A hand played out at random: an example, and a quick check."""
    rng = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return state


pyspiel.register_game(_TYPE, BuraGame)
