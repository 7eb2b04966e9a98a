"""Builders: functions of numpy and torch that are not one operator with other words.

Types, places, axes and short formulas. The first parameter of each is its name in messages, all others are its
signature, by the names of :data:`evtgen.frontend.functions.SPELLED`.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

from ..diagnostics import aliases
from ..diagnostics import tracing as codes
from ..graph.types import (
    ELEMENT_TYPES,
    ElementType,
    bfloat16,
    dtype_name,
    element_type,
    float32,
    half,
    int8,
    int16,
    int32,
    mask,
    uint8,
)
from ..nodes import ColReduce
from ..operators.table import BY_NAME
from .composed import COMPOSED
from .eager import is_array
from .functions import apply, built, spelled
from .places import cast, gather, transpose
from .reductions import along, reduced
from .value import Value, is_number

_FIXED = {
    "half": half, "float": float32, "bfloat16": bfloat16, "int": int32, "short": int16, "char": int8, "byte": uint8,
}  # fmt: skip
"""The methods of tensors that are called as the type that they cast to."""

_OTHERS = (
    "float64", "double", "int64", "long", "bool", "complex64", "complex128", "uint16", "uint32", "uint64",
    "float", "int",
)  # fmt: skip
"""Types of theirs that no element type is."""


def converted(what: str, x: Any, *rest: Any, **named: Any) -> Any:
    """``x.to(torch.float16)``, ``x.astype(np.int8)``, ``x.float()``: a cast. Fractions are cut off, as both do.

    Raises:
        EvtgenError: EVT011, for a type that there is none of.
    """
    T = _FIXED.get(what.rpartition(".")[2])
    for given in [*rest, *named.values()]:
        T = T or element_of(what, given)
    if T is None:
        return x  # to another device
    if isinstance(x, Value) and mask == x.T:
        x = _apply(what, "where", x, 1.0, 0.0)
    cuts = T.kind == "int" and (not isinstance(x, Value) or x.T.kind == "float")
    return cast(x, T, "CAST_TRUNC" if cuts else None)


def element_of(what: str, thing: Any) -> ElementType | None:
    """A type, or that of a value, as an element type; None for what is no type."""
    if isinstance(thing, ElementType):
        return thing
    if isinstance(thing, Value) or is_array(thing):
        return thing.T if isinstance(thing, Value) else element_of(what, thing.dtype)
    name = dtype_name(thing)
    T = element_type(thing)
    if name in _OTHERS or (T is thing and name in aliases.TYPES):
        types = ", ".join(T.name for T in ELEMENT_TYPES.values() if mask != T)
        raise codes.ARGUMENT.here("type", what=what, name=name, types=types)
    return T if isinstance(T, ElementType) else None


def transposed(what: str, x: Any, *rest: Any, **named: Any) -> Any:
    """``np.transpose(x)``, ``x.t()``, ``torch.permute(x, (1, 0))``. Raises EVT011 for axes that a value has not."""
    axes = [
        axis for given in [*rest, *named.values()] for axis in (given if isinstance(given, (list, tuple)) else [given])
    ]
    orders = what.rpartition(".")[2] in ("permute", "permute_dims") or what == "np.transpose"
    if axes and (any(type(axis) is not int for axis in axes) or sorted(axis % 2 for axis in axes) != [0, 1]):
        raise codes.ARGUMENT.here("axes", what=what, axes=axes)
    return x if orders and [axis % 2 for axis in axes] == [0, 1] else transpose(x)


def taken(what: str, x: Any, *given: Any, **named: Any) -> Any:
    """``np.take(X, idx, axis=0)``, ``torch.index_select(X, 0, idx)``: rows. Raises EVT011 for another axis."""
    order = ("index", "axis") if what.endswith("take") else ("axis", "index")
    places = {**dict(zip(order, given, strict=False)), **spelled(named, order)}
    axis = places.get("axis")
    if axis not in (0, -2):
        raise codes.ARGUMENT.here("axis of rows", what=what, axis=axis)
    return gather(x, rows=places.get("index"))


def added(what: str, x: Any, y: Any, *more: Any, alpha: Any = 1) -> Any:
    """``torch.add(x, y, alpha=2)``."""
    return _apply(what, "add", x, _times(what, y, alpha), *more)


def subtracted(what: str, x: Any, y: Any, *, alpha: Any = 1) -> Any:
    """``torch.sub(x, y, alpha=2)``."""
    return _apply(what, "subtract", x, _times(what, y, alpha))


def subtracted_from(what: str, x: Any, y: Any, *, alpha: Any = 1) -> Any:
    """``torch.rsub(x, y, alpha=2)``, which has the operands the other way round."""
    return subtracted(what, y, x, alpha=alpha)


def added_product(what: str, x: Any, y: Any, z: Any, *, value: Any = 1) -> Any:
    """``torch.addcmul(x, y, z, value=1)``."""
    return _apply(what, "fma", _times(what, y, value), z, x)


def added_quotient(what: str, x: Any, y: Any, z: Any, *, value: Any = 1) -> Any:
    """``torch.addcdiv(x, y, z, value=1)``."""
    return _apply(what, "add", x, _apply(what, "divide", _times(what, y, value), z))


def rounded(what: str, x: Any, decimals: Any = 0, _out: Any = None) -> Any:
    """``np.round(x)``. Raises EVT011 for decimals."""
    if decimals != 0:
        raise codes.ARGUMENT.here("digits")
    return _apply(what, "round", x)


def softplus(what: str, x: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    """``softplus(x, beta, threshold)``: from the threshold on torch leaves x as it is, which is the same to 2e-9."""
    raised = _apply(what, "softplus", _times(what, x, beta))
    return raised if _is_one(beta) else _apply(what, "divide", raised, beta)


def masked_fill(what: str, x: Any, mask: Any, value: Any) -> Any:
    """``x.masked_fill(m, 0)``."""
    return _apply(what, "where", mask, value, x)


def above(what: str, x: Any, threshold: Any, value: Any) -> Any:
    """``threshold(x, limit, value)``: x where it is above the limit."""
    return _apply(what, "where", _apply(what, "greater", x, threshold), x, value)


def dropout(what: str, x: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    """Nothing, where it is not in training. Raises EVT011 where it is."""
    if training and p != 0:
        raise codes.ARGUMENT.here("training", what=what)
    return x


def positive(what: str, x: Any) -> Any:
    """The value itself."""
    return x


def clamp(what: str, x: Any, low: Any = None, high: Any = None, _out: Any = None) -> Any:
    """A limit that is None is none at all: what is left is a maximum or a minimum."""
    if high is None and low is not None:
        return _apply(what, "maximum", x, low)
    if low is None and high is not None:
        return _apply(what, "minimum", x, high)
    return _apply(what, "clamp", x, *(() if low is None else (low, high)))


def hardtanh(what: str, x: Any, min_val: Any = -1.0, max_val: Any = 1.0, inplace: Any = False) -> Any:
    """torch hands over both limits, also where they are the defaults."""
    if is_number(min_val) and is_number(max_val) and (min_val, max_val) == (-1, 1):
        return _apply(what, "hardtanh", x)
    return _apply(what, "clamp", x, min_val, max_val)


def along_axis(name: str, what: str, x: Any, *given: Any, **named: Any) -> Any:
    """A reduction along an axis, as numpy and torch spell it: what is left of an extent stays as one.

    Raises:
        EvtgenError: EVT011, for another argument than the axis, or where the extent would go.
    """
    op, form = REDUCED[name], f"{what}({'' if what.startswith('x.') else 'x, '}axis=1, keepdims=True)"
    positions = _POSITIONS if not what.startswith("np.") else _NUMPY_POSITIONS[what in ("np.sum", "np.mean")]
    if name in ("max", "min") and (what.startswith("torch") or "dim" in named):
        # torch's has three meanings.
        if given and isinstance(given[0], Value):
            return apply(BY_NAME[f"{name}imum"], what, [x, *given], named)
        if given or named:
            raise codes.ARGUMENT.here("indices", what=what, name=name)
    places = {key: argument for key, argument in zip(positions, given, strict=False) if argument is not None}
    named = {**places, **spelled(named, ("axis", "keepdims"))}
    unknown: Any = [key for key in named if key not in ("axis", "keepdims")] or given[len(positions) :]
    if not unknown and not isinstance(places.get("keepdims", True), bool):
        # The method of numpy's arrays has dtype or out there, torch's a bool.
        unknown = [places["keepdims"]]
    if unknown or not (isinstance(x, Value) or is_array(x)):
        fields = {"what": what, "given": unknown[0] if unknown else x, "form": form}
        raise codes.ARGUMENT.here("reduction in a type" if "dtype" in named else "reduction", **fields)
    kind = along(named.get("axis"), what)
    if kind is ColReduce and not named.get("keepdims"):
        raise codes.ARGUMENT.here("keepdims", what=what, function=kind.function, op=op)
    return reduced(kind, x, op)


_POSITIONS = ("axis", "keepdims")
"""What torch takes by position behind the value."""

_NUMPY_POSITIONS = (("axis", "out", "keepdims"), ("axis", "dtype", "out", "keepdims"))
"""The same of numpy: of maxima and minima, and of sums and means."""

REDUCED = {"sum": "add", "mean": "mean", "max": "max", "min": "min", "amax": "max", "amin": "min"}
"""Reductions by their names in numpy and torch."""


def logsumexp(what: str, x: Any, axis: Any, keepdims: bool = False) -> Any:
    """``torch.logsumexp(x, dim, keepdim=True)``; the largest value is subtracted first, so that nothing overflows."""
    largest = along_axis("amax", what, x, axis, keepdims)
    raised = _apply(what, "exp", _apply(what, "subtract", x, largest))
    return _apply(what, "add", _apply(what, "log", along_axis("sum", what, raised, axis, keepdims)), largest)


WEIGHED = ("softmax", "log_softmax")
"""Functions of ``ops`` along an axis."""


def weighed(name: str, what: str, x: Any, axis: Any = -1, dtype: Any = None, **more: Any) -> Any:
    """A function of ``ops`` with an axis; its ``dtype`` is a cast before."""
    return built(COMPOSED[name], what, [x if dtype is None else converted(what, x, dtype), axis], more)


def normalized(name: str, what: str, *given: Any, **named: Any) -> Any:
    """A norm of torch's: the extents over which it goes are those of the rows. As a method it may go without them.

    Raises:
        EvtgenError: EVT011, for other extents or none, and for what the function of ``ops`` does not take.
    """
    is_torch = what.startswith("torch")
    operands = [*given[:5]]  # the program of torch.export says more
    if is_torch and not operands and "input" in named:
        operands = [named.pop("input")]
    is_shape = "normalized_shape" not in named and len(operands) > 1 and (is_torch or _is_shape(operands[1]))
    shape = operands.pop(1) if is_shape else named.pop("normalized_shape", None)
    if (is_shape or is_torch or shape is not None) and not _is_row(shape):
        raise codes.ARGUMENT.here("normalized_shape", what=what, given=shape)
    if is_torch and name == "rms_norm" and operands and isinstance(operands[0], Value):
        eps = named.get("eps", operands[2] if len(operands) > 2 else None)
        if eps is None:
            # torch's default is the distance from 1 to the next number of the type.
            T = operands[0].T if operands[0].T.kind == "float" else float32
            del operands[2:3]
            named["eps"] = 2.0 ** (1 - T.precision)
    return built(COMPOSED[name], what, operands, named)


def _is_shape(thing: Any) -> bool:
    """Whether it says extents: numbers are those of a shape, and lists and tuples, whatever is in them."""
    return isinstance(thing, (list, tuple)) or (isinstance(thing, Integral) and not isinstance(thing, bool))


def _is_row(shape: Any) -> bool:
    """Whether it is the extent of a row: a whole number, alone or in a sequence."""
    extents = shape if isinstance(shape, (list, tuple)) else [shape]
    return len(extents) == 1 and isinstance(extents[0], Integral) and not isinstance(extents[0], bool)


def _apply(what: str, name: str, *operands: Any) -> Any:
    return apply(BY_NAME[name], what, operands, {})


def _times(what: str, x: Any, factor: Any) -> Any:
    return x if _is_one(factor) else _apply(what, "multiply", x, factor)


def _is_one(thing: Any) -> bool:
    return isinstance(thing, (int, float)) and thing == 1
