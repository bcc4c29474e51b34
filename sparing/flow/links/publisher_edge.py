"""Publisher-edge aggregation: every window is aggregated on every link, from the publisher's broker on.

Paper: mna-aggregation, section IV.
"""

from __future__ import annotations

from sparing.flow.links.policy import ALWAYS, LinkPolicy

PUBLISHER_EDGE = LinkPolicy("publisher-edge", ALWAYS)
