"""Small cases worked out by hand: Figure 3 of the paper, the edges of windows, and who is in force when."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from sparing.control.plan import make_plan
from sparing.flow.links import POLICIES
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.walk import Walk
from sparing.model.bill import MessageKind
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import SECOND
from sparing.model.rank import Fairness, Rank
from sparing.model.subscription import Advertisement, Aggregation, Query, Subscription
from sparing.model.types import INT
from sparing.model.window import CountWindow, TimeWindow
from tests.flow.links.known import PUBLISHER_EDGE, SUBSCRIBER_EDGE
from tests.flow.strategies import OUTPUTS, TOPICS, batch, batches, plan_of
from tests.judges.overlay import Publication, slow_walk

LINE = Overlay(("b1", "b2", "b3"), (Link("b1", "b2"), Link("b2", "b3")))
PAIR = Overlay(("b1", "b2"), (Link("b1", "b2"),))


def window(name, duration, slide=1000, *, start=0, owner="A", box=None, outputs=("n",), **validity):
    """A subscription to a window that starts at 0 (and then long after)."""
    aggregation = Aggregation(tuple(OUTPUTS[o] for o in outputs), TimeWindow(duration, slide, start))
    return Subscription(name, owner, Query("t", box or Box(), aggregation=aggregation), **validity)


@dataclass(frozen=True)
class Decide(LinkPolicy):
    """A policy that has every decision written down, by link and subscription."""

    name = "decide"
    plan: object = None
    forward: frozenset = frozenset()

    def decision(self, link, subscription):
        routes = self.plan.routes
        ends = routes.brokers[routes.source[link]], routes.brokers[routes.target[link]]
        return (">".join(ends), self.plan.subscriptions[subscription].id) not in self.forward

    def table(self, arrays, links, subscriptions):  # noqa: ARG002
        decisions = [[self.decision(link, subscription) for subscription in subscriptions] for link in links]
        return np.array(decisions, dtype=bool).reshape(len(links), len(subscriptions))

    def aggregate(self, view):
        return self.decision(view.number, view.subscription)

    def arrived(self, link, topic, time):
        pass


def decide(plan, *forward):
    return Decide(plan=plan, forward=frozenset(forward))


def walked(plan, policy, publications):
    """What was delivered, and what was asked: link, subscription, publications and results that wait."""
    slow = slow_walk(plan, publications, policy)
    delivered = Walk(plan, policy).feed(batches(plan, publications))
    assert delivered.bill == slow.bill
    return delivered, slow.asked


def counts(delivered, plan):
    """Subscription -> the n of each of its windows."""
    found = {}
    for n in delivered.notifications:
        found.setdefault(plan.subscriptions[n.subscription].id, []).append(json.loads(n.payload)["n"])
    return found


def messages(delivered):
    """(link, kind) -> messages between brokers."""
    found = {}
    for key, number in delivered.bill.items():
        if key.kind.value != "notification":
            link = f"{key.source}>{key.target}", key.kind.value
            found[link] = found.get(link, 0) + number
    return found


# Figure 3 of mna-aggregation: p1 and p2 match all three NWRs, p3 and p4 came after Na had ended.
FIGURE_3 = [
    Publication("p1", 1, "b1"),
    Publication("p2", 2, "b1"),
    Publication("p3", 11, "b1"),
    Publication("p4", 12, "b1"),
]
NWRS = (window("Na", 10), window("Nb", 20), window("Nc", 30))


@pytest.mark.parametrize(
    ("forward", "publications", "results", "asked"),
    [
        pytest.param("", 0, 3, [("Na", 2), ("Nb", 4), ("Nc", 4)], id="static (a): three results"),
        pytest.param("ab", 4, 0, [("Na", 2), ("Nb", 2)], id="ADOCK, ties forwarded (b): nothing is left for Nc"),
        pytest.param("a", 2, 2, [("Na", 2), ("Nb", 2), ("Nc", 2)], id="WAD (c): p3 and p4 are aggregated twice"),
        pytest.param("b", 4, 1, [("Na", 2), ("Nb", 4)], id="p1 and p2 have counted for Na when they are forwarded"),
        pytest.param("c", 4, 2, [("Na", 2), ("Nb", 4), ("Nc", 4)], id="all forwarded by the last"),
    ],
)
def test_figure_3(forward, publications, results, asked):
    plan = plan_of(PAIR, {"A": ("b2",)}, NWRS)
    delivered, found = walked(plan, decide(plan, *[("b1>b2", f"N{letter}") for letter in forward]), FIGURE_3)
    assert counts(delivered, plan) == {"Na": [2], "Nb": [4], "Nc": [4]}
    expected = {("b1>b2", "publication"): publications, ("b1>b2", "result"): results}
    assert messages(delivered) == {key: number for key, number in expected.items() if number}
    assert found == [("b1>b2", name, items, 0) for name, items in asked]


def test_figure_3_with_the_subscriber_one_hop_further():
    """The first link forwards for Nb, the second for Na and Nc: each publication still counts once in each NWR."""
    plan = plan_of(LINE, {"A": ("b3",)}, NWRS)
    policy = decide(plan, ("b1>b2", "Nb"), ("b2>b3", "Na"), ("b2>b3", "Nc"))
    delivered, asked = walked(plan, policy, FIGURE_3)
    assert counts(delivered, plan) == {"Na": [2], "Nb": [4], "Nc": [4]}
    assert asked == [
        ("b1>b2", "Na", 2, 0),
        ("b2>b3", "Na", 0, 1),  # a partial result is handed on as it is
        ("b1>b2", "Nb", 4, 0),
        ("b2>b3", "Nb", 4, 0),
        ("b2>b3", "Nc", 4, 0),  # the first link has nothing left for Nc
    ]
    assert messages(delivered) == {
        ("b1>b2", "result"): 1,
        ("b2>b3", "result"): 2,
        ("b1>b2", "publication"): 4,
        ("b2>b3", "publication"): 4,
    }


def test_partial_results_meet_publications_on_the_way():
    """A result from b1 and a publication made at b2 wait on the same link: one result for both."""
    plan = plan_of(LINE, {"A": ("b3",)}, (window("Na", 10),))
    delivered, asked = walked(plan, decide(plan), [*FIGURE_3, Publication("q", 3, "b2")])
    assert asked == [("b1>b2", "Na", 2, 0), ("b2>b3", "Na", 1, 1)]
    assert counts(delivered, plan) == {"Na": [3]}
    assert messages(delivered) == {("b1>b2", "result"): 1, ("b2>b3", "result"): 1}


def test_a_plain_subscription_on_the_way_takes_publications_out_of_the_graph():
    """What travels raw for a plain subscription at b2 need not be sent again; only b2>b3 is decided on."""
    plain = Subscription("plain", "B", Query("t", Box()))
    plan = plan_of(LINE, {"A": ("b3",), "B": ("b2",)}, (*NWRS, plain))
    delivered, asked = walked(plan, decide(plan), FIGURE_3)
    assert {link for link, *_ in asked} == {"b2>b3"}
    assert messages(delivered) == {("b1>b2", "publication"): 4, ("b2>b3", "result"): 3}
    assert len(delivered.plain) == 4


def test_equal_ends_are_decided_in_the_order_of_subscription_ids():
    """s1 forwards, so s2 (same end) has nothing left, and s0 was decided before."""
    plan = plan_of(PAIR, {"A": ("b2",)}, tuple(window(f"s{n}", 10) for n in (2, 0, 1)))
    delivered, asked = walked(plan, decide(plan, ("b1>b2", "s1")), FIGURE_3)
    assert asked == [("b1>b2", "s0", 2, 0), ("b1>b2", "s1", 2, 0)]
    assert counts(delivered, plan) == {"s0": [2], "s1": [2], "s2": [2]}
    assert messages(delivered) == {("b1>b2", "result"): 1, ("b1>b2", "publication"): 2}


def test_publications_forwarded_before_do_not_wait_when_rows_are_renumbered():
    """What left a link in one batch stays gone in later ones, although rows come and go in between."""
    plan = plan_of(PAIR, {"A": ("b2",)}, NWRS)
    walk = Walk(plan, decide(plan, ("b1>b2", "Na")))
    early = [Publication("p0", 40, "b1"), *FIGURE_3[:2]]  # p0 waits for no NWR, but is a row for a while
    parts = [walk.feed(batches(plan, early), 11), walk.feed(batches(plan, FIGURE_3[2:]), 21), walk.feed([])]
    assert [messages(part) for part in parts] == [
        {("b1>b2", "publication"): 2},
        {("b1>b2", "result"): 1},
        {("b1>b2", "result"): 1},
    ]
    assert [counts(part, plan) for part in parts] == [{"Na": [2]}, {"Nb": [4]}, {"Nc": [4]}]


# The edges of windows


def test_a_publication_at_the_end_of_a_window_belongs_to_the_next():
    plan = plan_of(PAIR, {"A": ("b2",)}, (window("tumbling", 10, 10),))
    walk = Walk(plan, PUBLISHER_EDGE)
    publications = [Publication(str(time), time, "b1") for time in (9, 10, 19, 20)]
    first = walk.feed(batches(plan, publications), 10)
    assert [(n.start, n.end) for n in first.notifications] == [(0, 10)]
    assert counts(first, plan) == {"tumbling": [1]}
    # 10 is not late: the window [10, 20) is still open.
    second = walk.feed(batches(plan, [Publication("again", 10, "b1")]))
    assert not second.late
    assert [(n.start, n.end) for n in second.notifications] == [(10, 20), (20, 30)]
    assert counts(second, plan) == {"tumbling": [3, 1]}


def test_a_window_is_settled_as_soon_as_time_reaches_its_end():
    plan = plan_of(PAIR, {"A": ("b2",)}, (window("tumbling", 10, 10),))
    walk = Walk(plan, PUBLISHER_EDGE)
    assert not walk.feed(batches(plan, [Publication("p", 3, "b1")]), 9).notifications
    assert counts(walk.feed([], 10), plan) == {"tumbling": [1]}
    assert not walk._states
    assert [m.id.tolist() for m in walk.feed(batches(plan, [Publication("q", 9, "b1")]), 20).late] == [["q"]]


def test_windows_before_the_epoch():
    plan = plan_of(PAIR, {"A": ("b2",)}, (window("tumbling", 10, 10),))
    delivered = Walk(plan, PUBLISHER_EDGE).feed(batches(plan, [Publication("p", -1, "b1")]))
    assert [(n.start, n.end) for n in delivered.notifications] == [(-10, 0)]


def test_gaps_between_sampling_windows_cost_nothing():
    plan = plan_of(PAIR, {"A": ("b2",)}, (window("sampling", 2, 10),))
    delivered = Walk(plan, PUBLISHER_EDGE).feed(batches(plan, [Publication("p", 5, "b1")]))
    assert not delivered.bill
    assert not delivered.notifications


@pytest.mark.parametrize("outputs", [("n",), ("median y",), ("distinct s",)])
@pytest.mark.parametrize("name", sorted(set(POLICIES) - {"patience"}))
def test_only_publications_that_a_sampling_window_counts_cross_a_link(outputs, name):
    """A window of 10 seconds every minute, and a publication every second for a minute: 10 of 60 count."""
    sampling = window("sampling", 10 * SECOND, 60 * SECOND, outputs=outputs)
    plan = plan_of(PAIR, {"A": ("b2",)}, (sampling,))
    publications = [Publication(f"{n:02}", n * SECOND, "b1", y=float(n), s="a") for n in range(60)]
    delivered = Walk(plan, POLICIES[name]).feed(batches(plan, publications))
    publications_sent = name == "subscriber-edge" or outputs != ("n",)
    sent = {"publication": 10} if publications_sent else {"result": 1}
    assert delivered.bill.by_kind() == {"notification": 1, **sent}
    assert json.loads(delivered.notifications[0].payload) == {outputs[0]: {"n": 10, "median y": 4.5}.get(outputs[0], 1)}


def test_a_publication_in_a_gap_goes_to_those_who_use_it():
    subscriptions = (
        window("sampling", 2, 10, outputs=("median y",)),
        window("other", 2, 10, owner="C", outputs=("median y",), start=5),
        Subscription("plain", "B", Query("t", Box())),
    )
    plan = plan_of(LINE, {"A": ("b3",), "B": ("b2",), "C": ("b3",)}, subscriptions)
    publications = [Publication(f"{time}", time, "b1", y=1.0) for time in (0, 3, 6)]
    bill = Walk(plan, SUBSCRIBER_EDGE).feed(batches(plan, publications)).bill.only(MessageKind.PUBLICATION)
    assert bill.by_link() == {("b1", "b2"): 3, ("b2", "b3"): 2}, "at 3 only the plain subscription wants it"


@pytest.mark.parametrize("outputs", [("n",), ("median y",)])
def test_a_sampling_window_that_is_cut_by_its_subscription_counts_what_is_left_of_it(outputs):
    """Windows [0, 4), [10, 14) ...; in force from 2 to 12."""
    sampling = window("sampling", 4, 10, outputs=outputs, valid_from=2, valid_until=12)
    plan = plan_of(PAIR, {"A": ("b2",)}, (sampling,))
    publications = [Publication(f"{time:02}", time, "b1", y=float(time)) for time in range(20)]
    delivered = Walk(plan, SUBSCRIBER_EDGE).feed(batches(plan, publications))
    payloads = {n.start: json.loads(n.payload)[outputs[0]] for n in delivered.notifications}
    assert payloads == ({0: 2, 10: 2} if outputs == ("n",) else {0: 2.5, 10: 10.5})
    assert delivered.bill.by_kind() == {"notification": 2, "publication": 4}


def test_who_is_among_the_k_best_does_not_depend_on_gaps():
    """Conditions alone give places, as covering needs it: one whose windows leave a gap keeps its place."""
    subscriptions = (
        window("a sampling", 2, 10, outputs=("median y",)),
        Subscription("b plain", "A", Query("t", Box())),
    )
    offered = (Advertisement("p", "b1", "t", Box(), 1, Rank(None, Fairness.NONE)),)
    plan = make_plan(PAIR, TOPICS, offered, {"A": ("b2",)}, subscriptions, bucket=10)
    publications = [Publication(f"{time}", time, "b1", y=1.0) for time in (0, 5)]
    found = replace(batch(plan, "t", publications), advertisement=np.zeros(2, dtype=np.int64))
    delivered = Walk(plan).feed([found])
    assert [(n.subscription, n.payload) for n in delivered.notifications] == [(0, '{"median y":1.0}')]
    assert delivered.plain == []
    assert delivered.bill.only(MessageKind.PUBLICATION).total() == 1


# Who is in force when


def test_subscriptions_count_what_is_made_while_they_are_in_force():
    valid = {"valid_from": 5, "valid_until": 15}
    subscriptions = (
        window("w", 10, 10, **valid),
        Subscription("plain", "A", Query("t", Box()), **valid),
        Subscription("digest", "A", Query("t", Box(), every=100), **valid),
    )
    plan = plan_of(PAIR, {"A": ("b2",)}, subscriptions)
    publications = [Publication(f"{time:02}", time, "b1", x=time) for time in (4, 5, 9, 14, 15)]
    events = ",".join(f'{{"x":{time},"ts":"1970-01-01T00:00:00.{time:06}Z"}}' for time in (5, 9, 14))
    for policy in (PUBLISHER_EDGE, SUBSCRIBER_EDGE):
        delivered = Walk(plan, policy).feed(batches(plan, publications))
        payloads = {(plan.subscriptions[n.subscription].id, n.start): n.payload for n in delivered.notifications}
        assert payloads == {
            ("w", 0): '{"n":2}',
            ("w", 10): '{"n":1}',
            ("digest", 0): f'{{"events":[{events}]}}',
        }
        assert [id_ for _, id_ in delivered.plain] == ["05", "09", "14"]


def test_digests_and_count_windows_go_by_time_then_id_across_batches():
    count = Aggregation((OUTPUTS["sum x"],), CountWindow(2, 1))
    subscriptions = (
        Subscription("digest", "A", Query("t", Box(), (("value", "x"),), every=100)),
        Subscription("pairs", "A", Query("t", Box.of({"x": between(INT, 0, None)}), aggregation=count)),
    )
    plan = plan_of(PAIR, {"A": ("b2",)}, subscriptions)
    walk = Walk(plan, PUBLISHER_EDGE)
    arrivals = [Publication("c", 7, "b2", 3), Publication("b", 7, "b1", 2), Publication("d", 9, "b1", 4)]
    parts = [walk.feed(batches(plan, [*arrivals, Publication("a", 1, "b1", 1)]), 8), walk.feed([])]
    payloads = [(plan.subscriptions[n.subscription].id, n.payload) for part in parts for n in part.notifications]
    assert sorted(payloads) == [
        ("digest", '{"events":[{"value":1},{"value":2},{"value":3},{"value":4}]}'),
        ("pairs", '{"sum x":3}'),
        ("pairs", '{"sum x":5}'),
        ("pairs", '{"sum x":7}'),
    ]


def test_a_count_window_that_is_over_leaves_nothing_behind():
    counting = Query("t", Box(), aggregation=Aggregation((OUTPUTS["n"],), CountWindow(5, 5)))
    plan = plan_of(PAIR, {"A": ("b2",)}, [Subscription("s", "A", counting, valid_until=10)])
    walk = Walk(plan)
    walk.feed(batches(plan, [Publication("1", 3, "b1")]), 9)
    assert walk._states
    walk.feed([], 10)
    assert not walk._states
