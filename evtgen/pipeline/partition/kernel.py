"""A kernel of a partitioned model: an epilogue, and what its tensors are in the model."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ...frontend.fx.npu import Packed
from ...frontend.fx.scales import Lay
from ...graph.ir import Epilogue
from ...graph.shapes import Shape, TensorShape
from ...graph.types import uint64
from ...nodes import Tensor
from ...planner.scales import SCALE_OF_A
from ..run import Compiled


@dataclass(eq=False, repr=False)
class Kernel:
    """One launch. Called with the tensors of the model that it reads, it gives those that it writes.

    Attributes:
        epilogue: what it computes; its name is the path of the module that the matmul is in.
        fuses: what the nodes behind the matmul call in the model's graph.
        bindings: what its operands and inputs are in the model, by name: paths of parameters, and names of nodes.
        outputs: the nodes of the model that it writes, by the names of the epilogue's outputs.
        graph_module: what it computes, in PyTorch.
        shape: (M, N, K) at the examples, of one matmul if there is a batch of them.
        batch: how many there are, at the examples; None without a batch.
        launches_before: how many launches it takes the place of.
        bytes_before, bytes_after: what PyTorch moves for it, one node after the other, and what the kernel moves.
        us_before, us_after: the modelled time of both, in microseconds.
        call: how it is called.
    """

    epilogue: Epilogue
    fuses: tuple[str, ...]
    bindings: dict[str, str]
    outputs: dict[str, str]
    graph_module: Any
    shape: Shape
    batch: int | None
    launches_before: int
    bytes_before: int
    bytes_after: int
    us_before: float
    us_after: float
    call: Call

    def __post_init__(self) -> None:
        # A graph of torch calls it as a function.
        self.__name__ = f"kernel_{self.name}"

    def __repr__(self) -> str:
        return f"<kernel {self.name}: {', '.join(self.fuses) or 'a matmul alone'}>"

    @property
    def name(self) -> str:
        """Of the epilogue."""
        return self.epilogue.name

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        return self.call(*given)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        keys = ("fuses", "bindings", "outputs", "shape", "batch", "launches_before", "bytes_before", "bytes_after")
        times = {key: round(getattr(self, key), 2) for key in ("us_before", "us_after")}
        return {"name": self.name, **{key: getattr(self, key) for key in keys}, **times}


@dataclass(frozen=True)
class Call:
    """How tensors of a model become those of a kernel, and the kernel's become the model's.

    Attributes:
        compiled: the kernel, a function of arrays.
        names: of what it is called with, in order.
        a, b: the operands: their names, and whether they are transposed; two Bs of two weights.
        extents: of each argument, its extents in the model's graph: numbers and expressions.
        leads: the leading extents of what is computed of each.
        outputs: their names, with their extents.
        halves: of an input that is half of an argument's columns, the argument, and which half.
        groups: the argument that says where the groups of rows end, if there are groups.
        vectors: of each input that widens B or scales an operand, the argument, and how the kernel has it.
        packed: how B lies in its argument, if it is of int4.
    """

    compiled: Compiled
    names: Sequence[str]
    a: tuple[str, bool]
    b: Sequence[tuple[str, bool]]
    extents: Mapping[str, Sequence[Any]]
    leads: Mapping[str, Sequence[Any]]
    outputs: Mapping[str, Sequence[Any]]
    halves: Mapping[str, tuple[str, int]]
    groups: str | None = None
    vectors: Mapping[str, tuple[str, Lay]] = field(default_factory=dict)
    packed: Packed | None = None

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        """The outputs of the part of the model's graph, of the tensors that it reads."""
        tensors = {
            name: one.detach() if hasattr(one, "detach") else one for name, one in zip(self.names, given, strict=True)
        }
        torch = sys.modules["torch"]
        gemm, of_b = self.compiled.plan.gemm, self.b[0][0]
        tensors[of_b] = tensors[of_b] if self.packed is None else self.packed.bytes_of(tensors[of_b])
        a, *b = (tensors[name].mT if turned else tensors[name] for name, turned in (self.a, *self.b))
        n = b[0].shape[-1] // (2 if gemm.accumulators == "halves" else 1)
        n *= 1 if self.packed is None or self.b[0][1] else 2  # two in each byte of a row
        if gemm.batch:
            lead = torch.broadcast_shapes(a.shape[:-2], b[0].shape[:-2])
            a, *b = (one.expand(*lead, *one.shape[-2:]).flatten(0, -3) for one in (a, *b))
        else:
            a = a.reshape(-1, a.shape[-1])
        laid, known = _of_batch if gemm.batch else _of_rows, self._known(tensors)
        leads = {name: [_size(one, known) for one in of] for name, of in self.leads.items()}
        for name, (whole, index) in self.halves.items():
            tensors[name], leads[name] = tensors[whole].chunk(2, -1)[index], leads[whole]
        inputs = {scalar.name: tensors[scalar.name] for scalar in self.compiled.plan.scalars}
        for one in self._inputs:
            if one.name in self.vectors:
                argument, lay = self.vectors[one.name]
                vector = lay(tensors[argument], a if one.name == SCALE_OF_A else b[0].mT)
                # Operators of PyTorch take uint64 as torch_npu has it, of int64
                inputs[one.name] = vector if one.element == uint64 else vector.to(getattr(torch, one.element.numpy))
            else:
                inputs[one.name] = laid(tensors[one.name], one.shape, leads[one.name], len(one.columns.of(n)))
        if self.groups is not None:
            listed = tensors[self.groups].tolist()
            is_counted = gemm.group_list == "counts"
            inputs["groups"] = listed if is_counted else [end - before for before, end in pairwise([0, *listed])]
        results = self.compiled(a, b[0] if len(b) == 1 else b, **inputs, copy=True)
        return tuple(results[name].reshape([_size(one, known) for one in of]) for name, of in self.outputs.items())

    @property
    def _inputs(self) -> list[Tensor]:
        return [tensor for tensor in self.compiled.plan.tensors if not tensor.output]

    def _known(self, tensors: Mapping[str, Any]) -> dict[Any, int]:
        """What expressions are in this call."""
        known: dict[Any, int] = {}
        for name, extents in self.extents.items():
            sizes = tensors[name].shape if hasattr(tensors[name], "shape") else [tensors[name]]
            known |= {one: size for one, size in zip(extents, sizes, strict=True) if not isinstance(one, int)}
        return known


def _size(extent: Any, known: Mapping[Any, int]) -> int:
    if isinstance(extent, int):
        return extent
    return known[extent] if extent in known else int(extent.subs(known))


def _of_rows(tensor: Any, shape: TensorShape, lead: Sequence[int], n: int) -> Any:
    """A tensor of the model as the kernel has it: leading axes are rows, and a bool is a byte."""
    columns = n if shape.columns == "N" else 1
    if shape.rows == "M" and tensor.numel() != math.prod(lead) * columns:
        tensor = tensor.expand(*lead, columns)
    return _bytes(tensor.reshape(-1, columns))


def _of_batch(tensor: Any, shape: TensorShape, lead: Sequence[int], n: int) -> Any:
    """The same in a batch: a part for each of its matrices, or one that all share."""
    columns = n if shape.columns == "N" else 1
    while tensor.dim() < 2:
        tensor = tensor.unsqueeze(0)
    rows = tensor.shape[-2]
    if tensor.shape[:-2].numel() == 1:
        return _bytes(tensor.reshape(rows, tensor.shape[-1]).expand(rows, columns))
    return _bytes(tensor.expand(*lead[:-1], rows, columns).flatten(0, -3))


def _bytes(tensor: Any) -> Any:
    return tensor.byte() if str(tensor.dtype) == "torch.bool" else tensor
