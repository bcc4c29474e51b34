"""Compiled covering: boxes are walked through from the best to the worst, and held against those kept so far.

Kept boxes stand in bitmaps, 64 to a word. For every field there is a bitmap for each bucket of lower bounds ("begins in
this bucket or before") and of upper bounds ("ends in this bucket or after"); those that contain a box are the
intersection of two bitmaps per field. Where a bound falls into the same bucket, the boxes themselves are compared.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.contain import contains
from sparing.graphs.compiled import compiled, inlined

BLOCK = 32  # words that are intersected at a time
NONE = np.uint64(0)
ONE = np.uint64(1)


@compiled
def above(forms, a, b, before):
    """Whether a certainly ranks above b for all publications in b, `before` it if they tie; see `bounds.above`."""
    if forms.alike[a] == forms.alike[b]:
        return before
    if (forms.missing[a] or forms.missing[b]) and not (forms.strict and before):
        return False
    least = forms.low[a] - forms.high[b]
    for j in range(forms.coefficients.shape[1]):
        difference = forms.coefficients[a, j] - forms.coefficients[b, j]
        if difference != 0.0:
            least += np.minimum(difference * forms.symbol_low[b, j], difference * forms.symbol_high[b, j])
    margin = 1e-12 * (forms.magnitude[a] + forms.magnitude[b])
    return least > margin


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
def intersect(bits, lacking, ranges, buckets, box, sure, first, last, into):
    """The kept boxes of some words that may contain a box, or with `sure` = 1 surely do; 0 if there are none."""
    some = NONE
    for field in range(bits.shape[0]):
        begins = bits[field, 0, buckets.low[box, field] + 1 - sure * buckets.low_coarse[field]]
        ends = bits[field, 1, buckets.last[box, field] + sure * buckets.last_coarse[field]]
        some = NONE
        if field == 0:
            for word in range(first, last):
                found = begins[word] & ends[word]
                into[word - first] = found
                some |= found
        else:
            for word in range(first, last):
                found = into[word - first] & begins[word] & ends[word]
                into[word - first] = found
                some |= found
        if ranges.missing[box, field]:
            some = NONE
            for word in range(first, last):
                found = into[word - first] & lacking[field, word]
                into[word - first] = found
                some |= found
        if some == NONE:
            break
    return some


@inlined
def keep(bits, lacking, exact, buckets, ranges, kept, box):
    """Enter a box that is kept, the next in number."""
    word, bit = kept >> 6, ONE << np.uint64(kept & 63)
    whole = True
    for field in range(bits.shape[0]):
        for bucket in range(buckets.low[box, field] + 1, bits.shape[2]):
            bits[field, 0, bucket, word] |= bit
        for bucket in range(buckets.last[box, field] + 1):
            bits[field, 1, bucket, word] |= bit
        if ranges.missing[box, field]:
            lacking[field, word] |= bit
        whole = whole and ranges.set[box, field] < 0
    if whole:
        exact[word] |= bit


@compiled
def ancestor_walk(order, k, buckets, ranges, forms, static, fair, stand_ins):
    """How many kept boxes rank-cover each box, up to k; those with fewer are kept.

    `stand_ins` [box, k], if it has rows, gets the boxes that were counted.
    """
    fields = ranges.low.shape[1]
    words = (len(order) + 63) // 64
    bits = np.zeros((fields, 2, buckets.rows + 1, words), np.uint64)
    lacking = np.zeros((fields, words), np.uint64)  # boxes that admit missing values
    exact = np.zeros(words, np.uint64)  # boxes without sets
    chosen, candidates, certain = np.empty(len(order), np.int32), np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    counts, kept = np.zeros(len(ranges.low), np.int32), 0
    listing = len(stand_ins) > 0
    one_by_one = listing or not static
    for box in order:
        count = last = 0
        size = 1
        while count < k and last < (kept + 63) // 64:
            size = min(2 * size, BLOCK)  # the best are most likely to decide
            first, last = last, min(last + size, (kept + 63) // 64)
            if intersect(bits, lacking, ranges, buckets, box, 0, first, last, candidates) == NONE:
                continue
            if one_by_one or intersect(bits, lacking, ranges, buckets, box, 1, first, last, certain) == NONE:
                certain[:] = NONE
            for word in range(first, last):
                found = candidates[word - first]
                if found == NONE:
                    continue
                surely = found & certain[word - first] & exact[word]
                count += ones(surely)
                rest = found & ~surely
                while rest != NONE and count < k:
                    other = chosen[word * 64 + lowest(rest)]
                    rest &= rest - ONE
                    if covers(ranges, forms, static, fair, other, box):
                        if listing:
                            stand_ins[box, count] = other
                        count += 1
                if count >= k:
                    break
        counts[box] = min(count, k)
        if count < k:
            keep(bits, lacking, exact, buckets, ranges, kept, box)
            chosen[kept] = box
            kept += 1
    return counts


@compiled
def rank_walk(order, k, buckets, ranges, forms, static, fair):
    """Which boxes have no chain of k kept boxes above them, each rank-covering the next."""
    fields = ranges.low.shape[1]
    words = (len(order) + 63) // 64
    bits = np.zeros((fields, 2, buckets.rows + 1, words), np.uint64)
    lacking, exact = np.zeros((fields, words), np.uint64), np.zeros(words, np.uint64)
    chosen, candidates = np.empty(len(order), np.int32), np.empty(BLOCK, np.uint64)
    depth = np.zeros(len(ranges.low), np.int32)
    covered, kept = np.zeros(len(ranges.low), np.bool_), 0
    for box in order:
        deepest = 0
        blocks = ((kept + 63) // 64 + BLOCK - 1) // BLOCK
        for block in range(blocks - 1, -1, -1):  # the latest are the deepest
            first = block * BLOCK
            last = min(first + BLOCK, (kept + 63) // 64)
            if intersect(bits, lacking, ranges, buckets, box, 0, first, last, candidates) == NONE:
                continue
            for word in range(first, last):
                rest = candidates[word - first]
                while rest != NONE and deepest < k:
                    other = chosen[word * 64 + lowest(rest)]
                    rest &= rest - ONE
                    if depth[other] > deepest and covers(ranges, forms, static, fair, other, box):
                        deepest = depth[other]
            if deepest >= k:
                break
        if deepest >= k:
            covered[box] = True
        else:
            depth[box] = deepest + 1
            keep(bits, lacking, exact, buckets, ranges, kept, box)
            chosen[kept] = box
            kept += 1
    return ~covered


@compiled
def count_walk(better, others, k, buckets, ranges):
    """How many of the better boxes, up to k, contain each of the others."""
    fields = ranges.low.shape[1]
    words = (len(better) + 63) // 64
    bits = np.zeros((fields, 2, buckets.rows + 1, words), np.uint64)
    lacking, exact = np.zeros((fields, words), np.uint64), np.zeros(words, np.uint64)
    candidates = np.empty(BLOCK, np.uint64)
    for place in range(len(better)):
        keep(bits, lacking, exact, buckets, ranges, place, better[place])
    counts = np.zeros(len(others), np.int32)
    for at in range(len(others)):
        count = 0
        for first in range(0, words, BLOCK):
            last = min(first + BLOCK, words)
            if intersect(bits, lacking, ranges, buckets, others[at], 0, first, last, candidates) == NONE:
                continue
            for word in range(first, last):
                rest = candidates[word - first]
                while rest != NONE and count < k:
                    count += contains(ranges, better[word * 64 + lowest(rest)], others[at])
                    rest &= rest - ONE
            if count >= k:
                break
        counts[at] = count
    return counts
