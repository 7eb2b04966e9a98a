"""Whole rows: which epilogues take them, up to how many columns, and what they move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evtgen import Acc, Aux, ColVector, Gemm, RowVector, epilogue, float32, half, int32, ops
from evtgen.graph.ir import Epilogue
from evtgen.graph.types import ColumnMajor
from evtgen.nodes import Band, ColReduced, Compute, Kept, RowBroadcast
from evtgen.planner.plan import Plan, lower


def softmax(acc: Any) -> Any:
    weights = ops.exp(acc - ops.col_reduce(acc, "max"))
    return (weights / ops.col_reduce(weights, "add")).cast(half)


@epilogue
def plain(acc: Acc[float32]) -> Any:
    return {"D": softmax(acc)}


@epilogue
def with_sums(acc: Acc[float32]) -> Any:
    return {"D": softmax(acc), "sums": ops.col_reduce(acc, "add")}


@epilogue
def with_largest(acc: Acc[float32]) -> Any:
    return {"D": softmax(acc), "most": ops.row_reduce(acc, "max")}


@epilogue
def of_all(acc: Acc[float32]) -> Any:
    return {"D": softmax(acc) * ops.scalar_reduce(acc, "max").cast(half)}


@epilogue
def causal(acc: Acc[float32]) -> Any:
    return {"D": softmax(ops.where(ops.col_index() <= ops.row_index(), acc, -1e30))}


@epilogue(gemm=Gemm(split_k=2))
def sliced(acc: Acc[float32]) -> Any:
    return {"D": softmax(acc)}


@epilogue(gemm=Gemm(group="m", accumulators="halves"))
def swiglu(
    gate: Acc[int32], up: Acc[int32], of_gate: RowVector[float32], of_up: RowVector[float32], token: ColVector[float32]
) -> Any:
    both = ops.silu(gate.cast(float32) * of_gate * token) * (up.cast(float32) * of_up * token)
    values, scales = ops.quantize_per_token(both)
    return {"D": values, "scales": scales}


def rows_of(graph: Epilogue) -> Plan:
    rows = lower(graph).rows
    assert rows is not None
    return rows


def test_a_graph_of_whole_rows_is_all_of_the_epilogue() -> None:
    plan, rows = lower(plain), rows_of(plain)
    assert plan.graphs == (*plan.phases, rows) and len(plan.phases) == 3
    nodes = [node for _, node in rows.nodes()]
    assert sum(isinstance(node, ColReduced) for node in nodes) == 2
    assert not any(isinstance(node, Kept) for node in nodes)
    assert [node.reads[1].columns for node in nodes if isinstance(node, Compute) and node.reads] == ["1", "1"]


def test_a_mask_from_positions_is_a_band_of_whole_rows() -> None:
    assert any(isinstance(node, Band) for _, node in rows_of(causal).nodes())


def test_row_vectors_are_whole_tiles() -> None:
    """A row is longer than the tile of a row vector."""
    vectors = [node.vector for _, node in rows_of(swiglu).nodes() if isinstance(node, RowBroadcast)]
    assert vectors == [None, None]


@pytest.mark.parametrize("graph", [with_largest, of_all, sliced], ids=lambda graph: graph.name)
def test_others_have_phases_alone(graph: Epilogue) -> None:
    """Near misses: rows that meet, slices of K."""
    plan = lower(graph)
    assert plan.rows is None and plan.parts and not any(map(plan.has_whole_rows, (1, 256, 4096)))


@epilogue
def transposed(acc: Acc[float32], X: Aux[float32, ColumnMajor]) -> Any:
    return {"D": softmax(acc + X)}


def test_transposed_tensors_ask_for_tall_tiles() -> None:
    assert lower(transposed).rows is None


def test_in_a_fixed_order_no_output_is_a_reduction() -> None:
    assert lower(with_sums).rows is not None and lower(replace(plain, deterministic=True)).rows is not None
    assert lower(replace(with_sums, deterministic=True)).rows is None


def test_up_to_how_many_columns() -> None:
    """A row fits a tile, and tiles are not short, but in a block."""
    longest = rows_of(plain).compute_length
    plan = lower(plain)
    assert longest > 8192 and plan.has_whole_rows(8192) and not plan.has_whole_rows(8193)
    short = lower(replace(plain, compute_length=6016))
    assert [n for n in (1, 256, 257, 3008, 3009, 4089, 6016, 6017) if short.has_whole_rows(n)] == [
        1,
        256,
        257,
        3008,
        4089,
        6016,
    ]
    blocks = lower(replace(plain, gemm=Gemm(workspace_stages=2)))
    assert blocks.rows is not None and blocks.has_whole_rows(256) and not blocks.has_whole_rows(257)


def test_the_workspace_has_the_whole_accumulator() -> None:
    assert {part.gemm.workspace_stages for part in lower(plain).graphs} == {0}


def test_chosen_is_what_takes_less_time() -> None:
    for graph in (plain, swiglu):
        split = lower(graph).split
        assert split is not None and split.taken_by_rows is not None
        assert split.taken_by_rows.cycles <= split.taken.cycles


def test_both_accumulators_are_read_once() -> None:
    """17 bytes for each element: eight to the workspace, eight from there, and one that is stored."""
    split = lower(swiglu).split
    assert split is not None and split.taken_by_rows is not None
    assert split.taken_by_rows.bytes == 2 * int32.size + 1
    assert split.taken.bytes == 2 * int32.size + 2 * float32.size + 1
