"""Compiled covering: boxes are walked through from the best to the worst, and held against those kept so far.

Kept boxes stand in bitmaps, 64 to a word. For every field there is a bitmap for each bucket of lower bounds ("begins in
this bucket or before") and of upper bounds ("ends in this bucket or after"); those that contain a box are the
intersection of two bitmaps per field. Where a bound falls into the same bucket, the boxes themselves are compared.

The word that is being filled stands apart until it is full: a box enters many bitmaps, and a word's places in them are
far from each other, but side by side as long as it stands apart.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.covering.kernels.contain import contains

BLOCK = 32  # words that are intersected at a time
MARGIN = 1e-12  # of the magnitude; 100 operations are off by less than 1e-13 of it together
ROOM = 16  # words of a bitmap, to begin with
NONE = np.uint64(0)
ONE = np.uint64(1)


@compiled
def above(forms, a, b, before):
    """Whether a certainly ranks above b, for every publication in b's box, which a's contains, and the advertised one.

    `before`: equal scores will do, because a's id comes first, or because all that counts is not to rank below.
    """
    if forms.alike[a] == forms.alike[b]:
        return before
    if (forms.missing[a] or forms.missing[b]) and not (forms.strict and before):  # both NULL is a tie
        return False
    least = forms.low[a] - forms.high[b]
    for j in range(forms.coefficients.shape[1]):
        difference = forms.coefficients[a, j] - forms.coefficients[b, j]
        if difference != 0.0:
            least += np.minimum(difference * forms.symbol_low[b, j], difference * forms.symbol_high[b, j])
    return least > MARGIN * (forms.magnitude[a] + forms.magnitude[b])


@inlined
def covers(ranges, forms, static, fair, a, b):
    """Whether a, which comes before b, rank-covers it."""
    return contains(ranges, a, b) and (static or above(forms, a, b, fair or a < b))


@inlined
def ones(word):
    """How many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def lowest(word):
    """The number of the lowest bit that is set."""
    return ones((word & (~word + ONE)) - ONE)


@inlined
def spans(low, last, a, b):
    """Whether the bounds of box a include those of box b, which is all there is to ask if a has no sets."""
    for field in range(low.shape[1]):
        if low[a, field] > low[b, field] or last[a, field] < last[b, field]:
            return False
    return True


@compiled
def in_order(order, buckets, ranges):
    """The buckets of boxes, and whether they admit missing values, as they lie on the way of the walk."""
    shape = len(order), ranges.low.shape[1]
    low, last, missing = np.empty(shape, np.int16), np.empty(shape, np.int16), np.empty(shape, np.bool_)
    for at in range(len(order)):
        box = order[at]
        for field in range(shape[1]):
            low[at, field], last[at, field] = buckets.low[box, field], buckets.last[box, field]
            missing[at, field] = ranges.missing[box, field]
    return low, last, missing


@inlined
def intersect(bits, lacking, low, last, missing, at, first, end, into):
    """The kept boxes of some words that may contain a box; 0 if there are none."""
    some = NONE
    for field in range(bits.shape[0]):
        begins, ends = low[at, field] + 1, last[at, field]
        some = NONE
        if field == 0:
            for word in range(first, end):
                found = bits[field, 0, begins, word] & bits[field, 1, ends, word]
                into[word - first] = found
                some |= found
        else:
            for word in range(first, end):
                found = into[word - first] & bits[field, 0, begins, word] & bits[field, 1, ends, word]
                into[word - first] = found
                some |= found
        if missing[at, field]:
            some = NONE
            for word in range(first, end):
                found = into[word - first] & lacking[field, word]
                into[word - first] = found
                some |= found
        if some == NONE:
            break
    return some


@inlined
def surely(bits, exact, low, low_coarse, last, last_coarse, at, first, end, candidates, into):
    """Those of the candidates that contain a box for certain; how many there are."""
    for word in range(first, end):
        into[word - first] = candidates[word - first] & exact[word]
    for field in range(bits.shape[0]):
        begins, ends = low[at, field] + 1 - low_coarse[field], last[at, field] + last_coarse[field]
        for word in range(first, end):
            into[word - first] &= bits[field, 0, begins, word] & bits[field, 1, ends, word]
    count = 0
    for word in range(first, end):
        count += ones(into[word - first])
    return count


@inlined
def enter(bits, lacking, exact, low, last, missing, sets, box, at, kept):
    """Enter a box that is kept, the next in number, into the word that is being filled; whether it has no sets."""
    bit, whole = ONE << np.uint64(kept & 63), True
    for field in range(bits.shape[0]):
        for bucket in range(low[at, field] + 1, bits.shape[2]):
            bits[field, 0, bucket, 0] |= bit
        for bucket in range(last[at, field] + 1):
            bits[field, 1, bucket, 0] |= bit
        if missing[at, field]:
            lacking[field, 0] |= bit
        whole = whole and sets[box, field] < 0
    if whole:
        exact[0] |= bit
    return whole


@compiled
def put_away(filling, lacking_now, exact_now, bits, lacking, exact, word):
    """Put the word that has been filled into its place, and begin another; the bitmaps, which may have been widened."""
    if word == bits.shape[3]:
        wider = np.zeros((bits.shape[0], 2, bits.shape[2], 2 * word), np.uint64)
        wider[:, :, :, :word] = bits
        bits = wider
    bits[:, :, :, word], lacking[:, word], exact[word] = filling[:, :, :, 0], lacking_now[:, 0], exact_now[0]
    filling[:], lacking_now[:], exact_now[:] = NONE, NONE, NONE
    return bits


@compiled
def ancestor_walk(order, k, buckets, ranges, forms, static, fair, stand_ins):
    """How many kept boxes rank-cover each box, up to k; those with fewer are kept.

    `stand_ins` [box, k], if it has rows, gets the boxes that were counted.
    """
    fields, words, rows = ranges.low.shape[1], (len(order) + 63) // 64, buckets.rows + 1
    bits, filling = np.zeros((fields, 2, rows, ROOM), np.uint64), np.zeros((fields, 2, rows, 1), np.uint64)
    lacking, lacking_now = np.zeros((fields, words), np.uint64), np.zeros((fields, 1), np.uint64)
    exact, exact_now = np.zeros(words, np.uint64), np.zeros(1, np.uint64)
    low, last, missing = in_order(order, buckets, ranges)
    low_coarse, last_coarse = buckets.low_coarse, buckets.last_coarse
    chosen, candidates, certain = np.empty(len(order), np.int32), np.zeros(BLOCK, np.uint64), np.zeros(BLOCK, np.uint64)
    counts, kept, whole = np.zeros(len(ranges.low), np.int32), 0, np.empty(len(order), np.bool_)
    lows, lasts = ranges.low, ranges.last
    listing = len(stand_ins) > 0
    one_by_one = listing or not static
    for at in range(len(order)):
        full = kept // 64
        count = done = 0
        size = 1
        while count < k and done <= full:
            if done < full:
                size = min(2 * size, BLOCK)  # the best are most likely to decide
                first, done = done, min(done + size, full)
                some = intersect(bits, lacking, low, last, missing, at, first, done, candidates)
                if some != NONE and not one_by_one:
                    count += surely(
                        bits, exact, low, low_coarse, last, last_coarse, at, first, done, candidates, certain
                    )
            else:
                first, done = done, done + 1
                some = intersect(filling, lacking_now, low, last, missing, at, 0, 1, candidates)
                if some != NONE and not one_by_one:
                    count += surely(
                        filling, exact_now, low, low_coarse, last, last_coarse, at, 0, 1, candidates, certain
                    )
            if some == NONE:
                continue
            for word in range(first, done):
                if count >= k:
                    break
                rest = candidates[word - first] & ~certain[word - first]
                while rest != NONE and count < k:
                    place = word * 64 + lowest(rest)
                    rest &= rest - ONE
                    other = chosen[place]
                    # Most are out by their bounds; to ask for all else takes long.
                    if spans(lows, lasts, other, order[at]) and (
                        (static and whole[place]) or covers(ranges, forms, static, fair, other, order[at])
                    ):
                        if listing:
                            stand_ins[order[at], count] = other
                        count += 1
        box = order[at]
        counts[box] = min(count, k)
        if count < k:
            whole[kept] = enter(filling, lacking_now, exact_now, low, last, missing, ranges.set, box, at, kept)
            chosen[kept] = box
            kept += 1
            if kept % 64 == 0:
                bits = put_away(filling, lacking_now, exact_now, bits, lacking, exact, full)
    return counts


@compiled
def rank_walk(order, k, buckets, ranges, forms, static, fair):
    """Which boxes have no chain of k kept boxes above them, each rank-covering the next."""
    fields, words, rows = ranges.low.shape[1], (len(order) + 63) // 64, buckets.rows + 1
    bits, filling = np.zeros((fields, 2, rows, ROOM), np.uint64), np.zeros((fields, 2, rows, 1), np.uint64)
    lacking, lacking_now = np.zeros((fields, words), np.uint64), np.zeros((fields, 1), np.uint64)
    exact, exact_now = np.zeros(words, np.uint64), np.zeros(1, np.uint64)
    low, last, missing = in_order(order, buckets, ranges)
    chosen, candidates = np.empty(len(order), np.int32), np.empty(BLOCK, np.uint64)
    depth, kept = np.zeros(len(ranges.low), np.int32), 0  # 0 of those that are not kept
    lows, lasts = ranges.low, ranges.last
    for at in range(len(order)):
        box, full = order[at], kept // 64
        first, deepest = full + 1, 0
        while deepest < k and first > 0:  # the latest are the deepest
            if first > full:
                first, end = full, full + 1
                some = intersect(filling, lacking_now, low, last, missing, at, 0, 1, candidates)
            else:
                first, end = max(first - BLOCK, 0), first
                some = intersect(bits, lacking, low, last, missing, at, first, end, candidates)
            if some == NONE:
                continue
            for word in range(first, end):
                rest = candidates[word - first]
                while rest != NONE and deepest < k:
                    other = chosen[word * 64 + lowest(rest)]
                    rest &= rest - ONE
                    if (
                        depth[other] > deepest
                        and spans(lows, lasts, other, box)
                        and covers(ranges, forms, static, fair, other, box)
                    ):
                        deepest = depth[other]
        if deepest < k:
            depth[box] = deepest + 1
            enter(filling, lacking_now, exact_now, low, last, missing, ranges.set, box, at, kept)
            chosen[kept] = box
            kept += 1
            if kept % 64 == 0:
                bits = put_away(filling, lacking_now, exact_now, bits, lacking, exact, full)
    return depth > 0
