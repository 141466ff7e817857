"""Tables of the last three cards: looked up, not searched.

Two kinds of values, both independent of the piles (see _solver.pyx for the two kinds of
games): how many points the leader is sure of, or the least count with which he wins the race
to the target. Each follows from the values of endings with fewer cards in closed form, so a
table can be filled as it is used, by any number of threads: every one would write the same
byte. Filled in memory that costs nothing up front; `build_endings` fills a whole table and
keeps it in the user's cache folder, from where every later process maps it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from bura_core._cards cimport DECK_POINTS, deposit, points_of, popcount
from bura_core._rules cimport (
    BURA, COMBINATIONS, FOUR_ACES, LITTLE_MOSKVA, MAX_LEADS, MAX_REPLIES, NO_CEILING, THREE_ACES,
    UNCLAIMED_NO_WINNER, USE_LEAD, USE_WIN, USE_WIN_LED, Deal, State, add_combination_sets,
    best_order, fill_deal, generate_leads, generate_subsets, is_bura, look_for_sight, next_subset,
    set_beats, sight_order, without_combinations,
)

import hashlib
import mmap
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bura_core._rules import not_for_two
from bura_core.errors import Fault, InputError, UnsupportedError

cdef Numbering numbering          # a table of constants, filled once, below

cdef enum:
    FORMAT = 1                # of the file; also changes with any change to the values

cdef int count_digits(int code, int digit) noexcept nogil:
    cdef int n = 0
    while code:
        n += code % 3 == digit
        code //= 3
    return n

cdef int merged(int code) noexcept nogil:
    """The code of a suit with its worthless cards moved down to the lowest ranks.

    With the talon out only their order counts: who holds the higher of two.
    """
    cdef int power = 1, _rank, digit, low = 0, rest = code
    for _rank in range(4):
        digit = rest % 3
        rest //= 3
        if digit:
            low += digit * power
            power *= 3
    return low + rest * 81

cdef void number_endings(Numbering* n) noexcept nogil:
    cdef int bits, rank, power, code, a, b, cards, t, x, y
    memset(n, 0, sizeof(Numbering))
    for bits in range(512):
        power = 1
        for rank in range(9):
            if bits >> rank & 1:
                n.ternary[bits] += power
            power *= 3
    for code in range(19683):
        a = count_digits(code, 1)
        b = count_digits(code, 2)
        if a > ENDING_CARDS or b > ENDING_CARDS:
            continue
        if merged(code) != code:
            n.part[code] = n.part[merged(code)]       # a smaller code, numbered before
        else:
            n.part[code] = (a * 4 + b) << 11 | n.patterns[a * 4 + b]
            n.patterns[a * 4 + b] += 1
    # Side suits in rising order of class; the last class is what is left of the cards.
    for cards in range(1, ENDING_CARDS + 1):
        for t in range(CLASSES):
            for x in range(CLASSES):
                for y in range(x, CLASSES):
                    a = cards - (t >> 2) - (x >> 2) - (y >> 2)
                    b = cards - (t & 3) - (x & 3) - (y & 3)
                    if a < 0 or b < 0 or a * 4 + b < y:
                        continue
                    n.place[cards << 12 | t << 8 | x << 4 | y] = n.count
                    n.count += (
                        <uint32_t>n.patterns[t] * n.patterns[x] * n.patterns[y]
                        * n.patterns[a * 4 + b]
                    )

number_endings(&numbering)

cdef int ending_value(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp,
) noexcept nogil:
    """Find out the value of an ending and remember it."""
    cdef int value
    if e.kind == KIND_POINTS:
        value = sure_points(e, d, own, opp)
    else:
        value = race_threshold(e, d, own, opp)
    e.values[number_of(e.numbering, d.trump, own, opp)] = <uint8_t>(value + 1)
    return value

# ---------------------------------------------------------------- points

cdef int led_points(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp, uint64_t lead, int enough,
    int rest,
) noexcept nogil:
    """Points the leader gets with this lead; only known to be no more than `enough` if so."""
    cdef uint64_t answers[MAX_REPLIES]
    cdef uint64_t mine = own ^ lead, theirs
    cdef int i, n = generate_subsets(opp, popcount(lead), answers), won, got, least = 1000
    cdef int gain = points_of(lead)
    cdef bint beaten
    for i in range(n):
        theirs = opp ^ answers[i]
        won = gain + points_of(answers[i])
        beaten = set_beats(d, lead, answers[i])
        if beaten:
            got = rest - won
            if mine:
                got -= look_up(e, d, theirs, mine)
            least = min(least, got)
        if not beaten or not d.shown:
            got = won
            if mine:
                got += look_up(e, d, mine, theirs)
            least = min(least, got)
        if least <= enough:
            return least
    return least

cdef int sure_points(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp,
) noexcept nogil:
    cdef uint64_t leads[MAX_LEADS]
    cdef int n = generate_leads(d, own, popcount(opp), leads), i, best = -1
    cdef int rest = points_of(own | opp)
    for i in range(n):
        best = max(best, led_points(e, d, own, opp, leads[i], best, rest))
    n = calls_against(d, own, opp, leads)
    for i in range(n):
        best = min(best, rest - led_points(e, d, opp, own, leads[i], -1, rest))
    return best

cdef int calls_against(const Deal* d, uint64_t own, uint64_t opp, uint64_t* out) noexcept nogil:
    """What the other may lead out of turn before the leader leads."""
    cdef int combination, order, n = 0
    if not d.callable or (popcount(opp) < 3 and popcount(opp) < d.hand_size):
        return 0
    order = best_order(d, own)
    for combination in range(FOUR_ACES, COMBINATIONS):
        if d.use[combination] == USE_LEAD and d.order[combination] > order:
            n = add_combination_sets(d, opp, combination, popcount(own), out, n)
    return n

# ---------------------------------------------------------------- race

cdef int led_threshold(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp, uint64_t lead, int others,
) noexcept nogil:
    """The least count of the leader with which this lead wins.

    `others` is what both counts sum up to here. Whoever reaches the target with a trick claims.
    """
    cdef uint64_t answers[MAX_REPLIES]
    cdef uint64_t mine = own ^ lead, theirs
    cdef int i, n = generate_subsets(opp, popcount(lead), answers), won, needed, most = 0
    cdef int gain = points_of(lead)
    cdef bint beaten
    if d.use[BURA] == USE_WIN_LED and lead == own and is_bura(d, own):
        return 0
    for i in range(n):
        theirs = opp ^ answers[i]
        won = gain + points_of(answers[i])
        beaten = set_beats(d, lead, answers[i])
        if beaten:
            # The other then must not get there: his count stays under what he needs.
            needed = e.target
            if mine:
                needed = min(needed, look_up(e, d, theirs, mine))
            most = max(most, others - needed + won + 1)
        if not beaten or not d.shown:
            needed = e.target
            if mine:
                needed = min(needed, look_up(e, d, mine, theirs))
            most = max(most, needed - won)
    return most

cdef int race_threshold(
    const EndingTable* e, const Deal* d, uint64_t own, uint64_t opp,
) noexcept nogil:
    cdef uint64_t leads[MAX_LEADS]
    cdef State state
    cdef int n, i, best = NEVER_REACHED
    cdef int others = e.total - points_of(own | opp)
    if d.sight and (sight_order(d, own) or sight_order(d, opp)):
        state.hand[0] = own
        state.hand[1] = opp
        state.table[0] = state.table[1] = 0
        state.turn = 0
        look_for_sight(d, &state)
        return 0 if state.winner == 0 else NEVER_REACHED - 1
    if d.use[BURA] == USE_WIN_LED and is_bura(d, own):
        return 0
    n = generate_leads(d, own, popcount(opp), leads)
    for i in range(n):
        best = min(best, led_threshold(e, d, own, opp, leads[i], others))
    n = calls_against(d, own, opp, leads)
    for i in range(n):
        best = max(best, others - led_threshold(e, d, opp, own, leads[i], others) + 1)
    return min(best, NEVER_REACHED - 1)

# ---------------------------------------------------------------- tables

cdef class Endings:
    """The values of all endings of one kind, filled as they are asked for.

    Where the user's cache folder holds the finished table it is mapped, else the memory is
    this process's own. ``key`` names what the values depend on, ``complete`` whether all
    were known from the start.
    """

    def __dealloc__(self):
        if self.mapped is None:
            free(self.table.values)


cdef dict _tables = {}            # by key; a table holds facts, so all solvers may share it

cdef tuple key_of(const Deal* d, int kind, int total):
    """What the values of a table depend on; nothing else of a deal matters to them."""
    return (
        FORMAT, kind, d.trump >= 0, d.shown, d.hand_size,
        d.target if kind == KIND_RACE else 0, total if kind == KIND_RACE else 0,
        tuple([d.use[i] for i in range(COMBINATIONS)]),
        tuple([d.order[i] for i in range(COMBINATIONS)]),
        d.two_buras, d.aces_trump, d.aces_play_off, d.one_or_three,
    )

cdef int cards_in_table(const Deal* d, int kind) noexcept:
    """Up to how many cards endings can be looked up under these rules."""
    if d.immune or d.seats != 2:
        # An immune suit is no side suit like the others.
        return 0
    if d.rank_leads or d.use[LITTLE_MOSKVA]:
        # Here the ranks of worthless cards count.
        return 0
    if kind == KIND_POINTS and d.hand_size <= ENDING_CARDS and (d.use[BURA] or d.sight):
        # A full hand may win outright, which is no number of points.
        return d.hand_size - 1
    if kind == KIND_POINTS and d.use[THREE_ACES] == USE_WIN:
        return 2
    return ENDING_CARDS

cdef Endings endings_of(const Deal* d, int kind, int total):
    """The shared table for a deal's rules, or None where endings cannot be looked up."""
    cdef Endings table
    if cards_in_table(d, kind) == 0:
        return None
    key = key_of(d, kind, total)
    table = _tables.get(key)
    if table is None:
        table = _tables.setdefault(key, open_endings(d, kind, total))
    return table

cdef Endings open_endings(const Deal* d, int kind, int total):
    cdef Endings table = Endings.__new__(Endings)
    table.key = key_of(d, kind, total)
    table.table.cards = cards_in_table(d, kind)
    table.table.kind = kind
    table.table.numbering = &numbering
    table.table.target = d.target
    table.table.total = total
    if not map_file(table, ending_file(table.key, cache_folder())):
        table.table.values = <uint8_t*>calloc(numbering.count, 1)
        if table.table.values == NULL:
            raise MemoryError()
    return table


def cache_folder():
    """Where finished tables are kept: $BURA_CACHE, or the user's cache folder.

    None where BURA_CACHE is set but empty: then nothing is read or written.
    """
    named = os.environ.get("BURA_CACHE")
    if named is not None:
        return Path(named) if named else None
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "bura"
        base = os.environ.get("XDG_CACHE_HOME")
        return (Path(base) if base else Path.home() / ".cache") / "bura"
    except RuntimeError:
        return None           # no home folder


_MAGIC = b"BURAENDS"
_HEADER = 64

cdef object ending_file(object key, object folder):
    if folder is None:
        return None
    name = hashlib.blake2b(repr(key).encode(), digest_size=12).hexdigest()
    return folder / f"endings-{name}.bin"

cdef bytes header_of(object key, object values):
    """Format, what the values depend on, and the values' checksum: 64 bytes."""
    return (
        _MAGIC + FORMAT.to_bytes(4, "little") + len(values).to_bytes(4, "little")
        + hashlib.blake2b(repr(key).encode(), digest_size=16).digest()
        + hashlib.blake2b(values, digest_size=32).digest()
    )

cdef bint map_file(Endings table, object path) except -1:
    """Map a finished table. One that is damaged, cut short or of another version is not used."""
    cdef const uint8_t[::1] view
    if path is None:
        return False
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError):
        return False          # not there, not readable, or empty
    values = memoryview(mapped)[_HEADER:]
    if len(values) != numbering.count or mapped[:_HEADER] != header_of(table.key, values):
        return False
    view = values
    # A private copy-on-write mapping: the few values that do not fit a byte may be stored over.
    table.table.values = <uint8_t*>&view[0]
    table.mapped = (mapped, values)
    table.complete = True
    return True


def build_endings(rules, *, threads=2, folder=None):
    """Find out all endings of a rule set and keep them in the cache folder.

    Later processes map the file instead of finding the values out as they need them; answers
    are the same either way. Returns the paths of the tables (outcome and, where it differs,
    points). Files are written beside and then renamed, so processes that build at once or die
    do no harm; where the folder cannot be written OSError is raised and nothing changes.
    ``threads`` 1 to 64. Raises UnsupportedError where endings cannot be looked up.
    """
    cdef Deal deal
    cdef Endings table
    if type(threads) is not int or not 1 <= threads <= 64:
        raise InputError(Fault("threads", str(threads), "not a number of threads", "use 1 to 64"))
    gap = not_for_two(rules)
    if gap is not None:
        raise UnsupportedError(f"{rules}: {gap} cannot be solved yet")
    folder = cache_folder() if folder is None else Path(folder)
    if folder is None:
        raise OSError("there is no cache folder: set BURA_CACHE")
    paths = []
    fill_deal(&deal, rules, 0 if rules.trumps else None, (), (0,) * rules.players)
    for played_for_points in (False, True):
        total = DECK_POINTS
        if played_for_points:
            without_combinations(&deal)
            kind = KIND_POINTS
        elif deal.ceiling != NO_CEILING:
            continue          # more points may hurt: there are no thresholds
        else:
            total += rules.compensation
            kind = KIND_RACE
            if deal.unclaimed != UNCLAIMED_NO_WINNER and 2 * deal.target > total:
                kind = KIND_POINTS
        if cards_in_table(&deal, kind) == 0:
            continue
        path = ending_file(key_of(&deal, kind, total), folder)
        if path in paths:
            continue
        table = open_endings(&deal, kind, total)
        if not table.complete:
            fill_table(table, &deal, 9 - rules.deck // 4, threads)
            folder.mkdir(parents=True, exist_ok=True)
            write_file(table, path)
            _tables[table.key] = open_endings(&deal, kind, total)
        paths.append(path)
    if not paths:
        raise UnsupportedError(f"{rules}: its endings cannot be looked up")
    return paths


cdef object fill_table(Endings table, const Deal* deal, int low, int threads):
    """Find out every ending of a deck whose lowest rank is `low`, on several threads."""
    cdef int size
    cards = [suit * 9 + rank for suit in range(4) for rank in range(low, 9)]

    deck = sum(1 << card for card in cards)

    def share(first):
        fill_share(table, deal, deck, size, first, threads)

    size = 0
    while size < table.table.cards:
        # Endings of fewer cards come first, so that no value is found out twice.
        size += 1
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(share, range(threads)))


cdef object fill_share(
    Endings table, const Deal* deal, uint64_t deck, int size, int first, int step,
):
    """Every `step`th leader's hand of `size` cards from the `first`, with all other hands."""
    cdef uint64_t hand = (<uint64_t>1 << size) - 1, other, own, opp, rest, end, opp_end
    cdef int n = 0
    end = <uint64_t>1 << popcount(deck)
    opp_end = <uint64_t>1 << popcount(deck) - size
    with nogil:
        while hand < end:
            if n % step == first:
                own = deposit(hand, deck)
                rest = deck ^ own
                other = (<uint64_t>1 << size) - 1
                while other < opp_end:
                    opp = deposit(other, rest)
                    look_up(&table.table, deal, own, opp)
                    other = next_subset(other)
            n += 1
            hand = next_subset(hand)


cdef object write_file(Endings table, object path):
    """Write a finished table beside its place, then put it there in one step."""
    cdef const uint8_t[::1] view = <const uint8_t[:numbering.count]>table.table.values
    values = memoryview(view)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with open(handle, "wb") as file:
            file.write(header_of(table.key, values))
            file.write(values)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
