"""One case: an epilogue at a shape on a kind of data, in all runs, compared."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..checkouts.ascendc import recognise as recognise_ascendc
from ..checkouts.ascendc import runs
from ..checkouts.catlass import recognise
from ..diagnostics.diagnostic import Diagnostic
from ..graph.ir import sources
from ..graph.shapes import Problem
from ..model import toolchain
from ..model.data import DATA, Operands, operands
from ..model.execution import Prepared, Run, Settings
from ..model.harness import nullable
from ..model.programs import build_programs
from ..model.reached import Counters
from ..model.uses import merged
from ..nodes import AuxScatter, Reduce, Reduced, Tensor, VisitorNode, node_of
from ..nodes.base import named
from ..operators.arrays import Array, same
from ..operators.declaration import Atomic
from ..options import VerifyOptions
from ..passes.analysis.gemm import dequantises, exceeds_stages
from ..planner import evg
from ..planner.plan import Plan
from ..reference import (
    Block,
    Joined,
    Reading,
    as_multiplied,
    blocks,
    factors,
    magnitude,
    product,
    scale,
    scale_behind,
)
from ..system.translation import tr
from . import dump
from .against import Against, compare_function
from .compare import compare, compare_accumulator
from .numbers import Finding, Masks, left_formula, not_judged
from .result import Result
from .unread import is_left_out

OTHER_CORES = ((1, "recorded"), (2, "late"), (24, "random"))
"""Other numbers of cube cores on which a deterministic epilogue runs, each in an order of its own."""

GAP = 3
"""Elements between rows, and between the tensors of two matmuls, in launches with gaps: the strides are then neither
packed nor 0."""


def kinds(options: VerifyOptions) -> tuple[str, ...]:
    """The kinds of data of each shape."""
    return DATA if options.data is None else (options.data,)


def _schedules(options: VerifyOptions) -> list[str]:
    """The orders of execution, as the model names them."""
    if not options.schedules:
        return ["recorded"]
    return ["recorded", "late", *(f"random:{options.seed + i}" for i in range(options.schedules))]


def runs_of(plan: Plan, problem: Problem, data: str, options: VerifyOptions) -> Iterator[Settings]:
    """The runs of one set of tensors: on all cores in every order, and also on one core if only that makes a cube core
    wait for its vector cores. A reduction in a fixed order also runs on other numbers of cores, whether the user asked
    for other orders or not. Normally distributed numbers come with noise."""
    noise = options.seed if options.noise and data == "normal" else None
    all_cores = replace(options.settings, noise=noise)
    alone = exceeds_stages(plan.gemm, problem, 1)
    for schedule in _schedules(options):
        yield replace(all_cores, schedule=schedule)
        if alone and not exceeds_stages(plan.gemm, problem, plan.arch.cube_cores):
            yield replace(all_cores, schedule=schedule, cores=1)
    if plan.is_ordered:
        for cores, order in OTHER_CORES:
            schedule = f"random:{options.seed}" if order == "random" else order
            yield replace(all_cores, schedule=schedule, cores=cores)


def verify_case(  # noqa: PLR0917
    plan: Plan,
    problem: Problem,
    data: str,
    program: toolchain.Program | str,
    options: VerifyOptions,
    against: Against | None,
    counters: Counters | None,
) -> Result:
    """Run a plan's program at a problem in every launch and order, and compare. ``program``: or the compiler's messages
    if it refused the header, which are then the result's error."""
    compiler = toolchain.find_compiler(options.cxx)
    tile = evg.of(plan) if options.compilation.place.catlass else plan
    result = Result(
        plan.name, plan.kernel.shape(problem), tile.compute_length, tile.ub_used, tile.ub_limit,
        schedules=len(_schedules(options)), ordered=plan.is_ordered, strict=options.strict, data=data,
        seed=options.seed, pad=options.pad, compiler=compiler.version,
        ascendc="" if options.ascendc is None else recognise_ascendc(options.ascendc).name,
        ascendc_runs=runs(plan.arch.npu), matmuls=plan.matmuls(problem),
        phases=tuple((part.compute_length, part.ub_used) for part in plan.parts),
    )  # fmt: skip
    if isinstance(program, str):
        result.error, result.compiled = program, False
        return result
    result.warnings = program.warnings
    started = time.perf_counter()
    found: dict[object, Diagnostic] = {}
    for name, launch, pad in launches(plan, problem, options.pad):
        # One kind of data names rows that are not there. A user's own function need not know what becomes of them.
        absent = against is None and data == kinds(options)[0]
        kept = program.path.with_name("operands.jsonl")
        given = operands(plan, launch, options.seed, data, absent=absent, kept=kept)
        case = _Case(plan, options, against, result, launch, name, given, found, absent, counters)
        optional = nullable(plan)
        for null in ((), optional) if optional and not name else ((),):
            with Prepared(plan, launch, given, null=null, pad=pad) as prepared:
                case.run(program, prepared, null)
            if result.error is not None:
                break
        if result.error is not None:
            break
    result.diagnostics = list(found.values())
    result.seconds = time.perf_counter() - started
    return result


def widest(plan: Plan, problem: Problem, options: VerifyOptions) -> int:
    """The widest gaps in its launches."""
    return max(pad for _, _, pad in launches(plan, problem, options.pad))


def launches(plan: Plan, problem: Problem, pad: int) -> Iterator[tuple[str, Problem, int]]:
    """The launches that verify a problem, each with its name and the gaps between rows and between matmuls. In the
    first launch nothing is shared and all tensors are packed. Then come the other sharings of the kernel, with gaps in
    the tensors that are not shared, and repeats of those that may. If a tensor has had no gaps by then, the last launch
    has gaps in all."""
    strided = {tensor.name for tensor in plan.tensors if plan.kernel.strided(tensor)} | plan.kernel.strides.keys()
    first, *others = plan.sharings
    strided -= first
    yield "", replace(problem, shared=first), pad
    for number, shared in enumerate(others, 1):
        launch = replace(problem, shared=shared)
        yield f"shared{number}", replace(launch, repeats=plan.kernel.repeats(plan.tensors, launch)), pad or GAP
        strided &= shared
    if strided and not pad:
        yield "apart", replace(problem, shared=first), GAP


@dataclass
class _Case:
    """One epilogue at one shape on one kind of data, with one sharing of tensors: its operands and findings.

    Attributes:
        name: the run's part of the names of dumps; empty for the first.
        found: the findings from the numbers, by their keys.
        absent: some row numbers name no row.
        counters: count the lines that run; None if nobody asked.
    """

    plan: Plan
    options: VerifyOptions
    against: Against | None
    result: Result
    problem: Problem
    name: str
    given: Operands
    found: dict[object, Diagnostic]
    absent: bool
    counters: Counters | None

    def run(self, program: toolchain.Program, prepared: Prepared, null: tuple[str, ...]) -> None:
        """Run one set of tensors in every way, and add the findings to the result."""
        options, result = self.options, self.result
        baseline: Run | None = None
        for settings in runs_of(self.plan, self.problem, result.data, options):
            run = prepared.run(program, settings)
            if self.counters is not None:
                self.counters.run(self.plan.name, prepared, settings)
            if "hazards" in run.report:
                run.report["hazards"] = [found for found in run.report["hazards"] if not self._is_left_out(found)]
            if run.report.get("hazards") and self._observed is not None:
                _name_nodes(run.report, prepared.run(self._observed, settings).report)
            _add_hazards(result, run.report, options.compilation.catlass)
            stats = run.report.get("stats", {})
            result.instructions += stats.get("instructions", 0)
            result.uses = merged([*result.uses, *stats.get("uses", ())])
            if run.error is not None:
                ways = [self._sharing, "" if baseline is None else settings.name]
                result.error = ": ".join([*filter(None, ways), run.error])
                return
            if baseline is None:
                baseline = run
                self._compare(run, null)
            else:
                _compare_runs(result, self.plan, baseline, run)

    def _is_left_out(self, found: Mapping[str, Any]) -> bool:
        """Whether a finding names what nothing reads, and is no fault."""
        return found["code"] == "EVT115" and is_left_out(self.plan, self.problem, found, absent=self.absent)

    @cached_property
    def _observed(self) -> toolchain.Program | None:
        """The program whose nodes say that they are at work, to name them in findings; None for Catlass's own
        framework, whose nodes do not."""
        if self.options.compilation.place.catlass:
            return None
        built = build_programs([self.plan], replace(self.options.compilation, observe=True))
        program = built[self.plan.name]
        return None if isinstance(program, str) else program

    def _compare(self, run: Run, null: tuple[str, ...]) -> None:
        plan, result, acc = self.plan, self.result, run.accumulator
        assert acc is not None
        if not null:
            a, b, multiplied = factors(plan, self.given.a, self.given.b, self.given.inputs, self.problem)
            of_cube = compare_accumulator(
                acc, as_multiplied(plan, a), as_multiplied(plan, b), plan.element_c, multiplied,
                scalings=0 if plan.adding is None else 2, whole=dequantises(plan.gemm),
            )  # fmt: skip
            if result.accumulator is None or of_cube.mismatches > result.accumulator.mismatches:
                result.accumulator = replace(of_cube, shared=self._shared)
            self._add(not_judged(of_cube, plan))
        inputs = {name: array for name, array in self.given.read_by(plan).items() if name not in null}
        masks, joined = Masks(), defaultdict[str, Joined](Joined)
        for block in blocks(plan, self.problem):
            for reading in self._read(block, acc, inputs):
                masks.add(reading)
                if reading.node.writes and reading.node.tensor is not None:
                    joined[reading.node.tensor.name].add(block, reading)
        self._add(masks.one_sided(plan, result.data))
        outputs = {name: of_all.reading for name, of_all in joined.items()}
        again = [partial(self._read, block, acc, inputs) for block in blocks(plan, self.problem)]
        against, given = self.against, dict[str, Array]()
        if against is not None:
            given = against.outputs(plan, self.problem, self._product, inputs)
        for tensor in plan.tensors:
            if tensor.output:
                some = partial(_with_rows, tensor, self.problem, self.given.inputs)
                reading = outputs[tensor.name]
                expected = reading.stepwise.map(some)
                formula = None if reading.formula is None else some(reading.formula)
                rows = run.outputs[tensor.name]
                got = rows[named(tensor, self.given.inputs, self.problem)[1]] if tensor.rows else some(rows)
                typical = scale(expected.value)
                if not typical and not expected.exact:
                    typical = scale_behind(plan.steps, reading.index, again)
                compared = compare(
                    tensor.name, tensor.element, got, expected, formula=formula, null=null, typical=typical
                )
                result.outputs.append(replace(compared, shared=self._shared))
                self._add(not_judged(compared, plan))
                if against is not None and formula is not None and tensor.name in given:
                    beside = magnitude(reading, reading.formula) if reading.formula is not None else typical
                    beside = np.maximum(some(beside) if isinstance(beside, np.ndarray) else beside, typical)
                    compared = compare_function(
                        against, tensor, got, expected, formula, given[tensor.name], typical, beside
                    )
                    result.against.append(replace(compared, null=null, shared=self._shared))
        self._add(left_formula(plan, list(outputs.values()), again))
        if self.options.dump is not None:
            self._dump(self.options.dump, run, outputs, null)

    @property
    def _shared(self) -> tuple[str, ...]:
        return tuple(sorted(self.problem.shared))

    @property
    def _sharing(self) -> str:
        return tr("with {names} shared", names=tr(", ").join(self._shared)) if self._shared else ""

    def _read(self, block: Block, acc: Array, inputs: Mapping[str, Array]) -> Iterator[Reading]:
        """Both references of every step of a block."""
        whole = block.matmul is None
        return block.read(acc, inputs, self._product if whole else block.product(*self._factors))

    @cached_property
    def _product(self) -> Array:
        """``A @ B`` of all matmuls in float64."""
        return product(*self._factors)

    @cached_property
    def _factors(self) -> tuple[Array, Array, Problem]:
        """A and B as they are meant to be multiplied."""
        return factors(self.plan, self.given.a, self.given.b, self.given.inputs, self.problem, meant=True)

    def _add(self, findings: Iterable[Finding]) -> None:
        for key, diagnostic in findings:
            self.found.setdefault((diagnostic.code, key), diagnostic)

    def _dump(self, directory: Path, run: Run, outputs: dict[str, Reading], null: tuple[str, ...]) -> None:
        assert run.accumulator is not None
        size = self.result.size().replace(" ", "")
        parts = [
            self.plan.name,
            size,
            self.result.data,
            *([self.name] if self.name else []),
            *(["null"] if null else []),
        ]
        dump.write(
            directory / f"{'.'.join(parts)}.npz",
            replace(self.given, inputs=self._turned(self.given.inputs)),
            run.accumulator,
            null,
            {
                "out": self._turned(run.outputs),
                "stepwise": self._placed({name: reading.stepwise.value for name, reading in outputs.items()}),
                "formula": self._placed({n: r.formula for n, r in outputs.items() if r.formula is not None}),
            },
        )

    def _placed(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by their names, in the callers' form, from the references' form."""
        placed = dict(arrays)
        for tensor in self.plan.tensors:
            if tensor.rows and tensor.name in placed:
                rows = arrays[tensor.name]
                there, places = named(tensor, self.given.inputs, self.problem)
                placed[tensor.name] = np.zeros(tensor.size(self.problem), rows.dtype)
                placed[tensor.name][places] = rows[there]
        return self._turned(placed)

    def _turned(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Tensors by their names, in the callers' form."""
        turned = {
            t.name: t.turned(arrays[t.name], self.plan.kernel.parts(t, self.problem))
            for t in self.plan.tensors
            if t.name in arrays
        }
        return {**arrays, **turned}


def _with_rows(tensor: Tensor, problem: Problem, inputs: Mapping[str, Array], values: Array) -> Array:
    """The rows of an output that the kernel writes. A matmul without rows stores nothing in its row, and a number that
    names no row stores nothing."""
    if tensor.rows:
        rows: Array = values[named(tensor, inputs, problem)[0]]
        return rows
    if tensor.initial is not None or tensor.shape.rows == "M":
        return values
    return values[np.asarray(problem.rows) > 0]


def _compare_runs(result: Result, plan: Plan, first: Run, other: Run) -> None:
    assert first.accumulator is not None and other.accumulator is not None
    if not same(first.accumulator, other.accumulator).all() and "C" not in result.differing:
        result.differing.append("C")
    for tensor in plan.tensors:
        if not tensor.output:
            continue
        one, another = first.outputs[tensor.name], other.outputs[tensor.name]
        if one.tobytes() != another.tobytes() if plan.is_ordered else not same(one, another).all():
            atomic = not plan.epilogue.deterministic and _joins_floats(plan, tensor)
            names = result.float_atomics if atomic else result.differing
            if tensor.name not in names:
                names.append(tensor.name)


def _joins_floats(plan: Plan, tensor: Tensor) -> bool:
    """Whether cores add floats to an output, or to a value that it depends on, in the order in which they come: its
    last bits may then differ."""
    nodes = [node_of(step) for step in plan.steps]
    writer = next(i for i, node in enumerate(nodes) if node.writes and node.tensor == tensor)
    made_from = [nodes[writer], *(n for i in sources(plan.steps, writer) if isinstance(n := nodes[i], Reduced))]
    return any(_adds_floats(node) for node in made_from)


def _adds_floats(node: VisitorNode) -> bool:
    if isinstance(node, AuxScatter):
        return node.add and node.T.kind == "float"
    if not isinstance(node, Reduce | Reduced) or node.T.kind != "float" or node.operator is None:
        return False
    return node.operator.atomic is Atomic.ADD


def _name_nodes(report: dict[str, Any], observed: dict[str, Any]) -> None:
    """Take over the findings of an observed run, which name the nodes that made the calls: one for each node."""
    found = {_key(hazard) for hazard in report["hazards"]}
    named = [hazard for hazard in observed.get("hazards", ()) if _key(hazard) in found]
    missing = found - {_key(hazard) for hazard in named}
    report["hazards"] = named + [hazard for hazard in report["hazards"] if _key(hazard) in missing]


def _key(hazard: dict[str, Any]) -> tuple[object, ...]:
    """The key that tells one finding from another, whether its nodes are named or not."""
    return hazard["code"], *((site["file"], site["line"], site["call"]) for site in hazard["sites"])


def _add_hazards(result: Result, report: dict[str, Any], catlass: Path | None) -> None:
    """Take over the model's findings, each once, with the node at work and the owner of the file."""
    known = {(_key(hazard), hazard.get("where")) for hazard in result.hazards}
    checkout = None if catlass is None else f"{recognise(catlass).include}{os.sep}"
    for hazard in report.get("hazards", ()):
        for site in hazard.get("sites", ()):
            site["file"] = str(site.get("file", "")).removeprefix("include/")
        sites = hazard.get("sites", ())
        added = dict(hazard)
        if checkout is not None and sites and all(site["file"].startswith(checkout) for site in sites):
            added["origin"] = "checkout"
        by_buffer: dict[int, list[str]] = {}
        for site in sites:
            if "node" in site and site["node"] not in by_buffer.setdefault(site["buffer"], []):
                by_buffer[site["buffer"]].append(site["node"])
        if by_buffer:
            added["where"] = "; ".join(f"{' and '.join(nodes)}, buffer {n}" for n, nodes in by_buffer.items())
        if (_key(hazard), added.get("where")) not in known:
            result.hazards.append(added)
