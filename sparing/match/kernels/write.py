"""Conversion of hits from bitmaps per subscription to subscription numbers per event."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.match.kernels.rows import (
    BITS,
    WORDS,
    both,
    broadcast,
    count_bits,
    empty_row,
    exclusive_or,
    filled_words,
    lowest_bit,
    put_row,
    row,
    shift_left,
    shift_right,
)

DENSE = np.uint64(8)  # average events per hit from which transposition is faster

_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_63 = np.uint64(63)
_WORDS = np.uint64(WORDS)


@compiled
def write_piece(masks, hits, found, number, counts, piece, buffer, used):
    """Write hits to the buffer as subscription numbers, event by event, and the number per event to `counts`."""
    bits = _0
    for i in range(found * _WORDS):
        bits += count_bits(masks[i])
    if bits > found * DENSE:
        return _write_dense(masks, hits, found, number, counts, piece, buffer, used)
    return _write_sparse(masks, hits, found, number, counts, piece, buffer, used, bits)


@compiled
def _write_dense(masks, hits, found, number, counts, piece, buffer, used):
    """Write hits that have many events each, by transposition."""
    blocks = (found + _63) >> _6
    for h in range(found, blocks << _6):
        put_row(masks, h, empty_row())
        hits[h] = 0
    for block in range(blocks):
        _transpose(masks, block << _6)
    numbers = np.zeros((blocks << _6) + _1, np.int32)
    for h in range(found):
        numbers[h] = number[np.uint64(hits[h])]
    place = np.uint64(used)
    event = np.uint64(piece * BITS)
    for w in range(_WORDS):
        for j in range(np.uint64(64)):
            before = place
            for block in range(blocks):
                first = block << _6
                bits = masks[(first + j) * _WORDS + w]
                at = place
                place += count_bits(bits)
                while at < place:  # four at a time; the surplus is overwritten by the next event
                    for ahead in range(4):
                        buffer[at + np.uint64(ahead)] = numbers[first + lowest_bit(bits)]
                        bits &= bits - _1
                    at += np.uint64(4)
            counts[event] = place - before
            event += _1
    return np.int64(place)


@compiled
def _transpose(masks, first):
    """Transpose 64 rows in place: bit `h` of word `w` in row `j` then tells whether hit `h` has event `64 w + j`.

    Eight squares of 64 by 64 bits at once, each by swapping ever smaller blocks off its diagonal.
    """
    width = np.uint64(32)
    pattern = np.uint64(0x00000000FFFFFFFF)
    while width != _0:
        keep = broadcast(pattern)
        k = _0
        while k < np.uint64(64):
            one, other = row(masks, first + k), row(masks, first + k + width)
            swap = both(exclusive_or(shift_right(one, width), other), keep)
            put_row(masks, first + k + width, exclusive_or(other, swap))
            put_row(masks, first + k, exclusive_or(one, shift_left(swap, width)))
            k = (k + width + _1) & ~width
        width >>= _1
        pattern ^= pattern << width


@compiled
def _write_sparse(masks, hits, found, number, counts, piece, buffer, used, bits_found):
    """Write hits that have few events each, bit by bit."""
    events = np.empty(bits_found + _1, np.uint16)
    owners = np.empty(bits_found + _1, np.int32)
    next_place = np.zeros(BITS + 1, np.uint64)
    n = _0
    for h in range(found):
        me = number[np.uint64(hits[h])]
        filled = filled_words(row(masks, h))
        while filled != _0:
            w = lowest_bit(filled)
            filled &= filled - _1
            bits = masks[h * _WORDS + w]
            while bits != _0:
                at = (w << _6) + lowest_bit(bits)
                bits &= bits - _1
                events[n] = at
                owners[n] = me
                next_place[at + _1] += _1
                n += _1
    total = np.uint64(used)
    for i in range(BITS):
        size = next_place[i + 1]
        counts[piece * BITS + i] = size
        next_place[i] = total
        total += size
    for i in range(n):
        at = np.uint64(events[i])
        place = next_place[at]
        buffer[place] = owners[i]
        next_place[at] = place + _1
    return np.int64(total)
