"""The hosts of Ascend's NPUs are aarch64: programs that are compiled for it give the same bits, under qemu.

The CPU model is built for it first, once per version of the compiler: a minute of a core, and so with EVTGEN_FULL=1.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evtgen.frontend.load import load
from evtgen.model.data import operands
from evtgen.model.execution import Settings, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.planner.plan import lower

from ..support.cpp import USUAL
from ..support.epilogues import FULL
from ..support.paths import CHECKOUT

CROSS = shutil.which("aarch64-linux-gnu-g++")
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")

NAMES = {"bias_gelu", "residual_bias_bf16", "swiglu_quantize_per_token", "dequant_both_bias"}
"""Halves, bfloat16, int8 and int32, phases, and two accumulators."""

SHAPE = (17, 72, 40)

WRAPPER = f"""\
#!/bin/sh
[ "$1" = --version ] && echo "aarch64 under qemu: $({CROSS} --version | head -n 1)" && exit
{CROSS} -static "$@" || exit
[ -x program ] || exit 0
mv program aarch64
printf '#!/bin/sh\\nexec {QEMU} "$(dirname "$0")/aarch64" "$@"\\n' > program
chmod +x program
"""
"""A compiler whose programs are scripts that run them under qemu."""


@pytest.mark.skipif(not FULL, reason="EVTGEN_FULL is not 1: the CPU model is built for aarch64 first")
@pytest.mark.skipif(CROSS is None or QEMU is None, reason="aarch64-linux-gnu-g++ or qemu-aarch64 is not installed")
def test_programs_for_aarch64_give_the_same_bits(tmp_path: Path) -> None:
    compiler = tmp_path / "aarch64-g++"
    compiler.write_text(WRAPPER)
    compiler.chmod(0o755)
    specs = [CHECKOUT / "examples" / "gallery" / f"{name}.py" for name in ("bias", "gated", "quantized")]
    plans = [lower(epilogue) for epilogue in load(specs) if epilogue.name in NAMES]
    assert len(plans) == len(NAMES)
    here, there = (require_programs(plans, Compilation(cxx=cxx, batch=len(plans))) for cxx in (USUAL, str(compiler)))
    for plan in plans:
        given = operands(plan, SHAPE, seed=0, data="normal")
        own, other = (run_once(programs[plan.name], plan, SHAPE, given, Settings()) for programs in (here, there))
        assert own.outputs and own.outputs.keys() == other.outputs.keys()
        for name, output in own.outputs.items():
            assert output.tobytes() == other.outputs[name].tobytes(), (plan.name, name)
        assert own.report["hazards"] == other.report["hazards"] == []
