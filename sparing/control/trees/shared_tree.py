"""One delivery tree for all publishers: shortest paths from the overlay's center.

Overlays may have cycles; the tree has none, so there is exactly one path between two brokers. A disconnected overlay
gets one tree per connected part.
"""

from __future__ import annotations

from sparing.graphs.trees import center, components, shortest_path_tree
from sparing.model.overlay import Overlay


def shared_tree(overlay: Overlay) -> frozenset[tuple[str, str]]:
    """Return the links of the tree, each as a sorted pair of brokers."""
    links: set[tuple[str, str]] = set()
    for part in components(overlay.neighbours):
        parents = shortest_path_tree(overlay.neighbours, center(overlay.neighbours, part))
        links.update((min(pair), max(pair)) for pair in parents.items())
    return frozenset(links)
