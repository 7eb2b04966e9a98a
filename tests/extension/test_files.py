"""The files of an extension, and what cannot be one."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest

import evtgen as evt
from evtgen import Acc, Aux, Epilogue, Gemm, RowVector, Scalar, epilogue, float32, half, int8, nZ

from ..support.checkouts import checkout
from ..support.command import run
from . import specs
from .specs import EPILOGUES


def refused(epilogues: Any, root: Path, namespace: str | None = "my_ops") -> list[str]:
    with pytest.raises(evt.EvtgenError) as caught:
        evt.extension(epilogues, root / "package", namespace=namespace)
    assert not (root / "package").exists()
    return [f"{d.code} {d.case} {d.message}" for d in caught.value.diagnostics]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("extension") / "package"
    evt.extension(EPILOGUES, root, namespace="my_ops")
    return root


def test_schemas_follow_the_parameters(package: Path) -> None:
    stub = ast.parse((package / "src/my_ops/__init__.pyi").read_text(encoding="utf-8"))
    found = {
        f.name: f"({ast.unparse(f.args)}) -> {ast.unparse(f.returns)}"
        for f in stub.body
        if isinstance(f, ast.FunctionDef) and f.returns
    }
    tensor = "Tensor"
    assert found == {
        "linear": "(a: Tensor, b: Tensor, bias: Tensor | None=None, alpha: float=0.5, X: Tensor | None=None) -> Tensor",
        "summed": f"(a: Tensor, b: Tensor, row: Tensor, count: int, limit: float) -> tuple[{', '.join([tensor] * 4)}]",
        "softmax": "(a: Tensor, b: Tensor) -> Tensor",
        "batched": "(a: Tensor, b: Tensor, bias: Tensor, X: Tensor) -> tuple[Tensor, Tensor]",
        "experts": "(a: Tensor, b: Tensor, scale: Tensor, token: Tensor, groups: Tensor) -> Tensor",
        "w4a4": "(a: Tensor, b: Tensor, scale: Tensor) -> Tensor",
        "gated": "(a: Tensor, b: Tensor, b2: Tensor) -> Tensor",
        "sent": "(a: Tensor, b: Tensor, row: Tensor, rank: Tensor, D: list[Tensor]) -> Tensor",
        "adapters": "(a: Tensor, b: Tensor, y: Tensor, groups: Tensor, weight_index: Tensor) -> Tensor",
        "listed": "(a: Tensor, b: list[Tensor], groups: Tensor) -> Tensor",
        **dict.fromkeys(("served", "served_m16", "served_any"), "(a: Tensor, b: Tensor, bias: Tensor) -> Tensor"),
    }  # fmt: skip


def test_what_must_be_given_behind_a_default_is_given_by_name(tmp_path: Path) -> None:
    @epilogue(gemm=Gemm(group="m"))
    def late(acc: Acc[half], X: Aux[half] = 0.0) -> Any:
        return {"D": acc + X}

    evt.extension(late, tmp_path, namespace="my_ops")
    text = (tmp_path / "csrc/late_operator.hpp").read_text(encoding="utf-8")
    assert '"late(Tensor a, Tensor b, Tensor? X=None, *, Tensor groups) -> Tensor"' in text


def test_the_command_writes_the_same(package: Path, tmp_path: Path) -> None:
    done = run("extension", specs.__file__, "-o", tmp_path, "--namespace", "my_ops", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for path in package.rglob("*"):
        if path.is_file():
            assert (tmp_path / path.relative_to(package)).read_bytes() == path.read_bytes(), path


LISTS = """\
include(sources.cmake)
foreach(path IN LISTS my_ops_KERNELS my_ops_SOURCES my_ops_INCLUDE_DIRECTORIES)
    message(${path})
endforeach()
"""


def test_sources_for_the_cmake_of_a_repository(tmp_path: Path) -> None:
    """The C++ of the package without the form for CPU tensors, in a namespace that may have others."""
    evt.extension([specs.linear, specs.softmax], tmp_path, namespace="my_ops", style="csrc")
    listed = (tmp_path / "sources.cmake").read_text(encoding="utf-8")
    sources = {path.name for path in tmp_path.glob("*.cpp")}
    assert sources == {"library.cpp", "npu.cpp", "linear_kernel.cpp", "softmax_kernel.cpp"}
    assert all(f"${{CMAKE_CURRENT_LIST_DIR}}/{name}" in listed for name in sources)
    if shutil.which("cmake") is not None:
        (tmp_path / "lists.cmake").write_text(LISTS, encoding="utf-8")
        done = subprocess.run(["cmake", "-P", "lists.cmake"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert set(done.stderr.split()) == {
            *(str(tmp_path / name) for name in sources),
            str(tmp_path),
            f"{tmp_path}/include",
        }
    assert "TORCH_LIBRARY_FRAGMENT(my_ops, m)" in (tmp_path / "library.cpp").read_text(encoding="utf-8")
    assert (tmp_path / "include/linear.hpp").is_file() and not (tmp_path / "setup.py").exists()


@pytest.mark.parametrize(("b", "definitions"), [(half, []), (int8, ["ENABLE_CV_COMM_VIA_SSBUF=true"])])
def test_kernels_are_compiled_as_their_vector_cores_write(tmp_path: Path, b: Any, definitions: list[str]) -> None:
    """To L1 with an option of AscendC's; in the package and in a repository."""

    @epilogue(gemm=Gemm(half, b), arch="Ascend950")
    def fed(acc: Acc[float32]) -> Any:
        return {"D": acc}

    told = " ".join(["CATLASS_ARCH=3510", *definitions])
    places: tuple[tuple[Literal["csrc", "package"], str, str], ...] = (
        ("csrc", "sources.cmake", f"set(my_ops_DEFINITIONS {told})"),
        ("package", "CMakeLists.txt", f"    target_compile_definitions(npu PRIVATE {told})"),
    )
    for style, name, line in places:
        evt.extension([specs.linear, fed], tmp_path / style, namespace="my_ops", style=style, arch="Ascend950")
        assert line in (tmp_path / style / name).read_text(encoding="utf-8").splitlines()


def test_sources_for_the_examples_of_catlass(tmp_path: Path) -> None:
    root = checkout(tmp_path / "catlass", "v1.5.0")
    with pytest.raises(evt.EvtgenError, match=r"EVT260.*examples/shared_lib/src/kernels"):
        evt.extension(specs.linear, root, namespace="my_ops", style="catlass")
    for place in ("examples/shared_lib/src/kernels", "examples/python_extension/src/wrapper"):
        (root / place).mkdir(parents=True)
    before = {path for path in root.rglob("*") if path.is_file()}
    evt.extension(specs.linear, root, namespace="my_ops", style="catlass")
    assert {
        path.relative_to(root / "examples").as_posix() for path in set(root.rglob("*")) - before if path.is_file()
    } == {
        "shared_lib/src/kernels/linear_kernel.cpp",
        "shared_lib/include/my_ops/tensor.hpp",
        "shared_lib/include/my_ops/linear_kernel.hpp",
        "python_extension/src/include/my_ops/checks.hpp",
        "python_extension/src/include/my_ops/linear_operator.hpp",
        "python_extension/src/wrapper/my_ops_library.cpp",
        "python_extension/src/wrapper/my_ops_npu.cpp",
    }


def test_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("mine", encoding="utf-8")
    with pytest.raises(evt.EvtgenError, match="EVT080"):
        evt.extension(EPILOGUES, tmp_path, namespace="my_ops")
    assert [path.name for path in tmp_path.iterdir()] == ["setup.py"]


def test_a_keyword_is_no_name(tmp_path: Path) -> None:
    load = evt.TreeVisitor(evt.nodes.Compute("Plus", half), evt.nodes.AccLoad(half), evt.nodes.AuxLoad("lambda", half))
    made = Epilogue("named", evt.TreeVisitor(evt.nodes.AuxStore("D", half), load))
    assert [text[:7] for text in refused(made, tmp_path)] == ["EVT260 "]


def test_results_and_arguments_are_the_functions(tmp_path: Path) -> None:
    """The names of the parameters stay, and so does the order of the dict: the kernel's is another one."""

    @epilogue(gemm=Gemm(group="m"))
    def own(acc: Acc[half], b: Aux[half], groups: Scalar[half], a: RowVector[half], b_: RowVector[half]) -> Any:
        z = acc * groups + b
        return {"E": z + a * b_, "D": z}

    evt.extension(own, tmp_path, namespace="my_ops")
    text = (tmp_path / "csrc/own_operator.hpp").read_text(encoding="utf-8")
    arguments = "Tensor a_, Tensor b__, Tensor b, float groups, Tensor a, Tensor b_, Tensor groups_"
    assert f'"own({arguments}) -> (Tensor, Tensor)"' in text.replace('"\n    "', "")
    assert "return {tensorE, tensorD};" in text
    assert own.outputs == ("E", "D")


@pytest.mark.parametrize("namespace", ["my-ops", "class", "aten", "json"])
def test_namespaces_that_are_none(tmp_path: Path, namespace: str) -> None:
    assert [text[:7] for text in refused(specs.linear, tmp_path, namespace)] == ["EVT260 "]


def test_no_namespace(tmp_path: Path) -> None:
    assert [text[:7] for text in refused(specs.linear, tmp_path, None)] == ["EVT079 "]


def test_fractal_operands(tmp_path: Path) -> None:
    @epilogue(gemm=Gemm(layout_b=nZ))
    def fractal(acc: Acc[float32], bias: RowVector[float32], alpha: Scalar[float32]) -> Any:
        return {"D": acc * alpha + bias}

    assert refused(fractal, tmp_path) == ["EVT260 layout fractal has B as nZ, which tensors of PyTorch are not"]
