"""The content of a record: its declared fields, without what was worked out from them since."""

from __future__ import annotations

import hashlib
import io
import pickle
from dataclasses import fields
from typing import Any


class Declared:
    """A dataclass of which only the declared fields are pickled; cached properties are worked out again."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def digest(value: object) -> str:
    """A digest of the content of a value: equal for equal values, in every process.

    >>> digest(("a", 1)) == digest(tuple(["a", 1])) != digest(("a", 2))
    True
    """
    written = io.BytesIO()
    pickler = pickle.Pickler(written, protocol=5)
    pickler.fast = True  # without back references, which tell whether two equal parts are one object
    pickler.dump(value)
    return hashlib.sha256(written.getbuffer()).hexdigest()
