"""Unwritable sinks and checkpoints are rejected before a run starts."""

from __future__ import annotations

import pytest

import sparing
from sparing.spark import run
from sparing.spark.io import sinks
from tests.messages import refused
from tests.spark import files

pytestmark = pytest.mark.spark

EVERYTHING = {"id": "all", "subscriber": "u1", "sql": "SELECT lane, road FROM traffic"}


@pytest.mark.parametrize("out", ["taken", "taken/deep/down"])
def test_a_sink_below_a_file_is_rejected(spark, tmp_path, out):
    (tmp_path / "taken").write_text("")
    deployment = sparing.Deployment.read(files.write_deployment(tmp_path, [EVERYTHING], out=out))
    words = f"{tmp_path}/{out} {tmp_path}/taken"
    with refused(words):
        run.stream(spark, deployment, once=True)
    with refused(words):
        sinks.must_be_writable(spark, deployment.needed_sink(), replay=True)


def test_a_checkpoint_below_a_file_is_rejected(spark, tmp_path):
    (tmp_path / "taken").write_text("")
    deployment = sparing.Deployment.read(files.write_deployment(tmp_path, [EVERYTHING], checkpoint="taken"))
    with refused(f"{tmp_path}/taken"):
        run.stream(spark, deployment, once=True)


def test_an_unreachable_file_system_is_rejected(spark, tmp_path):
    deployment = sparing.Deployment.read(files.write_deployment(tmp_path, [EVERYTHING], out="mystery://there/out"))
    with refused("mystery"):
        sinks.must_be_writable(spark, deployment.needed_sink(), replay=True)
