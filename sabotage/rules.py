"""The rules of the mutants: each way to break the emitted text, and which epilogues a place of the text is part of.

A rule is a regular expression and its replacement. The table of all mutants shows the first group of the match, if
there is one. A rule also lists those of its mutants that are not faults, each with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from evtgen.emit.places import KERNEL_PARTS
from evtgen.kernels.grouped_matmul_slice_m import GroupedMatmulSliceM
from evtgen.kernels.splitk_matmul import SplitkMatmul

from .subjects import (
    ADDED,
    ADDED_IN_UB,
    ASCEND950,
    ATLAS_A2,
    DIGITS,
    FED,
    ORDERED,
    PHASES,
    PHASES_IN_UB,
    RING,
    ROWS,
    SECOND,
    SEVERAL,
    STATISTICS,
    WIDENED,
)

_CALL = (
    r"AscendC::(?:SetFlag|WaitFlag|PipeBarrier|SetAtomic\w+)(?:<[\w:]+>)?\(\w*\)|ReduceFn<Element>::SetAtomic\(\)"
    r"|(?:\w+::)?BarrierV\(\)|SynchronizeIfAll<STAGE>\(\)|(?:Base::)?MeetAivs\(\)|handoff\.(?:Await|Release)\(loop\)|InUb::Lend\(\)|callbacks\[(?:i|stageId)\]\.\w+\([^;]*\)"
)
BARRIER = r"(?:\w+::)?BarrierV\(\)"
_CROSS = r"(?:Arch|AscendC)::CrossCore\w+(?:<[\w, ]+>)?\([\w +]+\)"
_IN_FLIGHT = r"inFlight|(?:STAGES|ahead) \* coreNum"
_FLAGS = "FLAG_AIC_FINISH_STORE", "FLAG_AIV_FINISH_READ"
_SET = r"AscendC::SetFlag<[\w:]+>\(\w+\)"
_WAIT = r"AscendC::WaitFlag<[\w:]+>\(\w+\)"
_VISIT = r"cbs\.template visit<[\w:]+>\([^;]*?\)"
_COPY = r"Copy(?:GmToUb|UbToGm)\{\}\([^;]*\)"
_FILL = (
    r"AscendC::(?:Brcb|Cast|Copy|Duplicate|WholeReduce\w+<Element>)\([^;]*\)"
    r"|(?:(?:detail::ColumnRe|Re)duction(?:<Element>)?::template Run(?:Unfolded)?<ReduceFn>"
    r"|detail::ReduceRows<ReduceFn>|ReduceFn<Element>::ReduceLanes|Fold<ReduceFn>|(?:detail::)?(?:Fill|Repeat)First\w+"
    r"|(?:detail::ColumnSpread<Element>|Spread)::Run)\([^;{}]*\)"
)
_GRAPH = r".*/flat_graph\.hpp"
_OF_SEVERAL = r".*/(?:batched|grouped)_matmul\w+\.hpp"
_BLOCK = r".*/block_epilogue_visitor\.hpp"
_SLICED = r".*/grouped_matmul_slice_k\w+\.hpp"
_MEET_ALL = (
    r"AscendC::CrossCoreSetFlag<SYNC_MODE_ALL, PIPE_MTE3>\((FLAG_AI[CV]S_MEET)\);\s*AscendC::CrossCoreWaitFlag\(\w+\)"
)
_KERNEL = rf".*/(?:{'|'.join(map(re.escape, KERNEL_PARTS))})"
_VISIT_BLOCK = r"handoff\.Visit\([^;]*\);"
_IN_FIRST = r"if constexpr \(IS_FIRST\) \{\s*handoff\.%s\(loop\);\s*\}"
_MEET = r"(if \(Phases::COUNT > 1 && !pass\.isByBlock\) \{\s*)(MeetAivs\(\);\s*\})(\s*if \(pass\.first[^}]*\})"
_PHASES, _IN_WORKSPACE = r".*/phases\.hpp", r".*/visitor_in_workspace\.hpp"


@dataclass(frozen=True)
class Rule:
    """One way to break the emitted text.

    Attributes:
        name: part of the names of its mutants.
        what: its description in the table.
        pattern: the text that it matches.
        become: the replacement, as in ``re.sub``.
        files: a pattern for the paths it applies to.
        harmless: (file name, matched text) → the reason why this mutant is not a fault; (file name, matched text,
            architecture) → that reason on one architecture.
        of_v: whether all that it breaks is the order of V's instructions among each other, so that it is no fault of
            order where the hardware keeps that.
    """

    name: str
    what: str
    pattern: str
    become: str
    files: str = r"catlass/.*|own_operator\.hpp"
    harmless: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    of_v: bool = False


_REPEAT = "ELE_NUM_PER_REPEAT"
_END_OF_KERNEL = "nothing follows it in the kernel, and a kernel has ended only when every pipe is empty"

_BOOL = "static constexpr bool"

_NUMBERS = "what lies there is defined, the result of another node: the order is right, and the numbers are wrong"
_NO_HOOK = "no node has anything to do there"
_NO_NARROWER = "no type is wider, so whatever writes asks for as many elements"
_FIRST_ROW = "what is stored is the first row of the tile, which starts where the tile does"
_BY_COUNT = (
    "it works by count, not by rows; only a second tile of scratch of 16-bit elements would begin between two blocks, "
    "and no operator has one"
)
_ADDED = "no row is added: the numbers are wrong, and `tests/verify/test_places.py` sees it"
_ASKED = (
    "who reads whole tiles of a vector asks for as much, as casts of vectors make vectors; "
    "`tests/planner/test_tile_cpp.py` sees the change"
)
_CHECKS = "it checks plans, and the emitted ones are right; `tests/planner/test_tile_cpp.py` has wrong ones"
_DESTROYED = "the destructor of Catlass's block matmul stores what is left"
IN_ORDER = "the hardware orders V after V, with a barrier or without"
_FILLED = (
    "the tensor is as the caller filled it: the numbers are wrong, and `tests/verify/test_deterministic.py` sees it"
)
_FOLDED = "what is folded is defined: the numbers are wrong, and `tests/verify/test_folds.py` sees it"
_OUTSIDE = "what stands there is defined, the input: the numbers are wrong, and `tests/verify/test_bands.py` sees it"
_SIGNS = "what has no other sign is defined: the numbers are wrong, and `tests/verify/test_blocks.py` sees it"
_SORTED = "what is sorted is defined: the numbers are wrong, and `tests/verify/test_topk.py` sees it"
_NEVER_TAKEN = "the columns of what fills a list are never taken: they are there so that all that is read is defined"
_SAID_TWICE = "a node of the same graph that takes the first columns says the same"
_FILLED_LISTS: Mapping[tuple[str, ...], str] = {
    (
        "visitor_top_k.hpp",
        "AscendC::Duplicate(ubValues[TAKEN], static_cast<Element>(-__builtin_inff()), REST)",
    ): _SORTED,
    ("visitor_top_k.hpp", "AscendC::Duplicate(ubColumns[TAKEN], int32_t{0}, REST)"): _NEVER_TAKEN,
}
_WIDENS = "only graphs that widen B have the node, and the framework visits them in three stages"
_OF_ONE_TYPE = "what it reads has its type, and asks for as much"
_PLACE = "it says where STORE joins to, and nothing else does before STORE"
PLANNED = "V keeps its order: at worst the numbers are wrong, and `tests/planner/test_tile_cpp.py` sees the change"
_ONE_MORE = "a visitor that does not know of the barrier inside an operator emits one more of its own, never one less"

_OTHER_COLUMNS = "a slot has the columns of another block: the order is right, and the mutants of numbers see the rest"
_MODULO = "Catlass's scheduler takes a number modulo how many there are: the blocks of a matmul come in another order"
_MET = "S has waited for all that was stored before"
_TOLD_LATER = "the cube core is told of all stretches when the last is widened: right, but slow"
_AGAIN = "it moves on with each tile, to where it is, and fills the tile of a scalar anew: right, but slow"

_SEVERAL = (
    Rule("cursor", "number all blocks as those of the first matmul", r"loop - problems\.problem\.firstBlock", "loop",
        harmless={("visitor_ring.hpp", "loop - problems.problem.firstBlock"): _OTHER_COLUMNS}),
    Rule("cursor", "leave it as it was for the first matmul", r"(this->problem\.firstBlock = [^;]*);", ";", _OF_SEVERAL,
        {
            ("batched_matmul_visitor.hpp", "this->problem.firstBlock = index * blocks"): _MODULO,
            ("grouped_matmul_slice_m_visitor.hpp", "this->problem.firstBlock = endBlock"): _MODULO,
            ("grouped_matmul_slice_k_visitor.hpp", "this->problem.firstBlock = index * blocks"): _MODULO,
        }),
    Rule("cursor", "count the blocks of one matmul alone", r"(return blocks) \* [\w.]+Count;", r"\1;", _OF_SEVERAL),
    Rule("cursor", "move on one block too late", r"(while \(block) >= endBlock", r"\1 > endBlock", _OF_SEVERAL),
    Rule("cursor", "move on one block too late", r"block < endBlock", "block <= endBlock", _OF_SEVERAL),
    Rule("cursor", "take the first matmul for one that is begun", r"this->problem\.index = batchCount",
        "this->problem.index = 0", _OF_SEVERAL),
    Rule("share", "let all matmuls have the same rows of the workspace",
        r"(this->firstRowOfC = [^;]*);", ";", _OF_SEVERAL),
    Rule("shrink", "make room for one matmul", r"shape\.m\(\) \* args\.\w+Count", "shape.m()", _OF_SEVERAL),
    Rule("move", "let the first buffer alone move on", r"isBehind\[i\] = true", "isBehind[0] = true", _BLOCK),
    Rule("move", "forget that it has", r"(isBehind\[stageId\] = false);", ";", _BLOCK,
        {("block_epilogue_visitor.hpp", "isBehind[stageId] = false"): _AGAIN}),
)  # fmt: skip
"""Ways to break the launches of several matmuls."""

_PHASED = (
    Rule("cross-late", "wait after the block, not before",
        rf"({_IN_FIRST % 'Await'})(\s*)({_VISIT_BLOCK})", r"\3\2\1", _KERNEL),
    Rule("cross-early", "set before the block, not after",
        rf"({_VISIT_BLOCK})(\s*)({_IN_FIRST % 'Release'})", r"\3\2\1", _KERNEL),
    *(
        Rule("cross-count", "do it in each phase", rf"(if constexpr \()IS_FIRST(\) \{{\s*handoff\.{name}\()",
            r"\1PHASE >= 0\2", _KERNEL)
        for name in ("Await", "Release")
    ),
    Rule("remove-folded", "leave the call out", r"\(Base::MeetAivs\(\), (VisitBlocks<[^;]*)\), \.\.\.\);",
        r"(\1), ...);", r".*/splitk_\w+\.hpp"),
    Rule("cross-late", "meet after each phase, not before", _MEET, r"\3 \1\2", _KERNEL),
    Rule("cross-count", "let one core not come", _MEET, r"\1if (AscendC::GetBlockIdx() != 1) \2\3", _KERNEL),
    Rule("cross-count", "let a core without blocks not come", _MEET,
        r"\1if (AscendC::GetBlockIdx() < problems.Blocks()) \2\3", _KERNEL),
    Rule("cross-flag", "meet by a flag of the handoff", r"(FLAG_AIVS_MEET = )3", r"\g<1>0", _KERNEL),
    Rule("skip", "fill nothing", r"(BlockEpilogue::Fill\([^;]*\));", ";"),
    Rule("phase", "let each block go its way alone", r"Phases::IS_BY_ROWS && ", "", _KERNEL),
    Rule("phase", "take parts of rows for whole ones", r"hasWholeRows = [^;]*", "hasWholeRows = true", _KERNEL),
    Rule("phase", "tell the first phase alone where it is",
        r"isAnother \|\| loop == pass\.first", "isAnother", _KERNEL),
    Rule("same-rows", "fill those of the first vector core", r"(\.row\(\)) \+ subblock\.firstRow", r"\1", _KERNEL),
    Rule("phase", "say that all crosses by rows", r"return Node::HAS_ROWS;", "return true;", _PHASES),
    Rule("share", "let all have the same", r"length \* \(\(static_cast<uint64_t>[^;]*", "0", r".*/reduce\.hpp"),
    Rule("skip", "fill no parts", r"(Node::FillParts\([^;]*\));", ";"),
    Rule("share", "let all values that cross lie in the same place",
        r"(< number \? )RoundUp<GM_ALIGN>[^:]*::[^:]*(: 0)", r"\g<1>0 \2", _PHASES),
    Rule("shrink", "make no room for what crosses", r"Crossing::SizeBefore\(\w+, ALL\) \+ (Work)", r"\1", _PHASES),
    Rule("share", "fill where the blocks of C are", r"(FREE_UB\{)First::UB_WORKSPACE", r"\g<1>0", _PHASES),
    Rule("shrink", "make room for the value of one matmul", r"return count \* (layout\.)", r"return \1", _IN_WORKSPACE),
    Rule("remove", "do not wait for the blocks of a turn",
        r"for \(; loop < turn; loop \+= handoff\.CoreNum\(\)\) \{[^}]*\}", "", _KERNEL),
    Rule("remove", "visit rows before all AIVs have met",
        r"(\}\s*)MeetAivs\(\);(\s*uint32_t row = )", r"\1\2", _KERNEL),
    Rule("phase", "visit rows of the next turn, too", r"(uint32_t end = )rows( \* L1TileShape::M)", r"\1(rows + 1)\2",
        _KERNEL),
    Rule("skip", "read what the cache has", r"(AscendC::DataCacheCleanAndInvalid<[^;]*);", ";"),
)  # fmt: skip
"""Ways to break the visits of all blocks, and the phases."""

_WIDENED_B = (
    Rule("remove", "do not meet", rf"{_MEET_ALL};", "", _KERNEL),
    Rule("cross-early", "tell the cube core before the others have widened",
        rf"({_MEET_ALL};)(\s*)(Arch::CrossCoreSetFlag<\w+, PIPE_MTE3>\(flag\);)", r"\4\3\1", _KERNEL),
    Rule("cross-pipe", "set from another pipe",
        r"(CrossCoreSetFlag<\w+, )PIPE_MTE3>\((flag|FLAG_AIVS_\w+)\)", r"\1PIPE_MTE2>(\2)", _KERNEL,
        {("visitor_widening.hpp", "CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_MTE3>(flag)"): _MET}),
    Rule("cross-pipe", "set from another pipe", r"PIPE_FIX>(\(FLAG_AICS_FINISH_SLICE\))", r"PIPE_MTE3>\1", _KERNEL),
    Rule("cross-early", "set before the matmul, not after", r"(IS_LAST) && isLast", r"\1", r".*/accumulator_\w+\.hpp"),
    Rule("skip", "do not wait for a stretch", r"(?<!void )(AwaitAivs\([^;]*\));", ";", _KERNEL),
    Rule("skip", "do not tell of a stretch", r"(?<!void )(TellAic\([^;]*\));", ";", _KERNEL,
        {("visitor_widening.hpp", "TellAic(told, StretchOf(params, problem.index))"): _TOLD_LATER}),
    Rule("skip", "widen nothing", r"(?<!void )(WidenLines\(widening, [^;]*\));", ";", _KERNEL),
    Rule("skip", "free no place of the ring", r"(?<!void )(FreeSlot\(stretch, stretches\));", ";", _KERNEL),
    Rule("share", "let all slices have the same place", r"stretch % SLOTS", "0", _KERNEL),
    Rule("share", "let all that is widened begin where the ring does", r"(problem\.shift = )[^;]*;", r"\g<1>0;",
        _KERNEL),
    Rule("clip-columns", "widen for more blocks than there are cores", r"left < (last - block) \? left : \1", "left",
        _KERNEL),
    Rule("shrink", "a ring of one place fewer", r"count = SLOTS;", "count = SLOTS - 1;", _KERNEL),
    Rule("shrink", "half of B", r"(SizeOfOperands\(shape, (?:1|args\.\w+)(?:, args\.\w+)?\));", r"\1 / 2;",
        r".*/\w+_matmul\w+\.hpp"),
    Rule("share", "let B begin where the nodes do", r"evtWorkspace - SizeOfOperands\([\w, ]+\)", "evtWorkspace",
        _KERNEL),
)  # fmt: skip
"""Ways to break the widening of B ahead of the matmul. Which columns a ring has, only numbers show."""

_SLICES = (
    Rule("remove", "leave the call out", r"(products\.(?:Await|Release)\(number(?:, --slices)?\));", ";", _KERNEL),
    Rule("cross-late", "wait after the product, not before",
        r"(products\.Await\(number\);)(\s*)(products\.Visit\([^;]*;)", r"\3\2\1", _KERNEL),
    Rule("cross-early", "set before the product, not after",
        r"(products\.Visit\([^;]*;)(\s*)(products\.Release\(number, --slices\);)", r"\3\2\1", _KERNEL),
    Rule("cross-count", "count the blocks of one core too few", r"(CeilDiv\(blocks - aicoreIdx, cores\))", r"\1 - 1",
        _KERNEL),
    Rule("atomic-late", "begin the atomic mode with the third", r"slice\.index > 0", "slice.index > 1", _KERNEL),
    Rule("share", "let products begin where C does", r"(params\.ptrWorkspace) \+ SizeOfSum\([^;]*\);", r"\1;", _KERNEL),
    Rule("shrink", "make no room for products", r"size \+= RoundUp[^;]*;", ";", _KERNEL),
)  # fmt: skip
"""Ways to break the sums of slices of K."""

_WITHOUT_K = (
    Rule("skip", "write no zeros", r"(?<!void )(FillZeros\(params\));", ";", _SLICED),
    Rule("skip", "do nothing about empty groups", r"if \(HasEmptyGroup\(params\)\)", "if (false)", _SLICED),
    Rule("shrink", "write too few zeros", r"(BYTES_OF_ZEROS / sizeof\(float\))", r"\1 / 64", _SLICED),
    Rule("share", "let the zeros begin where C does", r"workspace \+ SizeOfC\(args\)", "workspace", _SLICED),
    Rule("shrink", "make no room for zeros", r"(return SizeOfC\(args\)) \+ SizeOfZeros\(args\)", r"\1", _SLICED),
    Rule("share", "let all cores have the same zeros", r"BYTES_OF_ZEROS \* \(aicoreIdx[^)]*\)", "0", _SLICED),
)  # fmt: skip
"""Ways to break the products of empty groups of K."""

RULES: tuple[Rule, ...] = (
    Rule("remove", "leave the call out", rf"(?<!\()({_CALL}|{_CROSS});", ";",
        harmless={
            ("visitor_kernel.hpp", "AscendC::PipeBarrier<PIPE_ALL>()"): _END_OF_KERNEL,
            ("splitk_matmul_visitor.hpp", "AscendC::PipeBarrier<PIPE_ALL>()"): _END_OF_KERNEL,
            ("block_epilogue_visitor.hpp", "callbacks[i].end_epilogue()"): _NO_HOOK,
            **{
                (f"visitor_{node}.hpp", "SynchronizeIfAll<STAGE>()"): _WIDENS
                for node in ("block_broadcast", "decode_float8")
            },
        }),
    Rule("remove-folded", "leave the call out", rf"\(({BARRIER}),\s+", "("),
    Rule("remove-folded", "leave the call out",
        r"\(NumberedCallbacks::callbacks\.\w+_\w+\([^;]*\), 0\)\.\.\.", "(sizeof(NumberedCallbacks) > 0 ? 0 : 1)...",
        harmless={("topological_visitor.hpp", "(NumberedCallbacks::callbacks.end_epilogue(), 0)..."): _NO_HOOK}),
    Rule("repeat", "make the call twice", rf"({_SET}|{_WAIT}|{_CROSS});", r"\1; \1;"),
    Rule("reverse", "name the event the other way round",
        r"((?:Set|Wait)Flag<AscendC::HardEvent::)([A-Z0-9]+)_([A-Z0-9]+)>", r"\1\3_\2>"),
    Rule("event", "use another event", r"((?:Set|Wait)Flag<)REFILL>", r"\1AscendC::HardEvent::V_S>"),
    Rule("swap-id", "use the flag of another buffer", r"((?:Set|Wait)Flag<[\w:]+>)\(stageId\)",
        r"\1(UB_STAGES - 1 - stageId)"),
    Rule("one-id", "use the flag of the first buffer for all", r"((?:Set|Wait)Flag<[\w:]+>)\((?:stageId|i)\)",
        r"\1(0)"),
    Rule("reserved-id", "use an id of the system", r"((?:Set|Wait)Flag<[\w:]+>)\((stageId|i)\)", r"\1(\2 + 6)"),
    Rule("no-such-id", "use an id that does not exist", r"((?:Set|Wait)Flag<[\w:]+>)\((stageId|i)\)", r"\1(\2 + 8)"),
    Rule("wait-late", "wait after the stage, not before", rf"({_WAIT});(\s*)({_VISIT});", r"\3;\2\1;"),
    Rule("set-early", "set before the stage, not after", rf"({_VISIT});(\s*)({_SET});", r"\3;\2\1;"),
    Rule("set-early", "set before the stage, not after",
        rf"({_VISIT});(\s*)(if constexpr \([^{{]*\) \{{\s*{_SET};\s*\}})", r"\3\2\1;"),
    Rule("cross-early", "set before the matmul, not after", rf"(blockMmad\([^;]*\));(\s*)({_CROSS});", r"\3;\2\1;"),
    Rule("cross-early", "set before the matmul, not after",
        rf"(blockMmad\([^;]*\);)(\s*)(if \(IS_LAST && isLast\) \{{\s*{_CROSS};\s*\}})", r"\3\2\1"),
    Rule("cross-early", "set after the first accumulator", r"INDEX \+ 1 == ACCUMULATORS", "INDEX == 0"),
    Rule("cross-late", "wait before the second accumulator", r"INDEX == 0 && (WaitsForAnother|loop >=)",
        r"INDEX + 1 == ACCUMULATORS && \1"),
    Rule("cross-early", "set the second flag before the matmul, not after",
        rf"(blockMmad\([^;]*\);\s*{_CROSS};)(\s*)({_CROSS});", r"\3;\2\1"),
    Rule("cross-late", "wait for the vector cores after the matmul, not before",
        rf"(if \([^{{]*\{{\s*(?:{_CROSS};\s*)+\}})(\s*)(blockMmad\([^;]*\);)", r"\3\2\1"),
    Rule("cross-late", "wait for the first vector core after the matmul, not before",
        rf"(if \([^{{]*\{{)(\s*{_CROSS};)(\s*{_CROSS};\s*\}})(\s*)(blockMmad\([^;]*\);)", r"\1\3\4\5\4\1\2}"),
    Rule("cross-late", "wait for the second vector core after the matmul, not before",
        rf"(if \([^{{]*\{{)(\s*{_CROSS};)(\s*{_CROSS};\s*\}})(\s*)(blockMmad\([^;]*\);)", r"\1\2}\4\5\4\1\3"),
    Rule("cross-count", "wait for one fewer", rf"loop >= ({_IN_FLIGHT})", r"loop > \1"),
    Rule("cross-count", "wait for one more", rf"loop >= ({_IN_FLIGHT})", r"loop + coreNum >= \1"),
    Rule("cross-count", "set for one more", rf"coreLoops - loop > ({_IN_FLIGHT})", r"coreLoops - loop >= \1"),
    Rule("cross-count", "set for one fewer", rf"coreLoops - loop > ({_IN_FLIGHT})", r"coreLoops - loop > \1 + 1"),
    Rule("cross-count", "lend one more place at first", r"(i < PLACES) && i < slices", r"i <= PLACES && i < slices"),
    Rule("cross-count", "lend one place more than there are slices", r"i < PLACES && (i < slices)", r"i < PLACES"),
    Rule("cross-count", "lend one more", r"(left >= PLACES)", r"left + 1 >= PLACES"),
    Rule("cross-count", "lend one fewer", r"(left >= PLACES)", r"left > PLACES"),
    Rule("cross-count", "store one before it waits", r"this->(ahead = 0)", r"this->ahead = 1"),
    Rule("cross-count", "set in one vector core",
        r"(if \()((?:IsWaitedFor\(loop\)|coreLoops - loop > STAGES \* coreNum)\))",
        r"\1AscendC::GetSubBlockIdx() == 0 && \2"),
    Rule("cross-core", "name the other vector core", r"(?<=\w) \+ OF_AIV1(?=\);)", ""),
    Rule("barrier-late", "put the barrier after the call, not before",
        rf"\(({BARRIER}),(\s+)(AscendC::\w+\((?:[^()]|\([^()]*\))*\))", r"(\3,\2\1"),
    Rule("barrier-late", "put the barrier after the call, not before", rf"({BARRIER});(\s*(?://.*\s*)?)((?!for\b)\w[^;]*);",
        r"\3;\2\1;"),
    Rule("barrier-pipe", "name another pipe", r"PipeBarrier<PIPE_(?:V|ALL)>", "PipeBarrier<PIPE_MTE2>",
        harmless={
            ("visitor_kernel.hpp", "PipeBarrier<PIPE_ALL>"): _END_OF_KERNEL,
            ("splitk_matmul_visitor.hpp", "PipeBarrier<PIPE_ALL>"): _END_OF_KERNEL,
        }),
    Rule("barrier-pipe", "name another pipe", rf"(?<!void ){BARRIER}", "AscendC::PipeBarrier<PIPE_MTE2>()"),
    Rule("barrier-pipe", "name another pipe", r"PipeBarrier<PIPE_MTE3>", "PipeBarrier<PIPE_V>"),
    Rule("barrier-pipe", "name one pipe of all", r"PipeBarrier<PIPE_ALL>", "PipeBarrier<PIPE_V>"),
    Rule("cross-pipe", "set from another pipe", r"(CrossCoreSetFlag<\w+, )PIPE_FIX>", r"\1PIPE_MTE2>"),
    Rule("cross-pipe", "set from another pipe", r"(CrossCoreSetFlag<\w+, )PIPE_MTE2>", r"\1PIPE_FIX>"),
    Rule("cross-pipe", "set from another pipe", r"(CrossCoreSetFlag<SYNC_MODE_ALL, )PIPE_MTE2>", r"\1PIPE_V>"),
    Rule("cross-pipe", "hold back another pipe", r"(CrossCoreWaitFlag<\w+, )PIPE_(?:FIX|V)>", r"\1PIPE_MTE3>"),
    Rule("cross-pipe", "hold back another pipe", r"(CrossCoreWaitFlag<\w+, )PIPE_(?:FIX|V)>", r"\1PIPE_MTE2>"),
    Rule("cross-pipe", "set from another pipe", r"(CrossCoreSetFlag<\w+, )LAST_READER>", r"\1PIPE_MTE2>"),
    Rule("cross-pipe", "set from V always", r"EVT::StoresResident\(\) \? PIPE_MTE3 : PIPE_V", "PIPE_V"),
    Rule("cross-pipe", "set from MTE3 always", r"EVT::StoresResident\(\) \? PIPE_MTE3 : PIPE_V", "PIPE_MTE3"),
    *(
        Rule("cross-flag", f"{do} the other flag", rf"(CrossCore{call}Flag<[\w, ]+>)\({flag}", rf"\1({other}")
        for do, call in (("set", "Set"), ("wait for", "Wait"))
        for flag, other in (_FLAGS, _FLAGS[::-1])
    ),
    Rule("cross-flag", "set the other flag", r"(CrossCoreSetFlag<[\w, ]+>)\((flagAicFinishStore)\)",
        r"\1(flagAivFinishLoad)"),
    Rule("cross-flag", "wait for the other flag", r"(CrossCoreWaitFlag)\((flagAicFinishStore)\)",
        r"\1(flagAivFinishLoad)"),
    Rule("cross-flag", "wait for the other flag", r"(CrossCoreFlag flag\{)FLAG_AIV_FINISH_LOAD\}",
        r"\1FLAG_AIC_FINISH_STORE}"),
    Rule("cross-flag", "set the other flag", r"(CrossCoreFlag flag\{)FLAG_AIC_FINISH_STORE\}",
        r"\1FLAG_AIV_FINISH_LOAD}"),
    Rule("remove", "leave the call out", r"(handoff\.Finish\(blockMmad\));", ";",
        harmless={("visitor_kernel.hpp", "handoff.Finish(blockMmad)", ATLAS_A2): _DESTROYED}),
    Rule("callback", "leave the callback out", r"(?:before|after)Fixpipe = MakeCallback\(&\w+\);", ";"),
    Rule("callback", "make the calls in the other order", r"(, )(beforeFixpipe)(,\s*)(afterFixpipe)", r"\1\4\3\2"),
    Rule("atomic-early", "end the atomic mode before the store", rf"({_COPY});(\s*)(AscendC::SetAtomicNone\(\));",
        r"\3;\2\1;"),
    Rule("atomic-late", "begin the atomic mode after the store", rf"(ReduceFn<Element>::SetAtomic\(\));(\s*)({_COPY});",
        r"\3;\2\1;"),
    Rule("atomic-type", "name another type", r"(SetAtomic(?:Add|Max|Min))<Element>", r"\1<int16_t>"),
    Rule("skip", "leave the copy out", rf"({_COPY});", ";"),
    Rule("skip", "leave out what fills the buffer", rf"(?<![(:])({_FILL});", ";",
        harmless={
            **_FILLED_LISTS,
            ("digits_of_a.hpp", "AscendC::Duplicate(dst, static_cast<Element>(-8.0f), count)"): _NUMBERS,
            (
                "visitor_top_k.hpp",
                "AscendC::Copy( merged, lists, static_cast<uint64_t>(TAKEN * PAIR), 1,"
                " AscendC::CopyRepeatParams{1, 1, BLK_NUM_PER_REPEAT, BLK_NUM_PER_REPEAT})",
            ): _SORTED,
            (
                "visitor_top_k.hpp",
                "AscendC::Duplicate( ubRows[(row + 1) * stride - TOP_K_LIST], least, behind,"
                " static_cast<uint8_t>(tileShape.row() / times), 1, static_cast<uint8_t>(blocks))",
            ): _SORTED,
            **{
                ("band.hpp", f"AscendC::Duplicate({arguments})"): _OUTSIDE
                for arguments in (
                    "ub, value, mask, 1, 1, BLK_NUM_PER_REPEAT",
                    " ub[begin * stride + out * LANES], value, static_cast<int32_t>(last - out * LANES)",
                    " ub[begin * stride + out * LANES], value, static_cast<uint64_t>(LanesOf<LANES>(out, stride)),"
                    " static_cast<uint8_t>(row - begin), 1, blocksPerRow",
                )
            },
        }),
    Rule("skip", "leave out what fills the buffer", r"\((AscendC::Cast\([^;]*\)), \.\.\.\);", ";"),
    Rule("skip", "fill half the buffer", r"(AscendC::Duplicate\([^;]*, )(\w+|static_cast<int32_t>\(\w+\))\);",
        r"\1\2 / 2);", files=r".*/visitor_\w+\.hpp",
        harmless={
            **_FILLED_LISTS,
            (
                "visitor_block_reduced.hpp",
                "AscendC::Duplicate( ubColumn[count - last], static_cast<Element>(0), behind, 1, 1,"
                " BLK_NUM_PER_REPEAT)",
            ): "it is one repeat, and there is no next one",
        }),
    Rule("in-compute", "do it in COMPUTE", r"HasStage\(STAGE, VisitStage::(?:LOAD|STORE)\)",
        "HasStage(STAGE, VisitStage::COMPUTE)",
        harmless={("visitor_in_order.hpp", "HasStage(STAGE, VisitStage::STORE)"): _PLACE}),
    Rule("in-load", "do it in LOAD", r"HasStage\(STAGE, VisitStage::COMPUTE\)", "HasStage(STAGE, VisitStage::LOAD)"),
    Rule("in-store", "do it in STORE", r"HasStage\(STAGE, VisitStage::COMPUTE\)", "HasStage(STAGE, VisitStage::STORE)"),
    Rule("trait", "say that the node does not",
        r"static constexpr bool (?!MAKES_MASK|IS_NODE|RESIDENT|READS_IN_COMPUTE|IS_CUT_BY|ADDS|DEQUANTISES)(\w+)"
        r" = (?:true|!\w+|SPREADS (?:\|\||&&) !?\w+|Node::HAS_BARRIER \|\| SPREADS);",
        r"static constexpr bool \1 = false;",
        harmless={
            ("operator.hpp", "static constexpr bool HAS_BARRIER = true"): _ONE_MORE,
            ("visitor_scalar_reduce.hpp", "static constexpr bool HAS_BARRIER = true"): _ONE_MORE,
            ("visitor_col_index.hpp", "static constexpr bool HAS_BARRIER = true"): _ONE_MORE,
            ("visitor_block_reduced.hpp", "static constexpr bool HAS_BARRIER = true"): _ONE_MORE,
            ("visitor_decode_float8.hpp", "static constexpr bool HAS_BARRIER = !IS_UPPER_BYTE"): _ONE_MORE,
            ("visitor_acc_digits.hpp", "static constexpr bool HAS_BARRIER = true"): _ONE_MORE,
            **{
                (f"visitor_on_{vector}.hpp", f"{_BOOL} HAS_BARRIER = Node::HAS_BARRIER || SPREADS"): _ONE_MORE
                for vector in ("row", "column")
            },
            ("visitor_top_k.hpp", "static constexpr bool HAS_BARRIER = true"): _ONE_MORE,
            ("visitor_top_k.hpp", "static constexpr bool WHOLE_ROWS = true"): _SAID_TWICE,
            # Of the epilogues there, only one with the largest of a row has whole rows
            ("visitor_col_reduced.hpp", "static constexpr bool WHOLE_ROWS = true", ASCEND950): _SAID_TWICE,
            ("visitor_row_broadcast.hpp", "static constexpr bool HAS_COLUMNS = true"): _NUMBERS,
            ("visitor_scatter_in_order.hpp", "static constexpr bool IN_ORDER = true"): _ADDED,
            ("visitor_aux_load.hpp", "static constexpr bool PENDING = true", ASCEND950): PLANNED,
            ("visitor_cast.hpp", "static constexpr bool PENDING = !FORWARDS", ASCEND950): PLANNED,
            ("visitor_col_broadcast.hpp", f"{_BOOL} HAS_BARRIER = SPREADS && !NULL_DEFAULT", ASCEND950): PLANNED,
            **{
                (f"visitor_{node}.hpp", "static constexpr bool PENDING = true", ASCEND950): PLANNED
                for node in ("band", "block_reduced", "col_index", "col_reduced", "compute", "rotate")
            },
        }),
    Rule("trait", "say that the node does not", r"(static constexpr bool READS_IN_COMPUTE = )(?:true|!FORWARDS);",
        r"\1false;", files=r".*/visitor_(?!alternate|band|cast|compute|top_k)\w+\.hpp", of_v=True,
        harmless={("visitor_scalar_reduce.hpp", "static constexpr bool READS_IN_COMPUTE = true"): _FOLDED}),
    # The framework's plan would let its result take the place of an input that it still reads
    Rule("trait", "say that the node does not", r"(static constexpr bool READS_IN_COMPUTE = )(?:true|!FORWARDS);",
        r"\1false;", files=r".*/visitor_(?:alternate|band|cast|compute|top_k|top_k_result)\.hpp",
        harmless={("visitor_band.hpp", "static constexpr bool READS_IN_COMPUTE = true", ASCEND950): PLANNED}),
    Rule("share", "let all blocks of a core have the same place", r"loop % inFlight", "loop % coreNum"),
    Rule("share", "let all blocks of a core have the same place", r"loop / coreNum % STAGES", "0"),
    Rule("share", "let the buffers begin where the blocks do", r"(params, )UB_WORKSPACE,", r"\g<1>0,"),
    *_SEVERAL,
    *_PHASED,
    *_WIDENED_B,
    *_SLICES,
    *_WITHOUT_K,
    Rule("shrink", "half the workspace", r"(aicCoreNum \*) STAGES", r"\1 (STAGES / 2)"),
    Rule("shrink", "room for one product", r"(shape\.m\(\)) \* SlicesOf\(args\)", r"\1"),
    Rule("share", "let both tiles begin in the same place", r"static_cast<uint32_t>\(stageId\) \* STAGE_BYTES", "0"),
    Rule("shrink", "tiles that are too long for the buffer", r"RoundDown<REPEAT>\((fitting)\)", r"2 * \1"),
    Rule("cross-mode", "meet the vector core of the group only", r"(SYNC_MODE_ALL = )0x0", r"\g<1>0x1"),
    Rule("shrink", "half the block", r"CeilDiv<2>\((L1TileShape::M)\)", r"CeilDiv<4>(\1)"),
    Rule("share", "let all buffers begin in the same place", r"ubOffset \+= Tile::BYTES;", ";"),
    Rule("share", "let the part of all buffers begin in the same place", r"ubOffset (\+ BEGINS\.\w+)", r"0 \1"),
    Rule("share", "let a tile of scratch begin within the one before",
        r"scratch\[(DST_TILE|\(FIRST_SCRATCH_TILE \+ Is\)) \* STEP\]", r"scratch[\1 * STEP - (\1 > 0 ? STEP / 2 : 0)]"),
    Rule("plan", "put no barrier anywhere", r"Tile::SCHEDULE\.VisitOf\(I\)\.waits && ", "false && ", of_v=True),
    Rule("plan", "forget that STORE reads what LOAD fills", r" \|\| nodes\[source\]\.loaded;", ";", _GRAPH),
    Rule("plan", "forget that STORE reads C in UB", r"storesResident \|\| nodes\[source\]\.resident", "false", _GRAPH),
    Rule("one-buffer", "one set of buffers, two of flags", r"(\(static_cast<void>\(Is\)),\s+(evt\.get_callbacks)",
        r"\1, ubOffset = 0, \2"),
    Rule("one-buffer", "one set of buffers, two of flags", r"(callbacks\[)stageId\]", r"\g<1>0]"),
    Rule("shrink", "half the buffer", r"computeLength((?: / 2)? \* sizeof\(\w+\)(?:;| \+))", r"computeLength / 2\1"),
    Rule("shrink", "a sixteenth of the part", r"(need\.\w+ = )([^;]+);", r"\1(\2) / 16;", r".*/visitor_\w+\.hpp"),
    Rule("shrink", "leave the part out", r"need\.\w+ = [^;]+;", ";", r".*/visitor_\w+\.hpp"),
    Rule("shrink", "half the buffer", r"(BLOCKS = )4;", r"\g<1>2;"),
    Rule("shrink", "half the buffer", r"(RoundUp<BYTE_PER_BLK>\(computeLength / )(ELE_NUM_PER_MASK)\)", r"\1(2 * \2))"),
    Rule("shrink", "compare what does not fill a repeat", r"WholeRepeats<Element>\((count)\)", r"\1"),
    Rule("shrink", "leave a part of the buffer out", r"(UB_BYTES = )2 \* MAX_TILE_ROWS", r"\g<1>MAX_TILE_ROWS / 8"),
    Rule("shrink", "half the buffer", r"(return computeLength / )2( \* static_cast<uint32_t>\(sizeof\(Element\)\))",
        r"\g<1>4\2"),
    Rule("shrink", "rows that are too long for the buffer",
        r"(Smaller\()(COMPUTE_LENGTH / stride),", r"\g<1>2 * \2,"),
    Rule("align", "rows that do not start on 32 bytes", r"RoundUp<EVT::STRIDE_ALIGN>\((tile\w+(?:\.column\(\))?)\)",
        r"\1"),
    Rule("align", "rows that do not start on 32 bytes", r"(STRIDE_ALIGN =\s(?:[^;]*: )?)BYTE_PER_BLK / sizeof\(\w+\)",
        r"\g<1>1",
        harmless={
            (
                "visitor_compute.hpp",
                "STRIDE_ALIGN = std::is_same_v<ElementCompute, Mask> ? 1 : BYTE_PER_BLK / sizeof(ElementCompute)",
            ): _BY_COUNT,
            ("visitor_row_broadcast.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _ASKED,
            ("visitor_col_broadcast.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _ASKED,
            ("visitor_row_index.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(int32_t)"): _NO_NARROWER,
            ("visitor_acc_digits.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _NO_NARROWER,
            ("visitor_col_reduced.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _OF_ONE_TYPE,
            ("visitor_col_store.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _NUMBERS,
            ("visitor_row_store.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _FIRST_ROW,
            ("visitor_scalar_store.hpp", "STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element)"): _FIRST_ROW,
        }),
    Rule("align", "rows of C that do not start on 32 bytes",
        r"RoundUp<EVT::STRIDE_ALIGN>\((columns|actualBlockShape\.n\(\))\)", r"\1"),
    Rule("align", "rows that do not start on 32 bytes", r"RoundUp<\w+>\((rows)\)", r"\1"),
    Rule("align", "a buffer that does not end on 32 bytes", r"RoundUp<\w+>\((computeLength / ELE_NUM_PER_MASK)\)",
        r"\1"),
    Rule("stride", "rows one block too close", r"(stride / (?:STRIDE_ALIGN|ELE_NUM_PER_BLK))", r"(\1 - 1)",
        harmless={("visitor_top_k.hpp", "stride / ELE_NUM_PER_BLK"): _SORTED}),
    Rule("limit", "tiles of twice the rows or columns", r"(MAX_TILE_(?:ROWS|COLUMNS) = )(\d+)", r"\g<1>2 * \2"),
    Rule("last", "leave the last step out", r"(for \([^;]*; )(\w+) (< [\w.]+(?:\(\))?; \2 \+= )([\w:]+(?:\(\))?)\)",
        r"\1\2 + \4 \3\4)",
        harmless={
            (
                "visitor_in_order.hpp",
                "for (uint64_t first = share.first; first < share.end; first += length)",
            ): _FILLED,
            (
                "reduce.hpp",
                f"for (uint32_t column = pairs * ELE_NUM_PER_PAIR; column < columns; column += {_REPEAT})",
            ): _FOLDED,
            ("reduce.hpp", "for (uint32_t done = 0; done < left; done += times)"): _FOLDED,
            ("tile_plan.hpp", "for (; i < spanCount; i += NODES)"): _CHECKS,
            ("visitor_rotate.hpp", "for (uint32_t done = 0; done < calCount; done += MOST)"): _SIGNS,
            ("visitor_top_k.hpp", "for (uint32_t column = 0; column < tileShape.column(); column += LANES)"): _SORTED,
        }),
    Rule("last", "leave the last step out", r"(for \([^;]*; )i < (UB_STAGES|EVENT_IDS); \+\+i\)",
        r"\1i + 1 < \2; ++i)"),
    Rule("last", "leave the last repeat out", r"(static_cast<(?:uint8_t>\(|int32_t>\(rows))((?:[^()]|\([^()]*\))*)\)",
        r"\1\2 - 1)",
        harmless={
            ("band.hpp", "static_cast<uint8_t>(row - begin)"): _OUTSIDE,
            ("visitor_rotate.hpp", "static_cast<uint8_t>(repeats)"): _SIGNS,
            **{
                ("visitor_top_k.hpp", f"static_cast<uint8_t>({count})"): _SORTED
                for count in ("tileShape.row() / times", "blocks", "2")
            },
        }),
    Rule("first", "leave the first step out", r"(for \(uint32_t row = )1(; row < rows;)", r"\g<1>2\2"),
    Rule("clip-rows", "do not clip the last tile", r"Smaller\(rows - row, (tileRows)\)", r"\1"),
    Rule("clip-columns", "do not clip the last tile", r"Smaller\(columns - column, (tileColumns)\)", r"\1"),
    Rule("clip-mask", "do not clip the last repeat", r"(\w+ - \w+) < (\w+) \? \1 : \2", r"\2",
        harmless={
            (
                "broadcast.hpp",
                f"stride - column < {_REPEAT} ? stride - column : {_REPEAT}",
                ASCEND950,
            ): ("V writes into the next row, in order: the numbers may be wrong, and only they can show it")
        }),
    Rule("same-rows", "give both vector cores the same rows", r"static_cast<uint32_t>\(AscendC::GetSubBlockIdx\(\)\)",
        "0u"),
)  # fmt: skip

PARTS = (
    ("band.hpp", r".*", "VisitorBand"),
    *(
        ("broadcast.hpp", rf"^CATLASS_DEVICE void {function}\(.*?^\}}", function)
        for function in ("RepeatFirstRow", "SpreadOverBlocks")
    ),
    ("block_epilogue_visitor.hpp", r"AscendC::PipeBarrier<PIPE_ALL>\(\);\n    \}\n\n    BlockEp", WIDENED),
    (
        "visitor_widening.hpp",
        r"^    CATLASS\w+ (?:static )?\w+ (?:AwaitAivs|SetOperands|TellAic)\(.*?^    \}",
        f"{WIDENED}|{DIGITS}",
    ),
    ("visitor_widening.hpp", r"^    CATLASS\w+ (?:static )?\w+ (?:WidenB|WidenLines)\(.*?^    \}", WIDENED),
    ("visitor_widening.hpp", r"^    CATLASS\w+ \w+ PutInDigits\(.*?^    \}", DIGITS),
    ("visitor_ring.hpp", r".*", RING),
    ("visitor_feeding.hpp", r".*", FED),
    ("visitor_widening.hpp", r"count = SLOTS;", RING),
    ("visitor_kernel.hpp", r"AwaitAivs\(awaited, 1\);", DIGITS),
    ("visitor_kernel.hpp", r"AwaitAivs\([^;]*\);", WIDENED),
    ("visitor_slices.hpp", r"^    struct ProductsOfSlices<Adding, true> \{.*?^    \};", ADDED_IN_UB),
    ("visitor_slices.hpp", r".*", ADDED),
    ("accumulator_handoff.hpp", r"if \(!isFirst\) \{.*?\}|isFirst && |IS_LAST && isLast", RING),
    ("block_epilogue_visitor.hpp", r"^    void BeginProblem\(.*?^    \}|if \(isBehind\[.*?^ *\}", SEVERAL),
    ("topological_visitor.hpp", r"\(NumberedCallbacks::callbacks\.begin_problem\(", SEVERAL),
    ("visitor_scalar_broadcast.hpp", r"^        void begin_problem\(.*?^        \}", SEVERAL),
    ("reduce.hpp", r"^CATLASS_DEVICE Share ShareOfAiv\(.*?^\}", f"{PHASES}|{ORDERED}|{SplitkMatmul.header}"),
    ("reduce.hpp", r"^CATLASS_DEVICE void FillGm\(.*?^\}", f"{PHASES}|{ORDERED}|{STATISTICS}"),
    ("visitor_passes.hpp", r"^    CATLASS_DEVICE void JoinParts\(.*?^    \}", f"{ORDERED}|{STATISTICS}"),
    ("visitor_kernel.hpp", r"if \(Statistics::ANY .*?^        \}", f"{ORDERED}|{STATISTICS}"),
    ("visitor_kernel.hpp", r"^    CATLASS_DEVICE void AddUpA\(.*?^    \}", STATISTICS),
    ("phases.hpp", r"FREE_UB\{", PHASES_IN_UB),
    ("phases.hpp", r".*", PHASES),
    ("visitor_scalar_broadcast.hpp", r"AscendC::DataCacheCleanAndInvalid<[^;]*;", PHASES),
    *(
        (
            f"visitor_{part}.hpp",
            r"if constexpr \(Problems::SEVERAL\)|loop - problems\.problem\.firstBlock",
            SEVERAL,
        )
        for part in ("kernel", "passes", "widening")
    ),
    (
        "visitor_launch.hpp",
        r"^    CATLASS_DEVICE static void MeetAivs\(.*?^    \}|FLAG_AIVS_MEET = [^;]*;|SYNC_MODE_ALL = [^;]*;",
        f"{PHASES}|{ORDERED}|{STATISTICS}|{SplitkMatmul.header}",
    ),
    ("visitor_kernel.hpp", r"Phases::IS_BY_ROWS && |hasWholeRows = |pass\.isLast = ", PHASES),
    (
        "visitor_passes.hpp",
        r"isAnother \|\| |if \(Phases::COUNT > 1 && [^}]*\}|^    CATLASS_DEVICE void FillCrossing\(.*?^    \}",
        PHASES,
    ),
    ("visitor_kernel.hpp", r"handoff\.Finish\(", "preload_async"),
    ("accumulator_handoff.hpp", r"constexpr bool IS_LAST = [^;]*;|INDEX == 0 && ", SECOND),
    (
        "accumulator_handoff.hpp",
        r"Callback beforeFixpipe\{\};.*?\} else \{|struct (?:WaitFor|Tell)Aivs \{.*?^    \};",
        "preload_async",
    ),
    ("accumulator_handoff.hpp", r"^class AccumulatorHandoff<[\w, ]+, true> \{.*?^\};", "ub"),
    ("accumulator_handoff.hpp", r"^    void Await\(.*?^    \}", SplitkMatmul.header),
    ("accumulator_handoff.hpp", r"^class AccumulatorHandoff<[\w, ]+, false> \{.*?^\};", "gm"),
    ("block_epilogue_visitor.hpp", r"\.begin_block\(", "gm"),
    (
        "block_epilogue_visitor.hpp",
        r"if constexpr \(EVT::(?:Has|Stores)Resident\(\)\) \{.*?\}|params, UB_WORKSPACE,"
        r"|\(callbacks\[stageId\]\.begin_tile\([^;]*;",
        "ub",
    ),
    ("flat_graph.hpp", r"storesResident = storesResident [^;]*;", "ub"),
    ("topological_visitor.hpp", r"\(NumberedCallbacks::callbacks\.begin_block\(", "gm"),
    ("visitor_acc_load.hpp", r"static constexpr bool RESIDENT[^;]*;|struct ResidentCallbacks .*?^    \};", "ub"),
    ("visitor_acc_load.hpp", r".*", "gm"),
    *(
        (f"visitor_{node}.hpp", r"static constexpr bool HAS_ROWS[^;]*;", GroupedMatmulSliceM.header)
        for node in ("aux_load", "aux_store", "col_broadcast", "col_reduce", "col_store")
    ),
    *(
        (f"visitor_{node}.hpp", r"static constexpr bool (?:HAS_COLUMNS|JOINS)[^;]*;", PHASES)
        for node in ("row_broadcast", "row_reduce", "col_reduce", "scalar_reduce")
    ),
    ("visitor_passes.hpp", r"if constexpr \(IS_FIRST\) \{\s*handoff\.\w+\(", PHASES),
    ("visitor_passes.hpp", r"^    CATLASS_DEVICE void VisitRows\(.*?^    \}|uint32_t EndOfTurn\(.*?^    \}", ROWS),
    ("accumulator_handoff.hpp", r"^    CATLASS_DEVICE void VisitRows\(.*?^    \}", ROWS),
    ("block_epilogue_visitor.hpp", r"^    void VisitRows\(.*?^    \}", ROWS),
)
"""What is part of a kernel only where the accumulator takes this way, the matmul has this policy, or there are several:
a file, and a pattern for the text."""
