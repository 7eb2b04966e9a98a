"""A graph and the arguments from host code, side by side: the faults, and the arguments of each node."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from ...diagnostics import cpp as codes
from ...diagnostics.diagnostic import Diagnostic
from ...graph.ir import Scalar
from ...graph.shapes import TensorShape
from ...graph.types import ElementType
from ...nodes import Constant, VisitorNode
from ...nodes.base import pascal
from ...passes.analysis import cpp_names as reserved
from ...system.translation import tr
from .graph import Located
from .nodes import Form, Gets, constant_types, element_of, form, inner_of, kind_of, layout_of
from .text import Braces, Expression, Given, Source
from .types import CppType
from .values import Reference, Values, pointer_name

_NAMES = {
    "AuxLoad": "X", "AuxGather": "X", "RowBroadcast": "row", "ColBroadcast": "col", "ScalarBroadcast": "scalar",
    "AuxStore": "D", "AuxScatter": "D", "RankScatter": "D",
    "RowStore": "row_out", "ColStore": "col_out", "ScalarStore": "scalar_out",
    "RowReduce": "row_out", "ColReduce": "col_out", "ScalarReduce": "scalar_out",
}  # fmt: skip
"""The names of tensors without a name in the program."""

_LONGEST = 2000
"""Characters of a nest that are shown."""


@dataclass
class Leaf:
    """A node and its arguments.

    Attributes:
        at: the node.
        phase: the number of its phase.
        source, line: the place of its arguments; without a source they are not known.
        fields: its arguments one by one; empty if they are not known.
    """

    at: Located
    phase: int
    source: Source | None
    line: int
    fields: tuple[Given, ...] = ()

    @property
    def kind(self) -> type[VisitorNode]:
        return kind_of(self.at)

    @property
    def element(self) -> ElementType | None:
        """The element type of its values."""
        type = inner_of(self.at).type
        return element_of(type.argument(0)) or element_of(type.argument(1))

    @property
    def layout(self) -> str:
        """The layout of its tensor, by its name."""
        args = inner_of(self.at).type.args
        given = next((arg for arg in args if "layout::" in arg.name or arg.name == "tla::Layout"), None)
        return layout_of(given or CppType("RowMajor")).name

    @property
    def shape(self) -> TensorShape | None:
        """The shape of its tensor; None if its layout may have another."""
        if form(self.at).fields[:2] != ("pointer", "layout") or form(self.at).fields[2:3] == ("pointer",):
            return None
        return getattr(self.kind, "shape", TensorShape.MATRIX)

    @property
    def tensor(self) -> str | None:
        """The name of its tensor, by its arguments."""
        return pointer_name(self.fields[0]) if self.fields and form(self.at).fields[:1] == ("pointer",) else None

    @property
    def called(self) -> str:
        """The name of its tensor, by its alias: ``X`` of ``AuxLoadX``; empty without one."""
        stem = self.kind.__name__
        return self.at.alias[len(stem) :].lstrip("_") if self.at.alias.startswith(stem) else ""


class Arguments:
    """A graph, or each of its phases, beside the braces with its arguments.

    Attributes:
        leaves: the nodes in the order of their arguments.
        diagnostics: arguments that do not fit, or look as if they were meant for another node.
    """

    def __init__(self, graphs: Sequence[Located], given: Given | None, source: Source | None, values: Values) -> None:
        self.values = values
        self.leaves: list[Leaf] = []
        self.diagnostics: list[Diagnostic] = []
        self._graphs, self._given, self._phase = graphs, given, 0
        self._aliases = {name for graph in graphs for name in _aliases(graph)}
        if len(graphs) == 1:
            self._pair(graphs[0], given, source)
        else:
            self._parts(graphs, given, source, tr("the whole of all phases"), phases=True)
        if source is not None and not self.diagnostics:
            self.diagnostics += [*self._swapped(), *self._shapes()]

    def gets(self) -> Iterator[Gets]:
        """The arguments of each node, in the order of :attr:`leaves`; no two tensors have one name."""
        names = self._names()
        scalars: dict[str, Scalar] = {}
        for index, leaf in enumerate(self.leaves):
            fields = form(leaf.at).fields
            gets = Gets(names.get((index, 0), ""), names.get((index, 2), ""), names.get((index, 4), ""))
            if fields == ("constants",):
                gets.constants = tuple(_apart(one, scalars, set(names.values())) for one in self._constants(leaf))
            elif fields[2:3] == ("number",) and len(leaf.fields) > 2 and leaf.source is not None:
                value = self.values.number(leaf.fields[2], leaf.source, leaf.element)
                gets.number = value.value if isinstance(value, Reference) else value
            yield gets

    # What stands beside what

    def _pair(self, at: Located, given: Given | None, source: Source | None) -> None:
        if given is not None and source is not None:
            given, source = self.values.followed(given, source)
            if isinstance(given, Braces) and not self._is_for(at, given, source):
                given = None
        if at.is_composed:
            self._parts(at.parts, given, source, at.label)
        else:
            self._leaf(at, given, source)

    def _parts(
        self, parts: Sequence[Located], given: Given | None, source: Source | None, label: str, *, phases: bool = False
    ) -> None:
        items: Sequence[Given | None] = [None] * len(parts)
        if isinstance(given, Braces) and source is not None:
            if len(given.items) == len(parts):
                items = given.items
            elif given.items or any(map(_needs, parts)):
                count = len(given.items) or tr("none")
                self._fault("number", given.line, source, node=label, parts=_listed(parts), count=count)
        elif given is not None and source is not None and self.values.kind(given, source) not in (None, "arguments"):
            self._fault("kind", given.line, source, node=label, parts=_listed(parts), given=given)
        for number, (part, item) in enumerate(zip(parts, items, strict=True)):
            self._phase = number if phases else self._phase
            self._pair(part, item, source if item is not None else None)

    def _leaf(self, at: Located, given: Given | None, source: Source | None) -> None:
        leaf = Leaf(at, self._phase, source if given is not None else None, at.location.line)
        self.leaves.append(leaf)
        if given is None or source is None:
            return
        leaf.line, needs = given.line, form(at)
        if isinstance(given, Expression):
            if self.values.kind(given, source) not in (None, "arguments"):
                self._misfit(leaf, given, given.line, source)
            return
        if needs.needed <= len(given.items) <= len(needs.fields):
            leaf.fields = given.items
            self._fields(leaf, needs, source)
        else:
            self._misfit(leaf, given, given.line, source)

    def _fields(self, leaf: Leaf, needs: Form, source: Source) -> None:
        """Flag arguments of another kind than the field of the node."""
        for number, (field, item) in enumerate(zip(needs.fields, leaf.fields, strict=False)):
            kind = self.values.kind(item, source)
            alone = item.items[0] if isinstance(item, Braces) and len(item.items) == 1 else None
            if field == "layout" and alone is not None and self.values.kind(alone, source) == "number":
                self._misfit(leaf, item, item.line, source)  # a matrix has two extents
            elif field == "constants":
                count = len(constant_types(leaf.at))
                if not isinstance(item, Braces) or item.of or len(item.items) != count:
                    self._misfit(leaf, item, item.line, source)
            elif kind == "braces":
                if field == "pointer" and isinstance(item, Braces) and item.items:
                    self._misfit(leaf, item, item.line, source)
            elif field == "stride":
                if kind not in (None, "number") or isinstance(self.values.number(item, source, None), float):
                    self._misfit(leaf, item, item.line, source)
            elif kind is not None and kind != field:
                self._misfit(leaf, item, item.line, source)
            elif field == "layout":
                given, wanted = self.values.layout(item, source), leaf.layout if number == 1 else "RowMajor"
                if given is not None and given != wanted:
                    node = leaf.at.label
                    self._fault("layout", item.line, source, node=node, wanted=wanted, given=item, type=given)

    def _is_for(self, at: Located, given: Braces, source: Source) -> bool:
        """Whether the type before braces, ``AuxLoadX::Arguments{…}``, names the node that takes them."""
        named = self.values.arguments_of(given, source)
        if named is None:
            return True
        name, type = named
        # Nodes of one type have one type of arguments, but each its own names.
        if type == at.type and (name in at.aliases or name not in self._aliases):
            return True
        self._fault("another", given.line, source, given=name or type, node=at.label)
        return False

    def _misfit(self, leaf: Leaf, given: Given, line: int, source: Source) -> None:
        self._fault("form", line, source, node=leaf.at.label, form=form(leaf.at).text, given=given)

    def _fault(self, case: str, line: int, source: Source, **fields: Any) -> None:
        if self.diagnostics:
            return  # what comes after the first is amiss because of it
        required = ", ".join(map(_required, self._graphs))
        required = required if len(self._graphs) == 1 else f"{{{required}}}"
        fields |= {"required": required[:_LONGEST], "written": str(self._given)[:_LONGEST]}
        self.diagnostics.append(codes.BRACES.of(case, source.location(line), **fields))

    # What looks like something else

    def _swapped(self) -> Iterator[Diagnostic]:
        """Flag nodes that have each other's tensors, by the names of their aliases."""
        named = {leaf.called: leaf for leaf in self.leaves if leaf.called and leaf.tensor}
        for called, leaf in named.items():
            other = named.get(pascal(leaf.tensor or ""))
            if other is None or other is leaf or pascal(other.tensor or "") != called or leaf.source is None:
                continue
            yield codes.SWAPPED.of(
                "tensors",
                leaf.source.location(leaf.line),
                node=leaf.at.label,
                tensor=leaf.tensor,
                other=other.at.label,
                others=other.tensor,
            )

    def _shapes(self) -> Iterator[Diagnostic]:
        """Flag layouts of another shape than the tensors of their nodes."""
        known = [(leaf, extents) for leaf in self.leaves if (extents := self._extents(leaf)) is not None]
        of_matrices = {extents for leaf, extents in known if leaf.shape is TensorShape.MATRIX and "1" not in extents}
        for leaf, extents in known:
            ones = tuple(extent == "1" for extent in extents)
            if leaf.source is None or leaf.shape is None or all(ones) or not (any(ones) or extents in of_matrices):
                continue  # M or N may be 1
            if (leaf.shape.rows == "1", leaf.shape.columns == "1") == ones:
                continue
            yield codes.SWAPPED.of(
                "layout",
                leaf.source.location(leaf.fields[1].line),
                node=leaf.at.label,
                shape=leaf.shape,
                rows=extents[0],
                columns=extents[1],
            )

    def _extents(self, leaf: Leaf) -> tuple[str, str] | None:
        """The extents of a node's layout, as they are written."""
        if leaf.source is None or leaf.shape is None or len(leaf.fields) < 2:
            return None
        return self.values.extents(leaf.fields[1], leaf.source)

    # What the nodes get

    def _names(self) -> dict[tuple[int, int], str]:
        """The names of tensors, by node and field. An output keeps its name if an input has the same."""
        wanted = []
        for index, leaf in enumerate(self.leaves):
            for field, what in enumerate(form(leaf.at).fields):
                if what == "pointer":
                    name = pointer_name(leaf.fields[field]) if field < len(leaf.fields) else None
                    name = name or {2: "rows", 4: "ranks"}.get(field, leaf.called or _NAMES[leaf.kind.__name__])
                    wanted.append((field > 0, not leaf.kind.writes, index, field, name))
        names: dict[tuple[int, int], str] = {}
        taken: dict[str, Leaf] = {}
        for is_rows, is_input, index, field, name in sorted(wanted):
            leaf = self.leaves[index]
            base = f"{name}_" if name in reserved.TYPES | reserved.NEEDED | reserved.KEYWORDS else name
            if is_rows:
                # Several nodes may have one tensor of numbers of rows.
                names[index, field] = f"{base}_rows" if base in taken else base
                continue
            suffix = "_in" if is_input else ""
            others = (f"{base}{suffix}{number}" for number in count(2))
            free = next(one for one in chain((base, base + suffix), others) if _is_free(taken.get(one), leaf))
            taken[free] = leaf
            names[index, field] = free
        return names

    def _constants(self, leaf: Leaf) -> Iterator[Constant]:
        """The constants of an operator: numbers, or names of numbers that the host has at run time."""
        given = leaf.fields[0] if leaf.fields else None
        items = given.items if isinstance(given, Braces) else ()
        for index, element in enumerate(constant_types(leaf.at)):
            T = leaf.element or element
            if given is not None and not items:
                yield 0
            elif index >= len(items) or leaf.source is None:
                yield Scalar(f"{leaf.at.label}_{index + 1}", T)
            else:
                value = self.values.number(items[index], leaf.source, element)
                if isinstance(value, Reference) and not (value.constant and value.value is not None):
                    yield Scalar(value.name, T, value.default, value.negative)
                else:
                    known = value.value if isinstance(value, Reference) else value
                    yield Scalar(f"{leaf.at.label}_{index + 1}", T) if known is None else known


def _is_free(known: Leaf | None, leaf: Leaf) -> bool:
    """Whether a name is free for a tensor: nobody has it, or it is the same tensor, which another phase reads."""
    if known is None:
        return True
    return known.phase != leaf.phase and known.at.type == leaf.at.type and not leaf.kind.writes


def _apart(constant: Constant, known: dict[str, Scalar], tensors: Collection[str]) -> Constant:
    """A number of the host, with a name for each type: C++ converts one variable to the types of several operators."""
    if not isinstance(constant, Scalar):
        return constant
    names = (f"{constant.name}{suffix}" for suffix in ("", f"_{constant.T}", *range(2, len(known) + 4)))
    for name in names:
        named = replace(constant, name=name)
        if name not in tensors and known.setdefault(name, named.argument) == named.argument:
            return named
    return constant


def _aliases(at: Located) -> Iterator[str]:
    """The names that a graph and its parts have."""
    yield from at.aliases
    for part in at.parts if at.is_composed else ():
        yield from _aliases(part)


def _needs(at: Located) -> bool:
    """Whether some node in a graph needs arguments."""
    return any(map(_needs, at.parts)) if at.is_composed else form(at).needed > 0


def _required(at: Located) -> str:
    if at.is_composed:
        return f"{{{', '.join(map(_required, at.parts))}}}"
    return f"{at.label}{form(at).text}"


def _listed(parts: Sequence[Located]) -> str:
    labels = [part.label for part in parts]
    return tr("{parts} and {last}", parts=", ".join(labels[:-1]), last=labels[-1]) if labels[1:] else ", ".join(labels)
