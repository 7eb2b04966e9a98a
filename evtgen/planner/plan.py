"""The plan: an epilogue with every choice made.

Emission and verification only read it; nothing is decided later.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from ..diagnostics.files import NOT_SO_MANY, NOT_WHOLE_BYTES, NOT_WHOLE_HEADS, NOT_WHOLE_SCALES, TOO_FEW_COLUMNS
from ..graph.ir import (
    Epilogue,
    Gemm,
    Node,
    Scalar,
    Step,
    TopologicalVisitor,
    TreeVisitor,
    Visitor,
    flatten,
    visit_order,
)
from ..graph.location import Location
from ..graph.shapes import GEMM_B, MX_STEP, Problem, Shape
from ..graph.types import ElementType, float32
from ..kernels import DEFAULTS, Kernel, Matmuls, kernel_of, require
from ..kernels.grouped_matmul_slice_m import by_weight_index
from ..kernels.groups import STACKED
from ..nodes import AStatistic, Tensor, VisitorNode, node_of
from ..passes.analysis.argument_order import suffixes
from ..passes.analysis.gemm import MX, adds_slices, block_shape, half_step, in_digits, require_halves, whole_bytes
from ..passes.analysis.instructions import instructions
from ..passes.analysis.tiles import Tile, feeds
from ..passes.manager import SIMPLIFYING, stages
from ..targets import ARCHITECTURES, Architecture
from .aliases import aliases_of
from .cut import Grain, grain
from .handoff import Placed, placed, placed_products
from .order import is_ordered, ordered
from .phases import Split, placed_phases
from .rows import most_columns, needs_rows, takes_long_rows, takes_rows
from .scales import adding, scales
from .tile import UbMap
from .widening import loads_of, widening


@dataclass(frozen=True)
class Saving:
    """What a pass saved: its name, and how many vector instructions of each tile."""

    name: str
    instructions: int


@dataclass(frozen=True)
class Plan:
    """An epilogue with every choice made, ready to be emitted.

    Attributes:
        epilogue: the epilogue after all passes.
        arch: its architecture.
        steps: the flattened graph; a step's index names it everywhere below.
        order: indices of the steps as written, inputs first; on the device they run in the order of ``ub.plan``.
        aliases: the unique C++ name of each step's type.
        compute_length: elements of one tile buffer.
        ub: the plan of a tile: the order of the steps, their barriers, and where in UB each one's data lies.
        gemm: the GEMM, nothing in it left open.
        ub_workspace: bytes of UB that hold blocks of the accumulator; 0 where it goes through global memory.
        tensors: the tensors in GM, in the order of ``EVT::Arguments``.
        scalars: the numbers given at run time, each once, in that order.
        suffixes: the suffix of the names that generated code derives from each argument, by the argument's name.
        written: the graph as the user wrote it, with the casts that types need.
        savings: of the passes that rewrote it, in their order.
        split: how the graph is cut where reductions are used again; None where it has one phase.
        parts: the plan of each of its phases, which says what is above of a tile; empty where it has one.
        rows: the plan of whole rows, by which the kernel takes all phases at once; None where it has no such way.
        widening: the plan by which vector cores widen B first; None where it is multiplied as it is stored.
        adding: the plan by which they scale and add up the products of slices of K; None where the cube adds all up.
    """

    epilogue: Epilogue
    arch: Architecture
    steps: tuple[Step, ...]
    order: tuple[int, ...]
    aliases: tuple[str, ...]
    compute_length: int
    ub: UbMap
    gemm: Gemm
    ub_workspace: int
    tensors: tuple[Tensor, ...]
    scalars: tuple[Scalar, ...]
    suffixes: Mapping[str, str]
    written: Epilogue
    savings: tuple[Saving, ...]
    split: Split | None = None
    parts: tuple[Plan, ...] = ()
    rows: Plan | None = None
    widening: Plan | None = None
    adding: Plan | None = None

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the outputs, in the order in which the epilogue's function returns them."""
        outputs = [tensor.name for tensor in self.tensors if tensor.output]
        order = [name for name in self.epilogue.outputs if name in outputs]
        return tuple(dict.fromkeys([*order, *outputs]))

    @property
    def phases(self) -> tuple[Plan, ...]:
        """The plan of each phase: of most epilogues, this one."""
        return self.parts or (self,)

    @property
    def graphs(self) -> tuple[Plan, ...]:
        """The plans of all graphs that its header has: of the phases, then of whole rows."""
        return self.phases if self.rows is None else (*self.phases, self.rows)

    @cached_property
    def grain(self) -> Grain:
        """What its nodes ask of the shape of a tile."""
        return grain(node for _, node in self.nodes())

    def has_whole_rows(self, columns: int) -> bool:
        """Whether the kernel takes all phases at once, by whole rows, where C has so many columns: they are in a block,
        or in the workspace."""
        if self.rows is None:
            return False
        in_workspace = not self.gemm.workspace_stages and not self.ub_workspace
        fits = in_workspace and takes_rows(self.rows.grain.columns, self.rows.compute_length, columns)
        return fits or columns <= block_shape(self.gemm)[1]

    def phase_of(self, step: int) -> int:
        """The phase in which a step of the whole graph is computed first; of a reduced value, the one that reduces
        it."""
        return self.split.phase_of(step) if self.split else 0

    @property
    def least_columns(self) -> int:
        """The fewest that C has, so that each part of its rows has its own."""
        parts = [node.columns for _, node in self.nodes()]
        return max(part.start + 1 if part.stop is None else part.stop for part in parts)

    @property
    def most_columns(self) -> int | None:
        """The most that C has; None for any number. What takes whole rows alone has them in a block, or in a tile if it
        must."""
        if not needs_rows(self.steps):
            return None
        if self.gemm.workspace_stages:
            return block_shape(self.gemm)[1]
        return None if takes_long_rows(self.steps) else most_columns((n for _, n in self.nodes()), self.compute_length)

    @property
    def column_step(self) -> int:
        """What N is a multiple of: 2 where every second column is taken."""
        return max(node.columns.step for _, node in self.nodes())

    def wide(self, shape: Shape) -> Shape:
        """A shape that it can have, and of which each column is stored: this one, or one with as many more columns as
        its parts have, or its heads need, or with no column behind the last part that is stored, and with lines of
        whole bytes. Of a B that is scaled by rows, there are rows of two blocks."""
        m, n, k = shape
        deepest = max((tensor.depth for tensor in self.tensors), default=0)
        k = k if k > deepest else k + deepest
        n = n if n >= self.least_columns else n + self.least_columns
        columns = [node.columns for _, node in self.nodes() if any(tensor.output for tensor in node.tensors)]
        stops = [None if of.sorted else of.stop for of in columns]
        n = min([n, max(stop for stop in stops if stop is not None)]) if None not in stops else n
        n = min(n, self.most_columns or n)
        step = math.lcm(self.divides_n, self.column_step)
        return m, -(-n // step) * step, -(-k // self.divides_k) * self.divides_k

    @property
    def name(self) -> str:
        return self.epilogue.name

    @property
    def element_c(self) -> ElementType:
        """Element type of the accumulator."""
        assert self.gemm.c is not None
        return self.gemm.c

    @property
    def accumulators(self) -> int:
        """How many there are: products of A with as many Bs, or parts of one."""
        return 1 if self.gemm.accumulators is None else 2

    @property
    def operands(self) -> tuple[ElementType, ElementType]:
        """Element types of the GEMM's A and B."""
        assert self.gemm.a is not None and self.gemm.b is not None
        return self.gemm.a, self.gemm.b

    @property
    def product(self) -> float:
        """The time of one product in the matrix unit, in products of half. A widened B has A's type there, and digits
        of A have B's."""
        a, b = self.operands
        if in_digits(self.gemm):
            return b.product
        if a == float32 and not self.gemm.hf32:
            return a.product * self.arch.costs["floatFractal"]
        return a.product if self.widening else max(a.product, b.product)

    @property
    def kernel(self) -> Kernel:
        """The kernel of the framework that computes the GEMM."""
        return kernel_of(self.gemm)

    def problem(self, shape: Shape, asked: Matmuls = DEFAULTS, shared: frozenset[str] = frozenset()) -> Problem:
        """A launch at a shape, as the kernel has it; groups take Bs by numbers if they do so."""
        problem = self.kernel.problem(shape, asked, shared)
        return by_weight_index(problem) if self.gemm.weight_index else problem

    def matmuls(self, problem: Problem) -> Matmuls:
        """What a user asks for to get ``problem``."""
        asked = self.kernel.matmuls(problem)
        return replace(asked, ranks=problem.ranks) if self.sends else asked

    def size(self, problem: Problem) -> str:
        """The size of ``problem`` in words."""
        return self.matmuls(problem).text(self.kernel.shape(problem))

    @property
    def sends(self) -> bool:
        """Whether rows go to other ranks."""
        return any(tensor.ranks for tensor in self.tensors)

    @property
    def sharings(self) -> tuple[frozenset[str], ...]:
        """The sets of tensors to share in the runs of a test; Bs that a list names are never shared."""
        listed = self.gemm.weights != STACKED or self.gemm.weight_index
        named = frozenset({GEMM_B} if listed else ())
        return tuple(dict.fromkeys(shared - named for shared in self.kernel.sharings(self.tensors)))

    @property
    def mmad_tiles(self) -> tuple[Tile, Tile]:
        """The GEMM's tiles in L1 and in L0."""
        assert self.gemm.l1 is not None and self.gemm.l0 is not None
        return self.gemm.l1, self.gemm.l0

    @property
    def buffers(self) -> int:
        """How many tiles are in flight."""
        return self.ub.buffers

    @property
    def ub_used(self) -> int:
        """Bytes of UB that all buffers take together."""
        return self.ub.used

    @property
    def ub_limit(self) -> int:
        """Bytes of UB that are left to the buffers."""
        return self.arch.ub_usable - self.ub_workspace

    @property
    def is_ordered(self) -> bool:
        """Whether some reduction, or a sum of rows, is in a fixed order, and with it all that is stored."""
        return any(is_ordered(node) for part in self.phases for _, node in part.nodes())

    @property
    def reads_a(self) -> bool:
        """Whether the graph reads statistics of A."""
        return any(isinstance(step.node, AStatistic) for step in self.steps)

    @property
    def divides_n(self) -> int:
        """What N is a multiple of: columns of a head, of a fractal in which the second half of B begins, or those in a
        byte."""
        heads = (node.divides_n for _, node in self.nodes())
        return math.lcm(max(half_step(self.gemm), *heads), self.whole_bytes[0])

    @property
    def whole_bytes(self) -> tuple[int, int]:
        """What N and K are multiples of, so that lines of operands and of outputs are whole bytes."""
        n, k = whole_bytes(self.gemm)
        return max(n, *(tensor.element.packed for tensor in self.tensors)), k

    @property
    def divides_k(self) -> int:
        """What K is a multiple of: elements whose scales are copied together, or whole bytes."""
        return MX_STEP if self.gemm.scale == MX else self.whole_bytes[1]

    @property
    def sliced(self) -> bool:
        """Whether vector cores add up products of slices of K: of a split K (:attr:`Kernel.adds`), or with scales."""
        return self.kernel.adds or self.adding is not None

    @property
    def products_in_ub(self) -> bool:
        """Whether the cube core stores products of slices with scales in UB."""
        return self.adding is not None and self.adding.ub_workspace > 0

    @property
    def feeds(self) -> bool:
        """Whether vector cores write a widened B to L1, tile by tile, each for the cube core of its group (``FEEDS`` of
        visitor_widening.hpp)."""
        return feeds(self.gemm, self.arch) and len(self.phases) == 1 and not needs_rows(self.steps)

    @property
    def meets(self) -> bool:
        """Whether all vector cores wait for each other in the kernel."""
        meets = (
            (self.widening is not None and not self.feeds)
            or in_digits(self.gemm)
            or self.kernel.adds
            or self.reads_a
            or needs_rows(self.steps)
        )
        return len(self.phases) > 1 or self.is_ordered or meets

    def nodes(self) -> Iterator[tuple[str, VisitorNode]]:
        """(alias, node) of every step."""
        return zip(self.aliases, (node_of(step) for step in self.steps), strict=True)


def lower(epilogue: Epilogue) -> Plan:
    """Run the passes over an epilogue that :func:`evtgen.check.check` finds no error in."""
    epilogue, written, savings = _simplified(epilogue)
    arch = ARCHITECTURES[epilogue.arch]
    cut, ways, rows = placed_phases(epilogue, arch)
    steps = tuple(flatten(epilogue.root)) if cut else ways[0][1].steps
    nodes = [node_of(step) for step in steps]
    names = dict.fromkeys(tensor.name for node in nodes for tensor in node.tensors)
    scalars = dict.fromkeys(scalar.name for node in nodes for scalar in node.scalars)
    of_b = tuple(node.tensor for of in (loads_of, scales) for node in of(ways[0][1].gemm))
    of_arguments = suffixes([*(tensor.name for tensor in of_b), *names, *scalars])

    def planned(epilogue: Epilogue, steps: tuple[Step, ...], way: Placed) -> Plan:
        steps = ordered(steps, way.gemm) if epilogue.deterministic else steps
        nodes = [node_of(step) for step in steps]
        return Plan(
            epilogue=epilogue,
            arch=arch,
            steps=steps,
            order=tuple(visit_order([step.inputs for step in steps])),
            aliases=aliases_of(steps),
            compute_length=way.tiles.length,
            ub=way.tiles.ub,
            gemm=way.gemm,
            ub_workspace=way.ub_workspace,
            tensors=tuple(dict.fromkeys(tensor for node in nodes for tensor in node.tensors)),
            scalars=tuple(dict.fromkeys(scalar for node in nodes for scalar in node.scalars)),
            suffixes=of_arguments,
            written=written,
            savings=savings,
        )

    whole = planned(epilogue, steps, ways[0][1])

    def beside(epilogue: Epilogue | None) -> Plan | None:
        if epilogue is None:
            return None
        # What widens B has its tiles beside the blocks of C
        adds = adds_slices(whole.gemm)
        way = placed_products(epilogue, arch) if adds else placed(epilogue, arch, whole.ub_workspace)
        graph = planned(epilogue, way.steps, way)
        return replace(graph, suffixes=suffixes(tensor.name for tensor in graph.tensors))

    first = widening(epilogue.name, whole.gemm, arch, by_rows=whole.gemm.layout_b.by_rows)
    whole = replace(
        whole, widening=beside(first), adding=beside(adding(epilogue.name, whole.gemm, arch, epilogue.gemm.handoff))
    )
    whole = replace(whole, tensors=(*of_b, *whole.tensors))
    if cut is None:
        return whole
    return replace(
        whole,
        split=cut,
        parts=tuple(planned(phase, way.steps, way) for phase, way in ways),
        rows=None if rows is None else planned(rows[0], rows[1].steps, rows[1]),
    )


def require_launches(plans: Sequence[Plan], asked: Matmuls, shapes: Sequence[Shape]) -> None:
    """Raises EvtgenError for matmuls or ranks that no plan has (EVT177), and for an N that one cannot have (EVT241,
    EVT276, EVT278, EVT286, EVT291)."""
    require({plan.name: plan.kernel for plan in plans}, asked, shapes)
    if asked.ranks is not None and not any(plan.sends for plan in plans):
        one, name = (" of one", plans[0].name) if len(plans) == 1 else ("", "")
        raise NOT_SO_MANY.refusal(f"ranks{one}", name=name, ranks=asked.ranks)
    for plan in plans:
        require_sides(plan, ((n, k) for _, n, k in shapes))


def require_sides(plan: Plan, sides: Iterable[tuple[int, int]], location: Location | None = None) -> None:
    """Raises EvtgenError if one of these (N, K) is none that the plan can have (EVT241, EVT276, EVT278, EVT286,
    EVT291)."""
    sides, least, head = list(sides), plan.least_columns, max(node.divides_n for _, node in plan.nodes())
    require_halves(plan.name, plan.gemm, (n for n, _ in sides), location)
    steps = plan.whole_bytes
    for n, k in sides:
        if plan.gemm.scale == MX and k % MX_STEP:
            raise NOT_WHOLE_SCALES.refusal(at=location, name=plan.name, step=MX_STEP, k=k)
        for side, size, step in zip("NK", (n, k), steps, strict=True):
            if size % step:
                raise NOT_WHOLE_BYTES.refusal(at=location, name=plan.name, side=side, step=step, size=size)
        if plan.most_columns is not None and n > plan.most_columns:
            raise TOO_FEW_COLUMNS.refusal("rows", location, name=plan.name, most=plan.most_columns, n=n)
        if n < least:
            raise TOO_FEW_COLUMNS.refusal(at=location, name=plan.name, least=least, n=n)
        if n % head:
            raise NOT_WHOLE_HEADS.refusal(at=location, name=plan.name, head=head, n=n)
        if n % plan.column_step:
            raise TOO_FEW_COLUMNS.refusal("odd", location, name=plan.name, n=n)


def _simplified(epilogue: Epilogue) -> tuple[Epilogue, Epilogue, tuple[Saving, ...]]:
    """The epilogue after all passes, as it was before the first that simplifies, and what those saved."""
    written, before = epilogue, 0
    savings = []
    for one, after in stages(epilogue):
        count = instructions(flatten(after.root))
        if one in SIMPLIFYING and after is not epilogue:
            savings.append(Saving(one.name, before - count))
        elif one not in SIMPLIFYING and not savings:
            written = after
        epilogue, before = after, count
    return epilogue, written, tuple(savings)


def indexed(root: Visitor) -> Indexed:
    """The structure of a graph with each node replaced by its index in :func:`evtgen.graph.ir.flatten`'s list."""
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
