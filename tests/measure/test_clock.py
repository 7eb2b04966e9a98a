"""The clock of the benchmarks runs every kind of epilogue, also those that read sizes of groups or numbers of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from benchmarks import clock
from benchmarks.bench_gallery import SPECS
from evtgen import EvtgenError
from evtgen.frontend.load import load
from evtgen.model.compiler import find_compiler
from evtgen.planner.plan import lower
from evtgen.targets import AtlasA2

from ..support.cpp import check_syntax

SHAPE = (160, 512, 64)
KINDS = {
    "bias_relu": "one matmul",
    "attention_scores": "a batch",
    "gathered_residual": "numbers of rows, which are read",
    "expert_scatter": "groups, and numbers of rows, which are written to",
    "expert_swiglu_dequant_quant": "groups, two accumulators, phases",
}


@pytest.mark.parametrize("name", KINDS)
def test_it_comes_to_its_end(name: str) -> None:
    plan = lower(next(e for path in SPECS for e in load([path]) if e.name == name))
    program = clock.programs([plan])[name]
    once, more = (clock.cycles(program, plan, (m, *SHAPE[1:])) for m in (SHAPE[0], 8 * SHAPE[0]))
    assert 0 < once < more


def test_blocks_are_stored_in_turn() -> None:
    plan = lower(next(e for path in SPECS for e in load([path]) if e.name == "clip_gradient"))
    m, n, k = 2560, 2048, 16
    stored = m * n * plan.element_c.size * 10 / AtlasA2.costs["l0cOut10"] / AtlasA2.cube_cores
    assert clock.cycles(clock.programs([plan])[plan.name], plan, (m, n, k)) > stored


@pytest.mark.cxx
def test_a_constant_is_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = lower(next(e for path in SPECS for e in load([path]) if e.name == "bias_relu"))
    program = clock.programs([plan])["bias_relu"]
    plain = clock.cycles(program, plan, SHAPE)
    with clock.scaled("loadLatency", 2):
        assert clock.cycles(program, plan, SHAPE) > plain
    with clock.scaled("AddRelu", 8):
        assert clock.cycles(program, plan, SHAPE) > plain
    assert clock.cycles(program, plan, SHAPE) == plain
    monkeypatch.setenv("EVTGEN_MODEL_SCALE", "noSuch:2")
    with pytest.raises(EvtgenError):
        clock.cycles(program, plan, SHAPE)


def test_products_of_each_type_take_what_ascendc_says() -> None:
    """In products of half; the page of theoretical performance has how many of K a cycle multiplies: 16 of half."""
    of_k = {"half": 16, "int8": 32, "int4": 64, "float32": 4, "hf32": 8}
    of_k |= {"float8_e4m3fn": 32, "float4_e2m1fn": 64, "float32 on Ascend950": 1, "hf32 on Ascend950": 8}
    for name, depth in of_k.items():
        T = getattr(evt, name.split()[0].replace("hf32", "float32"))
        late = "950" in name or name in {"float8_e4m3fn", "float4_e2m1fn"}
        scale: dict[str, Any] = {"scale": "mx", "layout_b": evt.ColumnMajor} if name == "float4_e2m1fn" else {}
        gemm = evt.Gemm(a=T, b=T, hf32="hf32" in name, **scale)

        def given(acc: Any) -> dict[str, Any]:
            return {"D": acc}

        annotated: Any = evt.Acc
        given.__annotations__["acc"] = annotated[evt.int32 if T.kind == "int" else evt.float32]
        one = evt.epilogue(gemm=gemm, arch="Ascend950" if late else "AtlasA2")(given)
        assert lower(one).product == 16 / depth, name


@pytest.mark.core
@pytest.mark.cxx
def test_products_take_what_pto_isa_publishes(tmp_path: Path) -> None:
    # TMATMUL's page: half 40x50 by 50x60 takes 62 cycles, int8 6x7 by 7x8 15, float 120x110 by 110x50 910; 14 to begin.
    published = {"half, half>(40, 60, 50)": 48, "int8_t, int8_t>(6, 8, 7)": 1, "float, float>(120, 50, 110)": 896 // 2}
    said = '#include "machine/cube.hpp"\n'
    for product, fractals in published.items():
        said += f"static_assert(machine::FractalsOf<{product} == {fractals});\n"
    assert (done := check_syntax(find_compiler().path, tmp_path, said)).returncode == 0, done.stderr
    wrong = said.replace("float, float", "half, half")
    assert "static assertion failed" in check_syntax(find_compiler().path, tmp_path, wrong).stderr
