"""The shape of a deployment file: every key with its type, default and meaning.

The models accept only what works today. To add a key, add a field with a description; the values of the policy's keys
are enums in `sparing/model/policy.py`. The sentences about mistakes (`shape.py`), the JSON Schema (below) and the
reference in docs/deployment.md (`reference.py`) all follow from here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler, PlainValidator, StrictStr
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from sparing.model.bill import SENT
from sparing.model.policy import (
    Attachment,
    Covering,
    DecisionRule,
    DeliveryTree,
    Events,
    Folding,
    Matchmaker,
    Moves,
    Placement,
    Policy,
)
from sparing.model.types import EPOCH, MICROSECOND


@dataclass(frozen=True, slots=True)
class Wants:
    """What a value must be, as the end of the sentence "It must be ..."."""

    text: str


class OrPath:
    """Marks a list that may also be given as the path of a table (the reader puts the table's rows in its place)."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The list, or a path."""
        return {"anyOf": [handler(core), {"type": "string", "minLength": 1}]}


def _refused() -> PydanticCustomError:
    return PydanticCustomError("wanted", "not what is wanted")  # the sentence comes from `Wants`


def _name(value: Any) -> Any:
    """Names may be whole numbers: `brokers: [1, 2]`, or a table with numbers as ids."""
    return str(value) if type(value) is int else value


def _names(value: Any) -> Any:
    return [value] if isinstance(value, str | int) else value


def _servers(value: Any) -> Any:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value


def _link(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) in (2, 3):
        return [*value, {}][:3]
    raise _refused()


def _option(value: Any) -> str:
    """A Spark option as text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise _refused()


def _moment(value: Any) -> int | None:
    """Microseconds since the epoch of an ISO timestamp; one without a zone is in UTC."""
    if isinstance(value, str):
        day, _, zone = value.strip().rpartition(" ")
        try:
            value = datetime.fromisoformat(day + zone if zone[:1] in ("+", "-") else value.strip())
        except ValueError:
            raise _refused() from None
    elif type(value) is date:
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, datetime):
        try:
            utc = value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        except OverflowError:  # in UTC, it is before the year 1 or after 9999
            raise _refused() from None
        return (utc - EPOCH) // MICROSECOND
    if value is None:
        return None
    raise _refused()


def _attribute(value: Any) -> float | str | bool | None:
    """An attribute's value; all numbers are doubles, and NULL is as good as none."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | Decimal):
        try:
            number = float(value)
        except OverflowError:
            raise _refused() from None
        if math.isfinite(number):
            return number
    raise _refused()


def _attributes(value: Any) -> Any:
    return {} if value is None else value


def _time(value: Any) -> Any:
    return {"field": value} if isinstance(value, str) else value


def _rank(value: Any) -> Any:
    return {"by": value} if isinstance(value, str) else value


def _fair(value: Any) -> bool | str | None:
    if value is None or isinstance(value, bool) or value == "exact":
        return value  # type: ignore[no-any-return]
    raise _refused()


_SIZED = (*(kind.value for kind in SENT), "default")


def _sizes(value: Any) -> dict[str, int]:
    """Bytes by kind, under `default` those of kinds that are not named."""
    found = value if isinstance(value, dict) else {"default": value}
    sound = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in found.values())
    if not found or not sound or not found.keys() <= set(_SIZED):
        raise _refused()
    return found


def _theta(value: Any) -> int | None:
    if value is None or value == "auto":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _refused()


def _placement(value: Any) -> Placement:
    if value in (Moves.ADAPTIVE, Moves.REPLAY):
        return Moves(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _refused()


Text = Annotated[StrictStr, Field(min_length=1), Wants("text")]
Name = Annotated[str, BeforeValidator(_name, json_schema_input_type=str | int), Field(min_length=1), Wants("text")]
Folder = Annotated[StrictStr, Field(min_length=1), Wants("a path or URL")]
Duration = Annotated[StrictStr, Wants("a duration such as '10 seconds'")]
Theta = Annotated[
    int | None,
    BeforeValidator(_theta, json_schema_input_type=Literal["auto"] | Annotated[int, Field(ge=0)] | None),
    Wants("auto, or a whole number, 0 or more"),
]
Moment = Annotated[
    int | None,
    BeforeValidator(_moment, json_schema_input_type=str | None),
    Wants("a timestamp such as 2026-01-31T12:00:00Z, or null"),
]
Option = Annotated[str, BeforeValidator(_option, json_schema_input_type=str | float | bool), Wants("text or a number")]
Candidates = Annotated[
    list[Name],
    BeforeValidator(_names, json_schema_input_type=Name | Annotated[list[Name], Field(min_length=1)]),
    Field(min_length=1),
    Wants("the name of a broker or a list of them"),
]
Attributes = Annotated[
    dict[
        str,
        Annotated[
            float | str | bool | None,
            PlainValidator(_attribute, json_schema_input_type=float | str | bool | None),
            Wants("a number, text or a boolean"),
        ],
    ],
    BeforeValidator(_attributes),
    Wants("a mapping of names to numbers, text or booleans"),
]
Price = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False), Wants("a number, 0 or more")]
Sizes = Annotated[
    dict[str, int],
    BeforeValidator(
        _sizes,
        json_schema_input_type=Annotated[int, Field(ge=0)]
        | Annotated[dict[Literal[_SIZED], Annotated[int, Field(ge=0)]], Field(min_length=1)],  # type: ignore[valid-type]
    ),
    Wants(f"a whole number, or a mapping of {', '.join(_SIZED)} to whole numbers"),
]
Servers = Annotated[
    StrictStr,
    BeforeValidator(_servers, json_schema_input_type=str | list[str]),
    Field(min_length=1),
    Wants("text such as 'host:9092' or a list of them"),
]


class Entry(BaseModel):
    """A mapping in the file. `noun` is its name in messages; `renamed` maps former keys to their new names."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    noun: ClassVar[str]
    renamed: ClassVar[Mapping[str, str]] = {}


class LinkSettings(Entry):
    """Settings of one link."""

    noun = "a link"
    delay: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False), Wants("a number above zero")] = Field(
        default=1.0, description="What crossing the link costs when delivery trees are built."
    )
    weight: Annotated[int, Field(strict=True, ge=1, le=1_000_000), Wants("a whole number from 1 to 1000000")] = Field(
        default=1, description="What a message of the control plane costs on the link, for the matchmaker."
    )
    price: Price | None = Field(default=None, description="What a message, or so many bytes, costs on the link.")


LinkEntry = Annotated[
    tuple[Name, Name, Annotated[LinkSettings, Wants("a mapping such as {delay: 5}")]],
    BeforeValidator(_link, json_schema_input_type=tuple[Name, Name] | tuple[Name, Name, LinkSettings]),
    Wants("[broker, broker] or [broker, broker, {delay: number}]"),
]


class OverlayEntry(Entry):
    """The brokers and the undirected links between them."""

    noun = "the overlay"
    brokers: Annotated[list[Name], Field(min_length=1), Wants("a list with at least one broker")] = Field(
        description="The names of the brokers, at least one."
    )
    links: Annotated[list[LinkEntry], Wants("a list of links")] = Field(
        default=[],
        description=(
            "Pairs of brokers, each pair once: `[a, b]`, or `[a, b, {delay: 5, weight: 3}]`. `delay` is what crossing "
            "the link costs when delivery trees are built, a number above zero. `weight` is how often the "
            "[matchmaker](matchmaker.md) counts each advertisement and subscription on it, a whole number from 1 to "
            "1000000. Either is 1 if left out. `price` is for the [bill](#prices) alone. Cycles are allowed."
        ),
    )


class MergeEntry(Entry):
    """Reports of the same event in part, by several publishers, are merged: [merged events](events.md)."""

    noun = "a merge"
    key: Annotated[
        list[Name],
        BeforeValidator(_names, json_schema_input_type=Name | Annotated[list[Name], Field(min_length=1)]),
        Field(min_length=1),
        Wants("the name of a field or a list of them"),
    ] = Field(description="The field, or fields, whose values tell which event a report is about.")
    within: Duration = Field(description="How long after the first report of an event others may be about it, too.")
    compare: Literal["value", "name"] = Field(
        default="value",
        description=(
            "What makes a report redundant: the same `value` of a field (others are kept, each once), or any value of "
            "a field of that `name`."
        ),
    )
    cycle: Duration = Field(
        default="1 second", description="Subscriptions choose notification cycles that are multiples of this."
    )


class TimeEntry(Entry):
    """The event time of a topic: `time: ts` is short for `time: {field: ts}`."""

    noun = "an event time"
    field: Text = Field(description="The field that holds the event time; its type is `timestamp`.")
    unit: Annotated[Literal["s", "ms", "us"] | None, Wants("s, ms or us")] = Field(
        default=None,
        description=(
            "With a unit, the event time comes as a number of seconds, milliseconds or microseconds since 1970, and "
            "text with a date is not accepted. Without one, it is text with a date, or a timestamp."
        ),
    )


class TopicEntry(Entry):
    """A class of events."""

    noun = "a topic"
    time: Annotated[
        TimeEntry,
        BeforeValidator(_time, json_schema_input_type=TimeEntry | str),
        Wants("the name of a field, or a mapping with the key 'field'"),
    ] = Field(
        description=(
            "The field that holds the event time; its type is `timestamp`. For numbers, with their unit: [time](#time)."
        )
    )
    fields: Annotated[dict[str, Text], Wants("a mapping of fields to their types")] = Field(
        description="Field name to Spark SQL type. Topics that share a field give it the same type."
    )
    merge: MergeEntry | None = Field(
        default=None, description="How publications are [merged](#merge) to events; each stands for itself if left out."
    )


class RankEntry(Entry):
    """How a publisher ranks the subscriptions that match a publication. Text alone is `by`."""

    noun = "a rank"
    by: Annotated[Text | None, Wants("text")] = Field(
        default=None,
        description=(
            "`area` (larger boxes first), `diverse` (boxes far from each other), or a score such as "
            "`subscription.budget - price`, the highest first: [scores](language.md#scores). Left out: all are alike."
        ),
    )
    fair: Annotated[
        bool | str | None,
        PlainValidator(_fair, json_schema_input_type=bool | Literal["exact"] | None),
        Wants("true, false or exact"),
    ] = Field(
        default=None,
        description=(
            "Among equal scores: `false` takes the lower id; `true` draws lots, with weights for what lies behind each "
            "broker; `exact` gives everyone the same chance. Left out: `false` with `by`, else `true`."
        ),
    )


class PublisherEntry(Entry):
    """What a publisher publishes on one topic: its advertisement."""

    noun = "a publisher"
    id: Name = Field(description="The publisher's name; once for each topic that it publishes on.")
    at: Name = Field(description="The broker it publishes at.")
    topic: Name = Field(description="The topic.")
    where: Annotated[StrictStr | None, Wants("text")] = Field(
        default=None, description="The part of the topic it publishes in, as a `WHERE` clause; everything if left out."
    )
    top_k: Annotated[Annotated[int, Field(strict=True, ge=1)] | None, Wants("a whole number, 1 or more")] = Field(
        default=None,
        description="Each publication goes to this many of the subscriptions it matches; to all if left out.",
    )
    rank: Annotated[
        RankEntry | None,
        BeforeValidator(_rank, json_schema_input_type=Text | RankEntry | None),
        Wants("text such as area, or a mapping with the keys by and fair"),
    ] = Field(default=None, description="With `top_k`: which of them are the best, by [rank](#rank).")


class SubscriberEntry(Entry):
    """Someone who receives notifications."""

    noun = "a subscriber"
    id: Name = Field(description="The subscriber's name.")
    at: Candidates = Field(
        description="The broker it attaches to, or a list of candidates: tree construction chooses one."
    )


class SubscriptionEntry(Entry):
    """What a subscriber wants."""

    noun = "a subscription"
    id: Name = Field(description="The subscription's name.")
    subscriber: Name = Field(description="Who receives its notifications.")
    sql: Annotated[StrictStr, Wants("text")] = Field(description="The query: see docs/language.md.")
    valid_from: Moment = Field(
        default=None,
        alias="from",
        description="In force for publications made at this time or later (ISO; UTC if no zone).",
    )
    valid_until: Moment = Field(
        default=None, alias="until", description="In force for publications made before this time."
    )
    attributes: Attributes = Field(
        default={}, description="What publishers may [rank](#rank) by: names to numbers, text or booleans."
    )
    urgent: Annotated[StrictStr | None, Wants("text")] = Field(
        default=None,
        description=(
            "With `EVERY`: what does not wait for the end of the cycle, as a `WHERE` clause, e.g. `severity >= 4`."
        ),
    )


class OutageEntry(Entry):
    """A time in which a broker does not aggregate merged events; what it held of them is lost when it begins."""

    noun = "an outage"
    broker: Name = Field(description="The broker.")
    start: Annotated[
        int, BeforeValidator(_moment, json_schema_input_type=str), Wants("a timestamp such as 2026-01-31T12:00:00Z")
    ] = Field(alias="from", description="When it begins (ISO; UTC if no zone).")
    end: Moment = Field(default=None, alias="until", description="When it is over; never if left out.")


class EndpointEntry(Entry):
    """A Spark source or sink. Keys that are not listed are Spark options."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Option] = Field(init=False)
    noun = "an endpoint"
    format: Text = Field(description="`json`, `csv`, `parquet`, `orc`, `rate`, `kafka`, or any other Spark format.")
    path: Folder | None = Field(default=None, description="Folder or URL. Needed by formats that keep files.")
    servers: Servers | None = Field(default=None, description="Kafka: its bootstrap servers, as text or a list.")
    topic: Name | None = Field(default=None, description="Kafka: the topic there to read or to write.")


class SourceEntry(EndpointEntry):
    """Where publications come from."""

    noun = "the source"


class SinkEntry(EndpointEntry):
    """Where results go."""

    noun = "the sink"


class PolicyEntry(Entry):
    """Which technique is used at each step."""

    noun = "the policy"
    renamed = {"lanes": "partitions"}
    trees: Attachment = Field(
        default=Policy.trees,
        description=(
            "Which broker serves a subscriber that may attach to several, and where brokers at the edge hang: `do` "
            "takes the shortest distance, `ds` weighs distance against similarity: [folding](folding.md)."
        ),
    )
    gamma: Annotated[float, Field(ge=0), Wants("a number, 0 or more")] = Field(
        default=Policy.gamma,
        description="With `trees: ds`: how much unique range a hop more must save.",
    )
    tree: DeliveryTree = Field(
        default=Policy.tree,
        description=(
            "`shared` has one delivery tree for all publishers, built from the overlay's center; with `per-source`, "
            "publications take the shortest path from each publisher to each subscriber."
        ),
    )
    matchmaker: Matchmaker = Field(
        default=Policy.matchmaker,
        description=(
            "Where advertisements and subscriptions meet: where the fewest cross links, at the subscribers' brokers, "
            "or at the publishers': [the matchmaker](matchmaker.md)."
        ),
    )
    decision: DecisionRule = Field(
        default=Policy.decision,
        description="How each link chooses between one partial result and single publications: [links](links.md).",
    )
    patience: Duration | None = Field(
        default=None,
        description="With `decision: patience`: how much later a link decides for every link before it (1 second).",
    )
    covering: Covering = Field(
        default=Policy.covering,
        description=(
            "What a broker leaves out of what it tells its neighbour, since others stand in: `none` nothing, `regular` "
            "boxes that lie in another's (nothing for publishers with `top_k`), `rank` and `ancestor` for those also "
            "what k better ones cover, by level and by number: [covering and top-k](topk.md)."
        ),
    )
    folding: Folding = Field(
        default=Policy.folding,
        description=(
            "Which of the subscriptions that covering leaves are told as one, although somebody may leave: `none`, "
            "`mefa` those that save most for the risk, `spa` the most similar ones, `aa` all at the brokers where they "
            "are most similar: [folding](folding.md)."
        ),
    )
    theta: Theta = Field(
        default="auto",
        validate_default=True,
        description=("With `folding`: how many entries on links are to be saved; `auto` is half of what is possible."),
    )
    delta: Annotated[float, Field(ge=0), Wants("a number, 0 or more")] = Field(
        default=Policy.delta,
        description="With `folding: mefa`: fold nothing that saves no more entries than this for its risk.",
    )
    hop: Duration = Field(
        default="1 second", description="With `folding`: how long the report of a leave takes for every hop."
    )
    rate: Annotated[float, Field(gt=0), Wants("a number above 0")] = Field(
        default=Policy.rate,
        description=(
            "With `folding`: publications a second that are expected of a publisher; tells when it pays to reconfigure."
        ),
    )
    events: Events = Field(
        default=Policy.events,
        description=(
            "How events of merged topics travel: `caeva` merges at several brokers, `agele` at the center only, and "
            "with `siena` every report travels to everybody who may want it: [merged events](events.md)."
        ),
    )
    placement: Annotated[
        int | Moves,
        PlainValidator(_placement, json_schema_input_type=Literal["adaptive", "replay"] | Annotated[int, Field(ge=0)]),
        Wants("adaptive, replay, or a whole number, 0 or more"),
    ] = Field(
        default=Policy.placement,
        description=(
            "With `events: caeva`: how many hops passive aggregators are from the active ones. `adaptive` has them "
            "move by what they count, `replay` by going through each finished event again."
        ),
    )
    active_aggregators: Annotated[int, Field(strict=True, ge=1), Wants("a whole number, 1 or more")] = Field(
        default=Policy.active_aggregators,
        description="With `events: caeva`: how many brokers near the center may coordinate events.",
    )
    partitions: Annotated[int, Field(strict=True, ge=1, le=1024), Wants("a whole number from 1 to 1024")] = Field(
        default=Policy.partitions,
        description=(
            "How many parts the events of a merged topic are dealt out to by their keys; they are worked on side by "
            "side, and each learns its own placement. Topics with aggregate subscriptions have one."
        ),
    )
    seed: Annotated[int, Field(strict=True, ge=0), Wants("a whole number, 0 or more")] = Field(
        default=Policy.seed, description="Decides, with a publication's id, every random draw."
    )


class PricesEntry(Entry):
    """What messages cost, in bytes and in money. The bill shows it; it decides nothing."""

    noun = "the prices"
    currency: Text | None = Field(
        default=None, description="What to call the money, e.g. `CAD`; without it the bill says `cost`."
    )
    per: Literal["message", "kilobyte", "megabyte", "gigabyte"] = Field(
        default="message",
        description="What a price is for. A kilobyte is 1000 bytes, and `bytes` must be there.",
    )
    link: Price | None = Field(
        default=None, description="The price of links that have none of their own: `[a, b, {price: 0.02}]`."
    )
    last_hop: Price | None = Field(default=None, description="The price from a broker to a subscriber.")
    bytes: Sizes | None = Field(
        default=None,
        description=(
            "How many bytes a message has: one number, or one for each kind on the bill, "
            "`{publication: 220, result: 64, default: 100}`."
        ),
    )


class BillEntry(Entry):
    """How the bill is kept."""

    noun = "the bill"
    bucket: Duration = Field(default="1 minute", description="The width of its time buckets.")


class LimitsEntry(Entry):
    """What one row may ask for, so that none can stop a stream."""

    noun = "the limits"
    row_bytes: Annotated[int, Field(strict=True, ge=1_000), Wants("a whole number, 1000 or more")] = Field(
        default=1 << 20, description="The most bytes that a row may have. A longer one is in quarantine, cut off."
    )
    windows_per_event: Annotated[int, Field(strict=True, ge=1), Wants("a whole number, 1 or more")] = Field(
        default=1_000, description="For how many windows of one subscription an event may count."
    )


class FileEntry(Entry):
    """The whole file."""

    noun = "a deployment"
    name: Name = Field(description="The deployment's name.")
    overlay: OverlayEntry = Field(description="Brokers and links: [overlay](#overlay).")
    topics: Annotated[
        dict[str, TopicEntry],
        Wants("a mapping of names to topics"),
    ] = Field(description="Topic name to [topic](#topics).")
    publishers: Annotated[
        list[PublisherEntry],
        Wants("a list of publishers or the path of a table"),
        OrPath(),
    ] = Field(default=[], description="Who publishes what: [publishers](#publishers).")
    subscribers: Annotated[
        list[SubscriberEntry],
        Wants("a list of subscribers or the path of a table"),
        OrPath(),
    ] = Field(default=[], description="Who receives notifications: [subscribers](#subscribers).")
    subscriptions: Annotated[
        list[SubscriptionEntry],
        Wants("a list of subscriptions or the path of a table"),
        OrPath(),
    ] = Field(default=[], description="Who wants what: [subscriptions](#subscriptions).")
    source: SourceEntry | None = Field(
        default=None, description="Where publications come from: [source](#source-and-sink)."
    )
    sink: SinkEntry | None = Field(default=None, description="Where results go: [sink](#source-and-sink).")
    policy: PolicyEntry = Field(default_factory=PolicyEntry, description="Techniques: [policy](#policy).")
    outages: Annotated[list[OutageEntry], Wants("a list of outages")] = Field(
        default=[], description="When brokers do not aggregate merged events: [outages](#outages)."
    )
    watermark: Duration = Field(
        default="10 seconds", description="How much later than the latest event a publication may still arrive."
    )
    ahead: Annotated[Duration | None, Wants("a duration such as '10 minutes', or null")] = Field(
        default="10 minutes",
        description=(
            "How far the event time of a row may be ahead of the clock in a stream. A row from further in the future "
            "is in quarantine and does not move the watermark. `null`: any time is accepted."
        ),
    )
    limits: LimitsEntry = Field(default_factory=LimitsEntry, description="What one row may ask for: [limits](#limits).")
    bill: BillEntry = Field(default_factory=BillEntry, description="The [bill](#bill).")
    prices: PricesEntry | None = Field(default=None, description="What messages cost: [prices](#prices).")
    checkpoint: Folder | None = Field(
        default=None,
        description=(
            "Folder or URL where a stream keeps its progress. If left out, it is beside the sink: `out-checkpoint` for "
            "the sink `out`."
        ),
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of a deployment file, for editors and other tools."""
    found = FileEntry.model_json_schema()
    named = {f"#/$defs/{name}": part for name, part in found["$defs"].items() if "enum" in part}
    found["$defs"] = {name: part for name, part in found["$defs"].items() if "enum" not in part}
    for key in found["$defs"][PolicyEntry.__name__]["properties"].values():
        if (part := named.get(key.get("$ref"))) is not None:  # values belong beside the key's own description
            del key["$ref"]
            key |= {"enum": part["enum"], "type": part["type"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "Sparing deployment"}
