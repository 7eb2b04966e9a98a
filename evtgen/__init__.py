"""evtgen: Catlass epilogue visitors from Python, proved on a CPU model.

What a spec imports is here, nothing else is public.
"""

from .frontend import Acc, Aux, ColVector, RowVector, ScalarTensor, epilogue, operator, ops
from .ir import Epilogue, Gemm, Scalar, TopologicalVisitor, TreeVisitor
from .types import ColumnMajor, RowMajor, bfloat16, float32, half, int8, int16, int32, mask, uint8

__version__ = "0.1.0"

__all__ = [
    "Acc",
    "Aux",
    "ColVector",
    "ColumnMajor",
    "Epilogue",
    "Gemm",
    "RowMajor",
    "RowVector",
    "Scalar",
    "ScalarTensor",
    "TopologicalVisitor",
    "TreeVisitor",
    "bfloat16",
    "epilogue",
    "float32",
    "half",
    "int8",
    "int16",
    "int32",
    "mask",
    "operator",
    "ops",
    "uint8",
]
