"""What other generators' tests compute is said here in a line or a few, and verified."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from evtgen.check import check
from evtgen.graph.ir import Epilogue
from evtgen.planner.plan import lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

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
        "test_mixed_dag_stream_k": "mixed_dag",  # and so is which core computes them
        "test_mixed_dag_no_batch": "mixed_dag",
    },
    "layout": {
        "test_permute_1": "aux_store",  # three transpositions that cancel out
        "test_permute_2": None,  # the output is transposed
        "test_permute_3": None,  # rows and batches change places
        "test_reshape": "reshape",  # 16 x 32 values are those of a column of 512
        "test_reshape2": None,  # the batch has two dimensions, and a row vector one row for each of them
    },
}
"""The spec of each test, by file ``evt_*_sm80_90.py``; None where the epilogue needs more than one matrix or tile."""

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
@pytest.mark.parametrize("module", [cutlass, catlass], ids=["cutlass", "catlass"])
def test_every_spec_is_right(module: ModuleType) -> None:
    plans = [lower(spec) for spec in specs(module).values()]
    strictly = Options(shapes=SHAPES, strict=True, batch=8)
    results = verify_plans([plan for plan in plans if plan.name != "exp"], strictly)
    # A warning is right where exp of a whole number is more than half holds.
    for plan in (plan for plan in plans if plan.name == "exp"):
        results += verify_plans([plan], replace(strictly, data="normal"))
        results += verify_plans([plan], replace(strictly, data="int", strict=False))
    assert len(results) == len(plans) * len(SHAPES) * 2, "with whole numbers and with normal ones"
    assert all(r.ok for r in results), "\n".join(line for r in results for line in failures(r))
