"""How much of UB an epilogue takes, and the longest tile that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..arch import Architecture
from ..ir import Step
from ..nodes import VisitorNode
from ..types import BLOCK_BYTES


def granule(nodes: Iterable[VisitorNode]) -> int:
    """Elements that a compute length is a multiple of; each node says of which."""
    return max((node.granule for node in nodes), default=32)


def ub_used(nodes: Iterable[VisitorNode], length: int, buffers: int) -> int:
    """Bytes of UB that all buffers of all nodes take together, each on 32-byte addresses."""
    return sum(buffer_bytes(node, length) for node in nodes) * buffers


def buffer_bytes(node: VisitorNode, length: int) -> int:
    """Bytes of UB of one buffer of a node, rounded up to whole data blocks."""
    return -(-node.ub_bytes(length) // BLOCK_BYTES) * BLOCK_BYTES


def fitting_length(nodes: Sequence[VisitorNode], arch: Architecture, buffers: int) -> int:
    """The largest multiple of :func:`granule` elements whose buffers fit ``arch.ub_usable``; 0 when none does."""
    step = granule(nodes)
    low, high = 0, arch.ub_usable // step
    while low < high:
        middle = (low + high + 1) // 2
        if ub_used(nodes, middle * step, buffers) <= arch.ub_usable:
            low = middle
        else:
            high = middle - 1
    return low * step


def compute_length(steps: Sequence[Step], arch: Architecture, buffers: int) -> int:
    """:func:`fitting_length` of the nodes of a flattened graph."""
    return fitting_length([step.node for step in steps if isinstance(step.node, VisitorNode)], arch, buffers)


def budget(nodes: Iterable[VisitorNode], length: int, buffers: int) -> list[tuple[VisitorNode, int]]:
    """(node, bytes of all its buffers) of each node that takes UB."""
    rows = [(node, buffer_bytes(node, length) * buffers) for node in nodes]
    return [(node, share) for node, share in rows if share > 0]
