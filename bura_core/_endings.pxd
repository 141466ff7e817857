"""Endings of at most three cards a hand with the talon out, by number.

An ending is its two hands, the leader's first. The trump suit keeps its place, the three side
suits are sorted (all four where there are no trumps), so that endings which differ only by
the names of suits share a number. A suit's part is one of the ways in which a and b of its
nine ranks are in the two hands: `class` (a, b) and `pattern` within it, cards of no points
told apart by their order only; the number is the place of the four classes plus the patterns
in mixed radix.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from bura_core._cards cimport popcount
from bura_core._rules cimport Deal

cdef enum:
    ENDING_CARDS = 3
    CLASSES = 16

ctypedef struct Numbering:
    uint16_t ternary[512]         # bits of a suit as digits of base three
    uint16_t part[19683]          # class << 11 | pattern, by ternary code
    uint16_t patterns[CLASSES]    # how many patterns a class has
    uint32_t place[4 * 4096]      # by cards and the classes of three suits
    uint32_t count                # of all endings

cdef inline uint32_t part_of(
    const Numbering* n, uint64_t own, uint64_t opp, int suit,
) noexcept nogil:
    return n.part[n.ternary[own >> 9 * suit & 511] + 2 * n.ternary[opp >> 9 * suit & 511]]

cdef inline void order_parts(uint32_t* low, uint32_t* high) noexcept nogil:
    if low[0] > high[0]:
        low[0], high[0] = high[0], low[0]

cdef inline uint32_t number_of(
    const Numbering* n, int trump, uint64_t own, uint64_t opp,
) noexcept nogil:
    """The number of an ending of one to three cards each."""
    cdef int first = trump if trump >= 0 else 0
    cdef uint32_t t = part_of(n, own, opp, first)
    cdef uint32_t x = part_of(n, own, opp, first + 1 & 3)
    cdef uint32_t y = part_of(n, own, opp, first + 2 & 3)
    cdef uint32_t z = part_of(n, own, opp, first + 3 & 3)
    order_parts(&x, &y)
    order_parts(&y, &z)
    order_parts(&x, &y)
    if trump < 0 and t > x:
        # Without trumps the four suits are alike: the lowest part takes the first place.
        order_parts(&t, &x)
        order_parts(&x, &y)
        order_parts(&y, &z)
    return (
        n.place[popcount(own) << 12 | t >> 11 << 8 | x >> 11 << 4 | y >> 11]
        + (((t & 2047) * n.patterns[x >> 11] + (x & 2047)) * n.patterns[y >> 11] + (y & 2047))
        * n.patterns[z >> 11] + (z & 2047)
    )

cdef enum:
    NEVER_REACHED = 255       # a threshold that no count reaches
    UNKNOWN = 0               # values are stored one higher

cdef enum:
    KIND_POINTS = 0           # what the leader is sure of, in points from here
    KIND_RACE = 1             # the least count with which the leader wins

ctypedef struct EndingTable:
    const Numbering* numbering
    uint8_t* values           # value + 1 by number, or UNKNOWN; written by any thread
    int cards                 # endings of up to so many cards are in it, 0: none
    int kind
    int target                # of a race
    int total                 # of a race: both counts and the cards still in the hands

cdef int ending_value(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp,
) noexcept nogil

cdef inline int look_up(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp,
) noexcept nogil:
    """The value of an ending of one to `e.cards` cards, found out if it is not known yet."""
    cdef uint8_t value = e.values[number_of(e.numbering, d.trump, own, opp)]
    if value != UNKNOWN:
        return value - 1
    return ending_value(e, d, own, opp)

cdef class Endings:
    cdef EndingTable table
    cdef object mapped            # keeps a file's memory alive
    cdef readonly object key      # what the values depend on
    cdef readonly bint complete

cdef Endings endings_of(const Deal* d, int kind, int total)
