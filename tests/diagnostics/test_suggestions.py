"""Suggestions: misspellings and curated aliases, never a word that only looks alike."""

from __future__ import annotations

import pytest

from evtgen.diagnostics import aliases
from evtgen.diagnostics.suggestions import nearest, suggest
from evtgen.frontend.functions import names
from evtgen.graph.types import ELEMENT_TYPES, LAYOUTS
from evtgen.operators.table import BY_NAME, REDUCTIONS
from evtgen.targets import ARCHITECTURES

OPS = names()


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
    ("written", "help"),
    [
        ("multiply_add", "did you mean fma?"), ("SubOp", "did you mean subtract?"), ("Mul3", "did you mean multiply?"),
        ("hard_swish", "did you mean hardswish?"), ("GeluErf", "did you mean gelu?"), ("astype", "did you mean cast?"),
    ],
)  # fmt: skip
def test_aliases_of_operators(written: str, help: str) -> None:
    assert suggest(written, OPS, aliases.OPERATORS) == help


def test_what_has_no_operator_is_said_to_have_none() -> None:
    for written in ("erf", "cos", "sin", "tan"):
        help = suggest(written, OPS, aliases.OPERATORS)
        assert help is not None and help.startswith("there is no operator for it")
        assert "did you mean" not in help


def test_aliases_of_other_things() -> None:
    assert suggest("mean", ["add", "max", "min"], aliases.REDUCTIONS) == "known are add, max, min"
    assert suggest("sum", REDUCTIONS, aliases.REDUCTIONS) == "did you mean add?"
    assert suggest("Ascend910B", ARCHITECTURES, aliases.ARCHITECTURES) == "did you mean AtlasA2?"
    assert suggest("float16", ELEMENT_TYPES, aliases.TYPES) == "did you mean half?"
    assert suggest("double", ELEMENT_TYPES, aliases.TYPES) == aliases.TYPES["double"]
    assert suggest("Row", LAYOUTS, aliases.LAYOUTS) == "did you mean RowMajor?"


def test_of_many_names_those_that_share_a_word_are_shown() -> None:
    rest = f"evtgen ops lists all {len(OPS)} names"
    for written in ("topk", "einsum", ""):
        assert suggest(written, OPS, {}, "evtgen ops") == rest
    assert suggest("gather_nd", OPS, {}, "evtgen ops") == f"related are gather; {rest}"
    related, _, end = (suggest("scalar_multiply", OPS, {}, "evtgen ops") or "").partition("; ")
    assert end == rest and related.startswith("related are multiply_scalar, ") and related.count(",") == 11
    assert suggest("PlusThree", ["Plus", "AddRelu"], {}, "all") == "related are Plus; all lists all 2 names"
    assert suggest("multply", OPS, {}, "evtgen ops") == "did you mean multiply?"


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
        assert suggest(operator.name, OPS, aliases.OPERATORS) == f"did you mean {operator.name}?"
