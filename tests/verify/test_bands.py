"""Bands: tiles within, outside and across the edge, wherever that is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Aux, Gemm, bfloat16, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue
from evtgen.graph.types import ElementType
from evtgen.nodes import Band
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import ARCHES, sample_of
from ..support.right import right

OPTIONS = Options(shapes=((135, 330, 24), (64, 256, 16), (3, 7, 5)), strict=True, data="int", together=16)


def banded(name: str, inside: Callable[[Any, Any], Any], T: ElementType, **options: Any) -> Plan:
    """In place of a sum, and beside an accumulator that is stored too; a load that the band alone reads."""

    def function(acc: Any, X: Any) -> dict[str, Any]:
        seen = inside(ops.row_index(), ops.col_index())
        return {"D": ops.where(seen, acc + X, -2.0), "E": ops.where(seen, acc, 0.5), "C": acc}

    function.__annotations__ = {"acc": Acc[T], "X": Aux[T]}
    made = epilogue(name=name, **options)(function)
    assert isinstance(made, Epilogue)
    plan = lower(made)
    assert any(isinstance(node, Band) for _, node in plan.nodes())
    return plan


EDGES = (-1, 0, 1, 63, 64, 65, 127, 255, 256, 257)
"""How far the last column is from the diagonal: on edges of repeats, of tiles and of blocks, and beside them."""


def plans(arch: str) -> list[Plan]:
    causal = [
        banded(f"upto_{i}", lambda r, c, edge=edge: c - r <= edge, (float32, half)[i % 2], arch=arch)
        for i, edge in enumerate(EDGES)
    ]
    others: dict[str, Callable[[Any, Any], Any]] = {
        "diagonal": lambda r, c: r == c,
        "window": lambda r, c: abs(r - c) <= 40,
        "steep": lambda r, c: (c >= 3 * r - 65) & (c < 200) & (r < 70),
        "falling": lambda r, c: c + r >= 129,
        "below": lambda r, c: r >= 33,
    }
    made = [banded(name, one, (float32, half)[i % 2], arch=arch) for i, (name, one) in enumerate(others.items())]
    batches = [banded(way, lambda r, c: c <= r, float32, gemm=gemm, arch=arch) for way, gemm in SEVERAL.items()]
    tall = [banded("tiles_of_1024", lambda r, c: c <= r, half, compute_length=1024, buffers=3, arch=arch)]
    return [*causal, *made, *batches, *tall]


BROKEN = {
    "the repeats further out": ("static_cast<uint8_t>(row - begin)", "0"),
    "the last of some rows": ("static_cast<uint8_t>(row - begin)", "static_cast<uint8_t>(row - begin - 1)"),
    "the repeat with the edge": ("(mask[0] | mask[1]) != 0", "false"),
    "all further repeats of a row": ("last - out * LANES", "LANES"),
    "rows one block too close": ("sizeof(Element) / BYTE_PER_BLK", "sizeof(Element) / BYTE_PER_BLK - 1"),
}


@pytest.mark.parametrize("what", sample_of(BROKEN))
def test_what_is_not_filled_is_seen(tmp_path: Path, what: str) -> None:
    plan = banded("wide", lambda r, c: c - r <= 1, float32)
    change = "catlass/epilogue/fusion/band.hpp", *BROKEN[what]
    results = verify_changed(plan, tmp_path, change, shapes=((64, 256, 16), (2, 256, 16)), data="int")
    assert not all(result.ok for result in results)


SEVERAL = {"batched": Gemm(batch=True), "grouped": Gemm(group="m")}


@pytest.mark.parametrize("arch", ARCHES)
def test_edges_are_right_wherever_they_are(arch: str) -> None:
    right(verify_plans(plans(arch), OPTIONS))


def causal(acc: Acc[float32]) -> Any:
    seen = ops.col_index() <= ops.row_index()
    return {"D": ops.softmax(ops.where(seen, acc * 0.125, -math.inf)).cast(bfloat16)}


@pytest.mark.parametrize("arch", ARCHES)
def test_phases_have_bands(arch: str) -> None:
    made = epilogue(name="causal", arch=arch)(causal)
    assert isinstance(made, Epilogue)
    right(verify_plans([lower(made)], replace(OPTIONS, shapes=((256, 512, 24), (135, 330, 24)), data="normal")))
