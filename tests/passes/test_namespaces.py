"""Namespaces for the framework: none that Catlass has, none that hides what the code in it needs, and any other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute
from evtgen.passes.analysis.cpp_names import namespace_fault
from evtgen.planner.plan import lower

from ..support.cpp import INSTANTIATE, check_syntax, compilers, write
from ..support.paths import DEVICE

_TOKEN = re.compile(
    r"namespace\s+(?P<space>[\w:]+)\s*\{|\{|\}|\b(?:struct|class|enum class|enum)\s+(?P<type>\w+)(?=\s*[:;{])"
    r"|\busing\s+(?P<alias>\w+)\s*=|\b(?P<function>\w+)\s*\([^;{}]*\)[^;{}]*(?=\{)|constexpr\s+\w+\s+(?P<constant>\w+)\s*="
)


def declared() -> dict[str, set[str]]:
    """The names that each namespace of the stand-in declares, namespaces included."""
    found: dict[str, set[str]] = {}
    for path in (DEVICE / "catlass" / "catlass").rglob("*.hpp"):
        text = re.sub(r"//[^\n]*|^\s*#.*", "", path.read_text(), flags=re.MULTILINE)
        spaces: list[tuple[str, int]] = []
        depth = 0
        for token in _TOKEN.finditer(text):
            if name := token["space"]:
                whole = "::".join([*(space for space, _ in spaces), name]).split("::")
                for index, part in enumerate(whole):
                    found.setdefault("::".join(whole[:index]), set()).add(part)
                spaces.append((name, depth))
            depth += token[0] == "{" or name is not None
            if token[0] == "}":
                depth -= 1
                if spaces and spaces[-1][1] == depth:
                    spaces.pop()
            elif depth == len(spaces) and token.lastgroup not in (None, "space"):
                found.setdefault("::".join(space for space, _ in spaces), set()).add(token[token.lastgroup])
    return found


def test_what_catlass_has_is_refused() -> None:
    found = declared()
    assert {"Gemm", "layout", "Epilogue", "Arch", "MatrixCoord", "KernelAdapter"} <= found["Catlass"]
    assert {"Block", "Tile", "EpilogueAtlasA2ElemWiseOneSource"} <= found["Catlass::Epilogue"]
    assert {"CeilDiv", "RoundUp"} <= found[""]
    for name in found["Catlass"]:
        assert namespace_fault(f"Catlass::{name}"), name
    for name in found["Catlass::Epilogue"] - {"Fusion"}:
        assert namespace_fault(f"Catlass::Epilogue::{name}"), name
    for name in found[""] | {"AscendC", "std", "half", "bfloat16_t"}:
        assert namespace_fault(f"Catlass::{name}"), name
        assert namespace_fault(f"Catlass::Epilogue::{name}"), name
        assert namespace_fault(f"Catlass::Mine::{name}"), name


@pytest.mark.parametrize(
    "namespace",
    [
        "Catlass::Evt", "Catlass::Evt::Mine", "Catlass::Gemm", "Catlass::Gemm::Mine", "Catlass::layout",
        "Catlass::Epilogue", "Catlass::Epilogue::Block", "Catlass::Epilogue::Gemm", "Catlass::Mine::layout",
        "Catlass::Mine::Arch", "Catlass::Epilogue::EpilogueVisitor", "Catlass::Conv2dParams", "Catlass::Catlass",
        "Catlass::evt_example", "Catlass", "Catlass::", "Mine", "::Catlass::Mine", "Catlass::Mine::", "Catlass::é",
        "Catlass::Mine\n", "", "Catlass::Mine::Epilogue", "Catlass::tla",
    ],
)  # fmt: skip
def test_refused(namespace: str) -> None:
    assert namespace_fault(namespace)


FINE = [
    "Catlass::Epilogue::MyFusion", "Catlass::Mine", "Catlass::Epilogue::Fusion::Mine", "Catlass::Fusion",
    "Catlass::Epilogue::EVT", "Catlass::AccLoad", "Catlass::Epilogue::TreeVisitor", "Catlass::operations::detail",
]  # fmt: skip


@pytest.mark.cxx
@pytest.mark.parametrize("cxx", compilers())
def test_all_others_compile(tmp_path: Path, cxx: str) -> None:
    """Side by side in one program: they do not get into each other's way either."""
    root = TreeVisitor(
        AuxStore("D", half),
        TreeVisitor(Compute("Plus", half), TreeVisitor(Compute("Muls", half, 0.5), AccLoad(half)), AuxLoad("X", half)),
    )
    plan = lower(Epilogue("scaled_add", root))
    for number, namespace in enumerate(FINE):
        assert namespace_fault(namespace) is None, namespace
        framework = Framework(namespace, f"fusion{number}")
        files = {**framework_files(framework), **epilogue_files(plan, framework)}
        write(tmp_path / str(number), files)
        program = (
            '#include "scaled_add.hpp"\n'
            + INSTANTIATE
            + "using Catlass::Evt::scaled_add::Kernel;\ntemplate void Instantiate<Kernel>(Kernel::Params const&);\n"
        )
        done = check_syntax(cxx, tmp_path / str(number), program)
        assert done.returncode == 0, (namespace, done.stderr[:2000])
