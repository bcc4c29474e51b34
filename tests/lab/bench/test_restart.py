"""The restart benchmark kills its streams, and detects lost or duplicate rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sparing.model.errors import SparingError
from sparing_lab.bench import restart as measuring
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.restart import FILES, Restart, Restarted
from tests.tries import thorough_only

SMALL = Restart(publications=600, subscriptions=40, repeat=2, patience=60.0)

# Stands for `sparing run FILE --once ...`: a file of results and a commit for each micro-batch, from the last one on.
STREAM = """
import sys, time, yaml
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
file = Path(sys.argv[1])
sink = file.parent / yaml.safe_load(file.read_text())["sink"]["path"]
commits = sink / "checkpoint/commits"
commits.mkdir(parents=True, exist_ok=True)
for batch in range(len(list(commits.iterdir())), {batches}):
    time.sleep({seconds})
    tables = {{
        "notifications": pa.table({{"id": ["s"], "payload": [{{"value": bytes([batch]), "metadata": b"m"}}]}}),
        "bill": pa.table({{"source": ["a"], "target": ["b"], "kind": ["publication"], "bucket": [0], "messages": [1]}}),
    }}
    for name, table in tables.items():
        folder = sink / name / f"batch={{batch}}"
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / "part.parquet")
    (commits / str(batch)).touch()
{end}
"""


def stream(monkeypatch, seconds=0.1, batches=FILES, end=""):
    program = STREAM.format(seconds=seconds, batches=batches, end=end)
    monkeypatch.setattr(measuring, "COMMAND", [sys.executable, "-c", program])


def test_a_killed_stream_continues(monkeypatch):
    stream(monkeypatch)
    told: list[str] = []
    figures = SMALL.measure(Run(told.append))["figures"]
    assert [figure.same for figure in figures] == [True, True]
    assert all(0 < figure.first < figure.end for figure in figures)
    assert all(2 <= figure.committed < FILES for figure in figures)
    assert told[0] == f"undisturbed: {FILES} notifications"
    assert len(told) == 3


def test_duplicate_rows_are_detected(monkeypatch):
    """As if the retried micro-batch had been written beside the interrupted one, not in its place."""
    once_more = "import shutil; shutil.copy(folder / 'part.parquet', folder / 'again.parquet')"
    stream(monkeypatch, end=f"if 'killed' in sink.name:\n    {once_more}")
    assert [figure.same for figure in SMALL.measure(Run())["figures"]] == [False, False]


def test_a_stream_that_ends_too_soon_or_fails_is_reported(monkeypatch):
    stream(monkeypatch, batches=1, seconds=0)
    with pytest.raises(SparingError, match="ended before it could be killed: increase --publications"):
        SMALL.measure(Run())
    stream(monkeypatch, seconds=0, end="sys.exit('no more paper')")
    with pytest.raises(SparingError, match=r"The stream failed\. Its output: no more paper"):
        SMALL.measure(Run())


def test_a_hanging_stream_is_killed(monkeypatch):
    stream(monkeypatch, end="time.sleep(60)", seconds=0)
    with pytest.raises(SparingError, match="still runs after 1 seconds"):
        Restart(600, 40, 1, patience=1.0).measure(Run())


def test_the_table_has_all_kills_and_the_medians():
    found = [Restarted(2, 8.04, 12.0, True), Restarted(3, 9.0, 14.0, False), Restarted(2, 7.0, 11.0, True)]
    _, _, *rows = SMALL.markdown({"figures": found}).splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row]
    assert cells[0] == ["2", str(FILES), "8.0", "12.0", "yes"]
    assert cells[1][-1] == "NO"
    assert cells[3][:4] == ["median", "", "8.0", "12.0"]


@thorough_only
@pytest.mark.spark
def test_a_real_stream_is_killed_and_restarted(tmp_path: Path) -> None:
    bench = Restart(publications=3_000, subscriptions=20, repeat=1, master="local[2]")
    assert [figure.same for figure in bench.measure(Run())["figures"]] == [True]
