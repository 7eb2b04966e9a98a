"""The graph as text: a line for each output. What a node adds to it is in tables, by the node's kind.

The words in it are English, as headers have them; within :func:`spoken` they are in the user's language.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..graph.ir import Scalar, consumers
from ..graph.shapes import TensorShape
from ..graph.types import int32
from ..nodes import (
    AccLoad,
    AStatistic,
    AuxGather,
    AuxScatter,
    AuxStore,
    Band,
    BlockReduced,
    BlockStore,
    ColIndex,
    Compute,
    HeadBroadcast,
    Kept,
    Outputs,
    Part,
    Position,
    Reduce,
    Reduced,
    Rotate,
    RowIndex,
    Store,
    TopK,
    TopKResult,
    VisitorNode,
    node_of,
)
from ..nodes.base import of_kind
from ..nodes.loads import ACCUMULATORS
from ..operators.constants import limits, literal
from ..operators.declaration import Atomic
from ..planner.aliases import unique
from ..planner.plan import Plan
from ..planner.scales import SCALE_OF_A, scales
from ..planner.widening import SCALE, ZERO, block_of
from ..system import translation

LONGEST_TERM = 56
"""The longest operand, in characters; a longer one gets a name and a line of its own."""

_SPOKEN = ContextVar("_SPOKEN", default=False)


@contextmanager
def spoken() -> Iterator[None]:
    """The words of formulas are in the user's language here."""
    token = _SPOKEN.set(True)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def tr(text: str, **fields: object) -> str:
    """Words of a formula."""
    return translation.tr(text, **fields) if _SPOKEN.get() else text.format(**fields)


COLUMNS = 100
"""The longest line of a formula, in characters; a longer one is wrapped."""


def text_of(node: VisitorNode, inputs: list[str]) -> str:
    """The output of a node as text: ``(C + X)``."""
    return of_kind(_TEXTS, node)(node, inputs)


def assignment(node: VisitorNode, value: str) -> str:
    """The assignment of a node that writes, as text: ``D = C + X``."""
    return of_kind(_ASSIGNMENTS, node)(node, value)


def bare(text: str) -> str:
    """A formula without the parentheses around the whole of it."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def formula(plan: Plan) -> list[str]:
    """Lines of text, one or more per output: ``D = half(float(C) + float(X))``.

    A value has a line and a name of its own if several nodes take it, if it is a long operand, or if an operator's
    expression would repeat it.
    """
    accs = accumulators(plan)
    shared = {index for index, users in enumerate(consumers(plan.steps)) if len(users) > 1}
    taken = dict.fromkeys([*accs, *plan.suffixes], 2)
    texts: dict[int, str] = {}
    lines: list[str] = []

    def name(index: int) -> None:
        source = index
        while node_of(plan.steps[source]).forwards:
            source = plan.steps[source].inputs[0]
        called = unique(value_name(plan.aliases[source]), taken)
        lines.append(f"{called} = {bare(texts[index])}")
        texts[index] = called

    for index in plan.order:
        node, inputs = node_of(plan.steps[index]), plan.steps[index].inputs
        for place, i in enumerate(inputs):
            long = len(texts[i]) > LONGEST_TERM and isinstance(node, Compute | Reduce)
            if not texts[i].isidentifier() and (long or _repeats(node, place, len(inputs))):
                name(i)
        given = [texts[i] for i in inputs]
        if node.writes:
            lines.append(assignment(node, given[0]))
        if isinstance(node, AuxStore):
            texts[index] = node.name
        elif isinstance(node, AccLoad):
            texts[index] = accs[node.index]
        else:
            texts[index] = given[0] if node.forwards else text_of(node, given)
        if index in shared and inputs and not node.forwards:
            name(index)
    return [part for line in lines for part in _wrapped(line)]


def accumulators(plan: Plan) -> list[str]:
    """The names of the accumulators in formulas: ``C``, and of two what the spec calls them, or ``C`` and ``C2`` where
    it has no names for them, or calls one like an operand; others if the user has a tensor of such a name."""
    taken, named = dict.fromkeys(plan.suffixes, 2), plan.epilogue.accumulators
    if len(named) == plan.accumulators > 1 and {*taken, "A", "B", "B2"}.isdisjoint(named):
        return list(named)
    base = "C" if taken.keys().isdisjoint(ACCUMULATORS[: plan.accumulators]) else "acc"
    return [unique(base, taken) for _ in range(plan.accumulators)]


def product(plan: Plan) -> str:
    """The definition of the accumulators: ``C = A * B``, with what B is widened by, or words if the user has tensors of
    these names."""
    names, way = accumulators(plan), plan.gemm.accumulators
    both = dict(zip(("one", "other"), names, strict=False))
    if way is None:
        k, n = block_of(plan.gemm) or (0, 0)
        place = f"[k / {k}, n / {n}]" if n > 1 else f"[k / {k}]" if k else ""
        b = f"(B - {ZERO}{place})" if plan.gemm.zero_point else "B"
        named = {node.name for node in scales(plan.gemm)}
        b = f"({b} * {SCALE}{place})" if plan.gemm.scale else b
        a = f"(A * {SCALE_OF_A}{f'[k / {k}]' * plan.sliced})" if SCALE_OF_A in named else "A"
        return (
            f"{names[0]} = {a} * {b}"
            if {"A", "B"}.isdisjoint(plan.suffixes)
            else tr("{name}, the product of the GEMM", name=names[0])
        )
    if not {"A", "B", "B2"}.isdisjoint(plan.suffixes):
        return tr("{one} and {other}, the products of the GEMM", **both)
    if way == "halves":
        return tr("{one} and {other}, the left and the right half of A * B", **both)
    return tr("{one} = A * B and {other} = A * B2", **both)


def value_name(alias: str) -> str:
    """The name of a node's value: its alias, starting in lower case."""
    return alias[0].lower() + alias[1:]


def _repeats(node: VisitorNode, place: int, count: int) -> bool:
    """Whether the node's expression over ``count`` inputs uses input ``place`` more than once."""
    marks = [f"\0{i}\0" for i in range(count)]
    return not (node.forwards or node.joins) and text_of(node, marks).count(marks[place]) > 1


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _plain(node: VisitorNode, inputs: list[str]) -> str:
    return node.tensor.name if node.tensor is not None else f"{node.element.cpp}({bare(inputs[0])})"


def _compute(node: Compute, inputs: list[str]) -> str:
    operator = node.operator
    assert operator is not None
    if operator.wide or operator.constants[1:] or operator.text is None:
        # The name is shorter than the expression of a sequence.
        named = [
            f"{name}={constant.spelled() if isinstance(constant, Scalar) else f'{constant:g}'}"
            for name, constant in zip(operator.constants, node.constants, strict=True)
        ]
        return f"{operator.name}({', '.join([*map(bare, inputs), *named])})"
    expression = operator.text
    texts = (c.spelled() if isinstance(c, Scalar) else _in_words(literal(c, node.T)) for c in node.constants)
    constants = dict(zip(operator.constants, texts, strict=True))
    text = expression.format(*inputs, **constants)
    for more in inputs[operator.inputs :]:
        text = expression.format(text, more)
    return text if re.fullmatch(r"\w+\(.*\)", expression) else f"({text})"


def _band(node: Band, inputs: list[str]) -> str:
    factors = {ColIndex.function: node.column, RowIndex.function: node.row}
    terms = [{1: "", -1: "-"}.get(factor, f"{factor} * ") + f"{name}()" for name, factor in factors.items() if factor]
    distance = " + ".join(terms).replace("+ -", "- ")
    least, most = limits(int32)
    below = f"{node.lower} <= " if node.lower > least else ""
    above = f" <= {node.upper}" if node.upper < most else ""
    other = node.other.spelled() if isinstance(node.other, Scalar) else _in_words(literal(node.other, node.T))
    return f"(({below}{distance}{above}) ? {inputs[0]} : {other})"


def _in_words(literal: str) -> str:
    """A number of C++ as formulas have it."""
    if "inff" in literal:
        return literal.replace("__builtin_inff()", "inf")
    return literal.removesuffix("f").removesuffix(".0")


_TEXTS: dict[type[VisitorNode], Callable[[Any, list[str]], str]] = {
    VisitorNode: _plain,
    AccLoad: lambda node, inputs: ACCUMULATORS[node.index],
    AuxGather: lambda node, inputs: f"{node.name}[{node.rows}]",
    Part: lambda node, inputs: f"{inputs[0]}[:, {node.taken}]",
    TopK: lambda node, inputs: f"topk({bare(inputs[0])}, {node.stop})",
    TopKResult: lambda node, inputs: f"{inputs[0]}[{int(int32 == node.T)}]",
    AStatistic: lambda node, inputs: f"{node.name}()",
    Position: lambda node, inputs: f"{node.function}()",
    Compute: _compute,
    Band: _band,
    Reduced: lambda node, inputs: f"{node.noun}({tr(_OVER[node.reduce_kind.over], value=bare(inputs[0]))})",
    BlockReduced: lambda node, inputs: f"{node.noun}({_over_blocks(node, inputs[0])})",
    HeadBroadcast: lambda node, inputs: f"{node.name}[column % {node.head}]",
    Rotate: lambda node, inputs: f"rotate_{'pairs' if node.interleaved else 'half'}({bare(inputs[0])}, {node.head})",
    Kept: lambda node, inputs: node.called,
    Outputs: lambda node, inputs: "",
}


def _over_blocks(node: BlockReduced, value: str) -> str:
    return tr("{value} over blocks of {count} columns", value=bare(value), count=node.block)


def _reduction(node: Reduce, value: str) -> str:
    return tr(_OF[node.over], noun=node.noun, value=bare(value))


def _firsts(node: Store, value: str) -> str:
    return f"{node.name} = " + tr("first column of each block of {value}", value=value)


def _stored(node: Store, value: str) -> str:
    part = _PARTS[node.shape]
    return f"{node.name} = {tr(part, value=value) if part else bare(value)}"


def _joined(node: Reduce, value: str) -> str:
    joined = _reduction(node, value)
    if node.atomic is Atomic.ADD:
        return f"{node.name} += {joined}"
    return f"{node.name} = {node.noun}({node.name}, {joined})"


def _kept(node: Kept, value: str) -> str:
    return f"{node.called} = {_reduction(node, value) if isinstance(node, Reduce) else bare(value)}"


_ASSIGNMENTS: dict[type[VisitorNode], Callable[[Any, str], str]] = {
    Store: _stored,
    AuxStore: lambda node, value: f"{node.name} = " + (f"transpose({bare(value)})" if node.transposes else bare(value)),
    AuxScatter: lambda node, value: (
        f"{node.name}[{node.ranks}{', ' * bool(node.ranks)}{node.rows}] {'+' * node.add}= {bare(value)}"
    ),
    BlockStore: _firsts,
    Reduce: _joined,
    Kept: _kept,
}

_PARTS = {
    TensorShape.MATRIX: "",
    TensorShape.ROW: "first row of {value}",
    TensorShape.COLUMN: "first column of {value}",
    TensorShape.SINGLE: "first value of {value}",
}
"""The part of a value that is stored, in words; empty for all of it."""

_OVER: dict[str, str] = {
    "rows": "{value} over rows",
    "columns": "{value} over columns",
    "elements": "{value} over elements",
}
_OF: dict[str, str] = {
    "rows": "{noun} of the rows of {value}",
    "columns": "{noun} of the columns of {value}",
    "elements": "{noun} of the elements of {value}",
}
TABLED: tuple[str, ...] = (*filter(None, _PARTS.values()), *_OVER.values(), *_OF.values())
"""The messages of these tables."""
