"""Which functions of numpy and torch are which functions of ``ops``: one table, for values and for the documentation.

What a function takes beside operands and constants is the business of :mod:`evtgen.frontend.protocols`. Of functions
that are in none of the columns :data:`evtgen.diagnostics.aliases.OPERATORS` says what to write instead.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """The names of a function in each library, as words of one text.

    Attributes:
        numpy: functions of numpy.
        torch, functional, special: of ``torch``, ``torch.nn.functional`` and ``torch.special``.
        methods: of ``torch.Tensor``. A value has them as methods, too, and every name of ``ops``.
    """

    numpy: str = ""
    torch: str = ""
    functional: str = ""
    special: str = ""
    methods: str = ""


def _same(name: str, functional: bool = False, numpy: bool = True) -> Names:
    """A name that all have, as a method, too; torch.nn.functional only if ``functional``."""
    return Names(name if numpy else "", name, name if functional else "", "", name)


def _activation(name: str, torch: bool = False, method: bool = False) -> Names:
    """A name that torch.nn.functional has."""
    return Names("", name if torch else "", name, "", name if method else "")


FUNCTIONS: dict[str, Names] = {
    # Arithmetic
    "add": _same("add"),
    "subtract": Names("subtract", "subtract sub", "", "", "subtract sub"),
    "rsub": Names("", "rsub"),
    "multiply": Names("multiply", "multiply mul", "", "", "multiply mul"),
    "divide": Names(*["divide true_divide", "divide div true_divide", "", "", "divide div true_divide"]),
    "maximum": Names("maximum", "maximum clamp_min", "", "", "maximum clamp_min"),
    "minimum": Names("minimum", "minimum clamp_max", "", "", "minimum clamp_max"),
    "negative": Names("negative", "negative neg", "", "", "negative neg"),
    "positive": _same("positive"),
    "absolute": Names("absolute abs fabs", "absolute abs", "", "", "absolute abs"),
    "square": _same("square"),
    "sqrt": _same("sqrt"),
    "rsqrt": _same("rsqrt", numpy=False),
    "reciprocal": _same("reciprocal"),
    "exp": _same("exp"),
    "log": _same("log"),
    "expm1": Names("expm1", "expm1", "", "expm1", "expm1"),
    "log1p": Names("log1p", "log1p", "", "log1p", "log1p"),
    "power": Names("power pow float_power", "pow float_power", "", "", "pow float_power"),
    "addcmul": _same("addcmul", numpy=False),
    "addcdiv": _same("addcdiv", numpy=False),
    # Whole numbers
    "floor": _same("floor"),
    "ceil": _same("ceil"),
    "round": Names("round around rint", "round", "", "round", "round"),
    "trunc": Names("trunc fix", "trunc fix", "", "", "trunc fix"),
    "sign": Names("sign", "sign sgn", "", "", "sign sgn"),
    # Comparisons and masks
    "greater": Names("greater", "greater gt", "", "", "greater gt"),
    "greater_equal": Names("greater_equal", "greater_equal ge", "", "", "greater_equal ge"),
    "less": Names("less", "less lt", "", "", "less lt"),
    "less_equal": Names("less_equal", "less_equal le", "", "", "less_equal le"),
    "equal": Names("equal", "eq", "", "", "eq"),
    "not_equal": Names("not_equal", "not_equal ne", "", "", "not_equal ne"),
    "logical_and": Names("logical_and bitwise_and", "logical_and bitwise_and", "", "", "logical_and bitwise_and"),
    "logical_or": Names("logical_or bitwise_or", "logical_or bitwise_or", "", "", "logical_or bitwise_or"),
    "logical_not": Names("logical_not bitwise_not invert", "logical_not bitwise_not", "", "",
    "logical_not bitwise_not"),
    "where": Names("where", "where"),
    "masked_fill": _same("masked_fill", numpy=False),
    # Limits and activations
    "clamp": Names("clip", "clamp clip", "", "", "clamp clip"),
    "relu": _activation("relu", torch=True, method=True),
    "relu6": _activation("relu6"),
    "hardtanh": _activation("hardtanh"),
    "leaky_relu": _activation("leaky_relu"),
    "prelu": _activation("prelu", torch=True, method=True),
    "threshold": _activation("threshold", torch=True),
    "hardsigmoid": _activation("hardsigmoid"),
    "hardswish": _activation("hardswish"),
    "sigmoid": Names("", "sigmoid", "sigmoid", "expit", "sigmoid"),
    "tanh": Names("tanh", "tanh", "tanh", "", "tanh"),
    "silu": _activation("silu"),
    "gelu": _activation("gelu"),
    "mish": _activation("mish"),
    "softsign": _activation("softsign"),
    "elu": _activation("elu"),
    "selu": _activation("selu", torch=True),
    "celu": _activation("celu", torch=True),
    "softplus": _activation("softplus"),
    "dropout": _activation("dropout", torch=True),
    # Along an axis
    "sum": _same("sum"),
    "mean": _same("mean"),
    "max": _same("max"),
    "min": _same("min"),
    "amax": _same("amax"),
    "amin": _same("amin"),
    "softmax": Names("", "softmax", "softmax", "softmax", "softmax"),
    "log_softmax": Names("", "log_softmax", "log_softmax", "log_softmax", "log_softmax"),
    "rms_norm": _activation("rms_norm", torch=True),
    "layer_norm": _activation("layer_norm", torch=True),
    # Types and places
    "to": Names("astype", "", "", "", "to type type_as half float bfloat16 int short char byte"),
    "transpose": Names(
        "transpose swapaxes matrix_transpose permute_dims", "transpose t swapaxes swapdims permute", "", "",
        "transpose t swapaxes swapdims permute",
    ),
    "gather": Names("take", "index_select", "", "", "index_select"),
}  # fmt: skip
"""Each function by the name under which :mod:`evtgen.frontend.protocols` knows it,
in the order of the documentation."""

WRITTEN: dict[str, str] = {
    "rsub": "y - x", "addcmul": "ops.fma(y, z, x), or x + value * y * z", "addcdiv": "x + value * y / z",
    "positive": "x", "masked_fill": "ops.where(m, value, x)", "threshold": "ops.where(x > threshold, x, value)",
    "dropout": "x, where it is not in training", "sum": 'ops.col_reduce(x, "add") and its like',
    "mean": 'ops.col_reduce(x, "mean") and its like', "to": "x.cast(T)",
    **dict.fromkeys(("max", "amax"), 'ops.col_reduce(x, "max") and its like'),
    **dict.fromkeys(("min", "amin"), 'ops.col_reduce(x, "min") and its like'),
}  # fmt: skip
"""What those are that are no single function of ``ops``."""


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
