"""How functions are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use; the result is kept on disk beside the source, or in the user's cache folder."""
    try:
        return njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")(function)
    except RuntimeError:  # there is no folder that may be written to
        return njit(nogil=True, boundscheck=False, error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for what is called for every candidate: a call costs much, as it counts who holds each array."""
    try:
        return njit(nogil=True, cache=True, boundscheck=False, error_model="numpy", forceinline=True)(function)
    except RuntimeError:
        return njit(nogil=True, boundscheck=False, error_model="numpy", forceinline=True)(function)
