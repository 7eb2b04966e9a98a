"""The memory that a run takes, estimated before it starts: no run may bring down the machine that it is on.

Counts are of the large arrays that live at once, in Python and in the program; what is small or short-lived is in the
factors. A test compares the estimates with measured peaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..diagnostics.machine import NO_MEMORY
from ..graph.ir import consumers
from ..graph.shapes import GEMM_A, GEMM_B, Problem, Shape, TensorShape
from ..graph.types import float32
from ..nodes import AuxScatter, Kept, VisitorNode
from ..passes.analysis.gemm import DIGITS, in_digits, workspace_bytes
from ..planner.parts import MAX_TILE_ROWS
from ..planner.plan import Plan
from ..reference import most_rows
from ..system.limits import free_memory
from ..system.translation import tr
from .layouts import operand_bytes

_BASE = 80 << 20
"""Bytes of Python with its modules (56 MiB measured) and of the program (15 MiB), without any data, and of what lives
until it is collected."""

_DOUBLE = 8
_DRAWING = 16
"""Bytes per element while operands are drawn: random float32 values, their copy, masks."""

_MULTIPLYING = 16
"""Bytes per element of A and B while they are multiplied, and their magnitudes, in float64."""

_COMPARING = 8
"""Bytes per element of the temporaries while an output is compared."""

_TRACKED = 2.25
"""Bytes per byte of global memory that vector cores access: the byte, whether it is defined, who accessed it last."""

_DEFINED = 1.125
"""Bytes per byte of global memory that is only read, by cube cores."""

_EVENT = 1500
"""Bytes per event of a trace, in Python."""

_ROW = 16
"""Elements of the shortest row in UB: 32 bytes of a type of two bytes."""

_EVENTS = 4
"""Events per node and tile of a trace: an instruction, the waits around it."""


def estimate(plan: Plan, shape: Shape | Problem, pad: int = 0, *, compared: bool = False, traced: bool = False) -> int:
    """Bytes that a run of ``plan`` takes at its peak, in both processes; with ``compared``, both references
    included."""
    problem = Problem.of(shape)
    m, n, k = problem.m, problem.n, problem.k
    rows, parts = (problem.size(*operand)[0] for operand in ((GEMM_A, TensorShape.COLUMN), (GEMM_B, TensorShape.ROW)))
    of_a, of_b = rows * k, parts * k * n * plan.accumulators
    matrices = m * n
    gemm = operand_bytes(plan, problem, pad)
    sizes = {t.name: t.size(problem) for t in plan.tensors}
    gaps = {t.name: pad if t.shape.strided else 0 for t in plan.tensors}
    bytes_of = {t.name: t.element.bytes(sizes[t.name][0] * (sizes[t.name][1] + gaps[t.name])) for t in plan.tensors}
    inputs = sum(bytes_of[t.name] for t in plan.tensors if not t.output)
    outputs = sum(bytes_of[t.name] for t in plan.tensors if t.output)
    accumulator = matrices * plan.element_c.size * plan.accumulators
    workspace = workspace_bytes(
        plan.gemm, m, n, plan.arch, plan.arch.cube_cores, products_in_ub=plan.products_in_ub
    ) + _kept(plan, problem)
    workspace += matrices * sum(node.T.size for node in _nodes(plan) if isinstance(node, AuxScatter) and node.ordered)
    if plan.widening is not None:
        workspace += of_b * plan.operands[0].size
    if in_digits(plan.gemm):
        workspace += DIGITS * plan.operands[1].bytes(of_a)

    held = gemm + inputs
    drawing = _DRAWING * max(of_a, of_b, matrices if len(plan.tensors) > 1 else 0)
    multiplying = _MULTIPLYING * (of_a + of_b) if compared else 0
    largest = max([gemm, *bytes_of.values()])
    program = _DEFINED * gemm + _TRACKED * (inputs + outputs + workspace) + accumulator + largest
    events = sum(_events(part, m, n) for part in plan.phases) * _EVENT if traced else 0
    results = outputs + accumulator
    comparing = results + (_compared(plan, problem) if compared else events)
    return int(_BASE + held + max(drawing, multiplying, program, comparing))


def _compared(plan: Plan, problem: Problem) -> int:
    """Bytes of both references of the outputs, and of all values of the block of rows that takes most."""
    rows = most_rows(plan, problem)
    once = (_values(plan) + _DOUBLE + _COMPARING) * rows * problem.n
    if rows == problem.m:
        return once
    sizes = [(t.size(problem), t.element.size) for t in plan.tensors if t.output]
    return once + sum(rows * columns * (_DOUBLE + 3 * size) for (rows, columns), size in sizes)


def _kept(plan: Plan, problem: Problem) -> int:
    """Bytes of the workspace that hold what crosses from one phase to later ones."""
    kept = [node.kept for node in _nodes(plan) if isinstance(node, Kept) and node.writes]
    sizes = [(tensor.size(problem), tensor.element.size) for tensor in kept]
    return sum(rows * columns * size for (rows, columns), size in sizes)


def _nodes(plan: Plan) -> Iterator[VisitorNode]:
    """Those of all phases."""
    return (node for part in plan.phases for _, node in part.nodes())


def _events(plan: Plan, m: int, n: int) -> int:
    """Events of a trace of one phase."""
    tiles = max(-(-m * max(n, _ROW) // plan.compute_length), -(-m // MAX_TILE_ROWS))
    return _EVENTS * len(plan.steps) * tiles


def at_once(runs: Iterable[tuple[str, int]], most: int) -> int:
    """How many runs, given as name and estimate, may go on at once: ``most``, or fewer where memory is short.

    Raises EvtgenError (EVT067) if one of them takes more than there is.
    """
    free = free_memory()
    name, largest = max(runs, key=lambda run: run[1], default=("", 0))
    if free is None or not largest:
        return most
    if largest > free:
        raise NO_MEMORY.refusal("program", name=name, gib=_gib(largest), gib2=_gib(free))
    return max(1, min(most, free // largest))


def _gib(count: int) -> str:
    return tr("{count:,.1f} GiB", count=count / (1 << 30))


def _values(plan: Plan) -> int:
    """Bytes per element of the values of both references that live at once.

    A value is kept with its bounds, and in float64, until its last use, and to the end where nothing uses it.
    """
    elements = [getattr(step.node, "element", float32) for step in plan.steps]
    cost = [_DOUBLE + 3 * element.size for element in elements]
    left = [len(users) for users in consumers(plan.steps)]
    live: set[int] = set()
    most = 0
    for index in plan.order:
        live.add(index)
        most = max(most, sum(cost[i] for i in live))
        for i in plan.steps[index].inputs:
            left[i] -= 1
            if not left[i]:
                live.discard(i)
    return most
