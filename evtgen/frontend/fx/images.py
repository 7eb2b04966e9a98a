"""Convolutions with a kernel of 1 x 1 as the matmuls that they are.

Of each image, the weight (O x I) times its pixels (I x HW) is the result (O x HW), which lies as the layout NCHW does.
What is computed of it element by element is computed of the matrices; everything else reads the image.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from ..libraries import MEANT, MODULES
from .axes import ALONG, TURNING
from .nodes import FxNode, called, described, is_python, module_of

ADDS_BIAS = "evtgen_bias"
"""The key of the metadata of a node that adds the bias of a convolution, which is one launch with it in PyTorch."""

_NOT_POINTWISE = (*ALONG, *TURNING, "transpose", "gather", "rms_norm", "layer_norm", "prelu")
_OPERATORS = ("add", "sub", "mul", "truediv", "neg", "pow", "gt", "ge", "lt", "le", "eq", "ne")


def as_matmuls(graph_module: Any, examples: Mapping[FxNode, Any]) -> Any:
    """The module's graph with a matmul for each such convolution whose input has a known shape; the same graph if it
    has none. ``examples`` are arguments of the graph by their nodes. torch is looked up among the loaded modules."""
    if all(_convolution(graph_module, node) is None for node in graph_module.graph.nodes):
        return graph_module.graph
    copy = _Copy(graph_module, examples)
    for node in graph_module.graph.nodes:
        copy.add(node)
    copy.graph.set_codegen(graph_module.graph._codegen)
    return copy.graph if copy.matrices else graph_module.graph


def _convolution(graph_module: Any, node: FxNode) -> tuple[Any, Any, Any] | None:
    """Input, weight and bias of a convolution that is a matmul, if its kernel is 1 x 1: nodes, or paths of a module."""
    module, given = module_of(graph_module, node), {**dict(enumerate(node.args)), **node.kwargs}
    if module is not None:
        if type(module).__name__ != "Conv2d" or not type(module).__module__.startswith("torch.nn"):
            return None
        stride, padding, groups = module.stride, module.padding, module.groups
        bias = None if module.bias is None else f"{node.target}.bias"
        found: tuple[Any, Any, Any] = node.args[0], f"{node.target}.weight", bias
    elif called(node) in ("conv2d", "convolution"):
        general = called(node) == "convolution"
        stride, padding = given.get(3, given.get("stride", 1)), given.get(4, given.get("padding", 0))
        groups = given.get(8 if general else 6, given.get("groups", 1))
        if general and given.get(6, given.get("transposed")):
            return None
        x, weight, bias = (given.get(i, given.get(key)) for i, key in enumerate(("input", "weight", "bias")))
        found = x, weight, bias
    else:
        return None
    strides, paddings = ({*x} if isinstance(x, (list, tuple)) else {x} for x in (stride, padding))
    return found if strides == {1} and paddings <= {0, "valid"} and groups == 1 else None


class _Copy:
    """A graph that is copied node by node.

    Attributes:
        made: each node's copy.
        matrices: of a node whose copy has matrices in place of images, the copy.
        images: of such a node, the one in the copy that has as many pixels, and the extents of the node.
    """

    def __init__(self, graph_module: Any, examples: Mapping[FxNode, Any]) -> None:
        self.graph_module, self.examples, self.torch = graph_module, examples, sys.modules["torch"]
        self.graph = type(graph_module.graph)()
        self.made: dict[FxNode, FxNode] = {}
        self.matrices: dict[FxNode, FxNode] = {}
        self.images: dict[FxNode, tuple[FxNode, Any]] = {}

    def add(self, old: FxNode) -> None:
        """Copy a node."""
        if not (self._multiplied(old) or self._pointwise(old)):
            self.made[old] = self.graph.node_copy(old, self._image)

    def _multiplied(self, old: FxNode) -> bool:
        found = _convolution(self.graph_module, old)
        if found is None:
            return False
        x, weight, bias = found
        image, kernel = self._known(x), self._known(weight)
        if image is None or kernel is None or [*kernel.shape[2:]] != [1, 1]:
            return False
        if x in self.matrices:
            pixels, (source, (count, _, *extents)) = self.matrices[x], self.images[x]
        elif image.dim() == 4:
            pixels, source, (count, _, *extents) = self._flat(x), self.made[x], image.shape
        else:
            return False
        shape = (count, kernel.shape[0], *extents)
        given = self._view(self.torch.flatten, weight, (1,), "matrix"), pixels
        node = self._named(old, self.torch.matmul, given, image.new_empty(shape).flatten(2))
        if bias is not None:
            column = self._view(self.torch.unsqueeze, bias, (-1,), "column")
            node = self._named(old, self.torch.add, (node, column), node.meta["val"])
            node.meta[ADDS_BIAS] = True
        self.matrices[old], self.images[old] = node, (source, shape)
        return True

    def _pointwise(self, old: FxNode) -> bool:
        """Copy a node that is computed of matrices element by element; false for another one."""
        first = next((given for given in old.all_input_nodes if given in self.matrices), None)
        if first is None or not _is_pointwise(self.graph_module, old):
            return False
        shape = self.images[first][1]
        given = {one: self._operand(one, shape) for one in old.all_input_nodes}
        if None in given.values():
            return False
        known = described(old)
        node = self.matrices[old] = self.graph.node_copy(old, given.__getitem__)
        for key in ("example_value", "tensor_meta", "val"):
            node.meta.pop(key, None)
        if hasattr(known, "flatten"):
            node.meta["val"] = known.flatten(2)
        self.images[old] = self.images[first]
        return True

    def _operand(self, one: FxNode, shape: Any) -> FxNode | None:
        """What a node gives to one that is computed of matrices, the results of which are of this shape as images."""
        if one in self.matrices:
            return self.matrices[one] if _same(self.images[one][1], shape) else None
        value = self._known(one)
        if value is None:
            return None
        if not hasattr(value, "shape") or (value.dim() <= 4 and all(_same([x], [1]) for x in value.shape)):
            return self.made[one] if not hasattr(value, "shape") or value.dim() < 4 else self._flat(one)
        if value.dim() == 3 and _same(value.shape, (shape[1], 1, 1)):
            return self._view(self.torch.flatten, one, (1,), "column")
        if value.dim() == 4 and _same(value.shape, (1, shape[1], 1, 1)):
            return self._view(self.torch.reshape, one, ((-1, 1),), "column")
        return self._flat(one) if _same(value.shape, shape) else None

    def _image(self, old: FxNode) -> FxNode:
        """The copy of a node, with images."""
        if old not in self.made:
            source, (*_, height, width) = self.images[old]
            extents = [self._extent(source, axis, size) for axis, size in ((2, height), (3, width))]
            node = self.matrices[old]
            self.made[old] = self._node(
                self.torch.unflatten, (node, 2, extents), f"{old.name}_image", self._value_of_image(node, height, width)
            )
        return self.made[old]

    def _value_of_image(self, node: FxNode, height: Any, width: Any) -> Any:
        known = node.meta.get("val")
        return None if known is None else known.new_empty((*known.shape[:2], height, width))

    def _extent(self, source: FxNode, axis: int, size: Any) -> Any:
        if isinstance(size, int) and described(source) is not None:
            return size
        return self._node(self.torch.ops.aten.sym_size.int, (source, axis), "extent", size)

    def _flat(self, one: FxNode) -> FxNode:
        return self._view(self.torch.flatten, one, (2,), "pixels")

    def _view(self, function: Any, of: Any, more: tuple[Any, ...], name: str) -> FxNode:
        """A tensor of the graph, or the one at a path, seen in another way."""
        if isinstance(of, str):
            made = self.graph.create_node("get_attr", of, name=of.replace(".", "_"))
            made.meta["val"] = self._known(of)
        else:
            made = self._image(of)
        known = self._known(of)
        return self._node(function, (made, *more), f"{made.name}_{name}", function(known, *more))

    def _named(self, old: FxNode, function: Any, given: tuple[Any, ...], value: Any) -> FxNode:
        """A node in the place of another one, which says where in the model it is."""
        node = self._node(function, given, old.name, value)
        node.meta = {**old.meta, **node.meta}
        return node

    def _node(self, function: Any, given: tuple[Any, ...], name: str, value: Any) -> FxNode:
        node = self.graph.create_node("call_function", function, given, name=name)
        if value is not None:
            node.meta["val"] = value
        return node

    def _known(self, thing: Any) -> Any:
        """A tensor without memory, of the shape and the type that a node or the tensor at a path has; or a number."""
        found = None
        if isinstance(thing, str):
            found = attrgetter(thing)(self.graph_module)
        elif thing in self.examples:
            found = self.examples[thing]
        elif thing in self.matrices:
            return self._known_image(thing)
        elif (found := described(thing)) is None and thing.op == "get_attr":
            found = attrgetter(str(thing.target))(self.graph_module)
        if not hasattr(found, "shape") or hasattr(found, "fake_mode"):
            return found
        T = getattr(self.torch, str(found.dtype).removeprefix("torch."))
        return self.torch.empty(tuple(found.shape), dtype=T, device="meta")

    def _known_image(self, thing: FxNode) -> Any:
        shape, flat = self.images[thing][1], self.matrices[thing].meta.get("val")
        return None if flat is None else flat.new_empty(shape)


def _same(one: Any, other: Any) -> bool:
    """Whether extents are the same numbers, or the same expressions."""
    return [*map(str, one)] == [*map(str, other)]


def _is_pointwise(graph_module: Any, node: FxNode) -> bool:
    module = module_of(graph_module, node)
    if module is not None:
        kind = type(module).__name__
        return kind in MODULES and MODULES[kind][0] not in _NOT_POINTWISE
    name = called(node)
    name = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    if is_python(node):
        return name in _OPERATORS
    key = MEANT["torch"].get(name) or MEANT["x"].get(name)
    return key is not None and key not in _NOT_POINTWISE and name not in _NOT_POINTWISE
