"""What the host code of the field's operators passes to a launch, and the same launch as an extension's operator.

Each launch says of each operand the element type and the axes that the host code has, and what is said of its memory:
``from`` the order in which its axes lie, ``gaps`` if its lines are parts of longer ones. Axes are M, N, K; ``H``, the
columns of two halves; ``L`` matrices of a batch; ``E`` experts; ``W`` adapters. The facts are of the operators'
definitions (``op_host`` in ops-transformer), of ``torch_binding.cpp`` and ``ops`` of vLLM-Ascend, of SGLang's ``lora``
and of Catlass's examples.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evtgen.operators.arrays import Array
from evtgen.pipeline.tensors import array_of, tensor_of

from .field import FIELD

TOKENS, TOP = 12, 3
"""Tokens, and the experts of each: rows are TOKENS x TOP."""

LISTS = {"counts": [0, 9, 0, 22], "offsets": [0, 9, 9, 31], "adapters": [7, 0, 21], "ends": [5, 5, 32, 36]}
"""Rows of each expert, or where they end, or of each request; some are none, and all but the last leave rows out."""

SIZES = {"M": TOKENS * TOP, "N": 80, "K": 64, "H": 160, "L": 3, "E": 4, "W": 5, "R": 3, "1": 1}
"""R: requests, each with an adapter."""

F16, BF16 = {"a": "float16 MK", "b": "float16 KN"}, {"a": "bfloat16 MK", "b": "bfloat16 KN"}
QUANT, GATED = {"a": "int8 MK", "b": "int8 KN"}, {"a": "float16 MK", "b": "float16 KH"}
EXPERTS = {"a": "int8 MK", "b": "int8 EKN", "groups": "int64 counts"}
HALVES = {"gate_scale": "float32 N", "up_scale": "float32 N", "token": "float32 M"}
LISTED = {"groups": "int64 adapters", "weight_index": "int64 R"}

LAUNCHES: dict[str, dict[str, str]] = {
    # npu_grouped_matmul: group_type=0; a weight of the checkpoint's order is passed as a transposed view.
    "grouped_matmul_bias": {"a": "float16 MK", "b": "float16 EKN", "bias": "float16 EN", "groups": "int64 counts"},
    "grouped_matmul_quant": {**EXPERTS, "bias": "int32 EN", "scale": "float32 EN", "offset": "float32 EN"},
    "grouped_matmul_per_token": {
        **EXPERTS, "b": "int8 EKN from ENK", "bias": "int32 EN", "scale": "bfloat16 EN", "token": "float32 M",
    },
    "grouped_matmul_activation": {**EXPERTS, "scale": "float32 EN", "token": "float32 M"},
    # Halves of weight_scale, E x 2N.
    "grouped_matmul_swiglu_quant": {
        "a": "int8 MK", "b": "int8 EKH", "gate_scale": "float32 EN gaps", "up_scale": "float32 EN gaps",
        "token": "float32 M", "groups": "int64 offsets",
    },
    "ffn_up": {**F16, "bias": "float16 N"},
    "ffn_down": {**BF16, "bias": "float32 N"},
    "ffn_swiglu": GATED,
    "ffn_geglu": GATED,
    "ffn_reglu": GATED,
    "ffn_quant_up": {**QUANT, "bias": "int32 N", "deq": "float32 N", "scale": "float32 1", "offset": "float32 1"},
    "ffn_quant_down": {**QUANT, "bias": "int32 N", "deq": "float32 N"},
    "swin_attention_ffn": {**F16, "bias": "float16 N", "x3": "float16 MN"},
    # aclnn takes x2 as a transposed view; x1 of three axes is rows.
    "matmul_all_reduce": {**F16, "b": "float16 KN from NK", "bias": "float16 N", "x3": "float16 MN gaps"},
    "quant_matmul_all_reduce": {
        **QUANT, "b": "int8 KN from NK", "bias": "int32 N", "scale": "bfloat16 1N", "token": "float32 M",
        "x3": "bfloat16 MN",
    },
    "quant_matmul_all_reduce_int8": {**QUANT, "scale": "bfloat16 1N", "token": "float32 M", "comm": "bfloat16 1N"},
    "matmul_add_rms_norm": {
        **F16, "b": "float16 KN from NK", "bias": "float16 N", "residual": "float16 MN", "gamma": "float16 N",
    },
    "quant_matmul_add_rms_norm": {
        **QUANT, "bias": "int32 N", "scale": "bfloat16 1N", "residual": "bfloat16 MN", "gamma": "bfloat16 N",
    },
    "batch_mat_mul_activation": {"a": "float16 LMK", "b": "float16 LKN", "bias": "float16 L1N"},
    "batch_mat_mul_reduce_scatter": {"a": "bfloat16 LMK", "b": "bfloat16 LKN"},
    # The operators have a row of an expert for each of a token; the kernel, the token of each row.
    "moe_finalize_routing": {
        "a": "float16 MK", "b": "float16 EKN", "bias": "float32 EN", "scale": "float32 M", "row": "int32 M tokens",
        "groups": "int64 ends",
    },
    "moe_token_unpermute": {
        "a": "float16 MK", "b": "float16 EKN", "probability": "float32 M", "token": "int32 M tokens",
        "groups": "int64 ends",
    },
    # Weights of adapters are W x out x in; y is a part of the columns of all layers.
    "sgmv_shrink": {**F16, "b": "float16 WKN from WNK", "y": "float32 MN", "scale": "number", **LISTED},
    "sgmv_expand": {**F16, "b": "float16 WKN from WNK", "y": "float16 MN gaps", **LISTED},
    # tokens x heads x K
    "batch_matmul_transpose": {"a": "float16 LMK from MLK", "b": "float16 LKN"},
    "add_rms_norm_bias": {**BF16, "residual": "bfloat16 MN", "gamma": "bfloat16 N", "bias": "bfloat16 N"},
    "gemma_rms_norm": {**BF16, "gamma": "bfloat16 N"},
    "rms_norm_dynamic_quant": {**F16, "gamma": "float16 N"},
    "dequant_swiglu_quant": {**QUANT, "b": "int8 KH", **HALVES, "limit": "number"},
    "swiglustep": {**BF16, "b": "bfloat16 KH"},
    "fused_gdn_gating": {**F16, "A_log": "float32 N", "dt_bias": "float32 N"},
    "l2norm": BF16,
    "muls_add": {**BF16, "y": "bfloat16 MN", "scale": "number"},
    # Logits of a tied embedding, vocabulary x K; numbers of requests, taken by the batch's list.
    "compute_token_logprobs": {**F16, "b": "float16 KN from NK"},
    "temperature": {**F16, "b": "float16 KN from NK", "temperature": "float32 M"},
    "min_p": {**F16, "b": "float16 KN from NK", "p": "float32 M"},
    "quant_matmul": {**QUANT, "scale": "bfloat16 N", "token": "bfloat16 M"},
    "matmul_relu": {**F16, "bias": "float32 N"},
    "swin_transformer_ln_qkv": {
        "a": "float16 MK", "b": "float16 KQ", "folded": "float32 Q sums", "bias": "float32 Q", "k": "number",
    },
}  # fmt: skip

Q, NUMBERS = 384, {"scale": 0.75, "limit": 3.0, "k": SIZES["K"]}


def _added(x: Array, row: Array) -> Array:
    made = np.zeros((TOKENS, x.shape[1]))
    np.add.at(made, row[:, 0].astype(int), x)
    return made


def _swin(a: Array, b: Array, bias: Array) -> dict[str, Array]:
    centred = a - a.mean(1, keepdims=True)
    made = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) @ b + bias
    return dict(zip(("q", "k_", "v"), np.split(made, 3, axis=1), strict=True))


APART: dict[str, Callable[[Mapping[str, Array]], Any]] = {
    "moe_finalize_routing": lambda x: _added((x["acc"] + x["bias"]) * x["scale"], x["row"]),
    "moe_token_unpermute": lambda x: _added(x["acc"] * x["probability"], x["token"]),
    "swin_transformer_ln_qkv": lambda x: _swin(x["a"], x["b"], x["bias"]),
}
"""The formulas of operators that no function of one product says."""


@dataclass(frozen=True)
class Launch:
    """The tensors of a launch, by the operator's names."""

    name: str
    given: dict[str, Any]

    @classmethod
    def of(cls, name: str, seed: int = 7) -> Launch:
        rng, given = np.random.default_rng(seed), dict[str, Any]()
        for operand, said in LAUNCHES[name].items():
            given[operand] = NUMBERS[operand] if said == "number" else _tensor(said, rng, given)
        return cls(name, given)

    def expected(self) -> dict[str, Array]:
        """What the operator's formula gives, in float64."""
        said = LAUNCHES[self.name]
        x: dict[str, Any] = {
            key: one if isinstance(one, float | int) else _wide(one) for key, one in self.given.items()
        }
        rows, a, b = slice(None), x.pop("a"), x.pop("b")
        if "groups" in x:
            counts = x.pop("groups").astype(int)
            counts = np.diff(counts, prepend=0) if FIELD[self.name][0].gemm.group_list == "offsets" else counts
            group = np.repeat(np.arange(len(counts)), counts)
            rows = slice(len(group))
            b = b[x.pop("weight_index").astype(int)[group] if "weight_index" in x else group]
            x = {key: one[group] if said[key].split()[1:2] == ["EN"] else one for key, one in x.items()}
        acc = np.einsum("mk,mkn->mn", a[rows], b) if "groups" in said else a @ b
        for key, one in x.items():
            axes = said[key].split()[1:2]
            x[key] = one[rows, None] if axes == ["M"] else one[rows] if axes == ["MN"] else one
        if self.name in APART:
            made = APART[self.name]({**x, "acc": acc, "a": a, "b": b})
        else:
            meant = FIELD[self.name][1]
            assert meant is not None
            made = meant(*(np.split(acc, 2, -1) if "H" in said["b"] else [acc]), **x)
        return made if isinstance(made, dict) else {"D": made}

    def wrong(self, op: Any) -> str:
        """Which results of the extension's operator are not the formula's; empty if all are."""
        found, expected = op(**self.given), self.expected()
        names = FIELD[self.name][0].outputs
        said = []
        for name, one in zip(names, found if isinstance(found, tuple) else (found,), strict=True):
            got, exact = array_of(one), expected[name]
            listed, rest = _wide(one)[..., : exact.shape[-2], :], _wide(one)[..., exact.shape[-2] :, :]
            if got.dtype == np.int8:  # quotients in the middle of two numbers go to either
                is_right = np.abs(listed - exact).max() <= 1 and (listed != exact).mean() < 0.02
            else:
                finite = np.abs(exact[np.isfinite(exact)]).max()
                unit = {"float16": 2**-10, "bfloat16": 2**-7}.get(got.dtype.name, 1e-5)
                is_right = np.allclose(listed, exact, rtol=unit, atol=finite * 1e-5)
            said += [] if is_right and not rest.any() else [f"{self.name}: {name}"]
        return ", ".join(said)


def _wide(tensor: Any) -> Array:
    array: Array = array_of(tensor).astype("float64")
    return array


def _tensor(said: str, rng: np.random.Generator, given: Mapping[str, Any]) -> Any:
    """A tensor as the host code has it."""
    torch = importlib.import_module("torch")
    element, axes, *how = said.split()
    if axes in LISTS:
        return torch.tensor(LISTS[axes], dtype=getattr(torch, element))
    if axes == "R":
        return torch.tensor([3, 1, 0], dtype=getattr(torch, element))
    sizes = {**SIZES, "Q": Q}
    stored = how[1] if "from" in how else axes
    shape = [sizes[axis] for axis in stored]
    if "tokens" in how:
        made = np.argsort(rng.permutation(sizes["M"])) // TOP
    elif "sums" in how:
        made = _wide(given["b"]).sum(0)
    elif element in ("int8", "int32"):
        made = rng.integers(-10, 11, shape)
    elif sum(axis in "MNKHQ" for axis in axes) == 2:
        made = rng.standard_normal(shape)
    else:
        made = rng.uniform(0.02, 0.12, shape)
    gaps = 5 * ("gaps" in how)
    tensor = torch.full((*made.shape[:-1], made.shape[-1] + gaps), 7, dtype=getattr(torch, element))
    tensor = tensor[..., gaps // 2 : gaps // 2 + made.shape[-1]]
    tensor.copy_(tensor_of(np.ascontiguousarray(made)))
    return tensor.permute([stored.index(axis) for axis in axes])
