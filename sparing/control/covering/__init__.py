"""Covering: the subscriptions that a broker must forward to its upstream neighbour.

Read `matching_set` (the subscriptions of an advertisement), then the techniques `regular_cover`, `rank_cover` and
`ancestor_cover`; `incremental` updates a cover, `weights` counts covered subscriptions. `boxes` and `ranked_boxes` are
the data for `kernels`; `bounds` and `intervals` compare scores that depend on the publication.
"""
