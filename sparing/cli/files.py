"""Output files of commands; errors are one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparing.model.errors import SparingError


def check_outputs(*paths: Path | None) -> None:
    """Check before the work starts that output files can be written: the folder exists, and the path is no folder."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise SparingError(f"{path} cannot be written: the folder {path.parent} does not exist.")
        if path is not None and path.is_dir():
            raise SparingError(f"{path} cannot be written: it is a folder.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report an I/O error as one sentence."""
    try:
        yield
    except OSError as error:
        raise SparingError(f"{path} cannot be written: {error.strerror or error}.") from None


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON."""
    write_text(path, json.dumps(value, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text."""
    with writing(path):
        path.write_text(text, encoding="utf-8")
