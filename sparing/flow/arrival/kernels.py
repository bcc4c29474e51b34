"""Compiled loops over matches, by far the largest arrays of a batch."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled


@compiled
def split_matches(events, starts, subscriptions, held, bits, word, raw):
    """Return plain matches and held matches; add the bits of each row's subscriptions to raw[row, word]."""
    pairs, size = len(subscriptions), len(events)
    plain_starts, plain, plains = np.zeros(size + 1, np.int64), np.empty(pairs + 1, np.int32), 0
    held_starts, kept, helds = np.zeros(size + 1, np.int64), np.empty(pairs + 1, np.int32), 0
    one_word = raw.shape[1] == 1
    for e in range(size):
        row = events[e]
        found = np.uint64(0)
        for i in range(starts[e], starts[e + 1]):
            subscription = np.uint64(subscriptions[i])
            is_held = np.int64(held[subscription])
            plain[plains] = kept[helds] = subscriptions[i]  # without a branch, which would be hard to predict
            helds += is_held
            plains += 1 - is_held
            if one_word:
                found |= bits[subscription]
            else:
                raw[row, word[subscription]] |= bits[subscription]
        if one_word:
            raw[row, 0] |= found
        plain_starts[e + 1] = plains
        held_starts[e + 1] = helds
    return (plain_starts, plain[:plains]), (held_starts, kept[:helds])


@compiled
def take_lists(starts, values, rows):
    """Return the lists of some rows: list n is values[starts[n]:starts[n + 1]]."""
    new_starts = np.zeros(len(rows) + 1, np.int64)
    for n in range(len(rows)):
        new_starts[n + 1] = new_starts[n] + starts[rows[n] + 1] - starts[rows[n]]
    taken = np.empty(new_starts[-1], values.dtype)
    for n in range(len(rows)):
        taken[new_starts[n] : new_starts[n + 1]] = values[starts[rows[n]] : starts[rows[n] + 1]]
    return new_starts, taken


@compiled
def count_notifications(events, starts, subscriptions, hop_of, bucket_of_row, counts):
    """Count each match in counts[last hop of its subscription, bucket of its row]."""
    for e in range(len(events)):
        bucket = np.uint64(bucket_of_row[events[e]])
        for i in range(starts[e], starts[e + 1]):
            counts[hop_of[np.uint64(subscriptions[i])], bucket] += 1


@compiled
def count_crossings(raw, at, link_of, target, bucket_of_row, counts):
    """Count each link that a row crosses to the brokers in the bits of raw[row], once, in counts[link, bucket]."""
    crossed_by = np.full(len(target), -1, np.int32)
    for row in range(len(raw)):
        for word in range(raw.shape[1]):
            bits = raw[row, word]
            goal = 64 * word
            while bits:
                if bits & np.uint64(1):
                    broker = np.int64(at[row])
                    while broker != goal:
                        link = link_of[broker, goal]
                        if link < 0:
                            break
                        if crossed_by[link] != row:
                            crossed_by[link] = row
                            counts[link, bucket_of_row[row]] += 1
                        broker = np.int64(target[link])
                bits >>= np.uint64(1)
                goal += 1


@compiled
def brokers_in(raw):
    """Return each (row, broker) in the bits of raw[row], by ascending row."""
    found = 0
    for row in range(len(raw)):
        for word in range(raw.shape[1]):
            bits = raw[row, word]
            while bits:
                bits &= bits - np.uint64(1)
                found += 1
    rows, brokers, at = np.empty(found, np.int64), np.empty(found, np.int64), 0
    for row in range(len(raw)):
        for word in range(raw.shape[1]):
            bits, broker = raw[row, word], 64 * word
            while bits:
                if bits & np.uint64(1):
                    rows[at], brokers[at] = row, broker
                    at += 1
                bits >>= np.uint64(1)
                broker += 1
    return rows, brokers
