"""Every node, kernel and architecture is right at two shapes: the part of this folder that ``make test`` runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evtgen.graph.ir import Gemm
from evtgen.graph.types import float32
from evtgen.model.data import DATA
from evtgen.pipeline.specs import load_and_check
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options

from ..support import wide
from ..support.choice import reached
from ..support.epilogues import every_reduction_again, everything, everything_of_columns, everything_of_rows
from ..support.paths import CHECKOUT
from ..support.right import right

SHAPES = ((87, 198, 40), (3, 7, 16))

KERNELS = {
    "batches": {"attention_scores"},
    "elsewhere": {"expert_scatter"},
    "gradients": {"moe_wgrad"},
    "linear": {"split_k_bias"},
    "quantized": {"w8a16_linear", "fp8_block_linear"},
}
"""Epilogues of the gallery with the kernels that multiply more than two matrices once, by spec."""


def on_atlas_a2() -> list[Plan]:
    specs = [CHECKOUT / "examples" / "gallery" / f"{spec}.py" for spec in KERNELS]
    gallery = {epilogue.name: epilogue for epilogue in load_and_check(specs).require().epilogues}
    others = [gallery[name] for names in KERNELS.values() for name in sorted(names)]
    own = everything(), everything_of_columns(), everything_of_rows(), every_reduction_again()
    return [lower(epilogue) for epilogue in (*own, *others)]


def on_ascend950() -> list[Plan]:
    through_gm, through_ub = everything(rounding="CAST_RINT"), everything(acc=float32, rounding="CAST_RINT")
    return [
        lower(replace(epilogue, name=f"everything_{way}", arch="Ascend950", gemm=Gemm(handoff=way)))
        for way, epilogue in (("gm", through_gm), ("ub", through_ub))
    ]


def verified(plans: list[Plan]) -> None:
    results = wide.verified(plans, Options(shapes=SHAPES, strict=True, together=2))
    assert len(results) == len(plans) * len(SHAPES) * len(DATA)
    right(results)


@pytest.mark.core(reaches=lambda: reached(on_atlas_a2()))
def test_every_node_and_kernel_is_right() -> None:
    verified(on_atlas_a2())


@pytest.mark.core(reaches=lambda: reached(on_ascend950()))
def test_every_node_is_right_on_ascend950() -> None:
    verified(on_ascend950())
