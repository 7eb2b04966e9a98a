"""VisitStage::ALL: callers with one buffer and no flags of their own, on the CPU model."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.graph.shapes import Shape
from evtgen.graph.types import float32
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.nodes import (
    AccLoad,
    AuxLoad,
    AuxStore,
    ColBroadcast,
    ColReduce,
    RowBroadcast,
    RowReduce,
    ScalarBroadcast,
    ScalarReduce,
)
from evtgen.planner.plan import lower
from evtgen.verify import Options, Result, verify_plans
from sabotage.callers import visited

from ..support.cpp import INCLUDES, write
from ..support.epilogues import everything
from ..support.right import right

pytestmark = pytest.mark.cxx

MAIN = Path(__file__).with_name("stages.cpp").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def program() -> Path:
    flags = ("-DCATLASS_ARCH=2201",)
    return compile_program(find_compiler(), MAIN, framework_files(Framework()), extra_flags=flags, system=INCLUDES).path


def run(program: Path, mode: str, tmp_path: Path) -> tuple[int, set[str]]:
    report = tmp_path / "report.json"
    settings = {**os.environ, "EVTGEN_MODEL_REPORT": str(report), "EVTGEN_MODEL_STRICT": "1"}
    done = subprocess.run([program, mode], env=settings, check=False, capture_output=True)
    return done.returncode, {hazard["code"] for hazard in json.loads(report.read_text())["hazards"]}


def test_all_synchronises_itself(program: Path, tmp_path: Path) -> None:
    assert run(program, "all", tmp_path) == (0, set())


def test_three_stages_without_flags_do_not(program: Path, tmp_path: Path) -> None:
    _, codes = run(program, "stages", tmp_path)
    assert codes, "the model must see that nothing orders LOAD, COMPUTE and STORE"


def alone() -> list[Epilogue]:
    """Nodes one at a time, in tiles so small that there are several: no other node synchronises for them."""
    one = ScalarBroadcast("one", float32)
    graphs = {
        "accumulator": TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
        "optional": TreeVisitor(AuxStore("D", float32), AuxLoad("X", float32, null_default=1)),
        "row": TreeVisitor(AuxStore("D", float32), RowBroadcast("v", float32)),
        "column": TreeVisitor(AuxStore("D", float32), ColBroadcast("v", float32)),
        "row_sum": TreeVisitor(RowReduce("v", "Plus", float32), one),
        "column_sum": TreeVisitor(ColReduce("v", "Plus", float32), one),
        "sum": TreeVisitor(ScalarReduce("v", "Plus", float32), one),
    }
    return [Epilogue(name, graph, buffers=1, compute_length=1024) for name, graph in graphs.items()]


def verified(root: Path, caller: str, *shapes: Shape) -> list[Result]:
    """Every kind of node in one epilogue, and alone, visited by a block epilogue with one buffer as ``caller`` does."""
    plans = [lower(epilogue) for epilogue in (everything(buffers=1), *alone())]
    files = framework_files(Framework())
    for plan in plans:
        files.update(epilogue_files(plan, Framework()))
    write(root, visited(files, caller))
    return verify_plans(plans, Options(shapes=shapes, strict=True, headers=root, together=len(plans)))


def test_every_kind_of_node_synchronises_itself(tmp_path: Path) -> None:
    results = verified(tmp_path, "all", (87, 198, 40), (3, 7, 5), (5, 4099, 16))
    right(results)


def test_nothing_that_crosses_pipes_is_ordered_without_flags(tmp_path: Path) -> None:
    results = verified(tmp_path, "stages", (87, 198, 40))
    assert not any(result.ok for result in results)
    assert {"EVT120", "EVT121"} <= {hazard["code"] for hazard in results[0].hazards}
    nodes = {site["node"] for hazard in results[0].hazards for site in hazard["sites"] if "node" in site}
    assert nodes >= {
        "AccLoad", "AuxLoadY", "RowBroadcastRow", "ColBroadcastCol",  # V reads what MTE2 writes
        # MTE3 reads what V writes
        "CastPreluToBfloat16", "RowReduceRowOut", "ColReduceColOut", "ScalarReduceScalarOut",
    }  # fmt: skip
