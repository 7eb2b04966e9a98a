"""A random graph as the traced function that a user would write for it."""

from __future__ import annotations

import inspect
import random
from typing import Any

import evtgen as evt
from evtgen import Acc, Aux, ColVector, Epilogue, Gemm, RowVector, Scalar, ScalarTensor, ops
from evtgen.frontend.functions import apply
from evtgen.nodes import AccLoad, AuxLoad, Broadcast, Cast, Compute, Outputs, Reduce
from evtgen.planner.parts import granule

from ..support.graphs import ACCUMULATORS, Graph, random_gemm, random_graph

_ANNOTATIONS = {"RowBroadcast": RowVector, "ColBroadcast": ColVector, "ScalarBroadcast": ScalarTensor}
_REDUCTIONS = {"Plus": "add", "Maximum": "max", "Minimum": "min", "Mean": "mean"}


def traced(graph: Graph, name: str, gemm: Gemm, **options: Any) -> Epilogue:
    """Run the graph on values of a traced function, one call per node."""

    def function(**tensors: Any) -> dict[str, Any]:
        values: list[Any] = []
        outputs: dict[str, Any] = {}
        for node, inputs in zip(graph.nodes, graph.inputs, strict=True):
            operands = [values[i] for i in inputs]
            if isinstance(node, AccLoad):
                value = tensors["acc"]
            elif isinstance(node, (AuxLoad, Broadcast)):
                value = tensors[node.name]
            elif isinstance(node, Compute):
                constants = [tensors[c.name] if isinstance(c, Scalar) else c for c in node.constants]
                assert node.operator is not None
                # A power with a whole exponent is made of products when it is called by name.
                given = [*operands, *constants]
                by_name = node.op != "Power"
                value = getattr(ops, node.operator.name)(*given) if by_name else apply(node.operator, "", given, {})
            elif isinstance(node, Cast):
                value = operands[0].cast(node.to, round=node.round)
            elif isinstance(node, Reduce):
                value = operands[0]
                outputs[node.name] = getattr(ops, node.function)(value, _REDUCTIONS[node.op], identity=node.identity)
            elif isinstance(node, Outputs):
                value = None
            else:
                value = outputs[node.name] = operands[0]
            values.append(value)
        return outputs

    parameters: dict[str, inspect.Parameter] = {}
    for node in graph.nodes:
        if isinstance(node, AccLoad):
            _declare(parameters, "acc", Acc[node.T])
        elif isinstance(node, Broadcast):
            _declare(parameters, node.name, _ANNOTATIONS[type(node).__name__][node.T])
        elif isinstance(node, AuxLoad):
            default = inspect.Parameter.empty if node.null_default is None else node.null_default
            _declare(parameters, node.name, Aux[node.T], default)
        for scalar in node.scalars:
            default = inspect.Parameter.empty if scalar.default is None else scalar.default
            _declare(parameters, scalar.name, Scalar[scalar.T], default)
    # Keyword-only, so that a parameter with a default may stand before one without.
    function.__signature__ = inspect.Signature(list(parameters.values()))
    function.__annotations__ = {name: p.annotation for name, p in parameters.items()}
    return evt.epilogue(name=name, gemm=gemm, **options)(function)


def _declare(parameters: dict[str, Any], name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> None:
    parameters[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def traced_epilogue(seed: int) -> tuple[Epilogue, Graph]:
    """The traced epilogue of a seed, and the graph that it was made from."""
    rng = random.Random(seed)
    operand, acc = rng.choice(ACCUMULATORS)
    graph = random_graph(rng, acc)
    length = rng.choice(("auto", 3 * granule(graph.nodes)))
    return traced(graph, f"traced{seed}", random_gemm(rng, operand, acc, graph), compute_length=length), graph
