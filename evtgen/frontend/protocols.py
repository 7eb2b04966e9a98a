"""What people type first: functions of numpy and torch, and methods, on the values of a traced function.

numpy asks a value's ``__array_ufunc__`` and ``__array_function__``, torch its ``__torch_function__``; both hand over
the function that was called. Its name leads to an operator, as it is or by the tables here; neither library is
imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any

from ..diagnostics import reading as codes
from ..graph.location import caller
from ..graph.types import float32
from ..nodes import ColReduce
from ..operators.table import BY_NAME
from ..system.translation import tr
from .eager import is_array
from .formulas import ADAPTED, converted
from .functions import FORMS, UnknownFunction, apply, compose, instead
from .libraries import MEANT
from .reductions import along, reduced
from .value import NO_TRANSPOSE, Value, is_number, takes_foreign_calls

_CONSTANTS = {
    "leaky_relu": {"negative_slope": "slope"},
    "clamp": {"min": "low", "max": "high", "a_min": "low", "a_max": "high", "min_val": "low", "max_val": "high"},
}
"""What the constants of an operator are called elsewhere."""


def call(library: str, name: str, operands: Sequence[Any], named: Mapping[str, Any], module: str | None = None) -> Any:
    """The operator that ``library`` calls ``name``, on operands of which one is a value; messages say ``module.name``.

    Raises:
        UnknownFunction: EVT010, with what to write instead. EvtgenError: EVT009 or EVT011, as for functions of ``ops``.
    """
    what = f"{module or library}.{name}"
    name = name.removeprefix("special_").removeprefix("_")  # as functions of torch.special say, and F.threshold
    meant = MEANT[library].get(name)
    if meant is None and library == "x" and name in {**BY_NAME, **_FORMS}:
        meant = name
    if meant is None:
        raise unknown(what, name)
    # Whether torch may overwrite its input is all one to a graph.
    given = {key: value for key, value in named.items() if key not in _IGNORED and value is not None}
    if meant in _FORMS:
        return _FORMS[meant](what, [*operands], given)
    return _apply(meant, what, operands, given)


_IGNORED = ("inplace", "_stacklevel")
"""What functions of torch hand on that says nothing of the result."""


def method(value: Any, name: str) -> Any:
    """What ``value.name`` stands for: an operator with the value as its first operand.

    Raises:
        UnknownFunction: EVT010, with what to write instead.
    """
    if name in MEANT["x"] or name in BY_NAME or name in _FORMS:
        return partial(_method, value, name)
    if name in _ATTRIBUTES:
        raise UnknownFunction(codes.ELEMENTS(tr("a value has no {name}", name=name), caller(), _ATTRIBUTES[name]))
    raise UnknownFunction(
        codes.UNKNOWN_NAME(tr("a value has no .{name}", name=name), caller(), _instead(name, _METHODS))
    )


def unknown(what: str, name: str) -> UnknownFunction:
    """EVT010 for a function of another library that values do not have."""
    help = _ELSEWHERE.get(what) or _instead(name, {})
    return UnknownFunction(codes.UNKNOWN_NAME(tr("there is no {what} of values", what=what), caller(), help))


def _instead(name: str, more: Mapping[str, str]) -> str | None:
    """What to write in place of a name that values do not have."""
    if name.endswith("_") and name[:-1] in MEANT["x"]:
        return tr("a value is not changed: write x = x.{name}(…)", name=name[:-1])
    return instead(name, more)


_ELSEWHERE = {"torch.equal": tr("torch.equal compares whole tensors; torch.eq(x, y) compares element by element")}
"""What other libraries have under a name of ``ops``, with another meaning."""


def _method(value: Any, name: str, /, *operands: Any, **named: Any) -> Any:
    return call("x", name, (value, *operands), named)


def _apply(name: str, what: str, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
    constants = _CONSTANTS.get(BY_NAME[name].name, {})
    return apply(BY_NAME[name], what, operands, {constants.get(key, key): value for key, value in named.items()})


def _clamp(what: str, operands: list[Any], named: dict[str, Any]) -> Any:
    """A limit that is None is none at all: what is left is a maximum or a minimum."""
    constants = _CONSTANTS["clamp"]
    value, *given = operands
    limits = {**dict(zip(("low", "high"), given, strict=False)), **{constants.get(k, k): v for k, v in named.items()}}
    limits = {key: limit for key, limit in limits.items() if limit is not None}
    if set(limits) == {"low"}:
        return _apply("maximum", what, [value, limits["low"]], {})
    if set(limits) == {"high"}:
        return _apply("minimum", what, [value, limits["high"]], {})
    return _apply("clamp", what, [value], limits)


def _hardtanh(what: str, operands: list[Any], named: dict[str, Any]) -> Any:
    """torch hands over both limits, also where they are the defaults."""
    value, low, high = [*operands, *((-1.0, 1.0)[len(operands) - 1 :])][:3]
    low, high = named.pop("min_val", low), named.pop("max_val", high)
    if is_number(low) and is_number(high) and (low, high) == (-1, 1):
        return _apply("hardtanh", what, [value], named)
    return _apply("clamp", what, [value], {"low": low, "high": high, **named})


def _reduced(name: str, what: str, operands: list[Any], named: dict[str, Any]) -> Any:
    """A reduction along an axis, as numpy and torch spell it: what is left of an extent stays as one.

    Raises:
        EvtgenError: EVT011, for another argument than the axis, or where the extent would go.
    """
    value, *given = operands
    op, help = (
        _REDUCED[name],
        f"{what}({'' if what.startswith('x.') else 'x, '}axis=1, keepdims=True)",
    )
    positions = _POSITIONS if not what.startswith("np.") else _NUMPY_POSITIONS[what in ("np.sum", "np.mean")]
    if name in ("max", "min") and (what.startswith("torch") or "dim" in named):
        # torch's has three meanings.
        if given and isinstance(given[0], Value):
            return _apply(f"{name}imum", what, operands, named)
        if given or named:
            message = tr(
                "{what} along an extent gives the places of what it finds, too, of which there are none here", what=what
            )
            raise codes.ARGUMENT.error(message, caller(), tr("write torch.a{name}(x, dim=1, keepdim=True)", name=name))
    places = {key: argument for key, argument in zip(positions, given, strict=False) if argument is not None}
    named = {**places, **{_SPELLED.get(key, key): argument for key, argument in named.items()}}
    unknown = [key for key in named if key not in ("axis", "keepdims")] or given[len(positions) :]
    if not unknown and not isinstance(places.get("keepdims", True), bool):
        # The method of numpy's arrays has dtype or out there, torch's a bool.
        unknown = [places["keepdims"]]
    if unknown or not (isinstance(value, Value) or is_array(value)):
        message = tr(
            "{what} of a value takes an axis and keepdims, but was given {given!r}",
            what=what,
            given=unknown[0] if unknown else value,
        )
        cast = tr("; x.cast(float32) is what is reduced in another type") if "dtype" in named else ""
        raise codes.ARGUMENT.error(message, caller(), help + cast)
    kind = along(named.get("axis"), what)
    if kind is ColReduce and not named.get("keepdims"):
        raise codes.ARGUMENT.error(
            tr("{what} gives one value for each row, which would stand in a row of its own", what=what),
            caller(),
            tr(
                'write keepdims=True (torch: keepdim=True), or ops.{function}(x, "{op}")', function=kind.function, op=op
            ),
        )
    return reduced(kind, value, op)


_SPELLED = {"dim": "axis", "keepdim": "keepdims"}
"""What torch calls the arguments of a reduction."""

_POSITIONS = ("axis", "keepdims")
"""What torch takes by position behind the value."""

_NUMPY_POSITIONS = (("axis", "out", "keepdims"), ("axis", "dtype", "out", "keepdims"))
"""The same of numpy: of maxima and minima, and of sums and means."""

_REDUCED = {"sum": "add", "mean": "mean", "max": "max", "min": "min", "amax": "max", "amin": "min"}
"""Reductions by their names in numpy and torch."""


def _along(name: str, what: str, operands: list[Any], named: dict[str, Any]) -> Any:
    """A function of ``ops`` with an axis, which torch calls ``dim``; its ``dtype`` is a cast before."""
    dtype = named.pop("dtype", operands.pop() if len(operands) > 2 else None)
    if dtype is not None:
        operands[0] = converted(what, [operands[0], dtype], {})
    return compose(name, what, operands, {_SPELLED.get(key, key): argument for key, argument in named.items()})


def _normalized(name: str, what: str, operands: list[Any], named: dict[str, Any]) -> Any:
    """A norm of torch's: the extents over which it goes are those of the rows. As a method it may go without them.

    Raises:
        EvtgenError: EVT011, for other extents or none, and for what the function of ``ops`` does not take.
    """
    is_torch = what.startswith("torch")
    operands = operands[:5]  # the program of torch.export says more
    if is_torch and not operands and "input" in named:
        operands = [named.pop("input")]
    is_shape = "normalized_shape" not in named and len(operands) > 1 and (is_torch or _is_shape(operands[1]))
    shape = operands.pop(1) if is_shape else named.pop("normalized_shape", None)
    if (is_shape or is_torch or shape is not None) and not _is_row(shape):
        given = tr("a value") if isinstance(shape, Value) else repr(shape)
        message = tr("{what} goes along each row, but normalized_shape is {given}", what=what, given=given)
        raise codes.ARGUMENT.error(
            message, caller(), tr("{what}(x, (n,), ...) with the one extent n of a row", what=what)
        )
    if is_torch and name == "rms_norm" and operands and isinstance(operands[0], Value):
        eps = named.get("eps", operands[2] if len(operands) > 2 else None)
        if eps is None:
            # torch's default is the distance from 1 to the next number of the type.
            T = operands[0].T if operands[0].T.kind == "float" else float32
            del operands[2:3]
            named["eps"] = 2.0 ** (1 - T.precision)
    return compose(name, what, operands, named)


def _is_shape(thing: Any) -> bool:
    """Whether it says extents: numbers are those of a shape, and lists and tuples, whatever is in them."""
    return isinstance(thing, (list, tuple)) or (isinstance(thing, Integral) and not isinstance(thing, bool))


def _is_row(shape: Any) -> bool:
    """Whether it is the extent of a row: a whole number, alone or in a sequence."""
    extents = shape if isinstance(shape, (list, tuple)) else [shape]
    return len(extents) == 1 and isinstance(extents[0], Integral) and not isinstance(extents[0], bool)


_FORMS: dict[str, Callable[[str, list[Any], dict[str, Any]], Any]] = {
    **FORMS, **ADAPTED, "hardtanh": _hardtanh, "clamp": _clamp, "clip": _clamp,
    **{name: partial(_reduced, name) for name in _REDUCED},
    **{name: partial(_along, name) for name in ("softmax", "log_softmax")},
    **{name: partial(_normalized, name) for name in ("rms_norm", "layer_norm")},
}  # fmt: skip
"""Functions whose arguments are more than operands and constants."""

_CAST = tr("write x.cast(float32), with an element type of evtgen's")

_METHODS = {
    **dict.fromkeys(("double", "long", "cfloat", "cdouble"), _CAST),
    **dict.fromkeys(("item", "tolist", "numpy", "detach", "cpu", "cuda", "npu", "contiguous", "clone", "copy"),
                    tr("leave it out: a value is no array, it stands for a tile of the kernel")),
    "mT": NO_TRANSPOSE,
}  # fmt: skip
"""Methods of arrays and tensors, and what to write instead."""

_ATTRIBUTES = {
    **dict.fromkeys(("shape", "size", "ndim", "dim", "numel", "nelement", "strides", "stride"),
                    tr("a value stands for M x N elements, and M and N are given at run time")),
    "dtype": tr("x.T is its element type"), "device": tr("leave it out"),
    "itemsize": tr("x.T.size is the size of an element"),
}  # fmt: skip
"""Attributes that would say what is not known yet."""


def numpy_ufunc(ufunc: Any, how: str, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """``np.exp(x)`` and the like; ``np.add.reduce(x)`` and its kin are told of reductions."""
    if how != "__call__":
        kind = {"add": "sum", "maximum": "amax", "minimum": "amin"}.get(ufunc.__name__, "reduce")
        raise unknown(f"np.{ufunc.__name__}.{how}", kind)
    return call("np", ufunc.__name__, operands, named)


def named_function(library: str, function: Any, operands: Sequence[Any], named: Mapping[str, Any] | None) -> Any:
    """``np.where(x > 0, x, 0)``, ``torch.relu(x)`` and the like."""
    is_functional = getattr(function, "__module__", None) in _FUNCTIONAL
    module = "torch.nn.functional" if is_functional else library
    return call(library, function.__name__, operands, named or {}, module)


_FUNCTIONAL = ("torch.nn.functional", "torch._C._nn")
"""Where torch keeps the functions of ``torch.nn.functional``."""


takes_foreign_calls(sys.modules[__name__])
