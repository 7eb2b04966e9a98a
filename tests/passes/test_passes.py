"""The passes: casts and form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import evtgen
from evtgen import Acc, Aux, Epilogue, TopologicalVisitor, TreeVisitor, bfloat16, float32, half, int8, int16, int32, ops
from evtgen.check import check
from evtgen.graph.ir import consumers, flatten
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, RowReduce, cast_path
from evtgen.passes.choose_form import MAX_TREE_DEPTH, choose_form
from evtgen.passes.insert_casts import insert_casts
from evtgen.passes.manager import PASSES, BrokenPass, check_order, run_passes
from evtgen.targets import AtlasA2

from ..support.graphs import random_epilogue

ACC, X, D = AccLoad(half), AuxLoad("X", float32), AuxStore("D", half)
PLUS = Compute("Plus", float32)


def test_cast_paths() -> None:
    assert cast_path(AtlasA2, half, float32) == [Cast(float32, half)]
    assert cast_path(AtlasA2, int32, half) == [Cast(float32, int32), Cast(half, float32)]
    assert cast_path(AtlasA2, bfloat16, half) == [Cast(float32, bfloat16), Cast(half, float32)]
    assert cast_path(AtlasA2, half, evtgen.uint8) == [Cast(evtgen.uint8, half)]
    assert cast_path(AtlasA2, int8, int32) == [Cast(half, int8), Cast(int32, half, "CAST_RINT")]
    assert cast_path(AtlasA2, float32, int8) == [Cast(half, float32, "CAST_ODD"), Cast(int8, half)]
    assert cast_path(AtlasA2, int32, bfloat16) is None
    assert cast_path(AtlasA2, int32, bfloat16, "CAST_ROUND") == [
        Cast(float32, int32, "CAST_TRUNC"),
        Cast(bfloat16, float32, "CAST_ROUND"),
    ]
    assert cast_path(AtlasA2, half, half) == []


def test_tree_gets_casts() -> None:
    e = Epilogue("e", TreeVisitor(D, TreeVisitor(PLUS, ACC, X)), auto_cast=True)
    assert check(e) == []
    assert insert_casts(e).root == TreeVisitor(
        D, TreeVisitor(Cast(half, float32), TreeVisitor(PLUS, TreeVisitor(Cast(float32, half), ACC), X))
    )
    assert insert_casts(insert_casts(e)) == insert_casts(e)


def test_nothing_without_auto_cast() -> None:
    e = Epilogue("e", TreeVisitor(D, TreeVisitor(PLUS, ACC, X)))
    assert insert_casts(e) is e


def test_topological_shares_casts() -> None:
    root = TopologicalVisitor(
        [(), (), (0, 0), (2,), (0, 2), (1, 3, 4), (5,)],
        [AuxLoad("Y", int16), AccLoad(float32), PLUS, Compute("Absolute", float32), PLUS, PLUS, D],
    )
    e = Epilogue("e", root, auto_cast=True)
    assert check(e) == []
    done = insert_casts(e).root
    assert isinstance(done, TopologicalVisitor)
    assert done.ops.count(Cast(float32, int16)) == 1
    assert done.ops[-1] == D and done.ops.count(Cast(half, float32)) == 1
    assert check(Epilogue("e", done)) == []


def test_two_steps_share_the_first() -> None:
    root = TopologicalVisitor(
        [(), (), (0, 0), (0, 1), (2,), (3,), (4, 5)],
        [
            AuxLoad("Y", int8),
            AccLoad(float32),
            Compute("Plus", half),
            PLUS,
            AuxStore("D", half),
            AuxStore("E", float32),
            evtgen.nodes.Outputs(),
        ],
    )
    done = insert_casts(Epilogue("e", root, auto_cast=True))
    assert isinstance(done.root, TopologicalVisitor)
    assert [op for op in done.root.ops if isinstance(op, Cast)] == [Cast(half, int8), Cast(float32, half)]
    assert check(done) == []


def test_a_value_rounded_to_odd_is_not_shared() -> None:
    """On the way to int8 float32 becomes half in a mode in which no store of half wants it."""
    root = TopologicalVisitor(
        [(), (0,), (0,), (1, 2)], [AccLoad(float32), AuxStore("D", half), AuxStore("E", int8), evtgen.nodes.Outputs()]
    )
    done = insert_casts(Epilogue("e", root, auto_cast=True))
    assert isinstance(done.root, TopologicalVisitor)
    odd = Cast(half, float32, "CAST_ODD")
    assert [op for op in done.root.ops if isinstance(op, Cast)] == [Cast(half, float32), odd, Cast(int8, half)]
    assert check(done) == []


def test_nested_visitors_get_casts() -> None:
    nested = TopologicalVisitor([(), (0,)], [TreeVisitor(PLUS, ACC, X), D])
    e = Epilogue("e", TreeVisitor(AuxStore("E", int16), nested), auto_cast=True)
    assert check(e) == []
    assert check(Epilogue("e", insert_casts(e).root)) == []


def test_edges_that_point_forward() -> None:
    root = TopologicalVisitor([(1, 2), (), (), (0,)], [PLUS, ACC, X, D])
    done = insert_casts(Epilogue("e", root, auto_cast=True))
    assert check(Epilogue("e", done.root)) == []


def traced(body: Any) -> Epilogue:
    @evtgen.epilogue
    def spec(acc: Acc[half], X: Aux[half]) -> Any:
        return body(acc, X)

    assert check(spec) == []
    return choose_form(spec)


def chain(value: Any, length: int) -> Any:
    for _ in range(length):
        value = ops.exp(value)
    return value


def depth(visitor: Any) -> int:
    if isinstance(visitor, TreeVisitor):
        return 1 + max(depth(c) for c in visitor.children)
    return 1 + max(map(depth, visitor.ops)) if isinstance(visitor, TopologicalVisitor) else 1


def test_a_tree_where_it_can_be_one() -> None:
    e = traced(lambda a, x: {"D": chain(a, MAX_TREE_DEPTH - 3) + x})
    assert isinstance(e.root, TreeVisitor) and depth(e.root) == MAX_TREE_DEPTH


def test_shared_values_make_it_topological() -> None:
    def shared(a: Any, x: Any) -> Any:
        z = a + x
        return {"D": z + z}

    e = traced(shared)
    assert isinstance(e.root, TopologicalVisitor) and e.root.edges == ((), (), (0, 1), (2, 2), (3,))


def test_deep_chains_nest_their_lower_end() -> None:
    e = traced(lambda a, x: {"D": chain(a, 100) + x})
    assert isinstance(e.root, TopologicalVisitor)
    assert [depth(op) for op in e.root.ops if isinstance(op, TreeVisitor)] == [MAX_TREE_DEPTH]
    assert check(Epilogue("e", e.root)) == []


@pytest.mark.parametrize(
    "body",
    [
        lambda a, x: {"D": chain(a, 40) * chain(x, 3) + a},
        lambda a, x: {"D": (a + x) * (a - x), "E": ops.exp(x)},
    ],
)
def test_the_form_keeps_the_graph(body: Any) -> None:
    @evtgen.epilogue
    def spec(acc: Acc[half], X: Aux[half]) -> Any:
        return body(acc, X)

    def terms(e: Epilogue) -> list[str]:
        """What each writing node writes, as a term."""
        steps = flatten(e.root)
        text: list[str] = [""] * len(steps)
        pending = list(range(len(steps)))
        while pending:
            pending = [i for i in pending if not _settle(steps, text, i)]
        return sorted(text[i] for i, s in enumerate(steps) if isinstance(s.node, (AuxStore, RowReduce)))

    def _settle(steps: Any, text: list[str], i: int) -> bool:
        if all(text[j] for j in steps[i].inputs):
            text[i] = f"{steps[i].node}({', '.join(str(hash(text[j])) for j in steps[i].inputs)})"
        return bool(text[i])

    chosen = choose_form(spec)
    assert terms(chosen) == terms(spec)
    assert check(Epilogue("e", chosen.root)) == []
    assert len(consumers(flatten(chosen.root))) == len(consumers(flatten(spec.root)))


def test_explicit_forms_stay() -> None:
    root = TopologicalVisitor([(), (0,)], [ACC, D])
    assert choose_form(Epilogue("e", root)).root is root


def test_the_order_of_the_passes_is_sound() -> None:
    check_order()
    with pytest.raises(BrokenPass, match="compose_reductions requires a graph that is typed"):
        check_order([one for one in PASSES if one.run is not insert_casts])


def test_a_pass_that_does_not_do_what_it_says_is_found() -> None:
    """A pass that ensures types and inserts nothing, on a graph that needs a cast."""
    mixed = TreeVisitor(AuxStore("D", half), TreeVisitor(PLUS, ACC, AuxLoad("X", float32)))
    epilogue = Epilogue("mixed", mixed, auto_cast=True)
    assert run_passes(epilogue, verify=True) != epilogue
    idle = replace(PASSES[0], run=lambda epilogue: epilogue)
    with pytest.raises(BrokenPass, match="ensures a graph that is typed"):
        run_passes(epilogue, [idle, *PASSES[1:]], verify=True)


def test_passes_do_what_they_say_on_random_graphs() -> None:
    for seed in range(100):
        run_passes(random_epilogue(seed), verify=True)
