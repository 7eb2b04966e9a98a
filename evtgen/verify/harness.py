"""The program that runs epilogues on the CPU model: its text, the files it reads, and one run of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..emit.render import render_template
from ..lower.plan import Plan, node_of
from ..nodes import AuxLoad, Tensor
from ..nodes.base import pascal
from ..numeric import Array, dtype
from ..types import ElementType
from ..values import nearest
from .report import Shape
from .toolchain import Program

_ROWS = {"M": "m", "1": "1u"}
_COLUMNS = {"N": "n", "1": "1u"}
_LEADING = {"N": "n + pad", "1": "1u"}
"""Rows, columns and leading dimension of a tensor by its shape, in the words of the program. Columns are packed."""

UNTOUCHED = 0xA5
"""The byte that fills what lies between the rows of a tensor."""

TIMEOUT = 1800
"""Seconds after which a run is given up; the model itself ends deadlocks at once."""


@dataclass(frozen=True)
class Operands:
    """What one run reads: the GEMM's A (M, K) and B (K, N), and the epilogue's inputs by name, scalars as (1, 1)."""

    a: Array
    b: Array
    inputs: dict[str, Array]


@dataclass(frozen=True)
class Run:
    """What one run left: outputs by tensor name, C, the model's report, and why it failed if it did."""

    outputs: dict[str, Array]
    accumulator: Array | None
    report: dict[str, Any]
    error: str | None


@dataclass(frozen=True)
class TensorView:
    """A tensor as the program handles it; all but the name are C++.

    Attributes:
        name: field of the arguments struct, and name of the file.
        layout: the field of its layout.
        extents: rows, columns and leading dimension.
        bytes: how many it takes, the gaps between its rows included.
        obtained: the call that gives its address on the device.
        output: whether the epilogue writes it.
    """

    name: str
    layout: str
    extents: str
    bytes: str
    obtained: str
    output: bool


@dataclass(frozen=True)
class ScalarView:
    """A number that the epilogue takes: its field, and its C++ type."""

    name: str
    type: str


@dataclass(frozen=True)
class EpilogueView:
    """An epilogue that the program can run."""

    name: str
    tensors: tuple[TensorView, ...]
    scalars: tuple[ScalarView, ...]

    @property
    def outputs(self) -> tuple[TensorView, ...]:
        return tuple(tensor for tensor in self.tensors if tensor.output)


def source(plans: Sequence[Plan]) -> str:
    """The C++ text of a program that runs any of ``plans``."""
    return render_template("verify/harness.cpp.j2", epilogues=[_epilogue(plan) for plan in plans])


def _epilogue(plan: Plan) -> EpilogueView:
    optional = nullable(plan)
    tensors = tuple(_tensor(tensor, tensor.name in optional) for tensor in plan.tensors)
    return EpilogueView(plan.name, tensors, tuple(ScalarView(s.name, s.T.cpp) for s in plan.scalars))


def _tensor(tensor: Tensor, optional: bool) -> TensorView:
    rows, columns, leading = _ROWS[tensor.shape[0]], _COLUMNS[tensor.shape[1]], _LEADING[tensor.shape[1]]
    size = f"size_t{{{rows}}} * ({leading}) * sizeof({tensor.element.cpp})"
    given = f'tensors.{"UploadIfThere" if optional else "Upload"}("{tensor.name}", {size})'
    if tensor.output and tensor.initial is None:
        # What lies between its rows is given, to see whether it is left alone.
        given = f"pad > 0 ? {given} : tensors.Allocate({size})"
    layout = f"layout{pascal(tensor.name)}"
    return TensorView(tensor.name, layout, f"{rows}, {columns}, {leading}", size, given, tensor.output)


def nullable(plan: Plan) -> tuple[str, ...]:
    """The tensors that may be null."""
    nodes = (node_of(step) for step in plan.steps)
    return tuple(node.name for node in nodes if isinstance(node, AuxLoad) and node.null_default is not None)


def operands(plan: Plan, shape: Shape, seed: int, data: str) -> Operands:
    """Random operands, the same for the same arguments.

    ``data`` is ``"int"``, whole numbers from −5 to 5 (0 to 5 in unsigned types), or ``"normal"``, the standard normal
    distribution, three times as wide and rounded in integer types.
    """
    m, n, k = shape
    rng = np.random.default_rng([seed, m, n, k])

    def draw(size: tuple[int, int], element: ElementType) -> Array:
        if data == "int":
            whole = rng.integers(0 if element.name.startswith("u") else -5, 6, size, dtype=np.int8)
            return whole.astype(dtype(element))
        values = rng.standard_normal(size, dtype=np.float32)
        if element.kind == "int":
            values = np.abs(np.rint(3 * values)) if element.name.startswith("u") else np.rint(3 * values)
        return values.astype(dtype(element))

    gemm = plan.epilogue.gemm
    a, b = draw((m, k), gemm.a), draw((k, n), gemm.b)
    inputs = {t.name: draw(_size(t, shape), t.element) for t in plan.tensors if not t.output}
    return Operands(a, b, inputs | {scalar.name: draw((1, 1), scalar.T) for scalar in plan.scalars})


def write_operands(
    plan: Plan, shape: Shape, given: Operands, directory: Path, *, null: Sequence[str] = (), pad: int = 0
) -> None:
    """The files of one run; the tensors in ``null`` get none, and initialised outputs get their initial value.

    Rows are ``pad`` elements apart; then outputs without an initial value get a file too.
    """
    given.a.tofile(directory / "gemm.A.bin")
    given.b.tofile(directory / "gemm.B.bin")
    for scalar in plan.scalars:
        given.inputs[scalar.name].tofile(directory / f"{scalar.name}.bin")
    for tensor in plan.tensors:
        if tensor.name in null:
            continue
        if not tensor.output:
            array = given.inputs[tensor.name]
        elif tensor.initial is not None:
            array = np.full(_size(tensor, shape), nearest(tensor.initial, tensor.element), dtype(tensor.element))
        elif pad:
            array = np.full(_size(tensor, shape), 0, dtype(tensor.element))
        else:
            continue
        gap = _pad(tensor, pad)
        if gap:
            between = np.full((array.shape[0], gap * tensor.element.size), UNTOUCHED, np.uint8)
            array = np.hstack([array, between.view(array.dtype)])
        np.ravel(array, order=_order(tensor)).tofile(directory / f"{tensor.name}.bin")


def run(
    program: Program,
    plan: Plan,
    shape: Shape,
    *,
    inputs: Path,
    outputs: Path,
    environment: Mapping[str, str],
    pad: int = 0,
) -> Run:
    """Run ``program`` on the files in ``inputs``, once, leaving what it writes in ``outputs``."""
    outputs.mkdir(parents=True, exist_ok=True)
    report_path = outputs / "report.json"
    command = [str(program.path), plan.name, *map(str, (*shape, pad)), str(inputs), str(outputs)]
    settings = {**os.environ, **environment, "EVTGEN_MODEL_REPORT": str(report_path)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=settings, timeout=TIMEOUT, check=False
        )
        status, words = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        status, words = -1, f"not done after {TIMEOUT} seconds"
    report = _read_report(report_path)
    tensors = {}
    overwritten = []
    for t in plan.tensors:
        if t.output:
            (rows, columns), gap = _size(t, shape), _pad(t, pad)
            array = _read(outputs / f"{t.name}.out.bin", t.element, (rows, columns + gap), _order(t))
            if array is not None and (array[:, columns:].copy().view(np.uint8) != UNTOUCHED).any():
                overwritten.append(t.name)
            tensors[t.name] = None if array is None else array[:, :columns]
    found = {name: array for name, array in tensors.items() if array is not None}
    accumulator = _read(outputs / "gemm.C.out.bin", plan.element_c, shape[:2], "C")
    error = None
    # A program that the model stopped because of what it found has said so in its report.
    reported = any(hazard.get("severity") == "error" for hazard in report.get("hazards", ()))
    if len(found) < len(tensors) or accumulator is None or (status != 0 and not reported):
        error = f"the program ended with status {status}" + "".join(f"\n  {line}" for line in words.splitlines()[-12:])
    elif overwritten:
        error = f"what lies between the rows of {', '.join(overwritten)} was overwritten"
    return Run(found, accumulator, report, error)


def _size(tensor: Tensor, shape: Shape) -> tuple[int, int]:
    return tensor.size(*shape[:2])


def _pad(tensor: Tensor, pad: int) -> int:
    """Elements between the rows of a tensor; vectors of one column and single values are packed."""
    return pad if tensor.shape[1] == "N" else 0


def _order(tensor: Tensor) -> Any:
    """numpy's name for the order of the elements in memory."""
    return "F" if tensor.layout.name == "ColumnMajor" else "C"


def _read(path: Path, element: ElementType, size: tuple[int, int], order: Any) -> Array | None:
    try:
        array = np.fromfile(path, dtype(element))
    except OSError:
        return None
    return array.reshape(size, order=order) if array.size == size[0] * size[1] else None


def _read_report(path: Path) -> dict[str, Any]:
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return report if isinstance(report, dict) else {}
