#include "transpose.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "shadow.hpp"

namespace machine {

namespace {

/// Bytes next to each other.
struct Run {
    uint8_t* start;
    uint64_t length;
};

/// The bytes of the blocks, in the order of their addresses; whole blocks that touch are one run.
std::vector<Run> RunsOf(BlockList const& list, uint32_t offset, uint32_t length)
{
    auto blocks = list.blocks;
    std::sort(blocks.begin(), blocks.end());
    std::vector<Run> runs;
    for (uint8_t* const block : blocks) {
        if (!runs.empty() && length == kBlockBytes && runs.back().start + runs.back().length == block) {
            runs.back().length += length;
        } else {
            runs.push_back({block + offset, length});
        }
    }
    return runs;
}

/// The bytes of the blocks in all repeats, as few evenly spaced runs as the addresses allow.
std::vector<Region> RegionsOf(BlockList const& list, uint32_t offset, uint32_t length, uint32_t repeats)
{
    std::vector<Run> const runs = RunsOf(list, offset, length);
    std::vector<Region> regions;
    for (size_t first = 0; first < runs.size();) {
        size_t last = first;
        auto const stride = first + 1 < runs.size() ? runs[first + 1].start - runs[first].start : 0;
        while (last + 1 < runs.size() && runs[last + 1].start - runs[last].start == stride
               && runs[last + 1].length == runs[first].length) {
            ++last;
        }
        Region region =
            Rows(Space::UB, runs[first].start, last - first + 1, runs[first].length, static_cast<uint64_t>(stride));
        region.outer = repeats;
        region.outerStride = list.repeatStride;
        regions.push_back(region);
        first = last + 1;
    }
    return regions;
}

/// Calls f(destination, source) for each element of each repeat.
template <class F>
void ForEachElement(BlockList const& dst, BlockList const& src, uint32_t size, uint32_t length, uint32_t repeats, F&& f)
{
    size_t const perBlock = length / size;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        for (size_t at = 0; at < kTransposedBlocks * perBlock; ++at) {
            uint8_t const* const from = src.blocks[at % kTransposedBlocks] + src.offset + repeat * src.repeatStride;
            uint8_t* const to = dst.blocks[at / perBlock] + dst.offset + repeat * dst.repeatStride;
            f(to + at % perBlock * size, from + at / kTransposedBlocks * size);
        }
    }
}

}  // namespace

void RecordTranspose(
    char const* name, BlockList const& dst, BlockList const& src, uint32_t size, uint32_t length, uint32_t repeats,
    Site site)
{
    if (repeats == 0) { return; }
    Instruction instruction(Pipe::V, name, site);
    instruction.alignment = static_cast<uint8_t>(length);
    // Whole blocks are read even where one half of each takes part.
    std::vector<Region> const reads = RegionsOf(src, 0, kBlockBytes, repeats);
    std::vector<Region> const writes = RegionsOf(dst, dst.offset, length, repeats);
    if (reads.size() > Instruction::kMaxReads || writes.size() > Instruction::kMaxWrites) {
        RefuseParameter(name, "the CPU model takes blocks that are evenly spaced, in any order", site);
        return;
    }
    for (Region const& region : reads) { instruction.Reads(region); }
    for (Region const& region : writes) { instruction.Writes(region); }
    instruction.Work(uint64_t{repeats} * 2);  // 512 bytes each
    instruction.Act([=] {
        ForEachElement(
            dst, src, size, length, repeats, [&](uint8_t* to, uint8_t const* from) { std::memmove(to, from, size); });
    });
    instruction.Shadow([=] {
        ForEachElement(dst, src, size, length, repeats, [&](uint8_t* to, uint8_t const* from) {
            ShadowFill(to, size, LocalDefined(from, size) ? kDefined : kUndefined);
        });
    });
    Record(std::move(instruction));
}

void RecordPermute(
    char const* name, Operand const& dst, Operand const& src, Operand const& tmp, uint32_t scratch, Axes const& axes,
    Site site)
{
    uint32_t const size = src.size;
    uint32_t const plane = axes.h * axes.w;
    uint64_t const bytes = uint64_t{axes.n} * axes.c * plane * size;
    if (bytes == 0) { return; }
    Instruction instruction(Pipe::V, name, site);
    instruction.Reads(Within(src.buffer, Bytes(Space::UB, src.data, bytes)));
    instruction.Writes(Within(dst.buffer, Bytes(Space::UB, dst.data, bytes)));
    if (scratch != 0) {
        Region region = Within(tmp.buffer, Bytes(Space::UB, tmp.data, scratch));
        region.scratch = true;
        instruction.Writes(region);
    }
    instruction.Work((bytes + kRepeatBytes - 1) / kRepeatBytes * 2);
    auto const forEach = [=](auto&& f) {
        auto* const to = static_cast<uint8_t*>(dst.data);
        auto const* const from = static_cast<uint8_t const*>(src.data);
        for (uint32_t n = 0; n < axes.n; ++n) {
            for (uint32_t c = 0; c < axes.c; ++c) {
                for (uint32_t p = 0; p < plane; ++p) {
                    uint64_t const planes = (uint64_t{n} * axes.c + c) * plane + p;
                    uint64_t const pixels = (uint64_t{n} * plane + p) * axes.c + c;
                    f(to + (axes.inner ? pixels : planes) * size, from + (axes.inner ? planes : pixels) * size);
                }
            }
        }
    };
    instruction.Act([=] { forEach([=](uint8_t* to, uint8_t const* from) { std::memcpy(to, from, size); }); });
    instruction.Shadow([=] {
        if (scratch != 0) { ShadowFill(tmp.data, scratch, kUndefined); }
        forEach([=](uint8_t* to, uint8_t const* from) { std::memcpy(StateOf(to), StateOf(from), size); });
    });
    Record(std::move(instruction));
}

}  // namespace machine
