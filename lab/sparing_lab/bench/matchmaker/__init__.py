"""The matchmaker on overlays of up to 100,000 links, beside the paper's algorithm and libraries for flows, in one run.

Overlays, publishers and subscribers are made up from a seed (`made_up`). `engines` mark the links, each in its own way,
and must agree. `measure` takes them in turn, and the steps of Sparing one by one.
"""
