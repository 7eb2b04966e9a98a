"""From a graph of ``torch.fx`` to an epilogue, by the modules beside this one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...diagnostics import reading as codes
from ...graph.ir import DEFAULT_ARCH, Epilogue, Gemm, flatten
from ...graph.location import caller
from ...graph.types import ELEMENT_TYPES, ColumnMajor, ElementType, RowMajor, float32, half, int8, int32, int64, mask
from ...nodes import AccLoad
from ...passes.analysis.columns import columned
from ...planner.widening import SCALE, ZERO
from ...targets import ARCHITECTURES, AtlasA2
from .. import protocols
from ..outputs import finish
from ..value import Graph, Value, tracing
from .functional import OfGraph, functional, is_view
from .images import as_matmuls
from .interpret import Interpreter
from .leaves import Leaves, by_node
from .matmuls import Chosen, choose
from .model import ModelFunction
from .nodes import AtNode, at, called, is_of_extents, location_of
from .npu import without_lists
from .region import region
from .typed import widened


@dataclass(frozen=True)
class Options:
    """What :func:`evtgen.from_fx` is given beside the graph, under the names that it has there."""

    matmul: str | Sequence[str] | None
    examples: Mapping[str, Any] | Sequence[Any] | None
    T: ElementType | None
    c: ElementType | None
    name: str | None
    arch: str | None
    auto_cast: bool
    buffers: int | str
    fast_math: bool
    deterministic: bool


def ended(graph_module: Any, given: Options) -> Epilogue:
    """The epilogue; see :func:`evtgen.from_fx`. It ends where a tensor is only seen in another way that no tile has."""
    stop: dict[str, None] = {}
    while True:
        try:
            return converted(graph_module, given, stop)
        except AtNode as error:
            name = error.node.name
            if name in stop or not (is_view(error.node) or is_of_extents(error.node)):
                raise
            stop |= dict.fromkeys(node.name for node in error.nodes)


def converted(graph_module: Any, given: Options, stop: Collection[str] = ()) -> Epilogue:
    """The epilogue of a graph in front of the nodes of these names. Raises what :func:`evtgen.from_fx` does, where no
    node is left to others."""
    program, signature = graph_module, getattr(graph_module, "graph_signature", None)
    graph_module = getattr(graph_module, "graph_module", None) or graph_module
    fx = getattr(graph_module, "graph", None)
    if hasattr(graph_module, "nodes") and fx is None:
        raise codes.NO_MATMUL.here("graph alone", kind=type(graph_module).__name__)
    if not hasattr(fx, "nodes"):
        raise codes.NO_MATMUL.here("no graph", kind=type(graph_module).__name__)
    if given.T is not None and (not isinstance(given.T, ElementType) or mask == given.T):
        raise codes.NOT_KNOWN.here(
            "element type", T=given.T, types=", ".join(T.name for T in ELEMENT_TYPES.values() if mask != T)
        )
    traced, graph_module, paths = graph_module, functional(graph_module), _paths(signature)
    graph = as_matmuls(graph_module, by_node(graph_module, given.examples, paths))
    graph_module = OfGraph(graph_module, without_lists(graph_module, graph))
    chosen = choose(graph_module, [given.matmul] if isinstance(given.matmul, str) else given.matmul)
    arch_name = given.arch or DEFAULT_ARCH.get()
    graph = Graph(ARCHITECTURES.get(arch_name, AtlasA2), given.auto_cast, protocols)
    leaves = Leaves(
        graph_module,
        graph,
        chosen,
        given.examples,
        given.T,
        wide=given.auto_cast and given.c in (None, float32),
        paths=paths,
        constants=getattr(program, "constants", None) or {},
    )
    types = leaves.operand_types()
    T = _accumulated(chosen, types)
    c = given.c or (float32 if leaves.wide and T.kind == "float" and int8 not in types[:1] else T)
    values = [_accumulator(graph, chosen, index, c, T) for index in range(chosen.accumulators)]
    values = [widened(value) if leaves.wide and value.element == half else value for value in values]
    inside = region(graph_module, chosen, [node for node in graph_module.graph.nodes if node.name in stop])
    names = ["D"] if len(inside.outputs) == 1 else [node.name for node in inside.outputs]
    first = chosen.products[0]
    leaves.names.update(names, (SCALE, ZERO) if first.widens else first.vectors)
    interpreter = Interpreter(graph_module, leaves, inside)
    token = tracing.set(graph)
    try:
        interpreter.start(chosen, values)
        interpreter.run()
        results = {node: interpreter.result(node) for node in inside.outputs}
    finally:
        tracing.reset(token)
    outputs = dict(zip(names, results.values(), strict=True))
    made = given.name or snake(model_kind(traced, chosen))
    places = dict(zip(names, map(location_of, results), strict=True))
    here = location_of(chosen.nodes[0]) or caller()
    assert here is not None
    root = finish(graph, outputs, made, lambda key: places.get(key) or here)
    if interpreter.cuts and columned(flatten(root)).clashes:
        first_cut, *others = interpreter.cuts
        with at(first_cut, others):
            raise codes.NODE.here("parts")
    function = ModelFunction(
        made, leaves, chosen, inside, types, dict(zip(outputs, results, strict=True)),
        lambda arch: ended(program, replace(given, arch=arch)),
    )  # fmt: skip
    return Epilogue(
        made,
        root,
        arch=arch_name,
        auto_cast=given.auto_cast,
        buffers=given.buffers,
        gemm=Gemm(
            *types,
            layout_a=ColumnMajor if first.a_transposed else RowMajor,
            layout_b=ColumnMajor if first.b_transposed else RowMajor,
            batch=leaves.batch,
            group=None if first.groups is None else "m",
            group_list="counts" if first.counts else "offsets",
            group_type=int64 if first.groups is None or leaves.known(first.groups).dtype == "int64" else int32,
            accumulators=chosen.form,
            scale=first.scales,
            zero_point=first.zero is not None,
        ),
        fast_math=given.fast_math,
        deterministic=given.deterministic,
        traced=True,
        function=function,
        outputs=tuple(outputs),
        location=here,
    )


def _accumulated(chosen: Chosen, types: tuple[ElementType, ElementType]) -> ElementType:
    """The element type of the product. Raises EVT206 for whole numbers that torch adds up in their own type."""
    if chosen.products[0].widens:
        return types[0]
    if chosen.products[0].out is not None and int8 in types:
        return half if chosen.products[0].vectors else int32
    if chosen.products[0].out is not None:
        return float32
    for product in chosen.products:
        with at(product.node):
            if (called(product.node) == "_int_mm") != (int8 in types):
                raise codes.NODE.here("integers", a=types[0], b=types[1])
    return int32 if int8 in types else types[0]


def _accumulator(graph: Graph, chosen: Chosen, index: int, c: ElementType, T: ElementType) -> Value:
    with at(chosen.nodes[min(index, len(chosen.nodes) - 1)]):
        return graph.add(AccLoad(c, index, location=caller()), (), T)


def _paths(signature: Any) -> dict[str, str]:
    """The paths of parameters and buffers by the arguments that ``torch.export`` makes of them."""
    kinds = ("inputs_to_parameters", "inputs_to_buffers", "inputs_to_lifted_tensor_constants")
    return {name: path for kind in kinds for name, path in (getattr(signature, kind, None) or {}).items()}


def model_kind(graph_module: Any, chosen: Chosen) -> str:
    """The name of the module's class: of the graph, or of the outermost module that the matmul says it is in."""
    if type(graph_module).__name__ != "GraphModule":
        return type(graph_module).__name__
    for path, kind in (chosen.nodes[0].meta.get("nn_module_stack") or {}).values():
        name = str(getattr(kind, "__name__", kind)).rpartition(".")[2]
        return name if not path and name.isidentifier() else "epilogue"
    return "epilogue"


def snake(name: str) -> str:
    """A name in CamelCase with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
