"""A graph without writes in place: a read after a write is one of the node that writes.

After ``y.add_(1)`` all reads of ``y`` become reads of the node ``add_``, which is ``y + 1``. Some reads after a write
have no such node: of a view that is older than the write, and of a tensor after a write of its part. They are refused.
"""

from __future__ import annotations

import inspect
from typing import Any

from ...diagnostics import reading as codes
from ...graph.location import caller
from .nodes import FxNode, asks_extents, at, called, is_of_extents, location_of, module_of

_SAME = ("detach", "detach_", "alias", "requires_grad_", "lift_fresh", "positive", "pos", "data")
"""Functions, methods and attributes that return the tensor itself."""

CUTS = ("chunk", "split", "split_with_sizes", "tensor_split", "hsplit", "vsplit", "unbind")
"""Functions that return parts which do not overlap."""

_OTHERWISE = (
    *CUTS, "view", "reshape", "flatten", "unflatten", "unsqueeze", "squeeze", "_unsafe_view", "view_as", "reshape_as",
    "ravel", "t", "transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "numpy_T", "adjoint", "T",
    "mT", "H", "mH", "getitem", "narrow", "select", "slice", "expand", "expand_as", "broadcast_to", "diagonal",
    "as_strided", "unfold", "_reshape_alias",
)  # fmt: skip
"""Functions, methods and attributes whose result is the tensor seen in another way."""

_VIEWS = (
    *_OTHERWISE, "real", "contiguous", "to", "type", "type_as", "half", "float", "bfloat16", "int", "short",
    "char", "byte", "bool", "long", "double", "cpu", "cuda", "npu", "dropout", "alpha_dropout", "feature_dropout",
    "resolve_conj", "resolve_neg", "Flatten", "Unflatten",
)  # fmt: skip
"""Functions, methods, attributes and modules whose result may share its memory with the tensor."""

_PYTHON = ("setitem", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor")
"""Functions of ``operator`` that write their first argument; as methods, with underscores around."""


def is_view(node: FxNode) -> bool:
    """Whether a node is a tensor seen in another way: its extents, the order of its axes, or a part of it."""
    return _what(node, None) in _OTHERWISE


def written(graph_module: Any, node: FxNode) -> FxNode | None:
    """The tensor that a node writes; None for nodes that write none. Raises EVT206 for a node that writes several."""
    name, out, given = called(node), node.kwargs.get("out"), _first(node)
    writes = (
        out is not None
        or name.strip("_") in _PYTHON
        or (name.endswith("_") and not name.endswith("__") and name not in _SAME)
        or node.kwargs.get("inplace", _positional(node))
        or getattr(module_of(graph_module, node), "inplace", False)
    )
    given = given if out is None else out
    if writes and isinstance(given, (list, tuple)):
        raise codes.NODE.refusal("overwrites several", location_of(node) or caller(), name=name)
    return given if writes and hasattr(given, "op") and not _is_number(given) else None


def _first(node: FxNode) -> Any:
    """The first argument of a node."""
    return node.args[0] if node.args else node.kwargs.get("input")


def functional(graph_module: Any) -> Any:
    """A graph without writes in place; the same one if it has none.

    Raises:
        EvtgenError: EVT206 for a read that no node stands for; for a write of a parameter, and of an argument if
            nothing in the graph reads it, since whoever calls the model can.
    """
    if all(written(graph_module, node) is None for node in graph_module.graph.nodes):
        return graph_module
    copy = _Copy(graph_module)
    for node in graph_module.graph.nodes:
        with at(node):
            copy.add(node)
    for node in copy.graph.nodes:
        if node in copy.writes and copy.memory[node].op == "placeholder" and not node.users:
            with at(node):
                raise _overwritten(copy.memory[node])
    return OfGraph(graph_module, copy.graph)


class OfGraph:
    """A module with another graph."""

    def __init__(self, module: Any, graph: Any) -> None:
        self._module, self.graph = module, graph

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _Copy:
    """A graph that is copied node by node. The keys are nodes of the copy, but for ``made``.

    Attributes:
        made: each node, by the node that it is a copy of.
        memory: the first node with the memory of a tensor.
        tensor: the first node that is the same tensor; each view is another tensor.
        part: for a tensor in a part that a function cuts off, the function's node and the number of the part.
        now: the last write of a tensor, by the first node of the tensor.
        stale: the write that changed a tensor through another one.
        writes: the nodes that write.
    """

    def __init__(self, graph_module: Any) -> None:
        self.graph_module, self.graph = graph_module, type(graph_module.graph)()
        self.made: dict[FxNode, FxNode] = {}
        self.memory: dict[FxNode, FxNode] = {}
        self.tensor: dict[FxNode, FxNode] = {}
        self.part: dict[FxNode, tuple[FxNode, Any]] = {}
        self.now: dict[FxNode, FxNode] = {}
        self.stale: dict[FxNode, FxNode] = {}
        self.writes: set[FxNode] = set()

    def add(self, old: FxNode) -> None:
        """Copy a node. Raises EVT206 if it reads a stale tensor, or writes a parameter."""
        target = written(self.graph_module, old)
        for given in [] if asks_extents(old) or _what(old, None) == "dtype" else old.all_input_nodes:
            by = self.stale.get(self.tensor[self.made[given]])
            if by is not None:
                raise codes.NODE.here("shared memory", given=given.name, node=by.name)
        node = self.made[old] = self.graph.node_copy(old, lambda given: self._current(self.made[given]))
        source = self._current(self.made[target]) if target is not None else _first(node)
        what = _what(old, module_of(self.graph_module, old))
        self.memory[node] = self.tensor[node] = node
        if hasattr(source, "op") and (target is not None or what in (*_SAME, *_VIEWS)):
            self.memory[node] = self.memory[source]
            if what == "getitem" and called(source) in CUTS and isinstance(node.args[1], int):
                self.part[node] = (source, node.args[1])
            elif source in self.part:
                self.part[node] = self.part[source]
            if target is not None or what in _SAME:
                self.tensor[node] = self.tensor[source]
        if target is not None:
            self._write(node, whole=what.strip("_") != "setitem")

    def _current(self, node: FxNode) -> FxNode:
        return self.now.get(self.tensor[node], node)

    def _write(self, node: FxNode, *, whole: bool) -> None:
        tensor, memory = self.tensor[node], self.memory[node]
        if memory.op == "get_attr":
            raise _overwritten(memory)
        for other, its in self.memory.items():
            if its is memory and not self._apart(other, node) and not (whole and self.tensor[other] is tensor):
                self.stale[self.tensor[other]] = node
        if whole:
            self.now[tensor] = node
        self.writes.add(node)

    def _apart(self, one: FxNode, other: FxNode) -> bool:
        """Whether two tensors are in different parts of a tensor that was cut."""
        (cut, number), (of, another) = self.part.get(one, (None, 0)), self.part.get(other, (None, 0))
        return cut is not None and cut is of and number != another and min(number, another) >= 0


def _overwritten(memory: FxNode) -> Exception:
    return codes.NODE.here("overwritten", name=memory.target)


def _positional(node: FxNode) -> bool:
    """Whether a positional argument says ``inplace``, as in ``F.relu(y, True)``."""
    if node.op != "call_function":
        return False
    try:
        index = [*inspect.signature(node.target).parameters].index("inplace")
    except (TypeError, ValueError):  # a function that is not of Python has no signature
        return False
    return len(node.args) > index and bool(node.args[index])


def _is_number(node: FxNode) -> bool:
    """Whether a node is a number of Python's, which nothing changes."""
    return is_of_extents(node) or called(node) == "item" or node.type in (int, float, bool)


def _what(node: FxNode, module: Any) -> str:
    """What a node does: the name of a function, a method, an attribute or a module; of an inactive dropout, that it
    returns the tensor itself."""
    if module is not None:
        kind = type(module).__name__
        return "alias" if kind == "Identity" or ("Dropout" in kind and not module.training) else kind
    name = called(node)
    return str(node.args[1]) if name == "getattr" else "getitem" if name == "__getitem__" else name
