"""Options and arguments that several commands share, and the parsing of their values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from ..diagnostics import aliases
from ..diagnostics.files import NOT_BUFFERS, NOT_GROUPS
from ..diagnostics.suggestions import suggest
from ..frontend.cpp.paths import INCLUDE_DIRS
from ..graph.ir import DEFAULT_ARCH
from ..options import MOST_MATMULS
from ..system.translation import tr
from ..targets import ARCHITECTURES
from .outcome import Form


def directory(text: str) -> Path:
    """An option's value as a path."""
    return Path(place(text))


def place(text: str) -> str:
    """An option's value as the name of a file or a directory. An empty one, usually from an unset variable, does not
    mean the working directory."""
    if not text:
        raise typer.BadParameter(tr("it is empty; the working directory is ."))
    return text


def _default_arch(context: typer.Context, name: str | None) -> str | None:
    """Sets the architecture of epilogues that name none, for this command."""
    if name is not None:
        if name not in ARCHITECTURES:
            known = suggest(name, ARCHITECTURES, aliases.ARCHITECTURES)
            raise typer.BadParameter(tr("there is no architecture {name!r}; {known}", name=name, known=known))
        before = DEFAULT_ARCH.set(name)
        context.call_on_close(lambda: DEFAULT_ARCH.reset(before))
    return name


Specs = Annotated[
    list[Path],
    typer.Argument(metavar="SPEC...", help=tr("Spec files: Python modules, JSON, or EVTs in C++: FILE.hpp:NAME.")),
]


def _one_form(context: typer.Context, value: Form | bool) -> str | bool:
    """Refuses ``--json`` together with a ``--format``; the other of the two is there if it was before this one."""
    given = {value, context.params.get("form"), context.params.get("as_json")}
    if True in given and not given.isdisjoint({Form.sarif, Form.github}):
        raise typer.BadParameter(tr("--format and --json exclude each other; give one of them"))
    # Typer makes a form of what is returned once more.
    return value.value if isinstance(value, Form) else value


Json = Annotated[bool, typer.Option("--json", callback=_one_form, help=tr("Print JSON on stdout."))]
Format = Annotated[
    Form,
    typer.Option(
        "--format",
        callback=_one_form,
        help=tr("Diagnostics as text, as a SARIF log, or as annotations of GitHub's workflows."),
    ),
]
Arch = Annotated[
    str | None,
    typer.Option(
        "--arch",
        metavar="|".join(ARCHITECTURES),
        callback=_default_arch,
        help=tr("Architecture of epilogues that name none; default: {arch}.", arch=DEFAULT_ARCH.get()),
    ),
]


def _include_dirs(context: typer.Context, directories: list[Path] | None) -> list[Path] | None:
    """Sets where headers of C++ are looked for, for this command."""
    if directories:
        before = INCLUDE_DIRS.set(tuple(directories))
        context.call_on_close(lambda: INCLUDE_DIRS.reset(before))
    return directories


IncludeDirs = Annotated[
    list[Path] | None,
    typer.Option(
        "-I",
        metavar="DIR",
        parser=directory,
        callback=_include_dirs,
        help=tr("Where headers of yours are; repeatable."),
    ),
]
Catlass = Annotated[Path, typer.Option("--catlass", parser=directory, metavar="DIR", help=tr("The Catlass checkout."))]


def parse_buffers(text: str) -> tuple[int, ...]:
    """``"1,2,3"`` as numbers, each once. Raises EvtgenError (EVT078)."""
    if not re.fullmatch(r"[1-9]\d?(,[1-9]\d?)*", text, re.ASCII):
        raise NOT_BUFFERS.refusal("text", text=text)
    return tuple(dict.fromkeys(int(part) for part in text.split(",")))


def parse_groups(text: str) -> tuple[int, ...]:
    """``"5,0,17"`` as numbers. Raises EvtgenError (EVT178)."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    wrong = next((part for part in parts if not re.fullmatch(r"0|[1-9]\d{0,8}", part, re.ASCII)), None)
    groups = () if wrong is not None else tuple(map(int, parts))
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    if wrong is not None:
        why = (
            tr("{wrong!r} is no whole number from 0 to 999999999", wrong=wrong[:20])
            if wrong
            else tr("a number is missing")
        )
    elif len(groups) > MOST_MATMULS:
        why = tr("it has {count}, and {most_matmuls} are the most", count=len(groups), most_matmuls=MOST_MATMULS)
    else:
        return groups
    raise NOT_GROUPS.refusal("text", shown=shown, why=why)
