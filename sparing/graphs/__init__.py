"""Textbook graph algorithms, independent of publish/subscribe.

`trees` has shortest paths, centers and spanning trees, `matching` bipartite matchings and vertex covers, `closure`
maximum closures, `adjacency` adjacency arrays for compiled code.
"""
