"""Arguments of a kernel that are not plain data, from the debug information of its entry.

The arguments of a kernel are basic types, pointers to basic types in GM, and plain structs of them (AscendC's guide,
restrictions of functions). That a struct can be copied byte by byte is asserted in the kernel's header.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .listing import Listing, Place

_NAMES = {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"}
_STRUCTS = {"DW_TAG_class_type", "DW_TAG_structure_type", "DW_TAG_union_type"}
_CROOKED = {
    "DW_TAG_reference_type": "a reference",
    "DW_TAG_rvalue_reference_type": "a reference",
    "DW_TAG_ptr_to_member_type": "a pointer to a member",
}


def crooked_arguments(listing: Listing, entry: str, examined: Callable[[str], bool]) -> Iterator[tuple[str, Place]]:
    """The arguments that are not plain data, in functions whose names start with ``entry``: a message, and the
    innermost place that is ``examined``."""
    for function in listing.of_kind("DISubprogram"):
        if listing.text(function, "name").startswith(entry):
            for variable in listing.of_kind("DILocalVariable"):
                if listing.text(variable, "arg") and listing.node(variable, "scope") == function:
                    walk = _Walk(listing, examined)
                    yield from walk.type(listing.node(variable, "type"), "the argument", None)


@dataclass
class _Walk:
    """A walk through a type and the types of its members, each once."""

    listing: Listing
    examined: Callable[[str], bool]
    seen: set[str] = field(default_factory=set)

    def type(self, node: str, name: str, place: Place | None) -> Iterator[tuple[str, Place]]:
        """The findings in the type of the member ``name``, which is at ``place``."""
        listing, node = self.listing, self.unnamed(node)
        tag = listing.text(node, "tag")
        crooked = _CROOKED.get(tag) or (self.pointer(node) if tag == "DW_TAG_pointer_type" else "")
        if crooked and place is not None:
            yield f"{name} is {crooked}", place
        elif node not in self.seen and tag == "DW_TAG_array_type":
            yield from self.type(listing.node(node, "baseType"), name, place)
        elif node not in self.seen and tag in _STRUCTS:
            self.seen.add(node)
            for member in listing.nodes(node, "elements"):
                static = "Static" in listing.text(member, "flags")
                if listing.text(member, "tag") in ("DW_TAG_member", "DW_TAG_inheritance") and not static:
                    yield from self.member(member, name, place)

    def member(self, member: str, name: str, place: Place | None) -> Iterator[tuple[str, Place]]:
        at = self.listing.place(member)
        inner = at if at is not None and at.line and self.examined(at.file) else place
        named = self.listing.text(member, "name") or name
        yield from self.type(self.listing.node(member, "baseType"), named, inner)

    def pointer(self, node: str) -> str:
        """The fault of a pointer; empty if there is none. The model's half and bfloat16 are structs of its own."""
        pointee = self.unnamed(self.listing.node(node, "baseType"))
        tag, place = self.listing.text(pointee, "tag"), self.listing.place(pointee)
        if self.listing.kind(pointee) == "DISubroutineType":
            return "a pointer to a function"
        of_struct = tag in _STRUCTS and (place is None or self.examined(place.file))
        return "a pointer to something that is no basic type" if of_struct or tag == "DW_TAG_pointer_type" else ""

    def unnamed(self, node: str) -> str:
        """The type itself, without names and qualifiers."""
        while self.listing.text(node, "tag") in _NAMES:
            node = self.listing.node(node, "baseType")
        return node
