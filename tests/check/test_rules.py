"""Each rule flags what it should, at the user's line, and leaves its near miss alone."""

from __future__ import annotations

from typing import Any

import pytest

from evtgen import (
    ColumnMajor,
    Epilogue,
    Gemm,
    RowMajor,
    TopologicalVisitor,
    TreeVisitor,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int4,
    int8,
    int16,
    int32,
    int64,
    mask,
    nZ,
    operator,
    uint8,
    zN,
)
from evtgen.check import RULES, check
from evtgen.diagnostics.diagnostic import Diagnostic, source_text
from evtgen.diagnostics.faults import declare_faults
from evtgen.diagnostics.table import TABLE
from evtgen.graph.ir import Scalar
from evtgen.graph.types import Layout
from evtgen.nodes import (
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    BlockStore,
    Cast,
    ColBroadcast,
    ColReduce,
    ColReduced,
    ColStore,
    Compute,
    HeadBroadcast,
    Outputs,
    Part,
    RankScatter,
    Rotate,
    RowBroadcast,
    RowReduce,
    RowReduced,
    ScalarBroadcast,
    ScalarReduce,
    ScalarReduced,
    TopK,
    TopKResult,
)

from ..support.said import named


def ep(root: Any, **options: Any) -> Epilogue:
    return Epilogue(options.pop("name", "spec"), root, **options)


def store(child: Any, name: str = "D", T: Any = half) -> TreeVisitor:
    return TreeVisitor(AuxStore(name, T), child)


def new(root: Any, **options: Any) -> Epilogue:
    """An epilogue for the architecture that has floats of 8 bits."""
    return ep(root, arch="Ascend950", **options)


def small(child: Any, T: Any = float32, mode: str = "CAST_RINT") -> TreeVisitor:
    """A store of floats of 8 bits."""
    return store(TreeVisitor(Cast(float8_e4m3fn, T, mode), child), T=float8_e4m3fn)


def part(child: Any, start: int, stop: int, T: Any = half) -> TreeVisitor:
    return TreeVisitor(Part(T, start, stop), child)


def largest(child: Any, k: int) -> TreeVisitor:
    return TreeVisitor(TopKResult(float32), TreeVisitor(TopK(float32, stop=k), child))


def operand(kind: Any) -> TreeVisitor:
    """A reduction of a wide accumulator, as an operand."""
    return TreeVisitor(kind("max", float32), WIDE)


def plus(*children: Any, T: Any = half, op: Any = "Plus") -> TreeVisitor:
    return TreeVisitor(Compute(op, T), *children)


def topo(edges: list[tuple[Any, ...]], *ops: Any) -> Epilogue:
    return ep(TopologicalVisitor(edges, ops))


def in_ub(**options: Any) -> Epilogue:
    """A transposed output, the accumulator in UB."""
    transposed = TreeVisitor(AuxStore("D", float32, ColumnMajor), WIDE)
    return ep(transposed, gemm=Gemm(handoff="ub"), arch="Ascend950", **options)


def scaled(op: Any, scalar: Any, T: Any = half) -> Epilogue:
    return ep(store(TreeVisitor(Compute(op, T, scalar), AccLoad(T)), T=T))


def reduced(op: str, T: Any = half, identity: Any = 0, layout: Any = RowMajor, kind: Any = RowReduce) -> Epilogue:
    return ep(TreeVisitor(kind("r", op, T, identity, layout), AccLoad(T)))


def again(node: Any, T: Any = float32) -> Epilogue:
    """A reduction that is used again."""
    return ep(store(plus(AccLoad(T), TreeVisitor(node, AuxLoad("X", T)), T=T), T=T))


def broadcast(kind: Any, layout: Any = RowMajor) -> Epilogue:
    return ep(store(plus(ACC, kind("v", half, layout))))


def wide(count: int, **options: Any) -> Epilogue:
    """A sum of ``count`` tensors."""
    return ep(store(plus(AccLoad(half), *(AuxLoad(f"X{i}", half) for i in range(count)))), **options)


def deep(levels: int) -> Epilogue:
    visitor: Any = AccLoad(half)
    for _ in range(levels - 1):
        visitor = plus(visitor, op="Absolute")
    return ep(store(visitor))


def doubled(levels: int) -> Epilogue:
    visitor: Any = AccLoad(half)
    for _ in range(levels):
        visitor = plus(visitor, visitor)
    return ep(store(visitor))


def chain(nodes: int) -> Epilogue:
    ops = [AccLoad(half), *(Compute("Exp", half) for _ in range(nodes - 2)), AuxStore("D", half)]
    return ep(TopologicalVisitor([(), *((i,) for i in range(nodes - 1))], ops))


def sum_of(inputs: int) -> Epilogue:
    loads = [AccLoad(half), *(AuxLoad(f"X{i}", half) for i in range(inputs - 1))]
    return ep(store(plus(*loads)))


def mx(root: Any = None, **fields: Any) -> Epilogue:
    usual: Any = {"a": float8_e4m3fn, "b": float8_e4m3fn, "layout_b": ColumnMajor, "scale": "mx"}
    return ep(root or store(ACC), gemm=Gemm(**{**usual, **fields}), arch="Ascend950")


def dequantised(root: Any = None, **fields: Any) -> Epilogue:
    return ep(root or store(ACC), gemm=Gemm(**{"a": int8, "b": int8, "scale": "column", **fields}))


def sliced(root: Any = None, **fields: Any) -> Epilogue:
    usual: Any = {"a": int8, "b": int8, "scale": "block:128x128"}
    return ep(root or store(WIDE, T=float32), gemm=Gemm(**{**usual, **fields}))


def digits(root: Any = None, arch: str = "AtlasA2", **fields: Any) -> Epilogue:
    usual: Any = {"a": int8, "b": int4, "msd": True}
    return ep(root or store(AccLoad(int32), T=int32), arch=arch, gemm=Gemm(**{**usual, **fields}))


def own(name: str, call: str, **options: Any) -> Any:
    return operator(name, [call], lambda np, a: a, **options)


def chosen(condition: Any, T: Any = half) -> TreeVisitor:
    return TreeVisitor(Compute("Where", T), condition, AccLoad(T), AuxLoad("X", T))


def topo_with_arguments(nest: Any) -> Epilogue:
    return ep(TopologicalVisitor([(), (), (0, 1), (2,)], [ACC, X, PLUS, D]), arguments=nest)


def twice(**options: Any) -> Epilogue:
    """Two operators of one name, of which the second may have another in C++."""
    second = plus(ACC, op=own("twice", "Adds(dst, a, 2)", **options))
    return ep(store(TreeVisitor(Compute(own("twice", "Adds(dst, a, 1)"), half), second)))


def before(*given: Any, **named: Any) -> Epilogue:
    """The accumulator stored, with such a GEMM in front."""
    return ep(store(ACC), gemm=Gemm(*given, **named))


MASK = TreeVisitor(Compute("Greater", half), AccLoad(half), AuxLoad("Y", half))

CYCLE = '1: Compute("Plus", half) → 2: Compute("Absolute", half) → 1: Compute("Plus", half)'

Case = tuple[str, Epilogue, tuple[str, ...], Epilogue]

ACC, X, D, PLUS = AccLoad(half), AuxLoad("X", half), AuxStore("D", half), Compute("Plus", half)
BOTH = store(plus(ACC, AccLoad(half, 1)))
WIDE = AccLoad(float32)

BESIDE_BOTH = topo(
    [(), (), (0, 1), (2,), (3,), (4, 1), (5,)],
    ACC, ColBroadcast("v", half), Compute("Plus", half), AuxStore("D", half), Alternate(half, 0), Compute("Plus", half),
    AuxStore("E", half),
)  # fmt: skip
"""A column that is read beside all columns, and beside every second one."""
BOTH_WIDE = store(plus(WIDE, AccLoad(float32, 1), T=float32), T=float32)

# code, what it flags, the case of the rule and values that the message names, its near miss
CASES: list[Case] = [
    ("EVT020", ep(store(AccLoad("half"))), ("field", '"half"'), ep(store(AccLoad(half)))),
    ("EVT020", ep(store(AccLoad)), ("class", "AccLoad"), ep(store(AccLoad(half)))),
    ("EVT020", topo([(), (True,)], ACC, D), ("edge", "True"), topo([(), (0,)], ACC, D)),
    ("EVT020", ep(store(ACC), buffers=2.0), ("option", "buffers"), ep(store(ACC), buffers=2)),
    ("EVT020", before(l1=[1]), ("option", "gemm.l1"), before()),
    ("EVT020", before(group=True), ("option", "gemm.group", '"m" or "k" or None'), before()),
    ("EVT020", ep(TreeVisitor(AuxStore("D", half, Layout([1, "x", []])), ACC)), ("field", "layout"),
     ep(TreeVisitor(AuxStore("D", half, RowMajor), ACC))),
    ("EVT021", ep(store(AccLoad(float32))), ("only", "half", "float32"), ep(store(AccLoad(float32)), auto_cast=True)),
    ("EVT021", ep(store(plus(ACC, AuxLoad("X", float32)))), ("alike", "half", "1", "float32"),
     ep(store(plus(ACC, TreeVisitor(Cast(half, float32), AuxLoad("X", float32)))))),
    ("EVT021", ep(store(AccLoad(int32), T=bfloat16), auto_cast=True), ("only", "bfloat16"),
     ep(store(AccLoad(int32), T=half), auto_cast=True)),
    ("EVT021", ep(store(plus(ACC, AuxLoad("X", float32)), T=float32), auto_cast=True),
     ("alike", "half", "1", "float32"), ep(store(plus(ACC, AuxLoad("X", float32), T=float32)), auto_cast=True)),
    ("EVT021", ep(store(plus(AuxLoad("X", int32), T=float32, op="Exp"), T=float32), auto_cast=True),
     ("alike", "float32", "0", "int32"),
     ep(store(plus(AuxLoad("X", int16), T=float32, op="Exp"), T=float32), auto_cast=True)),
    ("EVT021", ep(TreeVisitor(RowReduce("r", "Plus", half), AuxLoad("X", float32)), auto_cast=True),
     ("only", "half", "float32"), ep(TreeVisitor(RowReduce("r", "Plus", float32), AuxLoad("X", half)), auto_cast=True)),
    ("EVT021", ep(store(TreeVisitor(Cast(int8, half), AuxLoad("X", float32)), T=int8), auto_cast=True),
     ("only", "half", "float32"),
     ep(store(TreeVisitor(Cast(int8, half), AuxLoad("X", uint8)), T=int8), auto_cast=True)),
    ("EVT021", scaled("Adds", Scalar("alpha", float32)), ("scalar", "half", "alpha", "float32"),
     scaled("Adds", Scalar("alpha", half))),
    ("EVT021", scaled("Adds", Scalar("alpha", half), float32), ("scalar", "float32", "alpha", "half"),
     ep(scaled("Adds", Scalar("alpha", half), float32).root, auto_cast=True)),
    ("EVT021", ep(scaled("Adds", Scalar("alpha", int32), float32).root, auto_cast=True),
     ("scalar", "float32", "alpha", "int32"), scaled("Adds", Scalar("alpha", int32), int32)),
    ("EVT021", scaled("Adds", Scalar("alpha"), int32), ("scalar", "int32", "alpha", "float32"),
     scaled("Adds", Scalar("alpha"), float32)),
    ("EVT021", scaled("Swish", Scalar("beta")), ("scalar", "half", "beta", "float32"),
     scaled("Swish", Scalar("beta", half))),
    ("EVT021", ep(store(chosen(AuxLoad("Y", half)))), ("different", "mask", "0", "half"), ep(store(chosen(MASK)))),
    ("EVT021", ep(store(plus(MASK, ACC))), ("alike", "half", "0", "mask"), ep(store(plus(chosen(MASK), ACC)))),
    ("EVT022", topo([(), (0, 2), (1,), (2,)], ACC, PLUS, Compute("Absolute", half), D), (CYCLE,),
     topo([(), (0, 0), (1,), (2,)], ACC, PLUS, Compute("Absolute", half), D)),
    ("EVT023", topo([(), (-1,)], ACC, D), ("-1", "1"), topo([(), (0,)], ACC, D)),
    ("EVT023", topo([(), (2,)], ACC, D), ("1",), topo([(), (0,)], ACC, D)),
    ("EVT024", topo([(), (0,), ()], ACC, D), ("edges", "3", "2"), topo([(), (0,)], ACC, D)),
    ("EVT024", topo([()], ACC), ("one op",), topo([(), (0,)], ACC, D)),
    ("EVT025", topo([(), (2,), (0,)], ACC, D, Compute("Absolute", half)), ('1: AuxStore("D", half)',),
     topo([(), (0,), (1,)], ACC, Compute("Absolute", half), D)),
    ("EVT025", topo([(), (0,), ()], ACC, D, X), ('1: AuxStore("D", half)',),
     topo([(), (0,), (1,)], ACC, D, AuxStore("E", half))),
    ("EVT026", topo([(), (), (0,)], ACC, X, D), ("op", '1: AuxLoad("X", half)'),
     topo([(), (), (0, 1), (2,)], ACC, X, PLUS, D)),
    ("EVT027", ep(store(plus(ACC))), ("at least", "2", "1"), ep(store(plus(ACC, X, X)))),
    ("EVT027", ep(store(plus(ACC, X, X, op="Minus"))), ("several", "2", "3"), ep(store(plus(ACC, X, op="Minus")))),
    ("EVT027", topo([(1,), (0,)], ACC, D), ("none", "1"), topo([(), (0,)], ACC, D)),
    ("EVT028", ep(AuxStore("D", half)), (), ep(store(ACC))),
    ("EVT029", ep(plus(ACC, X)), (), ep(store(plus(ACC, X)))),
    ("EVT062", ep(store(X)), ("graph",), ep(store(ACC))),
    ("EVT030", deep(121), ("120",), deep(120)),
    ("EVT030", doubled(40), ("20000",), doubled(5)),
    ("EVT250", chain(513), ("nodes", "513"), chain(512)),
    ("EVT250", sum_of(201), ("inputs", "201"), sum_of(200)),
    ("EVT031", topo([(), (0,), (1,)], ACC, plus(ACC, X), D), ("TreeVisitor",), topo([(), (0,)], plus(ACC, X), D)),
    ("EVT032", ep(store(TreeVisitor(ACC))), (), ep(store(ACC))),
    ("EVT033", ep(store(TreeVisitor(Outputs(), store(ACC, "E")))), ("read",),
     ep(TreeVisitor(Outputs(), store(ACC), store(X, "E")))),
    ("EVT034", ep(store(TreeVisitor(Cast(int8, float32), AccLoad(float32)), T=int8)), ("rounding", "float32", "int8"),
     ep(store(TreeVisitor(Cast(int8, half), TreeVisitor(Cast(half, float32, "CAST_ODD"), AccLoad(float32))), T=int8))),
    ("EVT034", ep(store(TreeVisitor(Cast(half, int32), AccLoad(int32)))), ("rounding", "int32", "half"),
     ep(store(TreeVisitor(Cast(float32, int32), AccLoad(int32)), T=float32))),
    ("EVT035", ep(store(TreeVisitor(Cast(float32, half, "CAST_RINT"), ACC), T=float32)), ("other", "CAST_RINT"),
     ep(store(TreeVisitor(Cast(half, float32, "CAST_RINT"), AccLoad(float32))))),
    ("EVT035", ep(store(TreeVisitor(Cast(half, half, "CAST_FLOOR"), ACC))), ("no change",),
     ep(store(TreeVisitor(Cast(half, half, "CAST_NONE"), ACC)))),
    ("EVT035", ep(store(TreeVisitor(Cast(half, float32, "RINT"), AccLoad(float32)))), ("unknown",),
     ep(store(TreeVisitor(Cast(half, half), ACC)))),
    ("EVT036", ep(store(plus(AccLoad(bfloat16), AuxLoad("X", bfloat16), T=bfloat16), T=bfloat16)),
     ("operator", "Add", "bfloat16"),
     ep(store(plus(AccLoad(bfloat16), AuxLoad("X", bfloat16), T=bfloat16), T=bfloat16), arch="Ascend950")),
    ("EVT036", ep(store(plus(ACC, RowBroadcast("r", int8)))), ("Copy", "int8"),
     ep(store(plus(ACC, RowBroadcast("r", half))))),
    ("EVT036", ep(store(plus(MASK, MASK, T=mask), T=mask)), ("mask", "Add"),
     ep(store(chosen(plus(MASK, MASK, T=mask, op="LogicalOr"))))),
    ("EVT036", reduced("Mean", int32), ("mean",), reduced("Mean", float32)),
    ("EVT037", reduced("Meen"), ("Meen",), reduced("Mean")),
    ("EVT037", ep(store(plus(ACC, X, op="Pluss"))), ("Pluss",), ep(store(plus(ACC, X, op="Maximum")))),
    ("EVT038", ep(store(ACC), arch="AtlasA3"), ("AtlasA3",), ep(store(ACC), arch="Ascend950")),
    ("EVT172", ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub")), ("no store",),
     ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub"), arch="Ascend950")),
    ("EVT172", sliced(handoff="ub"), ("no store",),
     ep(store(WIDE, T=float32), gemm=Gemm(a=int8, b=int8, scale="group:64", handoff="ub"), arch="Ascend950")),
    ("EVT172", before(handoff="l2"), ("name",), before(handoff="gm")),
    ("EVT172", ep(store(ACC), gemm=Gemm(handoff="ub"), arch="Ascend950"), ("rounded", "half"),
     ep(store(AccLoad(int32), T=int32), gemm=Gemm(handoff="ub"), arch="Ascend950")),
    ("EVT172", ep(store(X), gemm=Gemm(c=float32, handoff="ub"), arch="Ascend950"), ("unread",),
     ep(store(X), arch="Ascend950")),
    ("EVT172", ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=0), arch="Ascend950"), ("whole",),
     ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=1), arch="Ascend950")),
    ("EVT172",
     ep(store(WIDE, T=float32), gemm=Gemm(l1=(16, 2032, 32), l0=(16, 2032, 16), handoff="ub"), arch="Ascend950"),
     ("columns", "2016"),
     ep(store(WIDE, T=float32), gemm=Gemm(l1=(16, 2016, 32), l0=(16, 2016, 16), handoff="ub"), arch="Ascend950")),
    ("EVT185", before(policy="prefetch"), ("name", '"prefetch"'), before(policy="preload_async")),
    ("EVT185", before(policy=""), ("name",), before(policy="pingpong")),
    ("EVT185", ep(store(WIDE, T=float32), gemm=Gemm(policy="preload_async", handoff="ub"), arch="Ascend950"), ("ub",),
     ep(store(WIDE, T=float32), gemm=Gemm(policy="preload_async", handoff="gm"), arch="Ascend950")),
    ("EVT054", ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=4), arch="Ascend950"),
     ("blocks", "4", "262144"),
     ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=3), arch="Ascend950")),
    ("EVT054", in_ub(compute_length=3584), ("transposed", "4096"), in_ub(compute_length=4096)),
    ("EVT039", scaled("Adds", None), ("one", "scalar"), scaled("Adds", 0.5)),
    ("EVT039", scaled("Absolute", 1), ("none",), scaled("Absolute", None)),
    ("EVT039", scaled("Divs", 0), ("zero",), scaled("Divs", 0.5)),
    ("EVT039", scaled("Adds", float("inf")), ("infinite",), scaled("Adds", 65504)),
    ("EVT039", scaled("Adds", 65536.0), ("lost", "inf", "65536.0", "half"), scaled("Adds", 65519.0)),
    ("EVT039", scaled("Muls", 1e-9), ("lost", "0.0", "1e-09", "half"), scaled("Muls", 1e-9, float32)),
    ("EVT039", scaled("Muls", 1e-5), ("lost", "1.0013580322265625e-05", "1e-05", "half"), scaled("Muls", 2.0**-24)),
    ("EVT039", scaled("Muls", 1e-46, float32), ("lost", "0.0", "1e-46", "float32"), scaled("Muls", 1e-37, float32)),
    ("EVT039", scaled("Adds", 0.5, int32), ("lost", "0", "0.5", "int32"), scaled("Adds", 2.0, int32)),
    ("EVT039", scaled("Adds", 32768, int16), ("lost", "32767", "32768", "int16"), scaled("Adds", -32768, int16)),
    ("EVT039", scaled("Adds", Scalar("alpha", int32, 0.5), int32), ("lost default", "0", "alpha", "0.5"),
     scaled("Adds", Scalar("alpha", int32, 1), int32)),
    ("EVT039", scaled("Adds", Scalar("alpha", half, 1e-9)), ("lost default", "0.0", "alpha", "1e-09"),
     scaled("Adds", Scalar("alpha", half, 1e-4))),
    ("EVT039", scaled("Adds", Scalar("alpha", mask)), ("mask", "alpha"), scaled("Adds", Scalar("alpha", half))),
    ("EVT039", scaled(own("tiny", "Adds(dst, a, 1e-9)"), None), ("lost in a call", "Adds(dst, a, 1e-9)", "1e-09"),
     scaled(own("tiny", "Adds(dst, a, 1e-9)"), None, float32)),
    ("EVT036", again(ColReduced("max", int32), int32), ("lossy", "WholeReduceMax", "int32"),
     again(RowReduced("max", int32), int32)),
    ("EVT036", again(RowReduced("mean", int32), int32), ("mean",), again(RowReduced("add", int32), int32)),
    ("EVT037", again(ColReduced("maxx", float32)), ("maxx",), again(ColReduced("max", float32))),
    ("EVT037", reduced("amin"), ("amin",), reduced("amax")),
    ("EVT037", again(RowReduced("squares", float32)), ("squares",), again(RowReduced("sum_of_squares", float32))),
    ("EVT036", again(RowReduced("amax", int32), int32), ("lossy", "Abs", "int32"),
     again(RowReduced("sum_of_squares", int32), int32)),
    ("EVT040", again(ScalarReduced("Multiplies", float32)), ("op",), again(ScalarReduced("Minimum", float32))),
    ("EVT201", again(ColReduced("add", half), half), ("half", "float32"), again(ColReduced("add", float32))),
    ("EVT201", again(RowReduced("max", bfloat16), bfloat16), ("bfloat16",), again(RowReduced("max", int32), int32)),
    ("EVT040", reduced("Multiplies"), ("op",), reduced("Maximum")),
    ("EVT041", reduced("Plus", half, 1e6), ("lost", "half"), reduced("Plus", half, 0.1)),
    ("EVT041", reduced("Plus", half, 1e-9), ("lost", "0.0", "1e-09", "half"), reduced("Plus", float32, 1e-9)),
    ("EVT041", reduced("Plus", half, float("nan")), ("infinite",), reduced("Maximum", half, -float("inf"))),
    ("EVT041", reduced("Plus", int32, 2**31), ("lost",), reduced("Plus", int32, -(2**31))),
    ("EVT042", ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1e6)))), ("lost", "half"),
     ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1.5))))),
    ("EVT042", ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1e-9)))), ("lost", "0.0", "1e-09", "half"),
     ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1e-4))))),
    ("EVT042", ep(store(AuxLoad("X", int8, RowMajor, 0), T=int8)), ("call", "int8"),
     ep(store(AuxLoad("X", int8), T=int8))),
    ("EVT042", ep(store(plus(ACC, RowBroadcast("r", half, RowMajor, 1e6)))), ("lost", "half"),
     ep(store(plus(ACC, RowBroadcast("r", half, RowMajor, 1.5))))),
    ("EVT042", ep(store(ScalarBroadcast("s", int8, RowMajor, 0), T=int8)), ("call", "int8"),
     ep(store(plus(ACC, ScalarBroadcast("s", half, RowMajor, 0))))),
    ("EVT043", before(c=float32), ("half", "float32"), before(c=half)),
    ("EVT044", ep(store(plus(ACC, TreeVisitor(Cast(half, float32), AccLoad(float32))))), ("half",),
     ep(store(plus(ACC, AccLoad(half))))),
    ("EVT045", ep(store(plus(ACC, AuxLoad("D", half)))), ("tensor", "D", 'AuxLoad("D", half)'),
     ep(store(plus(ACC, X)))),
    ("EVT045", ep(store(TreeVisitor(Compute("Clamp", half, (Scalar("s", half), Scalar("s", half, 1.0))), ACC))),
     ("scalars differ",), scaled("Clamp", (Scalar("s", half), Scalar("s", half)))),
    ("EVT045", scaled("Adds", Scalar("D")), ("scalar", "D"), scaled("Adds", Scalar("d"))),
    ("EVT046", scaled("Adds", Scalar("a-b")), ("characters", "scalar", "a-b"), scaled("Adds", Scalar("a_b"))),
    ("EVT049", scaled("Clamp", (Scalar("alpha"), Scalar("int32_t"))), ("field",),
     scaled("Clamp", (Scalar("alpha"), Scalar("Alpha")))),
    ("EVT039", scaled("Clamp", (float("-inf"), 1.0)), ("infinite",),
     ep(store(TreeVisitor(Compute("WhereScalar", half, float("-inf")), MASK, ACC)))),
    ("EVT020", scaled("Adds", Scalar("alpha", "float32")), ("field", "scalar"), scaled("Adds", Scalar("alpha", half))),
    ("EVT049", scaled("Adds", Scalar("ToEvt", half)), ("field",), scaled("Adds", Scalar("layoutD", half))),
    ("EVT046", ep(store(ACC, "D-out")), ("characters",), ep(store(ACC, "D_out"))),
    ("EVT046", ep(store(ACC), name="2nd"), ("characters",), ep(store(ACC), name="nd2")),
    ("EVT046", ep(store(ACC, "größe")), ("characters",), ep(store(ACC, "size"))),
    ("EVT047", ep(store(ACC, "register")), (), ep(store(ACC, "Register"))),
    ("EVT047", ep(store(ACC), name="requires"), (), ep(store(ACC), name="required")),
    ("EVT049", ep(store(ACC), name="Helper"), ("epilogue",), ep(store(ACC), name="helpers")),
    ("EVT049", ep(store(ACC), name="evt_example"), ("epilogue",), ep(store(ACC), name="evt_examples")),
    ("EVT049", ep(store(ACC), name="golden"), ("epilogue",), ep(store(ACC), name="golden_")),
    ("EVT049", ep(store(ACC), name="options"), ("epilogue",), ep(store(ACC), name="options2")),
    ("EVT048", ep(store(ACC, "_D")), ("C++",), ep(store(ACC, "_d"))),
    ("EVT048", ep(store(ACC, "a__b")), ("C++",), ep(store(ACC, "a_b"))),
    ("EVT048", ep(store(ACC), name="_spec"), ("C++",), ep(store(ACC), name="spec_")),
    ("EVT048", ep(store(ACC), name="NULL"), ("macro",), ep(store(ACC, "NULL"))),
    ("EVT049", ep(store(ACC), name="std"), ("epilogue",), ep(store(ACC), name="std_")),
    ("EVT049", ep(store(ACC), name="AscendC"), ("epilogue",), ep(store(ACC), name="exp")),
    ("EVT049", ep(store(ACC, "half")), ("field",), ep(store(ACC, "half_out"))),
    ("EVT049", ep(store(ACC, "GM_ADDR")), ("field",), ep(store(plus(ACC, AuxLoad("A", half)), "C"))),
    ("EVT049", ep(store(ACC, "size_t")), ("field",), ep(store(plus(ACC, AuxLoad("row_out", half)), "rowOut"))),
    ("EVT049", ep(store(ACC, "bfloat16_t")), ("field",), ep(store(plus(ACC, AuxLoad("layoutD", half))))),
    ("EVT050", ep(store(plus(ACC, AuxLoad("X", half, Layout("RowMayor"))))), ("RowMayor",),
     ep(store(plus(ACC, AuxLoad("X", half, RowMajor))))),
    ("EVT051", reduced("Plus", layout=ColumnMajor), ("1", "N"), reduced("Plus", layout=RowMajor)),
    ("EVT051", reduced("Plus", layout=ColumnMajor, kind=ColReduce), ("M", "1"), reduced("Plus", kind=ColReduce)),
    ("EVT051", reduced("Plus", layout=ColumnMajor, kind=ScalarReduce), ("1",), reduced("Plus", kind=ScalarReduce)),
    ("EVT051", broadcast(RowBroadcast, ColumnMajor), ("1", "N"), broadcast(RowBroadcast)),
    ("EVT051", broadcast(ColBroadcast, ColumnMajor), ("M", "1"), broadcast(ColBroadcast)),
    ("EVT051", broadcast(ScalarBroadcast, ColumnMajor), ("1",), broadcast(ScalarBroadcast)),
    ("EVT052", ep(store(plus(ACC, AuxLoad("X", half, nZ)))), (), ep(store(plus(ACC, AuxLoad("X", half, ColumnMajor))))),
    ("EVT052", ep(TreeVisitor(AuxStore("D", half, zN), ACC)), ("zN",),
     ep(TreeVisitor(AuxStore("D", half, ColumnMajor), ACC))),
    ("EVT052", ep(store(plus(ACC, AuxLoad("X", half, zN)))), ("zN",), before(layout_b=zN)),
    ("EVT053", ep(store(ACC), compute_length=100), ("step", "32"), ep(store(ACC), compute_length=96)),
    ("EVT053", ep(store(chosen(MASK)), compute_length=192), ("step", "128"),
     ep(store(chosen(MASK)), compute_length=256)),
    ("EVT040", ep(TreeVisitor(AuxScatter("D", uint8, rows="rows", add=True), AuxLoad("X", uint8))), ("type", "uint8"),
     ep(TreeVisitor(AuxScatter("D", uint8, rows="rows"), AuxLoad("X", uint8)))),
    ("EVT052", ep(TreeVisitor(AuxScatter("D", half, ColumnMajor, "rows"), ACC)), ("rows", "ColumnMajor"),
     ep(TreeVisitor(AuxScatter("D", half, rows="rows"), ACC))),
    ("EVT275", ep(store(part(TreeVisitor(Alternate(half, 0), ACC), 0, 8))), ("not all",),
     ep(store(TreeVisitor(Alternate(half, 0), ACC)))),
    ("EVT275", BESIDE_BOTH, ("every second",),
     ep(store(TreeVisitor(Alternate(half, 1), plus(ACC, ColBroadcast("v", half)))))),
    ("EVT275", ep(store(part(ACC, 4, 4))), ("no columns",), ep(store(part(ACC, 4, 5)))),
    ("EVT275", ep(store(part(part(ACC, 4, 8), 2, 5))), ("behind", "4"), ep(store(part(part(ACC, 4, 8), 2, 4)))),
    ("EVT275", ep(store(plus(part(ACC, 0, 8), part(AuxLoad("X", half), 8, 16)))), ("different", "0:8", "8:16"),
     ep(store(plus(part(ACC, 0, 8), AuxLoad("X", half))))),
    ("EVT275", ep(TreeVisitor(ColStore("c", half), part(ACC, 0, 8))), ("first column",),
     ep(TreeVisitor(ColStore("c", half), ACC))),
    ("EVT275", ep(store(part(WIDE, 0, 8, float32), T=float32), gemm=Gemm(handoff="ub"), arch="Ascend950"), ("in UB",),
     ep(store(part(WIDE, 0, 8, float32), T=float32), arch="Ascend950")),
    ("EVT275", ep(TreeVisitor(RowReduce("r", "Plus", float32), part(WIDE, 0, 8, float32)), deterministic=True),
     ("fixed order",), ep(TreeVisitor(RowReduce("r", "Plus", float32), part(WIDE, 0, 8, float32)))),
    ("EVT275", ep(store(largest(WIDE, 33), T=float32)), ("largest", "32"), ep(store(largest(WIDE, 32), T=float32))),
    ("EVT275", ep(store(largest(part(WIDE, 0, 64, float32), 8), T=float32)), ("not all",),
     ep(store(largest(WIDE, 8), T=float32))),
    ("EVT288", ep(store(TreeVisitor(TopKResult(float32), WIDE), T=float32)), ("TopK",),
     ep(store(largest(WIDE, 8), T=float32))),
    ("EVT288", ep(store(TreeVisitor(TopK(float32, stop=8), WIDE), T=float32)), ("read by",),
     ep(store(largest(WIDE, 8), T=float32))),
    ("EVT289", ep(store(largest(WIDE, 8), T=float32), gemm=Gemm(split_k=2)), ("other tiles",),
     ep(store(largest(WIDE, 8), T=float32), gemm=Gemm(batch=True))),
    ("EVT288", ep(store(plus(largest(WIDE, 8), operand(RowReduced), T=float32), T=float32)), ("more than a row",),
     ep(store(plus(largest(WIDE, 8), operand(ColReduced), T=float32), T=float32))),
    ("EVT289", ep(store(largest(WIDE, 8), T=float32), compute_length=224), ("224", "256"),
     ep(store(largest(WIDE, 8), T=float32), compute_length=256)),
    ("EVT197", ep(TreeVisitor(RankScatter("D", half, rows="rows", ranks="owner"), ACC), gemm=Gemm(batch=True)),
     ("owner",), ep(TreeVisitor(AuxScatter("D", half, rows="rows"), ACC), gemm=Gemm(batch=True))),
    ("EVT197", ep(store(plus(ACC, AuxGather("X", half, "rows"))), gemm=Gemm(group="k")), ("rows",),
     ep(store(plus(ACC, AuxGather("X", half, "rows"))), gemm=Gemm(batch=True))),
    ("EVT279", ep(TreeVisitor(BlockStore("S", half, block=64), part(ACC, 32, 512))), ("64", "32"),
     ep(TreeVisitor(BlockStore("S", half, block=64), part(ACC, 64, 500)))),
    ("EVT279", ep(store(plus(part(ACC, 32, 96), HeadBroadcast("X", half, head=64)))), ("64", "32"),
     ep(store(plus(part(ACC, 64, 96), HeadBroadcast("X", half, head=64))))),
    ("EVT279", ep(store(TreeVisitor(Rotate(half, 64), part(ACC, 64, 192 + 32)))), ("heads", "64", "160"),
     ep(store(TreeVisitor(Rotate(half, 64), part(ACC, 64, 192))))),
    ("EVT279", ep(store(TreeVisitor(Rotate(half, 64), TreeVisitor(Alternate(half, 0), ACC)))), ("second", "64"),
     ep(store(TreeVisitor(Rotate(half, 64), ACC)))),
    ("EVT277", ep(TreeVisitor(BlockStore("S", half, block=48), ACC)), ("block", "48"),
     ep(TreeVisitor(BlockStore("S", half, block=64), ACC))),
    ("EVT277", ep(TreeVisitor(BlockStore("S", half), ACC), gemm=Gemm(l1=(128, 64, 256))), ("tile", "64"),
     ep(TreeVisitor(BlockStore("S", half, block=64), ACC), gemm=Gemm(l1=(128, 64, 256)))),
    ("EVT045", ep(store(plus(AuxLoad("rows", half), AuxGather("X", half, "rows")))), ("tensor",),
     ep(TreeVisitor(AuxScatter("D", half, rows="rows"), plus(ACC, AuxGather("X", half, "rows"))))),
    ("EVT281", ep(TreeVisitor(AuxStore("D", float32), AStatistic("a_max"))), ("name", "a_max", "a_sum"),
     ep(TreeVisitor(AuxStore("D", float32), AStatistic("a_sum")))),
    ("EVT281", ep(TreeVisitor(AuxStore("D", float32), AStatistic("a_sum")), gemm=Gemm(group="k")), ("groups",),
     ep(TreeVisitor(AuxStore("D", float32), AStatistic("a_sum")), gemm=Gemm(group="m"))),
    ("EVT281", ep(TreeVisitor(AuxStore("D", float32), AStatistic("a_sum")), gemm=Gemm(layout_a=zN)), ("layout", "zN"),
     ep(TreeVisitor(AuxStore("D", float32), AStatistic("a_sum")), gemm=Gemm(layout_a=ColumnMajor))),
    ("EVT053", ep(TreeVisitor(AuxStore("D", half, ColumnMajor), ACC), compute_length=256), ("step", "512"),
     ep(TreeVisitor(AuxStore("D", half, ColumnMajor), ACC), compute_length=1024)),
    ("EVT053", ep(store(ACC), compute_length="all"), ("text",), ep(store(ACC), compute_length="auto")),
    ("EVT053", ep(store(ACC), compute_length=0), ("step",), ep(store(ACC), compute_length=32)),
    ("EVT054", wide(1, buffers=1, compute_length=31392), ("length", "189440", "1"),
     wide(1, buffers=1, compute_length=31232)),
    ("EVT054", wide(183, buffers=2), ("nothing",), wide(182, buffers=2)),
    ("EVT054", wide(1, compute_length=15520), ("length", "188416", "188160", "2"), wide(1, compute_length=15488)),
    ("EVT054", wide(367), ("nothing", "32"), wide(366)),
    ("EVT055", ep(store(ACC), buffers="most"), ("text",), ep(store(ACC), buffers="auto")),
    ("EVT055", ep(store(ACC), buffers=7), ("number", "6"), ep(store(ACC), buffers=6)),
    ("EVT055", ep(store(ACC), buffers=0), ("number", "6"), ep(store(ACC), buffers=1)),
    ("EVT056", before(l1=(128, 200, 256)), ("sides", "16"), before(l1=(128, 256, 128))),
    ("EVT056", before(l1=(128, 256, 256), l0=(64, 256, 64)), ("m and n",), before(l0=(64, 256, 64))),
    ("EVT056", before(l1=(128, 256, 32), l0=(128, 256, 64)), ("k",), before(l1=(128, 256, 32))),
    ("EVT056", before(int8, int8, l1=(48, 64, 64)), ("step", "m"), before(l1=(48, 64, 64))),
    ("EVT056", before(int8, int8, l0=(64, 48, 64)), ("step", "n"), before(float32, float32, l0=(64, 48, 64))),
    ("EVT056", before(swizzle=(0, 2)), ("swizzle",), before(swizzle=(4, 1))),
    ("EVT056", before(swizzle=(65536, 1)), ("swizzle",), before(swizzle=(65535, 1))),
    ("EVT056", before(swizzle=(2**32, 1)), ("swizzle",), before(swizzle=(1, 0))),
    ("EVT057", ep(store(plus(ACC, X)), arguments=("D", ((), "X", ()))), (),
     ep(store(plus(ACC, X)), arguments=[[(), "X", ()], "D"])),
    ("EVT056", before(int8, int8, l0=(128, 256, 48)), ("step", "32", "int8"), before(l0=(128, 256, 48))),
    ("EVT057", topo_with_arguments(("X", (), (), "D")), (), topo_with_arguments(((), "X", (), "D"))),
    ("EVT058", before(a=half, b=float32), ("product", "half", "float32"), before(a=float32, b=float32)),
    ("EVT058", before(a=float32, b=int8), ("product", "float32", "int8"), before(a=half, b=int8)),
    ("EVT058", before(a=int8, b=half), ("product", "int8", "half"), before(a=bfloat16, b=int8)),
    ("EVT058", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=half, b=int8)), ("operands", "int32"),
     ep(store(AccLoad(int32), T=int32), gemm=Gemm(b=int8))),
    ("EVT190", before(a=half, b=int8, layout_b=zN), ("field", "layout_b"), before(a=half, b=int8, batch=True)),
    ("EVT190", new(store(ACC), gemm=Gemm(a=bfloat16, b=int8, scale="row")), ("scale", '"row"', '"column"'),
     new(store(ACC), gemm=Gemm(a=bfloat16, b=int8, group="m", scale="column"))),
    ("EVT190", before(a=half, b=int8, scale="block:128x48"), ("sides", "32"),
     before(a=half, b=int8, scale="block:128x64")),
    ("EVT190", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int8, b=int4, scale="group:128")), ("groups", "int4"),
     ep(store(AccLoad(float32), T=float32), gemm=Gemm(a=int8, b=int8, scale="group:128"))),
    ("EVT190", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int8, b=int4, scale="column")), ("whole", "int8"),
     ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int8, b=int4))),
    ("EVT190", before(a=half, b=half, zero_point=True), ("not widened", "zero_point"),
     before(a=half, b=int8, split_k=4, layout_b=ColumnMajor, zero_point=True)),
    ("EVT190", ep(store(plus(ACC, AuxLoad("b_scale", half))), gemm=Gemm(a=half, b=int8, scale="column")),
     ("name", "scale of B"), ep(store(plus(ACC, AuxLoad("b_scale", half))), gemm=Gemm(a=half, b=int8))),
    ("EVT190", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int8, b=int4, scale="column")), ("whole", "int8"),
     ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int8, b=int4, zero_point=True))),
    ("EVT180", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int4, b=int4, layout_a=ColumnMajor)),
     ("packed", "ColumnMajor"), ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int4, b=int4, layout_b=ColumnMajor))),
    ("EVT180", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int4, b=int4, group="k")), ("byte", "int4"),
     ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=int4, b=int4, group="m"))),
    ("EVT287", ep(store(TreeVisitor(Cast(int4, half), ACC), T=int4)), ("int4",), ep(store(ACC))),
    ("EVT287", ep(store(AuxLoad("X", float4_e2m1fn), T=float4_e2m1fn), arch="Ascend950"), ("float4_e2m1fn",),
     ep(store(TreeVisitor(Cast(float4_e2m1fn, bfloat16, "CAST_RINT"), AccLoad(bfloat16)), T=float4_e2m1fn),
        arch="Ascend950")),
    ("EVT058", mx(a=float4_e2m1fn, b=float4_e2m1fn, scale=None), ("scales", 'scale="mx"'),
     mx(a=float4_e2m1fn, b=float4_e2m1fn)),
    ("EVT058", mx(a=float4_e2m1fn), ("product", "float8_e4m3fn"), mx(a=float8_e5m2)),
    ("EVT058", mx(b=float4_e2m1fn, scale=None), ("scales", 'scale="mx"'), mx(b=float4_e2m1fn)),
    ("EVT058", mx(a=float8_e5m2, b=float4_e2m1fn), ("product", "float8_e4m3fn × float4_e2m1fn"), mx(b=float4_e2m1fn)),
    ("EVT190", mx(b=float4_e2m1fn, zero_point=True), ("zero_point",), mx(b=float4_e2m1fn, group="m")),
    ("EVT173", ep(store(ACC), gemm=Gemm(a=float4_e2m1fn, b=float4_e2m1fn)), ("gemm.a", "Ascend950"), ep(store(ACC))),
    ("EVT290", mx(b=half), ("types", "float8_e4m3fn"), mx()),
    ("EVT290", ep(store(ACC), gemm=Gemm(a=half, b=half, scale="mx")), ("types", "AtlasA2"), mx(b=float8_e5m2)),
    ("EVT290", mx(layout_a=ColumnMajor), ("layout", "RowMajor"), mx(batch=True)),
    ("EVT290", mx(layout_b=zN), ("layout", "ColumnMajor"), mx(group="m", group_list="counts")),
    ("EVT290", mx(group="k"), ("field", "group"), mx(group="m")),
    ("EVT290", mx(split_k=2), ("field", "split_k"), mx(handoff="gm")),
    ("EVT290", mx(root=store(plus(WIDE, AStatistic("a_sum"), T=float32), T=float32)), ("statistic",),
     mx(root=store(WIDE, T=float32))),
    ("EVT290", mx(root=store(plus(WIDE, RowBroadcast("b_scale", float32), T=float32), T=float32)), ("name", "b_scale"),
     mx(root=store(plus(WIDE, RowBroadcast("scale", float32), T=float32), T=float32))),
    ("EVT290", sliced(policy="preload_async"), ("field", "policy"), sliced(layout_b=zN)),
    ("EVT290", sliced(workspace_stages=2), ("field", "workspace_stages"), sliced(batch=True)),
    ("EVT290", sliced(root=store(plus(WIDE, RowBroadcast("a_scale", float32), T=float32), T=float32)),
     ("name", "a_scale"), sliced(group="m")),
    ("EVT058", sliced(root=store(AccLoad(int32), T=int32)), ("float32", "int32"), sliced()),
    ("EVT290", dequantised(policy="preload_async"), ("field", "policy"), dequantised(workspace_stages=2)),
    ("EVT290", dequantised(accumulators="halves"), ("field", "accumulators"), dequantised(batch=True)),
    ("EVT290", dequantised(root=store(plus(ACC, RowBroadcast("b_scale", half)))), ("name", "b_scale"),
     dequantised(root=store(plus(ACC, AStatistic("a_sum"))))),
    ("EVT058", dequantised(scale=None), ("dequantise", 'scale="column"'), dequantised()),
    ("EVT058", dequantised(root=store(AccLoad(int32), T=int32)), ("operands", "half"), dequantised(a=int4, b=int4)),
    ("EVT059", dequantised(l1=(128, 128, 1024)), ("L1",), dequantised(l1=(128, 128, 992))),
    ("EVT190", sliced(zero_point=True), ("not widened", "zero_point"), sliced()),
    ("EVT285", before(a=bfloat16, b=bfloat16, hf32=True), ("bfloat16",), before(a=float32, b=float32, hf32=True)),
    ("EVT310", before(a=half, b=int4, msd=True), ("types", "half"), before(a=half, b=int4)),
    ("EVT310", digits(arch="Ascend950"), ("types", "Ascend950"), digits(arch="Ascend950", msd=False)),
    ("EVT310", digits(layout_a=ColumnMajor), ("field", "layout_a"), digits(layout_b=zN, batch=True)),
    ("EVT310", digits(split_k=2), ("field", "split_k"), digits(workspace_stages=0)),
    ("EVT310", digits(group="k"), ("field", "group"), digits(group="m", weights="pointers", weight_index=True)),
    ("EVT310", digits(root=store(AuxLoad("X", half))), ("unread",), digits(root=store(AuxLoad("X", half)), msd=False)),
    ("EVT190", digits(zero_point=True), ("not widened", "zero_point"), digits(zero_point=True, msd=False)),
    ("EVT059", digits(l1=(128, 512, 64)), ("L0C",), digits(l1=(64, 512, 64))),
    # The cube core multiplies half: its tiles count, not those of B as it is given.
    ("EVT059", before(half, int8, l1=(128, 256, 512)), ("786432",), before(half, int8, l0=(128, 256, 48))),
    ("EVT058", ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=half)), ("operands", "int32"),
     ep(store(AccLoad(int32), T=int32))),
    ("EVT058", before(half, half, int32), ("operands", "int32"), before(half, None, half)),
    ("EVT059", before(float32, float32, None, (128, 256, 256), (128, 256, 32)), ("L1", "786432"),
     before(float32, float32)),
    ("EVT059", before(l0=(128, 256, 80)), ("L0B", "81920"), before(l0=(128, 256, 64))),
    ("EVT059", before(l1=(2048, 16, 16)), ("L0A", "131072"), before(l1=(1024, 32, 16))),
    ("EVT059", before(l1=(256, 256, 256), l0=(256, 256, 64)), ("L0C",),
     ep(store(ACC), gemm=Gemm(l1=(256, 256, 256), l0=(256, 256, 64)), arch="Ascend950")),
    ("EVT180", before(layout_a=Layout("zZ")), ("name", "zZ"), before(layout_a=zN)),
    ("EVT180", before(layout_b=Layout("nz")), ("name", "nz"), before(layout_b=nZ)),
    ("EVT060", ep(store(MASK, T=mask)), ("output",), ep(store(chosen(MASK)))),
    ("EVT061", twice(), ("Twice",), twice(cpp="Twice2")),
    ("EVT173", before(b=float8_e5m2), ("gemm.b", "float8_e5m2"), new(store(ACC), gemm=Gemm(b=float8_e5m2))),
    ("EVT173", ep(store(AuxLoad("X", int64), T=int64)), ("lists", 'AuxLoad("X", int64)'),
     ep(store(AuxLoad("X", int32), T=int32))),
    ("EVT173", ep(small(AccLoad(float32))), ("float8_e4m3fn",), new(small(AccLoad(float32)))),
    ("EVT173", ep(store(AuxLoad("X", float8_e5m2), T=float8_e5m2)), ('AuxLoad("X", float8_e5m2)', "float8_e5m2"),
     new(store(AuxLoad("X", float8_e5m2), T=float8_e5m2))),
    ("EVT034", new(small(ACC, half)), ("rounding", "half", "float8_e4m3fn"), new(small(AccLoad(float32)))),
    ("EVT035", new(small(AccLoad(float32), mode="CAST_TRUNC")), ("other", "CAST_TRUNC"),
     new(small(AccLoad(float32), mode="CAST_RINT"))),
    ("EVT036", new(store(plus(AuxLoad("X", float8_e5m2), AuxLoad("Y", float8_e5m2), T=float8_e5m2), T=float8_e5m2)),
     ("operator", "Add", "float8_e5m2"), new(store(ACC))),
    ("EVT039", new(store(TreeVisitor(Compute("Muls", half, scalar=Scalar("s", float8_e4m3fn)), ACC))), ("8 bits",),
     new(store(TreeVisitor(Compute("Muls", half, scalar=Scalar("s", half)), ACC)))),
    ("EVT042", new(store(AuxLoad("X", float8_e5m2, null_default=1.0), T=float8_e5m2)), ("call", "float8_e5m2"),
     new(store(AuxLoad("X", float8_e5m2), T=float8_e5m2))),
    ("EVT056", new(store(ACC), gemm=Gemm(float8_e4m3fn, float8_e5m2, l0=(128, 256, 48))),
     ("step", "32", "float8_e4m3fn"), new(store(ACC), gemm=Gemm(l0=(128, 256, 48)))),
    ("EVT058", new(store(ACC), gemm=Gemm(float8_e4m3fn, half)), ("product", "float8_e4m3fn", "half"),
     new(store(ACC), gemm=Gemm(float8_e4m3fn, float8_e5m2))),
    ("EVT058", new(store(AccLoad(int32), T=int32), gemm=Gemm(float8_e4m3fn, float8_e5m2)),
     ("operands", "int32", "float32, half, bfloat16", "float32"),
     new(store(AccLoad(bfloat16), T=bfloat16), gemm=Gemm(float8_e5m2, float8_e4m3fn))),
    ("EVT059", new(store(ACC), gemm=Gemm(float8_e4m3fn, l1=(128, 256, 1024))), ("786432",),
     new(store(ACC), gemm=Gemm(float8_e4m3fn, l1=(128, 256, 512)))),
    ("EVT170", before(workspace_stages=16), ("15", "16"), before(workspace_stages=15)),
    ("EVT170", before(workspace_stages=-1), ("15", "-1"), before(workspace_stages=0)),
    ("EVT179", before(batch=True, group="m"), ("together", 'batch=True, group="m"'), before(batch=True)),
    ("EVT179", before(group="rows"), ("group", '"rows"'), before(group="m")),
    ("EVT179", before(batch=True, group="k"), ("together", 'batch=True, group="k"'), before(group="k")),
    ("EVT180", before(group="k", layout_b=zN), ("group", "layout_b", "zN"), before(group="m", layout_b=zN)),
    ("EVT270", before(group="m", group_list="count"), ("value", "group_list", '"count"', '"offsets" or "counts"'),
     before(group="m", group_list="counts")),
    ("EVT270", before(group="m", group_type=int16), ("value", "group_type", "int16", "int64 or int32"),
     before(group="m", group_type=int32)),
    ("EVT270", before(group_list="counts"), ("no groups", "group_list", '"counts"'), before(group_list="offsets")),
    ("EVT270", before(batch=True, group_type=int32), ("no groups", "int32"), before(batch=True, group_type=int64)),
    ("EVT270", before(group="m", weights="list"), ("value", "weights", '"list"', '"stacked" or "pointers"'),
     before(group="m", weights="pointers", weight_index=True)),
    ("EVT270", before(group="k", weights="pointers"), ("one B", "weights", '"pointers"'),
     before(group="k", weights="stacked")),
    ("EVT270", before(weights="pointers"), ("no groups", "weights", '"pointers"'), before(weights="stacked")),
    ("EVT270", before(batch=True, weight_index=True), ("no groups", "weight_index", "True"),
     before(batch=True, weight_index=False)),
    ("EVT179", before(split_k=0), ("slices", "0"), before(split_k=1)),
    ("EVT179", before(batch=True, split_k=2), ("together", "batch=True, split_k=2"), before(batch=True, split_k=1)),
    ("EVT179", ep(BOTH, gemm=Gemm(split_k=2, accumulators="halves")), ("together", 'split_k=2, accumulators="halves"'),
     ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT190", ep(BOTH, gemm=Gemm(a=half, b=int8, accumulators="separate")), ("field", "accumulators"),
     ep(BOTH, gemm=Gemm(a=half, b=half, accumulators="separate", group="m"))),
    ("EVT193", ep(BOTH, gemm=Gemm(accumulators="half")), ("name", '"half"'),
     ep(BOTH, gemm=Gemm(accumulators="separate", batch=True))),
    ("EVT193", ep(BOTH), ("only one",), ep(store(plus(ACC, ACC)))),
    ("EVT193", ep(store(plus(ACC, AccLoad(half, 2))), gemm=Gemm(accumulators="halves")), ("index", "2"),
     ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT193", before(accumulators="halves"), ("second unread",), before()),
    ("EVT193", ep(store(AccLoad(half, 1)), gemm=Gemm(accumulators="halves")), ("first unread",),
     ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT044",
     ep(store(plus(ACC, TreeVisitor(Cast(half, float32), AccLoad(float32, 1)))), gemm=Gemm(accumulators="halves")), (),
     ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT172", ep(BOTH_WIDE, arch="Ascend950", gemm=Gemm(accumulators="halves", handoff="ub")), ("two",),
     ep(BOTH_WIDE, arch="Ascend950", gemm=Gemm(accumulators="halves", handoff="gm"))),
    ("EVT192", before(split_k=257), ("slices", "256", "257"), before(split_k=256)),
    ("EVT192", before(split_k=2, workspace_stages=1), ("stages",), before(split_k=2, workspace_stages=0)),
    ("EVT192", ep(store(WIDE, T=float32), gemm=Gemm(split_k=2, handoff="ub"), arch="Ascend950"), ("ub",),
     ep(store(WIDE, T=float32), gemm=Gemm(split_k=2, handoff="gm"), arch="Ascend950")),
    ("EVT020", before(workspace_stages=2.0), ("option", "gemm.workspace_stages"), before(workspace_stages=None)),
    ("EVT020", before(workspace_stages=True), ("option", "gemm.workspace_stages"), before(workspace_stages=1)),
]  # fmt: skip


def found(epilogue: Epilogue, code: str) -> list[Diagnostic]:
    return [d for d in check(epilogue) if d.code == code]


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_flags(case: Case) -> None:
    code, bad, named, _ = case
    diagnostics = found(bad, code)
    assert diagnostics, check(bad)
    for d in diagnostics:
        assert d.location is not None and d.location.file == __file__
        assert source_text(d.location)
    assert any(all(one == d.case or one in f"{d.message} {d.help}" for one in named) for d in diagnostics), diagnostics


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_near_miss(case: Case) -> None:
    code, _, _, good = case
    assert not found(good, code)


def test_every_graph_rule_has_a_case() -> None:
    assert set(RULES) == {case[0] for case in CASES}


def test_every_code_is_explained() -> None:
    declare_faults()
    for code in TABLE.values():
        assert code.title and len(code.explanation) > 40


def test_clean_epilogues_have_no_diagnostics() -> None:
    tree = ep(TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))))
    assert check(tree) == []
    assert check(topo([(), (), (0, 1), (2, 2), (3,)], ACC, X, PLUS, PLUS, D)) == []


def test_the_line_is_that_of_the_node() -> None:
    root = TreeVisitor(
        AuxStore("D", half),
        TreeVisitor(
            Compute("Plus", half),
            AccLoad(half),
            AuxLoad("X", float32),
        ),
    )
    (d,) = check(ep(root))
    assert d.location is not None and source_text(d.location) == 'Compute("Plus", half),'
    assert d.code == "EVT021" and d.help is not None and "float32" in d.help


def test_two_step_help() -> None:
    (d,) = check(ep(store(AccLoad(int32)), gemm=Gemm(int8, int8)))
    assert d.help is not None and "Cast(float32, int32) → Cast(half, float32)" in d.help


def test_all_errors_at_once() -> None:
    bad = ep(store(plus(AccLoad("half"), AuxLoad("register", float32)), "A"), arch="Atlas", buffers=9, name="std")
    assert {d.code for d in check(bad)} == {"EVT020", "EVT021", "EVT038", "EVT047", "EVT049", "EVT055"}


def test_suggestions() -> None:
    def help_of(epilogue: Epilogue, code: str) -> str:
        return found(epilogue, code)[0].help or ""

    assert named(help_of(ep(store(ACC), arch="atlasa2"), "EVT038"), "AtlasA2")
    assert "Maximum" in help_of(ep(store(plus(ACC, X, op="maximum"))), "EVT037")
    assert "Plus" in help_of(ep(store(plus(ACC, X, op="add"))), "EVT037")
    assert named(help_of(ep(store(AccLoad("half"))), "EVT020"), "half")
    assert named(help_of(ep(store(AccLoad("hlf"))), "EVT020"), "half")


def test_budget_names_every_node() -> None:
    (d,) = check(wide(1, buffers=2, compute_length=32000))
    assert d.help is not None
    for part in ("compute_length=15488", "128000 bytes  AccLoad(half)", '128000 bytes  AuxLoad("X0", half)'):
        assert part in d.help


def test_inserted_casts_count_in_the_budget() -> None:
    mixed = store(plus(AccLoad(half), AuxLoad("X", half), T=float32), T=float32)
    # C and X in half, both in float32, one of them where C was; the sum overwrites the other, and is stored
    assert found(ep(mixed, auto_cast=True, buffers=2, compute_length=9312), "EVT054")
    assert not check(ep(mixed, auto_cast=True, buffers=2, compute_length=9280))


def test_inserted_casts_count_in_depth() -> None:
    visitor: Any = AccLoad(half)
    for level in range(150):
        visitor = TreeVisitor(Compute("Absolute", (float32, half)[level % 2]), visitor)
    assert [d.code for d in check(ep(store(visitor), auto_cast=True))] == ["EVT030"]


def test_arguments_help_shows_both_nests() -> None:
    (d,) = found(ep(store(plus(ACC, X)), arguments=("D", ((), "X", ()))), "EVT057")
    assert named(d.help, "(((), X, ()), D)\n … (D, ((), X, ()))")
