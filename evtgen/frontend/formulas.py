"""Functions of numpy and torch that are not one operator with other words: types, places, and short formulas.

Each is given its name in messages, its operands and what is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..diagnostics import reading as codes
from ..graph.location import caller
from ..graph.types import ELEMENT_TYPES, ElementType, bfloat16, float32, half, int8, int16, int32, mask, uint8
from ..operators.table import BY_NAME
from ..system.translation import tr
from .eager import is_array
from .functions import apply
from .places import cast, gather, transpose
from .value import Value

Operands = Sequence[Any]

_FIXED = {
    "half": half, "float": float32, "bfloat16": bfloat16, "int": int32, "short": int16, "char": int8, "byte": uint8,
}  # fmt: skip
"""The methods of tensors that are called as the type that they cast to."""

_BY_NUMPY = {T.numpy: T for T in ELEMENT_TYPES.values()}

_OTHERS = (
    "float64",
    "double",
    "int64",
    "long",
    "bool",
    "complex64",
    "complex128",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "int",
)
"""Types of theirs that no element type is."""


def converted(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``x.to(torch.float16)``, ``x.astype(np.int8)``, ``x.float()``: a cast. Fractions are cut off, as both do.

    Raises:
        EvtgenError: EVT011, for a type that there is none of.
    """
    value, *rest = operands
    T = _FIXED.get(what.rpartition(".")[2])
    for given in [*rest, *named.values()]:
        T = T or _element(what, given)
    if T is None:
        return value  # to another device
    if isinstance(value, Value) and mask == value.T:
        value = apply(BY_NAME["where"], what, [value, 1.0, 0.0], {})
    cuts = T.kind == "int" and (not isinstance(value, Value) or value.T.kind == "float")
    return cast(value, T, "CAST_TRUNC" if cuts else None)


def _element(what: str, thing: Any) -> ElementType | None:
    """A type, or that of a value, as an element type; None for what is no type."""
    if isinstance(thing, ElementType):
        return thing
    if isinstance(thing, Value) or is_array(thing):
        return thing.T if isinstance(thing, Value) else _element(what, thing.dtype)
    name = thing if isinstance(thing, str) else getattr(thing, "name", None) or getattr(thing, "__name__", None)
    name = str(thing if name is None else name).removeprefix("torch.")
    if name in _OTHERS:
        help = tr("the types are {types}", types=", ".join(T.name for T in ELEMENT_TYPES.values() if mask != T))
        raise codes.ARGUMENT.error(
            tr("{what} is given {name}, which is no element type", what=what, name=name), caller(), help
        )
    return _BY_NUMPY.get(name)


def transposed(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``np.transpose(x)``, ``x.t()``, ``torch.permute(x, (1, 0))``. Raises EVT011 for axes that a value has not."""
    value, *rest = operands
    axes = [
        axis for given in [*rest, *named.values()] for axis in (given if isinstance(given, (list, tuple)) else [given])
    ]
    orders = what.rpartition(".")[2] in ("permute", "permute_dims") or what == "np.transpose"
    if axes and (any(type(axis) is not int for axis in axes) or sorted(axis % 2 for axis in axes) != [0, 1]):
        message = tr(
            "{what} is given the axes {axes}, and a value has two: its rows and its columns", what=what, axes=axes
        )
        raise codes.ARGUMENT.error(message, caller(), "ops.transpose(x)")
    return value if orders and [axis % 2 for axis in axes] == [0, 1] else transpose(value)


def taken(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``np.take(X, idx, axis=0)``, ``torch.index_select(X, 0, idx)``: rows. Raises EVT011 for another axis."""
    given = dict(
        zip(
            ("tensor", "index", "axis") if what.endswith("take") else ("tensor", "axis", "index"),
            operands,
            strict=False,
        )
    )
    given |= {
        {"input": "tensor", "dim": "axis", "indices": "index", "a": "tensor"}.get(k, k): v for k, v in named.items()
    }
    if given.get("axis") not in (0, -2):
        message = tr(
            "{what} is given the axis {axis}, and only rows can be gathered", what=what, axis=given.get("axis")
        )
        raise codes.ARGUMENT.error(message, caller(), "ops.gather(X, rows=idx)")
    return gather(given.get("tensor"), rows=given.get("index"))


def added(name: str) -> Callable[[str, Operands, dict[str, Any]], Any]:
    """``torch.add(x, y, alpha=2)``, ``torch.sub`` and ``torch.rsub``, which has them the other way round."""

    def call(what: str, operands: Operands, named: dict[str, Any]) -> Any:
        alpha, rest = named.get("alpha", 1), {key: value for key, value in named.items() if key != "alpha"}
        given = [*operands, *(rest.pop(key) for key in ("input", "other") if key in rest)]
        given = given[::-1] if name == "rsub" else given
        if not _is_one(alpha):
            given[1] = _binary(what, "multiply", given[1], alpha)
        return apply(BY_NAME["add" if name == "add" else "subtract"], what, given, rest)

    return call


def added_product(name: str) -> Callable[[str, Operands, dict[str, Any]], Any]:
    """``torch.addcmul(x, y, z, value=1)`` and ``torch.addcdiv``."""

    def call(what: str, operands: Operands, named: dict[str, Any]) -> Any:
        named = dict(named)
        value = named.pop("value", 1)
        x, y, z = [*operands, *(named.pop(key) for key in ("tensor1", "tensor2") if key in named)]
        y = y if _is_one(value) else _binary(what, "multiply", y, value)
        if name == "addcmul":
            return apply(BY_NAME["fma"], what, [y, z, x], named)
        return _binary(what, "add", x, _binary(what, "divide", y, z))

    return call


def rounded(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``np.round(x)``. Raises EVT011 for decimals."""
    value, *rest = operands
    decimals = named.get("decimals", rest[0] if rest else 0)
    if decimals != 0:
        message = tr("a value is rounded to whole numbers only")
        raise codes.ARGUMENT.error(message, caller(), tr("write round(x * 100) / 100 for two digits"))
    return apply(BY_NAME["round"], what, [value], {k: v for k, v in named.items() if k != "decimals"})


def softplus(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``softplus(x, beta, threshold)``: from the threshold on torch leaves x as it is, which is the same to 2e-9."""
    value, *rest = operands
    beta = named.get("beta", rest[0] if rest else 1)
    named = {key: given for key, given in named.items() if key not in ("beta", "threshold")}
    if _is_one(beta):
        return apply(BY_NAME["softplus"], what, [value], named)
    return _binary(
        what, "divide", apply(BY_NAME["softplus"], what, [_binary(what, "multiply", value, beta)], named), beta
    )


def masked_fill(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``x.masked_fill(m, 0)``."""
    value, condition, fill = [*operands, *(named[key] for key in ("mask", "value") if key in named)]
    return apply(BY_NAME["where"], what, [condition, fill, value], {})


def threshold(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """``threshold(x, limit, value)``: x where it is above the limit."""
    value, limit, fill = [*operands, *(named[key] for key in ("threshold", "value") if key in named)]
    return apply(BY_NAME["where"], what, [_binary(what, "greater", value, limit), value, fill], {})


def dropout(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """Nothing, where it is not in training. Raises EVT011 where it is."""
    given = {**dict(zip(("p", "training"), operands[1:], strict=False)), **named}
    if given.get("training", given.get("train", True)) and given.get("p", 0.5) != 0:
        message = tr("there is nothing random in an epilogue, and {what} is in training", what=what)
        raise codes.ARGUMENT.error(
            message, caller(), tr("write training=False, or give the mask as a tensor: x * mask")
        )
    return operands[0]


def positive(what: str, operands: Operands, named: dict[str, Any]) -> Any:
    """The value itself."""
    return operands[0]


def _binary(what: str, name: str, x: Any, y: Any) -> Any:
    return apply(BY_NAME[name], what, [x, y], {})


def _is_one(thing: Any) -> bool:
    return isinstance(thing, (int, float)) and thing == 1


ADAPTED: dict[str, Callable[[str, Operands, dict[str, Any]], Any]] = {
    "to": converted, "transpose": transposed, "gather": taken, "add": added("add"), "subtract": added("subtract"),
    "rsub": added("rsub"), "addcmul": added_product("addcmul"), "addcdiv": added_product("addcdiv"),
    "round": rounded, "softplus": softplus, "masked_fill": masked_fill, "threshold": threshold, "dropout": dropout,
    "positive": positive,
}  # fmt: skip
"""Each by the name that it has in the table of functions."""
