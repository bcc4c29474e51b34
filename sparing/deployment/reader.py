"""Reading a deployment: text, shape, then what its parts say about each other. Each pass reports all it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparing.deployment.build import build
from sparing.deployment.deployment import Deployment
from sparing.deployment.document import Document
from sparing.deployment.mistakes import DeploymentError, Mistake, Mistakes, Place
from sparing.deployment.sections import sections


def read(path: Path) -> Deployment:
    """Read and check a deployment file; paths in it are relative to its folder."""
    mistakes = Mistakes()
    document = Document(_text(path), str(path), mistakes)
    mistakes.stop_if_any()
    built = build(sections(document.value, document.place, path.parent), path.parent)
    return replace(built, file=path)


def from_mapping(description: Mapping[str, Any], base: Path) -> Deployment:
    """The deployment that a mapping describes as the file would; paths in it are relative to `base`."""
    return build(sections(description, _key_path, base), base)


def _key_path(path: Sequence[str | int]) -> Place:
    """Without a file, a place is a path of keys: `publishers[2].at`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return Place(text.lstrip(".") or "deployment")


def _text(path: Path) -> str:
    """The text of the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        reason = "there is no such file"
    except IsADirectoryError:
        reason = "this is a folder, not a deployment file"
    except UnicodeDecodeError:
        reason = "this file is not UTF-8 text"
    except (OSError, ValueError) as error:
        reason = f"this file cannot be read: {getattr(error, 'strerror', None) or error}"
    else:
        if text.strip():
            return text
        reason = "this file is empty: describe a deployment in it (see docs/deployment.md)"
    raise DeploymentError([Mistake(Place(str(path)), reason)])
