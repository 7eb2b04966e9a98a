"""The compiler that may be missing, and the cache that several processes fill at once."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.model import cache, toolchain


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> toolchain.Compiler:
    """A compiler with an empty cache and a CPU model of one function."""
    machine = tmp_path / "device" / "machine"
    machine.mkdir(parents=True)
    (machine / "answer.cpp").write_text("int Answer() { return 42; }\n")
    monkeypatch.setattr(toolchain, "DEVICE", tmp_path / "device")
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))
    return toolchain.find_compiler()


MAIN = '#include "value.hpp"\nint Answer();\nint main() { return Answer() - kValue; }\n'


def test_missing_compiler_is_status_3() -> None:
    with pytest.raises(EvtgenError) as caught:
        toolchain.find_compiler("no-such-compiler")
    assert caught.value.status == 3
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "EVT090" and "apt-get install" in str(diagnostic.help)


def test_unwritable_cache_is_status_3(
    monkeypatch: pytest.MonkeyPatch, compiler: toolchain.Compiler, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "file"))
    with pytest.raises(EvtgenError) as caught:
        toolchain.machine_library(compiler)
    assert caught.value.status == 3 and caught.value.diagnostics[0].code == "EVT092"


def test_programs_are_built_once(monkeypatch: pytest.MonkeyPatch, compiler: toolchain.Compiler) -> None:
    runs: list[str] = []
    run = toolchain.run

    def counted(command: Sequence[str], at: Path) -> str:
        runs.append(command[-1])
        return run(command, at)

    monkeypatch.setattr(toolchain, "run", counted)
    first = toolchain.compile_program(compiler, MAIN, {"value.hpp": "constexpr int kValue = 42;\n"})
    assert os.system(str(first.path)) == 0
    built = len(runs)
    assert toolchain.compile_program(compiler, MAIN, {"value.hpp": "constexpr int kValue = 42;\n"}) == first
    assert len(runs) == built
    other = toolchain.compile_program(compiler, MAIN, {"value.hpp": "constexpr int kValue = 41;\n"})
    assert other.path != first.path and os.system(str(other.path)) != 0


def test_a_header_in_an_include_root_is_part_of_the_key(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "value.hpp").write_text("constexpr int kValue = 42;\n")
    first = toolchain.compile_program(compiler, MAIN, {}, include=[root])
    (root / "value.hpp").write_text("constexpr int kValue = 41;\n")
    assert toolchain.compile_program(compiler, MAIN, {}, include=[root]) != first


def test_a_refusal_leaves_nothing_but_its_lock(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    with pytest.raises(toolchain.CompileFailure, match="kValue"):
        toolchain.compile_program(compiler, MAIN, {"value.hpp": "\n"})
    assert [path.suffix for path in (tmp_path / "cache" / "programs").iterdir()] == [".lock"]


def test_warnings_survive_the_cache(compiler: toolchain.Compiler) -> None:
    header = {"value.hpp": "constexpr int kValue = 42;\ninline void F(int unused) {}\n"}
    for _ in range(2):
        program = toolchain.compile_program(compiler, MAIN, header)
        assert len(program.warnings) == 1 and program.warnings[0].startswith("value.hpp:2")


def test_warnings_of_system_headers_are_not_kept() -> None:
    said = "".join(
        f"{path}:1:2: warning: odd\n" for path in ("include/a.hpp", "/system/b.h", "/system/sub/c.h", "/systems/d.h")
    )
    assert len(toolchain.warnings(said)) == 4
    assert toolchain.warnings(said, [Path("/system")]) == ("a.hpp:1:2: warning: odd", "/systems/d.h:1:2: warning: odd")


def test_racing_builds_end_with_one_entry(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    header = {"value.hpp": "constexpr int kValue = 42;\n"}
    with ThreadPoolExecutor(4) as pool:
        programs = list(pool.map(lambda _: toolchain.compile_program(compiler, MAIN, header), range(4)))
    (program,) = set(programs)
    entry = program.path.parent
    assert {path.name for path in (tmp_path / "cache" / "programs").iterdir()} == {entry.name, f".{entry.name}.lock"}


def test_old_entries_go(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    library = toolchain.machine_library(compiler)
    stale = tmp_path / "cache" / "programs" / "stale"
    stale.mkdir(parents=True)
    os.utime(stale, (0, 0))
    toolchain.compile_program(compiler, MAIN, {"value.hpp": "constexpr int kValue = 42;\n"})
    assert not stale.exists() and library.exists()


def test_the_model_is_built_once_wherever_it_lies(
    monkeypatch: pytest.MonkeyPatch, compiler: toolchain.Compiler, tmp_path: Path
) -> None:
    """As in a checkout, and where that is installed."""
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))

    def library(at: str) -> Path:
        for directory in ("harness", "machine"):
            (tmp_path / at / directory).mkdir(parents=True)
            (tmp_path / at / directory / "empty.cpp").write_text(f"int {directory}() {{ return 0; }}\n")
        monkeypatch.setattr(toolchain, "DEVICE", tmp_path / at)
        return toolchain.machine_library(compiler)

    built = library("checkout")
    assert built == library("installed")
    # Files of one name in both directories are both in it.
    listed = subprocess.run(["nm", "-C", built], capture_output=True, text=True, check=True).stdout
    assert re.findall(r" T (\w+)\(", listed) == ["harness", "machine"]


def test_the_model_is_built_again_for_what_its_sources_include_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    device = toolchain.DEVICE
    keyed: list[Path] = []

    def key(texts: Iterable[str], files: Iterable[Path], below: Path) -> str:
        keyed.extend(files)
        return ""

    monkeypatch.setattr(cache, "key", key)
    monkeypatch.setattr(cache, "entry", lambda *given: tmp_path)
    toolchain.machine_library(toolchain.find_compiler())
    found = {source for directory in ("harness", "machine") for source in (device / directory).glob("*.cpp")}
    new = found
    while new:
        pairs = [(path.parent, name) for path in new for name in re.findall(r'#include "(.*)"', path.read_text())]
        paths = {root / name for parent, name in pairs for root in (parent, device)}
        new = {path for path in paths if path.is_file()} - found
        found = found | new
    assert sorted(keyed) == sorted(found)
