"""Installing into a Catlass checkout, and removing. Files are added, and none of Catlass's is edited: at most those of
its own visitor framework give way, if the user asks for that, and come back."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..checkouts.catlass import FUSION_DIRECTORY, STYLE_FILE, Checkout, recognise, require_evg
from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic
from ..emit.format import StyleRefused
from ..emit.framework import EXTENDED, Framework
from ..emit.output.files import FileSet, State, Written, remove, up_to_date, write
from ..emit.output.manifest import MANIFEST
from ..emit.places import BUILD_LAYOUT, KEPT, kept_path
from ..options import InstallOptions, UninstallOptions
from ..system.translation import tr
from .build import Request, render


@dataclass(frozen=True)
class Installation:
    """The changes that an installation made, or would make.

    Attributes:
        checkout: where.
        written: the files.
        notes: sentences that a user should read.
        diagnostics: warnings.
        patch: the changes as a unified diff, if requested.
    """

    checkout: Checkout
    written: Written
    notes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    patch: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        place = self.checkout.framework
        return {
            "ok": True,
            "catlass": {"root": str(self.checkout.root), "release": self.checkout.release},
            "namespace": place.namespace,
            "directory": place.directory,
            **vars(self.written),
            "notes": list(self.notes),
            "patch": self.patch,
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
        }


def install(specs: Sequence[Path], catlass: Path, options: InstallOptions) -> Installation:
    """Add the framework and the epilogues of ``specs`` to the checkout; ``dry_run`` and ``diff`` only report the
    changes.

    If the checkout has a visitor framework of its own, evtgen's goes beside it, or with ``replace`` in its place: each
    file of Catlass's that is overwritten is kept in ``.evtgen-replaced``, and comes back with :func:`uninstall` or with
    an installation without ``replace``.

    With ``framework="catlass"`` the epilogues are written in the nodes of Catlass's own visitor framework; only nodes
    that it lacks come along.

    The C++ follows the checkout's own ``.clang-format`` if it has one; one that cannot be used causes a warning
    (EVT077). The text in the file ``banner`` goes to the top of every file.

    Raises EvtgenError: EVT093 if it is not a checkout, EVT155 if its release lacks the architecture of an epilogue,
    EVT070 if its framework is not one that evtgen's can replace,
    EVT176 and EVT175 if it has no framework of its own, or that cannot express an epilogue,
    EVT069 if a file of Catlass's cannot be kept or given back, EVT080 to EVT088 and EVT095 if files cannot be written,
    EVT076 for a banner that cannot be a comment.
    """
    own_framework, in_place, examples = options.framework == "catlass", options.replace, options.examples
    checkout = recognise(catlass)
    if (checkout.include / MANIFEST).is_file() and checkout.include != checkout.root:
        raise codes.BUILT_INTO.refusal(include=checkout.include, catlass=catlass)
    if own_framework:
        require_evg(checkout)
        if in_place:
            raise codes.USAGE.refusal("replace")
    if in_place and checkout.occupied and (why := checkout.irreplaceable) is not None:
        raise codes.IRREPLACEABLE.refusal(include=checkout.include / FUSION_DIRECTORY, why=why)
    was_replaced, checkout = checkout.replaced, replace(checkout, replaced=in_place and checkout.occupied)
    place = Framework(catlass=True) if own_framework else checkout.framework
    beside = checkout.root / "examples" if examples else None
    request = Request(
        tuple(specs),
        checkout.include,
        beside,
        place.namespace,
        place.directory,
        options.banner,
        catlass=own_framework,
        checkout=checkout,
        tuned=options.tuned,
        shape=options.shape,
    )
    files, warnings = _styled(request, checkout)
    if examples and not checkout.has_device_adapter:
        warnings.append(codes.NO_ADAPTER.of(release=checkout.release))
    if checkout.is_submodule:
        warnings.append(codes.SUBMODULE.of(root=checkout.root, catlass=catlass))
    patch = _patch(files, options.force) if options.diff else ""
    done = write([files], force=options.force, dry_run=options.dry_run or options.diff)
    notes = _notes(checkout, files, examples, own_framework)
    if was_replaced and not in_place and not done.restored:
        notes += (
            f"epilogues of other specs use evtgen's framework in {FUSION_DIRECTORY}, so it stays there; install all "
            "specs at once to give the place back",
        )
    return Installation(checkout, done, notes, tuple(warnings), patch)


def uninstall(catlass: Path, options: UninstallOptions) -> Installation:
    """Remove everything that evtgen wrote into the checkout. Raises EvtgenError as :func:`install` does."""
    checkout = recognise(catlass)
    roots = {checkout.root: checkout.layout}
    for inside in (checkout.include, checkout.root / "examples"):
        if inside.is_symlink() and (inside / MANIFEST).is_file():
            raise codes.LEAVES_ROOT.refusal("built into", inside=inside, realpath=os.path.realpath(inside))
        roots.setdefault(inside, BUILD_LAYOUT)
    return Installation(checkout, remove(roots, force=options.force), (_place(checkout),))


def _styled(request: Request, checkout: Checkout) -> tuple[FileSet, list[Diagnostic]]:
    """:func:`_files` in the checkout's own style, or in the usual style with a warning if that cannot be used."""
    try:
        return _files(replace(request, style=checkout.style()), checkout)
    except StyleRefused as refused:
        files, warnings = _files(request, checkout)
        return files, [*warnings, codes.STYLE.of(root=checkout.root / STYLE_FILE, refused=refused)]


def _files(request: Request, checkout: Checkout) -> tuple[FileSet, list[Diagnostic]]:
    """Everything as one set below the checkout, so that one manifest and one check of links covers it."""
    root = checkout.root
    sets, warnings = render(request)
    files: dict[str, str] = {}
    origin: dict[str, Path] = {}
    for part in sets:
        below = part.root.relative_to(root)
        files.update({(below / path).as_posix(): text for path, text in part.files.items()})
        origin.update({(below / path).as_posix(): spec for path, spec in part.origin.items()})
    return FileSet(root, files, origin, request.specs, checkout.layout, checkout.replaced), warnings


def _place(checkout: Checkout) -> str:
    return tr("Catlass {release} in {root}", release=checkout.release, root=checkout.root)


def _notes(checkout: Checkout, files: FileSet, examples: bool, own_framework: bool) -> tuple[str, ...]:
    place = checkout.framework
    notes = [_place(checkout)]
    if own_framework:
        added = any(f"{EXTENDED.directory}/" in path for path in files.files)
        beside = tr("; nodes that this lacks go into {place}", place=EXTENDED.directory) if added else ""
        own = tr("the epilogues are written in its own visitor framework, in {place}", place=FUSION_DIRECTORY)
        notes.append(own + beside)
    elif checkout.replaced:
        text = tr(
            "evtgen's visitor framework is in the place of its own in {place}, which is kept in {kept} and comes back "
            "with evtgen uninstall"
        )
        notes.append(text.format(place=FUSION_DIRECTORY, kept=KEPT))
    elif checkout.occupied:
        choice = "" if checkout.irreplaceable else tr("; --replace puts it in its place")
        text = tr(
            "it has a visitor framework of its own in {place}; evtgen's goes beside it, into {beside}, namespace "
            "{namespace}"
        )
        named = {"beside": place.directory, "namespace": place.namespace}
        notes.append(text.format(place=FUSION_DIRECTORY, **named) + choice)
    if examples:
        names = sorted(path.split("/")[1] for path in files.files if path.endswith("/CMakeLists.txt"))
        text = tr(
            "to build them, add to the list of examples of their architecture in examples/CMakeLists.txt: {names}"
        )
        notes.append(text.format(names=" ".join(names)))
    return tuple(notes)


def _patch(files: FileSet, force: bool) -> str:
    """The changes, as a patch for ``git apply``."""
    differences = up_to_date([files], force=force)
    changed = {Path(found.path).relative_to(files.root).as_posix(): found.state for found in differences}
    parts: list[str] = []
    for path in sorted(changed.keys() - {MANIFEST, "."}):
        old = _text(files.root / path).splitlines(keepends=True)
        back = _text(files.root / kept_path(path)) if changed[path] is State.RESTORED else ""
        new = files.files.get(path, back).splitlines(keepends=True)
        before = f"a/{path}" if old else "/dev/null"
        after = f"b/{path}" if path in files.files or back else "/dev/null"
        parts += difflib.unified_diff(old, new, before, after)
    return "".join(parts)


def _text(path: Path) -> str:
    """The text of a file, which may hold anything if somebody else wrote it; none if it is not there."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
