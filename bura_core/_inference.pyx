"""How likely what another player did is, if he holds what a world says.

A policy model gives each action of the other seat a probability from his hand and from what he
can see: a multinomial logit over his legal leads or answers, and logits for claiming, raising and
accepting. Mixed with a noise floor it never rules a world out. `Witness` multiplies these over the
history of a view, for one world at a time: the world says what he holds now and what he has
discarded face down; when he laid which discard and drew which card is drawn at random, each way
that fits being equally likely (all have the same number of ways, so the estimate is unbiased).

What the features are stands at `lead_features` and the functions after it, what they weigh in
inference.py. Two seats only.
"""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from bura_core._cards cimport lowest, points_of, popcount, suit_mask
from bura_core._rules cimport (
    MAX_LEADS, MAX_REPLIES, Deal, Position, State, beaters, can_beat, count_of, generate_leads,
    generate_subsets, lead_limit, set_beats,
)
from bura_core._sampler cimport Worlds

cdef enum:
    # Where the weights of each kind of action begin, and how many there are in all.
    LEAD = 0
    BEAT = 14
    DISCARD = 25
    CLAIM = 34
    RAISE = 37
    ACCEPT = 47
    AGAIN = 57
    FEATURES = 67
    MAX_TRICKS = 20
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
    int closed                # cards face down in its pile
    int talon                 # cards left
    int limit                 # most cards of a lead
    double outcome            # how the hand would end for him with all cards known; 0: not told

ctypedef struct Trick:
    int leader
    int size
    uint64_t lead
    uint64_t answer           # where it was open, or is known
    int answered              # DOES_BEAT, DOES_DISCARD, or 0 while it is not
    int drawn                 # cards each seat drew afterwards
    int claim                 # his right to claim after the trick: 0 none, LETS_CLAIM_GO
    int raised[2]             # at his lead or answer: 0 nothing, or what he did
    int replied               # to an offer: DOES_ACCEPT
    int talon                 # before the trick
    bint turn_up              # he drew the turned trump after it

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

cdef inline void claim_features(const Deal* d, const Sight* s, double* f) noexcept nogil:
    """Of a claim: by how many deviations the expected count is above the target."""
    cdef double mean = <double>points_of(s.unseen) / max(1, popcount(s.unseen))
    cdef double spread = 1 + 4.5 * sqrt(<double>s.closed)
    f[0] = 1
    f[1] = (s.seen + s.closed * mean - d.target) / spread
    f[2] = s.closed == 0

cdef inline void strength_features(
    const Deal* d, const Sight* s, uint64_t hand, double* f,
) noexcept nogil:
    """Of raising and accepting: what the hand and the piles promise."""
    cdef uint64_t own = hand & d.trumps, high = 0
    if own and not beaters(d, lowest(own)) & s.unseen:
        high = own
    f[0] = 1
    f[1] = popcount(own)
    f[2] = high != 0
    f[3] = points_of(hand) / 10.0
    f[4] = s.seen / 10.0
    f[5] = s.other / 10.0
    f[6] = s.talon / 10.0
    f[7] = s.lead != 0 and can_beat(d, s.lead, hand)
    f[8] = s.closed * (s.talon == 0)
    f[9] = s.outcome

cdef inline double dot(const double* weights, const double* f, int n) noexcept nogil:
    cdef double total = 0
    cdef int i
    for i in range(n):
        total += weights[i] * f[i]
    return total

cdef inline double logistic(double x) noexcept nogil:
    return 1 / (1 + exp(-x))

cdef double action_probability(
    const Deal* d, const Sight* s, uint64_t hand, int what, uint64_t cards,
    const double* weights, double* gradient,
) noexcept nogil:
    """The probability of an action without noise.

    `gradient`, where not NULL, gets the derivatives of its logarithm by the weights added.
    """
    cdef uint64_t sets[MAX_OPTIONS]
    cdef double scores[MAX_OPTIONS]
    cdef double f[16]
    cdef int begin[MAX_OPTIONS]
    cdef int n, i, j, at, size, found = -1, first, width
    cdef double total = 0, top = -1e30, p, sign
    if what >= LETS_CLAIM_GO:
        memset(f, 0, sizeof(f))
        first, width = (
            (CLAIM, RAISE - CLAIM) if what <= DOES_CLAIM
            else (RAISE, ACCEPT - RAISE) if what <= DOES_NOT_RAISE
            else (ACCEPT, AGAIN - ACCEPT) if what <= DOES_FOLD
            else (AGAIN, FEATURES - AGAIN)
        )
        if first == CLAIM:
            claim_features(d, s, f)
        else:
            strength_features(d, s, hand, f)
        sign = 1 if (
            what == DOES_CLAIM or what == DOES_RAISE or what == DOES_ACCEPT
            or what == RAISES_AGAIN
        ) else -1
        p = logistic(sign * dot(&weights[first], f, width))
        if gradient != NULL:
            for j in range(width):
                gradient[first + j] += sign * (1 - p) * f[j]
        return p
    if what == DOES_LEAD:
        n = generate_leads(d, hand, s.limit, sets)
        for i in range(n):
            lead_features(d, s, hand, sets[i], f)
            begin[i] = LEAD
            scores[i] = dot(&weights[LEAD], f, BEAT - LEAD)
            if sets[i] == cards:
                found = i
    else:
        size = popcount(s.lead)
        at = generate_subsets(hand, size, sets)
        n = at
        # Discards stand first, and beating sets after them.
        for i in range(at):
            if set_beats(d, s.lead, sets[i]):
                sets[n] = sets[i]
                begin[n] = BEAT
                beat_features(d, s, hand, sets[n], f)
                scores[n] = dot(&weights[BEAT], f, DISCARD - BEAT)
                if what == DOES_BEAT and sets[n] == cards:
                    found = n
                n += 1
            begin[i] = DISCARD
            discard_features(d, s, hand, sets[i], f)
            scores[i] = dot(&weights[DISCARD], f, CLAIM - DISCARD)
            if d.shown and n > at and sets[n - 1] == sets[i]:
                scores[i] = -1e30         # laid face up, it beats
            if what == DOES_DISCARD and sets[i] == cards:
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

cdef inline uint64_t random_bits(uint64_t* seed) noexcept nogil:
    """SplitMix64 (Steele, Lea and Flood, 2014)."""
    cdef uint64_t x
    seed[0] += <uint64_t>0x9E3779B97F4A7C15
    x = seed[0]
    x = (x ^ x >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t>0x94D049BB133111EB
    return x ^ x >> 31

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


cdef class Witness:
    """What the other seat of a view has done, to be asked how likely a world makes it.

    ``tricks`` are tuples, made by inference.py from the history of the view. Weights are a
    sequence of `FEATURES` numbers, ``noise`` is 0 to 1.
    """
    cdef Trick tricks[MAX_TRICKS]
    cdef int count
    cdef int seat, other
    cdef uint64_t deck
    cdef uint64_t turn_up        # the turned trump, or none
    cdef double weights[FEATURES]
    cdef double noise

    def __init__(self, int seat, uint64_t deck, uint64_t turn_up, tricks, weights, double noise):
        cdef int i = 0
        if len(tricks) > MAX_TRICKS or len(weights) != FEATURES:
            raise ValueError("too many tricks, or another number of weights")
        self.seat = seat
        self.other = 1 - seat
        self.deck = deck
        self.turn_up = turn_up
        self.noise = noise
        for i, weight in enumerate(weights):
            self.weights[i] = weight
        self.count = len(tricks)
        for i, trick in enumerate(tricks):
            (
                self.tricks[i].leader, self.tricks[i].size, self.tricks[i].lead,
                self.tricks[i].answer, self.tricks[i].answered, self.tricks[i].drawn,
                self.tricks[i].claim, self.tricks[i].raised[0], self.tricks[i].raised[1],
                self.tricks[i].replied, self.tricks[i].talon, self.tricks[i].turn_up,
            ) = trick

    def log_weights(self, Worlds sample, int first, int last, uint64_t seed, int draws=1):
        """For the worlds `first` to `last` - 1: (logarithm of the likelihood of the history, what
        the pile of the view's seat counts), two lists.

        Of ``draws`` ways each in which the other may have drawn and laid his cards, the mean.
        """
        cdef Deal deal
        cdef State state
        cdef int w, i, _i
        cdef uint64_t stream
        cdef double total
        cdef double* out = <double*>malloc(max(1, last - first) * sizeof(double))
        cdef int* counts = <int*>malloc(max(1, last - first) * sizeof(int))
        if out == NULL or counts == NULL:
            free(out)
            free(counts)
            raise MemoryError()
        if not (sample.deal.seats == 2 and sample.view.seat == self.seat):
            free(out)
            free(counts)
            raise ValueError("worlds of another seat")
        try:
            with nogil:
                for w in range(first, last):
                    sample.fill(w, &deal, &state)
                    stream = seed + <uint64_t>w * <uint64_t>0x9E3779B97F4A7C15
                    total = 0
                    for _i in range(draws):
                        total += self.likelihood(&deal, &state, &stream)
                    out[w - first] = log(total / draws + 1e-300)
                    counts[w - first] = count_of(&deal, &state, self.seat)
            return (
                [out[i] for i in range(last - first)], [counts[i] for i in range(last - first)],
            )
        finally:
            free(out)
            free(counts)

    cdef double likelihood(
        self, const Deal* d, const State* p, uint64_t* seed,
    ) noexcept nogil:
        cdef uint64_t laid[MAX_TRICKS]
        cdef uint64_t hands[MAX_TRICKS]
        cdef uint64_t pool, hand, drawn, public, discards
        cdef const Trick* t
        cdef Sight s
        cdef int i, j, own_seen, other_seen, closed
        cdef int other = self.other
        cdef double product = 1
        # His face-down discards lie in the pile of the view's seat: which came when?
        pool = p.closed_pile[self.seat]
        for i in range(self.count):
            t = &self.tricks[i]
            laid[i] = 0
            if t.answered == DOES_DISCARD and t.leader != other:
                if t.answer:
                    laid[i] = t.answer
                elif not d.shown:
                    laid[i] = random_subset(pool, t.size, seed)
                    pool ^= laid[i]
            elif t.leader == other:
                laid[i] = t.lead
            elif t.answered == DOES_BEAT:
                laid[i] = t.answer
        # Backwards from his hand now to the hands he acted with.
        hand = p.hand[other]
        for i in range(self.count - 1, -1, -1):
            t = &self.tricks[i]
            if t.drawn:
                if t.turn_up:
                    if not self.turn_up & hand:
                        return 0      # he drew it, and would have to have it here
                    drawn = self.turn_up
                    drawn |= random_subset(hand & ~drawn, t.drawn - 1, seed)
                else:
                    drawn = random_subset(hand, t.drawn, seed)
                hand &= ~drawn
            hand |= laid[i]
            hands[i] = hand
        # Forwards: what did he see, and how likely is what he did?
        public = 0
        discards = 0
        own_seen = d.handicap[other]
        other_seen = d.handicap[self.seat]
        closed = 0
        for i in range(self.count):
            t = &self.tricks[i]
            hand = hands[i]
            s.seen = own_seen
            s.other = other_seen + points_of(discards)
            s.closed = closed
            s.talon = t.talon
            s.limit = popcount(hand)
            s.lead = 0
            s.outcome = 0
            s.unseen = self.deck & ~(public | hand | discards)
            if t.replied:
                product *= self.mixed(d, &s, hand, t.replied, 0)
            if t.leader != other:
                s.lead = t.lead
                s.unseen &= ~t.lead
            if t.claim and t.leader == other:
                product *= self.mixed(d, &s, hand, t.claim, 0)
            for j in range(2):
                if t.raised[j]:
                    product *= self.mixed(d, &s, hand, t.raised[j], 0)
            if t.leader == other:
                if t.lead:
                    product *= self.mixed(d, &s, hand, DOES_LEAD, t.lead)
            elif t.answered:
                product *= self.mixed(d, &s, hand, t.answered, laid[i])
            public |= t.lead
            if t.answered == DOES_BEAT:
                public |= t.answer
                if t.leader == other:
                    other_seen += points_of(t.lead | t.answer)
                else:
                    own_seen += points_of(t.lead | t.answer)
            elif t.answered == DOES_DISCARD:
                if d.shown:
                    public |= t.answer
                if t.leader == other:
                    own_seen += points_of(t.lead)
                    if d.shown:
                        own_seen += points_of(t.answer)
                    else:
                        closed += t.size
                else:
                    other_seen += points_of(t.lead)
                    if d.shown:
                        other_seen += points_of(t.answer)
                    else:
                        discards |= laid[i]
        return product

    cdef double mixed(
        self, const Deal* d, const Sight* s, uint64_t hand, int what, uint64_t cards,
    ) noexcept nogil:
        cdef double p = action_probability(d, s, hand, what, cards, self.weights, NULL)
        return (1 - self.noise) * p + self.noise / options_of(d, s, hand, what)


cdef class Decisions:
    """Decisions of players with their hands known, to fit the weights of the policy model to."""
    cdef Deal* deals
    cdef Sight* sights
    cdef uint64_t* hands
    cdef uint64_t* chosen
    cdef int* whats
    cdef int count
    cdef int capacity

    def __dealloc__(self):
        free(self.deals)
        free(self.sights)
        free(self.hands)
        free(self.chosen)
        free(self.whats)

    def __len__(self):
        return self.count

    def add(self, Position position, str kind, uint64_t cards, seat=None, double outcome=0):
        """Take in that ``seat`` (the one on turn) did this: a kind of `Move`, or ``no claim``,
        ``no raise``, ``again`` (a raise answered by another), ``not again``. ``outcome``: how the
        hand would end for it with all cards known.
        """
        cdef const State* p = position.now()
        cdef const Deal* d = &position.deal
        cdef int who = p.turn if seat is None else seat
        cdef Sight s
        cdef int n = self.count
        if n == self.capacity:
            self.capacity = max(1024, 2 * self.capacity)
            self.deals = <Deal*>realloc(self.deals, self.capacity * sizeof(Deal))
            self.sights = <Sight*>realloc(self.sights, self.capacity * sizeof(Sight))
            self.hands = <uint64_t*>realloc(self.hands, self.capacity * sizeof(uint64_t))
            self.chosen = <uint64_t*>realloc(self.chosen, self.capacity * sizeof(uint64_t))
            self.whats = <int*>realloc(self.whats, self.capacity * sizeof(int))
        see(d, p, who, &s)
        s.outcome = outcome
        self.deals[n] = d[0]
        self.sights[n] = s
        self.hands[n] = p.hand[who]
        self.chosen[n] = cards
        self.whats[n] = _WHATS[kind] if kind != "play" or s.lead == 0 else DOES_BEAT
        if kind == "play" and s.lead and not set_beats(d, s.lead, cards):
            self.whats[n] = DOES_DISCARD
        self.count = n + 1

    def log_likelihood(self, weights, double noise=0):
        """(sum of the logarithms of the probabilities, its gradient as a list)."""
        cdef double w[FEATURES]
        cdef double g[FEATURES]
        cdef double total = 0, p
        cdef int i
        memset(g, 0, sizeof(g))
        for i in range(FEATURES):
            w[i] = weights[i]
        with nogil:
            for i in range(self.count):
                p = action_probability(
                    &self.deals[i], &self.sights[i], self.hands[i], self.whats[i],
                    self.chosen[i], w, g,
                )
                p = (1 - noise) * p + noise / options_of(
                    &self.deals[i], &self.sights[i], self.hands[i], self.whats[i]
                )
                total += log(p + 1e-300)
        return total, [g[i] for i in range(FEATURES)]


_WHATS = {
    "play": DOES_LEAD, "stop": DOES_LEAD, "discard": DOES_DISCARD, "claim": DOES_CLAIM,
    "no claim": LETS_CLAIM_GO, "raise": DOES_RAISE, "no raise": DOES_NOT_RAISE,
    "accept": DOES_ACCEPT, "fold": DOES_FOLD, "again": RAISES_AGAIN,
    "not again": DOES_NOT_RAISE_AGAIN,
}

cdef void see(const Deal* d, const State* p, int who, Sight* s) noexcept nogil:
    """What a seat of a position with all cards known sees."""
    cdef int other = 1 - who
    cdef uint64_t public, table = p.table[other]
    cdef uint64_t discards = p.closed_pile[other] & p.down[who]
    s.lead = table
    public = p.open_pile[0] | p.open_pile[1] | table
    s.unseen = (
        p.hand[0] | p.hand[1] | p.closed_pile[0] | p.closed_pile[1] | rest_of(d, p)
    ) & ~(p.hand[who] | discards | public)
    s.seen = d.handicap[who] + points_of(p.open_pile[who])
    s.other = d.handicap[other] + points_of(p.open_pile[other] | discards)
    s.closed = popcount(p.closed_pile[who])
    s.talon = d.talon_size - p.at
    s.limit = lead_limit(d, p, who)
    s.outcome = 0

cdef inline uint64_t rest_of(const Deal* d, const State* p) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int i
    for i in range(p.at, d.talon_size):
        cards |= <uint64_t>1 << d.talon[i]
    return cards


def chances(Worlds sample, int seat, str kind, outcomes, weights, double noise):
    """For each of some worlds, how likely a seat does something from what it sees there.

    ``kind`` is ``raise``, ``accept`` (or raise again, not fold) or ``again``. ``outcomes`` are
    those of the seat, -1 to 1, in the first worlds of the sample: a player senses something of
    whether he wins. Weights and noise are those of `Witness`. A list of numbers, 0 to 1.
    """
    cdef Deal deal
    cdef State state
    cdef Sight s
    cdef double w[FEATURES]
    cdef int i, n = len(outcomes), what = _WHATS[kind]
    cdef double* out = <double*>malloc(n * sizeof(double))
    if out == NULL:
        raise MemoryError()
    for i in range(FEATURES):
        w[i] = weights[i]
    for i, outcome in enumerate(outcomes):
        out[i] = outcome
    try:
        with nogil:
            for i in range(n):
                sample.fill(i, &deal, &state)
                see(&deal, &state, seat, &s)
                s.outcome = out[i]
                out[i] = (1 - noise) * action_probability(
                    &deal, &s, state.hand[seat], what, 0, w, NULL
                ) + noise / 2
        return [out[i] for i in range(n)]
    finally:
        free(out)


NUMBER_OF_FEATURES = FEATURES
