"""Examine the headers of epilogues by the rules of the device's C++, and measure their use of its stack.

Each epilogue is compiled twice: as code of a device, without optimisation, and with everything inlined, for the size of
its frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from ..diagnostics import language as codes
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.table import TABLE
from ..emit.header import local_operators
from ..graph.location import Location
from ..model.compiler import Compiler
from ..model.programs import Compilation, sources
from ..model.workers import each
from ..planner.plan import Plan
from ..system.progress import Progress, Steps, silent
from ..system.translation import tr
from . import device_clang as clang
from .compiled import examined
from .findings import Finding

STACK_LIMIT = 32768
"""Bytes of a kernel's stack. No page of AscendC's guide gives a number; this is the one that Catlass's build files
(``examples/CMakeLists.txt``) and AscendC's own for Atlas A2/A3 give the compiler: ``-cce-aicore-stack-size=0x8000``."""


INSTRUCTION_CACHE = 16384
"""Bytes of a vector core's instruction cache on both architectures: the tables of AscendC's guide in
``编程指南/高级编程/内存模型/缓存一致性``, and its page on ICachePreLoad."""

INSTRUCTION = 4
"""Bytes of an instruction of the device: words of so many are in the log of its page ``核内同步/关键特性说明``."""


@dataclass(frozen=True)
class Stack:
    """Bytes of the stack, with tensors as large as AscendC's.

    Attributes:
        epilogue: of the block epilogue's object.
        callbacks: of the callbacks in it, for all buffers.
        frame: of the deepest frame, with everything inlined into it: the epilogue's object, and the variables of its
            functions.
        limit: of a kernel.
    """

    epilogue: int
    callbacks: int
    frame: int
    limit: int = STACK_LIMIT


@dataclass(frozen=True)
class Examination:
    """An epilogue under the rules of the device's C++.

    Attributes:
        compiler: the version of the clang++ that compiled it; empty if it was not examined.
        findings: the rules that it breaks.
        stack: its bytes of the stack; None if they are not known.
        instructions: their number in the vector core's half of the kernel, for this machine; None if it is not known.
        note: why it was not examined, or not in full; empty if it was.
    """

    compiler: str = ""
    findings: tuple[Diagnostic, ...] = ()
    stack: Stack | None = None
    instructions: int | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "checked": not self.note,
            "note": self.note or None,
            "compiler": self.compiler or None,
            "findings": [finding.to_json() for finding in self.findings],
            "stack": None if self.stack is None else asdict(self.stack),
            "code": None if self.instructions is None else self._code(self.instructions),
        }

    @staticmethod
    def _code(instructions: int) -> dict[str, int]:
        return {"instructions": instructions, "bytes": INSTRUCTION * instructions, "cache": INSTRUCTION_CACHE}


NO_CLANG = "clang++ is not installed: the rules of the device's C++ were not checked, and its stack was not measured"


def examine(
    plans: Sequence[Plan],
    compilation: Compilation,
    progress: Progress = silent,
    *,
    measured: bool = True,
    rules: bool = True,
) -> dict[str, Examination]:
    """Examine each plan, unless ``rules`` are left out, and with ``measured`` also its use of the stack; the results
    are by the plans' names. Raises EvtgenError if a compiler runs out of memory or disk, or the cache cannot be
    written."""
    compiler = clang.find_clang(compilation.cxx)
    if compiler is None:
        return {plan.name: Examination(note=NO_CLANG) for plan in plans}
    compilation = compilation.resolved()
    steps = Steps(progress, tr("the device's C++, {count} of {of}: {name}"), len(plans))

    def group(of: Sequence[Plan]) -> dict[str, Examination]:
        steps.next(", ".join(plan.name for plan in of))
        return _examine(of, compilation, compiler, measured, rules)

    groups = []
    for npu in sorted({plan.arch.npu for plan in plans}):
        alike = [plan for plan in plans if plan.arch.npu == npu]
        groups += [alike[i : i + compilation.batch] for i in range(0, len(alike), compilation.batch)]
    return {name: found for part in each(group, groups, None) for name, found in part.items()}


def _examine(
    plans: Sequence[Plan], compilation: Compilation, compiler: Compiler, measured: bool, rules: bool
) -> dict[str, Examination]:
    kernels = {plan.name: f"Catlass::Evt::{plan.name}::Kernel" for plan in plans}
    found = examined(compiler, kernels, sources(plans, compilation), measured=measured, rules=rules)
    if len(plans) > 1 and (found["findings"] or found["note"]):
        # Each alone shows which of them it is.
        alone = [_examine([plan], compilation, compiler, measured, rules) for plan in plans]
        return {name: one for found in alone for name, one in found.items()}
    return {plan.name: _examination(plan, found, compiler) for plan in plans}


def _examination(plan: Plan, found: Mapping[str, Any], compiler: Compiler) -> Examination:
    findings = [_diagnostic(Finding(**finding), plan) for finding in found["findings"]]
    stack = Stack(**found["stack"][plan.name]) if plan.name in found["stack"] else None
    if stack is not None and stack.frame > stack.limit:
        findings.append(codes.STACK.of(at=plan.epilogue.location, name=plan.name, frame=stack.frame, limit=stack.limit))
    instructions = found["instructions"].get(plan.name)
    return Examination(compiler.version, tuple(findings), stack, instructions, found["note"])


def too_long(plans: Sequence[Plan], examined: Mapping[str, Examination]) -> list[Diagnostic]:
    """A warning for each plan whose code does not fit the instruction cache."""
    found = []
    for plan in plans:
        code = examined[plan.name].to_json()["code"]
        if code is not None and code["bytes"] > code["cache"]:
            found.append(
                codes.INSTRUCTIONS.of(
                    at=plan.epilogue.location, name=plan.name, bytes=code["bytes"], cache=code["cache"]
                )
            )
    return found


def _diagnostic(finding: Finding, plan: Plan) -> Diagnostic:
    """A finding at the line of the user's operator if it is in the operator's functor, else at the header's line."""
    where = Location(finding.file, finding.line, finding.text)
    message = finding.message
    for operator in local_operators(plan):
        declared = getattr(operator, "location", None)
        if declared and finding.functor == operator.cpp and PurePath(finding.file).name == f"{plan.name}.hpp":
            message += f", in its functor at {finding.file}:{finding.line}"
            where = declared
    return TABLE[finding.code](message, where)
