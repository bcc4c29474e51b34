"""Edge lists as the Stanford Large Network Dataset Collection (SNAP) has them.

A line has the numbers of two nodes with blanks or tabs between them. Lines that begin with # are comments. A file whose
name ends in .gz is compressed.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path

from sparing.model.errors import SparingError

Edges = list[tuple[int, int]]


def read_edges(path: str | Path) -> Edges:
    """All edges of a file, in its order."""
    path = Path(path)
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            return edges_of(lines, str(path))
    except UnicodeDecodeError:
        raise SparingError(f"{path} is not text: an edge list has two node numbers on each line.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise SparingError(f"{path} is not a whole gzip file, as its name says.") from None
    except OSError as error:
        raise SparingError(f"{path} cannot be read: {error.strerror}.") from None


def edges_of(lines: Iterable[str], name: str) -> Edges:
    """The edges of lines of a file of some name.

    >>> edges_of(["# from to", "0 1", "", "1\\t2"], "graph.txt")
    [(0, 1), (1, 2)]
    """
    found = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or not all(word.isascii() and word.isdigit() for word in words):
            raise SparingError(f"Line {number} of {name} is not two node numbers: {line.strip()[:60]!r}.")
        found.append((int(words[0]), int(words[1])))
    if not found:
        raise SparingError(f"{name} has no edges.")
    return found
