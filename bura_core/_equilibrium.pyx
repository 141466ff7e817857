"""Small endings with hidden cards, solved: the public tree in flat arrays, and its equilibrium.

The game starts from what *both* players know (the public root), not from one player's worlds:
every joint deal of hands, face-down discards and talon that fits is possible. Each player acts
on his private state, the cards he holds and those he has laid face down, and on all that was
public: the sequence form (Koller, Megiddo and von Stengel, 1996), built once along the public
tree (Johanson et al., "Accelerating best response calculation in large extensive games", 2011).
A player's part is a list of *sets* (information sets) with a parent *slot* and *edges* to other
slots; a slot is a private state after his own last move. The two parts meet only in the
terminals, where a player's slots are grouped by the cards they use up: with the talon out two
groups fit together exactly if one is the rest of the other, so that a terminal costs what its
slots cost and not what their pairs do.

Private states that hold the same cards in hand and the same face down are one, however they
came about: what follows is the same from either (a decision process of the form of a directed
acyclic graph; regrets and values add up in it as in a tree).

Plain suits that look alike can be exchanged (`find_symmetries`). Some equilibrium is the same
under every exchange, for the mean of an equilibrium over all exchanges is one; so only such
strategies are searched: private states that an exchange turns into one another share their slot
and their set, of public moves that it turns into one another only one is followed, and a shown
card leaves the exchanges that keep it in place (`Lists.group`). A slot's reach is that of *one*
of the states that share it, so an edge has the share of its set's reach that each of them gets.

The equilibrium is found by predictive CFR+ (Farina, Kroer and Sandholm, "Faster game solving
via predictive Blackwell approachability", 2021) with alternating updates, and certified by a best
response to either average. Averages are weighted by the fourth power of the iteration: over random
endings that takes a quarter less work to a gap of 0.001 than the usual square, and half of what
weights that grow linearly take.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from bura_core._cards cimport (
    DECK_CARDS, SUITS, deposit, lowest, points_of, popcount, suit_mask,
)
from bura_core._limits cimport seconds
from bura_core._rules cimport (
    COMBINATIONS, FOUR_ACES, LITTLE_MOSKVA, MAX_LEADS, NOBODY, PHASE_ANSWER, PHASE_CLAIM,
    PHASE_LEAD, PHASE_OVER, PHASE_RAISED, REASON_BURA, REASON_CLAIM, REASON_DRAW,
    REASON_FALSE_CLAIM, REASON_FOLD, REASON_NO_WINNER, REASON_POINTS, UNCLAIMED_NO_WINNER,
    USE_LEAD, USE_NONE, Deal, State,
    accept_raise, add_combination_sets, count_of, fold_raise, generate_calls, generate_leads,
    generate_subsets, good_claim, lead_limit, look_for_sight, make_call, make_raise, may_claim,
    may_raise, next_stake, next_subset, pass_claim, play_answer, play_lead, seat_sight,
    set_beats, unclaimed_winner,
)
from bura_core._sampler cimport fill_template
from bura_core._solver cimport Stop

from itertools import permutations

from bura_core._rules import _REASONS
from bura_core.notation import Move

cdef enum:  # what a public move is; its cards are the low 36 bits
    KIND_SHIFT = 40
    K_CLAIM = 1
    K_FOLD = 2
    K_ON = 3        # lets a claim, a call or the chance of one go
    K_PASS = 4
    K_ACCEPT = 5
    K_RAISE = 6
    K_STOP = 7
    K_PLAY = 8
    K_DISCARD = 9

cdef uint64_t CARDS = (<uint64_t>1 << 36) - 1

cdef enum:  # what is being decided
    AT_CLAIM = 0      # claim before a combination is shown
    AT_MENU = 1       # claim, raise, lead (or let a call come first)
    AT_CALL = 2       # the other seat: call, or not
    AT_LEAD = 3
    AT_ANSWER = 4
    AT_OFFER = 5
    AT_PASS = 6       # claim or pass

cdef enum:
    MAX_LEVELS = 16   # stakes that raises can reach
    MAX_LABELS = 512
    MAX_PERMS = 24    # exchanges of four suits
    ALIKE = -1        # tag of what stands for all states alike in the scratch hash table

cdef enum:  # why a game was not built
    FAILED_NO = 0
    FAILED_SIZE = 1
    FAILED_MEMORY = 2
    FAILED_TIME = 3

cdef enum:  # kinds of terminal
    MATCHED = 0       # group k of one side fits with group k of the other and no other
    LINKED = 1        # which groups fit is listed

ctypedef struct Entry:
    # A private state at a public node.
    uint64_t hand
    uint64_t down             # what the player has laid face down
    int32_t slot
    int32_t tag               # which root state it comes from, where that matters

ctypedef struct Lists:
    Entry* e[2]
    int n[2]
    uint32_t group            # exchanges of suits that keep all that is public, as bits

ctypedef struct Choice:
    # A move of one private state at a node that is being built.
    uint64_t label            # what the other player sees of it; first of those alike
    uint64_t move
    uint64_t shown            # the label of this very move
    uint64_t hand             # after it
    uint64_t down
    int32_t src
    int32_t tag
    int32_t group             # number of the label
    int32_t target
    int32_t alike             # states that share the target

ctypedef struct Node:
    # A public node at which a player decides.
    uint64_t label            # the public move that led here
    int32_t parent
    int32_t first             # his sets
    int32_t count
    int8_t player
    int8_t stage
    int32_t end               # the nodes below it are those up to here, itself included
    int32_t set_begin[2]      # and so are the sets of both, and the terminals
    int32_t set_end[2]
    int32_t terminal_begin
    int32_t terminal_end

ctypedef struct Cut:
    # A part of the tree that a player does not reach at present.
    int32_t set_begin         # of the other
    int32_t set_end
    int32_t terminal_begin
    int32_t terminal_end

ctypedef struct Side:
    # What one player decides, in the order of the public tree.
    int n_slots
    int n_sets
    int cap_sets
    int32_t* parent           # slot a set comes from
    int32_t* first            # its edges, up to first of the next
    uint8_t* chance           # all edges are taken: drawing cards
    uint64_t* hand            # private states of the sets
    uint64_t* down
    int32_t* tag
    int n_edges
    int cap_edges
    int32_t* target
    uint64_t* move
    float* share              # of the reach, that each state of the target gets
    # entries of terminals, grouped
    int n_entries
    int cap_entries
    int32_t* slot
    float* weight
    int n_groups
    int cap_groups
    int32_t* start            # of a group's entries, up to start of the next
    # what the iterations change
    double* x                 # by slot: reach
    double* v                 # by slot: value times the others' reach
    double* regret            # by edge
    double* sigma
    double* total             # of the average strategy
    Cut* cut                  # in order; there the values of the other are 0
    int n_cuts
    int n_root                # slots to begin with
    int n_states              # and the private states that they stand for

ctypedef struct Terminal:
    double scale
    int32_t group[2]          # first group of each side
    int32_t groups[2]
    int32_t link
    int32_t links
    int32_t kind

ctypedef struct Game:
    Deal deal
    Deal plain                # the same without combinations that win on sight
    uint64_t pool             # cards whose place is not public
    uint64_t turn_up          # the turned trump, while it is in the talon
    uint8_t open_hand[2]
    int n_perms               # exchanges of suits; the first changes nothing
    uint8_t perm[MAX_PERMS][DECK_CARDS]
    int tagged
    double* prior             # of pairs of root states, by tag, or NULL
    int prior_width
    int top_stake
    int levels
    int stake[MAX_LEVELS]
    double pay[MAX_LEVELS][3][16]   # to seat 0: by stake, winner (2: nobody), reason
    bint prune
    bint can_prune
    Side side[2]
    int n_terminals
    int cap_terminals
    Terminal* terminal
    int n_links
    int cap_links
    int32_t* link_a
    int32_t* link_b
    float* link_c
    int n_nodes
    int cap_nodes
    Node* node
    int64_t limit             # of slots, edges and entries together
    int64_t size
    int failed
    double deadline
    const int* stop_flag
    # scratch
    uint64_t* hash_key
    uint64_t* hash_key2
    int32_t* hash_tag
    int32_t* hash_value
    int32_t* hash_stamp
    int hash_size
    int stamp

# ---------------------------------------------------------------- memory

cdef bint room(Game* g, void** p, int* cap, int need, size_t item) noexcept nogil:
    cdef int grown = cap[0]
    cdef void* q
    if need <= grown:
        return True
    while grown < need:
        grown = grown + grown // 2 + 64
    q = realloc(p[0], <size_t>grown * item)
    if q == NULL:
        g.failed = FAILED_MEMORY
        return False
    p[0] = q
    cap[0] = grown
    return True

cdef bint room_sets(Game* g, Side* s, int more) noexcept nogil:
    cdef int need = s.n_sets + more + 1, cap
    if need <= s.cap_sets:
        return True
    cap = s.cap_sets
    if not room(g, <void**>&s.parent, &cap, need, sizeof(int32_t)):
        return False
    cap = s.cap_sets
    if not room(g, <void**>&s.first, &cap, need, sizeof(int32_t)):
        return False
    cap = s.cap_sets
    if not room(g, <void**>&s.chance, &cap, need, sizeof(uint8_t)):
        return False
    cap = s.cap_sets
    if not room(g, <void**>&s.hand, &cap, need, sizeof(uint64_t)):
        return False
    cap = s.cap_sets
    if not room(g, <void**>&s.tag, &cap, need, sizeof(int32_t)):
        return False
    cap = s.cap_sets
    if not room(g, <void**>&s.down, &cap, need, sizeof(uint64_t)):
        return False
    s.cap_sets = cap
    return True

cdef bint room_edges(Game* g, Side* s, int more) noexcept nogil:
    cdef int need = s.n_edges + more, cap
    g.size += more
    if g.size > g.limit:
        g.failed = FAILED_SIZE
        return False
    if need <= s.cap_edges:
        return True
    cap = s.cap_edges
    if not room(g, <void**>&s.target, &cap, need, sizeof(int32_t)):
        return False
    cap = s.cap_edges
    if not room(g, <void**>&s.move, &cap, need, sizeof(uint64_t)):
        return False
    cap = s.cap_edges
    if not room(g, <void**>&s.share, &cap, need, sizeof(float)):
        return False
    s.cap_edges = cap
    return True

cdef bint room_entries(Game* g, Side* s, int more) noexcept nogil:
    cdef int need = s.n_entries + more, cap
    g.size += more
    if g.size > g.limit:
        g.failed = FAILED_SIZE
        return False
    if need <= s.cap_entries:
        return True
    cap = s.cap_entries
    if not room(g, <void**>&s.slot, &cap, need, sizeof(int32_t)):
        return False
    cap = s.cap_entries
    if not room(g, <void**>&s.weight, &cap, need, sizeof(float)):
        return False
    s.cap_entries = cap
    return True

cdef bint room_groups(Game* g, Side* s, int more) noexcept nogil:
    return room(g, <void**>&s.start, &s.cap_groups, s.n_groups + more + 1, sizeof(int32_t))

cdef bint room_links(Game* g, int more) noexcept nogil:
    cdef int need = g.n_links + more, cap
    g.size += more
    if g.size > g.limit:
        g.failed = FAILED_SIZE
        return False
    if need <= g.cap_links:
        return True
    cap = g.cap_links
    if not room(g, <void**>&g.link_a, &cap, need, sizeof(int32_t)):
        return False
    cap = g.cap_links
    if not room(g, <void**>&g.link_b, &cap, need, sizeof(int32_t)):
        return False
    cap = g.cap_links
    if not room(g, <void**>&g.link_c, &cap, need, sizeof(float)):
        return False
    g.cap_links = cap
    return True

cdef bint open_hash(Game* g, int n) noexcept nogil:
    """Empty the scratch hash table, large enough for `n` keys."""
    cdef int size = g.hash_size
    if size < 2 * n + 16:
        size = 1024
        while size < 2 * n + 16:
            size *= 2
        free(g.hash_key)
        free(g.hash_key2)
        free(g.hash_tag)
        free(g.hash_value)
        free(g.hash_stamp)
        g.hash_key = <uint64_t*>malloc(size * sizeof(uint64_t))
        g.hash_key2 = <uint64_t*>malloc(size * sizeof(uint64_t))
        g.hash_tag = <int32_t*>malloc(size * sizeof(int32_t))
        g.hash_value = <int32_t*>malloc(size * sizeof(int32_t))
        g.hash_stamp = <int32_t*>calloc(size, sizeof(int32_t))
        if (g.hash_key == NULL or g.hash_key2 == NULL or g.hash_tag == NULL
                or g.hash_value == NULL or g.hash_stamp == NULL):
            g.failed = FAILED_MEMORY
            g.hash_size = 0
            return False
        g.hash_size = size
        g.stamp = 0
    g.stamp += 1
    return True

cdef int32_t* find(Game* g, uint64_t a, uint64_t b, int tag) noexcept nogil:
    """The value kept for a key; a new one is -1."""
    cdef uint64_t h = (a * <uint64_t>0x9E3779B97F4A7C15) ^ (b * <uint64_t>0xC2B2AE3D27D4EB4F)
    cdef int i
    h ^= <uint64_t>tag * <uint64_t>0x165667B19E3779F9
    h ^= h >> 29
    i = <int>(h & <uint64_t>(g.hash_size - 1))
    while g.hash_stamp[i] == g.stamp:
        if g.hash_key[i] == a and g.hash_key2[i] == b and g.hash_tag[i] == tag:
            return &g.hash_value[i]
        i = (i + 1) & (g.hash_size - 1)
    g.hash_stamp[i] = g.stamp
    g.hash_key[i] = a
    g.hash_key2[i] = b
    g.hash_tag[i] = tag
    g.hash_value[i] = -1
    return &g.hash_value[i]

# ---------------------------------------------------------------- symmetries

cdef inline uint64_t image(const Game* g, int h, uint64_t cards) noexcept nogil:
    """Cards, or the word of a move with them, after exchange `h`."""
    cdef uint64_t out = cards & ~CARDS
    cards &= CARDS
    while cards:
        out |= <uint64_t>1 << g.perm[h][lowest(cards)]
        cards &= cards - 1
    return out

cdef inline uint64_t label_image(const Game* g, int p, int h, uint64_t label) noexcept nogil:
    if label >> KIND_SHIFT == K_DISCARD and not g.open_hand[p]:
        return label          # a number, no cards
    return image(g, h, label)

cdef inline void first_alike(
    const Game* g, uint32_t group, uint64_t* hand, uint64_t* down,
) noexcept nogil:
    """The first of the private states that the exchanges turn into one another."""
    cdef uint64_t a, b, x = hand[0], y = down[0]
    cdef int h
    if group == 1:
        return
    for h in range(1, g.n_perms):
        if group >> h & 1:
            a = image(g, h, x)
            b = image(g, h, y)
            if a < hand[0] or (a == hand[0] and b < down[0]):
                hand[0] = a
                down[0] = b

cdef inline uint64_t first_label(
    const Game* g, uint32_t group, int p, uint64_t label,
) noexcept nogil:
    cdef uint64_t a, best = label
    cdef int h
    for h in range(1, g.n_perms):
        if group >> h & 1:
            a = label_image(g, p, h, label)
            if a < best:
                best = a
    return best

cdef inline uint32_t keeping(const Game* g, uint32_t group, uint64_t cards) noexcept nogil:
    """The exchanges of a group under which these cards stay."""
    cdef uint32_t kept = 1
    cdef int h
    if group == 1:
        return 1
    for h in range(1, g.n_perms):
        if group >> h & 1 and image(g, h, cards) == cards:
            kept |= <uint32_t>1 << h
    return kept

cdef inline int alike(
    const Game* g, uint32_t group, uint64_t hand, uint64_t down,
) noexcept nogil:
    """How many private states the exchanges turn this one into, itself included."""
    if group == 1:
        return 1
    return popcount(group) // popcount(keeping(g, keeping(g, group, hand), down))

cdef inline int copies(
    const Game* g, uint32_t group, uint64_t cards, uint64_t down,
) noexcept nogil:
    """`alike` for the first of those, 0 for the others."""
    cdef uint64_t a = cards, b = down
    if group == 1:
        return 1
    first_alike(g, group, &a, &b)
    return alike(g, group, cards, down) if a == cards and b == down else 0

cdef void find_symmetries(Game* g, const State* pub, const uint64_t* known) noexcept:
    """All exchanges of plain suits that leave the game as it is.

    Two suits look alike if their cards outside the piles lie in the same places, with the
    same points in the same order: what beats what within a suit depends on the order alone. Not
    on the ranks, but where several cards of one rank are a lead. No suit is exchanged that is
    trump, that trumps cannot beat, or that has no card left. (Equal cards of *one* suit cannot
    be exchanged: when they are in two hands, the higher one beats the lower.)
    """
    cdef Deal* d = &g.deal
    cdef bint ranks = d.rank_leads or d.use[LITTLE_MOSKVA] != USE_NONE
    suits = [s for s in range(SUITS) if s != d.trump and not d.immune & suit_mask(s)]
    looks = {}
    cards = {}
    for suit in suits:
        cards[suit] = []
        look = []
        for card in range(9 * suit, 9 * suit + 9):
            bit = <uint64_t>1 << <int>card
            places = (
                bool(g.pool & bit), bool(known[0] & bit), bool(known[1] & bit),
                bool(pub.table[0] & bit), bool(pub.table[1] & bit), bool(g.turn_up & bit),
            )
            if any(places):
                cards[suit].append(card)
                look.append((places, points_of(bit), card % 9 if ranks else 0))
        looks[suit] = look
    g.n_perms = 0
    suits = [suit for suit in suits if looks[suit]]
    # In this order the first is the one that changes nothing.
    for order in permutations(suits):
        if all(looks[a] == looks[b] for a, b in zip(suits, order, strict=True)):
            for card in range(DECK_CARDS):
                g.perm[g.n_perms][card] = card
            for a, b in zip(suits, order, strict=True):
                for card, other in zip(cards[a], cards[b], strict=True):
                    g.perm[g.n_perms][card] = other
            g.n_perms += 1

# ---------------------------------------------------------------- one joint deal

cdef inline uint64_t cards_used(const Entry* e) noexcept nogil:
    return e.hand | e.down

cdef inline bint fits(const Entry* a, const Entry* b) noexcept nogil:
    return not (a.hand | a.down) & (b.hand | b.down)

cdef inline void dress(State* s, const Entry* a, const Entry* b) noexcept nogil:
    """Put the private states of both seats into a public state."""
    s.hand[0] = a.hand
    s.hand[1] = b.hand
    s.down[0] = s.closed_pile[1] = a.down
    s.down[1] = s.closed_pile[0] = b.down
    s.points[1] += points_of(a.down)
    s.points[0] += points_of(b.down)

cdef inline void strip(State* s) noexcept nogil:
    """Take them out again: what is left is public."""
    s.points[1] -= points_of(s.down[0])
    s.points[0] -= points_of(s.down[1])
    s.hand[0] = s.hand[1] = 0
    s.down[0] = s.down[1] = 0
    s.closed_pile[0] = s.closed_pile[1] = 0

cdef inline uint64_t unplaced(const Game* g, const State* pub) noexcept nogil:
    """The cards whose place is not public now."""
    return g.pool & ~(
        pub.open_pile[0] | pub.open_pile[1] | pub.table[0] | pub.table[1]
    )

cdef inline void lay_talon(
    const Game* g, Deal* d, const State* pub, const Entry* a, const Entry* b,
) noexcept nogil:
    """Some order of the talon that goes with a joint deal."""
    cdef uint64_t rest = unplaced(g, pub) & ~(cards_used(a) | cards_used(b))
    cdef int i, end = d.talon_size
    if g.turn_up:
        end -= 1
    for i in range(pub.at, end):
        d.talon[i] = lowest(rest)
        rest &= rest - 1

cdef inline double payoff(const Game* g, int stake, int winner, int reason) noexcept nogil:
    cdef int i
    for i in range(g.levels):
        if g.stake[i] == stake:
            return g.pay[i][2 if winner == NOBODY else winner][reason]
    return 0

# ---------------------------------------------------------------- terminals

cdef Terminal* new_terminal(Game* g, double scale, int kind) noexcept nogil:
    cdef Terminal* t
    cdef int i
    if not room(
        g, <void**>&g.terminal, &g.cap_terminals, g.n_terminals + 1, sizeof(Terminal),
    ):
        return NULL
    t = &g.terminal[g.n_terminals]
    g.n_terminals += 1
    t.scale = scale
    t.kind = kind
    t.link = g.n_links
    t.links = 0
    for i in range(2):
        t.group[i] = g.side[i].n_groups
        t.groups[i] = 0
    return t

cdef double factor(const Game* g, const Entry* a, const Entry* b) noexcept nogil:
    if g.prior == NULL:
        return 1
    return g.prior[<int64_t>a.tag * g.prior_width + b.tag]

cdef void product_terminal(
    Game* g, const State* pub, const Lists* l, double scale, const double* w0, const double* w1,
) noexcept nogil:
    """A terminal whose payoff is a product: scale * w0[state of 0] * w1[state of 1]."""
    cdef Terminal* t
    cdef Side* s
    cdef Entry* e
    cdef int32_t* group[2]
    cdef int32_t* count
    cdef int32_t* found
    cdef uint64_t whole = 0
    cdef const double* w
    cdef int i, k, n, seat, groups, talon_out
    cdef uint64_t key
    if not l.n[0] or not l.n[1] or g.failed:
        return
    talon_out = pub.at >= g.deal.talon_size and not g.tagged
    if not talon_out:
        link_groups(g, l, scale, w0, w1)
        return
    # The cards of both sides together are the same in every joint deal.
    whole = 0
    for i in range(l.n[1]):
        if fits(&l.e[0][0], &l.e[1][i]):
            whole = cards_used(&l.e[0][0]) | cards_used(&l.e[1][i])
            break
    if not whole:
        for k in range(1, l.n[0]):
            for i in range(l.n[1]):
                if fits(&l.e[0][k], &l.e[1][i]):
                    whole = cards_used(&l.e[0][k]) | cards_used(&l.e[1][i])
                    break
            if whole:
                break
    if not whole and (cards_used(&l.e[0][0]) or cards_used(&l.e[1][0])):
        return
    n = l.n[0] + l.n[1]
    group[0] = <int32_t*>malloc(3 * n * sizeof(int32_t) + 16)
    if group[0] == NULL:
        g.failed = FAILED_MEMORY
        return
    group[1] = group[0] + l.n[0]
    count = group[0] + n
    if not open_hash(g, n):
        free(group[0])
        return
    groups = 0
    for i in range(l.n[0]):
        # Groups that an exchange turns into one another are worth the same: the first will do.
        key = cards_used(&l.e[0][i])
        if not copies(g, l.group, key, 0):
            group[0][i] = -1
            continue
        found = find(g, key, 0, 0)
        if found[0] < 0:
            found[0] = groups
            groups += 1
        group[0][i] = found[0]
    for i in range(l.n[1]):
        key = cards_used(&l.e[1][i])
        # A state whose rest nobody holds keeps a number of its own behind the others.
        found = find(g, whole & ~key, 0, 0)
        if found[0] < 0 or key & ~whole:
            group[1][i] = -1
        else:
            group[1][i] = found[0]
    t = new_terminal(g, scale, MATCHED)
    if t == NULL:
        free(group[0])
        return
    for seat in range(2):
        s = &g.side[seat]
        e = l.e[seat]
        w = w0 if seat == 0 else w1
        memset(count, 0, (groups + 1) * sizeof(int32_t))
        n = 0
        for i in range(l.n[seat]):
            if group[seat][i] >= 0:
                count[group[seat][i]] += 1
                n += 1
        if not room_groups(g, s, groups) or not room_entries(g, s, n):
            free(group[0])
            return
        k = s.n_entries
        for i in range(groups):
            s.start[s.n_groups + i] = k
            n = count[i]
            count[i] = k
            k += n
        s.start[s.n_groups + groups] = k
        s.n_entries = k
        for i in range(l.n[seat]):
            if group[seat][i] >= 0:
                k = count[group[seat][i]]
                count[group[seat][i]] += 1
                s.slot[k] = e[i].slot
                s.weight[k] = <float>w[i]
                if not seat:
                    s.weight[k] *= copies(g, l.group, cards_used(&e[i]), 0)
        t = &g.terminal[g.n_terminals - 1]
        t.groups[seat] = groups
        s.n_groups += groups
    free(group[0])

cdef void link_groups(
    Game* g, const Lists* l, double scale, const double* w0, const double* w1,
) noexcept nogil:
    """The same where a group fits with several: groups by cards and tag, and which fit."""
    cdef Terminal* t
    cdef Side* s
    cdef Entry* e
    cdef const double* w
    cdef int32_t* group
    cdef int32_t* count
    cdef int32_t* first[2]
    cdef int32_t* found
    cdef int i, j, k, n, seat, groups
    cdef double c
    n = l.n[0] + l.n[1]
    group = <int32_t*>malloc((4 * n + 8) * sizeof(int32_t))
    if group == NULL:
        g.failed = FAILED_MEMORY
        return
    count = group + n
    first[0] = group + 2 * n + 2
    first[1] = group + 3 * n + 4
    t = new_terminal(g, scale, LINKED)
    if t == NULL:
        free(group)
        return
    for seat in range(2):
        s = &g.side[seat]
        e = l.e[seat]
        w = w0 if seat == 0 else w1
        if not open_hash(g, l.n[seat]):
            free(group)
            return
        groups = 0
        for i in range(l.n[seat]):
            found = find(g, cards_used(&e[i]), 0, e[i].tag if g.tagged else 0)
            if found[0] < 0:
                found[0] = groups
                first[seat][groups] = i
                count[groups] = 0
                groups += 1
            group[i] = found[0]
            count[group[i]] += 1
        if not room_groups(g, s, groups) or not room_entries(g, s, l.n[seat]):
            free(group)
            return
        k = s.n_entries
        for i in range(groups):
            s.start[s.n_groups + i] = k
            j = count[i]
            count[i] = k
            k += j
        s.start[s.n_groups + groups] = k
        s.n_entries = k
        for i in range(l.n[seat]):
            k = count[group[i]]
            count[group[i]] += 1
            s.slot[k] = e[i].slot
            s.weight[k] = <float>w[i]
        t = &g.terminal[g.n_terminals - 1]
        t.groups[seat] = groups
        s.n_groups += groups
    for i in range(t.groups[0]):
        n = copies(g, l.group, cards_used(&l.e[0][first[0][i]]), 0)
        if not n:
            continue
        if not room_links(g, t.groups[1]):
            free(group)
            return
        for j in range(t.groups[1]):
            if fits(&l.e[0][first[0][i]], &l.e[1][first[1][j]]):
                c = n * factor(g, &l.e[0][first[0][i]], &l.e[1][first[1][j]])
                if c:
                    g.link_a[g.n_links] = i
                    g.link_b[g.n_links] = j
                    g.link_c[g.n_links] = <float>c
                    g.n_links += 1
                    g.terminal[g.n_terminals - 1].links += 1
    free(group)

ctypedef double (*Judge)(
    Game* g, const State* pub, const Entry* a, const Entry* b,
) noexcept nogil

cdef double unclaimed_pay(
    Game* g, const State* pub, const Entry* a, const Entry* b,
) noexcept nogil:
    cdef State s = pub[0]
    cdef int winner
    dress(&s, a, b)
    winner = unclaimed_winner(&g.deal, count_of(&g.deal, &s, 0), count_of(&g.deal, &s, 1))
    if winner != NOBODY:
        return payoff(g, s.stake, winner, REASON_POINTS)
    return payoff(
        g, s.stake, NOBODY,
        REASON_NO_WINNER if g.deal.unclaimed == UNCLAIMED_NO_WINNER else REASON_DRAW,
    )

cdef bint sees(const Game* g, int seat, const Entry* e) noexcept nogil:
    return g.deal.sight and seat_sight(&g.deal, seat, e.hand) != 0

cdef double sight_pay(
    Game* g, const State* pub, const Entry* a, const Entry* b,
) noexcept nogil:
    """What a pair in which a combination is shown is worth; 1e9 where none is."""
    cdef State s = pub[0]
    if not sees(g, 0, a) and not sees(g, 1, b):
        return 1e9
    dress(&s, a, b)
    if not look_for_sight(&g.deal, &s):
        return 1e9
    return payoff(g, s.stake, s.winner, s.reason)

cdef void joint_terminal(
    Game* g, const State* pub, const Lists* l, double scale, Judge judge,
) noexcept nogil:
    """A terminal whose payoff depends on both private states at once."""
    cdef Terminal* t = new_terminal(g, scale, LINKED)
    cdef Side* s
    cdef int seat, i, j, n
    cdef double c
    if t == NULL:
        return
    for seat in range(2):
        s = &g.side[seat]
        if not room_groups(g, s, l.n[seat]) or not room_entries(g, s, l.n[seat]):
            return
        for i in range(l.n[seat]):
            s.start[s.n_groups + i] = s.n_entries + i
            s.slot[s.n_entries + i] = l.e[seat][i].slot
            s.weight[s.n_entries + i] = 1
        s.n_entries += l.n[seat]
        s.n_groups += l.n[seat]
        s.start[s.n_groups] = s.n_entries
        t.groups[seat] = l.n[seat]
    for i in range(l.n[0]):
        n = copies(g, l.group, l.e[0][i].hand, l.e[0][i].down)
        if not n:
            continue
        for j in range(l.n[1]):
            if not fits(&l.e[0][i], &l.e[1][j]):
                continue
            c = judge(g, pub, &l.e[0][i], &l.e[1][j])
            if c > 1e8:
                continue
            c *= n * factor(g, &l.e[0][i], &l.e[1][j])
            if c:
                if not room_links(g, 1):
                    return
                g.link_a[g.n_links] = i
                g.link_b[g.n_links] = j
                g.link_c[g.n_links] = <float>c
                g.n_links += 1
                t.links += 1

cdef double* ones(Game* g, int n) noexcept nogil:
    cdef double* w = <double*>malloc((n + 1) * sizeof(double))
    cdef int i
    if w == NULL:
        g.failed = FAILED_MEMORY
        return NULL
    for i in range(n):
        w[i] = 1
    return w

cdef void constant_terminal(
    Game* g, const State* pub, const Lists* l, double scale, double pay,
) noexcept nogil:
    cdef double* w
    if pay == 0:
        return
    w = ones(g, l.n[0] if l.n[0] > l.n[1] else l.n[1])
    if w != NULL:
        product_terminal(g, pub, l, scale * pay, w, w)
        free(w)

cdef double claim_pay(Game* g, const State* pub, int p, const Entry* his) noexcept nogil:
    """What a claim of seat p pays against this state of the other, who discarded into p's pile."""
    if good_claim(&g.deal, count_of(&g.deal, pub, p) + points_of(his.down)):
        return payoff(g, pub.stake, p, REASON_CLAIM)
    return payoff(g, pub.stake, 1 - p, REASON_FALSE_CLAIM)

cdef void claim_terminal(
    Game* g, const State* pub, const Lists* l, double scale, int p,
) noexcept nogil:
    cdef double* w[2]
    cdef int i
    w[0] = ones(g, l.n[0])
    w[1] = ones(g, l.n[1])
    if w[0] != NULL and w[1] != NULL:
        for i in range(l.n[1 - p]):
            w[1 - p][i] = claim_pay(g, pub, p, &l.e[1 - p][i])
        product_terminal(g, pub, l, scale, w[0], w[1])
    free(w[0])
    free(w[1])

# ---------------------------------------------------------------- the public tree

cdef bint is_over(Game* g) noexcept nogil:
    if not g.failed:
        if g.stop_flag != NULL and g.stop_flag[0]:
            g.failed = FAILED_TIME
        elif g.deadline and seconds() > g.deadline:
            g.failed = FAILED_TIME
    return g.failed != FAILED_NO

cdef bint pair(const Lists* l, int* a, int* b) noexcept nogil:
    """Some joint deal of the lists."""
    cdef int i, j
    for i in range(l.n[0]):
        for j in range(l.n[1]):
            if fits(&l.e[0][i], &l.e[1][j]):
                a[0] = i
                b[0] = j
                return True
    return False

cdef int calls_of(
    const Game* g, int seat, uint64_t hand, int limit, uint64_t* sets,
) noexcept nogil:
    """The sets a seat may try to call, as far as it can tell from its own hand."""
    cdef int combination, n = 0
    for combination in range(FOUR_ACES, COMBINATIONS):
        if g.deal.use[combination] == USE_LEAD:
            n = add_combination_sets(&g.deal, hand, combination, limit, sets, n)
    return n

cdef bint draw_cards(
    Game* g, const State* pub, Lists* l, const uint64_t* drawn, double* scale, uint64_t pool,
) noexcept nogil:
    """Both seats take their cards off the talon: new private states for each.

    Every set of unseen cards may come; the weights of all complete deals are kept equal by
    `scale`. Cards drawn by an open hand are public and handled by the caller.
    """
    cdef Side* s
    cdef Entry* fresh
    cdef Entry* e
    cdef int32_t* found
    cdef int32_t* slot
    cdef uint64_t free_cards, pattern, end, cards, turn_up, hand, down
    cdef int seat, i, k, n, most, new, edges, states
    cdef double each
    for seat in range(2):
        turn_up = drawn[seat] & g.turn_up
        k = popcount(drawn[seat] & ~g.turn_up)
        if not k:
            for i in range(l.n[seat]):
                l.e[seat][i].hand |= turn_up
            continue
        for i in range(2, k + 1):
            scale[0] *= i
        s = &g.side[seat]
        most = 0
        for i in range(l.n[seat]):
            n = popcount(pool & ~cards_used(&l.e[seat][i]))
            edges = 1
            for new in range(k):
                edges = edges * (n - new) // (new + 1)
            most += edges
        fresh = <Entry*>malloc((most + 1) * sizeof(Entry))
        if fresh == NULL:
            g.failed = FAILED_MEMORY
            return False
        if (not open_hash(g, most if l.group == 1 else 2 * most)
                or not room_sets(g, s, l.n[seat]) or not room_edges(g, s, most)):
            free(fresh)
            return False
        new = 0
        for i in range(l.n[seat]):
            e = &l.e[seat][i]
            states = copies(g, l.group, e.hand, e.down)
            if states:
                s.parent[s.n_sets] = e.slot
                s.first[s.n_sets] = s.n_edges
                s.chance[s.n_sets] = True
                s.hand[s.n_sets] = e.hand
                s.down[s.n_sets] = e.down
                s.tag[s.n_sets] = e.tag
                s.n_sets += 1
            free_cards = pool & ~cards_used(e)
            if popcount(free_cards) < k:
                continue
            pattern = (<uint64_t>1 << k) - 1
            end = <uint64_t>1 << popcount(free_cards)
            while pattern < end:
                cards = deposit(pattern, free_cards) | turn_up
                pattern = next_subset(pattern)
                found = find(g, e.hand | cards, e.down, e.tag)
                if found[0] < 0:
                    fresh[new].hand = hand = e.hand | cards
                    fresh[new].down = down = e.down
                    fresh[new].tag = e.tag
                    if l.group != 1:
                        first_alike(g, l.group, &hand, &down)
                        slot = find(g, hand, down, ALIKE)
                        if slot[0] < 0:
                            slot[0] = s.n_slots
                            s.n_slots += 1
                        fresh[new].slot = slot[0]
                    else:
                        fresh[new].slot = s.n_slots
                        s.n_slots += 1
                    found[0] = fresh[new].slot
                    new += 1
                if not states:
                    continue
                each = 1
                if l.group != 1:
                    each = <double>states / alike(g, l.group, e.hand | cards, e.down)
                s.target[s.n_edges] = found[0]
                s.move[s.n_edges] = cards
                s.share[s.n_edges] = <float>each
                s.n_edges += 1
        s.first[s.n_sets] = s.n_edges
        free(l.e[seat])
        l.e[seat] = fresh
        l.n[seat] = new
    return True

cdef void draw_openly(
    Game* g, const State* before, const State* after, Lists* l, const uint64_t* drawn,
    double scale, int node,
) noexcept nogil:
    """A draw in which an open hand takes part: what it draws is seen, one public case each."""
    cdef int seat = 0 if g.open_hand[0] and drawn[0] & ~g.turn_up else 1
    cdef int i, k, j
    cdef uint64_t pool = unplaced(g, after), pattern, end, cards
    cdef uint64_t left[2]
    cdef Lists part
    cdef State s
    # What the open hands hold is no secret, so it is not in the talon.
    for i in range(2):
        if g.open_hand[i] and l.n[i]:
            pool &= ~l.e[i][0].hand
    left[0], left[1] = drawn[0], drawn[1]
    left[seat] = 0
    k = popcount(drawn[seat] & ~g.turn_up)
    for i in range(2, k + 1):
        scale *= i
    pattern = (<uint64_t>1 << k) - 1
    end = <uint64_t>1 << popcount(pool)
    while pattern < end and not g.failed:
        cards = deposit(pattern, pool)
        pattern = next_subset(pattern)
        part.group = keeping(g, l.group, cards)
        for i in range(2):
            part.e[i] = <Entry*>malloc((l.n[i] + 1) * sizeof(Entry))
            part.n[i] = 0
            if part.e[i] == NULL:
                g.failed = FAILED_MEMORY
                part.n[i] = 0
                continue
            for j in range(l.n[i]):
                if cards_used(&l.e[i][j]) & cards:
                    continue
                part.e[i][part.n[i]] = l.e[i][j]
                if i == seat:
                    part.e[i][part.n[i]].hand |= cards | (drawn[seat] & g.turn_up)
                part.n[i] += 1
        if part.n[0] and part.n[1] and not g.failed:
            s = after[0]
            go_on_drawn(g, &s, &part, left, scale, node, <uint64_t>(K_ON) << KIND_SHIFT | cards)
        free(part.e[0])
        free(part.e[1])

cdef void go_on_drawn(
    Game* g, State* pub, Lists* l, const uint64_t* drawn, double scale, int node, uint64_t label,
) noexcept nogil:
    """Go on after a move: first whatever is drawn, then the phase that follows.

    `pub` is the public state after the draw; the lists are from before it and are consumed
    (their arrays may be replaced).
    """
    cdef uint64_t pool
    cdef int i
    cdef double pay
    if is_over(g):
        return
    if (g.open_hand[0] and drawn[0] & ~g.turn_up) or (g.open_hand[1] and drawn[1] & ~g.turn_up):
        draw_openly(g, pub, pub, l, drawn, scale, node)
        return
    if drawn[0] or drawn[1]:
        pool = unplaced(g, pub)
        for i in range(2):
            if g.open_hand[i] and l.n[i]:
                pool &= ~l.e[i][0].hand
        if not draw_cards(g, pub, l, drawn, &scale, pool):
            return
    if pub.phase == PHASE_OVER:
        if pub.reason == REASON_BURA:
            pay = payoff(g, pub.stake, pub.winner, REASON_BURA)
            constant_terminal(g, pub, l, scale * orders(pub, g), pay)
        elif g.deal.unclaimed == UNCLAIMED_NO_WINNER:
            pay = payoff(g, pub.stake, NOBODY, REASON_NO_WINNER)
            constant_terminal(g, pub, l, scale * orders(pub, g), pay)
        else:
            joint_terminal(g, pub, l, scale * orders(pub, g), unclaimed_pay)
    elif pub.phase == PHASE_ANSWER:
        decide(g, pub, l, pub.turn, AT_ANSWER, True, scale, node, label)
    elif pub.phase == PHASE_CLAIM:
        decide(g, pub, l, pub.turn, AT_PASS, True, scale, node, label)
    else:
        start_trick(g, pub, l, scale, node, label)

cdef double orders(const State* pub, const Game* g) noexcept nogil:
    """In how many orders the cards left in the talon may lie."""
    cdef int n = g.deal.talon_size - pub.at, i
    cdef double total = 1
    if g.turn_up and n:
        n -= 1
    for i in range(2, n + 1):
        total *= i
    return total

cdef void start_trick(
    Game* g, const State* pub, Lists* l, double scale, int node, uint64_t label,
) noexcept nogil:
    """Hands are full and `turn` is to lead: a claim first, where a combination may be shown."""
    cdef int i, seat
    if g.deal.sight and may_claim(&g.deal, pub):
        for seat in range(2):
            for i in range(l.n[seat]):
                if sees(g, seat, &l.e[seat][i]):
                    decide(g, pub, l, pub.turn, AT_CLAIM, True, scale, node, label)
                    return
    look(g, pub, l, True, scale, node, label)

cdef void look(
    Game* g, const State* pub, const Lists* l, bint claim_ok, double scale, int node,
    uint64_t label,
) noexcept nogil:
    """Combinations that win on sight are shown; the rest plays on."""
    cdef Lists rest
    cdef int i, seat
    cdef bint some = False
    if g.deal.sight:
        for seat in range(2):
            for i in range(l.n[seat]):
                some = some or sees(g, seat, &l.e[seat][i])
    if not some:
        decide(g, pub, l, pub.turn, AT_MENU, claim_ok, scale, node, label)
        return
    joint_terminal(g, pub, l, scale * orders(pub, g), sight_pay)
    rest.group = l.group
    for seat in range(2):
        rest.n[seat] = 0
        rest.e[seat] = <Entry*>malloc((l.n[seat] + 1) * sizeof(Entry))
        if rest.e[seat] == NULL:
            g.failed = FAILED_MEMORY
            continue
        for i in range(l.n[seat]):
            if not sees(g, seat, &l.e[seat][i]):
                rest.e[seat][rest.n[seat]] = l.e[seat][i]
                rest.n[seat] += 1
    if not g.failed and rest.n[0] and rest.n[1]:
        decide(g, pub, &rest, pub.turn, AT_MENU, claim_ok, scale, node, label)
    free(rest.e[0])
    free(rest.e[1])

cdef inline void add_choice(
    Choice* out, int* n, int src, const Entry* e, uint64_t label, uint64_t move,
    uint64_t from_hand, uint64_t to_down,
) noexcept nogil:
    out[n[0]].label = out[n[0]].shown = label
    out[n[0]].move = move
    out[n[0]].hand = e.hand & ~from_hand
    out[n[0]].down = e.down | to_down
    out[n[0]].src = src
    out[n[0]].tag = e.tag
    n[0] += 1

cdef inline uint64_t word(int kind, uint64_t cards) noexcept nogil:
    return <uint64_t>kind << KIND_SHIFT | cards

cdef int choices_of(
    const Game* g, const State* dressed, const Entry* e, int src, int p, int stage,
    bint may_say, bint may_bid, bint calls, int limit, Choice* out,
) noexcept nogil:
    """The moves of one private state; at most 2 * MAX_LEADS + 4."""
    cdef uint64_t sets[MAX_LEADS]
    cdef uint64_t best, label
    cdef int n = 0, k, i
    if may_say:
        add_choice(out, &n, src, e, word(K_CLAIM, 0), word(K_CLAIM, 0), 0, 0)
    if stage == AT_CLAIM:
        add_choice(out, &n, src, e, word(K_ON, 0), word(K_ON, 0), 0, 0)
        return n
    if stage == AT_PASS:
        add_choice(out, &n, src, e, word(K_PASS, 0), word(K_PASS, 0), 0, 0)
        return n
    if stage == AT_OFFER:
        add_choice(out, &n, src, e, word(K_ACCEPT, 0), word(K_ACCEPT, 0), 0, 0)
        add_choice(out, &n, src, e, word(K_FOLD, 0), word(K_FOLD, 0), 0, 0)
    if may_bid:
        add_choice(out, &n, src, e, word(K_RAISE, 0), word(K_RAISE, 0), 0, 0)
    if stage == AT_OFFER:
        return n
    if stage == AT_CALL:
        add_choice(out, &n, src, e, word(K_ON, 0), word(K_ON, 0), 0, 0)
        k = calls_of(g, p, e.hand, limit, sets)
        for i in range(k):
            # A void call leaves the hand as it is; a good one is led by make_call.
            add_choice(out, &n, src, e, word(K_STOP, sets[i]), word(K_STOP, sets[i]), 0, 0)
        return n
    if stage == AT_MENU and calls:
        add_choice(out, &n, src, e, word(K_ON, 0), word(K_ON, 0), 0, 0)
        return n
    if stage != AT_ANSWER:
        k = generate_leads(&g.deal, e.hand, limit, sets)
        for i in range(k):
            add_choice(
                out, &n, src, e, word(K_PLAY, sets[i]), word(K_PLAY, sets[i]), sets[i], 0,
            )
        return n
    best = dressed.table[dressed.best]
    k = generate_subsets(e.hand, popcount(best), sets)
    for i in range(k):
        if g.deal.shown or set_beats(&g.deal, best, sets[i]):
            add_choice(
                out, &n, src, e, word(K_PLAY, sets[i]), word(K_PLAY, sets[i]), sets[i], 0,
            )
    if not g.deal.shown:
        # What leaves an open hand is seen, even face down.
        for i in range(k):
            label = word(K_DISCARD, sets[i] if g.open_hand[p] else <uint64_t>popcount(best))
            add_choice(out, &n, src, e, label, word(K_DISCARD, sets[i]), sets[i], sets[i])
    return n

cdef Choice* spread_out(
    Game* g, const Lists* l, int p, Choice* choice, const int32_t* order, const uint64_t* labels,
    const int* count, int n_labels, uint32_t* kept, int* start,
) noexcept nogil:
    """Every state with a move that has one of these labels: the choices and what is alike.

    Gives the targets their slots, and tells for each label the exchanges that keep it and where
    its part of the list starts. NULL if there is no memory.
    """
    cdef Side* s = &g.side[p]
    cdef Entry* mine = l.e[p]
    cdef Choice* spread
    cdef Choice* c
    cdef Choice* new
    cdef int32_t* where       # of the states after an exchange
    cdef int32_t* found
    cdef int32_t* slot
    cdef int i, j, h, n = 0
    cdef uint64_t hand, down
    spread = <Choice*>malloc((count[n_labels] * popcount(l.group) + 1) * sizeof(Choice))
    where = <int32_t*>malloc((l.n[p] * g.n_perms + 1) * sizeof(int32_t))
    if spread == NULL or where == NULL or not open_hash(g, l.n[p]):
        free(spread)
        free(where)
        return NULL
    for i in range(l.n[p]):
        find(g, mine[i].hand, mine[i].down, 0)[0] = i
    for i in range(l.n[p]):
        for h in range(g.n_perms):
            if l.group >> h & 1:
                where[i * g.n_perms + h] = find(
                    g, image(g, h, mine[i].hand), image(g, h, mine[i].down), 0
                )[0]
    for j in range(n_labels):
        start[j] = n
        kept[j] = l.group
        if labels[j] >> KIND_SHIFT != K_DISCARD or g.open_hand[p]:
            kept[j] = keeping(g, l.group, labels[j] & CARDS)
        if not open_hash(g, 2 * (count[j + 1] - count[j]) * popcount(l.group)):
            free(spread)
            free(where)
            return NULL
        for i in range(count[j], count[j + 1]):
            c = &choice[order[i]]
            for h in range(g.n_perms):
                if not l.group >> h & 1 or label_image(g, p, h, c.shown) != labels[j]:
                    continue
                hand = image(g, h, c.hand)
                down = image(g, h, c.down)
                found = find(g, hand, down, 0)
                if found[0] >= 0:
                    c.target = spread[found[0]].target
                    continue
                found[0] = n
                new = &spread[n]
                n += 1
                new[0] = c[0]
                new.label = new.shown = labels[j]
                new.move = image(g, h, c.move)
                new.hand = hand
                new.down = down
                new.src = where[c.src * g.n_perms + h]
                first_alike(g, kept[j], &hand, &down)
                slot = find(g, hand, down, ALIKE)
                if slot[0] < 0:
                    slot[0] = s.n_slots
                    s.n_slots += 1
                c.target = new.target = slot[0]
            c.alike = 0
        for i in range(count[j], count[j + 1]):
            c = &choice[order[i]]
            for h in range(g.n_perms):
                if l.group >> h & 1 and label_image(g, p, h, c.shown) == labels[j]:
                    c.alike = alike(
                        g, kept[j], image(g, h, c.hand), image(g, h, c.down)
                    )
                    break
    start[n_labels] = n
    free(where)
    return spread

cdef void decide(
    Game* g, const State* pub, const Lists* l, int p, int stage, bint claim_ok, double scale,
    int up, uint64_t up_label,
) noexcept nogil:
    """A public node at which seat `p` decides, and everything below it; notes what that is."""
    cdef int node = g.n_nodes, first = g.n_terminals
    cdef int begin[2]
    begin[0] = g.side[0].n_sets
    begin[1] = g.side[1].n_sets
    grow_node(g, pub, l, p, stage, claim_ok, scale, up, up_label)
    if g.n_nodes == node or g.node[node].end:
        return  # there was nothing to decide, or somebody else did first
    g.node[node].end = g.n_nodes
    g.node[node].set_begin[0] = begin[0]
    g.node[node].set_begin[1] = begin[1]
    g.node[node].set_end[0] = g.side[0].n_sets
    g.node[node].set_end[1] = g.side[1].n_sets
    g.node[node].terminal_begin = first
    g.node[node].terminal_end = g.n_terminals

cdef void grow_node(
    Game* g, const State* pub, const Lists* l, int p, int stage, bint claim_ok, double scale,
    int up, uint64_t up_label,
) noexcept nogil:
    """What `decide` does."""
    cdef Side* s = &g.side[p]
    cdef State dressed = pub[0]
    cdef Entry* mine = l.e[p]
    cdef Entry* his = l.e[1 - p]
    cdef int n_mine = l.n[p], n_his = l.n[1 - p]
    cdef Choice* choice = NULL
    cdef Choice* grown
    cdef Choice* spread = NULL
    cdef uint64_t sets[MAX_LEADS]
    cdef uint64_t labels[MAX_LABELS]
    cdef uint32_t kept[MAX_LABELS]
    cdef int count[MAX_LABELS + 1]
    cdef int start[MAX_LABELS + 1]
    cdef int32_t* order = NULL
    cdef int32_t* found
    cdef int i, j, k, n = 0, cap = 0, n_labels = 0, a = 0, b = 0, limit = 0, node, base
    cdef int n_perms = popcount(l.group), states
    cdef bint may_say = False, may_bid = False, calls = False
    cdef int low, high, points, sure
    cdef Lists part
    cdef Choice* c
    if is_over(g):
        return
    if not n_mine or not n_his or not pair(l, &a, &b):
        return
    dress(&dressed, &l.e[0][a], &l.e[1][b])
    if stage == AT_CALL:
        dressed.turn = pub.turn
    if stage in (AT_MENU, AT_LEAD, AT_CALL):
        limit = lead_limit(&g.deal, &dressed, p)
    if stage in (AT_CLAIM, AT_PASS) or (stage in (AT_MENU, AT_ANSWER) and claim_ok):
        may_say = may_claim(&g.deal, &dressed)
    if stage in (AT_MENU, AT_ANSWER, AT_OFFER):
        may_bid = may_raise(&g.deal, &dressed)
        may_bid = may_bid and next_stake(
            &g.deal, dressed.offer if stage == AT_OFFER else dressed.stake
        ) <= g.top_stake
    if stage == AT_MENU and g.deal.callable and not pub.called:
        k = lead_limit(&g.deal, &dressed, 1 - p)
        for i in range(n_his):
            if calls_of(g, 1 - p, his[i].hand, k, sets):
                calls = True
                break
    if may_say and g.prune and up >= 0:
        # A claim that is sure to hold is worth the stake, and no more can be had: the other
        # knows it too, and loses no more than that by giving up whatever he is offered. One
        # that is sure to fail costs the stake, and so does giving up, at most.
        low, high = 1000, -1000
        for i in range(n_his):
            points = points_of(his[i].down)
            low = points if points < low else low
            high = points if points > high else high
        points = count_of(&g.deal, pub, p)
        sure = 0
        for i in range(low, high + 1):
            sure += good_claim(&g.deal, points + i)
        if sure == high - low + 1:
            claim_terminal(g, pub, l, scale * orders(pub, g), p)
            return
        if sure == 0:
            may_say = False
            if stage == AT_CLAIM:
                look(g, pub, l, False, scale, up, up_label)
                return
    if stage == AT_MENU and calls and not may_say and not may_bid:
        decide(g, pub, l, 1 - p, AT_CALL, True, scale, up, up_label)
        return

    # What every private state may do.
    for i in range(n_mine):
        if n + 2 * MAX_LEADS + 8 > cap:
            cap = cap * 2 + 4 * MAX_LEADS
            grown = <Choice*>realloc(choice, cap * sizeof(Choice))
            if grown == NULL:
                g.failed = FAILED_MEMORY
                free(choice)
                return
            choice = grown
        if not copies(g, l.group, mine[i].hand, mine[i].down):
            continue
        k = n
        n += choices_of(
            g, &dressed, &mine[i], i, p, stage, may_say, may_bid, calls, limit, &choice[n],
        )
        if l.group != 1:
            for k in range(k, n):
                choice[k].label = first_label(g, l.group, p, choice[k].shown)
    # Number the labels, and sort the moves by them.
    for i in range(n):
        for j in range(n_labels):
            if labels[j] == choice[i].label:
                break
        else:
            j = n_labels
            if j == MAX_LABELS:
                g.failed = FAILED_SIZE
                free(choice)
                return
            labels[j] = choice[i].label
            count[j] = 0
            n_labels += 1
        choice[i].group = j
        count[j] += 1
    if not n:
        free(choice)
        return
    order = <int32_t*>malloc((n + 1) * sizeof(int32_t))
    if order == NULL or not room_sets(g, s, n_mine) or not room_edges(g, s, n):
        if order == NULL:
            g.failed = FAILED_MEMORY
        free(choice)
        free(order)
        return
    if not room(g, <void**>&g.node, &g.cap_nodes, g.n_nodes + 1, sizeof(Node)):
        free(choice)
        free(order)
        return
    node = g.n_nodes
    g.n_nodes += 1
    g.node[node].label = up_label
    g.node[node].parent = up
    g.node[node].first = s.n_sets
    g.node[node].count = 0
    g.node[node].player = p
    g.node[node].stage = stage
    g.node[node].end = 0
    j = 0
    for i in range(n_labels):
        k = count[i]
        count[i] = j
        j += k
    count[n_labels] = n
    for i in range(n):
        order[count[choice[i].group]] = i
        count[choice[i].group] += 1
    for i in range(n_labels, 0, -1):
        count[i] = count[i - 1]
    count[0] = 0
    # One slot for every private state after a label, or for all that are alike.
    if l.group != 1:
        spread = spread_out(g, l, p, choice, order, labels, count, n_labels, kept, start)
        if spread == NULL:
            g.failed = FAILED_MEMORY
            free(choice)
            free(order)
            return
    for j in range(n_labels):
        if l.group != 1:
            continue
        kept[j] = 1
        if labels[j] >> KIND_SHIFT == K_DISCARD:
            if not open_hash(g, count[j + 1] - count[j]):
                free(choice)
                free(order)
                return
            for i in range(count[j], count[j + 1]):
                c = &choice[order[i]]
                found = find(g, c.hand, c.down, c.tag)
                if found[0] < 0:
                    found[0] = s.n_slots
                    s.n_slots += 1
                c.target = found[0]
        else:
            for i in range(count[j], count[j + 1]):
                choice[order[i]].target = s.n_slots
                s.n_slots += 1
    # The sets with their edges.
    j = 0
    for i in range(n_mine):
        states = copies(g, l.group, mine[i].hand, mine[i].down)
        if not states:
            continue
        g.node[node].count += 1
        s.parent[s.n_sets] = mine[i].slot
        s.first[s.n_sets] = s.n_edges
        s.chance[s.n_sets] = False
        s.hand[s.n_sets] = mine[i].hand
        s.down[s.n_sets] = mine[i].down
        s.tag[s.n_sets] = mine[i].tag
        s.n_sets += 1
        while j < n and choice[j].src == i:
            s.target[s.n_edges] = choice[j].target
            s.move[s.n_edges] = choice[j].move
            s.share[s.n_edges] = 1
            if l.group != 1:
                # Pairs of a state and a move alike, over the labels and states they lead to.
                k = choice[j].group
                s.share[s.n_edges] = <float>(
                    <double>states * popcount(kept[k]) / n_perms / choice[j].alike
                )
            s.n_edges += 1
            j += 1
    s.first[s.n_sets] = s.n_edges
    # What follows each label.
    for j in range(n_labels):
        if g.failed:
            break
        k = count[j + 1] - count[j] if spread == NULL else start[j + 1] - start[j]
        part.e[p] = <Entry*>malloc((k + 1) * sizeof(Entry))
        part.e[1 - p] = <Entry*>malloc((n_his + 1) * sizeof(Entry))
        part.n[0] = part.n[1] = 0
        part.group = kept[j]
        if part.e[0] == NULL or part.e[1] == NULL:
            g.failed = FAILED_MEMORY
        elif spread != NULL:
            for i in range(start[j], start[j + 1]):
                c = &spread[i]
                k = part.n[p]
                part.e[p][k].hand = c.hand
                part.e[p][k].down = c.down
                part.e[p][k].tag = c.tag
                part.e[p][k].slot = c.target
                part.n[p] += 1
            follow(
                g, pub, l, &part, p, stage, labels[j], &spread[start[j]], NULL,
                start[j + 1] - start[j], claim_ok,
                scale * (n_perms // popcount(kept[j])), node,
            )
        else:
            base = -1
            for i in range(count[j], count[j + 1]):
                c = &choice[order[i]]
                # A slot that several moves lead to comes new with the first of them.
                if c.target > base:
                    base = c.target
                    k = part.n[p]
                    part.e[p][k].hand = c.hand
                    part.e[p][k].down = c.down
                    part.e[p][k].tag = c.tag
                    part.e[p][k].slot = c.target
                    part.n[p] += 1
            follow(
                g, pub, l, &part, p, stage, labels[j], choice, order + count[j],
                count[j + 1] - count[j], claim_ok, scale, node,
            )
        free(part.e[0])
        free(part.e[1])
    free(choice)
    free(order)
    free(spread)

cdef void take_rest(Lists* part, int seat, const Lists* l, uint64_t shown) noexcept nogil:
    """The other player's states that remain possible when these cards are shown."""
    cdef int i, n = 0
    for i in range(l.n[seat]):
        if not cards_used(&l.e[seat][i]) & shown:
            part.e[seat][n] = l.e[seat][i]
            n += 1
    part.n[seat] = n

cdef void follow(
    Game* g, const State* pub, const Lists* l, Lists* part, int p, int stage, uint64_t label,
    const Choice* choice, const int32_t* order, int n, bint claim_ok, double scale, int node,
) noexcept nogil:
    """What comes after a public move: `part` has the mover's states, the other's are added.

    `choice` are the mover's states with this move, in the given order or as they stand.
    """
    cdef int kind = <int>(label >> KIND_SHIFT), q = 1 - p, i, j, seat
    cdef uint64_t cards = label & ((<uint64_t>1 << 36) - 1), whole
    cdef uint64_t expected[2]
    cdef uint64_t drawn[2]
    cdef State s = pub[0]
    cdef Deal d
    cdef Entry a, b
    cdef Lists half
    cdef bint found = False, legal
    cdef const Choice* c = choice
    take_rest(part, q, l, cards if kind in (K_PLAY, K_STOP) or g.open_hand[p] else 0)
    if not part.n[q]:
        return
    if kind == K_CLAIM:
        claim_terminal(g, pub, part, scale * orders(pub, g), p)
        return
    if kind == K_FOLD:
        fold_raise(&s)
        constant_terminal(
            g, pub, part, scale * orders(pub, g),
            payoff(g, s.stake, s.winner, REASON_FOLD),
        )
        return
    if kind == K_ACCEPT:
        accept_raise(&s)
        decide(
            g, &s, part, s.turn, AT_ANSWER if s.phase == PHASE_ANSWER else AT_MENU, True, scale,
            node, label,
        )
        return
    if kind == K_RAISE:
        make_raise(&g.deal, &s)
        decide(g, &s, part, s.turn, AT_OFFER, True, scale, node, label)
        return
    if kind == K_ON:
        if stage == AT_CLAIM:
            look(g, pub, part, False, scale, node, label)
        elif stage == AT_MENU:
            decide(g, pub, part, q, AT_CALL, True, scale, node, label)
        else:
            decide(g, pub, part, q, AT_LEAD, False, scale, node, label)
        return
    # The rule engine plays the move in one joint deal; what is public of it holds in all.
    for i in range(n):
        c = &choice[i if order == NULL else order[i]]
        a = l.e[p][c.src]
        for j in range(part.n[q]):
            if fits(&a, &part.e[q][j]):
                b = part.e[q][j]
                found = True
                break
        if found:
            break
    if not found:
        return
    if p == 0:
        dress(&s, &a, &b)
    else:
        dress(&s, &b, &a)
    d = g.plain
    if p == 0:
        lay_talon(g, &d, pub, &a, &b)
    else:
        lay_talon(g, &d, pub, &b, &a)
    expected[q] = b.hand
    expected[p] = c.hand
    if kind == K_STOP:
        # Void if the leader holds as high a combination: only his states of lower ones go on.
        for legal in range(2):
            half.n[p] = part.n[p]
            half.group = part.group
            half.e[p] = <Entry*>malloc((part.n[p] + 1) * sizeof(Entry))
            half.e[q] = <Entry*>malloc((part.n[q] + 1) * sizeof(Entry))
            half.n[q] = 0
            if half.e[0] == NULL or half.e[1] == NULL:
                g.failed = FAILED_MEMORY
            else:
                memcpy(half.e[p], part.e[p], part.n[p] * sizeof(Entry))
                for j in range(part.n[q]):
                    if is_call(g, pub, p, &a, &part.e[q][j], cards) == legal:
                        half.e[q][half.n[q]] = part.e[q][j]
                        half.n[q] += 1
                if half.n[q]:
                    if legal:
                        call_good(g, pub, &half, p, cards, scale, node, label)
                    else:
                        decide(g, pub, &half, q, AT_LEAD, False, scale, node, label)
            free(half.e[0])
            free(half.e[1])
        return
    whole = (<const Choice*>c).move & ((<uint64_t>1 << 36) - 1)
    if kind == K_PASS:
        pass_claim(&d, &s)
    elif stage == AT_ANSWER:
        play_answer(&d, &s, whole, kind == K_DISCARD)
    else:
        play_lead(&d, &s, whole)
    for seat in range(2):
        drawn[seat] = s.hand[seat] & ~expected[seat]
    strip(&s)
    go_on_drawn(g, &s, part, drawn, scale, node, label)

cdef bint is_call(
    const Game* g, const State* pub, int p, const Entry* caller, const Entry* leader,
    uint64_t cards,
) noexcept nogil:
    """Does the rule engine let this state of the caller call against this one of the leader?"""
    cdef State s = pub[0]
    cdef uint64_t sets[MAX_LEADS]
    cdef int n, i
    if p == 0:
        dress(&s, caller, leader)
    else:
        dress(&s, leader, caller)
    n = generate_calls(&g.deal, &s, p, sets)
    for i in range(n):
        if sets[i] == cards:
            return True
    return False

cdef void call_good(
    Game* g, const State* pub, Lists* l, int p, uint64_t cards, double scale, int node,
    uint64_t label,
) noexcept nogil:
    """A call that holds: the caller leads these cards."""
    cdef State s = pub[0]
    cdef int i, a = 0, b = 0
    cdef uint64_t none[2]
    if not pair(l, &a, &b):
        return
    dress(&s, &l.e[0][a], &l.e[1][b])
    make_call(&g.plain, &s, p, cards)
    strip(&s)
    for i in range(l.n[p]):
        l.e[p][i].hand &= ~cards
    none[0] = none[1] = 0
    go_on_drawn(g, &s, l, none, scale, node, label)

# ---------------------------------------------------------------- iterations

cdef void reach_sets(
    const Side* s, int begin, int end, const double* sigma, double* total, double weight,
) noexcept nogil:
    """Reach of the slots that some sets lead to."""
    cdef double* x = s.x
    cdef int i, e, last
    cdef double reach, y
    for i in range(begin, end):
        reach = x[s.parent[i]]
        e = s.first[i]
        last = s.first[i + 1]
        if s.chance[i]:
            while e < last:
                x[s.target[e]] += reach * s.share[e]
                e += 1
        elif total == NULL:
            while e < last:
                x[s.target[e]] += reach * sigma[e] * s.share[e]
                e += 1
        else:
            while e < last:
                y = reach * sigma[e]
                x[s.target[e]] += y * s.share[e]
                total[e] += weight * y
                e += 1

cdef void forward(
    Game* g, int p, const double* sigma, double* total, double weight,
) noexcept nogil:
    """Reach of every slot of player p; adds to the average strategy where `total` is given.

    What is below a node that he does not reach is left out, and noted as a cut: there all values
    of the other are 0, and he has nothing to learn.
    """
    cdef Side* s = &g.side[p]
    cdef const Node* node
    cdef Cut* cut
    cdef int i = 0, k, n = 0, end
    memset(s.x + s.n_root, 0, (s.n_slots - s.n_root) * sizeof(double))
    s.n_cuts = 0
    while True:
        while n < g.n_nodes and g.node[n].player != p:
            n += 1
        if n == g.n_nodes:
            reach_sets(s, i, s.n_sets, sigma, total, weight)
            return
        node = &g.node[n]
        # Between nodes cards are drawn.
        reach_sets(s, i, node.first, sigma, total, weight)
        i = node.first
        end = i + node.count
        for k in range(i, end):
            if s.x[s.parent[k]] != 0:
                break
        else:
            cut = &s.cut[s.n_cuts]
            s.n_cuts += 1
            cut.set_begin = node.set_begin[1 - p]
            cut.set_end = node.set_end[1 - p]
            cut.terminal_begin = node.terminal_begin
            cut.terminal_end = node.terminal_end
            i = node.set_end[p]
            n = node.end
            continue
        reach_sets(s, i, end, sigma, total, weight)
        i = end
        n += 1

cdef void meet(const Game* g, int p, const double* x, double* v, double* scratch) noexcept nogil:
    """Values of player p's slots at the terminals, against the reach of the other's."""
    cdef const Side* his = &g.side[1 - p]
    cdef int i, begin = 0
    for i in range(his.n_cuts):
        meet_there(g, p, begin, his.cut[i].terminal_begin, x, v, scratch)
        begin = his.cut[i].terminal_end
    meet_there(g, p, begin, g.n_terminals, x, v, scratch)

cdef void meet_there(
    const Game* g, int p, int begin, int stop, const double* x, double* v, double* scratch,
) noexcept nogil:
    """The same at some of the terminals."""
    cdef const Side* mine = &g.side[p]
    cdef const Side* his = &g.side[1 - p]
    cdef const Terminal* t
    cdef int i, j, k, end, a, b
    cdef double total, scale, sign = 1 if p == 0 else -1
    cdef double* acc
    for i in range(begin, stop):
        t = &g.terminal[i]
        scale = sign * t.scale
        a = t.group[p]
        b = t.group[1 - p]
        if t.kind == MATCHED:
            k = his.start[b]
            j = mine.start[a]
            for b in range(b + 1, b + 1 + t.groups[1 - p]):
                end = his.start[b]
                total = 0
                while k < end:
                    total += his.weight[k] * x[his.slot[k]]
                    k += 1
                a += 1
                end = mine.start[a]
                total *= scale
                while j < end:
                    v[mine.slot[j]] += total * mine.weight[j]
                    j += 1
            continue
        acc = scratch + t.groups[1 - p]
        k = his.start[b]
        for j in range(t.groups[1 - p]):
            end = his.start[b + j + 1]
            total = 0
            while k < end:
                total += his.weight[k] * x[his.slot[k]]
                k += 1
            scratch[j] = total
        memset(acc, 0, t.groups[p] * sizeof(double))
        if p == 0:
            for k in range(t.link, t.link + t.links):
                acc[g.link_a[k]] += g.link_c[k] * scratch[g.link_b[k]]
        else:
            for k in range(t.link, t.link + t.links):
                acc[g.link_b[k]] += g.link_c[k] * scratch[g.link_a[k]]
        k = mine.start[a]
        for j in range(t.groups[p]):
            end = mine.start[a + j + 1]
            total = acc[j] * scale
            while k < end:
                v[mine.slot[k]] += total * mine.weight[k]
                k += 1

cdef void learn(const Game* g, int p) noexcept nogil:
    """Values of player p up the tree, and what they teach him, where the other may come."""
    cdef const Side* s = &g.side[p]
    cdef const Side* his = &g.side[1 - p]
    cdef int i, end = s.n_sets
    for i in range(his.n_cuts - 1, -1, -1):
        learn_there(s, his.cut[i].set_end, end, s.v, s.regret, s.sigma)
        end = his.cut[i].set_begin
    learn_there(s, 0, end, s.v, s.regret, s.sigma)

cdef void learn_there(
    const Side* s, int begin, int stop, double* v, double* regret, double* sigma,
) noexcept nogil:
    """The same in some of the sets: regret matching plus, one step ahead."""
    cdef int i, e, first, end
    cdef double mean, r, total, even
    for i in range(stop - 1, begin - 1, -1):
        first = s.first[i]
        end = s.first[i + 1]
        mean = 0
        if s.chance[i]:
            for e in range(first, end):
                mean += v[s.target[e]] * s.share[e]
            v[s.parent[i]] += mean
            continue
        if end - first == 1:
            v[s.parent[i]] += v[s.target[first]] * s.share[first]
            continue
        for e in range(first, end):
            mean += sigma[e] * v[s.target[e]] * s.share[e]
        v[s.parent[i]] += mean
        total = 0
        for e in range(first, end):
            r = v[s.target[e]] * s.share[e] - mean
            regret[e] = regret[e] + r if regret[e] + r > 0 else 0
            r = regret[e] + r
            r = r if r > 0 else 0
            sigma[e] = r
            total += r
        if total > 0:
            total = 1 / total
            for e in range(first, end):
                sigma[e] *= total
        else:
            even = 1.0 / (end - first)
            for e in range(first, end):
                sigma[e] = even

cdef void best_response(const Side* s, double* v) noexcept nogil:
    cdef int i, e
    cdef double best
    for i in range(s.n_sets - 1, -1, -1):
        if s.chance[i]:
            best = 0
            for e in range(s.first[i], s.first[i + 1]):
                best += v[s.target[e]] * s.share[e]
        else:
            best = -1e300
            for e in range(s.first[i], s.first[i + 1]):
                if v[s.target[e]] * s.share[e] > best:
                    best = v[s.target[e]] * s.share[e]
        v[s.parent[i]] += best

cdef void evaluate(const Side* s, double* v, const double* sigma) noexcept nogil:
    cdef int i, e
    cdef double mean
    for i in range(s.n_sets - 1, -1, -1):
        mean = 0
        for e in range(s.first[i], s.first[i + 1]):
            mean += v[s.target[e]] * s.share[e] * (1 if s.chance[i] else sigma[e])
        v[s.parent[i]] += mean

cdef void average(const Side* s, double* out) noexcept nogil:
    """The average strategy, from its sums."""
    cdef int i, e
    cdef double total
    for i in range(s.n_sets):
        total = 0
        for e in range(s.first[i], s.first[i + 1]):
            total += s.total[e]
        if total > 0:
            for e in range(s.first[i], s.first[i + 1]):
                out[e] = s.total[e] / total
        else:
            for e in range(s.first[i], s.first[i + 1]):
                out[e] = 1.0 / (s.first[i + 1] - s.first[i])

# ---------------------------------------------------------------- Python

_KINDS = {
    K_CLAIM: "claim", K_FOLD: "fold", K_ON: "on", K_PASS: "pass", K_ACCEPT: "accept",
    K_RAISE: "raise", K_STOP: "stop", K_PLAY: "play", K_DISCARD: "discard",
}
_STAGES = {
    AT_CLAIM: "claim", AT_MENU: "menu", AT_CALL: "call", AT_LEAD: "lead", AT_ANSWER: "answer",
    AT_OFFER: "offer", AT_PASS: "pass",
}
_FAILURES = {FAILED_SIZE: "size", FAILED_MEMORY: "memory", FAILED_TIME: "time"}
_REASON_NUMBERS = {name: number for number, name in enumerate(_REASONS)}


def stakes_from(view, int most_raises):
    """The stakes that ``most_raises`` further raises can reach, the present one first."""
    cdef Deal deal
    cdef State state
    fill_template(view, &deal, &state)
    stake = state.stake
    found = [int(stake)]
    if view.text.offer is not None:
        stake = view.text.offer
        found.append(int(stake))
    while len(found) <= most_raises + (view.text.offer is not None) and len(found) < MAX_LEVELS:
        stake = next_stake(&deal, stake)
        if not stake:
            break
        found.append(int(stake))
    return found


cdef class PublicEnding:
    """The public tree of a small ending, and a strategy for it that gets better.

    ``view`` tells what is public, `known` what of the seats' hands beyond that both have seen
    (masks by seat). ``places`` is (cards of the pool in each hand, face down of each seat, pool).
    ``pay(stake, winner, reason)`` is what seat 0 gets; ``joint`` the number of joint deals,
    the orders of the talon included. `ready` tells whether the tree was built; if not, `failed`
    says why.
    """

    cdef Game g
    cdef readonly object view
    cdef readonly object pairs
    cdef readonly object joint
    cdef readonly object infosets
    cdef readonly int iterations
    cdef readonly double lower      # of the value to seat 0
    cdef readonly double upper
    cdef double mass                # weight of all joint deals
    cdef double* scratch
    cdef double* mean[2]            # average strategies
    cdef double* own[2]             # prior weights of root states
    cdef double* begin[2]           # the same by slot
    cdef uint32_t group             # all exchanges of suits
    cdef Entry* root[2]
    cdef double build_seconds

    def __cinit__(self):
        memset(&self.g, 0, sizeof(Game))
        self.scratch = NULL
        self.mean[0] = self.mean[1] = NULL
        self.own[0] = self.own[1] = NULL
        self.begin[0] = self.begin[1] = NULL
        self.root[0] = self.root[1] = NULL

    def __dealloc__(self):
        cdef Side* s
        cdef int i
        for i in range(2):
            s = &self.g.side[i]
            free(s.parent)
            free(s.first)
            free(s.chance)
            free(s.hand)
            free(s.down)
            free(s.tag)
            free(s.target)
            free(s.move)
            free(s.share)
            free(s.slot)
            free(s.weight)
            free(s.start)
            free(s.x)
            free(s.v)
            free(s.regret)
            free(s.sigma)
            free(s.total)
            free(s.cut)
            free(self.mean[i])
            free(self.own[i])
            free(self.begin[i])
            free(self.root[i])
        free(self.g.terminal)
        free(self.g.link_a)
        free(self.g.link_b)
        free(self.g.link_c)
        free(self.g.node)
        free(self.g.prior)
        free(self.g.hash_key)
        free(self.g.hash_key2)
        free(self.g.hash_tag)
        free(self.g.hash_value)
        free(self.g.hash_stamp)
        free(self.scratch)

    def __init__(
        self, view, *, known, places, stakes, pay, prior, prune, symmetries, size, max_seconds,
        stop,
    ):
        cdef Game* g = &self.g
        cdef State s
        cdef Lists l
        cdef Side* side
        cdef int i, j, k, n, seat, reason, winner
        cdef uint64_t pool, pattern, cards, rest, end, end2, pattern2
        cdef uint64_t shown[2]
        cdef bint calling
        self.view = view
        text = view.text
        fill_template(view, &g.deal, &s)
        (hands, down_counts, pool_mask) = places
        g.pool = pool = pool_mask
        g.turn_up = 0
        if text.talon and text.rules.trumps and text.talon[len(text.talon) - 1] is not None:
            g.turn_up = <uint64_t>1 << <int>text.talon[len(text.talon) - 1]
        for seat in range(2):
            g.open_hand[seat] = seat in text.rules.open_seats
            shown[seat] = known[seat]
            # Only what is public stays in the state.
            s.hand[seat] = s.down[seat] = s.closed_pile[seat] = 0
            bare = text.piles[seat].points
            s.points[seat] = points_of(s.open_pile[seat]) if bare is None else bare
        if text.offer is not None:
            s.offer = text.offer
            s.resume = s.phase
            s.interrupted = s.turn
            s.turn = 1 - s.raiser
            s.phase = PHASE_RAISED
        g.plain = g.deal
        g.plain.sight = False
        g.levels = len(stakes)
        for i in range(g.levels):
            g.stake[i] = stakes[i]
            for winner in range(3):
                for reason in range(1, len(_REASONS)):
                    g.pay[i][winner][reason] = pay(
                        stakes[i], None if winner == 2 else winner, _REASONS[reason],
                    )
        g.top_stake = stakes[len(stakes) - 1]
        g.prune = prune
        g.limit = size
        g.deadline = 0 if max_seconds is None else seconds() + max_seconds
        g.stop_flag = NULL if stop is None else &(<Stop>stop).flag
        self.build_seconds = seconds()
        # The private states of both seats.
        for seat in range(2):
            n = _ways(popcount(pool), hands[seat], down_counts[seat])
            self.root[seat] = <Entry*>malloc((n + 1) * sizeof(Entry))
            if self.root[seat] == NULL:
                raise MemoryError()
            k = 0
            pattern = (<uint64_t>1 << <int>hands[seat]) - 1
            end = <uint64_t>1 << popcount(pool)
            while True:
                cards = deposit(pattern, pool)
                rest = pool & ~cards
                pattern2 = (<uint64_t>1 << <int>down_counts[seat]) - 1
                end2 = <uint64_t>1 << popcount(rest)
                while True:
                    self.root[seat][k].hand = cards | shown[seat]
                    self.root[seat][k].down = deposit(pattern2, rest)
                    k += 1
                    if not pattern2:
                        break
                    pattern2 = next_subset(pattern2)
                    if pattern2 >= end2:
                        break
                if not pattern:
                    break
                pattern = next_subset(pattern)
                if pattern >= end:
                    break
            n = k
            # A hand that a combination would have ended is not possible any more.
            k = 0
            for i in range(n):
                if self._is_ended(&s, seat, &self.root[seat][i]):
                    continue
                self.root[seat][k] = self.root[seat][i]
                self.root[seat][k].tag = k
                k += 1
            g.side[seat].n_states = k
            self.own[seat] = <double*>malloc((k + 1) * sizeof(double))
            if self.own[seat] == NULL:
                raise MemoryError()
            for i in range(k):
                self.own[seat][i] = 1
        if prior is not None:
            self._weigh(prior)
        if not g.tagged:
            for seat in range(2):
                for i in range(g.side[seat].n_states):
                    self.root[seat][i].tag = 0
        self._exchange(&s, shown, symmetries and not g.tagged)
        # Joint deals, and their weight in all.
        n = 0
        self.mass = 0
        for i in range(g.side[0].n_states):
            for j in range(g.side[1].n_states):
                if fits(&self.root[0][i], &self.root[1][j]):
                    n += 1
                    self.mass += (
                        self.own[0][i] * self.own[1][j]
                        * factor(g, &self.root[0][i], &self.root[1][j])
                    )
        self.pairs = n
        self.joint = n * <int64_t>orders(&s, g)
        if self.mass <= 0:
            g.failed = FAILED_SIZE
            return
        l.group = self.group
        for seat in range(2):
            l.n[seat] = g.side[seat].n_states
            l.e[seat] = <Entry*>malloc((l.n[seat] + 1) * sizeof(Entry))
            if l.e[seat] == NULL:
                raise MemoryError()
            memcpy(l.e[seat], self.root[seat], l.n[seat] * sizeof(Entry))
            side = &g.side[seat]
            room_sets(g, side, 1)
            room_groups(g, side, 1)
        calling = s.phase == PHASE_LEAD and view.seat != s.turn
        with nogil:
            self._grow(&s, &l, calling)
        for seat in range(2):
            free(l.e[seat])
            side = &g.side[seat]
            if side.first != NULL:
                side.first[side.n_sets] = side.n_edges
        self.infosets = g.side[0].n_sets + g.side[1].n_sets
        self.build_seconds = seconds() - self.build_seconds
        if g.failed:
            return
        self._prepare()

    cdef bint _is_ended(self, const State* s, int seat, const Entry* e) noexcept:
        """Would this state have shown a combination before the public situation came about?"""
        if not sees(&self.g, seat, e):
            return False
        if s.phase == PHASE_ANSWER or (s.phase == PHASE_RAISED and s.resume == PHASE_ANSWER):
            return not s.table[seat]
        if s.phase == PHASE_RAISED:
            return True
        # Whoever may claim does so before anything is shown.
        return s.phase == PHASE_LEAD and (s.claimant != s.turn or self.view.seat != s.turn)

    cdef int _weigh(self, prior) except -1:
        """Weights of the joint deals: products of two, or any (then root states stay apart)."""
        cdef Game* g = &self.g
        cdef int i, j, seat
        cdef int n0 = g.side[0].n_states, n1 = g.side[1].n_states
        cdef int64_t at
        kind, given = prior
        if kind == "product":
            for seat in range(2):
                for i in range(g.side[seat].n_states):
                    self.own[seat][i] = given[seat](
                        self.root[seat][i].hand, self.root[seat][i].down
                    )
            return 0
        g.prior = <double*>calloc(<size_t>n0 * n1 + 1, sizeof(double))
        if g.prior == NULL:
            raise MemoryError()
        g.prior_width = n1
        g.tagged = True
        for i in range(n0):
            for j in range(n1):
                if fits(&self.root[0][i], &self.root[1][j]):
                    at = <int64_t>i * n1 + j
                    g.prior[at] = given(
                        (self.root[0][i].hand, self.root[1][j].hand),
                        (self.root[0][i].down, self.root[1][j].down),
                    )
        return 0

    cdef int _exchange(self, const State* s, const uint64_t* known, bint wanted) except -1:
        """Find the exchanges of suits that change nothing, and give root states alike one slot."""
        cdef Game* g = &self.g
        cdef Side* side
        cdef int seat, i, h, kept = 1
        cdef uint64_t hand, down
        find_symmetries(g, s, known)
        if not wanted:
            g.n_perms = 1
        weights = [
            {
                (self.root[seat][i].hand, self.root[seat][i].down): self.own[seat][i]
                for i in range(g.side[seat].n_states)
            }
            for seat in range(2)
        ]
        # Nor may an exchange change how likely a hand is.
        for h in range(1, g.n_perms):
            if all(
                by_state[image(g, h, hand), image(g, h, down)] == weight
                for by_state in weights for (hand, down), weight in by_state.items()
            ):
                for i in range(DECK_CARDS):
                    g.perm[kept][i] = g.perm[h][i]
                kept += 1
        g.n_perms = kept
        self.group = <uint32_t>((<uint64_t>1 << kept) - 1)
        for seat in range(2):
            side = &g.side[seat]
            self.begin[seat] = <double*>malloc((side.n_states + 1) * sizeof(double))
            if self.begin[seat] == NULL:
                raise MemoryError()
            slots = {}
            for i in range(side.n_states):
                hand = self.root[seat][i].hand
                down = self.root[seat][i].down
                first_alike(g, self.group, &hand, &down)
                self.root[seat][i].slot = slots.setdefault((hand, down), len(slots))
                self.begin[seat][self.root[seat][i].slot] = self.own[seat][i]
            side.n_root = side.n_slots = len(slots)
        return 0

    cdef void _grow(self, State* s, Lists* l, bint calling) noexcept nogil:
        cdef Game* g = &self.g
        cdef double scale = 1.0 / (self.mass * orders(s, g))
        if s.phase == PHASE_RAISED:
            decide(g, s, l, s.turn, AT_OFFER, True, scale, -1, 0)
        elif s.phase == PHASE_ANSWER:
            decide(g, s, l, s.turn, AT_ANSWER, True, scale, -1, 0)
        elif s.phase == PHASE_CLAIM:
            decide(g, s, l, s.turn, AT_PASS, True, scale, -1, 0)
        elif calling:
            decide(g, s, l, 1 - s.turn, AT_CALL, True, scale, -1, 0)
        elif not popcount(l.e[s.turn][0].hand):
            s.phase = PHASE_CLAIM
            decide(g, s, l, s.turn, AT_PASS, True, scale, -1, 0)
        else:
            start_trick(g, s, l, scale, -1, 0)

    cdef int _prepare(self) except -1:
        """Allocate what the iterations change, and start from even strategies."""
        cdef Game* g = &self.g
        cdef Side* s
        cdef int seat, i, e, most = 1
        for i in range(g.n_terminals):
            most = max(most, g.terminal[i].groups[0] + g.terminal[i].groups[1])
        self.scratch = <double*>malloc(most * sizeof(double))
        for seat in range(2):
            s = &g.side[seat]
            s.x = <double*>calloc(s.n_slots + 1, sizeof(double))
            s.v = <double*>calloc(s.n_slots + 1, sizeof(double))
            s.regret = <double*>calloc(s.n_edges + 1, sizeof(double))
            s.sigma = <double*>calloc(s.n_edges + 1, sizeof(double))
            s.total = <double*>calloc(s.n_edges + 1, sizeof(double))
            self.mean[seat] = <double*>calloc(s.n_edges + 1, sizeof(double))
            s.cut = <Cut*>malloc((g.n_nodes + 1) * sizeof(Cut))
            if (s.cut == NULL or s.x == NULL or s.v == NULL or s.regret == NULL or s.sigma == NULL
                    or s.total == NULL or self.mean[seat] == NULL or self.scratch == NULL):
                raise MemoryError()
            for i in range(s.n_root):
                s.x[i] = self.begin[seat][i]
            for i in range(s.n_sets):
                for e in range(s.first[i], s.first[i + 1]):
                    s.sigma[e] = 1.0 / (s.first[i + 1] - s.first[i])
            forward(&self.g, seat, s.sigma, NULL, 0)
        self.lower, self.upper = -1e300, 1e300
        return 0

    cdef double _root_value(self, int seat) noexcept nogil:
        cdef const Side* s = &self.g.side[seat]
        cdef int i
        cdef double total = 0
        for i in range(s.n_root):
            total += s.v[i] * self.begin[seat][i]
        return total

    cdef void _respond(self, int seat) noexcept nogil:
        """v of `seat`: a best response to the reach of the other's slots in x."""
        cdef Side* s = &self.g.side[seat]
        memset(s.v, 0, s.n_slots * sizeof(double))
        meet(&self.g, seat, self.g.side[1 - seat].x, s.v, self.scratch)
        best_response(s, s.v)

    cdef void _certify(self) noexcept nogil:
        """Bounds of the value from best responses to the average strategies."""
        cdef Side* s
        cdef int seat
        for seat in range(2):
            s = &self.g.side[seat]
            average(s, self.mean[seat])
            forward(&self.g, seat, self.mean[seat], NULL, 0)
        self._respond(0)
        self.upper = self._root_value(0)
        self._respond(1)
        self.lower = -self._root_value(1)
        # Back to the present strategies.
        for seat in range(2):
            s = &self.g.side[seat]
            forward(&self.g, seat, s.sigma, NULL, 0)

    @property
    def failed(self):
        """Why the tree was not built (size, memory, time), or None."""
        return _FAILURES.get(self.g.failed)

    @property
    def memory(self):
        """Bytes that the game takes up."""
        cdef int64_t total = 0
        cdef Side* s
        cdef int seat
        for seat in range(2):
            s = &self.g.side[seat]
            total += <int64_t>s.cap_sets * (4 + 4 + 1 + 8 + 8 + 4)
            total += <int64_t>s.cap_edges * (4 + 8 + 4) + <int64_t>s.n_edges * 32
            total += <int64_t>s.cap_entries * 8 + <int64_t>s.cap_groups * 4
            total += <int64_t>s.n_slots * 16
        total += <int64_t>self.g.cap_terminals * sizeof(Terminal)
        total += <int64_t>self.g.cap_links * 12 + <int64_t>self.g.cap_nodes * sizeof(Node)
        return total

    @property
    def size(self):
        """Edges and terminal entries, links between them included: what an iteration visits."""
        return self.g.size

    @property
    def counts(self):
        """Sizes of the arrays, for measuring."""
        cdef Game* g = &self.g
        return {
            "nodes": g.n_nodes, "terminals": g.n_terminals, "links": g.n_links,
            "sets": (g.side[0].n_sets, g.side[1].n_sets),
            "edges": (g.side[0].n_edges, g.side[1].n_edges),
            "slots": (g.side[0].n_slots, g.side[1].n_slots),
            "entries": (g.side[0].n_entries, g.side[1].n_entries),
            "groups": (g.side[0].n_groups, g.side[1].n_groups),
            "build_seconds": self.build_seconds,
        }

    def improve(self, *, gap, max_iterations, max_seconds, stop):
        """Iterate until the certified gap is at most ``gap``; returns why it ended, or None."""
        cdef Game* g = &self.g
        cdef const int* flag = NULL if stop is None else &(<Stop>stop).flag
        cdef double deadline = 0 if max_seconds is None else seconds() + max_seconds
        cdef int most = (1 << 30) if max_iterations is None else max_iterations
        cdef double wanted = gap
        cdef int ended = 0, check = self.iterations + 8, p
        cdef double weight
        cdef Side* s
        with nogil:
            while True:
                if self.iterations >= check or self.iterations >= most:
                    self._certify()
                    if self.upper - self.lower <= wanted:
                        break
                    check = self.iterations + 8 + self.iterations // 4
                    if self.iterations >= most:
                        ended = 1
                        break
                if flag != NULL and flag[0]:
                    ended = 3
                elif deadline and seconds() > deadline:
                    ended = 2
                if ended:
                    self._certify()
                    break
                self.iterations += 1
                weight = (<double>self.iterations * self.iterations) ** 2
                for p in range(2):
                    s = &g.side[p]
                    memset(s.v, 0, s.n_slots * sizeof(double))
                    meet(g, p, g.side[1 - p].x, s.v, self.scratch)
                    learn(g, p)
                    forward(g, p, s.sigma, s.total, weight)
        return {1: "iterations", 2: "time", 3: "stop"}.get(ended)

    # ------------------------------------------------------------ answers

    cdef object _label(self, uint64_t move):
        return Move(_KINDS[move >> KIND_SHIFT], move & ((<uint64_t>1 << 36) - 1))

    def chance_of(self, int seat, uint64_t hand, uint64_t down):
        """The prior chance of a private state."""
        cdef Entry* e = NULL
        cdef int i
        cdef double total = 0
        for i in range(self.g.side[seat].n_states):
            if self.root[seat][i].hand == hand and self.root[seat][i].down == down:
                e = &self.root[seat][i]
                break
        else:
            return 0.0
        for j in range(self.g.side[1 - seat].n_states):
            if fits(e, &self.root[1 - seat][j]):
                total += self.own[1 - seat][j] * (
                    factor(&self.g, e, &self.root[1][j]) if seat == 0
                    else factor(&self.g, &self.root[0][j], e)
                )
        return total * self.own[seat][i] / self.mass

    def steps(self, int seat, uint64_t hand, uint64_t down):
        """The decisions of a private state before anything but waiting has happened.

        A list of (stage, set number), in order: a claim, the menu, the lead. The sets may be those
        of the first state alike.
        """
        cdef Game* g = &self.g
        cdef Side* s = &g.side[seat]
        cdef Node* node
        cdef int i, k
        waiting = set()
        found = []
        first_alike(g, self.group, &hand, &down)
        for i in range(g.n_nodes):
            node = &g.node[i]
            if node.parent >= 0 and not (
                node.parent in waiting and node.label == word(K_ON, 0)
            ):
                continue
            waiting.add(i)
            if node.player != seat:
                continue
            for k in range(node.first, node.first + node.count):
                if s.hand[k] == hand and s.down[k] == down:
                    found.append((_STAGES[node.stage], k))
                    break
        return found

    def policy(self, int seat, int number, uint64_t hand, uint64_t down):
        """The average strategy of a private state at its set: [(move, probability, value, edge)].

        ``value`` is to the state, times the reach of the other's average strategy; call `settle`
        before. Moves alike are played equally often, and have one value.
        """
        cdef Game* g = &self.g
        cdef Side* s = &g.side[seat]
        cdef int e, other, h = 0, same
        cdef double chance, own = self._weight_of(seat, hand, down)
        while image(g, h, s.hand[number]) != hand or image(g, h, s.down[number]) != down:
            h += 1
            if h == g.n_perms:
                raise KeyError(number)
        found = []
        for e in range(s.first[number], s.first[number + 1]):
            chance = 0
            same = 0
            for other in range(s.first[number], s.first[number + 1]):
                if s.target[other] == s.target[e]:
                    chance += self.mean[seat][other]
                    same += 1
            move = self._label(s.move[e] & ~CARDS | image(g, h, s.move[e] & CARDS))
            found.append((move, chance / same, s.v[s.target[e]] * s.share[e] * own, e))
        return found

    cdef double _weight_of(self, int seat, uint64_t hand, uint64_t down) noexcept:
        """What a private state has of the value of its slot."""
        cdef int i
        for i in range(self.g.side[seat].n_states):
            if self.root[seat][i].hand == hand and self.root[seat][i].down == down:
                return self.own[seat][i] / alike(&self.g, self.group, hand, down)
        return 0

    def alike(self, int seat, uint64_t hand, uint64_t down):
        """How many private states exchanges of suits turn this one into; 1 and up."""
        return alike(&self.g, self.group, hand, down)

    @property
    def symmetries(self):
        """How many exchanges of suits leave the game as it is; 1 is no other than none."""
        return self.g.n_perms

    def settle(self, int seat):
        """Value `seat`'s average strategy against the other's; returns the value to `seat`."""
        cdef Side* s = &self.g.side[seat]
        cdef Side* other = &self.g.side[1 - seat]
        with nogil:
            forward(&self.g, 1 - seat, self.mean[1 - seat], NULL, 0)
            memset(s.v, 0, s.n_slots * sizeof(double))
            meet(&self.g, seat, other.x, s.v, self.scratch)
            evaluate(s, s.v, self.mean[seat])
            forward(&self.g, 1 - seat, other.sigma, NULL, 0)
        return self._root_value(seat)

    def slot_value(self, int seat, int number, uint64_t hand, uint64_t down):
        """After `settle`: value of the slot that a set comes from, to one of its states."""
        return (
            self.g.side[seat].v[self.g.side[seat].parent[number]]
            * self._weight_of(seat, hand, down)
        )

    def guarantee(self, int seat, fixed):
        """What `seat`'s average strategy is sure of, with edges fixed to probabilities.

        ``fixed`` is [(edge, probability)].
        """
        cdef Side* s = &self.g.side[seat]
        cdef double* kept = self.mean[seat]
        old = [(edge, kept[<int>edge]) for edge, _ in fixed]
        for edge, chance in fixed:
            kept[<int>edge] = chance
        with nogil:
            forward(&self.g, seat, self.mean[seat], NULL, 0)
            self._respond(1 - seat)
            forward(&self.g, seat, s.sigma, NULL, 0)
        for edge, chance in old:
            kept[<int>edge] = chance
        return -self._root_value(1 - seat)

    def nodes(self):
        """The public tree: (parent, label, player, stage, [(hand, down, [(move, chance)])])."""
        cdef Game* g = &self.g
        cdef Node* node
        cdef Side* s
        cdef int i, k, e
        for i in range(g.n_nodes):
            node = &g.node[i]
            s = &g.side[node.player]
            yield (
                node.parent,
                self._label(node.label) if node.parent >= 0 else None,
                node.player,
                _STAGES[node.stage],
                [
                    (
                        int(s.hand[k]), int(s.down[k]),
                        [(self._label(s.move[e]), self.mean[node.player][e])
                         for e in range(s.first[k], s.first[k + 1])],
                    )
                    for k in range(node.first, node.first + node.count)
                ],
            )


def _ways(int cards, int hand, int down):
    from math import comb
    return comb(cards, hand) * comb(cards - hand, down)
