// How the matrix unit takes floats (pages of SetHF32Mode and SetHF32TransMode): bits of the CTRL register.
#pragma once

#include "../../machine/saturation.hpp"
#include "types.h"

namespace AscendC {

enum class HF32Mode { ENABLE, DISABLE };
enum class HF32TransMode { NEAREST_ZERO, NEAREST_EVEN };

inline void SetHF32Mode(bool hf32Mode, Site site = Here())
{
    machine::SetControl("SetHF32Mode", machine::control::kHf32, machine::control::kHf32, hf32Mode ? 1 : 0, site);
}
inline void SetHF32Mode(HF32Mode mode, Site site = Here()) { SetHF32Mode(mode == HF32Mode::ENABLE, site); }

/// Of the other mode pages differ in what it does where two numbers are equally near.
inline void SetHF32TransMode(bool hf32TransMode, Site site = Here())
{
    if (hf32TransMode) {
        machine::RefuseParameter("SetHF32TransMode", "the CPU model rounds to the nearest even number alone", site);
    }
}
inline void SetHF32TransMode(HF32TransMode mode, Site site = Here())
{
    SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO, site);
}

}  // namespace AscendC
