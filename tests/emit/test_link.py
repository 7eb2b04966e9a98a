"""Headers of several epilogues link: in two .cpp, as an extension has one for each operator."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from evtgen.emit.framework import BLOCK_MMADS, Framework
from evtgen.emit.render import common_files, header_files
from evtgen.model.toolchain import find_compiler, machine_library

from ..support.cpp import INCLUDES, compilers, is_quick, start, write
from ..support.epilogues import SAMPLES, written
from ..support.paths import DEVICE

COMMON = "evt_example.hpp"


@pytest.mark.cxx
@pytest.mark.parametrize("cxx", compilers())
@pytest.mark.parametrize("npu", SAMPLES)
def test_headers_in_several_files_link(tmp_path: Path, cxx: str, npu: int) -> None:
    if npu == 2201 and not is_quick(cxx):
        pytest.skip("EVTGEN_FULL is not 1: the other sample has fewer")
    chosen = written(npu)
    files = header_files(chosen, Framework())
    of_both = included(files, {Framework().fusion_header, *(f"{plan.name}.hpp" for plan in chosen)})
    fw = Framework()
    of_other_matmuls = {fw.mmad_header(kind) for kind in BLOCK_MMADS if kind != "hf32"}
    assert npu != 2201 or of_both == files.keys() - of_other_matmuls
    (common,) = common_files().values()
    write(tmp_path, {**files, COMMON: common})
    names = [plan.name for plan in chosen]
    objects = [built(cxx, tmp_path, npu, "first", names), built(cxx, tmp_path, npu, "last", names[::-1])]
    library = machine_library(find_compiler(cxx))
    command = [cxx, *objects, "-x", "c++", "-", "-x", "none", str(library), "-o", "program"]
    linked = subprocess.run(command, cwd=tmp_path, input="int main() {}", capture_output=True, text=True, check=False)
    assert linked.returncode == 0, linked.stderr[-3000:]
    assert not strong(tmp_path, objects)


def included(files: Mapping[str, str], names: set[str]) -> set[str]:
    """These of the emitted headers and all that they include."""
    more = {path for name in names for path in re.findall(r'#include "(.*)"', files[name])} & files.keys()
    return names if more <= names else included(files, names | more)


def built(cxx: str, root: Path, npu: int, name: str, epilogues: Sequence[str]) -> str:
    """Compile a .cpp with the headers of epilogues, all nodes, and what examples share; returns the object's name."""
    headers = ("kernel_operator.h", *(f"{one}.hpp" for one in epilogues), Framework().fusion_header, COMMON)
    source = "".join(f'#include "{header}"\n' for header in headers)
    flags = ("-std=c++17", "-Wall", "-Wextra", "-Werror", f"-DCATLASS_ARCH={npu}")
    includes = [f"-I{path}" for path in (root, *INCLUDES, DEVICE / "catlass" / "examples_common")]
    command = [cxx, *flags, *start(cxx, flags), *includes, "-c", "-x", "c++", "-", "-o", f"{name}.o"]
    done = subprocess.run(command, cwd=root, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return f"{name}.o"


def strong(root: Path, objects: Sequence[str]) -> set[str]:
    """The symbols of these objects in namespace Catlass that no other object may define as well."""
    command = ["nm", "-C", "--defined-only", "-g", *objects]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return set(re.findall(r"^\w+ ([A-TX-Z] .*Catlass::.*)$", done.stdout, re.MULTILINE))
