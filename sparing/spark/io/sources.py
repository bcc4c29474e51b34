"""Sources: publications from files, Kafka, the rate generator, or any other Spark source.

Fields of text formats are read as text, so that admission can name the malformed field instead of losing the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from sparing.deployment.deployment import Deployment, Endpoint
from sparing.deployment.endpoints import similar_format
from sparing.flow.admit.admission import ReadFault
from sparing.model.errors import SparingError
from sparing.model.types import Kind
from sparing.spark.failures import cause, report_damaged_file
from sparing.spark.io.paths import as_pattern, hadoop_path
from sparing.spark.pipeline.admit_stage import CORRUPT, FAULT, LINE, MOST_KEPT, SIZE, TOP_K, union_fields

TEXT_FORMATS = ("json", "csv")
FILES = (*TEXT_FORMATS, "parquet", "orc", "avro")
_RECURSIVE = "recursiveFileLookup"
_RATE_LIMITS = ("maxfilespertrigger", "maxbytespertrigger")
_MAX_CSV_VALUE = 1 << 24  # characters of a value in CSV that can be read without much memory
_FIRST, _SECOND = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # halves of surrogate pairs
_HALF = rf"{_FIRST}(?!{_SECOND})|(?<!{_FIRST}){_SECOND}"


def read(spark: SparkSession, deployment: Deployment, streaming: bool) -> DataFrame:
    """Return the publications of a deployment's source."""
    source = deployment.needed_source()
    try:
        if source.format in FILES:
            _must_exist(spark, source)
            source = _file_by_file(spark, source) if streaming else source
        with report_damaged_file():
            return _READERS.get(source.format, _any)(spark, deployment, source, streaming)
    except (AnalysisException, Py4JJavaError) as error:
        raise _source_error(source, error) from None


def no_file_remark(spark: SparkSession, source: Endpoint, publications: DataFrame) -> str | None:
    """Return a sentence with a possible reason if a source of files has no files, None otherwise."""
    if source.format not in FILES or publications.inputFiles():
        return None
    sentence = f"No file was found in {source.path}."
    path, files = hadoop_path(spark, as_pattern(spark, str(source.path)))
    inside = [status for folder in files.globStatus(path) for status in files.listStatus(folder.getPath())]
    if any(status.isDirectory() for status in inside) and _RECURSIVE.lower() not in map(str.lower, source.options):
        sentence += f" Subfolders are not read: to read them, add {_RECURSIVE}: true to the source."
    return sentence


def _text_schema(deployment: Deployment) -> T.StructType:
    """Return the schema with all columns as text, including that of malformed lines."""
    wishes = [TOP_K] if any(ad.top_k is not None for ad in deployment.advertisements) else []
    names = ["publisher", "topic", "id", *wishes, *union_fields(deployment.topics)]
    columns = [T.StructField(name, T.StringType()) for name in dict.fromkeys(names)]
    return T.StructType([*columns, T.StructField(CORRUPT, T.StringType())])


def _json(spark: SparkSession, deployment: Deployment, source: Endpoint, streaming: bool) -> DataFrame:
    """Return the rows of JSON lines, with the original text for quarantine."""
    reader = spark.readStream if streaming else spark.read
    lines = reader.options(**source.options).text(_path(spark, source, streaming))
    bounded = _bounded(lines, F.col("value"), deployment)
    return _parsed(bounded.where(F.col(SIZE).isNotNull() | (F.trim(LINE) != "")), deployment, source)


def read_lines(spark: SparkSession, deployment: Deployment, lines: list[str]) -> DataFrame:
    """Return publications from JSON lines, read like those of a file."""
    rows = spark.createDataFrame([(line,) for line in lines], "value string")
    return _parsed(_bounded(rows, F.col("value"), deployment), deployment, Endpoint("json"))


def _bounded(rows: DataFrame, text: Column, deployment: Deployment) -> DataFrame:
    """Return texts, cut off if too long, with the original size of those that are cut.

    This is the first operator, so that no other copies a text that is too long.
    """
    size = F.octet_length(text).cast("long")
    long = size > deployment.limits.row_bytes
    return rows.select(
        F.when(long, F.substring(text, 1, MOST_KEPT)).otherwise(text).alias(LINE), F.when(long, size).alias(SIZE)
    )


def _parsed(bounded: DataFrame, deployment: Deployment, source: Endpoint) -> DataFrame:
    """Return the fields of JSON texts; texts that were too long are not parsed."""
    options = {**source.options, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
    schema = _text_schema(deployment)
    text, long = F.col(LINE), F.col(SIZE).isNotNull()
    return bounded.select(
        LINE,
        SIZE,
        F.when(long, ReadFault.NONE.value)
        .when(_has_trailing_data(text, schema, options), ReadFault.MORE.value)
        .when(_has_lone_surrogate(text), ReadFault.HALF.value)
        .otherwise(ReadFault.NONE.value)
        .alias(FAULT),
        F.from_json(F.when(~long, text), schema, options).alias("fields"),
    ).select(LINE, SIZE, FAULT, "fields.*")


def _has_trailing_data(text: Column, schema: T.StructType, options: Mapping[str, str]) -> Column:
    """Return whether data follows the first JSON value of a text, which Spark ignores.

    A text with one closing brace, at its end, has no trailing data. Others are parsed twice more, as the only item of
    an array and of an object: any trailing data breaks one of them.
    """
    one_brace = F.octet_length(F.substring_index(text, "}", 1)) + 1 == F.octet_length(text)
    items = F.from_json(F.concat(F.lit("["), text, F.lit("]")), T.ArrayType(T.StringType()), options)
    member = F.from_json(F.concat(F.lit('{"publisher":'), text, F.lit("}")), schema, options)
    alone = F.coalesce(F.size(items) == 1, F.lit(False)) & member[CORRUPT].isNull()
    return F.when(one_brace, F.lit(False)).otherwise(~alone)


def _has_lone_surrogate(text: Column) -> Column:
    """Return whether a text has the escape of half a surrogate pair, which Spark replaces by a question mark."""
    escapes = F.replace(text, F.lit("\\\\"), F.lit("  "))  # each remaining backslash begins an escape
    return F.when(text.contains("\\u"), escapes.rlike(_HALF)).otherwise(F.lit(False))


def _csv(spark: SparkSession, deployment: Deployment, source: Endpoint, streaming: bool) -> DataFrame:
    """Return the rows of CSV with a header. Spark's reader fails on values far above the limit."""
    most = deployment.limits.row_bytes
    bounds = {"maxColumns": str(most), "maxCharsPerColumn": str(max(most, _MAX_CSV_VALUE))}
    options = {"header": "true", "columnNameOfCorruptRecord": CORRUPT, "enforceSchema": "false", **bounds}
    options |= source.options
    # The columns are those of the files' header, in its order, so the header is read first.
    header = spark.read.options(**{**options, "inferSchema": "false"}).csv(_path(spark, source)).columns
    schema = T.StructType([T.StructField(name, T.StringType()) for name in [*header, CORRUPT]])
    reader = spark.readStream if streaming else spark.read
    return reader.schema(schema).options(**options).csv(_path(spark, source, streaming))


def _files(spark: SparkSession, _: Deployment, source: Endpoint, streaming: bool) -> DataFrame:
    batch = spark.read.format(source.format).options(**source.options).load(_path(spark, source))
    if not streaming:
        return batch
    reader = spark.readStream.schema(batch.schema).format(source.format).options(**source.options)
    return reader.load(_path(spark, source, streaming))


def _rate(spark: SparkSession, deployment: Deployment, source: Endpoint, streaming: bool) -> DataFrame:
    """Return an endless stream of generated publications: publishers in turn, fields computed from the row number.

    Numbers are from 0 to 99, text is one of ten words, the event time is the current time.
    """
    if not streaming:
        raise SparingError("Source format rate never ends, so it cannot be replayed: use 'sparing run'.")
    rows = spark.readStream.format("rate").options(**source.options).load()
    publishers = sorted({(a.publisher, a.topic) for a in deployment.advertisements})
    if not publishers:
        raise SparingError(
            "Source format rate generates publications for the deployment's publishers, and there are none: add one."
        )
    chosen = F.element_at(
        F.array(*[F.struct(F.lit(p).alias("publisher"), F.lit(t).alias("topic")) for p, t in publishers]),
        (F.col("value") % len(publishers) + 1).cast("int"),
    )
    times = {topic.time for topic in deployment.topics.values()}
    fields = []
    for name, type_ in union_fields(deployment.topics).items():
        number = F.pmod(F.xxhash64("value", F.lit(name)), F.lit(100))
        if name in times:
            made = F.col("timestamp")
        elif type_.kind is Kind.TEXT:
            made = F.concat(F.lit("word"), F.pmod(number, F.lit(10)).cast("string"))
        elif type_.kind is Kind.BOOLEAN:
            made = number < 50
        elif type_.kind is Kind.DATE:
            made = F.to_date("timestamp")
        elif type_.kind is Kind.TIMESTAMP:
            made = F.col("timestamp")
        else:
            made = number.cast(type_.name)
        fields.append(made.alias(name))
    return rows.withColumn("chosen", chosen).select("chosen.publisher", "chosen.topic", *fields)


def _kafka(spark: SparkSession, deployment: Deployment, source: Endpoint, streaming: bool) -> DataFrame:
    """Return the rows of messages whose value is a JSON object, as in a JSON file."""
    reader = spark.readStream if streaming else spark.read
    messages = reader.format("kafka").options(**source.options).load()
    return _parsed(_bounded(messages, F.col("value").cast("string"), deployment), deployment, source)


def _any(spark: SparkSession, _: Deployment, source: Endpoint, streaming: bool) -> DataFrame:
    reader = spark.readStream if streaming else spark.read
    configured = reader.format(source.format).options(**source.options)
    return configured.load(source.path) if source.path is not None else configured.load()


_READERS = {
    "json": _json,
    "csv": _csv,
    "parquet": _files,
    "orc": _files,
    "avro": _files,
    "rate": _rate,
    "kafka": _kafka,
}


def _path(spark: SparkSession, source: Endpoint, streaming: bool = False) -> str:
    """Return the source's path; for a stream, which cannot read a single file, a pattern for its name."""
    given = as_pattern(spark, str(source.path))
    if streaming and given == source.path:
        path, files = hadoop_path(spark, given)
        if files.exists(path) and files.getFileStatus(path).isFile():
            return f"{given[:-1]}[{given[-1]}]"
    return given


def _file_by_file(spark: SparkSession, source: Endpoint) -> Endpoint:
    """Return the source for a stream, with one file per micro-batch if its path has special characters of patterns.

    Spark would read a micro-batch of several files with such paths once for each of them.
    """
    if "\\" not in as_pattern(spark, str(source.path)):
        return source
    options = {key: value for key, value in source.options.items() if key.lower() not in _RATE_LIMITS}
    return replace(source, options={**options, "maxFilesPerTrigger": "1"})


def _must_exist(spark: SparkSession, source: Endpoint) -> None:
    if source.path is None:
        raise SparingError(f"Source format {source.format} needs a path: add path: to the source.")
    path, files = hadoop_path(spark, as_pattern(spark, source.path))
    if not files.globStatus(path):
        raise SparingError(f"The source {source.path} does not exist: check source.path in the deployment file.")


_CONNECTORS: Mapping[str, str] = {
    "kafka": "the Kafka connector is not on Spark's class path: add --conf spark.jars=FILE,FILE,... with its jars, "
    "which docs/operations.md lists under 'The Kafka connector'",
}


def _source_error(source: Endpoint, error: Exception) -> SparingError:
    text = str(error)
    if "UNABLE_TO_INFER_SCHEMA" in text:
        return SparingError(
            f"The source {source.path} has no {source.format} file that Spark can read: check its path and format."
        )
    missing = (
        "DATA_SOURCE_NOT_FOUND" in text
        or "Failed to find data source" in text
        or "Failed to find the data source" in text
    )
    if missing or "deploy the application as per the deployment section" in text:
        if (format_ := similar_format(source.format)) is not None:
            return SparingError(f"There is no source format {source.format!r}: did you mean {format_!r}?")
        why = _CONNECTORS.get(source.format, "no such data source is on Spark's class path")
        return SparingError(f"Source format {source.format} cannot be read: {why}.")
    return SparingError(f"Source format {source.format} cannot be read: {cause(error)}")
