"""The operands of one run: drawn at random, the same for the same seed, and chosen so that a wrong program shows.

Whatever K is, the accumulator is of the order of one: normal operands are scaled by K^-1/4 each, whole and positive
ones are sparse. All values have a mean that is not zero, so that sums do not cancel. The rest is random (scalars, the
magnitudes of vectors, signs) and drawn again, a few times at most, until the epilogue's formula shows that the data can
expose a fault: no element is NaN or infinite, masks and signs are mixed, limits are reached, few results
saturate, and no two tensors are equal.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from ..graph.ir import visit_order
from ..graph.shapes import GEMM_A, GEMM_B, Problem, Shape, TensorShape
from ..graph.types import ElementType, float32, mask, uint64
from ..nodes import AuxScatter, Band, Cast, Compute, Position, Reduced, node_of
from ..operators.arrays import Array, dtype, element_of, is_whole, largest
from ..operators.table import MEAN
from ..planner.plan import Plan
from ..reference import Reading, bits_of, factors, paired, read
from ..reference import product as multiply
from ..reference.stepwise import in_band
from .cache import key
from .journal import Journal, python_code, size_of

DATA = ("int", "normal")
"""The kinds of data: whole numbers, whose sums are exact, and normally distributed ones."""

_ATTEMPTS = 40
_SCORED = (64, 128)
"""The largest sides of the corner of each matmul on which attempts are judged."""

_JUDGED = 4
"""Matmuls of a problem on which they are judged, those without rows left out."""

_SIZES = (1.0, 1.0, 8.0, 64.0, 8192.0)
"""Random factors of vectors and scalars, for when attempts of one magnitude could not expose a fault; the last takes
results beyond the range of half."""

_PLAIN = 10
"""Attempts in which all operands have the same magnitude."""

_TERMS = 2
"""Products that are not zero, on average, in a sum over K of sparse operands."""

_CLAMPS = ("Clamp", "Maxs", "Mins", "Relu6", "HardTanh")
"""Operators that do not change values within their limits."""

_HALVES = ("Maxs", "Mins")
"""Those with one limit."""

_TURNING = ("Relu", "LeakyRelu", "Absolute")
"""Operators that treat negative values as something else."""

_RECTIFYING = ("AddRelu", "SubRelu")
"""Operators that treat a negative sum or difference as zero."""

_FEW = 4
"""Elements below which a mask cannot be expected to have both values."""

_NEAR_ZERO = 2.0**-24
"""What half rounds to zero, or nearly: behind an activation that is flat there, no bound is small beside it."""

_MIXED = 0.05
"""The least share of each of the two values in a mixed mask."""

_EVERY = 8
"""Of so many rows (or columns) that are reduced and used again, one has a peak, and one is small."""

_ABSENT = 8
"""Of so many numbers of rows, one is that of no row."""

_SMALL = 2.0**-9
"""What a small one is taken times: the mean of its squares is as small as the numbers that are added to variances."""

_PEAKS = {"half": 2.0**13, "float": 2.0**17}
"""How high peaks are, by the C++ name of the accumulator's type: a part in a hundred is beyond what exp can take."""

_SUNK = 2.0**-3
"""How far below zero a vector is where the first line has its peak, beside that."""

_EXPONENTS = {"int": (0, 3), "normal": (-2, 2)}
"""The exponents of scales, below the second of both."""

_LANES = 64
"""Values of float32 in a repeat of a vector instruction."""


@dataclass(frozen=True)
class Operands:
    """The inputs of one run: the GEMM's A (M, K) and B (K, N), and the epilogue's inputs by name, scalars as (1, 1).

    Where there are two accumulators, B is (K, 2N): the Bs of both, side by side.

    Of several matmuls, each array holds the rows of all of them, see :class:`~evtgen.graph.shapes.Problem`.
    """

    a: Array
    b: Array
    inputs: dict[str, Array]

    def read_by(self, plan: Plan) -> dict[str, Array]:
        """What a graph reads: the inputs, and A under :data:`GEMM_A` if it reads statistics of A."""
        return {**self.inputs, GEMM_A: self.a} if plan.reads_a else self.inputs


@dataclass(frozen=True)
class _Draw:
    """One attempt at the operands of a problem.

    Attributes:
        seed, problem, data, absent: as asked for; values differ with all of them.
        attempt: counts the attempts. In every third nothing is negative, in every second no tensor holds a zero, since
            it may divide; after :data:`_PLAIN` of them magnitudes vary.
    """

    plan: Plan
    seed: int
    problem: Problem
    data: str
    attempt: int
    absent: bool

    def operands(self, problem: Problem) -> Operands:
        """The operands of :attr:`problem`, or of a corner of it."""
        k, (of_a, of_b) = problem.k, self.plan.operands
        rows, _ = problem.size(GEMM_A, TensorShape.COLUMN)
        parts, columns = problem.size(GEMM_B, TensorShape.ROW)
        columns *= self.plan.accumulators
        a, b = self._factor("gemm A", (rows, k), of_a), self._factor("gemm B", (parts * k, columns), of_b)
        loads = [tensor for tensor in self.plan.tensors if not tensor.output]
        inputs = {t.name: self._values(t.name, t.shape, t.size(problem), t.element) for t in loads}
        inputs |= {t.name: self._rows(t.name, problem) for t in loads if t.indexes}
        inputs |= {scalar.name: self._number(scalar.name, scalar.T) for scalar in self.plan.scalars}
        if self.attempt % 4 < 3:
            # Otherwise what is computed beside the reductions may be out of range.
            self._mark(problem, a, b, inputs)
        return Operands(a, b, inputs)

    def _mark(self, problem: Problem, a: Array, b: Array, inputs: dict[str, Array]) -> None:
        """Make some rows or columns such that a wrong reduction shows where its result is used: what is subtracted from
        all hardly does in a softmax, nor does a small number that is added to a variance."""
        axes, means, extremes = _reduced(self.plan)
        if self._zeros:
            for axis in axes:
                (a if axis else b.T)[4 :: 2 * _EVERY] = 0
        for axis in means:
            matrices = (array for array in inputs.values() if array.shape == (problem.m, problem.n))
            for array in (a if axis else b, *matrices):
                if not is_whole(array):
                    (array if axis else array.T)[2::_EVERY] *= array.dtype.type(_SMALL)
        if _rectified(self.plan) and self.plan.operands[0].signed and not self._positive:
            for _, of_a, of_b in problem.factors():
                self._sink(a[of_a], b[of_b, : problem.n].T)
        if extremes:
            # Peaks of rows and of columns would meet.
            self._peaks(problem, a, b, inputs, *extremes[DATA.index(self.data) % len(extremes)])

    def _peaks(  # noqa: PLR0917
        self, problem: Problem, a: Array, b: Array, inputs: dict[str, Array], axis: int, sign: int
    ) -> None:
        """Give some rows (axis 1), or columns, a value that is far above the rest, or below it."""
        for _, of_a, of_b in problem.factors():
            if axis:
                self._raise(a[of_a], b[of_b, : problem.n].T, sign, min)
            else:
                self._raise(b[of_b].T, a[of_a], sign, max)
        if self.data != "normal" or self._positive:
            return
        # What is added to a largest value cancels again, unless exp cannot take a hundredth of it.
        shape = TensorShape.ROW if axis else TensorShape.COLUMN
        for tensor in self.plan.tensors:
            if tensor.shape is shape and tensor.name in inputs and tensor.element.kind == "float":
                values = inputs[tensor.name]
                (values if axis else values.T)[:, -1] = -sign * self._peak * _SUNK

    def _raise(self, lines: Array, others: Array, sign: int, nearer: Callable[[int, int], int]) -> None:
        """Give some lines, (M, K), a product with (N, K) others that is far above the rest where a fault in a reduction
        leaves an element out: at the end of all, at those of vector instructions, and at the beginning. Where the
        epilogue looks at positions, they are on the diagonal instead, or the first behind it, if that is nearer: a
        causal mask hides the others."""
        if (self._positive and sign < 0) or not len(others):
            return
        last = len(others) - 1
        places = [last, 0, *reversed(range(_LANES - 1, last, _LANES))]
        positions = any(isinstance(step.node, (Band, Position)) for step in self.plan.steps)
        element = element_of(lines)
        for number, line in enumerate(range(1, len(lines), _EVERY)):
            turn, at = divmod(number, len(places))
            place = places[at]
            if positions:
                place = nearer(place, min(line + turn % 2, last))
            other = others[place].astype(np.float64)
            square = float(other @ other)
            if square:
                height = self._peak / square
                height = max(1.0, np.rint(height)) if self.data == "int" or element.kind == "int" else height
                most = largest(element)
                lines[line] = np.clip(sign * height * other, -most, most).astype(lines.dtype)

    @property
    def _peak(self) -> float:
        return _PEAKS.get(self.plan.element_c.cpp, _PEAKS["float"])

    @staticmethod
    def _sink(lines: Array, others: Array) -> None:
        """Give a line, (M, K), a product with (N, K) others that is farther below zero than any is above it."""
        if len(lines) > 1 and len(others):
            lines[1] = -2 * others[-1].astype(lines.dtype)

    def _rng(self, name: str) -> np.random.Generator:
        size = (*self.problem.rows, self.problem.n, self.problem.k)
        return np.random.default_rng([self.seed, *size, self.attempt, zlib.crc32(name.encode())])

    @property
    def _positive(self) -> bool:
        return self.attempt % 3 == 1

    @property
    def _zeros(self) -> bool:
        return self.attempt % 2 == 0

    def _factor(self, name: str, size: tuple[int, int], element: ElementType) -> Array:
        """A or B. A product of two values has variance 1/K, so that a sum over K has variance one."""
        rng, k = self._rng(name), self.problem.k
        if self.data == "normal" and element.kind == "float":
            # The means make a sum of K products 1/4 on average.
            values = (rng.standard_normal(size, dtype=np.float32) + 0.5 * k**-0.25) * k**-0.25
            if self._positive:
                values *= 0.6 * k**0.25
        else:
            values = self._whole(rng, size, 2, 0.62).astype(np.float32)
        if self._positive or self.data == "int" or element.kind == "int":
            values[rng.random(size, dtype=np.float32) >= min(1.0, np.sqrt(_TERMS / k))] = 0
        factor: Array = (np.abs(values) if self._positive or not element.signed else values).astype(dtype(element))
        return factor

    def _values(self, name: str, shape: TensorShape, size: tuple[int, int], element: ElementType) -> Array:
        """A tensor, with a mean of its own, and with a magnitude of its own unless it is a matrix."""
        rng = self._rng(name)
        if element == uint64:
            return bits_of(self._values(name, shape, size, float32))
        if element.kind == "scale":
            exponents = rng.integers(*_EXPONENTS[self.data], size).astype(np.float32)
            return np.exp2(exponents).astype(dtype(element))
        vector = shape is not TensorShape.MATRIX or 1 in size
        factor = self._size(rng) if vector else 1.0
        if self.data == "normal":
            values = rng.standard_normal(size, dtype=np.float32) + rng.choice((-1, 1)) * rng.uniform(0.2, 0.6)
            values *= factor if element.kind == "float" else 3 * factor
            # Some are whole, so that what compares them with whole numbers finds some that are equal.
            whole = (rng.random(size, dtype=np.float32) < 1 / 8) & (np.abs(values) > 0.5) | (element.kind == "int")
            values = np.where(whole, np.rint(values), values)
        else:
            values = self._whole(rng, size, 5, 0.6) * np.float32(factor)
            if self._zeros and not vector:
                # What compares with zero finds some that are equal; of a vector, one would hide a row or a column.
                values[rng.random(size, dtype=np.float32) < 1 / 8] = 0
        return self._fitting(values, element)

    def _rows(self, name: str, problem: Problem) -> Array:
        """The numbers of the rows, (M, 1), each once or, where they may repeat, any; and in the place of some, if asked
        for, that of no row. Or so the ranks. Each part of a batch has numbers of its own."""
        if not problem.batch:
            return self._numbers(name, self._rng(name), problem)
        one = replace(problem, rows=problem.rows[:1], batch=False)
        parts = range(problem.parts(name))
        return np.vstack([self._numbers(name, self._rng(f"{name} {part}"), one) for part in parts])

    def _numbers(self, name: str, rng: np.random.Generator, problem: Problem) -> Array:
        """The numbers of a part."""
        scatters = [n for step in self.plan.steps if isinstance(n := step.node, AuxScatter)]
        written = [node for node in scatters if node.rows == name]
        repeats = bool(written) and all(node.add for node in written)
        count, behind = problem.m, problem.m + problem.room
        if any(node.ranks == name for node in scatters):
            repeats, count, behind = True, problem.ranks, problem.ranks
        numbers = rng.integers(0, max(1, count), problem.m) if repeats else rng.permutation(problem.m)
        numbers = numbers.astype(np.int32)
        none = np.array([-1, behind, np.iinfo(np.int32).min], np.int32)
        if self.absent and problem.m > 1:
            places = rng.permutation(problem.m)[: -(-problem.m // _ABSENT)]
            numbers[places] = np.resize(none, len(places))
        return numbers.reshape(-1, 1)

    def _number(self, name: str, element: ElementType) -> Array:
        """A scalar: not 0, 1 or −1."""
        rng = self._rng(name)
        if self.data == "normal" and element.kind == "float":
            value = rng.choice((rng.uniform(0.3, 0.8), rng.uniform(1.2, 1.9)))
        else:
            value = rng.integers(2, 6)
        signed = value * self._size(rng) * rng.choice((-1, 1))
        return self._fitting(np.full((1, 1), signed, np.float32), element)

    def _fitting(self, values: Array, element: ElementType) -> Array:
        values = np.abs(values) if self._positive or not element.signed else values
        return np.clip(values, -largest(element), largest(element)).astype(dtype(element))

    def _size(self, rng: np.random.Generator) -> float:
        size = rng.choice(_SIZES)
        return float(size) if self.attempt >= _PLAIN else 1.0

    @staticmethod
    def _whole(rng: np.random.Generator, size: tuple[int, int], most: int, positive: float) -> Array:
        """Whole numbers from 1 to ``most``, positive with that probability, else negative."""
        values: Array = rng.integers(1, most + 1, size, dtype=np.int8).astype(np.float32)
        return np.where(rng.random(size, dtype=np.float32) < positive, values, -values)


def _reduced(plan: Plan) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """The axes of all reductions that are used again, those of the means among them, and those of the largest (1) and
    least (-1) values that are subtracted from what they are taken of, or compared with it. Rows are 1."""
    nodes = [step.node for step in plan.steps]
    reduced = [node for node in nodes if isinstance(node, Reduced)]
    pairs = [pair.reduction for i in range(len(nodes)) if (pair := paired(plan.steps, i)) is not None]
    signs = {"Maximum": 1, "Minimum": -1}

    def axes(found: list[Reduced]) -> list[int]:
        return sorted({node.reduce_kind.axis[0] for node in found if len(node.reduce_kind.axis) == 1})

    extremes = [(axis, sign) for op, sign in signs.items() for axis in axes([node for node in pairs if node.op == op])]
    return axes(reduced), axes([node for node in reduced if node.op == MEAN]), extremes


def _rectified(plan: Plan) -> bool:
    """Whether the largest value of all that is rectified is used again: it is the same without, unless what is
    negative has a larger magnitude."""
    nodes = [step.node for step in plan.steps]
    largest = any(
        isinstance(node, Reduced) and node.op == "Maximum" and len(node.reduce_kind.axis) == 2 for node in nodes
    )
    return largest and any(isinstance(node, Compute) and node.op in ("Relu", *_RECTIFYING) for node in nodes)


def operands(
    plan: Plan, shape: Shape | Problem, seed: int, data: str, *, absent: bool = True, kept: Path | None = None
) -> Operands:
    """The operands of a problem, the same for the same arguments; ``data`` is one of :data:`DATA`. Where rows go by
    numbers, some of these are ``absent``: those of no row. ``kept``: a file of the cache that keeps which attempt was
    chosen."""
    problem = Problem.of(shape)
    # The function of an operator that a spec declares may be another next time.
    if kept is None or any(isinstance(step.node, Compute) and step.node.own for step in plan.steps):
        best = _best(plan, seed, problem, data, absent=absent)
    else:
        best = _kept(kept, plan, seed, problem, data, absent=absent)
    return _Draw(plan, seed, problem, data, best, absent).operands(problem)


def _kept(kept: Path, plan: Plan, seed: int, problem: Problem, data: str, *, absent: bool) -> int:
    """The attempt of :func:`_best`, from the file if it is there, else added to it."""
    journal = Journal(kept, what="attempt")
    launch = key([plan.epilogue.fields_text(), repr((size_of(problem), seed, data, absent)), python_code()])
    best = journal.known.get(launch)
    if best is None or best not in range(_ATTEMPTS):
        best = _best(plan, seed, problem, data, absent=absent)
        journal.add(launch, best)
    return best


def _best(plan: Plan, seed: int, problem: Problem, data: str, *, absent: bool) -> int:
    """The first attempt that exposes faults, or the one that does best."""
    corner = _corner(problem, plan.least_columns)
    best, most = 0, -1.0
    for attempt in range(_ATTEMPTS):
        reached = _teeth(plan, _Draw(plan, seed, problem, data, attempt, absent).operands(corner), corner, most)
        if reached > most:
            best, most = attempt, reached
        if most >= 1.0:
            break
    return best


def _corner(problem: Problem, least: int) -> Problem:
    """The upper left corners of some of the matmuls of a problem, of ``least`` columns at least."""
    rows, columns = _SCORED
    depths = problem.depths or (problem.k,) * problem.count
    some = [matmul for matmul, m in enumerate(problem.rows) if m and depths[matmul]][:_JUDGED]
    return replace(
        problem,
        rows=tuple(min(problem.rows[matmul], rows) for matmul in some),
        n=min(problem.n, max(columns, least)),
        depths=problem.depths and tuple(depths[matmul] for matmul in some),
        weights=problem.weights and tuple(problem.weights[matmul] for matmul in some),
    )


def _teeth(plan: Plan, given: Operands, problem: Problem, enough: float = -1.0) -> float:
    """How well data expose faults, from 0 to 1: the minimum over all steps that data reach and all pairs of tensors. Of
    data that are no better than ``enough``, any number that is not above it."""
    if _equal(given):
        return 0.0
    product = multiply(*factors(plan, given.a, given.b, given.inputs, problem, meant=True))
    with np.errstate(all="ignore"):
        acc = product.astype(dtype(plan.element_c))
    drawn, readings, least = _drawn(plan), [], 1.0
    for reading in read(plan, acc, given.read_by(plan), product, problem, bounded=False):
        readings.append(reading)
        if reading.index in drawn:
            least = min([least, *_shares(reading)])
            if least <= enough:
                return least
    seen = _seen(plan, readings, drawn)
    return min(
        [least, *(_shown(reading, seen) for reading in readings if reading.node.writes and reading.index in drawn)]
    )


def _drawn(plan: Plan) -> set[int]:
    """The steps whose values follow from the data; a mask of positions, say, is the same for all."""
    drawn: set[int] = set()
    for index in visit_order([step.inputs for step in plan.steps]):
        node, inputs = node_of(plan.steps[index]), plan.steps[index].inputs
        if node.scalars or any(i in drawn for i in inputs) or not (inputs or isinstance(node, Position)):
            drawn.add(index)
    return drawn


def _seen(plan: Plan, readings: Iterable[Reading], drawn: set[int]) -> Array:
    """The elements, (M, N), that every mask of positions lets through: what it hides is the same with all data."""
    seen: Array = np.ones((1, 1), bool)
    for reading in readings:
        if isinstance(reading.node, Compute) and reading.node.op == "WhereScalar":
            condition, _ = plan.steps[reading.index].inputs
            seen = seen if condition in drawn else seen & reading.inputs[0]
        elif isinstance(reading.node, Band):
            seen = seen & in_band(reading.node, reading.problem)
    return seen


def _shown(reading: Reading, seen: Array) -> float:
    """The merit of what a step writes: a single element may be zero; of many, at most half. Of a handful, none should
    be next to zero instead."""
    values = reading.formula
    assert values is not None
    if values.size == 0:
        return 1.0
    least = _NEAR_ZERO if values.size < _FEW and reading.node.element.kind == "float" else 0.0
    shown = np.abs(values[seen] if values.shape == seen.shape and seen.any() else values)
    return min(1.0, 0.4 + 2 * float((shown > least).mean()))


def _shares(reading: Reading) -> Iterator[float]:
    """The merits of one step's values, each as a fraction of the amount that is enough."""
    values, node = reading.formula, reading.node
    assert values is not None
    if values.size == 0:
        return
    if node.element == mask:
        yield _mixed(values, ~values)
        return
    with np.errstate(all="ignore"):
        value = reading.stepwise.value.astype(np.float64)
        # An infinity that is meant, as behind a mask, is a value like others.
        fine = np.isfinite(values) & np.isfinite(value) | np.isinf(values) & (value == values)
    yield float(fine.mean())
    if isinstance(node, Compute) and node.op in _CLAMPS:
        given = reading.inputs[0]
        yield min(1.0, 0.5 + 2 * float((values == given).mean()))
        # A limit that nothing reaches could as well be another.
        reached = float((values > given).any()) + float((values < given).any())
        yield 0.9 + 0.1 * reached / (1 if node.op in _HALVES else 2)
    if isinstance(node, Compute) and node.op in _TURNING:
        yield _mixed(reading.inputs[0] < 0, reading.inputs[0] > 0)
    if isinstance(node, Compute) and node.op in _RECTIFYING:
        yield _mixed(values == 0, values > 0)
    if isinstance(node, Cast) and node.element.kind == "int" and node.from_.kind == "float":
        magnitude, top = np.abs(values), largest(node.element)
        # Some digits, but for what was clamped: half of what is not zero is neither saturated nor next to nothing.
        digits = (magnitude < top) & (magnitude >= min(top, 127) / 16)
        # The largest of a row that is scaled to the limits is at one, and of a handful all may be.
        if values.size >= _FEW:
            yield min(1.0, 0.3 + 1.4 * float(digits.sum() / max(1, np.count_nonzero(values))))


def _mixed(one: Array, other: Array) -> float:
    """How well two kinds of elements are mixed; of a handful, one of each is as mixed as it gets."""
    if one.size < _FEW:
        return 1.0
    enough = max(_MIXED, 1 / one.size)
    return min(1.0, 0.5 + min(float(one.mean()), float(other.mean())) / (2 * enough))


def _equal(given: Operands) -> bool:
    """Whether two tensors have the same values."""
    arrays = [given.a, given.b, *given.inputs.values()]
    return any(
        x.shape == y.shape and np.array_equal(x.astype(np.float64), y.astype(np.float64))
        for x, y in combinations(arrays, 2)
    )
