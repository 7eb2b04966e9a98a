// Types and enumerations that the device's compiler brings along.
#pragma once

#include "../../machine/arch.hpp"
#include "../../machine/elements.hpp"
#include "../../machine/targets.hpp"
#include "language.h"

using half = machine::Half;
using bfloat16_t = machine::Bfloat16;

/// What a reduction over a repeat writes: the value, its index, or both.
enum class Order_t : uint8_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

namespace cce {

inline constexpr machine::ArchSpec const& kArch = machine::kArchs[machine::IndexOfArch(CATLASS_ARCH)];
inline int const architectureIsSet = (machine::SetArch(kArch), 0);

using machine::PipeOf;

}  // namespace cce
