"""The emitted text: complete, the same every time, and free of fixed names where a parameter belongs."""

from __future__ import annotations

import gettext
import pickle
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, epilogue
from evtgen.emit.formula import formula, product, spoken
from evtgen.emit.framework import Framework
from evtgen.emit.graph import cpp_type, fields_of, graph_types
from evtgen.emit.header import guard
from evtgen.emit.render import epilogue_files, example_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm, Scalar, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import float32, half, int8, int32
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, Outputs, RowReduce
from evtgen.operators.table import FAMILIES, FRAMEWORK, OPERATORS, SUMS_OF_PRODUCTS
from evtgen.passes.analysis.argument_order import arguments_nest
from evtgen.passes.analysis.cpp_names import MEMBERS, NAMESPACES
from evtgen.pipeline.explain import describe, operators
from evtgen.planner.plan import lower
from evtgen.report.console import printed
from evtgen.report.plans import plan as explained
from evtgen.system import translation

from ..support.emitted import SPECS, emitted, shared

FUSION = "catlass/epilogue/fusion"

EMITTED = {
    *(
        f"{FUSION}/{name}.hpp"
        for name in (
            "visitor_impl_base",
            "problem",
            "visitor_impl",
            "flat_graph",
            "tile_plan",
            "tree_visitor",
            "topological_visitor",
            "visitor_acc_load",
            "visitor_aux_load",
            "visitor_aux_store",
            "visitor_row_store",
            "visitor_col_store",
            "visitor_scalar_store",
            "visitor_block_reduced",
            "visitor_block_store",
            "visitor_block_broadcast",
            "visitor_head_broadcast",
            "visitor_rotate",
            "visitor_compute",
            "visitor_cast",
            "visitor_band",
            "band",
            "visitor_row_broadcast",
            "visitor_col_broadcast",
            "visitor_scalar_broadcast",
            "visitor_row_index",
            "visitor_col_index",
            "visitor_row_reduce",
            "visitor_col_reduce",
            "visitor_col_reduced",
            "visitor_scalar_reduce",
            "visitor_outputs",
            "visitor_in_order",
            "visitor_scatter_in_order",
            "visitor_col_index",
            "visitor_row_index",
            "visitor_col_store",
            "visitor_row_store",
            "visitor_scalar_store",
            "visitor_in_workspace",
            "visitor_on_row",
            "visitor_on_columns",
            "visitor_on_half",
            "visitor_on_first",
            "visitor_top_k",
            "visitor_top_k_result",
            "visitor_part",
            "visitor_alternate",
            "visitor_on_column",
            "visitor_by_repeats",
            "phases",
            "widened",
            "scaled",
            "scaled_slices",
            "dequantised",
            "visitor_decode_float8",
            "visitor_wide_store",
            "operations",
            *(f"operations/{name}" for name in ("operator", "approximation", *FAMILIES)),
            "broadcast",
            "reduce",
            "transpose",
            "visitor_a_statistic",
            "visitor_acc_digits",
            "visitor_aux_gather",
            "visitor_aux_scatter",
            "visitor_rank_scatter",
            "visitor_col_reduced",
            "fusion",
        )
    ),
    "catlass/epilogue/block/block_epilogue_visitor.hpp",
    "catlass/gemm/kernel/matmul_visitor.hpp",
    "catlass/gemm/kernel/batched_matmul_visitor.hpp",
    "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp",
    "catlass/gemm/kernel/grouped_matmul_slice_k_visitor.hpp",
    "catlass/gemm/kernel/visitor_groups.hpp",
    "catlass/gemm/kernel/splitk_matmul_visitor.hpp",
    *(
        f"catlass/gemm/kernel/visitor_{part}.hpp"
        for part in ("feeding", "kernel", "launch", "operand", "passes", "ring", "slices", "widening")
    ),
    "catlass/gemm/kernel/accumulator_handoff.hpp",
    "catlass/gemm/kernel/statistics_of_a.hpp",
    "catlass/gemm/kernel/digits_of_a.hpp",
    "catlass/gemm/block/block_mmad_by_tag.hpp",
    "catlass/gemm/block/block_mmad_hf32.hpp",
    "catlass/gemm/block/block_mmad_fed.hpp",
    "catlass/gemm/block/block_mmad_mx.hpp",
    "catlass/gemm/block/block_mmad_dequant.hpp",
}


def matmul_add() -> Epilogue:
    return Epilogue(
        "matmul_add",
        TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))),
    )


def test_the_framework_is_the_whole_set() -> None:
    assert set(framework_files(Framework())) == EMITTED


def test_an_operator_is_declared_where_it_is_used() -> None:
    """Each by the framework, but for those of fast_math and the user's own: these by the headers of epilogues."""
    files, declared = framework_files(Framework()), []
    for family, ops in FAMILIES.items():
        text = files[f"{FUSION}/operations/{family}.hpp"]
        names = re.findall(r"^(?:struct|using) (\w+)", text, re.MULTILINE)
        assert [name for name in names if name in OPERATORS] == [op.cpp for op in ops]
        assert f'operations/{family}.hpp"' in files[f"{FUSION}/operations.hpp"]
        declared += names
    assert {*OPERATORS} - {*declared} == {*SUMS_OF_PRODUCTS} == {*OPERATORS} - {op.cpp for op in FRAMEWORK}

    blended = TreeVisitor(Compute("MulsAxpy", half, (0.5, 2.0)), AccLoad(half), AuxLoad("X", half))
    plan = lower(Epilogue("blended", TreeVisitor(AuxStore("D", half), blended)))
    header = epilogue_files(plan, Framework())["blended.hpp"]
    assert "using MulsAxpy = Fusion::VisitorCompute<operations::MulsAxpy, half, half, half>;" in header
    assert re.findall(r"^struct (\w+)", header, re.MULTILINE) == ["MulsAxpy", "Plan", "Arguments"]
    assert re.findall(r"operations/\w+", header) == ["operations/operator"]
    (listed,) = (op for op in operators() if op["cpp"] == "MulsAxpy")
    assert [call.partition("(")[0] for call in listed["calls"]] == ["Muls", "Axpy"]


def test_an_epilogue_includes_the_operators_that_it_uses() -> None:
    """By their family, and neither the others nor all nodes."""
    graph = TreeVisitor(Compute("Greater", half), TreeVisitor(Compute("Gelu", half), AccLoad(half)), AuxLoad("X", half))
    plan = lower(
        Epilogue("some", TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("WhereScalars", half, (1, 2)), graph)))
    )
    included = re.findall(rf'"{FUSION}/([\w/]+).hpp"', epilogue_files(plan, Framework())["some.hpp"])
    nodes = [f"visitor_{name}" for name in ("acc_load", "aux_load", "aux_store", "compute")]
    assert included == ["operations/activation", "operations/comparison", "tree_visitor", *nodes]


def test_the_operators_are_short_and_their_comments_whole() -> None:
    """clang-format breaks a comment that is too long; each group of numbers says in whole lines what it is."""
    files = {path: text for path, text in framework_files(Framework()).items() if "/operations" in path}
    lines = {line.strip() for text in files.values() for line in text.splitlines()}
    abouts = [line for op in FRAMEWORK for group in op.numbers for line in group.about.splitlines()]
    assert abouts and {f"// {line}" for line in abouts} <= lines
    assert sum(len(text.splitlines()) for text in files.values()) <= 1500


def test_the_same_input_gives_the_same_bytes() -> None:
    plan, fw = lower(matmul_add()), Framework()
    assert framework_files(fw) == framework_files(fw)
    assert epilogue_files(plan, fw) == epilogue_files(lower(matmul_add()), fw)
    assert example_files(plan) == example_files(plan)


def test_every_header_has_the_guard_of_its_path() -> None:
    for path, text in framework_files(Framework()).items():
        guard = path.replace("/", "_").replace(".", "_").upper()
        assert text.startswith(f"#ifndef {guard}\n#define {guard}\n"), path
        assert text.rstrip().endswith(f"#endif // {guard}"), path


@pytest.mark.parametrize("spec", [None, *SPECS], ids=lambda spec: spec.stem if spec else "shared")
def test_lines_stay_within_120_columns(spec: Path | None) -> None:
    for path, text in (emitted(spec) if spec else shared()).items():
        for number, line in enumerate(text.splitlines(), 1):
            assert len(line) <= 120, f"{path}:{number}"
            assert line == line.rstrip(), f"{path}:{number}: trailing blank"


def test_another_namespace_and_directory_leave_nothing_of_the_old() -> None:
    fw = Framework("Catlass::Epilogue::Evt", "catlass/epilogue/evt")
    files = {**framework_files(fw), **epilogue_files(lower(matmul_add()), fw)}
    for path, text in files.items():
        assert path.startswith("catlass/epilogue/evt/") or path == "matmul_add.hpp"
        assert "Fusion" not in text, path
        assert "epilogue/fusion" not in text, path
    assert "catlass/epilogue/evt/block_epilogue_visitor.hpp" in files
    assert "catlass/epilogue/evt/matmul_visitor.hpp" in files


def test_arguments_nest_is_children_first_parent_last() -> None:
    assert arguments_nest(lower(matmul_add()).epilogue.root) == (((), "X", ()), "D")
    shared = Epilogue(
        "shared",
        TopologicalVisitor(
            [(), (), (0, 1), (2,), (2,), (3, 4)],
            [
                AccLoad(half),
                TreeVisitor(Cast(half, float32), AuxLoad("X", float32)),
                Compute("Plus", half),
                AuxStore("D", half),
                RowReduce("r", "Maximum", half, identity=-1.0),
                Outputs(),
            ],
        ),
    )
    assert arguments_nest(lower(shared).epilogue.root) == ((), ("X", ()), (), "D", "r", ())


def test_a_header_ties_each_argument_to_its_node() -> None:
    flat = " ".join(epilogue_files(lower(matmul_add()), Framework())["matmul_add.hpp"].split())
    sum_ = "{AccLoad::Arguments{}, AuxLoadX::Arguments{X, layoutX}, Plus::Arguments{}}"
    assert f"return {{ {sum_}, AuxStoreD::Arguments{{D, layoutD}}}};" in flat
    plan = lower(matmul_add())
    assert re.search(rf"// .{{,80}}\b{plan.ub_used}\b.{{,40}}\b{plan.ub_limit}\b", flat)
    assert plan.ub_limit - 6 * 512 < plan.ub_used <= plan.ub_limit == 188160


def test_names_of_equal_nodes_are_told_apart() -> None:
    plan = lower(
        Epilogue(
            "twice",
            TreeVisitor(
                AuxStore("D", half),
                TreeVisitor(
                    Compute("Plus", half),
                    AccLoad(half),
                    TreeVisitor(Compute("Plus", half), AccLoad(half), AccLoad(half)),
                ),
            ),
        )
    )
    assert plan.aliases == ("AccLoad", "AccLoad2", "AccLoad3", "Plus", "Plus2", "AuxStoreD")
    assert cpp_type(plan, "Fusion::") == (
        "Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus2, AccLoad, "
        "Fusion::TreeVisitor<Plus, AccLoad2, AccLoad3>>>"
    )


def chain(*tensors: str) -> Epilogue:
    """The accumulator, and each tensor added to what comes before it, in float."""
    value: Visitor = TreeVisitor(Cast(float32, half), AccLoad(half))
    for name in tensors:
        more = TreeVisitor(Cast(float32, half), AuxLoad(name, half))
        value = TreeVisitor(Compute("Plus", float32), value, more)
    return Epilogue("chain", TreeVisitor(AuxStore("D", half), TreeVisitor(Cast(half, float32, "CAST_RINT"), value)))


def test_casts_are_named_after_what_is_cast() -> None:
    assert lower(chain("X", "x1")).aliases == (
        "AccLoad", "CastCToFloat", "AuxLoadX", "CastXToFloat", "Plus",
        "AuxLoadX1", "CastX1ToFloat", "Plus2", "CastPlusToHalf", "AuxStoreD",
    )  # fmt: skip
    to_int8 = TreeVisitor(Cast(int8, half, "CAST_RINT"), AccLoad(half))
    stores = [TreeVisitor(AuxStore(name, int8), to_int8) for name in "PQ"]
    plan = lower(Epilogue("twice", TreeVisitor(Outputs(), *stores)))
    assert {"CastCToInt8", "CastCToInt8_2"} <= set(plan.aliases)


def test_subtrees_are_named_after_what_they_compute() -> None:
    types = graph_types(lower(chain("X", "bias")), "")
    assert [f"{line.name} = {line.cpp}" for line in types.subtrees] == [
        "CAsFloat = TreeVisitor<CastCToFloat, AccLoad>",
        "XAsFloat = TreeVisitor<CastXToFloat, AuxLoadX>",
        "CPlusX = TreeVisitor<Plus, CAsFloat, XAsFloat>",
        "BiasAsFloat = TreeVisitor<CastBiasToFloat, AuxLoadBias>",
        "CPlusXPlusBias = TreeVisitor<Plus2, CPlusX, BiasAsFloat>",
        "CPlusXPlusBiasAsHalf = TreeVisitor<CastPlusToHalf, CPlusXPlusBias>",
    ]
    assert types.evt == "TreeVisitor<AuxStoreD, CPlusXPlusBiasAsHalf>"


def test_no_subtree_is_called_like_anything_else() -> None:
    # The user's own names are those that the subtrees would have had.
    plan = lower(chain("CPlusX", "XAsFloat", "X", "layoutX"))
    names = [line.name for line in graph_types(plan, "").subtrees]
    assert len(set(names)) == len(names)
    fields = {field.name for _, node in plan.nodes() for field in fields_of(node, plan)}
    assert not set(names) & {*fields, *plan.aliases, *MEMBERS, *NAMESPACES}
    assert "XAsFloat2" in names


def test_a_long_name_says_the_operator_alone() -> None:
    types = graph_types(lower(chain("residual", "positional", "bias")), "")
    assert [line.name for line in types.subtrees if "Plus" in line.name] == [
        "CPlusResidual", "CPlusResidualPlusPositional", "Plus3Value", "Plus3AsHalf",
    ]  # fmt: skip


def test_a_tree_in_a_topological_visitor_has_a_name_and_edges_say_what_they_join() -> None:
    square = TopologicalVisitor(
        [(), (0, 0), (1,)],
        [TreeVisitor(Cast(float32, half), AccLoad(half)), Compute("Multiplies", float32), AuxStore("D", float32)],
    )
    types = graph_types(lower(Epilogue("square", square)), "")
    assert [line.name for line in types.subtrees] == ["CAsFloat"]
    assert types.evt == "TopologicalVisitor<Edges, CAsFloat, Multiplies, AuxStoreD>"
    comments = [edge.comment for edge in types.edges]
    assert comments == ["0: CAsFloat", "1: Multiplies(CAsFloat, CAsFloat)", "2: AuxStoreD(Multiplies)"]


def test_a_formula_names_what_is_long_or_repeated() -> None:
    assert formula(lower(chain("X"))) == ["D = half(float(C) + float(X))"]
    lines = formula(lower(chain(*(f"tensor_{i}" for i in range(9)))))
    assert len(lines) > 2 and max(map(len, lines)) <= 100
    assert lines[0].startswith("plus") and lines[0].count("tensor") == lines[0].count("float(t")
    total = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    leaky = TreeVisitor(Compute("LeakyRelu", half, scalar=0.5), total)
    plan = lower(Epilogue("leaky", TreeVisitor(AuxStore("D", half), leaky)))
    assert formula(plan) == ["plus = C + X", "D = (plus >= 0 ? plus : plus * 0.5)"]


def test_a_formula_wraps_what_has_no_terms_to_name() -> None:
    names = [f"addend_number_{i}" for i in range(12)]
    total = TreeVisitor(Compute("Plus", half), AccLoad(half), *(AuxLoad(name, half) for name in names))
    lines = formula(lower(Epilogue("total", TreeVisitor(AuxStore("D", half), total))))
    assert len(lines) > 1 and max(map(len, lines)) <= 100
    assert [line.startswith("    ") for line in lines] == [False, *[True] * (len(lines) - 1)]


def test_a_formula_s_names_are_not_the_user_s() -> None:
    square = TopologicalVisitor(
        [(), (), (0, 1), (2, 2), (3,)],
        [AccLoad(half), AuxLoad("plus", half), Compute("Plus", half), Compute("Plus", half), AuxStore("D", half)],
    )
    assert formula(lower(Epilogue("e", square))) == ["plus2 = C + plus", "D = plus2 + plus2"]


def test_two_accumulators_have_the_names_of_the_spec() -> None:
    """And the product says which is which: in formulas, in print(e) and in what explain prints."""

    @epilogue(gemm=Gemm(accumulators="separate"))
    def gated(gate: Acc[evt.float32], up: Acc[evt.float32]) -> Any:
        return {"D": up / gate}

    plan = lower(gated)
    assert (product(plan), formula(plan)) == ("gate = A * B and up = A * B2", ["D = up / gate"])
    assert str(gated).splitlines()[1:] == ["  gate = A * B and up = A * B2", "  D = up / gate"]
    described = describe(pickle.loads(pickle.dumps(plan)))
    assert printed(partial(explained, described)).splitlines()[1:3] == str(gated).splitlines()[1:]

    @epilogue(gemm=Gemm(accumulators="separate"))
    def like_operands(A: Acc[evt.float32], B: Acc[evt.float32]) -> Any:
        return {"D": B / A}

    assert (product(lower(like_operands)), formula(lower(like_operands))) == (
        "C = A * B and C2 = A * B2",
        ["D = C2 / C"],
    )


def test_accumulators_without_names_of_their_own_are_c_and_c2() -> None:
    """One alone is C, as the pages call it; a name that an output has, too, says nothing."""

    @epilogue
    def alone(logits: Acc[evt.float32]) -> Any:
        return {"D": logits * 2}

    @epilogue(gemm=Gemm(accumulators="halves"))
    def both(gate: Acc[evt.float32], up: Acc[evt.float32]) -> Any:
        return {"gate": up / gate}

    assert (product(lower(alone)), formula(lower(alone))) == ("C = A * B", ["D = C * 2"])
    assert formula(lower(both)) == ["gate = C2 / C"]
    assert product(lower(both)) == "C and C2, the left and the right half of A * B"


@pytest.mark.parametrize("names", [("cast_evt", "Cast_evt", "CAST_EVT"), ("a1_b", "A1_b", "a1_B")])
def test_guards_are_in_capitals_and_tell_names_apart(names: tuple[str, ...]) -> None:
    guards = [guard(name) for name in names]
    assert len(set(guards)) == len(guards)
    assert all(re.fullmatch(r"EVTGEN[0-9A-F]*_[A-Z0-9_]+_HPP", text) for text in guards)
    assert guard("cast_evt") == "EVTGEN_CAST_EVT_HPP"


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (Compute("Muls", half, scalar=0.5), "{{static_cast<half>(0.5f)}}"),
        (Compute("Adds", half, scalar=-3), "{{static_cast<half>(-3.0f)}}"),
        (Compute("Adds", int32, scalar=-3), "{{-3}}"),
        (Compute("Muls", float32, scalar=10**30), "{{1e+30f}}"),
        (Compute("Adds", half, scalar=1 + 2**-11 + 2**-40), "{{static_cast<half>(1.001f)}}"),
        (Compute("Adds", half, scalar=65519.9999999), "{{static_cast<half>(65504.0f)}}"),
        (Compute("Maxs", half, scalar=float("-inf")), "{{static_cast<half>(-__builtin_inff())}}"),
        (Compute("Clamp", float32, scalar=(-1, Scalar("high"))), "{{-1.0f, high}}"),
        (Compute("Clamp", half, scalar=(-Scalar("high"), Scalar("high"))),
         "{{static_cast<half>(-high), static_cast<half>(high)}}"),
        (Compute("Swish", half, scalar=2), "{{2.0f}}"),  # it computes in float
    ],
)  # fmt: skip
def test_constants_are_arguments_of_their_node(compute: Compute, expected: str) -> None:
    """As they are in Catlass: members of the operator, which take their values from the node's arguments."""
    T = compute.T
    plan = lower(Epilogue("e", TreeVisitor(AuxStore("D", T), TreeVisitor(compute, AccLoad(T)))))
    text = " ".join(epilogue_files(plan, Framework())["e.hpp"].split())
    assert f"{compute.op}::Arguments{expected}" in text
    assert compute.operator is not None
    member = compute.operator.computed_in(T).cpp
    scalars = f", {member}" * len(compute.constants)
    assert f"using {compute.op} = Fusion::VisitorCompute<Fusion::{compute.op}, {T.cpp}{scalars}>;" in text


def test_a_header_defines_no_operator_of_the_framework() -> None:
    """However many constants an operator has there, the framework's is used as it stands."""
    half_of = TreeVisitor(Compute("Muls", half, scalar=0.5), AccLoad(half))
    plan = lower(
        Epilogue("e", TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Muls", half, scalar=0.25), half_of)))
    )
    text = epilogue_files(plan, Framework())["e.hpp"]
    assert re.findall(r"struct (\w+)", text) == ["Plan", "Arguments"]


def test_words_of_formulas_are_english_but_where_a_user_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is emitted is the same in every language."""
    chinese = gettext.translation(translation.DOMAIN, translation.LOCALE, ["zh"])
    monkeypatch.setattr(translation, "_CATALOG", chinese)
    rows = TreeVisitor(RowReduce("sums", "add", float32), AccLoad(float32))
    plan = lower(Epilogue("sums_of_rows", rows))
    assert formula(plan) == ["sums += sum of the rows of C"]
    assert spoken()(formula)(plan) == ["sums += sum(C, 跨行)"]
    assert formula(plan) == ["sums += sum of the rows of C"]
