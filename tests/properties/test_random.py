"""Random valid epilogues, compiled in batches, run on the CPU model and compared with numpy."""

from __future__ import annotations

import pytest

from evtgen.check import check
from evtgen.check.gemm import POLICIES
from evtgen.graph.ir import Epilogue, TopologicalVisitor, TreeVisitor, walk
from evtgen.graph.types import LAYOUTS, float32, int8
from evtgen.kernels import KERNELS
from evtgen.model.data import operands
from evtgen.nodes import Cast, node_of
from evtgen.operators.arrays import dtype, same
from evtgen.options import Data
from evtgen.planner.plan import lower
from evtgen.reference import evaluate
from evtgen.report.verification import failures
from evtgen.targets.architecture import WEIGHTS
from evtgen.verify import Options, verify_plans

from ..support.epilogues import FULL
from ..support.graphs import BROADCASTS, REDUCTIONS, flat_form, random_epilogue
from .traced import traced_epilogue

pytestmark = pytest.mark.cxx

BATCH = 16
BATCHES = 5
SHAPES = ((37, 150, 20), (5, 7, 3), (130, 260, 70))
LARGE = 2
"""The batch that is run at the largest shape, too; with EVTGEN_FULL=1 all are, and there are two batches more."""


@pytest.mark.parametrize("batch", range(BATCHES if FULL else 3))
def test_random_epilogues_match_numpy(batch: int) -> None:
    """Whole numbers in one batch, normal ones in the next; rows that lie apart in some; tails of rows and columns; no
    finding, no warning."""
    epilogues = [random_epilogue(seed) for seed in range(batch * BATCH, (batch + 1) * BATCH)]
    assert [str(d.message) for e in epilogues for d in check(e) if d.code != "EVT062"] == []
    data: Data = "normal" if batch % 2 else "int"
    pad = (0, 3, 16)[batch % 3]
    shapes = SHAPES if FULL or batch == LARGE else SHAPES[:2]
    options = Options(shapes=shapes, seed=batch, data=data, strict=True, together=BATCH, pad=pad)
    results = verify_plans([lower(e) for e in epilogues], options)
    assert len(results) == BATCH * len(shapes)
    # What the graphs mean is random, too: NaN, overflow and masks of one kind are theirs, not faults of the program.
    assert all(r.agrees for r in results), "\n".join(line for r in results for line in failures(r))


def test_traced_functions_match_numpy() -> None:
    """The same graphs as functions: what is emitted and run has another form, what it computes is the same.

    Every second one; with EVTGEN_FULL=1 all."""
    pairs = [traced_epilogue(seed) for seed in range(300, 300 + BATCH, 1 if FULL else 2)]
    epilogues = [epilogue for epilogue, _ in pairs]
    assert [str(d.message) for e in epilogues for d in check(e) if d.code != "EVT062"] == []
    plans = [lower(e) for e in epilogues]
    results = verify_plans(plans, Options(shapes=SHAPES[:2], strict=True, together=BATCH))
    # What the graphs mean is random, too: NaN, overflow and masks of one kind are theirs, not faults of the program.
    assert all(r.agrees for r in results), "\n".join(line for r in results for line in failures(r))
    for plan, (epilogue, graph) in zip(plans, pairs, strict=True):
        given = operands(plan, (9, 14, 6), 1, "normal")
        acc = (given.a @ given.b).astype(dtype(plan.element_c))
        explicit = evaluate(Epilogue("explicit", flat_form(graph), gemm=epilogue.gemm), acc, given.inputs)
        got = evaluate(plan, acc, given.inputs)
        assert got.keys() == explicit.keys()
        assert all(same(got[name], explicit[name]).all() for name in got)


def test_the_same_seed_is_the_same_epilogue() -> None:
    assert random_epilogue(7) == random_epilogue(7) != random_epilogue(8)


def test_the_epilogues_are_as_varied_as_they_should_be() -> None:
    """What the batches above are meant to cover is in them."""
    epilogues = [random_epilogue(seed) for seed in range(BATCH * BATCHES)]
    parts = [list(walk(e.root)) for e in epilogues]
    nested = [
        (type(outer), type(inner))
        for visitors in parts
        for outer in visitors
        for inner in ((*getattr(outer, "children", ()), *getattr(outer, "ops", ())))
    ]
    assert nested.count((TreeVisitor, TopologicalVisitor)) >= 5
    assert nested.count((TopologicalVisitor, TreeVisitor)) >= 10
    steps = [lower(e).steps for e in epilogues]
    assert sum(len(s) >= 10 for s in steps) >= 20
    shared = [len(i) != len(set(i)) for s in steps for i in [[x for step in s for x in step.inputs]]]
    assert sum(shared) >= 30
    assert sum(sum(node_of(step).writes for step in s) > 1 for s in steps) >= 30
    assert sum(isinstance(v, Cast) for p in parts for v in p) >= 40
    for kind in (*BROADCASTS, *REDUCTIONS):
        assert sum(isinstance(v, kind) for p in parts for v in p) >= 10, kind
    assert sum(getattr(v, "null_default", None) is not None for p in parts for v in p) >= 5


def test_the_matmuls_are_as_varied_as_they_should_be() -> None:
    """Every kernel, policy and layout is before some of them, with all, some and few blocks in the workspace."""
    plans = [lower(random_epilogue(seed)) for seed in range(BATCH * BATCHES)]
    gemms = [plan.gemm for plan in plans]
    assert all(sum(plan.kernel is kernel for plan in plans) >= 8 for kernel in KERNELS)
    assert all(sum(gemm.policy == policy for gemm in gemms) >= 20 for policy in POLICIES)
    for layout in LAYOUTS.values():
        assert sum(gemm.layout_a == layout for gemm in gemms) >= 5 <= sum(gemm.layout_b == layout for gemm in gemms)
    assert all(sum(gemm.workspace_stages == stages for gemm in gemms) >= 5 for stages in (0, 1, 2, 3, 15))
    assert {(gemm.a, gemm.b) for gemm in gemms} >= {
        (int8, int8),
        (float32, float32),
        *((a, b) for a, b in WEIGHTS if b.packed == 1),
    }
    # K has more than one tile, so that it is split.
    assert sum(gemm.split_k > 1 and gemm.l1 is not None and gemm.l1[2] < SHAPES[-1][2] for gemm in gemms) >= 3
    # What the matmuls of a launch share: a vector, a matrix, values of blocks of B, and a reduction.
    able = [t for plan in plans if plan.kernel.several for t in plan.tensors if plan.kernel.may_share(t)]
    assert len({(tensor.shape, tensor.output) for tensor in able}) == 8
