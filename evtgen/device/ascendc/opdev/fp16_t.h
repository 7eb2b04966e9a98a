// op::fp16_t, the host's half: a number converts to it with rounding to nearest even, and back to float.
#pragma once

#include "machine/half.hpp"

namespace op {

using fp16_t = machine::Half;

}  // namespace op
