"""torch_npu's ``npu_quant_matmul``, which is not installed here: its schema, and what its page says."""

from __future__ import annotations

from typing import Any

import pytest

import evtgen as evt
from evtgen import half, int8
from evtgen.check import check
from evtgen.pipeline.run import Reference
from evtgen.planner.plan import lower

from ..support.optional import torch as torch_
from ..support.said import refused

torch = torch_()
Module: Any = torch.nn.Module
M, N, K = 20, 48, 64


def exact(a: Any, b: Any, scale: Any, token: Any = None, bias: Any = None) -> Any:
    """In float64: a bias of int32 is added to the sum, one of floats behind the scales. Of the bits of a scale of int64
    those of a float32 count, but for the last 13 (AscendC's guide, ``VDEQF16``)."""
    if scale.dtype == torch.int64:
        scale = (scale & 0xFFFFE000).int().view(torch.float32)
    whole = bias is not None and bias.dtype == torch.int32
    found = (a.double() @ b.double() + (bias.double() if whole else 0)) * scale.double()
    found = found if token is None else found * token.double()[:, None]
    return found if bias is None or whole else found + bias.double()


@pytest.fixture(scope="module", autouse=True)
def torch_npu() -> None:
    if hasattr(torch.ops.npu, "npu_quant_matmul"):
        return
    schema = "(Tensor x1, Tensor x2, Tensor scale, *, Tensor? offset=None, Tensor? pertoken_scale=None, "
    schema += "Tensor? bias=None, ScalarType? output_dtype=None) -> Tensor"
    torch.library.define("npu::npu_quant_matmul", schema)
    torch.library.impl("npu::npu_quant_matmul", "CompositeExplicitAutograd")(
        lambda a, b, s, offset=None, pertoken_scale=None, bias=None, output_dtype=None: exact(
            a, b, s, pertoken_scale, bias
        ).to(output_dtype or torch.int8)
    )


class Quantised(Module):
    """A layer whose weight is N x K of int8."""

    def __init__(self, scale: Any, bias: Any, out: Any, **more: Any) -> None:
        super().__init__()
        self.more = {"output_dtype": out, **more}
        self.register_buffer("weight", torch.randint(-128, 128, (N, K)).to(torch.int8))
        self.register_buffer("scale", scale)
        self.register_buffer("bias", bias)

    def forward(self, x, token=None):
        function = torch.ops.npu.npu_quant_matmul
        return torch.relu(function(x, self.weight.t(), self.scale, pertoken_scale=token, bias=self.bias, **self.more))


def scales(n: int) -> Any:
    return (torch.rand(n) + 0.5) / 512


def bits(n: int) -> Any:
    """As ``npu_trans_quant_param`` makes them."""
    return scales(n).view(torch.int32).long()


WHOLE, FLOATS = torch.randint(-999, 999, (N,), dtype=torch.int32), torch.randn(N)
WAYS: dict[str, tuple[Any, Any, bool, Any]] = {
    "columns": (scales(N), None, False, torch.float16),
    "one": (scales(1), WHOLE, False, torch.bfloat16),
    "rows, too": (scales(N), FLOATS.bfloat16(), True, torch.bfloat16),
    "of bfloat16": (scales(N).bfloat16(), WHOLE, True, torch.bfloat16),
    "of the Fixpipe": (bits(N), None, False, torch.float16),
    "one of the Fixpipe": (bits(1), None, False, torch.float16),
}
"""The scales, what is added, whether rows have scales, and the type of the result."""


@pytest.mark.parametrize("name", WAYS)
def test_a_product_of_int8_with_scales(name: str) -> None:
    scale, bias, rows, out = WAYS[name]
    layer = Quantised(scale, bias, out)
    given = (torch.randint(-128, 128, (M, K)).to(torch.int8), *([torch.rand(M) + 0.5] if rows else []))
    want = torch.relu(exact(given[0], layer.weight.t(), scale, *given[1:], bias=bias))
    epilogue = evt.from_fx(torch.export.export(layer, given))
    assert (epilogue.gemm.a, epilogue.gemm.b) == (int8, int8) and check(epilogue) == []
    assert epilogue.gemm.scale == ("column" if scale.dtype == torch.int64 else None)
    tensors = epilogue.bind(layer, *given)
    p = evt.partition(layer, given)
    assert (len(p.kernels), p.rest) == (1, [])
    tolerance = {"rtol": 2.0 ** (-7 if out == torch.bfloat16 else -10), "atol": 2.0**-10}
    for found in (p(*given), Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), **tensors)["D"]):
        assert found.dtype == out
        torch.testing.assert_close(found.double(), want, **tolerance)


def test_results_that_are_quantised_stay_with_torch() -> None:
    """And a bias before the scales of the Fixpipe, which has none there."""
    for scale, bias, out, more, argument in (
        (scales(N), None, torch.int8, {}, "output_dtype=torch.int8"),
        (scales(N), None, torch.float16, {"offset": torch.zeros(N)}, "offset"),
        (bits(N), WHOLE, torch.float16, {}, "scale.dtype=torch.int64, bias"),
        (bits(N), None, torch.bfloat16, {}, "scale.dtype=torch.int64, output_dtype=torch.bfloat16"),
    ):
        layer, given = Quantised(scale, bias, out, **more), (torch.ones(M, K, dtype=torch.int8),)
        p = evt.partition(layer, given)
        said = f"no kernel has npu_quant_matmul with {argument}"
        assert p.kernels == [] and p.rest[0].reason == said
        with refused("EVT206", f"{said}, at the node", "evt.partition"):
            evt.from_fx(torch.export.export(layer, given))


class Twice(Module):
    """One product as two types, or two products of one A."""

    def __init__(self, layer: Any, other: Any) -> None:
        super().__init__()
        self.layer, self.other = layer, other

    def forward(self, x):
        weight, scale, function = self.layer.weight.t(), self.layer.scale, torch.ops.npu.npu_quant_matmul
        return tuple(function(x, weight, scale, output_dtype=T) for T in (torch.float16, self.other))


@pytest.mark.parametrize("other", [torch.float16, torch.bfloat16])
def test_a_product_in_two_types_is_two(other: Any) -> None:
    model, x = Twice(Quantised(scales(N), None, torch.float16), other), torch.randint(-128, 128, (M, K)).to(torch.int8)
    p, want = evt.partition(model, (x,)), model(x)
    assert [one.dtype for one in p(x)] == [one.dtype for one in want]
    assert p.kernels[0].epilogue.gemm.accumulators == (None if other == torch.float16 else "separate")
    for found, one in zip(p(x), want, strict=True):
        torch.testing.assert_close(found, one, rtol=2**-7, atol=2**-10)


class Gate(Module):
    """Both projections of a gated MLP in one."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x, token=None):
        function = torch.ops.npu.npu_quant_matmul
        both = function(
            x, self.layer.weight.t(), self.layer.scale, pertoken_scale=token, bias=self.layer.bias,
            output_dtype=torch.float16,
        )  # fmt: skip
        gate, up = both.chunk(2, -1)
        return torch.nn.functional.silu(gate) * up


@pytest.mark.parametrize("bias", [None, WHOLE, FLOATS.half()])
def test_scales_of_halves_are_halves(bias: Any) -> None:
    """Those of rows are whole. One scale for all is, too, its near miss."""
    given = (torch.randint(-128, 128, (M, K)).to(torch.int8), torch.rand(M) + 0.5)
    for scale in (scales(N), scales(1)):
        model = Gate(Quantised(scale, bias, torch.float16))
        epilogue = evt.from_fx(torch.export.export(model, given))
        assert epilogue.gemm.accumulators == "halves" and check(epilogue) == []
        tensors, p = epilogue.bind(model, *given), evt.partition(model, given)
        assert [kernel.fuses[-2:] for kernel in p.kernels] == [("silu", "mul")] and p.rest == []
        for found in (p(*given), Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), **tensors)["D"]):
            torch.testing.assert_close(found, model(*given), rtol=2**-8, atol=2**-8)


@pytest.mark.cxx
def test_the_kernel_dequantises_in_the_fixpipe() -> None:
    layer = Quantised(bits(N), None, torch.float16)
    x = torch.randint(-128, 128, (M, K)).to(torch.int8)
    p = evt.partition(layer, (x,), run="model")
    assert lower(p.kernels[0].epilogue).gemm.c == half
    torch.testing.assert_close(p(x), layer(x), rtol=2**-10, atol=2**-10)
