"""What people type first: functions of numpy and torch, and methods, on the values of a traced function.

numpy asks a value's ``__array_ufunc__`` and ``__array_function__``, torch its ``__torch_function__``; both hand over
the function that was called. Its name leads to an operator, as it is or by the tables here; neither library is
imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..diagnostics import tracing as codes
from ..diagnostics.aliases import OPERATORS
from ..graph.location import caller
from ..operators.table import BY_NAME
from ..system.translation import tr
from .functions import UnknownFunction, apply, built, instead, names, spelled
from .libraries import FUNCTIONS, MEANT


def call(library: str, name: str, operands: Sequence[Any], named: Mapping[str, Any], module: str | None = None) -> Any:
    """The operator that ``library`` calls ``name``, on operands of which one is a value; messages say ``module.name``.

    Raises:
        UnknownFunction: EVT010, with what to write instead. EvtgenError: EVT009 or EVT011, as for functions of ``ops``.
    """
    what = f"{module or library}.{name}"
    name = name.removeprefix("special_").removeprefix("_")  # as functions of torch.special say, and F.threshold
    meant = MEANT[library].get(name)
    if meant is None and library == "x" and _is_own(name):
        meant = name
    if meant is None:
        raise unknown(what, name)
    # Whether torch may overwrite its input is all one to a graph.
    given = {key: value for key, value in named.items() if key not in _IGNORED and value is not None}
    if meant in FUNCTIONS and (build := FUNCTIONS[meant].build):
        return built(partial(build, what), what, operands, given)
    return apply(BY_NAME[meant], what, operands, spelled(given, BY_NAME[meant].constants))


def _is_own(name: str) -> bool:
    """Whether ``ops`` and the table have a function under the name."""
    return name in BY_NAME or name in FUNCTIONS


_IGNORED = ("inplace", "_stacklevel")
"""What functions of torch hand on that says nothing of the result."""


def method(value: Any, name: str) -> Any:
    """What ``value.name`` stands for: an operator with the value as its first operand.

    Raises:
        UnknownFunction: EVT010, with what to write instead.
    """
    if name in MEANT["x"] or _is_own(name):
        return partial(_method, value, name)
    if name in _ATTRIBUTES:
        raise UnknownFunction(codes.ELEMENTS.of("attribute", caller(), help=_ATTRIBUTES[name], name=name))
    raise UnknownFunction(codes.UNKNOWN_NAME.of("method", caller(), help=_instead(name, _METHODS), name=name))


def of_math(name: str) -> str | None:
    """What to write in place of a function of math, which takes no value; None where nothing is known."""
    meant = OPERATORS.get(name, name)
    if meant in names():
        return tr("functions of math take no value: write ops.{name}", name=meant)
    return OPERATORS.get(name)


def unknown(what: str, name: str) -> UnknownFunction:
    """EVT010 for a function of another library that values do not have."""
    help = _ELSEWHERE.get(what) or _instead(name, {})
    return UnknownFunction(codes.UNKNOWN_NAME.of("function", caller(), help=help, what=what))


def _instead(name: str, more: Mapping[str, str]) -> str | None:
    """What to write in place of a name that values do not have."""
    if name.endswith("_") and name[:-1] in MEANT["x"]:
        return tr("a value is not changed: write x = x.{name}(…)", name=name[:-1])
    if name in names():
        return tr("it is a function of ops: write ops.{name}(…)", name=name)
    return instead(name, more)


_ELSEWHERE = {"torch.equal": tr("torch.equal compares whole tensors; torch.eq(x, y) compares element by element")}
"""What other libraries have under a name of ``ops``, with another meaning."""


def _method(value: Any, name: str, /, *operands: Any, **named: Any) -> Any:
    return call("x", name, (value, *operands), named)


_CAST = tr("write x.cast(float32), with an element type of evtgen's")

_METHODS = {
    **dict.fromkeys(("double", "long", "cfloat", "cdouble"), _CAST),
    **dict.fromkeys(("item", "tolist", "numpy", "detach", "cpu", "cuda", "npu", "contiguous", "clone", "copy"),
                    tr("leave it out: a value is no array, it stands for a tile of the kernel")),
    "mT": codes.NO_TRANSPOSE,
}  # fmt: skip
"""Methods of arrays and tensors, and what to write instead."""

_ATTRIBUTES = {
    **dict.fromkeys(("shape", "size", "ndim", "dim", "numel", "nelement", "strides", "stride"),
                    tr("a value stands for M x N elements, and M and N are given at run time; ops.rope rotates halves "
                       "of heads")),
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
