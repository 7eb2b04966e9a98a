"""The model that an epilogue was converted from: what it computes behind its matmul, by torch.

Whoever has a graph of torch has imported it; so it is looked up among the modules that are loaded.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.ir import Epilogue
from ...graph.shapes import Shape
from ...graph.types import ElementType, mask
from .binding import Binding, free_names
from .interpret import Interpreter
from .leaves import Leaves, path_of
from .matmuls import Chosen
from .nodes import FxNode, called
from .region import Region
from .scales import OfLines

_FLOATS = ("half", "float", "bfloat16", "double")
"""The methods of a tensor that cast it to a float."""


@dataclass(frozen=True, eq=False)
class ModelFunction:
    """The ``function`` of a converted epilogue: the nodes of the graph behind the matmul, as torch computes them.

    Attributes:
        name: of the epilogue.
        leaves, chosen, inside: what was found in the graph.
        types: of A and B.
        outputs: the node of each output.
        again: converts the graph for another architecture.
    """

    name: str
    leaves: Leaves
    chosen: Chosen
    inside: Region
    types: tuple[ElementType, ElementType]
    outputs: Mapping[str, FxNode]
    again: Callable[[str], Epilogue]

    @property
    def __name__(self) -> str:
        return f"{self.name}.function"

    @property
    def __signature__(self) -> inspect.Signature:
        names = [leaf.name for leaf in self.leaves.found.values()]
        accumulators = free_names(("acc", "acc2")[: self.chosen.accumulators], names)
        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        parameters = [(name, kinds[0]) for name in accumulators] + [(name, kinds[1]) for name in names]
        return inspect.Signature([inspect.Parameter(name, kind) for name, kind in parameters])

    def __call__(self, *accumulators: Any, **inputs: Any) -> dict[str, Any]:
        """The outputs by name, of the accumulators, (M, N), and the inputs: torch's tensors, or arrays of numpy, which
        give arrays. Accumulators of float64 say that nothing is rounded: a cast to a float leaves its tensor then."""
        torch, given = sys.modules["torch"], inspect.signature(self).bind(*accumulators, **inputs).arguments
        are_arrays = any(isinstance(x, np.ndarray) for x in given.values())
        tensors = {n: torch.as_tensor(np.asarray(x)) if isinstance(x, np.ndarray) else x for n, x in given.items()}
        values = [*tensors.values()][: self.chosen.accumulators]
        made = _OnTensors(self, tensors, unrounded=values[0].dtype == torch.float64)
        made.start(self.chosen, values)
        made.run()
        found = {name: made.made[node] for name, node in self.outputs.items()}
        return {name: tensor.detach().numpy() for name, tensor in found.items()} if are_arrays else found

    def bind(self, module: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        """As :meth:`evtgen.Epilogue.bind`."""
        return Binding(self.leaves, module).tensors(self.chosen, self.types, arguments, named)

    @property
    def shape(self) -> Shape | None:
        """As :attr:`evtgen.Epilogue.shape`."""
        return self.leaves.problem(self.types[0].packed)

    def remade(self, arch: str) -> Epilogue:
        """The epilogue for another architecture."""
        return self.again(arch)


class _OnTensors(Interpreter):
    """The nodes of a region, called with tensors. Extents are those of a tile: all leading axes are one."""

    def __init__(self, of: ModelFunction, tensors: Mapping[str, Any], *, unrounded: bool) -> None:
        super().__init__(of.leaves.graph_module, of.leaves, of.inside)
        self.tensors, self.unrounded, self.torch = tensors, unrounded, sys.modules["torch"]

    def leaf(self, thing: Any) -> Any:
        leaf, shape = self.leaves.found[path_of(thing)], self.leaves.known(thing).shape
        tensor = self.tensors[leaf.name]
        if shape is not None and len(shape) < 2 and not isinstance(thing, OfLines):
            # For torch, numbers without axes are of no type.
            tensor = tensor.reshape(shape and -1)
        return tensor != 0 if mask == leaf.T else tensor

    def into(self, value: Any, T: Any) -> Any:
        return value if self.unrounded else value.to(T)

    def function(self, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        found = getattr(self.torch.nn.functional, name, None) or getattr(self.torch, name)
        return _called(found, name, args, named)

    def apply(self, node: FxNode, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        if name == "layer_norm" and called(node) != name:
            return self.function(name, args, named)
        if node.op != "call_method":
            return _called(node.target, name, args, named)
        if self.unrounded and name in _FLOATS:
            return args[0].double()
        return getattr(args[0], node.target)(*args[1:], **named)

    def _argument(self, thing: Any) -> Any:
        found = super()._argument(thing)
        found = getattr(self.torch, found.numpy) if isinstance(found, ElementType) else found
        is_float = isinstance(found, self.torch.dtype) and found.is_floating_point
        return self.torch.float64 if self.unrounded and is_float else found


def _called(function: Callable[..., Any], name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function returns; a norm is one of as many columns as there are."""
    if name not in ("layer_norm", "rms_norm", "native_layer_norm"):
        return function(*args, **named)
    columns = list(args[0].shape[-1:])
    if len(args) > 1:
        return function(args[0], columns, *args[2:], **named)
    return function(*args, **{**named, "normalized_shape": columns})
