"""The commands `sparing repair` and `sparing quarantine`."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import timedelta

import pytest
from typer.testing import CliRunner

from sparing import Deployment, SparingError
from sparing.cli import build, console, quarantine, repair
from sparing.spark import run
from tests.messages import refused, says
from tests.spark import files, world

pytestmark = pytest.mark.spark

COUNT = {
    "id": "count",
    "subscriber": "u1",
    "sql": "SELECT count(*) FROM traffic WHERE lane < 50 GROUP BY window(ts, '10 seconds')",
}
ALL = {"id": "all", "subscriber": "u2", "sql": "SELECT * FROM traffic WHERE lane < 50"}


@pytest.fixture
def command(spark, monkeypatch):
    @contextmanager
    def shared(*_):
        yield spark

    for module in (repair, quarantine):
        monkeypatch.setattr(module, "spark_session", shared)
    monkeypatch.setattr(console.err, "width", 300)
    monkeypatch.setattr(console.out, "width", 300)

    def typed(*words):
        found = CliRunner().invoke(build(), [str(word) for word in words])
        if isinstance(found.exception, SparingError):
            raise found.exception
        assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
        return found.exit_code, found.output

    return typed


def _publish(folder, name, *rows):
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / name).write_text(
        "".join(row if isinstance(row, str) else files.line(row) + "\n" for row in rows)
    )


def _row(second: float, **more):
    return {"publisher": "p1", "ts": world.START + timedelta(seconds=second), "lane": 1, "id": f"r{second}", **more}


def _notified(folder, subscription):
    rows = files.results(folder / "out")["notifications"].elements()
    return [row for row in map(json.loads, rows) if row["subscription"] == subscription]


def test_a_watermark_in_the_future_is_reset(spark, tmp_path, command):
    _publish(tmp_path, "1.json", _row(1), _row(2), _row(70 * 365 * 86400.0))
    path = files.write_deployment(tmp_path, [COUNT], watermark="1 second")
    deployment = Deployment.read(path)
    run.wait(run.stream(spark, deployment, once=True))
    _publish(tmp_path, "2.json", _row(11), _row(12), _row(13))
    run.wait(run.stream(spark, deployment, once=True))
    late = files.results(tmp_path / "out")["quarantine"]
    assert sum(late.values()) == 3, "all rows of others are late"

    status, said = command("repair", path)
    assert status == 1
    assert "2095" in said or "2096" in said, said
    assert f"sparing repair {path} --redo" in said
    status, said = command("repair", path, "--watermark", "2026-01-01T00:00:10Z")
    assert status == 0, said
    _publish(tmp_path, "3.json", _row(21), _row(22), _row(40))
    run.wait(run.stream(spark, deployment, once=True))
    assert files.results(tmp_path / "out")["quarantine"] == late
    assert len(_notified(tmp_path, "count")) == 2  # of the rows at the beginning, and of those at 21 and 22 seconds
    with refused("watermark"):
        command("repair", path, "--watermark", "2026-01-02T00:00:10Z")


def test_damage_is_repaired_with_the_suggested_command(spark, tmp_path, command):
    _publish(tmp_path, "1.json", _row(1), _row(2))
    path = files.write_deployment(tmp_path, [COUNT, ALL])
    with refused(f"{tmp_path}/out-checkpoint"):
        command("repair", path)
    run.wait(run.stream(spark, Deployment.read(path), once=True))
    status, said = command("repair", path)
    assert status == 0

    note = tmp_path / "out-checkpoint/sparing.json"
    note.write_text("{")
    status, said = command("repair", path)
    assert status == 1
    assert says(said, f"damaged {note}")
    assert f"sparing repair {path} --fix" in said
    status, said = command("repair", path, "--fix")
    assert status == 0
    assert says(said, f"{note}")
    with refused("repairs option"):
        command("repair", path, "--fix", "--moved")
    # With its copy gone as well, nothing is thrown away, and no advice is given that would.
    for file in (note, note.with_name("sparing.json.copy")):
        file.unlink()
    with refused("sparing.json damaged copy backup"):
        command("repair", path, "--fix")
    with refused("sparing.json damaged"):
        run.stream(spark, Deployment.read(path), once=True)
    assert _notified(tmp_path, "all")


def test_quarantined_rows_are_listed_corrected_and_published_again(spark, tmp_path, command):
    stranger, typed = _row(2, publisher="p9"), _row(3) | {"lane": "many"}
    _publish(tmp_path, "1.json", _row(1), stranger, stranger, typed, "no JSON\n")
    path = files.write_deployment(tmp_path, [ALL])
    run.wait(run.stream(spark, Deployment.read(path), once=True))
    assert len(_notified(tmp_path, "all")) == 1

    status, said = command("quarantine", "list", path, "--json", tmp_path / "rows.jsonl")
    assert status == 0
    assert says(said, "4 rows")
    assert says(said, "unknown publisher 2")
    listed = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert sorted((row["reason"], row["rows"]) for row in listed) == [
        ("malformed", 1),
        ("unknown publisher", 2),
        ("wrong type", 1),
    ]
    with refused("2 1 unknown publisher"):
        command("quarantine", "publish", path, "--reason", "unknown publisher")
    with refused("1 JSON"):
        command("quarantine", "publish", path, "--reason", "malformed")

    corrected = []
    for row in listed:
        if row["reason"] != "malformed":
            was = json.loads(row["row"])
            corrected.append(row | {"row": was | {"publisher": "p1", "lane": 4}})
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corrected))
    status, said = command("quarantine", "publish", path, "--rows", tmp_path / "rows.jsonl")
    assert says(said, "3 rows")
    run.wait(run.stream(spark, Deployment.read(path), once=True))
    assert sorted(row["payload"]["lane"] for row in _notified(tmp_path, "all")) == [1, 4, 4, 4]

    with refused("row publish"):  # they have been, and are not again
        command("quarantine", "publish", path, "--rows", tmp_path / "rows.jsonl")
    status, _ = command("quarantine", "list", path, "--reason", "wrong type")
    assert status == 0
