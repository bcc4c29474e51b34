"""A cell's rows are what the walk gives, in this process and as Spark tasks."""

from functools import partial

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.links import POLICIES
from sparing.flow.walk import Walk
from sparing.workloads.batches import batches
from sparing_lab.study.mna.grid import MnaCell
from sparing_lab.study.mna.measure import STUDIED, measure, studied

TINY = [
    MnaCell("stock", rate=60, subscriptions=30, window=10, slide=5, duration=30),
    MnaCell("traffic", rate=60, subscriptions=30, window=10, slide=10, duration=30),
    MnaCell("stock", rate=40, subscriptions=12, window=10, slide=6.667, duration=30),
]


def walked(cell, policy):
    """Messages, partial results and notifications of the whole walk at once."""
    made = cell.made()
    plan = plan_of(Deployment.of(made.description)).with_policy(decision=policy)
    bill = Walk(plan).feed(list(batches(made, plan))).bill
    kinds = bill.by_kind()
    return bill.between_brokers(), kinds.get("result", 0), kinds.get("notification", 0)


def for_plain(cell):
    """Messages between brokers if there were no aggregate subscriptions."""
    made = cell.made()
    plan = plan_of(Deployment.of(made.description))
    plain = [s for s in made.description["subscriptions"] if "GROUP BY" not in s["sql"]]
    alone = plan_of(Deployment.of(made.description | {"subscriptions": plain}))
    return Walk(alone).feed(list(batches(made, plan))).bill.between_brokers()


def test_the_study_measures_all_policies():
    assert set(studied()) == set(STUDIED) & set(POLICIES)
    assert {"publisher-edge", "subscriber-edge"} <= set(studied())


@pytest.mark.parametrize("cell", TINY, ids=str)
def test_rows_agree_with_the_walk(cell):
    rows = measure(cell)
    assert [row.policy for row in rows] == list(studied())
    for row in rows:
        assert (row.messages, row.results, row.notifications) == walked(cell, row.policy)
        assert row.messages - row.for_aggregation == for_plain(cell)
        assert row.messages > row.for_aggregation >= row.results > 0 or row.policy == "subscriber-edge"
        assert row.publications == cell.rate * cell.duration
        assert row.matching_seconds > 0
        assert row.walk_seconds > 0
    assert len({row.notifications for row in rows}) == 1


def test_the_messages_of_plain_subscriptions_do_not_depend_on_the_policies():
    (alone,) = measure(TINY[0], ("subscriber-edge",))
    assert alone.messages - alone.for_aggregation == for_plain(TINY[0])


def test_counts_are_deterministic():
    one, again = (
        [(row.policy, row.messages, row.results, row.notifications) for row in measure(TINY[0])] for _ in range(2)
    )
    assert one == again


@pytest.mark.spark
def test_spark_tasks_give_the_same_rows(spark):
    from sparing_lab.commands.cells import run_cells

    told = []
    found = run_cells(spark, partial(measure, policies=("wad",)), TINY, told.append)
    assert [{row.cell for row in rows} for rows in found] == [{cell} for cell in TINY]
    for cell, rows in zip(TINY, found, strict=True):
        (row,) = rows
        assert (row.messages, row.results, row.notifications) == walked(cell, "wad")
    assert told == sorted(told)
    assert told[-1] <= len(TINY)


@pytest.mark.spark
def test_no_cells_give_no_rows(spark):
    from sparing_lab.commands.cells import run_cells

    assert run_cells(spark, measure, []) == []
