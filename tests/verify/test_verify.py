"""Verification from end to end: what is right is ok, and what is broken on purpose is found and named."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, float32, half, int8, int32
from evtgen.nodes import (
    AccLoad,
    AuxLoad,
    AuxStore,
    ColBroadcast,
    Compute,
    Outputs,
    RowBroadcast,
    RowReduce,
    ScalarBroadcast,
)
from evtgen.options import Data, ReportOptions
from evtgen.pipeline.report import subjects
from evtgen.pipeline.specs import check_given, load_and_check
from evtgen.planner.plan import Plan, lower
from evtgen.report.page.sections import hazards
from evtgen.report.verification import table
from evtgen.verify import Options, Result, verify_plans
from evtgen.verify.case import _name_nodes

from ..support import seeds
from ..support.changed import changed
from ..support.paths import EXAMPLES
from ..support.right import right, shown

SHAPES = ((87, 198, 120), (1, 1, 16), (3, 7, 5), (1, 3000, 16), (3000, 1, 16))
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
BLOCK = "catlass/epilogue/block/block_epilogue_visitor.hpp"


@pytest.mark.core
@pytest.mark.parametrize("length", ["auto", 64])
@pytest.mark.parametrize("data", ["int", "normal"])
def test_the_examples_are_right(data: Data, length: int | str) -> None:
    plans = [seeds.plan(e, compute_length=length) for e in seeds.EXPLICIT]
    results = right(verify_plans(plans, Options(shapes=SHAPES, data=data, strict=True, together=2)))
    assert len(results) == len(plans) * len(SHAPES)
    for result in results:
        assert not result.warnings
        assert result.accumulator is not None
        if data == "int":
            compared = [*result.outputs, result.accumulator]
            assert all(c.max_ulp == 0 and c.bound == 0 for c in compared)


@pytest.mark.parametrize("cxx", COMPILERS)
def test_each_compiler_accepts_the_headers_without_a_warning(cxx: str) -> None:
    options = Options(shapes=((33, 50, 20),), data="int", cxx=cxx, strict=True)
    (result,) = verify_plans([seeds.plan(seeds.ROWS)], options)
    assert result.ok, shown([result])
    assert not result.warnings


def test_json_has_the_documented_fields() -> None:
    plan = seeds.plan(seeds.ADD)
    (result,) = verify_plans([plan], Options(shapes=((87, 198, 120),), data="int"))
    data = result.to_json()
    assert data["epilogue"] == "add" and data["shape"] == [87, 198, 120] and data["ok"] is True
    assert data["compute_length"] == plan.compute_length
    assert data["ub"] == {"used": plan.ub_used, "limit": plan.ub_limit}
    assert data["hazards"] == []
    (output,) = data["outputs"]
    expected = {"name": "D", "dtype": "half", "elements": 87 * 198, "mismatches": 0, "max_abs_error": 0.0, "max_ulp": 0}
    expected |= {"judged": 1.0, "formula_error": {"absolute": 0.0, "ulp": 0.0}}
    assert expected.items() <= output.items()
    assert data["data"] == "int" and data["diagnostics"] == []
    assert table([result]).row_count == 1


def test_schedules_agree() -> None:
    plans = [seeds.plan(seeds.TOPOLOGICAL), seeds.plan(seeds.ROWS)]
    results = verify_plans(plans, Options(shapes=((130, 70, 20),), data="normal", schedules=2, together=2))
    assert all(result.ok and result.schedules == 4 and not result.differing for result in results), shown(results)


def test_null_pointers_are_run_too() -> None:
    load = AuxLoad("X", half, null_default=2)
    epilogue = Epilogue(
        "nullable", TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), load))
    )
    (result,) = verify_plans([seeds.plan(epilogue)], Options(shapes=((20, 40, 8),), data="int"))
    assert result.ok, shown([result])
    assert [comparison.null for comparison in result.outputs] == [(), ("X",)]


def test_null_vectors_are_run_too() -> None:
    """Each alone in an epilogue of its own and all in one; a null one stands for its default, not for zeros."""
    kinds = {"row": RowBroadcast, "column": ColBroadcast, "value": ScalarBroadcast}
    plans = []
    for T in (half, float32, int32):
        tree: Visitor = AccLoad(T)
        for number, (name, kind) in enumerate(kinds.items()):
            load = kind(name, T, null_default=3 + number)
            plans.append(stored_in(f"{name}_{T}", load, AccLoad(T), T))
            tree = TreeVisitor(Compute("Plus", T), tree, load)
        plans.append(stored_in(f"all_{T}", tree, AuxLoad("X", T, null_default=9), T))
    results = verify_plans(plans, Options(shapes=((37, 150, 8), (5, 7, 3)), strict=True, together=len(plans)))
    right(results)
    nulls = {(r.epilogue, comparison.null) for r in results for comparison in r.outputs}
    assert ("row_half", ("row",)) in nulls and ("all_int32", ("row", "column", "value", "X")) in nulls


def stored_in(name: str, one: Visitor, other: Visitor, T: ElementType) -> Plan:
    tree = TreeVisitor(AuxStore("D", T), TreeVisitor(Compute("Maximum", T), one, other))
    operand = half if T.kind == "float" else int8
    return seeds.plan(Epilogue(name, tree, gemm=Gemm(operand, operand, T)))


def test_a_tensor_may_be_called_like_a_file_of_the_harness() -> None:
    tree = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("report", half))
    epilogue = Epilogue(
        "names", TreeVisitor(RowReduce("m", "Maximum", half, -500), TreeVisitor(AuxStore("tensors", half), tree))
    )
    (result,) = verify_plans([seeds.plan(epilogue)], Options(shapes=((20, 40, 8),), data="int"))
    assert result.ok, shown([result])


def broken(tmp_path: Path, path: str, old: str, new: str, **options: object) -> Result:
    plan = seeds.plan(seeds.ADD)
    root = changed(plan, tmp_path, path, old, new)
    (result,) = verify_plans([plan], Options(shapes=((40, 300, 8),), data="int", headers=root, **options))  # type: ignore[arg-type]
    return result


def test_wrong_numbers_are_found(tmp_path: Path) -> None:
    result = broken(tmp_path, "catlass/epilogue/fusion/operations/arithmetic.hpp", "AscendC::Add(", "AscendC::Sub(")
    assert not result.ok and not result.hazards
    (output,) = result.outputs
    assert output.mismatches > 0 and output.first is not None
    assert "D is wrong in" in shown([result])


def test_a_missing_wait_is_a_hazard_with_its_buffer(tmp_path: Path) -> None:
    result = broken(tmp_path, BLOCK, "AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(stageId);", "")
    assert not result.ok
    race = next(hazard for hazard in result.hazards if hazard["code"] == "EVT120")
    assert {"code", "severity", "message", "pipe", "count"} <= race.keys()
    assert race["where"] in {f"Plus and {load}, buffer {n}" for load in ("AccLoad", "AuxLoadX") for n in (0, 1)}
    assert any(site["file"].endswith("operations/arithmetic.hpp") for site in race["sites"])
    assert "--> " in shown([result]) and race["where"] in shown([result])
    _shows_the_line_of_the_race(result, tmp_path, race)


def _shows_the_line_of_the_race(result: Result, root: Path, race: dict[str, Any]) -> None:
    """The report page has the line of the call as it was compiled."""
    (subject,) = subjects(check_given([seeds.ADD]), ReportOptions(run=False))
    headers = {path: (root / path).read_text(encoding="utf-8") for path in subject.headers}
    fragment = hazards.section(replace(subject, headers=headers, results=(result,)))
    assert fragment is not None
    (_, _, after) = str(fragment.html).partition(f"<strong>{race['where']}</strong>")
    found = re.search(r'<span class="line found"><i>(\d+)</i>(.*?)</span>(?=<span class="line|</pre>)', after)
    site = next(site for site in race["sites"] if site["file"].endswith("operations/arithmetic.hpp"))
    assert found is not None and int(found[1]) == site["line"]
    assert re.sub("<[^>]*>", "", found[2]).strip() == "AscendC::Add(dst, a, b, count);"


def race(*lines: int, nodes: tuple[str, ...] = ()) -> dict[str, Any]:
    """A finding of the model between the calls of some lines, with the nodes that made them where they are known."""
    sites: list[dict[str, Any]] = [{"file": "plus.hpp", "line": line, "call": "Add", "pipe": "V"} for line in lines]
    for site, node in zip(sites, nodes, strict=False):
        site.update(node=node, buffer=0)
    return {"code": "EVT120", "sites": sites}


def test_findings_are_named_as_far_as_the_observed_run_has_them() -> None:
    """It may end before the other one has, or find what that has not: each finding is named or not by itself."""
    found = [race(10, 20), race(10, 30), race(40)]
    observed = [race(10, 20, nodes=("Plus", "AccLoad")), race(10, 20, nodes=("Plus", "AuxLoadX"))]
    more = [race(10, 99, nodes=("Plus", "AccLoad"))]
    report = {"hazards": list(found)}
    _name_nodes(report, {"hazards": [*observed, *more]})
    assert report["hazards"] == [*observed, *found[1:]]
    _name_nodes(report, {})
    assert report["hazards"] == [*observed, *found[1:]], "it left no report"


def test_a_header_that_does_not_compile_is_a_failure_with_the_compilers_words(tmp_path: Path) -> None:
    result = broken(tmp_path, "add.hpp", '#include "catlass/catlass.hpp"', "#include <no_such_header>")
    assert not result.ok and result.error is not None and "no_such_header" in result.error


def test_one_bad_header_does_not_take_the_others_of_its_batch_along(tmp_path: Path) -> None:
    plans = [seeds.plan(seeds.ADD), seeds.plan(seeds.CAST)]
    for plan in plans:
        changed(plan, tmp_path, f"{plan.name}.hpp", "#include", "#include")
    (tmp_path / "cast.hpp").write_text("#error broken\n")
    good, bad = verify_plans(plans, Options(shapes=((3, 7, 5),), data="int", headers=tmp_path, together=2))
    assert good.ok and not bad.ok and "broken" in str(bad.error)


def test_compiler_warnings_are_reported_and_count_when_strict(tmp_path: Path) -> None:
    edit = ("add.hpp", "struct Arguments {", "inline int Odd(int unused) { return 0; }\nstruct Arguments {")
    lenient = broken(tmp_path, *edit)
    assert lenient.ok and "unused parameter" in lenient.warnings[0]
    assert not broken(tmp_path, *edit, strict=True).ok


def test_missing_headers_are_named(tmp_path: Path) -> None:
    with pytest.raises(EvtgenError, match=r"add\.hpp") as caught:
        verify_plans([seeds.plan(seeds.ADD)], Options(headers=tmp_path))
    assert caught.value.status == 2


def test_a_directory_without_catlass_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvtgenError) as caught:
        verify_plans([seeds.plan(seeds.ADD)], Options(catlass=tmp_path))
    assert [d.code for d in caught.value.diagnostics] == ["EVT093"]


def test_specs_are_loaded_and_verified() -> None:
    plans = [lower(epilogue) for epilogue in load_and_check(EXAMPLES).require().epilogues]
    results = verify_plans(plans, Options(shapes=((20, 40, 8),), strict=True))
    assert len(results) == 8 and all(result.ok for result in results), shown(results)


@pytest.mark.skipif("CATLASS_HOME" not in os.environ, reason="CATLASS_HOME names no Catlass checkout")
@pytest.mark.parametrize("cxx", COMPILERS)
def test_the_headers_compile_and_run_against_a_real_catlass(cxx: str) -> None:
    options = Options(shapes=((130, 300, 40),), cxx=cxx, catlass=Path(os.environ["CATLASS_HOME"]), together=4)
    right(verify_plans([seeds.plan(e) for e in seeds.EXPLICIT], options))


def test_progress_is_told() -> None:
    said: list[str] = []
    verify_plans([seeds.plan(seeds.ADD)], Options(shapes=((3, 7, 5),)), said.append)
    assert [line[:10] for line in said[-2:]] == ["run 1 of 2", "run 2 of 2"]
    assert {line[12:] for line in said[-2:]} == {"add at 3x7x5, int: ok", "add at 3x7x5, normal: ok"}


def test_a_null_column_has_no_barrier_to_count_on() -> None:
    """Its COMPUTE fills the tile by one call; the barrier of a column that is there does not come."""
    edges = [(), (), (), (0, 0), (2,), (1,), (3,), (5, 4), (6, 6), (7,), (8,), (9, 10)]
    ops = [
        AccLoad(half), AuxLoad("X", half), ColBroadcast("col", half, null_default=1.0), Compute("Multiplies", half),
        Compute("Negate", half), Compute("Absolute", half), Compute("Absolute", half), Compute("Minus", half),
        Compute("Plus", half), AuxStore("D", half), AuxStore("E", half), Outputs(),
    ]  # fmt: skip
    plan = lower(Epilogue("null_column", TopologicalVisitor(edges, ops)))
    (result,) = verify_plans([plan], Options(shapes=((87, 198, 40),), data="int", strict=True))
    assert result.ok, shown([result])
