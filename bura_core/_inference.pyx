"""How likely what another player did is, if he holds what a world says.

A policy model gives each action of the other seat a probability from his hand and from what he
can see: a multinomial logit over his legal leads or answers, and logits for claiming, raising and
accepting. Mixed with a noise floor it never rules a world out. `Witness` multiplies these over the
history of a view, for one world at a time: the world says what he holds now and what he has
discarded face down; when he laid which discard and drew which card is drawn at random, each way
that fits being equally likely (all have the same number of ways, so the estimate is unbiased).

What the features are stands in _policy.pxd, what they weigh in policy_weights.py. Two seats only.
"""

from libc.math cimport log
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from bura_core._cards cimport points_of, popcount
from bura_core._policy cimport (
    DOES_ACCEPT, DOES_BEAT, DOES_CLAIM, DOES_DISCARD, DOES_FOLD, DOES_LEAD, DOES_NOT_RAISE,
    DOES_NOT_RAISE_AGAIN, DOES_RAISE, FEATURES, INPUTS, LETS_CLAIM_GO, RAISES_AGAIN, WEIGHTS,
    Sight, action_probability, options_of, random_subset, see, strength_inputs,
)
from bura_core._rules cimport Deal, Position, State, count_of, set_beats
from bura_core._sampler cimport Worlds

cdef enum:
    MAX_TRICKS = 20

cdef inline double of_stakes(double noise) noexcept nogil:
    """The noise in raises and answers to them, which nobody makes at random as he plays cards."""
    return noise * noise * (2 - noise)

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
    int stake                 # in force when he raised, or offered to him
    bint turn_up              # he drew the turned trump after it


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
    cdef double weights[WEIGHTS]
    cdef double noise

    def __init__(self, int seat, uint64_t deck, uint64_t turn_up, tricks, weights, double noise):
        cdef int i = 0
        if len(tricks) > MAX_TRICKS or len(weights) != WEIGHTS:
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
                self.tricks[i].replied, self.tricks[i].talon, self.tricks[i].stake,
                self.tricks[i].turn_up,
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
            s.stake = t.stake
            s.unseen = self.deck & ~(public | hand | discards)
            if t.replied:
                # To a raise of the view's seat, on whose turn it was: to lead, or to answer him.
                s.turn = False
                s.right = False
                s.mine = t.lead if t.leader == other else 0
                product *= self.mixed(d, &s, hand & ~s.mine, t.replied, 0)
            s.turn = True
            s.right = t.claim != 0
            s.mine = 0
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
        cdef double noise = self.noise
        if what >= DOES_RAISE:
            noise = of_stakes(noise)
        return (1 - noise) * p + noise / options_of(d, s, hand, what)


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

    def add(self, Position position, str kind, uint64_t cards, seat=None):
        """Take in that ``seat`` (the one on turn) did this: a kind of `Move`, or ``no claim``,
        ``no raise``, ``again`` (a raise answered by another), ``not again``.
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
        self.deals[n] = d[0]
        self.sights[n] = s
        self.hands[n] = p.hand[who]
        self.chosen[n] = cards
        self.whats[n] = _WHATS[kind] if kind != "play" or s.lead == 0 else DOES_BEAT
        if kind == "play" and s.lead and not set_beats(d, s.lead, cards):
            self.whats[n] = DOES_DISCARD
        self.count = n + 1

    def log_likelihood(self, weights, double noise=0):
        """(sum of the logarithms of the probabilities, its gradient as a list).

        The gradient is by the first `NUMBER_OF_FEATURES` weights; the net that follows is given.
        """
        cdef double w[WEIGHTS]
        cdef double g[FEATURES]
        cdef double total = 0, p
        cdef int i
        memset(g, 0, sizeof(g))
        for i in range(WEIGHTS):
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


def raise_chances(Worlds sample, int seat, int stake, weights, double noise):
    """For each of some worlds, how likely a seat raises a stake there, as a list of numbers.

    Weights and noise are those of `Witness`.
    """
    cdef Deal deal
    cdef State state
    cdef Sight s
    cdef double w[WEIGHTS]
    cdef int i
    cdef double* out = <double*>malloc(max(1, sample.size) * sizeof(double))
    if out == NULL:
        raise MemoryError()
    try:
        for i in range(WEIGHTS):
            w[i] = weights[i]
        noise = of_stakes(noise)
        with nogil:
            for i in range(sample.size):
                sample.fill(i, &deal, &state)
                see(&deal, &state, seat, &s)
                s.stake = stake
                out[i] = noise / 2 + (1 - noise) * action_probability(
                    &deal, &s, state.hand[seat], DOES_RAISE, 0, w, NULL
                )
        return [out[i] for i in range(sample.size)]
    finally:
        free(out)


def strength_inputs_of(Position position, int seat):
    """What the chance of a seat to win is estimated from, as a list of numbers."""
    cdef float x[INPUTS]
    cdef Sight s
    see(&position.deal, position.now(), seat, &s)
    strength_inputs(&position.deal, &s, position.now().hand[seat], x)
    return [x[i] for i in range(INPUTS)]


NUMBER_OF_FEATURES = FEATURES
NUMBER_OF_WEIGHTS = WEIGHTS
