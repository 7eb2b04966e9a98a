"""EVTs in C++ read into epilogues: the reader agrees with what is emitted, and flags what is wrong at its line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.cpp import clang
from evtgen.frontend.cpp.nodes import KINDS
from evtgen.frontend.cpp.paths import INCLUDE_DIRS, is_cpp, selected
from evtgen.frontend.cpp.read import Read, read
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue, Gemm, Scalar, TreeVisitor, flatten
from evtgen.graph.types import ColumnMajor, float32, half, int8
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, RowReduce, Tensor, VisitorNode
from evtgen.operators.constants import nearest
from evtgen.pipeline.specs import each_checked
from evtgen.planner.plan import Plan, lower

from ..support.graphs import random_epilogue
from ..support.paths import CHECKOUT, GENERATED

PROGRAM = """
#include "catlass/epilogue/fusion/fusion.hpp"
#include "helper.hpp"

using namespace Catlass;

static void Run(Options const& options)
{
    uint32_t m = options.problemShape.m();
    uint32_t n = options.problemShape.n();
    layout::RowMajor layoutX{m, n};
    layout::RowMajor layoutBias{1, n};
    layout::RowMajor layoutD{m, n};
    uint8_t* deviceX{nullptr};
    uint8_t* deviceBias{nullptr};
    uint8_t* deviceSum{nullptr};
    uint8_t* deviceD{nullptr};
    constexpr float slope = 0.25f;
    constexpr uint32_t computeLength = Arch::AtlasA2::UB_SIZE / 12 / sizeof(float);

    // D = leaky_relu(float(C) + X) * bias
    using Scaled = Epilogue::Fusion::TreeVisitor<
        Epilogue::Fusion::VisitorCompute<Epilogue::Fusion::Multiplies, float>,
        Epilogue::Fusion::TreeVisitor<
            Epilogue::Fusion::VisitorCompute<Epilogue::Fusion::LeakyRelu, float, float>,
            Epilogue::Fusion::TreeVisitor<
                Epilogue::Fusion::VisitorCompute<Epilogue::Fusion::Plus, float>,
                Epilogue::Fusion::TreeVisitor<
                    Epilogue::Fusion::VisitorCast<float, half>,
                    Epilogue::Fusion::VisitorAccLoad<half>
                >,
                Epilogue::Fusion::VisitorAuxLoad<float, layout::RowMajor>
            >
        >,
        Epilogue::Fusion::VisitorRowBroadcast<float, layout::RowMajor>
    >;
    using Stored = Epilogue::Fusion::TreeVisitor<
        Epilogue::Fusion::VisitorAuxStore<float, layout::RowMajor>,
        Scaled
    >;
    using EVT = Epilogue::Fusion::TreeVisitor<
        Epilogue::Fusion::VisitorRowReduce<Epilogue::Fusion::Plus, float, layout::RowMajor>,
        Stored
    >;
    using BlockEpilogue = Epilogue::Block::BlockEpilogue<
        Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<half, layout::RowMajor>, tla::Int<computeLength>, EVT>;

    typename EVT::Arguments evt_args{
        {
            {
                {
                    {
                        {{}, {}},
                        {deviceX, layoutX},
                        {}
                    },
                    {{slope}}
                },
                {deviceBias, layoutBias},
                {}
            },
            {deviceD, layoutD}
        },
        {deviceSum, layout::RowMajor{1, n}, 0.0f}
    };
}
"""
"""An epilogue as a program has it: its types in place, its arguments beside them."""


def reads(text: str, name: str = "", file: str = "program.cpp") -> list[Read]:
    return read(Path(file), text.encode(), name)


def only(text: str, file: str = "program.cpp") -> Epilogue:
    """The one EVT of a text, in which nothing is wrong."""
    [one] = reads(text, file=file)
    assert one.epilogue is not None and one.diagnostics == ()
    return one.epilogue


def said(text: str) -> list[Diagnostic]:
    """What ``lint`` says of a text."""
    found = reads(text)
    return [d for one in found for d in (*one.diagnostics, *(check(one.epilogue) if one.epilogue else []))]


def line_of(text: str, part: str) -> int:
    assert text.count(part) == 1, part
    return text[: text.index(part)].count("\n") + 1


# The declarations


def test_declarations_are_sound(tmp_path: Path) -> None:
    assert clang.parsed(tmp_path / "nothing.cpp", b"").errors == []


@pytest.mark.parametrize("template", sorted(KINDS))
def test_every_node_is_declared(template: str) -> None:
    text = (Path(clang.__file__).parent / "declarations.hpp").read_text()
    assert re.search(rf"(?:struct |EVTGEN_NODE\(){template}\b", text)


def test_other_names_of_functors_are_those_of_the_framework() -> None:
    text = framework_files(Framework())["catlass/epilogue/fusion/operations.hpp"]
    aliases = dict(re.findall(r"^using (\w+) = (\w+)<Element>;", text, re.MULTILINE))
    assert aliases and aliases.items() <= clang.FUNCTORS.items()


# What is emitted is read back


def plans() -> dict[str, Plan]:
    """The plans of all examples that are in ``generated``."""
    specs = sorted((CHECKOUT / "examples").glob("*.py"))
    return {epilogue.name: lower(epilogue) for epilogue in load(specs)}


def values(epilogue: Epilogue) -> dict[tuple[str, str], Any]:
    """What an epilogue writes to each tensor: its expression, without the outputs that hand it on."""
    steps = flatten(epilogue.root)

    def value(index: int) -> Any:
        node = steps[index].node
        assert isinstance(node, VisitorNode)
        if isinstance(node, Compute):
            # C++ has a constant as the value that it becomes.
            held = tuple(c if isinstance(c, Scalar) else nearest(c, node.element_constant) for c in node.constants)
            node = replace(node, scalar=held)
        return value(steps[index].inputs[0]) if node.forwards else (node, *map(value, steps[index].inputs))

    outputs = [(step.node, step.inputs) for step in steps if isinstance(step.node, VisitorNode) and step.node.writes]
    return {
        (node.tensor.name, type(node).__name__): (node, value(inputs[0])) for node, inputs in outputs if node.tensor
    }


def computed(epilogue: Epilogue) -> Iterator[str]:
    """The kinds of the nodes that make values."""
    nodes = (step.node for step in flatten(epilogue.root))
    yield from (
        type(node).__name__ for node in nodes if isinstance(node, VisitorNode) and not node.forwards and not node.joins
    )


def same(found: Epilogue, plan: Plan) -> None:
    """An epilogue is the one of a plan, node by node where it has no phases."""
    expected = plan.epilogue
    if plan.parts:
        assert values(found) == values(expected)
        assert sorted(computed(found)) == sorted(computed(expected))  # nothing twice
    else:
        assert found.root == expected.root
        assert (found.compute_length, found.buffers) == (plan.compute_length, plan.buffers)
    assert (found.name, found.arch, found.deterministic) == (expected.name, expected.arch, expected.deterministic)
    chosen = plan.gemm
    open_fields = {"workspace_stages", "handoff", "accumulators"}  # defaults and what no type says
    for name in vars(chosen).keys() - open_fields:
        assert getattr(found.gemm, name) == getattr(chosen, name), name


def emitted(plan: Plan) -> str:
    [text] = [text for path, text in epilogue_files(plan, Framework()).items() if path.endswith(".hpp")]
    return text


@pytest.fixture(scope="module")
def planned() -> dict[str, Plan]:
    return plans()


@pytest.mark.parametrize("header", sorted(path.name for path in (GENERATED / "include").glob("*.hpp")))
def test_generated_headers_are_read_back(header: str, planned: dict[str, Plan]) -> None:
    path = GENERATED / "include" / header
    [one] = read(path, path.read_bytes())
    assert one.epilogue is not None and one.diagnostics == ()
    same(one.epilogue, planned[path.stem])
    assert not check(one.epilogue)


GALLERY = (
    "rows/batch_norm_training", "rows/quantize_per_token", "rows/causal_softmax", "elsewhere/expert_scatter",
    "experts/dispatch_ffn_combine", "experts/grouped_matmul_finalize_routing", "experts/lora_expand",
    "experts/grouped_swiglu_quant_tensor_list",
    "elsewhere/transposed_addmm", "blas/outliers_apart", "gated/swiglu_separate",
    "quantized/w8a16_linear", "quantized/fp8_block_linear", "quantized/w4a16_linear",
    "experts/grouped_matmul_antiquant", "mx/mx_matmul", "mx/mx_grouped_matmul", "mx/fp4_mx_matmul",
    "mx/a8w4_mx_matmul", "quantized/quant_matmul_per_group_per_block", "quantized/quant_batch_matmul_v3",
    "float8/w8a8_block_fp8_matmul", "quantized/w4a8_grouped_matmul_msd",
)  # fmt: skip
"""Epilogues in phases with outputs between, with rows that are named, with columns, masks, positions and numbers at run
time, with two accumulators, with a B that is widened, and with an A in digits."""


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery_is_read_back(name: str) -> None:
    page, _, epilogue = name.partition("/")
    plan = next(lower(one) for one in load([CHECKOUT / f"examples/gallery/{page}.py"]) if one.name == epilogue)
    same(only(emitted(plan), f"{plan.name}.hpp"), plan)


def test_a_b_that_goes_to_l1_is_read_back() -> None:
    root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
    plan = lower(Epilogue("fed", root, gemm=Gemm(half, int8, layout_b=ColumnMajor), arch="Ascend950"))
    text = emitted(plan)
    assert "VisitorWideStore<half, 128, 256>" in text and "TileCopyFed<" in text
    same(only(text, "fed.hpp"), plan)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_random_graphs_are_read_back(seed: int) -> None:
    plan = lower(random_epilogue(seed))
    same(only(emitted(plan), f"{plan.name}.hpp"), plan)


# What is wrong is flagged at its line


def test_a_program_is_read() -> None:
    found = only(PROGRAM)
    nodes = [step.node for step in flatten(found.root)]
    assert [node.tensor for node in nodes if isinstance(node, AuxLoad)] == [
        Tensor("X", float32, AuxLoad("X", float32).tensor.shape, AuxLoad("X", float32).layout, output=False)
    ]
    assert [node.scalar for node in nodes if isinstance(node, Compute)] == [None, 0.25, None]
    assert [(node.name, node.identity) for node in nodes if isinstance(node, RowReduce)] == [("Sum", 0.0)]
    cast = next(node for node in nodes if isinstance(node, Cast))
    assert cast.location is not None and cast.location.line == line_of(PROGRAM, "VisitorCast<float, half>")
    assert (found.name, found.arch, found.compute_length, found.buffers) == ("program", "AtlasA2", 4096, 2)
    assert found.gemm.c == half and not check(found)


GIVES = {
    "children_in_another_order": (
        "{{}, {}},\n                        {deviceX, layoutX},",
        "{deviceX, layoutX},\n                        {{}, {}},", "EVT215", "{deviceX, layoutX},",
    ),
    "parent_first": ("{{}, {}},\n                        {deviceX, layoutX},\n                        {}",
                     "{}, {{}, {}}, {deviceX, layoutX}", "EVT215", "{}, {{}, {}}, {dev"),
    "one_too_few": ("                        {}\n                    },", "                    },", "EVT215",
                    "{\n                        {{}, {}}"),
    "constant_without_its_braces": ("{{slope}}", "{slope}", "EVT215", "{slope}"),
    "constant_left_out": ("{{slope}}", "{}", "EVT215", None),
    "constant_missing": ("{{slope}}", "{{}}", "EVT215", "{{}}\n"),
    "one_extent": ("{deviceBias, layoutBias}", "{deviceBias, layout::RowMajor{n}}", "EVT215", "RowMajor{n}}"),
    "constants_too_many": ("{{slope}}", "{{slope, slope}}", "EVT215", "{{slope, slope}}"),
    "layout_first": ("{deviceBias, layoutBias}", "{layoutBias, deviceBias}", "EVT215", "{layoutBias, deviceBias}"),
    "no_layout": ("{deviceBias, layoutBias}", "{deviceBias}", "EVT215", "{deviceBias}"),
    "nothing": ("{deviceBias, layoutBias}", "{}", "EVT215", None),
    "number_for_a_pointer": ("{deviceBias, layoutBias}", "{1.0f, layoutBias}", "EVT215", "{1.0f, layoutBias}"),
    "arguments_for_a_pointer": ("{deviceBias, layoutBias}", "{evt_args, layoutBias}", "EVT215", "{evt_args, lay"),
    "identity_for_a_store": ("{deviceD, layoutD}", "{deviceD, layoutD, 0.0f}", "EVT215", "{deviceD, layoutD, 0.0f}"),
    "layout_of_a_matrix": ("{deviceBias, layoutBias}", "{deviceBias, layoutX}", "EVT219", "{deviceBias, layoutX}"),
    "layout_of_a_column": ("layout::RowMajor{1, n}, 0.0f", "layout::RowMajor{m, 1}, 0.0f", "EVT219", "{m, 1}, 0.0f"),
    "other_layout": ("AuxLoad<float, layout::RowMajor>", "AuxLoad<float, layout::ColumnMajor>", "EVT215",
                     "{deviceX, layoutX}"),
    "missing_cast": ("VisitorCast<float, half>", "VisitorCast<float, float>", "EVT021", "VisitorCast<float, float>"),
    "other_accumulator": ("AccLoad<half>", "AccLoad<float>", "EVT043", "AccLoad<float>"),
    "store_of_another_type": ("AuxStore<float, layout", "AuxStore<half, layout", "EVT021", "AuxStore<half, layout"),
    "no_element_type": ("AuxLoad<float,", "AuxLoad<double,", "EVT216", "AuxLoad<double,"),
    "no_such_functor": ("LeakyRelu, float", "LeakyReluu, float", "EVT216", "LeakyReluu, float"),
    "no_such_block": ("tla::Int<computeLength>", "tla::Int<unknown>", "EVT223", "tla::Int<unknown>"),
    "odd_length": ("/ 12 / sizeof(float)", "/ 12 / sizeof(float) + 1", "EVT053", "using EVT"),
    "too_few_inputs": ("Fusion::LeakyRelu, float, float", "Fusion::Plus, float", "EVT027",
                       "Fusion::Plus, float>,\n            Epilogue::Fusion::TreeVisitor<\n                Epi"),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVES)
def test_what_is_wrong_is_flagged_at_its_line(name: str) -> None:
    old, new, code, part = GIVES[name]
    assert PROGRAM.count(old) == 1
    text = PROGRAM.replace(old, new)
    line = line_of(text, part) if part else line_of(PROGRAM, old)
    assert (code, line) in [(d.code, d.location.line) for d in said(text) if d.location]


FINE = {
    "copied_layout": ("{deviceBias, layoutBias}", "{deviceBias, layout::RowMajor{layoutBias}}"),
    "extents_in_place": ("{deviceBias, layoutBias}", "{deviceBias, {1, n}}"),
    "identity_of_a_sum_left_out": ("layout::RowMajor{1, n}, 0.0f}", "layout::RowMajor{1, n}}"),
    "constant_in_place": ("{{slope}}", "{{-0.5f}}"),
    "pointer_of_a_cast": ("{deviceX, layoutX}", "{reinterpret_cast<uint8_t*>(x.data()), layoutX}"),
    "layout_of_a_call": ("{deviceX, layoutX}", "{deviceX, MakeLayoutSomewhere(m, n)}"),
    "assigned_later": ("typename EVT::Arguments evt_args{", "typename EVT::Arguments evt_args;\n    evt_args = {"),
    "shorter_tiles": ("/ 12 / sizeof(float)", "/ 16 / sizeof(float)"),
    "a_row_of_one_column": ("layout::RowMajor layoutX{m, n}", "layout::RowMajor layoutX{1, 1}"),
}


@pytest.mark.parametrize("name", FINE)
def test_what_is_right_is_not(name: str) -> None:
    old, new = FINE[name]
    assert PROGRAM.count(old) == 1
    assert said(PROGRAM.replace(old, new)) == []


TOPO = (GENERATED / "include/matmul_add_topo.hpp").read_text()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("tla::seq<>,     // 1", "tla::seq<3>,     // 1", "EVT022"),
        ("tla::seq<2, 2>", "tla::seq<0, 1>", "EVT026"),
        ("tla::seq<2, 2>", "tla::seq<2, 9>", "EVT023"),
        ("tla::seq<2, 2>", "tla::seq<2>", "EVT027"),
        ("tla::seq<>,     // 0: AccLoad\n", "", "EVT024"),
        ("AuxLoadX::Arguments{X, layoutX}, Plus::Arguments{}", "Plus::Arguments{}, AuxLoadX::Arguments{X, layoutX}",
         "EVT215"),
        ("Plus::Arguments{}, Plus2::Arguments{}", "Plus2::Arguments{}, Plus::Arguments{}", "EVT215"),
        ("Fusion::Plus, half>;\nusing Plus2", "Fusion::Plus, float>;\nusing Plus2", "EVT021"),
    ],
)  # fmt: skip
def test_a_topological_visitor(old: str, new: str, code: str) -> None:
    assert TOPO.count(old) == 1 and not said(TOPO)
    assert code in [d.code for d in said(TOPO.replace(old, new))]


def test_what_no_compiler_takes_is_not_fine() -> None:
    end = TOPO.index("struct", TOPO.index("using EVT"))
    for text, when in (("#error other macros\n" + TOPO, "error"), (TOPO[:end], "end")):
        found = [d for one in reads(text) for d in one.diagnostics]
        assert {(d.code, d.case) for d in found} >= {("EVT216", when)}
    assert not said("#if 0\n#error other macros\n#endif\n" + TOPO)


TWO = """
namespace Fusion = Catlass::Epilogue::Fusion;
using namespace Catlass;
using AccLoad = Fusion::VisitorAccLoad<half>;
using AuxLoadX = Fusion::VisitorAuxLoad<half>;
using AuxLoadY = Fusion::VisitorAuxLoad<half>;
using AuxStoreD = Fusion::VisitorAuxStore<half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, half>;
using EVT = Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus, AccLoad, AuxLoadX, AuxLoadY>>;
void Run(uint8_t* X, uint8_t* Y, uint8_t* D, layout::RowMajor layout)
{
    EVT::Arguments args{{{}, {X, layout}, {Y, layout}, {}}, {D, layout}};
}
"""


def test_tensors_that_change_places_are_flagged() -> None:
    assert said(TWO) == []
    text = TWO.replace("{X, layout}, {Y, layout}", "{Y, layout}, {X, layout}")
    assert [d.code for d in said(text)] == ["EVT219", "EVT219"]
    typed = TWO.replace("{X, layout}, {Y, layout}", "AuxLoadY::Arguments{X, layout}, AuxLoadX::Arguments{Y, layout}")
    assert [d.code for d in said(typed)] == ["EVT215"]
    assert said(TWO.replace("{X, layout}", "AuxLoadX::Arguments{X, layout}")) == []
    again = TWO.replace("AuxLoadY = Fusion::VisitorAuxLoad<half>", "AuxLoadY = AuxLoadX").replace(
        "{Y, l", "AuxLoadX::Arguments{Y, l"
    )
    assert said(again) == []
    apart = TWO.replace("void Run", "using Load = AuxLoadX;\nvoid Run").replace(
        "{Y, layout}", "Load::Arguments{Y, layout}"
    )
    assert said(apart) == []


def test_one_tensor_may_be_read_and_written() -> None:
    found = only(TWO.replace("{X, layout}, {Y", "{D, layout}, {Y"))
    names = [tensor.name for step in flatten(found.root) for tensor in getattr(step.node, "tensors", ())]
    assert names == ["D_in", "Y", "D"] and not check(found)


def test_arguments_within_those_of_the_kernel() -> None:
    kernel = """
using Block = Epilogue::Block::BlockEpilogue<
    Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<half, layout::RowMajor>, tla::Int<4096>, EVT>;
using Kernel = Gemm::Kernel::MatmulVisitor<int, Block, Gemm::Block::GemmIdentityBlockSwizzle<3, 1>>;
void Run("""
    text = TWO.replace("\nvoid Run(", kernel, 1)
    text = text.replace("EVT::Arguments args{{", "Kernel::Arguments args{shape, a, b, {{").replace("}};", "}}};")
    assert only(text).gemm.swizzle == (3, 1)
    assert [d.code for d in said(text.replace("{X, layout}, {Y, layout}, {}}", "{X, layout}, {Y, layout}}"))] == [
        "EVT215"
    ]


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("deviceX", "X"), ("gm_bias", "bias"), ("xDevice", "x"), ("d_out", "out"), ("dst", "dst"), ("p", "p"),
        ("tensorX.device", "X"), ("x->data()", "x"), ("buffer.GetDeviceAddr()", "buffer"), ("data", "data"),
        ("reinterpret_cast<uint8_t*>(deviceX)", "X"), ("(GM_ADDR)x.get()", "x"), ("static_cast<GM_ADDR>(pX)", "X"),
        ("nullptr", "X"), ("half_t", "half_t"), ("GM_ADDR", "X"),
    ],
)  # fmt: skip
def test_names_of_tensors(pointer: str, name: str) -> None:
    found = only(TWO.replace("{X, layout}", f"{{{pointer}, layout}}"))
    [first, _] = [step.node.name for step in flatten(found.root) if isinstance(step.node, AuxLoad)]
    assert first == name


def test_one_variable_in_two_types() -> None:
    muls = "Fusion::VisitorCompute<Fusion::Muls, {0}, {0}>"
    text = f"""
namespace Fusion = Catlass::Epilogue::Fusion;
using Half = Fusion::TreeVisitor<{muls.format("half")}, Fusion::VisitorAccLoad<half>>;
using Wide = Fusion::TreeVisitor<{muls.format("float")}, Fusion::TreeVisitor<Fusion::VisitorCast<float, half>, Half>>;
using EVT = Fusion::TreeVisitor<Fusion::VisitorAuxStore<float>, Wide>;
void Run(uint8_t* D, float alpha)
{{
    EVT::Arguments args{{{{{{{{{{}}, {{{{alpha}}}}}}, {{}}}}, {{{{alpha}}}}}}, {{D, {{3, 2}}}}}};
}}
"""
    found = only(text)
    scalars = [step.node.scalar for step in flatten(found.root) if isinstance(step.node, Compute)]
    assert scalars == [Scalar("alpha", half), Scalar("alpha_float32", float32)] and not check(found)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5f", 0.5), ("-1e-6f", -1e-6), ("2", 2), ("static_cast<half>(3.0f)", 3.0), ("half(-2)", -2), ("0x10", 16),
        ("-INFINITY", float("-inf")), ("std::numeric_limits<float>::lowest()", -65504.0), ("fixed", 0.25), ("{}", 0),
        ("given", Scalar("given", half, 1.5)), ("-given", Scalar("given", half, 1.5, negative=True)),
        ("open", Scalar("open", half)), ("options.slope", Scalar("slope", half)),
        ("Slope(m, 2)", Scalar("LeakyRelu_1", half)),
    ],
)  # fmt: skip
def test_constants(text: str, number: Any) -> None:
    program = f"""
namespace Fusion = Catlass::Epilogue::Fusion;
using Leaky = Fusion::TreeVisitor<Fusion::VisitorCompute<Fusion::LeakyRelu, half, half>, Fusion::VisitorAccLoad<half>>;
using EVT = Fusion::TreeVisitor<Fusion::VisitorAuxStore<half>, Leaky>;
void Run(uint8_t* D, half open)
{{
    const half fixed = static_cast<half>(0.25f);
    half given{{1.5f}};
    EVT::Arguments args{{{{{{}}, {{{{{text}}}}}}}, {{D, {{3, 2}}}}}};
}}
"""
    [one] = [step.node for step in flatten(only(program).root) if isinstance(step.node, Compute)]
    assert one.scalar == number


def test_a_functor_of_ones_own_is_not_seen_into() -> None:
    text = TWO.replace("\nusing namespace", "\nnamespace mine { template <class T> struct Mix {}; }\nusing namespace")
    text = text.replace("<Fusion::Plus, half>", "<mine::Mix, half>")
    found = said(text)
    assert [(d.code, d.location and d.location.line) for d in found] == [("EVT217", line_of(text, "<mine::Mix"))]
    wrong = text.replace("AuxLoadY = Fusion::VisitorAuxLoad<half>", "AuxLoadY = Fusion::VisitorAuxLoad<float>")
    assert [d.code for d in said(wrong)] == ["EVT217", "EVT021"]


@pytest.mark.parametrize("name", ["Mix", "mine::Mix", "mine::deep::Mix"])
def test_nor_is_one_whose_header_is_not_there(name: str) -> None:
    text = f'#include "mine.hpp"\n{TWO}'.replace("<Fusion::Plus, half>", f"<{name}, half>")
    text = text.replace("\nusing namespace", "\nnamespace mine {}\nusing namespace")
    assert [(d.code, d.location and d.location.line) for d in said(text)] == [("EVT217", line_of(text, f"<{name}"))]
    misspelt = TWO.replace("<Fusion::Plus, half>", "<Fusion::Pluss, half>")
    assert {d.code for d in said(misspelt)} == {"EVT216"}


def test_what_is_read_in_part_is_checked_in_part(tmp_path: Path) -> None:
    path = tmp_path / "two.cpp"
    lost = (
        "using Lost = Fusion::TreeVisitor<AuxStoreD, Elsewhere>;\nusing Other = Fusion::TreeVisitor<AuxStoreD, Lost>;"
    )
    path.write_text(f"{TWO}{lost}\n")
    checked = each_checked([path])
    assert [e.name for e in checked.epilogues] == ["two"] and not checked.ok
    assert [(d.code, d.location and d.location.line) for d in checked.diagnostics] == [
        ("EVT216", line_of(path.read_text(), "using Lost"))
    ]


@pytest.mark.parametrize("name", ["Block", "Kernel"])
def test_a_graph_without_a_name_of_its_own(name: str) -> None:
    evt = "Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus, AccLoad, AuxLoadX, AuxLoadY>>"
    block = f"""Epilogue::Block::BlockEpilogue<
    Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<half, layout::RowMajor>, tla::Int<4096>,
    {evt}>"""
    kernel = f"Gemm::Kernel::MatmulVisitor<int, {block}, Gemm::Block::GemmIdentityBlockSwizzle<3, 0>>"
    text = TWO.replace(f"EVT = {evt}", f"{name} = {block if name == 'Block' else kernel}")
    text = text.replace("EVT::Arguments", f"{evt}::Arguments")
    found = only(text)
    assert found.root == only(TWO).root and (found.name, found.compute_length) == (name, 4096)
    wrong = text.replace("{Y, layout}, {}", "{}, {Y, layout}")
    assert [d.code for d in said(wrong)] == ["EVT215"]


def test_an_alias_of_a_template_is_followed() -> None:
    templates = """
template <class T>
using Load = Fusion::VisitorAuxLoad<T>;
template <class T>
using Unused = Fusion::TreeVisitor<Fusion::VisitorAuxStore<T>, Fusion::VisitorAccLoad<T>>;
"""
    text = TWO.replace("using AuxLoadY = Fusion::VisitorAuxLoad<half>;", templates)
    text = text.replace("AuxLoadY>>", "Load<half>>>")
    assert only(text).root == only(TWO).root
    wrong = text.replace("Load<half>>>", "Load<float>>>")
    assert [(d.code, d.location and d.location.line) for d in said(wrong)] == [("EVT021", line_of(wrong, "using Plus"))]


def test_a_graph_of_a_template_is_said_to_be_unread() -> None:
    text = TWO.replace("void Run(", "template <class T>\nvoid Run(").replace(
        "    EVT::", "    using EVT = Fusion::TreeVisitor<Fusion::VisitorAuxStore<T>, AccLoad>;\n    EVT::"
    )
    assert {d.code for one in reads(text) for d in one.diagnostics} == {"EVT216"}


def test_a_node_of_ones_own_is_said_to_be_unknown() -> None:
    text = TWO.replace("Fusion::TreeVisitor<Plus,", "Fusion::TreeVisitor<Mine,").replace(
        "using EVT", "struct Mine {};\nusing EVT"
    )
    [one] = reads(text)
    assert one.epilogue is None and [d.code for d in one.diagnostics] == ["EVT216"]


# Files


def test_headers_of_ones_own(tmp_path: Path) -> None:
    nodes, rest = TWO.split("using EVT", 1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/nodes.hpp").write_text(f'#include "catlass/epilogue/fusion/fusion.hpp"\n{nodes}')
    (tmp_path / "mine/catlass/epilogue/fusion").mkdir(parents=True)
    (tmp_path / "mine/catlass/epilogue/fusion/fusion.hpp").write_text("#define half double")  # Catlass's own
    text = f'#include "nodes.hpp"\nusing EVT{rest}'.encode()
    assert [d.code for one in read(tmp_path / "here.cpp", text) for d in one.diagnostics] == ["EVT216"]
    token = INCLUDE_DIRS.set((tmp_path / "mine",))
    try:
        [one] = read(tmp_path / "here.cpp", text)
    finally:
        INCLUDE_DIRS.reset(token)
    assert one.epilogue is not None and one.diagnostics == ()


@pytest.mark.parametrize("name", ["./nodes.hpp", "../here/nodes.hpp", "nodes.hpp"])
def test_lines_of_headers_of_ones_own(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, rest = TWO.split("using EVT", 1)
    (tmp_path / "here").mkdir()
    (tmp_path / "here/nodes.hpp").write_text(nodes.replace("<Fusion::Plus, half>", "<Fusion::Plus, float>"))
    monkeypatch.chdir(tmp_path / "here")
    [one] = read(Path("main.cpp"), f'#include "{name}"\nusing EVT{rest}'.encode())
    assert one.epilogue is not None
    [fault, *_] = check(one.epilogue)
    assert fault.location is not None and fault.location.line in (
        line_of(nodes, "using Plus"),
        line_of(nodes, "using AuxStoreD"),
    )
    assert Path(fault.location.file).name == "nodes.hpp"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_only_headers_that_can_be_read_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.hpp")
    (tmp_path / "closed.hpp").write_text("")
    (tmp_path / "closed.hpp").chmod(0)
    lines = (
        '#include "pipe.hpp"',
        "# include </dev/zero>",
        '#import "pipe.hpp"',
        '#include "closed.hpp"',
        "#include PIPE",
    )
    [one] = read(tmp_path / "two.cpp", "\n".join([*lines, TWO]).encode())
    assert one.epilogue is not None and one.diagnostics == ()


def test_comments_in_any_encoding_and_lines_of_any_kind() -> None:
    text = f"// 累加\n{TWO}".replace("{X, layout}", "{X}").replace("\n", "\r\n")
    line = line_of(text, "{X}")
    for encoding in ("utf-8-sig", "gbk"):
        [one] = read(Path("program.cpp"), text.encode(encoding))
        assert [(d.code, d.location and d.location.line) for d in one.diagnostics] == [("EVT215", line)]


@pytest.mark.parametrize("name", ["EVT", "two"])
def test_an_evt_is_asked_for_by_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "two.cpp"
    path.write_text(TWO)
    [found] = load([Path(f"{path}:{name}")])
    assert found.name == "two"
    with pytest.raises(EvtgenError, match="EVT221"):
        load([Path(f"{path}:{name}x")])


def test_names_of_files() -> None:
    assert selected(Path("a.b/c.hpp:ns::EVT")) == (Path("a.b/c.hpp"), "ns::EVT")
    assert selected(Path("a/c.hpp")) == (Path("a/c.hpp"), "")
    assert is_cpp(Path("c.cpp:EVT")) and not is_cpp(Path("c.py:EVT")) and not is_cpp(Path("c"))


def test_an_alias_that_is_used_twice_at_each_level_has_an_end() -> None:
    def of(levels: int) -> str:
        graph = "\n".join(
            f"using T{i + 1} = Fusion::TreeVisitor<Fusion::VisitorCompute<Fusion::Plus, half>, T{i}, T{i}>;"
            for i in range(levels)
        )
        whole = f"using EVT = Fusion::TreeVisitor<Fusion::VisitorAuxStore<half>, T{levels}>;"
        return f"using namespace Catlass::Epilogue;\nusing T0 = Fusion::VisitorAccLoad<half>;\n{graph}\n{whole}\n"

    assert said(of(3)) == []
    with pytest.raises(EvtgenError, match="EVT030"):
        reads(of(60))


@pytest.mark.parametrize("text", ["", "int main() {}", "\0\1{{{<<<", "using EVT = ", "namespace {", '#include "'])
def test_a_file_without_an_evt(text: str) -> None:
    with pytest.raises(EvtgenError, match="EVT221"):
        reads(text)


def test_tiles_that_the_block_epilogue_cuts(tmp_path: Path) -> None:
    path = tmp_path / "long.cpp"
    path.write_text(PROGRAM.replace("/ 12 /", "/ 6 /"))
    checked = each_checked([path])
    assert [d.code for d in checked.diagnostics] == ["EVT218"] and checked.ok
    assert checked.epilogues[0].compute_length == "auto"


def test_what_cannot_be_seen_into_is_not_emitted(tmp_path: Path) -> None:
    path = tmp_path / "own.cpp"
    text = TWO.replace("<Fusion::Plus, half>", "<Mix, half>")
    path.write_text(f"template <class T> struct Mix {{}};\n{text}")
    checked = each_checked([path])
    assert checked.require(seen=False) is checked
    with pytest.raises(EvtgenError, match="EVT222"):
        checked.require()


def test_without_libclang(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is said once, however many files there are."""
    monkeypatch.setitem(sys.modules, "clang", None)
    clang.libclang.cache_clear()
    files = [tmp_path / "a.cpp", tmp_path / "b.cpp"]
    for file in files:
        file.write_text(TWO, encoding="utf-8")
    for asked in (lambda: reads(TWO), lambda: each_checked(files)):
        with pytest.raises(EvtgenError, match="EVT220") as error:
            asked()
        [found] = error.value.diagnostics
        assert error.value.status == 3 and "pip install" in (found.help or "")
    clang.libclang.cache_clear()


# What is not as in the examples


def test_a_framework_in_a_namespace_of_its_own(planned: dict[str, Plan]) -> None:
    plan = planned["matmul_add_topo"]
    elsewhere = Framework("Catlass::Mine::Visit", "mine/visit")
    [text] = [text for path, text in epilogue_files(plan, elsewhere).items() if path.endswith(".hpp")]
    assert "namespace Visitors = Catlass::Mine::Visit" in text
    same(only(text, f"{plan.name}.hpp"), plan)


SOFTMAX = (CHECKOUT / "tests/goldens/rows/softmax.hpp").read_text()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Fusion::TreeVisitor<AuxStoreD, DividesAsBfloat16>>;", "DividesAsBfloat16>;", "EVT029"),
        ("InWorkspace<1, Fusion::VisitorColBroadcast", "InWorkspace<7, Fusion::VisitorColBroadcast", "EVT216"),
        ("VisitorCast<bfloat16_t, float", "VisitorCast<bfloat16_t, half", "EVT021"),
        ("phase3::AuxStoreD::Arguments{D, layoutD}", "phase3::AuxStoreD::Arguments{D}", "EVT215"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_phase(old: str, new: str, code: str) -> None:
    assert old in SOFTMAX and said(SOFTMAX) == []
    assert code in [d.code for d in said(SOFTMAX.replace(old, new, 1))]


def test_reductions_in_a_fixed_order(planned: dict[str, Plan]) -> None:
    plan = lower(replace(planned["row_broadcast_reduction_evt"].written, deterministic=True))
    found = only(emitted(plan), f"{plan.name}.hpp")
    assert "VisitorInOrder" in emitted(plan) and found.deterministic
    # The planner fills in the order again.
    assert lower(found).steps == plan.steps


OWN_OF_CATLASS = """
using namespace Catlass;
using namespace tla;
void Run(const Params* params, uint8_t* deviceX, uint8_t* deviceD)
{
    uint32_t m = params->m;
    uint32_t n = params->n;
    using Tag = layout::RowMajor;
    auto layoutD = MakeLayout<float, Tag>(m, n);
    using Layout = decltype(layoutD);
    using EVG = Epilogue::Fusion::TreeVisitor<
        Epilogue::Fusion::VisitorAuxStore<float, Layout>,
        Epilogue::Fusion::TreeVisitor<
            Epilogue::Fusion::VisitorCompute<Epilogue::Fusion::Add, float>,
            Epilogue::Fusion::VisitorAccLoad<float>, Epilogue::Fusion::VisitorAuxLoad<float, Layout>>>;
    constexpr uint32_t length = RoundDown(Arch::Ascend950::UB_SIZE / 3 / 2 / sizeof(float), BYTE_PER_C0);
    using Epilogue_ = Epilogue::Block::BlockEpilogue<
        Epilogue::EpilogueVisitor<>, Arch::Ascend950, Int<length>, EVG, float>;
    typename EVG::Arguments args{{{}, {deviceX, layoutD}, {}}, {deviceD, layoutD}};
}
"""


def test_faults_of_catlass_s_own_framework() -> None:
    """Buffers of all nodes, twice, are more than UB; a store of what a load has written. Neither is one of evtgen's."""
    assert not said(OWN_OF_CATLASS)
    longer = OWN_OF_CATLASS.replace("/ 3 / 2 / sizeof(float)", "/ 2 / 2 / sizeof(float)")
    [found] = said(longer)
    assert (
        found.code == "EVT303" and "3 nodes with two tiles of 15872" in found.message and "10560" in (found.help or "")
    )
    assert [d.code for d in said(longer.replace("EpilogueVisitor<>", "EpilogueVisitor<true>"))] == ["EVT303"]
    at = OWN_OF_CATLASS.index("        Epilogue::Fusion::TreeVisitor<\n            E")
    end = OWN_OF_CATLASS.index(";", at)
    loaded = f"{OWN_OF_CATLASS[:at]}Epilogue::Fusion::VisitorAccLoad<float>>{OWN_OF_CATLASS[end:]}"
    loaded = loaded.replace("{{}, {deviceX, layoutD}, {}}", "{}")
    [found] = said(loaded)
    assert (found.code, found.location and found.location.line) == ("EVT304", line_of(loaded, "VisitorAuxStore"))
    ours = "Epilogue::EpilogueAtlasA2Visitor, float, Int<4096>, EVG>"
    assert not said(loaded.replace("Epilogue::EpilogueVisitor<>, Arch::Ascend950, Int<length>, EVG, float>", ours))


def test_catlass_s_own_framework() -> None:
    found = only(OWN_OF_CATLASS)
    assert [str(step.node) for step in flatten(found.root)] == [
        str(step.node) for step in flatten(only(TWO.replace("half", "float").replace(", AuxLoadY", "").replace(
            "{Y, layout}, ", "")).root)
    ]  # fmt: skip
    # Each node has UB of its own there, so the length of the tiles says nothing here.
    assert (found.arch, found.compute_length, found.gemm.c) == ("Ascend950", "auto", float32)
    assert not check(found)
