"""Compiled code: the loops that matching spends its time in.

Functions here take arrays, or the tuples of arrays in `arrays`; Numba infers their types when they are first called
and keeps the machine code on disk, so that another process starts warm. Whole numbers that are used as places in arrays
are unsigned, because Numba would otherwise check each for being negative.
"""
