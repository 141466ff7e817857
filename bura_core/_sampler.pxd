"""`Worlds`: complete deals that look alike to one player, by number."""

from libc.stdint cimport uint8_t, uint64_t

from bura_core._rules cimport Deal, State

cdef extern from *:
    ctypedef unsigned long long uint128 "unsigned __int128"

cdef class Worlds:
    cdef readonly object view
    cdef readonly object total
    cdef readonly bint exhaustive
    cdef int size
    cdef Deal deal                # the view's deal, unknown cards left out
    cdef State state
    cdef uint64_t unseen
    cdef int hand_places[6]       # unknown cards of each hand, of each pile, of the talon
    cdef int pile_places[6]
    cdef int table_places[6]      # of the running trick, by seat
    cdef int talon_places
    cdef uint8_t talon_holes[36]  # where in the talon they are
    cdef uint128 count
    cdef uint64_t keys[8]         # of the permutation that draws without replacement
    cdef int half_bits
    cdef bint walked              # a sample: numbers go through the permutation
    cdef int* order               # which samples are taken, one after the other; NULL: all
    cdef void fill(self, int index, Deal* deal, State* state) noexcept nogil
    cdef uint128 pick(self, int index) noexcept nogil

cdef int fill_template(object view, Deal* deal, State* s) except -1
