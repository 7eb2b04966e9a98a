#include "select.hpp"

#include <cstring>
#include <type_traits>

#include "lanes.hpp"
#include "scalar.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

template <class T> bool Compare(Comparison comparison, T a, T b)
{
    switch (comparison) {
        case Comparison::Less: return a < b;
        case Comparison::Greater: return a > b;
        case Comparison::Equal: return a == b;
        case Comparison::LessEqual: return a <= b;
        case Comparison::GreaterEqual: return a >= b;
        default: return a != b && (Arch().nanIsUnequal || (a == a && b == b));
    }
}

template <class T> bool CompareAs(Comparison comparison, void const* a, void const* b)
{
    T x;
    T y;
    std::memcpy(&x, a, sizeof(x));
    std::memcpy(&y, b, sizeof(y));
    if constexpr (std::is_arithmetic_v<T>) {
        return Compare(comparison, x, y);
    } else if constexpr (kPacked<T> > 1) {
        return false;  // no call compares them
    } else {
        return Compare(comparison, static_cast<float>(x), static_cast<float>(y));
    }
}

bool CompareBits(Comparison comparison, ElementType type, void const* a, void const* b)
{
    switch (type) {
#define EVT_COMPARE(name, T) \
    case ElementType::name: return CompareAs<T>(comparison, a, b);
        EVT_ELEMENT_TYPES(EVT_COMPARE)
#undef EVT_COMPARE
    }
    return false;
}

void PutBit(uint8_t* bytes, uint64_t at, bool bit)
{
    auto const mask = static_cast<uint8_t>(1u << (at % 8));
    bytes[at / 8] = static_cast<uint8_t>(bit ? bytes[at / 8] | mask : bytes[at / 8] & ~mask);
}

bool GetBit(uint8_t const* bytes, uint64_t at) { return (bytes[at / 8] >> (at % 8) & 1u) != 0; }

uint64_t LaneCount(Lanes const& lanes)
{
    return lanes.count != 0 ? lanes.count : uint64_t{lanes.repeat} * lanes.perRepeat;
}

}  // namespace

void RecordCompare(
    char const* name, Comparison comparison, ElementType type, Operand const& dst, Operand const& a, Operand const& b,
    uint64_t scalar, Lanes const& given, Site site)
{
    Lanes const lanes = given.Of(a, b);
    if (!Active(lanes, name, site)) { return; }
    Instruction instruction(Pipe::V, name, site);
    instruction.Reads(RegionOf(a, lanes)).Reads(RegionOf(b, lanes));
    instruction.Writes(Within(dst.buffer, Bytes(SpaceAt(dst.data), dst.data, (LaneCount(lanes) + 7) / 8)));
    instruction.Work(lanes.Repeats(a.size));
    auto* const bits = static_cast<uint8_t*>(dst.data);
    instruction.Act([=] {
        ForEachLane(lanes, {}, a, b, [&](uint64_t i, uint64_t, uint64_t x, uint64_t y) {
            void const* const other = b.data != nullptr ? static_cast<void const*>(At(b, y)) : &scalar;
            PutBit(bits, i, CompareBits(comparison, type, At(a, x), other));
        });
    });
    instruction.Shadow([=] {
        uint8_t* const states = StateOf(bits);
        ForEachLane(lanes, {}, a, b, [&](uint64_t i, uint64_t, uint64_t x, uint64_t y) {
            bool const defined =
                LocalDefined(At(a, x), a.size) && (b.data == nullptr || LocalDefined(At(b, y), b.size));
            PutBit(states, i, !defined);  // a state holds the undefined bits of its byte
        });
    });
    Record(std::move(instruction));
}

void RecordSelect(
    char const* name, Operand const& mask, bool sameBits, Operand const& dst, Operand const& a, Operand const& b,
    uint64_t scalar, Lanes const& given, Site site)
{
    Lanes const lanes = given.Of(dst, a, b);
    if (!Active(lanes, name, site)) { return; }
    uint32_t const perRepeat = kRepeatBytes / dst.size;
    constexpr uint64_t registerBytes = 16;  // of comparison bits, all of which are loaded
    uint64_t const maskBytes = sameBits ? registerBytes : (LaneCount(lanes) + 7) / 8;
    Instruction instruction(Pipe::V, name, site);
    instruction.Reads(RegionOf(a, lanes)).Reads(RegionOf(b, lanes));
    instruction.Reads(Within(mask.buffer, Bytes(SpaceAt(mask.data), mask.data, maskBytes)));
    instruction.Writes(RegionOf(dst, lanes));
    instruction.Work(lanes.Repeats(dst.size));
    auto const* const bits = static_cast<uint8_t const*>(mask.data);
    instruction.Act([=] {
        ForEachLane(lanes, dst, a, b, [&](uint64_t i, uint64_t d, uint64_t x, uint64_t y) {
            void const* const other = b.data != nullptr ? static_cast<void const*>(At(b, y)) : &scalar;
            bool const first = GetBit(bits, sameBits ? i % perRepeat : i);
            std::memmove(At(dst, d), first ? At(a, x) : other, dst.size);
        });
    });
    instruction.Shadow([=] {
        uint8_t const* const states = StateOf(bits);
        ForEachLane(lanes, dst, a, b, [&](uint64_t i, uint64_t d, uint64_t x, uint64_t y) {
            uint64_t const bit = sameBits ? i % perRepeat : i;
            bool const chosen = GetBit(bits, bit) ? LocalDefined(At(a, x), a.size)
                                                  : b.data == nullptr || LocalDefined(At(b, y), b.size);
            bool const known = (UndefinedBits(states[bit / 8]) >> (bit % 8) & 1u) == 0;
            ShadowFill(At(dst, d), dst.size, chosen && known ? kDefined : kUndefined);
        });
    });
    Record(std::move(instruction));
}

void RecordBroadcastBlocks(char const* name, Operand const& dst, Operand const& src, uint32_t repeats, Site site)
{
    if (repeats == 0) { return; }
    constexpr uint32_t eachRepeat = 8;
    Instruction instruction(Pipe::V, name, site);
    instruction.Reads(Within(src.buffer, Bytes(Space::UB, src.data, uint64_t{repeats} * eachRepeat * src.size)));
    Region written = Rows(Space::UB, dst.data, eachRepeat, kBlockBytes, uint64_t{dst.blockStride} * kBlockBytes);
    written.buffer = dst.buffer;
    written.outer = repeats;
    written.outerStride = uint64_t{dst.repeatStride} * kBlockBytes;
    instruction.Writes(written);
    instruction.Work(repeats);
    auto const blockOf = [dst](uint32_t r, uint32_t i) {
        return At(dst, (uint64_t{r} * dst.repeatStride + uint64_t{i} * dst.blockStride) * kBlockBytes);
    };
    instruction.Act([=] {
        for (uint32_t r = 0; r < repeats; ++r) {
            for (uint32_t i = 0; i < eachRepeat; ++i) {
                for (uint32_t at = 0; at < kBlockBytes; at += src.size) {
                    std::memcpy(blockOf(r, i) + at, At(src, uint64_t{r * eachRepeat + i} * src.size), src.size);
                }
            }
        }
    });
    instruction.Shadow([=] {
        for (uint32_t r = 0; r < repeats; ++r) {
            for (uint32_t i = 0; i < eachRepeat; ++i) {
                bool const defined = LocalDefined(At(src, uint64_t{r * eachRepeat + i} * src.size), src.size);
                ShadowFill(blockOf(r, i), kBlockBytes, defined ? kDefined : kUndefined);
            }
        }
    });
    Record(std::move(instruction));
}

}  // namespace machine
