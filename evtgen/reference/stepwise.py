"""The stepwise reference: a node's result, rounded where the device rounds, by the node's kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..graph.ir import Scalar
from ..graph.shapes import GEMM_A, Problem
from ..nodes import (
    AccLoad,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    Band,
    BlockBroadcast,
    BlockStore,
    Broadcast,
    Cast,
    ColIndex,
    Compute,
    HeadBroadcast,
    Kept,
    Outputs,
    Part,
    Reduce,
    Reduced,
    Rotate,
    RowIndex,
    Store,
    TopK,
    TopKResult,
    VisitorNode,
)
from ..nodes.base import destinations, of_kind
from ..operators.arrays import Array, cast
from ..operators.constants import nearest
from . import top_k
from .compute import computed
from .reductions import joined, repeated
from .tensors import Tensors


def stepwise(node: VisitorNode, inputs: Sequence[Array], tensors: Tensors) -> Any:
    """The output of a node as an array (M, N) of the output's dtype; writes outputs into ``tensors``."""
    if isinstance(node, Kept) and not node.writes:
        # What a phase finds in the workspace is among the inputs under the name of the value.
        return tensors.spread(node.kept, tensors.inputs[node.called])
    return of_kind(_STEPS, node)(node, inputs, tensors)


def statistic(node: AStatistic, tensors: Tensors) -> tuple[Array, Array]:
    """Of the rows of A, float64 (M, 1): the sums of their terms, and of the magnitudes of these."""
    a = tensors.inputs[GEMM_A]
    value, magnitude = (np.empty((tensors.problem.m, 1)) for _ in range(2))
    for of_c, of_a, _ in tensors.problem.factors():
        terms = a[of_a[0]].astype(np.float64)
        terms = np.square(terms) if node.squares else terms
        value[of_c] = terms.sum(axis=1, keepdims=True)
        magnitude[of_c] = np.abs(terms).sum(axis=1, keepdims=True)
    return value, magnitude


def _statistic(node: AStatistic, inputs: Sequence[Array], tensors: Tensors) -> Any:
    wide = tensors.inputs[GEMM_A].dtype == np.float64  # a formula has all inputs in float64
    value = statistic(node, tensors)[0].astype(np.float64 if wide else np.float32)
    return np.broadcast_to(value, tensors.acc.shape)


def _gather(node: AuxGather, inputs: Sequence[Array], tensors: Tensors) -> Any:
    tensor = tensors.inputs[node.name]
    there, places = destinations(node, tensors.inputs, len(tensor), tensors.problem)
    gathered = np.zeros((tensors.problem.m, tensor.shape[1]), tensor.dtype)
    gathered[there] = tensor[places]
    return gathered


def _rows(node: RowIndex, inputs: Sequence[Array], tensors: Tensors) -> Any:
    rows = _row_numbers(tensors.problem).astype(np.int32)
    return np.broadcast_to(rows[:, None], tensors.acc.shape)


def _row_numbers(problem: Problem) -> Array:
    """The number of each row in its matmul, int64 (M,)."""
    return np.concatenate([np.arange(problem.above, problem.above + rows, dtype=np.int64) for rows in problem.rows])


def _columns(node: ColIndex, inputs: Sequence[Array], tensors: Tensors) -> Any:
    return np.broadcast_to(np.arange(tensors.problem.n, dtype=np.int32), tensors.acc.shape)


def _band(node: Band, inputs: Sequence[Array], tensors: Tensors) -> Any:
    other = tensors.scalar(node.other) if isinstance(node.other, Scalar) else node.other
    return np.where(in_band(node, tensors.problem), inputs[0], inputs[0].dtype.type(other))


def in_band(node: Band, problem: Problem) -> Array:
    """Which elements, (M, N), a band keeps."""
    distance = node.row * _row_numbers(problem)[:, None] + node.column * np.arange(problem.n, dtype=np.int64)
    inside: Array = (distance >= node.lower) & (distance <= node.upper)
    return inside


def taken(node: Part, values: Array) -> Array:
    """The columns of a part, of the values of its input."""
    return values[:, node.taken.start : node.taken.stop : node.taken.step]


def fitted(arrays: Sequence[Array]) -> list[Array]:
    """The values of a node's inputs, all of as many columns: those of a column, (M, N), meet a part of the columns."""
    width = min((array.shape[1] for array in arrays), default=0)
    return [array if array.shape[1] == width else array[:, :width] for array in arrays]


def _store(node: Store, inputs: Sequence[Array], tensors: Tensors) -> Any:
    tensors.outputs[node.name] = stored(node, inputs[0], tensors.problem)
    return inputs[0]


def _scatter(node: AuxScatter, inputs: Sequence[Array], tensors: Tensors) -> Any:
    if not node.add:
        return _store(node, inputs, tensors)
    # The order is not defined; the reference takes the exact sum and rounds once.
    wide = np.float64 if node.T.kind == "float" else np.int64
    with np.errstate(all="ignore"):
        tensors.outputs[node.name] = added(node, inputs[0].astype(wide), tensors).astype(inputs[0].dtype)
    return inputs[0]


def added(node: AuxScatter, values: Array, tensors: Tensors) -> Array:
    """The sums of the rows of (M, N) values that go to each row, of each rank, in the type of the values."""
    there, places = destinations(node, tensors.inputs, len(values), tensors.problem)
    sums: Array = np.zeros(node.tensor.size(tensors.problem), values.dtype)
    np.add.at(sums, places, values[there])
    return sums


def stored(node: Store, values: Array, problem: Problem) -> Array:
    """What a store writes of (M, N) values, those of all matmuls. Of a matmul without rows nothing is; the values there
    are 0."""
    if isinstance(node, BlockStore):
        values = values[:, :: node.block]
    if node.shape.columns == "1":
        values = values[:, :1]
    if node.shape.rows == "M":
        return values
    parts = [values[rows][:1] for rows in problem.segments()]
    return np.concatenate([part if len(part) else np.zeros((1, values.shape[1]), values.dtype) for part in parts])


def _reduce(node: Reduce, inputs: Sequence[Array], tensors: Tensors) -> Any:
    tensors.outputs[node.name] = reduction_of(node, inputs[0], tensors)
    return inputs[0]


def reduction_of(node: Reduce, values: Array, tensors: Tensors) -> Array:
    """``values``, (M, N) or a part of its columns, reduced and joined to the identity: an array with the rows and
    columns of the tensor.

    The order of an atomic reduction is not defined; the reference takes the exact sum and rounds once.
    """
    wide = np.float64 if node.T.kind == "float" else np.int64
    terms = values if node.first is None else computed(node.first, [values], tensors)
    exact = joined(
        node, terms.astype(wide), tensors.problem.narrowed(node.columns), wide(nearest(node.identity, node.T))
    )
    result: Array = exact.astype(values.dtype)
    return result


def _heads(node: HeadBroadcast, inputs: Sequence[Array], tensors: Tensors) -> Any:
    one = tensors.stacked(node.tensor, tensors.inputs[node.name])
    n = tensors.problem.n
    return np.tile(one, -(-n // node.head))[:, :n]


def _blocks(node: BlockBroadcast, inputs: Sequence[Array], tensors: Tensors) -> Any:
    problem, values = tensors.problem, tensors.inputs[node.name]
    rows, columns = node.block
    each = values.reshape(problem.parts(node.name), -1, values.shape[1])
    spread = np.repeat(np.repeat(each, rows, axis=1), columns, axis=2)[..., : problem.n]
    return np.concatenate([spread[problem.part(node.name, i), :m] for i, m in enumerate(problem.rows)])


def _rotated(node: Rotate, inputs: Sequence[Array], tensors: Tensors) -> Any:
    partners = np.array(node.partners(inputs[0].shape[1]))
    rotated = inputs[0][:, partners]
    first = partners > np.arange(len(partners))
    rotated[:, first] = -rotated[:, first]
    return rotated


_STEPS: dict[type[VisitorNode], Callable[[Any, Sequence[Array], Tensors], Any]] = {
    AccLoad: lambda node, inputs, tensors: tensors.accumulator(node.index),
    AuxLoad: lambda node, inputs, tensors: tensors.loaded(node.tensor),
    AuxGather: _gather,
    AStatistic: _statistic,
    Broadcast: lambda node, inputs, tensors: tensors.loaded(node.tensor),
    RowIndex: _rows,
    ColIndex: _columns,
    Compute: computed,
    Band: _band,
    TopK: lambda node, inputs, tensors: top_k.largest(node, inputs[0]),
    TopKResult: lambda node, inputs, tensors: top_k.result(node, inputs[0]),
    Part: lambda node, inputs, tensors: taken(node, inputs[0]),
    Cast: lambda node, inputs, tensors: cast(inputs[0], node.to, node.round),
    AuxScatter: _scatter,
    Store: _store,
    Reduce: _reduce,
    Reduced: lambda node, inputs, tensors: repeated(node, reduction_of(node.reduce, inputs[0], tensors), tensors),
    HeadBroadcast: _heads,
    BlockBroadcast: _blocks,
    Rotate: _rotated,
    Outputs: lambda node, inputs, tensors: None,
}
