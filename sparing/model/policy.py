"""The policy: which technique a deployment uses at each step.

One record, from the deployment file to the plan that workers run on. Its fields are the keys of `policy` in the file.
A key that the state of a stream depends on says so (`state`): it cannot change for as long as a checkpoint is used.
Other keys may change between two runs from a checkpoint; none may change while a stream runs.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any

SECOND = 1_000_000  # microseconds


class Attachment(StrEnum):
    """What decides which broker serves a subscriber that may attach to several."""

    DO = "do"  # distance
    DS = "ds"  # distance and similarity


class DeliveryTree(StrEnum):
    """The trees that publications travel along."""

    SHARED = "shared"
    PER_SOURCE = "per-source"


class Matchmaker(StrEnum):
    """Where advertisements and subscriptions meet."""

    MIN_COST = "min-cost"
    PUBLISH_EVERYWHERE = "publish-everywhere"
    SUBSCRIBE_EVERYWHERE = "subscribe-everywhere"


class DecisionRule(StrEnum):
    """How a link chooses between one partial result and single publications.

    A value is the name of a module in `sparing/flow/links`, which has the technique. With `raw`, links never aggregate,
    so publications cross them on arrival.
    """

    raw: bool

    def __new__(cls, name: str, raw: bool = False) -> DecisionRule:
        """A value with its name."""
        found = str.__new__(cls, name)
        found._value_, found.raw = name, raw
        return found

    ADOCK = "adock"
    PATIENCE = "patience"
    WAD = "wad"
    WAD_LIVE = "wad-live"
    BAT = "bat"
    STATIC = "static"
    PUBLISHER_EDGE = "publisher-edge"
    SUBSCRIBER_EDGE = "subscriber-edge", True


class Covering(StrEnum):
    """How subscriptions are reduced on their way to publishers."""

    NONE = "none"
    REGULAR = "regular"
    RANK = "rank"
    ANCESTOR = "ancestor"


class Folding(StrEnum):
    """How overlapping subscriptions are joined to one entry."""

    NONE = "none"
    MEFA = "mefa"
    SPA = "spa"
    AA = "aa"


class Events(StrEnum):
    """Where the events of merged topics are merged."""

    CAEVA = "caeva"  # at several brokers, some of them at places that adapt
    AGELE = "agele"  # at the center only
    SIENA = "siena"  # nowhere: every report travels to every broker that may want it


class Moves(StrEnum):
    """How passive aggregators find their places, unless their distance is fixed."""

    ADAPTIVE = "adaptive"  # by what each of them counts, one hop at a time
    REPLAY = "replay"  # by going through the finished event again with every distance
    LITERAL = "literal"  # by the paper's formulas as printed; for the study, not in the file


Placement = Moves | int  # an int is the fixed distance from the active aggregators, in hops

LINKS, FOLDS, MERGING = ({"state": s} for s in ("link policy", "way of folding", "way of merging events"))
INTERNAL = {"file": False}  # no key of the file


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The technique at each step, with its settings. Values of enums may be given by name.

    >>> Policy(folding="mefa").folding
    <Folding.MEFA: 'mefa'>
    """

    trees: Attachment = Attachment.DO
    gamma: float = 1.0  # with DS: unique range that a hop more must save
    tree: DeliveryTree = DeliveryTree.SHARED
    matchmaker: Matchmaker = Matchmaker.MIN_COST
    decision: DecisionRule = field(default=DecisionRule.ADOCK, metadata=LINKS)
    patience: int | None = field(default=None, metadata=LINKS)  # microseconds; None: the link policy's own
    covering: Covering = Covering.ANCESTOR
    folding: Folding = field(default=Folding.NONE, metadata=FOLDS)
    theta: int | None = field(default=None, metadata=FOLDS)  # entries to save; None: a share of what is possible
    delta: float = field(default=0.0, metadata=FOLDS)  # with MEFA: the least benefit for its cost
    hop: int = field(default=SECOND, metadata=FOLDS)  # how long the report of a leave takes for a hop (microseconds)
    rate: float = field(default=1.0, metadata=FOLDS)  # publications a second that are expected of a publisher
    events: Events = field(default=Events.CAEVA, metadata=MERGING)
    placement: Placement = field(default=Moves.ADAPTIVE, metadata=MERGING)
    active_aggregators: int = field(default=3, metadata=MERGING)
    partitions: int = field(default=1, metadata=MERGING)  # parts that the keys of a merged topic are dealt out to
    seed: int = 0  # decides, with a publication's id, every random draw
    least_saving: float = field(default=1.0, metadata=INTERNAL)  # messages that a move of an aggregator must save

    def __post_init__(self) -> None:
        for key in fields(self):
            value, kind = getattr(self, key.name), type(key.default)
            if issubclass(kind, StrEnum) and isinstance(value, str):
                object.__setattr__(self, key.name, kind(value))

    @property
    def merges(self) -> bool:
        """Whether brokers merge events at all."""
        return self.events is not Events.SIENA

    @property
    def actives(self) -> int:
        """The number of active aggregators."""
        return self.active_aggregators if self.events is Events.CAEVA else 1

    @property
    def places(self) -> Placement:
        """The places of passive aggregators; at distance 0 there are none."""
        return self.placement if self.events is Events.CAEVA else 0


def keys() -> list[Field[Any]]:
    """The keys of `policy` in the deployment file."""
    return [key for key in fields(Policy) if key.metadata.get("file", True)]


def keys_of_state() -> dict[str, list[str]]:
    """What the state of a stream depends on, each with its keys."""
    found: dict[str, list[str]] = {}
    for key in keys():
        if (state := key.metadata.get("state")) is not None:
            found.setdefault(state, []).append(key.name)
    return found
