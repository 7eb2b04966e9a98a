"""The tiles of the GEMM: what they take of the cube core's memories, and which are chosen.

Rules and budgets are those of Catlass's ``BlockMmad`` (block_mmad_pingpong.hpp and
block_mmad_preload_async_with_callback.hpp of v1.6; every older release has the same budgets).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...graph.ir import Gemm
from ...graph.shapes import MX_GROUP, MX_STEP
from ...graph.types import ColumnMajor, ElementType, float32, uint64
from ...targets import Architecture
from ...targets.architecture import WEIGHTS
from .fields import is_ints

Tile = tuple[int, int, int]
"""(m, n, k)."""

STAGES = 2
"""Tiles of each operand in L1, in L0A and in L0B, by either policy; one of the accumulator is in L0C."""

MOST_STAGES = 4
"""The most of them in L0A or L0B: the smaller operand has room for more (Catlass, examples 02, 05 and 08)."""

MOST_SCALED = 16
"""The most tiles whose scales L1 has at once (Catlass, ``MmadMx``)."""

SIDE = 16
"""Sides of tiles are multiples of this, the rows of a fractal."""

_L1_BYTES, _L0_BYTES = 512, 128
"""Bytes of a row of A's tile: GM is read best in rows of 512 (Catlass, guide to faster matmuls), and with 128 a tile of
256 columns of B is half of L0B. Catlass's examples for half and int8 have these tiles."""


class Budget(NamedTuple):
    """What tiles take of a memory: the field of :class:`Gemm` that says so, the memory's name, bytes."""

    field: str
    memory: str
    used: int
    size: int


@dataclass(frozen=True)
class MmadTypes:
    """The types of a GEMM that its tiles depend on.

    Attributes:
        a, b, accumulator: element types.
        arch: where it runs.
        mx: whether its operands have scales, which lie in L1 beside their tiles.
        dequantises: whether the columns of its product have, which lie there, too.
    """

    a: ElementType
    b: ElementType
    accumulator: ElementType
    arch: Architecture
    mx: bool = False
    dequantises: bool = False

    @property
    def sides(self) -> Tile:
        """What the sides of a tile are multiples of: fractals, and blocks of 32 bytes of either operand."""
        m, n = (max(SIDE, T.per_block) for T in (self.a, self.b))
        return m, n, max(m, n, MX_STEP if self.mx else 0)

    @property
    def together(self) -> int:
        """Elements of a tile that lie in :attr:`ElementType.size` bytes; as in Catlass, one of int4."""
        return self.a.packed if self.mx else 1

    def scale_bytes(self, l1: Tile) -> int:
        """Bytes of the scales in L1: of tiles of both operands, or of the columns of a block."""
        m, n, k = l1
        if self.dequantises:
            return n * uint64.size
        return STAGES * (m + n) * (k // MX_GROUP) if self.mx else 0

    def scaled_tiles(self, l1: Tile) -> int:
        """How many tiles' scales are in L1 at once: a power of two, as many as there is room for, 16 at most."""
        left = self.arch.l1_size - self.budgets(l1, l1)[0].used + self.scale_bytes(l1)
        return 1 << min(MOST_SCALED.bit_length(), (left // self.scale_bytes(l1)).bit_length()) - 1

    def budgets(self, l1: Tile, l0: Tile) -> list[Budget]:
        """What tiles take of every memory."""
        (m1, n1, k1), (m0, n0, k0), arch = l1, l0, self.arch
        in_l1, in_l0 = STAGES * k1 // self.together, STAGES * k0 // self.together
        return [
            Budget("l1", "L1", in_l1 * (m1 * self.a.size + n1 * self.b.size) + self.scale_bytes(l1), arch.l1_size),
            Budget("l0", "L0A", in_l0 * m0 * self.a.size, arch.l0_size),
            Budget("l0", "L0B", in_l0 * n0 * self.b.size, arch.l0_size),
            Budget("l0", "L0C", m0 * n0 * self.accumulator.size, arch.l0c_size),
        ]

    def l1_depth(self, m: int, n: int) -> int:
        """The largest k of tiles in L1."""
        step, room = MX_GROUP, self.arch.l1_size
        bytes_ = STAGES * step // self.together * (m * self.a.size + n * self.b.size)
        if self.dequantises:
            return (room - self.scale_bytes((m, n, step))) * step // bytes_
        return room * step // (bytes_ + self.scale_bytes((m, n, step)))

    def l0_depth(self, m: int, n: int) -> int:
        """The largest k of tiles in L0A and L0B."""
        return self.arch.l0_size * self.together // (STAGES * max(m * self.a.size, n * self.b.size))

    def fits(self, l1: Tile, l0: Tile) -> bool:
        """Whether tiles fit every memory."""
        return all(budget.used <= budget.size for budget in self.budgets(l1, l0))

    def nearest(self, l1: Tile, l0: Tile) -> tuple[Tile, Tile]:
        """The nearest tiles that fit: with the same m and n if there are any, and as much of k as fits."""
        sides = self.sides
        m, n, depth = (max(_down(side, step), step) for side, step in zip(l1, sides, strict=True))
        # No fractal's width of a larger side fits L0.
        most = self.arch.l0_size * self.together // (STAGES * sides[2])
        m, n = (min(s, most // T.size) for s, T in ((m, self.a), (n, self.b)))
        while not self.fits((m, n, sides[2]), (m, n, sides[2])):
            m, n = (m - sides[0], n) if m > n else (m, n - sides[1])
        k1 = min(depth, _down(self.l1_depth(m, n), sides[2]))
        k0 = min(max(_down(l0[2], sides[2]), sides[2]), k1, _down(self.l0_depth(m, n), sides[2]))
        return (m, n, k1), (m, n, k0)

    def stages(self, l0: Tile) -> tuple[int, int]:
        """Of a policy that lets it choose, the tiles in L0A and in L0B: 2, or 4 of an operand of half their room."""
        room = self.arch.l0_size
        most = [room // (side * l0[2] * T.size) for side, T in ((l0[0], self.a), (l0[1], self.b))]
        return (
            MOST_STAGES if most[0] >= MOST_STAGES else STAGES,
            MOST_STAGES if most[1] >= MOST_STAGES else STAGES,
        )


def mmad_types(
    a: ElementType, b: ElementType, arch: Architecture, *, mx: bool = False, dequantises: bool = False
) -> MmadTypes:
    """The types as the cube multiplies them; what no cube multiplies counts as if it were summed up in float32."""
    return MmadTypes(a, a if (a, b) in WEIGHTS else b, arch.mmad.get((a, b), float32), arch, mx, dequantises)


def chosen_tiles(gemm: Gemm, of: MmadTypes) -> tuple[Tile | None, Tile | None]:
    """``l1`` and ``l0`` of a GEMM, chosen where they are None; where what is given is no tile, as they are.

    A tile in L0 has the m and n of that in L1, and as much of k as fits.
    """
    l1, l0 = gemm.l1, gemm.l0
    if any(given is not None and not _is_tile(given) for given in (l1, l0)):
        return l1, l0
    if l1 is None and l0 is None:
        return tiles_of(*_usual(gemm, of.arch), of)
    step = of.sides[2]
    if l0 is None:
        assert l1 is not None
        m, n, depth = l1
        return l1, (m, n, min(depth, max(_down(of.l0_depth(m, n), step), step)))
    if l1 is None:
        m, n, depth = l0
        most = min(of.l1_depth(m, n), _L1_BYTES * of.together // max(of.a.size, of.b.size))
        return (m, n, max(_down(most, depth), depth)), l0
    return l1, l0


def feeds(gemm: Gemm, arch: Architecture) -> bool:
    """Whether vector cores may write the widened B of a GEMM with known operands to L1: where they can write there, and
    Catlass's block matmul takes the copies of its operands from a template's argument."""
    plain = gemm.scale != "mx" and gemm.policy in (None, "pingpong") and gemm.split_k == 1
    return (gemm.a, gemm.b) in WEIGHTS and arch.writes_to_l1 and plain


def tiles_of(m: int, n: int, of: MmadTypes) -> tuple[Tile, Tile]:
    """The nearest tiles of a block of so many rows and columns that fit, with as much of K as Catlass's own."""
    wide = max(of.a.size, of.b.size)
    return of.nearest((m, n, _L1_BYTES * of.together // wide), (m, n, _L0_BYTES * of.together // wide))


def _usual(gemm: Gemm, arch: Architecture) -> tuple[int, int]:
    """Catlass's own: 128 x 256, or 256 x 128 where both operands lie by columns (examples 02 and 06). So are those of a
    B that vector cores may write to L1: of few rows it has more blocks then, for more of these cores."""
    by_columns = gemm.layout_a == gemm.layout_b == ColumnMajor
    return (256, 128) if by_columns or feeds(gemm, arch) else (128, 256)


def _is_tile(given: object) -> bool:
    return is_ints(given, 3) and all(side > 0 for side in given)  # type: ignore[attr-defined]


def _down(value: int, step: int) -> int:
    return value // step * step
