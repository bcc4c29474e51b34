"""How functions are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use; the result is kept on disk beside the source."""
    return njit(nogil=True, cache=True, boundscheck=False, error_model="numpy")(function)
