"""The arguments by name, as host code gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....emit.graph import argument_fields, arguments_text
from ....nodes import Tensor
from ....pipeline.report import Subject
from ....planner.plan import Plan
from ..html import Fragment, join, table, tag

HEAD = ("argument", "", "type", "shape", "default", "what it is")


def section(subject: Subject) -> Fragment:
    """The members of the ``Arguments`` of the header, in their order, and the same as nested braces."""
    plan = subject.plan
    intro = tag("p", "The members of ", tag("code", f"Catlass::Evt::{plan.name}::Arguments"), ", in their order.")
    nested = tag(
        "details",
        tag("summary", "The same as the nested arguments of the graph"),
        tag("pre", arguments_text(plan), class_="wrap"),
    )
    return Fragment("Arguments", "arguments", join([intro, table(HEAD, rows(plan)), nested]))


def rows(plan: Plan) -> Iterator[Sequence[object]]:
    """The cells of each argument, below :data:`HEAD`."""
    tensors = {tensor.name: tensor for tensor in plan.tensors}
    scalars = {scalar.name: scalar for scalar in plan.scalars}
    for field in argument_fields(plan):
        name = tag("code", field.name)
        if field.name in tensors:
            tensor = tensors[field.name]
            way = "out" if tensor.output else "in"
            yield name, way, tag("code", tensor.element), str(tensor.shape), "", _about(tensor)
        elif field.name in scalars:
            scalar = scalars[field.name]
            default = "" if scalar.default is None else tag("code", scalar.default)
            yield name, "in", tag("code", scalar.T), "a number", default, ""
        else:
            yield name, "", tag("code", field.type), "", tag("code", field.default or "packed"), field.comment


def _about(tensor: Tensor) -> str:
    """Facts about a tensor that a caller needs besides its type and shape."""
    said = [tensor.layout.name]
    if tensor.initial is not None:
        said.append(f"the caller fills it with {tensor.initial} before the launch")
    if tensor.null_default is not None:
        said.append(f"may be null, which stands for {tensor.null_default} everywhere")
    if tensor.indexes:
        said.append("numbers of rows")
    if tensor.rows:
        said.append(f"its rows are those that {tensor.rows} names")
    if tensor.ranks:
        said.append(f"one in the memory of each rank, which {tensor.ranks} names: a table of their addresses")
    return "; ".join(said)
