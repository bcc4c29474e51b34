"""Compiled loops that write VARIANT values, objects and lists, byte by byte (`variant` describes the layout).

Field f of row r has `values[f, r]` if `valid[f, r]`: a whole number, the bits of a floating point number, the digits of
a decimal, days or microseconds since 1970, or the offset in `letters` of `lengths[f, r]` bytes, which are a text or a
value that is written already.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined

WHOLE, FLAG, DOUBLE, SINGLE, DIGITS, TEXT, DAY, MOMENT, WRITTEN = range(9)  # kinds of fields

SHORT = 64  # shorter texts have their length in the first byte
DAY_LENGTH, MOMENT_LENGTH = 10, 27  # 2026-01-01, 2026-01-01T08:00:00.000000Z
DAY_MICROS = 86_400_000_000
MOST_4, MOST_8 = 10**9 - 1, 10**18 - 1  # decimals of 4 and 8 bytes; a scale has at most as many digits
NOT_FINITE = np.frombuffer(b"NaN-Infinity", np.uint8)  # numbers that JSON can only write as text


@compiled
def measure(kinds, scales, values, valid, lengths):
    """Return the number of fields of each row, and the bytes of their values."""
    fields, rows = values.shape
    counts, sizes = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for f in range(fields):
        for r in range(rows):
            if valid[f, r]:
                counts[r] += 1
                sizes[r] += _size(kinds[f], scales[f], values[f, r], lengths[f, r])
    return counts, sizes


@compiled
def write_objects(kinds, scales, values, valid, lengths, letters, ids, id_width, counts, sizes, starts, out):
    """Write row r as an object to `out` from `starts[r]` on; fields are in the order of their names' numbers `ids`."""
    fields, rows = values.shape
    for r in range(rows):
        count, at = counts[r], starts[r]
        wide = count > 255
        width = _width(sizes[r])
        out[at] = 2 | (width - 1) << 2 | (id_width - 1) << 4 | wide << 6
        at = _little(out, at + 1, count, 4 if wide else 1)
        offsets = at + count * id_width
        first = offsets + (count + 1) * width
        end = first
        for f in range(fields):
            if valid[f, r]:
                at = _little(out, at, ids[f], id_width)
                offsets = _little(out, offsets, end - first, width)
                end = _write_value(out, end, kinds[f], scales[f], values[f, r], lengths[f, r], letters)
        _little(out, offsets, end - first, width)


@compiled
def write_values(kinds, scales, values, valid, lengths, letters, starts, out):
    """Write the only field of row r to `out` from `starts[r]` on."""
    for r in range(values.shape[1]):
        if valid[0, r]:
            _write_value(out, starts[r], kinds[0], scales[0], values[0, r], lengths[0, r], letters)


@compiled
def measure_lists(sizes, rows, first, last):
    """Return the bytes of the values of each list: list i has the values rows[first[i] : last[i]], of given sizes."""
    found = np.zeros(len(first), np.int64)
    for i in range(len(first)):
        for at in range(first[i], last[i]):
            found[i] += sizes[rows[at]]
    return found


@compiled
def write_lists(begins, sizes, letters, rows, first, last, total, starts, out):
    """Write list i to `out` from `starts[i]` on; value v has `sizes[v]` bytes of `letters`."""
    for i in range(len(first)):
        at, count, width = starts[i], last[i] - first[i], _width(total[i])
        wide = count > 255
        out[at] = 3 | (width - 1) << 2 | wide << 4
        offsets = _little(out, at + 1, count, 4 if wide else 1)
        start = end = offsets + (count + 1) * width
        for place in range(first[i], last[i]):
            row = rows[place]
            offsets = _little(out, offsets, end - start, width)
            end = _copy(out, end, letters, begins[row], sizes[row])
        _little(out, offsets, end - start, width)


@inlined
def _copy(out, at, letters, begin, length):
    for letter in range(length):
        out[at + letter] = letters[begin + letter]
    return at + length


@inlined
def _width(number):
    """Return the bytes of a number."""
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 3 if number < 1 << 24 else 4


@inlined
def _size(kind, scale, value, length):
    """Return the bytes of a value."""
    if kind == WHOLE:
        return 1 + _whole_width(value)
    if kind == FLAG:
        return 1
    if kind in (DOUBLE, SINGLE):
        first, last = _not_finite(kind, value)
        return 1 + last - first if last else 9 if kind == DOUBLE else 5
    if kind == DIGITS:
        return 2 + _digits_width(scale, value)
    if kind == DAY:
        return 1 + DAY_LENGTH
    if kind == MOMENT:
        return 1 + MOMENT_LENGTH
    return length + (0 if kind == WRITTEN else 1 if length < SHORT else 5)


@inlined
def _digits_width(scale, value):
    if scale <= 9 and -MOST_4 <= value <= MOST_4:
        return 4
    return 8 if scale <= 18 and -MOST_8 <= value <= MOST_8 else 16


@inlined
def _whole_width(value):
    if -(1 << 7) <= value < 1 << 7:
        return 1
    if -(1 << 15) <= value < 1 << 15:
        return 2
    return 4 if -(1 << 31) <= value < 1 << 31 else 8


@inlined
def _not_finite(kind, bits):
    """Return the range in NOT_FINITE of a floating point number that is not finite; 0, 0 for others."""
    fraction = 52 if kind == DOUBLE else 23
    exponents = (1 << 11) - 1 if kind == DOUBLE else (1 << 8) - 1
    if bits >> fraction & exponents != exponents:
        return 0, 0
    if bits & (1 << fraction) - 1:
        return 0, 3
    return (3 if bits < 0 else 4), 12


@inlined
def _little(out, at, number, width):
    """Write a number, least byte first."""
    for byte in range(width):
        out[at + byte] = number >> 8 * byte & 255
    return at + width


@inlined
def _decimal(out, at, number, digits):
    """Write a number with a fixed number of decimal digits."""
    rest, ten = np.uint64(number), np.uint64(10)  # unsigned division by a constant is fast
    for place in range(at + digits - 1, at - 1, -1):
        fewer = rest // ten
        out[place] = np.uint64(48) + rest - fewer * ten
        rest = fewer
    return at + digits


@inlined
def _write_value(out, at, kind, scale, value, length, letters):
    if kind == WHOLE:
        width = _whole_width(value)
        code = 3 if width == 1 else 4 if width == 2 else 5 if width == 4 else 6
        out[at] = code << 2
        return _little(out, at + 1, value, width)
    if kind == FLAG:
        out[at] = 1 << 2 if value else 2 << 2
        return at + 1
    if kind in (DOUBLE, SINGLE):
        first, last = _not_finite(kind, value)
        if last:
            out[at] = 1 | (last - first) << 2
            for letter in range(first, last):
                out[at + 1 + letter - first] = NOT_FINITE[letter]
            return at + 1 + last - first
        out[at] = 7 << 2 if kind == DOUBLE else 14 << 2
        return _little(out, at + 1, value, 8 if kind == DOUBLE else 4)
    if kind == DIGITS:
        width = _digits_width(scale, value)
        out[at] = 8 << 2 if width == 4 else 9 << 2 if width == 8 else 10 << 2
        out[at + 1] = scale
        at = _little(out, at + 2, value, min(width, 8))
        return _little(out, at, value >> 63, width - 8) if width == 16 else at
    if kind == DAY:
        out[at] = 1 | DAY_LENGTH << 2
        return _write_day(out, at + 1, value)
    if kind == MOMENT:
        out[at] = 1 | MOMENT_LENGTH << 2
        return _write_moment(out, at + 1, value)
    if kind == TEXT:
        if length < SHORT:
            out[at] = 1 | length << 2
            at += 1
        else:
            out[at] = 16 << 2
            at = _little(out, at + 1, length, 4)
    return _copy(out, at, letters, value, length)


@inlined
def _write_day(out, at, days):
    """Write 2026-01-01, for days in the years 0 to 9999, by eras of 400 years that begin in March."""
    since = days + 719_468
    era = since // 146_097
    of_era = since - era * 146_097
    year_of_era = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    at = _decimal(out, at, year_of_era + era * 400 + (month <= 2), 4)
    out[at] = 45
    at = _decimal(out, at + 1, month, 2)
    out[at] = 45
    return _decimal(out, at + 1, day, 2)


@inlined
def _write_moment(out, at, micros):
    """Write 2026-01-01T08:00:00.000000Z."""
    days = micros // DAY_MICROS
    rest = micros - days * DAY_MICROS
    at = _write_day(out, at, days)
    out[at] = 84
    seconds = rest // 1_000_000
    at = _decimal(out, at + 1, seconds // 3_600, 2)
    out[at] = 58
    at = _decimal(out, at + 1, seconds // 60 % 60, 2)
    out[at] = 58
    at = _decimal(out, at + 1, seconds % 60, 2)
    out[at] = 46
    at = _decimal(out, at + 1, rest % 1_000_000, 6)
    out[at] = 90
    return at + 1
