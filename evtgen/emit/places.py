"""The paths of emitted files: for emission, and to tell whether evtgen can have written a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from ..kernels import KERNELS
from ..nodes import MADE_KINDS, NODE_KINDS, Compute
from ..operators.table import FAMILIES
from ..passes.analysis.cpp_names import LONGEST, is_identifier
from .framework import BLOCK_MMADS, EXTENDED, FUSION_DIRECTORY, Framework

OWN = ".evtgen-"
"""The beginning of the names that evtgen keeps for itself where it writes; nothing is emitted to such a place."""

KEPT = f"{OWN}replaced"
"""The directory in a root that keeps Catlass's files whose place ours have taken, each under its path in the root."""

COMMON = "common/evt_example.hpp"
"""The header that the example programs share, below the examples directory; Catlass's shared headers are beside it."""

_LONGEST_PATH = 4096
"""The longest that Linux takes."""

_CORE = (
    "visitor_impl_base.hpp", "problem.hpp", "visitor_impl.hpp", "flat_graph.hpp", "tile_plan.hpp",
    "tree_visitor.hpp", "topological_visitor.hpp",
)  # fmt: skip

KERNEL_PARTS = (
    "visitor_operand.hpp", "visitor_launch.hpp", "visitor_passes.hpp", "visitor_widening.hpp", "visitor_ring.hpp",
    "visitor_feeding.hpp", "visitor_slices.hpp", "visitor_kernel.hpp",
)  # fmt: skip
"""What the kernels have in common: the parts of a class, each derived from the one before."""

OPERATIONS = "operations"
"""The directory of the headers with the operators, below that of the framework."""

OPERATOR = f"{OPERATIONS}/operator.hpp"


def family_header(family: str) -> str:
    """The header with one of ``FAMILIES``."""
    return f"{OPERATIONS}/{family}.hpp"


OPERATION_HEADERS: dict[str, tuple[str, ...]] = {
    OPERATOR: ("visitor_impl_base.hpp",),
    family_header("approximation"): (OPERATOR,),
    family_header("arithmetic"): (OPERATOR,),
    family_header("math"): (family_header("approximation"),),
    family_header("comparison"): (OPERATOR,),
    family_header("activation"): (family_header("approximation"),),
    "operations.hpp": tuple(map(family_header, FAMILIES)),
}
"""The headers with operators, and what of the framework each includes."""


def operator_header(node: Compute) -> str:
    """The header that an epilogue needs for the operator of a node."""
    return next((family_header(name) for name, ops in FAMILIES.items() if node.operator in ops), OPERATOR)


EXTENDED_HEADERS: dict[str, tuple[str, ...]] = {
    **OPERATION_HEADERS,
    "band.hpp": ("visitor_impl_base.hpp",),
    "copy.hpp": (),
    "reduce.hpp": (family_header("arithmetic"), "visitor_impl.hpp"),
    "visitor_acc_load.hpp": ("visitor_impl.hpp",),
    "visitor_band.hpp": ("band.hpp", "visitor_impl.hpp"),
    "visitor_col_broadcast.hpp": ("visitor_impl.hpp",),
    "visitor_col_index.hpp": ("visitor_impl.hpp",),
    "visitor_col_reduce.hpp": ("reduce.hpp",),
    "visitor_compute.hpp": (OPERATOR, "visitor_impl.hpp"),
    "visitor_impl.hpp": ("visitor_impl_base.hpp",),
    "visitor_impl_base.hpp": (),
    "visitor_or_default.hpp": ("visitor_impl.hpp",),
    "visitor_outputs.hpp": ("visitor_impl.hpp",),
    "visitor_row_index.hpp": ("visitor_impl.hpp",),
    "visitor_row_reduce.hpp": ("reduce.hpp",),
    "visitor_scalar_broadcast.hpp": ("visitor_impl.hpp",),
    "visitor_scalar_reduce.hpp": ("reduce.hpp",),
}
"""The headers beside those of Catlass's own framework, and which of them each includes."""

SHARED_HEADERS = (*OPERATION_HEADERS, "band.hpp", "reduce.hpp")
"""Those of them that evtgen's own framework has too."""


@cache
def fusion_headers() -> tuple[str, ...]:
    """The headers that ``fusion.hpp`` includes, in this order."""
    nodes = sorted({kind.header for kind in [*NODE_KINDS.values(), *MADE_KINDS]})
    shared = ("broadcast.hpp", "operations.hpp", "band.hpp", "reduce.hpp", "transpose.hpp")
    on_vectors = ("visitor_on_row", "visitor_on_column", "visitor_by_repeats")
    ordered = ("visitor_in_order", "visitor_scatter_in_order")
    around = (
        *on_vectors,
        "visitor_on_columns",
        "visitor_on_half",
        "visitor_on_first",
        *ordered,
        "visitor_in_workspace",
        "phases",
        "widened",
        "scaled",
        "dequantised",
        "scaled_slices",
    )
    return (*_CORE, *shared, *nodes, *(f"{name}.hpp" for name in around))


def framework_paths(fw: Framework) -> dict[str, str]:
    """The framework: template below ``include/`` → path below the include root."""
    names = dict.fromkeys([*fusion_headers(), *OPERATION_HEADERS, "fusion.hpp"])
    paths = {f"{FUSION_DIRECTORY}/{name}": f"{fw.directory}/{name}" for name in names}
    paths["catlass/epilogue/block/block_epilogue_visitor.hpp"] = fw.block_header
    for name in (*KERNEL_PARTS, "visitor_groups.hpp", *(kernel.header for kernel in KERNELS)):
        paths[f"catlass/gemm/kernel/{name}"] = fw.kernel_header(name)
    paths["catlass/gemm/kernel/accumulator_handoff.hpp"] = fw.handoff_header
    paths["catlass/gemm/kernel/digits_of_a.hpp"] = fw.digits_header
    paths["catlass/gemm/kernel/statistics_of_a.hpp"] = fw.statistics_header
    paths |= {f"catlass/gemm/block/block_mmad_{kind}.hpp": fw.mmad_header(kind) for kind in BLOCK_MMADS}
    return paths


def extended_path(name: str) -> str:
    """One of :data:`EXTENDED_HEADERS`, below the include root."""
    return f"{EXTENDED.directory}/{name}"


def with_included(names: Iterable[str]) -> list[str]:
    """Some of :data:`EXTENDED_HEADERS` and all that they include, sorted."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting += EXTENDED_HEADERS[name]
    return sorted(found)


def epilogue_path(name: str) -> str:
    """The header of an epilogue, below the include root."""
    return f"{name}.hpp"


def example_paths(name: str) -> dict[str, str]:
    """The example of an epilogue: template below ``example/`` → path below the examples directory."""
    files = {"example.cpp": f"{name}.cpp", "CMakeLists.txt": "CMakeLists.txt", "README.md": "README.md"}
    return {template: f"{name}/{file}" for template, file in files.items()}


def is_directory(path: str) -> bool:
    """Whether a framework can go to ``path``, which is written into ``#include`` lines unchanged."""
    parts = path.split("/")
    return all(
        re.fullmatch(r"[A-Za-z0-9_.-]+", part) and part not in (".", "..") and not part.lower().startswith(OWN)
        for part in parts
    )


def says_so(path: str, text: str) -> bool:
    """Whether a file says what evtgen writes into each file of this path. That its hash stands in a manifest proves
    nothing: anybody can write a manifest."""
    directory, _, file = path.rpartition("/")
    name = directory.rpartition("/")[2] if file in ("CMakeLists.txt", "README.md") else file.partition(".")[0]
    marks = {
        "CMakeLists.txt": f"catlass_example_add_executable({name} ",
        "README.md": f"# {name}\n\nA matmul ",
        f"{name}.cpp": f'#include "{name}.hpp"',
        f"{name}.hpp": "namespace Catlass::",
    }
    own = f"namespace Catlass::Evt::{name} {{"
    # The header that only includes the others has no namespace.
    if directory and file == "fusion.hpp" and '/visitor_impl_base.hpp"' in text:
        return True
    return marks.get(file, "\0") in text and (bool(directory) or own in text)


def kept_path(path: str) -> str:
    """Where the file of Catlass's with this root-relative path is kept."""
    return f"{KEPT}/{path}"


@dataclass(frozen=True)
class Layout:
    """Where evtgen writes below a root.

    Attributes:
        include: the include roots, root-relative; empty for the root itself.
        examples: the examples directories, likewise.
    """

    include: tuple[str, ...] = ("",)
    examples: tuple[str, ...] = ("",)

    def holds(self, path: str) -> bool:
        """Whether emission can give a file this root-relative path."""
        return len(path) <= _LONGEST_PATH and (
            any(_is_header(below) for below in _below(self.include, path))
            or any(_is_example(below) for below in _below(self.examples, path))
        )

    def replaces(self, path: str) -> bool:
        """Whether the file can take the place of one of Catlass's: a header of the framework in Catlass's own place."""
        return any(below in framework_paths(Framework()).values() for below in _below(self.include, path))


BUILD_LAYOUT = Layout()
"""For a root of ``evtgen build``: an include root, an examples directory, or both."""


def _below(directories: tuple[str, ...], path: str) -> list[str]:
    prefixes = [f"{directory}/" if directory else "" for directory in directories]
    return [path.removeprefix(prefix) for prefix in prefixes if path.startswith(prefix)]


def _is_header(path: str) -> bool:
    directory, _, file = path.rpartition("/")
    if not directory:
        return _is_name(name := file.removesuffix(".hpp")) and path == epilogue_path(name)
    if path in map(extended_path, EXTENDED_HEADERS):
        return True
    places = (Framework.directory, directory, directory.removesuffix(f"/{OPERATIONS}"))
    return is_directory(directory) and any(
        path in framework_paths(Framework(directory=place)).values() for place in places
    )


def _is_example(path: str) -> bool:
    name = path.partition("/")[0]
    return path == COMMON or (_is_name(name) and path in example_paths(name).values())


def _is_name(name: str) -> bool:
    return is_identifier(name) and len(name) <= LONGEST
