"""`SeatSolver`: values of hands beyond two single players' usual game, for `Solver`."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from bura_core._moves cimport RootMove
from bura_core._rules cimport Deal, Position, State
from bura_core._sampler cimport Worlds

ctypedef struct SeatSearch:
    const Deal* deal
    uint64_t* words           # the table
    uint64_t buckets          # of it, a power of two
    uint64_t mask             # of the part of the table in use
    uint64_t stamp            # this search's generation, where the table's entries keep it
    uint64_t rest[37]         # cards of the talon from this one on
    int friends               # the seats whose side asks, as bits
    int asked                 # the seat that asks; of two sides always seat 0
    bint sides                # two sides play: two players, or pairs
    bint points               # the points objective
    const int8_t* pays        # what ends of a hand count (`score_table`), or NULL
    bint pays_by_points       # and whether the piles matter for it
    int highest               # the value of a hand is at most this (but for points)
    bint seen                 # nobody claims on cards he has not seen
    bint sum_known            # `total` is what all counts will be in the end
    bint need                 # the final points of the friends decide
    bint threshold            # of two sides, and more points never hurt
    bint sum_alone            # and no hand can win by what it holds
    bint exact                # the key is more than the hands
    uint8_t trumps_to_draw[37]  # the most that one seat can draw from here on
    bint draws                # a hand can end without a winner
    bint merge                # equal worthless cards stand for each other
    int total                 # all counts and all cards still to be won
    int goal[2]               # the friends' final points wanted, by what is asked (need only)
    int margin                # points where the sum is not known: the difference wanted
    int open_hands            # seats whose hands everybody sees, as bits
    int horizon               # beyond so many cards drawn the search guesses
    bint guessed              # it did
    int64_t nodes
    int64_t node_limit
    int64_t work              # states looked at, tricks under way too
    int64_t check_at          # the next `work` at which limits are looked at
    double deadline           # seconds of the monotonic clock, or 0
    int stopped               # why the search gave up, or 0
    const int* stop_flag

cdef enum:  # tricks that tests may force, as in _solver.pxd
    SEAT_THRESHOLDS = 1
    SEAT_FIXED_TOTAL = 2
    SEAT_NO_DRAWS = 4
    SEAT_MERGE = 8
    SEAT_SUM_ALONE = 128

cdef enum:
    MOST_LINE = 64

ctypedef struct SeatJob:
    # A position and what was found out about it.
    State root
    int lower
    int upper
    int moves
    int calls
    int line
    RootMove move[256]
    int move_alone[256][2]    # bounds of what a move brings where everybody plays for himself
    RootMove call[64]
    int other_lower[64]       # what a call is worth to the seat on turn
    int other_upper[64]
    RootMove lines[64]
    int sure_lower[6]         # for single players: what each is sure of,
    int sure_upper[6]
    int alone_lower[6]        # and gets where everybody plays for himself
    int alone_upper[6]
    int64_t nodes
    double seconds
    int stopped

cdef class SeatSolver:
    cdef uint64_t* words
    cdef uint64_t buckets
    cdef uint64_t generation
    cdef int on                   # tricks that tests force, set by `Solver`
    cdef int off
    cdef bint uses(self, int trick, bint right) noexcept nogil
    cdef SeatSearch search
    cdef Deal deal            # of the position in hand; for points without combinations
    cdef SeatJob* job
    cdef const int8_t* pays       # for the score objective while it is asked for, else NULL
    cdef bint pays_by_points
    cdef int highest
    cdef uint64_t memory(self) noexcept
    cdef void clear(self) noexcept
    cdef void prepare(
        self, const Deal* deal, State* root, bint points, bint seen, int open_hands,
    ) noexcept nogil
    cdef void ask_for(self, const State* root, int seat) noexcept nogil
    cdef void run(self, SeatJob* job, bint moves, bint line) noexcept nogil
    cdef object solve(
        self, Position position, object objective, bint moves, bint line, bint seen,
        int64_t node_limit, double time_limit, const int* stop_flag,
    )
    cdef void without_claims(self, State* p) noexcept nogil
    cdef void value_move(
        self, const State* root, const RootMove* move, int seat, int* lower, int* upper,
    ) noexcept nogil
    cdef void run_singles(self, SeatJob* job, bint moves) noexcept nogil
    cdef bint rest_holds(
        self, const State* p, int v, const uint64_t* sets, const uint8_t* seats, int n, int first,
    ) noexcept nogil
    cdef void find_line(self, SeatJob* job) noexcept nogil
    cdef void find_line_alone(self, SeatJob* job) noexcept nogil
    cdef object judge(
        self, Worlds worlds, int first, int last, int64_t node_limit, int horizon,
        double time_limit, const int* stop_flag, object asked,
    )
    cdef void advise_move(self, const State* p, RootMove* move, int seat) noexcept nogil
