"""Catlass's files whose place evtgen's take: kept below their root, and given back."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic
from ..emit.places import kept_path
from ..system.translation import tr
from .disk import NotAFile, content, detour, sha256
from .transaction import Content, Copy

Changes = dict[str, Content]
"""Changes to files of one root, by root-relative path."""


def keep(root: Path, shown: Path, path: str) -> Changes | Diagnostic:
    """The change that keeps a file of Catlass's before it is overwritten; EVT069 or EVT082 if there is no room."""
    kept = kept_path(path)
    try:
        data = content(root / path) or b""
    except NotAFile as error:
        return codes.NOT_KEPT(
            tr("{shown} cannot be kept: it is {error}", shown=shown / path, error=error),
            help=tr("install without --replace"),
        )
    wrong = detour(root, kept)
    if wrong is not None:
        return codes.LEAVES_ROOT(tr("{wrong} is not a directory of its own", wrong=wrong), help=tr("move it away"))
    if os.path.lexists(root / kept) and sha256(root / kept) != digest(data):
        message = tr(
            "{shown} cannot be kept: {shown2} is another file, which no manifest lists",
            shown=shown / path,
            shown2=shown / kept,
        )
        return codes.NOT_KEPT(
            message, help=tr("if that is the original, put it back in the place of {shown}", shown=shown / path)
        )
    return {kept: Copy(data, path)}


def give_back(root: Path, shown: Path, path: str, original: str) -> Changes | Diagnostic:
    """The changes that put Catlass's file back, which had the hash ``original``; EVT069 if it was not kept as it was.

    Nothing but the kept file has to go if somebody has put the original back already.
    """
    kept = kept_path(path)
    try:
        data = None if detour(root, kept) else content(root / kept)
    except NotAFile:
        data = None
    intact = data is not None and digest(data) == original
    if sha256(root / path) == original:
        return {kept: None} if intact else {}
    if data is None or not intact:
        what = tr("is not there") if data is None else tr("was changed")
        message = tr(
            "{shown} cannot be given back: the file of Catlass's, kept in {shown2}, {what}",
            shown=shown / path,
            shown2=shown / kept,
            what=what,
        )
        return codes.NOT_KEPT(message, help=tr("get it from Catlass's repository: git checkout -- {path}", path=path))
    return {path: Copy(data, kept), kept: None}


def digest(data: str | bytes) -> str:
    """The hash of a file with this content."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
