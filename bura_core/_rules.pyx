"""`Position`: the checked Python face of the rule engine, and perft."""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from bura_core._cards cimport SUITS, points_of, popcount, rank_mask, suit_mask

from dataclasses import dataclass

from bura_core.errors import Fault, HiddenCardsError, IllegalMoveError, InputError

cdef object notation = None     # bura_core.notation, which itself asks this module for rules

cdef object _notation():
    global notation
    if notation is None:
        import bura_core.notation as module
        notation = module
    return notation

_REASONS = (
    "", "claim", "false_claim", "bura", "three_aces", "points", "draw", "no_winner", "void",
    "fold", "challenge", "false_challenge", "foul",
)
_COMBINATION_FIELDS = ("bura", "four_aces", "three_aces", "little_moskva", "molodka")
_USES = {"none": USE_NONE, "lead": USE_LEAD, "win": USE_WIN, "on_sight": USE_WIN,
         "on_lead": USE_WIN_LED, "sixes": USE_LEAD, "tens": USE_LEAD}
_WINDOWS = {"before_draw": WINDOW_BEFORE_DRAW, "until_lead": WINDOW_UNTIL_LEAD,
            "own_turn": WINDOW_OWN_TURN, "end_of_deck": WINDOW_END_OF_DECK}
_UNCLAIMED = {"most_points": UNCLAIMED_MOST_POINTS, "no_winner": UNCLAIMED_NO_WINNER,
              "threshold": UNCLAIMED_THRESHOLD}
_TWO_BURAS = {"higher": TWO_BURAS_HIGHER, "played_out": TWO_BURAS_PLAYED_OUT,
              "void": TWO_BURAS_VOID}
_STOPS = {"before_lead": STOP_BEFORE_LEAD, "after_lead_returned": STOP_LEAD_RETURNED,
          "after_lead_stays": STOP_LEAD_STAYS}
_RAISES = {"none": RAISES_NONE, "dave": RAISES_DAVE, "ladder": RAISES_LADDER}


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended.

    ``winner`` is a seat, or None where nobody won; in pairs its partner wins with it.
    ``reason`` is one of claim, false_claim, bura, three_aces, points (unclaimed, settled by the
    piles), draw, no_winner, void, fold, challenge, false_challenge, foul. ``stake`` is what the
    hand is worth before any scoring (1 without raises).

    ``losers`` are the seats that lose a hand of three and more single players: who made a false
    claim, a false challenge or a foul, after which nobody wins; where players leave the hand
    with the target (``leave_at_target``), all who never reached it. ``order`` are then the seats
    that left with it, first to last, and ``winner`` the first of them. Both are empty where
    two sides play, for there the side that did not win has lost; ``losers`` names the
    offender there too where a foul matches the pot.
    """

    winner: int | None
    reason: str
    stake: int = 1
    losers: tuple[int, ...] = ()
    order: tuple[int, ...] = ()


cdef int fill_deal(
    Deal* deal, object rules, object trump, object talon, object handicap,
) except -1:
    """Translate a rule set and the facts of one deal into the C struct."""
    cdef int i
    memset(deal, 0, sizeof(Deal))
    deal.seats = rules.players
    deal.pairs = rules.pairs
    deal.hand_size = rules.hand
    for i, size in enumerate(rules.hand_sizes):
        deal.size[i] = size
    deal.stop_window = _STOPS[rules.stop_window]
    deal.leaving = rules.leave_at_target and rules.sides > 2
    deal.challenge = rules.closed_challenge
    deal.foul_pot = rules.foul == "match_pot"
    deal.target = rules.target
    deal.ceiling = NO_CEILING if rules.claim_ceiling is None else rules.claim_ceiling
    deal.shown = rules.discards == "shown"
    deal.window = _WINDOWS[rules.claim_window]
    deal.unclaimed = _UNCLAIMED[rules.unclaimed]
    deal.two_buras = _TWO_BURAS[rules.two_buras]
    deal.raises = _RAISES[rules.raises]
    deal.aces_trump = rules.three_aces_trump
    deal.aces_play_off = rules.aces_against_bura == "played_out"
    deal.little_rank = 7 if rules.little_moskva == "tens" else 0
    deal.little_trump = rules.little_moskva == "sixes"
    deal.one_or_three = rules.lead_sizes == "one_or_three"
    deal.rank_leads = rules.rank_leads
    deal.refill_leader = rules.refill_from == "leader"
    deal.draw_out = rules.short_talon == "draw_out"
    for i, name in enumerate(_COMBINATION_FIELDS):
        deal.use[i] = _USES[getattr(rules, name)]
        if deal.use[i] != USE_NONE:
            deal.order[i] = COMBINATIONS - rules.precedence.index(name)
    deal.plain_leads = not (
        deal.rank_leads or deal.use[THREE_ACES] or deal.use[FOUR_ACES] or deal.use[LITTLE_MOSKVA]
    )
    deal.sight = (
        deal.use[BURA] == USE_WIN or deal.use[THREE_ACES] == USE_WIN
        or deal.use[FOUR_ACES] == USE_WIN
    )
    for i in range(1, COMBINATIONS):
        if deal.use[i] == USE_LEAD:
            deal.callable = True
    deal.trump = -1 if trump is None else trump
    deal.trumps = 0 if trump is None else suit_mask(trump)
    if rules.spades_immune and trump != 0:
        deal.immune = suit_mask(0)
    for i in range(rules.players):
        deal.handicap[i] = handicap[i]
    deal.talon_size = len(talon)
    for i in range(deal.talon_size):
        deal.talon[i] = talon[i]
    return 0


cdef uint64_t mask_of(object cards) except? 0:
    cdef uint64_t mask = 0
    for card in cards:
        mask |= <uint64_t>1 << <int>card
    return mask


cdef tuple cards_of(uint64_t cards):
    """Card indices in canonical order: suits s h d c, each from high to low."""
    cdef int suit, rank
    return tuple([
        suit * 9 + rank for suit in range(4) for rank in range(8, -1, -1)
        if cards >> (suit * 9 + rank) & 1
    ])


def beats(rules, trump, winning, reply):
    """Whether the set ``reply`` beats the set ``winning``, card by card (RULES §2.3).

    Both are masks of equally many cards, at most six; ``trump`` is a suit 0..3 or None.
    Sets of different sizes never beat each other. Raises nothing.
    """
    cdef Deal deal
    cdef uint64_t first = winning, second = reply
    if popcount(first) != popcount(second) or not first or popcount(first) > MAX_HAND:
        return False
    memset(&deal, 0, sizeof(Deal))
    deal.trump = -1 if trump is None else trump
    deal.trumps = 0 if trump is None else suit_mask(trump)
    if rules.spades_immune and trump != 0:
        deal.immune = suit_mask(0)
    return bool(beats_any(&deal, first, second))


def legal_lead(rules, trump, cards, hand):
    """Whether ``cards`` may be led from ``hand`` (both masks, the cards among the hand).

    How many cards the others hold is not looked at here.
    """
    cdef Deal deal
    cdef uint64_t leads[MAX_LEADS]
    cdef uint64_t lead = cards
    cdef int n
    if popcount(hand) > MAX_HAND:
        return False
    fill_deal(&deal, rules, trump, (), (0,) * rules.players)
    n = generate_leads(&deal, hand, popcount(hand), leads)
    for i in range(n):
        if leads[i] == lead:
            return True
    return False


def not_for_two(rules):
    """What of ``rules`` goes beyond two single players' usual game, or None where nothing does.

    Said of searches that are made for two hands of one size, calls that come before the lead
    and tricks that nobody challenges: a phrase for the UnsupportedError of such a search.
    """
    if rules.players != 2:
        return f"hands of {rules.players} players"
    if rules.extra_card is not None:
        return "hands of different sizes (extra_card)"
    if rules.stop_window != "before_lead":
        return f"stop_window={rules.stop_window}"
    if rules.closed_challenge:
        return "the challenge of a closed trick (closed_challenge)"
    return None


# ---------------------------------------------------------------- lines of batches

# `notation.parse_position` is the one reader of lines, with every check and every fault. What
# follows spares it the plainest of all lines, of which batches are made: two hands, a talon
# and piles as points, in the canonical spelling and with nothing else. It never says that
# a line is wrong: it reads what it is sure of and leaves all others, right or wrong.

cdef signed char RANK_OF[128]
cdef signed char SUIT_OF[128]

cdef void fill_letters() noexcept nogil:
    cdef const char* ranks = b"6789JQKTA"
    cdef const char* suits = b"shdc"
    cdef int i
    memset(RANK_OF, -1, sizeof(RANK_OF))
    memset(SUIT_OF, -1, sizeof(SUIT_OF))
    for i in range(9):
        RANK_OF[<int>ranks[i]] = i
    for i in range(SUITS):
        SUIT_OF[<int>suits[i]] = i

fill_letters()

cdef class _Opening:
    """What every position of a rule set begins with; None of it where lines need more."""

    cdef object rules
    cdef str text                 # of the rules, in the canonical spelling
    cdef Deal deal                # without a trump suit and a talon
    cdef uint64_t deck
    cdef bint plain               # may its lines be read at once?

cdef dict _openings = {}          # by the text of the rules

cdef _Opening opening_of(str text):
    cdef _Opening opening = _openings.get(text)
    if opening is None:
        rules = _notation().RuleSet.parse(text)
        opening = _Opening.__new__(_Opening)
        opening.rules = rules
        opening.text = str(rules)
        fill_deal(&opening.deal, rules, None, (), (0,) * rules.players)
        opening.deal.challenge = False      # with bare piles nobody knows what a trick held
        opening.deck = sum(1 << s * 9 + r for s in range(4) for r in range(9 - rules.deck // 4, 9))
        opening.plain = rules.players == 2 and rules.extra_card is None and not rules.compensation
        if len(_openings) >= 256:
            _openings.clear()
        _openings[text] = opening
    return opening

cdef int read_cards(const char** at, uint64_t* seen, uint8_t* cards, int most) noexcept nogil:
    """Read cards up to the next stroke or blank; how many, or -1 where it is not plain.

    A card that is already in `seen` is not plain.
    """
    cdef const char* c = at[0]
    cdef int n = 0, rank, suit
    cdef uint64_t bit
    if c[0] == c"-":
        at[0] = c + 1
        return 0
    while c[0] > 32 and c[0] != c"/":
        rank = RANK_OF[<int>c[0]]
        suit = SUIT_OF[<int>c[1]] if c[1] > 0 else -1
        if rank < 0 or suit < 0 or n == most:
            return -1
        bit = <uint64_t>1 << suit * 9 + rank
        if seen[0] & bit:
            return -1
        seen[0] |= bit
        cards[n] = suit * 9 + rank
        n += 1
        c += 2
    at[0] = c
    return n if n else -1

cdef int read_points(const char** at) noexcept nogil:
    """Read a number of at most 120 without leading zeros, else -1."""
    cdef const char* c = at[0]
    cdef int n = 0
    if c[0] == c"0":
        at[0] = c + 1
        return 0
    while c"0" <= c[0] <= c"9" and n <= 120:
        n = 10 * n + c[0] - c"0"
        c += 1
    if c == at[0] or n > 120:
        return -1
    at[0] = c
    return n

cdef inline bint passes(const char** at, char wanted) noexcept nogil:
    """Go on if the next character is this one."""
    if at[0][0] != wanted:
        return False
    at[0] += 1
    return True

cdef list _sums_of_two = [None] * 5**5      # by how many J, Q, K, T and A lie in the piles

cdef bint possible_piles(uint64_t cards, int first, int second) except -1:
    """Whether these cards may lie in two piles of so many points."""
    cdef int rank, key = 0
    cdef int at = 128 * first + second
    for rank in range(4, 9):
        key = 5 * key + popcount(cards & rank_mask(rank))
    sums = _sums_of_two[key]
    if sums is None:
        sums = _notation().sums_of_two(
            tuple([popcount(cards & rank_mask(rank)) for rank in range(4, 9)])
        )
        _sums_of_two[key] = sums
    return PyBytes_AS_STRING(sums)[at >> 3] >> (at & 7) & 1

cdef _Opening read_plain(str line, Deal* d, State* s, bint* canonical):
    """Fill in a position from its line; None where the line has to be read with care.

    `canonical` is set where the position would be told by the same line.
    """
    cdef Py_ssize_t length, cut
    cdef const char* c
    cdef const char* end
    cdef _Opening opening
    cdef uint8_t cards[36]
    cdef uint64_t seen = 0, left
    cdef int sizes[2]
    cdef int seat, i, n, suit, total
    cut = line.find(" ")
    if cut <= 0 or not line.isascii():
        return None
    c = PyUnicode_AsUTF8AndSize(line, &length)
    end = c + length
    text = line[:cut]
    try:
        opening = opening_of(text)
    except InputError:
        return None
    if not opening.plain:
        return None
    canonical[0] = text == opening.text
    memset(s, 0, sizeof(State))
    d[0] = opening.deal
    c += cut + 1
    suit = SUIT_OF[<int>c[0]] if c[0] > 0 else -1
    if suit >= 0 and opening.rules.trumps:
        d.trump = suit
        d.trumps = suit_mask(suit)
        if suit == 0:
            d.immune = 0          # trumps are beaten by trumps
    elif c[0] != c"-" or opening.rules.trumps:
        return None
    c += 1
    if not passes(&c, c" "):
        return None
    for seat in range(2):
        sizes[seat] = read_cards(&c, &seen, cards, d.hand_size)
        if sizes[seat] <= 0 or not passes(&c, c"/" if seat == 0 else c" "):
            return None
        for i in range(sizes[seat]):
            s.hand[seat] |= <uint64_t>1 << cards[i]
    n = read_cards(&c, &seen, d.talon, 36)
    if n < 0 or n % 2 or not passes(&c, c" "):
        return None
    d.talon_size = n
    if sizes[0] != sizes[1] or (n and sizes[0] != d.hand_size) or seen & ~opening.deck:
        return None
    s.points[0] = read_points(&c)
    if s.points[0] < 0 or not passes(&c, c"/"):
        return None
    s.points[1] = read_points(&c)
    if s.points[1] < 0 or not passes(&c, c" "):
        return None
    if c[0] != c"0" and c[0] != c"1":
        return None
    s.turn = s.leader = c[0] - c"0"
    c += 1
    if c[0] != c" " or c[1] != c"-":
        return None
    c += 2
    while c[0] == c"\n" or c[0] == c"\r":
        c += 1
        canonical[0] = False
    if c != end:          # not just a zero byte
        return None
    if s.points[0] or s.points[1]:
        left = opening.deck & ~seen
        total = points_of(left)
        if s.points[0] + s.points[1] > total:
            return None
        if not possible_piles(left, s.points[0], s.points[1]):
            return None
    s.claimant = s.winner = s.loser = s.raiser = s.stopped = NOBODY
    s.stake = 1
    s.tricks[0] = s.points[0] > 0
    s.tricks[1] = s.points[1] > 0
    begin_trick(d, s)
    return opening

cdef bint read_at_once(Position position, str line) except -1:
    """The same for a new `Position`."""
    cdef bint canonical
    cdef _Opening opening = read_plain(line, &position.deal, position.states, &canonical)
    if opening is None:
        return False
    position.rules = opening.rules
    position.count = 1
    position.bare_piles = True
    return True


def plainly_canonical(str line):
    """Whether ``line`` is beyond doubt a position's canonical spelling, as batches bring it.

    Where it is, `str(parse_position(line))` is the line itself; where it is not, nothing is
    known: the line may be canonical all the same, spelled otherwise, or wrong.
    """
    cdef Deal deal
    cdef State state
    cdef bint canonical = False
    return read_plain(line, &deal, &state, &canonical) is not None and canonical


cdef class Position:
    """A hand of Bura with every card known: who holds what, whose turn it is, what is legal.

    Made from a parsed line (`PositionText`) or from its text with `from_text`; raises
    HiddenCardsError where a card is unknown, and InputError with every fault of the line.
    Mutable: `play` and `undo` move along the hand. Seats count from 0.
    """

    def __cinit__(self):
        self.capacity = 64
        self.states = <State*>PyMem_Malloc(self.capacity * sizeof(State))
        if self.states == NULL:
            raise MemoryError()
        memset(self.states, 0, sizeof(State))

    def __dealloc__(self):
        PyMem_Free(self.states)

    def __init__(self, text, *, check=True):
        cdef State* s = self.states
        cdef int seat, waiting, by
        cdef uint64_t bit
        if text.has_unknown:
            raise HiddenCardsError(_hidden(text))
        if check:
            faults = _notation().check_position(text)
            if faults:
                raise InputError(faults)
        fill_deal(&self.deal, text.rules, text.trump, text.talon, text.handicap)
        self.rules = text.rules
        self.score = text.score
        self.count = 1
        self.bare_piles = False
        s.claimant = NOBODY if text.claim is None else text.claim
        s.winner = NOBODY
        s.loser = NOBODY
        s.stake = text.stake
        s.raiser = NOBODY if text.raiser is None else text.raiser
        for seat in range(self.deal.seats):
            s.hand[seat] = mask_of(text.hands[seat])
            pile = text.piles[seat]
            if pile.points is not None:
                self.bare_piles = True
                s.points[seat] = pile.points
                # How many tricks made it is not told; one at least if it has points.
                s.tricks[seat] = pile.points > 0
                continue
            for item in pile.items:
                bit = <uint64_t>1 << <int>item.card
                if item.closed:
                    s.closed_pile[seat] |= bit
                    # With two players a face-down card is always the other's.
                    by = 1 - seat if self.deal.seats == 2 else NOBODY
                    if item.by is not None:
                        by = item.by
                    if by != NOBODY:
                        s.down[by] |= bit
                else:
                    s.open_pile[seat] |= bit
            s.points[seat] = points_of(s.open_pile[seat] | s.closed_pile[seat])
            s.tricks[seat] = 1 if pile.items else 0
        for seat in text.left:
            s.reached[s.n_reached] = seat
            s.n_reached += 1
        for seat in text.left + text.lost:
            s.out |= 1 << seat
        if self.bare_piles:
            # Where no pile's cards are told, nobody can say what a trick held.
            self.deal.challenge = False
        s.last_trick = mask_of(text.trick)
        s.turn = s.leader = text.turn
        s.stopped = NOBODY
        s.aside = not self.deal.draw_out and text.talon_aside
        if not text.table:
            if in_play(&self.deal, s) < 2:
                settle_left(&self.deal, s)
            elif self.deal.window == WINDOW_BEFORE_DRAW and s.claimant != NOBODY:
                s.phase = PHASE_CLAIM
                s.best = s.turn if text.led is None else text.led
            else:
                begin_trick(&self.deal, s)
            self.open_offer(text.offer)
            return
        s.called = (
            len(text.table) > 1 or text.stopped is not None
            or self.deal.stop_window == STOP_BEFORE_LEAD
        )
        s.stopped = NOBODY if text.stopped is None else text.stopped
        s.held = mask_of(text.held)
        s.leader = text.table[0].seat
        s.phase = PHASE_ANSWER
        for play in text.table:
            cards = mask_of(play.cards)
            if play.seat == s.leader:
                s.best = play.seat
            elif play.closed:
                s.table_closed |= cards
                s.down[<int>play.seat] |= cards
            elif beats(self.rules, text.trump, s.table[s.best], cards):
                s.best = play.seat
            s.table[play.seat] = cards
        waiting = 0
        for seat in range(self.deal.seats):
            waiting += s.table[seat] == 0 and s.hand[seat] != 0
        s.waiting = waiting
        cards = s.table[s.leader]
        if (
            self.deal.use[BURA] == USE_WIN_LED and not s.hand[s.leader] and len(text.table) == 1
            and is_whole(&self.deal, s.leader, cards, BURA)
        ):
            finish(s, s.leader, REASON_BURA)
        elif self.deal.sight:
            look_for_sight(&self.deal, s)
        self.open_offer(text.offer)

    cdef int open_offer(self, object offer) except -1:
        """Put the raise of a line's `offer=` before the other side."""
        cdef State* s = self.now()
        if offer is None or s.phase == PHASE_OVER:
            return 0
        s.offer = offer
        s.resume = s.phase
        s.interrupted = s.turn
        s.turn = (s.raiser + 1) % self.deal.seats
        s.phase = PHASE_RAISED
        return 0

    @classmethod
    def from_text(cls, line):
        """The position written as ``line`` (docs/notations.md)."""
        cdef Position position
        if cls is Position and type(line) is str:
            position = Position.__new__(Position)
            if read_at_once(position, line):
                return position
        return cls(_notation().parse_position(line), check=False)

    cdef State* now(self) noexcept:
        return &self.states[self.count - 1]

    cdef State* push(self) except NULL:
        """A copy of the present state on top of the stack, to be changed."""
        cdef State* grown
        if self.count == self.capacity:
            grown = <State*>PyMem_Realloc(self.states, 2 * self.capacity * sizeof(State))
            if grown == NULL:
                raise MemoryError()
            self.states = grown
            self.capacity *= 2
        memcpy(&self.states[self.count], &self.states[self.count - 1], sizeof(State))
        self.count += 1
        return self.now()

    # ------------------------------------------------------------ what there is to see

    @property
    def trump(self):
        """The trump suit 0..3 (s h d c), or None."""
        return None if self.deal.trump < 0 else self.deal.trump

    @property
    def hands(self):
        """The hands as masks, by seat; cards on the table are in no hand."""
        return tuple([self.now().hand[i] for i in range(self.deal.seats)])

    @property
    def talon(self):
        """The cards still to be drawn, in drawing order."""
        return tuple([self.deal.talon[i] for i in range(self.now().at, self.deal.talon_size)])

    @property
    def points(self):
        """What the piles are worth, by seat, without handicap; 0..120."""
        return tuple([self.now().points[i] for i in range(self.deal.seats)])

    @property
    def tricks(self):
        """How many tricks each seat has taken; a pile that a line brought counts as one."""
        return tuple([self.now().tricks[i] for i in range(self.deal.seats)])

    @property
    def handicap(self):
        """Points added to a seat's count when its pile is counted, by seat."""
        return tuple([self.deal.handicap[i] for i in range(self.deal.seats)])

    @property
    def turn(self):
        """The seat to act; at the start of a trick the one that leads."""
        return self.now().turn

    @property
    def leader(self):
        """The seat that leads, or led, the running trick."""
        return self.now().leader

    @property
    def claim_seat(self):
        """The seat that has just won a trick and may claim, or None."""
        return None if self.now().claimant < 0 else self.now().claimant

    @property
    def stake(self):
        """What the hand is worth now: 1, or what raises were accepted."""
        return self.now().stake

    @property
    def table(self):
        """The plays of the running trick so far, in order (`Play`)."""
        cdef State* s = self.now()
        cdef int i, seat
        module = _notation()
        plays = []
        for i in range(self.deal.seats):
            seat = (s.leader + i) % self.deal.seats
            if s.table[seat]:
                plays.append(
                    module.Play(
                        seat, cards_of(s.table[seat]), bool(s.table[seat] & s.table_closed)
                    )
                )
        return tuple(plays)

    @property
    def result(self):
        """How the hand ended (`Result`), or None while it goes on."""
        cdef State* s = self.now()
        if s.phase != PHASE_OVER:
            return None
        order = tuple([s.reached[i] for i in range(s.n_reached)])
        losers = tuple([
            seat for seat in range(self.deal.seats) if has_lost(&self.deal, s, seat)
        ])
        return Result(
            None if s.winner < 0 else s.winner, _REASONS[s.reason], s.stake, losers, order
        )

    @property
    def out(self):
        """The seats that are out of the hand, ascending: they left with the target, or lost."""
        return tuple([i for i in range(self.deal.seats) if self.now().out >> i & 1])

    # ------------------------------------------------------------ moves

    def legal_moves(self):
        """The card plays and claims that the seat on turn may make, as `Move`.

        Empty when the hand is over or an offer to raise is open. Out-of-turn leads of the
        others are in `calls`, raises in `raises`.
        """
        cdef State* s = self.now()
        cdef uint64_t sets[MAX_LEADS]
        cdef uint64_t best
        cdef int n, i
        make = _notation().Move
        moves = []
        if s.phase == PHASE_OVER or s.phase == PHASE_RAISED:
            return moves
        if may_claim(&self.deal, s):
            moves.append(make("claim"))
        if s.phase == PHASE_CLAIM:
            moves.append(make("pass"))
        elif s.phase == PHASE_LEAD:
            n = generate_leads(
                &self.deal, s.hand[s.turn], lead_limit(&self.deal, s, s.turn), sets
            )
            for i in range(n):
                moves.append(make("play", sets[i]))
        else:
            best = s.table[s.best]
            n = generate_subsets(s.hand[s.turn], popcount(best), sets)
            for i in range(n):
                if holds_back(s, sets[i]):
                    continue
                if self.deal.shown or set_beats(&self.deal, best, sets[i]):
                    moves.append(make("play", sets[i]))
            if not self.deal.shown:
                for i in range(n):
                    if not holds_back(s, sets[i]):
                        moves.append(make("discard", sets[i]))
        return moves

    def calls(self):
        """What other seats than the one on turn may call now, as (seat, move).

        Out-of-turn leads (`stop:` moves); with three seats and more those of the highest
        combination first, among equals from the seat nearest to the leader on: where several
        call at once, the first in the list has the lead. Then challenges of a closed trick
        (S0c). No call is a duty.
        """
        cdef State* s = self.now()
        cdef uint64_t sets[MAX_CALLS]
        cdef uint8_t seats[MAX_CALLS]
        cdef int seat, n, i
        make = _notation().Move
        n = ordered_calls(&self.deal, s, sets, seats)
        found = [(<int>seats[i], make("stop", sets[i])) for i in range(n)]
        for seat in range(self.deal.seats):
            if may_challenge(&self.deal, s, seat):
                named = None if self.deal.seats == 2 else seat
                found.append((seat, make("challenge", seat=named)))
        return found

    def raises(self):
        """What the seat on turn may say about the stake: raise, or accept, fold and raise."""
        cdef State* s = self.now()
        make = _notation().Move
        moves = []
        if s.phase == PHASE_RAISED:
            moves += [make("accept"), make("fold")]
        if may_raise(&self.deal, s):
            moves.append(make("raise"))
        return moves

    def play(self, move, counted=None):
        """Make a move, given as `Move` or text; raises IllegalMoveError that says why not.

        ``counted`` says how a claim or a challenge was settled at the table, true or false, where
        the cards face down in this position are only stand-ins for cards that nobody here has
        seen; left out, the position's own cards are counted.
        """
        cdef State* s
        cdef uint64_t cards
        if isinstance(move, str):
            move = _notation().parse_move(move)
        seat = None
        if move.kind in ("stop", "challenge"):
            seat = next((seat for seat, call in self.calls() if call == move), None)
            legal = seat is not None
        elif move.kind in ("raise", "accept", "fold"):
            legal = move in self.raises()
        else:
            legal = move in self.legal_moves()
        if not legal:
            raise IllegalMoveError(Fault("move", str(move), *self._why_not(move)))
        s = self.push()
        cards = move.cards
        if move.kind == "claim":
            if counted is None:
                make_claim(&self.deal, s)
            else:
                settle_claim(&self.deal, s, counted)
        elif move.kind == "pass":
            pass_claim(&self.deal, s)
        elif move.kind == "stop":
            make_call(&self.deal, s, seat, cards)
        elif move.kind == "challenge":
            if counted is None:
                make_challenge(&self.deal, s, seat)
            else:
                settle_challenge(&self.deal, s, seat, counted)
        elif move.kind == "raise":
            make_raise(&self.deal, s)
        elif move.kind == "accept":
            accept_raise(s)
        elif move.kind == "fold":
            fold_raise(s)
        elif s.phase == PHASE_LEAD:
            play_lead(&self.deal, s, cards)
        else:
            play_answer(&self.deal, s, cards, move.kind == "discard")

    def report_foul(self, seat):
        """End the hand by a foul of ``seat`` that the table reports (RULES §7).

        The engine finds no fouls: drawing out of turn, drawing two, looking at face-down cards.
        By the switch ``foul`` the offender loses the hand, or he matches the pot and nobody
        wins. `undo` takes it back. Raises InputError where there is no such seat, and
        IllegalMoveError when the hand is over.
        """
        if type(seat) is not int or not 0 <= seat < self.deal.seats:
            raise InputError(Fault(
                "seat", str(seat), "no such seat", f"use 0 to {self.deal.seats - 1}"
            ))
        if self.now().phase == PHASE_OVER:
            raise IllegalMoveError(Fault(
                "seat", str(seat), "the hand is over", "take a move back or start another hand"
            ))
        make_foul(&self.deal, self.push(), seat)

    def undo(self):
        """Take the last move back; raises IndexError where there is none."""
        if self.count == 1:
            raise IndexError("there is no move to take back")
        self.count -= 1

    def copy(self):
        """An independent copy of the present position, without the moves before it."""
        cdef Position other = Position.__new__(Position)
        other.deal = self.deal
        other.rules = self.rules
        other.score = self.score
        other.bare_piles = self.bare_piles
        other.count = 1
        other.states[0] = self.now()[0]
        return other

    def _why_not(self, move):
        """(problem, remedy) of a move that is not legal here."""
        cdef State* s = self.now()
        cdef uint64_t cards = move.cards, hand
        format_cards = _notation().format_cards
        can = self.legal_moves() + [call for _, call in self.calls()] + self.raises()
        listed = ", ".join(map(str, can[:12])) + (", ..." if len(can) > 12 else "")
        remedy = f"legal: {listed}" if can else "no move is left"
        if s.phase == PHASE_OVER:
            return "the hand is over", "take a move back or start another hand"
        if s.phase == PHASE_RAISED:
            return f"seat {s.turn} has to answer a raise to {s.offer} first", remedy
        if move.kind in ("accept", "fold"):
            return "there is no raise to answer", remedy
        if move.kind == "raise":
            if self.deal.raises == RAISES_NONE:
                return "these rules know no raises", remedy
            if self.deal.seats > 2 and not self.deal.pairs:
                return "raises are for two sides, and several play here", remedy
            if s.raiser != NOBODY and same_side(&self.deal, s.raiser, s.turn):
                return f"seat {s.raiser} raised last, and one side never raises twice", remedy
            return "the stake cannot be raised now", remedy
        if move.kind == "claim":
            if self.deal.window == WINDOW_END_OF_DECK and s.at < self.deal.talon_size:
                return "a claim may come only when the talon is out", remedy
            return f"seat {s.turn} has no right to claim now", remedy
        if move.kind == "challenge":
            return "nobody has just lost a closed trick that may be challenged", remedy
        if move.kind == "pass":
            return "there is nothing to pass", remedy
        if move.kind == "stop":
            return "nobody may lead these cards out of turn now", remedy
        if s.phase == PHASE_CLAIM:
            return f"seat {s.turn} may only claim or pass", remedy
        hand = s.hand[s.turn]
        if cards & ~hand:
            return (
                f"seat {s.turn} does not hold {format_cards(cards & ~hand)}",
                f"it holds {format_cards(hand)}",
            )
        if s.phase == PHASE_LEAD:
            if move.kind == "discard":
                return "a lead is never face down", "write it without brackets"
            if popcount(cards) > lead_limit(&self.deal, s, s.turn):
                return "more cards than another seat still holds", remedy
            return "these cards may not be led together", remedy
        if popcount(cards) != popcount(s.table[s.best]):
            return (
                f"the lead has {popcount(s.table[s.best])} card(s), the answer {popcount(cards)}",
                "play equally many cards",
            )
        if holds_back(s, cards):
            return (
                f"the lead called off, {format_cards(s.held)}, has to be part of the answer",
                remedy,
            )
        if move.kind == "discard":
            return "discards lie face up under these rules", "write it without brackets"
        return (
            f"{format_cards(cards)} does not beat {format_cards(s.table[s.best])}",
            f"discard it face down: ({format_cards(cards)})",
        )

    def perft(self, int depth):
        """How many sequences of exactly ``depth`` moves there are from here.

        Counted are `legal_moves` and `calls`, not raises; a finished hand has no moves.
        Raises ValueError for a negative depth.
        """
        cdef int64_t n
        if depth < 0:
            raise ValueError(f"depth {depth}: must be 0 or more")
        cdef State root = self.now()[0]
        with nogil:
            n = count_sequences(&self.deal, &root, depth)
        return n

    def divide(self, int depth):
        """`perft` split by the first move: text of the move -> count."""
        if depth < 1:
            raise ValueError(f"depth {depth}: must be 1 or more")
        counts = {}
        for move in self.legal_moves() + [call for _, call in self.calls()]:
            self.play(move)
            counts[str(move)] = self.perft(depth - 1)
            self.undo()
        return counts

    # ------------------------------------------------------------ text

    def text(self):
        """The present position as `PositionText`, sets in canonical order."""
        cdef State* s = self.now()
        cdef int seat, by
        cdef uint64_t closed
        module = _notation()
        item = module.PileItem
        piles = []
        for seat in range(self.deal.seats):
            if self.bare_piles:
                piles.append(module.Pile((), s.points[seat]))
            else:
                items = [item(card, False) for card in cards_of(s.open_pile[seat])]
                closed = s.closed_pile[seat]
                if self.deal.seats > 2:
                    # Who discarded them: with two players that goes without saying.
                    for by in range(self.deal.seats):
                        items += [
                            item(card, True, by) for card in cards_of(closed & s.down[by])
                        ]
                        closed &= ~s.down[by]
                items += [item(card, True) for card in cards_of(closed)]
                piles.append(module.Pile(tuple(items), None))
        return module.PositionText(
            rules=self.rules, trump=self.trump,
            hands=tuple([cards_of(s.hand[i]) for i in range(self.deal.seats)]),
            talon=self.talon, piles=tuple(piles),
            turn=s.interrupted if s.phase == PHASE_RAISED else s.turn, table=self.table,
            stake=s.stake, raiser=None if s.raiser < 0 else s.raiser,
            offer=s.offer or None, score=self.score,
            claim=None if s.claimant < 0 else s.claimant, handicap=self.handicap,
            left=tuple([s.reached[i] for i in range(s.n_reached)]),
            lost=tuple([
                seat for seat in self.out
                if seat not in [s.reached[i] for i in range(s.n_reached)]
            ]),
            led=s.best if (
                s.phase == PHASE_CLAIM and self.deal.window == WINDOW_BEFORE_DRAW
                and s.best != s.turn and s.claimant == s.turn
            ) else None,
            stopped=s.stopped if s.table[s.leader] and s.stopped != NOBODY else None,
            held=cards_of(s.held),
            trick=cards_of(s.last_trick),
        )

    def __str__(self):
        return str(self.text())

    def __repr__(self):
        return f"Position.from_text({str(self)!r})"

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, Position) else NotImplemented

    def __hash__(self):
        return hash(str(self))

    def __reduce__(self):
        return Position.from_text, (str(self),)


def _hidden(text):
    """One fault for every part of a line that holds unknown cards."""
    remedy = "name every card, or ask for advice from what one player has seen"
    faults = []
    for name, parts in (("hands", text.hands), ("talon", (text.talon,))):
        for i, cards in enumerate(parts):
            unknown = sum(card is None for card in cards)
            if unknown:
                where = f"hands[{i}]" if name == "hands" else name
                faults.append(Fault(where, f"x{unknown}", "unknown cards", remedy))
    for i, pile in enumerate(text.piles):
        unknown = sum(item.card is None for item in pile.items)
        if unknown:
            faults.append(Fault(f"piles[{i}]", f"x{unknown}", "unknown cards", remedy))
    for i, play in enumerate(text.table):
        if play.unknown:
            faults.append(Fault(f"table[{i}]", f"x{play.unknown}", "unknown cards", remedy))
    return faults


cdef int64_t count_sequences(const Deal* d, const State* s, int depth) noexcept nogil:
    cdef uint64_t sets[MAX_LEADS]
    cdef State child
    cdef uint64_t best
    cdef int n, i, seat
    cdef int64_t total = 0
    if depth == 0:
        return 1
    if s.phase == PHASE_OVER or s.phase == PHASE_RAISED:
        return 0
    if may_claim(d, s):
        if d.leaving:
            child = s[0]
            make_claim(d, &child)
            total += count_sequences(d, &child, depth - 1)
        else:
            total += depth == 1     # a claim ends the hand
    if d.challenge and depth == 1:
        for seat in range(d.seats):
            total += may_challenge(d, s, seat)
    if d.stop_window != STOP_BEFORE_LEAD and s.phase == PHASE_ANSWER:
        total += count_calls(d, s, depth)
    if s.phase == PHASE_CLAIM:
        child = s[0]
        pass_claim(d, &child)
        return total + count_sequences(d, &child, depth - 1)
    if s.phase == PHASE_LEAD:
        n = generate_leads(d, s.hand[s.turn], lead_limit(d, s, s.turn), sets)
        for i in range(n):
            child = s[0]
            play_lead(d, &child, sets[i])
            total += count_sequences(d, &child, depth - 1)
        return total + count_calls(d, s, depth)
    best = s.table[s.best]
    n = generate_subsets(s.hand[s.turn], popcount(best), sets)
    for i in range(n):
        if holds_back(s, sets[i]):
            continue
        if d.shown or set_beats(d, best, sets[i]):
            child = s[0]
            play_answer(d, &child, sets[i], False)
            total += count_sequences(d, &child, depth - 1)
        if not d.shown:
            child = s[0]
            play_answer(d, &child, sets[i], True)
            total += count_sequences(d, &child, depth - 1)
    return total


cdef int64_t count_calls(const Deal* d, const State* s, int depth) noexcept nogil:
    cdef uint64_t sets[MAX_LEADS]
    cdef State child
    cdef int n, i, seat
    cdef int64_t total = 0
    for seat in range(d.seats):
        n = generate_calls(d, s, seat, sets)
        for i in range(n):
            child = s[0]
            make_call(d, &child, seat, sets[i])
            total += count_sequences(d, &child, depth - 1)
    return total
