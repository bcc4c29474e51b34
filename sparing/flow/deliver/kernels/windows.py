"""Compiled loops over the publications of many windows at once.

Each loop takes a column (`values`, and where they are `valid`) and works out something for each of the `windows`:
window w holds the publications `rows[starts[w] : starts[w + 1]]`. Beside the results stands what they are: GIVEN,
MISSING (there were no values), or UNUSUAL: the loop does not vouch for the result, which must be found otherwise.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined

GIVEN = np.uint8(0)
MISSING = np.uint8(1)
UNUSUAL = np.uint8(2)

MOST_PARTS = 64  # of an exact sum; more come about only if values of very many sizes meet
LEAST_SQUARED, MOST_SQUARED = 2.0**-300, 2.0**300  # between these a square is exactly the sum of two doubles
MOST_WHOLE = 2.0**53  # whole numbers below this are doubles


@compiled
def count_values(valid, starts, rows, windows):
    """How many values are there."""
    counts = np.empty(len(windows), np.int64)
    for i in range(len(windows)):
        count = 0
        for at in range(starts[windows[i]], starts[windows[i] + 1]):
            count += valid[rows[at]]
        counts[i] = count
    return counts


@compiled
def extremes(values, valid, starts, rows, windows, largest):
    """The least or the largest value in Spark's order, NaN being above all others."""
    found = np.zeros(len(windows), values.dtype)
    states = np.full(len(windows), MISSING)
    for i in range(len(windows)):
        best = found[i]
        some = False
        for at in range(starts[windows[i]], starts[windows[i] + 1]):
            row = rows[at]
            if valid[row]:
                value = values[row]
                # NaN is neither above nor below anything, and differs from itself.
                better = value > best or value != value if largest else value < best or best != best  # noqa: PLR0124
                if better or not some:
                    best = value
                some = True
        if some:
            found[i] = best
            states[i] = GIVEN
    return found, states


@compiled
def sum_wholes(values, valid, starts, rows, windows):
    """Sums and counts of whole numbers; a sum that leaves 64 bits on the way is unusual."""
    sums, counts = np.zeros(len(windows), np.int64), np.zeros(len(windows), np.int64)
    states = np.full(len(windows), MISSING)
    for i in range(len(windows)):
        total, count, over = np.int64(0), 0, np.int64(0)
        for at in range(starts[windows[i]], starts[windows[i] + 1]):
            row = rows[at]
            if valid[row]:
                value = values[row]
                after = total + value
                over |= (total ^ after) & (value ^ after)  # the sign bit is set if both had the other sign
                total = after
                count += 1
        sums[i], counts[i] = total, count
        if count:
            states[i] = UNUSUAL if over < 0 else GIVEN
    return sums, counts, states


@inlined
def _two_sum(a, b):
    """a + b exactly: the double nearest to it, and the rest (Knuth)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


@inlined
def _fast_two_sum(a, b):
    """The same for |a| >= |b| (Dekker 1971)."""
    total = a + b
    return total, b - (total - a)


@inlined
def _two_square(a):
    """a * a exactly, by splitting a into halves of 26 bits (Dekker 1971)."""
    square = a * a
    shifted = a * 134217729.0
    high = shifted - (shifted - a)
    low = a - high
    return square, ((high * high - square) + 2.0 * high * low) + low * low


@inlined
def _two_product(a, b):
    """a * b exactly, in the same way."""
    product = a * b
    shifted_a, shifted_b = a * 134217729.0, b * 134217729.0
    high_a, high_b = shifted_a - (shifted_a - a), shifted_b - (shifted_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


@inlined
def _add(parts, used, value):
    """Add a value to a sum kept as doubles that do not overlap, least first (Shewchuk 1997); how many they are now."""
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
    """The double nearest to a sum of parts. Ties go to the even one, as in `math.fsum`."""
    if used == 0:
        return 0.0
    at = used - 1
    total, rest = parts[at], 0.0
    while at > 0 and rest == 0.0:
        at -= 1
        total, rest = _fast_two_sum(total, parts[at])
    # A rest of exactly half a step was rounded to even: if smaller parts go on in its direction, the tie is none.
    if at > 0 and ((rest < 0.0 and parts[at - 1] < 0.0) or (rest > 0.0 and parts[at - 1] > 0.0)):
        double = 2.0 * rest
        further = total + double
        if further - total == double:
            total = further
    return total


@compiled
def _sum_exactly(values, valid, rows, parts):
    """The correctly rounded sum of doubles, and what it is; one that passes the largest double is unusual."""
    used, special, usual = 0, 0.0, True
    for row in rows:
        if valid[row]:
            value = values[row]
            if not np.isfinite(value):
                special += value
            elif usual:
                used = _add(parts, used, value)
                usual = used <= MOST_PARTS
    if special != 0.0:  # an infinity, or NaN: whatever the others are
        return special, GIVEN
    total = _nearest(parts, used)  # infinite parts stay so, and make it infinite or NaN
    return total, GIVEN if usual and np.isfinite(total) else UNUSUAL


@compiled
def sum_doubles(values, valid, starts, rows, windows):
    """Correctly rounded sums, and counts, of doubles.

    What each addition rounds off is added up by itself (Ogita, Rump and Oishi 2005), and so is its size, which bounds
    the error. Seldom is it left open to which double the sum is rounded; then each bit is kept.
    """
    sums, counts = np.zeros(len(windows)), np.zeros(len(windows), np.int64)
    states = np.full(len(windows), MISSING)
    parts = np.empty(MOST_PARTS + 1)
    for i in range(len(windows)):
        first, last = starts[windows[i]], starts[windows[i] + 1]
        count, total, rests, size = 0, 0.0, 0.0, 0.0
        for at in range(first, last):
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
            if sums[i] != total + (rests + doubt):  # so do infinities, as they leave rests that are NaN
                sums[i], states[i] = _sum_exactly(values, valid, rows[first:last], parts)
    return sums, counts, states


@inlined
def _add_pair(a, a_rest, b, b_rest):
    """The sum of two numbers, each kept as a double and a rest, to about 106 bits."""
    total, rest = _two_sum(a, b)
    total_rests, rest_rests = _two_sum(a_rest, b_rest)
    total, rest = _fast_two_sum(total, rest + total_rests)
    return _fast_two_sum(total, rest + rest_rests)


@inlined
def _square_pair(a, a_rest):
    """The square of such a number."""
    square, rest = _two_square(a)
    return _fast_two_sum(square, rest + 2.0 * a * a_rest)


@inlined
def _divide_pair(a, a_rest, b, b_rest):
    """The quotient of two such numbers."""
    quotient = a / b
    product, product_rest = _two_product(quotient, b)
    left = ((a - product) - product_rest) + a_rest - quotient * b_rest
    return _fast_two_sum(quotient, left / b)


@compiled
def variances(values, valid, starts, rows, windows, sample, most, unit, unit_rest):
    """Correctly rounded variances of values below `most`, divided by the square of a unit (a double and a rest).

    Deviations from a rough mean are exact as pairs of doubles, so little is lost when their squares are summed up
    with twice the precision. The error stays below (10 n + 60) 2^-106 of that sum; a hundred times as much is allowed
    for here. If that cannot change to which double the variance is rounded, it is right; else it is unusual.
    """
    found = np.zeros(len(windows))
    states = np.full(len(windows), MISSING)
    for i in range(len(windows)):
        first, last = starts[windows[i]], starts[windows[i] + 1]
        count, total, one, alike, usual = 0, 0.0, 0.0, True, True
        for at in range(first, last):
            row = rows[at]
            if valid[row]:
                value = np.float64(values[row])
                if count == 0:
                    one = value
                count += 1
                total += value
                alike = alike and value == one
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
        if alike:
            continue
        mean = total / count
        linear, linear_rest, square, square_rest = 0.0, 0.0, 0.0, 0.0
        for at in range(first, last):
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
