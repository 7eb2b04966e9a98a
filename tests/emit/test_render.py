"""The emitted text: complete, the same every time, and free of fixed names where a parameter belongs."""

from __future__ import annotations

import re

import pytest

from evtgen.emit.render import Framework, cpp_type, epilogue_files, example_files, framework_files
from evtgen.ir import Epilogue, Scalar, TopologicalVisitor, TreeVisitor
from evtgen.lower.plan import arguments_nest, lower
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, Outputs, RowBroadcast, RowReduce
from evtgen.types import float32, half, int32

FUSION = "catlass/epilogue/fusion"

EMITTED = {
    *(
        f"{FUSION}/{name}.hpp"
        for name in (
            "visitor_impl_base",
            "visitor_impl",
            "tree_visitor",
            "topological_visitor",
            "visitor_acc_load",
            "visitor_aux_load",
            "visitor_aux_store",
            "visitor_compute",
            "visitor_cast",
            "visitor_row_broadcast",
            "visitor_col_broadcast",
            "visitor_scalar_broadcast",
            "visitor_row_reduce",
            "visitor_col_reduce",
            "visitor_scalar_reduce",
            "visitor_outputs",
            "operations",
            "reduce",
            "fusion",
        )
    ),
    "catlass/epilogue/block/block_epilogue_visitor.hpp",
    "catlass/gemm/kernel/matmul_visitor.hpp",
}


def matmul_add() -> Epilogue:
    return Epilogue(
        "matmul_add",
        TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))),
    )


def test_the_framework_is_the_whole_set() -> None:
    assert set(framework_files(Framework())) == EMITTED


def test_the_same_input_gives_the_same_bytes() -> None:
    plan, fw = lower(matmul_add()), Framework()
    assert framework_files(fw) == framework_files(fw)
    assert epilogue_files(plan, fw) == epilogue_files(lower(matmul_add()), fw)
    assert example_files(plan, fw) == example_files(plan, fw)


def test_every_header_has_the_guard_of_its_path() -> None:
    for path, text in framework_files(Framework()).items():
        guard = path.replace("/", "_").replace(".", "_").upper()
        assert text.startswith(f"#ifndef {guard}\n#define {guard}\n"), path
        assert text.rstrip().endswith(f"#endif  // {guard}"), path


def test_lines_stay_within_120_columns() -> None:
    plan, fw = lower(matmul_add()), Framework()
    for path, text in {**framework_files(fw), **epilogue_files(plan, fw), **example_files(plan, fw)}.items():
        for number, line in enumerate(text.splitlines(), 1):
            assert len(line) <= 120 or path.endswith(".md"), f"{path}:{number}"
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
    text = epilogue_files(lower(matmul_add()), Framework())["matmul_add.hpp"]
    flat = " ".join(text.split())
    assert "static_assert(std::is_same_v< EVT::Arguments, tla::tuple<" in flat.replace("( std", "(std")
    assert "tla::tuple<tla::tuple<AccLoad::Arguments, AuxLoadX::Arguments, Plus::Arguments>" in flat


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
    assert cpp_type(plan, Framework()) == (
        "Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus2, AccLoad, "
        "Fusion::TreeVisitor<Plus, AccLoad2, AccLoad3>>>"
    )


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (Compute("Muls", half, scalar=0.5), "{{static_cast<half>(0.5f)}}"),
        (Compute("Adds", half, scalar=-3), "{{static_cast<half>(-3.0f)}}"),
        (Compute("Adds", int32, scalar=-3), "{{-3}}"),
        (Compute("Muls", float32, scalar=10**30), "{{1e+30f}}"),
        (Compute("Adds", half, scalar=1 + 2**-11 + 2**-40), "{{static_cast<half>(1.001f)}}"),
        (Compute("Adds", half, scalar=65519.9999999), "{{static_cast<half>(65504.0f)}}"),
        (Compute("Maxs", half, scalar=float("-inf")), "{{static_cast<half>(-INFINITY)}}"),
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
    assert re.findall(r"struct (\w+)", text) == ["Arguments"]


def test_the_example_fills_a_reduction_with_its_identity() -> None:
    plan = lower(
        Epilogue(
            "r",
            TreeVisitor(
                RowReduce("m", "Maximum", half, identity=-65504.0),
                TreeVisitor(Compute("Plus", half), AccLoad(half), RowBroadcast("row", half)),
            ),
        )
    )
    text = example_files(plan, Framework())["r/r.cpp"]
    assert "tensorM.Fill(static_cast<float>(epilogue.identityM));" in text
    assert "std::vector<float> goldenM(tensorM.host.size(), -65504.0f);" in text
    assert "goldenM[column] = std::fmax(goldenM[column], plus);" in text
