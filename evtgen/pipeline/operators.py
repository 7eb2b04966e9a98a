"""Kernels of a model as operators of PyTorch, built and loaded: they take tensors of the CPU and of the device.

The package that :mod:`.extension` writes is built once, into the cache, and imported from there.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ..diagnostics.extension import NO_OPERATOR
from ..graph.ir import Epilogue
from ..model import cache
from ..options import EmitOptions, ExtensionOptions
from .build import Request, render
from .extension import extension
from .partition import Kernel
from .run import Compiled
from .specs import Checked, check_given

_LOADED: dict[str, ModuleType] = {}
"""Packages by their names: a process registers the operators of each once."""


class Operator(Compiled):
    """A kernel as an operator.

    Attributes:
        function: the operator of PyTorch.
    """

    def __init__(self, epilogue: Epilogue, function: Callable[..., Any]) -> None:
        super().__init__(epilogue)
        self.function = function

    def __call__(self, a: Any, b: Any, /, **tensors: Any) -> dict[str, Any]:
        """The outputs by name. The operator itself copies what it cannot read in place."""
        tensors.pop("copy", None)
        found = self.function(a, *(b if isinstance(b, (tuple, list)) else (b,)), **tensors)
        return dict(zip(self.plan.results, found if isinstance(found, tuple) else (found,), strict=True))


def run_as_operators(kernels: Sequence[Kernel]) -> None:
    """Let kernels run as operators. Raises EvtgenError, EVT093 if they cannot be built here."""
    if not kernels:
        return
    made = operators([kernel.epilogue for kernel in kernels])
    for kernel in kernels:
        kernel.call = replace(kernel.call, compiled=made[kernel.name])


def operators(epilogues: Sequence[Epilogue]) -> Mapping[str, Operator]:
    """Epilogues as operators, by name."""
    # Where a model is written is no part of its kernels.
    checked = check_given([replace(epilogue, location=None) for epilogue in epilogues]).require()
    module = _package(checked)
    return {one.name: Operator(one, getattr(module, one.name)) for one in checked.epilogues}


def _package(checked: Checked) -> ModuleType:
    (headers,), _ = render(Request.of(EmitOptions(), Path(), None, given=checked))
    torch = sys.modules["torch"]
    cann = os.environ.get("ASCEND_HOME_PATH", "")
    texts = [sys.version, torch.__version__, cann, *(text for item in sorted(headers.files.items()) for text in item)]
    key = cache.key(texts)
    name = f"evtgen_{key[:16]}"
    if name not in _LOADED:
        files = ["__init__.py", "library.so", "cpu.so", *(["npu.so"] if cann else [])]
        entry = cache.entry(
            "operators", key, [f"built/{name}/{file}" for file in files], partial(_build, checked, name)
        )
        at = entry / "built" / name
        spec = importlib.util.spec_from_file_location(name, at / "__init__.py", submodule_search_locations=[str(at)])
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _LOADED[name] = module
    return _LOADED[name]


def _build(checked: Checked, name: str, at: Path) -> None:
    extension(checked, at, ExtensionOptions(namespace=name, copy=True))
    command = [sys.executable, "setup.py", "-q", "build", "--build-lib", "built", "--build-temp", "temporary"]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NO_OPERATOR.here("not built", said=(done.stdout + done.stderr)[-2000:])
