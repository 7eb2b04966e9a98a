"""Where a stepwise value leaves the formula: in what way, and at which node first.

A step has left the formula when

- an element of it is infinite or NaN, or an integer has wrapped around, where the formula is none of these, or is NaN
  there, too; if these are one in a hundred or fewer, they count where the step itself overflows, not where rounding
  before it hit a pole or turned a comparison, or
- more than one element in a hundred is off by more than :data:`ROUNDINGS` roundings of its type, beside its own
  magnitude or the median magnitude of the whole. Fewer are comparisons that went the other way by a rounding. A sum may
  be off beside ``sqrt(Σx²)`` instead, what is left of its terms where their signs are random.

The accumulator's type is the user's choice, and rounding to it is no departure: what is made from an accumulator may be
as far off as the accumulator's own type explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..graph.ir import Gemm, Step, sources, visit_order
from ..graph.types import ElementType, mask
from ..nodes import Cast, Reduce, VisitorNode, node_of
from ..operators.arrays import Array, unit_roundoff
from ..operators.declaration import Atomic
from .blockwise import ELEMENTS
from .reductions import folded, terms_of
from .roundings import ROUNDINGS, explained_by
from .walk import Reading

FEW = 0.01
"""The share of elements that may be further off: comparisons near their limit go either way."""

SAMPLE = 1 << 16
"""Elements at most from which a median is taken."""

Blocks = Sequence[Callable[[], Iterable[Reading]]]
"""What reads a problem block by block: each makes the readings of one, as often as it is called."""


class Kind(Enum):
    """How a value leaves the formula."""

    RANGE = "range"
    UNDEFINED = "undefined"
    ACCURACY = "accuracy"


@dataclass(frozen=True)
class Departure:
    """An output that has left the formula.

    Attributes:
        kind: how.
        output: the name of the tensor.
        share: of its elements.
        step: index of the first step in the order of visits, among those it is made from, that has left it so.
        error: the largest error of those elements beside the scale of the output; of accuracy only.
    """

    kind: Kind
    output: str
    share: float
    step: int
    error: float = 0.0


def scale(values: Array) -> float:
    """The median magnitude of what is finite and not zero; 0 where nothing is."""
    return _median([_sample(values, SAMPLE)])


def _sample(values: Array, most: int) -> Array:
    """The magnitudes of some elements that are finite and not zero, of at most so many."""
    flat = values.reshape(-1)
    some: Array = np.abs(flat[:: -(-flat.size // most) or 1].astype(np.float64))
    return some[np.isfinite(some) & (some > 0)]


def _median(samples: Sequence[Array]) -> float:
    some = np.concatenate(samples)
    return float(np.median(some)) if some.size else 0.0


def _scales(blocks: Blocks, of: Callable[[Reading], Array | None]) -> dict[int, float]:
    """The scale of something of each step but masks, which have 0."""
    samples: dict[int, list[Array]] = {}
    for block in blocks:
        for reading in block():
            values = None if reading.node.element == mask else of(reading)
            own = [] if values is None else [_sample(values, max(1, SAMPLE // len(blocks)))]
            samples.setdefault(reading.index, [np.zeros(0)]).extend(own)
    return {index: _median(of_all) for index, of_all in samples.items()}


def scale_behind(steps: Sequence[Step], index: int, blocks: Blocks) -> float:
    """The scale of a step's stepwise values; where all are 0, that of the nearest steps it is made from whose are not:
    what cancelled, or what a logarithm found to be 1."""
    own = _scales(blocks, lambda reading: reading.stepwise.value)
    sought, scales = sources(steps, index), dict[int, float]()
    for i in (i for i in visit_order([step.inputs for step in steps]) if i in sought):
        inputs = [] if node_of(steps[i]).element == mask else [scales[j] for j in steps[i].inputs]
        scales[i] = own[i] or max(inputs, default=0.0)
    return scales[index]


@dataclass(frozen=True)
class _Counts:
    """Elements of a step, ``all`` and those that are not as the formula has them; ``error`` is the largest beside the
    scale."""

    all: int = 0
    lost: int = 0
    undefined: int = 0
    far: int = 0
    error: float = 0.0

    def __add__(self, other: _Counts) -> _Counts:
        return _Counts(
            self.all + other.all, self.lost + other.lost, self.undefined + other.undefined, self.far + other.far,
            max(self.error, other.error),
        )  # fmt: skip

    @property
    def found(self) -> dict[Kind, tuple[float, float]]:
        """How the step has left the formula: the share of its elements, and the largest error."""
        counts = {Kind.RANGE: self.lost, Kind.UNDEFINED: self.undefined}
        found = {kind: (count / self.all, 0.0) for kind, count in counts.items() if count}
        if self.far > FEW * self.all:
            found[Kind.ACCURACY] = self.far / self.all, self.error
        return found


def departed(reading: Reading, explained: ElementType) -> dict[Kind, tuple[float, float]]:
    """How one step has left the formula: the share of its elements, and the largest error beside the scale.

    ``explained`` is the type whose roundings it may be off by.
    """
    return {} if reading.formula is None else _counts(reading, explained, scale(reading.formula)).found


def _counts(reading: Reading, explained: ElementType, median: float) -> _Counts:
    """The same in numbers; ``median`` is the scale of the formula."""
    formula = reading.formula
    if formula is None or reading.node.element == mask or not formula.size:
        return _Counts()
    beside = np.broadcast_to(_magnitude(reading, median), formula.shape)
    rows = max(1, ELEMENTS // formula.shape[1])
    parts = (slice(first, first + rows) for first in range(0, len(formula), rows))
    values = ((reading.stepwise.value[part], formula[part], beside[part]) for part in parts)
    return sum((_counted(reading.node, *arrays, explained) for arrays in values), _Counts())


def _counted(node: VisitorNode, value: Array, formula: Array, beside: Array, explained: ElementType) -> _Counts:
    value = value.astype(np.float64)
    with np.errstate(all="ignore"):
        undefined = np.isnan(formula)
        off = np.abs(value - formula)
        lost = ~undefined & ~np.isfinite(value) & (value != formula)
        if node.element.kind == "int" and not isinstance(node, Cast):
            lost |= off >= 2.0**node.element.precision
        both = np.isfinite(value) & np.isfinite(formula) & ~lost
        typical = np.maximum(np.abs(formula), beside)
        allowed = 1.0 if node.element.kind == "int" else 0.0
        far = both & (off > allowed + ROUNDINGS * unit_roundoff(explained) * typical)
        error = float((off[far] / typical[far]).max(initial=0.0))
    count = np.count_nonzero
    return _Counts(formula.size, int(count(lost)), int(count(undefined)), int(count(far)), error)


def magnitude(reading: Reading, formula: Array) -> Array | float:
    """What an error is small or large beside, apart from the element itself."""
    return _magnitude(reading, scale(formula))


def _magnitude(reading: Reading, median: float) -> Array | float:
    node = reading.node
    if isinstance(node, Reduce) and node.operator is not None and node.operator.atomic is Atomic.ADD:
        random = np.sqrt(folded(node, np.add, np.square(reading.inputs[0]), reading.problem, 0.0))
        if node.mean:
            random /= np.maximum(terms_of(node, reading.problem), 1)
        typical: Array = np.maximum(np.nan_to_num(random, nan=0.0, posinf=0.0), median)
        return typical
    return median


@dataclass(frozen=True)
class _Left:
    """A step that has left the formula, and whether only where it had to."""

    node: VisitorNode
    found: dict[Kind, tuple[float, float]]
    pole: bool


def departures(steps: Sequence[Step], blocks: Blocks, outputs: Iterable[int], gemm: Gemm) -> list[Departure]:
    """Where the outputs at the given steps, behind such a GEMM, left the formula."""
    left = _left(steps, blocks, gemm)
    result = []
    for output in outputs:
        if output not in left:
            continue
        node, behind = left[output].node, sources(steps, output)
        assert node.tensor is not None
        for kind, (share, error) in left[output].found.items():
            first = next(i for i in left if i in behind and kind in left[i].found)
            if kind is Kind.ACCURACY and any(_infinite(left.get(i)) for i in steps[first].inputs):
                # What is divided by infinity is as accurate as can be, but wrong.
                first = next(i for i in left if i in sources(steps, first) and _infinite(left[i]))
            if kind is Kind.RANGE and share <= FEW and left[first].pole:
                continue
            result.append(Departure(kind, node.tensor.name, share, first, error))
    return result


def _left(steps: Sequence[Step], blocks: Blocks, gemm: Gemm) -> dict[int, _Left]:
    """The steps that have left the formula, in the order of visits."""
    explained, medians = explained_by(steps, gemm), _scales(blocks, lambda reading: reading.formula)
    counts: dict[int, _Counts] = {}
    bent: set[int] = set()
    for block in blocks:
        for reading in block():
            index = reading.index
            own = _counts(reading, explained[index], medians[index])
            counts[index] = counts.get(index, _Counts()) + own
            if own.lost and not _pole(reading):
                bent.add(index)
    return {
        i: _Left(node_of(steps[i]), found, Kind.RANGE in found and i not in bent)
        for i, of_all in counts.items()
        if (found := of_all.found)
    }


def _infinite(step: _Left | None) -> bool:
    """Whether more than a few elements of a step are out of range."""
    return step is not None and step.found.get(Kind.RANGE, (0.0, 0.0))[0] > FEW


def _pole(reading: Reading) -> bool:
    """Whether a step's elements out of range are so by its formula from the values that it was given, too."""
    assert reading.local is not None
    value, local = reading.stepwise.value.astype(np.float64), reading.local()
    return bool(np.array_equal(np.isfinite(value) | np.isfinite(local), np.isfinite(value)))
