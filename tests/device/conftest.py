"""Compiling programs against the CPU model."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.model import cache
from evtgen.model.toolchain import Compiler, find_compiler, headers_below, machine_library

from ..support.cpp import start
from ..support.paths import DEVICE

HERE = Path(__file__).parent
ROOTS = (DEVICE / "ascendc", DEVICE)


class Build:
    """Compiles programs of this directory against the machine."""

    FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror")

    def __init__(self, compiler: Compiler, output: Path) -> None:
        self.compiler = compiler.path
        self.version = compiler.version
        self.output = output
        self.library = str(machine_library(compiler))
        self.programs: dict[tuple[str, int, tuple[Path, ...]], Path] = {}

    def __call__(self, name: str, arch: int = 2201, roots: Sequence[Path] = ROOTS) -> Path:
        """The program of ``<name>.cpp``, whose include roots lie in the model; from evtgen's cache, so that processes
        which test at the same time compile it once."""
        wanted = name, arch, tuple(roots)
        if wanted not in self.programs:
            self.programs[wanted] = self._built(HERE / f"{name}.cpp", arch, roots)
        return self.programs[wanted]

    def _built(self, source: Path, arch: int, roots: Sequence[Path]) -> Path:
        includes = [f"-I{root}" for root in roots]
        command = [self.compiler, *self._flags(arch), *includes, str(source), self.library, "-pthread"]
        # Headers of the model include some below other roots than those that are given.
        key = cache.key([self.version, *command], [source, *headers_below(HERE), *headers_below(DEVICE)])

        def build(at: Path) -> None:
            result = subprocess.run([*command, "-o", "program"], capture_output=True, text=True, cwd=at, check=False)
            assert result.returncode == 0, result.stderr

        return cache.entry("tests", key, ["program"], build) / "program"

    def errors(self, source: str, arch: int = 2201, device: Path = DEVICE) -> str:
        """What the compiler says of a source; empty if it takes it."""
        return self._said(source, self._flags(arch), device)

    def refuses(self, source: str, arch: int = 2201) -> str:
        """What the compiler says of a source, which includes ``kernel_operator.h`` first, that it must not take."""
        flags = self._flags(arch)
        said = self._said(source, [*flags, *start(self.compiler, flags)], DEVICE)
        assert said, "this should not compile"
        return said

    def _flags(self, arch: int) -> tuple[str, ...]:
        return (*self.FLAGS, f"-DCATLASS_ARCH={arch}")

    def _said(self, source: str, flags: Sequence[str], device: Path) -> str:
        path = self.output / "refused.cpp"
        path.write_text(source)
        roots = [f"-I{root}" for root in (device / "catlass", device / "ascendc", device)]
        limit = ["-ferror-limit=0"] if "clang" in self.compiler else []
        command = [self.compiler, *flags, *limit, "-fsyntax-only", *roots, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stderr if result.returncode else ""


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    try:
        compiler = find_compiler(os.environ.get("CXX"))
    except EvtgenError as missing:
        pytest.skip(str(missing))
    return Build(compiler, tmp_path_factory.mktemp("machine"))
