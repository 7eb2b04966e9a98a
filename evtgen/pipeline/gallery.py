"""The gallery as sources: its entries by name, and each alone, with what it uses of its file. None of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..diagnostics.files import NOT_IN_GALLERY
from ..diagnostics.suggestions import nearest
from ..system.translation import tr

_PACKAGE = Path(__file__).parent.parent
FOLDER = next(
    (f for f in (_PACKAGE / "gallery", _PACKAGE.parent / "examples" / "gallery") if f.is_dir()), _PACKAGE / "gallery"
)
"""The specs of the gallery: in the package, or beside it in a checkout."""

PREFIX = "gallery/"
"""Entries may be named with it."""


@dataclass(frozen=True)
class Entry:
    """An epilogue of the gallery.

    Attributes:
        name: of its function.
        path: the file that it is in.
    """

    name: str
    path: Path

    def renamed(self, name: str) -> str:
        """A spec of its own: what the epilogue needs of its file, and its function with another name."""
        text = self.path.read_text(encoding="utf-8")
        lines, tree = text.splitlines(), ast.parse(text)
        (own,) = (s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == self.name)
        kept = [own]
        for statement in reversed(tree.body[: tree.body.index(own)]):
            if set(_bound(statement)) & _used(kept):
                kept.insert(0, statement)  # type: ignore[arg-type]
        used = _used(kept)
        imports = [s for s in kept if isinstance(s, ast.Import | ast.ImportFrom)]
        parts = ["\n".join(ast.unparse(_only(s, used)) for s in imports if isinstance(s, ast.Import))]
        parts += ["\n".join(ast.unparse(_only(s, used)) for s in imports if isinstance(s, ast.ImportFrom))]
        parts += ["\n".join(_lines(s, lines)) for s in kept if s not in imports and s is not own]
        function = _lines(own, lines)
        line = own.lineno - _first(own)
        function[line] = function[line].replace(f"def {self.name}(", f"def {name}(", 1).partition("  # noqa")[0]
        head = "\n\n".join(part for part in parts if part)
        return f'"""From the gallery of evtgen: {self.name}."""\n\n{head}\n\n\n' + "\n".join(function) + "\n"

    @property
    def moves_rows_of_several(self) -> bool:
        """Whether rows go to, or come from, other groups of a launch, where a function of one matmul says nothing."""
        source = self.renamed(self.name)
        tree = ast.parse(source)
        several = any(isinstance(n, ast.keyword) and n.arg == "group" for n in ast.walk(tree))
        return several and any(isinstance(n, ast.Attribute) and n.attr in ("gather", "scatter") for n in ast.walk(tree))


@cache
def entries() -> dict[str, Entry]:
    """The entries by name, in the order of their files."""
    return {
        statement.name: Entry(statement.name, path)
        for path in sorted(FOLDER.glob("*.py"))
        for statement in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.FunctionDef) and "epilogue" in _used(statement.decorator_list)
    }


def entry(name: str) -> Entry:
    """The entry of this name, ``bias_gelu`` or ``gallery/bias_gelu``. Raises EvtgenError (EVT227)."""
    known = entries()
    short = name.removeprefix(PREFIX)
    if short in known:
        return known[short]
    meant = nearest(short, known)
    raise NOT_IN_GALLERY.refusal(
        help=tr("did you mean {meant}?", meant=meant)
        if meant
        else tr("the gallery has {known}", known=", ".join(known)),
        name=short,
    )


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that they mention."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    else:
        yield from (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _only(statement: ast.Import | ast.ImportFrom, used: set[str]) -> ast.Import | ast.ImportFrom:
    """An import without the names that are not used."""
    names = [alias for alias in statement.names if (alias.asname or alias.name.partition(".")[0]) in used]
    if isinstance(statement, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(statement.module, names, statement.level)


def _first(statement: ast.stmt) -> int:
    """The number of its first line, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _lines(statement: ast.stmt, lines: list[str]) -> list[str]:
    return lines[_first(statement) - 1 : statement.end_lineno]
