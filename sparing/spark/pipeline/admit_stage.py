"""The native part of admission: fields into their declared types, and the text of rows in which something does not fit.

Every row comes out. What is wrong with a row is told where rows are matched (see `flow.admit`).
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
TOP_K = "top_k"  # the column of a row's wish, unless a topic has a field of that name
LINE = "_line"  # the text that a row was read from, where there is one
SIZE = "_sparing_bytes"  # how long a row is that is too long, in bytes
FAULT = "_sparing_fault"  # what the source finds wrong with a text that Spark can read, as a `ReadFault`
ROW_BYTES = 1 << 20  # how long a row may be unless the deployment says otherwise
MOST_KEPT = 1_000  # characters that are kept of a row that is too long
FIELD = "field_"  # what starts the names of the columns that hold fields, once they have their types
TIMESTAMP_TEXT = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}  # microseconds

# Casts that lose nothing; every other change of type is refused.
_WIDENS = {
    "tinyint": {"smallint", "int", "bigint", "float", "double"},
    "smallint": {"int", "bigint", "float", "double"},
    "int": {"bigint", "double"},
    "float": {"double"},
    "date": {"timestamp"},
    "timestamp_ntz": {"timestamp"},
}


def union_fields(topics: Mapping[str, Topic]) -> dict[str, FieldType]:
    """The fields of all topics; a field that several topics have is the same in all of them."""
    return {name: type_ for topic in topics.values() for name, type_ in topic.fields.items()}


def admit(
    publications: DataFrame, interests: Interests, row_bytes: int = ROW_BYTES, ahead: int | None = None
) -> DataFrame:
    """publisher, topic, id, text, fault, size, misfit, top_k, latest, and the fields of all topics.

    All text that comes out is UTF-8, as Python needs it: bad bytes are replaced, and the row is marked as garbled. Rows
    of more than `row_bytes` are cut. `latest` is the event time from which on a row is from the future: `ahead`
    microseconds after the time of the micro-batch, which Spark keeps in its log, so that a retry decides the same.
    """
    topics = interests.plan.topics
    fields = union_fields(topics)
    _check_columns(publications, topics)
    publications = bounded(publications, row_bytes)
    given = {field.name.lower(): field for field in publications.schema.fields}
    units = {topic.time: topic.unit for topic in topics.values()}
    typed = {name: _typed(name, type_, given, units.get(name)) for name, type_ in fields.items()}
    rows = publications.select("*", *[expression.alias(FIELD + name) for name, expression in typed.items()])
    # In a step of its own, so that values that are looked at several times are cast once.
    checked = [_checked(name, type_, given, units).alias(FIELD + name) for name, type_ in fields.items()]
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
        _wish(given, fields).alias("top_k"),
        (F.lit(None).cast("long") if ahead is None else now + F.lit(ahead)).alias("latest"),
        *[_valid(FIELD + name, type_) for name, type_ in fields.items()],
    )


def bounded(publications: DataFrame, row_bytes: int) -> DataFrame:
    """The publications with their size where it is too large, and then with little of their text."""
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
    """Whether some text of a row is not UTF-8: the line that it was read from, or a column that Python gets to see."""
    names = [name.lower() for name, type_ in fields.items() if type_.name == "string"]
    seen = [LINE] if LINE in given else dict.fromkeys(["publisher", "topic", "id", CORRUPT, *names])
    texts = [_string(given[name]) for name in seen if name in given]
    return F.coalesce(reduce(or_, [~F.is_valid_utf8(text) for text in texts]), F.lit(False))


def _fault(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """What keeps a row from being read, as a `ReadFault`."""
    found = F.when(F.col(SIZE).isNotNull(), ReadFault.TOO_LONG.value).when(
        _garbled(given, fields), ReadFault.GARBLED.value
    )
    if CORRUPT in given:
        found = found.when(F.col(CORRUPT).isNotNull(), ReadFault.UNREADABLE.value)
    if FAULT in given:
        found = found.when(F.col(FAULT) != ReadFault.NONE.value, F.col(FAULT))
    return found.otherwise(ReadFault.NONE.value).cast("tinyint")


def _wish(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """To how many subscriptions at most a row wishes to go: NULL if it does not say, 0 if it cannot be understood."""
    column = given.get(TOP_K)
    if column is None or TOP_K in {name.lower() for name in fields}:
        return F.lit(None).cast("int")
    said = F.col(f"`{column.name}`")
    number = F.trim(said.cast("string")).try_cast("int")
    return F.when(said.isNotNull(), F.when(number > 0, number).otherwise(F.lit(0)))


def _check_columns(publications: DataFrame, topics: Mapping[str, Topic]) -> None:
    given = {name.lower() for name in publications.columns}
    if "publisher" not in given:
        raise SparingError(
            f"The publications have no column 'publisher' (only {', '.join(publications.columns) or 'none'}): "
            "add one that names who published each row."
        )
    for topic in topics.values():
        if topic.time.lower() not in given:
            raise SparingError(f"The publications have no column {topic.time!r}, the event time of topic {topic.name}.")


def _typed(name: str, type_: FieldType, given: Mapping[str, T.StructField], unit: str | None) -> Column:
    """A field in its declared type; what does not fit becomes NULL."""
    column = given.get(name.lower())
    if column is None:
        return F.lit(None).cast(type_.name)
    raw = F.col(f"`{column.name}`")
    has = column.dataType.simpleString()
    if unit is not None and (has in ("string", *_NUMBERS) or isinstance(column.dataType, T.DecimalType)):
        return _counted(raw, unit, type_)
    if has == type_.name:
        return raw
    if has == "string":
        return F.trim(raw).try_cast(type_.name)
    if type_.name in _WIDENS.get(has, ()) or isinstance(column.dataType, T.NullType):
        return raw.try_cast(type_.name)
    raise SparingError(
        f"Column {column.name} of the publications is {has}, but field {name} is declared as {type_.name}: "
        "cast the column, or declare the field as what it is."
    )


def _checked(
    name: str, type_: FieldType, given: Mapping[str, T.StructField], units: Mapping[str, str | None]
) -> Column:
    """A field in its type; NULL for dates and timestamps that Python cannot hold, or that depend on today."""
    value, column = F.col(FIELD + name), given.get(name.lower())
    if column is None or type_.kind not in (Kind.DATE, Kind.TIMESTAMP):
        return value
    moment = F.date_from_unix_date if type_.kind is Kind.DATE else F.timestamp_micros
    fits = value.between(moment(F.lit(type_.low)), moment(F.lit(type_.high)))
    if type_.kind is Kind.TIMESTAMP and column.dataType.simpleString() == "string" and units.get(name) is None:
        # Spark takes a time without a date for one of today; no other text is a timestamp but no date.
        fits &= F.col(f"`{column.name}`").try_cast("date").isNotNull()
    return F.when(fits, value)


def _counted(raw: Column, unit: str, type_: FieldType) -> Column:
    """A number of units since 1970 as a timestamp, to the nearest microsecond."""
    number = F.trim(raw.cast("string")).try_cast("decimal(38,18)")
    micros = F.round(F.try_multiply(number, F.lit(_UNITS[unit]).cast("decimal(7,0)")), 0)
    fits = micros.between(F.lit(type_.low), F.lit(type_.high))
    return F.when(fits, F.timestamp_micros(micros.try_cast("bigint")))


def _misfits(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> dict[str, Column]:
    """For each field that may have a value which does not fit its type: whether it has."""
    found = {}
    for name, type_ in fields.items():
        column = given.get(name.lower())
        if column is None or type_.kind is Kind.TEXT:
            continue
        if column.dataType.simpleString() == "string" or type_.kind in (Kind.DATE, Kind.TIMESTAMP):
            found[name] = F.col(f"`{column.name}`").isNotNull() & F.col(FIELD + name).isNull()
    return found


def _misfit(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """The texts of values that do not fit, in the order of the fields, with NULL for those that do; NULL if all do."""
    misfits = _misfits(given, fields)
    nothing = F.lit(None).cast("string")
    if not misfits:
        return F.lit(None).cast("array<string>")
    texts = []
    for name in fields:
        if name in misfits:
            said = F.make_valid_utf8(F.substring(_string(given[name.lower()]), 1, MOST_SAID))
            texts.append(F.when(misfits[name], said))
        else:
            texts.append(nothing)
    return F.when(reduce(or_, misfits.values()), F.array(*texts))


def _text(publications: DataFrame, given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """The row as it came, where it cannot be told from its fields: the line that it was read from, or all its columns.

    Rows whose columns are all fields are written out only if one does not fit or is not UTF-8.
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
    """The row's own id, else a hash of publisher and fields (the event time is one of them)."""
    publisher = F.col(f"`{given['publisher'].name}`")
    values = [F.col(FIELD + name) for name in sorted(fields)]
    # Hashing skips NULL, so without knowing where they are it would take (1, NULL) for (NULL, 1).
    hashed = F.hex(F.xxhash64(publisher, *values, *[value.isNull() for value in values]))
    if "id" not in given:
        return hashed
    return F.coalesce(_string(given["id"]), hashed)
