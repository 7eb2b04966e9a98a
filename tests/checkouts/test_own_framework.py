"""``--framework catlass``: into a checkout with a visitor framework of its own, and out again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.places import EXTENDED_HEADERS, SHARED_HEADERS, with_included
from evtgen.emit.render import templates
from evtgen.options import InstallOptions, UninstallOptions
from evtgen.pipeline.build import Request, build, compare
from evtgen.pipeline.explain import describe
from evtgen.pipeline.install import Installation, install, uninstall
from evtgen.pipeline.specs import in_catlass, load_and_check
from evtgen.planner.plan import lower
from evtgen.report.plans import catlass_text

from ..support.checkouts import checkout, snapshot

FUSION = "include/catlass/epilogue/fusion"
EVG = (
    f"{FUSION}/tree_visitor.hpp",
    "include/catlass/gemm/kernel/basic_matmul_tla_visitor.hpp",
    "include/catlass/gemm/kernel/basic_matmul_tla_ub_visitor.hpp",
)

SPEC = """\
import evtgen as evt
from evtgen import Acc, Aux, ColVector, half


@evt.epilogue(arch="Ascend950")
def plain(acc: Acc[half], X: Aux[half]):
    return {"D": acc + X}
"""

MORE = SPEC.replace("plain", "scaled").replace("X: Aux[half]", "X: ColVector[half]")
OLD = SPEC.replace('(arch="Ascend950")', "").replace("plain", "old")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {"spec.py": SPEC, "more.py": MORE, "old.py": OLD}.items():
        (tmp_path / name).write_text(text)
    made = checkout(tmp_path / "catlass", "v1.6.0")
    for header in EVG:
        (made / header).parent.mkdir(parents=True, exist_ok=True)
        (made / header).write_text("// not ours\n")
    return made


def put(root: Path, *specs: str, in_place: bool = False) -> Installation:
    options = InstallOptions(replace=in_place, framework="catlass")
    return install([root.parent / spec for spec in specs], root, options)


def test_only_the_headers_and_the_nodes_that_they_need_come_in(root: Path) -> None:
    before = snapshot(root)
    assert "visitor framework" in " ".join(put(root, "spec.py").notes)
    assert {Path(path).name for path in snapshot(root).keys() - before.keys()} == {"plain.hpp", ".evtgen-manifest.json"}
    done = put(root, "more.py")
    nodes = {"visitor_col_broadcast.hpp", "visitor_impl.hpp", "visitor_impl_base.hpp"}
    assert {Path(path).name for path in done.written.written} == {"scaled.hpp", *nodes}
    # The nodes are the other spec's, which may be installed again.
    assert put(root, "spec.py").written.removed == []
    assert before.items() <= snapshot(root).items()
    assert len(uninstall(root, UninstallOptions()).written.removed) == 5
    assert snapshot(root) == before


def test_an_operator_brings_its_family_and_no_other(root: Path) -> None:
    """A program beside it, too, which a checkout's own visitors stand below."""
    (root.parent / "gelu.py").write_text(
        MORE.replace("acc + X", "ops.gelu(acc) + X").replace("import Acc", "import ops, Acc")
    )
    request = Request((root.parent / "gelu.py",), root.parent / "out", examples=root.parent / "programs", catlass=True)
    written, _ = build(request)
    names = {Path(path).relative_to(root.parent / "out" / "catlass/epilogue/fusion/extended").as_posix()
             for path in written.written if "/extended/" in path}  # fmt: skip
    operators = {f"operations/{name}.hpp" for name in ("operator", "approximation", "activation")}
    assert {name for name in names if "operations" in name} == operators
    assert "epilogue.ToEvg()" in (root.parent / "programs/scaled/scaled.cpp").read_text()
    assert (
        "the visitor framework that the epilogue is written in"
        in (root.parent / "programs/scaled/README.md").read_text()
    )


def test_a_build_has_the_same_files_and_says_so(root: Path) -> None:
    request = Request((root.parent / "more.py",), root.parent / "out", catlass=True)
    written, _ = build(request)
    assert len(written.written) == 4 and compare(request)[0] == []
    text = (root.parent / "out" / "scaled.hpp").read_text()
    assert "using EVG = " in text and "Fusion::Extended::VisitorColBroadcast<half, Layout>" in text


def refused(code: str) -> pytest.RaisesExc[EvtgenError]:
    return pytest.raises(EvtgenError, match=code)


def test_what_cannot_be_is_refused_and_writes_nothing(root: Path) -> None:
    before = snapshot(root)
    with refused(r"EVT175\]: old is for AtlasA2"):
        put(root, "spec.py", "old.py")
    with refused(r"EVT079\]: --replace"):
        put(root, "spec.py", in_place=True)
    request = Request((root.parent / "spec.py",), root.parent / "out", catlass=True)
    for wrong in (replace(request, namespace="Catlass::Mine"), replace(request, directory="mine")):
        with refused("EVT079"):
            build(wrong)
    assert snapshot(root) == before and not (root.parent / "out").exists()
    (root / EVG[-1]).unlink()
    with refused("EVT176"):
        put(root, "spec.py")


def test_check_says_which_epilogues_it_can_express(root: Path) -> None:
    checked = load_and_check([root.parent / name for name in ("spec.py", "more.py", "old.py")]).require()
    assert [(found.code, "old" in found.message) for found in in_catlass(checked.plans)] == [("EVT175", True)]


def test_explain_says_what_becomes_of_an_epilogue(root: Path) -> None:
    def of(spec: str) -> dict[str, Any] | None:
        (one,) = load_and_check([root.parent / spec]).require().epilogues
        found: dict[str, Any] | None = describe(lower(one))["catlass"]
        return found

    found = of("spec.py")
    assert found is not None and found["compute_length"] > 1024 and found["ub"]["used"] <= found["ub"]["limit"]
    assert of("old.py") is None
    (root.parent / "three.py").write_text(SPEC.replace('"Ascend950"', '"Ascend950", buffers=3'))
    assert of("three.py") == {"refused": ["buffers=3: Catlass's block epilogue has 2 of every node's"]}
    assert catlass_text(**found).startswith("in its own visitor framework: tiles of ")
    assert catlass_text(refused=["a", "b"]) == "not in its own visitor framework: a; b"


def test_the_nodes_bring_what_they_include() -> None:
    """What is written for an epilogue is what its headers name, and what those name."""
    for name in EXTENDED_HEADERS:
        below = "include/catlass/epilogue/fusion" if name in SHARED_HEADERS else "evg/extended"
        text = (templates() / below / f"{name}.j2").read_text()
        assert set(re.findall(r'fw\.directory }}/([\w.]+)"', text)) <= set(with_included([name])), name
