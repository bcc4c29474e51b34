"""The compiled walk: publications cross the overlay as numbers in arrays.

`arrays` defines them, `build` fills them from `ranges` and `topic_links`, `run` is the loop, `travel` and `places` move
the edges.
"""
