"""What a link does with what waits on it: one policy per file, one signature."""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.links.adock import ADOCK
from sparing.flow.links.bat import BAT
from sparing.flow.links.patience import PATIENCE
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.links.publisher_edge import PUBLISHER_EDGE
from sparing.flow.links.static import STATIC
from sparing.flow.links.subscriber_edge import SUBSCRIBER_EDGE
from sparing.flow.links.wad import WAD, WAD_LIVE

POLICIES: dict[str, LinkPolicy] = {
    policy.name: policy for policy in (ADOCK, PATIENCE, WAD, WAD_LIVE, BAT, STATIC, PUBLISHER_EDGE, SUBSCRIBER_EDGE)
}


def policy_of(name: str, patience: int | None = None) -> LinkPolicy:
    """A policy by its name, with a patience of its own if it is a patient one."""
    policy = POLICIES[name]
    return policy if patience is None or not policy.patience else replace(policy, patience=patience)


NAIVE = SUBSCRIBER_EDGE.name
