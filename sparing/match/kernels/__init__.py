"""Compiled kernels of matching.

Functions take arrays, or the tuples of arrays in `arrays`; Numba infers their types on the first call and caches the
machine code on disk. Array indices are unsigned, because Numba would otherwise check for negative ones.
"""
