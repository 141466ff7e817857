"""What the command line says, in English, Russian and Georgian: its only place.

Positions, moves with cards, rule sets and their switches stay in the project's notation, and so
do faults, which are the service's words. A key is the same in each language; a test sees to it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from bura._words import large, thousands

__all__ = ["TEXTS", "Language", "Words", "preferred"]


class Language(StrEnum):
    """The language of what is said."""

    EN = "en"
    RU = "ru"
    KA = "ka"


def preferred(chosen: Language | None) -> Language:
    """The language that was chosen, or else that of the locale, or English."""
    if chosen is not None:
        return chosen
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            code = value.replace("-", "_").partition("_")[0].casefold()
            return next((each for each in Language if each == code), Language.EN)
    return Language.EN


_NOUNS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "point": {"en": ("point", "points"), "ru": ("очко", "очка", "очков"), "ka": ("ქულა",)},
    "card": {"en": ("card", "cards"), "ru": ("карта", "карты", "карт"), "ka": ("კარტი",)},
    "unknown": {
        "en": ("unknown card", "unknown cards"),
        "ru": ("неизвестная карта", "неизвестные карты", "неизвестных карт"),
        "ka": ("უცნობი კარტი",),
    },
    "closed": {
        "en": ("face-down card", "face-down cards"),
        "ru": ("закрытая карта", "закрытые карты", "закрытых карт"),
        "ka": ("დახურული კარტი",),
    },
    "move": {"en": ("move", "moves"), "ru": ("ход", "хода", "ходов"), "ka": ("სვლა",)},
    "node": {
        "en": ("node", "nodes"), "ru": ("узел", "узла", "узлов"), "ka": ("კვანძი",),
    },
    "world": {
        "en": ("world", "worlds"),
        "ru": ("расклад", "расклада", "раскладов"),
        "ka": ("დარიგება",),
    },
    "raise": {
        "en": ("further raise", "further raises"),
        "ru": ("новое повышение", "новых повышения", "новых повышений"),
        "ka": ("შემდგომი აწევა",),
    },
    "puzzle": {
        "en": ("puzzle", "puzzles"), "ru": ("задача", "задачи", "задач"), "ka": ("ამოცანა",),
    },
}  # fmt: skip

_EN: Final[Mapping[str, str]] = {
    # suits, trumps, moves
    "suit_s": "spades", "suit_h": "hearts", "suit_d": "diamonds", "suit_c": "clubs",
    "no_trump": "no trumps", "trumps_are": "trumps are {suit}",
    "claim": "claim", "pass": "pass", "raise": "raise", "accept": "accept", "fold": "fold",
    "challenge": "challenge", "stop": "stop",
    "do_claim": "Claim", "do_pass": "Pass", "do_raise": "Raise", "do_accept": "Accept",
    "do_fold": "Fold", "do_challenge": "Challenge",
    "do_stop": "Call stop and lead {cards}", "do_lead": "Lead {cards}",
    "do_answer": "Answer with {cards}", "do_lay": "Lay {cards} face down",
    # the table
    "to_lead": "to lead", "to_answer": "to answer",
    "your_lead": "to lead", "your_answer": "to answer",
    "you_are": "you are seat {seat}, ", "seat_is": "seat {seat} is {act}",
    "you": " (you)", "hand_of": "hand of seat {seat}", "pile_of": "pile of seat {seat}",
    "talon": "talon", "played": "seat {seat} played", "may_claim": "may claim",
    "seat_n": "seat {seat}", "none": "none", "empty": "empty",
    "at_bottom": "{count}, at the bottom {card}",
    "stake": "stake", "raiser": "raiser", "offer": "offer", "score": "score",
    "handicap": "handicap", "left": "left", "lost": "lost", "led": "led", "stopped": "stopped",
    "held": "held", "trick": "trick",
    # numbers
    "points_between": "{least} to {most} points",
    "between": "between {lower} and {upper}", "range": "{lower} to {upper}",
    "about": "about {number}",
    "score_of": "score {value}",
    "win": "win", "draw": "no winner", "loss": "loss",
    "nodes": "nodes", "time": "time", "stop_asked": "stopped",
    "work": "{nodes} in {time}", "cut": "{said}, cut short by the bound on {bound}",
    # hint
    "nothing": "There is nothing to play.", "nothing_line": "nothing to play",
    "averages": "Averages over worlds, to compare:",
    "bracket": "A card in brackets is laid face down.",
    "not_solved": "Not solved as an ending: {why}.",
    "claim_needs": "A claim needs {points}", "at_most": ", {ceiling} at most",
    "no_right": "{need}; you have no right to claim just now.",
    "no_right_chance": "{need}; you have no right to claim just now. As your pile stands, a claim "
    "would hold with a chance of {chance}.",
    "right": "{need}, and you may claim now. {holds}",
    "h_move": "move", "h_value": "value", "h_win": "win", "h_draw": "draw", "h_loss": "loss",
    "h_unsettled": "unsettled", "h_beaten": "beaten",
    "recommended": "recommended", "as_good": "as good", "blunder": "blunder",
    "h_often": "how often", "h_always": "if always",
    "worth": "In equilibrium over the {deals} deals that you both hold possible this hand is "
    "worth {value} of a stake",
    "few_raises": " (no more than {raises} considered)",
    "always": "{told}. Always ", "pure": ": nothing is gained by mixing here.",
    "or": " or ", "free": ": as good as any mixture, whatever the other makes of it.",
    "play": "{told}. Play ", "of_the_time": " {share} of the time",
    "mix": ", at random. Against an opponent who plays right each of these is worth the same; "
    "but if you always did one of them with such a hand, he could tell your hand by it.",
    "cost_before": " Always ", "cost": " would be worth {value}.",
    "wins_in": ": it wins in {share} of {worlds}.",
    "equal": " Just as good: ", "close": " Too close to tell apart: ",
    "blunders": " Clear blunders: ", "and_more": " and {count} more",
    "beaten_never": "The other hand can't beat it.",
    "beaten_sure": "The other hand can beat it for certain.",
    "beaten": "The other hand can beat it with a chance of {chance}.",
    "only_world": "the only world that fits what you have seen",
    "all_worlds": "the {count} worlds that fit what you have seen",
    "some_worlds": "{worlds} out of {total} that fit what you have seen",
    "caveat": "In each of those worlds the cards are played as if all were known, which flatters "
    "moves that leave a guess open.",
    "ahead": "{cards} of the talon ahead", "this_trick": "to the end of this trick",
    "caveat_ahead": "{known} Searched {ahead}, with a rule of thumb beyond, whose mistakes no "
    "standard error covers.",
    "equilibrium_line": "  {value} in equilibrium", "over": "  {value}, over {worlds}",
    "so_far": "{move} over {worlds}",
    # claim
    "seen_of": "{least} to {most} points, {shown} of them seen",
    "pile": "Pile of seat {seat}: {pile}; {need}.", "needed": "{points} are needed",
    "and_at_most": ", and at most {ceiling}",
    "pile_closed": "{shown} and {closed}, {least} to {most} points for certain",
    "no_right_here": "But there is no right to claim in this very position.",
    "d_claim": "Claim: ", "d_play_on": "Play on, with {move}: ",
    "d_values": "a claim is worth {claim}, playing on {play} (±{error}) of the stake.",
    "d_first": " A later claim wins in {own}, the other gets there first in {other}.",
    # raise
    "r_stake": "stake {stake}", "r_offered": ", {offered} after the raise",
    "r_best": "Seat {seat}: {move} ({stake}).",
    "r_option": "option", "r_match": "match won", "r_stakes": "stakes", "r_won": "hand won",
    "r_chance": "If nobody raised any more, the hand would be won with {chance}.",
    "r_answer": " Before the raise it was {before}; accepting needs {least}.",
    "r_stays": " The other does not give up with {accepts}.",
    "sure": "The claim is sure to hold.", "impossible": "The claim can't hold.",
    "open": "The claim is open: it holds with a chance of {chance}.",
    "claim_line": "{pile}, {target} needed. {holds}",
    "h_points": "points", "h_ways": "ways", "h_chance": "chance",
    # solve
    "best": "best", "for_themselves": ", {value} if all play for themselves",
    "against_all": " against all others together",
    "best_play_own": "Best play for oneself: ", "best_play": "Best play: ",
    "to_act": "Seat {seat}, to act: {value}.",
    "may_call": "Seat {seat} may call {move}: {value}.",
    "call_any": "Another seat may call first, which the values of the moves leave out.",
    "call_other": "The other seat may call an out-of-turn lead first, which the values of the "
    "moves leave out.",
    "h_seat": "seat", "h_against": "against all others", "h_own": "all play for themselves",
    # show
    "over_nobody": "The hand is over. Nobody wins: {reason}.",
    "over_seat": "The hand is over. Seat {seat} wins: {reason}.",
    "may_play": "Seat {seat} may play: ",
    "reason_claim": "claim", "reason_false_claim": "false claim", "reason_bura": "bura",
    "reason_three_aces": "three aces", "reason_four_aces": "four aces",
    "reason_little_moskva": "little Moskva", "reason_molodka": "molodka",
    "reason_points": "points", "reason_fold": "fold", "reason_foul": "foul",
    "reason_draw": "draw", "reason_no_winner": "no winner", "reason_void": "void",
    "reason_redeal": "redeal", "reason_challenge": "challenge",
    "reason_false_challenge": "false challenge",
    # review
    "h_trick": "trick", "h_outcome": "outcome", "result": "; result {result}",
    "result_seat": "{seat} {reason}", "result_nobody": "{reason}",
    "costly_one": "1 move cost the hand or a draw.",
    "costly": "{moves} cost the hand or a draw.",
    "costless": "No move gave anything away.",
    "costless_sure": "No move certainly gave anything away.",
    "unproved": " Of {moves} it is not proved what they cost.",
    "loses": "loses", "gives_up": "gives up a win", "better": "; better ",
    "forced": "forced", "not_proved": "not proved",
    # perft, rules, bench
    "sequences": "{count} sequences of {moves}", "more_than": "more than {count}",
    "in_time": "in {time}",
    "h_name": "name", "h_after": "after",
    "tell_rules": "`bura rules NAME` tells one in words, with every switch (--lang ru: in "
    "Russian).",
    "h_rules": "rule set", "h_positions": "positions", "h_nodes": "nodes", "h_search": "search",
    "h_rate": "nodes/s", "total": "total", "for_points": "points", "for_score": "score",
    "signature": "signature",
    "answered": "answered",
    "rate": "{rate} positions/s, {time} with the way to the service and back",
    # progress
    "searching": "searching",
    # puzzles
    "kind_clairvoyant": "All cards are known, to both.",
    "kind_seat": "You know what you have seen: your move has to win whatever the rest is "
    "({worlds} deals fit).",
    "own_hand": "your hand", "other_hand": "other hand", "on_table": "on the table",
    "own_pile": "your pile", "other_pile": "other pile", "h_trumps": "trumps",
    "you_may_claim": "you may claim",
    "ask": "Your move (or help): ", "again": "Try again: ",
    "help": "A move is its cards, as in KsTh; in brackets to lay them face down; or claim. "
    "Commands: moves, hint, solution, skip, quit.",
    "unknown": "{typed}: no legal move here; `moves` lists them.",
    "yes": "Right.", "theme": "Theme: {themes}.", "line": "Best play: ",
    "puzzle_loses": " loses", "puzzle_draws": " does not win",
    "after": " after ", "world": "if the cards lie so:", "at_once": "at once",
    "solved": "{first} of {all} solved at the first try, {later} later.",
    "no_puzzle": "no puzzle is like that; leave out an option",
    "h_id": "id", "h_stars": "stars", "h_rating": "rating", "h_kind": "kind",
    "clairvoyant": "clairvoyant", "seat": "seat",
    "listed": "{puzzles}. Themes: {themes}", "h_preset": "rules",
}  # fmt: skip

_RU: Final[Mapping[str, str]] = {
    "suit_s": "пики", "suit_h": "черви", "suit_d": "бубны", "suit_c": "трефы",
    "no_trump": "без козырей", "trumps_are": "козыри {suit}",
    "claim": "вскрыться", "pass": "пас", "raise": "поднять", "accept": "принять",
    "fold": "сдаться", "challenge": "проверить", "stop": "стоп",
    "do_claim": "Вскрыться", "do_pass": "Пас", "do_raise": "Поднять", "do_accept": "Принять",
    "do_fold": "Сдаться", "do_challenge": "Проверить",
    "do_stop": "Сказать «стоп» и зайти {cards}", "do_lead": "Зайти {cards}",
    "do_answer": "Ответить {cards}", "do_lay": "Снести взакрытую {cards}",
    "to_lead": "заходит", "to_answer": "отвечает",
    "your_lead": "ваш заход", "your_answer": "ваш ответ",
    "you_are": "вы игрок {seat}, ", "seat_is": "игрок {seat} {act}",
    "you": " (вы)", "hand_of": "рука игрока {seat}", "pile_of": "взятки игрока {seat}",
    "talon": "колода", "played": "положил игрок {seat}", "may_claim": "может вскрыться",
    "seat_n": "игрок {seat}", "none": "нет", "empty": "пусто",
    "at_bottom": "{count}, внизу {card}",
    "stake": "ставка", "raiser": "поднял", "offer": "предложено", "score": "счёт",
    "handicap": "фора", "left": "вышли", "lost": "проиграли", "led": "заходил",
    "stopped": "остановлен", "held": "отложено", "trick": "взятка",
    "points_between": "от {least} до {most} очков",
    "between": "от {lower} до {upper}", "range": "от {lower} до {upper}",
    "about": "около {number}",
    "score_of": "счёт {value}",
    "win": "выигрыш", "draw": "ничья", "loss": "проигрыш",
    "nodes": "узлам", "time": "времени", "stop_asked": "остановке",
    "work": "{nodes} за {time}", "cut": "{said}, прервано по {bound}",
    "nothing": "Ходить нечем.", "nothing_line": "ходить нечем",
    "averages": "Средние по раскладам, для сравнения:",
    "bracket": "Карты в скобках сносят взакрытую.",
    "not_solved": "Как концовка не решена.",
    "claim_needs": "Чтобы вскрыться, нужно {points}", "at_most": ", не больше {ceiling}",
    "no_right": "{need}; сейчас вскрыться нельзя.",
    "no_right_chance": "{need}; сейчас вскрыться нельзя. С такими взятками вскрытие было бы верно "
    "с вероятностью {chance}.",
    "right": "{need}, и сейчас вскрыться можно. {holds}",
    "h_move": "ход", "h_value": "оценка", "h_win": "выигр", "h_draw": "ничья", "h_loss": "проигр",
    "h_unsettled": "неясно", "h_beaten": "побьют",
    "recommended": "лучший", "as_good": "не хуже", "blunder": "ошибка",
    "h_often": "как часто", "h_always": "если всегда",
    "worth": "В равновесии по раскладам, возможным для обоих ({deals}), эта рука стоит в ставках "
    "{value}",
    "few_raises": " (учтено не больше: {raises})",
    "always": "{told}. Всегда ", "pure": ": смешивать здесь незачем.",
    "or": " или ", "free": ": не хуже любой смеси, что бы соперник из этого ни заключил.",
    "play": "{told}. Играйте наугад: ", "of_the_time": " в {share} случаев",
    "mix": ". Против верной игры каждый из этих ходов стоит одинаково; но если с такой рукой "
    "всегда делать один из них, соперник узнает по нему вашу руку.",
    "cost_before": " Всегда ", "cost": " стоило бы {value}.",
    "wins_in": ": выигрыш в {share}, {worlds}.",
    "equal": " Не хуже: ", "close": " Почти не различить: ",
    "blunders": " Явные ошибки: ", "and_more": " и ещё {count}",
    "beaten_never": "Соперник этого не побьёт.",
    "beaten_sure": "Соперник это наверняка побьёт.",
    "beaten": "Соперник побьёт это с вероятностью {chance}.",
    "only_world": "расклад, который один подходит к тому, что вы видели",
    "all_worlds": "по всем раскладам, что подходят к увиденному ({count})",
    "some_worlds": "{worlds} из {total}, что подходят к увиденному",
    "caveat": "В каждом раскладе карты разыграны так, будто все известны; это приукрашивает ходы, "
    "после которых надо угадывать.",
    "ahead": "колода на {cards} вперёд", "this_trick": "до конца этой взятки",
    "caveat_ahead": "{known} Просмотрено: {ahead}, дальше — прикидка, ошибок которой погрешность "
    "не учитывает.",
    "equilibrium_line": "  {value} в равновесии", "over": "  {value}, {worlds}",
    "so_far": "{move}, {worlds}",
    "seen_of": "от {least} до {most} очков, из них видно {shown}",
    "pile": "Взятки игрока {seat}: {pile}; {need}.", "needed": "нужно {points}",
    "and_at_most": ", и не больше {ceiling}",
    "pile_closed": "{shown} и {closed}, наверняка от {least} до {most} очков",
    "no_right_here": "Но в этой позиции вскрыться нельзя.",
    "d_claim": "Вскрыться: ", "d_play_on": "Играть дальше, {move}: ",
    "d_values": "вскрытие стоит {claim}, игра дальше {play} (±{error}) ставки.",
    "d_first": " Позже вскрыться и выиграть: {own}, соперник успеет раньше: {other}.",
    "r_stake": "ставка {stake}", "r_offered": ", после повышения {offered}",
    "r_best": "Игрок {seat}: {move} ({stake}).",
    "r_option": "что делать", "r_match": "партия", "r_stakes": "ставки", "r_won": "кон выигран",
    "r_chance": "Если больше никто не повышает, кон выигрывается с вероятностью {chance}.",
    "r_answer": " До повышения было {before}; чтобы принять, нужно {least}.",
    "r_stays": " Соперник не сдаётся с вероятностью {accepts}.",
    "sure": "Вскрытие наверняка верно.", "impossible": "Вскрытие не может быть верным.",
    "open": "Вскрытие под вопросом: верно с вероятностью {chance}.",
    "claim_line": "{pile}, нужно {target}. {holds}",
    "h_points": "очки", "h_ways": "способы", "h_chance": "вероятность",
    "best": "лучший", "for_themselves": ", {value}, если каждый за себя",
    "against_all": " против всех вместе",
    "best_play_own": "Лучшая игра за себя: ", "best_play": "Лучшая игра: ",
    "to_act": "Игрок {seat}, его ход: {value}.",
    "may_call": "Игрок {seat} может объявить {move}: {value}.",
    "call_any": "Раньше может объявить другой игрок; в оценках ходов этого нет.",
    "call_other": "Раньше может зайти вне очереди другой игрок; в оценках ходов этого нет.",
    "h_seat": "игрок", "h_against": "против всех", "h_own": "каждый за себя",
    "over_nobody": "Сдача окончена. Никто не выиграл: {reason}.",
    "over_seat": "Сдача окончена. Выиграл игрок {seat}: {reason}.",
    "may_play": "Игрок {seat} может пойти: ",
    "reason_claim": "вскрылся верно", "reason_false_claim": "ложный вар", "reason_bura": "бура",
    "reason_three_aces": "три туза", "reason_four_aces": "четыре конца",
    "reason_little_moskva": "малая Москва", "reason_molodka": "молодка",
    "reason_points": "по очкам", "reason_fold": "соперник сдался", "reason_foul": "нарушение",
    "reason_draw": "ничья", "reason_no_winner": "никто не вскрылся",
    "reason_void": "сдача не считается", "reason_redeal": "пересдача",
    "reason_challenge": "во взятке бура", "reason_false_challenge": "буры во взятке нет",
    "h_trick": "взятка", "h_outcome": "итог", "result": "; итог: {result}",
    "result_seat": "игрок {seat}, {reason}", "result_nobody": "{reason}",
    "costly_one": "1 ход стоил сдачи или ничьей.",
    "costly": "Стоили сдачи или ничьей: {moves}.",
    "costless": "Ни один ход ничего не упустил.",
    "costless_sure": "Ни один ход наверняка ничего не упустил.",
    "unproved": " Не доказано, чего стоили: {moves}.",
    "loses": "проигрывает", "gives_up": "упускает выигрыш", "better": "; лучше ",
    "forced": "вынужден", "not_proved": "не доказано",
    "sequences": "последовательностей ({moves}): {count}", "more_than": "больше {count}",
    "in_time": "за {time}",
    "h_name": "правила", "h_after": "источник",
    "tell_rules": "Словами и со всеми настройками — `bura rules ИМЯ`.",
    "h_rules": "правила", "h_positions": "позиции", "h_nodes": "узлы", "h_search": "поиск",
    "h_rate": "узлов/с", "total": "всего", "for_points": "очки", "for_score": "счёт",
    "signature": "подпись",
    "answered": "скорость",
    "rate": "{rate} позиций/с, {time} с дорогой до службы и обратно",
    "searching": "считаю",
    "kind_clairvoyant": "Все карты известны обоим.",
    "kind_seat": "Известно только то, что вы видели: ход должен выигрывать при любом раскладе "
    "(подходит раскладов: {worlds}).",
    "own_hand": "ваши карты", "other_hand": "карты соперника", "on_table": "на столе",
    "own_pile": "ваши взятки", "other_pile": "взятки соперника", "h_trumps": "козыри",
    "you_may_claim": "можно вскрыться",
    "ask": "Ваш ход (или помощь): ", "again": "Ещё раз: ",
    "help": "Ход — это карты, например Кп10ч или KsTh; в скобках — взакрытую; или «вар». "
    "Команды: ходы, подсказка, решение, дальше, выход.",
    "unknown": "{typed}: такого хода здесь нет; «ходы» покажет все.",
    "yes": "Верно.", "theme": "Тема: {themes}.", "line": "Лучшая игра: ",
    "puzzle_loses": " проигрывает", "puzzle_draws": " не выигрывает",
    "after": ": ", "world": "при таком раскладе:", "at_once": "сразу",
    "solved": "Решено с первого раза: {first} из {all}, потом ещё {later}.",
    "no_puzzle": "таких задач нет; уберите какое-нибудь условие",
    "h_id": "имя", "h_stars": "звёзды", "h_rating": "сложность", "h_kind": "вид",
    "clairvoyant": "открытая", "seat": "закрытая",
    "listed": "{puzzles}. Темы: {themes}", "h_preset": "правила",
}  # fmt: skip

_KA: Final[Mapping[str, str]] = {
    "suit_s": "ყვავი", "suit_h": "გული", "suit_d": "აგური", "suit_c": "ჯვარი",
    "no_trump": "უკოზიროდ", "trumps_are": "კოზირი {suit}",
    "claim": "ვარი", "pass": "პასი", "raise": "აწევა", "accept": "მიღება",
    "fold": "დანებება", "challenge": "შემოწმება", "stop": "სტოპ",
    "do_claim": "ვარი", "do_pass": "პასი", "do_raise": "აწევა", "do_accept": "მიღება",
    "do_fold": "დანებება", "do_challenge": "შემოწმება",
    "do_stop": "სტოპ და ჩამოსვლა {cards}", "do_lead": "ჩამოსვლა {cards}",
    "do_answer": "პასუხი {cards}", "do_lay": "დახურულად ჩადება {cards}",
    "to_lead": "ჩამოდის", "to_answer": "პასუხობს",
    "your_lead": "თქვენი ჩამოსვლაა", "your_answer": "თქვენი პასუხია",
    "you_are": "თქვენ ხართ მოთამაშე {seat}, ", "seat_is": "მოთამაშე {seat} {act}",
    "you": " (თქვენ)", "hand_of": "მოთამაშე {seat}, ხელი", "pile_of": "მოთამაშე {seat}, წაღებული",
    "talon": "დასტა", "played": "მოთამაშე {seat}, მაგიდაზე", "may_claim": "შეუძლია ვარის თქმა",
    "seat_n": "მოთამაშე {seat}", "none": "არ არის", "empty": "ცარიელია",
    "at_bottom": "{count}, ბოლოში {card}",
    "stake": "ფსონი", "raiser": "ასწია", "offer": "შეთავაზება", "score": "ანგარიში",
    "handicap": "ფორა", "left": "გავიდა", "lost": "წააგო", "led": "ჩამოვიდა",
    "stopped": "შეჩერებული", "held": "გადადებული", "trick": "წაღება",
    "points_between": "{least}-დან {most}-მდე ქულა",
    "between": "{lower}-დან {upper}-მდე", "range": "{lower}-დან {upper}-მდე",
    "about": "დაახლოებით {number}",
    "score_of": "ანგარიში {value}",
    "win": "მოგება", "draw": "ფრე", "loss": "წაგება",
    "nodes": "კვანძები", "time": "დრო", "stop_asked": "გაჩერება",
    "work": "{nodes}, {time}", "cut": "{said}, შეწყდა ზღვარზე: {bound}",
    "nothing": "სათამაშო არაფერია.", "nothing_line": "სათამაშო არაფერია",
    "averages": "საშუალო დარიგებების მიხედვით, შესადარებლად:",
    "bracket": "ფრჩხილებში ჩასმული კარტი დახურულად იდება.",
    "not_solved": "დაბოლოებად არ ამოხსნილა.",
    "claim_needs": "ვარისთვის საჭიროა {points}", "at_most": ", არაუმეტეს {ceiling}",
    "no_right": "{need}; ახლა ვარის თქმა არ შეიძლება.",
    "no_right_chance": "{need}; ახლა ვარის თქმა არ შეიძლება. ამ წაღებულით ვარი მართალი იქნებოდა "
    "ალბათობით {chance}.",
    "right": "{need}, და ახლა ვარის თქმა შეიძლება. {holds}",
    "h_move": "სვლა", "h_value": "შეფასება", "h_win": "მოგება", "h_draw": "ფრე",
    "h_loss": "წაგება", "h_unsettled": "უცნობი", "h_beaten": "მოჭრიან",
    "recommended": "საუკეთესო", "as_good": "არანაკლები", "blunder": "შეცდომა",
    "h_often": "სიხშირე", "h_always": "თუ ყოველთვის",
    "worth": "წონასწორობაში, ორივესთვის შესაძლო დარიგებებში ({deals}), ეს ხელი ფსონებით ღირს "
    "{value}",
    "few_raises": " (გათვალისწინებულია არაუმეტეს: {raises})",
    "always": "{told}. ყოველთვის ", "pure": ": შერევა აქ არაფერს იძლევა.",
    "or": " ან ", "free": ": ნებისმიერ ნარევზე უარესი არ არის, რაც უნდა დაასკვნას მეორემ.",
    "play": "{told}. ითამაშეთ შემთხვევით: ", "of_the_time": " ({share})",
    "mix": ". სწორი თამაშის წინააღმდეგ ეს სვლები ერთნაირად ღირს; მაგრამ თუ ასეთი ხელით ყოველთვის "
    "ერთ-ერთს ითამაშებთ, მეორე მისით თქვენს ხელს ამოიცნობს.",
    "cost_before": " ყოველთვის ", "cost": " ეღირებოდა {value}.",
    "wins_in": ": მოგება {share}, {worlds}.",
    "equal": " არანაკლები: ", "close": " თითქმის არ განირჩევა: ",
    "blunders": " აშკარა შეცდომები: ", "and_more": " და კიდევ {count}",
    "beaten_never": "მეორე ამას ვერ მოჭრის.",
    "beaten_sure": "მეორე ამას ნამდვილად მოჭრის.",
    "beaten": "მეორე ამას მოჭრის ალბათობით {chance}.",
    "only_world": "ერთადერთი დარიგება, რომელიც ნანახს შეესაბამება",
    "all_worlds": "ყველა დარიგებაში, რომელიც ნანახს შეესაბამება ({count})",
    "some_worlds": "{worlds} {total}-დან, რომლებიც ნანახს შეესაბამება",
    "caveat": "ყოველ დარიგებაში კარტი ისეა გათამაშებული, თითქოს ყველა ცნობილი იყოს; ეს ალამაზებს "
    "სვლებს, რომელთა შემდეგ გამოცნობაა საჭირო.",
    "ahead": "დასტის {cards} წინ", "this_trick": "ამ წაღების ბოლომდე",
    "caveat_ahead": "{known} ნანახია: {ahead}, იქით — მიახლოება, რომლის შეცდომებს ცდომილება არ "
    "ფარავს.",
    "equilibrium_line": "  {value} წონასწორობაში", "over": "  {value}, {worlds}",
    "so_far": "{move}, {worlds}",
    "seen_of": "{least}-დან {most}-მდე ქულა, ნანახია {shown}",
    "pile": "მოთამაშე {seat}, წაღებული: {pile}; {need}.", "needed": "საჭიროა {points}",
    "and_at_most": ", და არაუმეტეს {ceiling}",
    "pile_closed": "{shown} და {closed}, ნამდვილად {least}-დან {most}-მდე ქულა",
    "no_right_here": "მაგრამ ამ პოზიციაში ვარის თქმა არ შეიძლება.",
    "d_claim": "ვარი: ", "d_play_on": "თამაში გრძელდება, {move}: ",
    "d_values": "ვარი ღირს {claim}, თამაშის გაგრძელება {play} (±{error}) ფსონი.",
    "d_first": " მოგვიანებით ვარით მოგება: {own}, მეორე მოასწრებს: {other}.",
    "r_stake": "ფსონი {stake}", "r_offered": ", აწევის შემდეგ {offered}",
    "r_best": "მოთამაშე {seat}: {move} ({stake}).",
    "r_option": "რა ვქნა", "r_match": "პარტია", "r_stakes": "ფსონები", "r_won": "ხელი მოგებული",
    "r_chance": "თუ მეტს არავინ ასწევს, ხელი მოგებულია ალბათობით {chance}.",
    "r_answer": " აწევამდე იყო {before}; მისაღებად საჭიროა {least}.",
    "r_stays": " მეორე არ ნებდება ალბათობით {accepts}.",
    "sure": "ვარი ნამდვილად მართალია.", "impossible": "ვარი მართალი ვერ იქნება.",
    "open": "ვარი საკითხავია: მართალია ალბათობით {chance}.",
    "claim_line": "{pile}, საჭიროა {target}. {holds}",
    "h_points": "ქულა", "h_ways": "გზები", "h_chance": "ალბათობა",
    "best": "საუკეთესო", "for_themselves": ", {value}, თუ ყველა თავისთვის",
    "against_all": " ყველას წინააღმდეგ",
    "best_play_own": "საუკეთესო თამაში თავისთვის: ", "best_play": "საუკეთესო თამაში: ",
    "to_act": "მოთამაშე {seat}, მისი სვლა: {value}.",
    "may_call": "მოთამაშე {seat}-ს შეუძლია თქვას {move}: {value}.",
    "call_any": "მანამდე შეიძლება სხვამ თქვას; სვლების შეფასებაში ეს არ არის.",
    "call_other": "მანამდე შეიძლება მეორე ურიგოდ ჩამოვიდეს; სვლების შეფასებაში ეს არ არის.",
    "h_seat": "მოთამაშე", "h_against": "ყველას წინააღმდეგ", "h_own": "ყველა თავისთვის",
    "over_nobody": "ხელი დასრულდა. არავინ მოიგო: {reason}.",
    "over_seat": "ხელი დასრულდა. მოიგო მოთამაშე {seat}: {reason}.",
    "may_play": "მოთამაშე {seat} ირჩევს: ",
    "reason_claim": "მართალი ვარი", "reason_false_claim": "ცრუ ვარი", "reason_bura": "ბურა",
    "reason_three_aces": "სამი ტუზი", "reason_four_aces": "ოთხი ტუზი",
    "reason_little_moskva": "პატარა მოსკოვი", "reason_molodka": "მალოდკა",
    "reason_points": "ქულებით", "reason_fold": "მეორე დანებდა", "reason_foul": "დარღვევა",
    "reason_draw": "ფრე", "reason_no_winner": "ვარი არავის უთქვამს",
    "reason_void": "ხელი არ ითვლება", "reason_redeal": "ხელახლა დარიგება",
    "reason_challenge": "წაღებაში ბურაა", "reason_false_challenge": "წაღებაში ბურა არ არის",
    "h_trick": "წაღება", "h_outcome": "შედეგი", "result": "; შედეგი: {result}",
    "result_seat": "მოთამაშე {seat}, {reason}", "result_nobody": "{reason}",
    "costly_one": "1 სვლა ხელად ან ფრედ დაჯდა.",
    "costly": "ხელად ან ფრედ დაჯდა: {moves}.",
    "costless": "არც ერთ სვლას არაფერი დაუკარგავს.",
    "costless_sure": "არც ერთ სვლას ნამდვილად არაფერი დაუკარგავს.",
    "unproved": " რა დაჯდა, დაუმტკიცებელია: {moves}.",
    "loses": "აგებს", "gives_up": "უშვებს მოგებას", "better": "; უკეთესია ",
    "forced": "იძულებითი", "not_proved": "დაუმტკიცებელი",
    "sequences": "მიმდევრობა ({moves}): {count}", "more_than": "{count}-ზე მეტი",
    "in_time": "დრო: {time}",
    "h_name": "წესები", "h_after": "წყარო",
    "tell_rules": "სიტყვებით და ყველა პარამეტრით — `bura rules სახელი`.",
    "h_rules": "წესები", "h_positions": "პოზიციები", "h_nodes": "კვანძები", "h_search": "ძებნა",
    "h_rate": "კვანძი/წმ", "total": "სულ", "for_points": "ქულა", "for_score": "ანგარიში",
    "signature": "ხელმოწერა",
    "answered": "სიჩქარე",
    "rate": "{rate} პოზიცია/წმ, {time} სერვისამდე გზითურთ",
    "searching": "ვითვლი",
    "kind_clairvoyant": "ყველა კარტი ორივესთვის ცნობილია.",
    "kind_seat": "იცით მხოლოდ ის, რაც ნახეთ: სვლამ ნებისმიერ დარიგებაში უნდა მოიგოს "
    "(შესაძლო დარიგება: {worlds}).",
    "own_hand": "თქვენი ხელი", "other_hand": "მეორის ხელი", "on_table": "მაგიდაზე",
    "own_pile": "თქვენი წაღებული", "other_pile": "მეორის წაღებული", "h_trumps": "კოზირი",
    "you_may_claim": "შეგიძლიათ ვარის თქმა",
    "ask": "თქვენი სვლა (ან დახმარება): ", "again": "ხელახლა: ",
    "help": "სვლა კარტებია, მაგალითად KsTh; ფრჩხილებში — დახურულად; ან „ვარი“. "
    "ბრძანებები: სვლები, მინიშნება, ამოხსნა, შემდეგი, გასვლა.",
    "unknown": "{typed}: ასეთი სვლა აქ არ არის; „სვლები“ ყველას აჩვენებს.",
    "yes": "სწორია.", "theme": "თემა: {themes}.", "line": "საუკეთესო თამაში: ",
    "puzzle_loses": " აგებს", "puzzle_draws": " ვერ იგებს",
    "after": ": ", "world": "ასეთ დარიგებაში:", "at_once": "მაშინვე",
    "solved": "პირველივე ცდაზე ამოხსნილია {first} / {all}, მერე კიდევ {later}.",
    "no_puzzle": "ასეთი ამოცანა არ არის; მოაშორეთ რომელიმე პირობა",
    "h_id": "სახელი", "h_stars": "ვარსკვლავი", "h_rating": "სირთულე", "h_kind": "სახე",
    "clairvoyant": "ღია", "seat": "დახურული",
    "listed": "{puzzles}. თემები: {themes}", "h_preset": "წესები",
}  # fmt: skip

TEXTS: Final[Mapping[Language, Mapping[str, str]]] = {
    Language.EN: _EN, Language.RU: _RU, Language.KA: _KA,
}  # fmt: skip
"""Language -> key -> what is said; the same keys and fields in each."""


class Words:
    """What is said in one language."""

    def __init__(self, language: Language = Language.EN) -> None:
        self.language = language
        self._texts = TEXTS[language]

    def __call__(self, key: str, **parts: object) -> str:
        """The text of a key with its fields filled in."""
        return self._texts[key].format(**parts)

    def get(self, key: str, other: str) -> str:
        """The text of a key; `other` where there is none, as of a service newer than this."""
        return self._texts.get(key, other)

    def counted(self, number: int, noun: str) -> str:
        """A number and its noun: 1 карта, 2 карты, 5 карт."""
        forms = _NOUNS[noun][self.language]
        if self.language is Language.RU:
            tens, units = abs(number) % 100, abs(number) % 10
            few = units in (2, 3, 4) and tens not in (12, 13, 14)
            form = forms[0 if units == 1 and tens != 11 else 1 if few else 2]
        else:
            form = forms[0 if abs(number) == 1 else -1]
        return f"{thousands(number)} {form}"

    def large(self, number: int) -> str:
        """A whole number, rounded once it is too long to read."""
        text = large(number)
        return self("about", number=text.removeprefix("about ")) if number >= 10**9 else text
