"""The way through the house: load, check, lower, emit, write. The command line prints what these return."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .check import check
from .check.diagnostics import Diagnostic, EvtgenError, has_errors
from .check.reserved import KEYWORDS, MACROS
from .emit import codes
from .emit.files import Difference, FileSet, Written, up_to_date, write
from .ir import Epilogue

if TYPE_CHECKING:
    from .accuracy import Accuracy
    from .emit.finish import Finish
    from .emit.framework import Framework
    from .verify import Options, Result

DEFAULT_NAMESPACE = "Catlass::Epilogue::Fusion"
DEFAULT_DIRECTORY = "catlass/epilogue/fusion"
"""Where the framework goes unless asked otherwise; said here too so that ``check`` need not import the emitter."""


@dataclass(frozen=True)
class Spec:
    """A spec file and the epilogues in it, in order of definition."""

    path: Path
    epilogues: tuple[Epilogue, ...]


@dataclass
class Checked:
    """Specs that were loaded and checked, and all that is to be said about them."""

    specs: list[Spec] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no diagnostic is an error."""
        return not has_errors(self.diagnostics)

    @property
    def epilogues(self) -> list[Epilogue]:
        """The epilogues of all specs, in order."""
        return [epilogue for spec in self.specs for epilogue in spec.epilogues]

    def require(self) -> Checked:
        """Itself; raises EvtgenError with every diagnostic when one is an error."""
        if not self.ok:
            raise EvtgenError(self.diagnostics, 2)
        return self


def load_and_check(paths: Sequence[Path]) -> Checked:
    """Load every spec and check every epilogue. What a spec does wrong, failing to load included, is a diagnostic."""
    from .frontend.load import load

    result = Checked()
    # A spec named twice is one spec.
    for path in dict.fromkeys(paths):
        try:
            epilogues = tuple(load([path]))
        except EvtgenError as error:
            result.diagnostics += error.diagnostics
            continue
        result.specs.append(Spec(path, epilogues))
        for epilogue in epilogues:
            result.diagnostics += check(epilogue)
    result.diagnostics += _clashes(result.epilogues)
    return result


def _clashes(epilogues: Sequence[Epilogue]) -> list[Diagnostic]:
    """EVT083: epilogues that would be written to one header."""
    # Some file systems do not tell capitals from small letters.
    counts = Counter(str(epilogue.name).lower() for epilogue in epilogues)
    first: dict[str, str] = {}
    problems = []
    for epilogue in epilogues:
        name, lower = str(epilogue.name), str(epilogue.name).lower()
        if lower not in first:
            first[lower] = name
            continue
        if name == first[lower]:
            message = f"{name} is the name of {counts[lower]} epilogues; each writes {name}.hpp"
        else:
            message = f"{name}.hpp and {first[lower]}.hpp differ in capitals only and would be one file on some systems"
        help_ = "give it another name=, or build the specs into different directories"
        problems.append(codes.SAME_NAME(message, epilogue.location, help_))
    return problems


@dataclass(frozen=True)
class Request:
    """What ``evtgen build`` is asked for.

    Attributes:
        specs: the spec files.
        output: the include root.
        examples: where example directories go; None for none.
        namespace, directory: C++ namespace and include path of the framework.
        banner: a file whose text goes on top of every emitted file; None for none.
        style: the text of the ``.clang-format`` that the C++ follows; None for that of Catlass v1.6.3.
    """

    specs: tuple[Path, ...]
    output: Path
    examples: Path | None = None
    namespace: str = DEFAULT_NAMESPACE
    directory: str = DEFAULT_DIRECTORY
    banner: Path | None = None
    style: str | None = None


def build(request: Request, *, force: bool = False) -> tuple[Written, list[Diagnostic]]:
    """Write the framework and each epilogue's files; returns what was done and the warnings. Raises EvtgenError."""
    sets, warnings = render(request)
    return write(sets, force=force), warnings


def compare(request: Request) -> tuple[list[Difference], list[Diagnostic]]:
    """What :func:`build` would change, and the warnings. Raises EvtgenError."""
    sets, warnings = render(request)
    return up_to_date(sets), warnings


def render(request: Request) -> tuple[list[FileSet], list[Diagnostic]]:
    """The files of a build in memory, one set per root, and the warnings.

    Raises EvtgenError, and :class:`~evtgen.emit.format.StyleRefused` when clang-format does not take ``request.style``.
    """
    framework = _framework(request)
    finish = _finish(request)
    checked = load_and_check(request.specs).require()
    from .emit.render import common_files, epilogue_files, example_files, framework_files
    from .lower.plan import lower

    headers = framework_files(framework, finish)
    examples = common_files(finish) if request.examples is not None else {}
    origin: dict[str, Path] = {}
    example_origin: dict[str, Path] = {}
    for spec in checked.specs:
        for epilogue in spec.epilogues:
            plan = lower(epilogue)
            made = epilogue_files(plan, framework, finish)
            headers.update(made)
            origin.update(dict.fromkeys(made, spec.path))
            if request.examples is not None:
                made = example_files(plan, finish)
                examples.update(made)
                example_origin.update(dict.fromkeys(made, spec.path))
    if request.examples is None:
        return [FileSet(request.output, headers, origin, request.specs)], checked.diagnostics
    if request.examples.resolve() == request.output.resolve():
        merged = FileSet(request.output, {**headers, **examples}, {**origin, **example_origin}, request.specs)
        return [merged], checked.diagnostics
    sets = [
        FileSet(request.output, headers, origin, request.specs),
        FileSet(request.examples, examples, example_origin, request.specs),
    ]
    return sets, checked.diagnostics


def _finish(request: Request) -> Finish:
    """The banner read (EVT078), and the style."""
    from .emit.banner import read_banner
    from .emit.finish import Finish
    from .emit.format import STYLE

    banner = "" if request.banner is None else read_banner(request.banner)
    return Finish(STYLE if request.style is None else request.style, banner)


def _framework(request: Request) -> Framework:
    """The framework's names, refused (EVT085) when they are no C++ namespace or no path below the include root."""
    problems = []
    if not re.fullmatch(r"Catlass(::[A-Za-z_]\w*)+", request.namespace, re.ASCII):
        message = f"--namespace {request.namespace!r} is not a C++ namespace below Catlass"
        problems.append(codes.NO_PLACE(message, help="write it like Catlass::Epilogue::MyFusion"))
    else:
        for name in request.namespace.split("::"):
            if name in KEYWORDS | MACROS or "__" in name or re.match(r"_[A-Z]", name):
                message = f"--namespace {request.namespace!r}: {name} is a keyword, a macro or reserved in C++"
                problems.append(codes.NO_PLACE(message, help="write it like Catlass::Epilogue::MyFusion"))
    path = Path(request.directory)
    # The directory is written into #include lines as it is.
    plain = all(re.fullmatch(r"[A-Za-z0-9_.-]+", part) for part in path.parts)
    if not plain or ".." in path.parts or not path.parts:
        message = f"--fusion-dir {request.directory!r} is not a directory below the include root"
        problems.append(codes.NO_PLACE(message, help="write it like my/fusion"))
    if problems:
        raise EvtgenError(problems, 2)
    from .emit.framework import Framework

    return Framework(namespace=request.namespace, directory=path.as_posix())


def verify(
    paths: Sequence[Path], options: Options, progress: Callable[[str], None] | None = None
) -> tuple[list[Result], list[Diagnostic]]:
    """Verify every epilogue, see :func:`evtgen.verify.verify_plans`; also returns the warnings. Raises EvtgenError."""
    checked = load_and_check(paths).require()
    from .lower.plan import lower
    from .verify import verify_plans

    return verify_plans([lower(epilogue) for epilogue in checked.epilogues], options, progress), checked.diagnostics


def check_numeric(checked: Checked, progress: Callable[[str], None] | None = None) -> list[Accuracy]:
    """Run the operators that the specs declare themselves against their numpy functions, in the element types and with
    the constants with which the epilogues have them. Raises EvtgenError without a compiler."""
    from .accuracy import measure, own_cases
    from .lower.plan import lower

    results = []
    cases = own_cases([lower(epilogue) for epilogue in checked.epilogues])
    for case, result in zip(cases, measure(cases, progress=progress), strict=True):
        if progress is not None:
            progress(f"{case.operator.name} in {case.T}: {'ok' if result.ok else 'FAILED'}")
        results.append(result)
    return results


def parse_buffers(text: str) -> tuple[int, ...]:
    """``"1,2,3"`` as numbers, each once. Raises EvtgenError (EVT086)."""
    if not re.fullmatch(r"[1-9]\d?(,[1-9]\d?)*", text, re.ASCII):
        raise codes.NOT_A_SHAPE.error(f"{text!r} is no list of numbers of buffers", help="write it like 1,2,3")
    return tuple(dict.fromkeys(int(part) for part in text.split(",")))


def parse_shape(text: str) -> tuple[int, int, int]:
    """``"87x198x120"`` as (M, N, K). Raises EvtgenError (EVT086)."""
    match = re.fullmatch(r"([1-9]\d{0,8})[x*,]([1-9]\d{0,8})[x*,]([1-9]\d{0,8})", text.strip(), re.ASCII)
    if match is None:
        raise codes.NOT_A_SHAPE.error(f"{text!r} is not a shape M x N x K", help="write it like 256x512x1024")
    return int(match[1]), int(match[2]), int(match[3])
