"""The summary of a plan agrees with the control bill and names the covering technique."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.plan import Plan
from sparing.control.routing.billing import changes_of, control_bill, start_of
from sparing.control.summary import plan_summary as summary
from sparing.control.summary.plan_summary import CoveredCount, summary_of
from sparing.model.bill import MessageKind
from sparing.model.expression import Attribute, Field, Operation
from sparing.model.policy import Covering
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement
from tests.control.covering.test_covers import table_i
from tests.control.routing.test_network import three_brokers
from tests.control.routing.worlds import network_of, plans
from tests.judges import overlay as judge

BY_AREA = Rank(BoxScore.AREA, Fairness.NONE)


def settled(plan: Plan, kind: MessageKind) -> dict[tuple[str, str], int]:
    """Messages of the control bill before the first change, by link."""
    return {
        (key.source, key.target): messages
        for key, messages in control_bill(plan).items()
        if key.kind is kind and key.bucket is None
    }


@st.composite
def changing_plans(draw: st.DrawFn) -> Plan:
    """Plans in which some subscriptions start and end."""
    plan = draw(plans())
    bounds = st.sampled_from([(None, None), (None, None), (5, None), (None, 7), (2, 9)])
    some = [
        replace(s, valid_from=first, valid_until=last) for s in plan.subscriptions for first, last in [draw(bounds)]
    ]
    return replace(plan, subscriptions=tuple(some))


@given(changing_plans())
def test_messages_equal_the_bill(plan: Plan) -> None:
    found = summary_of(plan)
    uncovered = plan.with_policy(covering=Covering.NONE)
    told, channels, advertised, counted = (
        settled(plan, kind)
        for kind in (
            MessageKind.SUBSCRIPTION,
            MessageKind.CHANNEL,
            MessageKind.ADVERTISEMENT,
            MessageKind.COORDINATION,
        )
    )
    all_told, all_channels = (settled(uncovered, kind) for kind in (MessageKind.SUBSCRIPTION, MessageKind.CHANNEL))
    for link in found.links:
        ends = link.source, link.target
        assert link.advertisements == advertised.get(ends, 0)
        assert link.subscriptions == CoveredCount(told.get(ends, 0), all_told.get(ends, 0))
        assert link.channels == CoveredCount(channels.get(ends, 0), all_channels.get(ends, 0))
        assert link.coordination == counted.get(ends, 0)
    assert found.advertised == sum(advertised.values())
    assert found.subscribed == CoveredCount(sum(told.values()), sum(all_told.values()))
    assert found.channels == CoveredCount(sum(channels.values()), sum(all_channels.values()))
    assert found.subscription_messages.saved >= 0
    changing = [s for s in plan.subscriptions if s.valid_from is not None or s.valid_until is not None]
    assert found.changes.subscriptions == len(changing)
    assert found.changes.messages == sum(changes_of(start_of(plan)).bill.values())


@given(changing_plans())
def test_brokers_hold_the_subscriptions_of_the_network(plan: Plan) -> None:
    known = dict(zip(plan.routes.brokers, network_of(plan).known, strict=True))
    whole = dict(zip(plan.routes.brokers, network_of(plan.with_policy(covering=Covering.NONE)).known, strict=True))
    found = summary_of(plan)
    assert {b.broker: b.holds for b in found.brokers} == {
        broker: CoveredCount(len(known[broker]), len(whole[broker])) for broker in plan.routes.brokers
    }
    assert sum(b.own for b in found.brokers) == found.in_force == plan.in_force(None).sum()
    told = sum(b.told_to_neighbours.with_covering for b in found.brokers)
    expected = sum(map(len, network_of(plan).forwarded().values()))
    assert told == sum(b.told_by_neighbours.with_covering for b in found.brokers) == expected


@given(changing_plans())
def test_markings_and_meetings_equal_the_routes(plan: Plan) -> None:
    """Every source and every goal meet once: p-links lead there from the source, s-links from there to the goal."""
    found = summary_of(plan)
    marking = plan.marking("t", plan.in_force(None))
    (summed,) = found.markings
    assert (summed.topic, summed.cost) == ("t", marking.cost)
    assert (
        summed.cost <= min(summed.publish_everywhere, summed.subscribe_everywhere)
        or plan.policy.matchmaker != "min-cost"
    )
    mark = {(link.source, link.target): link.mark for link in summed.links}
    for link in summed.links:
        assert link.eta == link.weight * (link.sigma - link.tau)
    goals = {plan.routes.brokers[b] for b in plan.broker_of[plan.in_force(None)].tolist()}
    pairs = {(root, goal) for root in {ad.broker for ad in plan.advertisements} for goal in goals}
    assert sum(meeting.pairs for meeting in summed.meetings) == len(pairs)
    places = {(p, s): [] for p, s in pairs}
    for meeting in summed.meetings:
        for pair in pairs:
            if pair[0] in meeting.publishers and pair[1] in meeting.subscribers:
                places[pair].append(meeting.broker)
    for (root, goal), brokers in places.items():
        way = judge.way(plan, root, goal) or []
        switch = next((link[0] for link in way if mark[link] == "s"), goal)
        assert switch in brokers
        after = [mark[link] for link in way]
        assert after == sorted(after), "p-links first, then s-links"


@given(changing_plans(), st.integers(0, 10))
def test_a_summary_at_a_time_has_the_subscriptions_in_force(plan: Plan, time: int) -> None:
    there = tuple(s for s, now in zip(plan.subscriptions, plan.in_force(time), strict=True) if now)
    always = replace(
        plan,
        subscriptions=tuple(replace(s, valid_from=None, valid_until=None) for s in there),
        broker_of=plan.broker_of[plan.in_force(time)],
    )
    found, alone = summary_of(plan, time), summary_of(always)
    assert (found.brokers, found.offers, found.links) == (alone.brokers, alone.offers, alone.links)


def test_table_i() -> None:
    """Three brokers as in Figure 2: s1 to s7 at B2, one more at B3, a publisher at B1."""
    found = summary_of(three_brokers(Covering.ANCESTOR, BY_AREA, 2))
    (offer,) = found.offers
    assert (offer.technique, offer.remark) == ("AncestorCoverK", None)
    assert (offer.matching, offer.known, offer.messages) == (8, CoveredCount(5, 8), CoveredCount(5, 8))
    shares = {share.broker: (share.holds, share.forwards) for share in offer.brokers}
    assert shares == {"B2": (7, 4), "B3": (1, 1), "B1": (5, 0)}
    assert offer.rank == "larger boxes first, then lower ids"
    assert {b.broker: (b.own, b.holds) for b in found.brokers} == {
        "B1": (0, CoveredCount(5, 8)),
        "B2": (7, CoveredCount(7, 7)),
        "B3": (1, CoveredCount(1, 1)),
    }
    # The link to B3 has one advertisement and one subscription: it is an s-link, and the advertisement is announced.
    assert (found.advertised, found.subscribed, found.channels) == (1, CoveredCount(1, 1), CoveredCount(5, 8))
    assert found.subscription_messages.saved_percent == 33.3


SCORE = Operation("*", (Attribute("w"), Field("x")))
TECHNIQUES = [
    (Covering.ANCESTOR, BY_AREA, 2, "AncestorCoverK", None),
    (Covering.RANK, BY_AREA, 2, "RankCoverK", None),
    (Covering.ANCESTOR, Rank(SCORE, Fairness.NONE), 2, "AncestorCoverK", "provably"),
    (Covering.ANCESTOR, Rank(), 2, "AncestorCoverK", "weights"),
    (Covering.ANCESTOR, Rank(None, Fairness.EXACT), 2, "RegularCover", "asks how many match"),
    (Covering.ANCESTOR, Rank(BoxScore.DIVERSE, Fairness.NONE), 2, "none", "diverse needs everyone"),
    (Covering.ANCESTOR, Rank(), None, "RegularCover", None),
    (Covering.REGULAR, Rank(), None, "RegularCover", None),
    (Covering.REGULAR, BY_AREA, 2, "none", "covering: regular"),
    (Covering.NONE, BY_AREA, 2, "none", "switched off"),
    (Covering.NONE, Rank(), None, "none", "switched off"),
]


@pytest.mark.parametrize(("covering", "rank", "k", "technique", "remark"), TECHNIQUES)
def test_the_covering_technique_and_its_remark(
    covering: Covering, rank: Rank, k: int | None, technique: str, remark: str | None
) -> None:
    (offer,) = summary_of(three_brokers(covering, rank, k)).offers  # type: ignore[arg-type]
    assert offer.technique == technique
    assert offer.remark == remark or (remark is not None and offer.remark is not None and remark in offer.remark)
    assert offer.known.saved == 0 or technique != "none"


def test_publishers_with_equal_advertisements_share_a_row() -> None:
    plan = three_brokers(Covering.ANCESTOR, BY_AREA, 2)
    (same,) = plan.advertisements
    other = Advertisement("r", "B3", "t", table_i()[0], 2, BY_AREA)
    plan = replace(plan, advertisements=(same, replace(same, publisher="q"), other))
    found = summary_of(plan)
    assert sorted((offer.publishers, offer.broker) for offer in found.offers) == [(("p", "q"), "B1"), (("r",), "B3")]
    to_b2, to_b3, to_b1 = 3, 0, 1  # links to B1 and B2 are p-links; on that to B3 one subscription is cheaper than two
    assert found.advertised == to_b1 + to_b2 + to_b3


def test_expensive_counts_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = three_brokers(Covering.ANCESTOR, BY_AREA, 2)
    plan = replace(plan, subscriptions=tuple(replace(s, valid_from=5) for s in plan.subscriptions))
    monkeypatch.setattr(summary, "MOST_WORK", 10)
    assert summary_of(plan).changes.messages is None
    assert summary_of(plan, patient=True).changes.messages == sum(changes_of(start_of(plan)).bill.values()) > 0
