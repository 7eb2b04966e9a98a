"""The tutorial with the outputs of its cells.

The notebook's own text is its source: edit it there, then run this. The one in Chinese has the code of the English
one. What differs from run to run is left out of the outputs, so that a change shows as one: times, and what depends on
the compiler that is installed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from evtgen.system.translation import LANGUAGE, VARIABLE

NAMES = {"en": "tutorial.ipynb", "zh": "tutorial.zh.ipynb"}
"""The notebooks by their languages."""

TIMEOUT = 600
"""Seconds that a cell may take; the first that compiles builds the CPU model."""

_PLAIN = (
    # The last column of a verification: seconds.
    (re.compile(r"(<td[^>]*>)\d+\.\d\d(</td></tr>)"), r"\g<1>…\2"),
    (re.compile(r"(none|\d warnings) +\d+\.\d\d$", re.MULTILINE), r"\1        …"),
    # What clang++ makes of it, if it is there.
    (re.compile(r"(\w+: stack [\d,]+ of [^\n<]*|note: clang\+\+ is not installed[^\n<]*)\n?"), ""),
    (re.compile(r"/tmp/ipykernel_\d+/"), "/tmp/ipykernel/"),
    (re.compile(r" at 0x[0-9a-f]+"), ""),
)


def executed(directory: Path, language: str) -> Any:
    """The notebook of a language, run from beginning to end in a kernel of its own, with plain outputs. An error in a
    cell that is not tagged ``raises-exception`` is raised."""
    import nbformat
    from nbclient import NotebookClient

    notebook, source = (nbformat.read(directory / NAMES[one], as_version=4) for one in (language, "en"))
    for cell, own in zip(notebook.cells, source.cells, strict=True):
        if own.cell_type == "code":
            cell.source = own.source
    client = NotebookClient(notebook, timeout=TIMEOUT, kernel_name="python3")
    client.execute(env={**os.environ, VARIABLE: language})
    return plain(notebook)


def plain(notebook: Any) -> Any:
    """The notebook without what differs from run to run, or from one editor to another."""
    notebook.metadata = {"language_info": {"name": "python"}, "kernelspec": _KERNEL}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {"tags": cell.metadata.tags} if cell.metadata.get("tags") else {}
        if cell.cell_type == "code":
            cell.outputs = [_output(output) for output in cell.outputs]
    return notebook


_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def _output(output: Any) -> Any:
    if "text" in output:
        output.text = _text(output.text)
    if "traceback" in output:
        output.traceback = [_text(line) for line in output.traceback]
        output.evalue = _text(output.evalue)
    if "data" in output:
        # Readers have a browser; what it shows is enough.
        kept = ["text/html"] if "text/html" in output.data else list(output.data)
        output.data = {kind: _text(output.data[kind]) for kind in kept}
        output.metadata = {}
    return output


def _text(text: str) -> str:
    for pattern, by in _PLAIN:
        text = pattern.sub(by, text)
    return text


def written(notebook: Any) -> str:
    """The file."""
    import nbformat

    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def write(directory: Path) -> None:
    """Run the notebook in ``directory``, in the language of the environment, and write it back."""
    (directory / NAMES[LANGUAGE]).write_text(written(executed(directory, LANGUAGE)), encoding="utf-8")
