"""Estimates of memory against the peaks of real runs, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Aux, epilogue, float32, half, ops
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.graph.shapes import GEMM_B, Problem, Shape
from evtgen.graph.types import float4_e2m1fn, float8_e4m3fn
from evtgen.model import footprint
from evtgen.nodes import KeptStore
from evtgen.pipeline.specs import load_and_check
from evtgen.planner.plan import Plan, lower

from ..support.epilogues import FULL
from ..support.paths import CHECKOUT

GALLERY = CHECKOUT / "examples" / "gallery"

# Runs one case in a process of its own, whose program runs in another that measures it.
CODE = """
import json, resource, sys
from dataclasses import replace
from pathlib import Path
from evtgen.model import execution
from evtgen.pipeline.specs import load_and_check
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

WRAPPER = (
    "import resource, subprocess, sys;"
    "done = subprocess.run(sys.argv[1:], close_fds=False);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(done.returncode)"
)
program = []
execute = execution._execute

def measured(command, environment, timeout):
    status, words = execute([sys.executable, "-S", "-c", WRAPPER, *command], environment, timeout)
    program.append(int(words.split()[-1]) * 1024)
    return status, words

execution._execute = measured
spec, name, shape, data = sys.argv[1:]
plans = [lower(e) for e in load_and_check([Path(spec)]).epilogues if e.name == name]
(result,) = verify_plans(plans, Options(shapes=(tuple(json.loads(shape)),), data=data))
assert result.error is None, result.error
print(json.dumps([resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, max(program)]))
"""


def plan(spec: Path, name: str) -> Plan:
    (found,) = [e for e in load_and_check([spec]).epilogues if e.name == name]
    return lower(found)


CASES: list[tuple[str, str, Shape, str]] = [
    ("rows.py", "batch_norm_training", (1500, 1500, 16), "normal"),
    ("rows.py", "softmax", (1500, 1500, 16), "normal"),
    ("statistics.py", "layer_norm_sums", (2000, 2000, 16), "normal"),
    ("blas.py", "alpha_beta_tensors", (1500, 1500, 16), "normal"),
    ("quantized.py", "dequant_both", (3, 700000, 8), "int"),
    ("bias.py", "bias_relu", (64, 64, 100000), "int"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="getrusage counts in other units elsewhere")
@pytest.mark.parametrize(("spec", "name", "shape", "data"), CASES[:: 1 if FULL else 2], ids=str)
def test_an_estimate_is_near_what_a_run_takes(spec: str, name: str, shape: Shape, data: str) -> None:
    # From a shell: a process starts with the peak of the one that started it, and that of the tests may be larger.
    shell = ["sh", "-c", '"$@"; exit $?', "sh"]
    command = [*shell, sys.executable, "-c", CODE, str(GALLERY / spec), name, json.dumps(shape), data]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    python, program = json.loads(done.stdout)
    estimate = footprint.estimate(plan(GALLERY / spec, name), shape, compared=True)
    # Both run at the same time, but have their peaks at different times.
    assert 0.9 * max(python, program) <= estimate <= 2 * (python + program)


def test_a_larger_problem_takes_more() -> None:
    one = plan(GALLERY / "bias.py", "bias_relu")
    base = footprint.estimate(one, (1000, 1000, 1000))
    for larger in ((2000, 1000, 1000), (1000, 2000, 1000), (1000, 1000, 9000)):
        assert footprint.estimate(one, larger) > base
    assert footprint.estimate(one, (1000, 1000, 1000), pad=1000) > base
    assert footprint.estimate(one, (1000, 1000, 1000), compared=True) > base
    # Each matmul of a batch has a B and vectors of its own.
    batch = Problem((1000,) * 3, 1000, 1000)
    shared = replace(batch, shared=frozenset({GEMM_B}))
    assert (
        footprint.estimate(one, batch) > footprint.estimate(one, shared) > 2 * base - footprint.estimate(one, (1, 1, 1))
    )
    # Rows of few elements make many tiles.
    assert footprint.estimate(one, (300000, 1, 1), traced=True) > footprint.estimate(one, (300000, 1, 1))


def test_two_of_four_bits_lie_in_a_byte() -> None:
    """An output of float4 takes half as much as one of float8."""
    narrow = plan(GALLERY / "mx.py", "fp4_mx_swiglu_quantize")
    others = {float4_e2m1fn: float8_e4m3fn}
    wide = replace(narrow, tensors=tuple(replace(t, element=others.get(t.element, t.element)) for t in narrow.tensors))
    of_narrow, of_wide = (footprint.estimate(one, (1000, 512, 64), compared=True) for one in (narrow, wide))
    assert of_wide - of_narrow == 1000 * 512 // 2


@epilogue
def softmax_of_sum(acc: Acc[half], X: Aux[half]) -> Any:
    x = (acc + X).cast(float32)
    e = ops.exp(x - ops.col_reduce(x, "max"))
    return {"D": (e / ops.col_reduce(e)).cast(half)}


@epilogue
def variance_of_columns(acc: Acc[float32]) -> Any:
    return {"D": acc * ops.row_reduce(acc * acc, "mean")}


def test_what_crosses_between_phases_takes_memory() -> None:
    """A matrix that is kept, and what is reduced, of each matmul; and each phase has events of its own."""
    phased, shape = lower(softmax_of_sum), (1000, 900, 16)
    assert any(isinstance(node, KeptStore) for part in phased.phases for _, node in part.nodes())
    assert footprint._kept(phased, Problem.of(shape)) == 1000 * 900 * half.size + 2 * 1000 * float32.size
    columns = lower(replace(variance_of_columns, name="columns"))
    assert footprint._kept(columns, Problem((500, 0, 500), 900, 16)) == 3 * 900 * float32.size
    assert footprint._kept(replace(phased, parts=()), Problem.of(shape)) == 0
    long = (300000, 1, 1)
    of_all, of_one = (
        footprint.estimate(plan, long, traced=True) - footprint.estimate(plan, long)
        for plan in (phased, replace(phased, parts=phased.phases[:1]))
    )
    assert of_all > 1.5 * of_one


def test_runs_share_the_memory_and_one_that_has_no_room_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "free_memory", lambda: 4 << 30)
    assert footprint.at_once([("small", 1 << 20)], 8) == 8
    assert footprint.at_once([("small", 1 << 20), ("large", 3 << 29)], 8) == 2
    assert footprint.at_once([], 8) == 8
    with pytest.raises(EvtgenError) as caught:
        footprint.at_once([("small", 1 << 20), ("too large at 9x9x9", 5 << 30)], 8)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "EVT067" and caught.value.status == 3
    assert diagnostic.message == "too large at 9x9x9 takes about 5.0 GiB of memory, and 4.0 GiB are free"
    monkeypatch.setattr(footprint, "free_memory", lambda: None)
    assert footprint.at_once([("unknown", 1 << 60)], 8) == 8


@pytest.mark.parametrize(
    "command",
    [
        ["verify", "--shape", "200000x200000x16"],
        ["verify", "--shape", "999999999x999999999x999999999"],
        ["verify", "--shape", "1x1x1", "--shape", "8x8x999999999"],
        ["verify", "--pad", "999999999"],
        ["profile", "--shape", "200000x200000x64"],
    ],
    ids=" ".join,
)
def test_what_no_machine_has_is_refused_before_anything_is_built(command: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "EVTGEN_CACHE": str(tmp_path / "cache")}
    arguments = [command[0], str(CHECKOUT / "examples" / "33_cast_evt.py"), *command[1:]]
    done = subprocess.run(
        [sys.executable, "-m", "evtgen", *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 3 and done.stderr.startswith("error[EVT067]") and "GiB" in done.stderr
    assert not (tmp_path / "cache").exists()
