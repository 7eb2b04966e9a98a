"""The plan of a tile in C++: emitted ones hold for their graphs, wrong ones are refused in words, and a graph without
one gets one that holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, header_files
from evtgen.emit.types import node_type
from evtgen.graph.ir import Scalar, flatten
from evtgen.graph.shapes import Columns, TensorShape
from evtgen.graph.types import (
    ELEMENT_TYPES,
    ColumnMajor,
    RowMajor,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int4,
    int32,
    mask,
)
from evtgen.nodes import (
    BLOCKS,
    MADE_KINDS,
    NODE_KINDS,
    STATISTICS,
    AccDigits,
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Band,
    BlockBroadcast,
    BlockReduced,
    BlockStore,
    Broadcast,
    Cast,
    ColBroadcast,
    ColIndex,
    ColReduce,
    ColReduced,
    ColStore,
    Compute,
    DecodeFloat8,
    HeadBroadcast,
    Outputs,
    Part,
    RankScatter,
    Reduce,
    Reduced,
    ResidentAccLoad,
    Rotate,
    RowBroadcast,
    RowIndex,
    RowReduce,
    RowStore,
    ScalarBroadcast,
    ScalarReduce,
    ScalarStore,
    TopK,
    TopKResult,
    Vector,
    VisitorNode,
    WideStore,
    node_of,
)
from evtgen.operators.table import OPERATORS
from evtgen.planner.parts import granule, row_align, stride_align, traits_of, ub_parts
from evtgen.planner.plan import Plan, lower
from evtgen.targets import AtlasA2

from ..support.cpp import check_syntax, compilers, quick_compilers, write
from ..support.epilogues import every_operator, sample_of
from ..support.graphs import random_epilogue

pytestmark = pytest.mark.cxx

VALUES = [element for element in ELEMENT_TYPES.values() if element != mask and element.packed == 1]
GRANULES = (1, 2, 3, 7, 12, 33)
"""Lengths, in the granule of the node: odd and even, and both sides of a power of two."""
SEEDS = range(40)
SPLIT = [
    seed
    for seed in SEEDS
    for T in {n.T for n in map(node_of, flatten(random_epilogue(seed).root)) if isinstance(n, AccLoad)}
    if T in (float32, int32)
]
"""Those whose accumulator can be split between the UB of two vector cores."""


MATRICES = (RowMajor, ColumnMajor)
"""The layouts of M x N tensors."""


def broadcasts(kind: type[Broadcast]) -> Iterator[VisitorNode]:
    return (kind("v", element, null_default=default) for element in VALUES for default in (None, 1))


def reductions(kind: type[Reduce]) -> Iterator[VisitorNode]:
    return (kind("v", op, element) for op in ("Plus", "Maximum", "Minimum", "Mean") for element in AtlasA2.atomics)


def computes() -> Iterator[VisitorNode]:
    """Every operator in every type; its constants are scalars, so that the header needs no functor of its own."""
    for op in OPERATORS.values():
        for element in op.types(AtlasA2):
            scalar = int32 if element.kind == "int" else float32
            yield Compute.of(op, element, [Scalar(name, scalar) for name in op.constants])


def casts() -> Iterator[VisitorNode]:
    for source, target in AtlasA2.casts:
        yield Cast(target, source, AtlasA2.casts[source, target][0])
    yield from (Cast(element, element) for element in VALUES)


VECTORS = [Vector(shape, spreads) for shape in (TensorShape.ROW, TensorShape.COLUMN) for spreads in (True, False)]
"""All ways to hold a vector."""


def on_vectors() -> Iterator[VisitorNode]:
    """Nodes that work on vectors, in every such way: no mask and no byte is spread."""
    for node in (*computes(), *casts()):
        if not traits_of(node).forwards:
            spreadable = node.element != mask and node.element.size > 1
            yield from (replace(node, vector=vector) for vector in VECTORS if spreadable or not vector.spreads)
    yield replace(AStatistic("a_sum"), vector=Vector(TensorShape.COLUMN, spreads=False))
    yield replace(ColIndex(), vector=Vector(TensorShape.ROW, spreads=False))
    for kind in (RowBroadcast, ColBroadcast):
        yield from (replace(node, vector=Vector(kind.shape, spreads=False)) for node in broadcasts(kind))


READS = [(TensorShape.MATRIX, shape) for shape in (TensorShape.ROW, TensorShape.COLUMN)]
READS += [(b, a) for a, b in READS] + [(TensorShape.ROW, TensorShape.COLUMN)]
"""All ways to read vectors where they lie, up to their order."""


def by_repeats() -> Iterator[VisitorNode]:
    """Operators that read vectors where they lie, in every such way."""
    for node in computes():
        assert isinstance(node, Compute)
        if node.operator is not None and node.operator.repeats and node.T.size > 1:
            yield from (replace(node, reads=reads) for reads in READS)


NODES: Mapping[str, Callable[[], Iterable[VisitorNode]]] = {
    "AccLoad": lambda: map(AccLoad, VALUES),
    "AccDigits": lambda: [AccDigits(int32)],
    "AuxLoad": lambda: (
        AuxLoad("X", int4),
        *(AuxLoad("X", element, layout, d) for element in VALUES for layout in MATRICES for d in (None, 1)),
    ),
    "AuxGather": lambda: (AuxGather("X", element, "rows") for element in VALUES),
    "AuxScatter": lambda: (
        AuxScatter("D", element, rows="rows", add=ordered, ordered=ordered)
        for element in VALUES
        for ordered in (False, True)
    ),
    "RankScatter": lambda: (RankScatter("D", element, rows="rows", ranks="ranks") for element in VALUES),
    "RowBroadcast": partial(broadcasts, RowBroadcast),
    "ColBroadcast": partial(broadcasts, ColBroadcast),
    "ScalarBroadcast": partial(broadcasts, ScalarBroadcast),
    "AStatistic": lambda: map(AStatistic, STATISTICS),
    "RowIndex": lambda: [RowIndex()],
    "ColIndex": lambda: [ColIndex()],
    "Compute": computes,
    "Cast": casts,
    "Band": lambda: (Band(element, -1, 1, -4, 4, 0) for element in VALUES),
    "Part": lambda: (Part(element, 2, stop) for element in (*VALUES, mask) for stop in (None, 5)),
    "Alternate": lambda: (Alternate(element, 1) for element in VALUES),
    "AuxStore": lambda: (
        AuxStore("D", int4),
        *(AuxStore("D", element, layout) for element in VALUES for layout in MATRICES),
    ),
    **{kind.__name__: partial(map, partial(kind, "v"), VALUES) for kind in (RowStore, ColStore, ScalarStore)},
    "RowReduce": partial(reductions, RowReduce),
    "ColReduce": partial(reductions, ColReduce),
    "ScalarReduce": partial(reductions, ScalarReduce),
    "ColReduced": lambda: (
        replace(ColReduced(op, float32), vector=vector)
        for op in ("Plus", "Maximum", "Minimum", "Mean")
        for vector in (None, Vector(TensorShape.COLUMN, spreads=False))
    ),
    "BlockReduced": lambda: (
        replace(BlockReduced(op, T, block), spreads=spreads)
        for op in ("Plus", "Maximum", "Mean")
        for T in (half, float32)
        for block in BLOCKS
        for spreads in (True, False)
    ),
    "BlockStore": lambda: (BlockStore("D", element, block=block) for element in VALUES for block in BLOCKS),
    "BlockBroadcast": lambda: (
        BlockBroadcast("v", T, layout, block)
        for T in (half, float32)
        for layout, block in ((RowMajor, (32, 1)), (ColumnMajor, (1, 96)), (RowMajor, (64, 32)))
    ),
    "DecodeFloat8": lambda: map(DecodeFloat8, (float8_e4m3fn, float8_e5m2)),
    "WideStore": lambda: (WideStore("WidenedB", half, lines=256, length=length) for length in (128, 256)),
    "HeadBroadcast": lambda: (HeadBroadcast("X", element, head=head) for element in VALUES for head in BLOCKS),
    "Rotate": lambda: (Rotate(T, head, turns) for T in (half, float32) for head in BLOCKS for turns in (False, True)),
    "TopK": lambda: (TopK(float32, stop=k, long=long) for k in (1, 8, 32) for long in (False, True)),
    "TopKResult": lambda: map(TopKResult, (float32, int32)),
    "Outputs": lambda: [Outputs()],
}
"""Nodes of each kind, in every type; those that the architecture lacks are left out below."""


KINDS = [name for name, kind in NODE_KINDS.items() if kind is ColReduced or not issubclass(kind, Reduced)]
KINDS += [kind.__name__ for kind in MADE_KINDS]
"""The kinds that the plan of a tile has."""


def supported(kind: str) -> list[VisitorNode]:
    return [node for node in NODES[kind]() if node.unsupported(AtlasA2) is None]


def test_every_kind_has_nodes() -> None:
    assert set(NODES) == set(KINDS)
    for kind in KINDS:
        nodes = supported(kind)
        assert nodes and all(type(node).__name__ == kind for node in nodes)
    assert {node.op for node in supported("Compute") if isinstance(node, Compute)} == set(OPERATORS)


@pytest.fixture(scope="module")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The framework, and a header that declares the operators which the framework has not."""
    root = tmp_path_factory.mktemp("include")
    write(
        root,
        {**header_files([lower(every_operator())], Framework()), PRELUDE: f'#include "kernel_operator.h"{FRAMEWORK}'},
    )
    return root


PRELUDE = "prelude.hpp"
"""A header that is precompiled."""

FRAMEWORK = """
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/epilogue/fusion/operations.hpp"
"""
"""All of it: the header of an epilogue includes its own nodes and operators alone."""


def facts(node: VisitorNode) -> Iterator[str]:
    """Assertions that its template says of a node what its module says."""
    cpp, traits = node_type(node, "Fusion::"), traits_of(node)
    yield from (
        f"{cpp}::{name.upper()} == {int(value)}u" for name, value in vars(traits).items() if name != "has_barrier"
    )
    yield f"{cpp}::HAS_BARRIER == {str(traits.has_barrier).lower()}"
    yield f"{cpp}::STRIDE_ALIGN == {stride_align(node)}u"
    yield f"{cpp}::ROW_ALIGN == {row_align(node)}u"
    for length in (granule([node]) * factor for factor in GRANULES):
        need = ub_parts(node, length)
        yield from (f"{cpp}::UbNeed({length}).{part} == {size}u" for part, size in vars(need).items())


def test_every_kind_of_node(framework: Path) -> None:
    nodes = [node for kind in KINDS for node in supported(kind)] + [ResidentAccLoad(T) for T in VALUES]
    nodes += [
        replace(node, columns=columns)
        for columns in (Columns(3, 9), Columns(0, None, 2), Columns(0, 5, sorted=True))
        for kind in ("AuxLoad", "ColReduce")
        for node in supported(kind)
    ]
    nodes += [node for node in (*on_vectors(), *by_repeats()) if node.unsupported(AtlasA2) is None]
    asserts = [f"static_assert({fact});" for node in nodes for fact in facts(node)]
    names = "using namespace Catlass;\nusing namespace Catlass::Epilogue;\nusing namespace Evt::every_operator;"
    source = "\n".join(['#include "every_operator.hpp"', FRAMEWORK, names, *asserts])
    assert len(asserts) >= (8 + 4 * 6) * 150
    result = check_syntax("g++", framework, source)
    assert result.returncode == 0, result.stderr


def random_plans(root: Path, seeds: Iterable[int] = SEEDS, *, in_ub: bool = False) -> list[Plan]:
    """The plans of random epilogues, whose headers are below ``root``; over an accumulator ``in_ub``."""
    plans = []
    for seed in seeds:
        epilogue = random_epilogue(seed)
        if in_ub:
            gemm = replace(epilogue.gemm, handoff="ub", policy=None, workspace_stages=None)
            epilogue = replace(epilogue, gemm=gemm, arch="Ascend950")
        plans.append(lower(epilogue))
        write(root, epilogue_files(plans[-1], Framework()))
    return plans


def checked(plan: Plan) -> str:
    """C++ that holds the plan of an emitted header against its graph."""
    using = f"using Evt{plan.name} = Catlass::Evt::{plan.name}::EVT;"
    nodes = len(plan.steps)
    return f"""#include "{plan.name}.hpp"
{using}
using Tile{plan.name} = decltype(TileOf(std::declval<Evt{plan.name}>()));
static_assert(sizeof(Fusion::detail::PlanCheck<
    Tile{plan.name}, tla::make_index_sequence<{nodes}>>) > 0);
"""


TILES = """
#include <utility>
#include "catlass/epilogue/fusion/fusion.hpp"
namespace Fusion = Catlass::Epilogue::Fusion;
template <class Plan, class Graph>
Fusion::detail::PlannedTile<Graph, Plan> TileOf(Fusion::Planned<Plan, Graph> const&);
template <uint32_t LENGTH, class Graph>
Fusion::detail::PlannedTile<Graph, Fusion::detail::SimplePlan<Graph, LENGTH>> SimpleTileOf(Graph const&);
template <class Plan, class Graph>
Graph GraphOf(Fusion::Planned<Plan, Graph> const&);
"""


def facts_of(plan: Plan) -> Iterator[str]:
    """Assertions on what C++ derives of a graph, and on the bytes of a buffer."""
    evt, nodes = f"Catlass::Evt::{plan.name}::EVT", [node for _, node in plan.nodes()]
    resident = any(isinstance(node, ResidentAccLoad) for node in nodes)
    yield f"{evt}::StoresLoaded() == {str(plan.ub.plan.stores_loaded).lower()}"
    yield f"{evt}::HasResident() == {str(resident).lower()}"
    yield f"{evt}::UbBytes({plan.compute_length}) == {plan.ub.offsets[-1]}"
    yield f"Catlass::Evt::{plan.name}::BlockEpilogue::COMPUTE_LENGTH == {plan.compute_length}"


def program(plans: Iterable[Plan]) -> str:
    """A program that holds the plans of emitted headers against their graphs."""
    source = TILES
    for plan in plans:
        source += checked(plan)
        source += "".join(f"static_assert({fact});\n" for fact in facts_of(plan))
    return source


@pytest.mark.parametrize("cxx", compilers())
def test_the_plan_of_every_random_graph_holds(framework: Path, cxx: str) -> None:
    result = check_syntax(cxx, framework, program(random_plans(framework)))
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("cxx", compilers()[:1])
def test_it_holds_over_an_accumulator_in_ub(framework: Path, cxx: str) -> None:
    assert len(SPLIT) >= 10
    plans = random_plans(framework, SPLIT, in_ub=True)
    assert all(any(isinstance(node, ResidentAccLoad) for _, node in plan.nodes()) for plan in plans)
    source = program(plans)
    source += "".join(f"static_assert(Catlass::Evt::{p.name}::UB_WORKSPACE == {p.ub_workspace});\n" for p in plans)
    result = check_syntax(cxx, framework, source, npu=3510)
    assert result.returncode == 0, result.stderr


# Plans that are wrong on purpose

ORDER = "every node once, behind its inputs"
PARTS = "parts have the bytes that the node needs"
BYTES = "BYTES end with"
APART = "two parts overlap that are needed at the same time"
WAITS = "a node has to wait"
LENGTH = "for tiles of another length"

HAND = """
using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;
using Load = VisitorAccLoad<half>;
using X = VisitorAuxLoad<half, layout::RowMajor>;
using Sum = VisitorCompute<Plus, half>;
using Exponential = VisitorCompute<Exp, half>;
using Store = VisitorAuxStore<half, layout::RowMajor>;
using Reduce = VisitorScalarReduce<Plus, half>;
using Graph = TreeVisitor<Reduce, TreeVisitor<Store, TreeVisitor<Exponential, TreeVisitor<Sum, Load, X>>>>;
constexpr uint32_t SCRATCH = Reduce::UbNeed(4096).scratch;
constexpr uint32_t STORED = Reduce::UbNeed(4096).stored;
struct Plan {
    static constexpr uint32_t ELEMENTS = 4096;
    static constexpr uint32_t BYTES = RoundUp<512>(24576 + SCRATCH + STORED);
    static constexpr PlannedVisit VISITS[] = {
        {0, false, {0}, {8192}},  // Load
        {1, false, {8192}, {8192}},  // X
        {2, false, {0}, {8192}},  // Sum
        {3, true, {16384}, {8192}},  // Exponential
        {4, false, {}, {}},  // Store
        {5, true, {0, 0, 24576, 24576 + SCRATCH}, {0, 0, SCRATCH, STORED}},  // Reduce
    };
};
using Visitor = Planned<Plan, Graph>;
Arch::Resource<Arch::AtlasA2> resource;
void Run(Visitor& evt)
{
    uint32_t ubOffset = 0;
    auto callbacks = evt.get_callbacks(resource, ubOffset, tla::Int<4096>{});
    static_cast<void>(callbacks);
}
static_assert(SCRATCH > 0 && STORED > 0 && SCRATCH % 32 == 0);
"""

WRONG = {
    "no node of this number": ("{5, true", "{6, true", ORDER),
    "a node twice": ("{4, false", "{2, false", ORDER),
    "an input behind its reader": ("{0, false, {0}, {8192}},  // Load", "{3, true, {16384}, {8192}},", ORDER),
    "a visit too few": ("        {4, false, {}, {}},  // Store\n", "", ORDER),
    "a wait where nothing is computed": ("{1, false", "{1, true", ORDER),
    "no wait for the sum": ("{3, true", "{3, false", WAITS),
    "no wait for the exponential": ("{5, true", "{5, false", WAITS),
    "a tile of other bytes": ("{8192}, {8192}},  // X", "{8192}, {8160}},", PARTS),
    "scratch of other bytes": ("{0, 0, SCRATCH, STORED}", "{0, 0, SCRATCH + 32, STORED}", PARTS),
    "stored bytes that are not": ("{0, 0, SCRATCH, STORED}", "{0, 0, SCRATCH, 0}", PARTS),
    "bytes that LOAD would fill": ("{0, 0, SCRATCH, STORED}", "{0, 32, SCRATCH, STORED}", PARTS),
    "a place for no bytes": ("{4, false, {}, {}}", "{4, false, {32}, {}}", PARTS),
    "a tile off a data block": ("{8192}, {8192}},  // X", "{8200}, {8192}},", PARTS),
    "scratch off a data block": ("{0, 0, 24576,", "{0, 0, 24592,", PARTS),
    "a tile behind the buffer": ("{3, true, {16384}", "{3, true, {BYTES}", PARTS),
    "a tile that ends behind all memory": ("{3, true, {16384}", "{3, true, {0xFFFFFFE0}", PARTS),
    "loaded tiles in one place": ("{8192}, {8192}},  // X", "{0}, {8192}},", APART),
    "a tile half in that of an input": ("{3, true, {16384}", "{3, true, {4096}", APART),
    "a result that STORE reads where LOAD fills": ("{3, true, {16384}", "{3, true, {0}", APART),
    "scratch in a tile that is stored": ("{0, 0, 24576,", "{0, 0, 16384,", APART),
    "what is stored where LOAD fills": ("24576, 24576 + SCRATCH}", "24576 + STORED, 8192}", APART),
    "scratch and what is stored in one place": ("24576, 24576 + SCRATCH}", "24576 + STORED, 24576 + STORED}", APART),
    "bytes too many": ("RoundUp<512>(24576 + SCRATCH + STORED)", "RoundUp<512>(25088 + SCRATCH + STORED)", BYTES),
    "bytes that are no multiple": ("RoundUp<512>(24576 + SCRATCH + STORED)", "24576 + SCRATCH + STORED", BYTES),
    "a length of another plan": ("ELEMENTS = 4096", "ELEMENTS = 4064", LENGTH),
    "a tile of another length": ("tla::Int<4096>", "tla::Int<4064>", LENGTH),
}
"""A mistake of each kind: what it takes the place of, the mistake, and words of the assertion."""


@pytest.mark.parametrize("cxx", compilers())
def test_a_plan_by_hand(framework: Path, cxx: str) -> None:
    result = check_syntax(cxx, framework, FRAMEWORK + HAND)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("mistake", sample_of(WRONG))
def test_a_wrong_plan_is_refused(framework: Path, mistake: str) -> None:
    old, new, words = WRONG[mistake]
    assert HAND.count(old) == 1
    result = check_syntax("g++", framework, FRAMEWORK + HAND.replace(old, new), first=framework / PRELUDE)
    first = next(line for line in result.stderr.splitlines() if "error:" in line)
    assert words in first, result.stderr


RELUCTANT = """struct Exponential : VisitorCompute<Exp, half> {
    using VisitorCompute<Exp, half>::VisitorCompute;
    static constexpr uint32_t IN_PLACE = 0;
};"""


def test_a_tile_in_place_asks_the_node(framework: Path) -> None:
    """The exponential over the sum, which nothing else reads: wrong only where the node does not allow it."""
    # The sum lies apart from what LOAD fills
    moved = HAND.replace("{2, false, {0}, {8192}},  // Sum", "{2, false, {16384}, {8192}},")
    source = FRAMEWORK + moved
    assert check_syntax("g++", framework, source).returncode == 0
    old = "using Exponential = VisitorCompute<Exp, half>;"
    assert source.count(old) == 1
    result = check_syntax("g++", framework, source.replace(old, RELUCTANT))
    assert APART in result.stderr


# Graphs without a plan


@pytest.mark.parametrize("cxx", quick_compilers())
def test_the_simple_plan_of_every_random_graph_holds(framework: Path, cxx: str) -> None:
    """By the same check, for several lengths: and it is a plan of the same bytes as are taken."""
    source = TILES
    for plan in random_plans(framework):
        step = granule([node for _, node in plan.nodes()])
        for number, length in enumerate((step, 5 * step)):
            tile = f"Tile{plan.name}_{number}"
            evt = f"Catlass::Evt::{plan.name}::EVT"
            graph = f"decltype(GraphOf(std::declval<{evt}>()))"
            source += f"""#include "{plan.name}.hpp"
using {tile} = decltype(SimpleTileOf<{length}>(std::declval<{graph}>()));
static_assert(sizeof(Fusion::detail::PlanCheck<
    {tile}, tla::make_index_sequence<{len(plan.steps)}>>) > 0);
static_assert({graph}::UbBytes({length}) == {tile}::BYTES);
"""
    result = check_syntax(cxx, framework, source)
    assert result.returncode == 0, result.stderr
