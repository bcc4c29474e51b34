"""Buckets of values, and the buckets that a predicate spans."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.match.kernels.arrays import LEAST, MOST

MISSING = 0  # the bucket of NULL
MOST_BUCKETS = 255
CELLS = 1024  # of the rough table, from which the search for a value's bucket starts

_0 = np.uint64(0)
_1 = np.uint64(1)


@inlined
def cell_of(code, base, shift):
    """Return the cell of a code in the rough table; monotonic in the code."""
    if code < base:
        return _0
    return min((np.uint64(code) - np.uint64(base)) >> np.uint64(shift), np.uint64(CELLS - 1))


@compiled
def fill_cells(edges, count, base, shift, cells):
    """Count the edges before each cell."""
    cells[:] = 0
    for i in range(count):
        cells[cell_of(edges[i], base, shift) + _1] += 1
    for c in range(CELLS):
        cells[c + 1] += cells[c]


@inlined
def bucket_of(code, buckets, f):
    """Return 1 + the number of edges of field f at or before a code."""
    edges = buckets.edges[f]
    found = np.uint64(buckets.cells[f, cell_of(code, buckets.base[f], buckets.shift[f])])
    step = _1 << np.uint64(buckets.steps[f])
    while step > _1:
        step >>= _1
        ahead = found + step
        found = ahead if edges[ahead - _1] <= code else found
    return min(found, np.uint64(buckets.edge_count[f])) + _1


@compiled
def put_buckets(events, rows, buckets, f, out):
    """Put the bucket of each row in field f into `out`."""
    codes, valid = events.codes[f], events.valid[f]
    for i in range(len(rows)):
        row = np.uint64(rows[i])
        out[i] = bucket_of(codes[row], buckets, f) if valid[row] else _0


@inlined
def starts_bucket(code, bucket, buckets, f):
    """Return whether a code is the first of its bucket."""
    return code == LEAST or (bucket >= 2 and buckets.edges[f, bucket - _1 - _1] == code)


@inlined
def ends_bucket(code, bucket, buckets, f):
    """Return whether a code is the last of its bucket."""
    return code == MOST or (np.int64(bucket) <= buckets.edge_count[f] and buckets.edges[f, bucket - _1] == code + 1)


@compiled
def find_buckets(ranges, buckets, packed, bucket_low, bucket_last, inside):
    """Compute the buckets that every predicate spans, also packed for the scan.

    `packed` has the row before the first bucket (bits 16 to 30) and the row after the last one (bits 0 to 14), each
    with a higher bit that is set if the bound is inside the bucket; `inside` has these bits as 1 and 2.
    """
    for k in range(len(ranges.field)):
        f = ranges.field[k]
        first, final = bucket_of(ranges.low[k], buckets, f), bucket_of(ranges.last[k], buckets, f)
        clean_low = starts_bucket(ranges.low[k], first, buckets, f)
        clean_high = ends_bucket(ranges.last[k], final, buckets, f)
        if ranges.set[k] >= 0 and ranges.set_missing[ranges.set[k]]:
            if ranges.low[k] > ranges.last[k]:  # admits NULL only
                final, clean_high = np.uint64(MISSING), True
            first, clean_low = np.uint64(MISSING), True
        inside[k] = np.uint8(not clean_low) | (np.uint8(not clean_high) << 1)
        bucket_low[k], bucket_last[k] = first, final
        before = np.uint32(buckets.first_row[f] + np.int64(first))
        after = np.uint32(buckets.first_row[f] + np.int64(final) + 1)
        packed[k] = (
            after
            | (np.uint32(not clean_high) << np.uint32(15))
            | (before << np.uint32(16))
            | (np.uint32(not clean_low) << np.uint32(31))
        )


@compiled
def find_set_runs(which, ranges, buckets, exact, run_starts, runs):
    """Compute the runs of buckets for the sets of predicates `which`; return the number of runs."""
    used = 0
    for i in range(len(which)):
        k = which[i]
        f, s = ranges.field[k], ranges.set[k]
        row = buckets.first_row[f]
        fine = True
        first = final = np.int64(-2)  # of the current run
        if ranges.set_missing[s]:
            first = final = np.int64(MISSING)
        for r in range(ranges.set_starts[s], ranges.set_starts[s + 1]):
            low, last = bucket_of(ranges.set_low[r], buckets, f), bucket_of(ranges.set_last[r], buckets, f)
            fine &= starts_bucket(ranges.set_low[r], low, buckets, f)
            fine &= ends_bucket(ranges.set_last[r], last, buckets, f)
            if first >= 0 and np.int64(low) <= final + 1:
                final = max(final, np.int64(last))
                continue
            if first >= 0:
                runs[used] = np.uint32(row + final + 1) | (np.uint32(row + first) << np.uint32(16))
                used += 1
            first, final = np.int64(low), np.int64(last)
        if first >= 0:
            runs[used] = np.uint32(row + final + 1) | (np.uint32(row + first) << np.uint32(16))
            used += 1
        exact[i] = fine
        run_starts[i + 1] = used
    return used
