"""Ascend950: the programs of Catlass's visitor framework against ours, and both handoffs. Aim: 1.0.

``EVTGEN_CATLASS`` names a Catlass checkout of v1.6 or later; without it only our handoffs are compared. Its programs
are timed as they stand, and the same epilogues in our framework with the same tiles of the GEMM, with each handoff and
with the one that evtgen chooses. Only the clock runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import float32
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute, RowBroadcast
from evtgen.options import CpuOptions
from evtgen.pipeline.program import Program
from evtgen.pipeline.program import run as run_program
from evtgen.planner.plan import lower

from . import clock

VARIABLE = "EVTGEN_CATLASS"
PROGRAMS = "examples/64_ascend950_matmul_evg/matmul_evg_{}.cpp"
SHAPES = ((256, 512, 64), (1024, 1024, 64), (2048, 2048, 64), (2048, 2048, 1024), (2048, 2048, 4096))
GEMM = Gemm(a=float32, b=float32, c=float32, l1=(256, 256, 128), l0=(256, 256, 32))
"""The tiles of their programs."""


def _of(name: str, *inputs: Visitor, scalar: float | None = None) -> TreeVisitor:
    return TreeVisitor(Compute(name, float32, scalar=scalar), *inputs)


def _tanh() -> TopologicalVisitor:
    """Their formula, call by call: (exp(2 x) - 1) / (exp(2 x) + 1), x limited."""
    steps = [("Mins", 20.0), ("Maxs", -20.0), ("Muls", 2.0), ("Exp", None), ("Adds", -1.0), ("Adds", 1.0)]
    ops = [AccLoad(float32), *(Compute(name, float32, scalar=scalar) for name, scalar in steps)]
    ops += [Compute("Divides", float32), AuxStore("D", float32)]
    return TopologicalVisitor([(), (0,), (1,), (2,), (3,), (4,), (4,), (5, 6), (7,)], ops)


def epilogues() -> dict[str, Visitor]:
    """The graph of each of their programs."""
    c = AccLoad(float32)
    graphs: dict[str, Visitor] = {
        "add": _of("Plus", c, AuxLoad("X", float32)),
        "add_ub": _of("Plus", c, AuxLoad("X", float32)),
        "bias": _of("Plus", c, RowBroadcast("x", float32)),
        "leaky_relu": _of("LeakyRelu", c, scalar=0.1),
        "sigmoid": _of("Sigmoid", c),
        "silu": _of("Silu", c),
    }
    stored: dict[str, Visitor] = {name: TreeVisitor(AuxStore("D", float32), of) for name, of in graphs.items()}
    return {**stored, "tanh": _tanh()}


def ours(name: str, graph: Visitor, shape: tuple[int, int, int]) -> dict[str, int]:
    """Modelled cycles with each handoff that fits, and which of them evtgen chooses."""
    found = {}
    for handoff in (None, "gm", "ub"):
        epilogue = Epilogue(name, graph, arch="Ascend950", gemm=replace(GEMM, handoff=handoff))
        plan = lower(epilogue)
        if plan.compute_length:
            found[handoff or "chosen"] = clock.cycles(clock.programs([plan])[name], plan, shape)
    return found


def theirs(tree: Path, name: str, shape: tuple[int, int, int]) -> int:
    """Modelled cycles of their program."""
    options = CpuOptions(catlass=tree, cxx="clang++", npu_arch="3510")
    program = Program(tree / PROGRAMS.format(name), (*map(str, shape), "0"), capture=True, options=options)
    with clock.only_the_clock():
        done = run_program(program)
    if done.diagnostics or done.launches != 1:
        raise SystemExit(f"{name} did not come to its end:\n{done.stderr}{done.diagnostics}")
    return int(done.stats["launches"][0]["makespan"])


def run() -> Iterator[str]:
    """A line for each program and shape."""
    tree = Path(os.environ[VARIABLE]) if VARIABLE in os.environ else None
    if tree is None:
        yield f"{VARIABLE} is not set: it names a checkout of Catlass v1.6 or later; our handoffs alone are compared"
    for name, graph in epilogues().items():
        for shape in SHAPES:
            of = ours(name, graph, shape)
            text = "  ".join(f"{handoff} {cycles:>7,}" for handoff, cycles in of.items())
            if tree is not None:
                base = theirs(tree, name, shape)
                ratio = of["chosen"] / base
                text = f"theirs {base:>7,}  {text}  ratio {ratio:.3f}{'' if ratio <= 1 else '  missed'}"
            yield f"{name:10}  {'x'.join(map(str, shape)):>13}  {text}"
