"""The interface of visitor nodes.

The checker, the passes, the planner, the templates and the reference use nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..graph.ir import Node, Scalar, Step
from ..graph.shapes import Problem, TensorShape
from ..graph.types import BLOCK_BYTES, ElementType, Layout, RowMajor, float32, half, int8, int32, mask
from ..operators.constants import nearest
from ..targets import Architecture

MAX_TILE_ROWS = 240
"""The most rows of a tile: a vector instruction repeats up to 255 times, and the rows fill whole blocks of any type."""


TRANSPOSED = 16
"""Data blocks of as many lines that one instruction transposes (AscendC API reference, TransDataTo5HD)."""


def transposed_lines(T: ElementType) -> int:
    """Lines of elements, rows or columns, that transposed fill whole data blocks (``Transposition`` of
    transpose.hpp)."""
    return max(TRANSPOSED, BLOCK_BYTES // T.size)


def transposing(T: ElementType) -> tuple[tuple[str, ElementType], ...]:
    """The call that transposes elements, which it tells by their size alone."""
    return (("TransDataTo5HD", {1: int8, 2: half, 4: float32}[T.size]),)


@dataclass(frozen=True)
class Tensor:
    """A tensor in GM that a node reads or writes.

    One that is ``ColumnMajor`` lies there as the transposed one does by rows, and so callers have it.

    Attributes:
        name: field of the arguments struct, unique in the epilogue.
        element: element type.
        shape: its rows and columns in the extents of the problem.
        layout: layout in GM.
        output: whether the epilogue writes it.
        initial: what the caller fills it with before the launch (the identity of a reduction); None when unneeded.
        null_default: what a null pointer stands for, in every element; None where the pointer must not be null.
        indexes: whether its values are numbers of rows.
        rows: the name of the tensor with the numbers of the rows that are written; empty where row i is written as i.
    """

    name: str
    element: ElementType
    shape: TensorShape
    layout: Layout
    output: bool
    initial: float | int | None = None
    null_default: float | int | None = None
    indexes: bool = False
    rows: str = ""

    @property
    def by_columns(self) -> bool:
        """Whether elements of a column are neighbours."""
        return not self.layout.by_rows

    def turned(self, array: Any, parts: int) -> Any:
        """An array of it, its so many parts stacked, as callers have it: each part transposed if it is
        :attr:`by_columns`. Done twice, it is undone."""
        if not self.by_columns:
            return array
        return array.reshape(parts, -1, array.shape[1]).swapaxes(1, 2).reshape(parts * array.shape[1], -1)


def row_indices(name: str) -> Tensor:
    """A tensor of the numbers of rows, one for each row of C."""
    return Tensor(name, int32, TensorShape.COLUMN, RowMajor, output=False, indexes=True)


def name_rows(numbers: Any, count: int) -> Any:
    """Which of these numbers are those of rows of a tensor that has so many: a gather gives 0 for the others, and a
    scatter leaves them out."""
    return (numbers >= 0) & (numbers < count)


def named(tensor: Tensor, inputs: Mapping[str, Any], count: int) -> Any:
    """The rows that an output is written to, of so many, in the order of the rows of C that go there."""
    numbers = inputs[tensor.rows][:, 0]
    return numbers[name_rows(numbers, count)]


@dataclass
class Tensors:
    """The reference's inputs and outputs: arrays by tensor name, the accumulator (M, N), and scalars by name.

    ``second`` is the second accumulator (M, N) of a GEMM that has two. ``flushes_subnormals`` and ``division_ulp`` are
    those of the architecture whose results are meant. ``given`` is the problem where it is several matmuls, whose rows
    are then stacked in every array (M, N).
    """

    acc: Any
    inputs: dict[str, Any]
    outputs: dict[str, Any] = field(default_factory=dict)
    flushes_subnormals: bool = False
    division_ulp: int = 0
    given: Problem | None = None
    second: Any = None

    def accumulator(self, index: int) -> Any:
        """An accumulator by its number."""
        return self.second if index else self.acc

    @property
    def problem(self) -> Problem:
        """What is computed: by default one matmul, of the accumulator's shape."""
        m, n = self.acc.shape
        return self.given or Problem((m,), n, k=0)

    def scalar(self, scalar: Scalar) -> float | int:
        """A number given at run time: a value of its type, with the sign that it is taken with."""
        import numpy as np

        from ..operators.arrays import dtype

        with np.errstate(over="ignore"):
            value = np.asarray(self.inputs[scalar.name]).astype(dtype(scalar.T)).reshape(())
            signed = np.negative(value) if scalar.negative else value
        return int(signed) if scalar.T.kind == "int" else float(signed)


def loaded(tensor: Tensor, tensors: Tensors) -> Any:
    """What a load reads as an array (M, N): its input repeated, or its default where the input was left out.

    Of several matmuls each reads the rows of its own, or those that all share.
    """
    import numpy as np

    from ..operators.arrays import dtype

    array = tensors.inputs.get(tensor.name)
    if array is None:
        assert tensor.null_default is not None
        array = np.asarray(nearest(tensor.null_default, tensor.element), dtype(tensor.element))
        return np.broadcast_to(array, tensors.acc.shape)
    return spread(tensor, array, tensors)


def spread(tensor: Tensor, array: Any, tensors: Tensors) -> Any:
    """The array of a tensor repeated to (M, N)."""
    import numpy as np

    if tensors.given is not None:
        array = _stacked(tensor, array, tensors.given)
    return np.broadcast_to(array, tensors.acc.shape)


def _stacked(tensor: Tensor, array: Any, problem: Problem) -> Any:
    """A tensor's array with rows for those of all matmuls, or with one that stands for each of them."""
    import numpy as np

    if tensor.name not in problem.shared:
        return array if tensor.shape.rows == "M" else np.repeat(array, problem.rows, axis=0)
    return np.tile(array, (problem.count, 1)) if tensor.shape.rows == "M" else array


@dataclass(frozen=True)
class UbParts:
    """Bytes of UB that a node needs in each buffer, by how long it needs them; or where each of these begins.

    ``UbParts`` of the framework's ``visitor_impl_base.hpp`` is the same.

    Attributes:
        tile: the output, until its last reader is done; from LOAD on where the node loads it, else from its COMPUTE on.
        loaded: what LOAD copies for the node's own COMPUTE.
        scratch: for the node's own COMPUTE alone.
        stored: what the node's COMPUTE makes for its STORE.
    """

    tile: int = 0
    loaded: int = 0
    scratch: int = 0
    stored: int = 0

    def __iter__(self) -> Iterator[int]:
        return iter((self.tile, self.loaded, self.scratch, self.stored))


ALL_INPUTS = 0xFFFFFFFF
"""Of :attr:`Traits.in_place`: any input."""


@dataclass(frozen=True)
class Traits:
    """What the plan of a tile needs to know of a node; ``visitor_impl_base.hpp`` has the same by the same names.

    Attributes:
        loaded: LOAD fills the tile that the node returns.
        pending: V fills it, in COMPUTE.
        forwards: the node returns its first input.
        reads_in_compute, reads_in_store: the stages in which it reads its inputs.
        has_barrier: its COMPUTE issues a barrier of V.
        kept: the tile is filled before the first tile of all, and nothing else ever takes its place.
        in_place: bit i is set if its tile may be that of input i, wherever nothing else reads that any more.
    """

    loaded: bool = False
    pending: bool = False
    forwards: bool = False
    reads_in_compute: bool = False
    reads_in_store: bool = False
    has_barrier: bool = False
    kept: bool = False
    in_place: int = 0


@dataclass(frozen=True)
class VisitorNode(Node):
    """A visitor node, mirrored by one class template of the framework.

    Attributes:
        header: the emitted header that holds the template.
        min_inputs, max_inputs: how many inputs it takes; None is any number.
        forwards: its output is its (first) input itself, in the same buffer.
        writes: it writes GM, so its visit is an effect.
        narrows: ``auto_cast`` may round its input to its own type; any other node would compute in fewer bits.
        joins: it has no output of its own and only holds a graph together.
        by_rows: it works row by row, so that every row of a tile starts on a data block.
    """

    header: ClassVar[str]
    min_inputs: ClassVar[int] = 0
    max_inputs: ClassVar[int | None] = 0
    forwards: ClassVar[bool] = False
    writes: ClassVar[bool] = False
    narrows: ClassVar[bool] = False
    joins: ClassVar[bool] = False
    by_rows: ClassVar[bool] = True

    @property
    def template(self) -> str:
        """The name of its class template, after which the header is called."""
        return pascal(self.header.removesuffix(".hpp"))

    @property
    def element(self) -> ElementType:
        """Element type of the output."""
        raise NotImplementedError

    def takes(self, index: int) -> ElementType | None:
        """Element type that an input must have; None takes any."""
        return None

    @property
    def tensor(self) -> Tensor | None:
        """The tensor in GM that its arguments name."""
        return None

    @property
    def indices(self) -> Tensor | None:
        """The tensor of the numbers of the rows of :attr:`tensor` that it reads or writes, where it names them."""
        return None

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All tensors in GM that its arguments name."""
        return tuple(tensor for tensor in (self.tensor, self.indices) if tensor is not None)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The numbers that its arguments name."""
        return ()

    @property
    def granule(self) -> int:
        """The number of elements of which its buffers' length must be a multiple. By default, tiles of any type then
        end on a data block."""
        return 32

    @property
    def stride_align(self) -> int:
        """Elements that the row stride of a tile is a multiple of, as a node asks for which works by rows;
        ``STRIDE_ALIGN`` of its template."""
        element: ElementType = getattr(self, "T", self.element)
        return BLOCK_BYTES // element.size if self.by_rows and element != mask else 1

    @property
    def row_align(self) -> int:
        """Rows of which a tile has a multiple, though the last few may not be there; ``ROW_ALIGN`` of its template."""
        return 1

    def alias(self, inputs: Sequence[str]) -> str:
        """A short C++ name for the node in its epilogue's header, given the :meth:`subject` of each input.

        The planner makes it unique.
        """
        raise NotImplementedError

    def subject(self, inputs: Sequence[str]) -> str:
        """The name of its output within the names of other parts of the graph: ``X`` for a load, ``Plus`` for an
        operator."""
        if self.forwards:
            return inputs[0]
        return self.alias(inputs) if self.tensor is None else pascal(self.tensor.name)

    def cpp(self, fusion: str) -> str:
        """The C++ type. ``fusion`` is the prefix of the framework's names."""
        raise NotImplementedError

    @property
    def traits(self) -> Traits:
        """What the plan of a tile needs to know of it, as its template says it too."""
        raise NotImplementedError

    def ub_parts(self, compute_length: int) -> UbParts:
        """Bytes of UB of one buffer for tiles of up to ``compute_length`` elements."""
        return UbParts()

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        """The AscendC calls it makes and the element type of each, for the checker; casts are checked apart."""
        return ()

    def unsupported(self, arch: Architecture) -> tuple[str, ElementType] | None:
        """The first of :meth:`calls` that ``arch`` does not have."""
        for call, element in self.calls():
            if element not in arch.calls.get(call, ()):
                return call, element
        return None

    def formula(self, inputs: list[str]) -> str:
        """The output as text, for comments: ``(C + X)``."""
        return self.tensor.name if self.tensor is not None else f"{self.element.cpp}({bare(inputs[0])})"

    def assignment(self, value: str) -> str:
        """The assignment of a node that writes, as text: ``D = C + X``."""
        raise NotImplementedError

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        """One element of the output as a C++ expression over floats, on the host.

        It rounds where the device rounds; ``acc``, ``row``, ``column``, ``n`` and ``host<Suffix>`` are in scope, by the
        suffix that each argument has in generated names.
        """
        raise NotImplementedError

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        """The C++ statement that puts an element into ``golden<Suffix>``, of a node that writes. ``extents`` are the
        rows and the columns that a reduction joins."""
        raise NotImplementedError

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        """The output as a numpy array (M, N) of the output's dtype; writes outputs into ``tensors``."""
        raise NotImplementedError


def node_of(step: Step) -> VisitorNode:
    """The step's node, which after the check is one of :data:`evtgen.nodes.NODE_KINDS`."""
    assert isinstance(step.node, VisitorNode)
    return step.node


def bare(text: str) -> str:
    """A formula without the parentheses around the whole of it."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def rounded(value: str, element: ElementType) -> str:
    """A golden expression rounded to a 16-bit float; other types need none."""
    return f"Round<{element.host}>({value})" if element.host != element.cpp else value


def pascal(name: str) -> str:
    """``row_out`` → ``RowOut``; a name that is one capital or already mixed stays as it is."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part)
