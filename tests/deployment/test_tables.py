"""Publishers, subscribers and subscriptions from Parquet, CSV and JSON lines."""

import gzip
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from sparing.deployment.deployment import SECOND, Deployment
from sparing.deployment.mistakes import DeploymentError
from sparing.model.expression import Field
from sparing.model.rank import UNRANKED, BoxScore, Fairness, Rank
from tests.deployment.examples import toronto
from tests.messages import missing, says

SQL = "SELECT * FROM traffic WHERE speed < 20"


def mistake(description: dict, base: Path) -> str:
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description, base)
    return str(caught.value).replace(f"{base}/", "")


def test_csv_keeps_ids_and_splits_candidates(tmp_path):
    (tmp_path / "who.csv").write_text('id,at\n007,e3\n008,"e2, e3"\n009,e1 e2\n')
    (tmp_path / "what.csv").write_text(f"id,subscriber,sql,from,until\n001,007,{SQL},,2026-01-01\n")
    (tmp_path / "publishers.csv").write_text("id,at,topic,where\np1,e1,traffic,\np1,e2,incidents,severity > 3\n")
    tables = {"subscribers": "who.csv", "subscriptions": "what.csv", "publishers": "publishers.csv"}
    deployment = Deployment.of(toronto() | tables, tmp_path)
    assert deployment.subscribers == {"007": ("e3",), "008": ("e2", "e3"), "009": ("e1", "e2")}
    (subscription,) = deployment.subscriptions
    assert (subscription.id, subscription.valid_from) == ("001", None)
    assert subscription.valid_until == int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * SECOND
    assert [a.box.fields for a in deployment.advertisements] == [(), ("severity",)]


def test_parquet_holds_lists_numbers_and_timestamps(tmp_path):
    who = pa.table({"id": [1, 2], "at": [["e3"], ["e2", "e3"]]})
    pa.parquet.write_table(who, tmp_path / "who.parquet")
    begin = pa.array([1_767_225_600_000_000_001, None], pa.timestamp("ns"))
    what = pa.table({"id": ["a", "b"], "subscriber": [1, 2], "sql": [SQL, SQL], "from": begin})
    pa.parquet.write_table(what, tmp_path / "what.parquet")
    deployment = Deployment.of(toronto() | {"subscribers": "who.parquet", "subscriptions": "what.parquet"}, tmp_path)
    assert deployment.subscribers == {"1": ("e3",), "2": ("e2", "e3")}
    assert [s.valid_from for s in deployment.subscriptions] == [1_767_225_600 * SECOND, None]
    assert deployment.subscriptions[0].query is deployment.subscriptions[1].query  # the same text is parsed once


@pytest.mark.parametrize("name", ["who.json", "who.jsonl", "who.ndjson", "who.jsonl.gz"])
def test_json_lines(tmp_path, name):
    text = '{"id": "alice", "at": "e1"}\n\n{"id": "bob", "at": ["e2", "e3"]}\n{"id": "2026-01-01", "at": "e1"}\n'
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    deployment = Deployment.of(toronto() | {"subscribers": name}, tmp_path)
    assert deployment.subscribers == {"alice": ("e1",), "bob": ("e2", "e3"), "2026-01-01": ("e1",)}


WEIGHED = [
    {"weight": 2.0, "tier": "gold", "keen": True},
    {"weight": 0.5},
    {},
]


def attributes_of(description: dict, base: Path) -> list[dict]:
    return [dict(s.attributes) for s in Deployment.of(toronto() | description, base).subscriptions]


def weighed(**columns) -> dict:
    return {"id": ["a", "b", "c"], "subscriber": ["alice"] * 3, "sql": [SQL] * 3, **columns}


def test_attributes_in_parquet(tmp_path):
    whole = [*WEIGHED[:2], None]
    tables = {
        "struct": weighed(attributes=whole),
        "parts": weighed(
            **{
                "attributes.weight": pa.array([2.0, 0.5, None], pa.float32()),
                "attributes.tier": ["gold", None, None],
                "attributes.keen": [True, None, None],
            }
        ),
        "text": weighed(attributes=[json.dumps(row) for row in WEIGHED]),
    }
    for name, columns in tables.items():
        pa.parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
        assert attributes_of({"subscriptions": f"{name}.parquet"}, tmp_path) == WEIGHED, name


def test_attributes_as_a_map_and_as_decimals(tmp_path):
    kind = pa.map_(pa.string(), pa.decimal128(6, 2))
    maps = pa.array([[("weight", Decimal("2.5"))], None, []], kind)
    pa.parquet.write_table(pa.table(weighed(attributes=maps)), tmp_path / "map.parquet")
    assert attributes_of({"subscriptions": "map.parquet"}, tmp_path) == [{"weight": 2.5}, {}, {}]


def test_attributes_in_csv(tmp_path):
    (tmp_path / "parts.csv").write_text(
        "id,subscriber,sql,attributes.weight,attributes.tier,attributes.keen,attributes.since\n"
        f"a,alice,{SQL},2,gold,true,2026-01-01\n"
        f"b,alice,{SQL},0.5,7,,\n"
    )
    assert attributes_of({"subscriptions": "parts.csv"}, tmp_path) == [
        {"weight": 2.0, "tier": "gold", "keen": True, "since": "2026-01-01"},
        {"weight": 0.5, "tier": "7"},
    ]
    quoted = json.dumps(WEIGHED[0]).replace('"', '""')
    (tmp_path / "text.csv").write_text(f'id,subscriber,sql,attributes\na,alice,{SQL},"{quoted}"\nb,alice,{SQL},\n')
    assert attributes_of({"subscriptions": "text.csv"}, tmp_path) == [WEIGHED[0], {}]


def test_attributes_in_json_lines(tmp_path):
    rows = [{"id": str(at), "subscriber": "alice", "sql": SQL, "attributes": row} for at, row in enumerate(WEIGHED)]
    rows.append({"id": "d", "subscriber": "alice", "sql": SQL, "attributes.weight": 1, "attributes.tier": "iron"})
    (tmp_path / "what.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = attributes_of({"subscriptions": "what.jsonl"}, tmp_path)
    assert found == [*WEIGHED, {"weight": 1.0, "tier": "iron"}]


def test_ranks_in_tables(tmp_path):
    (tmp_path / "p.csv").write_text(
        "id,at,topic,top_k,rank.by,rank.fair\np,e1,traffic,5,speed,exact\nq,e1,traffic,3,area,TRUE\nr,e1,traffic,2,,\n"
    )
    (tmp_path / "q.csv").write_text(
        'id,at,topic,top_k,rank\np,e1,traffic,5,"{""by"": ""speed"", ""fair"": ""exact""}"\n'
        'q,e1,traffic,3,"{""by"": ""area"", ""fair"": true}"\nr,e1,traffic,2,\n'
    )
    (tmp_path / "r.jsonl").write_text(
        '{"id": "p", "at": "e1", "topic": "traffic", "top_k": 5, "rank": {"by": "speed", "fair": "exact"}}\n'
        '{"id": "q", "at": "e1", "topic": "traffic", "top_k": 3, "rank.by": "area", "rank.fair": true}\n'
        '{"id": "r", "at": "e1", "topic": "traffic", "top_k": 2}\n'
    )
    expected = [(5, Rank(Field("speed"), Fairness.EXACT)), (3, Rank(BoxScore.AREA, Fairness.WEIGHTED)), (2, UNRANKED)]
    for name in ("p.csv", "q.csv", "r.jsonl"):
        deployment = Deployment.of(toronto() | {"publishers": name}, tmp_path)
        assert [(a.top_k, a.rank) for a in deployment.advertisements] == expected, name


@pytest.mark.parametrize(
    ("header", "cells", "parts"),
    [
        (
            "attributes,attributes.w",
            "{},5",
            "attributes attributes.w",
        ),
        ("attribute.w", "5", "attribute.w attributes"),
        (
            "attributes.w",
            "5\nb,alice,SELECT * FROM traffic,inf",
            "attributes.w inf",
        ),
        (
            "attributes",
            "nonsense",
            "attributes nonsense",
        ),
    ],
)
def test_attributes_that_cannot_be_used(tmp_path, header, cells, parts):
    (tmp_path / "what.csv").write_text(f"id,subscriber,sql,{header}\na,alice,SELECT * FROM traffic,{cells}\n")
    assert says(mistake(toronto() | {"subscriptions": "what.csv"}, tmp_path), f"what.csv {parts}")


def test_a_folder_as_spark_writes_it(tmp_path):
    folder = tmp_path / "who.json"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    (folder / "part-1.json").write_text('{"id": "bob", "at": "e2"}\n')
    (folder / "part-0.json").write_text('{"id": "alice", "at": "e1"}\n')
    assert list(Deployment.of(toronto() | {"subscribers": "who.json"}, tmp_path).subscribers) == ["alice", "bob"]
    assert Deployment.of(toronto() | {"subscribers": folder.as_uri()}).subscribers["bob"] == ("e2",)


def test_a_mistake_names_the_file_and_the_line(tmp_path):
    rows = [
        {"id": "a", "subscriber": "alice", "sql": SQL},
        {"id": "b", "subscriber": "alise", "sql": SQL},
        {"id": "b", "subscriber": "alice", "sql": SQL},
        {"id": "c", "subscriber": "alice", "sql": "SELECT * FROM traffic WHERE sped < 20"},
    ]
    folder = tmp_path / "what"
    folder.mkdir()
    (folder / "0.jsonl").write_text(json.dumps(rows[0]))
    (folder / "1.jsonl").write_text("\n".join(map(json.dumps, rows[1:])))
    first, second, third, *shown = mistake(toronto() | {"subscriptions": "what"}, tmp_path).splitlines()
    assert missing(first, "what/1.jsonl 1 b alise alice") == []
    assert missing(second, "what/1.jsonl 2 b 1") == []
    assert missing(third, "what/1.jsonl 3 c traffic sped speed") == []
    assert shown == ["    SELECT * FROM traffic WHERE sped < 20", "                                ^^^^"]


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("who.csv", "id,att\nalice,e1\n", "who.csv att at"),
        ("who.csv", "id\nalice\n", "who.csv at"),
        ("who.csv", "id,at,at\nalice,e1,e1\n", "who.csv at"),
        ("who.csv", "id,at\n,e1\n", "who.csv line 2 id null"),
        ("who.csv", "", "who.csv CSV"),
        (
            "who.csv",
            "id,at\nalice,e1\nbob,\n",
            "who.csv line 3 at null",
        ),
        (
            "who.csv",
            '\nid,at\n"al\nice",e1\n\nbob,\n',
            "who.csv line 6 at null",
        ),
        ("who.jsonl", '\n\n{"id": "alice"}\n', "who.jsonl line 3 at"),
        ("who.jsonl", '{"id": "alice"}\n', "who.jsonl line 1 at"),
        ("who.jsonl", "[1]\n", "who.jsonl line 1 id at"),
        (
            "who.jsonl",
            '{"id": "alice", "at": "e1", "att": 1}\n',
            "who.jsonl line 1 att id at",
        ),
        (
            "who.jsonl",
            '{"id": "alice"\n',
            "who.jsonl 1 JSON 15",
        ),
        (
            "who.txt",
            "",
            "subscribers who.txt .parquet .csv .json .jsonl .ndjson .csv.gz",
        ),
        (None, "", "subscribers who.csv"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, name, content, parts):
    if name:
        (tmp_path / name).write_text(content)
    assert says(mistake(toronto() | {"subscribers": name or "who.csv"}, tmp_path), parts)


def test_a_file_that_is_not_what_its_name_says(tmp_path):
    (tmp_path / "who.parquet").write_text("id,at\n")
    told = mistake(toronto() | {"subscribers": "who.parquet"}, tmp_path)
    assert told.startswith("who.parquet: ")


def test_a_folder_with_nothing_to_read(tmp_path):
    (tmp_path / "who").mkdir()
    told = mistake(toronto() | {"subscribers": "who"}, tmp_path)
    assert missing(told, "subscribers who .parquet") == []


def test_many_wrong_names_do_not_take_for_ever(tmp_path):
    """No guess is made among many names, and only the mistakes that are shown are put into words."""
    rows = 20_000
    who = pa.table({"id": [f"w{n}" for n in range(rows)], "at": ["e1"] * rows})
    what = pa.table({"id": [f"s{n}" for n in range(rows)], "subscriber": ["nobody"] * rows, "sql": [SQL] * rows})
    pa.parquet.write_table(who, tmp_path / "who.parquet")
    pa.parquet.write_table(what, tmp_path / "what.parquet")
    told = mistake(toronto() | {"subscribers": "who.parquet", "subscriptions": "what.parquet"}, tmp_path)
    first, *_, last = told.splitlines()
    assert missing(first, "what.parquet 1 s0 nobody w0 w7 20,000") == []
    assert missing(last, "19,980") == []
