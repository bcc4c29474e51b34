"""What commands share: where they print, how they show progress, how they start Spark quietly."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

out = Console()
err = Console(stderr=True)

MasterOption = typer.Option("local[*]", "--master", help="The Spark master, e.g. local[2] or spark://host:7077.")


def say_error(what: object) -> None:
    """One line on standard error."""
    err.print(f"[bold red]Error:[/] {_escaped(str(what))}", soft_wrap=True, highlight=False)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show that something is going on, then how long it took."""
    begun = time.perf_counter()
    with err.status(f"{what} ..."):
        yield
    err.print(f"[green]✓[/] {what} [dim]({time.perf_counter() - begun:.1f} s)[/]", highlight=False)


@contextmanager
def spark_session(master: str) -> Iterator[SparkSession]:
    """A Spark session for one command, without Java's chatter on the terminal."""
    from sparing.spark.session import session

    with step(f"Starting Spark on {master}"), _quiet():
        spark = session(master)
    try:
        yield spark
    finally:
        with _quiet():
            spark.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the Java process writes while it starts from the terminal (it inherits our standard error)."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
