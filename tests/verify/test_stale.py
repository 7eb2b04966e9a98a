"""Headers that are not what the spec gives: that is said first, and only if it is more than layout and comments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import Diagnostic
from evtgen.frontend.load import load
from evtgen.options import InstallOptions
from evtgen.pipeline.build import Request, build
from evtgen.pipeline.install import install
from evtgen.planner.plan import lower
from evtgen.verify.headers import stale

from ..support.checkouts import ADD, checkout
from ..support.command import run


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    path.write_text(ADD)
    return path


def found(spec: Path, headers: Path) -> list[Diagnostic]:
    return stale([lower(epilogue) for epilogue in load([spec])], headers)


def test_fresh_headers_are_not_stale(spec: Path, tmp_path: Path) -> None:
    build(Request((spec,), tmp_path / "plain"))
    assert found(spec, tmp_path / "plain") == []
    build(Request((spec,), tmp_path / "other", namespace="Catlass::Mine", directory="my/fusion"))
    assert found(spec, tmp_path / "other") == []
    assert found(spec, tmp_path / "none") == []


@pytest.mark.parametrize("release", ["v1.0.1", "v1.6.0"])
def test_neither_are_those_in_the_style_of_a_checkout(spec: Path, tmp_path: Path, release: str) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    checkout(root, release)
    style = "BasedOnStyle: Google\nColumnLimit: 60\nSortIncludes: CaseInsensitive\nPointerAlignment: Right\n"
    (root / ".clang-format").write_text(style)
    banner = tmp_path / "banner.txt"
    banner.write_text("A licence.\n")
    install([spec], root, InstallOptions(banner=banner))
    assert "A licence." in (root / "include/my_add.hpp").read_text()
    assert found(spec, root / "include") == []


def test_changes_are_stale(spec: Path, tmp_path: Path) -> None:
    include = tmp_path / "include"
    build(Request((spec,), include))
    header, framework = include / "my_add.hpp", include / "catlass/epilogue/fusion/tree_visitor.hpp"
    good, fine = header.read_text(), framework.read_text()
    header.write_text(f"// mine\n{good}".replace("\n\n", "\n"))
    assert found(spec, include) == []
    header.write_text(good.replace("Plus", "Minus"))
    (one,) = found(spec, include)
    assert one.code == "EVT019" and one.severity == "warning" and str(header) in one.message
    header.write_text(good)
    framework.write_text(f"{fine}\nint x;\n")
    (one,) = found(spec, include)
    assert one.code == "EVT019" and str(framework) in one.message
    framework.write_text(fine)
    spec.write_text(ADD.replace("acc + X", "acc * 0.5 + X"))
    (one,) = found(spec, include)
    assert str(header) in one.message
    header.write_bytes(b"\xff\x00")
    assert [d.code for d in found(spec, include)] == ["EVT019"]


def test_it_is_said_first(spec: Path, tmp_path: Path) -> None:
    build(Request((spec,), tmp_path / "include"))
    spec.write_text(ADD.replace("acc + X", "acc - X"))
    arguments = ("verify", "add.py", "--headers", "include", "--shape", "3x7x5", "--data", "int")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 1 and "D is wrong" in done.stdout
    assert done.stderr.startswith("warning[EVT019]: include/my_add.hpp is not what the spec gives now")
    done = run(*arguments, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)[0]["ok"] is False and done.stderr.startswith("warning[EVT019]: ")
