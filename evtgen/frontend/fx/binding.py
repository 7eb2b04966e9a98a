"""The tensors of a model by the names that an epilogue has for them: its weights, and with arguments all others."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from ...diagnostics import reading as codes
from ...graph.types import ElementType, float32, mask
from ...planner.scales import SCALE_OF_A
from .functional import written
from .leaves import Half, Leaf, Leaves, arguments_of
from .matmuls import Chosen
from .nodes import FxNode, at
from .scales import OfLines

OPERANDS = ("a", "b", "b2")


class Binding:
    """One run of what is in front of the epilogue in a graph, by torch.

    Attributes:
        made: the value of each node that was run.
        kept: the values that are wanted, as they were before anything overwrote them.
    """

    def __init__(self, leaves: Leaves, module: Any) -> None:
        self.leaves, self.module, self.nodes = leaves, module, list(leaves.graph_module.graph.nodes)
        self.made: dict[FxNode, Any] = {}
        self.kept: dict[FxNode, Any] = {}
        self.writes = any(written(leaves.graph_module, node) is not None for node in self.nodes)

    def tensors(
        self, chosen: Chosen, types: Sequence[ElementType], arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As :meth:`evtgen.Epilogue.bind`; ``types`` are those of A and B."""
        first, leaves = chosen.products[0], self.leaves
        operands = dict(zip(OPERANDS, (first.a, *(product.b for product in chosen.products)), strict=False))
        with sys.modules["torch"].no_grad():
            self._give(arguments, named)
            vectors = first.vectors
            things = (_whole(thing) for thing in (*operands.values(), *vectors.values(), *leaves.found))
            self._run({thing for thing in things if not isinstance(thing, str)})
            found = {}
            for name, key in zip(
                operands, free_names(operands, [leaf.name for leaf in leaves.found.values()]), strict=True
            ):
                tensor = self._value(operands[name])
                if tensor is not None and name == "b" and first.packed is not None:
                    tensor = first.packed.bytes_of(tensor)
                if tensor is not None:
                    turned = first.a_transposed if name == "a" else first.b_transposed
                    as_rows = name == "a" and not leaves.batch
                    found[key] = self._laid(tensor.mT if turned else tensor, types[name != "a"], as_rows)
            for name, thing in vectors.items():
                of_a = name == SCALE_OF_A
                value, operand = self._value(thing), self._value(first.a if of_a else first.b)
                if value is not None and operand is not None:
                    turned = first.a_transposed if of_a else not first.b_transposed
                    vector = first.lay(name)(value, operand.mT if turned else operand)
                    T = float32 if "block" in (first.scales or "") else types[0]
                    found[name] = self._typed(vector, T) if first.widens else vector.detach()
            for thing, leaf in leaves.found.items():
                value = self._value(thing)
                if value is not None:
                    found[leaf.name] = value if leaf.kind == "Scalar" else self._input(value, leaf)
        return found

    def _give(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
        """The arguments of the graph. Raises EVT208 for others than it has."""
        free, given = arguments_of(self.leaves.graph_module, self.leaves.paths, arguments, named)
        for node in free:
            if node in given or (given and node.args):
                value = given.get(node, *node.args)
                self.made[node] = value.clone() if self.writes and hasattr(value, "clone") else value
            elif given:
                raise codes.NOT_KNOWN.here("no argument", name=str(node.target))

    def _run(self, wanted: set[FxNode]) -> None:
        """Call what is wanted and what that is made of, as far as the arguments are there."""
        for node in filter(_behind(wanted).__contains__, self.nodes):
            if node.op == "placeholder":
                if node.name in self.leaves.paths:
                    self.made[node] = self._attribute(self.leaves.paths[node.name])
            elif node.op == "get_attr":
                self.made[node] = self._attribute(str(node.target))
            elif all(given in self.made for given in node.all_input_nodes):
                with at(node):
                    self.made[node] = self._called(node)
            if self.writes and node in wanted and hasattr(self.made.get(node), "clone"):
                self.kept[node] = self.made[node].clone()

    def _called(self, node: FxNode) -> Any:
        args, named = self._filled(node.args), self._filled(node.kwargs)
        if node.op == "call_method":
            return getattr(args[0], node.target)(*args[1:], **named)
        called = self.module.get_submodule(node.target) if node.op == "call_module" else node.target
        return called(*args, **named)

    def _filled(self, thing: Any) -> Any:
        """Arguments with values in place of nodes."""
        if isinstance(thing, Mapping):
            return {key: self._filled(one) for key, one in thing.items()}
        if isinstance(thing, (list, tuple)):
            return tuple(map(self._filled, thing)) if isinstance(thing, tuple) else [*map(self._filled, thing)]
        if isinstance(thing, slice):
            return slice(*map(self._filled, (thing.start, thing.stop, thing.step)))
        return self.made[thing] if hasattr(thing, "all_input_nodes") else thing

    def _value(self, thing: Any) -> Any:
        """The tensor that a node or a path stands for; None if the arguments are not there."""
        if isinstance(thing, OfLines):
            return self._value(thing.thing)
        if isinstance(thing, Half):
            whole = self._value(thing.thing)
            return None if whole is None else whole.chunk(2, -1)[thing.index]
        return self._attribute(thing) if isinstance(thing, str) else self.kept.get(thing, self.made.get(thing))

    def _attribute(self, path: str) -> Any:
        """A tensor of the model; of the graph, if it was made in tracing. Raises EVT208 for a model without it."""
        if path in self.leaves.constants:
            return self.leaves.constants[path]
        states = getattr(self.module, "state_dict", None)
        model = self.leaves.graph_module if path.startswith("_tensor_constant") else self.module
        try:
            return states[path] if isinstance(states, Mapping) else attrgetter(path)(model)
        except (AttributeError, KeyError):
            raise codes.NOT_KNOWN.here("no tensor", path=path, kind=type(self.module).__name__) from None

    def _laid(self, tensor: Any, T: ElementType, as_rows: bool) -> Any:
        """A matrix, whose leading axes may be rows; of a batch or of groups all matrices, one after the other, or one
        that all share."""
        if as_rows:
            return self._typed(tensor.reshape(-1, tensor.shape[-1]), T)
        return self._typed(tensor.reshape(-1, *tensor.shape[-2:]) if tensor.dim() > 3 else tensor, T)

    def _input(self, tensor: Any, leaf: Leaf) -> Any:
        if not self.leaves.batch:
            rows = (-1, tensor.shape[-1] if tensor.dim() else 1)
            sizes = {"Aux": rows, "RowVector": rows, "ColVector": (-1, 1)}
            return self._typed(tensor.reshape(sizes.get(leaf.kind, (1, 1))), leaf.T)
        while tensor.dim() < 2:
            tensor = tensor.unsqueeze(0)
        return self._typed(tensor[0] if tensor.dim() == 3 and len(tensor) == 1 else tensor, leaf.T)

    def _typed(self, tensor: Any, T: ElementType) -> Any:
        torch = sys.modules["torch"]
        if T.packed > 1:  # PyTorch casts none of these
            return tensor.detach()
        return tensor.detach().to(torch.uint8 if mask == T else getattr(torch, T.numpy))


def _whole(thing: Any) -> Any:
    return _whole(thing.thing) if isinstance(thing, Half | OfLines) else thing


def _behind(wanted: Iterable[FxNode]) -> set[FxNode]:
    """Nodes, and all that they are made of."""
    found, waiting = set[FxNode](), list(wanted)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes
    return found


def free_names(names: Iterable[str], taken: Collection[str]) -> list[str]:
    """Names with underscores behind those that are taken, as the arguments of an operator have them."""
    return [name if name not in taken else free_names([f"{name}_"], taken)[0] for name in names]
