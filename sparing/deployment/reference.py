"""The reference of all keys in docs/deployment.md, generated from the schema.

`python -m sparing.deployment.reference docs/deployment.md` updates the page.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pydantic.fields import FieldInfo

from sparing.deployment.schema import (
    BillEntry,
    EndpointEntry,
    Entry,
    FileEntry,
    LimitsEntry,
    MergeEntry,
    OutageEntry,
    OverlayEntry,
    PolicyEntry,
    PricesEntry,
    PublisherEntry,
    RankEntry,
    SubscriberEntry,
    SubscriptionEntry,
    TimeEntry,
    TopicEntry,
)
from sparing.deployment.shape import choices, keys_of, wanted

BEGIN = "<!-- The keys: made by `python -m sparing.deployment.reference docs/deployment.md`. -->"
END = "<!-- End of the keys. -->"

_TITLES: dict[str, type[Entry]] = {
    "Top level": FileEntry,
    "Overlay": OverlayEntry,
    "Topics": TopicEntry,
    "Time": TimeEntry,
    "Merge": MergeEntry,
    "Publishers": PublisherEntry,
    "Rank": RankEntry,
    "Subscribers": SubscriberEntry,
    "Subscriptions": SubscriptionEntry,
    "Source and sink": EndpointEntry,
    "Policy": PolicyEntry,
    "Outages": OutageEntry,
    "Limits": LimitsEntry,
    "Bill": BillEntry,
    "Prices": PricesEntry,
}


def reference() -> str:
    """Return a table of keys for each part of the file, as Markdown."""
    return "\n\n".join(f"### {title}\n\n{entry.__doc__}\n\n{_table(entry)}" for title, entry in _TITLES.items())


def put_in_place(page: str) -> str:
    """Return the page with an updated reference."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}"


def _table(entry: type[Entry]) -> str:
    rows = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key, field in zip(keys_of(entry), entry.model_fields.values(), strict=True):
        rows.append(f"| `{key}` | {_value(field)} | {_default(field)} | {field.description} |")
    return "\n".join(rows)


def _value(field: FieldInfo) -> str:
    return " or ".join(f"`{value}`" for value in choices(field.annotation)) or wanted(field)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Entry):
        return "the defaults below"
    return "nothing" if value is None or value in ([], {}) else f"`{value}`"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(put_in_place(page.read_text(encoding="utf-8")), encoding="utf-8")
