"""Suggestions: misspellings and curated aliases, never a word that only looks alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from evtgen.diagnostics import aliases
from evtgen.diagnostics.suggestions import nearest, suggest
from evtgen.frontend.functions import names
from evtgen.graph.types import ELEMENT_TYPES, LAYOUTS
from evtgen.operators.table import BY_NAME, REDUCTIONS
from evtgen.targets import ARCHITECTURES

from ..support.said import named

OPS = names()


def said(help: str | None, known: Iterable[str]) -> list[str]:
    """The known names in a help, in their order; the command that lists them is none."""
    return [word for word in re.findall(r"\w+", (help or "").replace("evtgen ops", "")) if word in known]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("epx", "exp"), ("multply", "multiply"), ("mutliply", "multiply"), ("Relu", "relu"), ("sigmod", "sigmoid"),
        ("maximun", "maximum"), ("tahn", "tanh"), ("softpuls", "softplus"), ("hardsigmod", "hardsigmoid"),
        ("gleu", "gelu"), ("relo", None),
    ],
)  # fmt: skip
def test_misspellings(written: str, meant: str | None) -> None:
    assert nearest(written, OPS) == meant


@pytest.mark.parametrize(
    "written",
    ["multiply_add", "cast", "log1p", "log2", "expm1", "sum", "mean", "selu", "celu", "mish",
     "erf", "softsign", "ror", "x", ""],
)  # fmt: skip
def test_words_that_only_look_alike(written: str) -> None:
    known = [name for name in OPS if name != written]
    assert nearest(written, known) is None


def test_digits_are_no_misspellings() -> None:
    assert nearest("Ascend910B", ARCHITECTURES) is None
    assert nearest("int31", ELEMENT_TYPES) is None
    assert nearest("relu7", OPS) is None
    assert nearest("rleu6", OPS) == "relu6"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("multiply_add", "fma"), ("SubOp", "subtract"), ("Mul3", "multiply"), ("hard_swish", "hardswish"),
        ("GeluErf", "gelu"), ("astype", "cast"),
    ],
)  # fmt: skip
def test_aliases_of_operators(written: str, meant: str) -> None:
    assert said(suggest(written, OPS, aliases.OPERATORS), OPS) == [meant]


def test_what_has_no_operator_is_said_to_have_none() -> None:
    for written in ("erfc", "cos", "sin", "tan"):
        assert suggest(written, OPS, aliases.OPERATORS) == aliases.OPERATORS[written]


def test_aliases_of_other_things() -> None:
    known = ["add", "max", "min"]
    assert said(suggest("mean", known, aliases.REDUCTIONS), known) == known
    for written, meant, names_of, table in (
        ("sum", "add", REDUCTIONS, aliases.REDUCTIONS), ("float16", "half", ELEMENT_TYPES, aliases.TYPES),
        ("ColMajor", "ColumnMajor", LAYOUTS, aliases.EXPORTS), ("row_major", "RowMajor", LAYOUTS, aliases.EXPORTS),
        ("Ascend910B", "AtlasA2", ARCHITECTURES, aliases.ARCHITECTURES), ("Row", "RowMajor", LAYOUTS, aliases.LAYOUTS),
    ):  # fmt: skip
        assert said(suggest(written, names_of, table), names_of)[-1:] == [meant]
    assert suggest("double", ELEMENT_TYPES, aliases.TYPES) == aliases.TYPES["double"]


def test_of_many_names_those_that_share_a_word_are_shown() -> None:
    related = {"cumsum": 0, "einsum": 0, "": 0, "gather_nd": 1, "scalar_multiply": 12}
    for written, count in related.items():
        help = suggest(written, OPS, {}, "evtgen ops")
        assert named(help, f"evtgen ops … {len(OPS)}") and len(said(help, OPS)) == count
    assert said(suggest("gather_nd", OPS, {}, "evtgen ops"), OPS) == ["gather"]
    assert said(suggest("scalar_multiply", OPS, {}, "evtgen ops"), OPS)[0] == "multiply_scalar"
    assert said(suggest("PlusThree", ["Plus", "AddRelu"], {}, "all"), ["Plus", "AddRelu"]) == ["Plus"]
    assert said(suggest("multply", OPS, {}, "evtgen ops"), OPS) == ["multiply"]


def test_nothing_known_is_nothing_said() -> None:
    assert suggest("scalar", []) is None
    assert suggest("scalar", [], {}) is None


@pytest.mark.parametrize(
    ("table", "known"),
    [
        (aliases.OPERATORS, OPS), (aliases.TYPES, ELEMENT_TYPES), (aliases.ARCHITECTURES, ARCHITECTURES),
        (aliases.LAYOUTS, LAYOUTS), (aliases.REDUCTIONS, REDUCTIONS),
    ],
    ids=["operators", "types", "architectures", "layouts", "reductions"],
)  # fmt: skip
def test_tables(table: dict[str, str], known: dict[str, object]) -> None:
    """A key is in lower case and no name of evtgen's; what it maps to is one, or a sentence."""
    for name, meant in table.items():
        assert name == name.lower() and name not in known
        assert meant in known or " " in meant, (name, meant)


def test_every_spelling_of_an_operator_finds_it() -> None:
    for name, operator in BY_NAME.items():
        assert nearest(name.upper(), OPS) == name
        assert said(suggest(operator.name, OPS, aliases.OPERATORS), OPS) == [operator.name]
