"""`explain` on Spark: the window, the way, the decisions, and the sentence for what cannot be explained."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparing
from sparing.deployment.deployment import Deployment
from sparing.spark import sources
from sparing.spark.explain import _counts, explain
from tests.flow import strategies
from tests.flow.test_walk import cases
from tests.judges import overlay as judge
from tests.spark import files, world

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def deployment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    files.write_trace(folder / "data", world.publications(5, 300), files=2)
    return Deployment.read(files.write_deployment(folder, world.subscriptions(5, 24)))


def windows(deployment):
    return [s for s in deployment.subscriptions if s.query.aggregation is not None]


def test_a_window_is_explained_as_it_was_delivered(spark, deployment):
    publications = sources.read(spark, deployment, streaming=False)
    delivered = sparing.PubSub(spark, deployment).deliver(publications)
    rows = delivered.notifications.where("kind = 'window'").orderBy("window_end", "subscription").collect()
    delivered.forget()
    row = rows[len(rows) // 2]
    at = round(row["window_start"].timestamp() * 1_000_000)
    found = explain(spark, deployment, row["subscription"], at)
    assert found.walked is not None
    assert found.start <= at < found.end
    same = [
        r
        for r in rows
        if r["subscription"] == row["subscription"] and round(r["window_end"].timestamp() * 1e6) == found.end
    ]
    assert json.loads(found.walked.payload) == json.loads(same[0]["payload"].toJson())
    assert found.seen.matched == sum(count for count, _ in found.seen.origins.values())
    assert all(way[-1] == found.broker for _, way in found.seen.origins.values())


@given(cases(), st.data())
@settings(max_examples=60)
def test_what_matched_is_counted_as_the_judge_counts(case, data):
    """No session is needed for that: a batch is held against one subscription, which may not always be in force."""
    plan, publications = case
    number = data.draw(st.integers(0, len(plan.subscriptions) - 1))
    topic = plan.subscriptions[number].query.topic
    start, end = sorted(data.draw(st.tuples(*[st.integers(strategies.FIRST, strategies.LAST + 1)] * 2)))
    made = [p for p in publications if p.topic == topic]
    published, matched, failed, origins = _counts(strategies.batch(plan, topic, made), plan, number, start, end)
    inside = [p for p in made if start <= p.time < end]
    assert published == len(inside)
    assert matched == sum(origins.values()) == len(judge.matching(plan, number, inside))
    assert published - matched <= sum(failed.values())
    assert all(failed.values())


def test_a_plain_subscription_is_explained(spark, deployment):
    plain = next(s for s in deployment.subscriptions if s.query.aggregation is None and s.query.every is None)
    publications = sources.read(spark, deployment, streaming=False)
    first = publications.selectExpr("min(CAST(ts AS timestamp))").collect()[0][0]
    at = round(first.timestamp() * 1_000_000)
    found = explain(spark, deployment, plain.id, at)
    assert found.walked is None
    assert found.seen.published >= found.seen.matched
    assert found.seen.published > 0


def test_what_cannot_be_explained_is_said(spark, deployment):
    with pytest.raises(sparing.SparingError, match="There is no subscription 's00'"):
        explain(spark, deployment, "s00", None)
    plain = next(s for s in deployment.subscriptions if s.query.aggregation is None and s.query.every is None)
    with pytest.raises(sparing.SparingError, match="gets single events: say when, with --at TIME"):
        explain(spark, deployment, plain.id, None)
