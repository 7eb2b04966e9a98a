"""The types of torch, at the precision of float32: what is computed of halves is rounded once, where it is stored.

A value has the type that torch gives it, so the epilogue stores what the model returns. Its node computes in float32:
an accumulator and an input of a narrow float are float32 from the start. Where the accumulator is to be read in a
narrow type, nodes compute in that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...graph.types import ElementType, float32, narrowest
from ..formulas import WEIGHED, element_of
from ..value import ScalarValue, Value


class Number(Value):
    """A tensor without axes: beside a tensor with axes its type counts only if the other one has no fractions."""

    __slots__ = ()


def widened(value: Value) -> Value:
    """A value of a narrow float in float32, under its own type."""
    return _under(value.T, value.cast(float32)) if _is_narrow(value.T) else value


def cast(value: Value, T: ElementType) -> Value:
    """A value in another type of torch. What is computed in float32 stays in that."""
    if value.T == T:
        return value
    return _under(T, value) if value.element == float32 and _is_narrow(T) else value.cast(T)


def converted(function: Callable[[Value], Any], value: Value) -> Any:
    """What a function makes of a value that casts it."""
    result = function(value)
    if not isinstance(result, Value) or result.T == value.T:
        return value
    wide = value.element == float32 and value.T.kind == "float"
    return cast(value, result.T) if wide and _is_narrow(result.T) else result


def computed(name: str, function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function makes of values, in the type that torch gives it."""
    values = list(_values([*args, *named.values()]))
    given = [value.T for value in values if not isinstance(value, Number)] or [value.T for value in values]
    floats = [T for T in given if T.kind == "float"] or [v.T for v in values if v.T.kind == "float"]
    fraction = floats or any(isinstance(one, float) or _is_fraction(one) for one in [*args, *named.values()])
    if fraction or "div" in name:
        args, named = _with(_as_float, args), {key: _as_float(one) for key, one in named.items()}
    if any(value.element == float32 for value in values):
        args, named = _with(_plain, args), {key: _plain(one) for key, one in named.items()}
    result = function(*args, **named)
    if not isinstance(result, Value):
        return result
    asked = named.get("dtype", args[2] if name in WEIGHED and len(args) > 2 else None)
    T = narrowest(floats) or float32
    if asked is not None:
        T = element_of(name, asked) or T
    result = _under(T, result) if float32 == result.T and _is_narrow(T) else result
    numbers = bool(values) and all(isinstance(value, Number) for value in values)
    return Number(result.graph, result.index, result.T) if numbers else result


def _with(change: Callable[[Any], Any], args: Sequence[Any]) -> list[Any]:
    return [change(one) for one in args]


def _as_float(thing: Any) -> Any:
    """A whole number as float32, where the others have fractions."""
    if isinstance(thing, (list, tuple)):
        return type(thing)(_with(_as_float, thing))
    return thing.cast(float32) if isinstance(thing, Value) and thing.T.kind == "int" else thing


def _plain(thing: Any) -> Any:
    """A value under the type that its node computes in."""
    if isinstance(thing, (list, tuple)):
        return type(thing)(_with(_plain, thing))
    return _under(thing.element, thing) if isinstance(thing, Value) and thing.element != thing.T else thing


def _under(T: ElementType, value: Value) -> Value:
    return (Number if isinstance(value, Number) else Value)(value.graph, value.index, T)


def _values(things: Sequence[Any]) -> Iterator[Value]:
    for thing in things:
        if isinstance(thing, Value):
            yield thing
        elif isinstance(thing, (list, tuple)):
            yield from _values(thing)


def _is_fraction(thing: Any) -> bool:
    return isinstance(thing, ScalarValue) and thing.scalar.T.kind == "float"


def _is_narrow(T: ElementType) -> bool:
    return T.kind == "float" and float32 != T and float32.includes(T)
