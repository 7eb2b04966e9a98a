"""Each rule flags what it should, at the user's line, and leaves its near miss alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evtgen import (
    ColumnMajor,
    Epilogue,
    Gemm,
    RowMajor,
    Scalar,
    TopologicalVisitor,
    TreeVisitor,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int8,
    int16,
    int32,
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
from evtgen.graph.types import Layout
from evtgen.nodes import (
    AccLoad,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Cast,
    ColBroadcast,
    ColReduce,
    ColReduced,
    Compute,
    Outputs,
    RowBroadcast,
    RowReduce,
    RowReduced,
    ScalarBroadcast,
    ScalarReduce,
    ScalarReduced,
)


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


def own(name: str, call: str, **options: Any) -> Any:
    return operator(name, [call], lambda np, a: a, **options)


def chosen(condition: Any, T: Any = half) -> TreeVisitor:
    return TreeVisitor(Compute("Where", T), condition, AccLoad(T), AuxLoad("X", T))


MASK = TreeVisitor(Compute("Greater", half), AccLoad(half), AuxLoad("Y", half))

Case = tuple[str, Callable[[], Epilogue], str, Callable[[], Epilogue]]

ACC, X, D, PLUS = AccLoad(half), AuxLoad("X", half), AuxStore("D", half), Compute("Plus", half)
BOTH = store(plus(ACC, AccLoad(half, 1)))
WIDE = AccLoad(float32)
BOTH_WIDE = store(plus(WIDE, AccLoad(float32, 1), T=float32), T=float32)

# code, what it flags, a part of the message, its near miss
CASES: list[Case] = [
    ("EVT020", lambda: ep(store(AccLoad("half"))), 'is "half"', lambda: ep(store(AccLoad(half)))),
    ("EVT020", lambda: ep(store(AccLoad)), "AccLoad itself", lambda: ep(store(AccLoad(half)))),
    ("EVT020", lambda: topo([(), (True,)], ACC, D), "an edge is True", lambda: topo([(), (0,)], ACC, D)),
    ("EVT020", lambda: ep(store(ACC), buffers=2.0), "buffers must be", lambda: ep(store(ACC), buffers=2)),
    ("EVT020", lambda: ep(store(ACC), gemm=Gemm(l1=[1])), "gemm.l1 must be", lambda: ep(store(ACC), gemm=Gemm())),
    ("EVT020", lambda: ep(TreeVisitor(AuxStore("D", half, Layout([1, "x", []])), ACC)), "layout must be",
     lambda: ep(TreeVisitor(AuxStore("D", half, RowMajor), ACC))),
    ("EVT021", lambda: ep(store(AccLoad(float32))), "takes half, but its input is float32",
     lambda: ep(store(AccLoad(float32)), auto_cast=True)),
    ("EVT021", lambda: ep(store(plus(ACC, AuxLoad("X", float32)))), "half inputs, but input 1 is float32",
     lambda: ep(store(plus(ACC, TreeVisitor(Cast(half, float32), AuxLoad("X", float32)))))),
    ("EVT021", lambda: ep(store(AccLoad(int32), T=bfloat16), auto_cast=True), "takes bfloat16",
     lambda: ep(store(AccLoad(int32), T=half), auto_cast=True)),
    ("EVT021", lambda: ep(store(plus(ACC, AuxLoad("X", float32)), T=float32), auto_cast=True),
     "half inputs, but input 1 is float32",
     lambda: ep(store(plus(ACC, AuxLoad("X", float32), T=float32)), auto_cast=True)),
    ("EVT021", lambda: ep(store(plus(AuxLoad("X", int32), T=float32, op="Exp"), T=float32), auto_cast=True),
     "float32 inputs, but input 0 is int32",
     lambda: ep(store(plus(AuxLoad("X", int16), T=float32, op="Exp"), T=float32), auto_cast=True)),
    ("EVT021", lambda: ep(TreeVisitor(RowReduce("r", "Plus", half), AuxLoad("X", float32)), auto_cast=True),
     "takes half, but its input is float32",
     lambda: ep(TreeVisitor(RowReduce("r", "Plus", float32), AuxLoad("X", half)), auto_cast=True)),
    ("EVT021", lambda: ep(store(TreeVisitor(Cast(int8, half), AuxLoad("X", float32)), T=int8), auto_cast=True),
     "takes half, but its input is float32",
     lambda: ep(store(TreeVisitor(Cast(int8, half), AuxLoad("X", uint8)), T=int8), auto_cast=True)),
    ("EVT021", lambda: scaled("Adds", Scalar("alpha", float32)), "takes half scalars, but alpha is float32",
     lambda: scaled("Adds", Scalar("alpha", half))),
    ("EVT021", lambda: scaled("Adds", Scalar("alpha", half), float32), "takes float32 scalars, but alpha is half",
     lambda: ep(scaled("Adds", Scalar("alpha", half), float32).root, auto_cast=True)),
    ("EVT021", lambda: ep(scaled("Adds", Scalar("alpha", int32), float32).root, auto_cast=True),
     "takes float32 scalars, but alpha is int32", lambda: scaled("Adds", Scalar("alpha", int32), int32)),
    ("EVT021", lambda: scaled("Adds", Scalar("alpha"), int32), "takes int32 scalars, but alpha is float32",
     lambda: scaled("Adds", Scalar("alpha"), float32)),
    ("EVT021", lambda: scaled("Swish", Scalar("beta")), "takes half scalars, but beta is float32",
     lambda: scaled("Swish", Scalar("beta", half))),
    ("EVT021", lambda: ep(store(chosen(AuxLoad("Y", half)))), "takes mask there, but input 0 is half",
     lambda: ep(store(chosen(MASK)))),
    ("EVT021", lambda: ep(store(plus(MASK, ACC))), "half inputs, but input 0 is mask",
     lambda: ep(store(plus(chosen(MASK), ACC)))),
    ("EVT022", lambda: topo([(), (0, 2), (1,), (2,)], ACC, PLUS, Compute("Absolute", half), D), "1: Compute",
     lambda: topo([(), (0, 0), (1,), (2,)], ACC, PLUS, Compute("Absolute", half), D)),
    ("EVT023", lambda: topo([(), (-1,)], ACC, D), "reads op -1", lambda: topo([(), (0,)], ACC, D)),
    ("EVT023", lambda: topo([(), (2,)], ACC, D), "ops are 0 to 1", lambda: topo([(), (0,)], ACC, D)),
    ("EVT024", lambda: topo([(), (0,), ()], ACC, D), "3 edges for 2 ops", lambda: topo([(), (0,)], ACC, D)),
    ("EVT024", lambda: topo([()], ACC), "at least 2 ops", lambda: topo([(), (0,)], ACC, D)),
    ("EVT025", lambda: topo([(), (2,), (0,)], ACC, D, Compute("Absolute", half)), "the root is 1: AuxStore",
     lambda: topo([(), (0,), (1,)], ACC, Compute("Absolute", half), D)),
    ("EVT025", lambda: topo([(), (0,), ()], ACC, D, X), "the root is 1: AuxStore",
     lambda: topo([(), (0,), (1,)], ACC, D, AuxStore("E", half))),
    ("EVT026", lambda: topo([(), (), (0,)], ACC, X, D), "never reaches op 1: AuxLoad",
     lambda: topo([(), (), (0, 1), (2,)], ACC, X, PLUS, D)),
    ("EVT027", lambda: ep(store(plus(ACC))), "at least 2 inputs, but has 1", lambda: ep(store(plus(ACC, X, X)))),
    ("EVT027", lambda: ep(store(plus(ACC, X, X, op="Minus"))), "takes 2 inputs, but has 3",
     lambda: ep(store(plus(ACC, X, op="Minus")))),
    ("EVT027", lambda: topo([(1,), (0,)], ACC, D), "takes no inputs, but has 1", lambda: topo([(), (0,)], ACC, D)),
    ("EVT028", lambda: ep(AuxStore("D", half)), "nothing to write", lambda: ep(store(ACC))),
    ("EVT029", lambda: ep(plus(ACC, X)), "no store and no reduction", lambda: ep(store(plus(ACC, X)))),
    ("EVT062", lambda: ep(store(X)), "spec does not read the accumulator", lambda: ep(store(ACC))),
    ("EVT030", lambda: deep(121), "more than 120 levels", lambda: deep(120)),
    ("EVT030", lambda: doubled(40), "more than 20000 nodes", lambda: doubled(5)),
    ("EVT250", lambda: chain(513), "513 nodes", lambda: chain(512)),
    ("EVT250", lambda: sum_of(201), "201 inputs", lambda: sum_of(200)),
    ("EVT031", lambda: topo([(), (0,), (1,)], ACC, plus(ACC, X), D), "nested TreeVisitor, which takes no inputs",
     lambda: topo([(), (0,)], plus(ACC, X), D)),
    ("EVT032", lambda: ep(store(TreeVisitor(ACC))), "no children", lambda: ep(store(ACC))),
    ("EVT033", lambda: ep(store(TreeVisitor(Outputs(), store(ACC, "E")))), "another node reads it",
     lambda: ep(TreeVisitor(Outputs(), store(ACC), store(X, "E")))),
    ("EVT034", lambda: ep(store(TreeVisitor(Cast(int8, float32), AccLoad(float32)), T=int8)),
     "no cast from float32 to int8",
     lambda: ep(store(TreeVisitor(Cast(int8, half), TreeVisitor(Cast(half, float32, "CAST_ODD"), AccLoad(float32))),
                      T=int8))),
    ("EVT034", lambda: ep(store(TreeVisitor(Cast(half, int32), AccLoad(int32)))), "no cast from int32 to half",
     lambda: ep(store(TreeVisitor(Cast(float32, int32), AccLoad(int32)), T=float32))),
    ("EVT035", lambda: ep(store(TreeVisitor(Cast(float32, half, "CAST_RINT"), ACC), T=float32)), "CAST_RINT",
     lambda: ep(store(TreeVisitor(Cast(half, float32, "CAST_RINT"), AccLoad(float32))))),
    ("EVT035", lambda: ep(store(TreeVisitor(Cast(half, half, "CAST_FLOOR"), ACC))), "changes nothing",
     lambda: ep(store(TreeVisitor(Cast(half, half, "CAST_NONE"), ACC)))),
    ("EVT035", lambda: ep(store(TreeVisitor(Cast(half, float32, "RINT"), AccLoad(float32)))), "not a round mode",
     lambda: ep(store(TreeVisitor(Cast(half, half), ACC)))),
    ("EVT036", lambda: ep(store(plus(AccLoad(bfloat16), AuxLoad("X", bfloat16), T=bfloat16), T=bfloat16)),
     "Add does not take bfloat16 on AtlasA2",
     lambda: ep(store(plus(AccLoad(bfloat16), AuxLoad("X", bfloat16), T=bfloat16), T=bfloat16), arch="Ascend950")),
    ("EVT036", lambda: ep(store(plus(ACC, RowBroadcast("r", int8)))), "Copy does not take int8",
     lambda: ep(store(plus(ACC, RowBroadcast("r", half))))),
    ("EVT036", lambda: ep(store(plus(MASK, MASK, T=mask), T=mask)), "Add does not take mask",
     lambda: ep(store(chosen(plus(MASK, MASK, T=mask, op="LogicalOr"))))),
    ("EVT036", lambda: reduced("Mean", int32), "a mean has fractions", lambda: reduced("Mean", float32)),
    ("EVT037", lambda: reduced("Meen"), 'no operator "Meen"', lambda: reduced("Mean")),
    ("EVT037", lambda: ep(store(plus(ACC, X, op="Pluss"))), 'no operator "Pluss"',
     lambda: ep(store(plus(ACC, X, op="Maximum")))),
    ("EVT038", lambda: ep(store(ACC), arch="AtlasA3"), 'no architecture "AtlasA3"',
     lambda: ep(store(ACC), arch="Ascend950")),
    ("EVT172", lambda: ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub")),
     "the cube core of AtlasA2 cannot store to UB",
     lambda: ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub"), arch="Ascend950")),
    ("EVT172", lambda: ep(store(ACC), gemm=Gemm(handoff="l2")), 'must be "gm" or "ub"',
     lambda: ep(store(ACC), gemm=Gemm(handoff="gm"))),
    ("EVT172", lambda: ep(store(ACC), gemm=Gemm(handoff="ub"), arch="Ascend950"), "rounds no sums to half",
     lambda: ep(store(AccLoad(int32), T=int32), gemm=Gemm(handoff="ub"), arch="Ascend950")),
    ("EVT172", lambda: ep(store(X), gemm=Gemm(c=float32, handoff="ub"), arch="Ascend950"),
     "nothing reads the accumulator",
     lambda: ep(store(X), arch="Ascend950")),
    ("EVT172", lambda: ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=0), arch="Ascend950"),
     "no room for the whole accumulator",
     lambda: ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=1), arch="Ascend950")),
    ("EVT172", lambda: ep(store(WIDE, T=float32), gemm=Gemm(l1=(16, 2032, 32), l0=(16, 2032, 16), handoff="ub"),
                          arch="Ascend950"), "at most 2016",
     lambda: ep(store(WIDE, T=float32), gemm=Gemm(l1=(16, 2016, 32), l0=(16, 2016, 16), handoff="ub"),
                arch="Ascend950")),
    ("EVT185", lambda: ep(store(ACC), gemm=Gemm(policy="prefetch")), 'not "prefetch"',
     lambda: ep(store(ACC), gemm=Gemm(policy="preload_async"))),
    ("EVT185", lambda: ep(store(ACC), gemm=Gemm(policy="")), 'must be "pingpong" or "preload_async"',
     lambda: ep(store(ACC), gemm=Gemm(policy="pingpong"))),
    ("EVT185", lambda: ep(store(WIDE, T=float32), gemm=Gemm(policy="preload_async", handoff="ub"), arch="Ascend950"),
     "blocks that are stored in UB are multiplied one after the other",
     lambda: ep(store(WIDE, T=float32), gemm=Gemm(policy="preload_async", handoff="gm"), arch="Ascend950")),
    ("EVT054", lambda: ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=4), arch="Ascend950"),
     "4 take 262144 bytes",
     lambda: ep(store(WIDE, T=float32), gemm=Gemm(handoff="ub", workspace_stages=3), arch="Ascend950")),
    ("EVT054", lambda: in_ub(compute_length=3584), "whole rows of a block, 4096 elements",
     lambda: in_ub(compute_length=4096)),
    ("EVT039", lambda: scaled("Adds", None), "needs a scalar", lambda: scaled("Adds", 0.5)),
    ("EVT039", lambda: scaled("Absolute", 1), "takes no scalar", lambda: scaled("Absolute", None)),
    ("EVT039", lambda: scaled("Adds", float("inf")), "not a finite value", lambda: scaled("Adds", 65504)),
    ("EVT039", lambda: scaled("Adds", 65536.0), "65536.0 would become inf in half", lambda: scaled("Adds", 65519.0)),
    ("EVT039", lambda: scaled("Muls", 1e-9), "1e-09 would become 0.0 in half", lambda: scaled("Muls", 1e-9, float32)),
    ("EVT039", lambda: scaled("Muls", 1e-5), "1e-05 would become 1.0013580322265625e-05 in half",
     lambda: scaled("Muls", 2.0**-24)),
    ("EVT039", lambda: scaled("Muls", 1e-46, float32), "1e-46 would become 0.0 in float32",
     lambda: scaled("Muls", 1e-37, float32)),
    ("EVT039", lambda: scaled("Adds", 0.5, int32), "0.5 would become 0 in int32", lambda: scaled("Adds", 2.0, int32)),
    ("EVT039", lambda: scaled("Adds", 32768, int16), "32768 would become 32767 in int16",
     lambda: scaled("Adds", -32768, int16)),
    ("EVT039", lambda: scaled("Adds", Scalar("alpha", int32, 0.5), int32), "the default of alpha, 0.5 would become 0",
     lambda: scaled("Adds", Scalar("alpha", int32, 1), int32)),
    ("EVT039", lambda: scaled("Adds", Scalar("alpha", half, 1e-9)), "the default of alpha, 1e-09 would become 0.0",
     lambda: scaled("Adds", Scalar("alpha", half, 1e-4))),
    ("EVT039", lambda: scaled("Adds", Scalar("alpha", mask)), "the scalar alpha is a mask",
     lambda: scaled("Adds", Scalar("alpha", half))),
    ("EVT039", lambda: scaled(own("tiny", "Adds(dst, a, 1e-9)"), None), "in Adds(dst, a, 1e-9) the number 1e-09",
     lambda: scaled(own("tiny", "Adds(dst, a, 1e-9)"), None, float32)),
    ("EVT036", lambda: again(ColReduced("max", int32), int32), "WholeReduceMax does not take int32",
     lambda: again(RowReduced("max", int32), int32)),
    ("EVT036", lambda: again(RowReduced("mean", int32), int32), "a mean has fractions",
     lambda: again(RowReduced("add", int32), int32)),
    ("EVT037", lambda: again(ColReduced("maxx", float32)), 'no operator "maxx"',
     lambda: again(ColReduced("max", float32))),
    ("EVT037", lambda: reduced("amin"), 'no operator "amin"', lambda: reduced("amax")),
    ("EVT037", lambda: again(RowReduced("squares", float32)), 'no operator "squares"',
     lambda: again(RowReduced("sum_of_squares", float32))),
    ("EVT036", lambda: again(RowReduced("amax", int32), int32), "Abs does not take int32",
     lambda: again(RowReduced("sum_of_squares", int32), int32)),
    ("EVT040", lambda: again(ScalarReduced("Multiplies", float32)), "no atomic write",
     lambda: again(ScalarReduced("Minimum", float32))),
    ("EVT201", lambda: again(ColReduced("add", half), half), "is of float32 or int32, not of half",
     lambda: again(ColReduced("add", float32))),
    ("EVT201", lambda: again(RowReduced("max", bfloat16), bfloat16), "not of bfloat16",
     lambda: again(RowReduced("max", int32), int32)),
    ("EVT040", lambda: reduced("Multiplies"), "no atomic write", lambda: reduced("Maximum")),
    ("EVT041", lambda: reduced("Plus", half, 1e6), "half cannot hold the identity", lambda: reduced("Plus", half, 0.1)),
    ("EVT041", lambda: reduced("Plus", half, 1e-9), "half cannot hold the identity: 1e-09 would become 0.0",
     lambda: reduced("Plus", float32, 1e-9)),
    ("EVT041", lambda: reduced("Plus", half, float("nan")), "cannot hold",
     lambda: reduced("Maximum", half, -float("inf"))),
    ("EVT041", lambda: reduced("Plus", int32, 2**31), "cannot hold", lambda: reduced("Plus", int32, -(2**31))),
    ("EVT042", lambda: ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1e6)))), "half cannot hold the default",
     lambda: ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1.5))))),
    ("EVT042", lambda: ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1e-9)))), "1e-09 would become 0.0 in half",
     lambda: ep(store(plus(ACC, AuxLoad("X", half, RowMajor, 1e-4))))),
    ("EVT042", lambda: ep(store(AuxLoad("X", int8, RowMajor, 0), T=int8)), "Duplicate does not take int8",
     lambda: ep(store(AuxLoad("X", int8), T=int8))),
    ("EVT042", lambda: ep(store(plus(ACC, RowBroadcast("r", half, RowMajor, 1e6)))), "half cannot hold the default",
     lambda: ep(store(plus(ACC, RowBroadcast("r", half, RowMajor, 1.5))))),
    ("EVT042", lambda: ep(store(ScalarBroadcast("s", int8, RowMajor, 0), T=int8)), "Duplicate does not take int8",
     lambda: ep(store(plus(ACC, ScalarBroadcast("s", half, RowMajor, 0))))),
    ("EVT043", lambda: ep(store(ACC), gemm=Gemm(c=float32)), "reads half, but the GEMM writes float32",
     lambda: ep(store(ACC), gemm=Gemm(c=half))),
    ("EVT044", lambda: ep(store(plus(ACC, TreeVisitor(Cast(half, float32), AccLoad(float32))))), "reads as half",
     lambda: ep(store(plus(ACC, AccLoad(half))))),
    ("EVT045", lambda: ep(store(plus(ACC, AuxLoad("D", half)))), 'AuxLoad("D", half) has taken the name "D"',
     lambda: ep(store(plus(ACC, X)))),
    ("EVT045", lambda: ep(store(TreeVisitor(Compute("Clamp", half, (Scalar("s", half), Scalar("s", half, 1.0))), ACC))),
     "declared in two ways", lambda: scaled("Clamp", (Scalar("s", half), Scalar("s", half)))),
    ("EVT045", lambda: scaled("Adds", Scalar("D")), 'a scalar has taken the name "D"',
     lambda: scaled("Adds", Scalar("d"))),
    ("EVT046", lambda: scaled("Adds", Scalar("a-b")), 'scalar name "a-b" is not',
     lambda: scaled("Adds", Scalar("a_b"))),
    ("EVT049", lambda: scaled("Clamp", (Scalar("alpha"), Scalar("int32_t"))), "the arguments struct uses",
     lambda: scaled("Clamp", (Scalar("alpha"), Scalar("Alpha")))),
    ("EVT039", lambda: scaled("Clamp", (float("-inf"), 1.0)), "not a finite value",
     lambda: ep(store(TreeVisitor(Compute("WhereScalar", half, float("-inf")), MASK, ACC)))),
    ("EVT020", lambda: scaled("Adds", Scalar("alpha", "float32")), "scalar must be a number",
     lambda: scaled("Adds", Scalar("alpha", half))),
    ("EVT049", lambda: scaled("Adds", Scalar("ToEvt", half)), "something else",
     lambda: scaled("Adds", Scalar("layoutD", half))),
    ("EVT046", lambda: ep(store(ACC, "D-out")), "not a C++ identifier", lambda: ep(store(ACC, "D_out"))),
    ("EVT046", lambda: ep(store(ACC), name="2nd"), "not a C++ identifier", lambda: ep(store(ACC), name="nd2")),
    ("EVT046", lambda: ep(store(ACC, "größe")), "not a C++ identifier", lambda: ep(store(ACC, "size"))),
    ("EVT047", lambda: ep(store(ACC, "register")), "C++ keyword", lambda: ep(store(ACC, "Register"))),
    ("EVT047", lambda: ep(store(ACC), name="requires"), "C++ keyword", lambda: ep(store(ACC), name="required")),
    ("EVT049", lambda: ep(store(ACC), name="Helper"), "generated code uses the name",
     lambda: ep(store(ACC), name="helpers")),
    ("EVT049", lambda: ep(store(ACC), name="evt_example"), "generated code uses the name",
     lambda: ep(store(ACC), name="evt_examples")),
    ("EVT049", lambda: ep(store(ACC), name="golden"), "generated code uses the name",
     lambda: ep(store(ACC), name="golden_")),
    ("EVT049", lambda: ep(store(ACC), name="options"), "generated code uses the name",
     lambda: ep(store(ACC), name="options2")),
    ("EVT048", lambda: ep(store(ACC, "_D")), "reserved by C++", lambda: ep(store(ACC, "_d"))),
    ("EVT048", lambda: ep(store(ACC, "a__b")), "reserved by C++", lambda: ep(store(ACC, "a_b"))),
    ("EVT048", lambda: ep(store(ACC), name="_spec"), "reserved by C++", lambda: ep(store(ACC), name="spec_")),
    ("EVT048", lambda: ep(store(ACC), name="NULL"), "macro", lambda: ep(store(ACC, "NULL"))),
    ("EVT049", lambda: ep(store(ACC), name="std"), "generated code uses", lambda: ep(store(ACC), name="std_")),
    ("EVT049", lambda: ep(store(ACC), name="AscendC"), "generated code uses", lambda: ep(store(ACC), name="exp")),
    ("EVT049", lambda: ep(store(ACC, "half")), "something else", lambda: ep(store(ACC, "half_out"))),
    ("EVT049", lambda: ep(store(ACC, "GM_ADDR")), "something else",
     lambda: ep(store(plus(ACC, AuxLoad("A", half)), "C"))),
    ("EVT049", lambda: ep(store(ACC, "size_t")), "something else",
     lambda: ep(store(plus(ACC, AuxLoad("row_out", half)), "rowOut"))),
    ("EVT049", lambda: ep(store(ACC, "bfloat16_t")), "something else",
     lambda: ep(store(plus(ACC, AuxLoad("layoutD", half))))),
    ("EVT050", lambda: ep(store(plus(ACC, AuxLoad("X", half, Layout("RowMayor"))))), 'no layout "RowMayor"',
     lambda: ep(store(plus(ACC, AuxLoad("X", half, RowMajor))))),
    ("EVT051", lambda: reduced("Plus", layout=ColumnMajor), "shape (1, N)", lambda: reduced("Plus", layout=RowMajor)),
    ("EVT051", lambda: reduced("Plus", layout=ColumnMajor, kind=ColReduce), "shape (M, 1)",
     lambda: reduced("Plus", kind=ColReduce)),
    ("EVT051", lambda: reduced("Plus", layout=ColumnMajor, kind=ScalarReduce), "shape (1, 1)",
     lambda: reduced("Plus", kind=ScalarReduce)),
    ("EVT051", lambda: broadcast(RowBroadcast, ColumnMajor), "shape (1, N)", lambda: broadcast(RowBroadcast)),
    ("EVT051", lambda: broadcast(ColBroadcast, ColumnMajor), "shape (M, 1)", lambda: broadcast(ColBroadcast)),
    ("EVT051", lambda: broadcast(ScalarBroadcast, ColumnMajor), "shape (1, 1)", lambda: broadcast(ScalarBroadcast)),
    ("EVT052", lambda: ep(store(plus(ACC, AuxLoad("X", half, nZ)))), "only RowMajor and ColumnMajor",
     lambda: ep(store(plus(ACC, AuxLoad("X", half, ColumnMajor))))),
    ("EVT052", lambda: ep(TreeVisitor(AuxStore("D", half, zN), ACC)), "but this is zN",
     lambda: ep(TreeVisitor(AuxStore("D", half, ColumnMajor), ACC))),
    ("EVT052", lambda: ep(store(plus(ACC, AuxLoad("X", half, zN)))), "but this is zN",
     lambda: ep(store(ACC), gemm=Gemm(layout_b=zN))),
    ("EVT053", lambda: ep(store(ACC), compute_length=100), "multiple of 32", lambda: ep(store(ACC), compute_length=96)),
    ("EVT053", lambda: ep(store(chosen(MASK)), compute_length=192), "multiple of 128",
     lambda: ep(store(chosen(MASK)), compute_length=256)),
    ("EVT052", lambda: ep(TreeVisitor(AuxScatter("D", half, ColumnMajor, "rows"), ACC)), "this is ColumnMajor",
     lambda: ep(TreeVisitor(AuxScatter("D", half, rows="rows"), ACC))),
    ("EVT197", lambda: ep(TreeVisitor(AuxScatter("D", half, rows="rows"), ACC), gemm=Gemm(batch=True)), "named by rows",
     lambda: ep(TreeVisitor(AuxScatter("D", half, rows="rows"), ACC), gemm=Gemm(group="m"))),
    ("EVT197", lambda: ep(store(plus(ACC, AuxGather("X", half, "rows"))), gemm=Gemm(batch=True)), "named by rows",
     lambda: ep(store(plus(ACC, AuxGather("X", half, "rows"))))),
    ("EVT045", lambda: ep(store(plus(AuxLoad("rows", half), AuxGather("X", half, "rows")))), "has taken the name",
     lambda: ep(TreeVisitor(AuxScatter("D", half, rows="rows"), plus(ACC, AuxGather("X", half, "rows"))))),
    ("EVT053", lambda: ep(TreeVisitor(AuxStore("D", half, ColumnMajor), ACC), compute_length=256), "multiple of 512",
     lambda: ep(TreeVisitor(AuxStore("D", half, ColumnMajor), ACC), compute_length=1024)),
    ("EVT053", lambda: ep(store(ACC), compute_length="all"), '"auto"', lambda: ep(store(ACC), compute_length="auto")),
    ("EVT053", lambda: ep(store(ACC), compute_length=0), "positive", lambda: ep(store(ACC), compute_length=32)),
    ("EVT054", lambda: wide(1, buffers=1, compute_length=31392), "it takes 189440 bytes with buffers=1, AtlasA2",
     lambda: wide(1, buffers=1, compute_length=31232)),
    ("EVT054", lambda: wide(183, buffers=2), "does not fit UB", lambda: wide(182, buffers=2)),
    ("EVT054", lambda: wide(1, compute_length=15520), "it takes 188416 bytes with buffers=2, AtlasA2 has 188160",
     lambda: wide(1, compute_length=15488)),
    ("EVT054", lambda: wide(367), "even 32 elements, the minimum, take", lambda: wide(366)),
    ("EVT055", lambda: ep(store(ACC), buffers="most"), 'a number or "auto"', lambda: ep(store(ACC), buffers="auto")),
    ("EVT055", lambda: ep(store(ACC), buffers=7), "1 to 6", lambda: ep(store(ACC), buffers=6)),
    ("EVT055", lambda: ep(store(ACC), buffers=0), "1 to 6", lambda: ep(store(ACC), buffers=1)),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(l1=(128, 200, 256))), "multiples of 16",
     lambda: ep(store(ACC), gemm=Gemm(l1=(128, 256, 128)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(l1=(128, 256, 256), l0=(64, 256, 64))), "the m and n of gemm.l1",
     lambda: ep(store(ACC), gemm=Gemm(l0=(64, 256, 64)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(l1=(128, 256, 32), l0=(128, 256, 64))), "must not have a larger k",
     lambda: ep(store(ACC), gemm=Gemm(l1=(128, 256, 32)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(int8, int8, l1=(48, 64, 64))), "the m of gemm.l1 must be",
     lambda: ep(store(ACC), gemm=Gemm(l1=(48, 64, 64)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(int8, int8, l0=(64, 48, 64))), "the n of gemm.l0 must be",
     lambda: ep(store(ACC), gemm=Gemm(float32, float32, l0=(64, 48, 64)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(swizzle=(0, 2))), "swizzle",
     lambda: ep(store(ACC), gemm=Gemm(swizzle=(4, 1)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(swizzle=(65536, 1))), "swizzle",
     lambda: ep(store(ACC), gemm=Gemm(swizzle=(65535, 1)))),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(swizzle=(2**32, 1))), "swizzle",
     lambda: ep(store(ACC), gemm=Gemm(swizzle=(1, 0)))),
    ("EVT057", lambda: ep(store(plus(ACC, X)), arguments=("D", ((), "X", ()))), "order",
     lambda: ep(store(plus(ACC, X)), arguments=[[(), "X", ()], "D"])),
    ("EVT056", lambda: ep(store(ACC), gemm=Gemm(int8, int8, l0=(128, 256, 48))), "multiple of 32 for int8",
     lambda: ep(store(ACC), gemm=Gemm(l0=(128, 256, 48)))),
    ("EVT057", lambda: topo_with_arguments(("X", (), (), "D")), "order",
     lambda: topo_with_arguments(((), "X", (), "D"))),
    ("EVT058", lambda: ep(store(ACC), gemm=Gemm(a=half, b=float32)), "cannot multiply half by float32",
     lambda: ep(store(ACC), gemm=Gemm(a=float32, b=float32))),
    ("EVT058", lambda: ep(store(ACC), gemm=Gemm(a=float32, b=int8)), "cannot multiply float32 by int8",
     lambda: ep(store(ACC), gemm=Gemm(a=half, b=int8))),
    ("EVT058", lambda: ep(store(ACC), gemm=Gemm(a=int8, b=half)), "cannot multiply int8 by half",
     lambda: ep(store(ACC), gemm=Gemm(a=bfloat16, b=int8))),
    ("EVT058", lambda: ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=half, b=int8)), "not int32",
     lambda: ep(store(AccLoad(int32), T=int32), gemm=Gemm(b=int8))),
    ("EVT190", lambda: ep(store(ACC), gemm=Gemm(a=half, b=int8, batch=True)), "has no batch",
     lambda: ep(store(ACC), gemm=Gemm(a=half, b=half, batch=True))),
    ("EVT190", lambda: new(store(ACC), gemm=Gemm(a=bfloat16, b=int8, group="m")), "has no group",
     lambda: new(store(ACC), gemm=Gemm(a=bfloat16, b=int8))),
    ("EVT190", lambda: ep(store(ACC), gemm=Gemm(a=half, b=int8, split_k=4)), "has no split_k",
     lambda: ep(store(ACC), gemm=Gemm(a=half, b=int8, layout_b=ColumnMajor))),
    # The cube core multiplies half: its tiles count, not those of B as it is given.
    ("EVT059", lambda: ep(store(ACC), gemm=Gemm(half, int8, l1=(128, 256, 512))), "it takes 786432 bytes",
     lambda: ep(store(ACC), gemm=Gemm(half, int8, l0=(128, 256, 48)))),
    ("EVT058", lambda: ep(store(AccLoad(int32), T=int32), gemm=Gemm(a=half)), "not int32",
     lambda: ep(store(AccLoad(int32), T=int32))),
    ("EVT058", lambda: ep(store(ACC), gemm=Gemm(half, half, int32)), "not int32",
     lambda: ep(store(ACC), gemm=Gemm(half, None, half))),
    ("EVT059", lambda: ep(store(ACC), gemm=Gemm(float32, float32, None, (128, 256, 256), (128, 256, 32))),
     "gemm.l1 does not fit L1: it takes 786432 bytes", lambda: ep(store(ACC), gemm=Gemm(float32, float32))),
    ("EVT059", lambda: ep(store(ACC), gemm=Gemm(l0=(128, 256, 80))), "gemm.l0 does not fit L0B: it takes 81920 bytes",
     lambda: ep(store(ACC), gemm=Gemm(l0=(128, 256, 64)))),
    ("EVT059", lambda: ep(store(ACC), gemm=Gemm(l1=(2048, 16, 16))), "gemm.l1 does not fit L0A: it takes 131072 bytes",
     lambda: ep(store(ACC), gemm=Gemm(l1=(1024, 32, 16)))),
    ("EVT059", lambda: ep(store(ACC), gemm=Gemm(l1=(256, 256, 256), l0=(256, 256, 64))), "does not fit L0C",
     lambda: ep(store(ACC), gemm=Gemm(l1=(256, 256, 256), l0=(256, 256, 64)), arch="Ascend950")),
    ("EVT180", lambda: ep(store(ACC), gemm=Gemm(layout_a=Layout("zZ"))), 'gemm.layout_a: there is no layout "zZ"',
     lambda: ep(store(ACC), gemm=Gemm(layout_a=zN))),
    ("EVT180", lambda: ep(store(ACC), gemm=Gemm(layout_b=Layout("nz"))), 'gemm.layout_b: there is no layout "nz"',
     lambda: ep(store(ACC), gemm=Gemm(layout_b=nZ))),
    ("EVT060", lambda: ep(store(MASK, T=mask)), "a tensor cannot hold a mask", lambda: ep(store(chosen(MASK)))),
    ("EVT061", lambda: ep(store(TreeVisitor(Compute(own("twice", "Adds(dst, a, 1)"), half),
                                            plus(ACC, op=own("twice", "Adds(dst, a, 2)"))))),
     "another operator Twice",
     lambda: ep(store(TreeVisitor(Compute(own("twice", "Adds(dst, a, 1)"), half),
                                  plus(ACC, op=own("twice", "Adds(dst, a, 2)", cpp="Twice2")))))),
    ("EVT173", lambda: ep(store(ACC), gemm=Gemm(b=float8_e5m2)), "gemm.b: AtlasA2 has no float8_e5m2",
     lambda: new(store(ACC), gemm=Gemm(b=float8_e5m2))),
    ("EVT173", lambda: ep(small(AccLoad(float32))), "AtlasA2 has no float8_e4m3fn",
     lambda: new(small(AccLoad(float32)))),
    ("EVT173", lambda: ep(store(AuxLoad("X", float8_e5m2), T=float8_e5m2)), 'AuxLoad("X", float8_e5m2): AtlasA2 has no',
     lambda: new(store(AuxLoad("X", float8_e5m2), T=float8_e5m2))),
    ("EVT034", lambda: new(small(ACC, half)), "no cast from half to float8_e4m3fn",
     lambda: new(small(AccLoad(float32)))),
    ("EVT035", lambda: new(small(AccLoad(float32), mode="CAST_TRUNC")), "does not have CAST_TRUNC on Ascend950",
     lambda: new(small(AccLoad(float32), mode="CAST_RINT"))),
    ("EVT036", lambda: new(store(plus(AuxLoad("X", float8_e5m2), AuxLoad("Y", float8_e5m2), T=float8_e5m2),
                                 T=float8_e5m2)),
     "Add does not take float8_e5m2 on Ascend950", lambda: new(store(ACC))),
    ("EVT039", lambda: new(store(TreeVisitor(Compute("Muls", half, scalar=Scalar("s", float8_e4m3fn)), ACC))),
     "only for the elements of tensors",
     lambda: new(store(TreeVisitor(Compute("Muls", half, scalar=Scalar("s", half)), ACC)))),
    ("EVT042", lambda: new(store(AuxLoad("X", float8_e5m2, null_default=1.0), T=float8_e5m2)),
     "Duplicate does not take float8_e5m2", lambda: new(store(AuxLoad("X", float8_e5m2), T=float8_e5m2))),
    ("EVT056", lambda: new(store(ACC), gemm=Gemm(float8_e4m3fn, float8_e5m2, l0=(128, 256, 48))),
     "multiple of 32 for float8_e4m3fn", lambda: new(store(ACC), gemm=Gemm(l0=(128, 256, 48)))),
    ("EVT058", lambda: new(store(ACC), gemm=Gemm(float8_e4m3fn, half)), "cannot multiply float8_e4m3fn by half",
     lambda: new(store(ACC), gemm=Gemm(float8_e4m3fn, float8_e5m2))),
    ("EVT058", lambda: new(store(AccLoad(int32), T=int32), gemm=Gemm(float8_e4m3fn, float8_e5m2)),
     "can write float32, half, bfloat16, but not int32",
     lambda: new(store(AccLoad(bfloat16), T=bfloat16), gemm=Gemm(float8_e5m2, float8_e4m3fn))),
    ("EVT059", lambda: new(store(ACC), gemm=Gemm(float8_e4m3fn, l1=(128, 256, 1024))), "it takes 786432 bytes",
     lambda: new(store(ACC), gemm=Gemm(float8_e4m3fn, l1=(128, 256, 512)))),
    ("EVT170", lambda: ep(store(ACC), gemm=Gemm(workspace_stages=16)), "must be 0 to 15, not 16",
     lambda: ep(store(ACC), gemm=Gemm(workspace_stages=15))),
    ("EVT170", lambda: ep(store(ACC), gemm=Gemm(workspace_stages=-1)), "must be 0 to 15, not -1",
     lambda: ep(store(ACC), gemm=Gemm(workspace_stages=0))),
    ("EVT179", lambda: ep(store(ACC), gemm=Gemm(batch=True, group="m")), 'batch=True, group="m"',
     lambda: ep(store(ACC), gemm=Gemm(batch=True))),
    ("EVT179", lambda: ep(store(ACC), gemm=Gemm(group="rows")), 'gemm.group must be "m", not "rows"',
     lambda: ep(store(ACC), gemm=Gemm(group="m"))),
    ("EVT179", lambda: ep(store(ACC), gemm=Gemm(split_k=0)), "gemm.split_k must be 1 or more, not 0",
     lambda: ep(store(ACC), gemm=Gemm(split_k=1))),
    ("EVT179", lambda: ep(store(ACC), gemm=Gemm(batch=True, split_k=2)), "batch=True, split_k=2",
     lambda: ep(store(ACC), gemm=Gemm(batch=True, split_k=1))),
    ("EVT179", lambda: ep(BOTH, gemm=Gemm(split_k=2, accumulators="halves")),
     'split_k=2, accumulators="halves"', lambda: ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT190", lambda: ep(BOTH, gemm=Gemm(a=half, b=int8, accumulators="separate")), "has no accumulators",
     lambda: ep(BOTH, gemm=Gemm(a=half, b=half, accumulators="separate", group="m"))),
    ("EVT193", lambda: ep(BOTH, gemm=Gemm(accumulators="half")), 'not "half"',
     lambda: ep(BOTH, gemm=Gemm(accumulators="separate", batch=True))),
    ("EVT193", lambda: ep(BOTH), "AccLoad(half, index=1) reads a second accumulator, but the GEMM has one",
     lambda: ep(store(plus(ACC, ACC)))),
    ("EVT193", lambda: ep(store(plus(ACC, AccLoad(half, 2))), gemm=Gemm(accumulators="halves")), "reads accumulator 2",
     lambda: ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT193", lambda: ep(store(ACC), gemm=Gemm(accumulators="halves")), "nothing reads the second accumulator",
     lambda: ep(store(ACC), gemm=Gemm())),
    ("EVT193", lambda: ep(store(AccLoad(half, 1)), gemm=Gemm(accumulators="halves")), "reads the first accumulator",
     lambda: ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT044", lambda: ep(store(plus(ACC, TreeVisitor(Cast(half, float32), AccLoad(float32, 1)))),
                          gemm=Gemm(accumulators="halves")), "reads the accumulator that",
     lambda: ep(BOTH, gemm=Gemm(accumulators="halves"))),
    ("EVT172", lambda: ep(BOTH_WIDE, arch="Ascend950",
                          gemm=Gemm(accumulators="halves", handoff="ub")), "two accumulators go through global memory",
     lambda: ep(BOTH_WIDE, arch="Ascend950",
                gemm=Gemm(accumulators="halves", handoff="gm"))),
    ("EVT192", lambda: ep(store(ACC), gemm=Gemm(split_k=257)), "gemm.split_k must be at most 256, not 257",
     lambda: ep(store(ACC), gemm=Gemm(split_k=256))),
    ("EVT192", lambda: ep(store(ACC), gemm=Gemm(split_k=2, workspace_stages=1)), "the whole accumulator",
     lambda: ep(store(ACC), gemm=Gemm(split_k=2, workspace_stages=0))),
    ("EVT192", lambda: ep(store(WIDE, T=float32), gemm=Gemm(split_k=2, handoff="ub"), arch="Ascend950"),
     "no cube core has the whole sum",
     lambda: ep(store(WIDE, T=float32), gemm=Gemm(split_k=2, handoff="gm"), arch="Ascend950")),
    ("EVT020", lambda: ep(store(ACC), gemm=Gemm(workspace_stages=2.0)), "gemm.workspace_stages must be an integer",
     lambda: ep(store(ACC), gemm=Gemm(workspace_stages=None))),
    ("EVT020", lambda: ep(store(ACC), gemm=Gemm(workspace_stages=True)), "gemm.workspace_stages must be an integer",
     lambda: ep(store(ACC), gemm=Gemm(workspace_stages=1))),
]  # fmt: skip


def topo_with_arguments(nest: Any) -> Epilogue:
    return ep(TopologicalVisitor([(), (), (0, 1), (2,)], [ACC, X, PLUS, D]), arguments=nest)


def found(epilogue: Epilogue, code: str) -> list[Diagnostic]:
    return [d for d in check(epilogue) if d.code == code]


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_flags(case: Case) -> None:
    code, bad, message, _ = case
    diagnostics = found(bad(), code)
    assert diagnostics, check(bad())
    assert any(message in d.message for d in diagnostics), [d.message for d in diagnostics]
    for d in diagnostics:
        assert d.location is not None and d.location.file == __file__
        assert source_text(d.location)


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_near_miss(case: Case) -> None:
    code, _, _, good = case
    assert not found(good(), code)


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
    assert d.help == (
        "compute in float32, which holds both exactly, and cast the half operand, or let auto_cast=True do that"
    )


def test_two_step_help() -> None:
    (d,) = check(ep(store(AccLoad(int32)), gemm=Gemm(int8, int8)))
    assert d.help is not None and d.help.startswith("insert Cast(float32, int32) and then Cast(half, float32)")


def test_all_errors_at_once() -> None:
    bad = ep(store(plus(AccLoad("half"), AuxLoad("register", float32)), "A"), arch="Atlas", buffers=9, name="std")
    assert {d.code for d in check(bad)} == {"EVT020", "EVT021", "EVT038", "EVT047", "EVT049", "EVT055"}


def test_suggestions() -> None:
    def help_of(epilogue: Epilogue, code: str) -> str:
        return found(epilogue, code)[0].help or ""

    assert help_of(ep(store(ACC), arch="atlasa2"), "EVT038") == "did you mean AtlasA2?"
    assert "Maximum" in help_of(ep(store(plus(ACC, X, op="maximum"))), "EVT037")
    assert "Plus" in help_of(ep(store(plus(ACC, X, op="add"))), "EVT037")
    assert help_of(ep(store(AccLoad("half"))), "EVT020") == "write half without quotes"
    assert help_of(ep(store(AccLoad("hlf"))), "EVT020") == "did you mean half?"


def test_budget_names_every_node() -> None:
    (d,) = check(wide(1, buffers=2, compute_length=32000))
    assert d.help is not None
    for part in ("compute_length=15488 fits", "128000 bytes  AccLoad(half)", '128000 bytes  AuxLoad("X0", half)'):
        assert part in d.help


def test_inserted_casts_count_in_the_budget() -> None:
    mixed = store(plus(AccLoad(half), AuxLoad("X", half), T=float32), T=float32)
    # C and X in half, both in float32, of which the sum overwrites one and is stored
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
    assert d.help == "required: (((), X, ()), D)\nwritten:  (D, ((), X, ()))"


def test_cycle_is_printed() -> None:
    cyclic = topo([(), (0, 2), (1,), (2,)], ACC, PLUS, Compute("Absolute", half), D)
    (d,) = found(cyclic, "EVT022")
    assert d.message.count("→") == 2 and "2: Compute" in d.message
