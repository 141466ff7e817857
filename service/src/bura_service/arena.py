"""`bura arena`: named players against each other over paired deals.

Every deal is played twice, with the seats changed, so that luck of the cards cancels out in the
pair. Hands are spread over processes, written as one JSON object a line as they end, and an
interrupted run goes on where it stopped. Time is that of the processor, so that a busy machine
does not change who wins. Each hand follows from the seed, its number and the
players; players that think for a time differ a little from run to run.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from bura_core import InputError, Move, RuleSet, UnsupportedError
from bura_core.match import HandOutcome, MatchState, settle_hand
from bura_service.arena_players import PLAYERS, Player, make_player
from bura_service.languages import add_option, preferred, say
from bura_service.play import Hand, _check_playable, _void, deal

_ANSWERED, _UNUSABLE, _INTERRUPTED = 0, 2, 130
_CHUNK = 4
"""Deals that a process takes at a time."""


@dataclass(frozen=True, slots=True)
class Contest:
    """What is played.

    Attributes:
        rules: the rule set's text.
        players: two names of `PLAYERS`.
        seconds: for each move of a player that thinks.
        seed: of the deals.
        score: the match score at which every hand is played, for raises.
    """

    rules: str
    players: tuple[str, str]
    seconds: float
    seed: int
    score: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Played:
    """One hand: the line that is written.

    Attributes:
        deal: number of the deal; swapped: whether the first player sat in seat 1.
        rules, players: as in the contest.
        seconds, seed: as in the contest.
        winner: 0 or 1 for the players as named, None for nobody.
        reason: how the hand ended.
        stake: it was worth so much, score: what the first player got by the rules' scoring.
        start: the deal as a line; moves: what was done, as in notations.
        ms: the mean processor time of a decision, by player.
    """

    deal: int
    swapped: bool
    rules: str
    players: tuple[str, str]
    seconds: float
    seed: int
    winner: int | None
    reason: str
    stake: int
    score: float
    start: str
    moves: tuple[str, ...]
    ms: tuple[float, float]


def play_hand(contest: Contest, number: int, swapped: bool) -> Played:
    """One hand of a deal."""
    rules = RuleSet.parse(contest.rules)
    rng = random.Random(f"{contest.rules} {contest.seed} {number}")
    match = MatchState.start(rules)
    if rules.scoring == "points_match":
        match = replace(match, score=contest.score)
    start = deal(rules, match.leader, rng)
    while _void(start) is not None:
        start = deal(rules, match.leader, rng)
    hand = Hand(start, match)
    order = (1, 0) if swapped else (0, 1)
    seats = [
        make_player(contest.players[who], hash_of(contest.seed, number, who), contest.seconds)
        for who in order
    ]
    spent, decisions = [0.0, 0.0], [0, 0]

    def timed(seat: int, began: float) -> None:
        spent[seat] += time.thread_time() - began
        decisions[seat] += 1

    while hand.position.result is None:
        seat = hand.position.turn
        options = hand.options(seat)
        began = time.thread_time()
        if any(move.kind == "accept" for move in options):
            offered = hand.position.text().offer or 0
            move = seats[seat].answer(
                hand.view(seat), offered, Move("raise") in options, hand.stakes(seat)
            )
        else:
            plain = [option for option in options if option.kind != "raise"]
            move = seats[seat].choose(hand.view(seat), plain, hand.stakes(seat))
        timed(seat, began)
        if move.kind == "play" and not hand.position.table:
            call = _call(hand, 1 - seat, seats[1 - seat])
            move = call or move
        hand.make(move)
    outcome = HandOutcome.of(hand.position, hand.tricks)
    winner = None if outcome.winner is None else order[outcome.winner]
    return Played(
        deal=number,
        swapped=swapped,
        rules=contest.rules,
        players=contest.players,
        seconds=contest.seconds,
        seed=contest.seed,
        winner=winner,
        reason=outcome.reason,
        stake=outcome.stake,
        score=_score(rules, outcome, order.index(0)),
        start=str(start),
        moves=tuple(map(str, hand.moves)),
        ms=tuple(
            [
                round(1e3 * spent[order.index(who)] / max(1, decisions[order.index(who)]), 3)
                for who in (0, 1)
            ]
        ),  # type: ignore[arg-type]
    )


def hash_of(*numbers: int) -> int:
    """A seed of 31 bits that follows from some numbers, the same in every process."""
    return random.Random(" ".join(map(str, numbers))).getrandbits(31)


def _call(hand: Hand, seat: int, player: Player) -> Move | None:
    """The out-of-turn lead that a seat calls before the other leads, if it does."""
    calls = [move for seat_, move in hand.position.calls() if seat_ == seat]
    if not calls:
        return None
    options = hand.options(seat)
    if not any(move.kind == "stop" for move in options):
        return None
    move = player.choose(hand.view(seat), options, replace(hand.stakes(seat), allowed=False))
    return move if move in calls else None


def _score(rules: RuleSet, outcome: HandOutcome, first: int) -> float:
    """What the first player, who sits in seat `first`, has won or lost."""
    if rules.scoring == "pot":
        # The pot is two antes: each plays for the other's, times the stake.
        if outcome.winner is None:
            return 0.0
        return float(outcome.stake if outcome.winner == first else -outcome.stake)
    pays = settle_hand(
        rules,
        winner=outcome.winner,
        points=outcome.points,
        tricks=outcome.tricks,
        stake=outcome.stake,
        reason=outcome.reason,
        false_claim_by=outcome.false_claim_by,
        fouls=outcome.fouls,
    )
    difference = float(pays[first] - pays[1 - first])
    return -difference if rules.scoring in ("penalty_12", "balls_12") else difference


def _play_deals(contest: Contest, numbers: Sequence[tuple[int, bool]]) -> list[Played]:
    return [play_hand(contest, number, swapped) for number, swapped in numbers]


def run(
    contest: Contest, deals: int, processes: int, done: Iterable[tuple[int, bool]] = ()
) -> Iterator[Played]:
    """Play what is not done yet of so many paired deals, over some processes."""
    over = set(done)
    todo = [
        (number, swapped)
        for number in range(deals)
        for swapped in (False, True)
        if (number, swapped) not in over
    ]
    chunks = [todo[first : first + 2 * _CHUNK] for first in range(0, len(todo), 2 * _CHUNK)]
    if processes == 1:
        for chunk in chunks:
            yield from _play_deals(contest, chunk)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for played in pool.map(_play_deals, [contest] * len(chunks), chunks):
            yield from played


@dataclass(frozen=True, slots=True)
class Standing:
    """How a contest stands.

    Attributes:
        pairs: deals that were played from both sides.
        mean: of the first player's score a hand; error: its standard error, over pairs.
        interval: 95 % confidence.
        won: share of the hands that somebody won which the first player won.
        ms: mean time of a decision, by player.
    """

    pairs: int
    mean: float
    error: float
    interval: tuple[float, float]
    won: float
    ms: tuple[float, float]


def standing(hands: Iterable[Played]) -> Standing:
    """The result of some hands, without those of deals that were played from one side only."""
    pairs: dict[int, list[Played]] = {}
    for hand in hands:
        pairs.setdefault(hand.deal, []).append(hand)
    whole = [pair for pair in pairs.values() if len(pair) == 2]
    scores = [(pair[0].score + pair[1].score) / 2 for pair in whole]
    n = len(scores)
    mean = sum(scores) / n if n else 0.0
    spread = sum((score - mean) ** 2 for score in scores)
    error = math.sqrt(spread / (n - 1) / n) if n > 1 else math.inf
    decided = [hand for pair in whole for hand in pair if hand.winner is not None]
    every = [hand for pair in whole for hand in pair]
    return Standing(
        pairs=n,
        mean=mean,
        error=error,
        interval=(mean - 1.96 * error, mean + 1.96 * error),
        won=sum(hand.winner == 0 for hand in decided) / len(decided) if decided else 0.0,
        ms=tuple(
            [sum(hand.ms[who] for hand in every) / len(every) if every else 0.0 for who in (0, 1)]
        ),  # type: ignore[arg-type]
    )


def read_lines(path: Path, contest: Contest) -> list[Played]:
    """The hands of a contest that stand in a file; raises ValueError where others do."""
    hands = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            hand = Played(
                **{
                    **raw,
                    "players": tuple(raw["players"]),
                    "moves": tuple(raw["moves"]),
                    "ms": tuple(raw["ms"]),
                }
            )
        except (ValueError, TypeError, KeyError) as error:
            # A run that was killed may leave half a line at the end.
            if number == len(path.read_text(encoding="utf-8").splitlines()):
                break
            raise ValueError(f"line {number} is not a hand of the arena: {error}") from None
        same = (hand.rules, hand.players, hand.seconds, hand.seed)
        if same != (contest.rules, contest.players, contest.seconds, contest.seed):
            raise ValueError(
                f"line {number} is of another contest: {hand.rules}, {hand.players[0]} against "
                f"{hand.players[1]}, {hand.seconds} s, seed {hand.seed}"
            )
        hands.append(hand)
    return hands


def _whole(low: int, high: int) -> object:
    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"use {low} to {high}")
        return value

    return read


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bura arena", description="Players against each other, over paired deals."
    )
    add = parser.add_argument
    add("first", choices=sorted(PLAYERS), help="the player whose result is told")
    add("second", choices=sorted(PLAYERS), help="the other")
    add("--rules", default="georgian3", metavar="RULES", help="the rule set [georgian3]")
    add("--deals", type=_whole(1, 10**7), default=100, metavar="N",  # type: ignore[arg-type]
        help="deals, each played from both sides [100]")  # fmt: skip
    add("--ms", type=float, default=5.0, metavar="MS",
        help="time for each move of a player that thinks, in milliseconds [5]")  # fmt: skip
    add("--seed", type=_whole(0, 2**62), default=0, metavar="N",  # type: ignore[arg-type]
        help="seed of the deals [0]")  # fmt: skip
    add("--processes", type=_whole(1, 256), default=1, metavar="N",  # type: ignore[arg-type]
        help="processes to play in [1]")  # fmt: skip
    add("--out", metavar="FILE", help="append the hands there, and go on with what is missing")
    add("--quiet", action="store_true", help="print the result alone, not every hand")
    add_option(parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Plays and prints one JSON object a hand, then the result on standard error.

    Args:
        argv: the arguments after the command's name; None for those of this process.

    Returns:
        0 when all hands are played, 2 if the arguments can't be used, 130 after an interrupt.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else _UNUSABLE
    try:
        language = preferred(arguments.lang)
    except ValueError as error:
        print(f"bura arena: {error}", file=sys.stderr)
        return _UNUSABLE
    if not 0 < arguments.ms <= 1e6:
        print(f"bura arena: --ms {arguments.ms}: use more than 0", file=sys.stderr)
        return _UNUSABLE
    try:
        rules = RuleSet.parse(arguments.rules)
        _check_playable(rules)
    except (InputError, UnsupportedError) as error:
        for problem in str(error).splitlines():
            print(f"bura arena: {problem}", file=sys.stderr)
        return _UNUSABLE
    contest = Contest(
        str(rules), (arguments.first, arguments.second), arguments.ms / 1e3, arguments.seed
    )
    hands: list[Played] = []
    out = None
    try:
        if arguments.out:
            path = Path(arguments.out)
            if path.exists():
                hands = read_lines(path, contest)
                # Half a line that a killed run has left goes.
                path.write_text("".join(_line(hand) for hand in hands), encoding="utf-8")
            out = path.open("a", encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"bura arena: {arguments.out}: {error}", file=sys.stderr)
        return _UNUSABLE
    status = _ANSWERED
    try:
        done = [(hand.deal, hand.swapped) for hand in hands]
        for hand in run(contest, arguments.deals, arguments.processes, done):
            hands.append(hand)
            if out is not None:
                out.write(_line(hand))
                out.flush()
            if not arguments.quiet:
                sys.stdout.write(_line(hand))
                sys.stdout.flush()
    except KeyboardInterrupt:
        status = _INTERRUPTED
    finally:
        if out is not None:
            out.close()
    result = standing(hand for hand in hands if hand.deal < arguments.deals)
    print(tell(contest, result, language), file=sys.stdout if arguments.quiet else sys.stderr)
    return status


def _line(hand: Played) -> str:
    return json.dumps(asdict(hand)) + "\n"


def tell(contest: Contest, result: Standing, language: str = "en") -> str:
    """The result in words."""
    first, second = contest.players
    if not result.pairs:
        return say(language, "arena_none", first=first, second=second)
    return say(
        language,
        "arena",
        first=first,
        second=second,
        rules=contest.rules,
        hands=2 * result.pairs,
        deals=result.pairs,
        limit=f"{1e3 * contest.seconds:g}",
        took=f"{result.ms[0]:.1f}",
        other_took=f"{result.ms[1]:.1f}",
        mean=f"{result.mean:+.3f}",
        low=f"{result.interval[0]:+.3f}",
        high=f"{result.interval[1]:+.3f}",
        won=f"{100 * result.won:.1f}",
    )
