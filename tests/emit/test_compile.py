"""The emitted C++ compiles without a warning, and refuses by itself what the checker would have refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evtgen.check import check
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, float32, half
from evtgen.nodes import NODE_KINDS, AccLoad, AuxLoad, AuxStore, Cast, Compute, Reduced, node_of
from evtgen.planner.plan import lower

from ..support.cpp import INSTANTIATE, check_syntax, compilers, write
from ..support.epilogues import every_operator, everything

pytestmark = pytest.mark.cxx


def stored_accumulator(T: ElementType = half) -> Epilogue:
    return Epilogue("stored", TreeVisitor(AuxStore("D", T), AccLoad(T)))


def taken_names(name: str, buffers: int) -> Epilogue:
    """Tensors that are called like nodes and subtrees of the header, or would be."""
    value: Visitor = TreeVisitor(Cast(float32, half), AccLoad(half))
    for tensor in ("CPlusX", "XAsFloat", "X", "Plus", "AccLoad", "AuxStoreD"):
        more = TreeVisitor(Cast(float32, half), AuxLoad(tensor, half))
        value = TreeVisitor(Compute("Plus", float32), value, more)
    return Epilogue(name, TreeVisitor(AuxStore("D", half), TreeVisitor(Cast(half, float32), value)), buffers=buffers)


def test_everything_is_everything() -> None:
    tiles = {name for name, kind in NODE_KINDS.items() if not issubclass(kind, Reduced)}
    assert {type(node_of(step)).__name__ for step in lower(everything()).steps} == tiles
    assert check(everything()) == []


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("cxx", compilers())
def test_no_warnings(tmp_path: Path, cxx: str, standard: str) -> None:
    fw = Framework()
    write(tmp_path, framework_files(fw))
    source = INSTANTIATE
    # The last two would be one header if their guards did not tell capitals from small letters.
    names = taken_names("names", 1), taken_names("Names", 2)
    for epilogue in (every_operator(), everything(), stored_accumulator(), *names):
        write(tmp_path, epilogue_files(lower(epilogue), fw))
        source = f'#include "{epilogue.name}.hpp"\n{source}'
        kernel = f"Catlass::Evt::{epilogue.name}::Kernel"
        source += f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
    result = check_syntax(cxx, tmp_path, source, standard)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("cxx", compilers())
def test_no_warnings_for_ascend950(tmp_path: Path, cxx: str) -> None:
    fw = Framework()
    write(tmp_path, framework_files(fw))
    # What is there for this architecture alone, each by itself.
    for path in (fw.handoff_header, fw.mmad_header):
        result = check_syntax(cxx, tmp_path, f'#include "{path}"\n', npu=3510)
        assert result.returncode == 0, f"{path}:\n{result.stderr}"
    source = INSTANTIATE
    given = [(everything(), "gm"), (everything(acc=float32), "ub"), (stored_accumulator(float32), "ub")]
    for epilogue, handoff in given:
        name = f"{epilogue.name}_{handoff}"
        plan = lower(replace(epilogue, name=name, arch="Ascend950", gemm=Gemm(handoff=handoff)))
        write(tmp_path, epilogue_files(plan, fw))
        kernel = f"Catlass::Evt::{name}::Kernel"
        source = f'#include "{name}.hpp"\n{source}template void Instantiate<{kernel}>({kernel}::Params const&);\n'
    result = check_syntax(cxx, tmp_path, source, npu=3510)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("cxx", compilers())
def test_every_header_stands_alone(tmp_path: Path, cxx: str) -> None:
    files = framework_files(Framework())
    write(tmp_path, files)
    for path in files:
        result = check_syntax(cxx, tmp_path, f'#include "{path}"\n')
        assert result.returncode == 0, f"{path}:\n{result.stderr}"


PRELUDE = """
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;
using Load = VisitorAccLoad<half>;
using X = VisitorAuxLoad<half, layout::RowMajor>;
using Sum = VisitorCompute<Plus, half>;
using D = VisitorAuxStore<half, layout::RowMajor>;
template <class Visitor>
void Visit()
{
    Arch::Resource<Arch::AtlasA2> resource;
    uint32_t offset = 0;
    Visitor visitor{typename Visitor::Params{}};
    auto callbacks = visitor.get_callbacks(resource, offset, tla::Int<64>{});
    callbacks.visit(MatrixCoord{0u, 0u}, MatrixCoord{0u, 0u}, MatrixCoord{1u, 1u}, 16, VisitStage::COMPUTE);
}
"""

REFUSED = {
    "Compute of another type": ("Visit<TreeVisitor<VisitorCompute<Plus, float>, Load, X>>", "insert a VisitorCast"),
    "Store of another type": (
        "Visit<TreeVisitor<VisitorAuxStore<float, layout::RowMajor>, Load>>",
        "VisitorAuxStore: insert a VisitorCast",
    ),
    "operator without its constants": (
        "Visit<TreeVisitor<VisitorCompute<Muls, half>, Load>>",
        "types of the operator's constants",
    ),
    "constants without a member": (
        "Visit<TreeVisitor<VisitorCompute<Exp, half, half>, Load>>",
        "types of the operator's constants",
    ),
    "constants of another type": ("Visit<TreeVisitor<VisitorCompute<Muls, half, tla::tuple<half>>, Load>>", "convert"),
    "Cast that changes nothing, from another type": (
        "Visit<TreeVisitor<D, TreeVisitor<VisitorCast<half, half>, VisitorAuxLoad<float>>>>",
        "returns a tensor of its ElementOutput",
    ),
    "a scalar with an input": (
        "Visit<TreeVisitor<D, TreeVisitor<Sum, Load, TreeVisitor<One, Load>>>>",
        "no matching",
    ),
    "Cast from another type": ("Visit<TreeVisitor<VisitorCast<half, float>, Load>>", "must be of ElementFrom"),
    "fractal store": (
        "Visit<TreeVisitor<VisitorAuxStore<half, layout::zN>, Load>>",
        "VisitorAuxStore writes row-major",
    ),
    "fractal load": (
        "Visit<TreeVisitor<D, TreeVisitor<Sum, Load, VisitorAuxLoad<half, layout::zN>>>>",
        "VisitorAuxLoad reads row-major",
    ),
    **{
        f"column-major Visitor{node}": (
            f"Visit<TreeVisitor<D, TreeVisitor<Sum, Load, Visitor{node}<half, layout::ColumnMajor>>>>",
            f"Visitor{node} reads",
        )
        for node in ("RowBroadcast", "ColBroadcast", "ScalarBroadcast")
    },
    **{
        f"column-major Visitor{node}": (
            f"Visit<TreeVisitor<Visitor{node}<Plus, half, layout::ColumnMajor>, Load>>",
            f"Visitor{node} writes",
        )
        for node in ("RowReduce", "ColReduce", "ScalarReduce")
    },
    "cycle": (
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<1>, tla::seq<0>, tla::seq<1>>, D, D, D>>",
        "The edges form a cycle",
    ),
    "input out of range": (
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<>, tla::seq<7>>, Load, D>>",
        "An input is not the index of an op",
    ),
    "op that nobody reads": (
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<>, tla::seq<>, tla::seq<0>>, Load, X, D>>",
        "An op is the input of no other",
    ),
    "edges of another number": (
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<>>, Load, D>>",
        "One sequence of inputs per op",
    ),
}


@pytest.fixture(scope="module")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("include")
    write(root, framework_files(Framework()))
    return root


@pytest.mark.parametrize("name", REFUSED)
def test_cpp_refuses(framework: Path, name: str) -> None:
    call, message = REFUSED[name]
    result = check_syntax("g++", framework, f"{PRELUDE}\nvoid Test() {{ {call}(); }}\n")
    assert result.returncode != 0
    assert message in result.stderr


def test_cpp_accepts_the_near_miss(framework: Path) -> None:
    calls = [
        "Visit<TreeVisitor<D, TreeVisitor<Sum, Load, X>>>",
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<2>, tla::seq<0>, tla::seq<>, tla::seq<1>>, D, D, Load, D>>",
    ]
    result = check_syntax("g++", framework, f"{PRELUDE}\nvoid Test() {{ {'(); '.join(calls)}(); }}\n")
    assert result.returncode == 0, result.stderr


FOREIGN = """
template <typename T>
struct Scale {
    T slope;
    float shift;

    CATLASS_DEVICE
    void operator()(AscendC::LocalTensor<T>& dst, uint32_t length, AscendC::LocalTensor<T> const& src) const
    {
        AscendC::Muls(dst, src, slope, length);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(dst, dst, static_cast<T>(shift), length);
    }
};
using Evt = TreeVisitor<D, TreeVisitor<Sum, TreeVisitor<VisitorCompute<Scale, half, half, float>, Load>, X>>;
using Scalars = decltype(VisitorCompute<Scale, half, half, float>::Arguments::scalars);
static_assert(std::is_same_v<Scalars, tla::tuple<half, float>>);
static_assert(std::is_empty_v<VisitorCompute<Plus, half>::Arguments>);
void Test()
{
    float slope = 0.1f;
    Evt::Arguments arguments{{{{}, {{static_cast<half>(slope), 2.0f}}}, {nullptr, {}}, {}}, {nullptr, {}}};
    Evt::to_underlying_arguments(GemmCoord{1, 1, 1}, arguments, nullptr);
    Visit<Evt>();
}
"""


@pytest.mark.parametrize("cxx", compilers())
def test_an_operator_of_another_hand_fits(framework: Path, cxx: str) -> None:
    """Written for Catlass's own VisitorCompute: an aggregate of its constants that takes dst as a reference."""
    result = check_syntax(cxx, framework, f'#include "catlass/gemm_coord.hpp"\n{PRELUDE}\n{FOREIGN}')
    assert result.returncode == 0, result.stderr


BARRIERS = """
// Of simple plans
template <class Visitor>
using Tile = detail::PlannedTile<Visitor, detail::SimplePlan<Visitor, 256>>;
template <class Visitor>
constexpr uint32_t CountBarriers()
{
    uint32_t count = 0;
    for (PlannedVisit const& visit : Tile<Visitor>::SCHEDULE.visits) {
        count += visit.waits ? 1 : 0;
    }
    return count;
}
template <class Visitor>
constexpr uint32_t BARRIERS = CountBarriers<Visitor>();
static_assert(BARRIERS<TreeVisitor<Sum, Load, X>> == 0);
static_assert(BARRIERS<TreeVisitor<Sum, TreeVisitor<Sum, Load, X>, X>> == 1);
static_assert(BARRIERS<TreeVisitor<D, TreeVisitor<Sum, Load, X>>> == 0);
using Row = VisitorRowReduce<Plus, half, layout::RowMajor>;
static_assert(BARRIERS<TreeVisitor<Row, Load>> == 0);
static_assert(BARRIERS<TreeVisitor<Row, TreeVisitor<Sum, Load, X>>> == 1);
using CachedEdges = tla::tuple<tla::seq<>, tla::seq<0, 0>, tla::seq<0, 0>, tla::seq<1, 2>>;
using Cached = TopologicalVisitor<CachedEdges, Load, Sum, Sum, Sum>;
// The second sum overwrites C, which the first has just read
static_assert(BARRIERS<Cached> == 2);
static_assert(TreeVisitor<D, Load>::StoresLoaded());
static_assert(TreeVisitor<D, TreeVisitor<D, X>>::StoresLoaded());
static_assert(!TreeVisitor<D, TreeVisitor<Sum, Load, X>>::StoresLoaded());
static_assert(TreeVisitor<D, TreeVisitor<VisitorCast<half, half>, Load>>::StoresLoaded());
static_assert(TopologicalVisitor<tla::tuple<tla::seq<>, tla::seq<0>>, Load, D>::StoresLoaded());
static_assert(VisitorAccLoad<float>::STRIDE_ALIGN == 8 && TreeVisitor<Sum, Load, X>::STRIDE_ALIGN == 16);
// C, X, the sum, which STORE may read, half of it for the reduction
static_assert(
    TreeVisitor<VisitorRowReduce<Plus, half>, TreeVisitor<Sum, Load, X>>::UbBytes(256) == 512 + 512 + 512 + 256 + 256);
// Nobody needs C and X once they are added: the tile of the sum takes their place
static_assert(TreeVisitor<D, TreeVisitor<Sum, TreeVisitor<Sum, Load, X>, X>>::UbBytes(256) == 4 * 512);
// A stage visits the nodes that have work in it
template <class Visitor, VisitStage STAGE>
constexpr uint32_t VISITS = Tile<Visitor>::template VISITS<STAGE>.count;
template <class Visitor, uint32_t LOADS, uint32_t COMPUTES, uint32_t STORES>
constexpr bool HAS_VISITS = VISITS<Visitor, VisitStage::LOAD> == LOADS
                            && VISITS<Visitor, VisitStage::COMPUTE> == COMPUTES
                            && VISITS<Visitor, VisitStage::STORE> == STORES;
using Column = VisitorColBroadcast<half>;
using Default = VisitorAuxLoad<half, layout::RowMajor, true>;
using One = VisitorScalarBroadcast<half>;
static_assert(HAS_VISITS<TreeVisitor<D, TreeVisitor<Sum, Load, X>>, 2, 1, 1>);
static_assert(HAS_VISITS<TreeVisitor<D, TreeVisitor<Sum, Load, Default>>, 2, 2, 1>);
static_assert(HAS_VISITS<TreeVisitor<D, TreeVisitor<Sum, Load, Column>>, 2, 2, 1>);
static_assert(HAS_VISITS<TreeVisitor<D, TreeVisitor<Sum, Load, One>>, 1, 1, 1>);
static_assert(HAS_VISITS<TreeVisitor<D, TreeVisitor<VisitorCast<half, half>, Load>>, 1, 0, 1>);
struct Fence : VisitorCast<half, half> {
    static constexpr bool HAS_BARRIER = true;
};
static_assert(HAS_VISITS<TreeVisitor<D, TreeVisitor<Fence, Load>>, 1, 1, 1>);
static_assert(HAS_VISITS<TreeVisitor<Row, Load>, 1, 1, 1>);
static_assert(HAS_VISITS<TreeVisitor<VisitorRowReduce<Mean, half>, Load>, 1, 1, 1>);
static_assert(HAS_VISITS<TreeVisitor<VisitorScalarReduce<Plus, half>, Load>, 1, 1, 1>);
static_assert(VISITS<TreeVisitor<D, TreeVisitor<Sum, Load, One>>, VisitStage::ALL> == 3);
"""


@pytest.mark.parametrize("cxx", compilers())
def test_what_cpp_knows_of_order_and_space(framework: Path, cxx: str) -> None:
    result = check_syntax(cxx, framework, f"{PRELUDE}\n{BARRIERS}")
    assert result.returncode == 0, result.stderr
