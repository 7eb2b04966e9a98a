"""What stands around an EVT: the block epilogue with its architecture and tiles, and the kernel with its matmul."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...graph.ir import DEFAULT_ARCH, Gemm
from ...graph.types import int4, int8, int64
from ...kernels import KERNELS, Names
from ...kernels.groups import OFFSETS, STACKED
from ...passes.analysis.gemm import COLUMN, MX, PINGPONG
from ...planner.widening import scale_text
from ...targets import ARCHITECTURES
from .nodes import element_of, encoded, layout_of
from .types import CppType

_MATMULS = {"MatmulVisitor", "MatmulMultiStageWorkspaceVisitor", "BasicMatmulTlaVisitor", "BasicMatmulTlaUbVisitor"}
KERNEL_NAMES = {kernel.name for kernel in KERNELS} | _MATMULS
"""The templates of kernels that launch an EVT."""


EVG = "EpilogueVisitor"
"""The policy of block epilogues in Catlass's own framework."""

BEHIND = {"Widened": (1, 1), "Scaled": (0, 2), "ScaledSlices": (3, 2), "Dequantised": (0, 1)}
"""Of what a block epilogue stands in, its place among the arguments of the template, and of its own arguments."""


@dataclass(frozen=True)
class Block:
    """A block epilogue.

    Attributes:
        type: its type.
        evt: the graph that it visits.
        arch: name of the architecture.
        length: elements of a tile; None where that cannot be told, and in Catlass's own framework, where each node has
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
    return Block(type, evt, arch, None if policy.last == EVG else length.number, buffers, in_ub)


def epilogue_of(kernel: CppType) -> CppType:
    """What a kernel visits C with: its block epilogue, also behind a B that is widened or operands with
    scales, or phases."""
    epilogue = kernel.argument(1)
    while place := BEHIND.get(epilogue.last):
        epilogue = epilogue.argument(place[0])
    return epilogue


def graph_beside(type: CppType) -> CppType | None:
    """The graph that widens B first, of ``Widened``, or adds up slices of K, of ``ScaledSlices``; None of others."""
    place = {"Widened": 0, "ScaledSlices": 2}.get(type.last)
    block = None if place is None else block_of(type.argument(place))
    return None if block is None else block.evt


def parts(type: CppType) -> Iterator[CppType]:
    """A type and the arguments of its template, and theirs."""
    yield type
    for arg in type.args:
        yield from parts(arg)


def place_of_arguments(kernel: CppType, count: int) -> int:
    """Which of so many arguments of a kernel are those of the graph."""
    own = next((known for known in KERNELS if known.name == kernel.last), None)
    if own is not None:
        return own.arguments(Names("", "", "", "", "", "EVT")).index("EVT")
    return count - 1


def gemm_of(kernel: CppType, block: Block) -> Gemm:
    """The matmul of a kernel; of what cannot be told, nothing is given."""
    own = next((known for known in KERNELS if known.name == kernel.last), None)
    asked: dict[str, Any] = {**(own.asked if own else {}), **_mmad(kernel.argument(0), block.arch)}
    behind = kernel.argument(1)
    if behind.last == "Widened" and (widening := graph_beside(behind)) is not None:
        # The block's matmul multiplies what vector cores have widened to the type of A.
        functors = {part.argument(0).last for part in parts(widening) if part.last == "VisitorCompute"}
        codes = [part for part in parts(widening) if part.last == "VisitorDecodeFloat8"]
        asked["b"] = encoded(codes[0]) if codes else element_of(widening.argument(1).argument(0))
        asked |= {"scale": _scale(widening) if "Multiplies" in functors else None, "zero_point": "Minus" in functors}
    asked |= _digits(behind)
    if "Scaled" in (behind.last, behind.argument(1).last):
        asked["scale"] = MX
    elif behind.last == "Dequantised":
        asked["scale"] = COLUMN
    elif behind.last == "ScaledSlices":
        asked["scale"] = scale_text(behind.argument(0).number, behind.argument(1).number)
    scheduler = kernel.argument(2)
    if scheduler.last.endswith("GemmIdentityBlockSwizzle"):
        asked["swizzle"] = scheduler.argument(0, "1").number, scheduler.argument(1, "0").number
    number = kernel.argument(3).number
    if own is not None and number is not None:
        asked["split_k" if own.adds else "workspace_stages"] = number
    return replace(c_of(block), **asked, **_lists(kernel.argument(4)))


def _scale(widening: CppType) -> str:
    """What has a scale of its own in a B that is widened, as ``Gemm.scale`` says it."""
    loads = [part for part in parts(widening) if part.last == "VisitorBlockBroadcast"]
    if not loads:
        return "column"
    sides = loads[0].argument(2).number, loads[0].argument(3).number
    rows, columns = sides[::-1] if loads[0].argument(1).last == "ColumnMajor" else sides
    return scale_text(rows, columns)


def _lists(groups: CppType) -> dict[str, Any]:
    """How the matmuls are listed, where the default is not meant."""
    if groups.last != "VisitorGroups":
        return {}
    element = element_of(groups.argument(0)) or int64
    return {
        "group_type": element,
        "group_list": groups.argument(1, OFFSETS).last.lower(),
        "weights": groups.argument(2, STACKED).last.lower(),
        "weight_index": groups.argument(3, "false").name == "true",
    }


_HF32 = {"MmadPingpong": 2, "MmadPreloadAsyncWithCallback": 9}
"""Which argument of a policy turns the HF32 mode on."""


def _mmad(mmad: CppType, arch: str) -> dict[str, Any]:
    """What the block's matmul says: operands, layouts, tiles and policy."""
    hf32 = mmad.last == "BlockMmadHf32"
    around = mmad.last in ("BlockMmadByTag", "BlockMmadHf32", "BlockMmadMx", "BlockMmadDequant")
    mmad = mmad.argument(0) if around and len(mmad.args) == 1 else mmad
    if mmad.last not in ("BlockMmad", "BlockMmadTla", "BlockMmadDequant") or len(mmad.args) < 6:
        return {}
    policy, l1, l0, a, b = mmad.args[:5]
    found: dict[str, Any] = {"l1": _sides(l1), "l0": _sides(l0), "policy": _policy(policy, arch)}
    if mmad.last != "BlockMmadTla":
        elements, layouts = (a.argument(0), b.argument(0)), (a.argument(1), b.argument(1))
    else:
        copies = mmad.argument(7)
        copies = copies.argument(0) if copies.last == "TileCopyFed" else copies
        elements, layouts = (a, b), (copies.argument(2), copies.argument(4))
    found |= {"a": element_of(elements[0]), "b": element_of(elements[1])}
    found["hf32"] = hf32 or policy.argument(_HF32.get(policy.last, len(policy.args))).name == "true"
    return found | {
        name: layout_of(type) for name, type in zip(("layout_a", "layout_b"), layouts, strict=True) if type.name
    }


def c_of(block: Block) -> Gemm:
    """What a block epilogue alone says of the matmul."""
    c = block.type.args[4] if len(block.type.args) == 5 else block.type.args[1].argument(0)
    return Gemm(c=element_of(c), handoff="ub" if block.in_ub else None, **_digits(block.evt))


def _digits(graph: CppType) -> dict[str, Any]:
    """What a graph says that reads the products of digits of A."""
    reads = any(part.last == "VisitorAccDigits" for part in parts(graph))
    return {"a": int8, "b": int4, "msd": True} if reads else {}


def _sides(shape: CppType) -> tuple[int, int, int] | None:
    sides = [arg.number for arg in shape.args if arg.number is not None]
    return (sides[0], sides[1], sides[2]) if len(sides) == len(shape.args) == 3 else None


def _policy(policy: CppType, arch: str) -> str | None:
    of = ARCHITECTURES[arch]
    known = [*of.mmad_policies.items(), (PINGPONG, of.mx_policy), (PINGPONG, of.dequant_policy)]
    return next((name for name, text in known if text.partition("<")[0].endswith(f"::{policy.last}")), None)
