"""Rules of layouts, options and resources: the limits of the architecture and of the templates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.shapes import TensorShape
from ..graph.types import LAYOUTS, ColumnMajor, Layout, RowMajor
from ..nodes import BLOCKS, AuxScatter, Compute, RankScatter, Rotate, node_of
from ..passes.analysis.argument_order import arguments_nest
from ..passes.analysis.columns import needed
from ..passes.analysis.fields import describe, is_int, short
from ..passes.analysis.gemm import block_shape
from ..passes.analysis.size import MAX_EMITTED, MAX_OPERANDS
from ..planner.cut import cuts, grain
from ..planner.parts import granule
from ..planner.plan import Plan
from ..planner.tile import fitting_length
from ..system.translation import tr
from ..targets import ARCHITECTURES
from .facts import Facts, Found, Place
from .registry import rule, says


@rule("EVT038", "There is no such architecture")
@says('there is no architecture "{given}"')
def unknown_architecture(facts: Facts) -> Iterator[Found]:
    """`arch` names one of the architectures that evtgen knows. Atlas A2 and A3 have one vector core and are both
    `AtlasA2`."""
    arch = facts.epilogue.arch
    if isinstance(arch, str) and arch not in ARCHITECTURES:
        yield Found(None, help=suggest(arch, ARCHITECTURES, aliases.ARCHITECTURES), given=arch)


@rule("EVT050", "There is no such layout")
@says('{label}: there is no layout "{layout}"')
def unknown_layout(facts: Facts) -> Iterator[Found]:
    """Layouts are `RowMajor`, `ColumnMajor`, `zN` and `nZ`, by their Catlass names."""
    for place in facts.sound():
        tensor = place.node.tensor
        if tensor is not None and tensor.layout not in LAYOUTS.values():
            help = suggest(tensor.layout.name, LAYOUTS, aliases.LAYOUTS)
            yield Found(place, help=help, layout=tensor.layout)


@rule("EVT051", "The layout of a vector is not row-major")
@says(
    "{label}: {noun} must have a RowMajor layout of shape ({rows}, {columns}), but this is {layout}", "write RowMajor"
)
def vector_layout(facts: Facts) -> Iterator[Found]:
    """A vector is a `RowMajor` matrix: of one row, layout (1, N), for a row vector or the result of a row reduction; of
    one column, layout (M, 1), for a column vector or the result of a column reduction; (1, 1) for a single value. The
    values of a column lie packed: `CanImplement` refuses a column of a wider matrix."""
    for shape in (TensorShape.ROW, TensorShape.COLUMN, TensorShape.SINGLE):
        for place, layout in _unsupported(facts, shape):
            yield Found(place, noun=shape.noun, rows=shape.rows, columns=shape.columns, layout=layout)


@rule("EVT052", "The layout of a tensor is not supported")
@says(
    "{label}: only RowMajor and ColumnMajor tensors can be loaded and stored, but this is {layout}",
    "write RowMajor: Catlass has no tile copy between UB and global memory for a fractal layout",
)
@says(
    "{label}: only RowMajor tensors can be gathered and scattered, but this is {layout}", "write RowMajor", when="rows"
)
def tensor_layout(facts: Facts) -> Iterator[Found]:
    """The tensors of loads and stores are `RowMajor` or `ColumnMajor`; a leading dimension larger than the row, or the
    column, is fine. Tiles of a `ColumnMajor` tensor are transposed on the way. Only operands of the GEMM may have a
    fractal layout (`zN`, `nZ`): no release of Catlass copies a fractal tile between UB and global memory. For
    Ascend950, releases from v1.5 on copy one from UB to L1."""
    for place, layout in _unsupported(facts, TensorShape.MATRIX):
        yield Found(place, "rows" if place.node.indices else "", layout=layout)


def _unsupported(facts: Facts, shape: TensorShape) -> Iterator[tuple[Place, Layout]]:
    """The tensors of a shape whose layout exists, but not for them."""
    for place in facts.sound():
        tensor = place.node.tensor
        by_line = shape is TensorShape.MATRIX and not place.node.indices
        taken = (RowMajor, ColumnMajor) if by_line else (RowMajor,)
        if tensor is not None and tensor.shape == shape and tensor.layout in set(LAYOUTS.values()).difference(taken):
            yield place, tensor.layout


@rule("EVT277", "Tiles do not end where blocks of columns do")
@says("{label}: a block has {known} columns, not {block}", when="block")
@says(
    "{label}: a tile has whole blocks of {block} columns, but the tiles of the GEMM have {n}",
    "write gemm=Gemm(l1=(m, n, k)) with a multiple of {block} as n",
    when="tile",
)
def blocks_of_columns(facts: Facts) -> Iterator[Found]:
    """What works on blocks of columns, as `ops.col_reduce(x, "max", block=128)` does, needs tiles that end where the
    blocks end. So a block has 32, 64 or 128 columns, and the n of `gemm.l1` is a multiple of it."""
    for place in facts.sound():
        block = place.node.ends
        if block == 1:
            continue
        if block not in BLOCKS:
            yield Found(place, "block", block=block, known=", ".join(map(str, BLOCKS)))
        elif facts.gemm is not None and facts.gemm.l1 is not None and facts.gemm.l1[1] % block:
            yield Found(place, "tile", block=block, n=facts.gemm.l1[1])


@rule("EVT279", "Blocks of columns meet parts of a row", lowered=True)
@says(
    "{node} works on blocks of {block} columns, but a part of the rows begins or ends at column {cut}",
    "let it begin and end at a multiple of {block}",
)
@says(
    "{node} works on whole heads of {block} columns, but its part of the rows has {count}",
    "take a part of whole heads",
    when="heads",
)
@says(
    "{node} works on blocks of {block} columns, but it meets every second column of a row",
    "store these, and take blocks in an epilogue that loads them",
    when="halves",
)
def blocks_of_parts(facts: Facts) -> Iterator[Found]:
    """No tile has columns on both sides of the end of a part `x[:, 0:512]`, and none has a part of a block but the
    last. So a part whose blocks or heads are taken begins at a multiple of them, a part within it begins and ends at
    such, and a part that `ops.rope` turns has whole heads. This is looked at when nothing else is wrong."""
    for plan in facts.plan.graphs:
        nodes = [node_of(step) for step in plan.steps]
        for node, columns in zip(nodes, needed(plan.steps), strict=True):
            if node.ends == 1:
                continue
            inner = [edge for edge in cuts(nodes) if columns.start <= edge < (columns.stop or edge + 1)]
            wrong = [edge for edge in inner if edge % node.ends]
            if columns.step > 1:
                yield Found(None, "halves", node=describe(node), block=node.ends)
            elif wrong:
                yield Found(None, node=describe(node), block=node.ends, cut=wrong[0])
            elif isinstance(node, Rotate) and columns.stop is not None and len(columns.of(0)) % node.ends:
                yield Found(None, "heads", node=describe(node), block=node.ends, count=len(columns.of(0)))


@rule("EVT197", "Rows cannot be named here")
@says("{label}: the ranks of a batch cannot be named by {name}", 'write gemm=Gemm(group="m"), or take batch=True out')
@says(
    "{label}: in a batch, rows that {name} names are added up in no fixed order",
    'leave deterministic=True out, or write gemm=Gemm(group="m")',
    when="order",
)
@says(
    "{label}: where K lies in groups, rows cannot be named by {name}",
    'write gemm=Gemm(group="m"), or no group',
    when="groups of K",
)
def named_rows(facts: Facts) -> Iterator[Found]:
    """A gather reads, and a scatter writes, the rows of one tensor that the M numbers of another tensor name. With
    `group="m"` a launch has one such tensor, which all matmuls share, and the numbers count its rows. In a batch each
    matmul has numbers and a tensor of its own, or shares them; ranks have one tensor each, so a batch has none, and
    rows that it adds up have no fixed order. With `group="k"` rows cannot be named."""
    gemm = facts.epilogue.gemm
    for place in facts.sound():
        if not place.node.indices:
            continue
        batch, node = getattr(gemm, "batch", False) is True, place.node
        if batch and isinstance(node, RankScatter):
            yield Found(place, name=node.indices[1].name)
        elif batch and isinstance(node, AuxScatter) and node.add and facts.epilogue.deterministic is True:
            yield Found(place, "order", name=node.indices[0].name)
        elif getattr(gemm, "group", None) == "k":
            yield Found(place, "groups of K", name=place.node.indices[0].name)


@rule("EVT053", "The compute length is wrong")
@says('compute_length must be a number or "auto", not "{given}"', 'write "auto"', when="text")
@says(
    "compute_length must be a positive multiple of {step}, not {given}",
    "write {below}, or leave it out for the largest that fits",
    when="step",
)
def compute_length(facts: Facts) -> Iterator[Found]:
    """`compute_length` is the most elements that a tile has. It is a positive multiple of 32, so that tiles of every
    element type end on a data block of 32 bytes, or `"auto"` for the largest that fits. Comparisons take whole repeats
    of 256 bytes: with a comparison in the graph it is a multiple of 128 (half) or 64 (float32)."""
    length = facts.epilogue.compute_length
    step = granule(place.node for place in facts.sound())
    if isinstance(length, str) and length != "auto":
        yield Found(None, "text", given=length)
    elif is_int(length) and (length <= 0 or length % step):
        yield Found(None, "step", step=step, given=length, below=max(length // step * step, step))


@rule("EVT250", "C++ compilers do not take so many nodes", lowered=True)
@says(
    "{epilogue} has {count} nodes in phase {phase}, and {limit} at most compile",
    "share values that are computed twice, or write two epilogues: one stores what the other loads",
    when="nodes",
)
@says(
    "{epilogue} has an operator with {count} inputs, and {limit} at most compile",
    "combine the inputs in groups: Plus of some, and Plus of the sums",
    when="inputs",
)
def compilable(facts: Facts) -> Iterator[Found]:
    """A graph that is emitted has at most 512 nodes, inserted casts included, and an operator at most 200 inputs; in an
    epilogue with phases, each phase may have as many. g++ and clang++ compile such a header. This is looked at when
    nothing else is wrong."""
    for number, phase in enumerate(facts.plan.phases, 1):
        count = len(phase.steps)
        if count > MAX_EMITTED:
            yield Found(None, "nodes", count=count, phase=number, limit=MAX_EMITTED)
        operands = max((len(step.inputs) for step in phase.steps if isinstance(step.node, Compute)), default=0)
        if operands > MAX_OPERANDS:
            yield Found(None, "inputs", count=operands, limit=MAX_OPERANDS)


@rule("EVT054", "The epilogue does not fit UB", lowered=True)
@says(
    "the accumulator's blocks do not fit UB: {count} take {used} bytes, {arch} has {size}",
    'write a smaller workspace_stages, a smaller gemm.l1, or handoff="gm"',
    when="blocks",
)
@says(
    'with handoff="ub" tiles of a transposed tensor have whole rows of a block, {shortest} elements at least',
    'leave compute_length and buffers out, write a smaller gemm.l1, or handoff="gm"',
    when="transposed",
)
@says(
    "{epilogue} does not fit UB: even {least} elements, the minimum, take {used} bytes, {arch} has {size}",
    when="nothing",
)
@says(
    "compute_length={length} does not fit UB: it takes {used} bytes with buffers={buffers}, {arch} has {size}",
    when="length",
)
def ub_budget(facts: Facts) -> Iterator[Found]:
    """What the nodes of a tile need at the same time, `buffers` times over, must fit into the part of the vector core's
    UB that the architecture leaves to a kernel, less the blocks of the accumulator if `Gemm.handoff` is `"ub"`. Nodes
    share UB where one has no more use for it when the other begins. The help lists the bytes that each node works with.
    This is looked at when nothing else is wrong."""
    for phase in facts.plan.phases:
        yield from _budget(phase)


def _budget(plan: Plan) -> Iterator[Found]:
    """What does not fit in one phase."""
    nodes = [node_of(step) for step in plan.steps]
    length, buffers, used, size = plan.compute_length, plan.buffers, plan.ub_used, plan.arch.ub_usable
    shortest = grain(nodes).shortest(block_shape(plan.gemm)[1])
    if length >= max(shortest, 1) and used <= plan.ub_limit:
        return
    if plan.ub_limit < 0:
        yield Found(None, "blocks", count=plan.gemm.workspace_stages, used=plan.ub_workspace, size=size)
        return
    if length < shortest:
        yield Found(None, "transposed", shortest=shortest)
        return
    fits = fitting_length(plan.ub.plan, nodes, plan.ub_limit, buffers)
    advice = [tr("compute_length={fits} fits", fits=fits)] if fits else []
    advice += [tr("fewer buffers or fewer nodes take less")] if buffers > 1 else [tr("fewer nodes take less")]
    if plan.ub_workspace:
        advice.append(tr('handoff="gm" leaves all of UB to the tiles'))
    rows = [(describe(node), plan.ub.share(index)) for index, node in enumerate(nodes) if plan.ub.share(index) > 0]
    rows.sort(key=lambda row: -row[1])
    hidden = [share for _, share in rows[40:]]
    rows[40:] = [(tr("{count} more nodes", count=len(hidden)), sum(hidden))] if hidden else []
    if plan.ub_workspace:
        rows.append((tr("blocks of the accumulator"), plan.ub_workspace))
    help = "\n".join(
        ["; ".join(advice), *(tr("{share:>10} bytes  {node}", share=share, node=node) for node, share in rows)]
    )
    fields = {"used": used, "size": size, "least": granule(nodes), "length": length, "buffers": buffers}
    yield Found(None, "length" if length else "nothing", help, **fields)


@rule("EVT055", "The number of buffers is wrong")
@says('buffers must be a number or "auto", not "{given}"', 'write "auto"', when="text")
@says("buffers must be 1 to {limit} on {arch}, not {given}", when="number")
def buffers(facts: Facts) -> Iterator[Found]:
    """Each buffer has an event id of its own, so the architecture limits their number to the ids that it leaves to user
    code: 1 to 6. `"auto"` takes as many as make the epilogue fastest."""
    count = facts.epilogue.buffers
    if isinstance(count, str) and count != "auto":
        yield Found(None, "text", given=count)
    elif is_int(count) and not 1 <= count <= facts.arch.event_ids:
        yield Found(None, "number", limit=facts.arch.event_ids, given=count)


@rule("EVT057", "The arguments are in another order")
@says("arguments= does not have the order that the template has", "required: {required}\nwritten:  {given}")
def arguments_order(facts: Facts) -> Iterator[Found]:
    """`arguments=` is the nest of `EVT::Arguments` as you expect it: for a node, the name of its tensor or scalar, a
    tuple if it has several, `()` if it has none. A tree lists its children in order and then its op; a topological
    visitor lists its ops in order. With `auto_cast=True` the inserted casts count as
    well, and so does the operator in a reduction such as `"amax"`."""
    given = facts.epilogue.arguments
    if given is None or facts.malformed:
        return
    required = arguments_nest(facts.final.root)
    if not _same(given, required):
        yield Found(required=nest_text(required), given=nest_text(given))


def _same(given: Any, required: Any) -> bool:
    """Whether a nest, of lists or tuples, is the required one. It goes no deeper than that: the user's may have no
    end."""
    if not isinstance(required, tuple):
        return isinstance(given, str) and given == required
    if not isinstance(given, (list, tuple)) or len(given) != len(required):
        return False
    return all(_same(part, wanted) for part, wanted in zip(given, required, strict=True))


def nest_text(nest: Any) -> str:
    """A nest as one line: names without quotes, and cut off where it is very long."""
    text, stack = "", [nest]
    while stack and len(text) < _NEST_TEXT:
        part = stack.pop()
        if isinstance(part, _Text):
            text += part
        elif isinstance(part, (list, tuple)):
            # One item too many for a line is enough to cut it off.
            items = [thing for item in part[:_NEST_TEXT] for thing in (_Text(", "), item)][1:]
            stack += reversed([_Text("("), *items, _Text(",)" if len(part) == 1 else ")")])
        else:
            text += part[:_NEST_TEXT] if isinstance(part, str) else short(part)
    return text if len(text) < _NEST_TEXT else f"{text[:_NEST_TEXT]}…"


_NEST_TEXT = 4000
"""Characters of a nest that are shown; an epilogue of 120 nested levels of ``()`` needs less."""


class _Text(str):
    """Punctuation of a nest, not a name in it."""
