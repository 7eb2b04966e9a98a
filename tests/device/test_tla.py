"""The stand-in's BlockMmadTla for Ascend950: products through GM and through the UB of both vector cores of a group."""

import subprocess
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest

from ..support.checkouts import trees
from ..support.machine import report_of
from ..support.paths import DEVICE
from .conftest import HERE, Build

STANDIN = [DEVICE / path for path in ("catlass", "catlass/examples_common", "ascendc", ".")]

# name of the case: element types of A and B, and of D; the memory order of A and B; whether there is a bias
CASES: dict[str, tuple[Any, Any, Literal["C", "F"], Literal["C", "F"], bool]] = {
    "gm_half": (np.float16, np.float32, "C", "C", False),
    "gm_bias": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, "F", "F", True),
    "ub_float": (np.float32, np.float32, "C", "F", False),
    "ub_bias": (np.float16, np.float32, "F", "C", True),
    "ub_columns": (np.float16, np.float32, "C", "C", False),
    "ub_one": (np.float16, ml_dtypes.bfloat16, "C", "C", False),
}
VECTOR: dict[str, tuple[Any, Any, Literal["C", "F"], Literal["C", "F"], bool]] = {
    "gm_vector": (np.float32, np.float32, "C", "F", False)
}
"""A is a vector, as for a product of a vector and a matrix."""
# Blocks are 48 x 80: odd numbers of rows, columns that end on no data block, blocks of one row or one column.
SHAPES = [(1, 1, 1), (47, 83, 7), (49, 161, 64), (101, 93, 70)]

UNORDERED = {
    ("gm_half", "ready"): "EVT128",
    ("gm_half", "free"): "EVT127",
    ("ub_float", "ready"): "EVT128",
    ("ub_float", "free"): "EVT127",
    ("ub_float", "second"): "EVT128",
}
"""What is found, among other things, if a flag is left out."""

HEADERS = """\
#include "kernel_operator.h"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/epilogue/tile/copy_gm_to_ub_tla.hpp"
using namespace Catlass;
using Row = layout::RowMajor;
using Arch::Ascend950;
template <int m, int n, int k> using Tile = tla::Shape<tla::Int<m>, tla::Int<n>, tla::Int<k>>;
template <class C = float, class Bias = void>
using Out = Gemm::Tile::PackedTileCopyTla<Ascend950, half, Row, half, Row, C, Row, Bias>;
using Mode = Gemm::Tile::CopyL0CToUBMode;
template <Mode mode, class C = float>
using Ub = Gemm::Tile::PackedTileCopyTlaToUB<Ascend950, half, Row, half, Row, C, Row, void, mode>;
template <class L1, class L0, class Policy = Gemm::MmadPingpong<Ascend950, true>, class C = float, class Bias = void,
          class Copies = Out<C, Bias>>
using Block = Gemm::Block::BlockMmadTla<Policy, L1, L0, half, half, C, Bias, Copies>;
using Deep = Gemm::MmadPingpong<Ascend950, false, false, 1, false, 5, 4>;
template <Mode mode, class C>
using InUb = Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadPingpong<Ascend950>, C, void, Ub<mode, C>>;
using Small = Block<Tile<64, 64, 64>, Tile<64, 64, 32>>;
using Async = Block<Tile<64, 64, 64>, Tile<64, 64, 32>,
    Gemm::MmadPreloadAsyncWithCallback<Ascend950, 1, 2, 2, 2, 2, 1, true, false>>;
template <class Place, class Data, class Stride> auto TensorOf(Data const& data, Stride const& stride)
{
    return tla::MakeTensor(data, tla::MakeLayout(tla::MakeShape(8u, 8u), stride), Place{});
}
template <class B, class C> void Multiply(B& block, C c)
{
    auto a = TensorOf<Arch::PositionGM>(AscendC::GlobalTensor<half>{}, tla::MakeStride(int64_t{8}, tla::Int<1>{}));
    block(a, a, c, GemmCoord{8, 8, 8});
}
auto const byRows = tla::MakeStride(int64_t{8}, tla::Int<1>{});
auto const byColumns = tla::MakeStride(tla::Int<1>{}, int64_t{8});
auto const inGm = TensorOf<Arch::PositionGM>(AscendC::GlobalTensor<float>{}, byRows);
auto const inUb = TensorOf<Arch::PositionUB>(AscendC::LocalTensor<float>{}, byRows);
auto const inVariables = tla::MakeTensor(
    inGm.data(), inGm.layout(), tla::MakeCoord(0u, 0u), Arch::PositionGM{});
auto const columns = TensorOf<Arch::PositionGM>(AscendC::GlobalTensor<float>{}, byColumns);
"""

TAKEN = """
template struct Gemm::Block::BlockMmadTla<Gemm::MmadPingpong<Ascend950, false, false, 2>, Tile<128, 256, 256>,
    Tile<128, 256, 64>, half, half, bfloat16_t, void, Out<bfloat16_t>>;
template struct Gemm::Block::BlockMmadTla<Gemm::MmadPingpong<Ascend950, true, false, 1, false, 3, 3>,
    Tile<16, 1024, 64>, Tile<16, 1024, 16>, half, half, float, float, Out<float, float>>;
static_assert(sizeof(InUb<Mode::SPLIT_M, float>) + sizeof(InUb<Mode::SPLIT_N, float>) +
    sizeof(InUb<Mode::NO_SPLIT, half>) > 0);
static_assert(!Small::USE_HF32_MODE && Small::L0C_STAGES == 1);
void F(Small& small, Async& async)
{
    Multiply(small, inGm);
    Multiply(small, inVariables);
    Multiply(async, inVariables);
}
"""

REFUSED = {
    "the L1 tiles do not fit L1": "sizeof(Block<Tile<256, 256, 257>, Tile<256, 256, 32>>);",
    "the L0 tile of A does not fit L0A": "sizeof(Block<Tile<256, 256, 128>, Tile<256, 256, 65>>);",
    "the L0 tile of B does not fit L0B": "sizeof(Block<Tile<16, 512, 64>, Tile<16, 512, 33>>);",
    "the L0 tile of C does not fit L0C": "sizeof(Block<Tile<256, 257, 64>, Tile<256, 257, 16>>);",
    "the L1 and L0 tiles must agree in m and n": "sizeof(Block<Tile<64, 64, 64>, Tile<32, 64, 32>>);",
    "the L0 tile must not be deeper than the L1 tile": "sizeof(Block<Tile<64, 64, 32>, Tile<64, 64, 64>>);",
    "a tile shape is a tla::tuple of compile-time integers": "sizeof(Block<tla::Shape<int, int, int>, Tile<8, 8, 8>>);",
    "with the unit flag, L0C holds one tile":
        "sizeof(Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadPingpong<Ascend950, true, false, 2>>);",
    "more tiles than flags":
        "sizeof(Block<Tile<16, 16, 64>, Tile<16, 16, 16>, Deep>);",
    "the bias of a tile does not fit its table":
        "using OneOfB = Gemm::MmadPingpong<Ascend950, false, false, 1, false, 2, 2, 2, 1>;"
        "sizeof(Block<Tile<16, 1040, 16>, Tile<16, 1040, 16>, OneOfB, float, float>);",
    "the L1 tiles and the bias do not fit L1":
        "sizeof(Block<Tile<64, 192, 512>, Tile<64, 192, 32>, Gemm::MmadPingpong<Ascend950>, float, float>);",
    "the copies and the block differ in whether there is a bias":
        "sizeof(Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadPingpong<Ascend950>, float, float, Out<>>);",
    "the accumulator cannot be stored as ElementC":
        "sizeof(Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadPingpong<Ascend950>, int32_t>);",
    "the stand-in has no BlockMmadTla for this dispatch policy":
        "sizeof(Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadAtlasA2Pingpong<true>>);",
    "the HF32 mode is for floats":
        "sizeof(Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadPingpong<Ascend950, true, true>>);",
    "the CPU model does not have tiles that stay in L1 from block to block":
        "sizeof(Block<Tile<64, 64, 64>, Tile<64, 64, 32>, Gemm::MmadPingpong<Ascend950, true, false, 1, true>>);",
    "the CPU model does not have products that are changed on their way out of L0C":
        "sizeof(Gemm::Tile::PackedTileCopyTla<Ascend950, half, Row, half, Row, float, Row, void, true>);",
    "C is not where the copies put it": "Multiply(*static_cast<Small*>(nullptr), inUb);",
    "C must be row-major": "Multiply(*static_cast<Small*>(nullptr), columns);",
    "C's coordinate is kept until C is stored": "Multiply(*static_cast<Async*>(nullptr), inGm);",
    "no copy from GM to UB for tensors of these layouts":
        "sizeof(Epilogue::Tile::CopyGm2UbTla<Ascend950, decltype(columns), decltype(inUb)>);",
    "the coordinate has another rank than the layout": "tla::MakeLayout(8u)(tla::MakeCoord(1u, 2u));",
    "a tile has a length and a coordinate per dimension of its tensor":
        "tla::GetTileLayout(inGm.layout(), tla::MakeShape(8u), tla::MakeCoord(1u, 2u));",
    "no such mode":
        "sizeof(Gemm::Block::standin::UbModeOf<Ub<Mode::RESERVED>>);",
    "a product that is split between two vector cores is stored as it is summed up":
        "sizeof(InUb<Mode::SPLIT_M, half>);",
}  # fmt: skip


@pytest.fixture(scope="module")
def program(build: Build) -> Path:
    return build("tla", 3510, STANDIN)


def run(
    program: Path, directory: Path, case: str, shape: tuple[int, int, int], order: str = "whole", **variables: str
) -> tuple[list[dict[str, Any]], bool]:
    """The findings, and whether the result is right."""
    element, result, order_a, order_b, has_bias = (CASES | VECTOR)[case]
    m, n, k = shape
    rng = np.random.default_rng(0)
    # Small integers: every product and sum is exact in the accumulator, so the one rounding at the end must match.
    a, b, bias = rng.integers(-5, 6, (m, k)), rng.integers(-5, 6, (k, n)), rng.integers(-5, 6, n) * has_bias
    (directory / "a.bin").write_bytes(a.astype(element).tobytes(order_a))
    (directory / "b.bin").write_bytes(b.astype(element).tobytes(order_b))
    (directory / "bias.bin").write_bytes(bias.astype(np.float32).tobytes())
    arguments = (case, order, *map(str, shape), str(directory))
    found = report_of(program, *arguments, report=directory / "report.json", status=0, **variables)["hazards"]
    d = np.frombuffer((directory / "d.bin").read_bytes(), dtype=result).reshape(m, n)
    return found, bool((d == (a @ b + bias).astype(np.float32).astype(result)).all())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("case", CASES)
def test_product(program: Path, tmp_path: Path, case: str, shape: tuple[int, int, int]) -> None:
    assert run(program, tmp_path, case, shape, EVTGEN_MODEL_STRICT="1") == ([], True)


def test_product_of_a_vector(program: Path, tmp_path: Path) -> None:
    assert run(program, tmp_path, "gm_vector", (1, 161, 70), EVTGEN_MODEL_STRICT="1") == ([], True)


@pytest.mark.parametrize("schedule", ["late", "random:1", "random:2"])
def test_other_orders(program: Path, tmp_path: Path, schedule: str) -> None:
    for case in ("gm_half", "ub_float", "ub_columns"):
        assert run(program, tmp_path, case, (101, 93, 70), EVTGEN_MODEL_SCHEDULE=schedule) == ([], True)


@pytest.mark.parametrize(("case", "order"), UNORDERED)
def test_without_a_flag(program: Path, tmp_path: Path, case: str, order: str) -> None:
    for schedule in ("recorded", "late", "random:1"):
        found, _ = run(program, tmp_path, case, (101, 93, 70), order, EVTGEN_MODEL_SCHEDULE=schedule)
        assert UNORDERED[case, order] in {hazard["code"] for hazard in found}, schedule


def test_the_row_beyond_an_odd_product_is_undefined(program: Path, tmp_path: Path) -> None:
    found, right = run(program, tmp_path, "ub_float", (47, 80, 7), "odd")
    assert ({hazard["code"] for hazard in found}, right) == ({"EVT108"}, False)


@pytest.mark.parametrize(("order", "code"), [("narrow", "EVT112"), ("crooked", "EVT106")])
def test_rows_in_ub(program: Path, tmp_path: Path, order: str, code: str) -> None:
    found, _ = run(program, tmp_path, "ub_float", (48, 80, 7), order)
    assert code in {hazard["code"] for hazard in found if hazard["message"].startswith("BlockMmad")}
    assert run(program, tmp_path, "ub_float", (1, 80, 7), order) == ([], True)  # one row in each UB


def test_what_the_block_does_not_take(build: Build) -> None:
    assert build.errors(HEADERS + TAKEN, 3510) == ""
    calls = "\n".join(f"void F{i}() {{ {code} }}" for i, code in enumerate(REFUSED.values()))
    said = build.errors(HEADERS + calls, 3510)
    assert [message for message in REFUSED if message not in said] == []


@pytest.mark.parametrize("home", [path for name, path in trees("CATLASS_HOMES").items() if "v1.6" in name])
def test_on_a_checkout(build: Build, tmp_path: Path, home: Path) -> None:
    """The same program on a real Catlass, whose cube side alone comes from the model."""
    # As system headers, the checkout's own warnings do not stop the build.
    includes = [f"-I{DEVICE}/overlay", f"-isystem{home}/include", *(f"-I{root}" for root in STANDIN[1:])]
    output = tmp_path / "tla"
    command = [build.compiler, *Build.FLAGS, "-DCATLASS_ARCH=3510", *includes, str(HERE / "tla.cpp"), build.library]
    done = subprocess.run([*command, "-pthread", "-o", str(output)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for case in CASES:
        assert run(output, tmp_path, case, (101, 93, 70)) == ([], True)


@pytest.mark.parametrize(
    ("case", "codes"),
    [("aux", {"EVT121"}), ("acc", {"EVT121"}), ("ub", {"EVT128"}), ("aux_copied+acc_copied+ub_copied", set())],
)
def test_what_visitors_load_they_must_not_store(build: Build, tmp_path: Path, case: str, codes: set[str]) -> None:
    """As with Catlass's own, which tests/checkouts/test_programs.py runs."""
    program = build("../checkouts/evg_store", 3510, STANDIN)
    report = report_of(program, case, "87", "198", "40", "0", report=tmp_path / "report.json")
    assert {hazard["code"] for hazard in report["hazards"]} == codes
