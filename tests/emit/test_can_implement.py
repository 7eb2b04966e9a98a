"""What the emitted C++ says of arguments before a launch: layouts that it cannot copy are refused, never run."""

from __future__ import annotations

import subprocess

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, float32, half, int4, int8, int32, nZ, zN
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.nodes import (
    AccLoad,
    AStatistic,
    AuxLoad,
    AuxStore,
    Cast,
    ColBroadcast,
    ColReduce,
    Compute,
    RowBroadcast,
    RowReduce,
)
from evtgen.planner.plan import lower

from ..support import seeds
from ..support.cpp import INCLUDES

pytestmark = pytest.mark.cxx

MAIN = """
#include "kernel_operator.h"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "add.hpp"
#include "split.hpp"
#include "batched.hpp"
#include "grouped.hpp"
#include "weights.hpp"
#include "fractal.hpp"
#include "both.hpp"
#include "both_fractal.hpp"
#include "sliced.hpp"
#include "nibbles.hpp"
#include "nibbles_widened.hpp"
#include "nibbles_grouped.hpp"
#include "digits.hpp"
#include "statistics.hpp"
#include <cstdio>
using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;
using layout::RowMajor;
constexpr uint32_t M = 5, N = 7, K = 3, COUNT = 2;
uint8_t byte;
GM_ADDR const data = &byte;
uint8_t otherByte;
GM_ADDR const other = &otherByte;
GemmCoord const problem{M, N, 1};

using Load = VisitorAuxLoad<half, RowMajor>;
using Optional = VisitorAuxLoad<half, RowMajor, true>;
using Store = VisitorAuxStore<half, RowMajor>;
using ColumnStore = VisitorAuxStore<half, layout::ColumnMajor>;
using PackedStore = VisitorAuxStore<AscendC::int4b_t, RowMajor>;
using ColumnLoad = VisitorAuxLoad<half, layout::ColumnMajor>;
using Row = VisitorRowBroadcast<half, RowMajor>;
using OptionalRow = VisitorRowBroadcast<half, RowMajor, true>;
using OptionalColumn = VisitorColBroadcast<half, RowMajor, true>;
using OptionalScalar = VisitorScalarBroadcast<half, RowMajor, true>;
using RowSum = VisitorRowReduce<Plus, half, RowMajor>;
using Column = VisitorColBroadcast<half, RowMajor>;
using ColumnSum = VisitorColReduce<Plus, half, RowMajor>;
using Scalar = VisitorScalarBroadcast<half, RowMajor>;
using Sum = VisitorScalarReduce<Plus, half, RowMajor>;
using RowStore = VisitorRowStore<half>;
using ColStore = VisitorColStore<half>;
using ScalarStore = VisitorScalarStore<half>;
using Gather = VisitorAuxGather<half>;
using Scatter = VisitorAuxScatter<half>;
using Ranked = VisitorRankScatter<half>;
using BlockStore = VisitorBlockStore<half, RowMajor, 32>;
using Heads = VisitorHeadBroadcast<half, RowMajor, 64>;
using Turned = VisitorRotate<float, 64>;
using Accumulator = VisitorAccLoad<float>;
using InUb = VisitorAccLoad<float, true>;
using Kept = VisitorInWorkspace<0, VisitorAuxStore<float>>;
using KeptRow = VisitorInWorkspace<0, VisitorRowStore<float>>;
using Ordered = VisitorInOrder<128, 256, RowSum>;

// A node of somebody else, which does not say why.
struct Silent : VisitorAccLoad<half> {
    using VisitorAccLoad<half>::VisitorAccLoad;

    template <class ProblemShape>
    static bool can_implement(ProblemShape const& shape, Arguments const&)
    {
        return shape.m() == M;
    }
};
using Tree = TreeVisitor<Store, TreeVisitor<VisitorCompute<Plus, half>, VisitorAccLoad<half>, Column>>;
using Quiet = TreeVisitor<Store, Silent>;
using Topological = TopologicalVisitor<tla::tuple<tla::seq<>, tla::seq<0>, tla::seq<1>>, Row, Store, ColumnSum>;
// Arguments that are right, but for one change.
template <class Epilogue, class Kernel, class Change>
Verdict After(Change change, typename Kernel::Arguments args)
{
    Epilogue evt{};
    evt.X = evt.D = data;
    evt.layoutX = evt.layoutD = RowMajor{args.problemShape.m(), args.problemShape.n()};
    change(args, evt);
    args.evt_args = evt.ToEvt();
    return Kernel::CanImplement(args);
}

template <class Epilogue>
void AddVectors(Epilogue& evt, GemmCoord const& shape)
{
    evt.row = evt.sum = evt.column = evt.least = data;
    evt.layoutRow = evt.layoutSum = RowMajor{1, shape.n()};
    evt.layoutColumn = evt.layoutLeast = RowMajor{shape.m(), 1};
}

template <class Change>
Verdict Batched(Change change, GemmCoord const& shape = {M, N, K}, uint32_t count = COUNT)
{
    auto whole = [=](auto& args, auto& evt) {
        AddVectors(evt, shape);
        change(args, evt);
    };
    return After<Evt::batched::Arguments, Evt::batched::Kernel>(whole, {count, shape, data, data, {}});
}

template <class Change>
Verdict Grouped(Change change, GemmCoord const& shape = {M, N, K}, uint32_t count = COUNT)
{
    auto whole = [=](auto& args, auto& evt) {
        AddVectors(evt, shape);
        args.ptrWeightIndex = data;
        change(args, evt);
    };
    return After<Evt::grouped::Arguments, Evt::grouped::Kernel>(whole, {shape, count, data, data, data, {}});
}

template <class Change>
Verdict Weights(Change change, GemmCoord const& shape = {M, N, K})
{
    return After<Evt::weights::Arguments, Evt::weights::Kernel>(change, {shape, data, data, {}});
}

template <class Change>
Verdict Fractal(Change change, GemmCoord const& shape = {M, N, K})
{
    return After<Evt::fractal::Arguments, Evt::fractal::Kernel>(change, {shape, data, data, {}});
}

template <class Change>
Verdict Both(Change change, GemmCoord const& shape = {M, N, K})
{
    return After<Evt::both::Arguments, Evt::both::Kernel>(change, {shape, data, data, {}});
}

template <class Change>
Verdict BothFractal(Change change, GemmCoord const& shape = {M, N, K}, uint32_t count = COUNT)
{
    return After<Evt::both_fractal::Arguments, Evt::both_fractal::Kernel>(change, {count, shape, data, data, {}});
}

template <class Change>
Verdict Plain(Change change, GemmCoord const& shape = {M, N, K})
{
    return After<Evt::add::Arguments, Evt::add::Kernel>(change, {shape, data, data, {}});
}

using Kernel = Evt::add::Kernel;
Evt::add::Arguments const add{data, RowMajor{M, N}, data, RowMajor{M, N}};

Verdict Splits(GemmCoord const& shape, uint32_t factor)
{
    RowMajor layout{shape.m(), shape.n()};
    Evt::split::Arguments arguments{data, layout, data, layout};
    return Evt::split::Kernel::CanImplement({shape, data, data, arguments.ToEvt(), 1, {}, {}, factor});
}

template <class Change>
Verdict Nibbles(Change change, GemmCoord const& shape = {M, 2 * N, 2 * K}, uint32_t count = COUNT)
{
    return After<Evt::nibbles::Arguments, Evt::nibbles::Kernel>(change, {count, shape, data, data, {}});
}

template <class Change>
Verdict NibblesWidened(Change change, GemmCoord const& shape = {M, 2 * N, 2 * K}, uint32_t count = COUNT)
{
    return After<Evt::nibbles_widened::Arguments, Evt::nibbles_widened::Kernel>(change, {count, shape, data, data, {}});
}

template <class Change>
Verdict NibblesGrouped(Change change, GemmCoord const& shape = {M, 2 * N, 2 * K}, uint32_t count = COUNT)
{
    return After<Evt::nibbles_grouped::Arguments, Evt::nibbles_grouped::Kernel>(
        change, {shape, count, data, data, data, {}});
}

template <class Change>
Verdict Digits(Change change, GemmCoord const& shape = {M, 2 * N, 2 * K})
{
    return After<Evt::digits::Arguments, Evt::digits::Kernel>(change, {shape, data, data, {}});
}

template <class Change>
Verdict Statistics(Change change, GemmCoord const& shape = {M, N, K})
{
    return After<Evt::statistics::Arguments, Evt::statistics::Kernel>(change, {shape, data, data, {}});
}

Verdict Sliced(uint32_t slices, uint32_t aicCoreNum)
{
    GemmCoord shape{128 << 10, 256 << 10, 32 * slices};
    Evt::sliced::Arguments evt{data, {shape.m(), slices}, data, {slices, shape.n()}, data, {shape.m(), shape.n()}};
    return Evt::sliced::Kernel::CanImplement({shape, data, data, evt.ToEvt(), aicCoreNum});
}

int main()
{
    Verdict answers[] = {ANSWERS};
    for (Verdict const& answer : answers) {
        std::printf("%d %s\\n", answer.node, answer ? "yes" : answer.reason);
    }
}
"""


def nodes(names: str, *arguments: str) -> list[str]:
    return [f"{name}::can_implement(problem, {name}::Arguments{{{a}}})" for name in names.split() for a in arguments]


def batched(*arguments: str) -> list[str]:
    """A column-major output of a batch: its layout, and its stride."""
    return [
        f"ColumnStore::can_implement(BatchedProblemShape{{problem, COUNT}}, {{data, layout::ColumnMajor{a}}})"
        for a in arguments
    ]


def packed(columns: str, stride: str) -> str:
    """An output of a batch with two elements in a byte."""
    shape = f"BatchedProblemShape{{GemmCoord{{M, {columns}, 1}}, COUNT}}"
    return f"PackedStore::can_implement({shape}, {{data, RowMajor{{M, {columns}}}, {stride}}})"


def changed(kernels: str, *changes: str, shape: str = "") -> list[str]:
    """Launches of kernels, each with a change of its arguments, at another shape and count if they are given."""
    given = f", {shape}" if shape else ""
    return [
        f"{kernel}([](auto& args, auto& evt) {{ {change}; }}{given})"
        for kernel in kernels.split()
        for change in changes
    ]


def wide(names: str, m: str, n: str) -> list[str]:
    """Nodes without arguments, at another shape."""
    return [f"{name}::can_implement(GemmCoord{{{m}, {n}, 1}}, {{}})" for name in names.split()]


ALL = "Plain Batched Grouped Weights Fractal"
STRIDED = "Plain Batched Grouped Weights"

ACCEPTED = [
    *(f"{node}::can_implement(BatchedProblemShape{{problem, COUNT}}, {{data, RowMajor{{9, N}}, data, RowMajor{{M, 1}}}}"
      ")" for node in ("Gather", "Scatter")),
    *nodes("Load Optional Store", "data, RowMajor{M, N}", "data, RowMajor{M, N, N + 3}"),
    *nodes("ColumnLoad ColumnStore", "data, layout::ColumnMajor{M, N}", "data, layout::ColumnMajor{M, N, M + 3}"),
    # Of a batch, one behind the other, and side by side in the columns of one matrix
    *batched("{M, N}, N * M", "{M, N, M + 3}, N * (M + 3)", "{M, N, COUNT * M}, M", "{M, N, COUNT * (M + 2)}, M + 2"),
    *nodes("Optional OptionalRow OptionalColumn OptionalScalar", "nullptr"),
    *nodes("Row OptionalRow RowSum", "data, RowMajor{1, N}", "data, RowMajor{1, N, N + 3}"),
    *nodes("Column OptionalColumn ColumnSum", "data, RowMajor{M, 1}"),
    *nodes("Scalar OptionalScalar Sum", "data, RowMajor{1, 1}", "data, RowMajor{1, 1, 3}"),
    *nodes("Tree", "{{}, {data, RowMajor{M, 1}}, {}}, {data, RowMajor{M, N}}"),
    *nodes("Topological", "{data, RowMajor{1, N}}, {data, RowMajor{M, N}}, {data, RowMajor{M, 1}}"),
    *nodes("Quiet", "{}, {data, RowMajor{M, N}}"),
    *nodes("RowStore Ordered", "data, RowMajor{1, N}"),
    *nodes("ColStore", "data, RowMajor{M, 1}"),
    *nodes("ScalarStore", "data, RowMajor{1, 1}"),
    *nodes("Gather Scatter", *(f"data, RowMajor{{9, {row}}}, data, RowMajor{{M, 1}}" for row in ("N", "N, N + 3"))),
    *nodes("Ranked", "data, RowMajor{9, N}, data, RowMajor{M, 1}, data, RowMajor{M, 1}, 8",
           "data, RowMajor{9, N}, data, RowMajor{M, 1}, data, RowMajor{M, 1}, 0"),
    # Lines so far apart as a copy can leave bytes out between them; of one line that is nothing.
    *nodes("Load Optional Store", "data, RowMajor{M, N, 0x7FFFFFFF}"),
    *nodes("ColumnLoad ColumnStore", "data, layout::ColumnMajor{M, N, 0x7FFFFFFF}"),
    *nodes("Row RowSum RowStore", "data, RowMajor{1, N, int64_t{1} << 40}"),
    *nodes("Gather Scatter", "data, RowMajor{0x7FFFFFFF, N, int64_t{1} << 40}, data, RowMajor{M, 1}"),
    *wide("Accumulator InUb Kept KeptRow", "M", "(1u << 30) - 1"),
    *wide("Accumulator Kept", "1", "1u << 30"),
    *wide("InUb KeptRow", "M", "1u << 30"),
    "Kernel::CanImplement({problem, data, data, add.ToEvt()})",
    # Products that end within 32 bits of bytes of each other
    *(
        f"Splits({{{size}}}, {factor})"
        for size, factor in (("M, N, 9999", 1), ("M, N, 1", 256), ("65536, 16383, 1", 2))
    ),
    *(packed("8", stride) for stride in ("PACKED", "M * 8", "M * 8 + 2")),
    "Sliced(2047, 512)",
    *changed(ALL, "", "args.aicCoreNum = 1"),
    *changed(STRIDED, "args.layoutA = {M, K}", "args.layoutA = {M, K, K + 3}"),
    *changed("Plain Batched", "args.layoutB = {K, N}", "args.layoutB = {K, N, N + 3}"),
    *changed("Grouped Weights", "args.layoutB = {K, N}", "args.layoutB = {K, N, K + 3}"),
    *changed("Fractal", *(f"args.layout{of} = {{}}" for of in "AB"),
             "args.layoutA = args.layoutA.template MakeLayout<half>(M, K)",
             "args.layoutB = args.layoutB.template MakeLayout<half>(K, N)",
             # Fractals of other rows, or columns, between those of two.
             "args.layoutA = args.layoutA.template MakeLayout<half>(M, K); args.layoutA.stride(3) *= 2",
             "args.layoutB = args.layoutB.template MakeLayout<half>(K, N); args.layoutB.stride(1) *= 2"),
    # Shared, or as far apart as anyone likes; what is written has room.
    *changed("Batched", "args.strideA = 0", "args.strideA = 1", "evt.strideX = 0", "evt.strideX = 1",
             "evt.strideColumn = 0", "args.repeatA = 3", "args.repeatB = 2; evt.repeatX = 9",
             "evt.strideD = M * N", "evt.layoutD = {M, N, N + 3}; evt.strideD = M * (N + 3)",
             # One behind the other, or side by side.
             "evt.layoutD = {M, N, COUNT * N}; evt.strideD = N",
             "evt.layoutD = {M, N, COUNT * (N + 3)}; evt.strideD = N + 3",
             "evt.strideLeast = 0", "evt.strideLeast = M", "args.batchCount = 1; evt.strideD = 0"),
    # Side by side in the rows of one matrix, also with gaps
    *changed("Batched", *(f"evt.layoutD = {{M, N, COUNT * (N + 2)}}; evt.strideD = {stride}" for stride in
                          ("N", "N + 2", "M * COUNT * (N + 2)"))),
    *changed("Nibbles NibblesWidened NibblesGrouped", "", "args.strideB = 0", "args.strideB = 2"),
    *changed("Nibbles", "args.strideA = 3 * M * K + 1"),
    # Vector cores load an A of which they make digits or statistics.
    *changed("Digits", "args.layoutA = {M, 2 * K, 0xFFFFFFFF}", "args.layoutA = {M, 2 * K, 2 * K + 1}"),
    *changed("Digits", "args.layoutA = {1, 2 * K, 0x100000000}", shape="{1, 2 * N, 2 * K}"),
    *changed("Statistics", "args.layoutA = {M, K, 0x7FFFFFFF}"),
    *changed("Plain", "args.layoutA = {M, K, 0x80000000}"),
    *changed("Digits", "", shape="{0x2AAAAAAA, 2 * N, 2 * K}"),
    *changed("Digits", "", shape="{M, 2 * N, 0x7FFFFFFE}"),
    *changed("Batched Grouped", "args.strideB = 0", "args.strideB = 1", "args.strideB = 1 << 20", "evt.strideRow = 0",
             "evt.strideRow = 1", "evt.strideSum = 0", "evt.strideSum = N", "evt.strideSum = int64_t{1} << 40"),
    # The B of a second accumulator: the second half of the columns of the first, or one of its own.
    *changed("Both BothFractal", "args.ptrB2 = other"),
    *changed("Both", "args.ptrB2 = data", "args.ptrB2 = data; args.layoutB = {K, 2 * N}",
             "args.ptrB2 = data; args.layoutB = {K, 2 * N, 2 * N + 3}", "args.ptrB2 = data; args.layoutB2 = {K, N}",
             "args.ptrB2 = other; args.layoutB = {K, N, N + 3}; args.layoutB2 = {K, N, N + 2}"),
    *changed("BothFractal", "args.ptrB2 = other; args.strideB2 = 0", "args.ptrB2 = other; args.strideB2 = 1 << 20"),
    *changed("BothFractal", "args.ptrB2 = data", shape="{M, 32, K}"),
    # One row, or block, fewer than too many.
    *changed("Batched", "", shape="{1, N, K}, 0x7FFFFFFF"),
    *changed("Batched", "", shape="{128 << 10, 256 << 10, K}, (1 << 11) - 1"),
    *changed("Plain Grouped", "", shape="{0x7FFFFFFF, N, K}"),
    *changed("Plain Grouped", "", shape="{M, 0x7FFFFFFF, K}"),
    *changed("Plain Weights", "", shape="{128 << 16, 256 * 0x7FFF, K}"),
    *changed("Grouped", "", shape="{1 << 16, 256 * 0x7FFF, K}, 1 << 20"),
    *changed("Grouped", "", shape="{M, N, K}, 0xFFFFFFFF"),
    *changed("Grouped", "args.problemCount = 0; args.ptrGroupList = nullptr",
             "args.problemCount = 0; args.ptrWeightIndex = nullptr"),
]  # fmt: skip

REFUSED = [
    *nodes("RowStore Ordered ColStore ScalarStore Gather Scatter", "nullptr"),
    *nodes("Load Optional Store", "data, RowMajor{M, N, 0x80000000}", "data, RowMajor{M, N, int64_t{1} << 40}"),
    *nodes("ColumnLoad ColumnStore", "data, layout::ColumnMajor{M, N, 0x80000000}"),
    *nodes("Gather Scatter", "data, RowMajor{0x80000000, N}, data, RowMajor{M, 1}"),
    *wide("Accumulator Kept", "M", "1u << 30"),
    *nodes("RowStore Ordered", "data, RowMajor{1, N + 1}", "data, RowMajor{2, N}"),
    *nodes("ColStore", "data, RowMajor{M + 1, 1}", "data, RowMajor{M, 2}", "data, RowMajor{M, 1, 2}"),
    *nodes("ScalarStore", "data, RowMajor{1, 2}", "data, RowMajor{2, 1}"),
    *nodes("Gather Scatter", "data, RowMajor{9, N}", "data, RowMajor{9, N + 1}, data, RowMajor{M, 1}",
           "data, RowMajor{9, N, N - 1}, data, RowMajor{M, 1}", "data, RowMajor{9, N}, data, RowMajor{M + 1, 1}",
           "data, RowMajor{9, N}, data, RowMajor{M, 2}", "data, RowMajor{9, N}, data, RowMajor{M, 1, 2}"),
    *nodes("Ranked", "nullptr", "data, RowMajor{9, N}, data, RowMajor{M, 1}",
           *(f"data, RowMajor{{9, N}}, data, RowMajor{{M, 1}}, data, RowMajor{{{size}}}, 8" for size in
             ("M + 1, 1", "M, 2", "M, 1, 2")),
           "data, RowMajor{9, N + 1}, data, RowMajor{M, 1}, data, RowMajor{M, 1}, 8"),
    "Scatter::can_implement(BatchedProblemShape{problem, COUNT}, {data, RowMajor{9, N}, data, RowMajor{M, 1}, 0})",
    "Ordered::can_implement(GemmCoord{M, 1u << 31, 1}, {data, RowMajor{1, 1u << 31}})",
    "Quiet::can_implement(GemmCoord{M + 1, N, 1}, {{}, {data, RowMajor{M + 1, N}}})",
    *nodes("ColumnLoad ColumnStore", "nullptr", "data, layout::ColumnMajor{M, N, M - 1}",
           *(f"data, layout::ColumnMajor{{{size}}}" for size in ("M + 1, N", "M, N + 1", "N, M"))),
    *batched("{M, N}, N * M - 1", "{M, N, COUNT * M}, M - 1", "{M, N, COUNT * M}, M + 1", "{M, N, N}, N"),
    *nodes("Load Store Row RowSum Column ColumnSum Scalar Sum", "nullptr"),
    # Of another shape, or the other way round.
    *nodes("Load Optional Store", "data, RowMajor{M + 1, N}", "data, RowMajor{M, N + 1}", "data, RowMajor{N, M}"),
    *nodes("Row OptionalRow RowSum", "data, RowMajor{1, N + 1}", "data, RowMajor{2, N}", "data, RowMajor{N, 1}"),
    *nodes("Column OptionalColumn ColumnSum", "data, RowMajor{M + 1, 1}", "data, RowMajor{M, 2}",
           "data, RowMajor{1, M}"),
    *nodes("Scalar OptionalScalar Sum", "data, RowMajor{1, 2}", "data, RowMajor{2, 1}"),
    # Rows that overlap; a column out of a matrix, whose values lie apart.
    *nodes("Load Optional Store", "data, RowMajor{M, N, N - 1}", "data, RowMajor{M, N, 0}"),
    *nodes("Column ColumnSum", "data, RowMajor{M, 1, 2}", "data, RowMajor{M, 1, N}"),
    # One of several.
    *nodes("Tree", "{{}, {data, RowMajor{M, 1, 2}}, {}}, {data, RowMajor{M, N}}",
           "{{}, {data, RowMajor{M, 1}}, {}}, {data, RowMajor{N, M}}"),
    *nodes("Topological", "{data, RowMajor{1, N}}, {data, RowMajor{M, N}}, {data, RowMajor{M, 1, 2}}",
           "{data, RowMajor{1, N}}, {nullptr}, {data, RowMajor{M, 1}}"),
    "Kernel::CanImplement({problem, data, data, Evt::add::Arguments{}.ToEvt()})",
    *(f"Splits({{{size}}}, {factor})" for size, factor in (("M, N, 0", 2), ("M, N, 9999", 0), ("M, N, 9999", 257),
                                                          ("65536, 16384, 1", 2))),
    *changed(ALL, "args.ptrA = nullptr", "args.ptrB = nullptr", "args.aicCoreNum = 0", "evt.X = nullptr",
             "evt.D = nullptr", "evt.layoutX = {M, N + 1}", "evt.layoutD = {M + 1, N}", "evt.layoutD = {M, N, N - 1}"),
    *(case for size in ("0, N, K", "M, 0, K", "M, N, 0") for case in changed(ALL, "", shape=f"{{{size}}}")),
    *changed(STRIDED, "args.layoutA = {M + 1, K}", "args.layoutA = {M, K + 1}", "args.layoutA = {K, M}",
             "args.layoutA = {M, K, K - 1}", "args.layoutB = {K, N + 1}", "args.layoutB = {K + 1, N}",
             "args.layoutB = {N, K}"),
    *changed("Plain Batched", "args.layoutB = {K, N, N - 1}"),
    *changed("Grouped Weights", "args.layoutB = {K, N, K - 1}"),
    *changed("Fractal", *(f"args.layout{of} = args.layout{of}.template MakeLayout<{T}>({size})" for of, T, size in (
        ("A", "half", "M + 1, K"), ("A", "half", "M, K + 1"), ("A", "half", "K, M"), ("A", "float", "M, K"),
        ("A", "int8_t", "M, K"), ("B", "half", "K + 1, N"), ("B", "half", "K, N + 1"), ("B", "float", "K, N"))),
             "args.layoutA = args.layoutA.template MakeLayout<half>(M, K); args.layoutA.stride(3) -= 1",
             "args.layoutB = args.layoutB.template MakeLayout<half>(K, N); args.layoutB.stride(1) -= 1"),
    *changed("Batched", "args.repeatA = 0", "args.repeatB = 0", "evt.repeatX = 0", "evt.repeatColumn = 0"),
    *changed("Batched", "args.batchCount = 0", "args.strideA = -2", "evt.strideX = -2", "evt.strideColumn = -2",
             # Of what matmuls write, the parts do not overlap; what they join may be one.
             "evt.strideD = -2", "evt.strideD = 0", "evt.strideD = M * N - 1",
             "evt.layoutD = {M, N, N + 3}; evt.strideD = M * (N + 3) - 1", "evt.strideLeast = -2",
             "evt.layoutD = {M, N, COUNT * N - 1}; evt.strideD = N",
             "evt.layoutD = {M, N, COUNT * N}; evt.strideD = N - 1",
             "evt.layoutD = {M, N, COUNT * N}; evt.strideD = N + 1",
             "evt.strideLeast = M - 1"),
    *changed("Nibbles", "args.strideA = 3 * M * K"),
    *changed("Digits", "args.layoutA = {M, 2 * K, 0x100000000}"),
    *changed("Statistics", "args.layoutA = {M, K, 0x80000000}"),
    # The rows of digits are three times those of A.
    *changed("Digits", "", shape="{0x2AAAAAAB, 2 * N, 2 * K}"),
    *changed("Digits", "", shape="{M, 2 * N, 0x80000000}"),
    *changed("Nibbles NibblesWidened NibblesGrouped", "args.strideB = 1"),
    *changed("Batched", *(f"evt.layoutD = {{M, N, COUNT * (N + 2)}}; evt.strideD = {stride}" for stride in
                          ("N - 1", "N + 5", "COUNT * (N + 2)"))),
    *changed("Batched Grouped", "args.strideB = -2", "evt.strideRow = -2", "evt.strideSum = -2", "evt.strideSum = 1",
             "evt.strideSum = N - 1", "evt.row = nullptr", "evt.sum = nullptr", "evt.column = nullptr"),
    *changed("Grouped", "args.ptrGroupList = nullptr", "args.ptrWeightIndex = nullptr"),
    *changed("Both BothFractal", "", "args.ptrB2 = other; args.ptrB = nullptr"),
    *changed("Both", "args.ptrB = args.ptrB2 = nullptr", "args.ptrB2 = data; args.layoutB = {K, N}",
             "args.ptrB2 = other; args.layoutB = {K, 2 * N}", "args.ptrB2 = other; args.layoutB2 = {K, 2 * N}",
             "args.ptrB2 = other; args.layoutB2 = {K, N, N - 1}", "args.ptrB2 = other; args.layoutB2 = {N, K}"),
    *changed("BothFractal", "args.ptrB2 = other; args.strideB2 = -2", "args.ptrB2 = data"),
    # A half that begins within a fractal.
    *(case for n in (8, 24) for case in changed("BothFractal", "args.ptrB2 = data", shape=f"{{M, {n}, K}}")),
    # Rows, or blocks, are counted in 31 bits.
    *changed("Batched", "", shape="{1, N, K}, 0x80000000"),
    *changed("Batched", "", shape="{128 << 10, 256 << 10, K}, 1 << 11"),
    *changed("Plain Grouped", "", shape="{0x80000000, N, K}"),
    *changed("Plain Grouped", "", shape="{M, 0x80000000, K}"),
    *changed("Plain Grouped", "", shape="{M, 0xFFFFFFFF, K}"),
    *changed("Plain Weights", "", shape="{128 << 16, 256 << 15, K}"),
    *changed("Grouped", "", shape="{1 << 16, 256 << 15, K}, 1 << 20"),
    *changed("Grouped", "", shape="{128 << 16, 256 << 15, K}"),
]  # fmt: skip


VECTORS = TreeVisitor(
    ColReduce("least", "Minimum", float32, 0.0),
    TreeVisitor(
        RowReduce("sum", "Plus", float32, 0.0),
        TreeVisitor(
            Compute("Plus", float32),
            TreeVisitor(
                Compute("Plus", float32),
                TreeVisitor(Cast(float32, half), seeds.ADD.root),
                RowBroadcast("row", float32),
            ),
            ColBroadcast("column", float32),
        ),
    ),
)
"""ADD, with vectors that are read and written."""

OF_INTS = TreeVisitor(AuxStore("D", int32), TreeVisitor(Compute("Plus", int32), AccLoad(int32), AuxLoad("X", int32)))

WITH_SUMS = TreeVisitor(
    AuxStore("D", float32),
    TreeVisitor(
        Compute("Plus", float32),
        TreeVisitor(Compute("Plus", float32), AccLoad(float32), AuxLoad("X", float32)),
        AStatistic("a_sum"),
    ),
)

BOTH = TreeVisitor(
    AuxStore("D", half),
    TreeVisitor(
        Compute("Plus", half),
        TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half)),
        AccLoad(half, index=1),
    ),
)
"""ADD, with a second accumulator."""

OTHERS = [
    lower(Epilogue(name, root, gemm=gemm))
    for name, root, gemm in (
        ("batched", VECTORS, Gemm(batch=True)),
        ("grouped", VECTORS, Gemm(group="m", layout_b=ColumnMajor, weight_index=True)),
        ("weights", seeds.ADD.root, Gemm(a=half, b=int8, layout_b=ColumnMajor)),
        ("fractal", seeds.ADD.root, Gemm(layout_a=zN, layout_b=nZ)),
        ("both", BOTH, Gemm(accumulators="halves")),
        ("sliced", TreeVisitor(AuxStore("D", float32), AccLoad(float32)), Gemm(a=int8, b=int8, scale="group:32")),
        ("nibbles", OF_INTS, Gemm(a=int4, b=int4, batch=True)),
        ("nibbles_grouped", OF_INTS, Gemm(a=int4, b=int4, group="m")),
        ("nibbles_widened", seeds.ADD.root, Gemm(a=half, b=int4, batch=True)),
        ("digits", OF_INTS, Gemm(a=int8, b=int4, msd=True)),
        ("statistics", WITH_SUMS, Gemm(c=float32)),
        ("both_fractal", BOTH, Gemm(accumulators="separate", batch=True, layout_b=nZ)),
    )
]


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    cases = list(dict.fromkeys([*ACCEPTED, *REFUSED, *(case for _, case in REASONS)]))
    framework = Framework()
    split = lower(Epilogue("split", seeds.ADD.root, gemm=Gemm(split_k=4)))
    plans = (seeds.plan(seeds.ADD), split, *OTHERS)
    headers = {path: text for plan in plans for path, text in epilogue_files(plan, framework).items()}
    headers.update(framework_files(framework))
    main = MAIN.replace("ANSWERS", ",\n".join(cases))
    program = compile_program(find_compiler(), main, headers, extra_flags=["-DCATLASS_ARCH=2201"], system=INCLUDES)
    said = subprocess.run([program.path], capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(zip(cases, said, strict=True))


REASONS = [
    ("-1 C has 2^31 or more rows, columns or blocks", "Plain([](auto& args, auto& evt) { ; }, {0x80000000, N, K})"),
    *(
        ("-1 C is added up from 2^31 or more blocks of products", f"Sliced({slices}, {cores})")
        for slices, cores in ((2048, 1), (2047, 513), (0x7FFFFFF, 1))
    ),
    *(
        ("-1 the leading dimension of layoutA is more than 2^32 - 1 bytes", case)
        for case in (
            *changed("Digits", "args.layoutA = {M, 2 * K, 0x100000000}"),
            *changed("Statistics", "args.layoutA = {M, K, 0x80000000}"),
        )
    ),
    *(
        ("-1 the digits of A have 2^31 or more rows or columns", changed("Digits", "", shape=shape)[0])
        for shape in ("{0x2AAAAAAB, 2 * N, 2 * K}", "{M, 2 * N, 0x80000000}")
    ),
    ("-1 a row would end within a byte", packed("7", "PACKED")),
    ("-1 the tensor of a matmul would begin within a byte", packed("8", "M * 8 + 1")),
    ("-1 M, N or K is 0", "Splits({M, N, 0}, 2)"),
    (
        "-1 a leading dimension of layoutA is too short",
        "Plain([](auto& args, auto& evt) { args.layoutA = {M, K, K - 1}; })",
    ),
    (
        "-1 a leading dimension of layoutB is too short",
        "Plain([](auto& args, auto& evt) { args.layoutB = {K, N, N - 1}; })",
    ),
    (
        "-1 a leading dimension of layoutB2 is too short",
        "Both([](auto& args, auto& evt) { args.ptrB2 = other; args.layoutB2 = {K, N, N - 1}; })",
    ),
    (
        "-1 a part of a reduction in order has 2^32 bytes or more",
        "Ordered::can_implement(GemmCoord{M, 1u << 31, 1}, {data, RowMajor{1, 1u << 31}})",
    ),
    ("-1 a row of C is more than 2^32 - 1 bytes", wide("Accumulator", "M", "1u << 30")[0]),
    ("-1 a row that is kept in the workspace is more than 2^32 - 1 bytes", wide("Kept", "M", "1u << 30")[0]),
    ("-1 aicCoreNum is 0", "Plain([](auto& args, auto& evt) { args.aicCoreNum = 0; })"),
    ("-1 batchCount is 0", "Batched([](auto& args, auto& evt) { args.batchCount = 0; })"),
    (
        "-1 layout has more rows than an int32_t can number",
        "Scatter::can_implement(problem, Scatter::Arguments{data, RowMajor{0x80000000, N}, data, RowMajor{M, 1}})",
    ),
    ("-1 layout does not have one column", "Sum::can_implement(problem, Sum::Arguments{data, RowMajor{1, 2}})"),
    ("-1 layout does not have one row", "Row::can_implement(problem, Row::Arguments{data, RowMajor{2, N}})"),
    ("-1 layoutA is not one of M x K", "Plain([](auto& args, auto& evt) { args.layoutA = {K, M}; })"),
    (
        "-1 layoutB is not one of K x 2N",
        "Both([](auto& args, auto& evt) { args.ptrB2 = data; args.layoutB = {K, N}; })",
    ),
    ("-1 layoutB is not one of K x N", "Plain([](auto& args, auto& evt) { args.layoutB = {N, K}; })"),
    (
        "-1 layoutB2 is not one of K x N",
        "Both([](auto& args, auto& evt) { args.ptrB2 = other; args.layoutB2 = {N, K}; })",
    ),
    (
        "-1 layout_rows is not one of M x 1",
        "Gather::can_implement(problem, Gather::Arguments{data, RowMajor{9, N}, data, RowMajor{M, 2}})",
    ),
    (
        "-1 layout_ranks is not one of M x 1",
        "Ranked::can_implement(problem, Ranked::Arguments{data, RowMajor{9, N}, data, RowMajor{M, 1}, data, "
        "RowMajor{M, 2}, 8})",
    ),
    ("-1 ptrA is null", "Plain([](auto& args, auto& evt) { args.ptrA = nullptr; })"),
    ("-1 ptrB is null", "Plain([](auto& args, auto& evt) { args.ptrB = nullptr; })"),
    ("-1 ptrB2 is null", "Both([](auto& args, auto& evt) { ; })"),
    ("-1 ptrGroupList is null", "Grouped([](auto& args, auto& evt) { args.ptrGroupList = nullptr; })"),
    ("-1 ptrWeightIndex is null", "Grouped([](auto& args, auto& evt) { args.ptrWeightIndex = nullptr; })"),
    ("-1 ptr_blocks is null", "BlockStore::can_implement(problem, BlockStore::Arguments{nullptr})"),
    (
        "-1 layout does not have a column for each block",
        "BlockStore::can_implement(problem, BlockStore::Arguments{data, RowMajor{M, N}})",
    ),
    ("-1 N is not a multiple of HEAD", "Turned::can_implement(problem, Turned::Arguments{})"),
    (
        "-1 layout does not have HEAD columns",
        "Heads::can_implement(GemmCoord{M, 128, K}, Heads::Arguments{data, RowMajor{M, 128}})",
    ),
    ("-1 ptr_col_out is null", "ColStore::can_implement(problem, ColStore::Arguments{nullptr})"),
    (
        "-1 ptr_ranks is null",
        "Ranked::can_implement(problem, Ranked::Arguments{data, RowMajor{9, N}, data, RowMajor{M, 1}})",
    ),
    ("-1 ptr_rows is null", "Gather::can_implement(problem, Gather::Arguments{data, RowMajor{9, N}})"),
    ("-1 ptr_scalar is null", "Scalar::can_implement(problem, Scalar::Arguments{nullptr})"),
    ("-1 ptr_scalar_out is null", "Sum::can_implement(problem, Sum::Arguments{nullptr})"),
    ("-1 repeatA is 0", "Batched([](auto& args, auto& evt) { args.repeatA = 0; })"),
    ("-1 repeatB is 0", "Batched([](auto& args, auto& evt) { args.repeatB = 0; })"),
    ("-1 splitkFactor is 0, or more than 256", "Splits({M, N, 9999}, 0)"),
    ("-1 an A or a B would begin within a byte", "Nibbles([](auto& args, auto& evt) { args.strideB = 1; })"),
    (
        "0 the tensor of a matmul would begin within a byte",
        "NibblesWidened([](auto& args, auto& evt) { args.strideB = 1; })",
    ),
    ("-1 strideA is negative", "Batched([](auto& args, auto& evt) { args.strideA = -2; })"),
    ("-1 strideB is negative", "Batched([](auto& args, auto& evt) { args.strideB = -2; })"),
    ("-1 strideB2 is negative", "BothFractal([](auto& args, auto& evt) { args.ptrB2 = other; args.strideB2 = -2; })"),
    (
        "-1 the leading dimension of layout is more than 2^32 - 1 bytes",
        "Store::can_implement(problem, Store::Arguments{data, RowMajor{M, N, 0x80000000}})",
    ),
    (
        "-1 the leading dimension of layout is shorter than a column",
        "ColumnLoad::can_implement(problem, ColumnLoad::Arguments{data, layout::ColumnMajor{M, N, M - 1}})",
    ),
    (
        "-1 matmuls with tensors of their own have no row numbers",
        "Ranked::can_implement(BatchedProblemShape{problem, COUNT}, "
        "{data, RowMajor{9, N}, data, RowMajor{M, 1}, data, RowMajor{M, 1}, 2})",
    ),
    (
        "-1 rows_stride is negative",
        "Gather::can_implement("
        "BatchedProblemShape{problem, COUNT}, {data, RowMajor{9, N}, data, RowMajor{M, 1}, 0, -2})",
    ),
    (
        "-1 rows_repeat is 0",
        "Scatter::can_implement("
        "BatchedProblemShape{problem, COUNT}, {data, RowMajor{9, N}, data, RowMajor{M, 1}, 9 * N, 0, 0})",
    ),
    ("-1 the product of a slice has 2^32 bytes or more", "Splits({65536, 16384, 1}, 2)"),
    (
        "-1 the second half of B begins within a fractal",
        "BothFractal([](auto& args, auto& evt) { args.ptrB2 = data; })",
    ),
    (
        "-1 the values of a column lie apart in layout_ranks",
        "Ranked::can_implement(problem, Ranked::Arguments{data, RowMajor{9, N}, data, RowMajor{M, 1}, data, "
        "RowMajor{M, 1, 2}, 8})",
    ),
    (
        "-1 the values of a column lie apart in layout_rows",
        "Gather::can_implement(problem, Gather::Arguments{data, RowMajor{9, N}, data, RowMajor{M, 1, 2}})",
    ),
    (
        "0 can_implement of the node is false",
        "Quiet::can_implement(GemmCoord{M + 1, N, 1}, {{}, {data, RowMajor{M + 1, N}}})",
    ),
    ("1 layout does not have N columns", "Plain([](auto& args, auto& evt) { evt.layoutX = {M, N + 1}; })"),
    ("1 problem_repeat is 0", "Batched([](auto& args, auto& evt) { evt.repeatX = 0; })"),
    ("1 ptr_aux is null", "Plain([](auto& args, auto& evt) { evt.X = nullptr; })"),
    (
        "1 the values of a column lie apart in layout",
        "Tree::can_implement(problem, Tree::Arguments{{{}, {data, RowMajor{M, 1, 2}}, {}}, {data, RowMajor{M, N}}})",
    ),
    ("3 layout does not have M rows", "Plain([](auto& args, auto& evt) { evt.layoutD = {M + 1, N}; })"),
    (
        "3 problem_stride is negative, or tensors of several matmuls overlap",
        "Batched([](auto& args, auto& evt) { evt.strideD = 0; })",
    ),
    (
        "3 the leading dimension of layout is shorter than a row",
        "Plain([](auto& args, auto& evt) { evt.layoutD = {M, N, N - 1}; })",
    ),
    ("5 ptr_row is null", "Batched([](auto& args, auto& evt) { evt.row = nullptr; })"),
    ("7 ptr_col is null", "Batched([](auto& args, auto& evt) { evt.column = nullptr; })"),
    ("9 ptr_row_out is null", "Batched([](auto& args, auto& evt) { evt.sum = nullptr; })"),
]
"""The node that refuses, or -1, and why, with a case, for each reason."""


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(answers: dict[str, str], case: str) -> None:
    assert answers[case] == "-1 yes"


@pytest.mark.parametrize("case", REFUSED)
def test_refused(answers: dict[str, str], case: str) -> None:
    assert answers[case].partition(" ")[2] in {reason.partition(" ")[2] for reason, _ in REASONS}


@pytest.mark.parametrize(("reason", "case"), REASONS)
def test_reasons(answers: dict[str, str], reason: str, case: str) -> None:
    assert answers[case] == reason
