"""Field types, and the *codes* that represent their values.

Codes are ordered like the values in Spark SQL. Text is its own code. All other values become whole numbers:
booleans 0 and 1, dates days, timestamps microseconds (UTC), decimals their unscaled digits, floating point
numbers their bit pattern in ascending order (minus infinity first, NaN last, as in Spark; -0.0 and 0.0 have one
code). Each code has a *successor* with nothing in between, so `x > 5` is `x >= successor(5)`, and every
comparison becomes one half-open range of codes. Equality, covering and overlap of constraints are therefore exact.
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

# Event times are in the years 1700 to 2199: streams convert them to pandas, which has nanoseconds in 64 bits (1677 to
# 2262). No duration is longer than LONGEST, so the ends of windows, cycles and merged events are times that Python and
# Spark can represent, in the years 1 to 9999.
EARLIEST, LATEST = -8_520_336_000_000_000, 7_258_118_399_999_999
LONGEST = 36_525 * 86_400_000_000  # 100 years

_SIGN_MASK = 0x7FFF_FFFF_FFFF_FFFF


class Kind(Enum):
    """A family of types whose values are compared and written alike."""

    BOOLEAN = "boolean"
    WHOLE = "whole"
    FLOATING = "floating"
    DECIMAL = "decimal"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"


NUMBERS = frozenset({Kind.WHOLE, Kind.FLOATING, Kind.DECIMAL})


def float_code(value: float) -> int:
    """Return the code of a double: ascending, NaN last, one code for both zeros.

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
    """Return the double with a given code.

    >>> code_float(float_code(-2.5))
    -2.5
    """
    bits = code if code >= 0 else code ^ _SIGN_MASK
    (value,) = struct.unpack("<d", struct.pack("<q", bits))
    return float(value)


def float_codes(values: np.ndarray) -> np.ndarray:
    """Return the codes of a column of doubles, see `float_code`."""
    bits = (values.astype(np.float64) + 0.0).view(np.int64)
    codes = np.where(bits >= 0, bits, bits ^ np.int64(_SIGN_MASK))
    return np.where(np.isnan(values), np.int64(NAN_CODE), codes)


def code_floats(codes: np.ndarray) -> np.ndarray:
    """Return the doubles with given codes, see `code_float`."""
    return np.where(codes >= 0, codes, codes ^ np.int64(_SIGN_MASK)).view(np.float64)


NAN_CODE = 0x7FF8_0000_0000_0000
_INFINITY = float("inf")
_INFINITY_CODE = float_code(_INFINITY)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A Spark SQL type with the range of its codes: `low` to `high`, both included; unused for text."""

    name: str
    kind: Kind
    low: int = 0
    high: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return self.name

    def code(self, value: Value) -> Code:
        """Return the code of a value that this type can represent exactly."""
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
        """Return the value with a given code."""
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
        """Return the least code whose value is >= a number, which the type may be unable to represent exactly.

        >>> INT.at_least(Decimal("3.5"))
        4
        """
        if self.kind is Kind.FLOATING:
            return float_code(float(number))  # a literal becomes the nearest double, as in Spark
        return math.ceil(Fraction(number) * int(10**self.scale))  # decimal arithmetic would round at 28 digits

    def canonical_bound(self, code: Code | None) -> Code | None:
        """Return a range end in canonical form: a code without a value becomes the next code with one."""
        if code is None or isinstance(code, str):
            return code
        if self.kind is Kind.FLOATING:
            if code == -1:  # the place of -0.0, which is stored as 0.0
                return 0
            if _INFINITY_CODE < code <= NAN_CODE:  # all NaNs have one code
                return NAN_CODE
            if self.name == "float":
                return _float32_bound(code)
        return code

    def clip(self, low: Code | None, high: Code | None) -> tuple[Code | None, Code | None] | None:
        """Return a half-open range in canonical form (None = open end), or None if it is empty."""
        low, high = self.canonical_bound(low), self.canonical_bound(high)
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
        """Return the Spark SQL literal of a code."""
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
                return f"{value:f}"  # without an exponent, which would make it a double
            case _:
                return str(value)


def successor(code: Code) -> Code:
    """Return the next code; there is none between a code and its successor."""
    return code + "\0" if isinstance(code, str) else code + 1


def after_prefix(prefix: str) -> str | None:
    """Return the first text after every text that starts with `prefix`; None if there is none.

    >>> after_prefix("abc")
    'abd'
    """
    for position in range(len(prefix) - 1, -1, -1):
        point = ord(prefix[position])
        if point < 0x10FFFF:
            following = 0xE000 if point + 1 == 0xD800 else point + 1  # skip the surrogates
            return prefix[:position] + chr(following)
    return None


def _float32_bound(code: int) -> int:
    """Return the code of the least 32-bit float at or above a bound; bounds above infinity do not change."""
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
    """Return the type with a Spark SQL type name.

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
                f"{name} is not supported: use a decimal with 1 to {MOST_DIGITS} digits and a scale of at most as many."
            )
        most = 10**digits - 1
        return FieldType(f"decimal({digits},{scale})", Kind.DECIMAL, -most, most, scale)
    raise SparingError(f"{name!r} is not a field type: use one of {', '.join(TYPE_NAMES)}.")
