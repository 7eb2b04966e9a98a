"""Weights that are stored as int8, and widened in front of a matmul, as torch, torchao and models spell it.

``(w.to(T) - zero) * scale``, of a weight with a scale and a zero point for each output, is a B of int8 that the kernel
widens itself; so are torchao's ``dequantize_affine`` and PT2E's ``dequantize_per_channel``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from .nodes import FxNode, called, described

_CASTS = ("to", "_to_copy", "type", "convert_element_type", "half", "bfloat16", "float")

_OPERATORS = ("dequantize_affine", "dequantize_per_channel")

_TIMES, _MINUS = ("mul", "multiply", "__mul__"), ("sub", "subtract", "__sub__")

Turned = Callable[[Any], tuple[Any, bool]]


@dataclass(frozen=True)
class Stored:
    """A weight as it is stored.

    Attributes:
        weight: the tensor of int8.
        transposed: whether it is the transpose of B.
        scale, zero: what each column of B is multiplied by, and what is subtracted first; None without.
        between: the nodes from the matmul to the weight.
    """

    weight: FxNode
    transposed: bool
    scale: Any
    zero: Any
    between: tuple[FxNode, ...]


def stored(graph_module: Any, node: Any, transposed: bool, turned_of: Turned) -> Stored | None:
    """The weight that a node widens, which is B, or ``transposed`` its transpose; None if it is no such node."""
    vectors, between, b = dict[str, Any](), list[FxNode](), node
    for key, names in (("scale", _TIMES), ("zero", _MINUS)):
        if _calls(b, names) and len(b.args) == 2:
            between.append(b)
            first, second = b.args
            is_second = key == "scale" and _calls(second, (*_CASTS, *_MINUS)) and not _calls(first, (*_CASTS, *_MINUS))
            b, vectors[key] = (second, first) if is_second else (first, second)
    if not _calls(b, _CASTS if between else (*_CASTS, *_OPERATORS)):
        return None
    between.append(b)
    weight, is_turned = turned_of(b.args[0])
    inner = b.args[0]
    while inner is not weight:
        between.append(inner)
        inner = inner.args[0]
    of = known(graph_module, weight)
    if _dtype(of) != "int8" or len(of.shape) != 2:
        return None
    shape = [*of.shape][:: -1 if is_turned else 1]
    if called(b) in _OPERATORS:
        vectors = _given(graph_module, b, shape, transposed)
        fits = bool(vectors)
    else:
        forms = [[shape[0], 1]] if transposed else [[shape[1]], [1, shape[1]]]
        fits = all([*getattr(known(graph_module, one), "shape", ())] in forms for one in vectors.values())
    made = vectors.get("scale"), vectors.get("zero")
    return Stored(weight, transposed != is_turned, *made, tuple(between)) if fits else None


def _calls(thing: Any, names: Collection[str]) -> bool:
    return getattr(thing, "op", "") in ("call_function", "call_method") and called(thing) in names


def _given(graph_module: Any, node: FxNode, shape: list[int], transposed: bool) -> dict[str, Any]:
    """Scale and zero point of an operator that widens; nothing if they are not of B's columns, and in its type."""
    names = [one.name for one in node.target._schema.arguments]
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    if called(node) == "dequantize_affine":
        fits, made = [*given["block_size"]] == ([1, shape[1]] if transposed else [shape[0], 1]), "output_dtype"
    else:
        fits, made = given["axis"] == (0 if transposed else 1), "out_dtype"
    scale = given.get("scale", given.get("scales"))
    widened = str(given.get(made) or "float32").removeprefix("torch.")
    zero = given.get("zero_point", given.get("zero_points"))
    return {"scale": scale, "zero": zero} if fits and _dtype(known(graph_module, scale)) == widened else {}


def known(graph_module: Any, thing: Any) -> Any:
    """What is known of a tensor without examples: its shape and its type; None for nothing."""
    found = described(thing) if hasattr(thing, "meta") else None
    if found is None and getattr(thing, "op", "") == "get_attr":
        return attrgetter(str(thing.target))(graph_module)
    return found


def _dtype(thing: Any) -> str:
    return str(getattr(thing, "dtype", "")).removeprefix("torch.")
