"""The gallery and the examples as operators of PyTorch on CPU tensors, compared with verify's references.

Each is called at two shapes, with as many columns as its parts and heads need, at the second with slices of larger
tensors, and with B by columns where it may lie so. It goes through PyTorch's opcheck. Lines are those of the epilogue's
function.
"""

from __future__ import annotations

import importlib
import inspect
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import evtgen as evt
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.nodes import Tensor
from evtgen.nodes.base import named
from evtgen.operators.arrays import dtype, unpacked
from evtgen.passes.analysis.gemm import MX
from evtgen.pipeline.device import arguments
from evtgen.pipeline.tensors import array_of
from evtgen.planner.plan import Plan, lower
from evtgen.reference import enclose, factors, product

from .bench_cli import EXAMPLES

SPECS = [*sorted((EXAMPLES / "gallery").glob("*.py")), *sorted(EXAMPLES.glob("*.py"))]
SHAPES: tuple[Shape, Shape] = (37, 50, 24), (131, 67, 40)


def build(epilogues: Sequence[Epilogue], root: Path, namespace: str) -> Any:
    """The module of a package that pip has built and installed below ``root``."""
    evt.extension(list(epilogues), root / "package", namespace=namespace)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--target"]
    done = subprocess.run([*pip, root / "site", root / "package"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(root / "site"))
    return importlib.import_module(namespace)


def _torch() -> Any:
    """PyTorch, which lint does without."""
    return importlib.import_module("torch")


def is_no_tensor(epilogue: Epilogue) -> bool:
    """Whether an operand is of fractals, which tensors of PyTorch are not."""
    return epilogue.gemm.layout_a.fractal or epilogue.gemm.layout_b.fractal


def matmuls(plan: Plan, shape: Shape) -> Matmuls:
    """Of a launch: two of a batch, or two groups."""
    several, extent = plan.kernel.several, shape[plan.kernel.axis]
    groups = (extent // 3, extent - extent // 3)
    return Matmuls(batch=2 if several == "batch" else None, groups=groups if several == "groups" else None)


def wrong(plan: Plan, op: Any, shape: Shape, *, apart: bool) -> str:
    """Which outputs are not within the references; empty if all are."""
    problem = plan.problem(shape, matmuls(plan, shape))
    given = operands(plan, problem, 0, "int", absent=False)
    laid = arguments(plan, op, problem, given, apart=apart)
    returned = op(**laid)
    outputs: dict[str, Tensor] = {tensor.name: tensor for tensor in plan.tensors if tensor.output}
    # The sums of whole numbers are exact, so the accumulator is the product.
    accumulator = product(*factors(plan, given.a, given.b, given.inputs, problem)).astype(dtype(plan.element_c))
    expected = enclose(plan, accumulator, given.inputs, problem)
    said = []
    made = [name for name in plan.results if not outputs[name].ranks]
    found = dict(zip(made, (returned,) if len(made) == 1 else returned or (), strict=True))
    for name, output in outputs.items():
        array = array_of(_torch().stack(laid[name]) if output.ranks else found[name])
        array = array.swapaxes(-1, -2) if output.by_columns else array
        array = unpacked(array.ravel(), output.element) if output.element.packed > 1 else array
        rows = array.reshape(output.size(problem))
        if output.rows:
            there, places = named(output, given.inputs, problem)
            inside = expected[name].contains(rows[places]) if there.all() else np.array(False)
        else:
            inside = expected[name].contains(rows)
        said += [] if inside.all() else [f"{name} in {np.count_nonzero(~inside)} elements"]
    return ", ".join(said)


def checked(epilogue: Epilogue, module: Any) -> str:
    """What is wrong with an operator; empty if nothing is."""
    plan, torch = lower(epilogue), _torch()
    op = getattr(getattr(torch.ops, module.__name__), epilogue.name)
    shapes = [plan.wide(shape) for shape in SHAPES]
    said = [wrong(plan, op, shape, apart=apart) for shape, apart in zip(shapes, (False, True), strict=True)]
    problem = plan.problem(shapes[0], matmuls(plan, shapes[0]))
    given = arguments(plan, op, problem, operands(plan, problem, 1, "int"), apart=True)
    # PyTorch cannot compare tensors of 8-bit floats and scales, which the first test does.
    tests = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
    apart = any(T.minifloat for T in plan.operands) or plan.gemm.scale == MX
    torch.library.opcheck(op.default, (), given, test_utils=tests[apart:])
    return "; ".join(filter(None, said))


def run(chosen: Container[str] | None = None) -> Iterator[str]:
    """A line for each epilogue, or those that are chosen by name; the times of all. ``ok`` ends the line of one that
    is right."""
    every = [e for path in SPECS for e in load([path]) if chosen is None or e.name in chosen]
    for epilogue in filter(is_no_tensor, every):
        yield f"{epilogue.name:28} has a fractal operand, which no operator has"
    every = [epilogue for epilogue in every if not is_no_tensor(epilogue)]
    with tempfile.TemporaryDirectory() as directory:
        for arch in dict.fromkeys(epilogue.arch for epilogue in every):
            epilogues = [epilogue for epilogue in every if epilogue.arch == arch]
            start, used = time.perf_counter(), _cpu()
            module = build(epilogues, Path(directory) / arch, f"gallery_{arch.lower()}")
            yield (
                f"{arch}: {len(epilogues)} operators written and built in {time.perf_counter() - start:.0f} s, "
                f"{_cpu() - used:.0f} s of CPU"
            )
            for epilogue in epilogues:
                start = time.perf_counter()
                said = checked(epilogue, module) or "ok"
                lines = 0 if epilogue.function is None else len(inspect.getsource(epilogue.function).splitlines())
                yield f"{epilogue.name:28} {lines:3} lines   {time.perf_counter() - start:6.2f} s   {said}"


def _cpu() -> float:
    """What has ended of the processes that this one has started took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
