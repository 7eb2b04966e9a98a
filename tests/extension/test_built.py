"""An extension that pip has built for CPU tensors: its own tests, what it refuses, and its device part as code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

import evtgen as evt
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.trace import remade
from evtgen.graph.ir import Epilogue
from evtgen.measure import device_clang as clang
from evtgen.measure.device_program import device_program
from evtgen.model import toolchain
from evtgen.model.programs import Sources
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower

from ..peers.field import FIELD
from ..support.checkouts import checkout
from ..support.command import environment, run
from ..support.epilogues import FULL
from ..support.optional import torch
from . import specs
from .specs import EPILOGUES

pytestmark = pytest.mark.cxx

SAID = """\
import json, torch, my_ops
ops = torch.ops.my_ops
a, b, row = torch.ones(3, 4).half(), torch.ones(4, 5).half(), torch.ones(5).half()
said = []
for call in (
    lambda: ops.summed(a.float(), b, row, 1, 1.0),
    lambda: ops.summed(a, b.t().contiguous(), row, 1, 1.0),
    lambda: ops.summed(a, b, row[:4], 1, 1.0),
    lambda: ops.summed(a, b, row.to("meta"), 1, 1.0),
    lambda: ops.summed(torch.ones(4, 3).half().t(), b, row, 1, 1.0),
    lambda: ops.summed(a, b, torch.ones(10).half()[::2], 1, 1.0),
    lambda: ops.summed(a, b, row, 1, 1e6),
    lambda: ops.summed(a, b, row, 2**31, 1.0),
    lambda: ops.summed(a[:, :0], b[:0], row, 1, 1.0),
    lambda: ops.linear(a, torch.ones(8, 10).half()[::2, ::2]),
    lambda: ops.experts(a.char(), b.char(), torch.ones(5), torch.ones(3), torch.tensor([2, 1])),
    lambda: ops.experts(a.char(), b.char(), torch.ones(5), torch.ones(6)[::2], torch.tensor([2, 3])),
    lambda: ops.w4a4(a, b, torch.ones(5)),
    lambda: ops.w4a4(a.char(), b.char(), torch.ones(5)),
    lambda: ops.w4a4(a.char(), torch.ones(5, 3).char().mT, torch.ones(5)),
):
    try:
        said.append(repr(call()))
    except (RuntimeError, ValueError) as error:
        said.append(str(error).splitlines()[0])
D, total, top, Q = ops.summed(a[:0], b, row, 1, 1.0)
for ends, rows in ([0, 0], []), ([0, 2], [0, 1]), ([1, 3], [0, 1, 2]):
    got = ops.experts(a.char(), torch.ones(2, 4, 5).char(), torch.ones(2, 5), torch.ones(3), torch.tensor(ends))
    assert got.shape == (3, 5) and got[rows].eq(4).all() and got.sum() == 20 * len(rows)
x, w = (torch.randint(0, 256, (rows, 8), dtype=torch.uint8) for rows in (3, 5))
one = torch.ones(5)
assert ops.w4a4(x, w.mT, one).any()
for kind in torch.int8, torch.int32:
    assert ops.w4a4(x.view(kind), w.view(kind).mT, one).equal(ops.w4a4(x, w.mT, one))
import sys
assert "evtgen" not in sys.modules
print(json.dumps({"said": said, "empty": [list(x.shape) for x in (D, total, top, Q)] + total.tolist()}))
"""

REFUSED = [
    "my_ops::summed: a is of Float, not Half",
    "my_ops::summed: b has the shape [5, 4], not [4, 4]",
    "my_ops::summed: row has the shape [4], not [5]",
    "my_ops::summed: row is on meta, and a on cpu",
    "my_ops::summed: a of the shape [3, 4] has the strides [1, 3]; the kernel reads 4 neighbours in each row: call "
    ".contiguous()",
    "my_ops::summed: row of the shape [5] has the strides [2]; the kernel reads 5 neighbours in each row: call "
    ".contiguous()",
    "my_ops::summed: limit is 1e+06, which is not between -65504 and 65504",
    "my_ops::summed: count is 2.14748e+09, which is not between -2.14748e+09 and 2.14748e+09",
    "my_ops::summed: a has no columns",
    "my_ops::linear: b of the shape [4, 5] has the strides [20, 2]; the kernel reads 4 neighbours in each column: "
    "make it by w.mT of a weight w",
    "my_ops::experts: groups are the rows at which each group ends, but 1 follows 2 in 3 rows",
    "my_ops::experts: token of the shape [3] has the strides [2]; the kernel reads 3 neighbours in each row: call "
    ".contiguous()",
    "my_ops::w4a4: a is of Half, not Byte or Char, which hold two elements of 4 bits, nor Int, which holds eight",
    "my_ops::w4a4: b of the shape [4, 5] has the strides [5, 1]; the kernel reads 4 neighbours in each column: make it "
    "by w.mT of a weight w",
    "my_ops::w4a4: b has the shape [3, 5], not [4, 5]",
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch()
    root = tmp_path_factory.mktemp("extension") / "package"
    done = run("extension", specs.__file__, "-o", root, "--namespace", "my_ops", cwd=root.parent)
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def wheel(package: Path) -> Path:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    said = pip("wheel", "--no-build-isolation", "-v", "--wheel-dir", package.with_name("dist"), package)
    assert "there is no CANN" in " ".join(said.split())
    (found,) = package.with_name("dist").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """Where the package is installed, with nothing else."""
    site = wheel.parent.with_name("site")
    pip("install", "--target", site, wheel)
    return site


def pip(command: str, *arguments: str | Path) -> str:
    """What pip says, where there is no CANN."""
    without = {name: value for name, value in environment().items() if name != "ASCEND_HOME_PATH"}
    # Assertions of PyTorch's headers stay on, as where one debugs; tests/pipeline/test_backend.py builds a release.
    without["CMAKE_ARGS"] = "-DCMAKE_CXX_FLAGS_RELEASE=-O0"
    call = [sys.executable, "-m", "pip", command, "--no-deps", *arguments]
    done = subprocess.run(call, env=without, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def python(*arguments: str | Path, site: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    given = environment()
    given["PYTHONPATH"] = os.pathsep.join([str(site), given["PYTHONPATH"]])
    return subprocess.run([sys.executable, *arguments], env=given, cwd=cwd, capture_output=True, text=True, check=False)


def test_its_own_tests_pass(package: Path, site: Path) -> None:
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", site=site, cwd=package)
    assert done.returncode == 0, done.stdout + done.stderr
    # Parts of the batch repeat, and the dispatch takes each of its kernels.
    assert f"{4 * len(EPILOGUES) + 1 + 2} passed" in done.stdout


THREE_LINES = """\
import torch, my_ops
a, b = torch.ones(3, 4).bfloat16(), torch.ones(4, 5).bfloat16()
print(torch.ops.my_ops.softmax(a, b))
"""


def with_needs(name: str) -> Iterator[Distribution]:
    """An installed distribution, and those that it needs."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    yield found
    for need in found.requires or ():
        if "extra ==" not in need:
            yield from with_needs(re.split(r"[^\w.-]", need)[0])


def test_the_wheel_needs_torch_alone(wheel: Path, tmp_path: Path) -> None:
    """In an environment that has what torch needs, and the wheel: no evtgen, no compiler."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (packages,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    for one in with_needs("torch"):
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(one.locate_file(top))).resolve())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    call = [str(tmp_path / "venv/bin/python"), "-I", "-W", "ignore", "-c"]
    done = subprocess.run([*call, THREE_LINES], env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("0.2002") == 15
    missing = subprocess.run([*call, "import evtgen"], env={}, capture_output=True, text=True, check=False)
    assert "No module named 'evtgen'" in missing.stderr


def test_what_it_refuses_it_says_in_words(site: Path, tmp_path: Path) -> None:
    done = python("-c", SAID, site=site, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["said"] == REFUSED
    assert found["empty"] == [[0, 5], [1, 5], [0, 1], [0, 5], [0.0] * 5]


OF_THE_FIELD = """\
import torch, my_ops
from tests.peers.launches import Launch
print(Launch.of("sgmv_expand").wrong(torch.ops.my_ops.adapters))
"""


def test_a_launch_of_the_field_gives_what_its_formula_says(site: Path, tmp_path: Path) -> None:
    """Lists, strides and rows as the host code has them; tests/peers/test_launches.py has all with EVTGEN_FULL=1."""
    theirs = FIELD["sgmv_expand"][0]
    assert (specs.adapters.gemm, specs.adapters.root) == (theirs.gemm, theirs.root)
    done = python("-c", OF_THE_FIELD, site=site, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stdout + done.stderr


FAULTY = """\
#include <cstdio>
#include <acl/acl.h>
#include "machine/report.hpp"
#include "softmax_kernel.hpp"
int main()
{
    my_ops::softmax::Arguments arguments;
    arguments.m = arguments.n = arguments.k = 16;
    void* memory = nullptr;
    aclrtMalloc(&memory, 512, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(memory, 512, 0, 512);
    arguments.operandA.address = arguments.operandB.address = arguments.tensorD.address =
        reinterpret_cast<uint64_t>(memory);
    std::printf("%s|", my_ops::softmax::WhyNot(arguments));
    arguments.cores = my_ops::softmax::BlockNum(arguments);
    std::printf("%s|", my_ops::softmax::WhyNot(arguments) == nullptr ? "" : "refused");
    void* workspace = nullptr;
    aclrtMalloc(&workspace, my_ops::softmax::WorkspaceSize(arguments), ACL_MEM_MALLOC_HUGE_FIRST);
    for (uint64_t less : {0, 256}) {
        arguments.tensorD.address += less;
        my_ops::softmax::Launch(arguments, workspace, nullptr);
        aclrtSynchronizeStream(nullptr);
        std::printf("%s|", machine::TakeErrors().c_str());
    }
    std::printf("%s", machine::TakeErrors().c_str());
}
"""


def test_faults_are_told_once(package: Path, tmp_path: Path) -> None:
    """A launch that writes behind its output; the host program knows no AscendC."""
    compiler = toolchain.find_compiler()
    (tmp_path / "main.cpp").write_text(FAULTY, encoding="utf-8")
    roots = [f"-I{package / 'include'}", f"-I{package / 'csrc'}", *(f"-isystem{root}" for root in include_roots(None))]
    model = ["-DEVTGEN_CPU_MODEL", "-DCATLASS_ARCH=2201", "-include", "machine/kernel_launch.hpp"]
    kernel, library = package / "csrc" / "softmax_kernel.cpp", toolchain.machine_library(compiler)
    rest = ["main.cpp", str(kernel), str(library), "-pthread", "-o", "main"]
    said = toolchain.run([compiler.path, "-std=c++17", "-Wall", "-Wextra", *model, *roots, *rest], tmp_path)
    assert said == ""
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    why, right, *faults, again = done.stdout.split("|")
    assert (why, right, again, done.stderr) == ("aicCoreNum is 0", "", "", "")
    assert faults[0] == "" and faults[1].startswith("EVT102: ")


def test_the_header_of_a_kernel_is_plain_cpp(package: Path, tmp_path: Path) -> None:
    compiler = toolchain.find_compiler()
    for path in (package / "csrc").glob("*_kernel.hpp"):
        command = [compiler.path, "-std=c++17", "-Wall", "-Wextra", "-fsyntax-only", "-x", "c++", "-include", str(path)]
        assert toolchain.run([*command, os.devnull], tmp_path) == ""


@pytest.mark.parametrize("device", [True, False], ids=["device", "host"])
def test_the_entries_are_code_of_a_device(package: Path, tmp_path: Path, device: bool) -> None:
    assert said_of_entries(package, EPILOGUES, tmp_path, device) == ""


@pytest.mark.parametrize("device", [True, False], ids=["device", "host"])
def test_entries_of_ascend950(tmp_path: Path, device: bool) -> None:
    evt.extension(specs.gated, tmp_path, namespace="my_ops", arch="Ascend950")
    assert said_of_entries(tmp_path, [remade(specs.gated, "Ascend950")], tmp_path, device) == ""


def said_of_entries(package: Path, epilogues: Sequence[Epilogue], scratch: Path, device: bool) -> str:
    """What clang++ says of the entries, as code of the device or of its host."""
    compiler = clang.find_clang(None)
    if compiler is None:
        pytest.skip("clang++ is not installed")
    plans = [lower(epilogue) for epilogue in epilogues]
    headers = dict(framework_files(Framework()))
    for plan in plans:
        headers |= epilogue_files(plan, Framework())
    given = Sources(headers, [], include_roots(None), None, [])
    (scratch / "first.hpp").write_text(device_program({}, given) + "#undef __aicore__\n#define __aicore__\n")
    roots = [f"-I{package / 'include'}", *(part for path in given.system for part in ("-isystem", str(path)))]
    # A launch in AscendC's words is not one that clang++ knows; the model's stands in for it.
    flags = [f"-DCATLASS_ARCH={plans[0].arch.npu}", "-DEVTGEN_CPU_MODEL", "-include", "first.hpp"]
    flags += ["-include", "machine/kernel_launch.hpp", *clang.FLAGS, *roots, "-fsyntax-only"]
    # What is the host's is the same in all forms.
    kernels = sorted((package / "csrc").glob("*_kernel.cpp"))[:: 1 if device or FULL else 3]
    return "".join(clang.as_device(compiler, [*flags, str(kernel)], scratch, device=device) for kernel in kernels)


def torch_npu() -> Path:
    """What has torch_npu's headers: ASCEND_PYTORCH_HOME, or else a stand-in."""
    home = os.environ.get("ASCEND_PYTORCH_HOME")
    if home is None:
        return Path(__file__).parent
    for needed in ("torch_npu/csrc/aten/NPUNativeFunctions.h", "third_party/acl/inc/acl/acl.h"):
        if not (Path(home) / needed).is_file():
            pytest.skip(f"ASCEND_PYTORCH_HOME has no {needed}, which torch_npu's build makes or gets")
    return Path(home)


@pytest.mark.parametrize("style", ["package", "catlass"])
def test_the_part_for_torch_npu_compiles(package: Path, tmp_path: Path, style: str) -> None:
    """Against torch's own headers, and torch_npu's where they are, or a stand-in of what is used of them."""
    include = Path(torch().__file__).parent / "include"
    given = [include, include / "torch/csrc/api/include", torch_npu()]
    sources = [package / "csrc/npu.cpp"]
    if style == "catlass":
        root = checkout(tmp_path / "catlass", "v1.5.0")
        kernels, wrapper = root / "examples/shared_lib", root / "examples/python_extension/src"
        (kernels / "src/kernels").mkdir(parents=True)
        (wrapper / "wrapper").mkdir(parents=True)
        evt.extension([specs.experts, specs.gated], root, namespace="my_ops", style="catlass", copy=True)
        given += [kernels / "include", wrapper / "include"]
        sources = list((wrapper / "wrapper").glob("*.cpp"))
    compiler = toolchain.find_compiler()
    flags = [compiler.path, "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only"]
    roots = [part for path in given for part in ("-isystem", str(path))]
    # In one file: torch's headers are nearly all that is compiled.
    (tmp_path / "all.cpp").write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    assert toolchain.run([*flags, *roots, "all.cpp"], tmp_path) == ""
