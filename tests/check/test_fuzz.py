"""Whatever is put together, the checker answers with diagnostics."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen import Epilogue, Gemm, TopologicalVisitor, TreeVisitor
from evtgen.check import check
from evtgen.diagnostics.diagnostic import render
from evtgen.graph.types import ELEMENT_TYPES, LAYOUTS, ROUND_MODES
from evtgen.nodes import NODE_KINDS, Broadcast, Reduce
from evtgen.operators.table import OPERATORS

junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.just(()),
    st.just([1, "x", []]),
    st.just(object()),
    st.sampled_from(list(NODE_KINDS.values())),
)
element = st.sampled_from(list(ELEMENT_TYPES.values())) | junk
layout = st.sampled_from(list(LAYOUTS.values())) | junk
name = st.sampled_from(["D", "X", "x", "row_out", "A", "int", "_", "__", "std", "layoutD", "", "é"]) | junk
constant = st.sampled_from([0, 1, 0.5, float("inf"), float("nan"), 10**400]) | junk


def node_strategy(visitor: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    op = st.sampled_from(list(OPERATORS)) | name
    mode = st.sampled_from(ROUND_MODES) | name
    kinds = NODE_KINDS
    node = st.one_of(
        st.builds(kinds["AccLoad"], element),
        st.builds(kinds["AuxLoad"], name, element, layout, constant),
        st.builds(kinds["AuxStore"], name, element, layout),
        *(st.builds(kind, name, element, layout) for kind in kinds.values() if issubclass(kind, Broadcast)),
        *(st.builds(kind, name, op, element, constant, layout) for kind in kinds.values() if issubclass(kind, Reduce)),
        st.builds(kinds["Compute"], op, element, constant),
        st.builds(kinds["Cast"], element, element, mode),
        st.builds(kinds["Outputs"]),
    )
    edge = st.integers(-2, 6) | junk
    return st.one_of(
        node,
        st.builds(lambda op, children: TreeVisitor(op, *children), node | visitor, st.lists(visitor, max_size=3)),
        st.builds(
            TopologicalVisitor,
            st.lists(st.lists(edge, max_size=3), max_size=6),
            st.lists(visitor, max_size=6),
        ),
    )


visitors = st.recursive(junk, node_strategy, max_leaves=15) | node_strategy(node_strategy(junk))
gemms = st.builds(Gemm, element, element, element, junk, junk, junk) | junk | st.just(Gemm())


@settings(max_examples=400, deadline=None)
@given(
    name,
    visitors,
    st.sampled_from(["AtlasA2", "Ascend950", "x"]) | junk,
    st.booleans() | junk,
    st.sampled_from(["auto", 32, 64, 100, 10**9]) | junk,
    st.integers(-1, 8) | junk,
    gemms,
    st.none() | junk,
    st.booleans(),
)
def test_check_never_raises(
    name: Any, root: Any, arch: Any, auto_cast: Any, length: Any, buffers: Any, gemm: Any, nest: Any, traced: bool
) -> None:
    epilogue = Epilogue(name, root, arch, auto_cast, length, buffers, gemm, nest, traced=traced)
    render(check(epilogue))
    assert all(d.to_json()["code"].startswith("EVT") for d in check(epilogue))


nodes = st.one_of(
    st.builds(NODE_KINDS["AccLoad"], st.sampled_from(list(ELEMENT_TYPES.values()))),
    st.builds(NODE_KINDS["Compute"], st.sampled_from(list(OPERATORS)), st.sampled_from(list(ELEMENT_TYPES.values()))),
    st.builds(NODE_KINDS["AuxStore"], st.sampled_from("DEF"), st.sampled_from(list(ELEMENT_TYPES.values()))),
    st.builds(NODE_KINDS["Outputs"]),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(nodes, st.lists(st.integers(-1, 8), max_size=3)), max_size=8), st.booleans(), st.booleans())
def test_check_never_raises_on_well_typed_graphs(ops: Any, auto_cast: bool, traced: bool) -> None:
    root = TopologicalVisitor([edges for _, edges in ops], [node for node, _ in ops])
    check(Epilogue("spec", root, auto_cast=auto_cast, traced=traced))
