"""Files that commands write, or one sentence why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sparing.model.errors import SparingError


def check_folders(*paths: Path | None) -> None:
    """Before anything takes long: files can be written only to folders that there are."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise SparingError(f"{path} cannot be written: there is no folder {path.parent}.")


def write_json(path: Path, what: Any) -> None:
    """Write JSON."""
    write_text(path, json.dumps(what, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SparingError(f"{path} cannot be written: {error.strerror}.") from None
