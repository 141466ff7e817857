"""Worlds: complete deals consistent with a `View`, enumerated or drawn without replacement.

Every world has a number. The unseen cards fill the unknown places in a fixed order (hands,
face-down cards of the piles and of the running trick, talon), as combinations in the
combinatorial number system and the talon's order in the factorial one, so number -> world is a
bijection: each card is placed exactly once, and no world comes twice. Few worlds are
enumerated; of many, sample i is world P(i) for a pseudo-random permutation P of the numbers, a
Feistel network with cycle walking (Black and Rogaway, "Ciphers with arbitrary finite domains",
2002) keyed by the seed. So a sample needs no memory of those before, and is the same for any
number of threads.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from bura_core._cards cimport deposit, lowest, points_of, popcount
from bura_core._rules cimport (
    NOBODY, PHASE_ANSWER, PHASE_CLAIM, STOP_BEFORE_LEAD, WINDOW_BEFORE_DRAW, Deal, Position,
    State, begin_trick, can_beat, fill_deal, in_play, look_for_sight, next_subset, set_beats,
    settle_left,
)

from fractions import Fraction

from bura_core.errors import Fault, InputError, UnsupportedError
from bura_core.view import View

cdef enum:
    ROUNDS = 8
    MOST_SAMPLES = 10_000_000

cdef extern from *:
    """
    static unsigned long long BURA_BINOMIAL[37][37];
    static void bura_fill_binomials(void) {
        for (int n = 0; n <= 36; n++)
            for (int k = 0; k <= 36; k++)
                BURA_BINOMIAL[n][k] = k == 0 ? 1 : n == 0 ? 0 :
                    BURA_BINOMIAL[n - 1][k - 1] + BURA_BINOMIAL[n - 1][k];
    }
    """
    uint64_t BINOMIAL "BURA_BINOMIAL"[37][37]
    void fill_binomials "bura_fill_binomials"() noexcept nogil

fill_binomials()

cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """SplitMix64's finalizer (Steele, Lea and Flood, 2014)."""
    x += <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ x >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t>0x94D049BB133111EB
    return x ^ x >> 31

cdef inline uint64_t take_combination(uint64_t pool, int size, uint64_t rank) noexcept nogil:
    """The combination number `rank` of `size` cards from a pool."""
    cdef uint64_t pattern = 0
    cdef int n = popcount(pool) - 1
    while size > 0:
        # In the combinatorial number system the highest place n has C(n, size) <= rank.
        while BINOMIAL[n][size] > rank:
            n -= 1
        rank -= BINOMIAL[n][size]
        pattern |= <uint64_t>1 << n
        n -= 1
        size -= 1
    return deposit(pattern, pool)


cdef class Worlds:
    """Complete deals that look alike to the player of a `View`; a sequence of `Position`.

    ``total`` is how many there are in all (an exact int). All are here, in a fixed order, if
    there are at most ``limit`` (``exhaustive``); otherwise ``limit`` different ones, drawn
    uniformly with ``seed``. Made by `worlds`.
    """

    def __init__(self, view, limit, seed):
        cdef int i, n
        cdef uint64_t key
        if not isinstance(view, View):
            raise TypeError("view must be a View")
        text = view.text
        faults = []
        if type(limit) is not int or not 1 <= limit <= MOST_SAMPLES:
            faults.append(Fault("limit", str(limit), "not a number of worlds",
                                f"use 1 to {MOST_SAMPLES}"))
        if type(seed) is not int or not 0 <= seed < 1 << 64:
            faults.append(Fault("seed", str(seed), "not a seed", "use 0 to 2**64 - 1"))
        if faults:
            raise InputError(faults)
        if text.offer is not None:
            raise UnsupportedError("an open offer to raise is not advised on: answer it first")
        self.view = view
        self.total = view.world_count
        if self.total >= 1 << 128:
            raise UnsupportedError("more than 2**128 worlds: they cannot be numbered")
        self.exhaustive = self.total <= limit
        self.walked = not self.exhaustive
        self.size = self.total if self.exhaustive else limit
        self.unseen = view.unseen
        hands, piles, talon = view.places
        for i in range(text.rules.players):
            self.hand_places[i] = hands[i]
            self.pile_places[i] = piles[i]
            self.table_places[i] = view.table_places[i]
        self.talon_places = talon
        n = 0
        for i, card in enumerate(text.talon):
            if card is None:
                self.talon_holes[n] = i
                n += 1
        self.count = <uint64_t>(self.total & 0xFFFFFFFFFFFFFFFF)
        self.count |= <uint128><uint64_t>(self.total >> 64) << 64
        self.half_bits = max(1, ((self.total - 1).bit_length() + 1) // 2)
        key = seed
        for i in range(ROUNDS):
            key = mix(key)
            self.keys[i] = key
        fill_template(view, &self.deal, &self.state)

    def __dealloc__(self):
        free(self.order)

    def chosen(self, indices):
        """Some of these worlds, as a sample of its own: those with these indices, in this order.

        An index may come more than once, as where worlds are drawn by their weights. Raises
        IndexError for one that is not there, InputError for none at all.
        """
        cdef Worlds some
        cdef int i, n = len(indices)
        if not n:
            raise InputError(Fault("indices", "none", "no worlds", "choose one at least"))
        some = Worlds(self.view, self.total if self.exhaustive else 1, 0)
        some.keys = self.keys
        some.order = <int*>malloc(n * sizeof(int))
        if some.order == NULL:
            raise MemoryError()
        for i, index in enumerate(indices):
            if not 0 <= index < self.size:
                raise IndexError(index)
            some.order[i] = index if self.order == NULL else self.order[<int>index]
        some.exhaustive = False
        some.walked = self.walked
        some.size = n
        return some

    cdef uint128 pick(self, int index) noexcept nogil:
        """The number of the world that stands at `index`."""
        cdef uint128 value = <uint128><uint64_t>index
        cdef uint64_t left, right, half_mask = ~<uint64_t>0 >> (64 - self.half_bits)
        cdef uint64_t swap
        cdef int i
        if self.order != NULL:
            value = <uint128><uint64_t>self.order[index]
        if not self.walked:
            return value
        while True:
            left = <uint64_t>(value >> self.half_bits) & half_mask
            right = <uint64_t>value & half_mask
            for i in range(ROUNDS):
                swap = right
                right = left ^ (mix(right ^ self.keys[i]) & half_mask)
                left = swap
            value = <uint128>left << self.half_bits | right
            if value < self.count:
                return value

    cdef void fill(self, int index, Deal* deal, State* state) noexcept nogil:
        """Complete the view's deal and state with the cards of the world at `index`."""
        cdef uint128 number = self.pick(index)
        cdef uint64_t pool = self.unseen, cards, ways, bits
        cdef uint8_t order[36]
        cdef int seat, i, j, n
        deal[0] = self.deal
        state[0] = self.state
        for seat in range(deal.seats):
            ways = BINOMIAL[popcount(pool)][self.hand_places[seat]]
            cards = take_combination(pool, self.hand_places[seat], <uint64_t>(number % ways))
            number = number / ways
            pool ^= cards
            state.hand[seat] |= cards
        for seat in range(deal.seats):
            ways = BINOMIAL[popcount(pool)][self.pile_places[seat]]
            cards = take_combination(pool, self.pile_places[seat], <uint64_t>(number % ways))
            number = number / ways
            pool ^= cards
            state.closed_pile[seat] |= cards
            state.points[seat] += points_of(cards)
            if deal.seats == 2:
                state.down[1 - seat] |= cards
        for seat in range(deal.seats):
            ways = BINOMIAL[popcount(pool)][self.table_places[seat]]
            cards = take_combination(pool, self.table_places[seat], <uint64_t>(number % ways))
            number = number / ways
            pool ^= cards
            state.table[seat] |= cards
            state.table_closed |= cards
            state.down[seat] |= cards
        n = self.talon_places
        i = 0
        bits = pool
        while bits:
            order[i] = lowest(bits)
            bits &= bits - 1
            i += 1
        for i in range(n):
            j = i + <int>(number % <uint64_t>(n - i))
            number = number / <uint64_t>(n - i)
            order[i], order[j] = order[j], order[i]
            deal.talon[self.talon_holes[i]] = order[i]
        if state.phase == PHASE_ANSWER:
            if deal.sight:
                look_for_sight(deal, state)
        elif in_play(deal, state) < 2:
            settle_left(deal, state)
        elif state.phase != PHASE_CLAIM:
            begin_trick(deal, state)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        cdef Position position = Position.__new__(Position)
        cdef int i
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.size))]
        if not -self.size <= index < self.size:
            raise IndexError(index)
        i = index + self.size if index < 0 else index
        position.rules = self.view.rules
        position.score = self.view.text.score
        position.count = 1
        position.bare_piles = self.view.text.piles[0].points is not None
        self.fill(i, &position.deal, position.states)
        return position

    def __iter__(self):
        for i in range(self.size):
            yield self[i]


cdef int fill_template(object view, Deal* deal, State* s) except -1:
    """The deal and state of a view with the unknown cards missing, before any trick begins."""
    cdef int seat, by, waiting = 0
    cdef uint64_t bit
    text = view.text
    fill_deal(
        deal, text.rules, text.trump, [card or 0 for card in text.talon], text.handicap
    )
    memset(s, 0, sizeof(State))
    s.claimant = NOBODY if text.claim is None else text.claim
    s.winner = NOBODY
    s.loser = NOBODY
    s.stake = text.stake
    s.raiser = NOBODY if text.raiser is None else text.raiser
    s.turn = s.leader = text.turn
    for seat in range(deal.seats):
        for card in text.hands[seat]:
            if card is not None:
                s.hand[seat] |= <uint64_t>1 << <int>card
        pile = text.piles[seat]
        s.points[seat] = pile.points or 0
        for item in pile.items:
            if item.card is None:
                continue
            bit = <uint64_t>1 << <int>item.card
            if not item.closed:
                s.open_pile[seat] |= bit
                continue
            s.closed_pile[seat] |= bit
            if item.by is not None:
                by = item.by
                s.down[by] |= bit
            elif deal.seats == 2:
                s.down[1 - seat] |= bit
        if pile.items:
            s.points[seat] = points_of(s.open_pile[seat] | s.closed_pile[seat])
        s.tricks[seat] = 1 if pile.items or pile.points else 0
    for seat in text.left:
        s.reached[s.n_reached] = seat
        s.n_reached += 1
    for seat in text.out:
        s.out |= 1 << seat
    s.aside = not deal.draw_out and text.talon_aside
    s.stopped = NOBODY
    if text.table:
        s.called = (
            len(text.table) > 1 or text.stopped is not None
            or deal.stop_window == STOP_BEFORE_LEAD
        )
        s.stopped = NOBODY if text.stopped is None else text.stopped
        for card in text.held:
            s.held |= <uint64_t>1 << <int>card
        s.phase = PHASE_ANSWER
        s.leader = s.best = text.table[0].seat
        for play in text.table:
            seat = play.seat
            for card in play.cards:
                s.table[seat] |= <uint64_t>1 << <int>card
            if play.closed:
                s.table_closed |= s.table[seat]
                s.down[seat] |= s.table[seat]
            elif seat != s.leader and set_beats(deal, s.table[s.best], s.table[seat]):
                s.best = seat
        laid = [play.seat for play in text.table]
        for seat in range(deal.seats):
            waiting += seat not in laid and len(text.hands[seat]) > 0
        s.waiting = waiting
    elif deal.window == WINDOW_BEFORE_DRAW and s.claimant != NOBODY:
        s.phase = PHASE_CLAIM
        s.best = s.turn if text.led is None else text.led
    elif s.claimant != NOBODY and not text.hands[s.turn]:
        # Nothing is left to lead: all he says is whether he claims.
        s.phase = PHASE_CLAIM
        s.best = s.turn
    return 0


def worlds(view, limit=1000, seed=0):
    """The worlds of a view: all of them if at most ``limit``, else ``limit`` samples.

    ``limit`` is 1 to 10 million, ``seed`` 0 to 2**64 - 1. Samples are uniform, all different,
    and the same for the same view, limit and seed. Raises InputError for arguments out of range.
    """
    return Worlds(view, limit, seed)


def beat_odds(view, cards, seat=None):
    """The exact chance that another hand can beat a lead of ``cards`` (a mask).

    ``seat`` is whose hand; with two players it may be left out. Over all hands that it may
    hold, equally likely, before any assumption about its play; a `Fraction`. Raises InputError
    if the cards are not in the view's hand, or there is no such other seat.
    """
    cdef Worlds all_worlds = Worlds(view, 1, 0)
    cdef int other, places, size
    cdef uint64_t lead = cards, known, pattern, end, unseen
    cdef uint64_t hits = 0, ways = 0
    players = view.rules.players
    if seat is None and players == 2:
        seat = 1 - view.seat
    if type(seat) is not int or not 0 <= seat < players or seat == view.seat:
        raise InputError(Fault(
            "seat", str(seat), "not the seat of another player",
            "use " + " or ".join([str(i) for i in range(players) if i != view.seat]),
        ))
    other = seat
    if not lead or lead & ~<uint64_t>view.hand:
        raise InputError(Fault("cards", hex(cards), "not in the hand of the view's seat",
                               "name cards of that hand"))
    known = all_worlds.state.hand[other]
    places = all_worlds.hand_places[other]
    unseen = all_worlds.unseen
    size = popcount(lead)
    if popcount(known) + places < size:
        raise InputError(Fault("cards", hex(cards), "more cards than the other hand holds",
                               "lead fewer"))
    with nogil:
        pattern = (<uint64_t>1 << places) - 1
        end = <uint64_t>1 << popcount(unseen)
        while pattern < end:
            ways += 1
            hits += can_beat(&all_worlds.deal, lead, known | deposit(pattern, unseen))
            if not pattern:
                break
            pattern = next_subset(pattern)
    return Fraction(hits, ways)
