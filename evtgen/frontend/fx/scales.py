"""Scales of both operands of a matmul, as torch spells them: of all, of lines, of slices of K, and of MX formats.

``_scaled_mm`` says by the shapes and the types of its scales what they are of. ``_scaled_mm_v2``, which
``torch.nn.functional.scaled_mm`` calls, says it by numbers, the members of ``ScalingType`` and of ``SwizzleType``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .nodes import FxNode, called
from .quantized import known

_AS_GIVEN = ("scale_a", "scale_b")
_BY_RECIPES = ("scale_a", "recipe_a", "swizzle_a", "scale_b", "recipe_b", "swizzle_b")

ARGUMENTS = {
    "_scaled_mm": (*_AS_GIVEN, "bias", "scale_result", "out_dtype"),
    "_scaled_mm_v2": (*_BY_RECIPES, "bias", "out_dtype", "contraction_dim"),
    "_scaled_grouped_mm": (*_AS_GIVEN, "offs", "bias", "scale_result", "out_dtype"),
    "_scaled_grouped_mm_v2": (*_BY_RECIPES, "offs", "bias", "out_dtype", "contraction_dim"),
}
"""The matmuls with scales, and what they are given behind A and B."""

RECIPES = ("TensorWise", "RowWise", "BlockWise1x16", "BlockWise1x32", "BlockWise1x128", "BlockWise128x128")
"""The members of ``ScalingType``, in order."""

_SLICE, _MX = 128, 32
"""The elements of K that share a scale."""

Lay = Callable[[Any, Any], Any]
"""A tensor of scales as the kernel has it: of the tensor in torch, and of the operand, whose lines lie along K."""


def in_a_row(scales: Any, operand: Any) -> Any:
    """One for each line, or one for all: 1 x N."""
    return scales.reshape(1, -1).expand(1, operand.shape[-2]).contiguous()


def turned(scales: Any, operand: Any) -> Any:
    """Those of a line next to each other, as torch has them, become those of a slice of K."""
    return scales.flatten(1).mT.contiguous()


def as_it_is(scales: Any, operand: Any) -> Any:
    """They lie as the kernel reads them."""
    return scales.contiguous()


def _unpadded(scales: Any, operand: Any) -> Any:
    """Those of the slices that there are: torch's scales of blocks have rows up to a multiple of 4."""
    return scales[: -(-operand.shape[1] // _SLICE)].contiguous()


def _unswizzled(scales: Any, operand: Any) -> Any:
    """Scales of MX formats out of ``SWIZZLE_32_4_4``: of padded tiles of 128 lines and 4 scales of each, in which every
    32nd line is a neighbour."""
    lines, k = operand.shape
    groups = k * (2 if str(operand.dtype).endswith("_x2") else 1) // _MX
    rows, columns = -(-lines // 128), -(-groups // 4)
    tiles = scales.reshape(rows, columns, 32, 4, 4).permute(0, 3, 2, 1, 4)
    return tiles.reshape(128 * rows, 4 * columns)[:lines, :groups].contiguous()


@dataclass(frozen=True)
class OfLines:
    """Scales of the lines of an operand, where no tensor that torch would broadcast has their shape.

    Attributes:
        thing: the node, the path of a parameter, or half of one.
        kind: what the epilogue calls it: a ``ColVector`` of M, or a ``RowVector`` for each group.
    """

    thing: Any
    kind: str


@dataclass(frozen=True)
class Scales:
    """How a matmul is scaled.

    Attributes:
        a, b: the scales of the operands.
        of: what they are of, in the words of a Gemm; None for those of rows, of columns and of all, by which the
            product is multiplied.
        lays: how the kernel has them, where it reads them itself.
        refused: the recipes of A and B, if no kernel has them.
    """

    a: FxNode
    b: FxNode
    of: str | None = None
    lays: tuple[Lay, Lay] = (as_it_is, as_it_is)
    refused: tuple[str, str] | None = None


def scales_of(graph_module: Any, node: FxNode, operands: tuple[Any, Any], given: Mapping[str, Any]) -> Scales:
    """The scales of one of the :data:`ARGUMENTS`' matmuls, of what it is given."""
    a, b, is_grouped = given["scale_a"], given["scale_b"], "grouped" in called(node)
    if "recipe_a" in given:
        return _by_recipes(given, is_grouped)
    if any("e8m0" in str(getattr(known(graph_module, one), "dtype", "")) for one in (a, b)):
        return Scales(a, b, "mx", (_unswizzled, _unswizzled), (RECIPES[3],) * 2 if is_grouped else None)
    of = None if is_grouped else _of_slices(graph_module, *operands, a, b)
    return Scales(a, b) if of is None else Scales(a, b, of, (turned, as_it_is))


def _by_recipes(given: Mapping[str, Any], is_grouped: bool) -> Scales:
    """Those of a matmul that has a list of scales for each operand, with their recipes."""
    a, b = given["scale_a"][0], given["scale_b"][0]
    of_a, of_b = (" and ".join(RECIPES[one] for one in given[key]) for key in ("recipe_a", "recipe_b"))
    if of_a == of_b and of_a in ("TensorWise", "RowWise"):
        return Scales(a, b)
    known = None if is_grouped else _KERNELS.get((of_a, of_b))
    if known is None:
        return Scales(a, b, refused=(of_a, of_b))
    of, lays = known
    swizzled = (any(given.get(key) or ()) for key in ("swizzle_a", "swizzle_b"))
    lay_a, lay_b = (_unswizzled if one else lay for one, lay in zip(swizzled, lays, strict=True))
    return Scales(a, b, of, (lay_a, lay_b))


_KERNELS: dict[tuple[str, str], tuple[str, tuple[Lay, Lay]]] = {
    ("BlockWise1x32", "BlockWise1x32"): ("mx", (as_it_is, as_it_is)),
    ("BlockWise1x128", "BlockWise1x128"): (f"group:{_SLICE}", (turned, turned)),
    ("BlockWise1x128", "BlockWise128x128"): (f"block:{_SLICE}x{_SLICE}", (turned, _unpadded)),
}
"""The recipes of scales that kernels read themselves, in the words of a Gemm, and how they have them."""


def _of_slices(graph_module: Any, a: Any, b: Any, scale_a: Any, scale_b: Any) -> str | None:
    """Which parts of the B of torch's ``_scaled_mm`` share a scale, in the words of a Gemm, if slices of K of both
    operands have scales: M x K/128 of A, and K/128 x N/128 or K/128 x N of B. None for others, and for scales of rows
    and columns or of all, which one slice of K may have, too."""
    shapes = [[*getattr(known(graph_module, one), "shape", ())] for one in (a, b, scale_a, scale_b)]
    if any(len(shape) != 2 for shape in shapes) or not all(isinstance(extent, int) for extent in shapes[1]):
        return None
    (m, _), (k, n), of_a, (slices, width) = shapes
    blocks = -(-n // _SLICE)
    is_one = slices == 1 and width in (1, n)
    # As the graph spells them: to compare extents that are not known yet would fix them.
    if is_one or slices != -(-k // _SLICE) or width not in (blocks, n) or [*map(str, of_a)] != [str(m), str(slices)]:
        return None
    return f"block:{_SLICE}x{_SLICE}" if width == blocks else f"group:{_SLICE}"
