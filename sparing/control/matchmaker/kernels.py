"""Compiled loops over the links of trees."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.graphs.adjacency import adjacency


@compiled
def shortest_path_links(first, links, target, root, brokers):
    """Broker -> last link on a shortest path from the root, or -1; the first one found if there are several.

    `links[first[b] : first[b + 1]]` are the links from broker b.
    """
    link_to = np.full(brokers, -1, np.int64)
    queue, count, done = np.empty(brokers, np.int64), 1, 0
    queue[0] = root
    while done < count:
        broker = queue[done]
        done += 1
        for at in range(first[broker], first[broker + 1]):
            other = target[links[at]]
            if other != root and link_to[other] < 0:
                link_to[other] = links[at]
                queue[count] = other
                count += 1
    return link_to


@compiled
def pruned_tree(link_to, source, target, root, goals):
    """Return the links on paths from the root to the goals, and the position of each link's parent, or -1."""
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
    first, outgoing = adjacency(parent, links, len(link_to))
    # Depth first, so that a parent comes before its children.
    stack, height, done = np.empty(count + 1, np.int64), 1, 0
    stack[0] = -1
    while height:
        height -= 1
        place = stack[height]
        broker = root if place < 0 else target[links[place]]
        for at in range(first[broker], first[broker + 1]):
            links[done], parent[done] = outgoing[at], place
            stack[height] = done
            height += 1
            done += 1
    return links[:done], parent[:done]


@compiled
def count_beyond(links, parent, goals, counts, subscribed, found):
    """Add to `found` for each link the subscriptions of all brokers below it in some tree; a broker counts once.

    `counts` says for each position in the forest whether its target is a goal there. Brokers are processed in words of
    64 bits: first along the paths to the roots, as far as no other broker of the word has gone, then back, to pass on
    the brokers of the word. Neighbours in the first tree share a word because their paths overlap.
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
    own = np.zeros(len(links), np.uint64)  # position -> brokers of the word below it
    below = np.zeros(len(found), np.uint64)  # link -> brokers of the word below it in some tree
    touched = np.empty(len(found), np.int64)
    sums = np.zeros((8, 256), np.int64)  # byte of a word, its value -> sum of counts
    for word in range(len(first) - 1):
        paths, steps, many = 0, 0, 0
        for at in range(first[word], first[word + 1]):
            place = order[at]
            mark = np.uint64(1) << np.uint64(number[goals[place]] & 63)
            begins[paths] = steps
            paths += 1
            while place >= 0 and own[place] == 0:
                own[place] = mark
                trail[steps] = place
                steps += 1
                place = parent[place]
            if place >= 0:
                own[place] |= mark
        end = steps
        for path in range(paths - 1, -1, -1):
            for step in range(begins[path], end):
                place = trail[step]
                if parent[place] >= 0:
                    own[parent[place]] |= own[place]
            end = begins[path]
        for step in range(steps):
            place = trail[step]
            if below[links[place]] == 0:
                touched[many] = links[place]
                many += 1
            below[links[place]] |= own[place]
            own[place] = 0
        if many:
            for byte in range(8):
                for value in range(1, 256):
                    low = 0
                    while not value >> low & 1:
                        low += 1
                    broker_number = (word << 6) + (byte << 3) + low
                    more = subscribed[brokers[broker_number]] if broker_number < count else 0
                    sums[byte, value] = sums[byte, value & (value - 1)] + more
        for step in range(many):
            link = touched[step]
            for byte in range(8):
                found[link] += sums[byte, below[link] >> np.uint64(8 * byte) & np.uint64(255)]
            below[link] = 0


@compiled
def distinct_edges(first, ends):
    """Return each edge once, as node * number of nodes + other end; `ends` are arranged by node."""
    count, done = len(first) - 1, 0
    keys, last = np.empty(len(ends), np.int64), np.full(count, -1, np.int64)  # end -> the last node with an edge to it
    for node in range(count):
        for at in range(first[node], first[node + 1]):
            if last[ends[at]] != node:
                last[ends[at]] = node
                keys[done] = node * count + ends[at]
                done += 1
    return keys[:done]


@compiled
def reachable(start, first, ends):
    """Node -> whether it can be reached from a start node; start nodes included."""
    visited = start.copy()
    stack, count = np.empty(len(start), np.int64), 0
    for node in range(len(start)):
        if visited[node]:
            stack[count] = node
            count += 1
    while count:
        count -= 1
        node = stack[count]
        for edge in range(first[node], first[node + 1]):
            if not visited[ends[edge]]:
                visited[ends[edge]] = True
                stack[count] = ends[edge]
                count += 1
    return visited


@compiled
def numbered_components(inside, left, right):
    """Node -> number of its connected component among the nodes `inside`, by lowest node; -1 for others."""
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
