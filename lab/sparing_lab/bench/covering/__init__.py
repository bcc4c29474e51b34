"""Covering against what people would use instead: the same boxes, the same result, in one run.

Boxes are made up from a seed (`boxes`). `engines` find what AncestorCoverK forwards of them, each in its own way, and
must agree. `measure` takes them in turn; `changes` measures boxes that come and go one by one.
"""
