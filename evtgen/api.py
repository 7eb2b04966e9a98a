"""What evtgen does for a program in Python: it prints nothing, and every failure is an :class:`EvtgenError`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .graph.ir import Epilogue

if TYPE_CHECKING:
    from .arithmetic.arrays import Array


def run(epilogue: Epilogue, a: Any, b: Any, /, **tensors: Any) -> dict[str, Array]:
    """The outputs of an epilogue by name: its kernel as it is emitted, run on the CPU model as a function of numpy
    arrays.

    Args:
        epilogue: what follows the matmul.
        a, b: its operands, (M, K) and (K, N). A batch has (L, M, K) and (L, K, N), groups have (M, K) and (G, K, N);
            without L or G, all matmuls share the array. With ``Gemm(accumulators="halves")`` b has 2N columns, with
            ``"separate"`` it is a pair (b, b2).
        tensors: the epilogue's inputs by name, (M, N), (1, N), (M, 1) or (1, 1), and numbers; axes of 1 may be left
            out, and so may inputs that have a default. In a batch each has an axis of L in front; in groups, a vector
            is (G, N) and a single value (G, 1). Without L or G, all matmuls share the array. A reduction may be given,
            too: what it is joined to. For a grouped epilogue, ``groups=[5, 0, 17]`` are the rows of each group.

    Arrays are of the epilogue's types, or hold only values that those have.

    Raises:
        EvtgenError: the epilogue is wrong; the arguments are not its own (EVT186), or not of its shapes (EVT187) or
            types (EVT188); the kernel has a fault (EVT189) or does not come to its end (EVT075); or the machine lacks
            something, such as a compiler (EVT090).
    """
    from .pipeline.run import run as run_kernel

    return run_kernel(epilogue, a, b, tensors)
