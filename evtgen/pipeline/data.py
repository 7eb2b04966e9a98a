"""The data of example programs: what they read, and what they must leave in their outputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..diagnostics.machine import DISK_FULL, NO_DUMP
from ..emit.example import shareable
from ..graph.shapes import Problem
from ..model.data import operands
from ..model.execution import image, read_images, write
from ..nodes import Tensor
from ..nodes.base import named
from ..operators.arrays import Array, dtype
from ..operators.constants import nearest
from ..options import DataOptions
from ..planner.plan import Plan, require_launches
from ..reference import as_multiplied, evaluate, factors, product
from ..system.limits import FULL
from .specs import Checked

DEFAULT_SHAPE = (256, 512, 1024)
"""The problem of an example, as (M, N, K)."""


def data(checked: Checked, options: DataOptions, directory: Path) -> list[Path]:
    """Write the data of each epilogue into a directory of its name; returns these. Raises EvtgenError, EVT177 for
    matmuls that no epilogue has, EVT096 and EVT098 where the machine refuses."""
    plans = checked.require().plans
    shapes = [options.shape or plan.kernel.at_least(plan.wide(DEFAULT_SHAPE), options.matmuls) for plan in plans]
    require_launches(plans, options.matmuls, [options.shape] if options.shape else [])
    written = []
    for plan, shape in zip(plans, shapes, strict=True):
        shared = shareable(plan) if options.shared else frozenset[str]()
        place = directory / plan.name
        try:
            place.mkdir(parents=True, exist_ok=True)
            write_data(plan, plan.problem(shape, options.matmuls, shared), place, options.seed)
        except OSError as error:
            if error.errno in FULL:
                raise DISK_FULL.refusal("data", path=place) from error
            raise NO_DUMP.refusal("data", place=place, strerror=error.strerror or error) from error
        written.append(place)
    return written


def write_data(plan: Plan, problem: Problem, directory: Path, seed: int = 0) -> None:
    """Write the problem, and a file for each tensor and number, as it lies in memory; beside an output D, as float32,
    D.golden. The data are whole numbers, whose sums of products are exact in any order."""
    given = operands(plan, problem, seed, "int")
    m, n, k = plan.kernel.shape(problem)
    words = [m + problem.room, n, k, bool(problem.shared), problem.count]
    words += [] if problem.weights is None else [problem.weight_count]
    write(directory, "problem", np.array(words, np.int64))
    for name, array in read_images(plan, problem, given):
        write(directory, name, array)
    a, b, multiplied = factors(plan, given.a, given.b, given.inputs, problem)
    accumulator = product(as_multiplied(plan, a), as_multiplied(plan, b), multiplied).astype(dtype(plan.element_c))
    outputs = evaluate(plan, accumulator, given.read_by(plan), problem)
    for tensor in plan.tensors:
        if tensor.output:
            before = np.full(tensor.size(problem), nearest(tensor.initial or 0, tensor.element))
            before = before.astype(dtype(tensor.element))
            after = _written(tensor, problem, given.inputs, before, outputs[tensor.name])
            write(directory, tensor.name, image(plan, problem, tensor, before))
            golden = image(plan, problem, tensor, after)
            write(directory, f"{tensor.name}.golden", golden.astype(np.float32))


def _written(tensor: Tensor, problem: Problem, inputs: Mapping[str, Array], before: Array, values: Array) -> Array:
    """An output after a launch: a matmul without rows stores nothing in a row of its own, and a row whose number is
    that of none goes nowhere."""
    if tensor.rows:
        after: Array = before.copy()
        there, places = named(tensor, inputs, problem)
        after[places] = values[there]
        return after
    if tensor.initial is not None or tensor.shape.rows == "M":
        return values
    return np.where(np.reshape(problem.rows, (-1, 1)) > 0, values, before)
