"""The CPU model's tables (``device/machine/*.def``), read from the lines that its C++ includes.

They hold the facts on which evtgen and the model must agree: the AscendC calls, and for each architecture the sizes,
the element types per call and the casts. A line that does not follow the description at the top of its file is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TypeVar

MACHINE = Path(__file__).parent.parent / "device" / "machine"
"""The directory of the tables."""

SHAPES = {
    "Unary": ("a",),
    "Binary": ("a", "b"),
    "Scalar": ("a", "s"),
    "Flexible": ("a", "s"),
    "Function": ("a",),
    "Fill": ("s",),
    "Move": ("a",),
    "Accumulate": ("dst", "a", "b"),
    "AccumulateScalar": ("dst", "a", "s"),
}
"""The operands that a call of each shape reads: tensors ``a`` and ``b``, a number ``s``, its destination ``dst``."""

DOMAINS = ("Numbers", "Floats", "Integers", "Bits", "Bytes")
PRICES = ("Simple", "Iterates")
OFFS = ("Exact", "Ulp", "Quotient", "Short")
PRICED_TOO = ("Cast", "DataCopy")
"""Vector instructions that have a price and are not in ``calls.def``."""

ELEMENTS = ("I4", "I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64", "F16", "BF16", "F32", "F64",
            "F8E4M3", "F8E5M2", "F4E2M1")  # fmt: skip
MODES = ("CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD")

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_LINE = re.compile(r"(EVT_\w+)\((.*)\)")
_ARITH = re.compile(r"(\w+), (\w+), (\w+), (\w+), (\w+), (.+)")
_COST = re.compile(r'(\w+), (\d+), "([^"]+)"')
_PRICE = re.compile(r'(\w+), (\d+), (\d+), "([^"]+)"')
_NUMBER = re.compile(r"\d+( [*+] \d+)*")


@dataclass(frozen=True)
class TensorCall:
    """An AscendC call from elements to elements.

    Attributes:
        name: AscendC's name.
        shape: its operands, a key of :data:`SHAPES`.
        domain: the kind of element that it computes with, one of :data:`DOMAINS`.
        iterates: whether it flushes subnormals where the architecture does.
        off: how far a float may be off on a device, one of :data:`OFFS`.
    """

    name: str
    shape: str
    domain: str
    iterates: bool
    off: str

    @cached_property
    def sources(self) -> int:
        """How many arguments follow the destination; the count is not one."""
        return len(SHAPES[self.shape]) - self.reads_destination

    @property
    def takes_scalar(self) -> bool:
        """Whether its last source is a number."""
        return "s" in SHAPES[self.shape]

    @property
    def reads_destination(self) -> bool:
        return "dst" in SHAPES[self.shape]


@dataclass(frozen=True)
class Table:
    """One file of ``targets/``, in the model's words.

    Attributes:
        name: Catlass's tag, ``Arch::<name>``.
        number: the value of ``CATLASS_ARCH``.
        sizes: bytes of each memory of a core.
        facts: the fields of the model's ``ArchSpec`` that are one number each.
        takes: element types (:data:`ELEMENTS`) of each call.
        counted: more of them, of the form that takes a count alone.
        atomics: those of atomic stores.
        casts: round modes (:data:`MODES`) of each pair of source and destination.
        costs: value and source of each field of the model's ``Costs``.
        prices: of vector instructions by their call: cycles of their own, hundredths of a cycle per repeat, source.
    """

    name: str
    number: int
    sizes: dict[str, int] = field(default_factory=dict)
    facts: dict[str, int] = field(default_factory=dict)
    takes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    counted: dict[str, tuple[str, ...]] = field(default_factory=dict)
    atomics: tuple[str, ...] = ()
    casts: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    costs: dict[str, tuple[int, str]] = field(default_factory=dict)
    prices: dict[str, tuple[int, int, str]] = field(default_factory=dict)


class _Wrong(Exception):
    """A fault in a line."""


def read_calls(path: Path = MACHINE / "calls.def") -> tuple[dict[str, TensorCall], frozenset[str]]:
    """The calls from elements to elements by name, and the names of all calls.

    Raises ValueError, with the place of the line, if a line is not as it must be.
    """
    calls: dict[str, TensorCall] = {}
    names: set[str] = set()
    for place, macro, text in _lines(path):
        try:
            if macro == "EVT_ARITH":
                call = _tensor_call(text)
                name = call.name
                calls[name] = call
            elif macro == "EVT_CALL" and re.fullmatch(r"\w+", text):
                name = text
            else:
                raise _Wrong("neither EVT_ARITH nor EVT_CALL with a name")
            if name in names:
                raise _Wrong(f"{name} is there already")
        except _Wrong as wrong:
            raise ValueError(f"{place}: {wrong}") from None
        names.add(name)
    return calls, frozenset(names)


def read_table(path: Path, calls: frozenset[str]) -> Table:
    """The architecture that a file describes; ``calls`` are the names of calls that it may use.

    Raises ValueError, with the place of the line, if a line is wrong.
    """
    table: Table | None = None
    ended = False
    place = str(path)
    for place, macro, text in _lines(path):
        try:
            if ended or (table is None) != (macro == "EVT_ARCH"):
                raise _Wrong("EVT_ARCH is the first line and EVT_ARCH_END the last")
            if table is None:
                name, number = _split(text, 2)
                table = Table(name, _number(number))
            elif macro == "EVT_ARCH_END":
                ended = True
            else:
                table = _add(table, macro, text, calls)
        except _Wrong as wrong:
            raise ValueError(f"{place}: {wrong}") from None
    if table is None or not ended:
        raise ValueError(f"{place}: the file ends without EVT_ARCH_END")
    return table


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    """Place, macro and arguments of each line that is neither empty nor a comment."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("//"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{path}:{number}: not a line of the form EVT_NAME(...)")
        yield f"{path}:{number}", match[1], match[2]


def _tensor_call(text: str) -> TensorCall:
    match = _ARITH.fullmatch(text)
    if match is None:
        raise _Wrong("not of the form EVT_ARITH(name, shape, domain, price, off, value)")
    name, shape, domain, price, off, _value = match.groups()
    for word, known in ((shape, SHAPES), (domain, DOMAINS), (price, PRICES), (off, OFFS)):
        _known(word, known)
    return TensorCall(name, shape, domain, price == "Iterates", off)


def _add(table: Table, macro: str, text: str, calls: frozenset[str]) -> Table:
    """The table with the facts of the line added; its dicts are changed in place."""
    if macro == "EVT_MEMORY":
        space, size = _split(text, 2)
        _put(table.sizes, space, _number(size))
    elif macro == "EVT_FACT":
        name, value = _split(text, 2)
        _put(table.facts, name, _number(value))
    elif macro in {"EVT_TAKES", "EVT_TAKES_COUNTED"}:
        call, types = _split(text, 2)
        _put(table.takes if macro == "EVT_TAKES" else table.counted, _known(call, calls), _words(types, ELEMENTS))
    elif macro == "EVT_CAST":
        source, to, modes = _split(text, 3)
        _put(table.casts, (_known(source, ELEMENTS), _known(to, ELEMENTS)), _words(modes, MODES))
    elif macro == "EVT_ATOMICS" and not table.atomics:
        return replace(table, atomics=_words(text, ELEMENTS))
    elif macro == "EVT_COST":
        match = _COST.fullmatch(text)
        if match is None:
            raise _Wrong('not of the form EVT_COST(name, value, "source")')
        _put(table.costs, match[1], (int(match[2]), match[3]))
    elif macro == "EVT_PRICE":
        match = _PRICE.fullmatch(text)
        if match is None:
            raise _Wrong('not of the form EVT_PRICE(call, cycles, hundredths, "source")')
        if match[1] not in PRICED_TOO:
            _known(match[1], calls)
        _put(table.prices, match[1], (int(match[2]), int(match[3]), match[4]))
    else:
        raise _Wrong(f"{macro} has no meaning here")
    return table


def _split(text: str, count: int) -> list[str]:
    parts = text.split(", ")
    if len(parts) != count:
        raise _Wrong(f"{count} arguments are needed")
    return parts


def _known(word: str, known: Container[str]) -> str:
    if word not in known:
        raise _Wrong(f"{word} is no word of the table")
    return word


def _words(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    words = tuple(_known(word, known) for word in text.split(" | "))
    if len(set(words)) != len(words):
        raise _Wrong("a word is there twice")
    return words


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise _Wrong(f"{text} is no number")
    return sum(prod(map(int, term.split(" * "))) for term in text.split(" + "))


def _put(entries: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    if key in entries:
        raise _Wrong(f"{key} is there already")
    entries[key] = value


CALLS, CALL_NAMES = read_calls()
"""The calls from elements to elements by name, and the names of all calls."""
