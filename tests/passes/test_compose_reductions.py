"""The reductions of squares and of magnitudes in explicit nodes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import evtgen
from evtgen import Acc, Aux, Epilogue, TopologicalVisitor, TreeVisitor, float32, half, int32, ops
from evtgen.check import check
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.frontend.json_form import read, to_json
from evtgen.graph.ir import flatten
from evtgen.nodes import (
    AccLoad,
    AuxLoad,
    AuxStore,
    Cast,
    ColReduce,
    ColReduced,
    Compute,
    Outputs,
    RowReduce,
    RowReduced,
    ScalarReduce,
    ScalarReduced,
)
from evtgen.passes.analysis.argument_order import arguments_nest
from evtgen.passes.compose_reductions import compose_reductions
from evtgen.passes.manager import run_passes
from evtgen.planner.plan import lower
from evtgen.reference import evaluate

from ..support.graphs import random_epilogue

ACC, X, D = AccLoad(float32), AuxLoad("X", float32), AuxStore("D", float32)
DIVIDES = Compute("Divides", float32)


def tree(node: Any, *children: Any) -> TreeVisitor:
    return TreeVisitor(node, *children)


def traced(body: Any) -> Epilogue:
    @evtgen.epilogue(name="spec")
    def spec(acc: Acc[float32], X: Aux[float32]) -> Any:
        return body(acc, X)

    return spec


PAIRS: dict[str, tuple[Any, Any]] = {
    "a value": (
        lambda a, x: {"D": x / ops.col_reduce(a * 2.0, "amax")},
        tree(D, tree(DIVIDES, X, tree(ColReduced("amax", float32), tree(Compute("Muls", float32, 2.0), ACC)))),
    ),
    "values of the same": (
        lambda a, x: {"D": x / ops.row_reduce(a, "sum_of_squares") / ops.scalar_reduce(a, "amax")},
        TopologicalVisitor(
            [(), (), (0,), (1, 2), (0,), (3, 4), (5,)],
            [ACC, X, RowReduced("sum_of_squares", float32), DIVIDES, ScalarReduced("amax", float32), DIVIDES, D],
        ),
    ),
    "an output at the root": (
        lambda a, x: {"r": ops.col_reduce(a + x, "amax", identity=1.0)},
        tree(ColReduce("r", "amax", float32, 1.0), tree(Compute("Plus", float32), ACC, X)),
    ),
    "an output that is read": (
        lambda a, x: {"r": ops.row_reduce(a + x, "sum_of_squares", identity=0), "D": a + x},
        tree(D, tree(RowReduce("r", "sum_of_squares", float32), tree(Compute("Plus", float32), ACC, X))),
    ),
    "outputs beside each other": (
        lambda a, x: {"r": ops.scalar_reduce(a, "sum_of_squares", identity=0), "D": x},
        TopologicalVisitor(
            [(), (), (0,), (1,), (3, 2)], [ACC, X, ScalarReduce("r", "sum_of_squares", float32), D, Outputs()]
        ),
    ),
}


def header(e: Epilogue) -> dict[str, str]:
    return epilogue_files(lower(e), Framework())


@pytest.mark.parametrize("name", PAIRS)
def test_the_header_is_that_of_the_traced_function(name: str) -> None:
    body, root = PAIRS[name]
    function, explicit = traced(body), Epilogue("spec", root)
    assert check(explicit) == []
    assert header(explicit) == header(function)
    (loaded,) = read(json.dumps(to_json([explicit])), "spec.json")
    assert header(loaded) == header(explicit)
    done = run_passes(explicit, verify=True)
    assert check(done) == []
    rng = np.random.default_rng(3)
    a, x = (rng.normal(size=(4, 6)).astype(np.float32) for _ in range(2))
    given = {"X": x, "r": a}
    # The graph as written means the same before the pass, and is left alone by it afterwards.
    for one in (explicit, done):
        for output, values in evaluate(function, a, given).items():
            np.testing.assert_array_equal(evaluate(one, a, given)[output], values)
    assert compose_reductions(done) is done


def test_graphs_without_one_stay() -> None:
    plain = tree(D, tree(RowReduce("r", "Plus", float32), ACC))
    assert all(compose_reductions(e) is e for e in (Epilogue("e", plain), *map(random_epilogue, range(20))))
    cycle = TopologicalVisitor([(), (2,), (1,), (2,)], [ACC, ColReduced("amax", float32), Compute("Relu", float32), D])
    around = Epilogue("e", cycle)
    assert compose_reductions(around) is around
    assert "EVT022" in [found.code for found in check(around)]


def test_a_chain_of_them_each_reduces_the_elements() -> None:
    chain = tree(RowReduce("r", "amax", float32), tree(ColReduce("c", "sum_of_squares", float32), ACC))
    done = compose_reductions(Epilogue("e", chain)).root
    assert done == TopologicalVisitor(
        [(), (0,), (1,), (0,), (3,), (2, 4)],
        [ACC, Compute("Square", float32), ColReduce("c", "Plus", float32), Compute("Absolute", float32),
         RowReduce("r", "Maximum", float32), Outputs()],
    )  # fmt: skip


def test_the_operator_computes_in_the_type_of_the_reduction() -> None:
    """Squares of halves that half does not hold."""
    root = tree(ScalarReduce("r", "sum_of_squares", float32), AccLoad(half))
    (cast, square, _) = _nodes(run_passes(Epilogue("e", root, auto_cast=True), verify=True))[1:]
    assert (cast, square) == (Cast(float32, half), Compute("Square", float32))
    (found,) = check(Epilogue("e", root))
    assert found.code == "EVT021"


def _nodes(e: Epilogue) -> list[Any]:
    return [step.node for step in flatten(e.root)]


def test_rules_see_both_nodes() -> None:
    def codes(root: Any, **options: Any) -> list[str]:
        return [found.code for found in check(Epilogue("e", root, **options))]

    integers = AccLoad(int32)
    assert codes(tree(RowReduce("r", "sum_of_squares", int32), integers)) == []
    assert codes(tree(ColReduce("r", "amax", int32), integers)) == ["EVT036"]
    root = PAIRS["a value"][1]
    composed = compose_reductions(Epilogue("e", root)).root
    assert codes(root, arguments=arguments_nest(composed)) == []
    assert codes(root, arguments=arguments_nest(root)) == ["EVT057"]
