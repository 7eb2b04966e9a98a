"""Files that are the user's from the moment they are written: all of them or none, and never over what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..system.translation import tr
from .staging import stage, there, unwritable


def write_new(
    files: Mapping[Path, str], *, force: bool = False, remedies: Mapping[Path, str] = MappingProxyType({})
) -> list[Path]:
    """Write text to each path, making directories if need be; returns those of which the content was another or none.

    Where a file is there, its user is told the path's own remedy, or else to remove it or to force.

    Raises EvtgenError, and changes nothing then: EVT080 where a file with another content is, unless by ``force``;
    EVT081 where something else than a file is; EVT095 where the system refuses.
    """
    before = {path: there(path) for path in files}
    changed = {path: text.encode() for path, text in files.items() if before[path] != text.encode()}
    if problems := [_exists(path, remedies.get(path)) for path in changed if before[path] is not None and not force]:
        raise EvtgenError(problems)
    try:
        with _undone() as (staged, moved):
            for path, data in changed.items():
                staged[path] = stage(path, data)
            for path, temporary in staged.items():
                moved[path] = before[path]
                if before[path] is None:
                    # Unlike a rename it never takes the place of a file that has come in the meantime.
                    os.link(temporary, path)
                    os.unlink(temporary)
                else:
                    os.replace(temporary, path)
    except FileExistsError as error:
        raise EvtgenError([_exists(Path(error.filename2 or error.filename))]) from error
    except OSError as error:
        raise unwritable(error.filename2 or error.filename or next(iter(files)), error) from error
    return list(changed)


@contextmanager
def _undone() -> Iterator[tuple[dict[Path, Path], dict[Path, bytes | None]]]:
    """Temporary files by the path that they are for, and the old content of each path that may have been changed: on
    any exception the former are removed and the latter put back."""
    staged: dict[Path, Path] = {}
    moved: dict[Path, bytes | None] = {}
    try:
        yield staged, moved
    except BaseException:
        for path, old in moved.items():
            with suppress(OSError):
                if old is not None:
                    os.replace(stage(path, old), path)
                elif not staged[path].exists() or os.path.samefile(staged[path], path):
                    os.unlink(path)
        for temporary in staged.values():
            with suppress(OSError):
                os.unlink(temporary)
        raise


def _exists(path: Path, remedy: str | None = None) -> Diagnostic:
    help_ = remedy or tr("keep your copy elsewhere and remove it, or overwrite it with --force")
    return codes.NOT_OURS(tr("{path} exists", path=path), help=help_)
