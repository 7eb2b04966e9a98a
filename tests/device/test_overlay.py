"""The cube side in place of a checkout's: the policies that the stand-in does not have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ..support.paths import DEVICE
from .conftest import HERE, Build

POLICIES = """\
#ifndef POLICIES_HPP
#define POLICIES_HPP
#include "{standin}/catlass/gemm/dispatch_policy.hpp"
namespace Catlass::Gemm {{
template <bool UNIT, bool SHUFFLE>
struct MmadAtlasA2Preload : MmadAtlasA2Pingpong<UNIT> {{
    static constexpr bool ENABLE_SHUFFLE_K = SHUFFLE;
}};
template <bool UNIT>
struct MmadAtlasA2PingpongBias : MmadAtlasA2Pingpong<UNIT> {{}};
}}
#endif
"""
STORED = ["C 80 80"] * 3
EVENTS = {
    # One tile ahead: a block is stored when the next one has loaded its first tile.
    "async": ["call 0", "call 1", "after 0", "call 2", "after 1", "synchronize", "after 2", "end"],
    # Blocks have three tiles. Three ahead: when the next block loads its last tile.
    "three ahead": [
        "call 0", "call 1", "before 0", "after 0", "call 2", "before 1", "after 1",
        "synchronize", "before 2", "after 2", "end",
    ],
    # Four ahead: when the next but one loads its first tile.
    "four ahead": [
        "call 0", "call 1", "call 2", "before 0", "after 0",
        "synchronize", "before 1", "after 1", "before 2", "after 2", "end",
    ],
    # The destructor stores what is left.
    "unsynchronized": [
        "call 0", "call 1", "before 0", "after 0", "call 2", "before 1", "after 1", "end", "before 2", "after 2",
    ],
    "preload": [],
    "bias": [],
}  # fmt: skip


@pytest.fixture(scope="module")
def program(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("overlay")
    policies = root / "catlass" / "gemm" / "dispatch_policy.hpp"
    policies.parent.mkdir(parents=True)
    policies.write_text(POLICIES.format(standin=DEVICE / "catlass"))
    roots = (
        DEVICE / "overlay",
        root,
        *(DEVICE / path for path in ("catlass", "catlass/examples_common", "ascendc", ".")),
    )
    includes = [f"-I{path}" for path in roots]
    command = [build.compiler, *Build.FLAGS, *includes, str(HERE / "preload.cpp"), build.library, "-pthread", "-o"]
    done = subprocess.run([*command, str(root / "program")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return root / "program"


@pytest.mark.parametrize("policy", EVENTS)
def test_when_blocks_are_stored(program: Path, policy: str) -> None:
    done = subprocess.run([program, policy], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    stored = ["C 80 111"] * 3 if policy == "bias" else STORED
    assert done.stdout.splitlines() == EVENTS[policy] + stored
