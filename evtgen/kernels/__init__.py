"""The matmuls in front of an epilogue, one kernel of the framework per module.

A kernel says what it computes in a launch (:class:`~evtgen.graph.shapes.Problem`), which tensors its matmuls may
share, and how its ``Arguments`` are written; emission, verification and the programs read nothing else. One more
kernel is a module here, a line in :data:`KERNELS`, and its template.
"""

from collections.abc import Iterable, Mapping

from ..diagnostics.files import NOT_SO_MANY
from ..graph.ir import Gemm
from ..graph.shapes import Shape
from .base import DEFAULTS, Constant, Kernel, Lists, Matmuls, Names
from .batched_matmul import BatchedMatmul
from .grouped_matmul_slice_k import GroupedMatmulSliceK
from .grouped_matmul_slice_m import GroupedMatmulSliceM
from .matmul import Matmul
from .splitk_matmul import SplitkMatmul

KERNELS: tuple[Kernel, ...] = (
    Matmul(), BatchedMatmul(), GroupedMatmulSliceM(), GroupedMatmulSliceK(), SplitkMatmul(),
)  # fmt: skip
"""Every kernel; the first that takes a GEMM is its kernel."""

__all__ = ["DEFAULTS", "KERNELS", "Constant", "Kernel", "Lists", "Matmuls", "Names", "kernel_of", "require"]


def kernel_of(gemm: Gemm) -> Kernel:
    """The kernel of a GEMM in which no error is found."""
    return next(kernel for kernel in KERNELS if kernel.takes(gemm))


def require(kernels: Mapping[str, Kernel], asked: Matmuls, shapes: Iterable[Shape] = ()) -> None:
    """Raises EvtgenError (EVT177) if no epilogue has the matmuls that are asked for, or one of the ``shapes`` has
    less of the extent of the groups; ``kernels`` are those of the epilogues, by their names."""
    several = {kernel.several for kernel in kernels.values()}
    one, name = " of one" if len(kernels) == 1 else "", next(iter(kernels), "")
    if asked.batch is not None and "batch" not in several:
        raise NOT_SO_MANY.refusal(f"batch{one}", name=name, batch=asked.batch)
    if asked.groups is None:
        return
    if "groups" not in several:
        raise NOT_SO_MANY.refusal(f"groups{one}", name=name, rows=asked.sizes)
    count, axes = sum(asked.groups), {kernel.axis for kernel in kernels.values() if kernel.several == "groups"}
    for m, n, k in shapes:
        if 0 in axes and m < count:
            raise NOT_SO_MANY.refusal("rows", count=count, rows=asked.sizes, m=m, n=n, k=k)
        if 2 in axes and k < count:
            raise NOT_SO_MANY.refusal("K", count=count, sizes=asked.sizes, m=m, n=n, k=k)
