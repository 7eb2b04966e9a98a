"""The passes in their order, and the properties of an epilogue that each requires and ensures.

A :class:`Property` is a predicate on an epilogue. The order is sound if the properties that a pass requires have been
established, by the checker or by an earlier pass; :func:`check_order` proves that without a graph. With ``verify=True``
the predicates themselves are evaluated on the input and the output of each pass, so that a test over random graphs
finds a pass that breaks its promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..graph.ir import Epilogue, Node, TreeVisitor, flatten, visit_order, walk
from ..nodes import Reduce, Reducing, VisitorNode
from .analysis.size import excess
from .cancel_casts import cancel_casts
from .cancel_signs import cancel_signs
from .choose_form import choose_form
from .common_subexpressions import common_subexpressions
from .compose_reductions import compose_reductions
from .drop_neutral import drop_neutral
from .find_bands import find_bands
from .fold_constants import fold_constants
from .fuse_relu import fuse_relu
from .insert_casts import insert_casts
from .join_limits import join_limits
from .multiply_add import multiply_add
from .multiply_by_reciprocal import multiply_by_reciprocal
from .place_parts import place_parts


@dataclass(frozen=True)
class Property:
    """A named predicate on epilogues."""

    name: str
    holds: Callable[[Epilogue], bool]


@dataclass(frozen=True)
class Pass:
    """A rewriting of an epilogue.

    Attributes:
        run: the rewriting itself; it never changes its argument.
        requires: the properties that must hold before it.
        ensures: the properties that hold after it, besides those that held before.
    """

    run: Callable[[Epilogue], Epilogue]
    requires: tuple[Property, ...]
    ensures: tuple[Property, ...]

    @property
    def name(self) -> str:
        return self.run.__name__


def _sound(epilogue: Epilogue) -> bool:
    """Every op is a node or a visitor, and every op can be visited."""
    if excess(epilogue.root) is not None:
        return False
    steps = flatten(epilogue.root)
    return all(isinstance(step.node, VisitorNode) for step in steps) and len(
        visit_order([step.inputs for step in steps])
    ) == len(steps)


def _typed(epilogue: Epilogue) -> bool:
    """Every input has the element type that its consumer takes."""
    nodes = [(step, step.node) for step in flatten(epilogue.root)]
    elements = [node.element if isinstance(node, VisitorNode) and not node.joins else None for _, node in nodes]
    return all(
        isinstance(node, VisitorNode) and node.takes(number) in (None, elements[source])
        for step, node in nodes
        for number, source in enumerate(step.inputs)
    )


def _composed(epilogue: Epilogue) -> bool:
    """Every reduction joins its elements as they are."""
    return all(step.node.first is None for step in flatten(epilogue.root) if isinstance(step.node, (Reduce, Reducing)))


def _formed(epilogue: Epilogue) -> bool:
    """A traced graph has the form in which it is emitted, and each op of a tree is a node."""
    trees = (part for part in walk(epilogue.root) if isinstance(part, TreeVisitor))
    return choose_form(epilogue) == epilogue and all(isinstance(tree.op, Node) for tree in trees)


SOUND = Property("sound", _sound)
TYPED = Property("typed", _typed)
COMPOSED = Property("composed", _composed)
FORMED = Property("formed", _formed)

CHECKED: tuple[Property, ...] = (SOUND,)
"""The properties of an epilogue in which the checker finds no error."""

SIMPLIFYING: tuple[Pass, ...] = tuple(
    Pass(run, requires=(SOUND, TYPED), ensures=())
    for run in (
        drop_neutral,
        cancel_signs,
        multiply_by_reciprocal,
        fold_constants,
        join_limits,
        cancel_casts,
        find_bands,
        # What the ones before have made alike is merged; the ones after ask how often a value is needed.
        common_subexpressions,
        fuse_relu,
        multiply_add,
    )
)
"""The passes for fewer instructions."""

PASSES: tuple[Pass, ...] = (
    Pass(insert_casts, requires=(SOUND,), ensures=(TYPED,)),
    Pass(compose_reductions, requires=(SOUND, TYPED), ensures=(COMPOSED,)),
    Pass(place_parts, requires=(SOUND,), ensures=()),
    *SIMPLIFYING,
    Pass(choose_form, requires=(SOUND, TYPED), ensures=(FORMED,)),
)
"""All passes, first to last."""


class BrokenPass(AssertionError):
    """A property that a pass requires or ensures does not hold: a fault in evtgen."""


def check_order(passes: Sequence[Pass] = PASSES, given: Sequence[Property] = CHECKED) -> None:
    """Raise BrokenPass unless the properties that each pass requires are established before it."""
    established = set(given)
    for one in passes:
        for missing in [p for p in one.requires if p not in established]:
            raise BrokenPass(f"{one.name} requires a graph that is {missing.name}, which nothing before it ensures")
        established |= set(one.ensures)


def run_passes(epilogue: Epilogue, passes: Sequence[Pass] = PASSES, *, verify: bool = False) -> Epilogue:
    """The epilogue after all passes; with ``verify`` every property is evaluated as soon as it should hold.

    The epilogue must be one that :func:`evtgen.check.check` finds no error in. Raises BrokenPass, only with ``verify``.
    """
    result = epilogue
    for _, after in stages(epilogue, passes, verify=verify):
        result = after
    return result


def stages(
    epilogue: Epilogue, passes: Sequence[Pass] = PASSES, *, verify: bool = False
) -> Iterator[tuple[Pass, Epilogue]]:
    """Each pass with the epilogue after it, as :func:`run_passes` runs them."""
    established = list(CHECKED)
    for one in passes:
        if verify:
            _verify(one, "requires", one.requires, epilogue)
        epilogue = one.run(epilogue)
        established += one.ensures
        if verify:
            _verify(one, "ensures", established, epilogue)
        yield one, epilogue


def _verify(one: Pass, verb: str, properties: Sequence[Property], epilogue: Epilogue) -> None:
    for wrong in [p for p in properties if not p.holds(epilogue)]:
        raise BrokenPass(f"{one.name} {verb} a graph that is {wrong.name}, but {epilogue.name} is not")


check_order()
