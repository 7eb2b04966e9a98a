"""What an architecture has: memory sizes, event ids, which call takes which type, which cast takes which mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..graph.types import ElementType

Types = tuple[ElementType, ...]
Casts = Mapping[tuple[ElementType, ElementType], tuple[str, ...]]


@dataclass(frozen=True)
class Architecture:
    """One NPU architecture.

    Attributes:
        name: Catlass's tag, ``Arch::<name>``.
        npu: the value of ``CATLASS_ARCH``.
        ub_size: bytes of UB of one vector core.
        ub_reserved: bytes of it that the framework keeps in mixed kernels.
        l1_size, l0_size, l0c_size: bytes of the cube core's L1, of its L0A and L0B each, and of its L0C.
        mmad: element types of both operands of the cube, and the one in which it accumulates their products.
        event_ids: ids of a flag that user code may use, counted from 0.
        max_block_count: blocks that one DataCopyPad can copy.
        mmad_policy: Catlass's dispatch policy of the block matmul; ``{unit_flag}`` is ``false`` for int8 operands.
        calls: element types that each AscendC call takes.
        casts: round modes of each (source, destination) pair that AscendC::Cast has.
        atomics: element types that an atomic write to GM takes.
    """

    name: str
    npu: int
    ub_size: int
    ub_reserved: int
    l1_size: int
    l0_size: int
    l0c_size: int
    mmad: Mapping[ElementType, ElementType]
    event_ids: int
    max_block_count: int
    mmad_policy: str
    calls: Mapping[str, Types]
    casts: Casts
    atomics: Types

    @property
    def ub_usable(self) -> int:
        """Bytes of UB that a kernel may use."""
        return self.ub_size - self.ub_reserved
