"""The reference of several matmuls against each of them on its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen import Acc, Aux, ColVector, RowVector, ScalarTensor, bfloat16, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue, TreeVisitor, flatten
from evtgen.graph.shapes import GEMM_A, GEMM_B, Problem, TensorShape
from evtgen.graph.types import ElementType
from evtgen.nodes import AccLoad, ColReduce, Reduce, RowReduce, Tensor, node_of
from evtgen.operators.arrays import Array, dtype, same
from evtgen.operators.constants import nearest
from evtgen.planner.plan import Plan, lower
from evtgen.reference import Enclosure, accumulator, departed, enclose, evaluate, formulas, product, read
from evtgen.reference.tiles import Tile, tiles, tiles_of_each
from evtgen.verify.compare import compare_accumulator

from ..support.graphs import random_epilogue

GROUPS = Problem((130, 0, 70), 300, 3)
BATCH = Problem((67, 67, 67), 300, 3)
RNG = np.random.default_rng(16)


@epilogue(compute_length=256)
def reductions(
    acc: Acc[float32],
    X: Aux[float32],
    row: RowVector[float32],
    col: ColVector[float32],
    one: ScalarTensor[float32],
) -> Any:
    y = ops.exp((acc + X) * row + col) * one
    return {
        "D": y,
        **{f"row_{how}": ops.row_reduce(y, how) for how in ("add", "mean", "max")},
        **{f"col_{how}": ops.col_reduce(y, how) for how in ("add", "mean", "max")},
        **{f"one_{how}": ops.scalar_reduce(y, how) for how in ("add", "mean", "max")},
    }


PLAN = lower(reductions)


class Given(NamedTuple):
    """The arrays of a problem."""

    acc: Array
    inputs: dict[str, Array]


def tensors_of(graph: Epilogue | Plan) -> list[Tensor]:
    steps = flatten(graph.root) if isinstance(graph, Epilogue) else graph.steps
    return [t for step in steps if (t := node_of(step).tensor) is not None]


def drawn(graph: Epilogue | Plan, problem: Problem, acc: Any, seed: int = 0) -> Given:
    """Normal arrays; scalars of 2."""
    rng = np.random.default_rng(seed)

    def normal(size: tuple[int, int], T: Any) -> Array:
        array: Array = (2 * rng.standard_normal(size)).astype(dtype(T))
        return array

    inputs = {t.name: normal(problem.size(t.name, t.shape), t.element) for t in tensors_of(graph) if not t.output}
    steps = flatten(graph.root) if isinstance(graph, Epilogue) else graph.steps
    inputs |= {s.name: np.full((1, 1), 2, dtype(s.T)) for step in steps for s in node_of(step).scalars}
    return Given(normal((problem.m, problem.n), acc), inputs)


def alone(graph: Epilogue | Plan, problem: Problem, given: Given) -> Iterator[Given]:
    """Each matmul with arrays of its own, as if it were the only one."""
    end = 0
    shapes = {t.name: t.shape for t in tensors_of(graph)}
    for index, rows in enumerate(problem.rows):
        inputs = {}
        for name, array in given.inputs.items():
            part = index // dict(problem.repeats).get(name, 1)
            if name in problem.shared or name not in shapes:
                inputs[name] = array
            elif shapes[name] in (TensorShape.ROW, TensorShape.SINGLE):
                inputs[name] = array[part : part + 1]
            else:
                first = end - (index - part) * rows  # parts repeat in batches only, whose matmuls have the same rows
                inputs[name] = array[first : first + rows]
        yield Given(given.acc[end : end + rows], inputs)
        end += rows


def spread(graph: Epilogue | Plan, problem: Problem, given: Given) -> Given:
    """All matmuls as one, whose vectors and single values are as large as the rows that they meet."""
    parts = list(alone(graph, problem, given))
    inputs = dict(given.inputs)
    for tensor in tensors_of(graph):
        if not tensor.output:
            repeated = [
                np.broadcast_to(part.inputs[tensor.name], (rows, problem.n))
                for part, rows in zip(parts, problem.rows, strict=True)
            ]
            inputs[tensor.name] = np.concatenate(repeated)
    return Given(given.acc, inputs)


def nothing(tensor: Tensor, problem: Problem) -> Enclosure:
    """What a matmul without rows makes of an output."""
    size = tensor.shape.size(0, problem.n)
    initial = 0 if tensor.initial is None else nearest(tensor.initial, tensor.element)
    return Enclosure(np.full(size, initial, dtype(tensor.element)))


def alike(one: Enclosure, parts: list[Enclosure], mixed: bool) -> bool:
    """Whether an enclosure has the rows of all others, and their ends; a mixed one may be wider."""
    value, low, high = (
        np.concatenate([np.asarray(view, np.float64) for view in views])
        for views in zip(*((part.value, *part.ends) for part in parts), strict=True)
    )
    ends = [end.astype(np.float64) for end in one.ends]
    equal = same(ends[0], low) & same(ends[1], high)
    return bool(
        same(one.value.astype(np.float64), value).all() and (equal | mixed & (ends[0] <= low) & (ends[1] >= high)).all()
    )


def exact_steps(graph: Epilogue | Plan, part: Given) -> tuple[bool, ...]:
    return tuple(reading.stepwise.exact for reading in read(graph, part.acc, part.inputs))


@st.composite
def problems(draw: st.DrawFn, graph: Epilogue | Plan) -> Problem:
    """A batch, or groups of which some may be empty; any tensors shared that can be."""
    count = draw(st.integers(1, 4))
    batched = draw(st.booleans())
    few = st.integers(0, 5)
    rows = (draw(st.integers(1, 5)),) * count if batched else tuple(draw(few) for _ in range(count))
    names, able = [], []
    for tensor in tensors_of(graph):
        small = tensor.shape in (TensorShape.ROW, TensorShape.SINGLE)
        if small or (batched and not tensor.output):
            names.append(tensor.name)
        if batched and not tensor.output:
            able.append(tensor.name)
    shared = draw(st.frozensets(st.sampled_from(names))) if names else frozenset()
    repeats = frozenset((name, draw(st.integers(1, count))) for name in able if name not in shared)
    return Problem(rows, draw(st.integers(1, 6)), 1, frozenset(shared), repeats=repeats)


def check(graph: Epilogue | Plan, problem: Problem, given: Given) -> None:
    """Each output against those of a loop over the matmuls, or, if all share it, of all as one."""
    whole = enclose(graph, given.acc, given.inputs, problem)
    each = list(alone(graph, problem, given))
    one = spread(graph, problem, given)
    # All matmuls together are exact in a step if each of them is. What is not exact may be wider in what follows.
    mixed = len({exact_steps(graph, part) for part, rows in zip(each, problem.rows, strict=True) if rows}) > 1
    for tensor in (t for t in tensors_of(graph) if t.output):
        got, name = whole[tensor.name], tensor.name
        assert got.value.shape == problem.size(name, tensor.shape)
        if name in problem.shared:
            expected = [enclose(graph, one.acc, one.inputs)[name] if problem.m else nothing(tensor, problem)]
        else:
            expected = [
                enclose(graph, part.acc, part.inputs)[name] if rows else nothing(tensor, problem)
                for part, rows in zip(each, problem.rows, strict=True)
            ]
        assert alike(got, expected, mixed and name not in problem.shared), (name, problem)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.data(), st.integers(0, 10_000))
def test_random_epilogues_of_several_matmuls(data: st.DataObject, seed: int) -> None:
    """Values and ends are those of each matmul on its own, bit for bit."""
    graph = random_epilogue(seed)
    problem = data.draw(problems(graph))
    acc = graph.gemm.c
    with np.errstate(all="ignore"):
        check(graph, problem, drawn(graph, problem, acc, seed))


@pytest.mark.slow
@settings(max_examples=20)
@given(st.data())
def test_a_plan_of_several_matmuls(data: st.DataObject) -> None:
    """Means and tiles, too: reductions of one matmul have its own count and its own tiles.

    How all as one would be cut is not how the device does it, so the ends of what they share are not compared.
    """
    problem = data.draw(problems(PLAN))
    given = drawn(PLAN, problem, float32, data.draw(st.integers(0, 99)))
    check(reductions, problem, given)
    check(PLAN, replace(problem, shared=problem.shared & set(given.inputs)), given)


def by_pairs(rows: Array) -> Array:
    """Rows added by a tree, in their own type."""
    while len(rows) > 1:
        rows = np.concatenate([rows[0:-1:2] + rows[1::2], rows[len(rows) // 2 * 2 :]])
    return rows


def tile_by_tile(values: Array, node: Reduce, problem: Problem, rng: np.random.Generator) -> Array:
    """A sum or a mean of float32 values as the device has it: tile by tile, and these in a random order."""
    out = np.zeros(problem.size(node.name, node.shape), np.float32)
    order = list(tiles_of_each(PLAN, problem))
    for index, tile in (order[i] for i in rng.permutation(len(order))):
        part = values[tile.rows, tile.columns]
        if 0 in node.axis:
            part = by_pairs(part)
        if 1 in node.axis:
            part = by_pairs(part.T).T
        if node.name not in problem.shared:
            row = tile.rows if node.axis == (1,) else slice(index, index + 1)
        elif node.axis == (1,):
            row = slice(tile.rows.start - index * problem.rows[0], tile.rows.stop - index * problem.rows[0])
        else:
            row = slice(0, 1)
        terms = {"row": problem.rows[index], "col": problem.n, "one": problem.rows[index] * problem.n}[node.name[:3]]
        if node.name in problem.shared:
            terms = {"row": problem.m, "col": problem.count * problem.n, "one": problem.m * problem.n}[node.name[:3]]
        out[row, slice(None) if 1 in node.axis else tile.columns] += part * np.float32(1 / terms if node.mean else 1)
    return out


@pytest.mark.parametrize("problem", [GROUPS, BATCH], ids=["groups", "batch"])
@pytest.mark.parametrize("shared", [False, True])
def test_ends_hold_for_tiles_in_any_order(problem: Problem, shared: bool) -> None:
    """What the device may say is allowed, of each matmul or of all, and not much more."""
    nodes = [n for step in PLAN.steps if isinstance(n := step.node, Reduce) and n.operator and n.op != "Maximum"]
    names = {n.name for n in nodes if problem is BATCH or n.axis != (1,)}
    problem = Problem(problem.rows, problem.n, problem.k, frozenset(names if shared else ()))
    given = drawn(PLAN, problem, float32)
    found = enclose(PLAN, given.acc, given.inputs, problem)
    rng = np.random.default_rng(1)
    for node in nodes:
        enclosure, far = found[node.name], found[node.name].value * np.float32(1.01)
        for _ in range(3):
            # What is summed up is the reference's own, so that only the order of the sums is at stake.
            device = tile_by_tile(found["D"].value, node, problem, rng)
            assert enclosure.value.shape == device.shape and enclosure.contains(device).all(), node.name
        assert not enclosure.contains(far)[enclosure.value != 0].any(), node.name


def test_a_column_that_all_matmuls_share() -> None:
    """It joins the rows of the same number, of all matmuls."""
    graph = Epilogue("e", TreeVisitor(ColReduce("sums", "Plus", float32, 2), AccLoad(float32)))
    acc = RNG.integers(-9, 9, (6, 5)).astype(np.float32)
    problem = Problem((2, 2, 2), 5, 1, frozenset({"sums"}))
    expected = 2 + acc[0:2].sum(1) + acc[2:4].sum(1) + acc[4:6].sum(1)
    got = enclose(graph, acc, {}, problem)["sums"]
    assert got.exact and got.value[:, 0].tolist() == expected.tolist()
    assert formulas(graph, {}, acc.astype(np.float64), problem)["sums"][:, 0].tolist() == expected.tolist()


def test_the_count_of_a_mean_is_that_of_its_matmul() -> None:
    mean = Epilogue("e", TreeVisitor(RowReduce("means", "Mean", float32), AccLoad(float32)))
    acc = np.array([[8.0], [4.0], [4.0], [4.0]], np.float32)
    own, every = Problem((1, 0, 3), 1, 1), Problem((1, 0, 3), 1, 1, frozenset({"means"}))
    assert evaluate(mean, acc, {}, own)["means"][:, 0].tolist() == [8, 0, 4]
    assert evaluate(mean, acc, {}, every)["means"].tolist() == [[5]]
    product = acc.astype(np.float64)
    assert formulas(mean, {}, product, own)["means"][:, 0].tolist() == [8, 0, 4]
    assert formulas(mean, {}, product, every)["means"].tolist() == [[5]]


@pytest.mark.parametrize("problem", [GROUPS, BATCH], ids=["groups", "batch"])
def test_tiles_are_of_one_matmul(problem: Problem) -> None:
    """They cover C once, and those of a matmul are those that it has on its own."""
    seen = np.zeros((problem.m, problem.n), int)
    of_each: dict[int, list[Tile]] = {index: [] for index in range(problem.count)}
    starts = [rows.start for rows in problem.segments()]
    for index, (rows, columns) in tiles_of_each(PLAN, problem):
        seen[rows, columns] += 1
        of_each[index].append(Tile(slice(rows.start - starts[index], rows.stop - starts[index]), columns))
    assert (seen == 1).all()
    for index, rows_of_one in enumerate(problem.rows):
        assert of_each[index] == list(tiles(PLAN, rows_of_one, problem.n))


@pytest.mark.parametrize("shared", [(), (GEMM_A,), (GEMM_B,), (GEMM_A, GEMM_B)], ids=str)
def test_products_of_several_matmuls(shared: tuple[str, ...]) -> None:
    """Each with its own A and B, or with those that all share; a block of another is refused."""
    problem = Problem((7, 7, 7), 6, 40, frozenset(shared))
    a = RNG.standard_normal((7 if GEMM_A in shared else 21, 40)).astype(np.float16)
    b = RNG.standard_normal((40 if GEMM_B in shared else 120, 6)).astype(np.float16)
    exact, device = product(a, b, problem), np.zeros((21, 6), np.float32)
    blocks = dict(enumerate(accumulator(a, b, float32, rows=4, problem=problem)))
    assert [(block.start, block.stop) for block, _, _ in blocks.values()] == [
        (0, 4), (4, 7), (7, 11), (11, 14), (14, 18), (18, 21),
    ]  # fmt: skip
    for i in range(3):
        own_a = a if GEMM_A in shared else a[7 * i : 7 * i + 7]
        own_b = b if GEMM_B in shared else b[40 * i : 40 * i + 40]
        assert np.allclose(exact[7 * i : 7 * i + 7], own_a.astype(np.float64) @ own_b, rtol=1e-12)
        device[7 * i : 7 * i + 7] = own_a.astype(np.float32) @ own_b.astype(np.float32)
    assert compare_accumulator(device, a, b, float32, problem).mismatches == 0
    if len(shared) < 2:
        moved = np.roll(device, 7, axis=0)
        assert compare_accumulator(moved, a, b, float32, problem).mismatches > 100


def test_a_launch_without_rows_leaves_what_was_there() -> None:
    problem = Problem((0, 0), 4, 3)
    given = drawn(PLAN, problem, float32)
    readings = list(read(PLAN, given.acc, given.inputs, given.acc.astype(np.float64), problem))
    found = {r.node.tensor.name: r for r in readings if r.node.writes and r.node.tensor}
    assert found["D"].stepwise.value.shape == (0, 4) and found["col_add"].stepwise.value.shape == (0, 1)
    for name in ("row_add", "row_mean", "one_add", "one_mean"):
        stepwise, formula = found[name].stepwise, found[name].formula
        assert stepwise.bound() == 0 and not stepwise.value.any()
        assert formula is not None and not formula.any()
    assert not any(departed(reading, float32) for reading in readings)


def test_groups_of_no_rows_have_no_product() -> None:
    problem = Problem((0, 2, 0), 3, 4)
    a, b = RNG.standard_normal((2, 4)), RNG.standard_normal((12, 3))
    assert np.array_equal(product(a, b, problem), a @ b[4:8])
    assert product(a[:0], b, Problem((0, 0, 0), 3, 4)).shape == (0, 3)


@pytest.mark.parametrize("element", [half, bfloat16, float32], ids=str)
@pytest.mark.parametrize("parts", [2, 3, 8])
def test_parts_of_k_that_are_added_up_on_their_own(element: ElementType, parts: int) -> None:
    """Each part's sum is rounded to float32, their sum once more to the element; one that is rounded before is not."""
    a, b = RNG.standard_normal((30, 300)).astype(np.float16), RNG.standard_normal((300, 20)).astype(np.float16)
    ends = np.linspace(0, 300, parts + 1).astype(int)
    sums = []
    for first, last in itertools.pairwise(ends):
        total = np.zeros((30, 20), np.float32)
        for k in range(first, last):
            total += a[:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
        sums.append(total)
    ((_, enclosure, _),) = accumulator(a, b, element)
    for order in (sums, sums[::-1]):
        together = np.zeros((30, 20), np.float32)
        for total in order:
            together += total
        assert enclosure.contains(together.astype(dtype(element))).all()
    assert 0 < enclosure.bound() < 0.3
    if element != float32:
        early = np.sum([total.astype(dtype(element)).astype(np.float32) for total in sums], axis=0)
        assert not enclosure.contains(early.astype(dtype(element))).all()
