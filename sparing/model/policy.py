"""The policy: the technique that a deployment uses at each step, with its settings.

One record is used from the deployment file to the workers' plan. Its fields are the keys of `policy` in the file. Keys
with `state` in their metadata determine the state of a stream and cannot change while a checkpoint is in use. Other
keys can change between two runs from a checkpoint; none can change in a running stream.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any

SECOND = 1_000_000  # microseconds


class Attachment(StrEnum):
    """The criterion for the broker of a subscriber that can attach to several."""

    DO = "do"  # distance
    DS = "ds"  # distance and similarity


class DeliveryTree(StrEnum):
    """The trees along which publications are routed."""

    SHARED = "shared"
    PER_SOURCE = "per-source"


class Matchmaker(StrEnum):
    """The choice of the brokers where advertisements and subscriptions meet."""

    MIN_COST = "min-cost"
    PUBLISH_EVERYWHERE = "publish-everywhere"
    SUBSCRIBE_EVERYWHERE = "subscribe-everywhere"


class DecisionRule(StrEnum):
    """A link policy: the rule by which a link sends one partial result or the publications themselves.

    A value is the name of its module in `sparing/flow/links`. With `raw`, links never aggregate: they forward
    publications on arrival.
    """

    raw: bool

    def __new__(cls, name: str, raw: bool = False) -> DecisionRule:
        """Create a member from its name in the deployment file."""
        member = str.__new__(cls, name)
        member._value_, member.raw = name, raw
        return member

    ADOCK = "adock"
    PATIENCE = "patience"
    WAD = "wad"
    WAD_LIVE = "wad-live"
    BAT = "bat"
    STATIC = "static"
    PUBLISHER_EDGE = "publisher-edge"
    SUBSCRIBER_EDGE = "subscriber-edge", True


class Covering(StrEnum):
    """The rule by which brokers omit covered subscriptions towards publishers."""

    NONE = "none"
    REGULAR = "regular"
    RANK = "rank"
    ANCESTOR = "ancestor"


class Folding(StrEnum):
    """The algorithm that combines overlapping subscriptions into one routing entry."""

    NONE = "none"
    MEFA = "mefa"
    SPA = "spa"
    AA = "aa"


class EventMerging(StrEnum):
    """The brokers that merge the reports of merged topics."""

    CAEVA = "caeva"  # several brokers, some of them chosen adaptively
    AGELE = "agele"  # the center only
    SIENA = "siena"  # none: every report is sent to every broker with an interested subscription


class PlacementRule(StrEnum):
    """The rule that places passive aggregators, unless their distance is fixed."""

    ADAPTIVE = "adaptive"  # each moves one hop at a time, by its own counts
    REPLAY = "replay"  # a finished event is evaluated at every distance
    LITERAL = "literal"  # the paper's formulas as printed; for the study, not in the file


Placement = PlacementRule | int  # an int is the fixed distance from the active aggregators, in hops

LINKS, FOLDS, MERGING = ({"state": s} for s in ("link policy", "way of folding", "way of merging events"))
INTERNAL = {"file": False}  # not a key of the deployment file


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The technique at each step, with its settings. Enum values can be given by name.

    >>> Policy(folding="mefa").folding
    <Folding.MEFA: 'mefa'>
    """

    trees: Attachment = Attachment.DO
    gamma: float = 1.0  # with DS: the unique range that an additional hop must save
    tree: DeliveryTree = DeliveryTree.SHARED
    matchmaker: Matchmaker = Matchmaker.MIN_COST
    decision: DecisionRule = field(default=DecisionRule.ADOCK, metadata=LINKS)
    patience: int | None = field(default=None, metadata=LINKS)  # microseconds; None: the link policy's default
    covering: Covering = Covering.ANCESTOR
    folding: Folding = field(default=Folding.NONE, metadata=FOLDS)
    theta: int | None = field(default=None, metadata=FOLDS)  # entries to save; None: a share of the possible savings
    delta: float = field(default=0.0, metadata=FOLDS)  # with MEFA: the least ratio of benefit to risk
    hop: int = field(default=SECOND, metadata=FOLDS)  # microseconds per hop for the message that a subscriber left
    rate: float = field(default=1.0, metadata=FOLDS)  # expected publications per second and publisher
    events: EventMerging = field(default=EventMerging.CAEVA, metadata=MERGING)
    placement: Placement = field(default=PlacementRule.ADAPTIVE, metadata=MERGING)
    active_aggregators: int = field(default=3, metadata=MERGING)
    partitions: int = field(default=1, metadata=MERGING)  # event partitions of a merged topic
    seed: int = 0  # determines random draws, together with a publication's id
    least_saving: float = field(default=1.0, metadata=INTERNAL)  # messages that moving an aggregator must save

    def __post_init__(self) -> None:
        for key in fields(self):
            value, kind = getattr(self, key.name), type(key.default)
            if issubclass(kind, StrEnum) and isinstance(value, str):
                object.__setattr__(self, key.name, kind(value))

    @property
    def merges(self) -> bool:
        """Whether brokers merge reports."""
        return self.events is not EventMerging.SIENA

    @property
    def actives(self) -> int:
        """The number of active aggregators."""
        return self.active_aggregators if self.events is EventMerging.CAEVA else 1

    @property
    def places(self) -> Placement:
        """The placement of passive aggregators; distance 0 means none."""
        return self.placement if self.events is EventMerging.CAEVA else 0


def keys() -> list[Field[Any]]:
    """Return the keys of `policy` in the deployment file."""
    return [key for key in fields(Policy) if key.metadata.get("file", True)]


def keys_of_state() -> dict[str, list[str]]:
    """Return the techniques that determine the state of a stream, each with its keys."""
    state_keys: dict[str, list[str]] = {}
    for key in keys():
        if (state := key.metadata.get("state")) is not None:
            state_keys.setdefault(state, []).append(key.name)
    return state_keys
