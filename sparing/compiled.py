"""Decorators that compile functions with Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


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
