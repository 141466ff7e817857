"""Transposition table: what is known of a pair of hands, for every score at once.

The key is the two hands and who leads (the leader's hand is always `own`), within one deal:
the talon's order is fixed and its last drawn card is in a hand, so the hands also fix how far
it is drawn; and the cards played fix the sum of both piles. Where the value rises with one's
own points an entry holds two thresholds: "reaches it from x on" and "does not up to x", so
it serves every score. The hands are stored whole: no entry is ever mistaken for another.

`tag` keeps apart what must not be mixed: the generation (one search; stamped, so nothing is
ever cleared for a new one), the kind of question, and, under rules where the value does not
rise with the points, the points themselves.

A narrow entry is two words: the leader's hand (36 bits) with both thresholds (8 bits each),
the other hand with the tag (28 bits). A wide entry adds the face-down cards in both piles,
for searches in which nobody claims on cards he has not seen. Both kinds may live in one
table: a generation uses one kind only, and the added words have no tag.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    # A search starts in a part of the table that stays in the processor's cache, and moves
    # to a larger part (its entries so far are lost) when it has searched so many nodes.
    FIRST_BUCKETS = 1 << 10
    FIRST_NODES = 1 << 12
    SECOND_BUCKETS = 1 << 14
    SECOND_NODES = 1 << 16
    NEVER = 255               # no x is known from which it is reached
    WORDS = 8                 # of a bucket: one cache line
    # The tag's bits: fixed total, kind, score (8), and from here the generation.
    GENERATION_SHIFT = 10
    GENERATIONS = (1 << 18) - 1

ctypedef struct Table:
    uint64_t* words
    uint64_t buckets          # a power of two
    uint32_t generation

cdef extern from * nogil:
    """
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #define BURA_PREFETCH(p) __builtin_prefetch(p)
    /* Aligned to cache lines, so that a bucket is one, and where there are large pages to
       these: the search reads at random. From calloc, so that pages that no search touches
       cost nothing; the word before tells where the block begins. */
    static unsigned long *bura_allocate(size_t bytes) {
        size_t align = bytes >= (4u << 20) ? (2u << 20) : 64;
        char *block = calloc(bytes + 2 * align, 1), *p;
        if (!block) return NULL;
        p = block + 2 * align - (size_t)block % align;
        if ((size_t)(p - block) > align) p -= align;
        if ((size_t)(p - block) < sizeof(void *)) p += align;
        ((void **)p)[-1] = block;
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (align > 64) madvise(p, bytes, MADV_HUGEPAGE);
    #endif
        return (unsigned long *)p;
    }
    static void bura_free(unsigned long *p) { if (p) free(((void **)p)[-1]); }
    """
    void prefetch "BURA_PREFETCH"(const void*) noexcept
    uint64_t* allocate_words "bura_allocate"(size_t bytes) noexcept
    void free_words "bura_free"(uint64_t* words) noexcept

cdef inline uint64_t* bucket_of(
    const Table* t, uint64_t mask, uint64_t own, uint64_t opp, uint64_t tag, uint64_t closed,
) noexcept nogil:
    cdef uint64_t key = (own ^ closed << 28) * <uint64_t>0x9E3779B97F4A7C15
    # Not the generation: what pushes what out must not depend on earlier searches.
    tag &= (1 << GENERATION_SHIFT) - 1
    key ^= (opp ^ tag << 36) * <uint64_t>0xC2B2AE3D27D4EB4F
    # The upper bits of a product depend on all bits of its factors.
    return &t.words[((key >> 32 ^ key >> 11) & mask) * WORDS]

cdef inline uint64_t mask_for(const Table* t, int64_t nodes) noexcept nogil:
    """Which part of the table a search of so many nodes uses."""
    if nodes < FIRST_NODES:
        return min(<uint64_t>FIRST_BUCKETS, t.buckets) - 1
    if nodes < SECOND_NODES:
        return min(<uint64_t>SECOND_BUCKETS, t.buckets) - 1
    return t.buckets - 1

cdef inline uint64_t* probe(
    uint64_t* bucket, uint64_t own, uint64_t opp, uint64_t tag, bint wide, uint64_t closed,
    uint64_t opp_closed,
) noexcept nogil:
    """The entry of these hands, or NULL."""
    cdef int i = 0
    cdef uint64_t second = opp | tag << 36
    while i < WORDS:
        if bucket[i + 1] == second and (bucket[i] ^ own) << 28 == 0:
            if not wide or (bucket[i + 2] == closed and bucket[i + 3] == opp_closed):
                return &bucket[i]
        i += 4 if wide else 2
    return NULL

cdef inline int reached_from(const uint64_t* entry) noexcept nogil:
    return entry[0] >> 36 & 255

cdef inline int failed_below(const uint64_t* entry) noexcept nogil:
    return entry[0] >> 44 & 255

cdef inline void store(
    uint64_t* bucket, uint64_t own, uint64_t opp, uint64_t tag, int x, bint reached, bint wide,
    uint64_t closed, uint64_t opp_closed,
) noexcept nogil:
    """Remember that `x` was enough, or not; the newest of a bucket stands first.

    Entries of other generations count as empty places, so that a search never depends on
    what the table held before.
    """
    cdef uint64_t* e = probe(bucket, own, opp, tag, wide, closed, opp_closed)
    cdef int win = NEVER, lost = 0, i, stride = 4 if wide else 2
    if e != NULL:
        win, lost = reached_from(e), failed_below(e)
    else:
        i = 0
        while i < WORDS - stride and (bucket[i + 1] ^ tag << 36) >> 36 + GENERATION_SHIFT == 0:
            i += stride
        i += stride - 1
        while i >= stride:
            bucket[i] = bucket[i - stride]
            i -= 1
        e = bucket
    if reached:
        win = min(win, x)
    else:
        lost = max(lost, x + 1)
    e[0] = own | <uint64_t>win << 36 | <uint64_t>lost << 44
    e[1] = opp | tag << 36
    if wide:
        e[2] = closed
        e[3] = opp_closed
