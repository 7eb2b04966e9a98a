"""Bounds of sums: those of the matrix unit, and of reductions.

A sum of floats is off by at most ``h·u / (1 - h·u)·Σ|x|``, where ``u`` is the unit roundoff and ``h`` the longest chain
of additions that a term goes through (Higham, *Accuracy and Stability of Numerical Algorithms*, §4.2); in an order
that is not known, by at most ``n·u·Σ|x|`` for ``n`` additions (Jeannerod and Rump, 2013). It is exact where the terms
are whole numbers whose sum of magnitudes the type holds: so is each partial sum then, in any order.

No partial sum of K products, in any order, is larger than all the positive ones, or all the negative ones, and what it
is off itself. Where they cancel, that is half of what their magnitudes add up to.

A mean is a sum whose parts, one for each tile, are taken times one over the number of all terms before they are joined:
that number is rounded to the type, and so is each product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..graph.shapes import GEMM_A, Problem
from ..graph.types import ElementType, Layout, float32
from ..nodes import AStatistic, AuxScatter, Reduce, Reduced
from ..operators.arrays import Array, dtype, is_whole, largest, smallest_subnormal, to_whole, unit_roundoff
from ..operators.declaration import Atomic
from .enclosure import Enclosure
from .reductions import folded, repeated, scale_of, terms_of
from .stepwise import added, reduction_of, statistic
from .tensors import Tensors
from .tiles import Tile, across, depth


def product(a: Array, b: Array, problem: Problem | None = None) -> Array:
    """``a @ b`` in float64, with the rows of each matmul of ``problem`` and the columns of ``b``: (M, N), or (M, 2N)
    where B has those of two accumulators. Exact for integers of 8 bits."""
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    problem = problem or _one(a, b)
    exact = np.empty((problem.m, b.shape[1]))
    for of_c, of_a, of_b in problem.factors():
        np.matmul(wide_a[of_a], wide_b[of_b], out=exact[of_c])
    return exact


def _one(a: Array, b: Array) -> Problem:
    """The problem of one matmul with these operands."""
    return Problem.of((a.shape[0], b.shape[1], a.shape[1]))


def accumulator(
    a: Array,
    b: Array,
    element: ElementType,
    *,
    rows: int = 256,
    problem: Problem | None = None,
    scalings: int = 0,
    whole: bool = False,
) -> Iterator[tuple[slice, Enclosure, Array]]:
    """The enclosure of ``product(a, b, problem)`` as the matrix unit leaves it in the workspace, and the product, at
    most ``rows`` rows at a time.

    Floats are multiplied and added in float32, in an order that is not defined, and rounded once to ``element``: K
    products, which are exact in float32 where both operands have 12 bits at most, and K - 1 additions. Parts of K that
    are added up on their own are one such order, also where each is multiplied ``scalings`` times, which rounds as
    often. Integers are exact; if they are summed up as a ``whole`` and then scaled, to floats, that rounds twice.
    """
    for of_c, of_a, of_b in (problem or _one(a, b)).factors():
        for block, enclosure, exact in _accumulator(a[of_a], b[of_b], element, rows, scalings, summed=whole):
            yield slice(of_c.start + block.start, of_c.start + block.stop), enclosure, exact


def _accumulator(
    a: Array, b: Array, element: ElementType, rows: int, scalings: int, *, summed: bool
) -> Iterator[tuple[slice, Enclosure, Array]]:
    """The same of one matmul."""
    k = a.shape[1]
    floating = element.kind == "float"
    right = b.astype(np.float64)
    magnitude_right = np.abs(right) if floating else right
    whole = not floating or (_whole(a) and _whole(b))
    roundings = (k if max(_bits(a), _bits(b)) > 12 else k - 1) + scalings
    for start in range(0, a.shape[0], rows):
        block = slice(start, min(start + rows, a.shape[0]))
        left = a[block].astype(np.float64)
        exact = left @ right
        value = exact.astype(dtype(element))
        if not floating:
            yield block, Enclosure(value), exact
            continue
        if summed:
            with np.errstate(over="ignore"):
                ends = (exact * (1 + off) for off in (0, -(2.0**-23), 2.0**-23))
                value, *around = (end.astype(np.float32).astype(dtype(element)) for end in ends)
            low, high = np.minimum(*around), np.maximum(*around)
            yield block, Enclosure(value, low, high), exact
            continue
        magnitude = np.abs(left, out=left) @ magnitude_right
        error = roundings * 2.0**-24 * magnitude
        partial = (magnitude + np.abs(exact)) / 2 + error
        error = np.minimum(error, 2.0**-24 * ((k - 1) * partial + (roundings - (k - 1)) * magnitude))
        error += k * 2.0**-53 * magnitude + k * 2.0**-149
        if whole:
            error[magnitude <= 2.0**24] = 0.0
        with np.errstate(over="ignore"):
            low, high = ((exact + e).astype(np.float32).astype(dtype(element)) for e in (-error, error))
        # The sums' own rounding to float32 is within the error; a whole one is exact.
        yield block, Enclosure(value, low, high) if error.any() else Enclosure(value), exact


def _bits(array: Array) -> int:
    """Significant bits of a dtype's values, the implicit one included."""
    if is_whole(array):
        return 8 * array.dtype.itemsize
    return 24 if array.dtype == np.float32 else 11


Place = tuple[slice, slice]
Tiling = Sequence[tuple[int, Tile]]
"""Tiles, each with the index of its matmul."""


def reduction(
    node: Reduce, operand: Enclosure, value: Array, problem: Problem, tiling: Tiling | None = None
) -> Enclosure:
    """The enclosure of a reduction, joined to its identity.

    ``tiling`` says how the device cuts its M×N input: each tile is reduced as :func:`~evtgen.reference.tiles.depth` has
    it, and the tiles' results are joined to what is in GM in an order that is not defined. Without it no order is
    known.
    """
    assert node.operator is not None
    low, high = operand.ends
    if node.operator.atomic is not Atomic.ADD:
        if operand.exact:
            return Enclosure(value)
        ufunc = np.maximum if node.operator.atomic is Atomic.MAX else np.minimum
        identity = low.dtype.type(node.identity)
        ends = (ufunc(folded(node, ufunc, end, problem, identity), identity) for end in (low, high))
        if node.T.kind == "int":
            return Enclosure(value, *ends)
        # Where one of them may be NaN, so may be what they are joined to.
        free, inf = folded(node, np.logical_or, operand.free, problem, empty=False), low.dtype.type(np.inf)
        return Enclosure(value, *(np.where(free, limit, end) for limit, end in zip((-inf, inf), ends, strict=True)))
    if operand.exact and node.T.kind == "int":
        return Enclosure(value)
    return _total(node, operand, value, problem, tiling)


def scattered(node: AuxScatter, operand: Enclosure, value: Array, tensors: Tensors) -> Enclosure:
    """The enclosure of the sums of the rows that go to each row, added in an order that is not defined. The first is
    added to 0."""
    if node.T.kind == "int" and operand.exact:
        return Enclosure(value)
    below, above = (end.astype(np.float64) for end in operand.ends)
    terms = np.maximum(np.abs(below), np.abs(above))
    magnitude, count = added(node, terms, tensors), added(node, np.ones_like(terms), tensors)
    parts = added(node, ((below == above) & (np.trunc(below) == below)).astype(np.float64), tensors)
    whole = (parts == count) & (magnitude <= 2.0**node.T.precision)
    error = np.where(whole, 0.0, np.maximum(count - 1, 0) * (unit_roundoff(node.T) + 2.0**-53) * magnitude)
    least, greatest = added(node, below, tensors) - error, added(node, above, tensors) + error
    overflow = ~(magnitude + error <= largest(node.T))
    return Enclosure(value, np.where(overflow, -np.inf, least), np.where(overflow, np.inf, greatest))


_COLUMNS = 512
"""Of a tile of A (``StatisticsOfA`` of statistics_of_a.hpp), at most."""

_NARROWEST = {True: _COLUMNS, False: 32}
"""Its columns but for the last of a row, at least: where A lies by rows, and where it lies by columns."""


def added_up(node: AStatistic, tensors: Tensors, layout: Layout) -> Enclosure:
    """The enclosure of a statistic of A, (M, N): each row is added up in float32, tile by tile, and each tile's sum is
    added to those before. Squares are rounded where A has more than 12 bits."""
    value, magnitude = statistic(node, tensors)
    a, shape = tensors.inputs[GEMM_A], tensors.acc.shape
    columns = a.shape[1]
    chain = across(min(columns, _COLUMNS), float32) + -(-columns // _NARROWEST[layout.by_rows]) + (_bits(a) > 12)
    unit = 2.0**-24
    error = chain * unit / (1 - chain * unit) * magnitude + columns * 2.0**-53 * magnitude
    # Below the least normal number a square is off by half a unit there.
    error += columns * 2.0**-149 if node.squares else 0.0
    if _whole(a):
        error[magnitude <= 2.0**24] = 0.0
    with np.errstate(over="ignore"):
        rounded, low, high = (end.astype(np.float32) for end in (value, value - error, value + error))
    ends = (np.where(np.isnan(rounded), limit, end) for limit, end in ((-np.inf, low), (np.inf, high)))
    spread = [np.broadcast_to(end.astype(np.float32), shape) for end in (rounded, *ends)]
    return Enclosure(*spread) if error.any() else Enclosure(spread[0])


def reduced(node: Reduced, operand: Enclosure, tensors: Tensors, tiling: Tiling | None = None) -> Enclosure:
    """The enclosure of a reduction that is a value, (M, N), cut into tiles as in :func:`reduction`."""
    problem = tensors.problem.narrowed(node.columns)
    found = reduction(node.reduce, operand, reduction_of(node.reduce, operand.value, tensors), problem, tiling)
    value = repeated(node, found.value, tensors)
    if found.exact:
        return Enclosure(value)
    # Whoever reads it needs ends of its type. What the device has is one of its values, so rounding loses none.
    low, high = (repeated(node, as_value(end, node.T), tensors) for end in found.ends)
    return Enclosure(value, low, high)


def as_value(end: Array, element: ElementType) -> Array:
    """An end as a value of the type, of an integer type at most its last one."""
    whole = to_whole(end, element, "CAST_RINT") if element.kind == "int" else end
    return whole.astype(dtype(element))


def _total(node: Reduce, operand: Enclosure, value: Array, problem: Problem, tiling: Tiling | None) -> Enclosure:
    """The enclosure of a sum."""
    below, above = (end.astype(np.float64) for end in operand.ends)
    magnitude = np.abs(below) if operand.exact else np.maximum(np.abs(below), np.abs(above))
    unit, most = unit_roundoff(node.T), largest(node.T)
    identity = float(node.identity)
    with np.errstate(invalid="ignore"):
        known = (below == above) & (np.trunc(below) == below)
    whole = folded(node, np.logical_and, known, problem, empty=True) & identity.is_integer()
    exactly = np.where(whole, 2.0**node.T.precision, -1.0)

    def total(array: Array) -> Array:
        reduced: Array = folded(node, np.add, array, problem, 0.0)
        return reduced

    terms_of_each = np.broadcast_to(terms_of(node, problem), value.shape)
    counts = np.maximum(terms_of_each, 1) if node.mean else np.ones(value.shape)
    scales = np.broadcast_to(scale_of(node, problem), value.shape)
    # A product with a number that is itself rounded; below the least normal number it is off by half a unit there. One
    # with a power of two is not rounded but there, where no whole number times the scale is.
    smallest = smallest_subnormal(node.T) if node.mean else 0.0
    shifts = np.frexp(scales)[0] == 0.5

    def scaled(
        terms: Array, off: Array, parts: Array | int = 1, place: Place = (slice(None), slice(None))
    ) -> tuple[Array, Array]:
        """Sums of at most ``terms`` in all that are off by ``off``, each of so many parts times the scale at its place:
        their most, and how far off that is."""
        if not node.mean:
            return terms, off
        scale, count = scales[place], counts[place]
        rounding = np.where(shifts[place], 0.0, unit * scale * terms)
        kept = (scale == 1) | (terms == 0) | (shifts[place] & (terms <= exactly[place]))
        rounding += np.where(kept, 0.0, parts * smallest)
        return scale * terms + rounding, scale * off + np.abs(scale - 1 / count) * terms + rounding

    # Of what is joined in GM: how often, the sum of magnitudes, and how far off it may already be.
    joined, error = np.full(value.shape, abs(identity)), np.zeros(value.shape)
    overflow = np.zeros(value.shape, bool)
    if tiling is None:
        joins = terms_of_each.astype(np.float64)
        most_of_it, error = scaled(total(magnitude), error, terms_of_each)
        joined += most_of_it
    else:
        joins = np.zeros(value.shape)
        for index, tile in tiling:
            place, part = _place(node, problem, index, tile), magnitude[tile.rows, tile.columns]
            chain = depth(node.axis, part.shape, node.T) * unit
            terms = np.add.reduce(part, axis=node.axis, keepdims=True)
            off = np.where(terms <= exactly[place], 0.0, (chain / (1 - chain) if chain < 1 else np.inf) * terms)
            ends = (end[tile.rows, tile.columns] for end in (below, above))
            sums = (np.abs(np.add.reduce(end, axis=node.axis, keepdims=True)) for end in ends)
            part_joined, part_off = scaled(np.maximum(*sums) + off, off, place=place)
            joined[place] += part_joined
            error[place] += part_off
            joins[place] += 1
            overflow[place] |= ~(terms + off <= most)
    with np.errstate(invalid="ignore"):
        in_order = (joined <= exactly * scales) & (error == 0)
        # What is joined to a zero is not rounded.
        rounded = joins if identity else np.maximum(joins - 1, 0)
        error += np.where(in_order, 0.0, rounded * unit * joined)
        overflow |= ~(joined + error <= most)
        if not error.any() and not overflow.any() and operand.exact:
            return Enclosure(value)
        # The reference's own additions are in float64.
        error += np.where(in_order, 0.0, terms_of_each * 2.0**-53 * total(magnitude))
        least, greatest = total(below) / counts + identity - error, total(above) / counts + identity + error
    return Enclosure(value, np.where(overflow, -np.inf, least), np.where(overflow, np.inf, greatest))


def _place(node: Reduce, problem: Problem, index: int, tile: Tile) -> Place:
    """Where in a reduction's tensor a tile of the matmul ``index`` is joined."""
    shared = node.name in problem.shared
    columns = slice(None) if 1 in node.axis else tile.columns
    if 0 in node.axis:
        return slice(None) if shared else slice(index, index + 1), columns
    first = index * problem.rows[0] if shared else 0
    return slice(tile.rows.start - first, tile.rows.stop - first), columns


def _whole(array: Array) -> bool:
    """Whether all values are whole numbers."""
    if is_whole(array):
        return True
    wide = array if array.dtype.itemsize > 2 else array.astype(np.float32)
    return bool((np.trunc(wide) == wide).all())
