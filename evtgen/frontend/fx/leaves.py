"""What an epilogue reads beside the accumulator: parameters of modules, arguments, and results of other nodes.

The shape of a tensor says what it is: that of the product is an ``Aux``, a row repeated over all rows is a
``RowVector``, and so on, as torch broadcasts. Shapes come from examples, from what the graph says of a node (``val`` or
``tensor_meta``, which ``torch.export`` and ``ShapeProp`` leave there), and from the tensors of the module.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from ...diagnostics import reading as codes
from ...diagnostics.suggestions import suggest
from ...graph.ir import Scalar
from ...graph.location import caller
from ...graph.shapes import Shape
from ...graph.types import BY_NUMPY, ElementType, float32, mask, uint8
from ...system.translation import tr
from ..libraries import FUNCTIONS
from ..trace import Parameter, load_of
from ..value import Graph, ScalarValue, Value
from .matmuls import Chosen, Product, product_of
from .nodes import FxNode, called, described, location_of
from .scales import OfLines
from .typed import Number, widened

_FACTORS = ("truediv", *(name for key in ("multiply", "divide", "negative") for name in FUNCTIONS[key].torch.split()))


@dataclass(frozen=True)
class Known:
    """What is known of a tensor.

    Attributes:
        shape: its extents; one that is not known is None.
        dtype: its name in torch and numpy.
        number: what it is if it is a number and no tensor.
    """

    shape: tuple[int | None, ...] | None = None
    dtype: str | None = None
    number: float | int | None = None


@dataclass(frozen=True)
class Half:
    """Half of the columns of a node, or of the tensor at a path."""

    thing: Any
    index: int


@dataclass(frozen=True)
class Leaf:
    """A parameter of the epilogue.

    Attributes:
        name: its name.
        kind: its annotation: ``Aux``, ``RowVector``, ``ColVector``, ``ScalarTensor`` or ``Scalar``.
        T: its element type; a mask for a tensor of bool, which is read as bytes.
    """

    name: str
    kind: str
    T: ElementType


class Leaves:
    """The tensors that an epilogue reads, each as a load once something reads it.

    Attributes:
        wide: values of narrow floats are computed with in float32.
        found: the parameters, by the node or the path that they stand for.
        names: those of inputs and outputs, which no other input has.
        widths: of the parts of the columns.
        constants: tensors that the graph has and the model has not, by their paths.
    """

    def __init__(
        self,
        graph_module: Any,
        graph: Graph,
        chosen: Chosen,
        examples: Mapping[str, Any] | Sequence[Any] | None,
        T: ElementType | None,
        *,
        wide: bool,
        paths: Mapping[str, str],
        constants: Mapping[str, Any],
    ) -> None:
        self.graph_module, self.graph, self.chosen, self.T = graph_module, graph, chosen, T
        self.wide, self.paths, self.constants = wide, paths, constants
        self.found: dict[Any, Leaf] = {}
        self._made: dict[Any, Value | ScalarValue] = {}
        self.names: set[str] = set()
        self.widths: set[int] = set()
        self.examples = by_node(graph_module, examples, paths)
        for product in chosen.products:
            self._fit(product)

    def _fit(self, product: Product) -> None:
        """Refuse operands whose shapes have no product. Raises EVT208."""
        a, b = self.known(product.a).shape, self.known_b(product).shape
        if a is None or b is None or min(len(a), len(b)) < 2:
            return
        k = a[-2 if product.a_transposed else -1], b[-1 if product.b_transposed else -2]
        if None in k or k[0] == k[1]:
            return
        raise codes.NOT_KNOWN.here("K", a=self._spelled(product.a), shape=a, node=product.node.name, k=k[1], found=k[0])

    def operand_types(self) -> tuple[ElementType, ElementType]:
        """The element types of A and B. Raises EVT208 if neither is known."""
        product = self.chosen.products[0]
        a, b = self.known(product.a).dtype, self.known_b(product).dtype
        whole = "int8" if called(product.node) == "_int_mm" else None
        if a is None and b is None and self.T is None and whole is None:
            raise self._unknown(product.a, tr("element type"))
        some = a or (None if product.widens else b) or whole or "float32"
        return self._type(product.a, a or some), self._type(product.b, b or some)

    def type_of(self, thing: Any) -> ElementType:
        """The element type of a node outside the epilogue. Raises EVT208 if it is not known."""
        products = (self.chosen.products[0].a, self.chosen.products[0].b)
        dtype = self.known(thing).dtype or (self.operand_types()[products.index(thing)] if thing in products else None)
        if dtype is None:
            raise self._unknown(thing, tr("element type"))
        return dtype if isinstance(dtype, ElementType) else self._type(thing, dtype)

    def known(self, thing: Any) -> Known:  # noqa: PLR0911
        """What is known of a node, or of the parameter at a path."""
        if isinstance(thing, Half):
            whole = self.known(thing.thing)
            *lead, columns = whole.shape or (None,)
            return replace(whole, shape=whole.shape and (*lead, columns and columns // 2))
        if isinstance(thing, OfLines):
            return self.known(thing.thing)
        if isinstance(thing, str):
            return _of(attrgetter(thing)(self.graph_module))
        if thing in self.examples:
            return _of(self.examples[thing])
        meta = described(thing)
        if meta is not None and (hasattr(meta, "shape") or isinstance(meta, (int, float))):
            return _of(meta)
        if thing.op == "get_attr":
            return _of(attrgetter(str(thing.target))(self.graph_module))
        if thing.op == "placeholder" and getattr(thing, "type", None) in (float, int):
            return Known(number=1)
        product = product_of(self.graph_module, thing)
        return Known() if product is None else self._of_product(product)

    def known_b(self, product: Product) -> Known:
        """What is known of a B, with the extents of its elements where several lie in one of its tensor's."""
        found = self.known(product.b)
        if product.packed is None or not found.shape or found.shape[-1] is None:
            return found
        return Known((*found.shape[:-1], found.shape[-1] * product.packed.count), "int4")

    def columns(self, thing: Any) -> int | None:
        """The last extent of a tensor, if it is known: of the input of a matmul, the weight says it, too."""
        if shape := self.known(thing).shape:
            return shape[-1]
        for product in self.chosen.products:
            if thing is product.a and not product.a_transposed and (b := self.known_b(product).shape):
                return b[-1 if product.b_transposed else max(len(b) - 2, 0)]
        return None

    def value(self, thing: Any) -> Value | ScalarValue:
        """The parameter that stands for a node, or for the parameter of a module at a path.

        Raises:
            EvtgenError: EVT206 for a shape that is none of an epilogue's tensors; EVT208 if it is not known.
        """
        key = path_of(thing)
        if key not in self._made:
            self._made[key] = self._load(key)
        return self._made[key]

    def rows_and_columns(self) -> tuple[tuple[int | None, ...] | None, int | None]:
        """The extents of the outputs: leading ones, which are rows, if their count is known; and the last."""
        product = self.chosen.products[0]
        shape = self._of_product(product).shape
        if shape is None:
            return None, None
        columns = shape[-1]
        if self.chosen.form == "halves" and columns is not None:
            columns //= 2
        return shape[:-1], columns

    def problem(self, packed: int) -> Shape | None:
        """(M, N, K) of the matmul, of one in a batch; None where an extent is not known, or rows are in groups. K is
        that of the kernel, of an A that has so many elements ``packed`` in one of torch's."""
        product = self.chosen.products[0]
        rows, n = self.rows_and_columns()
        a = self.known(product.a).shape
        if product.groups is not None or rows is None or n is None or a is None:
            return None
        k, known = a[-2 if product.a_transposed else -1], rows[-1:] if self.batch else rows
        sizes = [size for size in (*known, n, k) if size]
        return (math.prod(sizes[:-2]), n, sizes[-1] * packed) if len(sizes) == len(known) + 2 else None

    def is_elementwise(self, thing: Any) -> bool:
        """Whether it is computed of numbers and one tensor, which the epilogue can do itself: a factor of a tensor, or
        anything whose shape is not known."""
        return (
            thing.op in ("call_function", "call_method")
            and (called(thing) in _FACTORS or self.known(thing).shape is None)
            and product_of(self.graph_module, thing) is None
            and sum(self.known(given).number is None for given in thing.all_input_nodes) == 1
        )

    def _of_product(self, product: Product) -> Known:
        a, b = self.known(product.a), self.known_b(product)
        columns = None
        if b.shape is not None and len(b.shape) > 1:
            columns = b.shape[-2] if product.b_transposed else b.shape[-1]
        lead: tuple[int | None, ...] | None = None
        if a.shape is not None and len(a.shape) > 1:
            lead = (*a.shape[:-2], a.shape[-1] if product.a_transposed else a.shape[-2])
            if len(a.shape) == 2 and b.shape is not None and product.groups is None:
                lead = (*b.shape[:-2], *lead)  # one matrix for all of a batch
        elif columns is not None:
            lead = (None,)
        dtype = "int32" if called(product.node) == "_int_mm" else a.dtype if product.widens else b.dtype or a.dtype
        dtype = dtype if product.out is None else str(product.out).removeprefix("torch.")
        return Known(None if lead is None else (*lead, columns), dtype)

    def _load(self, thing: Any) -> Value | ScalarValue:
        found, name = self.known(thing), self._name(thing)
        if found.number is not None:
            # A number takes the type of the tensors beside it, in torch.
            T = self.graph.entries[0].node.element
            T = T if T.kind == "float" else float32
            self.found[thing] = Leaf(name, "Scalar", T)
            return ScalarValue(Scalar(name, T, None))
        if found.shape is None:
            raise self._unknown(thing, tr("shape"))
        if found.dtype is None:
            raise self._unknown(thing, tr("element type"))
        T = self._type(thing, found.dtype)
        # A tensor of bool has a byte for each element; a mask is no tensor.
        kind = thing.kind if isinstance(thing, OfLines) else self._kind(name, found.shape)
        self.found[thing] = Leaf(name, kind, T)
        parameter = Parameter(self.found[thing].kind, uint8 if mask == T else T)
        here = caller() or self.graph.entries[0].node.location
        assert here is not None
        value = self.graph.add(load_of(name, parameter, None, here), (), parameter.T)
        if mask == T:
            return value != 0
        value = value if found.shape else Number(value.graph, value.index, value.T)
        return widened(value) if self.wide else value

    def _kind(self, name: str, shape: tuple[int | None, ...]) -> str:
        """The annotation of a tensor of this shape."""
        lead, columns = self.rows_and_columns()
        is_row = all(extent == 1 for extent in shape[:-1][-1 if self.batch else None :])
        last = shape[-1] if shape else 1
        if last == 1 and columns != 1:
            if is_row:
                return "ScalarTensor"
            wrong = not self._same_rows(shape[:-1], lead)
        else:
            wrong = None not in (last, columns) and last not in (columns, *self.widths)
            if not wrong and is_row:
                return "RowVector"
            wrong = wrong or not self._same_rows(shape[:-1], lead)
        if wrong:
            extents = " x ".join("?" if extent is None else str(extent) for extent in (*(lead or (None,)), columns))
            raise codes.NODE.here("shape", name=name, shape=shape, extents=extents)
        return "ColVector" if last == 1 and columns != 1 else "Aux"

    @property
    def batch(self) -> bool:
        """Whether there is a matmul for each matrix of a batch."""
        shape = self.known(self.chosen.products[0].b).shape
        product = self.chosen.products[0]
        return product.groups is None and (product.batch or (shape is not None and len(shape) == 3))

    def _same_rows(self, given: tuple[int | None, ...], rows: tuple[int | None, ...] | None) -> bool:
        """Whether leading extents are as many rows as the output has; yes where one of them is not known."""
        if rows is None or None in rows or None in given:
            return True
        if self.batch:
            return given[-1:] == rows[-1:] and given[:-1] in ((), rows[:-1])
        return math.prod(extent or 1 for extent in given) == math.prod(extent or 1 for extent in rows)

    def _type(self, thing: Any, dtype: str) -> ElementType:
        element = BY_NUMPY.get(dtype.removesuffix("_x2"))
        if element is None:
            raise codes.NOT_KNOWN.refusal("dtype", self._place(thing), name=self._spelled(thing), dtype=dtype)
        return self.T if self.T is not None and float32 == element else element

    def _unknown(self, thing: Any, what: str) -> Exception:
        return codes.NOT_KNOWN.refusal("unknown", self._place(thing), what=what, name=self._spelled(thing))

    def _place(self, thing: Any) -> Any:
        return caller() if isinstance(thing, (str, Half, OfLines)) else location_of(thing) or caller()

    def _spelled(self, thing: Any) -> str:
        if isinstance(thing, Half):
            return f"{self._spelled(thing.thing)}.{thing.index}"
        if isinstance(thing, OfLines):
            return self._spelled(thing.thing)
        return thing if isinstance(thing, str) else self.paths.get(thing.name, str(thing.name))

    def _name(self, thing: Any) -> str:
        """A C++ identifier that no other input and no output has."""
        name = re.sub(r"\W", "_", self._spelled(thing)).strip("_")
        name = f"p_{name}" if not name or name[0].isdigit() else name
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name


def by_node(
    graph_module: Any, examples: Mapping[str, Any] | Sequence[Any] | None, paths: Mapping[str, str]
) -> dict[Any, Any]:
    """Examples by the arguments of the graph. Raises EVT208 for others than it has."""
    if isinstance(examples, Mapping):
        return arguments_of(graph_module, paths, (), examples)[1]
    given = () if examples is None else examples
    return arguments_of(graph_module, paths, given if isinstance(given, (list, tuple)) else (given,), {})[1]


def arguments_of(
    graph_module: Any, paths: Mapping[str, str], given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[list[FxNode], dict[FxNode, Any]]:
    """The arguments of a graph, which are no tensors of the model, and what is given for them. Raises EVT208 for others
    than it has."""
    free = [node for node in graph_module.graph.nodes if node.op == "placeholder" and node.name not in paths]
    nodes = {str(node.target): node for node in free}
    if len(given) > len(free):
        raise codes.NOT_KNOWN.here("count", given=len(given), count=len(free))
    for name in named:
        if name not in nodes:
            raise codes.NOT_KNOWN.here("argument", help=suggest(name, [*nodes]), name=name)
    return free, {**dict(zip(free, given, strict=False)), **{nodes[name]: value for name, value in named.items()}}


def path_of(thing: Any) -> Any:
    """The path of a tensor of the model, for a node that is one; else the thing itself."""
    return str(thing.target) if getattr(thing, "op", "") == "get_attr" else thing


def _of(thing: Any) -> Known:
    """What is known of a tensor, an array, or metadata of one; and of a number."""
    if isinstance(thing, numbers.Real):
        return Known(number=thing if isinstance(thing, (int, float)) else float(thing))
    if not hasattr(thing, "shape"):
        return Known()
    extents = tuple(int(extent) if isinstance(extent, int) else None for extent in thing.shape)
    return Known(extents, str(thing.dtype).removeprefix("torch."))
