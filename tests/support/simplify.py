"""Functions to trace, and the comparison of a graph with what passes made of it, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

import evtgen as evt
from evtgen import Acc, Aux, Epilogue, RowVector, Scalar, float32, half, int8, int16, int32, ops
from evtgen.graph.ir import flatten
from evtgen.graph.types import ElementType
from evtgen.nodes import VisitorNode
from evtgen.operators.arrays import Array, dtype
from evtgen.reference import evaluate

Body = Callable[..., Any]

SHAPE = (33, 67)
EDGES = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, 2.5, -2.5, 0.5, 1e-7, -6e-8, 1e-40, 60000.0, -1e38, 127.5)


def traced(body: Body, T: ElementType = half, *, fast_math: bool = False) -> Epilogue:
    """The epilogue of ``body(acc, X, row, alpha)``, a value or a dict of outputs; all parameters are of type ``T``."""

    def function(acc: Any, X: Any, row: Any, alpha: Any) -> Any:
        result = body(acc, X, row, alpha)
        outputs = result if isinstance(result, dict) else {"D": result}
        return {**outputs, "all": (acc + X + row) * alpha}

    kinds: dict[str, Any] = {"acc": Acc, "X": Aux, "row": RowVector, "alpha": Scalar}
    function.__annotations__ = {name: kind[T] for name, kind in kinds.items()}
    return evt.epilogue(name="traced", fast_math=fast_math)(function)


def values(T: ElementType, shape: tuple[int, int], seed: int) -> Array:
    """Values of a type, (M, N): its edges among numbers of all magnitudes, or any bits of an integer."""
    rng = np.random.default_rng(seed)
    if T.kind == "int":
        info = np.iinfo(dtype(T))
        drawn = rng.integers(info.min, info.max, shape, endpoint=True)
        return np.where(rng.random(shape) < 0.5, drawn, rng.integers(0, 9, shape)).astype(dtype(T))
    with np.errstate(over="ignore"):
        drawn = rng.standard_normal(shape) * 2.0 ** rng.integers(-30, 30, shape)
        edges = rng.choice(EDGES, shape)
        choice = rng.random(shape)
        return np.where(choice < 0.4, edges, np.where(choice < 0.7, drawn, np.round(drawn))).astype(dtype(T))


def outputs(epilogue: Epilogue, seed: int = 0, shape: tuple[int, int] = SHAPE) -> dict[str, Array]:
    """The outputs of an epilogue on operands that are the same for every graph of the same parameters."""
    inputs: dict[str, Array] = {}
    acc = None
    for step in flatten(epilogue.root):
        node = step.node
        assert isinstance(node, VisitorNode)
        tensor = node.tensor
        for scalar in node.scalars:
            inputs[scalar.name] = values(scalar.T, (1, 1), seed + 100)
        if tensor is None and not step.inputs:
            acc = values(node.element, shape, seed)
        elif tensor is not None and not tensor.output:
            inputs[tensor.name] = values(tensor.element, tensor.shape.size(*shape), seed + len(tensor.name))
    assert acc is not None
    with np.errstate(all="ignore"):
        return evaluate(epilogue, acc, inputs)


def bits(array: Array) -> Array:
    """An array's bits, with one pattern for all NaN."""
    if array.dtype.kind in "iub":
        return array
    plain = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return np.ascontiguousarray(plain).view(f"u{array.dtype.itemsize}")


def same_bits(one: Epilogue, other: Epilogue, seed: int = 0) -> bool:
    """Whether two epilogues have the same outputs, bit for bit."""
    a, b = outputs(one, seed), outputs(other, seed)
    return a.keys() == b.keys() and all(np.array_equal(bits(a[name]), bits(b[name])) for name in a)


_NUMBERS = {
    "float": (0, 0.0, -0.0, 1, -1, 1.0, 2.0, 4, 0.5, 0.1, -3.0, 6, 65504.0),
    "int": (0, 1, -1, 2, 5, -7, 30000),
}
_UNARY = ("absolute", "square", "relu", "relu6", "hardtanh", "exp", "sigmoid", "floor", "round", "trunc")
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum")


@st.composite
def bodies(draw: Any, T: ElementType = half) -> Body:
    """Random functions made of what the passes look for: constants that change little, casts, limits, repeats."""
    numbers = _NUMBERS[T.kind]
    steps = draw(st.lists(st.tuples(st.integers(0, 10), *[st.integers(0, 1000)] * 3), min_size=2, max_size=9))

    def body(acc: Any, X: Any, row: Any, alpha: Any) -> Any:
        made: dict[str, list[Any]] = {T.name: [acc, X, row]}

        def one(which: int, name: str = T.name) -> Any:
            # The newest values are chosen more often: chains are what is looked for.
            return made[name][-1 - which % min(len(made[name]), 1 + which % 5)]

        for kind, a, b, c in steps:
            x, number = one(a), numbers[b % len(numbers)]
            made[T.name].append(_step(T, kind, x, one(c), number, a, alpha))
        return {f"D{i}": value for i, value in enumerate(made[T.name][-2:])}

    return body


def _step(T: ElementType, kind: int, x: Any, y: Any, number: Any, which: int, alpha: Any) -> Any:
    fractions: tuple[Callable[[], Any], ...] = (
        lambda: getattr(ops, _UNARY[which % len(_UNARY)])(x),
        lambda: _there_and_back(T, x, which),
        lambda: _choice(x, y, number, which),
        lambda: x / number if number else x * alpha,
    )
    ways: tuple[Callable[[], Any], ...] = (
        lambda: x + number,
        lambda: x * number,
        lambda: x * alpha,
        lambda: -x,
        lambda: ops.maximum(x, number),
        lambda: ops.minimum(x, number),
        lambda: getattr(ops, _BINARY[which % len(_BINARY)])(x, y),
        *(fractions if T.kind == "float" else ()),
    )
    return ways[kind % len(ways)]()


def _choice(x: Any, y: Any, number: Any, which: int) -> Any:
    mask = ~(x > number) if which % 2 else x <= y
    return ops.where(~mask, x, y) if which % 3 else ops.where(~~mask, x, number)


def _there_and_back(T: ElementType, x: Any, which: int) -> Any:
    """Casts that end where they began, with and without a rounding between."""
    ways: Sequence[Callable[[], Any]] = (
        (lambda: x.cast(float32).cast(half)) if half == T else (lambda: x.cast(half).cast(float32)),
        lambda: ops.round(x).cast(int8).cast(half).cast(T),
        lambda: ops.floor(x).cast(int32).cast(float32).cast(T),
        lambda: x.cast(int16).cast(half).cast(T),
    )
    return ways[which % len(ways)]()
