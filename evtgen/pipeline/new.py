"""``evtgen new``: the files of a new epilogue."""

from __future__ import annotations

import ast
import builtins
import json
import keyword
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..check import check
from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.files import NO_MODULE
from ..emit.output.files import Written
from ..emit.output.standalone import write_new
from ..graph.ir import Epilogue, TreeVisitor
from ..graph.types import half
from ..nodes import AccLoad, AuxStore
from ..options import NewOptions
from ..passes.analysis.cpp_names import is_identifier
from ..system.translation import tr
from .gallery import Entry, entry

WORKFLOW = Path(".github", "workflows", "evtgen.yml")
"""The job for CI, below the root of the repository."""

_ASSETS = Path(__file__).parent / "assets"


def new(name: str, source: str | None, output: Path, options: NewOptions) -> Written:
    """Write the spec, its test and a job for CI, all or none; returns the files that are new or changed, and those that
    were there already with the same text.

    Args:
        name: of the epilogue, which is that of its file, too.
        source: the entry of the gallery to start from; None: a small spec with comments.
        output: the directory of the spec and its test. The job goes to the root of the repository that it is in, or, if
            it is in none, below it.
        options: whether to write the job, and to overwrite files that are there.

    Raises:
        EvtgenError: the name is none for an epilogue (EVT046 to EVT049) or for a file of Python (EVT226); the gallery
            has no such entry (EVT227); a file is there (EVT080, EVT081) or cannot be written (EVT095).
    """
    start = None if source is None else entry(source)
    _require_name(name)
    texts = _texts(name, start, output)
    _require_free(name, texts)
    files = {output / path: text for path, text in texts.items()}
    remedies = {}
    if options.job:
        root, directory = _repository(output)
        files[root / WORKFLOW] = _rendered("evtgen.yml", directory=json.dumps(directory) if directory else "")
        remedies[root / WORKFLOW] = tr("add the new files to that job and say --no-job, or overwrite it with --force")
    written = write_new(files, force=options.force, remedies=remedies)
    return Written([str(path) for path in written], unchanged=[str(path) for path in files if path not in written])


def _texts(name: str, start: Entry | None, output: Path) -> dict[str, str]:
    """The spec and its test, by their paths below ``output``."""
    spec = _rendered("spec.py", name=name) if start is None else start.renamed(name)
    compared = start is None or not start.moves_rows_of_several
    package = os.path.lexists(output / "__init__.py")
    test = _rendered("test.py", name=name, own=start is None, compared=compared, package=package)
    return {f"{name}.py": spec, f"test_{name}.py": test}


def _rendered(template: str, **values: Any) -> str:
    import jinja2

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string((_ASSETS / f"{template}.j2").read_text(encoding="utf-8")).render(values)


def _require_name(name: str) -> None:
    """Raise EvtgenError unless the rules of epilogues' names allow it, and it is the name of a module of its own."""
    smallest = Epilogue(name, TreeVisitor(AuxStore("evtgen_output", half), AccLoad(half)))
    if problems := [problem for problem in check(smallest) if problem.code in ("EVT046", "EVT047", "EVT048", "EVT049")]:
        # It has no place: it was given on the command line.
        raise EvtgenError([replace(problem, location=None) for problem in problems])
    assert is_identifier(name)
    if keyword.iskeyword(name):
        case = "keyword"
    elif name in sys.stdlib_module_names or name in ("evtgen", "numpy", "pytest", "conftest"):
        case = "module"
    elif name.startswith("test_") or name.endswith("_test"):
        case = "tests"
    else:
        return
    raise NO_MODULE.refusal(case, name=name, better=f"{name.removeprefix('test_')}_evt")


def _require_free(name: str, texts: dict[str, str]) -> None:
    """Raise EvtgenError (EVT226) if the files need the name for something else."""
    trees = [ast.parse(text) for text in texts.values()]
    functions = [n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    aliases = [a for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)
               for a in n.names if (a.asname or a.name) == name]  # fmt: skip
    bound = {n.arg if isinstance(n, ast.arg) else n.id for tree in trees for n in ast.walk(tree)
             if isinstance(n, ast.arg) or (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))}  # fmt: skip
    # Its own definition, and the test's import of it.
    if len(functions) + len(aliases) > 2 or name in bound or name in dir(builtins):
        raise NO_MODULE.refusal("taken", name=name, better=f"{name}_evt")


def _repository(output: Path) -> tuple[Path, str]:
    """The root of the repository that a directory is in, or else the directory; and the directory as seen from there,
    nothing for itself."""
    there = Path(os.path.abspath(output))
    for root in (there, *there.parents):
        if (root / ".git").exists():
            below = there.relative_to(root).as_posix()
            return (output, "") if root == there else (Path(os.path.relpath(root)), below)
    return output, ""
