"""Compiled loops over matches, by far the largest arrays of a batch."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled

HELD = np.uint8(1)  # flags of a subscription
RAW = np.uint8(2)


@compiled
def split_matches(events, starts, subscriptions, flags, broker_of, brokers):
    """Return plain matches, held matches, and each (row, broker) pair to reach with the raw publication, once."""
    pairs, size = len(subscriptions), len(events)
    plain_starts, plain, plains = np.zeros(size + 1, np.int64), np.empty(pairs, np.int32), 0
    held_starts, held, helds = np.zeros(size + 1, np.int64), np.empty(pairs, np.int32), 0
    goal_rows, goals, found = np.empty(pairs, np.int32), np.empty(pairs, np.int32), 0
    reached_by = np.full(brokers, -1, np.int32)
    for e in range(size):
        row = events[e]
        for i in range(starts[e], starts[e + 1]):
            subscription = np.uint64(subscriptions[i])
            flag = flags[subscription]
            if flag & HELD:
                held[helds] = subscription
                helds += 1
            else:
                plain[plains] = subscription
                plains += 1
            broker = np.uint64(broker_of[subscription])
            if flag & RAW and reached_by[broker] != row:
                reached_by[broker] = row
                goal_rows[found] = row
                goals[found] = broker
                found += 1
        plain_starts[e + 1] = plains
        held_starts[e + 1] = helds
    return (
        (plain_starts, plain[:plains]),
        (held_starts, held[:helds]),
        (goal_rows[:found].copy(), goals[:found].copy()),
    )


@compiled
def count_notifications(events, starts, subscriptions, bucket_of_row, counts):
    """Count each match in counts[subscription, bucket of its row]."""
    for e in range(len(events)):
        bucket = np.uint64(bucket_of_row[events[e]])
        for i in range(starts[e], starts[e + 1]):
            counts[np.uint64(subscriptions[i]), bucket] += 1


@compiled
def count_crossings(rows, goals, at, link_of, target, bucket_of_row, counts):
    """Count each link that a row crosses in counts[link, bucket of the row], once per row; rows ascend."""
    crossed_by = np.full(len(target), -1, np.int32)
    for i in range(len(rows)):
        row, goal = rows[i], goals[i]
        broker = at[row]
        while broker != goal:
            link = link_of[broker, goal]
            if link < 0:
                break
            if crossed_by[link] != row:
                crossed_by[link] = row
                counts[link, bucket_of_row[row]] += 1
            broker = target[link]
