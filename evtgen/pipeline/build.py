"""Epilogues to files: load, check, plan, emit, write."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..checkouts.catlass import Checkout, recognise, require_arch, require_operands
from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..emit.banner import read_banner
from ..emit.finish import LATER, Finish
from ..emit.format import STYLE
from ..emit.framework import Framework
from ..emit.output.files import Difference, FileSet, Written, up_to_date, write
from ..emit.places import OWN, is_directory
from ..graph.ir import Epilogue
from ..graph.shapes import Shape
from ..options import EmitOptions
from ..passes.analysis.cpp_names import namespace_fault
from .specs import Checked, expressible, load_and_check

INTERACTIVE = "<interactive>"
"""What the manifest has for the file of an epilogue that has none."""


@dataclass(frozen=True)
class Request:
    """The options of ``evtgen build``.

    Attributes:
        specs: the spec files.
        output: the include root.
        examples: where example directories go; None for none.
        namespace, directory: C++ namespace and include path of the framework.
        catlass: write the epilogues in the nodes of Catlass's own visitor framework.
        banner: a file whose text goes to the top of every emitted file; None for none.
        style: the text of the ``.clang-format`` that the C++ follows; None for that of Catlass v1.6.3.
        checkout: the checkout that the files are for, if any: its release, and where it has room for the framework.
        given: epilogues in place of those of spec files.
        tuned: a store of winners, whose options the epilogues have; None for their own.
        shape: the problem size that the kernels are for; None for any.
    """

    specs: tuple[Path, ...]
    output: Path
    examples: Path | None = None
    namespace: str = Framework.namespace
    directory: str = Framework.directory
    banner: Path | None = None
    style: str | None = None
    catlass: bool = False
    checkout: Checkout | None = None
    given: Checked | None = None
    tuned: Path | None = None
    shape: Shape | None = None

    @classmethod
    def of(
        cls,
        options: EmitOptions,
        output: Path,
        examples: Path | None,
        *,
        specs: tuple[Path, ...] = (),
        given: Checked | None = None,
    ) -> Request:
        """The request of a command. Raises EvtgenError (EVT093) if ``options.catlass`` is no checkout."""
        return cls(
            specs,
            output,
            examples,
            Framework.namespace if options.namespace is None else options.namespace,
            Framework.directory if options.fusion_dir is None else options.fusion_dir,
            options.banner,
            catlass=options.framework == "catlass",
            checkout=None if options.catlass is None else recognise(options.catlass),
            given=given,
            tuned=options.tuned,
            shape=options.shape,
        )


def build(request: Request, *, force: bool = False) -> tuple[Written, list[Diagnostic]]:
    """Write the framework and each epilogue's files; returns the changes and the warnings. Raises EvtgenError."""
    sets, warnings = render(request)
    return write(sets, force=force), warnings


def compare(request: Request) -> tuple[list[Difference], list[Diagnostic]]:
    """The files that :func:`build` would change, and the warnings. Raises EvtgenError."""
    sets, warnings = render(request)
    return up_to_date(sets), warnings


def render(request: Request) -> tuple[list[FileSet], list[Diagnostic]]:
    """The files of a build in memory, one set per root, and the warnings.

    Raises EvtgenError, and :class:`~evtgen.emit.format.StyleRefused` if clang-format rejects ``request.style``.
    """
    framework = framework_of(request)
    finish = _finish(request)
    checked = (request.given or load_and_check(request.specs)).require()
    checked = chosen(checked, request.tuned, request.shape)
    if request.checkout is not None:
        require_arch(request.checkout, (plan.arch.name for plan in checked.plans))
    from ..emit.render import NEWEST, common_files, epilogue_files, example_files, framework_files

    plans = checked.plans
    if request.checkout is not None:
        require_operands(request.checkout, (plan.gemm for plan in plans))
    if request.catlass:
        expressible(plans)
    headers = framework_files(framework, LATER, plans)
    release = NEWEST if request.checkout is None else request.checkout.version
    examples = common_files(LATER, release) if request.examples is not None else {}
    origin: dict[str, Path] = {}
    example_origin: dict[str, Path] = {}
    for spec in checked.specs:
        for plan in spec.plans:
            path = spec.path or _defined_in(plan.epilogue, request.output)
            made = epilogue_files(plan, framework, LATER)
            if (header := Path(framework.directory).parts[0]) in made:
                raise codes.NO_PLACE.refusal("header", directory=framework.directory, header=header)
            headers.update(made)
            origin.update(dict.fromkeys(made, path))
            if request.examples is not None:
                made = example_files(plan, LATER, release, framework)
                examples.update(made)
                example_origin.update(dict.fromkeys(made, path))
    headers, examples = _finished(finish, headers, examples)
    if request.examples is None:
        return [FileSet(request.output, headers, origin, request.specs)], checked.diagnostics
    if os.path.realpath(request.examples) == os.path.realpath(request.output):
        merged = FileSet(request.output, {**headers, **examples}, {**origin, **example_origin}, request.specs)
        return [merged], checked.diagnostics
    sets = [
        FileSet(request.output, headers, origin, request.specs),
        FileSet(request.examples, examples, example_origin, request.specs),
    ]
    return sets, checked.diagnostics


def chosen(checked: Checked, tuned: Path | None, shape: Shape | None) -> Checked:
    """Epilogues with the options of their winners in a store, else with blocks for a shape, and warnings that say so.
    Raises EvtgenError for what is no store (EVT295), and for a shape that an epilogue cannot have."""
    if tuned is not None:
        from .winners import with_winners

        return with_winners(checked, tuned, shape)
    if shape is not None:
        from .fitting import for_shape

        return for_shape(checked, shape)
    return checked


def _defined_in(epilogue: Epilogue, root: Path) -> Path:
    """The file of an epilogue, for the manifest; a cell of a notebook, or a line at a prompt, is none."""
    file = None if epilogue.location is None else Path(epilogue.location.file)
    return root / INTERACTIVE if file is None or not file.is_file() else file


def _finished(finish: Finish, *sets: Mapping[str, str]) -> list[dict[str, str]]:
    """All files of all sets finished together: one process of the formatter."""
    finished = finish.apply({f"{i}/{path}": text for i, files in enumerate(sets) for path, text in files.items()})
    return [{path: finished[f"{i}/{path}"] for path in files} for i, files in enumerate(sets)]


def _finish(request: Request) -> Finish:
    """The banner read (EVT076), and the style."""
    banner = "" if request.banner is None else read_banner(request.banner)
    return Finish(STYLE if request.style is None else request.style, banner)


def framework_of(request: Request) -> Framework:
    """The framework's names. Raises EvtgenError (EVT085) unless they are a C++ namespace and a path below the root."""
    if request.catlass:
        return _own_framework(request)
    problems = []
    if fault := namespace_fault(request.namespace):
        problems.append(fault)
    path = Path(request.directory)
    if any(part.lower().startswith(OWN) for part in path.parts):
        problems.append(codes.NO_PLACE.of("own", directory=request.directory, own=OWN))
    elif not is_directory(path.as_posix()):
        problems.append(codes.NO_PLACE.of("directory", directory=request.directory))
    if problems:
        raise EvtgenError(problems, 2)
    given = Framework(namespace=request.namespace, directory=path.as_posix())
    return given if request.checkout is None or given != Framework() else request.checkout.framework


def _own_framework(request: Request) -> Framework:
    """Catlass's own framework. Raises EvtgenError (EVT079) for options of evtgen's."""
    if (request.namespace, request.directory) != (Framework.namespace, Framework.directory):
        raise codes.USAGE.refusal("own framework")
    return Framework(catlass=True)
