"""The asc-devkit checkout that tests of AscendC's own headers use, if ASCENDC_HOME names one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ASCENDC_HOME = os.environ.get("ASCENDC_HOME", "")

needs_ascendc = pytest.mark.skipif(
    not ASCENDC_HOME, reason="ASCENDC_HOME names no asc-devkit checkout, whose headers this test compiles"
)


def asc_devkit() -> Path:
    """The checkout."""
    return Path(ASCENDC_HOME).resolve()


def look_alike(root: Path, version: str | None = "9.9.9") -> Path:
    """A directory with the files by which a checkout is known, and nothing in them."""
    header = root / "include" / "basic_api" / "kernel_basic_intf.h"
    for directory in (header.parent, root / "impl" / "basic_api" / "dav_c220", root / "impl/basic_api/dav_3510"):
        directory.mkdir(parents=True)
    header.write_text("// not ours\n")
    for architecture in ("dav_c220", "dav_3510"):
        (root / "impl" / "basic_api" / architecture / "part.h").write_text("// not ours\n")
    if version is not None:
        (root / "version.cmake").write_text(f'set_cann_package(asc-devkit VERSION "{version}")\n')
    return root
