"""Rules of parts of rows."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.ir import Step
from ..graph.shapes import WHOLE
from ..graph.types import float32
from ..nodes import MOST_OF_A_ROW, Alternate, ColReduced, Part, Reduce, Reduced, Store, TopK, TopKResult, node_of
from ..passes.analysis.columns import both, columned
from ..passes.analysis.fields import is_int
from ..passes.analysis.gemm import adds_slices, block_shape
from ..planner.cut import cuts
from ..planner.rows import can_be_rows, needs_rows
from .facts import Facts, Found
from .registry import rule, says


def _steps(facts: Facts) -> list[Step] | None:
    """The places as steps; None for a graph without parts."""
    parts = [place for place in facts.places if isinstance(place.node, Part)]
    if not parts or not all(place.sound for place in facts.places) or any(map(_is_wrong, (p.node for p in parts))):
        return None
    return [Step(place.node, tuple(i for _, i in place.inputs)) for place in facts.places]


def _is_wrong(node: object) -> bool:
    if isinstance(node, TopK):
        return node.start != 0 or not is_int(node.stop) or not 1 <= node.stop <= MOST_OF_A_ROW
    if isinstance(node, Alternate):
        return node.start not in (0, 1) or node.stop is not None
    return isinstance(node, Part) and (node.start < 0 or (node.stop is not None and node.stop <= node.start))


@rule("EVT275", "A part of a row cannot be taken so")
@says("{label} takes no columns", "write Part({T}, 0, 512) for the first 512 columns", when="empty")
@says("{label} ends behind its input, which has {count} columns", "let it end at {count}", when="beyond")
@says("{label} takes no number of the largest values", "write TopK({T}, stop=8): 1 to 32", when="largest")
@says(
    "{label} takes columns of a value that has not all of them",
    "every second column is taken of a whole value: x[:, 0::2], then a part of what that reads",
    when="of a part",
)
@says(
    "{label} is read beside all columns and beside every second one",
    "read it twice: a second parameter may be the same tensor",
    when="both",
)
@says(
    "{label} reads values of different columns: {first} and {second}",
    "values that meet have the same part of the columns: load what the other part needs as a tensor of its own, "
    'or compute halves of a row as two accumulators, Gemm(accumulators="halves")',
    when="meet",
)
@says(
    "{label} stores the first column of a part, which no tile has by itself",
    "store all of the part, or the first column of a reduction",
    when="first",
)
@says(
    '{label}: rows of the accumulator in UB have no parts, and the GEMM has handoff="ub"',
    "leave handoff out",
    when="handoff",
)
@says(
    "{label} joins a part of the rows in no fixed order, and the epilogue is deterministic",
    "leave deterministic out, or reduce the part in an epilogue of its own",
    when="order",
)
def parts(facts: Facts) -> Iterator[Found]:
    """`x[:, 0:512]` is a value of 512 columns, `x[:, 512:]` one of the others; `x[:, 0::2]` and `x[:, 1::2]` are values
    of N / 2 columns, which meet each other. Otherwise a part meets values of the same columns alone, and tensors that
    have as many; a column or a single value meets any. The accumulator reaches the vector cores through global memory,
    since rows in UB are as far apart as those of whole tiles. What is reduced of a part is joined atomically."""
    for place in facts.sound():
        if _is_wrong(place.node):
            yield Found(place, "largest" if isinstance(place.node, TopK) else "empty", T=place.element)
    steps = _steps(facts)
    if steps is None:
        return
    found = columned(steps)
    for index in both(steps):
        yield Found(facts.places[index], "both")
    for index, inputs in found.clashes.items():
        first, second, *_ = [*dict.fromkeys(inputs), "?"]
        yield Found(facts.places[index], "meet", first=f"[:, {first}]", second=f"[:, {second}]")
    for place, columns in zip(facts.places, found.of, strict=True):
        node = place.node
        given = found.of[place.inputs[0][1]] if place.inputs else WHOLE
        if isinstance(node, Part) and (
            given.step > 1 or given.sorted or (isinstance(node, Alternate | TopK) and given != WHOLE)
        ):
            yield Found(place, "of a part")
        elif isinstance(node, Part) and node.stop is not None:
            if given.stop is not None and node.stop > (count := len(given.of(0))):
                yield Found(place, "beyond", count=count)
        elif isinstance(node, Store) and node.shape.columns == "1" and columns != WHOLE:
            yield Found(place, "first")
        elif isinstance(node, Reduce | Reduced) and columns != WHOLE and facts.epilogue.deterministic is True:
            yield Found(place, "order")
        in_ub = getattr(facts.epilogue.gemm, "handoff", None) == "ub"
        if isinstance(node, Part) and in_ub and not (facts.gemm and adds_slices(facts.gemm)):
            yield Found(place, "handoff")


@rule("EVT288", "Not what is made of the largest values of a row")
@says("{label} sorts values of float32, not of {T}", "cast them before: x.cast(float32)", when="type")
@says("{label} is read by {reader}", "read TopKResult(float32) or TopKResult(int32) of it", when="reader")
@says("{label} reads no TopK", "give it a TopK as its input", when="input")
@says(
    "{label} reduces more than a row, beside a TopK, which has tiles of whole rows",
    "reduce each row, as in ops.col_reduce(x), or do it in an epilogue of its own",
    when="rows",
)
def largest_values(facts: Facts) -> Iterator[Found]:
    """A `TopK` sorts values of float32. It has the values and their columns side by side: `TopKResult(float32)` gives
    the values, `TopKResult(int32)` the columns, and nothing else reads it. `ops.topk(x, k)` is all of that. Operands
    that are reductions are along rows beside it."""
    sorts = any(isinstance(place.node, TopK) for place in facts.sound())
    for place in facts.sound():
        if sorts and isinstance(place.node, Reduced) and not isinstance(place.node, ColReduced):
            yield Found(place, "rows")
        sources = [facts.places[index].node for _, index in place.inputs]
        if isinstance(place.node, TopK) and float32 != place.node.T:
            yield Found(place, "type", T=place.node.T)
        if isinstance(place.node, TopKResult):
            if not all(isinstance(source, TopK) for source in sources):
                yield Found(place, "input")
            continue
        for _, index in place.inputs:
            if isinstance(facts.places[index].node, TopK) and not place.node.joins:
                yield Found(facts.places[index], "reader", reader=place.label)


@rule("EVT289", "The largest values of a row need whole rows", lowered=True)
@says(
    "the largest values of a row are taken in tiles of whole rows, and this epilogue or its GEMM has other tiles",
    "take them in an epilogue of their own",
)
@says(
    "a tile of whole rows has {length} elements, and a block {columns} columns",
    "take fewer buffers, or gemm.l1 with fewer columns",
    when="short",
)
def whole_rows(facts: Facts) -> Iterator[Found]:
    """`ops.topk` sorts rows that one vector core has whole. So all reductions of the epilogue are along rows, no tensor
    is transposed, no other parts of a row are taken, K is not split, with `deterministic=True` no output is a
    reduction, and a tile has room for a row of a block."""
    plan = facts.plan
    nodes = [node_of(step) for step in plan.steps]
    if not needs_rows(plan.steps):
        return
    if cuts(nodes) or not can_be_rows(plan.epilogue, plan.gemm):
        yield Found(None)
    elif plan.compute_length < block_shape(plan.gemm)[1]:
        yield Found(None, "short", length=plan.compute_length, columns=block_shape(plan.gemm)[1])
