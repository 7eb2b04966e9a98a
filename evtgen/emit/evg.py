"""The view of the header of an epilogue in Catlass's own visitor framework, EVG."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from ..graph.types import RowMajor
from ..nodes import AccLoad, Band, Cast, Compute, Outputs, Position, Reduce
from ..operators.declaration import Operator
from ..passes.analysis.cpp_names import macros_among
from ..planner import evg
from ..planner.evg import EvgNode, EvgPlan, Kind
from ..planner.plan import Plan
from .formula import formula, product
from .framework import EXTENDED
from .functor import FunctorView
from .graph import Alias, Edge, Field, call_comment, fields_of, initializer, sequence
from .mmad import block_mmad_tla, joined, mmad_policy, tile_copy
from .places import extended_path, operator_header
from .types import node_type

_INCLUDES = (
    "catlass/arch/arch.hpp",
    "catlass/catlass.hpp",
    "catlass/epilogue/block/block_epilogue.hpp",
    "catlass/epilogue/block/block_epilogue_visitor.hpp",
    "catlass/epilogue/dispatch_policy.hpp",
    "catlass/epilogue/fusion/fusion.hpp",
    "catlass/gemm/block/block_mmad.hpp",
    "catlass/gemm/block/block_swizzle.hpp",
    "catlass/gemm/dispatch_policy.hpp",
    "catlass/gemm/gemm_type.hpp",
    "catlass/layout/layout.hpp",
    "tla/layout.hpp",
)

_KERNELS = {
    False: ("basic_matmul_tla_visitor.hpp", "BasicMatmulTlaVisitor"),
    True: ("basic_matmul_tla_ub_visitor.hpp", "BasicMatmulTlaUbVisitor"),
}
"""Header and name of the kernel, by whether the accumulator stays in UB."""

_OPERANDS = ("ElementA", "LayoutTagA"), ("ElementB", "LayoutTagB"), ("ElementC", "LayoutTagC")

_COLUMNS = 112


@dataclass(frozen=True)
class EvgHeaderView:
    """The view of ``evg/epilogue.hpp.j2``; what is not described here is as in :class:`~evtgen.emit.header.HeaderView`.

    Attributes:
        remarks: what a reader should know, each as lines.
        tile: the comment on the length of a tile.
        edges: the inputs of each node where the graph is a topological visitor; empty where it is a tree.
        evg: the type of the graph.
        in_ub: the argument of the dispatch policy.
        tile_copy: the copies of the block's matrix product.
    """

    name: str
    guard: str
    includes: tuple[str, ...]
    product: str
    formula: tuple[str, ...]
    remarks: tuple[tuple[str, ...], ...]
    arch: str
    elements: tuple[Alias, ...]
    layouts: tuple[Alias, ...]
    tile: str
    compute_length: int
    operators: tuple[FunctorView, ...]
    nodes: tuple[Alias, ...]
    edges: tuple[Edge, ...]
    evg: str
    in_ub: str
    tile_copy: str
    block_mmad: str
    swizzle: str
    kernel: str
    fields: tuple[Field, ...]
    arguments: str
    hidden: tuple[str, ...]
    hidden_name: tuple[str, ...]


def evg_header_view(plan: Plan, guard: str, local: list[Operator]) -> EvgHeaderView:
    """The view of a plan in which :func:`evtgen.check.evg.refusals` finds nothing; ``local`` are the operators that
    the header declares."""
    made = evg.of(plan)
    gemm, (a, b) = plan.gemm, plan.operands
    layouts = {"LayoutTagA": gemm.layout_a, "LayoutTagB": gemm.layout_b, "LayoutTagC": RowMajor}
    elements = {"ElementA": a, "ElementB": b, "ElementC": plan.element_c}
    kernel_header, kernel = _KERNELS[made.in_ub]
    includes = [*_INCLUDES, f"catlass/gemm/kernel/{kernel_header}"]
    includes += map(extended_path, extended_headers(made))
    fields = {field.name: field for _, node in plan.nodes() for field in fields_of(node, plan)}
    return EvgHeaderView(
        name=plan.name,
        guard=guard,
        includes=tuple(sorted(includes)),
        product=product(plan),
        formula=tuple(formula(plan)),
        remarks=tuple(tuple(textwrap.wrap(text, _COLUMNS)) for text in _remarks(made)),
        arch=plan.arch.name,
        elements=tuple(Alias(name, element.cpp) for name, element in elements.items()),
        layouts=tuple(Alias(name, layout.cpp) for name, layout in layouts.items()),
        tile=f"Elements of a tile. With two buffers the nodes take {made.ub_used} of the {made.ub_limit} bytes of UB "
        + ("behind the accumulator." if made.in_ub else "that there are."),
        compute_length=made.compute_length,
        operators=tuple(FunctorView(operator, EXTENDED.prefix) for operator in local),
        nodes=tuple(Alias(node.alias, _cpp(node, made.in_ub)) for node in made.nodes),
        edges=() if made.is_tree else _edges(made),
        evg=_tree(made, len(made.nodes) - 1) if made.is_tree else _topological(made),
        in_ub="true" if made.in_ub else "false",
        tile_copy=tile_copy("ArchTag", _OPERANDS, made.in_ub),
        block_mmad=block_mmad_tla(plan, mmad_policy(plan).replace(f"Arch::{plan.arch.name}", "ArchTag"), _OPERANDS),
        swizzle=joined(gemm.swizzle),
        kernel=kernel,
        fields=tuple(fields.values()),
        arguments=_arguments(made),
        hidden=macros_among(plan.suffixes),
        hidden_name=macros_among([plan.name]),
    )


def extended_headers(made: EvgPlan) -> list[str]:
    """The headers beside Catlass's own that the header of an epilogue includes."""
    return sorted({name for node in made.nodes for name in _headers_of(node)})


def _headers_of(node: EvgNode) -> Iterator[str]:
    own = node.node
    if node.kind is Kind.COPY:
        yield "copy.hpp"
    elif isinstance(own, Compute):
        if node.kind is Kind.EXTENDED:
            yield "visitor_compute.hpp"
        if node.kind is Kind.EXTENDED or own.local is not None or own.op not in evg.FUNCTORS:
            yield operator_header(own)
    else:
        if node.kind is Kind.DEFAULT:
            yield "visitor_or_default.hpp"
        if not evg.is_catlass(own) or (isinstance(own, AccLoad) and node.kind is Kind.EXTENDED):
            yield own.header


def _remarks(made: EvgPlan) -> list[str]:
    remarks = []
    if made.copies:
        names = " and ".join(node.alias for node in made.copies)
        stands = "stand" if len(made.copies) > 1 else "stands"
        why = (
            "the next LOAD into the buffer waits for V, not for the store of the tile that lies there"
            if not made.in_ub
            else "neither the next LOAD nor the cube core's next block waits for a store of what they have written"
        )
        remarks.append(f"{names} {stands} between a load and a store: {why}.")
    if any(isinstance(node.node, AccLoad) and node.kind is Kind.EXTENDED for node in made.nodes):
        remarks.append(
            "The accumulator stays in UB. Operators work on COMPUTE_LENGTH elements from the beginning of a tile on, "
            "which is beyond what is kept for it in the last tile of a block: AccLoad copies that one."
        )
    elif made.in_ub:
        remarks.append(
            "The accumulator stays in UB. Operators work on COMPUTE_LENGTH elements from the beginning of a tile on, "
            "which is short enough not to go beyond what is kept for it."
        )
    return remarks


def _cpp(node: EvgNode, in_ub: bool) -> str:
    """The type of a node."""
    own, T, extended = node.node, node.node.element.cpp, EXTENDED.prefix
    if node.kind is Kind.COPY:
        cpp = f"Fusion::VisitorCompute<{extended}Copy, {T}>"
    elif isinstance(own, Compute):
        cpp = _compute(own, node.kind)
    elif isinstance(own, AccLoad) and node.kind is Kind.EXTENDED:
        cpp = f"{extended}VisitorAccLoad<{T}>"
    elif isinstance(own, AccLoad):
        cpp = f"Fusion::VisitorAccLoad<{T}{', true' if in_ub else ''}>"
    elif isinstance(own, Band | Cast | Outputs | Position):
        cpp = node_type(own, "Fusion::" if isinstance(own, Cast) else extended)
    elif isinstance(own, Reduce):
        cpp = f"{extended}Visitor{type(own).__name__}<{extended}{own.op}, {T}, Layout>"
    else:
        prefix = "Fusion::" if evg.is_catlass(own) else extended
        cpp = f"{prefix}Visitor{type(own).__name__}<{T}, Layout>"
    return f"{extended}VisitorOrDefault<{cpp}>" if node.kind is Kind.DEFAULT else cpp


def _compute(node: Compute, kind: Kind) -> str:
    whole = node_type(node, EXTENDED.prefix)
    functor, *types = whole.removeprefix(f"{EXTENDED.prefix}VisitorCompute<").removesuffix(">").split(", ")
    if kind is Kind.EXTENDED:
        element, *scalars = types
        return f"{EXTENDED.prefix}VisitorCompute<{', '.join([functor, element, 'COMPUTE_LENGTH', *scalars])}>"
    if isinstance(node.op, str) and node.op in evg.FUNCTORS:
        functor = f"Fusion::{evg.FUNCTORS[node.op]}"
    return f"Fusion::VisitorCompute<{', '.join([functor, *types])}>"


def _tree(made: EvgPlan, index: int) -> str:
    node = made.nodes[index]
    if not node.inputs:
        return node.alias
    return f"Fusion::TreeVisitor<{', '.join([node.alias, *(_tree(made, i) for i in node.inputs)])}>"


def _topological(made: EvgPlan) -> str:
    return f"Fusion::TopologicalVisitor<{', '.join(['Edges', *(node.alias for node in made.nodes)])}>"


def _edges(made: EvgPlan) -> tuple[Edge, ...]:
    names = [node.alias for node in made.nodes]
    return tuple(
        Edge(sequence(node.inputs), f"{i}: {call_comment(node.alias, [names[j] for j in node.inputs])}", i == last)
        for last in [len(names) - 1]
        for i, node in enumerate(made.nodes)
    )


def _arguments(made: EvgPlan) -> str:
    """``EVG::Arguments`` in braces over the fields of the arguments struct: of a tree, children first."""

    def leaf(index: int) -> str:
        node = made.nodes[index]
        return "{}" if node.kind is Kind.COPY else _initializer(node, made.plan)

    def tree(index: int) -> str:
        node = made.nodes[index]
        if not node.inputs:
            return leaf(index)
        return f"{{{', '.join([*map(tree, node.inputs), leaf(index)])}}}"

    if made.is_tree:
        return tree(len(made.nodes) - 1)
    return f"{{{', '.join(map(leaf, range(len(made.nodes))))}}}"


def _initializer(node: EvgNode, plan: Plan) -> str:
    """The braces of a node's arguments: its own fields, the layouts as those of TLA."""
    own = node.node
    if own.tensor is None:
        return f"{node.alias}::Arguments{initializer(own, plan)}"
    pointer, layout, *more = (field.name for field in fields_of(own, plan))
    tensor = f"{pointer}, tla::MakeLayoutFromTag({layout})"
    if node.kind is Kind.DEFAULT:
        return f"{node.alias}::Arguments{{{{{tensor}}}, {more[0]}}}"
    return f"{node.alias}::Arguments{{{', '.join([tensor, *more])}}}"
