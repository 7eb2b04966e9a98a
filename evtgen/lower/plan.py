"""The plan: an epilogue with every choice made.

What is emitted and verified is read off it, nothing is decided later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..arch import ARCHITECTURES, Architecture
from ..ir import Epilogue, Node, Scalar, Step, TopologicalVisitor, TreeVisitor, Visitor, flatten, visit_order
from ..nodes import AccLoad, Tensor, VisitorNode
from ..types import ElementType, half
from .auto_cast import insert_casts
from .budget import compute_length
from .form import choose_form


@dataclass(frozen=True)
class Plan:
    """What is to be emitted.

    Attributes:
        epilogue: the epilogue after all passes.
        arch: its architecture.
        steps: the flattened graph; a step's index names it everywhere below.
        order: indices of the steps in the order of their visits.
        aliases: the unique C++ name of each step's type.
        compute_length: elements of one tile buffer.
        ub: (alias, bytes of all its buffers) of each step that takes UB, in the order of allocation within a buffer.
        ub_used, ub_limit: bytes of UB, of the epilogue and of the architecture.
        element_c: element type of the accumulator.
        tensors: the tensors in GM, in the order of ``EVT::Arguments``.
        scalars: the numbers given at run time, each once, in that order.
    """

    epilogue: Epilogue
    arch: Architecture
    steps: tuple[Step, ...]
    order: tuple[int, ...]
    aliases: tuple[str, ...]
    compute_length: int
    ub: tuple[tuple[str, int], ...]
    ub_used: int
    ub_limit: int
    element_c: ElementType
    tensors: tuple[Tensor, ...]
    scalars: tuple[Scalar, ...]

    @property
    def name(self) -> str:
        return self.epilogue.name

    def nodes(self) -> Iterator[tuple[str, VisitorNode]]:
        """(alias, node) of every step."""
        return zip(self.aliases, (node_of(step) for step in self.steps), strict=True)


def node_of(step: Step) -> VisitorNode:
    """The step's node, which after the check is one of :data:`evtgen.nodes.NODE_KINDS`."""
    assert isinstance(step.node, VisitorNode)
    return step.node


def lower(epilogue: Epilogue) -> Plan:
    """Run the passes over an epilogue that :func:`evtgen.check.check` finds no error in."""
    epilogue = choose_form(insert_casts(epilogue))
    arch = ARCHITECTURES[epilogue.arch]
    steps = tuple(flatten(epilogue.root))
    aliases = _aliases(steps)
    length = epilogue.compute_length
    if not isinstance(length, int):
        length = compute_length(steps, arch, epilogue.buffers)
    shares = ((alias, node_of(step).ub_bytes(length)) for alias, step in zip(aliases, steps, strict=True))
    ub = tuple((alias, share * epilogue.buffers) for alias, share in shares if share > 0)
    tensors = tuple(tensor for step in steps if (tensor := node_of(step).tensor) is not None)
    return Plan(
        epilogue=epilogue,
        arch=arch,
        steps=steps,
        order=tuple(visit_order([step.inputs for step in steps])),
        aliases=aliases,
        compute_length=length,
        ub=ub,
        ub_used=sum(share for _, share in ub),
        ub_limit=arch.ub_usable,
        element_c=element_c(epilogue, steps),
        tensors=tensors,
        scalars=tuple(dict.fromkeys(scalar for step in steps for scalar in node_of(step).scalars)),
    )


def element_c(epilogue: Epilogue, steps: tuple[Step, ...]) -> ElementType:
    """Element type of the accumulator: what the GEMM says, else what the AccLoad reads, else half."""
    if epilogue.gemm.c is not None:
        return epilogue.gemm.c
    return next((step.node.T for step in steps if isinstance(step.node, AccLoad)), half)


def arguments_nest(visitor: Visitor) -> Any:
    """The nest of ``EVT::Arguments``: for a node its tensor's or scalar's name, a tuple of several, ``()`` for none."""
    if isinstance(visitor, TreeVisitor):
        return (*(arguments_nest(child) for child in visitor.children), arguments_nest(visitor.op))
    if isinstance(visitor, TopologicalVisitor):
        return tuple(arguments_nest(op) for op in visitor.ops)
    assert isinstance(visitor, VisitorNode)
    names = [scalar.name for scalar in visitor.scalars]
    if visitor.tensor is not None:
        names.append(visitor.tensor.name)
    return names[0] if len(names) == 1 else tuple(names)


def _aliases(steps: tuple[Step, ...]) -> tuple[str, ...]:
    subjects: dict[int, str] = {}
    for index in visit_order([step.inputs for step in steps]):
        subjects[index] = node_of(steps[index]).subject([subjects[i] for i in steps[index].inputs])
    taken: dict[str, int] = {}
    return tuple(unique(node_of(step).alias([subjects[i] for i in step.inputs]), taken) for step in steps)


def unique(base: str, taken: dict[str, int]) -> str:
    """A name that is not taken yet, and is from now on: the second ``Plus`` is ``Plus2``, the second ``CastXToInt8``
    is ``CastXToInt8_2``. ``taken`` holds for each name the number that may come next."""
    name = base
    while name in taken:
        name = f"{base}{'_' if base[-1].isdigit() else ''}{taken[base]}"
        taken[base] += 1
    taken[name] = 2
    return name


def indexed(root: Visitor) -> Indexed:
    """The structure of a graph with each node replaced by its index in :func:`evtgen.ir.flatten`'s list."""
    return _index(root, [0])


@dataclass(frozen=True)
class Tree:
    """A TreeVisitor over indices."""

    op: int
    children: tuple[Indexed, ...]


@dataclass(frozen=True)
class Topological:
    """A TopologicalVisitor over indices; ``edges`` index ``ops``, as in C++."""

    edges: tuple[tuple[int, ...], ...]
    ops: tuple[Indexed, ...]


Indexed: TypeAlias = int | Tree | Topological


def _index(visitor: Visitor, counter: list[int]) -> Indexed:
    # The same order as flatten: children, then the op.
    if isinstance(visitor, TreeVisitor):
        children = tuple(_index(child, counter) for child in visitor.children)
        return Tree(_next(counter), children)
    if isinstance(visitor, TopologicalVisitor):
        return Topological(visitor.edges, tuple(_index(op, counter) for op in visitor.ops))
    assert isinstance(visitor, Node)
    return _next(counter)


def _next(counter: list[int]) -> int:
    counter[0] += 1
    return counter[0] - 1
