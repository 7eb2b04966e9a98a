"""The example programs: each reads the data that `evtgen data` writes, and says `Compare success.`"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, Aux, ColumnMajor, ColVector, RowVector, Scalar, ScalarTensor, epilogue, operator, ops
from evtgen.checkouts.launches import rewrite
from evtgen.emit.example import shareable
from evtgen.emit.framework import Framework
from evtgen.emit.places import says_so
from evtgen.emit.render import (
    COMMON,
    FRAMEWORK,
    NEWEST,
    common_files,
    epilogue_files,
    example_files,
    framework_files,
)
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.shapes import Shape
from evtgen.graph.types import bfloat16, float8_e4m3fn, float8_e5m2, float32, half, int8, int32, nZ, uint8, zN
from evtgen.kernels import DEFAULTS, Matmuls
from evtgen.model.toolchain import compile_program, find_compiler, precompiled_headers
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, Outputs, RowBroadcast, RowReduce
from evtgen.pipeline.data import write_data
from evtgen.planner.plan import lower

from ..support.cpp import INCLUDES
from ..support.epilogues import every_reduction_again
from ..support.evg import PROGRAMS
from ..support.paths import CHECKOUT, DEVICE, GENERATED

pytestmark = pytest.mark.cxx

ROOTS = (*INCLUDES, DEVICE / "catlass" / "examples_common")
SHAPE = (87, 70, 40)
COMMITTED = [
    e
    for path in sorted((CHECKOUT / "examples").glob("*.py"))
    for e in load([path])
    if (GENERATED / "examples" / e.name).is_dir()
]


def compiled(main: str, headers: dict[str, str], include: tuple[Path, ...] = (), npu: int = 2201) -> Path:
    """A program, which launches what the device would."""
    compiler, arch = find_compiler(), f"-DCATLASS_ARCH={npu}"
    main = f'#include "kernel_operator.h"\n#include "machine/kernel_launch.hpp"\n{rewrite(main)[0]}'
    return compile_program(
        compiler, main, headers, extra_flags=(arch, "-Werror"), include=include, system=ROOTS,
        precompiled=partial(precompiled_headers, compiler, [arch], INCLUDES),
    ).path  # fmt: skip


def compiled_example(epilogue: Epilogue, fw: Framework = FRAMEWORK) -> Path:
    plan = lower(epilogue)
    main = example_files(plan, fw=fw)[f"{plan.name}/{plan.name}.cpp"]
    framework = framework_files(fw, plans=[plan])
    headers = {**framework, **epilogue_files(plan, fw), "evt_example.hpp": common_files()[COMMON]}
    return compiled(main, headers, npu=plan.arch.npu)


def output(program: Path, *arguments: str | Path) -> str:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def compared(
    program: Path, epilogue: Epilogue, data: Path, shape: Shape = SHAPE, asked: Matmuls = DEFAULTS, shared: bool = False
) -> str:
    """What a program says of fresh data for its epilogue."""
    plan = lower(epilogue)
    data.mkdir(exist_ok=True)
    problem = plan.problem(shape, asked, shareable(plan) if shared else frozenset())
    write_data(plan, problem, data)
    return output(program, data)


@pytest.mark.core
@pytest.mark.parametrize("epilogue", COMMITTED, ids=lambda epilogue: epilogue.name)
def test_what_is_committed_compares(epilogue: Epilogue, tmp_path: Path) -> None:
    main = (GENERATED / "examples" / epilogue.name / f"{epilogue.name}.cpp").read_text()
    headers = {**framework_files(FRAMEWORK), "evt_example.hpp": common_files()[COMMON]}
    program = compiled(main, headers, (GENERATED / "include",))
    assert compared(program, epilogue, tmp_path) == "Compare success.\n"


@pytest.mark.core
def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    """Another value than the kernel's, no data, and no directory."""
    plan = lower(saturated())
    program = compiled_example(saturated())
    assert compared(program, saturated(), tmp_path) == "Compare success.\n"
    golden = np.fromfile(tmp_path / "E.golden.bin", np.float32)
    assert golden.size == SHAPE[0] * SHAPE[1]
    golden[[3, -1]] += 1
    golden.tofile(tmp_path / "E.golden.bin")
    assert output(program, tmp_path) == "Compare failed. E, error count: 2\n"
    (tmp_path / "X.bin").unlink()
    assert output(program, tmp_path) == f"cannot read {tmp_path}/X.bin: `evtgen data` writes it\n"
    assert f"usage: {program} data [deviceId]\n" == output(program) == output(program, tmp_path, "0", "1")
    assert plan.name == "saturated"


def every_mode() -> Epilogue:
    """Stores of float(C) * 0.3, which is exact in no 16-bit type, in every round mode there is."""
    ops: list[Visitor] = [AccLoad(half), Cast(float32, half), Compute("Muls", float32, scalar=0.3)]
    edges: list[tuple[int, ...]] = [(), (0,), (1,)]
    stores = []
    for to in (half, bfloat16, int32):
        for mode in ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", *(("ODD",) if to is half else ())):
            ops += [Cast(to, float32, f"CAST_{mode}"), AuxStore(f"{to.name}_{mode}", to)]
            edges += [(2,), (len(ops) - 2,)]
            stores.append(len(ops) - 1)
    return Epilogue("every_mode", TopologicalVisitor([*edges, tuple(stores)], [*ops, Outputs()]))


def saturated() -> Epilogue:
    to_int8 = TreeVisitor(Cast(int8, half, "CAST_RINT"), AccLoad(half))
    to_uint8 = TreeVisitor(Cast(uint8, half, "CAST_TRUNC"), AuxLoad("X", half))
    return Epilogue(
        "saturated",
        TreeVisitor(Outputs(), TreeVisitor(AuxStore("D", int8), to_int8), TreeVisitor(AuxStore("E", uint8), to_uint8)),
    )


def not_finite() -> Epilogue:
    """exp of the accumulator overflows, log of a negative number is not a number. The operands are not by rows."""
    return Epilogue(
        "not_finite",
        TreeVisitor(
            Outputs(),
            TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Exp", half), AccLoad(half))),
            TreeVisitor(AuxStore("E", half), TreeVisitor(Compute("Log", half), AuxLoad("X", half))),
        ),
        gemm=Gemm(layout_a=ColumnMajor, layout_b=zN),
    )


def quantised() -> Epilogue:
    value = TreeVisitor(Cast(float32, int32), AccLoad(int32))
    scaled = TreeVisitor(Compute("Multiplies", float32), value, RowBroadcast("scale", float32))
    store = TreeVisitor(AuxStore("D", half), TreeVisitor(Cast(half, float32), scaled))
    peak = TreeVisitor(RowReduce("peak", "Maximum", half, identity=float("-inf")), store)
    return Epilogue("quantised", peak, gemm=Gemm(a=int8, b=int8, c=int32))


def chosen() -> Epilogue:
    """Masks, scalars at run time with and without a default, and an operator of one's own."""
    lerp = operator(
        "lerp", ["Sub(tmp, b, a)", "Muls(tmp, tmp, t)", "Add(dst, a, tmp)"], lambda np, a, b, t: a + (b - a) * t,
        constants=("t",),
    )  # fmt: skip

    @epilogue
    def chosen(acc: Acc[half], X: Aux[half], low: Scalar[half], high: Scalar[half] = 40.0) -> Any:
        inside = (acc > low) & (acc <= high) | ~(X == 0)
        mixed = lerp(acc, X, t=0.5)
        return {"D": ops.where(inside, mixed * low, -1.0), "E": ops.where(inside, 1.0, 0.0)}

    return chosen


def eight_bits() -> Epilogue:
    """Operands, an input and outputs of floats of 8 bits. Some of both outputs are too large: NaN, or infinite."""

    @epilogue(gemm=Gemm(a=float8_e4m3fn, b=float8_e5m2), arch="Ascend950", auto_cast=True)
    def eight_bits(acc: Acc[float32], X: Aux[float8_e5m2], r: RowVector[float32], c: ColVector[float32]) -> Any:
        scaled = acc * r * c
        return {"D": scaled.cast(float8_e4m3fn), "E": (scaled * 300.0 + X).cast(float8_e5m2)}

    return eight_bits


@pytest.mark.parametrize(
    "make",
    [every_mode, saturated, not_finite, quantised, chosen, every_reduction_again, eight_bits],
    ids=lambda make: make.__name__,
)
def test_a_new_one_compares(make: Callable[[], Epilogue], tmp_path: Path) -> None:
    assert compared(compiled_example(make()), make(), tmp_path) == "Compare success.\n"


def rounded() -> Epilogue:
    """A reduction of floats."""

    @epilogue
    def rounded(acc: Acc[half]) -> Any:
        return {"D": acc, "total": ops.scalar_reduce(acc.cast(float32), "add")}

    return rounded


def in_catlass(gemm: Gemm) -> Epilogue:
    """Nodes of Catlass's own framework and of those beside it, among them operators of three families."""

    @epilogue(arch="Ascend950", gemm=gemm, auto_cast=True)
    def in_catlass(acc: Acc[float32], X: Aux[half], c: ColVector[float32], s: Scalar[float32] = 2.0) -> Any:
        value = ops.gelu(acc + X) * s + c
        return {"D": value.cast(half), "E": ops.where(value > 1.0, value, -1.0), "peak": ops.row_reduce(value, "max")}

    return in_catlass


@pytest.mark.parametrize(
    "one",
    [
        in_catlass(Gemm(a=half, b=half, handoff="gm", layout_b=ColumnMajor)),
        in_catlass(Gemm(a=half, b=half, handoff="ub", layout_a=zN)),
        *(program for program in PROGRAMS if program.name in ("add_ub", "tanh_steps")),
    ],
    ids=lambda one: f"{one.name}-{one.gemm.handoff}",
)
def test_one_in_catlass_own_framework_compares(one: Epilogue, tmp_path: Path) -> None:
    program = compiled_example(one, Framework(catlass=True))
    for shape in (SHAPE, (300, 520, 33)):
        assert compared(program, one, tmp_path, shape) == "Compare success.\n"


def several(gemm: Gemm) -> Epilogue:
    """Every kind of tensor, and means, which must know what they are joined over, some of them used again."""

    @epilogue(gemm=gemm)
    def several(
        acc: Acc[half], X: Aux[half], r: RowVector[float32], c: ColVector[float32], s: ScalarTensor[float32]
    ) -> Any:
        value = (acc.cast(float32) + X.cast(float32)) * r + c * s
        means = {"row": ops.row_reduce, "column": ops.col_reduce, "all": ops.scalar_reduce}
        outputs = {f"{name}_mean": reduce(value, "mean") for name, reduce in means.items()}
        centred = value - ops.row_reduce(value, "mean") - ops.scalar_reduce(value, "mean")
        outputs["softened"] = (centred - ops.col_reduce(centred, "max")).cast(half)
        return {"D": value.cast(half), "peak": ops.row_reduce(value, "max"), **outputs}

    return several


@pytest.mark.parametrize(
    "gemm", [Gemm(batch=True, layout_a=zN, layout_b=nZ), Gemm(group="m", layout_a=ColumnMajor)], ids=["batch", "groups"]
)
def test_several_matmuls_compare(gemm: Gemm, tmp_path: Path) -> None:
    one = several(gemm)
    program = compiled_example(one)
    # One is no special case, nor are more matmuls than rows.
    for rows in ((87,), (1,), (0, 30, 0, 57), (0, 0, 1, 0)):
        asked = Matmuls(batch=len(rows)) if gemm.batch else Matmuls(groups=rows)
        shape = (max(rows) if gemm.batch else sum(rows), *SHAPE[1:])
        for shared in (False, True):
            assert compared(program, one, tmp_path, shape, asked, shared) == "Compare success.\n", (rows, shared)
    # No groups is a launch as any other.
    no_matmuls = [((*SHAPE, 0, 0), "batchCount is 0")] if gemm.batch else []
    for words, why in (*no_matmuls, ((0, 70, 40, 0, 1), "M, N or K is 0")):
        np.array(words, np.int64).tofile(tmp_path / "problem.bin")
        assert output(program, tmp_path) == f"The problem cannot be implemented: {why}.\n"


@pytest.mark.parametrize(
    "gemm",
    [Gemm(accumulators="halves", layout_b=ColumnMajor), Gemm(accumulators="separate", batch=True)],
    ids=["halves", "separate"],
)
def test_two_accumulators_compare(gemm: Gemm, tmp_path: Path) -> None:
    @epilogue(gemm=gemm)
    def two(left: Acc[half], right: Acc[half]) -> Any:
        return {"D": left - right}

    of = "left = A * B and right = A * B2" if gemm.batch else "left and right, the left and the right half of A * B"
    readme = example_files(lower(two))["two/README.md"]
    assert "A matmul with two accumulators " in readme and f"```\n{of}\nD = " in readme
    program = compiled_example(two)
    for shared in (False, True) if gemm.batch else (False,):
        assert compared(program, two, tmp_path, shared=shared) == "Compare success.\n"


@pytest.mark.parametrize(
    "more", [{"weights": "pointers"}, {"weight_index": True}, {"weights": "pointers", "weight_index": True}]
)
def test_lists_of_bs_compare(more: dict[str, Any], tmp_path: Path) -> None:
    @epilogue(gemm=Gemm(group="m", accumulators="separate", layout_b=zN, **more))
    def listed(left: Acc[half], right: Acc[half], row: RowVector[half] = 1.0) -> Any:
        return {"D": (left - right) * row}

    program = compiled_example(listed)
    for rows, shared in (((87,), False), ((0, 30, 0, 57), True)):
        assert compared(program, listed, tmp_path, asked=Matmuls(groups=rows), shared=shared) == "Compare success.\n"


def test_an_example_says_what_it_asks_of_its_kernel() -> None:
    """All of it is in the kernel's own words; an example of one matmul has none of them."""
    for gemm in (Gemm(), Gemm(batch=True), Gemm(group="m")):
        plan = lower(several(gemm))
        files, words = example_files(plan), plan.kernel.example
        main, readme = files["several/several.cpp"], files["several/README.md"]
        assert f"A matmul C = A · B {words.each} with".replace("  ", " ") in readme
        assert all(says_so(path, text) for path, text in files.items())
        for text in ("shared", "stride", "arguments{", "PACKED"):
            assert (text in main) == (plan.kernel.several is not None), (text, main)
        assert ("groups.device" in main) == (gemm.group is not None) == ("--groups" in readme)
        assert ("--shared" in readme) == (plan.kernel.several is not None)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("release", "place", "program", "sync"),
    [
        ((1, 0, 1), "foreach(EXAMPLE", "./build/bin/several", "rtGetC2cCtrlAddr"),
        ((1, 4, 0), "foreach(EXAMPLE", "./output/bin/several", "rtGetC2cCtrlAddr"),
        ((1, 5, 0), "EXAMPLE_ATLASA2", "./output/bin/several", "rtGetC2cCtrlAddr"),
        (NEWEST, "EXAMPLE_ATLASA2", "./output/bin/several", "aclrtGetHardwareSyncAddr"),
    ],
)
def test_an_example_is_for_one_release(release: tuple[int, ...], place: str, program: str, sync: str) -> None:
    readme = example_files(lower(several(Gemm())), release=release)["several/README.md"]
    assert f"that is `{place}`" in readme and program in readme
    (common,) = common_files(release=release).values()
    assert f"{sync}(&" in common and not re.search(r"__has_include|#ifdef (?!__schedmode__)", common)


SIDE_BY_SIDE = r"""
#include "evt_example.hpp"
#include "heads.hpp"
#include <cstdio>
using namespace Catlass;
using namespace Catlass::evt_example;

int main()
{
    constexpr uint32_t L = 3, M = 37, N = 24, K = 40;
    std::vector<int8_t> hostA(L * M * K), hostB(L * K * N);
    std::vector<int32_t> hostX(M * L * N), hostD(M * L * N);
    auto const fill = [](auto& values) {
        for (auto& value : values) {
            value = std::rand() % 11 - 5;
        }
    };
    fill(hostA);
    fill(hostB);
    fill(hostX);
    Buffer a(hostA), b(hostB), x(hostX), d(hostD);
    Evt::heads::Arguments epilogue;
    epilogue.X = x.device;
    epilogue.D = d.device;
    epilogue.layoutX = epilogue.layoutD = layout::RowMajor{M, N, L * N};
    epilogue.strideX = epilogue.strideD = N;
    aclrtStream stream{nullptr};
    ACL_CHECK(aclrtCreateStream(&stream));
    if (!Launch<Evt::heads::Kernel>({L, GemmCoord{M, N, K}, a.device, b.device, epilogue.ToEvt()}, stream)) {
        return 1;
    }
    hostD = d.ToHost<int32_t>();
    uint32_t wrong = 0;
    for (uint32_t head = 0; head < L; ++head) {
        for (uint32_t row = 0; row < M; ++row) {
            for (uint32_t column = 0; column < N; ++column) {
                uint32_t at = (row * L + head) * N + column;
                int32_t sum = hostX[at];
                for (uint32_t k = 0; k < K; ++k) {
                    sum += hostA[(head * M + row) * K + k] * hostB[(head * K + k) * N + column];
                }
                wrong += sum != hostD[at];
            }
        }
    }
    std::printf("%u wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
"""


def test_matrices_of_a_batch_side_by_side() -> None:
    """The heads of attention, rows before batches in memory: CUTLASS's test_permute_3 has its outputs like this."""

    @epilogue(gemm=Gemm(batch=True))
    def heads(acc: Acc[int32], X: Aux[int32]) -> dict[str, Any]:
        return {"D": acc + X}

    plan, fw = lower(heads), Framework()
    headers = {**framework_files(fw), **epilogue_files(plan, fw), "evt_example.hpp": common_files()[COMMON]}
    assert output(compiled(SIDE_BY_SIDE, headers)) == "0 wrong\n"


MODE = "#undef __schedmode__\n"
KNOWN = f"{MODE}#define __schedmode__(mode) MODE_##mode\n#define MODE_1 static\n"
GIVEN = f"{MODE}#define EVT_BATCH_MODE static\n"


@pytest.mark.parametrize("word", [MODE, KNOWN, GIVEN], ids=["unknown", "known", "given"])
def test_cores_that_meet_ask_for_batch_mode_where_the_toolkit_has_it(word: str, tmp_path: Path) -> None:
    plan, fw = lower(every_reduction_again()), Framework()
    main = example_files(plan)["every_reduction_again/every_reduction_again.cpp"]
    headers = {**framework_files(fw), **epilogue_files(plan, fw), "evt_example.hpp": common_files()[COMMON]}
    assert compared(compiled(word + main, headers), every_reduction_again(), tmp_path) == "Compare success.\n"


MEETING: list[tuple[Epilogue, bool]] = [
    (every_reduction_again(), True),
    (quantised(), False),
    (replace(quantised(), deterministic=True), True),
    *(
        (replace(rounded(), gemm=gemm, deterministic=deterministic), meets or deterministic)
        for gemm, meets in (
            (Gemm(), False), (Gemm(batch=True), False), (Gemm(group="m"), False), (Gemm(split_k=2), True),
            (Gemm(a=half, b=int8), True),
        )
        for deterministic in (False, True)
    ),
]  # fmt: skip


@pytest.mark.parametrize(("epilogue", "meets"), MEETING)
def test_who_asks_for_batch_mode(epilogue: Epilogue, meets: bool) -> None:
    plan = lower(epilogue)
    main = example_files(plan)[f"{plan.name}/{plan.name}.cpp"]
    header = epilogue_files(plan, Framework())[f"{plan.name}.hpp"]
    assert ("RunInBatchMode<Kernel><<<" in main, "in batch mode" in header) == (meets, meets)


def test_rows_that_go_to_other_ranks(tmp_path: Path) -> None:
    (epilogue,) = (e for e in load([CHECKOUT / "examples/gallery/experts.py"]) if e.name == "dispatch_ffn_combine")
    assert compared(compiled_example(epilogue), epilogue, tmp_path) == "Compare success.\n"
