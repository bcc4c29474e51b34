"""Paths in a deployment: relative to the folder of its file, unless they are absolute or URLs."""

from __future__ import annotations

import os.path
import re
from pathlib import Path

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def is_url(path: str) -> bool:
    """Whether a path names its file system, as `hdfs://` and `file:///` do."""
    return _SCHEME.match(path) is not None


def located(path: str, base: Path) -> str:
    """The absolute path, or the URL as it is.

    >>> located("out/", Path("/city"))
    '/city/out'
    >>> located("s3a://bucket/out", Path("/city"))
    's3a://bucket/out'
    """
    return path if is_url(path) else os.path.abspath(base / path)
