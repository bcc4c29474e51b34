"""The tree of the real case: from the stored part of SNAP's Facebook graph, or from a user's edge list."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from sparing.model.errors import SparingError
from sparing_lab.workloads.edge_list import edges_of, read_edges
from sparing_lab.workloads.social_tree import social_tree
from sparing_lab.workloads.subscription_trees import SubscriptionTree

KEPT = "facebook.txt"  # its first lines say where it is from


def facebook_tree(path: Path | None = None) -> SubscriptionTree:
    """Return the tree of a file's first 120 nodes, which must allow savings."""
    if path is None:
        return social_tree(edges_of(files(__package__).joinpath(KEPT).read_text(encoding="utf-8").splitlines(), KEPT))
    tree = social_tree(read_edges(path))
    if not any(tree.homes):
        raise SparingError(f"In the tree of {path} all subscribers are next to the publisher: nothing can be saved.")
    return tree
