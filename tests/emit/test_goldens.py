"""Some headers of the gallery, of Ascend950 and of Catlass's own framework, byte for byte: ``pytest --update-golden``
rewrites tests/goldens. The headers of the examples are in generated/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import unified_diff

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.graph.ir import Epilogue, Gemm
from evtgen.pipeline.specs import load_and_check
from evtgen.planner.plan import lower

from ..support import seeds
from ..support.evg import CASES, PROGRAMS
from ..support.paths import CHECKOUT

GOLDENS = CHECKOUT / "tests" / "goldens"
GALLERY = CHECKOUT / "examples" / "gallery"

REPRESENTATIVE = {
    "elsewhere": {"expert_scatter"},  # groups, rows in another place
    "experts": {"expert_swiglu_dequant_quant"},  # groups, two accumulators, int8, phases
    "float8": {"w8a8_block_fp8_matmul"},  # operands with scales for slices of K
    "gradients": {"moe_wgrad"},  # groups of K
    "linear": {"linear_hf32", "split_k_bias"},
    "mx": {"mx_matmul", "a8w4_mx_matmul"},  # operands with scales, and B widened
    "own": {"bias_squared_relu"},  # an operator of the user's
    "positions": {"alibi_scores"},  # several matmuls of one shape
    "quantized": {
        "w8a16_linear",
        "weight_quant_batchmatmul",
        "fp8_block_linear",
        "w4a16_linear",
        "quant_batch_matmul_v3",
    },  # of B, or C
    "rows": {"softmax"},  # phases
    "statistics": {"bias_gradient_in_order"},
}
"""Epilogues of the gallery that together reach every kernel and every part of a header, by spec."""


def headers(spec: str) -> dict[str, str]:
    """The headers of a spec's representative epilogues: path below the goldens → text; one directory per spec."""
    epilogues = load_and_check([GALLERY / f"{spec}.py"]).require().epilogues
    return emitted(spec, [one for one in epilogues if one.name in REPRESENTATIVE[spec]])


def handed_over() -> dict[str, str]:
    """What matmul + add becomes for Ascend950, with the accumulator in UB."""
    add = replace(seeds.ADD_FLOAT, name="add_ub", arch="Ascend950", gemm=Gemm(handoff="ub"))
    return emitted("ascend950", [add])


def emitted(directory: str, epilogues: Sequence[Epilogue]) -> dict[str, str]:
    """The headers of epilogues, by their paths below the goldens."""
    files = [item for epilogue in epilogues for item in epilogue_files(lower(epilogue), Framework()).items()]
    return {f"{directory}/{name}": text for name, text in files}


def evg_headers() -> dict[str, str]:
    """Some epilogues in Catlass's own visitor framework."""
    fw, some = Framework(catlass=True), ("add_ub", "tanh_steps")
    plans = [lower(one) for one in (*PROGRAMS, *CASES) if one.name in some]
    return {f"evg/{name}": text for plan in plans for name, text in epilogue_files(plan, fw).items()}


def difference(path: str, golden: str | None, emitted: str) -> str:
    """A unified diff; empty when both are the same bytes."""
    if golden is None:
        return f"tests/goldens/{path} is missing\n"
    lines = golden.splitlines(keepends=True), emitted.splitlines(keepends=True)
    return "".join(unified_diff(*lines, f"tests/goldens/{path}", "emitted now"))


def test_headers_are_golden(pytestconfig: pytest.Config) -> None:
    """In one test: a word of a template stands in all of them."""
    texts = {
        **evg_headers(),
        **handed_over(),
        **{path: text for spec in REPRESENTATIVE for path, text in headers(spec).items()},
    }
    assert len(texts) == sum(map(len, REPRESENTATIVE.values())) + 3
    goldens = {path.relative_to(GOLDENS).as_posix(): path for path in GOLDENS.rglob("*") if path.is_file()}
    if pytestconfig.getoption("update_golden"):
        for stale in goldens.keys() - texts.keys():
            goldens.pop(stale).unlink()
        for path, text in texts.items():
            goldens[path] = GOLDENS / path
            goldens[path].parent.mkdir(parents=True, exist_ok=True)
            goldens[path].write_bytes(text.encode())
    assert not goldens.keys() - texts.keys(), "run pytest --update-golden if these epilogues are gone"
    kept = {path: goldens[path].read_bytes().decode() if path in goldens else None for path in texts}
    report = "".join(difference(path, kept[path], text) for path, text in texts.items())
    assert not report, f"run pytest --update-golden if this is meant:\n{report}"


def test_a_difference_is_shown() -> None:
    assert difference("a.hpp", "one\ntwo\n", "one\ntwo\n") == ""
    shown = difference("a.hpp", "one\ntwo\n", "one\nthree\n")
    assert "-two\n+three\n" in shown and "tests/goldens/a.hpp" in shown
    assert difference("a.hpp", "one\n", "one\r\n") and difference("a.hpp", None, "")
