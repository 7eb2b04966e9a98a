"""The files of the playground: Pyodide and clang-format, which ``make site`` takes from npm, and a bundle of evtgen."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from docs.generate.gallery import CHECKOUT
from evtgen.emit.format import STYLE

FOLDER = "playground/"
MODULES = CHECKOUT / "build" / "npm" / "node_modules"
"""Where ``make site`` puts what it takes from npm."""

_THEIRS = {
    "pyodide": ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"),
    "@wasm-fmt/clang-format": ("clang-format.js", "clang-format.wasm"),
}


def files() -> dict[str, bytes]:
    """All of them by name; none where Pyodide was not installed."""
    theirs = [MODULES / package / name for package, names in _THEIRS.items() for name in names]
    if not all(path.is_file() for path in theirs):
        return {}
    import yaml  # which mkdocs brings

    style = json.dumps(yaml.safe_load(STYLE)).encode()
    return {path.name: path.read_bytes() for path in theirs} | {"bundle.zip": bundle(), "style.json": style}


def bundle() -> bytes:
    """evtgen, the pure Python packages that it needs to check, draw and emit, and :mod:`.shown`."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(Path(__file__).with_name("shown.py"), "shown.py")
        for root, name, pattern in _sources():
            for path in sorted(root.rglob(pattern)):
                archive.write(path, f"{name}/{path.relative_to(root).as_posix()}")
    return stream.getvalue()


def _sources() -> Iterator[tuple[Path, str, str]]:
    """Directories, their names in the bundle, and which files of them."""
    import jinja2
    import markupsafe
    import rich

    for pattern in ("*.py", "*.def", "*.css", "*.js", "*.mo"):
        yield CHECKOUT / "evtgen", "evtgen", pattern
    yield CHECKOUT / "templates", "evtgen/templates", "*.j2"
    for package in (jinja2, markupsafe, rich):
        yield Path(str(package.__file__)).parent, package.__name__, "*.py"
