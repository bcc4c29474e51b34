"""What a link does with what waits on it: one policy per file, one signature."""

from __future__ import annotations

from sparing.flow.links.policy import LinkPolicy
from sparing.flow.links.publisher_edge import PublisherEdge
from sparing.flow.links.subscriber_edge import SubscriberEdge

POLICIES: dict[str, LinkPolicy] = {policy.name: policy for policy in (PublisherEdge(), SubscriberEdge())}
NAIVE = SubscriberEdge.name
