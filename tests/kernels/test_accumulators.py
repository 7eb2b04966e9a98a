"""Two accumulators in front of an epilogue, by every kernel that has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, flatten
from evtgen.graph.shapes import GEMM_B, Problem
from evtgen.graph.types import ColumnMajor, ElementType, Layout, float32, half, int8, int32, nZ, zN
from evtgen.model.data import operands
from evtgen.model.layouts import each_b, operand_bytes
from evtgen.nodes import AccLoad, AuxStore, Compute
from evtgen.passes.common_subexpressions import common_subexpressions
from evtgen.planner.plan import Plan, lower
from evtgen.reference import evaluate, product
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.cpp import write
from ..support.epilogues import random_orders
from ..support.said import refused
from ..support.wide import in_orders

HANDOFF = "catlass/gemm/kernel/accumulator_handoff.hpp"
SMALL: dict[str, Any] = {"l1": (32, 32, 32), "l0": (32, 32, 16)}
"""Blocks so small that a matmul has more than there are cores."""

MINUS = TreeVisitor(
    AuxStore("D", float32), TreeVisitor(Compute("Minus", float32), AccLoad(float32), AccLoad(float32, index=1))
)
"""D = C - C2, which is another if the two are exchanged."""


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    """Every kernel, both forms, the ring of blocks and the whole of C, both policies, and all layouts of B."""
    gemms = {
        "halves": Gemm(accumulators="halves", **SMALL),
        "separate": Gemm(accumulators="separate", workspace_stages=0, layout_b=nZ, **SMALL),
        "batched_halves": Gemm(accumulators="halves", batch=True, workspace_stages=0, layout_b=ColumnMajor, **SMALL),
        "batched_separate": Gemm(accumulators="separate", batch=True, policy="preload_async", **SMALL),
        "grouped_halves": Gemm(accumulators="halves", group="m", workspace_stages=1, layout_b=ColumnMajor, **SMALL),
        "grouped_separate": Gemm(accumulators="separate", group="m", policy="preload_async", layout_b=zN, **SMALL),
    }
    return tuple(lower(Epilogue(name, MINUS, gemm=gemm, arch=arch)) for name, gemm in gemms.items())


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_they_are_right_in_any_order(arch: str) -> None:
    """N odd and in several blocks, and all less than one block."""
    options = Options(
        together=6, shapes=((87, 99, 40), (3, 7, 5)), data="int", strict=True, schedules=random_orders(arch)
    )
    results = in_orders(plans(arch), options)
    assert len(results) == 12
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]


@pytest.mark.cxx
@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("INDEX + 1 == ACCUMULATORS;", "INDEX == 0;"),
        ("INDEX == 0 && WaitsForAnother(loop)", "INDEX == 1 && WaitsForAnother(loop)"),
    ],
    ids=["told before the second is stored", "the first is overwritten"],
)
def test_both_are_handed_over_together(written: str, instead: str, tmp_path: Path) -> None:
    plan = plans("AtlasA2")[0]
    files = header_files([plan], Framework())
    assert files[HANDOFF].count(written) == 1
    write(tmp_path, {**files, HANDOFF: files[HANDOFF].replace(written, instead)})
    options = Options(shapes=((300, 300, 40),), data="int", headers=tmp_path)
    (result,) = verify_plans([plan], options)
    assert any(hazard["severity"] == "error" for hazard in result.hazards)


@pytest.mark.cxx
def test_run_takes_what_the_gemm_has() -> None:
    rng = np.random.default_rng(1)
    a, b, b2 = (rng.integers(-4, 4, size).astype(np.float16) for size in ((5, 4), (4, 7), (4, 7)))
    wide = [array.astype(np.float32) for array in (a, b, b2)]
    halves, separate = (lower_of(name).epilogue for name in ("halves", "separate"))
    expected = wide[0] @ wide[1] - wide[0] @ wide[2]
    assert (evt.run(separate, a, (b, b2))["D"] == expected).all()
    assert (evt.run(halves, a, np.hstack([b, b2]))["D"] == expected).all()


def lower_of(name: str) -> Plan:
    return next(plan for plan in plans("AtlasA2") if plan.name == name)


@pytest.mark.parametrize(
    ("name", "b", "message"),
    [
        ("halves", np.zeros((4, 7)), "b … 7"),
        ("halves", (np.zeros((4, 6)), np.zeros((4, 6))), "b … (2, 4, 6) … (K, 2N)"),
        ("separate", np.zeros((4, 14)), "separate … b"),
        ("separate", (np.zeros((4, 7)),), "separate … b"),
        ("separate", (np.zeros((4, 7)), np.zeros((4, 8))), "b[0] … (4, 7) … b[1] … (4, 8)"),
        ("batched_halves", np.zeros((3, 4, 7)), "b … 7"),
    ],
)
def test_run_says_what_b_should_be(name: str, b: Any, message: str) -> None:
    a = np.zeros((3, 5, 4) if "batched" in name else (5, 4))
    with refused("EVT187", message):
        evt.run(lower_of(name).epilogue, a, b)


def test_b_lies_in_one_matrix_or_in_two() -> None:
    problem = Problem((5, 5), 6, 4)
    halves, separate = lower_of("batched_halves"), lower_of("batched_separate")
    for plan in (halves, separate):
        b = operands(plan, problem, 1, "int").b
        assert b.shape == (8, 12)
        assert np.array_equal(np.hstack([*each_b(plan, b).values()]), b)
    assert [*each_b(halves, b)] == [GEMM_B] and [*each_b(separate, b)] == [GEMM_B, "gemm.B2"]
    # Of a matrix of its own, each has its own gaps: behind rows of RowMajor, here, and behind each matrix.
    packed = 2 * (2 * 5 * 4 + 2 * 4 * 12)
    assert operand_bytes(halves, problem, 0) == operand_bytes(separate, problem, 0) == packed
    assert operand_bytes(separate, problem, 3) == packed + 2 * (2 * (5 * 3 + 3) + 2 * 2 * (4 * 3 + 3))


def test_the_reference_reads_each_half() -> None:
    plan = lower_of("halves")
    a, b = np.arange(6.0).reshape(3, 2), np.arange(8.0).reshape(2, 4)
    found = evaluate(plan, product(a, b).astype(np.float32), {})["D"]
    assert np.array_equal(found, (a @ b[:, :2] - a @ b[:, 2:]).astype(np.float32))


def test_two_accumulators_are_two_values() -> None:
    """Where the same one read twice is one."""

    def loads(second: int) -> int:
        root = TreeVisitor(
            AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AccLoad(half, index=second))
        )
        made = common_subexpressions(Epilogue("sum", root, gemm=Gemm(accumulators="halves"), traced=True))
        return sum(isinstance(step.node, AccLoad) for step in flatten(made.root))

    assert loads(0) == 1 and loads(1) == 2


def glu(layout: Layout, T: ElementType) -> Epilogue:
    acc = int32 if T is int8 else float32
    root = TreeVisitor(AuxStore("D", acc), TreeVisitor(Compute("Plus", acc), AccLoad(acc), AccLoad(acc, 1)))
    return Epilogue("glu", root, gemm=Gemm(a=T, b=T, layout_b=layout, accumulators="halves"))


@pytest.mark.parametrize(
    ("layout", "T", "step"), [(zN, half, 16), (zN, int8, 32), (nZ, half, 16), (nZ, int8, 16), (ColumnMajor, half, 1)]
)
def test_the_second_half_of_b_begins_with_a_fractal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, layout: Layout, T: ElementType, step: int
) -> None:
    """Any other N is refused before anything is compiled."""

    def compiled(*_: object, **__: object) -> None:
        raise NotImplementedError

    epilogue = glu(layout, T)
    monkeypatch.setattr("evtgen.model.toolchain.find_compiler", compiled)
    a, b = np.zeros((5, 4)), np.zeros((4, 1))
    calls: list[Callable[[int], object]] = [
        lambda n: evt.verify(epilogue, shapes=[(5, n, 4)]),
        lambda n: evt.profile(epilogue, shape=(5, n, 4)),
        lambda n: evt.run(epilogue, a, np.tile(b, 2 * n)),
        lambda n: evt.report(epilogue, tmp_path / "report", shape=(5, n, 4)),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError):
            call(3 * step)
        if step > 1:
            with pytest.raises(EvtgenError, match="EVT241") as refused:
                call(3 * step + 1)
            assert f"{layout}, whose fractals are {step} columns of {T} wide" in str(refused.value)


@pytest.mark.cxx
def test_the_default_shapes_begin_the_second_half_with_a_fractal() -> None:
    results = evt.verify(glu(zN, int8), data="int")
    assert all(result.ok for result in results), [line for result in results for line in failures(result)]
    assert len({result.shape[1] for result in results}) == 3
