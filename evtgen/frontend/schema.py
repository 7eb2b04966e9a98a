"""The pydantic model of the explicit form, made from the dataclasses, so that a new node kind is in it by itself.

A JSON spec is ``{"evtgen": 1, "epilogues": [{"name": …, "root": VISITOR, …}]}``. A visitor is a node,
``{"node": "AuxLoad", "name": "X", "T": "half"}``, or ``{"tree": {"op": NODE, "children": [VISITOR, …]}}``, or
``{"topological": {"edges": [[], [0, 1], …], "ops": [VISITOR, …]}}``. Element types and layouts go by their names.
"""

from __future__ import annotations

import types
import typing
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.ir import Epilogue, Gemm, Scalar
from ..graph.types import ELEMENT_TYPES, LAYOUTS, ElementType, Layout, int64
from ..nodes import NODE_KINDS
from ..operators.declaration import Operator
from ..passes.analysis.fields import hints
from .dispatch import OPTIONS, TUNED, Served

_STRICT = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True, populate_by_name=True)

_NUMBERS = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


class UnknownName(ValueError):
    """A name that is none of the known ones, and what is said of it."""

    def __init__(self, what: str, name: object, known: typing.Iterable[str], others: dict[str, str]) -> None:
        self.what, self.name, self.help = what, name, suggest(str(name), known, others)
        super().__init__(what, name)


def _named(what: str, known: dict[str, Any], others: dict[str, str]) -> Any:
    """A field that holds one of the known things by its name; ``others`` is what they are called elsewhere."""

    def look_up(name: object) -> Any:
        if not isinstance(name, str) or name not in known:
            raise UnknownName(what, name, known, others)
        return known[name]

    kind = type(next(iter(known.values())))
    return Annotated[kind, BeforeValidator(look_up), WithJsonSchema({"type": "string", "enum": list(known)})]


def _infinity(value: object) -> object:
    """JSON has no infinities; they are written as strings."""
    return _NUMBERS.get(value, value) if isinstance(value, str) else value


def _number(value: object) -> object:
    """In Python True is 1; in JSON it is not."""
    return None if isinstance(value, bool) else value


def _tuple(value: object) -> object:
    """JSON has lists only."""
    return tuple(value) if isinstance(value, list) else value


_ELEMENT = _named("element type", {**ELEMENT_TYPES, int64.name: int64}, aliases.TYPES)
_LAYOUT = _named("layout", LAYOUTS, aliases.LAYOUTS)
_FLOAT = Annotated[
    float,
    BeforeValidator(_infinity),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": list(_NUMBERS)}]}),
]


def _json_type(hint: Any) -> Any:  # noqa: PLR0911
    """The annotation of a dataclass's field as that of the model's field."""
    if hint is ElementType:
        return _ELEMENT
    if hint is Layout:
        return _LAYOUT
    if hint is float:
        return _FLOAT
    if hint in (Gemm, Scalar):
        return _dataclass_model(hint)
    origin = typing.get_origin(hint)
    if origin is Literal:  # which of them, a rule of the field says
        return str
    if origin in (typing.Union, types.UnionType):
        # int before float, so that 1 stays 1.
        # An operator of the user's own cannot be written down in JSON.
        parts = sorted((p for p in typing.get_args(hint) if p is not Operator), key=lambda part: part is float)
        return typing.Union[tuple(_json_type(part) for part in parts)]  # noqa: UP007
    if origin is tuple:
        args = tuple(a if a is Ellipsis else _json_type(a) for a in typing.get_args(hint))
        return Annotated[tuple[args], BeforeValidator(_tuple)]  # type: ignore[valid-type]
    return hint


def _model_fields(kind: type, skip: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> dict[str, Any]:
    by_name = hints(kind)
    result: dict[str, Any] = {}
    for f in fields(kind):
        if f.name not in by_name or f.name in skip or (only and f.name not in only):
            continue
        # from_ is from in JSON, where that is no keyword.
        options: dict[str, Any] = {"alias": f.name.rstrip("_")}
        if f.default is not MISSING:
            options["default"] = f.default
            if isinstance(f.default, (ElementType, Layout)):
                options["json_schema_extra"] = {"default": f.default.name}
        elif f.default_factory is not MISSING:
            options["default_factory"] = f.default_factory
        result[f.name] = (_json_type(by_name[f.name]), Field(**options))
    return result


def _model(name: str, described: type | None = None, /, **fields_: Any) -> type[BaseModel]:
    """A model with a description: the first paragraph of a class's docstring."""
    model: type[BaseModel] = create_model(name, __config__=_STRICT, **fields_)
    if described is not None:
        model.__doc__ = (described.__doc__ or "").split("\n\n")[0].replace("``", "")
    return model


@cache
def _dataclass_model(kind: type) -> type[BaseModel]:
    return _model(kind.__name__, kind, **_model_fields(kind))


@cache
def node_model(name: str) -> type[BaseModel]:
    """The model of one node kind: ``"node"`` and the fields of the dataclass."""
    kind = NODE_KINDS[name]
    literal: Any = (Literal[name], ...)
    return _model(name, kind, node=literal, **_model_fields(kind))


def visitor_tag(value: Any) -> str | None:
    """Which form a visitor has: a node kind's name, ``"tree"`` or ``"topological"``; None for none of them."""
    if isinstance(value, dict):
        if "node" in value:
            return str(value["node"])
        return next((tag for tag in ("tree", "topological") if tag in value), None)
    return None


@cache
def epilogue_model() -> type[BaseModel]:
    """The model of an epilogue; its root is anything, since it is read level by level."""
    fields_ = _model_fields(Epilogue, skip=("root", "traced", "outputs", "accumulators"))
    # Kernels for launches of at most so many rows: the rows are keys of JSON.
    kernel: Any = _model("Kernel", Served, **_model_fields(Gemm, only=TUNED), **_model_fields(Epilogue, only=OPTIONS))
    rows: Any = Annotated[str, Field(pattern="^[1-9][0-9]{0,8}$")]
    upto: Any = (dict[rows, kernel], Field(default={}))
    return _model("Epilogue", Epilogue, root=(Any, ...), upto=upto, **fields_)


# The parts of a nest are read one by one too: pydantic's own recursion ends at about a hundred levels.
Tree = _model("Tree", op=(Any, ...), children=(list[Any], ...))
TreeForm = _model("TreeVisitor", tree=(Any, ...))
Topological = _model("Topological", edges=(list[list[int]], ...), ops=(list[Any], ...))
TopologicalForm = _model("TopologicalVisitor", topological=(Any, ...))
Spec = _model(
    "Spec", evtgen=(Annotated[Literal[1], BeforeValidator(_number)], ...), epilogues=(list[Any], Field(min_length=1))
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of JSON specs."""
    parts: list[type[BaseModel]] = [node_model(name) for name in NODE_KINDS]
    parts += [epilogue_model(), Tree, TreeForm, Topological, TopologicalForm]
    definitions: dict[str, Any] = {}
    for part in parts:
        schema = part.model_json_schema()
        definitions.update(schema.pop("$defs", {}))
        definitions[part.__name__] = schema

    def to(name: str) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{name}"}

    # The models leave their parts open; here they are put together.
    definitions["Node"] = {"oneOf": [to(name) for name in NODE_KINDS]}
    definitions["Visitor"] = {"oneOf": [to(name) for name in (*NODE_KINDS, "TreeVisitor", "TopologicalVisitor")]}
    definitions["Epilogue"]["properties"]["root"] = to("Visitor")
    definitions["TreeVisitor"]["properties"]["tree"] = to("Tree")
    definitions["TopologicalVisitor"]["properties"]["topological"] = to("Topological")
    definitions["Tree"]["properties"]["op"] = to("Node")
    definitions["Tree"]["properties"]["children"]["items"] = to("Visitor")
    definitions["Topological"]["properties"]["ops"]["items"] = to("Visitor")
    spec = Spec.model_json_schema()
    spec["properties"]["epilogues"]["items"] = to("Epilogue")
    spec["properties"]["$schema"] = {"type": "string", "description": "Where this schema is, for editors."}
    spec["description"] = "An evtgen spec in the explicit form."
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **spec, "$defs": definitions}
