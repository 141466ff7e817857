"""The policy model: how likely a player does what, from what he sees.

A multinomial logit over the legal leads or answers, and logits for claiming, raising, accepting
and raising again. Inference asks how likely what was done is, the play-outs draw what is done.
Nothing here looks at a card that the player has not seen. Two seats only.
"""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memset

from bura_core._cards cimport CARD_POINTS, lowest, points_of, popcount, rank_mask, suit_mask
from bura_core._rules cimport (
    MAX_LEADS, MAX_REPLIES, NO_CEILING, PHASE_RAISED, Deal, State, beaters, can_beat,
    generate_leads, generate_subsets, lead_limit, set_beats,
)

cdef enum:
    # Where the weights of each kind of action begin, and how many there are in all.
    LEAD = 0
    BEAT = 16
    DISCARD = 29
    CLAIM = 40
    RAISE = 44
    ACCEPT = 61
    AGAIN = 78
    FEATURES = 95
    STRENGTHS = 17
    # The net that estimates the chance to win, whose weights follow.
    INPUTS = 32
    HIDDEN = 24
    WEIGHTS = FEATURES + HIDDEN * (INPUTS + 1) + HIDDEN + 1
    MAX_OPTIONS = MAX_LEADS + 2 * MAX_REPLIES
    # Kinds of actions.
    DOES_LEAD = 0
    DOES_BEAT = 1
    DOES_DISCARD = 2
    LETS_CLAIM_GO = 3
    DOES_CLAIM = 4
    DOES_RAISE = 5
    DOES_NOT_RAISE = 6
    DOES_ACCEPT = 7
    DOES_FOLD = 8
    RAISES_AGAIN = 9
    DOES_NOT_RAISE_AGAIN = 10

ctypedef struct Sight:
    # What a seat sees when it acts, its hand apart.
    uint64_t lead             # what it has to beat, or none
    uint64_t unseen           # cards it cannot place
    int seen                  # points of its pile that it has seen, with handicap
    int other                 # the same of the other's pile
    int closed                # cards face down in its pile that it has not seen
    uint64_t mine             # its own lead, while the other has yet to answer it
    int talon                 # cards left
    int limit                 # most cards of a lead
    bint turn                 # it is to lead or to answer, once raises are settled
    bint right                # it may claim
    int stake                 # in force, or offered to it

cdef inline double claim_chance(const Deal* d, const Sight* s) noexcept nogil:
    """The chance that a claim holds if all unseen cards are equally likely face down there.

    Exact for up to three cards, else by the normal distribution (its error is a few percent).
    """
    cdef int value[6]
    cdef int number[6]
    cdef int i, j, k, total, n = popcount(s.unseen)
    cdef int low = d.target - s.seen, high = 1 << 20
    cdef double ways = 0, mean, spread, left, way
    if d.ceiling != NO_CEILING:
        high = d.ceiling - s.seen
    if not s.closed or s.closed > n:
        return low <= 0 <= high
    if high > 1000:
        if low <= 0:
            return 1
        if low > 11 * s.closed:
            return 0
    if s.closed > 3:
        mean = 0
        spread = 0
        for i in range(4, 9):
            k = popcount(s.unseen & rank_mask(i))
            mean += k * CARD_POINTS[i]
            spread += k * CARD_POINTS[i] * CARD_POINTS[i]
        mean /= n
        spread = s.closed * max(0.1, spread / n - mean * mean) * (n - s.closed) / max(1, n - 1)
        mean = (s.closed * mean - low + 0.5) / sqrt(max(0.1, spread))
        # The logistic curve that lies nearest to the normal distribution.
        left = 1 / (1 + exp(-1.702 * mean))
        return left
    number[0] = n
    value[0] = 0
    for i in range(1, 6):
        number[i] = popcount(s.unseen & rank_mask(3 + i))
        number[0] -= number[i]
        value[i] = CARD_POINTS[3 + i]
    # Ordered draws without replacement.
    for i in range(6):
        if not number[i]:
            continue
        way = <double>number[i] / n
        number[i] -= 1
        if s.closed == 1:
            if low <= value[i] <= high:
                ways += way
        else:
            for j in range(6):
                if not number[j]:
                    continue
                left = way * number[j] / (n - 1)
                number[j] -= 1
                total = value[i] + value[j]
                if s.closed == 2:
                    if low <= total <= high:
                        ways += left
                else:
                    for k in range(6):
                        if number[k] and low <= total + value[k] <= high:
                            ways += left * number[k] / (n - 2)
                number[j] += 1
        number[i] += 1
    return ways

cdef inline double logit_of(double chance) noexcept nogil:
    chance = min(0.98, max(0.02, chance))
    return log(chance / (1 - chance))

cdef inline void lead_features(
    const Deal* d, const Sight* s, uint64_t hand, uint64_t cards, double* f,
) noexcept nogil:
    """Of a lead: how many cards, trumps, points, how safe it is, what stays in the hand."""
    cdef int n = popcount(cards), points = points_of(cards)
    cdef bint trump = cards & d.trumps != 0
    cdef uint64_t above = beaters(d, lowest(cards)) & s.unseen
    cdef double risk = <double>popcount(above) / max(1, popcount(s.unseen))
    f[0] = n == 2
    f[1] = n >= 3
    f[2] = trump
    f[3] = trump * (n - 1)
    f[4] = points / 10.0
    f[5] = points / 10.0 * trump
    f[6] = risk
    f[7] = risk * points / 10.0
    f[8] = popcount(hand & suit_mask(lowest(cards) // 9) & ~cards)
    f[9] = popcount(hand & d.trumps & ~cards) * risk
    f[10] = s.seen + points >= d.target
    f[11] = risk * (s.other + points >= d.target)
    f[12] = s.talon == 0 and trump
    f[13] = points_of(hand & ~cards) / 10.0 * risk
    f[14] = (s.seen + points >= d.target) * risk
    f[15] = risk * (s.other + points + 10 >= d.target)

cdef inline void beat_features(
    const Deal* d, const Sight* s, uint64_t hand, uint64_t cards, double* f,
) noexcept nogil:
    """Of an answer that beats: what it brings and what it takes."""
    cdef int gain = points_of(s.lead), points = points_of(cards)
    cdef uint64_t trumps = cards & d.trumps
    f[0] = 1
    f[1] = gain / 10.0
    f[2] = points / 10.0
    f[3] = popcount(trumps) * (s.lead & d.trumps == 0)
    f[4] = points_of(trumps) / 10.0
    f[5] = s.seen + gain + points >= d.target
    f[6] = s.other + gain + d.target // 6 >= d.target
    f[7] = gain == 0
    f[8] = popcount(hand & d.trumps & ~cards)
    f[9] = popcount(cards) - 1
    f[10] = s.talon == 0
    f[11] = s.other + gain >= d.target
    f[12] = points_of(hand & ~cards) / 10.0

cdef inline void discard_features(
    const Deal* d, const Sight* s, uint64_t hand, uint64_t cards, double* f,
) noexcept nogil:
    """Of a discard: what it gives away, and the suits it breaks up."""
    cdef int points = points_of(cards), gain = points_of(s.lead), kept = 0
    cdef uint64_t left = cards, bit
    while left:
        bit = left & (0 - left)
        left ^= bit
        kept += popcount(hand & suit_mask(lowest(bit) // 9) & ~cards)
    f[0] = points / 10.0
    f[1] = popcount(cards & d.trumps)
    f[2] = points_of(cards & d.trumps) / 10.0
    f[3] = (s.other + gain + points >= d.target) * (points > 0)
    f[4] = kept
    f[5] = points == 0
    f[6] = s.talon == 0 and cards & d.trumps != 0
    f[7] = (s.talon == 0) * points / 10.0
    f[8] = points_of(cards & ~d.trumps) >= 10
    f[9] = s.other + gain + points >= d.target
    f[10] = (s.other + gain + points + 10 >= d.target) * points / 10.0

cdef inline void claim_features(const Deal* d, const Sight* s, double* f) noexcept nogil:
    """Of a claim: how likely it holds, and how near the other is."""
    cdef double chance = claim_chance(d, s)
    f[0] = 1
    f[1] = logit_of(chance)
    f[2] = chance >= 1
    f[3] = s.other / 10.0

cdef inline double dot(const double* weights, const double* f, int n) noexcept nogil:
    cdef double total = 0
    cdef int i
    for i in range(n):
        total += weights[i] * f[i]
    return total

cdef inline double logistic(double x) noexcept nogil:
    return 1 / (1 + exp(-x))

cdef inline void strength_inputs(
    const Deal* d, const Sight* s, uint64_t hand, float* x,
) noexcept nogil:
    """What the chance to win is estimated from: the hand, the piles, the trick."""
    cdef uint64_t own = hand & d.trumps, left, bit, lead
    cdef int gain = points_of(s.lead), points, suit, n, best = 0, most = 0, i
    cdef double share = 1.0 / max(1, popcount(s.unseen))
    cdef double mean = points_of(s.unseen) * share, sure, risk, top = 0, least_risk = 1
    cdef bint beaten = s.lead != 0 and can_beat(d, s.lead, hand)
    cdef bint leads = s.turn and not s.lead
    cdef double target = d.target, cards = max(1, d.hand_size)
    for i in range(INPUTS):
        x[i] = 0
    left = hand
    while left:
        bit = left & (0 - left)
        left ^= bit
        points = CARD_POINTS[lowest(bit)]
        risk = popcount(beaters(d, lowest(bit)) & s.unseen) * share
        sure = points * (1 - 2 * risk)
        top = max(top, sure)
        least_risk = min(least_risk, risk)
        best = max(best, points)
    # The suit that brings most if it is led whole.
    for suit in range(4):
        lead = hand & suit_mask(suit)
        n = popcount(lead)
        if n > 1:
            most = max(most, points_of(lead))
            x[20] = max(x[20], <float>((n - 1) / cards))
    x[0] = popcount(own) / cards
    x[1] = own != 0 and not beaters(d, lowest(own)) & s.unseen
    x[2] = popcount(own & (rank_mask(7) | rank_mask(8))) / 2.0
    x[3] = points_of(hand) / target
    x[4] = s.seen / target
    x[5] = s.other / target
    x[6] = s.talon / 20.0
    x[7] = beaten
    x[8] = leads
    x[9] = leads * top / target
    x[10] = s.closed * mean / target
    x[11] = claim_chance(d, s)
    x[12] = x[11] * s.right
    x[13] = beaten and s.seen + gain + best >= target
    x[14] = gain / target
    x[15] = (not beaten) * gain / target
    x[16] = s.lead != 0 and not beaten and s.other + gain >= target
    x[17] = leads * (s.seen + best >= target)
    x[18] = leads * most / target
    x[19] = least_risk
    x[21] = not s.turn and not s.mine
    x[22] = s.mine != 0
    if s.mine:
        x[23] = popcount(beaters(d, lowest(s.mine)) & s.unseen) * share
        x[24] = points_of(s.mine) / target
        x[25] = s.seen + points_of(s.mine) >= target
    x[26] = max(0.0, 1 - (s.seen + s.closed * mean) / target)
    x[27] = max(0.0, 1 - s.other / target)
    x[28] = popcount(hand & (rank_mask(7) | rank_mask(8))) / cards
    x[29] = popcount(hand) / cards
    x[30] = popcount(s.unseen & d.trumps) / 5.0
    x[31] = popcount(s.lead) / cards

cdef inline double strength(
    const Deal* d, const Sight* s, uint64_t hand, const double* weights,
) noexcept nogil:
    """The chance to win the hand if nobody raises, as a net of one hidden layer estimates it."""
    cdef float x[INPUTS]
    cdef const double* w = weights + FEATURES
    cdef double total, out = w[HIDDEN * (INPUTS + 1) + HIDDEN]
    cdef int i, j
    strength_inputs(d, s, hand, x)
    for i in range(HIDDEN):
        total = w[INPUTS]
        for j in range(INPUTS):
            total += w[j] * x[j]
        if total > 0:
            out += total * weights[FEATURES + HIDDEN * (INPUTS + 1) + i]
        w += INPUTS + 1
    return 1 / (1 + exp(-out))

cdef inline void strength_features(
    const Deal* d, const Sight* s, uint64_t hand, const double* weights, double* f,
) noexcept nogil:
    """Of raising and accepting: how likely the hand is won, and at what stake."""
    cdef double v = strength(d, s, hand, weights)
    f[0] = 1
    f[1] = logit_of(v)
    f[2] = max(0.0, v - 0.5)
    f[3] = max(0.0, v - 0.7)
    f[4] = max(0.0, v - 0.85)
    f[5] = logistic(30 * (v - 0.75))
    f[6] = logistic(30 * (v - 0.25))
    f[7] = logistic(30 * (v - 0.12))
    f[8] = min(s.stake, 6) - 1
    f[9] = f[8] * f[1]
    f[10] = claim_chance(d, s) if s.right else 0.0
    f[11] = s.talon / 10.0
    f[12] = s.turn and not s.lead
    f[13] = s.mine != 0
    f[14] = s.turn and s.lead != 0
    f[15] = <double>s.other / d.target
    f[16] = <double>s.seen / d.target

cdef inline double agrees(
    const Deal* d, const Sight* s, uint64_t hand, int first, const double* weights, double* f,
) noexcept nogil:
    """The probability of a claim, a raise, an acceptance or another raise, by its first weight."""
    cdef int width
    memset(f, 0, STRENGTHS * sizeof(double))
    if first == CLAIM:
        width = RAISE - CLAIM
        claim_features(d, s, f)
    else:
        width = STRENGTHS
        strength_features(d, s, hand, weights, f)
    return logistic(dot(&weights[first], f, width))

cdef inline int list_actions(
    const Deal* d, const Sight* s, uint64_t hand, const double* weights,
    uint64_t* sets, int* begin, double* scores,
) noexcept nogil:
    """Leads, or discards and then beating sets, each with its score; returns how many."""
    cdef double f[STRENGTHS]
    cdef int n, i, at, size
    if not s.lead:
        n = generate_leads(d, hand, s.limit, sets)
        for i in range(n):
            lead_features(d, s, hand, sets[i], f)
            begin[i] = LEAD
            scores[i] = dot(&weights[LEAD], f, BEAT - LEAD)
        return n
    size = popcount(s.lead)
    at = generate_subsets(hand, size, sets)
    n = at
    for i in range(at):
        if set_beats(d, s.lead, sets[i]):
            sets[n] = sets[i]
            begin[n] = BEAT
            beat_features(d, s, hand, sets[n], f)
            scores[n] = dot(&weights[BEAT], f, DISCARD - BEAT)
            n += 1
        begin[i] = DISCARD
        discard_features(d, s, hand, sets[i], f)
        scores[i] = dot(&weights[DISCARD], f, CLAIM - DISCARD)
        if d.shown and n > at and sets[n - 1] == sets[i]:
            scores[i] = -1e30         # laid face up, it beats
    return n

cdef inline double action_probability(
    const Deal* d, const Sight* s, uint64_t hand, int what, uint64_t cards,
    const double* weights, double* gradient,
) noexcept nogil:
    """The probability of an action without noise.

    `gradient`, where not NULL, gets the derivatives of its logarithm by the weights added.
    """
    cdef uint64_t sets[MAX_OPTIONS]
    cdef double scores[MAX_OPTIONS]
    cdef double f[STRENGTHS]
    cdef int begin[MAX_OPTIONS]
    cdef int n, i, j, found = -1, first, width
    cdef double total = 0, top = -1e30, p, sign
    if what >= LETS_CLAIM_GO:
        first = CLAIM
        width = RAISE - CLAIM
        if what > DOES_CLAIM:
            width = STRENGTHS
            first = RAISE if what <= DOES_NOT_RAISE else ACCEPT if what <= DOES_FOLD else AGAIN
        p = agrees(d, s, hand, first, weights, f)
        sign = 1
        if not (
            what == DOES_CLAIM or what == DOES_RAISE or what == DOES_ACCEPT
            or what == RAISES_AGAIN
        ):
            sign = -1
            p = 1 - p
        if gradient != NULL:
            for j in range(width):
                gradient[first + j] += sign * (1 - p) * f[j]
        return p
    n = list_actions(d, s, hand, weights, sets, begin, scores)
    for i in range(n):
        if sets[i] == cards and (what == DOES_LEAD or (what == DOES_BEAT) == (begin[i] == BEAT)):
            found = i
    if found < 0:
        return 0
    for i in range(n):
        top = max(top, scores[i])
    for i in range(n):
        scores[i] = exp(scores[i] - top)
        total += scores[i]
    p = scores[found] / total
    if gradient != NULL:
        for i in range(n):
            sign = (1.0 if i == found else 0.0) - scores[i] / total
            if begin[i] == LEAD:
                lead_features(d, s, hand, sets[i], f)
                width = BEAT - LEAD
            elif begin[i] == BEAT:
                beat_features(d, s, hand, sets[i], f)
                width = DISCARD - BEAT
            else:
                discard_features(d, s, hand, sets[i], f)
                width = CLAIM - DISCARD
            for j in range(width):
                gradient[begin[i] + j] += sign * f[j]
    return p

cdef inline int options_of(
    const Deal* d, const Sight* s, uint64_t hand, int what,
) noexcept nogil:
    """About how many actions there are to choose among: the noise is spread over them."""
    cdef int n = popcount(hand)
    return n if what <= DOES_DISCARD and n > 1 else 2

cdef inline uint64_t rest_of(const Deal* d, const State* p) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int i
    for i in range(p.at, d.talon_size):
        cards |= <uint64_t>1 << d.talon[i]
    return cards

cdef inline void see(const Deal* d, const State* p, int who, Sight* s) noexcept nogil:
    """What a seat of a position with all cards known sees."""
    cdef int other = 1 - who
    cdef uint64_t public, table = p.table[other]
    cdef uint64_t discards = p.closed_pile[other] & p.down[who]
    s.lead = table
    public = p.open_pile[0] | p.open_pile[1] | table
    s.unseen = (
        p.hand[0] | p.hand[1] | p.closed_pile[0] | p.closed_pile[1] | p.table[who] | rest_of(d, p)
    ) & ~(p.hand[who] | p.table[who] | discards | public)
    s.seen = d.handicap[who] + points_of(p.open_pile[who])
    s.other = d.handicap[other] + points_of(p.open_pile[other] | discards)
    s.closed = popcount(p.closed_pile[who])
    s.mine = p.table[who]
    s.talon = d.talon_size - p.at
    s.limit = lead_limit(d, p, who)
    s.turn = who == (p.interrupted if p.phase == PHASE_RAISED else p.turn)
    s.right = p.claimant == who
    s.stake = p.offer if p.offer else p.stake

cdef inline uint64_t random_bits(uint64_t* seed) noexcept nogil:
    """SplitMix64 (Steele, Lea and Flood, 2014)."""
    cdef uint64_t x
    seed[0] += <uint64_t>0x9E3779B97F4A7C15
    x = seed[0]
    x = (x ^ x >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t>0x94D049BB133111EB
    return x ^ x >> 31

cdef inline double random_share(uint64_t* seed) noexcept nogil:
    """0 to less than 1."""
    return <double>(random_bits(seed) >> 11) * 1.1102230246251565e-16

cdef inline uint64_t random_subset(uint64_t cards, int size, uint64_t* seed) noexcept nogil:
    """So many of these cards, every set equally likely."""
    cdef int left = popcount(cards)
    cdef uint64_t taken = 0, bit
    while size > 0 and left > 0:
        bit = cards & (0 - cards)
        cards ^= bit
        # Taken with chance size / left.
        if <int>((random_bits(seed) >> 32) * <uint64_t>left >> 32) < size:
            taken |= bit
            size -= 1
        left -= 1
    return taken
