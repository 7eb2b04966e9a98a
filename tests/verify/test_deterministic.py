"""Reductions in a fixed order: the same bits in every order of execution on any number of cores; and that is proved."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, Gemm, float32, half, int8, int32, ops
from evtgen.check.evg import refusals
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.frontend.json_form import read, to_json
from evtgen.graph.ir import Epilogue
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.nodes import Reduce
from evtgen.pipeline.explain import describe
from evtgen.planner.plan import lower
from evtgen.verify import Options, Result, verify_plans

from ..support.changed import verify_changed
from ..support.cpp import INCLUDES
from ..support.right import right, shown

SMALL: dict[str, Any] = {"l1": (32, 32, 32), "l0": (32, 32, 16)}
"""Tiles of many blocks in a small shape."""

SHAPE = (87, 198, 40)

IN_ORDER = "catlass/epilogue/fusion/visitor_in_order.hpp"
WITHOUT_PARTS = (IN_ORDER, "if (inOrder.parts > 0)", "if (inOrder.parts > ~0u - 1)")
"""A change by which reductions have their tensor in the place of the parts."""


def sums(name: str = "sums", *, deterministic: bool = True, **gemm: Any) -> Epilogue:
    # Several tiles of each half of a block: what they come to depends on the order
    @evt.epilogue(
        name=name, deterministic=deterministic, compute_length=128, gemm=Gemm(a=half, b=half, **SMALL, **gemm)
    )
    def of_all(acc: Acc[float32]) -> dict[str, Any]:
        return {
            "D": acc,
            "rows": ops.row_reduce(acc, "add"),
            "cols": ops.col_reduce(acc, "add"),
            "all": ops.scalar_reduce(acc, "mean"),
        }

    return of_all


@evt.epilogue(deterministic=True, gemm=Gemm(a=half, b=half, **SMALL))
def used_again(acc: Acc[float32]) -> dict[str, Any]:
    """Sums of rows, of columns and of all as operands, and one more of what they make."""
    centred = acc - ops.row_reduce(acc, "mean")
    squares = centred * centred
    scaled = centred / (ops.col_reduce(squares, "add") + 1.0) * ops.scalar_reduce(squares, "mean")
    return {"D": scaled, "rows": ops.row_reduce(scaled * scaled, "add")}


def blocks(epilogue: Epilogue) -> dict[str, Any]:
    """By the names of its nodes, what its reductions are ordered by."""
    plan = lower(epilogue)
    nodes = [pair for part in plan.phases for pair in part.nodes()]
    return {alias: node.ordered_by for alias, node in nodes if isinstance(node, Reduce)}


def test_what_has_a_fixed_order() -> None:
    """All reductions of floats, and none of integers, whose order makes no difference; none unless it is asked for."""
    assert set(blocks(sums()).values()) == {(32, 32)} and len(blocks(sums())) == 3
    assert set(blocks(used_again).values()) == {(32, 32)} and len(blocks(used_again)) == 4
    assert set(blocks(sums(deterministic=False)).values()) == {None}

    @evt.epilogue(deterministic=True)
    def counted(acc: Acc[int32]) -> dict[str, Any]:
        return {"rows": ops.row_reduce(acc, "add"), "top": ops.col_reduce(acc.cast(float32), "max")}

    by = blocks(counted)
    assert by["RowReduceRows"] is None and by["ColReduceTop"] == lower(counted).mmad_tiles[0][:2]
    assert lower(counted).is_ordered
    assert not lower(replace(sums(), root=lower(counted).epilogue.root, deterministic=False)).is_ordered


def test_explain_says_what_parts_take() -> None:
    assert [one["bytes"] for one in describe(lower(sums()))["order"]] == [
        "2 * ceil(M / 32) * ceil(N / 128) * 512",
        "ceil(N / 32) * ceil(M / 128) * 512",
        "2 * ceil(M / 32) * ceil(N / 32) * 4",
    ]
    assert len(describe(lower(used_again))["order"]) == 4
    assert describe(lower(sums(deterministic=False)))["order"] == []


def test_a_default_epilogue_is_as_it_was() -> None:
    texts = {
        asked: header_files([lower(sums(deterministic=asked))], Framework())["sums.hpp"] for asked in (True, False)
    }
    assert "VisitorInOrder<32, 32, Fusion::VisitorRowReduce<Fusion::Plus, float, layout::RowMajor>>" in texts[True]
    assert "VisitorInOrder" not in texts[False]


def test_catlass_has_no_such_reductions() -> None:
    plan = lower(replace(sums(), arch="Ascend950", gemm=Gemm(a=half, b=half)))
    (found,) = [one for one in refusals(plan) if "deterministic" in one.message]
    assert found.code == "EVT175"
    atomic = lower(replace(sums(deterministic=False), arch="Ascend950", gemm=Gemm(a=half, b=half)))
    assert not [one for one in refusals(atomic) if "deterministic" in one.message]


def test_the_option_in_json() -> None:
    document = to_json([sums()])
    assert document["epilogues"][0]["deterministic"] is True
    assert "ordered_by" not in str(document)
    assert read(json.dumps(document), "e.json")[0].deterministic is True
    assert "deterministic" not in str(to_json([sums(deterministic=False)]))
    with pytest.raises(EvtgenError):
        read(json.dumps(document).replace('"Plus"', '"Plus", "ordered_by": [1, 2]', 1), "e.json")


@evt.epilogue(deterministic=True, gemm=Gemm(a=half, b=half, **SMALL))
def of_rows(acc: Acc[float32]) -> dict[str, Any]:
    """Sums of columns in each of two phases, between which rows cross."""
    centred = acc - ops.col_reduce(acc, "max")
    return {"before": ops.row_reduce(acc, "add"), "rows": ops.row_reduce(centred * centred, "add")}


PLANS = [lower(one) for one in (sums(), sums("in_groups", group="m"), used_again)]


@pytest.mark.cxx
def test_the_same_bits_in_any_order_on_any_cores() -> None:
    options = Options(shapes=(SHAPE,), data="normal", strict=True, schedules=2, together=len(PLANS), groups=(40, 0, 47))
    results = verify_plans(PLANS, options)
    assert all(one.ordered and not one.hazards and not one.float_atomics for one in right(results))
    # Blocks with whole rows: no core meets another before it joins the parts of both phases
    (whole,) = verify_plans([lower(of_rows)], replace(options, shapes=((167, 30, 40),), batch=None, groups=None))
    assert whole.ok and whole.ordered and not whole.hazards, shown([whole])
    # More parts than are joined at a time: 314 rows of 200 elements, 2198 single values
    (tall,) = verify_plans(PLANS[:1], replace(options, shapes=((5000, 198, 16),), schedules=0, batch=None, groups=None))
    assert tall.ok and not tall.hazards, shown([tall])


@pytest.mark.cxx
def test_sums_without_parts_are_found(tmp_path: Path) -> None:
    """With the tensor in the place of the parts, atomics decide again; all numbers are right."""
    (result,) = verify_changed(PLANS[0], tmp_path, WITHOUT_PARTS, 1, shapes=(SHAPE,), data="normal")
    assert not result.ok and {"rows", "all"} & set(result.differing) and shown([result])
    assert not any(one.mismatches for one in result.outputs)
    assert codes(result) == {"EVT240"}


@pytest.mark.cxx
def test_vector_cores_that_share_a_part_are_found(tmp_path: Path) -> None:
    """By the model, whatever the bits are; and by other bits in another order of the two, on as many cores."""
    own = " + static_cast<uint32_t>(AscendC::GetSubBlockIdx())"
    (result,) = verify_changed(PLANS[0], tmp_path, (IN_ORDER, own, ""), 1, shapes=(SHAPE,), data="int")
    assert codes(result) == {"EVT240"} and not result.ok and not result.differing
    plan = PLANS[0]
    problem = plan.kernel.problem(SHAPE, Matmuls())
    program = require_programs([plan], Compilation(headers=tmp_path))[plan.name]
    with Prepared(plan, problem, operands(plan, problem, 0, "normal")) as prepared:
        runs = [prepared.run(program, Settings(schedule=order, checks=False)) for order in ("recorded", "late")]
    first, other = ({name: array.tobytes() for name, array in run.outputs.items()} for run in runs)
    assert first["D"] == other["D"] and first["rows"] != other["rows"]


@evt.epilogue(deterministic=True, gemm=Gemm(a=half, b=half, **SMALL))
def largest(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": acc, "rows": ops.row_reduce(acc, "max")}


@pytest.mark.cxx
def test_maxima_without_parts_are_none_of_these(tmp_path: Path) -> None:
    plan = lower(largest)
    assert header_files([plan], Framework())["largest.hpp"].count("VisitorInOrder<32, 32, ") == 1
    (result,) = verify_changed(plan, tmp_path, WITHOUT_PARTS, 1, shapes=(SHAPE,), data="normal")
    assert codes(result) == set() and not result.differing, shown([result])


def codes(result: Result) -> set[str]:
    return {hazard["code"] for hazard in result.hazards}


BEGINS = """
#include "kernel_operator.h"
#include "used_again.hpp"
#include "weights.hpp"
#include <cstdio>
#include <utility>
using namespace Catlass;

void Print(GM_ADDR part)
{
    std::printf("%zu\\n", reinterpret_cast<size_t>(part));
}
template <class Node>
auto Parts(Node const& node) -> decltype(Print(node.ptrParts))
{
    Print(node.ptrParts);
    Print(node.ptrParts + (node.stride > 1 ? node.stride * sizeof(float) : 0));
}
void Parts(...) {}
template <class Node>
auto Crossing(Node const& node) -> decltype(Print(node.ptr))
{
    Print(node.ptr);
}
void Crossing(...) {}

template <class... Nodes>
void PrintNodes(tla::tuple<Nodes...> const& nodes)
{
    [&]<size_t... Is>(std::index_sequence<Is...>) {
        ((Parts(tla::get<Is>(nodes)), Crossing(tla::get<Is>(nodes))), ...);
    }(std::index_sequence_for<Nodes...>{});
}

template <class Kernel>
void PrintPhases(typename Kernel::EpilogueParams const& params)
{
    [&]<size_t... Is>(std::index_sequence<Is...>) {
        (PrintNodes(Kernel::Phases::template ParamsOf<Is>(params).fusionParams), ...);
    }(std::make_index_sequence<Kernel::Phases::COUNT>{});
}

int main()
{
    auto const workspace = reinterpret_cast<GM_ADDR>(1 << 20);
    GemmCoord const shape{37, 45, 33};
    auto params = Evt::used_again::Kernel::ToUnderlyingArguments({shape, nullptr, nullptr, {}, 1}, workspace);
    PrintPhases<Evt::used_again::Kernel>(params.epilogueParams);
    auto weights = Evt::weights::Kernel::ToUnderlyingArguments({shape, nullptr, nullptr, {}, 1}, workspace);
    Print(weights.ptrWorkspace);
    Print(weights.ptrB);
    PrintPhases<Evt::weights::Kernel>(weights.epilogueParams);
}
"""


@pytest.mark.cxx
def test_parts_of_the_workspace_begin_on_512_bytes() -> None:
    weights = replace(used_again, name="weights", gemm=Gemm(a=half, b=int8, **SMALL, workspace_stages=0))
    headers = header_files([lower(used_again), lower(weights)], Framework())
    flags = ["-DCATLASS_ARCH=2201", "-std=c++20"]
    program = compile_program(find_compiler(), BEGINS, headers, extra_flags=flags, system=INCLUDES)
    done = subprocess.run([program.path], check=True, capture_output=True, text=True)
    begins = [int(line) for line in done.stdout.split() if line != "0"]
    assert len(begins) > 10 and len(set(begins)) > 10
    assert {begin % 512 for begin in begins} == {0}
