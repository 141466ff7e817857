"""What `bura play` says, in English and in Russian, and the words it understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("en", "ru")

COMMANDS: Final[Mapping[str, str]] = {
    word: command
    for command, words in {
        "help": "help ? h помощь",
        "hint": "hint подсказка совет",
        "moves": "moves list ходы список",
        "table": "table show стол",
        "undo": "undo отмена назад",
        "quit": "quit exit q выход",
        "claim": "claim var вар вскрываюсь вскрыться",
        "raise": "raise dave davi дави даве поднять",
        "accept": "accept принять принимаю",
        "fold": "fold сдаюсь",
        "pass": "pass дальше пас",
        "challenge": "challenge проверяю проверить",
    }.items()
    for word in words.split()
}
"""A typed word -> the command or the move without cards that it stands for."""

_EN: Final[Mapping[str, str]] = {
    "spades": "spades",
    "hearts": "hearts",
    "diamonds": "diamonds",
    "clubs": "clubs",
    "title": "Bura, {rules}. You play against the machine; `help` explains.",
    "no_match": "Played for the pot, as long as you like.",
    "match_to": "The match goes to {to}.",
    "penalties_to": "Penalties are written down; {to} of them lose the match.",
    "hand": "--- Hand {number} ---",
    "deals_you": "You deal, the machine leads.",
    "deals_machine": "The machine deals, you lead.",
    "score": "Score: you {own}, the machine {other}.",
    "money": "Pot: {pot}. You stand at {own}, the machine at {other} (antes included).",
    "no_raises": "One side is one point short: this hand is played without raises.",
    "handicap": "Beside the piles count: {own} for you, {other} for the machine.",
    "redeal": "A combination in the first deal ({name}): the hand is dealt again.",
    "trump": "Trumps: {trump}",
    "no_trump": "No trumps",
    "turn_up": ", at the bottom of the talon {card}",
    "talon": "talon: {count}",
    "stake": "stake: {stake}",
    "your_hand": "Your hand",
    "open_hand": "The machine's open hand",
    "led": "On the table",
    "count": "Your pile: {shown} points seen, face-down cards not seen: {closed}.",
    "leads": "The machine leads {cards}.",
    "beats": "The machine beats them with {cards}.",
    "discards": "The machine gives up {cards}.",
    "lays": "The machine lays {count} face down.",
    "card1": "1 card",
    "cards": "{count} cards",
    "you_take": "You take the trick.",
    "machine_takes": "The machine takes the trick.",
    "you_draw": "You draw {cards}.",
    "machine_draws": "The machine draws the turned trump {card}.",
    "machine_stop": "The machine calls stop and leads {cards}.",
    "lead_back": "Your lead goes back to your hand.",
    "lead_stays": "Your lead goes back to your hand, and has to be part of your answer.",
    "lays_open": "The machine lays {cards} face down from its open hand.",
    "machine_challenges": "The machine says that the trick you have taken holds a bura.",
    "to_challenge": "The trick is lost: challenge (it holds a bura) or pass",
    "no_call": "The machine holds a combination as high or higher: the lead stays with it.",
    "machine_claims": "The machine claims.",
    "machine_raises": "The machine raises the stake to {stake}.",
    "machine_accepts": "The machine accepts; the stake is {stake}.",
    "machine_folds": "The machine gives the hand up.",
    "to_lead": "Your lead",
    "to_answer": "Your answer",
    "to_claim": "You have won the trick: claim or pass",
    "to_call": "You may call out of turn, or pass",
    "to_raise": "Accept, fold or raise",
    "to_take": "Accept or fold",
    "confirm": "{move}: Enter plays it, `undo` takes it back",
    "undone": "Taken back.",
    "no_undo": "There is nothing to take back: the other has acted, or cards were drawn.",
    "hint_is": "Best: {move}, chance to win the hand {chance}.",
    "hint_plain": "Best: {move}.",
    "hint_others": "Then: {moves}.",
    "hint_claim": "A claim would hold with a chance of {chance}.",
    "bad_number": "There is no move number {number}: use 1 to {most}.",
    "bad_move": "Not understood: {text}. Write cards (As, AsTs), a move's number, or a word"
    " such as claim; `help` lists them.",
    "not_yours": "You do not hold {cards}.",
    "wrong_count": "Answer with as many cards as were led: {count}.",
    "held_back": "Your lead that was called off has to be part of the answer: {cards}.",
    "not_beating": "{cards} does not beat what lies there; to give it up write ({cards}).",
    "no_brackets": "Nothing is laid face down here: write {cards} without brackets.",
    "not_together": "These cards cannot be led together: {cards}.",
    "not_now": "Not possible now: {move}. Possible: {moves}.",
    "reveal": "The cards:",
    "hand_of_you": "your hand",
    "hand_of_machine": "the machine's hand",
    "pile_of_you": "your pile ({points})",
    "pile_of_machine": "the machine's pile ({points})",
    "rest": "undealt",
    "none": "none",
    "you_win": "You win the hand: {why}.",
    "machine_wins": "The machine wins the hand: {why}.",
    "nobody_wins": "Nobody wins the hand: {why}.",
    "paid": "Written down: you {own}, the machine {other}.",
    "match_you": "You win the match.",
    "match_machine": "The machine wins the match.",
    "match_nobody": "The match ends without a winner.",
    "stopped": "You stop here.",
    "final": "In the end: you {own}, the machine {other}.",
    "eof": "The input has ended, so the game ends here.",
    "claim": "the claim holds",
    "false_claim": "the claim was false",
    "bura": "bura",
    "three_aces": "three aces",
    "four_aces": "four aces",
    "little_moskva": "little Moskva",
    "molodka": "molodka",
    "points": "more points",
    "draw": "a draw",
    "no_winner": "nobody claimed",
    "void": "the hand is void",
    "fold": "the raise was refused",
    "challenge": "the trick holds a bura",
    "false_challenge": "the trick holds no bura",
    "help": """\
Type the cards you play, in any of these spellings: As, A♠, Тп; several cards
together: AsTs. A number plays the move with that number in the list. Cards laid
face down go in brackets: (7s8d).
  claim      you say that your pile holds the target; a false claim loses
  raise      raise the stake before you play; accept or fold answers a raise
  stop:KdQd6d  call a combination and lead it out of turn; pass lets it be
  pass       use no right
  challenge  you say that the closed trick just lost holds a bura
  hint       what the adviser would do, from what you have seen
  moves      every move you have      table   what you see
  undo       take a slip back, as long as nothing followed
  quit       leave the game
The points of the piles are not shown: counting is part of the game (--count).""",
}

_RU: Final[Mapping[str, str]] = {
    "spades": "пики",
    "hearts": "черви",
    "diamonds": "бубны",
    "clubs": "трефы",
    "title": "Бура, {rules}. Вы играете с машиной; «помощь» всё объяснит.",
    "no_match": "Играем на банк, сколько захотите.",
    "match_to": "Партия до {to}.",
    "penalties_to": "Записываются штрафы; {to} проигрывают партию.",
    "hand": "--- Сдача {number} ---",
    "deals_you": "Сдаёте вы, заходит машина.",
    "deals_machine": "Сдаёт машина, заходите вы.",
    "score": "Счёт: вы {own}, машина {other}.",
    "money": "Банк: {pot}. У вас {own}, у машины {other} (считая взносы).",
    "no_raises": "Одной из сторон осталось одно очко: эта сдача без повышений.",
    "handicap": "Сверх взяток считаются: вам {own}, машине {other}.",
    "redeal": "Комбинация сразу со сдачи ({name}): пересдача.",
    "trump": "Козыри: {trump}",
    "no_trump": "Без козырей",
    "turn_up": ", под колодой {card}",
    "talon": "в колоде: {count}",
    "stake": "ставка: {stake}",
    "your_hand": "Ваши карты",
    "open_hand": "Открытая рука машины",
    "led": "На столе",
    "count": "В ваших взятках: видели очков {shown}, закрытых карт {closed}.",
    "leads": "Машина заходит: {cards}.",
    "beats": "Машина бьёт: {cards}.",
    "discards": "Машина сносит {cards}.",
    "lays": "Машина сносит взакрытую, карт: {count}.",
    "card1": "1",
    "cards": "{count}",
    "you_take": "Взятка ваша.",
    "machine_takes": "Взятка машины.",
    "you_draw": "Вы добираете {cards}.",
    "machine_draws": "Машина добирает открытый козырь {card}.",
    "machine_stop": "Машина говорит «Стоп!» и заходит: {cards}.",
    "lead_back": "Ваш заход возвращается на руку.",
    "lead_stays": "Ваш заход возвращается на руку и должен войти в ваш ответ.",
    "lays_open": "Машина сносит взакрытую из открытой руки: {cards}.",
    "machine_challenges": "Машина заявляет, что во взятой вами взятке бура.",
    "to_challenge": "Взятка отдана: проверить (в ней бура) или дальше",
    "no_call": "У машины комбинация не младше вашей: заход остаётся за ней.",
    "machine_claims": "Машина вскрывается.",
    "machine_raises": "Машина повышает ставку до {stake}.",
    "machine_accepts": "Машина принимает; ставка {stake}.",
    "machine_folds": "Машина сдаётся.",
    "to_lead": "Ваш заход",
    "to_answer": "Ваш ответ",
    "to_claim": "Взятка ваша: вскрыться (вар) или дальше",
    "to_call": "Можно зайти вне очереди, или «дальше»",
    "to_raise": "Принять, сдаться или поднять",
    "to_take": "Принять или сдаться",
    "confirm": "{move}: Enter — сыграть, «отмена» — взять назад",
    "undone": "Ход взят назад.",
    "no_undo": "Взять назад нечего: другой уже сыграл, или карты добраны.",
    "hint_is": "Лучше всего: {move}, вероятность выиграть сдачу {chance}.",
    "hint_plain": "Лучше всего: {move}.",
    "hint_others": "Дальше: {moves}.",
    "hint_claim": "Вскрыться удастся с вероятностью {chance}.",
    "bad_number": "Хода номер {number} нет: есть от 1 до {most}.",
    "bad_move": "Непонятно: {text}. Пишите карты (Тп, ТпКп), номер хода или слово, например"
    " «вар»; «помощь» перечислит всё.",
    "not_yours": "У вас нет {cards}.",
    "wrong_count": "Отвечают столькими же картами: {count}.",
    "held_back": "В ответ должен войти ваш остановленный заход: {cards}.",
    "not_beating": "{cards} не бьёт то, что лежит; снести можно так: ({cards}).",
    "no_brackets": "Взакрытую здесь не кладут: пишите {cards} без скобок.",
    "not_together": "Этими картами нельзя зайти вместе: {cards}.",
    "not_now": "Сейчас нельзя: {move}. Можно: {moves}.",
    "reveal": "Карты:",
    "hand_of_you": "ваша рука",
    "hand_of_machine": "рука машины",
    "pile_of_you": "ваши взятки ({points})",
    "pile_of_machine": "взятки машины ({points})",
    "rest": "в колоде",
    "none": "нет",
    "you_win": "Сдача ваша: {why}.",
    "machine_wins": "Сдача машины: {why}.",
    "nobody_wins": "Сдачу не выиграл никто: {why}.",
    "paid": "Записано: вам {own}, машине {other}.",
    "match_you": "Партия ваша.",
    "match_machine": "Партию выиграла машина.",
    "match_nobody": "Партия без победителя.",
    "stopped": "На этом вы закончили.",
    "final": "Итог: вы {own}, машина {other}.",
    "eof": "Ввод закончился, игра окончена.",
    "claim": "вскрылся верно",
    "false_claim": "ложный вар",
    "bura": "бура",
    "three_aces": "три туза",
    "four_aces": "четыре конца",
    "little_moskva": "малая Москва",
    "molodka": "молодка",
    "points": "больше очков",
    "draw": "ничья",
    "no_winner": "никто не вскрылся",
    "void": "сдача не считается",
    "fold": "от повышения отказались",
    "challenge": "во взятке бура",
    "false_challenge": "буры во взятке нет",
    "help": """\
Пишите карты, которыми ходите, любым из способов: Тп, A♠, As; несколько карт
вместе: Тп10п. Номер из списка играет этот ход. Закрытые карты — в скобках:
(7п8б).
  вар        вскрыться: нужные очки есть; ложный вар проигрывает
  дави       поднять ставку до хода; «принять» или «сдаюсь» — ответ
  stop:КбДб6б  зайти комбинацией вне очереди; «дальше» — не заходить
  дальше     не пользоваться правом
  проверяю   заявить, что в отданной закрытой взятке бура
  подсказка  что посоветует советчик по тому, что вы видели
  ходы       все ваши ходы            стол   что вы видите
  отмена     взять описку назад, пока ничего не произошло
  выход      закончить
Очки во взятках не показываются: считать — часть игры (--count).""",
}

WORDS: Final[Mapping[str, Mapping[str, str]]] = {"en": _EN, "ru": _RU}
"""Language -> what to say; the same keys in each."""
