"""The base class of all errors that are shown to users."""

from __future__ import annotations


class SparingError(Exception):
    """An error that the user can fix. The message says what is wrong, where, and what to do; print it alone."""
