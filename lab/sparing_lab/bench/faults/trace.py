"""The stream that faults are done to: a small city, one file of it in each micro-batch."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from sparing.workloads.city import DEFAULTS, city
from sparing.workloads.files import write
from sparing_lab.bench.results import Rows, results

FILES = 14  # Spark compacts the log of a source of files with every tenth
SMALL = replace(DEFAULTS, rate=40.0, duration=56.0, subscriptions=60, bad=0.004)


@dataclass(frozen=True)
class Trace:
    """A trace in a folder, and streams over it, distinguished by name."""

    folder: Path

    @classmethod
    def written(cls, folder: Path, seed: int, files: int = FILES) -> Trace:
        """A trace that the seed decides. Two of its publishers draw lots, which must be the same again."""
        deployment = write(city(replace(SMALL, seed=seed)), folder, "json", files).deployment
        description = yaml.safe_load(deployment.read_text())
        description["publishers"][0] |= {"top_k": 3, "rank": {"fair": True}}
        description["publishers"][1] |= {"top_k": 4, "rank": {"by": "speed", "fair": "exact"}}
        description["source"]["maxFilesPerTrigger"] = 1
        deployment.write_text(yaml.safe_dump(description, sort_keys=False))
        return cls(folder)

    def stream(self, name: str, data: str = "data", sink: Path | None = None) -> Path:
        """The deployment file of a stream."""
        description = yaml.safe_load((self.folder / "deployment.yaml").read_text())
        description["source"]["path"] = data
        description["sink"] = {"format": "parquet", "path": str(sink or name)}
        description.pop("checkpoint", None)
        path = self.folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump(description, sort_keys=False))
        return path

    def checkpoint(self, name: str) -> Path:
        """Return the checkpoint folder of a stream."""
        return self.folder / f"{name}-checkpoint"

    def results(self, name: str) -> Rows:
        """The tables of a stream."""
        return results(self.folder / name)

    def files(self, data: str = "data") -> list[Path]:
        """The files of a source, in the order in which a stream reads them."""
        return sorted((self.folder / data).glob("part-*"))

    def copy_files(self, files: list[Path], data: str) -> None:
        """Put files into another source; they keep their times, by which a stream orders them."""
        (self.folder / data).mkdir(exist_ok=True)
        for file in files:
            shutil.copy2(file, self.folder / data / file.name)

    def copy_stream(self, name: str, new: str, data: str) -> Path:
        """A stream that has come as far as another one, and goes on by itself."""
        for before, after in ((name, new), (f"{name}-checkpoint", f"{new}-checkpoint")):
            shutil.copytree(self.folder / before, self.folder / after)
        return self.stream(new, data)
