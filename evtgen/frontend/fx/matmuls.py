"""The matmuls of a graph, and which of them is the accumulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ...diagnostics import reading as codes
from ...graph.location import caller
from ...planner.scales import SCALE_OF_A
from ...planner.widening import SCALE, ZERO
from ...system.translation import tr
from . import npu
from .nodes import FxNode, at, called, described, is_python, location_of, module_of
from .npu import Packed
from .quantized import stored
from .scales import ARGUMENTS, Lay, OfLines, in_a_row, scales_of, turned

MATMULS = (
    "linear", "addmm", "mm", "matmul", "bmm", "baddbmm", "_int_mm", "_grouped_mm", "grouped_mm", "_weight_int8pack_mm",
    *ARGUMENTS, *npu.ARGUMENTS,
)  # fmt: skip
"""The functions that are matmuls."""

_OPERANDS = {
    "linear": ("input", "weight"), "addmm": ("mat1", "mat2"), "baddbmm": ("batch1", "batch2"),
    **dict.fromkeys(("matmul", "__matmul__"), ("input", "other")), "grouped_mm": ("mat_a", "mat_b"),
    **{name: names[:2] for name, names in npu.ARGUMENTS.items()},
}  # fmt: skip
"""The names of A and B, where they are not ``input`` and ``mat2``."""

_TURNED = ("t", "T", "mT", "transpose", "permute", "swapaxes", "swapdims", "numpy_T")


@dataclass(frozen=True)
class Product:
    """One matmul.

    Attributes:
        node: it.
        a, b: its operands: nodes, or the path of a parameter. Where an operand is transposed in the graph, it is what
            is transposed.
        a_transposed, b_transposed: whether it is.
        bias: what is added: a node, the path of a parameter, or None.
        alpha, beta: the factors of the product and of what is added.
        batch: whether it is a product of every matrix of a batch.
        groups: of rows in groups, each with a matrix of B, the node that says where the rows of each end.
        counts: it says how many rows each has instead.
        scale, zero: of a B of 8 bits that is widened, what it is multiplied by, and what is subtracted first.
        a_scale: what parts of K of A are multiplied by, where those of B have scales, too.
        scales: which parts of B have scales of their own, in the words of a Gemm.
        lays: how the kernel has those of A and those of B, and what is subtracted from B, if otherwise.
        stores: the node itself widens B.
        packed: how B lies in its tensor, if it is of int4.
        between: the nodes that widen it.
        factors: what the product is multiplied by, rows or columns.
        refused: the scales of A and of B, in torch's words, if no kernel has them.
        out: the type of the result, where the node says one.
        copies: other nodes that are the same product, because the model calls one layer on one input again.
    """

    node: FxNode
    a: Any
    b: Any
    a_transposed: bool
    b_transposed: bool
    bias: Any = None
    alpha: Any = 1
    beta: Any = 1
    batch: bool = False
    groups: FxNode | None = None
    counts: bool = False
    scale: Any = None
    zero: Any = None
    a_scale: Any = None
    scales: str | None = None
    lays: tuple[Lay, ...] = (turned, in_a_row)
    stores: bool = False
    packed: Packed | None = None
    between: tuple[FxNode, ...] = ()
    factors: tuple[Any, ...] = ()
    refused: tuple[str, str] | None = None
    out: Any = None
    copies: tuple[FxNode, ...] = ()

    @property
    def nodes(self) -> tuple[FxNode, ...]:
        return (self.node, *self.copies)

    @property
    def vectors(self) -> dict[str, Any]:
        """What the kernel itself reads to scale the operands, by the names of its inputs."""
        named = {SCALE_OF_A: self.a_scale, SCALE: self.scale, ZERO: self.zero}
        return {name: one for name, one in named.items() if one is not None}

    def lay(self, name: str) -> Lay:
        """How the kernel has one of the :attr:`vectors`."""
        return self.lays[{SCALE_OF_A: 0, SCALE: 1, ZERO: -1}[name]]

    @property
    def read(self) -> tuple[Any, ...]:
        """What is no tensor of the epilogue's own shape: the operands, and scales of their lines."""
        lines = (one.thing for one in self.factors if isinstance(one, OfLines))
        return (self.a, self.b, *self.vectors.values(), *lines)

    @property
    def is_alone(self) -> bool:
        """Whether its kernel has no second accumulator."""
        return self.widens or bool(self.vectors)

    @property
    def widens(self) -> bool:
        """Whether B is stored in fewer bits than A."""
        return bool(self.between) or self.stores


@dataclass(frozen=True)
class Chosen:
    """The matmuls whose results are the accumulators.

    Attributes:
        products: one, or two that share A.
        form: that of two accumulators in a Gemm.
        halves: of ``"halves"``, the node that cuts the product in two, or the two that take a half each.
    """

    products: tuple[Product, ...]
    form: Literal["halves", "separate"] | None = None
    halves: tuple[FxNode, ...] = ()

    @property
    def nodes(self) -> tuple[FxNode, ...]:
        return tuple(product.node for product in self.products)

    @property
    def all_nodes(self) -> tuple[FxNode, ...]:
        """Those of the copies, too."""
        return tuple(node for product in self.products for node in product.nodes)

    @property
    def accumulators(self) -> int:
        return 1 if self.form is None else 2


def product_of(graph_module: Any, node: FxNode) -> Product | None:
    """A node as a matmul; None for anything else, and for a form of a matmul that no kernel has."""
    product = _product(graph_module, node)
    if not isinstance(product, Product):
        return None
    if product.batch or product.groups is not None or product.out is not None or product.factors:
        return product
    found = stored(graph_module, product.b, product.b_transposed, turned_of)
    if found is None:
        return product
    views, inner = list[FxNode](), node.args[1 + (called(node) == "addmm")]
    while inner is not product.b:
        views.append(inner)
        inner = inner.all_input_nodes[0]
    lays = turned, turned if found.scales not in (None, "column") else in_a_row
    return replace(
        product, b=found.weight, b_transposed=found.transposed, scale=found.scale, zero=found.zero, scales=found.scales,
        lays=lays, between=(*views, *found.between),
    )  # fmt: skip


def unfit(graph_module: Any, node: FxNode) -> str | None:
    """The argument because of which no kernel has this form of a matmul; None for any other node."""
    if called(node).startswith("_weight_int4pack_mm"):
        return tr("weights in the order of PyTorch's own kernels")
    found = _product(graph_module, node)
    return found if isinstance(found, str) else None


def _product(graph_module: Any, node: FxNode) -> Product | str | None:
    """A node as a matmul, or what is :func:`unfit` in it; None for anything else."""
    module = module_of(graph_module, node)
    if module is not None:
        if type(module).__name__ != "Linear" or not type(module).__module__.startswith("torch.nn"):
            return None
        bias = None if module.bias is None else f"{node.target}.bias"
        a, a_turned = _rows(node.args[0])
        return Product(node, a, f"{node.target}.weight", a_turned, True, bias)
    name = called(node)
    if name not in MATMULS and not (name == "__matmul__" and node.op == "call_method"):
        return None
    given = {**dict(enumerate(node.args)), **node.kwargs}
    adds = name in ("addmm", "baddbmm")
    keys = _OPERANDS.get(name, ("input", "mat2"))
    left, right = (npu.one_of(given.get(adds + i, given.get(key))) for i, key in enumerate(keys))
    (a, a_turned), (b, b_turned) = turned_of(left) if _rank(right) != 2 else _rows(left), turned_of(right)
    bias = given.get(0, given.get("input")) if adds else given.get(2, given.get("bias")) if name == "linear" else None
    if name in ("_grouped_mm", "grouped_mm"):
        offs, *more = (given.get(i + 2, given.get(key)) for i, key in enumerate(("offs", "bias", "out_dtype")))
        product = Product(node, a, b, a_turned, b_turned)
        return "bias" if more[0] else f"out_dtype={more[1]}" if more[1] else _grouped(product, offs)
    if name in (*ARGUMENTS, *npu.ARGUMENTS):
        product = Product(node, a, b, a_turned, b_turned)
        return _scaled(graph_module, product, (left, right)) if name in ARGUMENTS else _of_npu(graph_module, product)
    is_int8, is_weight = name == "_weight_int8pack_mm", name in ("linear", "_weight_int8pack_mm")
    scaled = (given.get(2, given.get("scales")),) if is_int8 else ()
    factors = given.get("alpha", 1), given.get("beta", 1)
    is_batch = name in ("bmm", "baddbmm")
    return Product(
        node, a, b, a_turned, b_turned != is_weight, bias, *factors, is_batch, factors=scaled, stores=is_int8
    )  # fmt: skip


def _grouped(product: Product, groups: Any) -> Product | str:
    """A matmul of rows in groups; unfit is one whose groups are no rows."""
    if groups is None or product.a_transposed or (_rank(product.a), _rank(product.b)) != (2, 3):
        return "offs=None" if groups is None else tr("groups that are not of rows")
    return replace(product, groups=groups)


def _scaled(graph_module: Any, product: Product, operands: tuple[Any, Any]) -> Product | str:
    """A matmul with scales of both operands, whose result has a type of its own; unfit is a scale of the result."""
    node, name = product.node, called(product.node)
    given = {**dict(zip(ARGUMENTS[name], node.args[2:], strict=False)), **node.kwargs}
    found, out, bias = scales_of(graph_module, node, operands, given), given.get("out_dtype"), given.get("bias")
    if "grouped" in name and out is None:
        out = getattr(described(node), "dtype", None)
    more = [key for key in ("scale_result", "contraction_dim") if given.get(key)]
    if more or out is None:
        return more[0] if more else "out_dtype=None"
    product = replace(product, bias=bias, out=out, refused=found.refused)
    if "grouped" in name:
        factors = OfLines(found.a, "ColVector"), OfLines(found.b, "RowVector")
        return _grouped(replace(product, factors=factors), given.get("offs")) if bias is None else "bias"
    if found.of is None:
        return replace(product, factors=(found.a, found.b))
    return replace(product, a_scale=found.a, scale=found.b, scales=found.of, lays=found.lays)


def _of_npu(graph_module: Any, product: Product) -> Product | str:
    """A matmul of torch_npu with scales; unfit is one in lists of several tensors, too."""
    a, b = product.a, product.b
    if not (hasattr(a, "op") and hasattr(b, "op")):
        return tr("several tensors")
    found = npu.fields_of(graph_module, product.node, (a, b), product.b_transposed)
    if isinstance(found, str):
        return found
    groups = found.pop("groups", None)
    made = replace(product, **found)
    return made if groups is None else _grouped(made, groups)


def choose(graph_module: Any, names: Sequence[str] | None) -> Chosen:
    """The matmul that is meant. Raises EVT207 if there is none, or several that may be; EVT206 for one that no kernel
    has."""
    products = distinct(graph_module)
    known = ", ".join(product.node.name for product in products)
    if not products:
        _refuse_unfit(graph_module)
        raise codes.NO_MATMUL.here("none", functions=", ".join(MATMULS))
    if names is None:
        found = products
        if len(found) == 1:
            return alone(found[0], graph_module)
        if len(found) == 2 and share(*found):
            return Chosen(tuple(found), "separate")
        raise codes.NO_MATMUL.here("several", count=len(found), known=known, name=found[0].node.name)
    found = []
    for name in names:
        meant = [made for made in products if any(name in _names(node) for node in made.nodes)]
        if not meant:
            _refuse_unfit(graph_module, name)
        if len(meant) != 1:
            raise codes.NO_MATMUL.here("ambiguous" if meant else "unknown", name=name, known=known)
        found += meant
    if len(found) == 1:
        return alone(found[0], graph_module)
    if len(found) != 2 or found[0].node is found[1].node or not share(*found):
        raise codes.NO_MATMUL.refusal("two products", location_of(found[0].node) or caller(), names=", ".join(names))
    return Chosen(tuple(found), "separate")


def _refuse_unfit(graph_module: Any, name: str | None = None) -> None:
    """Refuse the first matmul, or that of a name, that has a form which no kernel has. Raises EVT206."""
    for node in graph_module.graph.nodes:
        if (name is None or name in _names(node)) and (argument := unfit(graph_module, node)) is not None:
            with at(node):
                raise codes.NODE.here("unfit", name=called(node), argument=argument)


_OF_ITS_NODE = ("node", "between", "copies")
"""The fields that differ where a graph has a product again."""


def distinct(graph_module: Any) -> list[Product]:
    """Products that are the same in all but their nodes as one, with the others as its copies."""
    found = dict[Any, Product]()
    for product in filter(None, (product_of(graph_module, node) for node in graph_module.graph.nodes)):
        said = (getattr(product, field.name) for field in fields(Product) if field.name not in _OF_ITS_NODE)
        key = (called(product.node), *map(_tensor, said))
        first = found.get(key)
        found[key] = product if first is None else replace(first, copies=(*first.copies, product.node))
    return list(found.values())


def _tensor(thing: Any) -> Any:
    """What is the same for the same tensor: a node, or the path of a parameter. Of several, for the same ones."""
    if isinstance(thing, tuple):
        return tuple(map(_tensor, thing))
    if isinstance(thing, OfLines):
        return replace(thing, thing=_tensor(thing.thing))
    return str(thing.target) if getattr(thing, "op", "") == "get_attr" else thing


def _names(node: FxNode) -> tuple[str, ...]:
    """What a matmul may be called: its node, and the path of the module that it is in."""
    stack = [str(path).removeprefix("L['self'].") for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
    return (node.name, str(node.target), *stack[-1:])


def alone(product: Product, graph_module: Any = None) -> Chosen:
    """A product alone, or as two accumulators where the graph cuts its columns into halves."""
    if product.is_alone:
        return Chosen((product,))
    columns, last = _columns(product, graph_module), product.node
    while len(last.users) == 1 and _is_same(next(iter(last.users))):
        (last,) = last.users
    users = list(last.users)
    if not product.copies and len(users) == 1 and _cuts(users[0], columns):
        return Chosen((product,), "halves", (users[0],))
    parts = sorted((part, i) for i, part in enumerate(_part(user, columns) for user in users) if part is not None)
    if columns and not product.copies and [part for part, _ in parts] == [(0, columns // 2), (columns // 2, columns)]:
        return Chosen((product,), "halves", tuple(users[i] for _, i in parts))
    return Chosen((product,))


def between(product: FxNode, cut: FxNode) -> list[FxNode]:
    """The views between a product and what cuts it."""
    found, node = [], cut.all_input_nodes[0]
    while node is not product:
        found.append(node)
        node = node.all_input_nodes[0]
    return found


def _is_same(node: FxNode) -> bool:
    """Whether it is a tensor with other leading extents."""
    if called(node) not in ("view", "reshape", "_unsafe_view"):
        return False
    given, made = (getattr(described(one), "shape", None) for one in (node.all_input_nodes[0], node))
    return bool(given and made and given[-1] == made[-1])


def _columns(product: Product, graph_module: Any) -> int | None:
    """The columns of a product, as far as the graph or the weight says it."""
    shape = getattr(described(product.node), "shape", None)
    if shape is None and isinstance(product.b, str) and graph_module is not None:
        shape = graph_module.get_parameter(product.b).shape[:1]
    return int(shape[-1]) if shape and isinstance(shape[-1], int) else None


def _cuts(node: FxNode, columns: int | None) -> bool:
    """Whether it cuts a tensor into halves."""
    name, given = called(node), {**dict(enumerate(node.args)), **node.kwargs}
    if name in ("split", "split_with_sizes"):
        sizes = given.get(1, given.get("split_size", given.get("split_size_or_sections", given.get("split_sizes"))))
        if isinstance(sizes, (list, tuple)):
            return len(sizes) == 2 and sizes[0] == sizes[1]
        return columns is not None and isinstance(sizes, int) and columns == 2 * sizes
    return name == "glu" or (name == "chunk" and given.get(1, given.get("chunks")) == 2)


def _part(node: FxNode, columns: int | None) -> tuple[int, int] | None:
    """The columns that a node takes of a tensor; None where it takes others, or something else."""
    given, args = described(node.all_input_nodes[0]), node.args
    if columns is None:
        return None
    if called(node) == "slice" and len(args) in (3, 4) and given is not None and args[1] in (-1, len(given.shape) - 1):
        start, end = args[2], args[3] if len(args) == 4 else None
    elif called(node) == "getitem" and isinstance(args[1], tuple) and isinstance(args[1][-1], slice):
        *before, last = args[1]
        if any(one not in (..., slice(None)) for one in before) or last.step not in (None, 1):
            return None
        if ... not in before and (given is None or len(before) + 1 != len(given.shape)):
            return None
        start, end = last.start, last.stop
    else:
        return None
    start, end = start or 0, columns if end is None else end
    is_known = isinstance(start, int) and isinstance(end, int)
    return (start + columns * (start < 0), min(end + columns * (end < 0), columns)) if is_known else None


def share(one: Product, other: Product) -> bool:
    """Whether two products have A in common, and its groups of rows, and neither needs the other."""
    if one.a is not other.a or one.a_transposed != other.a_transposed or one.b_transposed != other.b_transposed:
        return False
    if one.batch or other.batch or one.is_alone or other.is_alone or _tensor(one.groups) != _tensor(other.groups):
        return False
    return not (
        any(depends(node, {*other.nodes}) for node in one.nodes)
        or any(depends(node, {*one.nodes}) for node in other.nodes)
    )


def depends(node: FxNode, on: set[FxNode]) -> bool:
    """Whether a node is made of one of others."""
    waiting, seen = list(node.all_input_nodes), set()
    while waiting:
        current = waiting.pop()
        if current in on:
            return True
        if current not in seen:
            seen.add(current)
            waiting += current.all_input_nodes
    return False


def turned_of(operand: Any) -> tuple[Any, bool]:
    """What an operand is the transpose of, and whether it is one; itself otherwise."""
    turned = False
    while hasattr(operand, "op") and (inner := _transposes(operand)) is not None:
        operand, turned = inner, not turned
    return operand, turned


def _transposes(node: FxNode) -> FxNode | None:
    """The matrix that a node is the transpose of; None where it is none."""
    name, args = called(node), node.args
    if name == "getattr" and is_python(node) and args[1] in ("T", "mT"):
        return args[0]
    if name not in _TURNED or not args or not hasattr(args[0], "op"):
        return None
    rest = [*args[1:], *node.kwargs.values()]
    axes = list(rest[0]) if len(rest) == 1 and isinstance(rest[0], (list, tuple)) else rest
    if name in ("t", "T", "mT", "numpy_T"):
        return args[0]
    if name == "permute":
        return args[0] if axes in ([1, 0], [0, 2, 1]) else None
    count = _rank(node)
    if count is not None:
        return args[0] if {axis % count for axis in axes} == {count - 2, count - 1} else None
    return args[0] if sorted(axes, key=str) in ([0, 1], [-1, -2], [1, 2]) else None


def _rows(operand: Any) -> tuple[Any, bool]:
    """As :func:`turned_of`, for an operand all of whose leading axes are rows: several of them cannot be columns."""
    return turned_of(operand) if _rank(operand) in (None, 2) else (operand, False)


def _rank(operand: Any) -> int | None:
    """How many axes a tensor has, if the graph says so."""
    meta = getattr(operand, "meta", {})
    shape = getattr(meta.get("val", meta.get("tensor_meta")), "shape", None)
    return None if shape is None else len(shape)
