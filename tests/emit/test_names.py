"""Names are the user's: whatever C++ allows names tensors and scalars, also what generated code and headers use."""
# ruff: noqa: SIM905

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from evtgen.check import check
from evtgen.emit.formula import formula, product
from evtgen.emit.framework import Framework
from evtgen.emit.render import common_files, epilogue_files, example_files, framework_files
from evtgen.graph.ir import Epilogue, Scalar, TreeVisitor, Visitor
from evtgen.graph.shapes import Problem
from evtgen.graph.types import half
from evtgen.model.harness import source
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute, RowReduce
from evtgen.passes.analysis.argument_order import suffixes
from evtgen.passes.analysis.cpp_names import KEYWORDS, macros_among
from evtgen.pipeline.data import write_data
from evtgen.planner.plan import lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.cpp import INCLUDES, INSTANTIATE, check_syntax, compilers, write
from ..support.paths import DEVICE
from ..support.right import right

OPERANDS = "a b c A B C D X M N K m n k".split()
"""What the GEMM, papers and CUTLASS call things."""

LOCALS = """acc row rows column host options stream epilogue product success arguments tensors kernelArguments
    workspace pad count value golden Launch Upload Run Buffer main exp""".split()
"""What generated programs use."""

DECLARED = """Arguments EVT Edges ElementA ElementB ElementC LayoutA LayoutB LayoutC COMPUTE_LENGTH BlockEpilogue
    BlockMmad BlockScheduler Kernel Evt AccLoad AuxLoadX Plus Maximum AuxStoreOut std Catlass AscendC tla layout Arch
    Gemm Gemv Epilogue Fusion Visitors platform_ascendc operations Options""".split()
"""What the header declares, and the namespaces that it reads."""

MACROS = """M_PI M_PIf INFINITY NAN NULL EOF unix linux assert errno stdin stderr I major minor st_mtime PRId64 BUFSIZ
    K_MAX_SHAPE_DIM ACL_CHECK RT_CHECK PIPE_V""".split()
"""Macros of C, C++, POSIX, the compilers, AscendC and the examples."""

DERIVED = "layoutX row_out rowOut rowout hostRowOut identityR identity_r nullDefaultA _ x_ X2".split()
"""What would be names of one field, or of one variable, if it were not for numbers."""

NAMES = [*OPERANDS, *LOCALS, *DECLARED, *MACROS, *DERIVED]


def named(name: str, names: list[str]) -> Epilogue:
    """An epilogue with tensors, tensors that may be null, and scalars of these names."""
    value: Visitor = AccLoad(half)
    for number, given in enumerate(names):
        if number % 3 == 2:
            value = TreeVisitor(Compute("Maxs", half, Scalar(given, half)), value)
        else:
            tensor = AuxLoad(given, half, null_default=0.5 if number % 5 == 0 else None)
            value = TreeVisitor(Compute("Maximum", half), value, tensor)
    value = TreeVisitor(RowReduce("R", "Minimum", half, float("inf")), TreeVisitor(AuxStore("Out", half), value))
    return Epilogue(name, value)


EPILOGUES = [named(name, NAMES[i::2]) for i, name in enumerate(("M_PI", "PIPE_ALL"))]


def test_all_of_them_are_accepted() -> None:
    assert len(set(NAMES)) == len(NAMES) and not set(NAMES) & KEYWORDS
    for epilogue in EPILOGUES:
        assert check(epilogue) == []


@pytest.mark.cxx
def test_all_of_them_run() -> None:
    plans = [lower(epilogue) for epilogue in EPILOGUES]
    results = verify_plans(plans, Options(shapes=((21, 150, 20),), strict=True, together=2))
    right(results)


@pytest.mark.cxx
def test_an_epilogue_that_may_be_a_macro_is_examined() -> None:
    plan = lower(Epilogue("M_PI", TreeVisitor(AuxStore("D", half), AccLoad(half))))
    (result,) = verify_plans([plan], Options(shapes=((3, 7, 5),), data="int"), language=True)
    assert result.ok, failures(result)


@pytest.mark.cxx
@pytest.mark.parametrize("cxx", compilers())
def test_all_of_them_compile(cxx: str, tmp_path: Path) -> None:
    """With the system's headers in front, whose macros are there again after the header."""
    source = "".join(f"#include <{name}>\n" for name in ("cinttypes", "cmath", "cstdio", "sys/stat.h"))
    source += f"#define linux 1\n#define unix 1\n{INSTANTIATE}"
    write(tmp_path, framework_files(Framework()))
    for plan in map(lower, EPILOGUES):
        write(tmp_path, epilogue_files(plan, Framework()))
        source += f'#include "{plan.name}.hpp"\n'
    # Names are no part of a kernel's type: both have one.
    kernel = f"Catlass::Evt::{EPILOGUES[1].name}::Kernel"
    source += f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
    done = check_syntax(cxx, tmp_path, f"{source}double pi = M_PI * linux;\nint end = EOF;\n")
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.cxx
def test_an_example_program_compares(tmp_path: Path) -> None:
    plan = lower(EPILOGUES[0])
    (common,) = common_files().values()
    headers = {**framework_files(Framework()), **epilogue_files(plan, Framework()), "evt_example.hpp": common}
    program = example_files(plan)[f"{plan.name}/{plan.name}.cpp"]
    compiled = compile_program(
        find_compiler(),
        f'#include "kernel_operator.h"\n{program}',
        headers,
        extra_flags=("-DCATLASS_ARCH=2201", "-Werror"),
        system=(*INCLUDES, DEVICE / "catlass" / "examples_common"),
    )
    write_data(plan, Problem.of((21, 70, 40)), tmp_path)
    done = subprocess.run([compiled.path, tmp_path], capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == "Compare success.\n"


def test_usual_names_are_left_as_they_are() -> None:
    assert macros_among(["X", "D", "bias", "alpha", "row_out", "X1", "rowSum", "Bias", "gate_proj", "A", "I"]) == ("I",)
    plan = lower(named("usual", ["X", "bias", "alpha"]))
    (text,) = epilogue_files(plan, Framework()).values()
    assert "#pragma" not in text and "of C = A * B:" in text
    assert plan.suffixes == {"X": "X", "bias": "Bias", "alpha": "Alpha", "Out": "Out", "R": "R"}


def test_suffixes_are_one_for_each_and_make_no_name_of_the_users() -> None:
    names = ["row_out", "rowOut", "RowOut2", "D", "layoutD", "hostX", "X", "X2", "goldenX_2", "_"]
    made = suffixes(names)
    assert made["row_out"] == "RowOut" and made["rowOut"] == "RowOut2" and made["_"] == "_"
    assert len(set(made.values())) == len(names)
    derived = {f"{stem}{suffix}" for stem in ("layout", "host", "golden") for suffix in made.values()}
    assert not derived & set(names)


def test_formulas_tell_the_accumulator_from_a_tensor() -> None:
    plan = lower(named("gemm", ["A", "B", "alpha", "C"]))
    assert product(plan) == "acc, the product of the GEMM"
    assert "acc" in formula(plan)[0] and "C" in " ".join(formula(plan))
    assert product(lower(named("gemm", ["C"]))) == "acc = A * B"
    assert product(lower(named("gemm", ["C", "acc"]))) == "acc2 = A * B"


POSIX = """arpa/inet.h assert.h complex.h dirent.h errno.h fcntl.h inttypes.h limits.h math.h net/if.h netdb.h
    netinet/in.h poll.h pthread.h sched.h setjmp.h signal.h stdio.h sys/mman.h sys/resource.h sys/socket.h sys/stat.h
    sys/time.h sys/types.h sys/un.h sys/wait.h termios.h time.h tgmath.h unistd.h wchar.h""".split()


@pytest.mark.cxx
@pytest.mark.parametrize("cxx", compilers())
def test_macros_are_known_by_their_shape(cxx: str) -> None:
    """What the headers of the system and of the model define, as the compiler tells: no table is asked."""
    standard = {path.name for path in Path("/usr/include/c++").glob("*/*") if path.is_file() and not path.suffix}
    headers = [*POSIX, *sorted(standard)]
    seen = defined(cxx, "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in headers))
    assert len(seen) > 1000
    assert not set(seen) - set(macros_among(seen))


@pytest.mark.cxx
def test_macros_of_the_harness_are_known_by_their_shape() -> None:
    seen = defined("g++", re.sub(r'#include "M_PI.*', "", source([lower(EPILOGUES[0])])))
    assert len(seen) > 400
    assert not set(seen) - set(macros_among(seen))


def defined(cxx: str, text: str) -> list[str]:
    """The macros without parameters that stand after ``text``, of names that C++ leaves to the user.

    One that stands for itself, as ``stdin`` does, replaces nothing, and a keyword names nothing.
    """
    flags = ["-std=gnu++17", "-dM", "-E", "-DCATLASS_ARCH=2201", *(f"-I{path}" for path in INCLUDES), "-x", "c++"]
    done = subprocess.run([cxx, *flags, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr[-2000:]
    found = re.findall(r"^#define (\w+)(?!\()(?:[ \t]+(.*))?$", done.stdout, re.MULTILINE)
    reserved = re.compile(r"_[A-Z].*|.*__.*")
    return [name for name, value in found if value != name and not reserved.fullmatch(name) and name not in KEYWORDS]
