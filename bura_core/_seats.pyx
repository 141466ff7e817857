"""Solving hands of three to six players, of pairs, and of two under unusual rules.

Everything is played by the transitions of _rules.pxd on whole states. Two searches:

* `holds` asks whether a side gets at least so much: exact alpha-beta search of a zero-sum
  game, narrowed to one boolean question as in _solver.pyx. The side is one of two (two
  players, pairs), or one single player against all others together (`guaranteed`).
* `alone` finds what each single player gets where everybody plays for himself (`expected`):
  max^n (Luckhardt and Irani, 1986), in which a player takes the move that is best for him, of
  equal ones the first in canonical order.

Both keep a table of starts of tricks. The key is who holds what, who leads and how far the
talon is drawn. Between two sides the played cards fix the sum of both counts, so where more
points never hurt an entry holds two thresholds of the friends' count, "reached from x on" and
"failed below x", and serves every score. Where the final points decide (fixed totals, the
`points` objective) the threshold is of the points that are still needed, and does not depend on
the score at all. Under a ceiling, and for single players, of whom each may claim, the counts
are part of the key. Hands are stored whole, in three words of two bits and more a card.

Claims, and challenges of a closed trick, are made whenever they hold, and never otherwise. Of
out-of-turn leads the first caller in the order of `Position.calls` decides first, knowing what
follows if he is silent.
"""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from bura_core._cards cimport (
    is_repeat, least, lowest, most, points_of, popcount, rank_mask, repeats, suit_mask,
    unlikely,
)
from bura_core._limits cimport (
    STOPPED_FLAG, STOPPED_NODES, STOPPED_TIME, load_flag, seconds,
)
from bura_core._moves cimport (
    MAX_MOVES, MOVE_CHALLENGE, MOVE_CLAIM, MOVE_DISCARD, MOVE_PASS, MOVE_PLAY, MOVE_STOP,
    RootMove, make, root_moves,
)
from bura_core._rules cimport (
    BURA, COMBINATIONS, FOUR_ACES, LITTLE_MOSKVA, MAX_CALLS, MAX_LEADS, MAX_REPLIES, MOLODKA,
    NOBODY, NO_CEILING, PHASE_ANSWER, PHASE_CLAIM, PHASE_LEAD, PHASE_OVER, REASON_BURA,
    REASON_VOID, STOP_BEFORE_LEAD, THREE_ACES, TWO_BURAS_VOID, UNCLAIMED_NO_WINNER,
    UNCLAIMED_THRESHOLD, USE_LEAD, USE_NONE, USE_WIN, WINDOW_END_OF_DECK, WINDOW_OWN_TURN, Deal,
    Position, State,
    add_combination_sets, begin_trick, can_beat, count_of, generate_leads, generate_subsets,
    good_claim, holds_back, is_whole, lead_limit, make_call, make_challenge, make_claim,
    may_challenge, may_claim, ordered_calls, outcome_of, pass_claim, play_answer, play_lead,
    set_beats, without_combinations,
)
from bura_core._sampler cimport Worlds
from bura_core._table cimport allocate_words, free_words

from bura_core.errors import Fault, InputError
from bura_core.notation import Move

cdef enum:
    WORK_BETWEEN_CHECKS = 1024
    NO_HORIZON = 0x7FFFFFFF
    UNDECIDED = 2
    ENTRY = 4                 # words of an entry
    BUCKET = 16               # words of a bucket: two cache lines
    VALUE_SHIFT = 36          # in an entry's first word
    NEVER = 511               # no x is known from which it is reached
    SCALE = 400               # a need of n points has the threshold SCALE - n
    SCORES = 8                # of the score, `what` of a key is the value asked for and this
    PILES = 121               # what a pile may be worth, 0 to 120
    GENERATIONS = (1 << 28) - 1
    QUESTIONS = 1 << 16       # of one search that has a generation for each
    # A search begins in a part of the table that stays in the processor's cache.
    FIRST_BUCKETS = 1 << 9
    FIRST_WORK = 1 << 13
    SECOND_BUCKETS = 1 << 13
    SECOND_WORK = 1 << 18
    MOST_ANSWERS = 2 * MAX_REPLIES

cdef uint64_t LOW36 = (<uint64_t>1 << 36) - 1

_STOPPED = (None, "nodes", "time", "stop")
_KINDS = ("play", "discard", "stop", "claim", "pass", "challenge")

# Guesses for the order of moves; they change how long a search takes, never what it answers.
# Leads that no enemy beats: constant, a point, a card of the suit kept; a card of any lead. Trumps
# to be beaten: a point, constant. Other leads: a card, a point, a card of the suit kept. Answers
# that beat: constant, a point, a trump; where an enemy may still beat them: constant, a point.
# Beating one's own side: constant, a point, a trump. Discards to the own side, and to the other:
# a point, a trump.
cdef int[21] W = [
    320, 3, -8, 7, -7, -10, 20, -1, -8, 1500, 3, -20, -1500, -8, -8, 4, -40, 9, -121, -9, -11,
]

ctypedef struct Key:
    uint64_t words[4]         # as in an entry, the value's place in the first one empty
    int x                     # the threshold that is asked for
    uint64_t best             # a lead that settled this once, or none
    uint64_t* bucket

ctypedef struct Answer:
    uint64_t cards
    bint closed
    int score

# ---------------------------------------------------------------- limits

cdef bint give_up(SeatSearch* s) noexcept nogil:
    """Look at the limits; True once the search has to end."""
    if s.stopped:
        return True
    if s.nodes >= s.node_limit:
        s.stopped = STOPPED_NODES
    elif s.stop_flag != NULL and load_flag(s.stop_flag):
        s.stopped = STOPPED_FLAG
    elif s.deadline and seconds() >= s.deadline:
        s.stopped = STOPPED_TIME
    s.check_at = (s.work // WORK_BETWEEN_CHECKS + 1) * WORK_BETWEEN_CHECKS
    if s.work < FIRST_WORK:
        s.mask = min(<uint64_t>FIRST_BUCKETS, s.buckets) - 1
    elif s.work < SECOND_WORK:
        s.mask = min(<uint64_t>SECOND_BUCKETS, s.buckets) - 1
    else:
        s.mask = s.buckets - 1
    return s.stopped != 0

cdef inline bint tick(SeatSearch* s) noexcept nogil:
    """Count a state; True once the search has to end."""
    s.work += 1
    return unlikely(s.work >= s.check_at) and give_up(s)

cdef inline bint tick_node(SeatSearch* s) noexcept nogil:
    """Count a start of a trick."""
    s.nodes += 1
    if unlikely(s.nodes >= s.node_limit) and not s.stopped:
        s.stopped = STOPPED_NODES
    return tick(s) or s.stopped != 0

# ---------------------------------------------------------------- what is known of a state

cdef inline bint is_friend(const SeatSearch* s, int seat) noexcept nogil:
    return s.friends >> seat & 1

cdef inline int friends_count(const SeatSearch* s, const State* p) noexcept nogil:
    return count_of(s.deal, p, s.asked)

cdef inline int others_count(const SeatSearch* s, const State* p) noexcept nogil:
    """What all who are not friends count together."""
    cdef int seat, total = 0
    if s.sides:
        return count_of(s.deal, p, 1)
    for seat in range(s.deal.seats):
        if not is_friend(s, seat):
            total += p.points[seat] + s.deal.handicap[seat]
    return total

cdef inline uint64_t in_hands(const Deal* d, const State* p) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int seat
    for seat in range(d.seats):
        cards |= p.hand[seat]
    return cards

cdef inline uint64_t on_table(const Deal* d, const State* p) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int seat
    for seat in range(d.seats):
        cards |= p.table[seat]
    return cards

cdef bint knows(const SeatSearch* s, const State* p, int seat) noexcept nogil:
    """Would this seat claim: does its pile count, and (seen claims only) does it know so?

    Unseen are the other hands but open ones, the talon but the turned trump, and what others
    have discarded face down; of these the pile's unseen cards may be any.
    """
    cdef const Deal* d = s.deal
    cdef int count = count_of(d, p, seat), other, n
    cdef uint64_t closed = 0, unseen
    if not s.seen:
        return good_claim(d, count)
    for other in range(d.seats):
        if other == seat or (d.pairs and (other ^ seat) & 1 == 0):
            closed |= p.closed_pile[other] & ~p.down[seat]
    if not closed:
        return good_claim(d, count)
    unseen = s.rest[p.at]
    if d.trumps and p.at < d.talon_size:
        unseen &= ~(<uint64_t>1 << d.talon[d.talon_size - 1])
    for other in range(d.seats):
        unseen |= (p.closed_pile[other] | p.table[other] & p.table_closed) & ~p.down[seat]
        if other != seat and not s.open_hands >> other & 1:
            unseen |= p.hand[other]
    n = popcount(closed)
    count -= points_of(closed)
    return d.target <= count + least(unseen, n) and (
        d.ceiling == NO_CEILING or count + most(unseen, n) <= d.ceiling
    )

cdef inline int challenger(const SeatSearch* s, const State* p) noexcept nogil:
    """Who challenges the trick just taken, rightly: the first after the seat on turn."""
    cdef const Deal* d = s.deal
    cdef int i, seat, other
    cdef uint64_t cards
    if not p.last_trick:
        return NOBODY
    for i in range(1, d.seats):
        seat = (p.turn + i) % d.seats
        if not may_challenge(d, p, seat):
            continue
        cards = p.last_trick
        if s.seen:
            # What others have discarded face down he has not seen.
            for other in range(d.seats):
                if other != seat:
                    cards &= ~p.down[other]
        if popcount(cards & d.trumps) >= d.size[seat]:
            return seat
    return NOBODY

cdef inline void settle(const SeatSearch* s, State* p) noexcept nogil:
    """Make the claims, challenges and passes that nobody chooses about."""
    cdef const Deal* d = s.deal
    cdef int seat
    while p.phase != PHASE_OVER:
        if may_claim(d, p) and knows(s, p, p.turn):
            make_claim(d, p)
            continue
        if p.phase == PHASE_ANSWER:
            return
        if d.challenge:
            seat = challenger(s, p)
            if seat != NOBODY:
                make_challenge(d, p, seat)
                return
        if p.phase == PHASE_LEAD:
            return
        pass_claim(d, p)

cdef inline int score_of(const SeatSearch* s, const State* p) noexcept nogil:
    """What a hand that is over counts for the side of seat 0 (`score_table`)."""
    cdef const Deal* d = s.deal
    cdef int points[2]
    cdef int tricks[2]
    cdef int seat, at = 3
    if p.winner != NOBODY:
        at = p.winner & 1
    elif p.reason != REASON_VOID:
        at = 2
    at = at * 2 + (p.reason == REASON_BURA)
    if not s.pays_by_points:
        return s.pays[at]
    points[0] = points[1] = tricks[0] = tricks[1] = 0
    for seat in range(d.seats):
        points[seat & 1] += p.points[seat]
        tricks[seat & 1] += p.tricks[seat]
    at = at * 4 + (tricks[0] > 0) * 2 + (tricks[1] > 0)
    return s.pays[(at * PILES + points[0]) * PILES + points[1]]

cdef inline int worth_of(const SeatSearch* s, const State* p, int seat) noexcept nogil:
    """What a hand that is over is worth to a seat, but for the points objective."""
    if s.pays != NULL:
        return -score_of(s, p) if seat & 1 else score_of(s, p)
    return outcome_of(s.deal, p, seat)

cdef inline bint reached(const SeatSearch* s, const State* p, int v) noexcept nogil:
    """A hand is over: do the friends get at least `v`?"""
    if not s.points:
        return worth_of(s, p, s.asked) >= v
    if s.need:
        return friends_count(s, p) >= s.goal[v]
    return friends_count(s, p) - others_count(s, p) >= s.margin

cdef bint combination_is_left(const SeatSearch* s, const State* p) noexcept nogil:
    """Can a hand still win by what it holds, whatever the piles count?"""
    cdef const Deal* d = s.deal
    cdef uint64_t rest = s.rest[p.at]
    cdef int seat
    if d.use[BURA] != USE_NONE:
        for seat in range(d.seats):
            if popcount(p.hand[seat]) == d.size[seat]:
                if popcount(p.hand[seat] & d.trumps) + s.trumps_to_draw[p.at] >= d.size[seat]:
                    return True
    if d.use[THREE_ACES] == USE_WIN or d.use[FOUR_ACES] == USE_WIN:
        for seat in range(d.seats):
            if popcount((p.hand[seat] | rest) & rank_mask(8)) >= 3:
                return True
    return False

# ---------------------------------------------------------------- the table

cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x = (x ^ x >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t>0x94D049BB133111EB
    return x ^ x >> 31

cdef inline void write_key(
    const SeatSearch* s, const State* p, int what, bint counts, Key* k,
) noexcept nogil:
    """The key of a start of a trick; `what` keeps kinds of questions apart (0 to 15)."""
    cdef const Deal* d = s.deal
    cdef uint64_t first = 0, second = 0, third = 0, tag, extra = 0
    cdef int seat, code
    for seat in range(d.seats):
        code = seat + 1
        if code & 1:
            first |= p.hand[seat]
        if code & 2:
            second |= p.hand[seat]
        if code & 4:
            third |= p.hand[seat]
    tag = p.turn | <uint64_t>p.at << 3 | <uint64_t>p.aside << 9 | <uint64_t>what << 10
    if not s.sides:
        tag |= <uint64_t>s.asked << 14
    if d.window == WINDOW_OWN_TURN or s.pays_by_points:
        for seat in range(d.seats):
            tag |= <uint64_t>(p.tricks[seat] > 0) << (17 + seat)
    if counts:
        # Seven bits a pile; with the seats that have left, 54 of 64.
        for seat in range(d.seats):
            extra = extra << 7 | <uint64_t>p.points[seat]
        extra = extra << 6 | p.out
        for seat in range(p.n_reached):
            extra ^= <uint64_t>1 << (48 + p.reached[seat])
    if s.seen:
        # Who has laid which cards where; a hash, since nothing else is so wide.
        for seat in range(d.seats):
            extra = mixed(extra ^ p.closed_pile[seat] ^ <uint64_t>(seat + 1) << 40)
            extra = mixed(extra ^ p.down[seat] ^ <uint64_t>(seat + 9) << 40)
    k.words[0] = first
    k.words[1] = second | s.stamp
    k.words[2] = third | tag << 36
    k.words[3] = extra
    first ^= (second & LOW36) << 23 ^ extra
    second = k.words[2] ^ (second & LOW36) >> 13
    first = mixed(first + <uint64_t>0x9E3779B97F4A7C15)
    k.bucket = &s.words[(mixed(first ^ second) & s.mask) * BUCKET]

cdef inline uint64_t* find(const Key* k, bint extra) noexcept nogil:
    """The entry of a key, or NULL."""
    cdef int _i
    cdef uint64_t* e = k.bucket
    for _i in range(BUCKET // ENTRY):
        if e[1] == k.words[1] and e[2] == k.words[2] and (e[0] ^ k.words[0]) & LOW36 == 0:
            if not extra or e[3] == k.words[3]:
                return e
        e += ENTRY
    return NULL

cdef inline uint64_t* place_for(const SeatSearch* s, const Key* k) noexcept nogil:
    """Where a new entry goes: an empty place, or that of the least work.

    Entries of other generations count as empty, so that a search never depends on what the
    table held before.
    """
    cdef int _i
    cdef uint64_t* e = k.bucket
    cdef uint64_t* best = e
    cdef uint64_t size, smallest = 64
    for _i in range(BUCKET // ENTRY):
        if (e[1] ^ s.stamp) & ~LOW36:
            return e
        size = e[0] >> 58
        if size < smallest:
            smallest = size
            best = e
        e += ENTRY
    return best

cdef inline uint64_t size_of(int64_t nodes) noexcept nogil:
    """The binary logarithm of a number of nodes, for `place_for`."""
    cdef uint64_t size = 0
    while nodes > 1:
        nodes >>= 1
        size += 1
    return size

cdef inline int known(const SeatSearch* s, Key* k) noexcept nogil:
    """What the table says of a question: 1, 0 or UNDECIDED."""
    cdef const uint64_t* e = find(k, s.exact)
    k.best = 0
    if e == NULL:
        return UNDECIDED
    if not s.exact:
        k.best = e[3]
    if k.x >= <int>(e[0] >> 36 & 511):
        return 1
    if k.x < <int>(e[0] >> 45 & 511):
        return 0
    return UNDECIDED

cdef inline void store(
    const SeatSearch* s, Key* k, bint result, int64_t nodes,
) noexcept nogil:
    cdef uint64_t* e = find(k, s.exact)
    cdef uint64_t win = NEVER, lost = 0, x = k.x, size = size_of(nodes)
    if e != NULL:
        win, lost = e[0] >> 36 & 511, e[0] >> 45 & 511
        size = max(size, e[0] >> 58)
    else:
        e = place_for(s, k)
    if result:
        win = min(win, x)
    else:
        lost = max(lost, x + 1)
    e[0] = k.words[0] | win << 36 | lost << 45 | size << 58
    e[1] = k.words[1]
    e[2] = k.words[2]
    e[3] = k.words[3] if s.exact else k.best

# ---------------------------------------------------------------- one side against the rest

cdef inline int ask(const SeatSearch* s, const State* p, int v, Key* k) noexcept nogil:
    """What is known of a start of a trick without a search: 1, 0 or UNDECIDED.

    Left undecided, `k` is the place of the question in the table.
    """
    cdef int count = friends_count(s, p), need
    if s.need and (s.sum_alone or not combination_is_left(s, p)):
        need = s.goal[v] - count
        if need <= 0:
            return 1
        if need > points_of(in_hands(s.deal, p) | s.rest[p.at]):
            return 0
        write_key(s, p, 2, False, k)
        k.x = SCALE - need
    elif s.threshold:
        write_key(s, p, v, False, k)
        k.x = count
    else:
        # More points may hurt, or many count: nothing is known but these very counts.
        write_key(s, p, v + SCORES if s.pays != NULL else v, True, k)
        k.x = 0
    return known(s, k)

cdef bint guess(const SeatSearch* s, const State* p, int v) noexcept nogil:
    """Are the friends ahead, where the search is cut at its horizon? A rule of thumb, no proof.

    A trump is worth about six points of play, an ace or ten of a plain suit two, the lead
    three; what is left is shared evenly but for that. Rises with the friends' count.
    """
    cdef const Deal* d = s.deal
    cdef uint64_t high = (rank_mask(7) | rank_mask(8)) & ~d.trumps
    cdef int edge[6]
    cdef int seat, own = 0, other = 0, best = -1000, count
    for seat in range(d.seats):
        edge[seat] = (
            6 * popcount(p.hand[seat] & d.trumps) + 2 * popcount(p.hand[seat] & high)
            + (3 if seat == p.turn else 0)
        )
    if s.sides or s.points:
        for seat in range(d.seats):
            if is_friend(s, seat):
                own += edge[seat]
            else:
                other += edge[seat]
        count = friends_count(s, p)
        if s.need:
            return 2 * (s.goal[v] - count) <= (
                points_of(in_hands(d, p) | s.rest[p.at]) + 2 * (own - other)
            )
        return count + own >= others_count(s, p) + other + (s.margin if s.points else 0)
    if p.out >> s.asked & 1:
        return v <= -1
    for seat in range(d.seats):
        if seat != s.asked and not p.out >> seat & 1:
            best = max(best, count_of(d, p, seat) + edge[seat])
    return friends_count(s, p) + edge[s.asked] >= best

cdef bint holds(SeatSearch* s, State* p, int v) noexcept nogil:
    """Do the friends get at least `v` (1, or 0) from this state, with best play of all?

    Settles the state. Meaningless once `s.stopped` is set.
    """
    settle(s, p)
    if p.phase == PHASE_OVER:
        return reached(s, p, v)
    if p.phase == PHASE_LEAD:
        return holds_lead(s, p, v)
    return plays_on(s, p, v, NOBODY, NULL)

cdef bint holds_lead(SeatSearch* s, const State* p, int v) noexcept nogil:
    """`holds` at the start of a trick, with nothing to settle."""
    cdef Key k
    cdef int found
    cdef int64_t before = s.nodes
    cdef bint result
    if tick_node(s):
        return False
    if unlikely(s.horizon <= p.at) and (p.at < s.deal.talon_size or not s.horizon):
        s.guessed = True
        return guess(s, p, v)
    found = ask(s, p, v, &k)
    if found != UNDECIDED:
        return found == 1
    result = plays_on(s, p, v, NOBODY, &k.best)
    if not s.stopped:
        store(s, &k, result, s.nodes - before)
    return result

cdef bint plays_on(
    SeatSearch* s, const State* p, int v, int silent, uint64_t* best,
) noexcept nogil:
    """`holds` by looking at every call, except those of seat `silent`, and every move.

    `best` (or NULL) is a lead to begin with, and receives the one that settled it.
    """
    cdef State child
    cdef uint64_t sets[MAX_CALLS]
    cdef uint8_t seats[MAX_CALLS]
    cdef int n, i
    cdef bint friend, result
    if s.deal.callable and not p.called:
        n = ordered_calls(s.deal, p, sets, seats)
        for i in range(n):
            if seats[i] == silent:
                continue
            # Who may call first decides first, and calls if he gets more by it.
            friend = is_friend(s, seats[i])
            child = p[0]
            make_call(s.deal, &child, seats[i], sets[i])
            result = holds(s, &child, v)
            if s.stopped:
                return False
            if result == friend:
                return result
    if p.phase == PHASE_LEAD:
        return leads(s, p, v, best)
    return answers(s, p, v)

cdef inline int sure_gain_wanted(const SeatSearch* s, const State* p, int v) noexcept nogil:
    """With how many points in one trick the leader's side settles the question at once."""
    cdef const Deal* d = s.deal
    cdef bint friend = is_friend(s, p.turn)
    cdef int count
    if not s.sides or not (s.threshold or s.need):
        return NO_HORIZON
    count = count_of(d, p, p.turn)
    if s.need and (s.sum_alone or not combination_is_left(s, p)):
        return (s.goal[v] if friend else s.total - s.goal[v] + 1) - count
    if s.points or s.seen or d.challenge or d.window == WINDOW_OWN_TURN or (
        d.window == WINDOW_END_OF_DECK
    ):
        return NO_HORIZON
    return d.target - count   # he claims

cdef inline int sure_points(const SeatSearch* s, const State* p, int size) noexcept nogil:
    """What a trick of so many cards that nobody takes from the leader brings besides them."""
    cdef int seat, total = 0
    cdef bint friend = is_friend(s, p.turn)
    for seat in range(s.deal.seats):
        if seat != p.turn and p.hand[seat]:
            if is_friend(s, seat) == friend:
                total += most(p.hand[seat], size)
            else:
                total += least(p.hand[seat], size)
    return total

cdef bint leads(SeatSearch* s, const State* p, int v, uint64_t* best) noexcept nogil:
    """`holds` by looking at every lead, equal ones once, best guess first."""
    cdef const Deal* d = s.deal
    cdef State child
    cdef uint64_t sets[MAX_LEADS]
    cdef int scores[MAX_LEADS]
    cdef int n, i, j, kept = 0, score, seat = p.turn, other, suit
    cdef int enough = sure_gain_wanted(s, p, v)
    cdef uint64_t lead, own = p.hand[seat], repeated = 0
    cdef bint friend = is_friend(s, seat), result, beaten
    n = generate_leads(d, own, lead_limit(d, p, seat), sets)
    if s.merge:
        repeated = repeats(own, in_hands(d, p) & ~own | s.rest[p.at])
    for i in range(n):
        lead = sets[i]
        if repeated and is_repeat(lead, own, repeated):
            continue
        suit = lowest(lead) // 9
        beaten = False
        for other in range(d.seats):
            if is_friend(s, other) != friend and can_beat(d, lead, p.hand[other]):
                beaten = True
                break
        if not beaten and points_of(lead) + sure_points(s, p, popcount(lead)) >= enough:
            return friend     # taken for certain, and enough
        score = W[3] * popcount(lead)
        if not beaten:
            score += W[0] + W[1] * points_of(lead)
            score += W[2] * popcount(own & suit_mask(suit) & ~lead)
        elif suit == d.trump:
            score += W[4] * points_of(lead) + W[5]
        else:
            score += W[6] * popcount(lead) + W[7] * points_of(lead)
            score += W[8] * popcount(own & suit_mask(suit) & ~lead)
        if best != NULL and lead == best[0]:
            score += 10000
        j = kept
        while j > 0 and scores[j - 1] < score:
            scores[j] = scores[j - 1]
            sets[j] = sets[j - 1]
            j -= 1
        scores[j] = score
        sets[j] = lead
        kept += 1
    for i in range(kept):
        child = p[0]
        play_lead(d, &child, sets[i])
        result = holds(s, &child, v)
        if s.stopped:
            return False
        if result == friend:
            if best != NULL:
                best[0] = sets[i]
            return result
    return not friend

cdef inline int list_answers(
    const SeatSearch* s, const State* p, bint canonical, Answer* out,
) noexcept nogil:
    """The answers of the seat on turn, equal ones once; best guess first, or canonical."""
    cdef const Deal* d = s.deal
    cdef uint64_t sets[MAX_REPLIES]
    cdef Answer a
    cdef uint64_t best = p.table[p.best], own = p.hand[p.turn], repeated = 0
    cdef int seat = p.turn, size = popcount(best), n, i, j, other, count = 0, points, trumps
    cdef bint beats, friend = is_friend(s, seat), ours, later = False, threatened = False
    n = generate_subsets(own, size, sets)
    if s.merge and not (p.held and seat == p.stopped):
        repeated = repeats(own, in_hands(d, p) & ~own | on_table(d, p) | s.rest[p.at])
    ours = is_friend(s, p.best) == friend
    if not canonical:
        for other in range(d.seats):
            if (
                other != seat and p.hand[other] and not p.table[other]
                and is_friend(s, other) != friend
            ):
                later = True
                threatened = threatened or can_beat(d, best, p.hand[other])
    for i in range(n):
        a.cards = sets[i]
        if repeated and is_repeat(a.cards, own, repeated):
            continue
        if holds_back(p, a.cards):
            continue
        beats = set_beats(d, best, a.cards)
        a.score = 0
        points = points_of(a.cards)
        trumps = popcount(a.cards & d.trumps)
        if beats or d.shown:
            a.closed = False
            if not canonical:
                if not beats:
                    a.score = discard_score(points, trumps, ours, threatened)
                elif ours and not threatened:
                    a.score = W[15] * points + W[16] * trumps + W[14]
                else:
                    a.score = W[9] + W[10] * points + W[11] * trumps
                    if later:
                        for other in range(d.seats):
                            if (
                                other != seat and p.hand[other] and not p.table[other]
                                and is_friend(s, other) != friend
                                and can_beat(d, a.cards, p.hand[other])
                            ):
                                a.score += W[12] + W[13] * points
                                break
            j = count
            while j > 0 and comes_before(&a, &out[j - 1], canonical):
                out[j] = out[j - 1]
                j -= 1
            out[j] = a
            count += 1
        if not d.shown:
            a.closed = True
            if not canonical:
                a.score = discard_score(points, trumps, ours, threatened)
            j = count
            while j > 0 and comes_before(&a, &out[j - 1], canonical):
                out[j] = out[j - 1]
                j -= 1
            out[j] = a
            count += 1
    return count

cdef inline int discard_score(int points, int trumps, bint ours, bint threatened) noexcept nogil:
    """Give much to one's own side's trick, little to the others'."""
    if ours and not threatened:
        return W[17] * points + W[18] * trumps
    return W[19] * points + W[20] * trumps

cdef inline bint comes_before(const Answer* a, const Answer* b, bint canonical) noexcept nogil:
    if not canonical:
        return a.score > b.score
    if a.closed != b.closed:
        return b.closed
    # Of equally many cards the set with the lower first difference comes first.
    return a.cards != b.cards and (a.cards >> lowest(a.cards ^ b.cards)) & 1

cdef bint answers(SeatSearch* s, const State* p, int v) noexcept nogil:
    """`holds` by looking at every answer of the seat on turn."""
    cdef const Deal* d = s.deal
    cdef State child
    cdef Answer list[MOST_ANSWERS]
    cdef int n, i
    cdef bint friend = is_friend(s, p.turn), result
    if tick(s):
        return False
    if p.waiting == 1:
        return last_answers(s, p, v)
    n = list_answers(s, p, False, list)
    for i in range(n):
        child = p[0]
        play_answer(d, &child, list[i].cards, list[i].closed)
        result = holds(s, &child, v)
        if s.stopped:
            return False
        if result == friend:
            return result
    return not friend

cdef bint last_answers(SeatSearch* s, const State* p, int v) noexcept nogil:
    """`answers` of the last seat of a trick: what is known at once comes before any search."""
    cdef const Deal* d = s.deal
    cdef State children[MOST_ANSWERS]
    cdef Answer list[MOST_ANSWERS]
    cdef Key k
    cdef int n, i, found, left = 0
    cdef bint friend = is_friend(s, p.turn), result
    n = list_answers(s, p, False, list)
    for i in range(n):
        children[left] = p[0]
        play_answer(d, &children[left], list[i].cards, list[i].closed)
        settle(s, &children[left])
        if children[left].phase == PHASE_OVER:
            found = reached(s, &children[left], v)
        elif children[left].phase == PHASE_LEAD:
            found = ask(s, &children[left], v, &k)
        else:
            found = UNDECIDED
        if found == friend:
            return friend
        if found == UNDECIDED:
            left += 1
    for i in range(left):
        if children[i].phase == PHASE_LEAD:
            result = holds_lead(s, &children[i], v)
        else:
            result = holds(s, &children[i], v)
        if s.stopped:
            return False
        if result == friend:
            return result
    return not friend

# ---------------------------------------------------------------- everybody for himself

cdef inline int worth_alone(const SeatSearch* s, const int* got, int seat) noexcept nogil:
    """What a seat makes of the results of all: its outcome, or own points less the others'."""
    cdef int other, total = 0
    if not s.points:
        return got[seat]
    for other in range(s.deal.seats):
        total += got[other]
    return 2 * got[seat] - total

cdef void alone(SeatSearch* s, const State* at, int* out) noexcept nogil:
    """What every seat gets from this state: outcomes, or the points of all final piles.

    Meaningless once `s.stopped` is set.
    """
    cdef const Deal* d = s.deal
    cdef State p = at[0]
    cdef Key k
    cdef uint64_t* e
    cdef int seat
    cdef int64_t before = s.nodes
    cdef uint64_t value
    settle(s, &p)
    if p.phase == PHASE_OVER:
        for seat in range(d.seats):
            out[seat] = p.points[seat] if s.points else outcome_of(d, &p, seat)
        return
    if p.phase == PHASE_ANSWER:
        if not tick(s):
            alone_on(s, &p, out, NULL, 0)
        return
    if tick_node(s):
        return
    write_key(s, &p, 3, not s.points, &k)
    e = find(&k, not s.points)
    if e != NULL:
        for seat in range(d.seats):
            if s.points:
                out[seat] = p.points[seat] + <int>(e[3] >> 7 * seat & 127)
            else:
                out[seat] = <int>(e[0] >> VALUE_SHIFT + 2 * seat & 3) - 1
        return
    alone_on(s, &p, out, NULL, 0)
    if s.stopped:
        return
    e = place_for(s, &k)
    e[0], e[1], e[2], e[3] = k.words[0], k.words[1], k.words[2], k.words[3]
    value = 0
    if s.points:
        for seat in range(d.seats):
            value |= <uint64_t>(out[seat] - p.points[seat]) << 7 * seat
        e[3] = value
    else:
        for seat in range(d.seats):
            value |= <uint64_t>(out[seat] + 1) << 2 * seat
        e[0] |= value << VALUE_SHIFT
    e[0] |= size_of(s.nodes - before) << 58

cdef inline bint lead_before(uint64_t a, uint64_t b) noexcept nogil:
    """Canonical order of leads: fewer cards first, then the lower first difference."""
    cdef int more = popcount(a) - popcount(b)
    if more:
        return more < 0
    return a != b and (a >> lowest(a ^ b)) & 1

cdef int canonical_moves(const SeatSearch* s, const State* p, RootMove* out) noexcept nogil:
    """The plays of the seat on turn in canonical order, equal ones once."""
    cdef uint64_t sets[MAX_LEADS]
    cdef Answer list[MOST_ANSWERS]
    cdef uint64_t own = p.hand[p.turn], repeated = 0, lead
    cdef int n, i, j, count = 0
    if p.phase == PHASE_ANSWER:
        n = list_answers(s, p, True, list)
        for i in range(n):
            out[i].what = MOVE_DISCARD if list[i].closed else MOVE_PLAY
            out[i].cards = list[i].cards
            out[i].seat = p.turn
        return n
    n = generate_leads(s.deal, own, lead_limit(s.deal, p, p.turn), sets)
    if s.merge:
        repeated = repeats(own, in_hands(s.deal, p) & ~own | s.rest[p.at])
    for i in range(n):
        lead = sets[i]
        if repeated and is_repeat(lead, own, repeated):
            continue
        j = count
        while j > 0 and lead_before(lead, out[j - 1].cards):
            out[j].cards = out[j - 1].cards
            j -= 1
        out[j].cards = lead
        count += 1
    for i in range(count):
        out[i].what = MOVE_PLAY
        out[i].seat = p.turn
    return count

cdef void alone_on(
    SeatSearch* s, const State* p, int* out, RootMove* chosen, int most_chosen,
) noexcept nogil:
    """`alone` by looking at every move and call; `chosen` receives the one that is made."""
    cdef const Deal* d = s.deal
    cdef State child
    cdef RootMove moves[MAX_MOVES]
    cdef uint64_t sets[MAX_CALLS]
    cdef uint8_t seats[MAX_CALLS]
    cdef int got[6]
    cdef int n, i, j, seat = p.turn, best = -100000, worth
    n = canonical_moves(s, p, moves)
    for i in range(n):
        child = p[0]
        make(d, &child, &moves[i])
        alone(s, &child, got)
        if s.stopped:
            return
        worth = worth_alone(s, got, seat)
        if worth > best:
            best = worth
            for j in range(d.seats):
                out[j] = got[j]
            if chosen != NULL:
                chosen[0] = moves[i]
            if best == 1 and not s.points:
                break         # the first of the best in canonical order
    if not d.callable or p.called:
        return
    n = ordered_calls(d, p, sets, seats)
    for i in range(n - 1, -1, -1):
        seat = seats[i]
        if not s.points and out[seat] == 1:
            continue
        child = p[0]
        make_call(d, &child, seat, sets[i])
        alone(s, &child, got)
        if s.stopped:
            return
        if worth_alone(s, got, seat) > worth_alone(s, out, seat):
            for j in range(d.seats):
                out[j] = got[j]
            if chosen != NULL:
                chosen.what, chosen.cards, chosen.seat = MOVE_STOP, sets[i], seat

# ---------------------------------------------------------------- whole positions

cdef void narrow(
    SeatSearch* s, const State* p, int seat, int silent, int* lower, int* upper,
) noexcept nogil:
    """Narrow [lower, upper], the value of a state for `seat`, as far as the limits allow.

    The friends are `seat`'s side, or of two sides seat 0's. Out-of-turn leads of seat
    `silent` are left out at this state.
    """
    cdef bint turned = s.sides and seat & 1
    cdef int low = -upper[0] if turned else lower[0], high = -lower[0] if turned else upper[0]
    cdef int middle
    if s.points:
        while low < high and not s.stopped:
            # Rounded up; where the sum is known the difference has its parity.
            middle = low + (high - low + 1) // 2
            if s.need and (middle ^ s.total) & 1:
                middle += 1
            wanted(s, middle)
            if asks(s, p, 1, silent):
                if not s.stopped:
                    low = middle
            elif not s.stopped:
                high = middle - (2 if s.need else 1)
    elif s.pays != NULL:
        while low < high and not s.stopped:
            middle = low + (high - low + 1) // 2
            if asks(s, p, middle, silent):
                if not s.stopped:
                    low = middle
            elif not s.stopped:
                high = middle - 1
    else:
        if high == 1 and low < 1 and not s.stopped:
            if asks(s, p, 1, silent):
                if not s.stopped:
                    low = 1
            elif not s.stopped:
                high = 0 if s.draws else -1
        if high == 0 and low < 0 and not s.stopped:
            if asks(s, p, 0, silent):
                if not s.stopped:
                    low = 0
            elif not s.stopped:
                high = -1
    lower[0] = -high if turned else low
    upper[0] = -low if turned else high

cdef inline bint asks(SeatSearch* s, const State* p, int v, int silent) noexcept nogil:
    cdef State now = p[0]
    if silent == NOBODY:
        return holds(s, &now, v)
    settle(s, &now)
    if now.phase == PHASE_OVER:
        return reached(s, &now, v)
    return plays_on(s, &now, v, silent, NULL)

cdef void wanted(SeatSearch* s, int difference) noexcept nogil:
    """Ask for a difference in points of at least so much."""
    if s.need:
        s.goal[1] = s.goal[0] = (difference + s.total + 1) // 2
        return
    if s.margin != difference:
        # What is known of another difference says nothing of this one.
        s.margin = difference
        s.stamp += <uint64_t>1 << 36

cdef void widest(
    const SeatSearch* s, const State* p, int seat, int* lower, int* upper,
) noexcept nogil:
    """What the value is sure to lie in before any search."""
    cdef const Deal* d = s.deal
    cdef int other, own = 0, rest = 0, left
    if not s.points:
        lower[0], upper[0] = -s.highest, s.highest
        return
    for other in range(d.seats):
        if other == seat or (s.sides and (other ^ seat) & 1 == 0):
            own += p.points[other]
        else:
            rest += p.points[other]
    left = s.total - own - rest
    lower[0], upper[0] = own - rest - left, own - rest + left

cdef int root_calls(const SeatSearch* s, const State* p, RootMove* out) noexcept nogil:
    """What may be called at the root: out-of-turn leads in their order, then challenges."""
    cdef uint64_t sets[MAX_CALLS]
    cdef uint8_t seats[MAX_CALLS]
    cdef int n = ordered_calls(s.deal, p, sets, seats), i, seat
    for i in range(n):
        out[i].what = MOVE_STOP
        out[i].cards = sets[i]
        out[i].seat = seats[i]
    for seat in range(s.deal.seats):
        if may_challenge(s.deal, p, seat):
            out[n].what = MOVE_CHALLENGE
            out[n].cards = 0
            out[n].seat = seat
            n += 1
    return n


cdef class SeatSolver:
    """Solves positions beyond two single players' usual game; owns its table.

    `Solver` makes one where it is needed. ``table_mb`` is the table's size in MiB, rounded down
    to a power of two. One serves one thread at a time.
    """

    def __cinit__(self, table_mb):
        cdef uint64_t buckets = 1
        while buckets * 2 * BUCKET * sizeof(uint64_t) <= <uint64_t>table_mb << 20:
            buckets *= 2
        self.buckets = buckets
        self.words = allocate_words(buckets * BUCKET * sizeof(uint64_t))
        self.job = <SeatJob*>malloc(sizeof(SeatJob))
        if self.words == NULL or self.job == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free_words(self.words)
        free(self.job)

    cdef bint uses(self, int trick, bint right) noexcept nogil:
        return (right or self.on & trick) and not self.off & trick

    cdef uint64_t memory(self) noexcept:
        """Bytes of its table and buffers."""
        return self.buckets * BUCKET * sizeof(uint64_t) + sizeof(SeatJob)

    cdef void clear(self) noexcept:
        """Forget everything; the next search starts as in a new solver."""
        memset(self.words, 0, self.buckets * BUCKET * sizeof(uint64_t))
        self.generation = 0

    cdef void prepare(
        self, const Deal* deal, State* root, bint points, bint seen, int open_hands,
    ) noexcept nogil:
        """Set the search up for one position, with a new generation of the table."""
        cdef SeatSearch* s = &self.search
        cdef Deal* d = &self.deal
        cdef int i, lacking = -1, missing, players = 0, undealt = 0, n, counts = 0
        cdef bint even = True, below = True
        d[0] = deal[0]
        if points:
            without_combinations(d)
        memset(s, 0, sizeof(SeatSearch))
        s.deal = d
        s.words = self.words
        s.buckets = self.buckets
        s.sides = d.seats == 2 or d.pairs
        s.points = points
        s.highest = 1
        if self.pays != NULL and not points:
            s.pays, s.pays_by_points, s.highest = self.pays, self.pays_by_points, self.highest
        s.seen = seen and not d.shown
        s.open_hands = open_hands
        s.horizon = NO_HORIZON
        # Equal cards stand for each other: only right where the rank of a card of no points
        # makes no lead and no combination.
        s.merge = self.uses(SEAT_MERGE, not d.rank_leads and d.use[LITTLE_MOSKVA] == USE_NONE)
        for i in range(d.talon_size - 1, -1, -1):
            s.rest[i] = s.rest[i + 1] | <uint64_t>1 << d.talon[i]
        if points:
            self.without_claims(root)
        # Cards that are set aside in the end are nobody's.
        for i in range(d.seats):
            counts += root.points[i] + d.handicap[i]
            if root.out >> i & 1:
                continue
            below = below and count_of(d, root, i) < d.target
            missing = d.size[i] - popcount(root.hand[i] | root.table[i])
            even = even and (lacking < 0 or lacking == missing)
            lacking = missing
            players += 1
        n = d.talon_size - root.at
        if root.aside:
            undealt = n
        elif n and not d.draw_out and players:
            undealt = n % players
        s.sum_known = (even or not n or root.aside or d.draw_out) and (points or not d.leaving)
        if not s.sum_known:
            undealt = 0
        s.total = counts + points_of(
            in_hands(d, root) | on_table(d, root)
            | (s.rest[root.at] & ~s.rest[d.talon_size - undealt])
        )
        # How many trumps a seat can draw: where all lack as many, one of each round of cards.
        for i in range(d.talon_size - 1, -1, -1):
            s.trumps_to_draw[i] = popcount(s.rest[i] & d.trumps)
        if even and players and not d.leaving and not d.draw_out:
            for i in range(root.at + n - n % players, d.talon_size + 1):
                s.trumps_to_draw[i] = 0
            i = root.at + n - n % players - players
            while i >= root.at:
                s.trumps_to_draw[i] = s.trumps_to_draw[i + players] + (
                    (s.rest[i] & ~s.rest[i + players] & d.trumps) != 0
                )
                i -= players
        # Thresholds: only right between two sides, whose counts the played cards sum up, and
        # where more points never hurt, so not under a ceiling.
        s.threshold = self.uses(SEAT_THRESHOLDS, s.sides and d.ceiling >= s.total)
        if points:
            s.need = s.sum_known
        elif s.threshold and s.sum_known:
            # The final piles decide: only right where reaching the target shuts the others out
            # and nobody has to claim to win.
            s.need = self.uses(
                SEAT_FIXED_TOTAL, d.unclaimed != UNCLAIMED_NO_WINNER and 2 * d.target > s.total
            )
        if s.pays != NULL:
            # Who has the target claims, and may win less than by a bura or a trick more later:
            # more points may hurt, and a hand is worth more than its winner.
            s.threshold = s.need = False
            s.draws = True
        # Wins and draws share entries: only right once no hand can win by what it holds.
        s.sum_alone = points or self.uses(SEAT_SUM_ALONE, False)
        if s.need and not points:
            s.goal[1] = d.target if d.unclaimed == UNCLAIMED_THRESHOLD else s.total // 2 + 1
            s.goal[0] = s.total - s.goal[1] + 1
            s.draws = s.goal[0] < s.goal[1]
        else:
            # With enough points about, and nobody there yet, somebody has to pass the
            # target by winning a trick, and claims. Not so where he may not know it.
            n = 2 if s.sides else d.seats
            s.draws = not self.uses(
                SEAT_NO_DRAWS,
                not s.seen and d.ceiling >= s.total and s.sum_known and below
                and s.total >= n * (d.target - 1) + 1 and d.window != WINDOW_END_OF_DECK,
            )
        if d.sight and d.two_buras == TWO_BURAS_VOID:
            s.draws = True
        # The last word of an entry keeps what the hands do not tell, else the best lead.
        s.exact = s.seen or not (s.need or s.threshold)
        s.margin = NO_HORIZON
        # Points without a known sum use a generation for each question.
        self.generation += QUESTIONS if points and not s.need else 1
        if self.generation > GENERATIONS:
            memset(self.words, 0, self.buckets * BUCKET * sizeof(uint64_t))
            self.generation = QUESTIONS
        s.stamp = self.generation << 36
        if points and not s.need:
            s.stamp -= <uint64_t>(QUESTIONS - 1) << 36
        self.ask_for(root, root.turn)

    cdef void ask_for(self, const State* root, int seat) noexcept nogil:
        """Make `seat` the one that asks; of two sides it is always seat 0."""
        cdef SeatSearch* s = &self.search
        s.asked = 0 if s.sides else seat
        s.friends = 1 << s.asked
        if s.sides:
            s.friends = 0b010101

    cdef void without_claims(self, State* p) noexcept nogil:
        """For the points objective: as if nothing but the cards counted."""
        cdef Deal* d = &self.deal
        if p.phase == PHASE_CLAIM:
            pass_claim(d, p)
        elif p.phase == PHASE_OVER and in_hands(d, p):
            # Shown combinations do not end the hand here.
            p.winner = NOBODY
            p.loser = NOBODY
            if on_table(d, p):
                p.phase = PHASE_ANSWER
            else:
                begin_trick(d, p)
        p.called = True

    cdef void run(self, SeatJob* job, bint moves, bint line) noexcept nogil:
        """Answer a question about a position; the results are left in the job."""
        cdef SeatSearch* s = &self.search
        cdef State* root = &job.root
        cdef State child
        cdef int seat = root.turn, i, lower, upper, first = NOBODY
        cdef RootMove* m
        cdef double begin = seconds()
        job.moves = job.calls = job.line = 0
        give_up(s)
        widest(s, root, seat, &lower, &upper)
        if not s.sides and s.stopped:
            moves = False
        if root.phase == PHASE_OVER or not moves:
            narrow(s, root, seat, NOBODY, &lower, &upper)
        else:
            job.moves = root_moves(s.deal, root, not s.points, job.move)
            lower = upper = -100000
            for i in range(job.moves):
                m = &job.move[i]
                self.value_move(root, m, seat, &m.lower, &m.upper)
                if m.what != MOVE_CLAIM:
                    lower = max(lower, m.lower)
                    upper = max(upper, m.upper)
            job.calls = root_calls(s, root, job.call)
            for i in range(job.calls - 1, -1, -1):
                m = &job.call[i]
                self.value_move(root, m, seat, &job.other_lower[i], &job.other_upper[i])
                if m.what == MOVE_STOP:
                    if m.seat == seat or (s.sides and (m.seat ^ seat) & 1 == 0):
                        lower = max(lower, job.other_lower[i])
                        upper = max(upper, job.other_upper[i])
                    else:
                        lower = min(lower, job.other_lower[i])
                        upper = min(upper, job.other_upper[i])
            if root.phase != PHASE_ANSWER:
                first = challenger(s, root)
            # A claim comes before the others' calls, so it stands beside them; one that
            # is a guess to the player is valued, but not counted on.
            if may_claim(s.deal, root) and knows(s, root, seat) and not s.points:
                for i in range(job.moves):
                    if job.move[i].what == MOVE_CLAIM:
                        lower, upper = job.move[i].lower, job.move[i].upper
            elif first != NOBODY:
                child = root[0]
                make_challenge(s.deal, &child, first)
                lower = upper = worth_of(s, &child, seat)
        job.lower, job.upper = lower, upper
        # The callers' own sides.
        for i in range(job.calls):
            m = &job.call[i]
            if s.sides:
                if (m.seat ^ seat) & 1:
                    m.lower, m.upper = -job.other_upper[i], -job.other_lower[i]
                else:
                    m.lower, m.upper = job.other_lower[i], job.other_upper[i]
            else:
                self.value_move(root, m, m.seat, &m.lower, &m.upper)
        if not s.sides:
            self.run_singles(job, moves)
        if line and not s.stopped:
            if s.sides and job.lower == job.upper:
                self.find_line(job)
            elif not s.sides and job.alone_lower[0] == job.alone_upper[0]:
                self.find_line_alone(job)
        job.nodes = s.nodes
        job.stopped = s.stopped
        job.seconds = seconds() - begin

    cdef void value_move(
        self, const State* root, const RootMove* move, int seat, int* lower, int* upper,
    ) noexcept nogil:
        """Bounds of what a move is worth to `seat`, left wide at a limit."""
        cdef SeatSearch* s = &self.search
        cdef State child = root[0]
        widest(s, root, seat, lower, upper)
        if s.stopped:
            return
        make(s.deal, &child, move)
        self.ask_for(root, seat)
        narrow(s, &child, seat, NOBODY, lower, upper)

    cdef object judge(
        self, Worlds worlds, int first, int last, int64_t node_limit, int horizon,
        double time_limit, const int* stop_flag, object asked,
    ):
        """`Solver.judge`, its arguments checked; `asked` are numbers of moves, or None."""
        cdef Deal deal
        cdef State root
        cdef RootMove moves[MAX_MOVES]
        cdef bint wanted_move[MAX_MOVES]
        cdef SeatSearch* s = &self.search
        cdef int seat = worlds.view.seat, i, w, n_moves, done = 0, stopped = 0, open_hands = 0
        cdef int64_t nodes = 0
        cdef double deadline = 0
        cdef bint guessed = False
        cdef bytearray lower, upper
        cdef unsigned char* low
        cdef unsigned char* high
        if time_limit:
            deadline = seconds() + time_limit
        for open_seat in worlds.view.rules.open_seats:
            open_hands |= 1 << <int>open_seat
        n_moves = advised(worlds, moves)
        for i in range(n_moves):
            wanted_move[i] = asked is None or i in asked
        lower = bytearray((last - first) * n_moves)
        upper = bytearray((last - first) * n_moves)
        low = lower
        high = upper
        with nogil:
            for w in range(first, last):
                worlds.fill(w, &deal, &root)
                self.prepare(&deal, &root, False, True, open_hands)
                s.node_limit = node_limit
                s.deadline = deadline
                s.horizon = horizon
                s.stop_flag = stop_flag
                give_up(s)
                for i in range(n_moves):
                    if root.phase == PHASE_OVER:
                        moves[i].lower = moves[i].upper = 8
                    elif not wanted_move[i]:
                        moves[i].lower = moves[i].upper = 7
                    else:
                        self.advise_move(&root, &moves[i], seat)
                nodes += s.nodes
                guessed = guessed or s.guessed
                if s.stopped == STOPPED_TIME or s.stopped == STOPPED_FLAG:
                    stopped = s.stopped
                    break
                for i in range(n_moves):
                    low[done * n_moves + i] = moves[i].lower + 1
                    high[done * n_moves + i] = moves[i].upper + 1
                done += 1
        return (
            bytes(lower[: done * n_moves]), bytes(upper[: done * n_moves]), nodes, guessed,
            _STOPPED[stopped],
        )

    cdef void advise_move(self, const State* p, RootMove* move, int seat) noexcept nogil:
        """Bounds of what a move of the view's seat is worth in this world."""
        cdef SeatSearch* s = &self.search
        cdef RootMove instead
        cdef uint64_t sets[MAX_CALLS]
        cdef uint8_t seats[MAX_CALLS]
        cdef int n, i
        if p.turn == seat and move.what != MOVE_STOP:
            instead = move[0]
            if p.phase == PHASE_CLAIM and move.what == MOVE_PLAY:
                # In this world another shows a winning hand before the lead is laid.
                instead.what, instead.cards = MOVE_PASS, 0
            self.value_move(p, &instead, seat, &move.lower, &move.upper)
            return
        if move.what == MOVE_STOP:
            n = ordered_calls(s.deal, p, sets, seats)
            for i in range(n):
                if seats[i] == seat and sets[i] == move.cards:
                    self.value_move(p, move, seat, &move.lower, &move.upper)
                    return
            # The leader shows a combination as high: the call is void, and play goes on.
        widest(s, p, seat, &move.lower, &move.upper)
        if s.stopped:
            return
        self.ask_for(p, seat)
        narrow(s, p, seat, seat, &move.lower, &move.upper)

    cdef void run_singles(self, SeatJob* job, bint moves) noexcept nogil:
        """What each single player is sure of, and gets where everybody plays for himself."""
        cdef SeatSearch* s = &self.search
        cdef State child
        cdef int got[6]
        cdef int seat, i
        cdef RootMove* m
        cdef bint stopped = s.stopped != 0
        if not stopped:
            alone(s, &job.root, got)
            stopped = s.stopped != 0
        for seat in range(s.deal.seats):
            widest(s, &job.root, seat, &job.sure_lower[seat], &job.sure_upper[seat])
            job.alone_lower[seat] = job.sure_lower[seat]
            job.alone_upper[seat] = job.sure_upper[seat]
            if not stopped:
                job.alone_lower[seat] = job.alone_upper[seat] = worth_alone(s, got, seat)
        for i in range(job.moves):
            m = &job.move[i]
            widest(s, &job.root, m.seat, &job.move_alone[i][0], &job.move_alone[i][1])
            # Nobody can get less by playing for himself than he is sure of.
            job.move_alone[i][0] = m.lower
            if s.stopped:
                continue
            child = job.root
            make(s.deal, &child, m)
            alone(s, &child, got)
            if not s.stopped:
                job.move_alone[i][0] = job.move_alone[i][1] = worth_alone(s, got, m.seat)
        for seat in range(s.deal.seats):
            if seat == job.root.turn:
                job.sure_lower[seat], job.sure_upper[seat] = job.lower, job.upper
            elif not s.stopped:
                self.ask_for(&job.root, seat)
                narrow(
                    s, &job.root, seat, NOBODY, &job.sure_lower[seat], &job.sure_upper[seat]
                )
            job.alone_lower[seat] = max(job.alone_lower[seat], job.sure_lower[seat])
        self.ask_for(&job.root, job.root.turn)

    cdef bint rest_holds(
        self, const State* p, int v, const uint64_t* sets, const uint8_t* seats, int n, int first,
    ) noexcept nogil:
        """`plays_on` with the calls from number `first` on alone."""
        cdef SeatSearch* s = &self.search
        cdef State child
        cdef int i
        cdef bint result
        for i in range(first, n):
            child = p[0]
            make_call(s.deal, &child, seats[i], sets[i])
            result = holds(s, &child, v)
            if result == is_friend(s, seats[i]):
                return result
        return leads(s, p, v, NULL) if p.phase == PHASE_LEAD else answers(s, p, v)

    cdef void find_line(self, SeatJob* job) noexcept nogil:
        """A line of best play between two sides: the value stays what it is, move by move."""
        cdef SeatSearch* s = &self.search
        cdef const Deal* d = s.deal
        cdef State p = job.root, child
        cdef RootMove moves[MAX_MOVES]
        cdef RootMove made
        cdef uint64_t sets[MAX_CALLS]
        cdef uint8_t seats[MAX_CALLS]
        cdef int value = job.lower, n, i, seat
        cdef bint found, friend
        if job.root.turn & 1:
            value = -value
        while job.line < MOST_LINE and p.phase != PHASE_OVER and not s.stopped:
            made.what, made.cards, made.seat = MOVE_CLAIM, 0, p.turn
            seat = NOBODY
            if not s.points and may_claim(d, &p) and knows(s, &p, p.turn):
                found = True
            else:
                found = False
                if p.phase != PHASE_ANSWER and not s.points:
                    seat = challenger(s, &p)
                if seat != NOBODY:
                    made.what, made.seat, found = MOVE_CHALLENGE, seat, True
                elif p.phase == PHASE_CLAIM:
                    made.what, found = MOVE_PASS, True
            if not found and d.callable and not p.called:
                n = ordered_calls(d, &p, sets, seats)
                for i in range(n):
                    # Who may call first calls if he gets less by silence.
                    if is_friend(s, seats[i]):
                        found = not self.rest_holds(&p, value, sets, seats, n, i + 1)
                    else:
                        found = value < s.highest and self.rest_holds(
                            &p, value + 1, sets, seats, n, i + 1
                        )
                    if s.stopped:
                        return
                    if found:
                        made.what, made.cards, made.seat = MOVE_STOP, sets[i], seats[i]
                        break
            if not found:
                friend = is_friend(s, p.turn)
                n = root_moves(d, &p, False, moves)
                for i in range(n):
                    child = p
                    make(d, &child, &moves[i])
                    if s.points:
                        wanted(s, value if friend else value + 1)
                        found = holds(s, &child, 1) == friend
                    elif friend:
                        found = value <= -s.highest or holds(s, &child, value)
                    else:
                        found = value >= s.highest or not holds(s, &child, value + 1)
                    if s.stopped:
                        return
                    if found:
                        made = moves[i]
                        break
                if not found:
                    return
            make(d, &p, &made)
            if not (s.points and made.what == MOVE_PASS):
                job.lines[job.line] = made
                job.line += 1

    cdef void find_line_alone(self, SeatJob* job) noexcept nogil:
        """The line in which every single player plays for himself."""
        cdef SeatSearch* s = &self.search
        cdef const Deal* d = s.deal
        cdef State p = job.root
        cdef RootMove made
        cdef int got[6]
        cdef int seat
        while job.line < MOST_LINE and p.phase != PHASE_OVER:
            made.what, made.cards, made.seat = MOVE_CLAIM, 0, p.turn
            seat = NOBODY
            if p.phase != PHASE_ANSWER and not s.points:
                seat = challenger(s, &p)
            if not s.points and may_claim(d, &p) and knows(s, &p, p.turn):
                pass
            elif seat != NOBODY:
                made.what, made.seat = MOVE_CHALLENGE, seat
            elif p.phase == PHASE_CLAIM:
                made.what = MOVE_PASS
            else:
                alone_on(s, &p, got, &made, 1)
                if s.stopped:
                    return
            make(d, &p, &made)
            if not (s.points and made.what == MOVE_PASS):
                job.lines[job.line] = made
                job.line += 1

    cdef object solve(
        self, Position position, object objective, bint moves, bint line, bint seen,
        int64_t node_limit, double time_limit, const int* stop_flag,
    ):
        """`Solver.solve` for a position whose limits and arguments have been checked."""
        from bura_core._solver import MoveValue, SeatValue, Solution
        from bura_core.match import score_table
        cdef SeatJob* job = self.job
        cdef SeatSearch* s = &self.search
        cdef RootMove* m
        cdef int i, open_hands = 0
        cdef bint points = objective == "points"
        cdef bytes table = b""
        cdef const int8_t* pays = NULL
        if seen and position.bare_piles and not position.deal.shown:
            raise InputError(Fault(
                "piles", "/".join(map(str, position.points)),
                "points do not tell which cards were seen",
                "list the piles' cards, face-down ones in brackets",
            ))
        for seat in position.rules.open_seats:
            open_hands |= 1 << <int>seat
        if objective == "score":
            table, self.pays_by_points = score_table(position.rules)
            self.highest = max([byte if byte < 128 else 256 - byte for byte in set(table)])
            pays = <const int8_t*><const char*>table
        job.root = position.now()[0]
        with nogil:
            self.pays = pays
            self.prepare(&position.deal, &job.root, points, seen, open_hands)
            self.pays = NULL      # the search has it
            s.node_limit = node_limit
            s.stop_flag = stop_flag
            if time_limit:
                s.deadline = seconds() + time_limit
            self.run(job, moves, line)
        several = not s.sides
        values = []
        for i in range(job.moves):
            m = &job.move[i]
            alone_value = None
            if several and job.move_alone[i][0] == job.move_alone[i][1]:
                alone_value = job.move_alone[i][0]
            values.append(MoveValue(move_of(m, position.deal.seats), m.lower, m.upper,
                                    m.seat, alone_value))
        values.sort(key=_worst_first)
        best = ()
        if values:
            top = values[0].lower
            if all([v.upper < top or v.lower == v.upper for v in values]):
                best = tuple([v.move for v in values if v.lower == top])
        seats = range(position.deal.seats) if several else ()
        return Solution(
            objective, job.lower, job.upper, tuple(values),
            tuple([
                MoveValue(move_of(&job.call[i], position.deal.seats), job.call[i].lower,
                          job.call[i].upper, job.call[i].seat)
                for i in range(job.calls)
            ]),
            best, tuple([move_of(&job.lines[i], position.deal.seats) for i in range(job.line)]),
            job.nodes, 1e6 * job.seconds, _STOPPED[job.stopped],
            tuple([SeatValue(i, job.sure_lower[i], job.sure_upper[i]) for i in seats]),
            tuple([SeatValue(i, job.alone_lower[i], job.alone_upper[i]) for i in seats]),
        )


cdef object move_of(const RootMove* move, int seats):
    named = move.seat if move.what == MOVE_CHALLENGE and seats > 2 else None
    return Move(_KINDS[move.what], move.cards, named)


def _worst_first(value):
    return -value.lower, -value.upper


cdef int advised(Worlds worlds, RootMove* out) noexcept:
    """The moves of a view's seat, numbered as `Solver.judge` and `moves_of` number them."""
    cdef Deal deal
    cdef State known = worlds.state, world
    cdef int seat
    # The other hands count by their sizes alone; any world has these.
    worlds.fill(0, &deal, &world)
    for seat in range(deal.seats):
        known.hand[seat] = world.hand[seat]
    if known.phase == PHASE_LEAD and not known.hand[known.turn]:
        if known.claimant == known.turn:
            known.phase = PHASE_CLAIM
        else:
            known.turn = known.leader = world.turn
    return advised_seat_moves(&worlds.deal, &known, worlds.view.seat, out)

cdef int advised_seat_moves(
    const Deal* d, const State* p, int seat, RootMove* out,
) noexcept nogil:
    """The moves a view's seat chooses among: its own, and out-of-turn leads it may call.

    Where another is on turn, `pass` stands for silence. Nothing here looks at cards that the
    seat has not seen; whether a call stands against what the leader holds, each world shows.
    """
    cdef State now = p[0]
    cdef uint64_t sets[MAX_LEADS]
    cdef uint64_t hand = now.hand[seat]
    cdef int combination, n = 0, more = 0, i, limit = popcount(hand)
    cdef int leader = now.leader if now.phase == PHASE_ANSWER else now.turn
    if now.turn == seat:
        n = root_moves(d, &now, True, out)
    if (
        not d.callable or now.called or seat == leader
        or now.phase != (PHASE_LEAD if d.stop_window == STOP_BEFORE_LEAD else PHASE_ANSWER)
    ):
        return n
    for combination in range(FOUR_ACES, COMBINATIONS):
        if d.use[combination] != USE_LEAD:
            continue
        if combination != MOLODKA:
            more = add_combination_sets(d, hand, combination, limit, sets, more)
        elif is_whole(d, seat, hand, MOLODKA):
            sets[more] = hand
            more += 1
    for i in range(more):
        out[n].what = MOVE_STOP
        out[n].cards = sets[i]
        out[n].seat = seat
        n += 1
    if more and now.turn != seat:
        out[n].what = MOVE_PASS
        out[n].cards = 0
        out[n].seat = seat
        n += 1
    return n


def seat_moves_of(Worlds worlds):
    """`moves_of` for views beyond two single players' usual game."""
    cdef RootMove moves[MAX_MOVES]
    cdef int i, n
    n = advised(worlds, moves)
    return tuple([move_of(&moves[i], worlds.deal.seats) for i in range(n)])
