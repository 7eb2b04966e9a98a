#include "dequant.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core.hpp"
#include "lanes.hpp"
#include "registers.hpp"
#include "saturation.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

constexpr uint32_t kOffsetAt = 37;
constexpr uint32_t kSignAt = 46;
constexpr uint64_t kOffsetBits = 0x1ff;
constexpr uint32_t kLanesOfBlock = kBlockBytes / sizeof(int16_t);

bool HasHalf(char const* name, Site site)
{
    return CurrentRegisters().deqScale.of == DeqScale::Of::Half
           || RefuseParameter(name, "int32_t becomes half with a scale: call SetDeqScale(scale) first", site);
}

/// int32_t to half by f of the elements of one or two sources.
template <class F>
void Record32(
    char const* name, Operand const& dst, Operand const& a, Operand const& b, Lanes const& given, Site site, F f)
{
    Lanes const lanes = given.Of(dst, a, b);
    if (!HasHalf(name, site) || !Active(lanes, name, site)) { return; }
    float const scale = CurrentRegisters().deqScale.half;
    bool const bounds = CurrentSaturation().casts;
    Instruction instruction(Pipe::V, name, site);
    instruction.Writes(RegionOf(dst, lanes)).Reads(RegionOf(a, lanes)).Reads(RegionOf(b, lanes));
    instruction.Work(lanes.Repeats(a.size));
    instruction.Act([=] {
        ForEachLane(lanes, dst, a, b, [&](uint64_t, uint64_t d, uint64_t x, uint64_t y) {
            Half const value(f(At(a, x), At(b, y)) * scale);
            Half const stored = bounds ? Bound(value) : value;
            std::memcpy(At(dst, d), &stored, sizeof(stored));
        });
    });
    instruction.Shadow([=] {
        ForEachLaneRun(lanes, dst, a, b, [&](uint64_t d, uint64_t x, uint64_t y, size_t count) {
            ShadowLanes(At(dst, d), dst.size, At(a, x), a.size, At(b, y), b.size, count, false);
        });
    });
    Record(std::move(instruction));
}

int32_t Word(void const* at)
{
    int32_t word;
    std::memcpy(&word, at, sizeof(word));
    return word;
}

uint8_t Dequantized(int16_t value, uint64_t bits)
{
    // The hardware reads the scale with ten bits after the point (SetDeqScale page).
    float const scale = BitsToFloat(static_cast<uint32_t>(bits) & ~0x1fffu);
    auto const offset = static_cast<int32_t>(bits >> kOffsetAt & kOffsetBits) << 23 >> 23;
    bool const isSigned = (bits >> kSignAt & 1u) != 0;
    float const exact = static_cast<float>(value) * scale + static_cast<float>(offset);
    float const low = isSigned ? -128.0f : 0.0f;
    float const whole = std::nearbyint(std::min(std::max(exact, low), low + 255.0f));
    return static_cast<uint8_t>(static_cast<int32_t>(std::isnan(exact) ? 0.0f : whole));
}

/// Of a position among 16-bit elements: the byte in one half of its block.
uint64_t ByteOf(uint64_t offset, bool upperHalf)
{
    return offset / kBlockBytes * kBlockBytes + (upperHalf ? kBlockBytes / 2 : 0) + offset % kBlockBytes / 2;
}

Region HalvesOf(Operand const& dst, bool upperHalf, Lanes const& lanes)
{
    void* const first = At(dst, upperHalf ? kBlockBytes / 2 : 0);
    if (lanes.repeat == 0) {
        uint32_t const blocks = (lanes.count + kLanesOfBlock - 1) / kLanesOfBlock;
        Region region = Rows(Space::UB, first, blocks, kLanesOfBlock, kBlockBytes);
        region.shorter = uint64_t{blocks} * kLanesOfBlock - lanes.count;
        return Within(dst.buffer, region);
    }
    uint32_t const last = static_cast<uint32_t>(
        lanes.mask[1] != 0 ? 127 - __builtin_clzll(lanes.mask[1]) : 63 - __builtin_clzll(lanes.mask[0]));
    Region region =
        Rows(Space::UB, first, last / kLanesOfBlock + 1, kLanesOfBlock, uint64_t{dst.blockStride} * kBlockBytes);
    region.outer = lanes.repeat;
    region.outerStride = uint64_t{dst.repeatStride} * kBlockBytes;
    return Within(dst.buffer, region);
}

}  // namespace

uint64_t DeqBits(float scale, int16_t offset, bool isSigned)
{
    return FloatToBits(scale) | (static_cast<uint64_t>(offset) & kOffsetBits) << kOffsetAt
           | uint64_t{isSigned} << kSignAt;
}

void RecordDequantize(char const* name, Operand const& dst, Operand const& src, Lanes const& lanes, Site site)
{
    Record32(name, dst, src, {}, lanes, site, [](void const* x, void const*) { return static_cast<float>(Word(x)); });
}

void RecordAddDeqRelu(Operand const& dst, Operand const& a, Operand const& b, Lanes const& lanes, Site site)
{
    Record32("AddDeqRelu", dst, a, b, lanes, site, [](void const* x, void const* y) {
        auto const sum = static_cast<uint32_t>(Word(x)) + static_cast<uint32_t>(Word(y));
        return std::max(0.0f, static_cast<float>(static_cast<int32_t>(sum)));
    });
}

void RecordDequantizeBytes(
    Operand const& dst, Operand const& src, bool isSigned, bool byLane, bool upperHalf, Lanes const& given, Site site)
{
    constexpr char const* name = "CastDequant";
    Lanes const lanes = given.Of(dst, src);
    DeqScale const scale = CurrentRegisters().deqScale;
    if (scale.of != (byLane ? DeqScale::Of::Lanes : DeqScale::Of::Bytes)) {
        RefuseParameter(
            name, byLane ? "call SetDeqScale(vdeq, vdeqInfo) first" : "call SetDeqScale(scale, offset, signMode) first",
            site);
        return;
    }
    if (!byLane && (scale.bytes >> kSignAt & 1u) != uint64_t{isSigned}) {
        RefuseParameter(name, "signMode of SetDeqScale is true for int8_t and false for uint8_t", site);
        return;
    }
    if (!Active(lanes, name, site)) { return; }
    Instruction instruction(Pipe::V, name, site);
    if (upperHalf) { instruction.alignment = kBlockBytes / 2; }
    instruction.Writes(HalvesOf(dst, upperHalf, lanes)).Reads(RegionOf(src, lanes));
    if (byLane) { instruction.Reads(Bytes(Space::UB, scale.lanes, kLanesOfBlock * sizeof(uint64_t))); }
    instruction.Work(lanes.Repeats(src.size));
    instruction.Act([=] {
        ForEachLane(lanes, dst, src, {}, [&](uint64_t, uint64_t d, uint64_t s, uint64_t) {
            uint64_t bits = scale.bytes;
            if (byLane) {
                auto const* const own = static_cast<uint64_t const*>(scale.lanes);
                std::memcpy(&bits, own + s % kBlockBytes / sizeof(int16_t), sizeof(bits));
            }
            int16_t value;
            std::memcpy(&value, At(src, s), sizeof(value));
            *At(dst, ByteOf(d, upperHalf)) = Dequantized(value, bits);
        });
    });
    instruction.Shadow([=] {
        ForEachLane(lanes, dst, src, {}, [&](uint64_t, uint64_t d, uint64_t s, uint64_t) {
            ShadowLanes(At(dst, ByteOf(d, upperHalf)), 1, At(src, s), src.size, nullptr, 0, 1, false);
        });
    });
    Record(std::move(instruction));
}

}  // namespace machine
