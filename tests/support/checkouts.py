"""Directories that look like Catlass checkouts of a release, for tests that need no Catlass."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .confined import tree

ADD = """\
import evtgen as evt
from evtgen import Acc, Aux, half


@evt.epilogue
def my_add(acc: Acc[half], X: Aux[half]):
    return {"D": acc + X}
"""

MARKERS = {
    "v1.0.0": [],
    "v1.0.1": ["status.hpp", "gemm/device/device_gemm.hpp"],
    "v1.1.0": ["status.hpp", "gemm/device/device_gemm.hpp", "debug.hpp"],
    "v1.5.0": ["status.hpp", "gemm/device/device_gemm.hpp", "epilogue/block/block_epilogue_fixpipe.hpp"],
    "v1.6.0": ["gemm/device/device_gemm.hpp", "conv/kernel/basic_conv2d_tla.hpp", "epilogue/fusion/fusion.hpp"],
}
"""Some releases, and headers by which they are known."""


def checkout(root: Path, release: str) -> Path:
    """A directory with the headers of ``release`` that evtgen looks for, under git where there is git."""
    for header in ["catlass.hpp", "layout/layout.hpp", *MARKERS[release]]:
        path = root / "include" / "catlass" / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("// not ours\n")
    (root / "examples").mkdir()
    (root / "examples" / "CMakeLists.txt").write_text("foreach(EXAMPLE\n)\nendforeach()\n")
    if shutil.which("git"):
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "as it was"]):
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *command], cwd=root, check=True)
    return root


def trees(variable: str) -> dict[str, Path]:
    """The checkouts that an environment variable names, by the names of their directories.

    It holds directories, separated as in PATH. One that is no checkout stands for the checkouts in it.
    """
    given = [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]
    roots = [root for path in given for root in ([path] if is_checkout(path) else sorted(path.iterdir()))]
    return {root.name: root.resolve() for root in roots if is_checkout(root)}


def is_checkout(path: Path) -> bool:
    """Whether ``path`` has the headers and the examples of a Catlass."""
    return (path / "include" / "catlass" / "catlass.hpp").is_file() and (path / "examples").is_dir()


def git_status(root: Path) -> list[str]:
    """The lines of ``git status``; none where there is no git."""
    if not shutil.which("git"):
        return []
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()


def snapshot(root: Path) -> dict[str, tuple[int, str]]:
    """Every path of a tree outside of ``.git``, with its mode and content."""
    found = tree(root).items()
    return {path: (mode, content) for path, (mode, _, content) in found if ".git" not in Path(path).parts}
