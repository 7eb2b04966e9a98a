"""The functions of ``ops`` on torch's tensors, by torch's own functions: on the tensor's device, and gradients flow.

Whoever has a tensor has imported torch; so it is looked up among the modules that are loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.types import ElementType
from ...nodes.base import name_rows
from ...operators.arrays import to_scale
from ...operators.constants import limits
from ...operators.declaration import Operator
from . import numpy_arrays

Tensor = Any

_OWN = (
    "relu", "relu6", "hardtanh", "leaky_relu", "sigmoid", "tanh", "silu", "gelu", "mish", "softsign", "elu", "selu",
    "celu", "hardsigmoid", "hardswish", "reciprocal", "rsqrt", "erf",
)  # fmt: skip
"""Operators that torch has under their name, and with their constants."""

_OTHERWISE: dict[str, Callable[..., Tensor]] = {
    "gelu_tanh": lambda torch, a: torch.nn.functional.gelu(a, approximate="tanh"),
    "quick_gelu": lambda torch, a: a * torch.sigmoid(1.702 * a),
    "swish": lambda torch, a, beta: a * torch.sigmoid(beta * a),
    "add_relu": lambda torch, a, b: torch.relu(a + b),
    "subtract_relu": lambda torch, a, b: torch.relu(a - b),
    "prelu": lambda torch, a, b: torch.clamp(a, min=0) + b * torch.clamp(a, max=0),
}
"""Operators whose functions of numpy are none of torch's, or have no gradient far out."""


class _Numpy:
    """torch under the names that numpy has for its functions; numbers become tensors of the type of ``like``."""

    def __init__(self, torch: Any, like: Tensor) -> None:
        self._torch, self._like = torch, like

    def __getattr__(self, name: str) -> Callable[..., Tensor]:
        function = getattr(self._torch, {"rint": "round", "equal": "eq"}.get(name, name))

        def call(*operands: Any) -> Tensor:
            return function(*(self._tensor(operand) for operand in operands))

        return call

    def _tensor(self, operand: Any) -> Tensor:
        if isinstance(operand, self._torch.Tensor):
            return operand
        return self._torch.as_tensor(operand, dtype=self._like.dtype, device=self._like.device)


def compute(operator: Operator, operands: Sequence[Any], constants: Sequence[Any]) -> Tensor:
    """See :class:`evtgen.frontend.eager.Library`; so all here."""
    torch = sys.modules["torch"]
    if type(operator) is not Operator:
        return _of_the_user(torch, operator, operands, constants)
    given = [x for x in operands if isinstance(x, torch.Tensor)]
    values = [x for x in given if x.dtype != torch.bool]
    T = _common(torch, values)
    if operator.ulp and T is not None:
        operands = [wide(x) if isinstance(x, torch.Tensor) and x.dtype != torch.bool else x for x in operands]
    like = next((x for x in operands if isinstance(x, torch.Tensor) and x.dtype != torch.bool), None)
    like = torch.zeros((), device=given[0].device) if like is None else like
    result = _called(torch, operator, operands[: operator.inputs], constants, like)
    for more in operands[operator.inputs :]:
        result = _called(torch, operator, (result, more), (), like)
    return result.to(T) if T is not None and T.is_floating_point and result.dtype != torch.bool else result


def _called(torch: Any, operator: Operator, operands: Sequence[Any], constants: Sequence[Any], like: Tensor) -> Tensor:
    if operator.name in _OWN:
        own = getattr(torch.nn.functional, operator.name, None) or getattr(torch, operator.name)
        return own(*operands, *constants)
    if operator.name in _OTHERWISE:
        return _OTHERWISE[operator.name](torch, *operands, *constants)
    return operator.numpy(_Numpy(torch, like), *operands, *constants)


def _of_the_user(torch: Any, operator: Operator, operands: Sequence[Any], constants: Sequence[Any]) -> Tensor:
    """A user's own operator, whose function is numpy's: no gradient flows."""
    T = _common(torch, [x for x in operands if isinstance(x, torch.Tensor)])
    plain = [wide(x).detach().cpu().numpy() if isinstance(x, torch.Tensor) else x for x in operands]
    device = next(x.device for x in operands if isinstance(x, torch.Tensor))
    return torch.from_numpy(numpy_arrays.compute(operator, plain, constants)).to(device, T)


def cast(array: Tensor, T: ElementType, mode: str) -> Tensor:
    torch = sys.modules["torch"]
    to = getattr(torch, T.numpy)
    if array.is_floating_point() and T.kind == "int":
        rounded = _ROUNDED[mode](torch, array.to(torch.float64)).nan_to_num(nan=0.0)
        whole = rounded.clamp(*limits(T))
        return whole if array.dtype == torch.float64 else whole.to(to)
    if array.dtype == torch.float64 and T.kind == "scale":
        return torch.from_numpy(to_scale(array.detach().cpu().numpy())).to(array.device)
    if array.dtype == torch.float64:
        return array
    if T.kind == "int" and array.dtype != torch.bool:
        return array.clamp(*limits(T)).to(to) if array.element_size() >= T.size else array.to(to)
    if mode in ("CAST_NONE", "CAST_RINT") or array.dtype == torch.bool or not array.is_floating_point():
        return array.to(to)
    plain = array.detach().cpu().to(torch.float32).numpy()
    return torch.from_numpy(numpy_arrays.cast(plain, T, mode).astype(np.float32)).to(array.device, to)


_ROUNDED: dict[str, Callable[[Any, Tensor], Tensor]] = {
    "CAST_NONE": lambda torch, x: torch.round(x),
    "CAST_RINT": lambda torch, x: torch.round(x),
    "CAST_FLOOR": lambda torch, x: torch.floor(x),
    "CAST_CEIL": lambda torch, x: torch.ceil(x),
    "CAST_TRUNC": lambda torch, x: torch.trunc(x),
    "CAST_ROUND": lambda torch, x: torch.trunc(x + torch.sign(x) * 0.5),
    "CAST_ODD": lambda torch, x: torch.where(x == torch.floor(x), x, 2 * torch.floor(x / 2) + 1),
}
"""Floats as whole numbers, in each mode."""


def wide(array: Tensor) -> Tensor:
    torch = sys.modules["torch"]
    return array if array.dtype == torch.float64 else array.to(torch.float32)


def narrow(array: Tensor, given: Tensor) -> Tensor:
    return array.to(given.dtype) if given.is_floating_point() else array


def reduced(array: Tensor, op: str, axes: tuple[int, ...], identity: float | None) -> Tensor:
    torch = sys.modules["torch"]
    value = wide(array) if array.is_floating_point() else array.to(torch.float64)
    if op in ("sum_of_squares", "amax"):
        value = value * value if op == "sum_of_squares" else value.abs()
    reduce = {"mean": torch.mean, "max": torch.amax, "amax": torch.amax, "min": torch.amin}.get(op, torch.sum)
    result = reduce(value, dim=axes, keepdim=True)
    if identity is not None:
        if op in ("max", "amax", "min"):
            result = result.clamp(**{"max" if op == "min" else "min": identity})
        else:
            result = result + identity
    if not array.is_floating_point():
        info = torch.iinfo(array.dtype)
        result = result.round().clamp(info.min, info.max)
    return result.to(array.dtype)


def largest(array: Tensor, k: int) -> tuple[Tensor, Tensor]:
    values, columns = array.sort(dim=-1, descending=True, stable=True)
    return values[..., :k], columns[..., :k].int()


def transposed(array: Tensor) -> Tensor:
    return array.transpose(-1, -2)


def gathered(array: Tensor, rows: Tensor) -> Tensor:
    numbers = rows.reshape(-1).long()
    there = name_rows(numbers, len(array))
    return array[numbers * there].masked_fill(~there.unsqueeze(1), 0)


def scattered(array: Tensor, rows: Tensor, add: bool, ranks: Tensor | None = None) -> Tensor:
    numbers = rows.reshape(-1).long()
    owners = numbers * 0 if ranks is None else ranks.reshape(-1).long()
    height, count = max(len(array), int(numbers.max()) + 1), max(1, int(owners.max()) + 1)
    result = array.new_zeros((count * height, *array.shape[1:]))
    put = result.index_add if add else result.index_copy
    there = (numbers >= 0) & (owners >= 0)
    placed = put(0, (owners * height + numbers)[there], array[there])
    return placed if ranks is None else placed.reshape(count, height, *array.shape[1:])


def positions(like: Tensor, axis: int) -> Tensor:
    torch = sys.modules["torch"]
    shape = tuple(like.shape[-2:])
    along = torch.arange(shape[axis], dtype=torch.int32, device=like.device)
    return along.unsqueeze(1 - axis).expand(shape)


def _common(torch: Any, values: Sequence[Tensor]) -> Any:
    """The type in which tensors meet; None without any."""
    if not values:
        return None
    T = values[0].dtype
    for value in values[1:]:
        T = torch.promote_types(T, value.dtype)
    return T
