"""The matmuls of torch_npu with scales: of int8, of weights that are widened, and of either in groups.

What they compute is on the pages of ``npu_quant_matmul``, ``npu_weight_quant_batchmatmul`` and ``npu_grouped_matmul``.
Weights of int4 lie in int32, eight along a line, the first in the lowest bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .nodes import FxNode, called, described
from .quantized import known
from .scales import Lay, OfLines, in_a_row, turned

ARGUMENTS = {
    "npu_quant_matmul": ("x1", "x2", "scale"),
    "npu_weight_quant_batchmatmul": (
        "x", "weight", "antiquant_scale", "antiquant_offset", "quant_scale", "quant_offset", "bias",
        "antiquant_group_size", "inner_precise",
    ),
    "npu_grouped_matmul": ("x", "weight"),
}  # fmt: skip
"""The matmuls, and the arguments that they have names and places for, A and B first; others have names alone."""

_INT8, _INT32, _INT64 = "torch.int8", "torch.int32", "torch.int64"
_NARROW = ("torch.float16", "torch.bfloat16")

Fields = dict[str, Any]
"""What is known of a product, by the names of its fields."""


@dataclass(frozen=True)
class Packed:
    """How elements of int4 lie in a tensor of torch.

    Attributes:
        count: how many are in one of the tensor's elements, along its lines.
        bytes_of: the tensor as bytes with two each, the first in the low half.
    """

    count: int
    bytes_of: Callable[[Any], Any]


def _bytes_of(tensor: Any) -> Any:
    return tensor.contiguous().view(sys.modules["torch"].uint8)


_IN_INT32 = Packed(8, _bytes_of)


def by_rows(scales: Any, operand: Any) -> Any:
    """Those of columns, or of groups of K, as the kernel has them: N, 1 x N or K/g x N, of each group of rows."""
    return (scales if scales.dim() > 1 else scales[None]).contiguous()


def less_by_rows(offsets: Any, operand: Any) -> Any:
    """What is added to B, as what is subtracted."""
    return -by_rows(offsets, operand)


def less_in_a_row(offsets: Any, operand: Any) -> Any:
    """The same of one for all."""
    return -in_a_row(offsets, operand)


def given_to(node: FxNode) -> dict[str, Any]:
    """What one of the :data:`ARGUMENTS`' matmuls is given, by name, but for A and B; a list of one tensor is that."""
    given = {**dict(zip(ARGUMENTS[called(node)], node.args, strict=False)), **node.kwargs}
    return {key: one_of(thing) for key, thing in given.items() if key not in ARGUMENTS[called(node)][:2]}


def one_of(thing: Any) -> Any:
    """The tensor of a list that has one, None of a list that has none."""
    return next(iter(thing), None) if isinstance(thing, (list, tuple)) and len(thing) < 2 else thing


def fields_of(graph_module: Any, node: FxNode, operands: tuple[FxNode, FxNode], b_turned: bool) -> Fields | str:
    """A matmul as the fields of a product, of A and B as they are stored; or the argument that no kernel knows."""
    given, types = given_to(node), tuple(str(getattr(known(graph_module, one), "dtype", None)) for one in operands)
    if called(node) == "npu_grouped_matmul":
        lines = getattr(known(graph_module, operands[1]), "shape", (0, 0))
        depth = lines[-1] * (_IN_INT32.count if types[1] == _INT32 else 1) if b_turned else lines[-2]
        return _of_groups(graph_module, node, given, types, depth)
    of = _of_integers if called(node) == "npu_quant_matmul" else _of_weights
    return of(graph_module, node, given, types)


def _refused(given: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    """The arguments that are given, and none of those which a kernel knows."""
    return [key for key, thing in given.items() if thing is not None and key not in known]


def _of_integers(graph_module: Any, node: FxNode, given: Mapping[str, Any], types: tuple[str, ...]) -> Fields | str:
    """``npu_quant_matmul`` of int8: with scales of int64, as ``npu_trans_quant_param`` makes them, to half in the
    Fixpipe; with those of floats, one for each column or one for all, and one for each row, to a float. Unfit is a
    result that is quantised, too, and what does more than that."""
    scale, token, bias = (given.get(key) for key in ("scale", "pertoken_scale", "bias"))
    out = getattr(described(node), "dtype", given.get("output_dtype"))
    of_scale = str(getattr(known(graph_module, scale), "dtype", None))
    in_bits = of_scale in (_INT64, "torch.uint64")
    wrong = [f"{x}.dtype={T}" for x, T in zip(("x1", "x2"), types, strict=True) if T != _INT8]
    wrong += _refused(given, ("scale", "output_dtype", *(() if in_bits else ("pertoken_scale", "bias"))))
    wrong += [f"output_dtype={out}"] if str(out) not in _NARROW[: 1 if in_bits else 2] else []
    if wrong:
        return f"scale.dtype={of_scale}, {wrong[0]}" if in_bits else wrong[0]
    if in_bits:
        return {"out": out, "scale": scale, "scales": "column"}
    rows = () if token is None else (OfLines(token, "ColVector"),)
    return {"out": out, "bias": bias, "factors": (scale, *rows)}


def _of_weights(graph_module: Any, node: FxNode, given: Mapping[str, Any], types: tuple[str, ...]) -> Fields | str:
    """``npu_weight_quant_batchmatmul``: ``x @ ((weight + antiquant_offset) * antiquant_scale) + bias``."""
    size = given.get("antiquant_group_size") or None
    names = ("antiquant_scale", "antiquant_offset", "bias", "antiquant_group_size", "inner_precise")
    wrong = _refused(given, names)
    found = _widened(graph_module, given, types, size)
    if wrong or isinstance(found, str):
        return wrong[0] if wrong else str(found)
    return {**found, "bias": given.get("bias"), "out": getattr(described(node), "dtype", None)}


def _widened(graph_module: Any, given: Mapping[str, Any], types: tuple[str, ...], size: int | None) -> Fields | str:
    """Weights of int8, or of int4 in int32, with ``antiquant_scale`` and ``antiquant_offset`` of A's type: one for all,
    or for each column, or for each group of ``size`` of K."""
    a, b = types
    scale, offset = (given.get(f"antiquant_{one}") for one in ("scale", "offset"))
    of = [known(graph_module, one) for one in (scale, offset) if one is not None]
    if a not in _NARROW or b not in (_INT8, _INT32):
        return f"x.dtype={a}, weight.dtype={b}"
    if not of or None in of:
        return "antiquant_scale"
    if other := [str(one.dtype) for one in of if str(one.dtype) != a]:
        return f"antiquant_scale.dtype={other[0]}"
    shape = [*of[0].shape]
    is_one = shape in ([1], [1, 1])
    if (is_one and b == _INT32) or [*of[-1].shape] != shape:
        return f"antiquant_scale.shape={shape}"
    lays: tuple[Lay, ...] = (turned, in_a_row, less_in_a_row) if is_one else (turned, by_rows, less_by_rows)
    scales = "column" if size is None or is_one else f"group:{size}"
    packed = _IN_INT32 if b == _INT32 else None
    return {"scale": scale, "zero": offset, "scales": scales, "lays": lays, "stores": True, "packed": packed}


def _of_groups(
    graph_module: Any, node: FxNode, given: Mapping[str, Any], types: tuple[str, ...], depth: int
) -> Fields | str:
    """``npu_grouped_matmul`` of rows of one A in groups, with a stack of Bs, to one tensor: of floats, of int8 with
    scales of columns and rows or without to int32, and of weights that are widened. ``depth`` is K."""
    names = (
        "bias", "scale", "per_token_scale", "antiquant_scale", "antiquant_offset", "group_list", "split_item",
        "group_type", "group_list_type", "act_type", "tuning_config", "output_dtype",
    )  # fmt: skip
    wrong = _refused(given, names)
    wanted: dict[str, tuple[Any, ...]] = {
        "split_item": (2, 3), "group_type": (0,), "group_list_type": (None, 0, 1), "act_type": (None, 0),
    }  # fmt: skip
    wrong += [f"{key}={given.get(key)}" for key, values in wanted.items() if given.get(key) not in values]
    if not hasattr(given.get("group_list"), "op"):
        wrong.append(f"group_list={given.get('group_list')}")
    out = getattr(described(node), "dtype", given.get("output_dtype"))
    is_counted = given.get("group_list_type") == 1
    found: Fields = {"out": out, "groups": given.get("group_list"), "counts": is_counted}
    lines = [("bias", "RowVector"), ("scale", "RowVector"), ("per_token_scale", "ColVector")]
    scaled = {key: OfLines(given[key], kind) for key, kind in lines if given.get(key) is not None}
    found |= {"bias": scaled.pop("bias", None), "factors": tuple(scaled.values())}
    if types == (_INT8, _INT8):
        of_scale = getattr(known(graph_module, given.get("scale")), "dtype", None)
        wrong += ["scale.dtype=torch.int64"] if str(of_scale) == _INT64 else []
        wrong += [f"output_dtype={out}"] if str(out) not in (*_NARROW, *([] if scaled else [_INT32])) else []
    elif given.get("antiquant_scale") is not None:
        shape = [*getattr(known(graph_module, given["antiquant_scale"]), "shape", ())]
        wrong += [*scaled]
        widened = _widened(graph_module, given, types, depth // shape[1] if len(shape) == 3 else None)
        if isinstance(widened, str):
            wrong.append(widened)
        else:
            found |= widened
    elif types[0] != types[1] or types[0] not in (*_NARROW, "torch.float32") or scaled:
        wrong.append(f"x.dtype={types[0]}, weight.dtype={types[1]}, {', '.join(scaled)}".rstrip(", "))
    return wrong[0] if wrong else found


def npu_grouped_matmul(*args: Any, **named: Any) -> Any:
    """The tensor of the list that torch_npu's operator gives."""
    return sys.modules["torch"].ops.npu.npu_grouped_matmul(*args, **named)[0]


def without_lists(graph_module: Any, graph: Any) -> Any:
    """The graph with :func:`npu_grouped_matmul` wherever the operator's list has one tensor; itself if it has none."""
    lists = {
        node for node in graph.nodes
        if called(node) == "npu_grouped_matmul" and node.target is not npu_grouped_matmul
        and node.users and all(called(user) == "getitem" and user.args[1] == 0 for user in node.users)
    }  # fmt: skip
    if not lists:
        return graph
    made, copy = dict[FxNode, FxNode](), type(graph)()
    for node in graph.nodes:
        if called(node) == "getitem" and node.args[0] in lists:
            made[node] = made[node.args[0]]
            made[node].meta = dict(node.meta)
            continue
        made[node] = copy.node_copy(node, made.__getitem__)
        if node in lists:
            made[node].target = npu_grouped_matmul
    copy.set_codegen(graph_module.graph._codegen)
    return copy
