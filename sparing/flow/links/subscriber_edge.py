"""Subscriber-edge aggregation: publications travel raw, at once; only the subscriber's broker aggregates.

Paper: mna-aggregation, section IV. This is also the naive bill that every saving is measured against.
"""

from __future__ import annotations

from sparing.flow.links.policy import NEVER, LinkPolicy

SUBSCRIBER_EDGE = LinkPolicy("subscriber-edge", NEVER, at_once=True)
