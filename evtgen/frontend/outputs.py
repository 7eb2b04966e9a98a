"""The outputs of a traced function: where its stores and reductions go in the graph.

A store hands its input on, so it is put right behind the value that it stores, and whoever else reads the value reads
it through the store. Outputs that have a value in common so become one chain, as a person would write it: ``D`` is
stored, and the reduction reads it from the store. Only outputs with nothing in common are joined by an ``Outputs``
root.
"""

from __future__ import annotations

import dis
import linecache
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import CodeType
from typing import Any

from ..diagnostics import tracing as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..graph.ir import Step, TopologicalVisitor
from ..graph.location import Location
from ..graph.shapes import TensorShape
from ..graph.types import ElementType
from ..nodes import (
    STORES,
    AStatistic,
    BlockReduced,
    BlockStore,
    Position,
    Reduced,
    Rotate,
    Store,
    VisitorNode,
    cast_path,
)
from ..passes.analysis.fields import short
from ..passes.analysis.roots import rooted
from .value import Elsewhere, Entry, Graph, Reduction, ScalarValue, Value


def finish(graph: Graph, returned: Any, name: str, place: Callable[[Any], Location]) -> TopologicalVisitor:
    """The whole graph: what the function made, without what no output needs, and its outputs.

    Raises:
        EvtgenError: the function returned no dict of values (EVT012), or dropped a reduction (EVT013).
    """
    outputs = _outputs(graph, returned, name, place)
    chained: dict[int, list[VisitorNode]] = {}
    apart: list[tuple[int, VisitorNode]] = []
    for source, node in outputs:
        # Where a store casts what it writes, other readers still want the value as it was computed.
        if node.takes(0) == graph.entries[source].node.element or not graph.auto_cast:
            chained.setdefault(source, []).append(node)
        else:
            apart.append((source, node))
    entries: list[Entry] = []
    final: list[int] = []
    live = _live(graph, [source for source, _ in outputs])
    for index, entry in enumerate(graph.entries):
        if index not in live:
            final.append(-1)
            continue
        entries.append(Entry(entry.node, tuple(final[i] for i in entry.inputs)))
        for node in chained.get(index, ()):
            entries.append(Entry(node, (len(entries) - 1,)))
        final.append(len(entries) - 1)
    for source, node in apart:
        index = final[source]
        wanted = node.takes(0)
        assert wanted is not None
        path = cast_path(graph.arch, graph.entries[source].node.element, wanted, location=node.location)
        for cast in path or ():
            entries.append(Entry(cast, (index,)))
            index = len(entries) - 1
        entries.append(Entry(node, (index,)))
    return rooted([Step(entry.node, entry.inputs) for entry in entries], place(None))


def _live(graph: Graph, sources: list[int]) -> set[int]:
    """What the outputs need. Loads stay even if unused, for the checker to name: they are parameters."""
    live = {
        i
        for i, entry in enumerate(graph.entries)
        if not entry.inputs and i not in graph.taken and not isinstance(entry.node, (AStatistic, Position))
    }
    stack = list(sources)
    live -= set(stack)
    seen: set[int] = set()
    while stack:
        index = stack.pop()
        if index not in seen:
            seen.add(index)
            stack += graph.entries[index].inputs
    return live | seen


def _outputs(graph: Graph, returned: Any, name: str, place: Callable[[Any], Location]) -> list[tuple[int, VisitorNode]]:
    """(index of the value, output node), in the order of the dict."""
    where = place(None)
    if not isinstance(returned, (dict, tuple, list)):
        raise codes.RETURN.refusal("no dict", where, name=name, given=short(returned))
    if not returned:
        raise codes.RETURN.refusal("empty", where, name=name)
    if not isinstance(returned, dict):
        count = len(returned)
        raise codes.RETURN.refusal("unnamed" if count == 1 else "several unnamed", where, name=name, count=count)
    wrong: list[Diagnostic] = []
    outputs: list[tuple[int, VisitorNode]] = []
    for key, value in returned.items():
        location = place(key)
        if not isinstance(key, str):
            wrong.append(codes.RETURN.of("key", location, name=name, key=key))
        elif isinstance(value, Reduction) and value.graph is graph and not value.read:
            value.returned = True
            identity = value.node.neutral if value.identity is None else value.identity
            outputs.append((value.reduced.index, replace(value.node, name=key, identity=identity)))
        elif isinstance(value, Value) and value.graph is graph:
            outputs.append((value.index, _store(graph, value, key, location)))
        elif isinstance(value, Elsewhere) and value.value.graph is graph:
            value.returned = True
            outputs.append((value.value.index, replace(value.store, name=key, location=location)))
        else:
            kinds = {
                ElementType: "type",
                ScalarValue: "scalar",
                Value: "foreign",
                Elsewhere: "foreign",
                tuple: "several",
            }
            when = next((when for kind, when in kinds.items() if isinstance(value, kind)), "other")
            wrong.append(codes.RETURN.of(when, location, key=key, name=name, given=short(value)))
    wrong += _lost(graph, name)
    if wrong:
        raise EvtgenError(wrong)
    return outputs


def _lost(graph: Graph, name: str) -> Iterator[Diagnostic]:
    """The reductions, and the values in other places, that the function neither returns nor reads."""
    for reduction in graph.reductions:
        if not (reduction.returned or reduction.read):
            yield codes.LOST_REDUCTION.of("reduction", reduction.node.location, name=name)
    for e in graph.elsewhere:
        if not e.returned:
            yield codes.LOST_REDUCTION.of("elsewhere", e.location, noun=e.noun, name=name)


def _store(graph: Graph, value: Value, name: str, location: Location) -> Store:
    """The store of a value. It has the shape of the reductions and statistics of A that it is made of, M x N if it is
    made of anything else too."""
    pending, seen, blocks, columns, rows = [value.index], set[int](), set[int](), "1", "1"
    while pending:
        index = pending.pop()
        if index in seen:
            continue
        seen.add(index)
        entry = graph.entries[index]
        if isinstance(entry.node, BlockReduced):
            blocks.add(entry.node.block)
            rows = "M"
        elif isinstance(entry.node, AStatistic | Reduced | Rotate) or not entry.inputs:
            shape = entry.node.shape if isinstance(entry.node, AStatistic | Reduced) else TensorShape.MATRIX
            rows, columns = max(rows, shape.rows), max(columns, shape.columns)
        else:
            pending += entry.inputs
    if len(blocks) == 1 and columns == "1":
        return BlockStore(name, value.T, block=blocks.pop(), location=location)
    return STORES[TensorShape((rows, "N" if blocks else columns))](name, value.T, location=location)


def line_of_output(code: CodeType, key: Any) -> Location:
    """The line of the last ``return``, or the line below it that holds the key of an output."""
    lines = [line for _, line in dis.findlinestarts(code) if line]
    start = end = max(lines, default=code.co_firstlineno)
    for instruction in dis.get_instructions(code):
        line = _line(instruction)
        if line:
            current = line
        if instruction.opname in ("RETURN_VALUE", "RETURN_CONST"):
            start = current
    if isinstance(key, str):
        for line in range(start, end + 1):
            text = linecache.getline(code.co_filename, line)
            if f'"{key}"' in text or f"'{key}'" in text:
                return Location(code.co_filename, line)
    return Location(code.co_filename, start)


def _line(instruction: dis.Instruction) -> int | None:
    """The line on which an instruction starts; the field changed its meaning in Python 3.13."""
    line = getattr(instruction, "line_number", None)
    starts = instruction.starts_line
    return line if line is not None else starts if isinstance(starts, int) and not isinstance(starts, bool) else None
