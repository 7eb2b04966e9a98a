"""The data of example programs; tests/emit/test_examples.py runs the programs on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, Aux, ColumnMajor, EvtgenError, Scalar, epilogue, float32, half, int32, ops
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.shapes import Problem
from evtgen.nodes import AccLoad, AuxScatter, AuxStore, RowStore
from evtgen.options import DataOptions
from evtgen.pipeline.data import data, write_data
from evtgen.pipeline.specs import check_given
from evtgen.planner.plan import lower

pytestmark = pytest.mark.fast

M, N, K = 11, 20, 16


def written(spec: Epilogue, problem: Problem, directory: Path) -> dict[str, bytes]:
    write_data(lower(spec), problem, directory)
    return {path.stem: path.read_bytes() for path in directory.iterdir()}


def test_a_file_for_each_tensor_as_it_lies_in_memory(tmp_path: Path) -> None:
    @epilogue(gemm=Gemm(layout_b=ColumnMajor))
    def spec(acc: Acc[half], X: Aux[half], s: Scalar[half]) -> Any:
        value = acc * s + X
        return {"D": value, "m": ops.row_reduce(value, "max")}

    files = written(spec, Problem.of((M, N, K)), tmp_path)
    assert set(files) == {"problem", "gemm.A", "gemm.B", "X", "s", "D", "D.golden", "m", "m.golden"}
    assert np.frombuffer(files["problem"], np.int64).tolist() == [M, N, K, 0, 1]
    a, x, before = (np.frombuffer(files[name], np.float16) for name in ("gemm.A", "X", "m"))
    b, s = (np.frombuffer(files[name], np.float16) for name in ("gemm.B", "s"))
    assert (before == -np.inf).all() and before.shape == (N,), "what the caller fills a reduction with"
    value = a.reshape(M, K).astype(float) @ b.reshape(N, K).T.astype(float) * s.item() + x.reshape(M, N)
    assert np.array_equal(np.frombuffer(files["D.golden"], np.float32).reshape(M, N), value)
    assert np.array_equal(np.frombuffer(files["m.golden"], np.float32), value.max(axis=0))


def test_what_no_row_is_written_to_stays(tmp_path: Path) -> None:
    """Rows behind those of the groups, rows that no number names, and what a group without rows would store."""

    stored = TreeVisitor(AuxScatter("S", int32, rows="rows"), TreeVisitor(AuxStore("D", int32), AccLoad(int32)))
    spec = Epilogue("spec", TreeVisitor(RowStore("first", int32), stored), gemm=Gemm(group="m"))
    files = written(spec, Problem((0, M), N, K, room=2), tmp_path)
    assert np.frombuffer(files["problem"], np.int64).tolist() == [M + 2, N, K, 0, 2]
    assert np.frombuffer(files["gemm.groups"], np.int64).tolist() == [0, M], "where each group ends"
    before = {name: np.frombuffer(files[name], np.int32).reshape(-1, N) for name in ("D", "S", "first")}
    after = {name: np.frombuffer(files[f"{name}.golden"], np.float32).reshape(-1, N) for name in before}
    numbers = np.frombuffer(files["rows"], np.int32)[:M]
    named = numbers[(numbers >= 0) & (numbers < M)]
    assert 0 < len(named) < M and before["S"].any(axis=1).nonzero()[0].tolist() == [M, M + 1], "the room behind"
    for name, kept in {"D": {M, M + 1}, "S": {*range(M + 2)} - {*named}, "first": {0}}.items():
        same = (before[name].astype(np.float32) == after[name]).all(axis=1)
        assert set(same.nonzero()[0]) == kept, name


def test_every_epilogue_has_a_directory(tmp_path: Path) -> None:
    @epilogue(gemm=Gemm(batch=True))
    def one(acc: Acc[float32]) -> Any:
        return {"D": acc}

    assert data(check_given([one]), DataOptions(shape=(3, 8, 5), batch=2, shared=True), tmp_path) == [tmp_path / "one"]
    assert np.fromfile(tmp_path / "one" / "problem.bin", np.int64).tolist() == [3, 8, 5, 1, 2]
    assert (tmp_path / "one" / "gemm.B.bin").stat().st_size == 8 * 5 * 2
    with pytest.raises(EvtgenError, match="grouped"):
        data(check_given([one]), DataOptions(groups=[3]), tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(EvtgenError, match="file"):
        data(check_given([one]), DataOptions(), tmp_path / "file")
