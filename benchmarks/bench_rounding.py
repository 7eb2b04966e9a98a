"""Errors of fused epilogues in ulp, beside those of the same steps as kernels with tensors of half between them.

A fused kernel is the emitted one on the CPU model; it has the accumulator in float32, or in half where its spec says
so, and rounds nothing before its outputs. The steps are what somebody writes who has one kernel for each: a matmul
of half that leaves half, and functions that compute in float32 inside, as torch's do, and leave half. Both are set
against the formula in float64, in ulp of the output's type, at the formula's value or at the output's median magnitude
where that is larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evtgen.frontend.load import load
from evtgen.graph.shapes import Shape
from evtgen.graph.types import ElementType
from evtgen.model.data import Operands
from evtgen.model.execution import MEASURE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.operators.arrays import Array, cast, dtype, spacing
from evtgen.planner.plan import Plan, lower
from evtgen.reference import formulas, product, scale

from .bench_cli import EXAMPLES

SHAPE: Shape = (256, 512, 1024)
SPECS = [EXAMPLES / "gallery" / name for name in ("gated.py", "rows.py")]

Outputs = Mapping[str, Array]
Steps = Callable[[Array, Mapping[str, Array]], Outputs]


def kernel(values: Any) -> Array:
    """What a kernel leaves in half for the next one, which computes with it in float32."""
    with np.errstate(over="ignore"):
        left: Array = np.asarray(values).astype(np.float16).astype(np.float32)
    return left


def _softmax(x: Array) -> Array:
    raised = np.exp(x - x.max(1, keepdims=True))
    result: Array = raised / raised.sum(1, keepdims=True)
    return result


def _log_softmax(x: Array) -> Array:
    below = x - x.max(1, keepdims=True)
    result: Array = below - np.log(np.exp(below).sum(1, keepdims=True))
    return result


def _normalised(x: Array, axis: int, eps: float) -> Array:
    centred = x - x.mean(axis, keepdims=True)
    result: Array = centred / np.sqrt(np.square(centred).mean(axis, keepdims=True) + np.float32(eps))
    return result


def softmax_lse(c: Array, given: Mapping[str, Array]) -> Outputs:
    """A product with a number, a softmax, a logarithm of the sum."""
    x = kernel(c * given["scale"])
    most = x.max(1, keepdims=True)
    return {"D": kernel(_softmax(x)), "lse": kernel(most + np.log(np.exp(x - most).sum(1, keepdims=True)))}


def log_softmax(c: Array, given: Mapping[str, Array]) -> Outputs:
    """A bias, a softmax."""
    return {"D": kernel(_log_softmax(kernel(c + given["bias"])))}


def add_rms_norm(c: Array, given: Mapping[str, Array]) -> Outputs:
    """A sum, a norm, its weight."""
    total = kernel(c + given["residual"])
    norm = kernel(total / np.sqrt(np.square(total).mean(1, keepdims=True) + np.float32(1e-6)))
    return {"D": kernel(norm * given["gamma"]), "total": total}


def layer_norm(c: Array, given: Mapping[str, Array]) -> Outputs:
    """A bias, a norm with its weight and its bias."""
    return {"D": kernel(_normalised(kernel(c + given["bias"]), 1, 1e-5) * given["gamma"] + given["beta"])}


def batch_norm_training(c: Array, given: Mapping[str, Array]) -> Outputs:
    """Statistics, a norm."""
    norm = kernel(_normalised(c, 0, 1e-5) * given["gamma"] + given["beta"])
    return {"D": norm, "mean": kernel(c.mean(0, keepdims=True)), "variance": kernel(c.var(0, keepdims=True))}


def _quantised(x: Array, axis: int | None) -> tuple[Array, Array]:
    scales = np.abs(x).max(axis, keepdims=True) / np.float32(127)
    return np.rint(x / scales), scales


def quantize_per_token(c: Array, given: Mapping[str, Array]) -> Outputs:
    """A scale for each row, and what it makes of the values."""
    values, scales = _quantised(c, 1)
    return {"D": values, "scales": scales}


def relu_quantize_per_tensor(c: Array, given: Mapping[str, Array]) -> Outputs:
    """A bias, relu, a scale for all."""
    values, one = _quantised(np.maximum(kernel(c + given["bias"]), 0), None)
    return {"D": values, "scale": one}


def swiglu(c: Array, given: Mapping[str, Array]) -> Outputs:
    """silu of one half, its product with the other."""
    gate, up = np.split(c, 2, axis=1)
    return {"D": kernel(kernel(gate / (1 + np.exp(-gate))) * up)}


STEPS: dict[str, Steps] = {
    steps.__name__: steps
    for steps in (
        softmax_lse, log_softmax, add_rms_norm, layer_norm, batch_norm_training, quantize_per_token,
        relu_quantize_per_tensor, swiglu,
    )
}  # fmt: skip
"""The steps of epilogues of the gallery, by their names."""


@dataclass(frozen=True)
class Row:
    """An output of an epilogue, and (max, mean) of both errors in ulp of its type."""

    epilogue: str
    output: str
    element: ElementType
    fused: tuple[float, float]
    steps: tuple[float, float]

    def __str__(self) -> str:
        numbers = "   ".join(
            f"{name} {text(most):>7} max {text(mean):>8} mean"
            for name, (most, mean) in (("fused", self.fused), ("in steps", self.steps))
        )
        return f"{self.epilogue:24} {self.output:8} {self.element!s:8}  {numbers}"


def text(ulp: float) -> str:
    """An error in ulp, in three digits."""
    return f"{ulp:,.0f}" if ulp >= 100 else f"{ulp:.3g}"


def drawn(plan: Plan) -> Operands:
    """Normal operands: accumulators of the order of one, vectors around one; the scalars' defaults."""
    rng, (m, n, k) = np.random.default_rng(17), SHAPE
    problem = plan.kernel.problem(SHAPE)

    def normal(size: tuple[int, int], element: ElementType, mean: float, times: float = 1.0) -> Array:
        values: Array = ((rng.standard_normal(size) + mean) * times).astype(dtype(element))
        return values

    sides = ((m, k), (k, n * plan.accumulators))
    a, b = (normal(size, T, 0.1, k**-0.25) for size, T in zip(sides, plan.operands, strict=True))
    loads = [tensor for tensor in plan.tensors if not tensor.output]
    inputs = {t.name: normal(problem.size(t.name, t.shape), t.element, 0.5) for t in loads}
    inputs |= {s.name: np.full((1, 1), 1.5 if s.default is None else s.default, dtype(s.T)) for s in plan.scalars}
    return Operands(a, b, inputs)


def error(values: Array, formula: Array, element: ElementType) -> tuple[float, float]:
    """(max, mean) of the distance of values from their formula, in ulp."""
    ulp = np.abs(values.astype(np.float64) - formula) / spacing(np.maximum(np.abs(formula), scale(formula)), element)
    return float(ulp.max()), float(ulp.mean())


def measured() -> Iterator[Row]:
    """Every output of the epilogues."""
    plans = [lower(epilogue) for epilogue in load(SPECS) if epilogue.name in STEPS]
    programs = require_programs(plans, Compilation(batch=len(plans)))
    for plan in plans:
        given = drawn(plan)
        exact = product(given.a, given.b)
        fused = run_once(programs[plan.name], plan, SHAPE, given, MEASURE).outputs
        meant = formulas(plan.written, given.inputs, exact, plan.kernel.problem(SHAPE))
        wide = {name: array.astype(np.float32) for name, array in given.inputs.items()}
        apart = STEPS[plan.name](kernel(exact), wide)
        for tensor in plan.tensors:
            if tensor.output:
                name, element = tensor.name, tensor.element
                left = cast(apart[name].astype(np.float32), element, "CAST_RINT")
                errors = (error(values, meant[name], element) for values in (fused[name], left))
                yield Row(plan.name, name, element, *errors)


def run() -> Iterator[str]:
    """A line for each output."""
    yield from map(str, measured())
