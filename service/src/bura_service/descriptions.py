"""Rule sets in plain English, made from the switches, so that no text can contradict them."""

from bura_core import RuleSet

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_LOWEST = {36: "six", 32: "seven", 20: "jack"}

_UNCLAIMED = {
    "most_points": "whoever has most points wins it, and a tie is a draw",
    "no_winner": "nobody wins it",
    "threshold": "whoever has those points all the same wins it, and otherwise it is a draw",
}
_CLAIM_WINDOWS = {
    "before_draw": "Whoever has just won a trick may, before the cards are drawn, claim",
    "until_lead": "Whoever has just won a trick may, until he leads again, claim",
    "own_turn": "A player may, whenever it is his turn, claim",
    "end_of_deck": "Once the talon is drawn, whoever has just won a trick may claim",
}
_TWO_BURAS = {
    "higher": "of two such hands the higher wins",
    "played_out": "two such hands are played out",
    "void": "two such hands make the hand void",
}
_BURA = {
    "on_sight": "A hand of nothing but trumps (bura) wins at once",
    "on_lead": "A hand of nothing but trumps (bura) wins when its holder leads the whole of it",
}
_SCORING = {
    "points_match": "a match goes to {match_to} points",
    "robber": "a match goes to {match_to} hands",
    "penalty_12": "whoever has {match_to} penalty points loses the match",
    "balls_12": "whoever has {match_to} penalty points loses the match",
    "burkozel_12": "a match goes to {match_to} points, and clear wins count double or triple",
    "pot": "each hand is played for a pot",
}
_RAISES = {
    "none": "There are no raises",
    "dave": "A player may offer to double the stake before he plays",
    "ladder": "A player may offer to raise the stake by one step",
}
_LED_COMBINATIONS = {
    "four_aces": "four aces",
    "three_aces": "three aces",
    "little_moskva": "little Moskva",
    "molodka": "a whole hand of one plain suit (molodka)",
}


def describe(rules: RuleSet) -> str:
    """One paragraph for a player: deck, hand, claims, combinations, stakes."""
    sentences = [
        _deal(rules),
        _discards(rules),
        _claims(rules),
        *_combinations(rules),
        *_exceptions(rules),
        _stakes(rules),
    ]
    return " ".join(f"{sentence}." for sentence in sentences)


def _deal(rules: RuleSet) -> str:
    players = f"{_NUMBERS[rules.players].capitalize()} players"
    if rules.pairs:
        players += " in pairs"
    cards = "card" if rules.hand == 1 else "cards"
    trumps = "with a trump suit" if rules.trumps else "without trumps"
    return (
        f"{players} hold {_NUMBERS[rules.hand]} {cards} each from a deck of {rules.deck}"
        f" ({_LOWEST[rules.deck]} to ace), {trumps}"
    )


def _discards(rules: RuleSet) -> str:
    if rules.discards == "closed":
        return "Discards lie face down, unseen by anybody else, until the hand is settled"
    return "Discards lie face up"


def _claims(rules: RuleSet) -> str:
    count = f"{rules.target} points or more"
    if rules.claim_ceiling is not None:
        count = f"{rules.target} to {rules.claim_ceiling} points"
    return (
        f"{_CLAIM_WINDOWS[rules.claim_window]}: with {count} in his pile he wins the hand,"
        f" otherwise he loses it; if nobody claims, {_UNCLAIMED[rules.unclaimed]}"
    )


def _combinations(rules: RuleSet) -> list[str]:
    sentences = []
    if rules.bura != "none":
        sentence = _BURA[rules.bura]
        # Two of them can meet only where they win on sight and the trumps suffice for both.
        if rules.bura == "on_sight" and 2 * rules.hand <= rules.deck // 4:
            sentence += f"; {_TWO_BURAS[rules.two_buras]}"
        sentences.append(sentence)
    winning = [
        name for key, name in _LED_COMBINATIONS.items() if getattr(rules, key, "none") == "win"
    ]
    if winning:
        sentences.append(f"{_listed(winning, 'and').capitalize()} win at once")
    # In the order of the rule set: what stands further left prevails.
    led = [
        _LED_COMBINATIONS[key]
        for key in rules.precedence
        if key in _LED_COMBINATIONS and getattr(rules, key) not in ("none", "win")
    ]
    if led:
        sentences.append(
            f"{_capital(_listed(led, 'or'))} may be led out of turn"
            + (", the first named before the others" if len(led) > 1 else "")
        )
    return sentences


def _exceptions(rules: RuleSet) -> list[str]:
    sentences = []
    if rules.spades_immune:
        sentences.append("A spade is beaten only by a higher spade")
    if rules.lead_sizes == "one_or_three":
        sentences.append("A lead is of one card or of three")
    if rules.rank_leads:
        sentences.append("Two or three cards of one rank may be led as well")
    if rules.compensation:
        sentences.append(f"The player who does not lead first has {rules.compensation} points")
    return sentences


def _stakes(rules: RuleSet) -> str:
    scoring = _SCORING[rules.scoring].format(match_to=rules.match_to)
    return f"{_RAISES[rules.raises]}; {scoring}"


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
