"""Which nodes of a model's graph each kernel takes: from a matmul forward, as far as an epilogue can.

1. A matmul takes all that is computed of it, up to the next matmul; with another matmul of the same input, of both.
2. The nodes are cut out as a graph of their own, which :func:`evtgen.from_fx` converts. A node that it refuses is left
   to PyTorch, with what is behind it, and so is the last node of what does not fit the device.
3. One node of the model's graph takes the place of all. So no kernel waits for another one that waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...check import planned
from ...diagnostics.diagnostic import Diagnostic, EvtgenError, has_errors
from ...frontend.fx.convert import Options, converted, model_kind, snake
from ...frontend.fx.matmuls import Chosen, Product, alone, distinct, share
from ...frontend.fx.nodes import AtNode, FxNode, called
from ...frontend.fx.region import region
from ...graph.ir import Epilogue
from ...passes.analysis.cpp_names import is_identifier
from ...planner.plan import Plan
from ...system.translation import tr
from .graphs import FIXED, contract, is_tensor
from .parts import Part, cut_out

Reasons = dict[FxNode, str]
"""Why nodes are left to PyTorch."""


@dataclass(frozen=True)
class Grown:
    """A kernel.

    Attributes:
        part: what it computes, in the model's graph.
        chosen: its matmuls, of the part's graph.
        epilogue, plan: of it.
        node: the node of the model's graph that stands for it.
    """

    part: Part
    chosen: Chosen
    epilogue: Epilogue
    plan: Plan
    node: FxNode


def grown(graph_module: Any, arch: str | None) -> tuple[list[Grown], Reasons]:
    """The kernels of a graph, in which each is one node from now on; and why nodes are left to PyTorch."""
    for node in reversed(graph_module.graph.nodes):
        # What the export checks of a tensor is true of what a kernel writes, too.
        if not node.users and called(node).startswith(("_assert", "sym_constrain")):
            graph_module.graph.erase_node(node)
    found: list[Grown] = []
    reasons: Reasons = {}
    names: set[str] = set()
    while waiting := [product for product in distinct(graph_module) if product.node not in reasons]:
        first, *others = waiting
        if any(is_tensor(one) and len(one.meta[FIXED].shape) < 2 for one in (first.a, first.b)):
            reasons |= dict.fromkeys(first.nodes, tr("a vector is no operand of a kernel"))
            continue
        for chosen in _choices(graph_module, first, others):
            name = _free(_name(graph_module, chosen), names)
            made = _largest(graph_module, chosen, name, arch, reasons)
            if made is not None:
                names.add(name)
                found.append(made)
                break
    return found, reasons


def _choices(graph_module: Any, first: Product, others: list[Product]) -> Iterator[Chosen]:
    """The ways to take a matmul: with another one of the same input, those first that are joined behind both; alone."""
    pairs = [Chosen((first, other), "separate") for other in others if _alike(first, other) and share(first, other)]
    yield from sorted(pairs, key=lambda pair: not _joined(graph_module, pair))
    yield alone(first) if first.bias is None else Chosen((first,))


def _alike(*products: Product) -> bool:
    """Whether weights are of one shape and type."""
    if not all(is_tensor(product.b) for product in products):
        return False
    one, other = (product.b.meta[FIXED] for product in products)
    return bool((one.dtype, [*one.shape]) == (other.dtype, [*other.shape]))


def _joined(graph_module: Any, pair: Chosen) -> bool:
    """Whether something is computed of both."""
    one, other = (set(region(graph_module, Chosen((product,))).nodes) for product in pair.products)
    return bool(one & other)


def _largest(graph_module: Any, chosen: Chosen, name: str, arch: str | None, reasons: Reasons) -> Grown | None:
    """The largest kernel of a matmul. None if it has none; the reason is that of the matmul then."""
    # What nobody reads is a check, which is none of a kernel.
    stop: Reasons = {node: "" for node in graph_module.graph.nodes if not node.users and node.op != "output"}
    while True:
        inside = region(graph_module, chosen, stop)
        part = cut_out(graph_module, chosen, inside)
        made = _converted(part, name, arch)
        if not isinstance(made, Refusal):
            break
        nodes = made.nodes or inside.nodes[-1:]
        if not nodes or nodes[0] in chosen.all_nodes:
            if chosen.form != "separate":
                reasons |= dict.fromkeys(chosen.all_nodes, made.reason)
            return None
        stop |= {node: _reason(node, made.reason) for node in nodes}
    reasons |= {node: reason for node, reason in stop.items() if reason}
    names = [*made.epilogue.outputs]
    node = contract(graph_module.graph, part.taken, [*part.arguments.values()], [part.output(name) for name in names])
    for product in chosen.products:
        for one in product.between:  # in front of the matmul, from it on
            if not one.users:
                graph_module.graph.erase_node(one)
    return Grown(part, Chosen(tuple(distinct(part.graph_module)), chosen.form), made.epilogue, made.plan, node)


def _reason(node: FxNode, said: str) -> str:
    """Why a kernel ends before a node: in words of the model for what no value has."""
    name = called(node)
    return tr("a kernel has nothing like {name}", name=name) if f"torch.{name}" in said else said


@dataclass(frozen=True)
class Refusal:
    """The nodes that cannot be in a kernel, if they are known, and why."""

    nodes: tuple[FxNode, ...]
    reason: str


@dataclass(frozen=True)
class Converted:
    """A part as an epilogue."""

    epilogue: Epilogue
    plan: Plan


def _converted(part: Part, name: str, arch: str | None) -> Converted | Refusal:
    options = Options(
        None, None, None, None, name, arch, auto_cast=True, buffers="auto", fast_math=False, deterministic=False
    )  # fmt: skip
    try:
        epilogue = converted(part.graph_module, options)
    except AtNode as error:
        return Refusal(tuple(part.originals[node.name] for node in error.nodes), error.reason)
    except EvtgenError as error:
        return Refusal((), _words(error.diagnostics))
    plan, diagnostics = planned(epilogue)
    if plan is None:
        return Refusal((), _words([one for one in diagnostics if has_errors([one])]))
    return Converted(epilogue, plan)


def _words(diagnostics: list[Diagnostic]) -> str:
    return "; ".join(diagnostic.message for diagnostic in diagnostics)


def _name(graph_module: Any, chosen: Chosen) -> str:
    """A name from the paths of the weights, or of the modules that the matmuls are in; else from the model's class."""
    paths = [_path(product) for product in chosen.products]
    same = next((i for i, parts in enumerate(zip(*paths, strict=False)) if len({*parts}) > 1), min(map(len, paths)))
    parts = [*paths[0][:same], *(part for path in paths for part in path[same:])]
    name = re.sub(r"\W", "_", "_".join(parts)) or snake(model_kind(graph_module, chosen))
    return name if is_identifier(name) else f"layer_{name}"


def _path(product: Product) -> list[str]:
    stack = list((product.node.meta.get("nn_module_stack") or {}).values())
    # Dynamo calls the module that it compiles L['self'], or by the variable that holds it.
    path = re.sub(r"^L\['\w+'\]", "", str(stack[-1][0])) if stack else ""
    if getattr(product.b, "op", "") == "get_attr":
        path = re.sub(r"[._]?weight$", "", str(product.b.target)) or path
    return [part for part in path.split(".") if part]


def _free(name: str, taken: set[str]) -> str:
    numbered = [name, *(f"{name}_{i}" for i in range(2, len(taken) + 3))]
    return next(one for one in numbered if one not in taken)
