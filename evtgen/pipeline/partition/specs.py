"""The kernels of a model as files: a spec in Python for each, and a package of operators if that is wanted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ...emit.output.files import Written
from ...emit.output.standalone import write_new
from ...frontend.json_form import to_json
from ...frontend.python_form import NotSpelled, to_python
from ...options import ExtensionOptions, PartitionOptions
from ..specs import load_and_check

if TYPE_CHECKING:
    from . import Partition
    from .kernel import Kernel


def write(found: Partition, output: Path, options: PartitionOptions) -> Written:
    """Write the specs, all or none, and the package of operators into a directory beside them.

    Raises:
        EvtgenError: a file is there (EVT080, EVT081), or cannot be written (EVT095); what an extension raises (EVT260).
    """
    files = {output / path: text for path, text in specs(found).items()}
    written = write_new(files, force=options.force)
    result = Written([str(path) for path in written], unchanged=[str(path) for path in files if path not in written])
    if options.extension is not None and files:
        from ..extension import extension

        of_package = ExtensionOptions(namespace=options.extension, copy=True, force=options.force)
        more, _ = extension(load_and_check(list(files)), output / options.extension, of_package)
        result = Written([*result.written, *more.written], unchanged=[*result.unchanged, *more.unchanged])
    return result


def specs(found: Partition) -> dict[str, str]:
    """The text of each spec by its path: Python; JSON for a graph that no function of Python spells."""
    return dict(map(_spec, found.kernels))


def _spec(kernel: Kernel) -> tuple[str, str]:
    try:
        return f"{kernel.name}.py", to_python(kernel.epilogue, _said(kernel))
    except NotSpelled:
        return f"{kernel.name}.json", json.dumps(to_json([kernel.epilogue]), indent=2) + "\n"


def _said(kernel: Kernel) -> list[str]:
    """What a reader wants to know of a kernel: the docstring of its spec."""
    m, n, k = kernel.shape
    of = "" if kernel.batch is None else f"{kernel.batch} matmuls of "
    fused = ", ".join(kernel.fuses) or "nothing"
    bound = [f"    {name:<{max(map(len, kernel.bindings))}}  {of}" for name, of in kernel.bindings.items()]
    given = [f"    {name:<{max(map(len, kernel.outputs))}}  {of}" for name, of in kernel.outputs.items()]
    return [
        f"{of}{m} x {n} x {k} at the examples; behind the matmul: {fused}.",
        "", "Reads, in the model:", "", *bound, "", "Writes:", "", *given,
    ]  # fmt: skip
