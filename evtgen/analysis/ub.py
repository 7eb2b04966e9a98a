"""UB of one vector core: the share and the offset of each node, and the longest tile that fits.

This is the only place in Python with this arithmetic; ``EVT::UbBytes`` is the same in the emitted C++, and a test
compares the two for every kind of node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..graph.types import BLOCK_BYTES
from ..nodes import VisitorNode
from ..targets import Architecture


@dataclass(frozen=True)
class UbMap:
    """The layout of a graph's buffers in UB: buffers follow each other, and within each, the nodes' shares.

    Attributes:
        shares: bytes of one buffer of each node, in the order of the graph; 0 for a node without one.
        buffers: how many buffers each of them has.
    """

    shares: tuple[int, ...]
    buffers: int

    @property
    def used(self) -> int:
        """Bytes of all buffers of all nodes."""
        return sum(self.shares) * self.buffers

    def share(self, node: int) -> int:
        """Bytes of all buffers of a node, given by its index."""
        return self.shares[node] * self.buffers

    def ranges(self) -> Iterator[tuple[int, int, int, int]]:
        """(index of the node, number of its buffer, first byte, bytes) of every buffer, in the order of UB."""
        first = 0
        for buffer in range(self.buffers):
            for node, share in enumerate(self.shares):
                if share:
                    yield node, buffer, first, share
                first += share


def ub_map(nodes: Iterable[VisitorNode], length: int, buffers: int) -> UbMap:
    """The map for tiles of ``length`` elements; each share is whole data blocks of 32 bytes."""
    return UbMap(tuple(-(-node.ub_bytes(length) // BLOCK_BYTES) * BLOCK_BYTES for node in nodes), buffers)


def granule(nodes: Iterable[VisitorNode]) -> int:
    """The number of elements of which a compute length must be a multiple, for all nodes."""
    return max((node.granule for node in nodes), default=32)


def fitting_length(nodes: Sequence[VisitorNode], arch: Architecture, buffers: int) -> int:
    """The largest multiple of :func:`granule` elements whose buffers fit ``arch.ub_usable``; 0 if none does."""
    step = granule(nodes)
    low, high = 0, arch.ub_usable // step
    while low < high:
        middle = (low + high + 1) // 2
        if ub_map(nodes, middle * step, buffers).used <= arch.ub_usable:
            low = middle
        else:
            high = middle - 1
    return low * step
