"""Publishers, subscribers or subscriptions from a table: Parquet, CSV or JSON lines, one file or a folder of them."""

from __future__ import annotations

import csv
import io
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.fs
import pyarrow.parquet

from sparing.deployment.mistakes import Mistakes, Place
from sparing.deployment.names import listing
from sparing.deployment.nested import gathered, gathered_row, key_of, read_json, told_apart
from sparing.deployment.paths import is_url
from sparing.deployment.schema import Entry, PublisherEntry, SubscriberEntry
from sparing.deployment.shape import keys_of, needed_keys, unknown_key

Row = dict[str, Any]

_COMPRESSED = {".gz", ".bz2", ".zst"}
_UNREADABLE = (OSError, ValueError, RecursionError, pa.ArrowException)


class EntryTable:
    """The rows of a table and where each comes from."""

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
        """The file, and the line of a row in it, or its number where there are no lines; both are counted from 1."""
        at = bisect_right(self._ends, index)
        file = self._files[at]
        row = index - (self._ends[at - 1] if at else 0)
        if file not in self._lines:
            self._lines[file] = _lines(file, self._contents[file])
        lines = self._lines[file]
        where = f"line {lines[row]}" if row < len(lines) else f"row {row + 1}"
        return Place(f"{file}, {where}", index, file)


def read_table(path: str, entry: type[Entry], mentioned: Place, mistakes: Mistakes) -> EntryTable:
    """The rows at a path or URL; what cannot be read is a mistake, at the place that mentions it or in the file."""
    table = EntryTable()
    try:
        filesystem, inner = _open(path)
        files = list(_files(filesystem, inner))
    except FileNotFoundError:
        mistakes.add(mentioned, f"There is no table {path}")
        return table
    except _UNREADABLE as error:
        mistakes.add(mentioned, f"The table {path} cannot be read: {_reason(error)}")
        return table
    readers = {_READERS.get(_suffix(file)) for file in files}
    reader = readers.pop() if len(readers) == 1 else None
    if reader is None:
        what = "must be a file" if files == [inner] else "must be a folder with files of one kind,"
        mistakes.add(mentioned, f"The table {path} {what} ending in {listing(_READERS)} (or compressed, as in .csv.gz)")
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
    """Name, age and size of the files of a table: what changes when the table does. Nothing if it cannot be seen."""
    try:
        filesystem, inner = _open(path)
        found = [filesystem.get_file_info(file) for file in _files(filesystem, inner)]
    except _UNREADABLE:
        return ()
    return tuple((info.path, info.mtime_ns, info.size) for info in found)


def _open(path: str) -> tuple[pa.fs.FileSystem, str]:
    if not is_url(path):
        return pa.fs.LocalFileSystem(), path
    filesystem, inner = pa.fs.FileSystem.from_uri(path.replace("s3a://", "s3://", 1))
    return filesystem, inner


def _files(filesystem: pa.fs.FileSystem, path: str) -> Iterator[str]:
    """The file itself, or the files of a folder in the order of their names, without those that Spark hides."""
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


Complain = Callable[[str], None]


def _parquet(content: bytes, entry: type[Entry], complain: Complain) -> list[Row]:
    table = pa.parquet.read_table(pa.BufferReader(content))
    return _rows(table, entry, complain)


def _csv(content: bytes, entry: type[Entry], complain: Complain) -> list[Row]:
    # Every column is read as text, so that an id such as 007 stays what it is; an empty cell is a missing value. Only
    # attributes, which have no type of their own, are told apart by what they look like.
    newlines = pa.csv.ParseOptions(newlines_in_values=True)
    with pa.csv.open_csv(pa.BufferReader(content), parse_options=newlines) as first:
        as_text = dict.fromkeys(first.schema.names, pa.string())
    options = pa.csv.ConvertOptions(column_types=as_text, strings_can_be_null=True, null_values=[""])
    table = pa.csv.read_csv(pa.BufferReader(content), convert_options=options, parse_options=newlines)
    rows = _rows(told_apart(table), entry, complain)
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


def _rows(table: pa.Table, entry: type[Entry], complain: Complain) -> list[Row]:
    """The rows of a table whose columns are keys of the entry; columns are checked once, not row by row."""
    valid, names = keys_of(entry), table.column_names
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            complain(f"The column '{name}' is given twice")
            return []
        if key_of(name) not in valid:
            complain(f"Column {unknown_key(name, entry.noun, valid, given=names)}")
        elif key_of(name) != name and key_of(name) in names:
            complain(f"The column '{key_of(name)}' is given twice: as a whole, and in parts as '{name}'")
            return []
    if missing := [key for key in needed_keys(entry) if key not in names]:
        complain(f"This table needs the column{'s'[: len(missing) - 1]} {listing(missing, 'and')}")
        return []
    table = gathered(table.select([name for name in names if key_of(name) in valid]))
    for at, column in enumerate(table.schema):
        if pa.types.is_timestamp(column.type):
            whole = pa.compute.cast(table.column(at), pa.timestamp("us", column.type.tz), safe=False)
            table = table.set_column(at, column.name, whole)
    rows: list[Row] = table.to_pylist(maps_as_pydicts="lossy")
    read_json(rows)
    return rows


def _json_lines(content: bytes, _: type[Entry], complain: Complain) -> list[Row]:
    # Not pyarrow's reader: it guesses types, and an id that looks like a date would not come back as it was.
    rows: list[Row] = []
    for number, line in _numbered(content):
        try:
            row = json.loads(line)
            rows.append(gathered_row(row) if isinstance(row, dict) else row)
        except ValueError as error:
            complain(f"Line {number} is not JSON: {_reason(error)}")
            return []
    return rows


def _numbered(content: bytes) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers."""
    return ((number, line) for number, line in enumerate(_text(content).split("\n"), 1) if line.strip())


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig")


def _json_starts(content: bytes) -> Iterator[int]:
    """The line of every row of JSON lines."""
    return (number for number, _ in _numbered(content))


def _csv_starts(content: bytes) -> Iterator[int]:
    """The line on which every row of a CSV file begins; a value may go on over several."""
    reader = csv.reader(io.StringIO(_text(content), newline=""))
    start, header = 1, True
    for row in reader:
        if row and not header:
            yield start
        start, header = reader.line_num + 1, header and not row


def _lines(file: str, content: bytes) -> list[int]:
    """The lines on which the rows of a file begin; nothing if it has no lines, or they cannot be told."""
    starts = _STARTS.get(_suffix(file))
    try:
        return [] if starts is None else list(starts(content))
    except csv.Error:
        return []


_STARTS = {".csv": _csv_starts, ".json": _json_starts, ".jsonl": _json_starts, ".ndjson": _json_starts}
_READERS = {".parquet": _parquet, ".csv": _csv, ".json": _json_lines, ".jsonl": _json_lines, ".ndjson": _json_lines}
