"""`sparing repair`: find damage in the checkpoint of a stream, and repair it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, clock, micros, say, spark_session, step
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sparing.deployment.deployment import Deployment


def repair(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    *,
    fix: bool = typer.Option(False, "--fix", help="Repair all damage that can be repaired without losing results."),
    redo: int | None = typer.Option(
        None, "--redo", help="Repeat this micro-batch and all later ones.", metavar="BATCH", min=0
    ),
    skip_batch: bool = typer.Option(False, "--skip-batch", help="Skip the current micro-batch; its rows are kept."),
    skip_file: str | None = typer.Option(None, "--skip-file", help="Move a file out of the source.", metavar="PATH"),
    watermark: str | None = typer.Option(None, "--watermark", help="Reset the watermark to this time.", metavar="TIME"),
    moved: bool = typer.Option(False, "--moved", help="Continue without results that were moved out of the sink."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Report damage in the checkpoint and the sink of a deployment, with possible repairs; an option runs one of them.

    Stop the stream first. Nothing is deleted: files removed from the checkpoint, the sink or the source are moved to
    its folder set-aside. The exit status is 0 if no damage remains.

    Example: sparing repair toronto.yaml

    Example: sparing repair toronto.yaml --fix
    """
    from sparing.deployment.deployment import Deployment
    from sparing.deployment.values import absolute_path

    deployment = Deployment.read(file)
    at = None if watermark is None else micros(watermark, "--watermark")
    requested = [fix, redo is not None, skip_batch, skip_file is not None, watermark is not None, moved]
    if sum(requested) > 1:
        raise SparingError("Several repairs at once: use one option, and check its result before the next.")
    with spark_session(master, conf) as spark:
        from sparing.spark.run import checkpoint_of
        from sparing.spark.tools.repair.skip import skip_batch as skip_current_batch
        from sparing.spark.tools.repair.skip import skip_file as move_out
        from sparing.spark.tools.repair.watermark import reset

        checkpoint, sink = checkpoint_of(deployment), deployment.needed_sink()
        done: list[str] = []
        if any(requested):
            _check_exists(spark, checkpoint)
        if fix:
            from sparing.spark.tools.repair.fix import fix as fix_checkpoint

            done = fix_checkpoint(spark, checkpoint, sink)
        elif redo is not None:
            from sparing.spark.tools.repair.rewind import redo as redo_from

            done = redo_from(spark, checkpoint, sink, redo)
        elif skip_batch:
            done = skip_current_batch(spark, checkpoint)
        elif skip_file is not None:
            done = move_out(spark, checkpoint, absolute_path(skip_file, Path.cwd()))
        elif at is not None:
            done = reset(spark, checkpoint, at)
        elif moved:
            done = _continue_without_missing(spark, checkpoint, deployment)
        for sentence in done:
            say(sentence)
        with step(f"Checking {checkpoint}"):
            undamaged = _report(spark, deployment, checkpoint, file)
    if not undamaged:
        raise typer.Exit(1)


def _check_exists(spark: SparkSession, checkpoint: str) -> None:

    from sparing.spark.io.paths import hadoop_path

    place, files = hadoop_path(spark, checkpoint)
    if not files.exists(place):
        raise SparingError(f"The checkpoint {checkpoint} does not exist: run the stream first, or correct the path.")


def _continue_without_missing(spark: SparkSession, checkpoint: str, deployment: Deployment) -> list[str]:
    from sparing.spark.stream.written_files import WrittenFiles, batches_text

    written, sink = WrittenFiles(spark, checkpoint), deployment.needed_sink()
    missing = sorted({batch for batches in written.missing(sink).values() for batch in batches})
    if not missing:
        return ["All committed results are in the sink."]
    written.replace({batch: rows for batch, rows in written.read().items() if batch not in missing})
    return [f"The stream will continue without the results of {batches_text(missing)}."]


def _report(spark: SparkSession, deployment: Deployment, checkpoint: str, file: Path) -> bool:
    """Print the state of checkpoint, watermark and results; return whether there is no damage."""
    from sparing.spark.tools.repair.findings import findings
    from sparing.spark.tools.repair.spark_logs import COMMITS, OFFSETS, spark_log

    _check_exists(spark, checkpoint)
    damage = findings(spark, checkpoint)
    planned, committed = (spark_log(spark, checkpoint, name).last for name in (OFFSETS, COMMITS))
    say(f"{checkpoint}: the last committed micro-batch is {'none' if committed is None else committed}", "bold")
    if planned is not None and planned != committed:
        say(f"  micro-batch {planned} is not committed: a start repeats it")
    for finding in damage:
        say(f"  damaged    {finding.file}: {finding.what}")
    if damage:
        say(f"  to do      sparing repair {file} --fix")
        return False
    say("  checkpoint undamaged")
    not_ahead = _watermark(spark, deployment, checkpoint, file)
    return _results(spark, deployment, checkpoint, file) and not_ahead


def _results(spark: SparkSession, deployment: Deployment, checkpoint: str, file: Path) -> bool:
    from sparing.spark.stream.written_files import WrittenFiles, batches_text

    missing = WrittenFiles(spark, checkpoint).missing(deployment.needed_sink())
    for table, batches in missing.items():
        say(f"  missing    {table} of {batches_text(batches)}")
    if not missing:
        say("  results    complete: all committed results are in the sink")
        return True
    first = min(min(batches) for batches in missing.values())
    say(f"  to do      sparing repair {file} --redo {first}, to write them again,")
    say(f"             or sparing repair {file} --moved, to continue without them")
    return False


def _watermark(spark: SparkSession, deployment: Deployment, checkpoint: str, file: Path) -> bool:
    """Print the watermark; return whether it is not in the future."""
    import time

    from sparing.spark.tools.repair.watermark import before_jump, watermark

    now, current = int(time.time() * 1_000_000), watermark(spark, checkpoint)
    if current is None:
        return True
    ahead = current > now + (deployment.ahead or 0)
    say(f"  watermark  {clock(current)}{', in the future: all rows until then are late' if ahead else ''}")
    if not ahead:
        return True
    jump = before_jump(spark, checkpoint, now)
    if jump is not None:
        say(f"  to do      sparing repair {file} --redo {jump}, to repeat all later micro-batches")
    say(f"  {'           or' if jump is not None else 'to do     '} sparing repair {file} --watermark {clock(now)}")
    return False
