"""Greedy joins: the best pair of clusters, repeatedly.

After a join the pairs of the new cluster are evaluated again: incremental costs can fall or rise, so old keys bound
nothing. If one of the two clusters absorbs the other without a change (it covers all of it more than once, is forwarded
over all its links, and so on), its own pairs stay valid and only those with neighbours of the other are new. This is
the usual case when many ranges overlap.

A cluster with more than MANY neighbours evaluates all its pairs only after growth by an eighth, otherwise only those
with neighbours of the joined cluster. A pair with an old key is evaluated again when it is the first of the heap, and
goes back if it is worse. Similarities of large clusters fall a little with every join, so a pair that is nearly as good
as before is accepted.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.folding.kernels.boxes import join_boxes, shared_boxes
from sparing.control.folding.kernels.heap import (
    BENEFIT,
    VERSION_A,
    VERSION_B,
    A,
    B,
    append_row,
    empty_heap,
    heapify,
    pop,
    room_for_pairs,
    sift_up,
)
from sparing.control.folding.kernels.intervals import join_intervals, shared_intervals
from sparing.control.folding.kernels.paths import common_broker, common_delay
from sparing.control.folding.kernels.state import ONCE, find_root, room_for_neighbours
from sparing.match.kernels.rows import count_bits

EFFICIENT, SIMILAR, LOWERING = 0, 1, 2  # the goal of joins: benefit per cost, similarity, or a lower cost
ADDED_COST, ADDED_BENEFIT = 0, 1  # columns of the facts of joins
MANY = 256  # neighbours
CLOSE = 0.01  # accepted relative decrease of a similarity, and of its difference to 1
FEW = 64  # pieces up to which measures are summed again, against accumulated rounding errors
# Most pieces of a cluster that is joined further, in two dimensions and in more, where every join cuts more pieces.
MOST_PIECES, MOST_DEEP_PIECES = 4096, 256


@inlined
def shared_links(links, a, b):
    """Return the number of links over which members of both clusters are forwarded."""
    found = 0
    for word in range(links.shape[1]):
        found += np.int64(count_bits(links[a, word] & links[b, word]))
    return found


@inlined
def shared(clusters, pieces, a, b):
    """Return the decrease of the unique range when two clusters are joined, and the measure that both cover."""
    if pieces.low.shape[1] == 1:
        return shared_intervals(clusters, pieces, a, b)
    return shared_boxes(clusters, pieces, a, b)


@compiled
def evaluate(clusters, pieces, paths, goal, a, b):
    """Return whether a pair is a candidate (it shares a link), its key (less is better) and its benefit."""
    benefit = shared_links(clusters.links, a, b)
    if benefit == 0:
        return False, 0.0, benefit
    most = MOST_PIECES if pieces.low.shape[1] == 2 else MOST_DEEP_PIECES
    if pieces.low.shape[1] > 1 and max(clusters.piece[a, 1], clusters.piece[b, 1]) > most:
        return False, 0.0, benefit
    lost, both = shared(clusters, pieces, a, b)
    once = clusters.once[a] + clusters.once[b] - lost
    if goal == SIMILAR:
        covered = clusters.covered[a] + clusters.covered[b] - both
        return True, once / covered - 1 if covered > 0 else -1.0, benefit
    cost = once * common_delay(clusters, paths, a, b) - (clusters.cost[a] + clusters.cost[b])
    if goal == LOWERING:
        return cost < 0, cost, benefit
    return True, -np.inf if cost <= 0 else -benefit / cost, benefit


@inlined
def stays_same(clusters, paths, slot, other):
    """Return whether links, common brokers and so on of a cluster stay the same if it absorbs another one."""
    if clusters.size[slot] == 1 or clusters.lowest[slot] > clusters.lowest[other]:
        return False
    for word in range(clusters.links.shape[1]):
        if clusters.links[other, word] & ~clusters.links[slot, word]:
            return False
    for row in range(clusters.common.shape[1]):
        at = common_broker(paths, row, clusters.common[slot, row], clusters.common[other, row])
        if at != clusters.common[slot, row] or clusters.most_hops[other, row] > clusters.most_hops[slot, row]:
            return False
    return True


@compiled
def join(clusters, pieces, paths, a, b):
    """Join two clusters; return the pieces, the slot that stays, the other one, and whether the first has changed."""
    lost, both = shared(clusters, pieces, a, b)
    once, covered = clusters.once[a] + clusters.once[b] - lost, clusters.covered[a] + clusters.covered[b] - both
    if pieces.low.shape[1] == 1:
        pieces, at, same, other_same = join_intervals(clusters, pieces, a, b)
    else:
        pieces, at, same, other_same = join_boxes(clusters, pieces, a, b)
    begin, count, room = clusters.piece[at, 0], clusters.piece[at, 1], clusters.piece[at, 2]
    other = b if at == a else a
    if same and stays_same(clusters, paths, at, other):
        keep, gone, changed = at, other, False
    elif other_same and stays_same(clusters, paths, other, at):
        keep, gone, changed = other, at, False
    else:
        keep, gone, changed = a, b, True
        if clusters.neighbours[a, 1] < clusters.neighbours[b, 1]:
            keep, gone = b, a
    clusters.parent[gone] = keep
    clusters.size[keep] += clusters.size[gone]
    if not changed:
        return pieces, keep, gone, changed
    clusters.piece[keep, 0], clusters.piece[keep, 1], clusters.piece[keep, 2] = begin, count, room
    clusters.width[keep] = clusters.width[at]
    clusters.lowest[keep] = min(clusters.lowest[a], clusters.lowest[b])
    clusters.version[keep] += 1
    delay = common_delay(clusters, paths, a, b)
    for row in range(clusters.common.shape[1]):
        clusters.common[keep, row] = common_broker(paths, row, clusters.common[a, row], clusters.common[b, row])
        clusters.most_hops[keep, row] = max(clusters.most_hops[a, row], clusters.most_hops[b, row])
    for word in range(clusters.links.shape[1]):
        clusters.links[keep, word] = clusters.links[a, word] | clusters.links[b, word]
    if count <= FEW:
        once, covered = measured(pieces, begin, count)
    clusters.once[keep], clusters.covered[keep] = once, covered
    clusters.delay[keep], clusters.cost[keep] = delay, once * delay
    return pieces, keep, gone, changed


@compiled
def measured(pieces, begin, count):
    """Return the measure that some pieces cover once, and that of all of them."""
    once = covered = 0.0
    for piece in range(begin, begin + count):
        size = 1.0
        for axis in range(pieces.low.shape[1]):
            size *= pieces.high[piece, axis] - pieces.low[piece, axis]
        covered += size
        if pieces.kind[piece] == ONCE:
            once += size
    return once, covered


@inlined
def compact_neighbours(clusters, neighbours, slot, keep, marks, seen):
    """Replace the neighbours of a slot by the current slots of their clusters, each once and without `keep`."""
    marks[0] += 1
    left, begin = 0, clusters.neighbours[slot, 0]
    for place in range(begin, begin + clusters.neighbours[slot, 1]):
        other = find_root(clusters.parent, np.int64(neighbours.slot[place]))
        if other != keep and seen[other] != marks[0]:
            seen[other] = marks[0]
            neighbours.slot[begin + left] = other
            left += 1
    clusters.neighbours[slot, 1] = left


@compiled
def merge_neighbours(clusters, neighbours, keep, gone, marks, seen):
    """Append the neighbours of a joined slot to those of the slot that stays; return the list and their position."""
    compact_neighbours(clusters, neighbours, gone, keep, marks, seen)
    more = clusters.neighbours[gone, 1]
    if clusters.neighbours[keep, 1] + more > clusters.neighbours[keep, 2]:
        compact_neighbours(clusters, neighbours, keep, keep, marks, seen)
    begin, count, room = clusters.neighbours[keep, 0], clusters.neighbours[keep, 1], clusters.neighbours[keep, 2]
    if count + more > room:
        clusters.parent[gone] = gone  # keeps its neighbours in the new arrays
        neighbours = room_for_neighbours(clusters, neighbours, 2 * (count + more))
        clusters.parent[gone] = keep
        begin, room = neighbours.used[0], 2 * (count + more)
        neighbours.used[0] += room
        for place in range(count):
            neighbours.slot[begin + place] = neighbours.slot[clusters.neighbours[keep, 0] + place]
        clusters.neighbours[keep, 0], clusters.neighbours[keep, 2] = begin, room
    for place in range(more):
        neighbours.slot[begin + count + place] = neighbours.slot[clusters.neighbours[gone, 0] + place]
    clusters.neighbours[keep, 1] = count + more
    return neighbours, begin + count


@compiled
def build_heap(clusters, pieces, paths, neighbours, goal, marks, seen):
    """Return a heap of all candidates."""
    total = 0
    for slot in range(len(clusters.parent)):
        if clusters.parent[slot] == slot:
            compact_neighbours(clusters, neighbours, slot, slot, marks, seen)
            total += clusters.neighbours[slot, 1]
            clusters.evaluated_size[slot] = clusters.size[slot]
    heap = empty_heap(total + 1024)
    for slot in range(len(clusters.parent)):
        if clusters.parent[slot] == slot:
            begin = clusters.neighbours[slot, 0]
            for place in range(begin, begin + clusters.neighbours[slot, 1]):
                if neighbours.slot[place] > slot:
                    add_pair(heap, clusters, pieces, paths, goal, slot, np.int64(neighbours.slot[place]))
    heapify(heap)
    return heap


@inlined
def add_pair(heap, clusters, pieces, paths, goal, a, b):
    """Evaluate a pair, and append it to the heap if it is a candidate; return whether it is one."""
    good, key, benefit = evaluate(clusters, pieces, paths, goal, a, b)
    if good:
        lowest, version = clusters.lowest, clusters.version
        append_row(heap, key, benefit, lowest[a], lowest[b], a, b, version[a], version[b])
    return good


@compiled
def join_initial(clusters, pieces, paths, neighbours, first, marks, seen):
    """Join the members of each initial cluster; return the benefit, pieces and neighbours."""
    benefit = 0
    for member in range(len(first)):
        a, b = find_root(clusters.parent, np.int64(first[member])), find_root(clusters.parent, member)
        if a != b:
            benefit += shared_links(clusters.links, a, b)
            pieces, keep, gone, _ = join(clusters, pieces, paths, a, b)
            neighbours, _ = merge_neighbours(clusters, neighbours, keep, gone, marks, seen)
    return benefit, pieces, neighbours


@compiled
def join_best(clusters, pieces, paths, neighbours, goal, theta, least, benefit, marks, seen, slots, facts):
    """Join the best pairs until the benefit is theta, or no key is below `-least`.

    Return pieces, neighbours and the number of joins. For every join, `slots` has the slot that stays and the joined
    one, and `facts` the added cost and benefit.
    """
    heap, steps = build_heap(clusters, pieces, paths, neighbours, goal, marks, seen), 0
    while benefit < theta and heap.counts[0]:
        key, row = pop(heap)
        a, b = np.int64(heap.facts[row, A]), np.int64(heap.facts[row, B])
        if clusters.parent[a] != a or clusters.parent[b] != b:
            continue
        gained = np.int64(heap.facts[row, BENEFIT])
        if clusters.version[a] != heap.facts[row, VERSION_A] or clusters.version[b] != heap.facts[row, VERSION_B]:
            good, now, gained = evaluate(clusters, pieces, paths, goal, a, b)
            if not good:
                continue
            close = goal == SIMILAR and clusters.neighbours[a, 1] + clusters.neighbours[b, 1] > MANY
            close = close and now <= key + CLOSE * min(-key, 1 + key)
            if not close and (now != key or gained != heap.facts[row, BENEFIT]):
                heap = room_for_pairs(heap, clusters.parent, 1)
                add_pair(heap, clusters, pieces, paths, goal, a, b)
                sift_up(heap)
                continue
        if -key <= least:
            break
        benefit += gained
        cost_before = clusters.cost[a] + clusters.cost[b]
        pieces, keep, gone, changed = join(clusters, pieces, paths, a, b)
        slots[steps, 0], slots[steps, 1] = keep, gone
        facts[steps, ADDED_COST], facts[steps, ADDED_BENEFIT] = clusters.cost[keep] - cost_before, gained
        steps += 1
        neighbours, begin = merge_neighbours(clusters, neighbours, keep, gone, marks, seen)
        count = clusters.neighbours[keep, 1]
        evaluate_all = changed and (count <= MANY or 8 * clusters.size[keep] >= 9 * clusters.evaluated_size[keep])
        if evaluate_all:
            compact_neighbours(clusters, neighbours, keep, keep, marks, seen)
            begin, count = clusters.neighbours[keep, 0], clusters.neighbours[keep, 1]
            clusters.evaluated_size[keep] = clusters.size[keep]
        end = clusters.neighbours[keep, 0] + count
        heap = room_for_pairs(heap, clusters.parent, end - begin)
        for place in range(begin, end):
            if add_pair(heap, clusters, pieces, paths, goal, keep, np.int64(neighbours.slot[place])):
                sift_up(heap)
    return pieces, neighbours, steps
