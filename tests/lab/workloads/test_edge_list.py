"""Edge lists are read, and what is wrong with one is said in a sentence."""

import gzip

import pytest

from sparing.model.errors import SparingError
from sparing_lab.workloads.edge_list import read_edges
from tests.messages import refused

TEXT = "# FromNodeId\tToNodeId\n0 1\n\n  2\t3  \n# the end\n1 0\n"


def test_comments_and_blanks_are_skipped(tmp_path):
    (tmp_path / "graph.txt").write_text(TEXT)
    (tmp_path / "graph.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert read_edges(tmp_path / "graph.txt") == [(0, 1), (2, 3), (1, 0)]
    assert read_edges(str(tmp_path / "graph.txt.gz")) == [(0, 1), (2, 3), (1, 0)]


@pytest.mark.parametrize("line", ["7", "1 2 3", "1 x", "1 -2", "1 ²", "1,2"])
def test_an_invalid_line_is_named(tmp_path, line):
    (tmp_path / "graph.txt").write_text(f"0 1\n{line}\n", encoding="utf-8")
    with pytest.raises(SparingError, match=r"\b2\b.*graph\.txt") as said:
        read_edges(tmp_path / "graph.txt")
    assert repr(line) in str(said.value)


def test_a_file_without_edges_is_rejected(tmp_path):
    (tmp_path / "graph.txt").write_text("# nobody\n")
    with refused("graph.txt"):
        read_edges(tmp_path / "graph.txt")


def test_an_unreadable_file_is_rejected(tmp_path):
    with refused("none.txt"):
        read_edges(tmp_path / "none.txt")
    (tmp_path / "graph.txt").write_bytes(b"0 1\n\xff\xfe\n")
    with refused("graph.txt"):
        read_edges(tmp_path / "graph.txt")
    (tmp_path / "plain.gz").write_text(TEXT)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT.encode())[:-12])
    (tmp_path / "spoilt.gz").write_bytes(gzip.compress(TEXT.encode())[:10] + b"\xff" * 40)
    for name in ("plain.gz", "cut.gz", "spoilt.gz"):
        with refused(f"{name} gzip"):
            read_edges(tmp_path / name)
