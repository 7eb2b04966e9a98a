"""The cases of docs/inductor.md: each is one kernel, whose numbers are right on both architectures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

import evtgen as evt
from evtgen import Epilogue
from evtgen.measure.language import examine
from evtgen.model.programs import Compilation
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.epilogues import FULL
from ..support.optional import torch as torch_
from ..support.paths import CHECKOUT
from ..support.right import right

torch = torch_()
F = torch.nn.functional

L, M, N, K = 2, 36, 40, 24
f32, half, bf16, int8 = torch.float32, torch.float16, torch.bfloat16, torch.int8
Extents = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A function of tensors, and their types and extents; the first two are those of the matmul."""

    function: Callable[..., Any]
    dtype: Any
    extents: tuple[Extents, ...]

    @cached_property
    def exported(self) -> Any:
        class Model(torch.nn.Module):  # type: ignore[misc,name-defined]
            def forward(model, *tensors: Any) -> Any:
                return self.function(*tensors)

        whole = self.dtype == int8
        given = [
            torch.ones(*extents, dtype=f32 if whole and i > 1 else self.dtype) for i, extents in enumerate(self.extents)
        ]
        return torch.export.export(Model(), tuple(given))

    def epilogue(self, name: str, arch: str) -> Epilogue:
        name = re.sub(r"[\W_]+", "_", f"case_{name}").strip("_").lower()
        return evt.from_fx(self.exported, name=name, arch=arch)


def mm(function: Callable[..., Any], dtype: Any = f32, *more: Extents) -> Case:
    return Case(lambda a, b, *rest: function(a @ b, *rest), dtype, ((M, K), (K, N), *more))


def bmm(function: Callable[..., Any], dtype: Any = half, *more: Extents) -> Case:
    return Case(lambda a, b, *rest: function(torch.bmm(a, b), *rest), dtype, ((L, M, K), (L, K, N), *more))


ROW, COLUMN, TILE = (1, N), (M, 1), (M, N)

CASES = {
    "accum + bias": mm(lambda x, bias: x + bias, f32, ROW),
    "accum * scale": mm(lambda x, scale: x * scale, f32, ROW),
    "relu(accum)": mm(F.relu),
    "leakyRelu(accum, alpha)": mm(lambda x, alpha: torch.where(x >= 0, x, x * alpha), f32, ROW),
    "Prelu(accum, weight)": mm(F.prelu, f32, (N,)),
    "sigmoid(accum)": mm(torch.sigmoid),
    "cast(accum, \"half\", \"float\")": mm(lambda x: x.half()),
    "relu(accum) + bias": mm(lambda x, bias: F.relu(x) + bias, f32, ROW),
    "silu(mm(a, b))": mm(F.silu),
    "(mm(a, b) + residual) * 0.5": mm(lambda x, residual: (x + residual) * 0.5, half, TILE),
    "bmm(a, b) + residual": bmm(lambda x, residual: x + residual, half, (L, M, N)),
    "addmm(bias, a.permute(1, 0), b.permute(1, 0)) + residual": Case(
        lambda a, b, bias, residual: torch.addmm(bias, a.permute(1, 0), b.permute(1, 0)) + residual,
        half, ((K, M), (N, K), (N,), TILE),
    ),
    "baddbmm(bias, a, b) + residual": Case(
        lambda a, b, bias, residual: torch.baddbmm(bias, a, b) + residual,
        half, ((L, M, K), (L, K, N), (L, M, N), (L, M, N)),
    ),
    "addmm(bias, a, b) with K = 1": Case(lambda a, b, bias: torch.addmm(bias, a, b), half, ((M, 1), (1, N), (N,))),
    "mm(a, b).reshape(…) + residual": mm(lambda x, residual: x.reshape(6, 6, N) + residual, half, (6, 6, N)),
    "mm(a, b).reshape(…)": mm(lambda x: x.reshape(6, 6, N), half),
    "two sums over all rows of mm(a, b).reshape(…)": mm(
        lambda x, denom, scale: tuple(
            y.float().sum(dim=(0, 1), keepdim=True) for y in (x.reshape(6, 6, N), x.reshape(6, 6, N) / denom * scale)
        ),
        half, (6, 6, 1), (6, 6, N),
    ),
    "bmm(softmax(a).reshape(…), b)": Case(
        lambda a, b: torch.bmm(torch.softmax(a, dim=-1).reshape(L, M, K), b), half, ((1, L, M, K), (L, K, N)),
    ),
    "bmm of two views of one tensor": Case(
        lambda x: torch.bmm(x.reshape(L, M, K), x.reshape(L, K, M)), half, ((L, M * K),)
    ),
    "mm(a.t(), b) + 1": Case(lambda a, b: torch.mm(a.t(), b) + 1, half, ((K, M), (K, N))),
    "tanh(bmm(a, b) + bias)": bmm(lambda x, bias: torch.tanh(x + bias), half, (L, 1, N)),
    "gate * tanh(bmm(a, b) + bias)": bmm(lambda x, bias, gate: gate * torch.tanh(x + bias), half, (L, 1, N), (L, M, N)),
    "bfloat16": mm(lambda x, bias: F.silu(x + bias), bf16, ROW),
    "tanh": mm(torch.tanh),
    "gelu": mm(F.gelu),
    "a comparison": mm(lambda x, y: torch.where(x >= y, x, y), f32, TILE),
    "exp": mm(torch.exp),
    "a maximum": mm(torch.maximum, f32, TILE),
    "a column": mm(lambda x, column: x * column, f32, COLUMN),
    "two outputs": mm(lambda x: (F.relu(x), x * x)),
    "a reduction": mm(lambda x: x.sum(0, keepdim=True)),
    "softmax": mm(lambda x: F.softmax(x, dim=-1)),
    "a norm": mm(lambda x, y, weight, bias: F.layer_norm(x + y, (N,), weight, bias), f32, TILE, (N,), (N,)),
    "two matmuls": Case(lambda a, b, c: F.silu(a @ b) * (a @ c), half, ((M, K), (K, N), (K, N))),
    "int8": Case(
        lambda a, b, rows, columns: torch._int_mm(a, b).float() * rows * columns, int8, ((M, K), (K, N), COLUMN, ROW)
    ),
}  # fmt: skip


def test_the_page_has_these_cases() -> None:
    page = (CHECKOUT / "docs/inductor.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].strip("| `") for line in page.splitlines() if line.startswith("| ")]
    assert [row for row in rows if row != "case"] == [*CASES]


@pytest.mark.cxx
@pytest.mark.slow
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_each_is_one_kernel_with_right_numbers(arch: str) -> None:
    """On Ascend950 each fourth case, on Atlas A2 the others, and of each the C++ of every fourth under the rules of the
    device; with EVTGEN_FULL=1 all on both."""
    cases = enumerate(CASES.items())
    made = [case.epilogue(name, arch) for i, (name, case) in cases if FULL or (i % 4 == 0) == (arch == "Ascend950")]
    for batch in (False, True):
        found = [e for e in made if e.gemm.batch == batch]
        plans = [lower(e) for e in found]
        right(verify_plans(plans, Options(shapes=((M, N, K),), batch=L if batch else None, together=20)))
        for one in examine(plans[:: 1 if FULL else 4], Compilation(batch=20), measured=False).values():
            assert not one.findings
