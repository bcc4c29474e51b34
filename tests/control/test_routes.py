"""Routes against breadth-first search, path by path."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.routes import HERE, NOWHERE, Routes, distinct
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


def link_names(routes, link):
    return routes.brokers[routes.source[link]], routes.brokers[routes.target[link]]


@given(forests())
def test_next_links_and_hops_follow_the_only_path(forest):
    brokers, links = forest
    routes = Routes.of(brokers, links)
    assert {link_names(routes, link) for link in range(len(routes.source))} == {*links, *((b, a) for a, b in links)}
    for a in brokers:
        for b in brokers:
            way = path(links, a, b)
            at, goal = routes.number[a], routes.number[b]
            if way is None:
                assert (routes.link_of[at, goal], routes.hops[at, goal]) == (NOWHERE, -1)
                assert routes.distance(a, b) == float("inf")
                continue
            assert routes.hops[at, goal] == routes.distance(a, b) == len(way)
            if way:
                assert link_names(routes, routes.link_of[at, goal]) == way[0]
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
    assert {(row, link_names(routes, link)) for row, link in pairs} == expected


@given(st.lists(st.integers(0, 50) | st.integers(0, 2**40)))
def test_distinct(numbers):
    assert distinct(np.array(numbers, dtype=np.int64)).tolist() == sorted(set(numbers))
