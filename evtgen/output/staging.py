"""A file's new content, which lies beside its place until it is moved there."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import EvtgenError
from ..system.translation import tr
from .disk import NotAFile, content


def there(path: Path) -> bytes | None:
    """The content of a file that may be written over; None where nothing is. Raises EvtgenError: EVT081 for something
    else than a file, EVT095 where the system refuses."""
    try:
        return content(path)
    except NotAFile as error:
        message = tr("{path} is {error}; a file has to go there", path=path, error=error)
        raise codes.IN_THE_WAY.error(message, help=tr("move it away, or name another place")) from None
    except OSError as error:
        message = tr("cannot read {path}: {strerror}", path=path, strerror=error.strerror or error)
        raise codes.CANNOT_WRITE.error(message, help=tr("check permissions"), status=3) from error


def stage(path: Path, data: bytes) -> Path:
    """A temporary file in the directory of ``path``, which is made if need be, with the content and the permissions
    that a new file there has. Raises OSError, and leaves no file then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return Path(temporary)


def unwritable(path: object, error: OSError) -> EvtgenError:
    """EVT095, for a file that the system refuses to write."""
    message = tr("cannot write {path}: {strerror}", path=path, strerror=error.strerror or error)
    return codes.CANNOT_WRITE.error(message, help=tr("check permissions and free space"), status=3)
