"""The view of the header of an epilogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..graph.types import RowMajor
from ..kernels import Constant, Lists
from ..nodes import Compute
from ..operators.declaration import Operator
from ..passes.analysis.cpp_names import macros_among
from ..passes.analysis.gemm import MX, WORKSPACE_STAGES, dequantises, in_digits
from ..planner.plan import Plan
from ..planner.scales import scales
from ..planner.tile import Part, UbMap
from ..planner.widening import block_of, loaded_as
from ..system.words import counted
from .formula import formula, product
from .framework import Framework
from .functor import FunctorView
from .graph import Alias, Field, GraphTypes, argument_fields, arguments_value, graph_types, phase_name
from .mmad import Named, block_mmad, block_mmad_tla, joined, mmad_policy, tile_copy
from .places import operator_header
from .types import node_type, wrappers

_INCLUDES = (
    "catlass/arch/arch.hpp",
    "catlass/catlass.hpp",
    "catlass/gemm/block/block_mmad.hpp",
    "catlass/gemm/block/block_swizzle.hpp",
    "catlass/gemm/dispatch_policy.hpp",
    "catlass/gemm/gemm_type.hpp",
    "catlass/layout/layout.hpp",
)

_SECOND_B = {
    None: "",
    "halves": "Launched with ptrB2 = ptrB: B has 2 * N columns",
    "separate": "Launched with the second B as ptrB2",
}


@dataclass(frozen=True)
class VisitView:
    """A line of the plan of a tile.

    Attributes:
        cpp: the visit as a value of C++.
        name: the node's.
        last: whether it is the last one.
    """

    cpp: str
    name: str
    last: bool

    @property
    def separator(self) -> str:
        return "" if self.last else ","


@dataclass(frozen=True)
class PhaseView:
    """A graph and the block epilogue that visits it.

    Attributes:
        name: the namespace of a phase of several; empty for the only one.
        formula: of a phase of several, line by line.
        nodes: a line for each node.
        graph: how the nodes are composed.
        visits: the plan of a tile; empty for a graph of one node.
        ub_bytes: bytes of UB of a buffer.
        compute_length: elements of a tile.
        buffers: how many tiles are in flight.
        ub_used, ub_limit: bytes of UB, of the epilogue's buffers and of the architecture.
        stages, ub_workspace: blocks of the accumulator in UB, and their bytes; 0 bytes where it is not there.
        dispatch_policy: dispatch policy of the block epilogue, qualified.
    """

    name: str
    formula: tuple[str, ...]
    nodes: tuple[Alias, ...]
    graph: GraphTypes
    visits: tuple[VisitView, ...]
    ub_bytes: int
    compute_length: int
    buffers: int
    ub_used: int
    ub_limit: int
    stages: int
    ub_workspace: int
    dispatch_policy: str

    @property
    def of_buffers(self) -> str:
        """How many buffers there are, in words."""
        return counted(self.buffers, "buffer")


@dataclass(frozen=True)
class HeaderView:
    """The view of ``epilogue.hpp.j2``.

    Attributes:
        name: name of the epilogue.
        guard: the macro of the include guard.
        includes: the headers of Catlass and of the framework, sorted.
        product: the definition of the accumulator, as text.
        formula: the formula of the epilogue, line by line.
        fusion: the framework's namespace, under the name that the header gives it.
        elements, layouts: element types and layouts of A, B and C; of the products of a kernel that adds them up, too.
        operators: functors that the framework does not have: those of the user's own operators, and of ``fast_math``.
        phases: the graph, or one for each phase.
        ub_workspace: bytes of UB that hold blocks of the accumulator.
        widening: the graph that widens B first; None where it is multiplied as it is stored.
        by_rows: whether the elements of a row of B are neighbours.
        scaled: whether operands have scales, or the columns of their product.
        dequantises: whether these have.
        adding: the graph that adds up slices of K with their scales; None where there is none.
        slices: the elements of K of a slice, and the columns of B that share a scale, as arguments.
        epilogue: what the kernel takes as its block epilogue.
        kernel: the kernel's template, likewise.
        workspace_stages: its argument for the blocks in the workspace; None where that is the template's default.
        constant: the argument that it has in their place.
        lists: the argument behind it, qualified.
        tile_copy: the copies of the block's matrix product, where they are a type of their own; else empty.
        block_mmad: the block's matrix product.
        meets: whether all vector cores wait for each other.
        second_b: what a launch says of the B of a second accumulator, as a sentence; empty where there is one.
        swizzle: arguments of the block scheduler's template.
        fields: fields of the arguments struct.
        arguments: ``EVT::Arguments`` in braces over those fields.
        hidden: names of fields that may be macros, which must not be seen there.
        hidden_name: the name of the epilogue, if it may be one.
    """

    name: str
    guard: str
    includes: tuple[str, ...]
    product: str
    formula: tuple[str, ...]
    fusion: Alias
    elements: tuple[Alias, ...]
    layouts: tuple[Alias, ...]
    operators: tuple[FunctorView, ...]
    phases: tuple[PhaseView, ...]
    ub_workspace: int
    widening: PhaseView | None
    by_rows: bool
    scaled: bool
    dequantises: bool
    adding: PhaseView | None
    slices: str
    epilogue: str
    kernel: str
    workspace_stages: int | None
    constant: Constant | None
    lists: Lists | None
    tile_copy: str
    block_mmad: str
    meets: bool
    second_b: str
    swizzle: str
    fields: tuple[Field, ...]
    arguments: str
    hidden: tuple[str, ...]
    hidden_name: tuple[str, ...]


def header_view(plan: Plan, fw: Framework) -> HeaderView:
    """The view of a plan, with the framework at ``fw``."""
    gemm, (a, b) = plan.gemm, plan.operands
    elements = {"ElementA": a, "ElementB": loaded_as(gemm, plan.arch), "ElementC": plan.element_c}
    if plan.sliced:
        elements["ElementAccumulator"] = plan.arch.mmad[a, b]
    layouts = {"LayoutA": gemm.layout_a, "LayoutB": gemm.layout_b, "LayoutC": RowMajor}
    phases = tuple(_phase(part, fw, plan) for part in plan.graphs)
    widening, adding = (None if part is None else _phase(part, fw, plan) for part in (plan.widening, plan.adding))
    scaled = any(scales(gemm))
    includes = [*_INCLUDES, fw.block_header, fw.kernel_header(plan.kernel.header)]
    includes += (f"{fw.directory}/{name}" for name in _fusion_headers(plan, widening or adding, phases))
    kinds = [kind for kind in (_mmad_kind(plan), "fed" if plan.feeds else None) if kind is not None]
    includes += [*map(fw.mmad_header, kinds), *(["tla/layout.hpp"] if plan.arch.tla else [])]
    named = _multiplied(plan)
    return HeaderView(
        name=plan.name,
        guard=guard(plan.name),
        includes=tuple(sorted(set(includes))),
        product=product(plan),
        formula=tuple(formula(plan)),
        fusion=Alias(fw.alias, fw.namespace),
        elements=tuple(Alias(name, element.cpp) for name, element in elements.items()),
        layouts=tuple(Alias(name, layout.cpp) for name, layout in layouts.items()),
        operators=tuple(FunctorView(operator, fw.prefix) for operator in local_operators(plan)),
        phases=phases,
        ub_workspace=plan.ub_workspace,
        widening=widening,
        by_rows=gemm.layout_b.by_rows,
        scaled=scaled,
        dequantises=dequantises(gemm),
        adding=adding,
        slices=joined(block_of(gemm) or ()),
        epilogue="WidenedEpilogue" if widening else "ScaledEpilogue" if scaled else "BlockEpilogue",
        kernel=f"{fw.kernel_prefix}{plan.kernel.name}",
        workspace_stages=_workspace_stages(plan),
        constant=plan.kernel.constant(gemm),
        lists=_lists(plan, fw),
        tile_copy=_tile_copy(plan, fw, named) if plan.arch.tla else "",
        block_mmad=_block_mmad(plan, fw, named),
        meets=plan.meets,
        second_b=_SECOND_B[gemm.accumulators],
        swizzle=joined(gemm.swizzle),
        fields=argument_fields(plan),
        arguments=arguments_value(plan),
        hidden=macros_among(plan.suffixes),
        hidden_name=macros_among([plan.name]),
    )


def _fusion_headers(plan: Plan, beside: PhaseView | None, phases: tuple[PhaseView, ...]) -> Iterator[str]:
    """The headers of the framework that declare what the header names."""
    graphs = list(zip(plan.graphs, phases, strict=True))
    yield from {node.header for node in scales(plan.gemm)}
    if (part := plan.widening or plan.adding) is not None and beside is not None:
        graphs.append((part, beside))
    if plan.widening is not None:
        yield "widened.hpp"
    for part, view in graphs:
        for _, node in part.nodes():
            yield node.header
            yield from (f"visitor_{name}.hpp" for name, *_ in wrappers(node, fusion=""))
            if isinstance(node, Compute):
                yield operator_header(node)
        graph = " ".join([view.graph.evt, *(subtree.cpp for subtree in view.graph.subtrees)])
        yield from (
            f"{name}_visitor.hpp" for name in ("tree", "topological") if f"{name.capitalize()}Visitor<" in graph
        )
    if len(phases) > 1:
        yield "phases.hpp"


def _phase(part: Plan, fw: Framework, whole: Plan) -> PhaseView:
    """The view of a phase."""
    return PhaseView(
        name=phase_name(whole, part),
        formula=tuple(formula(part)) if whole.parts and part is not whole.rows else (),
        nodes=tuple(Alias(alias, node_type(node, fw.prefix)) for alias, node in part.nodes()),
        graph=graph_types(part, fw.prefix),
        visits=tuple(visit_views(part.ub, part.aliases)),
        ub_bytes=part.ub.offsets[-1],
        compute_length=part.compute_length,
        buffers=part.buffers,
        ub_used=part.ub_used,
        ub_limit=part.ub_limit,
        stages=part.gemm.workspace_stages or 0,
        ub_workspace=part.ub_workspace,
        dispatch_policy=_dispatch_policy(part, fw),
    )


def visit_views(ub: UbMap, names: Sequence[str]) -> Iterator[VisitView]:
    """The plan of a tile, of nodes with these names."""
    begins = {(place.node, place.part): place.first for place in ub.places() if place.buffer == 0}
    for place, node in enumerate(ub.plan.order):
        waits = "true" if node in ub.plan.barriers else "false"
        parts = _parts([begins.get((node, part), 0) for part in Part], tuple(ub.needs[node]))
        yield VisitView(f"{{{node}, {waits}, {parts}}}", names[node], place == len(ub.plan.order) - 1)


def _parts(begins: Sequence[int], sizes: Sequence[int]) -> str:
    """Where the parts of a node begin and how long they are, up to the last that it has."""
    count = max((number for number, size in enumerate(sizes, 1) if size), default=0)
    return ", ".join(f"{{{joined(values[:count])}}}" for values in (begins, sizes))


def guard(name: str) -> str:
    """The include guard of an epilogue's header, in capitals.

    No header of Catlass has a guard with this prefix. A number in the guard encodes which letters of the name are
    capitals, so that names that differ only in case have different guards.
    """
    capitals = sum(1 << place for place, character in enumerate(name) if character.isupper())
    return f"EVTGEN{f'{capitals:X}' if capitals else ''}_{name.upper()}_HPP"


def local_operators(plan: Plan) -> list[Operator]:
    """The operators that the header declares, each once, in order."""
    nodes = (node for _, node in plan.nodes() if isinstance(node, Compute))
    return list(dict.fromkeys(node.local for node in nodes if node.local is not None))


def _workspace_stages(plan: Plan) -> int | None:
    stages = plan.gemm.workspace_stages
    is_default = stages == WORKSPACE_STAGES and not plan.ub_workspace
    return None if is_default and plan.kernel.lists(plan.gemm) is None else stages


def _lists(plan: Plan, fw: Framework) -> Lists | None:
    lists = plan.kernel.lists(plan.gemm)
    return lists and replace(lists, cpp=fw.kernel_prefix + lists.cpp.format(prefix=fw.kernel_prefix))


def _multiplied(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Names of element type and layout of A, B and C as the block matmul has them."""
    a = "ElementB" if in_digits(plan.gemm) else "ElementA"
    b = "ElementB" if plan.widening is None else "ElementA"
    c = "ElementAccumulator" if plan.sliced else "ElementC"
    return (a, "LayoutA"), (b, "LayoutB"), (c, "LayoutC")


def _mmad_kind(plan: Plan) -> str | None:
    """Which of our block matmuls a plan has in front of Catlass's; None for Catlass's alone. The policies of an
    architecture without TLA have no HF32 mode."""
    if plan.gemm.scale == MX or dequantises(plan.gemm):
        return "mx" if plan.gemm.scale == MX else "dequant"
    return "by_tag" if plan.arch.tla else "hf32" if plan.gemm.hf32 else None


def _block_mmad(plan: Plan, fw: Framework, named: Named) -> str:
    """The block's matrix product."""
    mmad = block_mmad_tla(plan, mmad_policy(plan), named) if plan.arch.tla else block_mmad(plan, named)
    kind = _mmad_kind(plan)
    return mmad if kind is None else f"{fw.mmad_prefix}BlockMmad{kind.title().replace('_', '')}<{mmad}>"


def _tile_copy(plan: Plan, fw: Framework, named: Named) -> str:
    """The copies of the block's matrix product."""
    mx = fw.mmad_prefix if plan.gemm.scale == MX else ""
    arch = f"Arch::{plan.arch.name}"
    in_ub = (plan.adding or plan).ub_workspace > 0
    copies = tile_copy(arch, named, in_ub, mx, dequantises=dequantises(plan.gemm))
    return f"{fw.mmad_prefix}TileCopyFed<{copies}>" if plan.feeds else copies


def _dispatch_policy(plan: Plan, fw: Framework) -> str:
    # The usual case has a short name, which belongs to another framework where there is one.
    if fw.in_place and plan.arch.name == "AtlasA2" and plan.buffers == 2:
        return f"{fw.policy_prefix}EpilogueAtlasA2Visitor"
    workspace = ", UB_WORKSPACE" if plan.ub_workspace else ""
    return f"{fw.policy_prefix}EpilogueVisitorMultiStage<Arch::{plan.arch.name}, {plan.buffers}{workspace}>"
