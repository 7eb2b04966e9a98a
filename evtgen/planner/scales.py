"""The scales of both operands: elements along K share one. Or those of the columns of the product, see the end.

In MX formats 32 elements do, and the cube multiplies with the scales. One is a power of two in a byte
(float8_e8m0fnu). Those of a row of A, or of a column of B, are neighbours: A is ``RowMajor`` and B is ``ColumnMajor``
(Catlass, examples 53, 55 and 58).

For groups and blocks the cube multiplies one slice of K at a time. The vector cores multiply its product by the scales,
of float32, and add it to those of the slices before (Catlass, example 51). The scales of a slice are neighbours: those
of A lie by columns, as in PyTorch's ``_scaled_mm``, and those of B by rows.

Each column of a product of integers may have a scale that the cube core multiplies it by on the way out of L0C, to half
(AscendC's guide, quantisation on the way, ``VDEQF16``; Catlass, examples 38 and 48). It is a uint64 with the bits of a
float32 in its low half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..graph.ir import Epilogue, Gemm, Node, TopologicalVisitor
from ..graph.shapes import MX_GROUP, Columns, TensorShape
from ..graph.types import ColumnMajor, ElementType, Layout, RowMajor, float8_e8m0fnu, float32, uint64
from ..nodes import (
    AccLoad,
    AuxStore,
    BlockBroadcast,
    Cast,
    ColBroadcast,
    Compute,
    RowBroadcast,
    Tensor,
    VisitorNode,
)
from ..passes.analysis.gemm import MX, PINGPONG, adds_slices, dequantises
from ..targets import Architecture
from .widening import SCALE, block_of

SCALE_OF_A, SCALE_OF_B = "a_scale", SCALE
"""The inputs that have them: M x K/32 and K/32 x N, or with other groups, or blocks of B."""

SUM = "sum"
"""What the graph of a slice calls the sum of the products."""


@dataclass(frozen=True)
class OperandScale(VisitorNode):
    """``Scaled``'s arguments of an operand, or ``ScaledSlices``'; no node of a graph.

    Attributes:
        of_a: whether they are A's.
        block: the elements of K that share one, and the columns of B; None in MX formats, and where a column has one.
    """

    name: str
    of_a: bool
    T: ElementType = float8_e8m0fnu
    block: tuple[int, int] | None = None

    @property
    def dequantises(self) -> bool:
        """Whether they are of the columns of a product."""
        return self.T.size == uint64.size

    @property
    def header(self) -> str:  # type: ignore[override]
        if self.dequantises:
            return "dequantised.hpp"
        return "scaled.hpp" if self.block is None else "scaled_slices.hpp"

    @property
    def layout(self) -> Layout:
        return RowMajor if self.dequantises or self.of_a == (self.block is None) else ColumnMajor

    @property
    def tensor(self) -> Tensor:
        if self.dequantises:
            return Tensor(self.name, self.T, TensorShape.ROW, self.layout, output=False)
        shape = TensorShape.GROUPS_OF_A if self.of_a else TensorShape.BLOCKS
        depth, width = self.block or (MX_GROUP, 1)
        columns = Columns(step=1 if self.of_a else width)
        return Tensor(self.name, self.T, shape, self.layout, output=False, columns=columns, depth=depth)


def scales(gemm: Gemm) -> Iterator[OperandScale]:
    """The inputs with the scales of the operands of a GEMM, if both have any, or of the columns of its product."""
    if dequantises(gemm):
        yield OperandScale(SCALE_OF_B, False, uint64)
    block = block_of(gemm) if adds_slices(gemm) else None
    if gemm.scale == MX or block is not None:
        T = float8_e8m0fnu if block is None else float32
        yield OperandScale(SCALE_OF_A, True, T, block)
        yield OperandScale(SCALE_OF_B, False, T, block)


def adding(name: str, gemm: Gemm, arch: Architecture, handoff: str | None) -> Epilogue | None:
    """The graph that multiplies the product of a slice of K of a chosen GEMM by its scales, and stores it or adds it to
    the sum; None if the cube adds up all products itself. The kernel knows the arguments of the first two ops and of
    the last. ``handoff`` is the way of the products, as ``Gemm`` has it; None leaves it open."""
    if not adds_slices(gemm):
        return None
    block = block_of(gemm)
    assert block is not None and gemm.a is not None and gemm.b is not None
    T = arch.mmad[gemm.a, gemm.b]
    wide = block[1] > 1
    of_b = BlockBroadcast(SCALE_OF_B, float32, block=block) if wide else RowBroadcast(SCALE_OF_B, float32)
    ops: list[Node] = [ColBroadcast(SCALE_OF_A, float32), of_b, AccLoad(T)]
    edges: list[tuple[int, ...]] = [(), (), ()]
    if T.kind == "int":
        ops.append(Cast(float32, T, "CAST_RINT"))
        edges.append((2,))
    for scale in range(2):
        edges.append((len(ops) - 1, scale))
        ops.append(Compute("Multiplies", float32))
    edges.append((len(ops) - 1,))
    ops.append(AuxStore(SUM, float32))
    # Products in flight through the workspace: as many as the kernel has places for
    of = Gemm(gemm.a, gemm.b, T, l1=gemm.l1, l0=gemm.l0, handoff=handoff, policy=PINGPONG)
    return Epilogue(name, TopologicalVisitor(edges, ops), arch=arch.name, gemm=of)
