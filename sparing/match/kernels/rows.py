"""Rows of 512 bits as values that compiled code can hold in registers.

Numba has only single machine words. A `Row` is a vector of eight, one bit for each event of a tile, so the compiler can
use the widest registers of the machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

WORDS = 8
BITS = 64 * WORDS

_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, WORDS)


class Row(types.Type):
    """Numba's type of a row."""

    def __init__(self) -> None:
        super().__init__(name="Row512")


_ROW = Row()


@register_model(Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """Return the address of row `at` in an array of words."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(builder.bitcast(data, _VECTOR.as_pointer()), [at])


@intrinsic
def row(typing_context: Any, table: Any, at: Any) -> Any:
    """Return row `at` of a flat array of words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], *arguments), align=8)

    return _ROW(table, types.uint64), generate


@intrinsic
def put_row(typing_context: Any, table: Any, at: Any, value: Any) -> Any:
    """Store a row in a flat array of words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, value = arguments
        builder.store(value, _place(context, builder, signature.args[0], array, at), align=8)
        return context.get_dummy_value()

    return types.void(table, types.uint64, _ROW), generate


@intrinsic
def empty_row(typing_context: Any) -> Any:
    """Return a row of zeros."""
    zeros = ir.Constant(_VECTOR, [0] * WORDS)
    return _ROW(), lambda context, builder, signature, arguments: zeros


@intrinsic
def both(typing_context: Any, one: Any, other: Any) -> Any:
    """Return one AND other."""
    return _ROW(_ROW, _ROW), lambda context, builder, signature, arguments: builder.and_(*arguments)


@intrinsic
def either(typing_context: Any, one: Any, other: Any) -> Any:
    """Return one OR other."""
    return _ROW(_ROW, _ROW), lambda context, builder, signature, arguments: builder.or_(*arguments)


@intrinsic
def without(typing_context: Any, one: Any, other: Any) -> Any:
    """Return one AND NOT other."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.not_(arguments[1]))

    return _ROW(_ROW, _ROW), generate


@intrinsic
def exclusive_or(typing_context: Any, one: Any, other: Any) -> Any:
    """Return one XOR other."""
    return _ROW(_ROW, _ROW), lambda context, builder, signature, arguments: builder.xor(*arguments)


def _spread(builder: Any, word: Any) -> Any:
    """Return the vector with a word in all eight places."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), WORDS), [0] * WORDS))


@intrinsic
def shift_left(typing_context: Any, value: Any, places: Any) -> Any:
    """Return a row with every word shifted left."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.shl(arguments[0], _spread(builder, arguments[1]))

    return _ROW(_ROW, types.uint64), generate


@intrinsic
def shift_right(typing_context: Any, value: Any, places: Any) -> Any:
    """Return a row with every word shifted right."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.lshr(arguments[0], _spread(builder, arguments[1]))

    return _ROW(_ROW, types.uint64), generate


@intrinsic
def broadcast(typing_context: Any, word: Any) -> Any:
    """Return the row with a word in all eight places."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _spread(builder, arguments[0])

    return _ROW(types.uint64), generate


@intrinsic
def filled_words(typing_context: Any, value: Any) -> Any:
    """Return the words of a row that have a bit: bit `w` for word `w`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        filled = builder.icmp_unsigned("!=", arguments[0], ir.Constant(_VECTOR, [0] * WORDS))
        return builder.zext(builder.bitcast(filled, ir.IntType(WORDS)), _WORD)

    return types.uint64(_ROW), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """Return the position of the lowest bit of a word; 64 if it has none."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def count_bits(typing_context: Any, word: Any) -> Any:
    """Return the number of set bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def words(rows: int) -> np.ndarray:
    """Return an array of words for rows, each within one cache line."""
    raw = np.zeros((rows + 1) * WORDS, dtype=np.uint64)
    start = (-raw.ctypes.data % 64) // 8
    return raw[start : start + rows * WORDS]
