"""Publisher-edge aggregation: every window is aggregated on every link, from the publisher's broker on.

Paper: mna-aggregation, section IV.
"""

from __future__ import annotations

from sparing.flow.links.policy import Question


class PublisherEdge:
    """Always aggregate."""

    name = "publisher-edge"
    at_once = False

    def aggregate(self, question: Question) -> bool:  # noqa: ARG002
        """One partial result for whatever waits."""
        return True
