"""What is read of a node of ``torch.fx``: what it calls, and where the model says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ...diagnostics import reading as codes
from ...diagnostics.diagnostic import Diagnostic, EvtgenError
from ...graph.location import Location, instead
from ...system.translation import tr
from ..errors import words

FxNode = Any
"""A ``torch.fx.Node``."""


EXTENTS = ("size", "dim", "numel", "shape", "ndim", "device")
"""Methods and attributes that say how large a tensor is, or where."""


def called(node: FxNode) -> str:
    """The name of the function or method that a node calls, without its overload; empty for other nodes."""
    if node.op == "call_method":
        return str(node.target)
    if node.op != "call_function":
        return ""
    name = str(getattr(node.target, "__name__", node.target)).partition(".")[0]
    return name.removeprefix("special_")


def is_python(node: FxNode) -> bool:
    """Whether it calls a function of Python's own: of ``operator``, ``math`` or the builtins."""
    module = getattr(node.target, "__module__", None)
    return node.op == "call_function" and module in ("_operator", "operator", "math", "builtins")


def described(node: FxNode) -> Any:
    """What a graph says of a tensor, as ``torch.export``, Dynamo and ``ShapeProp`` do; None where it says nothing."""
    return next((node.meta[key] for key in ("val", "example_value", "tensor_meta") if key in node.meta), None)


def asks_extents(node: FxNode) -> bool:
    """Whether a node is the size of a tensor, or its place."""
    name = called(node)
    return name in EXTENTS or (name == "getattr" and node.args[1] in EXTENTS)


def is_of_extents(node: FxNode) -> bool:
    """Whether a node is computed of the sizes of tensors alone."""
    inputs = node.all_input_nodes
    return asks_extents(node) or (is_python(node) and bool(inputs) and all(map(is_of_extents, inputs)))


def module_of(graph_module: Any, node: FxNode) -> Any:
    """The module that a node calls; None for other nodes."""
    return graph_module.get_submodule(node.target) if node.op == "call_module" else None


def location_of(node: FxNode) -> Location | None:
    """The line of the model's own code that a node comes from, if the graph has it."""
    found = re.findall(r'File "([^"]+)", line (\d+)', str(getattr(node, "stack_trace", None) or ""))
    own = [(file, line) for file, line in found if "site-packages" not in file and "dist-packages" not in file]
    return Location(own[-1][0], int(own[-1][1])) if own else None


def shown(node: FxNode) -> str:
    """A node in a message: its name, and what it calls."""
    what = called(node) or str(node.target)
    return f"{node.name} ({what})" if what not in (node.name, "output") else str(node.name)


class AtNode(EvtgenError):
    """What cannot be at a node.

    Attributes:
        node: the node.
        reason: why, without its name.
        nodes: the node, and others that cannot be there either.
    """

    def __init__(
        self, diagnostics: Diagnostic | Sequence[Diagnostic], node: FxNode, reason: str, others: Sequence[FxNode] = ()
    ) -> None:
        super().__init__(diagnostics)
        self.node, self.reason, self.nodes = node, reason, (node, *others)


# To users it is an EvtgenError like any other.
AtNode.__module__, AtNode.__qualname__ = EvtgenError.__module__, EvtgenError.__qualname__


@contextmanager
def at(node: FxNode, others: Sequence[FxNode] = ()) -> Iterator[None]:
    """What is made and said within comes from this node, and from ``others``."""
    token = instead.set(location_of(node))
    try:
        yield
    except EvtgenError as error:
        named = [
            replace(d, message=tr("{message}, at the node {node}", message=d.message, node=shown(node)))
            for d in error.diagnostics
        ]
        raise AtNode(named, node, "; ".join(d.message for d in error.diagnostics), others) from None
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        kind, said = type(error).__name__, words(error)
        found = codes.NODE.of("raised", location_of(node), error=kind, words=said, node=shown(node))
        raise AtNode(found, node, f"{kind}: {said}") from error
    finally:
        instead.reset(token)
