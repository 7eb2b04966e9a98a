"""The matmuls in front of an epilogue, one kernel of the framework per module.

A kernel says what it computes in a launch (:class:`~evtgen.graph.shapes.Problem`), which tensors its matmuls may
share, and how its ``Arguments`` are written; emission, verification and the programs read nothing else. One more
kernel is a module here, a line in :data:`KERNELS`, and its template.
"""

from collections.abc import Iterable, Mapping

from ..diagnostics.files import NOT_SO_MANY
from ..graph.ir import Gemm
from ..graph.shapes import Shape
from ..system.translation import tr
from .base import DEFAULTS, Constant, Kernel, Matmuls, Names
from .batched_matmul import BatchedMatmul
from .grouped_matmul_slice_m import GroupedMatmulSliceM
from .matmul import Matmul
from .splitk_matmul import SplitkMatmul
from .w8a16_matmul import W8A16Matmul

KERNELS: tuple[Kernel, ...] = (W8A16Matmul(), Matmul(), BatchedMatmul(), GroupedMatmulSliceM(), SplitkMatmul())
"""Every kernel; the first that takes a GEMM is its kernel."""

__all__ = ["DEFAULTS", "KERNELS", "Constant", "Kernel", "Matmuls", "Names", "kernel_of", "require"]


def kernel_of(gemm: Gemm) -> Kernel:
    """The kernel of a GEMM in which no error is found."""
    return next(kernel for kernel in KERNELS if kernel.takes(gemm))


def require(kernels: Mapping[str, Kernel], asked: Matmuls, shapes: Iterable[Shape] = ()) -> None:
    """Raises EvtgenError (EVT177) if no epilogue has the matmuls that are asked for, or one of the ``shapes`` has other
    rows; ``kernels`` are those of the epilogues, by their names."""
    named = next(iter(kernels)) if len(kernels) == 1 else tr("none of the epilogues")
    never = tr("is not") if len(kernels) == 1 else tr("is")
    several = {kernel.several for kernel in kernels.values()}
    if asked.batch is not None and "batch" not in several:
        message = tr(
            "a batch of {batch} is asked for, but {named} {never} batched", batch=asked.batch, named=named, never=never
        )
        raise NOT_SO_MANY.error(message, help=tr("leave it out, or write gemm=Gemm(batch=True) in the spec"))
    if asked.groups is None:
        return
    rows = sum(asked.groups)
    if "groups" not in several:
        message = tr(
            "groups of {rows} rows are asked for, but {named} {never} grouped",
            rows=asked.rows,
            named=named,
            never=never,
        )
        raise NOT_SO_MANY.error(message, help=tr('leave them out, or write gemm=Gemm(group="m") in the spec'))
    for m, n, k in shapes:
        if m != rows:
            message = tr(
                "the groups have {rows} rows, {rows2}, but M of {m}x{n}x{k} is {m}",
                rows=rows,
                rows2=asked.rows,
                m=m,
                n=n,
                k=k,
            )
            raise NOT_SO_MANY.error(
                message, help=tr("M is the sum of the groups: write {rows}x{n}x{k}", rows=rows, n=n, k=k)
            )
