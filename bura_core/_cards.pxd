"""Card sets as 36-bit masks, with the bit helpers everything else is built on.

A card is an index 0..35 = suit * 9 + rank. Suits are s h d c (0..3), ranks from low to
high 6 7 8 9 J Q K T A (0..8): the ten beats the king (RULES §1). A set of cards is a
``uint64_t`` whose bit i stands for card i.
"""

from libc.stdint cimport uint8_t, uint64_t

cdef extern from *:
    """
    #if defined(__BMI2__)
    #include <immintrin.h>
    static inline unsigned long long bura_deposit(unsigned long long pattern,
                                                  unsigned long long set) {
        return _pdep_u64(pattern, set);
    }
    static inline unsigned long long bura_extract(unsigned long long cards,
                                                  unsigned long long set) {
        return _pext_u64(cards, set);
    }
    #else
    static inline unsigned long long bura_deposit(unsigned long long pattern,
                                                  unsigned long long set) {
        unsigned long long out = 0;
        for (; set; set &= set - 1, pattern >>= 1)
            if (pattern & 1) out |= set & (0 - set);
        return out;
    }
    static inline unsigned long long bura_extract(unsigned long long cards,
                                                  unsigned long long set) {
        unsigned long long out = 0, bit = 1;
        for (; set; set &= set - 1, bit <<= 1)
            if (cards & set & (0 - set)) out |= bit;
        return out;
    }
    #endif
    #define BURA_UNLIKELY(x) __builtin_expect(!!(x), 0)
    static const unsigned char BURA_CARD_POINTS[36] = {
        0, 0, 0, 0, 2, 3, 4, 10, 11, 0, 0, 0, 0, 2, 3, 4, 10, 11,
        0, 0, 0, 0, 2, 3, 4, 10, 11, 0, 0, 0, 0, 2, 3, 4, 10, 11};
    /* Of the 64 subsets of six things, those that lack thing i. */
    static const unsigned long long BURA_SUBSETS_WITHOUT[6] = {
        0x5555555555555555ULL, 0x3333333333333333ULL, 0x0F0F0F0F0F0F0F0FULL,
        0x00FF00FF00FF00FFULL, 0x0000FFFF0000FFFFULL, 0x00000000FFFFFFFFULL};
    """
    int popcount "__builtin_popcountll"(unsigned long long) noexcept nogil
    int lowest "__builtin_ctzll"(unsigned long long) noexcept nogil
    int leading_zeros "__builtin_clzll"(unsigned long long) noexcept nogil
    uint64_t deposit "bura_deposit"(uint64_t pattern, uint64_t cards) noexcept nogil
    uint64_t extract "bura_extract"(uint64_t cards, uint64_t hand) noexcept nogil
    bint unlikely "BURA_UNLIKELY"(bint) noexcept nogil
    const uint8_t CARD_POINTS "BURA_CARD_POINTS"[36]
    const uint64_t SUBSETS_WITHOUT "BURA_SUBSETS_WITHOUT"[6]

cdef enum:
    SUITS = 4
    RANKS = 9
    DECK_CARDS = 36
    DECK_POINTS = 120

cdef inline uint64_t suit_mask(int suit) noexcept nogil:
    return (<uint64_t>0x1FF) << (9 * suit)

cdef inline uint64_t rank_mask(int rank) noexcept nogil:
    # One bit in each of the four suits.
    return (<uint64_t>0x8040201) << rank

cdef inline uint64_t lower_ones(uint64_t cards) noexcept nogil:
    """All cards that are lower than one of these in its suit."""
    cdef uint64_t lower = cards >> 1 & ~rank_mask(8)
    lower |= lower >> 1 & ~rank_mask(8)
    lower |= lower >> 2 & ~(rank_mask(8) | rank_mask(7))
    return lower | lower >> 4 & ~(rank_mask(8) | rank_mask(7) | rank_mask(6) | rank_mask(5))

cdef inline uint64_t higher_ones(uint64_t cards) noexcept nogil:
    """All cards that are higher than one of these in its suit."""
    cdef uint64_t all_cards = (<uint64_t>1 << DECK_CARDS) - 1
    cdef uint64_t higher = cards << 1 & all_cards & ~rank_mask(0)
    higher |= higher << 1 & all_cards & ~rank_mask(0)
    higher |= higher << 2 & all_cards & ~(rank_mask(0) | rank_mask(1))
    return higher | higher << 4 & all_cards & ~worthless()

cdef inline int highest(uint64_t cards) noexcept nogil:
    return 63 - leading_zeros(cards)

cdef inline uint64_t worthless() noexcept nogil:
    """The cards of no points: 6 to 9."""
    return rank_mask(0) | rank_mask(1) | rank_mask(2) | rank_mask(3)

cdef inline int points_of(uint64_t cards) noexcept nogil:
    """Points of a set: 11 10 4 3 2, summed as binary digits (8 4 2 1) by four counts."""
    cdef uint64_t aces = rank_mask(8), tens = rank_mask(7), kings = rank_mask(6)
    cdef uint64_t queens = rank_mask(5), jacks = rank_mask(4)
    return (
        8 * popcount(cards & (aces | tens))
        + 4 * popcount(cards & kings)
        + 2 * popcount(cards & (aces | tens | queens | jacks))
        + popcount(cards & (aces | queens))
    )

cdef inline uint64_t repeats(uint64_t hand, uint64_t others) noexcept nogil:
    """Cards of a hand that are worth no more than the next lower one it holds.

    Both are worth no points and nobody else can ever hold a card between them: whatever is
    won with one is won with the other. (Where the rank itself counts, as in leads of one
    rank, this does not hold and is not used.)
    """
    cdef uint64_t left = hand & worthless(), found = 0, low, upper
    others |= ~worthless()
    while left & (left - 1):
        low = left & (0 - left)
        left ^= low
        upper = left & (0 - left)
        if not (upper - 1) & ~(low | (low - 1)) & others:
            found |= upper
    return found

cdef inline bint is_repeat(uint64_t cards, uint64_t hand, uint64_t repeated) noexcept nogil:
    """Does the set hold a card and not its equal just below, which stands for it?"""
    cdef uint64_t places = extract(cards, hand)
    return places & extract(repeated, hand) & ~(places << 1) != 0

cdef inline uint64_t first_equal(
    uint64_t cards, uint64_t hand, uint64_t repeated,
) noexcept nogil:
    """The set that stands for this one: each card that may be is the equal one below it."""
    cdef uint64_t places = extract(cards, hand), equal = extract(repeated, hand), wrong
    while True:
        wrong = places & equal & ~(places << 1)
        if not wrong:
            return deposit(places, hand)
        wrong &= 0 - wrong
        places ^= wrong | wrong >> 1

cdef inline int least(uint64_t cards, int size) noexcept nogil:
    """The fewest points that `size` of these cards can be worth."""
    cdef int rank, n, total = 0
    size -= popcount(cards & worthless())
    for rank in range(4, 9):
        if size <= 0:
            break
        n = min(size, popcount(cards & rank_mask(rank)))
        total += n * CARD_POINTS[rank]
        size -= n
    return total

cdef inline int most(uint64_t cards, int size) noexcept nogil:
    """The most points that `size` of these cards can be worth."""
    cdef int rank, n, total = 0
    for rank in range(8, 3, -1):
        n = min(size, popcount(cards & rank_mask(rank)))
        total += n * CARD_POINTS[rank]
        size -= n
    return total
