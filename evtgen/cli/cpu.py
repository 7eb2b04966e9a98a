"""``evtgen cpu``: a program on the CPU model."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..model.processes import TIMEOUT
from ..report.programs import outcome as print_outcome
from ..system.translation import tr
from ..targets import ARCHITECTURES
from .options import AgainstAscendC, AgainstCatlass, Cores, Cxx, Json, Strict, Timeout, TraceFile
from .outcome import call, print_diagnostics, print_json

if TYPE_CHECKING:
    from ..pipeline.program import Outcome


class Standard(str, Enum):
    """The values of ``--std``."""

    cxx17 = "c++17"
    cxx20 = "c++20"


Npu = Enum("Npu", {arch.name: str(arch.npu) for arch in ARCHITECTURES.values()}, type=str)  # type: ignore[misc]
"""What ``--npu-arch`` takes: the number of each architecture."""

DEFAULT_NPU = next(iter(Npu))


def cpu(
    file: Annotated[Path, typer.Argument(metavar="FILE.cpp", help=tr("A host program with its kernel."))],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[-- ARGS...]", help=tr("Its arguments."))] = None,
    catlass: AgainstCatlass = None,
    ascendc: AgainstAscendC = None,
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "-I", "--example-includes", metavar="DIR", help=tr("More include roots, searched first; repeatable.")
        ),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("-D", "--define", metavar="NAME[=VALUE]", help=tr("A macro; repeatable.")),
    ] = None,
    cxx: Cxx = None,
    std: Annotated[Standard, typer.Option(help=tr("C++ standard."))] = Standard.cxx17,
    npu_arch: Annotated[Npu, typer.Option(help=", ".join(f"{npu.value}: {npu.name}" for npu in Npu))] = DEFAULT_NPU,
    strict: Strict = False,
    trace: TraceFile = None,
    cores: Cores = None,
    profile: Annotated[bool, typer.Option("--profile", help=tr("Also print modelled cycles and busy pipes."))] = False,
    timeout: Timeout = TIMEOUT,
    as_json: Json = False,
) -> None:
    """Compile a program written as Catlass's examples are, and run it on the CPU model with all checks."""

    def run() -> Outcome:
        from ..pipeline.program import Program, run

        program = Program(
            file, tuple(arguments or ()), catlass, tuple(include or ()), cxx, std.value, int(npu_arch.value), as_json,
            strict, timeout, trace, profile, ascendc, tuple(define or ()), cores,
        )  # fmt: skip
        return run(program)

    outcome = call(run, as_json=as_json, stdout=not as_json)
    if as_json:
        print_json(outcome.to_json())
    else:
        print_outcome(outcome)
        print_diagnostics(list(outcome.diagnostics))
    raise typer.Exit(outcome.exit_status)
