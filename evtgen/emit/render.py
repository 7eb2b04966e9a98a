"""Templates to text: the framework, an epilogue's header, an example directory.

Emission decides nothing: everything it writes is read off the :class:`~evtgen.planner.plan.Plan`, the declarations in
:mod:`evtgen.ops` and the node kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arithmetic.constants import literal
from ..graph.ir import Scalar
from ..graph.types import ElementType, float32, int8, int32
from ..nodes import NODE_KINDS, AuxLoad, Compute, Tensor, VisitorNode
from ..nodes.base import pascal
from ..operators.declaration import Operator
from ..operators.table import ALL
from ..planner.plan import Indexed, Plan, Tree, indexed, node_of, unique
from .format import format_files
from .framework import FUSION_DIRECTORY, Framework
from .functor import FunctorView
from .golden import formula, statements

if TYPE_CHECKING:
    import jinja2

def framework_files(fw: Framework) -> dict[str, str]:
    """The framework: path below the include root → text."""
    nodes = sorted({kind.header for kind in NODE_KINDS.values()})
    parts = ["visitor_impl_base.hpp", "visitor_impl.hpp", "tree_visitor.hpp", "topological_visitor.hpp"]
    headers = [*parts, "operations.hpp", "reduce.hpp", *nodes]
    targets = {f"{FUSION_DIRECTORY}/{name}": f"{fw.directory}/{name}" for name in [*headers, "fusion.hpp"]}
    targets["catlass/epilogue/block/block_epilogue_visitor.hpp"] = fw.block_header
    targets["catlass/gemm/kernel/matmul_visitor.hpp"] = fw.kernel_header
    operators = [FunctorView(op) for op in ALL]
    files = {
        path: render_template(f"include/{source}.j2", fw=fw, guard=_guard(path), headers=headers, operators=operators)
        for source, path in targets.items()
    }
    return format_files(files)


def epilogue_files(plan: Plan, fw: Framework) -> dict[str, str]:
    """The header of one epilogue: ``{"<name>.hpp": text}``."""
    path = f"{plan.name}.hpp"
    # Epilogues whose names differ in case alone, or that are named like a header of Catlass, have guards of their own.
    guard = f"EVTGEN_{plan.name}_HPP"
    return format_files({path: render_template("epilogue/epilogue.hpp.j2", guard=guard, **_view(plan, fw))})


def example_files(plan: Plan, fw: Framework) -> dict[str, str]:
    """An example directory in Catlass's style: path below the examples directory → text."""
    view = _view(plan, fw)
    return format_files(
        {
            f"{plan.name}/{name}": render_template(f"example/{template}", **view)
            for name, template in (
                (f"{plan.name}.cpp", "example.cpp.j2"),
                ("CMakeLists.txt", "CMakeLists.txt.j2"),
                ("README.md", "README.md.j2"),
            )
        }
    )


def cpp_type(plan: Plan, fw: Framework) -> str:
    """The C++ type of the whole graph, in the node aliases of the header, on one line."""
    return _type(indexed(plan.epilogue.root), plan, fw.prefix)


def _nest(part: Indexed, leaf: Callable[[int], Any]) -> Any:
    if isinstance(part, int):
        return leaf(part)
    if isinstance(part, Tree):
        return (*(_nest(child, leaf) for child in part.children), leaf(part.op))
    return tuple(_nest(op, leaf) for op in part.ops)


def _type(part: Indexed, plan: Plan, fusion: str) -> str:
    if isinstance(part, int):
        return plan.aliases[part]
    if isinstance(part, Tree):
        children = (_type(child, plan, fusion) for child in part.children)
        return f"{fusion}TreeVisitor<{', '.join((plan.aliases[part.op], *children))}>"
    edges = ", ".join(f"tla::seq<{', '.join(map(str, edge))}>" for edge in part.edges)
    inner = ", ".join(_type(op, plan, fusion) for op in part.ops)
    return f"{fusion}TopologicalVisitor<tla::tuple<{edges}>, {inner}>"


def _arguments_type(part: Indexed, plan: Plan) -> str:
    nest = _nest(part, lambda index: f"{plan.aliases[index]}::Arguments")
    return _braced(nest, "tla::tuple<", ">")


def _arguments_value(part: Indexed, plan: Plan) -> str:
    def leaf(index: int) -> str:
        return f"{plan.aliases[index]}::Arguments{_initializer(node_of(plan.steps[index]))}"

    return _braced(_nest(part, leaf), "{", "}")


def _initializer(node: VisitorNode) -> str:
    """The braces of a node's own Arguments."""
    if isinstance(node, Compute) and node.scalars:
        return f"{{{{{', '.join(_given(node))}}}}}"
    return f"{{{', '.join(field.name for field in _fields(node))}}}"


def arguments_text(plan: Plan) -> str:
    """``EVT::Arguments`` as braces, in which a name stands for all that a tensor takes: ``{{{}, {X}, {}}, {D}}``."""

    def leaf(index: int) -> str:
        node = node_of(plan.steps[index])
        return _initializer(node) if node.tensor is None else f"{{{node.tensor.name}}}"

    return _braced(_nest(indexed(plan.epilogue.root), leaf), "{", "}")


def _braced(nest: Any, left: str, right: str) -> str:
    if isinstance(nest, str):
        return nest
    return f"{left}{', '.join(_braced(item, left, right) for item in nest)}{right}"


@dataclass(frozen=True)
class _Field:
    """A field of the arguments struct with its default."""

    type: str
    name: str
    default: str
    comment: str


def _given(node: Compute) -> list[str]:
    """The constants of an operator that takes them with its arguments, in C++."""
    assert node.operator is not None
    T = node.operator.computed_in(node.T)
    if not node.scalars:
        return [literal(c, T) for c in node.constants]  # type: ignore[arg-type]
    return [_given_scalar(c, T) if isinstance(c, Scalar) else _element_literal(c, T) for c in node.constants]


def _given_scalar(scalar: Scalar, T: ElementType) -> str:
    """A number of the caller's as one of type ``T``, which holds it; C++ computes ``-x`` of 16 bits in 32."""
    same = scalar.T == T and (not scalar.negative or T in (float32, int32))
    return scalar.spelled() if same else f"static_cast<{T.cpp}>({scalar.spelled()})"


def _fields(node: VisitorNode) -> list[_Field]:
    """Fields of the arguments struct that one node reads, in the order of its own Arguments."""
    tensor = node.tensor
    if tensor is None:
        defaults = {s: "" if s.default is None else _element_literal(s.default, s.T) for s in node.scalars}
        return [_Field(s.T.cpp, s.name, default, "in: a number") for s, default in defaults.items()]
    name, element = tensor.name, tensor.element.cpp
    fields = [
        _Field("GM_ADDR", name, "nullptr", _describe(tensor)),
        _Field(tensor.layout.cpp, f"layout{pascal(name)}", "", ""),
    ]
    if tensor.initial is not None:
        value = _element_literal(tensor.initial, tensor.element)
        fields.append(_Field(element, f"identity{pascal(name)}", value, f"the caller fills {name} with it"))
    default = node.null_default if isinstance(node, AuxLoad) else None
    if default is not None:
        value = _element_literal(default, tensor.element)
        fields.append(_Field(element, f"nullDefault{pascal(name)}", value, f"stands for {name} where that is null"))
    return fields


def _element_literal(value: float | int, element: ElementType) -> str:
    """A constant of an element type: 16-bit floats have no literals of their own."""
    text = literal(value, element)
    return text if element.name == "float32" or element.kind == "int" else f"static_cast<{element.cpp}>({text})"


def _describe(tensor: Tensor) -> str:
    return f"{'out' if tensor.output else 'in'}: {tensor.element.cpp}, {tensor.shape}"


@dataclass(frozen=True)
class _Alias:
    """A node's line in the header."""

    name: str
    cpp: str


@dataclass(frozen=True)
class _Functor:
    """An operator with its constants bound, as the header defines it: ``of`` is the operator's name there."""

    name: str
    of: str
    view: FunctorView
    values: tuple[str, ...]

    @property
    def constants(self) -> list[str]:
        """The arguments behind the operands."""
        return [f"static_cast<{self.view.computed}>({value})" for value in self.values]


def _view(plan: Plan, fw: Framework) -> dict[str, Any]:
    """What the templates of one epilogue see."""
    root = indexed(plan.epilogue.root)
    functors: dict[tuple[Operator, tuple[str, ...]], _Functor] = {}
    names: dict[int, str] = {}
    taken = dict.fromkeys(plan.aliases, 2)
    for index, step in enumerate(plan.steps):
        node = step.node
        if isinstance(node, Compute) and node.constants and not node.scalars:
            assert node.operator is not None
            values = tuple(_given(node))
            if (node.operator, values) not in functors:
                name = unique(f"{node.alias}Constant", taken)
                functors[node.operator, values] = _Functor(
                    name, node.functor(fw.prefix), FunctorView(node.operator), values
                )
            names[index] = functors[node.operator, values].name
    fields = {field.name: field for _, node in plan.nodes() for field in _fields(node)}
    nodes = [
        _Alias(alias, node.cpp(fw.prefix, names.get(index))) for index, (alias, node) in enumerate(plan.nodes())
    ]
    edges = None
    if not isinstance(root, int | Tree):
        edges = [
            (f"tla::seq<{', '.join(map(str, edge))}>", f"{number}: {_label(op, plan)}")
            for number, (edge, op) in enumerate(zip(root.edges, root.ops, strict=True))
        ]
        inner = ", ".join(_type(op, plan, fw.prefix) for op in root.ops)
        evt = f"{fw.prefix}TopologicalVisitor<Edges, {inner}>"
    else:
        evt = _type(root, plan, fw.prefix)
    policy = plan.arch.mmad_policy.format(unit_flag="false" if int8 in plan.operands else "true")
    return {
        "plan": plan,
        "fw": fw,
        "nodes": nodes,
        "functors": list(functors.values()),
        "own": [FunctorView(operator) for operator in _own(plan)],
        "edges": edges,
        "evt": evt,
        "arguments_type": _arguments_type(root, plan),
        "arguments_value": _arguments_value(root, plan),
        "fields": list(fields.values()),
        "gemm": plan.gemm,
        "mmad_policy": policy,
        "formula": formula(plan),
        "golden": statements(plan),
        "pascal": pascal,
        "literal": literal,
        "element_literal": _element_literal,
    }


def _own(plan: Plan) -> list[Operator]:
    """The user's own operators, each once, in order."""
    nodes = (node for _, node in plan.nodes() if isinstance(node, Compute))
    return list(dict.fromkeys(node.own for node in nodes if node.own is not None))


def _label(part: Indexed, plan: Plan) -> str:
    """What a comment calls a part of a topological visitor."""
    if isinstance(part, int):
        return plan.aliases[part]
    return plan.aliases[part.op if isinstance(part, Tree) else _root(part)]


def _root(part: Indexed) -> int:
    while not isinstance(part, int):
        part = part.op if isinstance(part, Tree) else part.ops[-1]
    return part


def _guard(path: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "_", path).upper()


def render_template(template: str, **context: Any) -> str:
    return _environment().get_template(template).render(**context)


def templates() -> Path:
    """The templates: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    installed = package / "templates"
    return installed if installed.is_dir() else package.parent / "templates"


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
