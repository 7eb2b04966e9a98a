"""Emitted kernels with the block matmul of Catlass releases, which the model's overlay otherwise replaces, and with
AscendC's own headers. They compile, both halves and the host's side, and do not run: the model has no instructions of
the matrix unit. ``CATLASS_HOMES`` and ``ASCENDC_HOME`` name the checkouts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from evtgen.check import check, has_errors
from evtgen.check.gemm import MX_TYPES
from evtgen.checkouts.ascendc import recognise as recognise_ascendc
from evtgen.checkouts.catlass import recognise, require_arch, require_operands
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import LAYOUTS
from evtgen.model.roots import preamble
from evtgen.nodes import AccLoad, AuxStore, ColReduced, Compute
from evtgen.passes.analysis.gemm import DEQUANTISED
from evtgen.planner.plan import Plan, lower
from evtgen.targets import ARCHITECTURES, Architecture
from evtgen.targets.architecture import WEIGHTS

from ..support.ascendc import asc_devkit, needs_ascendc
from ..support.checkouts import trees
from ..support.cpp import write
from ..support.paths import DEVICE

RELEASES, CXX = trees("CATLASS_HOMES"), shutil.which("clang++")

pytestmark = [
    pytest.mark.cxx,
    needs_ascendc,
    pytest.mark.skipif(CXX is None, reason="clang++ is not installed: g++ refuses constexpr functions of Catlass's"),
    pytest.mark.skipif(not RELEASES, reason="CATLASS_HOMES names no checkouts, whose block matmul this test compiles"),
]

MODELLED = (Path("catlass/gemm/block"), Path("catlass/gemm/tile"), Path("catlass/numeric_size.hpp"))
"""What the overlay has in the place of a checkout's headers and these tests are about."""

PROGRAM = """\
#include "kernel_operator.h"
{includes}

template <class T>
T const& Of();

template <class Kernel>
void Instantiate()
{{
    Kernel kernel;
    kernel.template operator()<AscendC::AIC>(Of<typename Kernel::Params>());
    kernel.template operator()<AscendC::AIV>(Of<typename Kernel::Params>());
    (void)Kernel::CanImplement(Of<typename Kernel::Arguments>());
    (void)Kernel::GetWorkspaceSize(Of<typename Kernel::Arguments>());
    (void)Kernel::ToUnderlyingArguments(Of<typename Kernel::Arguments>(), nullptr);
}}

void All()
{{
{calls}
}}
"""


def of(arch: Architecture, root: Visitor | None = None, **gemm: Any) -> Epilogue:
    """An epilogue of a GEMM; without ``root`` one that stores the accumulator, and nothing else."""
    T: Any = evt.int32 if gemm.get("a") in (evt.int4, evt.int8) else evt.float32
    T = evt.half if gemm.get("scale") == "column" else T
    root = root or TreeVisitor(AuxStore("D", T), AccLoad(T))
    words = (f"{key}_{getattr(value, 'name', value)}" for key, value in gemm.items())
    name = "_".join(["phases" if isinstance(root, TopologicalVisitor) else "of", *words])
    return Epilogue(name.lower(), root, arch=arch.name, gemm=evt.Gemm(**gemm))


PHASES = TopologicalVisitor(
    [(), (0,), (0, 1), (2,)],
    [
        AccLoad(evt.float32),
        ColReduced("Maximum", evt.float32),
        Compute("Minus", evt.float32),
        AuxStore("D", evt.float32),
    ],
)
"""The accumulator less the largest of its row: two phases, of which the second reads the whole accumulator again."""

TWO = TreeVisitor(
    AuxStore("D", evt.float32),
    TreeVisitor(Compute("Minus", evt.float32), AccLoad(evt.float32), AccLoad(evt.float32, index=1)),
)
"""The first accumulator less the second."""


LINES = evt.RowMajor, evt.ColumnMajor


def every(arch: Architecture) -> Iterator[Epilogue]:
    """Every type by every layout, policy and handoff, and one of each kernel."""
    multiplied = [pair for pair in arch.mmad if pair not in WEIGHTS]
    operands = [pair for pair in multiplied if pair[0] != evt.float4_e2m1fn]
    ways: list[dict[str, Any]] = [{"policy": "pingpong", "handoff": "gm"}, {"policy": "preload_async"}]
    ways += [{"handoff": "ub"}] if arch.stores_to_ub else []
    for (a, b), layout_a, layout_b, way in product(operands, LAYOUTS.values(), LAYOUTS.values(), ways):
        if a.packed == 1 or layout_a.by_rows:
            yield of(arch, a=a, b=b, layout_a=layout_a, layout_b=layout_b, **way)
    small = [pair for pair in arch.mmad if {*pair} <= MX_TYPES and arch.mx_policy]
    scaled: list[dict[str, Any]] = [{"handoff": "gm"}, {"handoff": "ub"}, {"batch": True}, {"group": "m"}]
    for (a, b), way in product(small, scaled):
        yield of(arch, a=a, b=b, layout_b=evt.ColumnMajor, scale="mx", **way)
    for (a, b), layout_a, layout_b in product(DEQUANTISED & arch.mmad.keys(), LAYOUTS.values(), LAYOUTS.values()):
        if a.packed == 1 or layout_a.by_rows:
            yield of(arch, a=a, b=b, scale="column", layout_a=layout_a, layout_b=layout_b)
    digits = LAYOUTS.values() if (evt.int4, evt.int4) in arch.mmad else ()
    for layout_b, policy in product(digits, ("pingpong", "preload_async")):
        yield of(arch, a=evt.int8, b=evt.int4, layout_b=layout_b, policy=policy, msd=True)
    yield of(arch, a=evt.int8, b=evt.int8, scale="column", batch=True)
    yield of(arch, a=evt.int8, b=evt.int8, scale="column", group="m")
    for policy in ("pingpong", "preload_async"):
        yield of(arch, batch=True, policy=policy)
        yield of(arch, group="m", policy=policy)
        yield of(arch, split_k=2, policy=policy)
        for (a, b), layout_b in product([pair for pair in WEIGHTS if pair[0] != evt.float8_e4m3fn], LINES):
            yield of(arch, a=a, b=b, layout_b=layout_b, policy=policy)


def several(arch: Architecture) -> Iterator[Epilogue]:
    """Several phases by each kernel, and several accumulators by each that has them."""
    kernels: list[dict[str, Any]] = [{}, {"batch": True}, {"group": "m"}, {"split_k": 2}]
    for kernel, policy in product(kernels, ("pingpong", "preload_async")):
        yield of(arch, PHASES, **kernel, policy=policy)
        if "split_k" not in kernel:
            for accumulators in ("halves", "separate"):
                yield of(arch, TWO, **kernel, policy=policy, accumulators=accumulators)
    if arch.stores_to_ub:
        yield of(arch, PHASES, handoff="ub")


def plans(epilogues: Sequence[Epilogue]) -> list[Plan]:
    assert not any(has_errors(check(epilogue)) for epilogue in epilogues)
    return [lower(epilogue) for epilogue in epilogues]


def readable(home: Path, plan: Plan) -> bool:
    try:
        require_operands(recognise(home), [plan.gemm])
    except EvtgenError as error:
        assert "EVT181" in str(error)
        return False
    return True


def compiled(
    home: Path, root: Path, plans: Sequence[Plan], edit: Callable[[str], str] = str
) -> subprocess.CompletedProcess[str]:
    """What a compiler says of the kernels with a checkout's own block matmul. ``edit``: of each emitted header."""
    checkout, npu = recognise(home), plans[0].arch.npu
    write(root / "emitted", {path: edit(text) for path, text in header_files(plans, Framework()).items()})
    overlay = DEVICE / "overlay"
    for header in overlay.rglob("*.h*"):
        path = header.relative_to(overlay)
        if not any(path.is_relative_to(directory) for directory in MODELLED):
            write(root / "overlay", {path.as_posix(): f'#include "{header}"\n'})
    roots = [root / "overlay", checkout.include, DEVICE / "cce", DEVICE / "ascendc", DEVICE]
    roots += recognise_ascendc(asc_devkit()).include
    includes = "\n".join(f'#include "{plan.name}.hpp"' for plan in plans)
    calls = "\n".join(f"    Instantiate<Catlass::Evt::{plan.name}::Kernel>();" for plan in plans)
    assert CXX is not None
    command = [CXX, "-std=c++17", "-fsyntax-only", f"-DCATLASS_ARCH={npu}"]
    command += [*preamble(home), f"-I{root / 'emitted'}", *(f"-isystem{root}" for root in roots), "-xc++", "-"]
    program = PROGRAM.format(includes=includes, calls=calls)
    return subprocess.run(command, input=program, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=lambda arch: str(arch.name))
@pytest.mark.parametrize("release", RELEASES)
def test_every_gemm_compiles_with_the_block_matmul_of_a_release(
    tmp_path: Path, release: str, arch: Architecture
) -> None:
    home = RELEASES[release]
    try:
        require_arch(recognise(home), [arch.name])
    except EvtgenError as error:
        pytest.skip(str(error))
    readable_plans = [plan for plan in plans(list(every(arch))) if readable(home, plan)]
    assert len(readable_plans) >= 50
    done = compiled(home, tmp_path, [*readable_plans, *plans(list(several(arch)))])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("release", RELEASES)
def test_a_fractal_a_that_is_refused_does_not_compile(tmp_path: Path, release: str) -> None:
    (plan,) = plans([of(ARCHITECTURES["AtlasA2"], layout_a=evt.zN)])
    if readable(RELEASES[release], plan):
        pytest.skip("this release takes it")
    assert compiled(RELEASES[release], tmp_path, [plan]).returncode != 0


def newest() -> Path:
    return max(RELEASES.items(), key=lambda item: [int(number) for number in re.findall(r"\d+", item[0])])[1]


WRONG = {
    "two tiles of B are more than L0B": (
        {"policy": "pingpong"},
        r"GemmShape<128, 256, 64>",
        "GemmShape<128, 256, 128>",
    ),
    "three tiles are more than L1": (
        {"policy": "preload_async"},
        r"Callback<1, 2, 2, 2, 1",
        "Callback<1, 3, 2, 2, 1",
    ),
    "one callback": ({"policy": "preload_async"}, r"beforeFixpipe, afterFixpipe\)", "beforeFixpipe)"),
    "C by columns": (
        {"policy": "pingpong"},
        r"using LayoutC = layout::RowMajor",
        "using LayoutC = layout::ColumnMajor",
    ),
    "layouts swapped": (
        {"policy": "pingpong", "layout_a": evt.zN},
        r"gmB, layoutB, gmBlockC, layoutC, shape\);",
        "gmB, layoutA, gmBlockC, layoutC, shape);",
    ),
}
"""A fault: a GEMM, and what is wrong in what is emitted for it."""


@pytest.mark.parametrize(("gemm", "right", "wrong"), WRONG.values(), ids=WRONG)
def test_what_the_block_matmul_does_not_take_is_refused(
    tmp_path: Path, gemm: dict[str, Any], right: str, wrong: str
) -> None:
    edits = 0

    def edit(text: str) -> str:
        nonlocal edits
        text, count = re.subn(right, wrong, text)
        edits += count
        return text

    done = compiled(newest(), tmp_path, plans([of(ARCHITECTURES["AtlasA2"], **gemm)]), edit)
    assert edits >= 1
    assert done.returncode != 0, "it compiles"


def test_another_legal_tile_compiles(tmp_path: Path) -> None:
    """A near miss of the first two."""
    (plan,) = plans([of(ARCHITECTURES["AtlasA2"], policy="preload_async")])
    edit = "GemmShape<128, 256, 64>", "GemmShape<128, 256, 32>"
    done = compiled(newest(), tmp_path, [plan], lambda text: text.replace(*edit))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("release", RELEASES)
def test_tiles_of_b_lie_where_vector_cores_write_them(release: str) -> None:
    """In L1 behind those of A, in turn (visitor_feeding.hpp)."""
    home = RELEASES[release]
    try:
        require_arch(recognise(home), ["Ascend950"])
    except EvtgenError as error:
        pytest.skip(str(error))
    text = (recognise(home).include / "catlass/gemm/block/block_mmad_pingpong_tla.hpp").read_text(encoding="utf-8")
    assert re.search(r"l1BOffset = l1BufAddrStart \+ L1A_TILE_SIZE \* L1A_STAGES;", text)
    assert re.search(r"l1BTensorList\[i\] = [^;]*\(l1BOffset \+ L1B_TILE_SIZE \* i\);", text)


def test_a_coordinate_that_no_variable_takes_is_refused(tmp_path: Path) -> None:
    """The asynchronous block matmul of Ascend950 keeps the coordinate of C."""
    home = newest()
    try:
        require_arch(recognise(home), ["Ascend950"])
    except EvtgenError as error:
        pytest.skip(str(error))
    given = "RowsOf(rows, columns, stride), coord, Arch::PositionGM"
    made = plans([of(ARCHITECTURES["Ascend950"], policy="preload_async")])
    assert given in header_files(made, Framework())["catlass/gemm/block/block_mmad_by_tag.hpp"]
    done = compiled(home, tmp_path, made, lambda text: text.replace(given, given.replace("coord, ", "")))
    assert "no viable overloaded '='" in done.stderr, done.stderr
