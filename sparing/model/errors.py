"""The one error that users see: a sentence that says what is wrong, where, and what to do."""

from __future__ import annotations


class SparingError(Exception):
    """Something a user can put right. The message is complete: print it, and nothing else."""
