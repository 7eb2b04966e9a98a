"""``evtgen partition``: the kernels of a model of PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import PartitionOptions
from ..report import files
from ..system.translation import tr
from .options import Json, directory
from .outcome import call, print_json
from .records import takes

if TYPE_CHECKING:
    from ..emit.output.files import Written
    from ..pipeline.partition import Partition


@takes(PartitionOptions)
def partition(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL.pt2", help=tr("A program that torch.export.save has written."))
    ],
    options: Callable[[], PartitionOptions],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", parser=directory, metavar="DIR", help=tr("Write a spec of each kernel into it.")
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the kernels of a model of PyTorch: each matmul with all that can be fused behind it."""

    def made() -> tuple[Partition, Written | None]:
        from ..pipeline.partition import of_file
        from ..pipeline.partition.specs import write

        # torch copies what it says is no longer to be used.
        warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
        chosen = options()
        found = of_file(model, chosen)
        return found, None if output is None else write(found, output, chosen)

    found, written = call(made, as_json=as_json)
    if as_json:
        print_json({"ok": True, **found.to_json(), **(vars(written) if written is not None else {})})
        return
    from ..report.partitions import partition as printed

    printed(found)
    if written is not None:
        files.written(written)
