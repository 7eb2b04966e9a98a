"""The findings of the CPU model for subjects with a change. They are kept: after a change of the emitted text only the
programs that include it run again."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from functools import cache as once
from pathlib import Path
from typing import Any

from evtgen.model import cache, harness, toolchain
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Settings
from evtgen.model.roots import include_roots

from .subjects import Subject, framework

SETTINGS = Settings(strict=True, cores=2, timeout=60)
"""Two cube cores, so that each gets several blocks."""

FOUND = "found.json"
"""What is kept of a program: its findings, or why there are none."""

_INCLUDE = re.compile(r'^ *#include ["<]([^">]+)', re.MULTILINE)

Hazard = dict[str, Any]


class Refusal(Exception):
    """CanImplement is false for a problem that the unchanged kernel serves."""


def findings(change: Mapping[str, str], concerned: Sequence[Subject]) -> dict[str, list[Hazard]]:
    """The findings for subjects with a change; those of an earlier run where nothing that they include is another.

    Raises CompileFailure, and Refusal.
    """
    npu = concerned[0].plan.arch.npu
    main = harness.source([subject.plan for subject in concerned])
    headers = {f"{subject.name}.hpp": subject.header for subject in concerned}
    headers = included(main, {**framework(), **headers, **change})
    texts = [model(), _compiler().version, f"{SETTINGS} {npu} {[subject.shape for subject in concerned]}", main]
    key = cache.key([*texts, *(text for item in headers.items() for text in item)])

    def build(at: Path) -> None:
        try:
            done: dict[str, Any] = {"hazards": run_now(main, headers, npu, concerned)}
        except Refusal:
            done = {"refused": True}
        except toolchain.CompileFailure as failure:
            done = {"problem": str(failure)}
        (at / FOUND).write_text(json.dumps(done), encoding="utf-8")

    done = json.loads((cache.entry("sabotage", key, [FOUND], build) / FOUND).read_text(encoding="utf-8"))
    if "problem" in done:
        raise toolchain.CompileFailure(done["problem"])
    if "refused" in done:
        raise Refusal
    found: dict[str, list[Hazard]] = done["hazards"]
    return found


@once
def model() -> str:
    """A digest of the model: another may find something else."""
    files = (path for path in toolchain.DEVICE.rglob("*") if path.is_file())
    return cache.key([], [*sorted(files), *sorted(toolchain.DEVICE.with_name("model").glob("*.py"))])


def included(text: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Those of ``headers`` that a text includes, itself or by way of others and of the model's."""
    found, more = set[str](), [text]
    while more:
        for path in _INCLUDE.findall(more.pop()):
            if path not in found:
                found.add(path)
                more.append(headers[path] if path in headers else _of_model(path))
    return {path: headers[path] for path in sorted(found & headers.keys())}


@once
def _of_model(path: str) -> str:
    """The text of one of the model's headers; empty for another."""
    files = (root / path for root in include_roots(None))
    return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")


def run_now(main: str, headers: Mapping[str, str], npu: int, concerned: Sequence[Subject]) -> dict[str, list[Hazard]]:
    """The same from a run, whatever is kept."""
    program = _compile(main, headers, npu)
    found = {}
    for subject in concerned:
        plan, problem = subject.plan, subject.plan.problem(subject.shape)
        given = operands(plan, problem, seed=0, data="int")
        with Prepared(plan, problem, given, null=harness.nullable(plan)) as prepared:
            done = prepared.run(program, SETTINGS)
        if not done.report:
            raise RuntimeError(f"the model wrote no report: {done.error}")
        if done.error is not None and "CanImplement refuses" in done.error:
            raise Refusal
        found[plan.name] = done.report["hazards"]
    return found


def _compile(main: str, headers: Mapping[str, str], npu: int) -> toolchain.Program:
    compiler, system, flags = _compiler(), include_roots(None), (f"-DCATLASS_ARCH={npu}",)
    return toolchain.compile_program(
        compiler, main, headers, extra_flags=flags, system=system,
        precompiled=lambda: toolchain.precompiled_headers(compiler, flags, system),
    )  # fmt: skip


def _compiler() -> toolchain.Compiler:
    """clang++ where it is installed, which needs little more than half of g++'s time for a mutant. What a mutant is
    flagged for is the text's doing, not the compiler's."""
    return toolchain.find_compiler("clang++" if shutil.which("clang++") else None)
