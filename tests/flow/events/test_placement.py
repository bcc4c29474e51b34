"""Where passive aggregators are: what a distance costs, and how they find the best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sparing.control.plan import Plan
from sparing.flow.events.context import EventStep, MergeContext
from sparing.flow.events.event import Event
from sparing.flow.events.placement import FADES, Placer, cost, savings
from sparing.model.bill import MessageKind
from sparing.model.policy import PlacementRule, Policy
from tests.flow.events.strategies import World, caeva, forests, reports, worlds
from tests.flow.events.world import WITHIN, Sub, plan_for, walk
from tests.judges.events import Said
from tests.tries import tries

FAR = 1000  # between repetitions of an event
Links = Sequence[tuple[str, str]]


class Over:
    """A watcher that keeps events that are over."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event, happening: EventStep) -> None:
        if happening.what == "is over":
            self.events.append(event)


class Trial:
    """All that some reports cost at every distance, each time with one subscriber at the center."""

    def __init__(
        self, links: Links, brokers: Sequence[str], some: Sequence[Said], every: int = 4, active: int = 1
    ) -> None:
        self.links, self.brokers, self.some, self.every, self.active = links, brokers, some, every, active
        first = plan_for(links, [], brokers, Policy(active_aggregators=active))
        self.context = MergeContext(first, "t")
        (self.tree,) = self.context.trees
        self.center = first.routes.brokers[self.tree.center]
        over = Over()
        walk(self.plan(PlacementRule.ADAPTIVE), some, watcher=over)
        self.events = over.events

    def plan(self, placement: PlacementRule | int) -> Plan:
        subs = [Sub("s", self.center, self.every)]
        return plan_for(self.links, subs, self.brokers, Policy(placement=placement, active_aggregators=self.active))

    def sent(self, hops: int) -> int:
        """Messages in a walk with passive aggregators at a distance."""
        bill = walk(self.plan(hops), self.some).bill
        return bill.only(MessageKind.PUBLICATION, MessageKind.MERGED).total()

    def cost(self, hops: int) -> int:
        """The same by the module's own account."""
        return sum(cost(self.tree, event, hops, partial(self.context.new, event)) for event in self.events)

    def savings(self, hops: int) -> tuple[float, float]:
        """Of moving closer and away, for a single event."""
        (event,) = self.events
        return savings(self.tree, event, hops, partial(self.context.new, event))


def said(time: int, at: str, **facts: int) -> Said:
    return Said(time, f"{time:03}{at}", at, "x", frozenset(facts.items()))


@settings(max_examples=tries(60))
@given(forests(least=2), st.data())
def test_cost_is_what_is_really_sent(forest: tuple[tuple[str, ...], Links], data: st.DataObject) -> None:
    """With one active aggregator, at which the only subscriber is, everything that is sent goes up."""
    brokers, links = forest
    some = data.draw(reports(brokers))
    trial = Trial(links, brokers, some, data.draw(st.sampled_from([1, 2, 3, 7, 30])))
    for hops in range(trial.tree.depth + 1):
        assert trial.cost(hops) == trial.sent(hops)


@settings(max_examples=tries(30))
@given(forests(least=2), st.data())
def test_cost_is_what_is_really_sent_at_once(forest: tuple[tuple[str, ...], Links], data: st.DataObject) -> None:
    brokers, links = forest
    some = data.draw(reports(brokers))
    assume(len({(report.key, report.time) for report in some}) == len(some))
    trial = Trial(links, brokers, some, 0)
    for hops in range(trial.tree.depth + 1):
        assert trial.cost(hops) == trial.sent(hops)


# One hop at a time

# d and h are three hops from the center m
ARMS = [("m", "a"), ("a", "b"), ("b", "d"), ("m", "e"), ("e", "f"), ("f", "h")]
# below m are a and e; below a the leaves a1 to a4, below e likewise
FANS = [("m", "a"), ("m", "e"), *(("a", f"a{n}") for n in range(4)), *(("e", f"e{n}") for n in range(4))]


def trial_of(links: Links, some: Sequence[Said]) -> Trial:
    return Trial(links, sorted({end for link in links for end in link}), some)


def same_sign(one: float, other: float) -> bool:
    return (one > 0) == (other > 0) and (one < 0) == (other < 0)


def test_many_reports_from_one_place_are_worth_moving_away() -> None:
    trial = trial_of(ARMS, [said(n, "d", a=1) for n in range(10)])
    assert trial.center == "m"
    for hops in (1, 2):
        closer, away = trial.savings(hops)
        assert trial.cost(hops) > trial.cost(hops + 1)
        assert away > 0 >= closer
    assert trial.savings(3)[0] < 0 < trial.cost(2) - trial.cost(3)


def test_many_places_with_one_report_each_are_worth_moving_closer() -> None:
    """Every leaf would pass its only report on, and a, in their place, merges all but the first."""
    leaves = [f"{side}{n}" for n in range(4) for side in "ae"]
    trial = trial_of(FANS, [said(0, leaf, a=n) for n, leaf in enumerate(leaves)])
    assert trial.center == "m"
    closer, _ = trial.savings(2)
    assert closer > 0
    assert trial.cost(1) < trial.cost(2)
    assert trial.savings(1)[1] < 0


def test_reports_halfway_are_not_worth_moving_away_from() -> None:
    trial = trial_of(ARMS, [*(said(n, "b", a=1) for n in range(10)), said(11, "d", a=1)])
    assert trial.cost(2) < trial.cost(3)
    assert trial.savings(2)[1] < 0


@settings(max_examples=tries(60))
@given(forests(least=2), st.data())
def test_for_one_publisher_savings_have_the_sign_of_what_is_saved(
    forest: tuple[tuple[str, ...], Links], data: st.DataObject
) -> None:
    """If it is at passive aggregators or beyond: they and their parents see all that there is to see."""
    brokers, links = forest
    at = data.draw(st.sampled_from(brokers))
    times = data.draw(st.lists(st.integers(0, WITHIN), min_size=1, max_size=12))
    values = data.draw(st.lists(st.integers(0, 2), min_size=len(times), max_size=len(times)))
    some = [
        Said(t, f"{n:02}", at, "x", frozenset({("a", v)})) for n, (t, v) in enumerate(zip(times, values, strict=True))
    ]
    trial = Trial(links, brokers, some)
    far = trial.tree.roles(1).distance[trial.context.plan.routes.number[at]]
    for hops in range(1, min(far, trial.tree.depth) + 1):
        closer, away = trial.savings(hops)
        if hops < trial.tree.depth:
            assert same_sign(away, trial.cost(hops) - trial.cost(hops + 1))
        if hops > 1:
            assert same_sign(closer, trial.cost(hops) - trial.cost(hops - 1))


# In the long run


def again(some: Sequence[Said], times: int, start: int = 0) -> list[Said]:
    """An event again and again, from the start-th on."""
    return [Said(r.time + n * FAR, r.id, r.at, r.key, r.facts) for n in range(start, start + times) for r in some]


def placer_after(trial: Trial, policy: Policy, some: Sequence[Said]) -> Placer:
    subs = [Sub("s", trial.center, trial.every)]
    (placer,) = walk(plan_for(trial.links, subs, trial.brokers, policy), some).state.placers
    return placer


@settings(max_examples=tries(30))
@given(forests(least=2), st.data(), st.integers(1, 3))
def test_replay_finds_the_cheapest_distance_for_what_happens_again_and_again(
    forest: tuple[tuple[str, ...], Links], data: st.DataObject, active: int
) -> None:
    """Unless what there is to gain, as long as it is remembered, is not worth telling all brokers of the moves."""
    brokers, links = forest
    some = [Said(r.time % WITHIN, r.id, r.at, "x", r.facts) for r in data.draw(reports(brokers, most=12))]
    trial = Trial(links, brokers, some, active=active)
    assume(trial.tree.depth)
    costs = {hops: trial.cost(hops) for hops in range(1, trial.tree.depth + 1)}
    placer = placer_after(trial, Policy(placement=PlacementRule.REPLAY, active_aggregators=active), again(some, 30))
    best = min(costs, key=lambda hops: (costs[hops], abs(hops - placer.hops)))
    remembered = sum(FADES**n for n in range(30 - placer.moves))
    gain = (costs[placer.hops] - costs[best]) * remembered
    assert gain <= max(1, abs(best - placer.hops) * (len(brokers) - 1))


FROM_ONE = [said(n, "a0", a=1) for n in range(20)]  # best at two hops
LEAVES = [f"{side}{n}" for n in range(4) for side in "ae"]
FROM_ALL = [said(0, leaf, a=n) for n, leaf in enumerate(LEAVES)]  # best at one hop
ADAPTING = pytest.mark.parametrize(
    "policy", [Policy(placement=m, active_aggregators=1) for m in (PlacementRule.ADAPTIVE, PlacementRule.REPLAY)]
)


def test_what_the_following_cases_rely_on() -> None:
    one, every = trial_of(FANS, FROM_ONE), trial_of(FANS, FROM_ALL)
    to_and_fro = one.cost(1) - one.cost(2), every.cost(2) - every.cost(1)
    assert to_and_fro[0] > to_and_fro[1] > 0


@ADAPTING
def test_passive_aggregators_go_to_where_reports_are_made(policy: Policy) -> None:
    trial = trial_of(ARMS, [said(n, "d", a=1) for n in range(20)])
    assert placer_after(trial, policy, again(trial.some, 10)).hops == 3


@ADAPTING
def test_passive_aggregators_come_back_once_the_memory_of_what_took_them_away_has_faded(policy: Policy) -> None:
    """By the paper's rule they never would: to turn back saves less than to go there did."""
    trial = trial_of(FANS, FROM_ONE)
    first = again(FROM_ONE, 10)
    assert placer_after(trial, policy, first).hops == 2
    assert placer_after(trial, policy, first + again(FROM_ALL, 100, 10)).hops == 1


@ADAPTING
def test_passive_aggregators_do_not_come_back_for_one_event(policy: Policy) -> None:
    trial = trial_of(FANS, FROM_ONE)
    assert placer_after(trial, policy, again(FROM_ONE, 10) + again(FROM_ALL, 1, 10)).hops == 2


@ADAPTING
def test_two_kinds_of_events_in_turn_do_not_make_passive_aggregators_thrash(policy: Policy) -> None:
    """What one kind saves by moving away, the other saves by moving closer."""
    away = [said(n, "a0", a=1) for n in range(5)]
    one, other = trial_of(FANS, away), trial_of(FANS, FROM_ALL)
    assert one.cost(1) - one.cost(2) == other.cost(2) - other.cost(1) > 0
    in_turn = [report for n in range(0, 40, 2) for report in again(away, 1, n) + again(FROM_ALL, 1, n + 1)]
    assert placer_after(one, policy, in_turn).moves <= 10


@pytest.mark.parametrize("move", list(PlacementRule))
def test_a_move_must_save_at_least_delta(move: PlacementRule) -> None:
    trial = trial_of(ARMS, [said(n, "d", a=1) for n in range(20)])
    assert (
        placer_after(trial, Policy(placement=move, active_aggregators=1, least_saving=1e6), again(trial.some, 10)).moves
        == 0
    )


@settings(max_examples=tries(40))
@given(worlds(policy=caeva))
def test_passive_aggregators_stay_between_one_hop_and_the_leaves(world: World) -> None:
    """Where they are fixed, they stay where they are, or at the leaves if those are nearer."""
    plan = world.plan()
    walked = walk(plan, world.reports)
    for tree, placer in zip(MergeContext(plan, "t").trees, walked.state.placers, strict=True):
        if isinstance(world.policy.placement, PlacementRule):
            assert min(1, tree.depth) <= placer.hops <= tree.depth
        else:
            assert placer.hops == min(world.policy.placement, tree.depth)


@pytest.mark.parametrize("move", [PlacementRule.ADAPTIVE, PlacementRule.LITERAL])
def test_what_was_counted_rides_on_other_messages_except_by_the_paper(move: PlacementRule) -> None:
    """Two leaves report by way of a. By the paper a sends one more message when the event is over."""
    links = [("m", leaf) for leaf in "acdefg"] + [("a", "a0"), ("a", "a1")]
    some = [said(0, "a0", a=1), said(1, "a1", a=1), said(2, "a0", b=1)]
    trial = trial_of(links, some)
    subs = [Sub("s", trial.center, 4)]
    walked = walk(
        plan_for(links, subs, trial.brokers, Policy(placement=move, active_aggregators=1, least_saving=1e6)), some
    )
    assert (trial.center, walked.state.placers[0].hops) == ("m", 1)
    coordination = walked.bill.only(MessageKind.COORDINATION).by_link()
    counted = {("a", "m"): 1} if move is PlacementRule.LITERAL else {}
    assert coordination == {("m", "a"): 1, **counted}  # who coordinates, and what was counted
