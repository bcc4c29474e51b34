"""`explain` on Spark: windows, routes, decisions, recipients of a publication, and errors."""

import json
import shutil
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparing
from sparing.deployment.deployment import Deployment
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.spark.io import sources
from sparing.spark.tools.explain import counts, explain
from sparing.spark.tools.explain_choice import explain_choice
from tests.docs.pages import ROOT
from tests.flow import strategies
from tests.flow.test_walk import cases
from tests.judges import overlay as judge
from tests.messages import missing, refused
from tests.spark import files, world
from tests.tries import tries

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
@settings(max_examples=tries(60))
def test_counts_of_publications_agree_with_the_judge(case, data):
    """Needs no session: counts a batch for one subscription, which may not always be in force."""
    plan, publications = case
    number = data.draw(st.integers(0, len(plan.subscriptions) - 1))
    topic = plan.subscriptions[number].query.topic
    start, end = sorted(data.draw(st.tuples(*[st.integers(strategies.FIRST, strategies.LAST + 1)] * 2)))
    made = [p for p in publications if p.topic == topic]
    at_once = AtOnce(Interests.of(plan))
    found = counts(strategies.batch(plan, topic, made), plan, at_once, number, start, end)
    inside = [p for p in made if start <= p.time < end]
    assert found.published == len(inside)
    assert found.matched == sum(found.origins.values()) == len(judge.matching(plan, number, inside))
    assert found.published - found.matched <= sum(found.failed.values())
    assert all(found.failed.values())
    assert found.ranked == found.chosen == 0


def test_a_plain_subscription_is_explained_without_a_walk(spark, deployment):
    plain = next(s for s in deployment.subscriptions if s.query.aggregation is None and s.query.every is None)
    publications = sources.read(spark, deployment, streaming=False)
    first = publications.selectExpr("min(CAST(ts AS timestamp))").collect()[0][0]
    at = round(first.timestamp() * 1_000_000)
    found = explain(spark, deployment, plain.id, at)
    assert found.walked is None
    assert found.seen.published >= found.seen.matched
    assert found.seen.published > 0


def test_errors_name_the_unknown_subscription_or_the_missing_option(spark, deployment):
    with refused("s00"):
        explain(spark, deployment, "s00", None)
    plain = next(s for s in deployment.subscriptions if s.query.aggregation is None and s.query.every is None)
    with refused("--at"):
        explain(spark, deployment, plain.id, None)


@pytest.fixture(scope="module")
def offers(tmp_path_factory):
    """The example of targeted offers, with windows over them."""
    folder = tmp_path_factory.mktemp("offers") / "examples"
    shutil.copytree(ROOT / "docs" / "examples", folder)
    extra = """
  - id: h1
    subscriber: gus
    sql: SELECT count(*) FROM offers WHERE price < 100 GROUP BY window(ts, '1 hour')
    attributes: {budget: 1000}
source:"""
    file = folder / "offers.yaml"
    file.write_text(file.read_text().replace("\nsource:", extra))
    return Deployment.read(file)


@pytest.fixture(scope="module")
def received(spark, offers):
    """Publication -> the plain subscriptions that received it."""
    delivered = sparing.PubSub(spark, offers).deliver(sources.read(spark, offers, streaming=False))
    found = defaultdict(set)
    for row in delivered.notifications.where("kind = 'event'").collect():
        found[json.loads(row["payload"].toJson())["id"]].add(row["subscription"])
    delivered.forget()
    return found


def test_the_explained_choice_agrees_with_the_deliveries(spark, offers, received):
    for publication in ("bike", "bell", "ticket-1"):
        found = explain_choice(spark, offers, publication)
        chosen = {c.subscription for c in found.choice.candidates if c.chosen}
        assert chosen - {"h1"} == received[publication]
        assert len(chosen) == found.choice.allowed
        assert (found.verdict, found.others) == (None, 0)


def test_the_reason_for_a_subscription_names_ranks_and_scores(spark, offers):
    found = explain_choice(spark, offers, "bike", "d1")
    assert [(c.subscription, c.score) for c in found.choice.candidates[:3]] == [("a1", 450), ("b1", 250), ("e1", 200)]
    assert missing(found.verdict.why, "d1 e1 3 200 -50") == []
    found = explain_choice(spark, offers, "bell", "a1")
    assert (found.choice.top_k, found.choice.wish, found.choice.allowed) == (3, 1, 1)
    assert missing(found.verdict.why, "a1 h1 980 880") == []


def test_errors_name_unknown_quarantined_and_misspelt_ids(spark, offers):
    with refused("bikes bike"):
        explain_choice(spark, offers, "bikes")
    with refused("atlas"):
        explain_choice(spark, offers, "0123456789")
    with refused("quarantined outside the advertisement shop"):
        explain_choice(spark, offers, "yacht")
    with refused("d1x d1"):
        explain_choice(spark, offers, "bike", "d1x")


def test_a_window_counts_the_publications_for_which_it_was_chosen(spark, offers):
    """Of four offers below 100 in the hour, h1 is the best for all; a1 is left out once, when only one was wanted."""
    hour = 1_767_258_000_000_000  # 2026-01-01T09:00:00Z
    found = explain(spark, offers, "h1", hour)
    seen = found.seen
    assert (seen.published, seen.matched, seen.ranked, seen.chosen) == (4, 3, 3, 3)
    assert json.loads(found.walked.payload) == {"count(1)": 3}
    for minutes, chosen in ((0, 1), (10, 0)):
        seen = explain(spark, offers, "a1", hour + minutes * 60_000_000).seen
        assert (seen.matched, seen.ranked, seen.chosen) == (1, 1, chosen)
        assert sum(count for count, _ in seen.origins.values()) == chosen
