"""The example programs: each computes its own golden result, and says `Compare success.`"""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Aux, ColumnMajor, ColVector, RowVector, Scalar, ScalarTensor, epilogue, operator, ops
from evtgen.checkouts.launches import rewrite
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
from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import bfloat16, float8_e4m3fn, float8_e5m2, float32, half, int8, int32, nZ, uint8, zN
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, Outputs, RowBroadcast, RowReduce
from evtgen.planner.plan import lower

from ..support.cpp import INCLUDES
from ..support.epilogues import every_reduction_again
from ..support.evg import PROGRAMS
from ..support.paths import DEVICE, GENERATED

pytestmark = pytest.mark.cxx

ROOTS = (*INCLUDES, DEVICE / "catlass" / "examples_common")
SHAPE = ("87", "70", "40")


def compiled(main: str, headers: dict[str, str], include: tuple[Path, ...] = (), npu: int = 2201) -> Path:
    """A program, which launches what the device would."""
    flags = (f"-DCATLASS_ARCH={npu}", "-Werror")
    main = f'#include "kernel_operator.h"\n{rewrite(main)[0]}'
    return compile_program(find_compiler(), main, headers, extra_flags=flags, include=include, system=ROOTS).path


def compiled_example(epilogue: Epilogue, fw: Framework = FRAMEWORK) -> Path:
    plan = lower(epilogue)
    main = example_files(plan, fw=fw)[f"{plan.name}/{plan.name}.cpp"]
    framework = framework_files(fw, plans=[plan])
    headers = {**framework, **epilogue_files(plan, fw), "evt_example.hpp": common_files()[COMMON]}
    return compiled(main, headers, npu=plan.arch.npu)


def output(program: Path, *arguments: str) -> str:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.core
@pytest.mark.parametrize("name", sorted(path.stem for path in (GENERATED / "examples").glob("*/*.cpp")))
def test_what_is_committed_compares(name: str) -> None:
    main = (GENERATED / "examples" / name / f"{name}.cpp").read_text()
    headers = {**framework_files(FRAMEWORK), "evt_example.hpp": common_files()[COMMON]}
    several = ("3",) if "options.count" in main else ()
    assert output(compiled(main, headers, (GENERATED / "include",)), *several, *SHAPE) == "Compare success.\n"


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
def test_a_new_one_compares(make: object) -> None:
    assert callable(make)
    assert output(compiled_example(make()), *SHAPE) == "Compare success.\n"


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
def test_one_in_catlass_own_framework_compares(one: Epilogue) -> None:
    program = compiled_example(one, Framework(catlass=True))
    for shape in (SHAPE, ("300", "520", "33")):
        assert output(program, *shape) == "Compare success.\n"


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
def test_several_matmuls_compare(gemm: Gemm) -> None:
    program, word = compiled_example(several(gemm)), "batchCount" if gemm.batch else "groupCount"
    for arguments in ((), ("0",), ("0", "shared"), ("shared",)):
        assert output(program, "5", *SHAPE, *arguments) == "Compare success.\n"
    # One is no special case, nor are more matmuls than rows.
    assert output(program, "1", *SHAPE) == output(program, "5", "1", "70", "40") == "Compare success.\n"
    count = "batchCount" if gemm.batch else "problemCount"
    for nothing, why in ((("0", *SHAPE), f"{count} is 0"), (("5", "0", "70", "40"), "M, N or K is 0")):
        assert output(program, *nothing) == f"The problem cannot be implemented: {why}.\n"
    for wrong in (SHAPE, ("5", *SHAPE, "0", "own"), ("5", *SHAPE, "0", "shared", "shared")):
        assert f" {word} m n k [deviceId] [shared]\n" in output(program, *wrong)


@pytest.mark.parametrize(
    "gemm",
    [Gemm(accumulators="halves", layout_b=ColumnMajor), Gemm(accumulators="separate", batch=True)],
    ids=["halves", "separate"],
)
def test_two_accumulators_compare(gemm: Gemm) -> None:
    @epilogue(gemm=gemm)
    def two(left: Acc[half], right: Acc[half]) -> Any:
        return {"D": left - right}

    of = "C = A * B and C2 = A * B2" if gemm.batch else "C and C2, the left and the right half of A * B"
    readme = example_files(lower(two))["two/README.md"]
    assert "A matmul with two accumulators " in readme and f"```\n{of}\nD = " in readme
    program, count = compiled_example(two), ["5"] if gemm.batch else []
    assert output(program, *count, *SHAPE) == "Compare success.\n"
    if gemm.batch:
        assert output(program, *count, *SHAPE, "shared") == "Compare success.\n"


def test_an_example_says_what_it_asks_of_its_kernel() -> None:
    """All of it is in the kernel's own words; an example of one matmul has none of them."""
    for gemm in (Gemm(), Gemm(batch=True), Gemm(group="m")):
        plan = lower(several(gemm))
        files, words = example_files(plan), plan.kernel.example
        main, readme = files["several/several.cpp"], files["several/README.md"]
        assert f"A matmul C = A · B {words.each} with".replace("  ", " ") in readme
        assert all(says_so(path, text) for path, text in files.items())
        for text in (words.count, "shared", "ends", "stride", "arguments{", "PACKED"):
            assert (text in main) == (plan.kernel.several is not None) or not text, (text, main)
        assert ("groups.device" in main) == (gemm.group is not None) == ("drawn at random" in readme)
        assert ("With the word `shared`" in readme) == (plan.kernel.several is not None)


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
    Buffer<int8_t> a(L * M * K), b(L * K * N);
    Buffer<int32_t> x(M * L * N), d(M * L * N);
    a.FillRandom();
    b.FillRandom();
    x.FillRandom();
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
    d.ToHost();
    uint32_t wrong = 0;
    for (uint32_t head = 0; head < L; ++head) {
        for (uint32_t row = 0; row < M; ++row) {
            for (uint32_t column = 0; column < N; ++column) {
                uint32_t at = (row * L + head) * N + column;
                int32_t sum = x.host[at];
                for (uint32_t k = 0; k < K; ++k) {
                    sum += a.host[(head * M + row) * K + k] * b.host[(head * K + k) * N + column];
                }
                wrong += sum != d.host[at];
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


@pytest.mark.parametrize("word", [MODE, KNOWN], ids=["unknown", "known"])
def test_cores_that_meet_ask_for_batch_mode_where_the_toolkit_has_it(word: str) -> None:
    plan, fw = lower(every_reduction_again()), Framework()
    main = example_files(plan)["every_reduction_again/every_reduction_again.cpp"]
    headers = {**framework_files(fw), **epilogue_files(plan, fw), "evt_example.hpp": common_files()[COMMON]}
    assert output(compiled(word + main, headers), *SHAPE) == "Compare success.\n"


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
