"""The last step of emission: the user's banner at the top, and the format of the tree that the files go to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .banner import with_banner
from .format import STYLE, format_files


@dataclass(frozen=True)
class Finish:
    """How emitted files are finished.

    Attributes:
        style: the text of the ``.clang-format`` that the C++ follows.
        banner: text for the top of every file; empty for none.
    """

    style: str = STYLE
    banner: str = ""

    def apply(self, files: Mapping[str, str]) -> dict[str, str]:
        """The finished files. Raises :class:`~evtgen.emit.format.StyleRefused` when clang-format refuses the style."""
        return format_files({path: with_banner(path, text, self.banner) for path, text in files.items()}, self.style)


class _Later(Finish):
    """Leaves files as they are."""

    def apply(self, files: Mapping[str, str]) -> dict[str, str]:
        return dict(files)


LATER = _Later()
"""For files that are finished all together in the end: a formatter for each costs more than everything else."""

PLAIN = Finish()
"""In Catlass's style, without a banner."""
