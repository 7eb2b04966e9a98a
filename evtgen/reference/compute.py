"""An operator's node in numpy, and the places where the device may differ from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Scalar
from ..nodes import Compute
from ..operators.arrays import Array, dtype, neighbour
from ..operators.constants import nearest
from ..operators.declaration import Operator
from ..operators.flushing import flushed as flush
from ..operators.flushing import flushes
from .tensors import Tensors


def computed(node: Compute, inputs: Sequence[Array], tensors: Tensors) -> Array:
    """The result, rounded as the device rounds, with what becomes of it where subnormals are flushed."""
    result = _rounded(node, _meant(node, inputs, tensors))
    other = flushed(node, inputs, tensors, result) if _operator(node).ulp == 0 else None
    return result if other is None else other


def held(node: Compute, tensors: Tensors) -> list[float | int]:
    """The constants as the device has them: a number rounded once, to the type that is computed in."""
    T = node.element_constant
    return [tensors.scalar(c) if isinstance(c, Scalar) else nearest(c, T) for c in node.constants]


def ulp(node: Compute, tensors: Tensors) -> int:
    """The ulp by which the device may be off :func:`computed`, besides :func:`off`."""
    return 0 if node.casts else _operator(node).error(node.T, tensors.off)


def off(node: Compute, inputs: Sequence[Array], tensors: Tensors) -> tuple[Array, Array] | None:
    """The least and the greatest that the device may make where it computes in another type: off there by what
    :func:`ulp` would be, and then rounded as :func:`computed` is. None where it does not, or is exact."""
    distance = _operator(node).error(node.element_constant, tensors.off) if node.casts else 0
    if distance == 0:
        return None
    with np.errstate(all="ignore"):
        wide = np.asarray(_meant(node, _widened(inputs), tensors)).astype(dtype(node.element_constant))
    return _rounded(node, neighbour(wide, -distance)), _rounded(node, neighbour(wide, distance))


def fused(node: Compute, inputs: Sequence[Array], tensors: Tensors) -> Array | None:
    """As :func:`computed`, without the rounding that the device may leave out; None where there is none."""
    operator = _operator(node)
    if operator.fused is None or node.T.kind == "int":
        return None
    with np.errstate(all="ignore"):
        return _rounded(node, operator.fused(np, *inputs, *_in_own_type(node, tensors)))


def flushed(node: Compute, inputs: Sequence[Array], tensors: Tensors, result: Array) -> Array | None:
    """``result``, which is :func:`computed`'s, with what becomes of it where the architecture flushes subnormals; None
    where it flushes none."""
    operator = _operator(node)
    if not tensors.flushes_subnormals or node.T.kind != "float" or not flushes(operator):
        return None
    with np.errstate(all="ignore"):
        value, touched = flush(operator, node.T, inputs, held(node, tensors))
        return np.where(touched, _rounded(node, value), result)


def applied(operator: Operator, inputs: Sequence[Array], constants: Sequence[Any]) -> Any:
    """What an operator means, of as many inputs as there are."""
    result = operator.numpy(np, *inputs[: operator.inputs], *constants)
    for more in inputs[operator.inputs :]:
        result = operator.numpy(np, result, more)
    return result


def _operator(node: Compute) -> Operator:
    assert node.operator is not None
    return node.operator


def _meant(node: Compute, inputs: Sequence[Array], tensors: Tensors) -> Any:
    """The operator's meaning, before it is rounded."""
    operator = _operator(node)
    own = not operator.ulp and not node.casts
    constants = _in_own_type(node, tensors) if own else [np.float64(value) for value in held(node, tensors)]
    with np.errstate(all="ignore"):
        return applied(operator, _widened(inputs) if operator.ulp else inputs, constants)


def _widened(inputs: Sequence[Array]) -> list[Array]:
    return [x.astype(np.float64) if x.dtype != bool else x for x in inputs]


def _in_own_type(node: Compute, tensors: Tensors) -> list[Any]:
    return [dtype(node.T).type(value) for value in held(node, tensors)]


def _rounded(node: Compute, result: Any) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(result).astype(dtype(node.element))
