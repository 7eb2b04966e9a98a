"""Matmuls with scales of both operands, as torch and torch.nn.functional spell them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import evtgen as evt
from evtgen.check import check
from evtgen.pipeline.run import Reference

from ..support.optional import torch as torch_
from ..support.said import refused

torch = torch_()
F = torch.nn.functional
if not hasattr(F, "scaled_mm"):
    pytest.skip("this torch has no scaled_mm", allow_module_level=True)
BY = F.ScalingType
SWIZZLE = [F.SwizzleType.SWIZZLE_32_4_4]
M, N, K = 70, 256, 384
Module: Any = torch.nn.Module


class Layer(Module):
    """What is computed of a product: ``multiply(a, w, scale_a, scale_b, bias)`` with a weight of (N, K)."""

    def __init__(self, multiply: Callable[..., Any], weight: Any, scale: Any) -> None:
        super().__init__()
        self.multiply = multiply
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)

    def forward(self, a, scale_a, bias=None):
        return F.relu(self.multiply(a, self.weight.mT, scale_a, self.scale, bias))


def float8(*size: int) -> Any:
    return torch.randn(size).to(torch.float8_e4m3fn)


def old(**more: Any) -> Callable[..., Any]:
    return lambda a, b, x, y, bias: torch._scaled_mm(a, b, x, y, bias, out_dtype=torch.bfloat16, **more)


def new(of_a: Any, of_b: Any, **more: Any) -> Callable[..., Any]:
    return lambda a, b, x, y, bias: F.scaled_mm(a, b, x, of_a, y, of_b, bias=bias, **more)


def scales(*size: int) -> Any:
    return torch.rand(size) + 0.5


LINES = {
    "all": (old(), (), ()),
    "all, by its recipe": (new(BY.TensorWise, BY.TensorWise), (1,), ()),
    "lines": (old(), (M, 1), (1, N)),
    "lines, by their recipe": (new(BY.RowWise, BY.RowWise), (M, 1), (1, N)),
}


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", LINES)
def test_scales_of_all_and_of_lines_are_torchs(name: str, bias: bool) -> None:
    multiply, of_a, of_b = LINES[name]
    layer, given = Layer(multiply, float8(N, K), scales(*of_b)), (float8(M, K), scales(*of_a))
    given += (torch.randn(N).bfloat16(),) * bias
    p = evt.partition(layer, given, arch="Ascend950")
    assert (len(p.kernels), p.rest, p.kernels[0].epilogue.gemm.scale) == (1, [], None)
    torch.testing.assert_close(p(*given), layer(*given), rtol=2**-7, atol=2**-6)
    found = bound(layer, given)
    torch.testing.assert_close(found, layer(*given), rtol=2**-7, atol=2**-6)


def bound(layer: Module, given: tuple[Any, ...]) -> Any:
    """What the epilogue computes of the tensors that it binds."""
    epilogue = evt.from_fx(torch.export.export(layer, given), arch="Ascend950")
    assert check(epilogue) == []
    tensors = epilogue.bind(layer, *given)
    return Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), **tensors)["D"]


def spread(x: Any, rows: int, columns: int) -> Any:
    return x.double().repeat_interleave(rows, 0).repeat_interleave(columns, 1)


@pytest.mark.parametrize(("side", "scale"), [(1, "group:128"), (128, "block:128x128")])
def test_scales_of_slices_by_their_recipes(side: int, scale: str) -> None:
    """Those of B are (N, K/128), or of blocks (K/128, N/128), whose columns are padded to 4."""
    a, w, of_a, of_w = float8(M, K), float8(N, K), scales(K // 128, M).t(), scales(N // side, K // 128)
    recipe = BY.BlockWise1x128 if side == 1 else BY.BlockWise128x128
    given = of_w.t().contiguous().t() if side == 1 else F.pad(of_w, (0, 1), value=float("nan")).t()
    layer = Layer(new(BY.BlockWise1x128, recipe), w, given)
    exact = torch.relu(a.double() * spread(of_a, 1, 128) @ (w.double() * spread(of_w, side, 128)).t())
    p = evt.partition(layer, (a, of_a), arch="Ascend950")
    assert p.kernels[0].epilogue.gemm.scale == scale
    for found in (p(a, of_a), bound(layer, (a, of_a))):
        torch.testing.assert_close(found.double(), exact, rtol=2**-7, atol=2**-6)


def swizzled(scales: Any) -> Any:
    """Tiles of 128 lines and 4 scales, one row of tiles after the other. In a tile the scale in column c of line r is
    at 16 (r mod 32) + 4 (r / 32) + c (cuBLAS's documentation)."""
    lines, groups = scales.shape
    rows, columns = -(-lines // 128), -(-groups // 4)
    made = torch.full((rows * columns * 512,), 200, dtype=torch.uint8)
    for r in range(lines):
        for c in range(groups):
            tile = r // 128 * columns + c // 4
            made[512 * tile + 16 * (r % 32) + 4 * (r % 128 // 32) + c % 4] = scales[r, c]
    return made.view(torch.float8_e8m0fnu)


MX = {"old": old(), "new": new(BY.BlockWise1x32, BY.BlockWise1x32, swizzle_a=SWIZZLE, swizzle_b=SWIZZLE)}


@pytest.mark.parametrize("name", MX)
def test_scales_of_mx_formats_are_swizzled(name: str) -> None:
    """Neither 70 lines nor 10 scales of each are whole tiles."""
    a, w = float8(M, 320), float8(N, 320)
    of_a, of_w = (torch.randint(120, 130, (lines, 10), dtype=torch.uint8) for lines in (M, N))
    both = (x.double() * spread(torch.exp2(s.double() - 127), 1, 32) for x, s in ((a, of_a), (w, of_w)))
    exact = torch.relu(next(both) @ next(both).t())
    layer, given = Layer(MX[name], w, swizzled(of_w)), (a, swizzled(of_a))
    p = evt.partition(layer, given, arch="Ascend950")
    assert (p.kernels[0].epilogue.gemm.scale, p.rest) == ("mx", [])
    for found in (p(*given), bound(layer, given)):
        torch.testing.assert_close(found.double(), exact, rtol=2**-7, atol=2**-6)


class Multiply(Module):
    """A function of tensors as a model."""

    def __init__(self, multiply: Callable[..., Any]) -> None:
        super().__init__()
        self.multiply = multiply

    def forward(self, a, w, scale_a, scale_b):
        return self.multiply(a, w.mT, scale_a, scale_b, None)


def test_scales_that_are_not_swizzled_are_taken_as_they_are() -> None:
    """Of float4, two elements in a byte, in a graph that torch has not checked: here it asks for swizzled ones."""
    a, w = (torch.randint(0, 256, (lines, 64), dtype=torch.uint8).view(torch.float4_e2m1fn_x2) for lines in (M, N))
    of_a, of_w = (torch.randint(120, 130, (lines, 4), dtype=torch.uint8) for lines in (M, N))
    given = a, w, of_a.view(torch.float8_e8m0fnu), of_w.view(torch.float8_e8m0fnu)
    model = Multiply(new(BY.BlockWise1x32, BY.BlockWise1x32))
    epilogue = evt.from_fx(torch.fx.symbolic_trace(model), examples=given, arch="Ascend950")
    assert epilogue.gemm.scale == "mx" and epilogue.gemm.b == evt.float4_e2m1fn and check(epilogue) == []
    assert epilogue.shape == (M, N, 128)
    tensors = epilogue.bind(model, *given)
    found = Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), **tensors)["D"]
    magnitudes = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
    values, both = torch.cat([magnitudes, -magnitudes]), []
    for x, s in ((a, of_a), (w, of_w)):
        codes = torch.stack([x.view(torch.uint8) % 16, x.view(torch.uint8) // 16], -1).flatten(-2)
        both.append(values[codes.long()] * spread(torch.exp2(s.double() - 127), 1, 32))
    torch.testing.assert_close(found.double(), both[0] @ both[1].t(), rtol=2**-7, atol=2**-6)


class Experts(Module):
    def forward(self, a, w, scale_a, scale_b, ends):
        return F.relu(torch._scaled_grouped_mm(a, w.mT, scale_a, scale_b, ends, out_dtype=torch.bfloat16))


def by_recipes(exported: Any, recipe: int) -> Any:
    """The same program with the newer function, which torch cannot export yet."""
    (node,) = (node for node in exported.graph.nodes if "_scaled_grouped_mm" in str(node.target))
    a, w, x, y, ends = node.args[:5]
    node.target = torch.ops.aten._scaled_grouped_mm_v2.default
    node.args, node.kwargs = (a, w, [x], [recipe], [], [y], [recipe], [], ends, None, torch.bfloat16), {}
    return exported


@pytest.mark.parametrize("ends", [[30, 30, 70], [1, 2, 3]])
def test_groups_of_rows_have_scales_of_lines(ends: list[int]) -> None:
    """torch computes none of these on a CPU. With as many groups as rows, scales of groups are none of rows."""
    m = ends[-1]
    a, w, of_a, of_w = float8(m, K), float8(3, N, K), scales(m), scales(3, N)
    given = a, w, of_a, of_w, torch.tensor(ends, dtype=torch.int32)
    parts = zip([0, *ends], ends, strict=False)
    products = [a[i:j].double() @ w[g].double().t() * of_w[g] * of_a[i:j, None] for g, (i, j) in enumerate(parts)]
    exact = torch.relu(torch.cat(products))
    p = evt.partition(Experts(), given, arch="Ascend950")
    assert (len(p.kernels), p.rest, p.kernels[0].epilogue.gemm.group) == (1, [], "m")
    torch.testing.assert_close(p(*given).double(), exact, rtol=2**-7, atol=2**-6)
    program = torch.export.export(Experts(), given)
    for exported in (program, by_recipes(program, BY.RowWise.value)):
        epilogue = evt.from_fx(exported, arch="Ascend950")
        assert check(epilogue) == []
        tensors = epilogue.bind(Experts(), *given)
        sizes = [j - i for i, j in zip([0, *ends], ends, strict=False)]
        found = Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), groups=sizes, **tensors)["D"]
        torch.testing.assert_close(found.double(), exact, rtol=2**-7, atol=2**-6)
    with pytest.raises(evt.EvtgenError, match=r"_scaled_grouped_mm_v2: BlockWise1x32 for A and BlockWise1x32 for B"):
        evt.from_fx(by_recipes(torch.export.export(Experts(), given), BY.BlockWise1x32.value), arch="Ascend950")


class Gate(Layer):
    """Both projections of a gated MLP in one; of rows in groups, those of each expert."""

    def forward(self, a, scale_a, ends=None):
        given = a, self.weight.mT, scale_a, self.scale
        both = self.multiply(*given, None) if ends is None else torch._scaled_grouped_mm(*given, ends, **OUT)
        gate, up = both.chunk(2, -1)
        return F.silu(gate) * up


OUT = {"out_dtype": torch.bfloat16}


@pytest.mark.parametrize("groups", [False, True])
def test_scales_of_halves_are_halves(groups: bool) -> None:
    ends = [30, 30, 70] if groups else [M]
    a, w, of_a, of_w = float8(M, K), float8(len(ends), N, K), scales(M), scales(len(ends), N)
    parts = enumerate(zip([0, *ends], ends, strict=False))
    both = torch.cat([a[i:j].double() @ w[g].double().t() * of_w[g] * of_a[i:j, None] for g, (i, j) in parts])
    exact = F.silu(both[:, : N // 2]) * both[:, N // 2 :]
    layer = Gate(old(), w, of_w) if groups else Gate(old(), w[0], of_w)
    given = (a, of_a, torch.tensor(ends, dtype=torch.int32)) if groups else (a, of_a[:, None])
    epilogue = evt.from_fx(torch.export.export(layer, given), arch="Ascend950")
    assert epilogue.gemm.accumulators == "halves" and check(epilogue) == []
    tensors, p = epilogue.bind(layer, *given), evt.partition(layer, given, arch="Ascend950")
    assert [kernel.fuses for kernel in p.kernels] == [("silu", "mul")] and p.rest == []
    if groups:
        tensors["groups"] = [j - i for i, j in zip([0, *ends], ends, strict=False)]
    for found in (p(*given), Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), **tensors)["D"]):
        torch.testing.assert_close(found.double(), exact, rtol=2**-6, atol=2**-5)


class Twice(Module):
    """One product as two types."""

    def forward(self, a, w, scale_a, scale_b):
        types = torch.bfloat16, torch.float32
        return tuple(torch._scaled_mm(a, w.mT, scale_a, scale_b, out_dtype=T) for T in types)


def test_a_product_in_two_types_is_two() -> None:
    given = float8(M, K), float8(N, K), scales(M, 1), scales(1, N)
    p = evt.partition(Twice(), given, arch="Ascend950")
    for found, want in zip(p(*given), Twice()(*given), strict=True):
        torch.testing.assert_close(found, want, rtol=2**-7, atol=2**-6)


def test_a_form_without_a_kernel_is_named() -> None:
    given = float8(M, K), float8(N, K), scales(M, 1), scales(1, N)
    model = Multiply(torch._scaled_mm)
    with refused("EVT206", "no kernel has _scaled_mm with out_dtype=None", "evt.partition"):
        evt.from_fx(torch.fx.symbolic_trace(model), examples=given, arch="Ascend950")


def test_what_no_kernel_has_stays_with_torch() -> None:
    """Blocks of A; the partition says why. Those of B are its near miss, above."""
    w, of_w = float8(N, 512), scales(N, 4).t().contiguous().t()
    layer = Layer(new(BY.BlockWise128x128, BY.BlockWise1x128), w, of_w)
    p = evt.partition(layer, (float8(128, 512), scales(1, 4).t()), arch="Ascend950")
    assert p.kernels == [] and [left.calls for left in p.rest] == ["_scaled_mm_v2", "relu"]
    said = "no kernel takes the scales of _scaled_mm_v2: BlockWise128x128 for A and BlockWise1x128 for B"
    assert p.rest[0].reason == said and said in p.rest[1].reason


@pytest.mark.cxx
def test_kernels_compute_what_torch_does() -> None:
    multiply, of_a, of_b = LINES["lines, by their recipe"]
    layer, given = Layer(multiply, float8(N, K), scales(*of_b)), (float8(M, K), scales(*of_a))
    p = evt.partition(layer, given, arch="Ascend950", run="model")
    torch.testing.assert_close(p(*given), layer(*given), rtol=2**-7, atol=2**-6)
