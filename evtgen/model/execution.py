"""Runs of a program on the CPU model: files in, one process, files and its report out."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple

import numpy as np

from ..diagnostics import temporary
from ..diagnostics.machine import CANNOT_RUN, NOT_DONE
from ..graph.shapes import GEMM_A, GEMM_B, Problem, Shape
from ..graph.types import ElementType
from ..nodes import Tensor
from ..nodes.base import named
from ..operators.arrays import Array, dtype, packed, unpacked
from ..operators.constants import nearest
from ..planner.plan import Plan
from ..system.limits import FULL, TIMEOUT, says_full
from . import processes
from .data import Operands
from .layouts import UNTOUCHED, Place, between, each_b, lists, matrices, stored, with_gaps
from .toolchain import Program
from .trace import Trace


@dataclass(frozen=True)
class Settings:
    """How the model runs a program.

    Attributes:
        strict: its warnings count as errors.
        checks: check for hazards.
        schedule: the order of execution: ``"recorded"``, ``"late"`` or ``"random:SEED"``.
        noise: a seed by which calls of AscendC are off, as far as their pages allow; None: they are not.
        clock: report how long it takes; a trace has that too.
        trace: keep the trace.
        cores: cube cores; None takes the model's default.
        environment: variables of the program besides those of this process.
        timeout: seconds after which a run is given up; the model itself ends deadlocks at once.
    """

    strict: bool = False
    checks: bool = True
    schedule: str = "recorded"
    noise: int | None = None
    clock: bool = False
    trace: bool = False
    cores: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    timeout: float = TIMEOUT

    @property
    def name(self) -> str:
        """The run in a few words."""
        cores = "" if self.cores is None else f" on {self.cores} cube core{'s' * (self.cores > 1)}"
        return f"schedule {self.schedule}{cores}"


MEASURE = Settings(checks=False)
"""For runs of which only the numbers count."""

OBSERVE = Settings(checks=False, trace=True)
"""For runs of which only the time counts."""


@dataclass(frozen=True)
class Run:
    """The results of one run: outputs by tensor name, C, the model's report, and the reason if it failed.

    Of a GEMM with two accumulators, C has them side by side, (M, 2N).
    """

    outputs: dict[str, Array]
    accumulator: Array | None
    report: dict[str, Any]
    error: str | None
    trace: Trace | None = None


class Prepared:
    """The files of one set of operands, to be run in one or several orders; a context manager that removes them.

    The tensors in ``null`` are null pointers; rows, and the tensors of different matmuls, are ``pad`` elements apart,
    or one more where lines are then whole bytes, but for inputs that have ``places`` of their own.
    """

    def __init__(
        self,
        plan: Plan,
        shape: Shape | Problem,
        operands: Operands,
        *,
        null: Sequence[str] = (),
        pad: int = 0,
        places: Mapping[str, Place] = MappingProxyType({}),
    ) -> None:
        pad += pad % max(element.packed for element in (*plan.operands, *(t.element for t in plan.tensors)))
        self._places = {name: f"{name}:{place.lines}:{place.parts}" for name, place in places.items()}
        self._plan, self._problem, self._pad, self._inputs = plan, Problem.of(shape), pad, operands.inputs
        try:
            self._scratch = tempfile.TemporaryDirectory(prefix="evtgen-", ignore_cleanup_errors=True)
        except OSError as error:
            raise temporary.cannot_write(error) from error
        self._directory = Path(self._scratch.name)
        try:
            _write_operands(plan, self._problem, operands, self._directory, null=null, pad=pad, places=places)
        except OSError as error:
            self._scratch.cleanup()
            raise temporary.cannot_write(error) from error
        except BaseException:
            self._scratch.cleanup()
            raise

    def __enter__(self) -> Prepared:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._scratch.cleanup()

    def run(self, program: Program, settings: Settings, name: str | None = None) -> Run:
        """Run ``program`` once: the plan's kernel, or that of another name with the same tensors. Raises EvtgenError
        (EVT068, EVT097, EVT098) where the machine refuses."""
        try:
            outputs = Path(tempfile.mkdtemp(prefix="out-", dir=self._directory))
        except OSError as error:
            raise temporary.cannot_write(error) from error
        try:
            return self._run(program, settings, outputs, name or self._plan.name)
        finally:
            shutil.rmtree(outputs, ignore_errors=True)

    def _run(self, program: Program, settings: Settings, outputs: Path, name: str) -> Run:
        """Run ``program`` on the files; it writes into ``outputs``."""
        plan = self._plan
        report_path, trace_path = outputs / "report.json", outputs / "trace.json"
        environment = {
            **os.environ,
            **settings.environment,
            "EVTGEN_MODEL_REPORT": str(report_path),
            "EVTGEN_MODEL_STRICT": "1" if settings.strict else "0",
            "EVTGEN_MODEL_AUTO_SYNC": "off",  # emitted code is right without what the compiler inserts
            "EVTGEN_MODEL_DETERMINISTIC": "1" if plan.epilogue.deterministic else "0",
            "EVTGEN_MODEL_CHECKS": "all" if settings.checks else "off",
            "EVTGEN_MODEL_SCHEDULE": settings.schedule,
            "EVTGEN_MODEL_CLOCK": "on" if settings.clock or settings.trace else "off",
        }
        if settings.noise is not None:
            environment["EVTGEN_MODEL_NOISE"] = str(settings.noise)
        if settings.cores is not None:
            environment["EVTGEN_MODEL_CORES"] = str(settings.cores)
        if settings.trace:
            environment["EVTGEN_MODEL_TRACE"] = str(trace_path)
        command = [str(program.path), name, *self._arguments(self._directory, outputs)]
        status, words = _execute(command, environment, settings.timeout)
        report = _read_report(report_path)
        if (status != 0 or not report) and (says_full(words) or temporary.is_full()):
            raise temporary.full()
        found, overwritten = self._read_outputs(outputs)
        size_of_c = self._problem.m, self._problem.n * plan.accumulators
        accumulator = _read(outputs / "gemm.C.out.bin", plan.element_c, size_of_c)
        # A program that the model stopped because of a finding has a report with that finding.
        reported = any(hazard.get("severity") == "error" for hazard in report.get("hazards", ()))
        missing = len(found) < sum(t.output for t in plan.tensors) or accumulator is None
        error = None
        if missing or (status != 0 and not reported):
            last_words = "".join(f"\n  {line}" for line in words.splitlines()[-12:])
            error = f"the program ended with status {status}{last_words}"
        elif not report:
            error = "the program left no report of its run"
        elif overwritten:
            behind = ", or the rows behind them," if self._problem.room else ""
            behind += " or rows that no number names" * any(t.rows for t in plan.tensors if t.name in overwritten)
            error = f"the gaps between the rows of {', '.join(overwritten)}{behind} were overwritten"
        trace = None
        if settings.trace and error is None:
            try:
                trace = Trace.read(trace_path)
            except (OSError, ValueError, KeyError) as broken:
                if temporary.is_full():
                    raise temporary.full() from broken
                error = f"the trace cannot be read: {broken}"
        return Run(found, accumulator, report, error, trace)

    def _arguments(self, inputs: Path, outputs: Path) -> list[str]:
        """The program's own arguments behind the name, in the order of its usage message."""
        plan, problem = self._plan, self._problem
        rows = ",".join(map(str, problem.rows)) or "-"
        repeats = (f"{name}:{times}" for name, times in problem.repeats)
        shared = ",".join(sorted((*problem.shared, *repeats))) or "-"
        m, n, k = plan.kernel.shape(problem)
        sizes = {name: (inputs / f"{name}.bin").stat().st_size for name in self._places}
        places = ",".join(f"{place}:{sizes[name]}" for name, place in self._places.items()) or "-"
        depths = ",".join(map(str, problem.depths or ())) or "-"
        launch = map(str, (m + problem.room, n, k, self._pad, inputs, outputs))
        weights = ",".join(map(str, [*(problem.weights or ()), problem.weight_count]))
        return [*launch, rows, depths, shared, places, str(problem.ranks), weights]

    def _read_outputs(self, directory: Path) -> tuple[dict[str, Array], list[str]]:
        """The outputs that were written, and the names of those whose gaps between rows were overwritten."""
        found: dict[str, Array] = {}
        overwritten = []
        for t in self._plan.tensors:
            if not t.output:
                continue
            lines = _lines(self._plan, self._problem, t, self._pad)
            size, own = lines.size, lines.size[0] * lines.size[1] // max(1, lines.parts)
            values = _read(directory / f"{t.name}.out.bin", t.element, (lines.parts, own + lines.apart))
            if values is None:
                continue
            array, between_parts = values[:, :own].reshape(size), values[:, own:]
            gaps = [array[:, lines.length :], array[lines.number :], between_parts]
            if t.rows:
                gaps.append(np.delete(array[: lines.number], named(t, self._inputs, self._problem)[1], axis=0))
            untouched = UNTOUCHED & 15 if t.element.packed > 1 else UNTOUCHED
            if any((part.copy().view(np.uint8) != untouched).any() for part in gaps):
                overwritten.append(t.name)
            found[t.name] = t.turned(array[: lines.number, : lines.length], lines.parts)
        return found, overwritten


def _execute(command: Sequence[str], environment: Mapping[str, str], timeout: float) -> tuple[int, str]:
    """Run a program to its end; returns its status and its output on stderr."""
    try:
        done = processes.run(command, environment=environment, timeout=timeout)
    except OSError as error:
        if error.errno in FULL:
            raise temporary.full() from error
        raise CANNOT_RUN.refusal("command", command=command[0], strerror=error.strerror) from error
    return done.status, done.given_up or done.stderr


def run_once(program: Program, plan: Plan, shape: Shape | Problem, operands: Operands, settings: Settings) -> Run:
    """One run of one set of operands. Raises EvtgenError (EVT075) when it leaves no outputs."""
    with Prepared(plan, shape, operands) as prepared:
        done = prepared.run(program, settings)
    if done.error is not None:
        raise NOT_DONE.refusal("run", name=plan.name, error=done.error)
    return done


def _write_operands(
    plan: Plan,
    problem: Problem,
    given: Operands,
    directory: Path,
    *,
    null: Sequence[str],
    pad: int,
    places: Mapping[str, Place],
) -> None:
    """The files of one run; the tensors in ``null`` get none, and initialised outputs get their initial value.

    Rows, and the tensors of different matmuls, are ``pad`` elements apart, and there may be room behind them; then
    outputs without an initial value get a file too.
    """
    for name, array in read_images(plan, problem, given, pad=pad, places=places):
        if name not in null:
            write(directory, name, array)
    for tensor in plan.tensors:
        if not tensor.output or tensor.name in given.inputs:
            continue
        size, element = tensor.size(problem), tensor.element
        if tensor.initial is not None:
            array = np.full(size, nearest(tensor.initial, element), dtype(element))
        elif pad or problem.room or tensor.rows:
            array = np.full((size[0], size[1] * element.size), UNTOUCHED, np.uint8).view(dtype(element))
        else:
            continue
        write(directory, tensor.name, image(plan, problem, tensor, array, pad))


def read_images(
    plan: Plan,
    problem: Problem,
    given: Operands,
    *,
    pad: int = 0,
    places: Mapping[str, Place] = MappingProxyType({}),
) -> Iterator[tuple[str, Array]]:
    """What a launch reads, by name, as it lies in memory: the operands, the numbers, and the tensors that are given."""
    operands = {GEMM_A: given.a}, each_b(plan, given.b)
    layouts = plan.gemm.layout_a, plan.gemm.layout_b
    for operand, arrays, element, layout in zip((GEMM_A, GEMM_B), operands, plan.operands, layouts, strict=True):
        room = problem.room if operand == GEMM_A else 0
        gap = between(plan, problem, operand, pad)
        for name, array in arrays.items():
            parts = np.split(array, count) if (count := matrices(plan, problem, operand)) else []
            if name in places:
                yield name, places[name].stored(np.stack(parts))
                continue
            parts = [stored(_with_room(part, room), element, layout, pad) for part in parts]
            yield name, with_gaps(np.concatenate([array[:0].ravel(), *parts]), len(parts), gap)
    yield from lists(plan, problem)
    for scalar in plan.scalars:
        yield scalar.name, given.inputs[scalar.name]
    for tensor in plan.tensors:
        if (name := tensor.name) not in given.inputs:
            continue
        array = given.inputs[name]
        if name in places:
            yield name, places[name].stored(array.reshape(plan.kernel.parts(tensor, problem), -1, array.shape[1]))
        else:
            yield name, image(plan, problem, tensor, array, pad)


def image(plan: Plan, problem: Problem, tensor: Tensor, array: Array, pad: int = 0) -> Array:
    """A tensor as it lies in memory: one axis, all gaps filled with :data:`~.layouts.UNTOUCHED`."""
    lines = _lines(plan, problem, tensor, pad)
    array = with_gaps(tensor.turned(array, lines.parts), lines.number, lines.size[1] - lines.length)
    array = _with_room(array.reshape(lines.number, lines.size[1]), lines.size[0] - lines.number)
    return with_gaps(np.ravel(array), lines.parts, lines.apart)


def write(directory: Path, name: str, array: Array) -> None:
    """Write an array into the file of a name."""
    # ndarray.tofile does not say why it could not write.
    with (directory / f"{name}.bin").open("wb") as file:
        file.write(packed(array).view(np.uint8).data)


def _with_room(array: Array, rows: int) -> Array:
    """The array with rows behind it that nobody has touched."""
    more = np.full((rows, array.shape[1] * array.itemsize), UNTOUCHED, np.uint8).view(array.dtype)
    return np.vstack([array, more]) if rows else array


class _Lines(NamedTuple):
    """A tensor in memory: lines one after the other, which are its rows, or columns of one that is ColumnMajor.

    Attributes:
        number, length: lines that are written, and elements of each.
        size: lines with those behind them that are not, and elements with the gap behind each.
        parts: the parts of the tensor that lie apart, of as many lines each.
        apart: elements behind each part.
    """

    number: int
    length: int
    size: tuple[int, int]
    parts: int
    apart: int


def _lines(plan: Plan, problem: Problem, tensor: Tensor, pad: int) -> _Lines:
    count, pad = plan.kernel.parts(tensor, problem), 0 if tensor.paired else pad
    apart = pad if count and plan.kernel.strided(tensor) and tensor.name not in problem.shared else 0
    parts = count or 1  # of no matmuls, there is room only
    rows, columns = tensor.size(problem)
    room = problem.room if tensor.shape.rows == "M" else 0
    if tensor.by_columns:
        count, length = parts * columns, rows // parts
        return _Lines(count, length, (count, length + room + pad), parts, apart)
    if tensor.ranks:
        return _Lines(rows, columns, (rows, columns + pad), parts, room * (columns + pad))
    # Vectors of one column and single values are packed.
    return _Lines(rows, columns, (rows + room, columns + (pad if tensor.shape.strided else 0)), parts, apart)


def _read(path: Path, element: ElementType, size: tuple[int, int]) -> Array | None:
    try:
        array = unpacked(np.fromfile(path, np.uint8), element)
    except OSError:
        return None
    return array.reshape(size) if array.size == size[0] * size[1] else None


def _read_report(path: Path) -> dict[str, Any]:
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return report if isinstance(report, dict) else {}
