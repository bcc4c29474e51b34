"""Decorators that compile functions with Numba."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit


def drop_stale(package: Path) -> bool:
    """Delete a package's cached machine code if a source of compiled functions has changed; return whether it has.

    Numba compares a function with its own source only. It would go on to use machine code with old copies of functions
    from other modules, and it fails if a class in a signature has been renamed.
    """
    texts = ((path, path.read_bytes()) for path in sorted(package.rglob("*.py")))
    digest = sha256()
    for path, text in texts:
        if b"sparing.compiled import" in text:
            digest.update(str(path.relative_to(package)).encode() + text)
    note, now = package / "__pycache__" / "compiled.digest", digest.hexdigest()
    with suppress(OSError):
        if note.exists() and note.read_text() == now:
            return False
        note.parent.mkdir(exist_ok=True)
        for index in package.rglob("__pycache__/*.nbi"):
            index.unlink(missing_ok=True)
        note.write_text(now)
    return True


drop_stale(Path(__file__).parent)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use. Machine code is cached beside the source, or in the user's cache folder."""
    try:
        return njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")(function)
    except RuntimeError:  # no writable cache folder
        return njit(nogil=True, boundscheck=False, error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function and inline its calls: a call would update the reference count of each array argument."""
    try:
        return njit(nogil=True, cache=True, boundscheck=False, error_model="numpy", forceinline=True)(function)
    except RuntimeError:
        return njit(nogil=True, boundscheck=False, error_model="numpy", forceinline=True)(function)
