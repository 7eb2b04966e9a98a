"""The functions of ``ops`` on numpy's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.types import BY_NUMPY, ElementType
from ...nodes.base import name_rows
from ...operators import arrays
from ...operators.arrays import ADDED, Array
from ...operators.declaration import Operator

_JOINS = {"max": np.maximum, "amax": np.maximum, "min": np.minimum}
"""How a reduction is joined to what was there; all others are added."""


def compute(operator: Operator, operands: Sequence[Any], constants: Sequence[Any]) -> Array:
    """See :class:`evtgen.frontend.eager.Library`; so all here."""
    given = [x for x in operands if isinstance(x, np.ndarray)]
    operands = [_plain(x) if isinstance(x, np.ndarray) else x for x in operands]
    values = [x for x in operands if isinstance(x, np.ndarray) and x.dtype != bool]
    T = np.result_type(*values) if values else None
    if operator.ulp:
        operands = [x.astype(np.float64) if isinstance(x, np.ndarray) and x.dtype != bool else x for x in operands]
    elif T is not None and _has_fractions(T):
        operands = [T.type(x) if isinstance(x, (int, float)) else x for x in operands]
        constants = [T.type(constant) for constant in constants]
    with np.errstate(all="ignore"):
        result = operator.numpy(np, *operands[: operator.inputs], *constants)
        for more in operands[operator.inputs :]:
            result = operator.numpy(np, result, more)
    if T is None or not _has_fractions(T) or result.dtype == bool:
        return _like(result, given[0])
    return _like(result.astype(T), given[0])


def cast(array: Array, T: ElementType, mode: str) -> Array:
    plain = _plain(array)
    if plain.dtype == np.float64:
        if T.kind == "scale":
            return _like(arrays.to_scale(plain), array)
        return _like(arrays.to_whole(plain, T, mode), array) if T.kind == "int" else array
    if plain.dtype.name not in BY_NUMPY or plain.dtype == bool:
        plain = plain.astype(np.float32)
    return _like(arrays.cast(plain, T, mode), array)


def wide(array: Array) -> Array:
    return array if array.dtype == np.float64 else _like(_plain(array).astype(np.float32), array)


def narrow(array: Array, given: Array) -> Array:
    return _like(_plain(array).astype(given.dtype), array) if _has_fractions(given.dtype) else array


def reduced(array: Array, op: str, axes: tuple[int, ...], identity: float | None) -> Array:
    value = _plain(wide(array)) if _has_fractions(array.dtype) else _plain(array).astype(np.float64)
    if op in ("sum_of_squares", "amax"):
        value = np.square(value) if op == "sum_of_squares" else np.abs(value)
    reduce: Any = {"mean": np.mean, "max": np.max, "amax": np.max, "min": np.min}.get(op, np.sum)
    result = np.asarray(reduce(value, axis=axes, keepdims=True))
    if identity is not None:
        result = _JOINS.get(op, np.add)(result, identity)
    if not _has_fractions(array.dtype):
        limits = np.iinfo(array.dtype)
        result = np.clip(np.rint(result), limits.min, limits.max)
    return _like(result.astype(array.dtype), array)


def largest(array: Array, k: int) -> tuple[Array, Array]:
    values, columns = arrays.largest_of_rows(_plain(array), k)
    return _like(values, array), _like(columns, array)


def transposed(array: Array) -> Array:
    return _like(np.swapaxes(_plain(array), -1, -2), array)


def gathered(array: Array, rows: Array) -> Array:
    numbers = _numbers(rows)
    there = name_rows(numbers, len(array))
    gathered: Array = array[numbers * there]
    gathered[~there] = 0
    return gathered


def scattered(array: Array, rows: Array, add: bool, ranks: Array | None = None) -> Array:
    numbers = _numbers(rows)
    owners = np.zeros_like(numbers) if ranks is None else _numbers(ranks)
    height, count = max(len(array), int(numbers.max(initial=-1)) + 1), max(1, int(owners.max(initial=-1)) + 1)
    result = np.zeros((count, height, *array.shape[1:]), array.dtype)
    there = (numbers >= 0) & (owners >= 0)
    places = owners[there], numbers[there]
    if add:
        np.add.at(result, places, array[there])
    else:
        result[places] = array[there]
    return _like(result[0] if ranks is None else result, array)


def positions(like: Array, axis: int) -> Array:
    shape = like.shape[-2:]
    return _like(np.broadcast_to(np.expand_dims(np.arange(shape[axis], dtype=np.int32), 1 - axis), shape), like)


def _numbers(rows: Array) -> Array:
    """Numbers of rows, (M, 1) or (M,), as an index."""
    return np.asarray(rows).reshape(-1).astype(np.int64)


def _has_fractions(T: np.dtype[Any]) -> bool:
    return T.kind == "f" or T.name in ADDED


def _plain(array: Array) -> Array:
    """The array itself, without the methods of a class of its own."""
    return array.view(np.ndarray)


def _like(result: Any, given: Array) -> Array:
    """An array of the class of ``given``."""
    made = np.asarray(result)
    if type(given) is np.ndarray:
        return made
    view = made.view(type(given))
    view.__array_finalize__(given)
    return view
