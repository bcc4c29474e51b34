"""Sources and sinks: Spark formats with paths and options."""

from __future__ import annotations

from pathlib import Path

from sparing.deployment.deployment import Endpoint
from sparing.deployment.mistakes import Mistakes, listing
from sparing.deployment.schema import EndpointEntry
from sparing.deployment.sections import Where
from sparing.deployment.values import absolute_path
from sparing.language.errors import nearest

FILES = ("json", "csv", "parquet", "orc")
KNOWN = (*FILES, "rate", "kafka")
NOT_SINKS = {
    "csv": "it cannot store the payload, a VARIANT",
    "orc": "it cannot store the payload, a VARIANT",
    "text": "it cannot store the payload, a VARIANT",
    "rate": "it is only a source",
}


def similar_format(name: str) -> str | None:
    """Return the known format that a misspelled name is close to, if any.

    >>> similar_format("jsn"), similar_format("json"), similar_format("delta")
    ('json', None, None)
    """
    return None if name in KNOWN else nearest(name, KNOWN)


def endpoint(role: str, entry: EndpointEntry | None, base: Path, place: Where, mistakes: Mistakes) -> Endpoint | None:
    """Return the endpoint of an entry; `role` is `source` or `sink`."""
    if entry is None:
        return None
    name = entry.format.lower() if entry.format.lower() in KNOWN else entry.format  # Spark ignores case
    options = dict(entry.__pydantic_extra__ or {})
    if role == "sink" and (why := NOT_SINKS.get(entry.format.lower())):
        mistakes.add(
            place((role, "format")),
            f"The sink cannot use the format '{entry.format}': {why}; use json, parquet or kafka",
        )
    if name in FILES and entry.path is None:
        mistakes.add(place((role,)), f"The {role} has no path: add the key 'path', which the format {name} requires")
    own = {"servers": entry.servers, "topic": entry.topic}
    if name == "kafka":
        own = _kafka(role, entry, options, place, mistakes)
    options |= {key: value for key, value in own.items() if value is not None}
    return Endpoint(name, None if entry.path is None else absolute_path(entry.path, base), options)


def _kafka(
    role: str, entry: EndpointEntry, options: dict[str, str], place: Where, mistakes: Mistakes
) -> dict[str, str | None]:
    """Return Kafka options from the keys `servers` and `topic`."""
    if missing := [f"'{key}'" for key in ("servers", "topic") if getattr(entry, key) is None]:
        keys = "key" if len(missing) == 1 else "keys"
        mistakes.add(place((role,)), f"Add the {keys} {listing(missing, 'and')} to the {role}: kafka requires them")
    if entry.path is not None:
        mistakes.add(place((role, "path")), f"The {role} is kafka, which has no path: remove the key path")
    own = {"kafka.bootstrap.servers": entry.servers, "subscribe" if role == "source" else "topic": entry.topic}
    for key, instead in zip(own, ("servers", "topic"), strict=True):
        if key in options:
            mistakes.add(place((role, key)), f"The key '{instead}' of the {role} already sets '{key}': remove '{key}'")
    return own
