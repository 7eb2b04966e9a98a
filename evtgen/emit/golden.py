"""The golden result of an example program: what each node adds to it, by the node's kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..graph.ir import Scalar
from ..graph.shapes import TensorShape
from ..graph.types import ElementType, float32, mask
from ..nodes import (
    AccLoad,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Broadcast,
    Cast,
    Compute,
    Kept,
    KeptStore,
    Position,
    Reduce,
    Store,
    VisitorNode,
    node_of,
)
from ..nodes.base import of_kind
from ..operators.constants import literal, nearest
from ..passes.analysis.cpp_names import KEYWORDS
from ..planner.aliases import unique
from ..planner.plan import Plan
from .formula import text_of, value_name

_LOCALS = frozenset(
    """m n k a b b2 acc acc2 row column options stream epilogue product product2 success
    arguments count ends firstRow groups index layoutA layoutB part parts rows stride""".split()  # noqa: SIM905
)
"""Names that the example programs use around the golden statements, besides those derived from the user's names."""


@dataclass(frozen=True)
class KeptOnHost:
    """A value that crosses from one phase to later ones, on the host.

    Attributes:
        name: of the vector that holds it.
        count: how many elements it has, in C++ over ``m`` and ``n``, or the ``rows`` of one of several matmuls.
        node: that writes it.
    """

    name: str
    count: str
    node: Kept


@dataclass(frozen=True)
class Loop:
    """What an example program does with each element of the accumulator, in one phase.

    Attributes:
        reads: the index of each accumulator that it needs.
        kept: what it leaves to later phases.
        statements: C++ that computes one element of every output and of what is kept, in the order of the visits.
    """

    reads: tuple[int, ...]
    kept: tuple[KeptOnHost, ...]
    statements: tuple[str, ...]


def loops(plan: Plan) -> tuple[Loop, ...]:
    """The loops over the accumulator that compute all outputs on the host: one for each phase."""
    made = [f"{kind}{suffix}" for kind in ("tensor", "host", "golden", "expected") for suffix in plan.suffixes.values()]
    taken = dict.fromkeys([*_LOCALS, *KEYWORDS, *made], 2)
    writers = [node for part in plan.parts for _, node in part.nodes() if isinstance(node, Kept) and node.writes]
    names = {str(node.number): unique(_kept_name(node), taken) for node in writers}
    rows = "m" if plan.kernel.several is None else "rows"

    def loop(part: Plan) -> Loop:
        kept = [node for _, node in part.nodes() if isinstance(node, Kept) and node.writes]
        return Loop(
            tuple(sorted({node.index for _, node in part.nodes() if isinstance(node, AccLoad)})),
            tuple(KeptOnHost(names[str(node.number)], node.shape.count_of(rows), node) for node in kept),
            tuple(_statements(part, dict(taken), names, shareable(plan))),
        )

    return tuple(loop(part) for part in plan.phases)


def _kept_name(node: Kept) -> str:
    """The name of the vector with a value that crosses."""
    name = text_of(node, [])
    return value_name(name) if isinstance(node, Reduce) else f"kept{name}"


def _statements(plan: Plan, taken: dict[str, int], kept: Mapping[str, str], shared: frozenset[str]) -> list[str]:
    """The statements of one phase; ``kept`` has the name of each value that crosses, by its number, and ``shared`` the
    tensors that all matmuls may have in common."""
    suffixes = {**plan.suffixes, **kept}
    names: dict[int, str] = {}
    lines = []
    for index in plan.order:
        node = node_of(plan.steps[index])
        inputs = [names[i] for i in plan.steps[index].inputs]
        if node.writes:
            lines.append(_write(node, inputs[0], suffixes, _extents(node, plan, shared)))
        if node.forwards:
            names[index] = inputs[0]
        elif isinstance(node, Kept):
            names[index] = _golden(node, inputs, suffixes)
        elif not node.joins:
            names[index] = unique(value_name(plan.aliases[index]), taken)
            kind = "bool" if node.element == mask else "float"
            lines.append(f"{kind} {names[index]} = {_golden(node, inputs, suffixes)};")
    return lines


def shareable(plan: Plan) -> frozenset[str]:
    """The names of the tensors and operands that ``options.shared`` makes all matmuls of an example have in common: the
    first set that is not empty of those with which the kernel is tested."""
    sharings = plan.kernel.sharings(plan.tensors)
    return next((shared for shared in sharings if shared), frozenset())


def _extents(node: VisitorNode, plan: Plan, shared: frozenset[str]) -> tuple[str, str]:
    """The rows and the columns that a reduction joins, in C++."""
    if plan.kernel.several is None:
        return "m", "n"
    if node.tensor is None or node.tensor.name not in shared:
        return "rows", "n"
    # A column of values is joined across the matmuls, everything else across their rows.
    return (
        "options.shared ? ends.back() : rows",
        "n" if node.tensor.shape.rows == "1" else "options.shared ? count * n : n",
    )


_WHOLE = {
    "CAST_NONE": "std::nearbyint",
    "CAST_RINT": "std::nearbyint",
    "CAST_FLOOR": "std::floor",
    "CAST_CEIL": "std::ceil",
    "CAST_ROUND": "std::round",
    "CAST_TRUNC": "std::trunc",
    "CAST_ODD": "ToOdd",
}
"""How the host rounds a number to a whole one, per round mode."""


def _golden(node: VisitorNode, inputs: list[str], suffixes: Mapping[str, str]) -> str:
    """One element of the output as a C++ expression over floats, on the host.

    It rounds where the device rounds; ``acc``, ``row``, ``column``, ``n`` and ``host<Suffix>`` are in scope, by the
    suffix that each argument has in generated names.
    """
    return of_kind(_EXPRESSIONS, node)(node, inputs, suffixes)


def _write(node: VisitorNode, value: str, suffixes: Mapping[str, str], extents: tuple[str, str]) -> str:
    """The C++ statement that puts an element into ``golden<Suffix>``, of a node that writes. ``extents`` are the
    rows and the columns that a reduction joins."""
    if isinstance(node, Reduce):
        return _join(node, value, suffixes, extents)
    return of_kind(_STATEMENTS, node)(node, value, suffixes)


def _rounded(value: str, element: ElementType) -> str:
    """An expression rounded to a 16-bit float; other types need none."""
    return f"Round<{element.host}>({value})" if element.host != element.cpp else value


def _gathered(node: AuxGather, inputs: list[str], suffixes: Mapping[str, str]) -> str:
    row = f"static_cast<size_t>(host{suffixes[node.rows]}[row])"
    return f"static_cast<float>(host{suffixes[node.name]}[{row} * n + column])"


def _loaded(node: AuxLoad, inputs: list[str], suffixes: Mapping[str, str]) -> str:
    place = "column * m + row" if node.transposes else "row * n + column"
    return f"static_cast<float>(host{suffixes[node.name]}[{place}])"


def _computed(node: Compute, inputs: list[str], suffixes: Mapping[str, str]) -> str:
    operator = node.operator
    assert operator is not None
    expression = operator.on_host
    T = node.element_constant
    constants = (
        c.spelled(f"host{suffixes[c.name]}") if isinstance(c, Scalar) else literal(float(nearest(c, T)), float32)
        for c in node.constants
    )
    value = expression.format(*inputs, **dict(zip(operator.constants, constants, strict=True)))
    for more in inputs[operator.inputs :]:
        value = expression.format(_rounded(value, node.element), more)
    return _rounded(value, node.element)


def _cast(node: Cast, inputs: list[str], suffixes: Mapping[str, str]) -> str:
    if node.to == node.from_:
        return inputs[0]
    whole = f"[](float value) {{ return {_WHOLE[node.round]}(value); }}"
    if node.to.kind == "int":
        return f"Saturate<{node.to.host}>({inputs[0]}, {whole})"
    if node.round in ("CAST_NONE", "CAST_RINT") or node.to.size == 4:
        return _rounded(inputs[0], node.to)
    return _rounded(f"Directed({inputs[0]}, {node.to.precision}, {node.to.least}, {whole})", node.to)


_EXPRESSIONS: dict[type[VisitorNode], Callable[[Any, list[str], Mapping[str, str]], str]] = {
    AccLoad: lambda node, inputs, suffixes: _rounded(("acc", "acc2")[node.index], node.T),
    AuxLoad: _loaded,
    AuxGather: _gathered,
    Broadcast: lambda node, inputs, suffixes: f"static_cast<float>(host{suffixes[node.name]}[{node.shape.index}])",
    Position: lambda node, inputs, suffixes: f"static_cast<float>({node.noun})",
    Compute: _computed,
    Cast: _cast,
    Kept: lambda node, inputs, suffixes: _kept_element(node, suffixes),
}


def _kept_element(node: Kept, suffixes: Mapping[str, str]) -> str:
    """C++ for the element of a value that crosses; ``suffixes`` has the name of the whole under the number."""
    return f"{suffixes[str(node.number)]}[{node.shape.index}]"


def _join(node: Reduce, value: str, suffixes: Mapping[str, str], extents: tuple[str, str]) -> str:
    element = f"golden{suffixes[node.name]}[{node.shape.index}]" if not isinstance(node, Kept) else ""
    element = element or _kept_element(node, suffixes)  # type: ignore[arg-type]
    assert node.operator is not None
    if node.mean:
        count = " / ".join(f"static_cast<float>({extents[axis]})" for axis in node.axis)
        value = f"{value} / {count}"
    return f"{element} = {node.operator.on_host.format(element, value)};"


def _scattered(node: AuxScatter, value: str, suffixes: Mapping[str, str]) -> str:
    row = f"static_cast<size_t>(host{suffixes[node.rows]}[row])"
    return f"golden{suffixes[node.name]}[{row} * n + column] = {value};"


def _stored(node: Store, value: str, suffixes: Mapping[str, str]) -> str:
    first = " && ".join(f"{index} == 0" for index in _SKIPPED[node.shape])
    place = "column * m + row" if isinstance(node, AuxStore) and node.transposes else node.shape.index
    return f"{f'if ({first}) ' if first else ''}golden{suffixes[node.name]}[{place}] = {value};"


_STATEMENTS: dict[type[VisitorNode], Callable[[Any, str, Mapping[str, str]], str]] = {
    Store: _stored,
    AuxScatter: _scattered,
    KeptStore: lambda node, value, suffixes: f"{_kept_element(node, suffixes)} = {value};",
}

_SKIPPED = {
    TensorShape.MATRIX: (),
    TensorShape.ROW: ("row",),
    TensorShape.COLUMN: ("column",),
    TensorShape.SINGLE: ("row", "column"),
}
"""The indices of an element of which only the first is stored."""
