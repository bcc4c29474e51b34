"""Sparing's files in a checkpoint: writes are atomic, and any damage is detected."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.model.errors import SparingError
from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream import durable
from sparing.spark.stream.durable import (
    DamagedError,
    OtherFormatError,
    decode_json,
    read_bytes,
    read_json,
    restore,
    write_json,
)


class Crash(BaseException):
    """As if the process ended here."""


def _crash_in_call(monkeypatch, number: int, after: bool) -> None:
    """Let the process end before or after a step of writing."""
    calls = 0

    def counted(function):
        def crashing(*args, **named):
            nonlocal calls
            calls += 1
            if calls == number and not after:
                raise Crash
            found = function(*args, **named)
            if calls == number and after:
                raise Crash
            return found

        return crashing

    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    for name in ("replace", "unlink", "open"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("number", range(1, 8))
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_crash_leaves_the_old_or_the_new_content(monkeypatch, tmp_path, number, after, old):
    path = tmp_path / "note.json"
    if old is not None:
        durable._write_locally(path, old)
    with monkeypatch.context() as patched:
        _crash_in_call(patched, number, after)
        try:
            durable._write_locally(path, b"the new one")
        except Crash:
            crashed = True
        else:
            crashed = False
    found = path.read_bytes() if path.exists() else None
    assert found in ((old, b"the new one") if crashed else (b"the new one",))


@given(st.binary(max_size=300))
def test_any_content_is_read_or_reported_as_damaged(data):
    for name in ("note.json", "note.json.gz"):
        with suppress(DamagedError, OtherFormatError):
            decode_json(name, data, 1)


@pytest.mark.spark
@given(st.data())
def test_any_damage_is_detected_and_repaired_from_the_copy(spark, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("notes")
    name = data.draw(st.sampled_from(["a.json", "a.json.gz"]))
    content = data.draw(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3))
    path = str(folder / name)
    write_json(spark, path, content, 3)
    assert read_json(spark, path, 3) == content
    whole = (folder / name).read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(st.sampled_from([whole[:at], whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :]]))
    (folder / name).write_bytes(damaged)
    try:
        found = read_json(spark, path, 3)
    except SparingError:
        assert restore(spark, path, 3)
        found = read_json(spark, path, 3)
    assert found == content


@pytest.mark.spark
def test_a_wrong_checksum_of_hadoop_is_reported_as_damage(spark, tmp_path):
    place = tmp_path / "entry"
    path, system = hadoop_path(spark, str(place))
    stream = system.create(path)
    stream.write(bytearray(b"v1\n{}"))
    stream.close()
    place.write_bytes(b"v2\n{}")
    with pytest.raises(DamagedError, match="entry is damaged: its checksum does not fit its content"):
        read_bytes(spark, str(place))
