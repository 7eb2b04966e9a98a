"""A graph in C++: its types, in one piece or subtree by subtree, and its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..graph.ir import Scalar
from ..graph.types import ElementType
from ..nodes import (
    AuxScatter,
    Band,
    BlockBroadcast,
    Cast,
    Compute,
    Constant,
    HeadBroadcast,
    Reduce,
    RowBroadcast,
    Store,
    Tensor,
    VisitorNode,
    node_of,
)
from ..nodes.base import pascal
from ..operators.constants import literal
from ..passes.analysis.cpp_names import MEMBERS, NAMESPACES, TYPES
from ..planner.aliases import alias, subject, unique
from ..planner.plan import Indexed, Plan, Topological, Tree, indexed
from ..planner.scales import OperandScale, scales
from ..planner.widening import loads_of

LONGEST_SUBJECT = 28
"""The longest name that includes the operands, in characters; instead of a longer one, the operator names the value."""

LONGEST_COMMENT = 80
"""Characters of a comment after an edge."""

FILLED = "the caller fills {name} with it"
STANDS = "stands for {name} where that is null"
ADDRESSES = "addresses in {name}"
APART = "elements from the {name} of one matmul to that of the next"
SHARED = f"{APART}; 0: all share it"
REPEATED = "matmuls, one after the other, that take one {name}"
COMMENTS = (FILLED, STANDS, ADDRESSES, APART, SHARED, REPEATED)
"""What comments say of fields that are no tensors and no numbers: in English, as headers have them."""

_INFIX = {"Multiplies": "Times", "Divides": "Over", "LogicalAnd": "And", "LogicalOr": "Or"}
"""Words for operators between their operands, where they are not the operators' own names."""


@dataclass(frozen=True)
class Alias:
    """A line ``using name = cpp;``."""

    name: str
    cpp: str


@dataclass(frozen=True)
class Edge:
    """The inputs of one op of a topological visitor, as a type, and the comment on the op."""

    cpp: str
    comment: str
    last: bool

    @property
    def separator(self) -> str:
        return "" if self.last else ","


@dataclass(frozen=True)
class GraphTypes:
    """The type of a graph, subtree by subtree.

    Attributes:
        subtrees: a line for each visitor inside the graph; each names only nodes and lines before it.
        edges: the inputs of each op where the whole is a topological visitor; empty where it is a tree.
        evt: the type of the whole, over the names of nodes and subtrees, and ``Edges``.
    """

    subtrees: tuple[Alias, ...]
    edges: tuple[Edge, ...]
    evt: str


@dataclass(frozen=True)
class Field:
    """A field of the arguments struct, with its default and its comment; one that is ``last`` came later than the
    others, which keep their places."""

    type: str
    name: str
    default: str
    comment: str
    last: bool = False

    @property
    def remark(self) -> str:
        """The comment as C++; empty for none."""
        return f" ///< {self.comment}" if self.comment else ""


def cpp_type(plan: Plan, prefix: str) -> str:
    """The C++ type of the whole graph, over the aliases of the nodes, on one line; of several phases, over theirs."""
    if plan.parts:
        names = [f"{phase_name(plan, part)}::BlockEpilogue" for part in plan.graphs]
        return f"{prefix}Phases<{', '.join(names)}>::EVT"
    return _type(indexed(plan.epilogue.root), plan, prefix)


def graph_types(plan: Plan, prefix: str) -> GraphTypes:
    """The lines of a header that compose the nodes to ``EVT``; ``prefix`` is that of the framework's names."""
    root = indexed(plan.epilogue.root)
    subjects = _subjects(plan)
    names = [*plan.aliases, *(field.name for _, node in plan.nodes() for field in fields_of(node, plan))]
    taken = dict.fromkeys([*names, *MEMBERS, *NAMESPACES, *TYPES], 2)
    lines: list[Alias] = []

    def part(part: Indexed) -> str:
        if isinstance(part, int):
            return plan.aliases[part]
        name = unique(_subtree_name(_root(part), plan, subjects), taken)
        # Parts come before the whole, since a line can use only names declared above it.
        cpp = visitor(part)
        lines.append(Alias(name, cpp))
        return name

    def visitor(whole: Tree | Topological) -> str:
        if isinstance(whole, Tree):
            children = [part(child) for child in whole.children]
            return f"{prefix}TreeVisitor<{', '.join([plan.aliases[whole.op], *children])}>"
        return _topological(_edges(whole), [part(op) for op in whole.ops], prefix)

    if isinstance(root, int):
        return GraphTypes((), (), plan.aliases[root])
    if isinstance(root, Tree):
        evt = visitor(root)
        return GraphTypes(tuple(lines), (), evt)
    ops = [part(op) for op in root.ops]
    edges = tuple(
        Edge(sequence(edge), f"{number}: {call_comment(op, [ops[i] for i in edge])}", number == len(ops) - 1)
        for number, (edge, op) in enumerate(zip(root.edges, ops, strict=True))
    )
    return GraphTypes(tuple(lines), edges, _topological("Edges", ops, prefix))


def arguments_value(plan: Plan) -> str:
    """``EVT::Arguments`` as braces over the fields of the arguments struct, each node's arguments by their type."""

    def of_phase(part: Plan) -> Any:
        scope = f"{name}::" if (name := phase_name(plan, part)) else ""

        def leaf(index: int) -> str:
            node = node_of(part.steps[index])
            given = initializer(node, part) if part is not plan.widening else _of_widening(node, plan)
            return f"{scope}{part.aliases[index]}::Arguments{given}"

        return _nest(indexed(part.epilogue.root), leaf)

    of_phases = _of_phases(plan, of_phase)
    if any(scales(plan.gemm)):
        of = (
            f"ScaledEpilogue::EVT::ScalesOf{'A' if node.of_a else 'B'}{initializer(node, plan)}"
            for node in scales(plan.gemm)
        )
        of_phases = (*of, of_phases)
    return _braced(of_phases if plan.widening is None else (of_phase(plan.widening), of_phases))


def _of_widening(node: VisitorNode, plan: Plan) -> str:
    """The braces of the arguments of a node that widens B: values that lie beside the columns of B or, where its lines
    are these, the rows. The kernel knows where B is."""
    given = next((load for load in loads_of(plan.gemm) if load.name == getattr(node, "name", "")), None)
    if given is None:
        return "{}"
    own, layout = initializer(given, plan), f"layout{plan.suffixes[given.name]}"
    if plan.gemm.layout_b.by_rows:
        return own
    turned = f"{layout}.shape(1), {layout}.shape(0), {layout}.stride(0)"
    return own.replace(layout, f"{{{f'{layout}.shape(1), 1u' if isinstance(given, RowBroadcast) else turned}}}")


def phase_name(plan: Plan, part: Plan) -> str:
    """The namespace of a phase of a plan, of whole rows or of a graph beside it; empty where it has one phase."""
    for name, own in (("rows", plan.rows), ("widening", plan.widening), ("adding", plan.adding)):
        if part is own:
            return name
    return f"phase{plan.parts.index(part) + 1}" if plan.parts else ""


def _of_phases(plan: Plan, nest: Callable[[Plan], Any]) -> Any:
    """What ``nest`` makes of a graph, or of each phase."""
    parts = tuple(nest(part) for part in plan.graphs)
    return parts if plan.parts else parts[0]


def arguments_text(plan: Plan) -> str:
    """``EVT::Arguments`` as braces, where a name stands for all fields of a tensor: ``{{{}, {X}, {}}, {D}}``."""

    def leaf(part: Plan, index: int) -> str:
        node = node_of(part.steps[index])
        if isinstance(node, Band | Compute) and node.constants:
            T = node.element_constant
            values = (c.spelled() if isinstance(c, Scalar) else literal(c, T) for c in node.constants)
            return f"{{{{{', '.join(values)}}}}}"
        return f"{{{', '.join(tensor.name for tensor in node.tensors)}}}"

    return _braced(_of_phases(plan, lambda part: _nest(indexed(part.epilogue.root), partial(leaf, part))))


def argument_fields(plan: Plan) -> tuple[Field, ...]:
    """Fields of the arguments struct, in the order of the visits; those that are ``last`` behind all others."""
    nodes = [*loads_of(plan.gemm), *scales(plan.gemm), *(node for _, node in plan.nodes())]
    fields = {field.name: field for node in nodes for field in fields_of(node, plan)}
    return tuple(sorted(fields.values(), key=lambda field: field.last))


def fields_of(node: VisitorNode, plan: Plan) -> list[Field]:
    """Fields of the arguments struct that one node reads, in the order of its own Arguments."""
    tensor, suffixes = node.tensor, plan.suffixes
    if tensor is None:
        defaults = {s: "" if s.default is None else element_literal(s.default, s.T) for s in node.scalars}
        return [Field(s.T.cpp, s.name, default, "in: a number") for s, default in defaults.items()]
    name, suffix, element = tensor.name, suffixes[tensor.name], tensor.element.cpp
    fields = [
        Field("GM_ADDR", name, "nullptr", _describe(tensor, ", to which rows are added" if _adds(node) else "")),
        Field(tensor.layout.cpp, f"layout{suffix}", "", ""),
    ]
    if isinstance(node, Reduce):
        value = element_literal(node.identity, tensor.element)
        fields.append(Field(element, f"identity{suffix}", value, FILLED.format(name=name)))
    if tensor.null_default is not None:
        value = element_literal(tensor.null_default, tensor.element)
        fields.append(Field(element, f"nullDefault{suffix}", value, STANDS.format(name=name)))
    if node.indices:
        for index, what in zip(node.indices, ("rows of", "ranks that own them in"), strict=False):
            fields.append(Field("GM_ADDR", index.name, "nullptr", f"{_describe(index)}, the {what} {name}"))
            fields.append(Field(index.layout.cpp, f"layout{suffixes[index.name]}", "", ""))
        if tensor.ranks:
            fields.append(Field("uint32_t", f"ranks{suffix}", "0", ADDRESSES.format(name=name)))
            return fields  # there is one of each
    for of in filter(plan.kernel.strided, node.tensors):
        comment = (SHARED if plan.kernel.may_share(of) else APART).format(name=of.name)
        fields.append(Field("int64_t", f"stride{suffixes[of.name]}", "Kernel::PACKED", comment))
    for of in filter(plan.kernel.may_repeat, node.tensors):
        repeated = REPEATED.format(name=of.name)
        fields.append(Field("uint32_t", f"repeat{suffixes[of.name]}", "1", repeated, last=True))
    return fields


def _type(part: Indexed, plan: Plan, prefix: str) -> str:
    if isinstance(part, int):
        return plan.aliases[part]
    if isinstance(part, Tree):
        children = (_type(child, plan, prefix) for child in part.children)
        return f"{prefix}TreeVisitor<{', '.join((plan.aliases[part.op], *children))}>"
    return _topological(_edges(part), [_type(op, plan, prefix) for op in part.ops], prefix)


def _topological(edges: str, ops: list[str], prefix: str) -> str:
    return f"{prefix}TopologicalVisitor<{', '.join([edges, *ops])}>"


def _edges(part: Topological) -> str:
    return f"tla::tuple<{', '.join(map(sequence, part.edges))}>"


def call_comment(op: str, inputs: list[str]) -> str:
    """An op and its inputs, for a comment; the op alone if that is too long for a line."""
    text = f"{op}({', '.join(inputs)})" if inputs else op
    return text if len(text) <= LONGEST_COMMENT else op


def sequence(edge: tuple[int, ...]) -> str:
    return f"tla::seq<{', '.join(map(str, edge))}>"


def _root(part: Indexed) -> int:
    """The node whose output is that of a part."""
    while not isinstance(part, int):
        part = part.op if isinstance(part, Tree) else part.ops[-1]
    return part


def _subjects(plan: Plan) -> dict[int, str]:
    """Names of the nodes' values for use in the names of subtrees: ``CPlusX``, ``GeluOfC``. Casts and stores keep the
    name of their input."""
    subjects: dict[int, str] = {}
    for index in plan.order:
        node = node_of(plan.steps[index])
        inputs = [subjects[i] for i in plan.steps[index].inputs]
        name = _value_name(node, inputs) if isinstance(node, Compute) else subject(node, inputs)
        subjects[index] = plan.aliases[index] if inputs and len(name) > LONGEST_SUBJECT else name
    return subjects


def _value_name(node: Compute, inputs: list[str]) -> str:
    """The name of an operator's value, from the names of its operands: ``CPlusX``."""
    assert node.operator is not None
    name = alias(node, inputs)
    if re.fullmatch(r"\{0\} \S+ \{1\}", node.operator.text or ""):
        return _INFIX.get(name, name).join(inputs)
    return f"{name}Of{'And'.join(inputs)}"


def _subtree_name(index: int, plan: Plan, subjects: dict[int, str]) -> str:
    """The name of the subtree whose last node is ``index``, after its value."""
    node, subject = node_of(plan.steps[index]), subjects[index]
    if isinstance(node, Cast):
        return f"{subject}As{node.to.pascal}"
    if isinstance(node, Store):
        return f"Stored{pascal(node.name)}"
    if isinstance(node, Reduce):
        return f"Reduced{pascal(node.name)}"
    return f"{subject}Value" if subject == plan.aliases[index] else subject


def _nest(part: Indexed, leaf: Callable[[int], Any]) -> Any:
    if isinstance(part, int):
        return leaf(part)
    if isinstance(part, Tree):
        return (*(_nest(child, leaf) for child in part.children), leaf(part.op))
    return tuple(_nest(op, leaf) for op in part.ops)


def _braced(nest: Any) -> str:
    if isinstance(nest, str):
        return nest
    return f"{{{', '.join(map(_braced, nest))}}}"


def initializer(node: VisitorNode, plan: Plan) -> str:
    """The braces of a node's own Arguments."""
    if isinstance(node, Band | Compute) and node.constants:
        return f"{{{{{', '.join(_constant(c, node.element_constant) for c in node.constants)}}}}}"
    values = [field.name for field in fields_of(node, plan)]
    tensor = node.tensor
    loads = tensor is not None and not tensor.output and not node.indices and plan.kernel.strided(tensor)
    has_default = loads and not isinstance(node, HeadBroadcast | BlockBroadcast | OperandScale)
    if has_default and tensor is not None and tensor.null_default is None:
        values.insert(2, "{}")  # every other load has a default for a null pointer before its stride
    return f"{{{', '.join(values)}}}"


def _constant(constant: Constant, T: ElementType) -> str:
    """A constant of an operator in C++, of the type that the operator takes it in."""
    if not isinstance(constant, Scalar):
        return element_literal(constant, T)
    text = constant.spelled()
    return text if constant.T == T and not constant.negative else f"static_cast<{T.cpp}>({text})"


def element_literal(value: float | int, element: ElementType) -> str:
    """A constant of an element type: 16-bit floats have no literals of their own."""
    text = literal(value, element)
    return text if element.name == "float32" or element.kind == "int" else f"static_cast<{element.cpp}>({text})"


def _describe(tensor: Tensor, more: str = "") -> str:
    table = "in the memory of each rank, whose addresses these are: " if tensor.ranks else ""
    return f"{'out' if tensor.output else 'in'}: {table}{tensor.element.cpp}, {tensor.size_text}{more}"


def _adds(node: VisitorNode) -> bool:
    return isinstance(node, AuxScatter) and node.add
