"""The walk against the judges: results, bills, time, and brokers hosted elsewhere."""

import copy
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, assume, event, find, given, settings
from hypothesis import strategies as st

from sparing.control.plan import make_plan
from sparing.deployment import planning
from sparing.deployment.deployment import Deployment
from sparing.flow.links import POLICIES
from sparing.flow.walk import Walk
from sparing.model.bill import MessageKind, total
from sparing.model.box import Box
from sparing.model.errors import SparingError
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Policy
from sparing.model.subscription import Advertisement, Aggregation, Query, Subscription
from sparing.model.types import END_OF_TIME
from sparing.model.window import TimeWindow
from sparing.workloads import batches as trace
from sparing.workloads import stock
from tests.flow import strategies
from tests.flow.links.known import PUBLISHER_EDGE, SUBSCRIBER_EDGE
from tests.flow.links.seeded import seeded_case
from tests.flow.strategies import batches, events_of, judge_of, results_of
from tests.judges import overlay as judge
from tests.tries import tries, usually


class Case(tuple):
    """A plan and what is published, shown in a form that one can read."""

    def __repr__(self):
        plan, publications = self
        lines = [f"tree {judge.tree_of(plan)} of {plan.routes.brokers}"]
        lines += [f"at {judge.home(plan, n)}: {s}" for n, s in enumerate(plan.subscriptions)]
        return "\n".join([*lines, *map(repr, publications)])


@st.composite
def cases(draw, **shape):
    """A plan and what is published."""
    plan = draw(strategies.plans(**shape))
    return Case((plan, draw(strategies.published(plan))))


@st.composite
def sliding_cases(draw, **shape):
    """Cases in which much is forwarded that was counted before."""
    plan = draw(strategies.sliding_plans(**shape))
    return Case((plan, draw(strategies.published(plan, least=4))))


@st.composite
def sampling_cases(draw, **shape):
    """Cases in which much is published that no window counts."""
    plan = draw(strategies.sampling_plans(**shape))
    return Case((plan, draw(strategies.published(plan, least=4))))


def walked(plan, policy, publications):
    return Walk(plan, policy).feed(batches(plan, publications))


def described(states):
    """Everything that a walk remembers, as plain lists."""

    def rows_of(rows):
        if rows is None:
            return None
        arrays = [rows.time, rows.id, rows.publisher, rows.at, rows.starts, rows.held, rows.raw]
        columns = [(name, column.values.tolist(), column.valid.tolist()) for name, column in rows.columns.items()]
        return [array.tolist() for array in arrays], columns

    def positions_of(positions):
        return {name: None if found is None else found.tolist() for name, found in vars(positions).items()}

    def modes_of(modes):
        arrays = modes and [modes.forwards, modes.if_forwarded, modes.if_aggregated]
        return modes and ([array.tolist() for array in arrays], modes.turn)

    return {
        group: (
            rows_of(state.rows),
            state.entered,
            positions_of(state.positions),
            state.owners.tolist(),
            state.pending.tolist(),
            state.next_time,
            {s: (tail.skip, tail.rows.tolist()) for s, tail in state.tails.items()},
            modes_of(state.modes),
        )
        for group, state in states.items()
    }


def check_delivered(plan, publications, delivered):
    """Everything that should be delivered is, once, and nothing else."""
    assert events_of(plan, delivered) == judge.events(plan, publications)
    assert results_of(plan, delivered) == judge.results(plan, publications)


# Results


@given(cases(), strategies.policies)
def test_every_policy_delivers_what_the_judge_says(case, policy):
    plan, publications = case
    delivered = walked(plan, policy, publications)
    check_delivered(plan, publications, [delivered])
    billed = delivered.bill.by_kind().get("notification", 0)
    assert billed == len(delivered.plain) + len(delivered.notifications)


@given(cases(apart=True, least=2), strategies.policies)
@settings(max_examples=tries(60))
def test_brokers_without_a_path_get_nothing(case, policy):
    plan, publications = case
    delivered = walked(plan, policy, publications)
    check_delivered(plan, publications, [delivered])
    joined = set(judge.tree_of(plan)) | {(b, a) for a, b in judge.tree_of(plan)}
    between = {(k.source, k.target) for k in delivered.bill if k.kind is not MessageKind.NOTIFICATION}
    assert between <= joined


@given(cases() | sliding_cases() | sampling_cases(), strategies.decided | strategies.patient)
@settings(max_examples=tries(300))
def test_forwarding_counts_nothing_twice_and_costs_what_a_slow_walk_costs(case, policy):
    plan, publications = case
    delivered = walked(plan, policy, publications)
    check_delivered(plan, publications, [delivered])
    slow = judge.slow_walk(plan, publications, judge_of(policy))
    event(f"half settled and forwarded: {min(slow.half_settled, 3)}")
    assert delivered.bill == slow.bill


def test_generated_cases_forward_what_is_half_settled():
    """The rule against double counting is at work only if a publication is forwarded that counted before."""
    half_settled = st.tuples(sliding_cases(), strategies.mixed).map(lambda c: judge.slow_walk(*c[0], judge_of(c[1])))
    quick = settings(max_examples=300, phases=[Phase.generate], database=None)
    find(half_settled, lambda slow: slow.half_settled >= 2 and slow.forwarded_results >= 1, settings=quick)


# Bills


@given(cases() | sampling_cases())
@settings(max_examples=tries(100))
def test_subscriber_edge_costs_the_union_of_paths(case):
    plan, publications = case
    assert walked(plan, SUBSCRIBER_EDGE, publications).bill == judge.naive_bill(plan, publications)


@given(cases())
@settings(max_examples=tries(60))
def test_publisher_edge_costs_one_result_per_link_and_window(case):
    plan, publications = case
    slow = judge.slow_walk(plan, publications, judge_of(PUBLISHER_EDGE))
    assert walked(plan, PUBLISHER_EDGE, publications).bill == slow.bill


@given(sampling_cases(), strategies.policies | strategies.patient)
@settings(max_examples=tries(100))
def test_a_link_carries_no_more_messages_than_publications_that_somebody_beyond_it_uses(case, policy):
    """Publications in the gaps of sampling windows stay where they are, whatever the links decide."""
    plan, publications = case
    used = judge.crossed_at_once(plan, publications, lambda _: True)
    most = Counter(link for links in used.values() for link in links)
    for link, messages in walked(plan, policy, publications).bill.only(MessageKind.PUBLICATION).by_link().items():
        assert messages <= most[link]


# Time


@given(cases() | sliding_cases(), strategies.policies | strategies.patient, st.data())
@settings(max_examples=tries(200))
def test_neither_cuts_nor_arrival_order_matter(case, policy, data):
    plan, publications = case
    whole = walked(plan, policy, publications)
    walk = Walk(plan, policy)
    parts = [walk.feed(batches(plan, cut.publications), cut.until) for cut in data.draw(strategies.cuts(publications))]
    assert not any(part.late for part in parts)
    check_delivered(plan, publications, parts)
    assert total(part.bill for part in parts) == whole.bill
    assert sorted(n for part in parts for n in map(repr, part.notifications)) == sorted(map(repr, whole.notifications))


@given(cases() | sliding_cases(), strategies.policies | strategies.patient, st.integers(1, 40))
@settings(max_examples=tries(80))
def test_going_in_small_steps_makes_no_difference(case, policy, most):
    """A long trace is walked in portions, so that not too much is worked on at once."""
    plan, publications = case
    whole, walk = walked(plan, policy, publications), Walk(plan, policy)
    walk._window_walk.most_items = most
    stepped = walk.feed(batches(plan, publications))
    assert stepped.bill == whole.bill
    assert sorted(map(repr, stepped.notifications)) == sorted(map(repr, whole.notifications))


@given(cases(), strategies.policies, st.data())
@settings(max_examples=tries(60))
def test_late_publications_are_reported_and_not_counted(case, policy, data):
    plan, publications = case
    walk, parts, reached, late = Walk(plan, policy), [], strategies.FIRST - 1, set()
    for cut in data.draw(strategies.cuts(publications, late=True)):
        parts.append(walk.feed(batches(plan, cut.publications), cut.until))
        too_late = [p for p in cut.publications if p.time < reached]
        late.update(p.id for p in too_late)
        reached = max(reached, cut.until)
        wanted = {
            p.id
            for number, s in enumerate(plan.subscriptions)
            if not judge.is_plain(s)
            for p in judge.matching(plan, number, too_late)
        }
        assert sorted(id_ for matched in parts[-1].late for id_ in matched.id.tolist()) == sorted(wanted)
    on_time = [p for p in publications if p.id not in late]
    event(f"late: {min(len(late), 3)}")
    assert events_of(plan, parts) == judge.events(plan, publications)
    assert results_of(plan, parts) == judge.results(plan, on_time)
    if policy.name in strategies.JUDGES:
        assert total(p.bill for p in parts) == judge.slow_walk(plan, publications, judge_of(policy), late).bill


@given(cases(), strategies.policies)
@settings(max_examples=tries(60))
def test_nothing_is_remembered_at_the_end_but_count_windows_under_way(case, policy):
    plan, publications = case
    walk = Walk(plan, policy)
    walk.feed(batches(plan, publications), strategies.LAST)
    walk.feed([])
    for state in walk._states.values():
        assert state.tails or state.modes
        assert state.next_time is None
        assert state.wakes() is None
        counting = {row for tail in state.tails.values() for row in tail.rows.tolist()}
        assert counting == set(range(0 if state.rows is None else len(state.rows)))


@given(cases(), strategies.policies, st.data())
@settings(max_examples=tries(60))
def test_wakes_is_never_later_than_the_next_thing_to_do(case, policy, data):
    plan, publications = case
    walk = Walk(plan, policy)
    delivered = [walk.feed(batches(plan, publications), data.draw(st.integers(strategies.FIRST, strategies.LAST)))]
    while times := [wakes for state in walk._states.values() if (wakes := state.wakes()) is not None]:
        if min(times) - 1 >= walk._time:
            idle = walk.feed([], min(times) - 1)
            assert not idle.notifications
            assert not idle.bill
        before = walk._time
        delivered.append(walk.feed([], min(times)))
        assert walk._time > before
    check_delivered(plan, publications, delivered)
    assert not walk.feed([]).notifications


@given(cases() | sliding_cases(), strategies.policies, st.data())
@settings(max_examples=tries(60))
def test_advance_leaves_the_state_it_is_given_alone(case, policy, data):
    """Going on twice from one state, or from a state that was stored and read back, gives the same."""
    plan, publications = case
    walk = Walk(plan, policy)
    for cut in data.draw(strategies.cuts(publications)):
        again, stored = copy.copy(walk), copy.copy(walk)
        again._states, before = dict(walk._states), described(walk._states)
        stored._states = pickle.loads(pickle.dumps(walk._states))
        arrivals = batches(plan, cut.publications)
        first = walk.feed(arrivals, cut.until)
        assert described(again._states) == before
        for other in (again.feed(arrivals, cut.until), stored.feed(arrivals, cut.until)):
            assert other.notifications == first.notifications
            assert other.bill == first.bill
        assert described(again._states) == described(stored._states) == described(walk._states)


# Other links


def rerouted(tree, links):
    """A publisher at a, who plainly reaches b, and a window at c."""
    queries = (
        Query("t", Box()),
        Query("t", Box(), aggregation=Aggregation((strategies.OUTPUTS["n"],), TimeWindow(10, 10, 0))),
    )
    subscriptions = tuple(
        Subscription(f"s{n}", who, query) for n, (who, query) in enumerate(zip("AB", queries, strict=True))
    )
    overlay = Overlay(tuple("abcde"), tuple(Link(*link) for link in links))
    offered = (Advertisement("pa", "a", "t", Box()),)
    homes = {"A": ("b",), "B": ("c",)}
    return make_plan(overlay, strategies.TOPICS, offered, homes, subscriptions, bucket=10, policy=Policy(tree=tree))


@pytest.mark.parametrize("tree", ["shared", "per-source"])
@pytest.mark.parametrize("name", ["adock", "wad", "bat", "publisher-edge", "patience"])
def test_what_waits_at_a_broker_takes_the_new_way_when_links_change(tree, name):
    ring = ["ab", "bc", "cd", "da", "ae"]
    before, after = rerouted(tree, ring), rerouted(tree, [link for link in ring if link != "bc"])
    publications = [judge.Publication(str(n), 1 + n, "a", x=1) for n in range(3)]
    first = Walk(before, POLICIES[name])
    delivered = first.feed(batches(before, publications), until=5)
    assert delivered.bill.by_link().get(("b", "c"), 0) == 0, "they wait at b, where a plain subscription had them"
    second = Walk(after, POLICIES[name])
    second._states, second._time = first._states, first._time
    later = second.feed(batches(after, [judge.Publication("4", 6, "a", x=1)]))
    assert [notification.payload for notification in later.notifications] == ['{"n":4}']
    links = later.bill.by_link()
    for link in ("ba", "ad", "dc"):
        assert links[tuple(link)] >= 1, "one message at least on every link of the way from b"
    assert ("b", "c") not in links


# Hosted elsewhere


def hosted_apart(plan, walks, publications, until):
    """Feed walks that host different brokers until what they send each other no longer changes; then commit."""
    there = [np.array([broker in hosted for broker in plan.routes.brokers]) for _, hosted in walks]
    inside = [[batch.take(np.flatnonzero(mine[batch.at])) for batch in publications] for mine in there]
    received = [[] for _ in walks]
    for _ in range(4 * len(plan.routes.brokers) + 40):
        trial = [(copy.copy(walk), hosted) for walk, hosted in walks]
        for walk, _ in trial:
            walk._states = dict(walk._states)
        out = [walk.feed(mine, until, items) for (walk, _), mine, items in zip(trial, inside, received, strict=True)]
        sent = [[item for delivered in out for item in delivered.sent if item.target in hosted] for _, hosted in walks]
        if sent == received:
            return trial, out
        received = sent
    raise AssertionError("the exchange does not settle")


def steps_of(plan, cuts):
    return [(batches(plan, cut.publications), cut.until) for cut in cuts]


def check_hosted_apart(plan, policy, host, steps):
    """Processes that host some brokers each (`host`: broker -> process) do together what one does alone.

    `steps` are batches of publications, and how far event time has got after them.
    """
    walks = []
    for number in sorted(set(host.values())):
        hosted = {broker for broker in host if host[broker] == number}
        walks.append((Walk(plan, policy, hosted), hosted))
    alone, whole, parts = Walk(plan, policy), [], []
    for publications, until in steps:
        walks, out = hosted_apart(plan, walks, publications, until)
        parts += out
        whole.append(alone.feed(publications, until))
    assert total(part.bill for part in parts) == total(part.bill for part in whole)
    assert results_of(plan, parts) == results_of(plan, whole)
    assert sorted(id_ for part in parts for id_ in part.ids(plan)) == sorted(
        id_ for part in whole for id_ in part.ids(plan)
    )
    late = [sorted(id_ for part in some for rows in part.late for id_ in rows.id.tolist()) for some in (parts, whole)]
    assert late[0] == late[1]
    return parts


@given(cases(least=2) | sliding_cases() | sampling_cases(), strategies.policies, st.booleans(), st.data())
@settings(max_examples=tries(120))
def test_brokers_hosted_elsewhere_make_no_difference(case, policy, late, data):
    """Up to three processes, any split (also one whose brokers are not neighbours), in any micro-batches."""
    plan, publications = case
    host = {broker: data.draw(st.integers(0, 2)) for broker in plan.routes.brokers}
    event(f"processes: {len(set(host.values()))}")
    check_hosted_apart(plan, policy, host, steps_of(plan, data.draw(strategies.cuts(publications, late=late))))


@given(sliding_cases(), strategies.policies | strategies.mixed, st.data())
@settings(max_examples=tries(100))
def test_every_broker_may_have_a_process_of_its_own(case, policy, data):
    """So that everything that is forwarded after a decision travels between processes, with its mark."""
    plan, publications = case
    host = {broker: number for number, broker in enumerate(plan.routes.brokers)}
    parts = check_hosted_apart(plan, policy, host, steps_of(plan, data.draw(strategies.cuts(publications))))
    check_delivered(plan, publications, parts)
    marked = sum(item.states is None and item.subscription != "" for part in parts for item in part.sent)
    event(f"forwarded between processes: {min(marked, 3)}")


HOSTED_APART = [name for name, policy in POLICIES.items() if not policy.patience and not policy.whole_trace]


@pytest.mark.parametrize("seed", usually([0, 1], range(20)))
@pytest.mark.parametrize("name", HOSTED_APART)
def test_three_processes_do_what_one_does_over_a_longer_time(name, seed):
    """Enough windows for decisions that depend on what crossed from process to process before, and after."""
    plan, publications = seeded_case(seed, publications=200)
    host = {broker: number % 3 for number, broker in enumerate(plan.routes.brokers)}
    policy = strategies.small(POLICIES[name])
    half = sorted(p.time for p in publications)[len(publications) // 2]
    parts = [[p for p in publications if (p.time < half) == early] for early in (True, False)]
    steps = [(batches(plan, part), until) for part, until in zip(parts, (half, END_OF_TIME), strict=True)]
    assert any(part.sent for part in check_hosted_apart(plan, policy, host, steps))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", HOSTED_APART)
def test_three_processes_do_what_one_does_on_the_overlay_of_the_experiments(name, seed):
    shape = {"rate": 20.0, "duration": 60.0, "subscriptions": 40, "sliding": 0.6, "staggered": True}
    made = stock.stock(replace(stock.DEFAULTS, seed=seed, **shape))
    plan = planning.plan_of(Deployment.of(made.description))
    publications = list(trace.batches(made, plan))
    host = {broker: int(broker[1:]) % 3 for broker in plan.routes.brokers}
    parts = check_hosted_apart(plan, POLICIES[name], host, [(publications, END_OF_TIME)])
    assert any(item.states is not None for part in parts for item in part.sent) or name == "subscriber-edge"


@pytest.mark.parametrize("name", sorted(set(POLICIES) - set(HOSTED_APART)))
def test_brokers_with_links_between_them_are_hosted_together_if_the_policy_needs_that(name):
    overlay = strategies.Overlay(("a", "b", "c"), (Link("a", "b"),))
    plan = strategies.plan_of(overlay, {}, ())
    with pytest.raises(SparingError, match=f"decision {name} cannot be split over several processes"):
        Walk(plan, POLICIES[name], hosted=["a", "c"])
    assert not Walk(plan, POLICIES[name], hosted=["a", "b"]).feed([]).sent


@given(cases(apart=True, least=2), st.data())
@settings(max_examples=tries(40))
def test_a_part_of_the_overlay_without_links_to_the_rest_may_be_hosted_alone(case, data):
    plan, publications = case
    start = data.draw(st.sampled_from(plan.routes.brokers))
    part = {b for b in plan.routes.brokers if judge.way(plan, start, b) is not None}
    assume(len(part) < len(plan.routes.brokers))
    policy = data.draw(strategies.policies)
    walks = [Walk(plan, policy, hosted) for hosted in (part, set(plan.routes.brokers) - part)]
    inside = [[p for p in publications if (p.at in part) == here] for here in (True, False)]
    out = [walk.feed(batches(plan, mine)) for walk, mine in zip(walks, inside, strict=True)]
    assert not any(delivered.sent for delivered in out)
    check_delivered(plan, publications, out)
    assert total(delivered.bill for delivered in out) == walked(plan, policy, publications).bill


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_goes_by_its_own_name(name):
    assert POLICIES[name].name == name


def test_feeding_nothing_gives_nothing():
    plan = strategies.plan_of(strategies.Overlay(("b",)), {}, ())
    walk = Walk(plan)
    for delivered in (walk.feed([]), walk.feed(batches(plan, []), END_OF_TIME)):
        assert not delivered.plain
        assert not delivered.notifications
        assert not delivered.bill
