"""A page for each epilogue of the gallery, in each language."""

from __future__ import annotations

import ast
import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from docs.generate.gallery import CHECKOUT, plans
from docs.generate.languages import named
from evtgen.emit.formula import formula, product, spoken
from evtgen.pipeline.gallery import entry
from evtgen.planner.plan import Plan
from evtgen.report.page.graph import drawing_of, laid_out, standalone
from evtgen.report.page.html import table
from evtgen.report.page.sections.arguments import HEAD, rows
from evtgen.system.translation import LANGUAGE, VARIABLE, tr

FOLDER = "gallery/"
REPORTS = "gallery/reports/"

_PAGE = tr("""\
# {name}

{about}

```python
{spec}```

Saved as `{name}.py`, `evtgen verify {name}.py` compiles it and proves it on your machine,
`evtgen build {name}.py -o include` writes the header, and `evtgen report {name}.py -o report`
[a page](../report.md) with its times. `evtgen new NAME --from gallery/{name}` starts a spec of yours from it, with a
test and a CI job. {links} It is from {source}.

```text
{formula}
```

<div class="picture" markdown>
![The graph of {name}]({picture})
</div>

## Arguments

The members of `Catlass::Evt::{name}::Arguments`, in their order.

{arguments}

## What it costs

{cost}

[The gallery](../gallery.md) says how these are counted, and has the others. {others}
""")


@dataclass(frozen=True)
class Entry:
    """An epilogue of the gallery in a language: ``page`` is its Markdown, ``picture`` the SVG of its graph."""

    name: str
    file: str
    page: str
    picture: str


def entries_in(language: str, reported: Collection[str] = ()) -> list[Entry]:
    """What :func:`entries` are in a language, which is the one of a process."""
    command = [sys.executable, "-c", f"from {__name__} import printed; printed()", *reported]
    environment = {**os.environ, VARIABLE: language, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, check=True)
    return [Entry(**one) for one in json.loads(done.stdout)]


def printed() -> None:
    """Print all of them as JSON, for :func:`entries_in`; the arguments of the process are those that are reported."""
    json.dump([asdict(entry) for entry in entries(sys.argv[1:])], sys.stdout)


def entries(reported: Collection[str] = ()) -> Iterator[Entry]:
    """All of them, in the order of the gallery's page; those that are ``reported`` link to their report."""
    found = plans()
    costs = _costs((CHECKOUT / "docs" / named("gallery")).read_text(encoding="utf-8"))
    for number, (path, plan) in enumerate(found):
        places = {tr("Before: {link}."): number - 1, tr("Next: {link}."): number + 1}
        near = {text: found[place][1].name for text, place in places.items() if 0 <= place < len(found)}
        file = path.relative_to(CHECKOUT).as_posix()
        picture = standalone(laid_out(drawing_of(plan)))
        page = _page(path, plan, costs[plan.name], near, plan.name in reported)
        yield Entry(plan.name, file, page, picture)


@spoken()
def _page(path: Path, plan: Plan, cost: str, near: Mapping[str, str], reported: bool) -> str:
    file = path.relative_to(CHECKOUT).as_posix()
    module = ast.parse(path.read_text(encoding="utf-8"))
    function = next(node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == plan.name)
    kind = tr(entry(plan.name).kind.capitalize())
    about, source = tr("Kind: {kind}.", kind=kind), f"[`{file}`](../../{file})"
    if LANGUAGE == "en":  # docstrings are; in other languages the spec alone has them
        about = re.sub(r"`[^`]*`|[*_\[\]<>]", _literal, ast.get_docstring(function) or "")
        source += f": {_as_sentence(ast.get_docstring(module) or '')}".removesuffix(".")
    spec = alone(path, plan.name)
    links = []
    if reported:
        links.append(tr("Here is [its report]({page}).", page=f"reports/{named(plan.name)[:-3]}/index.html"))
    if "numpy" not in spec:  # which the browser has not
        playground = f"../{named('playground')[:-3]}.html#{encoded(spec)}"
        links.append(tr('<a href="{page}">Change it in the playground.</a>', page=playground))
    return _PAGE.format(
        name=plan.name,
        about=about,
        spec=spec,
        links=" ".join(links),
        source=source,
        formula="\n".join([product(plan), *formula(plan)]),
        picture=picture_of(plan.name),
        arguments=table(HEAD, rows(plan)),
        cost=cost,
        others=" ".join(text.format(link=f"[{name}]({named(name)})") for text, name in near.items()),
    )


def picture_of(name: str, language: str = LANGUAGE) -> str:
    """The file of an entry's picture."""
    return named(name, language).removesuffix("md") + "svg"


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
        # The name and the formula stand above, and an empty cell says nothing.
        shown = [(h, c) for place, (h, c) in enumerate(zip(head, row, strict=True)) if place not in (0, 2) and c]
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
