"""Matching of single pairs of an event and a subscription, for few candidates."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.match.kernels.buckets import bucket_of
from sparing.match.kernels.rows import lowest_bit

_BLOCK = 512  # words of bitmaps that are worked on at once
_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_63 = np.uint64(63)


@inlined
def in_set(code, ranges, which):
    """Return whether a value is in one of the ascending ranges of a set."""
    low, high = ranges.set_starts[which], ranges.set_starts[which + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if ranges.set_last[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < end and ranges.set_low[low] <= code


@inlined
def satisfies(events, row, ranges, first, end):
    """Return whether an event satisfies the predicates first..end."""
    for k in range(first, end):
        f = np.uint64(ranges.field[k])
        which = ranges.set[k]
        if not events.valid[f, row]:
            if which < 0 or not ranges.set_missing[which]:
                return False
            continue
        code = events.codes[f, row]
        if code < ranges.low[k] or code > ranges.last[k]:
            return False
        if which >= 0 and not in_set(code, ranges, which):
            return False
    return True


@compiled
def rows_by_value(codes, valid, values):
    """Return rows grouped by ascending values: those with `values[v]` are rows[starts[v]:starts[v + 1]]."""
    which = np.empty(len(codes), np.int32)
    starts = np.zeros(len(values) + 1, np.int64)
    for row in range(len(codes)):
        low, high = 0, len(values)
        while low < high:
            middle = (low + high) >> 1
            if values[middle] < codes[row]:
                low = middle + 1
            else:
                high = middle
        which[row] = -1
        if low < len(values) and values[low] == codes[row] and valid[row]:
            which[row] = low
            starts[low + 1] += 1
    for v in range(len(values)):
        starts[v + 1] += starts[v]
    rows = np.empty(starts[-1], np.int32)
    place = starts[:-1].copy()
    for row in range(len(codes)):
        if which[row] >= 0:
            rows[place[which[row]]] = row
            place[which[row]] += 1
    return rows, starts


@compiled
def check_rows(events, slot, ranges, admitted):
    """Compute whether each row satisfies the predicates of its slot; rows with slot -1 are not changed."""
    for row in range(len(slot)):
        if slot[row] >= 0:
            admitted[row] = satisfies(events, row, ranges, ranges.starts[slot[row]], ranges.starts[slot[row] + 1])


@compiled
def _doubled(array):
    """Return an array of twice the size with the same start."""
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def match_by_value(events, by, keys, key_starts, number, ranges):
    """Return matching pairs (rows, numbers) with subscriptions that are looked up by their value of field `by`."""
    rows, numbers, found = np.empty(1024, np.int32), np.empty(1024, np.int32), 0
    codes, valid = events.codes[by], events.valid[by]
    for row in range(len(codes)):
        if not valid[row]:
            continue
        key = np.searchsorted(keys, codes[row])
        if key == len(keys) or keys[key] != codes[row]:
            continue
        for slot in range(key_starts[key], key_starts[key + 1]):
            first, end = ranges.starts[slot], ranges.starts[slot + 1]
            if number[slot] >= 0 and satisfies(events, row, ranges, first, end):
                if found == len(rows):
                    rows, numbers = _doubled(rows), _doubled(numbers)
                rows[found] = row
                numbers[found] = number[slot]
                found += 1
    return rows[:found], numbers[:found]


@compiled
def fill_bitmaps(ranges, owned, slot_data, buckets, first_bitmap, count, coarseness, bitmaps):
    """Set the bit of each slot in the bitmaps of all coarse buckets that one of its predicates excludes."""
    for slot in range(len(ranges.starts) - 1):
        word, bit = np.uint64(slot) >> _6, _1 << (np.uint64(slot) & _63)
        for k in range(ranges.starts[slot], ranges.starts[slot + 1] - owned):
            f = ranges.field[k]
            bounds = np.int64(slot_data.packed[k])
            low = (((bounds >> 16) & 0x7FFF) - buckets.first_row[f]) >> coarseness
            high = ((bounds & 0x7FFF) - 1 - buckets.first_row[f]) >> coarseness
            for b in range(count[f]):
                if b < low or b > high:
                    bitmaps[first_bitmap[f] + b, word] |= bit


@compiled
def match_by_bitmap(events, chosen, used, buckets, first_bitmap, coarseness, bitmaps, slot_data, ranges, owned, most):
    """Return matching pairs (rows, numbers) of the chosen rows with slots that no bitmap excludes.

    Stops early, after a row, when there are more than `most`.
    """
    rows, numbers, found = np.empty(1024, np.int32), np.empty(1024, np.int32), 0
    excluded = np.empty(_BLOCK, np.uint64)
    size = bitmaps.shape[1]
    slots = len(slot_data.number)
    mine = np.empty(len(used), np.int64)
    for i in range(len(chosen)):
        if found > most:
            break
        row = np.int64(chosen[i])
        for u in range(len(used)):
            f = used[u]
            bucket = np.int64(0)
            if events.valid[f, row]:
                bucket = np.int64(bucket_of(events.codes[f, row], buckets, f))
            mine[u] = first_bitmap[f] + (bucket >> coarseness)
        for block in range(0, size, _BLOCK):
            width = min(_BLOCK, size - block)
            excluded[:] = _0
            for u in range(len(used)):
                bitmap = bitmaps[mine[u], block : block + width]
                for w in range(width):
                    excluded[w] |= bitmap[w]
            for w in range(width):
                bits = ~excluded[w]
                while bits != _0:
                    slot = np.int64((np.uint64(block + w) << _6) + lowest_bit(bits))
                    bits &= bits - _1
                    if slot >= slots:
                        break
                    first, end = ranges.starts[slot], ranges.starts[slot + 1] - owned
                    if slot_data.pivot_high[slot] >= 0 and satisfies(events, row, ranges, first, end):
                        if found == len(rows):
                            rows, numbers = _doubled(rows), _doubled(numbers)
                        rows[found] = row
                        numbers[found] = slot_data.number[slot]
                        found += 1
    return rows[:found], numbers[:found]


@compiled
def scatter(rows, numbers, place, out):
    """Put pairs among the matches of their events; `place` is where the next match of an event goes."""
    for i in range(len(rows)):
        row = rows[i]
        out[place[row]] = numbers[i]
        place[row] += 1
