"""What a graph reads and writes, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..graph.ir import Scalar
from ..graph.shapes import Problem
from ..nodes import Tensor
from ..operators.arrays import dtype
from ..operators.constants import nearest


@dataclass
class Tensors:
    """The reference's inputs and outputs: arrays by tensor name, the accumulator (M, N), and scalars by name.

    ``second`` is the second accumulator (M, N) of a GEMM that has two. ``flushes_subnormals`` and ``off`` are
    those of the architecture whose results are meant. ``given`` is the problem where it is several matmuls, whose rows
    are then stacked in every array (M, N).
    """

    acc: Any
    inputs: dict[str, Any]
    outputs: dict[str, Any] = field(default_factory=dict)
    flushes_subnormals: bool = False
    off: Mapping[str, int] = field(default_factory=dict)
    given: Problem | None = None
    second: Any = None

    def accumulator(self, index: int) -> Any:
        """An accumulator by its number."""
        return self.second if index else self.acc

    @property
    def problem(self) -> Problem:
        """What is computed: by default one matmul, of the accumulator's shape."""
        m, n = self.acc.shape
        return self.given or Problem((m,), n, k=0)

    def scalar(self, scalar: Scalar) -> float | int:
        """A number given at run time: a value of its type, with the sign that it is taken with."""
        with np.errstate(over="ignore"):
            value = np.asarray(self.inputs[scalar.name]).astype(dtype(scalar.T)).reshape(())
            signed = np.negative(value) if scalar.negative else value
        return int(signed) if scalar.T.kind == "int" else float(signed)

    def loaded(self, tensor: Tensor) -> Any:
        """What a load reads as an array (M, N): its input repeated, or its default where the input was left out.

        Of several matmuls each reads the rows of its own, or those that all share.
        """
        array = self.inputs.get(tensor.name)
        if array is None:
            assert tensor.null_default is not None
            array = np.asarray(nearest(tensor.null_default, tensor.element), dtype(tensor.element))
            return np.broadcast_to(array, self.shape_of(tensor))
        return self.spread(tensor, array)

    def spread(self, tensor: Tensor, array: Any) -> Any:
        """The array of a tensor repeated to (M, N), or to its part of the columns."""
        return np.broadcast_to(self.stacked(tensor, array), self.shape_of(tensor))

    def stacked(self, tensor: Tensor, array: Any) -> Any:
        """The same with the columns that it has."""
        return array if self.given is None else _stacked(tensor, array, self.given)

    def shape_of(self, tensor: Tensor) -> tuple[int, int]:
        """Of a value that a tensor is repeated to."""
        m, n = self.acc.shape
        return m, len(tensor.columns.of(n)) if tensor.shape.columns == "N" else n


def _stacked(tensor: Tensor, array: Any, problem: Problem) -> Any:
    """A tensor's array with rows for those of all matmuls, or with one that stands for each of them."""
    if problem.count == 1:
        return array
    by_rows = tensor.shape.rows == "M"
    if tensor.name in problem.shared:
        return np.tile(array, (problem.count, 1)) if by_rows else array
    if problem.parts(tensor.name) < problem.count:
        parts = [problem.part(tensor.name, index) for index in range(problem.count)]
        array = array.reshape(problem.parts(tensor.name), -1, array.shape[1])[parts].reshape(-1, array.shape[1])
    return array if by_rows else np.repeat(array, problem.rows, axis=0)
