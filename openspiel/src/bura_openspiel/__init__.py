"""Bura as a game of OpenSpiel, `python_bura`, for two players under every rule set of two.

    >>> import pyspiel, bura_openspiel
    >>> game = pyspiel.load_game("python_bura", {"rules": "georgian3"})

Importing the package registers the game. Parameters:

* ``rules``: a rule set as in a position line (default ``georgian3``).
* ``position``: a position line with all cards known, blanks written as ``~``; the game is then the
  public ending of that line, each joint deal equally likely. Left out, a hand is dealt card by
  card. ``view``: the seat that is asked, for a call before the other's lead.
* ``max_raises``: how many more raises there may be (default 2; the ladder has 5 steps).

Chance is explicit. The course of a trick, and what a player knows when he decides, are those of
docs/equilibrium.md: a claim first, then combinations that win on sight, raises, a call, the lead.
Returns are in stakes. Rules are the core's `Position`.

An action is relative to the hand of the player who acts, sorted: ``64 * kind + mask``, where the
mask picks cards of his hand and kind is 0 a play, 1 a discard, 2 a call; from 192 on the words of
`WORDS`.
"""

from bura_openspiel.game import WORDS, BuraGame, BuraState, move_of

__all__ = ["WORDS", "BuraGame", "BuraState", "move_of"]
