"""The arguments of an epilogue: the order of ``EVT::Arguments``, and the names derived from the user's names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...graph.ir import TopologicalVisitor, TreeVisitor, Visitor
from ...nodes import VisitorNode
from ...nodes.base import pascal

_STEMS = ("layout", "identity", "nullDefault", "stride", "repeat", "host", "tensor", "golden")
"""The prefixes that generated code puts before an argument's suffix, to name things that belong to the argument."""


def arguments_nest(visitor: Visitor) -> Any:
    """The nest of ``EVT::Arguments``: for a node its tensor's or scalar's name, a tuple of several, ``()`` for none.

    A tree lists its children and then its op, a topological visitor its ops.
    """
    if isinstance(visitor, TreeVisitor):
        return (*(arguments_nest(child) for child in visitor.children), arguments_nest(visitor.op))
    if isinstance(visitor, TopologicalVisitor):
        return tuple(arguments_nest(op) for op in visitor.ops)
    assert isinstance(visitor, VisitorNode)
    names = [scalar.name for scalar in visitor.scalars]
    names += [tensor.name for tensor in visitor.tensors]
    return names[0] if len(names) == 1 else tuple(names)


def suffixes(names: Iterable[str]) -> dict[str, str]:
    """The suffix of names that generated code derives from an argument's: ``RowOut`` from ``row_out``, as in
    ``layoutRowOut``.

    The user's names take precedence: a suffix that would give a duplicate or one of the user's own names gets a number.
    """
    names = list(dict.fromkeys(names))
    taken = {name.removeprefix(stem) for name in names for stem in _STEMS if name.startswith(stem)}
    result: dict[str, str] = {}
    for name in names:
        base = pascal(name) or "_"
        numbered = (f"{base}{'_' if base[-1].isdigit() else ''}{number}" for number in range(2, len(names) + 3))
        result[name] = next(suffix for suffix in (base, *numbered) if suffix not in taken)
        taken.add(result[name])
    return result
