"""What of the C library the emitted headers name: what they include themselves, and what AscendC's headers bring on a
device. Those of asc-devkit bring assert, stddef and stdint there, the type traits, and for Ascend950 initializer_list
and utility."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.planner.plan import lower

from ..support.cpp import INCLUDES, compilers, is_quick
from ..support.emitted import SPECS

pytestmark = pytest.mark.cxx

SYSTEM = [word for root in INCLUDES for word in ("-isystem", str(root))]
ON_A_DEVICE = {"cassert", "cstddef", "cstdint", "type_traits", "initializer_list", "utility", "stdint.h", "features.h"}
OF_THE_MODEL = {"array", "compare", "exception", "new", "optional", "typeinfo", "vector"}
"""Containers of the model's own records, and what these include: nothing of the C library."""

LIBRARY = "ctype errno float limits locale math setjmp signal stdio stdlib string strings time unistd".split()  # noqa: SIM905


def preprocessed(cxx: str, text: str, *flags: str) -> str:
    command = ["nice", cxx, "-std=c++17", "-x", "c++", "-E", *flags, *SYSTEM, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("cxx", compilers())
@pytest.mark.parametrize("npu", [2201, 3510])
def test_the_stand_in_brings_nothing_of_the_c_library(cxx: str, npu: int) -> None:
    lines = preprocessed(cxx, '#include "kernel_operator.h"\n', "-M", f"-DCATLASS_ARCH={npu}").split()
    theirs = [Path(line) for line in lines if re.search(r"/c\+\+/[\d.]+/\w+$|^/usr/include/\w+\.h$", line)]
    assert {"type_traits", "stdint.h"} <= {path.name for path in theirs} <= ON_A_DEVICE | OF_THE_MODEL


@cache
def c_library(cxx: str) -> tuple[frozenset[str], frozenset[str]]:
    """The functions of the C library's headers, and the macros without those that AscendC's headers bring."""
    text = "".join(f"#include <{name}.h>\n" for name in LIBRARY)
    functions = re.findall(r"^extern [^;(]*?\b([a-z]\w*) *\(", preprocessed(cxx, text, "-P"), re.MULTILINE)
    macros, also = (
        re.findall(r"^#define ([A-Za-z]\w*) ", preprocessed(cxx, given, "-dM"), re.MULTILINE)
        for given in (text, '#include "kernel_operator.h"\n')
    )
    return frozenset(functions) - {"index"}, frozenset(macros) - {*also}  # BSD has a function of that name


def emitted(npu: int) -> dict[str, str]:
    """The framework, and the epilogues of the examples and of the gallery."""
    plans = {plan.name: plan for spec in SPECS for one in load([spec]) if (plan := lower(one)).arch.npu == npu}
    fw = Framework()
    return framework_files(fw) | {path: text for p in plans.values() for path, text in epilogue_files(p, fw).items()}


@pytest.mark.parametrize("npu", [2201, 3510])
def test_no_header_names_what_it_does_not_include(npu: int, tmp_path: Path) -> None:
    """Each compiles where the stand-in is all there is, and every macro of the C library is an error. A compiler does
    not miss a function that a template calls, so calls are searched for in the text. By both compilers for Ascend950,
    for Atlas A2 by the quicker one, with EVTGEN_FULL=1 by both."""
    headers, (cxx, *others) = emitted(npu), [name for name in ("g++", "clang++") if shutil.which(name)]
    functions, macros = c_library(cxx)
    assert {"INFINITY", "NAN", "M_PI", "INT_MAX"} <= macros and {"sqrt", "fmaxf", "memcpy", "printf"} <= functions
    for path, text in headers.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
        calls = re.findall(r"(?:(?<![\w.>:~])|(?<=std::))([a-z]\w*) ?\(", re.sub(r"//.*", "", text))
        assert functions.isdisjoint(calls), (path, functions & {*calls})
    included = {name for text in headers.values() for name in re.findall(r'^#include [<"]([^>"]*)', text, re.MULTILINE)}
    main = ['#include "kernel_operator.h"', *(f"#include <{name}>" for name in sorted(included - headers.keys()))]
    main += [f"#pragma GCC poison {name}" for name in sorted(macros)] + [f'#include "{path}"' for path in headers]
    for compiler in (cxx, *others):
        if npu == 2201 and not is_quick(compiler):
            continue
        flags = [
            "-std=c++17",
            "-x",
            "c++",
            "-fsyntax-only",
            "-w",
            f"-DCATLASS_ARCH={npu}",
            "-I",
            str(tmp_path),
            *SYSTEM,
        ]
        done = subprocess.run(
            ["nice", compiler, *flags, "-"], input="\n".join(main), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[:2000]
