"""The operators: one declaration each, and everything else follows from it.

From a declaration come the C++ functor, the element types it takes on an architecture (those that each AscendC call of
its sequence takes), the numpy reference, its expression in formulas and comments, the function in
:mod:`evtgen.ops`, the row of ``evtgen ops`` and that of the accuracy table. How a sequence is written is in
:mod:`evtgen.operators.declaration`.

Functions with a limit have it here, too: arguments are clamped where the function has long reached its limit, so that
nothing overflows to ``inf / inf`` or ``inf * 0`` on the way. Polynomials and quotients of them are our own fits, in the
maximum of the relative error; they keep the relative accuracy where the textbook formula cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .declaration import OPERANDS, Atomic, Call, Numbers, Operator, by_turns, helped, horner, sequence

_TANH_P = (1.0, 0.133810297, 0.00349559239, 2.06091463e-05, 1.3354736e-08)
_TANH_Q = (1.0, 0.467143446, 0.0258769989, 0.000328564143, 7.77659125e-07)
_TANH_POWERS = {
    "LIMIT": 81, "C": 2.14067006,
    "P1": 0.28644371, "P2": 0.0074829082, "P3": 4.4117387e-05, "P4": 2.85880688e-08,
    "Q2": 0.0553941168, "Q3": 0.000703347323, "Q4": 1.66471136e-06,
}  # fmt: skip
_TANH_SUM = Numbers(
    "tanh(x) = x * (C + P1 * y + ... + P4 * y^4) / (C + y + Q2 * y^2 + ... + Q4 * y^4)\n"
    "with y = x * x <= LIMIT, to a relative error of 4.5e-8; from there on, it is 1 to within an ulp of float",
    _TANH_POWERS,
)

_ERF_POWERS = {
    "LIMIT": 15.5,
    "P0": 2.24487871, "P1": 0.38008766, "P2": 0.105083239, "P3": 0.00753906048, "P4": 0.000566523311,
    "P5": 4.05120305e-06,
    "Q0": 1.989472, "Q2": 0.227520219, "Q3": 0.029876608, "Q4": 0.00232192813, "Q5": 7.54869742e-05,
}  # fmt: skip
_ERF_SUM = Numbers(
    "erf(x) = x * (P0 + P1 * y + ... + P5 * y^5) / (Q0 + y + Q2 * y^2 + ... + Q5 * y^5)\n"
    "with y = x * x <= LIMIT, to a relative error of 2e-8; from there on, it is 1 to within an ulp of float",
    _ERF_POWERS,
)

_TAIL_POWERS = {
    "LIMIT": 14.5,
    "P1": 0.331591276, "P2": 0.235432256, "P3": 0.0765925261, "P4": 0.0106650567,
    "Q0": 0.663182698, "Q2": 0.619543679, "Q3": 0.191817357, "Q4": 0.0267378865,
}  # fmt: skip
_TAIL_SUM = Numbers(
    "x * erfc(x / sqrt(2)) / 2 = exp(-x * x / 2) * (P1 * x + ... + P4 * x^4) / (Q0 + x + Q2 * x^2 + ...)\n"
    "for 0 <= x <= LIMIT, to a relative error of 2.6e-7 below 2 and of 1.8e-6 far out, where exp is off by\n"
    "more; from there on, it is 0 in float",
    _TAIL_POWERS,
)

_LOG1P_P = (1.0, 1.0662185, 0.238157541, 0.0034172826)
_LOG1P_Q = (1.0, 1.56621838, 0.687936306, 0.0752872899)

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805
_SELU_NUMBERS = Numbers(
    "SCALE, and 2 * SCALE * ALPHA with the ALPHA that belongs to it",
    {"SCALE": _SELU_SCALE, "BELOW_ZERO": 2 * _SELU_SCALE * _SELU_ALPHA},
)

_SIGN_NUMBERS = Numbers(
    "2^100 makes the smallest number as large as LIMIT at least, with room to spare; 2^49 makes LIMIT 1",
    {"RAISE": 2.0**100, "LIMIT": 2.0**-49, "UNIT": 2.0**49},
)

_QUICK_NUMBERS = Numbers("1 / (1 + exp(-SLOPE * x)) is close to the normal distribution", {"SLOPE": 1.702})
_ONE_FROM = Numbers("tanh(y) is 1 to within an ulp of float from y * y = LIMIT on", {"LIMIT": 81})
_ONE_BEYOND = Numbers(
    "From LIMIT on, the result is 1 in float. The limit keeps inf from being divided by inf", {"LIMIT": 1e9}
)

_SIXTH = Numbers("A division by 6, as a multiplication", {"ONE_SIXTH": 1 / 6})
_FINITE = Numbers(
    "Close to the lowest number of float. The limit keeps -inf from meeting a 0: their product is NaN",
    {"LOWEST": -3e38},
)


def _logistic(x: str) -> tuple[Call, ...]:
    """dst = e^x / (1 + e^x), which is 1 in float32 from 17 on: 88 is far enough, and short of overflow."""
    calls = (f"Mins(dst, {x}, 88)", "Exp(dst, dst)", "Adds(tmp, dst, 1)", "Div(dst, dst, tmp)")
    return helped(f"Logistic(dst, {x}, tmp, count)", *calls)


def _log1p(dst: str, x: str, tmp: str) -> tuple[Call, ...]:
    """dst = log(1 + x)."""
    sums = by_turns(horner(tmp, x, _LOG1P_P), horner(dst, x, _LOG1P_Q))
    return helped(f"Log1p({dst}, {x}, {tmp}, count)", *sums, f"Mul({tmp}, {x}, {tmp})", f"Div({dst}, {tmp}, {dst})")


def _times_a() -> tuple[Call, ...]:
    """dst = dst * a, where that is 0 in float32 below -200. The limit keeps -inf from meeting a 0."""
    return helped("TimesInput(dst, a, tmp, count)", "Maxs(tmp, a, -200)", "Mul(dst, dst, tmp)")


def _tanh_quotient(num: str, den: str, x: str, y: str) -> tuple[str, ...]:
    """num / den = tanh(x) for y = x * x."""
    return (*horner(den, y, _TANH_P), f"Mul({num}, {x}, {den})", *horner(den, y, _TANH_Q))


def _tanh_of_a() -> tuple[Call, ...]:
    """dst = tanh(a), with the numbers of _TANH_SUM: both sums at once, so that they share powers and barriers."""
    n = _TANH_POWERS
    return sequence(
        "Mul(tmp, a, a)", f"Mins(tmp, tmp, {n['LIMIT']})",
        "Mul(tmp2, tmp, tmp)", f"Muls(dst, tmp, {n['P1']})", f"Adds(tmp3, tmp, {n['C']})",
        f"Axpy(dst, tmp2, {n['P2']})", f"Axpy(tmp3, tmp2, {n['Q2']})", "Mul(tmp, tmp, tmp2)",
        f"Axpy(dst, tmp, {n['P3']})", f"Axpy(tmp3, tmp, {n['Q3']})", "Mul(tmp2, tmp2, tmp2)",
        f"Axpy(dst, tmp2, {n['P4']})", f"Axpy(tmp3, tmp2, {n['Q4']})",
        f"Adds(dst, dst, {n['C']})",
        "Mul(dst, dst, a)", "Div(dst, dst, tmp3)", "Mins(dst, dst, 1)", "Maxs(dst, dst, -1)",
    )  # fmt: skip


def _erf_of_a() -> tuple[Call, ...]:
    """dst = erf(a), with the numbers of _ERF_SUM: both sums at once, as in :func:`_tanh_of_a`."""
    n = _ERF_POWERS
    return sequence(
        "Mul(tmp, a, a)", f"Mins(tmp, tmp, {n['LIMIT']})",
        "Mul(tmp2, tmp, tmp)", f"Muls(dst, tmp, {n['P1']})", f"Adds(tmp3, tmp, {n['Q0']})",
        f"Axpy(dst, tmp2, {n['P2']})", f"Axpy(tmp3, tmp2, {n['Q2']})", "Mul(tmp, tmp, tmp2)",
        f"Axpy(dst, tmp, {n['P3']})", f"Axpy(tmp3, tmp, {n['Q3']})", "Mul(tmp, tmp, tmp2)", "Mul(tmp2, tmp2, tmp2)",
        f"Axpy(dst, tmp2, {n['P4']})", f"Axpy(tmp3, tmp2, {n['Q4']})",
        f"Axpy(dst, tmp, {n['P5']})", f"Axpy(tmp3, tmp, {n['Q5']})",
        f"Adds(dst, dst, {n['P0']})",
        "Mul(dst, dst, a)", "Div(dst, dst, tmp3)", "Mins(dst, dst, 1)", "Maxs(dst, dst, -1)",
    )  # fmt: skip


def _gelu_of_a() -> tuple[Call, ...]:
    """dst = relu(a) - |a| * erfc(|a| / sqrt(2)) / 2, with the numbers of _TAIL_SUM."""
    n = _TAIL_POWERS
    return sequence(
        "Abs(tmp, a)", f"Mins(tmp, tmp, {n['LIMIT']})",
        "Mul(tmp3, tmp, tmp)", f"Muls(tmp2, tmp, {n['P1']})", f"Adds(dst, tmp, {n['Q0']})",
        f"Axpy(tmp2, tmp3, {n['P2']})", f"Axpy(dst, tmp3, {n['Q2']})", "Mul(tmp, tmp, tmp3)",
        f"Axpy(tmp2, tmp, {n['P3']})", f"Axpy(dst, tmp, {n['Q3']})", "Mul(tmp, tmp3, tmp3)",
        f"Axpy(tmp2, tmp, {n['P4']})", f"Axpy(dst, tmp, {n['Q4']})", "Muls(tmp3, tmp3, -0.5)",
        "Div(dst, tmp2, dst)", "Exp(tmp3, tmp3)", "Mul(dst, dst, tmp3)", "Relu(tmp2, a)", "Sub(dst, tmp2, dst)",
    )  # fmt: skip


def _tanh(x: str) -> tuple[Call, ...]:
    """dst = tanh(x)."""
    clamped = (f"Mins(dst, {x}, 9)", "Maxs(dst, dst, -9)", "Mul(tmp, dst, dst)")
    calls = (*clamped, *_tanh_quotient("dst", "tmp2", "dst", "tmp"), "Div(dst, dst, tmp2)")
    return helped(f"Tanh(dst, {x}, tmp, tmp2, count)", *calls)


_HALF_EXPM1 = helped(
    "HalfExpm1(dst, a, tmp, tmp2, count)",
    "Muls(dst, a, 0.5)", "Mins(dst, dst, 0)", "Maxs(dst, dst, -9)", "Mul(tmp, dst, dst)",
    *_tanh_quotient("dst", "tmp2", "dst", "tmp"), "Sub(tmp2, tmp2, dst)", "Div(dst, dst, tmp2)",
)  # fmt: skip
"""dst = (e^x - 1) / 2 for x = min(a, 0), as t / (1 - t) with t = tanh(x / 2), which does not cancel at small x."""

_ALL_TENSORS, _TENSOR_SCALAR = "SELMODE::VSEL_TENSOR_TENSOR_MODE", "SELMODE::VSEL_TENSOR_SCALAR_MODE"

_GELU_1, _GELU_3 = 2 * math.sqrt(2 / math.pi), 2 * math.sqrt(2 / math.pi) * 0.044715
_GELU_NUMBERS = Numbers(
    "(1 + tanh(y)) / 2 = 1 / (1 + exp(-2 * y)) with y = sqrt(2 / pi) * (a + 0.044715 * a * a * a):\n"
    "2 * y = a * (G1 + G3 * a * a)",
    {"G1": _GELU_1, "G3": _GELU_3},
)


def _comparison(name: str, cpp: str, mode: str, symbol: str) -> tuple[Operator, Operator]:
    """A comparison of two values, and that of a value with a constant."""

    def compare(np: Any, a: Any, b: Any) -> Any:
        return getattr(np, name)(a, b)

    # CompareScalar is called Compares from CANN 9.0 on; Duplicate and Compare are everywhere.
    with_constant = sequence("Duplicate(tmp, scalar)", f"Compare(dst, a, tmp, CMPMODE::{mode})")
    return (
        Operator(name, cpp, 2, sequence(f"Compare(dst, a, b, CMPMODE::{mode})"), compare, f"{{0}} {symbol} {{1}}",
                 masks=("dst",), instance=f"Comparison<Element, AscendC::CMPMODE::{mode}>"),
        Operator(f"{name}_scalar", f"{cpp}Scalar", 1, with_constant, compare, f"{{0}} {symbol} {{scalar}}",
                 constants=("scalar",), masks=("dst",), turns=lambda scalar: (scalar,),
                 instance=f"ScalarComparison<Element, AscendC::CMPMODE::{mode}>"),
    )  # fmt: skip


def _unequal() -> tuple[Operator, Operator]:
    """Not equal, which is the opposite of equal: on Atlas A2/A3 Compare by NE is false of NaN (annex, edge values of
    vector calls)."""

    def compare(np: Any, a: Any, b: Any) -> Any:
        return np.not_equal(a, b)

    equal = ("Compare(dst, a, tmp, CMPMODE::EQ)", "Not(dst, dst)")
    return (
        Operator("not_equal", "NotEqualTo", 2, sequence("Compare(dst, a, b, CMPMODE::EQ)", "Not(dst, dst)"), compare,
                 "{0} != {1}", masks=("dst",)),
        Operator("not_equal_scalar", "NotEqualToScalar", 1, sequence("Duplicate(tmp, scalar)", *equal), compare,
                 "{0} != {scalar}", constants=("scalar",), masks=("dst",), turns=lambda scalar: (scalar,)),
    )  # fmt: skip


def _rounding(name: str, cpp: str, mode: str, function: str, text: str, **more: Any) -> Operator:
    """A cast of float to float, which rounds to whole numbers; half's are as exact in float."""
    return Operator(name, cpp, 1, sequence(f"Cast(dst, a, RoundMode::{mode})"), lambda np, a: getattr(np, function)(a),
                    f"{text}({{0}})", wide=True, instance=f"Rounding<Element, AscendC::RoundMode::{mode}>",
                    **more)  # fmt: skip


def _and_product(first: Operator) -> tuple[Operator, ...]:
    """The operators that go on from what ``first`` leaves in dst by a call that multiplies and adds."""
    n = first.inputs
    x, y = OPERANDS[n : n + 2]
    value, left, right = f"({first.text})", f"{{{n}}}", f"{{{n + 1}}}"
    return tuple(
        Operator(
            f"{first.name}_{name}", f"{first.cpp}{call.partition('(')[0]}", n + 2 - len(constants),
            (*first.sequence, *sequence(call)), _going_on(first, join, len(constants)), text,
            constants=(*first.constants, *constants), fused=_going_on(first, join, len(constants), wide=True),
        )
        for name, call, text, join, constants in (
            ("axpy", f"Axpy(dst, {x}, alpha)", f"{value} + {left} * {{alpha}}",
             lambda value, x, alpha: value + x * alpha, ("alpha",)),
            ("multiply_add", f"MulAddDst(dst, {x}, {y})", f"{value} + {left} * {right}",
             lambda value, x, y: value + x * y, ()),
            ("fma", f"FusedMulAdd(dst, {x}, {y})", f"{value} * {left} + {right}",
             lambda value, x, y: value * x + y, ()),
        )
    )  # fmt: skip


def _going_on(
    first: Operator, join: Callable[[Any, Any, Any], Any], constants: int, wide: bool = False
) -> Callable[..., Any]:
    """The numpy function of ``first``, and of ``join`` on its result, another input and an input or a constant;
    ``wide`` takes these in float64."""

    def function(np: Any, *given: Any) -> Any:
        inputs = len(given) - len(first.constants) - constants
        own, rest = given[inputs : inputs + len(first.constants)], given[inputs + len(first.constants) :]
        value = first.numpy(np, *given[: first.inputs], *own)
        joined = (value, *given[first.inputs : inputs], *rest)
        return join(*(np.asarray(part).astype(np.float64) for part in joined)) if wide else join(*joined)

    return function


def _sigmoid(np: Any, x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _erf(np: Any, x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _erfc(np: Any, x: Any) -> Any:
    return np.vectorize(math.erfc, otypes=[np.float64])(x)


def _gelu(np: Any, a: Any) -> Any:
    a = np.maximum(a, -1e3)
    return a * _sigmoid(np, a * (_GELU_1 + _GELU_3 * (a * a)))


_ARITHMETIC = (
    Operator("add", "Plus", 2, sequence("Add(dst, a, b)"), lambda np, a, b: np.add(a, b), "{0} + {1}",
             variadic=True, atomic=Atomic.ADD),
    Operator("subtract", "Minus", 2, sequence("Sub(dst, a, b)"), lambda np, a, b: np.subtract(a, b), "{0} - {1}",
             aliases=("sub",)),
    Operator("multiply", "Multiplies", 2, sequence("Mul(dst, a, b)"), lambda np, a, b: np.multiply(a, b), "{0} * {1}",
             variadic=True, aliases=("mul",)),
    Operator("divide", "Divides", 2, sequence("Div(dst, a, b)"), lambda np, a, b: np.divide(a, b), "{0} / {1}",
             aliases=("div",)),
    Operator("maximum", "Maximum", 2, sequence("Max(dst, a, b)"), lambda np, a, b: np.maximum(a, b),
             "fmax({0}, {1})", variadic=True, atomic=Atomic.MAX),
    Operator("minimum", "Minimum", 2, sequence("Min(dst, a, b)"), lambda np, a, b: np.minimum(a, b),
             "fmin({0}, {1})", variadic=True, atomic=Atomic.MIN),
    Operator("fma", "Fma", 3, sequence("Mul(dst, a, b)", "Add(dst, dst, c)"), lambda np, a, b, c: a * b + c,
             "{0} * {1} + {2}"),
    Operator("negative", "Negate", 1, sequence("Muls(dst, a, -1)"), lambda np, a: np.negative(a), "-{0}",
             aliases=("neg",)),
    Operator("absolute", "Absolute", 1, sequence("Abs(dst, a)"), lambda np, a: np.absolute(a), "fabs({0})",
             aliases=("abs",)),
    Operator("square", "Square", 1, sequence("Mul(dst, a, a)"), lambda np, a: np.square(a), "{0} * {0}"),
    # With constants
    Operator("add_scalar", "Adds", 1, sequence("Adds(dst, a, scalar)"), lambda np, a, s: np.add(a, s),
             "{0} + {scalar}", constants=("scalar",)),
    Operator("multiply_scalar", "Muls", 1, sequence("Muls(dst, a, scalar)"), lambda np, a, s: np.multiply(a, s),
             "{0} * {scalar}", constants=("scalar",)),
    Operator("maximum_scalar", "Maxs", 1, sequence("Maxs(dst, a, scalar)"), lambda np, a, s: np.maximum(a, s),
             "fmax({0}, {scalar})", constants=("scalar",)),
    Operator("minimum_scalar", "Mins", 1, sequence("Mins(dst, a, scalar)"), lambda np, a, s: np.minimum(a, s),
             "fmin({0}, {scalar})", constants=("scalar",)),
    Operator("divide_scalar", "Divs", 1, sequence("Duplicate(dst, scalar)", "Div(dst, a, dst)"),
             lambda np, a, s: np.divide(a, s), "{0} / {scalar}", constants=("scalar",)),
    Operator("divide_into_scalar", "RDivs", 1, sequence("Duplicate(dst, scalar)", "Div(dst, dst, a)"),
             lambda np, a, s: np.divide(s, a), "{scalar} / {0}", constants=("scalar",)),
    Operator("axpy", "Axpy", 2, sequence("Muls(dst, a, alpha)", "Add(dst, dst, b)"),
             lambda np, a, b, alpha: a * alpha + b, "{alpha} * {0} + {1}", constants=("alpha",)),
    Operator("clamp", "Clamp", 1, sequence("Maxs(dst, a, low)", "Mins(dst, dst, high)"),
             lambda np, a, low, high: np.minimum(np.maximum(a, low), high),
             "fmin(fmax({0}, {low}), {high})", constants=("low", "high"), aliases=("clip",)),
)  # fmt: skip

_MATH = (
    Operator("sqrt", "Sqrt", 1, sequence("Sqrt(dst, a)"), lambda np, a: np.sqrt(a), "sqrt({0})", ulp=1),
    # The calls Rsqrt and Reciprocal are short of half's precision; their pages advise Sqrt and Div.
    Operator("rsqrt", "Rsqrt", 1, sequence("Sqrt(tmp, a)", "Duplicate(dst, 1)", "Div(dst, dst, tmp)"),
             lambda np, a: 1 / np.sqrt(a), "1 / sqrt({0})", ulp=2),
    Operator("reciprocal", "Reciprocal", 1, sequence("Duplicate(dst, 1)", "Div(dst, dst, a)"),
             lambda np, a: np.divide(a.dtype.type(1), a), "1 / {0}"),
    Operator("exp", "Exp", 1, sequence("Exp(dst, a)"), lambda np, a: np.exp(a), "exp({0})", ulp=2),
    Operator("log", "Log", 1, sequence("Ln(dst, a)"), lambda np, a: np.log(a), "log({0})", ulp=2),
    Operator("expm1", "Expm1", 1,
             # e^x - 1 = tanh(x / 2) * (e^x + 1) does not cancel at small x
             sequence("Muls(dst, a, 0.5)", *_tanh("dst"), "Exp(tmp, a)", "Adds(tmp, tmp, 1)", "Mul(dst, dst, tmp)"),
             lambda np, a: np.expm1(a), "expm1({0})", wide=True, ulp=8),
    Operator("log1p", "Log1p", 1,
             # log(u) + (x - (u - 1)) / u, where u is 1 + x rounded: the quotient is what the rounding lost. Only
             # from -1/2 to 1 that is more than the logarithm's own error.
             sequence("Maxs(tmp, a, -0.5)", "Mins(tmp, tmp, 1)", "Adds(tmp2, tmp, 1)", "Adds(dst, tmp2, -1)",
                      "Sub(tmp, tmp, dst)", "Div(tmp, tmp, tmp2)", "Adds(dst, a, 1)", "Ln(dst, dst)",
                      "Add(dst, dst, tmp)"),
             lambda np, a: np.log1p(a), "log1p({0})", wide=True, ulp=3),
    Operator("erf", "Erf", 1, _erf_of_a(), _erf, "erf({0})", wide=True, ulp=7, numbers=(_ERF_SUM,)),
    # Whole numbers
    _rounding("floor", "Floor", "CAST_FLOOR", "floor", "floor"),
    _rounding("ceil", "Ceil", "CAST_CEIL", "ceil", "ceil"),
    _rounding("round", "Round", "CAST_RINT", "rint", "nearbyint", aliases=("rint",), note="to nearest, ties to even"),
    _rounding("trunc", "Trunc", "CAST_TRUNC", "trunc", "trunc"),
    Operator("sign", "Sign", 1,
             sequence(f"Muls(dst, a, {2.0**100})", f"Maxs(dst, dst, {-(2.0**-49)})", f"Mins(dst, dst, {2.0**-49})",
                      f"Muls(dst, dst, {2.0**49})"),
             lambda np, a: np.sign(a), "({0} > 0 ? 1 : {0} < 0 ? -1 : {0})", wide=True,
             numbers=(_SIGN_NUMBERS,)),
    # With a constant
    Operator("power", "Power", 1, sequence("Ln(dst, a)", "Muls(dst, dst, exponent)", "Exp(dst, dst)"),
             lambda np, a, exponent: np.exp(exponent * np.log(a)), "exp({exponent} * log({0}))",
             constants=("exponent",), wide=True, ulp=210,
             note="exp(exponent * log(x)), NaN below 0; in ops, x ** n makes products of whole exponents"),
)  # fmt: skip

_COMPARISON = (
    *_comparison("greater", "Greater", "GT", ">"),
    *_comparison("greater_equal", "GreaterEqual", "GE", ">="),
    *_comparison("less", "Less", "LT", "<"),
    *_comparison("less_equal", "LessEqual", "LE", "<="),
    *_comparison("equal", "EqualTo", "EQ", "=="),
    *_unequal(),
    Operator("logical_and", "LogicalAnd", 2, sequence("And(dst, a, b)"), lambda np, a, b: np.logical_and(a, b),
             "{0} && {1}", variadic=True, masks=("a", "b", "dst")),
    Operator("logical_or", "LogicalOr", 2, sequence("Or(dst, a, b)"), lambda np, a, b: np.logical_or(a, b),
             "{0} || {1}", variadic=True, masks=("a", "b", "dst")),
    Operator("logical_not", "LogicalNot", 1, sequence("Not(dst, a)"), lambda np, a: np.logical_not(a), "!{0}",
             masks=("a", "dst")),
    Operator("where", "Where", 3, sequence(f"Select(dst, a, b, c, {_ALL_TENSORS})"),
             lambda np, a, b, c: np.where(a, b, c), "{0} ? {1} : {2}", masks=("a",)),
    Operator("where_scalar", "WhereScalar", 2, sequence(f"Select(dst, a, b, scalar, {_TENSOR_SCALAR})"),
             lambda np, a, b, s: np.where(a, b, s), "{0} ? {1} : {scalar}", constants=("scalar",), masks=("a",)),
    Operator("where_scalars", "WhereScalars", 1,
             sequence("Duplicate(dst, one)", f"Select(dst, a, dst, other, {_TENSOR_SCALAR})"),
             lambda np, a, one, other: np.where(a, one, other), "{0} ? {one} : {other}",
             constants=("one", "other"), masks=("a",)),
)  # fmt: skip

_ACTIVATION = (
    # Piecewise linear
    Operator("relu", "Relu", 1, sequence("Relu(dst, a)"), lambda np, a: np.maximum(a, a.dtype.type(0)),
             "fmax({0}, 0)"),
    Operator("relu6", "Relu6", 1, sequence("Maxs(dst, a, 0)", "Mins(dst, dst, 6)"),
             lambda np, a: np.minimum(np.maximum(a, a.dtype.type(0)), a.dtype.type(6)),
             "fmin(fmax({0}, 0), 6)"),
    Operator("hardtanh", "HardTanh", 1, sequence("Maxs(dst, a, -1)", "Mins(dst, dst, 1)"),
             lambda np, a: np.clip(a, a.dtype.type(-1), a.dtype.type(1)), "fmin(fmax({0}, -1), 1)"),
    Operator("add_relu", "AddRelu", 2, sequence("AddRelu(dst, a, b)"),
             lambda np, a, b: np.maximum(a + b, a.dtype.type(0)), "fmax({0} + {1}, 0)"),
    Operator("subtract_relu", "SubRelu", 2, sequence("SubRelu(dst, a, b)"),
             lambda np, a, b: np.maximum(a - b, a.dtype.type(0)), "fmax({0} - {1}, 0)", aliases=("sub_relu",)),
    Operator("leaky_relu", "LeakyRelu", 1, sequence("LeakyRelu(dst, a, slope)"),
             lambda np, a, slope: np.where(a >= 0, a, a * slope), "({0} >= 0 ? {0} : {0} * {slope})",
             constants=("slope",), defaults=(0.01,)),
    Operator("prelu", "Prelu", 2,
             sequence("Mins(tmp, a, 0)", "Mul(tmp, tmp, b)", "Maxs(dst, a, 0)", "Add(dst, dst, tmp)"),
             lambda np, a, b: np.maximum(a, a.dtype.type(0)) + b * np.minimum(a, a.dtype.type(0)),
             "fmax({0}, 0) + {1} * fmin({0}, 0)"),
    Operator("hardsigmoid", "HardSigmoid", 1,
             sequence("Adds(dst, a, 3)", "Maxs(dst, dst, 0)", "Mins(dst, dst, 6)", f"Muls(dst, dst, {1 / 6})"),
             lambda np, a: np.clip(a + 3, 0, 6) / 6, "fmin(fmax({0} + 3, 0), 6) / 6", ulp=2,
             numbers=(_SIXTH,)),
    Operator("hardswish", "HardSwish", 1,
             sequence("Maxs(dst, a, -3)", "Adds(tmp, dst, 3)", "Mins(tmp, tmp, 6)", f"Muls(tmp, tmp, {1 / 6})",
                      "Mul(dst, dst, tmp)"),
             lambda np, a: np.maximum(a, -3) * np.clip(a + 3, 0, 6) / 6,
             "{0} * fmin(fmax({0} + 3, 0), 6) / 6", ulp=3, turns=lambda: (-1.5,),
             numbers=(_SIXTH,)),
    # Smooth
    Operator("sigmoid", "Sigmoid", 1,
             sequence(*_logistic("a")), _sigmoid, "1 / (1 + exp(-{0}))", wide=True, ulp=2),
    Operator("tanh", "Tanh", 1,
             _tanh_of_a(),
             lambda np, a: np.tanh(a), "tanh({0})", wide=True, ulp=6, numbers=(_TANH_SUM,)),
    Operator("silu", "Silu", 1,
             sequence(*_logistic("a"), *_times_a()),
             lambda np, a: np.maximum(a, -1e3) * _sigmoid(np, a), "{0} / (1 + exp(-{0}))", wide=True, ulp=60,
             turns=lambda: (-1.2784645,)),
    Operator("swish", "Swish", 1,
             sequence("Muls(dst, a, beta)", *_logistic("dst"), "Maxs(tmp, a, -3e38)", "Mul(dst, dst, tmp)"),
             lambda np, a, beta: np.maximum(a, -3e38) * _sigmoid(np, beta * a),
             "{0} / (1 + exp(-{beta} * {0}))", constants=("beta",), defaults=(1.0,), wide=True, ulp=180,
             turns=lambda beta: (-1.2784645 / beta,) if beta else (), numbers=(_FINITE,)),
    Operator("gelu_tanh", "GeluTanh", 1,
             sequence("Mul(dst, a, a)", f"Muls(dst, dst, {_GELU_3})", f"Adds(dst, dst, {_GELU_1})", "Mul(dst, dst, a)",
                      *_logistic("dst"), *_times_a()),
             _gelu, f"{{0}} / (1 + exp(-{{0}} * ({_GELU_1} + {_GELU_3} * {{0}} * {{0}})))",
             wide=True, ulp=200, turns=lambda: (-0.7524614,),
             numbers=(_GELU_NUMBERS,), note='the approximation by tanh: ops.gelu(x, approximate="tanh")'),
    Operator("gelu", "Gelu", 1,
             _gelu_of_a(),
             lambda np, a: np.maximum(a, -1e3) * 0.5 * _erfc(np, a * -math.sqrt(0.5)),
             f"0.5 * {{0}} * erfc({{0}} * {-math.sqrt(0.5)})", wide=True, ulp=80, turns=lambda: (-0.7517916,),
             aliases=("gelu_erf",), numbers=(_TAIL_SUM,), note="x times the normal distribution, by erf, as in torch"),
    Operator("quick_gelu", "QuickGelu", 1,
             sequence("Muls(dst, a, 1.702)", *_logistic("dst"), *_times_a()),
             lambda np, a: np.maximum(a, -1e3) * _sigmoid(np, 1.702 * a), "{0} / (1 + exp(-1.702 * {0}))",
             wide=True, ulp=120, turns=lambda: (-0.7511543,), numbers=(_QUICK_NUMBERS,),
             note="x * sigmoid(1.702 * x)"),
    Operator("mish", "Mish", 1,
             # tanh(log(1 + w)) = n / (n + 2) with w = e^x and n = w (w + 2)
             sequence("Mins(dst, a, 9.5)", "Exp(dst, dst)", "Adds(tmp, dst, 2)", "Mul(dst, dst, tmp)",
                      "Adds(tmp, dst, 2)", "Div(dst, dst, tmp)", *_times_a()),
             lambda np, a: np.maximum(a, -1e3) * np.tanh(np.logaddexp(a, 0)),
             "{0} * tanh(log1p(exp({0})))", wide=True, ulp=60, turns=lambda: (-1.1924312,)),
    Operator("softsign", "Softsign", 1,
             sequence("Mins(dst, a, 1e9)", "Maxs(dst, dst, -1e9)", "Abs(tmp, dst)", "Adds(tmp, tmp, 1)",
                      "Div(dst, dst, tmp)"),
             lambda np, a: np.clip(a, -1e300, 1e300) / (1 + np.abs(np.clip(a, -1e300, 1e300))),
             "{0} / (1 + fabs({0}))", wide=True, ulp=2, numbers=(_ONE_BEYOND,), note="x / (1 + |x|)"),
    Operator("softcap", "Softcap", 1,
             # x times what tanh(y) is of y, with y = x / cap: no bits of a small x are lost in the quotient
             sequence("Duplicate(tmp, cap)", "Div(dst, a, tmp)", "Mul(tmp, dst, dst)", "Mins(tmp, tmp, 81)",
                      *helped("TanhQuotient(dst, tmp2, a, tmp, count)", *_tanh_quotient("dst", "tmp2", "a", "tmp")),
                      "Div(dst, dst, tmp2)",
                      "Duplicate(tmp, cap)", "Abs(tmp, tmp)", "Min(dst, dst, tmp)", "Muls(tmp, tmp, -1)",
                      "Max(dst, dst, tmp)"),
             lambda np, a, cap: cap * np.tanh(a / cap), "{cap} * tanh({0} / {cap})", constants=("cap",),
             wide=True, ulp=8, numbers=(_ONE_FROM,), note="cap * tanh(x / cap)"),
    Operator("elu", "Elu", 1,
             sequence(*_HALF_EXPM1,
                      "Muls(dst, dst, 2)", "Muls(dst, dst, alpha)", "Relu(tmp, a)", "Add(dst, dst, tmp)"),
             lambda np, a, alpha: np.maximum(a, 0) + alpha * np.expm1(np.minimum(a, 0)),
             "fmax({0}, 0) + {alpha} * expm1(fmin({0}, 0))",
             constants=("alpha",), defaults=(1.0,), wide=True, ulp=4),
    Operator("selu", "Selu", 1,
             sequence(*_HALF_EXPM1, f"Muls(dst, dst, {2 * _SELU_SCALE * _SELU_ALPHA})", "Relu(tmp, a)",
                      f"Muls(tmp, tmp, {_SELU_SCALE})", "Add(dst, dst, tmp)"),
             lambda np, a: _SELU_SCALE * (np.maximum(a, 0) + _SELU_ALPHA * np.expm1(np.minimum(a, 0))),
             f"{_SELU_SCALE} * (fmax({{0}}, 0) + {_SELU_ALPHA} * expm1(fmin({{0}}, 0)))",
             wide=True, ulp=5, numbers=(_SELU_NUMBERS,)),
    Operator("celu", "Celu", 1,
             # e^y - 1 = tanh(y / 2) * (e^y + 1) does not cancel at small y
             sequence("Duplicate(tmp, alpha)", "Mins(dst, a, 0)", "Div(tmp3, dst, tmp)", "Muls(dst, tmp3, 0.5)",
                      *_tanh("dst"), "Exp(tmp3, tmp3)", "Adds(tmp3, tmp3, 1)", "Mul(dst, dst, tmp3)",
                      "Muls(dst, dst, alpha)", "Relu(tmp, a)", "Add(dst, dst, tmp)"),
             lambda np, a, alpha: np.maximum(a, 0) + alpha * np.expm1(np.minimum(a, 0) / alpha),
             "fmax({0}, 0) + {alpha} * expm1(fmin({0}, 0) / {alpha})",
             constants=("alpha",), defaults=(1.0,), wide=True, ulp=50),
    Operator("softplus", "Softplus", 1,
             # max(x, 0) + log(1 + u) with u = e^-|x|
             sequence("Abs(tmp, a)", "Muls(tmp, tmp, -1)", "Exp(tmp, tmp)",
                      *_log1p("dst", "tmp", "tmp2"), "Relu(tmp, a)", "Add(dst, dst, tmp)"),
             lambda np, a: np.logaddexp(a, 0), "fmax({0}, 0) + log1p(exp(-fabs({0})))",
             wide=True, ulp=5),
)  # fmt: skip

FAMILIES: dict[str, tuple[Operator, ...]] = {
    "arithmetic": _ARITHMETIC, "math": _MATH, "comparison": _COMPARISON, "activation": _ACTIVATION,
}  # fmt: skip
"""The operators of the framework, by the header in ``operations/`` that has them."""

FRAMEWORK = tuple(op for family in FAMILIES.values() for op in family)
"""All operators of the framework."""

FIRST = ("Muls", "Plus", "Minus", "Multiplies")
"""The operators in whose result a call that multiplies and adds may go on, see :func:`_and_product`."""

SUMS_OF_PRODUCTS: dict[str, Operator] = {
    op.cpp: op for first in FRAMEWORK if first.cpp in FIRST for op in _and_product(first)
}
"""Those by their C++ name. They are what ``fast_math`` writes, and not part of the framework: the header of an epilogue
declares those that it uses, as it does the user's own."""

ALL = (*FRAMEWORK, *SUMS_OF_PRODUCTS.values())
"""Every operator."""

OPERATORS: dict[str, Operator] = {op.cpp: op for op in ALL}
"""All operators by their C++ name."""

BY_NAME: dict[str, Operator] = {name: op for op in ALL for name in (op.name, *op.aliases)}
"""All operators by their Python names."""

MEAN = "Mean"
"""The C++ name of the reduction that adds, and takes each core's sum times one over the number of all terms."""

REDUCTIONS: dict[str, str] = {
    "add": "Plus", "max": "Maximum", "min": "Minimum", "mean": MEAN, "sum_of_squares": "Plus", "amax": "Maximum"
}  # fmt: skip
"""What ``ops.row_reduce`` and its like call the reductions, and the names in C++ of what joins the elements."""

FIRST_APPLIED: dict[str, str] = {"sum_of_squares": "square", "amax": "absolute"}
"""The operators that reductions apply to each element first."""


def reduction_name(name: object) -> Any:
    """The C++ name of a reduction that users call ``name``; anything else is left as it is."""
    return REDUCTIONS[name] if isinstance(name, str) and name in REDUCTIONS and name not in FIRST_APPLIED else name
