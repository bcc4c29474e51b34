"""Where passive aggregators are: what a distance costs, and how they find the best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sparing.control.merging.policy import EventPolicy, Moves
from sparing.control.plan import Plan
from sparing.flow.events.event import Event
from sparing.flow.events.placement import Placer, cost, decide, savings
from sparing.flow.events.scene import Happening, Scene
from sparing.model.bill import MessageKind
from tests.flow.events.strategies import forests, reports
from tests.flow.events.world import WITHIN, Sub, plan_for, walk
from tests.judges.events import Said

FAR = 1000  # between repetitions of an event
Links = Sequence[tuple[str, str]]


class Over:
    """A watcher that keeps events that are over."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event, happening: Happening) -> None:
        if happening.what == "is over":
            self.events.append(event)


class Trial:
    """All that some reports cost at every distance, each time with one subscriber at the center."""

    def __init__(
        self, links: Links, brokers: Sequence[str], some: Sequence[Said], every: int = 4, active: int = 1
    ) -> None:
        self.links, self.brokers, self.some, self.every, self.active = links, brokers, some, every, active
        first = plan_for(links, [], brokers, EventPolicy(active=active))
        self.scene = Scene(first, "t")
        (self.tree,) = self.scene.trees
        self.center = first.routes.brokers[self.tree.center]
        over = Over()
        walk(self.plan(0), some, watcher=over)
        self.events = over.events

    def plan(self, placement: Moves | int) -> Plan:
        subs = [Sub("s", self.center, self.every)]
        return plan_for(self.links, subs, self.brokers, EventPolicy(placement=placement, active=self.active))

    def sent(self, hops: int) -> int:
        """Messages in a walk with passive aggregators at a distance."""
        bill = walk(self.plan(hops), self.some).bill
        return bill.only(MessageKind.PUBLICATION, MessageKind.MERGED).total()

    def cost(self, hops: int) -> int:
        """The same by the module's own account."""
        return sum(cost(self.tree, event, hops, partial(self.scene.new, event)) for event in self.events)

    def savings(self, hops: int) -> tuple[float, float]:
        """Of moving closer and away, for a single event."""
        (event,) = self.events
        return savings(self.tree, event, hops, partial(self.scene.new, event))


def said(time: int, at: str, **facts: int) -> Said:
    return Said(time, f"{time:03}{at}", at, "x", frozenset(facts.items()))


@settings(max_examples=100)
@given(forests(least=2), st.data())
def test_cost_is_what_is_really_sent(forest: tuple[tuple[str, ...], Links], data: st.DataObject) -> None:
    """With one active aggregator, at which the only subscriber is, everything that is sent goes up."""
    brokers, links = forest
    some = data.draw(reports(brokers))
    trial = Trial(links, brokers, some, data.draw(st.sampled_from([1, 2, 3, 7, 30])))
    for hops in range(trial.tree.depth + 1):
        assert trial.cost(hops) == trial.sent(hops)


@settings(max_examples=60)
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


@settings(max_examples=100)
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
    far = trial.tree.roles(1).distance[trial.scene.plan.routes.number[at]]
    for hops in range(1, min(far, trial.tree.depth) + 1):
        closer, away = trial.savings(hops)
        if hops < trial.tree.depth:
            assert same_sign(away, trial.cost(hops) - trial.cost(hops + 1))
        if hops > 1:
            assert same_sign(closer, trial.cost(hops) - trial.cost(hops - 1))


# In the long run


def repeated(some: Sequence[Said], times: int) -> list[Said]:
    """An event again and again."""
    return [Said(r.time + n * FAR, r.id, r.at, r.key, r.facts) for n in range(times) for r in some]


def hops_after(trial: Trial, placement: Moves, times: int) -> int:
    (placer,) = walk(trial.plan(placement), repeated(trial.some, times)).state.placers
    return placer.hops


@settings(max_examples=60)
@given(forests(least=2), st.data(), st.integers(1, 3))
def test_replay_finds_the_cheapest_distance_for_what_happens_again_and_again(
    forest: tuple[tuple[str, ...], Links], data: st.DataObject, active: int
) -> None:
    brokers, links = forest
    some = [Said(r.time % WITHIN, r.id, r.at, "x", r.facts) for r in data.draw(reports(brokers))]
    trial = Trial(links, brokers, some, active=active)
    assume(trial.tree.depth)
    costs = {hops: trial.cost(hops) for hops in range(1, trial.tree.depth + 1)}
    assert costs[hops_after(trial, Moves.REPLAY, trial.tree.depth + 1)] == min(costs.values())


@pytest.mark.parametrize("placement", [Moves.ADAPTIVE, Moves.REPLAY])
def test_passive_aggregators_go_to_where_reports_are_made(placement: Moves) -> None:
    trial = trial_of(ARMS, [said(n, "d", a=1) for n in range(10)])
    assert hops_after(trial, placement, 6) == 3


@pytest.mark.parametrize("placement", [Moves.ADAPTIVE, Moves.REPLAY])
def test_passive_aggregators_come_back_when_reports_are_made_elsewhere(placement: Moves) -> None:
    """First ten from one leaf of each event, which takes them away; then one from each leaf."""
    leaves = [f"{side}{n}" for n in range(4) for side in "ae"]
    one_place = [said(n, "a0", a=1) for n in range(10)]
    all_places = [said(0, leaf, a=n) for n, leaf in enumerate(leaves)]
    trial = trial_of(FANS, one_place)
    assert hops_after(trial, placement, 5) == 2
    many = repeated(one_place, 5) + [Said(r.time + 5 * FAR, *_rest(r)) for r in repeated(all_places, 60)]
    (placer,) = walk(trial.plan(placement), many).state.placers
    assert placer.hops == 1


def _rest(report: Said) -> tuple[str, str, str, frozenset[tuple[str, object]]]:
    return report.id, report.at, report.key, report.facts


# Decisions


def test_a_move_must_save_at_least_delta() -> None:
    placer = Placer(2)
    assert decide(placer, 0.0, 2.9, 3.0, 5) == 0
    assert decide(placer, 0.0, 3.0, 3.0, 5) == 1
    assert (placer.hops, placer.moves) == (3, 1)


def test_aggregators_stay_between_one_hop_and_the_leaves() -> None:
    assert decide(Placer(1), 100.0, 0.0, 1.0, 3) == 0
    assert decide(Placer(3), 0.0, 100.0, 1.0, 3) == 0


def test_aggregators_turn_back_only_for_more_than_what_brought_them() -> None:
    placer = Placer(1)
    assert decide(placer, 0.0, 10.0, 1.0, 5) == 1
    assert decide(placer, 5.0, 0.0, 1.0, 5) == 0
    assert decide(placer, 11.0, 0.0, 1.0, 5) == -1
    assert placer.hops == 1


def test_aggregators_go_on_for_less() -> None:
    placer = Placer(1)
    assert decide(placer, 0.0, 10.0, 1.0, 5) == 1
    assert decide(placer, 0.0, 2.0, 1.0, 5) == 1


def test_the_memory_of_a_saving_fades() -> None:
    """One huge saving long ago does not pin aggregators for ever."""
    placer = Placer(1)
    decide(placer, 0.0, 1000.0, 1.0, 5)
    turns = [decide(placer, 5.0, 0.0, 1.0, 5) for _ in range(200)]
    assert turns[0] == 0
    assert turns.count(-1) == 1
    assert placer.hops == 1


def test_the_same_saving_does_not_turn_aggregators_back() -> None:
    """Else two kinds of events in turn would have them move to and fro with every one."""
    placer = Placer(1)
    assert decide(placer, 0.0, 10.0, 1.0, 5) == 1
    assert decide(placer, 10.0, 0.0, 1.0, 5) == 0
