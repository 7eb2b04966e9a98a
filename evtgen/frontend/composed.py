"""Functions of ``ops`` that are made of others: softmax, norms and quantisation. They use what they reduce.

They compute in float32, whatever the type of the value, and give a value of its type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..diagnostics import reading as codes
from ..graph.location import caller
from ..graph.types import ElementType, float32, int8
from ..operators.table import BY_NAME
from ..system.translation import tr
from .reductions import along, reduction
from .value import Reduction, Value, is_constant, operand

LARGEST = 127
"""What the largest magnitude becomes when it is quantised to int8."""

LEAST_SCALE = 2.0**-120
"""The least scale of what is quantised: that of zeros, so that nothing is divided by 0."""


def softmax(x: Any, axis: int | None = -1) -> Value:
    """exp(x) over its sum along each row (``axis=-1``), each column (0) or all (None). The largest value is subtracted
    first, so that nothing overflows."""
    value = _wide("softmax", x)
    raised = _apply("exp", value - _reduced("softmax", value, "max", axis))
    return (raised / _reduced("softmax", raised, "add", axis)).cast(_type(x))


def log_softmax(x: Any, axis: int | None = -1) -> Value:
    """The logarithm of ``softmax(x, axis)``: finite where that is 0."""
    value = _wide("log_softmax", x)
    below = value - _reduced("log_softmax", value, "max", axis)
    total = _reduced("log_softmax", _apply("exp", below), "add", axis)
    return (below - _apply("log", total)).cast(_type(x))


def rms_norm(x: Any, weight: Any = None, eps: Any = 1e-6) -> Value:
    """x over the root of the mean of its squares along each row, times ``weight``: a value such as a RowVector."""
    value = _wide("rms_norm", x)
    return _scaled("rms_norm", _over_root("rms_norm", value, eps), weight, None).cast(_type(x))


def layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Value:
    """x less its mean along each row, over its standard deviation there, times ``weight``, plus ``bias``. The variance
    is that of what is left when the mean has been subtracted, so nothing cancels."""
    value = _wide("layer_norm", x)
    centred = value - _reduced("layer_norm", value, "mean")
    return _scaled("layer_norm", _over_root("layer_norm", centred, eps), weight, bias).cast(_type(x))


def quantize_per_token(x: Any) -> tuple[Value, Value]:
    """(values, scales): int8 values, and for each row the float32 scale that they are to be multiplied by, M x 1. It is
    the largest magnitude of the row over 127, and at least 2^-120."""
    return _quantized("quantize_per_token", x, -1)


def quantize_per_tensor(x: Any) -> tuple[Value, Value]:
    """(values, scale): int8 values, and the float32 scale that they are to be multiplied by, 1 x 1. It is the largest
    magnitude of all over 127, and at least 2^-120."""
    return _quantized("quantize_per_tensor", x, None)


COMPOSED: dict[str, Callable[..., Any]] = {
    made.__name__: made
    for made in (softmax, log_softmax, rms_norm, layer_norm, quantize_per_token, quantize_per_tensor)
}
"""Each function by its name."""


def _quantized(name: str, x: Any, axis: int | None) -> tuple[Value, Value]:
    value = _wide(name, x)
    scale = _apply("maximum_scalar", _reduced(name, value, "amax", axis) * (1 / LARGEST), LEAST_SCALE)
    return (value / scale).cast(int8), scale


def _wide(name: str, x: Any) -> Value:
    """What is given, in float32."""
    if not isinstance(x, Value):
        raise codes.OPERAND.error(tr("ops.{name} is given no value of this function", name=name), caller())
    return x.cast(float32)


def _type(x: Value) -> ElementType:
    """The type of the result: that of what was given, if it has fractions."""
    return x.T if x.T.kind == "float" else float32


def _over_root(name: str, value: Value, eps: Any) -> Value:
    """A value over the root of the mean of its squares along each row."""
    if not is_constant(eps):
        raise codes.ARGUMENT.error(tr("eps of ops.{name} is a number or a Scalar", name=name), caller(), "eps=1e-5")
    return value / _apply("sqrt", _reduced(name, value * value, "mean") + eps)


def _scaled(name: str, value: Value, weight: Any, bias: Any) -> Value:
    """``value * weight + bias``, without what is None."""

    def wide(given: Any) -> Any:
        return given if is_constant(given) else operand(value.graph, given, f"ops.{name}").cast(float32)

    value = value if weight is None else value * wide(weight)
    return value if bias is None else value + wide(bias)


def _reduced(name: str, value: Value, op: str, axis: Any = -1) -> Reduction:
    return reduction(along(axis, f"ops.{name}"), value, op)


def _apply(name: str, value: Value, *constants: float) -> Value:
    return value.graph.compute(BY_NAME[name], [value], *constants)
