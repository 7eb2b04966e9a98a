"""A model as kernels and what is left of it.

1. :mod:`.graphs` exports the model: a graph without writes in place, whose tensors have known shapes and types.
   :mod:`.simplify` writes it as a model would.
2. :mod:`.grow` finds the kernels: each matmul, or two of one input, with all behind it that an epilogue can compute.
   :mod:`.parts` cuts out what each computes, for ``from_fx`` to convert.
3. :mod:`.kernel` is one of them as a function of the model's tensors, and :mod:`.costs` says what it saves.

torch is imported when a model is there, not before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...frontend.fx.binding import OPERANDS, free_names
from ...frontend.fx.matmuls import unfit
from ...frontend.fx.nodes import FxNode, called, shown
from ...model.workers import each, spread
from ...options import PartitionOptions
from ...system.translation import tr
from ..run import Compiled, Reference, built
from . import costs
from .graphs import FIXED, extent, graph_of, loaded, named
from .grow import Grown, Reasons, grown
from .kernel import Call, Kernel
from .simplify import simplified
from .sizes import size_of, with_tiles

__all__ = ["Kernel", "Left", "Partition", "partition"]


@dataclass(frozen=True)
class Left:
    """A node that is left to PyTorch.

    Attributes:
        node: its name.
        calls: what it calls.
        reason: why no kernel has it.
    """

    node: str
    calls: str
    reason: str


@dataclass(frozen=True)
class Partition:
    """A model as kernels and what is left to PyTorch; it computes what the model does.

    Attributes:
        module: the model's graph, a ``torch.fx.GraphModule`` in which each kernel is one node.
        kernels: in the order in which they run.
        rest: what is left, with the reason.
        launches_before, launches_after: the nodes of the model and of the partition that are launches.
    """

    module: Any
    kernels: list[Kernel]
    rest: list[Left]
    launches_before: int
    launches_after: int

    def __call__(self, *args: Any, **named: Any) -> Any:
        """What the model returns."""
        return self.module(*args, **named)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "launches_before": self.launches_before,
            "launches_after": self.launches_after,
            "kernels": [kernel.to_json() for kernel in self.kernels],
            "rest": [vars(left) for left in self.rest],
        }


def partition(model: Any, examples: Any, options: PartitionOptions) -> Partition:
    """The kernels of a model; see :func:`evtgen.api.partition`."""
    module = graph_of(model, examples)
    before = _launches(module)
    module = simplified(module)
    found, reasons = grown(module, options.arch)
    run = Compiled if options.run == "model" else Reference
    with spread(options.executor, options.jobs, options.dask) as executor:
        kernels = {one.node: _kernel(one, run) for one in with_tiles(found, executor)}
        for node, kernel in kernels.items():
            node.target = kernel
        module.recompile()
        in_order = [kernels[node] for node in module.graph.nodes if node in kernels]
        if options.run == "model" and executor is not None:
            # What they build is in the cache when the kernels are called.
            each(built, [kernel.epilogue for kernel in in_order], executor)
    return Partition(module, in_order, _rest(module, reasons), before, _launches(module))


def of_file(path: Path, options: PartitionOptions) -> Partition:
    """The kernels of a program that ``torch.export.save`` has written. Raises EvtgenError: EVT208 without such a file,
    and for one that torch cannot load; EVT207 as :func:`partition`."""
    return partition(loaded(path), None, options)


def _launches(module: Any) -> int:
    return sum(costs.is_launch(node) for node in module.graph.nodes)


def _kernel(found: Grown, run: Callable[[Any], Compiled]) -> Kernel:
    part, plan = found.part, found.plan
    product = found.chosen.products[0]
    operands = [(product.a, product.a_transposed), *((p.b, p.b_transposed) for p in found.chosen.products)]
    names = [tensor.name for tensor in plan.tensors if not tensor.output]
    names += [scalar.name for scalar in plan.scalars]
    halves = part.halves(found.epilogue)
    given = {name: named(node) for name, node in part.arguments.items()}
    vectors = {name: (one.name, product.lay(name)) for name, one in product.vectors.items()}
    given |= {name: given[of] for name, (of, _) in vectors.items()}
    given |= {name: f"{given[whole]}.chunk(2, -1)[{index}]" for name, (whole, index) in halves.items()}
    keys = free_names(OPERANDS, names)
    bindings = {key: given[node.name] for key, (node, _) in zip(keys, operands, strict=False)}
    bindings |= {name: given[name] for name in names}
    if product.groups is not None:
        bindings["groups"] = given[product.groups.name]
    outputs = {name: part.output(name) for name in found.epilogue.outputs}
    arguments = [{**halves, **vectors}.get(name, (name,))[0] for name in names]
    read = {part.arguments[name] for name in (*arguments, *(node.name for node, _ in operands))}
    launches, moved, us = costs.separately(part.graph_module, plan.arch)
    together = costs.together(part.graph_module, read, outputs.values(), plan.arch)
    call = Call(
        run(found.epilogue), list(part.arguments), *_called_with(operands),
        {name: _extents(node) for name, node in part.arguments.items()},
        {name: [*map(extent, lead)] for name, lead in part.leads.items()},
        {name: _extents(node) for name, node in outputs.items()},
        halves, None if product.groups is None else product.groups.name, vectors, product.packed,
    )  # fmt: skip
    fuses = tuple(
        called(node) for node in part.graph_module.graph.nodes
        if costs.is_launch(node) and node not in {n for p in found.chosen.products for n in p.nodes}
    )  # fmt: skip
    return Kernel(
        found.epilogue, fuses, bindings, {name: named(node) for name, node in outputs.items()}, part.graph_module,
        *size_of(found), launches, moved, together[0], us, together[1], call,
    )  # fmt: skip


def _called_with(operands: Sequence[tuple[FxNode, bool]]) -> tuple[tuple[str, bool], list[tuple[str, bool]]]:
    a, *b = ((node.name, turned) for node, turned in operands)
    return a, b


def _extents(node: FxNode) -> list[Any]:
    value = node.meta.get(FIXED)
    return (
        [extent(size) for size in value.shape] if hasattr(value, "shape") else [] if value is None else [extent(value)]
    )


def _rest(module: Any, reasons: Reasons) -> list[Left]:
    """What is left. What is behind a node that ended a kernel was ended with it."""
    found: list[Left] = []
    for node in module.graph.nodes:
        if not costs.is_launch(node) or isinstance(node.target, Kernel):
            continue
        found.append(Left(named(node), called(node), reasons.get(node) or _why(module, node, reasons)))
    return found


def _why(module: Any, node: FxNode, reasons: Reasons) -> str:
    """The reason for a node that no kernel came to, or that another one in front of it has kept from it."""
    if (argument := unfit(module, node)) is not None:
        return tr("no kernel has {name} with {argument}", name=called(node), argument=argument)
    waiting, seen = list(node.all_input_nodes), set[FxNode]()
    while waiting:
        one = waiting.pop(0)
        if one in reasons:
            return tr("it is behind {node}, which no kernel has: {reason}", node=shown(one), reason=reasons[one])
        if one not in seen and not isinstance(one.target, Kernel):
            seen.add(one)
            waiting += one.all_input_nodes
    return tr("no matmul is in front of it that it could be fused behind")
