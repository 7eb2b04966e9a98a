"""The registry of the names of numpy and torch: for values, arrays, graphs of torch, and the documentation.

Of functions that are in none of the columns :data:`evtgen.diagnostics.aliases.OPERATORS` says what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import formulas as build
from .functions import FORMS


@dataclass(frozen=True)
class Names:
    """The names of a function in each library, as words of one text.

    Attributes:
        numpy: functions of numpy.
        torch, functional, special: of ``torch``, ``torch.nn.functional`` and ``torch.special``.
        methods: of ``torch.Tensor``, by default as of ``torch``. A value has them, too, and the operators of ``ops``.
        build: makes the function of others, and has its signature; None for an operator, which has its own.
        written: an expression for a function that ``ops`` does not have.
        module: of ``torch.nn``, with those of its attributes that are arguments.
    """

    numpy: str = ""
    torch: str = ""
    functional: str = ""
    special: str = ""
    methods: str = "="
    build: Callable[..., Any] | None = None
    written: str = ""
    module: str = ""

    def __post_init__(self) -> None:
        if self.methods == "=":
            object.__setattr__(self, "methods", self.torch)


FUNCTIONS: dict[str, Names] = {
    # Arithmetic
    "add": Names("add", "add", build=build.added),
    "subtract": Names("subtract", "subtract sub", build=build.subtracted),
    "rsub": Names("", "rsub", methods="", build=build.subtracted_from, written="y - x"),
    "multiply": Names("multiply", "multiply mul"),
    "divide": Names("divide true_divide", "divide div true_divide"),
    "maximum": Names("maximum", "maximum clamp_min"),
    "minimum": Names("minimum", "minimum clamp_max"),
    "negative": Names("negative", "negative neg"),
    "positive": Names("positive", "positive", build=build.positive, written="x"),
    "absolute": Names("absolute abs fabs", "absolute abs"),
    "square": Names("square", "square"),
    "sqrt": Names("sqrt", "sqrt"),
    "rsqrt": Names("", "rsqrt"),
    "reciprocal": Names("reciprocal", "reciprocal"),
    "exp": Names("exp", "exp"),
    "log": Names("log", "log"),
    "expm1": Names("expm1", "expm1", special="expm1"),
    "log1p": Names("log1p", "log1p", special="log1p"),
    "erf": Names("", "erf", special="erf"),
    "power": Names("power pow float_power", "pow float_power", build=FORMS["power"]),
    "addcmul": Names("", "addcmul", build=build.added_product, written="ops.fma(y, z, x), or x + value * y * z"),
    "addcdiv": Names("", "addcdiv", build=build.added_quotient, written="x + value * y / z"),
    # Whole numbers
    "floor": Names("floor", "floor"),
    "ceil": Names("ceil", "ceil"),
    "round": Names("round around rint", "round", special="round", build=build.rounded),
    "trunc": Names("trunc fix", "trunc fix"),
    "sign": Names("sign", "sign sgn"),
    # Comparisons and masks
    "greater": Names("greater", "greater gt"),
    "greater_equal": Names("greater_equal", "greater_equal ge"),
    "less": Names("less", "less lt"),
    "less_equal": Names("less_equal", "less_equal le"),
    "equal": Names("equal", "eq"),
    "not_equal": Names("not_equal", "not_equal ne"),
    "logical_and": Names("logical_and bitwise_and", "logical_and bitwise_and"),
    "logical_or": Names("logical_or bitwise_or", "logical_or bitwise_or"),
    "logical_not": Names("logical_not bitwise_not invert", "logical_not bitwise_not"),
    "where": Names("where", "where", methods=""),
    "masked_fill": Names("", "masked_fill", build=build.masked_fill, written="ops.where(m, value, x)"),
    # Limits and activations
    "clamp": Names("clip", "clamp clip", build=build.clamp),
    "relu": Names("", "relu", functional="relu", module="ReLU"),
    "relu6": Names("", functional="relu6", module="ReLU6"),
    "hardtanh": Names("", functional="hardtanh", build=build.hardtanh, module="Hardtanh min_val max_val"),
    "leaky_relu": Names("", functional="leaky_relu", module="LeakyReLU negative_slope"),
    "prelu": Names("", "prelu", functional="prelu", module="PReLU weight"),
    "threshold": Names("", "threshold", functional="threshold", methods="",
                       build=build.above, written="ops.where(x > threshold, x, value)"),
    "hardsigmoid": Names("", functional="hardsigmoid", module="Hardsigmoid"),
    "hardswish": Names("", functional="hardswish", module="Hardswish"),
    "sigmoid": Names("", "sigmoid", functional="sigmoid", special="expit", module="Sigmoid"),
    "tanh": Names("tanh", "tanh", functional="tanh", module="Tanh"),
    "silu": Names("", functional="silu", module="SiLU"),
    "gelu": Names("", functional="gelu", build=FORMS["gelu"], module="GELU approximate"),
    "mish": Names("", functional="mish", module="Mish"),
    "softsign": Names("", functional="softsign", module="Softsign"),
    "elu": Names("", functional="elu", module="ELU alpha"),
    "selu": Names("", "selu", functional="selu", methods="", module="SELU"),
    "celu": Names("", "celu", functional="celu", methods="", module="CELU alpha"),
    "softplus": Names("", functional="softplus", build=build.softplus, module="Softplus beta threshold"),
    "dropout": Names("", "dropout", functional="dropout", methods="",
                     build=build.dropout, written="x, where it is not in training"),
    # Along an axis
    **{
        name: Names(name, name, build=partial(build.along_axis, name),
                    written=f'ops.col_reduce(x, "{op}") and its like')
        for name, op in build.REDUCED.items()
    },
    "logsumexp": Names("", "logsumexp", special="logsumexp", build=build.logsumexp,
                       written="m + ops.log(ops.col_reduce(ops.exp(x - m))) with the rows' maximum m"),
    "softmax": Names("", "softmax", functional="softmax", special="softmax",
                     build=partial(build.weighed, "softmax"), module="Softmax dim"),
    "log_softmax": Names("", "log_softmax", functional="log_softmax", special="log_softmax",
                         build=partial(build.weighed, "log_softmax"), module="LogSoftmax dim"),
    "rms_norm": Names("", "rms_norm", functional="rms_norm", methods="",
                      build=partial(build.normalized, "rms_norm"), module="RMSNorm normalized_shape weight eps"),
    "layer_norm": Names("", "layer_norm", functional="layer_norm", methods="",
                        build=partial(build.normalized, "layer_norm"),
                        module="LayerNorm normalized_shape weight bias eps"),
    # Types and places
    "to": Names("astype", methods="to type type_as half float bfloat16 int short char byte",
                build=build.converted, written="x.cast(T)"),
    "transpose": Names("transpose swapaxes matrix_transpose permute_dims", "transpose t swapaxes swapdims permute",
                       build=build.transposed),
    "gather": Names("take", "index_select", build=build.taken),
}  # fmt: skip
"""Each function by its name here, in the order of the documentation."""


def _meant(*columns: str) -> dict[str, str]:
    return {
        spelled: name
        for name, names in FUNCTIONS.items()
        for column in columns
        for spelled in getattr(names, column).split()
    }


MEANT: dict[str, dict[str, str]] = {
    "np": _meant("numpy"),
    "torch": _meant("torch", "functional", "special", "methods"),
    "x": _meant("numpy", "torch", "functional", "methods"),
}
"""For each library, as messages call it, and for methods (``x``): the key of :data:`FUNCTIONS` by a function's name."""

MODULES: dict[str, tuple[str, list[str]]] = {
    names.module.split()[0]: (name, names.module.split()[1:]) for name, names in FUNCTIONS.items() if names.module
}
"""For each module of ``torch.nn``: the key of :data:`FUNCTIONS`, and the attributes that are arguments."""
