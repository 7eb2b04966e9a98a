"""Emitted text with a switch at every place where its numbers can be changed: one program holds all mutants.

Each call becomes the one of the same name in ``numbers.hpp``, with the number of its site as its first argument.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evtgen.model import harness
from evtgen.nodes import Reduce, node_of
from evtgen.planner.plan import Plan
from evtgen.targets import Architecture
from evtgen.verify import DEFAULT_SHAPES

from .mutants import is_compiled, struct_around

HEADER = "numbers.hpp"

ORDER = {
    "PipeBarrier", "SetFlag", "WaitFlag", "CrossCoreSetFlag", "CrossCoreWaitFlag", "SetAtomicNone", "GetBlockIdx",
    "GetBlockNum", "GetSubBlockIdx", "GetSubBlockNum", "BinaryRepeatParams", "BrcbRepeatParams", "CopyRepeatParams",
    "LocalTensor", "GlobalTensor", "TransDataTo5HD", "DumpTensor", "printf", "SetHF32TransMode",
}  # fmt: skip
"""What of AscendC computes nothing: order, where a core is, types, where elements go, what is printed; and the way that
HF32 rounds, of which the CPU model has one."""

SCALARS = {"Adds": 2, "Muls": 2, "Maxs": 2, "Mins": 2, "LeakyRelu": 2, "Axpy": 2, "Duplicate": 1}
"""The calls that take a number, and which argument that is."""

WRONG = {"Plus": "1", "Mean": "1", "Maximum": "1e30", "Minimum": "-1e30"}
"""By the operator of a reduction, what its output must not start from."""

_BATCHED, _GROUPED = "batched_matmul_visitor.hpp", "grouped_matmul_slice_m_visitor.hpp"
_SLICED = "grouped_matmul_slice_k_visitor.hpp"
_SPLITK = "splitk_matmul_visitor.hpp"

_MATMULS = (
    ("problem.hpp", r"(args\.problem_stride = )(SizeOf\(args\))", "Begin", "first"),
    ("problem.hpp", r"(\+ )(stride \* \(problem\.index / repeat\))", "Begin", "first"),
    ("block_epilogue_visitor.hpp", r"(problemOffset\{)(problem\.firstRow)", "Begin", "first"),
    ("visitor_slices.hpp", r"(return )(size)(?=;)", "Rows", "step"),
    *(
        (f"visitor_{part}.hpp", r"()(problems\.problem\.firstRow)", "Begin", "first")
        for part in ("kernel", "ring", "slices")
    ),
    ("visitor_ring.hpp", r"(problem\.index = )(problems\.problem\.index)", "Begin", "first"),
    ("visitor_ring.hpp", r"(MatrixCoord\{0u, )(core \* L1TileShape::N)", "Begin", "first"),
    ("visitor_ring.hpp", r"(uint32_t last = )(end - first < coreNum [^;]*)", "Rows", "step"),
    ("visitor_ring.hpp", r"(blocks = )(problems\.shape\.m\(\) > L1TileShape::M \? 1 : ([^;]*))", "Instead", "exchange"),
    ("visitor_feeding.hpp", r"(problem\.index = )(ahead\.problem\.index)", "Begin", "first"),
    (_SPLITK, r"(return )(BlocksOfSlice\(\) \* params\.slices)", "Rows", "step"),
    (_SPLITK, r"(firstRowOfC = )(index \* this->shape\.m\(\))", "Begin", "first"),
    (_SPLITK, r"(offset[AB] = )(params\.layout[AB]\.GetOffset\([^;]*\))", "Begin", "first"),
    (_SPLITK, r"()(end - begin)(?=\};)", "Rows", "step"),
    (_SPLITK, r"(slice = 1; slice < )(params\.slices)", "Rows", "step"),
    (_BATCHED, r"(return )(blocks \* batchCount)", "Rows", "step"),
    (_BATCHED, r"(offset[AB] = )(index / repeat[AB] \* stride[AB])", "Begin", "first"),
    (_GROUPED, r"(return )(allBlocks)", "Rows", "step"),
    (_GROUPED, r"(offsetB = )(weight \* strideB)", "Begin", "first"),
    (_GROUPED, r"(int64_t weight = )(WeightOf\(this->problem\.index\))", "Begin", "first"),
    ("visitor_groups.hpp", r"(number = )(gmGroupList\.GetValue\(index\))", "Rows", "step"),
    (_SLICED, r"(return )(blocks \* params\.problemCount)", "Rows", "step"),
    (_SLICED, r"(offset[AB] = )(params\.layout[AB]\.GetOffset\([^;]*\))", "Begin", "first"),
    (_SLICED, r"(k\(\) = )(end - begin)", "Rows", "step"),
    ("visitor_widening.hpp", r"(GemmCoord\{)(count)(?=, columns, 1)", "Fewer", "last-row"),
)  # fmt: skip
"""What tells the matmuls of a launch from each other, and the cores that cast: the header, a pattern whose second group
is a number, and whose third, if there is one, is another to take instead; the switch around it, and what it does."""

_NUMBER = r"(?:static_cast<\w+>\()?-?\d[\w.]*(?:[eE][+-]?\d+f?)?\)?"


@dataclass(frozen=True)
class Site:
    """A place of the text.

    Attributes:
        number: what the text calls it.
        path: of the file, below the include root.
        line: of the text as it was emitted.
        call: what stands there: a call of AscendC, or a switch of ``numbers.hpp``.
        shown: the text, in one line.
        struct: as of other mutants, what an epilogue has to name for the place to be part of it.
        kinds: what can be changed besides what the call says.
    """

    number: int
    path: str
    line: int
    call: str
    shown: str
    struct: str | None = None
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, order=True)
class Place:
    """Where a run comes by: a site, the node that runs it, and how many times it has; and the type, "<" if narrowed."""

    site: int
    node: int
    call: int
    type: str


@dataclass(frozen=True)
class Mutant:
    """One change at one place."""

    epilogue: str
    site: Site
    place: Place
    kind: str

    def altered(self, change: str) -> str:
        """Another change at the same place, as the program takes it."""
        return f"{self.place.site}:{self.place.node}:{self.place.call}:{change}"

    def chosen(self, size: float) -> str:
        """This one."""
        return self.altered(f"{self.kind}={size}")

    @property
    def name(self) -> str:
        return f"{self.epilogue}: {self.kind} of {self.site.shown} in {Path(self.site.path).name}:{self.site.line}, " \
            f"node {self.place.node}, call {self.place.call}"  # fmt: skip


@dataclass
class Switched:
    """An epilogue's texts with switches: the program's, and path → header; and the sites, by number."""

    main: str
    headers: dict[str, str]
    sites: list[Site] = field(default_factory=list)


def switched(plan: Plan, headers: Mapping[str, str]) -> Switched:
    """The program that runs ``plan`` with every mutant in it; ``headers`` are what was emitted, by path."""
    result = Switched("", {HEADER: (Path(__file__).parent / HEADER).read_text(encoding="utf-8")})
    for path, text in sorted(headers.items()):
        changed = _Text(path, text, result.sites, plan.arch)
        changed.calls()
        changed.nodes()
        changed.framework()
        if path == f"{plan.name}.hpp":
            changed.arguments(plan)
        result.headers[path] = changed.finished()
    result.main = _main(plan, result.sites)
    return result


def _main(plan: Plan, sites: list[Site]) -> str:
    """The harness, in which reductions may start from something else."""
    text = harness.source([plan])
    for step in plan.steps:
        node = node_of(step)
        if isinstance(node, Reduce):
            site = Site(len(sites), "harness.cpp", 0, "Start", f"identity of {node.name}")
            sites.append(site)
            room = f" - mutant::RoomOf(problem) * sizeof({node.element.cpp})" if node.tensor.shape.rows == "M" else ""
            wrong = f"static_cast<{node.element.cpp}>({WRONG[node.op]})"
            text, times = re.subn(
                rf'^ *arguments\.{node.name} = tensors\.Upload\("{node.name}", (.*)\);$',
                rf"\g<0>\n    mutant::Start({site.number}, arguments.{node.name}, \1{room}, {wrong});",
                text,
                flags=re.MULTILINE,
            )
            assert times == 1, node.name
    return text


class _Text:
    """One file, changed from back to front so that places stay where they were."""

    def __init__(self, path: str, text: str, sites: list[Site], arch: Architecture) -> None:
        self._path, self._text, self._sites, self._arch = path, text, sites, arch
        self._edits: list[tuple[int, int, str]] = []
        self._name = Path(path).name

    def finished(self) -> str:
        """The text with all changes."""
        text = self._text
        for start, end, become in sorted(self._edits, reverse=True):
            text = text[:start] + become + text[end:]
        # Before everything else, but within the guard
        return re.sub(r"(#define \w+_HPP\n)", rf'\1#include "{HEADER}"\n', text, count=1)

    def calls(self) -> None:
        """Every call of AscendC that computes."""
        for match in re.finditer(r"AscendC::(\w+)(<[\w<>:]*>)?\(", self._text):
            name, end = match[1], match.end()
            if name in ORDER or self._left_out(match.start()):
                continue
            given = _arguments(self._text, end)
            shown = f"{name}({', '.join(given)})"
            kinds = ("constant",) if name in SCALARS and _is_constant(given[SCALARS[name]]) else ()
            site = self._site(match.start(), name, shown, kinds)
            self._edit(match.start(), end, f"mutant::{name}{match[2] or ''}({site}{', ' if given else ''}")
        for match in re.finditer(r"Copy(GmToUb|UbToGm)\{\}\(", self._text):
            loads = match[1] == "GmToUb"
            vector = any(part in self._name for part in ("row_broadcast", "col_broadcast", "reduce"))
            changes = ("column-off", "row-off") if loads else ("last-column", "last-row")
            shown = f"{match[0]}{', '.join(_arguments(self._text, match.end()))})"
            site = self._site(match.start(), "Load" if loads else "Store", shown, changes[: 1 if vector else 2])
            self._edit(match.start(), match.end(), f"mutant::{'Load' if loads else 'Store'}<Copy{match[1]}>{{{site}}}(")

    def nodes(self) -> None:
        """The stages of the nodes."""
        if not self._name.startswith("visitor_"):
            return
        counts = str(self._name in ("visitor_compute.hpp", "visitor_cast.hpp")).lower()
        for match in re.finditer(r"if constexpr \([^;{]*HasStage\(STAGE, [\w:]+\)\) \{", self._text):
            self._edit(match.end(), match.end(), f" mutant::Node const mutantNode({counts});")
        for match in re.finditer(r"void begin_(epilogue\(\)|problem\([^)]*\))\s*\{(?!\})", self._text):
            if match[1].startswith("problem") or "scalar_broadcast" in self._name:
                self._edit(match.end(), match.end(), " ++mutant::state.next; mutant::Node const mutantNode(false);")

    def framework(self) -> None:
        """Loops and sizes: tiles, blocks, the rows of reductions."""
        if self._name == "block_epilogue_visitor.hpp":
            self._replace(r"callbacks\[i\]\.begin_epilogue\(\);", "mutant::BeginTile(); {0}")
            self._replace(r"callbacks\[stageId\]\.begin_problem\(problem\);", "mutant::BeginTile(); {0}")
            self._replace(r"Callbacks& cbs = ", "mutant::BeginTile(); {0}")
            self._replace(
                r"VisitTile\((problemOffset [^;]*), tileShape\);",
                "mutant::Tile({site}, tileShape, row + tileRows >= rows, column + tileColumns >= columns, "
                "[&](MatrixCoord const& shape) {{ VisitTile({1}, shape); }});",
                "Tile", ("last-row", "last-column", "last-tile"),
            )  # fmt: skip
        elif self._name == "topological_visitor.hpp":
            self._replace(r"CallbacksAt<I>\(\*this\)\.template visit<STAGE>\(", "mutant::Next<Tile>(I); {0}")
        elif self._name == "accumulator_handoff.hpp":
            self._replace(
                r"blockEpilogue\(\s*blockShape,",
                "if (!mutant::LeftOut({site}, loop, coreLoops)) {0}",
                "LeftOut", ("last-block",),
            )  # fmt: skip
        elif self._name == "band.hpp":
            edge = "int64_t edge = mutant::Constant({site}, {1});"
            self._replace(r"int64_t edge = ([^;]*);", edge, "Constant", ("constant",))
        elif self._name == "reduce.hpp":
            self._replace(r"if \((rows % 2 != 0)\)", "if (mutant::OddRow({site}, {1}))", "OddRow", ("step",))
            rows = "ReduceRows<ReduceFn>(dst, dst, mutant::Rows({site}, parts)"
            self._replace(r"ReduceRows<ReduceFn>\(dst, dst, parts", rows, "Rows", ("step",))
        elif self._name == "visitor_row_reduce.hpp":
            rows = "{1}mutant::Rows({site}, {2})"
            self._replace(r"(detail::ReduceRows<ReduceFn>\(\w+, \w+, )(tileShape\.row\(\))", rows, "Rows", ("step",))
        elif self._name == "visitor_in_workspace.hpp":
            self._replace(r"Node::Neutral\(\)", "mutant::Neutral({site}, {0})", "Neutral", ("identity",))
        elif self._name in ("visitor_kernel.hpp", "visitor_passes.hpp", "visitor_ring.hpp", "visitor_slices.hpp"):
            become = "mutant::Block({site}, {1}, {0})"
            self._replace(r"\b(?:loop|block) - (problems\.problem\.firstBlock)", become, "Block", ("neighbour",))
        elif self._name == "problem.hpp":
            for match in re.finditer(r"return ([\w.]+ == 0) \? ([^\"\n]+) : ([^\"\n]+);", self._text):
                all, own = (self._site(match.start(i), "Instead", match[i], ("exchange",)) for i in (2, 3))
                chosen = (
                    f"mutant::Instead({all}, {match[2]}, {match[3]}) : mutant::Instead({own}, {match[3]}, {match[2]})"
                )
                self._edit(match.start(), match.end(), f"return {match[1]} ? {chosen};")
        for name, pattern, call, kind in _MATMULS:
            if self._name == name:
                given = ", ".join(f"{{{i}}}" for i in range(2, re.compile(pattern).groups + 1))
                self._replace(pattern, f"{{1}}mutant::{call}({{site}}, {given})", call, (kind,))

    def arguments(self, plan: Plan) -> None:
        """The constants, scalars and tensors that the nest of arguments takes; without the phases' where the kernel
        takes whole rows at every default shape."""
        start = self._text.index("ToEvt() const")
        if plan.has_whole_rows(max(columns for _, columns, _ in DEFAULT_SHAPES)):
            start = self._text.index("{rows::", start)
        end = self._text.index("\n    }\n", start)
        types = {scalar.name: scalar.T for scalar in plan.scalars}
        for match in re.finditer(r"(\w+)::Arguments\{\{([^{}]*)\}\}", self._text[start:end]):
            at = start + match.start(2)
            for given in _split(match[2]):
                place = self._text.index(given, at)
                at = place + len(given)
                shown = f"{given} of {match[1]}"
                site = self._site(place, "Constant", shown, ("constant",))
                become = f"mutant::Constant({site}, {given})"
                used = next((name for name in types if re.search(rf"\b{name}\b", given)), None)
                others = [name for name in types if used and name != used and types[name] == types[used]]
                if others:
                    site = self._site(place, "Argument", shown, ("neighbour",))
                    other = re.sub(rf"\b{used}\b", others[0], given)
                    become = f"mutant::Argument({site}, {become}, {other})"
                self._edit(place, at, become)
        inputs = {t.name: (t.shape, t.element) for t in plan.tensors if not t.output}
        for match in re.finditer(r"::Arguments\{(\w+), layout", self._text[start:end]):
            name = match[1]
            others = [other for other in inputs if other != name and inputs.get(name) == inputs[other]]
            if others:
                place = start + match.start(1)
                site = self._site(place, "Argument", name, ("neighbour",))
                self._edit(place, place + len(name), f"mutant::Argument({site}, {name}, {others[0]})")

    def _replace(self, pattern: str, become: str, call: str = "", kinds: tuple[str, ...] = ()) -> None:
        """Change what matches, which must be there; with a ``call`` it is a site."""
        matches = [match for match in re.finditer(pattern, self._text) if not self._left_out(match.start())]
        assert matches, (self._name, pattern)
        for match in matches:
            shown = " ".join(match[0].split())
            site = self._site(match.start(), call, shown, kinds) if call else -1
            self._edit(match.start(), match.end(), become.format(match[0], *match.groups(), site=site))

    def _site(self, at: int, call: str, shown: str, kinds: tuple[str, ...]) -> int:
        line = self._text.count("\n", 0, at) + 1
        struct = struct_around(self._path, self._text, at)
        self._sites.append(Site(len(self._sites), self._path, line, call, shown, struct, kinds))
        return len(self._sites) - 1

    def _edit(self, start: int, end: int, become: str) -> None:
        self._edits.append((start, end, become))

    def _left_out(self, at: int) -> bool:
        """Whether it is a comment, or for another architecture."""
        commented = "//" in self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return commented or not is_compiled(self._text, at, self._arch)


def _is_constant(argument: str) -> bool:
    """Whether an argument is written there: a number, a named constant, a coefficient. Members come from the launch."""
    return re.fullmatch(rf"{_NUMBER}|-?[A-Z][A-Z0-9_]*|static_cast<\w+>\([A-Z0-9_]+\)|c[01]", argument) \
        is not None  # fmt: skip


def _arguments(text: str, start: int) -> list[str]:
    """The arguments of a call whose opening bracket ends at ``start``, each in one line."""
    depth, end = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return [" ".join(part.split()) for part in _split(text[start : end - 1])]


def _split(text: str) -> list[str]:
    """What commas separate, outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]
