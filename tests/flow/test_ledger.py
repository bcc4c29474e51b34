"""The ledger: one by one or many at once, the bill is the same sum."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.arrival.pairs import Pairs
from sparing.flow.ledger import Ledger
from sparing.model.bill import Bill, BillKey, MessageKind, total
from sparing.model.box import Box
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Query, Subscription
from tests.flow.strategies import plan_of

OVERLAY = Overlay(("a", "b", "c"), (Link("a", "b"), Link("b", "c")))
SUBSCRIPTIONS = tuple(Subscription(f"s{n}", "AB"[n % 2], Query("t", Box())) for n in range(3))
PLAN = plan_of(OVERLAY, {"A": ("a",), "B": ("c",)}, SUBSCRIPTIONS, bucket=10)
times = st.integers(-25, 25)


@given(
    st.lists(st.tuples(st.integers(0, 3), times, st.sampled_from(["publication", "result"]))),
    st.lists(st.tuples(st.integers(0, 2), times)),
)
def test_bills_add_up(crossings, notices):
    one_by_one, at_once, expected = Ledger(PLAN), Ledger(PLAN), Bill()
    links = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]
    owners = [("a", "A"), ("c", "B"), ("a", "A")]
    for link, time, kind in crossings:
        one_by_one.cross_in(link, MessageKind(kind), time // 10, 1)
        expected[BillKey(*links[link], MessageKind(kind), time - time % 10)] += 1
    for kind in MessageKind:
        mine = [(link, time) for link, time, k in crossings if k == kind]
        at_once.cross_many(np.array([n for n, _ in mine], np.int32), kind, np.array([t for _, t in mine], np.int64))
    for subscription, time in notices:
        one_by_one.notify_all(np.array([subscription]), np.array([time]))
        expected[BillKey(*owners[subscription], MessageKind.NOTIFICATION, time - time % 10)] += 1
    pairs = Pairs.of(np.arange(len(notices), dtype=np.int32), np.array([n for n, _ in notices], np.int32))
    at_once.notify_many(pairs, np.array([t for _, t in notices], np.int64))
    assert one_by_one.bill() == at_once.bill() == expected
    assert total([one_by_one.bill(), at_once.bill()]) == Bill({key: 2 * n for key, n in expected.items()})
    assert sum(expected.by_kind().values()) == sum(expected.by_link().values()) == len(crossings) + len(notices)
    assert expected.between_brokers() == len(crossings)


def test_several_messages_at_once():
    ledger = Ledger(PLAN)
    ledger.cross_in(0, MessageKind.RESULT, 1, 3)
    assert ledger.bill() == {BillKey("a", "b", MessageKind.RESULT, 10): 3}
