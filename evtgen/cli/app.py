"""The command line: parse arguments, call one function, print what it returns. One module per command."""

from __future__ import annotations

import gc
import inspect
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from ..diagnostics.files import USAGE
from ..system.translation import share, tr
from ..version import __version__
from .language import Command, Group, said
from .outcome import OK, WRONG_INPUT, print_diagnostics, print_json, unexpected

_UsageError: Any = typer.BadParameter.__bases__[0]
"""From the click that typer uses: its own copy, or the package for an older typer."""

app = typer.Typer(
    name="evtgen",
    cls=Group,
    help=tr("Catlass epilogue visitors from Python, verified on a CPU model."),
    epilog=tr(
        "Exit status: 0 success, 1 verification failed or --check found differences, 2 wrong input, 3 environment."
    ),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Language(str, Enum):
    """What ``--lang`` takes, the languages of :mod:`evtgen.system.translation`."""

    en = "en"
    zh = "zh"


def _version(asked: bool) -> None:
    if asked:
        print(f"evtgen {__version__}")
        raise typer.Exit


def _cmake_dir(asked: bool) -> None:
    if asked:
        print(Path(__file__).parent.parent / "device" / "cmake")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help=tr("Print the version and exit."))
    ] = False,
    cmake_dir: Annotated[
        bool,
        typer.Option("--cmake-dir", callback=_cmake_dir, is_eager=True, help=tr("Print the CMake package directory.")),
    ] = False,
    lang: Annotated[
        Language | None, typer.Option("--lang", help=tr("The language of messages and help, else that of LANG."))
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help=tr("No colours, as with NO_COLOR set."))] = False,
) -> None:
    """Catlass epilogue visitors from Python, verified on a CPU model."""
    if no_color:
        os.environ["NO_COLOR"] = "1"


COMMANDS = (
    "new",
    "build",
    "check",
    "lint",
    "verify",
    "profile",
    "tune",
    "explain",
    "report",
    "watch",
    "ops",
    "schema",
    "install",
    "uninstall",
    "extension",
    "partition",
    "data",
    "cpu",
)
"""Each is the function of its name in the module of its name."""


def add_commands(arguments: Sequence[str]) -> None:
    """Add the command that the arguments name, or all: what the others import would take longer than many a check."""
    first = _named(arguments)
    for name in (first,) if first else COMMANDS:
        command = getattr(import_module(f".{name}", __package__), name)
        # As it is: without a short form, a long summary is cut off with an ellipsis.
        doc = inspect.getdoc(command)
        assert doc is not None
        text = tr(doc)
        app.command(help=text, short_help=text, cls=Command)(command)


def _named(arguments: Sequence[str]) -> str | None:
    """The command that the arguments name."""
    return next((argument for argument in arguments if argument in COMMANDS), None)


def main() -> int:
    """Run the command line; returns the exit status. Raises KeyboardInterrupt, nothing else."""
    if cache := os.environ.get("EVTGEN_CACHE"):
        # A spec may change the working directory.
        with suppress(OSError):
            os.environ["EVTGEN_CACHE"] = os.path.abspath(cache)
    # A trace is some hundred thousand objects, all of which stay.
    gc.set_threshold(200_000, 20, 20)
    share()
    try:
        add_commands(sys.argv[1:])
        return app(prog_name="evtgen", standalone_mode=False) or OK
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else OK if ended.code is None else WRONG_INPUT
    except _UsageError as error:
        return _wrong_usage(error)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:  # in printing a result
        return unexpected(error, as_json=_json_wanted())


def _json_wanted() -> bool:
    """Whether the command line has ``--json``. Arguments after -- belong to the program of ``evtgen cpu``."""
    arguments = sys.argv[1:]
    return "--json" in arguments[: arguments.index("--") if "--" in arguments else None]


def _wrong_usage(error: Any) -> int:
    """EVT079, on stderr after the usage of the command, or with ``--json`` on stdout."""
    # There is no context where the value of an option is missing.
    command = error.ctx.command_path if error.ctx else " ".join(["evtgen", *filter(None, [_named(sys.argv[1:])])])
    bare = type(error).__name__ == "NoArgsIsHelpError"
    if bare and not _json_wanted():
        error.show()
        return WRONG_INPUT
    message = tr("no command is given") if bare else said(error.format_message())
    wrong = USAGE(message, help=_of_all(error) or tr("{command} --help lists the options", command=command))
    if _json_wanted():
        print_json({"ok": False, "diagnostics": [wrong.to_json()]})
    else:
        if error.ctx is not None:
            print(error.ctx.get_usage(), file=sys.stderr)
        print_diagnostics([wrong])
    return WRONG_INPUT


def _of_all(error: Any) -> str | None:
    """Where an option stands that is one of all commands."""
    option = getattr(error, "option_name", None)
    if error.ctx is None or error.ctx.parent is None or option is None:
        return None
    if not any(option in parameter.opts for parameter in error.ctx.find_root().command.params):
        return None
    return tr("{option} stands before the command: evtgen {option} … {name}", option=option, name=error.ctx.info_name)
