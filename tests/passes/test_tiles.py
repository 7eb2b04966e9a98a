"""The tiles of the GEMM: those that Catlass's examples and guides have are legal, and what is chosen fits."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from evtgen.check import check
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import (
    LAYOUTS,
    ColumnMajor,
    ElementType,
    RowMajor,
    bfloat16,
    float8_e4m3fn,
    float32,
    half,
    int8,
    int32,
    nZ,
    zN,
)
from evtgen.nodes import AccLoad, AuxStore
from evtgen.passes.analysis.gemm import chosen
from evtgen.passes.analysis.tiles import Tile, mmad_types
from evtgen.targets import ARCHITECTURES

A2, A5 = "AtlasA2", "Ascend950"

# Tiles in L1 and the k of those in L0, from the examples of Catlass v1.6.3 (by number) and its guide to faster matmuls
# (11_matmul_optimization.md), where the block matmul is one of the two policies.
CATLASS: list[tuple[str, str, ElementType, Tile, int]] = [
    ("00, 01, 03", A2, half, (128, 256, 256), 64),
    ("02, 06 by columns", A2, half, (256, 128, 256), 64),
    ("02, 06 by columns", A2, bfloat16, (256, 128, 256), 64),
    ("10, 12", A2, int8, (128, 256, 512), 128),
    ("07", A2, int8, (128, 256, 256), 64),
    ("15", A2, half, (128, 128, 128), 64),
    ("guide, float32", A2, float32, (128, 128, 256), 64),
    ("guide, load balance", A2, half, (32, 320, 128), 32),
    ("guide, one row", A2, float32, (16, 32, 1024), 256),
    ("41", A2, half, (128, 256, 128), 64),
    ("43, 64, 67", A5, half, (256, 256, 128), 32),
    ("43, 64, 67", A5, float32, (256, 256, 128), 32),
    ("46", A5, half, (256, 256, 128), 64),
    ("47", A5, int8, (256, 256, 512), 128),
    ("48", A5, float8_e4m3fn, (256, 256, 256), 64),
    ("50", A5, half, (128, 128, 256), 128),
    ("60", A5, half, (256, 256, 256), 64),
]


def stored(gemm: Gemm, arch: str) -> Epilogue:
    """An epilogue that stores the accumulator as it is."""
    T = int32 if gemm.a == int8 else float32
    return Epilogue("stored", TreeVisitor(AuxStore("D", T), AccLoad(T)), arch=arch, gemm=gemm)


@pytest.mark.parametrize(("example", "arch", "T", "l1", "k"), CATLASS)
@pytest.mark.parametrize("policy", ["pingpong", "preload_async"])
def test_what_catlass_has_is_legal(example: str, arch: str, T: ElementType, l1: Tile, k: int, policy: str) -> None:
    gemm = Gemm(T, T, l1=l1, l0=(*l1[:2], k), policy=policy, handoff="gm")
    found = [d for d in check(stored(gemm, arch)) if d.code in ("EVT056", "EVT059")]
    assert not found, example


@pytest.mark.parametrize(
    ("T", "layouts", "tiles"),
    [
        (half, (RowMajor, RowMajor), ((128, 256, 256), (128, 256, 64))),
        (bfloat16, (ColumnMajor, RowMajor), ((128, 256, 256), (128, 256, 64))),
        (half, (ColumnMajor, ColumnMajor), ((256, 128, 256), (256, 128, 64))),
        (half, (zN, nZ), ((128, 256, 256), (128, 256, 64))),
        (float32, (RowMajor, RowMajor), ((128, 256, 128), (128, 256, 32))),
        (int8, (RowMajor, ColumnMajor), ((128, 256, 512), (128, 256, 128))),
    ],
)
def test_chosen(T: ElementType, layouts: Any, tiles: tuple[Tile, Tile]) -> None:
    for arch in ARCHITECTURES.values():
        own = chosen(Gemm(T, T, layout_a=layouts[0], layout_b=layouts[1]), None, arch)
        assert (own.l1, own.l0) == tiles


def test_whatever_is_chosen_fits() -> None:
    given = [None, (128, 256, 128), (32, 320, 64), (16, 32, 1024), (512, 32, 64)]
    for arch, l1, l0, (a, b) in product(ARCHITECTURES.values(), given, [None, (64, 128, 48)], [(RowMajor, zN)]):
        for T in (half, float32, bfloat16):
            own = chosen(Gemm(T, T, l1=l1, l0=None if l1 else l0, layout_a=a, layout_b=b), None, arch)
            assert own.l1 is not None and own.l0 is not None
            assert mmad_types(T, T, arch).fits(own.l1, own.l0), own
            assert own.l0[:2] == own.l1[:2] and own.l0[2] <= own.l1[2] and own.l0[2] % 16 == 0
            assert l1 in (None, own.l1) and (l1 or l0) in (None, own.l1, own.l0)


@pytest.mark.parametrize(
    ("gemm", "nearest"),
    [
        (Gemm(half, half, l1=(128, 256, 512), l0=(128, 256, 64)), "l1=(128, 256, 336), l0=(128, 256, 64)"),
        (Gemm(half, half, l1=(128, 256, 512)), "l1=(128, 256, 336)"),
        (Gemm(half, half, l1=(128, 256, 256), l0=(128, 256, 128)), "l1=(128, 256, 256), l0=(128, 256, 64)"),
        (Gemm(half, half, l1=(256, 256, 128), l0=(256, 256, 32)), "l1=(176, 176, 128), l0=(176, 176, 32)"),
        (Gemm(int8, int8, l1=(2**40, 32, 2**40), l0=(2**40, 32, 32)), "l1=(1024, 32, 224), l0=(1024, 32, 32)"),
        (Gemm(float32, float32, l0=(512, 512, 16)), "l0=(176, 176, 16)"),
    ],
)
def test_the_nearest_that_fits(gemm: Gemm, nearest: str) -> None:
    found = [d for d in check(stored(gemm, A2)) if d.code == "EVT059"]
    assert found and all((d.help or "").endswith(f" {nearest}") for d in found)
    fitting = eval(f"dict({nearest})")
    legal = Gemm(gemm.a, gemm.b, **fitting)
    assert not check(stored(legal, A2))


def test_the_smaller_operand_has_more_stages() -> None:
    of = mmad_types(half, half, ARCHITECTURES[A2])
    assert of.stages((128, 256, 64)) == (4, 2)
    assert of.stages((256, 128, 64)) == (2, 4)
    assert of.stages((128, 256, 48)) == (4, 2)
    assert of.stages((144, 256, 64)) == (2, 2)


def test_every_layout_is_legal_for_every_type() -> None:
    for arch, (a, b) in product(ARCHITECTURES, product(LAYOUTS.values(), repeat=2)):
        for T in (half, bfloat16, float32, int8):
            assert not check(stored(Gemm(T, T, layout_a=a, layout_b=b), arch))
