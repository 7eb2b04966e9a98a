#include "vector.hpp"

#include <algorithm>

#include "core.hpp"
#include "lanes.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

constexpr uint32_t kMaxRepeats = 255;

uint32_t PerRepeat(uint32_t elementBytes) { return std::min(kRepeatBytes / elementBytes, 128u); }

bool Refuse(Fault fault, char const* name, char const* detail, Site site)
{
    Report({fault, MakeCall(name, Pipe::V, site), detail});
    return false;
}

}  // namespace

Lanes Lanes::Count(int64_t count)
{
    Lanes lanes;
    if (count < 0 || count > UINT32_MAX) {
        lanes.wrong = count < 0 ? "count is negative" : "count is too large";
        return lanes;
    }
    lanes.count = static_cast<uint32_t>(count);
    return lanes;
}

Lanes Lanes::Masked(uint64_t const mask[2], uint32_t repeat, uint32_t elementBytes)
{
    Lanes lanes;
    if (repeat > kMaxRepeats) {
        lanes.wrong = "repeatTime is not within 0 and 255";
        return lanes;
    }
    lanes.perRepeat = PerRepeat(elementBytes);
    lanes.repeat = repeat;
    lanes.mask[0] = mask[0];
    lanes.mask[1] = lanes.perRepeat > 64 ? mask[1] : 0;
    if (lanes.perRepeat < 64) { lanes.mask[0] &= (uint64_t{1} << lanes.perRepeat) - 1; }
    return lanes;
}

Lanes Lanes::First(uint64_t mask, uint32_t repeat, uint32_t elementBytes)
{
    if (mask > PerRepeat(elementBytes)) {
        Lanes lanes;
        lanes.wrong = "mask is more than the elements of a repeat";
        return lanes;
    }
    uint64_t const bits[2] = {
        mask >= 64 ? ~uint64_t{0} : (uint64_t{1} << mask) - 1, mask >= 128 ? ~uint64_t{0}
                                                               : mask > 64 ? (uint64_t{1} << (mask - 64)) - 1
                                                                           : 0};
    return Masked(bits, repeat, elementBytes);
}

Lanes Lanes::OfCore(uint32_t repeat, uint32_t elementBytes)
{
    Core const* const core = CurrentCore();
    if (core == nullptr) { return {}; }
    VectorMask const& mask = core->Mask();
    uint64_t const bits[2] = {mask.low, mask.high};
    return mask.counts ? Counted(mask.low, elementBytes) : Masked(bits, repeat, elementBytes);
}

Lanes Lanes::AllOfCore(uint32_t repeat, uint32_t elementBytes)
{
    Core const* const core = CurrentCore();
    return core != nullptr && core->Mask().counts ? Counted(core->Mask().low, elementBytes)
                                                  : First(PerRepeat(elementBytes), repeat, elementBytes);
}

Lanes Lanes::Counted(uint64_t count, uint32_t elementBytes)
{
    Lanes lanes;
    if (count > UINT32_MAX) {
        lanes.wrong = "count is too large";
        return lanes;
    }
    uint32_t const perRepeat = PerRepeat(elementBytes);
    lanes.perRepeat = perRepeat;
    lanes.count = static_cast<uint32_t>(count);
    lanes.repeat = static_cast<uint32_t>((count + perRepeat - 1) / perRepeat);
    lanes.mask[0] = perRepeat < 64 ? (uint64_t{1} << perRepeat) - 1 : ~uint64_t{0};
    lanes.mask[1] = perRepeat > 64 ? ~uint64_t{0} : 0;
    return lanes;
}

Lanes Lanes::Of(Operand const& a, Operand const& b, Operand const& c) const
{
    auto const contiguous = [this](Operand const& operand) {
        return operand.data == nullptr
               || (operand.blockStride == 1
                   && (repeat == 1
                       || uint32_t{operand.repeatStride} * kBlockBytes == perRepeat * uint32_t{operand.size}));
    };
    bool const counted = repeat != 0 && count != 0;
    return counted && contiguous(a) && contiguous(b) && contiguous(c) ? Count(count) : *this;
}

Lanes Lanes::InPairs() const
{
    Lanes pairs = *this;
    bool whole = count % 2 == 0;
    pairs.count = count / 2;
    pairs.perRepeat = perRepeat / 2;
    pairs.mask[0] = pairs.mask[1] = 0;
    for (uint32_t pair = 0; pair < perRepeat / 2; ++pair) {
        uint64_t const bits = mask[pair / 32] >> (2 * pair % 64) & 3;
        whole = whole && (bits == 0 || bits == 3);
        pairs.mask[0] |= (bits & 1) << pair;
    }
    if (!whole) { pairs.wrong = "two elements of 4 bits lie in a byte: their number is even, and both are chosen"; }
    return pairs;
}

void SetMask(uint64_t high, uint64_t low)
{
    if (Core* const core = CurrentCore()) { core->SetMask(high, low); }
}

void SetMaskCounts(bool counts)
{
    if (Core* const core = CurrentCore()) { core->SetMaskCounts(counts); }
}

uint64_t Lanes::Repeats(uint32_t bytes) const
{
    return repeat != 0 ? repeat : (uint64_t{count} * bytes + kRepeatBytes - 1) / kRepeatBytes;
}

Region RegionOf(Operand const& operand, Lanes const& lanes)
{
    if (operand.data == nullptr || lanes.Empty()) { return {}; }
    if (lanes.repeat == 0) {
        return Within(operand.buffer, Bytes(Space::UB, operand.data, uint64_t{lanes.count} * operand.size));
    }
    // From the block of the first lane on: it is blocks that are addressed.
    uint32_t const perBlock = kBlockBytes / operand.size;
    uint32_t const lane = static_cast<uint32_t>(
        lanes.mask[0] != 0 ? __builtin_ctzll(lanes.mask[0]) : 64 + __builtin_ctzll(lanes.mask[1]));
    uint32_t const first = lane / perBlock * perBlock;
    uint32_t const last = static_cast<uint32_t>(
        lanes.mask[1] != 0 ? 127 - __builtin_clzll(lanes.mask[1]) : 63 - __builtin_clzll(lanes.mask[0]));
    uint32_t const blocks = last / perBlock - first / perBlock + 1;
    uint64_t const repeatBytes = uint64_t{operand.repeatStride} * kBlockBytes;
    if (operand.blockStride == 1 || blocks == 1) {
        Region region = Rows(
            Space::UB, At(operand, LaneOffset(operand, 0, first)), lanes.repeat,
            uint64_t{last - first + 1} * operand.size, repeatBytes);
        if (lanes.count != 0 && repeatBytes != 0) {
            region.shorter = (uint64_t{lanes.repeat} * lanes.perRepeat - lanes.count) * operand.size;
        }
        return Within(operand.buffer, region);
    }
    uint64_t const blockBytes = uint64_t{operand.blockStride} * kBlockBytes;
    if (lanes.count != 0 && repeatBytes == kRepeatBytes / kBlockBytes * blockBytes) {
        // Blocks that are evenly spaced across repeats, up to the last element.
        uint32_t const used = (lanes.count + perBlock - 1) / perBlock;
        Region region = Rows(Space::UB, operand.data, used, kBlockBytes, blockBytes);
        region.shorter = uint64_t{used} * kBlockBytes - uint64_t{lanes.count} * operand.size;
        return Within(operand.buffer, region);
    }
    // Whole blocks, a stride apart, once per repeat. The mask's ragged ends are counted as touched.
    Region region = Rows(
        Space::UB, At(operand, LaneOffset(operand, 0, first)), blocks, kBlockBytes,
        uint64_t{operand.blockStride} * kBlockBytes);
    region.buffer = operand.buffer;
    region.outer = repeatBytes == 0 ? 1 : lanes.repeat;
    region.outerStride = repeatBytes;
    return region;
}

void RecordArith(
    Op op, ArithFn fn, Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, Lanes const& given,
    Site site)
{
    Lanes const lanes = given.Of(dst, a, b);
    OpInfo const& info = InfoOf(op);
    if (!Active(lanes, info.name, site)) {
        return;  // a count of zero is a no-op
    }
    bool const readsDst = ReadsDestination(op);
    bool const bitwise = info.domain == Domain::Bits;
    Instruction instruction(Pipe::V, info.name, site);
    Region const written = RegionOf(dst, lanes);
    instruction.Writes(written).Reads(RegionOf(a, lanes)).Reads(RegionOf(b, lanes));
    if (readsDst) { instruction.Reads(written); }
    instruction.Work(lanes.Repeats(dst.size > a.size ? dst.size : a.size));
    instruction.Act([=] {
        ForEachLaneRun(lanes, dst, a, b, [&](uint64_t d, uint64_t x, uint64_t y, size_t count) {
            fn(At(dst, d), At(a, x), At(b, y), &scalar, count);
        });
    });
    instruction.Shadow([=] {
        ForEachLaneRun(lanes, dst, a, b, [&](uint64_t d, uint64_t x, uint64_t y, size_t count) {
            if (bitwise) {
                ShadowBits(At(dst, d), At(a, x), At(b, y), count * dst.size);
            } else {
                ShadowLanes(At(dst, d), dst.size, At(a, x), a.size, At(b, y), b.size, count, readsDst);
            }
        });
    });
    Record(std::move(instruction));
}

void RecordMove(
    Op op, ArithFn fn, Operand const& dst, Operand const& src, Lanes const& lanes, uint32_t repeat, Site site)
{
    bool const byCore = lanes.repeat != 0 && lanes.count != 0;
    if (!byCore) {
        RecordArith(op, fn, dst, src, {}, 0, lanes, site);
        return;
    }
    // Blocks follow each other by the block stride, also from one 256 bytes to the next.
    constexpr uint16_t blocks = kRepeatBytes / kBlockBytes;
    auto const repeatOf = [](Operand operand, uint32_t r) {
        operand.data = At(operand, uint64_t{r} * operand.repeatStride * kBlockBytes);
        operand.repeatStride = static_cast<uint16_t>(operand.blockStride * blocks);
        return operand;
    };
    for (uint32_t r = 0; r < repeat; ++r) {
        RecordArith(op, fn, repeatOf(dst, r), repeatOf(src, r), {}, 0, lanes, site);
    }
}

namespace {

template <class Fn>
void RecordConversion(char const* name, Fn fn, Operand const& dst, Operand const& src, Lanes const& given, Site site)
{
    Lanes const lanes = given.Of(dst, src);
    if (!Active(lanes, name, site)) { return; }
    Instruction instruction(Pipe::V, name, site);
    instruction.Writes(RegionOf(dst, lanes)).Reads(RegionOf(src, lanes));
    instruction.Work(lanes.Repeats(dst.size > src.size ? dst.size : src.size));
    instruction.Act([=] {
        ForEachLaneRun(lanes, dst, src, Operand{}, [&](uint64_t d, uint64_t s, uint64_t, size_t count) {
            fn(At(dst, d), At(src, s), count);
        });
    });
    instruction.Shadow([=] {
        ForEachLaneRun(lanes, dst, src, Operand{}, [&](uint64_t d, uint64_t s, uint64_t, size_t count) {
            ShadowLanes(At(dst, d), dst.size, At(src, s), src.size, nullptr, 0, count, false);
        });
    });
    Record(std::move(instruction));
}

}  // namespace

void RecordConvert(
    char const* name, ConvertFn fn, Operand const& dst, Operand const& src, Rounding rounding, Lanes const& lanes,
    Site site)
{
    RecordConversion(
        name, [=](void* to, void const* from, size_t count) { fn(to, from, count, rounding); }, dst, src, lanes, site);
}

bool Active(Lanes const& lanes, char const* name, Site site)
{
    if (lanes.wrong != nullptr) { return RefuseParameter(name, lanes.wrong, site); }
    if (lanes.Empty() && !Arch().zeroIsNothing) {
        return RefuseParameter(name, "a call of no elements may do something on this architecture", site);
    }
    return !lanes.Empty();
}

bool RefuseParameter(char const* name, char const* detail, Site site)
{
    return Refuse(Fault::BadParameter, name, detail, site);
}

bool RefuseRounding(char const* name, char const* detail, Site site)
{
    return Refuse(Fault::BadRoundMode, name, detail, site);
}

}  // namespace machine
