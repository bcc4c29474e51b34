"""Compiled loops over the links of trees."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.graphs.adjacency import adjacency


@compiled
def by_hops(first, found, target, root, brokers):
    """Broker -> the link that leads to it on a shortest way from the root, or -1; among equals the first one found."""
    link_to = np.full(brokers, -1, np.int64)
    ahead, count, done = np.empty(brokers, np.int64), 1, 0
    ahead[0] = root
    while done < count:
        broker = ahead[done]
        done += 1
        for at in range(first[broker], first[broker + 1]):
            other = target[found[at]]
            if other != root and link_to[other] < 0:
                link_to[other] = found[at]
                ahead[count] = other
                count += 1
    return link_to


@compiled
def cut_down(link_to, source, target, root, goals):
    """The links that lead from the root to the goals, and for each the place of the one before it, or -1."""
    needed, count = np.zeros(len(source), np.bool_), 0
    for goal in goals:
        broker = goal
        while broker != root and link_to[broker] >= 0 and not needed[link_to[broker]]:
            needed[link_to[broker]] = True
            count += 1
            broker = source[link_to[broker]]
    links, parent = np.empty(count, np.int64), np.empty(count, np.int64)
    done = 0
    for link in range(len(source)):
        if needed[link]:
            links[done], parent[done] = link, source[link]
            done += 1
    first, found = adjacency(parent, links, len(link_to))  # links after each broker, in order
    # A link waits at its own place until those after it are taken; the root waits first of all.
    waiting, ahead, done = np.empty(count + 1, np.int64), 1, 0
    waiting[0] = -1
    while ahead:
        ahead -= 1
        place = waiting[ahead]
        broker = root if place < 0 else target[links[place]]
        for at in range(first[broker], first[broker + 1]):
            links[done], parent[done] = found[at], place
            waiting[ahead] = done
            ahead += 1
            done += 1
    return links[:done], parent[:done]


@compiled
def behind(links, parent, goals, counts, subscribed, found):
    """Add to each link what brokers subscribe to that are behind it in any of the trees, as far as the place counts.

    Brokers are taken 64 at a time: along their ways to the roots, as far as nobody has gone before, then back, to hand
    on who has been met. Neighbours in the first tree are taken together, as they go the same ways.
    """
    number, brokers, count = np.full(len(subscribed), -1, np.int64), np.empty(len(subscribed), np.int64), 0
    trail, begins, many = np.empty(len(links), np.int64), np.empty(len(links), np.int64), 0
    for place in range(len(links)):
        if counts[place]:
            if number[goals[place]] < 0:
                number[goals[place]], brokers[count] = count, goals[place]
                count += 1
            trail[many], begins[many] = place, number[goals[place]] >> 6
            many += 1
    first, order = adjacency(begins[:many], trail[:many], (count + 63) >> 6)
    own, seen = np.zeros(len(links), np.uint64), np.zeros(len(found), np.uint64)  # place, link -> who of the 64
    met = np.empty(len(found), np.int64)
    sums = np.zeros((8, 256), np.int64)  # byte of a word, its value -> sum of counts
    for word in range(len(first) - 1):
        ways, steps, many = 0, 0, 0
        for at in range(first[word], first[word + 1]):
            place = order[at]
            mark = np.uint64(1) << np.uint64(number[goals[place]] & 63)
            begins[ways] = steps
            ways += 1
            while place >= 0 and own[place] == 0:
                own[place] = mark
                trail[steps] = place
                steps += 1
                place = parent[place]
            if place >= 0:
                own[place] |= mark
        end = steps
        for way in range(ways - 1, -1, -1):
            for step in range(begins[way], end):
                place = trail[step]
                if parent[place] >= 0:
                    own[parent[place]] |= own[place]
            end = begins[way]
        for step in range(steps):
            place = trail[step]
            if seen[links[place]] == 0:
                met[many] = links[place]
                many += 1
            seen[links[place]] |= own[place]
            own[place] = 0
        if many:
            for byte in range(8):
                for value in range(1, 256):
                    low = 0
                    while not value >> low & 1:
                        low += 1
                    who = (word << 6) + (byte << 3) + low
                    more = subscribed[brokers[who]] if who < count else 0
                    sums[byte, value] = sums[byte, value & (value - 1)] + more
        for step in range(many):
            link = met[step]
            for byte in range(8):
                found[link] += sums[byte, seen[link] >> np.uint64(8 * byte) & np.uint64(255)]
            seen[link] = 0


@compiled
def distinct(first, found):
    """Edges that have been arranged, each once, as node * number of nodes + other end."""
    count, done = len(first) - 1, 0
    keys, last = np.empty(len(found), np.int64), np.full(count, -1, np.int64)  # node -> where it was last found
    for node in range(count):
        for at in range(first[node], first[node + 1]):
            if last[found[at]] != node:
                last[found[at]] = node
                keys[done] = node * count + found[at]
                done += 1
    return keys[:done]


@compiled
def reached(begin, first, found):
    """Which nodes can be reached from those where it begins, themselves included."""
    seen = begin.copy()
    ahead, count = np.empty(len(begin), np.int64), 0
    for node in range(len(begin)):
        if seen[node]:
            ahead[count] = node
            count += 1
    while count:
        count -= 1
        node = ahead[count]
        for edge in range(first[node], first[node + 1]):
            if not seen[found[edge]]:
                seen[found[edge]] = True
                ahead[count] = found[edge]
                count += 1
    return seen


@compiled
def numbered(inside, left, right):
    """Connected components of some nodes and the edges between them, in the order of their lowest nodes; others: -1."""
    lowest = np.arange(len(inside))
    for edge in range(len(left)):
        one, two = left[edge], right[edge]
        if inside[one] and inside[two]:
            while lowest[one] != one:
                lowest[one] = lowest[lowest[one]]
                one = lowest[one]
            while lowest[two] != two:
                lowest[two] = lowest[lowest[two]]
                two = lowest[two]
            lowest[max(one, two)] = min(one, two)
    found, count = np.full(len(inside), -1, np.int64), 0
    for node in range(len(inside)):
        if inside[node]:
            if lowest[node] == node:
                found[node] = count
                count += 1
            else:
                found[node] = found[lowest[node]]
    return found
