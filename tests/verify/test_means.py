"""Means: a sum whose parts are scaled before cores join them; what is emitted, its bound, and what breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, RowVector, epilogue, float32, half, ops
from evtgen.check import check
from evtgen.emit.formula import formula
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.nodes import AccLoad, ColReduce, Reduce, RowReduce, ScalarReduce
from evtgen.operators.arrays import dtype
from evtgen.planner.plan import lower
from evtgen.reference import evaluate
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import sample_of
from ..support.right import right

KINDS = (RowReduce, ColReduce, ScalarReduce)
SHAPES = ((37, 150, 20), (1, 70, 8), (130, 1, 8), (200, 70, 24))


def mean_of(kind: type[Reduce], T: Any, **options: Any) -> Epilogue:
    return Epilogue(f"{kind.function}_{T}", TreeVisitor(kind("mean", "Mean", T), AccLoad(T)), **options)


@pytest.mark.cxx
@pytest.mark.parametrize("length", ["auto", 64])
def test_means_are_right(length: int | str) -> None:
    """Tiles of one row, tiles that do not divide, counts that are no power of two, one core and many.

    In tiles of one row half joins so many parts in GM that its bound judges nothing.
    """
    types = (half, float32) if length == "auto" else (float32,)
    epilogues = [mean_of(kind, T, compute_length=length) for kind in KINDS for T in types]
    assert [d for e in epilogues for d in check(e)] == []
    right(verify_plans([lower(e) for e in epilogues], Options(shapes=SHAPES, strict=True, together=6)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("T", [half, float32])
def test_the_reference_is_the_mean(kind: type[Reduce], T: Any) -> None:
    rng = np.random.default_rng(3)
    acc = rng.standard_normal((37, 45)).astype(dtype(T))
    got = evaluate(lower(mean_of(kind, T)), acc, {})["mean"]
    assert np.array_equal(got, acc.mean(axis=kind.axis, keepdims=True, dtype=np.float64).astype(dtype(T)))


def test_a_traced_mean() -> None:
    @epilogue
    def spec(acc: Acc[float32], bias: RowVector[float32] = 0.0) -> Any:
        value = acc + bias
        return {"D": value, "m": ops.col_reduce(value, "mean"), "s": ops.row_reduce(value, "add")}

    assert check(spec) == []
    plan = lower(spec)
    assert "m += mean of the columns of D" in formula(plan)
    assert "VisitorColReduce<Fusion::Mean, float, layout::RowMajor>" in "".join(
        epilogue_files(plan, Framework()).values()
    )


FUSION = "catlass/epilogue/fusion"

BROKEN = [
    ("reduce.hpp", "1.0f / terms", "1.01f / terms"),
    ("reduce.hpp", "AscendC::Muls(dst, sums, factor,", "AscendC::Adds(dst, sums, factor,"),
    ("visitor_row_reduce.hpp", "(static_cast<float>(problemShape.m()))", "(static_cast<float>(problemShape.n()))"),
    ("visitor_row_reduce.hpp", "reduces || detail::IS_MEAN<ReduceFn>", "reduces"),
]


@pytest.mark.cxx
@pytest.mark.parametrize(("header", "old", "new"), sample_of(BROKEN))
def test_a_wrong_mean_is_seen(header: str, old: str, new: str, tmp_path: Path) -> None:
    plan = lower(mean_of(RowReduce, float32, compute_length=64))
    results = verify_changed(plan, tmp_path, (f"{FUSION}/{header}", old, new), shapes=SHAPES[:1])
    assert results and not any(result.ok for result in results)
