"""``torch.compile(model, backend="evtgen")``: the same numbers as eager PyTorch, with float64 as the judge."""

from __future__ import annotations

import copy
import logging
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import pytest

import evtgen as evt
from evtgen.pipeline import backend as backends
from evtgen.pipeline import operators
from evtgen.pipeline.backend import backend

from ..support.epilogues import FULL
from ..support.optional import torch as torch_

torch = torch_()
models = import_module("benchmarks.models")
nn, F = torch.nn, torch.nn.functional
Module: Any = nn.Module

REFERENCE = {"run": "reference"}
LINEARS = {
    "llama": 5, "bert": 7, "vit": 4, "moe_loop": 4, "moe_grouped": 1, "lora": 3, "int8": 1, "mixer": 4, "t5": 7,
    "encoder_layer": 4,
}  # fmt: skip
"""Kernels of each model: two linears of one input are one, and products of attention are some."""


@pytest.fixture(autouse=True)
def fresh(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Dynamo remembers nothing, and what evtgen logs is kept."""
    torch._dynamo.reset()
    # torch's own loggers write as much as there are calls.
    caplog.set_level(logging.INFO, "evtgen")
    yield
    torch._dynamo.reset()


def compiled(model: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = torch.compile(model, backend=backend, options=options or REFERENCE)
    return found


def said(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name.startswith("evtgen") and one.levelno == level]


def several(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def judge(model: Any, given: tuple[Any, ...], found: Any) -> None:
    """Assert that results are as near the model in float64 as eager PyTorch is, give or take two roundings."""
    # Of float64 PyTorch has no grouped matmul.
    exactly = torch.float32 if type(model).__name__ == "MoeGrouped" else torch.float64
    wide = [one.to(exactly) if one.is_floating_point() else one for one in given]
    with torch.no_grad():
        eager, exact = model(*given), copy.deepcopy(model).to(exactly)(*wide)
    for ours, theirs, meant in zip(several(found), several(eager), several(exact), strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        errors = [float((one.double() - meant.double()).abs().max()) for one in (ours, theirs)]
        eps = torch.finfo(theirs.dtype).eps if theirs.is_floating_point() else 1
        assert errors[0] <= errors[1] + 2 * eps * float(meant.abs().max())


@pytest.mark.slow
@pytest.mark.parametrize("name", [*models.MODELS][:: 1 if FULL else 2])
def test_models(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Every linear is a kernel, nothing is a surprise, and numbers are as near as eager PyTorch's."""
    model, given = models.made(name)
    for one in given:
        if one.shape[0] == given[0].shape[0]:
            torch._dynamo.maybe_mark_dynamic(one, 0)
    with torch.no_grad():
        judge(model, given, compiled(model)(*given))
    assert not said(caplog, logging.WARNING)
    kernels = [line for line in said(caplog, logging.INFO) if line.startswith("kernel ")]
    assert len(kernels) >= LINEARS[name]
    assert not any(line.startswith(("addmm", "mm ", "bmm")) for line in said(caplog, logging.INFO))


class Mlp(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down, self.norm = nn.Linear(8, 16), nn.Linear(16, 8), nn.RMSNorm(8)

    def forward(self, x: Any) -> Any:
        return self.norm(x + self.down(F.gelu(self.up(x))))


def test_one_kernel_serves_every_m(caplog: pytest.LogCaptureFixture) -> None:
    model = Mlp().eval()
    ran = compiled(model)
    for m in (4, 7, 12, 30):
        x = torch.randn(m, 8)
        torch._dynamo.mark_dynamic(x, 0)
        with torch.no_grad():
            judge(model, (x,), ran(x))
    assert len([line for line in said(caplog, logging.INFO) if "launches instead of" in line]) == 1


def test_gradients_are_those_of_eager_pytorch() -> None:
    model = Mlp()
    other, x = copy.deepcopy(model), torch.randn(5, 8)
    model(x).square().sum().backward()
    compiled(other)(x).square().sum().backward()
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one.grad, two.grad)


def test_writes_in_place_reach_the_caller() -> None:
    def step(x: Any, weight: Any) -> Any:
        x.add_(1.0)
        return torch.relu(x @ weight)

    x, weight = torch.randn(4, 8), torch.randn(8, 8)
    meant = x.clone()
    expected = step(meant, weight)
    torch.testing.assert_close(compiled(step)(x, weight), expected)
    torch.testing.assert_close(x, meant)


def test_what_cannot_be_a_kernel_stays_pytorch_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    def model(a: Any, b: Any) -> Any:
        return torch.sort(a.double() @ b.double())[0], torch.relu(a @ b)

    a, b = torch.randn(4, 8), torch.randn(8, 8)
    for ours, meant in zip(compiled(model)(a, b), model(a, b), strict=True):
        torch.testing.assert_close(ours, meant)
    lines = said(caplog, logging.INFO)
    assert any(line.startswith("kernel ") and line.endswith("relu") for line in lines)
    assert any(line.startswith("sort (sort) stays PyTorch: ") for line in lines)


def test_a_failure_leaves_the_graph_to_pytorch(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise LookupError("a defect")

    monkeypatch.setattr(backends, "partition", broken)
    model, x = Mlp().eval(), torch.randn(4, 8)
    with torch.no_grad():
        torch.testing.assert_close(compiled(model)(x), model(x))
    assert said(caplog, logging.WARNING) == ["a graph stays PyTorch: a defect"]


def test_tensors_of_another_device_stay_pytorch(caplog: pytest.LogCaptureFixture) -> None:
    assert compiled(torch.nn.Linear(8, 8, device="meta"))(torch.randn(4, 8, device="meta")).shape == (4, 8)
    assert said(caplog, logging.WARNING) == [
        "a graph on meta stays PyTorch: kernels take tensors of one device, cpu or npu"
    ]


@pytest.mark.parametrize(
    ("options", "words"), [({"runs": "model"}, "there is no option 'runs'"), ({"run": "twice"}, "run='twice'")]
)
def test_options_are_checked(options: dict[str, str], words: str) -> None:
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=f"EVT079.*{words}"):
        compiled(torch.relu, **options)(torch.randn(2))


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_layer_that_pytorch_computes_at_once_is_taken_apart(
    norm_first: bool, caplog: pytest.LogCaptureFixture
) -> None:
    model = nn.TransformerEncoderLayer(16, 2, 24, batch_first=True, norm_first=norm_first).eval()
    x = torch.randn(2, 3, 16)
    with torch.no_grad():
        judge(model, (x,), compiled(model)(x))
        assert len([line for line in said(caplog, logging.INFO) if line.startswith("kernel ")]) == 4
        mask = torch.zeros(2, 3, dtype=torch.bool)
        torch.testing.assert_close(compiled(model)(x, src_key_padding_mask=mask), model(x, src_key_padding_mask=mask))


@pytest.mark.cxx
def test_kernels_run_on_the_cpu_model() -> None:
    model, x = Mlp().eval(), torch.randn(5, 8)
    with torch.no_grad():
        judge(model, (x,), compiled(model, run="model")(x))


@pytest.mark.cxx
@pytest.mark.slow
def test_kernels_run_as_operators() -> None:
    """The way of tensors of the device, on tensors of the CPU."""
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    model, x = Mlp().eval(), torch.randn(2, 5, 8)
    p = evt.partition(model, (x,))
    operators.run_as_operators(p.kernels)
    judge(model, (x,), p(x))
    other = torch.randn(3, 4, 8)
    judge(model, (other,), p(other))


def test_pytorch_finds_it_by_its_name() -> None:
    found = [one for one in entry_points(group="torch_dynamo_backends") if one.name == "evtgen"]
    if not found:
        pytest.skip("needs evtgen installed as it is now: pip install .")
    assert found[0].load() is backend
    assert "evtgen" in torch._dynamo.list_backends(None)
