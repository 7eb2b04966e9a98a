"""torch_npu's matmuls of narrow weights and of groups, which is not installed here: their schemas, and what their pages
say, in float64."""

from __future__ import annotations

from typing import Any

import pytest

import evtgen as evt
from evtgen import bfloat16, half, int4, int8
from evtgen.check import check
from evtgen.pipeline.run import Reference

from ..support.optional import torch as torch_
from ..support.said import refused

torch = torch_()
Module: Any = torch.nn.Module
M, N, K, G = 20, 48, 96, 3
HALF, BFLOAT16, INT8 = torch.float16, torch.bfloat16, torch.int8


def in_int32(w: Any) -> Any:
    """Elements of int4, eight along a line in one of int32, the first in the lowest bits."""
    eights = (w.long() & 15).unflatten(-1, (-1, 8)) << torch.arange(0, 32, 4)
    return eights.sum(-1).to(torch.int32)


def values(w: Any, k: int) -> Any:
    """The numbers that a weight of (..., K, N) stores; of int32 lines lie along the axis that is too short."""
    if w.dtype != torch.int32:
        return w.double()
    lines = w if w.shape[-2] == k else w.mT
    nibbles = (lines.long()[..., None] >> torch.arange(0, 32, 4) & 15).flatten(-2)
    found = torch.where(nibbles > 7, nibbles - 16, nibbles).double()
    return found if w.shape[-2] == k else found.mT


def widened(w: Any, scale: Any, offset: Any, k: int, size: int = 0) -> Any:
    """``(weight + antiquant_offset) * antiquant_scale``; each row of a scale is of ``size`` rows of B, else of as many
    as the others."""
    found = values(w, k)
    if scale is None:
        return found
    many = scale.shape[-2] if scale.dim() == found.dim() else 1
    size = size or k // many
    s, z = (
        x.double().reshape(*found.shape[:-2], many, -1).repeat_interleave(size, -2)[..., :k, :]
        for x in (scale, torch.zeros_like(scale) if offset is None else offset)
    )
    return (found + z) * s


def of_weights(x, weight, antiquant_scale, antiquant_offset=None, quant_scale=None, quant_offset=None, bias=None,
               antiquant_group_size=0, inner_precise=0):  # fmt: skip
    found = x.double() @ widened(weight, antiquant_scale, antiquant_offset, x.shape[-1], antiquant_group_size)
    return (found if bias is None else found + bias.double()).to(x.dtype if quant_scale is None else INT8)


def of_groups(x, weight, *, bias=None, scale=None, offset=None, antiquant_scale=None, antiquant_offset=None,
              per_token_scale=None, group_list=None, group_list_type=0, output_dtype=None, **more):  # fmt: skip
    """Rows in groups; each list has one tensor."""
    ends = group_list if group_list_type == 0 else group_list.cumsum(0)
    of = torch.bucketize(torch.arange(len(x[0])), ends, right=True)
    s, z = (None if one is None else one[0] for one in (antiquant_scale, antiquant_offset))
    found = torch.einsum("mk,mkn->mn", x[0].double(), widened(weight[0], s, z, x[0].shape[-1])[of])
    bias = bias or None
    added = 0 if bias is None else bias[0].double()[of]
    is_whole = bias is not None and bias[0].dtype == torch.int32
    found = found + added if is_whole else found
    found = found if scale is None else found * scale[0].double()[of]
    found = found if per_token_scale is None else found * per_token_scale[0].double()[:, None]
    found = found if is_whole else found + added
    return [found.to(output_dtype or x[0].dtype)]


@pytest.fixture(scope="module", autouse=True)
def torch_npu() -> None:
    if hasattr(torch.ops.npu, "npu_weight_quant_batchmatmul"):
        return
    schema = "(Tensor x, Tensor weight, Tensor antiquant_scale, Tensor? antiquant_offset=None, "
    schema += "Tensor? quant_scale=None, Tensor? quant_offset=None, Tensor? bias=None, int antiquant_group_size=0, "
    torch.library.define("npu::npu_weight_quant_batchmatmul", schema + "int inner_precise=0) -> Tensor")
    torch.library.impl("npu::npu_weight_quant_batchmatmul", "CPU")(of_weights)
    lists = ["bias", "scale", "offset", "antiquant_scale", "antiquant_offset", "per_token_scale"]
    schema = f"(Tensor[] x, Tensor[] weight, *, {', '.join(f'Tensor[]? {one}=None' for one in lists)}, "
    schema += "Tensor? group_list=None, Tensor[]? activation_input=None, int? split_item=0, int? group_type=None, "
    schema += "int? group_list_type=0, int? act_type=0, ScalarType? output_dtype=None) -> Tensor[]"
    torch.library.define("npu::npu_grouped_matmul", schema)
    torch.library.impl("npu::npu_grouped_matmul", "CPU")(of_groups)

    def shape(x: Any, weight: Any, like: Any) -> Any:
        columns = weight.shape[-1] * (8 if weight.dtype == torch.int32 and weight.shape[-2] == x.shape[-1] else 1)
        return x.new_empty((x.shape[0], columns), dtype=like)

    torch.library.register_fake("npu::npu_weight_quant_batchmatmul")(
        lambda x, weight, *more, quant_scale=None, **named: shape(x, weight, x.dtype if quant_scale is None else INT8)
    )
    torch.library.register_fake("npu::npu_grouped_matmul")(
        lambda x, weight, **named: [shape(x[0], weight[0], named.get("output_dtype") or x[0].dtype)]
    )


class Weights(Module):
    """A layer with a weight that is widened; ``more`` are other arguments, tensors as buffers."""

    def __init__(self, weight: Any, scale: Any, turned: bool, **more: Any) -> None:
        super().__init__()
        self.turned, self.names, self.more = turned, [], {}
        for name, thing in {"weight": weight, "antiquant_scale": scale, **more}.items():
            if hasattr(thing, "shape"):
                self.register_buffer(name, thing)
                self.names.append(name)
            else:
                self.more[name] = thing

    def forward(self, x):
        given = {name: getattr(self, name) for name in self.names}
        given["weight"] = given["weight"].t() if self.turned else given["weight"]
        return torch.relu(torch.ops.npu.npu_weight_quant_batchmatmul(x, **given, **self.more))


def near(*size: int) -> Any:
    return (torch.rand(size) + 0.5) / 16


def offsets(*size: int) -> Any:
    return torch.randint(-5, 6, size)


def stored(T: Any, *size: int) -> Any:
    """A weight of int8, or of int4 in int32."""
    bound = 128 if int8 == T else 8
    found = torch.randint(-bound, bound, size).to(INT8)
    return found if int8 == T else in_int32(found)


WAYS: dict[str, tuple[Any, Any, tuple[int, ...], bool, int, str]] = {
    "of all": (int8, HALF, (1,), True, 0, "column"),
    "of columns": (int8, BFLOAT16, (N,), False, 0, "column"),
    "of columns, turned": (int8, HALF, (1, N), True, 0, "column"),
    "of groups": (int8, HALF, (3, N), False, 32, "group:32"),
    "a last group that is smaller": (int8, HALF, (2, N), True, 64, "group:64"),
    "int4 by rows": (int4, HALF, (N,), False, 0, "column"),
    "int4, turned, as torchao": (int4, BFLOAT16, (3, N), True, 32, "group:32"),
}
"""The types of B and of A, the shape of the scales, whether B is N x K, the size of groups, and the Gemm's scale."""


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", WAYS)
def test_weights_are_widened_by_the_kernel(name: str, bias: bool) -> None:
    T, of_a, shape, turned, size, scale = WAYS[name]
    more: dict[str, Any] = {"antiquant_offset": offsets(*shape).to(of_a), "antiquant_group_size": size}
    more |= {"bias": torch.randn(N).to(HALF if of_a == HALF else torch.float32)} if bias else {}
    layer = Weights(stored(T, *((N, K) if turned else (K, N))), near(*shape).to(of_a), turned, **more)
    x = torch.randn(M, K).to(of_a)
    epilogue = evt.from_fx(torch.export.export(layer, (x,)))
    gemm, p = epilogue.gemm, evt.partition(layer, (x,))
    assert (gemm.a, gemm.b, gemm.scale, gemm.zero_point) == (half if of_a == HALF else bfloat16, T, scale, True)
    assert check(epilogue) == [] and (len(p.kernels), p.rest) == (1, [])
    w = layer.weight.t() if turned else layer.weight
    exact = x.double() @ widened(w, layer.antiquant_scale, layer.antiquant_offset, K, size)
    exact = torch.relu(exact if not bias else exact + layer.bias.double())
    given = epilogue.bind(layer, x)
    digits = 2.0 ** (-10 if of_a == HALF else -7)
    for found in (p(x), Reference(epilogue)(given.pop("a"), given.pop("b"), **given)["D"]):
        assert found.dtype == of_a
        torch.testing.assert_close(found.double(), exact, rtol=digits, atol=digits * float(exact.max()))


def test_weights_without_offsets() -> None:
    layer, x = Weights(stored(int8, K, N), near(N).half(), False), torch.randn(M, K).half()
    epilogue = evt.from_fx(torch.export.export(layer, (x,)))
    assert not epilogue.gemm.zero_point
    want = layer(x)
    torch.testing.assert_close(evt.partition(layer, (x,))(x), want, rtol=2**-10, atol=2**-10 * float(want.max()))


def test_near_misses_stay_with_torch() -> None:
    """Scales of int64, one for all of int4, another type than A's; results of int8; and int4 that torch packs."""
    x, w, of_all = torch.randn(M, K).half(), stored(int8, K, N), near(N).half()
    for layer, argument in (
        (Weights(w, near(N).view(torch.int32).long(), False), "antiquant_scale.dtype=torch.int64"),
        (Weights(stored(int4, K, N), near(1).half(), False), "antiquant_scale.shape=[1]"),
        (Weights(w, near(N).bfloat16(), False), "antiquant_scale.dtype=torch.bfloat16"),
        (Weights(w, of_all, False, quant_scale=near(N)), "quant_scale"),
    ):
        p = evt.partition(layer, (x,))
        said = f"no kernel has npu_weight_quant_batchmatmul with {argument}"
        assert p.kernels == [] and p.rest[0].reason == said
        with refused("EVT206", f"{said}, at the node", "evt.partition"):
            evt.from_fx(torch.export.export(layer, (x,)))


class Packed(Module):
    """int4 in the order that torch's own kernels for a CPU read."""

    def __init__(self) -> None:
        super().__init__()
        codes = torch.randint(0, 16, (64, 64), dtype=torch.int32)
        self.register_buffer("weight", torch.ops.aten._convert_weight_to_int4pack_for_cpu(codes, 1))
        self.register_buffer("scales", torch.rand(2, 64, 2).bfloat16())

    def forward(self, x):
        return torch.relu(torch.ops.aten._weight_int4pack_mm_for_cpu(x, self.weight, 32, self.scales))


def test_what_torch_packs_for_its_own_kernels_stays_there() -> None:
    layer, x = Packed(), torch.randn(M, 64).bfloat16()
    said = "no kernel has _weight_int4pack_mm_for_cpu with weights in the order of PyTorch's own kernels"
    p = evt.partition(layer, (x,))
    assert p.kernels == [] and p.rest[0].reason == said
    with refused("EVT206", f"{said}, at the node", "evt.partition"):
        evt.from_fx(torch.export.export(layer, (x,)))


class Groups(Module):
    """Experts, G weights; tensors of ``more`` are buffers, each in a list of its own."""

    def __init__(self, weight: Any, turned: bool, counts: bool, out: Any = None, **more: Any) -> None:
        super().__init__()
        self.turned, self.names = turned, [*more]
        self.more = {"split_item": 2, "group_type": 0, "group_list_type": int(counts), "output_dtype": out}
        for name, thing in {"weight": weight, **more}.items():
            self.register_buffer(name, thing)

    def forward(self, x, groups, token=None):
        given = {"bias": [], **{name: [getattr(self, name)] for name in self.names}}
        given |= {} if token is None else {"per_token_scale": [token]}
        weight = self.weight.mT if self.turned else self.weight
        return self.after(torch.ops.npu.npu_grouped_matmul([x], [weight], group_list=groups, **given, **self.more)[0])

    def after(self, product: Any) -> Any:
        return torch.relu(product)


def of_type(T: Any, *size: int) -> Any:
    return torch.randint(-128, 128, size).to(INT8) if T == INT8 else torch.randn(size).to(T)


def experts(name: str) -> tuple[Groups, Any, Any]:
    """A layer, its A, and what its rows are scaled by."""
    scale = {"antiquant_scale": near(G, N).half(), "antiquant_offset": offsets(G, N).half()}
    of_groups = {"antiquant_scale": near(G, 3, N).bfloat16()}
    whole = torch.randint(-999, 999, (G, N), dtype=torch.int32)
    made: Any = {
        "half": lambda: (Groups(of_type(HALF, G, K, N), False, False), of_type(HALF, M, K), None),
        "bias": lambda: (
            Groups(of_type(BFLOAT16, G, N, K), True, True, bias=torch.randn(G, N)), of_type(BFLOAT16, M, K), None
        ),
        "int8": lambda: (
            Groups(of_type(INT8, G, K, N), False, True, BFLOAT16, scale=near(G, N)), of_type(INT8, M, K), near(M)
        ),
        "int8 with a bias": lambda: (
            Groups(of_type(INT8, G, N, K), True, False, HALF, scale=near(G, N) / 64, bias=whole),
            of_type(INT8, M, K),
            None,
        ),
        "int32": lambda: (Groups(of_type(INT8, G, K, N), False, True, torch.int32), of_type(INT8, M, K), None),
        "widened": lambda: (Groups(stored(int8, G, K, N), False, True, **scale), of_type(HALF, M, K), None),
        "int4": lambda: (Groups(stored(int4, G, N, K), True, False, **of_groups), of_type(BFLOAT16, M, K), None),
    }  # fmt: skip
    found: tuple[Groups, Any, Any] = made[name]()
    return found


@pytest.mark.parametrize("name", ["half", "bias", "int8", "int8 with a bias", "int32", "widened", "int4"])
def test_rows_in_groups(name: str) -> None:
    """By their ends or their numbers, one group of none."""
    layer, x, token = experts(name)
    sizes = [13, 0, 7]
    counts = bool(layer.more["group_list_type"])
    listed = torch.tensor(sizes if counts else [13, 13, 20])
    given = (x, listed) if token is None else (x, listed, token)
    epilogue = evt.from_fx(torch.export.export(layer, given))
    gemm, p = epilogue.gemm, evt.partition(layer, given)
    assert (gemm.group, gemm.group_list, gemm.group_type) == ("m", "counts" if counts else "offsets", evt.int64)
    assert check(epilogue) == [] and (len(p.kernels), p.rest) == (1, [])
    want, tensors = layer(*given), epilogue.bind(layer, *given)
    tensors["groups"] = sizes
    digits = 2.0 ** (-7 if want.dtype == BFLOAT16 else -10) * bool(want.is_floating_point())
    for found in (p(*given), Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), **tensors)["D"]):
        assert found.dtype == want.dtype
        torch.testing.assert_close(found.double(), want.double(), rtol=digits, atol=digits * float(want.max()))


class Gate(Groups):
    """Both projections of a gated MLP in one, of each expert."""

    def after(self, both: Any) -> Any:
        gate, up = both.chunk(2, -1)
        return torch.nn.functional.silu(gate) * up


@pytest.mark.parametrize("bias", [False, True])
def test_halves_of_groups_are_two_accumulators(bias: bool) -> None:
    more = {"scale": near(G, N) / 64, **({"bias": torch.randn(G, N).bfloat16()} if bias else {})}
    model, x, token = Gate(of_type(INT8, G, K, N), False, True, BFLOAT16, **more), of_type(INT8, M, K), near(M)
    given, sizes = (x, torch.tensor([13, 0, 7]), token), [13, 0, 7]
    epilogue, want, p = evt.from_fx(torch.export.export(model, given)), model(*given), evt.partition(model, given)
    assert epilogue.gemm.accumulators == "halves" and check(epilogue) == [] and p.rest == []
    tensors = epilogue.bind(model, *given)
    for found in (p(*given), Reference(epilogue)(tensors.pop("a"), tensors.pop("b"), groups=sizes, **tensors)["D"]):
        torch.testing.assert_close(found, want, rtol=2**-6, atol=2**-7 * float(want.max()))


def test_groups_that_no_kernel_has_stay_with_torch() -> None:
    """Groups of K, an activation of the operator's own, and scales of the Fixpipe."""
    x, w, listed = of_type(HALF, M, K), of_type(HALF, G, K, N), torch.tensor([13, 13, 20])
    layers = [Groups(w, False, False) for _ in range(2)]
    layers[0].more["group_type"], layers[1].more["act_type"] = 2, 1
    bits = Groups(of_type(INT8, G, K, N), False, False, HALF, scale=near(G, N).view(torch.int32).long())
    wrong = "group_type=2", "act_type=1", "scale.dtype=torch.int64"
    for layer, argument in zip((*layers, bits), wrong, strict=True):
        p = evt.partition(layer, (x if layer is not bits else of_type(INT8, M, K), listed))
        assert p.kernels == []
        assert p.rest[0].reason == f"no kernel has npu_grouped_matmul with {argument}"


@pytest.mark.cxx
@pytest.mark.parametrize("name", ["int4", "int8"])
def test_kernels_compute_what_the_operators_do(name: str) -> None:
    layer, x, token = experts(name)
    listed = torch.tensor([13, 0, 7] if layer.more["group_list_type"] else [13, 13, 20])
    given = (x, listed) if token is None else (x, listed, token)
    want = layer(*given)
    p = evt.partition(layer, given, run="model")
    torch.testing.assert_close(p(*given), want, rtol=2**-7, atol=2**-7 * float(want.max()))
