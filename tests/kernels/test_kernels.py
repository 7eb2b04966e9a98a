"""Which kernel a GEMM has, what it computes in a launch, and what its matmuls may share."""

from __future__ import annotations

import re

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.render import templates
from evtgen.graph.ir import Gemm
from evtgen.graph.shapes import GEMM_A, GEMM_B, Problem, Shape, TensorShape
from evtgen.graph.types import RowMajor, half
from evtgen.kernels import KERNELS, Kernel, Matmuls, Names, kernel_of, require
from evtgen.nodes import Tensor

from ..support.said import refused, says

PLAIN, BATCHED, GROUPED = kernel_of(Gemm()), kernel_of(Gemm(batch=True)), kernel_of(Gemm(group="m"))
SLICED = kernel_of(Gemm(group="k"))


def tensor(name: str, shape: TensorShape, *, output: bool = False, initial: int | None = None) -> Tensor:
    return Tensor(name, half, shape, RowMajor, output, initial)


INPUTS = [tensor(f"in_{shape.name}", shape) for shape in TensorShape]
STORED = tensor("stored", TensorShape.MATRIX, output=True)
REDUCED = [
    tensor(f"out_{shape.name}", shape, output=True, initial=0)
    for shape in TensorShape
    if shape is not TensorShape.MATRIX
]
TENSORS = [*INPUTS, STORED, *REDUCED]


def test_each_gemm_has_one_kernel() -> None:
    assert [kernel.name for kernel in (PLAIN, BATCHED, GROUPED, SLICED)] == [
        "MatmulVisitor", "BatchedMatmulVisitor", "GroupedMatmulSliceMVisitor", "GroupedMatmulSliceKVisitor",
    ]  # fmt: skip
    for gemm in (Gemm(), Gemm(batch=True), Gemm(group="m"), Gemm(group="k")):
        assert sum(kernel.takes(gemm) for kernel in KERNELS) == 1
    for gemm in (Gemm(batch=True, group="m"), Gemm(batch=True, group="k"), Gemm(group="k", split_k=2)):
        assert not any(kernel.takes(gemm) for kernel in KERNELS)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_kernel_is_what_its_template_says(kernel: Kernel) -> None:
    text = (templates() / f"include/catlass/gemm/kernel/{kernel.header}.j2").read_text()
    assert re.search(rf"^class {kernel.name}\s", text, re.MULTILINE)
    # Its first arguments have no default, the strides have the one of packed operands. Some have those of another.
    if base := re.search(r"using typename (\w+)::Arguments;", text):
        assert base[1] in {parent.__name__ for parent in type(kernel).__mro__[1:]}
        return
    given = text.partition("struct Arguments {")[2].partition("\n    };")[0]
    required = re.findall(r"^ +(?:typename )?[\w:]+ (\w+);", given, re.MULTILINE)
    spelled = Names("problemShape", "COUNT", "ptrGroupList", "ptrA", "ptrB", "evt_args")
    count = next((name for name in required if name.endswith("Count")), "COUNT")
    assert [count if name == "COUNT" else name for name in kernel.arguments(spelled)] == required
    for stride in ("strideA", "strideB"):
        assert (f"int64_t {stride}{{PACKED}}" in given) == (stride in kernel.strides.values())
    for repeat in ("repeatA", "repeatB"):
        assert (f"uint32_t {repeat}{{1}}" in given) == (repeat in kernel.repeated.values())


@pytest.mark.parametrize("m", [1, 2, 3, 7, 87, 256, 3000])
def test_groups_of_a_test_are_empty_first_within_and_last(m: int) -> None:
    rows = GROUPED.rows(m, Matmuls())
    assert sum(rows) == m and min(rows) == 0
    assert rows[0] == rows[3] == rows[-1] == 0
    assert sum(bool(part) for part in rows) == min(m, 3)


def test_a_launch_is_what_is_asked_for() -> None:
    asked = Matmuls(batch=4, groups=(5, 0, 17))
    assert PLAIN.problem((22, 7, 5), asked) == Problem((22,), 7, 5)
    assert BATCHED.problem((22, 7, 5), asked) == Problem((22,) * 4, 7, 5, batch=True)
    assert GROUPED.problem((22, 7, 5), asked) == Problem((5, 0, 17), 7, 5)
    assert SLICED.problem((5, 7, 30), asked) == Problem((5,) * 3, 7, 30, depths=(5, 0, 17))
    assert len(BATCHED.problem((22, 7, 5)).rows) == 3
    assert SLICED.problem((5, 7, 30)).depths == (0, 3, 7, 0, 15, 0) and sum(SLICED.problem((5, 7, 4)).depths or ()) == 4
    assert GROUPED.problem((22, 7, 5)).room and not BATCHED.problem((22, 7, 5)).room
    for kernel, matmuls in ((PLAIN, Matmuls()), (BATCHED, Matmuls(batch=4)), (GROUPED, Matmuls(groups=(5, 0, 17)))):
        problem = kernel.problem((22, 7, 5), asked)
        assert kernel.matmuls(problem) == matmuls and kernel.shape(problem) == (22, 7, 5)
    sliced = SLICED.problem((5, 7, 30), asked)
    assert SLICED.matmuls(sliced).text(SLICED.shape(sliced)) == "5x7x5,0,17"
    assert SLICED.at_least((5, 7, 9), asked) == (5, 7, 22) and GROUPED.at_least((5, 7, 9), asked) == (22, 7, 9)
    assert PLAIN.at_least((5, 7, 9), asked) == (5, 7, 9)
    factors = list(SLICED.problem((5, 7, 30), asked).factors())
    assert factors[2] == (slice(10, 15), (slice(0, 5), slice(5, 22)), slice(5, 22))


def test_words_for_a_launch() -> None:
    shape = (22, 7, 5)
    assert Matmuls().text(shape) == "22x7x5" and Matmuls().text(shape, " x ") == "22 x 7 x 5"
    assert Matmuls(batch=3).text(shape) == "3 x 22x7x5"
    assert Matmuls(groups=(5, 0, 17)).text(shape) == "5,0,17x7x5"
    assert len(Matmuls(groups=(1,) * 9999).text((9999, 7, 5))) < 60


def test_every_tensor_that_can_be_is_shared_and_not_shared() -> None:
    assert PLAIN.sharings(TENSORS) == (frozenset(),)
    able = {
        BATCHED: {GEMM_A, GEMM_B, *(t.name for t in [*INPUTS, *REDUCED])},
        GROUPED: {GEMM_B, *(t.name for t in [*INPUTS, *REDUCED] if t.shape.rows != "M")},
        SLICED: {t.name for t in [*INPUTS, *REDUCED]},
    }
    for kernel, names in able.items():
        sharings = kernel.sharings(TENSORS)
        assert sharings[0] == frozenset() and frozenset.union(*sharings) == names
        assert not any({GEMM_A, GEMM_B} <= shared for shared in sharings)
        assert not kernel.may_share(STORED)


FIVE = Matmuls(groups=(5, 0))

CASES: list[tuple[Kernel, Matmuls, list[Shape], str, Matmuls, list[Shape]]] = [
    (PLAIN, Matmuls(batch=3), [], "3 … one", Matmuls(), []),
    (GROUPED, Matmuls(batch=1), [], "1 … one", Matmuls(groups=(1,)), []),
    (BATCHED, FIVE, [], "5,0 … one", Matmuls(batch=1), []),
    (GROUPED, FIVE, [(4, 7, 5)], "5 … 5,0 … 4x7x5 … 4", FIVE, [(5, 7, 5), (6, 7, 5)]),
    (SLICED, FIVE, [(4, 7, 4)], "5 … 5,0 … 4x7x4 … 4", FIVE, [(1, 7, 5), (1, 7, 6)]),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(CASES)))
def test_matmuls_that_an_epilogue_does_not_have_are_refused(case: int) -> None:
    kernel, asked, shapes, words, fine, right = CASES[case]
    with pytest.raises(EvtgenError) as caught:
        require({"one": kernel}, asked, shapes)
    (refused,) = caught.value.diagnostics
    says(refused, "EVT177", words)
    assert refused.help
    require({"one": kernel}, fine, right)


def test_of_several_epilogues_one_must_have_them() -> None:
    asked = Matmuls(batch=3)
    require({"one": PLAIN, "two": BATCHED}, asked)
    with refused("EVT177", "3"):
        require({"one": PLAIN, "two": GROUPED}, asked)
