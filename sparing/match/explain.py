"""Explanations: the constraints of a subscription that an event fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sparing.match.columns import column
from sparing.model.box import Box
from sparing.model.errors import SparingError
from sparing.model.types import NAN_CODE, Code, FieldType, Kind


@dataclass(frozen=True, slots=True)
class Failure:
    """A constraint that an event fails: the field, the constraint as SQL, and the event's value."""

    field: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.wanted} fails: {self.field} is {self.found}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The constraints that an event fails, in the order of the fields; none if it matches."""

    failures: tuple[Failure, ...]

    @property
    def matches(self) -> bool:
        """Whether the event matches."""
        return not self.failures

    def __str__(self) -> str:
        return "It matches." if self.matches else "; ".join(map(str, self.failures)) + "."


def explain(event: Mapping[str, Any], box: Box | None, types: Mapping[str, FieldType]) -> Explanation:
    """Explain an event, given as values by field, and a box (None: empty)."""
    if unknown := sorted(set(event) - set(types)):
        raise SparingError(f"Field {unknown[0]} does not exist: use one of {', '.join(types)}.")
    if box is None:
        return Explanation((Failure("the subscription", "false", "one that nothing can match"),))
    return explain_codes({field: code_of(event.get(field), field, types[field]) for field in box.fields}, box, types)


def explain_codes(codes: Mapping[str, Code | None], box: Box, types: Mapping[str, FieldType]) -> Explanation:
    """Explain an event, given as codes by field, and a box."""
    failures = [
        Failure(field, constraint.sql(field, types[field]), _value_text(codes[field], types[field]))
        for field, constraint in box.constraints
        if not constraint.admits(codes[field])
    ]
    return Explanation(tuple(failures))


def _value_text(code: Code | None, type_: FieldType) -> str:
    if code is None:
        return "missing"
    return "NaN" if type_.kind is Kind.FLOATING and code == NAN_CODE else type_.literal(code)


def code_of(value: Any, field: str, type_: FieldType) -> Code | None:
    """Return the code of a Python value, None for NULL."""
    if value is None:
        return None
    try:
        values = column(pa.array([value]), type_)
    except (ValueError, OverflowError, pa.ArrowException) as error:  # Arrow also raises some of Python's errors
        raise SparingError(f"{value!r} is not a value of field {field}, which is {type_}: {error}.") from error
    if not values.valid[0]:
        return None
    return str(values.values[0]) if type_.kind is Kind.TEXT else int(values.codes()[0])
