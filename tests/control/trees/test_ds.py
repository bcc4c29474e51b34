"""DS: every move is the best one, by counts of single cells; without similarity DS equals DO."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.folding.ranges import RangePieces
from sparing.control.routes import Routes
from sparing.control.trees import unique_range
from sparing.control.trees.attachment import DISTANCE, SIMILARITY, distances
from sparing.control.trees.do import do
from sparing.control.trees.ds import Move, attach, ds, ds_tree
from sparing.control.trees.shared_tree import shared_tree
from sparing.control.trees.unique_range import TopicBoxes
from sparing.graphs.trees import components
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import INT, TIMESTAMP
from tests.flow.strategies import overlays
from tests.judges.overlay import path

gammas = st.sampled_from([0, 0.5, 1, 2, 4])
MOST = 6


def unique(cover):
    """How many cells exactly one subscription covers; each is given by the set of its cells."""
    return sum(sum(cell in cells for cells in cover) == 1 for cell in set().union(*cover))


def judged(first, candidates, hops, covers, gamma):
    """The greedy algorithm, everything worked out from scratch each time; `covers[i]` are the subscriptions of i."""
    at, moves = list(first), []
    pairs = {(i, j) for i, brokers in enumerate(candidates) for j in brokers if j != first[i]}
    far = [dict(zip(brokers, mine, strict=True)) for brokers, mine in zip(candidates, hops, strict=True)]
    while True:
        rated = []
        for i, j in sorted(pairs):
            there = [cells for k, mine in enumerate(covers) if at[k] == j for cells in mine]
            saved = unique(there) - unique([*there, *covers[i]])
            more = 0 if far[i][j] == far[i][at[i]] else far[i][j] - far[i][at[i]]
            if saved > 0 and more < math.inf:
                rated.append((-(math.inf if more <= 0 else saved / more), -saved, i, j, more))
        if not rated or not -min(rated)[0] > gamma:
            return at, moves
        _, saved, i, j, more = min(rated)
        pairs.remove((i, j))
        moves.append(Move(i, at[i], j, -saved, more))
        at[i] = j


@st.composite
def problems(draw, most=5):
    """Items with subscriptions of one or two pieces, side by side in the first of some dimensions."""
    dimensions = draw(st.integers(1, 3))
    count = draw(st.integers(1, most))
    owner = draw(st.lists(st.integers(0, count - 1), min_size=0, max_size=2 * most))
    starts, pieces = [0], []
    for _ in owner:
        box = [sorted(draw(st.tuples(*[st.integers(0, MOST)] * 2))) for _ in range(dimensions)]
        pieces.append(box)
        if draw(st.booleans()):
            middle = draw(st.integers(*box[0]))
            end = draw(st.integers(middle, MOST))
            pieces[-1] = [[box[0][0], middle], *box[1:]]
            pieces.append([[draw(st.integers(middle, end)), end], *box[1:]])
        starts.append(len(pieces))
    bounds = np.array(pieces, dtype=np.float64).reshape(-1, dimensions, 2)
    candidates = [draw(st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True)) for _ in range(count)]
    far = st.integers(0, 3) | st.just(math.inf)
    hops = [[draw(far) for _ in brokers] for brokers in candidates]
    first = [min(zip(mine, brokers, strict=True))[1] for mine, brokers in zip(hops, candidates, strict=True)]
    return first, candidates, hops, RangePieces(np.array(starts), bounds[:, :, 0], bounds[:, :, 1]), owner


def cells(pieces, subscription):
    mine = range(pieces.starts[subscription], pieces.starts[subscription + 1])
    ranges = (zip(pieces.low[piece].astype(int), pieces.high[piece].astype(int), strict=True) for piece in mine)
    return {cell for ends in ranges for cell in product(*(range(low, high) for low, high in ends))}


@pytest.mark.parametrize("most_cells", [1, unique_range.MOST_CELLS])
@given(problem=problems(), gamma=gammas)
def test_every_move_is_the_best_move(most_cells, problem, gamma):
    first, candidates, hops, pieces, owner = problem
    covers = [[] for _ in first]
    for subscription, item in enumerate(owner):
        covers[item].append(cells(pieces, subscription))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unique_range, "MOST_CELLS", most_cells)
        at, moves = attach(first, candidates, hops, pieces, gamma, owner)
    assert (at, moves) == judged(first, candidates, hops, covers, gamma)
    assert all(broker in candidates[item] for item, broker in enumerate(at))


@given(problems())
def test_no_item_moves_if_gamma_is_infinite(problem):
    first, candidates, hops, pieces, owner = problem
    assert attach(first, candidates, hops, pieces, math.inf, owner) == (first, [])


@pytest.mark.parametrize("most_cells", [1, unique_range.MOST_CELLS])
@given(problem=problems(), members=st.sets(st.integers(0, 4)))
def test_a_move_takes_the_unique_range_and_brings_the_new_range(most_cells, problem, members):
    first, _, _, pieces, owner = problem
    boxes = TopicBoxes(pieces, np.array(owner, dtype=np.int64), len(first))
    joining = [item for item in range(len(first)) if item not in members]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unique_range, "MOST_CELLS", most_cells)
        saved_ranges = boxes.saved_ranges(
            np.array(joining, dtype=np.int64), np.isin(np.arange(len(first)), list(members))
        )
    covers = [[cells(pieces, s) for s, mine in enumerate(owner) if mine == item] for item in range(len(first))]
    there = [cover for item in members if item < len(first) for cover in covers[item]]
    assert saved_ranges.tolist() == [unique(there) - unique(there + covers[item]) for item in joining]


@pytest.mark.parametrize("dimensions", [1, 2])
def test_a_range_covered_twice_by_one_item_is_not_unique(dimensions):
    wide, narrow = [0.0] * dimensions, [4.0] * dimensions
    pieces = RangePieces(np.arange(3), np.array([wide, narrow]), np.array([[8.0] * dimensions] * 2))
    saved = TopicBoxes(pieces, np.array([0, 0]), 2).saved_ranges(np.array([0]), np.array([False, False]))
    assert saved.tolist() == [4**dimensions - 8**dimensions]


def line(*ranges):
    bounds = np.array(ranges, dtype=np.float64)
    return RangePieces(np.arange(len(ranges) + 1), bounds[:, :1], bounds[:, 1:])


def test_the_slides_example():
    """s1 and s2 are attached to b1, two hops from the publisher; s3 to b2, one hop away, or also to b1.

    At b1, 9 are unique without s3 ([0, 3] and [4, 10]) and 4 with it ([0, 3] and [9, 10]): 5 for one hop.
    """
    pieces = line((0, 4), (3, 10), (4, 9))
    asked = [1, 1, 2], [[1], [1], [1, 2]], [[2], [2], [2, 1]], pieces
    assert attach(*asked, gamma=4.9) == ([1, 1, 1], [Move(2, 2, 1, 5, 1)])
    assert attach(*asked, gamma=5) == ([1, 1, 2], [])


def test_an_empty_broker_attracts_no_item():
    assert attach([0, 0], [[0, 1], [0]], [[1, 0], [0]], line((0, 4), (0, 4)), 0) == ([0, 0], [])


def test_a_moved_item_attracts_no_item_to_its_first_broker():
    """Item 0 moves away from broker 0, the only one there; item 2 would have joined it."""
    pieces = line((0, 10), (0, 10), (0, 10))
    at, moves = attach([0, 1, 2], [[0, 1], [1], [0, 2]], [[1, 2], [0], [3, 1]], pieces, 0)
    assert (at, moves) == ([1, 1, 2], [Move(0, 0, 1, 10, 1)])


def test_moves_without_extra_hops_come_first():
    pieces = line((0, 9), (0, 9), (0, 9), (0, 2), (1, 3))
    candidates, hops = [[0], [1, 0], [1], [3], [2, 3]], [[0], [1, 2], [0], [0], [1, 1]]
    _, moves = attach([0, 1, 1, 3, 2], candidates, hops, pieces, 0)
    assert [(move.item, move.after) for move in moves] == [(1, 0)]
    pieces = line((0, 9), (0, 9), (0, 9), (0, 3), (1, 3))
    _, moves = attach([0, 1, 1, 3, 2], candidates, hops, pieces, 0)
    assert [(move.item, move.after) for move in moves] == [(4, 3), (1, 0)]


def test_rounding_errors_cause_no_moves():
    # At broker 0, a third subscriber to the very same ranges would change nothing.
    tenths = [(0.1 * n, 0.1 * n + 0.1) for n in range(10)]
    pieces = line(*tenths, *tenths, (0.1, 0.9))
    _, moves = attach([0] * 20 + [1], [[0]] * 20 + [[0, 1]], [[0]] * 20 + [[0, 0]], pieces, 0)
    assert not moves


# Subscribers

TOPICS = {name: Topic(name, "ts", {"ts": TIMESTAMP, "x": INT, "y": INT}) for name in "tu"}
spans = st.tuples(st.integers(0, 4), st.integers(1, 4)).map(lambda s: (s[0], s[0] + s[1]))


def box(x, y=(0, 8)):
    return Box.of({"x": between(INT, *x), "y": between(INT, *y)})


def cells_of(subscription):
    """Within (0, 8) in both fields, which every box advertises or has as a bound."""
    topic, wanted = subscription.query.topic, subscription.query.box
    return {(topic, x, y) for x in range(8) for y in range(8) if wanted.admits({"x": x, "y": y})}


@st.composite
def worlds(draw, overlay):
    some_brokers = st.lists(st.sampled_from(overlay.brokers), min_size=1, max_size=3, unique=True)
    candidates = {who: tuple(draw(some_brokers)) for who in "ABCD"}
    publishers = draw(st.lists(st.sampled_from(overlay.brokers), min_size=1, max_size=2))
    advertisements = [
        Advertisement(f"p{n}", broker, draw(st.sampled_from("tu")), box((0, 8))) for n, broker in enumerate(publishers)
    ]
    subscriptions = [
        Subscription(f"s{n}", who, Query(draw(st.sampled_from("ttu")), box(draw(spans), draw(spans))))
        for n, who in enumerate(draw(st.lists(st.sampled_from("ABCD"), max_size=6)))
    ]
    ends = [Subscription(f"end {topic}", "Z", Query(topic, box((0, 8)))) for topic in "tu"]  # so that the line is known
    return candidates | {"Z": (overlay.brokers[0],)}, subscriptions + ends, advertisements


def as_named(names, brokers, homes, options, covers, gamma):
    """The judge, for names."""
    number = {broker: at for at, broker in enumerate(brokers)}
    at, moves = judged(
        [number[homes[name]] for name in names],
        [[number[broker] for broker in options[name]] for name in names],
        [list(options[name].values()) for name in names],
        [covers[name] for name in names],
        gamma,
    )
    return {name: brokers[broker] for name, broker in zip(names, at, strict=True)}, {names[m.item]: m for m in moves}


@given(overlays(apart=True).flatmap(lambda o: st.tuples(st.just(o), worlds(o))), gammas, st.randoms())
def test_subscribers_are_attached_as_by_the_judge(drawn, gamma, random):
    overlay, (candidates, subscriptions, advertisements) = drawn
    routes = Routes.of(overlay.brokers, shared_tree(overlay))
    given_ = candidates, subscriptions, advertisements
    served_by, reasons = ds(routes, *given_, TOPICS, gamma)
    (nearest, near), far = do(routes, *given_), distances(routes, *given_)
    covers = {who: [cells_of(s) for s in subscriptions if s.subscriber == who] for who in candidates}
    options = {who: far.get(who, {brokers[0]: 0}) for who, brokers in candidates.items()}
    expected, moves = as_named(sorted(candidates), sorted(overlay.brokers), nearest, options, covers, gamma)
    assert served_by == expected
    assert [reason.who for reason in reasons] == sorted(who for who, some in candidates.items() if len(some) > 1)
    for reason in reasons:
        assert reason.kind == "subscriber"
        assert reason.broker == served_by[reason.who]
        assert reason.alternatives == far[reason.who]
        assert set(reason.alternatives) == set(candidates[reason.who])
        assert reason.by == (SIMILARITY if reason.who in moves else DISTANCE)
        assert reason.range_saved == (moves[reason.who].range_saved if reason.who in moves else 0)
        if reason.by == DISTANCE:
            assert reason.broker == nearest[reason.who]
            assert reason.hops_more == 0

    random.shuffle(subscriptions)
    shuffled = {who: tuple(random.sample(some, len(some))) for who, some in sorted(candidates.items(), reverse=True)}
    assert ds(routes, shuffled, subscriptions, advertisements, TOPICS, gamma) == (served_by, reasons)
    assert ds(routes, *given_, TOPICS, math.inf) == (nearest, near)


def test_ranges_of_different_topics_do_not_overlap():
    routes = Routes.of("ab", [("a", "b")])
    candidates = {"A": ("a",), "B": ("a", "b"), "C": ("a", "b")}
    wanted = [
        Subscription(f"s{n}", who, Query(topic, box((0, 4)))) for n, (who, topic) in enumerate(["At", "Bt", "Cu"])
    ]
    advertised = [Advertisement(f"p{topic}", "b", topic, box((0, 8))) for topic in "tu"]
    served_by, (b, c) = ds(routes, candidates, wanted, advertised, TOPICS, 0)
    assert served_by == {"A": "a", "B": "a", "C": "b"}
    assert (b.by, b.range_saved, b.hops_more, b.alternatives) == (SIMILARITY, 32, 1, {"a": 1, "b": 0})
    assert (c.by, c.range_saved, c.hops_more) == (DISTANCE, 0, 0)


def test_ds_without_items_that_have_a_choice():
    routes = Routes.of("ab", [("a", "b")])
    assert ds(routes, {"A": ("a",)}, [], [], TOPICS, 0) == ({"A": "a"}, ())
    assert ds(routes, {"A": ("b", "a")}, [], [], TOPICS, 0)[0] == {"A": "a"}


# Brokers


@given(overlays(apart=True, most=7).flatmap(lambda o: st.tuples(st.just(o), worlds(o))), gammas)
def test_leaf_brokers_are_attached_as_by_the_judge(drawn, gamma):
    overlay, world = drawn
    _, subscriptions, advertisements = world
    tree, reasons = ds_tree(overlay, *world, TOPICS, gamma)
    first = shared_tree(overlay)

    # It spans what the shared tree spans.
    assert tree <= {(min(link.one, link.other), max(link.one, link.other)) for link in overlay.links}
    assert len(tree) == len(first)
    for part in components(overlay.neighbours):
        assert all(path(tree, part[0], broker) is not None for broker in part)

    served_by, _ = do(Routes.of(overlay.brokers, first), *world)
    ends = {b: [pair[pair[0] == b] for pair in sorted(first) if b in pair] for b in overlay.brokers}
    at = {b: [s for s in subscriptions if served_by[s.subscriber] == b] for b in overlay.brokers}
    homes, options = {}, {}
    for broker in overlay.brokers:
        inner = len(ends[broker]) != 1
        homes[broker] = broker if inner else ends[broker][0]
        hosts = [n for n in overlay.neighbours[broker] if len(ends[n]) != 1]
        if inner or broker in {ad.broker for ad in advertisements} or len(hosts) < 2:
            hosts = [homes[broker]]
        goals = [ad.broker for s in at[broker] for ad in advertisements if ad.topic == s.query.topic]
        options[broker] = dict.fromkeys(hosts, 0)
        for host in hosts:
            if len(hosts) > 1:
                ways = [path(first, host, goal) for goal in goals]
                options[broker][host] = math.inf if None in ways else sum(len(way) + 1 for way in ways)
    covers = {b: [cells_of(s) for s in mine] for b, mine in at.items()}
    expected, moves = as_named(sorted(homes), sorted(overlay.brokers), homes, options, covers, gamma)
    assert tree == {(min(p), max(p)) for p in expected.items() if p[0] != p[1] and len(ends[p[0]]) == 1} | {
        pair for pair in first if all(len(ends[end]) != 1 for end in pair)
    }
    assert [reason.who for reason in reasons] == [b for b in sorted(homes) if len(options[b]) > 1]
    for reason in reasons:
        assert reason.kind == "broker"
        assert reason.alternatives == options[reason.who]
        assert (reason.broker, reason.by == SIMILARITY) == (expected[reason.who], reason.who in moves)
    assert ds_tree(overlay, *world, TOPICS, math.inf)[0] == first


def test_a_leaf_broker_is_attached_to_similar_subscriptions():
    """p - a - b, and c next to both: what c's subscriber wants is wanted at b, too."""
    overlay = Overlay(("p", "a", "b", "c", "d"), tuple(Link(*ends) for ends in ("pa", "ab", "ac", "bc", "bd")))
    wanted = [Subscription(f"s{who}", who, Query("t", box(x))) for who, x in (("B", (0, 6)), ("C", (0, 5)))]
    world = {"B": ("b",), "C": ("c",)}, wanted, [Advertisement("p1", "p", "t", box((0, 8)))]
    assert ("a", "c") in shared_tree(overlay)
    tree, (reason,) = ds_tree(overlay, *world, TOPICS, 39)
    assert tree == {("a", "p"), ("a", "b"), ("b", "c"), ("b", "d")}
    assert (reason.who, reason.broker, reason.by) == ("c", "b", SIMILARITY)
    assert (reason.range_saved, reason.hops_more, reason.alternatives) == (40, 1, {"a": 2, "b": 3})
    tree, (reason,) = ds_tree(overlay, *world, TOPICS, 40)
    assert tree == shared_tree(overlay)
    assert (reason.broker, reason.by) == ("a", DISTANCE)
