"""Compiled covering: boxes are compared in rank order with those kept so far.

Kept boxes are bits in bitmaps. Every field has a bitmap for each bucket of lower bounds ("begins in this bucket or
before") and of upper bounds ("ends in this bucket or after"). The boxes that may contain a given one are the
intersection of two bitmaps per field. If bounds are in the same bucket, the boxes themselves are compared.

The current word of all bitmaps is kept in separate arrays until it is full: a box sets bits in many bitmaps, which are
far apart in memory, while the separate arrays are contiguous.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.covering.kernels.contain import contains
from sparing.match.kernels.rows import count_bits, lowest_bit

BLOCK = 32  # words that are intersected at once
MARGIN = 1e-12  # relative to the magnitude; 100 operations have a relative error below 1e-13
ROOM = 16  # initial words of a bitmap
NONE = np.uint64(0)
ONE = np.uint64(1)


@compiled
def ranks_higher(forms, a, b, before):
    """Return whether a ranks above b for every publication in b's box, which a contains, and the advertised box.

    `before`: equal scores count as above, because a's id is first or because of fairness.
    """
    if forms.score_class[a] == forms.score_class[b]:
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
def rank_covers(ranges, forms, static, fair, a, b):
    """Return whether a, which is before b in the order, rank-covers b."""
    return contains(ranges, a, b) and (static or ranks_higher(forms, a, b, fair or a < b))


@inlined
def bounds_contain(low, last, a, b):
    """Return whether the bounds of box a contain those of box b, which decides containment if a has no sets."""
    for field in range(low.shape[1]):
        if low[a, field] > low[b, field] or last[a, field] < last[b, field]:
            return False
    return True


@compiled
def reordered_buckets(order, buckets, ranges):
    """Return the buckets of boxes, and whether they admit NULL, in rank order."""
    shape = len(order), ranges.low.shape[1]
    low, last, missing = np.empty(shape, np.int16), np.empty(shape, np.int16), np.empty(shape, np.bool_)
    for at in range(len(order)):
        box = order[at]
        for field in range(shape[1]):
            low[at, field], last[at, field] = buckets.low[box, field], buckets.last[box, field]
            missing[at, field] = ranges.missing[box, field]
    return low, last, missing


@inlined
def intersect(bits, missing_bits, low, last, missing, at, first, end, into):
    """Put the kept boxes in some words that may contain a box into `into`; return 0 if there are none."""
    any_bit = NONE
    for field in range(bits.shape[0]):
        begins, ends = low[at, field] + 1, last[at, field]
        any_bit = NONE
        if field == 0:
            for word in range(first, end):
                matching = bits[field, 0, begins, word] & bits[field, 1, ends, word]
                into[word - first] = matching
                any_bit |= matching
        else:
            for word in range(first, end):
                matching = into[word - first] & bits[field, 0, begins, word] & bits[field, 1, ends, word]
                into[word - first] = matching
                any_bit |= matching
        if missing[at, field]:
            any_bit = NONE
            for word in range(first, end):
                matching = into[word - first] & missing_bits[field, word]
                into[word - first] = matching
                any_bit |= matching
        if any_bit == NONE:
            break
    return any_bit


@inlined
def count_certain(bits, exact_bits, low, low_coarse, last, last_coarse, at, first, end, candidates, into):
    """Put the candidates that certainly contain a box into `into`; return their number."""
    for word in range(first, end):
        into[word - first] = candidates[word - first] & exact_bits[word]
    for field in range(bits.shape[0]):
        begins, ends = low[at, field] + 1 - low_coarse[field], last[at, field] + last_coarse[field]
        for word in range(first, end):
            into[word - first] &= bits[field, 0, begins, word] & bits[field, 1, ends, word]
    count = 0
    for word in range(first, end):
        count += np.int64(count_bits(into[word - first]))
    return count


@inlined
def set_box_bits(bits, missing_bits, exact_bits, low, last, missing, sets, box, at, kept):
    """Set the bits of a newly kept box in the current word; return whether it has no sets."""
    bit, without_sets = ONE << np.uint64(kept & 63), True
    for field in range(bits.shape[0]):
        for bucket in range(low[at, field] + 1, bits.shape[2]):
            bits[field, 0, bucket, 0] |= bit
        for bucket in range(last[at, field] + 1):
            bits[field, 1, bucket, 0] |= bit
        if missing[at, field]:
            missing_bits[field, 0] |= bit
        without_sets = without_sets and sets[box, field] < 0
    if without_sets:
        exact_bits[0] |= bit
    return without_sets


@compiled
def flush_word(word_bits, missing_word, exact_word, bits, missing_bits, exact_bits, word):
    """Copy the full current word into the bitmaps and clear it; return the bitmaps, which may be reallocated."""
    if word == bits.shape[3]:
        wider = np.zeros((bits.shape[0], 2, bits.shape[2], 2 * word), np.uint64)
        wider[:, :, :, :word] = bits
        bits = wider
    bits[:, :, :, word], missing_bits[:, word] = word_bits[:, :, :, 0], missing_word[:, 0]
    exact_bits[word] = exact_word[0]
    word_bits[:], missing_word[:], exact_word[:] = NONE, NONE, NONE
    return bits


@compiled
def count_ancestors(order, k, buckets, ranges, forms, static, fair, found):
    """Return the number of kept boxes that rank-cover each box, up to k; boxes with fewer are kept.

    `found` [box, k], if it has rows, receives the counted boxes.
    """
    fields, words, rows = ranges.low.shape[1], (len(order) + 63) // 64, buckets.rows + 1
    bits, word_bits = np.zeros((fields, 2, rows, ROOM), np.uint64), np.zeros((fields, 2, rows, 1), np.uint64)
    missing_bits, missing_word = np.zeros((fields, words), np.uint64), np.zeros((fields, 1), np.uint64)
    exact_bits, exact_word = np.zeros(words, np.uint64), np.zeros(1, np.uint64)
    low, last, missing = reordered_buckets(order, buckets, ranges)
    low_coarse, last_coarse = buckets.low_coarse, buckets.last_coarse
    chosen, candidates, certain = np.empty(len(order), np.int32), np.zeros(BLOCK, np.uint64), np.zeros(BLOCK, np.uint64)
    counts, kept, without_sets = np.zeros(len(ranges.low), np.int32), 0, np.empty(len(order), np.bool_)
    lows, lasts = ranges.low, ranges.last
    list_found = len(found) > 0
    compare_each = list_found or not static
    for at in range(len(order)):
        full = kept // 64
        count = done = 0
        size = 1
        while count < k and done <= full:
            if done < full:
                size = min(2 * size, BLOCK)  # the best boxes are the most likely ancestors
                first, done = done, min(done + size, full)
                any_bit = intersect(bits, missing_bits, low, last, missing, at, first, done, candidates)
                if any_bit != NONE and not compare_each:
                    count += count_certain(
                        bits, exact_bits, low, low_coarse, last, last_coarse, at, first, done, candidates, certain
                    )
            else:
                first, done = done, done + 1
                any_bit = intersect(word_bits, missing_word, low, last, missing, at, 0, 1, candidates)
                if any_bit != NONE and not compare_each:
                    count += count_certain(
                        word_bits, exact_word, low, low_coarse, last, last_coarse, at, 0, 1, candidates, certain
                    )
            if any_bit == NONE:
                continue
            for word in range(first, done):
                if count >= k:
                    break
                rest = candidates[word - first] & ~certain[word - first]
                while rest != NONE and count < k:
                    place = word * 64 + np.int64(lowest_bit(rest))
                    rest &= rest - ONE
                    other = chosen[place]
                    # Bounds exclude most candidates at little cost.
                    if bounds_contain(lows, lasts, other, order[at]) and (
                        (static and without_sets[place]) or rank_covers(ranges, forms, static, fair, other, order[at])
                    ):
                        if list_found:
                            found[order[at], count] = other
                        count += 1
        box = order[at]
        counts[box] = min(count, k)
        if count < k:
            without_sets[kept] = set_box_bits(
                word_bits, missing_word, exact_word, low, last, missing, ranges.set, box, at, kept
            )
            chosen[kept] = box
            kept += 1
            if kept % 64 == 0:
                bits = flush_word(word_bits, missing_word, exact_word, bits, missing_bits, exact_bits, full)
    return counts


@compiled
def find_first_levels(order, k, buckets, ranges, forms, static, fair):
    """Return the boxes that do not end a chain of k kept boxes above them, each rank-covering the next."""
    fields, words, rows = ranges.low.shape[1], (len(order) + 63) // 64, buckets.rows + 1
    bits, word_bits = np.zeros((fields, 2, rows, ROOM), np.uint64), np.zeros((fields, 2, rows, 1), np.uint64)
    missing_bits, missing_word = np.zeros((fields, words), np.uint64), np.zeros((fields, 1), np.uint64)
    exact_bits, exact_word = np.zeros(words, np.uint64), np.zeros(1, np.uint64)
    low, last, missing = reordered_buckets(order, buckets, ranges)
    chosen, candidates = np.empty(len(order), np.int32), np.empty(BLOCK, np.uint64)
    depth, kept = np.zeros(len(ranges.low), np.int32), 0  # 0: not kept
    lows, lasts = ranges.low, ranges.last
    for at in range(len(order)):
        box, full = order[at], kept // 64
        first, deepest = full + 1, 0
        while deepest < k and first > 0:  # the latest are the deepest
            if first > full:
                first, end = full, full + 1
                any_bit = intersect(word_bits, missing_word, low, last, missing, at, 0, 1, candidates)
            else:
                first, end = max(first - BLOCK, 0), first
                any_bit = intersect(bits, missing_bits, low, last, missing, at, first, end, candidates)
            if any_bit == NONE:
                continue
            for word in range(first, end):
                rest = candidates[word - first]
                while rest != NONE and deepest < k:
                    other = chosen[word * 64 + np.int64(lowest_bit(rest))]
                    rest &= rest - ONE
                    if (
                        depth[other] > deepest
                        and bounds_contain(lows, lasts, other, box)
                        and rank_covers(ranges, forms, static, fair, other, box)
                    ):
                        deepest = depth[other]
        if deepest < k:
            depth[box] = deepest + 1
            set_box_bits(word_bits, missing_word, exact_word, low, last, missing, ranges.set, box, at, kept)
            chosen[kept] = box
            kept += 1
            if kept % 64 == 0:
                bits = flush_word(word_bits, missing_word, exact_word, bits, missing_bits, exact_bits, full)
    return depth > 0
