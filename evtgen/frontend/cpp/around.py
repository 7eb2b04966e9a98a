"""What stands around an EVT: the block epilogue, with the architecture and the tiles, and the kernel with its matmul."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...graph.ir import DEFAULT_ARCH, Gemm
from ...graph.types import LAYOUTS, Layout, int8
from ...kernels import KERNELS
from ...targets import ARCHITECTURES
from .nodes import element_of, layout_of
from .types import CppType

_MATMULS = {"MatmulVisitor", "MatmulMultiStageWorkspaceVisitor", "BasicMatmulTlaVisitor", "BasicMatmulTlaUbVisitor"}
KERNEL_NAMES = {kernel.name for kernel in KERNELS} | _MATMULS
"""The templates of kernels that launch an EVT."""


@dataclass(frozen=True)
class Block:
    """A block epilogue.

    Attributes:
        type: its type.
        evt: the graph that it visits.
        arch: name of the architecture.
        length: elements of a tile; None where that cannot be told, and in Catlass's own framework, in which each node has
            UB of its own.
        buffers: tiles in flight; likewise.
        in_ub: whether the accumulator is handed over in UB.
    """

    type: CppType
    evt: CppType
    arch: str
    length: int | None
    buffers: int | None
    in_ub: bool


def block_of(type: CppType) -> Block | None:
    """The block epilogue that a type is; None if it is none that visits a graph."""
    if type.last != "BlockEpilogue" or len(type.args) not in (4, 5):
        return None
    policy, length, evt = type.args[0], type.args[2], type.args[3]
    tag = type.args[1] if len(type.args) == 5 else policy.argument(0)
    arch = tag.last if tag.last in ARCHITECTURES else "AtlasA2" if "AtlasA2" in policy.last else DEFAULT_ARCH.get()
    buffers = policy.argument(1).number if policy.last == "EpilogueVisitorMultiStage" else 2
    in_ub = policy.argument(2, "0").number not in (0, None) or policy.argument(0).name == "true"
    return Block(type, evt, arch, None if policy.last == "EpilogueVisitor" else length.number, buffers, in_ub)


def parts(type: CppType) -> Iterator[CppType]:
    """A type and the arguments of its template, and theirs."""
    yield type
    for arg in type.args:
        yield from parts(arg)


def gemm_of(kernel: CppType, block: Block) -> Gemm:
    """The matmul of a kernel; of what cannot be told, nothing is given."""
    asked: dict[str, Any] = {}
    own = next((known for known in KERNELS if known.name == kernel.last), None)
    if own is not None:
        asked |= own.asked
    mmad = kernel.argument(0)
    if mmad.last == "BlockMmadByTag":
        mmad = mmad.argument(0)
    tla = mmad.last == "BlockMmadTla"
    if mmad.last in ("BlockMmad", "BlockMmadTla") and len(mmad.args) >= 6:
        operands = mmad.args[3:6]
        elements = [element_of(part if tla else part.argument(0)) for part in operands]
        layouts = [_layout(mmad.argument(7), 2 + 2 * i) if tla else _layout(operands[i], 1) for i in range(2)]
        asked |= {"a": elements[0], "b": elements[1]}
        asked |= {"layout_a": layouts[0], "layout_b": layouts[1]}
        asked |= {"l1": _sides(mmad.args[1]), "l0": _sides(mmad.args[2])}
        asked["policy"] = _policy(mmad.args[0], block.arch)
    if own is not None and own.casts:
        asked["a"], asked["b"] = (
            element_of(mmad.argument(3).argument(0)) if not tla else element_of(mmad.argument(3)),
            int8,
        )
    swizzle = [arg.number for arg in kernel.argument(2).args]
    if kernel.argument(2).last.endswith("GemmIdentityBlockSwizzle"):
        offset, direction = [*swizzle, *(1, 0)[len(swizzle) :]]
        asked["swizzle"] = (1 if offset is None else offset, direction or 0)
    number = kernel.argument(3).number
    if own is not None and own.adds:
        asked["split_k"] = number or 1
    elif own is not None and number is not None:
        asked["workspace_stages"] = number
    return replace(c_of(block), **asked)


def c_of(block: Block) -> Gemm:
    """What a block epilogue alone says of the matmul."""
    c = block.type.args[4] if len(block.type.args) == 5 else block.type.args[1].argument(0)
    return Gemm(c=element_of(c), handoff="ub" if block.in_ub else None)


def _layout(type: CppType, index: int) -> Layout:
    return layout_of(type.args[index]) if index < len(type.args) else LAYOUTS["RowMajor"]


def _sides(shape: CppType) -> tuple[int, int, int] | None:
    sides = tuple(arg.number for arg in shape.args)
    return (sides[0], sides[1], sides[2]) if len(sides) == 3 and None not in sides else None  # type: ignore[return-value]


def _policy(policy: CppType, arch: str) -> str | None:
    known = ARCHITECTURES[arch].mmad_policies.items()
    return next((name for name, text in known if text.partition("<")[0].endswith(f"::{policy.last}")), None)
