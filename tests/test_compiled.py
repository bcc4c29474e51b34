"""Machine code of an earlier version is not used."""

from pathlib import Path

from sparing.compiled import drop_stale


def package(folder: Path) -> Path:
    """A package with a compiled function, another module, and machine code."""
    (folder / "inner" / "__pycache__").mkdir(parents=True)
    (folder / "inner" / "loops.py").write_text("from sparing.compiled import compiled\n")
    (folder / "inner" / "other.py").write_text("# no loops\n")
    return folder


def cached(folder: Path) -> Path:
    index = folder / "inner" / "__pycache__" / "loops.nbi"
    index.write_text("")
    return index


def test_machine_code_is_dropped_when_a_compiled_source_changes(tmp_path):
    folder = package(tmp_path)
    index = cached(folder)
    assert drop_stale(folder)
    assert not index.exists()
    index = cached(folder)
    (folder / "inner" / "other.py").write_text("# changed\n")
    assert not drop_stale(folder)
    assert index.exists()
    (folder / "inner" / "loops.py").write_text("from sparing.compiled import compiled, inlined\n")
    assert drop_stale(folder)
    assert not index.exists()


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path):
    folder = package(tmp_path)
    (folder / "__pycache__").write_text("a file in the way")
    index = cached(folder)
    drop_stale(folder)
    assert index.exists()
