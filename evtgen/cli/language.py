"""What the library of the command line says, in the user's language: help, in columns of a terminal, and refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..system.columns import broken, columns, padded
from ..system.translation import recognised, tr

SAYS = (
    "Usage: ", "[OPTIONS]", "COMMAND [ARGS]...", "Options", "Arguments", "Commands", "required", "default: {default}",
    "Show this message and exit.", "Install completion for the current shell.",
    "Show completion for the current shell, to copy it or customize the installation.",
    "No such command {name!r}.", "No such option: {name} (Possible options: {possibilities})",
    "No such option: {name} Did you mean {possibilities}?", "No such option: {name}", "Missing command.",
    "Missing argument {name}.", "Missing option {name}.", "Missing parameter: {name}",
    "Invalid value for {param_hint}: {message}", "Invalid value: {message}",
    "{value!r} is not a valid {number_type}.", "{value!r} is not one of {choices}.",
    "{value} is not in the range {range}.", "Got unexpected extra argument ({args})",
    "Got unexpected extra arguments ({args})", "Got unexpected extra argument(s) ({args})",
    "Option {name!r} requires an argument.",
    "Option {name!r} does not take a value.", "integer", "float",
)  # fmt: skip
"""The texts. Some releases of the library ask gettext for some of them."""


def said(text: str) -> str:
    """A text of the library in the user's language."""
    return recognised(text, SAYS)


_REMARKS = re.compile(r"; (?=[^\[\]]*\]$)")
"""What the library puts between remarks in the brackets behind a text."""

_Base: Any = typer.Context.formatter_class
_Rows = Sequence[tuple[str, str]]


class _Formatter(_Base):  # type: ignore[misc]
    """Help whose lines end where the terminal does."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The usage, with the words of it that are not names."""
        for one in ("[OPTIONS]", "COMMAND [ARGS]..."):
            args = args.replace(one, tr(one))
        super().write_usage(prog, args, tr("Usage: ") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        """A title."""
        self.write(tr("{heading}:", heading=heading) + "\n")

    def write_text(self, text: str) -> None:
        """Paragraphs."""
        self.write(self._lines(text, " " * self.current_indent))

    def write_dl(self, rows: _Rows, col_max: int = 30, col_spacing: int = 2) -> None:
        """Names, and beside them what they are."""
        first = min(max(columns(name) for name, _ in rows), col_max) + col_spacing
        for name, text in rows:
            begin, indent = " " * self.current_indent + padded(name, first), " " * (self.current_indent + first)
            long = columns(name) > first - col_spacing
            self.write(f"{begin.rstrip()}\n" if long or not text else begin)
            lines = self._lines(_REMARKS.sub(tr("; "), said(text)), indent) if text else ""
            self.write(lines if long else lines.removeprefix(indent))

    def _lines(self, text: str, indent: str) -> str:
        parts = [broken(part.replace("\n", " "), self.width, indent, indent) for part in text.split("\n\n")]
        return "\n\n".join("\n".join(part) for part in parts) + "\n"


class _Speaks:
    """A command whose help is in the user's language."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, those of the library too."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if getattr(parameter, "help", None):
                parameter.help = said(parameter.help)
        return found

    def get_help(self, ctx: Any) -> str:
        """The help."""
        ctx.formatter_class = _Formatter
        return str(super().get_help(ctx)).rstrip()  # type: ignore[misc]

    def get_usage(self, ctx: Any) -> str:
        """The line before a refusal."""
        ctx.formatter_class = _Formatter
        return str(super().get_usage(ctx))  # type: ignore[misc]


class Command(_Speaks, TyperCommand):
    """A command."""


class Group(_Speaks, TyperGroup):
    """All commands."""
