"""The gallery: every epilogue verified, and the table of what each costs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from docs.generate.gallery import counted, page, plans
from evtgen.check import check
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.shapes import Shape
from evtgen.measure.counts import Counts
from evtgen.model.data import DATA
from evtgen.options import Data
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support.cpp import INSTANTIATE, USUAL, check_syntax, compilers, is_quick, write
from ..support.epilogues import FULL, SAMPLES, everything, written
from ..support.paths import CHECKOUT
from ..support.right import right
from ..support.wide import by_shapes, verified

BATCH = Options(together=8)
"""Several epilogues per program: less to compile."""

JUDGED = {
    ("softmax", "C"): 0.9999,
    ("softmax_lse", "C"): 0.9999,
    ("causal_softmax", "C"): 0.9999,
    ("log_softmax", "C"): 0.9999,
    ("top1_gate", "C"): 0.9999,
    ("moe_gating_top_1", "C"): 0.9999,
    ("moe_gating_top_k_softmax", "C"): 0.9999,
    ("swiglu_block_quant", "D"): 0.9999,
    ("swiglu_quantize_per_token", "D"): 0.9999,
    ("experts_swiglu_quantize_per_token", "D"): 0.9998,
    ("mx_swiglu_quantize", "D"): 0.998,
    ("mx_swiglu_quantize", "scales"): 0.996,
    ("fp4_mx_swiglu_quantize", "D"): 0.9999,
    ("fp4_mx_swiglu_quantize", "scales"): 0.999,
}
"""What must be judged of an output where it is not all, a handful of elements.

Rows with a peak have products of thousands, and where their sum in float32 cancels to the order of the other rows'
values, its rounding is not small beside these. An int8 next to 0 may be either of two where the half that it is the
quotient of is next to the middle of two halves. A scale of MX may be either of two where the largest magnitude of its
block is next to the middle below a power of two: a block of them all.
"""

# Whole blocks; tails of rows and of columns; one element; a tile and a row more; rows longer than a tile.
SHAPES = ((256, 512, 64), (87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16))

PARTS = 4
"""Tests that share the gallery: one would run on, alone, after all others."""


def programs(some: Sequence[Plan]) -> Iterator[tuple[tuple[Shape, ...], list[Plan]]]:
    """The plans of each program, and the shapes that they can have."""
    for shapes, alike in by_shapes(some, SHAPES):
        for npu in SAMPLES:
            group = [plan for plan in alike if plan.arch.npu == npu]
            yield from ((shapes, group[i : i + BATCH.together]) for i in range(0, len(group), BATCH.together))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_epilogue_is_right_at_every_shape(part: int) -> None:
    """Every eighth one at all shapes with all data, and with EVTGEN_FULL=1 all of them. Of the others those that share
    a program are run with normal numbers at tails, and at one shape by turns with whole ones, which are compared
    exactly; where the turn is of whole blocks, with normal ones."""
    gallery = [plan for _, plan in plans()][part::PARTS]
    assert len(gallery) >= 20
    assert [d.message for plan in gallery for d in check(plan.epilogue)] == []
    exact = gallery[:: 1 if FULL else 8]
    others = [plan for plan in gallery if plan not in exact]
    results = verified(exact, replace(BATCH, strict=True, shapes=SHAPES))
    for number, (shapes, together) in enumerate(programs(others)):
        turn = number % len(SHAPES)
        turns: tuple[tuple[int, Data], ...] = (1, "normal"), (turn, "int" if turn else "normal")
        for i, data in turns:
            results += verify_plans(together, replace(BATCH, strict=True, shapes=(shapes[i],), data=data))
    assert len(results) == len(exact) * len(SHAPES) * len(DATA) + len(others) * 2
    right(results)
    compared = [(r, c) for r in results for c in r.compared]
    unjudged = [
        (r.epilogue, r.shape, r.data, c.name) for r, c in compared if c.judged < JUDGED.get((r.epilogue, c.name), 1)
    ]
    assert unjudged == []
    known = {(name, output) for name, output in JUDGED if name in {plan.name for plan in gallery}}
    assert not FULL or known == {(r.epilogue, c.name) for r, c in compared if c.judged < 1}


def test_another_compiler_and_rows_that_lie_apart() -> None:
    """g++ warns of other things, and evaluates in another order where C++ leaves that open. Rows are 3 elements apart,
    so that none but the first starts where copies would like it to. All nodes in one epilogue, and a sample of the
    gallery; with EVTGEN_FULL=1 all of it."""
    sample = set[str]().union(*SAMPLES.values())
    some = [lower(everything()), *(plan for _, plan in plans() if FULL or plan.name in sample)]
    right(verified(some, replace(BATCH, shapes=SHAPES[1:2], strict=True, pad=3, cxx=USUAL)))


@pytest.mark.skipif("CATLASS_HOME" not in os.environ, reason="CATLASS_HOME names no Catlass checkout")
def test_a_real_catlass_agrees() -> None:
    # Releases before v1.6 have no Ascend950.
    some = [lower(everything()), *(plan for _, plan in plans() if plan.arch.npu == 2201)]
    options = replace(BATCH, shapes=SHAPES[1:2], strict=True, pad=3, catlass=Path(os.environ["CATLASS_HOME"]))
    right(verified(some, options))


@pytest.mark.parametrize("cxx", compilers())
@pytest.mark.parametrize("npu", SAMPLES)
def test_the_next_standard(tmp_path: Path, cxx: str, npu: int) -> None:
    """By g++, which most users have, for Atlas A2; by clang++ for Ascend950; with EVTGEN_FULL=1 by both for both."""
    if USUAL and not is_quick(USUAL) and (cxx == USUAL) != (npu == 2201):
        pytest.skip("the other compiler does it, and EVTGEN_FULL is not 1")
    write(tmp_path, framework_files(Framework()))
    source = INSTANTIATE
    for plan in written(npu):
        write(tmp_path, epilogue_files(plan, Framework()))
        kernel = f"Catlass::Evt::{plan.name}::Kernel"
        source = f'#include "{plan.name}.hpp"\n{source}template void Instantiate<{kernel}>({kernel}::Params const&);\n'
    result = check_syntax(cxx, tmp_path, source, "c++20", npu)
    assert result.returncode == 0, result.stderr


def test_the_table_is_up_to_date() -> None:
    """The counts of every 48th epilogue; with EVTGEN_FULL=1, of all."""
    text = (CHECKOUT / "docs" / "gallery.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| \[`.*` \| ([\d,]+) \| ([\d.e+]+) \| ([\d.e+]+) \| \d+ \| ", text, re.MULTILINE)
    counts = [Counts(float(v), float(barriers), int(cycles.replace(",", ""))) for cycles, v, barriers in found]
    step = 1 if FULL else 48
    counts[::step] = counted([plan for _, plan in plans()][::step])
    assert text == page(counts), "run make docs"
