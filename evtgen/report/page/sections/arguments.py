"""The arguments by name, as host code gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....emit.graph import COMMENTS, argument_fields, arguments_text
from ....nodes import Tensor
from ....pipeline.report import Subject
from ....planner.plan import Plan
from ....system.translation import recognised, tr
from ..html import Fragment, join, table, tag

HEAD = (tr("argument"), "", tr("type"), tr("shape"), tr("default"), tr("what it is"))


def section(subject: Subject) -> Fragment:
    """The members of the ``Arguments`` of the header, in their order, and the same as nested braces."""
    plan = subject.plan
    intro = tag("p", tr("The members of {type}, in their order.", type=f"Catlass::Evt::{plan.name}::Arguments"))
    nested = tag(
        "details",
        tag("summary", tr("The same as the nested arguments of the graph")),
        tag("pre", arguments_text(plan), class_="wrap"),
    )
    return Fragment(tr("Arguments"), "arguments", join([intro, table(HEAD, rows(plan)), nested]))


def rows(plan: Plan) -> Iterator[Sequence[object]]:
    """The cells of each argument, below :data:`HEAD`."""
    tensors = {tensor.name: tensor for tensor in plan.tensors}
    scalars = {scalar.name: scalar for scalar in plan.scalars}
    for field in argument_fields(plan):
        name = tag("code", field.name)
        if field.name in tensors:
            tensor = tensors[field.name]
            way = tr("out") if tensor.output else tr("in")
            yield name, way, tag("code", tensor.element), str(tensor.shape), "", _about(tensor)
        elif field.name in scalars:
            scalar = scalars[field.name]
            default = "" if scalar.default is None else tag("code", scalar.default)
            yield name, tr("in"), tag("code", scalar.T), tr("a number"), default, ""
        else:
            default = tag("code", field.default or tr("packed"))
            yield name, "", tag("code", field.type), "", default, recognised(field.comment, COMMENTS)


def _about(tensor: Tensor) -> str:
    """Facts about a tensor that a caller needs besides its type and shape."""
    said = [tensor.layout.name]
    if tensor.initial is not None:
        said.append(tr("the caller fills it with {initial} before the launch", initial=tensor.initial))
    if tensor.null_default is not None:
        said.append(tr("may be null, which stands for {value} everywhere", value=tensor.null_default))
    if tensor.indexes:
        said.append(tr("numbers of rows"))
    if tensor.rows:
        said.append(tr("its rows are those that {rows} names", rows=tensor.rows))
    if tensor.ranks:
        text = tr("one in the memory of each rank, which {ranks} names: a table of their addresses")
        said.append(text.format(ranks=tensor.ranks))
    return tr("; ").join(said)
