"""Compiled loops over the publications of many windows at once.

Each loop takes a column (`values` and `valid`) and computes a result for each window: window w has the publications
`rows[first[w] : last[w]]`, and windows may share some. The loop also returns a state per result: GIVEN, MISSING (no
values) or UNUSUAL (the loop cannot guarantee the result, which must be computed otherwise).
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined

GIVEN = np.uint8(0)
MISSING = np.uint8(1)
UNUSUAL = np.uint8(2)

MOST_PARTS = 64  # of an exact sum; only values of very many magnitudes need more
LEAST_SQUARED, MOST_SQUARED = 2.0**-300, 2.0**300  # between these a square is exactly the sum of two doubles
MOST_WHOLE = 2.0**53  # whole numbers below this are doubles


@compiled
def count_values(valid, first, last, rows):
    """Return the number of values in each window."""
    counts = np.empty(len(first), np.int64)
    for i in range(len(first)):
        count = 0
        for at in range(first[i], last[i]):
            count += valid[rows[at]]
        counts[i] = count
    return counts


@compiled
def extremes(values, valid, first, last, rows, largest):
    """Return the least or largest values in Spark's order, in which NaN is the largest."""
    found = np.zeros(len(first), values.dtype)
    states = np.full(len(first), MISSING)
    for i in range(len(first)):
        best = found[i]
        any_value = False
        for at in range(first[i], last[i]):
            row = rows[at]
            if valid[row]:
                value = values[row]
                # NaN is neither above nor below anything, and differs from itself.
                better = value > best or value != value if largest else value < best or best != best  # noqa: PLR0124
                if better or not any_value:
                    best = value
                any_value = True
        if any_value:
            found[i] = best
            states[i] = GIVEN
    return found, states


@compiled
def sum_wholes(values, valid, first, last, rows):
    """Return sums and counts of whole numbers; a sum that overflows 64 bits is unusual."""
    sums, counts = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    states = np.full(len(first), MISSING)
    for i in range(len(first)):
        total, count, over = np.int64(0), 0, np.int64(0)
        for at in range(first[i], last[i]):
            row = rows[at]
            if valid[row]:
                value = values[row]
                after = total + value
                over |= (total ^ after) & (value ^ after)  # the sign bit is set on overflow
                total = after
                count += 1
        sums[i], counts[i] = total, count
        if count:
            states[i] = UNUSUAL if over < 0 else GIVEN
    return sums, counts, states


@inlined
def _two_sum(a, b):
    """Return a + b exactly: the nearest double, and the rest (Knuth)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


@inlined
def _fast_two_sum(a, b):
    """Return a + b exactly, for |a| >= |b| (Dekker 1971)."""
    total = a + b
    return total, b - (total - a)


@inlined
def _two_square(a):
    """Return a * a exactly, by splitting a into halves of 26 bits (Dekker 1971)."""
    square = a * a
    shifted = a * 134217729.0
    high = shifted - (shifted - a)
    low = a - high
    return square, ((high * high - square) + 2.0 * high * low) + low * low


@inlined
def _two_product(a, b):
    """Return a * b exactly, by splitting both into halves of 26 bits."""
    product = a * b
    shifted_a, shifted_b = a * 134217729.0, b * 134217729.0
    high_a, high_b = shifted_a - (shifted_a - a), shifted_b - (shifted_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


@inlined
def _add(parts, used, value):
    """Add a value to a sum of non-overlapping doubles, least first (Shewchuk 1997); return their new number."""
    kept = 0
    for j in range(used):
        value, rest = _two_sum(value, parts[j])
        if rest != 0.0:
            parts[kept] = rest
            kept += 1
    if value != 0.0:
        parts[kept] = value
        kept += 1
    return kept


@inlined
def _nearest(parts, used):
    """Return the double nearest to a sum of parts, ties to even, as `math.fsum` does."""
    if used == 0:
        return 0.0
    at = used - 1
    total, rest = parts[at], 0.0
    while at > 0 and rest == 0.0:
        at -= 1
        total, rest = _fast_two_sum(total, parts[at])
    # A rest of exactly half a step was rounded to even, but smaller parts of the same sign break the tie.
    if at > 0 and ((rest < 0.0 and parts[at - 1] < 0.0) or (rest > 0.0 and parts[at - 1] > 0.0)):
        double = 2.0 * rest
        further = total + double
        if further - total == double:
            total = further
    return total


@compiled
def _sum_exactly(values, valid, rows, parts):
    """Return the correctly rounded sum of doubles and its state; a sum beyond the largest double is unusual."""
    used, special, usual = 0, 0.0, True
    for row in rows:
        if valid[row]:
            value = values[row]
            if not np.isfinite(value):
                special += value
            elif usual:
                used = _add(parts, used, value)
                usual = used <= MOST_PARTS
    if special != 0.0:  # an infinity or NaN determines the sum
        return special, GIVEN
    total = _nearest(parts, used)  # infinite parts make it infinite or NaN
    return total, GIVEN if usual and np.isfinite(total) else UNUSUAL


@compiled
def sum_doubles(values, valid, first, last, rows):
    """Return correctly rounded sums, and counts, of doubles.

    Rounding errors are summed separately, and so are their magnitudes, which bound the remaining error (Ogita, Rump and
    Oishi 2005). If the bound does not determine the nearest double, the sum is computed exactly.
    """
    sums, counts = np.zeros(len(first)), np.zeros(len(first), np.int64)
    states = np.full(len(first), MISSING)
    parts = np.empty(MOST_PARTS + 1)
    for i in range(len(first)):
        begin, end = first[i], last[i]
        count, total, rests, size = 0, 0.0, 0.0, 0.0
        for at in range(begin, end):
            row = rows[at]
            if valid[row]:
                count += 1
                total, rest = _two_sum(total, values[row])
                rests += rest
                size += abs(rest)
        counts[i] = count
        if count:
            states[i] = GIVEN
            doubt = (count + 2) * 2.0**-52 * size
            sums[i] = total + (rests - doubt)
            if sums[i] != total + (rests + doubt):  # also true for infinities, whose rests are NaN
                sums[i], states[i] = _sum_exactly(values, valid, rows[begin:end], parts)
    return sums, counts, states


@inlined
def _add_pair(a, a_rest, b, b_rest):
    """Return the sum of two numbers, each a double and a rest, to about 106 bits."""
    total, rest = _two_sum(a, b)
    total_rests, rest_rests = _two_sum(a_rest, b_rest)
    total, rest = _fast_two_sum(total, rest + total_rests)
    return _fast_two_sum(total, rest + rest_rests)


@inlined
def _square_pair(a, a_rest):
    """Return the square of a double and a rest."""
    square, rest = _two_square(a)
    return _fast_two_sum(square, rest + 2.0 * a * a_rest)


@inlined
def _divide_pair(a, a_rest, b, b_rest):
    """Return the quotient of two numbers, each a double and a rest."""
    quotient = a / b
    product, product_rest = _two_product(quotient, b)
    left = ((a - product) - product_rest) + a_rest - quotient * b_rest
    return _fast_two_sum(quotient, left / b)


@compiled
def variances(values, valid, first, last, rows, sample, most, unit, unit_rest):
    """Return correctly rounded variances of values below `most`, divided by a squared unit (a double and a rest).

    Deviations from an approximate mean are exact as pairs of doubles, and their squares are summed with twice the
    precision. The error is below (10 n + 60) 2^-106 of that sum; the loop allows a hundred times as much. A variance
    whose nearest double depends on that error is unusual.
    """
    found = np.zeros(len(first))
    states = np.full(len(first), MISSING)
    for i in range(len(first)):
        begin, end = first[i], last[i]
        count, total, first_value, constant, usual = 0, 0.0, 0.0, True, True
        for at in range(begin, end):
            row = rows[at]
            if valid[row]:
                value = np.float64(values[row])
                if count == 0:
                    first_value = value
                count += 1
                total += value
                constant = constant and value == first_value
                usual = usual and (value == 0.0 or LEAST_SQUARED < abs(value) < most or not np.isfinite(value))
        divisor = count - 1 if sample else count
        if divisor <= 0:
            continue
        states[i] = GIVEN
        if not np.isfinite(total):  # sums of usual values are finite
            found[i] = np.nan
            states[i] = GIVEN if usual else UNUSUAL
            continue
        if not usual:
            states[i] = UNUSUAL
            continue
        if constant:
            continue
        mean = total / count
        linear, linear_rest, square, square_rest = 0.0, 0.0, 0.0, 0.0
        for at in range(begin, end):
            row = rows[at]
            if valid[row]:
                deviation, rest = _two_sum(np.float64(values[row]), -mean)
                linear, linear_rest = _add_pair(linear, linear_rest, deviation, rest)
                deviation, rest = _square_pair(deviation, rest)
                square, square_rest = _add_pair(square, square_rest, deviation, rest)
        linear, linear_rest = _square_pair(linear, linear_rest)
        linear, linear_rest = _divide_pair(linear, linear_rest, np.float64(count), 0.0)
        result, rest = _add_pair(square, square_rest, -linear, -linear_rest)
        result, rest = _divide_pair(result, rest, np.float64(divisor), 0.0)
        result, rest = _divide_pair(result, rest, unit, unit_rest)
        doubt = (count + 16) * 2.0**-96 * (square / divisor / unit)
        found[i] = result + (rest - doubt)
        if found[i] != result + (rest + doubt):
            states[i] = UNUSUAL
    return found, states
