"""Functions of ``ops`` that are made of others: softmax, norms and quantisation. They use what they reduce.

They compute in float32, whatever the type of the value, and give a value of its type. So they do of arrays, by the
same formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..diagnostics import tracing as codes
from ..graph.location import caller
from ..graph.shapes import MX_GROUP
from ..graph.types import (
    ElementType,
    bfloat16,
    element_type,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e8m0fnu,
    float32,
    int8,
    int32,
)
from ..nodes import BLOCKS, MOST_OF_A_ROW, AuxLoad, ColIndex, HeadBroadcast, Rotate, TopK, TopKResult
from ..operators.table import BY_NAME
from .eager import is_array, library_of
from .reductions import along, block_reduced, reduced
from .value import Graph, Value, is_constant, operand

NO_COLUMN = 2.0**24
"""Behind all columns that float32 counts."""

LARGEST = 127
"""What the largest magnitude becomes when it is quantised to int8."""

LEAST_SCALE = 2.0**-120
"""The least scale of what is quantised: that of zeros, so that nothing is divided by 0."""


LEAST_MX_SCALE = 2.0**-126
"""The least scale of MX formats that is made: the least power of two that float32 has with all its bits."""


def softmax(x: Any, axis: int | None = -1) -> Any:
    """exp(x) over its sum along each row (``axis=-1``), each column (0) or all (None). The largest value is subtracted
    first, so that nothing overflows."""
    value = _wide("softmax", x)
    raised = _apply("exp", value - _reduced("softmax", value, "max", axis))
    return _narrow(_over(raised, _reduced("softmax", raised, "add", axis), x), x)


def log_softmax(x: Any, axis: int | None = -1) -> Any:
    """The logarithm of ``softmax(x, axis)``: finite where that is 0."""
    value = _wide("log_softmax", x)
    below = value - _reduced("log_softmax", value, "max", axis)
    total = _reduced("log_softmax", _apply("exp", below), "add", axis)
    return _narrow(below - _apply("log", total), x)


def rms_norm(x: Any, weight: Any = None, eps: Any = 1e-6) -> Any:
    """x over the root of the mean of its squares along each row, times ``weight``: a value such as a RowVector."""
    value = _wide("rms_norm", x)
    return _narrow(_scaled("rms_norm", _over_root("rms_norm", value, eps, x), weight, None), x)


def layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """x less its mean along each row, over its standard deviation there, times ``weight``, plus ``bias``. The variance
    is that of what is left when the mean has been subtracted, so nothing cancels."""
    value = _wide("layer_norm", x)
    centred = value - _reduced("layer_norm", value, "mean")
    return _narrow(_scaled("layer_norm", _over_root("layer_norm", centred, eps, x), weight, bias), x)


def quantize_per_token(x: Any) -> tuple[Any, Any]:
    """(values, scales): int8 values, and for each row the float32 scale that they are to be multiplied by, M x 1. It is
    the largest magnitude of the row over 127, and at least 2^-120."""
    return _quantized("quantize_per_token", x, -1)


def quantize_per_tensor(x: Any) -> tuple[Any, Any]:
    """(values, scale): int8 values, and the float32 scale that they are to be multiplied by, 1 x 1. It is the largest
    magnitude of all over 127, and at least 2^-120."""
    return _quantized("quantize_per_tensor", x, None)


def quantize_per_block(x: Any, T: Any = int8, block: int = 128) -> tuple[Any, Any]:
    """(values, scales): values of int8, or of float8_e4m3fn or float8_e5m2, and for each block of so many columns of a
    row the float32 scale that they are to be multiplied by: an output of M x N / block. It is the largest magnitude of
    the block over the largest value of the type, and at least 2^-120. The last block may have fewer columns.

    Raises:
        EvtgenError: EVT011, for another type or block.
    """
    return _quantized("quantize_per_block", x, -1, T, block)


def quantize_mx(x: Any, T: Any = float8_e4m3fn) -> tuple[Any, Any]:
    """(values, scales): values of float8_e4m3fn, float8_e5m2 or, of bfloat16 alone, float4_e2m1fn, and for each 32
    columns of a row the power of two that they are to be multiplied by: an output of float8_e8m0fnu, M x N / 32, as the
    next matmul in MX formats takes it. It is the largest power of two not above the largest magnitude, over the largest
    power of two of the type (OCP, Microscaling Formats), and at least 2^-126. Values beyond the type's become its
    largest. The scale of what has an infinity or NaN is NaN.

    Raises:
        EvtgenError: EVT011, for another type, or float4_e2m1fn of another than bfloat16.
    """
    T = element_type(T)
    is_float4 = isinstance(T, ElementType) and T.name == float4_e2m1fn.name
    if not isinstance(T, ElementType) or not (T.minifloat or is_float4):
        raise codes.ARGUMENT.here("element type", what="ops.quantize_mx", given=T)
    if is_float4 and isinstance(x, Value) and (given := x.T) != bfloat16:
        raise codes.ARGUMENT.here("rounds twice", what="ops.quantize_mx", T=T, given=given)
    value = _wide("quantize_mx", x)
    largest = block_reduced("ops.quantize_mx", value, "amax", MX_GROUP) * 2.0 ** (1 - T.limit)
    scale = _cast(_apply("maximum_scalar", largest, constants=(LEAST_MX_SCALE,)), float8_e8m0fnu, "CAST_FLOOR")
    quotient = value / _cast(scale, float32)
    within = _apply("minimum_scalar", quotient, constants=(T.largest,))
    within = _apply("maximum_scalar", within, constants=(-T.largest,))
    if is_float4:
        within = _cast(within, bfloat16)  # which is exact
    return _cast(within, T), scale


def rope(x: Any, cos: Any, sin: Any, head: int = 128, interleaved: bool = False) -> Any:
    """``x * cos + rotated(x) * sin`` in each head of so many columns: rotated are its halves (x1, x2), which become
    (-x2, x1), or with ``interleaved`` its neighbours. ``cos`` and ``sin`` are parameters ``Aux[T]`` whose tensors are
    M x ``head``, as torch_npu's ``npu_rotary_mul`` has them; ``x`` has whole heads.

    Raises:
        EvtgenError: EVT011, for a head of another size than 32, 64 and 128, or other things than parameters.
    """
    if type(head) is not int or head not in BLOCKS:
        raise codes.ARGUMENT.here("head", head=head, known=", ".join(map(str, BLOCKS)))
    value, node = _wide("rope", x), Rotate(float32, head, bool(interleaved), location=caller())
    if is_array(value):
        return _narrow(_rotated(value, _wide("rope", cos), _wide("rope", sin), node), x)
    of_cos, of_sin = (_of_heads(value.graph, given, head).cast(float32) for given in (cos, sin))
    return _narrow(value * of_cos + value.graph.add(node, (value,), float32) * of_sin, x)


def argmax(x: Any) -> Any:
    """The column of the largest value of each row, M x 1 in int32: the first of equal ones. Of a row with NaN it
    is some column."""
    value = _wide("argmax", x)
    is_less = _apply("less", value, _reduced("argmax", value, "max"))
    columns = _apply("where_scalar", _apply("logical_not", is_less), _columns(value), constants=(NO_COLUMN,))
    return _to_int32(_reduced("argmax", columns, "min"))


def topk(x: Any, k: int) -> tuple[Any, Any]:
    """(values, indices): the k largest values of each row, the largest first, and their columns in int32, each M x k.
    Of equal values the first comes first, and a NaN before all. k is 1 to 32, and N at least k.

    Raises:
        EvtgenError: EVT011, for another k.
    """
    value = _wide("topk", x)
    if type(k) is not int or not 1 <= k <= MOST_OF_A_ROW:
        raise codes.ARGUMENT.here("k", what="ops.topk", k=k, most=MOST_OF_A_ROW)
    if library := library_of([value]):
        values, indices = library.largest(value, k)
        return _narrow(values, x), indices
    graph = value.graph
    largest = graph.add(TopK(float32, stop=k, location=caller()), (value,), float32)
    values, indices = (graph.add(TopKResult(T, location=caller()), (largest,), T) for T in (float32, int32))
    return _narrow(values, x), indices


COMPOSED: dict[str, Callable[..., Any]] = {
    made.__name__: made
    for made in (
        softmax,
        log_softmax,
        rms_norm,
        layer_norm,
        quantize_per_token,
        quantize_per_tensor,
        quantize_per_block,
        quantize_mx,
        rope,
        argmax,
        topk,
    )
}
"""Each function by its name."""


def _quantized(name: str, x: Any, axis: int | None, T: Any = int8, block: int | None = None) -> tuple[Any, Any]:
    T = element_type(T)
    if not isinstance(T, ElementType) or not (int8 == T or T.minifloat):
        raise codes.ARGUMENT.here("element type", what=f"ops.{name}", given=T)
    value, most = _wide(name, x), T.largest if T.minifloat else LARGEST
    if block is None:
        largest = _reduced(name, value, "amax", axis)
    else:
        largest = block_reduced(f"ops.{name}", value, "amax", block)
    scale = _apply("maximum_scalar", largest * (1 / most), constants=(LEAST_SCALE,))
    quotient = value / scale
    return _cast(quotient, T), scale


def _rotated(value: Any, cos: Any, sin: Any, node: Rotate) -> Any:
    """The same of arrays."""
    n = value.shape[-1]
    if n % node.head:
        raise codes.ARGUMENT.here("heads", n=n, head=node.head)
    partners, columns = node.partners(n), [column % node.head for column in range(n)]
    first = [column for column in range(n) if partners[column] > column]
    rotated = value[..., partners]
    rotated[..., first] = -rotated[..., first]
    return value * cos[..., columns] + rotated * sin[..., columns]


def _of_heads(graph: Graph, given: Any, head: int) -> Value:
    """A parameter whose tensor is M x ``head``, the same for each head."""
    taken = operand(graph, given, "ops.rope")
    load = graph.entries[taken.index].node
    if not isinstance(load, AuxLoad) or load.transposes or load.null_default is not None:
        raise codes.ARGUMENT.here("rope")
    graph.taken.add(taken.index)
    node = HeadBroadcast(load.name, load.T, head=head, location=caller())
    known = next((index for index, entry in enumerate(graph.entries) if entry.node == node), None)
    return graph.add(node, (), load.T) if known is None else Value(graph, known, load.T)


def _columns(value: Any) -> Any:
    """The number of each element's column, in float32."""
    if library := library_of([value]):
        return library.cast(library.positions(value, 1), float32, "CAST_RINT")
    return value.graph.position(ColIndex).cast(float32)


def _to_int32(value: Any) -> Any:
    return _cast(value, int32)


def _cast(value: Any, T: ElementType, mode: str | None = None) -> Any:
    library = library_of([value])
    return library.cast(value, T, mode or "CAST_RINT") if library else value.cast(T, mode)


def _wide(name: str, x: Any) -> Any:
    """What is given, in float32; an array of float64 stays one."""
    if library := library_of([x]):
        return library.wide(x)
    if not isinstance(x, Value):
        raise codes.OPERAND.here("no value", what=f"ops.{name}")
    return x.cast(float32)


def _narrow(result: Any, x: Any) -> Any:
    """The result in the type of what was given, if that has fractions."""
    if library := library_of([x]):
        return library.narrow(result, x)
    return result.cast(x.T if x.T.kind == "float" else float32)


def _over(value: Any, divisor: Any, x: Any) -> Any:
    """``value / divisor``. Where the result is rounded to fewer bits anyway, by way of the reciprocal: one division for
    each row."""
    rounds = isinstance(x, Value) and x.T.kind == "float" and x.T.size < float32.size
    return value * (1.0 / divisor) if rounds else value / divisor


def _over_root(name: str, value: Any, eps: Any, x: Any) -> Any:
    """A value over the root of the mean of its squares along each row."""
    if not is_constant(eps):
        raise codes.ARGUMENT.here("eps", what=f"ops.{name}")
    return _over(value, _apply("sqrt", _reduced(name, value * value, "mean") + eps), x)


def _scaled(name: str, value: Any, weight: Any, bias: Any) -> Any:
    """``value * weight + bias``, without what is None."""

    def wide(given: Any) -> Any:
        if is_constant(given):
            return given
        if is_array(value) and (library := library_of([given])):
            return library.wide(given)
        return operand(value.graph, given, f"ops.{name}").cast(float32)

    value = value if weight is None else value * wide(weight)
    return value if bias is None else value + wide(bias)


def _reduced(name: str, value: Any, op: str, axis: Any = -1) -> Any:
    return reduced(along(axis, f"ops.{name}"), value, op)


def _apply(name: str, *values: Any, constants: tuple[float, ...] = ()) -> Any:
    """An operator on values, or reductions, or arrays."""
    if library := library_of(values):
        return library.compute(BY_NAME[name], values, constants)
    graph = values[0].graph
    return graph.compute(BY_NAME[name], [operand(graph, value, f"ops.{name}") for value in values], *constants)
