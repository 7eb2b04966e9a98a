"""A page for each epilogue of the gallery."""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from docs.generate.gallery import CHECKOUT, plans
from evtgen.emit.formula import formula, product
from evtgen.planner.plan import Plan
from evtgen.report.page.graph import drawing_of, laid_out, standalone
from evtgen.report.page.html import table
from evtgen.report.page.sections.arguments import HEAD, rows

FOLDER = "gallery/"
REPORTS = "gallery/reports/"


@dataclass(frozen=True)
class Entry:
    """An epilogue of the gallery: ``page`` is its Markdown, ``picture`` the SVG of its graph."""

    name: str
    file: str
    page: str
    picture: str


def entries(reported: Collection[str] = ()) -> list[Entry]:
    """All of them, in the order of the gallery's page; those that are ``reported`` link to their report."""
    found = plans()
    costs = _costs((CHECKOUT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    result = []
    for number, (path, plan) in enumerate(found):
        near = [found[other][1].name if 0 <= other < len(found) else None for other in (number - 1, number + 1)]
        file = path.relative_to(CHECKOUT).as_posix()
        picture = standalone(laid_out(drawing_of(plan)))
        page = _page(path, plan, costs[plan.name], near, plan.name in reported)
        result.append(Entry(plan.name, file, page, picture))
    return result


def _page(path: Path, plan: Plan, cost: str, near: list[str | None], reported: bool) -> str:
    file = path.relative_to(CHECKOUT).as_posix()
    module = ast.parse(path.read_text(encoding="utf-8"))
    function = next(node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == plan.name)
    text = re.sub(r"`[^`]*`|[*_\[\]<>]", _literal, ast.get_docstring(function) or "")
    about = ast.get_docstring(module) or ""
    spec = alone(path, plan.name)
    # The browser has no numpy.
    play = (
        f'<a href="../playground.html#{encoded(spec)}">Change it in the playground.</a>' if "numpy" not in spec else ""
    )
    report = f"Here is [its report](reports/{plan.name}/index.html). " if reported else ""
    others = [f"{word}: [{name}]({name}.md)." for word, name in zip(("Before", "Next"), near, strict=True) if name]
    return f"""\
# {plan.name}

{text}

```python
{spec}```

Saved as `{plan.name}.py`, `evtgen verify {plan.name}.py` compiles it and proves it on your machine, and
`evtgen build {plan.name}.py -o include` writes the header, and `evtgen report {plan.name}.py -o report`
[a page](../report.md) with its times. {report}{play} `evtgen new NAME --from gallery/{plan.name}` starts a
spec of yours from it, with a test and a CI job. It is from [`{file}`](../../{file}): {_as_sentence(about)}

```text
{product(plan)}
{chr(10).join(formula(plan))}
```

<div class="picture" markdown>
![The graph of {plan.name}]({plan.name}.svg)
</div>

## Arguments

The members of `Catlass::Evt::{plan.name}::Arguments`, in their order.

{table(HEAD, rows(plan))}

## What it costs

{cost}

[The gallery](../gallery.md) says how these are counted, and has the others. {" ".join(others)}
"""


def encoded(spec: str) -> str:
    """The spec as the playground has it in its address."""
    return base64.urlsafe_b64encode(spec.encode()).decode().rstrip("=")


def _literal(found: re.Match[str]) -> str:
    """A docstring has formulas, whose stars and underscores are no Markdown."""
    return found[0] if found[0].startswith("`") else f"\\{found[0]}"


def _as_sentence(text: str) -> str:
    first = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    return first[:1].lower() + first[1:]


def _costs(page: str) -> dict[str, str]:
    """Of each epilogue the line of the gallery's tables, as a table of its own."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    head, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    costs = {}
    for row in (row for row in rows if row[0].startswith("[")):
        name = re.sub(r"^\[`(\w+)`\].*", r"\1", row[0])
        # The formula stands above, and an empty cell says nothing.
        shown = [(h, c) for h, c in zip(head[1:], row[1:], strict=True) if h != "computes" and c]
        heads, cells = zip(*shown, strict=True)
        costs[name] = "\n".join("|".join(["", *line, ""]) for line in (heads, ["---"] * len(heads), cells))
    return costs


def alone(path: Path, name: str) -> str:
    """The part of the spec file ``path`` that makes the epilogue ``name``: its function, what of the file that uses,
    and the imports of both. It is a spec file by itself."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    module = ast.parse(source)
    by_name = {bound: node for node in module.body for bound in _bound(node)}
    wanted, reached = [name], set()
    while wanted:
        node = by_name.get(wanted.pop())
        if node is not None and node not in reached:
            reached.add(node)
            wanted += [used.id for used in ast.walk(node) if isinstance(used, ast.Name)]
    used = {used.id for node in reached for used in ast.walk(node) if isinstance(used, ast.Name)}
    imports = [_import(node, used) for node in module.body if node in reached and _is_import(node)]
    rest = [_text(node, lines) for node in module.body if node in reached and not _is_import(node)]
    return "\n".join(imports) + "\n\n\n" + "\n\n\n".join(rest) + "\n"


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module gives."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _import(node: ast.stmt, used: set[str]) -> str:
    """The import, of what is used."""
    assert isinstance(node, ast.Import | ast.ImportFrom)
    node.names = [alias for alias in node.names if (alias.asname or alias.name) in used]
    return ast.unparse(node)


def _text(node: ast.stmt, lines: list[str]) -> str:
    """The lines of a statement, with its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return "\n".join(lines[first - 1 : node.end_lineno])
