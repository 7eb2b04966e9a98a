"""Compile time of the verification program (framework, header, host side, -O1) by number of nodes and form."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator

from evtgen import Epilogue
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.model import harness, toolchain
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower

from .graphs import topological, tree

SIZES = (4, 16, 64)


def run() -> Iterator[str]:
    """A fresh cache, so that everything is compiled; the CPU model is built once, before the clock starts."""
    compiler = toolchain.find_compiler()
    framework = framework_files(Framework())
    yield compiler.version
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["EVTGEN_CACHE"] = scratch
        started = time.perf_counter()
        toolchain.machine_library(compiler)
        yield f"the CPU model itself       {time.perf_counter() - started:6.1f} s, once per compiler"
        for form in (tree, topological):
            for size in SIZES:
                written = form(size)
                plan = lower(Epilogue(written.name, written.root, compute_length=256))
                headers = {**framework, **epilogue_files(plan, Framework())}
                started = time.perf_counter()
                toolchain.compile_program(
                    compiler,
                    harness.source([plan]),
                    headers,
                    extra_flags=[f"-DCATLASS_ARCH={plan.arch.npu}"],
                    system=include_roots(None),
                )
                yield f"{form.__name__:12} {size:3} nodes  {time.perf_counter() - started:6.1f} s"
    del os.environ["EVTGEN_CACHE"]
