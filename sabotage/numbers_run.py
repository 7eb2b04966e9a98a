"""Runs the mutants of an epilogue's numbers, and compares what they leave as ``evtgen verify`` does."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.model import toolchain
from evtgen.model.data import DATA, operands
from evtgen.model.execution import MEASURE, Prepared, Run
from evtgen.model.harness import nullable
from evtgen.model.roots import include_roots
from evtgen.nodes import Tensor
from evtgen.nodes.base import named
from evtgen.operators.arrays import Array, same
from evtgen.planner.plan import Plan, lower
from evtgen.reference import Reading, factors, product, read
from evtgen.verify import DEFAULT_SHAPES
from evtgen.verify.compare import compare

from .epilogues_of_kernels import of_every_tensor
from .findings import included
from .numbers_reasons import reason
from .numbers_text import Mutant, Place, Site, Switched, switched
from .subjects import CHECKOUT, framework

SETTINGS = replace(MEASURE, timeout=60)

UNTRUE = "even"
"""The type of a place that is a condition, where that is not met."""

NARROW = 11
"""Digits of a type in which a hundredth can be less than the bound."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "Add": ("factor", "exchange"),
    "Sub": ("factor", "exchange", "swap"),
    "Mul": ("factor", "exchange"),
    "Div": ("factor", "exchange", "swap"),
    "Max": ("factor", "exchange"),
    "Min": ("factor", "exchange"),
    "AddRelu": ("factor", "exchange"),
    "SubRelu": ("factor", "exchange", "swap"),
    "MulAddDst": ("factor", "exchange"),
    "FusedMulAdd": ("factor", "exchange"),
    "Axpy": ("factor", "exchange"),
    "Abs": ("factor", "exchange"),
    "Relu": ("factor", "exchange"),
    "LeakyRelu": ("factor", "exchange"),
    "Exp": ("factor", "exchange"),
    "Ln": ("factor", "exchange"),
    "Sqrt": ("factor", "exchange"),
    "ShiftLeft": ("factor", "exchange"),
    "ShiftRight": ("factor", "exchange"),
    "Adds": ("factor", "exchange"),
    "Muls": ("factor", "exchange"),
    "Maxs": ("factor", "exchange"),
    "Mins": ("factor", "exchange"),
    "Duplicate": ("factor",),
    "And": ("invert", "exchange"),
    "Or": ("invert", "exchange"),
    "Not": ("invert",),
    "Compare": ("invert", "exchange", "swap"),
    "Select": ("factor", "invert"),
    "Cast": ("factor",),
    "Copy": ("factor",),
    "DataCopy": ("factor",),
    "Brcb": ("factor",),
    "Gather": ("factor", "exchange"),
    "GatherMask": ("factor", "exchange"),
    "Sort32": ("factor",),
    "MrgSort": ("factor",),
    "SetHF32Mode": ("exchange",),
    "WholeReduceSum": ("factor", "exchange", "lane"),
    "WholeReduceMax": ("factor", "exchange", "lane"),
    "WholeReduceMin": ("factor", "exchange", "lane"),
    "SetAtomicAdd": ("exchange",),
    "SetAtomicMax": ("exchange",),
    "SetAtomicMin": ("exchange",),
    "Start": ("identity",),
}
"""What can be changed of a call, besides what its site says."""

SIZES = {"factor": (1.01, 1.25), "constant": (0.01, 0.25)}
"""How much; the second is for results that are rounded to few digits, where the first is within the bound."""


@dataclass
class Outcome:
    """What became of a mutant at one shape.

    Attributes:
        caught: the first kind of data by which it was.
        size: of the change that was caught.
        reached: whether the place is, at all.
        identical: whether every output was the same bit for bit, with all data and with every size of change.
        reason: why it was, if it is known.
        error: why there are no outputs.
    """

    caught: str | None = None
    size: float = 0.0
    reached: bool = True
    identical: bool = False
    reason: str | None = None
    error: str | None = None

    @property
    def escaped(self) -> str | None:
        """Why it is not as it must be; None if it is."""
        if self.error is not None:
            return f"cannot be run: {self.error.splitlines()[0]}"
        if self.caught is not None or not self.reached or self.reason is not None:
            return None
        return "changes nothing, and no reason is known" if self.identical else "is within the bounds"


@dataclass
class Report:
    """An epilogue's mutants, and what became of them by shape."""

    epilogue: str
    outcomes: dict[Mutant, dict[Shape, Outcome]] = field(default_factory=dict)
    problem: str | None = None

    @property
    def faults(self) -> list[str]:
        """What is not as it must be."""
        if self.problem is not None:
            return [f"{self.epilogue}: {self.problem}"]
        return [
            f"{mutant.name}, at {'x'.join(map(str, shape))}: {outcome.escaped}"
            for mutant, outcomes in self.outcomes.items()
            for shape, outcome in outcomes.items()
            if outcome.escaped is not None
        ]


@cache
def epilogues() -> Mapping[str, Epilogue]:
    """The examples, the gallery, and those of several matmuls with every kind of tensor, by name."""
    found = load([*sorted((CHECKOUT / "examples").glob("*.py")), *sorted((CHECKOUT / "examples/gallery").glob("*.py"))])
    return {epilogue.name: epilogue for epilogue in (*found, *of_every_tensor())}


def run_one(name: str, shapes: Sequence[Shape] = DEFAULT_SHAPES, most: int | None = None) -> Report:
    """All mutants of an epilogue at each shape that it can have; or ``most`` of them, evenly spread."""
    plan = lower(epilogues()[name])
    shapes = [plan.wide(shape) for shape in shapes]
    assert not nullable(plan), "mutants of null tensors are not told apart"
    texts = text_of(plan)
    try:
        program = toolchain.compile_program(
            toolchain.find_compiler(), texts.main, texts.headers,
            extra_flags=[f"-DCATLASS_ARCH={plan.arch.npu}", "-w"], system=include_roots(None),
        )  # fmt: skip
    except toolchain.CompileFailure as failure:
        return Report(name, problem=str(failure))
    with ExitStack() as stack:
        sharings = plan.sharings
        cases = [
            stack.enter_context(_Case(plan, program, shape, shared, data))
            for shape in shapes
            for shared in sharings
            for data in DATA
        ]
        for case in cases:
            wrong = case.intact()
            if wrong is not None:
                return Report(name, problem=f"as emitted, at {case.shape} with {case.data}: {wrong}")
        found = sorted(set[Place]().union(*(case.reached for case in cases)))
        mutants = [
            Mutant(name, texts.sites[place.site], place, kind)
            for place in found
            for kind in _kinds(texts.sites[place.site], place)
        ]
        if most is not None:
            mutants = [mutants[i * len(mutants) // most] for i in range(most)]
        return Report(
            name,
            {m: {shape: _judge(m, [c for c in cases if c.shape == shape]) for shape in shapes} for m in mutants},
        )


def text_of(plan: Plan) -> Switched:
    """The program of a plan, with the switches of its mutants."""
    emitted = {**framework(), **epilogue_files(plan, Framework())}
    return switched(plan, included(f'#include "{plan.name}.hpp"', emitted))


def _kinds(site: Site, place: Place) -> Iterator[str]:
    if place.type == UNTRUE:
        return
    yield from KINDS.get(site.call, ())
    yield from site.kinds
    if site.call == "Cast" and place.type.endswith("<"):
        yield "rounding"


def _judge(mutant: Mutant, cases: Sequence[_Case]) -> Outcome:
    """What becomes of a mutant at the shape of ``cases``."""
    if not any(mutant.place in case.reached for case in cases):
        return Outcome(reached=False, identical=True)
    identical = True
    for size in SIZES.get(mutant.kind, (0.0,)):
        narrow = mutant.place.type in ("half", "half<", "bfloat16_t<") or mutant.place.type.startswith("fp8")
        for case in cases:
            caught, changed = case.run(mutant.chosen(size))
            if isinstance(caught, str):
                return Outcome(error=caught)
            if caught:
                return Outcome(caught=case.data, size=size)
            identical &= not changed
            narrow |= all(tensor.element.precision <= NARROW for tensor in changed or case.outputs)
        if not narrow:
            break

    def silent(change: str) -> bool:
        return all(case.run(mutant.altered(change)) == (False, []) for case in cases)

    def loud(change: str) -> bool:
        return any(case.run(mutant.altered(change))[0] is True for case in cases)

    problem = cases[0].problem
    return Outcome(identical=identical, reason=reason(mutant, problem.m * problem.n, identical, silent, loud))


@dataclass
class _Case:
    """An epilogue at a shape with one kind of data, and with tensors that its matmuls share: what goes in, what must
    come out, the places that it reaches."""

    plan: Plan
    program: toolchain.Program
    shape: Shape
    shared: frozenset[str]
    data: str

    def __post_init__(self) -> None:
        self.reached = set[Place]()
        self.outputs = [tensor for tensor in self.plan.tensors if tensor.output]
        self.problem = self.plan.problem(self.shape, shared=self.shared)
        self._given = operands(self.plan, self.problem, 0, self.data)
        self._expected: dict[str, Reading] = {}
        self._intact: dict[str, Array] = {}
        self._prepared = Prepared(self.plan, self.problem, self._given)

    def __enter__(self) -> _Case:
        return self

    def __exit__(self, *raised: Any) -> None:
        self._prepared.__exit__(*raised)

    def intact(self) -> str | None:
        """Run the text as it was emitted, and note the places that it reaches; what is wrong with it."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "reached"
            done = self._run({"EVTGEN_MUTANT_REACHED": str(path)})
            if done.error is not None or done.accumulator is None:
                return done.error or "no accumulator"
            lines = path.read_text(encoding="utf-8").splitlines()
        for site, node, call, type in (line.split() for line in lines):
            self.reached.add(Place(int(site), int(node), int(call), type))
        self._intact = done.outputs
        given = self._given
        exact = product(*factors(self.plan, given.a, given.b, given.inputs, self.problem, meant=True))
        for reading in read(self.plan, done.accumulator, given.read_by(self.plan), exact, self.problem):
            if reading.node.writes and reading.node.tensor is not None:
                self._expected[reading.node.tensor.name] = reading
        return "it does not agree with the reference" if self._wrong(done) else None

    def run(self, chosen: str) -> tuple[bool | str, list[Tensor]]:
        """Whether a mutant is caught, or why it could not be run; and the outputs that it changes."""
        done = self._run({"EVTGEN_MUTANT": chosen})
        if done.error is not None:
            return done.error, []
        changed = [tensor for tensor in self.outputs if self._differs(done, tensor.name)]
        return bool(changed) and self._wrong(done), changed

    def _differs(self, done: Run, name: str) -> bool:
        return not same(done.outputs[name], self._intact[name]).all()

    def _wrong(self, done: Run) -> bool:
        """Whether ``evtgen verify`` fails by the numbers."""
        for tensor in self.outputs:
            name, expected = tensor.name, self._expected[tensor.name]
            rows = done.outputs[name]
            stepwise, formula = expected.stepwise, expected.formula
            if tensor.rows:
                there, places = named(tensor, self._given.inputs, self.problem)
                rows = rows[places]
                stepwise, formula = stepwise.map(itemgetter(there)), None if formula is None else formula[there]
            got = compare(name, tensor.element, rows, stepwise, formula=formula)
            if got.mismatches or not got.enough:
                return True
        return False

    def _run(self, environment: Mapping[str, str]) -> Run:
        with _environment(environment):
            return self._prepared.run(self.program, SETTINGS)


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    """Variables for the programs that are started; this process has no other threads."""
    os.environ.update(more)
    try:
        yield
    finally:
        for name in more:
            del os.environ[name]
