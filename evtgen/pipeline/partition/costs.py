"""What a part of a model costs: bytes that move through global memory, and modelled time.

The time of a launch is the longer of its arithmetic and its traffic at the full rates of the device, and the fixed cost
of a launch; the rates are those of the CPU model's clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...frontend.fx.images import ADDS_BIAS
from ...frontend.fx.matmuls import product_of
from ...frontend.fx.nodes import FxNode, called
from ...targets import Architecture
from .graphs import FIXED, example, is_tensor

VIEWS = (
    "view", "reshape", "_unsafe_view", "flatten", "unflatten", "unsqueeze", "squeeze", "t", "transpose", "permute",
    "getitem", "split", "chunk", "split_with_sizes", "unbind", "slice", "select", "expand", "detach", "alias",
    "sym_size", "size", "numpy_T", "narrow", "view_as", "lift_fresh_copy", "dropout",
)  # fmt: skip
"""What moves no element."""


def bytes_of(value: Any) -> int:
    """The bytes of a tensor with the extents of the examples; of several, of all."""
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_of, value))
    if not hasattr(value, "shape"):
        return 0
    return math.prod(map(example, value.shape)) * int(value.element_size())


def is_launch(node: FxNode) -> bool:
    """Whether a node of a graph is a launch: it makes a tensor, and is no view of another one."""
    made = node.meta.get(FIXED)
    return (
        node.op == "call_function"
        and called(node) not in VIEWS
        and ADDS_BIAS not in node.meta
        and (is_tensor(node) or isinstance(made, (list, tuple)))
    )


def separately(graph_module: Any, arch: Architecture) -> tuple[int, int, float]:
    """Launches, bytes and microseconds of a graph whose nodes run one after the other."""
    nodes = [node for node in graph_module.graph.nodes if is_launch(node)]
    moved = [sum(bytes_of(one.meta.get(FIXED)) for one in (*node.all_input_nodes, node)) for node in nodes]
    us = [_launch(of, _cycles(graph_module, node, arch), arch) for node, of in zip(nodes, moved, strict=True)]
    return len(nodes), sum(moved), sum(us)


def together(
    graph_module: Any, read: Iterable[FxNode], written: Iterable[FxNode], arch: Architecture
) -> tuple[int, float]:
    """Bytes and microseconds of a graph that is one launch."""
    moved = sum(bytes_of(node.meta.get(FIXED)) for node in (*read, *written))
    cycles = sum(_cycles(graph_module, node, arch) for node in graph_module.graph.nodes)
    return moved, _launch(moved, cycles, arch)


def _launch(moved: int, cycles: float, arch: Architecture) -> float:
    costs = arch.costs
    return (max(cycles, moved / costs["globalBytes"]) + costs["launch"]) / costs["mhz"]


def _cycles(graph_module: Any, node: FxNode, arch: Architecture) -> float:
    """What the matrix unit takes for a node."""
    product = product_of(graph_module, node)
    if product is None or not is_tensor(product.a):
        return 0.0
    a = product.a.meta[FIXED]
    k = example(a.shape[-2 if product.a_transposed else -1])
    macs = k * math.prod(map(example, node.meta[FIXED].shape))
    bytes_of_element = int(a.element_size())
    width = bytes_of_element / 2 * (arch.costs["floatFractal"] if bytes_of_element == 4 else 1)
    return macs * width / (arch.costs["macs"] * arch.cube_cores)
