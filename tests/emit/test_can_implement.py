"""What the emitted C++ says of arguments before a launch: layouts that it cannot copy are refused, never run."""

from __future__ import annotations

import subprocess

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.planner.plan import lower

from ..support import seeds
from ..support.cpp import INCLUDES

pytestmark = pytest.mark.cxx

MAIN = """
#include "kernel_operator.h"
#include "add.hpp"
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "split.hpp"
#include <cstdio>
using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;
using layout::RowMajor;
constexpr uint32_t M = 5, N = 7;
uint8_t byte;
GM_ADDR const data = &byte;
GemmCoord const problem{M, N, 1};

using Load = VisitorAuxLoad<half, RowMajor>;
using Optional = VisitorAuxLoad<half, RowMajor, true>;
using Store = VisitorAuxStore<half, RowMajor>;
using Row = VisitorRowBroadcast<half, RowMajor>;
using OptionalRow = VisitorRowBroadcast<half, RowMajor, true>;
using OptionalColumn = VisitorColBroadcast<half, RowMajor, true>;
using OptionalScalar = VisitorScalarBroadcast<half, RowMajor, true>;
using RowSum = VisitorRowReduce<Plus, half, RowMajor>;
using Column = VisitorColBroadcast<half, RowMajor>;
using ColumnSum = VisitorColReduce<Plus, half, RowMajor>;
using Scalar = VisitorScalarBroadcast<half, RowMajor>;
using Sum = VisitorScalarReduce<Plus, half, RowMajor>;
using Tree = TreeVisitor<Store, TreeVisitor<VisitorCompute<Plus, half>, VisitorAccLoad<half>, Column>>;
using Topological = TopologicalVisitor<tla::tuple<tla::seq<>, tla::seq<0>, tla::seq<1>>, Row, Store, ColumnSum>;
using Kernel = Evt::add::Kernel;
Evt::add::Arguments const add{data, RowMajor{M, N}, data, RowMajor{M, N}};

bool Splits(GemmCoord const& shape, uint32_t factor)
{
    RowMajor layout{shape.m(), shape.n()};
    Evt::split::Arguments arguments{data, layout, data, layout};
    return Evt::split::Kernel::CanImplement({shape, data, data, arguments.ToEvt(), 1, {}, {}, factor});
}

constexpr uint32_t COUNT = 3;
BatchedProblemShape const batch{problem, COUNT};
GroupedProblemShape const groups{problem, COUNT};
using Batched = Gemm::Kernel::BatchedMatmulVisitor<
    Evt::add::BlockMmad, Evt::add::BlockEpilogue, Evt::add::BlockScheduler>;
using Grouped = Gemm::Kernel::GroupedMatmulSliceMVisitor<
    Evt::add::BlockMmad, Evt::add::BlockEpilogue, Evt::add::BlockScheduler>;

/// The arguments of a node, the tensors of its matmuls so far apart.
template <class Node>
typename Node::Arguments Apart(int64_t stride, RowMajor const& layout)
{
    typename Node::Arguments arguments{data, layout};
    arguments.problem_stride = stride;
    return arguments;
}

bool Batches(uint32_t count, GemmCoord const& shape, int64_t strideA = -1, int64_t strideB = -1)
{
    RowMajor layout{shape.m(), shape.n()};
    Evt::add::Arguments named{data, layout, data, layout};
    return Batched::CanImplement({count, shape, data, data, named.ToEvt(), 1, {}, {}, strideA, strideB});
}

int main()
{
    bool answers[] = {ANSWERS};
    for (bool answer : answers) {
        std::puts(answer ? "yes" : "no");
    }
}
"""


def nodes(names: str, *arguments: str) -> list[str]:
    return [f"{name}::can_implement(problem, {name}::Arguments{{{a}}})" for name in names.split() for a in arguments]


def apart(problem: str, names: str, layout: str, *strides: str) -> list[str]:
    return [
        f"{name}::can_implement({problem}, Apart<{name}>({stride}, RowMajor{{{layout}}}))"
        for name in names.split()
        for stride in strides
    ]


ACCEPTED = [
    *nodes("Load Optional Store", "data, RowMajor{M, N}", "data, RowMajor{M, N, N + 3}"),
    *nodes("Optional OptionalRow OptionalColumn OptionalScalar", "nullptr"),
    *nodes("Row OptionalRow RowSum", "data, RowMajor{1, N}", "data, RowMajor{1, N, N + 3}"),
    *nodes("Column OptionalColumn ColumnSum", "data, RowMajor{M, 1}"),
    *nodes("Scalar OptionalScalar Sum", "data, RowMajor{1, 1}", "data, RowMajor{1, 1, 3}"),
    *nodes("Tree", "{{}, {data, RowMajor{M, 1}}, {}}, {data, RowMajor{M, N}}"),
    *nodes("Topological", "{data, RowMajor{1, N}}, {data, RowMajor{M, N}}, {data, RowMajor{M, 1}}"),
    "Kernel::CanImplement({problem, data, data, add.ToEvt()})",
    # Of several matmuls: shared, or over each other where they are only read; with gaps; side by side in longer rows.
    *apart("batch", "Load Optional", "M, N, N + 3", "-1", "0", "1"),
    *apart("batch", "Load Store", "M, N, N + 3", "-1", "M * (N + 3)", "M * (N + 3) + 1"),
    *apart("batch", "Load Store", "M, N, COUNT * N + 3", "N", "N + 1"),
    *apart("batch", "RowSum", "1, N", "-1", "0", "N", "N + 1"),
    *apart("batch", "ColumnSum", "M, 1", "-1", "0", "M", "M + 1"),
    *apart("groups", "RowSum", "1, N", "-1", "0", "N", "N + 1"),
    "Batches(COUNT, problem)",
    "Batches(COUNT, problem, 0, 0)",
    "Batches((1u << 31) / 8, {7, 7, 1})",
    "Grouped::CanImplement({problem, COUNT, data, data, data, add.ToEvt()})",
    # Products that end within 32 bits of bytes of each other
    *(
        f"Splits({{{size}}}, {factor})"
        for size, factor in (("M, N, 9999", 1), ("M, N, 1", 256), ("65536, 16383, 1", 2))
    ),
]

REFUSED = [
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
    "Kernel::CanImplement({problem, nullptr, data, add.ToEvt()})",
    "Kernel::CanImplement({problem, data, nullptr, add.ToEvt()})",
    "Kernel::CanImplement({problem, data, data, Evt::add::Arguments{}.ToEvt()})",
    *(f"Kernel::CanImplement({{GemmCoord{{{size}}}, data, data, add.ToEvt()}})"
      for size in ("0, N, 1", "M, 0, 1", "M, N, 0")),
    # Of several matmuls: before the first, or over each other where they are written; more rows than a number holds.
    *apart("batch", "Load Store", "M, N", "-2"),
    *apart("batch", "Row", "1, N", "-2"),
    *apart("batch", "Store", "M, N, N + 3", "0", "1", "M * (N + 3) - 1"),
    *apart("batch", "Store", "M, N, COUNT * N + 3", "N - 1", "N + 2", "M * N"),
    *apart("batch", "RowSum", "1, N", "1", "N - 1"),
    *apart("batch", "ColumnSum", "M, 1", "1", "M - 1"),
    *apart("groups", "RowSum", "1, N", "1", "N - 1", "-2"),
    *(f"Batches({arguments})" for arguments in ("0, problem", "COUNT, problem, -2", "COUNT, problem, 0, -2",
                                               "(1u << 31) / 8, {8, 8, 1}", "~0u, problem")),
    "Grouped::CanImplement({problem, 0, data, data, data, add.ToEvt()})",
    "Grouped::CanImplement({problem, COUNT, nullptr, data, data, add.ToEvt()})",
    *(f"Splits({{{size}}}, {factor})" for size, factor in (("M, N, 0", 2), ("M, N, 9999", 0), ("M, N, 9999", 257),
                                                          ("65536, 16384, 1", 2))),
]  # fmt: skip


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    cases = [*ACCEPTED, *REFUSED]
    framework = Framework()
    split = lower(Epilogue("split", seeds.ADD.root, gemm=Gemm(split_k=4)))
    plans = (seeds.plan(seeds.ADD), split)
    headers = {path: text for plan in plans for path, text in epilogue_files(plan, framework).items()}
    headers.update(framework_files(framework))
    main = MAIN.replace("ANSWERS", ",\n".join(cases))
    program = compile_program(find_compiler(), main, headers, extra_flags=["-DCATLASS_ARCH=2201"], system=INCLUDES)
    said = subprocess.run([program.path], capture_output=True, text=True, check=True).stdout.split()
    return dict(zip(cases, said, strict=True))


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(answers: dict[str, str], case: str) -> None:
    assert answers[case] == "yes"


@pytest.mark.parametrize("case", REFUSED)
def test_refused(answers: dict[str, str], case: str) -> None:
    assert answers[case] == "no"
