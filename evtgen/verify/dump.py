"""All operands and results of a run, as one ``.npz``."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..diagnostics.machine import DISK_FULL, NO_DUMP
from ..model.data import Operands
from ..operators.arrays import ADDED, Array
from ..system.limits import FULL

GEMM = ("A", "B", "C")


def prepare(directory: Path) -> None:
    """Make the directory, and make sure that files can be written there. Raises EvtgenError (EVT096)."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise NO_DUMP.refusal("directory", directory=directory, strerror=error.strerror or error) from error


def write(
    path: Path,
    given: Operands,
    accumulator: Array,
    null: tuple[str, ...],
    results: Mapping[str, Mapping[str, Array]],
) -> None:
    """One run: ``A``, ``B``, ``C``, the tensors and scalars by their names, and ``out.D`` of ``results["out"]["D"]``.

    An input with the name of one of the first three is ``in.A`` and so on. bfloat16 and floats of 8 bits are written as
    float32, which holds their values and needs no other library to be read. Raises EvtgenError (EVT096, EVT098).
    """
    arrays = {"A": given.a, "B": given.b, "C": accumulator}
    arrays |= {f"in.{n}" if n in GEMM else n: array for n, array in given.inputs.items() if n not in null}
    arrays |= {f"{kind}.{name}": array for kind, named in results.items() for name, array in named.items()}
    try:
        # Not by np.savez: a tensor may be called like one of its parameters.
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, _plain(array), allow_pickle=False)
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno in FULL:
            raise DISK_FULL.refusal("dump", path=path) from error
        raise NO_DUMP.refusal("file", path=path, strerror=error.strerror or error) from error


def _plain(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype.name in ADDED else array
