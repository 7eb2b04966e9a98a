"""The graph of an epilogue: nodes, the two ways of composing them, and the options around them.

Everything is frozen. The graph may be wrong (a cycle, a type that does not match): :mod:`evtgen.check` says so, the
graph only holds what was written. It knows no C++ and no numpy; the meaning of nodes is in :mod:`evtgen.nodes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, Union

from . import shown
from .location import Location, caller
from .misuse import called, unbound
from .shapes import Shape
from .types import ElementType, Layout, RowMajor, element_type, float32, int64


@dataclass(frozen=True)
class Node:
    """One visitor node. The subclasses in :mod:`evtgen.nodes` define its inputs, its output and its costs."""

    location: Location | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.location is None:
            object.__setattr__(self, "location", caller())


@dataclass(frozen=True)
class TreeVisitor:
    """``TreeVisitor<op, children...>``: the children are visited in order, their outputs are the inputs of ``op``."""

    op: Node
    children: tuple[Visitor, ...]
    location: Location | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __init__(self, op: Node, *children: Visitor, location: Location | None = None) -> None:
        object.__setattr__(self, "op", op)
        object.__setattr__(self, "children", children)
        object.__setattr__(self, "location", location or caller())


@dataclass(frozen=True)
class TopologicalVisitor:
    """``TopologicalVisitor<edges, ops...>``: ``edges[i]`` are the indices of the inputs of ``ops[i]``; the last is
    the root.

    Each op is visited once per visit, however many others use its output. A nested visitor is complete in itself
    and takes no inputs.
    """

    edges: tuple[tuple[int, ...], ...]
    ops: tuple[Visitor, ...]
    location: Location | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __init__(
        self, edges: Sequence[Sequence[int]], ops: Sequence[Visitor], *, location: Location | None = None
    ) -> None:
        object.__setattr__(self, "edges", tuple(tuple(e) for e in edges))
        object.__setattr__(self, "ops", tuple(ops))
        object.__setattr__(self, "location", location or caller())


@dataclass(frozen=True, repr=False)
class Scalar:
    """A number that the caller gives at run time, where an operator takes a constant.

    In a traced function ``alpha: Scalar[float32]``, or ``alpha: Scalar[float32] = 1.0`` with a default.

    Attributes:
        name: field of the arguments struct. One name is one number, however often it is used.
        T: its element type, as that of any operand: a float or an integer.
        default: value of the field if the caller does not set it; None means 0.
        negative: the operator takes the number with its sign changed, as ``-alpha`` says.
    """

    name: str
    T: ElementType = float32
    default: float | int | None = None
    negative: bool = False

    def __class_getitem__(cls, T: ElementType) -> Scalar:
        """The annotation of a parameter, which has the parameter's name."""
        return cls("", element_type(T))

    @property
    def argument(self) -> Scalar:
        """The scalar as the caller gives it, without the change of sign."""
        return replace(self, negative=False)

    def __repr__(self) -> str:
        default = "" if self.default is None else f", default={self.default}"
        return f'{"-" * self.negative}Scalar("{self.name}", {self.T}{default})'

    def signed(self, value: float | int) -> float | int:
        """The number that the operator takes if the caller gives ``value``."""
        return -value if self.negative else value

    def spelled(self, name: str | None = None) -> str:
        """The scalar as an expression: its name, or ``name``, with its sign."""
        return f"{'-' * self.negative}{name or self.name}"

    def __neg__(self) -> Scalar:
        return replace(self, negative=not self.negative)


Visitor = Union[Node, TreeVisitor, TopologicalVisitor]  # noqa: UP007


@dataclass(frozen=True)
class Gemm:
    """The matmul before the epilogue.

    Attributes:
        a, b: element types of its operands; None takes that of the other one, and without either int8 for an int32
            accumulator and half for any other. They differ where both are floats of 8 bits, or b is widened.
        c: element type of the accumulator as the epilogue reads it; None takes that of the AccLoad, or half.
        l1, l0: tile shapes (m, n, k); None: evtgen chooses for these types and layouts.
        swizzle: (offset, direction) of ``GemmIdentityBlockSwizzle``.
        layout_a, layout_b: layouts of its operands in global memory; fractal ones are for operands alone.
        batch: many matmuls of one shape in one launch; each tensor has one part for each of them, or all share it.
        group: many matmuls by a list on the device. ``"m"``: their rows lie in groups, one after the other, and each
            group has a B of its own. ``"k"``: the columns of A and the rows of B lie in groups, one after the other,
            and each group has M x N outputs of its own.
        group_list: what the numbers of that list are: ``"offsets"``, where each group ends, or ``"counts"``, how many
            rows, or how much of K, each has.
        group_type: their type, int64 or int32.
        weights: how their Bs lie: ``"stacked"``, one behind the other, or ``"pointers"``, each at an address in a list
            on the device.
        weight_index: another list says which B each group takes, by numbers of that type; several may take the same.
        scale: what scales B has where it is stored in a narrower type than A, the input ``b_scale``: ``"column"``, one
            for each column; ``"group:128"``, one for each 128 rows of a column, both of A's type; ``"block:128x128"``,
            one for each 128 rows of 128 columns, of float32. Where both operands are int8, or floats of 8 bits, groups
            and blocks are of B, and ``a_scale`` has one for each 128 elements of a row of A. With floats of 8 bits,
            ``"mx"``: both have scales, one for each 32 elements of a row of A, or a column of B. Of two operands of
            int8, or of int4, ``"column"`` is a uint64 for each column of the product, which becomes half. None: none.
        zero_point: whether such a B also has zero points, the input ``b_zero``, where it has scales, else one for each
            column; they are subtracted before it is scaled.
        hf32: whether the matrix unit rounds operands of float32 to HF32, and multiplies them twice as fast.
        msd: whether an A of int8 is multiplied by a B of int4 in digits of int4, which the vector cores make of it;
            else they widen B. With it ``l1`` and ``l0`` have three rows for each row of C.
        policy: how the cube core goes from one block to the next: ``"pingpong"``, one after the other, or
            ``"preload_async"``, which loads the next while this one is multiplied and stored; None: evtgen chooses.
        split_k: into how many parts K is split, whose products are computed at the same time and then added up.
        workspace_stages: blocks of the accumulator that the workspace has for each cube core, or 0 for the whole of it;
            None: evtgen chooses.
        handoff: how the accumulator reaches the vector cores: ``"gm"``, through a workspace in global memory, or
            ``"ub"``, stored by the cube core in their UB, which then is the workspace; None: evtgen chooses.
        accumulators: two products with A, the first and the second accumulator: ``"halves"``, of one B with 2N columns,
            half of the columns each, or ``"separate"``, of two Bs; N is that of the outputs. None: there is one.
    """

    a: ElementType | None = None
    b: ElementType | None = None
    c: ElementType | None = None
    l1: tuple[int, int, int] | None = None
    l0: tuple[int, int, int] | None = None
    swizzle: tuple[int, int] = (3, 0)
    workspace_stages: int | None = None
    handoff: str | None = None
    layout_a: Layout = RowMajor
    layout_b: Layout = RowMajor
    batch: bool = False
    group: Literal["m", "k"] | None = None
    policy: str | None = None
    split_k: int = 1
    accumulators: Literal["halves", "separate"] | None = None
    group_list: Literal["offsets", "counts"] = "offsets"
    group_type: ElementType = int64
    weights: Literal["stacked", "pointers"] = "stacked"
    weight_index: bool = False
    scale: str | None = None
    zero_point: bool = False
    hf32: bool = False
    msd: bool = False

    def __post_init__(self) -> None:
        for name in ("a", "b", "c", "group_type"):
            object.__setattr__(self, name, element_type(getattr(self, name)))


DEFAULT_ARCH: ContextVar[str] = ContextVar("DEFAULT_ARCH", default="AtlasA2")
"""The architecture of epilogues that name none: what ``--arch`` sets."""


@dataclass(frozen=True)
class Epilogue:
    """An epilogue: a name, a graph and how it is to be built.

    Attributes:
        name: a C++ identifier; names the header and everything in it.
        root: the graph.
        arch: name of an architecture in :data:`evtgen.targets.ARCHITECTURES`; that of :data:`DEFAULT_ARCH` if it is not
            given.
        auto_cast: insert the casts that types need: operands meet in the narrowest type that holds all of them exactly,
            a store rounds to its own.
        compute_length: elements of one node's tile buffer, or ``"auto"`` for the largest that fits UB.
        buffers: how many tiles are in flight, or ``"auto"`` for as many as make the epilogue fastest.
        arguments: the order of ``EVT::Arguments`` that the user expects, a nest of names and ``()``; None if not given.
        fast_math: rewrite a traced graph into fewer instructions also where that changes how results are rounded.
        deterministic: reduce floats in a fixed order, through the workspace instead of by atomics alone: to the same
            bits in every order of execution and on any number of cores.
        traced: the graph came from a function; a pass chooses its form.
        function: that function, as it was decorated; it also runs on arrays. None for a graph that no function made.
        outputs: the names of the outputs in the order in which that function returns them; empty without one.
        accumulators: what that function calls the accumulators; empty without one.
    """

    name: str
    root: Visitor
    arch: str = field(default_factory=DEFAULT_ARCH.get)
    auto_cast: bool = False
    compute_length: int | str = "auto"
    buffers: int | str = "auto"
    gemm: Gemm = field(default_factory=Gemm)
    arguments: Any = None
    fast_math: bool = field(default=False, kw_only=True)
    deterministic: bool = field(default=False, kw_only=True)
    traced: bool = field(default=False, kw_only=True)
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False, kw_only=True)
    outputs: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    accumulators: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    location: Location | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.location is None:
            object.__setattr__(self, "location", caller())

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled, for jobs of other processes: all but the function, whose module they cannot import."""
        return {**self.__dict__, "function": None}

    if not TYPE_CHECKING:  # to a type checker it is no function either
        __call__ = called

    @property
    def shape(self) -> Shape | None:
        """(M, N, K) of the matmul in the graph that the epilogue was converted from, for the ``shape`` of other
        functions; of a batch, of one of them. None for groups, and where the graph does not know all three."""
        found: Shape | None = getattr(self.function, "shape", None)
        return found

    def bind(self, module: Any, /, *arguments: Any, **named: Any) -> dict[str, Any]:
        """The tensors of a model by the names that the epilogue has for them, as :func:`evtgen.run` takes them.

        Args:
            module: the model that the epilogue was converted from, or one of the same class with other weights.
            arguments, named: of a call of the model. Without them, only what needs none is bound: the weights, and
                what is computed of weights.

        Returns:
            ``a``, ``b``, with two Bs ``b2``, and each input and number; an operand whose name an input has, has an
            underscore behind it. Leading axes are rows, except in a batch; a transposed operand is a view.

        Raises:
            EvtgenError: EVT230, if no model was converted; EVT208, if the model cannot be called with the arguments.
        """
        found: dict[str, Any] = getattr(self.function, "bind", unbound(self))(module, *arguments, **named)
        return found

    def __repr__(self) -> str:
        return shown.text(self)

    def _repr_html_(self) -> str | None:
        return shown.html(self)

    def fields_text(self) -> str:
        """All that it is, as text."""
        named = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
        return f"Epilogue({', '.join(named)})"


@dataclass(frozen=True)
class Step:
    """A node in the flattened graph.

    Attributes:
        node: the node.
        inputs: indices of its producers in the flat list, in argument order.
    """

    node: Node
    inputs: tuple[int, ...]


def flatten(root: Visitor) -> list[Step]:
    """All nodes of a graph, children before parents as written, with nested visitors flattened.

    Edges that point outside their visitor are left out; a cycle stays a cycle (see :func:`visit_order`).
    """
    steps: list[Step] = []
    _flatten(root, steps)
    return steps


def _flatten(visitor: Visitor, steps: list[Step]) -> int:
    """Append the steps of ``visitor``; returns the index of its root."""
    if isinstance(visitor, TreeVisitor):
        inputs = tuple(_flatten(child, steps) for child in visitor.children)
        steps.append(Step(visitor.op, inputs))
    elif isinstance(visitor, TopologicalVisitor):
        roots = [_flatten(op, steps) for op in visitor.ops]
        for index, (op, edges) in enumerate(zip(visitor.ops, visitor.edges, strict=False)):
            if isinstance(op, Node):
                inputs = tuple(roots[e] for e in edges if 0 <= e < len(roots))
                steps[roots[index]] = Step(op, inputs)
        return roots[-1] if roots else -1
    else:
        steps.append(Step(visitor, ()))
    return len(steps) - 1


def visit_order(inputs: Sequence[Sequence[int]]) -> list[int]:
    """The order in which a topological visitor calls its ops: repeatedly the ops, by index, whose inputs are done.

    Ops on a cycle, and those that depend on one, never become ready and are missing from the result.
    """
    order: list[int] = []
    done: set[int] = set()
    grew = True
    while grew:
        grew = False
        for index, needs in enumerate(inputs):
            if index not in done and all(i in done for i in needs):
                order.append(index)
                done.add(index)
                grew = True
    return order


def consumers(steps: Sequence[Step]) -> list[list[int]]:
    """For each step the steps that read it, once per use (``z + z`` uses z twice)."""
    users: list[list[int]] = [[] for _ in steps]
    for index, step in enumerate(steps):
        for source in step.inputs:
            users[source].append(index)
    return users


def sources(steps: Sequence[Step], index: int) -> set[int]:
    """A step and all that it is made from."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting += steps[step].inputs
    return found


def walk(visitor: Visitor) -> Iterator[Visitor]:
    """Every visitor and node, parents before their parts."""
    yield visitor
    if isinstance(visitor, TreeVisitor):
        for child in visitor.children:
            yield from walk(child)
        yield visitor.op
    elif isinstance(visitor, TopologicalVisitor):
        for op in visitor.ops:
            yield from walk(op)
