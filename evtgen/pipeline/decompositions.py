"""Operators of PyTorch that are whole layers, in operators of which the matmuls are some."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """What stands for each operator."""
    return {import_module("torch").ops.aten._transformer_encoder_layer_fwd.default: _encoder_layer}


def _encoder_layer(  # noqa: PLR0917 - as in the schema
    x: Any, size: int, heads: int, qkv: Any, qkv_bias: Any, out: Any, out_bias: Any, use_gelu: bool, norm_first: bool,
    eps: float, weight1: Any, bias1: Any, weight2: Any, bias2: Any,
    up: Any, up_bias: Any, down: Any, down_bias: Any, mask: Any = None, mask_type: int | None = None,
) -> Any:  # fmt: skip
    """``torch.nn.TransformerEncoderLayer`` in evaluation, which PyTorch computes at once where no gradient is needed.
    With a mask it stays one operator."""
    if mask is not None:
        return NotImplemented
    torch = import_module("torch")
    F = torch.nn.functional

    def linear(given: Any, weight: Any, bias: Any) -> Any:
        return torch.addmm(bias, given.flatten(0, -2), weight.t()).unflatten(0, given.shape[:-1])

    def attended(given: Any) -> Any:
        made = linear(given, qkv, qkv_bias).unflatten(-1, (3, heads, size // heads))
        query, key, value = (one.transpose(-2, -3) for one in made.unbind(-3))
        return linear(F.scaled_dot_product_attention(query, key, value).transpose(-2, -3).flatten(-2), out, out_bias)

    def fed(given: Any) -> Any:
        return linear((F.gelu if use_gelu else F.relu)(linear(given, up, up_bias)), down, down_bias)

    def norm1(given: Any) -> Any:
        return F.layer_norm(given, (size,), weight1, bias1, eps)

    def norm2(given: Any) -> Any:
        return F.layer_norm(given, (size,), weight2, bias2, eps)

    if norm_first:
        x = x + attended(norm1(x))
        return x + fed(norm2(x))
    x = norm1(x + attended(x))
    return norm2(x + fed(x))
