"""Models as kernels and what is left: the same numbers as PyTorch, with float64 as the judge."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Epilogue, EvtgenError
from evtgen.frontend.load import load
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.operators.arrays import Array, dtype
from evtgen.options import PartitionOptions
from evtgen.pipeline.partition.specs import specs, write
from evtgen.planner.plan import lower
from evtgen.reference import product, values

from ..support.command import run
from ..support.optional import torch as torch_

torch = torch_()
nn, F = torch.nn, torch.nn.functional
Module: Any = nn.Module
C = 32
"""Channels of the models."""


class Block(Module):
    """A transformer's block with a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.norm2 = nn.LayerNorm(C), nn.RMSNorm(C)
        self.q, self.k, self.v, self.o = (nn.Linear(C, C) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(C, 48, bias=False), nn.Linear(C, 48, bias=False), nn.Linear(48, C)

    def forward(self, x):
        b, t, c = x.shape
        h = self.norm(x)
        q, k, v = (one(h).view(b, t, 4, c // 4).transpose(1, 2) for one in (self.q, self.k, self.v))
        attended = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, c)
        x = x + self.o(attended)
        h = self.norm2(x)
        y = self.down(F.silu(self.gate(h)) * self.up(h))
        y.add_(x)
        return y


class Crossed(Module):
    """Two matmuls that each could take a node which reads the other: one kernel must not wait for the other."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(C, C), nn.Linear(C, C)

    def forward(self, x, y):
        one, two = self.one(x), self.two(y)
        return torch.relu(one) + two, two * torch.relu(one).flip(0)


class Positions(Module):
    """Of what is added, each matrix of the input has the same rows; a mask of bools."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(C, C)

    def forward(self, x, positions, mask):
        return F.gelu(self.fc(x) + positions).masked_fill(mask, -1.0)


class Lora(Module):
    def __init__(self) -> None:
        super().__init__()
        self.base, self.down, self.up = nn.Linear(C, C), nn.Linear(C, 16, bias=False), nn.Linear(16, C, bias=False)

    def forward(self, x):
        return self.base(x) + 0.5 * self.up(self.down(x))


class Gated(Module):
    """One weight with the columns of gate and value."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.out = nn.Linear(C, 64, bias=False), nn.Linear(32, C)

    def forward(self, x):
        return self.out(F.glu(self.fc(x), -1))


class Split(Module):
    """What is behind the matmul of a batch has another number of rows."""

    def forward(self, x, y):
        return F.softmax((x @ y).view(-1, 4, 2, 5), -2)


class Halves(Module):
    """A fused projection with a bias, of which gate and value take a half each."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(C, 64)

    def forward(self, x):
        a, b = self.fc(x).chunk(2, -1)
        return F.silu(a) * b


class Heads(Module):
    """What is behind the matmul has another number of columns."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(C, C)

    def forward(self, x):
        return torch.relu(self.fc(x).view(*x.shape[:-1], 4, C // 4))


class Images(Module):
    """Convolutions, of which those with a kernel of 1 x 1 are matmuls; what goes along an axis of an image is none."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Conv2d(8, 16, 1), nn.Conv2d(16, 8, 1, bias=False)
        self.near, self.strided = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 1, stride=2)
        self.scale = nn.Parameter(torch.randn(16, 1, 1))

    def forward(self, x):
        y = self.down(F.silu(self.up(x)) * self.scale) + x
        return F.softmax(y, -1), self.near(y), self.strided(y).amax((2, 3))


class Attention(Module):
    """Matmuls of a batch, one with a turned operand, with a mask that heads share."""

    def forward(self, q, k, v, mask):
        scores = q @ k.transpose(-1, -2) / 8**0.5 + mask
        return F.softmax(scores, -1) @ v


class Experts(Module):
    """Rows in groups, each with a weight of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, C, 16))

    def forward(self, x, ends):
        return F.gelu(torch._grouped_mm(x, self.weight, offs=ends))


class Turned(Module):
    """A linear layer over what was the last axis but one."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 8)

    def forward(self, x):
        return F.gelu(self.fc(x.transpose(1, 2))).transpose(1, 2)


class Words(Module):
    """A product with the transposed table of another layer, and a type that no kernel has."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(64, C)

    def forward(self, numbers):
        return (self.words(numbers) @ self.words.weight.T).double()


MODELS: dict[str, tuple[Any, Any, int, int]] = {
    "block": (Block, lambda m: (torch.randn(2, m, C),), 5, 7),
    "crossed": (Crossed, lambda m: (torch.randn(m, C), torch.randn(m, C)), 2, 4),
    "positions": (
        Positions,
        lambda m: (torch.randn(2, m, C), torch.randn(m, C), torch.rand(2, m, 1) < 0.5),
        1,
        1,
    ),
    "lora": (Lora, lambda m: (torch.randn(m, C),), 3, 3),
    "gated": (Gated, lambda m: (torch.randn(3, m, C),), 2, 2),
    "split": (Split, lambda m: (torch.randn(m, 8, C), torch.randn(m, C, 5)), 1, 2),
    "halves": (Halves, lambda m: (torch.randn(3, m, C),), 1, 1),
    "heads": (Heads, lambda m: (torch.randn(3, m, C),), 1, 2),
    "attention": (
        Attention,
        lambda m: (*(torch.randn(2, 3, m, 8) for _ in range(3)), torch.randn(2, 1, 1, m)),
        2,
        2,
    ),
    "images": (Images, lambda m: (torch.randn(2, 8, m, 5),), 2, 6),
    "turned": (Turned, lambda m: (torch.randn(m, 6, C),), 1, 1),
    "words": (Words, lambda m: (torch.randint(0, 64, (3, m)),), 1, 3),
}
"""The model, its arguments with so many rows, its kernels, and its launches."""


def made(name: str) -> tuple[Any, tuple[Any, ...]]:
    torch.manual_seed(32)
    kind, arguments, *_ = MODELS[name]
    return kind().eval(), arguments(6)


def judge(model: Any, given: tuple[Any, ...], found: Any) -> None:
    """Assert that results are as near the model in float64 as eager PyTorch is, give or take a rounding."""
    wide = [one.double() if one.is_floating_point() else one for one in given]
    with torch.no_grad():
        eager, exact = model(*given), copy.deepcopy(model).double()(*wide)
    for ours, theirs, meant in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, eager, exact)), strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        errors = [float((one.double() - meant.double()).abs().max()) for one in (ours, theirs)]
        assert errors[0] <= 2 * errors[1] + 4 * torch.finfo(torch.float32).eps * float(meant.abs().max())


@pytest.mark.parametrize("name", MODELS)
def test_a_partition_computes_what_the_model_does_for_any_number_of_rows(name: str) -> None:
    model, given = made(name)
    p = evt.partition(model, given)
    _, arguments, kernels, launches = MODELS[name]
    assert (len(p.kernels), p.launches_after) == (kernels, launches)
    for m in (6, 9):
        given = arguments(m)
        judge(model, given, p(*given))


def test_a_kernel_says_what_it_fuses_and_reads() -> None:
    model, given = made("block")
    p = evt.partition(model, given)
    by_name = {kernel.name: kernel for kernel in p.kernels}
    assert set(by_name) == {"q_k", "v", "o", "gate_up", "down"}
    gate = by_name["gate_up"]
    assert gate.fuses == ("silu", "mul") and gate.launches_before == 4 and gate.shape == (12, 48, C)
    assert gate.bindings == {"a": "rms_norm", "b": "gate.weight", "b2": "up.weight"}
    # x and its norm: both are read on.
    assert by_name["o"].fuses == ("add", "rms_norm") and len(by_name["o"].outputs) == 2
    read_and_written = 12 * C + 2 * 48 * C + 12 * 48
    assert gate.bytes_after == 4 * read_and_written < gate.bytes_before
    assert gate.us_after < gate.us_before
    left = {one.calls: one.reason for one in p.rest}
    assert set(left) == {"layer_norm", "scaled_dot_product_attention"}
    assert "no matmul" in left["layer_norm"] and "columns" in left["scaled_dot_product_attention"]
    assert "gate_up" in repr(p) and "because" in repr(p)


class Routed(Module):
    """Heads of a fused projection, experts that topk chooses, and groups that are no rows."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.router = nn.Linear(C, 3 * C), nn.Linear(C, 4)

    def forward(self, x, experts):
        q, k, v = self.qkv(x).chunk(3, -1)
        ends = torch.topk(self.router(x), 1)[1].flatten().cumsum(0).to(torch.int32)
        return F.scaled_dot_product_attention(q, k, v), torch._grouped_mm(x.mT, experts, offs=ends)


@pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="needs a torch with grouped matmuls")
def test_reasons_are_of_the_model() -> None:
    given = torch.randn(16, C).bfloat16(), torch.randn(16, 24).bfloat16()
    p = evt.partition(Routed().eval().bfloat16(), given)
    assert {one.calls: one.reason for one in p.rest} == {
        "scaled_dot_product_attention": "a kernel has nothing like scaled_dot_product_attention",
        "topk": "a kernel has nothing like topk",
        "cumsum": "it is behind topk, which no kernel has: a kernel has nothing like topk",
        "to": "it is behind topk, which no kernel has: a kernel has nothing like topk",
        "_grouped_mm": "no kernel has _grouped_mm with groups that are not of rows",
    }


class Latent(Module):
    """The first matmul of a latent attention, in front of its heads."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.bias = nn.Linear(C, 64), nn.Parameter(torch.randn(16))

    def forward(self, x, z):
        q, r, kv = self.down(x).split([32, 16, 16], -1)
        return F.rms_norm(q, (32,)), r * z, F.silu(kv + self.bias)


def test_parts_of_one_projection_are_outputs_of_one_kernel() -> None:
    torch.manual_seed(33)
    model = Latent().eval()
    p = evt.partition(model, (torch.randn(2, 5, C), torch.randn(2, 5, 16)))
    assert [len(kernel.outputs) for kernel in p.kernels] == [3] and p.rest == []
    for rows in ((2, 5), (3, 7)):
        given = torch.randn(*rows, C), torch.randn(*rows, 16)
        for one, meant in zip(p(*given), model(*given), strict=True):
            torch.testing.assert_close(one, meant, rtol=1e-4, atol=1e-4)
    (text,) = specs(p).values()
    assert "[:, 32:48]" in text


@pytest.mark.cxx
def test_kernels_run_on_the_cpu_model_too() -> None:
    model, given = made("lora")
    on_model, in_numpy = (evt.partition(model, given, run=run)(*given) for run in ("model", "reference"))
    judge(model, given, on_model)
    assert torch.allclose(on_model, in_numpy, atol=1e-6)


def test_a_convolution_that_is_a_matmul_is_one_of_its_weight_and_an_image() -> None:
    model, given = made("images")
    up, down = evt.partition(model, given).kernels
    assert (up.name, up.fuses, up.launches_before) == ("up", ("silu", "mul"), 3)
    assert (up.shape, up.batch) == ((16, 30, 8), 2) and up.epilogue.gemm.batch
    assert (down.name, down.fuses) == ("down", ("add",))


def test_halves_of_a_bias_are_views_of_the_parameter() -> None:
    model, given = made("halves")
    (kernel,) = evt.partition(model, given).kernels
    assert kernel.fuses == ("silu", "mul") and kernel.launches_before == 3
    assert kernel.bindings == {
        "a": "x", "b": "fc.weight",
        "fc_bias_0": "fc.bias.chunk(2, -1)[0]", "fc_bias_1": "fc.bias.chunk(2, -1)[1]",
    }  # fmt: skip
    assert kernel.bytes_after == 4 * (18 * C + 64 * C + 64 + 18 * 32)


def test_programs_and_graphs_are_taken_as_they_are() -> None:
    model, given = made("gated")
    program = torch.export.export(model, given)
    for one in (program, program.run_decompositions({}).module()):
        p = evt.partition(one)
        assert len(p.kernels) == 2
        judge(model, given, p(*given))


def test_what_is_no_model_is_refused() -> None:
    model, given = made("lora")
    for wrong, code in (((model,), "EVT208"), ((len, given), "EVT207")):
        with pytest.raises(EvtgenError) as refused:
            evt.partition(*wrong)
        assert refused.value.diagnostics[0].code == code


@pytest.mark.parametrize("T", ["float32", "float16", "bfloat16"])
def test_specs_in_python_compute_what_the_kernels_do(T: str, tmp_path: Path) -> None:
    of_model = getattr(torch, T)
    for name in ("block", "positions", "attention", "gated"):
        model, given = made(name)
        given = tuple(one.to(of_model) if one.is_floating_point() else one for one in given)
        p = evt.partition(model.to(of_model), given)
        directory = tmp_path / name
        directory.mkdir()
        write(p, directory, PartitionOptions())
        assert {path.name for path in directory.iterdir()} == {f"{kernel.name}.py" for kernel in p.kernels}
        for kernel in p.kernels:
            (loaded,) = load([directory / f"{kernel.name}.py"], [])
            assert evt.check(loaded).ok
            for one, other in zip(*(outputs(found) for found in (loaded, kernel.epilogue)), strict=True):
                assert np.array_equal(one, other)


def outputs(epilogue: Epilogue) -> list[Array]:
    """The outputs of random operands, by the reference, in the order of their names."""
    plan = lower(epilogue)
    problem = plan.kernel.problem((5, 32, 8), Matmuls())
    given = operands(plan, problem, seed=0, data="normal")
    acc = product(given.a, given.b, problem).astype(dtype(plan.element_c))
    return [array for _, array in sorted(values(plan, acc, given.inputs, problem).items())]


def test_the_command_writes_specs_and_says_what_is_fused(tmp_path: Path) -> None:
    model, given = made("lora")
    torch.export.save(torch.export.export(model, given), tmp_path / "model.pt2")
    done = run("partition", "model.pt2", "-o", "specs", "--json", cwd=tmp_path)
    said = json.loads(done.stdout)
    assert said["ok"] and said["launches_after"] == 3 and len(said["written"]) == 3
    assert [kernel["fuses"] for kernel in said["kernels"]] == [[], ["mul"], ["add"]]
    assert run("check", *sorted((tmp_path / "specs").glob("*.py")), cwd=tmp_path).returncode == 0
    (tmp_path / "other.pt2").write_text("no program")
    for path, said in (("other.pt2", "no archive"), ("none.pt2", "does not exist"), (".", "is a directory")):
        found = run("partition", path, cwd=tmp_path).stderr
        assert "EVT208" in found and said in found and "torch.export.save" in found


def test_the_page_has_each_kernel_and_what_is_left(tmp_path: Path) -> None:
    model, given = made("heads")
    p = evt.partition(model, given)
    text = p.report(tmp_path).read_text()
    assert 'href="#fc"' in text and "fc.bias" in text and "a tile of the kernel keeps its columns" in text


def test_the_extension_has_an_operator_for_each_kernel(tmp_path: Path) -> None:
    model, given = made("lora")
    files = write(evt.partition(model, given), tmp_path, PartitionOptions(extension="of_model")).written
    assert {"base.py", "down.py", "up.py"} <= {Path(path).name for path in files}
    assert any(path.endswith("of_model/pyproject.toml") for path in files)


@pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="needs a torch with grouped matmuls")
def test_rows_in_groups_are_one_kernel() -> None:
    torch.manual_seed(32)
    model, ends = Experts().eval().bfloat16(), torch.tensor([4, 4, 9], dtype=torch.int32)
    x = torch.randn(9, C, dtype=torch.bfloat16)
    p = evt.partition(model, (x, ends))
    (kernel,) = p.kernels
    assert kernel.epilogue.gemm.group == "m" and kernel.bindings["groups"] == "ends" and kernel.fuses == ("gelu",)
    for given in ((x, ends), (torch.randn(11, C, dtype=x.dtype), torch.tensor([0, 8, 11], dtype=torch.int32))):
        assert torch.allclose(p(*given), model(*given), rtol=2e-2, atol=2e-2)


class Regrouped(Module):
    """Two products of rows in groups: of one B, or a gate and what it is multiplied with."""

    def __init__(self, gate: bool, others: bool) -> None:
        super().__init__()
        self.gate, self.others = gate, others

    def forward(self, x, b, c, o, q):
        one = torch._grouped_mm(x, b, offs=o)
        other = torch._grouped_mm(x, c if self.gate else b, offs=q if self.others else o)
        return F.silu(one) * other if self.gate else one + other


@pytest.mark.skipif(not hasattr(torch, "_grouped_mm"), reason="needs a torch with grouped matmuls")
@pytest.mark.parametrize("gate", [False, True])
@pytest.mark.parametrize("others", [False, True])
def test_products_of_other_groups_of_rows_are_others(gate: bool, others: bool) -> None:
    """Those of the same groups, the near miss, are one kernel."""
    torch.manual_seed(33)
    x, b, c = (torch.randn(*size, dtype=torch.bfloat16) for size in ((9, C), (3, C, 16), (3, C, 16)))
    ends = [torch.tensor(one, dtype=torch.int32) for one in ([4, 4, 9], [1, 7, 9])]
    model, given = Regrouped(gate, others), (x, b, c, *ends)
    p = evt.partition(model, given)
    assert (len(p.kernels), p.rest) == (2 if others else 1, [])
    torch.testing.assert_close(p(*given), model(*given), rtol=2e-2, atol=2e-1)


class Quantized(Module):
    def forward(self, x, weight, scale):
        return torch.relu(torch._int_mm(x, weight).float() * scale).to(torch.float16)


def test_what_the_export_checks_of_tensors_keeps_nothing_from_a_kernel() -> None:
    torch.manual_seed(32)
    x, weight = (torch.randint(-9, 9, shape, dtype=torch.int8) for shape in ((24, C), (C, 16)))
    given = x, weight, torch.rand(24, 1) / 8
    p = evt.partition(Quantized(), given)
    assert (p.launches_before, p.launches_after) == (5, 1)
    assert torch.equal(p(*given), Quantized()(*given))
