"""The rules as code: one deal, its state, legal plays, transitions, settling.

Everything here is inline C on plain structs, without checks, allocation or exceptions;
`Position` in _rules.pyx checks and raises. The solver, the sampler and the play-outs use
these same functions, so a rule stands in one place. Structs hold two to six seats and
pairs (seat % 2 is the side), and the stake of a raise, for every table of RULES.md.
"""

from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint64_t

from bura_core._cards cimport (
    SUBSETS_WITHOUT, SUITS, deposit, lowest, points_of, popcount, rank_mask, suit_mask,
)

cdef enum:
    MAX_SEATS = 6
    MAX_HAND = 6
    MAX_LEADS = 192
    MAX_REPLIES = 24
    MAX_CALLS = 64
    NOBODY = -1
    NO_CEILING = 255
    LADDER_TOP = 6     # shashi (RULES §6)
    DAVE_TOP = 1024    # ten doublings; the sources name no limit, a table needs one

cdef enum:  # Phase
    PHASE_LEAD = 0     # `turn` leads (or claims, where it has the right)
    PHASE_ANSWER = 1   # `turn` answers the cards on the table
    PHASE_CLAIM = 2    # `turn` has won a trick and only says claim or pass
    PHASE_RAISED = 3   # `turn` answers an offer to raise the stake
    PHASE_OVER = 4

cdef enum:  # Reason
    REASON_NONE = 0
    REASON_CLAIM = 1
    REASON_FALSE_CLAIM = 2
    REASON_BURA = 3
    REASON_ACES = 4
    REASON_POINTS = 5
    REASON_DRAW = 6
    REASON_NO_WINNER = 7
    REASON_VOID = 8
    REASON_FOLD = 9
    REASON_CHALLENGE = 10
    REASON_FALSE_CHALLENGE = 11
    REASON_FOUL = 12

cdef enum:  # Window
    WINDOW_BEFORE_DRAW = 0
    WINDOW_UNTIL_LEAD = 1
    WINDOW_OWN_TURN = 2
    WINDOW_END_OF_DECK = 3

cdef enum:  # Unclaimed
    UNCLAIMED_MOST_POINTS = 0
    UNCLAIMED_NO_WINNER = 1
    UNCLAIMED_THRESHOLD = 2

cdef enum:  # Combination
    BURA = 0
    FOUR_ACES = 1
    THREE_ACES = 2
    LITTLE_MOSKVA = 3
    MOLODKA = 4
    COMBINATIONS = 5

cdef enum:  # StopWindow: when an out-of-turn lead may be called
    STOP_BEFORE_LEAD = 0
    STOP_LEAD_RETURNED = 1   # after the lead, which goes back to the hand
    STOP_LEAD_STAYS = 2      # after the lead, which must be part of the answer

cdef enum:         # what a combination is good for
    USE_NONE = 0
    USE_LEAD = 1       # an out-of-turn lead
    USE_WIN = 2        # wins as soon as it is held
    USE_WIN_LED = 3    # wins when its holder leads it

cdef enum:  # Raises
    RAISES_NONE = 0
    RAISES_DAVE = 1    # doubles, each time
    RAISES_LADDER = 2  # one step at a time up to LADDER_TOP

cdef enum:  # TwoBuras
    TWO_BURAS_HIGHER = 0
    TWO_BURAS_PLAYED_OUT = 1
    TWO_BURAS_VOID = 2

ctypedef struct Deal:
    # What does not change while a hand is played.
    uint8_t seats
    uint8_t pairs
    uint8_t hand_size
    uint8_t size[6]           # what each seat's hand is filled to
    uint8_t stop_window
    uint8_t leaving           # who reaches the target leaves, the rest play on
    uint8_t challenge         # a closed trick may be challenged
    uint8_t foul_pot          # a foul matches the pot: nobody wins
    uint8_t target
    uint8_t ceiling
    uint8_t shown
    uint8_t window
    uint8_t unclaimed
    uint8_t two_buras
    uint8_t raises
    uint8_t aces_trump
    uint8_t aces_play_off     # three aces against a bura are played out
    uint8_t little_rank       # rank of little Moskva's three cards
    uint8_t little_trump      # one of them must be trump (the sixes)
    uint8_t one_or_three      # leads of one or three cards only
    uint8_t rank_leads
    uint8_t refill_leader
    uint8_t draw_out
    uint8_t plain_leads       # nothing but one suit can be led
    uint8_t sight             # some combination wins on sight
    uint8_t callable          # some combination leads out of turn
    uint8_t use[5]
    uint8_t order[5]          # precedence: higher is stronger, 0 is off
    int8_t trump              # suit, or -1
    uint64_t trumps           # the trump suit's cards, or none
    uint64_t immune           # plain cards that trumps cannot beat
    int16_t handicap[6]       # points added to a seat's count
    int talon_size
    uint8_t talon[36]         # in drawing order

ctypedef struct State:
    uint64_t hand[6]
    uint64_t open_pile[6]     # cards of a pile that everybody has seen
    uint64_t closed_pile[6]   # cards of a pile that only their discarders have seen
    uint64_t table[6]         # cards of the running trick, by who played them
    uint64_t table_closed     # those of them that lie face down
    uint64_t down[6]          # what each seat has discarded face down in this hand
    uint64_t last_trick       # the trick just taken, while it may be challenged
    uint64_t held             # a lead called off that must be part of its leader's answer
    int16_t points[6]         # what the piles are worth, without handicap
    uint8_t tricks[6]
    uint8_t leader
    uint8_t turn
    uint8_t best              # who has beaten last (or led)
    uint8_t waiting           # seats that still have to answer
    uint8_t phase
    uint8_t at                # cards drawn from the talon
    uint8_t called            # the lead of this trick has been settled: no more calls
    int8_t claimant           # who has just won a trick and may claim
    int8_t winner
    uint8_t reason
    uint16_t stake            # hands at stake
    int8_t raiser             # who raised last; never twice in a row
    uint16_t offer            # the stake offered and not yet answered, or 0
    uint8_t resume            # the phase an accepted offer goes back to
    uint8_t interrupted       # the seat whose turn the first offer interrupted
    int8_t stopped            # whose lead in this trick was called off
    int8_t loser              # who alone loses a hand that nobody else wins
    uint8_t out               # seats that are out of the hand, as bits
    uint8_t reached[6]        # those that left with the target, in this order
    uint8_t n_reached
    uint8_t aside             # the talon could not serve everybody: nobody draws any more

# ---------------------------------------------------------------- beating (RULES §2.3)

cdef inline bint beats_suit(
    const Deal* d, int suit, uint64_t winning, uint64_t reply,
) noexcept nogil:
    """Does `reply` beat `winning`, equally many cards all of `suit`?

    The cards that can beat x form a chain, so sorting is enough: m answers in suit are
    best laid on the m lowest cards, trumps on the rest.
    """
    cdef uint64_t in_suit = reply & suit_mask(suit), rest = reply ^ in_suit
    if rest and (suit == d.trump or rest & ~d.trumps or winning & d.immune):
        return False
    while in_suit:
        if lowest(in_suit) <= lowest(winning):
            return False
        in_suit &= in_suit - 1
        winning &= winning - 1
    return True

cdef inline uint64_t beaters(const Deal* d, int card) noexcept nogil:
    """All cards of the deck that beat this one."""
    cdef uint64_t suit = suit_mask(card // 9), bit = <uint64_t>1 << card
    cdef uint64_t higher = suit & ~(bit | (bit - 1))
    if bit & (d.trumps | d.immune):
        return higher
    return higher | d.trumps

cdef inline bint beats_any(const Deal* d, uint64_t winning, uint64_t reply) noexcept nogil:
    """The same for any set of at most six cards: is there a perfect matching?

    Bit u of `reached` says that the cards matched so far can be covered by just the
    answers in the subset u; each winning card adds one answer to every subset.
    """
    cdef uint64_t reached = 1, extended, able, rest
    cdef int i
    while winning:
        able = beaters(d, lowest(winning)) & reply
        winning &= winning - 1
        extended = 0
        rest = reply
        i = 0
        while rest:
            if able & rest & (0 - rest):
                extended |= (reached & SUBSETS_WITHOUT[i]) << (1 << i)
            rest &= rest - 1
            i += 1
        reached = extended
    return reached != 0

cdef inline bint set_beats(const Deal* d, uint64_t winning, uint64_t reply) noexcept nogil:
    cdef int suit = lowest(winning) // 9
    if winning & ~suit_mask(suit):
        return beats_any(d, winning, reply)
    return beats_suit(d, suit, winning, reply)

cdef inline bint can_beat(const Deal* d, uint64_t winning, uint64_t hand) noexcept nogil:
    """Does a hand hold some set that beats these cards?"""
    cdef int suit = lowest(winning) // 9, left = popcount(winning)
    cdef uint64_t in_suit, trumps = 0
    if winning & ~suit_mask(suit):
        return beats_any(d, winning, hand)
    in_suit = hand & suit_mask(suit)
    if suit != d.trump and not winning & d.immune:
        trumps = hand & d.trumps
    # Greedily lay the lowest answers on the lowest cards, trumps on the rest.
    while winning and in_suit:
        if lowest(in_suit) > lowest(winning):
            winning &= winning - 1
            left -= 1
        in_suit &= in_suit - 1
    return left <= popcount(trumps)

# ---------------------------------------------------------------- combinations (RULES §5)

cdef inline bint is_bura(const Deal* d, uint64_t hand) noexcept nogil:
    return not hand & ~d.trumps and popcount(hand) == d.hand_size

cdef inline bint is_whole(
    const Deal* d, int seat, uint64_t hand, int combination,
) noexcept nogil:
    """Is the hand a bura or molodka of this seat? Seats may hold differently many cards."""
    cdef int suit
    if popcount(hand) != d.size[seat]:
        return False
    if combination == BURA:
        return not hand & ~d.trumps
    suit = lowest(hand) // 9
    return suit != d.trump and not hand & ~suit_mask(suit)

cdef inline bint seat_holds(
    const Deal* d, int seat, uint64_t hand, int combination,
) noexcept nogil:
    if combination == BURA or combination == MOLODKA:
        return is_whole(d, seat, hand, combination)
    return holds(d, hand, combination)

cdef inline int seat_order(const Deal* d, int seat, uint64_t hand) noexcept nogil:
    """Precedence of the strongest combination of a seat; 0 for none."""
    cdef int combination, best = 0
    for combination in range(COMBINATIONS):
        if d.order[combination] > best and seat_holds(d, seat, hand, combination):
            best = d.order[combination]
    return best

cdef inline bint is_molodka(const Deal* d, uint64_t hand) noexcept nogil:
    cdef int suit
    if popcount(hand) != d.hand_size:
        return False
    suit = lowest(hand) // 9
    return suit != d.trump and not hand & ~suit_mask(suit)

cdef inline bint holds(const Deal* d, uint64_t hand, int combination) noexcept nogil:
    cdef uint64_t aces = hand & rank_mask(8), little
    if combination == BURA:
        return is_bura(d, hand)
    if combination == MOLODKA:
        return is_molodka(d, hand)
    if combination == FOUR_ACES:
        return popcount(aces) == 4
    if combination == THREE_ACES:
        return popcount(aces) >= 3 and (not d.aces_trump or aces & d.trumps)
    little = hand & rank_mask(d.little_rank)
    return popcount(little) >= 3 and (not d.little_trump or little & d.trumps)

cdef inline int best_order(const Deal* d, uint64_t hand) noexcept nogil:
    """Precedence of the strongest combination in a hand; 0 for none."""
    cdef int combination, best = 0
    for combination in range(COMBINATIONS):
        if d.order[combination] > best and holds(d, hand, combination):
            best = d.order[combination]
    return best

cdef inline int add_combination_sets(
    const Deal* d, uint64_t hand, int combination, int limit, uint64_t* out, int n,
) noexcept nogil:
    """Append the sets that show this combination, at most `limit` cards each."""
    cdef uint64_t pool, pattern, cards
    cdef int size
    if not holds(d, hand, combination):
        return n
    if combination == BURA or combination == MOLODKA:
        if popcount(hand) <= limit:
            out[n] = hand
            n += 1
        return n
    if combination == FOUR_ACES:
        if limit >= 4:
            out[n] = hand & rank_mask(8)
            n += 1
        return n
    if limit < 3:
        return n
    pool = hand & (rank_mask(8) if combination == THREE_ACES else rank_mask(d.little_rank))
    size = popcount(pool)
    for pattern in range(1 << size):
        if popcount(pattern) == 3:
            cards = deposit(pattern, pool)
            if holds(d, cards, combination):
                out[n] = cards
                n += 1
    return n

# ---------------------------------------------------------------- legal plays (RULES §2)

cdef inline int lead_limit(const Deal* d, const State* s, int seat) noexcept nogil:
    """How many cards a seat may lead: no more than every other seat in play holds."""
    cdef int other, size, limit = popcount(s.hand[seat])
    for other in range(d.seats):
        size = popcount(s.hand[other])
        if other != seat and size and size < limit:
            limit = size
    return limit

cdef inline int generate_leads(
    const Deal* d, uint64_t hand, int limit, uint64_t* out,
) noexcept nogil:
    """All legal leads from a hand, at most MAX_LEADS; returns how many."""
    cdef int suit, rank, combination, i, size, n = 0, first
    cdef uint64_t cards, lead
    for suit in range(SUITS):
        cards = hand & suit_mask(suit)
        lead = cards
        while lead:
            size = popcount(lead)
            if size <= limit and not (d.one_or_three and size != 1 and size != 3):
                out[n] = lead
                n += 1
            lead = (lead - 1) & cards
    if d.plain_leads:
        return n
    first = n
    if d.rank_leads:
        for rank in range(9):
            cards = hand & rank_mask(rank)
            lead = cards
            while lead:
                size = popcount(lead)
                if size <= limit and (size == 3 or (size == 2 and not d.one_or_three)):
                    out[n] = lead
                    n += 1
                lead = (lead - 1) & cards
    for combination in range(FOUR_ACES, MOLODKA):
        if d.use[combination] != USE_NONE:
            i = n
            n = add_combination_sets(d, hand, combination, limit, out, n)
            while i < n:
                # A set that is a lead of one rank already stands in the list.
                if _stands(out, first, i, out[i]):
                    n -= 1
                    out[i] = out[n]
                else:
                    i += 1
    return n

cdef inline bint _stands(const uint64_t* out, int first, int end, uint64_t cards) noexcept nogil:
    cdef int i
    for i in range(first, end):
        if out[i] == cards:
            return True
    return False

cdef inline uint64_t next_subset(uint64_t pattern) noexcept nogil:
    """The next higher number with as many bits (Gosper's hack); the bits must not be none."""
    cdef uint64_t low = pattern & (0 - pattern), ripple = pattern + low
    return ripple | (pattern ^ ripple) >> 2 + lowest(low)

cdef inline int generate_subsets(uint64_t hand, int size, uint64_t* out) noexcept nogil:
    """All subsets of `size` cards, one at least; returns how many."""
    cdef uint64_t pattern = (<uint64_t>1 << size) - 1, end = <uint64_t>1 << popcount(hand)
    cdef int n = 0
    while pattern < end:
        out[n] = deposit(pattern, hand)
        n += 1
        pattern = next_subset(pattern)
    return n

# ---------------------------------------------------------------- settling (RULES §3, §4)

cdef inline int count_of(const Deal* d, const State* s, int seat) noexcept nogil:
    """What a seat counts when it claims: its pile (its pair's piles) and handicap."""
    cdef int other, total = 0
    if not d.pairs:
        return s.points[seat] + d.handicap[seat]
    for other in range(seat & 1, d.seats, 2):
        total += s.points[other] + d.handicap[other]
    return total

cdef inline bint good_claim(const Deal* d, int count) noexcept nogil:
    return d.target <= count <= d.ceiling

cdef inline void finish(State* s, int winner, int reason) noexcept nogil:
    s.phase = PHASE_OVER
    s.winner = winner
    s.reason = reason
    s.claimant = NOBODY

cdef inline int unclaimed_winner(const Deal* d, int first, int second) noexcept nogil:
    """Which of two counts wins a hand that nobody claimed: 0, 1 or NOBODY."""
    if d.unclaimed == UNCLAIMED_NO_WINNER:
        return NOBODY
    if d.unclaimed == UNCLAIMED_MOST_POINTS:
        return 0 if first > second else 1 if second > first else NOBODY
    if first >= d.target and second < d.target:
        return 0
    if second >= d.target and first < d.target:
        return 1
    return NOBODY

cdef inline int in_play(const Deal* d, const State* s) noexcept nogil:
    """How many seats are still in the hand."""
    return d.seats - popcount(s.out)

cdef inline void settle_unclaimed(const Deal* d, State* s) noexcept nogil:
    cdef int seat, count, winner = NOBODY, top = -1000, tied = False, good = 0
    if s.n_reached:
        # Who left with the target had claimed it; the first to do so is named the winner.
        finish(s, s.reached[0], REASON_CLAIM)
        return
    if d.seats == 2 or d.pairs:
        winner = unclaimed_winner(d, count_of(d, s, 0), count_of(d, s, 1))
    elif d.unclaimed != UNCLAIMED_NO_WINNER:
        for seat in range(d.seats):
            if s.out >> seat & 1:
                continue
            count = count_of(d, s, seat)
            good += count >= d.target
            if count > top:
                top, winner, tied = count, seat, False
            elif count == top:
                tied = True
        if d.unclaimed == UNCLAIMED_THRESHOLD:
            tied = good != 1
        if tied:
            winner = NOBODY
    if winner != NOBODY:
        finish(s, winner, REASON_POINTS)
    elif d.unclaimed == UNCLAIMED_NO_WINNER:
        finish(s, NOBODY, REASON_NO_WINNER)
    else:
        finish(s, NOBODY, REASON_DRAW)

# ---------------------------------------------------------------- on sight (RULES §5)

cdef inline int sight_order(const Deal* d, uint64_t hand) noexcept nogil:
    """Precedence of the strongest combination that wins as soon as it is held."""
    cdef int combination, best = 0
    for combination in range(LITTLE_MOSKVA):
        if (
            d.use[combination] == USE_WIN and d.order[combination] > best
            and holds(d, hand, combination)
        ):
            best = d.order[combination]
    return best

cdef inline int seat_sight(const Deal* d, int seat, uint64_t hand) noexcept nogil:
    """The same for a seat, whose whole hand may be of another size."""
    cdef int combination, best = 0
    for combination in range(LITTLE_MOSKVA):
        if (
            d.use[combination] == USE_WIN and d.order[combination] > best
            and seat_holds(d, seat, hand, combination)
        ):
            best = d.order[combination]
    return best

cdef inline bint outranks_bura(const Deal* d, uint64_t hand, uint64_t other) noexcept nogil:
    """Is one bura higher than another, compared from the highest trump down (S0b)?

    Both are equally many cards of one suit, so the larger mask has the higher card first.
    """
    return hand > other

cdef inline bint in_sight(const Deal* d, const State* s) noexcept nogil:
    cdef int seat
    for seat in range(d.seats):
        if not s.table[seat] and seat_sight(d, seat, s.hand[seat]):
            return True
    return False

cdef inline bint look_for_sight(const Deal* d, State* s) noexcept nogil:
    """End the hand where a seat that has not played in this trick shows a combination.

    Two at once: the stronger one by precedence; equals (two buras, or where the rule set
    says so three aces against a bura) are played out from the seat on turn, compared, or
    void the hand.
    """
    cdef int i, seat, order, top = 0, found = NOBODY, rivals = 0, reason
    cdef uint64_t cards = 0, best_cards = 0
    for i in range(d.seats):
        seat = (s.turn + i) % d.seats
        if s.table[seat]:
            continue
        order = seat_sight(d, seat, s.hand[seat])
        if order > top:
            top, found = order, seat
    if found == NOBODY:
        return False
    reason = REASON_BURA if top == d.order[BURA] else REASON_ACES
    found = NOBODY
    for i in range(d.seats):
        seat = (s.turn + i) % d.seats
        if s.table[seat]:
            continue
        if seat_sight(d, seat, s.hand[seat]) == top:
            cards = s.hand[seat] if reason == REASON_BURA else s.hand[seat] & rank_mask(8)
        elif (
            reason == REASON_BURA and d.aces_play_off and d.size[seat] == 3
            and d.use[THREE_ACES] != USE_NONE and holds(d, s.hand[seat], THREE_ACES)
        ):
            cards = s.hand[seat] & rank_mask(8)
        else:
            continue
        rivals += 1
        if found == NOBODY:
            found, best_cards = seat, cards
        elif d.two_buras == TWO_BURAS_HIGHER and not d.aces_play_off:
            if outranks_bura(d, cards, best_cards):
                found, best_cards = seat, cards
        elif popcount(cards) == popcount(best_cards) and set_beats(d, best_cards, cards):
            found, best_cards = seat, cards
    reason = REASON_BURA if not best_cards & ~d.trumps else REASON_ACES
    if rivals > 1 and d.two_buras == TWO_BURAS_VOID and not d.aces_play_off:
        finish(s, NOBODY, REASON_VOID)
    else:
        finish(s, found, reason)
    return True

# ---------------------------------------------------------------- drawing (RULES §2.5)

cdef inline int refill(const Deal* d, State* s, int first) noexcept nogil:
    """Draw one card at a time from `first` on, clockwise; returns how much is drawn then.

    Where the talon cannot give every seat that lacks one another card, nobody draws any
    more and the rest stays where it is, set aside, unless it is drawn out to the last.
    """
    cdef int i, seat, lacking, at = s.at
    while at < d.talon_size and not s.aside:
        lacking = 0
        for i in range(d.seats):
            lacking += popcount(s.hand[i]) < d.size[i] and not s.out >> i & 1
        if not lacking:
            return at
        if lacking > d.talon_size - at and not d.draw_out:
            s.aside = True
            return at
        for i in range(d.seats):
            seat = (first + i) % d.seats
            if (
                popcount(s.hand[seat]) < d.size[seat] and not s.out >> seat & 1
                and at < d.talon_size
            ):
                s.hand[seat] |= <uint64_t>1 << d.talon[at]
                at += 1
    return at

cdef inline int refill_pair(
    const Deal* d, uint64_t* winner, uint64_t* loser, bint winner_led, int missing, int at,
) noexcept nogil:
    """`refill` for two seats that lack the same number of cards, after a trick.

    The same rule with the counting left out, for the solver's inner loop; a test holds the
    two together.
    """
    cdef uint64_t* first = winner
    cdef uint64_t* second = loser
    if d.refill_leader and not winner_led:
        first, second = loser, winner
    while missing and at < d.talon_size:
        first[0] |= <uint64_t>1 << d.talon[at]
        second[0] |= <uint64_t>1 << d.talon[at + 1]
        at += 2
        missing -= 1
    return at

# ---------------------------------------------------------------- transitions

cdef inline bint nothing_left(const Deal* d, const State* s) noexcept nogil:
    cdef int seat
    for seat in range(d.seats):
        if s.hand[seat]:
            return False
    return True

cdef inline bint may_claim(const Deal* d, const State* s) noexcept nogil:
    """May the seat on turn claim now?"""
    if s.phase == PHASE_CLAIM:
        return True
    if d.window == WINDOW_OWN_TURN:
        if s.phase == PHASE_OVER:
            return False
        # Partners count together, so a trick of either gives the right to both.
        return s.tricks[s.turn] > 0 or (d.pairs and s.tricks[s.turn ^ 2] > 0)
    return s.phase == PHASE_LEAD and s.claimant == s.turn

cdef inline void begin_trick(const Deal* d, State* s) noexcept nogil:
    """Hands are full: `leader` leads, unless a hand is shown or nothing is left."""
    s.turn = s.leader
    s.called = False
    s.stopped = NOBODY
    s.held = 0
    s.phase = PHASE_LEAD
    if d.sight:
        if s.claimant == s.turn and in_sight(d, s):
            # Whoever has just won a trick may claim before a hand drawn after it is shown.
            s.phase = PHASE_CLAIM
            return
        if look_for_sight(d, s):
            return
    while not s.hand[s.turn]:
        if s.claimant == s.turn:
            s.phase = PHASE_CLAIM
            return
        if nothing_left(d, s):
            settle_unclaimed(d, s)
            return
        # An uneven end (three seats and more): the next seat that holds cards leads.
        s.turn = (s.turn + 1) % d.seats
        s.leader = s.turn

cdef inline bint hands_full(const Deal* d, const State* s) noexcept nogil:
    cdef int seat
    for seat in range(d.seats):
        if popcount(s.hand[seat]) < d.size[seat] and not s.out >> seat & 1:
            return False
    return True

cdef inline void draw(const Deal* d, State* s, int first) noexcept nogil:
    s.at = refill(d, s, first)
    if d.window == WINDOW_END_OF_DECK and s.at < d.talon_size and hands_full(d, s):
        s.claimant = NOBODY
    begin_trick(d, s)

cdef inline void end_trick(const Deal* d, State* s) noexcept nogil:
    """The last seat has answered: the best set takes the trick."""
    cdef int seat, winner = s.best, first = s.leader
    cdef uint64_t cards = 0
    for seat in range(d.seats):
        cards |= s.table[seat]
        s.table[seat] = 0
    s.open_pile[winner] |= cards & ~s.table_closed
    s.closed_pile[winner] |= cards & s.table_closed
    if d.challenge:
        s.last_trick = cards if s.table_closed else 0
    s.table_closed = 0
    s.points[winner] += points_of(cards)
    s.tricks[winner] += 1
    s.leader = winner
    s.claimant = winner
    if not d.refill_leader:
        first = winner
    if d.window == WINDOW_BEFORE_DRAW:
        s.turn = winner
        s.phase = PHASE_CLAIM
        # The drawing order is needed after the claim: the old leader, or the winner.
        s.best = first
        return
    draw(d, s, first)

cdef inline void play_lead(const Deal* d, State* s, uint64_t cards) noexcept nogil:
    """The seat on turn leads `cards`."""
    cdef int seat = s.turn, other
    s.last_trick = 0
    if d.use[BURA] == USE_WIN_LED and cards == s.hand[seat] and is_whole(d, seat, cards, BURA):
        s.hand[seat] ^= cards
        s.table[seat] = cards
        s.turn = (seat + 1) % d.seats
        finish(s, seat, REASON_BURA)
        return
    s.claimant = NOBODY
    # Where a call comes after the lead, it may come now, but never against a call.
    s.called = d.stop_window == STOP_BEFORE_LEAD or s.stopped != NOBODY
    s.hand[seat] ^= cards
    s.table[seat] = cards
    s.leader = seat
    s.best = seat
    s.waiting = 0
    for other in range(d.seats):
        s.waiting += other != seat and s.hand[other] != 0
    s.phase = PHASE_ANSWER
    if s.waiting:
        next_to_answer(d, s)
    else:
        # An uneven end: nobody else holds a card, and the trick is the leader's.
        end_trick(d, s)

cdef inline void next_to_answer(const Deal* d, State* s) noexcept nogil:
    while True:
        s.turn = (s.turn + 1) % d.seats
        if s.hand[s.turn] and not s.table[s.turn]:
            return

cdef inline void play_answer(const Deal* d, State* s, uint64_t cards, bint closed) noexcept nogil:
    """The seat on turn answers; an open set that beats becomes the best one."""
    cdef int seat = s.turn
    s.called = True
    if closed:
        s.table_closed |= cards
        s.down[seat] |= cards
    elif set_beats(d, s.table[s.best], cards):
        s.best = seat
    if seat == s.stopped:
        s.held = 0
    s.hand[seat] ^= cards
    s.table[seat] = cards
    s.waiting -= 1
    if s.waiting:
        next_to_answer(d, s)
    else:
        end_trick(d, s)

cdef inline bint holds_back(const State* s, uint64_t cards) noexcept nogil:
    """Does an answer leave out cards of a lead called off that must be part of it?"""
    if not s.held or s.turn != s.stopped:
        return False
    if popcount(s.held) <= popcount(cards):
        return s.held & ~cards != 0
    return cards & ~s.held != 0

cdef inline void make_call(const Deal* d, State* s, int seat, uint64_t cards) noexcept nogil:
    """`seat` leads `cards` out of turn; a lead already laid is taken back."""
    cdef int leader = s.leader
    if s.phase == PHASE_ANSWER:
        s.stopped = leader
        s.held = s.table[leader] if d.stop_window == STOP_LEAD_STAYS else 0
        s.hand[leader] |= s.table[leader]
        s.table[leader] = 0
    s.turn = seat
    play_lead(d, s, cards)

cdef inline void settle_left(const Deal* d, State* s) noexcept nogil:
    """One seat at most is still in the hand: it is over."""
    cdef int seat
    if not s.n_reached:
        for seat in range(d.seats):
            if not s.out >> seat & 1:
                finish(s, seat, REASON_FALSE_CLAIM)
                return
    settle_unclaimed(d, s)

cdef inline void leave(const Deal* d, State* s) noexcept nogil:
    """The seat on turn is out of the hand; its cards go to its pile, and the rest play on."""
    cdef int seat = s.turn, first = s.best
    cdef bint undrawn = s.phase == PHASE_CLAIM and d.window == WINDOW_BEFORE_DRAW
    s.out |= 1 << seat
    s.open_pile[seat] |= s.hand[seat]
    s.points[seat] += points_of(s.hand[seat])
    s.last_trick = 0
    s.claimant = NOBODY
    if s.phase == PHASE_ANSWER:
        s.called = True
        if seat == s.stopped:
            s.held = 0
        s.waiting -= s.hand[seat] != 0
        s.hand[seat] = 0
        if in_play(d, s) < 2:
            settle_left(d, s)
        elif s.waiting:
            next_to_answer(d, s)
        else:
            end_trick(d, s)
        return
    s.hand[seat] = 0
    if in_play(d, s) < 2:
        settle_left(d, s)
    elif undrawn:
        draw(d, s, first)
    else:
        begin_trick(d, s)

cdef inline int other_side(const Deal* d, int seat) noexcept nogil:
    """A seat of the one other side, or NOBODY where there are several."""
    return (seat + 1) % 2 if d.seats == 2 or d.pairs else NOBODY

cdef inline void lose_hand(const Deal* d, State* s, int seat, int reason) noexcept nogil:
    """`seat` loses the hand: the other side wins it, or nobody where there are several."""
    if d.seats > 2 and not d.pairs:
        s.loser = seat
    finish(s, other_side(d, seat), reason)

cdef inline void settle_claim(const Deal* d, State* s, bint good) noexcept nogil:
    """The pile of the seat on turn has been counted: it holds the target, or not."""
    if d.leaving:
        if good:
            s.reached[s.n_reached] = s.turn
            s.n_reached += 1
        leave(d, s)
    elif good:
        finish(s, s.turn, REASON_CLAIM)
    else:
        lose_hand(d, s, s.turn, REASON_FALSE_CLAIM)

cdef inline void make_claim(const Deal* d, State* s) noexcept nogil:
    """The seat on turn has its pile counted."""
    settle_claim(d, s, good_claim(d, count_of(d, s, s.turn)))

cdef inline void pass_claim(const Deal* d, State* s) noexcept nogil:
    """The seat on turn lets its right to claim go."""
    s.claimant = NOBODY
    draw(d, s, s.best)

cdef inline bint may_challenge(const Deal* d, const State* s, int seat) noexcept nogil:
    """May `seat` say that the trick just lost, in which it discarded face down, holds a bura?"""
    return (
        d.challenge and (s.phase == PHASE_LEAD or s.phase == PHASE_CLAIM)
        and s.last_trick & s.down[seat] != 0 and not s.out >> seat & 1
    )

cdef inline void settle_challenge(const Deal* d, State* s, int seat, bint good) noexcept nogil:
    """The trick that `seat` challenged has been turned up: it holds a bura, or not."""
    if good:
        finish(s, seat, REASON_CHALLENGE)
    else:
        lose_hand(d, s, seat, REASON_FALSE_CHALLENGE)

cdef inline void make_challenge(const Deal* d, State* s, int seat) noexcept nogil:
    settle_challenge(d, s, seat, popcount(s.last_trick & d.trumps) >= d.size[seat])

cdef inline void make_foul(const Deal* d, State* s, int seat) noexcept nogil:
    """The table reports a foul of `seat` (RULES §7): it loses the hand or matches the pot."""
    if d.foul_pot:
        s.loser = seat
        finish(s, NOBODY, REASON_FOUL)
    else:
        lose_hand(d, s, seat, REASON_FOUL)

cdef inline int generate_calls(
    const Deal* d, const State* s, int seat, uint64_t* out,
) noexcept nogil:
    """Sets that `seat` may lead out of turn now."""
    cdef int combination, limit, best, other, size, leader, n = 0
    cdef uint64_t whole
    if not d.callable or s.called:
        return 0
    if s.phase != (PHASE_LEAD if d.stop_window == STOP_BEFORE_LEAD else PHASE_ANSWER):
        return 0
    leader = s.leader if s.phase == PHASE_ANSWER else s.turn
    if seat == leader or not s.hand[seat]:
        return 0
    # A lead on the table counts as still in the hand, to which it goes back.
    whole = s.hand[leader]
    if s.phase == PHASE_ANSWER:
        whole |= s.table[leader]
    best = seat_order(d, leader, whole)
    limit = popcount(s.hand[seat])
    for other in range(d.seats):
        size = popcount(whole if other == leader else s.hand[other])
        if other != seat and size and size < limit:
            limit = size
    for combination in range(FOUR_ACES, COMBINATIONS):
        if d.use[combination] != USE_LEAD or d.order[combination] <= best:
            continue
        if combination != MOLODKA:
            n = add_combination_sets(d, s.hand[seat], combination, limit, out, n)
        elif is_whole(d, seat, s.hand[seat], MOLODKA) and popcount(s.hand[seat]) <= limit:
            out[n] = s.hand[seat]
            n += 1
    return n

cdef inline int call_order(const Deal* d, uint64_t cards) noexcept nogil:
    """Precedence of the combination that these cards are called as."""
    cdef int combination, best = 0
    for combination in range(FOUR_ACES, MOLODKA):
        if (
            d.use[combination] == USE_LEAD and d.order[combination] > best
            and holds(d, cards, combination)
        ):
            best = d.order[combination]
    return best or d.order[MOLODKA]

cdef inline int ordered_calls(
    const Deal* d, const State* s, uint64_t* sets, uint8_t* seats,
) noexcept nogil:
    """Every out-of-turn lead that may be called now, at most MAX_CALLS; returns how many.

    With three seats and more those of the highest combination come first, among equals from
    the seat nearest to the leader on: the first who calls has the lead.
    """
    cdef uint64_t found[MAX_LEADS]
    cdef int orders[MAX_CALLS]
    cdef int first = s.leader if s.phase == PHASE_ANSWER else s.turn
    cdef int n = 0, i, j, k, more, seat, order
    for k in range(1, d.seats):
        seat = (first + k) % d.seats
        more = generate_calls(d, s, seat, found)
        for i in range(more):
            order = call_order(d, found[i]) if d.seats > 2 else 0
            j = n
            while j > 0 and orders[j - 1] < order:
                orders[j], sets[j], seats[j] = orders[j - 1], sets[j - 1], seats[j - 1]
                j -= 1
            orders[j], sets[j], seats[j] = order, found[i], <uint8_t>seat
            n += 1
    return n

cdef inline bint beyond_two(const Deal* d) noexcept nogil:
    """Does a deal go beyond two single players' usual game (`not_for_two` in words)?"""
    return (
        d.seats != 2 or d.size[0] != d.size[1] or d.stop_window != STOP_BEFORE_LEAD
        or d.challenge
    )

cdef inline bint has_lost(const Deal* d, const State* s, int seat) noexcept nogil:
    """Of several single players: does `seat` lose this finished hand by name?

    The offender alone after a false claim, a false challenge or a foul. Where players leave with
    the target, who is out without it, and all others too if somebody has won.
    """
    if s.loser != NOBODY:
        return seat == s.loser
    return d.leaving and s.out and seat != s.winner and not has_reached(s, seat) and (
        s.winner != NOBODY or s.out >> seat & 1
    )

cdef inline bint has_reached(const State* s, int seat) noexcept nogil:
    """Has `seat` left the hand with the target?"""
    cdef int i
    for i in range(s.n_reached):
        if s.reached[i] == seat:
            return True
    return False

cdef inline int outcome_of(const Deal* d, const State* s, int seat) noexcept nogil:
    """What a finished hand is to a seat: 1 won, -1 lost, 0 neither."""
    if d.seats == 2 or d.pairs:
        return 0 if s.winner == NOBODY else 1 if (s.winner ^ seat) & 1 == 0 else -1
    if has_reached(s, seat):
        return 1
    if has_lost(d, s, seat):
        return -1
    return 0 if s.winner == NOBODY else 1 if s.winner == seat else -1

# ---------------------------------------------------------------- raises (RULES §6)

cdef inline int next_stake(const Deal* d, int stake) noexcept nogil:
    """The stake that the next raise offers, or 0 where it can go no higher."""
    if d.raises == RAISES_DAVE:
        return stake * 2 if stake * 2 <= DAVE_TOP else 0
    if d.raises == RAISES_LADDER:
        return stake + 1 if stake < LADDER_TOP else 0
    return 0

cdef inline bint same_side(const Deal* d, int seat, int other) noexcept nogil:
    return seat == other or (d.pairs and (seat ^ other) & 1 == 0)

cdef inline bint may_raise(const Deal* d, const State* s) noexcept nogil:
    """May the seat on turn raise (before it plays, or in answer to a raise)?"""
    if d.seats != 2 and not d.pairs:
        return False
    if s.phase == PHASE_RAISED:
        # dave is answered by playing on or giving up; only the ladder is raised again.
        return d.raises == RAISES_LADDER and next_stake(d, s.offer) != 0
    if s.phase != PHASE_LEAD and s.phase != PHASE_ANSWER:
        return False
    if s.raiser != NOBODY and same_side(d, s.raiser, s.turn):
        return False
    return next_stake(d, s.stake) != 0

cdef inline void make_raise(const Deal* d, State* s) noexcept nogil:
    if s.phase == PHASE_RAISED:
        s.stake = s.offer         # raising again takes the offer before
    else:
        s.resume = s.phase
        s.interrupted = s.turn
    s.offer = next_stake(d, s.stake)
    s.raiser = s.turn
    s.turn = (s.turn + 1) % d.seats
    s.phase = PHASE_RAISED

cdef inline void accept_raise(State* s) noexcept nogil:
    """The offer stands, and play goes on where the first raise interrupted it."""
    s.stake = s.offer
    s.offer = 0
    s.turn = s.interrupted
    s.phase = s.resume

cdef inline void fold_raise(State* s) noexcept nogil:
    """The hand is given up at the stake before the offer."""
    s.offer = 0
    finish(s, s.raiser, REASON_FOLD)

cdef inline void without_combinations(Deal* d) noexcept nogil:
    """Nothing but the cards counts: the `points` objective plays a hand out like this."""
    cdef int i
    d.target = d.ceiling = NO_CEILING - 1       # more than a deck's points: nobody claims
    d.sight = d.callable = d.challenge = False
    d.plain_leads = not d.rank_leads
    for i in range(COMBINATIONS):
        d.use[i] = USE_NONE
        d.order[i] = 0
    for i in range(MAX_SEATS):
        d.handicap[i] = 0

# ---------------------------------------------------------------- shared with the other modules

cdef int fill_deal(Deal* deal, object rules, object trump, object talon, object handicap) except -1
cdef tuple cards_of(uint64_t cards)

cdef class Position:
    cdef Deal deal
    cdef State* states            # the states since the position was made, the last one now
    cdef int count
    cdef int capacity
    cdef bint bare_piles          # piles were given as points: their cards are not told
    cdef readonly object rules
    cdef readonly object score
    cdef State* now(self) noexcept
    cdef State* push(self) except NULL
    cdef int open_offer(self, object offer) except -1
