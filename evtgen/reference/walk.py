"""The walk over a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ..graph.ir import Epilogue, Step, consumers, flatten, sources, visit_order
from ..graph.shapes import Problem
from ..graph.types import ElementType
from ..nodes import AStatistic, AuxScatter, BlockReduced, Reduce, Reduced, Store, VisitorNode
from ..operators.arrays import Array
from ..planner.plan import Plan
from ..targets import ARCHITECTURES, Architecture
from . import blocks
from . import formula as meant
from .enclosure import Enclosure
from .pairs import Causes, Meeting, causes_of, paired
from .propagate import propagate
from .roundings import Formulas, agreed, explained_by, rounded
from .stepwise import stepwise, stored
from .sums import Tiling, added_up, reduced, reduction, scattered
from .tensors import Tensors
from .tiles import tiles_of_each, within

Graph = Plan | Epilogue
Inputs = Mapping[str, Array]


@dataclass(frozen=True)
class Reading:
    """What both references say of one step.

    Attributes:
        index: of the step.
        node: its node.
        stepwise: its value with every rounding of the device, and where the device's must lie. Of a reduction and
            of a store, what is written.
        formula: the same in float64, as the user meant it; None where no product was given.
        inputs: the formula's values of its inputs.
        local: the formula of this step alone, from the stepwise values of its inputs; None of what was read in blocks.
        problem: of which matmuls, with the columns that a reduction has.
    """

    index: int
    node: VisitorNode
    stepwise: Enclosure
    formula: Array | None
    inputs: Sequence[Array]
    local: Callable[[], Array] | None
    problem: Problem


def steps_of(graph: Graph) -> Sequence[Step]:
    """The flattened graph, in which the index of a step names it."""
    return flatten(graph.root) if isinstance(graph, Epilogue) else graph.steps


def _architecture(graph: Graph) -> Architecture:
    return ARCHITECTURES[graph.arch] if isinstance(graph, Epilogue) else graph.arch


def evaluate(graph: Graph, acc: Array, inputs: Inputs, problem: Problem | None = None) -> dict[str, Array]:
    """The outputs of an epilogue, by tensor name.

    ``acc`` is the accumulator (M, N) in its element type; of a GEMM that has two, both side by side, (M, 2N).
    ``inputs`` holds arrays of their tensors' shapes and types. A tensor that is left out is a null pointer: its load
    must have a ``null_default``. All arrays are those of ``problem``, which without more is one matmul.
    """
    return {name: enclosure.value for name, enclosure in enclose(graph, acc, inputs, problem).items()}


def enclose(graph: Graph, acc: Array, inputs: Inputs, problem: Problem | None = None) -> dict[str, Enclosure]:
    """As :func:`evaluate`, with the enclosure of each output."""
    readings = read(graph, acc, inputs, problem=problem)
    return {r.node.tensor.name: r.stepwise for r in readings if r.node.writes and r.node.tensor}


def read(
    graph: Graph, acc: Array, inputs: Inputs, product: Array | None = None, problem: Problem | None = None,
    *, bounded: bool = True,
) -> Iterator[Reading]:  # fmt: skip
    """Both references of every step that has a value, in the order of visits.

    ``acc`` is the accumulator as the device has it, from which the stepwise reference starts; ``product`` is ``A @ B``
    in float64, from which the formula does; without it there is no formula. Unless it is ``bounded``, the stepwise
    reference has its values alone, in less time. Values are dropped after their last use.
    """
    steps = steps_of(graph)
    tensors = _tensors(graph, acc, inputs, problem)

    @cache
    def tiling(phase: int) -> Tiling | None:
        if not isinstance(graph, Plan):
            return None
        at_once = graph.rows if graph.has_whole_rows(tensors.problem.n) else None
        return list(tiles_of_each(at_once or graph.phases[phase], tensors.problem))

    def tiles_of(index: int, node: VisitorNode) -> Tiling | None:
        return within(tiling(graph.phase_of(index) if isinstance(graph, Plan) else 0), node.columns)

    exact = None if product is None else meant.operands(_each(graph, product), inputs, problem)
    values: dict[int, Enclosure] = {}
    formula_of = Formulas(steps)
    explained = explained_by(steps, graph.gemm)
    pairs = {index: pair for index in range(len(steps) if bounded else 0) if (pair := paired(steps, index))}
    watched = {i for index, pair in pairs.items() for i in sources(steps, steps[index].inputs[pair.value])}
    causes: dict[int, Causes] = {}
    uses = [len(users) for users in consumers(steps)]
    for index in visit_order([step.inputs for step in steps]):
        node = steps[index].node
        assert isinstance(node, VisitorNode)
        if node.joins:
            continue  # it has no value
        operands = _fitted([values[i] for i in steps[index].inputs])
        originals = [] if exact is None else formula_of.inputs(node, steps[index].inputs)
        # Infinities and NaNs are values like any other: the device does not stop for them.
        with np.errstate(all="ignore"):
            if bounded:
                pair = pairs.get(index)
                meeting = (
                    None
                    if pair is None
                    else partial(pair.meeting, operands, causes[steps[index].inputs[pair.value]], tensors)
                )
                here = _enclosed(node, operands, tensors, graph, partial(tiles_of, index, node), meeting)
            else:
                here = Enclosure(_stepwise(node, [operand.value for operand in operands], tensors))
            there = None if exact is None else meant.formula(node, originals, exact)
            values[index] = here
            if there is not None:
                given = partial(_agreed, here, operands, originals, explained[min(steps[index].inputs, default=index)])
                formula_of.put(index, steps[index], there, given)
            if index in watched:
                causes[index] = causes_of(index, node, here, [causes[i] for i in steps[index].inputs], tensors)
            if isinstance(node, Reduce | Store):
                tiles = tiles_of(index, node) if bounded and isinstance(node, Reduce) else None
                outputs = tensors.outputs
                here = _written(node, operands[0], tensors, tiles) if bounded else Enclosure(outputs[node.name])
                there = None if exact is None else exact.outputs[node.name]
        local = partial(_local, node, operands, exact)
        yield Reading(index, node, here, there, originals, local, tensors.problem.narrowed(node.columns))
        for i in steps[index].inputs:
            uses[i] -= 1
            if not uses[i]:
                values.pop(i, None)
                formula_of.pop(i)
                causes.pop(i, None)


def _enclosed(  # noqa: PLR0917
    node: VisitorNode, operands: list[Enclosure], tensors: Tensors, graph: Graph,
    tiles: Callable[[], Tiling | None], meeting: Meeting | None,
) -> Enclosure:  # fmt: skip
    """The enclosure of a node's value."""
    if isinstance(node, BlockReduced):
        return blocks.enclosed(node, operands[0], tensors)
    if isinstance(node, Reduced):
        return reduced(node, operands[0], tensors, tiles())
    if isinstance(node, AStatistic):
        return added_up(node, tensors, graph.gemm.layout_a)
    return propagate(node, operands, tensors, meeting)


def _fitted(operands: list[Enclosure]) -> list[Enclosure]:
    """The values of a node's inputs, all of as many columns."""
    width = min((operand.value.shape[1] for operand in operands), default=0)
    return [o if o.value.shape[1] == width else o.map(lambda array: array[:, :width]) for o in operands]


def _written(node: Reduce | Store, operand: Enclosure, tensors: Tensors, tiling: Tiling | None) -> Enclosure:
    """What a node writes; its value is in ``tensors``."""
    if isinstance(node, Reduce):
        return reduction(node, operand, tensors.outputs[node.name], tensors.problem.narrowed(node.columns), tiling)
    if isinstance(node, AuxScatter) and node.add:
        return scattered(node, operand, tensors.outputs[node.name], tensors)
    return operand.map(partial(stored, node, problem=tensors.problem))


def _agreed(  # noqa: PLR0917
    here: Enclosure, operands: Sequence[Enclosure], originals: Sequence[Array], explained: ElementType,
    node: VisitorNode, value: Array,
) -> Array:  # fmt: skip
    return agreed(node, here.value, operands[0].value, rounded(node, value), originals[0], explained)


def formulas(
    graph: Graph, inputs: Inputs, product: Array, problem: Problem | None = None, *, rounds: bool = False
) -> dict[str, Array]:
    """The outputs by their formula alone, by tensor name: float64 arrays. ``product`` is ``A @ B`` in float64. What is
    computed from a cast to a narrower type is computed from the rounded value if it ``rounds``."""
    tensors = meant.operands(_each(graph, product), inputs, problem)
    return _outputs(graph, meant.formula, tensors, rounded if rounds else None)


def values(graph: Graph, acc: Array, inputs: Inputs, problem: Problem | None = None) -> dict[str, Array]:
    """As :func:`evaluate`, without the enclosures beside: in less time."""
    return _outputs(graph, _stepwise, _tensors(graph, acc, inputs, problem))


def _stepwise(node: VisitorNode, inputs: list[Array], tensors: Tensors) -> Array:
    value: Array = (
        blocks.stepwise(node, inputs[0], tensors) if isinstance(node, BlockReduced) else stepwise(node, inputs, tensors)
    )
    return value


def _outputs(
    graph: Graph,
    step: Callable[[VisitorNode, list[Array], Tensors], Array],
    tensors: Tensors,
    rounds: Callable[[VisitorNode, Array], Array] | None = None,
) -> dict[str, Array]:
    steps = steps_of(graph)
    values = Formulas(steps)
    uses = [len(users) for users in consumers(steps)]
    with np.errstate(all="ignore"):
        for index in visit_order([one.inputs for one in steps]):
            node = steps[index].node
            assert isinstance(node, VisitorNode)
            if not node.joins:
                value = step(node, values.inputs(node, steps[index].inputs), tensors)
                values.put(index, steps[index], value, rounds)
            for i in steps[index].inputs:
                uses[i] -= 1
                if not uses[i]:
                    values.pop(i)
    return tensors.outputs


def _tensors(graph: Graph, acc: Array, inputs: Inputs, problem: Problem | None) -> Tensors:
    arch = _architecture(graph)
    first, *second = _each(graph, acc)
    return Tensors(
        first, dict(inputs), flushes_subnormals=arch.flushes_subnormals, off=arch.off,
        given=problem, second=second[0] if second else first,
    )  # fmt: skip


def _each(graph: Graph, side_by_side: Array) -> list[Array]:
    """Each accumulator of the GEMM, of an array that holds all."""
    return np.split(side_by_side, 1 if graph.gemm.accumulators is None else 2, axis=1)


def _local(node: VisitorNode, operands: Sequence[Enclosure], exact: Tensors | None) -> Array:
    """The formula of a node, from the stepwise values of its inputs."""
    assert exact is not None
    inputs = [o.value if o.value.dtype == bool else o.value.astype(np.float64) for o in operands]
    tensors = Tensors(exact.acc, exact.inputs, given=exact.given, second=exact.second)
    with np.errstate(all="ignore"):
        value = meant.formula(node, inputs, tensors)
    return tensors.outputs[node.name] if isinstance(node, Reduce | Store) else value
