"""The model behind a converted epilogue: its function on tensors, its tensors by name, and what verify makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import EvtgenError, RowVector, float32, half
from evtgen.pipeline.run import Reference

from ..support.optional import torch as torch_
from ..support.said import says

torch = torch_()
nn, F = torch.nn, torch.nn.functional
Module: Any = nn.Module

K, N = 6, 8
torch.manual_seed(32)


class Block(Module):
    """Leading axes, a view of weights, a mask, a number and a write in place."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(K, N)
        self.norm = nn.LayerNorm(N)
        self.scale = nn.Parameter(torch.rand(N) + 0.5)

    def forward(self, x, hidden, residual, alpha: float):
        y = self.fc(x.mul(2.0))
        y = y * (self.scale + 1.0) + residual * alpha
        y.mul_(2.0)
        return self.norm(y.masked_fill(hidden, 0.5)).to(torch.float16)


class Gated(Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(K, N, bias=False)
        self.up = nn.Linear(K, N)

    def forward(self, x):
        return F.silu(self.gate(x)) * self.up(x)


class Scores(Module):
    def forward(self, q, k, mask):
        return torch.softmax(q @ k.transpose(-1, -2) * 0.5 + mask, -1)


def fx(module: Any, *_: Any) -> Any:
    return torch.fx.symbolic_trace(module)


def exported(module: Any, *given: Any) -> Any:
    return torch.export.export(module, given)


BLOCK = (torch.randn(2, 3, K), torch.randn(2, 3, N) > 0, torch.randn(2, 3, N), 0.5)
SCORES = (torch.randn(4, 5, K), torch.randn(4, 3, K), torch.randn(5, 3))
CASES = {"block": (Block(), BLOCK), "gated": (Gated(), (torch.randn(5, K),)), "scores": (Scores(), SCORES)}


@pytest.mark.parametrize("traced", [fx, exported])
@pytest.mark.parametrize("name", CASES)
def test_what_is_bound_is_what_the_kernel_takes(name: str, traced: Callable[..., Any]) -> None:
    module, given = CASES[name]
    epilogue = evt.from_fx(traced(module, *given), examples=given)
    before = [x.clone() if hasattr(x, "clone") else x for x in given]
    bound = epilogue.bind(module, *given)
    assert all(np.array_equal(x, y) for x, y in zip(before, given, strict=True)), "an argument was overwritten"
    assert {"a", "b"} <= bound.keys() and ("b2" in bound) == (name == "gated")
    a, *b = (bound.pop(key) for key in ("a", "b", "b2") if key in bound)
    wide = {key: x.double() if hasattr(x, "dtype") else x for key, x in bound.items()}
    (found,) = epilogue.function(*(a.double() @ one.double() for one in b), **wide).values()
    expected = module(*given).detach()
    torch.testing.assert_close(found.reshape(expected.shape).float(), expected.float(), rtol=2e-3, atol=1e-5)


def test_tensors_of_an_exported_program_are_its_own() -> None:
    class Constant(Gated):
        def forward(self, x):
            return self.gate(x) * torch.tensor([0.5]) + torch.full((8,), 2.0)

    module = Constant()
    for traced, own in ((fx(module), module), (program := exported(module, torch.randn(5, K)), program)):
        epilogue = evt.from_fx(traced, examples=(torch.randn(5, K),))
        bound = epilogue.bind(own)
        found = epilogue.function(torch.ones(5, N), **{name: x for name, x in bound.items() if name != "b"})["D"]
        torch.testing.assert_close(found, torch.full((5, N), 2.5))


class Pointwise(Module):
    """A convolution with a kernel of 1 x 1: for each image, its weight times the pixels."""

    def __init__(self, **named: Any) -> None:
        super().__init__()
        self.conv = nn.Conv2d(K, N, 1, **named)

    def forward(self, x, y):
        return F.gelu(self.conv(x)) + y


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("T", [torch.float32, torch.float16])
def test_a_convolution_of_single_pixels_is_a_matmul_for_each_image(T: Any, bias: bool) -> None:
    module, given = Pointwise(bias=bias).to(T), (torch.randn(2, K, 3, 5, dtype=T), torch.randn(2, N, 3, 5, dtype=T))
    exact = Pointwise(bias=bias).double()
    exact.load_state_dict(module.state_dict())
    meant, eager = exact(*(one.double() for one in given)), module(*given)
    program = exported(module, *given)
    for traced, own in ((fx(module), module), (program, program), (program := program.run_decompositions(), program)):
        epilogue = evt.from_fx(traced, examples=given)
        assert epilogue.gemm.batch
        bound = epilogue.bind(own, *given)
        found = Reference(epilogue)(bound.pop("a"), bound.pop("b"), **bound)["D"].reshape(eager.shape)
        errors = [(one.double() - meant).abs().max() for one in (found, eager)]
        assert errors[0] <= errors[1] + 4 * torch.finfo(torch.float32).eps * meant.abs().max()


@pytest.mark.parametrize("named", [{"stride": 2}, {"padding": 1}, {"groups": 2}, {"stride": (1, 2)}])
def test_other_convolutions_are_no_matmul(named: dict[str, Any]) -> None:
    given = torch.randn(2, K, 3, 5), torch.randn(1)
    with pytest.raises(EvtgenError, match="no matmul"):
        evt.from_fx(fx(Pointwise(**named)), examples=given)


@pytest.mark.parametrize("behind", [lambda y: F.softmax(y, -1), lambda y: y.sum((1, 2)), lambda y: y.mT + 1])
def test_what_goes_along_an_axis_of_an_image_is_behind_the_epilogue(behind: Callable[[Any], Any]) -> None:
    class Behind(Module):
        def __init__(self) -> None:
            super().__init__()
            self.front = Pointwise()

        def forward(self, x, y):
            return behind(self.front(x, y))

    given = torch.randn(2, K, 3, 5), torch.randn(2, N, 3, 5)
    module = Behind()
    epilogue = evt.from_fx(fx(module), examples=given)
    bound = epilogue.bind(module, *given)
    found = Reference(epilogue)(bound.pop("a"), bound.pop("b"), **bound)["D"].reshape(2, N, 3, 5)
    torch.testing.assert_close(found, module.front(*given), rtol=1e-5, atol=1e-5)


@pytest.mark.cxx
def test_a_converted_kernel_runs_on_what_is_bound() -> None:
    module, given = CASES["block"]
    epilogue = evt.from_fx(fx(module), examples=given)
    bound = epilogue.bind(module, *given)
    found = evt.run(epilogue, bound.pop("a"), bound.pop("b"), **bound)["D"]
    expected = module(*given).detach()
    torch.testing.assert_close(found.reshape(expected.shape), expected, rtol=2e-3, atol=1e-3)


def test_without_arguments_weights_are_bound() -> None:
    module = Block()
    epilogue = evt.from_fx(fx(module), examples=BLOCK)
    other = Block()
    bound = epilogue.bind(other)
    assert {*bound} == {"b", "fc_bias", "scale", "norm_weight", "norm_bias"}
    assert bound["b"].shape == (K, N) and bound["b"].data_ptr() == other.fc.weight.data_ptr()


def test_names_of_inputs_give_way_to_outputs() -> None:
    class Added(Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc, self.D = nn.Linear(K, N), nn.Parameter(torch.randn(N))

        def forward(self, x):
            return self.fc(x) + self.D

    module, given = Added(), torch.randn(5, K)
    epilogue = evt.from_fx(fx(module), examples=given)
    bound = epilogue.bind(module, given)
    assert epilogue.outputs == ("D",) and {*bound} == {"a", "b", "fc_bias", "D_"}
    found = Reference(epilogue)(bound.pop("a"), bound.pop("b"), **bound)["D"]
    torch.testing.assert_close(found, module(given).detach())


def test_names_of_operands_give_way() -> None:
    class Same(Module):
        def forward(self, a, b, acc):
            return a @ b + a + acc

    given = torch.randn(5, 5), torch.randn(5, 5), torch.randn(5, 5)
    epilogue = evt.from_fx(fx(Same()), examples=given)
    bound = epilogue.bind(Same(), *given)
    assert {*bound} == {"a", "a_", "b", "acc"}
    found = epilogue.function(acc_=bound["a_"] @ bound["b"], a=bound["a"], acc=bound["acc"])["D"]
    torch.testing.assert_close(found, Same()(*given))


WRONG: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda e: e.bind(Block(), BLOCK[0]), "EVT208", "without hidden"),
    (lambda e: e.bind(Block(), *BLOCK, 3), "EVT208", "5 … 4"),
    (lambda e: e.bind(Block(), y=3), "EVT208", "'y'"),
    (lambda e: e.bind(nn.Linear(2, 2)), "EVT208", "Linear … fc.weight"),
    (lambda e: replace(e, function=None).bind(Block()), "EVT230", "block"),
]


@pytest.mark.parametrize(("bind", "code", "message"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_bound(bind: Callable[[Any], Any], code: str, message: str) -> None:
    epilogue = evt.from_fx(fx(Block()), examples=BLOCK)
    with pytest.raises(EvtgenError) as caught:
        bind(epilogue)
    (d,) = caught.value.diagnostics
    says(d, code, message)


@pytest.mark.cxx
def test_verify_compares_with_the_model() -> None:
    epilogue = evt.from_fx(fx(Block()), examples=BLOCK)
    (result,) = evt.verify(epilogue, shapes=[(5, 12, 7)], data="normal")
    assert result.ok and [one.against for one in result.against] == ["block.function"]

    @evt.epilogue(auto_cast=True)
    def other(acc: evt.Acc[float32], fc_bias: RowVector[float32]):
        return {"D": evt.ops.tanh(acc + fc_bias)}

    module = nn.Sequential()
    module.fc = nn.Linear(K, N)
    module.act = nn.GELU()
    wrong = replace(evt.from_fx(fx(module)), root=other.root)
    (result,) = evt.verify(wrong, shapes=[(5, 12, 7)], data="normal")
    assert not result.ok and not sum(one.mismatches for one in result.outputs)


def test_an_epilogue_is_converted_again_for_another_architecture() -> None:
    epilogue = evt.from_fx(fx(Gated()), T=half)
    assert evt.check(epilogue, arch="Ascend950") == []
