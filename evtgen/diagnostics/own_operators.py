"""The code of a user's own operators."""

from __future__ import annotations

from .table import declare

OPERATOR = declare(
    "EVT014",
    "An operator's declaration is wrong",
    """`evt.operator(name, calls, numpy)` declares an operator of your own. Its calls are AscendC's from tensor to
    tensor; each reads inputs (`a` to `d`), constants and results of earlier calls, and writes `dst` or a scratch tile
    (`tmp`, `tmp2`, …), never an input. Its numpy function takes `np`, the inputs and the constants, and returns an
    array of the inputs' shape.""",
    says={
        "name": ("operator {operator!r}: its name is not an identifier", None),
        "functor": ("operator {operator!r}: {cpp!r} cannot name a functor in C++", 'give it another name: cpp="…"'),
        "taken": ("operator {operator!r}: {cpp} is evtgen's own", 'give it another name: cpp="…"'),
        "calls": ("operator {operator!r}: its calls must be a list of strings", '["Abs(tmp, a)", "Adds(dst, tmp, 1)"]'),
        "constants": (
            "operator {operator!r}: its constants and their defaults must be tuples, without a name twice",
            'constants=("alpha",), defaults=(1.0,)',
        ),
        "constant": (
            "operator {operator!r}: {name!r} cannot name a constant: tensors, the functor or C++ have it",
            'constants=("alpha",)',
        ),
        "defaults": (
            "operator {operator!r}: the number of its constants is {constants}, but that of their defaults {defaults}",
            None,
        ),
        "default": ("operator {operator!r}: its defaults must be finite numbers", "defaults=(1.0,)"),
        "ulp": ("operator {operator!r}: ulp must be a whole number of at least 0, not {ulp!r}", None),
        "call": (
            "operator {operator!r}: its calls must be written like those of AscendC",
            "for example Adds(tmp, a, 1)",
        ),
        "no dst": ("operator {operator!r}: no call writes dst", None),
        "unused": ("operator {operator!r}: no call uses the constant {name}", None),
        "inputs": ("operator {operator!r}: its inputs must be a, then b, c and d, without a gap", None),
        "raises": ("operator {operator!r}: its numpy function raises {error}: {words}", None),
        "elements": ("operator {operator!r}: its numpy function does not give one number for each element", None),
        "golden": (
            "operator {operator!r}: golden must be a C++ expression in {names}",
            "write {{{{ for a brace of C++",
        ),
        "turns raises": ("operator {operator!r}: turns raises {error}: {words}", "turns=lambda: (-1.5,)"),
        "turns": ("operator {operator!r}: turns must give finite numbers", "turns=lambda: (-1.5,)"),
        "unknown": ("operator {operator!r}: an operator cannot call {call}", None),
        "Rsqrt": (
            "operator {operator!r}: an operator cannot call Rsqrt",
            "Sqrt, Duplicate(…, 1) and Div are as precise as half; Rsqrt is not",
        ),
        "Reciprocal": (
            "operator {operator!r}: an operator cannot call Reciprocal",
            "Duplicate(…, 1) and Div are as precise as half; Reciprocal is not",
        ),
        "arguments": ("operator {operator!r}: {call} must have {takes} arguments; evtgen adds the count", None),
        "float32": ("operator {operator!r}: {call} has a number that float32 does not hold", None),
        "scalar": ("operator {operator!r}: {call} must have a number or a constant in place of {arg}", None),
        "tensor": (
            "operator {operator!r}: {call} must have a tensor in place of {arg}: an input, tmp, tmp2, … or dst",
            None,
        ),
        "names": ("operator {operator!r}: {call} names {arg}", "tensors are a, b, c, d, dst, tmp, tmp2, …"),
        "writes": (
            "operator {operator!r}: {call} writes {arg}",
            "a call writes dst, tmp, tmp2, …; inputs are others', too",
        ),
        "reads": ("operator {operator!r}: {call} reads {arg}, which no call before it has written", None),
    },
)
