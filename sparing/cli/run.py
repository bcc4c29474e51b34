"""`sparing run`: the streaming pipeline of a deployment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, err, interruptible, say, spark_session, step, told

if TYPE_CHECKING:
    from sparing.spark.stream.micro_batch import MicroBatch

AT_LEAST_ONCE = (
    "The sink is written at least once: after a crash or a second Ctrl-C the last micro-batch may be there twice; "
    "drop duplicates by id."
)


def run(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    once: bool = typer.Option(False, "--once", help="Work through what is there, then stop."),
    log: str | None = typer.Option(
        None,
        "--log",
        help="Add a line of JSON per event of the stream to a file; - is standard error.",
        metavar="FILE",
    ),
    metrics_port: int | None = typer.Option(
        None, "--metrics-port", help="Serve metrics for Prometheus on this port, e.g. 9464.", min=0, max=65535
    ),
    metrics_host: str = typer.Option(
        "127.0.0.1", "--metrics-host", help="The address to serve them on; 0.0.0.0 lets other machines in."
    ),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Run a deployment as a stream; it goes on from its checkpoint where it stopped.

    Changes of the subscriptions, in the file or in the table that it names, are checked within seconds and take effect
    with the next micro-batch. Ctrl-C stops the stream once the micro-batch under way is written.
    Windows are notified once the watermark has passed their end, so the last ones stay open until later events come.

    Example: sparing run toronto.yaml --once

    Example: sparing run toronto.yaml --log toronto.jsonl --metrics-port 9464
    """
    with _logged(log, file), _served(metrics_host, metrics_port) as hear:
        _run(file, once, hear, master, conf)


def _run(file: Path, once: bool, hear: Callable[[MicroBatch], None] | None, master: str, conf: list[str]) -> None:
    from sparing.deployment.deployment import Deployment

    deployment = Deployment.read(file)
    deployment.needed_source()
    deployment.needed_sink()
    with spark_session(master, conf) as spark:
        from sparing.spark.io.sinks import is_at_least_once
        from sparing.spark.run import stream, wait
        from sparing.spark.stream.stopping import Stop

        totals = {"notifications": 0, "bill": 0, "quarantine": 0}

        def watch(batch: int, counts: Mapping[str, int]) -> None:
            for name, count in counts.items():
                totals[name] += count
            err.print(f"[dim]micro-batch {batch}:[/] {told(counts)}", highlight=False)

        def tell(sentence: str) -> None:
            err.print(sentence, highlight=False, markup=False)

        stop = Stop()
        with step("Preparing the stream"):
            query = stream(spark, deployment, once=once, watch=watch, tell=tell, hear=hear, stop=stop)
        if is_at_least_once(deployment.needed_sink()):
            err.print(AT_LEAST_ONCE, highlight=False, soft_wrap=True)
        with interruptible(stop):
            wait(query, stop)
        if stop.is_set():
            err.print("Stopped; run again to go on from the checkpoint.")
        say(f"{deployment.name}: {told(totals)}.")
        if deployment.sink is not None and deployment.sink.path is not None:
            say(f"The tables are in {deployment.sink.path}.")


@contextmanager
def _logged(where: str | None, file: Path) -> Iterator[None]:
    """Log what happens inside, also that it could not begin."""
    if where is None:
        yield
        return
    from sparing.spark.stream.logs import failures_logged, log_to

    with log_to(where), failures_logged(str(file)):
        yield


@contextmanager
def _served(host: str, port: int | None) -> Iterator[Callable[[MicroBatch], None] | None]:
    """Serve metrics; gives what must hear of every micro-batch."""
    if port is None:
        yield None
        return
    from sparing.spark.stream.prometheus import Metrics, serve

    metrics = Metrics()
    with serve(metrics, host, port) as taken:
        if port == 0:
            err.print(f"Metrics are served on http://{host}:{taken}/metrics.", markup=False, highlight=False)
        yield metrics.record
