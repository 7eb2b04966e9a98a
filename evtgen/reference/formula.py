"""The formula: what a node means, in float64, with no rounding that the user did not ask for.

It starts from ``A @ B`` in float64, whatever type the accumulator has, and takes every constant as it was written. A
cast between floats changes nothing here, but see :mod:`~.roundings`. A cast to an integer type rounds to whole numbers
in its mode and keeps within the type's limits, since that is what it is written for; a cast to the type of MX scales
rounds to powers of two. Integers neither wrap nor saturate elsewhere; they are exact up to 2^53.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..graph.ir import Scalar
from ..graph.shapes import Problem
from ..nodes import AuxLoad, BlockReduced, Broadcast, Cast, Compute, Position, Reduce, Reduced, TopKResult, VisitorNode
from ..operators.arrays import Array, to_scale, to_whole
from . import blocks
from .compute import applied
from .reductions import joined, repeated
from .stepwise import stepwise
from .tensors import Tensors


def operands(products: Sequence[Array], inputs: Mapping[str, Array], problem: Problem | None = None) -> Tensors:
    """What the formula reads: the products (M, N), one for each accumulator, and everything else, in float64."""
    wide = {name: array.astype(np.float64) for name, array in inputs.items()}
    return Tensors(products[0], wide, given=problem, second=products[-1])


def formula(node: VisitorNode, inputs: list[Array], tensors: Tensors) -> Array:
    """A node's output of the outputs of its inputs, in float64 (masks in bool); writes outputs into ``tensors``."""
    value: Array
    if isinstance(node, Compute):
        assert node.operator is not None
        constants = [np.float64(_number(constant, tensors)) for constant in node.constants]
        return np.asarray(applied(node.operator, inputs, constants))
    if isinstance(node, Cast):
        return _cast(node, inputs[0])
    if isinstance(node, Reduce):
        problem = tensors.problem.narrowed(node.columns)
        tensors.outputs[node.name] = joined(node, inputs[0], problem, float(node.identity))
        return inputs[0]
    if isinstance(node, BlockReduced | Reduced):
        if isinstance(node, BlockReduced):
            value = blocks.formula(node, inputs[0])
        else:
            reduce = node.reduce
            problem = tensors.problem.narrowed(node.columns)
            value = repeated(node, joined(reduce, inputs[0], problem, float(reduce.identity)), tensors)
        return value
    if isinstance(node, AuxLoad | Broadcast) and node.tensor is not None and node.name not in tensors.inputs:
        assert node.null_default is not None
        return np.full(tensors.shape_of(node.tensor), float(node.null_default))
    value = stepwise(node, inputs, tensors)
    return value.astype(np.float64) if isinstance(node, Position | TopKResult) else value


def _cast(node: Cast, value: Array) -> Array:
    if node.to.kind == "scale":
        return to_scale(value)
    return to_whole(value, node.to, node.round) if node.to.kind == "int" else value


def _number(constant: Any, tensors: Tensors) -> float:
    if isinstance(constant, Scalar):
        return float(constant.signed(tensors.inputs[constant.name].item()))
    return float(constant)
