"""Differences between two versions of a deployment, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sparing.deployment.deployment import Deployment
from sparing.deployment.values import duration_text
from sparing.model.counted import counted
from sparing.model.types import FieldType

FOLLOWED = (
    "advertisements",
    "overlay",
    "outages",
    "subscribers",
    "subscriptions",
)  # parts that a running stream may change
_DURATIONS = ("watermark", "bucket", "within", "cycle", "patience", "hop")
_MOST = 3  # listed changes
_SECRET = re.compile("password|secret|token|credential|jaas", re.IGNORECASE)  # options whose values are not shown


def followed(old: Deployment, new: Deployment) -> str:
    """Return the differences in the parts that a running stream may change; "" if there are none."""
    if all(getattr(new, part) == getattr(old, part) for part in FOLLOWED):
        return ""
    texts = [
        _numbers(
            "publisher", {a.publisher: a for a in old.advertisements}, {a.publisher: a for a in new.advertisements}
        ),
        _numbers("subscription", {s.id: s for s in old.subscriptions}, {s.id: s for s in new.subscriptions}),
        _numbers("outage", *({(o.broker, o.start): o for o in version.outages} for version in (old, new))),
        _numbers("link", *({frozenset((k.one, k.other)): k for k in version.overlay.links} for version in (old, new))),
    ]
    return "; ".join(filter(None, texts)) or "subscribers moved"


def others(old: Deployment, new: Deployment) -> str:
    """Return the differences in all other keys, with both values; "" if there are none."""
    same = replace(new, **{part: getattr(old, part) for part in (*FOLLOWED, "tables")})
    if same == old:
        return ""
    changes = list(_changes("", old, same))
    more = [f"{counted(len(changes) - _MOST, 'more change')}"] if len(changes) > _MOST else []
    return "; ".join([*changes[:_MOST], *more])


def _numbers(what: str, before: Mapping[Any, Any], after: Mapping[Any, Any]) -> str:
    """Return the new number of things and the number of changes of each kind; "" without changes."""
    counts = {
        "new": len(after.keys() - before.keys()),
        "gone": len(before.keys() - after.keys()),
        "changed": sum(before[key] != after[key] for key in before.keys() & after.keys()),
    }
    changes = ", ".join(f"{count:,} {how}" for how, count in counts.items() if count)
    return f"{counted(len(after), what)} ({changes})" if changes else ""


def _changes(key: str, old: Any, new: Any) -> Iterator[str]:
    """Yield the keys of the deployment file whose values differ, with both values."""
    if old == new or key == "file":
        return
    if is_dataclass(old) and type(old) is type(new) and not isinstance(old, FieldType):
        for field in fields(old):
            yield from _changes(_joined(key, field.name), getattr(old, field.name), getattr(new, field.name))
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() | new.keys(), key=_named):
            yield from _changes(_joined(key, _named(name)), old.get(name), new.get(name))
    elif _SECRET.search(key):
        yield f"{key} has changed"
    else:
        yield f"{key} was {_value(key, old)} and is {_value(key, new)}"


def _joined(key: str, name: str) -> str:
    """Return the key of a part as in the file, where options are beside the other keys of a source."""
    if name == "options":
        return key
    if name == "bucket":
        return "bill.bucket"
    return f"{key}.{name}" if key else name


def _named(name: Any) -> str:
    return "-".join(sorted(name)) if isinstance(name, frozenset) else str(name)


def _value(key: str, value: Any) -> str:
    if value is None:
        return "not set"
    if is_dataclass(value) and not isinstance(value, FieldType):
        return "set"
    if isinstance(value, int) and key.rpartition(".")[2] in _DURATIONS:
        return duration_text(value)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
