"""Reading a deployment in three passes: YAML, schema, references. Each pass reports all its mistakes together."""

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
    """Return the deployment of a file; paths in it are relative to its folder."""
    mistakes = Mistakes()
    document = Document(_text(path), str(path), mistakes)
    mistakes.stop_if_any()
    deployment = build(sections(document.value, document.place, path.parent), path.parent)
    return replace(deployment, file=path)


def from_mapping(description: Mapping[str, Any], base: Path) -> Deployment:
    """Return the deployment of a mapping with the keys of the file; paths are relative to `base`."""
    return build(sections(description, _key_path, base), base)


def _key_path(path: Sequence[str | int]) -> Place:
    """Return the place in a mapping, a path of keys such as `publishers[2].at`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return Place(text.lstrip(".") or "deployment")


def _text(path: Path) -> str:
    """Return the text of the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        reason = "this file does not exist"
    except IsADirectoryError:
        reason = "this is a folder: give the path of a deployment file"
    except UnicodeDecodeError:
        reason = "this file is not UTF-8 text: save it as UTF-8"
    except (OSError, ValueError) as error:
        reason = f"this file cannot be read: {getattr(error, 'strerror', None) or error}"
    else:
        if text.strip():
            return text
        reason = "this file is empty: write a deployment (see docs/deployment.md)"
    raise DeploymentError([Mistake(Place(str(path)), reason)])
