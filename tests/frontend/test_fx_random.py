"""Random models of the operators that are taken: each is an epilogue with the model's numbers, or is refused.

What the numbers are, the model says in float64, where casts to floats change nothing. How far a kernel may be from
that, it says too: as far as a change of its inputs by a rounding moves its result. ``EVTGEN_MODELS=10000`` tries so
many.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import EvtgenError, bfloat16, float32, half, int8, int32, uint8
from evtgen.operators.arrays import Array, dtype
from evtgen.planner.plan import lower
from evtgen.reference import values

from ..support.optional import torch as torch_

torch = torch_()
nn, F = torch.nn, torch.nn.functional
Module: Any = nn.Module
Tensor = Any

MODELS = int(os.environ.get("EVTGEN_MODELS", "150"))
M, K, N = 5, 6, 8
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
TYPES = {
    torch.float32: float32, torch.float16: half, torch.bfloat16: bfloat16, torch.int8: int8, torch.int32: int32,
    torch.uint8: uint8,
}  # fmt: skip

SAME: tuple[Callable[[Tensor], Tensor], ...] = (
    lambda t: t.detach(), lambda t: t.contiguous(), lambda t: F.dropout(t, 0.5, False), lambda t: t.view(M, N),
    lambda t: t.clone(), lambda t: t.reshape(M, N),
)  # fmt: skip

UNARY: tuple[Callable[[Tensor], Tensor], ...] = (
    torch.relu, torch.tanh, torch.erf, torch.sigmoid, F.silu, F.gelu, lambda t: F.gelu(t, approximate="tanh"), F.relu6,
    F.hardtanh, F.hardswish, F.hardsigmoid, F.elu, F.selu, F.mish, F.softplus, F.softsign, torch.abs, torch.neg,
    torch.square, F.leaky_relu, lambda t: F.celu(t, 0.5), lambda t: F.softplus(t, 2.0),
    lambda t: F.threshold(t, 0.1, -2.0), lambda t: torch.exp(t.clamp(max=3.0)), lambda t: torch.sqrt(t.abs() + 0.5),
    lambda t: torch.rsqrt(t * t + 0.5), lambda t: torch.log(t.abs() + 0.5), lambda t: torch.log1p(t.abs()),
    lambda t: torch.expm1(t.clamp(max=2.0)), lambda t: torch.reciprocal(t.abs() + 0.5), lambda t: t.clamp(-1.0, 0.75),
    lambda t: t.clamp_min(0.1), lambda t: t**2, lambda t: (t.abs() + 0.1) ** 0.5, lambda t: t.pow(3),
    lambda t: (t.abs() + 0.5) ** -1.5, lambda t: 1.0 - t, lambda t: t * 0.3, lambda t: 0.5 / (t.abs() + 1.0),
    lambda t: t / 3, lambda t: t + 1, lambda t: t - 1e-3, lambda t: torch.sub(t, 2, alpha=0.5),
    lambda t: torch.rsub(t, 1.5), lambda t: t.masked_fill(t > 0.5, -1.0), lambda t: torch.where(t > 0, t, t * 0.1),
    lambda t: (t > 0.2) * t, lambda t: torch.where(t.abs() < 1, t, torch.sign(t)), lambda t: torch.floor(t * 3),
    lambda t: torch.round(t * 2), torch.ceil, lambda t: torch.trunc(t * 4), lambda t: ~(t < 0) * 0.5 + t,
    lambda t: torch.where((t > 0) & (t < 1), t, 0.25), lambda t: torch.where((t < 0) | (t > 1), 1.0, t),
    lambda t: F.softmax(t, -1), lambda t: F.log_softmax(t, dim=1), lambda t: t.softmax(-1),
    lambda t: F.layer_norm(t, (N,)), lambda t: F.rms_norm(t, (N,)), lambda t: F.rms_norm(t, (N,), eps=1e-3),
    lambda t: t - t.mean(-1, keepdim=True), lambda t: t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-2),
    lambda t: t / (t.abs().sum(1, keepdim=True) + 1.0), lambda t: t - t.amax(-1, keepdim=True),
    lambda t: t + t.amin(0, keepdim=True), lambda t: t - t.mean(0, keepdim=True), lambda t: t / t.size(-1) ** 0.5,
    lambda t: t.mul(t.shape[-1]), lambda t: torch.logsumexp(t, -1, keepdim=True) - t,
)  # fmt: skip

BINARY: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b.abs() + 0.5), torch.maximum,
    torch.minimum, lambda a, b: torch.where(a > b, a, b * 0.5), lambda a, b: torch.add(a, b, alpha=0.5),
    lambda a, b: torch.addcmul(a, a, b, value=0.5), lambda a, b: torch.addcdiv(a, b, b.abs() + 1.0),
    lambda a, b: a.masked_fill(b <= 0, 0.5), lambda a, b: a * torch.sigmoid(b), lambda a, b: (a == b) * 1.0 + a,
    lambda a, b: (a != b) * a, lambda a, b: F.silu(a) * b, torch.mul, torch.sub,
)  # fmt: skip

WRITES: tuple[Callable[[Tensor], Tensor], ...] = (
    lambda t: t.add_(1.0), lambda t: F.relu(t, inplace=True), lambda t: t.mul_(t), lambda t: t.clamp_(-2.0, 2.0),
    lambda t: F.hardtanh(t, -3.0, 3.0, True), lambda t: t.masked_fill_(t > 1, 0.5), torch.neg_, lambda t: t.sub_(0.5),
    lambda t: F.leaky_relu(t, 0.1, True), lambda t: t.div_(2), torch.sigmoid_, lambda t: t.tanh_(),
    lambda t: t.zero_(), lambda t: t.copy_(t * 2), lambda t: torch.add(t, 1.0, out=t),
    lambda t: F.silu(t, inplace=True),
)  # fmt: skip

INTO: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    lambda a, b: a.add_(b), lambda a, b: a.mul_(b), lambda a, b: a.sub_(b, alpha=2), lambda a, b: a.copy_(b),
    lambda a, b: a.div_(b.abs() + 1.0), lambda a, b: a.addcmul_(a, b),
)  # fmt: skip


class Model(Module):
    """A matmul, and random statements behind it.

    Attributes:
        wide: casts to floats change nothing, for tensors of float64.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        r = random.Random(seed)
        self.seed, self.wide, self.T = seed, False, r.choice(FLOATS)
        self.kind = r.choice(("linear", "linear", "matmul", "addmm", "int8"))
        self.fc = nn.Linear(K, N, bias=r.random() < 0.7)
        self.norm = nn.LayerNorm(N)
        self.scale = nn.Parameter(torch.rand(N) + 0.5)

    def forward(self, x, w, row, column, whole, single, hidden):
        r = random.Random(self.seed + 1)
        if self.kind == "linear":
            y = self.fc(x)
        elif self.kind == "int8":
            y = torch._int_mm(x, w)
            y = self.typed(y, r.choice(FLOATS)) * 0.05 if r.random() < 0.6 else y
        else:
            y = torch.addmm(row, x, w, beta=0.5, alpha=2) if self.kind == "addmm" else x @ w
        made, leaves = [y], [row, column, whole, single, self.scale]
        for _ in range(r.randint(1, 7)):
            new = self.statement(r, made, leaves, hidden)
            if r.random() < 0.85:
                made.append(new)
        return (made[-1], r.choice(made)) if r.random() < 0.15 else made[-1]

    def statement(self, r: random.Random, made: list[Tensor], leaves: list[Tensor], hidden: Tensor) -> Tensor:
        t, other, what = r.choice(made[-3:]), r.choice([*made, *leaves, *leaves]), r.random()
        if what < 0.5:
            return r.choice(UNARY)(t) if what < 0.4 else r.choice((*SAME, self.norm))(t)
        if what < 0.75:
            return r.choice(BINARY)(*((t, other) if what < 0.68 else (r.choice(leaves), t)))
        if what < 0.9:
            return r.choice(WRITES)(t) if what < 0.83 else r.choice(INTO)(t, other)
        if what < 0.93:
            return t.masked_fill(hidden, 0.25)
        whole = (t * 3).clamp(-100, 100)
        return self.typed(t, r.choice(FLOATS)) if what < 0.97 else whole.to(r.choice((torch.int8, torch.int32)))

    def typed(self, t: Tensor, T: Any) -> Tensor:
        return t if self.wide else t.to(T)


def arguments(model: Model) -> list[Tensor]:
    r = random.Random(model.seed + 2)
    torch.manual_seed(model.seed)
    x, w = torch.randn(M, K), torch.randn(K, N) * 0.4
    tensors = [torch.randn(N), torch.randn(M, 1), torch.randn(M, N), torch.randn(())]
    if model.kind == "int8":
        # _int_mm of torch takes no smaller matrices
        x, w = (torch.randint(-9, 10, shape).to(torch.int8) for shape in ((M, K), (K, N)))
    else:
        x, w = x.to(model.T), w.to(model.T)
    types = [model.T if r.random() < 0.75 else r.choice(FLOATS) for _ in tensors]
    types[0] = model.T if model.kind == "addmm" else types[0]
    return [x, w, *(one.to(T) for one, T in zip(tensors, types, strict=True)), torch.randn(M, N) > 0.3]


def outputs(found: Any) -> list[Tensor]:
    return [one.detach() for one in (found if isinstance(found, tuple) else (found,))]


def meant(model: Model, given: list[Tensor], moved: float = 0.0) -> list[Array]:
    """The outputs in float64, of inputs that are moved a little."""

    def wide(one: Tensor) -> Tensor:
        if not one.is_floating_point():
            return one.clone()
        return one.double() * (1 + moved * torch.randn(one.shape).double())

    exact = Model(model.seed).eval().double().requires_grad_(False)
    exact.load_state_dict({name: wide(tensor) for name, tensor in model.state_dict().items()})
    exact.wide = True
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return [one.double().numpy() for one in outputs(exact(*map(wide, given)))]
    finally:
        torch.set_default_dtype(before)


def array(tensor: Tensor, T: Any) -> Array:
    if not hasattr(tensor, "dtype"):
        return np.full((1, 1), tensor, np.float32)
    plain: Array = tensor.detach().double().numpy() if tensor.is_floating_point() else tensor.numpy()
    return plain.astype(dtype(T))


def kernel(epilogue: Any, model: Model, given: list[Tensor]) -> dict[str, Array]:
    """The outputs of an epilogue by the reference of the device."""
    plan = lower(epilogue)
    bound = epilogue.bind(model, *given)
    product = bound.pop("a").double() @ bound.pop("b").double()
    inputs = {name: array(tensor, TYPES[tensor.dtype]) for name, tensor in bound.items()}
    return values(plan, product.numpy().astype(dtype(plan.element_c)), inputs)


def returned(epilogue: Any) -> list[str]:
    """The outputs in the order in which the model returns them; of one that ends before a view, others."""
    made = epilogue.function
    (nodes,) = next(node for node in made.leaves.graph_module.graph.nodes if node.op == "output").args
    names = {node: name for name, node in made.outputs.items()}
    return [names.get(node, "") for node in (nodes if isinstance(nodes, (tuple, list)) else [nodes])]


def largest(T: Any) -> float:
    return float((torch.finfo if T.is_floating_point else torch.iinfo)(T).max)


def failure(seed: int) -> str | None:
    """What is wrong with a model's kernel; the code of a refusal; None."""
    model = Model(seed).eval()
    model = model.to(model.T).requires_grad_(False)
    given = arguments(model)
    try:
        eager, exact = outputs(model(*(one.clone() for one in given))), meant(model, given)
    except RuntimeError:
        return "torch"  # types that torch does not take
    try:
        epilogue = evt.from_fx(torch.fx.symbolic_trace(model), examples=given)
        found = kernel(epilogue, model, given)
    except EvtgenError as error:
        return error.diagnostics[0].code
    step = max(torch.finfo(one.dtype).eps for one in [*given, *eager] if one.is_floating_point())
    near = [meant(model, given, step) for _ in range(4)]
    for i, (name, tensor) in enumerate(zip(returned(epilogue), eager, strict=True)):
        if not name:
            return "ends"
        got, want = found[name].astype(np.float64), exact[i]
        if TYPES.get(tensor.dtype) is None or dtype(TYPES[tensor.dtype]) != found[name].dtype:
            return f"wrong: {name} is {found[name].dtype}, not {tensor.dtype}"
        room = np.max([np.abs(one[i] - want) for one in near], axis=0)
        # Where torch is not near either, a comparison turned on numbers too small for their type.
        room = 8 * room + 4 * step * np.abs(want) + step * 1e-2 + 2 * np.abs(tensor.double().numpy() - want)
        want = np.where(np.abs(want) < 0.9 * largest(tensor.dtype), want, np.inf)
        far = np.abs(got - np.broadcast_to(want, got.shape)) > np.broadcast_to(room, got.shape)
        if (far & np.isfinite(want)).mean() > 0.05:
            return f"wrong: {name}: {np.abs(got - want)[far].max():.3g}"
    return None


@pytest.mark.parametrize("first", range(0, MODELS, 50))
def test_a_random_model_has_its_numbers_or_is_refused(first: int) -> None:
    wrong = {seed: found for seed in range(first, min(first + 50, MODELS)) if (found := failure(seed)) and ":" in found}
    assert not wrong
