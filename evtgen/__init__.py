"""evtgen: Catlass epilogue visitors from Python, verified on a CPU model.

The public names are the ones here, which specs import.
"""

from . import ops
from .api import run
from .diagnostics.diagnostic import EvtgenError
from .frontend.fx import from_fx
from .frontend.own_operators import operator
from .frontend.trace import Acc, Aux, ColVector, RowVector, ScalarTensor, epilogue
from .graph.ir import Epilogue, Gemm, Scalar, TopologicalVisitor, TreeVisitor
from .graph.types import (
    ColumnMajor,
    RowMajor,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int8,
    int16,
    int32,
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
    "epilogue",
    "float8_e4m3fn",
    "float8_e5m2",
    "float32",
    "from_fx",
    "half",
    "int8",
    "int16",
    "int32",
    "mask",
    "nZ",
    "operator",
    "ops",
    "run",
    "uint8",
    "zN",
]
