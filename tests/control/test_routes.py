"""Routes against breadth-first search, path by path."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.routes import HERE, NOWHERE, Routes, distinct
from tests.flow.strategies import overlays
from tests.judges.overlay import path


@st.composite
def forests(draw):
    """Brokers and the undirected links of a forest, in any order and direction."""
    brokers = draw(st.permutations([f"b{n}" for n in range(draw(st.integers(1, 7)))]))
    links = []
    for at in range(1, len(brokers)):
        parent = draw(st.none() | st.integers(0, at - 1))
        if parent is not None:
            links.append(draw(st.permutations([brokers[at], brokers[parent]])))
    return tuple(brokers), [tuple(link) for link in draw(st.permutations(links))]


@given(forests())
def test_next_links_and_hops_follow_the_only_path(forest):
    brokers, links = forest
    routes = Routes.of(brokers, links)
    assert {routes.ends(link) for link in range(len(routes.source))} == {*links, *((b, a) for a, b in links)}
    for a in brokers:
        for b in brokers:
            way = path(links, a, b)
            at, goal = routes.number[a], routes.number[b]
            if way is None:
                assert (routes.link_of[at, goal], routes.hops[at, goal]) == (NOWHERE, -1)
                assert routes.distance(a, b) == float("inf")
                assert routes.path(at, goal) == (at,)
                continue
            assert [routes.ends(link) for link in routes.links_between(at, goal)] == way
            assert routes.path(at, goal) == (at, *(routes.number[there] for _, there in way))
            assert routes.hops[at, goal] == routes.distance(a, b) == len(way)
            if way:
                assert routes.ends(routes.link_of[at, goal]) == way[0]
            else:
                assert routes.link_of[at, goal] == HERE


@given(forests(), st.data())
def test_within_is_whether_every_broker_of_the_path_is_hosted(forest, data):
    brokers, links = forest
    routes = Routes.of(brokers, links)
    hosted = data.draw(st.lists(st.booleans(), min_size=len(brokers), max_size=len(brokers)))
    inside = routes.within(np.array(hosted, dtype=bool))
    here = {broker for broker, is_here in zip(brokers, hosted, strict=True) if is_here}
    for a in brokers:
        for b in brokers:
            way = path(links, a, b)
            on_it = {a, b, *(end for link in way or () for end in link)}
            assert inside[routes.number[a], routes.number[b]] == (way is not None and on_it <= here)


@given(forests(), st.data())
def test_crossings_are_the_union_of_each_rows_paths(forest, data):
    brokers, links = forest
    routes = Routes.of(brokers, links)
    broker = st.integers(0, len(brokers) - 1)
    start_of = data.draw(st.lists(broker, min_size=1, max_size=4))
    trips = data.draw(st.lists(st.tuples(st.integers(0, len(start_of) - 1), broker), max_size=10))
    hosted = data.draw(st.none() | st.lists(st.booleans(), min_size=len(brokers), max_size=len(brokers)))
    rows = np.array([row for row, _ in trips], dtype=np.int64)
    at = np.array([start_of[row] for row, _ in trips], dtype=np.int32)
    goals = np.array([goal for _, goal in trips], dtype=np.int32)
    found_rows, found = routes.crossings(rows, at, goals, None if hosted is None else np.array(hosted, dtype=bool))
    expected = set()
    for row, goal in trips:
        for link in path(links, brokers[start_of[row]], brokers[goal]) or ():
            if hosted is not None and not hosted[routes.number[link[0]]]:
                break
            expected.add((row, link))
    pairs = list(zip(found_rows.tolist(), found.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert {(row, routes.ends(link)) for row, link in pairs} == expected


@given(st.lists(st.integers(0, 50) | st.integers(0, 2**40)))
def test_distinct(numbers):
    assert distinct(np.array(numbers, dtype=np.int64)).tolist() == sorted(set(numbers))


def brute_force(links, start, goal):
    """The shortest path, then the one with fewer links, then the one whose last link by names comes first."""
    best = None
    ahead = [[start]]
    names = sorted(tuple(sorted(pair)) for pair in links)
    while ahead:
        way = ahead.pop()
        if way[-1] == goal:
            used = [tuple(sorted(pair)) for pair in pairwise(way)]
            length = sum(Fraction(links[frozenset(pair)]) for pair in used)
            key = length, len(used), sorted((names.index(pair) for pair in used), reverse=True)
            if best is None or key < best[0]:
                best = key, way
        for pair in links:
            (other,) = pair - {way[-1]} if way[-1] in pair else (None,)
            if other is not None and other not in way:
                ahead.append([*way, other])
    return None if best is None else list(pairwise(best[1]))


@given(overlays(least=1, most=6, apart=True))
def test_with_a_tree_per_source_there_is_one_best_path_the_same_in_both_directions(overlay):
    routes = Routes.per_source(overlay.brokers, overlay.neighbours)
    links = {frozenset((link.one, link.other)): link.delay for link in overlay.links}
    for a in overlay.brokers:
        for b in overlay.brokers:
            expected = brute_force(links, a, b)
            at, goal, way = routes.number[a], routes.number[b], []
            while routes.link_of[at, goal] >= 0:
                link = routes.link_of[at, goal]
                way.append(routes.ends(link))
                assert routes.ends(routes.reverse(link)) == way[-1][::-1]
                at = routes.target[link]
            if expected is None:
                assert (routes.link_of[at, goal], routes.hops[at, goal]) == (NOWHERE, -1)
                continue
            assert way == expected
            assert routes.hops[routes.number[a], goal] == len(way)
            for broker in overlay.brokers:
                on_it = broker in {a, b, *(end for link in way for end in link)}
                assert routes.passes(routes.number[a], routes.number[broker], np.array(goal)) == on_it


@given(overlays(least=2, most=6))
def test_the_paths_from_a_source_are_a_tree(overlay):
    """Each broker is entered by one link, whatever the goal; also with delays whose sums depend on their order."""
    overlay = replace(overlay, links=tuple(replace(link, delay=link.delay / 10) for link in overlay.links))
    routes = Routes.per_source(overlay.brokers, overlay.neighbours)
    for root in range(len(overlay.brokers)):
        entered = {}
        for goal in range(len(overlay.brokers)):
            at = root
            while (link := int(routes.link_of[at, goal])) >= 0:
                at = int(routes.target[link])
                assert entered.setdefault(at, link) == link
                assert routes.link_of[at, root] == routes.reverse(link)
