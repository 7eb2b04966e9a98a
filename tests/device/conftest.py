"""Compiling programs against the CPU model."""

import os
import subprocess
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.model.toolchain import Compiler, find_compiler, machine_library

from ..support.paths import DEVICE

HERE = Path(__file__).parent


class Build:
    """Compiles programs of this directory against the machine."""

    FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror")

    def __init__(self, compiler: Compiler, output: Path) -> None:
        self.compiler = compiler.path
        self.output = output
        self.library = str(machine_library(compiler))
        self.programs: set[Path] = set()

    def __call__(self, name: str, arch: int = 2201) -> Path:
        """The program of ``<name>.cpp``."""
        target = self.output / f"{name}_{arch}"
        if target not in self.programs:
            include = f"-I{DEVICE / 'ascendc'}"
            self._run([str(HERE / f"{name}.cpp"), self.library, include, f"-DCATLASS_ARCH={arch}", "-o", str(target)])
            self.programs.add(target)
        return target

    def _run(self, arguments: list[str]) -> None:
        command = [self.compiler, *self.FLAGS, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.output, check=False)
        assert result.returncode == 0, result.stderr

    def errors(self, source: str, arch: int = 2201, device: Path = DEVICE) -> str:
        """What the compiler says of a source; empty if it takes it."""
        path = self.output / "refused.cpp"
        path.write_text(source)
        roots = [f"-I{root}" for root in (device / "catlass", device / "ascendc", device)]
        limit = ["-ferror-limit=0"] if "clang" in self.compiler else []
        command = [self.compiler, *self.FLAGS, *limit, "-fsyntax-only", f"-DCATLASS_ARCH={arch}", *roots, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stderr if result.returncode else ""

    def refuses(self, source: str, arch: int = 2201) -> str:
        """What the compiler says of a source that it must not take."""
        said = self.errors(source, arch)
        assert said, "this should not compile"
        return said


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    try:
        compiler = find_compiler(os.environ.get("CXX"))
    except EvtgenError as missing:
        pytest.skip(str(missing))
    return Build(compiler, tmp_path_factory.mktemp("machine"))
