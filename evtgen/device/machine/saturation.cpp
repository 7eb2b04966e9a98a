#include "saturation.hpp"

#include "arch.hpp"
#include "config.hpp"
#include "registers.hpp"

namespace machine {

namespace {

constexpr uint64_t Bit(uint32_t bit) { return uint64_t{1} << bit; }
constexpr uint64_t Bits(uint32_t first, uint32_t last) { return ~uint64_t{0} >> (63 - (last - first)) << first; }

}  // namespace

Saturation CurrentSaturation()
{
    uint64_t const control = CurrentRegisters().control;
    auto const clear = [control](uint32_t bit) { return (control & Bit(bit)) == 0; };
    // Where calls have their own mode, AscendC's Cast saturates; that arithmetic does not is *assumed*.
    bool const own = Arch().saturatesByCall && clear(control::kGlobal);
    return {
        !own && clear(control::kFloats), own || clear(control::kFloats), clear(control::kNan),
        !clear(control::kIntegers), own || clear(control::kCasts)};
}

uint64_t InitialControl() { return DefaultControl(0, 63) | (GetConfig().saturates ? 0 : Bit(control::kFloats)); }

uint64_t DefaultControl(uint32_t first, uint32_t last)
{
    return (Arch().saturatesByCall ? Bit(control::kGlobal) : 0) & Bits(first, last);
}

uint64_t Control(uint32_t first, uint32_t last) { return (CurrentRegisters().control & Bits(first, last)) >> first; }

void SetControl(uint32_t first, uint32_t last, uint64_t value)
{
    uint64_t& control = CurrentRegisters().control;
    control = (control & ~Bits(first, last)) | (value << first & Bits(first, last));
}

}  // namespace machine
