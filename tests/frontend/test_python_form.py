"""Graphs as specs in Python: to_python compares the trace of what it writes with the graph itself."""

from __future__ import annotations

import pytest

from evtgen.frontend.load import load
from evtgen.frontend.python_form import to_python
from evtgen.pipeline.gallery import entry

SPELLED = {
    "qkv_split": "[:, 0:",
    "swiglu_interleaved": "[:, 1::2]",
    "qkv_rope_interleaved": "ops.rope(",
    "mla_prologue": "ops.rope(",
    "moe_gating_top_k_softmax": "ops.topk(acc, 8)",
    "split_qkv_rmsnorm_rope": "ops.rope(",
    "grouped_matmul_finalize_routing": "add=True",
    "dispatch_ffn_combine": "ranks=",
    "expert_scatter": "ops.scatter(",
    "transposed_keys": "ops.transpose(",
    "gathered_residual": "ops.gather(",
    "gqa_scores": "Scalar[float32] = 50.0",
}
"""Epilogues of the gallery, and what their specs have in them."""


@pytest.mark.parametrize("name", SPELLED)
def test_what_a_spec_has_is_written(name: str) -> None:
    """``to_python`` raises where the trace of its text has other nodes."""
    (epilogue,) = (e for e in load([entry(name).path]) if e.name == name)
    assert SPELLED[name] in to_python(epilogue)
