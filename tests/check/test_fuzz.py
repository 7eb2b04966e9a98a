"""Whatever is put together, the checker answers with diagnostics."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen import Epilogue, Gemm, TopologicalVisitor, TreeVisitor
from evtgen.check import check
from evtgen.diagnostics.diagnostic import has_errors, render
from evtgen.frontend.json_form import read, to_json
from evtgen.graph.types import ELEMENT_TYPES, LAYOUTS, ROUND_MODES, Layout
from evtgen.nodes import NODE_KINDS, STATISTICS
from evtgen.operators.table import OPERATORS, REDUCTIONS
from evtgen.planner.plan import lower

from ..support.seeds import EXPLICIT

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
layout = st.sampled_from(list(LAYOUTS.values())) | st.builds(Layout, junk) | junk
name = st.sampled_from(["D", "X", "x", "row_out", "A", "int", "_", "__", "std", "layoutD", "", "é"]) | junk
constant = st.sampled_from([0, 1, 0.5, float("inf"), float("nan"), 10**400]) | junk


columns = st.sampled_from([32, 64, 128, 100, 0, -1]) | junk
switch = st.booleans() | junk
NODE_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "name": name | st.sampled_from(list(STATISTICS)),
    "T": element,
    "layout": layout,
    "null_default": constant,
    "identity": constant,
    "index": st.integers(-1, 2) | junk,
    "op": st.sampled_from([*OPERATORS, *REDUCTIONS]) | name,
    "scalar": constant,
    "to": element,
    "from_": element,
    "round": st.sampled_from(ROUND_MODES) | name,
    "rows": name,
    "ranks": name,
    "add": switch,
    "start": st.integers(-1, 128) | junk,
    "stop": st.none() | st.integers(-1, 512) | junk,
    "block": columns,
    "head": columns,
    "interleaved": switch,
}


def drawn(kind: type[Any]) -> st.SearchStrategy[Any]:
    """A node of a kind, with all fields that a user writes."""
    written = [field.name for field in fields(kind) if field.init and not field.kw_only]
    return st.builds(kind, **{field: NODE_FIELDS[field] for field in written})


def node_strategy(visitor: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    node = st.one_of(*map(drawn, NODE_KINDS.values()))
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
tiles = st.sampled_from([(128, 256, 256), (32, 64, 64), (32, 64, 32), (16, 16, 2**40), (0, 16, 16)]) | junk
GEMM_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "a": element,
    "b": element,
    "c": element,
    "l1": tiles,
    "l0": tiles,
    "swizzle": st.tuples(st.integers(0, 2**17), st.integers(-1, 2)) | junk,
    "workspace_stages": st.integers(-1, 16) | junk,
    "handoff": st.sampled_from(["gm", "ub", "GM"]) | junk,
    "layout_a": layout,
    "layout_b": layout,
    "batch": st.booleans() | junk,
    "group": st.sampled_from(["m", "k", "n"]) | junk,
    "policy": st.sampled_from(["pingpong", "preload_async", "x"]) | junk,
    "split_k": st.integers(-1, 300) | junk,
    "accumulators": st.sampled_from(["halves", "separate", "x"]) | junk,
    "group_list": st.sampled_from(["offsets", "counts", "x"]) | junk,
    "group_type": element,
    "weights": st.sampled_from(["stacked", "pointers", "x"]) | junk,
    "weight_index": st.booleans() | junk,
    "scale": st.sampled_from(["column", "row", "mx", "group:64", "block:128x128"]) | junk,
    "zero_point": st.booleans() | junk,
    "hf32": st.booleans() | junk,
    "msd": st.booleans() | junk,
}
some_gemms = st.fixed_dictionaries({}, optional=GEMM_FIELDS).map(lambda given: Gemm(**given))
gemms = some_gemms | junk | st.just(Gemm())


def test_every_field_of_a_gemm_is_drawn() -> None:
    assert list(GEMM_FIELDS) == [field.name for field in fields(Gemm)]


@settings(max_examples=400)
@given(st.sampled_from(EXPLICIT), some_gemms, st.sampled_from(["AtlasA2", "Ascend950"]))
def test_check_never_raises_on_a_gemm(epilogue: Epilogue, gemm: Gemm, arch: str) -> None:
    """Before a graph that is right; what is accepted can be planned, and is the same from JSON."""
    before = replace(epilogue, gemm=gemm, arch=arch)
    found = check(before)
    render(found)
    if not has_errors(found):
        lower(before)
        assert read(json.dumps(to_json([before])), "again.json") == [before]


@settings(max_examples=400)
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
    switch,
)
def test_check_never_raises(
    name: Any, root: Any, arch: Any, auto_cast: Any, length: Any, buffers: Any, gemm: Any, nest: Any, traced: bool,
    deterministic: Any,
) -> None:  # fmt: skip
    epilogue = Epilogue(
        name, root, arch, auto_cast, length, buffers, gemm, nest, traced=traced, deterministic=deterministic
    )
    render(check(epilogue))
    assert all(d.to_json()["code"].startswith("EVT") for d in check(epilogue))


types = st.sampled_from(list(ELEMENT_TYPES.values()))
edges = st.sampled_from([0, 32, 64, 100, 128])
nodes = st.one_of(
    st.builds(NODE_KINDS["AccLoad"], types),
    st.builds(NODE_KINDS["Compute"], st.sampled_from(list(OPERATORS)), types),
    st.builds(NODE_KINDS["Part"], types, edges, st.none() | edges),
    st.builds(NODE_KINDS["BlockReduced"], st.sampled_from(list(REDUCTIONS.values())), types, edges),
    st.builds(NODE_KINDS["Rotate"], types, edges),
    st.builds(NODE_KINDS["TopK"], types, st.just(0), st.none() | st.integers(0, 33)),
    st.builds(NODE_KINDS["TopKResult"], types),
    st.builds(NODE_KINDS["Cast"], types, types, st.sampled_from(["CAST_NONE", "CAST_RINT", "CAST_FLOOR"])),
    st.builds(NODE_KINDS["AuxStore"], st.sampled_from("DEF"), types),
    st.builds(NODE_KINDS["RankScatter"], st.sampled_from("DEF"), types, rows=st.just("r"), ranks=st.just("o")),
    st.builds(NODE_KINDS["Outputs"]),
)


@settings(max_examples=400)
@given(st.lists(st.tuples(nodes, st.lists(st.integers(-1, 8), max_size=3)), max_size=8), st.booleans(), st.booleans())
def test_check_never_raises_on_well_typed_graphs(ops: Any, auto_cast: bool, traced: bool) -> None:
    root = TopologicalVisitor([edges for _, edges in ops], [node for node, _ in ops])
    check(Epilogue("spec", root, auto_cast=auto_cast, traced=traced))
