"""Fields of dataclasses against their annotations, and values in words.

pydantic could tell whether a value fits, but to import it and make one adapter takes 111 ms of CPU time, where all of
``evtgen check`` takes 300 ms.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from functools import cache, reduce
from typing import Any, TypeGuard

from ...diagnostics import aliases
from ...diagnostics.suggestions import suggest
from ...graph.ir import Scalar, TopologicalVisitor, TreeVisitor, Visitor
from ...graph.types import ELEMENT_TYPES, LAYOUTS, Layout
from ...system.translation import tr


def describe(node: Any) -> str:
    """A node as its constructor call, without the values that are defaults: ``Compute("Plus", half)``."""
    shown = []
    for f in fields(node):
        value = getattr(node, f.name)
        if not f.repr or is_default(f, value):
            continue
        text = short(value)
        shown.append(f"{f.name}={text}" if f.default is not MISSING else text)
    return f"{type(node).__name__}({', '.join(shown)})"


def is_default(f: Field[Any], value: Any) -> bool:
    """Whether a field of a dataclass has its default: of the same type too, since 0 and 0.0 are two constants."""
    if f.default is not MISSING:
        return type(value) is type(f.default) and bool(value == f.default)
    return f.default_factory is not MISSING and bool(value == f.default_factory())


def fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911
    """Whether a value has the type of an annotation. A bool does not count as a number; an int counts as a float."""
    if hint is Any:
        return True
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in typing.get_args(hint))
    if origin is tuple:
        args = typing.get_args(hint)
        if not isinstance(value, tuple):
            return False
        if len(args) == 2 and args[1] is Ellipsis:
            return all(fits(v, args[0]) for v in value)
        return len(value) == len(args) and all(fits(v, a) for v, a in zip(value, args, strict=True))
    if origin is typing.Literal:  # which of them, a rule of the field says
        return isinstance(value, str)
    if origin is not None:
        return isinstance(value, origin)
    if hint is None:
        return value is None
    if hint in (int, float):
        return is_int(value) or (hint is float and isinstance(value, float))
    if not isinstance(value, hint):
        return False
    # Their fields go on into names, help texts and sets, so that they have types, too.
    return hint not in (Scalar, Layout) or all(fits(part, wanted) for _, wanted, part in values_of(value))


@cache
def hints(kind: Any) -> dict[str, Any]:
    """The annotations of a dataclass's fields, evaluated, without the location, the traced function and what the
    planner fills in."""
    # Names that the graph's module imports only for its annotations.
    names = {"Visitor": Visitor}
    evaluated = typing.get_type_hints(kind, localns=names)
    return {f.name: evaluated[f.name] for f in fields(kind) if f.repr}


def values_of(thing: Any) -> Iterator[tuple[str, Any, Any]]:
    """(name, annotation, value) of each field of a dataclass, without the location."""
    kind: Any = type(thing)
    for name, hint in hints(kind).items():
        yield name, hint, getattr(thing, name)


def is_int(value: object) -> TypeGuard[int]:
    """Whether it is an integer of a size to work with; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _BITS


_BITS = 2048
"""Twice those of the largest float, so that an integer which no float holds can be told from one that is too long to
work with. Python's integers have no limit, but conversions of them do, and they take time."""


def is_ints(value: object, count: int) -> bool:
    """Whether it is a tuple of the given number of integers."""
    return isinstance(value, tuple) and len(value) == count and all(is_int(v) for v in value)


def say(hint: Any) -> str:
    """An annotation in words."""
    parts = [p for p in typing.get_args(hint)] if typing.get_origin(hint) in (typing.Union, types.UnionType) else [hint]
    words = {
        "ElementType": tr("an element type such as half"),
        "Layout": tr("a layout such as RowMajor"),
        "str": tr("a string"),
        "int": tr("an integer"),
        "float": tr("a number"),
        "bool": tr("True or False"),
        "NoneType": "None",
        "Gemm": "a Gemm(...)",
        "Scalar": 'a Scalar("name", float32)',
        "Operator": "an operator(...)",
        "tuple": tr("a tuple of them"),
    }
    if float in parts and int in parts:
        parts.remove(int)
    parts = [one for p in parts for one in (typing.get_args(p) if typing.get_origin(p) is typing.Literal else [p])]
    said = [words.get(getattr(p, "__name__", ""), short(p) if isinstance(p, str) else str(p)) for p in parts]
    return reduce(lambda one, other: tr("{one} or {other}", one=one, other=other), said)


def quoted_name(value: Any, hint: Any) -> str | None:
    """Help for ``"half"`` written where ``half`` was meant."""
    if isinstance(value, str):
        for kind, known, others in (
            ("ElementType", ELEMENT_TYPES, aliases.TYPES),
            ("Layout", LAYOUTS, aliases.LAYOUTS),
        ):
            if kind in str(hint):
                if value in known:
                    return tr("write {value} without quotes", value=value)
                return suggest(value, known, others)
    return None


def short(value: Any) -> str:
    """A value for a message: a string in double quotes, a type by its name, nothing longer than a line. Raises nothing,
    whatever the value's ``__repr__`` does."""
    if isinstance(value, str):
        text = '"' + value[:60] + '"'
    elif isinstance(value, type):
        text = value.__name__
    elif isinstance(value, (TreeVisitor, TopologicalVisitor)):
        text = f"a {type(value).__name__}"
    elif isinstance(value, int) and value.bit_length() > _BITS:
        text = f"an integer of {value.bit_length()} bits"
    else:
        try:
            text = repr(value)
        except Exception:  # nested without end, digits without end, or the user's own fault
            text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."
