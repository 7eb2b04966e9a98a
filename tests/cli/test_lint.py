"""``evtgen lint`` from outside, and the commands that take an EVT as a spec."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.output.manifest import MANIFEST
from evtgen.emit.render import epilogue_files
from evtgen.frontend.cpp.paths import INCLUDE_DIRS
from evtgen.frontend.load import load
from evtgen.pipeline.paste import plan_text
from evtgen.pipeline.specs import each_checked
from evtgen.planner.plan import lower

from ..support.command import run
from ..support.cpp import write
from ..support.paths import CHECKOUT
from ..support.said import named, says

NODES = """
namespace Fusion = Catlass::Epilogue::Fusion;
using AccLoad = Fusion::VisitorAccLoad<half>;
using AuxLoadX = Fusion::VisitorAuxLoad<half>;
using AuxStoreD = Fusion::VisitorAuxStore<half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, half>;
"""

PROGRAM = """
#include "nodes.hpp"
using EVT = Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus, AccLoad, AuxLoadX>>;
EVT::Arguments Given(uint8_t* x, uint8_t* d, Catlass::layout::RowMajor layout)
{
    return {{{}, {x, layout}, {}}, {d, layout}};
}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc/nodes.hpp").write_text(NODES)
    (tmp_path / "add.cpp").write_text(PROGRAM)
    (tmp_path / "wrong.cpp").write_text(PROGRAM.replace("{x, layout}, {}", "{}, {x, layout}"))
    return tmp_path


def test_lint(here: Path) -> None:
    done = run("lint", "add.cpp", "-I", "inc", cwd=here)
    assert (done.returncode, done.stdout, done.stderr) == (0, done.stdout, "")
    assert named(done.stdout, "1 EVT … add\n")
    done = run("lint", "add.cpp", "wrong.cpp", "-I", "inc", "--json", cwd=here)
    found = json.loads(done.stdout)
    assert done.returncode == 2 and not found["ok"] and found["epilogues"] == ["add", "wrong"]
    [fault] = found["diagnostics"]
    assert (fault["code"], fault["file"], fault["line"]) == ("EVT215", "wrong.cpp", 6)
    assert fault["text"] == "return {{{}, {}, {x, layout}}, {d, layout}};"
    assert run("lint", "add.cpp", cwd=here).returncode == 2  # its header is not found


EXAMPLE = '#include "evt.hpp"\nint main() {}\n'


def test_headers_of_an_example_are_found_where_build_writes_them(tmp_path: Path) -> None:
    (tmp_path / "examples/add").mkdir(parents=True)
    (tmp_path / "examples/add/add.cpp").write_text(EXAMPLE)
    (tmp_path / "include").mkdir()
    (tmp_path / "include/evt.hpp").write_text(NODES + PROGRAM.split("\n", 2)[2])
    [fault] = each_checked([tmp_path / "examples/add/add.cpp"]).diagnostics
    says(fault, "EVT221", help="evt.hpp … -I DIR")
    (tmp_path / "include" / MANIFEST).write_text("{}")
    checked = each_checked([tmp_path / "examples/add/add.cpp"])
    assert checked.diagnostics == [] and [epilogue.name for epilogue in checked.epilogues] == ["add"]
    assert INCLUDE_DIRS.get() == ()


def test_unknown_evts_are_answered_with_the_names_that_can_be_typed(tmp_path: Path) -> None:
    (tmp_path / "add.hpp").write_text(f"namespace ns {{ {NODES} {PROGRAM.split(chr(10), 2)[2]} }}")
    [fault] = each_checked([tmp_path / "add.hpp:nope"]).diagnostics
    says(fault, fault.code, help="EVT, ns")
    for name in ("EVT", "ns"):
        assert len(each_checked([tmp_path / f"add.hpp:{name}"]).epilogues) == 1


def test_an_evt_is_a_spec(here: Path) -> None:
    done = run("check", "inc/../add.cpp:EVT", cwd=here)
    assert done.returncode == 2 and "EVT216" in done.stderr
    assert run("check", "add.cpp:EVT", "-I", "inc", cwd=here).stdout.endswith(": add\n")
    assert run("build", "add.cpp:EVT", "-I", "inc", "-o", "made", cwd=here).returncode == 0
    (here / "nodes.hpp").write_text(NODES)
    done = run("check", "add.cpp:EVT", cwd=here)
    assert done.returncode == 0 and done.stdout.endswith(": add\n")


def test_the_plan_of_an_emitted_header_is_the_one_that_it_has(here: Path) -> None:
    plan = lower(load([CHECKOUT / "examples/34_matmul_add_topo.py"])[0])
    write(here, epilogue_files(plan, Framework()))
    header = (here / f"{plan.name}.hpp").read_text()
    done = run("lint", "--plan", f"{plan.name}.hpp", cwd=here)
    printed = [line.split("//")[0].strip() for line in done.stdout.splitlines() if line.startswith(" " * 8)]
    assert done.returncode == 0 and len(printed) == len(plan.steps), done.stderr
    assert (
        printed
        == [line.split("//")[0].strip() for line in header.splitlines() if line.startswith(" " * 8 + "{")][
            : len(printed)
        ]
    )
    assert f"ELEMENTS = {plan.compute_length};" in done.stdout
    assert f"BYTES = {plan.ub.offsets[-1]};" in done.stdout


def test_phases_have_no_plan_of_one() -> None:
    phases = next(e for e in load([CHECKOUT / "examples/gallery/rows.py"]) if lower(e).parts)
    with pytest.raises(EvtgenError) as raised:
        plan_text(phases)
    assert [d.code for d in raised.value.diagnostics] == ["EVT251"]
