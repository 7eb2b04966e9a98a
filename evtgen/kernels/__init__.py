"""The matmuls in front of an epilogue, one kernel of the framework per module.

A kernel says what it computes in a launch (:class:`~evtgen.graph.shapes.Problem`), which tensors its matmuls may
share, and how its ``Arguments`` are written; emission, verification and the programs read nothing else. One more
kernel is a module here, a line in :data:`KERNELS`, and its template.
"""

from ..graph.ir import Gemm
from .base import Kernel, Matmuls, Names
from .matmul import Matmul
from .w8a16_matmul import W8A16Matmul

KERNELS: tuple[Kernel, ...] = (W8A16Matmul(), Matmul())
"""Every kernel; the first that takes a GEMM is its kernel."""

__all__ = ["KERNELS", "Kernel", "Matmuls", "Names", "kernel_of"]


def kernel_of(gemm: Gemm) -> Kernel:
    """The kernel of a GEMM in which no error is found."""
    return next(kernel for kernel in KERNELS if kernel.takes(gemm))
