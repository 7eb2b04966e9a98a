"""A dozen headers of the gallery, both handoffs and Catlass's own framework, byte for byte: ``pytest --update-golden``
rewrites tests/goldens. The headers of the examples are in generated/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm
from evtgen.pipeline.specs import load_and_check
from evtgen.planner.plan import lower

from ..support import seeds
from ..support.evg import CASES, PROGRAMS
from ..support.paths import CHECKOUT

GOLDENS = CHECKOUT / "tests" / "goldens"
GALLERY = CHECKOUT / "examples" / "gallery"

REPRESENTATIVE = {
    "batches": {"attention_scores"},  # several matmuls of one shape
    "elsewhere": {"expert_scatter"},  # groups, rows in another place
    "experts": {"expert_swiglu_dequant_quant"},  # groups, two accumulators, int8, phases
    "linear": {"split_k_bias"},
    "own": {"bias_squared_relu"},  # an operator of the user's
    "positions": {"alibi_scores"},
    "quantized": {"dequant_relu_requant", "w8a16_linear"},
    "rows": {"softmax", "layer_norm"},  # phases
    "statistics": {"bias_gradient_in_order", "layer_norm_sums"},  # reductions as outputs
}
"""Epilogues of the gallery that together reach every kernel and every part of a header, by spec."""


def headers(spec: str) -> dict[str, str]:
    """The headers of a spec's representative epilogues: path below the goldens → text; one directory per spec."""
    epilogues = load_and_check([GALLERY / f"{spec}.py"]).require().epilogues
    return emitted(spec, [one for one in epilogues if one.name in REPRESENTATIVE[spec]])


def handed_over() -> dict[str, str]:
    """What matmul + add becomes for Ascend950, with each handoff."""
    given = (("gm", seeds.ADD), ("ub", seeds.ADD_FLOAT))
    ways = [replace(add, name=f"add_{way}", arch="Ascend950", gemm=Gemm(handoff=way)) for way, add in given]
    return emitted("ascend950", ways)


def emitted(directory: str, epilogues: Sequence[Epilogue]) -> dict[str, str]:
    """The headers of epilogues, by their paths below the goldens."""
    files = [item for epilogue in epilogues for item in epilogue_files(lower(epilogue), Framework()).items()]
    return {f"{directory}/{name}": text for name, text in files}


def evg_headers() -> dict[str, str]:
    """Some epilogues in Catlass's own visitor framework, and one node beside it of each kind of template."""
    fw, some = Framework(catlass=True), ("add", "add_ub", "tanh_steps")
    plans = [lower(one) for one in (*PROGRAMS, *CASES) if one.name in some]
    files = {name: text for plan in plans for name, text in epilogue_files(plan, fw).items()}
    some_headers = ("visitor_compute.hpp", "visitor_row_reduce.hpp")
    beside = {path: text for path, text in framework_files(fw).items() if Path(path).name in some_headers}
    return {f"evg/{Path(path).name}": text for path, text in {**files, **beside}.items()}


def difference(path: str, golden: str | None, emitted: str) -> str:
    """A unified diff; empty when both are the same bytes."""
    if golden is None:
        return f"tests/goldens/{path} is missing\n"
    lines = golden.splitlines(keepends=True), emitted.splitlines(keepends=True)
    return "".join(unified_diff(*lines, f"tests/goldens/{path}", "emitted now"))


def strays(expected: set[str]) -> list[Path]:
    """Files below the goldens that no spec becomes any more."""
    found = (path for path in GOLDENS.rglob("*") if path.is_file())
    return sorted(path for path in found if path.relative_to(GOLDENS).as_posix() not in expected)


@pytest.mark.parametrize("spec", REPRESENTATIVE)
def test_headers_are_golden(spec: str, pytestconfig: pytest.Config) -> None:
    compare(headers(spec), pytestconfig)


def test_headers_in_catlass_own_framework_are_golden(pytestconfig: pytest.Config) -> None:
    compare(evg_headers(), pytestconfig)


def test_the_headers_of_both_handoffs_are_golden(pytestconfig: pytest.Config) -> None:
    compare(handed_over(), pytestconfig)


def compare(texts: Mapping[str, str], pytestconfig: pytest.Config) -> None:
    differences = []
    for path, text in texts.items():
        golden = GOLDENS / path
        if pytestconfig.getoption("update_golden"):
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_bytes(text.encode())
        differences.append(difference(path, golden.read_bytes().decode() if golden.exists() else None, text))
    report = "".join(differences)
    assert not report, f"run pytest --update-golden if this is meant:\n{report}"


def test_no_golden_is_stale(pytestconfig: pytest.Config) -> None:
    expected = {path for spec in REPRESENTATIVE for path in headers(spec)} | evg_headers().keys() | handed_over().keys()
    assert len(expected) == sum(map(len, REPRESENTATIVE.values())) + 7
    stale = strays(expected)
    if pytestconfig.getoption("update_golden"):
        while stale:
            stale.pop().unlink()
    assert not stale, "run pytest --update-golden if these epilogues are gone"


def test_a_difference_is_shown() -> None:
    assert difference("a.hpp", "one\ntwo\n", "one\ntwo\n") == ""
    shown = difference("a.hpp", "one\ntwo\n", "one\nthree\n")
    assert "-two\n+three\n" in shown and "tests/goldens/a.hpp" in shown
    assert difference("a.hpp", "one\n", "one\r\n") and difference("a.hpp", None, "")
