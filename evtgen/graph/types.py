"""Element types, layouts and round modes: the vocabulary that specs, checks and templates share.

Names are numpy's where numpy has one (``float32``, ``int32``) and AscendC's otherwise (``half``). The C++ spelling
of a type is kept beside it; nothing else in the package maps one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .misuse import computed

BLOCK_BYTES = 32
"""Bytes of one data block: every UB operand starts on such an address (AscendC, general constraints)."""

REPEAT_BYTES = 8 * BLOCK_BYTES
"""Bytes that one repeat of a vector instruction handles (AscendC, tensor slicing)."""

BANK_PERIOD = 16 * BLOCK_BYTES
"""Bytes of UB after which the groups of banks start again (AscendC's guide, bank conflicts of architecture 2201)."""


if TYPE_CHECKING:
    # So an element type can stand in Acc[half] and be an argument, see evtgen/__init__.pyi.
    _Named = type
else:
    _Named = object


@dataclass(frozen=True)
class ElementType(_Named):
    """An element type of a tensor.

    Attributes:
        name: its name in specs and reports.
        cpp: its AscendC spelling.
        host: its spelling in a host program (``fp16_t`` of ``opdev/fp16_t.h`` and the like).
        size: bytes of one element, or of those that are :attr:`packed`.
        numpy: name of the numpy dtype with the same values; ``bfloat16``, ``int4`` and the floats of 8 and of 4 bits
            are ml_dtypes'.
        kind: ``"float"``, ``"int"``, ``"mask"`` or, of what only scales, ``"scale"``.
        precision: significant bits, the implicit one included (floats); value bits without the sign (ints, masks).
        limit: finite magnitudes are below two to this power; the lowest integer has just that magnitude.
        least: exponent of the smallest magnitude above zero.
        infinite: it has infinities (floats). One without has NaN in the place of its largest magnitude, and only there;
            one of 4 bits has neither.
        packed: how many elements lie in :attr:`size` bytes: two of 4 bits, the first in the low half. numpy's arrays
            have each in a byte of its own.
    """

    name: str
    cpp: str
    host: str
    size: int
    numpy: str
    kind: str
    precision: int
    limit: int
    least: int
    infinite: bool = True
    packed: int = 1

    if not TYPE_CHECKING:  # X.T of a value is its element type, where an array has its transpose
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = computed
        __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = computed

    def includes(self, other: ElementType) -> bool:
        """Whether every value of ``other`` is one of its own."""
        if "mask" in (self.kind, other.kind) or (self.kind == "int" and other.kind == "float"):
            return self == other
        wide = self.precision >= other.precision and self.limit >= other.limit and self.least <= other.least
        return wide and (self.signed or not other.signed)

    @property
    def largest(self) -> float:
        """Its largest finite value; exact, but in float32 and narrower types only."""
        if self.kind == "scale":
            return 2.0 ** (self.limit - 1)
        if self.kind != "float":
            return 2.0**self.precision - 1
        nans = 0 if self.infinite or self.packed > 1 else 1
        return (2.0 - 2.0 ** (1 - self.precision) * (1 + nans)) * 2.0 ** (self.limit - 1)

    def bytes(self, elements: int) -> int:
        """Bytes of so many elements in memory."""
        return elements * self.size // self.packed

    @property
    def per_block(self) -> int:
        """How many elements a data block has."""
        return BLOCK_BYTES * self.packed // self.size

    @property
    def product(self) -> float:
        """The time of a product in the matrix unit, in products of half, where a cycle is for 32 bytes of K: of float32
        in the HF32 mode (AscendC, theoretical performance of cube instructions; ``MacsOfHalf`` of the CPU model)."""
        return self.size / self.packed / 2

    @property
    def minifloat(self) -> bool:
        """Whether it is a float of 8 bits. The matrix unit multiplies them; everything else can only cast them."""
        return self.kind == "float" and self.size == self.packed == 1

    @property
    def pascal(self) -> str:
        """Its AscendC spelling as a part of a C++ name: ``Half``, ``Int8``, ``Fp8E5m2``."""
        return "".join(part.capitalize() for part in self.cpp.rpartition(":")[2].removesuffix("_t").split("_"))

    @property
    def signed(self) -> bool:
        """Whether it has negative values."""
        return self.kind == "float" or (self.kind == "int" and self.precision < 8 * self.size // self.packed)

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


half = ElementType("half", "half", "fp16_t", 2, "float16", "float", 11, 16, -24)
bfloat16 = ElementType("bfloat16", "bfloat16_t", "bfloat16", 2, "bfloat16", "float", 8, 128, -133)
float32 = ElementType("float32", "float", "float", 4, "float32", "float", 24, 128, -149)
float8_e4m3fn = ElementType(
    "float8_e4m3fn", "fp8_e4m3fn_t", "float8_e4m3fn", 1, "float8_e4m3fn", "float", 4, 9, -9, infinite=False
)
float8_e5m2 = ElementType("float8_e5m2", "fp8_e5m2_t", "float8_e5m2", 1, "float8_e5m2", "float", 3, 16, -16)
float4_e2m1fn = ElementType(
    "float4_e2m1fn", "float4_e2m1x2_t", "uint8_t", 1, "float4_e2m1fn", "float", 2, 3, -1, infinite=False, packed=2
)
"""The values 0, 0.5, 1, 1.5, 2, 3, 4 and 6 with both signs: of operands in MX formats."""
int4 = ElementType("int4", "AscendC::int4b_t", "int8_t", 1, "int4", "int", 3, 3, 0, packed=2)
int8 = ElementType("int8", "int8_t", "int8_t", 1, "int8", "int", 7, 7, 0)
uint8 = ElementType("uint8", "uint8_t", "uint8_t", 1, "uint8", "int", 8, 8, 0)
int16 = ElementType("int16", "int16_t", "int16_t", 2, "int16", "int", 15, 15, 0)
int32 = ElementType("int32", "int32_t", "int32_t", 4, "int32", "int", 31, 31, 0)
float8_e8m0fnu = ElementType(
    "float8_e8m0fnu", "float8_e8m0_t", "float8_e8m0fnu", 1, "float8_e8m0fnu", "scale", 1, 128, -127
)
"""The type of the scales of MX formats: powers of two from 2^-127 to 2^127, and NaN. Nothing computes in it."""
int64 = ElementType("int64", "int64_t", "int64_t", 8, "int64", "int", 63, 63, 0)
"""The type of lists on the device, such as ``Gemm.group_type``; no tensor of an epilogue has it."""
uint64 = ElementType("uint64", "uint64_t", "uint64_t", 8, "uint64", "int", 64, 64, 0)
"""The type of the scales of columns that the cube core takes on the way out of L0C: the low 32 bits are a float32's. No
node has such a tensor."""
mask = ElementType("mask", "uint8_t", "uint8_t", 1, "bool", "mask", 1, 1, 0)
"""The result of a comparison: one bit for each element of the tile, in the bytes that Compare writes. Never in GM."""

ELEMENT_TYPES: dict[str, ElementType] = {
    t.name: t
    for t in (
        half, bfloat16, float32, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float4_e2m1fn, int4, int8, uint8, int16,
        int32, mask
    )
}  # fmt: skip

LIST_TYPES = (int64, int32)
"""The types that a list on the device may have."""

BY_NUMPY = {T.numpy: T for T in ELEMENT_TYPES.values()}
"""Each element type by its name in numpy and torch."""

_BY_ANY_NAME = {**BY_NUMPY, **ELEMENT_TYPES, int64.name: int64}


def dtype_name(thing: Any) -> str:
    """The name of a type: of ``np.float16``, of ``torch.float16``, of a dtype, or a name itself."""
    name = thing if isinstance(thing, str) else getattr(thing, "name", None) or getattr(thing, "__name__", None)
    return str(thing if name is None else name).removeprefix("torch.")


def element_type(thing: Any) -> Any:
    """The element type that a spec means: of this module, of numpy or of torch, or the name of one. What is none, and
    a type of masks, is given back as it is."""
    if isinstance(thing, ElementType):
        return thing
    T = _BY_ANY_NAME.get(dtype_name(thing), mask)
    return thing if mask == T else T


def narrowest(types: Iterable[ElementType]) -> ElementType | None:
    """The narrowest type that holds every value of all ``types``, an integer before a float; None without one."""
    types = tuple(types)
    wide = [T for T in ELEMENT_TYPES.values() if all(T.includes(other) for other in types)]
    return min(wide, key=lambda T: (T.size, T.kind == "float"), default=None)


@dataclass(frozen=True)
class Layout(_Named):
    """A layout of a matrix in GM, by its Catlass name (``layout::RowMajor``).

    The fractal ones are made of fractals, each 16 blocks of 32 bytes. In zN a block is a part of a row, and fractals
    follow one another down the columns; nZ is that of the transposed matrix.
    """

    name: str

    @property
    def cpp(self) -> str:
        return f"layout::{self.name}"

    @property
    def by_rows(self) -> bool:
        """Whether elements of a row are neighbours, of the matrix or of a fractal; else those of a column are."""
        return self.name in ("RowMajor", "zN")

    @property
    def fractal(self) -> bool:
        """Whether it is made of fractals."""
        return self.name in ("zN", "nZ")

    def __repr__(self) -> str:
        return str(self.name)

    __str__ = __repr__


RowMajor = Layout("RowMajor")
ColumnMajor = Layout("ColumnMajor")
zN = Layout("zN")
nZ = Layout("nZ")

LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in (RowMajor, ColumnMajor, zN, nZ)}

ROUND_MODES = ("CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD")
"""``AscendC::RoundMode``. NONE means RINT where precision is lost; RINT is half to even, ROUND half away from zero,
ODD is von Neumann rounding (AscendC, Cast)."""
