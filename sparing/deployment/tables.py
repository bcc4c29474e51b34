"""Publishers, subscribers or subscriptions from a table: Parquet, CSV or JSON lines, one file or a folder of them."""

from __future__ import annotations

import csv
import io
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.fs
import pyarrow.parquet

from sparing.deployment.mistakes import Mistakes, Place, listing
from sparing.deployment.schema import Entry, PublisherEntry, SubscriberEntry
from sparing.deployment.shape import keys_of, needed_keys, unknown_key
from sparing.deployment.values import is_url

Row = dict[str, Any]

NESTED = ("attributes", "rank")  # keys whose values are mappings
_COMPRESSED = {".gz", ".bz2", ".zst"}
_UNREADABLE = (OSError, ValueError, RecursionError, pa.ArrowException)


class EntryTable:
    """The rows of a table, with the file and line of each."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._files: list[str] = []
        self._ends: list[int] = []
        self._contents: dict[str, bytes] = {}
        self._lines: dict[str, list[int]] = {}

    def add(self, file: str, content: bytes, rows: list[Row]) -> None:
        """Append the rows of one file."""
        self.rows += rows
        self._files.append(file)
        self._contents[file] = content
        self._ends.append(len(self.rows))

    def place(self, index: int) -> Place:
        """Return the file and line of a row, or its row number in files without lines; both count from 1."""
        at = bisect_right(self._ends, index)
        file = self._files[at]
        row = index - (self._ends[at - 1] if at else 0)
        if file not in self._lines:
            self._lines[file] = _lines(file, self._contents[file])
        lines = self._lines[file]
        where = f"line {lines[row]}" if row < len(lines) else f"row {row + 1}"
        return Place(f"{file}, {where}", index, file)


def read_table(path: str, entry: type[Entry], key_place: Place, mistakes: Mistakes) -> EntryTable:
    """Return the rows at a path or URL; a table or file that cannot be read is a mistake."""
    table = EntryTable()
    try:
        filesystem, inner = _open(path)
        files = list(_files(filesystem, inner))
    except FileNotFoundError:
        mistakes.add(key_place, f"The table {path} does not exist")
        return table
    except _UNREADABLE as error:
        mistakes.add(key_place, f"The table {path} cannot be read: {_reason(error)}")
        return table
    readers = {_READERS.get(_suffix(file)) for file in files}
    reader = readers.pop() if len(readers) == 1 else None
    if reader is None:
        what = "must be a file" if files == [inner] else "must be a folder with files of one kind,"
        mistakes.add(key_place, f"The table {path} {what} ending in {listing(_READERS)} (or compressed, as in .csv.gz)")
        return table
    for file in files:
        name = (
            file if filesystem.type_name == "local" else path if file == inner else f"{path}/{PurePosixPath(file).name}"
        )
        here = Place(name, -1, name)
        try:
            with filesystem.open_input_stream(file) as stream:
                content = stream.read()
                table.add(name, content, reader(content, entry, partial(mistakes.add, here)))
        except _UNREADABLE as error:
            mistakes.add(here, f"This table cannot be read: {_reason(error)}")
    return table


def version(path: str) -> tuple[tuple[str, int | None, int | None], ...]:
    """Return name, modification time and size of a table's files, to detect changes; () if it cannot be read."""
    try:
        filesystem, inner = _open(path)
        infos = [filesystem.get_file_info(file) for file in _files(filesystem, inner)]
    except _UNREADABLE:
        return ()
    return tuple((info.path, info.mtime_ns, info.size) for info in infos)


def _open(path: str) -> tuple[pa.fs.FileSystem, str]:
    if not is_url(path):
        return pa.fs.LocalFileSystem(), path
    filesystem, inner = pa.fs.FileSystem.from_uri(path.replace("s3a://", "s3://", 1))
    return filesystem, inner


def _files(filesystem: pa.fs.FileSystem, path: str) -> Iterator[str]:
    """Yield the file itself, or the files of a folder by name, without the files that Spark ignores."""
    info = filesystem.get_file_info(path)
    if info.type == pa.fs.FileType.NotFound:
        raise FileNotFoundError(path)
    if info.type == pa.fs.FileType.File:
        yield path
        return
    for inner in sorted(filesystem.get_file_info(pa.fs.FileSelector(path)), key=lambda info: str(info.path)):
        if inner.type == pa.fs.FileType.File and not inner.base_name.startswith(("_", ".")):
            yield inner.path


def _suffix(file: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePosixPath(file).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _reason(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


Report = Callable[[str], None]


def _parquet(content: bytes, entry: type[Entry], report: Report) -> list[Row]:
    table = pa.parquet.read_table(pa.BufferReader(content))
    return _rows(table, entry, report)


def _csv(content: bytes, entry: type[Entry], report: Report) -> list[Row]:
    # Every column is read as text, so that ids such as 007 keep their zeros; an empty cell is a missing value. Only
    # attributes, which have no declared type, are cast if all their values allow it.
    newlines = pa.csv.ParseOptions(newlines_in_values=True)
    with pa.csv.open_csv(pa.BufferReader(content), parse_options=newlines) as first:
        as_text = dict.fromkeys(first.schema.names, pa.string())
    options = pa.csv.ConvertOptions(column_types=as_text, strings_can_be_null=True, null_values=[""])
    table = pa.csv.read_csv(pa.BufferReader(content), convert_options=options, parse_options=newlines)
    rows = _rows(cast_attributes(table), entry, report)
    if entry in _FROM_TEXT:
        for row in rows:
            _FROM_TEXT[entry](row)
    return rows


def _subscriber_from_text(row: Row) -> None:
    if isinstance(at := row.get("at"), str):
        row["at"] = at.replace(",", " ").split()


def _publisher_from_text(row: Row) -> None:
    if isinstance(k := row.get("top_k"), str) and k.strip().isdecimal():
        row["top_k"] = int(k)
    if isinstance(rank := row.get("rank"), dict) and isinstance(fair := rank.get("fair"), str):
        row["rank"] = {**rank, "fair": {"true": True, "false": False}.get(fair.lower(), fair)}


_FROM_TEXT = {SubscriberEntry: _subscriber_from_text, PublisherEntry: _publisher_from_text}


def _rows(table: pa.Table, entry: type[Entry], report: Report) -> list[Row]:
    """Return the rows of a table, after checking its columns against the keys of the entry."""
    valid, names = keys_of(entry), table.column_names
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            report(f"The column '{name}' appears twice: remove one of them")
            return []
        if key_of_column(name) not in valid:
            report(f"Column {unknown_key(name, entry.noun, valid, given=names)}")
        elif key_of_column(name) != name and key_of_column(name) in names:
            report(f"Use either the column '{key_of_column(name)}' or columns such as '{name}', not both")
            return []
    if missing := [key for key in needed_keys(entry) if key not in names]:
        report(f"This table has no column {listing(missing, 'and')}: add {'it' if len(missing) == 1 else 'them'}")
        return []
    table = nest_columns(table.select([name for name in names if key_of_column(name) in valid]))
    for at, column in enumerate(table.schema):
        if pa.types.is_timestamp(column.type):
            micros = pa.compute.cast(table.column(at), pa.timestamp("us", column.type.tz), safe=False)
            table = table.set_column(at, column.name, micros)
    rows: list[Row] = table.to_pylist(maps_as_pydicts="lossy")
    parse_json_columns(rows)
    return rows


def _json_lines(content: bytes, _: type[Entry], report: Report) -> list[Row]:
    # pyarrow's reader infers types and would change ids that look like dates.
    rows: list[Row] = []
    for number, line in _numbered(content):
        try:
            row = json.loads(line)
            rows.append(nest_row(row) if isinstance(row, dict) else row)
        except ValueError as error:
            report(f"Line {number} is not JSON: {_reason(error)}")
            return []
    return rows


def _numbered(content: bytes) -> Iterator[tuple[int, str]]:
    """Return the non-empty lines with their numbers."""
    return ((number, line) for number, line in enumerate(_text(content).split("\n"), 1) if line.strip())


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig")


def _json_starts(content: bytes) -> Iterator[int]:
    """Return the line of every row of JSON lines."""
    return (number for number, _ in _numbered(content))


def _csv_starts(content: bytes) -> Iterator[int]:
    """Yield the first line of every row of a CSV file; a quoted value may span several lines."""
    reader = csv.reader(io.StringIO(_text(content), newline=""))
    start, header = 1, True
    for row in reader:
        if row and not header:
            yield start
        start, header = reader.line_num + 1, header and not row


def _lines(file: str, content: bytes) -> list[int]:
    """Return the first line of every row of a file; [] if the format has no lines or they cannot be parsed."""
    starts = _STARTS.get(_suffix(file))
    try:
        return [] if starts is None else list(starts(content))
    except csv.Error:
        return []


_STARTS = {".csv": _csv_starts, ".json": _json_starts, ".jsonl": _json_starts, ".ndjson": _json_starts}
_READERS = {".parquet": _parquet, ".csv": _csv, ".json": _json_lines, ".jsonl": _json_lines, ".ndjson": _json_lines}


def key_of_column(column: str) -> str:
    """Return the key of a column; a column of a nested key is named `key.part`.

    >>> key_of_column("attributes.weight"), key_of_column("id"), key_of_column("id.x")
    ('attributes', 'id', 'id.x')
    """
    key, _, part = column.partition(".")
    return key if part and key in NESTED else column


def nest_columns(table: pa.Table) -> pa.Table:
    """Replace columns named `key.part` by one struct column per key."""
    for key in NESTED:
        parts = [name for name in table.column_names if key_of_column(name) == key != name]
        if parts:
            columns = [table.column(part).combine_chunks() for part in parts]
            struct = pa.StructArray.from_arrays(columns, names=[part.removeprefix(f"{key}.") for part in parts])
            table = table.drop_columns(parts).append_column(key, struct)
    return table


def nest_row(row: Row) -> Row:
    """Replace columns named `key.part` of one row by one mapping per key."""
    if not any("." in column for column in row):
        return row
    nested: Row = {}
    for column, value in row.items():
        key = key_of_column(column)
        if key == column:
            nested[column] = value
        else:
            nested.setdefault(key, {})[column.removeprefix(f"{key}.")] = value
    return nested


def cast_attributes(table: pa.Table) -> pa.Table:
    """Cast text columns of attributes to numbers or booleans if every value allows it."""
    for at, name in enumerate(table.column_names):
        if key_of_column(name) == "attributes" != name:
            table = table.set_column(at, name, _cast(table.column(name)))
    return table


def _cast(column: pa.ChunkedArray) -> pa.ChunkedArray:
    for kind in (pa.float64(), pa.bool_()):
        try:
            return pa.compute.cast(column, kind)
        except pa.ArrowInvalid:
            continue
    return column


def parse_json_columns(rows: Sequence[Row]) -> None:
    """Replace JSON objects given as text in nested keys by mappings."""
    parse = cache(_parse_json)
    for row in rows:
        for key in NESTED:
            if isinstance(text := row.get(key), str):
                row[key] = parse(text)


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip().startswith("{") else text
    except (ValueError, RecursionError):
        return text  # the schema rejects it
