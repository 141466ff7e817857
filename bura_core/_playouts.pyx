"""Play-outs: hands played to their end by the policy model, each seat from what it has seen.

A world is only the cards that lie where they lie. Both seats choose from what they would see in
it, claims, raises and answers to raises included, so nobody plays as if he knew the world. What a
move is worth is the mean of what such play-outs end with. Two seats of the usual game only.
"""

from libc.math cimport exp
from libc.stdint cimport uint64_t

from bura_core._moves cimport MOVE_CLAIM, MOVE_DISCARD, MOVE_PASS, MOVE_PLAY, MOVE_STOP
from bura_core._policy cimport (
    ACCEPT, AGAIN, CLAIM, DISCARD, MAX_OPTIONS, RAISE, STRENGTHS, WEIGHTS, Sight, agrees,
    claim_chance, list_actions, random_share, see,
)
from bura_core._rules cimport (
    MAX_CALLS, NOBODY, PHASE_CLAIM, PHASE_LEAD, PHASE_OVER, PHASE_RAISED, RAISES_LADDER,
    RAISES_NONE, REASON_CLAIM, REASON_FALSE_CLAIM, REASON_FOLD, USE_WIN_LED, BURA, Deal, State,
    accept_raise, beyond_two, fold_raise, generate_calls, is_whole, make_call, make_claim,
    make_raise, may_claim, may_raise, next_stake, pass_claim, play_answer, play_lead,
)
from bura_core._sampler cimport Worlds

from array import array

cdef enum:
    LEVELS = 12
    MOVE_RAISE = 100
    MOVE_ACCEPT = 101
    MOVE_AGAIN = 102
    MOVE_ON = 103             # whatever the policy does

ctypedef struct Table:
    # How players play, and what it is worth.
    double weights[2][WEIGHTS]   # by seat
    double sharp              # what the scores of cards are multiplied by
    double won[LEVELS]        # to the view's seat, by the level of the stake
    double lost[LEVELS]
    double drawn
    int seat
    bint raises

cdef inline int level_of(const Deal* d, int stake) noexcept nogil:
    """Stakes by number: 1 is the first, 0 is none."""
    cdef int level = 0
    if d.raises == RAISES_LADDER:
        return min(stake, LEVELS - 1)
    while stake:
        stake >>= 1
        level += 1
    return min(level, LEVELS - 1)

cdef inline bint fold_saves(
    const Deal* d, const Table* t, int who, int now, int then,
) noexcept nogil:
    """Does who gives up at one stake lose less than he would at another?"""
    cdef int first = level_of(d, now), second = level_of(d, then)
    if who == t.seat:
        return t.lost[first] != t.lost[second]
    return t.won[first] != t.won[second]

cdef inline bint raise_pays(const Deal* d, const Table* t, int who, int now) noexcept nogil:
    """Can a raise from a stake win more than there is to win already?"""
    cdef int first = level_of(d, now), second = level_of(d, next_stake(d, now))
    if who == t.seat:
        return second != 0 and t.won[first] != t.won[second]
    return second != 0 and t.lost[first] != t.lost[second]

cdef void act(
    const Deal* d, State* p, const Table* t, const Sight* s, uint64_t* seed,
) noexcept nogil:
    """Lead or answer by the policy."""
    cdef uint64_t sets[MAX_OPTIONS]
    cdef double scores[MAX_OPTIONS]
    cdef int begin[MAX_OPTIONS]
    cdef double top = -1e30, total = 0, at
    cdef int n, i
    cdef uint64_t hand = p.hand[p.turn]
    if not s.lead and d.use[BURA] == USE_WIN_LED and is_whole(d, p.turn, hand, BURA):
        play_lead(d, p, hand)
        return
    n = list_actions(d, s, hand, t.weights[p.turn], sets, begin, scores)
    for i in range(n):
        top = max(top, scores[i])
    for i in range(n):
        scores[i] = exp(t.sharp * (scores[i] - top))
        total += scores[i]
    at = random_share(seed) * total
    i = 0
    while i < n - 1 and at >= scores[i]:
        at -= scores[i]
        i += 1
    if not s.lead:
        play_lead(d, p, sets[i])
    else:
        play_answer(d, p, sets[i], begin[i] == DISCARD and not d.shown)

cdef void play_out(const Deal* d, State* p, const Table* t, uint64_t* seed) noexcept nogil:
    """Play a hand to its end."""
    cdef Sight s
    cdef double f[STRENGTHS]
    cdef uint64_t calls[MAX_CALLS]
    cdef double chance
    cdef int who
    while p.phase != PHASE_OVER:
        who = p.turn
        see(d, p, who, &s)
        if p.phase == PHASE_RAISED:
            if fold_saves(d, t, who, p.stake, p.offer) and (
                random_share(seed) >= agrees(d, &s, p.hand[who], ACCEPT, t.weights[who], f)
            ):
                fold_raise(p)
                return
            if may_raise(d, p) and raise_pays(d, t, who, p.offer) and (
                random_share(seed) < agrees(d, &s, p.hand[who], AGAIN, t.weights[who], f)
            ):
                make_raise(d, p)
            else:
                accept_raise(p)
            continue
        if t.raises and may_raise(d, p) and raise_pays(d, t, who, p.stake) and (
            random_share(seed) < agrees(d, &s, p.hand[who], RAISE, t.weights[who], f)
        ):
            make_raise(d, p)
            continue
        if may_claim(d, p):
            chance = claim_chance(d, &s)
            if 0 < chance < 1:
                chance = agrees(d, &s, p.hand[who], CLAIM, t.weights[who], f)
            if random_share(seed) < chance:
                make_claim(d, p)
                return
            if p.phase == PHASE_CLAIM:
                pass_claim(d, p)
                continue
        if d.callable and p.phase == PHASE_LEAD and generate_calls(d, p, 1 - who, calls):
            make_call(d, p, 1 - who, calls[0])
            continue
        act(d, p, t, &s, seed)

cdef inline bint begin_with(
    const Deal* d, State* p, const Table* t, int what, uint64_t cards, int stake, int offered,
) noexcept nogil:
    """Do the move that is asked about; False where it cannot be done in this world.

    `offered` is an open raise to `stake` more than before, already taken off the world.
    """
    cdef uint64_t calls[MAX_CALLS]
    cdef int n, i
    p.stake = stake
    if what == MOVE_ACCEPT:
        p.stake = offered
        p.raiser = 1 - t.seat
    elif what == MOVE_AGAIN:
        p.raiser = 1 - t.seat
        p.offer = offered
        p.resume = p.phase
        p.interrupted = p.turn
        p.turn = t.seat
        p.phase = PHASE_RAISED
        make_raise(d, p)
    elif what == MOVE_RAISE:
        make_raise(d, p)
    elif what == MOVE_CLAIM:
        make_claim(d, p)
    elif what == MOVE_PASS:
        if p.phase == PHASE_CLAIM:
            pass_claim(d, p)
        else:
            p.called = True
    elif what == MOVE_STOP:
        n = generate_calls(d, p, t.seat, calls)
        for i in range(n):
            if calls[i] == cards:
                make_call(d, p, t.seat, cards)
                return True
    elif what == MOVE_PLAY or what == MOVE_DISCARD:
        if p.turn != t.seat or cards & ~p.hand[t.seat]:
            return False
        if p.phase == PHASE_CLAIM:
            # A hand drawn in this world will be shown once he lets his claim go.
            pass_claim(d, p)
        elif p.phase == PHASE_LEAD:
            if d.callable and generate_calls(d, p, 1 - t.seat, calls):
                make_call(d, p, 1 - t.seat, calls[0])
            else:
                play_lead(d, p, cards)
        else:
            play_answer(d, p, cards, what == MOVE_DISCARD)
    return True


_WHATS = {
    "play": MOVE_PLAY, "discard": MOVE_DISCARD, "stop": MOVE_STOP, "claim": MOVE_CLAIM,
    "pass": MOVE_PASS, "raise": MOVE_RAISE, "accept": MOVE_ACCEPT, "again": MOVE_AGAIN,
    "on": MOVE_ON,
}


def play_outs(
    Worlds sample, options, int first, int last, *, own, other, won, lost, double drawn,
    bint raises, int raiser=-1, int stake=1, int offered=0, double sharp=1,
    uint64_t seed=0,
):
    """What some moves end with in the worlds `first` to `last` - 1, one play-out of each.

    ``options`` are (kind of move, cards): those of `Move`, ``again`` (to raise what was offered)
    and ``on`` (whatever the policy does). ``own`` and ``other`` are the policies of the view's
    seat and of the other one. ``won`` and ``lost`` are what the hand is worth to the view's seat
    by the number of the stake (index 1 is a stake of 1), ``drawn`` what a draw is. ``raiser``,
    ``stake`` and ``offered`` are the raises so far. Returns the worths as an array of doubles,
    world by world and in each by option (nan: no such move there), and bytes:
    0 lost, 1 drawn, 2 won; + 4 by a claim that held, + 8 by one that did not, + 16 by a fold;
    255 as above.
    """
    cdef Deal deal
    cdef State root, state
    cdef Table t
    cdef int whats[256]
    cdef uint64_t cards[256]
    cdef int n = len(options), w, i, how
    cdef uint64_t stream
    cdef double nan = float("nan"), worth
    if not 0 < n <= 256 or not 0 <= first <= last <= sample.size:
        raise ValueError("no such worlds, or too many moves")
    if beyond_two(&sample.deal) or not len(own) == len(other) == WEIGHTS:
        raise ValueError("play-outs are for two players' usual game")
    for i, (kind, some) in enumerate(options):
        whats[i] = _WHATS[kind]
        cards[i] = some
    for i in range(WEIGHTS):
        t.weights[sample.view.seat][i] = own[i]
        t.weights[1 - sample.view.seat][i] = other[i]
    for i in range(LEVELS):
        t.won[i] = won[min(i, len(won) - 1)]
        t.lost[i] = lost[min(i, len(lost) - 1)]
    t.drawn = drawn
    t.sharp = sharp
    t.seat = sample.view.seat
    t.raises = raises
    values = array("d", bytes(8 * n * (last - first)))
    ends = bytearray(n * (last - first))
    cdef double[::1] value = values if n * (last - first) else None
    cdef unsigned char[::1] end = ends if n * (last - first) else None
    with nogil:
        for w in range(first, last):
            sample.fill(w, &deal, &root)
            if not raises:
                deal.raises = RAISES_NONE
            for i in range(n):
                state = root
                how = (w - first) * n + i
                value[how] = nan
                end[how] = 255
                if root.phase == PHASE_OVER:
                    continue
                state.raiser = raiser
                if not begin_with(&deal, &state, &t, whats[i], cards[i], stake, offered):
                    continue
                # The same luck for every move of a world, as far as the moves lead alike.
                stream = seed + <uint64_t>(w + 1) * <uint64_t>0xD1342543DE82EF95
                play_out(&deal, &state, &t, &stream)
                if state.winner == NOBODY:
                    worth = t.drawn
                    end[how] = 1
                elif state.winner == t.seat:
                    worth = t.won[level_of(&sample.deal, state.stake)]
                    end[how] = 2
                else:
                    worth = t.lost[level_of(&sample.deal, state.stake)]
                    end[how] = 0
                value[how] = worth
                if state.reason == REASON_CLAIM:
                    end[how] += 4
                elif state.reason == REASON_FALSE_CLAIM:
                    end[how] += 8
                elif state.reason == REASON_FOLD:
                    end[how] += 16
    return values, bytes(ends)
