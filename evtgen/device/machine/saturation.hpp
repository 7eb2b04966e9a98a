// What becomes of results that their type does not have: bits of the CTRL register of a core (page of SetCtrlSpr), which
// the scalar unit sets and an instruction takes when it is issued.
#pragma once

#include <cstdint>

#include "record.hpp"

namespace machine {

/// The bits. Of kFloats and the last three, 1 is without saturation.
namespace control {
constexpr uint32_t kHf32 = 46;      // 1: the matrix unit rounds floats to HF32
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

/// Whether bit 48 is 0 when a launch starts: EVTGEN_MODEL_SATURATION, then aclrtSetDeviceSatMode.
bool& StartsSaturating();
/// The register as a launch finds it, and as ResetCtrlSpr leaves it.
uint64_t InitialControl();
uint64_t DefaultControl();

/// Bits `first` to `last` of the running core's. `name` is the call that sets them.
uint64_t Control(uint32_t first, uint32_t last);
void SetControl(char const* name, uint32_t first, uint32_t last, uint64_t value, Site site);
void ResetControl(uint32_t first, uint32_t last);

}  // namespace machine
