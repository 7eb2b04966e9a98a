"""Blocks for a shape that is known: where they differ from those for any, and who takes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Dispatch, Epilogue, Gemm
from evtgen.check import require_plan
from evtgen.frontend.dispatch import applied
from evtgen.frontend.load import load
from evtgen.graph.shapes import Shape
from evtgen.kernels import DEFAULTS
from evtgen.measure.clock import Job, timed
from evtgen.measure.estimate import estimated
from evtgen.measure.fitting import fitted
from evtgen.options import ExtensionOptions, ProfileOptions
from evtgen.pipeline import build as building
from evtgen.pipeline import profile as profiling
from evtgen.pipeline.extension import extension
from evtgen.pipeline.fitting import faster_options, for_shape
from evtgen.pipeline.profile import profile
from evtgen.pipeline.specs import check_given

from ..support.epilogues import FULL

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
FEW: Shape = (128, 1024, 1024)
"""Four blocks of 128 x 256."""


@pytest.fixture(scope="module")
def bias_gelu() -> Epilogue:
    return next(one for one in load([GALLERY / "bias.py"]) if one.name == "bias_gelu")


def options(epilogue: Epilogue, shape: Shape, cores: int | None = None) -> dict[str, Any]:
    plan = require_plan(epilogue)
    return dict(fitted(epilogue, plan, plan.problem(shape), cores)[0])


def test_blocks_are_as_many_as_cores_where_that_is_faster(bias_gelu: Epilogue) -> None:
    for shape in (FEW, (128, 4096, 1024), (256, 1024, 4096)):
        rows, columns, _ = options(bias_gelu, shape)["l1"]
        assert -(-shape[0] // rows) * -(-shape[1] // columns) >= 16
    # Its blocks are enough; so few cores are busy; the launch takes longer than the kernel; the bandwidth is the limit.
    assert options(bias_gelu, (2048, 4096, 4096)) == options(bias_gelu, FEW, cores=4) == {}
    assert options(bias_gelu, (8, 64, 32)) == options(bias_gelu, (1, 4096, 4096)) == {}
    given = replace(bias_gelu, gemm=replace(bias_gelu.gemm, **options(bias_gelu, FEW)))
    assert options(given, FEW) == {}


def cycles(epilogue: Epilogue, shape: Shape, **given: Any) -> float:
    plan = require_plan(applied(epilogue, given))
    return estimated(plan, plan.problem(shape))


def test_the_last_store_is_not_beside_another_block(bias_gelu: Epilogue) -> None:
    """With one block for each core nothing is left to load ahead, and what is loaded ahead of a tile takes longer. Of
    several blocks either policy stores one beside the loads of the next, unless the workspace has one place. The
    clock's cycles: 9,480 and 10,020; then 65,095 and 65,123."""
    blocks = {"l1": (64, 128, 256), "workspace_stages": 3}
    plain, ahead = (cycles(bias_gelu, FEW, policy=way, **blocks) for way in ("pingpong", "preload_async"))
    assert 1.03 < ahead / plain < 1.08
    many: Shape = (1024, 4096, 256)
    plain, ahead = (cycles(bias_gelu, many, policy=way, **blocks) for way in ("pingpong", "preload_async"))
    assert ahead == pytest.approx(plain, rel=0.01)
    assert cycles(bias_gelu, many, policy="pingpong", **blocks | {"workspace_stages": 1}) > 1.2 * plain


def test_first_tiles_that_are_loaded_ahead_come_from_memory() -> None:
    """Those of cores with the same columns are different ones. With 256 rows that takes int8 longer; with 16 it spares
    a core all rows of A. The clock's cycles: 18,091 and 19,828; then 23,866 and 23,232."""
    (dynamic,) = (one for one in load([GALLERY / "linear.py"]) if one.name == "w8a8_dynamic")
    for shape, clock in (((256, 4096, 1024), 19828 / 18091), ((16, 4096, 4096), 23232 / 23866)):
        plain, ahead = (cycles(dynamic, shape, policy=way) for way in ("pingpong", "preload_async"))
        assert ahead / plain == pytest.approx(clock, abs=0.035) and (ahead > plain) == (clock > 1)


def test_few_rows_load_ahead() -> None:
    """By the clock qkv_split takes 45,106 cycles with 16 rows, and 42,618 with the best blocks; with one row at most
    1.4 % are left."""
    (split,) = (one for one in load([GALLERY / "parts.py"]) if one.name == "qkv_split")
    assert options(split, (16, 4096, 4096))["policy"] == "preload_async" and options(split, (1, 4096, 4096)) == {}


def of_rows(name: str) -> Epilogue:
    return next(one for one in load([GALLERY / "rows.py", GALLERY / "experts.py"]) if one.name == name)


def test_where_a_row_fits_with_fewer_buffers_they_are_fewer() -> None:
    """At 2048x4096x4096 rows fit with any. The clock has 292,014 cycles for the router, and 316,556 with one buffer."""
    norm, wide = of_rows("layer_norm"), (8192, 8192, 1024)
    assert options(norm, wide) == {"buffers": 1} and options(norm, (2048, 4096, 4096)) == {}
    assert options(replace(norm, buffers=2), wide) == {} == options(of_rows("moe_gating_top_1"), (2560, 8192, 256))
    (said,) = faster_options(norm, require_plan(norm), [wide], DEFAULTS, None)
    assert "layer_norm at 8192x8192x1024 takes about 66% of the cycles with other buffers" in said.message
    assert "buffers=1" in str(said.help)


@pytest.mark.cxx
@pytest.mark.skipif(not FULL, reason="EVTGEN_FULL is not 1: launches so large take the clock a minute")
@pytest.mark.parametrize("name", ["log_softmax", "moe_gating_top_1", "top1_gate"])
def test_fewer_buffers_are_faster_by_the_clock(name: str) -> None:
    """Of the shapes for which they are taken this has the least K, where the formula is farthest off."""
    epilogue, shape = of_rows(name), (4096, 8192, 512)
    some = (epilogue, applied(epilogue, options(epilogue, shape)))
    own, fewer = (one.cycles or 0 for one in timed(Job(tuple(replace(e, function=None) for e in some), shape)))
    assert some[1].buffers == 1 and fewer < 0.95 * own


@pytest.mark.parametrize(
    ("arch", "tall"), [("AtlasA2", {"l1": (128, 128, 256), "split_k": 4}), ("Ascend950", {"l1": (64, 64, 256)})]
)
def test_blocks_of_a_b_that_is_widened(arch: str, tall: dict[str, Any]) -> None:
    """Of few rows all through the ring, or to L1. Of 120 rows the clock's cycles are 14,028 of 56,947 as it is, and
    8,112 of 18,745; with blocks of 128 x 64 alone 22,778 and 10,032."""
    root = evt.TreeVisitor(evt.nodes.AuxStore("D", evt.float32), evt.nodes.AccLoad(evt.float32))
    for b, shape, expected in ((evt.int8, (16, 2048, 4096), None), (evt.int4, (120, 512, 4096), tall)):
        found = options(Epilogue("weights", root, gemm=Gemm(evt.half, b), arch=arch), shape)
        columns = 128 if arch == "AtlasA2" else 64
        assert found == {"l0": None, **(expected or {"l1": (16, columns, 256)})}


def test_profile_says_that_cores_are_idle(bias_gelu: Epilogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiling, "profile_plans", lambda plans, options, progress: [])

    def said(epilogue: Any, **given: Any) -> list[tuple[str, str, str | None]]:
        _, found = profile(check_given(epilogue), ProfileOptions(**given))
        return [(one.code, one.message, one.help) for one in found]

    ((code, message, help),) = said([bias_gelu], shapes=[FEW, (2048, 4096, 4096)])
    assert code == "EVT309" and "bias_gelu at 128x1024x1024 has 4 blocks for 20 cores" in message
    line = str(help).partition("gemm=")[2]
    assert eval(line, {"Gemm": Gemm, "half": evt.half}).l1 == options(bias_gelu, FEW)["l1"]
    assert said([bias_gelu]) == [] == said([bias_gelu], shape=FEW, cores=4)
    # Of the kernels of a Dispatch the one that a launch of so many rows takes.
    assert len(said(Dispatch(bias_gelu, {64: {}}), shape=FEW)) == 1


def test_what_has_no_rows_has_all_its_blocks(bias_gelu: Epilogue) -> None:
    grouped = replace(bias_gelu, gemm=replace(bias_gelu.gemm, group="m"))
    plan = require_plan(grouped)
    matmuls = ProfileOptions(groups=(0, 0)).matmuls
    assert [*faster_options(grouped, plan, [(0, 64, 32)], matmuls, None)] == []


def test_a_build_for_a_shape_has_its_blocks(bias_gelu: Epilogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_finished", lambda finish, *sets: [dict(one) for one in sets])
    own, few, many = (evt.render(bias_gelu, shape=shape)["bias_gelu.hpp"] for shape in (None, FEW, (2048, 4096, 4096)))
    assert own == many != few
    (said,) = for_shape(check_given([bias_gelu]), FEW).diagnostics
    assert said.code == "EVT309" and "bias_gelu is built for 128x1024x1024" in said.message
    assert for_shape(check_given([bias_gelu]), (2048, 4096, 4096)).diagnostics == []
    named = replace(bias_gelu, gemm=replace(bias_gelu.gemm, l1=(128, 256, 256)))
    assert for_shape(check_given([named]), FEW).diagnostics == []
    dispatch = Dispatch(bias_gelu, {16: {"buffers": 1}})
    made = evt.render(dispatch, shape=FEW)
    assert made["bias_gelu_m16.hpp"] == evt.render(dispatch)["bias_gelu_m16.hpp"]
    assert made["bias_gelu_any.hpp"] != evt.render(dispatch)["bias_gelu_any.hpp"]


def test_a_warning_is_said_once() -> None:
    root = evt.TreeVisitor(evt.nodes.AuxStore("D", evt.half), evt.nodes.AuxLoad("X", evt.half))
    checked = check_given([Epilogue("copied", root)])
    for shape, codes in ((FEW, ["EVT062", "EVT309"]), ((2048, 4096, 4096), ["EVT062"])):
        assert [one.code for one in for_shape(checked, shape).diagnostics] == codes


def test_an_extension_for_a_shape_has_its_blocks(
    bias_gelu: Epilogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_finished", lambda finish, *sets: [dict(one) for one in sets])

    def header(epilogue: Epilogue, shape: Shape | None) -> tuple[str, list[str]]:
        chosen = ExtensionOptions(namespace="ops", style="csrc", shape=shape, force=True)
        _, said = extension(check_given([epilogue]), tmp_path, chosen)
        return (tmp_path / "include/bias_gelu.hpp").read_text(), [one.code for one in said]

    own, _ = header(bias_gelu, None)
    assert header(bias_gelu, FEW) == (evt.render(bias_gelu, shape=FEW)["bias_gelu.hpp"], ["EVT309"])
    assert header(bias_gelu, (2048, 4096, 4096)) == (own, [])
    named = replace(bias_gelu, gemm=replace(bias_gelu.gemm, l1=(128, 256, 256)))
    assert header(named, FEW) == (header(named, None)[0], [])


@pytest.mark.parametrize("dynamic", [False, True])
def test_kernels_of_a_model_of_one_size_have_its_blocks(dynamic: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU()).half().eval()
    x = torch.randn(128, 256, dtype=torch.float16)
    rows = {0: torch.export.Dim("rows", min=2, max=4096)} if dynamic else None
    program = torch.export.export(model, (x,), dynamic_shapes=(({} if rows is None else rows),))
    made = evt.partition(program)
    (kernel,) = made.kernels
    assert (kernel.epilogue.gemm.l1 is None) == dynamic
    alone = evt.from_fx(program)
    assert alone.shape == (None if dynamic else kernel.shape)
    if alone.shape is not None:
        (fit,) = for_shape(check_given([alone]), alone.shape).epilogues
        assert fit.gemm.l1 == kernel.epilogue.gemm.l1
    np.testing.assert_allclose(made(x).float().numpy(), model(x).float().detach().numpy(), atol=2e-2)


@pytest.mark.cxx
def test_the_clock_agrees(bias_gelu: Epilogue) -> None:
    """Kernels with these blocks, and the best tiles that an exhaustive search has found there."""
    for shape, best in ((FEW, (64, 128, 256)), ((256, 1024, 4096), (128, 128, 256))):
        given = {"l1": best, "l0": None}
        some = (bias_gelu, applied(bias_gelu, options(bias_gelu, shape)), applied(bias_gelu, given))
        own, ours, theirs = (
            one.cycles or 0 for one in timed(Job(tuple(replace(e, function=None) for e in some), shape))
        )
        assert ours <= 1.05 * theirs < 0.8 * own


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"] if FULL else ["Ascend950"])
def test_the_clock_agrees_where_b_is_widened(arch: str) -> None:
    shape, root = (16, 512, 1024), evt.TreeVisitor(evt.nodes.AuxStore("D", evt.float32), evt.nodes.AccLoad(evt.float32))
    weights = Epilogue("weights", root, gemm=Gemm(evt.half, evt.int8), arch=arch)
    own, ours = (one.cycles or 0 for one in timed(Job((weights, applied(weights, options(weights, shape))), shape)))
    assert ours < 0.9 * own
