"""What a rule set is told in: sentences and names, in English, Russian and Georgian.

`descriptions` picks the sentences and fills them in. Words of players are given where they have
some: «вскрываюсь», «вар», «молодка», «взакрытую», «даве», «дави».
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TITLES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "source": "Source",
        "changes": "Changes",
        "cards": "Cards",
        "deal": "Deal",
        "trick": "Trick",
        "claims": "Claims",
        "combinations": "Combinations",
        "raises": "Raises",
        "match": "Match",
    },
    "ru": {
        "source": "Источник",
        "changes": "Изменения",
        "cards": "Карты",
        "deal": "Сдача",
        "trick": "Взятка",
        "claims": "Вскрытие",
        "combinations": "Комбинации",
        "raises": "Ставка",
        "match": "Партия",
    },
    "ka": {
        "source": "წყარო",
        "changes": "ცვლილებები",
        "cards": "კარტი",
        "deal": "დარიგება",
        "trick": "წაღება",
        "claims": "ვარი",
        "combinations": "კომბინაციები",
        "raises": "ფსონი",
        "match": "პარტია",
    },
}
"""Language -> key of a paragraph -> its title, in the order in which they are told."""

SOURCES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "georgian3": "Follows S1, the Georgian table: the game with three cards",
        "georgian5": "Follows S1, the Georgian table: the game with five cards",
        "georgian5_pairs": "Follows S1, the Georgian table: the game with five cards in pairs",
        "classic": "Follows S4, Kommersant's «Бура по понятиям»: the usual game, discards closed",
        "classic_shown": "Follows S4, Kommersant's «Бура по понятиям»: its main text",
        "casino": "Follows S0a, «Правила игры в буру вдвоём»",
        "moskva": "Follows S0b, «Условия и правила игры Бура», with what S0d adds on Moskva",
        "dave": "Follows S4, Kommersant's «Бура по понятиям»: Bura with «даве»",
        "five": "Follows the five-card note of S0b, «Условия и правила игры Бура»",
        "burkozel": "Follows S0e, the burkozel text",
        "burkozel_kommersant": "Follows S4, Kommersant's «Бура по понятиям»: its burkozel",
        "bura1": "Follows S2, the short rules: «Бура-1»",
        "bura2": "Follows S2, the short rules: «Бура-2»",
        "perebor": "Follows S0c, an online club's text: «Бура с перебором»",
        "no_trump": "Follows S4, Kommersant's «Бура по понятиям»: Bura without trumps",
        "three_vs_four": "Follows S0c and S4: three closed cards against four open ones",
    },
    "ru": {
        "georgian3": "По тексту S1, грузинский стол: бура на три карты",
        "georgian5": "По тексту S1, грузинский стол: бура на пять карт",
        "georgian5_pairs": "По тексту S1, грузинский стол: бура на пять карт парами",
        "classic": "По тексту S4, «Бура по понятиям» («Коммерсантъ»): обычная игра взакрытую",
        "classic_shown": "По тексту S4, «Бура по понятиям» («Коммерсантъ»): основной текст",
        "casino": "По тексту S0a, «Правила игры в буру вдвоём»",
        "moskva": "По тексту S0b, «Условия и правила игры Бура», и дополнению S0d о «Москве»",
        "dave": "По тексту S4, «Бура по понятиям» («Коммерсантъ»): бура с «даве»",
        "five": "По примечанию S0b об игре на пять карт, «Условия и правила игры Бура»",
        "burkozel": "По тексту S0e о буркозле",
        "burkozel_kommersant": "По тексту S4, «Бура по понятиям» («Коммерсантъ»): буркозёл",
        "bura1": "По краткому тексту S2: «Бура-1»",
        "bura2": "По краткому тексту S2: «Бура-2»",
        "perebor": "По тексту S0c (игровой клуб): «Бура с перебором»",
        "no_trump": "По тексту S4, «Бура по понятиям» («Коммерсантъ»): бура без козырей",
        "three_vs_four": "По текстам S0c и S4: три закрытые карты против четырёх открытых",
    },
    "ka": {
        "georgian3": "S1-ის ტექსტით, ქართული მაგიდა: ბურა სამი კარტით",
        "georgian5": "S1-ის ტექსტით, ქართული მაგიდა: ბურა ხუთი კარტით",
        "georgian5_pairs": "S1-ის ტექსტით, ქართული მაგიდა: ბურა ხუთი კარტით, წყვილებად",
        "classic": "S4-ის ტექსტით, «Бура по понятиям» («Коммерсантъ»): ჩვეულებრივი, დახურულად",
        "classic_shown": "S4-ის ტექსტით, «Бура по понятиям» («Коммерсантъ»): ძირითადი ტექსტი",
        "casino": "S0a-ს ტექსტით, «Правила игры в буру вдвоём»",
        "moskva": "S0b-ს ტექსტით, «Условия и правила игры Бура», და S0d-ს დამატებით მოსკოვზე",
        "dave": "S4-ის ტექსტით, «Бура по понятиям» («Коммерсантъ»): ბურა „დავეთი“",
        "five": "S0b-ს შენიშვნით ხუთკარტიან თამაშზე, «Условия и правила игры Бура»",
        "burkozel": "S0e-ს ტექსტით ბურკოზელზე",
        "burkozel_kommersant": "S4-ის ტექსტით, «Бура по понятиям» («Коммерсантъ»): ბურკოზელი",
        "bura1": "S2-ის მოკლე ტექსტით: «Бура-1»",
        "bura2": "S2-ის მოკლე ტექსტით: «Бура-2»",
        "perebor": "S0c-ს ტექსტით (სათამაშო კლუბი): «Бура с перебором»",
        "no_trump": "S4-ის ტექსტით, «Бура по понятиям» («Коммерсантъ»): ბურა უკოზიროდ",
        "three_vs_four": "S0c-სა და S4-ის ტექსტებით: სამი დახურული კარტი ოთხი ღიას წინააღმდეგ",
    },
}
"""Language -> preset -> the source text it follows; S0 to S4 are those of docs/rules.md."""

SWITCHES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "players": "players",
        "pairs": "pairs",
        "deck": "cards of the deck",
        "hand": "cards of a hand",
        "target": "points to claim with",
        "claim_ceiling": "most points to claim with",
        "discards": "discards",
        "claim_window": "when to claim",
        "unclaimed": "a hand nobody claimed",
        "trumps": "trumps",
        "spades_immune": "spades beaten by spades only",
        "bura": "bura",
        "two_buras": "two buras",
        "bura_counts": "hands a bura counts",
        "three_aces": "three aces",
        "three_aces_trump": "one of the three aces a trump",
        "four_aces": "four aces",
        "little_moskva": "little Moskva",
        "molodka": "molodka",
        "aces_against_bura": "three aces against a bura",
        "precedence": "order of combinations",
        "stop_window": "when to call stop",
        "redeal_on_dealt_combo": "redeal on a dealt combination",
        "lead_sizes": "cards of a lead",
        "rank_leads": "leads of one rank",
        "refill_from": "who draws first",
        "short_talon": "a talon too short for all",
        "compensation": "points for not leading",
        "raises": "raises",
        "scoring": "scoring",
        "match_to": "the match goes to",
        "leave_at_target": "who reaches the target leaves",
        "extra_card": "seat with one card more",
        "open_hands": "open hands",
        "closed_challenge": "challenge of a closed trick",
        "foul": "fouls",
        "next_deal": "who deals next",
        "six_for": "six points for",
    },
    "ru": {
        "players": "игроки",
        "pairs": "пара на пару",
        "deck": "карт в колоде",
        "hand": "карт на руках",
        "target": "очки для вскрытия",
        "claim_ceiling": "перебор после",
        "discards": "снос",
        "claim_window": "когда вскрываться",
        "unclaimed": "никто не вскрылся",
        "trumps": "козыри",
        "spades_immune": "пики бьются только пиками",
        "bura": "бура",
        "two_buras": "две буры",
        "bura_counts": "сдач за буру",
        "three_aces": "три туза",
        "three_aces_trump": "один из трёх тузов козырный",
        "four_aces": "четыре конца",
        "little_moskva": "малая Москва",
        "molodka": "молодка",
        "aces_against_bura": "три туза против буры",
        "precedence": "старшинство комбинаций",
        "stop_window": "когда говорить «Стоп!»",
        "redeal_on_dealt_combo": "пересдача при комбинации со сдачи",
        "lead_sizes": "карт в заходе",
        "rank_leads": "заход картами одного значения",
        "refill_from": "кто добирает первым",
        "short_talon": "колоды не хватает на всех",
        "compensation": "очки за чужой первый ход",
        "raises": "повышения",
        "scoring": "запись",
        "match_to": "партия до",
        "leave_at_target": "набравший выходит из паса",
        "extra_card": "у кого лишняя карта",
        "open_hands": "открытые руки",
        "closed_challenge": "проверка закрытой взятки",
        "foul": "нарушения",
        "next_deal": "кто сдаёт дальше",
        "six_for": "шесть очков за",
    },
    "ka": {
        "players": "მოთამაშეები",
        "pairs": "წყვილებად",
        "deck": "კარტი დასტაში",
        "hand": "კარტი ხელში",
        "target": "ვარის ქულა",
        "claim_ceiling": "ვარის უდიდესი ქულა",
        "discards": "ჩადება",
        "claim_window": "როდის ითქმება ვარი",
        "unclaimed": "ვარი არავის უთქვამს",
        "trumps": "კოზირი",
        "spades_immune": "ყვავს მხოლოდ ყვავი ჭრის",
        "bura": "ბურა",
        "two_buras": "ორი ბურა",
        "bura_counts": "რამდენ ხელად ითვლება ბურა",
        "three_aces": "სამი ტუზი",
        "three_aces_trump": "სამი ტუზიდან ერთი კოზირია",
        "four_aces": "ოთხი ტუზი",
        "little_moskva": "პატარა მოსკოვი",
        "molodka": "მალოდკა",
        "aces_against_bura": "სამი ტუზი ბურის წინააღმდეგ",
        "precedence": "კომბინაციების რიგი",
        "stop_window": "როდის ითქმება „სტოპ!“",
        "redeal_on_dealt_combo": "ხელახლა დარიგება კომბინაციისას",
        "lead_sizes": "კარტი ჩამოსვლისას",
        "rank_leads": "ერთი ღირსების ჩამოსვლა",
        "refill_from": "ვინ იღებს პირველი",
        "short_talon": "დასტა ყველას არ ჰყოფნის",
        "compensation": "ქულა სხვისი პირველი სვლისთვის",
        "raises": "აწევა",
        "scoring": "ჩაწერა",
        "match_to": "პარტია მიდის",
        "leave_at_target": "ვინც შეაგროვა, გადის",
        "extra_card": "ვის აქვს ზედმეტი კარტი",
        "open_hands": "ღია ხელები",
        "closed_challenge": "დახურული წაღების შემოწმება",
        "foul": "დარღვევები",
        "next_deal": "ვინ არიგებს შემდეგ",
        "six_for": "ექვსი ქულა რისთვის",
    },
}
"""Language -> switch -> what it is about, in a few words."""

_EN: Final[Mapping[str, str]] = {
    # What a rule set is, in one sentence.
    "brief": "{players}, {cards} each from a deck of {deck}{trumps}; a claim needs {target},"
    " {discards}",
    "brief_no_trumps": " without trumps",
    "brief_closed": "discards face down",
    "brief_shown": "discards face up",
    "changed": "Changed against {preset}: {changes}",
    "change": "{words} ({switch}) from {before} to {after}",
    # Cards
    "deck": "{deck} cards, from the {lowest} to the ace",
    "ranks": "From high to low: {ranks}; the ten beats the king",
    "worth": "An ace is worth 11 points, a ten 10, a king 4, a queen 3, a jack 2{rest}; all"
    " cards together make 120",
    "worth_rest": " and lower cards nothing",
    # Deal
    "single2": "Two play against each other",
    "single": "{players} play, each for himself",
    "in_pairs": "Four play in pairs: partners sit opposite, win together, and their piles count"
    " together",
    "hand": "Each is dealt {cards}",
    "extra_card": "Seat {seat} has one card more, which is kept up by every draw; seats count from"
    " 0",
    "trumps_yes": "The next card is turned up and makes its suit trumps; it lies under the talon"
    " and is drawn last",
    "trumps_no": "No card is turned up: there are no trumps",
    "compensation": "{points} count in favour of whoever does not lead first",
    "compensation_pairs": "{points} count in favour of the pair that does not lead first",
    "compensation_no": "Nothing makes up for not leading first",
    "open_none": "Hands are seen by their holders alone",
    "open_all": "All hands lie open on the table",
    "open_seat": "The hand of seat {seats} lies open; what handicap that is worth is agreed at"
    " the table",
    "open_seats": "The hands of seats {seats} lie open; what handicap that is worth is agreed at"
    " the table",
    "redeal_yes": "If anybody is dealt a combination at once, the deal is void and the same"
    " dealer deals again",
    "redeal_no": "A combination dealt at once counts like any other",
    # Trick
    "lead_any": "The leader plays one or more cards of one suit, never more than any other player"
    " holds",
    "lead_one_or_three": "The leader plays one card, or three of one suit, never more than any"
    " other player holds",
    "rank_leads": "Two or three cards of one rank may be led as well",
    "rank_leads_three": "Three cards of one rank may be led as well",
    "answer2": "The other plays as many cards: he beats all of them or gives up any",
    "answer": "The others play as many cards, in turn: each beats all that are best so far or"
    " gives up any",
    "beat_trumps": "A card is beaten by a higher one of its suit, or by any trump if it is none",
    "beat_spades": "A card is beaten by a higher one of its suit, or by any trump if it is none;"
    " but a spade by a higher spade only",
    "beat_plain": "A card is beaten only by a higher one of its suit",
    "no_duty": "Nobody has to follow suit, to trump or to beat",
    "discards_closed": "Cards given up are laid face down, have no strength, and are seen by"
    " nobody else until the hand is settled",
    "discards_shown": "Cards given up are laid face up, so that a set which beats always beats",
    "take": "Whoever beat last, or the leader, takes the trick and leads next",
    "refill_winner": "Hands are then filled from the talon, one card at a time, the winner of the"
    " trick first",
    "refill_leader": "Hands are then filled from the talon, one card at a time, the leader of"
    " the trick first",
    "short_set_aside": "When the talon has not a card for each, nobody draws any more and the"
    " rest stays unseen",
    "short_draw_out": "The talon is drawn to its last card, even if not everybody gets one",
    "challenge": "Whoever laid cards face down in a trick he lost may say, before the next lead,"
    " that it holds a bura: he wins the hand if it does, and loses it if not",
    # Claims
    "window_before_draw": "Whoever has just won a trick may claim, before cards are drawn",
    "window_until_lead": "Whoever has just won a trick may claim, from then until he leads again",
    "window_own_turn": "Whoever has won a trick may claim whenever it is his turn, to lead or to"
    " answer",
    "window_end_of_deck": "Once the talon is out, whoever has just won a trick may claim, until"
    " he leads again",
    "target": "His pile is counted, face-down cards too: with {target} points or more he wins the"
    " hand, with less he loses it",
    "target_ceiling": "His pile is counted, face-down cards too: with {target} to {ceiling} points"
    " he wins the hand, with less or more («перебор») he loses it",
    "target_leave": "His pile is counted, face-down cards too: with {target} points or more he"
    " has reached the target, with less he is out as a loser",
    "target_leave_ceiling": "His pile is counted, face-down cards too: with {target} to {ceiling}"
    " points he has reached the target, with less or more («перебор») he is out as a loser",
    "leave": "Whoever has reached the target leaves the hand and the rest play on until all"
    " points are counted out; the first to leave wins",
    "no_looking": "Nobody may look through taken tricks",
    "unclaimed_most_points": "If all cards are played and nobody has claimed, most points win and"
    " a tie is a draw",
    "unclaimed_no_winner": "If all cards are played and nobody has claimed, nobody wins",
    "unclaimed_threshold": "If all cards are played and nobody has claimed, whoever has {target}"
    " points all the same wins, else it is a draw",
    # Combinations
    "no_combinations": "No combination counts",
    "bura_none": "A bura, a hand of nothing but trumps, has no right of its own",
    "bura_on_sight": "A bura, a full hand of trumps, wins the hand as soon as it is held",
    "bura_on_lead": "A bura, a full hand of trumps, wins the hand when its holder has the lead and"
    " leads all of it",
    "two_higher": "Of two buras the one with the higher trump wins",
    "two_played_out": "Two buras are played out: whose turn it is leads his, and the other has to"
    " beat it",
    "two_void": "Two buras make the hand void",
    "aces_played_out": "Three aces against a bura are played out in the same way",
    "aces_precedence": "Between a bura and three aces the order of combinations decides",
    "bura_counts_1": "A bura counts as one hand won",
    "bura_counts_2": "A bura counts as two hands won",
    "three_aces_lead": "Three aces (Moskva){trump} may be led out of turn",
    "three_aces_win": "Three aces (Moskva){trump} win the hand as soon as they are held",
    "aces_trump_yes": ", one of them a trump,",
    "aces_trump_no": " of any suits",
    "three_aces_none": "Three aces are no combination",
    "four_aces_lead": "Four aces («четыре конца») may be led out of turn",
    "four_aces_win": "Four aces («четыре конца») win the hand as soon as they are held",
    "four_aces_none": "Four aces are no combination",
    "little_sixes": "Little Moskva, three sixes with the six of trumps, may be led out of turn",
    "little_tens": "Little Moskva, three tens, may be led out of turn",
    "little_none": "Little Moskva is not played",
    "molodka_lead": "Molodka («письмо», malyutka), a full hand of one plain suit, may be led out"
    " of turn",
    "molodka_none": "Molodka (malyutka), a full hand of one plain suit, is an ordinary lead",
    "precedence": "From high to low: {order}",
    "stop_before_lead": "Who leads out of turn calls «Стоп!» after the draw and before the lead",
    "stop_after_lead_returned": "Who leads out of turn calls «Стоп!» right after the lead, which"
    " goes back to its hand, now seen by all",
    "stop_after_lead_stays": "Who leads out of turn calls «Стоп!» right after the lead, whose"
    " cards have to be part of its leader's answer",
    "stop_bar": "A leader who holds an equal or higher combination cannot be stopped",
    "bura": "bura",
    "three_aces": "three aces",
    "four_aces": "four aces",
    "little_moskva": "little Moskva",
    "molodka": "molodka",
    # Raises
    "raises_none": "The stake is not raised",
    "raises_dave": "On his turn, before he plays, a player may say «даве» and offer to double the"
    " stake; the other plays on at double or gives the hand up at the old stake",
    "raises_ladder": "On his turn, before he plays, a player may raise by a step: davi 2, se 3,"
    " chari 4, panji 5, shashi 6; the other accepts, gives the hand up at the old stake, or"
    " raises to the next step",
    "alternate": "One side never raises twice in a row",
    "match_point": "The first hand in which a side is one point short of the match is played"
    " without raises",
    "raises_single_dave": "«Даве» takes two sides, so that nobody raises here",
    "raises_single_ladder": "The ladder takes two sides, so that nobody raises here",
    # Match
    "points_match": "A hand is worth its stake; the match goes to {to}",
    "robber": "A hand is worth its stake, one without raises; the match goes to {to} with a lead"
    " of two",
    "penalty_12": "Whoever loses a hand is written 2 penalty points; {to} of them lose the match",
    "balls_12": "Everybody is written penalties by his points: 6 for none, 4 under 31, 2 under 60,"
    " else none; {to} of them lose the match",
    "balls_12_pairs": "Every pair is written penalties by the points of both: 6 for none, 4 under"
    " 31, 2 under 60, else none; {to} of them lose the match",
    "burkozel_12": "The winner of a hand is written 2 points, 4 if no opponent has 31 points, 6 if"
    " no opponent has {six}; the match goes to {to}",
    "six_no_trick": "taken a trick",
    "six_no_points": "taken a point",
    "pot": "Everybody pays his ante into a pot, and the winner of the hand takes it; a false"
    " claim matches the pot; if nobody wins all ante again; they play as long as they like",
    "foul_lose": "Drawing out of turn, drawing two and looking at closed cards lose the hand",
    "foul_match_pot": "Whoever draws out of turn, draws two or looks at closed cards matches the"
    " pot, and nobody wins the hand",
    "next_rotate": "The deal goes round clockwise; left of the dealer leads first",
    "next_winner": "The winner of a hand deals the next one; left of the dealer leads first",
}

_RU: Final[Mapping[str, str]] = {
    "brief": "{players}, по {cards} из колоды в {deck}{trumps}; чтобы вскрыться, нужно {target},"
    " {discards}",
    "brief_no_trumps": ", без козырей",
    "brief_closed": "снос взакрытую",
    "brief_shown": "снос в открытую",
    "changed": "Отличия от {preset}: {changes}",
    "change": "{words} ({switch}): вместо {before} — {after}",
    "deck": "Колода — {deck}, от {lowest} до туза",
    "ranks": "По старшинству: {ranks}; десятка старше короля",
    "worth": "Туз — 11 очков, десятка — 10, король — 4, дама — 3, валет — 2{rest}; всего в"
    " колоде 120 очков",
    "worth_rest": ", остальные — ничего",
    "single2": "Играют двое",
    "single": "Играют {players}, каждый за себя",
    "in_pairs": "Играют четверо, пара на пару: партнёры сидят друг против друга, выигрывают"
    " вместе, и очки у них общие",
    "hand": "Каждому сдают по {cards}",
    "extra_card": "У игрока {seat} на одну карту больше, и добирает он до своего числа; места"
    " считаются с 0",
    "trumps_yes": "Следующую карту открывают, её масть — козырь; она ложится под колоду и берётся"
    " последней",
    "trumps_no": "Козыри не открываются, играют без них",
    "compensation": "Кто не заходит первым, получает {points} компенсации",
    "compensation_pairs": "Пара, которая не заходит первой, получает {points} компенсации",
    "compensation_no": "Компенсации за чужой первый ход нет",
    "open_none": "Свои карты видит только их хозяин",
    "open_all": "Все играют открытыми картами («открытые на открытые»)",
    "open_seat": "Игрок {seats} играет открытыми картами; о форе за это договариваются за столом",
    "open_seats": "Игроки {seats} играют открытыми картами; о форе за это договариваются за"
    " столом",
    "redeal_yes": "Если комбинация выпала кому-то сразу со сдачи, тот же сдающий пересдаёт без"
    " последствий",
    "redeal_no": "Комбинация, выпавшая со сдачи, считается как всякая другая",
    "lead_any": "Заходят одной или несколькими картами одной масти, но не больше, чем есть у"
    " любого другого игрока",
    "lead_one_or_three": "Заходят одной картой или тремя одной масти, но не больше, чем есть у"
    " любого другого игрока",
    "rank_leads": "Можно зайти и двумя или тремя картами одного значения",
    "rank_leads_three": "Можно зайти и тремя картами одного значения",
    "answer2": "Другой кладёт столько же карт: бьёт все или сносит любые",
    "answer": "Остальные по очереди кладут столько же карт: каждый бьёт все, что пока старше,"
    " или сносит любые",
    "beat_trumps": "Карту бьёт старшая той же масти, а некозырную — и любой козырь",
    "beat_spades": "Карту бьёт старшая той же масти, а некозырную — и любой козырь; только пику"
    " бьёт лишь старшая пика",
    "beat_plain": "Карту бьёт только старшая той же масти",
    "no_duty": "Ни ходить в масть, ни козырять, ни бить никто не обязан",
    "discards_closed": "Снесённые карты кладут взакрытую: силы они не имеют, и до конца сдачи их"
    " никто, кроме сносившего, не видит",
    "discards_shown": "Снесённые карты кладут в открытую, так что набор, который бьёт, бьёт"
    " всегда",
    "take": "Взятку берёт побивший последним, а если никто не бил — заходивший; он же заходит"
    " дальше",
    "refill_winner": "Потом добирают из колоды по одной карте, начиная с взявшего взятку",
    "refill_leader": "Потом добирают из колоды по одной карте, начиная с того, кто заходил",
    "short_set_aside": "Если на всех карт в колоде не хватает, никто больше не добирает, и"
    " остаток никто не видит",
    "short_draw_out": "Колоду добирают до последней карты, даже если достанется не всем",
    "challenge": "Кто снёс взакрытую во взятку, отданную сопернику, может до следующего захода"
    " заявить, что в ней бура: если она там есть, сдача его, если нет — он проиграл",
    "window_before_draw": "Взявший взятку может вскрыться («вскрываюсь», «вар») до добора",
    "window_until_lead": "Взявший взятку может вскрыться («вскрываюсь», «вар»), пока не зашёл"
    " снова",
    "window_own_turn": "У кого есть взятка, может вскрыться («вскрываюсь», «вар») в любой свой"
    " ход, заходя или отвечая",
    "window_end_of_deck": "Когда колода кончилась, взявший взятку может вскрыться («вскрываюсь»,"
    " «вар»), пока не зашёл снова",
    "target": "Его взятки считают вместе с закрытыми картами: набрал {target} и больше — выиграл"
    " сдачу, меньше — проиграл",
    "target_ceiling": "Его взятки считают вместе с закрытыми картами: от {target} до {ceiling} —"
    " выиграл сдачу, меньше или больше (перебор) — проиграл",
    "target_leave": "Его взятки считают вместе с закрытыми картами: {target} и больше — набрал,"
    " меньше — выбыл как проигравший",
    "target_leave_ceiling": "Его взятки считают вместе с закрытыми картами: от {target} до"
    " {ceiling} — набрал, меньше или больше (перебор) — выбыл как проигравший",
    "leave": "Набравший выходит из паса, остальные играют, пока не сосчитаны все очки; выиграл"
    " вышедший первым",
    "no_looking": "Смотреть взятые карты нельзя никому",
    "unclaimed_most_points": "Если все карты сыграны и никто не вскрылся, выигрывает тот, у кого"
    " больше очков; поровну — ничья",
    "unclaimed_no_winner": "Если все карты сыграны и никто не вскрылся, не выиграл никто",
    "unclaimed_threshold": "Если все карты сыграны и никто не вскрылся, выигрывает тот, у кого"
    " {target} и больше, иначе ничья",
    "no_combinations": "Комбинации не считаются",
    "bura_none": "Бура, рука из одних козырей, особых прав не даёт",
    "bura_on_sight": "Бура, полная рука козырей, сразу выигрывает сдачу",
    "bura_on_lead": "Бура, полная рука козырей, выигрывает сдачу, когда её хозяин заходит всей"
    " рукой в свой ход",
    "two_higher": "Из двух бур выигрывает та, в которой старше козырь",
    "two_played_out": "Две буры разыгрываются: заходит тот, чей ход, другой должен её побить",
    "two_void": "При двух бурах сдача не считается",
    "aces_played_out": "Три туза против буры разыгрываются так же",
    "aces_precedence": "Между бурой и тремя тузами решает старшинство комбинаций",
    "bura_counts_1": "Бура считается за одну выигранную сдачу",
    "bura_counts_2": "Бура считается за две выигранные сдачи",
    "three_aces_lead": "Тремя тузами («Москва»){trump} можно зайти вне очереди",
    "three_aces_win": "Три туза («Москва»){trump} сразу выигрывают сдачу",
    "aces_trump_yes": ", из них один козырный,",
    "aces_trump_no": " любых мастей",
    "three_aces_none": "Три туза — не комбинация",
    "four_aces_lead": "Четырьмя тузами («четыре конца») можно зайти вне очереди",
    "four_aces_win": "Четыре туза («четыре конца») сразу выигрывают сдачу",
    "four_aces_none": "Четыре туза — не комбинация",
    "little_sixes": "«Малой Москвой», тремя шестёрками с козырной, можно зайти вне очереди",
    "little_tens": "«Малой Москвой», тремя десятками, можно зайти вне очереди",
    "little_none": "«Малая Москва» не в счёт",
    "molodka_lead": "Молодкой («письмо», «малютка»), полной рукой одной некозырной масти, можно"
    " зайти вне очереди",
    "molodka_none": "Малютка (молодка), полная рука одной некозырной масти, — обычный заход",
    "precedence": "По старшинству: {order}",
    "stop_before_lead": "Кто заходит вне очереди, говорит «Стоп!» после добора и до захода",
    "stop_after_lead_returned": "Кто заходит вне очереди, говорит «Стоп!» сразу после чужого"
    " захода; заход возвращается на руку, и все его видели",
    "stop_after_lead_stays": "Кто заходит вне очереди, говорит «Стоп!» сразу после чужого захода;"
    " карты захода должны войти в ответ заходившего",
    "stop_bar": "Остановить того, у кого комбинация не младше, нельзя",
    "bura": "бура",
    "three_aces": "три туза",
    "four_aces": "четыре конца",
    "little_moskva": "малая Москва",
    "molodka": "молодка",
    "raises_none": "Ставку не повышают",
    "raises_dave": "В свой ход, до того как положить карту, игрок может сказать «даве»: предложить"
    " удвоить; соперник играет на удвоенную или сдаётся по прежней ставке",
    "raises_ladder": "В свой ход, до того как положить карту, игрок может поднять на ступень:"
    " дави 2, се 3, чари 4, панджи 5, шаши 6; соперник принимает, сдаётся по прежней ставке или"
    " поднимает сам",
    "alternate": "Два раза подряд одна сторона не поднимает",
    "match_point": "Первая сдача, в которой одной из сторон до победы в партии осталось одно"
    " очко, играется без повышений",
    "raises_single_dave": "Для «даве» нужны две стороны, здесь ставку никто не поднимает",
    "raises_single_ladder": "Для «дави» и следующих ступеней нужны две стороны, здесь ставку"
    " никто не поднимает",
    "points_match": "Сдача стоит столько, какова ставка; партия до {to}",
    "robber": "Сдача стоит столько, какова ставка, без повышений — одну; роббер до {to}, с"
    " перевесом в две",
    "penalty_12": "Проигравший сдачу получает 2 штрафных очка; {to} штрафных проигрывают партию",
    "balls_12": "Каждому пишут баллы по его очкам: ничего не взял — 6, меньше 31 — 4, меньше"
    " 60 — 2, иначе 0; {to} баллов проигрывают партию",
    "balls_12_pairs": "Каждой паре пишут баллы по общим очкам: ничего не взяли — 6, меньше 31 — 4,"
    " меньше 60 — 2, иначе 0; {to} баллов проигрывают партию",
    "burkozel_12": "Выигравшему сдачу пишут 2 очка, 4 — если ни у кого из соперников нет 31, 6 —"
    " если никто из них не взял {six}; партия до {to}",
    "six_no_trick": "ни взятки",
    "six_no_points": "ни очка",
    "pot": "Все ставят в банк поровну, банк берёт выигравший сдачу; ложный вар доставляет кон;"
    " если не выиграл никто, все ставят ещё раз; играют, сколько хотят",
    "foul_lose": "Чужой подъём, двойной подъём и взгляд на закрытые карты проигрывают сдачу",
    "foul_match_pot": "За чужой подъём, двойной подъём и взгляд на закрытые карты доставляют кон,"
    " и сдачу не выигрывает никто",
    "next_rotate": "Сдают по очереди, по часовой стрелке; первым заходит сидящий слева от"
    " сдающего",
    "next_winner": "Следующую сдаёт выигравший сдачу; первым заходит сидящий слева от сдающего",
}

_KA: Final[Mapping[str, str]] = {
    "brief": "{players}, თითოს {cards}, დასტა {deck}{trumps}; ვარისთვის საჭიროა {target},"
    " {discards}",
    "brief_no_trumps": ", უკოზიროდ",
    "brief_closed": "ჩადება დახურულად",
    "brief_shown": "ჩადება ღიად",
    "changed": "განსხვავება {preset}-ისგან: {changes}",
    "change": "{words} ({switch}): {before}-ის ნაცვლად {after}",
    "deck": "დასტაში {deck}ა, {lowest}დან ტუზამდე",
    "ranks": "უფროსობით: {ranks}; ათიანი მეფეზე უფროსია",
    "worth": "ტუზი 11 ქულაა, ათიანი — 10, მეფე — 4, ქალი — 3, ვალეტი — 2{rest}; დასტაში სულ 120"
    " ქულაა",
    "worth_rest": ", დანარჩენი — არაფერი",
    "single2": "თამაშობს ორი",
    "single": "თამაშობს {players}, ყველა თავისთვის",
    "in_pairs": "თამაშობს ოთხი, წყვილი წყვილზე: პარტნიორები ერთმანეთის პირისპირ სხედან, ერთად"
    " იგებენ და ქულები საერთო აქვთ",
    "hand": "თითოს დაურიგდება {cards}",
    "extra_card": "მოთამაშე {seat}-ს ერთი კარტით მეტი აქვს და თავის რიცხვამდე იღებს; ადგილები"
    " 0-დან ითვლება",
    "trumps_yes": "შემდეგი კარტი იხსნება და მისი ფერი კოზირია; ის დასტის ქვეშ დევს და ბოლოს"
    " აიღება",
    "trumps_no": "კარტი არ იხსნება: კოზირი არ არის",
    "compensation": "ვინც პირველი არ ჩამოდის, მას ემატება {points}",
    "compensation_pairs": "წყვილს, რომელიც პირველი არ ჩამოდის, ემატება {points}",
    "compensation_no": "სხვისი პირველი სვლისთვის არაფერი ემატება",
    "open_none": "ხელს მხოლოდ მისი პატრონი ხედავს",
    "open_all": "ყველას ხელი ღიად დევს მაგიდაზე",
    "open_seat": "მოთამაშე {seats}-ის ხელი ღიად დევს; რა ფორა ეკუთვნის, მაგიდასთან თანხმდებიან",
    "open_seats": "მოთამაშეების {seats} ხელები ღიად დევს; რა ფორა ეკუთვნით, მაგიდასთან"
    " თანხმდებიან",
    "redeal_yes": "თუ ვინმეს კომბინაცია დარიგებისთანავე შეხვდა, იგივე დამრიგებელი ხელახლა არიგებს",
    "redeal_no": "დარიგებისთანავე შეხვედრილი კომბინაცია ისევე ითვლება, როგორც სხვა",
    "lead_any": "ჩამოდიან ერთი ფერის ერთი ან მეტი კარტით, მაგრამ არა უმეტეს, ვიდრე ნებისმიერ სხვა"
    " მოთამაშეს აქვს",
    "lead_one_or_three": "ჩამოდიან ერთი კარტით ან ერთი ფერის სამით, მაგრამ არა უმეტეს, ვიდრე"
    " ნებისმიერ სხვა მოთამაშეს აქვს",
    "rank_leads": "შეიძლება ერთი ღირსების ორი ან სამი კარტით ჩამოსვლაც",
    "rank_leads_three": "შეიძლება ერთი ღირსების სამი კარტით ჩამოსვლაც",
    "answer2": "მეორე იმდენივე კარტს დებს: ყველას ჭრის, ან ნებისმიერს ჩადებს",
    "answer": "დანარჩენები რიგრიგობით იმდენივე კარტს დებენ: თითო ჭრის ყველას, რაც ჯერ უფროსია, ან"
    " ნებისმიერს ჩადებს",
    "beat_trumps": "კარტს ჭრის იმავე ფერის უფროსი, არაკოზირს კი ნებისმიერი კოზირიც",
    "beat_spades": "კარტს ჭრის იმავე ფერის უფროსი, არაკოზირს კი ნებისმიერი კოზირიც; მაგრამ ყვავს"
    " მხოლოდ უფროსი ყვავი ჭრის",
    "beat_plain": "კარტს მხოლოდ იმავე ფერის უფროსი ჭრის",
    "no_duty": "არც ფერის აყოლა, არც კოზირის დადება, არც მოჭრა სავალდებულო არ არის",
    "discards_closed": "ჩადებული კარტი დახურულად იდება: ძალა არ აქვს, და ხელის ბოლომდე მის"
    " ჩამდებს გარდა ვერავინ ხედავს",
    "discards_shown": "ჩადებული კარტი ღიად იდება, ასე რომ ნაკრები, რომელიც ჭრის, ყოველთვის ჭრის",
    "take": "წაიღებს ის, ვინც ბოლოს მოჭრა, ან ჩამომსვლელი; ის ჩამოდის შემდეგაც",
    "refill_winner": "მერე დასტიდან თითო კარტს იღებენ, პირველი ის, ვინც წაიღო",
    "refill_leader": "მერე დასტიდან თითო კარტს იღებენ, პირველი ის, ვინც ჩამოვიდა",
    "short_set_aside": "თუ დასტა ყველას არ ჰყოფნის, აღარავინ იღებს და ნარჩენს ვერავინ ხედავს",
    "short_draw_out": "დასტა ბოლო კარტამდე აიღება, თუნდაც ყველას არ შეხვდეს",
    "challenge": "ვინც დათმობილ წაღებაში კარტი დახურულად ჩადო, შემდეგ ჩამოსვლამდე შეუძლია თქვას,"
    " რომ იქ ბურაა: თუ არის, ხელს იგებს, თუ არა, აგებს",
    "window_before_draw": "ვინც ახლახან წაიღო, შეუძლია თქვას „ვარი“ კარტის აღებამდე",
    "window_until_lead": "ვინც ახლახან წაიღო, შეუძლია თქვას „ვარი“, სანამ ხელახლა ჩამოვა",
    "window_own_turn": "ვისაც წაღებული აქვს, შეუძლია თქვას „ვარი“ თავის ყოველ სვლაზე, ჩამოსვლისას"
    " თუ პასუხისას",
    "window_end_of_deck": "როცა დასტა დამთავრდა, ვინც ახლახან წაიღო, შეუძლია თქვას „ვარი“, სანამ"
    " ხელახლა ჩამოვა",
    "target": "მის წაღებულს დახურულ კარტთან ერთად ითვლიან: {target} ან მეტი იგებს ხელს, ნაკლები"
    " აგებს",
    "target_ceiling": "მის წაღებულს დახურულ კარტთან ერთად ითვლიან: {target}-დან {ceiling}-მდე"
    " იგებს ხელს, ნაკლები ან მეტი აგებს",
    "target_leave": "მის წაღებულს დახურულ კარტთან ერთად ითვლიან: {target} ან მეტი — შეაგროვა,"
    " ნაკლები — წაგებულად გადის",
    "target_leave_ceiling": "მის წაღებულს დახურულ კარტთან ერთად ითვლიან: {target}-დან"
    " {ceiling}-მდე — შეაგროვა, ნაკლები ან მეტი — წაგებულად გადის",
    "leave": "ვინც შეაგროვა, ხელიდან გადის, დანარჩენები თამაშობენ, სანამ ყველა ქულა არ დაითვლება;"
    " იგებს პირველი გასული",
    "no_looking": "წაღებული კარტის დათვალიერება არავის შეუძლია",
    "unclaimed_most_points": "თუ ყველა კარტი გათამაშდა და ვარი არავის უთქვამს, იგებს ის, ვისაც"
    " მეტი ქულა აქვს; თანაბრად — ფრე",
    "unclaimed_no_winner": "თუ ყველა კარტი გათამაშდა და ვარი არავის უთქვამს, არავინ იგებს",
    "unclaimed_threshold": "თუ ყველა კარტი გათამაშდა და ვარი არავის უთქვამს, იგებს ის, ვისაც"
    " {target} ან მეტი აქვს, თორემ ფრეა",
    "no_combinations": "კომბინაციები არ ითვლება",
    "bura_none": "ბურას, მხოლოდ კოზირების ხელს, თავისი უფლება არ აქვს",
    "bura_on_sight": "ბურა, კოზირების სრული ხელი, შეგროვებისთანავე იგებს ხელს",
    "bura_on_lead": "ბურა, კოზირების სრული ხელი, იგებს, როცა მისი პატრონი თავის სვლაზე მთელი ხელით"
    " ჩამოდის",
    "two_higher": "ორი ბურიდან უფროსკოზირიანი იგებს",
    "two_played_out": "ორი ბურა გათამაშდება: ვისი სვლაცაა, ის ჩამოდის, მეორემ უნდა მოჭრას",
    "two_void": "ორი ბურისას ხელი არ ითვლება",
    "aces_played_out": "სამი ტუზი ბურის წინააღმდეგ ისევე გათამაშდება",
    "aces_precedence": "ბურასა და სამ ტუზს შორის კომბინაციების რიგი წყვეტს",
    "bura_counts_1": "ბურა ერთ მოგებულ ხელად ითვლება",
    "bura_counts_2": "ბურა ორ მოგებულ ხელად ითვლება",
    "three_aces_lead": "სამი ტუზით („მოსკოვი“){trump} შეიძლება ურიგოდ ჩამოსვლა",
    "three_aces_win": "სამი ტუზი („მოსკოვი“){trump} შეგროვებისთანავე იგებს ხელს",
    "aces_trump_yes": ", ერთი მათგანი კოზირია,",
    "aces_trump_no": ", ნებისმიერი ფერის,",
    "three_aces_none": "სამი ტუზი კომბინაცია არ არის",
    "four_aces_lead": "ოთხი ტუზით შეიძლება ურიგოდ ჩამოსვლა",
    "four_aces_win": "ოთხი ტუზი შეგროვებისთანავე იგებს ხელს",
    "four_aces_none": "ოთხი ტუზი კომბინაცია არ არის",
    "little_sixes": "პატარა მოსკოვით, სამი ექვსიანით, ერთი მათგანი კოზირი, შეიძლება ურიგოდ"
    " ჩამოსვლა",
    "little_tens": "პატარა მოსკოვით, სამი ათიანით, შეიძლება ურიგოდ ჩამოსვლა",
    "little_none": "პატარა მოსკოვი არ ითვლება",
    "molodka_lead": "მალოდკით, ერთი არაკოზირი ფერის სრული ხელით, შეიძლება ურიგოდ ჩამოსვლა",
    "molodka_none": "მალოდკა, ერთი არაკოზირი ფერის სრული ხელი, ჩვეულებრივი ჩამოსვლაა",
    "precedence": "უფროსობით: {order}",
    "stop_before_lead": "ვინც ურიგოდ ჩამოდის, ამბობს „სტოპ!“ კარტის აღების შემდეგ, ჩამოსვლამდე",
    "stop_after_lead_returned": "ვინც ურიგოდ ჩამოდის, ამბობს „სტოპ!“ სხვისი ჩამოსვლის შემდეგ;"
    " ჩამოსული კარტი ხელში ბრუნდება და უკვე ყველამ ნახა",
    "stop_after_lead_stays": "ვინც ურიგოდ ჩამოდის, ამბობს „სტოპ!“ სხვისი ჩამოსვლის შემდეგ;"
    " ჩამოსული კარტი ჩამომსვლელის პასუხში უნდა შევიდეს",
    "stop_bar": "ვისაც ტოლი ან უფროსი კომბინაცია აქვს, მისი შეჩერება არ შეიძლება",
    "bura": "ბურა",
    "three_aces": "სამი ტუზი",
    "four_aces": "ოთხი ტუზი",
    "little_moskva": "პატარა მოსკოვი",
    "molodka": "მალოდკა",
    "raises_none": "ფსონი არ იწევა",
    "raises_dave": "თავის სვლაზე, კარტის დადებამდე, მოთამაშეს შეუძლია თქვას „დავე“ და ფსონის"
    " გაორმაგება შესთავაზოს; მეორე ორმაგზე თამაშობს, ან ძველ ფსონზე ნებდება",
    "raises_ladder": "თავის სვლაზე, კარტის დადებამდე, მოთამაშეს შეუძლია ერთი საფეხურით ასწიოს:"
    " დავი 2, სე 3, ჩარი 4, ფანჯი 5, შაში 6; მეორე იღებს, ძველ ფსონზე ნებდება, ან თვითონ სწევს",
    "alternate": "ზედიზედ ორჯერ ერთი მხარე არ სწევს",
    "match_point": "პირველი ხელი, როცა რომელიმე მხარეს პარტიამდე ერთი ქულა აკლია, აწევის გარეშე"
    " თამაშდება",
    "raises_single_dave": "„დავეს“ ორი მხარე სჭირდება, აქ ფსონს არავინ სწევს",
    "raises_single_ladder": "„დავის“ და შემდეგ საფეხურებს ორი მხარე სჭირდება, აქ ფსონს არავინ"
    " სწევს",
    "points_match": "ხელი იმდენი ღირს, რამდენიც ფსონია; პარტია მიდის {to}-მდე",
    "robber": "ხელი იმდენი ღირს, რამდენიც ფსონია, აწევის გარეშე — ერთი; პარტია მიდის {to}-მდე,"
    " ორის უპირატესობით",
    "penalty_12": "ხელის წამგებს 2 საჯარიმო ქულა ეწერება; {to} საჯარიმო პარტიას აგებს",
    "balls_12": "თითოს მისი ქულებით ეწერება საჯარიმო: არაფრისთვის 6, 31-ზე ნაკლებისთვის 4,"
    " 60-ზე ნაკლებისთვის 2, თორემ 0; {to} პარტიას აგებს",
    "balls_12_pairs": "თითო წყვილს საერთო ქულებით ეწერება საჯარიმო: არაფრისთვის 6, 31-ზე"
    " ნაკლებისთვის 4, 60-ზე ნაკლებისთვის 2, თორემ 0; {to} პარტიას აგებს",
    "burkozel_12": "ხელის მომგებს ეწერება 2 ქულა, 4, თუ არც ერთ მოწინააღმდეგეს 31 არ აქვს, 6, თუ"
    " არც ერთს {six}; პარტია მიდის {to}-მდე",
    "six_no_trick": "არაფერი წაუღია",
    "six_no_points": "არც ერთი ქულა არ აქვს",
    "pot": "ყველა თანაბრად დებს ბანკში, ბანკს ხელის მომგები იღებს; ცრუ ვარი ბანკს ავსებს; თუ"
    " არავინ მოიგო, ყველა კიდევ დებს; თამაშობენ, რამდენიც უნდათ",
    "foul_lose": "ურიგოდ აღება, ორის აღება და დახურული კარტის ნახვა ხელს აგებს",
    "foul_match_pot": "ვინც ურიგოდ იღებს, ორს იღებს ან დახურულ კარტს ნახულობს, ბანკს ავსებს, და"
    " ხელს არავინ იგებს",
    "next_rotate": "არიგებენ რიგრიგობით, საათის ისრის მიმართულებით; პირველი დამრიგებლის მარცხნივ"
    " მჯდომი ჩამოდის",
    "next_winner": "შემდეგს ხელის მომგები არიგებს; პირველი დამრიგებლის მარცხნივ მჯდომი ჩამოდის",
}

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {"en": _EN, "ru": _RU, "ka": _KA}
"""Language -> key -> a sentence without its full stop, or a part of one; equal keys in each."""
