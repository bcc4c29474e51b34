"""DO: the candidate with the least distance to the publishers that can match."""

from hypothesis import given
from hypothesis import strategies as st

from sparing.control.routes import Routes
from sparing.control.trees.attachment import DISTANCE
from sparing.control.trees.do import do
from sparing.control.trees.shared_tree import shared_tree
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.types import INT
from tests.flow.strategies import overlays
from tests.judges.overlay import path

spans = st.tuples(st.integers(0, 4), st.integers(1, 3)).map(lambda s: (s[0], s[0] + s[1]))


def box(span):
    return Box.of({"x": between(INT, *span)})


@given(overlays(apart=True), st.data())
def test_a_subscriber_is_attached_to_the_nearest_candidate(overlay, data):
    tree = shared_tree(overlay)
    routes = Routes.of(overlay.brokers, tree)
    some_brokers = st.lists(st.sampled_from(overlay.brokers), min_size=1, max_size=3, unique=True)
    candidates = {who: tuple(data.draw(some_brokers)) for who in "AB"}
    publishers = [(broker, data.draw(st.sampled_from("tu")), data.draw(spans)) for broker in data.draw(some_brokers)]
    wanted = {who: (data.draw(st.sampled_from("tu")), data.draw(spans)) for who in "AB"}
    chosen, reasons = do(
        routes,
        candidates,
        [Subscription(f"s{who}", who, Query(topic, box(span))) for who, (topic, span) in wanted.items()],
        [Advertisement(f"p{n}", broker, topic, box(span)) for n, (broker, topic, span) in enumerate(publishers)],
    )
    for who, (topic, (low, high)) in wanted.items():
        sources = [
            b for b, its_topic, (least, most) in publishers if its_topic == topic and least < high and low < most
        ]

        def far(broker, sources=sources):
            ways = [path(tree, broker, source) for source in sources]
            return float("inf") if None in ways else sum(map(len, ways))

        assert chosen[who] in candidates[who]
        nearest = min(map(far, candidates[who]))
        assert chosen[who] == min(b for b in candidates[who] if far(b) == nearest)
        why = [reason for reason in reasons if reason.who == who]
        assert len(why) == (len(candidates[who]) > 1)
        for reason in why:
            assert (reason.broker, reason.by) == (chosen[who], DISTANCE)
            assert reason.alternatives == {broker: far(broker) for broker in candidates[who]}


def test_a_subscriber_without_subscriptions_is_attached_to_the_first_name():
    routes = Routes.of("abc", [("a", "b"), ("b", "c")])
    assert do(routes, {"A": ("c", "b"), "B": ("c",)}, [], [])[0] == {"A": "b", "B": "c"}
