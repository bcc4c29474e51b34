"""Signalling: brokers with local knowledge compute the same marking as the central algorithm."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.matchmaker.demand import Demand
from sparing.control.matchmaker.election import election
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.control.matchmaker.shared_tree import mark_shared_tree
from sparing.control.matchmaker.signalling import exchange_counts, signal
from sparing.graphs.closure import largest_closure
from tests.control.matchmaker.test_marking import demand_of, demands, ring_of_four
from tests.messages import refused

Problem = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Links between brokers, what they save, and requirements among those that meet, whatever trees these come from."""
    number = st.integers(0, 5)
    ends = draw(st.lists(st.tuples(number, number).filter(lambda pair: pair[0] != pair[1]), unique=True, max_size=12))
    eta = [draw(st.integers(-4, 4)) for _ in ends]
    meeting = [(a, b) for a, one in enumerate(ends) for b, two in enumerate(ends) if one[1] == two[0]]
    pairs = draw(st.sets(st.sampled_from(meeting))) if meeting else set()
    return problem_of(ends, eta, sorted(pairs))


def problem_of(ends: list[tuple[int, int]], eta: list[int], pairs: list[tuple[int, int]]) -> Problem:
    """Links by their ends, what they save, and which requires which."""
    source, target = (np.array([link[end] for link in ends], dtype=np.int64) for end in (0, 1))
    before, after = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return source, target, np.array(eta, dtype=np.int64), before, after


def lowest_brokers(problem: Problem) -> tuple[int, ...]:
    """The lowest broker at the links of each component."""
    source, target, eta, before, after = problem
    component = entangled(eta, before, after)
    lowest = np.minimum(source, target)
    return tuple(int(lowest[component == number].min()) for number in range(max(component.tolist(), default=FREE) + 1))


def crosses_links(messages: Counter[tuple[int, int]], source: np.ndarray, target: np.ndarray) -> bool:
    """Whether all messages go along links, or against their direction."""
    links = set(zip(source.tolist(), target.tolist(), strict=True))
    return all((a, b) in links or (b, a) in links for a, b in messages)


@given(demands(shared=True))
def test_a_shared_tree_needs_two_messages_per_link(demand: Demand) -> None:
    signalled = signal(demand, shared=True)
    assert signalled.marking.tolist() == mark_shared_tree(demand).tolist()
    assert demand.valid(signalled.marking)
    expected = Counter[tuple[int, int]]()
    for link in {link for tree in demand.trees for link in tree.links.tolist()}:
        a, b = int(demand.source[link]), int(demand.target[link])
        expected += Counter([(a, b), (b, a)])
    assert signalled.messages == expected
    assert signalled.elected == ()


@given(demands(shared=True) | demands(shared=False))
def test_brokers_of_trees_per_source_agree_on_the_optimal_marking(demand: Demand) -> None:
    signalled = signal(demand, shared=False)
    assert signalled.marking.tolist() == mark_per_source(demand).tolist()
    assert demand.valid(signalled.marking)
    assert crosses_links(signalled.messages, demand.source, demand.target)
    assert signalled.elected == lowest_brokers((demand.source, demand.target, demand.eta, *demand.requires))
    _, messages = exchange_counts(demand, shared=False)
    each_for_itself = demand.valid(demand.eta >= 0)
    assert (signalled.messages == messages) == each_for_itself == (signalled.elected == ())


@given(st.one_of(st.tuples(demands(shared), st.just(shared)) for shared in (True, False)))
def test_both_ends_of_a_link_know_sigma_and_tau(case: tuple[Demand, bool]) -> None:
    demand, shared = case
    brokers, _ = exchange_counts(demand, shared)
    links = zip(demand.source.tolist(), demand.target.tolist(), strict=True)
    for link, (source, target) in enumerate(links):
        expected = int(demand.sigma[link]), int(demand.tau[link])
        assert brokers[source].counts(link) == brokers[target].counts(link) == expected


@given(problems())
def test_elections_decide_only_entangled_links(problem: Problem) -> None:
    source, target, eta, before, after = problem
    marking, messages, elected = election(*problem)
    assert marking.tolist() == largest_closure(eta, before, after).tolist()
    assert elected == lowest_brokers(problem)
    caught = entangled(eta, before, after) != FREE
    assert crosses_links(messages, source[caught], target[caught])
    assert bool(messages) == bool(caught.any())


def test_figure_5_needs_an_election() -> None:
    """AB saves something, and costs more beyond B: all but the links from the publishers have a part in it."""
    p1, p2, s, a, b, c, d = range(7)
    demand = demand_of([[[p1, a, b, c, s]], [[p2, a, b, d, s]]], [2, 2], {s: 3})
    signalled = signal(demand, shared=False)
    assert signalled.elected == (s,)
    assert signalled.marking.tolist() == mark_per_source(demand).tolist()
    _, messages = exchange_counts(demand, shared=False)
    more = signalled.messages - messages
    assert not [pair for pair in more if {p1, p2} & set(pair)]


def test_the_ring_of_four_needs_an_election() -> None:
    demand = ring_of_four()
    signalled = signal(demand, shared=False)
    assert len(signalled.elected) == 1
    assert signalled.marking.tolist() == mark_per_source(demand).tolist()


def test_all_messages_of_an_election_are_counted() -> None:
    """0 -> 1 saves 1, 1 -> 2 costs 2: broker 1 sees it and tells both others."""
    marking, messages, elected = election(*problem_of([(0, 1), (1, 2)], [1, -2], [(0, 1)]))
    assert (marking.tolist(), elected) == ([False, False], (0,))
    told, gathered, informed = [(1, 0), (1, 2)], [(2, 1), (1, 0)], [(0, 1), (1, 2)]
    rounds = [(0, 1), (1, 0), (1, 2), (2, 1)], [(1, 0), (1, 2), (2, 1)], [(2, 1)]
    assert messages == Counter([*told, *rounds[0], *rounds[1], *rounds[2], *gathered, *informed])


def test_an_election_can_return_to_a_broker() -> None:
    """A way round leads back to broker 0, which cannot know that at first; it gathers from each other broker once."""
    problem = problem_of([(0, 1), (1, 2), (2, 0)], [1, 0, -2], [(0, 1), (1, 2)])
    marking, messages, elected = election(*problem)
    assert (marking.tolist(), elected) == ([False, False, False], (0,))
    told, rounds, gathered, informed = 3, 6 + 4 + 2 + 1, 2, 2
    assert messages.total() == told + rounds + gathered + informed


def test_a_broker_can_be_elected_twice() -> None:
    """Two violations at broker 0 that have nothing to do with each other."""
    problem = problem_of([(1, 0), (0, 2), (3, 0), (0, 4)], [1, -2, 2, -1], [(0, 1), (2, 3)])
    marking, _, elected = election(*problem)
    assert (marking.tolist(), elected) == ([False, False, True, True], (0, 0))


def test_subscribers_of_other_trees_are_not_counted() -> None:
    """1 -> 2 leads source 0 to broker 3 and source 4 to broker 5: over 0 -> 1 only broker 3's subscriptions count."""
    demand = demand_of([[[0, 1, 2, 3]], [[4, 1, 2, 5]]], [2, 2], {3: 1, 5: 7})
    brokers, _ = exchange_counts(demand, shared=False)
    number = {(int(a), int(b)): link for link, (a, b) in enumerate(zip(demand.source, demand.target, strict=True))}
    assert brokers[0].counts(number[0, 1]) == (2, 1)
    assert brokers[1].counts(number[1, 2]) == (4, 8)


def test_unused_links_get_no_messages() -> None:
    demand = demand_of([[[0, 1]]], [1], {1: 2})
    more = (np.append(demand.source, 1), np.append(demand.target, 0), np.append(demand.weight, 1))
    demand = replace(demand, source=more[0], target=more[1], weight=more[2])
    for shared in (True, False):
        signalled = signal(demand, shared)
        assert signalled.marking.tolist() == [False, True]
        assert signalled.messages == {(0, 1): 1, (1, 0): 1}


def test_an_election_requires_integer_weights() -> None:
    demand = demand_of([[[0, 1]]], [1], {1: 2})
    with refused("integers"):
        signal(replace(demand, weight=demand.weight * 0.5), shared=False)
