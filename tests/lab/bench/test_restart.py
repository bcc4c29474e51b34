"""The benchmark of restarts kills what it runs, and finds out if something is lost or repeated."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sparing.model.errors import SparingError
from sparing_lab.bench import restart as measuring
from sparing_lab.bench.restart import FILES, HEAD, Figure, Figures, Settings, restart
from tests.tries import thorough_only

SMALL = Settings(publications=600, subscriptions=40, repeat=2, patience=60.0)

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


def test_a_stream_is_killed_in_its_midst_and_goes_on(monkeypatch):
    stream(monkeypatch)
    told: list[str] = []
    figures = restart(SMALL, told.append)
    assert [figure.same for figure in figures.figures] == [True, True]
    assert all(0 < figure.first < figure.end for figure in figures.figures)
    assert all(2 <= figure.committed < FILES for figure in figures.figures)
    assert told[0] == f"left alone: {FILES} notifications"
    assert len(told) == 3


def test_rows_that_are_there_twice_are_found_out(monkeypatch):
    """As if the micro-batch that was interrupted had been written beside what was there, and not in its place."""
    once_more = "import shutil; shutil.copy(folder / 'part.parquet', folder / 'again.parquet')"
    stream(monkeypatch, end=f"if 'killed' in sink.name:\n    {once_more}")
    assert [figure.same for figure in restart(SMALL).figures] == [False, False]


def test_a_stream_that_is_over_too_soon_or_fails_is_told(monkeypatch):
    stream(monkeypatch, batches=1, seconds=0)
    with pytest.raises(SparingError, match="over before it could be killed: ask for more publications"):
        restart(SMALL)
    stream(monkeypatch, seconds=0, end="sys.exit('no more paper')")
    with pytest.raises(SparingError, match=r"The stream failed\. It said: no more paper"):
        restart(SMALL)


def test_a_stream_that_hangs_is_ended(monkeypatch):
    stream(monkeypatch, end="time.sleep(60)", seconds=0)
    with pytest.raises(SparingError, match="did not end within 1 seconds"):
        restart(Settings(600, 40, 1, patience=1.0))


def test_figures_are_for_people_programs_and_documentation():
    figures = Figures(SMALL, [Figure(2, 8.04, 12.0, True), Figure(3, 9.0, 14.0, False), Figure(2, 7.0, 11.0, True)])
    head, _, *rows = figures.markdown().splitlines()
    assert [cell.strip() for cell in head.strip("|").split("|")] == HEAD
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row]
    assert cells[0] == ["2", str(FILES), "8.0", "12.0", "yes"]
    assert cells[1][-1] == "NO"
    assert cells[3][:4] == ["median", "", "8.0", "12.0"]
    assert figures.json()["figures"][0]["first"] == 8.04
    assert figures.tables()[0].row_count == 4


@thorough_only
@pytest.mark.spark
def test_the_real_one(tmp_path: Path) -> None:
    (figure,) = restart(Settings(publications=3_000, subscriptions=20, repeat=1, master="local[2]")).figures
    assert figure.same
