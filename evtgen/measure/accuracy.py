"""How far operators are from numpy: their sequences as emitted, run on the CPU model over the range of each type.

One input: all finite values of half and its infinities, or a million floats: every exponent, subnormals, infinities and
the neighbourhood of points where functions bend. Several inputs: the pairs (triples) of a grid of such values.
NaN is an input everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.files import NO_PROGRAM
from ..graph.ir import Epilogue, Gemm, Scalar, TreeVisitor, Visitor
from ..graph.types import ElementType, float32, half, mask
from ..model import toolchain
from ..model.data import Operands
from ..model.execution import MEASURE, run_once
from ..model.programs import Compilation, build_programs
from ..model.toolchain import Program
from ..model.workers import each
from ..nodes import AuxLoad, AuxStore, Compute
from ..operators.arrays import Array, dtype, ulp_distance
from ..operators.declaration import Operator
from ..operators.table import ALL, BY_NAME
from ..planner.plan import Plan, lower
from ..reference import Tensors, compute
from ..system.progress import Progress, Steps, silent
from ..system.translation import tr
from ..targets import AtlasA2

SAMPLE = {
    "alpha": 0.75, "beta": 1.5, "low": -1.25, "high": 2.5, "slope": 0.25, "scalar": 1.75, "one": 1.5, "other": -0.75,
    "cap": 5.0, "exponent": 2.7,
}  # fmt: skip
"""The constants with which operators are measured; any other name has 0.5."""

_COLUMNS = 1024


@dataclass(frozen=True)
class Case:
    """An operator, the element type of its values, and the constants with which it is measured."""

    operator: Operator
    T: ElementType
    constants: tuple[float, ...]

    @classmethod
    def of(cls, operator: Operator, T: ElementType) -> Case:
        """A case with the operator's default constants, or with the values in :data:`SAMPLE`."""
        return cls(operator, T, operator.defaults or tuple(SAMPLE.get(name, 0.5) for name in operator.constants))


@dataclass(frozen=True)
class Accuracy:
    """The result of a run over all values.

    Attributes:
        case: the case.
        values: number of results.
        max_ulp, mean_ulp: distance to float64 numpy, rounded to the type; 0 is the nearest value.
        wrong: results further from the operator's own numpy function than it declares, where neither is NaN.
        nans: results that are NaN where numpy's is not, or the other way round.
        example: inputs of the worst result, the result, and numpy's result.
    """

    case: Case
    values: int
    max_ulp: int
    mean_ulp: float
    wrong: int
    nans: int
    example: tuple[tuple[float, ...], float, float]

    @property
    def ok(self) -> bool:
        """Whether every result is within the bound that the operator declares, and is NaN only where numpy's is."""
        return self.wrong == 0 and self.nans == 0

    def to_json(self) -> dict[str, Any]:
        """As plain data; numbers that JSON does not have are text."""
        inputs, device, numpy = self.example
        return {
            "operator": self.case.operator.name,
            "dtype": self.case.T.name,
            "constants": dict(zip(self.case.operator.constants, self.case.constants, strict=True)),
            "ok": self.ok,
            "values": self.values,
            "bound": self.case.operator.error(self.case.T),
            "max_ulp": self.max_ulp,
            "mean_ulp": self.mean_ulp,
            "wrong": self.wrong,
            "nans": self.nans,
            "worst": {"inputs": list(map(repr, inputs)), "device": repr(device), "numpy": repr(numpy)},
        }


def measure(
    cases: Sequence[Case],
    *,
    values: int = 10**6,
    compilation: Compilation | None = None,
    progress: Progress = silent,
    executor: Executor | None = None,
) -> Iterator[Accuracy]:
    """Run each case over at most about ``values`` inputs, here one program after the other or by an executor. Raises
    EvtgenError without a compiler, and for an operator that does not compile."""
    compilation = compilation or Compilation(batch=8)
    toolchain.machine_library(toolchain.find_compiler(compilation.cxx), progress)
    steps = Steps(progress, tr("compiling operators, {count} of {of}: {name}"), -(-len(cases) // compilation.batch))
    batches = [tuple(cases[i : i + compilation.batch]) for i in range(0, len(cases), compilation.batch)]
    together = partial(_measure, values=values, compilation=compilation)
    if executor is not None:
        for results in each(together, batches, executor, lambda batch, _: steps.next(_names(batch))):
            yield from results
        return
    for batch in batches:
        steps.next(_names(batch))
        yield from together(batch)


def _names(batch: Sequence[Case]) -> str:
    return ", ".join(dict.fromkeys(case.operator.name for case in batch))


def _measure(batch: Sequence[Case], values: int, compilation: Compilation) -> list[Accuracy]:
    """The cases of one program: a job."""
    plans = measured(batch)
    programs = build_programs(plans, compilation)
    results = []
    for case, plan in zip(batch, plans, strict=True):
        program = programs[plan.name]
        if isinstance(program, str):
            location = getattr(case.operator, "location", None)
            said = NO_PROGRAM.of("functor", location, operator=case.operator, T=case.T, program=program)
            raise EvtgenError(said, status=1)
        results.append(_measure_one(case, plan, program, values))
    return results


def applied(case: Case, loads: Sequence[Visitor]) -> Visitor:
    """The operator on values of type ``T``, which gives values of type ``T``.

    A mask that it takes is made by ``x > 0``. A mask that it yields becomes 1 and 0.
    """
    operator, T = case.operator, case.T
    positive = Compute("GreaterScalar", T, 0)
    inputs = [TreeVisitor(positive, load) if operator.takes(i, T) == mask else load for i, load in enumerate(loads)]
    tree = TreeVisitor(Compute.of(operator, T, case.constants), *inputs)
    return TreeVisitor(Compute("WhereScalars", T, (1, 0)), tree) if operator.yields(T) == mask else tree


def measured(cases: Sequence[Case]) -> list[Plan]:
    """The plans by which :func:`measure` runs the cases of one program."""
    return [_plan(case, index) for index, case in enumerate(cases)]


def _plan(case: Case, index: int) -> Plan:
    tree = applied(case, [AuxLoad(f"X{i}", case.T) for i in range(case.operator.inputs)])
    return lower(Epilogue(f"accuracy{index}", TreeVisitor(AuxStore("D", case.T), tree), gemm=Gemm(c=half)))


def _measure_one(case: Case, plan: Plan, program: Program, count: int) -> Accuracy:
    inputs = grid(case.T, case.operator.inputs, count)
    size = inputs[0].size
    rows = -(-size // _COLUMNS)
    padded = {f"X{i}": np.resize(x, (rows, _COLUMNS)) for i, x in enumerate(inputs)}
    given = Operands(np.zeros((rows, 1), np.float16), np.zeros((1, _COLUMNS), np.float16), padded)
    done = run_once(program, plan, (rows, _COLUMNS, 1), given, MEASURE)
    return compare(case, inputs, done.outputs["D"].ravel()[:size])


def compare(case: Case, inputs: Sequence[Array], device: Array) -> Accuracy:
    """The device's results, ``device`` of shape (n,) and the dtype of the case's type, against numpy."""
    operator, T = case.operator, case.T
    number = np.float32 if operator.computed_in(T) != T else dtype(T).type
    constants = [number(c) for c in case.constants]
    given = [x > 0 if operator.takes(i, T) == mask else x for i, x in enumerate(inputs)]
    with np.errstate(all="ignore"):
        float64 = [x if x.dtype == bool else x.astype(np.float64) for x in given]
        exact = np.asarray(operator.numpy(np, *float64, *map(np.float64, constants))).astype(dtype(T))
        own = exact if operator.ulp else np.asarray(operator.numpy(np, *given, *constants)).astype(dtype(T))
        far = ulp_distance(device, own)
        if operator.fused is not None:
            # The device's value may be either, what lies between, and as its sum is rounded to float32 first, a
            # neighbour of these.
            other = np.asarray(operator.fused(np, *given, *constants)).astype(dtype(T))
            apart, off = ulp_distance(own, other), ulp_distance(device, other)
            nearest = np.minimum(far, off)
            own = np.where(off < far, other, own)
            far = np.where((apart > 0) & ((nearest <= 1) | (np.maximum(far, off) <= apart)), 0, nearest)
    wrong = far > operator.error(T)
    ends = compute.off(Compute.of(operator, T, case.constants), given, Tensors(given[0], {}))
    if ends is not None:
        wrong = (device < ends[0]) | (device > ends[1])
    nans = np.isnan(device) != np.isnan(own)
    distance = np.where(np.isnan(device) | np.isnan(exact), 0, ulp_distance(device, exact))
    worst = int(np.argmax(np.where(nans, np.iinfo(np.int64).max, distance)))
    example = (tuple(float(x[worst]) for x in inputs), float(device[worst]), float(exact[worst]))
    return Accuracy(
        case, device.size, int(distance.max()), float(distance.mean()),
        int(wrong.sum()), int(nans.sum()), example,
    )  # fmt: skip


def grid(T: ElementType, inputs: int, count: int) -> list[Array]:
    """One array of values for each input, all of one size: every combination of the values for one input."""
    if inputs == 1:
        return [_values(T, count)]
    one = _values(T, int(count ** (1 / inputs)))
    return [axis.ravel() for axis in np.meshgrid(*[one] * inputs, indexing="ij")]


def _values(T: ElementType, count: int) -> Array:
    """Values of a type over its whole range, with its edges: all values if there are at most ``count``."""
    if T.kind == "int":
        info = np.iinfo(dtype(T))
        edges = [info.min, info.min + 1, -1, 0, 1, info.max - 1, info.max]
        spread = np.linspace(info.min, info.max, max(count - len(edges), 2))
        return np.concatenate([spread, edges]).astype(np.int64).clip(info.min, info.max).astype(dtype(T))
    bits = 8 * T.size
    unsigned = f"u{T.size}"
    inf = int(np.array(np.inf, dtype(T)).view(unsigned))
    if inf <= count // 2:
        magnitudes = np.arange(inf + 1)
    else:
        one = int(np.array(1.0, dtype(T)).view(unsigned))
        half_count = max(count // 2 - 40, 4)
        every = np.linspace(0, inf, half_count // 2)
        # As many again where functions bend, between 2^-12 and 128.
        step = 1 << (T.precision - 1)
        near = np.linspace(one - 12 * step, one + 7 * step, half_count // 2)
        edges = [0, 1, 2, 3, step - 1, step, step + 1, one - 1, one, one + 1, inf - 2, inf - 1, inf]
        magnitudes = np.unique(np.concatenate([every, near, edges]).astype(np.int64))
    nan = [inf + (1 << (T.precision - 2))]
    return np.concatenate([magnitudes, magnitudes | (1 << (bits - 1)), nan]).astype(unsigned).view(dtype(T))


def _value(scalar: Scalar, sample: float) -> float:
    """A value for a number of run time: its default, or a sample."""
    return float(scalar.signed(sample if scalar.default is None else scalar.default))


def constants_text(case: Case) -> str:
    """The constants of a case: ``low=-1.25, high=2.5``."""
    return ", ".join(f"{name}={value:g}" for name, value in zip(case.operator.constants, case.constants, strict=True))


def bound_text(case: Case) -> str:
    """The distance from numpy that the operator declares, in ulp."""
    if case.operator.fused is not None:
        return tr("product rounded or not")
    return str(case.operator.error(case.T)) if case.operator.ulp else tr("exact")


def all_cases() -> list[Case]:
    """Every operator in both floats that it takes; swish and power, whose error grows with the constant, with two."""
    floats = (half, float32)
    cases = [Case.of(op, T) for op in ALL for T in floats if T in op.types(AtlasA2)]
    more = (("swish", 1.702), ("power", -0.3))
    return cases + [Case(BY_NAME[name], T, (constant,)) for name, constant in more for T in floats]


def own_cases(plans: Sequence[Plan]) -> list[Case]:
    """The user's own operators, with the element types and the constants that they have in ``plans``.

    A constant of run time has its default, or a value of :data:`SAMPLE`.
    """
    cases = []
    for _, node in (pair for plan in plans for pair in plan.nodes()):
        if isinstance(node, Compute) and node.own is not None:
            pairs = zip(node.constants, Case.of(node.own, node.T).constants, strict=True)
            constants = tuple(_value(c, s) if isinstance(c, Scalar) else float(c) for c, s in pairs)
            cases.append(Case(node.own, node.T, constants))
    return list(dict.fromkeys(cases))
