// What becomes of results that their type does not have: bits of the CTRL register of a core (page of SetCtrlSpr), which
// the scalar unit sets and an instruction takes when it is issued.
#pragma once

#include <cstdint>

namespace machine {

/// The bits. Of the first and the last three, 1 is without saturation.
namespace control {
constexpr uint32_t kFloats = 48;    // infinity and NaN stay, else they become the largest number and zero
constexpr uint32_t kNan = 50;       // of 8 bits NaN stays, where floats saturate
constexpr uint32_t kIntegers = 53;  // 1: sums and products of integers saturate, else they wrap
constexpr uint32_t kCasts = 59;     // casts to integers keep the lowest bits, else they saturate
constexpr uint32_t kGlobal = 60;    // 1: bits 48 and 59 count, else each call has its own mode
}  // namespace control

struct Saturation {
    bool floats;    // results of arithmetic
    bool casts;     // to floats
    bool nan;       // of 8 bits becomes zero
    bool integers;  // results of arithmetic
    bool whole;     // casts to integers
};

/// Of instructions that the running core issues now.
Saturation CurrentSaturation();

/// The register as a launch finds it. No page says what bit 48 is then: EVTGEN_MODEL_SATURATION.
uint64_t InitialControl();
/// Bits `first` to `last` of the register as ResetCtrlSpr leaves it, and as they are for the running core.
uint64_t DefaultControl(uint32_t first, uint32_t last);
uint64_t Control(uint32_t first, uint32_t last);
void SetControl(uint32_t first, uint32_t last, uint64_t value);

}  // namespace machine
