"""Files that commands write, or one sentence why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparing.model.errors import SparingError


def check_outputs(*paths: Path | None) -> None:
    """Before anything takes long: files can be written only to folders that there are, and not in place of one."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise SparingError(f"{path} cannot be written: there is no folder {path.parent}.")
        if path is not None and path.is_dir():
            raise SparingError(f"{path} cannot be written: it is a folder.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong inside is told as one sentence."""
    try:
        yield
    except OSError as error:
        raise SparingError(f"{path} cannot be written: {error.strerror or error}.") from None


def write_json(path: Path, what: Any) -> None:
    """Write JSON."""
    write_text(path, json.dumps(what, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text."""
    with writing(path):
        path.write_text(text, encoding="utf-8")
