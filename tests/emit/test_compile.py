"""The emitted C++ compiles without a warning, and refuses by itself what the checker would have refused."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from evtgen.check import check
from evtgen.emit.framework import Framework
from evtgen.emit.places import COMMON
from evtgen.emit.render import common_files, epilogue_files, example_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, float32, half
from evtgen.nodes import NODE_KINDS, AccLoad, AuxLoad, AuxStore, Cast, Compute, Reduced, node_of
from evtgen.pipeline.specs import load_and_check
from evtgen.planner.plan import lower

from ..support.cpp import INCLUDES, INSTANTIATE, check_syntax, compilers, is_quick, write
from ..support.epilogues import FULL, every_operator, everything, everything_of_columns, everything_of_rows, written
from ..support.paths import CHECKOUT, DEVICE

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
    all_kinds = everything(), everything_of_columns(), everything_of_rows()
    used = {type(node_of(step)) for one in all_kinds for step in lower(one).steps}
    assert {kind.__name__ for kind in used if not issubclass(kind, Reduced)} == tiles
    assert [check(one) for one in all_kinds] == [[], [], []]


@pytest.mark.parametrize("standard", ["c++17", "c++20"] if FULL else ["c++17"])
@pytest.mark.parametrize("cxx", compilers())
def test_no_warnings(tmp_path: Path, cxx: str, standard: str) -> None:
    """tests/verify/test_gallery.py compiles kernels of each header with the next standard, too. AscendC's own headers
    have some types on Ascend950 alone."""
    fw = Framework()
    write(tmp_path, framework_files(fw))
    source = INSTANTIATE
    # The last two would be one header if their guards did not tell capitals from small letters.
    names = taken_names("names", 1), taken_names("Names", 2)
    of_tiles = everything(), everything_of_columns(), everything_of_rows()
    for epilogue in (every_operator(), *of_tiles, stored_accumulator(), *names):
        write(tmp_path, epilogue_files(lower(epilogue), fw))
        source = f'#include "{epilogue.name}.hpp"\n{source}'
        kernel = f"Catlass::Evt::{epilogue.name}::Kernel"
        source += f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
    elsewhere = "#pragma GCC poison float8_e4m3_t float8_e5m2_t float8_e8m0_t float4_e2m1x2_t\n"
    result = check_syntax(cxx, tmp_path, elsewhere + source, standard)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("cxx", compilers())
def test_no_warnings_for_ascend950(tmp_path: Path, cxx: str) -> None:
    fw = Framework()
    write(tmp_path, framework_files(fw))
    # What is there for this architecture alone, each by itself.
    for path in (fw.handoff_header, fw.mmad_header("by_tag")):
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


HOST = """
template <class Kernel>
void OnHost(typename Kernel::Arguments const& args)
{
    static_cast<void>(Kernel::CanImplement(args));
    static_cast<void>(Kernel::GetWorkspaceSize(args));
    static_cast<void>(Kernel::ToUnderlyingArguments(args, nullptr));
}
"""


@pytest.mark.parametrize("npu", [2201, 3510])
@pytest.mark.parametrize("cxx", compilers())
def test_conversions_are_written_and_names_hide_nothing(tmp_path: Path, cxx: str, npu: int) -> None:
    """With every warning of these for all kinds of nodes, and on Atlas A2 for every header of the framework."""
    fw, emitted = Framework(), tmp_path / "emitted"
    write(emitted, framework_files(fw))
    if npu == 2201:
        kernels = [plan.written for plan in written(npu)]
        epilogues = [every_operator(), everything(), everything_of_columns(), everything_of_rows(), *kernels]
    else:
        given = [(everything(), "gm"), (everything(acc=float32), "ub")]
        epilogues = [replace(e, name=f"e_{to}", arch="Ascend950", gemm=Gemm(handoff=to)) for e, to in given]
    source = INSTANTIATE + HOST
    for epilogue in epilogues:
        write(emitted, epilogue_files(lower(epilogue), fw))
        kernel = f"Catlass::Evt::{epilogue.name}::Kernel"
        source = f'#include "{epilogue.name}.hpp"\n{source}'
        source += f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
        source += f"template void OnHost<{kernel}>({kernel}::Arguments const&);\n"
    assert unwritten(cxx, emitted, source, npu) == set()


PROGRAMS = (
    ("grouped.py", "grouped_dequant"),
    ("gallery/gated.py", "swiglu"),
    ("gallery/elsewhere.py", "gathered_residual"),
    ("gallery/elsewhere.py", "expert_scatter"),
    ("gallery/experts.py", "dispatch_ffn_combine"),
)


@pytest.mark.parametrize(("spec", "name"), PROGRAMS)
@pytest.mark.parametrize("cxx", compilers())
def test_example_programs_write_their_conversions(tmp_path: Path, cxx: str, spec: str, name: str) -> None:
    fw, epilogues = Framework(), load_and_check([CHECKOUT / "examples" / spec]).require().epilogues
    plan = next(lower(epilogue) for epilogue in epilogues if epilogue.name == name)
    write(tmp_path, {**framework_files(fw), **epilogue_files(plan, fw), "evt_example.hpp": common_files()[COMMON]})
    program = example_files(plan)[f"{plan.name}/{plan.name}.cpp"]
    write(tmp_path, {"program.hpp": program})
    assert unwritten(cxx, tmp_path, '#include "program.hpp"\n', 2201) == set()


def unwritten(cxx: str, emitted: Path, source: str, npu: int) -> set[str]:
    """The headers with conversions that the code does not write, or names that hide others."""
    flags = ("-std=c++17", f"-DCATLASS_ARCH={npu}", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-fsyntax-only")
    system = [f"-isystem{path}" for path in (*INCLUDES, DEVICE / "catlass" / "examples_common")]
    done = subprocess.run(
        [cxx, *flags, f"-I{emitted}", *system, "-x", "c++", "-"],
        input=f'#include "kernel_operator.h"\n{source}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    print(done.stderr)  # shown where the caller's assertion fails
    return {*re.findall(rf"^{emitted}/(\S+?):\d+:\d+: warning: ", done.stderr, re.MULTILINE)}


@pytest.mark.parametrize("cxx", compilers())
def test_every_header_stands_alone(tmp_path: Path, cxx: str) -> None:
    """All by the quicker compiler, by the other a sample; with EVTGEN_FULL=1 all by both."""
    files = framework_files(Framework())
    write(tmp_path, files)
    for path in list(files)[:: 1 if is_quick(cxx) else 16]:
        result = check_syntax(cxx, tmp_path, f'#include "{path}"\n')
        assert result.returncode == 0, f"{path}:\n{result.stderr}"


PRELUDE = """
#include "kernel_operator.h"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;
using Load = VisitorAccLoad<half>;
using X = VisitorAuxLoad<half, layout::RowMajor>;
using Sum = VisitorCompute<Plus, half>;
using D = VisitorAuxStore<half, layout::RowMajor>;
using Difference = VisitorCompute<Minus, half>;
using One = VisitorScalarBroadcast<half>;
using Tree = TreeVisitor<D, TreeVisitor<Sum, Load, X>>;
GM_ADDR ptr = nullptr;
layout::RowMajor l;
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
        "have its Element: insert a VisitorCast",
    ),
    "operator without its constants": (
        "Visit<TreeVisitor<VisitorCompute<Muls, half>, Load>>",
        "types of the operator's constants",
    ),
    "constants without a member": (
        "Visit<TreeVisitor<VisitorCompute<Exp, half, half>, Load>>",
        "types of the operator's constants",
    ),
    "constants of another type": ("Visit<TreeVisitor<VisitorCompute<Muls, half, tla::tuple<half>>, Load>>", "conver"),
    "Cast that changes nothing, from another type": (
        "Visit<TreeVisitor<D, TreeVisitor<VisitorCast<half, half>, VisitorAuxLoad<float>>>>",
        "have its Element: insert a VisitorCast",
    ),
    "a scalar with an input": (
        "Visit<TreeVisitor<D, TreeVisitor<Sum, Load, TreeVisitor<One, Load>>>>",
        "make it a leaf of the graph",
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
    "missing child": ("Visit<TreeVisitor<D, TreeVisitor<Sum, Load>>>", "give the node as many children"),
    "child too many": ("Visit<TreeVisitor<D, TreeVisitor<Difference, Load, X, X>>>", "give the node as many children"),
    "no child": ("Visit<TreeVisitor<Sum>>", "a single node stands for itself"),
    "store of two": ("Visit<TreeVisitor<D, Load, X>>", "give the node one child"),
    "load with a child": ("Visit<TreeVisitor<D, TreeVisitor<X, Load>>>", "make it a leaf of the graph"),
    "node and child swapped": ("Visit<TreeVisitor<TreeVisitor<Sum, Load, X>, D>>", "the node comes first"),
    "node and leaf swapped": ("Visit<TreeVisitor<D, TreeVisitor<Load, Sum, X>>>", "as many children|a leaf"),
    "ops swapped": (
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<>, tla::seq<>, tla::seq<0, 1>, tla::seq<2>>, Load, X, D, Sum>>",
        "give the node one child|give the node as many children",
    ),
    "reduction of another type": (
        "Visit<TreeVisitor<VisitorRowReduce<Plus, float>, Load>>",
        "have its Element: insert a VisitorCast",
    ),
    **{
        f"arguments: {mistake}": (f"Tree::Arguments{braces}; Visit<Tree>", "one pair of braces for each op")
        for mistake, braces in {
            "too few": "{{{}, {ptr, l}}, {ptr, l}}",
            "too many": "{{{}, {ptr, l}, {}, {}}, {ptr, l}}",
            "none for the root": "{{{}, {ptr, l}, {}}}",
            "one behind the root": "{{{}, {ptr, l}, {}}, {ptr, l}, {}}",
            "too many of a node": "{{{}, {ptr, l, 0, 1, 2, 3}, {}}, {ptr, l}}",
            "children swapped": "{{{ptr, l}, {}, {}}, {ptr, l}}",
            "the node first": "{{ptr, l}, {{}, {ptr, l}, {}}}",
            "of a node, swapped": "{{{}, {l, ptr}, {}}, {ptr, l}}",
            "without nesting": "{{}, {ptr, l}, {}, {ptr, l}}",
        }.items()
    },
    "a node alone": ("Run<Load>", "EVT is a graph"),
    "a block epilogue of another architecture": (
        "Run<Tree, Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 2>>",
        "give both dispatch policies one ArchTag",
    ),
    "the accumulator in UB": (
        "Run<TreeVisitor<D, TreeVisitor<Sum, VisitorAccLoad<half, true>, X>>>",
        "only Ascend950 stores it",
    ),
    "an accumulator of another type": (
        "Run<TreeVisitor<VisitorAuxStore<float>, VisitorAccLoad<float>>>",
        "must have the element type of C",
    ),
    "another C": (
        "Run<Tree, Epilogue::EpilogueAtlasA2Visitor, float>",
        "must agree on C",
    ),
    "too many buffers": ("Run<Tree, Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 7>>", "one event id per buffer"),
    "too many blocks of C": ("Run<Tree, Epilogue::EpilogueAtlasA2Visitor, half, 16>", "does not count beyond 15"),
}
"""What is wrong, and words of the first error, which say what to do; more than one where two nodes are wrong."""

KERNEL = """
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
template <class Kernel>
void Launch()
{
    Kernel kernel;
    auto params = Kernel::ToUnderlyingArguments({}, nullptr);
    kernel.template operator()<AscendC::AIC>(params);
    kernel.template operator()<AscendC::AIV>(params);
}
template <class Element>
using ByRows = Gemm::GemmType<Element, layout::RowMajor>;
using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, GemmShape<128, 256, 256>, GemmShape<128, 256, 64>, ByRows<half>, ByRows<half>,
    ByRows<half>>;
using Scheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;
template <class EVT, class Policy = Epilogue::EpilogueAtlasA2Visitor, class ElementC = half, uint32_t STAGES = 3>
void Run()
{
    using BlockEpilogue = Epilogue::Block::BlockEpilogue<Policy, ByRows<ElementC>, tla::Int<4096>, EVT>;
    Launch<Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, Scheduler, STAGES>>();
}
"""


@pytest.fixture(scope="module")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("include")
    write(root, {**framework_files(Framework()), "prelude.hpp": PRELUDE + KERNEL})
    return root


def behind_the_prelude(cxx: str, framework: Path, source: str) -> subprocess.CompletedProcess[str]:
    return check_syntax(cxx, framework, source, first=framework / "prelude.hpp")


@pytest.mark.parametrize("cxx", compilers()[1:])
@pytest.mark.parametrize("name", REFUSED)
def test_the_first_error_says_what_to_do(framework: Path, name: str, cxx: str) -> None:
    """That of clang++, which is nearest to the device's compiler."""
    says_what_to_do(framework, name, cxx)


@pytest.mark.parametrize("cxx", compilers()[:1])
@pytest.mark.parametrize("name", [*REFUSED][:: 1 if FULL else 4])
def test_the_first_error_of_another_compiler_says_it_too(framework: Path, name: str, cxx: str) -> None:
    """Of every fourth mistake; with EVTGEN_FULL=1 of all."""
    says_what_to_do(framework, name, cxx)


def says_what_to_do(framework: Path, name: str, cxx: str) -> None:
    call, words = REFUSED[name]
    result = behind_the_prelude(cxx, framework, f"void Test() {{ {call}(); }}\n")
    assert result.returncode != 0
    first = next(line for line in result.stderr.splitlines() if " error: " in line)
    assert any(said in first for said in words.split("|")), result.stderr


def test_cpp_accepts_the_near_miss(framework: Path) -> None:
    calls = [
        "Visit<TreeVisitor<D, TreeVisitor<Sum, Load, X>>>",
        "Visit<TopologicalVisitor<tla::tuple<tla::seq<2>, tla::seq<0>, tla::seq<>, tla::seq<1>>, D, D, Load, D>>",
        "Visit<TreeVisitor<D, TreeVisitor<Sum, Load, X, X>>>",
        "Tree::Arguments{{{}, {ptr}, {}}, {ptr, l}}; Run<Tree>",
    ]
    result = behind_the_prelude("g++", framework, f"void Test() {{ {'(); '.join(calls)}(); }}\n")
    assert result.returncode == 0, result.stderr


SLICES = """
#include "catlass/epilogue/fusion/dequantised.hpp"
#include "catlass/epilogue/fusion/scaled_slices.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_k_visitor.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "catlass/gemm/kernel/splitk_matmul_visitor.hpp"
using namespace Gemm::Kernel;
using Mmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, GemmShape<128, 256, 256>, GemmShape<128, 256, 64>, ByRows<int8_t>, ByRows<int8_t>,
    ByRows<int32_t>>;
template <class C, class EVT>
using Block = Epilogue::Block::BlockEpilogue<Epilogue::EpilogueAtlasA2Visitor, ByRows<C>, tla::Int<2048>, EVT>;
using Times = VisitorCompute<Multiplies, float>;
template <class Product = int32_t, class C = float>
using Slices = ScaledSlices<
    64, 1,
    Block<
        Product, TopologicalVisitor<
                     tla::tuple<
                         tla::seq<>, tla::seq<>, tla::seq<>, tla::seq<2>, tla::seq<3, 0>, tla::seq<4, 1>, tla::seq<5>>,
                     VisitorColBroadcast<float>, VisitorRowBroadcast<float>, VisitorAccLoad<Product>,
                     VisitorCast<float, Product>, Times, Times, VisitorAuxStore<float>>>,
    Block<C, TreeVisitor<VisitorAuxStore<C>, VisitorAccLoad<C>>>>;
template <class Epilogue>
using Plain = MatmulVisitor<Mmad, Epilogue, Scheduler, 0>;
using Dequant = Dequantised<Block<half, Tree>>;
template <VisitorWeights WEIGHTS, bool HAS_INDEX = false, class Epilogue = Slices<>>
using Groups = GroupedMatmulSliceMVisitor<
    Mmad, Epilogue, Scheduler, 0, VisitorGroups<int64_t, VisitorGroupList::OFFSETS, WEIGHTS, HAS_INDEX>>;
template <class Layout>
using MmadOfInt4 = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, GemmShape<128, 256, 256>, GemmShape<128, 256, 64>,
    Gemm::GemmType<AscendC::int4b_t, Layout>, ByRows<AscendC::int4b_t>, ByRows<int32_t>>;
using Whole = Block<int32_t, TreeVisitor<VisitorAuxStore<int32_t>, VisitorAccLoad<int32_t>>>;
template <class Layout>
using GroupsOfInt4 = GroupedMatmulSliceMVisitor<MmadOfInt4<Layout>, Whole, Scheduler, 0>;
"""

OPERANDS = (
    ("SplitkMatmulVisitor<Mmad, Slices<>, Scheduler, 2>", "Split-K adds up slices without scales"),
    ("GroupedMatmulSliceKVisitor<Mmad, Slices<>, Scheduler, 0>", "Operands whose K lies in groups have no scales"),
    ("GroupedMatmulSliceKVisitor<Mmad, Dequant, Scheduler, 0>", "Operands whose K lies in groups have no scales"),
    ("Groups<VisitorWeights::POINTERS>", "A B that is widened, or has scales, is there for each group, in a stack"),
    (
        "Groups<VisitorWeights::STACKED, true>",
        "A B that is widened, or has scales, is there for each group, in a stack",
    ),
    (
        "Groups<VisitorWeights::POINTERS, false, Dequant>",
        "A B that is widened, or has scales, is there for each group, in a stack",
    ),
    ("GroupsOfInt4<layout::ColumnMajor>", "A group of rows could begin within a byte of A"),
    (
        "GroupedMatmulSliceKVisitor<MmadOfInt4<layout::RowMajor>, Whole, Scheduler, 0>",
        "A group of K could begin within a byte of A or B",
    ),
    ("Plain<Widened<Block<half, Tree>, Slices<>>>", "A B that is widened has no scales of slices"),
)
"""Kernels that do not take such operands, with scales or of 4 bits, and what the compiler says."""

PRODUCTS = (
    ("Plain<Slices<float>>", "The matmul and what adds up its slices must agree on C"),
    ("Plain<Slices<int32_t, int32_t>>", "The matmul and the epilogue must agree on C"),
)
"""The same of their functions, which clang++ does not read if a class is wrong."""


@pytest.mark.parametrize("cxx", compilers())
def test_the_compiler_refuses_operands_that_no_kernel_takes(framework: Path, cxx: str) -> None:
    right = "Plain<Slices<>>", "Groups<VisitorWeights::STACKED>", "GroupsOfInt4<layout::RowMajor>"
    calls = " ".join(f"Launch<{kernel}>();" for kernel in right)
    result = behind_the_prelude(cxx, framework, f"{SLICES}void Right() {{ {calls} }}\n")
    assert result.returncode == 0, result.stderr
    for refused in (OPERANDS, PRODUCTS):
        wrong = "".join(f"void Wrong{i}() {{ Launch<{kernel}>(); }}\n" for i, (kernel, _) in enumerate(refused))
        stderr = behind_the_prelude(cxx, framework, SLICES + wrong).stderr
        errors = "".join(line for line in stderr.splitlines() if " error: " in line)
        assert {words: errors.count(words) for _, words in refused} == Counter(words for _, words in refused), stderr


TILES = """
using Sums = TreeVisitor<D, TreeVisitor<Sum, Load, X>>;
using C = Gemm::GemmType<half, layout::RowMajor>;
template <uint32_t LENGTH, uint32_t BUFFERS>
constexpr uint32_t LENGTH_OF = Epilogue::Block::BlockEpilogue<
    Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, BUFFERS>, C, tla::Int<LENGTH>, Sums>::COMPUTE_LENGTH;
static_assert(LENGTH_OF<10240, 3> == 10240);
// All of UB, three tiles in each of two buffers
static_assert(LENGTH_OF<Arch::AtlasA2::UB_SIZE / 3 / 2 / sizeof(half), 2> == 15616);
static_assert(LENGTH_OF<11680, 3> == 10240);
"""


@pytest.mark.parametrize("cxx", compilers())
def test_tiles_that_do_not_fit_are_refused(framework: Path, cxx: str) -> None:
    """With the bytes that they take, those that there are, and the length that fits."""
    result = behind_the_prelude(cxx, framework, TILES)
    assert result.returncode == 0, result.stderr
    result = behind_the_prelude(cxx, framework, f"{TILES}\nuint32_t length = LENGTH_OF<11712, 3>;\n")
    assert result.returncode != 0
    said = re.search(r"BuffersFitUb<11712, (\d+), 3, 188160, 10240>", result.stderr)
    assert said and 3 * int(said[1]) > 188160 and "FITTING_LENGTH as COMPUTE_LENGTH" in result.stderr, result.stderr


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
    result = behind_the_prelude(cxx, framework, FOREIGN)
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
    result = behind_the_prelude(cxx, framework, BARRIERS)
    assert result.returncode == 0, result.stderr
