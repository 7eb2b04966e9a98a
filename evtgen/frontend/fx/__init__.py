"""A graph of ``torch.fx`` as an epilogue: one matmul, or two of one input, and what follows it.

1. :mod:`.matmuls` finds the products in the graph and says which is meant, with the operands and their layouts.
2. :mod:`.region` says which nodes follow it, which of those are outputs, and what they read from elsewhere.
3. :mod:`.leaves` makes parameters of what they read: its shape says which kind, its dtype which type.
4. :mod:`.interpret` calls each node with values in place of tensors, as a traced function would.

torch is never imported: what is read of a graph are its nodes, their targets and what is known of their tensors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...diagnostics import reading as codes
from ...graph.ir import DEFAULT_ARCH, Epilogue, Gemm
from ...graph.location import caller
from ...graph.types import ColumnMajor, ElementType, RowMajor, int8, int32
from ...nodes import AccLoad
from ...system.translation import tr
from ...targets import ARCHITECTURES, AtlasA2
from ..outputs import finish
from ..value import Graph, Value, tracing
from .interpret import Interpreter
from .leaves import Leaves
from .matmuls import Chosen, choose
from .nodes import at, location_of
from .region import region


def from_fx(
    graph_module: Any,
    *,
    matmul: str | Sequence[str] | None = None,
    examples: Mapping[str, Any] | Sequence[Any] | None = None,
    T: ElementType | None = None,
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
    returns, and what another matmul reads, is an output: ``D`` if it is one, else by the names of the nodes.

    Args:
        graph_module: of ``torch.fx.symbolic_trace``, or the program of ``torch.export.export``.
        matmul: the name of the node, or the path of the ``nn.Linear``, that is the accumulator, where there are
            several; two that multiply one input are two accumulators.
        examples: arguments of the graph in their order, or by name: tensors, or anything with ``shape`` and ``dtype``,
            and numbers, which are scalars. They are needed for what the epilogue reads and the graph says nothing of.
        T: an element type for all tensors of float32, where the model is to run in another one.
        name: of the epilogue; that of the module's class by default, ``epilogue`` if the graph does not know it.
        arch, auto_cast, buffers, fast_math, deterministic: as for :func:`evtgen.epilogue`.

    Raises:
        EvtgenError: EVT206, with the node that no epilogue can have, at its line in the model if the graph knows that;
            EVT207, if it is not clear which matmul is meant, or there is none; EVT208, if the shape or the type of a
            tensor is not known; and what the functions of ``ops`` raise (EVT009 to EVT017).
    """
    graph_module = getattr(graph_module, "graph_module", None) or graph_module
    fx = getattr(graph_module, "graph", None)
    if not hasattr(fx, "nodes"):
        message = tr("a {kind} is no graph of torch.fx", kind=type(graph_module).__name__)
        raise codes.NO_MATMUL.error(message, caller(), tr("write evt.from_fx(torch.fx.symbolic_trace(model))"))
    chosen = choose(graph_module, [matmul] if isinstance(matmul, str) else matmul)
    arch_name = arch or DEFAULT_ARCH.get()
    graph = Graph(ARCHITECTURES.get(arch_name, AtlasA2), auto_cast)
    leaves = Leaves(graph_module, graph, chosen, examples, T)
    types = leaves.operand_types()
    accumulator = int32 if types[0] == int8 else types[0]
    values = [_accumulator(graph, chosen, index, accumulator) for index in range(chosen.accumulators)]
    inside = region(graph_module, chosen)
    interpreter = Interpreter(graph_module, leaves, inside)
    token = tracing.set(graph)
    try:
        interpreter.start(chosen, values)
        interpreter.run()
        results = {node: interpreter.result(node) for node in inside.outputs}
    finally:
        tracing.reset(token)
    outputs = {"D" if len(results) == 1 else node.name: value for node, value in results.items()}
    kind = type(graph_module).__name__
    made = name or ("epilogue" if kind == "GraphModule" else _snake(kind))
    places = {"D" if len(results) == 1 else node.name: location_of(node) for node in results}
    here = location_of(chosen.nodes[0]) or caller()
    assert here is not None
    return Epilogue(
        made,
        finish(graph, outputs, made, lambda key: places.get(key) or here),
        arch=arch_name,
        auto_cast=auto_cast,
        buffers=buffers,
        gemm=Gemm(
            *types,
            layout_a=ColumnMajor if chosen.products[0].a_transposed else RowMajor,
            layout_b=ColumnMajor if chosen.products[0].b_transposed else RowMajor,
            batch=leaves.batch,
            accumulators=chosen.form,
        ),
        fast_math=fast_math,
        deterministic=deterministic,
        traced=True,
        location=here,
    )


def _accumulator(graph: Graph, chosen: Chosen, index: int, T: ElementType) -> Value:
    with at(chosen.nodes[min(index, len(chosen.nodes) - 1)]):
        return graph.add(AccLoad(T, index, location=caller()), (), T)


def _snake(name: str) -> str:
    """A name in CamelCase with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
