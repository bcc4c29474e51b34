"""Live markings: after every change valid, equal to a recomputed marking, and billed."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.matchmaker.live_marking import LiveMarking, MarkingChange
from sparing.control.matchmaker.marking import Marking, marking_of
from sparing.control.routes import Routes
from sparing.control.trees.shared_tree import shared_tree
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Matchmaker
from tests.flow.strategies import overlays

Counts = dict[int, int]


def routes_of(overlay: Overlay, shared: bool) -> Routes:
    if shared:
        return Routes.of(overlay.brokers, shared_tree(overlay))
    return Routes.per_source(overlay.brokers, overlay.neighbours)


def weights_of(overlay: Overlay, routes: Routes) -> np.ndarray:
    weight = {frozenset((link.one, link.other)): link.weight for link in overlay.links}
    pairs = zip(routes.source.tolist(), routes.target.tolist(), strict=True)
    return np.array([weight[frozenset((routes.brokers[a], routes.brokers[b]))] for a, b in pairs], dtype=np.int64)


def recomputed(live: LiveMarking, matchmaker: Matchmaker, shared: bool, routes: Routes, weight: np.ndarray) -> Marking:
    """Return the marking of the announced counts; without slack these are the true ones."""
    published = {b: n for b, n in enumerate(live.published.tolist()) if n}
    return marking_of(matchmaker, shared, routes, weight, published, live.announced)


def check(live: LiveMarking, marking: Marking) -> None:
    assert live.sigma.tolist() == marking.demand.sigma.tolist()
    assert live.tau.tolist() == marking.demand.tau.tolist()
    assert [side.tolist() for side in live.requires] == [side.tolist() for side in marking.demand.requires]
    assert marking.demand.valid(live.s_link)
    assert live.s_link.tolist() == marking.s_link.tolist()
    assert live.cost == marking.cost


@given(overlays(least=2, most=6), st.booleans(), st.sampled_from(Matchmaker), st.data())
def test_every_update_equals_recomputation(
    overlay: Overlay, shared: bool, matchmaker: Matchmaker, data: st.DataObject
) -> None:
    routes = routes_of(overlay, shared)
    weight = weights_of(overlay, routes)
    brokers = st.integers(0, len(routes.brokers) - 1)
    live = LiveMarking(matchmaker, shared, routes, weight)
    for publishes, broker, more in data.draw(st.lists(st.tuples(st.booleans(), brokers, st.integers(-3, 4)))):
        there = int((live.published if publishes else live.subscribed)[broker])
        before = live.s_link.copy()
        change = (live.publish if publishes else live.subscribe)(broker, max(more, -there))
        assert live.announced.tolist() == live.subscribed.tolist()
        check(live, recomputed(live, matchmaker, shared, routes, weight))
        flipped = np.zeros(len(before), bool)
        flipped[[*change.to_s_link, *change.to_p_link]] = True
        assert (before ^ live.s_link).tolist() == flipped.tolist()
    published = dict(enumerate(live.published.tolist()))
    from_start = LiveMarking(matchmaker, shared, routes, weight, published=published, subscribed=live.subscribed)
    assert from_start.s_link.tolist() == live.s_link.tolist()


@given(overlays(least=2, most=6), st.booleans(), st.sampled_from(Matchmaker), st.data())
def test_billed_advertisements_are_the_changes_on_links(
    overlay: Overlay, shared: bool, matchmaker: Matchmaker, data: st.DataObject
) -> None:
    routes = routes_of(overlay, shared)
    weight = weights_of(overlay, routes)
    brokers = st.integers(0, len(routes.brokers) - 1)
    live = LiveMarking(matchmaker, shared, routes, weight)
    carried: dict[tuple[int, int], int] = {}
    for publishes, broker, more in data.draw(st.lists(st.tuples(st.booleans(), brokers, st.sampled_from([-1, 1, 2])))):
        there = int((live.published if publishes else live.subscribed)[broker])
        change: MarkingChange = (live.publish if publishes else live.subscribe)(broker, max(more, -there))
        marking = recomputed(live, matchmaker, shared, routes, weight)
        now = {
            (root, link): int(live.published[root])
            for root, tree in zip(marking.roots, marking.demand.trees, strict=True)
            for link in tree.links.tolist()
            if not marking.s_link[link]
        }
        messages = np.zeros(len(weight), np.int64)
        for key in now.keys() | carried.keys():
            messages[key[1]] += abs(now.get(key, 0) - carried.get(key, 0))
        assert change.advertised.tolist() == messages.tolist()
        carried = now


@given(overlays(least=2, most=6), st.booleans(), st.sampled_from([0.25, 0.5, 2.0]), st.data())
def test_with_slack_the_marking_is_optimal_for_announced_counts(
    overlay: Overlay, shared: bool, slack: float, data: st.DataObject
) -> None:
    routes = routes_of(overlay, shared)
    weight = weights_of(overlay, routes)
    brokers = st.integers(0, len(routes.brokers) - 1)
    count = len(routes.brokers)
    first = np.array(data.draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)))
    live = LiveMarking(Matchmaker.MIN_COST, shared, routes, weight, published={0: 3}, subscribed=first, slack=slack)
    assert live.announced.tolist() == live.subscribed.tolist()
    for publishes, broker, more in data.draw(st.lists(st.tuples(st.booleans(), brokers, st.integers(-3, 4)))):
        there, announced = int((live.published if publishes else live.subscribed)[broker]), live.announced.copy()
        change = (live.publish if publishes else live.subscribe)(broker, max(more, -there))
        assert ((live.announced > 0) == (live.subscribed > 0)).all()
        assert (np.abs(live.subscribed - live.announced) <= slack * live.announced).all()
        if not publishes and (announced == live.announced).all():
            assert not any(len(some) for some in (change.to_s_link, change.to_p_link, change.counted_up))
        check(live, recomputed(live, Matchmaker.MIN_COST, shared, routes, weight))


def random_overlay(chance: random.Random, brokers: int, extra: int) -> Overlay:
    names = [f"b{n:02}" for n in range(brokers)]
    pairs = {(names[chance.randrange(n)], names[n]) for n in range(1, brokers)}
    while len(pairs) < brokers - 1 + extra:
        pairs.add(tuple(sorted(chance.sample(names, 2))))  # type: ignore[arg-type]
    links = [Link(*pair, float(chance.choice([1, 1, 2])), chance.choice([1, 1, 3])) for pair in sorted(pairs)]
    return Overlay(tuple(names), tuple(links))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_joins_leaves_and_cut_links(seed: int, shared: bool) -> None:
    chance = random.Random(seed)
    overlay = random_overlay(chance, 14, 10)
    routes = routes_of(overlay, shared)
    weight = weights_of(overlay, routes)
    live = LiveMarking(Matchmaker.MIN_COST, shared, routes, weight)
    cut: list[Link] = []
    flips = 0
    for _ in range(1_000):
        what, broker = chance.random(), chance.randrange(14)
        if what < 0.05:
            if cut and chance.random() < 0.5:
                links = (*overlay.links, cut.pop(chance.randrange(len(cut))))
            else:
                at = chance.randrange(len(overlay.links))
                cut.append(overlay.links[at])
                links = tuple(link for place, link in enumerate(overlay.links) if place != at)
            overlay = Overlay(overlay.brokers, links)
            routes = routes_of(overlay, shared)
            weight = weights_of(overlay, routes)
            live = live.rerouted(routes, weight)
        else:
            counts, change = (live.published, live.publish) if what < 0.4 else (live.subscribed, live.subscribe)
            leaves = counts[broker] and chance.random() < 0.5
            done = change(broker, -chance.randint(1, int(counts[broker])) if leaves else chance.randint(1, 4))
            flips += len(done.to_s_link) + len(done.to_p_link)
        check(live, recomputed(live, Matchmaker.MIN_COST, shared, routes, weight))
    assert flips > 50


def test_only_changed_components_hold_an_election() -> None:
    """Two rings that are not linked: what happens in one is nothing to the other."""
    names = [*"abcdef", *"ABCDEF"]
    pairs = [(ring[n], ring[(n + 1) % 6]) for ring in ("abcdef", "ABCDEF") for n in range(6)]
    overlay = Overlay(tuple(names), tuple(Link(*pair) for pair in pairs))
    routes = routes_of(overlay, shared=False)
    weight = np.ones(len(routes.source), dtype=np.int64)
    published = {3: 4, 4: 2, 5: 2, 9: 4, 10: 2, 11: 2}
    live = LiveMarking(
        Matchmaker.MIN_COST, False, routes, weight, published=published, subscribed=np.array([4, 3, 4, 1, 0, 3] * 2)
    )
    messages = live.elections(live.subscribe(0, 1))
    assert messages
    assert {routes.brokers[routes.source[link]] for link in messages} <= set("abcdef")
