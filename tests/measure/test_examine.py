"""Epilogues under the rules of the device's C++: all that evtgen emits passes, and what is edited is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.bench_meetings import EPILOGUES
from evtgen import Acc, Epilogue, TopologicalVisitor, epilogue, float32, half, ops
from evtgen.diagnostics.diagnostic import Severity
from evtgen.frontend.load import load
from evtgen.measure import compiled, device_program
from evtgen.measure import device_clang as clang
from evtgen.measure.language import (
    INSTRUCTION,
    INSTRUCTION_CACHE,
    NO_CLANG,
    STACK_LIMIT,
    Examination,
    examine,
    too_long,
)
from evtgen.model.programs import Compilation
from evtgen.nodes import AccLoad, AuxStore, Compute
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support import seeds
from ..support.changed import changed
from ..support.cpp import check_syntax
from ..support.emitted import SPECS
from ..support.epilogues import FULL
from ..support.paths import CHECKOUT

needs_clang = pytest.mark.skipif(clang.find_clang(None) is None, reason="clang++ is not installed")

GALLERY = [path for path in SPECS if path.name != "traced.py"]
"""All but the graphs of the examples once more."""

KERNEL = "catlass/gemm/kernel/matmul_visitor.hpp"
LAUNCH = "catlass/gemm/kernel/visitor_launch.hpp"


@pytest.fixture
def without_clang(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(clang, "find_clang", lambda chosen: None)
    yield


@needs_clang
def test_the_gallery_and_the_examples_break_no_rule() -> None:
    """Every twelfth epilogue; with EVTGEN_FULL=1 all."""
    plans = [lower(epilogue) for spec in GALLERY for epilogue in load([spec])]
    assert len(plans) >= 47
    plans = plans[:: 1 if FULL else 12]
    for name, found in examine(plans, Compilation(batch=12), measured=False).items():
        assert not found.note, name
        assert not found.findings, name


@needs_clang
def test_a_graph_of_64_nodes_fits_the_stack() -> None:
    found = examine([plan_of(64)], Compilation())["chain"]
    assert found.findings == ()
    assert found.stack is not None and found.stack.limit == STACK_LIMIT == 32768
    # Two buffers, and a tensor of 96 bytes for each node.
    assert found.stack.callbacks >= 2 * 64 * 96
    assert found.stack.callbacks < found.stack.epilogue < found.stack.frame <= STACK_LIMIT
    # A call for each sum at least, and no more than what a cache of vector cores has room for
    assert found.instructions is not None and 64 < found.instructions < INSTRUCTION_CACHE / INSTRUCTION


@needs_clang
def test_of_an_epilogue_in_phases_the_largest_counts() -> None:
    plan = lower(EPILOGUES["rows"])
    assert len(plan.phases) == 3
    found = examine([plan], Compilation())["rows"]
    assert found.findings == () and not found.note
    assert found.stack is not None
    # One phase after the other, not all of them at once
    assert found.stack.callbacks < found.stack.epilogue < found.stack.frame < 2 * found.stack.epilogue


def test_code_that_does_not_fit_the_instruction_cache_is_a_warning() -> None:
    plan = seeds.plan(seeds.ADD)
    room = INSTRUCTION_CACHE // INSTRUCTION
    assert too_long([plan], {plan.name: Examination(instructions=room)}) == []
    assert too_long([plan], {plan.name: Examination(note=NO_CLANG)}) == []
    (warning,) = too_long([plan], {plan.name: Examination(instructions=room + 1)})
    assert warning.code == "EVT159" and warning.severity is Severity.WARNING


def plan_of(nodes: int) -> Plan:
    """A chain of sums."""
    edges: list[tuple[int, ...]] = [(), *((i, 0) for i in range(nodes - 2)), (nodes - 2,)]
    ops = [AccLoad(half), *(Compute("Plus", half) for _ in range(nodes - 2)), AuxStore("D", half)]
    return lower(Epilogue("chain", TopologicalVisitor(edges, ops)))


@needs_clang
def test_a_host_function_in_the_framework_is_found_at_its_call(tmp_path: Path) -> None:
    declared = "CATLASS_DEVICE uint32_t TileStride("
    path = "catlass/epilogue/fusion/visitor_impl_base.hpp"
    plan = seeds.plan(seeds.ROWS)
    root = changed(plan, tmp_path, path, declared, declared.replace("CATLASS_DEVICE", "inline"))
    (result,) = verify_plans([plan], Options(shapes=((3, 7, 5),), data="int", headers=root), language=True)
    assert result.language is not None
    assert result.agrees is False and result.outputs and not result.hazards
    assert {found.code for found in result.language.findings} == {"EVT160"}
    (text,) = {found.message for found in result.language.findings}
    assert text == "calls TileStride, which belongs to the host"
    location = result.language.findings[0].location
    assert location is not None and location.line and "TileStride(" in location.text
    assert result.to_json()["device_cpp"]["findings"][0]["code"] == "EVT160"


MADE = "static Params ToUnderlyingArguments(Arguments const& args, "
ENTRY = {
    "the host's": (f"CATLASS_HOST_DEVICE {MADE}", MADE, "EVT160"),
    "of no address space": (f"{MADE}GM_ADDR", f"{MADE}uint8_t*", "EVT168"),
    "the host's nested arguments": ("CATLASS_HOST_DEVICE EVT::Arguments ToEvt()", "EVT::Arguments ToEvt()", "EVT160"),
}


@needs_clang
@pytest.mark.parametrize("mistake", ENTRY)
def test_parameters_that_no_device_can_make_are_found(tmp_path: Path, mistake: str) -> None:
    old, new, code = ENTRY[mistake]
    plan = seeds.plan(seeds.ROWS)
    path = f"{plan.name}.hpp" if "ToEvt" in old else KERNEL
    root = changed(plan, tmp_path, path, old, new)
    found = examine([plan], Compilation(headers=root), measured=False)[plan.name].findings
    assert {one.code for one in found} == {code}


@needs_clang
def test_a_breach_in_the_functor_of_an_own_operator_is_at_its_declaration(tmp_path: Path) -> None:
    spec = CHECKOUT / "examples" / "gallery" / "own.py"
    plan = next(lower(e) for e in load([spec]) if "namespace operations" in text_of(lower(e)))
    text = text_of(plan)
    call = next(line for line in text.splitlines() if line.strip().startswith("AscendC::") and "count)" in line)
    root = changed(plan, tmp_path, f"{plan.name}.hpp", call, call.replace("count)", "std::max(count, count))"))
    (found,) = examine([plan], Compilation(headers=root))[plan.name].findings
    assert found.code == "EVT166" and "std::max" in found.message
    assert found.location is not None and found.location.file == str(spec)
    assert "operator(" in spec.read_text(encoding="utf-8").splitlines()[found.location.line - 1]


def text_of(plan: Plan) -> str:
    from evtgen.emit.framework import Framework
    from evtgen.emit.render import epilogue_files

    (text,) = epilogue_files(plan, Framework()).values()
    return text


@needs_clang
def test_of_whole_rows_alone_sizes_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel without phases, of one graph that needs whole rows. What cannot be measured says why."""

    @epilogue
    def best(acc: Acc[float32]) -> dict[str, object]:
        values, columns = ops.topk(acc, 4)
        return {"values": values, "columns": columns}

    found = examine([lower(best)], Compilation(), rules=False)["best"]
    assert found.stack is not None and found.instructions and not found.note
    monkeypatch.setattr(device_program, "_GRAPHS", "{kernel}::Phases::COUNT")
    found = examine([lower(best)], Compilation(), rules=False)["best"]
    assert found.stack is None and "could not measure the stack: stack.cpp" in found.note


@needs_clang
def test_sizes_alone_take_one_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_compile", None)
    found = examine([seeds.plan(seeds.ADD)], Compilation(), rules=False)
    (one,) = found.values()
    assert one.stack is not None and one.instructions and not one.findings


@pytest.mark.usefixtures("without_clang")
def test_without_clang_a_note_says_so() -> None:
    plan = seeds.plan(seeds.ADD)
    (result,) = verify_plans([plan], Options(shapes=((3, 7, 5),), data="int"), language=True)
    assert result.ok and result.language is not None and result.language.note == NO_CLANG
    written = result.to_json()["device_cpp"]
    assert written == {
        "checked": False,
        "note": NO_CLANG,
        "compiler": None,
        "findings": [],
        "stack": None,
        "code": None,
    }


def test_arguments_that_are_no_plain_data_do_not_compile(tmp_path: Path) -> None:
    plan = seeds.plan(seeds.ADD)
    old = "        GM_ADDR ptrWorkspace;\n        EpilogueParams epilogueParams;\n"
    copied = old + "        struct Copied { Copied() {} Copied(Copied const&) {} } copied;\n"
    source = '#include "add.hpp"\nstatic_assert(sizeof(Catlass::Evt::add::Kernel::Params) > 0);\n'
    assert check_syntax("g++", changed(plan, tmp_path / "sound", LAUNCH, old, old), source).returncode == 0
    refused = check_syntax("g++", changed(plan, tmp_path / "copied", LAUNCH, old, copied), source)
    assert refused.returncode != 0 and "The arguments of a kernel are plain data" in refused.stderr
