"""The real case's tree."""

import pytest

from sparing.model.errors import SparingError
from sparing_lab.study.mefa.facebook import facebook_tree


def test_the_kept_part_gives_60_leaves_of_90_nodes():
    tree = facebook_tree()
    assert (tree.nodes, len(tree.connections)) == (90, 60)


def test_a_users_edge_list_is_used_instead(tmp_path):
    (tmp_path / "mine.txt").write_text("5 1\n5 2\n5 3\n1 4\n")
    assert facebook_tree(tmp_path / "mine.txt").nodes == 5


def test_a_tree_without_possible_savings_is_rejected(tmp_path):
    (tmp_path / "star.txt").write_text("0 1\n0 2\n3 4\n")
    with pytest.raises(SparingError, match=r"star\.txt all subscribers are next to the publisher: nothing"):
        facebook_tree(tmp_path / "star.txt")
