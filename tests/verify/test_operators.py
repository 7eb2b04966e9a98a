"""Every operator in every type that it takes, through the emitted C++ on the CPU model, against its numpy function."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from evtgen.accuracy.measure import Case, applied, measure
from evtgen.check import check
from evtgen.emit.functor import FunctorView
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, float32, half, int32, mask
from evtgen.model.programs import Compilation
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute
from evtgen.nodes.base import UbParts
from evtgen.operators.declaration import Operator
from evtgen.operators.table import ALL
from evtgen.planner.plan import lower
from evtgen.profile.counts import vector_counts
from evtgen.report.verification import failures
from evtgen.targets import AtlasA2
from evtgen.verify import Options, verify_plans

SHAPES = ((37, 150, 20), (5, 7, 3))

EQUALITIES = {"equal", "equal_scalar", "not_equal", "not_equal_scalar"}


def epilogue(operator: Operator, T: ElementType) -> Epilogue:
    constants = Case.of(operator, T).constants
    whole = T.kind == "int" or operator.name in EQUALITIES
    case = Case(operator, T, tuple(map(round, constants)) if whole else constants)
    accumulator = T if T in (half, float32) else int32
    load: Visitor = AccLoad(accumulator)
    first = load if accumulator == T else TreeVisitor(Cast(T, accumulator), load)
    inputs = [first, *(AuxLoad(f"X{i}", T) for i in range(1, operator.inputs))]
    gemm = Gemm(c=accumulator)
    tree = TreeVisitor(AuxStore("D", T), applied(case, inputs))
    return Epilogue(f"{operator.name}_{T}", tree, gemm=gemm)


@pytest.mark.parametrize("part", range(4))
def test_operators_match_numpy(part: int) -> None:
    """Normal values, tails of rows and columns, every access watched: no finding, no warning."""
    cases = [(op, T) for op in ALL for T in op.types(AtlasA2) if mask != T and op.name not in EQUALITIES][part::4]
    holds(cases, "normal")


def test_equalities_match_numpy() -> None:
    """Whole numbers, of which some are equal."""
    holds([(op, T) for op in ALL for T in op.types(AtlasA2) if op.name in EQUALITIES], "int")


def holds(cases: Sequence[tuple[Operator, ElementType]], data: str) -> None:
    epilogues = [epilogue(op, T) for op, T in cases]
    assert [d.message for e in epilogues for d in check(e)] == []
    results = verify_plans([lower(e) for e in epilogues], Options(shapes=SHAPES, data=data, strict=True, batch=16))
    assert all(r.ok for r in results), "\n".join(line for r in results for line in failures(r))


def test_limits_and_edges() -> None:
    """Infinities, largest values, subnormals and a few thousand between: within the declared error, NaN as in numpy."""
    operators = [op for op in ALL if op.ulp or op.masks or op.wide or op.fused]
    cases = [Case.of(op, T) for op in operators for T in (half, float32) if T in op.types(AtlasA2)]
    for result in measure(cases, values=4000, compilation=Compilation(batch=16)):
        assert (result.wrong, result.nans) == (0, 0), (result.case, result.example)


@pytest.mark.parametrize("T", [half, float32])
def test_what_is_emitted_is_what_is_declared(T: ElementType) -> None:
    """The helpers of operations.hpp and the casts in VisitorCompute make the calls of the sequence and no others, with
    barriers where the sequence needs them and nowhere else."""
    operators = [op for op in ALL if len(op.sequence) > 1 and not op.masks and T in op.types(AtlasA2)]
    plans = [lower(Epilogue(f"{op.name}_{T}", epilogue(op, T).root, gemm=Gemm(c=T))) for op in operators]
    counts = vector_counts(plans, (128, 256, 16), Compilation(batch=16))
    for op, count in zip(operators, counts, strict=True):
        casts = op.inputs + 1 if op.computed_in(T) != T else 0
        assert count.instructions == len(op.sequence) + casts, op
        assert count.barriers == sum(op.barriers()) + (2 if casts else 0), op


def test_numbers_have_names_where_they_say_nothing() -> None:
    """Of the numbers in the calls, those with more than two digits are declared by name, with a comment."""
    for op in ALL:
        view = FunctorView(op)
        assert not re.search(r"\d\.?\d\.?\d", " ".join(view.calls)), op
        for group in view.numbers:
            assert group.about
            for declared in group.declared:
                name = re.split(r"\W", declared)[0]
                assert name.isupper() and re.search(rf"\b{name}\b", " ".join(view.calls)), (op, declared)


def test_scratch_is_counted() -> None:
    """Half takes the tiles of the casts, too; the buffers are as long as what is left allows."""
    by_name = {op.name: op for op in ALL}
    sigmoid = by_name["sigmoid"]
    assert (sigmoid.scratch_tiles(float32), sigmoid.scratch_tiles(half)) == (1, 2)
    assert by_name["silu"].scratch_tiles(half) == 3
    # Two tiles of float32, each 256 bytes longer than a multiple of 512
    assert Compute("Sigmoid", half).ub_parts(64) == UbParts(tile=64 * 2, scratch=2 * (512 + 256))
    plan = lower(epilogue(sigmoid, half))
    assert plan.ub_limit - 2 * 32 * (2 + 2 + 2 * 4) - 2 * 3 * 512 < plan.ub_used <= plan.ub_limit


def test_barriers_stand_where_calls_depend() -> None:
    by_name = {op.name: op for op in ALL}
    assert by_name["rsqrt"].barriers() == (False, False, True)
    assert by_name["prelu"].barriers() == (False, True, False, True)
    assert by_name["fma"].barriers() == (False, True)
    # The last but one call overwrites what the one before read.
    assert by_name["silu"].barriers()[-2]


def test_fractions_are_no_integers() -> None:
    hardswish = next(op for op in ALL if op.name == "hardswish")
    assert int32 not in hardswish.types(AtlasA2) and half in hardswish.types(AtlasA2)
