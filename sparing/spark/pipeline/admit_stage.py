"""The part of admission in Spark SQL: casts of fields to their declared types, and the text of rows with a fault.

It drops no row. The match stage rejects rows, with a reason (see `flow.admit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add, or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from sparing.flow.admit.admission import MOST_SAID, ReadFault
from sparing.flow.interests import Interests
from sparing.model.errors import SparingError
from sparing.model.topic import Topic
from sparing.model.types import FieldType, Kind

CORRUPT = "_corrupt_record"
TOP_K = "top_k"  # the column of a row's own top_k, unless a topic has a field of that name
LINE = "_line"  # the text from which a row was parsed, if there is one
SIZE = "_sparing_bytes"  # size in bytes of a row that is too long
FAULT = "_sparing_fault"  # `ReadFault` that the source finds in a text that Spark can parse
ROW_BYTES = 1 << 20  # default size limit of a row
MOST_KEPT = 1_000  # characters kept of a row that is too long
FIELD = "field_"  # prefix of the columns with cast fields
TIMESTAMP_TEXT = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}  # microseconds

# Lossless casts; other changes of type are rejected.
_WIDENS = {
    "tinyint": {"smallint", "int", "bigint", "float", "double"},
    "smallint": {"int", "bigint", "float", "double"},
    "int": {"bigint", "double"},
    "float": {"double"},
    "date": {"timestamp"},
    "timestamp_ntz": {"timestamp"},
}


def union_fields(topics: Mapping[str, Topic]) -> dict[str, FieldType]:
    """Return the fields of all topics; a field of several topics has the same type in all of them."""
    return {name: type_ for topic in topics.values() for name, type_ in topic.fields.items()}


def admit(
    publications: DataFrame, interests: Interests, row_bytes: int = ROW_BYTES, ahead: int | None = None
) -> DataFrame:
    """Return publisher, topic, id, text, fault, size, misfit, top_k, latest, and the fields of all topics.

    All text is valid UTF-8, as Python needs it: invalid bytes are replaced, and the row is marked as garbled. Rows of
    more than `row_bytes` are truncated. Event times after `latest` are from the future: it is `ahead` microseconds
    after the time of the micro-batch, which Spark keeps in its log, so that a retry decides the same.
    """
    topics = interests.plan.topics
    fields = union_fields(topics)
    _check_columns(publications, topics)
    publications = bounded(publications, row_bytes)
    given = {field.name.lower(): field for field in publications.schema.fields}
    units = {topic.time: topic.unit for topic in topics.values()}
    typed = {name: _cast(name, type_, given, units.get(name)) for name, type_ in fields.items()}
    rows = publications.select("*", *[expression.alias(FIELD + name) for name, expression in typed.items()])
    # A separate select, so that values are cast once, however often they are used.
    checked = [_in_range(name, type_, given, units).alias(FIELD + name) for name, type_ in fields.items()]
    rows = rows.select(*[F.col(f"`{column}`") for column in publications.columns], *checked)
    topic = _string(given["topic"]) if "topic" in given else F.lit(None).cast("string")
    now = F.unix_micros(F.current_timestamp())
    return rows.select(
        F.make_valid_utf8(_string(given["publisher"])).alias("publisher"),
        F.make_valid_utf8(topic).alias("topic"),
        F.make_valid_utf8(_identity(given, fields)).alias("id"),
        F.make_valid_utf8(_text(publications, given, fields)).alias("text"),
        _fault(given, fields).alias("fault"),
        F.col(SIZE).alias("size"),
        _misfit(given, fields).alias("misfit"),
        _top_k(given, fields).alias("top_k"),
        (F.lit(None).cast("long") if ahead is None else now + F.lit(ahead)).alias("latest"),
        *[_valid(FIELD + name, type_) for name, type_ in fields.items()],
    )


def bounded(publications: DataFrame, row_bytes: int) -> DataFrame:
    """Return publications with the size of those that are too long, and with their texts truncated."""
    if SIZE in publications.columns:
        return publications
    texts = [f for f in publications.schema.fields if isinstance(f.dataType, T.StringType | T.BinaryType)]
    sizes = [F.octet_length(f"`{f.name}`") for f in texts if f.name != CORRUPT]
    size = reduce(add, [F.coalesce(size, F.lit(0)).cast("long") for size in sizes], F.lit(0).cast("long"))
    if CORRUPT in publications.columns:
        size = F.coalesce(F.octet_length(CORRUPT).cast("long"), size)
    long, names = size > row_bytes, {f.name for f in texts}
    columns = [F.col(f"`{name}`") for name in publications.columns]
    cut = [
        F.when(long, F.substring(column, 1, MOST_KEPT)).otherwise(column).alias(name) if name in names else column
        for name, column in zip(publications.columns, columns, strict=True)
    ]
    return publications.select(*cut, F.when(long, size).alias(SIZE))


def _string(column: T.StructField) -> Column:
    return F.col(f"`{column.name}`").cast("string")


def _valid(name: str, type_: FieldType) -> Column:
    return F.make_valid_utf8(name).alias(name) if type_.name == "string" else F.col(name)


def _garbled(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Return whether a row has invalid UTF-8: in its line, or else in a column that Python reads."""
    names = [name.lower() for name, type_ in fields.items() if type_.name == "string"]
    read = [LINE] if LINE in given else dict.fromkeys(["publisher", "topic", "id", CORRUPT, *names])
    texts = [_string(given[name]) for name in read if name in given]
    return F.coalesce(reduce(or_, [~F.is_valid_utf8(text) for text in texts]), F.lit(False))


def _fault(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Return the `ReadFault` of a row."""
    fault = F.when(F.col(SIZE).isNotNull(), ReadFault.TOO_LONG.value).when(
        _garbled(given, fields), ReadFault.GARBLED.value
    )
    if CORRUPT in given:
        fault = fault.when(F.col(CORRUPT).isNotNull(), ReadFault.UNREADABLE.value)
    if FAULT in given:
        fault = fault.when(F.col(FAULT) != ReadFault.NONE.value, F.col(FAULT))
    return fault.otherwise(ReadFault.NONE.value).cast("tinyint")


def _top_k(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Return a row's own top_k: NULL if it has none, 0 if it is not a positive integer."""
    column = given.get(TOP_K)
    if column is None or TOP_K in {name.lower() for name in fields}:
        return F.lit(None).cast("int")
    value = F.col(f"`{column.name}`")
    number = F.trim(value.cast("string")).try_cast("int")
    return F.when(value.isNotNull(), F.when(number > 0, number).otherwise(F.lit(0)))


def _check_columns(publications: DataFrame, topics: Mapping[str, Topic]) -> None:
    given = {name.lower() for name in publications.columns}
    if "publisher" not in given:
        raise SparingError(
            f"The publications have no column 'publisher' (only {', '.join(publications.columns) or 'none'}): "
            "add one with the publisher of each row."
        )
    for topic in topics.values():
        if topic.time.lower() not in given:
            raise SparingError(
                f"The publications have no column {topic.time!r}, the event time of topic {topic.name}: add it."
            )


def _cast(name: str, type_: FieldType, given: Mapping[str, T.StructField], unit: str | None) -> Column:
    """Return a field in its declared type, NULL for values that cannot be cast."""
    column = given.get(name.lower())
    if column is None:
        return F.lit(None).cast(type_.name)
    raw = F.col(f"`{column.name}`")
    has = column.dataType.simpleString()
    if unit is not None and (has in ("string", *_NUMBERS) or isinstance(column.dataType, T.DecimalType)):
        return _since_1970(raw, unit, type_)
    if has == type_.name:
        return raw
    if has == "string":
        return F.trim(raw).try_cast(type_.name)
    if type_.name in _WIDENS.get(has, ()) or isinstance(column.dataType, T.NullType):
        return raw.try_cast(type_.name)
    raise SparingError(
        f"Column {column.name} of the publications is {has}, but field {name} is declared as {type_.name}: "
        f"cast the column, or declare the field as {has}."
    )


def _in_range(
    name: str, type_: FieldType, given: Mapping[str, T.StructField], units: Mapping[str, str | None]
) -> Column:
    """Return a cast field, NULL for dates and timestamps that Python cannot represent, or that depend on today."""
    value, column = F.col(FIELD + name), given.get(name.lower())
    if column is None or type_.kind not in (Kind.DATE, Kind.TIMESTAMP):
        return value
    moment = F.date_from_unix_date if type_.kind is Kind.DATE else F.timestamp_micros
    fits = value.between(moment(F.lit(type_.low)), moment(F.lit(type_.high)))
    if type_.kind is Kind.TIMESTAMP and column.dataType.simpleString() == "string" and units.get(name) is None:
        # Spark casts a time of day to a timestamp of today; no other text casts to a timestamp, but not to a date.
        fits &= F.col(f"`{column.name}`").try_cast("date").isNotNull()
    return F.when(fits, value)


def _since_1970(raw: Column, unit: str, type_: FieldType) -> Column:
    """Return a number of units since 1970 as a timestamp, to the nearest microsecond."""
    number = F.trim(raw.cast("string")).try_cast("decimal(38,18)")
    micros = F.round(F.try_multiply(number, F.lit(_UNITS[unit]).cast("decimal(7,0)")), 0)
    fits = micros.between(F.lit(type_.low), F.lit(type_.high))
    return F.when(fits, F.timestamp_micros(micros.try_cast("bigint")))


def _misfits(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> dict[str, Column]:
    """Return, for each field whose cast may fail, whether it failed."""
    failed = {}
    for name, type_ in fields.items():
        column = given.get(name.lower())
        if column is None or type_.kind is Kind.TEXT:
            continue
        if column.dataType.simpleString() == "string" or type_.kind in (Kind.DATE, Kind.TIMESTAMP):
            failed[name] = F.col(f"`{column.name}`").isNotNull() & F.col(FIELD + name).isNull()
    return failed


def _misfit(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Return the texts of values that cannot be cast, in the order of fields, NULL for the others; NULL if all can."""
    misfits = _misfits(given, fields)
    nothing = F.lit(None).cast("string")
    if not misfits:
        return F.lit(None).cast("array<string>")
    texts = []
    for name in fields:
        if name in misfits:
            text = F.make_valid_utf8(F.substring(_string(given[name.lower()]), 1, MOST_SAID))
            texts.append(F.when(misfits[name], text))
        else:
            texts.append(nothing)
    return F.when(reduce(or_, misfits.values()), F.array(*texts))


def _text(publications: DataFrame, given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Return the original row if its fields do not determine it: the line from which it was parsed, or all columns.

    If all columns are fields, the text is needed only for rows with a failed cast, invalid UTF-8 or too many bytes.
    """
    if LINE in given:
        return F.col(LINE)
    names = [F.col(f"`{column}`") for column in publications.columns if column not in (CORRUPT, SIZE)]
    whole = F.to_json(F.struct(*names), TIMESTAMP_TEXT)
    whole = F.when(F.col(SIZE).isNotNull(), F.substring(whole, 1, MOST_KEPT)).otherwise(whole)
    known = {"publisher", "topic", "id", CORRUPT, SIZE, *(name.lower() for name in fields)}
    needed = [_garbled(given, fields), F.col(SIZE).isNotNull(), *_misfits(given, fields).values()]
    text = whole if given.keys() - known else F.when(reduce(or_, needed), whole)
    return F.when(F.col(CORRUPT).isNotNull(), F.col(CORRUPT)).otherwise(text) if CORRUPT in given else text


def _identity(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Return the row's own id, else a hash of publisher and fields (the event time is one of them)."""
    publisher = F.col(f"`{given['publisher'].name}`")
    values = [F.col(FIELD + name) for name in sorted(fields)]
    # The hash skips NULL, so without the null flags (1, NULL) and (NULL, 1) would be equal.
    hashed = F.hex(F.xxhash64(publisher, *values, *[value.isNull() for value in values]))
    if "id" not in given:
        return hashed
    return F.coalesce(_string(given["id"]), hashed)
