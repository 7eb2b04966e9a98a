"""Programs that compute something else than their specs, in no order that is wrong: the numbers alone find each.

And programs that compute what their specs say, which is not what the user meant.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Aux, ColVector, Epilogue, Scalar, epilogue, float32, half, ops
from evtgen.planner.plan import lower
from evtgen.report.verification import failures
from evtgen.verify import Options, Result, verify_plans

from ..support.changed import verify_changed
from ..support.right import right

FUSION = "catlass/epilogue/fusion"
OPERATIONS = f"{FUSION}/operations/arithmetic.hpp"


@epilogue
def softmax_sum(acc: Acc[float32], m: ColVector[float32]) -> Any:
    return {"row_sum": ops.col_reduce(ops.exp(acc - m))}


@epilogue
def total(acc: Acc[float32]) -> Any:
    return {"D": acc, "sum": ops.scalar_reduce(acc)}


@epilogue
def total_half(acc: Acc[half]) -> Any:
    return {"D": acc, "sum": ops.scalar_reduce(acc)}


@epilogue
def blend(acc: Acc[float32], X: Aux[float32], alpha: Scalar[float32], beta: Scalar[float32]) -> Any:
    return {"D": acc * alpha + X * beta}


@epilogue
def biased(acc: Acc[half], X: Aux[half]) -> Any:
    return {"D": acc + X}


@epilogue
def root_of_difference(acc: Acc[float32], X: Aux[float32]) -> Any:
    return {"D": ops.sqrt(acc - X)}


@epilogue
def logarithm(acc: Acc[float32]) -> Any:
    return {"D": ops.log(acc)}


@epilogue
def steep(acc: Acc[half]) -> Any:
    return {"D": ops.exp(acc * 16.0)}


@epilogue
def narrow(acc: Acc[float32], X: Aux[half]) -> Any:
    """The product is rounded to half on its way into a float32."""
    return {"D": acc + (X * 1.1).cast(float32)}


@epilogue
def cancelling(acc: Acc[half]) -> Any:
    return {"D": acc + 2048.0 - 2048.0}


@epilogue
def far_limit(acc: Acc[float32], X: Aux[float32]) -> Any:
    return {"D": ops.where(acc < 1e30, acc, X)}


@epilogue
def tamed(acc: Acc[half]) -> Any:
    """Infinite on the way, and harmless."""
    return {"D": ops.minimum(ops.exp(acc * 16.0), 2.0)}


def by_numbers(result: Result) -> bool:
    """Whether it failed, and would have if the model reported nothing."""
    wrong = any(c.mismatches for c in result.compared) or not all(c.enough for c in result.compared)
    return not result.ok and result.error is None and wrong


def codes(result: Result) -> list[str]:
    return [diagnostic.code for diagnostic in result.diagnostics]


def run(spec: Epilogue, **options: object) -> list[Result]:
    return verify_plans([lower(spec)], Options(**{"shapes": ((256, 512, 64),), **options}))  # type: ignore[arg-type]


EXP = (f"{FUSION}/operations/math.hpp", "AscendC::Exp(dst, a, count);",
       "AscendC::Exp(dst, a, count);\n        AscendC::PipeBarrier<PIPE_V>();\n"
       "        AscendC::Muls(dst, dst, static_cast<Element>(3), count);")  # fmt: skip

SUM = (f"{FUSION}/visitor_scalar_reduce.hpp", "ubScalar, ubColumn, 1, rows, rows);",
       "ubScalar, ubColumn, 1, rows, rows);\n                AscendC::PipeBarrier<PIPE_V>();\n"
       "                AscendC::Muls(ubScalar, ubScalar, static_cast<Element>(1.25f), 1);")  # fmt: skip

STORE = (f"{FUSION}/visitor_aux_store.hpp", "CopyUbToGm{}(", "if (globalTileOffset.row() < 100) CopyUbToGm{}(")

NO_TERM = (OPERATIONS, "AscendC::Muls(dst, a, scalar, count);",
           "AscendC::Muls(dst, a, static_cast<Element>(scalar < 0 ? -1 : 1), count);")  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "change", "shapes"),
    [
        (softmax_sum, EXP, ((87, 198, 40), (256, 512, 64))),
        (total, SUM, ((256, 512, 64),)),
        (total_half, SUM, ((256, 512, 64),)),
        (blend, NO_TERM, ((256, 512, 64), (87, 198, 40), (1, 1, 16))),
        (biased, STORE, ((256, 512, 64),)),
    ],
    ids=["exp three times too large", "sum too large", "half sum too large", "scalars left out", "rows left out"],
)  # fmt: skip
def test_wrong_numbers_fail_on_either_data(tmp_path: Path, spec: Epilogue, change: Any, shapes: Any) -> None:
    fine = right(verify_plans([lower(spec)], Options(shapes=shapes, strict=True)))
    assert all(c.judged == 1 for r in fine for c in r.compared)
    wrong = verify_changed(lower(spec), tmp_path, change, shapes=shapes)
    assert [(r.shape, r.data) for r in wrong] == [(shape, data) for shape in shapes for data in ("int", "normal")]
    assert [r.data for r in wrong if not by_numbers(r)] == []


def test_rows_left_out_of_a_larger_tensor(tmp_path: Path) -> None:
    for result in verify_changed(lower(biased), tmp_path, STORE, shapes=((256, 512, 64),), pad=3):
        assert by_numbers(result)


def test_a_half_sum_is_bounded() -> None:
    for result in run(total_half, data="normal"):
        (bound,) = [c.bound for c in result.outputs if c.name == "sum"]
        (size,) = [c.typical for c in result.outputs if c.name == "sum"]
        assert 0 < bound < size / 8


def test_nan_is_neither_judged_nor_silent() -> None:
    """The difference of two tensors is negative somewhere, whatever the data."""
    for result in run(root_of_difference):
        assert result.agrees and not result.ok
        assert codes(result) == ["EVT153", "EVT152"]
        assert result.outputs[0].judged < 0.99
        text = "\n".join(failures(result))
        assert "first at Sqrt" in text and "test_numbers.py" in text and "NaN in" in text


def test_data_are_positive_where_the_formula_asks_for_it() -> None:
    for result in run(logarithm, strict=True):
        assert result.ok, failures(result)
        assert result.outputs[0].judged == 1


def test_overflow_on_the_way_is_a_warning_that_names_the_node() -> None:
    (result,) = run(steep, data="normal")
    assert result.agrees
    assert "EVT150" in codes(result)
    (warning,) = [d for d in result.diagnostics if d.code == "EVT150"]
    assert "first at Exp, in half" in warning.message
    assert warning.location is not None and warning.location.file.endswith("test_numbers.py")
    data = result.to_json()
    assert data["diagnostics"][-1]["code"] == "EVT150" and data["outputs"][0]["judged"] == result.outputs[0].judged


@pytest.mark.parametrize(("spec", "node"), [(narrow, "CastMulsToFloat"), (cancelling, "Adds2")], ids=str)
def test_lost_accuracy_is_a_warning_that_names_the_node(spec: Epilogue, node: str) -> None:
    (lenient,), (strict,) = run(spec, data="normal"), run(spec, data="normal", strict=True)
    assert lenient.ok and not strict.ok
    (warning,) = lenient.diagnostics
    assert warning.code == "EVT151" and f"first at {node}" in warning.message
    absolute, ulp = lenient.outputs[0].formula_error or (0, 0)
    assert absolute > 1e-4 and ulp > 32
    assert lenient.to_json()["outputs"][0]["formula_error"] == {"absolute": absolute, "ulp": ulp}


def test_what_is_infinite_on_the_way_only_is_no_departure() -> None:
    for result in run(tamed, strict=True, data="normal"):
        assert result.ok, failures(result)


def test_a_mask_of_one_kind_is_said() -> None:
    for result in run(far_limit):
        assert result.ok and codes(result) == ["EVT154"]
        assert "Less" in result.diagnostics[0].message and "true in every element" in result.diagnostics[0].message


def test_why_a_kernel_refuses_its_arguments_is_said(tmp_path: Path) -> None:
    change = (f"{FUSION}/visitor_aux_load.hpp", "args.ptr_aux == nullptr", "true")
    [result] = verify_changed(lower(biased), tmp_path, change, shapes=((3, 5, 7),), data="int")
    assert result.error is not None and "ptr_aux is null, in node 1" in result.error
