"""Rules of names: tensors become members of a struct, epilogues become namespaces and files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..graph.ir import Scalar
from ..graph.location import Location
from ..nodes import Tensor
from ..passes.analysis import cpp_names as reserved
from .facts import Facts, Found
from .registry import rule, says


def _names(facts: Facts) -> Iterator[tuple[str, str, Location | None]]:
    """(what, name, location) of the epilogue and of each tensor."""
    if isinstance(facts.epilogue.name, str):
        yield "epilogue", facts.epilogue.name, facts.epilogue.location
    for place in facts.sound():
        for tensor in place.node.tensors:
            yield "tensor", tensor.name, place.location
        for scalar in place.node.scalars:
            yield "scalar", scalar.name, place.location


@rule("EVT045", "Two arguments have one name")
@says(
    '{label}: the scalar "{name}" is declared in two ways: {first} and {second}',
    "use one Scalar object for both",
    when="scalars differ",
)
@says('{label}: a scalar has taken the name "{name}"', "give one of them another name", when="scalar")
@says(
    '{label}: {other} has taken the name "{name}"',
    "give it another name, or share one node in a TopologicalVisitor",
    when="tensor",
)
@says(
    '{label}: {other} has taken the name "{name}"',
    'give the output another name, such as "{name}_out"; a launch may pass one pointer for both',
    when="output",
)
def duplicate_argument(facts: Facts) -> Iterator[Found]:
    """The name of a load, store or reduction becomes a field of the arguments struct, so it must be unique in its
    epilogue, inputs and outputs together. To read one tensor twice, load it once and share the node in a
    `TopologicalVisitor`; to read and write one tensor, give it two names and pass the same pointer twice. A `Scalar`
    may be used more than once, as long as its type and default are the same everywhere, and so may the numbers of rows
    of a gather or a scatter."""
    seen: dict[str, tuple[Tensor, str]] = {}
    scalars: dict[str, Scalar] = {}
    for place in facts.sound():
        for scalar in place.node.scalars:
            first = scalars.setdefault(scalar.name, scalar)
            if first != scalar:
                yield Found(place, "scalars differ", name=scalar.name, first=first, second=scalar)
    for place in facts.sound():
        for tensor in place.node.tensors:
            if tensor.name in scalars:
                yield Found(place, "scalar", name=tensor.name)
            other, label = seen.setdefault(tensor.name, (tensor, place.label))
            if other is not tensor and not (tensor.indexes and tensor == other):
                when = "output" if facts.epilogue.traced and tensor.output else "tensor"
                yield Found(place, when, name=tensor.name, other=label)


@rule("EVT046", "A name is not a C++ identifier")
@says('the {what} name "{name}" is not a C++ identifier', 'for example "{better}"', when="characters")
@says('the {what} name "{name}..." has {count} characters, {longest} are allowed', when="length")
def identifier(facts: Facts) -> Iterator[Found]:
    """Names of epilogues and tensors are written into C++ as they are: letters, digits and underscores of ASCII, not
    starting with a digit, and at most 200 of them, since an epilogue's name is a file's name as well."""
    for what, name, location in _names(facts):
        if not reserved.is_identifier(name):
            better = re.sub(r"\W", "_", name, flags=re.ASCII) or "x"
            better = f"_{better}" if better[0].isdigit() else better
            better = better.strip("_") if better.strip("_")[:1].isalpha() else "x" + better
            yield Found(location, "characters", what=what, name=name, better=better)
        elif len(name) > reserved.LONGEST:
            yield Found(location, "length", what=what, name=name[:20], count=len(name), longest=reserved.LONGEST)


@rule("EVT047", "A name is a C++ keyword")
@says('the {what} name "{name}" is a C++ keyword', 'for example "{name}_"')
def keyword(facts: Facts) -> Iterator[Found]:
    """Keywords of C++17 and C++20, the alternative tokens (`and`, `or`, …) among them, cannot name anything."""
    for what, name, location in _names(facts):
        if name in reserved.KEYWORDS:
            yield Found(location, what=what, name=name)


@rule("EVT048", "A name is reserved")
@says('the {what} name "{name}" is reserved by C++', "take out underscores in front, and double ones", when="C++")
@says('the epilogue name "{name}" is also the name of a macro', "choose another name", when="macro")
def reserved_name(facts: Facts) -> Iterator[Found]:
    """C++ reserves for its implementations every name with a double underscore, every name that starts with an
    underscore and a capital, and, in the global namespace, where epilogues go, every name that starts with an
    underscore. An epilogue cannot have the name of a macro either, which would be replaced wherever the namespace is
    named. Tensors and scalars can: the header hides macros of their names from the arguments struct
    (`#pragma push_macro`); a program that sets the field must do the same, or undefine the macro."""
    for what, name, location in _names(facts):
        if not reserved.is_identifier(name):
            continue
        if "__" in name or re.match(r"_[A-Z]", name) or (what == "epilogue" and name.startswith("_")):
            yield Found(location, "C++", what=what, name=name)
        elif what == "epilogue" and (name in reserved.MACROS or name.startswith(("CATLASS_", "ASCENDC_", "EVTGEN"))):
            yield Found(location, "macro", name=name)


@rule("EVT049", "A name collides with generated code")
@says('generated code uses the name "{epilogue}" for something else', 'for example "{epilogue}_evt"', when="epilogue")
@says('the arguments struct uses the {what} name "{name}" for something else', 'for example "{name}_"', when="field")
def collision(facts: Facts) -> Iterator[Found]:
    """An epilogue is a namespace in `Catlass::Evt`, and a header beside the headers of the examples (`helper.hpp`,
    `golden.hpp`, `options.hpp`, `evt_example.hpp`). So it must have none of their names, and not the name of a
    namespace or type that its own header uses. A tensor or a scalar is a field of the arguments struct under its own
    name, which may be any name but the types of AscendC and of the C library, `GM_ADDR`, `ToEvt` and `ToEvg`: the
    struct itself needs those. Names that generated code derives, such as `layoutRowOut` from `row_out`, get a number if
    they would clash."""
    epilogue = facts.epilogue
    taken = reserved.NAMESPACES | reserved.TYPES
    if isinstance(epilogue.name, str) and (epilogue.name in taken or epilogue.name.lower() in reserved.HEADERS):
        yield Found(when="epilogue")
    for what, name, location in _names(facts):
        if what != "epilogue" and name in reserved.TYPES | reserved.NEEDED:
            yield Found(location, "field", what=what, name=name)
