"""The search's own structs, and `Solver`, `Stop` for the other compiled modules."""

from libc.stdint cimport int64_t, uint64_t

from bura_core._endings cimport EndingTable
from bura_core._moves cimport MAX_MOVES, RootMove
from bura_core._rules cimport Deal, State
from bura_core._seats cimport SeatSolver
from bura_core._table cimport Table

ctypedef struct Order:
    # How promising cards are, for the order of moves. Of leads: that cannot be beaten, and can.
    int first[2][4]           # by suit
    int left[2][4]            # of each card of the suit that stays in the hand
    int lead[2][36]
    int only_trumps           # more for a lead that only trumps beat
    int refuted               # for one that an answer ends the hand with
    int swing                 # a point that the winner of the trick draws more
    int drawn[36]             # what a card drawn counts for that
    int beat[36]
    int discard[36]

ctypedef struct Search:
    const Deal* deal
    Table* table
    uint64_t mask             # of the part of the table in use
    uint64_t rest[37]         # cards of the talon from this one on
    uint64_t turns[39]        # the same, every other card: what one seat draws
    uint64_t under_trumps     # plain cards that any trump beats
    int goal[2]               # what the leader has to reach, by kind (fixed totals only)
    bint fixed_total          # reaching the target shuts the other out: only the sum matters
    bint draws                # a hand can end without a winner
    bint flip                 # the kind of question changes with the leader
    bint objective_points
    bint merge                # equal worthless cards stand for each other
    bint by_needs             # asked by needs and margins, not by counts
    bint suits_only           # leads are any cards of one suit, and nothing else
    bint keep_high            # of two cards of a suit the lower one is given away first
    bint runs                 # who cannot be beaten leads on undisturbed
    bint sum_alone            # hands never win by what they hold (for tests only)
    bint aces_win             # aces may win the hand as long as there are cards
    int shift[2]              # target - goal
    const uint64_t* beaters   # the cards that beat each card
    const Order* order
    bint seen_claims          # nobody claims on cards he has not seen
    int total                 # both counts and all cards still to be won
    bint monotone             # more points never hurt
    int horizon               # beyond so many cards drawn the search guesses
    bint guessed              # it did
    int slack                 # for how many points more the last answer holds, too
    uint64_t tag
    int64_t nodes
    int64_t node_limit
    int64_t check_at          # the next node count at which limits are looked at
    double deadline           # seconds of the monotonic clock, or 0
    int stopped               # why the search gave up, or 0
    const int* stop_flag
    const EndingTable* endings
    int ending_cards          # with up to so many cards and no talon: look it up

cdef enum:  # tricks that tests may force, in the order of `_TRICKS`
    TRICK_THRESHOLDS = 1
    TRICK_FIXED_TOTAL = 2
    TRICK_NO_DRAWS = 4
    TRICK_MERGE = 8
    TRICK_NEEDS = 16
    TRICK_KEEP_HIGH = 32
    TRICK_RUNS = 64
    TRICK_SUM_ALONE = 128

cdef enum:
    MAX_LINE = 64
    BATCH = 32                # positions solved in one stretch without the interpreter lock

ctypedef struct Question:
    # What is asked about a position.
    bint points
    bint moves
    bint line
    bint seen_claims
    int64_t node_limit
    double seconds            # or 0
    const int* stop_flag

ctypedef struct Job:
    # A position and what was found out about it.
    Deal deal
    State root
    const EndingTable* endings
    int ending_cards
    int lower
    int upper
    int moves
    int calls
    int line
    RootMove move[MAX_MOVES]
    RootMove call[MAX_MOVES]
    RootMove lines[MAX_LINE]
    int64_t nodes
    double seconds
    int stopped

cdef class Stop:
    cdef int flag

cdef class Solver:
    cdef Table table
    cdef Search search
    cdef bint use_endings
    cdef object table_mb
    cdef SeatSolver seats     # for what goes beyond two players, once it was needed
    cdef SeatSolver for_seats(self)
    cdef int on                   # tricks to use although they are wrong here, in tests
    cdef int off                  # and those to leave out although they are right
    cdef bint uses(self, int trick, bint right) noexcept nogil
    cdef Job* jobs
    cdef object set_up(self, Job* job, const Question* question, object position)
    cdef void run(self, Job* job, const Question* question) noexcept nogil
    cdef object answer(self, const Job* job, object objective)
    cdef object choose_endings(self)
    cdef object choose_endings_again(self, bint points)
    cdef object rules             # of the last position, which can be solved
    cdef tuple found_for          # the table of endings last chosen (or None), in a tuple
    cdef const EndingTable* found
    cdef int found_cards
    cdef int found_form           # what it was chosen for, within these rules
    cdef Deal deal            # of the position in hand; for points without combinations
    cdef void prepare(
        self, const Deal* deal, const State* p, bint points, bint seen_claims,
    ) noexcept nogil
    cdef void without_claims(self, State* p) noexcept nogil
