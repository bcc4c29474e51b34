"""Why an event matches a subscription, or why not."""

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
    """A constraint that an event does not satisfy: the field, what was asked for as SQL, and the value it has."""

    field: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.wanted} fails: {self.field} is {self.found}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The constraints that failed, in the order of the fields; if none did, the event matches."""

    failures: tuple[Failure, ...]

    @property
    def matches(self) -> bool:
        """Whether the event matches."""
        return not self.failures

    def __str__(self) -> str:
        return "It matches." if self.matches else "; ".join(map(str, self.failures)) + "."


def explain(event: Mapping[str, Any], box: Box | None, types: Mapping[str, FieldType]) -> Explanation:
    """Hold one event, given as values by field, against a box."""
    if unknown := sorted(set(event) - set(types)):
        raise SparingError(f"There is no field {unknown[0]}: the fields are {', '.join(types)}.")
    if box is None:
        return Explanation((Failure("the subscription", "false", "one that nothing can match"),))
    return explain_codes({field: code_of(event.get(field), field, types[field]) for field in box.fields}, box, types)


def explain_codes(codes: Mapping[str, Code | None], box: Box, types: Mapping[str, FieldType]) -> Explanation:
    """Hold an event, given by the codes of its fields, against a box."""
    failures = [
        Failure(field, constraint.sql(field, types[field]), _written(codes[field], types[field]))
        for field, constraint in box.constraints
        if not constraint.admits(codes[field])
    ]
    return Explanation(tuple(failures))


def _written(code: Code | None, kind: FieldType) -> str:
    if code is None:
        return "missing"
    return "NaN" if kind.kind is Kind.FLOATING and code == NAN_CODE else kind.literal(code)


def code_of(value: Any, field: str, kind: FieldType) -> Code | None:
    """The code of a Python value, None for a missing one."""
    if value is None:
        return None
    try:
        found = column(pa.array([value]), kind)
    except (ValueError, OverflowError, pa.ArrowException) as error:  # Arrow lets some of Python's own errors through
        raise SparingError(f"{value!r} is not a value of field {field}, which is {kind}: {error}.") from error
    if not found.valid[0]:
        return None
    return str(found.values[0]) if kind.kind is Kind.TEXT else int(found.codes()[0])
