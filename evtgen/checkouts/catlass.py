"""A Catlass checkout: the place of its headers, its release, and the place for the framework."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.evg import NO_EVG
from ..diagnostics.machine import NO_ARCH, NO_CHECKOUT, NO_OPERAND
from ..emit.output.manifest import Entry, read_manifest
from ..emit.places import Layout, framework_paths
from ..graph import types
from ..graph.ir import Gemm
from ..graph.types import ElementType, float4_e2m1fn, float32, int4
from ..kernels.matmul import Matmul
from ..passes.analysis.gemm import in_digits
from ..system.translation import tr

if TYPE_CHECKING:
    from ..emit.framework import Framework

FUSION_DIRECTORY = "catlass/epilogue/fusion"
OTHER_NAMESPACE, OTHER_DIRECTORY = "Catlass::Epilogue::Evt", "catlass/epilogue/evt"
"""The place of the framework when Catlass has a fusion directory of its own (from v1.6 on)."""

_LAYOUT, _BARE_LAYOUT = Layout(("include",), ("examples",)), Layout(("",), ("", "examples"))
"""Where an installation writes: below a checkout, and below an include root that is all there is of one."""

STYLE_FILE = ".clang-format"

_EVG = (
    "epilogue/fusion/fusion.hpp",
    "epilogue/fusion/tree_visitor.hpp",
    "gemm/kernel/basic_matmul_tla_visitor.hpp",
    "gemm/kernel/basic_matmul_tla_ub_visitor.hpp",
)
"""Headers of the visitor framework for Ascend950, which tell it from others in its directory."""

_RELEASES = (
    ("v1.6.2 or later", "gemm/kernel/symm_tla.hpp"),
    ("v1.6.1", "gemm/block/block_mmad_amla_pv_tp1_spec.hpp"),
    ("v1.6.0", "conv/kernel/basic_conv2d_tla.hpp"),
    ("v1.5.0", "epilogue/block/block_epilogue_fixpipe.hpp"),
    ("v1.3.1 or v1.4.0", "numeric_size.hpp"),
    ("v1.3.0", "gemm/kernel/dynamic_single_core_splitk_matmul.hpp"),
    ("v1.2.2", "gemm/kernel/dynamic_padding_streamk_matmul.hpp"),
    ("v1.2.1", "conv/kernel/basic_conv2d.hpp"),
    ("v1.2.0", "conv_coord.hpp"),
    ("v1.1.0", "debug.hpp"),
    ("v1.0.1", "status.hpp"),
    ("v1.0.0", "catlass.hpp"),
)
"""Releases, newest first, and a header that each was the first to have. No file of a checkout names its release
reliably: the change log of a tag describes the previous release, and copies have no tags."""

_SINCE = {"Ascend950": "v1.6.0"}
"""The first release with what evtgen's headers take from Catlass, of architectures that not every release has."""


class _Copy(NamedTuple):
    """A copy of the block matmul that not every release has.

    Attributes:
        operand: ``"a"`` or ``"b"``.
        moves: whether an operand of a type and a layout takes it.
        header: where it is declared, below ``gemm/``.
        declared: the words that do so, without spaces.
    """

    operand: str
    moves: Callable[[ElementType, types.Layout], bool]
    header: str
    declared: str

    def is_missing(self, gemm: Path) -> bool:
        """Whether the header below ``gemm`` has no such words; not, if there is no header to tell."""
        places = (gemm / self.header, gemm / "tile" / "atlasa2" / self.header.removeprefix("tile/"))
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in places if path.is_file()]
        return bool(texts) and self.declared not in "".join("".join(texts).split())


_COPIES = (
    _Copy(
        "a", lambda element, _: element == int4,
        "helper.hpp", "ElementAccumulatorSelector<AscendC::int4b_t,AscendC::int4b_t>",
    ),
    _Copy(
        "a", lambda element, _: element == float4_e2m1fn,
        "helper.hpp", "ElementAccumulatorSelector<float4_e2m1x2_t,float4_e2m1x2_t>",
    ),
    _Copy("a", lambda _, layout: layout.fractal, "helper.hpp", "L1ATypeSelector<Gemm::GemmType<Element,layout::zN>>"),
    # AscendC API reference, LoadData (2D): it transposes elements of 16 bits only.
    _Copy(
        "a", lambda element, layout: element == float32 and not layout.by_rows,
        "tile/copy_l1_to_l0a.hpp", "CopyL1ToL0A<ArchTag,Gemm::GemmType<float,layout::nZ,AscendC::TPosition::A1>>",
    ),
    _Copy(
        "b", lambda element, layout: element == float32 and layout.by_rows,
        "tile/copy_l1_to_l0b.hpp", "CopyL1ToL0B<ArchTag,Gemm::GemmType<float,layout::zN,AscendC::TPosition::A1>>",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Checkout:
    """A recognised checkout.

    Attributes:
        given: the directory as the user named it.
        include: its include root, absolute.
        release: its release, as far as its headers show it.
        own: the headers of a visitor framework of its own, below the include root: those in the fusion directory, and
            those in the places of evtgen's block epilogue and kernel. Those that evtgen's have replaced count too.
        replaced: whether evtgen's framework stands in the place of its own.
    """

    given: Path
    include: Path
    release: str
    own: frozenset[str]
    replaced: bool

    @property
    def version(self) -> tuple[int, ...]:
        """The first release that it may be, as numbers."""
        return tuple(int(number) for number in self.release.split()[0].removeprefix("v").split("."))

    @property
    def root(self) -> Path:
        """The checkout; the include root itself if that is all there is."""
        return self.include.parent if self.include.name == "include" else self.include

    @property
    def occupied(self) -> bool:
        """Whether it has a fusion directory of its own."""
        return any(path.startswith(f"{FUSION_DIRECTORY}/") for path in self.own)

    @property
    def framework(self) -> Framework:
        """Where the framework goes in this checkout: beside one of its own, unless it has replaced that."""
        from ..emit.framework import Framework

        beside = self.occupied and not self.replaced
        return Framework(OTHER_NAMESPACE, OTHER_DIRECTORY) if beside else Framework(replaces=self.replaced)

    @property
    def has_evg(self) -> bool:
        """Whether it has the visitor framework for Ascend950, with its kernels."""
        return all((self.include / "catlass" / header).is_file() for header in _EVG)

    @property
    def irreplaceable(self) -> str | None:
        """The reason why evtgen's framework cannot stand in for the checkout's own; None if it can.

        It can if it has every header of the other one's, and that one has the block epilogue and the kernel which
        programs for either are written with. That of v1.6 has a kernel of other names and for another architecture.
        """
        from ..emit.framework import Framework

        ours = Framework()
        beyond = sorted(self.own - set(framework_paths(ours).values()))
        if beyond:
            return f"evtgen's has no {PurePosixPath(beyond[0]).name}"
        missing = sorted({ours.block_header, ours.kernel_header(Matmul.header)} - self.own)
        return f"it has no {missing[0]}" if missing else None

    @property
    def is_submodule(self) -> bool:
        """Whether it is a submodule: its ``.git`` is a file that names a directory among the modules of another one."""
        link = self.root / ".git"
        try:
            return link.is_file() and "/modules/" in link.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False

    @property
    def layout(self) -> Layout:
        """Where below :attr:`root` an installation writes."""
        return _BARE_LAYOUT if self.root == self.include else _LAYOUT

    @property
    def has_device_adapter(self) -> bool:
        """Whether it has the adapter that launches kernels; only v1.0.0 does not."""
        return (self.include / "catlass/gemm/device/device_gemm.hpp").is_file()

    def style(self) -> str | None:
        """The text of its own ``.clang-format``; None without one. Raises StyleRefused if it cannot be read."""
        from ..emit.format import StyleRefused

        path = self.root / STYLE_FILE
        if not os.path.lexists(path):
            return None
        try:
            if not path.is_file():
                raise StyleRefused("it is not a file")
            return path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise StyleRefused("it is not UTF-8") from error
        except OSError as error:
            raise StyleRefused(error.strerror or "it cannot be read") from error

    def own_headers(self) -> dict[str, str]:
        """The headers right in the include root, name to text: where epilogues are installed.

        A header there finds the checkout's files before those of any other directory, because a quoted include looks
        beside the including file first. To replace some of those files, compile copies from another place.
        """
        return {
            path.name: path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(self.include.glob("*.h*"))
            if path.is_file()
        }


def recognise(directory: Path) -> Checkout:
    """The checkout ``directory``, or the one whose include root that is. Raises EvtgenError (EVT093)."""
    try:
        root = Path(os.path.realpath(directory))
        include = root / "include" if is_include(root / "include") else root
        if not is_include(include):
            raise NO_CHECKOUT.refusal(_why_not(directory), help=_instead(directory, root), directory=directory)
    except OSError as error:
        raise NO_CHECKOUT.refusal("unreadable", directory=str(directory), strerror=error.strerror) from None
    release = next(name for name, header in _RELEASES if (include / "catlass" / header).is_file())
    return Checkout(directory, include, release, *_own_framework(include))


def require_evg(checkout: Checkout) -> None:
    """Raises EvtgenError (EVT176) for a checkout without the visitor framework for Ascend950."""
    if not checkout.has_evg:
        raise NO_EVG.refusal(release=checkout.release, root=checkout.root)


def require_arch(checkout: Checkout, architectures: Iterable[str]) -> None:
    """Raises EvtgenError (EVT155) if the checkout's release lacks what epilogues for one of ``architectures`` take."""
    releases = [name for name, _ in _RELEASES]
    for arch in sorted(set(architectures) & _SINCE.keys()):
        if releases.index(checkout.release) > releases.index(_SINCE[arch]):
            raise NO_ARCH.refusal(release=checkout.release, root=checkout.root, arch=arch, since=_SINCE[arch])


def require_operands(checkout: Checkout, gemms: Iterable[Gemm]) -> None:
    """Raises EvtgenError (EVT181) if the checkout's block matmul lacks a copy that a chosen GEMM takes."""
    lacking = [copy for copy in _COPIES if copy.is_missing(checkout.include / "catlass" / "gemm")]
    for gemm in gemms:
        a = gemm.b if in_digits(gemm) else gemm.a
        for name, T, layout in (("a", a, gemm.layout_a), ("b", gemm.b, gemm.layout_b)):
            if T is not None and any(copy.operand == name and copy.moves(T, layout) for copy in lacking):
                raise NO_OPERAND.refusal(
                    release=checkout.release, root=checkout.root, upper=name.upper(), T=T, layout=layout, name=name
                )


def nearest_checkout(directory: Path) -> Path | None:
    """The checkout that ``directory`` is in, if any."""
    around = (directory, *directory.parents)
    return next((candidate for candidate in around if is_include(candidate / "include")), None)


def is_include(directory: Path) -> bool:
    """Whether ``directory`` is the include root of a Catlass."""
    return (directory / "catlass" / "catlass.hpp").is_file()


def _own_framework(include: Path) -> tuple[frozenset[str], bool]:
    """``own`` and ``replaced`` of a :class:`Checkout`: the files that evtgen did not write, or that it replaced."""
    from ..emit.framework import Framework

    written = _written(include, _BARE_LAYOUT)
    if include.name == "include":
        written |= _written(include.parent, _LAYOUT)
    replaced = {path for path, entry in written.items() if entry.replaced}
    fusion, ours = include / FUSION_DIRECTORY, Framework()
    there = {path for path in fusion.rglob("*") if not path.is_dir()}
    there |= {
        path for name in (ours.block_header, ours.kernel_header(Matmul.header)) if (path := include / name).exists()
    }
    own = (there - written.keys()) | replaced
    return frozenset(path.relative_to(include).as_posix() for path in own), bool(replaced)


def _written(root: Path, layout: Layout) -> dict[Path, Entry]:
    """The files in a manifest; none if it is refused, for which the command that uses it has a diagnostic."""
    try:
        return {root / path: entry for path, entry in read_manifest(root, root, layout).items()}
    except (OSError, EvtgenError):
        return {}


def _why_not(directory: Path) -> str:
    """The case of EVT093."""
    if not os.path.lexists(directory):
        return "missing"
    return "another" if directory.is_dir() else "no directory"


def _instead(directory: Path, root: Path) -> str:
    """A suggestion: a checkout around the directory, or just below it."""
    below = sorted(root.iterdir()) if root.is_dir() else ()
    for candidate in (nearest_checkout(root), *below):
        if candidate is not None and is_include(candidate / "include"):
            return tr("did you mean --catlass {candidate}?", candidate=candidate)
    return tr("give the directory that a git clone of Catlass made: it holds include/catlass and examples")
