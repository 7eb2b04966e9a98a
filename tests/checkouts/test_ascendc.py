"""Recognising a checkout of AscendC's own headers, and refusing everything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evtgen.checkouts.ascendc import recognise, require_compile, require_run
from evtgen.diagnostics.diagnostic import EvtgenError

from ..support.ascendc import asc_devkit, look_alike, needs_ascendc
from ..support.checkouts import ADD
from ..support.command import run
from ..support.said import named


def refused(directory: Path) -> str:
    with pytest.raises(EvtgenError) as caught:
        recognise(directory)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "EVT100"
    return f"{diagnostic.message}; {diagnostic.help}"


def test_a_checkout_is_known_with_its_version(tmp_path: Path) -> None:
    found = recognise(look_alike(tmp_path / "asc"))
    assert found.root == (tmp_path / "asc").resolve()
    assert found.version == "9.9.9"
    assert found.name == "asc-devkit 9.9.9"
    assert found.include[0] == found.root / "include"


def test_one_that_names_no_version_is_known_all_the_same(tmp_path: Path) -> None:
    found = recognise(look_alike(tmp_path / "asc", version=None))
    assert (found.version, found.name) == ("", "asc-devkit of no named version")


def test_programs_depend_on_the_headers_of_their_architecture_alone(tmp_path: Path) -> None:
    found = recognise(look_alike(tmp_path / "asc"))
    below = [header.relative_to(found.root).as_posix() for header in found.headers()]
    assert below == ["impl/basic_api/dav_c220/part.h", "include/basic_api/kernel_basic_intf.h"]
    below = [header.relative_to(found.root).as_posix() for header in found.headers(3510)]
    assert below == ["impl/basic_api/dav_3510/part.h", "include/basic_api/kernel_basic_intf.h"]


def test_what_is_no_checkout_is_refused_with_the_reason(tmp_path: Path) -> None:
    assert named(refused(tmp_path / "none"), str(tmp_path / "none"))
    (tmp_path / "file").write_text("")
    assert named(refused(tmp_path / "file"), str(tmp_path / "file"))
    (tmp_path / "empty").mkdir()
    assert "include/basic_api/kernel_basic_intf.h" in refused(tmp_path / "empty")
    half = look_alike(tmp_path / "half")
    (half / "impl/basic_api/dav_c220/part.h").unlink()
    (half / "impl/basic_api/dav_c220").rmdir()
    assert "impl/basic_api/dav_c220" in refused(half)


def test_one_nearby_is_suggested(tmp_path: Path) -> None:
    root = look_alike(tmp_path / "asc")
    assert f"--ascendc {root}" in refused(root / "include")
    assert f"--ascendc {root}" in refused(tmp_path)


def test_other_architectures_are_refused(tmp_path: Path) -> None:
    found = recognise(look_alike(tmp_path / "asc"))
    require_run(2201)
    require_compile(found, 2201)
    require_compile(found, 3510)
    with pytest.raises(EvtgenError) as caught:
        require_run(3510)
    assert caught.value.diagnostics[0].code == "EVT071"
    with pytest.raises(EvtgenError) as caught:
        require_compile(found, 1001)
    assert caught.value.diagnostics[0].code == "EVT071"


def test_a_checkout_without_the_architecture_is_refused(tmp_path: Path) -> None:
    old = look_alike(tmp_path / "asc")
    (old / "impl/basic_api/dav_3510/part.h").unlink()
    (old / "impl/basic_api/dav_3510").rmdir()
    with pytest.raises(EvtgenError) as caught:
        require_compile(recognise(old), 3510)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, "impl/basic_api/dav_3510" in diagnostic.message) == ("EVT100", True)


@pytest.mark.cxx
@pytest.mark.parametrize("command", ["verify", "cpu"])
def test_commands_refuse_a_wrong_directory(tmp_path: Path, command: str) -> None:
    program = tmp_path / "program.cpp"
    program.write_text("int main() {}\n")
    spec = tmp_path / "add.py"
    spec.write_text(ADD)
    done = run(command, spec if command == "verify" else program, "--ascendc", tmp_path, "--json", cwd=tmp_path)
    assert done.returncode != 0
    assert "EVT100" in done.stdout + done.stderr


@needs_ascendc
def test_the_real_one_is_known() -> None:
    found = recognise(asc_devkit())
    assert found.version.count(".") == 2
    assert json.dumps(found.name)
    assert len(found.headers()) > 100
