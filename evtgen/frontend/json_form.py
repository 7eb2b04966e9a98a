"""The explicit form as JSON: reading it with a diagnostic for each thing that is wrong, and writing it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..diagnostics import reading as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..diagnostics.suggestions import nearest, suggest
from ..graph.ir import Epilogue, Gemm, Node, Scalar, TopologicalVisitor, TreeVisitor, Visitor
from ..graph.location import Location
from ..graph.types import ElementType, Layout
from ..nodes import NODE_KINDS
from ..operators.declaration import Operator
from ..passes.analysis.fields import is_default
from ..passes.analysis.size import MAX_DEPTH
from ..system.translation import tr
from .dispatch import Dispatch, Served, chosen, differing

if TYPE_CHECKING:
    from pydantic import BaseModel


def read(text: str, file: str) -> list[Epilogue]:
    """The epilogues of a JSON spec. Raises EvtgenError: EVT005 when it is no JSON, else EVT006 for all that is
    wrong."""
    try:
        document = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, file))
    except json.JSONDecodeError as error:
        at = Location(file, error.lineno)
        raise codes.NOT_JSON.refusal("syntax", at, error=error.msg, column=error.colno) from None
    except (RecursionError, ValueError) as error:  # ValueError: an integer of thousands of digits
        when = "deep" if isinstance(error, RecursionError) else "number"
        raise codes.NOT_JSON.refusal(when, Location(file, 0), error=error) from None
    reader = _Reader(file)
    epilogues = reader.spec(document)
    if reader.wrong:
        raise EvtgenError(reader.wrong)
    return epilogues


def _object(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    """An object of JSON, refused when a key is there twice: one of the values would be lost without a word."""
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = ", ".join(f'"{key}"' for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise codes.NOT_JSON.refusal("twice", Location(file, 0), key=twice)
    return result


class _Reader:
    """Reads a document part by part; ``wrong`` collects what does not fit, and such a part is None."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.wrong: list[Diagnostic] = []
        self.too_deep = False

    def spec(self, document: Any) -> list[Epilogue]:
        from .schema import Spec

        if isinstance(document, dict):
            # It tells an editor where the schema is.
            document = {key: value for key, value in document.items() if key != "$schema"}
        values = self._validated(Spec, document, "")
        if values is None:
            return []
        read = [self._epilogue(e, f"epilogues[{i}]") for i, e in enumerate(values["epilogues"])]
        return [kernel for kernels in read for kernel in kernels]

    def _epilogue(self, document: Any, at: str) -> Iterable[Epilogue]:
        """An epilogue, or its kernels by rows."""
        from .schema import epilogue_model

        values = self._validated(epilogue_model(), document, at)
        has_root = isinstance(document, dict) and "root" in document
        root = self._visitor(document["root"], f"{at}.root", 0) if has_root else None
        if values is None or root is None:
            return []
        upto = {
            int(rows): {name: _built(getattr(options, name)) for name in options.model_fields_set}
            for rows, options in values.pop("upto").items()
        }
        epilogue = Epilogue(**{**values, "root": root}, location=self._location(at))
        return Dispatch(epilogue, upto) if upto else [epilogue]

    def _visitor(self, document: Any, at: str, depth: int) -> Visitor | None:  # noqa: PLR0911
        from .schema import node_model, visitor_tag

        if depth > MAX_DEPTH:
            # Its siblings are as deep; one message does.
            if not self.too_deep:
                self._say("deep", at, limit=MAX_DEPTH)
            self.too_deep = True
            return None
        both = [form for form in ("node", "tree", "topological") if isinstance(document, dict) and form in document]
        if len(both) > 1:
            self._say("two", at, forms=", ".join(both))
            return None
        tag = visitor_tag(document)
        if tag == "tree" and "node" not in document:
            return self._tree(document, at, depth)
        if tag == "topological" and "node" not in document:
            return self._topological(document, at, depth)
        if tag is None:
            self._say("visitor", at)
            return None
        if tag not in NODE_KINDS:
            self._say("node", at, suggest(tag, NODE_KINDS), name=tag)
            return None
        values = self._validated(node_model(tag), document, at)
        if values is None:
            return None
        values.pop("node")
        return NODE_KINDS[tag](**values, location=self._location(at))

    def _tree(self, document: Any, at: str, depth: int) -> Visitor | None:
        from .schema import Tree, TreeForm

        form = self._validated(TreeForm, document, at)
        parts = form and self._validated(Tree, form["tree"], f"{at}.tree")
        if not parts:
            return None
        op = self._visitor(parts["op"], f"{at}.tree.op", depth + 1)
        children = [
            self._visitor(child, f"{at}.tree.children[{i}]", depth + 1) for i, child in enumerate(parts["children"])
        ]
        if op is not None and not isinstance(op, Node):
            self._say("op", f"{at}.tree.op")
            return None
        if op is None or any(child is None for child in children):
            return None
        return TreeVisitor(op, *(c for c in children if c is not None), location=self._location(at))

    def _topological(self, document: Any, at: str, depth: int) -> Visitor | None:
        from .schema import Topological, TopologicalForm

        form = self._validated(TopologicalForm, document, at)
        parts = form and self._validated(Topological, form["topological"], f"{at}.topological")
        if not parts:
            return None
        ops = [self._visitor(op, f"{at}.topological.ops[{i}]", depth + 1) for i, op in enumerate(parts["ops"])]
        if any(op is None for op in ops):
            return None
        return TopologicalVisitor(parts["edges"], [op for op in ops if op is not None], location=self._location(at))

    def _validated(self, model: type[BaseModel], document: Any, at: str) -> dict[str, Any] | None:
        """The fields of a part, by the model; None after saying what is wrong with it."""
        from pydantic import ValidationError

        try:
            validated = model.model_validate(document)
        except ValidationError as error:
            known = [info.alias or name for name, info in model.model_fields.items()]
            entries = [(_path(document, entry), entry) for entry in map(dict, error.errors(include_url=False))]
            # A union reports each of its members: the one that got furthest was meant, and one message for each place
            # is enough.
            said: set[str] = set()
            for path, entry in entries:
                where = f"{at}{_place(path)}".lstrip(".")
                if where not in said and not any(path == other[: len(path)] != other for other, _ in entries):
                    said.add(where)
                    self._explain(entry, path, known, where)
            return None
        return {name: _built(getattr(validated, name)) for name in model.model_fields}

    def _explain(self, entry: dict[str, Any], path: list[int | str], known: Iterable[str], at: str) -> None:
        """Say what one of pydantic's errors means; ``known`` are the fields of the part, ``path`` leads to it."""
        from .schema import UnknownName

        cause = entry.get("ctx", {}).get("error")
        if isinstance(cause, UnknownName):
            self._say("name", at, cause.help, what=cause.what, name=cause.name)
        elif entry["type"] == "extra_forbidden":
            best = nearest(str(path[-1]), known) if len(path) == 1 else None
            self._say("field", at, tr("did you mean {best}?", best=best) if best else None, name=path[-1])
        else:
            self._say(_MEANT.get(entry["type"], "other"), at, error=entry["msg"])

    def _say(self, when: str, at: str, help: str | None = None, **fields: object) -> None:
        at = at or tr("the document")
        self.wrong.append(codes.JSON_FORM.of(when, self._location(at), help=help, where=at, **fields))

    def _location(self, at: str) -> Location:
        return Location(self.file, 0, at)


def _built(value: Any) -> Any:
    """A value of a model, with the dataclasses that its parts stand for."""
    if isinstance(value, tuple):
        return tuple(_built(part) for part in value)
    kind = _NESTED.get(type(value).__name__)
    return kind(**{f.name: getattr(value, f.name) for f in fields(kind)}) if kind else value


_NESTED: dict[str, Any] = {kind.__name__: kind for kind in (Gemm, Scalar)}


def _path(document: Any, entry: dict[str, Any]) -> list[int | str]:
    """The steps into ``document`` that lead to one of pydantic's errors.

    Its location also names the members of unions and the validators that it passed through; those are no steps, since
    the document has nothing under such a name where they stand. The last step to what is missing is to a key that
    should be there.
    """
    path: list[int | str] = []
    for step in entry["loc"]:
        if _leads(document, step):
            document = document[step]
            path.append(step)
    return [*path, entry["loc"][-1]] if entry["type"] == "missing" else path


def _place(path: Iterable[int | str]) -> str:
    """A path as text: ``.gemm.l1[0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _leads(document: Any, step: int | str) -> bool:
    """Whether a document has something under a key or an index."""
    if isinstance(step, int):
        return isinstance(document, (list, tuple)) and step < len(document)
    return isinstance(document, dict) and step in document


_MEANT = {"missing": "missing", "model_type": "object", "model_attributes_type": "object", "literal_error": "version"}
"""Which message there is for the types of pydantic's errors that need other words."""


def to_json(epilogues: Iterable[Epilogue]) -> dict[str, Any]:
    """A JSON spec of epilogues, as plain data; values that are defaults are left out. A traced one becomes explicit,
    and the kernels of a Dispatch one epilogue again; without the last of them, they are epilogues of their own.

    Raises:
        TypeError: an epilogue has an operator that a spec declares, which is Python.
    """
    made: list[dict[str, Any]] = []
    few: list[Served] = []
    for epilogue in epilogues:
        if not isinstance(epilogue, Served):
            made.append(_epilogue_json(epilogue))
        elif epilogue.rows is not None:
            few.append(epilogue)
        else:  # The kernel for all other rows comes last.
            own = chosen(epilogue)
            kernels = {one.rows: differing(chosen(one), own) for one in few if one.operator == epilogue.operator}
            few = [one for one in few if one.operator != epilogue.operator]
            upto = {str(rows): {key: _plain(value) for key, value in one.items()} for rows, one in kernels.items()}
            own_name = {"name": epilogue.operator, "upto": upto} if upto else {}
            made.append({**_epilogue_json(epilogue), **own_name})
    return {"evtgen": 1, "epilogues": [*made, *map(_epilogue_json, few)]}


def _epilogue_json(epilogue: Epilogue) -> dict[str, Any]:
    result = {"name": epilogue.name, "root": _visitor_json(epilogue.root)}
    for f in fields(Epilogue):
        value = getattr(epilogue, f.name)
        if f.compare and f.name not in ("name", "root", "traced") and not is_default(f, value):
            result[f.name] = _plain(value)
    return result


def _visitor_json(visitor: Visitor) -> dict[str, Any]:
    if isinstance(visitor, TreeVisitor):
        return {"tree": {"op": _visitor_json(visitor.op), "children": [_visitor_json(c) for c in visitor.children]}}
    if isinstance(visitor, TopologicalVisitor):
        edges = [list(e) for e in visitor.edges]
        return {"topological": {"edges": edges, "ops": [_visitor_json(op) for op in visitor.ops]}}
    return {"node": type(visitor).__name__, **_dataclass_json(visitor)}


def _dataclass_json(thing: Any) -> dict[str, Any]:
    return {
        f.name.rstrip("_"): _plain(getattr(thing, f.name))
        for f in fields(thing)
        if f.name != "location" and not is_default(f, getattr(thing, f.name))
    }


def _plain(value: Any) -> Any:
    if isinstance(value, (ElementType, Layout)):
        return value.name
    if isinstance(value, (Gemm, Scalar)):
        return _dataclass_json(value)
    if isinstance(value, Operator):
        raise TypeError(f"the operator {value} is declared in Python; JSON has no way to say it")
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value
