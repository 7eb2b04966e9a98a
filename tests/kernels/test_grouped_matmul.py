"""The kernel for rows that lie in groups, with a list of groups that no caller should give it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxStore
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
