# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Joining the best pair of clusters, over and over.

After a join the pairs of the new cluster are worked out again: increments of cost can fall, so that an old key says
neither that a pair is at least as good, nor that it is at most as good. If one of the two takes in the other without
being changed (it covers all of it more than once, is told wherever it is told, and so on), its pairs stay as they are
and only those of the other are new. This is what mostly happens where many ranges overlap.

A cluster with more than MANY neighbours works out all its pairs only when it has grown by an eighth since it did so
last; in between, only those with neighbours of what was joined to it. Whatever comes first by an old key is worked out
again, and goes back if it is not as good as before. Similarities of such clusters fall a little with every join, and a
pair that is nearly as good as before is taken.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.folding.kernels.boxes import join_in_boxes, shared_in_boxes
from sparing.control.folding.kernels.heap import (
    BENEFIT,
    VERSION_A,
    VERSION_B,
    A,
    B,
    arrange,
    empty_heap,
    pop,
    put,
    rise,
    room_for_pairs,
)
from sparing.control.folding.kernels.line import join_on_line, shared_on_line
from sparing.control.folding.kernels.state import ONCE, room_for_near, standing
from sparing.control.folding.kernels.ways import joined_delay, meeting

EFFICIENT, SIMILAR, LOWERING = 0, 1, 2  # what makes a pair good: benefit for cost, similarity, or a lower cost
MORE, GAINED = 0, 1  # the facts recorded of a join: what it adds to the cost, and to the benefit
MANY = 256  # neighbours
CLOSE = 0.01  # by this share, a similarity (and what it lacks to 1) may be worse than it was
FEW = 64  # pieces that are summed up anew, so that rounding errors do not add up
# With more pieces, a cluster in two dimensions is joined no further, or one in more: there every join cuts far more.
MOST_PIECES, MOST_DEEP_PIECES = 4096, 256


@inlined
def set_bits(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def shared_links(told, a, b):
    """Over how many links both are told."""
    found = 0
    for word in range(told.shape[1]):
        found += set_bits(told[a, word] & told[b, word])
    return found


@inlined
def shared(clusters, pieces, a, b):
    """By how much the unique range of two clusters shrinks when they are joined, and how much both of them cover."""
    if pieces.low.shape[1] == 1:
        return shared_on_line(clusters, pieces, a, b)
    return shared_in_boxes(clusters, pieces, a, b)


@compiled
def worth(clusters, pieces, ways, goal, a, b):
    """Whether a pair is a candidate, its key (less is better) and its benefit. Candidates share a link."""
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
    cost = once * joined_delay(clusters, ways, a, b) - (clusters.cost[a] + clusters.cost[b])
    if goal == LOWERING:
        return cost < 0, cost, benefit
    return True, -np.inf if cost <= 0 else -benefit / cost, benefit


@inlined
def unchanged(clusters, ways, slot, other):
    """Whether a cluster that takes in another one is told over the same links, meets at the same brokers, and so on."""
    if clusters.size[slot] == 1 or clusters.name[slot] > clusters.name[other]:
        return False
    for word in range(clusters.links.shape[1]):
        if clusters.links[other, word] & ~clusters.links[slot, word]:
            return False
    for row in range(clusters.meet.shape[1]):
        at = meeting(ways, row, clusters.meet[slot, row], clusters.meet[other, row])
        if at != clusters.meet[slot, row] or clusters.deep[other, row] > clusters.deep[slot, row]:
            return False
    return True


@compiled
def join(clusters, pieces, ways, a, b):
    """Make one cluster of two: the pieces, the slot that stays and the other one, and whether the first is changed."""
    lost, both = shared(clusters, pieces, a, b)
    once, covered = clusters.once[a] + clusters.once[b] - lost, clusters.covered[a] + clusters.covered[b] - both
    if pieces.low.shape[1] == 1:
        pieces, at, same, other_same = join_on_line(clusters, pieces, a, b)
    else:
        pieces, at, same, other_same = join_in_boxes(clusters, pieces, a, b)
    begin, count, room = clusters.piece[at, 0], clusters.piece[at, 1], clusters.piece[at, 2]
    other = b if at == a else a
    if same and unchanged(clusters, ways, at, other):
        keep, gone, changed = at, other, False
    elif other_same and unchanged(clusters, ways, other, at):
        keep, gone, changed = other, at, False
    else:
        keep, gone, changed = a, b, True
        if clusters.near[a, 1] < clusters.near[b, 1]:
            keep, gone = b, a
    clusters.into[gone] = keep
    clusters.size[keep] += clusters.size[gone]
    if not changed:
        return pieces, keep, gone, changed
    clusters.piece[keep, 0], clusters.piece[keep, 1], clusters.piece[keep, 2] = begin, count, room
    clusters.width[keep] = clusters.width[at]
    clusters.name[keep] = min(clusters.name[a], clusters.name[b])
    clusters.version[keep] += 1
    delay = joined_delay(clusters, ways, a, b)
    for row in range(clusters.meet.shape[1]):
        clusters.meet[keep, row] = meeting(ways, row, clusters.meet[a, row], clusters.meet[b, row])
        clusters.deep[keep, row] = max(clusters.deep[a, row], clusters.deep[b, row])
    for word in range(clusters.links.shape[1]):
        clusters.links[keep, word] = clusters.links[a, word] | clusters.links[b, word]
    if count <= FEW:
        once, covered = measured(pieces, begin, count)
    clusters.once[keep], clusters.covered[keep] = once, covered
    clusters.delay[keep], clusters.cost[keep] = delay, once * delay
    return pieces, keep, gone, changed


@compiled
def measured(pieces, begin, count):
    """The measure of what is covered once in some pieces, and of all of them."""
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
def tidy(clusters, near, slot, begin, count, mark, seen):
    """Neighbours by the slots that stand now, each once and without the cluster itself; how many are left."""
    left = 0
    for place in range(begin, begin + count):
        other = standing(clusters.into, np.int64(near.slot[place]))
        if other != slot and seen[other] != mark:
            seen[other] = mark
            near.slot[begin + left] = other
            left += 1
    return left


@compiled
def neighbours_of_both(clusters, near, keep, gone, marks, seen):
    """Put the neighbours of a cluster that is gone behind those of the one that stays, and say where they begin."""
    marks[0] += 1
    clusters.near[gone, 1] = tidy(clusters, near, keep, clusters.near[gone, 0], clusters.near[gone, 1], marks[0], seen)
    more = clusters.near[gone, 1]
    if clusters.near[keep, 1] + more > clusters.near[keep, 2]:
        marks[0] += 1
        begin = clusters.near[keep, 0]
        clusters.near[keep, 1] = tidy(clusters, near, keep, begin, clusters.near[keep, 1], marks[0], seen)
    begin, count, room = clusters.near[keep, 0], clusters.near[keep, 1], clusters.near[keep, 2]
    if count + more > room:
        clusters.into[gone] = gone  # so that its neighbours come along
        near = room_for_near(clusters, near, 2 * (count + more))
        clusters.into[gone] = keep
        begin, room = near.used[0], 2 * (count + more)
        near.used[0] += room
        for place in range(count):
            near.slot[begin + place] = near.slot[clusters.near[keep, 0] + place]
        clusters.near[keep, 0], clusters.near[keep, 2] = begin, room
    for place in range(more):
        near.slot[begin + count + place] = near.slot[clusters.near[gone, 0] + place]
    clusters.near[keep, 1] = count + more
    return near, begin + count


@compiled
def fill(clusters, pieces, ways, near, goal, marks, seen):
    """A heap of all candidates."""
    total = 0
    for slot in range(len(clusters.into)):
        if clusters.into[slot] == slot:
            marks[0] += 1
            begin = clusters.near[slot, 0]
            clusters.near[slot, 1] = tidy(clusters, near, slot, begin, clusters.near[slot, 1], marks[0], seen)
            total += clusters.near[slot, 1]
            clusters.looked[slot] = clusters.size[slot]
    heap = empty_heap(total + 1024)
    for slot in range(len(clusters.into)):
        if clusters.into[slot] == slot:
            for place in range(clusters.near[slot, 0], clusters.near[slot, 0] + clusters.near[slot, 1]):
                if near.slot[place] > slot:
                    lay(heap, clusters, pieces, ways, goal, slot, np.int64(near.slot[place]))
    arrange(heap)
    return heap


@inlined
def lay(heap, clusters, pieces, ways, goal, a, b):
    """Work out a pair and lay it down behind the heap, if it is a candidate."""
    good, key, benefit = worth(clusters, pieces, ways, goal, a, b)
    if good:
        name, version = clusters.name, clusters.version
        put(heap, key, benefit, name[a], name[b], a, b, version[a], version[b])
    return good


@compiled
def start(clusters, pieces, ways, near, first, marks, seen):
    """Join everybody to the first of the cluster it is to start in; benefit so far."""
    benefit = 0
    for member in range(len(first)):
        a, b = standing(clusters.into, np.int64(first[member])), standing(clusters.into, member)
        if a != b:
            benefit += shared_links(clusters.links, a, b)
            pieces, keep, gone, _ = join(clusters, pieces, ways, a, b)
            near, _ = neighbours_of_both(clusters, near, keep, gone, marks, seen)
    return benefit, pieces, near


@compiled
def greedy(clusters, pieces, ways, near, goal, theta, least, benefit, marks, seen, slots, facts):
    """Join the best pairs until the benefit is theta, or no key is below `-least`.

    Returns pieces, neighbours and the number of joins. Of every join, `slots` has the slot that stayed and the one that
    went, and `facts` what it added.
    """
    heap, steps = fill(clusters, pieces, ways, near, goal, marks, seen), 0
    while benefit < theta and heap.counts[0]:
        key, row = pop(heap)
        a, b = np.int64(heap.facts[row, A]), np.int64(heap.facts[row, B])
        if clusters.into[a] != a or clusters.into[b] != b:
            continue
        gained = np.int64(heap.facts[row, BENEFIT])
        if clusters.version[a] != heap.facts[row, VERSION_A] or clusters.version[b] != heap.facts[row, VERSION_B]:
            good, now, gained = worth(clusters, pieces, ways, goal, a, b)
            if not good:
                continue
            close = goal == SIMILAR and clusters.near[a, 1] + clusters.near[b, 1] > MANY
            close = close and now <= key + CLOSE * min(-key, 1 + key)
            if not close and (now != key or gained != heap.facts[row, BENEFIT]):
                heap = room_for_pairs(heap, clusters.into, 1)
                lay(heap, clusters, pieces, ways, goal, a, b)
                rise(heap)
                continue
        if -key <= least:
            break
        benefit += gained
        before = clusters.cost[a] + clusters.cost[b]
        pieces, keep, gone, changed = join(clusters, pieces, ways, a, b)
        slots[steps, 0], slots[steps, 1] = keep, gone
        facts[steps, MORE], facts[steps, GAINED] = clusters.cost[keep] - before, gained
        steps += 1
        near, begin = neighbours_of_both(clusters, near, keep, gone, marks, seen)
        count = clusters.near[keep, 1]
        all_of_them = changed and (count <= MANY or 8 * clusters.size[keep] >= 9 * clusters.looked[keep])
        if all_of_them:
            marks[0] += 1
            begin = clusters.near[keep, 0]
            count = clusters.near[keep, 1] = tidy(clusters, near, keep, begin, count, marks[0], seen)
            clusters.looked[keep] = clusters.size[keep]
        end = clusters.near[keep, 0] + count
        heap = room_for_pairs(heap, clusters.into, end - begin)
        for place in range(begin, end):
            if lay(heap, clusters, pieces, ways, goal, keep, np.int64(near.slot[place])):
                rise(heap)
    return pieces, near, steps
