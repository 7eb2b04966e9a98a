"""The types of torch, at the precision of float32: what is computed of halves is rounded once, where it is stored.

A value has the type that torch gives it, so the epilogue stores what the model returns. Its node computes in float32:
an accumulator and an input of a narrow float are float32 from the start. Where the accumulator is to be read in a
narrow type, nodes compute in that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...diagnostics import reading as codes
from ...graph.types import ElementType, float32, int32, mask, narrowest
from ..formulas import WEIGHED, element_of
from ..libraries import MEANT
from ..protocols import call
from ..value import ScalarValue, Value, values_among


class Number(Value):
    """A tensor without axes: beside a tensor with axes its type counts only if the other one has no fractions."""

    __slots__ = ()


def widened(value: Value) -> Value:
    """A value of a narrow float in float32, under its own type."""
    if not _is_narrow(value.T):
        return value
    wide = value.cast(float32)
    return (Number if isinstance(value, Number) else Value)(wide.graph, wide.index, value.T)


def cast(value: Value, T: ElementType) -> Value:
    """A value in another type of torch. What is computed in float32 stays in that."""
    if value.T == T:
        return value
    if value.element == float32 and _is_narrow(T):
        return _under(T, value)
    return value.cast(T, "CAST_TRUNC" if (T.kind, value.T.kind) == ("int", "float") else None)


def converted(function: Callable[[Value], Any], value: Value, *, wide: bool) -> Any:
    """What a function makes of a value that casts it; with ``wide`` a narrow float stays in float32."""
    result = function(value)
    if not isinstance(result, Value) or result.T == value.T:
        return value
    if not (wide and _is_narrow(result.T)):
        return result
    return _under(result.T, value.cast(float32)) if value.T.kind in ("float", "int") else widened(result)


_ARITHMETIC = ("add", "subtract", "rsub", "multiply", "divide")

_FRACTIONS = (
    "divide", "sigmoid", "tanh", "exp", "log", "log1p", "expm1", "erf", "sqrt", "rsqrt", "reciprocal", "logsumexp",
    "softsign", "mean",
)  # fmt: skip
"""Functions whose result has fractions, whatever they are given."""

_WHOLE = ("floor", "ceil", "round", "trunc")
"""Functions that give whole numbers, of which torch leaves those that are whole."""

_SELECTS = (
    "where", "masked_fill", "maximum", "minimum", "clamp", "relu", "relu6", "hardtanh", "threshold", "amax", "amin",
    "max", "min", "transpose", "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", *_WHOLE,
)  # fmt: skip
"""Functions that give some of the numbers that they are given, or compare them."""

_FACTORS = ("addcmul", "addcdiv")
"""Functions with a factor that becomes one of the type of the values."""

_KEEPS = ("masked_fill", "hardtanh", "relu6", "threshold", "layer_norm")
"""Functions whose result has the type of their first operand, whatever the numbers are."""


def computed(name: str, function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function makes of values, in the type that torch gives it."""
    values = list(values_among([*args, *named.values()]))
    given = [value.T for value in values if not isinstance(value, Number)] or [value.T for value in values]
    floats = [T for T in given if T.kind == "float"] or [v.T for v in values if v.T.kind == "float"]
    meant = MEANT["torch"].get(name.removeprefix("_"), _PYTHON.get(name.strip("_"), name))
    change: list[Callable[[Any], Any]] = []
    if meant in _KEEPS and values and isinstance(args[0], Value):
        floats = [args[0].T] if args[0].T.kind == "float" else []
        change += [] if floats else [_as_whole]
    elif floats or meant in _FRACTIONS or (meant not in _FACTORS and any(map(_is_fraction, [*args, *named.values()]))):
        change.append(_as_float)
    elif meant in _FACTORS:
        change.append(_as_whole)
    if meant in _ARITHMETIC:
        others = narrowest([T for T in given if T.kind == "int"])
        change.append(partial(_as_number, T=float32 if _as_float in change else others or float32))
    if any(value.element == float32 for value in values):
        change.append(_plain)
    whole = [T for T in given if T.kind == "int"]
    if whole and not floats and _as_float not in change:
        if meant in _WHOLE:
            return args[0]
        if meant not in _SELECTS and min(T.size for T in whole) < int32.size:
            raise codes.NODE.here("wraps", name=name, T=min(whole, key=lambda T: T.size))
    for one in change:
        args, named = [one(arg) for arg in args], {key: one(arg) for key, arg in named.items()}
    result = function(*args, **named)
    if not isinstance(result, Value):
        return result
    if whole and not floats and _as_float not in change and float32 == result.T:
        return result.cast(narrowest(whole) or int32)
    asked = named.get("dtype", args[2] if meant in WEIGHED and len(args) > 2 else None)
    T = None if asked is None else element_of(name, asked)
    T = T or (narrowest(floats) if floats else None) or float32
    result = _under(T, result) if float32 == result.T and _is_narrow(T) else result
    numbers = bool(values) and all(isinstance(value, Number) for value in values)
    return Number(result.graph, result.index, result.T) if numbers else result


_PYTHON = {
    "sub": "subtract", "mul": "multiply", "truediv": "divide", "iadd": "add", "isub": "subtract", "imul": "multiply",
    "itruediv": "divide",
}  # fmt: skip
"""Functions of ``operator`` under the names of numpy."""


def _deep(change: Callable[[Value], Value], thing: Any) -> Any:
    """Values changed, in lists, too."""
    if isinstance(thing, (list, tuple)):
        return type(thing)(_deep(change, one) for one in thing)
    return change(thing) if isinstance(thing, Value) else thing


def _as_number(thing: Any, T: ElementType) -> Any:
    """A mask as 1 and 0."""
    return _deep(lambda x: call("x", "to", [x, T], {}) if mask == x.T else x, thing)


def _as_float(thing: Any) -> Any:
    """A whole number as float32, where the others have fractions."""
    return _deep(lambda x: x.cast(float32) if x.T.kind == "int" else x, thing)


def _as_whole(thing: Any) -> Any:
    """A number without its fraction, beside whole ones."""
    return int(thing) if isinstance(thing, float) and math.isfinite(thing) else thing


def _plain(thing: Any) -> Any:
    """A value under the type that its node computes in."""
    return _deep(lambda x: x if x.element == x.T else _under(x.element, x), thing)


def _under(T: ElementType, value: Value) -> Value:
    return (Number if isinstance(value, Number) else Value)(value.graph, value.index, T)


def _is_fraction(thing: Any) -> bool:
    return isinstance(thing, float) or (isinstance(thing, ScalarValue) and thing.scalar.T.kind == "float")


def _is_narrow(T: ElementType) -> bool:
    return T.kind == "float" and float32 != T and float32.includes(T)
