"""The axes of tensors in a graph, as those of a tile: the last is its columns, and all before it are rows.

Rows of several axes lie one after the other in the tile, so nothing can go along one of those axes alone; a batch has
a tile for each of its matrices.
"""

from __future__ import annotations

from typing import Any

from ...diagnostics import reading as codes
from ...system.translation import tr
from ..formulas import REDUCED, WEIGHED
from ..libraries import FUNCTIONS
from ..value import Value
from .leaves import Leaves
from .matmuls import Product
from .nodes import FxNode, called

ALONG = (*REDUCED, *WEIGHED, "logsumexp")
"""Functions with an axis, or several, behind the tensor."""

TURNING = FUNCTIONS["transpose"].torch.split()
"""Functions with the axes that they exchange."""


def rank(leaves: Leaves, node: FxNode) -> int | None:
    """How many axes a node has, as far as that is known; those of the product where nothing is known of the node."""
    shape = leaves.known(node).shape
    product = leaves.chosen.products[0]
    if shape is not None and not _is_guessed(leaves, product):
        return len(shape)
    if leaves.batch:
        return 3
    if called(product.node) in ("mm", "addmm"):
        return 2
    known = leaves.known(product.a).shape
    return None if known is None else len(known)


def _is_guessed(leaves: Leaves, product: Product) -> bool:
    """Whether the rows of the product are not known, but for there being some."""
    return leaves.known(product.a).shape is None


def of_tile(name: str, axes: Any, count: int | None, batch: bool) -> Any:
    """Axes of a tensor with ``count`` of them, as those of a tile: -1, -2, both or None for all.

    Raises:
        EvtgenError: EVT206 for an axis that is only some of the rows; EVT208 if it is not known which that is.
    """
    if isinstance(axes, (list, tuple)):
        named = None if count is None or batch else sorted(axis % count for axis in axes)
        if count is not None and named in ([*range(count)], [*range(count - 1)]):
            return None if len(named) == count else -2
        found = [of_tile(name, axis, count, batch) for axis in axes]
        return found[0] if len(found) == 1 else found
    if axes is None or axes == -1:
        if axes is None and batch:
            raise _refused(name, tr("all matrices of a batch"))
        return axes
    if count is None:
        raise codes.NOT_KNOWN.here("axes", name=name, axis=axes)
    axis = axes % count - count
    if axis == -1 or (axis == -2 and (count == 2 or batch)):
        return axis
    raise _refused(name, tr("an axis that is only some of the rows"))


def _refused(name: str, what: str) -> Exception:
    return codes.NODE.here("reduced axes", name=name, what=what)


def adapted(
    leaves: Leaves, node: FxNode, name: str, args: list[Any], named: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call with the axes of a tile."""
    if name not in (*ALONG, *TURNING) or any(isinstance(arg, Value) for arg in args[1:]):
        return args, named
    count = rank(leaves, node.args[0])
    key = next((key for key in ("dim", "axis", "dims") if key in named), None)
    if name in TURNING:
        given = [*args[1:], *named.values()]
        flat = [axis for one in given for axis in (one if isinstance(one, (list, tuple)) else [one])]
        if name == "permute" and count == 3 and leaves.batch and flat[:1] == [0]:
            flat = flat[1:]
        turned = [of_tile(name, axis, count, leaves.batch) for axis in flat]
        return [args[0], *([turned] if name == "permute" else turned)], {}
    if len(args) > 1:
        return [args[0], of_tile(name, args[1], count, leaves.batch), *args[2:]], named
    return args, {**named, key or "dim": of_tile(name, named.get(key or "dim"), count, leaves.batch)}
