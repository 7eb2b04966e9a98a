"""Precompiled headers change the time of a compilation and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from evtgen.model import processes, toolchain

from ..support.cpp import compilers

HEADERS = """\
#ifndef HEADERS
#define HEADERS
#include <string>
#include "value.hpp"
#endif
"""
MAIN = """\
#include "harness/headers.hpp"
#include "own.hpp"
int main() { return static_cast<int>(std::string(kOwn + kValue + ARCH, 'x').size()); }
"""
FLAGS = ["-DARCH=1"]
OWN = {"own.hpp": "constexpr unsigned kOwn = 2;\n"}


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A CPU model of nothing, its headers, and an empty cache."""
    root = tmp_path / "device"
    for path, text in {
        "machine/empty.cpp": "int Nothing() { return 0; }\n",
        "harness/headers.hpp": HEADERS,
        "value.hpp": "constexpr unsigned kValue = 4;\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    monkeypatch.setattr(toolchain, "DEVICE", root)
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))
    return root


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The compilations of programs."""
    seen: list[list[str]] = []
    run = toolchain.run

    def noted(command: Sequence[str], at: Path) -> str:
        if "harness.cpp" in command:
            seen.append(list(command))
        return run(command, at)

    monkeypatch.setattr(toolchain, "run", noted)
    return seen


def precompiled(cxx: str, device: Path) -> Path:
    found = toolchain.precompiled_headers(toolchain.find_compiler(cxx), FLAGS, [device])
    assert found is not None
    return found


def program(cxx: str, device: Path, headers: Path | None, own: dict[str, str] = OWN) -> toolchain.Program:
    return toolchain.compile_program(
        toolchain.find_compiler(cxx), MAIN, own, extra_flags=FLAGS, system=[device], precompiled=lambda: headers
    )


def status(built: toolchain.Program, at: Path) -> int:
    return processes.run([str(built.path)], environment={}, at=at).status


@pytest.mark.parametrize("cxx", compilers())
def test_the_program_is_the_same(
    cxx: str, device: Path, runs: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = program(cxx, device, precompiled(cxx, device)).path.read_bytes()
    assert len(runs) == 1 and "pch" in " ".join(runs[0])
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "other"))
    assert program(cxx, device, None).path.read_bytes() == fast


@pytest.mark.parametrize("damage", ["gone", "removed", "empty", "short", "other"])
@pytest.mark.parametrize("cxx", compilers())
def test_a_compiler_that_does_not_take_them_compiles_everything(
    cxx: str, damage: str, device: Path, runs: list[list[str]], tmp_path: Path
) -> None:
    headers = precompiled(cxx, device)
    content = headers.read_bytes()
    headers.unlink()
    if damage == "removed":  # by another evtgen, with all that lies beside them
        shutil.rmtree(headers.parent)
    elif damage != "gone":
        headers.write_bytes({"empty": b"", "short": content[: len(content) // 2], "other": b"text\n" * 99}[damage])
    assert status(program(cxx, device, headers), tmp_path) == 7
    assert len(runs) == (1 if damage == "removed" else 2)


@pytest.mark.parametrize("cxx", compilers())
def test_flags_of_another_program(cxx: str, device: Path, tmp_path: Path) -> None:
    headers = toolchain.precompiled_headers(toolchain.find_compiler(cxx), ["-DARCH=8"], [device])
    assert status(program(cxx, device, headers), tmp_path) == 7


@pytest.mark.parametrize("cxx", compilers())
def test_a_header_in_the_place_of_one_that_is_precompiled(
    cxx: str, device: Path, runs: list[list[str]], tmp_path: Path
) -> None:
    own = {**OWN, "value.hpp": "constexpr unsigned kValue = 16;\n"}
    slow = program(cxx, device, None, own)
    (tmp_path / "cache" / "programs" / slow.path.parent.name / "program").unlink()
    built = program(cxx, device, precompiled(cxx, device), own)
    assert status(built, tmp_path) == status(slow, tmp_path)
    assert "pch" not in " ".join(runs[-1])


@pytest.mark.parametrize("cxx", compilers())
def test_headers_that_are_refused(cxx: str, device: Path) -> None:
    (device / "value.hpp").write_text("#error no\n")
    assert toolchain.precompiled_headers(toolchain.find_compiler(cxx), FLAGS, [device]) is None


@pytest.mark.parametrize("cxx", compilers())
def test_a_changed_header_is_precompiled_again(cxx: str, device: Path, tmp_path: Path) -> None:
    assert status(program(cxx, device, precompiled(cxx, device)), tmp_path) == 7
    (device / "value.hpp").write_text("constexpr unsigned kValue = 9;\n")
    assert status(program(cxx, device, precompiled(cxx, device)), tmp_path) == 12


def test_a_program_that_is_there_needs_none(device: Path) -> None:
    built = program("c++", device, None)

    def refuse() -> Path:
        raise AssertionError("asked for")

    compiler = toolchain.find_compiler("c++")
    again = toolchain.compile_program(compiler, MAIN, OWN, extra_flags=FLAGS, system=[device], precompiled=refuse)
    assert again == built


def test_few_stay(device: Path, tmp_path: Path) -> None:
    for value in range(6):
        (device / "value.hpp").write_text(f"constexpr unsigned kValue = {value};\n")
        last = precompiled("c++", device)
    kept = [path for path in (tmp_path / "cache" / "headers").iterdir() if not path.name.startswith(".")]
    assert len(kept) == 4 and last.parent in kept
