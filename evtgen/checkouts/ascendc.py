"""An asc-devkit checkout: the place of AscendC's own headers, and their version."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..diagnostics.machine import ASCENDC_ARCH, NO_ASCENDC
from ..system.translation import tr

MARKER = "include/basic_api/kernel_basic_intf.h"
"""The public header of the basic API."""

NPU = 2201
"""The NPU architecture that the model has the intrinsics of: programs run with AscendC's own headers."""

DECLARED = 3510
"""The one whose intrinsics the model declares: they compile."""

IMPLEMENTATIONS = {NPU: "impl/basic_api/dav_c220", DECLARED: "impl/basic_api/dav_3510"}
"""The architecture's part of what it is made of."""

_VERSION = re.compile(r"set_cann_package\(\s*asc-devkit\s+VERSION\s+\"([^\"]+)\"")

_BASIC = ("include/basic_api", "include/utils", "impl/basic_api", "impl/utils")
_SILU = ("include/adv_api/activation", "impl/adv_api/detail/activation/silu", "impl/adv_api/detail/common")
_COMPILED = {NPU: _BASIC, DECLARED: (*_BASIC, *_SILU, "include/simt_api")}
"""Where the headers are that a program of the vector core includes."""

_OTHERS = {
    NPU: re.compile(r"dav_(?!c220)|reg_compute"),
    DECLARED: re.compile(r"dav_(?!3510)|npu_arch_(?!3510)"),
}
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

    def headers(self, npu: int = NPU) -> list[Path]:
        """The headers that a program of the vector core may include, sorted."""
        found = []
        for part in _COMPILED[npu]:
            for directory, below, files in os.walk(self.root / part):
                below[:] = sorted(name for name in below if not _OTHERS[npu].match(name))
                found += [Path(directory, name) for name in files if name.endswith(".h")]
        return sorted(found)


def recognise(directory: Path) -> AscendC:
    """The checkout ``directory``. Raises EvtgenError (EVT100)."""
    try:
        root = Path(os.path.realpath(directory))
        if not ((root / MARKER).is_file() and (root / IMPLEMENTATIONS[NPU]).is_dir()):
            missing = MARKER if not (directory / MARKER).is_file() else IMPLEMENTATIONS[NPU]
            help_ = _instead(root)
            raise NO_ASCENDC.refusal(_why_not(directory), help=help_, directory=directory, missing=missing)
        cmake = root / "version.cmake"
        text = cmake.read_text(encoding="utf-8", errors="replace") if cmake.is_file() else ""
    except OSError as error:
        raise NO_ASCENDC.refusal("unreadable", directory=str(directory), strerror=error.strerror) from None
    found = _VERSION.search(text)
    return AscendC(root, found[1] if found else "")


def runs(npu: int) -> bool:
    """Whether programs for an NPU architecture run with AscendC's own headers; otherwise they can only be compiled."""
    return npu == NPU


def require_run(npu: int) -> None:
    """Raises EvtgenError (EVT071) for an NPU architecture whose intrinsics the model does not have."""
    if not runs(npu):
        raise ASCENDC_ARCH.refusal(npu=npu)


def require_compile(checkout: AscendC, npu: int) -> None:
    """Raises EvtgenError for an NPU architecture whose intrinsics the model does not even declare (EVT071), or that the
    checkout does not have (EVT100)."""
    if npu not in IMPLEMENTATIONS:
        require_run(npu)
    if not (checkout.root / IMPLEMENTATIONS[npu]).is_dir():
        raise NO_ASCENDC.refusal(
            "no implementations", name=checkout.name, implementations=IMPLEMENTATIONS[npu], npu=npu
        )


def _why_not(directory: Path) -> str:
    """The case of EVT100."""
    if not os.path.lexists(directory):
        return "missing"
    return "another" if directory.is_dir() else "no directory"


def _instead(root: Path) -> str:
    """A suggestion: a checkout around the directory, or just below it."""
    below = sorted(root.iterdir()) if root.is_dir() else ()
    for candidate in (*root.parents, *below):
        if (candidate / MARKER).is_file():
            return tr("did you mean --ascendc {candidate}?", candidate=candidate)
    return tr("give the directory that a git clone of asc-devkit made: it holds include/basic_api and impl")
