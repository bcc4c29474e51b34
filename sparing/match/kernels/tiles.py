"""Matching a large batch: the batch is the index.

Events are cut into tiles of 512. For each field of a tile there is a table of rows, one bit per event: row `r` has the
events whose value lies in a bucket before `r`. A range of values is then the difference of two rows, and the events
that match a subscription are what is left of the tile after its predicates have been ANDed. Bounds that fall inside
a bucket leave some bits uncertain; only those are checked against the values.

Events are sorted by the bucket of a pivot field first, so that a tile spans few buckets of it; subscriptions are kept
in the order of their lowest bucket of that field, and a tile looks only at those whose range meets its span.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.match.kernels.arrays import Collected
from sparing.match.kernels.buckets import MISSING, MOST_BUCKETS, put_buckets
from sparing.match.kernels.filing import EXACT, HAS_SETS
from sparing.match.kernels.pairs import in_set
from sparing.match.kernels.rows import (
    BITS,
    WORDS,
    both,
    count_bits,
    either,
    empty_row,
    filled_words,
    lowest_bit,
    put_row,
    row,
    without,
)
from sparing.match.kernels.write import write_piece

CHUNK = 512  # subscriptions between two looks at how full the buffer of hits is
HITS = 1024  # hits that are collected before they are written out
FEW = np.uint64(2)  # words with bits, up to which all of a hit's bits are checked
SLACK = 4  # places after the last match that may be written to

_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_15 = np.uint64(15)
_16 = np.uint64(16)
_31 = np.uint64(31)
_ROW = np.uint64(0x7FFF)  # the part of a packed predicate that is a row
_WORDS = np.uint64(WORDS)
_BITS = np.uint64(BITS)


@compiled
def match_shelf(events, rows, buckets, pivot, pivot_start, pivot_end, ranges, owned, filing, placed, table, most,
                collected, looked_at):  # fmt: skip
    """Match some rows of a batch with the subscriptions of one shelf, and collect what is found.

    Subscriptions filed under the field `pivot[i]` (or -1: none) have the slots from `pivot_start[i]` to `pivot_end[i]`.
    Stops early when more than `most` matches have been collected. `looked_at` counts subscriptions per tile, and pairs
    that were compared by value.
    """
    used, pieces, ordered = collected.used, collected.pieces, collected.ordered
    heap, counts, piece_rows, orders = collected.heap, collected.counts, collected.piece_rows, collected.orders
    size = len(rows)
    fields = len(buckets.rows)
    unsorted = np.zeros((fields, size), np.uint8)
    for f in range(fields):
        if buckets.rows[f]:
            put_buckets(events, rows, buckets, f, unsorted[f])
    by_pivot = np.zeros((fields, size), np.uint8)
    longest = 0
    for o in range(len(pivot)):
        longest = max(longest, pivot_end[o] - pivot_start[o])
    active = np.empty(longest, np.uint32)
    order = np.empty(size, np.int32)
    masks = np.empty((HITS + CHUNK + 2) * WORDS, np.uint64)
    hits = np.empty(HITS + CHUNK + 64, np.uint32)
    codes = np.empty(fields * BITS, np.int64)
    for o in range(len(pivot)):
        by = np.int64(pivot[o])
        orders = _grown(orders, ordered, ordered + size)
        mine = orders[ordered : ordered + size]
        values = unsorted
        if by >= 0:
            _sort(unsorted[by], order)
            for i in range(size):
                mine[i] = rows[order[i]]
            for f in range(fields):
                if buckets.rows[f]:
                    source, target = unsorted[f], by_pivot[f]
                    for i in range(size):
                        target[i] = source[np.uint64(order[i])]
            values = by_pivot
        else:
            mine[:] = rows
        upcoming = pivot_start[o]
        standing = 0
        for tile in range(0, size, BITS):
            within = min(BITS, size - tile)
            _build_table(table, values, buckets, tile, within)
            lowest, highest = np.int16(0), np.int16(MOST_BUCKETS)
            if by >= 0:
                lowest, highest = np.int16(values[by, tile]), np.int16(values[by, tile + within - 1])
            kept = 0
            for i in range(standing):
                slot = active[i]
                active[kept] = slot
                kept += filing.pivot_high[slot] >= lowest
            standing = kept
            while upcoming < pivot_end[o] and filing.pivot_low[upcoming] <= highest:
                active[standing] = upcoming
                standing += filing.pivot_high[upcoming] >= lowest
                upcoming += 1
            found = _0
            compared = 0
            for chunk in range(0, standing, CHUNK):
                end = min(standing, chunk + CHUNK)
                before = found
                found = _scan(
                    table, active, chunk, end, lowest, highest, ranges.starts, owned, filing, masks, hits, found
                )
                compared += _verify(
                    table, masks, hits, before, found, ranges, owned, filing, placed, events, values, mine, tile,
                    codes, compared > 0,
                )  # fmt: skip
                if found > HITS or (end == standing and found > _0):
                    heap = _grown(heap, used, used + np.int64(found) * BITS + SLACK)
                    counts = _grown(counts, pieces * BITS, (pieces + 1) * BITS)
                    piece_rows = _grown(piece_rows, pieces, pieces + 1)
                    used = write_piece(masks, hits, found, filing.number, counts, pieces, heap, used)
                    piece_rows[pieces] = ordered + tile
                    pieces += 1
                    found = _0
                    if used > most:
                        return Collected(used, pieces, ordered + size, heap, counts, piece_rows, orders)
            looked_at[0] += standing
            looked_at[1] += compared
        ordered += size
    return Collected(used, pieces, ordered, heap, counts, piece_rows, orders)


@compiled
def _grown(array, used, needed):
    """The array, or a larger one with the same start."""
    if needed <= len(array):
        return array
    larger = np.empty(max(2 * len(array), needed), array.dtype)
    larger[:used] = array[:used]
    return larger


@compiled
def _sort(values, order):
    """Places in ascending order of bucket."""
    starts = np.zeros(257, np.int64)
    for i in range(len(values)):
        starts[np.int64(values[i]) + 1] += 1
    for i in range(256):
        starts[i + 1] += starts[i]
    for i in range(len(values)):
        bucket = np.uint64(values[i])
        order[starts[bucket]] = i
        starts[bucket] += 1


@inlined
def _build_table(table, values, buckets, start, size):
    """The rows of one tile: of each field, and last of all the row with all its events."""
    for f in range(len(buckets.rows)):
        if buckets.rows[f] == 0:
            continue
        first = np.uint64(buckets.first_row[f])
        end = first + np.uint64(buckets.rows[f])
        for r in range(first, end):
            put_row(table, r, empty_row())
        _set_bits(table, first + _1, values[f], start, size)
        sofar = empty_row()
        for r in range(first, end):
            sofar = either(sofar, row(table, r))
            put_row(table, r, sofar)
    everything = np.uint64(len(table)) // _WORDS - _1
    put_row(table, everything, empty_row())
    for i in range(size):
        table[everything * _WORDS + (np.uint64(i) >> _6)] |= _1 << (np.uint64(i) & np.uint64(63))


@inlined
def _set_bits(table, first, values, start, size):
    """Set the bit of each event in the row of its bucket; bucket 0 has the row `first`."""
    for i in range(0, size, 64):
        word = first * _WORDS + (np.uint64(i) >> _6)
        bit = _1
        for event in range(np.uint64(start + i), np.uint64(start + min(size, i + 64))):
            table[word + np.uint64(values[event]) * _WORDS] |= bit
            bit <<= _1


@inlined
def _scan(table, active, start, end, lowest, highest, starts, owned, filing, masks, hits, found):
    """AND the predicates of the subscriptions active[start:end]; append those with any bit left to the hits."""
    everything = np.uint64(len(table)) // _WORDS - _1
    for i in range(start, end):
        slot = np.uint64(active[i])
        # The pivot predicate comes first. Where the whole tile surely satisfies it, it need not be looked at.
        sure = (filing.within_low[slot] <= lowest) & (highest <= filing.within_high[slot])
        mask = row(table, everything)
        for k in range(np.uint64(starts[slot]) + np.uint64(sure), np.uint64(starts[slot + _1]) - owned):
            bounds = np.uint64(filing.packed[k])
            mask = both(mask, without(row(table, bounds & _ROW), row(table, (bounds >> _16) & _ROW)))
        put_row(masks, found, mask)
        hits[found] = slot
        found += np.uint64(filled_words(mask) != _0)
    return found


@inlined
def _verify(table, masks, hits, begin, end, ranges, owned, filing, placed, events, values, rows, tile, codes,
            gathered):  # fmt: skip
    """Decide the unsure bits of hits; returns how many were compared by value."""
    compared = 0
    scratch = np.uint64(len(masks)) // _WORDS - _1
    for h in range(begin, end):
        slot = np.uint64(hits[h])
        flag = filing.flags[slot]
        if flag == EXACT:
            continue
        first, stop = np.uint64(ranges.starts[slot]), np.uint64(ranges.starts[slot + _1]) - owned
        set_first = set_end = 0
        sets_exact = True
        if flag & HAS_SETS:
            which = filing.set_of[slot]
            set_first, set_end = placed.starts[which], placed.starts[which + 1]
            sets_exact = _apply_sets(table, masks, h, set_first, set_end, placed)
        unsure = row(masks, h)
        # For a few bits it is quicker to look at them than to find out which are sure.
        if sets_exact and count_bits(filled_words(unsure)) > FEW:
            unsure = without(unsure, _sure(table, filing.packed, first, stop))
        filled = filled_words(unsure)
        if filled == _0:
            continue
        if compared == 0 and not gathered:
            _gather_codes(events.codes, rows, tile, codes)
        put_row(masks, scratch, unsure)
        while filled != _0:
            w = lowest_bit(filled)
            filled &= filled - _1
            bits = masks[scratch * _WORDS + w]
            wrong = _0
            while bits != _0:
                bit = lowest_bit(bits)
                bits &= bits - _1
                at = (w << _6) | bit
                compared += 1
                right = _in_ranges(ranges, first, stop, codes, at)
                if events.gaps and not right:
                    right = _in_ranges_or_missing(ranges, first, stop, codes, at, values, np.uint64(tile))
                if right and not sets_exact:
                    right = _in_sets(ranges, placed, set_first, set_end, codes, at, values, np.uint64(tile))
                wrong |= np.uint64(not right) << bit
            masks[h * _WORDS + w] ^= wrong
    return compared


@inlined
def _sure(table, packed, first, stop):
    """The events of a tile that satisfy predicates whatever the values in their outermost buckets are."""
    sure = row(table, np.uint64(len(table)) // _WORDS - _1)
    for k in range(first, stop):
        bounds = np.uint64(packed[k])
        after = (bounds & _ROW) - ((bounds >> _15) & _1)
        before = ((bounds >> _16) & _ROW) + (bounds >> _31)
        sure = both(sure, without(row(table, after), row(table, before)))
    return sure


@inlined
def _apply_sets(table, masks, hit, first, end, placed):
    """Keep of a hit what its sets admit, bucket by bucket; says whether that is exact."""
    exact = True
    mask = row(masks, hit)
    for p in range(first, end):
        admitted = empty_row()
        for r in range(placed.run_starts[p], placed.run_starts[p + 1]):
            bounds = np.uint64(placed.runs[r])
            admitted = either(admitted, without(row(table, bounds & _ROW), row(table, bounds >> _16)))
        mask = both(mask, admitted)
        exact &= placed.exact[p]
    put_row(masks, hit, mask)
    return exact


@inlined
def _gather_codes(codes, rows, tile, out):
    """Bring the values of a tile's events together, field by field."""
    for f in range(codes.shape[0]):
        mine = codes[f]
        for i in range(min(BITS, len(rows) - tile)):
            out[np.uint64(f * BITS + i)] = mine[np.uint64(rows[tile + i])]


@inlined
def _in_ranges(ranges, first, stop, codes, at):
    """Whether the values of a tile's event lie in the ranges of predicates."""
    right = True
    for k in range(first, stop):
        code = codes[np.uint64(ranges.field[k]) * _BITS + at]
        right &= (ranges.low[k] <= code) & (code <= ranges.last[k])
    return right


@inlined
def _in_ranges_or_missing(ranges, first, stop, codes, at, values, tile):
    """The same where values may be missing: those have no code, and their bucket has decided already."""
    right = True
    for k in range(first, stop):
        f = np.uint64(ranges.field[k])
        code = codes[f * _BITS + at]
        right &= ((ranges.low[k] <= code) & (code <= ranges.last[k])) | (values[f, tile + at] == MISSING)
    return right


@inlined
def _in_sets(ranges, placed, first, end, codes, at, values, tile):
    """Whether the values of a tile's event lie in sets, as far as buckets have not decided that."""
    for p in range(first, end):
        f = np.uint64(placed.field[p])
        if placed.exact[p] or values[f, tile + at] == MISSING:
            continue
        if not in_set(codes[f * _BITS + at], ranges, placed.set[p]):
            return False
    return True


@compiled
def count_matches(collected, of_row):
    """Add up how many matches each row of the batch has."""
    for p in range(collected.pieces):
        start = collected.piece_rows[p]
        for i in range(min(BITS, collected.ordered - start)):
            of_row[collected.orders[start + i]] += collected.counts[p * BITS + i]


@compiled
def gather(collected, place, out):
    """Bring the matches of each row together; `place` is where the next match of a row goes."""
    heap = collected.heap
    taken = 0
    for p in range(collected.pieces):
        start = collected.piece_rows[p]
        for i in range(min(BITS, collected.ordered - start)):
            count = np.int64(collected.counts[p * BITS + i])
            if count:
                event = collected.orders[start + i]
                to = place[event]
                for j in range(count):
                    out[to + j] = heap[taken + j]
                place[event] = to + count
                taken += count
