"""The text of a spec with other options of one epilogue: in Python keywords of its decorator or its call, in JSON
members of its object. All else stays as it is written."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..diagnostics.tuning import NOT_REWRITTEN
from ..graph.ir import Epilogue
from .dispatch import Fields, Served
from .python_form import spelled

_OPTIONS = ("buffers", "compute_length")
"""What is an option of the epilogue; all else is a field of its ``gemm``."""


def rewritten(
    path: Path, text: str | None, epilogue: Epilogue, options: Fields, upto: Mapping[int, Fields] | None = None
) -> str:
    """The text of a spec, or of what it was changed to before, with these options, and with a Dispatch where launches
    of at most so many rows have others. Raises EvtgenError (EVT294)."""
    if path.suffix not in (".py", ".json") or not path.is_file():
        raise NOT_REWRITTEN.refusal("file", epilogue.location, name=epilogue.name)
    if isinstance(epilogue, Served):
        raise NOT_REWRITTEN.refusal(
            "dispatch", epilogue.location, name=epilogue.name, what=epilogue.operator, file=path
        )
    text = path.read_text(encoding="utf-8-sig") if text is None else text
    when, made = (_python if path.suffix == ".py" else _json)(text, epilogue.name, options, upto or {})
    if when:
        raise NOT_REWRITTEN.refusal(when, epilogue.location, name=epilogue.name, file=path, what=made)
    return made


def _json(text: str, name: str, options: Fields, upto: Mapping[int, Fields]) -> tuple[str, str]:
    document = json.loads(text)
    found = [one for one in document["epilogues"] if one["name"] == name]
    if len(found) != 1:
        return "once", text
    for option, value in options.items():
        (found[0] if option in _OPTIONS else found[0].setdefault("gemm", {}))[option] = value
    if upto:
        found[0]["upto"] = {str(rows): dict(fields) for rows, fields in sorted(upto.items())}
    return "", json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _python(  # noqa: PLR0911
    text: str, name: str, options: Fields, upto: Mapping[int, Fields]
) -> tuple[str, str]:
    """Nothing and the new text; or why there is none, and the name that it is about."""
    tree = ast.parse(text)
    places = list(_definitions(tree, name))
    if len(places) != 1:
        return "once", text
    (place,) = places
    keywords = {one.arg: one.value for one in place.keywords} if isinstance(place, ast.Call) else {}
    of_gemm = {option: spelled(value) for option, value in options.items() if option not in _OPTIONS}
    own = {option: spelled(value) for option, value in options.items() if option in _OPTIONS}
    edits = _Edits(text)
    gemm = keywords.get("gemm")
    called = place.func if isinstance(place, ast.Call) else place
    prefix = ast.unparse(called.value) + "." if isinstance(called, ast.Attribute) else ""
    if of_gemm and gemm is not None:
        if (
            not isinstance(gemm, ast.Call)
            or _last(gemm.func) != "Gemm"
            or any(one.arg is None for one in gemm.keywords)
        ):
            return "gemm", text
        edits.keywords(gemm, of_gemm)
    elif of_gemm:
        own = {"gemm": f"{prefix}Gemm({', '.join(f'{key}={value}' for key, value in of_gemm.items())})", **own}
        if not prefix and not _has(tree, "Gemm") and not edits.imports(tree, _last(called), "Gemm"):
            return "import", "Gemm"
    if isinstance(place, ast.Call):
        edits.keywords(place, own)
    elif own:
        edits.insert(place, f"({', '.join(f'{key}={value}' for key, value in own.items())})")
    if not upto:
        return "", edits.done()
    variable = _variable(tree, place)
    if not variable:
        return "variable", text
    both = f"{variable}_by_rows"
    if any(both in (getattr(node, of, None) for of in ("id", "name", "asname")) for node in ast.walk(tree)):
        return "taken", both
    if not prefix and not _has(tree, "Dispatch") and not edits.imports(tree, _last(called), "Dispatch"):
        return "import", "Dispatch"
    kernels = ", ".join(
        f"{rows}: {{{', '.join(f'{key!r}: {spelled(value)}' for key, value in fields.items())}}}"
        for rows, fields in sorted(upto.items())
    )
    return "", f"{edits.done().rstrip()}\n\n{both} = {prefix}Dispatch({variable}, {{{kernels}}})\n"


def _variable(tree: ast.Module, place: ast.expr) -> str:
    """The name that a module has for what is defined at a place; empty where it has none."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and place in node.decorator_list:
            return node.name
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is place:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
    return ""


def _definitions(tree: ast.Module, name: str) -> Iterator[ast.Call | ast.Name | ast.Attribute]:
    """The decorators and the calls that define an epilogue of a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for one in node.decorator_list:
                called = one.func if isinstance(one, ast.Call) else one
                given = {key.arg: key.value for key in one.keywords} if isinstance(one, ast.Call) else {}
                own = ast.literal_eval(given["name"]) if isinstance(given.get("name"), ast.Constant) else node.name
                if isinstance(one, ast.Call | ast.Name | ast.Attribute) and _last(called) == "epilogue" and own == name:
                    yield one
        elif isinstance(node, ast.Call) and _last(node.func) == "Epilogue":
            first = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "name"), None)
            if isinstance(first, ast.Constant) and first.value == name:
                yield node


def _last(node: ast.expr) -> str:
    """``epilogue`` of ``evt.epilogue``."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _has(tree: ast.Module, name: str) -> bool:
    """Whether a module imports a name, for all of it."""
    imports = ((node, one) for node in tree.body if isinstance(node, ast.ImportFrom) for one in node.names)
    return any(
        name == (one.asname or one.name) or (one.name == "*" and node.module == "evtgen") for node, one in imports
    )


class _Edits:
    """Changes of a text, by places of its syntax tree; columns there count bytes."""

    def __init__(self, text: str) -> None:
        self.lines = text.encode().splitlines(keepends=True)
        self.made: list[tuple[int, int, str]] = []

    def insert(self, after: ast.expr | ast.alias, text: str) -> None:
        """Text behind a node."""
        end = self._at(after.end_lineno, after.end_col_offset)
        self.made.append((end, end, text))

    def keywords(self, call: ast.Call, values: Mapping[str, str]) -> None:
        """Keywords of a call: those that are there have other values, others come behind all."""
        given = {one.arg: one.value for one in call.keywords}
        for name in [name for name in values if name in given]:
            old = given[name]
            start, end = (self._at(*place) for place in (
                (old.lineno, old.col_offset), (old.end_lineno, old.end_col_offset)
            ))  # fmt: skip
            self.made.append((start, end, values[name]))
        more = ", ".join(f"{name}={value}" for name, value in values.items() if name not in given)
        last = [*call.args, *(one.value for one in call.keywords)]
        if more and last:
            self.insert(max(last, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0)), f", {more}")
        elif more:
            end = self._at(call.end_lineno, call.end_col_offset) - 1
            self.made.append((end, end, more))

    def imports(self, tree: ast.Module, beside: str, name: str) -> bool:
        """A name beside another that is imported from evtgen; returns whether that is."""
        for node in tree.body:
            for one in node.names if isinstance(node, ast.ImportFrom) and node.module == "evtgen" else ():
                if one.name == beside and one.asname is None:
                    self.insert(one, f", {name}")
                    return True
        return False

    def done(self) -> str:
        """The changed text."""
        data = b"".join(self.lines)
        for start, end, text in sorted(self.made, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        return data.decode()

    def _at(self, line: int | None, column: int | None) -> int:
        assert line is not None and column is not None
        return sum(map(len, self.lines[: line - 1])) + column
