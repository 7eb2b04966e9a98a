"""What type checkers and editors see of evtgen.

``Acc[half]`` and the like are types of values with operators. An element type or a layout is a class whose metaclass is
``ElementType`` or ``Layout``, so that it can be an argument, too.
"""

import sys
from typing import Any, Generic

import numpy as np
from typing_extensions import TypeVar

from . import ops as ops
from .api import build as build
from .api import check as check
from .api import compile as compile
from .api import explain as explain
from .api import extension as extension
from .api import partition as partition
from .api import profile as profile
from .api import render as render
from .api import report as report
from .api import run as run
from .api import tune as tune
from .api import verify as verify
from .diagnostics.diagnostic import EvtgenError as EvtgenError
from .frontend.dispatch import Dispatch as Dispatch
from .frontend.fx import from_fx as from_fx
from .frontend.own_operators import operator as operator
from .frontend.trace import epilogue as epilogue
from .graph.ir import Epilogue as Epilogue
from .graph.ir import Gemm as Gemm
from .graph.ir import TopologicalVisitor as TopologicalVisitor
from .graph.ir import TreeVisitor as TreeVisitor
from .graph.types import ElementType, Layout
from .version import __version__ as __version__

class _Element(metaclass=ElementType): ...
class _Layout(metaclass=Layout): ...
class half(_Element): ...
class bfloat16(_Element): ...
class float32(_Element): ...
class float8_e4m3fn(_Element): ...
class float8_e5m2(_Element): ...
class float8_e8m0fnu(_Element): ...
class float4_e2m1fn(_Element): ...
class int4(_Element): ...
class int8(_Element): ...
class uint8(_Element): ...
class int16(_Element): ...
class int32(_Element): ...
class int64(_Element): ...
class mask(_Element): ...
class RowMajor(_Layout): ...
class ColumnMajor(_Layout): ...
class zN(_Layout): ...
class nZ(_Layout): ...

_T = TypeVar("_T", bound=_Element | np.generic)
_L = TypeVar("_L", bound=_Layout, default=RowMajor)

class _Acc(ops.Value, Generic[_T]):
    """``acc: Acc[T]``: the accumulator of the GEMM, M×N. With ``gemm=Gemm(accumulators=…)`` there are two of them."""

class _Aux(ops.Value, Generic[_T, _L]):
    """``X: Aux[T]`` or ``Aux[T, layout]``: an M×N tensor in GM, called as the parameter is."""

class _RowVector(ops.Value, Generic[_T, _L]):
    """``row: RowVector[T]`` or ``RowVector[T, layout]``: a 1×N tensor in GM, repeated over the rows."""

class _ColVector(ops.Value, Generic[_T, _L]):
    """``col: ColVector[T]`` or ``ColVector[T, layout]``: an M×1 tensor in GM, repeated over the columns."""

class _ScalarTensor(ops.Value, Generic[_T]):
    """``s: ScalarTensor[T]``: a tensor in GM of one value, which stands in every place."""

class _Scalar(ops._ScalarValue, Generic[_T]):
    """``alpha: Scalar[T]`` or ``alpha: Scalar[T] = 1.0``: a number that the caller gives at run time."""

if sys.platform != "jedi":
    # Any takes a default value, which is a number, and another value by the same name; it hides no wrong name.
    Acc = _Acc[_T] | Any
    Aux = _Aux[_T, _L] | Any
    RowVector = _RowVector[_T, _L] | Any
    ColVector = _ColVector[_T, _L] | Any
    ScalarTensor = _ScalarTensor[_T] | Any
    Scalar = _Scalar[_T] | float
else:
    # jedi, which completes in notebooks, knows no platform, so it reads both branches; of these it understands classes.
    class Acc(_Acc, Generic[_T]): ...
    class Aux(_Aux, Generic[_T, _L]): ...
    class RowVector(_RowVector, Generic[_T, _L]): ...
    class ColVector(_ColVector, Generic[_T, _L]): ...
    class ScalarTensor(_ScalarTensor, Generic[_T]): ...
    class Scalar(_Scalar, Generic[_T]): ...
