"""What merged events cost: the bill against slow and obvious ones, and against what a watcher sees."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.flow.events.context import MergeContext
from sparing.model.bill import MessageKind
from tests.flow.events.strategies import AGELE, SIENA, World, billed, by_bucket, caeva, frail_worlds, worlds
from tests.flow.events.world import WITHIN, Eyes, walk, with_own
from tests.judges.events import Messages, Paths, Said, Wish, agele_bill, events_of, siena_bill
from tests.tries import tries

PUBLICATION, MERGED, COORDINATION = MessageKind.PUBLICATION, MessageKind.MERGED, MessageKind.COORDINATION


def wishes_of(world: World) -> list[Wish]:
    return [sub.wish() for sub in world.subs]


def events(world: World) -> list[list[Said]]:
    return events_of(with_own(world.reports), WITHIN)


def center_of(world: World) -> str:
    plan = world.plan()
    return plan.routes.brokers[MergeContext(plan, "t").trees[0].center]


@settings(max_examples=tries(60))
@given(worlds(policy=st.just(SIENA)))
def test_siena(world: World) -> None:
    """Every report goes along the ways to all who may be interested, and that is all."""
    walked = walk(world.plan(), world.reports)
    expected = siena_bill(world.reports, WITHIN, wishes_of(world), Paths(world.links))
    assert billed(walked, PUBLICATION) == by_bucket(expected)
    assert not walked.bill.only(MERGED, COORDINATION)


@settings(max_examples=tries(40))
@given(worlds() | frail_worlds())
def test_what_siena_would_have_sent_is_known_under_every_policy(world: World) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for (source, target, _), count in siena_bill(world.reports, WITHIN, wishes_of(world), Paths(world.links)).items():
        expected[source, target] += count
    assert walk(world.plan(), world.reports).outcomes[0].siena == expected


@settings(max_examples=tries(80))
@given(worlds(policy=st.just(AGELE)))
def test_agele(world: World) -> None:
    """Reports go to the center as they are; from there a link is crossed when somebody beyond is told something."""
    walked = walk(world.plan(), world.reports)
    up, down = agele_bill(with_own(world.reports), WITHIN, wishes_of(world), Paths(world.links), center_of(world))
    assert billed(walked, PUBLICATION) == by_bucket(up)
    assert billed(walked, MERGED) == by_bucket(down)
    assert not walked.bill.only(COORDINATION)


@settings(max_examples=tries(80))
@given(worlds(policy=caeva))
def test_downward_caeva_is_agele_from_the_coordinator(world: World) -> None:
    """So a link is crossed at most once per tick, and never if nobody beyond is due, interested and behind."""
    plan = world.plan()
    eyes = Eyes(plan)
    walk(plan, world.reports, watcher=eyes)
    for event in events(world):
        seen = eyes.by_event[event[0].key, event[0].time]
        coordinators = [broker for _, what, broker, _ in seen if what == "coordinates"]
        crossed = Counter((broker, target, time) for time, what, broker, target in seen if what == "crosses")
        if not coordinators:
            assert not crossed
            continue
        (coordinator,) = coordinators
        _, down = agele_bill(event, WITHIN, wishes_of(world), Paths(world.links), coordinator)
        assert crossed == down


@settings(max_examples=tries(40))
@given(worlds(policy=caeva))
def test_with_cycles_alone_a_link_is_crossed_once_a_tick(world: World) -> None:
    """As said in words: at most once per event and tick, and only towards somebody who is told something then."""
    waiting = [sub for sub in world.subs if sub.every and sub.urgent is None]
    if not waiting:
        return
    world = World(world.brokers, world.links, world.publishers, tuple(waiting), world.reports, world.policy)
    plan, paths = world.plan(), Paths(world.links)
    eyes = Eyes(plan)
    walk(plan, world.reports, watcher=eyes)
    homes = {sub.id: sub.at for sub in waiting}
    told = {(h.key, h.began, h.time): set[str]() for h in world.wanted()}
    for h in world.wanted():
        told[h.key, h.began, h.time].add(homes[h.who])
    for (key, began), seen in eyes.by_event.items():
        coordinator = next((broker for _, what, broker, _ in seen if what == "coordinates"), "")
        crossed = [(time, broker, target) for time, what, broker, target in seen if what == "crosses"]
        assert len(crossed) == len(set(crossed))
        for time, broker, target in crossed:
            goals = told[key, began, time]
            assert any((broker, target) in pairwise(paths.way(coordinator, goal)) for goal in goals)


@settings(max_examples=tries(50))
@given(worlds(policy=caeva))
def test_the_bill_is_what_a_watcher_sees(world: World) -> None:
    plan, paths = world.plan(), Paths(world.links)
    eyes = Eyes(plan)
    walked = walk(plan, world.reports, watcher=eyes)

    def along(*kinds: str) -> Messages:
        return Counter(
            (*link, time)
            for time, _, source, target in eyes.what(*kinds)
            for link in pairwise(paths.way(source, target))
        )

    assert billed(walked, PUBLICATION) == by_bucket(along("is sent"))
    assert billed(walked, MERGED) == by_bucket(along("is flushed", "is sent on", "crosses"))


@settings(max_examples=tries(60))
@given(worlds(policy=caeva.map(lambda policy: replace(policy, active_aggregators=1))))
def test_with_one_active_aggregator_no_link_is_dearer_than_with_agele(world: World) -> None:
    """Upward, for every link.

    A passive aggregator sends up the first report, in place of that report's own climb, and a flush only if something
    new has come since the last, in place of the climb of the report that brought it: there is no passive aggregator
    between another and the center. Downward nothing differs, for the coordinator is the center.
    """
    walked = walk(world.plan(), world.reports)
    up, down = agele_bill(with_own(world.reports), WITHIN, wishes_of(world), Paths(world.links), center_of(world))
    found: Counter[tuple[str, str]] = Counter()
    for (source, target, _), count in billed(walked, PUBLICATION, MERGED).items():
        found[source, target] += count
    agele: Counter[tuple[str, str]] = Counter()
    for (source, target, _), count in (up + down).items():
        agele[source, target] += count
    assert found <= agele
    for link in {(source, target) for source, target, _ in down}:
        assert found[link] == agele[link]
