"""Plans and the operator table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..system.words import counted
from .console import console, say, show, table, wrapped

if TYPE_CHECKING:
    from rich.console import Console


def plan(described: dict[str, Any], out: Console | None = None) -> None:
    """Print a plan as :func:`evtgen.pipeline.explain.describe` describes it."""
    out = out or console()
    out.print(f"[bold]{described['epilogue']}[/] on {described['arch']}")
    for line in described["formula"]:
        say(out, f"  {line}")
    graphs = [(f"Phase {number}", phase) for number, phase in enumerate(described["phases"], 1)]
    for title, graph in [*graphs, *([("Whole rows", described["rows"])] if described["rows"] else [])]:
        out.print(f"\n{title}")
        for line in graph.get("formula", ()):
            say(out, f"  {line}")
        _nodes(out, graph)
        say(out, f"UB         {ub_text(graph)}")
    if described["crossing"] is None:
        _nodes(out, described)
    else:
        out.print()
        _crossing(out, **described["crossing"])
    _cpp(out, f"EVT        {described['evt']}")
    _cpp(out, f"Arguments  {described['braces']}")
    if described["crossing"] is None:
        say(out, f"UB         {ub_text(described)}")
    for title, text in kernel_texts(**described["kernel"]):
        say(out, f"{title:<10} {text}")
    say(out, f"Workspace  {workspace_text(**described['workspace'])}")
    if described["order"]:
        say(out, f"Order      {order_text(described['order'])}")
    if described["catlass"] is not None:
        say(out, f"Catlass    {catlass_text(**described['catlass'])}")
    if described["rewritten"]:
        saved = [f"{one['pass']} saves {one['instructions']}" for one in described["rewritten"]]
        say(out, f"Rewritten  {', '.join(saved)} vector instructions of each tile")
    if "stack" in described:
        stack = described["stack"]
        say(out, f"Stack      {stack_text(**stack) if stack else described['note'] or 'not known'}")
    if "code" in described:
        code = described["code"]
        say(out, f"Code       {code_text(**code) if code else described['note'] or 'not known'}")
    out.print()


def _nodes(out: Console, described: Mapping[str, Any]) -> None:
    """The nodes of a phase."""
    grid = table("", "node", "type", "yields", "inputs", "argument", "UB bytes")
    number = {node["node"]: str(index) for index, node in enumerate(described["nodes"])}
    for index, node in enumerate(described["nodes"]):
        inputs = ", ".join(f"{number[name]} {name}" for name in node["inputs"])
        arguments = node["tensor"] or ", ".join(node["scalars"])
        grid.add_row(str(index), node["node"], node["type"], node["element"], inputs, arguments, str(node["ub"] or ""))
    show(out, grid, ("type", "argument"))


def ub_text(described: Mapping[str, Any]) -> str:
    """The tiles of a phase, and their bytes of UB."""
    ub, buffers = described["ub"], described["buffers"]
    tiles = f"{counted(buffers, 'buffer')} for tiles of {described['compute_length']} elements"
    return f"{ub['used']} of {ub['limit']} bytes: {tiles}"


def _crossing(out: Console, values: Sequence[Mapping[str, Any]], **said: Any) -> None:
    """The values that cross between phases."""
    grid = table("in the workspace", "shape", "type", "bytes", "written in phase", "read in")
    for value in values:
        phases = " and ".join(map(str, value["read"]))
        size, places = " x ".join(value["shape"]), (str(value["written"]), phases)
        grid.add_row(value["name"], size, value["dtype"], value["bytes"], *places)
    show(out, grid)
    for title, text in crossing_texts(values, **said):
        say(out, f"{title:<10} {text}")


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
        why = "the accumulator is not whole in the workspace, so a later phase cannot read it again"
    elif kept:
        why = f"if all were computed again, {_taken(if_again)}"
    else:
        why = "to keep a matrix would save no time"
    stays = f"{' and '.join(kept)} kept" if kept else "nothing kept"
    computed = f", {', '.join(again)} computed again" if again else ""
    yield "Phases", f"{stays}{computed}: for each element of C {_taken(taken)}; {why}"
    if by_rows is not None:
        how = f"whole up to {rows_up_to} columns, in tiles that are not short" if rows_up_to else "not whole"
        yield "Rows", f"{how}: all phases in one visit of a row; {_taken(by_rows)}"
    if rows_up_to > whole_rows:
        turns = "of whole rows, one before each turn"
        yield "Meetings", f"none up to {whole_rows} columns; {turns}; else before each phase"
    elif whole_rows:
        yield "Meetings", f"none up to {whole_rows} columns, where a block has whole rows; else before each phase"
    else:
        yield "Meetings", "of all vector cores before each phase, since what crosses is not by rows alone"


def _taken(what: Mapping[str, float]) -> str:
    """What phases take for each element of C."""
    return f"{what['bytes']} bytes of matrices moved, {what['vector']:.2f} cycles of V, {what['cycles']:.2f} in all"


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
    groups: Sequence[str] | None = None,
    weights: tuple[str, bool] = ("stacked", False),
) -> Iterator[tuple[str, str]]:
    """Titles and lines about the kernel."""
    parts = f", K in {split_k} parts" if split_k > 1 else ""
    parts += ", in HF32" if hf32 else ""
    of_b = {None: "B is", "halves": "B with 2N columns is", "separate": "each of two Bs is"}[accumulators]
    yield "Kernel", f"{name}: {computes}{parts}, {policy}; A is {' '.join(a)}, {of_b} {' '.join(b)}"
    if groups is not None:
        says, element = groups
        pointers = ", one of the addresses of B" if weights[0] == "pointers" else ""
        which = ", one of the B that each takes" if weights[1] else ""
        yield "Groups", f"a list on the device of their {says}, {element}{pointers}{which}"
    if strides:
        fields = [f"{name.removeprefix('gemm.')}: {field}" for name, field in strides.items()]
        own = [name for name in strides if name not in shareable]
        share = "any may be 0: then all share it" + (f", but for {', '.join(own)}" if own else "")
        yield "Strides", f"{', '.join(fields)}; {share}"


def catlass_text(
    refused: Sequence[str] = (), handoff: str = "", compute_length: int = 0, ub: Mapping[str, int] | None = None
) -> str:
    """The epilogue in Catlass's own visitor framework."""
    if refused:
        return f"not in its own visitor framework: {'; '.join(refused)}"
    return f"in its own visitor framework: tiles of {compute_length}, the accumulator in {handoff.upper()}"


def workspace_text(
    handoff: str,
    stages: int,
    bytes_per_core: int = 0,
    bytes_per_element: int = 0,
    bytes_per_vector_core: int = 0,
    *,
    cast_b: str = "",
    slices: int = 0,
    accumulators: int = 1,
) -> str:
    """The bytes of the workspace for the accumulator, or both, for products of slices of K, and for B if it is cast to
    another type."""
    with_b = f", and B as {cast_b}" if cast_b else ""
    if not stages:
        products = f", and the products of {slices} slices of K" if slices else ""
        whole = "the whole accumulator" if accumulators == 1 else "the whole of both accumulators"
        return f"M * N * {bytes_per_element} bytes: {whole}{products}{with_b}"
    blocks = "1 block" if stages == 1 else f"{stages} blocks"
    blocks += " of the accumulator" if accumulators == 1 else " of each accumulator"
    if handoff == "ub":
        text = f"{bytes_per_vector_core} more bytes of UB hold a vector core's rows of {blocks}"
        return f"{f'B as {cast_b}' if cast_b else 'none'}: {text}"
    return f"{bytes_per_core} bytes per cube core, for any M and N: {blocks}{with_b}"


def order_text(reduced: Sequence[Mapping[str, str]]) -> str:
    """The bytes of the workspace for reductions in a fixed order."""
    parts = [f"{one['bytes']} bytes for {one['name']}" for one in reduced]
    return f"fixed, by parts of what is reduced in the workspace: {', '.join(parts)}"


def stack_text(epilogue: int, callbacks: int, frame: int, limit: int) -> str:
    """The bytes of the device's stack that an epilogue takes."""
    parts = f"{epilogue} of them the epilogue's object, {callbacks} its callbacks"
    return f"{frame} of {limit} bytes: {parts}"


def code_text(instructions: int, bytes: int, cache: int) -> str:
    """The size of an epilogue's code beside the instruction cache."""
    return f"{instructions} instructions for the vector core, about {bytes} of the {cache} bytes of its cache"


def _cpp(out: Console, text: str) -> None:
    """Print C++, which stays whole on a terminal."""
    out.print(wrapped(text, out.file), markup=False, soft_wrap=True)


def operators(
    families: Mapping[str, Sequence[str]], types: Mapping[str, Sequence[str]], kernels: Sequence[Mapping[str, Any]]
) -> None:
    """Print the names of the functions of ``ops`` by family, the element types of each architecture and the kernels."""
    out = console()
    for family, names in families.items():
        say(out, f"{family:<12} {', '.join(names)}")
    out.print()
    for name, elements in types.items():
        say(out, f"x.cast(T) on {name}: {' '.join(elements)}")
    out.print()
    for kernel in kernels:
        say(out, f"Kernel       {kernel['name']}, {kernel['gemm']}: {kernel['computes']}")
    out.print()
    say(out, "evtgen ops NAME shows one of them, evtgen ops --all a table of the operators.")


def function(row: Mapping[str, Any]) -> None:
    """Print a function of ``ops`` as :func:`evtgen.pipeline.explain.one_function` describes it."""
    out = console()
    lines = {
        "": f"ops.{row['form']}",
        "Computes": row["computes"],
        "Also": ", ".join(row.get("aliases", ())),
        **{f"{arch}": ", ".join(taken) or "not there" for arch, taken in row.get("types", {}).items()},
        "Accuracy": row.get("accuracy", ""),
        "Cost": row.get("cost", ""),
        "C++": row.get("cpp", ""),
        "Example": row["example"],
    }
    for title, text in lines.items():
        if text:
            say(out, f"{title:<10} {text}" if title else text)
    for call in row.get("calls", ()):
        _cpp(out, f"           {call}")


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
    grid = table("ops.", "C++", "inputs", *architectures, "AscendC")
    for row in rows:
        inputs = ", ".join([f"{row['inputs']}{' or more' if row['variadic'] else ''}", *row["constants"]])
        taken = [" ".join(row["types"][name]) for name in architectures]
        notes = [row["note"], " ".join(["also", *row["aliases"]]) if row["aliases"] else ""]
        calls = [*(f"# {note}" for note in notes if note), *row["calls"]]
        grid.add_row(row["name"], row["cpp"], inputs, *taken, "\n".join(calls))
    show(out, grid)
    grid = table("ops.", "takes", "computes")
    for row in functions:
        grid.add_row(row["name"], ", ".join(row["parameters"]), row["computes"])
    show(out, grid)
    for name, elements in types.items():
        say(out, f"x.cast(T) on {name}: {' '.join(elements)}")
    grid = table("gemm=", "kernel", "computes", "layout_a", "layout_b", *architectures)
    for kernel in kernels:
        layouts = [" ".join(names) for names in kernel["layouts"].values()]
        ways = [[f"{way}: {' '.join(found)}" for way, found in of.items()] for of in kernel["handoffs"].values()]
        grid.add_row(kernel["gemm"], kernel["name"], kernel["computes"], *layouts, *map("; ".join, ways))
    show(out, grid)
