"""Every version of every compiler that is installed here takes the emitted headers, in both standards."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.planner.plan import lower

from ..support.cpp import INSTANTIATE, check_syntax, write
from ..support.epilogues import everything

pytestmark = pytest.mark.cxx


def installed() -> list[str]:
    """Versioned compilers on the PATH, but for those that a plain name stands for: these are tested with the
    templates, with the same epilogue and more."""
    plain = {os.path.realpath(found) for found in map(shutil.which, ("g++", "clang++")) if found}
    names = {
        entry.name
        for directory in os.environ["PATH"].split(os.pathsep)
        if Path(directory).is_dir()
        for entry in os.scandir(directory)
        if re.fullmatch(r"(clang\+\+|g\+\+)-\d+", entry.name) and os.path.realpath(entry.path) not in plain
    }
    supported = {"g++": 11, "clang++": 14}
    return sorted(name for name in names if int(name.split("-")[1]) >= supported[name.split("-")[0]])


@pytest.mark.skipif(not installed(), reason="every compiler here has a plain name")
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("cxx", installed())
def test_no_warnings(tmp_path: Path, cxx: str, standard: str) -> None:
    epilogue = everything()
    write(tmp_path, {**framework_files(Framework()), **epilogue_files(lower(epilogue), Framework())})
    kernel = f"Catlass::Evt::{epilogue.name}::Kernel"
    instance = f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
    result = check_syntax(cxx, tmp_path, f'#include "{epilogue.name}.hpp"\n{INSTANTIATE}{instance}', standard)
    assert result.returncode == 0, result.stderr
