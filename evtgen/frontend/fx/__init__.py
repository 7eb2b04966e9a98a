"""A graph of ``torch.fx`` as an epilogue: one matmul, or two of one input, and what follows it.

1. :mod:`.matmuls` finds the products in the graph and says which is meant, with the operands and their layouts.
2. :mod:`.region` says which nodes follow it, which of those are outputs, and what they read from elsewhere.
3. :mod:`.leaves` makes parameters of what they read: its shape says which kind, its dtype which type.
4. :mod:`.interpret` calls each node with values in place of tensors, as a traced function would.

torch is never imported: what is read of a graph are its nodes, their targets and what is known of their tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...graph.ir import Epilogue
from ...graph.types import ElementType


def from_fx(
    graph_module: Any,
    *,
    matmul: str | Sequence[str] | None = None,
    examples: Mapping[str, Any] | Sequence[Any] | None = None,
    T: ElementType | None = None,
    c: ElementType | None = None,
    name: str | None = None,
    arch: str | None = None,
    auto_cast: bool = True,
    buffers: int | str = "auto",
    fast_math: bool = False,
    deterministic: bool = False,
) -> Epilogue:
    """The epilogue of a traced graph of torch: what follows its matmul, and the GEMM in front as it says.

    Parameters of modules are the inputs, called by their paths with underscores (``norm.weight`` is ``norm_weight``),
    and so are arguments of the graph and results of nodes before the matmul, by their names. ``nn.Linear`` multiplies
    by a transposed weight, which is a B in column-major order. Leading axes of the input are rows. What the graph
    returns, and what another matmul reads, is an output: ``D`` if it is one, else by the names of the nodes. So is what
    a view reads that no tile has, such as the heads of an attention: that and what is behind it is left to torch.

    Args:
        graph_module: of ``torch.fx.symbolic_trace``, or the program of ``torch.export.export``.
        matmul: the name of the node, or the path of the ``nn.Linear``, that is the accumulator, where there are
            several; two that multiply one input are two accumulators.
        examples: arguments of the graph in their order, or by name: tensors, or anything with ``shape`` and ``dtype``,
            and numbers, which are scalars. They are needed for what the epilogue reads and the graph says nothing of.
        T: an element type for all tensors of float32, where the model is to run in another one.
        c: the type in which the epilogue reads the accumulator and computes; None: float32, and int32 for whole
            numbers. The outputs have the types that torch gives them.
        name: of the epilogue; that of the module's class by default, ``epilogue`` if the graph does not know it.
        arch, auto_cast, buffers, fast_math, deterministic: as for :func:`evtgen.epilogue`.

    Raises:
        EvtgenError: EVT206, with the node that no epilogue can have, at its line in the model if the graph knows that;
            EVT207, if it is not clear which matmul is meant, or there is none; EVT208, if the shape or the type of a
            tensor is not known; and what the functions of ``ops`` raise (EVT009 to EVT017).
    """
    from .convert import Options, ended

    return ended(
        graph_module, Options(matmul, examples, T, c, name, arch, auto_cast, buffers, fast_math, deterministic)
    )
