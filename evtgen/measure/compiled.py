"""Compile programs as code of a device, and to measure frames. The cache's keys hold everything that goes into a
result."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..model import cache
from ..model.compiler import CompileFailure, Compiler, run
from ..model.programs import Sources
from ..model.toolchain import headers_below
from . import device_clang as clang
from .device_program import ENTRY, SIZES, device_program, stack_program
from .findings import Finding, of_complaints, of_listing
from .listing import Listing

_RESULT = "examination.json"


def examined(
    compiler: Compiler, kernels: Mapping[str, str], given: Sources, *, measured: bool = True, rules: bool = True
) -> dict[str, Any]:
    """Compile kernels together, see :func:`.program.device_program`.

    Args:
        measured: also measure their frames and their code, unless they break a rule.
        rules: check the rules of the device's C++, which takes a compilation of its own.

    Returns ``findings``, each with the fields of :class:`Finding`. ``stack`` has, by the names of ``kernels``, the
    bytes of the ``epilogue``, its ``callbacks`` and the ``frame``, as far as they are known. ``instructions`` has, by
    the same names, the bytes of the vector core's code. ``note`` says why clang++ could not tell, or is empty.
    """
    device = device_program(kernels, given) if rules else ""
    stack = stack_program(kernels, given.own_framework) if measured else ""
    flags = [*given.flags, *clang.FLAGS]
    roots = [*given.include, *given.system]
    texts = [compiler.version, *flags, *clang.LISTING, *clang.STACK, device, stack, *map(str, roots)]
    texts += [text for item in sorted(given.headers.items()) for text in item]
    own = sorted(Path(__file__).parent.glob("*.py"))
    key = cache.key(texts, [*(header for root in roots for header in headers_below(root)), *own])

    def build(at: Path) -> None:
        for path, text in given.headers.items():
            (at / "include" / path).parent.mkdir(parents=True, exist_ok=True)
            (at / "include" / path).write_text(text, encoding="utf-8")
        search = ["-I", "include", *(part for root in given.include for part in ("-I", str(root)))]
        search += [part for root in given.system for part in ("-isystem", str(root))]
        result = {"findings": [], "stack": {}, "instructions": {}, "note": ""}
        if rules:
            result = _compile(compiler, [*flags, *search], device, given, at)
        if stack and not result["findings"] and not result["note"]:
            result |= _measure(compiler, [*flags, *search], stack, list(kernels), at)
        (at / _RESULT).write_text(json.dumps(result), encoding="utf-8")

    entry = cache.entry("language", key, [_RESULT], build)
    result: dict[str, Any] = json.loads((entry / _RESULT).read_text(encoding="utf-8"))
    return result


def _compile(compiler: Compiler, flags: Sequence[str], text: str, given: Sources, at: Path) -> dict[str, Any]:
    (at / "device.cpp").write_text(text, encoding="utf-8")
    listing = at / "device.ll"
    try:
        clang.as_device(compiler, [*flags, *clang.LISTING, "device.cpp", "-o", listing.name], at)
        found = of_listing(Listing(listing.read_text(encoding="utf-8", errors="replace")), given.examined)
        listing.unlink()
    except CompileFailure as failure:
        found = of_complaints(clang.complaints(str(failure)), given.examined, given.emitted)
        if not found:
            note = f"{compiler.version} could not check the rules of the device's C++: {_first_error(failure)}"
            return {"findings": [], "stack": {}, "instructions": {}, "note": note}
    findings = [asdict(_with_text(finding, at, given)) for finding in found]
    return {"findings": findings, "stack": {}, "instructions": {}, "note": ""}


def _first_error(failure: CompileFailure) -> str:
    words = str(failure).strip().splitlines()
    return next((line for line in words if "error" in line), words[0] if words else "it said nothing")


def _with_text(finding: Finding, at: Path, given: Sources) -> Finding:
    """The finding with the text of the line, the functor around it, and the path as users know it."""
    path = at / finding.file
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    text = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""
    functor = ""
    for line in lines[: finding.line]:
        if match := re.match(r"struct (\w+)(?: : [^;]*)? \{", line):
            functor = match[1]
    return Finding(finding.code, finding.message, finding.file.removeprefix("include/"), finding.line, text, functor)


def _measure(compiler: Compiler, flags: Sequence[str], text: str, names: Sequence[str], at: Path) -> dict[str, Any]:
    (at / "stack.cpp").write_text(text, encoding="utf-8")
    try:
        run([compiler.path, *flags, *clang.STACK, "-DEVTGEN_DEVICE_SIZES", "stack.cpp"], at)
    except CompileFailure as failure:
        return {"note": f"{compiler.version} could not measure the stack: {_first_error(failure)}"}
    usage, assembly = ((at / f"stack.{kind}").read_text(encoding="utf-8") for kind in ("su", "s"))
    stack, instructions = {}, {}
    for name in names:
        frame = re.search(rf":{ENTRY}_{name}\t(\d+)\t", usage)
        sizes = re.search(rf"\b_?{SIZES}_{name}:\n\s+\.\w+\s+(\d+).*\n\s+\.\w+\s+(\d+)", assembly)
        if frame is not None and sizes is not None:
            stack[name] = {"epilogue": int(sizes[1]), "callbacks": int(sizes[2]), "frame": int(frame[1])}
        code = re.search(rf"^_?{ENTRY}_{name}:.*?^\s+\.cfi_endproc", assembly, re.MULTILINE | re.DOTALL)
        if code is not None:
            instructions[name] = len(re.findall(r"^\t[a-z]", code[0], re.MULTILINE))
    return {"stack": stack, "instructions": instructions}
