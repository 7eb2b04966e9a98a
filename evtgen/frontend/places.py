"""The functions of ``ops`` that put outputs in other places, and read inputs from other places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..diagnostics import reading as codes
from ..graph.location import caller
from ..graph.types import ROUND_MODES, ColumnMajor, ElementType, int32, mask
from ..nodes import AuxGather, AuxLoad, AuxScatter, AuxStore, ColBroadcast, Store
from ..system.translation import tr
from .eager import library_of
from .value import Elsewhere, Graph, Value, graph_of, operand


def transpose(value: Any) -> Any:
    """A value transposed, an output of N x M: ``{"D": ops.transpose(x)}``. Raises EVT009, for what is no value."""
    if library := library_of([value]):
        return library.transposed(value)
    graph = graph_of([value], "ops.transpose")
    taken = operand(graph, value, "ops.transpose")
    return _elsewhere(taken, "transposed", AuxStore("", taken.T, ColumnMajor))


def scatter(value: Any, *, rows: Any) -> Any:
    """An output whose row ``rows[i]`` is row i of a value: ``{"D": ops.scatter(x, rows=idx)}``, with a parameter
    ``idx: ColVector[int32]`` in which no number is twice. Raises EVT009 and EVT011, for anything else.

    Of an array it is one with zeros where no number of a row leads, and as many rows as before or as numbers ask for.
    """
    if library := library_of([value]):
        return library.scattered(value, rows)
    graph = graph_of([value], "ops.scatter")
    taken = operand(graph, value, "ops.scatter")
    return _elsewhere(taken, "scattered", AuxScatter("", taken.T, rows=_rows_of(graph, rows, "ops.scatter")))


def gather(tensor: Any, *, rows: Any) -> Any:
    """A value whose row i is row ``rows[i]`` of a parameter ``X: Aux[T]``: ``ops.gather(X, rows=idx)``, with another
    ``idx: ColVector[int32]``. Raises EVT009 and EVT011, for anything else."""
    if library := library_of([tensor]):
        return library.gathered(tensor, rows)
    graph = graph_of([tensor], "ops.gather")
    taken = operand(graph, tensor, "ops.gather")
    node = graph.entries[taken.index].node
    if not isinstance(node, AuxLoad) or node.transposes or node.null_default is not None:
        form = tr("def spec(acc: Acc[half], X: Aux[half], idx: ColVector[int32]): … ops.gather(X, rows=idx)")
        raise codes.ARGUMENT.error(
            tr("ops.gather takes rows of a parameter Aux[T], row-major and not null"), caller(), form
        )
    graph.taken.add(taken.index)
    rows = _rows_of(graph, rows, "ops.gather")
    return graph.add(AuxGather(node.name, node.T, rows, location=caller()), (), node.T)


def _rows_of(graph: Graph, rows: Any, what: str) -> str:
    """The name of a parameter that numbers rows."""
    node = graph.entries[rows.index].node if isinstance(rows, Value) and rows.graph is graph else None
    if not isinstance(node, ColBroadcast) or int32 != node.T or node.null_default is not None:
        form = tr("write idx: ColVector[int32], and {what}(x, rows=idx)", what=what)
        raise codes.ARGUMENT.error(tr("{what} takes as rows a parameter ColVector[int32]", what=what), caller(), form)
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
    if not isinstance(T, ElementType) or mask == T:
        message = tr("ops.cast takes an element type, but was given {T!r}", T=T)
        raise codes.ARGUMENT.error(message, caller(), "ops.cast(x, float32)")
    if round is not None and round not in ROUND_MODES:
        message = tr("ops.cast takes the name of a round mode, but was given {round!r}", round=round)
        raise codes.ARGUMENT.error(message, caller(), 'ops.cast(x, T, round="CAST_RINT")')
    return library.cast(value, T, round or "CAST_NONE")


PLACES: dict[str, Callable[..., Any]] = {
    "transpose": transpose,
    "scatter": scatter,
    "gather": gather,
    "cast": cast,
}
"""The functions of outputs and inputs in other places, and of other types."""
