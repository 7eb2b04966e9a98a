"""The arguments that host code gives a graph, beside the graph: faults, and the names and numbers of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...analysis import cpp_names as reserved
from ...diagnostics import cpp as codes
from ...diagnostics.diagnostic import Diagnostic
from ...graph.shapes import TensorShape
from ...graph.types import ElementType
from ...nodes import AuxGather, AuxScatter, AuxStore, Constant, Reduce, VisitorNode
from ...nodes.base import pascal
from .graph import Located
from .nodes import Form, Gets, constant_types, element_of, form, inner_of, kind_of, layout_of, scalar
from .text import Braces, Expression, Given, Source
from .types import CppType
from .values import Reference, Values, pointer_name

_NAMES = {"AuxLoad": "X", "AuxGather": "table", "RowBroadcast": "row", "ColBroadcast": "col", "ScalarBroadcast": "scale",
          "AuxStore": "D", "AuxScatter": "D", "RowStore": "row_out", "ColStore": "col_out", "ScalarStore": "out",
          "RowReduce": "row_out", "ColReduce": "col_out", "ScalarReduce": "out"}  # fmt: skip
"""Names of tensors that the program gives none."""

_LONGEST = 2000
"""Characters of a nest that are shown."""


@dataclass
class Leaf:
    """A node and what it is given.

    Attributes:
        at: the node.
        fields: what it is given, one by one; empty where that is not known.
        source: the file in which.
        line: the line in that, or of the node.
    """

    at: Located
    fields: tuple[Given, ...]
    source: Source | None
    line: int

    @property
    def kind(self) -> type[VisitorNode]:
        return kind_of(self.at)

    @property
    def pointer(self) -> str | None:
        """The name of the tensor that it is given."""
        return pointer_name(self.fields[0]) if self.fields and form(self.at).fields[:1] == ("pointer",) else None

    @property
    def called(self) -> str:
        """The name of the tensor that its alias has: ``X`` of ``AuxLoadX``; empty without one."""
        stem = self.kind.__name__
        for prefix in (stem, f"Visitor{stem}", stem.removeprefix("Aux"), f"EVT_{stem}"):
            if self.at.alias.startswith(prefix):
                return self.at.alias[len(prefix) :].lstrip("_")
        return ""


class Arguments:
    """A graph and the braces that it is given, side by side.

    Attributes:
        leaves: the nodes in the order of their arguments.
        diagnostics: what does not fit.
    """

    def __init__(self, root: Sequence[Located], given: Given | None, source: Source | None, values: Values) -> None:
        """``root`` is the graph, or that of each phase."""
        self.values = values
        self.leaves: list[Leaf] = []
        self.diagnostics: list[Diagnostic] = []
        self._whole = (root, given)
        if len(root) == 1:
            self._pair(root[0], given, source)
        else:
            self._parts(root, given, source, "the phases")
        if source is not None and not self.diagnostics:
            self._alike()

    def gets(self) -> Iterator[Gets]:
        """What each node is given, in the order of :attr:`leaves`; no two tensors have one name."""
        names = self._tensor_names()
        for index, leaf in enumerate(self.leaves):
            fields = form(leaf.at).fields
            gets = Gets(names.get((index, 0), ""), names.get((index, 2), ""))
            if fields == ("constants",):
                gets.constants = tuple(self._constants(leaf))
            elif fields[2:3] == ("number",):
                value = self._number(leaf, 2)
                gets.number = value.default if isinstance(value, Reference) else value
            yield gets

    # What stands beside what

    def _pair(self, at: Located, given: Given | None, source: Source | None) -> None:
        if given is not None and source is not None:
            given, source = self.values.followed(given, source)
        if at.is_composed:
            if isinstance(given, Braces) and not self._typed(at, given, source):
                given = None
            self._parts(at.parts, given, source, at.label)
        else:
            self._leaf(at, given, source)

    def _parts(self, parts: Sequence[Located], given: Given | None, source: Source | None, label: str) -> None:
        items: Sequence[Given | None] = [None] * len(parts)
        if isinstance(given, Braces) and source is not None:
            if len(given.items) == len(parts):
                items = given.items
            else:
                order = " and ".join(part.label for part in parts) if len(parts) < 3 else _listed(parts)
                takes = f"takes {len(parts)}: those of {order}"
                self._fault(f"{label} {takes}, but is given {_counted(len(given.items))}", given.line, source)
        elif given is not None and source is not None and self.values.kind(given, source) not in (None, "arguments"):
            self._fault(f"{label} takes braces, but is given {given}", given.line, source)
        for part, item in zip(parts, items, strict=True):
            self._pair(part, item, source)

    def _leaf(self, at: Located, given: Given | None, source: Source | None) -> None:
        leaf = Leaf(at, (), source, at.location.line)
        self.leaves.append(leaf)
        needs = form(at)
        if given is None or source is None:
            return
        leaf.line = given.line
        if isinstance(given, Expression):
            if self.values.kind(given, source) not in (None, "arguments"):
                self._fault(f"{at.label} takes {needs.text}, but is given {given}", given.line, source)
            return
        if not self._typed(at, given, source):
            return
        items = given.items
        if not needs.needed <= len(items) <= len(needs.fields):
            what = str(given) if items else "nothing"
            self._fault(f"{at.label} takes {needs.text}, but is given {what}", given.line, source)
            return
        leaf.fields = items
        self._fields(leaf, needs, source)

    def _fields(self, leaf: Leaf, needs: Form, source: Source) -> None:
        """Flag what is not of the kind that a field of a node's arguments has."""
        for number, (field, item) in enumerate(zip(needs.fields, leaf.fields, strict=False)):
            kind = self.values.kind(item, source)
            empty = isinstance(item, Braces) and not item.items
            if field == "constants":
                self._constant_fields(leaf, item, source)
            elif kind == "braces":
                if not empty and field == "pointer":
                    self._fault(f"{leaf.at.label} takes {needs.text}, but {item} is no pointer", item.line, source)
            elif kind is not None and kind != field:
                self._fault(
                    f"{leaf.at.label} takes {needs.text}, but {item} is a {kind}, not a {field}", item.line, source
                )
            elif field == "layout" and kind == "layout":
                self._layout_field(leaf, number, item, source)

    def _constant_fields(self, leaf: Leaf, item: Given, source: Source) -> None:
        count = len(constant_types(leaf.at))
        if not isinstance(item, Braces) or item.of:
            message = f"{leaf.at.label} takes {{{{…}}}} with {_counted(count)} in it, but is given {{{item}}}"
            self._fault(message, item.line, source)
        elif item.items and len(item.items) != count:
            message = f"{leaf.at.label} takes {count} in {{{{…}}}}, but is given {_counted(len(item.items))}"
            self._fault(message, item.line, source)

    def _layout_field(self, leaf: Leaf, number: int, item: Given, source: Source) -> None:
        """Flag a layout of another type than the node's."""
        wanted = _layout_of(leaf) if number == 1 else "RowMajor"
        given = self.values.layout(item, source)
        if wanted is not None and given is not None and given != wanted:
            self._fault(f"{leaf.at.label} takes a layout::{wanted}, but {item} is a {given}", item.line, source)

    def _typed(self, at: Located, given: Braces, source: Source | None) -> bool:
        """Whether braces with a type before them, ``AuxLoadX::Arguments{…}``, name the node that takes them."""
        names = [token for token in given.of if token.is_name]
        if source is None or len(names) < 2 or names[-1].text != "Arguments":
            return True
        unit = self.values.unit
        alias = unit.aliases.get(unit.named.get((source.file, names[-2].offset), ("", 0)))
        if alias is None or (alias.type == at.type and (not at.alias or alias.name == at.alias)):
            return True
        if alias.type == at.type and alias.scope == () and not at.alias:
            return True
        self._fault(f"these are the arguments of {alias.name}, where {at.label} takes its own", given.line, source)
        return False

    def _fault(self, message: str, line: int, source: Source) -> None:
        if self.diagnostics:
            return  # what comes after one that is amiss is amiss because of it
        root, given = self._whole
        required = _required(root[0]) if len(root) == 1 else f"{{{', '.join(map(_required, root))}}}"
        help = f"required: {required[:_LONGEST]}\nwritten:  {str(given)[:_LONGEST]}"
        self.diagnostics.append(codes.BRACES(message, source.location(line), help))

    # What looks like something else

    def _alike(self) -> None:
        """Flag tensors whose names or shapes are those of other nodes."""
        named = {leaf.called: leaf for leaf in self.leaves if leaf.called and leaf.pointer}
        for called, leaf in named.items():
            given = pascal(leaf.pointer or "")
            other = named.get(given)
            if given != called and other is not None and pascal(other.pointer or "") == called and leaf.source:
                self.diagnostics.append(
                    codes.SWAPPED(
                        f"{leaf.at.label} is given {leaf.pointer}, and {other.at.label} {other.pointer}",
                        leaf.source.location(leaf.line),
                        "let them change places, or call the nodes after their tensors",
                    )
                )
        for leaf in self.leaves:
            self._shape(leaf)

    def _shape(self, leaf: Leaf) -> None:
        shape: TensorShape | None = getattr(leaf.kind, "shape", None)
        if leaf.source is None or len(leaf.fields) < 2 or form(leaf.at).fields[:2] != ("pointer", "layout"):
            return
        extents = self.values.extents(leaf.fields[1], leaf.source)
        if extents is None or leaf.kind in (AuxGather, AuxScatter):
            return
        shape = shape or TensorShape.MATRIX
        one = tuple("1" if text in ("1", "1u", "1U") else text for text in extents)
        rows, columns = one[0] == "1", one[1] == "1"
        if (shape.rows == "1", shape.columns == "1") == (rows, columns) or not (rows or columns or shape.rows == "1"):
            return
        if shape is TensorShape.COLUMN and not (rows or columns):
            return
        self.diagnostics.append(
            codes.SWAPPED(
                f"{leaf.at.label} has a tensor of {shape}, but its layout is of {extents[0]} x {extents[1]}",
                leaf.source.location(leaf.fields[1].line),
                f"give it a layout of ({shape.rows}, {shape.columns}), or put another node in its place",
            )
        )

    # What the nodes get

    def _tensor_names(self) -> dict[tuple[int, int], str]:
        """The names of tensors, by node and field. An output keeps its name where an input has the same."""
        wanted: list[tuple[bool, int, int, str]] = []
        for index, leaf in enumerate(self.leaves):
            for field, what in enumerate(form(leaf.at).fields):
                if what != "pointer":
                    continue
                name = pointer_name(leaf.fields[field]) if field < len(leaf.fields) else None
                if name is None:
                    name = "rows" if field else leaf.called or _NAMES[leaf.kind.__name__]
                writes = leaf.kind.writes and not field
                wanted.append((not writes, index, field, name))
        names: dict[tuple[int, int], str] = {}
        taken: dict[str, int] = {}
        for _, index, field, name in sorted(wanted):
            if field:  # several nodes may have one tensor of numbers of rows
                names[index, field] = name
                continue
            name = f"{name}_" if name in reserved.TYPES | reserved.NEEDED else name
            inout = issubclass(self.leaves[index].kind, (AuxStore, Reduce))
            free = name if name not in taken else next(
                text for i in range(2, 99999) if (text := f"{name}{i}" if inout else f"{name}_in{i - 1 if i > 2 else ''}")
                not in taken
            )
            taken[free] = index
            names[index, field] = free
        return names

    def _constants(self, leaf: Leaf) -> Iterator[Constant]:
        """The constants of an operator: numbers, or names of numbers that the host has at run time."""
        given = leaf.fields[0] if leaf.fields else None
        items = given.items if isinstance(given, Braces) else ()
        T = _value_type(leaf)
        for index, element in enumerate(constant_types(leaf.at)):
            if index >= len(items) or leaf.source is None:
                # Braces without anything in them are zeros; where no host code is there, nobody knows.
                known = leaf.source is not None and leaf.fields
                yield 0 if known else scalar(f"{leaf.at.label.lower()}_{index + 1}", T or element, None, False)
                continue
            value = self.values.number(items[index], leaf.source, element)
            if isinstance(value, Reference) and not value.constant:
                yield scalar(value.name, T or element, value.default, value.negative)
            elif isinstance(value, Reference):
                yield -(value.default or 0) if value.negative else value.default or 0
            else:
                yield scalar(f"value_{index + 1}", T or element, None, False) if value is None else value

    def _number(self, leaf: Leaf, field: int) -> float | int | Reference | None:
        if field >= len(leaf.fields) or leaf.source is None:
            return None
        return self.values.number(leaf.fields[field], leaf.source, _value_type(leaf))


def _value_type(leaf: Leaf) -> ElementType | None:
    """The element type of a node's values."""
    type = inner_of(leaf.at).type
    return element_of(type.argument(1 if type.args and element_of(type.args[0]) is None else 0))


def _layout_of(leaf: Leaf) -> str:
    """The layout of a node's tensor, by its name."""
    args = inner_of(leaf.at).type.args
    given = next((arg for arg in args if "layout::" in arg.name or arg.name == "tla::Layout"), CppType("RowMajor"))
    return layout_of(given).name


def _required(at: Located) -> str:
    if at.is_composed:
        return f"{{{', '.join(map(_required, at.parts))}}}"
    return f"{at.label}{form(at).text if form(at).needed else '{}'}"


def _counted(count: int) -> str:
    return f"{count or 'none'}"


def _listed(parts: Sequence[Located]) -> str:
    return f"{', '.join(part.label for part in parts[:-1])} and {parts[-1].label}"
