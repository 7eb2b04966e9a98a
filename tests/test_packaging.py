"""The wheel: built from the sdist, installed into an empty environment, used outside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from evtgen.system.translation import DOMAIN, LOCALE
from evtgen.version import __version__

from .support.cpp import quick_compiler
from .support.paths import CHECKOUT

pytestmark = [pytest.mark.cxx, pytest.mark.slow]


def run(*command: str | Path, cwd: Path, status: int = 0, **environment: str) -> str:
    """Run a command with nothing of this process's Python environment; returns stdout."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel built from it."""
    out = tmp_path_factory.mktemp("dist")
    catalog = LOCALE / "zh" / "LC_MESSAGES" / f"{DOMAIN}.mo"
    with catalog.open("rb") as read:
        run(sys.executable, "-m", "build", "--outdir", out, CHECKOUT, cwd=out)
        assert not os.fstat(read.fileno()).st_nlink, "a catalog that is being read is replaced"
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


def test_both_carry_templates_and_device(distributions: tuple[Path, Path]) -> None:
    sdist, wheel = distributions
    with zipfile.ZipFile(wheel) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    expected = set()
    folders = (("templates", "evtgen/templates"), ("evtgen", "evtgen"), ("examples/gallery", "evtgen/gallery"))
    for folder, prefix in folders:
        for path in (CHECKOUT / folder).rglob("*"):
            hidden = any(part.startswith((".", "__pycache__")) for part in path.relative_to(CHECKOUT).parts)
            if path.is_file() and not hidden:
                name = f"{prefix}/{path.relative_to(CHECKOUT / folder).as_posix()}"
                expected.add(name)
                assert inside[name] == path.read_bytes()
    # From the sdist, no more and no less than from the checkout.
    assert {name for name in inside if ".dist-info/" not in name and "/." not in name} == expected
    assert {"evtgen/py.typed", f"evtgen-{__version__}.dist-info/METADATA"} <= inside.keys()
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "Makefile", "templates/epilogue/epilogue.hpp.j2", "tests/test_packaging.py"} <= names


def test_installed_wheel_builds_checks_and_verifies(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    """The CPU model's sources in the wheel are the checkout's, byte for byte; so their objects are not made again."""
    venv.create(tmp_path / "env", with_pip=True)
    bin_ = tmp_path / "env" / "bin"
    run(bin_ / "python", "-m", "pip", "install", "--quiet", "--no-compile", distributions[1], cwd=tmp_path)
    spec = tmp_path / "spec.py"
    spec.write_text((CHECKOUT / "examples" / "32_matmul_add_evt.py").read_text())
    evtgen = bin_ / "evtgen"
    run(evtgen, "new", "mine", "--from", "gallery/softmax", "--no-job", cwd=tmp_path)
    assert "1 epilogue fine" in run(evtgen, "check", "mine.py", cwd=tmp_path)
    cache = str(tmp_path / "cache")
    assert "1 epilogue fine" in run(evtgen, "check", spec, cwd=tmp_path)
    run(evtgen, "build", spec, "-o", "include", "--examples", "examples", cwd=tmp_path)
    run(evtgen, "build", spec, "-o", "include", "--examples", "examples", "--check", cwd=tmp_path)
    (result,) = json.loads(
        run(
            evtgen,
            "verify",
            spec,
            "--shape",
            "33x40x16",
            "--data",
            "int",
            "--headers",
            "include",
            "--cxx",
            quick_compiler(tmp_path / "compiler"),
            "--json",
            cwd=tmp_path,
            EVTGEN_CACHE=cache,
        )
    )
    assert result["ok"] and result["hazards"] == []
    # The same bytes as from the checkout.
    run(sys.executable, "-m", "evtgen", "build", spec, "-o", "again", cwd=tmp_path, PYTHONPATH=str(CHECKOUT))
    for path in (tmp_path / "again").rglob("*.hpp"):
        assert path.read_bytes() == (tmp_path / "include" / path.relative_to(tmp_path / "again")).read_bytes()
    # A type checker sees the package's types.
    pytest.importorskip("mypy", reason="needs the extra: pip install 'evtgen[dev]'")
    user = tmp_path / "user.py"
    user.write_text("import evtgen as evt\n\nreveal_type(evt.__version__)\nreveal_type(evt.check)\n")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "--python-executable")
    said = run(*mypy, bin_ / "python", "--follow-imports", "silent", user, cwd=tmp_path)
    assert "Any" not in said and "def (evtgen.graph.ir.Epilogue | " in said and "1 source file" in said
