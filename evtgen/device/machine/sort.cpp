#include "sort.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core.hpp"
#include "lanes.hpp"
#include "registers.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

float ScoreAt(uint8_t const* at, uint32_t size)
{
    if (size == sizeof(uint16_t)) {
        uint16_t bits;
        std::memcpy(&bits, at, sizeof(bits));
        return HalfBitsToFloat(bits);
    }
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

/// Whether a score comes before another: NaN before all (as the page of TopK says, which is made of these calls).
bool IsBefore(float a, float b) { return std::isnan(a) ? !std::isnan(b) : a > b; }

/// Whether the operand starts on a multiple of `bytes` of its memory; true outside every memory, which is reported
/// elsewhere.
bool OnAddress(Operand const& operand, uint32_t bytes)
{
    LocalMemory const* const memory = CurrentCore() == nullptr ? nullptr : CurrentCore()->LocalOf(operand.data);
    return memory == nullptr || memory->Offset(operand.data) % bytes == 0;
}

/// The order of 32 scores.
std::array<uint8_t, kSortedTogether> Sorted(uint8_t const* scores, uint32_t size)
{
    std::array<uint8_t, kSortedTogether> order{};
    std::iota(order.begin(), order.end(), uint8_t{0});
    std::stable_sort(order.begin(), order.end(), [=](uint8_t a, uint8_t b) {
        return IsBefore(ScoreAt(scores + size_t{a} * size, size), ScoreAt(scores + size_t{b} * size, size));
    });
    return order;
}

/// Pairs of one repeat.
uint64_t Together(Merge const& merge)
{
    return std::accumulate(merge.lengths.begin(), merge.lengths.begin() + merge.lists, uint64_t{0});
}

/// Calls f(destination, source) for each pair. Returns how many of each list there were in the last repeat.
template <class F> std::array<uint16_t, kMergedLists> ForEachPair(Operand const& dst, Merge const& merge, F&& f)
{
    uint64_t const repeatBytes = Together(merge) * kPairBytes;
    std::array<uint16_t, kMergedLists> taken{};
    for (uint32_t r = 0; r < merge.repeats; ++r) {
        taken = {};
        uint8_t* to = At(dst, r * repeatBytes);
        for (bool ended = false; !ended; to += kPairBytes) {
            uint8_t const* best = nullptr;
            uint32_t from = 0;
            for (uint32_t list = 0; list < merge.lists; ++list) {
                if (taken[list] == merge.lengths[list]) { continue; }
                uint8_t const* const head =
                    At(merge.sources[list], r * repeatBytes + uint64_t{taken[list]} * kPairBytes);
                if (best == nullptr || IsBefore(ScoreAt(head, dst.size), ScoreAt(best, dst.size))) {
                    best = head;
                    from = list;
                }
            }
            if (best == nullptr) { break; }
            f(to, best);
            ++taken[from];
            ended = merge.stopsAtEnd && taken[from] == merge.lengths[from];
        }
    }
    return taken;
}

}  // namespace

void RecordSort(
    char const* name, Operand const& dst, Operand const& scores, Operand const& indices, uint32_t repeats, Site site)
{
    if (repeats == 0) { return; }
    uint32_t const scoreBytes = kSortedTogether * scores.size;
    constexpr uint32_t indexBytes = kSortedTogether * sizeof(uint32_t);
    constexpr uint32_t pairBytes = kSortedTogether * kPairBytes;
    if (repeats > 255) {
        RefuseParameter(name, "repeatTime is not within 0 and 255", site);
        return;
    }
    if (!OnAddress(dst, pairBytes) || !OnAddress(scores, scoreBytes) || !OnAddress(indices, indexBytes)) {
        RefuseParameter(name, "a list does not start at a multiple of its 32 elements", site);
        return;
    }
    Instruction instruction(Pipe::V, name, site);
    instruction.Reads(Within(scores.buffer, Bytes(Space::UB, scores.data, uint64_t{repeats} * scoreBytes)));
    instruction.Reads(Within(indices.buffer, Bytes(Space::UB, indices.data, uint64_t{repeats} * indexBytes)));
    instruction.Writes(Within(dst.buffer, Bytes(Space::UB, dst.data, uint64_t{repeats} * pairBytes)));
    instruction.Work(repeats);
    instruction.Act([=] {
        for (uint32_t r = 0; r < repeats; ++r) {
            uint8_t const* const from = At(scores, uint64_t{r} * scoreBytes);
            uint8_t* to = At(dst, uint64_t{r} * pairBytes);
            for (uint8_t const e : Sorted(from, scores.size)) {
                std::memset(to, 0, kPairBytes);
                std::memcpy(to, from + size_t{e} * scores.size, scores.size);
                std::memcpy(
                    to + kPairBytes / 2, At(indices, uint64_t{r} * indexBytes + e * sizeof(uint32_t)),
                    sizeof(uint32_t));
                to += kPairBytes;
            }
        }
    });
    instruction.Shadow([=] {
        for (uint32_t r = 0; r < repeats; ++r) {
            bool const defined = LocalDefined(At(scores, uint64_t{r} * scoreBytes), scoreBytes)
                                 && LocalDefined(At(indices, uint64_t{r} * indexBytes), indexBytes);
            ShadowFill(At(dst, uint64_t{r} * pairBytes), pairBytes, defined ? kDefined : kUndefined);
        }
    });
    Record(std::move(instruction));
}

void RecordMerge(char const* name, Operand const& dst, Merge const& merge, Site site)
{
    if (merge.lists == 0) {
        RefuseParameter(name, "validBit is 3, 7 or 15", site);
        return;
    }
    bool const even = std::count(merge.lengths.begin(), merge.lengths.end(), merge.lengths[0]) == kMergedLists;
    if (merge.repeats > 1 && (merge.lists != kMergedLists || !even || merge.stopsAtEnd)) {
        RefuseParameter(name, "repeats need four lists of one length, without suspension", site);
        return;
    }
    if (merge.repeats == 0) { return; }
    if (std::any_of(merge.lengths.begin(), merge.lengths.begin() + merge.lists, [](uint16_t n) { return n > 4095; })) {
        RefuseParameter(name, "a list has at most 4095 elements", site);
        return;
    }
    uint64_t const repeatBytes = Together(merge) * kPairBytes;
    Instruction instruction(Pipe::V, name, site);
    for (uint32_t list = 0; list < merge.lists; ++list) {
        Operand const& source = merge.sources[list];
        instruction.Reads(Within(
            source.buffer,
            Rows(Space::UB, source.data, merge.repeats, uint64_t{merge.lengths[list]} * kPairBytes, repeatBytes)));
    }
    instruction.Writes(Within(dst.buffer, Bytes(Space::UB, dst.data, merge.repeats * repeatBytes)));
    instruction.Work((merge.repeats * repeatBytes + kRepeatBytes - 1) / kRepeatBytes);
    instruction.Act([=] {
        CurrentRegisters().merged =
            ForEachPair(dst, merge, [](uint8_t* to, uint8_t const* from) { std::memcpy(to, from, kPairBytes); });
    });
    instruction.Shadow([=] {
        ForEachPair(
            dst, merge, [](uint8_t* to, uint8_t const* from) { std::memcpy(StateOf(to), StateOf(from), kPairBytes); });
    });
    Record(std::move(instruction));
}

}  // namespace machine
