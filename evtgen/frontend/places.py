"""The functions of ``ops`` that put outputs in other places, and read inputs from other places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..diagnostics import tracing as codes
from ..graph.location import caller
from ..graph.types import ROUND_MODES, ColumnMajor, ElementType, element_type, int32, mask
from ..nodes import AuxGather, AuxLoad, AuxScatter, AuxStore, ColBroadcast, RankScatter, Store
from ..passes.analysis.fields import short
from .eager import library_of
from .value import Elsewhere, Graph, Value, graph_of, operand


def transpose(value: Any) -> Any:
    """A value transposed, an output of N x M: ``{"D": ops.transpose(x)}``. Raises EVT009, for what is no value."""
    if library := library_of([value]):
        return library.transposed(value)
    graph = graph_of([value], "ops.transpose")
    taken = operand(graph, value, "ops.transpose")
    return _elsewhere(taken, "transposed", AuxStore("", taken.T, ColumnMajor))


def scatter(value: Any, rows: Any, *, add: bool = False, ranks: Any = None) -> Any:
    """An output whose row ``rows[i]`` is row i of a value: ``{"D": ops.scatter(x, rows=idx)}``, with a parameter
    ``idx: ColVector[int32]`` in which no number is twice. With ``add=True`` numbers may repeat: all that goes to one
    row is added up, and to what the output has before. With ``ranks=rank``, another ``ColVector[int32]``, row i goes
    to the memory of rank ``rank[i]``. Raises EVT009 and EVT011, for anything else.

    Of an array it is one with zeros where no number of a row leads, and as many rows as before or as numbers ask for;
    with ``ranks`` one of those for each rank, (R, M, N).
    """
    if not isinstance(add, bool):
        raise codes.ARGUMENT.here("add", given=short(add))
    if library := library_of([value]):
        return library.scattered(value, rows, add, ranks)
    graph = graph_of([value], "ops.scatter")
    taken = operand(graph, value, "ops.scatter")
    names = _rows_of(graph, rows, "ops.scatter")
    if ranks is None:
        return _elsewhere(taken, "scattered", AuxScatter("", taken.T, rows=names, add=add))
    owners = _rows_of(graph, ranks, "ops.scatter", "ranks")
    return _elsewhere(taken, "scattered", RankScatter("", taken.T, rows=names, add=add, ranks=owners))


def gather(tensor: Any, rows: Any) -> Any:
    """A value whose row i is row ``rows[i]`` of a parameter ``X: Aux[T]``: ``ops.gather(X, rows=idx)``, with another
    ``idx: ColVector[int32]``. Raises EVT009 and EVT011, for anything else."""
    if library := library_of([tensor]):
        return library.gathered(tensor, rows)
    graph = graph_of([tensor], "ops.gather")
    taken = operand(graph, tensor, "ops.gather")
    node = graph.entries[taken.index].node
    if not isinstance(node, AuxLoad) or node.transposes or node.null_default is not None:
        raise codes.ARGUMENT.here("gather")
    graph.taken.add(taken.index)
    rows = _rows_of(graph, rows, "ops.gather")
    return graph.add(AuxGather(node.name, node.T, rows, location=caller()), (), node.T)


def _rows_of(graph: Graph, rows: Any, what: str, argument: str = "rows") -> str:
    """The name of a parameter that numbers rows, or ranks."""
    node = graph.entries[rows.index].node if isinstance(rows, Value) and rows.graph is graph else None
    if not isinstance(node, ColBroadcast) or int32 != node.T or node.null_default is not None:
        raise codes.ARGUMENT.here(argument, what=what)
    graph.taken.add(rows.index)
    return node.name


def _elsewhere(value: Value, noun: str, store: Store) -> Elsewhere:
    made = Elsewhere(value, noun, store, caller())
    value.graph.elsewhere.append(made)
    return made


def cast(value: Any, T: Any, round: str | None = None) -> Any:
    """A value in another element type, as ``x.cast(T, round)``, or an array, which has no such method.

    An array of float64 stands for exact numbers: only a cast to integers changes it.

    Raises:
        EvtgenError: EVT009, for what is no value; EVT011, for what is no element type or no mode.
    """
    library = library_of([value])
    if library is None:
        return operand(graph_of([value], "ops.cast"), value, "ops.cast").cast(T, round)
    T = element_type(T)
    if not isinstance(T, ElementType) or mask == T:
        raise codes.ARGUMENT.here("element type", what="ops.cast", given=T)
    if round is not None and round not in ROUND_MODES:
        raise codes.ARGUMENT.here("round mode", what="ops.cast", given=round)
    return library.cast(value, T, round or "CAST_NONE")


PLACES: dict[str, Callable[..., Any]] = {
    "transpose": transpose,
    "scatter": scatter,
    "gather": gather,
    "cast": cast,
}
"""The functions of outputs and inputs in other places, and of other types."""
