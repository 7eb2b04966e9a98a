"""An asc-devkit checkout: the place of AscendC's own headers, and their version."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..diagnostics.machine import ASCENDC_ARCH, NO_ASCENDC

MARKER = "include/basic_api/kernel_basic_intf.h"
"""The public header of the basic API."""

NPU = 2201
"""The NPU architecture that the model has the intrinsics of."""

IMPLEMENTATION = "impl/basic_api/dav_c220"
"""Architecture 2201's part of what it is made of."""

_VERSION = re.compile(r"set_cann_package\(\s*asc-devkit\s+VERSION\s+\"([^\"]+)\"")

_COMPILED = ("include/basic_api", "include/utils", "impl/basic_api", "impl/utils")
"""Where the headers are that a program of the vector core includes."""

_OTHERS = re.compile(r"dav_(?!c220)|reg_compute")
"""Directories of other architectures in there."""


@dataclass(frozen=True)
class AscendC:
    """A recognised checkout.

    Attributes:
        root: the checkout, absolute.
        version: that of the package, as ``version.cmake`` names it; empty where it does not.
    """

    root: Path
    version: str

    @property
    def name(self) -> str:
        """For reports."""
        return f"asc-devkit {self.version}" if self.version else "asc-devkit of no named version"

    @property
    def include(self) -> list[Path]:
        """Its include roots: the public headers, which name each other and the implementation from there."""
        return [self.root / "include", self.root / "include" / "basic_api", self.root]

    def headers(self) -> list[Path]:
        """The headers that a program of the vector core may include, sorted."""
        found = []
        for part in _COMPILED:
            for directory, below, files in os.walk(self.root / part):
                below[:] = sorted(name for name in below if not _OTHERS.match(name))
                found += [Path(directory, name) for name in files if name.endswith(".h")]
        return sorted(found)


def recognise(directory: Path) -> AscendC:
    """The checkout ``directory``. Raises EvtgenError (EVT100)."""
    try:
        root = Path(os.path.realpath(directory))
        if not ((root / MARKER).is_file() and (root / IMPLEMENTATION).is_dir()):
            raise NO_ASCENDC.error(_why_not(directory), help=_instead(root))
        cmake = root / "version.cmake"
        text = cmake.read_text(encoding="utf-8", errors="replace") if cmake.is_file() else ""
    except OSError as error:
        raise NO_ASCENDC.error(f"{str(directory)!r:.200} cannot be read: {error.strerror}") from None
    found = _VERSION.search(text)
    return AscendC(root, found[1] if found else "")


def require_arch(npu: int) -> None:
    """Raises EvtgenError (EVT071) for an NPU architecture whose intrinsics the model does not have."""
    if npu != NPU:
        raise ASCENDC_ARCH.error(f"the model has no intrinsics of NPU architecture {npu}", help="leave --ascendc out")


def _why_not(directory: Path) -> str:
    if not os.path.lexists(directory):
        return f"{directory} does not exist"
    if not directory.is_dir():
        return f"{directory} is not a directory"
    missing = MARKER if not (directory / MARKER).is_file() else IMPLEMENTATION
    return f"{directory} is no asc-devkit checkout: it has no {missing}"


def _instead(root: Path) -> str:
    """A suggestion: a checkout around the directory, or just below it."""
    below = sorted(root.iterdir()) if root.is_dir() else ()
    for candidate in (*root.parents, *below):
        if (candidate / MARKER).is_file():
            return f"did you mean --ascendc {candidate}?"
    return "give the directory that a git clone of asc-devkit made: it holds include/basic_api and impl"
