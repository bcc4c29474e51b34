"""Sparing: content-based publish/subscribe on Apache Spark that sends as few messages as possible.

The walk of a message, and where to find each step:

- the control plane works out who must know what: `sparing.control`
- publications are admitted, matched, carried over links and delivered: `sparing.flow`
- the same on Spark, batch and streaming: `sparing.spark`

>>> import sparing
>>> sorted(sparing.__all__)
['Deployment', 'PubSub', 'SparingError', '__version__']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparing.deployment.deployment import Deployment
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing.spark.pipeline.pubsub import PubSub

__version__ = "0.1.0"
__all__ = ["Deployment", "PubSub", "SparingError", "__version__"]


def __getattr__(name: str) -> Any:
    """`PubSub` brings Spark along, so it is imported when it is first asked for."""
    if name == "PubSub":
        from sparing.spark.pipeline.pubsub import PubSub

        return PubSub
    raise AttributeError(f"module 'sparing' has no attribute {name!r}")
