#include "reduce.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "lanes.hpp"
#include "registers.hpp"
#include "saturation.hpp"
#include "scalar.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

/// A lane that takes part. A double has every value of the elements that are reduced, and their sums round as in their
/// own type: it has more than twice their bits.
struct Lane {
    double value;
    uint32_t index;
};

template <class T> double LoadAs(uint8_t const* at)
{
    T value;
    std::memcpy(&value, at, sizeof(value));
    if constexpr (std::is_same_v<T, Half>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return static_cast<double>(value);
    }
}

/// Elements that are reduced: their type, and whether halves have no infinity and no NaN now.
struct Elements {
    ElementType type;
    bool bound;
};

Elements ElementsOf(ElementType type) { return {type, CurrentSaturation().floats}; }

/// The element that a value becomes: a float rounds, an integer keeps its lowest bits.
template <class T> void StoreAs(uint8_t* at, double value, bool bound)
{
    T element;
    if constexpr (std::is_integral_v<T>) {
        element = static_cast<T>(static_cast<int64_t>(value));
    } else if constexpr (std::is_same_v<T, Half>) {
        element = T(static_cast<float>(value));
        element = bound ? Bound(element) : element;
    } else {
        element = T(static_cast<float>(value));
    }
    std::memcpy(at, &element, sizeof(element));
}

/// f of an element of the type, which is one of those that are reduced.
template <class F> auto OfType(ElementType type, F&& f)
{
    switch (type) {
        case ElementType::F16: return f(Half{});
        case ElementType::I16: return f(int16_t{});
        case ElementType::U16: return f(uint16_t{});
        case ElementType::I32: return f(int32_t{});
        case ElementType::U32: return f(uint32_t{});
        default: return f(float{});
    }
}

double Load(ElementType type, uint8_t const* at)
{
    return OfType(type, [at](auto zero) { return LoadAs<decltype(zero)>(at); });
}

void Store(Elements elements, uint8_t* at, double value)
{
    OfType(elements.type, [=](auto zero) { StoreAs<decltype(zero)>(at, value, elements.bound); });
}

double Round(Elements elements, double value)
{
    uint8_t element[sizeof(float)];
    Store(elements, element, value);
    return Load(elements.type, element);
}

/// The index as an integer of the element's width; readers reinterpret it.
void StoreIndex(ElementType type, uint8_t* at, uint32_t index) { std::memcpy(at, &index, SizeOf(type)); }

/// A sum is a binary tree over the lanes, rounded at every node; a maximum is the first of the largest.
Lane ReduceLanes(Reduction reduction, Elements elements, Lane* lanes, size_t count)
{
    if (reduction == Reduction::Sum) {
        for (; count > 1; count = (count + 1) / 2) {
            for (size_t i = 0; i < count / 2; ++i) {
                lanes[i].value = Round(elements, lanes[2 * i].value + lanes[2 * i + 1].value);
            }
            if (count % 2 != 0) { lanes[count / 2] = lanes[count - 1]; }
        }
        return lanes[0];
    }
    Lane best = lanes[0];
    for (size_t i = 1; i < count; ++i) {
        bool const better = reduction == Reduction::Max ? lanes[i].value > best.value : lanes[i].value < best.value;
        if (better || (lanes[i].value != lanes[i].value && best.value == best.value)) { best = lanes[i]; }
    }
    return best;
}

/// The results of repeats reduced to one: in a register as they come, or in memory like a source of their own.
Lane ReduceRepeats(
    Reduction reduction, Elements elements, std::vector<Lane>& results, uint32_t perRepeat, bool inMemory)
{
    if (results.empty()) { return {0, 0}; }
    if (!inMemory) {
        Lane total = results[0];
        for (size_t i = 1; i < results.size(); ++i) {
            Lane two[2] = {total, results[i]};
            total = ReduceLanes(reduction, elements, two, 2);
        }
        return total;
    }
    while (results.size() > 1) {
        size_t kept = 0;
        for (size_t first = 0; first < results.size(); first += perRepeat) {
            size_t const count = std::min<size_t>(perRepeat, results.size() - first);
            results[kept++] = ReduceLanes(reduction, elements, &results[first], count);
        }
        results.resize(kept);
    }
    return results[0];
}

/// Calls f(repeat, first lane, end lane) for each group of `width` lanes.
template <class F> void ForEachGroup(Lanes const& lanes, uint32_t perRepeat, uint32_t width, F&& f)
{
    uint32_t const repeats = lanes.repeat != 0 ? lanes.repeat : (lanes.count + perRepeat - 1) / perRepeat;
    for (uint32_t r = 0; r < repeats; ++r) {
        for (uint32_t e = 0; e < perRepeat; e += width) { f(r, e, e + width); }
    }
}

/// The lanes of [first, end) of repeat `r` that take part. The count form counts through.
size_t Gather(
    Lanes const& lanes, Operand const& src, ElementType type, uint32_t perRepeat, uint32_t r, uint32_t first,
    uint32_t end, Lane* out, bool* defined)
{
    size_t n = 0;
    for (uint32_t e = first; e < end; ++e) {
        bool const on = lanes.repeat != 0 ? lanes.Has(r, e) : r * perRepeat + e < lanes.count;
        if (!on) { continue; }
        uint64_t const offset = lanes.repeat != 0 ? LaneOffset(src, r, e) : uint64_t{r * perRepeat + e} * src.size;
        uint8_t* const at = static_cast<uint8_t*>(src.data) + offset;
        if (defined != nullptr) {
            *defined = *defined && LocalDefined(at, src.size);
        } else {
            out[n] = {Load(type, at), r * perRepeat + e};
        }
        ++n;
    }
    return n;
}

void StoreResult(ReduceResult result, Elements elements, uint8_t* at, uint32_t size, Lane const& lane)
{
    bool const indexFirst = result == ReduceResult::IndexValue || result == ReduceResult::Index;
    uint8_t* const value = result == ReduceResult::IndexValue ? at + size : at;
    uint8_t* const index = result == ReduceResult::ValueIndex ? at + size : at;
    if (result != ReduceResult::Index) { Store(elements, value, lane.value); }
    if (indexFirst || result == ReduceResult::ValueIndex) { StoreIndex(elements.type, index, lane.index); }
}

}  // namespace

uint32_t ResultBytes(ReduceResult result, uint32_t size)
{
    return result == ReduceResult::ValueIndex || result == ReduceResult::IndexValue ? 2 * size : size;
}

void RecordReduce(
    char const* name, Reduction reduction, ReduceGroup group, ReduceResult result, ElementType type, Operand const& dst,
    uint32_t dstStride, Operand const& src, Lanes const& lanes, Site site)
{
    if (!Active(lanes, name, site)) { return; }
    uint32_t const perRepeat = kRepeatBytes / src.size;
    uint32_t const width = group == ReduceGroup::Repeat  ? perRepeat
                           : group == ReduceGroup::Block ? kBlockBytes / src.size
                                                         : 2;
    uint32_t const each = ResultBytes(result, src.size);
    uint32_t const repeats = lanes.repeat != 0 ? lanes.repeat : (lanes.count + perRepeat - 1) / perRepeat;
    uint32_t const highest = lanes.repeat == 0    ? perRepeat
                             : lanes.mask[1] != 0 ? 128 - static_cast<uint32_t>(__builtin_clzll(lanes.mask[1]))
                                                  : 64 - static_cast<uint32_t>(__builtin_clzll(lanes.mask[0]));
    uint32_t const groups = (highest + width - 1) / width;
    Instruction instruction(Pipe::V, name, site);
    instruction.alignment = static_cast<uint8_t>(group == ReduceGroup::Repeat ? src.size : kBlockBytes / 2);
    instruction.Reads(RegionOf(src, lanes))
        .Writes(Within(dst.buffer, Rows(Space::UB, dst.data, repeats, uint64_t{groups} * each, dstStride)));
    instruction.Work(repeats);
    auto* const to = static_cast<uint8_t*>(dst.data);
    Elements const elements = ElementsOf(type);
    instruction.Act([=] {
        ForEachGroup(lanes, perRepeat, width, [&](uint32_t r, uint32_t first, uint32_t end) {
            Lane found[128];
            size_t const n = Gather(lanes, src, type, perRepeat, r, first, end, found, nullptr);
            if (n != 0) {
                Lane best = ReduceLanes(reduction, elements, found, n);
                best.index = group == ReduceGroup::Repeat ? best.index % perRepeat : best.index;
                StoreResult(
                    result, elements, to + uint64_t{r} * dstStride + uint64_t{first / width} * each, src.size, best);
            }
        });
    });
    instruction.Shadow([=] {
        ForEachGroup(lanes, perRepeat, width, [&](uint32_t r, uint32_t first, uint32_t end) {
            bool defined = true;
            if (Gather(lanes, src, type, perRepeat, r, first, end, nullptr, &defined) != 0) {
                ShadowFill(
                    to + uint64_t{r} * dstStride + uint64_t{first / width} * each, each,
                    defined ? kDefined : kUndefined);
            }
        });
    });
    Record(std::move(instruction));
}

void RecordReduceAll(
    char const* name, Reduction reduction, bool withIndex, ElementType type, Operand const& dst, Operand const& src,
    Operand const& tmp, uint32_t scratch, Lanes const& lanes, Site site)
{
    if (!Active(lanes, name, site)) { return; }
    uint32_t const perRepeat = kRepeatBytes / src.size;
    ReduceResult const result = withIndex ? ReduceResult::ValueIndex : ReduceResult::Value;
    uint32_t const each = ResultBytes(result, src.size);
    Instruction instruction(Pipe::V, name, site);
    instruction.alignment = static_cast<uint8_t>(src.size);
    instruction.Reads(RegionOf(src, lanes)).Writes(Within(dst.buffer, Bytes(SpaceAt(dst.data), dst.data, each)));
    // The result may lie in the scratch buffer: then that is one write.
    bool const inScratch =
        dst.data >= tmp.data && static_cast<uint8_t*>(dst.data) + each <= static_cast<uint8_t*>(tmp.data) + scratch;
    if (scratch != 0 && !inScratch) {
        Region region = Within(tmp.buffer, Bytes(Space::UB, tmp.data, scratch));
        region.scratch = true;
        instruction.Writes(region);
    }
    instruction.Work(lanes.Repeats(src.size));
    Elements const elements = ElementsOf(type);
    bool const inMemory = lanes.repeat != 0 && tmp.data != nullptr;  // by count, a register takes the sum of a repeat
    instruction.Act([=] {
        std::vector<Lane> results;
        ForEachGroup(lanes, perRepeat, perRepeat, [&](uint32_t r, uint32_t first, uint32_t end) {
            Lane found[128];
            size_t const n = Gather(lanes, src, type, perRepeat, r, first, end, found, nullptr);
            if (n == 0) { return; }
            Lane one = ReduceLanes(reduction, elements, found, n);
            // An index counts the elements between two repeats, too.
            one.index = one.index % perRepeat + r * src.repeatStride * kBlockBytes / src.size;
            results.push_back(one);
        });
        Lane const total = ReduceRepeats(reduction, elements, results, perRepeat, inMemory);
        StoreResult(result, elements, static_cast<uint8_t*>(dst.data), src.size, total);
        if (reduction == Reduction::Sum) {
            uint64_t& sum = CurrentRegisters().sum;
            sum = 0;
            Store(elements, reinterpret_cast<uint8_t*>(&sum), total.value);
        }
    });
    instruction.Shadow([=] {
        bool defined = true;
        ForEachGroup(lanes, perRepeat, perRepeat, [&](uint32_t r, uint32_t first, uint32_t end) {
            Gather(lanes, src, type, perRepeat, r, first, end, nullptr, &defined);
        });
        if (scratch != 0 && !inScratch) { ShadowFill(tmp.data, scratch, kUndefined); }
        ShadowFill(dst.data, each, defined ? kDefined : kUndefined);
    });
    Record(std::move(instruction));
}

}  // namespace machine
