"""Sources and sinks: from the keys of the file to a Spark format with its path and options."""

from __future__ import annotations

from pathlib import Path

from sparing.deployment.deployment import Endpoint
from sparing.deployment.mistakes import Mistakes
from sparing.deployment.names import listing
from sparing.deployment.paths import located
from sparing.deployment.schema import EndpointEntry
from sparing.deployment.sections import Where
from sparing.language.errors import nearest

FILES = ("json", "csv", "parquet", "orc")
KNOWN = (*FILES, "rate", "kafka")
NOT_SINKS = {
    "csv": "it cannot hold the payload, which is a VARIANT",
    "orc": "it cannot hold the payload, which is a VARIANT",
    "text": "it cannot hold the payload, which is a VARIANT",
    "rate": "it is a source only",
}


def meant(name: str) -> str | None:
    """The format that a misspelt one was meant to be, if one comes close.

    >>> meant("jsn"), meant("json"), meant("delta")
    ('json', None, None)
    """
    return None if name in KNOWN else nearest(name, KNOWN)


def endpoint(role: str, entry: EndpointEntry | None, base: Path, place: Where, mistakes: Mistakes) -> Endpoint | None:
    """The endpoint that an entry describes; `role` is `source` or `sink`."""
    if entry is None:
        return None
    name = entry.format.lower() if entry.format.lower() in KNOWN else entry.format  # Spark does not mind the case
    options = dict(entry.__pydantic_extra__ or {})
    if role == "sink" and (why := NOT_SINKS.get(entry.format.lower())):
        mistakes.add(
            place((role, "format")),
            f"'{entry.format}' cannot be the format of the sink, for {why}: use json, parquet or kafka",
        )
    if name in FILES and entry.path is None:
        mistakes.add(place((role,)), f"The {role} needs the key 'path', because its format is {name}")
    own = {"servers": entry.servers, "topic": entry.topic}
    if name == "kafka":
        own = _kafka(role, entry, options, place, mistakes)
    options |= {key: value for key, value in own.items() if value is not None}
    return Endpoint(name, None if entry.path is None else located(entry.path, base), options)


def _kafka(
    role: str, entry: EndpointEntry, options: dict[str, str], place: Where, mistakes: Mistakes
) -> dict[str, str | None]:
    """Kafka's own options, from the keys `servers` and `topic`."""
    if missing := [f"'{key}'" for key in ("servers", "topic") if getattr(entry, key) is None]:
        keys = "key" if len(missing) == 1 else "keys"
        mistakes.add(
            place((role,)), f"The {role} needs the {keys} {listing(missing, 'and')}, because its format is kafka"
        )
    if entry.path is not None:
        mistakes.add(place((role, "path")), f"The {role} is kafka, which has no path: remove it")
    own = {"kafka.bootstrap.servers": entry.servers, "subscribe" if role == "source" else "topic": entry.topic}
    for key, instead in zip(own, ("servers", "topic"), strict=True):
        if key in options:
            mistakes.add(place((role, key)), f"'{key}' is what the key '{instead}' of the {role} sets: remove it")
    return own
