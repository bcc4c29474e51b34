"""The k best, chosen hop by hop: a broker picks among known subscriptions and sends each next hop its share.

Higher scores come first. Among equal scores, AncestorFairK draws by the weights of known subscriptions
(topk-covering.txt, IV-B), and the exactly fair scheme by the number of subscriptions behind each next hop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.rank.draws import mixed
from sparing.flow.rank.exact_fair import some_of, split
from sparing.flow.rank.top_k import best_first, end_of_class
from sparing.flow.rank.weighted_shuffle import weighted_shuffle


class HopRoutes(NamedTuple):
    """The brokers of subscriptions, and the routes to them."""

    broker_of: np.ndarray  # [subscription]
    link_of: np.ndarray  # [broker, broker]
    target: np.ndarray  # [link]
    salt: np.ndarray  # [broker], so that brokers draw independently


class Weighted(NamedTuple):
    """The known subscriptions of each broker with their weights, concatenated; empty if draws need no weights."""

    starts: np.ndarray  # [broker + 1]
    numbers: np.ndarray  # ascending within each broker
    weights: np.ndarray


@inlined
def weight_of(weighted, broker, subscription):
    """Return the weight of a subscription at a broker, 0 if the broker does not know it."""
    first, last = weighted.starts[broker], weighted.starts[broker + 1]
    at = first + np.searchsorted(weighted.numbers[first:last], subscription)
    if at < last and weighted.numbers[at] == subscription:
        return weighted.weights[at]
    return 0.0


@inlined
def take(entries, way, i, links, quota, chosen):
    """Choose a subscription at this broker, or add 1 to the share of its next hop."""
    if way[i] == links:
        chosen[entries[i]] = True
    else:
        quota[way[i]] += 1


@compiled
def split_class(entries, way, place, end, k, links, state, quota, some, chosen):
    """Draw k of the subscriptions with equal scores, by their number behind each next hop."""
    counts, present, different = np.zeros(links + 1, np.int64), np.empty(links + 1, np.int64), 0
    for i in range(place, end):
        if counts[way[i]] == 0:
            present[different] = way[i]
            different += 1
        counts[way[i]] += 1
    hits = np.zeros(different, np.int64)
    split(counts[present[:different]], k, state, hits)
    for at in range(different):
        if present[at] < links:
            quota[present[at]] += hits[at]
            continue
        some_of(counts[links], hits[at], state, some)
        drawn = np.zeros(counts[links], np.bool_)
        drawn[some[: hits[at]]] = True
        here = 0
        for i in range(place, end):
            if way[i] == links:
                if drawn[here]:
                    chosen[entries[i]] = True
                here += 1


@compiled
def pick_by_hops(picked, starts, subscriptions, scores, at, k, seeds, exact, ways, weighted, chosen):
    """Mark k matches of each picked row as chosen, picked hop by hop from broker `at`."""
    most = 0
    for row in picked:
        most = max(most, starts[row + 1] - starts[row])
    links, brokers = len(ways.target), len(ways.salt)
    order, some = np.empty(most, np.int64), np.empty(most, np.int64)
    entries, way, weight = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.float64)
    quota = np.zeros(links, np.int64)
    ahead, to_pick, reached = np.empty(brokers, np.int64), np.empty(brokers, np.int64), np.empty(most, np.int64)
    state = np.empty(1, np.uint64)
    for number in range(len(picked)):
        row = picked[number]
        size = best_first(scores, subscriptions, starts[row], starts[row + 1], order)
        ahead[0], to_pick[0] = at, k[number]
        reached[:size] = at  # the broker up to which each path has been followed
        waiting = 1
        while waiting > 0:
            waiting -= 1
            broker, left = ahead[waiting], to_pick[waiting]
            state[0] = mixed(seeds[number] ^ ways.salt[broker])
            known = 0
            for i in range(size):
                if reached[i] != broker:
                    continue
                subscription = subscriptions[order[i]]
                link = ways.link_of[broker, ways.broker_of[subscription]]
                if link >= 0:
                    reached[i] = ways.target[link]
                stands_for = 1.0 if exact else weight_of(weighted, broker, subscription)
                if stands_for > 0.0:
                    entries[known], weight[known] = order[i], stands_for
                    way[known] = links if link < 0 else link
                    known += 1
            place = 0
            while left > 0 and place < known:
                end = end_of_class(scores, entries, place, known)
                if end - place <= left:
                    for i in range(place, end):
                        take(entries, way, i, links, quota, chosen)
                elif exact:
                    split_class(entries, way, place, end, left, links, state, quota, some, chosen)
                else:
                    weighted_shuffle(weight[place:end], left, state, some)
                    for i in range(left):
                        take(entries, way, place + some[i], links, quota, chosen)
                left -= min(left, end - place)
                place = end
            for i in range(known):
                link = way[i]
                if link < links and quota[link] > 0:
                    ahead[waiting], to_pick[waiting] = ways.target[link], quota[link]
                    quota[link] = 0
                    waiting += 1
