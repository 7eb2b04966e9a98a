"""The graph as text, and as the golden result of an example program: one walk, to which each node adds its part."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from ..graph.ir import consumers
from ..graph.types import mask
from ..nodes import AccLoad, AuxStore, Compute, Kept, Reduce, VisitorNode, node_of
from ..nodes.acc_load import ACCUMULATORS
from ..nodes.base import bare
from ..passes.analysis.cpp_names import KEYWORDS
from ..planner.aliases import unique
from ..planner.plan import Plan

LONGEST_TERM = 56
"""The longest operand, in characters; a longer one gets a name and a line of its own."""

COLUMNS = 100
"""The longest line of a formula, in characters; a longer one is wrapped."""

_LOCALS = frozenset(
    """m n k a b b2 acc acc2 row column options stream epilogue product product2 success
    arguments count ends firstRow groups index layoutA layoutB part parts rows stride""".split()  # noqa: SIM905
)
"""Names that the example programs use around the golden statements, besides those derived from the user's names."""


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
        called = unique(_value_name(plan.aliases[source]), taken)
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
            lines.append(node.assignment(given[0]))
        if isinstance(node, AuxStore):
            texts[index] = node.name
        elif isinstance(node, AccLoad):
            texts[index] = accs[node.index]
        else:
            texts[index] = given[0] if node.forwards else node.formula(given)
        if index in shared and inputs and not node.forwards:
            name(index)
    return [part for line in lines for part in _wrapped(line)]


def accumulators(plan: Plan) -> list[str]:
    """The names of the accumulators in formulas: ``C`` and ``C2``, or others if the user has a tensor of such a
    name."""
    taken = dict.fromkeys(plan.suffixes, 2)
    base = "C" if taken.keys().isdisjoint(ACCUMULATORS[: plan.accumulators]) else "acc"
    return [unique(base, taken) for _ in range(plan.accumulators)]


def product(plan: Plan) -> str:
    """The definition of the accumulators: ``C = A * B``, or words if the user has tensors of these names."""
    names, way = accumulators(plan), plan.gemm.accumulators
    both = " and ".join(names)
    if way is None:
        return f"{names[0]} = A * B" if {"A", "B"}.isdisjoint(plan.suffixes) else f"{names[0]}, the product of the GEMM"
    if not {"A", "B", "B2"}.isdisjoint(plan.suffixes):
        return f"{both}, the products of the GEMM"
    if way == "halves":
        return f"{both}, the left and the right half of A * B"
    return " and ".join(f"{name} = A * {b}" for name, b in zip(names, ("B", "B2"), strict=True))


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
    name = node.formula([])
    return _value_name(name) if isinstance(node, Reduce) else f"kept{name}"


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
            lines.append(node.golden_write(inputs[0], suffixes, _extents(node, plan, shared)))
        if node.forwards:
            names[index] = inputs[0]
        elif isinstance(node, Kept):
            names[index] = node.golden(inputs, suffixes)
        elif not node.joins:
            names[index] = unique(_value_name(plan.aliases[index]), taken)
            kind = "bool" if node.element == mask else "float"
            lines.append(f"{kind} {names[index]} = {node.golden(inputs, suffixes)};")
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


def _value_name(alias: str) -> str:
    """The name of a node's value: its alias, starting in lower case."""
    return alias[0].lower() + alias[1:]


def _repeats(node: VisitorNode, place: int, count: int) -> bool:
    """Whether the node's expression over ``count`` inputs uses input ``place`` more than once."""
    marks = [f"\0{i}\0" for i in range(count)]
    return not (node.forwards or node.joins) and node.formula(marks).count(marks[place]) > 1


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
