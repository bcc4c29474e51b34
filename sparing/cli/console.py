"""What commands share: where they print, how they show progress, how they start Spark quietly."""

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

out = Console()
err = Console(stderr=True)

MasterOption = typer.Option("local[*]", "--master", help="The Spark master, e.g. local[2] or spark://host:7077.")
ConfOption = typer.Option([], "--conf", help="A Spark setting; may be given several times.", metavar="KEY=VALUE")


def say_error(what: object) -> None:
    """One line on standard error."""
    err.print(f"[bold red]Error:[/] {escape(str(what))}", soft_wrap=True, highlight=False)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show that something is going on, then how long it took."""
    what, begun = escape(what), time.perf_counter()
    with err.status(f"{what} ..."):
        yield
    err.print(f"[green]✓[/] {what} [dim]({time.perf_counter() - begun:.1f} s)[/]", highlight=False)


@contextmanager
def spark_session(master: str, conf: Sequence[str] = ()) -> Iterator[SparkSession]:
    """A Spark session for one command, without Java's chatter on the terminal; damaged files are told in one sentence.

    While Java starts, what the walk runs on is compiled, or loaded if that has been done before.
    """
    from sparing.flow.warm import warm_up
    from sparing.spark.failures import report_damaged_file
    from sparing.spark.session import report_java_exit, session, stop

    settings = dict(_setting(text) for text in conf)
    with step(f"Starting Spark on {master}"), _quiet():
        Thread(target=warm_up, daemon=True).start()
        spark = session(master, settings=settings)
    try:
        with report_java_exit(spark), report_damaged_file():
            yield spark
    finally:
        with _quiet():
            stop(spark)


@contextmanager
def interruptible(asked: Event) -> Iterator[None]:
    """Ctrl-C asks for an orderly stop instead of breaking off; a second one breaks off."""

    def ask(*_: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # what the broken-off batch has to say helps nobody
        asked.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise SparingError(f"--conf {text!r} is not a setting: write it as KEY=VALUE.")
    return key, value


def told(counts: Mapping[str, int]) -> str:
    """How many rows a run wrote, in words."""
    return f"{counted(counts['notifications'], 'notification')}, {counted(counts['quarantine'], 'row')} in quarantine"


def say(text: str = "", style: str = "") -> None:
    """A line of plain text on standard output."""
    out.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def say_more(count: int, shown: int, one: str, many: str | None = None) -> None:
    """Of how much of a list nothing was said, if anything was left out."""
    if count > shown:
        left = counted(count - shown, f"more {one}", None if many is None else f"more {many}")
        say(f"  There {noun(count - shown, 'is', 'are')} {left}: --json lists them all.")


def moment(text: str, option: str) -> datetime:
    """A time as an option gives it, in UTC; without a zone it is that already."""
    try:
        given = datetime.fromisoformat(text)
        return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except ValueError:
        raise SparingError(f"{option} {text!r} is not a time: write it as 2026-01-01T08:00:05Z.") from None
    except OverflowError:
        raise SparingError(f"{option} {text!r} is not in the years 1 to 9999 of UTC: choose a time that is.") from None


def micros(text: str, option: str = "--at") -> int:
    """A time as an option gives it, in microseconds since 1970."""
    return (moment(text, option) - EPOCH) // MICROSECOND


def clock(since: int) -> str:
    """A time in microseconds since 1970, for people.

    >>> clock(1_500_000), clock(1_000_000)
    ('1970-01-01T00:00:01.500Z', '1970-01-01T00:00:01Z')
    """
    text = (EPOCH + since * MICROSECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text.replace(".000", "")


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
