"""Subscriber-edge aggregation: publications travel raw, at once; only the subscriber's broker aggregates.

Paper: mna-aggregation, section IV. This is also the naive bill that every saving is measured against.
"""

from __future__ import annotations

from sparing.flow.links.policy import Question


class SubscriberEdge:
    """Always forward, on arrival."""

    name = "subscriber-edge"
    at_once = True

    def aggregate(self, question: Question) -> bool:  # noqa: ARG002
        """Nothing waits under this policy; if something did, it would be forwarded."""
        return False
