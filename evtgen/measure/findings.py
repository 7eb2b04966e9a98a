"""Breaches of the rules of the device's C++, from the messages of clang++ and its listing of a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from ..diagnostics import language as codes
from ..diagnostics.table import Code
from .device_clang import Complaint
from .device_program import ENTRY
from .language_rules import is_placement, of_call, spoken
from .listing import Call, Function, Listing, Place
from .plain_data import crooked_arguments

Examined = Callable[[str], bool]
"""Whether a file is examined: an emitted header, or one of the checkout's."""


@dataclass(frozen=True)
class Finding:
    """A rule that a line breaks.

    Attributes:
        code: the rule's code, from ``EVT160`` on.
        message: the reason.
        file, line: the place.
        text: the line, empty where it is not known.
        functor: the struct that the line is part of; empty outside of any.
    """

    code: str
    message: str
    file: str
    line: int
    text: str = ""
    functor: str = ""


_WRONG_SIDE = re.compile(r"reference to __(?:host|global)__ function '(?P<name>.*)' in __")
_NO_MATCH = re.compile(r"'(?P<name>.*)'")
_OTHER_SIDE = "call to __host__ function from __"


def of_complaints(complaints: Iterable[Complaint], examined: Examined, emitted: Examined) -> list[Finding]:
    """The findings in clang's errors.

    A call to the other side has several places: its own and the places of its notes. The finding is at the first of
    them that is examined; if the entry calls, at the function's declaration. Other errors count only in an emitted
    header: a released Catlass has been compiled for a device.
    """
    found: dict[Finding, None] = {}
    for complaint in complaints:
        notes = sorted(complaint.notes, key=lambda note: "declared here" in note[0])
        places = [complaint.place, *(place for _, place in notes)]
        place = next((place for place in places if examined(place.file)), None)
        if place is None:
            continue
        name = _WRONG_SIDE.search(complaint.text)
        if name is None and any(_OTHER_SIDE in text for text, _ in complaint.notes):
            name = _NO_MATCH.search(complaint.text)
        if name is not None:
            called = name["name"]
            code = of_call(called) or codes.HOST_FUNCTION
            message = f"calls {_short(called)}" + (", which belongs to the host" if code is codes.HOST_FUNCTION else "")
        elif not emitted(complaint.place.file):
            continue
        else:
            code, message = codes.REFUSED, f"clang++ refuses it as code of a device: {_short(complaint.text)}"
        found[_finding(code, message, place)] = None
    return list(found)


def of_listing(listing: Listing, examined: Examined) -> list[Finding]:
    """The findings in the code of run time."""
    functions = [one for one in listing.functions.values() if one.place is not None and examined(one.place.file)]
    found: dict[Finding, None] = {}
    for function in functions:
        for call in function.calls:
            if call.place is not None and examined(call.place.file) and (code := _of_call(call, listing)) is not None:
                found[_finding(code, f"{function.name} calls {spoken(call.symbol)}", call.place)] = None
        for place in function.type_information:
            if examined(place.file):
                found[_finding(codes.TYPE_INFORMATION, f"{function.name} uses typeid or dynamic_cast", place)] = None
    for cycle in _cycles(functions):
        first = cycle[0].place
        assert first is not None
        names = " and ".join(dict.fromkeys(function.name for function in cycle))
        found[_finding(codes.RECURSION, f"{names} can come to call itself at run time", first)] = None
    for finding in _virtual(listing, examined):
        found[finding] = None
    for message, place in crooked_arguments(listing, ENTRY, examined):
        found[_finding(codes.KERNEL_ARGUMENT, message, place)] = None
    return list(found)


def _finding(code: Code, message: str, place: Place) -> Finding:
    return Finding(code.code, message, place.file, place.line)


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


def _of_call(call: Call, listing: Listing) -> Code | None:
    if call.symbol.startswith("llvm.") or is_placement(call.symbol):
        return None
    c = not call.symbol.startswith("_Z")
    if (code := of_call(spoken(call.symbol), c=c)) is not None:
        return code
    # AscendC's functions, and the model's, are C++: what is not, and is defined elsewhere, is C's library.
    return codes.STANDARD_LIBRARY if c and call.symbol not in listing.functions else None


def _cycles(functions: Iterable[Function]) -> Iterator[list[Function]]:
    """Cycles of functions that call each other in turn. A function is in at most one."""
    by_symbol = {function.symbol: function for function in functions}
    while True:
        calls = {
            symbol: [call.symbol for call in function.calls if call.symbol in by_symbol]
            for symbol, function in by_symbol.items()
        }
        try:
            TopologicalSorter(calls).prepare()
            return
        except CycleError as found:
            # Its second argument begins and ends with the same symbol, and each is called by the next.
            yield [by_symbol.pop(symbol) for symbol in found.args[1][:0:-1]]


def _virtual(listing: Listing, examined: Examined) -> Iterable[Finding]:
    for node in listing.of_kind("DISubprogram"):
        place = listing.place(node)
        if "Virtual" in listing.text(node, "spFlags") and place is not None and examined(place.file):
            yield _finding(codes.VIRTUAL, f"{listing.text(node, 'name')} is virtual", place)
    for node in listing.of_kind("DIDerivedType"):
        if listing.text(node, "tag") == "DW_TAG_inheritance" and "FlagVirtual" in listing.text(node, "flags"):
            derived = listing.node(node, "scope")
            place = listing.place(derived)
            if place is not None and examined(place.file):
                base = listing.text(listing.node(node, "baseType"), "name")
                yield _finding(codes.VIRTUAL, f"{listing.text(derived, 'name')} has the virtual base {base}", place)
