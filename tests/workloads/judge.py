"""The slow, obvious judge of workloads: reads every subscription, and tries every publication against its box."""

from dataclasses import dataclass
from datetime import UTC
from typing import Any

from sparing.language.parse import parse_query, parse_where
from sparing.model.box import Box
from sparing.model.subscription import Query
from sparing.model.topic import Topic
from sparing.model.types import field_type
from sparing.workloads.workload import Workload
from tests.judges.boxes import lies_in


@dataclass
class Judged:
    """The queries and publications of a workload; a publication is a mapping of fields to codes."""

    queries: list[Query]
    advertised: dict[str, tuple[str, Box]]  # publisher -> topic, box
    publications: list[tuple[str, str, dict[str, Any]]]  # publisher, topic, codes

    def selectivity(self, topic: str | None = None) -> float:
        """The share of the publications that a subscription (of a topic) matches on average."""
        queries = [query for query in self.queries if topic in (None, query.topic)]
        rows = [(of, codes) for _, of, codes in self.publications if topic in (None, of)]
        hits = sum(query.topic == of and lies_in(query.box, codes) for query in queries for of, codes in rows)
        return hits / len(queries) / len(rows)


def judge(workload: Workload) -> Judged:
    description = workload.description
    topics = {
        name: Topic(name, topic["time"], {field: field_type(kind) for field, kind in topic["fields"].items()})
        for name, topic in description["topics"].items()
    }
    advertised = {
        publisher["id"]: (publisher["topic"], parse_where(publisher.get("where", "true"), topics[publisher["topic"]]))
        for publisher in description["publishers"]
    }
    publications = []
    for table in workload.publications():
        for row in table.to_pylist():
            topic = topics[advertised[row["publisher"]][0]]
            row["ts"] = row["ts"].astimezone(UTC)
            codes = {f: None if row[f] is None else kind.code(row[f]) for f, kind in topic.fields.items()}
            publications.append((row["publisher"], topic.name, codes))
    queries = [parse_query(row["sql"], topics) for row in description["subscriptions"]]
    return Judged(queries, advertised, publications)
