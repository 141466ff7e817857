"""Information-set Monte Carlo tree search, a player to measure the advice against.

Single-observer ISMCTS (Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search",
IEEE TCIAIG 4(2), 2012): one tree for the player who asks; each iteration draws a world, goes down
the moves that are legal in it by UCB1, where a move counts as tried as often as it was there to be
chosen, adds one node, plays the hand out at random and carries the outcome up. Claims are moves of
the tree; in the random part whoever has the target claims. Two seats only.
"""

from libc.math cimport log, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from bura_core._cards cimport popcount
from bura_core._rules cimport (
    MAX_LEADS, MAX_REPLIES, NOBODY, PHASE_CLAIM, PHASE_LEAD, PHASE_OVER, Deal, State, count_of,
    generate_leads, generate_subsets, good_claim, lead_limit, make_claim, may_claim, pass_claim,
    play_answer, play_lead, set_beats,
)
from bura_core._sampler cimport Worlds

from bura_core.errors import Fault, InputError
from bura_core.notation import Move

cdef extern from *:
    """
    #include <time.h>
    static double bura_ismcts_seconds(void) {
        struct timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
    """
    double clock_seconds "bura_ismcts_seconds"() noexcept nogil

cdef enum:
    # What a move is, above its cards.
    PLAY = 0
    FACE_DOWN = 1
    CLAIM = 2
    PASS = 3
    KIND_SHIFT = 40
    MOST_MOVES = MAX_LEADS + 2 * MAX_REPLIES + 2
    MOST_DEPTH = 128

ctypedef struct Node:
    uint64_t move
    double total              # outcomes for who made the move
    int visits
    int available             # how often it could have been chosen
    int child                 # the first one, and the next one of the same parent; 0 for none
    int sibling

cdef int moves_at(const Deal* d, const State* p, uint64_t* out) noexcept nogil:
    cdef uint64_t sets[MAX_LEADS]
    cdef uint64_t best
    cdef int i, n, count = 0
    if may_claim(d, p):
        out[count] = <uint64_t>CLAIM << KIND_SHIFT
        count += 1
    if p.phase == PHASE_CLAIM:
        out[count] = <uint64_t>PASS << KIND_SHIFT
        return count + 1
    if p.phase == PHASE_LEAD:
        n = generate_leads(d, p.hand[p.turn], lead_limit(d, p, p.turn), sets)
        for i in range(n):
            out[count] = sets[i]
            count += 1
        return count
    best = p.table[p.best]
    n = generate_subsets(p.hand[p.turn], popcount(best), sets)
    for i in range(n):
        if d.shown or set_beats(d, best, sets[i]):
            out[count] = sets[i]
            count += 1
        if not d.shown:
            out[count] = sets[i] | <uint64_t>FACE_DOWN << KIND_SHIFT
            count += 1
    return count

cdef inline void make_move(const Deal* d, State* p, uint64_t move) noexcept nogil:
    cdef int kind = <int>(move >> KIND_SHIFT)
    cdef uint64_t cards = move & ((<uint64_t>1 << KIND_SHIFT) - 1)
    if kind == CLAIM:
        make_claim(d, p)
    elif kind == PASS:
        pass_claim(d, p)
    elif p.phase == PHASE_LEAD:
        play_lead(d, p, cards)
    else:
        play_answer(d, p, cards, kind == FACE_DOWN)

cdef inline uint64_t random_bits(uint64_t* seed) noexcept nogil:
    """SplitMix64 (Steele, Lea and Flood, 2014)."""
    cdef uint64_t x
    seed[0] += <uint64_t>0x9E3779B97F4A7C15
    x = seed[0]
    x = (x ^ x >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t>0x94D049BB133111EB
    return x ^ x >> 31

cdef void play_out(const Deal* d, State* p, uint64_t* seed) noexcept nogil:
    cdef uint64_t moves[MOST_MOVES]
    cdef int n, first, pick
    while p.phase != PHASE_OVER:
        if may_claim(d, p) and good_claim(d, count_of(d, p, p.turn)):
            make_claim(d, p)
            return
        n = moves_at(d, p, moves)
        first = moves[0] >> KIND_SHIFT == CLAIM
        pick = <int>((random_bits(seed) >> 32) * <uint64_t>(n - first) >> 32)
        make_move(d, p, moves[first + pick])

cdef int64_t search_tree(
    Worlds worlds, Node* nodes, int most_nodes, int64_t iterations, double deadline,
    double exploration, uint64_t seed,
) noexcept nogil:
    cdef Deal deal
    cdef State state
    cdef uint64_t moves[MOST_MOVES]
    cdef int path[MOST_DEPTH]
    cdef int movers[MOST_DEPTH]
    cdef int used = 1, node, child, n, i, depth, best, untried, seen, pick
    cdef int64_t done = 0
    cdef double score, top, outcome
    while done < iterations and used < most_nodes - MOST_MOVES:
        if deadline and clock_seconds() >= deadline:
            break
        worlds.fill(<int>(done % worlds.size), &deal, &state)
        done += 1
        node = 0
        depth = 0
        while state.phase != PHASE_OVER and depth < MOST_DEPTH - 1:
            n = moves_at(&deal, &state, moves)
            best = untried = 0
            top = -1e30
            seen = 0
            pick = -1
            for i in range(n):
                child = nodes[node].child
                while child and nodes[child].move != moves[i]:
                    child = nodes[child].sibling
                if not child:
                    # One of the untried moves, each equally likely.
                    seen += 1
                    if (random_bits(&seed) >> 32) * <uint64_t>seen >> 32 == 0:
                        pick = i
                    continue
                nodes[child].available += 1
                score = nodes[child].total / nodes[child].visits + exploration * sqrt(
                    log(<double>nodes[child].available) / nodes[child].visits
                )
                if score > top:
                    top = score
                    best = child
            movers[depth] = state.turn
            if pick >= 0:
                nodes[used].move = moves[pick]
                nodes[used].total = 0
                nodes[used].visits = 0
                nodes[used].available = 1
                nodes[used].child = 0
                nodes[used].sibling = nodes[node].child
                nodes[node].child = used
                make_move(&deal, &state, moves[pick])
                path[depth] = used
                depth += 1
                used += 1
                break
            make_move(&deal, &state, nodes[best].move)
            path[depth] = best
            depth += 1
            node = best
        play_out(&deal, &state, &seed)
        for i in range(depth):
            outcome = 0
            if state.winner != NOBODY:
                outcome = 1 if state.winner == movers[i] else -1
            nodes[path[i]].visits += 1
            nodes[path[i]].total += outcome
    return done


def ismcts(
    Worlds worlds, *, int64_t iterations=1 << 40, seconds=None, double exploration=0.7,
    uint64_t seed=0,
):
    """The moves of the view's seat as the search saw them: (move, visits, mean outcome), most
    visited first.

    ``iterations`` and ``seconds`` (of this thread's processor time) bound the search,
    ``exploration`` is the constant of UCB1 (outcomes are -1 to 1). Raises InputError if the seat
    is not on turn.
    """
    cdef int most_nodes = 1 << 17, child
    cdef double deadline = 0
    cdef Node* nodes
    if worlds.deal.seats != 2 or worlds.state.turn != worlds.view.seat:
        raise InputError(Fault("turn", str(worlds.state.turn), "the seat is not on turn",
                               "ask for a position of two seats in which it is to act"))
    if seconds is not None:
        deadline = clock_seconds() + <double>seconds
    nodes = <Node*>malloc(most_nodes * sizeof(Node))
    if nodes == NULL:
        raise MemoryError()
    try:
        nodes[0].child = 0
        with nogil:
            search_tree(worlds, nodes, most_nodes, iterations, deadline, exploration, seed)
        found = []
        child = nodes[0].child
        while child:
            kind = ("play", "discard", "claim", "pass")[nodes[child].move >> KIND_SHIFT]
            cards = nodes[child].move & ((<uint64_t>1 << KIND_SHIFT) - 1)
            found.append((
                Move(kind, cards), nodes[child].visits, nodes[child].total / nodes[child].visits,
            ))
            child = nodes[child].sibling
        found.sort(key=_by_visits)
        return found
    finally:
        free(nodes)


def _by_visits(entry):
    return -entry[1], -entry[2]
