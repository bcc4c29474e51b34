"""The exchange with brokers hosted by other processes: publications and partial results as items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.nested import Objects
from sparing.flow.deliver.results import results_of
from sparing.flow.interests import Interests
from sparing.flow.ledger import no_brokers
from sparing.flow.windows.items import LinkItem, item_columns, item_values
from sparing.model.functions import State
from sparing.model.subscription import Aggregation


def merged(
    aggregation: Aggregation | None, rows: Matched, own: np.ndarray, partials: Sequence[tuple[State, ...]]
) -> tuple[State, ...]:
    """Return one state per output for rows and partial results."""
    assert aggregation is not None
    states = []
    for at, output in enumerate(aggregation.outputs):
        found = [partial[at] for partial in partials]
        if len(own):
            values = own[:0] if output.field is None else rows.columns[output.field].there(own)
            found.append(output.function.lift(values, len(own)))
        states.append(found[0] if len(found) == 1 else output.function.merge(found))
    return tuple(states)


def payload(aggregation: Aggregation, states: tuple[State, ...]) -> Objects:
    """Return the results of states."""
    outputs = aggregation.outputs
    found = [results_of(o.function, [o.function.finish(state)]) for o, state in zip(outputs, states, strict=True)]
    return Objects([output.name for output in outputs], found, np.ones(1, dtype=bool))


def raw_item(ends: tuple[str, str], rows: Matched, row: int, sent: int, mark: str, wanted: tuple[str, ...]) -> LinkItem:
    """Return a publication that a decision forwarded over a link."""
    values = item_values(rows.columns, row)
    identity = {"id": rows.id[row].as_py(), "publisher": rows.publisher[row].as_py(), "time": int(rows.time[row])}
    return LinkItem(*ends, sent=sent, subscription=mark, end=sent, wanted=wanted, values=values, **identity)


def from_items(raw: Sequence[tuple[LinkItem, int]], number: Mapping[str, int], interests: Interests) -> Matched:
    """Return raw items that decisions in other processes forwarded, as rows at their brokers."""
    items = [item for item, _ in raw]
    wanted = [sorted(number[subscription] for subscription in item.wanted) for item in items]
    topic = interests.plan.topics[interests.plan.subscriptions[wanted[0][0]].query.topic]
    return Matched(
        topic=topic.name,
        time=np.array([item.time for item in items], dtype=np.int64),
        id=[item.id for item in items],
        publisher=[item.publisher for item in items],
        at=np.array([at for _, at in raw], dtype=np.int32),
        columns=item_columns(items, {name: topic.fields[name] for name in interests.fields[topic.name]}),
        starts=np.cumsum([0, *map(len, wanted)]),
        held=np.array([subscription for numbers in wanted for subscription in numbers], dtype=np.int32),
        raw=no_brokers(len(items), interests.plan),
    )
