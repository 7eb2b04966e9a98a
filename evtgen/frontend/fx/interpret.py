"""The nodes of a graph of ``torch.fx``, called with values in place of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...diagnostics import reading as codes
from ...graph.types import BY_NUMPY
from ..libraries import MEANT, MODULES
from ..protocols import call, method
from ..value import Value
from .axes import adapted, of_tile, rank
from .cuts import PARTS, parts_of
from .functional import written
from .leaves import Half, Leaves, path_of
from .matmuls import Chosen, Product, between, depends
from .nodes import EXTENTS, FxNode, asks_extents, at, called, described, is_of_extents, is_python, module_of
from .region import Region
from .scales import OfLines
from .typed import cast, computed, converted

_AS_IT_IS = ("contiguous", "clone", "detach", "alias", "requires_grad_", "cpu", "cuda", "npu", "lift_fresh_copy")
"""What changes no number of a tensor."""

_SHAPES = ("view", "reshape", "flatten", "unflatten", "unsqueeze", "squeeze", "_unsafe_view", "view_as", "reshape_as")
"""What says anew which extents a tensor has."""

_DECOMPOSED = {"_to_copy": "to", "_softmax": "softmax", "_log_softmax": "log_softmax"}
"""What functions are called in a program that ``run_decompositions`` has changed."""

_TENSORS = ("weight", "bias")
"""The attributes that are tensors."""

_IDENTITIES = ("Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")


class Interpreter:
    """One run through the nodes of a region.

    Attributes:
        made: what each node gives: a value, or a number or a type that is computed of the model alone.
        cuts: the nodes that take parts of the columns, and how many each part has.
    """

    def __init__(self, graph_module: Any, leaves: Leaves, inside: Region) -> None:
        self.graph_module, self.leaves, self.inside = graph_module, leaves, inside
        self.made: dict[FxNode, Any] = {}
        self.cuts: dict[FxNode, list[int]] = {}

    def start(self, chosen: Chosen, values: Sequence[Value]) -> None:
        """The accumulators as the matmuls of the graph give them, with what those add."""
        if chosen.form == "halves":
            first, product = chosen.halves[0], chosen.products[0]
            self.made |= dict.fromkeys(between(product.node, first))
            with at(first):
                self._cut(first, product)
            with at(product.node):
                halves = [self._biased(product, value, i) for i, value in enumerate(values)]
            with at(first):
                if len(chosen.halves) == 2:
                    self.made |= zip(chosen.halves, halves, strict=True)
                elif called(first) == "glu":
                    self.made[first] = halves[0] * self.function("sigmoid", [halves[1]], {})
                else:
                    self.made[first] = tuple(halves)
            return
        for product, value in zip(chosen.products, values, strict=True):
            with at(product.node):
                self.made |= dict.fromkeys(product.nodes, self._biased(product, value))

    def run(self) -> None:
        """Call every node, in order."""
        for node in self.inside.nodes:
            if node not in self.made:
                with at(node):
                    self.made[node] = self._typed(node, self._call(node))

    def _typed(self, node: FxNode, result: Any) -> Any:
        """The result of a node: what is written into a tensor takes its type."""
        target = written(self.graph_module, node)
        of = None if target is None else self.made.get(target)
        return cast(result, of.T) if isinstance(of, Value) and isinstance(result, Value) else result

    def result(self, node: FxNode) -> Any:
        """The value of an output."""
        found = self.made.get(node)
        if not isinstance(found, Value) and not hasattr(found, "store"):
            with at(node):
                raise codes.NODE.here("no tensor")
        return found

    def _cut(self, node: FxNode, product: Product) -> None:
        """Refuse to cut along other axes than the columns. Raises EVT206."""
        name, given = called(node), {**dict(enumerate(node.args)), **node.kwargs}
        if name in ("getitem", "slice"):
            return
        axis = given.get(1 if name == "glu" else 2, given.get("dim", -1 if name == "glu" else 0))
        if of_tile(name, axis, rank(self.leaves, product.node), self.leaves.batch) != -1:
            raise codes.NODE.here("cut")

    def _biased(self, product: Product, value: Value, half: int | None = None) -> Any:
        alpha, beta = product.alpha, product.beta
        result: Any = value if _is(alpha, 1) else value * self._argument(alpha)
        if product.refused is not None:
            a, b = product.refused
            raise codes.NODE.here("recipes", name=called(product.node), a=a, b=b)
        if product.factors and called(product.node).startswith("_scaled_mm"):
            self._of_lines(*product.factors)
        adds = product.bias is not None and not _is(beta, 0)
        is_first = adds and self.leaves.known(product.bias).dtype == "int32"  # as npu_quant_matmul adds it
        result = self._added(product, result, half) if is_first else result
        for factor in product.factors:
            result = self.function("mul", [result, self._argument(self._halved(factor, half))], {})
        if adds and not is_first:
            result = self._added(product, result, half)
        return result if product.out is None else self.into(result, product.out)

    def _of_lines(self, scale_a: Any, scale_b: Any) -> None:
        """Refuse scales of torch's ``_scaled_mm`` that are not of whole rows of A and columns of B. Raises EVT206."""
        a, b = (self.leaves.known(one).shape for one in (scale_a, scale_b))
        if {*(a or ())[-1:], *(b or ())[:-1]} - {1}:
            raise codes.NODE.here("scales", a=a, b=b)

    def into(self, value: Any, T: Any) -> Any:
        """A value in a type of torch."""
        return cast(value, BY_NUMPY[str(T).removeprefix("torch.")])

    def _added(self, product: Product, result: Any, half: int | None) -> Any:
        bias, beta = self._halved(product.bias, half), product.beta
        added: Any = self._argument(bias) if hasattr(bias, "op") else self.leaf(bias)
        return result + (added if _is(beta, 1) else added * self._argument(beta))

    def _halved(self, thing: Any, half: int | None) -> Any:
        """What a half of a product is computed with: that half of a tensor which has all its columns, or the tensor."""
        if half is None or (isinstance(thing, OfLines) and thing.kind == "ColVector"):
            return thing
        if isinstance(thing, OfLines):
            return replace(thing, thing=self._halved(thing.thing, half))
        return thing if (self.leaves.known(thing).shape or (1,))[-1] == 1 else Half(path_of(thing), half)

    def _argument(self, thing: Any) -> Any:
        """An argument of a node as what is called takes it."""
        if isinstance(thing, (OfLines, Half)):
            return self.leaf(thing)
        if hasattr(thing, "op") and hasattr(thing, "graph"):
            return self._node(thing)
        if isinstance(thing, slice):
            return slice(*map(self._argument, (thing.start, thing.stop, thing.step)))
        if isinstance(thing, Mapping):
            return {key: self._argument(value) for key, value in thing.items()}
        return [self._argument(one) for one in thing] if isinstance(thing, (list, tuple)) else thing

    def _node(self, node: FxNode) -> Any:
        if node not in self.made:
            self.made[node] = self._outside(node)
        return self.made[node]

    def _outside(self, node: FxNode) -> Any:
        """A node that the matmul is not part of."""
        name, first = called(node), node.args[0] if node.args else None
        if name == "getattr" and node.args[1] == "dtype":
            return self.leaves.type_of(first)
        if is_of_extents(node):
            return (
                self._extents(node) if asks_extents(node) else self._python(node, name, self._argument(list(node.args)))
            )
        # What is computed of a tensor and numbers only is left to the epilogue.
        return self._call(node) if self.leaves.is_elementwise(node) else self.leaf(node)

    def _extents(self, node: FxNode) -> Any:
        """What a node says of a tensor's size. The last extent is a number, because weights fix it, if it is known."""
        given = node.args[0]
        asked = called(node) if called(node) in EXTENTS else node.args[1]
        last, count = self.leaves.columns(given), rank(self.leaves, given)
        axis = node.args[1] if node.op == "call_method" and len(node.args) > 1 else node.kwargs.get("dim")
        if asked not in ("size", "shape"):
            return _Extent()
        if axis is not None:
            return last if last is not None and (axis == -1 or axis + 1 == count) else _Extent()
        known = [_Extent() if last is None else last]
        return _Extent(last) if count is None else [*(_Extent() for _ in range(count - 1)), *known]

    def _call(self, node: FxNode) -> Any:  # noqa: PLR0911
        if node.op == "call_module":
            return self._module(node)
        name = called(node)
        if name in _AS_IT_IS:
            return self._argument(node.args[0])
        if name in _SHAPES:
            return self._shaped(node, self._argument(node.args[0]))
        if name in PARTS and not isinstance(whole := self._argument(node.args[0]), (list, tuple, _Extent)):
            return self._parts(node, name, whole)
        args, named = self._argument(list(node.args)), self._argument(node.kwargs)
        if is_python(node) or name in MEANT["torch"]:
            _refuse_extents(args)
        if is_python(node):
            return self._python(node, name, args)
        if name in ("dropout", "feature_dropout", "alpha_dropout", "native_dropout"):
            return self._dropped(args, named)
        if name.endswith("_") and not name.startswith("_"):
            name = name[:-1]
        if asks_extents(node):
            return self._extents(node)
        if name in ("_softmax", "_log_softmax"):
            args = args[:2]  # the third is whether halves become floats, on GPUs alone
        args, named = adapted(self.leaves, node, _DECOMPOSED.get(name, name), args, named)
        if name == "native_layer_norm":
            return (self.apply(node, "layer_norm", args, named),)
        if name == "prelu":
            self._channels(node, node.args[1])
        return self.apply(node, name, args, named)

    def leaf(self, thing: Any) -> Any:
        """What the epilogue reads: of a node, or of the path of a tensor."""
        return self.leaves.value(thing)

    def function(self, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """A function of torch, by its name."""
        return computed(name, lambda *args, **named: call("torch", name, args, named), args, named)

    def apply(self, node: FxNode, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The function or the method that a node calls, without the underscore of a write in place."""
        name = _DECOMPOSED.get(name, name)
        if MEANT["x"].get(name) == "to" and isinstance(args[0], Value):
            return converted(lambda x: method(x, name)(*args[1:], **named), args[0], wide=self.leaves.wide)
        if name == "copy" and isinstance(args[0], Value) and isinstance(args[1], Value):
            return args[1]
        named = {key: one for key, one in named.items() if key != "out"}  # later reads are of this node
        if node.op != "call_method":
            return self.function(name, args, named)
        return computed(name, lambda x, *args, **named: method(x, name)(*args, **named), args, named)

    def _python(self, node: FxNode, name: str, args: list[Any]) -> Any:
        """A function of Python's own, such as ``operator.add``."""
        if name == "getattr":
            if args[1] in ("dtype", "data") and isinstance(args[0], Value):
                return args[0].T if args[1] == "dtype" else args[0]
            return self._extents(node) if asks_extents(node) else getattr(args[0], args[1])
        if name == "getitem" and isinstance(args[0], _Extent):
            last = args[0].last
            return _Extent() if last is None or args[1] != -1 else last
        if any(isinstance(arg, _Extent) for arg in args):
            return _Extent()
        function: Callable[..., Any] = node.target
        return computed(name, function, args, self._argument(node.kwargs))

    def _module(self, node: FxNode) -> Any:
        module = module_of(self.graph_module, node)
        kind, args = type(module).__name__, self._argument(list(node.args))
        if not type(module).__module__.startswith("torch."):
            raise codes.NODE.here("module", kind=kind)
        if kind in _IDENTITIES:
            return self._dropped(args, {"p": getattr(module, "p", 0.0), "training": module.training})
        if kind not in MODULES:
            raise codes.NODE.here("unknown module", kind=kind, known=", ".join(MODULES))
        name, attributes = MODULES[kind]
        named = {}
        for attribute in attributes:
            given = getattr(module, attribute, None)
            if given is not None:
                is_tensor = attribute in _TENSORS
                named[attribute] = self.leaf(f"{node.target}.{attribute}") if is_tensor else given
        if name == "prelu":
            self._channels(node, f"{node.target}.weight")
            args, named = [*args, named["weight"]], {}
        args, named = adapted(self.leaves, node, name, args, named)
        return self.function(name, args, named)

    def _channels(self, node: FxNode, weight: Any) -> None:
        """A slope for each channel: those are the columns of a matrix, and of nothing with more axes."""
        if self.leaves.known(weight).shape != (1,) and rank(self.leaves, node.args[0]) != 2:
            of_tile("prelu", 1, rank(self.leaves, node.args[0]), False)

    def _parts(self, node: FxNode, name: str, whole: Any) -> Any:
        """Parts of the columns of a value. Raises EVT206 for those of another axis."""
        source, given = node.args[0], {**dict(enumerate(node.args)), **node.kwargs}
        axis, ranges = parts_of(name, given, self._width(source))
        if axis is not None and of_tile(name, axis, rank(self.leaves, source), self.leaves.batch) != -1:
            raise codes.NODE.here("cut")
        self.cuts[node] = [len(range(self._width(source))[one]) for one in ranges]
        self.leaves.widths |= {*self.cuts[node]}
        made = [whole[:, one.start : one.stop : one.step] for one in ranges]
        return made[0] if name in ("getitem", "slice", "narrow") else tuple(made)

    def _width(self, node: FxNode) -> int:
        """How many columns a tensor has. Raises EVT208 if it is not known."""
        shape, cut = self.leaves.known(node).shape, {*self.cuts}
        found = shape[-1] if shape else self.cuts[node][0] if node in cut else None
        if found is None and not depends(node, cut):
            found = self.leaves.rows_and_columns()[1]
        if found is None:
            raise codes.NOT_KNOWN.here("axes", name=called(node), axis=-1)
        return found

    def _shaped(self, node: FxNode, value: Any) -> Any:
        """A tensor of other leading extents, which are rows before and after."""
        before, after = self.leaves.known(node.args[0]).shape, self.leaves.known(node).shape
        if before is None or after is None or before[-1:] != after[-1:] or before[-1:] == (None,):
            raise codes.NODE.here("columns")
        if self.leaves.batch and _rows(node.args[0]) != _rows(node):
            raise codes.NODE.here("rows")
        return value

    def _dropped(self, args: list[Any], named: dict[str, Any]) -> Any:
        """Dropout, which changes nothing but in training."""
        p = named.get("p", args[1] if len(args) > 1 else 0.5)
        training = named.get("training", named.get("train", args[2] if len(args) > 2 else True))
        if training and p:
            raise codes.NODE.here("training")
        return args[0]


class _Extent:
    """A number of rows or columns, which is not known before the kernel runs; or extents, of which ``last`` may be."""

    def __init__(self, last: int | None = None) -> None:
        self.last = last


def _rows(node: FxNode) -> str:
    """The last extent but one, as the graph spells it: two that are not known yet may differ."""
    shape: Any = getattr(described(node), "shape", None) or ()
    return str(shape[-2]) if len(shape) > 1 else ""


def _refuse_extents(args: Sequence[Any]) -> None:
    """Refuse to compute a value of an extent. Raises EVT206."""
    if any(isinstance(arg, _Extent) for arg in args) and any(isinstance(arg, Value) for arg in args):
        raise codes.NODE.here("extent")


def _is(thing: Any, number: int) -> bool:
    return isinstance(thing, (int, float)) and thing == number
