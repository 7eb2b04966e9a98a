"""The reductions of a traced function: ``ops.row_reduce(x, "add")`` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..diagnostics import aliases
from ..diagnostics import tracing as codes
from ..diagnostics.suggestions import suggest
from ..graph.location import caller
from ..graph.types import float32
from ..nodes import BLOCKS, NODE_KINDS, BlockReduced, ColReduce, Reduce, RowReduce, ScalarReduce
from ..operators.table import BY_NAME, FIRST_APPLIED, REDUCTIONS
from .eager import is_array, library_of
from .value import Number, Reduction, Value, graph_of, is_number, number

KINDS: dict[str, type[Reduce]] = {kind.function: kind for kind in NODE_KINDS.values() if issubclass(kind, Reduce)}
"""The kinds of reductions by their functions in ``ops``."""

_AXES: dict[Any, type[Reduce]] = {-2: RowReduce, -1: ColReduce, 0: RowReduce, 1: ColReduce, None: ScalarReduce}

_BOTH_AXES = ([0, 1], [-2, -1], [-1, 0], [-2, 1])


def reduced(kind: type[Reduce], value: Any, op: str, identity: Number | None = None) -> Any:
    """A value, or an array, reduced by ``op``, a name that users have for it."""
    if library := library_of([value]):
        return library.reduced(value, op, tuple(axis - 2 for axis in kind.axis), identity)
    return reduction(kind, value, op, identity)


def reduction(kind: type[Reduce], value: Value, op: str, identity: Number | None = None) -> Reduction:
    """A value reduced by ``op``, a name that users have for it.

    What was computed in a wider type is reduced in that; with ``auto_cast`` what the reduction does not have is
    reduced in float32.
    """
    first, name = FIRST_APPLIED.get(op), REDUCTIONS[op]
    operator = BY_NAME[first] if first else None
    reduced = value.graph.compute(operator, [value]) if operator else value
    T = value.graph.common([reduced.T, reduced.element])
    node = kind("", name, T, location=caller())
    if value.graph.auto_cast and float32.includes(T) and node.unsupported(value.graph.arch):
        wide = kind("", name, float32, location=node.location)
        node = node if wide.unsupported(value.graph.arch) else wide
    return Reduction(value, node, operator, reduced, identity)


def block_reduced(what: str, value: Any, op: str, block: Any) -> Any:
    """A value, or an array, whose columns are reduced by ``op`` within each block of so many: what stands in every
    column of the block. It is reduced in float32 where that holds it. Raises EVT011 for a ``block`` that ``what`` has
    not."""
    if type(block) is not int or block not in BLOCKS:
        raise codes.ARGUMENT.here("block", what=what, block=block, known=", ".join(map(str, BLOCKS)))
    if library := library_of([value]):
        result = value + 0
        for start in range(0, value.shape[-1], block):
            part = result[..., start : start + block]
            part[...] = library.reduced(part, op, (-1,), None)
        return result
    T, first = float32 if float32.includes(value.T) else value.T, FIRST_APPLIED.get(op)
    given = value.cast(T)
    given = value.graph.compute(BY_NAME[first], [given]) if first else given
    return value.graph.add(BlockReduced(REDUCTIONS[op], T, block, location=caller()), (given,), T).cast(value.T)


def along(axis: Any, what: str) -> type[Reduce]:
    """The reduction along an axis as numpy counts them, None for all. Raises EVT011 for one that a value has not."""
    if isinstance(axis, (tuple, list)):
        is_all = all(type(one) is int for one in axis) and sorted(axis) in _BOTH_AXES
        axis = axis[0] if len(axis) == 1 else None if is_all else axis
    if axis is not None and (type(axis) is not int or axis not in _AXES):
        raise codes.ARGUMENT.here("axis", what=what, axis=axis)
    return _AXES[axis]


def reduction_function(name: str) -> Callable[..., Any]:
    """The function called ``name``."""
    kind, what = KINDS[name], f"ops.{name}"

    def call(value: Any, op: Any = "add", *, identity: Any = None, block: Any = None) -> Any:
        if not is_array(value):
            graph_of([value], what)
        if not isinstance(op, str) or op not in REDUCTIONS:
            help = suggest(str(op), REDUCTIONS, aliases.REDUCTIONS)
            raise codes.UNKNOWN_NAME.here("reduction", help=help, which=name.removesuffix("_reduce"), op=op)
        if identity is not None and not is_number(identity):
            raise codes.ARGUMENT.here("identity", what=what)
        if block is not None:
            if identity is not None:
                raise codes.IDENTITY.here(identity=identity)
            if kind is not ColReduce:
                raise codes.ARGUMENT.here("blocks", what=what)
            return block_reduced(what, value, op, block)
        return reduced(kind, value, op, None if identity is None else number(identity))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""A value reduced over its {kind.over}: an operand, as in ``x - {what}(x, "mean")``, or an output
    that the caller fills before the launch, ``{{"sum": {what}(x, "add", identity=0.0)}}``.

    Args:
        value: a tile value; its element type is that of the result. An operand is reduced in float32 or int32 and
            cast back. With ``auto_cast`` what the reduction does not have is reduced in float32.
        op: ``"add"``, ``"mean"``, ``"max"``, ``"min"``, ``"sum_of_squares"`` or ``"amax"``, the largest magnitude.
        identity: what the output is filled with before the launch; by default what changes nothing: 0, or the lowest or
            highest value of the type (an infinity for floats). An operand has none.
    """
    if kind is ColReduce:
        call.__doc__ += _BLOCK
    return call


_BLOCK = """    block: 32, 64 or 128: the columns of each block of so many become one, of which the last may have
            fewer. An operand has the result in every column of its block; an output is M x N / block, and has no
            identity.
    """
