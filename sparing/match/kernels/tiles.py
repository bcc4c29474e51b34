"""Matching of a large batch: the batch is the index.

Events are divided into tiles of 512. For each field of a tile there is a table of rows, one bit per event: row `r` has
the events with a value in a bucket before `r`. A range of values is the difference of two rows, and the matches of a
subscription are the AND of its predicates. A bound inside a bucket leaves the bits of that bucket uncertain; only those
are compared by value.

Events are first sorted by the bucket of a pivot field, so that a tile spans few buckets of it. Subscriptions are sorted
by their lowest bucket of that field, and a tile scans only those whose range overlaps its span.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.match.kernels.arrays import Collected
from sparing.match.kernels.buckets import MISSING, MOST_BUCKETS, put_buckets
from sparing.match.kernels.pairs import in_set
from sparing.match.kernels.pivots import EXACT, HAS_SETS
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

CHUNK = 512  # subscriptions that are scanned before hits may be written out
HITS = 1024  # hits that are collected before they are written out
FEW = np.uint64(2)  # words with bits up to which all bits of a hit are compared by value
SLACK = 4  # positions after the last match that may be overwritten

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
def match_segment(events, rows, buckets, pivot, pivot_start, pivot_end, ranges, owned, slot_data, set_runs, table, most,
                  collected, scanned):  # fmt: skip
    """Match some rows of a batch with the subscriptions of one segment; return the collected matches.

    The pivot field `pivot[i]` (-1: none) has the slots from `pivot_start[i]` to `pivot_end[i]`.
    Stops early after more than `most` matches. `scanned` counts subscriptions per tile, and pairs compared by value.
    """
    used, pieces, ordered = collected.used, collected.pieces, collected.ordered
    buffer, counts, piece_rows, orders = collected.buffer, collected.counts, collected.piece_rows, collected.orders
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
        next_slot = pivot_start[o]
        active_count = 0
        for tile in range(0, size, BITS):
            within = min(BITS, size - tile)
            _build_table(table, values, buckets, tile, within)
            lowest, highest = np.int16(0), np.int16(MOST_BUCKETS)
            if by >= 0:
                lowest, highest = np.int16(values[by, tile]), np.int16(values[by, tile + within - 1])
            kept = 0
            for i in range(active_count):
                slot = active[i]
                active[kept] = slot
                kept += slot_data.pivot_high[slot] >= lowest
            active_count = kept
            while next_slot < pivot_end[o] and slot_data.pivot_low[next_slot] <= highest:
                active[active_count] = next_slot
                active_count += slot_data.pivot_high[next_slot] >= lowest
                next_slot += 1
            found = _0
            compared = 0
            for chunk in range(0, active_count, CHUNK):
                end = min(active_count, chunk + CHUNK)
                before = found
                found = _scan(
                    table, active, chunk, end, lowest, highest, ranges.starts, owned, slot_data, masks, hits, found
                )
                compared += _compare_values(
                    table, masks, hits, before, found, ranges, owned, slot_data, set_runs, events, values, mine, tile,
                    codes, compared > 0,
                )  # fmt: skip
                if found > HITS or (end == active_count and found > _0):
                    buffer = _grown(buffer, used, used + np.int64(found) * BITS + SLACK)
                    counts = _grown(counts, pieces * BITS, (pieces + 1) * BITS)
                    piece_rows = _grown(piece_rows, pieces, pieces + 1)
                    used = write_piece(masks, hits, found, slot_data.number, counts, pieces, buffer, used)
                    piece_rows[pieces] = ordered + tile
                    pieces += 1
                    found = _0
                    if used > most:
                        return Collected(used, pieces, ordered + size, buffer, counts, piece_rows, orders)
            scanned[0] += active_count
            scanned[1] += compared
        ordered += size
    return Collected(used, pieces, ordered, buffer, counts, piece_rows, orders)


@compiled
def _grown(array, used, needed):
    """Return the array, or a larger one with the same start."""
    if needed <= len(array):
        return array
    larger = np.empty(max(2 * len(array), needed), array.dtype)
    larger[:used] = array[:used]
    return larger


@compiled
def _sort(values, order):
    """Put the positions of events into `order`, by bucket."""
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
    """Compute the rows of one tile: those of each field, then the row of all events."""
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
def _scan(table, active, start, end, lowest, highest, starts, owned, slot_data, masks, hits, found):
    """AND the predicates of the subscriptions active[start:end], and append those with matches to the hits."""
    everything = np.uint64(len(table)) // _WORDS - _1
    for i in range(start, end):
        slot = np.uint64(active[i])
        # The pivot predicate is the first; it is skipped if the whole tile satisfies it.
        sure = (slot_data.within_low[slot] <= lowest) & (highest <= slot_data.within_high[slot])
        mask = row(table, everything)
        for k in range(np.uint64(starts[slot]) + np.uint64(sure), np.uint64(starts[slot + _1]) - owned):
            bounds = np.uint64(slot_data.packed[k])
            mask = both(mask, without(row(table, bounds & _ROW), row(table, (bounds >> _16) & _ROW)))
        put_row(masks, found, mask)
        hits[found] = slot
        found += np.uint64(filled_words(mask) != _0)
    return found


@inlined
def _compare_values(table, masks, hits, begin, end, ranges, owned, slot_data, set_runs, events, values, rows, tile,
                    codes, codes_gathered):  # fmt: skip
    """Clear the uncertain bits of hits that do not match; return the number of comparisons by value."""
    compared = 0
    scratch = np.uint64(len(masks)) // _WORDS - _1
    for h in range(begin, end):
        slot = np.uint64(hits[h])
        flag = slot_data.flags[slot]
        if flag == EXACT:
            continue
        first, stop = np.uint64(ranges.starts[slot]), np.uint64(ranges.starts[slot + _1]) - owned
        set_first = set_end = 0
        sets_exact = True
        if flag & HAS_SETS:
            which = slot_data.set_of[slot]
            set_first, set_end = set_runs.starts[which], set_runs.starts[which + 1]
            sets_exact = _apply_sets(table, masks, h, set_first, set_end, set_runs)
        uncertain = row(masks, h)
        # With few bits, comparing all is faster than finding the certain ones.
        if sets_exact and count_bits(filled_words(uncertain)) > FEW:
            uncertain = without(uncertain, _certain(table, slot_data.packed, first, stop))
        filled = filled_words(uncertain)
        if filled == _0:
            continue
        if compared == 0 and not codes_gathered:
            _gather_codes(events.codes, rows, tile, codes)
        put_row(masks, scratch, uncertain)
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
                    right = _in_sets(ranges, set_runs, set_first, set_end, codes, at, values, np.uint64(tile))
                wrong |= np.uint64(not right) << bit
            masks[h * _WORDS + w] ^= wrong
    return compared


@inlined
def _certain(table, packed, first, stop):
    """Return the events of a tile that satisfy predicates without regard to the buckets that bounds fall into."""
    sure = row(table, np.uint64(len(table)) // _WORDS - _1)
    for k in range(first, stop):
        bounds = np.uint64(packed[k])
        after = (bounds & _ROW) - ((bounds >> _15) & _1)
        before = ((bounds >> _16) & _ROW) + (bounds >> _31)
        sure = both(sure, without(row(table, after), row(table, before)))
    return sure


@inlined
def _apply_sets(table, masks, hit, first, end, set_runs):
    """AND a hit with the buckets that its sets admit; return whether the result is exact."""
    exact = True
    mask = row(masks, hit)
    for p in range(first, end):
        admitted = empty_row()
        for r in range(set_runs.run_starts[p], set_runs.run_starts[p + 1]):
            bounds = np.uint64(set_runs.runs[r])
            admitted = either(admitted, without(row(table, bounds & _ROW), row(table, bounds >> _16)))
        mask = both(mask, admitted)
        exact &= set_runs.exact[p]
    put_row(masks, hit, mask)
    return exact


@inlined
def _gather_codes(codes, rows, tile, out):
    """Copy the codes of a tile's events into `out`, field by field."""
    for f in range(codes.shape[0]):
        mine = codes[f]
        for i in range(min(BITS, len(rows) - tile)):
            out[np.uint64(f * BITS + i)] = mine[np.uint64(rows[tile + i])]


@inlined
def _in_ranges(ranges, first, stop, codes, at):
    """Return whether the values of a tile's event are in the ranges of predicates."""
    right = True
    for k in range(first, stop):
        code = codes[np.uint64(ranges.field[k]) * _BITS + at]
        right &= (ranges.low[k] <= code) & (code <= ranges.last[k])
    return right


@inlined
def _in_ranges_or_missing(ranges, first, stop, codes, at, values, tile):
    """Like `_in_ranges`, with missing values, which have no code and were decided by their bucket."""
    right = True
    for k in range(first, stop):
        f = np.uint64(ranges.field[k])
        code = codes[f * _BITS + at]
        right &= ((ranges.low[k] <= code) & (code <= ranges.last[k])) | (values[f, tile + at] == MISSING)
    return right


@inlined
def _in_sets(ranges, set_runs, first, end, codes, at, values, tile):
    """Return whether the values of a tile's event are in sets, except those that buckets have decided."""
    for p in range(first, end):
        f = np.uint64(set_runs.field[p])
        if set_runs.exact[p] or values[f, tile + at] == MISSING:
            continue
        if not in_set(codes[f * _BITS + at], ranges, set_runs.set[p]):
            return False
    return True


@compiled
def count_matches(collected, of_row):
    """Add the number of matches of each row of the batch to `of_row`."""
    for p in range(collected.pieces):
        start = collected.piece_rows[p]
        for i in range(min(BITS, collected.ordered - start)):
            of_row[collected.orders[start + i]] += collected.counts[p * BITS + i]


@compiled
def gather(collected, place, out):
    """Copy the matches into `out`, row by row; `place` is the position of the next match of each row."""
    buffer = collected.buffer
    taken = 0
    for p in range(collected.pieces):
        start = collected.piece_rows[p]
        for i in range(min(BITS, collected.ordered - start)):
            count = np.int64(collected.counts[p * BITS + i])
            if count:
                event = collected.orders[start + i]
                to = place[event]
                for j in range(count):
                    out[to + j] = buffer[taken + j]
                place[event] = to + count
                taken += count
