"""The facts of an architecture: memory sizes, event ids, the types of each call, the modes of each cast.

Facts that the CPU model needs too come from its tables (``device/machine/targets``), whose lines name their sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..graph.types import (
    ElementType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float32,
    half,
    int4,
    int8,
    int16,
    int32,
    mask,
    uint8,
)
from .tables import CALL_NAMES, CALLS, MACHINE, read_table

Types = tuple[ElementType, ...]
Casts = Mapping[tuple[ElementType, ElementType], tuple[str, ...]]
Mmad = Mapping[tuple[ElementType, ElementType], ElementType]

ELEMENT_WORDS = {
    "I4": int4,
    "I8": int8,
    "U8": uint8,
    "I16": int16,
    "I32": int32,
    "F16": half,
    "BF16": bfloat16,
    "F32": float32,
    "F8E4M3": float8_e4m3fn,
    "F8E5M2": float8_e5m2,
    "F4E2M1": float4_e2m1fn,
}
"""The model's names of evtgen's element types; it has more."""

MMAD: Mmad = {(half, half): float32, (bfloat16, bfloat16): float32, (float32, float32): float32, (int8, int8): int32}
"""What the cube of every architecture multiplies."""

WEIGHTS: Mmad = {
    **{(a, b): float32 for a in (half, bfloat16) for b in (int8, int4, float8_e4m3fn, float8_e5m2)},
    (int8, int4): int32,
    (float8_e4m3fn, float4_e2m1fn): float32,
}
"""Pairs that it multiplies once vector cores have cast B to the type of A, if it multiplies two operands of that
type."""


SCALE_CASTS: Casts = {(float32, float8_e8m0fnu): ("CAST_FLOOR",), (float8_e8m0fnu, float32): ("CAST_NONE",)}
"""Casts of the scales of MX formats, where the cube takes these: visitor_cast.hpp shifts the bits of float32."""


class Price(NamedTuple):
    """Cycles of a vector instruction: to start it, and for each repeat, which is 256 bytes of an operand."""

    start: float
    repeat: float


@dataclass(frozen=True)
class Architecture:
    """One NPU architecture.

    Attributes:
        name: Catlass's tag, ``Arch::<name>``.
        npu: the value of ``CATLASS_ARCH``.
        ub_size: bytes of UB of one vector core.
        ub_reserved: bytes of it that kernels must not use: those that the framework keeps in mixed kernels, and a
        margin. l1_size, l0_size, l0c_size: bytes of the cube core's L1, of its L0A and L0B each, and of its L0C.
        mmad: element types of the operands of a matmul, and the one in which the cube accumulates their products.
        event_ids: ids of a flag that user code may use, counted from 0.
        max_block_count: blocks that one DataCopyPad can copy.
        cube_cores: cube cores of the device that the model has unless it is told otherwise.
        vector_cores: of each cube core; they share the rows of a block.
        mmad_policies: Catlass's dispatch policies of the block matmul, by evtgen's names; ``{unit_flag}`` is ``false``
            for int8 operands, ``{hf32}`` turns the HF32 mode on. Each keeps two tiles of either operand in L1 and in
            L0, and one of the product in L0C.
        mx_policy: the dispatch policy for operands in MX formats, with the scales of so many ``{tiles}`` in L1 at once;
            empty where the cube multiplies none.
        dequant_policy: the dispatch policy for products of integers whose columns have scales.
        calls: element types that each AscendC call takes.
        casts: round modes of each (source, destination) pair that AscendC::Cast has.
        atomics: element types that an atomic write to GM takes.
        flushes_subnormals: whether calls that iterate take subnormals for zero, and give zero for them.
        off: the ulp by which the floats of an AscendC call may be off; of a call that it does not name, none.
        costs: cycles and rates of the model's clock, by the names and in the units of its tables.
        prices: of the vector instructions that the tables name.
        hf32_bits: bits of the mantissa of HF32, to which the matrix unit can round operands of float32.
        tla: whether its block matmuls take TLA tensors.
        stores_to_ub: whether the cube core can store its product in the UB of its vector cores.
        writes_to_l1: whether these can write to its L1.
        orders_v: whether the hardware orders V after V: no barrier does.
    """

    name: str
    npu: int
    ub_size: int
    ub_reserved: int
    l1_size: int
    l0_size: int
    l0c_size: int
    mmad: Mmad
    event_ids: int
    max_block_count: int
    cube_cores: int
    mmad_policies: Mapping[str, str]
    calls: Mapping[str, Types]
    casts: Casts
    atomics: Types
    hf32_bits: int
    dequant_policy: str
    mx_policy: str = ""
    vector_cores: int = 2
    tla: bool = False
    stores_to_ub: bool = False
    writes_to_l1: bool = False
    flushes_subnormals: bool = False
    off: Mapping[str, int] = field(default_factory=dict, repr=False)
    orders_v: bool = False
    costs: Mapping[str, int] = field(default_factory=dict, repr=False)
    prices: Mapping[str, Price] = field(default_factory=dict, repr=False)

    def price(self, call: str) -> Price:
        """The price of an AscendC call of V."""
        other = Price(self.costs["otherFixed"], self.costs["simpleRepeat"] / 100)
        return self.prices.get(call, other)

    def has(self, element: ElementType) -> bool:
        """Whether it computes in an element type, casts to it, or multiplies an A of it."""
        cast = any(element in pair for pair in self.casts)
        return cast or any(element in types for types in self.calls.values()) or element in (a for a, _ in self.mmad)

    @property
    def ub_usable(self) -> int:
        """Bytes of UB that a kernel may use."""
        return self.ub_size - self.ub_reserved


def architecture(
    file: str,
    *,
    mmad_policies: Mapping[str, str],
    dequant_policy: str,
    mmad: Mmad = MMAD,
    event_ids: int = 6,
    max_block_count: int = 4095,
    ub_spare: int = 0,
    tla: bool = False,
    mx_policy: str = "",
) -> Architecture:
    """The architecture of a file of ``device/machine/targets``, with the facts that only evtgen needs.

    Args:
        file: its name, without the suffix.
        ub_spare: the margin: bytes of UB that kernels must not use besides those that the table reserves.

    The other arguments are attributes of :class:`Architecture`. Raises ValueError if a line of the file is wrong.
    """
    table = read_table(MACHINE / "targets" / f"{file}.def", CALL_NAMES)
    if table.sizes["L0A"] != table.sizes["L0B"]:
        raise ValueError(f"{table.name}: L0A and L0B differ in size")
    # evtgen's operators are written in the form with a count, its reductions in calls that have no other types there.
    named = dict.fromkeys((*table.takes, *table.counted))
    calls = {name: _types(table.takes.get(name, ()) + table.counted.get(name, ())) for name in named}
    # Bits take 16-bit integers, as which the bits of a mask are passed.
    # A cast to a value's own type rounds floats to whole ones, as the call of an operator; no node does that.
    calls["Cast"] = _types(tuple(source for source, to in table.casts if source == to))
    calls |= {name: (mask,) for name in calls if name in CALLS and CALLS[name].domain == "Bits"}
    ulp = {"Ulp": 1, "Quotient": table.facts["divisionUlp"]}
    return Architecture(
        name=table.name,
        npu=table.number,
        ub_size=table.sizes["UB"],
        ub_reserved=table.facts["ubReserved"] + ub_spare,
        l1_size=table.sizes["L1"],
        l0_size=table.sizes["L0A"],
        l0c_size=table.sizes["L0C"],
        mmad={**mmad, **{(a, b): to for (a, b), to in WEIGHTS.items() if (a, a) in mmad}},
        event_ids=event_ids,
        max_block_count=max_block_count,
        cube_cores=table.costs["cubeCores"][0],
        mmad_policies=mmad_policies,
        mx_policy=mx_policy,
        dequant_policy=dequant_policy,
        calls=calls,
        casts={
            (ELEMENT_WORDS[source], ELEMENT_WORDS[to]): modes
            for (source, to), modes in table.casts.items()
            if source != to and source in ELEMENT_WORDS and to in ELEMENT_WORDS
        }
        | dict(SCALE_CASTS if mx_policy else {}),
        atomics=_types(table.atomics),
        hf32_bits=table.facts["hf32Bits"],
        off={name: ulp[call.off] for name, call in CALLS.items() if call.off in ulp},
        flushes_subnormals=bool(table.facts["flushesSubnormals"]),
        costs={name: value for name, (value, _) in table.costs.items()},
        tla=tla,
        stores_to_ub=bool(table.facts["cubeWritesUb"]),
        writes_to_l1=bool(table.facts["vectorWritesL1"]),
        orders_v=bool(table.facts["vectorOrdersItself"]),
        prices={call: Price(start, hundredths / 100) for call, (start, hundredths, _) in table.prices.items()},
    )


def _types(words: tuple[str, ...]) -> Types:
    return tuple(ELEMENT_WORDS[word] for word in words if word in ELEMENT_WORDS)
