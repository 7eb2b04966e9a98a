"""The operands of a run: of the order of one, mixed, never equal, and the same again for the same seed."""

from __future__ import annotations

import math
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.generate.gallery import plans
from evtgen import Acc, Aux, Gemm, RowVector, Scalar, epilogue, float32, half, int8, int32, operator, ops
from evtgen.graph.types import mask
from evtgen.model import data as model_data
from evtgen.model import journal
from evtgen.model.data import DATA, operands
from evtgen.nodes import Compute
from evtgen.planner.plan import Plan, lower
from evtgen.reference import product, read

SHAPES = ((256, 512, 64), (87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16))


@epilogue
def scaled(acc: Acc[float32], X: Aux[float32], bias: RowVector[float32], alpha: Scalar[float32], beta: Scalar[float32]):
    return {"D": acc * alpha + X * beta + bias}


@epilogue(gemm=Gemm(int8, int8, int32))
def integers(acc: Acc[int32], X: Aux[int32]) -> Any:
    return {"D": acc + X}


own = operator("own", ["Abs(dst, a)"], lambda np, a: np.abs(a))


@epilogue
def owned(acc: Acc[float32]) -> Any:
    return {"D": own(acc)}


@epilogue
def halves(acc: Acc[half]) -> Any:
    return {"D": ops.relu(acc)}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("spec", [scaled, integers, halves], ids=lambda spec: spec.name)
def test_the_accumulator_is_of_the_order_of_one(spec: Any, data: str) -> None:
    for k in (8, 64, 1024, 4096):
        given = operands(lower(spec), (64, 96, k), 0, data)
        size = float(np.sqrt(np.mean(np.square(product(given.a, given.b)))))
        assert 0.5 < size < 8, k


@pytest.mark.parametrize("data", DATA)
def test_scalars_are_never_neutral_and_tensors_never_equal(data: str) -> None:
    plan = lower(scaled)
    for seed in range(40):
        given = operands(plan, (1, 1, 4), seed, data)
        assert not {float(given.inputs[name].item()) for name in ("alpha", "beta")} & {0.0, 1.0, -1.0}
        values = [float(given.inputs[name].item()) for name in ("X", "bias", "alpha", "beta")]
        assert len(set(values)) == len(values)


@pytest.mark.parametrize("data", DATA)
def test_whole_numbers_are_whole_and_the_same_again(data: str) -> None:
    plan = lower(scaled)
    given, again, other = (operands(plan, (9, 14, 30), seed, data) for seed in (3, 3, 4))
    arrays = [given.a, given.b, *given.inputs.values()]
    assert all((array == np.rint(array)).all() for array in arrays) == (data == "int")
    assert all(np.array_equal(given.inputs[name], again.inputs[name]) for name in given.inputs)
    assert not np.array_equal(given.a, other.a) and not np.array_equal(given.inputs["X"], other.inputs["X"])


@pytest.mark.parametrize("data", DATA)
def test_the_gallery_is_shown_from_both_sides(data: str) -> None:
    """Masks are mixed, int8 results are spread over their range, nothing is NaN."""
    for _, plan in plans():
        for shape in map(plan.wide, SHAPES[:2]):
            given = operands(plan, shape, 0, data)
            exact = product(given.a, given.b)
            for reading in read(plan, exact.astype(np.float32), given.read_by(plan), exact):
                values = reading.formula
                assert values is not None
                # An infinity that is written down, as behind a mask, is there in both.
                assert (np.isfinite(values) | (values == reading.stepwise.value)).all()
                of_relu = plan.name == "relu_quantize_per_tensor" and isinstance(reading.node, Compute)
                if of_relu and reading.node.op == "Absolute":
                    assert (reading.inputs[0] >= 0).all()
                elif isinstance(reading.node, Compute) and reading.node.op in ("Relu", "LeakyRelu", "Absolute"):
                    negative = (reading.inputs[0] < 0).mean()
                    assert 0.02 < negative < 0.98, (plan.name, shape, reading.node)
                if reading.node.element.kind == "mask":
                    # One of a row, or a window of positions, whatever the data.
                    least = 1 / shape[1] if plan.name in ("top1_gate", "sliding_window") else 0.02
                    assert least <= values.mean() < 0.98, (plan.name, shape, reading.node)
                if reading.node.writes and reading.node.element == int8:
                    assert np.mean(np.abs(values) >= 127) < 0.6, (plan.name, shape)
                    assert np.unique(values).size > 10, (plan.name, shape)


LEAST_SCALE = {"relu_quantize_per_tensor", "per_token_group_quant_int8", "swiglu_block_quant", "per_block_cast_to_fp8",
               "mx_swiglu_quantize", "fp4_mx_swiglu_quantize"}  # fmt: skip


def test_each_limit_of_the_gallery_is_reached() -> None:
    """With one of the two kinds of data; a limit that nothing reaches could be another."""
    sides = 0
    for _, plan in plans():
        reached: dict[int, set[str]] = {}
        for data in DATA:
            given = operands(plan, plan.wide(SHAPES[1]), 0, data)
            exact = product(given.a, given.b)
            for reading in read(plan, exact.astype(np.float32), given.read_by(plan), exact):
                if isinstance(reading.node, Compute) and reading.node.op in ("Clamp", "Mins", "Maxs", "Relu6"):
                    assert reading.formula is not None
                    found = reached.setdefault(reading.index, {reading.node.op})
                    found |= {"low"} if (reading.formula > reading.inputs[0]).any() else set()
                    found |= {"high"} if (reading.formula < reading.inputs[0]).any() else set()
        for found in reached.values():
            if plan.name in LEAST_SCALE:
                continue  # nothing but zeros would be quantised by the least scale
            sides += 1
            assert found >= ({"low"} if "Maxs" in found else {"high"} if "Mins" in found else {"low", "high"}), plan
    assert sides >= 3


def test_a_mask_of_positions_is_nothing_that_data_could_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 5 x 128 elements 2 % are below the diagonal, whatever is drawn: it is not drawn again for that."""

    @epilogue
    def causal(acc: Acc[float32]) -> Any:
        return {"D": ops.where(ops.row_index() >= ops.col_index(), acc, -1.0)}

    @epilogue
    def compared(acc: Acc[float32]) -> Any:
        return {"D": ops.where(acc >= 100.0, acc, -1.0)}

    judged: list[str] = []
    teeth = model_data._teeth

    def counted(plan: Plan, *rest: Any) -> float:
        judged.append(plan.name)
        return teeth(plan, *rest)

    monkeypatch.setattr(model_data, "_teeth", counted)
    for spec in (causal, compared):
        operands(lower(spec), (5, 4099, 16), 0, "normal")
    assert judged.count("causal") < 5 and judged.count("compared") > 10


def test_a_comparison_with_zero_finds_some_that_are_equal() -> None:
    @epilogue
    def gated(acc: Acc[half], gate: Aux[half]) -> Any:
        return {"D": ops.where(gate > 0, acc, 0.0)}

    gate = operands(lower(gated), (64, 64, 16), 0, "int").inputs["gate"]
    assert 0.05 < (gate == 0).mean() < 0.2
    assert (gate < 0).mean() > 0.05


def test_what_divides_is_never_zero() -> None:
    @epilogue
    def divided(acc: Acc[half], X: Aux[half]) -> Any:
        return {"D": acc / X}

    for data in DATA:
        assert (operands(lower(divided), (64, 64, 16), 0, data).inputs["X"] != 0).all()


@pytest.mark.parametrize("data", DATA)
def test_masks_of_few_elements_are_mixed(data: str) -> None:
    @epilogue
    def windowed(acc: Acc[float32], low: Scalar[float32], high: Scalar[float32], X: Aux[float32]) -> Any:
        return {"D": ops.where((acc > low) & (acc < high), acc, X)}

    for seed in range(5):
        plan = lower(windowed)
        given = operands(plan, (3, 7, 5), seed, data)
        exact = product(given.a, given.b)
        masks = [r.formula for r in read(plan, exact.astype(np.float32), given.inputs, exact) if r.node.element == mask]
        assert len(masks) == 3
        assert all(values is not None and values.any() and not values.all() for values in masks)


@epilogue
def softmax(acc: Acc[half]) -> Any:
    x = acc.cast(float32)
    raised = ops.exp(x - ops.col_reduce(x, "max"))
    return {"D": raised / ops.col_reduce(raised)}


@epilogue
def from_the_least(acc: Acc[half]) -> Any:
    x = acc.cast(float32)
    return {"D": x - ops.row_reduce(x, "min")}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("shape", [(87, 198, 120), (40, 130, 16)])
@pytest.mark.parametrize("spec", [softmax, from_the_least], ids=lambda spec: spec.name)
def test_what_is_set_against_a_largest_value_shows_where_that_is(spec: Any, shape: Any, data: str) -> None:
    """The last of all and those at the ends of instructions stand out by what exp cannot take, in some rows; or in some
    columns, the least of which is."""
    given = operands(lower(spec), shape, 0, data)
    exact = product(given.a, given.b)
    assert data != "int" or (exact == np.rint(exact)).all()
    assert np.isfinite(exact.astype(np.float16)).all()
    lines = exact[1::8] if spec is softmax else -exact.T[1::8]
    length = lines.shape[1]
    ends = [length - 1, 0, *reversed(range(63, length - 1, 64))]
    assert [*lines.argmax(1)] == [ends[i % len(ends)] for i in range(len(lines))]
    assert (lines.max(1) - np.sort(lines, axis=1)[:, -2] > 100).all()


@epilogue
def causal_softmax(acc: Acc[half]) -> Any:
    return {"D": ops.softmax(ops.where(ops.col_index() <= ops.row_index(), acc.cast(float32), -math.inf))}


@pytest.mark.parametrize("data", DATA)
def test_a_causal_mask_does_not_hide_the_largest_values(data: str) -> None:
    """They are on the diagonal, where their own place is behind it; or just behind it, where an index that is off by
    one uncovers them."""
    given = operands(lower(causal_softmax), (87, 198, 120), 0, data)
    lines = product(given.a, given.b)[1::8]
    ends = [197, 0, 191, 127, 63]
    expected = [min(ends[i % 5], 1 + 8 * i + i // 5 % 2) for i in range(len(lines))]
    assert [*lines.argmax(1)] == expected
    assert sum(place <= 1 + 8 * i for i, place in enumerate(expected)) > 6


def test_what_is_added_to_a_largest_value_shows() -> None:
    """It would cancel again, if it were small wherever a row has its largest value."""

    @epilogue
    def biased(acc: Acc[float32], bias: RowVector[half]) -> Any:
        return {"D": ops.log_softmax(acc + bias.cast(float32))}

    given = operands(lower(biased), (20, 70, 30), 0, "normal")
    x = product(given.a, given.b) + given.inputs["bias"].astype(np.float64)
    assert x[1].argmax() == 69 and given.inputs["bias"][0, 69] < -10_000
    assert np.abs(given.inputs["bias"][0, :69]).max() < 100


@pytest.mark.parametrize("data", DATA)
def test_the_largest_magnitude_is_negative_where_that_is_rectified(data: str) -> None:
    """Else the largest value would be the same without."""

    @epilogue
    def rectified(acc: Acc[half], bias: RowVector[half]) -> Any:
        values, scale = ops.quantize_per_tensor(ops.relu(acc + bias))
        return {"D": values, "scale": scale}

    for shape in ((87, 198, 120), (20, 40, 30)):
        given = operands(lower(rectified), shape, 0, data)
        x = product(given.a, given.b) + given.inputs["bias"].astype(np.float64)
        assert -x.min() > 1.1 * x.max() > 0


@epilogue
def centred(acc: Acc[float32], X: Aux[half]) -> Any:
    x = acc + X.cast(float32)
    d = x - ops.col_reduce(x, "mean")
    return {"D": d * ops.rsqrt(ops.col_reduce(d * d, "mean") + 1e-5)}


@pytest.mark.parametrize("data", DATA)
def test_some_variances_are_as_small_as_what_is_added_to_them(data: str) -> None:
    given = operands(lower(centred), (40, 60, 30), 0, data)
    variances = (product(given.a, given.b) + given.inputs["X"].astype(np.float64)).var(axis=1)
    assert (variances[2::8] < 1e-4).all() and np.median(variances) > 0.1
    assert not product(given.a, given.b)[4::16].any()


@epilogue
def square_beside(acc: Acc[half]) -> Any:
    return {"D": acc - ops.col_reduce(acc, "max"), "E": acc * acc}


def test_no_peaks_where_something_else_would_overflow() -> None:
    given = operands(lower(square_beside), (40, 60, 30), 0, "normal")
    assert np.abs(product(given.a, given.b)).max() < 80


def test_what_is_not_used_again_needs_no_peaks() -> None:
    """The near miss: the same reductions as outputs."""

    @epilogue
    def returned(acc: Acc[float32]) -> Any:
        return {"D": acc, "m": ops.col_reduce(acc, "max"), "n": ops.row_reduce(acc, "mean")}

    given = operands(lower(returned), (40, 60, 30), 0, "normal")
    exact = product(given.a, given.b)
    assert np.abs(exact).max() < 20 and (exact.var(axis=1) > 0.01).all()


def test_the_choice_among_attempts_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, judged = tmp_path / "operands.jsonl", list[Any]()
    teeth = model_data._teeth

    def counted(*given: Any) -> float:
        judged.append(given)
        return teeth(*given)

    monkeypatch.setattr(model_data, "_teeth", counted)

    def drawn(spec: Any, seed: int, data: str = "normal", absent: bool = True) -> tuple[list[Any], int]:
        before = len(judged)
        given = operands(lower(spec), (9, 14, 30), seed, data, absent=absent, kept=kept)
        return [given.a, given.b, *given.inputs.values()], len(judged) - before

    first, attempts = drawn(scaled, 3)
    again, none = drawn(scaled, 3)
    assert attempts > 0 and none == 0 and all(map(np.array_equal, first, again))
    for other in ((integers, 3), (scaled, 4), (scaled, 3, "int"), (scaled, 3, "normal", False)):
        assert drawn(*other)[1] > 0 and drawn(*other)[1] == 0, other
    # A number that is no attempt, as of a damaged file, is none that was chosen.
    text = kept.read_text()
    kept.write_text(re.sub(r'"attempt": \d+', '"attempt": 40', text))
    assert drawn(scaled, 3)[1] > 0 and all(map(np.array_equal, first, drawn(scaled, 3)[0]))
    # Where evtgen's own Python differs, all is chosen again.
    monkeypatch.setattr(model_data, "python_code", lambda: "another")
    assert drawn(scaled, 3)[1] > 0
    # What a spec's own function computes is nothing that a key could have.
    assert drawn(owned, 3)[1] > 0 and drawn(owned, 3)[1] > 0


@pytest.mark.parametrize("what", ["numpy", "ml_dtypes", "table", "module"])
def test_the_code_of_python_is_all_that_numbers_follow_from(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, module = tmp_path / "device" / "calls.def", tmp_path / "data.py"
    table.parent.mkdir()
    table.touch()
    module.touch()
    monkeypatch.setattr(journal, "_PACKAGE", tmp_path)
    before = journal.python_code.__wrapped__()
    if what in ("numpy", "ml_dtypes"):
        monkeypatch.setattr(import_module(what), "__version__", "another")
    else:
        (table if what == "table" else module).write_text("another")
    assert journal.python_code.__wrapped__() != before
