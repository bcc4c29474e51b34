"""A stream into a real Kafka, stopped by Ctrl-C and restarted: no lost or duplicate rows, keys and headers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter

import pytest
import yaml

from tests.conftest import SHORT_LIVED
from tests.spark import files, world
from tests.spark.kafka.artifacts import jars
from tests.spark.kafka.broker import broker

pytestmark = pytest.mark.spark

ALL = {"id": "all", "subscriber": "u1", "sql": "SELECT lane FROM traffic"}
SLOW = {"id": "slow", "subscriber": "u2", "sql": "SELECT count(*) FROM traffic GROUP BY window(ts, '10 seconds')"}
FILES = 3
PATIENCE = 120


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Publications by file, what the first run said, and the records of all topics in the end."""
    folder = tmp_path_factory.mktemp("kafka")
    connector = ",".join(map(str, jars("connector")))
    rows = world.publications(5, 100)
    nobody = {**rows[0], "publisher": "nobody"}
    files.write_trace(folder / "data", [*rows, nobody], files=FILES)
    with broker(folder / "broker") as servers:
        path = files.write_deployment(folder, [ALL, SLOW], source={"maxFilesPerTrigger": 1}, checkpoint="checkpoint")
        sink = {"format": "kafka", "servers": servers, "topic": "told"}
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"sink": sink}))
        said = _run_until_ctrl_c(path, connector)
        go_on = [sys.executable, "-m", "tests.spark.kafka.go_on", str(path), connector]
        done = subprocess.run(go_on, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert not done.returncode, done.stderr[-3000:]
    return rows, said, json.loads(done.stdout.splitlines()[-1])


def _run_until_ctrl_c(path, connector):
    settings = {**SHORT_LIVED, "spark.jars": connector}
    command = [sys.executable, "-c", "from sparing.cli import main; main()", "run", str(path), "--master", "local[2]"]
    command += [f"--conf={key}={value}" for key, value in settings.items()]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, **output, start_new_session=True)
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if line.startswith("micro-batch 0:"):
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(PATIENCE) == 0, "".join(said)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return "".join(said)


def test_ctrl_c_and_a_restart_leave_no_duplicates(ran):
    rows, said, found = ran
    assert "Stopped; run again" in said
    assert "Traceback" not in said
    assert "ERROR" not in said
    ids = Counter(record["value"]["id"] for record in found["notifications"])
    assert max(ids.values()) == 1
    told = [record["value"]["publication"] for record in found["notifications"] if record["value"]["kind"] == "event"]
    assert sorted(told) == sorted(row["id"] for row in rows)


def test_the_run_warns_of_duplicates(ran):
    _, said, _ = ran
    assert "at least once" in said
    assert "drop duplicates by id" in said


def test_records_have_keys_and_headers(ran):
    _, _, found = ran
    for record in found["notifications"]:
        value = record["value"]
        assert record["key"] == value["subscriber"]
        assert record["headers"] == {"id": value["id"], "batch": str(value["batch"])}
    assert {record["value"]["kind"] for record in found["notifications"]} == {"event", "window"}
    for table in ("bill", "quarantine"):
        assert found[table]
        assert all(record["headers"] == {"batch": str(record["value"]["batch"])} for record in found[table])
    (aside,) = found["quarantine"]
    assert aside["value"]["reason"] == "unknown publisher"
    assert len({record["value"]["batch"] for record in found["bill"]}) >= FILES
