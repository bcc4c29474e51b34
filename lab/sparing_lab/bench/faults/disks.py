"""Disks that are full or read-only, and folders of others: file systems of this size are mounted for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sparing_lab.bench.faults.outcome import SENTENCE, Outcome, is_sentence
from sparing_lab.bench.faults.trace import Trace
from sparing_lab.bench.results import Rows, results

SMALL, LARGE = "size=600k", "size=200m"
_HUMBLE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")  # the administrator without special rights


def disks(trace: Trace, expected: Rows, options: Sequence[str], tell: Callable[[str], None]) -> list[Outcome]:
    """Run a stream into a full disk, a read-only one, and a folder where it may not write."""
    outcomes = []
    for fault, where, say in (
        ("the disk is full", "sink and checkpoint", "full"),
        ("the disk is read-only", "sink and checkpoint", "read-only"),
    ):
        outcome = _mounted(trace, expected, options, fault, where, say)
        tell(f"{fault}: {outcome.happened or 'told, and gone on'}")
        outcomes.append(outcome)
    outcomes.append(_forbidden(trace, expected, options))
    tell(f"no permission: {outcomes[-1].happened or 'told, and gone on'}")
    return outcomes


def _mounted(trace: Trace, expected: Rows, options: Sequence[str], fault: str, where: str, word: str) -> Outcome:
    disk = trace.folder / f"disk-{word}"
    disk.mkdir()
    size = SMALL if word == "full" else LARGE
    if not _mount("-t", "tmpfs", "-o", size, "tmpfs", str(disk)):
        return _not_tried(fault, where, "file systems cannot be mounted here")
    try:
        path = trace.stream(f"disk-{word}-stream", sink=disk / "out")
        if word == "read-only":
            _mount("-o", "remount,ro", str(disk))
        status, said = _run(path, options)
        _mount("-o", f"remount,rw,{LARGE}", str(disk))
        happened = _failure(status, said, word) or _retry(path, options, disk, expected)
        return Outcome(fault, where, SENTENCE, not happened, happened)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False, capture_output=True)


def _forbidden(trace: Trace, expected: Rows, options: Sequence[str]) -> Outcome:
    fault, where = "no permission to write", "sink"
    prefix = _HUMBLE if os.getuid() == 0 else ()
    if prefix and not _works([*prefix, "true"]):
        return _not_tried(fault, where, "this user may write everywhere")
    folder = trace.folder / "forbidden"
    folder.mkdir(mode=0o555)
    path = trace.stream("forbidden-stream", sink=folder / "out")
    status, said = _run(path, options, prefix)
    folder.chmod(0o777)
    happened = _failure(status, said, "right to write") or _retry(path, options, folder, expected)
    return Outcome(fault, where, SENTENCE, not happened, happened)


def _failure(status: int, said: str, word: str) -> str:
    """Return what is wrong with a run that must fail with a sentence with this word; empty if nothing."""
    return "" if status and is_sentence(said) and word in said else f"status {status}: {said[-400:]}"


def _retry(path: Path, options: Sequence[str], place: Path, expected: Rows) -> str:
    """Run again on a writable disk; return what is wrong with the results, empty if nothing."""
    status, said = _run(path, options)
    if status:
        return f"afterwards: {said[-400:]}"
    return "" if results(place / "out") == expected else "other tables"


def _not_tried(fault: str, where: str, why: str) -> Outcome:
    return Outcome(fault, where, SENTENCE, kept=True, happened=f"not tried: {why}", tried=False)


def _mount(*arguments: str) -> bool:
    return _works(["mount", *arguments])


def _works(command: list[str]) -> bool:
    known = shutil.which(command[0])
    return known is not None and not subprocess.run(command, check=False, capture_output=True).returncode


def _run(path: Path, options: Sequence[str], prefix: Sequence[str] = ()) -> tuple[int, str]:
    command = [sys.executable, "-c", "from sparing.cli import main; main()", "run", str(path), "--once", *options]
    done = subprocess.run(
        [*prefix, *command], cwd=path.parent, capture_output=True, text=True, check=False, start_new_session=True
    )
    return done.returncode, done.stdout + done.stderr
