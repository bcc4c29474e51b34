"""Shared by commands: output, progress, times, and a Spark session without Java output."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event, Thread
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape

from sparing.model.counted import counted, noun
from sparing.model.errors import SparingError
from sparing.model.types import EPOCH, MICROSECOND

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sparing.deployment.deployment import Deployment

out = Console()
err = Console(stderr=True)

MasterOption = typer.Option("local[*]", "--master", help="The Spark master, e.g. local[2] or spark://host:7077.")
ConfOption = typer.Option([], "--conf", help="A Spark setting; repeatable.", metavar="KEY=VALUE")


def say_error(error: object) -> None:
    """Print an error in one line on standard error."""
    err.print(f"[bold red]Error:[/] {escape(str(error))}", soft_wrap=True, highlight=False)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show progress of a step, then its duration."""
    what, begun = escape(what), time.perf_counter()
    with err.status(f"{what} ..."):
        yield
    err.print(f"[green]✓[/] {what} [dim]({time.perf_counter() - begun:.1f} s)[/]", highlight=False)


@contextmanager
def spark_session(
    master: str, conf: Sequence[str] = (), deployment: Deployment | None = None, *, bound: bool = False
) -> Iterator[SparkSession]:
    """A Spark session for one command, without Java output on the terminal; damaged files are reported in one sentence.

    While Java starts, the kernels that a deployment needs are compiled, or loaded from the cache.
    """
    from sparing.flow.warm import warm_up
    from sparing.spark.failures import report_damaged_file
    from sparing.spark.session import report_java_exit, session, stop

    settings = dict(_setting(text) for text in conf)
    with step(f"Starting Spark on {master}"), _quiet():
        if deployment is not None:
            Thread(target=warm_up, args=(deployment, bound), daemon=True).start()
        spark = session(master, settings=settings)
    try:
        with report_java_exit(spark), report_damaged_file():
            yield spark
    finally:
        with _quiet():
            stop(spark)


@contextmanager
def interruptible(stop: Event) -> Iterator[None]:
    """Ctrl-C requests an orderly stop; a second one interrupts."""

    def request_stop(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # errors of the interrupted batch are noise
        stop.set()

    previous = signal.signal(signal.SIGINT, request_stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise SparingError(f"--conf {text!r} is not a setting: write it as KEY=VALUE.")
    return key, value


def row_counts_text(counts: Mapping[str, int]) -> str:
    """Return the number of rows that a run wrote, as text."""
    return f"{counted(counts['notifications'], 'notification')}, {counted(counts['quarantine'], 'row')} in quarantine"


def say(text: str = "", style: str = "") -> None:
    """Print a line of plain text on standard output."""
    out.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def say_more(count: int, shown: int, one: str, many: str | None = None) -> None:
    """Print the number of list items that were not shown, if any."""
    if count > shown:
        left = counted(count - shown, f"more {one}", None if many is None else f"more {many}")
        say(f"  There {noun(count - shown, 'is', 'are')} {left}: --json lists all.")


def moment(text: str, option: str) -> datetime:
    """Return the time of an option in UTC; without a time zone it is in UTC."""
    try:
        time_ = datetime.fromisoformat(text)
        return time_.replace(tzinfo=UTC) if time_.tzinfo is None else time_.astimezone(UTC)
    except ValueError:
        raise SparingError(f"{option} {text!r} is not a time: write it as 2026-01-01T08:00:05Z.") from None
    except OverflowError:
        raise SparingError(f"{option} {text!r} is outside the years 1 to 9999 in UTC: use another time.") from None


def micros(text: str, option: str = "--at") -> int:
    """Return the time of an option in microseconds since 1970."""
    return (moment(text, option) - EPOCH) // MICROSECOND


def clock(since_1970: int) -> str:
    """Return a time in microseconds since 1970 as ISO text.

    >>> clock(1_500_000), clock(1_000_000)
    ('1970-01-01T00:00:01.500Z', '1970-01-01T00:00:01Z')
    """
    text = (EPOCH + since_1970 * MICROSECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text.replace(".000", "")


@contextmanager
def _quiet() -> Iterator[None]:
    """Discard standard error, which the starting Java process inherits."""
    sys.stderr.flush()
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)
