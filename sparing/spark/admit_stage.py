"""The native part of admission: fields into their declared types, and the text of rows in which something does not fit.

Every row comes out. What is wrong with a row is told where rows are matched (see `flow.admit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from sparing.flow.interests import Interests
from sparing.model.errors import SparingError
from sparing.model.topic import Topic
from sparing.model.types import FieldType

CORRUPT = "_corrupt_record"
TOP_K = "top_k"  # the column of a row's wish, unless a topic has a field of that name
LINE = "_line"  # the text that a row was read from, where there is one
FIELD = "field_"  # what starts the names of the columns that hold fields, once they have their types
TIMESTAMP_TEXT = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}

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


def admit(publications: DataFrame, interests: Interests) -> DataFrame:
    """publisher, topic, id, text, malformed, garbled, misfit, top_k, and the fields of all topics.

    All text that comes out is UTF-8, as Python needs it: bad bytes are replaced, and the row is marked as garbled.
    """
    topics = interests.plan.topics
    fields = union_fields(topics)
    given = {field.name.lower(): field for field in publications.schema.fields}
    _check_columns(publications, topics, given)
    typed = {name: _typed(name, type_, given) for name, type_ in fields.items()}
    rows = publications.select("*", *[expression.alias(FIELD + name) for name, expression in typed.items()])
    topic = _string(given["topic"]) if "topic" in given else F.lit(None).cast("string")
    malformed = F.col(CORRUPT).isNotNull() if CORRUPT in given else F.lit(False)
    return rows.select(
        F.make_valid_utf8(_string(given["publisher"])).alias("publisher"),
        F.make_valid_utf8(topic).alias("topic"),
        F.make_valid_utf8(_identity(given, fields)).alias("id"),
        F.make_valid_utf8(_text(publications, given, fields)).alias("text"),
        malformed.alias("malformed"),
        _garbled(given, fields).alias("garbled"),
        _misfit(given, fields).alias("misfit"),
        _wish(given, fields).alias("top_k"),
        *[_valid(FIELD + name, type_) for name, type_ in fields.items()],
    )


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


def _wish(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """To how many subscriptions at most a row wishes to go: NULL if it does not say, 0 if it cannot be understood."""
    column = given.get(TOP_K)
    if column is None or TOP_K in {name.lower() for name in fields}:
        return F.lit(None).cast("int")
    said = F.col(f"`{column.name}`")
    number = F.trim(said.cast("string")).try_cast("int")
    return F.when(said.isNotNull(), F.when(number > 0, number).otherwise(F.lit(0)))


def _check_columns(publications: DataFrame, topics: Mapping[str, Topic], given: Mapping[str, T.StructField]) -> None:
    if "publisher" not in given:
        raise SparingError(
            f"The publications have no column 'publisher' (only {', '.join(publications.columns) or 'none'}): "
            "add one that names who published each row."
        )
    for topic in topics.values():
        if topic.time.lower() not in given:
            raise SparingError(f"The publications have no column {topic.time!r}, the event time of topic {topic.name}.")


def _typed(name: str, type_: FieldType, given: Mapping[str, T.StructField]) -> Column:
    """A field in its declared type; text that does not fit becomes NULL."""
    column = given.get(name.lower())
    if column is None:
        return F.lit(None).cast(type_.name)
    raw = F.col(f"`{column.name}`")
    has = column.dataType.simpleString()
    if has == type_.name:
        return raw
    if has == "string":
        return F.trim(raw).try_cast(type_.name)
    if type_.name in _WIDENS.get(has, ()) or isinstance(column.dataType, T.NullType):
        return raw.cast(type_.name)
    raise SparingError(
        f"Column {column.name} of the publications is {has}, but field {name} is declared as {type_.name}: "
        "cast the column, or declare the field as what it is."
    )


def _misfit(given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """Whether some field has a text that does not fit its type."""
    misfits = []
    for name, type_ in fields.items():
        column = given.get(name.lower())
        if column is not None and column.dataType.simpleString() == "string" and type_.name != "string":
            misfits.append(F.col(f"`{column.name}`").isNotNull() & F.col(FIELD + name).isNull())
    return reduce(or_, misfits) if misfits else F.lit(False)


def _text(publications: DataFrame, given: Mapping[str, T.StructField], fields: Mapping[str, FieldType]) -> Column:
    """The row as it came, where it cannot be told from its fields: the line that it was read from, or all its columns.

    Rows whose columns are all fields are written out only if one does not fit or is not UTF-8.
    """
    if LINE in given:
        return F.col(LINE)
    names = [F.col(f"`{column}`") for column in publications.columns if column != CORRUPT]
    whole = F.to_json(F.struct(*names), TIMESTAMP_TEXT)
    known = {"publisher", "topic", "id", CORRUPT, *(name.lower() for name in fields)}
    text = whole if given.keys() - known else F.when(_misfit(given, fields) | _garbled(given, fields), whole)
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
