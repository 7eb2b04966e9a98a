"""The headers of a program on the CPU model: the machine's, and those of Catlass and of AscendC, the model's or their
own."""

from __future__ import annotations

from pathlib import Path

from ..checkouts.catlass import recognise
from .compiler import Compiler
from .toolchain import DEVICE

_WATCH = "-fsanitize=kernel-address"
"""Under it a compiler calls a function of the machine before each access to memory, if the options below make it leave
out what else belongs to it. Nothing is linked."""

# g++ announces the same bytes once until the next call: of a read and a write through one pointer without a call in
# between, the machine sees the first alone. GetValue and SetValue are calls and do not depend on this.
_WATCH_GCC = ("asan-instrumentation-with-call-threshold=0", "asan-stack=0", "asan-globals=0")
_WATCH_CLANG = (
    "-asan-instrumentation-with-call-threshold=0",
    "-asan-stack=0",
    "-asan-globals=0",
    "-asan-opt=0",  # a write after a read of the same bytes is another access
)


def include_roots(catlass_dir: Path | None, *, intrinsics: bool = False) -> list[Path]:
    """The directories of the headers, in the order of the search: of Catlass or of the stand-in, AscendC's, the
    machine's. With ``intrinsics`` AscendC's are those of a checkout, over the machine's intrinsics: then
    :attr:`.AscendC.include` comes after these, and :func:`ascendc_flags` go with them."""
    roots = [DEVICE / "catlass"]
    if catlass_dir is not None:
        # The cube side and the launch cannot be compiled for a host; the overlay replaces them by the model's.
        roots = [DEVICE / "overlay", recognise(catlass_dir).include]
    # The host side (acl, tiling) is always the model's.
    return [*roots, *([DEVICE / "cce"] if intrinsics else []), DEVICE / "ascendc", DEVICE]


def ascendc_flags(compiler: Compiler) -> list[str]:
    """What a program needs of its compiler, besides the include roots, to run with AscendC's own headers.

    They follow pointers into a core's memory in places; the machine has to see those accesses of the scalar unit. So,
    with ``checkout = evtgen.checkouts.ascendc.recognise(directory)``::

        roots = [*include_roots(None, intrinsics=True), *checkout.include]
        [compiler.path, "-std=c++17", "-O1", *ascendc_flags(compiler), *(f"-isystem{root}" for root in roots),
         source, machine_library(compiler), "-pthread", "-o", program]
    """
    return ["-DEVTGEN_PASS_VECTOR", *watch_flags(compiler)]


def watch_flags(compiler: Compiler) -> list[str]:
    """What makes a compiler tell the machine of each access to memory that the program makes itself, and keep its lines
    for :func:`.with_lines`."""
    if "clang" in compiler.version:
        return [_WATCH, "-g1", *(part for option in _WATCH_CLANG for part in ("-mllvm", option))]
    return [_WATCH, "-g1", *(part for option in _WATCH_GCC for part in ("--param", option))]


def preamble(catlass_dir: Path | None) -> list[str]:
    """Headers that come before everything else.

    A real Catlass leaves AscendC's to the device compiler, and its macros (Catlass v1.0, v1.1) are attributes that no
    host compiler knows; the stand-in's have the same include guard.
    """
    if catlass_dir is None:
        return []
    macros = DEVICE / "catlass" / "catlass" / "detail" / "macros.hpp"
    return ["-include", "kernel_operator.h", "-include", str(macros)]
