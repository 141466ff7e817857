"""The moves of a state as values, for the searches: what can be done, and doing it."""

from libc.stdint cimport uint64_t

from bura_core._cards cimport popcount
from bura_core._rules cimport (
    MAX_LEADS, PHASE_CLAIM, PHASE_LEAD, PHASE_OVER, Deal, State, generate_leads,
    generate_subsets, holds_back, lead_limit, make_call, make_challenge, make_claim, may_claim,
    pass_claim, play_answer, play_lead, set_beats,
)

cdef enum:
    MAX_MOVES = 256

cdef enum:
    MOVE_PLAY = 0
    MOVE_DISCARD = 1
    MOVE_STOP = 2
    MOVE_CLAIM = 3
    MOVE_PASS = 4
    MOVE_CHALLENGE = 5

ctypedef struct RootMove:
    uint64_t cards
    int what                  # one of the MOVE_ constants
    int seat                  # who makes it
    int lower                 # its value, for the seat that makes it
    int upper

cdef inline int root_moves(
    const Deal* d, const State* p, bint claims, RootMove* out,
) noexcept nogil:
    """The moves of the seat on turn, in the order of `Position.legal_moves`."""
    cdef uint64_t sets[MAX_LEADS]
    cdef uint64_t best
    cdef int n, i, count = 0
    if p.phase == PHASE_OVER:
        return 0
    if claims and may_claim(d, p):
        out[count].what = MOVE_CLAIM
        out[count].cards = 0
        count += 1
    if p.phase == PHASE_CLAIM:
        out[count].what = MOVE_PASS
        out[count].cards = 0
        count += 1
    elif p.phase == PHASE_LEAD:
        n = generate_leads(d, p.hand[p.turn], lead_limit(d, p, p.turn), sets)
        for i in range(n):
            out[count].what = MOVE_PLAY
            out[count].cards = sets[i]
            count += 1
    else:
        best = p.table[p.best]
        n = generate_subsets(p.hand[p.turn], popcount(best), sets)
        for i in range(n):
            if holds_back(p, sets[i]):
                continue
            if d.shown or set_beats(d, best, sets[i]):
                out[count].what = MOVE_PLAY
                out[count].cards = sets[i]
                count += 1
        if not d.shown:
            for i in range(n):
                if holds_back(p, sets[i]):
                    continue
                out[count].what = MOVE_DISCARD
                out[count].cards = sets[i]
                count += 1
    for i in range(count):
        out[i].seat = p.turn
    return count

cdef inline void make(const Deal* d, State* p, const RootMove* move) noexcept nogil:
    if move.what == MOVE_CLAIM:
        make_claim(d, p)
    elif move.what == MOVE_PASS:
        pass_claim(d, p)
    elif move.what == MOVE_STOP:
        make_call(d, p, move.seat, move.cards)
    elif move.what == MOVE_CHALLENGE:
        make_challenge(d, p, move.seat)
    elif p.phase == PHASE_LEAD:
        play_lead(d, p, move.cards)
    else:
        play_answer(d, p, move.cards, move.what == MOVE_DISCARD)
