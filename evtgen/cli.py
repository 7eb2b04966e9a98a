"""The command line: parse arguments, call one function, print what it returns."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from . import __version__, show
from .check.diagnostics import Diagnostic, EvtgenError, render
from .emit import codes

Result = TypeVar("Result")

_UsageError: Any = typer.BadParameter.__bases__[0]
"""Of whichever click typer is built on: its own, or the package, where typer is older."""

OK, FAILED, WRONG_INPUT, WRONG_ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses; 130 is the shell's own for Ctrl-C."""

app = typer.Typer(
    name="evtgen",
    help="Catlass epilogue visitors from Python, proved on a CPU model.",
    epilog="Exit status: 0 fine, 1 verification failed or --check found differences, 2 wrong input, 3 environment.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Data(str, Enum):
    """What ``--data`` takes."""

    int = "int"
    normal = "normal"


def directory(text: str) -> Path:
    """An option's value as a path. An empty one, which is mostly an unset variable, is not the working directory."""
    if not text:
        raise typer.BadParameter("it is empty; the working directory is .")
    return Path(text)


Specs = Annotated[list[Path], typer.Argument(metavar="SPEC", help="Spec files: Python modules or JSON.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Banner = Annotated[
    Path | None, typer.Option("--banner", metavar="FILE", help="Text for the top of every file, such as a licence.")
]
Shapes = Annotated[
    list[str], typer.Option("--shape", metavar="MxNxK", help="Problem to run; repeatable. Default: small ones.")
]


def _version(asked: bool) -> None:
    if asked:
        print(f"evtgen {__version__}")
        raise typer.Exit


def _cmake_dir(asked: bool) -> None:
    if asked:
        print(Path(__file__).parent / "cmake")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    cmake_dir: Annotated[
        bool, typer.Option("--cmake-dir", callback=_cmake_dir, is_eager=True, help="Print where the CMake package is.")
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours, as with NO_COLOR set.")] = False,
) -> None:
    """Catlass epilogue visitors from Python, proved on a CPU model."""
    if no_color:
        os.environ["NO_COLOR"] = "1"


@app.command()
def build(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help="Include root to write into.")
    ],
    examples: Annotated[
        Path | None,
        typer.Option(
            "--examples", parser=directory, metavar="DIR", help="Also write an example directory per epilogue."
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a build would.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited and foreign files.")] = False,
    namespace: Annotated[
        str, typer.Option(metavar="NS", help="C++ namespace of the framework.")
    ] = "Catlass::Epilogue::Fusion",
    fusion_dir: Annotated[
        str, typer.Option(metavar="DIR", help="Directory of the framework below the include root.")
    ] = "catlass/epilogue/fusion",
    banner: Banner = None,
    as_json: Json = False,
) -> None:
    """Write the framework and each epilogue's header into an include root."""
    from .build import Request

    request = Request(tuple(specs), output, examples, namespace, fusion_dir, banner)
    if check:
        from .build import compare

        differences, warnings = _call(compare, request, as_json=as_json)
        found = [{"path": d.path, "state": d.state} for d in differences]
        if as_json:
            _print_json({"ok": not found, "differences": found, "diagnostics": [d.to_json() for d in warnings]})
        else:
            _print_diagnostics(warnings)
            show.differences(differences)
        raise typer.Exit(FAILED if found else OK)
    from .build import build

    written, warnings = _call(build, request, force=force, as_json=as_json)
    if as_json:
        _print_json({"ok": True, **vars(written), "diagnostics": [d.to_json() for d in warnings]})
    else:
        _print_diagnostics(warnings)
        show.written(written)


@app.command()
def check(
    specs: Specs,
    numeric: Annotated[
        bool, typer.Option("--numeric", help="Also run your own operators over a grid of values, against their numpy.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what is wrong with the specs; write nothing, and compile nothing without --numeric."""
    from .build import check_numeric, load_and_check

    checked = _call(load_and_check, specs, as_json=as_json)
    measured = []
    if numeric and checked.ok:
        progress = show.progress if sys.stderr.isatty() else None
        measured = _call(check_numeric, checked, progress, as_json=as_json)
    ok = all(result.ok for result in measured)
    if as_json:
        found: dict[str, Any] = {
            "ok": checked.ok and ok,
            "epilogues": [epilogue.name for epilogue in checked.epilogues],
            "diagnostics": [d.to_json() for d in checked.diagnostics],
        }
        if numeric:
            found["operators"] = [result.to_json() for result in measured]
        _print_json(found)
    else:
        _print_diagnostics(checked.diagnostics)
        if checked.ok:
            names = [epilogue.name for epilogue in checked.epilogues]
            print(f"{len(names)} {'epilogue' if len(names) == 1 else 'epilogues'} fine: {', '.join(names)}")
        if checked.ok and numeric:
            show.accuracies(measured)
    raise typer.Exit(WRONG_INPUT if not checked.ok else OK if ok else FAILED)


@app.command()
def verify(
    specs: Specs,
    shape: Shapes = [],  # noqa: B006 - typer copies it
    seed: Annotated[int, typer.Option(min=0, help="Seed of the input data.")] = 0,
    data: Annotated[Data, typer.Option(help="Whole numbers -5 to 5, or normally distributed.")] = Data.int,
    cxx: Annotated[
        str | None, typer.Option(metavar="g++|clang++", help="C++ compiler; default: the first found")
    ] = None,
    headers: Annotated[
        Path | None,
        typer.Option(parser=directory, metavar="DIR", help="Verify the headers in this include root, not fresh ones."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings of the model count as failures.")] = False,
    catlass: Annotated[
        Path | None,
        typer.Option(parser=directory, metavar="DIR", help="Compile against this Catlass checkout, not the stand-in."),
    ] = None,
    schedules: Annotated[
        int, typer.Option(metavar="N", min=0, help="Also run as late as possible and in N random orders, and compare.")
    ] = 0,
    pad: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=999_999_999,
            help="Elements between the rows of every tensor, as in a larger matrix.",
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Build, compile, run on the CPU model and compare with numpy."""

    def run() -> Any:
        from .build import parse_shape, verify
        from .verify import Options

        shapes = tuple(parse_shape(text) for text in shape)
        chosen = Options(shapes, seed, data.value, cxx, headers, strict, catlass, schedules, pad=pad)
        return verify(specs, chosen, show.progress if sys.stderr.isatty() else None)

    results, warnings = _call(run, as_json=as_json, as_array=True)
    if as_json:
        _print_json([result.to_json() for result in results])
    else:
        _print_diagnostics(warnings)
        show.results(results)
    raise typer.Exit(OK if all(result.ok for result in results) else FAILED)


@app.command()
def profile(
    specs: Specs,
    shape: Annotated[str, typer.Option(metavar="MxNxK", help="Problem size.")] = "1024x4096x64",
    buffers: Annotated[str, typer.Option(metavar="N,...", help="Numbers of buffers to compare.")] = "1,2,3",
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a Chrome trace, for Perfetto or chrome://tracing.")
    ] = None,
    cxx: Annotated[
        str | None, typer.Option(metavar="g++|clang++", help="C++ compiler; default: the first found")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run on the CPU model's table of costs: cycles, busy pipes, overlap. A model, never a measurement."""

    def run() -> Any:
        from .build import parse_buffers, parse_shape
        from .profile import profile, write_trace

        say = show.progress if sys.stderr.isatty() else None
        found, warnings = profile(specs, parse_shape(shape), parse_buffers(buffers), cxx, say)
        if trace is not None:
            write_trace(found, trace)
        return found, warnings

    found, warnings = _call(run, as_json=as_json, as_array=True)
    if as_json:
        _print_json([one.to_json() for one in found])
    else:
        _print_diagnostics(warnings)
        show.profiles(found)


@app.command()
def explain(specs: Specs, as_json: Json = False) -> None:
    """Show the graph, the C++ type, the order of the arguments and the UB budget."""
    from .explain import explain

    plans, warnings = _call(explain, specs, as_json=as_json)
    if as_json:
        _print_json(plans)
    else:
        _print_diagnostics(warnings)
        for plan in plans:
            show.plan(plan)


@app.command()
def ops(as_json: Json = False) -> None:
    """List the operators, their types per architecture and the AscendC calls behind each."""
    from .explain import operators

    rows = _call(operators, as_json=as_json)
    if as_json:
        _print_json(rows)
    else:
        show.operators(rows)


@app.command()
def schema(as_json: Json = False) -> None:
    """Print the JSON Schema of JSON specs (it is JSON with or without --json)."""

    def run() -> Any:
        from .frontend.schema import json_schema

        return json_schema()

    _print_json(_call(run, as_json=as_json))


def main() -> int:
    """Run the command line; returns the exit status. With ``--json`` wrong usage is a diagnostic (EVT079) on stdout."""
    try:
        return app(prog_name="evtgen", standalone_mode=False) or OK
    except _UsageError as error:
        arguments = sys.argv[1:]
        # What comes after -- is not for evtgen.
        if "--json" not in arguments[: arguments.index("--") if "--" in arguments else None]:
            error.show()
            return WRONG_INPUT
        command = error.ctx.command_path if error.ctx else "evtgen"
        wrong = codes.USAGE(error.format_message(), help=f"{command} --help lists the options")
        _print_json({"ok": False, "diagnostics": [wrong.to_json()]})
        return WRONG_INPUT
    except typer.Abort:
        raise KeyboardInterrupt from None


def _call(function: Callable[..., Result], *args: Any, as_json: bool, as_array: bool = False, **kwargs: Any) -> Result:
    """What ``function`` returns. Whatever it raises becomes diagnostics and an exit status, never a traceback."""
    try:
        return function(*args, **kwargs)
    except EvtgenError as error:
        _fail(error.diagnostics, error.status, as_json, as_array)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    except BaseException as error:
        if os.environ.get("EVTGEN_DEBUG") == "1":
            raise
        _fail([internal_error(error)], WRONG_ENVIRONMENT, as_json, as_array)


def internal_error(error: BaseException) -> Diagnostic:
    """EVT099: what a user is told when evtgen itself is wrong."""
    return codes.INTERNAL(
        f"internal error: {type(error).__name__}: {error}",
        help="this is a fault in evtgen, not in your spec; run again with EVTGEN_DEBUG=1 and report spec and output",
    )


def _fail(diagnostics: list[Diagnostic], status: int, as_json: bool, as_array: bool) -> NoReturn:
    if as_json:
        failure = {"ok": False, "diagnostics": [d.to_json() for d in diagnostics]}
        _print_json([failure] if as_array else failure)
    else:
        _print_diagnostics(diagnostics)
    raise SystemExit(status)


def _print_diagnostics(diagnostics: list[Diagnostic]) -> None:
    if diagnostics:
        print(render(diagnostics, color=show.color(sys.stderr)), file=sys.stderr)


def _print_json(value: Any) -> None:
    """In ASCII: half a surrogate pair, which JSON specs and file names can hold, could not be printed."""
    print(json.dumps(value, indent=2, default=str))


from . import cli_catlass as _cli_catlass  # noqa: E402, F401 - its commands register themselves
