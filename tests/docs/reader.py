"""A reader who does what a page says, example by example, in a folder of its own.

- An example below a paragraph that names a file is saved as that file; a part of a deployment is added to the file.
- Commands are run, and text below them is what they print. `sparing run` without `--once` goes on while the files that
  follow are saved, until there is nothing more to do; then it is stopped.
- Python is run, all of a page in one session; text below it is what it prints.
- Deployments that are not saved are read, parts of them as parts of a small one.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

from sparing.cli import build, console
from sparing.deployment.deployment import Deployment
from tests.docs.pages import ROOT, Block, blocks, essential

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOME = "/home/you/air"  # what pages call the reader's folder
WIDTH = 200  # of the terminal
WITHOUT_SPARK = ("plan", "generate")
SMALL = """
name: small
overlay: {brokers: [a, b], links: [[a, b]]}
topics: {t: {time: ts, fields: {x: int, ts: timestamp}}}
publishers: [{id: p, at: a, topic: t}]
subscribers: [{id: u, at: b}]
subscriptions: [{id: s, subscriber: u, sql: SELECT * FROM t}]
"""


def commands(block: Block) -> list[str]:
    """The commands of an example, without comments."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [command for line in lines if (command := re.sub(r"(^|\s)#.*", "", line).strip())]


def goes_on(command: str) -> bool:
    """Whether a command runs until it is stopped."""
    return command.startswith("sparing run ") and "--once" not in command


def is_whole(block: Block) -> bool:
    return {"overlay", "topics"} <= yaml.safe_load(block.text).keys()


def starts_spark(command: str) -> bool:
    return command.startswith("sparing ") and command.split()[1] not in WITHOUT_SPARK


def uses_spark(block: Block) -> bool:
    return re.search(r"\bspark\b", block.text) is not None


class Reader:
    """Somebody with a checkout of the examples and the package installed."""

    def __init__(
        self,
        folder: Path,
        patch: pytest.MonkeyPatch,
        spark: Callable[[], SparkSession],
        instead: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self._patch, self._start_spark, self._instead = folder, patch, spark, instead or {}
        self.names: dict[str, Any] = {}  # of the page's Python
        self.printed = ""  # by the last commands or the last Python
        patch.chdir(folder)
        patch.setattr(console.out, "width", WIDTH)  # which a console reads from its environment only when it is made
        shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples", ignore=shutil.ignore_patterns("out"))

    @property
    def spark(self) -> SparkSession:
        return self._start_spark()

    def has_files_of(self, page: str) -> None:
        """Begin where another page has left its reader."""
        for block in blocks(page):
            if block.file:
                self._save(block)

    def read(self, page: Sequence[Block], is_run: Callable[[str], bool]) -> None:
        """Do all that these blocks of a page say, commands only if they are run here."""
        todo = deque(page)
        while todo:
            block = todo.popleft()
            try:
                if block.info == "sh":
                    lines = [line for line in commands(block) if is_run(line)]
                    meanwhile = [todo.popleft() for _ in _files(todo)] if any(map(goes_on, lines)) else []
                    self.printed = "".join(self._run(self._instead.get(line, line), meanwhile) for line in lines)
                else:
                    self._do(block)
            except Exception as error:
                error.add_note(f"at {block.name}")
                raise

    def _do(self, block: Block) -> None:
        if block.file:
            self._save(block)
        elif block.info == "text":
            check_printed(block.text, self.printed.replace(str(self.folder), HOME))
        elif block.info == "yaml":
            what = yaml.safe_load(block.text)
            Deployment.of(what if is_whole(block) else yaml.safe_load(SMALL) | what)
        elif block.info == "python":
            self._run_python(block)
        else:
            raise AssertionError(f"nobody knows what to do with {block.info!r}")

    def _save(self, block: Block) -> None:
        assert block.file is not None
        file = self.folder / block.file
        file.parent.mkdir(parents=True, exist_ok=True)
        text = block.text
        if block.info == "yaml" and not is_whole(block):
            text = yaml.safe_dump(_added(yaml.safe_load(file.read_text()), yaml.safe_load(text)), sort_keys=False)
        finished = file.with_name(f".{file.name}")
        finished.write_text(text)
        finished.rename(file)  # so that a stream never sees half of it
        if block.info == "yaml":
            Deployment.read(file)

    def _run(self, command: str, meanwhile: Sequence[Block]) -> str:
        if not command.startswith("sparing "):
            done = subprocess.run(command, shell=True, check=True, timeout=60, capture_output=True, text=True)
            return done.stdout
        words = shlex.split(command)[1:]
        if starts_spark(command):
            self._lend_spark()
        if goes_on(command):
            Thread(target=self._go_on, args=[meanwhile], daemon=True).start()
        result = CliRunner().invoke(build(), words)
        assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception}"
        return result.output

    def _lend_spark(self) -> None:
        """Have commands use the session that all tests share."""

        @contextmanager
        def running(*_: object, **__: object) -> Any:
            yield self.spark

        build()  # so that all commands are imported
        for name, module in list(sys.modules.items()):
            if name.startswith("sparing.cli.") and hasattr(module, "spark_session"):
                self._patch.setattr(module, "spark_session", running)

    def _go_on(self, meanwhile: Iterable[Block]) -> None:
        """Beside a stream: save files, each when all before it is done; then press Ctrl-C."""
        try:
            while not self.spark.streams.active:
                time.sleep(0.1)
            (query,) = self.spark.streams.active
            query.processAllAvailable()
            for block in meanwhile:
                self._save(block)
                query.processAllAvailable()
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    def _run_python(self, block: Block) -> None:
        where: AbstractContextManager[None] = nullcontext()
        if uses_spark(block):
            self.names["spark"] = self.spark
            where = spark_at(self.folder, self.spark)
        with where, redirect_stdout(io.StringIO()) as out:
            exec(compile(block.text, block.name, "exec"), self.names)
        self.printed = out.getvalue()


def _files(todo: Iterable[Block]) -> list[Block]:
    """The files that come first in what is to be done."""
    found = []
    for block in todo:
        if not block.file:
            break
        found.append(block)
    return found


def _added(what: Any, more: Any) -> Any:
    """A deployment with more in it: lists grow, keys are set."""
    if isinstance(what, dict) and isinstance(more, dict):
        return what | {key: _added(what[key], more[key]) if key in what else more[key] for key in more}
    return what + more if isinstance(what, list) and isinstance(more, list) else more


@contextmanager
def spark_at(folder: Path, spark: SparkSession) -> Iterator[None]:
    """Let relative paths mean a folder to Spark, too, whose Java was started in another one."""
    hadoop = spark._jvm.org.apache.hadoop.fs
    files = hadoop.Path(".").getFileSystem(spark._jsc.hadoopConfiguration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(hadoop.Path(str(folder)))
    try:
        yield
    finally:
        files.setWorkingDirectory(before)


def check_printed(shown: str, printed: str) -> None:
    """Every line that is shown has been printed, in this order. Pages may leave out others, and what `...` ends."""
    found = deque(essential(printed))
    for line in essential(shown):
        start = line.removesuffix("...")
        while found and found[0] != line and not (start != line and found[0].startswith(start)):
            found.popleft()
        assert found, f"not printed, or not in this place: {line!r}; all of it:\n{printed}"


def check_command(line: str) -> None:
    """Parse a command as the command line would, without running it."""
    words = shlex.split(line)
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    match words:
        case ["sparing", *rest]:
            command = typer.main.get_command(build())
            while hasattr(command, "list_commands"):
                command, rest = command.get_command(None, rest[0]), rest[1:]
            command.make_context(command.name, rest)
        case ["make", *targets]:
            subprocess.run(["make", "-n", *targets], cwd=ROOT, check=True, capture_output=True, timeout=60)
