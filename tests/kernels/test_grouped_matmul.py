"""The kernel for rows that lie in groups, with a list of groups that no caller should give it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, ColVector, float32, int32, ops
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline.run import Reference
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.cpp import write

KERNEL = "catlass/gemm/kernel/visitor_groups.hpp"
READ = "gmGroupList.GetValue(index)"
CLAMP = "number > room - before"


@pytest.mark.cxx
@pytest.mark.parametrize(("clamp", "codes"), [(CLAMP, set()), ("number > 8 * room", {"EVT101", "EVT102"})])
def test_groups_end_neither_before_they_begin_nor_behind_the_room(clamp: str, codes: set[str], tmp_path: Path) -> None:
    """The third ends beyond all memory of the matmuls, the fourth before the first row."""
    gemm = Gemm(group="m", l1=(32, 32, 32), l0=(32, 32, 16))
    plan = lower(Epilogue("stored", TreeVisitor(AuxStore("D", half), AccLoad(half)), gemm=gemm))
    files = header_files([plan], Framework())
    text = files[KERNEL]
    assert text.count(READ) == text.count(CLAMP) == 1
    wrong = f"(index == 2 ? int64_t{{4}} * room : index == 3 ? int64_t{{-3}} : {READ})"
    write(tmp_path, {**files, KERNEL: text.replace(READ, wrong).replace(CLAMP, clamp)})
    options = Options(shapes=((50, 17, 5),), groups=(20, 0, 20, 5, 5), data="int", headers=tmp_path)
    (result,) = verify_plans([plan], options)
    assert not result.ok  # the numbers are those of other groups
    assert {hazard["code"] for hazard in result.hazards if hazard["severity"] == "error"} >= codes
    assert bool(result.hazards) == bool(codes)


@evt.epilogue(gemm=Gemm(group="m", weight_index=True, group_type=int32, l1=(32, 32, 32), l0=(32, 32, 16)))
def blocks(acc: Acc[float32], to: ColVector[int32]):
    return {"D": acc, "S": ops.scatter(acc, rows=to), "sums": ops.row_reduce(acc), "tops": ops.col_reduce(acc, "max")}


@evt.epilogue(gemm=Gemm(group="m", weight_index=True, l1=(32, 32, 32), l0=(32, 32, 16), workspace_stages=0))
def by_rows(acc: Acc[float32]):
    top = ops.col_reduce(acc, "max")
    return {"D": acc - top, "tops": top}


@pytest.mark.cxx
@pytest.mark.parametrize("epilogue", [blocks, by_rows], ids=["blocks", "rows"])
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_a_group_that_takes_no_b_is_left_alone(epilogue: Epilogue, arch: str) -> None:
    """First, within and last, and beside empty ones; the CPU model sees each access, and the reference is the same."""
    rows, numbers, rng = [40, 3, 0, 50, 33, 1, 7], [-1, 2, -1, -1, 0, 2, -1], np.random.default_rng(7)
    a, b = rng.integers(-3, 4, (140, 5)), rng.integers(-3, 4, (3, 5, 70))
    group = np.repeat(np.arange(7), rows)
    taken = np.isin(group, [1, 4, 5])
    acc = np.stack([a[i] @ b[numbers[g]] for i, g in enumerate(group)]).astype(np.float32)
    want = {"D": acc - acc.max(1, keepdims=True) if epilogue is by_rows else acc, "tops": acc.max(1, keepdims=True)}
    given: dict[str, Any] = {"groups": rows, "weight_index": numbers}
    out = {"D": np.full((140, 70), 7, np.float32)}
    epilogue = replace(epilogue, arch=arch)
    if epilogue.name == "blocks":
        to = rng.permutation(134)
        given["to"] = np.append(to, [-1] * 6)
        out["S"] = out["D"].copy()
    for kernel in (evt.compile(epilogue), Reference(epilogue)):
        got = kernel(a, b, **given, out={name: array.copy() for name, array in out.items()})
        assert np.array_equal(got["D"][:134][taken], want["D"][taken]) and (got["D"][:134][~taken] == 7).all()
        assert (got["D"][134:] == 7).all() and np.array_equal(got["tops"][:134][taken], want["tops"][taken])
        if epilogue.name == "blocks":
            assert np.array_equal(got["sums"], [acc[(group == g) & taken].sum(0) for g in range(7)])
            assert np.array_equal(got["S"][to[taken]], acc[taken])
            assert (got["S"][to[~taken]] == 7).all()
