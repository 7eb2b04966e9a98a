"""The deepest nests that the checker lets through are not too deep for the compilers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evtgen.check import check
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, TopologicalVisitor, TreeVisitor
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxStore, Compute, Outputs
from evtgen.passes.analysis.size import MAX_DEPTH, MAX_EMITTED
from evtgen.planner.plan import lower

from ..support.cpp import INSTANTIATE, check_syntax, compilers, is_quick, quick_compilers, write
from ..support.epilogues import FULL

pytestmark = pytest.mark.cxx


def tree(op: Any, child: Any) -> Any:
    return TreeVisitor(op, child)


def topological(op: Any, child: Any) -> Any:
    return TopologicalVisitor([(), (0,)], [child, op])


def nest(form: Any, levels: int) -> Epilogue:
    """A store at the outermost level, the accumulator at the innermost."""
    visitor: Any = AccLoad(half)
    for _ in range(levels - 1):
        visitor = form(Compute("Exp", half), visitor)
    return Epilogue("deepest", form(AuxStore("D", half), visitor))


def compiles(root: Path, cxx: str, epilogue: Epilogue) -> None:
    write(root, framework_files(Framework()))
    write(root, epilogue_files(lower(epilogue), Framework()))
    kernel = "Catlass::Evt::deepest::Kernel"
    instance = f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
    result = check_syntax(cxx, root, f'#include "deepest.hpp"\n{INSTANTIATE}{instance}')
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("form", [tree, topological])
@pytest.mark.parametrize("cxx", quick_compilers())
def test_the_deepest_compiles(tmp_path: Path, cxx: str, form: Any) -> None:
    assert [d.code for d in check(nest(form, MAX_DEPTH + 1))] == ["EVT030"]
    epilogue = nest(form, MAX_DEPTH)
    assert not check(epilogue)
    compiles(tmp_path, cxx, epilogue)


def chain(nodes: int) -> Epilogue:
    ops = [AccLoad(half), *(Compute(("Exp", "Sqrt")[i % 2], half) for i in range(nodes - 2)), AuxStore("D", half)]
    return Epilogue("deepest", TopologicalVisitor([(), *((i,) for i in range(nodes - 1))], ops))


def wide(nodes: int) -> Epilogue:
    """Outputs of one value each."""
    branches = (nodes - 2) // 2
    ops: list[Any] = [AccLoad(half)]
    edges: list[tuple[int, ...]] = [()]
    for branch in range(branches):
        ops += [Compute("Exp", half), AuxStore(f"D{branch}", half)]
        edges += [(0,), (len(ops) - 2,)]
    return Epilogue("deepest", TopologicalVisitor([*edges, tuple(range(2, len(ops), 2))], [*ops, Outputs()]))


@pytest.mark.slow
@pytest.mark.parametrize("form", [chain, wide])
@pytest.mark.parametrize("cxx", compilers())
def test_the_largest_compiles(tmp_path: Path, cxx: str, form: Any) -> None:
    """The chain, which is the deeper one, by both compilers, and a quarter of the wide one by the quicker; with
    EVTGEN_FULL=1 both by both."""
    if form is wide and not is_quick(cxx):
        pytest.skip("EVTGEN_FULL is not 1: by clang++ alone")
    epilogue = form(MAX_EMITTED if FULL or form is chain else MAX_EMITTED // 4)
    assert not check(epilogue)
    compiles(tmp_path, cxx, epilogue)
