"""Field types: every value of a field as a *code*, so that one kind of interval serves them all.

A code keeps the order that Spark SQL gives the values of the type. Text is its own code; all other
values become whole numbers: booleans 0 and 1, dates days, timestamps microseconds (UTC), decimals their
unscaled digits, floating point numbers their bit pattern rearranged so that it ascends (minus infinity
first, NaN last, as in Spark; -0.0 and 0.0 are one). Each code has a *successor* with nothing in between,
so `x > 5` is `x >= successor(5)`, and every comparison becomes one half-open range of codes. That makes
equality, covering and disjointness of constraints exact and complete.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np

from sparing.model.errors import SparingError

Code = int | str
Value = bool | int | float | Decimal | str | date | datetime

EPOCH_DATE = date(1970, 1, 1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
BEGINNING, END_OF_TIME = -(1 << 63), (1 << 63) - 1  # the first and the last moment, in microseconds since 1970

# Event times lie in the years 1700 to 2199: in streams they reach pandas, which counts nanoseconds in 64 bits (1677 to
# 2262). No duration is longer than LONGEST, so whatever is reckoned from them (the ends of windows, cycles and merged
# events) is a time that Python and Spark can write, in the years 1 to 9999.
EARLIEST, LATEST = -8_520_336_000_000_000, 7_258_118_399_999_999
LONGEST = 36_525 * 86_400_000_000  # 100 years

_SIGN_MASK = 0x7FFF_FFFF_FFFF_FFFF


class Kind(Enum):
    """How the values of a type are compared and written."""

    BOOLEAN = "boolean"
    WHOLE = "whole"
    FLOATING = "floating"
    DECIMAL = "decimal"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"


NUMBERS = frozenset({Kind.WHOLE, Kind.FLOATING, Kind.DECIMAL})


def float_code(value: float) -> int:
    """The code of a double: ascending, NaN on top, one zero.

    >>> float_code(-0.0) == float_code(0.0) == 0
    True
    >>> float_code(float("-inf")) < float_code(-1.5) < float_code(2.0) < float_code(float("inf"))
    True
    >>> float_code(float("nan")) > float_code(float("inf"))
    True
    """
    if math.isnan(value):
        return NAN_CODE
    (bits,) = struct.unpack("<q", struct.pack("<d", value + 0.0))  # + 0.0 turns -0.0 into 0.0
    return int(bits) if bits >= 0 else int(bits) ^ _SIGN_MASK


def code_float(code: int) -> float:
    """The double behind a code.

    >>> code_float(float_code(-2.5))
    -2.5
    """
    bits = code if code >= 0 else code ^ _SIGN_MASK
    (value,) = struct.unpack("<d", struct.pack("<q", bits))
    return float(value)


def float_codes(values: np.ndarray) -> np.ndarray:
    """`float_code` for a whole column."""
    bits = (values.astype(np.float64) + 0.0).view(np.int64)
    codes = np.where(bits >= 0, bits, bits ^ np.int64(_SIGN_MASK))
    return np.where(np.isnan(values), np.int64(NAN_CODE), codes)


NAN_CODE = 0x7FF8_0000_0000_0000
_INFINITY = float("inf")
_INFINITY_CODE = float_code(_INFINITY)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A Spark SQL type, the range of its codes (`low`..`high`, both ends included; text has none)."""

    name: str
    kind: Kind
    low: int = 0
    high: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return self.name

    def code(self, value: Value) -> Code:
        """The code of a value that this type can hold exactly."""
        match self.kind:
            case Kind.TEXT:
                return str(value)
            case Kind.FLOATING:
                return float_code(float(value))  # type: ignore[arg-type]
            case Kind.DECIMAL:
                return int(Decimal(value).scaleb(self.scale))  # type: ignore[arg-type]
            case Kind.DATE:
                assert isinstance(value, date)
                return (value - EPOCH_DATE).days
            case Kind.TIMESTAMP:
                assert isinstance(value, datetime)
                return (value - EPOCH) // MICROSECOND
            case _:
                return int(value)  # type: ignore[arg-type]

    def value(self, code: Code) -> Value:
        """The value behind a code."""
        if isinstance(code, str):
            return code
        match self.kind:
            case Kind.BOOLEAN:
                return bool(code)
            case Kind.FLOATING:
                return code_float(code)
            case Kind.DECIMAL:
                return Decimal(code).scaleb(-self.scale)
            case Kind.DATE:
                return EPOCH_DATE + timedelta(days=code)
            case Kind.TIMESTAMP:
                return EPOCH + code * MICROSECOND
            case _:
                return code

    def at_least(self, number: int | float | Decimal) -> int:
        """The least code whose value is >= a number that the type itself may not hold exactly.

        >>> INT.at_least(Decimal("3.5"))
        4
        """
        if self.kind is Kind.FLOATING:
            return float_code(float(number))  # a literal becomes the nearest double, as in Spark
        return math.ceil(Fraction(number) * int(10**self.scale))  # decimal arithmetic would round at 28 digits

    def bound(self, code: Code | None) -> Code | None:
        """One spelling for each range end: codes that no value has move up to the next that one has."""
        if code is None or isinstance(code, str):
            return code
        if self.kind is Kind.FLOATING:
            if code == -1:  # the place of -0.0, which is stored as 0.0
                return 0
            if _INFINITY_CODE < code <= NAN_CODE:  # one NaN stands for all
                return NAN_CODE
            if self.name == "float":
                return _float32_bound(code)
        return code

    def clip(self, low: Code | None, high: Code | None) -> tuple[Code | None, Code | None] | None:
        """The half-open range in its one spelling (None = open end), or None if nothing lies in it."""
        low, high = self.bound(low), self.bound(high)
        if self.kind is Kind.TEXT:
            low = None if low == "" else low
            if high == "":
                return None
        else:
            if low is not None and low <= self.low:  # type: ignore[operator]
                low = None
            if high is not None and high > self.high:  # type: ignore[operator]
                high = None
            if low is not None and low > self.high:  # type: ignore[operator]
                return None
            if high is not None and high <= self.low:  # type: ignore[operator]
                return None
        if low is not None and high is not None and low >= high:  # type: ignore[operator]
            return None
        return low, high

    def literal(self, code: Code) -> str:
        """A code as Spark SQL text."""
        value = self.value(code)
        match self.kind:
            case Kind.TEXT:
                return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
            case Kind.BOOLEAN:
                return "true" if value else "false"
            case Kind.DATE:
                return f"DATE '{value}'"
            case Kind.TIMESTAMP:
                assert isinstance(value, datetime)
                return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat(sep=' ')}'"
            case Kind.FLOATING:
                number = float(value)  # type: ignore[arg-type]
                return f"double('{number}')" if number in (_INFINITY, -_INFINITY) else f"{number!r}D"
            case Kind.DECIMAL:
                return f"{value:f}"  # never with an exponent: that would be a double
            case _:
                return str(value)


def successor(code: Code) -> Code:
    """The next code: nothing lies between a code and its successor."""
    return code + "\0" if isinstance(code, str) else code + 1


def after_prefix(prefix: str) -> str | None:
    """The first text after every text that starts with `prefix`; None if there is none.

    >>> after_prefix("abc")
    'abd'
    """
    for at in range(len(prefix) - 1, -1, -1):
        point = ord(prefix[at])
        if point < 0x10FFFF:
            following = 0xE000 if point + 1 == 0xD800 else point + 1  # step over the surrogates
            return prefix[:at] + chr(following)
    return None


def _float32_bound(code: int) -> int:
    """The code of the least 32-bit float at or above a bound (bounds above infinity stay)."""
    if code > _INFINITY_CODE:
        return code
    wide = code_float(code)
    with np.errstate(over="ignore"):
        narrow = np.float32(wide)
        if float(narrow) < wide:
            narrow = np.nextafter(narrow, np.float32(np.inf))
    return float_code(float(narrow))


def _whole(name: str, bits: int) -> FieldType:
    return FieldType(name, Kind.WHOLE, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)


BOOLEAN = FieldType("boolean", Kind.BOOLEAN, 0, 1)
TINYINT = _whole("tinyint", 8)
SMALLINT = _whole("smallint", 16)
INT = _whole("int", 32)
BIGINT = _whole("bigint", 64)
FLOAT = FieldType("float", Kind.FLOATING, float_code(-_INFINITY), NAN_CODE)
DOUBLE = FieldType("double", Kind.FLOATING, float_code(-_INFINITY), NAN_CODE)
STRING = FieldType("string", Kind.TEXT)
DATE = FieldType("date", Kind.DATE, -719_162, 2_932_896)  # 0001-01-01 .. 9999-12-31
TIMESTAMP = FieldType("timestamp", Kind.TIMESTAMP, -62_135_596_800_000_000, 253_402_300_799_999_999)

_BY_NAME = {
    **{t.name: t for t in (BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, DATE, TIMESTAMP)},
    "byte": TINYINT,
    "short": SMALLINT,
    "integer": INT,
    "long": BIGINT,
    "real": FLOAT,
}
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)(?:\((\d+)(?:,(\d+))?\))?")
MOST_DIGITS = 18

TYPE_NAMES = (*sorted(_BY_NAME), "decimal(p,s)")


def field_type(name: str) -> FieldType:
    """The type of a Spark SQL type name.

    >>> field_type("decimal(10, 2)").scale
    2
    """
    plain = name.lower().replace(" ", "")
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    if decimal := _DECIMAL.fullmatch(plain):
        digits, scale = int(decimal[1] or 10), int(decimal[2] or 0)
        if not 1 <= digits <= MOST_DIGITS or scale > digits:
            raise SparingError(
                f"{name} is not a decimal that Sparing can hold: "
                f"give 1 to {MOST_DIGITS} digits, and no more decimals than digits."
            )
        most = 10**digits - 1
        return FieldType(f"decimal({digits},{scale})", Kind.DECIMAL, -most, most, scale)
    raise SparingError(f"{name!r} is not a field type: use one of {', '.join(TYPE_NAMES)}.")
