"""A foreign program as the device's compiler compiles it: once for each kind of core, with the kind of core of each
launch."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..checkouts.launches import KEEPS_KINDS, KINDS, Launch, rewrite
from .compiler import Compiler, output, run

_PASSES = {"vector": "EVTGEN_PASS_VECTOR", "cube": "EVTGEN_PASS_CUBE"}
"""A pass and the macro by which ``predefined.h`` defines what the compiler defines in it."""

_ONLY_THE_KIND = ("(::AscendC::AIC)", "(::AscendC::AIV)")
"""g_coreType, in the text of either pass."""

_OF_V = (
    "RecordArith", "RecordMove", "RecordConvert", "RecordDequantize", "RecordReduce", "RecordReduceAll",
    "RecordCompare", "RecordSelect", "RecordBroadcastBlocks", "RecordSort", "RecordMerge", "RecordGather",
    "RecordGatherBlocks", "RecordGatherMask", "RecordTranspose", "RecordPermute",
)  # fmt: skip
_CALLS = {
    kind: re.compile(f"7machine(?:{'|'.join(f'{len(name)}{name}' for name in names)})")
    for kind, names in {"vector": _OF_V, "cube": ("KeepBlock",)}.items()
}
"""Functions of the machine, mangled, that only the code of a kind of core calls."""

_LAUNCHED = re.compile(r"7machine6BodyOfINS_10KernelCallILi(\d+)E.*3RunE")
_SECTION = re.compile(r"\.(?:text|data|rodata|data\.rel\.ro)(?:\.(?:unlikely|local|hot|startup|exit|rel\.ro))*\.(.+)")


@dataclass(frozen=True)
class KnownKind:
    """The kind of core of a launch.

    Attributes:
        kernel: as the launch names it.
        kind: one of :data:`.KINDS`.
        source: ``"declared"`` by the kernel, ``"derived"`` from its calls, or ``"given"`` by the user.
    """

    kernel: str
    kind: str
    source: str


@dataclass(frozen=True)
class Built:
    """A program, the kinds of its launches by number, and what the compiler said."""

    kinds: tuple[KnownKind, ...]
    said: str

    @property
    def letters(self) -> str:
        """The value of EVTGEN_MODEL_KINDS."""
        return "".join(KINDS[launch.kind] for launch in self.kinds)


def build(
    compiler: Compiler,
    source: Path,
    flags: Sequence[str],
    rest: Sequence[str],
    at: Path,
    *,
    kind: str | None = None,
    has_cube: bool = True,
) -> Built:
    """Compile and link ``source`` as ``program`` in the directory ``at``.

    The text of a program is taken as each pass of the compiler sees it. Where both see the same, and where no launch is
    for cube cores, one pass is enough.

    Args:
        flags: what the preprocessor and the compiler take.
        rest: what the linker takes besides.
        kind: the kind of core of every launch; None: as each kernel is declared, or by its calls.
        has_cube: whether the headers can be compiled for cube cores.

    Raises CompileFailure, and EvtgenError as :func:`.compiler.run`.
    """
    text, launches = _preprocessed(compiler, source, flags, at, "vector")
    declared = [kind or launch.declared for launch in launches]
    passes = {"vector": text}
    if has_cube and (not launches or set(declared) != {"vector"}):
        other, _ = _preprocessed(compiler, source, flags, at, "cube")
        # A kernel that DeviceGemm starts is told its kind of core there.
        if other != text and (launches or other.replace(*_ONLY_THE_KIND) != text):
            passes["cube"] = other
    with ThreadPoolExecutor(len(passes)) as pool:
        compiled = pool.map(lambda name: _compiled(compiler, flags, at, name, passes[name]), passes)
        said = "".join(dict.fromkeys("".join(compiled).splitlines(keepends=True)))
    called = {name: _called(at, f"{name}.o") for name in passes} if None in declared else {}
    kinds = tuple(_known(number, launch, kind, called) for number, launch in enumerate(launches))
    objects = ["vector.o"]
    if "cube" in passes and (not kinds or any(known.kind != "vector" for known in kinds)):
        _separate(at)
        objects.append("cube.o")
    said += run([compiler.path, *objects, *rest, "-o", "program"], at)
    return Built(kinds, said)


def _known(number: int, launch: Launch, kind: str | None, called: dict[str, dict[int, set[str]]]) -> KnownKind:
    if kind is not None:
        return KnownKind(launch.kernel, kind, "given")
    if launch.declared is not None:
        return KnownKind(launch.kernel, launch.declared, "declared")
    vector = "vector" in called["vector"].get(number, ())
    cube = "cube" in called.get("cube", called["vector"]).get(number, ())
    return KnownKind(launch.kernel, ("mix" if vector else "cube") if cube else "vector", "derived")


def _preprocessed(
    compiler: Compiler, source: Path, flags: Sequence[str], at: Path, name: str
) -> tuple[str, list[Launch]]:
    macros = [f"-D{KEEPS_KINDS}", f"-D{_PASSES[name]}"]
    seen = at / f"{name}_seen.ii"
    # The name of a source may end in .asc, which a host compiler does not know.
    run([compiler.path, *macros, *flags, "-E", "-x", "c++", str(source), "-o", seen.name], at)
    return rewrite(seen.read_text(encoding="utf-8", errors="replace"))


def _compiled(compiler: Compiler, flags: Sequence[str], at: Path, name: str, text: str) -> str:
    (at / f"{name}.ii").write_text(text, encoding="utf-8")
    # What the preprocessor has done is not said again.
    rest, keep = [], True
    for flag in flags:
        pair = flag in ("-isystem", "-iquote", "-I", "-include")
        if keep and not pair and not flag.startswith("-D"):
            rest.append(flag)
        keep = not pair
    if "clang" not in compiler.version:
        rest.append("-fno-gnu-unique")  # objcopy cannot make such a symbol local
    return run([compiler.path, *rest, "-ffunction-sections", "-c", f"{name}.ii", "-o", f"{name}.o"], at)


def _separate(at: Path) -> None:
    """Make the names of the pass for cube cores local, since the other pass has the same."""
    run(["ld", "-r", "--force-group-allocation", "cube.o", "-o", "apart.o"], at)
    run(["objcopy", "--keep-global-symbol=", "apart.o", "cube.o"], at)


def _called(at: Path, compiled: str) -> dict[int, set[str]]:
    """Of each launch, the kinds of core whose calls its kernel makes, in code that the compiler kept."""
    text = output(["objdump", "-r", compiled], at)
    names: dict[str, set[str]] = defaultdict(set)
    section = ""
    for line in text.splitlines():
        if line.startswith("RELOCATION RECORDS FOR ["):
            section = _symbol(line.partition("[")[2].rpartition("]")[0])
        elif (fields := line.split()) and len(fields) == 3 and section:
            names[section].add(_symbol(re.sub(r"[+-]0x[0-9a-f]+$", "", fields[2])))
    found: dict[int, set[str]] = {}
    for start in names:
        if (launched := _LAUNCHED.search(start)) is not None:
            reached = _reached(start, names)
            kinds = {kind for kind, call in _CALLS.items() if any(call.search(name) for name in reached)}
            found.setdefault(int(launched[1]), set()).update(kinds)
    return found


def _symbol(name: str) -> str:
    """The symbol that a section is for; another name as it is."""
    found = _SECTION.fullmatch(name)
    return found[1] if found else name


def _reached(start: str, names: dict[str, set[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        fresh = names.get(waiting.pop(), set()) - reached
        reached |= fresh
        waiting += fresh
    return reached
