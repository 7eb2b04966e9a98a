"""Every operator in every type that it takes, through the emitted C++ on the CPU model, against its numpy function."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from evtgen.check import check
from evtgen.emit.functor import FunctorView
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, float32, half, int32, mask
from evtgen.measure.accuracy import Case, applied, measure, measured
from evtgen.model.data import operands
from evtgen.model.execution import OBSERVE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute
from evtgen.operators.declaration import Operator
from evtgen.operators.table import ALL
from evtgen.options import Data
from evtgen.planner.parts import UbParts, ub_parts
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.targets import AtlasA2
from evtgen.verify import Options, verify_plans

SHAPES = ((37, 150, 20), (5, 7, 3))

BATCH = 16

EQUALITIES = {"equal", "equal_scalar", "not_equal", "not_equal_scalar"}


def case_of(operator: Operator, T: ElementType) -> Case:
    """With whole constants where the values are whole."""
    case = Case.of(operator, T)
    whole = T.kind == "int" or operator.name in EQUALITIES
    return Case(operator, T, tuple(map(round, case.constants))) if whole else case


CASES = [case_of(op, T) for op in ALL for T in op.types(AtlasA2) if mask != T]
FLOATS = [case for case in CASES if case.T in (half, float32)]
EQUAL = [case for case in FLOATS if case.operator.name in EQUALITIES]
OTHERS = [case for case in FLOATS if case not in EQUAL]
PARTS = [*(OTHERS[i : i + BATCH] for i in range(0, len(OTHERS), BATCH)), EQUAL]
"""The cases that share a program, which is compiled once for all tests that run it."""

each_part = pytest.mark.parametrize(
    "part", PARTS, ids=lambda part: f"{part[0].operator.name}..{part[-1].operator.name}"
)


def epilogue(case: Case) -> Epilogue:
    """The operator on the accumulator."""
    T = case.T
    accumulator = T if T in (half, float32) else int32
    load: Visitor = AccLoad(accumulator)
    first = load if accumulator == T else TreeVisitor(Cast(T, accumulator), load)
    inputs = [first, *(AuxLoad(f"X{i}", T) for i in range(1, case.operator.inputs))]
    tree = TreeVisitor(AuxStore("D", T), applied(case, inputs))
    return Epilogue(f"{case.operator.name}_{T}", tree, gemm=Gemm(c=accumulator))


def holds(plans: Sequence[Plan], cases: Sequence[Case], data: Data) -> None:
    # That the accumulator is not read is a warning.
    assert [d.message for plan in plans for d in check(plan.epilogue) if d.code != "EVT062"] == []
    # With other seeds a number is so near to zero that its reciprocal overflows in half.
    results = verify_plans(plans, Options(shapes=SHAPES, seed=1, data=data, strict=True, together=BATCH))
    assert len(results) == len(cases) * len(SHAPES)
    wrong = [(cases[i // len(SHAPES)], failures(r)) for i, r in enumerate(results) if not r.ok]
    assert not wrong, "\n".join(str(line) for case, lines in wrong for line in (case, *lines))


@each_part
def test_floats_match_numpy(part: Sequence[Case]) -> None:
    """Normal values, tails of rows and columns, every access watched: no finding, no warning. Where equal numbers
    matter, whole numbers, of which some are equal."""
    holds(measured(part), part, "int" if part is EQUAL else "normal")


@pytest.mark.parametrize("equal", [False, True])
def test_integers_match_numpy(equal: bool) -> None:
    cases = [c for c in CASES if c not in FLOATS and (c.operator.name in EQUALITIES) == equal]
    holds([lower(epilogue(case)) for case in cases], cases, "int" if equal else "normal")


@each_part
def test_limits_and_edges(part: Sequence[Case]) -> None:
    """Infinities, largest values, subnormals and a few thousand between: within the declared error, NaN as in numpy."""
    results = list(measure(part, values=4000, compilation=Compilation(batch=BATCH)))
    assert [result.case for result in results] == part
    for result in results:
        assert (result.wrong, result.nans) == (0, 0), (result.case, result.example)


@each_part
def test_what_is_emitted_is_what_is_declared(part: Sequence[Case]) -> None:
    """The helpers of operations.hpp and the casts in VisitorCompute make the calls of the sequence and no others, with
    barriers where the sequence needs them and nowhere else."""
    plans = measured(part)
    programs = require_programs(plans, Compilation(batch=BATCH))
    for case, plan in zip(part, plans, strict=True):
        op, T = case.operator, case.T
        if not op.masks and len(op.sequence) > 1:
            casts = op.inputs + 1 if op.computed_in(T) != T else 0
            made = per_tile(plan, programs[plan.name])
            assert made == (len(op.sequence) + casts, sum(op.barriers()) + (2 if casts else 0)), case


def per_tile(plan: Plan, program: Program) -> tuple[float, float]:
    """Instructions and barriers of V in each tile, of which each is stored once."""
    shape = (128, 256, 16)
    done = run_once(program, plan, shape, operands(plan, shape, seed=0, data="int"), OBSERVE)
    assert done.trace is not None
    slices = [(done.trace.pipe(event), event) for event in done.trace.slices()]
    waits = [(pipe, event["args"].get("flag")) for pipe, event in slices if event["cat"] == "wait"]
    work = [pipe for pipe, event in slices if event["cat"] != "wait"]
    # A flag that V sets is waited for once, and a wait without a flag is a barrier.
    flags = sum(flag is not None and (pipe == "V" or flag.startswith("V_")) for pipe, flag in waits)
    issued = sum(launch["count"]["V"] for launch in done.report["stats"]["launches"])
    tiles, instructions = work.count("MTE3"), work.count("V")
    return instructions / tiles, (issued - instructions - flags) / tiles


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
    assert ub_parts(Compute("Sigmoid", half), 64) == UbParts(tile=64 * 2, scratch=2 * (512 + 256))
    plan = lower(epilogue(case_of(sigmoid, half)))
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
