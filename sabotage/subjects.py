"""The epilogues whose emitted text is broken, as subjects, and the text itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from evtgen.emit.framework import Framework
from evtgen.emit.places import KERNEL_PARTS
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.graph.ir import DEFAULT_ARCH, Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, half
from evtgen.kernels import KERNELS
from evtgen.kernels.matmul import Matmul
from evtgen.nodes import (
    AuxGather,
    AuxLoad,
    AuxStore,
)
from evtgen.passes.analysis.gemm import PRELOADING, block_shape, casts_b, in_digits
from evtgen.passes.analysis.tiles import feeds
from evtgen.planner.plan import Plan, lower
from evtgen.targets import ARCHITECTURES

from .epilogues import others_of, scales
from .epilogues_of_kernels import in_phases, of_digits, of_kernels, through_ub

ATLAS_A2, ASCEND950 = "AtlasA2", "Ascend950"

CHECKOUT = Path(__file__).parents[1]

SHAPE = (257, 742, 16)
"""M, N, K of a run: more blocks for each core than the workspace has, tails in both directions, a block of one row,
several tiles per block."""

TALL = (978, 46, 16)
ROW = (1, 1312, 16)
GROUPS = (300, 50, 16)
SHAPES = {
    "tall": TALL, "stored_lanes": TALL, "masks_half": (257, 230, 16), "masks_float": (257, 230, 16),
    "split": (65, 70, 1024), "split_and_rounded": (65, 70, 1024), "row_in_ub": ROW, "stored_row_in_ub": ROW,
    "grouped": GROUPS, "grouped_whole": GROUPS, "grouped_few": (1, 50, 16), "cast_weights": (257, 742, 130),
    "weights_in_a_ring": (3, 742, 230), "weights_in_a_ring_of_groups": (87, 198, 100),
    "weights_in_a_ring_of_a_batch": (20, 198, 100), "weights_of_few": (1, 50, 16),
    "digits": (300, 70, 1100), "digits_by_one": (300, 70, 1100),
    "scaled_weights": GROUPS, "slices_alone": (257, 70, 130), "slices_grouped": (300, 50, 70),
    "slices_few": (33, 70, 20),
    "phases": (131, 70, 16), "phases_of_whole_rows": (131, 30, 16), "phases_of_columns": (70, 30, 16),
    "phases_split": (70, 70, 48), "phases_batched": (35, 40, 16), "in_order": (131, 70, 16), "phases_grouped": GROUPS,
    "phases_grouped_rows": (300, 30, 16), "narrowed_transposed_few": (33, 70, 16),
    "grouped_transposed": GROUPS, "sliced": (70, 50, 40), "sliced_whole": (70, 50, 40),
    "statistics": (257, 70, 1100), "statistics_batched": (35, 40, 700), "statistics_of_columns": (700, 70, 300),
    **dict.fromkeys(("whole_rows", "whole_rows_spread"), (131, 70, 16)),
    "whole_rows_grouped": GROUPS, "whole_rows_of_blocks": (131, 30, 16),
    "phases_in_ub": (131, 70, 16), "phases_of_whole_rows_in_ub": (131, 30, 16),
    **dict.fromkeys(("added_heads", "normed_heads", "made_for_heads", "made_for_neighbours"), (257, 704, 16)),
    "split_qkv_rmsnorm_rope": (257, 512, 16), "largest_alone": (257, 736, 16),
    "long_column": (18, 742, 16), "long_rows": (18, 742, 16), "long_sums": (33, 742, 16),
}  # fmt: skip
"""Other shapes, for the subjects that need them: blocks with parts of rows, and with whole ones; vector cores with more
rows than a tile may have, and nearly as many; tiles whose elements do not fill their mask; more blocks of one row
than a flag between cores counts; groups whose first block has no number that is a multiple of how many they have;
more groups than blocks, and more cores; weights, and rows of A, of which every vector core has several tiles; weights
that go through a ring twice, and weights of fewer blocks than cores."""

SEVERAL = "several"
"""What is part of the kernels of several matmuls alone."""

SECOND = "second"
"""What decides only where there is a second accumulator."""

PHASES = "phases"
PHASES_IN_UB = "phases in ub"
"""What is part of the kernels of epilogues in phases alone, and of those whose accumulator is handed over in UB."""

ROWS = "rows"
"""What is part of the kernels alone that take whole rows from the workspace."""

STATISTICS = "statistics"
"""What is part of epilogues alone that read statistics of A."""

WIDENED = "widened"
"""What is part of the kernels alone that widen B."""

ADDED = "added"
ADDED_IN_UB = "added in ub"
"""What is part of the kernels alone that add up slices of K with their scales, and of those with products in UB."""

DIGITS = "digits"
"""What is part of the kernels alone that multiply digits of A."""

RING = "ring"
FED = "fed"
"""What is part of the kernels alone that widen B into a ring, or into L1."""

ORDERED = "in order"
"""What is part of deterministic epilogues alone."""


@dataclass(frozen=True)
class Subject:
    """An epilogue, its emitted header, whether it is one of the examples, and whether it is there for its kernel."""

    plan: Plan
    header: str
    example: bool
    of_kernel: bool = False

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N, K of its runs."""
        return SHAPES.get(self.name, SHAPE)

    def has(self, path: str, struct: str | None = None) -> bool:
        """Whether the emitted file at ``path`` is part of its kernel, and if given, that struct of the file, or one of
        several (``"A|B"``), that way of the accumulator (``"gm"``, ``"ub"``), that policy of the matmul, several of
        them, phases, or that kernel (its header). One that is there for its kernel or its phases has that alone: the
        rest is tested with others."""
        if struct is not None and "|" in struct:
            return any(self.has(path, one) for one in struct.split("|"))
        own = self._of_its_kernel(path, struct)
        if own is not None:
            return own
        if struct in ("gm", "ub", "pingpong", "preload_async"):
            return struct in (self.plan.gemm.handoff, self.plan.gemm.policy)
        if struct is not None:
            return struct in self._own
        stem = Path(path).stem
        is_shared = Path(path).name in KERNEL_PARTS or not re.match("visitor_(?!impl)", stem)
        if stem != "tree_visitor" and is_shared:
            return True
        return "".join(part.capitalize() for part in stem.split("_")) in self.header

    def _of_its_kernel(self, path: str, struct: str | None) -> bool | None:
        """The same for its own header, and for what only some kernels have; None for what all have."""
        header, kernel = struct if struct in _KERNELS else Path(path).name, self.plan.kernel
        if not path.startswith("catlass/"):
            return path == f"{self.name}.hpp"
        ways = {
            SEVERAL: kernel.several is not None,
            SECOND: self.plan.accumulators > 1,
            PHASES: bool(self.plan.parts),
            PHASES_IN_UB: bool(self.plan.parts and self.plan.ub_workspace),
            ROWS: self.plan.rows is not None and not self.plan.gemm.workspace_stages,
            ORDERED: self.plan.is_ordered,
            STATISTICS: self.plan.reads_a,
            WIDENED: self.plan.widening is not None,
            DIGITS: in_digits(self.plan.gemm),
            ADDED: self.plan.adding is not None,
            ADDED_IN_UB: self.plan.products_in_ub,
            RING: self.name.startswith("weights_in_a_ring") and not feeds(self.plan.gemm, self.plan.arch),
            FED: feeds(self.plan.gemm, self.plan.arch),
        }
        if header == "visitor_in_order.hpp":
            struct = ORDERED
        only = {
            "visitor_scatter_in_order.hpp": "VisitorScatterInOrder",
            "visitor_block_broadcast.hpp": "VisitorBlockBroadcast",
            "visitor_acc_digits.hpp": "VisitorAccDigits",
            "visitor_decode_float8.hpp": "VisitorDecodeFloat8",
            "visitor_col_reduced.hpp": "VisitorColReduced",
            "visitor_wide_store.hpp": "VisitorWideStore",
        }
        if header in only:
            return only[header] in self.header
        if header == "visitor_in_workspace.hpp":
            struct = PHASES
        if header in ("statistics_of_a.hpp", "visitor_a_statistic.hpp"):
            struct = STATISTICS
        if header == "digits_of_a.hpp":
            struct = DIGITS
        if header in ("block_mmad_fed.hpp", "visitor_feeding.hpp"):
            struct = FED
        if header in ("widened.hpp", "scaled_slices.hpp"):
            struct = WIDENED if header == "widened.hpp" else ADDED
        if struct in ways:
            return ways[struct]
        if header in _KERNELS:
            return header == kernel.header
        if header == "visitor_groups.hpp":
            return kernel.several == "groups"
        return False if self.of_kernel else None

    @cached_property
    def _own(self) -> frozenset[str]:
        """The words of its header and of those of its nodes; a shared struct is named in those that use it."""
        nodes = (text for path, text in framework().items() if "/visitor_" in path and self.has(path))
        return frozenset(re.findall(r"\w+", "\n".join([self.header, *nodes])))


_KERNELS = frozenset(kernel.header for kernel in KERNELS) - {Matmul.header}
"""The headers of the kernels that are not part of every program."""


@cache
def framework() -> Mapping[str, str]:
    """The emitted framework: path → text."""
    return MappingProxyType(framework_files(Framework()))


@cache
def subjects(arch: str = ATLAS_A2) -> tuple[Subject, ...]:
    """The four examples, then the others, for an architecture."""
    given = DEFAULT_ARCH.set(arch)
    try:
        return _subjects(arch)
    finally:
        DEFAULT_ARCH.reset(given)


def _filling(epilogue: Epilogue) -> Epilogue:
    """The same with shorter tiles, if one could hold all rows of a vector core: it would not notice half a buffer."""
    plan = lower(epilogue)
    rows, columns = block_shape(plan.gemm)
    enough = rows // 4 * columns
    is_longer = epilogue.compute_length == "auto" and plan.compute_length > rows // 2 * columns
    return replace(epilogue, compute_length=enough) if is_longer else epilogue


def _widens_all(epilogue: Epilogue) -> bool:
    """Whether it is there for a B that is widened as a whole."""
    gemm = lower(epilogue).gemm
    return casts_b(gemm) and gemm.workspace_stages == 0 and gemm.split_k == 1


def _subjects(arch: str) -> tuple[Subject, ...]:
    examples = load(sorted((CHECKOUT / "examples").glob("3*.py")))
    others = others_of(examples)
    if ARCHITECTURES[arch].stores_to_ub:
        others += through_ub()
    others.append(replace(others[0], name="stored_ahead", gemm=Gemm(policy=PRELOADING)))
    # Columns of parts, and every second one
    others += [
        e
        for e in load([CHECKOUT / "examples/gallery/parts.py"])
        if e.name in ("split_qkv_rmsnorm_rope", "swiglu_interleaved")
    ]
    found = []
    kernels = [*of_kernels(), *in_phases(in_ub=ARCHITECTURES[arch].stores_to_ub)]
    kernels += of_digits() if arch == ATLAS_A2 else []
    others += kernels
    # The others are made for tiles that fill two buffers, or are short where they say so.
    others = [replace(e, buffers=2) if e.buffers == "auto" else e for e in others]
    if arch == ASCEND950:
        # V keeps its order there, and the barrier is none
        others = [_filling(epilogue) for epilogue in others if epilogue.name != "left_out"]
        # Of few rows, B is widened as a whole where the cube core loads ahead alone
        others = [replace(e, gemm=replace(e.gemm, policy=PRELOADING)) if _widens_all(e) else e for e in others]
        # So that only MTE3 waits for what V transposes
        stored = TreeVisitor(AuxStore("D", half), AuxLoad("X", half, ColumnMajor))
        others.append(Epilogue("stored_transposed_input", stored, buffers=1))
        # The same of the rows that a gather fills
        stored = TreeVisitor(AuxStore("D", half), AuxGather("X", half, "rows"))
        others.append(Epilogue("stored_gathered", stored, buffers=1))
        others += scales()
    names = {epilogue.name for epilogue in kernels}
    for epilogue in (*examples, *others):
        plan = lower(epilogue)
        header = epilogue_files(plan, Framework())[f"{plan.name}.hpp"]
        found.append(Subject(plan, header, epilogue in examples, plan.name in names))
    return tuple(found)
