import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparing.deployment.deployment import Deployment
from sparing.workloads import boxes, city, incidents, stock, traffic
from sparing.workloads.files import write
from sparing.workloads.workload import Workload
from tests.messages import refused

MODULES = {"stock": stock, "traffic": traffic, "incidents": incidents, "boxes": boxes, "city": city}


def make(name: str, **settings) -> Workload:
    module = MODULES[name]
    small = {"rate": 20.0, "duration": 50.0, "subscriptions": 40, "bad": 0.0, "missing": 0.1, "disorder": 1.0}
    return getattr(module, name)(replace(module.DEFAULTS, **(small | settings)))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lines(folder: Path) -> list[bytes]:
    return b"".join(path.read_bytes() for path in sorted((folder / "data").iterdir())).splitlines()


@pytest.mark.parametrize("name", MODULES)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_different_ones(name, tmp_path):
    for folder, seed in (("one", 1), ("again", 1), ("other", 2)):
        write(make(name, seed=seed, bad=0.01), tmp_path / folder, files=3)
    assert contents(tmp_path / "one") == contents(tmp_path / "again")
    one, other = contents(tmp_path / "one"), contents(tmp_path / "other")
    assert one.keys() == other.keys()
    assert all(one[file] != other[file] for file in one)


@pytest.mark.parametrize("name", MODULES)
def test_json_and_parquet_contain_the_same_publications(name, tmp_path):
    workload = make(name)
    write(workload, tmp_path / "json", "json", files=3)
    write(workload, tmp_path / "parquet", "parquet", files=3)
    table = pa.concat_tables(workload.publications())
    parts = sorted((tmp_path / "parquet" / "data").iterdir())
    assert [pq.read_metadata(part).num_rows for part in parts] == [333, 333, 334]
    assert pa.concat_tables([pq.read_table(part) for part in parts]).equals(table)

    written = [json.loads(line) for line in lines(tmp_path / "json")]
    for row, expected in zip(written, table.to_pylist(), strict=True):
        expected["ts"] = expected["ts"].strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        assert row == {field: value for field, value in expected.items() if value is not None}


@pytest.mark.parametrize("name", MODULES)
def test_bad_rows_have_the_given_number_and_do_not_change_other_rows(name, tmp_path):
    workload = make(name, bad=0.03)
    written = write(workload, tmp_path / "bad")
    write(replace(workload, bad=0), tmp_path / "good")
    assert workload.bad == sum(written.bad.values()) == 30
    good, found = Counter(lines(tmp_path / "good")), Counter()
    publishers = {publisher["id"] for publisher in workload.description["publishers"]}
    for line in lines(tmp_path / "bad"):
        if good[line]:
            good[line] -= 1
        else:
            found[fault(line, publishers)] += 1
    assert found == written.bad
    assert good.total() == 0


def fault(line: bytes, publishers: set[str]) -> str:
    try:
        row = json.loads(line)
    except ValueError:
        return "cut short"
    if row["publisher"] not in publishers:
        return "unknown publisher"
    if "ts" not in row:
        return "no time"
    return "wrong type" if "n/a" in row.values() else "not advertised" if "elsewhere" in row.values() else "good"


@pytest.mark.parametrize("name", MODULES)
def test_the_deployment_file_can_be_read(name, tmp_path):
    workload = make(name)
    written = write(workload, tmp_path, "parquet")
    read = Deployment.read(written.deployment)
    described = Deployment.of(workload.description, base=tmp_path)
    assert read.source is not None
    assert (read.source.format, read.policy.decision) == ("parquet", "adock")
    assert Path(str(read.source.path)) == tmp_path / "data"
    assert replace(read, source=described.source) == described
    assert len(read.subscriptions) == 40


def test_many_subscriptions_are_written_to_a_file_of_their_own(tmp_path):
    workload = make("stock", subscriptions=1001)
    written = write(workload, tmp_path)
    assert "subscriptions: subscriptions.jsonl\n" in written.deployment.read_text()
    rows = [json.loads(line) for line in (tmp_path / "subscriptions.jsonl").read_text().splitlines()]
    assert rows == workload.description["subscriptions"]
    assert Deployment.read(written.deployment).subscriptions == Deployment.of(workload.description).subscriptions


def test_a_folder_in_use_is_replaced_only_on_request(tmp_path):
    write(make("boxes", subscriptions=1001), tmp_path, files=5)
    (tmp_path / "notes.txt").write_text("mine")
    before = contents(tmp_path)
    with refused(str(tmp_path)):
        write(make("boxes"), tmp_path)
    assert contents(tmp_path) == before
    write(make("boxes"), tmp_path, files=2, replace=True)
    after = ["data/part-0000.json", "data/part-0001.json", "deployment.yaml", "notes.txt"]
    assert sorted(contents(tmp_path)) == after


@pytest.mark.parametrize(
    ("workload", "options", "message"),
    [
        ({}, {"format": "csv"}, "csv"),
        ({}, {"files": 0}, "0 1"),
        ({}, {"files": 1001}, "files"),
        ({"bad": 0.1}, {"format": "parquet"}, "JSON"),
    ],
)
def test_invalid_options_of_write_are_rejected(workload, options, message, tmp_path):
    with refused(message):
        write(make("boxes", **workload), tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()
