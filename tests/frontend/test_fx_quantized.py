"""Quantised linear layers as torch, torchao and models spell them: the kernel multiplies what is stored."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import evtgen as evt
from evtgen import float8_e4m3fn, half, int8
from evtgen.check import check
from evtgen.pipeline.run import Reference

from ..support.optional import torch as torch_

torch = torch_()
F = torch.nn.functional
Module: Any = torch.nn.Module

K, N = 32, 24
torch.manual_seed(34)


class Int8(Module):
    """A linear layer whose weight is stored as int8, N x K, as one of several spellings says."""

    def __init__(self, spelled: Callable[..., Any], T: Any = torch.float16) -> None:
        super().__init__()
        self.spelled = spelled
        self.register_buffer("weight", torch.randint(-128, 128, (N, K)).to(torch.int8))
        self.register_buffer("scale", (torch.rand(N, 1) / 64).to(T))
        self.register_buffer("zero", torch.randint(-9, 9, (N, 1)).to(T))

    def forward(self, x):
        return F.relu(self.spelled(x, self.weight, self.scale, self.zero))


def per_channel(x: Any, w: Any, s: Any, z: Any) -> Any:
    operator = torch.ops.quantized_decomposed.dequantize_per_channel
    return F.linear(
        x, operator(w, s.flatten(), z.flatten().to(torch.int8), 0, -128, 127, torch.int8, out_dtype=x.dtype)
    )


def affine(x: Any, w: Any, s: Any, z: Any) -> Any:
    operator = torch.ops.torchao.dequantize_affine
    return F.linear(x, operator(w, [1, K], s.flatten(), None, torch.int8, -128, 127, output_dtype=x.dtype))


def widened(w: Any, sizes: list[int], s: Any, z: Any) -> Any:
    shape = [w.shape[0] // sizes[0], w.shape[1] // sizes[1]]
    s, z = (0 if one is None else one.reshape(shape).repeat_interleave(sizes[0], 0).repeat_interleave(sizes[1], 1)
            for one in (s, z))  # fmt: skip
    return (w.float() - z) * s


def torchao() -> None:
    """torchao's operator, which is not installed here: its schema, and what it computes of columns."""
    if hasattr(torch.ops.torchao, "dequantize_affine"):
        return
    schema = "(Tensor input, int[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, "
    schema += "int? quant_min=None, int? quant_max=None, ScalarType output_dtype=float32) -> Tensor"
    torch.library.define("torchao::dequantize_affine", schema)
    torch.library.impl("torchao::dequantize_affine", "CompositeExplicitAutograd")(
        lambda w, sizes, s, z, *more, output_dtype=torch.float32: widened(w, sizes, s, z).to(output_dtype)
    )


SPELLED: dict[str, tuple[Callable[..., Any], str | None, bool]] = {
    "cast": (lambda x, w, s, z: F.linear(x, w.to(x.dtype)) * s.view(-1), None, False),
    "int8pack": (lambda x, w, s, z: torch._weight_int8pack_mm(x, w, s.view(-1)), None, False),
    "scaled": (lambda x, w, s, z: F.linear(x, s * w.to(x.dtype)), "column", False),
    "zero point": (lambda x, w, s, z: F.linear(x, (w.to(x.dtype) - z) * s), "column", True),
    "turned": (lambda x, w, s, z: x @ ((w.t().to(x.dtype) - z.t()) * s.view(-1)), "column", True),
    "per channel": (per_channel, "column", True),
    "affine": (affine, "column", False),
}  # fmt: skip
"""How models, torch and torchao spell it; the scale and the zero point of the Gemm."""


@pytest.mark.parametrize("name", SPELLED)
def test_weights_of_int8_are_widened_by_the_kernel(name: str) -> None:
    torchao()
    importlib.import_module("torch.ao.quantization.fx._decomposed")
    torch.manual_seed(0)  # weights that round to half otherwise come to the bound for one seed in eight
    spelled, scale, zero = SPELLED[name]
    layer, x = Int8(spelled), torch.randn(5, K).half()
    epilogue = evt.from_fx(torch.export.export(layer, (x,)))
    assert (epilogue.gemm.a, epilogue.gemm.b, epilogue.gemm.scale, epilogue.gemm.zero_point) == (
        half,
        int8,
        scale,
        zero,
    )
    assert check(epilogue) == []
    given = epilogue.bind(layer, x)
    found = Reference(epilogue)(given.pop("a"), given.pop("b"), **given)["D"].double()
    z = layer.zero.double() if zero else 0
    exact = F.relu(F.linear(x.double(), (layer.weight.double() - z) * layer.scale.double()))
    torch.testing.assert_close(found, exact, rtol=2e-3, atol=2e-3)


class Parts(Module):
    """A weight with scales and zero points for groups of its rows, or for blocks, as float8 or int8."""

    def __init__(self, spelled: Callable[..., Any], rows: int, columns: int, stored: Any, T: Any) -> None:
        super().__init__()
        self.spelled, shape = spelled, (128 // rows, 128 // columns)
        weight = torch.randint(-100, 100, (128, 128)).float()
        self.register_buffer("weight", (weight / (1 if stored == torch.int8 else 32)).to(stored))
        self.register_buffer("scale", ((torch.rand(shape) + 0.5) / 64).to(T))
        self.register_buffer("zero", torch.randint(-9, 9, shape).to(T))

    def forward(self, x):
        return self.spelled(x, self.weight, self.scale, self.zero)


def grouped(x: Any, w: Any, s: Any, z: Any) -> Any:
    return F.linear(x, ((w.view(128, -1, 32).to(x.dtype) - z[..., None]) * s[..., None]).view(128, 128))


def affine_parts(rows: int, columns: int) -> Callable[..., Any]:
    def spelled(x: Any, w: Any, s: Any, z: Any) -> Any:
        operator = torch.ops.torchao.dequantize_affine
        return F.linear(x, operator(w, [rows, columns], s, z, w.dtype, None, None, output_dtype=x.dtype))

    return spelled


PARTS: dict[str, tuple[Callable[..., Any], int, int, Any, Any, str]] = {
    "views": (grouped, 1, 32, torch.int8, torch.float16, "group:32"),
    "group": (affine_parts(1, 64), 1, 64, torch.int8, torch.float16, "group:64"),
    "block": (affine_parts(64, 32), 64, 32, torch.float8_e4m3fn, torch.float32, "block:32x64"),
    "column": (SPELLED["zero point"][0], 1, 128, torch.float8_e4m3fn, torch.float16, "column"),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_scales_of_groups_and_blocks(name: str) -> None:
    torchao()
    spelled, rows, columns, stored, T, scale = PARTS[name]
    layer, x = Parts(spelled, rows, columns, stored, T), torch.randn(5, 128).half()
    p = evt.partition(layer, (x,))
    gemm = p.kernels[0].epilogue.gemm
    assert (gemm.scale, gemm.zero_point, gemm.b and gemm.b.numpy) == (scale, True, str(stored)[6:])
    epilogue = evt.from_fx(torch.export.export(layer, (x,)))
    given = epilogue.bind(layer, x)
    s, z = (one.double().repeat_interleave(rows, 0).repeat_interleave(columns, 1) for one in (layer.scale, layer.zero))
    exact = F.linear(x.double(), (layer.weight.double() - z) * s)
    for found in (p(x), Reference(epilogue)(given.pop("a"), given.pop("b"), **given)["D"]):
        torch.testing.assert_close(found.double(), exact, rtol=2e-3, atol=2e-2)


def test_a_quantised_layer_is_one_kernel() -> None:
    layer, x = Int8(SPELLED["zero point"][0]), torch.randn(5, K).half()
    p = evt.partition(layer, (x,))
    (kernel,) = p.kernels
    assert kernel.bindings == {"a": "x", "b": "weight", "b_zero": "zero", "b_scale": "scale"}
    assert (p.launches_before, p.launches_after, p.rest) == (5, 1, [])
    for given in (x, torch.randn(2, 3, K).half().flatten(0, 1)):
        torch.testing.assert_close(p(given), layer(given), rtol=2e-3, atol=2e-3)


def of_float8(T: Any) -> Module:
    class Scaled(Module):
        def forward(self, a, b, rows, columns):
            return F.relu(torch._scaled_mm(a, b, rows, columns, out_dtype=T))

    return Scaled()


def test_a_product_of_float8_with_scales() -> None:
    torch.manual_seed(33)
    a, w = (torch.randn(32, 64).to(torch.float8_e4m3fn) for _ in range(2))
    given = a, w.t(), torch.rand(32, 1), torch.rand(1, 32)
    epilogue = evt.from_fx(torch.export.export(of_float8(torch.bfloat16), given), arch="Ascend950")
    assert (epilogue.gemm.a, epilogue.gemm.b) == (float8_e4m3fn, float8_e4m3fn) and check(epilogue) == []
    bound = epilogue.bind(of_float8(torch.bfloat16), *given)
    exact = torch.relu(a.double() @ w.t().double() * given[2] * given[3]).float()
    found = epilogue.function(a.float() @ w.t().float(), **{k: x for k, x in bound.items() if k not in ("a", "b")})
    torch.testing.assert_close(found["D"].float(), exact, rtol=2**-8, atol=1e-5)
    assert found["D"].dtype == torch.bfloat16


def test_near_misses_of_weights_that_are_widened() -> None:
    """Scales of one number, in another type, or of a sum: the weight is widened in front, as it was."""
    spelled: list[Callable[..., Any]] = [
        lambda x, w, s, z: F.linear(x, (w.view(N, 2, -1).to(x.dtype) * s[:, :, None]).view(N, K) + 1),
        lambda x, w, s, z: F.linear(x, w.to(x.dtype) * s[0]),
        lambda x, w, s, z: F.linear(x, (w.float() * s.float()).to(x.dtype)),
        lambda x, w, s, z: F.linear(x, w.short().to(x.dtype) * s),
    ]
    for one in spelled:
        layer, x = Int8(one), torch.randn(5, K).half()
        gemm = evt.from_fx(torch.export.export(layer, (x,))).gemm
        assert (gemm.a, gemm.b, gemm.scale) == (half, half, None)


def of_slices(m: int, n: int, k: int, width: int) -> tuple[Module, tuple[Any, ...], Any]:
    """A layer of float8 with scales of slices of 128 of K, as DeepSeek's: what it is called with, and what it is."""

    class Sliced(Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("weight", torch.randn(n, k).to(torch.float8_e4m3fn))
            self.register_buffer("weight_scale", torch.rand(-(-n // width), -(-k // 128)) + 0.5)

        def forward(self, a, a_scale, bias):
            scales = a_scale, self.weight_scale.t()
            return F.relu(torch._scaled_mm(a, self.weight.t(), *scales, bias, out_dtype=torch.bfloat16))

    layer = Sliced()
    a, scale = torch.randn(m, k).to(torch.float8_e4m3fn), torch.rand(-(-k // 128), m) + 0.5
    wide = scale.t().repeat_interleave(128, 1)[:, :k].double() * a.double()
    of_b = layer.weight_scale.repeat_interleave(128, 1)[:, :k].repeat_interleave(width, 0)[:n].double()
    bias = torch.randn(n).bfloat16()
    return layer, (a, scale.t(), bias), torch.relu(wide @ (layer.weight.double() * of_b).t() + bias.double())


@pytest.mark.parametrize(
    ("shape", "width", "scale"),
    [((24, 128, 256), 128, "block:128x128"), ((24, 200, 160), 128, "block:128x128"), ((2, 48, 256), 1, "group:128")],
)
def test_scales_of_slices_of_both_operands(shape: tuple[int, int, int], width: int, scale: str) -> None:
    layer, given, exact = of_slices(*shape, width)
    epilogue = evt.from_fx(torch.export.export(layer, given), arch="Ascend950")
    assert epilogue.gemm.scale == scale and check(epilogue) == []
    p = evt.partition(layer, given, arch="Ascend950")
    assert set(p.kernels[0].bindings) == {"a", "b", "a_scale", "b_scale", "bias"}
    rows = given[0], given[1].contiguous(), given[2]  # A's scales may lie by rows, too
    bound = epilogue.bind(layer, *rows)
    assert tuple(bound["a_scale"].shape) == (-(-shape[2] // 128), shape[0]) and bound["a_scale"].is_contiguous()
    for found in (p(*given), p(*rows), Reference(epilogue)(bound.pop("a"), bound.pop("b"), **bound)["D"]):
        torch.testing.assert_close(found.double(), exact, rtol=2**-8, atol=1e-3)


def test_scales_of_neither_lines_nor_slices_are_refused() -> None:
    """Of 128 rows of A, or in a graph that knows no shapes."""
    a, w = (torch.randn(256, 256).to(torch.float8_e4m3fn) for _ in range(2))
    given = a, w.t(), torch.rand(2, 2), torch.rand(2, 256)
    exported = torch.export.export(of_float8(torch.bfloat16), given)
    with pytest.raises(evt.EvtgenError, match="nor of slices of K"):
        evt.from_fx(exported, arch="Ascend950")
    traced = torch.fx.symbolic_trace(of_float8(torch.bfloat16))
    with pytest.raises(evt.EvtgenError, match="nor of slices of K"):
        evt.from_fx(traced, examples=(*given[:2], torch.rand(256, 2), given[3]), arch="Ascend950")


@pytest.mark.cxx
def test_the_kernel_adds_up_slices_as_torch_means_them() -> None:
    layer, given, exact = of_slices(24, 128, 256, 128)
    epilogue = evt.from_fx(torch.export.export(layer, given), arch="Ascend950")
    bound = epilogue.bind(layer, *given)
    found = evt.run(epilogue, bound.pop("a"), bound.pop("b"), **bound)["D"]
    torch.testing.assert_close(found.double(), exact, rtol=2**-8, atol=1e-3)
