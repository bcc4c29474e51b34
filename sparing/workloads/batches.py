"""A workload's trace as input of the walk, without Spark."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.admit.publications import Publications
from sparing.match.columns import column
from sparing.workloads.workload import Workload


def batches(made: Workload, plan: Plan) -> Iterator[Publications]:
    """Yield the trace as batches of publications, without payloads, which no experiment reads."""
    (topic,) = plan.topics.values()
    publishers = [ad.publisher for ad in plan.advertisements]
    brokers = np.array([plan.routes.number[ad.broker] for ad in plan.advertisements], dtype=np.int32)
    first = 0
    for table in made.publications():
        columns = {name: column(table[name], type_) for name, type_ in topic.fields.items()}
        names, numbers = np.unique(table["publisher"].to_numpy(), return_inverse=True)
        rows = len(table)
        yield Publications(
            topic.name,
            columns[topic.time].values,
            np.array([f"{number:08}" for number in range(first, first + rows)], dtype=object),
            names[numbers],
            brokers[[publishers.index(name) for name in names]][numbers],
            columns,
            np.full(rows, None, dtype=object),
        )
        first += rows
