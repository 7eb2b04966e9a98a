"""evtgen: Catlass epilogue visitors from Python, verified on a CPU model.

The public names are the ones here, which specs import; ``from evtgen import *`` leaves ``compile`` alone.
"""

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

from . import ops
from .api import build, check, explain, extension, partition, profile, render, report, run, tune, verify
from .api import compile as compile
from .diagnostics.diagnostic import EvtgenError
from .frontend.dispatch import Dispatch
from .frontend.fx import from_fx
from .frontend.own_operators import operator
from .frontend.trace import Acc, Aux, ColVector, RowVector, ScalarTensor, epilogue
from .graph.ir import Epilogue, Gemm, Scalar, TopologicalVisitor, TreeVisitor
from .graph.types import (
    ColumnMajor,
    RowMajor,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float32,
    half,
    int4,
    int8,
    int16,
    int32,
    int64,
    mask,
    nZ,
    uint8,
    zN,
)
from .version import __version__ as __version__

__all__ = [
    "Acc",
    "Aux",
    "ColVector",
    "ColumnMajor",
    "Dispatch",
    "Epilogue",
    "EvtgenError",
    "Gemm",
    "RowMajor",
    "RowVector",
    "Scalar",
    "ScalarTensor",
    "TopologicalVisitor",
    "TreeVisitor",
    "bfloat16",
    "build",
    "check",
    "epilogue",
    "explain",
    "extension",
    "float4_e2m1fn",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e8m0fnu",
    "float32",
    "from_fx",
    "half",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "mask",
    "nZ",
    "operator",
    "ops",
    "partition",
    "profile",
    "render",
    "report",
    "run",
    "tune",
    "uint8",
    "verify",
    "zN",
]


class _Package(_ModuleType):
    """evtgen itself, in which ``check``, ``profile``, ``report`` and ``verify`` stay the functions when the packages of
    these names are loaded: importing a package binds its name in the one that it lies in."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, _ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*__all__, "compile", "__version__"]

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # A function of a notebook that uses evtgen goes to a worker of Dask by value, with the modules it names.
        return _import_module, (self.__name__,)


_sys.modules[__name__].__class__ = _Package
