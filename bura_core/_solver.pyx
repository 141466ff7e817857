"""Solving a two-player position with every card known (double dummy).

A boolean search: "does the leader reach this much?", asked of a start of a trick, with a
table of thresholds that serve every score (see _table.pxd). Which of three questions it is
depends on the rules:

* Fixed totals. Where the target is more than half of all points, whoever reaches it shuts
  the other out, and a hand is decided by the final piles alone. Then "at least n more points
  from here" does not depend on the score at all, and wins and draws (one point less) share
  their entries. The same search with claims and combinations left out is the `points`
  objective. While a bura is still possible this does not hold (it would come before the
  count), so such nodes keep their real scores and their kind of question apart.
* A race (31 points): both may get there, the first wins. The value rises with one's own
  points, so thresholds hold; what counts as reached depends on who asks (a win, or at least
  a draw), so the two kinds are kept apart where draws can happen.
* A ceiling: more points can hurt, so nothing is known but the very score that was searched.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from bura_core._cards cimport (
    CARD_POINTS, DECK_CARDS, SUITS, first_equal, higher_ones, highest, is_repeat, least,
    lower_ones, lowest, most, points_of, popcount, rank_mask, repeats, suit_mask, unlikely,
    worthless,
)
from bura_core._endings cimport KIND_POINTS, KIND_RACE, EndingTable, Endings, endings_of, look_up
from bura_core._limits cimport (
    STOPPED_FLAG, STOPPED_NODES, STOPPED_TIME, load_flag, seconds, store_flag,
)
from bura_core._moves cimport (
    MOVE_CLAIM, MOVE_PASS, MOVE_PLAY, MOVE_STOP, RootMove, make, root_moves,
)
from bura_core._rules cimport (
    BURA, COMBINATIONS, FOUR_ACES, LITTLE_MOSKVA, MAX_HAND, MAX_LEADS, MAX_REPLIES, NOBODY,
    NO_CEILING, PHASE_ANSWER, PHASE_CLAIM, PHASE_LEAD, PHASE_OVER, PHASE_RAISED, THREE_ACES,
    TWO_BURAS_VOID, UNCLAIMED_NO_WINNER, UNCLAIMED_THRESHOLD, USE_LEAD, USE_NONE, USE_WIN,
    USE_WIN_LED, WINDOW_BEFORE_DRAW, WINDOW_END_OF_DECK, WINDOW_OWN_TURN, Deal, Position, State,
    add_combination_sets, beaters, beats_any, beats_suit, beyond_two, can_beat, count_of,
    generate_calls, generate_leads, generate_subsets, good_claim, is_bura, look_for_sight,
    may_claim, pass_claim, refill_pair, set_beats, sight_order, unclaimed_winner,
    without_combinations,
)
from bura_core._sampler cimport Worlds
from bura_core._seats cimport SeatSolver
from bura_core._table cimport (
    GENERATION_SHIFT, GENERATIONS, WORDS, allocate_words, bucket_of, failed_below, free_words,
    mask_for, prefetch, probe, reached_from, store,
)

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from bura_core._seats import seat_moves_of
from bura_core.errors import BuraError, Fault, InputError, UnsupportedError
from bura_core.notation import Move

cdef enum:
    # A node takes well under a microsecond; limits are looked at this often.
    NODES_BETWEEN_CHECKS = 512
    NO_LIMIT = 0x7FFFFFFF
    UNDECIDED = 2
    BEATS_FIRST = 1 << 16     # what beats is tried before what does not
    SCALE = 127               # a need of n points has the threshold SCALE - n
    PROBE = 4                 # positions of a batch that tell whether threads pay
    SHARES = 8                # parts of a batch for each thread
    WORTH_THREADS = 30_000    # microseconds of work left

cdef uint64_t BEATEN = <uint64_t>1 << 63    # marks an answer that beats

# Guesses for the order of moves, found by a random search for the fewest nodes over whole
# deals and endings of georgian3, georgian3[deck=36] (race) and georgian5 with hands of four
# and five (fixed totals). They change how long a search takes, never what it answers. All are
# sums over cards, kept ready by trump suit + 1.
cdef Order RACE_ORDER[5]
cdef Order SUM_ORDER[5]

cdef void set_order(
    Order* by_trump, object trump, object plain, object more, object beat, object discard,
) noexcept:
    """Fill in the tables of one kind of game.

    Of a lead, in trumps and in a plain suit, that cannot be beaten and that can: a constant,
    and the value of a card, of a point, and of a card of the suit that stays in the hand. More
    of a lead: that only trumps beat it, that it is refuted at once, and of one that cannot be
    beaten, of a point that the winner draws more than the other. Of an answer that beats: the
    value of a point, of a trump, of a point of a trump; of one that does not: of a point and of
    a trump.
    """
    cdef int suit, card, points, beaten
    cdef bint trumps
    cdef Order* o
    for suit in range(-1, SUITS):
        o = &by_trump[suit + 1]
        o.only_trumps, o.refuted, o.swing = more
        for card in range(DECK_CARDS):
            points = CARD_POINTS[card]
            trumps = card // 9 == suit
            for beaten in range(2):
                first, each, point, left = (trump if trumps else plain)[beaten]
                o.first[beaten][card // 9] = first
                o.left[beaten][card // 9] = left
                o.lead[beaten][card] = each + point * points
            o.drawn[card] = points + 12 * trumps
            o.beat[card] = beat[0] * points + trumps * (beat[1] + beat[2] * points)
            o.discard[card] = discard[0] * points + trumps * discard[1]

set_order(
    RACE_ORDER, ((253, 5, -1, -45), (9, 29, -1, -13)), ((280, 7, 3, -74), (3, 93, 2, -327)),
    (31, -61, 15), (6, 1, -8), (-11, -33),
)
set_order(
    SUM_ORDER, ((297, 12, 1, 0), (-10, 0, -5, -18)), ((320, 14, 5, -188), (7, 129, -1, -177)),
    (126, -89, 7), (2, 12, -4), (-9, -31),
)

# The cards that beat each card: without and with the immune suit, by trump suit + 1.
cdef uint64_t BEATERS[2][5][36]

cdef void fill_beaters() noexcept:
    cdef Deal d
    cdef int immune, trump, card
    memset(&d, 0, sizeof(Deal))
    for immune in range(2):
        for trump in range(-1, SUITS):
            d.trump = trump
            d.trumps = suit_mask(trump) if trump >= 0 else 0
            d.immune = suit_mask(0) & ~d.trumps if immune else 0
            for card in range(DECK_CARDS):
                BEATERS[immune][trump + 1][card] = beaters(&d, card)

fill_beaters()

_STOPPED = (None, "nodes", "time", "stop")

cdef extern from "Python.h":
    int PyObject_GenericSetAttr(object it, object name, object value) except -1

cdef object filled(object kind, tuple values):
    """An instance of a frozen dataclass with slots, whose own way of setting fields is slow."""
    cdef object it = kind.__new__(kind)
    cdef tuple names = kind.__slots__
    cdef int i
    assert len(names) == len(values)
    for i in range(len(values)):
        PyObject_GenericSetAttr(it, names[i], values[i])
    return it

OBJECTIVES = ("outcome", "points", "score")
"""What a position may be solved for."""

# ---------------------------------------------------------------- limits

cdef bint give_up(Search* s) noexcept nogil:
    """Look at the limits; True once the search has to end."""
    if s.stopped:
        return True
    if s.nodes >= s.node_limit:
        s.stopped = STOPPED_NODES
    elif s.stop_flag != NULL and load_flag(s.stop_flag):
        s.stopped = STOPPED_FLAG
    elif s.deadline and seconds() >= s.deadline:
        s.stopped = STOPPED_TIME
    # A multiple of the interval, so that the table's parts change at the same node always.
    s.check_at = min((s.nodes // NODES_BETWEEN_CHECKS + 1) * NODES_BETWEEN_CHECKS, s.node_limit)
    s.mask = mask_for(s.table, s.nodes)
    return s.stopped != 0

# ---------------------------------------------------------------- the search

cdef inline bint wins_now(
    const Search* s, int count, int kind, bint bura_left, int at,
) noexcept nogil:
    """Has the winner of a trick, counting this much, reached what `kind` asks of it?"""
    cdef const Deal* d = s.deal
    if s.fixed_total and not bura_left:
        return count >= s.goal[kind]
    if d.window == WINDOW_END_OF_DECK and at < d.talon_size:
        return False
    return d.target <= count <= d.ceiling

cdef inline bint settled(const Search* s, int count, int other, int kind) noexcept nogil:
    """All cards are played and nobody claimed: has the first seat reached it?"""
    cdef int winner
    if s.fixed_total:
        return count >= s.goal[kind]
    winner = unclaimed_winner(s.deal, count, other)
    return winner == 0 or (kind == 0 and winner == NOBODY)

cdef inline bint ending_reached(
    const Search* s, uint64_t own, uint64_t opp, int count, int kind,
) noexcept nogil:
    """`reaches` for an ending that stands in the table."""
    cdef int value = look_up(s.endings, s.deal, own, opp)
    if s.fixed_total:
        return value >= s.goal[kind] - count
    return count >= value

cdef inline bint bura_is_left(
    const Search* s, uint64_t own, uint64_t opp, int at,
) noexcept nogil:
    """Can a hand still win by what it holds, whatever the piles count?"""
    cdef const Deal* d = s.deal
    if d.use[THREE_ACES] == USE_WIN or d.use[FOUR_ACES] == USE_WIN:
        return True
    return (
        d.use[BURA] != USE_NONE and popcount(own) == d.hand_size
        and popcount((own | opp | s.rest[at]) & d.trumps) >= d.hand_size
    )

cdef inline int threshold_of(
    const Search* s, uint64_t own, uint64_t opp, int count, int at, int kind, bint bura_left,
    int* x, uint64_t* tag,
) noexcept nogil:
    """Under which tag and threshold the table keeps a question.

    Returns 1 or 0 where the points alone answer it, else UNDECIDED.
    """
    cdef int need
    if s.fixed_total and not bura_left:
        need = s.goal[kind] - count
        if need <= 0:
            return 1
        # What is left goes to one of the two.
        if need > points_of(own | opp | s.rest[at]):
            return 0
        x[0] = SCALE - need
        tag[0] = s.tag | 1
    elif s.monotone:
        x[0] = count
        tag[0] = s.tag | kind << 1
    else:
        # More points may hurt: nothing is known but this very count.
        x[0] = 0
        tag[0] = s.tag | kind << 1 | count << 2
    return UNDECIDED

cdef bint reaches(
    Search* s, uint64_t own, uint64_t opp, int count, int other, int at, int kind,
) noexcept nogil:
    """At the start of a trick: does the leader win (kind 1), or at least not lose (0)?

    `own` and `count` are the leader's hand and count, `opp` and `other` the other seat's,
    `at` cards of the talon are drawn. Meaningless once `s.stopped` is set.
    """
    cdef const Deal* d = s.deal
    cdef uint64_t leads[MAX_LEADS]
    cdef uint64_t tag = 0
    cdef uint64_t* bucket
    cdef uint64_t* entry
    cdef int n, i, x = 0, found
    cdef bint bura_left, result

    if at >= d.talon_size and popcount(own) <= s.ending_cards:
        return ending_reached(s, own, opp, count, kind)
    s.nodes += 1
    if unlikely(s.nodes >= s.check_at) and give_up(s):
        return False
    if d.sight and (sight_order(d, own) or sight_order(d, opp)):
        return on_sight(s, own, opp, kind)
    if d.use[BURA] == USE_WIN_LED and is_bura(d, own):
        return True
    bura_left = bura_is_left(s, own, opp, at)
    if d.window == WINDOW_OWN_TURN and not s.fixed_total and good_claim(d, count):
        return True
    found = threshold_of(s, own, opp, count, at, kind, bura_left, &x, &tag)
    if found != UNDECIDED:
        return found == 1
    if unlikely(s.horizon <= at < d.talon_size):
        s.guessed = True
        return guess(s, own, opp, count, other, at, kind)
    bucket = bucket_of(s.table, s.mask, own, opp, tag, 0)
    entry = probe(bucket, own, opp, tag, False, 0, 0)
    if entry != NULL:
        if x >= reached_from(entry):
            return True
        if x < failed_below(entry):
            return False

    result = False
    if d.callable:
        # The other seat may take the lead with a combination (RULES §5).
        n = calls_of(d, opp, own, leads)
        for i in range(n):
            if holds_lead(s, opp, own, other, count, at, kind ^ s.flip, leads[i], bura_left):
                store(bucket, own, opp, tag, x, False, False, 0, 0)
                return False
            if s.stopped:
                return False
    if wins_at_once(s, own, opp, count, other, at, kind, bura_left):
        return True
    n = order_leads(s, own, opp, at, leads)
    for i in range(n):
        if holds_lead(s, own, opp, count, other, at, kind, leads[i], bura_left):
            result = True
            break
        if s.stopped:
            return False
    if s.stopped:
        return False
    store(bucket, own, opp, tag, x, result, False, 0, 0)
    return result

cdef inline int edge_of(const Search* s, uint64_t own, uint64_t opp) noexcept nogil:
    cdef const Deal* d = s.deal
    cdef uint64_t high = (rank_mask(7) | rank_mask(8)) & ~d.trumps
    return (
        6 * (popcount(own & d.trumps) - popcount(opp & d.trumps)) + 3
        + 2 * (popcount(own & high) - popcount(opp & high))
    )

cdef bint guess(
    const Search* s, uint64_t own, uint64_t opp, int count, int other, int at, int kind,
) noexcept nogil:
    """Who is ahead, where the search is cut at its horizon: a rule of thumb, no proof.

    A trump is worth about six points of play, an ace or ten of a plain suit two, the lead
    three; what is left is shared evenly but for that. Rises with the leader's count.
    """
    cdef int edge = edge_of(s, own, opp)
    if s.fixed_total:
        return 2 * (s.goal[kind] - count) <= points_of(own | opp | s.rest[at]) + 2 * edge
    return count + edge >= other

cdef inline bint wins_at_once(
    const Search* s, uint64_t own, uint64_t opp, int count, int other, int at, int kind,
    bint bura_left,
) noexcept nogil:
    """Can one suit be led, unbeatable, for all that is needed, whatever is given away?"""
    cdef const Deal* d = s.deal
    cdef int suit, size
    cdef uint64_t cards, lead
    if not s.monotone:
        return False          # more than needed may be too much
    if d.window == WINDOW_OWN_TURN and good_claim(d, other):
        return False          # the other claims when it is his turn to answer
    for suit in range(SUITS):
        cards = own & suit_mask(suit)
        # The highest cards of a suit are the hardest to beat and worth the most.
        lead = 0
        size = 0
        while cards:
            lead |= <uint64_t>1 << highest(cards)
            cards ^= <uint64_t>1 << highest(cards)
            size += 1
            if d.one_or_three and size != 1 and size != 3:
                continue
            if wins_now(
                s, count + points_of(lead) + least(opp, size), kind, bura_left,
                min(at + 2 * size, d.talon_size),
            ) and not can_beat(d, lead, opp):
                return True
    return False

cdef inline int order_leads(
    const Search* s, uint64_t own, uint64_t opp, int at, uint64_t* leads,
) noexcept nogil:
    """The legal leads, equal ones once, best guess first."""
    cdef const Deal* d = s.deal
    cdef int scores[MAX_LEADS]
    cdef int all_leads = generate_leads(d, own, popcount(opp), leads), n = 0, i, j, score
    cdef uint64_t lead, repeated = 0
    if s.merge:
        repeated = repeats(own, opp | s.rest[at])
    for i in range(all_leads):
        lead = leads[i]
        if repeated and is_repeat(lead, own, repeated):
            continue
        score = lead_value(s, own, lead, can_beat(d, lead, opp))
        j = n
        while j > 0 and scores[j - 1] < score:
            scores[j] = scores[j - 1]
            leads[j] = leads[j - 1]
            j -= 1
        scores[j] = score
        leads[j] = lead
        n += 1
    return n

cdef inline int value_of(const int* by_card, uint64_t cards) noexcept nogil:
    cdef int value = 0
    while cards:
        value += by_card[lowest(cards)]
        cards &= cards - 1
    return value

cdef inline int lead_value(
    const Search* s, uint64_t own, uint64_t lead, bint beaten,
) noexcept nogil:
    """How promising a lead is, which can be beaten or not."""
    cdef int suit = lowest(lead) // 9
    return (
        s.order.first[beaten][suit] + value_of(s.order.lead[beaten], lead)
        + s.order.left[beaten][suit] * popcount(own & suit_mask(suit) & ~lead)
    )

cdef inline void sort_answers(uint64_t* queue, int* values, int n) noexcept nogil:
    """Insertion sort by value, highest first."""
    cdef int i, j, value
    cdef uint64_t answer
    for i in range(1, n):
        answer = queue[i]
        value = values[i]
        j = i
        while j > 0 and values[j - 1] < value:
            values[j] = values[j - 1]
            queue[j] = queue[j - 1]
            j -= 1
        values[j] = value
        queue[j] = answer

cdef bint on_sight(Search* s, uint64_t own, uint64_t opp, int kind) noexcept nogil:
    """A combination ends the hand: has the leader reached it?"""
    cdef State state
    memset(&state, 0, sizeof(State))
    state.hand[0] = own
    state.hand[1] = opp
    look_for_sight(s.deal, &state)
    return state.winner == 0 or (kind == 0 and state.winner == NOBODY)

cdef int calls_of(const Deal* d, uint64_t hand, uint64_t leader, uint64_t* out) noexcept nogil:
    """What a seat may lead out of turn, before `leader` leads."""
    cdef State state
    if popcount(hand) < 3 and popcount(hand) < d.hand_size:
        return 0              # neither three of a rank nor a full hand
    state.hand[0] = leader
    state.hand[1] = hand
    state.phase = PHASE_LEAD
    state.called = False
    state.turn = 0
    return generate_calls(d, &state, 1, out)

ctypedef struct Answer:
    # What an answer leads to: the start of the next trick, from its leader's side.
    uint64_t own
    uint64_t opp
    uint64_t* bucket
    uint64_t tag
    int x
    int count
    int other
    int kind
    int value                 # for the order
    bint wanted               # what this state has to answer for the lead to hold

cdef inline int ask_ahead(const Search* s, Answer* a, int at) noexcept nogil:
    """What the points alone say of the state after an answer: 1, 0 or UNDECIDED.

    If nothing, the place of the state in the table is looked up and sent for.
    """
    cdef int found = threshold_of(
        s, a.own, a.opp, a.count, at, a.kind, bura_is_left(s, a.own, a.opp, at), &a.x, &a.tag
    )
    if found == UNDECIDED:
        a.bucket = bucket_of(s.table, s.mask, a.own, a.opp, a.tag, 0)
        prefetch(a.bucket)
    return found

cdef inline int distinct_answers(
    const Search* s, uint64_t own, uint64_t opp, int size, int at, uint64_t* answers,
) noexcept nogil:
    """All sets of so many cards of the other's hand, equal ones once."""
    cdef int n = generate_subsets(opp, size, answers), i, kept = 0
    cdef uint64_t repeated
    if not s.merge:
        return n
    repeated = repeats(opp, own | s.rest[at])
    if not repeated:
        return n
    for i in range(n):
        if not is_repeat(answers[i], opp, repeated):
            answers[kept] = answers[i]
            kept += 1
    return kept

cdef bint holds_lead(
    Search* s, uint64_t own, uint64_t opp, int count, int other, int at, int kind,
    uint64_t lead, bint bura_left,
) noexcept nogil:
    """Does the leader reach it with this lead, whatever is answered?

    Answers that end the hand are looked at first, the others are searched in the order of
    a guess: beat with many points and few trumps, else give away little.
    """
    cdef const Deal* d = s.deal
    cdef uint64_t answers[MAX_REPLIES]
    cdef Answer found[2 * MAX_REPLIES]
    cdef int order[2 * MAX_REPLIES]
    cdef Answer* a
    cdef uint64_t mine = own ^ lead, answer
    cdef const uint64_t* entry
    cdef int n, i, j, size = popcount(lead), gain = points_of(lead), total, waiting = 0, open_ones
    cdef int suit = lowest(lead) // 9, next_at = min(at + 2 * size, d.talon_size), known
    cdef bint plain = not lead & ~suit_mask(suit), beaten
    cdef bint last = not mine and at >= d.talon_size
    cdef bint ending = not last and at >= d.talon_size and popcount(mine) <= s.ending_cards

    if d.use[BURA] == USE_WIN_LED and lead == own and is_bura(d, own):
        return True
    if d.window == WINDOW_OWN_TURN and not s.fixed_total and good_claim(d, other):
        return False
    n = distinct_answers(s, own, opp, size, at, answers)
    for i in range(n):
        answer = answers[i]
        total = gain + points_of(answer)
        beaten = beats_suit(d, suit, lead, answer) if plain else set_beats(d, lead, answer)
        if beaten:
            if wins_now(s, other + total, kind ^ s.flip, bura_left, next_at):
                return False
            if last:
                if settled(s, other + total, count, kind ^ s.flip):
                    return False
            elif ending:
                if ending_reached(s, opp ^ answer, mine, other + total, kind ^ s.flip):
                    return False
            else:
                a = &found[waiting]
                a.own, a.opp = opp ^ answer, mine
                refill_pair(d, &a.own, &a.opp, False, size, at)
                a.count, a.other, a.kind, a.wanted = other + total, count, kind ^ s.flip, 0
                known = ask_ahead(s, a, next_at)
                if known == 1:
                    return False
                if known == UNDECIDED:
                    a.value = BEATS_FIRST + value_of(s.order.beat, answer)
                    waiting += 1
        if not beaten or not d.shown:
            if wins_now(s, count + total, kind, bura_left, next_at):
                continue
            if last:
                if not settled(s, count + total, other, kind):
                    return False
            elif ending:
                if not ending_reached(s, mine, opp ^ answer, count + total, kind):
                    return False
            else:
                a = &found[waiting]
                a.own, a.opp = mine, opp ^ answer
                refill_pair(d, &a.own, &a.opp, True, size, at)
                a.count, a.other, a.kind, a.wanted = count + total, other, kind, 1
                known = ask_ahead(s, a, next_at)
                if known == 0:
                    return False
                if known == UNDECIDED:
                    a.value = value_of(s.order.discard, answer)
                    waiting += 1
    # What the table knows of the answers costs less to ask than to search for.
    open_ones = 0
    for i in range(waiting):
        a = &found[i]
        entry = probe(a.bucket, a.own, a.opp, a.tag, False, 0, 0)
        if entry != NULL:
            if a.x >= reached_from(entry):
                if not a.wanted:
                    return False
                continue
            if a.x < failed_below(entry):
                if a.wanted:
                    return False
                continue
        j = open_ones
        while j > 0 and found[order[j - 1]].value < a.value:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        open_ones += 1
    for i in range(open_ones):
        a = &found[order[i]]
        if reaches(s, a.own, a.opp, a.count, a.other, next_at, a.kind) != a.wanted:
            return False
        if s.stopped:
            return False
    return True

# ---------------------------------------------------------------- the search by needs

# The search of nearly all rules. A question is asked in points from here on: the leader
# reaches it once he has won `need` more, and does not if the other wins `threat` more before.
# What the two sum to follows from the hands alone, so the need is the one number a table entry
# has to know. Wherever more points never hurt (`Search.by_needs`), an answer also tells for
# which other needs it holds: a **margin** of 0 or more says that the leader reaches it even
# if he needs so many points more, a negative one, ~k, that he does not even if he needs k
# points fewer. Margins are minima and maxima of those of the next tricks; they make one
# entry of the table answer many questions. No margin goes so far that a player would need
# nothing any more (`within`): he would have claimed before.

cdef enum:
    RACE = 0              # both may get there: the first to reach the target wins
    SUM = 1               # what the other wins the leader cannot: threat = points left - need + 1
    BURA_LEFT = 2         # fixed totals, but a hand may still win by itself; + kind of question
    MANY = 127            # a margin no number of points outweighs
    OPEN = 1 << 20        # no margin is known

ctypedef struct Reply:
    # Cards of the other seat that may answer a lead, whether they beat it or not.
    uint64_t cards
    int points
    int beat              # for the order, where they beat and where they do not
    int discard

ctypedef struct Trick:
    # The start of a trick, as its leader sees it.
    uint64_t own
    uint64_t opp
    uint64_t repeated                 # the other's cards that an equal one stands for
    uint64_t given                    # those he may give away alone
    int need
    int threat
    int at
    int mode
    int n_replies[MAX_HAND + 1]       # by the size of the lead; 0: not listed yet
    int first_reply[MAX_HAND + 1]
    int listed
    Reply reply[1 << MAX_HAND]

ctypedef struct Led:
    # A lead of a trick, and what is the same after every answer.
    uint64_t mine             # what the leader keeps
    uint64_t opp              # the other's hand before he answers
    uint64_t first            # what is drawn by the leader, if he wins the trick
    uint64_t second           # and by the other
    uint64_t tag
    int need
    int threat
    int mode
    int at                    # how far the talon is drawn afterwards
    int trumps                # those not played, but for the answer
    bint last                 # no cards are left after this trick
    bint ending               # what is left stands in a table
    bint bura_left            # a hand may still win by itself, if there are trumps enough
    bint sure                 # whoever cannot be beaten may be looked for

ctypedef struct Outcome:
    # What an answer leads to: the start of the next trick, from its leader's side.
    uint64_t own
    uint64_t opp
    uint64_t* bucket
    int need
    int threat
    int mode
    int value             # for the order
    bint led              # the leader of this trick has won it and leads again

cdef inline int from_entry(const uint64_t* entry, int need) noexcept nogil:
    """The margin that an entry of the table tells for this need, or OPEN."""
    cdef int x = SCALE - need
    if x >= reached_from(entry):
        return x - reached_from(entry)
    if x < failed_below(entry):
        return x - failed_below(entry)
    return OPEN

cdef inline int widest_held(int threat) noexcept nogil:
    """The widest margin of a question that can be asked of these hands.

    Who has more than the target already, and has not claimed, still loses to a bura: 0 then.
    """
    return max(threat - 1, 0)

cdef inline int widest_failed(int need) noexcept nogil:
    return min(-need, -1)

cdef inline int within(int margin, int need, int threat) noexcept nogil:
    """A margin, no wider than the questions that can be asked of these hands."""
    if margin >= 0:
        return min(margin, widest_held(threat))
    return max(margin, widest_failed(need))

cdef inline int without_bura(
    const Search* s, uint64_t own, uint64_t opp, int at, int* need, int* threat, int* mode,
) noexcept nogil:
    """From here on only the sum counts; the margin if that decides it, else OPEN."""
    need[0] -= s.shift[mode[0] & 1]
    threat[0] = points_of(own | opp | s.rest[at]) - need[0] + 1
    mode[0] = SUM
    if need[0] <= 0:
        return -need[0]
    if threat[0] <= 0:
        return threat[0] - 1
    return OPEN

cdef inline void begin_trick_at(
    const Search* s, Trick* t, uint64_t own, uint64_t opp, int need, int threat, int at, int mode,
) noexcept nogil:
    cdef int size
    t.own, t.opp, t.need, t.threat, t.at, t.mode = own, opp, need, threat, at, mode
    t.repeated = 0
    if s.merge:
        t.repeated = repeats(opp, own | s.rest[at])
    t.given = opp & ~higher_ones(opp) if s.keep_high else opp & ~t.repeated
    t.listed = 0
    for size in range(MAX_HAND + 1):
        t.n_replies[size] = 0

cdef void list_replies(const Search* s, Trick* t, int size) noexcept nogil:
    """Put all sets of so many cards of the other's hand into `t.reply`, equal ones once."""
    cdef uint64_t sets[MAX_REPLIES]
    cdef Reply* r = &t.reply[t.listed]
    cdef uint64_t cards
    cdef int n = generate_subsets(t.opp, size, sets), i, card
    t.first_reply[size] = t.listed
    for i in range(n):
        cards = sets[i]
        if t.repeated and is_repeat(cards, t.opp, t.repeated):
            continue
        r.cards = cards
        r.points = r.discard = 0
        r.beat = BEATS_FIRST
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            r.points += CARD_POINTS[card]
            r.beat += s.order.beat[card]
            r.discard += s.order.discard[card]
        r += 1
        t.listed += 1
    t.n_replies[size] = t.listed - t.first_reply[size]

cdef inline uint64_t beatable_by(const Search* s, uint64_t hand) noexcept nogil:
    """The cards that some card of a hand beats."""
    if hand & s.deal.trumps:
        return lower_ones(hand) | s.under_trumps
    return lower_ones(hand)

cdef inline int sure_margin(
    const Search* s, uint64_t own, uint64_t opp, int at, int need,
) noexcept nogil:
    """The leader's margin if he reaches it by leads that nothing can beat; else below zero.

    Only right where he cannot be interrupted between two tricks (`Search.runs`).
    """
    cdef const Deal* d = s.deal
    cdef uint64_t unbeaten = own & ~beatable_by(s, opp), cards, group
    cdef int card, won, gained, length, best
    if s.suits_only:
        # One suit, all of it: what can be beaten as a whole can be beaten in part.
        cards = own
        while cards:
            group = own & suit_mask(lowest(cards) // 9)
            cards ^= group
            if group & (group - 1):
                won = points_of(group)
                length = popcount(group)
                if won + 11 * length >= need and (group & unbeaten or not can_beat(d, group, opp)):
                    gained = won + least(opp, length)
                    if gained >= need:
                        return gained - need
    # One card after the other. `opp` grows by what the other draws and never shrinks, so it
    # holds whatever he may have kept; what he gives away is at least the cheapest of that.
    won = length = 0
    while unbeaten:
        if at >= d.talon_size:
            # Nothing is drawn any more: all that cannot be beaten, in any order, and what is
            # of the same suits with it.
            if s.suits_only:
                unbeaten = own & (unbeaten | lower_ones(unbeaten))
            won += points_of(unbeaten)
            length += popcount(unbeaten)
            return won + (least(opp, length) if won + 11 * length >= need else 0) - need
        best = lowest(unbeaten)
        cards = unbeaten & (unbeaten - 1)
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            if CARD_POINTS[card] > CARD_POINTS[best]:
                best = card
        won += CARD_POINTS[best]
        length += 1
        if won + 11 * length >= need:
            gained = won + least(opp, length)
            if gained >= need:
                return gained - need
        own = own ^ <uint64_t>1 << best | <uint64_t>1 << d.talon[at]
        opp |= <uint64_t>1 << d.talon[at + 1]
        at += 2
        unbeaten = own & ~beatable_by(s, opp)
    return -1

cdef inline int known_outcome(
    const Search* s, const Led* l, Outcome* a, bint bura_left,
) noexcept nogil:
    """The margin of an outcome where it needs no search, else OPEN.

    If nothing tells it, its place in the table is looked up and sent for.
    """
    cdef int margin
    if a.mode >= BURA_LEFT and (l.ending or not bura_left):
        margin = without_bura(s, a.own, a.opp, l.at, &a.need, &a.threat, &a.mode)
        if margin != OPEN:
            return margin
    if l.ending:
        margin = look_up(s.endings, s.deal, a.own, a.opp)
        if a.mode == RACE:
            # The table knows the least count that wins, and the need is what lacks to the target.
            margin = s.deal.target - margin
        return within(margin - a.need, a.need, a.threat)
    if l.sure and not a.led:
        margin = sure_margin(s, a.own, a.opp, l.at, a.need)
        if margin >= 0:
            return min(margin, widest_held(a.threat))
    a.bucket = bucket_of(s.table, s.mask, a.own, a.opp, l.tag | a.mode, 0)
    prefetch(a.bucket)
    return OPEN

cdef inline int if_beaten(
    const Search* s, const Led* l, uint64_t answer, int total, Outcome* a,
) noexcept nogil:
    """The margin of a lead where this answer beats it, or OPEN; then `a` is what it leads to."""
    cdef int margin
    if l.last:
        # Only here can a hand end with nobody at the target: the piles decide.
        return s.shift[l.mode & 1] - l.need
    if s.deal.refill_leader:
        a.own, a.opp = l.opp ^ answer | l.second, l.mine | l.first
    else:
        a.own, a.opp = l.opp ^ answer | l.first, l.mine | l.second
    a.need, a.threat, a.mode, a.led = l.threat - total, l.need, l.mode ^ l.mode >> 1, False
    margin = known_outcome(s, l, a, l.bura_left and (
        s.aces_win or l.trumps - popcount(answer & s.deal.trumps) >= s.deal.hand_size
    ))
    return OPEN if margin == OPEN else ~margin

cdef inline int if_given(
    const Search* s, const Led* l, uint64_t answer, int total, Outcome* a,
) noexcept nogil:
    """The margin of a lead where this answer does not beat it, or OPEN, as with `if_beaten`."""
    if total >= l.need:
        return total - l.need
    if l.last:
        return s.shift[l.mode & 1] - l.need + total
    a.own, a.opp = l.mine | l.first, l.opp ^ answer | l.second
    a.need, a.threat, a.mode, a.led = l.need - total, l.threat, l.mode, True
    return known_outcome(s, l, a, l.bura_left and (
        s.aces_win or l.trumps - popcount(answer & s.deal.trumps) >= s.deal.hand_size
    ))

cdef int lead_margin(Search* s, Trick* t, uint64_t lead, bint beatable) noexcept nogil:
    """The margin of a lead: the worst over all answers, or that of the one that refutes it.

    Answers that end the hand are looked at before any is searched, then those the table
    knows; the others are searched in the order of a guess. Meaningless once `s.stopped` is set.

    Where any set may be discarded (`Search.keep_high`), a card is not given away while a lower
    one of its suit stays in the hand: giving the lower one is at least as good. Whoever keeps
    the higher card plays it as he would have played the lower: it beats all that the other
    beats, all that beats it beats the other too, and whoever ends up with it, the other side
    has had its extra points no earlier. Not so where a set that beats, laid open, counts as
    beating: there he might have to take the trick.
    """
    cdef const Deal* d = s.deal
    cdef Outcome found[2 * MAX_REPLIES]
    cdef int order[2 * MAX_REPLIES]
    cdef Led l
    cdef Outcome* a = found
    cdef const Reply* r
    cdef const Reply* replies = NULL
    cdef uint64_t opp = t.opp, answer, beating = 0, given = 0, cards
    cdef const uint64_t* entry
    cdef int threat = t.threat, size = popcount(lead), gain = points_of(lead)
    cdef int n = 0, i, j, card, suit, waiting, open_ones = 0, margin, worst = widest_held(threat)
    cdef unsigned int beaten = 0

    # What beats the lead and ends the hand comes before all else.
    if size == 1:
        given = t.given
        if beatable:
            beating = opp & s.beaters[lowest(lead)]
            cards = beating
            while cards:
                margin = threat - gain - CARD_POINTS[lowest(cards)]
                if margin <= 0:
                    return margin - 1
                cards &= cards - 1
        if d.shown:
            given &= ~beating
        if not s.keep_high:
            beating &= ~t.repeated
        elif beating & (beating - 1):
            # A card of no points beats as well as a lower one of its suit that does.
            beating &= ~(worthless() & higher_ones(beating))
    else:
        if not t.n_replies[size]:
            list_replies(s, t, size)
        n = t.n_replies[size]
        replies = &t.reply[t.first_reply[size]]
        if beatable:
            suit = lowest(lead) // 9
            for i in range(n):
                r = &replies[i]
                if (
                    beats_suit(d, suit, lead, r.cards) if not lead & ~suit_mask(suit)
                    else beats_any(d, lead, r.cards)
                ):
                    if gain + r.points >= threat:
                        return threat - gain - r.points - 1
                    beaten |= <unsigned int>1 << i

    l.mine = t.own ^ lead
    l.opp = opp
    l.need, l.threat, l.mode, l.tag = t.need, threat, t.mode, s.tag
    l.at = min(t.at + 2 * size, d.talon_size)
    l.first = s.turns[t.at] ^ s.turns[l.at]
    l.second = s.turns[t.at + 1] ^ s.turns[l.at + 1]
    l.last = not l.mine and t.at >= d.talon_size
    l.ending = (
        l.at >= d.talon_size and popcount(l.mine | l.first) <= s.ending_cards and not l.last
    )
    l.sure = s.runs and not s.horizon <= l.at < d.talon_size
    l.bura_left = False
    l.trumps = 0
    if l.mode >= BURA_LEFT:
        l.trumps = popcount((t.own | opp | s.rest[t.at]) & d.trumps) - popcount(lead & d.trumps)
        l.bura_left = s.aces_win or popcount(l.mine | l.first) == d.hand_size

    if size == 1:
        while beating:
            answer = beating & (0 - beating)
            beating ^= answer
            card = lowest(answer)
            margin = if_beaten(s, &l, answer, gain + CARD_POINTS[card], a)
            if margin == OPEN:
                a.value = BEATS_FIRST + s.order.beat[card]
                a += 1
            elif margin < 0:
                return margin
            else:
                worst = min(worst, margin)
        while given:
            answer = given & (0 - given)
            given ^= answer
            card = lowest(answer)
            margin = if_given(s, &l, answer, gain + CARD_POINTS[card], a)
            if margin == OPEN:
                a.value = s.order.discard[card]
                a += 1
            elif margin < 0:
                return margin
            else:
                worst = min(worst, margin)
    else:
        for i in range(n):
            r = &replies[i]
            if beaten >> i & 1:
                margin = if_beaten(s, &l, r.cards, gain + r.points, a)
                if margin == OPEN:
                    a.value = r.beat
                    a += 1
                elif margin < 0:
                    return margin
                else:
                    worst = min(worst, margin)
                if d.shown:
                    continue
            if s.keep_high and r.cards & higher_ones(opp ^ r.cards):
                continue
            margin = if_given(s, &l, r.cards, gain + r.points, a)
            if margin == OPEN:
                a.value = r.discard
                a += 1
            elif margin < 0:
                return margin
            else:
                worst = min(worst, margin)
    waiting = a - found
    # What the table knows of the answers costs less to ask than to search for.
    for i in range(waiting):
        a = &found[i]
        entry = probe(a.bucket, a.own, a.opp, l.tag | a.mode, False, 0, 0)
        if entry != NULL:
            margin = from_entry(entry, a.need)
            if margin != OPEN:
                if not a.led:
                    margin = ~margin
                if margin < 0:
                    return margin
                worst = min(worst, margin)
                continue
        j = open_ones
        while j > 0 and found[order[j - 1]].value < a.value:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        open_ones += 1
    for i in range(open_ones):
        a = &found[order[i]]
        margin = margin_of(s, a.own, a.opp, a.need, a.threat, l.at, a.mode, a.bucket, a.led)
        if not a.led:
            margin = ~margin
        if margin < 0 or s.stopped:
            return margin
        worst = min(worst, margin)
    return worst

cdef inline void put_lead(
    uint64_t* leads, int* scores, int n, uint64_t lead, int score,
) noexcept nogil:
    """Put a lead among `n`, the highest score first."""
    while n > 0 and scores[n - 1] < score:
        scores[n] = scores[n - 1]
        leads[n] = leads[n - 1]
        n -= 1
    scores[n] = score
    leads[n] = lead

cdef inline int promise_of(
    const Search* s, uint64_t own, uint64_t opp, uint64_t lead, int threat, int swing,
    bint beatable,
) noexcept nogil:
    """How promising a lead is, where it is known how much more its winner draws (`swing`)."""
    cdef int value = lead_value(s, own, lead, beatable), card, suit
    cdef uint64_t beating
    if not beatable:
        return value + s.order.swing * swing
    card = lowest(lead)
    suit = card // 9
    beating = opp & s.beaters[card]
    if not beating & suit_mask(suit):
        value += s.order.only_trumps
    if not lead & (lead - 1):
        threat -= CARD_POINTS[card]
        if threat <= 11:
            while beating:
                if CARD_POINTS[lowest(beating)] >= threat:
                    return value + s.order.refuted
                beating &= beating - 1
    return value

cdef int margin_of(
    Search* s, uint64_t own, uint64_t opp, int need, int threat, int at, int mode,
    uint64_t* bucket, bint sure,
) noexcept nogil:
    """At the start of a trick: does the leader reach it, and with what margin?

    `bucket` is the place of the hands in the table if that has been asked in vain, else NULL;
    `sure` asks whether the leader is sure of it. Meaningless once `s.stopped` is set.
    """
    cdef const Deal* d = s.deal
    cdef Trick t
    cdef uint64_t leads[MAX_LEADS]
    cdef uint64_t sets[MAX_LEADS]
    cdef int scores[MAX_LEADS]
    cdef uint64_t* entry
    cdef uint64_t cards, lead, repeated = 0, unbeaten, tag = s.tag | mode
    cdef int n, i, suit, score, margin, cap = widest_held(threat), kept = 0, result = ~MANY
    cdef int swing = 0
    cdef bint beatable

    s.nodes += 1
    if unlikely(s.nodes >= s.check_at) and give_up(s):
        return -1
    if d.sight and (sight_order(d, own) or sight_order(d, opp)):
        return within(MANY if on_sight(s, own, opp, mode & 1) else ~MANY, need, threat)
    if not own & ~d.trumps and d.use[BURA] == USE_WIN_LED and is_bura(d, own):
        return cap
    if unlikely(s.horizon <= at < d.talon_size):
        s.guessed = True
        # A guess says nothing of other needs.
        return 0 if guess_need(s, own, opp, need, threat, at, mode) else -1
    if bucket == NULL:
        bucket = bucket_of(s.table, s.mask, own, opp, tag, 0)
        entry = probe(bucket, own, opp, tag, False, 0, 0)
        if entry != NULL:
            margin = from_entry(entry, need)
            if margin != OPEN:
                return margin
    if d.callable:
        # The other seat may take the lead with a combination (RULES §5).
        n = calls_of(d, opp, own, leads)
        if n:
            begin_trick_at(s, &t, opp, own, threat, need, at, mode ^ mode >> 1)
        for i in range(n):
            margin = ~lead_margin(s, &t, leads[i], True)
            if s.stopped:
                return -1
            if margin < 0:
                margin = max(margin, widest_failed(need))
                store(bucket, own, opp, tag, SCALE - need + ~margin, False, False, 0, 0)
                return margin
            cap = min(cap, margin)

    unbeaten = own & ~beatable_by(s, opp)
    if s.runs:
        if sure:
            margin = sure_margin(s, own, opp, at, need)
            if margin >= 0:
                return min(margin, cap)
    else:
        # One card that cannot be beaten and is enough, whatever is given away.
        cards = unbeaten
        while cards:
            margin = CARD_POINTS[lowest(cards)] + least(opp, 1) - need
            if margin >= 0:
                return min(margin, cap)
            cards &= cards - 1
    if s.merge:
        repeated = repeats(own, opp | s.rest[at])
    if at < d.talon_size:
        swing = s.order.drawn[d.talon[at]] - s.order.drawn[d.talon[at + 1]]
    if s.suits_only:
        for suit in range(SUITS):
            cards = lead = own & suit_mask(suit)
            while lead:
                if not lead & (lead - 1):
                    if not lead & repeated:
                        beatable = not lead & unbeaten
                        score = promise_of(s, own, opp, lead, threat, swing, beatable)
                        put_lead(leads, scores, kept, lead, score << 1 | beatable)
                        kept += 1
                elif not (repeated & lead and is_repeat(lead, own, repeated)):
                    beatable = not lead & unbeaten and can_beat(d, lead, opp)
                    score = promise_of(s, own, opp, lead, threat, swing, beatable)
                    put_lead(leads, scores, kept, lead, score << 1 | beatable)
                    kept += 1
                lead = (lead - 1) & cards
    else:
        n = generate_leads(d, own, popcount(opp), sets)
        for i in range(n):
            lead = sets[i]
            if repeated and is_repeat(lead, own, repeated):
                continue
            if lead & (lead - 1):
                beatable = not lead & unbeaten and can_beat(d, lead, opp)
                if not beatable:
                    margin = points_of(lead) + least(opp, popcount(lead)) - need
                    if margin >= 0:
                        return min(margin, cap)
            else:
                beatable = not lead & unbeaten
            score = promise_of(s, own, opp, lead, threat, swing, beatable)
            put_lead(leads, scores, kept, lead, score << 1 | beatable)
            kept += 1
    begin_trick_at(s, &t, own, opp, need, threat, at, mode)
    for i in range(kept):
        margin = lead_margin(s, &t, leads[i], scores[i] & 1)
        if s.stopped:
            return -1
        if margin >= 0:
            result = min(margin, cap)
            store(bucket, own, opp, tag, SCALE - need - result, True, False, 0, 0)
            return result
        result = max(result, margin)
    result = max(result, widest_failed(need))
    store(bucket, own, opp, tag, SCALE - need + ~result, False, False, 0, 0)
    return result

cdef inline bint guess_need(
    const Search* s, uint64_t own, uint64_t opp, int need, int threat, int at, int mode,
) noexcept nogil:
    """`guess` in points from here."""
    cdef int edge = edge_of(s, own, opp)
    if mode == RACE:
        return need - threat <= edge
    if mode >= BURA_LEFT:
        need -= s.shift[mode & 1]
    return 2 * need <= points_of(own | opp | s.rest[at]) + 2 * edge

cdef bint reaches_need(
    Search* s, uint64_t own, uint64_t opp, int count, int other, int at, int kind, uint64_t lead,
) noexcept nogil:
    """`reaches`, or where a lead lies on the table `holds_lead`, by needs.

    Where only the sum counts, `s.slack` is for how many points more the answer holds, too.
    """
    cdef const Deal* d = s.deal
    cdef Trick t
    cdef int need = d.target - count, threat = d.target - other, mode = RACE, margin
    if not lead and at >= d.talon_size and popcount(own) <= s.ending_cards:
        if s.fixed_total:
            return with_slack(s, look_up(s.endings, d, own, opp) - s.goal[kind] + count)
        return ending_reached(s, own, opp, count, kind)
    if s.fixed_total:
        mode = BURA_LEFT + kind
        if s.sum_alone or not bura_is_left(s, own, opp, at):
            margin = without_bura(s, own, opp, at, &need, &threat, &mode)
            if margin != OPEN:
                s.nodes += not lead
                return with_slack(s, margin)
    if not lead:
        margin = margin_of(s, own, opp, need, threat, at, mode, NULL, True)
    elif d.use[BURA] == USE_WIN_LED and lead == own and is_bura(d, own):
        return True
    else:
        begin_trick_at(s, &t, own, opp, need, threat, at, mode)
        margin = lead_margin(s, &t, lead, True)
    return with_slack(s, margin) if mode == SUM else margin >= 0

cdef inline bint with_slack(Search* s, int margin) noexcept nogil:
    # By claims on what was seen this is but one of the questions of a search.
    s.slack = 0 if s.seen_claims else margin if margin >= 0 else ~margin
    return margin >= 0

# ---------------------------------------------------------------- claims on what was seen

cdef inline bint sure(
    const Search* s, int seen, uint64_t closed, uint64_t opp, int at,
) noexcept nogil:
    """Does a player know that his claim holds? (`Pile.closed` cards are not his to know.)

    `seen` is his count without the `closed` cards in his pile. To him these may be any of
    the cards he has not seen: those, the other hand, and the talon but the turned trump.
    """
    cdef const Deal* d = s.deal
    cdef int n
    cdef uint64_t unseen
    if not closed:
        return good_claim(d, seen)
    n = popcount(closed)
    unseen = closed | opp | s.rest[at]
    if d.trumps and at < d.talon_size:
        unseen &= ~(<uint64_t>1 << d.talon[d.talon_size - 1])
    return d.target <= seen + least(unseen, n) and (
        d.ceiling == NO_CEILING or seen + most(unseen, n) <= d.ceiling
    )

cdef bint reaches_seen(
    Search* s, uint64_t own, uint64_t opp, int seen, int other, uint64_t closed,
    uint64_t opp_closed, int at, int kind,
) noexcept nogil:
    """`reaches` where everybody claims when he knows it holds, and only then.

    Counts are of the cards their owner has seen; `closed` and `opp_closed` lie face down in
    the leader's and the other's pile. Cards are played as if all were known.
    """
    cdef const Deal* d = s.deal
    cdef uint64_t leads[MAX_LEADS]
    cdef uint64_t tag = s.tag
    cdef uint64_t* bucket
    cdef uint64_t* entry
    cdef int n, i, x = seen
    cdef bint result = False
    if s.fixed_total and not bura_is_left(s, own, opp, at):
        # Then a claim changes nothing: the piles decide in the end.
        seen += points_of(closed)
        other += points_of(opp_closed)
        if s.by_needs:
            return reaches_need(s, own, opp, seen, other, at, kind, 0)
        return reaches(s, own, opp, seen, other, at, kind)
    s.nodes += 1
    if unlikely(s.nodes >= s.check_at) and give_up(s):
        return False
    if d.sight and (sight_order(d, own) or sight_order(d, opp)):
        return on_sight(s, own, opp, kind)
    if d.use[BURA] == USE_WIN_LED and is_bura(d, own):
        return True
    if d.window == WINDOW_OWN_TURN and sure(s, seen, closed, opp, at):
        return True
    tag |= kind << 1
    if not s.monotone:
        tag |= seen << 2
        x = 0
    if unlikely(s.horizon <= at < d.talon_size):
        s.guessed = True
        return guess(
            s, own, opp, seen + points_of(closed), other + points_of(opp_closed), at, kind
        )
    bucket = bucket_of(s.table, s.mask, own, opp, tag, closed ^ opp_closed << 5)
    entry = probe(bucket, own, opp, tag, True, closed, opp_closed)
    if entry != NULL:
        if x >= reached_from(entry):
            return True
        if x < failed_below(entry):
            return False
    if d.callable:
        n = calls_of(d, opp, own, leads)
        for i in range(n):
            if holds_lead_seen(
                s, opp, own, other, seen, opp_closed, closed, at, kind ^ s.flip, leads[i]
            ):
                if not s.stopped:
                    store(bucket, own, opp, tag, x, False, True, closed, opp_closed)
                return False
    n = order_leads(s, own, opp, at, leads)
    for i in range(n):
        if holds_lead_seen(s, own, opp, seen, other, closed, opp_closed, at, kind, leads[i]):
            result = True
            break
    if not s.stopped:
        store(bucket, own, opp, tag, x, result, True, closed, opp_closed)
    return result

cdef inline bint trick_taken_seen(
    Search* s, uint64_t own, uint64_t opp, int seen, int other, uint64_t closed,
    uint64_t opp_closed, int at, int size, int kind, bint led,
) noexcept nogil:
    """A trick is over: does its winner (`own`) reach what `kind` asks?

    Before the draw he has seen less; where the window lasts until he leads, the cards he has
    drawn help him to be sure.
    """
    cdef const Deal* d = s.deal
    cdef int after
    if d.window == WINDOW_BEFORE_DRAW and sure(s, seen, closed, opp, at):
        return True
    after = refill_pair(d, &own, &opp, led, size, at)
    if d.window != WINDOW_BEFORE_DRAW and sure(s, seen, closed, opp, after):
        if d.window != WINDOW_END_OF_DECK or after >= d.talon_size:
            return True
    if not own:
        return settled(s, seen + points_of(closed), other + points_of(opp_closed), kind)
    return reaches_seen(s, own, opp, seen, other, closed, opp_closed, after, kind)

cdef bint holds_lead_seen(
    Search* s, uint64_t own, uint64_t opp, int seen, int other, uint64_t closed,
    uint64_t opp_closed, int at, int kind, uint64_t lead,
) noexcept nogil:
    """`holds_lead` where everybody claims when he knows it holds, and only then."""
    cdef const Deal* d = s.deal
    cdef uint64_t answers[MAX_REPLIES]
    cdef uint64_t queue[2 * MAX_REPLIES]
    cdef int values[2 * MAX_REPLIES]
    cdef uint64_t answer
    cdef int n, i, size = popcount(lead), gain = points_of(lead), total, waiting = 0
    cdef bint reached
    if d.use[BURA] == USE_WIN_LED and lead == own and is_bura(d, own):
        return True
    if d.window == WINDOW_OWN_TURN and sure(s, other, opp_closed, own, at):
        return False
    n = distinct_answers(s, own, opp, size, at, answers)
    for i in range(n):
        reached = set_beats(d, lead, answers[i])
        if reached:
            queue[waiting] = answers[i] | BEATEN
            values[waiting] = BEATS_FIRST + value_of(s.order.beat, answers[i])
            waiting += 1
        if not reached or not d.shown:
            queue[waiting] = answers[i]
            values[waiting] = value_of(s.order.discard, answers[i])
            waiting += 1
    sort_answers(queue, values, waiting)
    for i in range(waiting):
        answer = queue[i] & ~BEATEN
        total = gain + points_of(answer)
        if answer != queue[i]:
            if trick_taken_seen(
                s, opp ^ answer, own ^ lead, other + total, seen, opp_closed, closed, at, size,
                kind ^ s.flip, False,
            ):
                return False
        elif d.shown:
            if not trick_taken_seen(
                s, own ^ lead, opp ^ answer, seen + total, other, closed, opp_closed, at, size,
                kind, True,
            ):
                return False
        elif not trick_taken_seen(
            s, own ^ lead, opp ^ answer, seen + gain, other, closed | answer, opp_closed, at,
            size, kind, True,
        ):
            return False
        if s.stopped:
            return False
    return True

# ---------------------------------------------------------------- whole positions

_KINDS = ("play", "discard", "stop", "claim", "pass")

_TRICKS = (
    "thresholds", "fixed_total", "no_draws", "merge", "needs", "keep_high", "runs",
    "sum_alone",
)

cdef int bits_of(names) except -1:
    return sum([1 << _TRICKS.index(name) for name in names])

cdef int tricks_of(const State* p) noexcept nogil:
    return p.tricks[0] + p.tricks[1]

cdef bint claims_itself(const Search* s, const State* before, const State* p) noexcept nogil:
    """Has the last move won its trick's winner the hand, since he claims at once?

    Nobody who has the target when he may claim plays on (docs/rules.md).
    """
    cdef const Deal* d = s.deal
    cdef int winner
    if before == NULL or tricks_of(p) == tricks_of(before):
        return False
    winner = 0 if p.tricks[0] > before.tricks[0] else 1
    if d.window == WINDOW_END_OF_DECK and p.at < d.talon_size:
        return False
    return knows(s, p, winner)

cdef inline bint knows(const Search* s, const State* p, int seat) noexcept nogil:
    """Would this seat claim: does its pile count, and (seen claims only) does it know so?"""
    cdef uint64_t closed = p.closed_pile[seat]
    if s.seen_claims:
        return sure(
            s, count_of(s.deal, p, seat) - points_of(closed), closed, p.hand[1 - seat], p.at
        )
    return good_claim(s.deal, count_of(s.deal, p, seat))

cdef bint at_least(
    Search* s, const State* before, const State* p, int seat, int value,
) noexcept nogil:
    """Does `seat` get at least `value` (1, or 0) from this state, with best play of both?

    `before` is the state before the last move, or NULL at the root.
    """
    cdef const Deal* d = s.deal
    cdef State next_state
    cdef int leader, follower, kind
    cdef uint64_t own
    cdef bint bura_left
    s.slack = 0
    if claims_itself(s, before, p):
        return (0 if p.tricks[0] > before.tricks[0] else 1) == seat
    if p.phase == PHASE_OVER:
        if s.objective_points:
            return count_of(d, p, seat) >= s.goal[1]
        return p.winner == seat or (value == 0 and p.winner == NOBODY)
    if p.phase == PHASE_CLAIM:
        if before == NULL and knows(s, p, p.turn):
            return p.turn == seat
        next_state = p[0]
        pass_claim(d, &next_state)
        return at_least(s, p, &next_state, seat, value)
    if before == NULL and may_claim(d, p) and knows(s, p, p.turn):
        return p.turn == seat
    leader = p.leader
    follower = 1 - leader
    # The opponent reaching at least -v + 1 and this seat reaching v shut each other out.
    kind = value if seat == leader or not s.flip else 1 - value
    if s.seen_claims:
        return at_least_seen(s, p, leader, kind) == (seat == leader)
    if s.by_needs:
        return reaches_need(
            s, p.hand[leader] | p.table[leader], p.hand[follower], count_of(d, p, leader),
            count_of(d, p, follower), p.at, kind, p.table[leader],
        ) == (seat == leader)
    if p.phase == PHASE_LEAD:
        return reaches(
            s, p.hand[leader], p.hand[follower], count_of(d, p, leader), count_of(d, p, follower),
            p.at, kind,
        ) == (seat == leader)
    if d.window == WINDOW_OWN_TURN and p.tricks[follower]:
        if good_claim(d, count_of(d, p, follower)):
            return seat == follower
    own = p.hand[leader] | p.table[leader]
    bura_left = bura_is_left(s, own, p.hand[follower], p.at)
    return holds_lead(
        s, own, p.hand[follower], count_of(d, p, leader), count_of(d, p, follower), p.at, kind,
        p.table[leader], bura_left,
    ) == (seat == leader)

cdef bint at_least_seen(Search* s, const State* p, int leader, int kind) noexcept nogil:
    cdef int other = 1 - leader
    cdef uint64_t closed = p.closed_pile[leader], opp_closed = p.closed_pile[other]
    cdef int seen = count_of(s.deal, p, leader) - points_of(closed)
    cdef int opp_seen = count_of(s.deal, p, other) - points_of(opp_closed)
    if p.phase == PHASE_LEAD:
        return reaches_seen(
            s, p.hand[leader], p.hand[other], seen, opp_seen, closed, opp_closed, p.at, kind
        )
    return holds_lead_seen(
        s, p.hand[leader] | p.table[leader], p.hand[other], seen, opp_seen, closed, opp_closed,
        p.at, kind, p.table[leader],
    )

cdef void bound(
    Search* s, const State* before, const State* p, int seat, int* lower, int* upper,
) noexcept nogil:
    """Narrow [lower, upper], the value of a state for `seat`, as far as the limits allow."""
    cdef int middle
    if s.objective_points:
        # Here the bounds are final points of the seat, found by halving.
        while lower[0] < upper[0]:
            middle = (lower[0] + upper[0] + 1) // 2
            set_points_goal(s, p, seat, middle)
            if at_least(s, before, p, seat, 1):
                if s.stopped:
                    return
                lower[0] = min(middle + s.slack, upper[0])
            else:
                if s.stopped:
                    return
                upper[0] = max(middle - 1 - s.slack, lower[0])
        return
    if upper[0] == 1 and lower[0] < 1:
        if at_least(s, before, p, seat, 1):
            if not s.stopped:
                lower[0] = 1
            return
        if s.stopped:
            return
        # What is not reached by more points than a draw is below a win is lost.
        upper[0] = 0 if s.draws and (not s.slack or s.slack < s.goal[1] - s.goal[0]) else -1
    if upper[0] == 0 and lower[0] < 0:
        if at_least(s, before, p, seat, 0):
            if not s.stopped:
                lower[0] = 0
        elif not s.stopped:
            upper[0] = -1

cdef void set_points_goal(Search* s, const State* p, int seat, int points) noexcept nogil:
    """Ask for at least `points` final points of `seat`.

    goal[1] is for the one who asks; the other, when he leads, is asked for what shuts that out.
    """
    s.goal[1] = points
    s.goal[0] = s.total - points + 1
    s.shift[0], s.shift[1] = s.deal.target - s.goal[0], s.deal.target - s.goal[1]

cdef int root_calls(const Deal* d, const State* p, RootMove* out) noexcept nogil:
    cdef uint64_t sets[MAX_LEADS]
    cdef int n, i
    n = generate_calls(d, p, 1 - p.turn, sets)
    for i in range(n):
        out[i].what = MOVE_STOP
        out[i].cards = sets[i]
        out[i].seat = 1 - p.turn
    return n

cdef void widest(const Search* s, const State* p, int seat, int* lower, int* upper) noexcept nogil:
    """What the value is sure to lie in before any search."""
    if s.objective_points:
        lower[0] = count_of(s.deal, p, seat)
        upper[0] = s.total - count_of(s.deal, p, 1 - seat)
    else:
        lower[0], upper[0] = -1, 1

cdef void bound_move(Search* s, const State* p, RootMove* move, int seat) noexcept nogil:
    """The value of a move from `seat`'s side; its bounds are left wide at a limit."""
    cdef State child = p[0]
    widest(s, p, seat, &move.lower, &move.upper)
    if s.stopped:
        return
    make(s.deal, &child, move)
    bound(s, p, &child, seat, &move.lower, &move.upper)

cdef void bound_moves(
    Search* s, const State* p, RootMove* moves, int n, int lower, int upper,
) noexcept nogil:
    """The values of all moves, where the position's own is known to be from `lower` to `upper`.

    No move is worth more, so each is asked for that much first, and in a lost position none
    is searched. Moves that differ by equal cards alone are searched once.
    """
    cdef State child
    cdef RootMove* move
    cdef uint64_t hand = p.hand[p.turn], repeated = 0, cards
    cdef int i, j, seat = p.turn
    if s.merge and not p.held:
        repeated = repeats(hand, p.hand[1 - seat] | p.table[1 - seat] | s.rest[p.at])
    for i in range(n):
        move = &moves[i]
        widest(s, p, seat, &move.lower, &move.upper)
        move.upper = min(move.upper, upper)
        if s.stopped or (repeated and is_repeat(move.cards, hand, repeated)):
            continue
        child = p[0]
        make(s.deal, &child, move)
        if s.objective_points and move.lower < lower == upper:
            set_points_goal(s, p, seat, upper)
            if at_least(s, p, &child, seat, 1):
                if not s.stopped:
                    move.lower = upper
            elif not s.stopped:
                move.upper = max(upper - 1 - s.slack, move.lower)
        if not s.stopped:
            bound(s, p, &child, seat, &move.lower, &move.upper)
    for i in range(n):
        if repeated and is_repeat(moves[i].cards, hand, repeated):
            cards = first_equal(moves[i].cards, hand, repeated)
            for j in range(n):
                if moves[j].cards == cards and moves[j].what == moves[i].what:
                    moves[i].lower, moves[i].upper = moves[j].lower, moves[j].upper

cdef int find_line(
    Search* s, const State* root, int value, RootMove* line, int longest,
) noexcept nogil:
    """A principal line: from the root on, moves that keep the value; returns its length.

    `value` is the root's for the seat on turn. Ends with the hand, or early at a limit.
    """
    cdef RootMove moves[MAX_MOVES]
    cdef RootMove claim
    cdef State before, p = root[0], child
    cdef int length = 0, n, i, calls, seat = p.turn
    cdef bint found
    while length < longest and p.phase != PHASE_OVER:
        claim.what, claim.cards, claim.seat = MOVE_CLAIM, 0, p.turn
        if not s.objective_points and may_claim(s.deal, &p) and good_claim(
            s.deal, count_of(s.deal, &p, p.turn)
        ):
            line[length] = claim
            return length + 1
        n = root_moves(s.deal, &p, not s.objective_points, moves)
        found = False
        if p.turn != seat:
            # All values are kept from the side of the seat on turn.
            value = s.total - value if s.objective_points else -value
            seat = p.turn
        if p.phase == PHASE_LEAD and not s.objective_points and value < 1:
            calls = root_calls(s.deal, &p, &moves[n])
            if calls:
                # Does a lead promise more than the position is worth? Then a call comes.
                for i in range(n):
                    child = p
                    make(s.deal, &child, &moves[i])
                    if keeps(s, &p, &child, seat, value + 1):
                        found = True
                        break
                    if s.stopped:
                        return length
                if found:
                    found = False
                    for i in range(n, n + calls):
                        child = p
                        make(s.deal, &child, &moves[i])
                        if not keeps(s, &p, &child, seat, value + 1) and not s.stopped:
                            found = True
                            break
                        if s.stopped:
                            return length
        if not found:
            for i in range(n):
                child = p
                make(s.deal, &child, &moves[i])
                if keeps(s, &p, &child, seat, value):
                    found = not s.stopped
                    break
                if s.stopped:
                    return length
        if not found:
            return length
        if not (s.objective_points and moves[i].what == MOVE_PASS):
            line[length] = moves[i]
            length += 1
        before = p
        p = child
        if claims_itself(s, &before, &p):
            if length < longest:
                line[length] = claim
                line[length].seat = 0 if p.tricks[0] > before.tricks[0] else 1
                length += 1
            return length
    return length

cdef bint keeps(
    Search* s, const State* before, const State* p, int seat, int value,
) noexcept nogil:
    """Is the state worth at least `value` to `seat`?"""
    if s.objective_points:
        set_points_goal(s, p, seat, value)
        return at_least(s, before, p, seat, 1)
    if value <= -1:
        return True
    if value > 1:
        return False
    return at_least(s, before, p, seat, value)


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A legal move and what it is worth to the seat that makes it.

    ``lower`` and ``upper`` bound the value; ``value`` is it, or None where a limit left
    them apart. Outcomes are -1, 0, 1; points are own final pile (pair's piles) minus the
    others'; a score is what the hand counts in the match, at its stake. ``seat`` makes the move,
    where several play or it is a call of theirs. Among three and more single players the value
    is what the seat is sure of against all others together, and ``expected`` what it gets where
    everybody plays for himself (None if that is not known).
    """

    move: Move
    lower: int
    upper: int
    seat: int | None = None
    expected: int | None = None

    @property
    def value(self) -> int | None:
        """The value, or None where a limit left its bounds apart."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True, slots=True)
class SeatValue:
    """What a position is worth to one seat: ``value``, or its bounds as in `MoveValue`."""

    seat: int
    lower: int
    upper: int

    @property
    def value(self) -> int | None:
        """The value, or None where a limit left its bounds apart."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver found out about a position, from the side of the seat to act.

    * ``objective``: ``outcome``, ``points`` or ``score``. ``lower``, ``upper``, ``value``: as in
      `MoveValue`, for the position. It counts the other seats' right to lead out of turn, and
      to challenge a closed trick.
    * ``moves``: every legal move with its value, best first, valued as if nobody called;
      empty if only the value was asked for. ``best``: all moves of the highest value
      (empty while a limit leaves it open).
    * ``calls``: the other seats' out-of-turn leads and challenges, each with its ``seat`` and
      valued for it.
    * ``line``: one line of best play, as far as the hand goes; among three and more single
      players that in which everybody plays for himself.
    * ``nodes``: starts of tricks searched. ``search_us``: microseconds inside the search.
    * ``stopped``: None, or why the search ended early: nodes, time or stop.
    * ``guaranteed``, ``expected``: of three and more single players, what each seat is sure of
      against all others together, and what it gets where everybody plays for himself (a seat
      takes the move that is best for it, of equal ones the first in canonical order). Empty
      between two sides, for whom both are the value.
    """

    objective: str
    lower: int
    upper: int
    moves: tuple[MoveValue, ...]
    calls: tuple[MoveValue, ...]
    best: tuple[Move, ...]
    line: tuple[Move, ...]
    nodes: int
    search_us: float
    stopped: str | None
    guaranteed: tuple[SeatValue, ...] = ()
    expected: tuple[SeatValue, ...] = ()

    @property
    def value(self) -> int | None:
        """The value, or None where a limit left its bounds apart."""
        return self.lower if self.lower == self.upper else None

    @property
    def exact(self) -> bool:
        """Whether the position and every move that was asked for has its value."""
        return (
            self.lower == self.upper and all(m.lower == m.upper for m in self.moves)
            and all(v.lower == v.upper for v in self.guaranteed + self.expected)
        )


cdef class Stop:
    """A flag that ends searches from another thread, within a millisecond."""

    def set(self):
        """End every search that was given this flag."""
        store_flag(&self.flag, 1)

    def clear(self):
        """Let new searches run again."""
        store_flag(&self.flag, 0)

    @property
    def is_set(self):
        return load_flag(&self.flag) != 0


cdef class Solver:
    """Solves positions with all cards known; owns its table.

    One solver serves one thread at a time; the search itself runs without the interpreter
    lock. ``table_mb`` is the table's size in MiB, 1..4096, rounded down to a power of two. Without
    ``endings`` even the last three cards are searched, not looked up; answers are the same.
    """

    def __cinit__(self, table_mb=16, endings=True):
        if type(table_mb) is not int or not 1 <= table_mb <= 4096:
            raise InputError(
                Fault("table_mb", str(table_mb), "not a table size", "use 1 to 4096 (MiB)")
            )
        self.table_mb = table_mb
        self.use_endings = endings
        cdef uint64_t buckets = 1
        while buckets * 2 * WORDS * sizeof(uint64_t) <= <uint64_t>table_mb << 20:
            buckets *= 2
        self.table.buckets = buckets
        self.table.words = allocate_words(buckets * WORDS * sizeof(uint64_t))
        self.jobs = <Job*>malloc(BATCH * sizeof(Job))
        if self.table.words == NULL or self.jobs == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free_words(self.table.words)
        free(self.jobs)

    cdef SeatSolver for_seats(self):
        """The solver of what goes beyond two players' usual game, made when first needed."""
        if self.seats is None:
            self.seats = SeatSolver(self.table_mb)
            self.seats.on, self.seats.off = self.on, self.off
        return self.seats

    def _force(self, on=(), off=()):
        """Use tricks of the search where they are wrong, or leave them out where they are right.

        For tests, which show by it what a trick saves and that it is needed to forbid it
        elsewhere, where answers are wrong. Names are those of `_TRICKS`; without any, all is as
        the rules say again.
        """
        self.on = bits_of(on)
        self.off = bits_of(off)
        self.found_for = None
        if self.seats is not None:
            self.seats.on, self.seats.off = self.on, self.off

    cdef bint uses(self, int trick, bint right) noexcept nogil:
        return (right or self.on & trick) and not self.off & trick

    @property
    def memory(self):
        """Bytes that its tables and buffers take; a search allocates nothing beside them.

        A second table of the same size comes with the first position beyond two single players'
        usual game. Pages of a table that no search has reached yet cost nothing.
        """
        cdef uint64_t size = self.table.buckets * WORDS * sizeof(uint64_t) + BATCH * sizeof(Job)
        if self.seats is not None:
            size += self.seats.memory()
        return size

    def clear(self):
        """Forget everything; the next search starts as in a new solver."""
        memset(self.table.words, 0, self.table.buckets * WORDS * sizeof(uint64_t))
        self.table.generation = 0
        if self.seats is not None:
            self.seats.clear()

    cdef void prepare(
        self, const Deal* deal, const State* p, bint points, bint seen_claims,
    ) noexcept nogil:
        """Set the search up for one position, with a new generation of the table."""
        cdef Search* s = &self.search
        cdef Deal* d = &self.deal
        cdef int i, left
        d[0] = deal[0]
        if points:
            without_combinations(d)
        memset(s, 0, sizeof(Search))
        s.deal = d
        s.table = &self.table
        for i in range(d.talon_size - 1, -1, -1):
            s.rest[i] = s.rest[i + 1] | <uint64_t>1 << d.talon[i]
            s.turns[i] = s.turns[i + 2] | <uint64_t>1 << d.talon[i]
        left = points_of(
            p.hand[0] | p.hand[1] | p.table[0] | p.table[1] | s.rest[p.at]
        )
        s.total = count_of(d, p, 0) + count_of(d, p, 1) + left
        s.objective_points = points
        s.seen_claims = seen_claims and not d.shown
        # Each trick is only right under the rules named beside it; tests/test_search_tricks.py
        # has a position for each in which it would be wrong under others.
        # Thresholds: only right where more points never hurt, so not under a ceiling.
        s.monotone = self.uses(TRICK_THRESHOLDS, d.ceiling >= s.total)
        s.horizon = NO_LIMIT
        # Equal cards stand for each other: only right where the rank of a card of no points
        # makes no lead and no combination.
        s.merge = self.uses(TRICK_MERGE, not d.rank_leads and d.use[LITTLE_MOSKVA] == USE_NONE)
        if points:
            s.fixed_total = s.flip = True
        else:
            # The final piles decide: only right where reaching the target shuts the other
            # out (the handicaps are part of the total) and nobody has to claim to win.
            s.fixed_total = self.uses(
                TRICK_FIXED_TOTAL,
                d.unclaimed != UNCLAIMED_NO_WINNER and s.monotone and 2 * d.target > s.total,
            )
            if s.fixed_total:
                s.goal[1] = d.target if d.unclaimed == UNCLAIMED_THRESHOLD else s.total // 2 + 1
                s.goal[0] = s.total - s.goal[1] + 1
                s.draws = s.goal[0] < s.goal[1]
                s.flip = True
            else:
                # With enough points about, and nobody there yet, somebody has to pass the
                # target by winning a trick, and claims. Not so where he may not know it.
                s.draws = not self.uses(
                    TRICK_NO_DRAWS,
                    not s.seen_claims and s.monotone and s.total >= 2 * d.target - 1
                    and count_of(d, p, 0) < d.target and count_of(d, p, 1) < d.target
                    and d.window != WINDOW_END_OF_DECK,
                )
                s.flip = s.draws
            if d.sight and d.two_buras == TWO_BURAS_VOID:
                s.draws = s.flip = True
        # Needs and margins: only right where who reaches the target claims before anything else
        # is played, and where one question has one answer for a win and for a draw.
        s.by_needs = self.uses(TRICK_NEEDS, s.monotone and d.window != WINDOW_END_OF_DECK and (
            s.fixed_total or not (s.draws or d.window == WINDOW_OWN_TURN)
        ))
        s.suits_only = d.plain_leads and not d.one_or_three
        # The lower card is given away: only right where a set that beats may be a discard, and
        # where cards are told apart by what they beat and count alone.
        s.keep_high = self.uses(TRICK_KEEP_HIGH, s.merge and not d.shown)
        # Runs of cards that nothing beats: only right where nobody can interrupt them, by a
        # combination that wins or that is led out of turn.
        s.runs = self.uses(TRICK_RUNS, not d.sight and not d.callable)
        s.aces_win = d.use[THREE_ACES] == USE_WIN or d.use[FOUR_ACES] == USE_WIN
        # Under fixed totals the sum alone decides: only right once no hand can win by what it
        # holds any more (`bura_is_left`), and never before that is known.
        s.sum_alone = self.uses(TRICK_SUM_ALONE, False)
        s.shift[0], s.shift[1] = d.target - s.goal[0], d.target - s.goal[1]
        s.under_trumps = ((<uint64_t>1 << DECK_CARDS) - 1) & ~(d.trumps | d.immune)
        s.beaters = &BEATERS[d.immune != 0][d.trump + 1][0]
        s.order = &SUM_ORDER[d.trump + 1] if s.fixed_total else &RACE_ORDER[d.trump + 1]
        self.table.generation += 1
        if self.table.generation > GENERATIONS:
            memset(self.table.words, 0, self.table.buckets * WORDS * sizeof(uint64_t))
            self.table.generation = 1
        s.tag = <uint64_t>self.table.generation << GENERATION_SHIFT

    cdef object choose_endings_again(self, bint points):
        """The same for positions of one rule set, which mostly want the same table in a row."""
        cdef Search* s = &self.search
        cdef int form = (
            s.total << 7 | (s.deal.immune != 0) << 6 | s.seen_claims << 5 | s.draws << 4
            | s.monotone << 3 | s.fixed_total << 2 | points << 1 | (s.deal.trump >= 0)
        )
        if self.found_for is not None and self.found_form == form:
            s.endings = self.found
            s.ending_cards = self.found_cards
        else:
            # Held by the solver until it finds another; NULL is an answer, too.
            self.found_for = (self.choose_endings(),)
            self.found_form = form
            self.found = s.endings
            self.found_cards = s.ending_cards
        return self.found_for

    cdef object choose_endings(self):
        """The table that fits the rules of the search that was just prepared."""
        cdef Search* s = &self.search
        cdef int kind = KIND_POINTS if s.fixed_total else KIND_RACE
        s.endings = NULL
        s.ending_cards = 0
        # Only right where thresholds are, and where one question decides a race.
        if not self.use_endings or not s.monotone or (kind == KIND_RACE and s.draws):
            return None
        cdef Endings table = endings_of(s.deal, kind, s.total)
        if table is not None:
            s.endings = &table.table
            s.ending_cards = table.table.cards
        return table              # to be held while the search runs

    def solve(
        self, position, objective="outcome", *, moves=True, line=True, max_nodes=None,
        max_seconds=None, stop=None, seen_claims=False,
    ):
        """Solve a position (`Position`, or the text of one) and return a `Solution`.

        ``objective`` is ``outcome`` (who wins the hand), ``points`` (final piles' difference
        when all is played out) or ``score`` (what the hand counts at its stake: `hand_score`, of
        two sides only). Without ``moves`` only the value is found, without ``line``
        no principal line. With ``seen_claims`` cards are played as if all were known, but a seat
        claims only when the cards it has seen make it sure: face-down cards in a pile are
        those the other discarded, and piles must list their cards. ``max_nodes`` (1 and more),
        ``max_seconds`` (more than 0) and a `Stop` end the search early: the answer then has
        bounds instead of a value, never a wrong one. Raises InputError for arguments out of
        range and bad positions, UnsupportedError where an offer to raise is open and for the
        score of three and more single players.
        """
        cdef Question question
        read_question(&question, objective, moves, line, max_nodes, max_seconds, stop, seen_claims)
        position = as_position(position)
        if objective == "score":
            return solve_score(self, &question, position)
        if beyond_two(&(<Position>position).deal):
            return solve_seats(self, &question, position, objective)
        _held = self.set_up(self.jobs, &question, position)
        with nogil:
            self.run(self.jobs, &question)
        return self.answer(self.jobs, objective)

    cdef object set_up(self, Job* job, const Question* question, object position):
        """Check a `Position` and fill in its job; returns what has to outlive the search."""
        cdef Position at = position
        if at.rules is not self.rules:
            self.rules = at.rules
            self.found_for = None
        if question.seen_claims and at.bare_piles and not at.deal.shown:
            raise InputError(Fault(
                "piles", "/".join(map(str, at.points)), "points do not tell which cards were seen",
                "list the piles' cards, face-down ones in brackets",
            ))
        job.deal = at.deal
        job.root = at.now()[0]
        self.prepare(&job.deal, &job.root, question.points, question.seen_claims)
        endings = self.choose_endings_again(question.points)
        job.endings = self.search.endings
        job.ending_cards = self.search.ending_cards
        return endings

    cdef void run(self, Job* job, const Question* question) noexcept nogil:
        """Answer a question about a position; the results are left in the job."""
        cdef Search* s = &self.search
        cdef State* root = &job.root
        cdef int i, seat, lower, upper
        cdef bint best_move
        cdef double begin = seconds()
        self.prepare(&job.deal, root, question.points, question.seen_claims)
        s.endings = job.endings
        s.ending_cards = job.ending_cards
        s.node_limit = question.node_limit
        s.stop_flag = question.stop_flag
        if question.seconds:
            s.deadline = begin + question.seconds
        give_up(s)
        if question.points:
            self.without_claims(root)
        seat = root.turn
        job.moves = job.calls = job.line = 0
        widest(s, root, seat, &lower, &upper)
        if root.phase == PHASE_OVER or not question.moves:
            bound(s, NULL, root, seat, &lower, &upper)
        else:
            job.moves = root_moves(s.deal, root, not question.points, job.move)
            job.calls = root_calls(s.deal, root, job.call)
            # Without claims and calls a position is worth what its best move is.
            best_move = not job.calls and job.move[0].what not in (MOVE_CLAIM, MOVE_PASS)
            if best_move:
                if not s.stopped:
                    bound(s, NULL, root, seat, &lower, &upper)
                bound_moves(s, root, job.move, job.moves, lower, upper)
            else:
                lower = upper = -SCALE
                for i in range(job.moves):
                    bound_move(s, root, &job.move[i], seat)
                    if job.move[i].what != MOVE_CLAIM:
                        lower = max(lower, job.move[i].lower)
                        upper = max(upper, job.move[i].upper)
            for i in range(job.calls):
                bound_move(s, root, &job.call[i], 1 - seat)
                lower = min(lower, -job.call[i].upper)
                upper = min(upper, -job.call[i].lower)
            # A claim comes before the others' calls, so it stands beside them; one that
            # is a guess to the player is valued, but not counted on.
            for i in range(job.moves):
                if job.move[i].what == MOVE_CLAIM and knows(s, root, seat):
                    lower = max(lower, job.move[i].lower)
                    upper = max(upper, job.move[i].upper)
        if question.line and lower == upper and not s.stopped:
            job.line = find_line(s, root, lower, job.lines, MAX_LINE)
        # Points are kept as final points of a seat; the answer is the difference.
        job.lower, job.upper = worth(s, lower), worth(s, upper)
        for i in range(job.moves):
            job.move[i].lower = worth(s, job.move[i].lower)
            job.move[i].upper = worth(s, job.move[i].upper)
        job.nodes = s.nodes
        job.stopped = s.stopped
        job.seconds = seconds() - begin

    cdef object answer(self, const Job* job, object objective):
        """The results of a job as a `Solution`."""
        cdef int i
        values = []
        best = ()
        if job.moves:
            for i in range(job.moves):
                values.append(filled(MoveValue, (
                    _move(job.move[i]), job.move[i].lower, job.move[i].upper, None, None,
                )))
            values.sort(key=_worst_first)
            top = values[0].lower
            if all([v.upper < top or v.lower == v.upper for v in values]):
                best = tuple([v.move for v in values if v.lower == top])
        return filled(Solution, (
            objective, job.lower, job.upper, tuple(values),
            tuple([
                MoveValue(_move(job.call[i]), job.call[i].lower, job.call[i].upper,
                          job.call[i].seat)
                for i in range(job.calls)
            ]),
            best, tuple([_move(job.lines[i]) for i in range(job.line)]),
            job.nodes, 1e6 * job.seconds, _STOPPED[job.stopped], (), (),
        ))

    cdef void without_claims(self, State* p) noexcept nogil:
        """For the points objective: as if nothing but the cards counted."""
        cdef Deal* d = &self.deal
        if p.phase == PHASE_CLAIM:
            pass_claim(d, p)
        elif p.phase == PHASE_OVER and p.hand[0] | p.hand[1]:
            # Shown combinations do not end the hand here.
            p.phase = PHASE_ANSWER if p.table[0] | p.table[1] else PHASE_LEAD
            p.winner = NOBODY
        p.called = True

    def judge(
        self, Worlds worlds, int first, int last, *, node_limit, horizon=None, max_seconds=None,
        stop=None, moves=None,
    ):
        """The value of every move of the view's seat in the worlds `first` to `last` - 1.

        ``moves`` are the numbers of those to value (None: all), in the order of `moves_of`.

        Nobody claims on cards he has not seen. Each world is searched for at most ``node_limit``
        nodes, and no further than ``horizon`` drawn cards of the talon. Returns (lower, upper,
        nodes, guessed, stopped): one byte a world and move for each bound of the value plus one,
        9 in a world in which the hand would be over, 8 for a move that is not asked for; the
        nodes searched; whether the horizon was reached; None, or ``time`` or ``stop``, when
        later worlds are missing.
        """
        cdef Deal deal
        cdef State root
        cdef RootMove root_move[MAX_MOVES]
        cdef bint asked[MAX_MOVES]
        cdef Search* s = &self.search
        cdef int seat = worlds.view.seat, i, w, n_moves = 0, done = 0, stopped = 0
        cdef int64_t nodes = 0, most_nodes = node_limit
        cdef double deadline = 0
        cdef bint guessed = False
        cdef bytearray lower = bytearray(), upper = bytearray()
        cdef unsigned char* low
        cdef unsigned char* high
        cdef const EndingTable* table
        cdef int ending_cards
        cdef int farthest = NO_LIMIT if horizon is None else horizon
        cdef const int* flag = NULL if stop is None else &(<Stop>stop).flag
        if beyond_two(&worlds.deal):
            return self.for_seats().judge(
                worlds, first, last, node_limit, farthest, max_seconds or 0, flag, moves
            )
        if max_seconds is not None:
            deadline = seconds() + <double>max_seconds
        n_moves = advised_moves(&worlds.deal, &worlds.state, seat, root_move)
        for i in range(n_moves):
            asked[i] = moves is None or i in moves
        lower = bytearray((last - first) * n_moves)
        upper = bytearray((last - first) * n_moves)
        low = lower
        high = upper
        # All worlds have the same rules and points, so the same table of endings.
        worlds.fill(first, &deal, &root)
        self.prepare(&deal, &root, False, True)
        _held = self.choose_endings()
        table = s.endings
        ending_cards = s.ending_cards
        with nogil:
            for w in range(first, last):
                worlds.fill(w, &deal, &root)
                self.prepare(&deal, &root, False, True)
                s.endings = table
                s.ending_cards = ending_cards
                s.node_limit = most_nodes
                s.deadline = deadline
                s.horizon = farthest
                s.stop_flag = flag
                give_up(s)
                for i in range(n_moves):
                    if root.phase == PHASE_OVER:
                        root_move[i].lower = root_move[i].upper = 8
                    elif not asked[i]:
                        root_move[i].lower = root_move[i].upper = 7
                    else:
                        advise_move(s, &root, &root_move[i], seat)
                nodes += s.nodes
                guessed = guessed or s.guessed
                if s.stopped == STOPPED_TIME or s.stopped == STOPPED_FLAG:
                    stopped = s.stopped
                    break
                for i in range(n_moves):
                    low[done * n_moves + i] = root_move[i].lower + 1
                    high[done * n_moves + i] = root_move[i].upper + 1
                done += 1
        return (
            bytes(lower[: done * n_moves]), bytes(upper[: done * n_moves]), nodes, guessed,
            _STOPPED[stopped],
        )


cdef int advised_moves(const Deal* d, const State* p, int seat, RootMove* out) noexcept nogil:
    """The moves a view's seat chooses among: its own, or calls and pass out of turn.

    Nothing here looks at cards that the seat has not seen.
    """
    cdef State now = p[0]
    cdef uint64_t sets[MAX_LEADS]
    cdef int combination, n = 0, i, limit
    if now.turn == seat:
        return root_moves(d, &now, True, out)
    if not d.callable or now.phase != PHASE_LEAD:
        return 0
    limit = popcount(now.hand[seat])
    for combination in range(FOUR_ACES, COMBINATIONS):
        if d.use[combination] == USE_LEAD:
            n = add_combination_sets(d, now.hand[seat], combination, limit, sets, n)
    for i in range(n):
        out[i].what = MOVE_STOP
        out[i].cards = sets[i]
        out[i].seat = seat
    if n:
        out[n].what = MOVE_PASS
        out[n].cards = 0
        out[n].seat = seat
        n += 1
    return n

cdef void advise_move(Search* s, const State* p, RootMove* move, int seat) noexcept nogil:
    cdef RootMove own[MAX_MOVES]
    cdef RootMove instead
    cdef uint64_t sets[MAX_LEADS]
    cdef int n, i
    if p.turn == seat:
        if p.phase == PHASE_CLAIM and move.what == MOVE_PLAY:
            # In this world the other shows a winning hand before the lead is laid.
            instead.what = MOVE_PASS
            instead.cards = 0
            bound_move(s, p, &instead, seat)
            move.lower, move.upper = instead.lower, instead.upper
        else:
            bound_move(s, p, move, seat)
        return
    if move.what == MOVE_STOP:
        n = generate_calls(s.deal, p, seat, sets)
        for i in range(n):
            if sets[i] == move.cards:
                bound_move(s, p, move, seat)
                return
        # The leader shows a combination as high: the call is void and he leads.
    move.lower, move.upper = 1, 1
    n = root_moves(s.deal, p, True, own)
    for i in range(n):
        if own[i].what == MOVE_CLAIM and not knows(s, p, p.turn):
            continue          # he does not claim on cards he has not seen
        bound_move(s, p, &own[i], seat)
        move.lower = min(move.lower, own[i].lower)
        move.upper = min(move.upper, own[i].upper)


def moves_of(Worlds worlds):
    """The moves that a view's seat chooses among, in the order `Solver.judge` values them."""
    cdef RootMove moves[MAX_MOVES]
    cdef int i, n
    if beyond_two(&worlds.deal):
        return seat_moves_of(worlds)
    n = advised_moves(&worlds.deal, &worlds.state, worlds.view.seat, moves)
    return tuple([_move(moves[i]) for i in range(n)])


cdef inline int worth(const Search* s, int value) noexcept nogil:
    return 2 * value - s.total if s.objective_points else value


cdef int read_question(
    Question* q, object objective, bint moves, bint line, object max_nodes, object max_seconds,
    object stop, bint seen_claims,
) except -1:
    """Check what is asked of a solver and put it where the search can read it."""
    if objective not in OBJECTIVES or not (
        max_nodes is None and max_seconds is None and (stop is None or isinstance(stop, Stop))
    ):
        _check_arguments(objective, max_nodes, max_seconds, stop)
    q.points = objective == "points"
    q.moves = moves
    q.line = line
    q.seen_claims = seen_claims
    q.node_limit = <int64_t>1 << 62 if max_nodes is None else max_nodes
    q.seconds = 0 if max_seconds is None else max_seconds
    q.stop_flag = NULL if stop is None else &(<Stop>stop).flag
    return 0


cdef dict _moves = {}             # moves are constants, and few of them come again and again

cdef object _move(RootMove move):
    key = <uint64_t>move.what << 36 | move.cards
    found = _moves.get(key)
    if found is None:
        if len(_moves) >= 4096:
            _moves.clear()
        found = _moves[key] = Move(_KINDS[move.what], move.cards)
    return found


def _worst_first(value):
    return -value.lower, -value.upper


def limit_faults(max_nodes, max_seconds, threads, stop):
    """What is wrong with the limits of a search, as `Fault`s; empty if nothing is.

    ``max_nodes`` is 1 or more, ``max_seconds`` more than 0, each None for no limit; ``threads``
    is 1 to 64, ``stop`` a `Stop` or None.
    """
    faults = []
    if max_nodes is not None and not (type(max_nodes) is int and 1 <= max_nodes < 1 << 62):
        faults.append(Fault("max_nodes", str(max_nodes), "not a number of nodes",
                            "use a whole number, 1 or more, or leave it out"))
    if max_seconds is not None and not (
        isinstance(max_seconds, (int, float)) and 0 < max_seconds < 1e9
    ):
        faults.append(Fault("max_seconds", str(max_seconds), "not a time",
                            "use seconds, more than 0, or leave it out"))
    if type(threads) is not int or not 1 <= threads <= 64:
        faults.append(Fault("threads", str(threads), "not a number of threads", "use 1 to 64"))
    if stop is not None and not isinstance(stop, Stop):
        faults.append(Fault("stop", type(stop).__name__, "not a Stop", "pass a Stop"))
    return faults


def _check_arguments(objective, max_nodes, max_seconds, stop, threads=1):
    faults = limit_faults(max_nodes, max_seconds, threads, stop)
    if objective not in OBJECTIVES:
        faults.insert(0, Fault("objective", str(objective), "no such objective",
                               "use outcome, points or score"))
    if faults:
        raise InputError(faults)


def solve_many(
    positions, objective="outcome", *, moves=True, line=False, threads=1, max_nodes=None,
    max_seconds=None, stop=None, table_mb=16, solvers=None,
):
    """Solve many positions; returns their solutions in order, as a list.

    A position that cannot be solved (a bad line, unknown cards) stands in the list as the
    `BuraError` it raised, the others are answered. ``threads`` (1 to 64) share the work, each
    with a table of ``table_mb`` MiB; answers and node counts do not depend on it. The limits
    hold for each position. ``solvers`` may lend solvers instead, one a thread. Raises
    InputError for arguments out of range.
    """
    cdef Question question
    _check_arguments(objective, max_nodes, max_seconds, stop, threads)
    read_question(&question, objective, moves, line, max_nodes, max_seconds, stop, False)
    positions = list(positions)
    lent = solvers is not None
    solvers = list(solvers) if lent else [Solver(table_mb)]
    if lent:
        threads = len(solvers)
    parts = []
    done = 0
    # Reading lines and making answers hold the interpreter lock, so threads only get into each
    # other's way until most of the time goes into searches; and to start them takes time.
    while done < len(positions):
        chunk = positions[done : done + (BATCH if parts or threads == 1 else PROBE)]
        done += len(chunk)
        began = seconds()
        answers = solve_chunk(solvers[0], &question, objective, chunk)
        parts.append(answers)
        took = 1e6 * (seconds() - began)
        left = took / len(chunk) * (len(positions) - done)
        if threads > 1 and 2 * searched(answers) > took and left > WORTH_THREADS:
            break
    size = min(BATCH, max(1, (len(positions) - done) // (SHARES * threads)))
    chunks = [positions[i : i + size] for i in range(done, len(positions), size)]
    if chunks:
        options = (objective, moves, line, max_nodes, max_seconds, stop)
        if not lent:
            solvers += [Solver(table_mb) for _ in range(min(threads, len(chunks)) - 1)]
        idle = list(solvers)      # list.pop and append are atomic: each thread borrows one

        def borrowed(chunk):
            solver = idle.pop()
            try:
                return solve_chunk_again(solver, options, chunk)
            finally:
                idle.append(solver)

        with ThreadPoolExecutor(len(solvers)) as pool:
            parts += pool.map(borrowed, chunks)
    return [solution for part in parts for solution in part]


cdef double searched(list answers):
    """Microseconds that went into the searches."""
    return sum([a.search_us for a in answers if isinstance(a, Solution)])


cdef object solve_chunk_again(Solver solver, tuple options, list chunk):
    """`solve_chunk` on another thread, which needs a question of its own."""
    cdef Question question
    objective, moves, line, max_nodes, max_seconds, stop = options
    read_question(&question, objective, moves, line, max_nodes, max_seconds, stop, False)
    return solve_chunk(solver, &question, objective, chunk)


cdef object as_position(object position):
    """A position that is given as one or as text, once it is known to be in the search's reach."""
    cdef Position at
    at = position if isinstance(position, Position) else Position.from_text(position)
    if at.now().phase == PHASE_RAISED:
        raise UnsupportedError("an open offer to raise is not solved: accept or fold it first")
    return at


cdef object solve_seats(
    Solver solver, const Question* question, Position position, object objective,
):
    """Solve a position beyond two single players' usual game."""
    return solver.for_seats().solve(
        position, objective, question.moves, question.line, question.seen_claims,
        question.node_limit, question.seconds, question.stop_flag,
    )


cdef object solve_score(Solver solver, const Question* question, Position position):
    """The score of a position: its outcome times what a hand counts, where all count alike."""
    from bura_core.match import score_table
    table, by_points = score_table(position.rules)
    won, by_bura, lost, lost_to_bura, nobody = table[:5]
    alike = not by_points and nobody == 0 and lost == 256 - won and (
        position.rules.bura == "none" or (won, lost) == (by_bura, lost_to_bura)
    )
    if not alike:
        return scored(solve_seats(solver, question, position, "score"), position.stake)
    if beyond_two(&position.deal):
        return scored(solve_seats(solver, question, position, "outcome"), won * position.stake)
    _held = solver.set_up(solver.jobs, question, position)
    with nogil:
        solver.run(solver.jobs, question)
    return scored(solver.answer(solver.jobs, "outcome"), won * position.stake)


cdef object scored(object solution, int each):
    """A solution in units of `each`, as one of the score."""
    return replace(
        solution, objective="score", lower=each * solution.lower, upper=each * solution.upper,
        moves=tuple([replace(m, lower=each * m.lower, upper=each * m.upper)
                     for m in solution.moves]),
        calls=tuple([replace(c, lower=each * c.lower, upper=each * c.upper)
                     for c in solution.calls]),
    )


cdef list solve_chunk(Solver solver, const Question* question, object objective, list chunk):
    """Solve at most BATCH positions, all of them in one stretch without the interpreter lock."""
    cdef Job* jobs = solver.jobs
    cdef int n = 0, i
    held = []
    answers = []
    for position in chunk:
        try:
            position = as_position(position)
            if objective == "score":
                answers.append(solve_score(solver, question, position))
                continue
            if beyond_two(&(<Position>position).deal):
                answers.append(solve_seats(solver, question, position, objective))
                continue
            held.append(solver.set_up(&jobs[n], question, position))
            answers.append(None)
            n += 1
        except BuraError as error:
            answers.append(error)
    with nogil:
        for i in range(n):
            solver.run(&jobs[i], question)
    n = 0
    for i in range(len(answers)):
        if answers[i] is None:
            answers[i] = solver.answer(&jobs[n], objective)
            n += 1
    return answers
