"""Coordinators: who becomes one, and what becomes of events when brokers fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from sparing.model.bill import MessageKind
from sparing.model.merge import Outage, RedundancyRule
from sparing.model.policy import PlacementRule, Policy
from tests.flow.events.strategies import World, billed, caeva, frail_worlds
from tests.flow.events.world import Eyes, Sub, Walked, plan_for, walk
from tests.judges.events import Said
from tests.tries import tries

# p - x - m - y - q: m is the center
CHAIN = [("p", "x"), ("x", "m"), ("m", "y"), ("y", "q")]
ACTIVE = Policy(placement=0, active_aggregators=3)  # m, x and y are active, nobody is passive
PASSIVE = Policy(placement=2, active_aggregators=1)  # m is active, p and q are passive


def said(time: int, at: str, id_: str = "", **facts: int) -> Said:
    return Said(time, id_ or f"{time:03}{at}", at, "x", frozenset(facts.items()))


def told(walked: Walked, who: str = "s") -> list[tuple[int, dict[str, int]]]:
    """When a subscriber was told what of a, b and c."""
    return [
        (h.time, {name: value for name, value in sorted(h.facts) if name in "abc"})
        for h in walked.heard
        if h.who == who
    ]


def seen(
    policy: Policy,
    reports: Sequence[Said],
    outages: Sequence[Outage] = (),
    subs: Sequence[Sub] = (Sub("s", "m", 4),),
) -> tuple[Walked, Eyes]:
    plan = plan_for(CHAIN, subs, ["p", "q", "x", "y"], policy, outages)
    eyes = Eyes(plan)
    return walk(plan, reports, watcher=eyes), eyes


def coordination(walked: Walked) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for (source, target, _), count in billed(walked, MessageKind.COORDINATION).items():
        found[source, target] += count
    return found


@settings(max_examples=tries(100))
@given(frail_worlds(policy=caeva))
def test_there_is_one_coordinator_at_a_time_and_it_is_up(world: World) -> None:
    plan = world.plan()
    eyes = Eyes(plan)
    walk(plan, world.reports, watcher=eyes)

    def down(broker: str, time: int) -> bool:
        return any(outage.broker == broker and outage.holds(time) for outage in world.outages)

    for happenings in eyes.by_event.values():
        coordinator = None
        for time, what, broker, _ in happenings:
            if what == "coordinates":
                assert coordinator is None or down(coordinator, time)
                assert not down(broker, time)
                coordinator = broker
            elif what in ("is told", "crosses"):
                assert coordinator is not None
                assert not down(coordinator, time)


# Claims and denials


def test_a_single_claim_is_told_to_all_other_active_aggregators() -> None:
    walked, eyes = seen(ACTIVE, [said(0, "p", a=1), said(1, "q", a=2)])
    assert eyes.what("claims", "coordinates") == [(0, "claims", "x", ""), (0, "coordinates", "x", "")]
    assert coordination(walked) == {("x", "m"): 2, ("m", "y"): 1}  # to m, and to y by way of m


def test_of_claims_at_the_same_time_that_of_the_higher_name_wins() -> None:
    walked, eyes = seen(ACTIVE, [said(0, "p", a=1), said(0, "q", a=2)])
    assert eyes.what("claims", "coordinates") == [
        (0, "claims", "x", ""),
        (0, "claims", "y", ""),
        (0, "coordinates", "y", ""),
    ]
    claims = Counter({("x", "m"): 2, ("m", "y"): 1, ("y", "m"): 2, ("m", "x"): 1})
    denial = Counter({("y", "m"): 1, ("m", "x"): 1})
    assert coordination(walked) == claims + denial


def test_the_order_of_ids_does_not_matter() -> None:
    _, eyes = seen(ACTIVE, [said(0, "q", "1", a=2), said(0, "p", "2", a=1)])
    assert [broker for _, _, broker, _ in eyes.what("coordinates")] == ["y"]


def test_who_claims_later_is_too_late() -> None:
    _, eyes = seen(ACTIVE, [said(0, "p", a=1), said(1, "q", a=2), said(3, "y", b=2)])
    assert [broker for _, _, broker, _ in eyes.what("claims")] == ["x"]


def test_a_passive_aggregator_that_passes_a_report_on_is_told_who_coordinates() -> None:
    walked, _ = seen(PASSIVE, [said(0, "p", a=1), said(1, "p", b=1), said(2, "q", c=1)])
    assert coordination(walked) == {("m", "x"): 1, ("x", "p"): 1, ("m", "y"): 1, ("y", "q"): 1}


# Losses


def test_a_lost_coordinator_is_replaced_when_a_cycle_ends() -> None:
    """It fails at 2 with all it knows; the cycle that ends at 4 is missed, and that of 8 is where it was to be."""
    reports = [said(0, "p", a=1), said(1, "q", b=1), said(5, "p", c=1)]
    walked, eyes = seen(ACTIVE, reports, [Outage(2, "x")])
    assert [(time, broker) for time, _, broker, _ in eyes.what("coordinates")] == [(0, "x"), (4, "y")]
    assert told(walked) == [(8, {"a": 1, "b": 1, "c": 1})]


def test_a_re_election_is_billed() -> None:
    """y alone knows of the event, claims it, and tells those who keep reports; they send them again."""
    walked, _ = seen(ACTIVE, [said(0, "p", a=1), said(1, "q", b=1)], [Outage(2, "x")])
    election = Counter({("x", "m"): 2, ("m", "y"): 1})
    # with x down, active aggregators are m, y and p, the next nearest to the center by name
    claim = Counter({("y", "m"): 2, ("m", "x"): 1, ("x", "p"): 1})
    request = Counter({("y", "q"): 1})
    assert coordination(walked) == election + claim + request
    again = Counter({("p", "x"): 1, ("x", "m"): 1, ("m", "y"): 1, ("q", "y"): 1})
    told_m = Counter({("y", "m"): 1})
    merged = Counter((source, target) for source, target, _ in billed(walked, MessageKind.MERGED).elements())
    assert merged == again + told_m


def test_a_coordinator_that_is_back_before_the_cycle_ends_goes_on() -> None:
    walked, eyes = seen(ACTIVE, [said(0, "p", a=1), said(1, "q", b=1)], [Outage(2, "x", 3)])
    assert len(eyes.what("coordinates")) == 1
    assert told(walked) == [(4, {"a": 1, "b": 1})]


def test_what_was_told_already_is_not_told_again_by_a_successor() -> None:
    walked, _ = seen(ACTIVE, [said(0, "p", a=1), said(5, "q", b=1)], [Outage(4, "x")])
    assert told(walked) == [(8, {"a": 1, "b": 1})]
    walked, _ = seen(ACTIVE, [said(0, "p", a=1), said(5, "q", b=1)], [Outage(5, "x")])
    assert told(walked) == [(4, {"a": 1}), (12, {"b": 1})]


def test_what_a_lost_passive_aggregator_held_back_is_sent_again() -> None:
    walked, eyes = seen(PASSIVE, [said(0, "p", a=1), said(1, "p", b=1)], [Outage(2, "p", 3)])
    assert eyes.what("is sent again", "is flushed", "is sent on") == [(4, "is sent again", "p", "m")]
    assert told(walked) == [(4, {"a": 1, "b": 1})]


def test_what_a_lost_active_aggregator_held_back_is_sent_again() -> None:
    """x coordinates, y holds back what q said and fails for good."""
    walked, eyes = seen(ACTIVE, [said(0, "p", a=1), said(1, "q", b=1), said(5, "q", c=1)], [Outage(2, "y")])
    assert len(eyes.what("coordinates")) == 1
    assert [(time, broker, target) for time, _, broker, target in eyes.what("is sent again")] == [(4, "q", "x")]
    assert told(walked) == [(4, {"a": 1, "b": 1}), (8, {"c": 1})]


def test_two_coordinators_are_lost_one_after_the_other() -> None:
    """Of those left, none has heard of the event but as an edge: it goes to the one nearest to the center."""
    reports = [said(0, "p", a=1), said(1, "q", b=1)]
    walked, eyes = seen(ACTIVE, reports, [Outage(2, "x"), Outage(7, "y")])
    assert [(time, broker) for time, _, broker, _ in eyes.what("coordinates")] == [(0, "x"), (4, "y"), (8, "m")]
    assert told(walked) == [(12, {"a": 1, "b": 1})]


def test_who_does_not_wait_has_a_coordinator_replaced_by_the_next_report() -> None:
    reports = [said(0, "p", a=1), said(3, "q", b=1)]
    walked, eyes = seen(ACTIVE, reports, [Outage(2, "x")], [Sub("s", "m")])
    assert [time for time, *_ in eyes.what("coordinates")] == [0, 3]
    assert told(walked) == [(0, {"a": 1}), (3, {"b": 1})]


@pytest.mark.parametrize("move", [*PlacementRule, 0, 1, 2])
def test_every_aggregator_but_one_fails_for_good(move: PlacementRule | int) -> None:
    outages = [Outage(2, "m"), Outage(2, "x"), Outage(3, "y"), Outage(3, "p")]
    reports = [said(0, "p", a=1), said(1, "x", b=1), said(5, "q", c=1)]
    walked, _ = seen(Policy(placement=move), reports, outages)
    assert told(walked) == [(8, {"a": 1, "b": 1, "c": 1})]


@pytest.mark.parametrize(("outages", "again"), [([], False), ([Outage(5, "y", 6)], True)])
def test_facts_cross_again_to_a_broker_that_has_lost_them(outages: list[Outage], again: bool) -> None:
    """q has had all since 4. At 8 another subscriber there is due, and y may have forgotten what it sent on."""
    subs = [Sub("four", "q", 4), Sub("eight", "q", 8)]
    walked, eyes = seen(Policy(placement=0, active_aggregators=1), [said(0, "p", a=1)], outages, subs)
    crossed = [(time, broker, target) for time, _, broker, target in eyes.what("crosses")]
    first, second = [(4, "m", "y"), (4, "y", "q")], [(8, "m", "y"), (8, "y", "q")]
    assert crossed == first + (second if again else [])
    assert told(walked, "eight") == [(8, {"a": 1})]


def test_what_is_flushed_is_merged_on_its_way() -> None:
    """x and y are active, m coordinates: what p and r hold back becomes one message at x."""
    plan = plan_for(
        [*CHAIN, ("x", "r")], [Sub("s", "m", 4)], ["p", "r", "m"], Policy(placement=1, active_aggregators=3)
    )
    first = [said(0, "m", a=0), said(1, "p", a=0), said(1, "r", a=0)]
    eyes = Eyes(plan)
    walked = walk(plan, [*first, said(2, "p", a=1, b=1), said(3, "r", b=1, c=1)], watcher=eyes)
    assert eyes.what("coordinates") == [(0, "coordinates", "m", "")]
    assert [(time, *ends) for time, _, *ends in eyes.what("is flushed")] == [
        (4, "r", "x"),
        (4, "p", "x"),
        (4, "x", "m"),
    ]
    assert walked.bill.only(MessageKind.MERGED).by_link() == {("p", "x"): 1, ("r", "x"): 1, ("x", "m"): 1}
    assert [h.time for h in walked.heard] == [4]


def test_by_name_a_loss_does_not_bring_back_what_was_redundant() -> None:
    """p drops a second value of a. When it fails, both are sent again from where they were published."""
    policy, outages = PASSIVE, [Outage(3, "p", 4)]
    plan = plan_for(CHAIN, [Sub("s", "m", 4)], ["p", "q"], policy, outages, RedundancyRule.NAME)
    walked = walk(plan, [said(0, "p", b=1), said(1, "p", a=1), said(2, "p", a=2)])
    fields = Counter(name for heard in walked.heard for name, _ in heard.facts)
    assert fields == Counter(["k", "ts", "a", "b"])
