"""A model as a graph of ATen without writes in place, in which the shape and the type of each tensor are known."""

from __future__ import annotations

import operator
import zipfile
from collections.abc import Collection, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...diagnostics.machine import NO_TORCH
from ...diagnostics.reading import NO_MATMUL, NOT_KNOWN
from ...frontend.errors import words
from ...frontend.fx.nodes import FxNode
from ...graph.location import Location
from ...system.translation import tr

FIXED = "val"
"""The key of a node's metadata under which torch writes a tensor of its shape and type."""

NAMED = "evtgen_name"
"""The key of the name that a node had before a kernel took it."""


def graph_of(model: Any, examples: Any) -> Any:
    """A ``torch.fx.GraphModule`` that computes what a model does, with its parameters as attributes.

    A module is exported with every extent of its arguments free that may be. Linear layers, norms and activations stay
    what they are: nothing is decomposed.

    Raises:
        EvtgenError: EVT207 for what is no model; EVT208 for a module without examples, and for one that torch does not
            export, with what torch says.
    """
    torch = _torch()
    if isinstance(model, torch.fx.GraphModule) and _is_known(model):
        return model
    program = model
    if isinstance(model, torch.nn.Module):
        if examples is None:
            raise NOT_KNOWN.here("no examples", kind=type(model).__name__)
        program = _exported(torch, model, tuple(examples) if isinstance(examples, (list, tuple)) else (examples,))
    if not isinstance(program, torch.export.ExportedProgram):
        raise NO_MATMUL.here("no model", kind=type(model).__name__)
    return program.run_decompositions({}).module()


def loaded(path: Path) -> Any:
    """The program in a file. Raises EvtgenError (EVT208) without such a file, and for what torch cannot load."""
    torch, place = _torch(), Location(str(path), 0)
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):  # torch would say more than that
                raise ValueError(tr("it is no archive"))
        return torch.export.load(path)
    except (FileNotFoundError, IsADirectoryError):
        raise NOT_KNOWN.refusal("directory" if path.is_dir() else "missing", place, path=path) from None
    except Exception as error:
        raise NOT_KNOWN.refusal("not loaded", place, path=path, words=words(error)) from error


def _torch() -> Any:
    """torch. Raises EvtgenError (EVT266) where it is not installed."""
    try:
        return import_module("torch")
    except ImportError:
        raise NO_TORCH.here() from None


def _is_known(graph_module: Any) -> bool:
    return all(FIXED in node.meta for node in graph_module.graph.nodes if node.users)


def _exported(torch: Any, model: Any, examples: tuple[Any, ...]) -> Any:
    """The program of a module: for all sizes of its arguments, or for the size of the examples alone where torch cannot
    say for which others. Raises EvtgenError (EVT208)."""
    free = torch.utils._pytree.tree_map(
        lambda one: dict.fromkeys(range(one.ndim), torch.export.Dim.AUTO) if hasattr(one, "ndim") else None, examples
    )
    try:
        return torch.export.export(model, examples, dynamic_shapes=free)
    except Exception:
        try:
            return torch.export.export(model, examples)
        except Exception as error:
            raise NOT_KNOWN.here("not exported", kind=type(model).__name__, words=words(error)) from error


def named(node: FxNode) -> str:
    """The name of a node in the model's graph: of one that gives what a kernel has written, the name there was
    before; of a parameter, its path."""
    return str(node.target) if node.op == "get_attr" else str(node.meta.get(NAMED, node.name))


def is_tensor(thing: Any) -> bool:
    """Whether it is a node that is a tensor."""
    return hasattr(thing, "meta") and hasattr(thing.meta.get(FIXED), "shape")


def contract(graph: Any, taken: Collection[FxNode], arguments: Sequence[FxNode], outputs: Sequence[FxNode]) -> FxNode:
    """Put one node in the place of several: a call of something that is still to be said, which gives the outputs."""
    with graph.inserting_after(outputs[-1]):
        made = graph.call_function(_unsaid, tuple(arguments))
    made.meta[FIXED] = tuple(output.meta[FIXED] for output in outputs)
    for index, output in enumerate(outputs):
        with graph.inserting_after(made):
            item = graph.call_function(operator.getitem, (made, index))
        item.meta = {**output.meta, NAMED: named(output)}
        output.replace_all_uses_with(item, delete_user_cb=lambda user: user not in taken)
    order: list[FxNode] = import_module("torch.fx.passes.utils.fuser_utils").topo_sort(list(graph.nodes))
    for before, node in pairwise(order):
        before.append(node)
    for node in reversed(order):
        if node in taken:
            graph.erase_node(node)
    return made


def _unsaid(*given: Any) -> Any:
    raise NotImplementedError


def extent(size: Any) -> Any:
    """An extent as a whole number, or as the expression that it is in the model's graph."""
    return size if isinstance(size, int) else size.node.expr


def example(size: Any) -> int:
    """An extent in the examples; 1 if it depends on data."""
    return size if isinstance(size, int) else int(size.node.hint or 1)
