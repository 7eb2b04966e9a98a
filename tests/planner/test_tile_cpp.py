"""The plan of a tile as the emitted C++ makes it at compile time is the one of :mod:`evtgen.planner.tile`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files, header_files
from evtgen.graph.ir import Scalar, flatten
from evtgen.graph.types import ELEMENT_TYPES, ColumnMajor, RowMajor, float32, int32, mask
from evtgen.nodes import (
    NODE_KINDS,
    AccLoad,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Broadcast,
    Cast,
    ColBroadcast,
    ColIndex,
    ColReduce,
    ColStore,
    Compute,
    Outputs,
    Reduce,
    Reduced,
    ResidentAccLoad,
    RowBroadcast,
    RowIndex,
    RowReduce,
    RowStore,
    ScalarBroadcast,
    ScalarReduce,
    ScalarStore,
    VisitorNode,
    node_of,
)
from evtgen.operators.table import OPERATORS
from evtgen.planner.plan import Plan, lower
from evtgen.planner.tile import Part, granule, ub_map
from evtgen.targets import AtlasA2

from ..support.cpp import check_syntax, compilers, write
from ..support.epilogues import every_operator
from ..support.graphs import random_epilogue

pytestmark = pytest.mark.cxx

VALUES = [element for element in ELEMENT_TYPES.values() if element != mask]
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


NODES: Mapping[str, Callable[[], Iterable[VisitorNode]]] = {
    "AccLoad": lambda: map(AccLoad, VALUES),
    "AuxLoad": lambda: (
        AuxLoad("X", element, layout, d) for element in VALUES for layout in MATRICES for d in (None, 1)
    ),
    "AuxGather": lambda: (AuxGather("X", element, "rows") for element in VALUES),
    "AuxScatter": lambda: (AuxScatter("D", element, rows="rows") for element in VALUES),
    "RowBroadcast": partial(broadcasts, RowBroadcast),
    "ColBroadcast": partial(broadcasts, ColBroadcast),
    "ScalarBroadcast": partial(broadcasts, ScalarBroadcast),
    "RowIndex": lambda: [RowIndex()],
    "ColIndex": lambda: [ColIndex()],
    "Compute": computes,
    "Cast": casts,
    "AuxStore": lambda: (AuxStore("D", element, layout) for element in VALUES for layout in MATRICES),
    **{kind.__name__: partial(map, partial(kind, "v"), VALUES) for kind in (RowStore, ColStore, ScalarStore)},
    "RowReduce": partial(reductions, RowReduce),
    "ColReduce": partial(reductions, ColReduce),
    "ScalarReduce": partial(reductions, ScalarReduce),
    "Outputs": lambda: [Outputs()],
}
"""Nodes of each kind, in every type; those that the architecture lacks are left out below."""


KINDS = [name for name, kind in NODE_KINDS.items() if not issubclass(kind, Reduced)]
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
    write(root, header_files([lower(every_operator())], Framework()))
    return root


def facts(node: VisitorNode) -> Iterator[str]:
    """Assertions that its template says of a node what its module says."""
    cpp, traits = node.cpp("Fusion::"), node.traits
    yield from (
        f"{cpp}::{name.upper()} == {int(value)}u" for name, value in vars(traits).items() if name != "has_barrier"
    )
    yield f"{cpp}::HAS_BARRIER == {str(traits.has_barrier).lower()}"
    yield f"{cpp}::STRIDE_ALIGN == {node.stride_align}u"
    yield f"{cpp}::ROW_ALIGN == {node.row_align}u"
    for length in (node.granule * factor for factor in GRANULES):
        need = node.ub_parts(length)
        yield from (f"{cpp}::UbNeed({length}).{part} == {size}u" for part, size in vars(need).items())


def test_every_kind_of_node(framework: Path) -> None:
    nodes = [node for kind in KINDS for node in supported(kind)] + [ResidentAccLoad(T) for T in VALUES]
    asserts = [f"static_assert({fact});" for node in nodes for fact in facts(node)]
    names = "using namespace Catlass;\nusing namespace Catlass::Epilogue;\nusing namespace Evt::every_operator;"
    source = "\n".join(['#include "every_operator.hpp"', names, *asserts])
    assert len(asserts) >= (8 + 4 * 6) * 150
    result = check_syntax("g++", framework, source)
    assert result.returncode == 0, result.stderr


def same_plan(plan: Plan) -> Iterator[str]:
    """Assertions that the C++ plans the graph as Python does, for tiles of several lengths."""
    evt, tile = f"Catlass::Evt::{plan.name}::EVT", plan.ub.plan
    nodes = [node_of(step) for step in plan.steps]
    planned = f"{evt}::Planned::PLAN"
    yield f"{planned}.slots == {len(tile.phases)} && {planned}.storesLoaded == {str(tile.stores_loaded).lower()}"
    yield from (f"{planned}.order[{i}] == {node}" for i, node in enumerate(tile.order))
    yield from (f"{planned}.barrier[{i}] == {str(i in tile.barriers).lower()}" for i in range(len(nodes)))
    yield from (f"{planned}.phase[{i}] == {phase}" for i, phase in enumerate(tile.phases))
    for index, slots in enumerate(tile.slots):
        for part, slot in zip(Part, slots, strict=True):
            yield f"{planned}.slot[{index}][{part.value}] == {'~0u' if slot is None else slot}"
    for length in {plan.compute_length, granule(nodes), 5 * granule(nodes)}:
        ub = ub_map(tile, nodes, length, 1)
        yield f"{evt}::UbBytes({length}) == {ub.used}"
        for place in ub.places():
            yield f"{evt}::Layout({length}).parts[{place.node}].{place.part.name.lower()} == {place.first}"
    yield f"Catlass::Evt::{plan.name}::BlockEpilogue::COMPUTE_LENGTH == {plan.compute_length}"


def random_plans(root: Path) -> str:
    """The headers of random epilogues, below ``root``, and a program that asserts their plans."""
    source = ""
    for seed in SEEDS:
        plan = lower(random_epilogue(seed))
        write(root, epilogue_files(plan, Framework()))
        source += f'#include "{plan.name}.hpp"\n'
        source += "".join(f"static_assert({fact});\n" for fact in same_plan(plan))
    return source


@pytest.mark.parametrize("cxx", compilers()[:1])
def test_random_graphs_over_an_accumulator_in_ub(framework: Path, cxx: str) -> None:
    assert len(SPLIT) >= 10
    source = ""
    for seed in SPLIT:
        given = random_epilogue(seed)
        gemm = replace(given.gemm, handoff="ub", policy=None, workspace_stages=None)
        plan = lower(replace(given, arch="Ascend950", gemm=gemm))
        assert any(isinstance(node, ResidentAccLoad) for _, node in plan.nodes())
        write(framework, epilogue_files(plan, Framework()))
        source += f'#include "{plan.name}.hpp"\n'
        asserts = [*same_plan(plan), f"Catlass::Evt::{plan.name}::UB_WORKSPACE == {plan.ub_workspace}"]
        source += "".join(f"static_assert({fact});\n" for fact in asserts)
    result = check_syntax(cxx, framework, source, npu=3510)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("cxx", compilers())
def test_random_graphs(framework: Path, cxx: str) -> None:
    result = check_syntax(cxx, framework, random_plans(framework))
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" && !graph.nodes[source].kept", ""),  # what is filled once is overwritten
        ("readers[source] == 1 && ", ""),  # what is read again is, where the hardware keeps the order of V
        ("slot != NO_SLOT && slot != own", "slot != NO_SLOT"),  # the result of an operator in place is, there
        ("graph.nodes[source].need.tile == self.need.tile", "true"),  # a tile of another size is
        ("met[0] == met[1] ? ANY_PHASE : met[0] ? 1 : 0", "ANY_PHASE"),  # sources of one instruction meet in a bank
        ("spares ? taken : waits", "taken"),
    ],
)
def test_a_changed_plan_is_noticed(framework: Path, tmp_path: Path, old: str, new: str) -> None:
    """What the sabotage of synchronisation cannot see: the numbers would be wrong, or only the time."""
    files = framework_files(Framework())
    (path,) = (path for path in files if path.endswith("/tile_plan.hpp"))
    assert files[path].count(old) == 1
    write(tmp_path, {**files, path: files[path].replace(old, new)})
    result = check_syntax("g++", tmp_path, random_plans(tmp_path))
    assert "static assertion failed" in result.stderr
