"""Bura in OpenSpiel: its own simulation test, and exploitability of the core's strategies."""

import sys
from itertools import islice
from pathlib import Path

import pytest

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from bura_openspiel import move_of  # noqa: E402
from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import exploitability  # noqa: E402

from bura_core import PRESETS, RuleSet  # noqa: E402
from bura_core.equilibrium import ending_of  # noqa: E402
from endings import endings  # noqa: E402

TWO = [name for name in PRESETS if RuleSet.parse(name).players == 2]


@pytest.mark.parametrize("rules", TWO)
def test_openspiels_own_simulation_passes(rules: str) -> None:
    game = pyspiel.load_game("python_bura", {"rules": rules})
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


class Solved(policies.Policy):
    """The core's average strategies, looked up by what has happened in the OpenSpiel game."""

    def __init__(self, game, core) -> None:  # type: ignore[no-untyped-def]
        super().__init__(game, [0, 1])
        self.game = game
        self.nodes = list(core.nodes())
        self.below: dict[tuple[int, str, int], list[int]] = {}
        for number, (parent, label, *_) in enumerate(self.nodes):
            if label is not None:
                self.below.setdefault((parent, label.kind, label.cards), []).append(number)
        self.sets = [
            {(hand, down): moves for hand, down, moves in sets} for *_, sets in self.nodes
        ]

    def action_probabilities(self, state, player_id=None):  # type: ignore[no-untyped-def]
        walk = self.game.new_initial_state()
        at, spent = 0, frozenset()  # node of the core, and what was already declined there
        for action in state.history():
            if not walk.is_chance_node():
                at, spent = self.step(walk, at, spent, action)
            walk.apply_action(action)
        at = self.skip(walk, at)
        chances = self.chances(walk, at, spent)
        assert sum(chances.values()) == pytest.approx(1)
        return chances

    def stage(self, at: int) -> str:
        return str(self.nodes[at][3])

    def skip(self, walk, at: int) -> int:  # type: ignore[no-untyped-def]
        """A call that this hand cannot make is a decision in the core alone."""
        if walk.stage == "lead" and self.stage(at) == "call":
            return self.below[at, "on", 0][0]
        return at

    def moves(self, walk, at: int) -> list:  # type: ignore[no-untyped-def, type-arg]
        player = walk.current_player()
        hand = walk.position.hands[player]
        pile = walk.position.text().piles[1 - player].items
        down = sum(1 << item.card for item in pile if item.closed)
        return self.sets[at][hand, down]

    def chances(self, walk, at: int, spent: frozenset[str]) -> dict[int, float]:  # type: ignore[no-untyped-def]
        actions = walk.legal_actions()
        if len(actions) == 1:
            return {actions[0]: 1.0}
        hand = walk.position.hands[walk.current_player()]
        named = {action: move_of(hand, action) for action in actions}
        moves = [(m, p) for m, p in self.moves(walk, at) if m.kind not in spent]
        if "on" in {kind for kind, _ in named.values()} and self.stage(at) != walk.stage:
            moves_on = sum(p for m, p in moves if m.kind != "claim")
            chances = {
                a: moves_on if kind == "on" else sum(p for m, p in moves if m.kind == kind)
                for a, (kind, _) in named.items()
            }
        elif walk.stage == "menu" and not any(m.kind == "on" for m, _ in moves):
            plays = sum(p for m, p in moves if m.kind == "play")
            chances = {
                a: plays if kind == "on" else sum(p for m, p in moves if m.kind == kind)
                for a, (kind, _) in named.items()
            }
        else:
            found = {(m.kind, m.cards): p for m, p in moves}
            chances = {a: found.get(key, 0.0) for a, key in named.items()}
        total = sum(chances.values())
        if total <= 0:
            return {action: 1 / len(actions) for action in actions}
        return {action: chance / total for action, chance in chances.items()}

    def step(self, walk, at: int, spent: frozenset[str], action: int):  # type: ignore[no-untyped-def]
        at = self.skip(walk, at)
        player = walk.current_player()
        kind, cards = move_of(walk.position.hands[player], action)
        stage = self.stage(at)
        if kind == "on":
            if walk.stage == "claim" and stage == "menu":
                return at, frozenset({"claim"})
            if walk.stage == "menu" and (at, "on", 0) not in self.below:
                return at, frozenset({"claim", "raise"})
            if walk.stage == "menu" and stage == "call":
                return at, frozenset()
        label = cards.bit_count() if kind == "discard" else cards
        found = self.below.get((at, kind, label), [])
        if kind == "stop" and len(found) > 1:
            after = walk.clone()
            after.apply_action(action)
            void = after.stage == "lead"
            found = [n for n in found if (self.stage(n) == "lead") == void]
        return (found[0] if found else at), frozenset()


@pytest.mark.parametrize("rules", TWO)
def test_exploitability_is_what_openspiels_best_response_finds(rules: str) -> None:
    for view, line in islice(endings(3, rules, cards=(1, 2), most=6), 2):
        game = pyspiel.load_game(
            "python_bura", {"position": line.replace(" ", "~"), "max_raises": 1}
        )
        for iterations in (3, 400):
            core = ending_of(view, max_raises=1)
            core.improve(gap=1e-9, max_iterations=iterations, max_seconds=None, stop=None)
            found = exploitability.nash_conv(game, Solved(game, core))
            assert found == pytest.approx(core.upper - core.lower, abs=1e-7), line
