"""The schema of a deployment file: every key with its type, default and meaning.

To add a key, add a field with a description; the values of the policy's keys are enums in `sparing/model/policy.py`.
Error messages (`shape.py`), the JSON Schema (below) and the reference in docs/deployment.md (`reference.py`) are
derived from the models here.
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
    EventMerging,
    Folding,
    Matchmaker,
    Placement,
    PlacementRule,
    Policy,
)
from sparing.model.types import EPOCH, MICROSECOND


@dataclass(frozen=True, slots=True)
class Wants:
    """A description of valid values, as the end of the sentence "It must be ..."."""

    text: str


class OrPath:
    """Marks a list that may also be the path of a table; `sections.py` reads the rows."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema of the list or a path."""
        return {"anyOf": [handler(core), {"type": "string", "minLength": 1}]}


def _invalid() -> PydanticCustomError:
    return PydanticCustomError("invalid", "invalid value")  # the message to users comes from `Wants`


def _name(value: Any) -> Any:
    """Convert whole numbers to names: `brokers: [1, 2]`, or a table with numeric ids."""
    return str(value) if type(value) is int else value


def _names(value: Any) -> Any:
    return [value] if isinstance(value, str | int) else value


def _servers(value: Any) -> Any:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value


def _link(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) in (2, 3):
        return [*value, {}][:3]
    raise _invalid()


def _option(value: Any) -> str:
    """Return a Spark option as text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise _invalid()


def _moment(value: Any) -> int | None:
    """Return an ISO timestamp in microseconds since the epoch; without a time zone it is in UTC."""
    if isinstance(value, str):
        day, _, zone = value.strip().rpartition(" ")
        try:
            value = datetime.fromisoformat(day + zone if zone[:1] in ("+", "-") else value.strip())
        except ValueError:
            raise _invalid() from None
    elif type(value) is date:
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, datetime):
        try:
            utc = value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
        except OverflowError:  # outside the years 1 to 9999 in UTC
            raise _invalid() from None
        return (utc - EPOCH) // MICROSECOND
    if value is None:
        return None
    raise _invalid()


def _attribute(value: Any) -> float | str | bool | None:
    """Return an attribute's value; numbers are doubles, and null means that there is no attribute."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | Decimal):
        try:
            number = float(value)
        except OverflowError:
            raise _invalid() from None
        if math.isfinite(number):
            return number
    raise _invalid()


def _attributes(value: Any) -> Any:
    return {} if value is None else value


def _time(value: Any) -> Any:
    return {"field": value} if isinstance(value, str) else value


def _rank(value: Any) -> Any:
    return {"by": value} if isinstance(value, str) else value


def _fair(value: Any) -> bool | str | None:
    if value is None or isinstance(value, bool) or value == "exact":
        return value  # type: ignore[no-any-return]
    raise _invalid()


_SIZED = (*(kind.value for kind in SENT), "default")


def _sizes(value: Any) -> dict[str, int]:
    """Return bytes by kind; `default` is for kinds that are not listed."""
    sizes = value if isinstance(value, dict) else {"default": value}
    valid = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in sizes.values())
    if not sizes or not valid or not sizes.keys() <= set(_SIZED):
        raise _invalid()
    return sizes


def _theta(value: Any) -> int | None:
    if value is None or value == "auto":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _invalid()


def _placement(value: Any) -> Placement:
    if value in (PlacementRule.ADAPTIVE, PlacementRule.REPLAY):
        return PlacementRule(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _invalid()


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
        default=1.0, description="The cost of the link when delivery trees are built."
    )
    weight: Annotated[int, Field(strict=True, ge=1, le=1_000_000), Wants("a whole number from 1 to 1000000")] = Field(
        default=1, description="The cost of a control message on the link, for the matchmaker."
    )
    price: Price | None = Field(
        default=None, description="The price of a message, or of a number of bytes, on the link."
    )


LinkEntry = Annotated[
    tuple[Name, Name, Annotated[LinkSettings, Wants("a mapping such as {delay: 5}")]],
    BeforeValidator(_link, json_schema_input_type=tuple[Name, Name] | tuple[Name, Name, LinkSettings]),
    Wants("[broker, broker] or [broker, broker, {delay: number}]"),
]


class OverlayEntry(Entry):
    """The brokers and the undirected links between them."""

    noun = "the overlay"
    brokers: Annotated[list[Name], Field(min_length=1), Wants("a list with at least one broker")] = Field(
        description="The names of the brokers; at least one."
    )
    links: Annotated[list[LinkEntry], Wants("a list of links")] = Field(
        default=[],
        description=(
            "Pairs of brokers, each pair once: `[a, b]`, or `[a, b, {delay: 5, weight: 3}]`. `delay` is the cost of "
            "the link when delivery trees are built, a number above zero. `weight` is the factor by which the "
            "[matchmaker](matchmaker.md) counts each advertisement and subscription on the link, a whole number from 1 "
            "to 1000000. Both default to 1. `price` is used for the [bill](#prices) only. Cycles are allowed."
        ),
    )


class MergeEntry(Entry):
    """Merging of partial reports of the same event by several publishers: [merged events](events.md)."""

    noun = "a merge"
    key: Annotated[
        list[Name],
        BeforeValidator(_names, json_schema_input_type=Name | Annotated[list[Name], Field(min_length=1)]),
        Field(min_length=1),
        Wants("the name of a field or a list of them"),
    ] = Field(description="The field or fields whose values identify the event of a report.")
    within: Duration = Field(
        description="Reports with the same key belong to one event for this long after its first report."
    )
    compare: Literal["value", "name"] = Field(
        default="value",
        description=(
            "When a report is redundant: `value` if its fields have known values (different values are kept, each "
            "once), `name` if its fields have any value already."
        ),
    )
    cycle: Duration = Field(
        default="1 second", description="The notification cycle of every subscription is a multiple of this."
    )


class TimeEntry(Entry):
    """The event time of a topic. `time: ts` is short for `time: {field: ts}`."""

    noun = "an event time"
    field: Text = Field(description="The field with the event time; its type is `timestamp`.")
    unit: Annotated[Literal["s", "ms", "us"] | None, Wants("s, ms or us")] = Field(
        default=None,
        description=(
            "With a unit, the event time is a number of seconds, milliseconds or microseconds since 1970, and text is "
            "rejected. Without one, it is text with a date, or a timestamp."
        ),
    )


class TopicEntry(Entry):
    """A named class of publications."""

    noun = "a topic"
    time: Annotated[
        TimeEntry,
        BeforeValidator(_time, json_schema_input_type=TimeEntry | str),
        Wants("the name of a field, or a mapping with the key 'field'"),
    ] = Field(
        description=(
            "The field with the event time; its type is `timestamp`. For numbers, add the unit: [time](#time)."
        )
    )
    fields: Annotated[dict[str, Text], Wants("a mapping of fields to their types")] = Field(
        description="Field name to Spark SQL type. A field has the same type in all topics."
    )
    merge: MergeEntry | None = Field(
        default=None, description="How reports are [merged](#merge) into events. Default: no merging."
    )


class RankEntry(Entry):
    """The order of matching subscriptions for a publisher with `top_k`. Text alone is `by`."""

    noun = "a rank"
    by: Annotated[Text | None, Wants("text")] = Field(
        default=None,
        description=(
            "`area` (larger boxes first), `diverse` (boxes far from each other), or a score such as "
            "`subscription.budget - price`, highest first: [scores](language.md#scores). Default: all score the same."
        ),
    )
    fair: Annotated[
        bool | str | None,
        PlainValidator(_fair, json_schema_input_type=bool | Literal["exact"] | None),
        Wants("true, false or exact"),
    ] = Field(
        default=None,
        description=(
            "Among equal scores: `false` prefers the lower id; `true` draws lots, weighted by the number of "
            "subscriptions behind each broker; `exact` gives all the same chance. Default: `false` with `by`, else "
            "`true`."
        ),
    )


class PublisherEntry(Entry):
    """The advertisement of a publisher on one topic."""

    noun = "a publisher"
    id: Name = Field(description="The publisher's name; one entry for each of its topics.")
    at: Name = Field(description="The broker of the publisher.")
    topic: Name = Field(description="The topic.")
    where: Annotated[StrictStr | None, Wants("text")] = Field(
        default=None, description="The advertised part of the topic, as a `WHERE` clause. Default: the whole topic."
    )
    top_k: Annotated[Annotated[int, Field(strict=True, ge=1)] | None, Wants("a whole number, 1 or more")] = Field(
        default=None,
        description="Deliver each publication to this many of the matching subscriptions. Default: all.",
    )
    rank: Annotated[
        RankEntry | None,
        BeforeValidator(_rank, json_schema_input_type=Text | RankEntry | None),
        Wants("text such as area, or a mapping with the keys by and fair"),
    ] = Field(default=None, description="With `top_k`: the order of matching subscriptions, by [rank](#rank).")


class SubscriberEntry(Entry):
    """A recipient of notifications."""

    noun = "a subscriber"
    id: Name = Field(description="The subscriber's name.")
    at: Candidates = Field(
        description="The broker of the subscriber, or a list of candidates from which tree construction chooses."
    )


class SubscriptionEntry(Entry):
    """A query of a subscriber."""

    noun = "a subscription"
    id: Name = Field(description="The subscription's name.")
    subscriber: Name = Field(description="The recipient of its notifications.")
    sql: Annotated[StrictStr, Wants("text")] = Field(description="The query: [language](language.md).")
    valid_from: Moment = Field(
        default=None,
        alias="from",
        description="In force for event times from this one on (ISO; UTC without a zone).",
    )
    valid_until: Moment = Field(default=None, alias="until", description="In force for event times before this one.")
    attributes: Attributes = Field(
        default={}, description="Values for [scores](#rank) of publishers: names to numbers, text or booleans."
    )
    urgent: Annotated[StrictStr | None, Wants("text")] = Field(
        default=None,
        description=(
            "With `EVERY`: publications that are delivered at once, as a `WHERE` clause, e.g. `severity >= 4`."
        ),
    )


class OutageEntry(Entry):
    """A time in which a broker does not merge events. Its state of merged events is lost at the start."""

    noun = "an outage"
    broker: Name = Field(description="The broker.")
    start: Annotated[
        int, BeforeValidator(_moment, json_schema_input_type=str), Wants("a timestamp such as 2026-01-31T12:00:00Z")
    ] = Field(alias="from", description="The start (ISO; UTC without a zone).")
    end: Moment = Field(default=None, alias="until", description="The end. Default: never.")


class EndpointEntry(Entry):
    """A Spark source or sink. Other keys are passed to Spark as options."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Option] = Field(init=False)
    noun = "an endpoint"
    format: Text = Field(description="`json`, `csv`, `parquet`, `orc`, `rate`, `kafka`, or any other Spark format.")
    path: Folder | None = Field(default=None, description="Folder or URL; required for file formats.")
    servers: Servers | None = Field(default=None, description="Kafka: the bootstrap servers, as text or a list.")
    topic: Name | None = Field(default=None, description="Kafka: the topic to read or write.")


class SourceEntry(EndpointEntry):
    """The source of publications."""

    noun = "the source"


class SinkEntry(EndpointEntry):
    """The sink of results."""

    noun = "the sink"


class PolicyEntry(Entry):
    """The technique of each step, with its settings."""

    noun = "the policy"
    renamed = {"lanes": "partitions"}
    trees: Attachment = Field(
        default=Policy.trees,
        description=(
            "How subscribers with several candidates, and brokers at the edge, are attached: `do` by the shortest "
            "distance, `ds` by distance and similarity: [folding](folding.md)."
        ),
    )
    gamma: Annotated[float, Field(ge=0), Wants("a number, 0 or more")] = Field(
        default=Policy.gamma,
        description="With `trees: ds`: the unique range that an additional hop must save.",
    )
    tree: DeliveryTree = Field(
        default=Policy.tree,
        description=(
            "`shared`: one delivery tree for all publishers, built from the overlay's center. `per-source`: "
            "publications take the shortest path from each publisher to each subscriber."
        ),
    )
    matchmaker: Matchmaker = Field(
        default=Policy.matchmaker,
        description=(
            "Where advertisements and subscriptions meet: at brokers that minimize the messages, at the subscribers' "
            "brokers, or at the publishers' brokers: [the matchmaker](matchmaker.md)."
        ),
    )
    decision: DecisionRule = Field(
        default=Policy.decision,
        description="The link policy: when a link sends a partial result instead of publications: [links](links.md).",
    )
    patience: Duration | None = Field(
        default=None,
        description="With `decision: patience`: the delay of a link's decision per upstream link (1 second).",
    )
    covering: Covering = Field(
        default=Policy.covering,
        description=(
            "Which subscriptions a broker omits from messages to a neighbour: `none` omits none; `regular` omits boxes "
            "inside another box (none for publishers with `top_k`); for `top_k`, `rank` and `ancestor` also omit "
            "subscriptions that k better ones cover, by level or by number: [covering and top-k](topk.md)."
        ),
    )
    folding: Folding = Field(
        default=Policy.folding,
        description=(
            "Which subscriptions, after covering, share one routing entry: `none`; `mefa` those with the largest "
            "benefit for the risk; `spa` the most similar ones; `aa` all that pass a broker, starting where they are "
            "most similar: [folding](folding.md)."
        ),
    )
    theta: Theta = Field(
        default="auto",
        validate_default=True,
        description=("With `folding`: the number of routing entries to save; `auto` is half of the possible number."),
    )
    delta: Annotated[float, Field(ge=0), Wants("a number, 0 or more")] = Field(
        default=Policy.delta,
        description="With `folding: mefa`: the least ratio of saved entries to added risk.",
    )
    hop: Duration = Field(default="1 second", description="With `folding`: the time that a leave takes per hop.")
    rate: Annotated[float, Field(gt=0), Wants("a number above 0")] = Field(
        default=Policy.rate,
        description=(
            "With `folding`: the expected publications per second of a publisher; decides when reconfiguration pays."
        ),
    )
    events: EventMerging = Field(
        default=Policy.events,
        description=(
            "Where events of merged topics are merged: `caeva` at several brokers, `agele` at the center only, `siena` "
            "nowhere, every report travels to all matching subscriptions: [merged events](events.md)."
        ),
    )
    placement: Annotated[
        int | PlacementRule,
        PlainValidator(_placement, json_schema_input_type=Literal["adaptive", "replay"] | Annotated[int, Field(ge=0)]),
        Wants("adaptive, replay, or a whole number, 0 or more"),
    ] = Field(
        default=Policy.placement,
        description=(
            "With `events: caeva`: the distance in hops of passive aggregators from active ones. `adaptive` changes it "
            "by message counts, `replay` by evaluating each finished event at every distance."
        ),
    )
    active_aggregators: Annotated[int, Field(strict=True, ge=1), Wants("a whole number, 1 or more")] = Field(
        default=Policy.active_aggregators,
        description="With `events: caeva`: the number of brokers near the center that may coordinate events.",
    )
    partitions: Annotated[int, Field(strict=True, ge=1, le=1024), Wants("a whole number from 1 to 1024")] = Field(
        default=Policy.partitions,
        description=(
            "The number of event partitions of a merged topic, by key. Partitions run in parallel, each with its own "
            "placement. Topics with aggregate subscriptions have one partition."
        ),
    )
    seed: Annotated[int, Field(strict=True, ge=0), Wants("a whole number, 0 or more")] = Field(
        default=Policy.seed, description="The seed of random draws, used together with a publication's id."
    )


class PricesEntry(Entry):
    """Bytes and prices of messages. They are shown on the bill and affect no decision."""

    noun = "the prices"
    currency: Text | None = Field(default=None, description="The currency, e.g. `CAD`. Default: the bill shows `cost`.")
    per: Literal["message", "kilobyte", "megabyte", "gigabyte"] = Field(
        default="message",
        description="The unit of prices. A kilobyte is 1000 bytes. Units other than `message` require `bytes`.",
    )
    link: Price | None = Field(
        default=None, description="The price of links without their own price, `[a, b, {price: 0.02}]`."
    )
    last_hop: Price | None = Field(default=None, description="The price from a broker to a subscriber.")
    bytes: Sizes | None = Field(
        default=None,
        description=(
            "The bytes of a message: one number, or one for each kind on the bill, "
            "`{publication: 220, result: 64, default: 100}`."
        ),
    )


class BillEntry(Entry):
    """Settings of the bill."""

    noun = "the bill"
    bucket: Duration = Field(default="1 minute", description="The width of its time buckets.")


class LimitsEntry(Entry):
    """Limits per row, so that no row can stop a stream."""

    noun = "the limits"
    row_bytes: Annotated[int, Field(strict=True, ge=1_000), Wants("a whole number, 1000 or more")] = Field(
        default=1 << 20, description="The maximum size of a row in bytes. A longer row goes to quarantine, truncated."
    )
    windows_per_event: Annotated[int, Field(strict=True, ge=1), Wants("a whole number, 1 or more")] = Field(
        default=1_000, description="The maximum number of windows of one subscription that count an event."
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
    ] = Field(default=[], description="The [publishers](#publishers).")
    subscribers: Annotated[
        list[SubscriberEntry],
        Wants("a list of subscribers or the path of a table"),
        OrPath(),
    ] = Field(default=[], description="The [subscribers](#subscribers).")
    subscriptions: Annotated[
        list[SubscriptionEntry],
        Wants("a list of subscriptions or the path of a table"),
        OrPath(),
    ] = Field(default=[], description="The [subscriptions](#subscriptions).")
    source: SourceEntry | None = Field(default=None, description="The [source](#source-and-sink) of publications.")
    sink: SinkEntry | None = Field(default=None, description="The [sink](#source-and-sink) of results.")
    policy: PolicyEntry = Field(default_factory=PolicyEntry, description="Techniques: [policy](#policy).")
    outages: Annotated[list[OutageEntry], Wants("a list of outages")] = Field(
        default=[], description="Times in which brokers do not merge events: [outages](#outages)."
    )
    watermark: Duration = Field(
        default="10 seconds", description="The delay of the watermark behind the latest event time."
    )
    ahead: Annotated[Duration | None, Wants("a duration such as '10 minutes', or null")] = Field(
        default="10 minutes",
        description=(
            "How far the event time of a row may be ahead of the current time in a stream. Rows further in the future "
            "go to quarantine and do not move the watermark. `null`: no limit."
        ),
    )
    limits: LimitsEntry = Field(default_factory=LimitsEntry, description="Limits per row: [limits](#limits).")
    bill: BillEntry = Field(default_factory=BillEntry, description="The [bill](#bill).")
    prices: PricesEntry | None = Field(default=None, description="Bytes and prices of messages: [prices](#prices).")
    checkpoint: Folder | None = Field(
        default=None,
        description=(
            "Folder or URL of the stream's checkpoint. Default: beside the sink, `out-checkpoint` for the sink `out`."
        ),
    )


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a deployment file, for editors and other tools."""
    whole = FileEntry.model_json_schema()
    enums = {f"#/$defs/{name}": part for name, part in whole["$defs"].items() if "enum" in part}
    whole["$defs"] = {name: part for name, part in whole["$defs"].items() if "enum" not in part}
    for key in whole["$defs"][PolicyEntry.__name__]["properties"].values():
        if (part := enums.get(key.get("$ref"))) is not None:  # inlined, to keep the key's own description
            del key["$ref"]
            key |= {"enum": part["enum"], "type": part["type"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "title": "Sparing deployment"}
