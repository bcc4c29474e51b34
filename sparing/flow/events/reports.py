"""Reports: publications of a merged topic."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sparing.flow.admit.publications import Publications
from sparing.flow.events.audience import Key
from sparing.model.topic import Topic
from sparing.model.types import Code

Value = tuple[int, Code]


class Report(NamedTuple):
    """A report, with values by field number, without the event time; reports sort by time, id and publisher."""

    time: int
    id: str
    publisher: str
    at: int
    key: Key
    values: tuple[Value, ...]


def reports_of(publications: Publications, topic: Topic) -> list[Report]:
    """Return publications as reports."""
    assert topic.merge is not None
    names = [name for name in topic.fields if name != topic.time]
    number = {name: at for at, name in enumerate(topic.fields)}
    columns = [_values(publications, name) for name in names]
    values: list[list[Value]] = [[] for _ in range(len(publications))]
    for name, column in zip(names, columns, strict=True):
        at = number[name]
        for row, code in enumerate(column):
            if code is not None:
                values[row].append((at, code))
    of_key = [columns[names.index(name)] for name in topic.merge.key]
    keys = list(zip(*of_key, strict=True))
    rows = zip(
        publications.time.tolist(),
        publications.id.tolist(),
        publications.publisher.tolist(),
        publications.at.tolist(),
        keys,
        map(tuple, values),
        strict=True,
    )
    return [Report(*row) for row in rows]


def _values(publications: Publications, name: str) -> list[Code | None]:
    column = publications.columns[name]
    codes = column.codes().tolist()
    if column.valid.all():
        return codes  # type: ignore[no-any-return]
    return [code if there else None for code, there in zip(codes, column.valid.tolist(), strict=True)]


def by_partition(publications: Publications, topic: Topic, partitions: int) -> Iterator[tuple[int, Publications]]:
    """Return the publications of each partition, by their keys."""
    assert topic.merge is not None
    if not len(publications):
        return
    if partitions == 1:
        yield 0, publications
        return
    keys = zip(*(_values(publications, name) for name in topic.merge.key), strict=True)
    partition = np.array([zlib.crc32(repr(key).encode()) % partitions for key in keys])
    for one in np.unique(partition).tolist():
        yield one, publications.take(np.flatnonzero(partition == one))
