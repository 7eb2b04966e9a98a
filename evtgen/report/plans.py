"""Plans and the operator table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..system.columns import padded
from ..system.translation import tr
from ..system.words import number
from .console import console, say, show, table, wrapped

if TYPE_CHECKING:
    from rich.console import Console


def plan(described: dict[str, Any], out: Console | None = None) -> None:
    """Print a plan as :func:`evtgen.pipeline.explain.describe` describes it."""
    out = out or console()
    title = tr("{epilogue} on {arch}", epilogue=f"[bold]{described['epilogue']}[/]", arch=described["arch"])
    out.print(title)
    for line in [*([described["product"]] if described["kernel"]["accumulators"] else []), *described["formula"]]:
        say(out, f"  {line}")
    graphs = [(tr("Phase {count}", count=place), phase) for place, phase in enumerate(described["phases"], 1)]
    for title, graph in [*graphs, *([(tr("Whole rows"), described["rows"])] if described["rows"] else [])]:
        out.print(f"\n{title}")
        for line in graph.get("formula", ()):
            say(out, f"  {line}")
        _nodes(out, graph)
        _line(out, "UB", ub_text(graph))
    if described["crossing"] is None:
        _nodes(out, described)
    else:
        out.print()
        _crossing(out, **described["crossing"])
    _cpp(out, f"EVT        {described['evt']}")
    _cpp(out, f"{padded(tr('Arguments'), 11)}{described['braces']}")
    if described["crossing"] is None:
        _line(out, "UB", ub_text(described))
    for title, text in kernel_texts(**described["kernel"]):
        _line(out, title, text)
    _line(out, tr("Workspace"), workspace_text(**described["workspace"]))
    if described["order"]:
        _line(out, tr("Order"), order_text(described["order"]))
    if described["catlass"] is not None:
        _line(out, "Catlass", catlass_text(**described["catlass"]))
    if described["rewritten"]:
        _line(out, tr("Rewritten"), rewritten_text(described["rewritten"]))
    if "stack" in described:
        stack = described["stack"]
        _line(out, tr("Stack"), stack_text(**stack) if stack else described["note"] or tr("not known"))
    if "code" in described:
        code = described["code"]
        _line(out, tr("Code"), code_text(**code) if code else described["note"] or tr("not known"))
    out.print()


def _line(out: Console, title: str, text: str) -> None:
    """Print a title and the text beside it."""
    say(out, f"{padded(title, 10)} {text}")


def _nodes(out: Console, described: Mapping[str, Any]) -> None:
    """The nodes of a phase."""
    grid = table("", tr("node"), tr("type"), tr("yields"), tr("inputs"), tr("argument"), tr("UB bytes"))
    place = {node["node"]: str(index) for index, node in enumerate(described["nodes"])}
    for index, node in enumerate(described["nodes"]):
        inputs = ", ".join(f"{place[name]} {name}" for name in node["inputs"])
        arguments = node["tensor"] or ", ".join(node["scalars"])
        grid.add_row(str(index), node["node"], node["type"], node["element"], inputs, arguments, str(node["ub"] or ""))
    show(out, grid, (tr("type"), tr("argument"), tr("yields")))


def ub_text(described: Mapping[str, Any]) -> str:
    """The tiles of a phase, and their bytes of UB."""
    ub, buffers = described["ub"], described["buffers"]
    held = number(buffers, tr("{count} buffer{s}"))
    return tr(
        "{used} of {limit} bytes: {buffers} for tiles of {elements} elements", used=ub["used"], limit=ub["limit"],
        buffers=held, elements=described["compute_length"],
    )  # fmt: skip


def _crossing(out: Console, values: Sequence[Mapping[str, Any]], **said: Any) -> None:
    """The values that cross between phases."""
    grid = table(tr("in the workspace"), tr("shape"), tr("type"), tr("bytes"), tr("written in phase"), tr("read in"))
    for value in values:
        phases = tr(" and ").join(map(str, value["read"]))
        size, places = " x ".join(value["shape"]), (str(value["written"]), phases)
        grid.add_row(value["name"], size, value["dtype"], value["bytes"], *places)
    show(out, grid)
    for title, text in crossing_texts(values, **said):
        _line(out, title, text)


def crossing_texts(  # noqa: PLR0917
    values: Sequence[Mapping[str, Any]],
    again: Sequence[str],
    taken: Mapping[str, float],
    if_again: Mapping[str, float] | None,
    by_rows: Mapping[str, float] | None,
    whole_rows: int,
    rows_up_to: int,
) -> Iterator[tuple[str, str]]:
    """Titles and lines about the values that phases take from each other."""
    kept = [value["name"] for value in values if value["kept"]]
    if if_again is None:
        why = tr("the accumulator is not whole in the workspace, so a later phase cannot read it again")
    elif kept:
        why = tr("if all were computed again, {taken}", taken=_taken(if_again))
    else:
        why = tr("to keep a matrix would save no time")
    stays = tr("{names} kept", names=tr(" and ").join(kept)) if kept else tr("nothing kept")
    computed = tr(", {names} computed again", names=tr(", ").join(again)) if again else ""
    text = tr("{kept}: for each element of C {taken}; {why}", kept=stays + computed, taken=_taken(taken), why=why)
    yield tr("Phases"), text
    if by_rows is not None:
        text = tr("not whole: all phases in one visit of a row; {taken}")
        if rows_up_to:
            text = tr(
                "whole up to {columns} columns, in tiles that are not short: all phases in one visit of a row; {taken}"
            )
        yield tr("Rows"), text.format(columns=rows_up_to, taken=_taken(by_rows))
    text = tr("of all vector cores before each phase, since what crosses is not by rows alone")
    if rows_up_to > whole_rows:
        text = tr("none up to {columns} columns; of whole rows, one before each turn; else before each phase")
    elif whole_rows:
        text = tr("none up to {columns} columns, where a block has whole rows; else before each phase")
    yield tr("Meetings"), text.format(columns=whole_rows)


def _taken(what: Mapping[str, float]) -> str:
    """What phases take for each element of C."""
    return tr("{bytes} bytes of matrices moved, {vector:.2f} cycles of V, {cycles:.2f} in all", **what)


def kernel_texts(  # noqa: PLR0917
    name: str,
    computes: str,
    a: Sequence[str],
    b: Sequence[str],
    policy: str,
    split_k: int,
    accumulators: str | None,
    strides: Mapping[str, str],
    shareable: Sequence[str],
    hf32: bool = False,
    msd: bool = False,
    groups: Sequence[str] | None = None,
    weights: tuple[str, bool] = ("stacked", False),
) -> Iterator[tuple[str, str]]:
    """Titles and lines about the kernel."""
    parts = tr(", K in {count} parts", count=split_k) if split_k > 1 else ""
    parts += tr(", in HF32") if hf32 else ""
    parts += tr(", A in digits of int4") if msd else ""
    text = {
        None: tr("{name}: {computes}, {policy}; A is {a}, B is {b}"),
        "halves": tr("{name}: {computes}, {policy}; A is {a}, B with 2N columns is {b}"),
        "separate": tr("{name}: {computes}, {policy}; A is {a}, each of two Bs is {b}"),
    }[accumulators]
    said = {"name": name, "computes": tr(computes) + parts, "policy": policy, "a": " ".join(a), "b": " ".join(b)}
    yield tr("Kernel"), text.format(**said)
    if groups is not None:
        says, element = groups
        text = tr("a list on the device of their {says}, {type}", says=says, type=element)
        text += tr(", one of the addresses of B") if weights[0] == "pointers" else ""
        text += tr(", one of the B that each takes") if weights[1] else ""
        yield tr("Groups"), text
    if strides:
        fields = [f"{name.removeprefix('gemm.')}: {field}" for name, field in strides.items()]
        own = [name for name in strides if name not in shareable]
        text = tr("{fields}; any may be 0: then all share it")
        if own:
            text = tr("{fields}; any may be 0: then all share it, but for {own}")
        yield tr("Strides"), text.format(fields=", ".join(fields), own=", ".join(own))


def catlass_text(
    refused: Sequence[str] = (), handoff: str = "", compute_length: int = 0, ub: Mapping[str, int] | None = None
) -> str:
    """The epilogue in Catlass's own visitor framework."""
    if refused:
        return tr("not in its own visitor framework: {why}", why=tr("; ").join(refused))
    text = tr("in its own visitor framework: tiles of {elements}, the accumulator in {place}")
    return text.format(elements=compute_length, place=handoff.upper())


def workspace_text(
    handoff: str,
    stages: int,
    bytes_per_core: int = 0,
    bytes_per_element: int = 0,
    bytes_per_vector_core: int = 0,
    *,
    cast_b: str = "",
    slices: int = 0,
    product_bytes_per_core: int = 0,
    product_bytes_per_vector_core: int = 0,
    accumulators: int = 1,
) -> str:
    """The bytes of the workspace for the accumulator, or both, for products of slices of K, and for B if it is cast to
    another type."""
    with_b = tr(", and B as {type}", type=cast_b) if cast_b else ""
    if not stages:
        products = tr(", and the products of {count} slices of K", count=slices) if slices else ""
        if product_bytes_per_core:
            products = tr(", and {bytes} bytes per cube core for products of slices of K", bytes=product_bytes_per_core)
        if in_ub := product_bytes_per_vector_core:
            products = tr("; {bytes} bytes of UB of a vector core hold products of slices of K", bytes=in_ub)
        whole = tr("the whole accumulator") if accumulators == 1 else tr("the whole of both accumulators")
        text = tr("M * N * {bytes} bytes: {whole}", bytes=bytes_per_element, whole=whole)
        return f"{text}{products}{with_b}"
    of = tr("{count} block{s} of the accumulator") if accumulators == 1 else tr("{count} block{s} of each accumulator")
    blocks = number(stages, of)
    if handoff == "ub":
        text = tr("{bytes} more bytes of UB hold a vector core's rows of {blocks}")
        text = text.format(bytes=bytes_per_vector_core, blocks=blocks)
        return tr("B as {type}: {text}", type=cast_b, text=text) if cast_b else tr("none: {text}", text=text)
    text = tr("{bytes} bytes per cube core, for any M and N: {blocks}", bytes=bytes_per_core, blocks=blocks)
    return text + with_b


def order_text(reduced: Sequence[Mapping[str, str]]) -> str:
    """The bytes of the workspace for reductions in a fixed order."""
    part = tr("{bytes} bytes for {name}")
    parts = tr(", ").join(part.format(**one) for one in reduced)
    return tr("fixed, by parts of what is reduced in the workspace: {parts}", parts=parts)


def rewritten_text(savings: Sequence[Mapping[str, Any]]) -> str:
    """What each pass saved."""
    saved = tr(", ").join(tr("{name} saves {count}", name=one["pass"], count=one["instructions"]) for one in savings)
    return tr("{saved} vector instructions of each tile", saved=saved)


def stack_text(epilogue: int, callbacks: int, frame: int, limit: int) -> str:
    """The bytes of the device's stack that an epilogue takes."""
    text = tr("{frame} of {limit} bytes: {epilogue} of them the epilogue's object, {callbacks} its callbacks")
    return text.format(frame=frame, limit=limit, epilogue=epilogue, callbacks=callbacks)


def code_text(instructions: int, bytes: int, cache: int) -> str:
    """The size of an epilogue's code beside the instruction cache."""
    text = tr("{instructions} instructions for the vector core, about {bytes} bytes; its cache has {cache}")
    return text.format(instructions=instructions, bytes=bytes, cache=cache)


def _cpp(out: Console, text: str) -> None:
    """Print C++, which stays whole on a terminal."""
    out.print(wrapped(text, out.file), markup=False, soft_wrap=True)


def operators(
    families: Mapping[str, Sequence[str]], types: Mapping[str, Sequence[str]], kernels: Sequence[Mapping[str, Any]]
) -> None:
    """Print the names of the functions of ``ops`` by family, the element types of each architecture and the kernels."""
    out = console()
    for family, names in families.items():
        say(out, f"{padded(tr(family), 12)} {', '.join(names)}")
    out.print()
    for name, elements in types.items():
        say(out, tr("x.cast(T) on {arch}: {types}", arch=name, types=" ".join(elements)))
    out.print()
    for kernel in kernels:
        said = f"{kernel['name']}, {kernel['gemm']}"
        say(out, f"{padded(tr('Kernel'), 12)} {tr('{name}: {text}', name=said, text=tr(kernel['computes']))}")
    out.print()
    say(out, tr("evtgen ops NAME shows one of them, evtgen ops --all a table of the operators."))


def function(row: Mapping[str, Any]) -> None:
    """Print a function of ``ops`` as :func:`evtgen.pipeline.explain.one_function` describes it."""
    out = console()
    lines = {
        "": f"ops.{row['form']}",
        tr("Computes"): tr(row["computes"]),
        tr("Also"): ", ".join(row.get("aliases", ())),
        **{f"{arch}": ", ".join(taken) or tr("not there") for arch, taken in row.get("types", {}).items()},
        tr("Accuracy"): row.get("accuracy", ""),
        tr("Cost"): row.get("cost", ""),
        "C++": row.get("cpp", ""),
        tr("Example"): row["example"],
    }
    for title, text in lines.items():
        if text:
            if title:
                _line(out, title, text)
            else:
                say(out, text)
    for place, call in enumerate(row.get("calls", ())):
        _cpp(out, f"{'' if place else 'AscendC':10} {call}")


def every_operator(
    rows: Sequence[dict[str, Any]],
    functions: Sequence[dict[str, Any]],
    types: Mapping[str, Sequence[str]],
    kernels: Sequence[dict[str, Any]],
) -> None:
    """Print the operators, the other functions and the kernels as :mod:`evtgen.pipeline.explain` lists them, and
    the element types of each architecture."""
    out = console()
    architectures = list(rows[0]["types"])
    grid = table("ops.", "C++", tr("inputs"), *architectures, "AscendC")
    for row in rows:
        count = tr("{count} or more", count=row["inputs"]) if row["variadic"] else str(row["inputs"])
        inputs = ", ".join([count, *row["constants"]])
        taken = [" ".join(row["types"][name]) for name in architectures]
        notes = [row["note"], " ".join([tr("also"), *row["aliases"]]) if row["aliases"] else ""]
        calls = [*(f"# {note}" for note in notes if note), *row["calls"]]
        grid.add_row(row["name"], row["cpp"], inputs, *taken, "\n".join(calls))
    show(out, grid)
    grid = table("ops.", tr("takes"), tr("computes"))
    for row in functions:
        grid.add_row(row["name"], ", ".join(row["parameters"]), tr(row["computes"]))
    show(out, grid)
    for name, elements in types.items():
        say(out, tr("x.cast(T) on {arch}: {types}", arch=name, types=" ".join(elements)))
    grid = table("gemm=", tr("kernel"), tr("computes"), "layout_a", "layout_b", *architectures)
    for kernel in kernels:
        layouts = [" ".join(names) for names in kernel["layouts"].values()]
        ways = [[f"{way}: {' '.join(found)}" for way, found in of.items()] for of in kernel["handoffs"].values()]
        grid.add_row(kernel["gemm"], kernel["name"], tr(kernel["computes"]), *layouts, *map("; ".join, ways))
    show(out, grid)
