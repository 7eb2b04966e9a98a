"""The distances of functions of several operators from their formula in float64, by the reference of the device's
arithmetic: as one kernel, and with a kernel for each step, whose tensors have the type of the input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..frontend.composed import COMPOSED
from ..frontend.trace import Parameter, epilogue
from ..graph.ir import Epilogue, flatten, visit_order
from ..graph.types import ElementType, bfloat16, float32, half
from ..nodes import node_of
from ..operators.arrays import Array, dtype, spacing
from ..reference import Tensors, evaluate, formulas, stepwise

TYPES = (half, bfloat16, float32)
ROWS, COLUMNS = 64, 1024

NOT_MEASURED = {"quantize_per_block", "quantize_mx", "rope", "argmax", "topk"}
"""Functions that do in blocks what others do in rows, turn values by a table, or choose values and compute none."""


@dataclass(frozen=True)
class Composed:
    """The result for one function and type.

    Attributes:
        name, T: the function, and the type of its input.
        max_ulp, mean_ulp: distance from the formula, in ulp of the formula's value; close to zero, in ulp of the
            median.
        stepwise_ulp: the largest distance if each step's result is rounded to ``T``.
    """

    name: str
    T: ElementType
    max_ulp: float
    mean_ulp: float
    stepwise_ulp: float


def measure_composed() -> Iterator[Composed]:
    """Measure each function in each type, over normal values with a standard deviation of 4."""
    for name in (name for name in COMPOSED if name not in NOT_MEASURED):
        for T in TYPES:
            graph = spec(name, T)
            numbers = np.random.default_rng(11)
            acc = numbers.normal(size=(ROWS, COLUMNS), scale=4).astype(dtype(T))
            w, b = (numbers.normal(size=(1, COLUMNS)).astype(dtype(T)) for _ in "wb")
            inputs = {"w": w, "b": b}
            meant = formulas(graph, inputs, acc.astype(np.float64))["D"]
            element = next(node_of(s).element for s in flatten(graph.root) if getattr(s.node, "name", "") == "D")
            fused, apart = (
                _ulp(d, meant, element) for d in (evaluate(graph, acc, inputs)["D"], _apart(graph, acc, inputs))
            )
            yield Composed(name, T, float(fused.max()), float(fused.mean()), float(apart.max()))


def spec(name: str, T: ElementType) -> Epilogue:
    """A function of the accumulator; norms with a weight and a bias."""

    def composed(acc: Any, w: Any, b: Any) -> Any:
        more = {"rms_norm": (w,), "layer_norm": (w, b)}.get(name, ())
        result = COMPOSED[name](acc, *more)
        return {"D": result[0] if isinstance(result, tuple) else result, "unused": w + b}

    composed.__annotations__ = {"acc": Parameter("Acc", T), **dict.fromkeys("wb", Parameter("RowVector", T))}
    made: Epilogue = epilogue(auto_cast=True)(composed)
    return made


def _apart(graph: Epilogue, acc: Array, inputs: dict[str, Array]) -> Array:
    """The output if each step's result is a tensor of the accumulator's type."""
    tensors, steps = Tensors(acc, dict(inputs)), flatten(graph.root)
    values: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for index in visit_order([step.inputs for step in steps]):
            value = stepwise(node_of(steps[index]), [values[i] for i in steps[index].inputs], tensors)
            is_wide = value is not None and value.dtype == np.float32
            values[index] = value.astype(acc.dtype).astype(np.float32) if is_wide else value
    result: Array = tensors.outputs["D"]
    return result


def _ulp(values: Array, meant: Array, element: ElementType) -> Array:
    off: Array = np.abs(values.astype(np.float64) - meant)
    return off / spacing(np.maximum(np.abs(meant), np.median(np.abs(meant))), element)
