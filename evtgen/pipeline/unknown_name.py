"""The name that a program needs and the CPU model does not have, out of a compiler's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..system.translation import tr

_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        # clang++
        r"no (?:type|template|member) named '(?P<name>[\w:]+)' in (?:namespace )?'(?P<scope>[\w:]+)(?:<[^']*>)?'",
        r"(?:use of undeclared identifier|unknown type name|no template named) '(?P<name>[\w:]+)'",
        # g++
        r"'(?P<name>\w+)' (?:is not a (?:class template )?member of|in namespace) '(?P<scope>[\w:]+)'",
        r"'(?P<scope>[\w:]+)::(?P<name>\w+)' has not been declared",
        r"'(?P<name>[\w:]+)' (?:was not declared in this scope|does not name a type|has not been declared)",
        # both, of using namespace AscendC::X: the name is in the line that they quote
        r"(?:expected namespace name|'\w+' is not a namespace-name)[^\n]*\n"
        r"[^\n]*using namespace (?P<scope>\w+)::(?P<name>\w+)",
    )
)
_SAID = re.compile(r"the CPU model does not have (the intrinsic \w+|[\w ]+)")
_POLICY = re.compile(r"the stand-in has no (?P<what>\w+) for this dispatch policy")
_OF_POLICY = re.compile(
    r"(?:DEPENDENT_FALSE|BlockMmad\w*|DEPENDENT_BOOL_VALUE)<(?:false, )?(?:Catlass::Gemm::)?(?P<name>Mmad\w+)"
)
_LAYOUT = re.compile(r"Catlass::layout::(?!RowMajor|ColumnMajor)(\w+)")
_HEADER = re.compile(r"'?(?P<name>[\w./+-]+)'?(?:: No such file or directory| file not found)")
_CALL = re.compile(r"no matching function for call to '(?P<name>(?:AscendC::)?\w+)")
_TWICE = re.compile(r"redefinition of '(?:(?:struct|class|enum class|enum) )?(?P<name>[^']+)'")
_EARLIER = re.compile(r"(?P<file>\S+?):\d+:\d+: note: (?:previous definition|'[^']+' previously defined)")
_OURS = "device/ascendc/ascendc/"
"""Where the declarations stand that a compiler lists beside a call that fits none of them."""
_SCOPES = ("AscendC", "Catlass")

_OWNERS = (
    (r"catlass/|tla/", "Catlass"),
    (
        r"lib/|kernel_|\w+_api/|REGISTER_|GET_TILING|KERNEL_|TILING_|TCubeTiling|AscendCUtils|impl/|ascendc/|utils/"
        r"|asc_",
        "AscendC",
    ),
    (
        r"acl|rt[A-Z]|opdev/|ge::|register/|exe_graph/|graph/|hccl|runtime/|tiling/|toolchain/|securec"
        r"|\w*TilingData$|EvtgenDefaultTiling",
        "CANN",
    ),
)
"""Whose a header or a name without a scope is, by how it begins."""

_INSTEAD = (
    (
        r"lib/|adv_api/|AscendC::Mat[mM]ul|TCubeTiling",
        tr("it has the basic API, and matmuls as blocks of Catlass's BlockMmad"),
    ),
    (
        r"AscendC::(?:NotifyNextBlock|WaitPreBlock|InitDetermineComputeWorkspace|GroupBarrier)$",
        tr("its cores wait for each other by SyncAll, IBWait and cross-core flags"),
    ),
    (r"asc_vf_call", tr("it runs vector code that is written for tensors, not for registers")),
    (
        r"Catlass::Epilogue::(?:Fusion|Evt)::",
        tr("evtgen's framework of visitors has the operators that evtgen ops lists"),
    ),
    (r"AscendC::(?:Mmad|LoadData|Fixpipe|Nd2Nz|LoadImage|Gemm)", tr("it has matmuls as blocks of Catlass's BlockMmad")),
    (
        r"\w*TilingData$|EvtgenDefaultTiling",
        tr("CANN generates it from the host's part: declare it, or name it with REGISTER_TILING_DEFAULT"),
    ),
    (r"aclnn", tr("it runs kernels, not CANN's operators")),
)
"""What a program may use in place of a name."""


@dataclass(frozen=True)
class Missing:
    """A thing that AscendC, CANN or Catlass has and the CPU model does not.

    Attributes:
        name: as a compiler names it.
        case: which of the messages of EVT089 names it.
        of: its owner, where the name does not say so, or the dispatch policy that it lacks.
        instead: a sentence about the things that a program may use in its place.
    """

    name: str
    case: str = "name"
    of: str = ""
    instead: str = ""


def missing_name(words: str, checkout: Path | None = None) -> Missing | None:
    """The first thing that the model does not have; None if the first error is another.

    A name without a scope can be anyone's: a table knows some. In a file of the checkout, if one is given, it is
    CANN's.
    """
    if (said := _SAID.search(words)) is not None:
        return Missing(said[1])
    words = words.replace("\u2018", "'").replace("\u2019", "'")
    first = re.search(r"(?P<file>\S+?):\d+:\d+: (?:fatal )?error: (?P<said>.*)", words)
    if first is None:
        return None
    rest = words[first.start("said") :]
    if (of_cube := _of_the_cube(first["said"], rest)) is not None:
        return of_cube
    name = _named(rest, Path(first["file"]), checkout)
    return None if name is None else _described(name)


def defined_twice(words: str) -> tuple[str, str, str] | None:
    """If the first error is a second definition: its name, its file, and the file of the first one."""
    words = words.replace("\u2018", "'").replace("\u2019", "'")
    first = re.search(r"(?P<file>\S+?):\d+:\d+: error: (?P<said>.*)", words)
    twice = None if first is None else _TWICE.match(first["said"])
    earlier = None if first is None else _EARLIER.search(words, first.end())
    if first is None or twice is None or earlier is None:
        return None
    return twice["name"], first["file"], earlier["file"]


def missing_header(words: str) -> str | None:
    """The header that a compiler does not find."""
    found = _HEADER.search(words)
    return None if found is None else found["name"]


def _described(name: str) -> Missing:
    owner = _owner(name)
    instead = next((words for begins, words in _INSTEAD if re.match(begins, name)), "")
    return Missing(name, "owned name" if owner else "name", owner or "", instead)


def _owner(name: str) -> str | None:
    return next((owner for begins, owner in _OWNERS if re.match(begins, name)), None)


def _of_the_cube(said: str, rest: str) -> Missing | None:
    """A policy or a layout that the stand-in's BlockMmad refuses."""
    if (refused := _POLICY.search(said)) is not None:
        policy = _OF_POLICY.search(rest)
        return Missing(refused["what"]) if policy is None else Missing(refused["what"], "policy", policy["name"])
    if "the stand-in multiplies" in said and (layout := _LAYOUT.search(rest)) is not None:
        return Missing(layout[1], "layout")
    return None


def _named(rest: str, file: Path, checkout: Path | None) -> str | None:
    if (header := _HEADER.match(rest)) is not None:
        return header["name"] if _owner(header["name"]) is not None else None
    if (call := _CALL.match(rest)) is not None:
        # A call without a namespace may be the user's: the candidates tell.
        ours = _OURS in rest.partition(" error: ")[0]
        return f"AscendC::{call['name'].removeprefix('AscendC::')}(…)" if ours else None
    found = next(filter(None, (pattern.match(rest) for pattern in _NAMED)), None)
    if found is None:
        return None
    scope = found.groupdict().get("scope")
    if scope is not None:
        return f"{scope}::{found['name']}" if scope.split("::")[0] in _SCOPES else None
    known = _owner(found["name"]) is not None or (checkout is not None and file.is_relative_to(checkout))
    return str(found["name"]) if known else None
