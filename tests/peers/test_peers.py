"""What other generators' tests compute is said here in a line or a few, and verified."""

from __future__ import annotations

import os
from dataclasses import replace
from types import ModuleType

import pytest

from evtgen.check import check
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.graph.types import float32
from evtgen.kernels.batched_matmul import BatchedMatmul
from evtgen.options import Data
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.right import right
from . import catlass, cutlass

CUTLASS: dict[str, dict[str, str | None]] = {
    "compute": {
        "test_arith": "arith",
        "test_func_call": "func_call",
        "test_func_call2": "func_call2",
        "test_tanh": "tanh",
        "test_sigmoid": "sigmoid",
        "test_gelu": "gelu",
        "test_exp": "exp",
    },
    "load": {
        "test_tensor_load": "tensor_load",
        "test_row_broadcast": "row_broadcast",
        "test_column_broadcast": "column_broadcast",
        "test_scalar_broadcast": "scalar_broadcast",
    },
    "store": {
        "test_invalid_store": "stored_and_used",  # refused there: an output may be read again here
        "test_aux_store": "aux_store",
        "test_col_reduce": "col_reduce",
        "test_row_reduce": "row_reduce",
        "test_scalar_reduce": "scalar_reduce",
    },
    "mixed": {
        "test_same_variable_used_multiple_times": "same_variable_used_multiple_times",
        "test_no_lca": "no_lca",
        "test_mixed_dag": "mixed_dag",
        "test_mixed_dag_float": "mixed_dag_float",
        "test_mixed_dag_stage2": "mixed_dag",  # two tiles in flight, which is the default here
        "test_mixed_dag_partition_k": "mixed_dag",  # parts of K are the GEMM's affair
        "test_mixed_dag_stream_k": "mixed_dag",  # and so is which core computes them; K is 960, the batch 1 or 3
        "test_mixed_dag_no_batch": "mixed_dag_no_batch",
    },
    "layout": {
        "test_permute_1": "aux_store",  # three transpositions that cancel out
        "test_permute_2": "permute_2",  # C and one of the outputs are N x M
        "test_permute_3": None,  # rows before batches in memory: test_examples.py has such outputs
        "test_reshape": "reshape",  # 16 x 32 values are those of a column of 512
        "test_reshape2": "reshape2",  # a batch of 2 x 3, with a row vector for each of the six
    },
}
"""The spec of each test, by file ``evt_*_sm80_90.py``; None where tensors do not lie as here."""

SHARED = {
    "tensor_load": {"aux"},
    "row_broadcast": {"bias"},
    "column_broadcast": {"bias"},
    "col_reduce": {"F_row_max"},
    "row_reduce": {"F_col_max"},
    "scalar_reduce": {"F_max"},
    "no_lca": {"bias"},
    "mixed_dag": {"cbias", "rbias", "F_row_max", "E_col_max"},
    "mixed_dag_float": {"cbias", "rbias", "F_row_max", "E_col_max"},
    "reshape": {"E"},
}
"""The tensors without a batch there, by spec; all others have one."""

CATLASS = {
    "test_codegen_with_evg_direct": "add",
    "test_codegen_without_evg": "plain",
    "test_codegen_with_evg": "add",
    "test_tune_functionality": "tuned",
    "test_evg_add": "add",
    "test_evg_mul": "mul",
    "test_evg_relu": "relu",
    "test_evg_leaky_relu": "leaky_relu",  # its slope is a row vector
    "test_evg_prelu": "prelu",
    "test_evg_sigmoid": "sigmoid",
    "test_evg_cast": "cast",
    "test_evg_relu_add": "relu_add",
}
"""The spec of each test."""

SHAPES = ((256, 512, 64), (87, 198, 40), (3, 7, 5))

FULL = os.environ.get("EVTGEN_FULL") == "1"


def sizes(alignment: int, k: int = 128) -> list[Shape]:
    """The problems of CUTLASS's tests for one alignment: all of them with EVTGEN_FULL=1, else two without the large."""
    rows, columns = (alignment, 512 - 3 * alignment), (alignment, 512 - alignment)
    if not FULL:
        return [(rows[0], columns[1], k), (rows[1], columns[0], k)]
    larger = (768,) if alignment % 8 == 0 else ()
    return [(m, n, k) for m in (*rows, *larger) for n in (*columns, *larger)]


def specs(module: ModuleType) -> dict[str, Epilogue]:
    return {name: thing for name, thing in vars(module).items() if isinstance(thing, Epilogue)}


def test_the_tables_name_every_test_and_every_spec() -> None:
    rows = [row for file in CUTLASS.values() for row in file.items()]
    assert (len(rows), len(CATLASS)) == (29, 12)
    assert {spec for _, spec in rows if spec} == set(specs(cutlass))
    assert set(CATLASS.values()) == set(specs(catlass))


@pytest.mark.parametrize("module", [cutlass, catlass], ids=["cutlass", "catlass"])
def test_what_was_typed_first_is_accepted(module: ModuleType) -> None:
    assert [(name, d.message) for name, spec in specs(module).items() for d in check(spec)] == []


@pytest.mark.cxx
def test_every_spec_of_catlass_is_right() -> None:
    plans = [lower(spec) for spec in specs(catlass).values()]
    results = verify_plans(plans, Options(shapes=SHAPES, strict=True, together=8))
    assert len(results) == len(plans) * len(SHAPES) * 2, "with whole numbers and with normal ones"
    right(results)


@pytest.mark.cxx
def test_every_spec_of_cutlass_is_right_in_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three matmuls, and in each what all of them share there; one where there is no batch, six for the reshapes."""
    plans = {name: lower(spec) for name, spec in specs(cutlass).items()}
    own = {plan.tensors: frozenset(SHARED.get(name, ())) for name, plan in plans.items() if plan.gemm.batch}
    monkeypatch.setattr(BatchedMatmul, "sharings", lambda self, tensors: (own[tuple(tensors)],))

    options = Options(strict=True, together=8, batch=3)
    six = {name: plans.pop(name) for name in ("reshape", "reshape2")}
    results = verify_plans(list(six.values()), replace(options, shapes=((512, 256, 128),), batch=6))
    narrow = [plan for plan in plans.values() if plan.operands != (float32, float32)]
    assert len(narrow) == len(plans) - 1
    # A warning is right where exp of a whole number is more than half holds.
    usual, (first, *others) = [plan for plan in narrow if plan.name != "exp"], sizes(8)
    turns: tuple[tuple[tuple[Shape, ...], Data], ...] = ((first,), "int"), ((*others,), "normal")
    for shapes, data in turns:
        results += verify_plans(usual, replace(options, shapes=shapes, data=None if FULL else data))
    results += verify_plans([plans["exp"]], replace(options, shapes=(*sizes(8),), data="normal"))
    results += verify_plans([plans["exp"]], replace(options, shapes=(*sizes(8),), data="int", strict=False))
    for alignment in (2, 4) if FULL else ():
        results += verify_plans([plans["mixed_dag"]], replace(options, shapes=(*sizes(alignment),)))
    for alignment in (2, 3, 4) if FULL else (3,):
        results += verify_plans([plans["mixed_dag_float"]], replace(options, shapes=(*sizes(alignment),)))
    for batch in (1, 3):
        long = replace(options, shapes=(*sizes(8, k=960),), batch=batch)
        results += verify_plans([plans["mixed_dag"]], long)
    right(results)

    assert {(r.matmuls.batch, r.shape[2]) for r in results} == {(3, 128), (6, 128), (1, 960), (3, 960), (None, 128)}
    for name, shared in SHARED.items():
        seen = {frozenset(c.shared) for r in results if r.epilogue == name for c in r.compared}
        assert seen == {frozenset(shared)}, name
