"""JSON specs: the same graphs as Python, and a diagnostic for each thing that is wrong."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from evtgen import (
    ColumnMajor,
    Epilogue,
    Gemm,
    TopologicalVisitor,
    TreeVisitor,
    bfloat16,
    float32,
    half,
    int8,
    mask,
    operator,
)
from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError
from evtgen.frontend.json_form import read, to_json
from evtgen.frontend.load import load
from evtgen.frontend.schema import json_schema
from evtgen.graph.ir import Scalar
from evtgen.graph.types import int32, nZ
from evtgen.nodes import (
    NODE_KINDS,
    AccLoad,
    AuxLoad,
    AuxStore,
    ColReduced,
    Compute,
    Outputs,
    RowReduce,
    RowReduced,
    ScalarReduced,
)

from ..support.said import says
from ..support.seeds import EXPLICIT, TRACED

SCHEMA = json_schema()

EVERYTHING = [
    Epilogue(
        "everything",
        TopologicalVisitor(
            [(), (), (0, 1), (2,), (2,), (3, 4)],
            [
                TreeVisitor(Compute("Adds", half, 0.5), AccLoad(half)),
                AuxLoad("X", half, ColumnMajor, 0),
                Compute("Plus", half),
                AuxStore("D", half),
                RowReduce("r", "Maximum", half, -float("inf")),
                Outputs(),
            ],
        ),
        "Ascend950",
        True,
        64,
        3,
        Gemm(int8, bfloat16, float32, (16, 32, 48), (16, 32, 16), (4, 1), 3),
        (((), ()), "X", (), "D", "r", ()),
    )
]


NORMED = [
    Epilogue(
        "normed",
        TopologicalVisitor(
            [(), (0,), (0, 1), (2,), (2, 3), (4,), (4, 5), (6,)],
            [
                AccLoad(float32),
                ColReduced("Maximum", float32),
                Compute("Minus", float32),
                RowReduced("Mean", float32),
                Compute("Minus", float32),
                ScalarReduced("Plus", float32),
                Compute("Divides", float32),
                AuxStore("D", float32),
            ],
        ),
    )
]


def test_round_trip() -> None:
    for epilogues in (EXPLICIT, TRACED, EVERYTHING, NORMED):
        document = json.loads(json.dumps(to_json(epilogues), allow_nan=False))
        jsonschema.validate(document, SCHEMA)
        back = read(json.dumps(document), "spec.json")
        assert [e.root for e in back] == [e.root for e in epilogues]
        assert to_json(back) == document
        assert not any(e.traced for e in back)


def test_masks_and_scalars() -> None:
    low, high = Scalar("low", half), Scalar("high", half, 1.5)
    clamped = TreeVisitor(Compute("Clamp", half, (low, high)), AccLoad(half))
    condition = TreeVisitor(
        Compute("LogicalNot", mask), TreeVisitor(Compute("LessScalar", half, low), AuxLoad("Y", half))
    )
    chosen = TreeVisitor(Compute("WhereScalar", half, 0.5), condition, clamped)
    spec = Epilogue("chosen", TreeVisitor(AuxStore("D", half), chosen))
    document = json.loads(json.dumps(to_json([spec])))
    jsonschema.validate(document, SCHEMA)
    (back,) = read(json.dumps(document), "spec.json")
    assert back.root == spec.root and check(back) == []
    wrong = failures(of({"node": "Compute", "op": "Adds", "T": "half", "scalar": {"nam": "s"}}))
    assert {d.code for d in wrong} == {"EVT006"}
    assert 'epilogues[0].root.scalar.nam: there is no field "nam"' in [d.message for d in wrong]


def test_an_operator_of_ones_own_is_python() -> None:
    own = operator("own", ["Abs(dst, a)"], lambda np, a: np.abs(a))
    spec = Epilogue("spec", TreeVisitor(AuxStore("D", half), TreeVisitor(Compute(own, half), AccLoad(half))))
    with pytest.raises(TypeError, match="the operator own is declared in Python"):
        to_json([spec])


def test_options_survive() -> None:
    (back,) = read(json.dumps(to_json(EVERYTHING)), "spec.json")
    (e,) = EVERYTHING
    assert (back.gemm, back.arch, back.auto_cast, back.compute_length, back.buffers) == (
        e.gemm,
        e.arch,
        e.auto_cast,
        e.compute_length,
        e.buffers,
    )
    assert "EVT057" not in {d.code for d in check(back)}


GEMM: dict[str, Any] = {
    "a": int8, "b": bfloat16, "c": float32, "l1": (16, 32, 48), "l0": (16, 32, 16), "swizzle": (4, 1),
    "workspace_stages": 2, "handoff": "ub", "layout_a": nZ, "layout_b": ColumnMajor, "batch": True, "group": "m",
    "policy": "preload_async", "split_k": 4, "accumulators": "halves",
    "group_list": "counts", "group_type": int32, "weights": "pointers", "weight_index": True,
    "scale": "column", "zero_point": True, "hf32": True, "msd": True,
}  # fmt: skip


def test_every_field_of_a_gemm_survives() -> None:
    names = {field.name for field in fields(Gemm)}
    assert names <= GEMM.keys(), "write the new ones, too"
    of_each = [Gemm(**{name: GEMM[name]}) for name in names]
    specs = [
        Epilogue(f"e{n}", TreeVisitor(AccLoad(half)), gemm=gemm) for n, gemm in enumerate([*of_each, Gemm(**GEMM)])
    ]
    assert Gemm() not in of_each
    document = json.loads(json.dumps(to_json(specs)))
    jsonschema.validate(document, SCHEMA)
    assert [spec.gemm for spec in read(json.dumps(document), "spec.json")] == [spec.gemm for spec in specs]


@pytest.mark.parametrize(
    "wrong", [{"batch": 1}, {"batch": None}, {"group": 3}, {"split_k": "2"}, {"policy": True}, {"layout_a": "ColMajor"}]
)
def test_the_schema_refuses_what_the_reader_refuses_of_a_gemm(wrong: dict[str, Any]) -> None:
    document = of(ACC, gemm=wrong)
    (found,) = failures(document)
    assert found.code == "EVT006" and f"epilogues[0].gemm.{next(iter(wrong))}: " in found.message
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for name in NODE_KINDS:
        assert name in SCHEMA["$defs"]
    assert "#/$defs/Visitor" in json.dumps(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            {"evtgen": 1, "epilogues": [{"name": "x", "root": {"node": "AccLoad", "T": "hlf"}}]}, SCHEMA
        )


def test_loaded_by_path(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(to_json(EXPLICIT)))
    assert [e.name for e in load([path])] == [e.name for e in EXPLICIT]


def test_an_editor_may_be_told_of_the_schema() -> None:
    document = {"$schema": "../evtgen.schema.json", **to_json(EVERYTHING[:1])}
    jsonschema.validate(document, SCHEMA)
    assert [e.name for e in read(json.dumps(document), "spec.json")] == ["everything"]


def failures(document: Any) -> list[Diagnostic]:
    with pytest.raises(EvtgenError) as caught:
        read(document if isinstance(document, str) else json.dumps(document), "spec.json")
    return caught.value.diagnostics


def of(root: Any, **options: Any) -> dict[str, Any]:
    return {"evtgen": 1, "epilogues": [{"name": "spec", "root": root, **options}]}


ACC = {"node": "AccLoad", "T": "half"}

WRONG: list[tuple[Any, str, str, str | None]] = [
    ("{", "EVT005", "", None),
    ("[" * 100_000, "EVT005", "", None),
    ([], "EVT006", "", None),
    ({"evtgen": 2, "epilogues": [{}]}, "EVT006", "evtgen: … 1", None),
    ({"evtgen": True, "epilogues": [{}]}, "EVT006", "evtgen: … 1", None),
    ('{"evtgen": 1, "evtgen": 1, "epilogues": []}', "EVT005", '"evtgen"', None),
    ({"evtgen": 1}, "EVT006", "epilogues: ", None),
    ({"evtgen": 1, "epilogues": []}, "EVT006", "epilogues: … 1", None),
    (of(ACC, archh="x"), "EVT006", 'epilogues[0].archh … "archh"', "arch"),
    (of(ACC, auto_cast=1), "EVT006", "epilogues[0].auto_cast", None),
    (of(ACC, gemm={"a": "haf"}), "EVT006", 'epilogues[0].gemm.a … "haf"', "half"),
    (of({"node": "AcLoad", "T": "half"}), "EVT006", 'root: … "AcLoad"', "AccLoad"),
    (of({"node": "AccLoad", "T": "hlf"}), "EVT006", 'root.T … "hlf"', "half"),
    (of({"node": "AccLoad"}), "EVT006", "root.T", None),
    (of({"node": "AccLoad", "T": "half", "layout": "RowMajor"}), "EVT006", "layout", None),
    (of({"node": "AuxLoad", "name": "X", "T": "half", "layout": "rowmajor"}), "EVT006", "root.layout",
     "RowMajor"),
    (of({"node": "Compute", "op": "Adds", "T": "half", "scalar": True}), "EVT006", "root.scalar", None),
    (of({"node": "Compute", "op": "Clamp", "T": "half", "scalar": [0, {"name": "s", "T": "haf"}]}), "EVT006",
     'root.scalar[1].T … "haf"', "half"),
    (of(ACC, gemm={"l1": [128, "256", 256]}), "EVT006", "epilogues[0].gemm.l1[1]: ", None),
    (of(ACC, gemm={"l1": [128, 256]}), "EVT006", "epilogues[0].gemm.l1[2]", None),
    (of({}), "EVT006", "root: ", None),
    (of({"tree": {}, "node": "AccLoad"}), "EVT006", "root: … node … tree", None),
    (of({"tree": {}, "topological": {}}), "EVT006", "root: … tree … topological", None),
    (of("AccLoad"), "EVT006", "root: ", None),
    (of({"tree": {"op": ACC}}), "EVT006", "root.tree.children", None),
    (of({"tree": {"op": {"tree": {"op": ACC, "children": []}}, "children": []}}), "EVT006", "", None),
    (of({"topological": {"edges": [["a"]], "ops": [ACC]}}), "EVT006", "root.topological.edges[0][0]", None),
]  # fmt: skip


@pytest.mark.parametrize(("document", "code", "message", "help_"), WRONG, ids=range(len(WRONG)))
def test_wrong_documents(document: Any, code: str, message: str, help_: str | None) -> None:
    (d,) = failures(document)
    says(d, code, message, help_ or "")
    assert d.location is not None and d.location.file == "spec.json"


def test_everything_wrong_at_once() -> None:
    tree = {"tree": {"op": {"node": "AuxStor", "name": "D", "T": "half"}, "children": [{"node": "AccLoad", "T": "x"}]}}
    document = of(tree, arch=3)
    document["epilogues"].append({"nam": "y"})
    assert {d.message.split(":")[0] for d in failures(document)} == {
        "epilogues[0].arch",
        "epilogues[0].root.tree.op",
        "epilogues[0].root.tree.children[0].T",
        "epilogues[1].name",
        "epilogues[1].root",
        "epilogues[1].nam",
    }


def test_deep_nests() -> None:
    def nested(levels: int) -> Any:
        visitor: Any = ACC
        for _ in range(levels):
            visitor = {"tree": {"op": {"node": "Compute", "op": "Absolute", "T": "half"}, "children": [visitor]}}
        return of(visitor)

    assert len(read(json.dumps(nested(120)), "spec.json")) == 1
    (d,) = failures(nested(121))
    says(d, "EVT006", "120")


def test_the_checker_names_the_place() -> None:
    (epilogue,) = read(
        json.dumps(of({"tree": {"op": {"node": "Compute", "op": "Plsu", "T": "half"}, "children": [ACC]}})), "f.json"
    )
    places = {d.location.text for d in check(epilogue) if d.location and d.code == "EVT037"}
    assert places == {"epilogues[0].root.tree.op"}
