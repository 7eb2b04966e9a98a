"""The block matmul of a plan in C++: its dispatch policy, the copies of its operands, and the whole of it."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.types import float8_e8m0fnu
from ..passes.analysis.gemm import MX, dequantises, types_of
from ..planner.plan import Plan

Named = Sequence[tuple[str, str]]
"""What a header calls the element type and the layout of A, B and C."""


def mmad_policy(plan: Plan) -> str:
    """The dispatch policy. With operands of int8 there is no unit flag (Catlass, dispatch_policy.hpp)."""
    assert plan.gemm.policy is not None
    if plan.gemm.scale == MX:
        of = types_of(plan.gemm, plan.arch)
        return plan.arch.mx_policy.format(tiles=of.scaled_tiles(plan.mmad_tiles[0]))
    if dequantises(plan.gemm):
        return plan.arch.dequant_policy
    unit_flag = "false" if plan.operands[0].kind == "int" else "true"
    hf32 = ", true" if plan.gemm.hf32 else ""
    return plan.arch.mmad_policies[plan.gemm.policy].format(unit_flag=unit_flag, hf32=hf32)


def block_mmad(plan: Plan, named: Named) -> str:
    """The block matmul of an architecture without TLA; of one whose columns have scales, the arguments of ours."""
    shapes = ", ".join(f"Catlass::GemmShape<{joined(shape)}>" for shape in plan.mmad_tiles)
    types = ", ".join(f"Gemm::GemmType<{element}, {layout}>" for element, layout in named)
    given = f"{mmad_policy(plan)}, {shapes}, {types}"
    return given if dequantises(plan.gemm) else f"Gemm::Block::BlockMmad<{given}>"


def tile_copy(arch: str, named: Named, in_ub: bool, mx: str = "", *, dequantises: bool = False) -> str:
    """The copies of a TLA matmul on ``arch``; if C goes to UB, the rows of a block are split over both vector cores. Of
    operands with scales, ``mx`` is the namespace of their layouts. With ``dequantises`` columns of C have scales."""
    types = [f"{element}, {layout}" for element, layout in named]
    if mx:
        of = zip((named[0][1], named[1][1]), ("false", "true"), strict=True)
        types[2:2] = [f"{float8_e8m0fnu.cpp}, {mx}MxScaleLayout<{layout}, {is_b}>" for layout, is_b in of]
    types += ["void", "false", "Gemm::Tile::ScaleGranularity::PER_CHANNEL"] if dequantises else []
    given, copies = ", ".join((arch, *types)), "PackedMxTileCopyTla" if mx else "PackedTileCopyTla"
    if not in_ub:
        return f"Gemm::Tile::{copies}<{given}>"
    return f"Gemm::Tile::{copies}ToUB<{given}, void, Gemm::Tile::CopyL0CToUBMode::SPLIT_M>"


def block_mmad_tla(plan: Plan, policy: str, named: Named) -> str:
    """The TLA matmul, whose copies are ``TileCopy`` in the header."""
    shapes = ", ".join(f"tla::Shape<{', '.join(f'tla::Int<{side}>' for side in shape)}>" for shape in plan.mmad_tiles)
    elements = ", ".join(element for element, _ in named)
    return f"Gemm::Block::BlockMmadTla<{policy}, {shapes}, {elements}, void, TileCopy>"


def joined(numbers: Sequence[int]) -> str:
    """Numbers as arguments of a template."""
    return ", ".join(map(str, numbers))
