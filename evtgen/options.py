"""The options of the commands: a record for each.

A record is the one declaration of its options. The command line and the Python function of that name take theirs from
it, and what is behind them takes the record as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from inspect import getattr_static
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, overload

from .diagnostics import files as codes
from .diagnostics.diagnostic import EvtgenError
from .emit.framework import Framework
from .graph.shapes import Shape
from .kernels import Matmuls
from .system.limits import TIMEOUT
from .system.translation import tr
from .targets import ARCHITECTURES

if TYPE_CHECKING:
    from .model.execution import Settings
    from .model.programs import Compilation

MOST = 999_999_999
"""The largest extent, the most rows of a group, and the most elements between two rows."""

MOST_MATMULS = 9999
"""The most matmuls of one launch on the CPU model."""

MOST_BUFFERS = 99

MOST_CORES = 64
"""Cube cores of the CPU model."""

SHORTEST = 0.1
"""Seconds that a run has at the least."""

ShapeLike = Sequence[int] | str
"""(M, N, K)."""

PathLike: TypeAlias = str | Path

ProgressLike = bool | Callable[[str], None]
"""Whether to show how far the work is, or who does."""

InFramework = Literal["evtgen", "catlass"]
"""The visitor framework: evtgen's, or Catlass's own."""

Style = Literal["package", "csrc", "catlass"]
"""What an extension of PyTorch is."""

Run = Literal["reference", "model"]
"""How the kernels of a model run: as their references in numpy, or as they are emitted on the CPU model."""

Data = Literal["int", "normal"]
"""A kind of data: whole numbers, or normally distributed ones."""

Given = TypeVar("Given")
Taken = TypeVar("Taken")


class Option(Generic[Given, Taken]):
    """A field of a record. Setting it checks what is given in Python, and brings it into the one form that it is read
    in, which it also takes.

    Attributes:
        name: of the field.
        default: what is given where nothing is.
        help: of the command line; None for an option of the Python function alone.
        flags: how the command line has it; none of them means the name behind two hyphens.
        metavar: what stands for its value in the help.
    """

    name: str

    def __init__(
        self, default: Given, help: str | None = None, *, flags: Sequence[str] = (), metavar: str | None = None
    ) -> None:
        self.default, self.help, self.flags, self.metavar = default, help, flags, metavar

    def take(self, given: Given) -> Taken:
        """What is given in the form in which it is read. Raises EvtgenError for what cannot be meant."""
        raise NotImplementedError

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, record: None, owner: Any) -> Given: ...
    @overload
    def __get__(self, record: object, owner: Any) -> Taken: ...
    def __get__(self, record: object | None, owner: Any) -> Any:
        return self.default if record is None else vars(record)[self.name]

    def __set__(self, record: object, given: Given) -> None:
        vars(record)[self.name] = self.take(given)


class AsGiven(Option[Given, Given]):
    """An option that is looked at where it is used."""

    def take(self, given: Given) -> Given:
        return given


class Switch(AsGiven[bool]):
    """An option that is on or off."""


class Word(AsGiven[str | None]):
    """A name; None: the default."""

    def take(self, given: str | None) -> str | None:
        return self.default if given is None else given


class Whole(Option[Given, Given]):
    """A whole number, numpy's too, from ``low`` to ``high``; or None, if that is the default."""

    def __init__(self, default: Given, help: str | None, *, low: int, high: int | None = None, metavar: str = "N"):
        super().__init__(default, help, metavar=metavar)
        self.low, self.high = low, high

    def take(self, given: Given) -> Given:
        if given is None and self.default is None:
            return given
        low, high = self.low, self.high
        try:
            number: Any = _whole(given)
        except TypeError:
            number = low - 1
        if low <= number and (high is None or number <= high):
            return number  # type: ignore[no-any-return]
        raise codes.USAGE.here("range" if high else "whole", name=self.name, given=given, low=low, high=high)


class Seconds(Option[float | None, float]):
    """How long something may take; None: :data:`~evtgen.system.limits.TIMEOUT`."""

    low, high, most = SHORTEST, None, MOST

    def take(self, given: float | None) -> float:
        if given is None:
            return TIMEOUT
        if isinstance(given, Real) and not isinstance(given, bool) and self.low <= given <= self.most:
            return float(given)
        raise codes.USAGE.here("timeout", given=given, low=self.low, high=self.most)


class Choice(Option[Given, Given]):
    """One of some words; or None, if that is the default."""

    def __init__(self, default: Given, help: str, among: Iterable[str]) -> None:
        super().__init__(default, help)
        self.among = tuple(among)

    def take(self, given: Given) -> Given:
        if given in self.among or (given is None and self.default is None):
            return given
        raise codes.USAGE.here("choice", name=self.name, given=given, among=", ".join(self.among))


class Place(Option[PathLike | None, Path | None]):
    """A file, or a directory, or None."""

    def __init__(self, help: str, *, metavar: str = "DIR", exists: bool = True) -> None:
        super().__init__(None, help, metavar=metavar)
        self.exists = exists

    def take(self, given: PathLike | None) -> Path | None:
        return None if given is None else path(given)


class Words(Option[Iterable[str], tuple[str, ...]]):
    """Any number of words."""

    def take(self, given: Iterable[str]) -> tuple[str, ...]:
        return tuple(given)


class Places(Option[Iterable[PathLike], tuple[Path, ...]]):
    """Any number of paths."""

    def take(self, given: Iterable[PathLike]) -> tuple[Path, ...]:
        return tuple(map(Path, given))


class Size(Option[ShapeLike | None, Shape | None]):
    """(M, N, K), or None."""

    def take(self, given: ShapeLike | None) -> Shape | None:
        return None if given is None else _shape(given)


class Sizes(Option[ShapeLike | Iterable[ShapeLike], tuple[Shape, ...]]):
    """Any number of (M, N, K), or one."""

    def take(self, given: ShapeLike | Iterable[ShapeLike]) -> tuple[Shape, ...]:
        several = [given] if isinstance(given, str) else list(given)
        return (
            (_shape(several),)
            if several and all(isinstance(one, Integral) for one in several)
            else tuple(map(_shape, several))
        )


class Rows(Option[Iterable[int] | None, tuple[int, ...] | None]):
    """The rows of each group, or None."""

    def take(self, given: Iterable[int] | None) -> tuple[int, ...] | None:
        if given is None:
            return None
        try:
            rows = tuple(_whole(one) for one in given)
        except (TypeError, ValueError):
            raise codes.NOT_GROUPS.here("value", given=given) from None
        if len(rows) > MOST_MATMULS or not all(0 <= one <= MOST for one in rows):
            raise codes.NOT_GROUPS.here("value", given=given)
        return rows


class Counts(Option[int | Sequence[int] | None, tuple[int, ...] | None]):
    """Numbers of buffers, each once, or None."""

    def take(self, given: int | Sequence[int] | None) -> tuple[int, ...] | None:
        if given is None:
            return None
        try:
            counts = tuple(dict.fromkeys(_whole(one) for one in ([given] if isinstance(given, int) else given)))
        except (TypeError, ValueError):
            counts = ()
        if not counts or not all(1 <= count <= MOST_BUFFERS for count in counts):
            raise codes.NOT_BUFFERS.here("value", given=given)
        return counts


def path(given: PathLike) -> Path:
    """A path. Raises EvtgenError (EVT079) for an empty one, which does not mean the working directory."""
    if not str(given):
        raise codes.USAGE.here("empty path")
    return Path(given)


def _shape(given: Any) -> Shape:
    """(M, N, K), or "MxNxK". Raises EvtgenError (EVT086)."""
    if isinstance(given, str):
        return parse_shape(given, codes.NOT_A_SHAPE.here)
    try:
        m, n, k = map(_whole, given)
    except (TypeError, ValueError):
        m = n = k = 0
    if not all(1 <= side <= MOST for side in (m, n, k)):
        raise codes.NOT_A_SHAPE.here("value", given=given)
    return m, n, k


def parse_shape(text: str, said: Callable[..., EvtgenError] = codes.NOT_A_SHAPE.refusal) -> Shape:
    """``"87x198x120"`` as (M, N, K). Raises EvtgenError (EVT086), which says what is wrong with which number."""

    def refused(why: str) -> EvtgenError:
        return said("text", shown=text if len(text) <= 60 else f"{text[:60]}…", why=why)

    sides = re.split("[x*,]", text.strip())
    if len(sides) != 3:
        count = (
            tr("{count} number{s}", count=len(sides), s="s" if len(sides) > 1 else "")
            if text.strip()
            else tr("nothing")
        )
        raise refused(tr("it has {count}, not three", count=count))
    for name, side in zip("MNK", sides, strict=True):
        if not re.fullmatch(r"\d+", side, re.ASCII):
            raise refused(
                tr("{name} is {side!r}, not a whole number from 1 up", name=name, side=side)
                if side
                else tr("{name} is missing", name=name),
            )
        if side.startswith("0"):
            raise refused(
                tr("{name} is {side}, but is a whole number from 1 up, without zeros in front", name=name, side=side),
            )
        if len(side) > 9:
            raise refused(tr("{name} has {count} digits, but is at most 999999999", name=name, count=len(side)))
    m, n, k = map(int, sides)
    return m, n, k


def _whole(given: Any) -> int:
    """A whole number, numpy's too. Raises TypeError."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError
    return int(given.__index__())


NPUS = {str(arch.npu): arch.name for arch in ARCHITECTURES.values()}
"""The number of each architecture, and its name."""

BATCH: Whole[int | None] = Whole(
    None, tr("Matmuls of a launch, where the epilogue is batched."), low=1, high=MOST_MATMULS, metavar="L"
)
GROUPS = Rows(None, tr("Rows, or parts of K, of each group, where the epilogue is grouped: 5,0,17"), metavar="M,M,...")
RANKS: Whole[int | None] = Whole(
    None, tr("Ranks that rows go to, where the epilogue names any. Default: 3."), low=1, high=MOST_MATMULS, metavar="R"
)
BUFFERS = Counts(None, tr("Numbers of buffers to compare; else 1, 2, 3 and its own."), metavar="N,...")
ARCH = Word(None)
CXX = Word(None, tr("C++ compiler; default: EVTGEN_CXX, or the first one found"), metavar="g++|clang++")
CORES: Whole[int | None] = Whole(
    None, tr("Cube cores of the device; vector cores are twice as many."), low=1, high=MOST_CORES, metavar="N"
)
TIME = Seconds(TIMEOUT, tr("End a program that takes longer."), metavar="SECONDS")
STRICT = Switch(False, tr("Warnings count as failures."))
TRACE = Place(tr("Write a Chrome trace, for Perfetto or chrome://tracing."), metavar="FILE", exists=False)
MEASURED = Place(tr("What a device took: a CSV of msprof, to lay beside the clock."), metavar="FILE")
DEVICE = Switch(False, tr("Run on the Ascend device of this machine, through torch_npu."))
AGAINST_CATLASS = Place(tr("Compile against this checkout, not the stand-in."))
AGAINST_ASCENDC = Place(tr("AscendC's own headers, from this asc-devkit."))
FRAMEWORK: Choice[InFramework] = Choice(
    "evtgen", tr("evtgen's visitor framework, or Catlass's own (v1.6 and later, Ascend950)."), ("evtgen", "catlass")
)
FORCE = Switch(False, tr("Overwrite files that were edited or that evtgen did not write."))
BANNER = Place(tr("Text for the top of every file, such as a licence."), metavar="FILE", exists=False)
PROGRESS: AsGiven[ProgressLike] = AsGiven(False)
EXECUTOR: AsGiven[Executor | None] = AsGiven(None)
JOBS: Whole[int | None] = Whole(
    None, tr("Spread the work over N processes, which share the cache."), low=1, high=MOST_CORES, metavar="N"
)
TUNED = Place(tr("Take the winners of this store of evtgen tune."), metavar="FILE", exists=False)
FOR_SHAPE = Size(None, tr("For this problem size: other blocks where those for any leave cores idle."), metavar="MxNxK")
DASK = Word(None, tr("Spread the work over the workers of this scheduler of Dask."), metavar="ADDRESS")


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """What to check beyond the rules."""

    numeric: Switch = Switch(False, tr("Also run your own operators on a grid of values and compare with numpy."))
    arch: Word = ARCH
    framework: Choice[InFramework] = FRAMEWORK
    progress: AsGiven[ProgressLike] = PROGRESS


@dataclass(frozen=True, kw_only=True)
class LintOptions:
    """What to find out about EVTs in C++."""

    arch: Word = ARCH
    plan: Switch = Switch(False, tr("Print the plan of a tile of each EVT, to paste into its header."))


@dataclass(frozen=True, kw_only=True)
class ExplainOptions:
    """What to find out about graphs; their ``stack`` costs a compilation."""

    arch: Word = ARCH
    stack: Switch = Switch(False)
    progress: AsGiven[ProgressLike] = PROGRESS


@dataclass(frozen=True, kw_only=True)
class EmitOptions:
    """How the emitted files look."""

    arch: Word = ARCH
    framework: Choice[InFramework] = FRAMEWORK
    namespace: Word = Word(Framework.namespace, tr("C++ namespace of the framework."), metavar="NS")
    fusion_dir: Word = Word(
        Framework.directory, tr("Directory of the framework below the include root."), metavar="DIR"
    )
    banner: Place = BANNER
    catlass: Place = Place(tr("Write for the release of this checkout."))
    tuned: Place = TUNED
    shape: Size = FOR_SHAPE


@dataclass(frozen=True, kw_only=True)
class RenderOptions(EmitOptions):
    """What to make in memory."""

    examples: Switch = Switch(False)


@dataclass(frozen=True, kw_only=True)
class BuildOptions(EmitOptions):
    """What to write."""

    examples: Place = Place(tr("Also write an example directory per epilogue."))
    force: Switch = FORCE


@dataclass(frozen=True, kw_only=True)
class InstallOptions:
    """What to add to a checkout."""

    examples: Switch = Switch(False, tr("Also an example directory per epilogue."))
    replace: Switch = Switch(False, tr("In the place of a visitor framework of the checkout's own, which is kept."))
    dry_run: Switch = Switch(False, tr("List the changes; make none."))
    diff: Switch = Switch(False, tr("Print the changes as a patch; make none."))
    arch: Word = ARCH
    force: Switch = FORCE
    framework: Choice[InFramework] = FRAMEWORK
    banner: Place = BANNER
    tuned: Place = TUNED
    shape: Size = FOR_SHAPE


@dataclass(frozen=True, kw_only=True)
class ExtensionOptions:
    """How an extension of PyTorch looks."""

    namespace: Word = Word(None, tr("Namespace of the operators, and name of the package."), metavar="NS")
    catlass: Place = Place(tr("Write for the release of this checkout."))
    arch: Word = ARCH
    style: Choice[Style] = Choice(
        "package",
        tr("A Python package; files for the CMake of a repository; files for a checkout of Catlass, which DIR is."),
        ("package", "csrc", "catlass"),
    )
    copy: Switch = Switch(False, tr("Operators copy tensors that their kernels cannot read in place."))
    tuned: Place = TUNED
    shape: Size = FOR_SHAPE
    force: Switch = Switch(False, tr("Overwrite files that are there."))


@dataclass(frozen=True, kw_only=True)
class PartitionOptions:
    """For what to find the kernels of a model, and how it runs them."""

    arch: Word = ARCH
    run: AsGiven[Run] = AsGiven("reference")
    executor: AsGiven[Executor | None] = EXECUTOR
    jobs: Whole[int | None] = JOBS
    dask: Word = DASK
    extension: Word = Word(
        None, tr("With -o: also the package of operators torch.ops.NS.NAME, in DIR/NS."), metavar="NS"
    )
    force: Switch = Switch(False, tr("Overwrite files that are there."))


@dataclass(frozen=True, kw_only=True)
class UninstallOptions:
    """What to remove from a checkout."""

    force: Switch = Switch(False, tr("Also remove files that were edited."))


@dataclass(frozen=True, kw_only=True)
class NewOptions:
    """What to write beside a new spec."""

    job: Switch = Switch(True, tr("Write the job for CI, too."), flags=("--job/--no-job",))
    force: Switch = Switch(False, tr("Overwrite files that are there."))


class _Problems:
    """Options with the shapes of problems, of which one may be given by either name, and how many matmuls they are."""

    shapes: Sizes
    shape: Size
    batch: Whole[int | None]
    groups: Rows

    @property
    def problems(self) -> tuple[Shape, ...]:
        """All of them."""
        return (*self.shapes, *([] if self.shape is None else [self.shape]))

    @property
    def matmuls(self) -> Matmuls:
        """The matmuls of the batched and grouped epilogues."""
        return Matmuls(self.batch, self.groups)


@dataclass(frozen=True, kw_only=True)
class VerifyOptions(_Problems):
    """How to verify. ``against`` and ``arrays`` are a function to compare the outputs with, too, and what makes its
    arrays, for :class:`~evtgen.verify.against.Against`. So many epilogues ``together`` are one program: more is less
    work in all, fewer is more that is found in the cache."""

    shapes: Sizes = Sizes(
        (), tr("Problem to run; repeatable. Default: several small ones."), flags=("--shape",), metavar="MxNxK"
    )
    shape: Size = Size(None)
    batch: Whole[int | None] = BATCH
    groups: Rows = GROUPS
    ranks: Whole[int | None] = RANKS
    seed: Whole[int] = Whole(0, tr("Seed of the input data."), low=0)
    data: Choice[Data | None] = Choice(
        None,
        tr("Only whole numbers, or only normally distributed ones. Default: each shape runs with both."),
        ("int", "normal"),
    )
    arch: Word = ARCH
    cxx: Word = CXX
    headers: Place = Place(tr("Verify the headers in this include root, not fresh ones."))
    strict: Switch = STRICT
    catlass: Place = AGAINST_CATLASS
    ascendc: Place = AGAINST_ASCENDC
    schedules: Whole[int] = Whole(
        0, tr("Also run as late as possible and in N random orders, and compare."), low=0, metavar="N"
    )
    noise: Switch = Switch(
        True,
        tr("Exp, Rsqrt and the like are off as far as their pages allow, on normally distributed data; or never."),
        flags=("--noise/--no-noise",),
    )
    pad: Whole[int] = Whole(
        0,
        tr("Elements between the rows of every tensor, as in a larger matrix, and between matmuls."),
        low=0,
        high=MOST,
        metavar="N",
    )
    dump: Place = Place(tr("Write one .npz per run into DIR, with all inputs and outputs."), exists=False)
    coverage: Switch = Switch(
        False, tr("Also count which lines of the headers run, and say which do not; compiles each program once more.")
    )
    timeout: Seconds = TIME
    framework: Choice[InFramework] = FRAMEWORK
    against: AsGiven[Callable[..., Any] | None] = AsGiven(None)
    arrays: AsGiven[Callable[[Any], Any] | None] = AsGiven(None)
    together: Whole[int] = Whole(1, None, low=1)
    executor: AsGiven[Executor | None] = EXECUTOR
    jobs: Whole[int | None] = JOBS
    dask: Word = DASK
    progress: AsGiven[ProgressLike] = PROGRESS

    @property
    def matmuls(self) -> Matmuls:
        """The matmuls of the batched and grouped epilogues, and how many ranks there are."""
        return Matmuls(self.batch, self.groups, self.ranks)

    @property
    def settings(self) -> Settings:
        """How the model runs programs on all cores."""
        from .model.execution import Settings

        return Settings(self.strict, timeout=self.timeout)

    @property
    def compilation(self) -> Compilation:
        """What the programs are compiled from."""
        from .model.programs import Compilation

        own = Framework(catlass=True) if self.framework == "catlass" else None
        made = Compilation(self.cxx, self.headers, self.catlass, own, self.together, ascendc=self.ascendc)
        return made.resolved()


@dataclass(frozen=True, kw_only=True)
class ProfileOptions(_Problems):
    """What to profile, and on which device."""

    shape: Size = Size(None, tr("Problem size. Default: 1024x4096x64, M that of the groups."), metavar="MxNxK")
    shapes: Sizes = Sizes(())
    batch: Whole[int | None] = BATCH
    groups: Rows = GROUPS
    buffers: Counts = BUFFERS
    measured: Place = MEASURED
    device: Switch = DEVICE
    arch: Word = ARCH
    trace: Place = TRACE
    cores: Whole[int | None] = CORES
    cxx: Word = CXX
    timeout: Seconds = TIME
    progress: AsGiven[ProgressLike] = PROGRESS

    @property
    def settings(self) -> Settings:
        """How the model runs programs."""
        from .model.execution import OBSERVE

        return replace(OBSERVE, cores=self.cores, timeout=self.timeout)


@dataclass(frozen=True, kw_only=True)
class TuneOptions(_Problems):
    """For what to find the fastest kernels, and where to put them."""

    shapes: Sizes = Sizes((), tr("Problem to tune for; repeatable."), flags=("--shape",), metavar="MxNxK")
    shape: Size = Size(None)
    batch: Whole[int | None] = BATCH
    groups: Rows = GROUPS
    runs: Whole[int] = Whole(48, tr("The most kernels to compile for a shape."), low=1, high=MOST_MATMULS, metavar="N")
    seed: Whole[int] = Whole(0, tr("Seed of the search."), low=0)
    assumed: Switch = Switch(
        True,
        tr("Also halve and double each assumed constant of the clock: does the winner stay?"),
        flags=("--assumed/--no-assumed",),
    )
    store: Place = Place(tr("Also put the winners into this store."), metavar="FILE", exists=False)
    write: Switch = Switch(False, tr("Also write the winner's options into the spec."))
    dispatch: Switch = Switch(
        False, tr("With --write: a kernel for the rows of each shape, of which a launch takes one.")
    )
    device: Switch = DEVICE
    arch: Word = ARCH
    cores: Whole[int | None] = CORES
    cxx: Word = CXX
    timeout: Seconds = TIME
    executor: AsGiven[Executor | None] = EXECUTOR
    jobs: Whole[int | None] = JOBS
    dask: Word = DASK
    progress: AsGiven[ProgressLike] = PROGRESS


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What to find out for a page about epilogues."""

    shape: Size = Size(None, tr("Problem size of the profile. Default: that of evtgen profile."), metavar="MxNxK")
    buffers: Counts = BUFFERS
    batch: Whole[int | None] = BATCH
    groups: Rows = GROUPS
    measured: Place = MEASURED
    run: Switch = Switch(
        True, tr("Verify and profile, too; or only what needs no compiler."), flags=("--run/--no-run",)
    )
    verify: Switch = Switch(True, tr("Verify what is run, or only profile it."), flags=("--verify/--no-verify",))
    compare: Place = Place(tr("Show what changed since this profile, of profile --json."), metavar="FILE", exists=False)
    arch: Word = ARCH
    cores: Whole[int | None] = CORES
    cxx: Word = CXX
    timeout: Seconds = TIME
    force: Switch = FORCE
    progress: AsGiven[ProgressLike] = PROGRESS

    def __post_init__(self) -> None:
        """Raises EvtgenError (EVT079) for options of runs where nothing is run."""
        if not self.run:
            refuse(self, ("measured", "compare", "cores", "cxx", "timeout"), "--no-run")

    @property
    def of_profile(self) -> ProfileOptions:
        """How to profile the epilogues."""
        return shared(self, ProfileOptions)

    @property
    def of_verify(self) -> VerifyOptions:
        """How to verify the epilogues."""
        return shared(self, VerifyOptions, "shape")


@dataclass(frozen=True, kw_only=True)
class WatchOptions(ReportOptions):
    """What to find out each time a spec is saved, and where to show it."""

    browser: Switch = Switch(
        True, tr("Open the page in the browser, or only print its address."), flags=("--browser/--no-browser",)
    )
    port: Whole[int] = Whole(
        8740, tr("Port of the page; if it is taken, another one."), low=1, high=65535, metavar="PORT"
    )
    force: Switch = Switch(False)


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """Which data to write for example programs."""

    shape: Size = Size(None, tr("Problem size. Default: 256x512x1024, M that of the groups."), metavar="MxNxK")
    batch: Whole[int | None] = BATCH
    groups: Rows = GROUPS
    shared: Switch = Switch(False, tr("All matmuls have the tensors in common that they may."))
    seed: Whole[int] = Whole(0, tr("Seed of the input data."), low=0)
    arch: Word = ARCH

    @property
    def matmuls(self) -> Matmuls:
        """The matmuls of the batched and grouped epilogues."""
        return Matmuls(self.batch, self.groups)


@dataclass(frozen=True, kw_only=True)
class CpuOptions:
    """How to compile and run a program that evtgen did not write."""

    catlass: Place = AGAINST_CATLASS
    ascendc: Place = AGAINST_ASCENDC
    include: Places = Places(
        (),
        tr("More include roots, searched first; repeatable."),
        flags=("-I", "--example-includes"),
        metavar="DIR",
    )
    define: Words = Words((), tr("A macro; repeatable."), flags=("-D", "--define"), metavar="NAME[=VALUE]")
    cxx: Word = CXX
    std: Choice[str] = Choice("c++17", tr("C++ standard."), ("c++17", "c++20"))
    npu_arch: Choice[str] = Choice(next(iter(NPUS)), ", ".join(f"{npu}: {name}" for npu, name in NPUS.items()), NPUS)
    kind: Choice[str | None] = Choice(
        None,
        tr("Cores that all kernels run on. Default: as a kernel is declared, else by the calls that it makes."),
        ("vector", "cube", "mix"),
    )
    strict: Switch = STRICT
    reserved_ubuf: Switch = Switch(
        True,
        tr("AscendC keeps a part of UB for its calls, or it was compiled with --cce-disable-asc-reserved-ubuf."),
        flags=("--reserved-ubuf/--no-reserved-ubuf",),
    )
    saturation: Switch = Switch(
        False,
        tr("At a launch's start halves saturate (CTRL[48] is 0), or they overflow to infinity."),
    )
    auto_sync: Switch = Switch(
        True,
        tr("The order that the compiler may insert (cce-auto-sync) is a warning where it is missing, or an error."),
        flags=("--auto-sync/--no-auto-sync",),
    )
    trace: Place = TRACE
    cores: Whole[int | None] = CORES
    noise: Whole[int | None] = Whole(
        None,
        tr("Exp, Rsqrt and the like are off as far as their pages allow, by this seed."),
        low=0,
        metavar="SEED",
    )
    profile: Switch = Switch(False, tr("Also print modelled cycles and busy pipes."))
    timeout: Seconds = TIME

    @property
    def npu(self) -> int:
        """The architecture's number."""
        return int(self.npu_arch)


def refuse(record: Any, names: Iterable[str], beside: str) -> None:
    """Raises EvtgenError (EVT079) if one of these options is given: it has no effect beside something else."""
    for name in names:
        if getattr(record, name) != getattr(type(record), name):
            flags = getattr_static(record, name).flags or (f"--{name.replace('_', '-')}",)
            raise codes.USAGE.here("no effect", option=flags[0], beside=beside)


Record = TypeVar("Record", VerifyOptions, ProfileOptions, CpuOptions)


def shared(options: Any, record: type[Record], *others: str) -> Record:
    """The record of another command, with the options that both have; ``others`` only have one name."""
    both = [field.name for field in fields(record) if field.name in vars(options) and field.name not in others]
    return record(**{name: getattr(options, name) for name in both})
