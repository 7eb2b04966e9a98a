"""Operators on an architecture that flushes subnormals: call by call, since a flush between two calls shows in the end.

Where Exp gives a subnormal, silu of -88 is no 4e-37 but 0. What an operator means in numpy does not say so; its
sequence does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..graph.types import ElementType
from ..targets.tables import CALLS
from .declaration import Operator, is_number

MEANINGS: dict[str, Callable[..., Any]] = {
    "Add": lambda np, dst, a, b: a + b,
    "Sub": lambda np, dst, a, b: a - b,
    "Mul": lambda np, dst, a, b: a * b,
    "Div": lambda np, dst, a, b: np.divide(a, b),
    "Max": lambda np, dst, a, b: np.maximum(a, b),
    "Min": lambda np, dst, a, b: np.minimum(a, b),
    "AddRelu": lambda np, dst, a, b: np.maximum(a + b, a.dtype.type(0)),
    "Adds": lambda np, dst, a, s: a + s,
    "Muls": lambda np, dst, a, s: a * s,
    "Maxs": lambda np, dst, a, s: np.maximum(a, s),
    "Mins": lambda np, dst, a, s: np.minimum(a, s),
    "LeakyRelu": lambda np, dst, a, s: np.where(a >= 0, a, a * s),
    "Relu": lambda np, dst, a: np.maximum(a, a.dtype.type(0)),
    "Abs": lambda np, dst, a: np.absolute(a),
    "Exp": lambda np, dst, a: np.exp(a),
    "Ln": lambda np, dst, a: np.log(a),
    "Sqrt": lambda np, dst, a: np.sqrt(a),
    "Duplicate": lambda np, dst, s: s,
    "Axpy": lambda np, dst, a, s: dst + a * s,
    "MulAddDst": lambda np, dst, a, b: dst + a * b,
    "FusedMulAdd": lambda np, dst, a, b: dst * a + b,
}
"""What each call that a sequence may have computes, of the destination before it and of its sources. Rsqrt and
Reciprocal are not among them: on the device they are short of half's precision, by their pages."""

_MARGIN = 32
"""Roundings by which a value may be off before it is found to be subnormal or not."""


def flushes(operator: Operator) -> bool:
    """Whether a call of the operator flushes subnormals where the architecture does."""
    return any(call.name in CALLS and CALLS[call.name].iterates for call in operator.sequence)


def flushed(operator: Operator, T: ElementType, inputs: Sequence[Any], constants: Sequence[float]) -> tuple[Any, Any]:
    """The operator's calls one after the other, subnormals flushed, on arrays with the values of ``T``: the result,
    in the dtype of the computation, and where a flush changed something.

    Of an exact operator each call rounds as the device does. Any other computes in float64, and flushes what the device
    may find subnormal, by a few roundings.
    """
    import numpy as np

    from .arrays import dtype, smallest_normal

    computed = operator.computed_in(T)
    exact = operator.ulp == 0
    work = dtype(computed) if exact else np.dtype(np.float64)
    least = smallest_normal(computed) * (1.0 if exact else 1 + _MARGIN * 2.0**-computed.precision)
    touched = np.zeros(np.broadcast_shapes(*(np.shape(array) for array in inputs)), bool)

    def flush(array: Any) -> Any:
        nonlocal touched
        small = (np.abs(array) < least) & (array != 0)
        touched |= small
        return np.where(small, np.copysign(work.type(0), array), array)

    arrays = zip((*operator.operands, *operator.constants), (*inputs, *constants), strict=True)
    values = {name: np.asarray(value).astype(work) for name, value in arrays}
    for call in operator.sequence:
        sources = [np.asarray(float(arg), work) if is_number(arg) else values[arg] for arg in call.sources]
        iterates = CALLS[call.name].iterates
        given = map(flush, sources) if iterates else sources
        result = np.asarray(MEANINGS[call.name](np, values.get(call.destination), *given)).astype(work)
        values[call.destination] = flush(result) if iterates else result
    return np.broadcast_to(values["dst"], touched.shape), touched
