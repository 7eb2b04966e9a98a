"""Graphs of torch.fx as epilogues: the same numbers as the module, or the node at which that ends."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import ColumnMajor, Epilogue, EvtgenError, RowMajor, bfloat16, float32, half, int8, int32
from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic
from evtgen.operators.arrays import Array, dtype
from evtgen.pipeline.run import Reference
from evtgen.planner.plan import lower
from evtgen.reference import evaluate

from ..support.optional import torch as torch_
from ..support.said import says

torch = torch_()
nn, F = torch.nn, torch.nn.functional
Module: Any = nn.Module
Tracer: Any = torch.fx.Tracer

M, K, N = 5, 6, 8
torch.manual_seed(18)
X = torch.randn(M, K)


class LinearGelu(Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(K, N)

    def forward(self, x):
        return F.gelu(self.fc(x))


class Addmm(Module):
    def forward(self, x, w, bias, residual, scale: float):
        return torch.relu(torch.addmm(bias, x, w, beta=0.5, alpha=2)) + residual * scale


class Mlp(Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(K, N, bias=False)
        self.up = nn.Linear(K, N)
        self.down = nn.Linear(N, K)

    def forward(self, x):
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


class Fused(Module):
    def __init__(self) -> None:
        super().__init__()
        self.both = nn.Linear(K, 2 * N, bias=False)

    def forward(self, x):
        gate, up = self.both(x).chunk(2, dim=-1)
        return F.silu(gate) * up


class Lora(Module):
    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Linear(K, N)
        self.A = nn.Linear(K, 2, bias=False)
        self.B = nn.Linear(2, N, bias=False)
        self.scale = 0.25

    def forward(self, x):
        return self.base(x) + self.B(self.A(x)) * self.scale


class RmsNormed(Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(K, N, bias=False)
        self.weight = nn.Parameter(torch.randn(N))

    def forward(self, x):
        y = self.fc(x)
        given = y.dtype
        y = y.to(torch.float32)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(given)


class Turned(Module):
    def forward(self, a, b, column, rows):
        y = a.t() @ b
        y += column
        return {"y": y, "z": torch.where(y > 0, y, rows).clamp(max=1.0)}["z"]


def sequential() -> Any:
    layers = [
        nn.Linear(K, N), nn.Dropout(0.3), nn.LayerNorm(N), nn.LeakyReLU(0.1, inplace=True), nn.Hardtanh(-1.0, 2.0),
        nn.ELU(),
        nn.Softplus(), nn.PReLU(), nn.RMSNorm(N), nn.Softmax(-1),
    ]  # fmt: skip
    return nn.Sequential(*layers).eval()


def fx(module: Any) -> Any:
    return torch.fx.symbolic_trace(module)


def exported(module: Any) -> Any:
    return torch.export.export(module, (X.to(next(module.parameters()).dtype),))


def array(tensor: Any) -> Array:
    """A tensor as an array, of bfloat16 too."""
    plain: Array = tensor.detach().to(torch.float32).numpy()
    return plain.astype(dtype({"torch.bfloat16": bfloat16, "torch.float16": half}.get(str(tensor.dtype), float32)))


def result(epilogue: Epilogue, a: Any, bs: list[Any], inputs: dict[str, Any]) -> Array:
    """The output by the reference of the device: of A, of each B as (K, N), and of what the epilogue reads."""
    assert check(epilogue) == []
    plan = lower(epilogue)
    product = np.concatenate([a.detach().double().numpy() @ b.detach().double().numpy() for b in bs], axis=1)
    needed = {tensor.name: tensor for tensor in plan.tensors if not tensor.output}
    arrays = {name: array(inputs[name]).reshape(t.shape.size(len(product), -1)) for name, t in needed.items()}
    arrays |= {scalar.name: np.full((1, 1), inputs[scalar.name], np.float32) for scalar in plan.scalars}
    return evaluate(epilogue, product.astype(dtype(plan.element_c)), arrays)["D"]


def parameters(module: Any, **more: Any) -> dict[str, Any]:
    return {name.replace(".", "_"): tensor for name, tensor in module.named_parameters()} | more


def test_linear_bias_gelu() -> None:
    module = LinearGelu()
    epilogue = evt.from_fx(fx(module))
    assert (epilogue.name, epilogue.gemm.a, epilogue.gemm.layout_b) == ("linear_gelu", float32, ColumnMajor)
    found = result(epilogue, X, [module.fc.weight.T], parameters(module))
    np.testing.assert_allclose(found, module(X).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_model_of_float32_runs_in_another_type() -> None:
    epilogue = evt.from_fx(fx(LinearGelu()), T=half, name="in_half")
    assert (epilogue.name, epilogue.gemm.a, lower(epilogue).element_c) == ("in_half", half, float32)
    assert {str(tensor.element) for tensor in lower(epilogue).tensors} == {"half"}
    assert lower(evt.from_fx(fx(LinearGelu()), T=half, c=half)).element_c == half


def test_a_kernel_of_halves_is_at_least_as_exact_as_torch() -> None:
    torch.manual_seed(1)
    made = nn.Sequential(nn.Linear(256, 128), nn.GELU()).half()
    x = torch.randn(64, 256).half()
    with torch.no_grad():
        meant, eager = made.double()(x.double()).numpy(), made.half()(x).double().numpy()
    epilogue = evt.from_fx(fx(made))
    found = result(epilogue, x, [made[0].weight.T], {"p_0_bias": made[0].bias}).astype(np.float64)
    assert np.abs(found - meant).mean() <= np.abs(eager - meant).mean()


@pytest.mark.parametrize("T", ["float16", "bfloat16"])
def test_modules_of_other_types(T: str) -> None:
    for module in (LinearGelu().to(getattr(torch, T)), RmsNormed().to(getattr(torch, T))):
        x = X.to(getattr(torch, T))
        found = result(evt.from_fx(fx(module)), x, [next(iter(module.fc.parameters())).T], parameters(module))
        tolerance = 4e-3 if T == "float16" else 4e-2
        np.testing.assert_allclose(found.astype(np.float32), module(x).detach().float(), rtol=tolerance, atol=tolerance)


def test_addmm() -> None:
    w, bias, residual = torch.randn(K, N), torch.randn(N), torch.randn(M, N)
    epilogue = evt.from_fx(fx(Addmm()), examples=(X, w, bias, residual, 0.5))
    assert epilogue.gemm.layout_b == RowMajor
    found = result(epilogue, X, [w], {"bias": bias, "residual": residual, "scale": 0.75})
    np.testing.assert_allclose(found, Addmm()(X, w, bias, residual, 0.75), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("examples", [X, (X,), [X], {"x": X}, (), None])
def test_examples(examples: Any) -> None:
    epilogue = evt.from_fx(fx(LinearGelu()), examples=examples)
    assert check(epilogue) == [] and epilogue.shape == (None if examples in (None, ()) else (M, N, K))


def test_names_of_an_exported_program_are_those_of_the_model() -> None:
    class Buffered(LinearGelu):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("offset", torch.ones(N))

        def forward(self, x):
            return self.fc(x) * 2 + self.offset + torch.tensor([0.5])

    for made in (fx, exported):
        epilogue = evt.from_fx(made(Buffered()), examples=X)
        assert epilogue.name == "buffered"
        assert {"fc_bias", "offset"} <= {tensor.name for tensor in lower(epilogue).tensors}


def test_tensors_have_the_types_of_the_model_and_numbers_are_not_rounded() -> None:
    arguments = [tensor.half() for tensor in (X, torch.randn(K, N), torch.randn(N), torch.randn(M, N))]
    plan = lower(evt.from_fx(fx(Addmm()), examples=(*arguments, 0.5)))
    assert float32 == plan.scalars[0].T and {str(t.element) for t in plan.tensors} == {"half"}
    assert Addmm()(*arguments, 0.5).dtype == torch.float16


def test_a_tensor_of_bool_is_one_of_bytes() -> None:
    class Masked(Module):
        def forward(self, x, w, hidden):
            return (x @ w).masked_fill(hidden, -1.0)

    w, hidden = torch.randn(K, N), torch.randn(M, N) > 0
    epilogue = evt.from_fx(fx(Masked()), examples=(X, w, hidden))
    assert [str(t.element) for t in lower(epilogue).tensors] == ["uint8", "float32"]
    arrays = {"hidden": hidden.numpy().astype(np.uint8)}
    found = evaluate(epilogue, (X.double() @ w.double()).numpy().astype(np.float32), arrays)["D"]
    np.testing.assert_allclose(found, Masked()(X, w, hidden), rtol=1e-5, atol=1e-6)


def test_a_gated_mlp_is_two_epilogues() -> None:
    module = Mlp()
    gated = evt.from_fx(fx(module), matmul=("gate", "up"))
    assert gated.gemm.accumulators == "separate"
    hidden = F.silu(module.gate(X)) * module.up(X)
    found = result(gated, X, [module.gate.weight.T, module.up.weight.T], parameters(module))
    np.testing.assert_allclose(found, hidden.detach(), rtol=1e-5, atol=1e-6)
    down = evt.from_fx(fx(module), matmul="down", examples={"x": X})
    found = result(down, hidden, [module.down.weight.T], parameters(module, x=X))
    np.testing.assert_allclose(found, module(X).detach(), rtol=1e-5, atol=1e-6)


def test_two_products_of_one_input_are_two_accumulators() -> None:
    class Gated(Mlp):
        def forward(self, x):
            return F.silu(self.gate(x)) * self.up(x)

    assert evt.from_fx(fx(Gated())).gemm.accumulators == "separate"


@pytest.mark.parametrize("made", [fx, exported])
def test_a_layer_that_is_called_again_is_one_product(made: Callable[[Any], Any]) -> None:
    class Twice(LinearGelu):
        def forward(self, x):
            return self.fc(x) * torch.sigmoid(self.fc(x))

    class Both(LinearGelu):
        def forward(self, x):
            return self.fc(x), torch.relu(self.fc(x))

    twice = Twice()
    epilogue = evt.from_fx(made(twice))
    assert epilogue.gemm.accumulators is None
    found = result(epilogue, X, [twice.fc.weight.T], parameters(twice))
    np.testing.assert_allclose(found, twice(X).detach(), rtol=1e-5, atol=1e-6)
    both = evt.from_fx(made(Both()), matmul="fc")
    assert both.gemm.accumulators is None and sum(t.output for t in lower(both).tensors) == 2


@pytest.mark.parametrize("change", [lambda x: x.mul_(2), lambda x: F.relu(x, inplace=True), nn.ReLU(inplace=True)])
def test_a_layer_that_is_called_on_what_was_overwritten_is_another_product(change: Callable[[Any], Any]) -> None:
    class Changed(LinearGelu):
        def __init__(self) -> None:
            super().__init__()
            self.change = change

        def forward(self, x):
            y = self.fc(x)
            self.change(x)
            return y + self.fc(x)

    with pytest.raises(EvtgenError, match=r"EVT207.*'fc'"):
        evt.from_fx(fx(Changed()), matmul="fc")


def test_a_fused_gate_is_two_halves() -> None:
    module = Fused()
    epilogue = evt.from_fx(fx(module))
    assert epilogue.gemm.accumulators == "halves"
    assert evt.from_fx(fx(module), examples=X).shape == (M, N, K)
    found = result(epilogue, X, [module.both.weight.T], {})
    np.testing.assert_allclose(found, module(X).detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("made", [fx, exported])
def test_lora(made: Callable[[Any], Any]) -> None:
    module = Lora()
    epilogue = evt.from_fx(made(module), matmul="base")
    low = module.B(module.A(X))
    names = {tensor.name for tensor in lower(epilogue).tensors}
    inputs = {name: low if "bias" not in name else module.base.bias for name in names}
    found = result(epilogue, X, [module.base.weight.T], inputs)
    np.testing.assert_allclose(found, module(X).detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("made", [fx, exported])
@pytest.mark.parametrize("module", [RmsNormed(), sequential()], ids=["by hand", "layers"])
def test_norms(module: Any, made: Callable[[Any], Any]) -> None:
    epilogue = evt.from_fx(made(module))
    weight = next(iter(module.parameters())) if isinstance(module, nn.Sequential) else module.fc.weight
    given = parameters(module)
    names = [tensor.name for tensor in lower(epilogue).tensors if tensor.name != "D"]
    inputs = {name: given[name.removeprefix("p_")] for name in names}
    found = result(epilogue, X, [weight.T], inputs)
    np.testing.assert_allclose(found, module(X).detach(), rtol=1e-5, atol=1e-6)


def test_layouts_columns_and_places() -> None:
    a, b, column, rows = torch.randn(K, M), torch.randn(K, N), torch.randn(M, 1), torch.randn(1, N)
    epilogue = evt.from_fx(fx(Turned()), examples={"a": a, "b": b, "column": column, "rows": rows})
    assert (epilogue.gemm.layout_a, epilogue.gemm.layout_b) == (ColumnMajor, RowMajor) and epilogue.shape == (M, N, K)
    found = result(epilogue, a.T, [b], {"column": column, "rows": rows})
    np.testing.assert_allclose(found, Turned()(a, b, column, rows), rtol=1e-5, atol=1e-6)


def test_leading_axes_are_rows_and_batches_are_batches() -> None:
    module = LinearGelu()
    epilogue = evt.from_fx(torch.export.export(module, (torch.randn(2, 3, K),)))
    assert not epilogue.gemm.batch and check(epilogue) == [] and epilogue.shape == (6, N, K)

    class Batched(Module):
        def forward(self, a, b, bias):
            return torch.softmax(torch.bmm(a, b.transpose(1, 2)) * 0.125 + bias, dim=-1)

    given = torch.randn(2, M, K), torch.randn(2, N, K), torch.randn(2, 1, N)
    epilogue = evt.from_fx(fx(Batched()), examples=given)
    assert epilogue.gemm.batch and epilogue.gemm.layout_b == ColumnMajor and check(epilogue) == []
    assert epilogue.shape == (M, N, K)
    assert [str(t.shape) for t in lower(epilogue).tensors] == ["1 x N", "M x N"]


def test_several_outputs_have_the_names_of_their_nodes() -> None:
    class Two(LinearGelu):
        def forward(self, x):
            y = self.fc(x)
            return torch.tanh(y), y.relu()

    assert [t.name for t in lower(evt.from_fx(fx(Two()))).tensors if t.output] == ["tanh", "relu"]


@pytest.mark.cxx
def test_the_kernel_computes_what_the_module_does() -> None:
    module = LinearGelu().half()
    x = torch.randn(19, K).half()
    epilogue = evt.from_fx(fx(module))
    weight, bias = module.fc.weight.detach().numpy(), module.fc.bias.detach().numpy()
    found = evt.run(epilogue, x.numpy(), weight.T, fc_bias=bias)["D"]
    np.testing.assert_allclose(found.astype(np.float32), module(x).detach().float(), rtol=4e-3, atol=2e-3)


def module(body: Callable[..., Any], *layers: Any) -> Any:
    """A module with a linear layer, and others, that does something with its result."""

    class Made(Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(K, N)
            self.layers = nn.ModuleList(layers)

        def forward(self, x, y=None):
            return body(self, self.fc(x), x, y)

    return Made()


class Own(Module):
    def forward(self, x):
        return x * 2


class Leaf(Tracer):
    def is_leaf_module(self, m: Any, name: str) -> bool:
        return isinstance(m, Own) or super().is_leaf_module(m, name)


def leaf(made: Any) -> Any:
    return torch.fx.GraphModule(made, Leaf().trace(made))


FAILURES: list[tuple[Callable[[], Any], dict[str, Any], str, str, str]] = [
    (lambda: 3, {}, "EVT207", "int … torch.fx", "symbolic_trace"),
    (lambda: fx(LinearGelu()).graph, {}, "EVT207", "Graph … torch.fx", "GraphModule"),
    (lambda: fx(Own()), {}, "EVT207", "", "nn.Linear"),
    (lambda: fx(Mlp()), {}, "EVT207", "3 … gate, up, down", 'matmul="gate"'),
    (lambda: fx(Mlp()), {"matmul": "gat"}, "EVT207", "'gat'", "gate, up, down"),
    (lambda: fx(Mlp()), {"matmul": ("gate", "down")}, "EVT207", "gate, down", "A"),
    (lambda: fx(Addmm()), {}, "EVT208", "x", "examples=("),
    (lambda: fx(Addmm()), {"T": half}, "EVT208", "bias … addmm", "ShapeProp"),
    (lambda: fx(Addmm()), {"examples": {"z": 1}}, "EVT208", "'z'", "bias"),
    (lambda: fx(LinearGelu()), {"examples": (X, X)}, "EVT208", "2 … 1", ""),
    (lambda: fx(LinearGelu()), {"examples": X[:, :3]}, "EVT208", "x … (5, 3) … fc … 6 … 3", ""),
    (lambda: fx(LinearGelu()), {"T": "half"}, "EVT208", "T='half'", "half, "),
    (lambda: fx(LinearGelu()), {"T": torch.float16}, "EVT208", "T=torch.float16", "half, "),
    (lambda: fx(LinearGelu().double()), {}, "EVT208", "x … float64", "T=half"),
    (lambda: fx(module(lambda m, y, *_: torch.erfc(y))), {}, "EVT010", "torch.erfc … erfc", "1 - ops.erf(x)"),
    (lambda: fx(module(lambda m, y, *_: y.cumsum(1))), {}, "EVT010", ".cumsum … cumsum", "add, max"),
    (lambda: fx(module(lambda m, y, *_: y.sum(-1))), {}, "EVT011", "x.sum … sum_1", "keepdims=True"),
    (lambda: fx(module(lambda m, y, *_: m.layers[0](y), nn.BatchNorm1d(N))), {}, "EVT206", "nn.BatchNorm1d", "ReLU"),
    (lambda: fx(module(lambda m, y, *_: m.layers[0](y), nn.Dropout())), {}, "EVT206", "layers.0", "model.eval()"),
    (lambda: leaf(module(lambda m, y, *_: m.layers[0](y), Own())), {}, "EVT206", "Own … torch.nn", ""),
    (lambda: fx(module(lambda m, y, x, z: y + z)), {"examples": (X, torch.ones(3, N))},
     "EVT206", "y … (3, 8) … 5 x 8", ""),
    (lambda: fx(module(lambda m, y, x, z: y + z)), {"examples": (X, torch.ones(M, N, dtype=torch.int64))},
     "EVT208", "y … int64", "T=half"),
    (lambda: fx(module(lambda m, y, *_: y.softmax(-1, torch.float64))), {}, "EVT011", "x.softmax … float64", "half"),
]  # fmt: skip


LINEAR: list[tuple[Callable[..., Any], tuple[Any, ...], str, str]] = [
    (lambda y: torch.softmax(y, 1), (), "EVT208", "softmax … 1 … softmax"),
    (lambda y: torch.softmax(y, 1), (2, 3, K), "EVT206", "softmax … softmax"),
    (lambda y: y - y.mean(0), (2, 3, K), "EVT206", "mean … mean"),
    (lambda y: F.glu(y, 0), (5, K), "EVT206", "glu"),
    (lambda y: torch.prelu(y, torch.ones(N)), (2, 3, K), "EVT206", "prelu … prelu"),
    (lambda y: F.glu(y, 1), (2, 3, K), "EVT206", "glu … glu"),
]


@pytest.mark.parametrize(("body", "shape", "code", "message"), LINEAR, ids=range(len(LINEAR)))
def test_axes_of_more_than_a_matrix(body: Callable[..., Any], shape: tuple[int, ...], code: str, message: str) -> None:
    options: dict[str, Any] = {"examples": (torch.ones(shape),)} if shape else {}
    d = failure(lambda: fx(module(lambda m, y, *_: body(y))), options)
    says(d, code, message)


ENDS: dict[str, Callable[[Any], Any]] = {
    "heads": lambda y: y.view(2, 3, 2, 4).transpose(1, 2),
    "axes": lambda y: y.transpose(1, 2).relu(),
    "halves": lambda y: y[..., :4] * y[..., 4:].exp(),
    "rows": lambda y: y[:, :2].exp(),
    "three": lambda y: y.reshape(2, 3, 2, 2, 2).permute(2, 0, 3, 1, 4).unbind(0),
    "sizes": lambda y: y.split(3, -1)[0] * y.split(3, -1)[1],
}
"""Behind a linear layer of (2, 3, N)."""


@pytest.mark.parametrize("name", ENDS)
def test_an_epilogue_ends_before_a_view_that_no_tile_has(name: str) -> None:
    given = torch.ones(2, 3, K)
    made = module(lambda m, y, *_: ENDS[name](torch.relu(y)))
    for traced in (fx(made), torch.export.export(made, (given,))):
        epilogue: Any = evt.from_fx(traced, examples=(given,))
        (node,) = epilogue.function.outputs.values()
        assert node.name == "relu" and check(epilogue) == []


CUT: dict[str, Callable[[Any, Any], Any]] = {
    "slices": lambda y, z: (y[..., :3].tanh(), y[..., 3:] + z),
    "sizes": lambda y, z: (torch.split(y, [3, 5], dim=-1)[1] + z,),
    "equal": lambda y, z: (y.split(3, -1)[1].softmax(-1), y.chunk(3, -1)[2].exp()),
    "narrow": lambda y, z: (y.narrow(-1, 3, 5) * z, y[..., 1::2].abs()),
    "part of a part": lambda y, z: (y[..., 1:][..., 2:].exp() * z, F.rms_norm(y[..., :-2], (N - 2,))),
}
"""Parts of the columns of a matmul's result, in torch."""


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("rows", [(7,), (2, 3)])
def test_parts_of_the_columns_are_parts(name: str, rows: tuple[int, ...]) -> None:
    given = torch.randn(*rows, K), torch.randn(*rows, 5)
    made = module(lambda m, y, x, z: CUT[name](torch.relu(y), z))
    for traced in (fx(made), torch.export.export(made, given)):
        epilogue: Any = evt.from_fx(traced, examples=given)
        assert check(epilogue) == []
        bound = epilogue.bind(made, *given)
        found = Reference(epilogue)(bound.pop("a"), bound.pop("b"), **bound)
        for output, meant in zip(epilogue.outputs, made(*given), strict=True):
            np.testing.assert_allclose(found[output], array(meant.flatten(0, -2)), rtol=1e-4, atol=1e-5)


def test_axes_that_are_those_of_a_tile() -> None:
    for body, shape in (
        (lambda y: torch.softmax(y, 1), (5, K)), (lambda y: torch.softmax(y, 2), (2, 3, K)),
        (lambda y: torch.softmax(y, -1), ()), (lambda y: y - y.mean(0), (5, K)), (lambda y: y / y.amax(), ()),
        (lambda y: y.transpose(0, 1), (5, K)), (lambda y: F.glu(y, 2), (2, 3, K)),
        (lambda y: y.sum((0, 1)) + y, (5, K)),
    ):  # fmt: skip
        made = module(lambda m, y, *_, body=body: body(y))
        if "glu" in body.__code__.co_names:
            made.fc = nn.Linear(K, N, bias=False)
        options: dict[str, Any] = {"examples": (torch.ones(shape),)} if shape else {}
        assert check(evt.from_fx(fx(made), **options)) == [], shape


def failure(graph: Callable[[], Any], options: dict[str, Any]) -> Diagnostic:
    with pytest.raises(EvtgenError) as caught:
        evt.from_fx(graph(), **options)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(("graph", "options", "code", "message", "help"), FAILURES, ids=range(len(FAILURES)))
def test_what_is_refused(graph: Callable[[], Any], options: Any, code: str, message: str, help: str) -> None:
    d = failure(graph, options)
    says(d, code, message, help)
    assert d.location is not None and d.location.file == __file__


def test_a_message_has_the_line_of_the_model() -> None:
    class Wrong(LinearGelu):
        def forward(self, x):
            y = self.fc(x)
            return y.exp() + y.cos()

    d = failure(lambda: exported(Wrong()), {})
    assert d.location is not None and d.location.file == __file__
    assert "y.exp() + y.cos()" in linecache.getline(d.location.file, d.location.line)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (F.dropout, "torch.nn.functional.dropout"),
        (lambda x: F.gelu(x, approximate="exact"), "torch.nn.functional.gelu"),
        (torch.erfc, "torch.erfc"),
        (lambda x: F.layer_norm(x, (2, 3)), "torch.nn.functional.layer_norm"),
        (lambda x: np.sum(x, axis=1), "np.sum"),
    ],
)
def test_a_function_of_a_library_is_called_in_the_users_line(body: Callable[..., Any], message: str) -> None:
    def spec(acc: evt.Acc[half]) -> Any:
        return {"D": body(acc)}

    with pytest.raises(EvtgenError) as caught:
        evt.epilogue(spec)
    (d,) = caught.value.diagnostics
    assert message in d.message and d.location is not None and d.location.file == __file__, d


@pytest.mark.parametrize(
    "factor",
    [
        lambda x, y: x.size(-1) ** 0.5,
        lambda x, y: (x.shape[-1] // 2) * 2 / 2.0,
        lambda x, y: y.size(dim=-1),
        lambda x, y: x.shape[-1] * y.shape[-1],
    ],
)
def test_the_last_extent_is_a_number(factor: Callable[[Any, Any], Any]) -> None:
    made = module(lambda m, y, x, z: y / factor(x, y))
    found = result(evt.from_fx(fx(made)), X, [made.fc.weight.T], parameters(made))
    np.testing.assert_allclose(found, made(X).detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("examples", [None, X])
def test_an_extent_of_rows_is_no_number(examples: Any) -> None:
    for body in (
        lambda m, y, x, z: y / x.size(0),
        lambda m, y, x, z: y * (x.shape[0] * 2),
        lambda m, y, x, z: y.div(x.numel()),
    ):
        d = failure(lambda body=body: fx(module(body)), {"examples": examples})
        says(d, "EVT206")
        assert d.help


def unused(*statements: Callable[[Any], Any]) -> Callable[..., Any]:
    """A body in which the results of statements are unused."""

    def body(m: Any, y: Any, x: Any, z: Any) -> Any:
        for statement in statements:
            statement(y)
        return y * 2

    return body


def through_a_view_of_all(m: Any, y: Any, x: Any, z: Any) -> Any:
    same = y.detach()
    same.add_(1.0)
    y.mul_(same)
    return same + y


def in_half(m: Any, y: Any, x: Any, z: Any) -> Any:
    y = y.to(torch.float16)
    y.add_(m.fc.bias)
    return y * 1000.0


def numbers_are_no_tensors(m: Any, y: Any, x: Any, z: Any) -> Any:
    n = y.shape[-1]
    more = n
    more += 1
    return y / n + more


IN_PLACE: dict[str, Callable[..., Any]] = {
    "add_": unused(lambda y: y.add_(1.0)),
    "several": unused(lambda y: y.add_(1.0), lambda y: y.mul_(y), lambda y: y.neg_()),
    "relu_": unused(torch.relu_),
    "relu": unused(lambda y: F.relu(y, inplace=True)),
    "relu, by position": unused(lambda y: F.leaky_relu(y, 0.1, True)),
    "a module": lambda m, y, *_: (m.layers[0](y), y + 1)[1],
    "dropout": lambda m, y, *_: (F.dropout(y, 0.5, False, True), y + 1)[1],
    "clamp_": unused(lambda y: y.clamp_(-0.5, 0.5)),
    "copy_": unused(lambda y: y.copy_(y.exp())),
    "masked_fill_": unused(lambda y: y.masked_fill_(y > 0, -1.0)),
    "fill_": unused(lambda y: y.fill_(2.0)),
    "zero_": unused(lambda y: y.zero_()),
    "out": unused(lambda y: torch.add(y, 1.0, out=y)),
    "a list": unused(lambda y: torch._foreach_add_([y], 1.0)),
    "detach": unused(lambda y: y.detach().add_(1.0)),
    "detach, by name": unused(lambda y: torch.detach(input=y).add_(1.0)),
    "data": unused(lambda y: y.data.add_(1.0)),
    "a view": unused(lambda y: y.view(-1).add_(1.0)),
    "transposed": unused(lambda y: y.t().add_(1.0)),
    "contiguous": unused(lambda y: y.contiguous().add_(1.0)),
    "a slice": unused(lambda y: y[:, :4].add_(1.0)),
    "a column": unused(lambda y: y[:, 0].fill_(0.0)),
    "an older view": lambda m, y, *_: (y.t(), y.add_(1.0))[0].t(),
    "a younger view": lambda m, y, *_: (y.add_(1.0), y.contiguous())[1],
    "read twice": lambda m, y, *_: F.relu(y, inplace=True) + y,
    "read before": lambda m, y, *_: y.exp() + y.add_(1.0),
    "through detach": through_a_view_of_all,
    "read by the other part": lambda m, y, *_: (y.chunk(2, -1)[0].mul_(0.0), y)[1],
    "in half": in_half,
    "numbers": numbers_are_no_tensors,
    "an argument": lambda m, y, x, z: (x.mul_(2.0), y)[1],
}

REFUSED = {
    **dict.fromkeys(("fill_", "zero_"), "EVT010"),
    **dict.fromkeys(("a list", "a view", "transposed", "contiguous", "a slice", "a column"), "EVT206"),
    **dict.fromkeys(("detach, by name", "an older view", "read by the other part", "an argument"), "EVT206"),
}  # fmt: skip
"""The codes of what no epilogue can have; all else has the numbers of eager torch."""


@pytest.mark.parametrize(
    ("name", "traced"),
    [(name, fx) for name in IN_PLACE] + [(name, exported) for name in IN_PLACE if name != "data"],  # torch refuses it
)
def test_what_is_written_in_place_is_read_afterwards_or_refused(name: str, traced: Callable[[Any], Any]) -> None:
    made = module(IN_PLACE[name], nn.ReLU(inplace=True)).eval().requires_grad_(False)
    try:
        epilogue = evt.from_fx(traced(made), examples=X)
    except EvtgenError as error:
        assert {d.code for d in error.diagnostics} == {REFUSED.get(name)}, error
        return
    found = result(epilogue, X, [made.fc.weight.T], parameters(made))
    eager = made(X.clone()).float()
    # Eager PyTorch has rounded to half twice before the last factor, so what cancels is off by that of the largest.
    atol = 2 * 2.0**-11 * float(eager.abs().max()) if name == "in half" else 1e-5
    np.testing.assert_allclose(found.astype(np.float32), eager, rtol=1e-3, atol=atol)
    assert name not in REFUSED or traced is exported  # which leaves out what changes nothing


SAME = (lambda t: t.detach(), lambda t: t.view(M, N), lambda t: t.contiguous(), lambda t: F.dropout(t, 0.5, False))
NEW = (torch.relu, torch.exp, lambda t: t * 0.5, lambda t: t.clone(), lambda t: torch.where(t > 0, t, -1.0))
WRITES = (
    lambda t: t.add_(1.0), lambda t: F.relu(t, inplace=True), lambda t: t.mul_(t), lambda t: t.clamp_(-2.0, 2.0),
    lambda t: F.hardtanh(t, -3.0, 3.0, True), lambda t: t.masked_fill_(t > 1, 0.5), torch.neg_,
)  # fmt: skip


def random_body(seed: int) -> Callable[..., Any]:
    """A body in which tensors of one memory are written and read at random."""

    def body(m: Any, y: Any, x: Any, z: Any) -> Any:
        chosen = random.Random(seed)
        tensors = [y]
        for _ in range(chosen.randint(2, 6)):
            tensor = chosen.choice(tensors)
            made = chosen.choice(chosen.choice((SAME, NEW, WRITES)))(tensor)
            if chosen.random() < 0.5:
                tensors.append(made)
        return chosen.choice(tensors) + chosen.choice(tensors)

    return body


@pytest.mark.parametrize("seed", range(60))
def test_random_writes(seed: int) -> None:
    made = module(random_body(seed)).eval().requires_grad_(False)
    try:
        found = result(evt.from_fx(exported(made)), X, [made.fc.weight.T], parameters(made))
    except EvtgenError as error:
        assert {d.code for d in error.diagnostics} == {"EVT206"}
    else:
        np.testing.assert_allclose(found, made(X), rtol=1e-4, atol=1e-4)


CUTS: dict[str, Callable[[Any], Any]] = {
    "chunk": lambda y: y.chunk(2, -1), "split": lambda y: y.split(N, -1),
    "sizes": lambda y: torch.split(y, [N, N], dim=-1), "slices": lambda y: (y[..., :N], y[..., N:]),
}  # fmt: skip


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("decomposed", [False, True])
def test_a_fused_gate_is_cut_in_every_way(cut: str, decomposed: bool) -> None:
    class Cut(Fused):
        def forward(self, x):
            gate, up = CUTS[cut](self.both(x))
            return F.silu(gate) * up

    made = Cut().requires_grad_(False)
    made.both = nn.Linear(K, 2 * N).requires_grad_(False)
    given = torch.randn(2, 3, K)
    program = torch.export.export(made, (given,))
    for traced in [program.run_decompositions()] if decomposed else [fx(made), program]:
        epilogue = evt.from_fx(traced, examples=(given,))
        assert epilogue.gemm.accumulators == "halves"
        bound = epilogue.bind(made, given)
        a, b = bound.pop("a"), bound.pop("b")
        found = epilogue.function(*(a @ b).chunk(2, -1), **bound)["D"]
        np.testing.assert_allclose(found, made(given).reshape(-1, N), rtol=1e-5, atol=1e-6)
        assert sorted(bound) == ["both_bias_0", "both_bias_1"]


def test_half_of_a_product_is_written_in_place() -> None:
    class Activated(Fused):
        def forward(self, x):
            gate, up = self.both(x).chunk(2, dim=-1)
            F.silu(gate, inplace=True)
            return gate * up

    class SameHalf(Fused):
        def forward(self, x):
            halves = self.both(x).chunk(2, dim=-1)
            up = halves[1]
            halves[-1].mul_(2.0)
            return halves[0] * up

    made = Activated().requires_grad_(False)
    assert failure(lambda: fx(SameHalf()), {}).code == "EVT206"
    found = result(evt.from_fx(fx(made)), X, [made.both.weight.T], {})
    with torch.no_grad():  # other tests may have asked for gradients of X
        np.testing.assert_allclose(found, made(X), rtol=1e-5, atol=1e-6)


def test_operands_that_are_written_in_place() -> None:
    class Doubled(LinearGelu):
        def forward(self, x):
            x.mul_(2.0)
            return self.fc(x)

    class Weights(LinearGelu):
        def forward(self, x):
            self.fc.weight.mul_(2.0)
            return self.fc(x)

    made = Doubled()
    found = result(evt.from_fx(fx(made), examples=X), X * 2, [made.fc.weight.T], parameters(made))
    np.testing.assert_allclose(found, made.fc(X * 2).detach(), rtol=1e-5, atol=1e-6)
    assert failure(lambda: fx(Weights()), {}).code == "EVT206"


def test_products_of_int8_are_those_of_int_mm() -> None:
    class Scaled(Module):
        def __init__(self, multiply: Callable[[Any, Any], Any]) -> None:
            super().__init__()
            self.multiply = multiply

        def forward(self, a, b):
            return self.multiply(a, b).to(torch.float32) * 0.25

    a, b = torch.randint(-128, 128, (32, 64)).to(torch.int8), torch.randint(-128, 128, (64, 16)).to(torch.int8)
    made = Scaled(torch._int_mm)
    for traced in (fx(made), torch.export.export(made, (a, b))):
        epilogue = evt.from_fx(traced, examples=(a, b))
        assert (epilogue.gemm.a, epilogue.gemm.b, lower(epilogue).element_c) == (int8, int8, int32)
        np.testing.assert_array_equal(result(epilogue, a, [b], {}), made(a, b))
    wraps = fx(module(lambda m, y, *_: (y.to(torch.int8) * 3).float()))
    assert failure(lambda: wraps, {}).code == "EVT206"
    for multiply, operands in ((torch.matmul, (a, b)), (torch._int_mm, (a.float(), b.float()))):
        graph = fx(Scaled(multiply))
        assert failure(lambda graph=graph: graph, {"examples": operands}).code == "EVT206"


def test_near_misses_of_what_is_refused() -> None:
    near: list[tuple[Any, dict[str, Any]]] = [
        (fx(module(lambda m, y, *_: m.layers[0](y), nn.Dropout()).eval()), {}),
        (fx(module(lambda m, y, *_: F.relu(y, inplace=True) + 1)), {}),
        (fx(module(lambda m, y, x, z: y + z)), {"examples": (X, torch.ones(1, N))}),
        (torch.export.export(module(lambda m, y, *_: y.view(-1, 5, N).relu()), (X,)), {}),
        (fx(module(lambda m, y, *_: m.layers[0](y), Own())), {}),
    ]
    for made, options in near:
        assert check(evt.from_fx(made, **options)) == []
