"""The functions of numpy and torch that values take: each exists there and means the same, and the others are told."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import evtgen
from evtgen import Acc, Aux, ColVector, EvtgenError, RowVector, float32, int32
from evtgen.diagnostics.aliases import OPERATORS
from evtgen.frontend.libraries import FUNCTIONS, MEANT
from evtgen.frontend.protocols import unknown
from evtgen.operators.arrays import Array
from evtgen.operators.table import BY_NAME
from evtgen.reference import read

from ..support.optional import torch

epilogue: Any = evtgen.epilogue

RNG = np.random.default_rng(6)
X, Y, Z = RNG.normal(size=(3, 4, 5)) * 2
ROWS = np.array([[2], [0], [3], [1]], np.int32)

Case = Callable[[Callable[..., Any], SimpleNamespace], Any]
"""A call of a function, of values of a traced function, or of arrays."""

UNARY: list[Case] = [lambda f, o: f(o.x)]
BINARY: list[Case] = [lambda f, o: f(o.x, o.y)]
COMPARED: list[Case] = [lambda f, o: o.chosen(f(o.x, o.y), o.x, o.y)]

CASES: dict[str, list[Case]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum", "rsub"), BINARY),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"), COMPARED),
    **{key: [lambda f, o: f(o.x, 1)] for key in ("softmax", "log_softmax")},
    **{
        key: [lambda f, o: o.x - o.along(f, o.x, 1), lambda f, o: o.x * f(o.x)]
        for key in ("sum", "mean", "amax", "amin")
    },
    **{key: [lambda f, o: o.x * f(o.x)] for key in ("max", "min")},
    **{key: [lambda f, o: o.chosen(f(o.x > 0, o.y > 0), o.x, o.y)] for key in ("logical_and", "logical_or")},
    "logsumexp": [lambda f, o: o.x - o.along(f, o.x, 1)],
    "logical_not": [lambda f, o: o.chosen(f(o.x > 0), o.x, o.y)],
    "where": [lambda f, o: f(o.x > 0, o.x, o.y), lambda f, o: f(o.x > 0, o.x, -1.0)],
    "prelu": [lambda f, o: f(o.x, o.row) + o.y],
    "masked_fill": [lambda f, o: f(o.x, o.y > 0, 0.5)],
    "power": [lambda f, o: f(o.x, 3), lambda f, o: f(o.x, -0.5), lambda f, o: f(o.x, 1.3)],
    "clamp": [lambda f, o: f(o.x, -0.5, 1.0)],
    "addcmul": [lambda f, o: f(o.x, o.y, o.z), lambda f, o: f(o.x, o.y, o.z, value=0.5)],
    "addcdiv": [lambda f, o: f(o.x, o.y, o.z, value=0.5)],
    "hardtanh": [*UNARY, lambda f, o: f(o.x, -2.0, 0.5)],
    "leaky_relu": [*UNARY, lambda f, o: f(o.x, 0.2)],
    **{key: [*UNARY, lambda f, o: f(o.x, 1.5)] for key in ("elu", "celu")},
    "softplus": [*UNARY, lambda f, o: f(o.x, beta=2.0)],
    "gelu": [*UNARY, lambda f, o: f(o.x, approximate="tanh")],
    "threshold": [lambda f, o: f(o.x, 0.5, -1.0)],
    "dropout": [lambda f, o: f(o.x, 0.5, False)],
    "rms_norm": [lambda f, o: f(o.x, (5,), eps=1e-3)],
    "layer_norm": [lambda f, o: f(o.x, (5,))],
    "transpose": [lambda f, o: o.turn(f, o.x)],
    "gather": [lambda f, o: o.take(f, o.y, o.rows) + o.x],
}
"""How each function is called, by its name in the table; one that is not here takes a value alone."""

NEW_IN_NUMPY_2 = ("pow", "matrix_transpose", "permute_dims", "astype")
"""Names of numpy that its first versions lack."""

WITH_ALPHA = [lambda f, o: f(o.x, o.y, alpha=0.5)]


def spelled() -> Iterator[tuple[str, str, str]]:
    """(column, name in that library, name in the table)."""
    for name, names in FUNCTIONS.items():
        for column in ("numpy", "torch", "functional", "special", "methods"):
            for one in getattr(names, column).split():
                yield column, one, name


def library(column: str) -> Any:
    """The namespace whose names are in a column."""
    if column == "numpy":
        return np
    torch_ = torch()
    return {"torch": torch_, "functional": torch_.nn.functional, "special": torch_.special, "methods": torch_.Tensor}[
        column
    ]


def function(column: str, name: str) -> Callable[..., Any]:
    """A function of a library; as a method, one that asks its first argument for it."""
    if column == "methods":
        assert hasattr(library(column), name)
        return lambda x, *more, **named: getattr(x, name)(*more, **named)
    if column == "numpy" and name in NEW_IN_NUMPY_2 and not hasattr(np, name):
        pytest.skip(f"numpy {np.__version__} has no {name}")
    found: Callable[..., Any] = getattr(library(column), name)
    return found


def environment(column: str, name: str, x: Any, y: Any, z: Any, row: Any, rows: Any, where: Any) -> SimpleNamespace:
    """The operands of a call, and what a library calls the arguments that others call otherwise."""
    is_numpy = column == "numpy"
    axis = {"axis": 1, "keepdims": True} if is_numpy else {"dim": 1, "keepdim": True}
    axes = {
        "swapaxes": (0, 1), "swapdims": (0, 1), "permute": ((1, 0),), "permute_dims": ((1, 0),),
        "transpose": () if is_numpy else (0, 1),
    }.get(name, ())  # fmt: skip
    return SimpleNamespace(
        x=x, y=y, z=z, row=row, rows=rows, chosen=where, along=lambda f, v, _: f(v, **axis), turn=lambda f, v: f(v,
        *axes),
        take=lambda f, v, i: f(v, i, axis=0) if is_numpy else f(v, 0, i),
    )  # fmt: skip


def traced(case: Case, column: str, name: str, f: Callable[..., Any]) -> Array:
    """What the epilogue means that calls a function on values."""

    @epilogue
    def spec(
        acc: Acc[float32], y: Aux[float32], z: Aux[float32], row: RowVector[float32], rows: ColVector[int32]
    ) -> Any:
        given = environment(column, name, acc, y, z, row, rows, evtgen.ops.where)
        return {"D": case(f, given), "E": y + z + row, "F": evtgen.ops.gather(y, rows=rows), "G": acc}

    inputs = {"y": Y.astype(np.float32), "z": Z.astype(np.float32), "row": Y[:1].astype(np.float32), "rows": ROWS}
    product = X.astype(np.float32)
    with np.errstate(all="ignore"):
        for reading in read(spec, product, inputs, product.astype(np.float64)):
            node = reading.node
            if node.writes and node.tensor is not None and node.tensor.name == "D":
                assert reading.formula is not None
                return reading.formula.T if node.tensor.by_columns else reading.formula
    raise AssertionError


def own(case: Case, column: str, name: str, f: Callable[..., Any]) -> Array:
    """What the library's own function gives on its arrays."""
    arrays: list[Any] = [a.astype(np.float32).astype(np.float64) for a in (X, Y, Z)]
    rows: Any = ROWS[:, 0]
    where: Any = np.where
    if column != "numpy":
        arrays, rows, where = [*map(torch().from_numpy, arrays)], torch().from_numpy(rows), torch().where
    x, y, z = arrays
    with np.errstate(all="ignore"):
        return np.asarray(case(f, environment(column, name, x, y, z, y[0], rows, where)))


@pytest.mark.parametrize(("column", "name", "meant"), [one for one in spelled() if one[2] != "to"], ids=str)
def test_a_function_of_a_library_means_the_same_on_values(column: str, name: str, meant: str) -> None:
    f = function(column, name)
    cases = CASES.get(meant, UNARY)
    if meant in ("add", "subtract", "rsub") and column != "numpy":
        cases = [*cases, *WITH_ALPHA]
    if meant == "power" and name == "float_power" and column != "numpy":
        cases = cases[:1]
    for case in cases:
        np.testing.assert_allclose(traced(case, column, name, f), own(case, column, name, f), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS["to"].methods.split())
def test_casts_of_tensors(name: str) -> None:
    types = {"to": (torch().float16,), "type": (torch().int8,), "type_as": (torch().ones(1, dtype=torch().int16),)}
    given = types.get(name, ())

    @epilogue(auto_cast=True)
    def spec(acc: Acc[float32], i: Aux[evtgen.int16]) -> Any:
        cast = getattr(acc, name)(*([i] if name == "type_as" else given))
        return {"D": cast.cast(float32), "E": i}

    x = torch().from_numpy(X.astype(np.float32)) * (1 if name == "byte" else 10)
    x = x.abs()
    expected = getattr(x, name)(*given).to(torch().float32).numpy()
    inputs = {"i": np.ones((4, 5), np.int16)}
    found = {
        reading.node.tensor.name: reading.stepwise.value
        for reading in read(spec, x.numpy(), inputs)
        if reading.node.writes and reading.node.tensor is not None
    }
    np.testing.assert_array_equal(found["D"], expected)


def test_numpy_casts() -> None:
    astype: Any = getattr(np, "astype", None) or (lambda x, T: x.astype(T))

    @epilogue
    def spec(acc: Acc[float32]) -> Any:
        return {"D": acc.astype(np.int8), "E": acc.astype("float16"), "F": astype(acc, np.int32)}

    found = {
        reading.node.tensor.name: reading.stepwise.value
        for reading in read(spec, X.astype(np.float32), {})
        if reading.node.writes and reading.node.tensor is not None
    }
    for name, T in {"D": np.int8, "E": np.float16, "F": np.int32}.items():
        np.testing.assert_array_equal(found[name], X.astype(np.float32).astype(T))


def test_every_operator_that_a_library_has_is_in_the_table() -> None:
    for name in BY_NAME:
        for library_, namespace in (("np", np), ("torch", torch()), ("torch", torch().nn.functional)):
            if hasattr(namespace, name) and (library_, name) != ("torch", "equal"):
                assert name in MEANT[library_], (library_, name)


def elementwise() -> Iterator[tuple[str, str]]:
    """The functions of numpy and torch that values are asked for, and that give an array as large as what they take."""
    overrides: Any = pytest.importorskip("numpy.testing.overrides", reason="needs numpy 1.25")

    ones: Any = np.full((4, 5), 0.5)
    for ufunc in overrides.get_overridable_numpy_ufuncs():
        if hasattr(np, ufunc.__name__):
            yield "np", ufunc.__name__
    for f in overrides.get_overridable_numpy_array_functions():
        own = getattr(f, "__name__", "")
        if vars(np).get(own) is f and fits(f, ones, lambda r: isinstance(r, np.ndarray)):
            yield "np", own
    tensor = torch().full((4, 5), 0.5)
    overridable = torch().overrides.get_overridable_functions()
    for namespace in (torch(), torch().nn.functional, torch().special):
        for f in overridable[namespace]:
            name = getattr(f, "__name__", "_")
            if not name.startswith("_") and fits(f, tensor, lambda r: torch().is_tensor(r)):
                yield "torch", name


SKIPPED = ("save", "savez", "savez_compressed", "savetxt", "copyto", "put", "place", "putmask", "fill_diagonal")
"""Functions that write somewhere."""


def fits(f: Any, array: Any, is_array: Callable[[Any], bool]) -> bool:
    """Whether a function gives an array of 4 x 5 of some of those."""
    if f.__name__ in SKIPPED:
        return False
    for more in ((), (array,), (array, array), (2,), (0.5, 0.7), (1,)):
        try:
            result = f(array, *more)
        except Exception:
            continue
        if is_array(result) and tuple(result.shape) in ((4, 5), (5, 4)):
            return True
    return False


def test_what_would_fit_an_operator_is_mapped_or_says_what_to_write() -> None:
    torch()
    missing = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        names = sorted({*elementwise()})
    assert len(names) > 300
    for library_, name in names:
        plain = name.removeprefix("special_")
        if plain in MEANT[library_]:
            continue
        in_place = plain.endswith("_") and plain[:-1] in MEANT[library_]
        if not (in_place or plain in OPERATORS or (library_, plain) == ("torch", "equal")):
            missing.append(f"{library_}.{name}")
        assert "evtgen ops" not in str(unknown(f"{library_}.{plain}", plain).diagnostics[0].help), name
    assert missing == []


def test_a_value_is_refused_by_what_is_not_mapped() -> None:
    with pytest.raises(EvtgenError) as caught:

        @epilogue
        def spec(acc: Acc[float32]) -> Any:
            return {"D": torch().special.erfinv(acc)}

    assert "evt.operator" in str(caught.value.diagnostics[0].help)
