#include "gather.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core.hpp"
#include "lanes.hpp"
#include "registers.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

uint32_t OffsetAt(Operand const& offsets, uint64_t i)
{
    uint32_t offset;
    std::memcpy(&offset, At(offsets, i * sizeof(offset)), sizeof(offset));
    return offset;
}

bool Inside(uint32_t offset, uint64_t bytes, uint64_t srcBytes) { return offset + bytes <= srcBytes; }

void ReportOutside(uint32_t offset, uint64_t srcBytes)
{
    Report(
        {Fault::BadParameter, CurrentCore()->MakeCall(*CurrentInstruction()),
         "offset " + std::to_string(offset) + " of a source of " + std::to_string(srcBytes) + " bytes"});
}

/// Calls f(number of the block, its offset in dst) for each.
template <class F> void ForEachBlock(Operand const& dst, uint32_t repeats, F&& f)
{
    for (uint32_t r = 0; r < repeats; ++r) {
        for (uint32_t b = 0; b < kRepeatBytes / kBlockBytes; ++b) {
            uint64_t const block = uint64_t{r} * dst.repeatStride + uint64_t{b} * dst.blockStride;
            f(uint64_t{r} * (kRepeatBytes / kBlockBytes) + b, block * kBlockBytes);
        }
    }
}

/// How far the offsets go, at most to the end of UB.
template <class Each>
uint64_t ReachOf(Operand const& src, Operand const& offsets, uint64_t offsetCount, uint64_t bytes, Each&& forEach)
{
    Core* const core = CurrentCore();
    if (core == nullptr || offsetCount == 0) { return 0; }
    SettledRegisters();
    LocalMemory const* const from = core->LocalOf(src.data);
    LocalMemory const* const list = core->LocalOf(offsets.data);
    if (from == nullptr || list == nullptr || !list->Contains(At(offsets, offsetCount * sizeof(uint32_t) - 1))) {
        return bytes;  // recording reports it
    }
    uint64_t reach = 0;
    forEach([&](uint64_t i, uint64_t) { reach = std::max(reach, OffsetAt(offsets, i) + bytes); });
    return std::min(reach, from->bytes - from->Offset(src.data));
}

/// Records what `forEach` walks, in pieces of `bytes`; of the offsets it uses the first `offsetCount`.
template <class Each>
void RecordByOffset(
    Instruction&& instruction, Operand const& dst, Operand const& src, uint64_t srcBytes, Operand const& offsets,
    uint64_t offsetCount, uint64_t bytes, Each forEach)
{
    srcBytes = srcBytes == kAnyLength ? ReachOf(src, offsets, offsetCount, bytes, forEach) : srcBytes;
    // Which bytes of the source are read is known only when the offsets are.
    instruction.Reads(Within(src.buffer, Bytes(Space::UB, src.data, srcBytes)));
    instruction.Reads(Within(offsets.buffer, Bytes(Space::UB, offsets.data, offsetCount * sizeof(uint32_t))));
    instruction.Act([=] {
        forEach([&](uint64_t i, uint64_t to) {
            uint32_t const from = OffsetAt(offsets, i);
            if (Inside(from, bytes, srcBytes)) {
                std::memmove(At(dst, to), At(src, from), bytes);
            } else {
                ReportOutside(from, srcBytes);
            }
        });
    });
    instruction.Shadow([=] {
        forEach([&](uint64_t i, uint64_t to) {
            uint32_t const from = OffsetAt(offsets, i);
            bool const known = LocalDefined(At(offsets, i * sizeof(from)), sizeof(from));
            if (known && Inside(from, bytes, srcBytes)) {
                std::memmove(StateOf(At(dst, to)), StateOf(At(src, from)), bytes);
            } else {
                ShadowFill(At(dst, to), bytes, kUndefined);
            }
        });
    });
    Record(std::move(instruction));
}

bool Chosen(uint8_t pattern, Operand const& mask, uint32_t r, uint32_t e)
{
    switch (pattern) {
        case 0: return (*At(mask, uint64_t{r} * mask.repeatStride * kBlockBytes + e / 8) >> (e % 8) & 1u) != 0;
        case 1:
        case 2: return e % 2 == pattern - 1u;
        case 7: return true;
        default: return e % 4 == pattern - 3u;
    }
}

}  // namespace

void RecordGather(
    char const* name, Operand const& dst, Operand const& src, uint64_t srcBytes, Operand const& offsets,
    Lanes const& given, Site site)
{
    Lanes const lanes = given.Of(dst);
    if (!Active(lanes, name, site)) { return; }
    Instruction instruction(Pipe::V, name, site);
    instruction.Writes(RegionOf(dst, lanes));
    instruction.Work(lanes.Repeats(dst.size));
    uint64_t used = 0;
    auto const forEach = [=](auto&& f) {
        ForEachLane(lanes, dst, {}, {}, [&](uint64_t i, uint64_t to, uint64_t, uint64_t) { f(i, to); });
    };
    forEach([&used](uint64_t i, uint64_t) { used = i + 1; });
    RecordByOffset(std::move(instruction), dst, src, srcBytes, offsets, used, dst.size, forEach);
}

void RecordGatherBlocks(
    char const* name, Operand const& dst, Operand const& src, uint64_t srcBytes, Operand const& offsets,
    uint32_t repeats, Site site)
{
    if (repeats == 0) { return; }
    constexpr uint32_t blocks = kRepeatBytes / kBlockBytes;
    Instruction instruction(Pipe::V, name, site);
    instruction.Writes(RegionOf(dst, Lanes::First(kRepeatBytes / dst.size, repeats, dst.size)));
    instruction.Work(repeats);
    RecordByOffset(
        std::move(instruction), dst, src, srcBytes, offsets, uint64_t{repeats} * blocks, kBlockBytes,
        [=](auto&& f) { ForEachBlock(dst, repeats, f); });
}

void RecordGatherMask(
    char const* name, Operand const& dst, Operand const& src, Operand const& mask, uint8_t pattern, uint32_t count,
    uint32_t repeats, Site site)
{
    if (count == 0 || repeats == 0) { return; }
    if (pattern > 7) {
        RefuseParameter(name, "src1Pattern is not within 1 and 7", site);
        return;
    }
    uint32_t const perBlock = kBlockBytes / src.size;
    uint32_t const blocks = (count + perBlock - 1) / perBlock;
    Region read = Rows(
        Space::UB, src.data, src.blockStride == 1 ? 1 : blocks,
        src.blockStride == 1 ? uint64_t{count} * src.size : kBlockBytes, uint64_t{src.blockStride} * kBlockBytes);
    read.buffer = src.buffer;
    read.outer = repeats;
    read.outerStride = uint64_t{src.repeatStride} * kBlockBytes;
    Instruction instruction(Pipe::V, name, site);
    instruction.Reads(read);
    if (pattern == 0) {
        instruction.Reads(Within(
            mask.buffer,
            Rows(Space::UB, mask.data, repeats, (uint64_t{count} + 7) / 8, uint64_t{mask.repeatStride} * kBlockBytes)));
    }
    Core* const core = CurrentCore();
    uint64_t const maskBytes = uint64_t{repeats - 1} * mask.repeatStride * kBlockBytes + (count + 7) / 8;
    bool readable = core != nullptr;
    if (pattern == 0 && readable) {
        SettledRegisters();
        LocalMemory const* const memory = core->LocalOf(mask.data);
        readable = memory != nullptr && memory->Contains(At(mask, maskBytes - 1));  // recording reports it if not
    }
    // In place, elements move towards the start only, so that none is overwritten before it is read.
    auto const forEach = [=](auto&& f) {
        uint64_t to = 0;
        for (uint32_t r = 0; readable && r < repeats; ++r) {
            for (uint32_t e = 0; e < count; ++e) {
                if (Chosen(pattern, mask, r, e)) {
                    f(to, LaneOffset(src, r, e));
                    to += src.size;
                }
            }
        }
        return to;
    };
    uint64_t const written = forEach([](uint64_t, uint64_t) {});
    CurrentRegisters().kept = written / src.size;
    instruction.Writes(Within(dst.buffer, Bytes(Space::UB, dst.data, written)));
    instruction.Work((uint64_t{count} * src.size + kRepeatBytes - 1) / kRepeatBytes * repeats);
    auto const forEachWritten = [=](auto&& f) {
        forEach([&](uint64_t to, uint64_t from) {
            if (to < written) {  // the mask could have changed since only if nothing orders that
                f(At(dst, to), At(src, from));
            }
        });
    };
    instruction.Act(
        [=] { forEachWritten([&](uint8_t* to, uint8_t const* from) { std::memmove(to, from, src.size); }); });
    instruction.Shadow([=] {
        forEachWritten([&](uint8_t* to, uint8_t const* from) { std::memmove(StateOf(to), StateOf(from), src.size); });
    });
    Record(std::move(instruction));
}

}  // namespace machine
